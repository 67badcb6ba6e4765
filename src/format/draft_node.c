/*
 * draft_node.c - reading, creating and editing one node of a draft
 *
 * Promises:
 *
 * (1) A node is looked for in the order of the drafts: the array's document, the group's, then anything below, which
 *     makes it a group without a document.  The root of a hierarchy is always there.
 * (2) Creating is one conditional put; ancestors need no documents, but none may be an array.
 * (3) Editing a group without a document gives it one.  Members that an edit does not touch stay as they were spelled,
 *     URIs of newer versions too.
 * (4) Consolidated metadata of zarr-python goes before a change, and again behind it: nobody reads what was.
 */
#include "format/draft.h"

/* ---- bytes of documents ---- */

zinc_status
zinc_draft_parse_stored(const zinc_hierarchy *h, const void *bytes, size_t n, zinc_node_kind kind, zinc_report *r,
			zinc_meta **out, zinc_error *err)
{
	zinc_status s;
	zinc_buf json;

	if (!h->entry->encoding)
		return zinc_draft_parse_text(h->ctx, h->format->draft, bytes, n, kind, r, out, err);
	zinc_buf_init(&json, h->ctx, h->ctx->limits.json_bytes);
	s = zinc_metadata_decode(h->entry->encoding, (zinc_bytes){bytes, n}, &json, err);
	if (s == ZINC_OK)
		s = zinc_draft_parse_text(h->ctx, h->format->draft, (const char *)json.p, json.n, kind, r, out, err);
	zinc_buf_fini(&json);
	return s;
}

/* JSON text, appended -> the bytes to store. */
static zinc_status
encode(const zinc_hierarchy *h, zinc_buf *text, zinc_error *err)
{
	zinc_status s;
	zinc_buf stored;

	if (!h->entry->encoding)
		return ZINC_OK;
	zinc_buf_init(&stored, h->ctx, h->ctx->limits.json_bytes);
	s = zinc_metadata_encode(h->entry->encoding, (zinc_bytes){text->p, text->n}, &stored, err);
	if (s == ZINC_OK) {
		zinc_buf_fini(text);
		*text = stored;
		return ZINC_OK;
	}
	zinc_buf_fini(&stored);
	return s;
}

/* ---- reading ---- */

/* The document under one of a node's keys; *out NULL: it is not there. */
static zinc_status
read_key(zinc_hierarchy *h, const char *path, zinc_node_kind kind, zinc_report *r, zinc_meta **out, zinc_error *err)
{
	zinc_blob text = ZINC_BLOB_INIT;
	const char *where = r->where;
	zinc_tag tag = {.n = 0};
	zinc_error e = ZINC_ERROR_INIT;
	zinc_status s;
	zinc_buf key;

	*out = NULL;
	zinc_buf_init(&key, h->ctx, ZINC_MAX_KEY);
	s = zinc_node_key(h, path, kind, &key, &e);
	if (s == ZINC_OK)
		s = zinc_buf_text(&key)
			? zinc_store_get_all(h->store, zinc_buf_text(&key), &text, &tag, h->ctx->limits.json_bytes, &e)
			: zinc_fail_nomem(&e);
	if (s == ZINC_OK) {
		r->where = zinc_buf_text(&key);
		s = zinc_draft_parse_stored(h, text.data, text.nbytes, kind, r, out, &e);
		r->where = where;
	}
	if (s == ZINC_OK) {
		(*out)->tag = tag;
	} else if (s != ZINC_E_NOTFOUND) {
		zinc_error_copy(err, &e);
		zinc_error_at_key(err, s, zinc_buf_text(&key) ? zinc_buf_text(&key) : "");
	}
	zinc_blob_fini(&text);
	zinc_buf_fini(&key);
	return s == ZINC_E_NOTFOUND ? ZINC_OK : s;
}

static int
stop_at_first(void *arg, const char *entry, int is_prefix)
{
	(void)entry, (void)is_prefix;
	*(bool *)arg = true;
	return 1;
}

/* Is anything below?  The root needs nothing. */
static zinc_status
has_descendants(zinc_hierarchy *h, const char *path, bool *yes, zinc_error *err)
{
	zinc_status s;
	zinc_buf prefix;

	*yes = path[1] == '\0';
	if (*yes)
		return ZINC_OK;
	zinc_buf_init(&prefix, h->ctx, ZINC_MAX_KEY);
	s = zinc_node_prefix(h, path, &prefix, err);
	if (s == ZINC_OK)
		s = zinc_buf_text(&prefix)
			? zinc_store_list_dir(h->store, zinc_buf_text(&prefix), stop_at_first, yes, err)
			: zinc_fail_nomem(err);
	zinc_buf_fini(&prefix);
	return s;
}

static zinc_status
make_implicit(zinc_hierarchy *h, zinc_meta **out, zinc_error *err)
{
	const char *text = h->format->draft->group;
	zinc_report r;

	zinc_report_init_quiet(&r, h->ctx, false);
	ZINC_TRY(zinc_draft_parse_text(h->ctx, h->format->draft, text, strlen(text), ZINC_NODE_GROUP, &r, out, err));
	(*out)->implicit = true;
	return ZINC_OK;
}

