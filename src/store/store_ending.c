/*
 * store_ending.c - files that are stores, known by their ending: /d/a.zip/x is the key x of the archive /d/a.zip
 *
 *     URL                     read as
 *     /d/a.zip/x              /d/a.zip|zip:x             if /d/a.zip is a file, or if nothing is there
 *     https://h/a.zip/x?q=1   https://h/a.zip?q=1|zip:x  servers are not asked: the ending alone decides
 *     /d/a.sqlite/x           sqlite:///d/a.sqlite/x     a kind of store with a scheme; only for local paths
 *     /d/a.lmdb/x             lmdb:///d/a.lmdb/x         also if /d/a.lmdb/data.mdb is a file
 *     /d/a.zip/x|cache:y      /d/a.zip|zip:x|cache:y     what precedes a '|' is read in the same way
 *     /d/a.db|zip:x           as it is written           the adapter says what the file is
 *
 * Endings are a member of the rows of the table of stores, and of the table of modules.
 *
 * Promises (tests/unit/test_store_pipeline.c has them under "endings"):
 *
 * (1) A local directory is not taken for such a file, whatever its name is, unless it has the marker of its kind
 *     (tests/unit/test_store_lmdb.c).
 * (2) The first component that is such a file is used; what follows is the path inside, with the URL's own escapes.
 * (3) What precedes a '|' is the same store as without it, unless an adapter of values follows that can be meant: after
 *     the name of a local file, or any path of a server.  Of a URL with a scheme only the path inside the store is looked
 *     at.
 * (4) In a bare path a '?' in the name of an existing file is part of the name; after that name it begins the query.
 */
#include "store/store_url.h"

/* What a path has at one of its components. */
typedef struct found {
	zinc_ending row;
	size_t end; /* of the component */
} found;

typedef enum local_kind { LOCAL_NONE, LOCAL_FILE, LOCAL_OTHER } local_kind;

static local_kind
kind_of(zinc_context *ctx, const char *path)
{
	mode_t mode = 0;

	if (!zinc_url_path_mode(ctx, path, &mode))
		return LOCAL_NONE;
	return S_ISREG(mode) ? LOCAL_FILE : LOCAL_OTHER;
}

/* What is at path[0..end)?  A directory with the file `marker` (NULL: none) counts as a file. */
static zinc_status
look(zinc_context *ctx, const char *path, size_t end, const char *marker, local_kind *out, zinc_error *err)
{
	const size_t nmarker = marker ? strlen(marker) + 1 : 0;
	char *name = (char *)zinc_alloc(ctx, end + nmarker + 1);

	if (!name)
		return zinc_fail_nomem(err);
	memcpy(name, path, end);
	name[end] = '\0';
	*out = kind_of(ctx, name);
	if (*out == LOCAL_OTHER && marker) {
		name[end] = '/';
		memcpy(name + end + 1, marker, nmarker);
		*out = kind_of(ctx, name) == LOCAL_FILE ? LOCAL_FILE : LOCAL_OTHER;
	}
	zinc_free(ctx, name);
	return ZINC_OK;
}

/* The component path[at..end) of a local path.  "a.zip?q" is the file a.zip with a query, unless that name exists. */
static zinc_status
examine_local(found *out, zinc_context *ctx, const char *path, size_t at, size_t end, zinc_error *err)
{
	const size_t query = at + strcspn(path + at, "?");
	local_kind there;

	if (zinc_store_find_ending(&out->row, path + at, end - at)) {
		ZINC_TRY(look(ctx, path, end, out->row.marker, &there, err));
		out->end = there == LOCAL_OTHER ? 0 : end;
	} else if (query < end && zinc_store_find_ending(&out->row, path + at, query - at)) {
		ZINC_TRY(look(ctx, path, end, NULL, &there, err));
		if (there == LOCAL_NONE)
			return examine_local(out, ctx, path, at, query, err);
	}
	return ZINC_OK;
}

/* Look at path[0..n) from `at` on.  With ctx the path is local, and the file system decides; else only an adapter can
 * be used.  out->end is 0 when there is no such component. */
static zinc_status
search(found *out, zinc_context *ctx, const char *path, size_t at, size_t n, zinc_error *err)
{
	size_t end;

	for (out->end = 0; at < n && out->end == 0; at = end + 1) {
		end = at + strcspn(path + at, "/");
		end = end < n ? end : n;
		if (ctx)
			ZINC_TRY(examine_local(out, ctx, path, at, end, err));
		else if (zinc_store_find_ending(&out->row, path + at, end - at) && out->row.adapter)
			out->end = end;
	}
	return ZINC_OK;
}

/* Escape what has a meaning in a URL. */
static zinc_status
add_escaped(zinc_buf *out, const char *s, size_t n, const char *special, zinc_error *err)
{
	size_t at, len;

	for (at = 0; at < n; at += len) {
		len = strcspn(s + at, special);
		len = len < n - at ? len : n - at;
		ZINC_TRY(zinc_buf_add(out, s + at, len, err));
		if (len == 0) {
			ZINC_TRY(zinc_buf_printf(out, err, "%%%02X", (unsigned)(unsigned char)s[at]));
			len = 1;
		}
	}
	return ZINC_OK;
}

