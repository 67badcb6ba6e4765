/*
 * format_v3_write.c - creating, editing and erasing nodes of the final version 3
 *
 * Promises:
 *
 * (1) Creating a node leaves a group document at every ancestor (M37).  A group that is there stays
 *     as it is; an array there is refused.
 * (2) Creation is one conditional put: of several creators one succeeds, the others hear E_EXISTS.
 * (3) Edits of one document exclude each other, and keep members and numbers they do not touch as
 *     they were spelled.  A document that would not be valid afterwards is not put.
 * (4) Erasing takes documents before data: whenever it stops, no array is left with some of its
 *     chunks.  Erasing again finishes.
 * (5) Consolidated metadata above a change is dropped before it, and again if it came back
 *     meanwhile.  The consolidator puts, then looks whether anything moved.  Whichever is later sees the
 *     other; so a stale copy never stays.
 */
#include "format/format_v3.h"

/* ---- ancestors and consolidated metadata ---- */

/* Does this document carry consolidated metadata?  A damaged one has none that anybody would use. */
static zinc_status
is_consolidated(zinc_context *ctx, const zinc_fetched *doc, bool *yes, zinc_error *err)
{
	zinc_json_doc *json;
	zinc_status s;

	*yes = false;
	s = zinc_json_parse(&json, ctx, doc->text, doc->n, ZINC_V3_JSON, NULL);
	if (s != ZINC_OK)
		return s == ZINC_E_NOMEM ? zinc_fail_nomem(err) : ZINC_OK;
	*yes = zinc_v3_consolidated(zinc_json_root(json)) != NULL;
	zinc_json_free(json);
	return ZINC_OK;
}

/* May nodes be made below this document? */
static zinc_status
check_parent(zinc_hierarchy *h, const char *text, size_t n, zinc_error *err)
{
	zinc_report r;
	zinc_meta *m;
	zinc_status s = ZINC_OK;

	zinc_report_init_quiet(&r, h->ctx, h->strict);
	ZINC_TRY(zinc_v3_parse(h->format, h->ctx, text, n, &r, &m, err));
	if (m->kind == ZINC_NODE_ARRAY)
		s = zinc_fail_rule(err, ZINC_E_INVALID, "M28", "an array is there, and arrays have no children");
	else if (m->unsupported)
		s = zinc_meta_refuse(m, err);
	zinc_meta_free(m);
	return s;
}

/* For a document that somebody else has just put. */
static zinc_status
check_parent_at(zinc_hierarchy *h, const char *key, zinc_error *err)
{
	zinc_blob text = ZINC_BLOB_INIT;
	zinc_status s;

	ZINC_TRY(zinc_store_get_all(h->store, key, &text, NULL, h->ctx->limits.json_bytes, err));
	s = check_parent(h, text.data, text.nbytes, err);
	zinc_blob_fini(&text);
	return s;
}

/* Empty, but complete: an explicit group (M25). */
static zinc_status
put_group(zinc_hierarchy *h, const char *key, zinc_error *err)
{
	static const zinc_condition absent = {ZINC_ABSENT, NULL};
	zinc_error e = ZINC_ERROR_INIT;
	zinc_json_doc *doc;
	zinc_status s;
	zinc_buf text;

	ZINC_TRY(zinc_document_build_group(&doc, h->ctx, NULL, err));
	zinc_buf_init(&text, h->ctx, zinc_max_document(h->ctx));
	s = zinc_json_print(zinc_json_root(doc), &text, &e);
	if (s == ZINC_OK)
		s = zinc_buf_puts(&text, "\n", &e);
	if (s == ZINC_OK)
		s = zinc_store_put(h->store, NULL, key, text.p, text.n, &absent, h->put_flags, NULL, &e);
	/* somebody else was quicker: any group will do */
	s = s == ZINC_E_EXISTS ? check_parent_at(h, key, err) : zinc_error_copy(err, &e);
	zinc_buf_fini(&text);
	zinc_json_free(doc);
	return s;
}

