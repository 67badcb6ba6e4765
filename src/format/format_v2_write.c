/*
 * format_v2_write.c - creating and editing nodes of version 2
 *
 * Promises:
 *
 * (1) Creating a node leaves .zgroup at every ancestor.  A group that is there stays as it is; an array there is
 *     refused.
 * (2) Creation is one conditional put of .zarray or .zgroup, then one of .zattrs: of several creators one succeeds,
 *     and its attributes stay.  An array and a group created at one path at the same time never both stay.
 * (3) An edit puts the document that it changes and no other, under the store's exclusion; members, numbers and NaN
 *     tokens that it does not touch stay as they were spelled.
 * (4) .zmetadata at the node and above is dropped before a change, and again if it came back meanwhile.
 */
#include "format/format_v2.h"

/* ---- texts ---- */

/* Text files end with a newline, and people will open these in an editor. */
static zinc_status
print_text(const zinc_json *v, zinc_buf *out, zinc_error *err)
{
	ZINC_TRY(zinc_json_print(v, out, err));
	return zinc_buf_puts(out, "\n", err);
}

zinc_status
zinc_v2_print_node(const zinc_json *root, zinc_buf *out, zinc_error *err)
{
	zinc_json_doc *doc;
	zinc_json *copy;
	zinc_status s;

	ZINC_TRY(zinc_json_new(&doc, out->ctx, err));
	copy = zinc_json_copy(doc, root);
	(void)zinc_json_remove(copy, ZINC_V2_MEMBER);
	s = copy ? print_text(copy, out, err) : zinc_fail_nomem(err);
	zinc_json_free(doc);
	return s;
}

zinc_status
zinc_v2_print_attributes(const zinc_json *root, zinc_buf *out, zinc_error *err)
{
	const zinc_json *v = zinc_json_member(root, ZINC_V2_MEMBER);

	return v ? print_text(v, out, err) : ZINC_OK;
}

/* ---- ancestors and consolidated metadata ---- */

/* May nodes be made below these documents? */
static zinc_status
check_parent(zinc_hierarchy *h, const zinc_fetched *docs, char *const *keys, zinc_error *err)
{
	zinc_meta *m = NULL;
	zinc_node_kind kind;
	zinc_report r;
	zinc_status s;
	size_t i;

	for (i = 0; i <= ZINC_V2_ATTRIBUTES; i++)
		ZINC_TRY(zinc_fetched_status(&docs[i], keys[i], err));
	zinc_report_init_quiet(&r, h->ctx, h->strict);
	s = zinc_v2_layout.parse(h->ctx, docs, keys, &r, &m, &kind, err);
	zinc_meta_free(m);
	if (s == ZINC_OK && kind == ZINC_NODE_ARRAY)
		return zinc_fail_rule(err, ZINC_E_INVALID, "V2-18", "an array is there, and arrays have no children");
	return s;
}

/* If somebody else is quicker, any group will do. */
static zinc_status
put_group(zinc_hierarchy *h, const char *key, zinc_error *err)
{
	static const char text[] = "{\n  \"zarr_format\": 2\n}\n";
	static const zinc_condition absent = {ZINC_ABSENT, NULL};
	zinc_error e = ZINC_ERROR_INIT;
	const zinc_status s =
	    zinc_store_put(h->store, NULL, key, text, sizeof text - 1, &absent, h->put_flags, NULL, &e);

	return s == ZINC_E_EXISTS ? ZINC_OK : zinc_error_copy(err, &e);
}

/* Node i of the line, the last of which is the node itself. */
static zinc_status
prepare_one(zinc_hierarchy *h, const zinc_line *line, size_t i, bool create, zinc_error *err)
{
	const zinc_fetched *docs = &line->docs[i * line->per];
	char *const *keys = &line->keys[i * line->per];

	if (create && i + 1 < line->n)
		ZINC_TRY(zinc_documents_missing(&zinc_format_v2, docs) ? put_group(h, keys[ZINC_V2_GROUP], err)
								    : check_parent(h, docs, keys, err));
	if (docs[ZINC_V2_COPIES].found == ZINC_MISSING)
		return ZINC_OK;
	ZINC_TRY(zinc_fetched_status(&docs[ZINC_V2_COPIES], keys[ZINC_V2_COPIES], err));
	return zinc_store_del(h->store, NULL, keys[ZINC_V2_COPIES], NULL, h->put_flags, err);
}

