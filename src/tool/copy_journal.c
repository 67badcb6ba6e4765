/*
 * copy_journal.c - the record of what is done, so that a copy can be resumed
 *
 * "__zinc_cp.json" at the target:
 *
 *   {"zinc_cp": 2, "source": URL, "path": path, "state": fingerprint of the source, "options": {...},
 *    "max_memory": n, "plan": fingerprint of the steps, "steps": n, "done": n}
 *
 * Version 1 had no "plan", and its boxes depended on the number of threads.
 *
 * Promises:
 *
 * (1) `done` counts only steps whose objects are durable: it is put after their commit.  A step that was interrupted is
 *     done again, and puts the same objects.
 * (2) A journal of another source, a changed source, other options or other steps is refused.  The memory limit, which
 *     determines the steps, is the journal's; the number of threads may change.
 * (3) Its first put is conditional: of two copies to one target only one starts.
 * (4) A store that cannot erase it, an archive, gets none: the copy cannot be resumed there.
 */
#include <stdio.h>

#include "tool/copy.h"

#define VERSION 2u

/* ---- the options, as they are compared ---- */

static zinc_status
add_text(zinc_json_doc *doc, zinc_json *to, const char *key, const char *text, zinc_error *err)
{
	return text ? zinc_json_set(doc, to, key, zinc_json_make_string(doc, text), err) : ZINC_OK;
}

static zinc_status
add_shape(const zinc_cp *c, zinc_json_doc *doc, zinc_json *to, const char *key, const uint64_t *shape, zinc_error *err)
{
	return shape ? zinc_json_set(doc, to, key, zinc_json_make_u64_list(doc, shape, c->o.ndim), err) : ZINC_OK;
}

static zinc_status
add_list(zinc_json_doc *doc, zinc_json *to, const char *key, const char *const *texts, size_t n, zinc_error *err)
{
	zinc_json *list = zinc_json_make(doc, ZINC_JSON_ARRAY);
	size_t i;

	for (i = 0; i < n; i++)
		ZINC_TRY(zinc_json_append(list, zinc_json_make_string(doc, texts[i]), err));
	return n > 0 ? zinc_json_set(doc, to, key, list, err) : ZINC_OK;
}

/* What is copied, and options of single arrays. */
static zinc_status
add_patterns(const zinc_cp *c, zinc_json_doc *doc, zinc_json *to, zinc_error *err)
{
	const zinc_copy_options *o = &c->o;
	zinc_json *choices = zinc_json_make(doc, ZINC_JSON_OBJECT);
	size_t i;

	ZINC_TRY(add_list(doc, to, "include", o->include, o->ninclude, err));
	ZINC_TRY(add_list(doc, to, "exclude", o->exclude, o->nexclude, err));
	for (i = 0; i < o->nchoices; i++) {
		const char *texts[] = {o->choices[i].name, o->choices[i].option, o->choices[i].value};
		char number[24];

		snprintf(number, sizeof number, "%zu", i);
		ZINC_TRY(add_list(doc, choices, number, texts, 3, err));
	}
	return o->nchoices > 0 ? zinc_json_set(doc, to, "choices", choices, err) : ZINC_OK;
}

static zinc_status
add_options(const zinc_cp *c, zinc_json_doc *doc, zinc_json *to, zinc_error *err)
{
	const zinc_copy_options *o = &c->o;

	ZINC_TRY(add_text(doc, to, "format", c->to->format->id, err));
	ZINC_TRY(add_shape(c, doc, to, "chunks", o->chunks, err));
	ZINC_TRY(add_shape(c, doc, to, "shards", o->shards, err));
	ZINC_TRY(add_text(doc, to, "chunk_edges", o->chunk_edges, err));
	ZINC_TRY(add_text(doc, to, "shard_edges", o->shard_edges, err));
	ZINC_TRY(add_text(doc, to, "auto_chunks", o->auto_chunks ? "yes" : NULL, err));
	ZINC_TRY(add_text(doc, to, "auto_shards", o->auto_shards ? "yes" : NULL, err));
	ZINC_TRY(add_text(doc, to, "codecs", o->codecs, err));
	ZINC_TRY(add_text(doc, to, "dtype", o->dtype, err));
	if (o->convert != 0)
		ZINC_TRY(zinc_json_set(doc, to, "convert", zinc_json_make_u64(doc, (unsigned)o->convert), err));
	ZINC_TRY(add_text(doc, to, "select", o->select, err));
	ZINC_TRY(add_text(doc, to, "key_encoding", o->key_encoding, err));
	ZINC_TRY(add_patterns(c, doc, to, err));
	if (o->nparts > 0)
		ZINC_TRY(zinc_json_set(doc, to, "parts", zinc_json_make_u64(doc, (unsigned)o->nparts), err));
	ZINC_TRY(add_text(doc, to, "for_xarray", o->for_xarray ? "yes" : NULL, err));
	return add_text(doc, to, "lossy", o->lossy ? "yes" : NULL, err);
}