/* One ancestor, before (`create` as in prepare) or after the change. */
static zinc_status
prepare_one(zinc_hierarchy *h, const zinc_fetched *doc, const char *key, bool create, zinc_error *err)
{
	bool consolidated;

	ZINC_TRY(zinc_fetched_status(doc, key, err));
	if (doc->found != ZINC_FOUND)
		return create ? put_group(h, key, err) : ZINC_OK;
	if (create)
		ZINC_TRY(check_parent(h, doc->text, doc->n, err));
	ZINC_TRY(is_consolidated(h->ctx, doc, &consolidated, err));
	return consolidated ? zinc_v3_consolidated_drop(h, key, err) : ZINC_OK;
}

/* One batched get of all ancestors; most often nothing is to be done about them. */
static zinc_status
prepare_line(zinc_hierarchy *h, const char *path, bool create, zinc_error *err)
{
	zinc_line line;
	zinc_status s;
	size_t i;

	ZINC_TRY(zinc_line_get(&line, h, path, ZINC_LINE_ABOVE, ZINC_PART_COPIES, err));
	for (i = 0, s = ZINC_OK; i < line.n && s == ZINC_OK; i++) { /* from the root down: a parent before its child */
		s = prepare_one(h, &line.docs[i], line.keys[i], create, err);
		if (s != ZINC_OK)
			zinc_error_at_key(err, s, line.keys[i]);
	}
	zinc_line_fini(&line);
	return s;
}

zinc_status
zinc_v3_prepare(zinc_hierarchy *h, const char *path, bool create, zinc_error *err)
{
	zinc_status s;

	ZINC_TRY(zinc_hierarchy_writable(h, err));
	s = prepare_line(h, path, create, err);
	return s == ZINC_OK ? s : zinc_error_at_url(err, s, h->url);
}

zinc_status
zinc_v3_check_above(zinc_hierarchy *h, const char *path, zinc_error *err)
{
	zinc_line line;
	zinc_status s;
	size_t i;

	ZINC_TRY(zinc_line_get(&line, h, path, ZINC_LINE_ABOVE, ZINC_PART_COPIES, err));
	for (i = 0, s = ZINC_OK; i < line.n && s == ZINC_OK; i++) {
		s = zinc_fetched_status(&line.docs[i], line.keys[i], err);
		if (s == ZINC_OK && line.docs[i].found == ZINC_FOUND)
			s = zinc_error_at_key(err, check_parent(h, line.docs[i].text, line.docs[i].n, err), line.keys[i]);
	}
	zinc_line_fini(&line);
	return s == ZINC_OK ? s : zinc_error_at_url(err, s, h->url);
}

/* The same look as before the change, at the same ancestors. */
zinc_status
zinc_v3_settle(zinc_hierarchy *h, const char *path, zinc_error *err)
{
	const zinc_status s = prepare_line(h, path, false, err);

	return s == ZINC_OK ? s : zinc_error_at_url(err, s, h->url);
}

/* ---- creating ---- */

/* Key and text are made first, so that no memory can be missing once the store has been changed. */
zinc_status
zinc_v3_write_node(zinc_hierarchy *h, const char *path, const zinc_meta *m, const zinc_condition *when, zinc_tag *tag,
		   zinc_error *err)
{
	zinc_buf key, text;
	zinc_status s;

	zinc_buf_init(&key, h->ctx, ZINC_MAX_KEY);
	zinc_buf_init(&text, h->ctx, zinc_max_document(h->ctx));
	s = zinc_node_key(h, path, m->kind, &key, err);
	if (s == ZINC_OK)
		s = m->format->print(m, &text, err);
	if (s == ZINC_OK && !zinc_buf_text(&key))
		s = zinc_fail_nomem(err);
	if (s == ZINC_OK)
		s = zinc_v3_prepare(h, path, true, err);
	if (s == ZINC_OK) {
		s = zinc_store_put(h->store, NULL, zinc_buf_text(&key), text.p, text.n, when, h->put_flags, tag, err);
		if (s == ZINC_E_EXISTS)
			zinc_fail(err, s, "a node is already there");
		if (s == ZINC_E_UNCERTAIN) /* then it may be there, and a copy of its absence must not stay */
			(void)zinc_v3_settle(h, path, NULL);
		if (s == ZINC_OK)
			s = zinc_v3_settle(h, path, err);
		else
			zinc_error_at_key(err, s, zinc_buf_text(&key));
	}
	zinc_buf_fini(&text);
	zinc_buf_fini(&key);
	return s == ZINC_OK ? s : zinc_error_at_url(err, s, h->url);
}

/* ---- editing ---- */