/* Whoever collects findings hears of a group beside the array, which the drafts let nobody look for. */
static zinc_status
look_for_two(zinc_hierarchy *h, const char *path, zinc_report *r, zinc_error *err)
{
	zinc_meta *group = NULL;
	zinc_report quiet;

	zinc_report_init_quiet(&quiet, h->ctx, false);
	if (!r->found || read_key(h, path, ZINC_NODE_GROUP, &quiet, &group, NULL) != ZINC_OK || !group)
		return ZINC_OK;
	zinc_meta_free(group);
	return zinc_report_lenient(r, h->format->draft->rules[ZINC_DRAFT_TWO], err,
				   "a group is at the same path, and not read: the array wins");
}

static zinc_status
read_node(zinc_hierarchy *h, const char *path, zinc_report *r, zinc_meta **out, zinc_error *err)
{
	bool yes;

	ZINC_TRY(read_key(h, path, ZINC_NODE_ARRAY, r, out, err));
	if (*out) {
		const zinc_status s = look_for_two(h, path, r, err);

		if (s == ZINC_OK)
			return s;
		zinc_meta_free(*out);
		*out = NULL;
		return s;
	}
	if (!*out)
		ZINC_TRY(read_key(h, path, ZINC_NODE_GROUP, r, out, err));
	if (*out)
		return ZINC_OK;
	ZINC_TRY(has_descendants(h, path, &yes, err));
	return yes ? make_implicit(h, out, err) : zinc_fail(err, ZINC_E_NOTFOUND, "no node is there");
}

zinc_status
zinc_draft_read_node(zinc_hierarchy *h, const char *path, zinc_report *r, zinc_meta **out, zinc_error *err)
{
	zinc_status s = read_node(h, path, r, out, err);

	if (s == ZINC_OK) {
		s = zinc_draft_find_scalar(h, path, *out, err);
		if (s != ZINC_OK) {
			zinc_meta_free(*out);
			*out = NULL;
		}
	}
	if (s == ZINC_E_NOTFOUND)
		zinc_error_at_key(err, s, path[1] ? path + 1 : "");
	return s == ZINC_OK ? s : zinc_error_at_url(err, s, h->url);
}

/* ---- writing ---- */

/* Text files end with a newline, and people will open these in an editor. */
zinc_status
zinc_draft_print(const zinc_meta *m, zinc_buf *out, zinc_error *err)
{
	ZINC_TRY(zinc_json_print(zinc_json_root(m->doc), out, err));
	return zinc_buf_puts(out, "\n", err);
}

/* Groups above need no document. */
zinc_status
zinc_draft_prepare(zinc_hierarchy *h, const char *path, bool create, zinc_error *err)
{
	ZINC_TRY(zinc_hierarchy_writable(h, err));
	if (create)
		ZINC_TRY(zinc_draft_check_above(h, path, err));
	return zinc_draft_drop_copies(h, err);
}

zinc_status
zinc_draft_settle(zinc_hierarchy *h, const char *path, zinc_error *err)
{
	const zinc_status s = zinc_draft_drop_copies(h, err);

	(void)path;
	return s == ZINC_OK ? s : zinc_error_at_url(err, s, h->url);
}

/* The end of a change whose put ended with `s`; an uncertain one may have happened. */
static zinc_status
settle_change(zinc_hierarchy *h, const char *path, const char *key, zinc_status s, zinc_error *err)
{
	if (s == ZINC_OK)
		return zinc_draft_settle(h, path, err);
	if (s == ZINC_E_UNCERTAIN)
		(void)!zinc_draft_settle(h, path, NULL);
	return zinc_error_at_key(err, s, key);
}

