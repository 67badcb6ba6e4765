/*
 * node_read.c - reading one node, in every version of Zarr
 *
 * Promises:
 *
 * (1) Reading a node is one batched get of all documents that it can have.
 * (2) Where an array and a group are at one path, the array is read.  A report that collects receives a finding.  Other
 *     readers get one only in versions that forbid this, since the drafts do not let readers look for the group
 *     (20-86).
 * (3) Where groups need no document, anything below a path makes it a group, and the root always exists.
 * (4) The attributes of a group without its document can still be read by a separate call.
 */
#include "format/documents.h"
#include "format/draft.h"

static int
stop_at_first(void *arg, const char *entry, int is_prefix)
{
	(void)entry, (void)is_prefix;
	*(bool *)arg = true;
	return 1;
}

/* The root needs nothing. */
zinc_status
zinc_has_descendants(zinc_hierarchy *h, const char *path, bool *yes, zinc_error *err)
{
	zinc_status st;
	zinc_buf prefix;

	*yes = path[1] == '\0';
	if (*yes)
		return ZINC_OK;
	zinc_buf_init(&prefix, h->ctx, ZINC_MAX_KEY);
	st = zinc_node_prefix(h, path, &prefix, err);
	if (st == ZINC_OK)
		st = zinc_buf_text(&prefix)
			 ? zinc_store_list_dir(h->store, zinc_buf_text(&prefix), stop_at_first, yes, h->wait, err)
			 : zinc_fail_nomem(err);
	zinc_buf_fini(&prefix);
	return st;
}

/* Directories of an array's chunks are no groups.  Above the root nothing is known. */
static zinc_status
is_outside_arrays(zinc_hierarchy *h, const char *path, bool *yes, zinc_error *err)
{
	zinc_line line;
	zinc_status st;
	size_t i;

	ZINC_TRY(zinc_line_get(&line, h, path, ZINC_LINE_ABOVE, ZINC_PART_NODE, err));
	for (i = 0, st = ZINC_OK; i < line.n && *yes && st == ZINC_OK; i++) {
		zinc_fetched *docs = &line.docs[i * line.per];
		char **keys = &line.keys[i * line.per];
		zinc_node_kind kind;
		zinc_meta *m = NULL;
		zinc_report r;

		if (zinc_documents_missing(h->format, docs))
			continue;
		zinc_report_init_quiet(&r, h->ctx, false);
		st = zinc_documents_status(h->format, docs, keys, err);
		if (st == ZINC_OK && zinc_documents_parse(h, docs, keys, &r, &m, &kind, NULL) == ZINC_E_NOMEM)
			st = zinc_fail_nomem(err);
		*yes = st == ZINC_OK && kind != ZINC_NODE_ARRAY;
		zinc_meta_free(m);
	}
	zinc_line_fini(&line);
	return st;
}

/* A root needs a document, by which it is found. */
static zinc_status
is_bare_group(zinc_hierarchy *h, const char *path, bool *yes, zinc_error *err)
{
	zinc_caps caps = ZINC_CAPS_INIT;

	zinc_store_caps(h->store, &caps);
	*yes = false;
	if (!path[1] || !(caps.flags & ZINC_CAP_LIST))
		return ZINC_OK;
	ZINC_TRY(zinc_has_descendants(h, path, yes, err));
	return *yes ? is_outside_arrays(h, path, yes, err) : ZINC_OK;
}

/* Promise (3). */
static zinc_status
read_implicit(zinc_hierarchy *h, const char *path, zinc_meta **out, zinc_error *err)
{
	const char *text = h->format->group;
	zinc_report r;
	bool yes = false;

	if (h->format->bare_groups)
		ZINC_TRY(is_bare_group(h, path, &yes, err));
	else if (!zinc_rule(h->format, "M25"))
		ZINC_TRY(zinc_has_descendants(h, path, &yes, err));
	if (!yes)
		return zinc_fail(err, ZINC_E_NOTFOUND, "there is no node at this path");
	zinc_report_init_quiet(&r, h->ctx, false);
	ZINC_TRY(zinc_text_parse(h->format, h->ctx, text, strlen(text), &r, out, err));
	(*out)->implicit = true;
	return ZINC_OK;
}

