/*
 * store_url.c - parsing of URLs: schemes, escapes, paths
 *
 *   bare path            not unescaped; a '?' is part of the name, and so is a '|' if that file exists
 *   file:///a%20b        RFC 8089; also file:/a and file://localhost/a
 *   memory://name[/in]   the part after the name is a prefix
 *   scheme://rest?query  a module, or a store that a program has registered; its row says where in `rest` the path inside
 *                        begins, and which settings the query may have
 *   base|[adapter:]path  pipeline (draft ZEP 8), see store_pipeline.c
 *   zip://path::base     the same as base|zip:path, as fsspec writes it; base may be such a URL, too
 *
 * Promises (tests/unit/test_store_url.c names each by its number):
 *
 * (1) An escaped character is never syntax: %2F and %00 are refused, %7C is a '|' in a name.
 * (2) ".." never leaves what the URL names: above the top it is E_INVALID.
 * (3) A place's path is a valid key or empty, and has no symbolic link.
 * (4) The part of a URL before '@' and the part after '?' are not shown in errors, listings or a store's URL.
 * (5) The table of stores can be read and extended from many threads, and works in a forked child.
 */
#include <ctype.h>
#include <fcntl.h>

#include "store/store_url.h"

#define MAX_CHAIN 8

/* Schemes are ASCII and case-insensitive (RFC 3986 section 3.1). */
bool
zinc_url_same(const char *a, const char *b, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (tolower((unsigned char)a[i]) != tolower((unsigned char)b[i]))
			return false;
	return true;
}

/* The length of the scheme when `url` begins with "scheme://" or "file:/", else 0. */
static size_t
scheme_length(const char *url)
{
	size_t n = 0;

	if (!isalpha((unsigned char)url[0]))
		return 0;
	while (isalnum((unsigned char)url[n]) || url[n] == '+' || url[n] == '-' || url[n] == '.')
		n++;
	if (strncmp(url + n, "://", 3) == 0 ||
	    (n == 4 && zinc_url_same(url, "file", 4) && strncmp(url + n, ":/", 2) == 0))
		return n;
	return 0;
}

static int
hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)tolower((unsigned char)c);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Unescape one character at *at.  In a path '?', '#' and %2F are refused. */
static zinc_status
unescape_one(const char *s, size_t n, size_t *at, bool path, char *out, zinc_error *err)
{
	int high, low;

	*out = s[*at];
	if (path && (*out == '?' || *out == '#'))
		return zinc_fail(err, ZINC_E_INVALID, "a '%c' in a URL's path must be written %%%02X", *out,
				 (unsigned)*out);
	if (*out != '%')
		return ZINC_OK;
	high = n - *at > 2 ? hex_digit(s[*at + 1]) : -1;
	low = high >= 0 ? hex_digit(s[*at + 2]) : -1;
	if (low < 0)
		return zinc_fail(err, ZINC_E_INVALID, "a '%%' in a URL must be followed by two hexadecimal digits");
	*out = (char)(high * 16 + low);
	*at += 2;
	if (*out == '\0' || (path && *out == '/'))
		return zinc_fail(err, ZINC_E_INVALID, "%%%02X in a URL: names cannot contain that character",
				 (unsigned)*out);
	return ZINC_OK;
}

/* Escapes are decoded byte by byte; UTF-8 is checked later, when the text becomes a key. */
zinc_status
zinc_url_unescape(zinc_buf *out, const char *s, size_t n, bool path, zinc_error *err)
{
	size_t at;
	char c;

	for (at = 0; at < n; at++) {
		ZINC_TRY(unescape_one(s, n, &at, path, &c, err));
		ZINC_TRY(zinc_buf_add(out, &c, 1, err));
	}
	return ZINC_OK;
}

/* RFC 8089: "//", then no authority or "localhost", then an absolute path; or the path alone. */
static zinc_status
file_path(zinc_buf *out, const char *s, size_t n, zinc_error *err)
{
	static const char host[] = "localhost";

	if (n >= 2 && s[0] == '/' && s[1] == '/') {
		s += 2;
		n -= 2;
		if (n >= sizeof host - 1 && zinc_url_same(s, host, sizeof host - 1)) {
			s += sizeof host - 1;
			n -= sizeof host - 1;
		}
	}
	if (n == 0 || s[0] != '/')
		return zinc_fail(err, ZINC_E_INVALID,
				 "a file URL names an absolute path on this machine: file:///path");
	return zinc_url_unescape(out, s, n, true, err);
}

/* Does the bare path[0..n) exist?  Links are not followed. */
static bool
exists(zinc_context *ctx, const char *path, size_t n)
{
	const bool absolute = path[0] == '/';
	int top = ctx->os->open_root(ctx->os, absolute ? "/" : ".", O_PATH);
	char *copy = zinc_strndup(ctx, path, n);
	struct stat st;
	const bool there = copy && top != -1 && ctx->os->fstatat(ctx->os, top, copy + absolute, &st) == 0;

	if (top != -1)
		ctx->os->close(ctx->os, top);
	zinc_free(ctx, copy);
	return there;
}