/* One batched get of all documents on the way; most often nothing is to be done about them.  The line stays. */
static zinc_status
prepare_line(zinc_line *line, zinc_hierarchy *h, const char *path, bool create, zinc_error *err)
{
	zinc_status s;
	size_t i;

	ZINC_TRY(zinc_line_get(line, h, path, ZINC_LINE_ABOVE | ZINC_LINE_SELF, ZINC_PART_COPIES, err));
	for (i = 0, s = ZINC_OK; i < line->n && s == ZINC_OK; i++) { /* a parent before its child */
		s = prepare_one(h, line, i, create, err);
		if (s != ZINC_OK)
			zinc_error_at_key(err, s, line->keys[i * line->per]);
	}
	if (s != ZINC_OK)
		zinc_line_fini(line);
	return s;
}

zinc_status
zinc_v2_prepare(zinc_hierarchy *h, const char *path, bool create, zinc_error *err)
{
	zinc_line line;
	zinc_status s;

	ZINC_TRY(zinc_hierarchy_writable(h, err));
	s = prepare_line(&line, h, path, create, err);
	if (s == ZINC_OK)
		zinc_line_fini(&line);
	return s == ZINC_OK ? s : zinc_error_at_url(err, s, h->url);
}

zinc_status
zinc_v2_check_above(zinc_hierarchy *h, const char *path, zinc_error *err)
{
	zinc_line line;
	zinc_status s;
	size_t i;

	ZINC_TRY(zinc_line_get(&line, h, path, ZINC_LINE_ABOVE, ZINC_PART_COPIES, err));
	for (i = 0, s = ZINC_OK; i < line.n && s == ZINC_OK; i++) {
		const zinc_fetched *docs = &line.docs[i * line.per];
		char *const *keys = &line.keys[i * line.per];

		if (!zinc_documents_missing(&zinc_format_v2, docs))
			s = zinc_error_at_key(err, check_parent(h, docs, keys, err), keys[0]);
	}
	zinc_line_fini(&line);
	return s == ZINC_OK ? s : zinc_error_at_url(err, s, h->url);
}

/* The same look as before the change. */
zinc_status
zinc_v2_settle(zinc_hierarchy *h, const char *path, zinc_error *err)
{
	return zinc_v2_prepare(h, path, false, err);
}

/* ---- creating ---- */

/* A node under creation. */
struct creation {
	zinc_hierarchy *h;
	const char *path;
	zinc_buf node, attributes; /* texts */
	size_t mine, other;        /* which document it has, and which it must not have */
	bool empty;                /* no attributes */
};

/* Behind the put: a look whether the other kind of node came at the same time (promise (2)). */
static zinc_status
look_again(struct creation *c, zinc_error *err)
{
	zinc_line line;
	zinc_status s;
	size_t at;

	ZINC_TRY(prepare_line(&line, c->h, c->path, false, err));
	at = (line.n - 1) * line.per;
	s = zinc_fetched_status(&line.docs[at + c->other], line.keys[at + c->other], err);
	if (s == ZINC_OK && line.docs[at + c->other].found == ZINC_FOUND) {
		(void)!zinc_store_del(c->h->store, NULL, line.keys[at + c->mine], NULL, c->h->put_flags, NULL);
		s = zinc_fail(err, ZINC_E_EXISTS, "a node is already there");
	}
	zinc_line_fini(&line);
	return s;
}

/* Attributes that an interrupted erase has left are not the new node's. */
static zinc_status
put_attributes(struct creation *c, const zinc_fetched *old, const char *key, zinc_error *err)
{
	if (!c->empty)
		return zinc_store_put(c->h->store, NULL, key, c->attributes.p, c->attributes.n, NULL, c->h->put_flags,
				      NULL, err);
	return old->found == ZINC_MISSING ? ZINC_OK
					  : zinc_store_del(c->h->store, NULL, key, NULL, c->h->put_flags, err);
}

