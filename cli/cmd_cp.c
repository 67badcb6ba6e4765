/* cmd_cp.c - zinc cp and zinc mv: copy nodes to other stores and versions of Zarr; rename nodes */
#include <stdio.h>
#include <zinc/store.h>

#include "cli.h"

/* The same choice may be replaced in many arrays: it is printed once, with their number.  Each loss is printed. */
struct counted_note {
	struct text message, path; /* of the first */
	zinc_copy_kind kind;
	uint64_t times;
};

struct cp {
	struct run *run;
	const char *from, *to;
	struct progress progress;
	zinc_copy_options options;
	uint64_t chunks[ZINC_MAX_NDIM], shards[ZINC_MAX_NDIM];
	zinc_copy_choice *choices; /* NAME=VALUE; names are allocated */
	size_t nchoices;
	struct counted_note *counted;
	size_t ncounted;
	struct json notes;
	bool hidden;  /* a part of the source cannot be read */
	bool refused; /* nothing was copied because of that */
};

/* ---- the command line -> options ---- */

static int
take_shape(struct cp *c, const char *option, const char *text, uint64_t *shape)
{
	int ndim;

	if (!parse_shape(text, shape, &ndim))
		return complain(USAGE, option, "\"%s\" is not a list of lengths like 10,20", text);
	if (c->options.ndim && c->options.ndim != ndim)
		return complain(USAGE, option, "--chunks and --shards have different numbers of dimensions");
	c->options.ndim = ndim;
	return DONE;
}

/* The '=' after a NAME; NULL: the value is for all arrays.  JSON begins with a bracket or a quote. */
static const char *
name_end(const char *value)
{
	return strchr("[{\"", *value) ? NULL : strchr(value, '=');
}

/* Keep those for single arrays; returns the last of the others, or NULL. */
static const char *
take_choices(struct cp *c, const char *option, const struct words *words)
{
	const char *all = NULL;
	int i;

	for (i = 0; i < words->n; i++) {
		const char *end = name_end(words->at[i]);
		struct text name = {NULL, 0, 0};

		if (!end) {
			all = words->at[i];
			continue;
		}
		text_printf(&name, "%.*s", (int)(end - words->at[i]), words->at[i]);
		c->choices = xrealloc(c->choices, (c->nchoices + 1) * sizeof *c->choices);
		c->choices[c->nchoices++] = (zinc_copy_choice){name.p, option, end + 1};
	}
	return all;
}

static void
choices_free(struct cp *c)
{
	size_t i;

	for (i = 0; i < c->nchoices; i++)
		free((void *)(uintptr_t)c->choices[i].name);
	free(c->choices);
}

/* "2/8" */
static int
take_part(struct cp *c, const char *text)
{
	uint64_t k = 0, n = 0;
	const char *slash = text ? strchr(text, '/') : NULL;

	if (!text)
		return DONE;
	if (slash && slash > text && slash[1] && strspn(text, "0123456789") == (size_t)(slash - text) &&
	    !slash[1 + strspn(slash + 1, "0123456789")] && strlen(text) < 16) {
		k = strtoull(text, NULL, 10);
		n = strtoull(slash + 1, NULL, 10);
	}
	if (k < 1 || k > n || n > 10000)
		return complain(USAGE, "--part",
				"\"%s\" is not a share like 2/8: a number of 1 to 8, of 8 (at most 10000)", text);
	c->options.part = (int)k;
	c->options.nparts = (int)n;
	return DONE;
}

