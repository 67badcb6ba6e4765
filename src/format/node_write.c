/*
 * node_write.c - creating and editing nodes, in every version of Zarr
 *
 * Promises:
 *
 * (1) Creating a node creates a document for every missing ancestor, in versions where groups need one (M37).  Existing
 *     groups stay as they are.  An array among the ancestors is refused, and so is a group that must not be opened.
 * (2) Creation is one conditional put of the document that makes the node, then one of its attributes if they have a
 *     separate document.  Of several creators one succeeds, and its attributes stay.  No array is created where a group
 *     has its document, and no group where an array has.
 * (3) An edit puts only the document that it changes, under the store's exclusion.  Members, numbers and NaN tokens
 *     that it does not change keep their spelling.  A document that would be invalid after the edit is not put.
 * (4) Consolidated metadata that a change makes stale is removed before the change, and again if it was written
 *     meanwhile.  A consolidation puts, then checks for changes.  The later of the two sees the other, so that a stale
 *     copy never stays.
 * (5) Attributes without a node, such as those of a group without a document, stay as they are.  Creating a node there
 *     with other attributes is refused.
 */
#include "format/consolidate.h"
#include "format/documents.h"
#include "format/draft.h"

/* ---- what is above ---- */

/* May this node be a parent?  `create`: of a new node, else of one to be erased. */
static zinc_status
check_parent(zinc_hierarchy *h, const zinc_fetched *docs, char *const *keys, bool create, zinc_error *err)
{
	const bool explicit = zinc_rule(h->format, "M25") != NULL;
	zinc_error e = ZINC_ERROR_INIT;
	zinc_meta *m = NULL;
	zinc_node_kind kind;
	zinc_report r;
	zinc_status st;

	ZINC_TRY(zinc_documents_status(h->format, docs, keys, err));
	zinc_report_init_quiet(&r, h->ctx, h->strict && explicit);
	st = zinc_documents_parse(h, docs, keys, &r, &m, &kind, &e);
	if (st != ZINC_OK && st != ZINC_E_NOMEM && !explicit)
		st = ZINC_OK; /* where groups need no document, a broken one does not affect the nodes below */
	if (st != ZINC_OK)
		return zinc_error_copy(err, &e);
	if (create && kind == ZINC_NODE_ARRAY)
		st = zinc_fail_rule(err, ZINC_E_INVALID, zinc_rule(h->format, "M28"),
				    "the parent is an array, and arrays have no children");
	else if (m && kind == ZINC_NODE_GROUP && m->unsupported && (explicit || m->closed))
		st = zinc_meta_refuse(m, err);
	zinc_meta_free(m);
	return st;
}

static zinc_status
check_line(zinc_hierarchy *h, const char *path, bool create, zinc_error *err)
{
	zinc_line line;
	zinc_status st;
	size_t i;

	ZINC_TRY(zinc_line_get(&line, h, path, ZINC_LINE_ABOVE, ZINC_PART_ATTRIBUTES, err));
	for (i = 0, st = ZINC_OK; i < line.n && st == ZINC_OK; i++) {
		zinc_fetched *docs = &line.docs[i * line.per];
		char *const *keys = &line.keys[i * line.per];

		if (!create && h->entry) /* only a group can be `closed` */
			docs[zinc_document_of(h->format, ZINC_NODE_ARRAY)].found = ZINC_MISSING;
		if (!zinc_documents_missing(h->format, docs))
			st = check_parent(h, docs, keys, create, err);
		if (st != ZINC_OK)
			zinc_error_at_key(err, st, keys[zinc_documents_maker(h->format, docs)]);
	}
	zinc_line_fini(&line);
	return st;
}

zinc_status
zinc_check_above(zinc_hierarchy *h, const char *path, zinc_error *err)
{
	zinc_status st = check_line(h, path, true, err);

	if (st == ZINC_OK && h->format->fold_case)
		st = zinc_draft_check_case(h, path, err);
	return st == ZINC_OK ? st : zinc_error_at_url(err, st, h->url);
}

zinc_status
zinc_check_open(zinc_hierarchy *h, const char *path, zinc_error *err)
{
	zinc_status st = ZINC_OK;

	if (h->format->draft && h->format->draft->strict_members)
		st = check_line(h, path, false, err);
	return st == ZINC_OK ? st : zinc_error_at_url(err, st, h->url);
}