/* Where both keys are: at the root of the hierarchy, or where the data of the node will be. */
static zinc_status
name_key(const zinc_cp *c, zinc_buf *b, const char *name, zinc_error *err)
{
	if (c->to_path[1] == '\0')
		ZINC_TRY(zinc_buf_puts(b, c->to->prefix, err));
	else
		ZINC_TRY(zinc_data_prefix(c->to, c->to_path, b, err));
	ZINC_TRY(zinc_buf_puts(b, name, err));
	return zinc_buf_text(b) ? ZINC_OK : zinc_fail_nomem(err);
}

zinc_status
zinc_cp_journal_init(zinc_cp *c, zinc_error *err)
{
	zinc_json_doc *doc;
	zinc_json *root;
	zinc_status st;

	ZINC_TRY(name_key(c, &c->journal_key, ZINC_CP_JOURNAL, err));
	ZINC_TRY(name_key(c, &c->middle, ZINC_CP_PASS_NAME "/", err));
	ZINC_TRY(zinc_json_new(&doc, c->ctx, err));
	root = zinc_json_make(doc, ZINC_JSON_OBJECT);
	st = add_options(c, doc, root, err);
	if (st == ZINC_OK)
		st = zinc_json_print_line(root, &c->options, err);
	if (st == ZINC_OK && !zinc_buf_text(&c->options))
		st = zinc_fail_nomem(err);
	zinc_json_free(doc);
	return st;
}

/* ---- writing ---- */

zinc_status
zinc_cp_journal_print(const zinc_cp *c, const char *more, uint64_t number, zinc_buf *out, zinc_error *err)
{
	const char *url = c->from->url;

	ZINC_TRY(zinc_buf_printf(out, err, "{\"zinc_cp\": %u, \"source\": ", VERSION));
	ZINC_TRY(zinc_json_print_string(url, strlen(url), out, err));
	ZINC_TRY(zinc_buf_puts(out, ", \"path\": ", err));
	ZINC_TRY(zinc_json_print_string(c->from_path, strlen(c->from_path), out, err));
	ZINC_TRY(zinc_buf_printf(out, err, ", \"state\": \"%016llx\", \"options\": %s, \"max_memory\": %llu",
				 (unsigned long long)c->state, (const char *)c->options.p,
				 (unsigned long long)c->o.max_memory));
	ZINC_TRY(zinc_buf_printf(out, err, ", \"plan\": \"%016llx\", \"steps\": %llu, \"done\": %llu",
				 (unsigned long long)c->plan, (unsigned long long)c->steps,
				 (unsigned long long)c->done));
	if (more)
		ZINC_TRY(zinc_buf_printf(out, err, ", \"%s\": %llu", more, (unsigned long long)number));
	return zinc_buf_puts(out, "}\n", err);
}

static zinc_status
put(zinc_cp *c, const zinc_condition *when, zinc_error *err)
{
	const char *key = (const char *)c->journal_key.p;
	zinc_status st;
	zinc_buf text;

	zinc_buf_init(&text, c->ctx, zinc_max_document(c->ctx));
	st = zinc_cp_journal_print(c, NULL, 0, &text, err);
	if (st == ZINC_OK)
		st = zinc_store_put(c->to->store, NULL, key, text.p, text.n, when, c->to->put_flags, NULL, c->to->wait,
				    err);
	zinc_buf_fini(&text);
	c->saved = zinc_now(c->ctx);
	c->saved_bytes = c->n.bytes;
	return st == ZINC_OK ? st : zinc_error_at_key(err, st, key);
}

static bool
has_journal(const zinc_cp *c)
{
	zinc_caps caps = ZINC_CAPS_INIT;

	zinc_store_caps(c->to->store, &caps);
	return caps.flags & ZINC_CAP_ERASE;
}

zinc_status
zinc_cp_journal_begin(zinc_cp *c, zinc_error *err)
{
	static const zinc_condition absent = {ZINC_ABSENT, NULL};
	const zinc_status st = has_journal(c) ? put(c, &absent, err) : ZINC_OK;

	return st == ZINC_E_EXISTS ? zinc_fail(err, st, "another copy to this place is running") : st;
}

/* Often enough that little must be repeated, and rarely enough that the cost is negligible. */
zinc_status
zinc_cp_journal_save(zinc_cp *c, bool now, zinc_error *err)
{
	if (!now && c->n.bytes - c->saved_bytes < 64 * ZINC_MIB && zinc_now(c->ctx) - c->saved < 0.25)
		return ZINC_OK;
	if (!has_journal(c))
		return ZINC_OK;
	return zinc_cp_divided(c) ? zinc_cp_part_save(c, err) : put(c, NULL, err);
}

zinc_status
zinc_cp_journal_end(zinc_cp *c, zinc_error *err)
{
	const char *key = (const char *)c->journal_key.p;
	zinc_status st;

	if (!has_journal(c))
		return ZINC_OK;
	st = zinc_store_del(c->to->store, NULL, key, NULL, c->to->put_flags, c->to->wait, err);
	return st == ZINC_OK ? st : zinc_error_at_key(err, st, key);
}

/* ---- reading ---- */