static int
take_options(struct cp *c)
{
	const struct args *a = c->run->args;
	const char *chunks = take_choices(c, "chunks", &a->chunks_of),
		   *shards = take_choices(c, "shards", &a->shards_of);
	zinc_copy_options *o = &c->options;
	int status = take_part(c, a->part);

	o->auto_chunks = chunks && !strcmp(chunks, "auto");
	o->auto_shards = shards && !strcmp(shards, "auto");
	if (chunks && *chunks == '[') {
		o->chunk_edges = chunks;
	} else if (status == DONE && chunks && !o->auto_chunks) {
		status = take_shape(c, "--chunks", chunks, c->chunks);
		o->chunks = c->chunks;
	}
	if (shards && *shards == '[') {
		o->shard_edges = shards;
	} else if (status == DONE && shards && !o->auto_shards) {
		status = take_shape(c, "--shards", shards, c->shards);
		o->shards = c->shards;
	}
	o->codecs = take_choices(c, "codecs", &a->codecs_of);
	o->dtype = take_choices(c, "dtype", &a->dtype_of);
	o->choices = c->choices;
	o->nchoices = c->nchoices;
	o->include = a->include.at;
	o->ninclude = (size_t)a->include.n;
	o->exclude = a->exclude.at;
	o->nexclude = (size_t)a->exclude.n;
	o->convert = convert_flags(c->run);
	o->select = a->select;
	o->verify = a->verify;
	o->lossy = a->lossy;
	o->key_encoding = a->key_encoding;
	o->for_xarray = a->for_xarray;
	return status;
}

/* What cp and mv have in common. */
static void
take_common(struct cp *c)
{
	const struct args *a = c->run->args;
	zinc_copy_options *o = &c->options;

	o->context = c->run->ctx;
	o->format = a->format;
	o->strict = a->strict;
	o->fallback = a->fallback;
	o->links = links_option(c->run);
	o->climb = a->no_climb ? -1 : selects_by_value(a);
	o->resume = a->resume;
	o->overwrite = a->overwrite ? (a->force ? ZINC_FORCE : 1) : 0;
	o->force = a->force;
	o->dry_run = a->dry_run;
	o->max_memory = a->max_memory;
	if (a->max_memory) /* that limit is for elements and objects; codecs and metadata need more */
		c->run->budget.limit += (uint64_t)64 << 20;
	o->threads = thread_count(c->run);
	o->call = &c->progress.call;
}

/* ---- notes ---- */

static const char *const kinds[] = {"plan", "replaced", "lost", "notice", "hidden"};

static void
note_json(struct cp *c, const zinc_copy_note *note)
{
	struct json *j = &c->notes;

	json_begin_object(j);
	json_string(json_key(j, "kind"), kinds[note->kind]);
	json_string(json_key(j, "path"), note->path);
	json_string(json_key(j, "message"), note->message);
	json_end_object(j);
}

static void
count_note(struct cp *c, const zinc_copy_note *note)
{
	struct counted_note *t;
	size_t i;

	for (i = 0; i < c->ncounted && note->kind != ZINC_COPY_LOST; i++)
		if (c->counted[i].kind == note->kind && !strcmp(text_str(&c->counted[i].message), note->message)) {
			c->counted[i].times++;
			return;
		}
	c->counted = xrealloc(c->counted, (c->ncounted + 1) * sizeof *c->counted);
	t = &c->counted[c->ncounted++];
	*t = (struct counted_note){.kind = note->kind, .times = 1};
	text_puts(&t->message, note->message);
	text_puts(&t->path, note->path);
}

/* A hidden entry is a finding (status 1); any other failure has its own status. */
static void
note_finding(struct cp *c, const zinc_copy_note *n)
{
	c->hidden = c->hidden || n->kind == ZINC_COPY_HIDDEN;
	c->refused = c->refused || n->kind == ZINC_COPY_REFUSED;
}

static int
final_status(const struct cp *c, int status)
{
	if (c->refused)
		return FOUND;
	return status == DONE && c->hidden ? FOUND : status;
}

/* The plan is printed with --dry-run only; what is replaced or lost is always printed. */
static int
note(void *arg, const zinc_copy_note *n)
{
	struct cp *c = arg;

	note_finding(c, n);
	if (n->kind == ZINC_COPY_REFUSED)
		return interrupted();
	if (c->run->args->json)
		note_json(c, n);
	else if (n->kind == ZINC_COPY_PLAN) {
		if (c->run->args->dry_run)
			out_printf(&c->run->out, "%s: %s\n", n->path, n->message);
	} else
		count_note(c, n);
	return interrupted();
}

