/* cmd_validate.c - zinc validate: check every document and every stored object */
#include "cli.h"

struct validate {
	struct run *run;
	const char *url;
	struct progress progress;
	struct json findings;
	struct json no_checksum; /* paths of arrays without one; `unchecked` is the same list for the text output */
	struct text unchecked;
	uint64_t nunchecked;
};

#define UNCHECKED_SHOWN 5 /* in the text output; JSON has all */

static int
found(void *arg, const zinc_finding *f)
{
	struct validate *v = arg;

	struct text t = {NULL, 0, 0};

	if (v->run->args->json) {
		finding_json(&v->findings, f);
	} else {
		finding_text(&t, v->run->colour, *f->key ? f->key : f->path, f);
		progress_end(&v->progress);
		out_text(&v->run->out, &t);
	}
	return interrupted();
}

static int
unchecked(void *arg, const char *path)
{
	struct validate *v = arg;

	v->nunchecked++;
	if (v->run->args->json) {
		json_string(&v->no_checksum, path);
	} else if (v->nunchecked <= UNCHECKED_SHOWN) {
		text_puts(&v->unchecked, v->unchecked.n ? ", " : "");
		text_name(&v->unchecked, path);
	}
	return interrupted();
}

static void
summary_json(struct validate *v, const zinc_validate_counts *n)
{
	struct json j = JSON_INIT;

	json_begin_object(&j);
	json_string(json_key(&j, "url"), v->url);
	json_uint(json_key(&j, "errors"), n->errors);
	json_uint(json_key(&j, "warnings"), n->warnings + n->unsupported);
	json_list(json_key(&j, "findings"), &v->findings);
	if (v->nunchecked > 0)
		json_list(json_key(&j, "no_checksum"), &v->no_checksum);
	json_end_object(&j);
	out_document(&v->run->out, &j);
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

	if (v->nunchecked > 0)
		text_printf(&t, "no checksum: %s", text_str(&v->unchecked));
	if (v->nunchecked > UNCHECKED_SHOWN)
		text_printf(&t, " and %llu more (--json names all)",
			    (unsigned long long)(v->nunchecked - UNCHECKED_SHOWN));
	text_puts(&t, v->nunchecked > 0 ? "\n" : "");
	count_text(&t, "", n->groups, "group");
	count_text(&t, ", ", n->arrays, "array");
	count_text(&t, ", ", n->objects, "object");
	text_puts(&t, " of ");
	text_size(&t, n->bytes);
	text_puts(&t, v->run->args->fast ? " (not decoded)" : "");
	if (n->missing && n->missing != UINT64_MAX)
		text_printf(&t, ", %llu not stored (fill value)", (unsigned long long)n->missing);
	if (n->empty)
		text_printf(&t, ", %llu inner chunk%s of shards empty", (unsigned long long)n->empty,
			    n->empty == 1 ? "" : "s");
	count_text(&t, ": ", n->errors, "error");
	count_text(&t, ", ", n->warnings, "warning");
	if (n->unsupported)
		text_printf(&t, ", %llu unsupported", (unsigned long long)n->unsupported);
	if (n->repaired)
		text_printf(&t, ", %llu repaired", (unsigned long long)n->repaired);
	text_puts(&t, "\n");
	out_wrapped(v->run, &t);
}

int
cmd_validate(struct run *r)
{
	struct validate v = {.run = r, .url = r->args->words.at[0]};
	const struct args *a = r->args;
	zinc_validate_options o = ZINC_VALIDATE_OPTIONS_INIT;
	zinc_validate_counts n = ZINC_VALIDATE_COUNTS_INIT;
	zinc_error err = ZINC_ERROR_INIT;
	struct text cache = {NULL, 0, 0};
	zinc_status st;

	if (a->orphans && !a->repair)
		return complain(USAGE, "--orphans", "works only with --repair");
	progress_init(&v.progress, r, "checking");
	v.progress.unit = "object";
	o.context = r->ctx;
	o.format = a->format;
	o.strict = a->strict;
	o.links = links_option(r);
	o.climb = a->no_climb ? -1 : 0;
	o.below = a->node;
	o.fast = a->fast;
	o.repair = a->repair && !a->dry_run;
	o.orphans = a->orphans;
	schema_cache(&cache);
	o.schemas = a->schemas;
	o.cache = cache.n ? cache.p : NULL;
	o.fetch = a->fetch;
	o.call = &v.progress.call;
	o.unchecked = unchecked;
	st = zinc_validate(typed_url(r->args, v.url), &o, found, &v, &n, &err);
	if (st == ZINC_OK)
		progress_summary(&v.progress, "checked", n.objects, n.bytes);
	else
		progress_end(&v.progress);
	if (st == ZINC_OK && a->json)
		summary_json(&v, &n);
	else if (st == ZINC_OK)
		summary_text(&v, &n);
	json_free(&v.findings);
	json_free(&v.no_checksum);
	text_free(&v.unchecked);
	text_free(&cache);
	if (st != ZINC_OK)
		return fail(v.url, &err);
	if (interrupted())
		return CANCELLED;
	return n.errors ? FOUND : n.unsupported ? UNSUPPORTED : DONE;
}