static zinc_status
refuse(const zinc_cp *c, zinc_error *err, const char *what)
{
	return zinc_fail(err, ZINC_E_CONFLICT, "the target has an interrupted copy %s; %s", what,
			 zinc_cp_divided(c) ? "part 1 can overwrite it" : "overwrite it instead");
}

/* Promise (2). */
static zinc_status
check(const zinc_cp *c, const zinc_json *root, zinc_error *err)
{
	const zinc_json *options = zinc_json_member(root, "options");
	zinc_json_doc *mine;
	char state[20];
	bool same;

	snprintf(state, sizeof state, "%016llx", (unsigned long long)c->state);
	if (!zinc_json_is_string(zinc_json_member(root, "source"), c->from->url) ||
	    !zinc_json_is_string(zinc_json_member(root, "path"), c->from_path))
		return refuse(c, err, "with another source");
	ZINC_TRY(zinc_json_parse(&mine, c->ctx, (const char *)c->options.p, c->options.n, 0, err));
	same = options && zinc_json_equal(options, zinc_json_root(mine));
	zinc_json_free(mine);
	if (!same)
		return refuse(c, err, "with other options");
	if (!zinc_json_is_string(zinc_json_member(root, "state"), state))
		return refuse(c, err, "with a source that has changed");
	return ZINC_OK;
}

/* The plan does not exist yet: the memory limit has just been read. */
static bool
take_plan(zinc_cp *c, const zinc_json *v)
{
	if (!zinc_json_is(v, ZINC_JSON_STRING) || strlen(v->text) != sizeof c->journal_plan - 1)
		return false;
	memcpy(c->journal_plan, v->text, sizeof c->journal_plan);
	return true;
}

bool
zinc_cp_journal_fits(const zinc_cp *c)
{
	char plan[sizeof c->journal_plan];

	snprintf(plan, sizeof plan, "%016llx", (unsigned long long)c->plan);
	return c->journal_steps == c->steps && strcmp(c->journal_plan, plan) == 0;
}

zinc_status
zinc_cp_journal_parse(zinc_cp *c, const zinc_blob *text, zinc_json_doc **out, zinc_error *err)
{
	zinc_json_doc *doc;
	zinc_error e = ZINC_ERROR_INIT;
	zinc_status st = zinc_json_parse(&doc, c->ctx, text->data, text->nbytes, 0, &e);
	const zinc_json *root;
	uint64_t version = 0;

	if (st == ZINC_E_CORRUPT)
		return zinc_fail(err, st, "the journal of an interrupted copy is damaged: %.200s", e.text);
	if (st != ZINC_OK)
		return zinc_error_copy(err, &e);
	root = zinc_json_root(doc);
	if (zinc_json_u64(zinc_json_member(root, "zinc_cp"), &version) && version != VERSION)
		st = refuse(c, err, "by another version of Zinc");
	else if (version != VERSION || !zinc_json_u64(zinc_json_member(root, "done"), &c->done) ||
		 !zinc_json_u64(zinc_json_member(root, "steps"), &c->journal_steps) ||
		 !zinc_json_u64(zinc_json_member(root, "max_memory"), &c->o.max_memory) ||
		 !take_plan(c, zinc_json_member(root, "plan")) || c->done > c->journal_steps)
		st = zinc_fail(err, ZINC_E_CORRUPT, "the journal of an interrupted copy is damaged");
	if (st == ZINC_OK)
		st = check(c, root, err);
	if (st == ZINC_OK)
		*out = doc;
	else
		zinc_json_free(doc);
	return st;
}

/* Parse it, unless it is not needed, or of a copy that this part erases: then *found is false. */
static zinc_status
take_journal(zinc_cp *c, const zinc_blob *text, bool *found, zinc_error *err)
{
	const uint64_t memory = c->o.max_memory;
	zinc_error e = ZINC_ERROR_INIT;
	zinc_json_doc *doc = NULL;
	zinc_status st;

	if (!c->o.resume && !zinc_cp_divided(c))
		return ZINC_OK;
	st = zinc_cp_journal_parse(c, text, &doc, &e);
	zinc_json_free(doc);
	if ((st == ZINC_E_CONFLICT || st == ZINC_E_CORRUPT) && zinc_cp_part_erases(c)) {
		*found = false;
		c->o.max_memory = memory;
		c->done = 0;
		return ZINC_OK;
	}
	return st == ZINC_OK ? st : zinc_error_copy(err, &e);
}

zinc_status
zinc_cp_journal_read(zinc_cp *c, bool *found, zinc_error *err)
{
	const char *key = (const char *)c->journal_key.p;
	zinc_blob text = ZINC_BLOB_INIT;
	zinc_error e = ZINC_ERROR_INIT;
	zinc_status st = zinc_store_get_all(c->to->store, key, &text, NULL, c->ctx->limits.json_bytes, c->to->wait, &e);

	*found = st == ZINC_OK;
	if (st == ZINC_E_NOTFOUND)
		return ZINC_OK;
	if (st != ZINC_OK)
		zinc_error_copy(err, &e);
	else
		st = take_journal(c, &text, found, err);
	zinc_blob_fini(&text);
	return st == ZINC_OK ? st : zinc_error_at_key(err, st, key);
}