/* "http:/host" is a misspelled web address that may hold a password: it must not become the name of a directory.  Nor
 * does "s3:bucket", unless it is there. */
static zinc_status
check_slashes(zinc_context *ctx, const char *url, zinc_error *err)
{
	const size_t n = strcspn(url, ":/");

	if (url[n] != ':' || !(zinc_store_is_scheme(url, n) || zinc_store_has_scheme("zip", url, n)))
		return ZINC_OK;
	if (zinc_store_has_scheme("http,https", url, n))
		return zinc_fail(err, ZINC_E_INVALID,
				 "a web address begins with \"https://\"; a path of that name with \"./\"");
	if (exists(ctx, url, strcspn(url, "/|")))
		return ZINC_OK;
	return zinc_fail(err, ZINC_E_INVALID, "a URL begins with \"%.*s://\"; a new path of that name with \"./\"",
			 (int)n, url);
}

/* Does the '|' at url[n] belong to an existing name?  That name may end at any later '|' or at '/'. */
static bool
is_in_name(zinc_context *ctx, const char *url, size_t n)
{
	while (url[n] && url[n] != '/') {
		n += 1 + strcspn(url + n + 1, "|/");
		if (exists(ctx, url, n))
			return true;
	}
	return false;
}

/* The length of the part before '|'.  In a bare path a '|' is part of the name if that file exists; in a URL it must be
 * written %7C. */
static size_t
base_length(zinc_context *ctx, const char *url, bool bare)
{
	size_t n = strcspn(url, "|");

	while (bare && url[n] == '|' && is_in_name(ctx, url, n))
		n += 1 + strcspn(url + n + 1, "|");
	return n;
}

/* "zip://b::zip://a::base" as "base|zip:a|zip:b".  The innermost is first, so the parts are added from the last on. */
static zinc_status
unchain(zinc_buf *out, const char *url, int depth, zinc_error *err)
{
	static const char scheme[] = "zip://";
	const char *next = zinc_url_chained(url);
	const char *path = url + sizeof scheme - 1;
	const size_t n = next ? (size_t)(next - 2 - path) : 0;

	if (!next)
		return zinc_buf_puts(out, url, err);
	if (depth == MAX_CHAIN)
		return zinc_fail(err, ZINC_E_INVALID, "more than %d archives inside of each other", MAX_CHAIN);
	if (next[0] == '\0')
		return zinc_fail(err, ZINC_E_INVALID, "\"zip://path::\" is followed by the URL of an archive");
	if (strcspn(path, "?#|") < n)
		return zinc_fail(err, ZINC_E_INVALID, "the path of \"zip://path::URL\" cannot have '?', '#' or '|'");
	ZINC_TRY(unchain(out, next, depth + 1, err));
	return zinc_buf_printf(out, err, "|zip:%.*s", (int)n, path);
}

zinc_status
zinc_url_parse(zinc_url *out, zinc_context *ctx, const char *url, zinc_error *err)
{
	size_t n, scheme;

	memset(out, 0, sizeof *out);
	zinc_buf_init(&out->base, ctx, ZINC_MAX_KEY);
	zinc_buf_init(&out->made, ctx, ZINC_MAX_KEY);
	if (!url || !url[0])
		return zinc_fail(err, ZINC_E_INVALID, "an empty URL");
	if (zinc_url_chained(url)) {
		ZINC_TRY(
		    zinc_buf_reserve(&out->made, strlen(url) + 1, err)); /* growing would leave copies of secrets */
		ZINC_TRY(unchain(&out->made, url, 0, err));
		url = zinc_buf_text(&out->made);
		if (!url)
			return zinc_fail_nomem(err);
	}
	scheme = scheme_length(url);
	n = base_length(ctx, url, scheme == 0);
	if (url[n] == '|')
		out->inner = url + n + 1;
	if (scheme >= ZINC_SCHEME_BYTES)
		return zinc_fail(err, ZINC_E_INVALID, "the scheme of the URL is too long: %zu characters", scheme);
	memcpy(out->scheme, url, scheme);
	out->plain = scheme == 0;
	if (scheme == 0) {
		ZINC_TRY(check_slashes(ctx, url, err));
		return zinc_buf_add(&out->base, url, n, err);
	}
	if (zinc_store_has_scheme("zip", out->scheme, scheme))
		return zinc_fail(err, ZINC_E_INVALID,
				 "an archive is named as zip://path::URL, as URL|zip:path, or as a path");
	if (zinc_store_has_scheme("file", out->scheme, scheme))
		return file_path(&out->base, url + scheme + 1, n - scheme - 1, err);
	return zinc_buf_add(&out->base, url + scheme + 3, n - scheme - 3, err);
}

void
zinc_url_fini(zinc_url *u)
{
	zinc_buf_wipe(&u->base);
	zinc_buf_wipe(&u->made);
}