static zinc_status
read_line(zinc_hierarchy *h, const char *path, const zinc_line *line, zinc_report *r, zinc_meta **out, zinc_error *err)
{
	const char *where = r->where;
	zinc_node_kind kind;
	zinc_status st;

	if (zinc_documents_missing(h->format, line->docs))
		return read_implicit(h, path, out, err);
	ZINC_TRY(zinc_documents_status(h->format, line->docs, line->keys, err));
	if (h->entry && !r->found && line->docs[0].found == ZINC_FOUND) /* promise (2) */
		line->docs[1].found = ZINC_MISSING;
	st = zinc_documents_parse(h, line->docs, line->keys, r, out, &kind, err);
	if (st != ZINC_OK)
		zinc_error_at_key(err, st, r->where);
	r->where = where;
	return st;
}

zinc_status
zinc_read_node(zinc_hierarchy *h, const char *path, zinc_report *r, zinc_meta **out, zinc_error *err)
{
	zinc_line line;
	zinc_status st;

	ZINC_TRY(zinc_line_get(&line, h, path, ZINC_LINE_SELF, ZINC_PART_ATTRIBUTES, err));
	st = read_line(h, path, &line, r, out, err);
	if (st == ZINC_OK && h->entry) {
		st = zinc_draft_find_scalar(h, path, *out, err);
		if (st != ZINC_OK) {
			zinc_meta_free(*out);
			*out = NULL;
		}
	}
	if (st != ZINC_OK) {
		zinc_error_at_key(err, st, h->entry && st == ZINC_E_NOTFOUND ? path + 1 : line.keys[0]);
		zinc_error_at_url(err, st, h->url);
	}
	zinc_line_fini(&line);
	return st;
}

/* ---- groups without a document ---- */

/* As if the missing document were there and empty. */
static zinc_status
read_attributes(zinc_hierarchy *h, const zinc_line *line, size_t attributes, zinc_report *r, zinc_meta **out,
		zinc_error *err)
{
	zinc_fetched *group = &line->docs[zinc_document_of(h->format, ZINC_NODE_GROUP)];
	const char *where = r->where;
	zinc_node_kind kind;
	zinc_status st;

	if (zinc_documents_missing(h->format, line->docs)) {
		group->text = zinc_strdup(h->ctx, h->format->group);
		if (!group->text)
			return zinc_fail_nomem(err);
		group->n = strlen(group->text);
		group->tag = line->docs[attributes].tag;
		group->found = ZINC_FOUND;
	}
	st = zinc_documents_parse(h, line->docs, line->keys, r, out, &kind, err);
	if (st != ZINC_OK)
		zinc_error_at_key(err, st, line->keys[attributes]);
	r->where = where;
	return st;
}

zinc_status
zinc_read_bare_group(zinc_hierarchy *h, const char *path, zinc_report *r, zinc_meta **out, zinc_error *err)
{
	const size_t attributes = zinc_documents_attributes(h->format);
	zinc_line line;
	zinc_status st;

	*out = NULL;
	if (attributes == 0)
		return ZINC_OK;
	ZINC_TRY(zinc_line_get(&line, h, path, ZINC_LINE_SELF, ZINC_PART_ATTRIBUTES, err));
	st = zinc_documents_status(h->format, line.docs, line.keys, err);
	if (st == ZINC_OK && line.docs[attributes].found == ZINC_FOUND)
		st = read_attributes(h, &line, attributes, r, out, err);
	zinc_line_fini(&line);
	return st == ZINC_OK ? st : zinc_error_at_url(err, st, h->url);
}