/* Another program was faster: any group is fine. */
static zinc_status
check_made(zinc_hierarchy *h, char *const *keys, size_t which, zinc_error *err)
{
	zinc_fetched docs[ZINC_DOCUMENTS_MAX];
	zinc_status st = ZINC_OK;
	size_t i;

	for (i = 0; i < ZINC_DOCUMENTS_MAX; i++)
		docs[i] = (zinc_fetched){.found = ZINC_MISSING};
	ZINC_TRY(zinc_fetch(h->store, &keys[which], 1, &docs[which], h->wait, err));
	if (docs[which].found != ZINC_MISSING)
		st = check_parent(h, docs, keys, true, err);
	zinc_fetched_fini(h->ctx, &docs[which], 1);
	return st;
}

/* Empty, but with a document: an explicit group (M25). */
static zinc_status
put_group(zinc_hierarchy *h, char *const *keys, zinc_error *err)
{
	static const zinc_condition absent = {ZINC_ABSENT, NULL};
	const size_t which = zinc_document_of(h->format, ZINC_NODE_GROUP);
	const char *text = h->format->group;
	zinc_error e = ZINC_ERROR_INIT;
	zinc_status st;

	if (!zinc_rule(h->format, "M25"))
		return ZINC_OK;
	st = zinc_store_put(h->store, NULL, keys[which], text, strlen(text), &absent, h->put_flags, NULL, h->wait, &e);
	return st == ZINC_E_EXISTS ? check_made(h, keys, which, err) : zinc_error_copy(err, &e);
}

/* ---- around a change ---- */

static bool
has_copies_document(const zinc_format *f)
{
	return zinc_documents(f, ZINC_PART_COPIES) > zinc_documents(f, ZINC_PART_ATTRIBUTES);
}

/* Which nodes on the way are checked?  Copies in a separate document include the document of their own group. */
static unsigned
parts_of(const zinc_format *f, bool create)
{
	const bool copies = has_copies_document(f), two = create && zinc_documents(f, ZINC_PART_NODE) > 1;

	return (create || f->copies.of == ZINC_COPIES_OF_GROUPS ? ZINC_LINE_ABOVE : 0u) |
	       (copies || two ? ZINC_LINE_SELF : 0u);
}

/* Check one node on the way; `above`: it is an ancestor. */
static zinc_status
prepare_one(zinc_hierarchy *h, const zinc_fetched *docs, char *const *keys, bool above, bool create, zinc_error *err)
{
	if (create && above)
		ZINC_TRY(zinc_documents_missing(h->format, docs) ? put_group(h, keys, err)
								 : check_parent(h, docs, keys, true, err));
	return h->format->copies.of == ZINC_COPIES_OF_GROUPS ? zinc_copies_drop(h, docs, keys, err) : ZINC_OK;
}

/* One batched get of all documents on the way; usually there is nothing to do.  The documents stay in the line. */
static zinc_status
prepare_line(zinc_line *line, zinc_hierarchy *h, const char *path, bool create, zinc_error *err)
{
	const unsigned parts = parts_of(h->format, create);
	const size_t self = parts & ZINC_LINE_SELF ? 1 : 0;
	zinc_status st;
	size_t i;

	ZINC_TRY(zinc_line_get(line, h, path, parts, ZINC_PART_COPIES, err));
	for (i = 0, st = ZINC_OK; i < line->n && st == ZINC_OK;
	     i++) { /* from the root down: a parent before its child */
		const zinc_fetched *docs = &line->docs[i * line->per];
		char *const *keys = &line->keys[i * line->per];

		st = prepare_one(h, docs, keys, i + self < line->n, create, err);
		if (st != ZINC_OK)
			zinc_error_at_key(err, st, keys[zinc_documents_maker(h->format, docs)]);
	}
	if (st == ZINC_OK && create && h->format->fold_case)
		st = zinc_draft_check_case(h, path, err);
	if (st == ZINC_OK)
		st = zinc_copies_drop_root(h, err);
	if (st != ZINC_OK)
		zinc_line_fini(line);
	return st;
}