/* A local path is bare or has the scheme file. */
bool
zinc_url_is_local(const zinc_url *u)
{
	return u->scheme[0] == '\0' || zinc_store_has_scheme("file", u->scheme, strlen(u->scheme));
}

/* ---- paths ---- */

/* Append the components of path[0..n) to `out`, joined by single slashes; "." is dropped, ".." removes the previous
 * component. */
zinc_status
zinc_url_add_path(zinc_buf *out, const char *path, size_t n, zinc_error *err)
{
	size_t at, len;

	for (at = 0; at < n; at += len + 1) {
		const char *slash = (const char *)memchr(path + at, '/', n - at);

		len = (slash ? (size_t)(slash - path) : n) - at;
		if (len == 0 || (len == 1 && path[at] == '.'))
			continue;
		if (len == 2 && path[at] == '.' && path[at + 1] == '.') {
			if (out->n == 0)
				return zinc_fail(err, ZINC_E_INVALID, "\"..\" leads out of what the URL names");
			while (out->n && out->p[--out->n] != '/')
				continue;
			continue;
		}
		if (out->n)
			ZINC_TRY(zinc_buf_add(out, "/", 1, err));
		ZINC_TRY(zinc_buf_add(out, path + at, len, err));
	}
	return ZINC_OK;
}

/* The path inside a store, as a valid key or "". */
zinc_status
zinc_url_key(char **out, zinc_context *ctx, const char *path, bool escaped, zinc_error *err)
{
	zinc_buf plain, clean;
	zinc_status st;

	zinc_buf_init(&plain, ctx, ZINC_MAX_KEY);
	zinc_buf_init(&clean, ctx, ZINC_MAX_KEY);
	st = escaped ? zinc_url_unescape(&plain, path, strlen(path), true, err) : zinc_buf_puts(&plain, path, err);
	if (st == ZINC_OK)
		st = zinc_url_add_path(&clean, (const char *)plain.p, plain.n, err);
	if (st == ZINC_OK && !zinc_buf_text(&clean))
		st = zinc_fail_nomem(err);
	if (st == ZINC_OK && clean.n)
		st = zinc_key_check((const char *)clean.p, err);
	zinc_buf_fini(&plain);
	if (st == ZINC_OK)
		*out = (char *)clean.p;
	else
		zinc_buf_fini(&clean);
	return st;
}

/* ---- databases that are files, with a path inside ---- */

bool
zinc_store_has_ending(const char *name, size_t n, const char *endings)
{
	size_t len;

	for (; endings && *endings; endings += len + (endings[len] == ',')) {
		len = strcspn(endings, ",");
		if (len < n && zinc_url_same(name + n - len, endings, len))
			return true;
	}
	return false;
}

bool
zinc_url_path_mode(zinc_context *ctx, const char *path, mode_t *mode)
{
	const zinc_os *os = ctx->os;
	const bool absolute = path[0] == '/';
	int top = os->open_root(os, absolute ? "/" : ".", O_PATH), fd = -1;
	struct stat st;
	bool there;

	if (top != -1)
		fd = os->open_at(os, top, path + absolute, O_PATH, 0, ZINC_LINKS_FOLLOW);
	there = fd != -1 && os->fstat(os, fd, &st) == 0;
	if (there)
		*mode = st.st_mode;
	if (fd != -1)
		os->close(os, fd);
	if (top != -1)
		os->close(os, top);
	return there;
}

/* Is the escaped path[0..n) a file?  Links are followed. */
static zinc_status
is_file(zinc_context *ctx, const char *path, size_t n, bool *yes, zinc_error *err)
{
	mode_t mode = 0;
	zinc_buf plain;
	zinc_status s;

	*yes = false;
	zinc_buf_init(&plain, ctx, ZINC_MAX_KEY);
	s = zinc_url_unescape(&plain, path, n, true, err);
	if (s == ZINC_OK && !zinc_buf_text(&plain))
		s = zinc_fail_nomem(err);
	if (s == ZINC_OK)
		*yes = zinc_url_path_mode(ctx, (const char *)plain.p, &mode) && S_ISREG(mode);
	zinc_buf_fini(&plain);
	return s;
}

zinc_status
zinc_url_split_file(const char *rest, const char *endings, zinc_context *ctx, size_t *nbytes, zinc_error *err)
{
	size_t at, end, named = SIZE_MAX;
	bool yes;

	for (at = 0; rest[at]; at = end + (rest[end] == '/')) {
		end = at + strcspn(rest + at, "/");
		if (end == at)
			continue;
		ZINC_TRY(is_file(ctx, rest, end, &yes, err));
		if (yes) {
			*nbytes = end;
			return ZINC_OK;
		}
		if (named == SIZE_MAX && zinc_store_has_ending(rest + at, end - at, endings))
			named = end;
	}
	*nbytes = named == SIZE_MAX ? strlen(rest) : named;
	return ZINC_OK;
}