static zinc_status
put_documents(struct creation *c, const zinc_line *line, const zinc_condition *when, zinc_tag *tag, zinc_error *err)
{
	const zinc_fetched *docs = &line->docs[(line->n - 1) * line->per];
	char *const *keys = &line->keys[(line->n - 1) * line->per];
	zinc_status s;

	ZINC_TRY(zinc_fetched_status(&docs[c->other], keys[c->other], err));
	if (docs[c->other].found == ZINC_FOUND)
		return zinc_fail(err, ZINC_E_EXISTS, "a node is already there");
	s = zinc_store_put(c->h->store, NULL, keys[c->mine], c->node.p, c->node.n, when, c->h->put_flags, tag, err);
	if (s == ZINC_E_EXISTS)
		zinc_fail(err, s, "a node is already there");
	if (s == ZINC_OK)
		s = put_attributes(c, &docs[ZINC_V2_ATTRIBUTES], keys[ZINC_V2_ATTRIBUTES], err);
	if (s == ZINC_E_UNCERTAIN) /* then it may be there, and a copy of its absence must not stay */
		(void)zinc_v2_settle(c->h, c->path, NULL);
	return s == ZINC_OK ? look_again(c, err) : zinc_error_at_key(err, s, keys[c->mine]);
}

static zinc_status
create(struct creation *c, const zinc_meta *m, const zinc_condition *when, zinc_tag *tag, zinc_error *err)
{
	const zinc_json *attributes = zinc_json_member(zinc_json_root(m->doc), ZINC_V2_MEMBER);
	zinc_line line;
	zinc_status s;

	c->mine = m->kind == ZINC_NODE_ARRAY ? ZINC_V2_ARRAY : ZINC_V2_GROUP;
	c->other = m->kind == ZINC_NODE_ARRAY ? ZINC_V2_GROUP : ZINC_V2_ARRAY;
	c->empty = !attributes || attributes->n == 0;
	ZINC_TRY(zinc_hierarchy_writable(c->h, err));
	ZINC_TRY(zinc_v2_print_node(zinc_json_root(m->doc), &c->node, err));
	ZINC_TRY(zinc_v2_print_attributes(zinc_json_root(m->doc), &c->attributes, err));
	ZINC_TRY(prepare_line(&line, c->h, c->path, true, err));
	s = put_documents(c, &line, when, tag, err);
	zinc_line_fini(&line);
	return s;
}

zinc_status
zinc_v2_write_node(zinc_hierarchy *h, const char *path, const zinc_meta *m, const zinc_condition *when, zinc_tag *tag,
		   zinc_error *err)
{
	struct creation c = {.h = h, .path = path};
	zinc_status s;

	zinc_buf_init(&c.node, h->ctx, zinc_max_document(h->ctx));
	zinc_buf_init(&c.attributes, h->ctx, zinc_max_document(h->ctx));
	s = create(&c, m, when, tag, err);
	zinc_buf_fini(&c.node);
	zinc_buf_fini(&c.attributes);
	return s == ZINC_OK ? s : zinc_error_at_url(err, s, h->url);
}

/* ---- editing ---- */

struct edit {
	zinc_hierarchy *h;
	zinc_status (*fn)(void *arg, zinc_json_doc *doc, zinc_error *err);
	void *arg;
	const zinc_line *line; /* the documents as they were found */
	zinc_node_kind kind;
	size_t node;     /* which of the documents describes it */
	bool attributes; /* .zattrs is under the editor, else the other */
	zinc_buf text;   /* the document as it will be put */
	zinc_meta *meta; /* and what the two mean */
};

/* A document of its own; duplicate members end here, for a rewrite would lose one. */
static zinc_status
parse_one(zinc_json_doc **out, zinc_context *ctx, const zinc_fetched *text, zinc_error *err)
{
	ZINC_TRY(zinc_json_parse(out, ctx, text->text, text->n, ZINC_JSON_NAN_TOKENS, err));
	if (zinc_json_is(zinc_json_root(*out), ZINC_JSON_OBJECT))
		return ZINC_OK;
	zinc_json_free(*out);
	*out = NULL;
	return zinc_fail_rule(err, ZINC_E_CORRUPT, "V2-2", "the document must be a JSON object");
}