/* The local path becomes the rest of a URL of this scheme. */
static zinc_status
use_scheme(zinc_url *u, const found *f, zinc_context *ctx, zinc_error *err)
{
	const char *path = (const char *)u->base.p, *inside = path + f->end;
	zinc_status st;
	zinc_buf rest;

	zinc_buf_init(&rest, ctx, ZINC_MAX_KEY);
	st = add_escaped(&rest, path, f->end, "%?#", err);
	if (st == ZINC_OK)
		st = add_escaped(&rest, inside, strlen(inside), u->scheme[0] ? "%?#" : "%#", err);
	if (st == ZINC_OK && !zinc_buf_text(&rest))
		st = zinc_fail_nomem(err);
	if (st != ZINC_OK) {
		zinc_buf_fini(&rest);
		return st;
	}
	zinc_buf_wipe(&u->base);
	u->base = rest;
	memset(u->scheme, 0, sizeof u->scheme);
	memcpy(u->scheme, f->row.scheme, strcspn(f->row.scheme, ","));
	return ZINC_OK;
}

/* "zip:x|cache:y": the path inside, and what followed.  The path of a file URL has lost its escapes, what follows has
 * not. */
static zinc_status
make_inner(zinc_buf *out, const zinc_url *u, const found *f, const char *inside, size_t n, bool local, zinc_error *err)
{
	const char *inner = u->inner ? u->inner : "";

	ZINC_TRY(
	    zinc_buf_reserve(out, strlen(f->row.adapter) + 3 * n + strlen(inner) + 4, err)); /* secrets: no copies */
	ZINC_TRY(zinc_buf_printf(out, err, "%.*s:", (int)strcspn(f->row.adapter, ","), f->row.adapter));
	if (local && !u->plain)
		ZINC_TRY(add_escaped(out, inside, n, "%?#|", err));
	else
		ZINC_TRY(zinc_buf_add(out, inside, n, err));
	if (u->inner)
		ZINC_TRY(zinc_buf_printf(out, err, "|%s", inner));
	return zinc_buf_text(out) ? ZINC_OK : zinc_fail_nomem(err);
}

/* "a.zip/x?q" becomes the base "a.zip?q" and the inner part "zip:x". */
static zinc_status
use_adapter(zinc_url *u, const found *f, size_t npath, bool local, zinc_error *err)
{
	const char *path = (const char *)u->base.p;
	zinc_status st;
	zinc_buf made;

	zinc_buf_init(&made, u->made.ctx, ZINC_MAX_KEY);
	st = make_inner(&made, u, f, path + f->end, npath - f->end, local, err);
	if (st == ZINC_OK) {
		memmove(u->base.p + f->end, u->base.p + npath, u->base.n - npath);
		u->base.n -= npath - f->end;
		st = zinc_buf_text(&u->base) ? ZINC_OK : zinc_fail_nomem(err);
	}
	if (st != ZINC_OK) {
		zinc_buf_wipe(&made);
		return st;
	}
	zinc_buf_wipe(&u->made);
	u->made = made;
	u->inner = (const char *)u->made.p;
	return ZINC_OK;
}

/* Does an adapter follow that says what path[0..npath) is?  A version of Zarr and the cache do not, and below a local
 * file is nothing that it could be said of; a server may have a directory of that name. */
static bool
is_told(const zinc_url *u, const found *f, const char *path, size_t npath, bool local)
{
	const size_t n = u->inner ? strcspn(u->inner, ":/|") : 0;

	if (!u->inner || u->inner[n] != ':' || (local && f->end + strspn(path + f->end, "/") < npath))
		return false;
	return !zinc_pipeline_is_format(u->inner, n) &&
	       !zinc_store_has_scheme(zinc_store_ops_cache.adapters, u->inner, n);
}

/* Where the path inside begins in path[0..n) of a URL: what is before names the store itself, whatever its ending.  An
 * unknown scheme is reported when the store is opened. */
static zinc_status
inside_begins(const zinc_url *u, const char *path, size_t n, zinc_context *ctx, size_t *at, zinc_error *err)
{
	const zinc_store_ops *ops = NULL;
	zinc_status st = ZINC_OK;
	char *rest;

	*at = n;
	if (zinc_store_find_url(&ops, u, ctx, NULL) != ZINC_OK)
		return ZINC_OK;
	rest = zinc_strndup(ctx, path, n);
	if (!rest)
		return zinc_fail_nomem(err);
	*at = strcspn(rest, "/");
	if (ops->split)
		st = ops->split(rest, ctx, at, err);
	zinc_free(ctx, rest);
	return st;
}

zinc_status
zinc_url_use_ending(zinc_url *u, zinc_context *ctx, zinc_error *err)
{
	const bool local = zinc_url_is_local(u);
	const char *path = zinc_buf_text(&u->base);
	size_t n, at = 0;
	found f;

	if (!path)
		return zinc_fail_nomem(err);
	n = local ? strlen(path) : strcspn(path, "?");
	if (!local)
		ZINC_TRY(inside_begins(u, path, n, ctx, &at, err));
	ZINC_TRY(search(&f, local ? ctx : NULL, path, at, n, err));
	if (f.end == 0 || is_told(u, &f, path, n, local))
		return ZINC_OK;
	return f.row.adapter ? use_adapter(u, &f, n, local, err) : use_scheme(u, &f, ctx, err);
}
