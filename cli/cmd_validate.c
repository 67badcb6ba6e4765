/* cmd_validate.c - zinc validate: every document and every stored object */
#include "cli.h"

struct validate {
	struct run *run;
	const char *url;
	struct progress progress;
	struct text json; /* the findings */
};

/* What --json says of a thing that is only unsupported is a warning: it has two severities. */
static const char *const severities[] = {"warning", "error", "warning"};

static void
finding_json(struct validate *v, const zinc_finding *f)
{
	const struct {
		const char *name, *value;
	} rows[] = {
	    {"rule", f->rule},       {"path", f->path},       {"key", f->key},
	    {"pointer", f->pointer}, {"message", f->message}, {"fix", f->fix},
	};
	struct text *t = &v->json;
	size_t i;

	text_printf(t, "%s{\"severity\":\"%s\"", t->n ? "," : "", severities[f->level]);
	for (i = 0; i < sizeof rows / sizeof *rows; i++) {
		text_printf(t, ",\"%s\":", rows[i].name);
		text_json(t, rows[i].value);
	}
	text_puts(t, "}");
}

static void
finding_text(struct validate *v, const zinc_finding *f)
{
	static const char *const label[] = {"warning", "error", "unsupported"};
	static const enum paint paint[] = {YELLOW, RED, YELLOW};
	struct text t = {NULL, 0, 0};

	text_paint(&t, v->run->colour, f->repaired ? GREEN : paint[f->level],
		   f->repaired ? "repaired" : label[f->level]);
	text_printf(&t, " %s: %s", f->rule, *f->key ? f->key : f->path);
	if (*f->pointer)
		text_printf(&t, " %s", f->pointer);
	text_printf(&t, ": %s", f->message);
	if (*f->fix && !f->repaired)
		text_printf(&t, "; %s", f->fix);
	text_puts(&t, "\n");
	progress_end(&v->progress);
	out_text(&v->run->out, &t);
}

static int
found(void *arg, const zinc_finding *f)
{
	struct validate *v = arg;

	if (v->run->args->json)
		finding_json(v, f);
	else
		finding_text(v, f);
	return interrupted();
}

static void
summary_json(struct validate *v, const zinc_validate_counts *n)
{
	struct text t = {NULL, 0, 0};

	text_puts(&t, "{\"url\":");
	text_json(&t, v->url);
	text_printf(&t, ",\"errors\":%llu,\"warnings\":%llu,\"findings\":[%s]}\n", (unsigned long long)n->errors,
		    (unsigned long long)(n->warnings + n->unsupported), text_str(&v->json));
	out_text(&v->run->out, &t);
}

static void
count_text(struct text *t, const char *before, uint64_t n, const char *what)
{
	text_printf(t, "%s%llu %s%s", before, (unsigned long long)n, what, n == 1 ? "" : "s");
}

static void
summary_text(struct validate *v, const zinc_validate_counts *n)
{
	struct text t = {NULL, 0, 0};

	count_text(&t, "", n->groups, "group");
	count_text(&t, ", ", n->arrays, "array");
	count_text(&t, ", ", n->objects, "object");
	text_puts(&t, " of ");
	text_size(&t, n->bytes);
	text_puts(&t, v->run->args->fast ? " (not decoded)" : "");
	if (n->missing && n->missing != UINT64_MAX)
		text_printf(&t, ", %llu not stored (fill value)", (unsigned long long)n->missing);
	count_text(&t, ": ", n->errors, "error");
	count_text(&t, ", ", n->warnings, "warning");
	if (n->unsupported)
		text_printf(&t, ", %llu unsupported", (unsigned long long)n->unsupported);
	if (n->repaired)
		text_printf(&t, ", %llu repaired", (unsigned long long)n->repaired);
	text_puts(&t, "\n");
	out_text(&v->run->out, &t);
}

int
cmd_validate(struct run *r)
{
	struct validate v = {.run = r, .url = r->args->words.at[0]};
	const struct args *a = r->args;
	zinc_validate_options o = ZINC_VALIDATE_OPTIONS_INIT;
	zinc_validate_counts n = {0};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_status s;

	if (a->orphans && !a->repair)
		return complain(USAGE, "--orphans", "it says what --repair may erase; give both");
	progress_init(&v.progress, r, "checking");
	v.progress.unit = "object";
	o.context = r->ctx;
	o.format = a->format;
	o.strict = a->strict;
	o.fast = a->fast;
	o.repair = a->repair && !a->dry_run;
	o.orphans = a->orphans;
	o.cancel = &cancel_flag;
	o.progress = progress_tick;
	o.progress_arg = &v.progress;
	s = zinc_validate(v.url, &o, found, &v, &n, &err);
	if (s == ZINC_OK)
		progress_summary(&v.progress, "checked", n.objects, n.bytes);
	else
		progress_end(&v.progress);
	if (s == ZINC_OK && a->json)
		summary_json(&v, &n);
	else if (s == ZINC_OK)
		summary_text(&v, &n);
	text_free(&v.json);
	if (s != ZINC_OK)
		return fail(v.url, &err);
	if (interrupted())
		return CANCELLED;
	return n.errors ? FOUND : n.unsupported ? UNSUPPORTED : DONE;
}