zinc_status
zinc_change_begin(zinc_hierarchy *h, const char *path, bool create, zinc_error *err)
{
	zinc_line line;
	zinc_status st;

	ZINC_TRY(zinc_hierarchy_writable(h, err));
	st = prepare_line(&line, h, path, create, err);
	if (st == ZINC_OK)
		zinc_line_fini(&line);
	return st == ZINC_OK ? st : zinc_error_at_url(err, st, h->url);
}

/* The same check as before the change. */
zinc_status
zinc_change_end(zinc_hierarchy *h, const char *path, zinc_error *err)
{
	return zinc_change_begin(h, path, false, err);
}

/* ---- creating ---- */

/* A node that is being created. */
struct creation {
	zinc_hierarchy *h;
	const char *path;
	zinc_buf key, node, attributes; /* of the document that makes it, and the texts */
	size_t mine;                    /* which document that is */
	bool empty;                     /* no attributes */
};

/* Does another document that makes a node exist?  `line` ends with the node itself, or has no such documents. */
static zinc_status
check_others(const struct creation *c, const zinc_line *line, zinc_error *err)
{
	const size_t n = zinc_documents(c->h->format, ZINC_PART_NODE);
	size_t at, i;

	for (i = 0; i < n && line->n > 0; i++) {
		at = (line->n - 1) * line->per + i;
		if (i == c->mine)
			continue;
		ZINC_TRY(zinc_fetched_status(&line->docs[at], line->keys[at], err));
		if (line->docs[at].found == ZINC_FOUND)
			return zinc_error_at_key(
			    err, zinc_fail(err, ZINC_E_EXISTS, "a node already exists at this path"), line->keys[at]);
	}
	return ZINC_OK;
}

/* After the put, in versions with two kinds of documents: was the other kind created at the same time?  Promise (2). */
static zinc_status
look_again(struct creation *c, zinc_error *err)
{
	zinc_line line;
	zinc_status st = ZINC_OK;

	ZINC_TRY(prepare_line(&line, c->h, c->path, false, err));
	if (has_copies_document(c->h->format))
		st = check_others(c, &line, err);
	if (st == ZINC_E_EXISTS)
		(void)!zinc_store_del(c->h->store, NULL, zinc_buf_text(&c->key), NULL, c->h->put_flags, c->h->wait,
				      NULL);
	zinc_line_fini(&line);
	return st;
}

/* A group without its document may have attributes, which new ones would replace.  Promise (5). */
static zinc_status
check_attributes(const struct creation *c, const zinc_line *line, zinc_error *err)
{
	const size_t which = zinc_documents_attributes(c->h->format), at = (line->n - 1) * line->per + which;

	if (which == 0 || c->empty || line->docs[at - which + c->mine].found != ZINC_MISSING)
		return ZINC_OK;
	ZINC_TRY(zinc_fetched_status(&line->docs[at], line->keys[at], err));
	if (line->docs[at].found == ZINC_FOUND)
		return zinc_error_at_key(err, zinc_fail(err, ZINC_E_EXISTS, "attributes already exist"),
					 line->keys[at]);
	return ZINC_OK;
}

static zinc_status
put_attributes(struct creation *c, const zinc_line *line, zinc_error *err)
{
	const size_t which = zinc_documents_attributes(c->h->format), at = (line->n - 1) * line->per + which;

	if (c->empty || which == 0) /* none given: existing ones stay */
		return ZINC_OK;
	return zinc_store_put(c->h->store, NULL, line->keys[at], c->attributes.p, c->attributes.n, NULL,
			      c->h->put_flags, NULL, c->h->wait, err);
}

static zinc_status
put_documents(struct creation *c, const zinc_line *line, const zinc_condition *when, zinc_tag *tag, zinc_error *err)
{
	const char *key = zinc_buf_text(&c->key);
	zinc_status st;

	ZINC_TRY(check_others(c, line, err));
	ZINC_TRY(check_attributes(c, line, err));
	st = zinc_store_put(c->h->store, NULL, key, c->node.p, c->node.n, when, c->h->put_flags, tag, c->h->wait, err);
	if (st == ZINC_E_EXISTS)
		zinc_fail(err, st, "a node already exists at this path");
	if (st == ZINC_OK)
		st = put_attributes(c, line, err);
	if (st == ZINC_E_UNCERTAIN) /* the node may exist, and copies that lack it must not stay */
		(void)zinc_change_end(c->h, c->path, NULL);
	return st == ZINC_OK ? look_again(c, err) : zinc_error_at_key(err, st, key);
}