/* The two as the one that is edited. */
static zinc_status
join(zinc_json_doc **out, zinc_context *ctx, const zinc_fetched *node, const zinc_fetched *attributes, zinc_error *err)
{
	zinc_json_doc *more;
	zinc_status s = ZINC_OK;

	ZINC_TRY(parse_one(out, ctx, node, err));
	if (zinc_json_member(zinc_json_root(*out), ZINC_V2_MEMBER))
		s = zinc_fail(err, ZINC_E_UNSUPPORTED,
			      "the document has a member \"" ZINC_V2_MEMBER
			      "\" of its own, which a rewrite would lose");
	if (s == ZINC_OK && attributes->found == ZINC_FOUND) {
		s = parse_one(&more, ctx, attributes, err);
		if (s == ZINC_OK) {
			s = zinc_json_set(*out, zinc_json_root(*out), ZINC_V2_MEMBER,
					  zinc_json_copy(*out, zinc_json_root(more)), err);
			zinc_json_free(more);
		}
	}
	if (s != ZINC_OK) {
		zinc_json_free(*out);
		*out = NULL;
	}
	return s;
}

/* Change the document; then it becomes e->meta, or is freed. */
static zinc_status
edit_doc(struct edit *e, zinc_json_doc *doc, zinc_error *err)
{
	zinc_report r;
	zinc_status s;

	zinc_meta_free(e->meta);
	e->meta = NULL;
	s = e->fn(e->arg, doc, err);
	if (s != ZINC_OK) {
		zinc_json_free(doc);
		return s;
	}
	zinc_report_init_quiet(&r, e->h->ctx, e->h->strict);
	r.code = ZINC_E_INVALID;
	return zinc_v2_parse_doc(e->h->ctx, doc, e->kind, &r, &e->meta, err);
}

/* The stored documents, one of them perhaps newer than when it was found, edited and printed. */
static zinc_status
edit_text(struct edit *e, const zinc_fetched *node, const zinc_fetched *attributes, zinc_error *err)
{
	zinc_json_doc *doc;

	ZINC_TRY(join(&doc, e->h->ctx, node, attributes, err));
	ZINC_TRY(edit_doc(e, doc, err));
	zinc_buf_end(&e->text, 0);
	return e->attributes ? zinc_v2_print_attributes(zinc_json_root(e->meta->doc), &e->text, err)
			     : zinc_v2_print_node(zinc_json_root(e->meta->doc), &e->text, err);
}

/* Every attempt starts from the bytes that are stored now, so that nobody's edit is lost. */
static zinc_status
edit_update(void *arg, const void *old, size_t nold, zinc_update *out, zinc_error *err)
{
	struct edit *e = arg;
	const zinc_fetched now = {.found = old ? ZINC_FOUND : ZINC_MISSING, .text = (char *)(uintptr_t)old, .n = nold};

	if (!old && !e->attributes)
		return zinc_fail(err, ZINC_E_NOTFOUND, "no node is there");
	ZINC_TRY(edit_text(e, e->attributes ? &e->line->docs[e->node] : &now,
			   e->attributes ? &now : &e->line->docs[ZINC_V2_ATTRIBUTES], err));
	out->bytes = e->text.p;
	out->nbytes = e->text.n;
	out->keep = e->text.n == nold && (nold == 0 || memcmp(e->text.p, old, nold) == 0);
	return ZINC_OK;
}

