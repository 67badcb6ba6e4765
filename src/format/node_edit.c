/*
 * node_edit.c - editing one node, in every version of Zarr
 *
 * node_write.c lists the promises; this file keeps (3).  A node with a single document is edited directly.  For other
 * nodes the edit is first tried on all documents, to find the one that it changes.  Editing a group without a document
 * creates one.
 */
#include "format/documents.h"
#include "format/draft.h"

struct edit {
	zinc_hierarchy *h;
	zinc_edit_fn fn;
	void *arg;
	zinc_line line;    /* the documents as found; no nodes when there is only one */
	size_t node;       /* which document describes the node */
	size_t part;       /* which document is being edited */
	bool implicit;     /* there is no document yet */
	zinc_buf key;      /* of the document that is being edited */
	zinc_buf text;     /* its new bytes */
	zinc_meta *stored; /* metadata of the stored documents; NULL: there are none */
	zinc_meta *meta;   /* metadata of the edited ones */
};

/* An error in the stored documents is E_CORRUPT, not E_INVALID.  A node that must not be opened is not edited. */
static zinc_status
check_stored(struct edit *e, const zinc_fetched *docs, zinc_error *err)
{
	char *keys[ZINC_DOCUMENTS_MAX];
	zinc_status st = ZINC_OK;
	zinc_node_kind kind;
	zinc_report r;
	size_t i;

	zinc_meta_free(e->stored);
	e->stored = NULL;
	for (i = 0; i < ZINC_DOCUMENTS_MAX; i++)
		keys[i] = e->line.n > 0 && i < e->line.per ? e->line.keys[i] : (char *)e->key.p;
	zinc_report_init_quiet(&r, e->h->ctx, e->h->strict);
	r.fallback = e->h->fallback;
	st = zinc_documents_parse(e->h, docs, keys, &r, &e->stored, &kind, err);
	if (st != ZINC_OK)
		return zinc_error_at_key(err, st, r.where);
	return e->stored->closed ? zinc_meta_refuse(e->stored, err) : ZINC_OK;
}

/* Edit the document.  It becomes part of e->meta, or is freed. */
static zinc_status
edit_doc(struct edit *e, zinc_json_doc *doc, zinc_error *err)
{
	const zinc_format *f = e->h->format;
	zinc_report r;
	zinc_status st;

	zinc_meta_free(e->meta);
	e->meta = NULL;
	st = e->fn(e->arg, e->stored, doc, err);
	if (st != ZINC_OK) {
		zinc_json_free(doc);
		return st;
	}
	zinc_report_init_quiet(&r, e->h->ctx, e->h->strict);
	r.fallback = e->h->fallback;
	r.code = ZINC_E_INVALID;
	return f->parse(f, e->h->ctx, doc, f->documents[e->node].makes, &r, &e->meta, err);
}

/* Join the stored documents, one of them perhaps newer than when it was found; then edit and print it. */
static zinc_status
edit_text(struct edit *e, const zinc_fetched *docs, zinc_error *err)
{
	zinc_json_doc *doc;

	ZINC_TRY(zinc_documents_join(&doc, e->h, docs, e->node, err));
	ZINC_TRY(edit_doc(e, doc, err));
	zinc_buf_end(&e->text, 0);
	return zinc_document_print(e->h, zinc_json_root(e->meta->doc), e->part, &e->text, err);
}

/* Every attempt starts from the bytes stored now, so that no other edit is lost. */
static zinc_status
edit_update(void *arg, const void *old, size_t nold, zinc_update *out, zinc_error *err)
{
	struct edit *e = arg;
	zinc_fetched docs[ZINC_DOCUMENTS_MAX];
	size_t i;

	for (i = 0; i < ZINC_DOCUMENTS_MAX; i++)
		docs[i] = e->line.n > 0 && i < e->line.per ? e->line.docs[i] : (zinc_fetched){.found = ZINC_MISSING};
	docs[e->part].found = old ? ZINC_FOUND : ZINC_MISSING;
	docs[e->part].text = (char *)(uintptr_t)old;
	docs[e->part].n = nold;
	if (docs[e->node].found != ZINC_FOUND && !e->implicit)
		return zinc_fail(err, ZINC_E_NOTFOUND, "there is no node at this path");
	if (docs[e->node].found == ZINC_FOUND)
		ZINC_TRY(check_stored(e, docs, err));
	ZINC_TRY(edit_text(e, docs, err));
	out->bytes = e->text.p;
	out->nbytes = e->text.n;
	out->keep =
	    (old || e->part != e->node) && e->text.n == nold && (nold == 0 || memcmp(e->text.p, old, nold) == 0);
	return ZINC_OK;
}