struct edit {
	zinc_hierarchy *h;
	zinc_status (*fn)(void *arg, zinc_json_doc *doc, zinc_error *err);
	void *arg;
	zinc_buf text;   /* the document as it will be put */
	zinc_meta *meta; /* and what it means */
};

/* Is the stored document one that may be edited?  What is wrong with it is not the editor's fault. */
static zinc_status
check_stored(zinc_hierarchy *h, const void *text, size_t n, zinc_error *err)
{
	zinc_report r;
	zinc_meta *m;

	zinc_report_init_quiet(&r, h->ctx, h->strict);
	ZINC_TRY(zinc_v3_parse(h->format, h->ctx, text, n, &r, &m, err));
	zinc_meta_free(m);
	return ZINC_OK;
}

/* Change and print `doc`; then it becomes e->meta, or is freed. */
static zinc_status
edit_doc(struct edit *e, zinc_json_doc *doc, zinc_error *err)
{
	zinc_report r;
	zinc_status s;

	zinc_meta_free(e->meta);
	e->meta = NULL;
	zinc_buf_end(&e->text, 0);
	s = e->fn(e->arg, doc, err);
	if (s == ZINC_OK)
		s = zinc_json_print(zinc_json_root(doc), &e->text, err);
	if (s == ZINC_OK)
		s = zinc_buf_puts(&e->text, "\n", err);
	if (s != ZINC_OK) {
		zinc_json_free(doc);
		return s;
	}
	zinc_report_init_quiet(&r, e->h->ctx, e->h->strict);
	r.code = ZINC_E_INVALID;
	return zinc_v3_parse_doc(e->h->ctx, doc, &r, &e->meta, err);
}

/* Every attempt starts from the bytes that are stored now, so that nobody's edit is lost. */
static zinc_status
edit_update(void *arg, const void *old, size_t nold, zinc_update *out, zinc_error *err)
{
	struct edit *e = arg;
	zinc_json_doc *doc;

	if (!old)
		return zinc_fail(err, ZINC_E_NOTFOUND, "no node is there");
	ZINC_TRY(check_stored(e->h, old, nold, err));
	ZINC_TRY(zinc_json_parse(&doc, e->h->ctx, old, nold, ZINC_JSON_NAN_TOKENS, err)); /* duplicates end here */
	ZINC_TRY(edit_doc(e, doc, err));
	out->bytes = e->text.p;
	out->nbytes = e->text.n;
	out->keep = e->text.n == nold && memcmp(e->text.p, old, nold) == 0;
	return ZINC_OK;
}

/* An uncertain put may have happened: then consolidated metadata must go as if it had. */
static zinc_status
edit_key(struct edit *e, const char *path, const char *key, zinc_error *err)
{
	zinc_hierarchy *h = e->h;
	zinc_status s;

	ZINC_TRY(zinc_v3_prepare(h, path, false, err));
	s = zinc_store_update(h->store, key, edit_update, e, 0, h->put_flags, err);
	if (s == ZINC_E_UNCERTAIN)
		(void)zinc_v3_settle(h, path, NULL);
	if (s != ZINC_OK) {
		zinc_error_at_key(err, s, key);
		return zinc_error_at_url(err, s, h->url);
	}
	return zinc_v3_settle(h, path, err);
}

zinc_status
zinc_v3_edit_node(zinc_hierarchy *h, const char *path,
		  zinc_status (*edit)(void *arg, zinc_json_doc *doc, zinc_error *err), void *arg, zinc_meta **out,
		  zinc_error *err)
{
	struct edit e = {.h = h, .fn = edit, .arg = arg};
	zinc_status s;
	zinc_buf key;

	zinc_buf_init(&key, h->ctx, ZINC_MAX_KEY);
	zinc_buf_init(&e.text, h->ctx, zinc_max_document(h->ctx));
	s = zinc_node_key(h, path, ZINC_NODE_NONE, &key, err);
	if (s == ZINC_OK)
		s = zinc_buf_text(&key) ? edit_key(&e, path, zinc_buf_text(&key), err) : zinc_fail_nomem(err);
	if (s == ZINC_OK && out) {
		*out = e.meta;
		e.meta = NULL;
	}
	zinc_meta_free(e.meta);
	zinc_buf_fini(&e.text);
	zinc_buf_fini(&key);
	return s;
}

/* ---- erasing ---- */
