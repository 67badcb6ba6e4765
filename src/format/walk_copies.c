/*
 * walk_copies.c - listing from consolidated metadata
 *
 * Promises:
 *
 * (1) What the copies say is taken for true, and both spellings of paths in the wild, "a/b" and "/a/b", are read.  A
 *     name that no node of this format and store can have makes no node: it is shown as hidden.
 * (2) Parents come before their children, siblings in order of their names' bytes.
 */
#include <stdlib.h>

#include "format/layout.h"

struct copy {
	const char *path; /* relative to the group that has the copies, without a leading '/' */
	zinc_json *doc;
	bool bad; /* no node can have this path */
};

/* Parents before their children, siblings in order of their bytes: '/' counts as the lowest of all. */
static int
compare_copies(const void *a, const void *b)
{
	const unsigned char *x = (const unsigned char *)((const struct copy *)a)->path;
	const unsigned char *y = (const unsigned char *)((const struct copy *)b)->path;

	while (*x && *x == *y)
		x++, y++;
	if (*x == '/' || *y == '/')
		return *x == '/' ? (*y == '\0' ? 1 : -1) : (*x == '\0' ? -1 : 1);
	return (*x > *y) - (*x < *y);
}

/* A path made of names that nodes can have, in this store? */
static zinc_status
check_path(const zinc_hierarchy *h, const char *path, zinc_error *err)
{
	const char *name = path;

	while (*name) {
		const size_t n = strcspn(name, "/");

		ZINC_TRY(h->format->check_name(h->format, name, n, err));
		name += n;
		if (*name == '/' && *++name == '\0')
			return zinc_fail(err, ZINC_E_INVALID, "a path must not end with '/'");
	}
	return zinc_store_check_key(h->store, path, err);
}

/* The copies of nodes below `below` ("" or "a/b/"), in order. */
static zinc_status
sort_copies(const zinc_hierarchy *h, const zinc_json *metadata, const char *below, struct copy **out, size_t *n,
	    zinc_error *err)
{
	const size_t nbelow = strlen(below);
	struct copy *copies;
	zinc_json *v;

	if (metadata->n > h->ctx->limits.children)
		return zinc_fail(err, ZINC_E_LIMIT, "consolidated metadata of %zu nodes", metadata->n);
	copies = zinc_calloc(h->ctx, metadata->n, sizeof *copies);
	if (!copies)
		return zinc_fail_nomem(err);
	*n = 0;
	for (v = metadata->first; v; v = v->next) {
		const char *path = v->key + (v->key[0] == '/');

		if (strncmp(path, below, nbelow) != 0 || !path[nbelow])
			continue;
		copies[*n].path = path + nbelow;
		copies[*n].bad = strlen(v->key) != v->nkey || check_path(h, path, NULL) != ZINC_OK;
		copies[(*n)++].doc = v;
	}
	qsort(copies, *n, sizeof *copies, compare_copies);
	*out = copies;
	return ZINC_OK;
}

/* How far below the group a relative path lies: "a" is 1. */
static int
depth_of(const char *path)
{
	int depth = 1;

	while ((path = strchr(path, '/')) != NULL)
		depth++, path++;
	return depth;
}

/* Groups between the node shown last and `path` that have no copy: they exist by their descendants only. */
static zinc_status
show_between(zinc_walker *w, const zinc_buf *last, const char *path, int depth, zinc_error *err)
{
	const char *slash;

	for (slash = strchr(path, '/'); slash && depth-- != 0; slash = strchr(slash + 1, '/')) {
		const size_t n = (size_t)(slash - path);

		if (last->n >= n && memcmp(last->p, path, n) == 0 && (last->n == n || last->p[n] == '/'))
			continue;
		ZINC_TRY(zinc_walker_at(w, path, n, err));
		ZINC_TRY(zinc_walker_implicit(w, err));
	}
	return ZINC_OK;
}

/* The path as a finding; `depth` as in show_copies. */
static zinc_status
show_bad(zinc_walker *w, const struct copy *copy, int depth, zinc_error *err)
{
	zinc_error why = ZINC_ERROR_INIT;

	if (depth >= 0 && depth_of(copy->path) > depth)
		return ZINC_OK;
	if (check_path(w->h, copy->path, &why) == ZINC_OK)
		zinc_fail(&why, ZINC_E_CORRUPT, "a name must not have a NUL");
	return zinc_walker_hidden(w, "", copy->path, ZINC_E_CORRUPT, why.text, err);
}

/* In order, so that a missing parent shows as soon as its first child comes. */
static zinc_status
show_copies(zinc_walker *w, const struct copy *copies, size_t n, int depth, zinc_error *err)
{
	zinc_status s = ZINC_OK;
	zinc_buf last;
	size_t i;

	zinc_buf_init(&last, w->h->ctx, ZINC_MAX_KEY);
	for (i = 0; i < n && s == ZINC_OK && !w->stopped; i++) {
		if (copies[i].bad) {
			s = show_bad(w, &copies[i], depth, err);
			continue;
		}
		if (i > 0 && !copies[i - 1].bad && strcmp(copies[i].path, copies[i - 1].path) == 0)
			continue; /* "a" and "/a" are one node */
		s = show_between(w, &last, copies[i].path, depth, err);
		zinc_buf_end(&last, 0);
		if (s == ZINC_OK)
			s = zinc_buf_puts(&last, copies[i].path, err);
		if (s != ZINC_OK || w->stopped || (depth >= 0 && depth_of(copies[i].path) > depth))
			continue;
		s = zinc_walker_at(w, copies[i].path, last.n, err);
		if (s == ZINC_OK)
			s = zinc_walker_copy(w, copies[i].doc, err);
	}
	zinc_buf_fini(&last);
	return s;
}

zinc_status
zinc_walker_copies(zinc_walker *w, const zinc_json *metadata, const char *below, int depth, zinc_error *err)
{
	struct copy *copies = NULL;
	zinc_status s;
	size_t n = 0;

	ZINC_TRY(sort_copies(w->h, metadata, below, &copies, &n, err));
	s = show_copies(w, copies, n, depth, err);
	zinc_free(w->h->ctx, copies);
	return s;
}