/* Keys and texts are made first, so that memory cannot run out after the store has been changed. */
static zinc_status
print_all(struct creation *c, const zinc_meta *m, zinc_error *err)
{
	const zinc_json *root = zinc_json_root(m->doc), *attributes = zinc_json_member(root, ZINC_ATTRIBUTES);
	const size_t which = zinc_documents_attributes(c->h->format);

	c->mine = zinc_document_of(c->h->format, m->kind);
	c->empty = !attributes || attributes->n == 0;
	ZINC_TRY(zinc_hierarchy_writable(c->h, err));
	ZINC_TRY(zinc_document_key(c->h, c->path, c->mine, &c->key, err));
	ZINC_TRY(zinc_buf_text(&c->key) ? ZINC_OK : zinc_fail_nomem(err));
	ZINC_TRY(zinc_document_print(c->h, root, c->mine, &c->node, err));
	return which > 0 && !c->empty ? zinc_document_print(c->h, root, which, &c->attributes, err) : ZINC_OK;
}

static zinc_status
create(struct creation *c, const zinc_condition *when, zinc_tag *tag, zinc_error *err)
{
	zinc_line line;
	zinc_status st;

	ZINC_TRY(prepare_line(&line, c->h, c->path, true, err));
	st = put_documents(c, &line, when, tag, err);
	zinc_line_fini(&line);
	return st;
}

static void
creation_init(struct creation *c, zinc_hierarchy *h, const char *path)
{
	*c = (struct creation){.h = h, .path = path};
	zinc_buf_init(&c->key, h->ctx, ZINC_MAX_KEY);
	zinc_buf_init(&c->node, h->ctx, zinc_max_document(h->ctx));
	zinc_buf_init(&c->attributes, h->ctx, zinc_max_document(h->ctx));
}

/* Free the buffers; a failure `st` names the hierarchy. */
static zinc_status
creation_fini(struct creation *c, zinc_status st, zinc_error *err)
{
	zinc_buf_fini(&c->key);
	zinc_buf_fini(&c->node);
	zinc_buf_fini(&c->attributes);
	return st == ZINC_OK ? st : zinc_error_at_url(err, st, c->h->url);
}

zinc_status
zinc_write_node(zinc_hierarchy *h, const char *path, const zinc_meta *m, const zinc_condition *when, zinc_tag *tag,
		zinc_error *err)
{
	struct creation c;
	zinc_status st;

	creation_init(&c, h, path);
	st = print_all(&c, m, err);
	if (st == ZINC_OK)
		st = create(&c, when, tag, err);
	return creation_fini(&c, st, err);
}

/* ---- where nobody else is ---- */

static zinc_status
put_alone(struct creation *c, zinc_error *err)
{
	const size_t which = zinc_documents_attributes(c->h->format);
	zinc_store *store = c->h->store;
	const uint32_t flags = c->h->put_flags;

	if (c->h->format->fold_case)
		ZINC_TRY(zinc_draft_check_case(c->h, c->path, err));
	ZINC_TRY(zinc_store_put(store, NULL, zinc_buf_text(&c->key), c->node.p, c->node.n, NULL, flags, NULL,
				c->h->wait, err));
	if (which == 0 || c->empty)
		return ZINC_OK;
	zinc_buf_end(&c->key, 0);
	ZINC_TRY(zinc_document_key(c->h, c->path, which, &c->key, err));
	return zinc_buf_text(&c->key) ? zinc_store_put(store, NULL, zinc_buf_text(&c->key), c->attributes.p,
						       c->attributes.n, NULL, flags, NULL, c->h->wait, err)
				      : zinc_fail_nomem(err);
}

zinc_status
zinc_put_node(zinc_hierarchy *h, const char *path, const zinc_meta *m, zinc_error *err)
{
	struct creation c;
	zinc_status st;

	creation_init(&c, h, path);
	st = print_all(&c, m, err);
	if (st == ZINC_OK)
		st = put_alone(&c, err);
	return creation_fini(&c, st, err);
}
