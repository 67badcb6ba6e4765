/*
 * line.c - keys of nodes that have a directory each, and the documents from the root down to one
 *
 * Promises:
 *
 * (1) The documents on the way to a node are one batched get, whatever the depth.
 */
#include "format/layout.h"

/* ---- keys ---- */

zinc_status
zinc_layout_prefix(const zinc_hierarchy *h, const char *path, zinc_buf *out, zinc_error *err)
{
	ZINC_TRY(zinc_buf_puts(out, h->prefix, err));
	if (path[1] == '\0') /* the root adds nothing (M36) */
		return ZINC_OK;
	ZINC_TRY(zinc_buf_puts(out, path + 1, err));
	return zinc_buf_puts(out, "/", err);
}

/* An unknown key encoding leaves no way to find a chunk (M19). */
zinc_status
zinc_layout_chunk_key(const zinc_hierarchy *h, const char *path, const zinc_meta *m, const uint64_t *index,
		      zinc_buf *out, zinc_error *err)
{
	if (!m->keys.ops)
		return zinc_meta_refuse(m, err);
	ZINC_TRY(zinc_layout_prefix(h, path, out, err));
	return m->keys.ops->encode(&m->keys, index, m->ndim, out, err);
}

/* One prefix holds all of a node: its documents, its chunks and everything below it. */
zinc_status
zinc_layout_prefixes(const zinc_hierarchy *h, const char *path,
		     zinc_status (*fn)(void *arg, const char *prefix, zinc_error *err), void *arg, zinc_error *err)
{
	zinc_status s;
	zinc_buf b;

	zinc_buf_init(&b, h->ctx, ZINC_MAX_KEY);
	s = zinc_layout_prefix(h, path, &b, err);
	if (s == ZINC_OK)
		s = zinc_buf_text(&b) ? fn(arg, zinc_buf_text(&b), err) : zinc_fail_nomem(err);
	zinc_buf_fini(&b);
	return s;
}

zinc_status
zinc_layout_place(const char *key, zinc_key_role role, zinc_buf *place, zinc_error *err)
{
	zinc_buf_end(place, 0);
	if (role == ZINC_KEY_PART)
		return ZINC_OK;
	return zinc_buf_add(place, key, role == ZINC_KEY_NODE ? (size_t)(zinc_key_name(key) - key) : strlen(key), err);
}

bool
zinc_layout_makes(const zinc_layout *l, const char *name)
{
	size_t i;

	for (i = 0; i < l->makers; i++)
		if (strcmp(l->names[i], name) == 0)
			return true;
	return false;
}

bool
zinc_layout_missing(const zinc_layout *l, const zinc_fetched *docs)
{
	size_t i;

	for (i = 0; i < l->makers; i++)
		if (docs[i].found != ZINC_MISSING)
			return false;
	return true;
}

/* ---- the line ---- */

/* The key of one document of the node whose path is the first n bytes of `path`. */
static char *
line_key(const zinc_hierarchy *h, const char *path, size_t n, const char *name)
{
	char *key = NULL;
	zinc_buf b;

	zinc_buf_init(&b, h->ctx, ZINC_MAX_KEY);
	if (zinc_buf_puts(&b, h->prefix, NULL) == ZINC_OK && zinc_buf_add(&b, path + 1, n - 1, NULL) == ZINC_OK &&
	    zinc_buf_puts(&b, n > 1 ? "/" : "", NULL) == ZINC_OK && zinc_buf_puts(&b, name, NULL) == ZINC_OK)
		key = zinc_strndup(h->ctx, (const char *)b.p, b.n);
	zinc_buf_fini(&b);
	return key;
}

/* All documents of node i of the line. */
static zinc_status
line_node(zinc_line *line, const zinc_hierarchy *h, const zinc_layout *l, const char *path, size_t i, zinc_error *err)
{
	size_t j;

	for (j = 0; j < line->per; j++) {
		char *key = line_key(h, path, line->npath[i], l->names[j]);

		line->keys[i * line->per + j] = key;
		if (!key)
			return zinc_fail_nomem(err);
	}
	return ZINC_OK;
}

/* The nodes on the way: "/", "/a" and "/a/b" for "/a/b".  The first `skip` of them are left out. */
static zinc_status
line_keys(zinc_line *line, const zinc_hierarchy *h, const zinc_layout *l, const char *path, size_t skip,
	  zinc_error *err)
{
	size_t npath = 1, i;

	for (i = 0; i < skip + line->n; i++) {
		if (i > 0)
			npath += (i > 1) + strcspn(path + npath + (i > 1), "/");
		if (i < skip)
			continue;
		line->npath[i - skip] = npath;
		ZINC_TRY(line_node(line, h, l, path, i - skip, err));
	}
	return ZINC_OK;
}

/* One batched get whatever the depth, so that a deep node costs no more round trips than a shallow one. */
zinc_status
zinc_line_get(zinc_line *out, zinc_hierarchy *h, const zinc_layout *l, const char *path, unsigned parts,
	      zinc_error *err)
{
	size_t above = 0, skip, n;
	const char *p;
	zinc_status s;

	*out = (zinc_line){.ctx = h->ctx, .per = l->all};
	for (p = path; path[1] && *p; p++) /* each '/' begins a name, and has an ancestor before it */
		above += *p == '/';
	skip = parts & ZINC_LINE_ABOVE ? 0 : above;
	out->n = above - skip + ((parts & ZINC_LINE_SELF) != 0);
	if (zinc_size_mul(out->n, out->per, &n))
		return zinc_fail_nomem(err);
	out->keys = zinc_calloc(h->ctx, n, sizeof *out->keys);
	out->npath = zinc_calloc(h->ctx, out->n, sizeof *out->npath);
	out->docs = zinc_calloc(h->ctx, n, sizeof *out->docs);
	s = out->keys && out->npath && out->docs ? line_keys(out, h, l, path, skip, err) : zinc_fail_nomem(err);
	if (s == ZINC_OK && n > 0)
		s = zinc_fetch(h->store, out->keys, n, out->docs, err);
	if (s != ZINC_OK)
		zinc_line_fini(out);
	return s;
}

void
zinc_line_fini(zinc_line *line)
{
	const size_t n = line->n * line->per; /* was checked when it was made */
	size_t i;

	if (line->docs)
		zinc_fetched_fini(line->ctx, line->docs, n);
	for (i = 0; line->keys && i < n; i++)
		zinc_free(line->ctx, line->keys[i]);
	zinc_free(line->ctx, line->docs);
	zinc_free(line->ctx, line->npath);
	zinc_free(line->ctx, line->keys);
	*line = (zinc_line){.ctx = line->ctx};
}