/* Print the notes.  If the copy failed, its error message already names what would be lost. */
static void
print_notes(struct cp *c, bool failed)
{
	size_t i;

	for (i = 0; i < c->ncounted; i++) {
		const struct counted_note *t = &c->counted[i];

		if (failed && !c->run->args->dry_run && t->kind != ZINC_COPY_HIDDEN)
			continue;
		if (t->times > 1)
			say("zinc: %s: %s: %s (and %llu more)", kinds[t->kind], text_str(&t->path),
			    text_str(&t->message), (unsigned long long)(t->times - 1));
		else
			say("zinc: %s: %s: %s", kinds[t->kind], text_str(&t->path), text_str(&t->message));
	}
}

static void
notes_free(struct cp *c)
{
	size_t i;

	for (i = 0; i < c->ncounted; i++) {
		text_free(&c->counted[i].message);
		text_free(&c->counted[i].path);
	}
	free(c->counted);
	json_free(&c->notes);
}

/* ---- the end ---- */

static void
summary_json(struct cp *c, const zinc_copy_counts *n)
{
	struct json j = JSON_INIT;

	json_begin_object(&j);
	json_string(json_key(&j, "source"), c->from);
	json_string(json_key(&j, "target"), c->to);
	json_bool(json_key(&j, "dry_run"), c->run->args->dry_run);
	json_uint(json_key(&j, "groups"), n->groups);
	json_uint(json_key(&j, "arrays"), n->arrays);
	json_uint(json_key(&j, "objects"), n->objects);
	json_uint(json_key(&j, "raw"), n->raw);
	json_uint(json_key(&j, "skipped"), n->skipped);
	json_uint(json_key(&j, "bytes"), n->bytes);
	json_uint(json_key(&j, "parts_left"), n->parts_left);
	json_list(json_key(&j, "notes"), &c->notes);
	json_end_object(&j);
	out_document(&c->run->out, &j);
}

int
cmd_cp(struct run *r)
{
	struct cp c = {.run = r, .from = r->args->words.at[0], .to = r->args->words.at[1]};
	zinc_copy_counts n = ZINC_COPY_COUNTS_INIT;
	zinc_error err = ZINC_ERROR_INIT;
	zinc_status st;
	int status;

	c.options = (zinc_copy_options)ZINC_COPY_OPTIONS_INIT;
	if (r->args->force && !r->args->overwrite)
		return complain(USAGE, "--force", "works only with --overwrite");
	status = take_options(&c);
	if (status != DONE) {
		choices_free(&c);
		return status;
	}
	take_common(&c);
	c.options.note = note;
	c.options.note_arg = &c;
	progress_init(&c.progress, r, "copying");
	st = zinc_copy_url(typed_url(r->args, c.from), typed_url(r->args, c.to), &c.options, &n, &err);
	progress_end(&c.progress);
	print_notes(&c, st != ZINC_OK);
	if (st == ZINC_OK && r->args->json)
		summary_json(&c, &n);
	if (st == ZINC_OK && !r->args->dry_run)
		progress_summary(&c.progress, "copied", n.objects, n.bytes);
	notes_free(&c);
	choices_free(&c);
	return final_status(&c, st == ZINC_OK ? DONE : fail_either(c.from, c.to, &err));
}

/* NEWPATH is a path within the hierarchy; a URL of the new place is accepted, too. */
static const char *
new_path(const char *url, const char *path, const char *typed)
{
	const size_t nurl = strlen(url), npath = strlen(path);
	const size_t root = nurl > npath && !strcmp(url + nurl - npath, path) ? nurl - npath : 0;

	return root && path[1] && !strncmp(typed, url, root) && typed[root] == '/' ? typed + root : typed;
}

/* Within one hierarchy nothing is lost or replaced. */
static int
note_hidden(void *arg, const zinc_copy_note *n)
{
	note_finding(arg, n);
	if (n->kind == ZINC_COPY_HIDDEN)
		count_note(arg, n);
	return interrupted();
}