/* Which document does the edit change?  Tried on what was found; what was there is printed as it would be. */
static zinc_status
changes(struct edit *e, bool attributes, bool *yes, zinc_error *err)
{
	const zinc_fetched *docs = e->line->docs;
	zinc_json_doc *doc;
	zinc_buf before;
	zinc_status s;

	e->attributes = attributes;
	ZINC_TRY(join(&doc, e->h->ctx, &docs[e->node], &docs[ZINC_V2_ATTRIBUTES], err));
	zinc_buf_init(&before, e->h->ctx, zinc_max_text(e->h->ctx));
	s = attributes ? zinc_v2_print_attributes(zinc_json_root(doc), &before, err)
		       : zinc_v2_print_node(zinc_json_root(doc), &before, err);
	zinc_json_free(doc);
	if (s == ZINC_OK)
		s = edit_text(e, &docs[e->node], &docs[ZINC_V2_ATTRIBUTES], err);
	*yes = s == ZINC_OK && (before.n != e->text.n || (before.n > 0 && memcmp(before.p, e->text.p, before.n) != 0));
	zinc_buf_fini(&before);
	return s;
}

/* An uncertain put may have happened: then consolidated metadata must go as if it had. */
static zinc_status
edit_part(struct edit *e, bool attributes, const char *path, zinc_error *err)
{
	const char *key = e->line->keys[attributes ? ZINC_V2_ATTRIBUTES : e->node];
	zinc_status s;

	e->attributes = attributes;
	s = zinc_store_update(e->h->store, key, edit_update, e, 0, e->h->put_flags, err);
	if (s == ZINC_E_UNCERTAIN)
		(void)zinc_v2_settle(e->h, path, NULL);
	return s == ZINC_OK ? s : zinc_error_at_key(err, s, key);
}

/* What is wrong with the stored documents is not the editor's fault. */
static zinc_status
check_stored(struct edit *e, zinc_error *err)
{
	const zinc_line *line = e->line;
	zinc_meta *m = NULL;
	zinc_report r;
	size_t i;

	if (zinc_documents_missing(&zinc_format_v2, line->docs))
		return zinc_fail(err, ZINC_E_NOTFOUND, "no node is there");
	for (i = 0; i <= ZINC_V2_ATTRIBUTES; i++)
		ZINC_TRY(zinc_fetched_status(&line->docs[i], line->keys[i], err));
	zinc_report_init_quiet(&r, e->h->ctx, e->h->strict);
	ZINC_TRY(zinc_v2_layout.parse(e->h->ctx, line->docs, line->keys, &r, &m, &e->kind, err));
	e->node = e->kind == ZINC_NODE_ARRAY ? ZINC_V2_ARRAY : ZINC_V2_GROUP;
	zinc_meta_free(m);
	return ZINC_OK;
}

static zinc_status
edit_line(struct edit *e, const char *path, zinc_error *err)
{
	bool node, attributes;

	ZINC_TRY(check_stored(e, err));
	ZINC_TRY(changes(e, false, &node, err));
	ZINC_TRY(changes(e, true, &attributes, err));
	if (!node && !attributes)
		return ZINC_OK;
	ZINC_TRY(zinc_v2_prepare(e->h, path, false, err));
	if (attributes)
		ZINC_TRY(edit_part(e, true, path, err));
	if (node)
		ZINC_TRY(edit_part(e, false, path, err));
	return zinc_v2_settle(e->h, path, err);
}

zinc_status
zinc_v2_edit_node(zinc_hierarchy *h, const char *path,
		  zinc_status (*edit)(void *arg, zinc_json_doc *doc, zinc_error *err), void *arg, zinc_meta **out,
		  zinc_error *err)
{
	struct edit e = {.h = h, .fn = edit, .arg = arg};
	zinc_line line;
	zinc_status s;

	ZINC_TRY(zinc_hierarchy_writable(h, err));
	ZINC_TRY(zinc_line_get(&line, h, path, ZINC_LINE_SELF, ZINC_PART_ATTRIBUTES, err));
	e.line = &line;
	zinc_buf_init(&e.text, h->ctx, zinc_max_document(h->ctx));
	s = edit_line(&e, path, err);
	if (s == ZINC_OK && out) {
		*out = e.meta;
		e.meta = NULL;
	}
	if (s != ZINC_OK) {
		zinc_error_at_key(err, s, line.keys[0]);
		zinc_error_at_url(err, s, h->url);
	}
	zinc_meta_free(e.meta);
	zinc_buf_fini(&e.text);
	zinc_line_fini(&line);
	return s;
}
