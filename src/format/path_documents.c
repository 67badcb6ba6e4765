/*
 * path_documents.c - the documents from the root down to a node
 *
 * Promises:
 *
 * (1) The documents on the way to a node are one batched get, at any depth.
 */
#include "format/path_documents.h"

zinc_status
zinc_layout_place(const char *key, zinc_key_role role, zinc_buf *place, zinc_error *err)
{
	zinc_buf_end(place, 0);
	if (role == ZINC_KEY_PART)
		return ZINC_OK;
	return zinc_buf_add(place, key, role == ZINC_KEY_NODE ? (size_t)(zinc_key_name(key) - key) : strlen(key), err);
}

bool
zinc_documents_make(const zinc_format *f, const char *name)
{
	size_t i;

	for (i = 0; i < zinc_documents(f, ZINC_PART_NODE); i++)
		if (strcmp(f->documents[i].name, name) == 0)
			return true;
	return false;
}

/* ---- the line ---- */

/* The keys of node i on the way, whose path is the start of `path`. */
static zinc_status
line_node(zinc_line *line, const zinc_hierarchy *h, const char *path, size_t i, zinc_error *err)
{
	char *own = zinc_strndup(h->ctx, path, line->npath[i]);
	zinc_status st = own ? ZINC_OK : zinc_fail_nomem(err);
	zinc_buf key;
	size_t j;

	zinc_buf_init(&key, h->ctx, ZINC_MAX_KEY);
	for (j = 0; j < line->per && st == ZINC_OK; j++) {
		char **to = &line->keys[i * line->per + j];

		zinc_buf_end(&key, 0);
		st = zinc_document_key(h, own, j, &key, err);
		if (st == ZINC_OK)
			*to = zinc_strndup(h->ctx, (const char *)key.p, key.n);
		if (st == ZINC_OK && !*to)
			st = zinc_fail_nomem(err);
	}
	zinc_buf_fini(&key);
	zinc_free(h->ctx, own);
	return st;
}

/* The nodes on the way: "/", "/a" and "/a/b" for "/a/b".  The first `skip` of them are left out. */
static zinc_status
line_keys(zinc_line *line, const zinc_hierarchy *h, const char *path, size_t skip, zinc_error *err)
{
	size_t npath = 1, i;

	for (i = 0; i < skip + line->n; i++) {
		if (i > 0)
			npath += (i > 1) + strcspn(path + npath + (i > 1), "/");
		if (i < skip)
			continue;
		line->npath[i - skip] = npath;
		ZINC_TRY(line_node(line, h, path, i - skip, err));
	}
	return ZINC_OK;
}

/* One batched get, so that a deep node costs no more round trips than one near the root. */
zinc_status
zinc_line_get(zinc_line *out, zinc_hierarchy *h, const char *path, unsigned parts, zinc_document_part upto,
	      zinc_error *err)
{
	size_t above = 0, skip, n;
	const char *p;
	zinc_status st;

	*out = (zinc_line){.ctx = h->ctx, .per = zinc_documents(h->format, upto)};
	for (p = path; path[1] && *p; p++) /* each '/' begins a name and follows an ancestor */
		above += *p == '/';
	skip = parts & ZINC_LINE_ABOVE ? 0 : above;
	out->n = above - skip + ((parts & ZINC_LINE_SELF) != 0);
	if (zinc_size_mul(out->n, out->per, &n))
		return zinc_fail_nomem(err);
	out->keys = zinc_calloc(h->ctx, n, sizeof *out->keys);
	out->npath = zinc_calloc(h->ctx, out->n, sizeof *out->npath);
	out->docs = zinc_calloc(h->ctx, n, sizeof *out->docs);
	st = out->keys && out->npath && out->docs ? line_keys(out, h, path, skip, err) : zinc_fail_nomem(err);
	if (st == ZINC_OK && n > 0)
		st = zinc_known_fetch(h->known, h->store, out->keys, n, out->docs, h->wait, err);
	if (st != ZINC_OK)
		zinc_line_fini(out);
	return st;
}

void
zinc_line_fini(zinc_line *line)
{
	const size_t n = line->n * line->per; /* checked when the path was made */
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