/* "out.zarr/t2m": does a component end in a suffix of hierarchies, and is it not a node of this one? */
static bool
names_root(zinc_hierarchy *h, const char *typed)
{
	static const char *const suffixes[] = {".zarr", ".zr3", ".zr", ".n5"};
	zinc_node_kind kind = ZINC_NODE_NONE;
	struct text up = {NULL, 0, 0};
	const char *end;
	bool found = false;
	size_t i;

	for (end = typed; *end && !found; end += *end == '/') {
		const char *name = end;

		end += strcspn(end, "/");
		for (i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
			const size_t n = strlen(suffixes[i]);

			found = found || ((size_t)(end - name) > n && !strncmp(end - n, suffixes[i], n));
		}
	}
	text_printf(&up, "%.*s", (int)(end - typed), typed);
	if (found && !zinc_node_exists(h, text_str(&up), &kind, &until_stopped, NULL))
		found = kind == ZINC_NODE_NONE;
	text_free(&up);
	return found;
}

static bool
same_root(const zinc_hierarchy *a, const zinc_hierarchy *b)
{
	return !strcmp(zinc_store_url(zinc_hierarchy_store(a)), zinc_store_url(zinc_hierarchy_store(b))) &&
	       !strcmp(zinc_hierarchy_prefix(a), zinc_hierarchy_prefix(b));
}

/* With other settings, or without them, a URL can name another server or table. */
static bool
same_settings(const char *url, const char *other)
{
	const char *a = strchr(url, '?'), *b = strchr(other, '?');

	return !strstr(other, "://") || !strcmp(a ? a : "", b ? b : "");
}

/* The path of NEWPATH.  USAGE when it names another store: by a scheme, by settings, by an existing hierarchy, or by a
 * suffix of hierarchies.  The root must be part of the text: a hierarchy around the working directory does not count. */
static int
take_new_path(struct run *r, zinc_hierarchy *h, const char *url, const char *typed, struct text *path)
{
	const char *within = new_path(url, zinc_hierarchy_path(h), typed);
	zinc_open_options o = open_options(r, false);
	zinc_hierarchy *other = NULL;
	bool elsewhere = strstr(within, "://") || strchr(within, '|') ||
			 !same_settings(typed_url(r->args, url), typed_url(r->args, typed));

	if (!elsewhere && within == typed && !zinc_hierarchy_open_url(&other, typed, &o, NULL) &&
	    strlen(zinc_hierarchy_path(other)) < strlen(typed) + (*typed != '/')) {
		elsewhere = !same_root(h, other);
		within = zinc_hierarchy_path(other);
	} else if (!elsewhere) {
		elsewhere = names_root(h, within);
	}
	text_puts(path, within);
	zinc_hierarchy_close(other);
	return elsewhere
		   ? complain(USAGE, typed,
			      "another store, or other settings; mv works within one store: use zinc cp, then zinc rm")
		   : DONE;
}

int
cmd_mv(struct run *r)
{
	struct cp c = {.run = r, .from = r->args->words.at[0], .to = r->args->words.at[1]};
	struct text path = {NULL, 0, 0};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_hierarchy *h = NULL;
	int status = open_node(r, c.from, true, &h);

	c.options = (zinc_copy_options)ZINC_COPY_OPTIONS_INIT;
	take_common(&c);
	c.options.note = note_hidden;
	c.options.note_arg = &c;
	progress_init(&c.progress, r, "moving");
	if (status == DONE)
		status = take_new_path(r, h, c.from, c.to, &path);
	if (status == DONE && zinc_move(h, zinc_hierarchy_path(h), text_str(&path), &c.options, &err))
		status = fail(c.from, &err);
	progress_end(&c.progress);
	print_notes(&c, status != DONE);
	status = final_status(&c, status);
	notes_free(&c);
	if (status == DONE && r->args->dry_run)
		out_printf(&r->out, "would move %s to %s\n", zinc_hierarchy_path(h), text_str(&path));
	text_free(&path);
	zinc_hierarchy_close(h);
	return status;
}
