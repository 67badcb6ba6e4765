/*
 * node_key.c - the keys of a node's documents and stored objects, in every version of Zarr
 *
 *   version   document of /foo/bar           below it        stored objects
 *   v3, v2    foo/bar/zarr.json              foo/bar/        foo/bar/c/0/0
 *   2020      meta/root/foo/bar.array.json   meta/root/...   data/root/foo/bar/c0/0
 *
 * All keys are below the root's prefix.  Versions without an entry point have one tree, with each document in the
 * directory of its node.  Versions with one have two trees; a document is beside the directory of its node, with the
 * suffix that the entry point names.
 */
#include "format/draft.h"
#include "format/path_documents.h"

/* The name of a tree, the path, and a '/'.  All of it is empty for the root of a tree without a name. */
static zinc_status
add_prefix(const zinc_hierarchy *h, const char *tree, const char *path, zinc_buf *out, zinc_error *err)
{
	const char *below = path[1] ? path : "";

	below += !*tree && *below; /* the root adds nothing (M36) */
	ZINC_TRY(zinc_buf_puts(out, h->prefix, err));
	ZINC_TRY(zinc_buf_puts(out, tree, err));
	ZINC_TRY(zinc_buf_puts(out, below, err));
	return *tree || *below ? zinc_buf_puts(out, "/", err) : ZINC_OK;
}

zinc_status
zinc_node_prefix(const zinc_hierarchy *h, const char *path, zinc_buf *out, zinc_error *err)
{
	return add_prefix(h, h->entry ? h->entry->meta : "", path, out, err);
}

zinc_status
zinc_data_prefix(const zinc_hierarchy *h, const char *path, zinc_buf *out, zinc_error *err)
{
	return add_prefix(h, h->entry ? h->entry->data : "", path, out, err);
}

zinc_status
zinc_document_key(const zinc_hierarchy *h, const char *path, size_t which, zinc_buf *out, zinc_error *err)
{
	const zinc_draft_entry *e = h->entry;
	const char *name = h->format->documents[which].name;
	const bool root = path[1] == '\0';

	if (e)
		return zinc_buf_printf(out, err, "%s%s%s%s%s%s", h->prefix, e->meta, root ? "" : path,
				       root && !e->root_dot ? "/" : ".", name, e->suffix);
	ZINC_TRY(zinc_node_prefix(h, path, out, err));
	return zinc_buf_puts(out, name, err);
}

size_t
zinc_documents(const zinc_format *f, zinc_document_part upto)
{
	size_t n = 0;

	while (n < ZINC_DOCUMENTS_MAX && f->documents[n].name && f->documents[n].part <= upto)
		n++;
	return n;
}

size_t
zinc_document_of(const zinc_format *f, zinc_node_kind kind)
{
	return kind == ZINC_NODE_GROUP && f->documents[1].makes == ZINC_NODE_GROUP ? 1 : 0;
}

zinc_status
zinc_node_key(const zinc_hierarchy *h, const char *path, zinc_node_kind kind, zinc_buf *out, zinc_error *err)
{
	return zinc_document_key(h, path, zinc_document_of(h->format, kind), out, err);
}

zinc_node_kind
zinc_key_kind(const zinc_hierarchy *h, const char *key)
{
	const char *name = zinc_key_name(key);
	zinc_node_kind kind;
	size_t i;

	if (h->entry)
		return zinc_draft_document(h, name, &kind) > 0 ? kind : ZINC_NODE_NONE;
	for (i = 0; i < zinc_documents(h->format, ZINC_PART_NODE); i++)
		if (strcmp(name, h->format->documents[i].name) == 0)
			return h->format->documents[i].makes;
	return ZINC_NODE_NONE;
}

/* With an unknown key encoding chunks cannot be found (M19). */
zinc_status
zinc_chunk_key(const zinc_hierarchy *h, const char *path, const zinc_meta *m, const uint64_t *index, zinc_buf *out,
	       zinc_error *err)
{
	if (!m->keys.ops)
		return zinc_meta_refuse(m, err);
	ZINC_TRY(zinc_data_prefix(h, path, out, err));
	return zinc_keys_encode(&m->keys, index, m->ndim, out, err);
}

/* For the root of two trees only their first names: its document may be beside what is below it. */
static zinc_status
call_with(const zinc_hierarchy *h, const char *path, const char *tree, const char *top,
	  zinc_status (*fn)(void *arg, const char *prefix, zinc_error *err), void *arg, zinc_error *err)
{
	zinc_status st;
	zinc_buf prefix;

	zinc_buf_init(&prefix, h->ctx, ZINC_MAX_KEY);
	st = add_prefix(h, path[1] ? tree : top, path, &prefix, err);
	if (st == ZINC_OK)
		st = zinc_buf_text(&prefix) ? fn(arg, zinc_buf_text(&prefix), err) : zinc_fail_nomem(err);
	zinc_buf_fini(&prefix);
	return st;
}

zinc_status
zinc_node_prefixes(const zinc_hierarchy *h, const char *path,
		   zinc_status (*fn)(void *arg, const char *prefix, zinc_error *err), void *arg, zinc_error *err)
{
	if (!h->entry)
		return call_with(h, path, "", "", fn, arg, err);
	ZINC_TRY(call_with(h, path, h->entry->meta, "meta", fn, arg, err));
	return call_with(h, path, h->entry->data, "data", fn, arg, err);
}