/* Does the edit change this document?  It is tried on the documents as found; the old one is printed in the same way
 * for the comparison. */
static zinc_status
changes(struct edit *e, size_t part, bool *yes, zinc_error *err)
{
	zinc_json_doc *doc;
	zinc_buf before;
	zinc_status st;

	e->part = part;
	ZINC_TRY(zinc_documents_join(&doc, e->h, e->line.docs, e->node, err));
	zinc_buf_init(&before, e->h->ctx, zinc_max_document(e->h->ctx));
	st = zinc_document_print(e->h, zinc_json_root(doc), part, &before, err);
	zinc_json_free(doc);
	if (st == ZINC_OK)
		st = edit_text(e, e->line.docs, err);
	*yes = st == ZINC_OK && (before.n != e->text.n || (before.n > 0 && memcmp(before.p, e->text.p, before.n) != 0));
	zinc_buf_fini(&before);
	return st;
}

/* An uncertain put may have happened.  Then consolidated metadata must be removed as after a certain one. */
static zinc_status
edit_part(struct edit *e, size_t part, const char *path, zinc_error *err)
{
	const char *key;
	zinc_status st;

	e->part = part;
	zinc_buf_end(&e->key, 0);
	ZINC_TRY(zinc_document_key(e->h, path, part, &e->key, err));
	key = zinc_buf_text(&e->key);
	if (!key)
		return zinc_fail_nomem(err);
	st = zinc_store_update(e->h->store, key, edit_update, e, 0, e->h->ctx->limits.json_bytes, e->h->put_flags,
			       e->h->wait, err);
	if (st == ZINC_E_UNCERTAIN)
		(void)zinc_change_end(e->h, path, NULL);
	return st == ZINC_OK ? st : zinc_error_at_key(err, st, key);
}

/* Find the document that describes the node, if it has one. */
static zinc_status
look(struct edit *e, const char *path, zinc_error *err)
{
	const zinc_format *f = e->h->format;
	zinc_report r;
	zinc_meta *m;

	ZINC_TRY(zinc_line_get(&e->line, e->h, path, ZINC_LINE_SELF, ZINC_PART_ATTRIBUTES, err));
	if (!zinc_documents_missing(f, e->line.docs)) {
		ZINC_TRY(zinc_documents_status(f, e->line.docs, e->line.keys, err));
		e->node = zinc_documents_maker(f, e->line.docs);
		return check_stored(e, e->line.docs, err);
	}
	zinc_report_init_quiet(&r, e->h->ctx, e->h->strict);
	ZINC_TRY(zinc_read_node(e->h, path, &r, &m, err)); /* a group without a document, or no node */
	e->node = zinc_document_of(f, m->kind);
	e->implicit = m->implicit;
	zinc_meta_free(m);
	return ZINC_OK;
}

static zinc_status
edit(struct edit *e, const char *path, zinc_error *err)
{
	const size_t attributes = zinc_documents_attributes(e->h->format);
	bool node = true, more = false;

	if (zinc_documents(e->h->format, ZINC_PART_ATTRIBUTES) > 1 || e->h->format->bare_groups)
		ZINC_TRY(look(e, path, err));
	if (attributes > 0) {
		ZINC_TRY(changes(e, e->node, &node, err));
		ZINC_TRY(changes(e, attributes, &more, err));
	}
	if (!node && !more)
		return ZINC_OK;
	ZINC_TRY(zinc_change_begin(e->h, path, false, err));
	if (more)
		ZINC_TRY(edit_part(e, attributes, path, err));
	if (node)
		ZINC_TRY(edit_part(e, e->node, path, err));
	return zinc_change_end(e->h, path, err);
}

zinc_status
zinc_edit_node(zinc_hierarchy *h, const char *path, zinc_edit_fn fn, void *arg, zinc_meta **out, zinc_error *err)
{
	struct edit e = {.h = h, .fn = fn, .arg = arg, .line.ctx = h->ctx};
	zinc_status st;

	ZINC_TRY(zinc_hierarchy_writable(h, err));
	zinc_buf_init(&e.key, h->ctx, ZINC_MAX_KEY);
	zinc_buf_init(&e.text, h->ctx, zinc_max_document(h->ctx));
	st = edit(&e, path, err);
	if (st == ZINC_OK && out) {
		*out = e.meta;
		e.meta = NULL;
	}
	if (st != ZINC_OK && e.line.n > 0)
		zinc_error_at_key(err, st, e.line.keys[0]);
	zinc_meta_free(e.meta);
	zinc_meta_free(e.stored);
	zinc_buf_fini(&e.text);
	zinc_buf_fini(&e.key);
	zinc_line_fini(&e.line);
	return st == ZINC_OK ? st : zinc_error_at_url(err, st, h->url);
}