zinc_status
zinc_draft_write_node(zinc_hierarchy *h, const char *path, const zinc_meta *m, const zinc_condition *when,
		      zinc_tag *tag, zinc_error *err)
{
	zinc_buf key, text;
	zinc_status s;

	ZINC_TRY(zinc_draft_prepare(h, path, true, err));
	ZINC_TRY(zinc_draft_check_beside(h, path, m->kind, err));
	zinc_buf_init(&key, h->ctx, ZINC_MAX_KEY);
	zinc_buf_init(&text, h->ctx, zinc_max_document(h->ctx));
	s = zinc_node_key(h, path, m->kind, &key, err);
	if (s == ZINC_OK)
		s = zinc_draft_print(m, &text, err);
	if (s == ZINC_OK)
		s = encode(h, &text, err);
	if (s == ZINC_OK && !zinc_buf_text(&key))
		s = zinc_fail_nomem(err);
	if (s == ZINC_OK) {
		s = zinc_store_put(h->store, NULL, zinc_buf_text(&key), text.p, text.n, when, h->put_flags, tag, err);
		if (s == ZINC_E_EXISTS)
			zinc_fail(err, s, "a node is already there");
		s = settle_change(h, path, zinc_buf_text(&key), s, err);
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
	zinc_node_kind kind;
	bool implicit;   /* there is no document yet */
	zinc_buf text;   /* the document as it will be put */
	zinc_meta *meta; /* and what it means */
};

/* What is wrong with the stored document is not the editor's fault; one that must not be opened is not edited. */
static zinc_status
check_stored(const struct edit *e, const void *text, size_t n, zinc_error *err)
{
	zinc_status s = ZINC_OK;
	zinc_report r;
	zinc_meta *m;

	zinc_report_init_quiet(&r, e->h->ctx, e->h->strict);
	ZINC_TRY(zinc_draft_parse_stored(e->h, text, n, e->kind, &r, &m, err));
	if (m->closed)
		s = zinc_meta_refuse(m, err);
	zinc_meta_free(m);
	return s;
}

/* The stored bytes, or those of a group that has none -> a document to be changed. */
static zinc_status
parse_old(struct edit *e, const void *old, size_t nold, zinc_json_doc **doc, zinc_error *err)
{
	const char *empty = e->h->format->draft->group;
	zinc_status s;
	zinc_buf json;

	if (!old || !e->h->entry->encoding)
		return zinc_json_parse(doc, e->h->ctx, old ? old : empty, old ? nold : strlen(empty),
				       ZINC_JSON_NAN_TOKENS, err);
	zinc_buf_init(&json, e->h->ctx, e->h->ctx->limits.json_bytes);
	s = zinc_metadata_decode(e->h->entry->encoding, (zinc_bytes){old, nold}, &json, err);
	if (s == ZINC_OK)
		s = zinc_json_parse(doc, e->h->ctx, (const char *)json.p, json.n, ZINC_JSON_NAN_TOKENS, err);
	zinc_buf_fini(&json);
	return s;
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
	if (s == ZINC_OK)
		s = encode(e->h, &e->text, err);
	if (s != ZINC_OK) {
		zinc_json_free(doc);
		return s;
	}
	zinc_report_init_quiet(&r, e->h->ctx, e->h->strict);
	r.fallback = e->h->fallback;
	r.code = ZINC_E_INVALID;
	return zinc_draft_parse_doc(e->h->ctx, e->h->format->draft, doc, e->kind, &r, &e->meta, err);
}

/* Every attempt starts from the bytes that are stored now, so that nobody's edit is lost. */
static zinc_status
edit_update(void *arg, const void *old, size_t nold, zinc_update *out, zinc_error *err)
{
	struct edit *e = arg;
	zinc_json_doc *doc;

	if (!old && !e->implicit)
		return zinc_fail(err, ZINC_E_NOTFOUND, "no node is there");
	if (old)
		ZINC_TRY(check_stored(e, old, nold, err));
	ZINC_TRY(parse_old(e, old, nold, &doc, err));
	ZINC_TRY(edit_doc(e, doc, err));
	out->bytes = e->text.p;
	out->nbytes = e->text.n;
	out->keep = old && e->text.n == nold && memcmp(e->text.p, old, nold) == 0;
	return ZINC_OK;
}

/* Which of the node's documents, if it has one. */
static zinc_status
find_kind(struct edit *e, const char *path, zinc_error *err)
{
	zinc_report r;
	zinc_meta *m;

	zinc_report_init_quiet(&r, e->h->ctx, e->h->strict);
	ZINC_TRY(read_node(e->h, path, &r, &m, err));
	e->kind = m->kind;
	e->implicit = m->implicit;
	zinc_meta_free(m);
	return ZINC_OK;
}

static zinc_status
edit_key(struct edit *e, const char *path, zinc_buf *key, zinc_error *err)
{
	zinc_status s;

	ZINC_TRY(zinc_hierarchy_writable(e->h, err));
	ZINC_TRY(find_kind(e, path, err));
	ZINC_TRY(zinc_draft_prepare(e->h, path, false, err));
	ZINC_TRY(zinc_node_key(e->h, path, e->kind, key, err));
	if (!zinc_buf_text(key))
		return zinc_fail_nomem(err);
	s = zinc_store_update(e->h->store, zinc_buf_text(key), edit_update, e, 0, e->h->put_flags, err);
	return settle_change(e->h, path, zinc_buf_text(key), s, err);
}

zinc_status
zinc_draft_edit_node(zinc_hierarchy *h, const char *path,
		     zinc_status (*edit)(void *arg, zinc_json_doc *doc, zinc_error *err), void *arg, zinc_meta **out,
		     zinc_error *err)
{
	struct edit e = {.h = h, .fn = edit, .arg = arg};
	zinc_status s;
	zinc_buf key;

	zinc_buf_init(&key, h->ctx, ZINC_MAX_KEY);
	zinc_buf_init(&e.text, h->ctx, zinc_max_document(h->ctx));
	s = edit_key(&e, path, &key, err);
	if (s == ZINC_OK && out) {
		*out = e.meta;
		e.meta = NULL;
	}
	zinc_meta_free(e.meta);
	zinc_buf_fini(&e.text);
	zinc_buf_fini(&key);
	return s == ZINC_OK ? s : zinc_error_at_url(err, s, h->url);
}
