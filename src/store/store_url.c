/*
 * store_url.c - from a URL to an open store: schemes, escapes, pipelines, and where a node's URL leads
 *
 *   bare path            taken as it is, without unescaping
 *   file:///a%20b        RFC 8089; also file:/a and file://localhost/a
 *   memory://name[/in]   the part behind the name is a prefix
 *   scheme://rest        a module, or whatever a program has registered; `rest` is handed over as it is, but
 *                        where a root must be looked for it is "name?query" of "name/path?query"
 *   base|[adapter:]path  pipeline (draft ZEP 8): the store is base, the node lies at path
 *
 * Promises (tests/unit/test_store_url.c names each by its number):
 *
 * (1) What an escape stands for is never taken for syntax: %2F and %00 are refused, %7C is a '|' in a name.
 * (2) ".." never leads out of what the URL names: past the top it is E_INVALID.
 * (3) A place's path is a valid key or empty, and no symbolic link lies on it.
 * (4) What comes before '@' and behind '?' in a URL is not shown in errors, listings or a store's URL.
 * (5) The registry can be read and extended from many threads, and works in a forked child.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>

#include "store/store_inside.h"

#define MOST_SCHEMES 64
#define SCHEME_BYTES 32

static const zinc_store_ops *const builtin[] = {&zinc_store_ops_fs, &zinc_store_ops_memory};
#define BUILTINS (sizeof builtin / sizeof builtin[0])

/* ---- the registry ---- */

static struct {
	pthread_mutex_t lock;
	pthread_once_t once;
	zinc_fork_hook fork;
	size_t n;
	const zinc_store_ops *added[MOST_SCHEMES];
} registry = {.lock = PTHREAD_MUTEX_INITIALIZER, .once = PTHREAD_ONCE_INIT};

static void
lock_registry(void *object)
{
	(void)object;
	pthread_mutex_lock(&registry.lock);
}

static void
unlock_registry(void *object)
{
	(void)object;
	pthread_mutex_unlock(&registry.lock);
}

/* Static, so it is never removed. */
static void
hook_registry(void)
{
	registry.fork.before = lock_registry;
	registry.fork.parent = unlock_registry;
	registry.fork.child = unlock_registry;
	zinc_fork_add(&registry.fork);
}

void
zinc_store_lock_names(void)
{
	pthread_once(&registry.once, hook_registry);
	pthread_mutex_lock(&registry.lock);
}

void
zinc_store_unlock_names(void)
{
	pthread_mutex_unlock(&registry.lock);
}

/* Schemes are ASCII and case does not matter (RFC 3986 section 3.1). */
static bool
same_scheme(const char *a, const char *b, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (tolower((unsigned char)a[i]) != tolower((unsigned char)b[i]))
			return false;
	return true;
}

bool
zinc_store_has_scheme(const char *list, const char *scheme, size_t n)
{
	size_t len;

	for (; list && *list; list += len + (list[len] == ',')) {
		len = strcspn(list, ",");
		if (len == n && same_scheme(list, scheme, n))
			return true;
	}
	return false;
}

/* The registry's lock is held. */
static const zinc_store_ops *
find_scheme(const char *scheme, size_t n)
{
	size_t i;

	for (i = 0; i < BUILTINS; i++)
		if (zinc_store_has_scheme(builtin[i]->schemes, scheme, n))
			return builtin[i];
	for (i = 0; i < registry.n; i++)
		if (zinc_store_has_scheme(registry.added[i]->schemes, scheme, n))
			return registry.added[i];
	return NULL;
}

/* All of its schemes or none. */
static zinc_status
add_ops(const zinc_store_ops *ops, zinc_error *err)
{
	const char *list = ops->schemes;
	size_t len;

	for (; *list; list += len + (list[len] == ',')) {
		len = strcspn(list, ",");
		if (find_scheme(list, len))
			return zinc_fail(err, ZINC_E_EXISTS, "the scheme \"%.*s\" is taken", (int)len, list);
	}
	if (registry.n == MOST_SCHEMES)
		return zinc_fail(err, ZINC_E_LIMIT, "more than %d stores", MOST_SCHEMES);
	registry.added[registry.n++] = ops;
	return ZINC_OK;
}

/* What every store must have is asked here, where the programmer sees it, and again when one is opened. */
zinc_status
zinc_store_register(const zinc_store_ops *ops, zinc_error *err)
{
	zinc_status st;

	if (ops->size < offsetof(zinc_store_ops, put) || !ops->schemes || !ops->schemes[0] || !ops->open || !ops->get ||
	    !ops->caps || !ops->close)
		return zinc_fail(err, ZINC_E_INVALID, "a store needs size, schemes, open, get, caps and close");
	zinc_store_lock_names();
	st = add_ops(ops, err);
	zinc_store_unlock_names();
	return st;
}

/* Rows are copied out first, so that fn may open stores. */
void
zinc_store_each(zinc_row_fn fn, void *arg)
{
	const zinc_store_ops *all[BUILTINS + MOST_SCHEMES];
	size_t n, i;

	memcpy(all, builtin, sizeof builtin);
	zinc_store_lock_names();
	memcpy(all + BUILTINS, registry.added, registry.n * sizeof registry.added[0]);
	n = BUILTINS + registry.n;
	zinc_store_unlock_names();
	for (i = 0; i < n; i++)
		if (fn(arg, all[i]->name ? all[i]->name : "", all[i]->schemes,
		       all[i]->purpose ? all[i]->purpose : "") != 0)
			return;
	(void)zinc_store_module_each(fn, arg);
}

/* ---- taking a URL apart ---- */

typedef struct url_parts {
	char scheme[SCHEME_BYTES]; /* "" for a bare path */
	zinc_buf base;             /* behind "scheme://" up to '|'; for file: the path, unescaped */
	const char *inner;         /* behind '|', NULL without; points into the URL */
} url_parts;

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
	    (n == 4 && same_scheme(url, "file", 4) && strncmp(url + n, ":/", 2) == 0))
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

/* One character of an escaped path, *at being where it begins. */
static zinc_status
unescape_one(const char *s, size_t n, size_t *at, char *out, zinc_error *err)
{
	int high, low;

	*out = s[*at];
	if (*out == '?' || *out == '#')
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
	if (*out == '\0' || *out == '/')
		return zinc_fail(err, ZINC_E_INVALID, "%%%02X in a URL: no name can have that character",
				 (unsigned)*out);
	return ZINC_OK;
}

/* Byte by byte: the bytes that come out are checked as UTF-8 by whoever takes them for a key. */
static zinc_status
unescape(zinc_buf *out, const char *s, size_t n, zinc_error *err)
{
	size_t at;
	char c;

	for (at = 0; at < n; at++) {
		ZINC_TRY(unescape_one(s, n, &at, &c, err));
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
		if (n >= sizeof host - 1 && same_scheme(s, host, sizeof host - 1)) {
			s += sizeof host - 1;
			n -= sizeof host - 1;
		}
	}
	if (n == 0 || s[0] != '/')
		return zinc_fail(err, ZINC_E_INVALID,
				 "a file URL names an absolute path on this machine: file:///path");
	return unescape(out, s, n, err);
}

/* "http:/host" is a web address with a mistake in it, and may hold a password: no directory is made of that. */
static bool
lacks_slashes(const char *url)
{
	const size_t n = strcspn(url, ":/");

	return url[n] == ':' && zinc_store_has_scheme("http,https", url, n);
}

/* A '|' is never part of a base: in a name it must be written %7C. */
static zinc_status
parse_url(url_parts *out, zinc_context *ctx, const char *url, zinc_error *err)
{
	size_t n, scheme;

	memset(out, 0, sizeof *out);
	zinc_buf_init(&out->base, ctx, SIZE_MAX - 1);
	if (!url || !url[0])
		return zinc_fail(err, ZINC_E_INVALID, "an empty URL");
	n = strcspn(url, "|");
	if (url[n] == '|')
		out->inner = url + n + 1;
	scheme = scheme_length(url);
	if (scheme >= SCHEME_BYTES)
		return zinc_fail(err, ZINC_E_INVALID, "a scheme of %zu characters", scheme);
	memcpy(out->scheme, url, scheme);
	if (scheme == 0 && lacks_slashes(url))
		return zinc_fail(err, ZINC_E_INVALID, "a web address begins with \"https://\"; a path of that name with \"./\"");
	if (scheme == 0)
		return zinc_buf_add(&out->base, url, n, err);
	if (zinc_store_has_scheme("file", out->scheme, scheme))
		return file_path(&out->base, url + scheme + 1, n - scheme - 1, err);
	return zinc_buf_add(&out->base, url + scheme + 3, n - scheme - 3, err);
}

/* Both spellings of a path: bare, and with the scheme file. */
static bool
is_local(const url_parts *u)
{
	return u->scheme[0] == '\0' || zinc_store_has_scheme("file", u->scheme, strlen(u->scheme));
}

/* ---- paths ---- */

/* Append the components of path[0..n) to `out`, joined by single slashes; "." goes, ".." takes one back. */
static zinc_status
add_path(zinc_buf *out, const char *path, size_t n, zinc_error *err)
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

/* The path inside of a store, as a valid key or "". */
static zinc_status
inner_path(char **out, zinc_context *ctx, const char *path, bool escaped, zinc_error *err)
{
	zinc_buf plain, clean;
	zinc_status st;

	zinc_buf_init(&plain, ctx, SIZE_MAX - 1);
	zinc_buf_init(&clean, ctx, SIZE_MAX - 1);
	st = escaped ? unescape(&plain, path, strlen(path), err) : zinc_buf_puts(&plain, path, err);
	if (st == ZINC_OK)
		st = add_path(&clean, (const char *)plain.p, plain.n, err);
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

/* "adapter:path" or "path" behind the '|' of a pipeline. */
static zinc_status
parse_inner(zinc_place *out, const char *inner, zinc_error *err)
{
	static const char *const known[] = {"zarr", "zarr2", "zarr3"};
	size_t n = strcspn(inner, ":/|"), i;

	if (strchr(inner, '|'))
		return zinc_fail(err, ZINC_E_UNSUPPORTED, "a URL with more than one '|'");
	if (inner[n] != ':')
		return ZINC_OK;
	for (i = 0; i < sizeof known / sizeof known[0]; i++)
		if (strlen(known[i]) == n && memcmp(known[i], inner, n) == 0) {
			memcpy(out->format, inner, n);
			return ZINC_OK;
		}
	return zinc_fail(err, ZINC_E_UNSUPPORTED, "no adapter \"%.*s\" for what follows '|'", (int)n, inner);
}

/* The adapter's name and its colon are as long as what parse_inner kept of them. */
static const char *
behind_adapter(const zinc_place *place, const char *inner)
{
	return place->format[0] ? inner + strlen(place->format) + 1 : inner;
}

/* ---- opening ---- */

/* A store around what was opened, with the options that hold for every kind. */
static zinc_status
wrap_opened(zinc_store **out, const zinc_store_ops *ops, void *self, const char *url, const zinc_store_options *o,
	    zinc_error *err)
{
	zinc_store *s = NULL;
	zinc_status st = zinc_store_wrap(&s, o->context, ops, self, url, err);

	if (st != ZINC_OK) {
		ops->close(self);
		return st;
	}
	if (o->relaxed)
		s->put_flags |= ZINC_PUT_RELAXED;
	if (!o->read_only) {
		*out = s;
		return ZINC_OK;
	}
	st = zinc_store_readonly(out, s, err);
	zinc_store_close(s);
	return st;
}

/* Whatever open made is closed again by wrap_opened if it cannot be wrapped. */
static zinc_status
open_ops(zinc_store **out, const zinc_store_ops *ops, const char *rest, const char *url, const zinc_store_options *o,
	 zinc_error *err)
{
	void *self = NULL;
	zinc_status st = ops->open(&self, rest, o, err);

	if (st == ZINC_OK)
		st = wrap_opened(out, ops, self, url, o, err);
	return st;
}

/* The table only grows and rows live for ever, so the row can be used without the lock.  What a program has registered
 * comes before a module of the same scheme. */
static zinc_status
find_ops(const zinc_store_ops **out, const url_parts *u, zinc_context *ctx, zinc_error *err)
{
	const char *scheme = is_local(u) ? "file" : u->scheme;

	zinc_store_lock_names();
	*out = find_scheme(scheme, strlen(scheme));
	zinc_store_unlock_names();
	if (!*out)
		ZINC_TRY(zinc_store_module_find(out, ctx, scheme, err));
	return *out ? ZINC_OK : zinc_fail(err, ZINC_E_INVALID, "no store for the scheme \"%s\"", scheme);
}

/* A store behind "scheme://", opened with `rest` of its URL. */
static zinc_status
open_rest(zinc_store **out, const zinc_store_ops *ops, const char *scheme, const char *rest,
	  const zinc_store_options *o, zinc_error *err)
{
	zinc_buf url, shown;
	zinc_bytes parts[3];
	zinc_status st;
	int k;

	zinc_buf_init(&url, o->context, SIZE_MAX - 1);
	zinc_buf_init(&shown, o->context, SIZE_MAX - 1);
	st = zinc_buf_printf(&url, err, "%s://%s", scheme, rest);
	if (st == ZINC_OK)
		zinc_url_parts(zinc_buf_text(&url), parts);
	for (k = 0; k < 3 && st == ZINC_OK; k++)
		st = zinc_buf_add(&shown, parts[k].p, parts[k].n, err);
	if (st == ZINC_OK && !zinc_buf_text(&shown))
		st = zinc_fail_nomem(err);
	if (st == ZINC_OK)
		st = open_ops(out, ops, rest, (const char *)shown.p, o, err);
	zinc_buf_fini(&shown);
	zinc_buf_fini(&url);
	return st;
}

/* Open "name" of "name/inner" and give the inner path.  A query goes with the name: "name/inner?query" is the key
 * "inner" of "name?query".  Names of memory stores have no query. */
static zinc_status
open_authority(zinc_store **out, char **inner, const zinc_store_ops *ops, url_parts *u, const zinc_store_options *o,
	       zinc_error *err)
{
	const char *base = zinc_buf_text(&u->base), *query;
	size_t n = base ? strcspn(base, ops == &zinc_store_ops_memory ? "/" : "/?") : 0;
	char *path = NULL;
	zinc_buf rest;
	zinc_status st;

	if (!base)
		return zinc_fail_nomem(err);
	query = ops == &zinc_store_ops_memory ? "" : base + strcspn(base, "?");
	zinc_buf_init(&rest, o->context, SIZE_MAX - 1);
	st = zinc_buf_printf(&rest, err, "%.*s%s", (int)n, base, query);
	if (st == ZINC_OK) {
		path = zinc_strndup(o->context, base + n, strlen(base + n) - strlen(query));
		st = path ? inner_path(inner, o->context, path, true, err) : zinc_fail_nomem(err);
	}
	if (st == ZINC_OK)
		st = open_rest(out, ops, u->scheme, zinc_buf_text(&rest), o, err);
	zinc_free(o->context, path);
	zinc_buf_fini(&rest);
	return st;
}

/* Replace *s by the keys below "path/" of it. */
static zinc_status
enter(zinc_store **s, const char *path, zinc_error *err)
{
	zinc_store *outer = *s;
	zinc_buf prefix;
	zinc_status st;

	if (path[0] == '\0')
		return ZINC_OK;
	zinc_buf_init(&prefix, outer->ctx, SIZE_MAX - 1);
	st = zinc_buf_printf(&prefix, err, "%s/", path);
	if (st == ZINC_OK)
		st = zinc_store_prefix(s, outer, zinc_buf_text(&prefix), err);
	zinc_buf_fini(&prefix);
	zinc_store_close(outer);
	if (st != ZINC_OK)
		*s = NULL;
	return st;
}

/* The whole of what stands before '|'. */
static zinc_status
open_base(zinc_store **out, url_parts *u, const zinc_store_options *o, zinc_error *err)
{
	const zinc_store_ops *ops = NULL;
	const char *base = zinc_buf_text(&u->base);
	char *path = NULL;
	zinc_store *s = NULL;
	zinc_status st;

	if (!base)
		return zinc_fail_nomem(err);
	ZINC_TRY(find_ops(&ops, u, o->context, err));
	if (is_local(u))
		return open_ops(out, ops, base, base, o, err);
	if (ops != &zinc_store_ops_memory)
		return open_rest(out, ops, u->scheme, base, o, err);
	st = open_authority(&s, &path, ops, u, o, err);
	if (st == ZINC_OK)
		st = enter(&s, path, err);
	if (st == ZINC_OK)
		*out = s;
	else
		zinc_store_close(s);
	zinc_free(o->context, path);
	return st;
}

/* ---- where a local path leads ---- */

/* Make `path` absolute and clean, without the slash in front. */
static zinc_status
absolute_path(zinc_buf *out, const char *path, zinc_error *err)
{
	char cwd[PATH_MAX];

	if (path[0] != '/') {
		if (zinc_cwd(cwd, sizeof cwd) != 0)
			return zinc_fail_errno(err, errno, "cannot find the current directory");
		ZINC_TRY(add_path(out, cwd, strlen(cwd), err));
	}
	ZINC_TRY(add_path(out, path, strlen(path), err));
	return zinc_buf_text(out) ? ZINC_OK : zinc_fail_nomem(err);
}

/* What is known of a local path. */
typedef struct way {
	size_t barrier; /* the store must begin below so many of its bytes */
	size_t odd;     /* where the name begins that makes the barrier; SIZE_MAX: another thing does */
	bool bad;       /* that name could be in no store */
	size_t there;   /* so many bytes of it are directories, or links to something */
} way;

/* Look at the component path[at..end): must a store that holds it begin below? */
static void
look_at(way *w, const zinc_os *os, int top, char *path, size_t at, size_t end)
{
	char kept = path[end];
	struct stat st;
	bool bad, odd, link, dir;

	path[end] = '\0';
	bad = zinc_key_check(path + at, NULL) != ZINC_OK;
	odd = bad || zinc_fs_key_check(path + at, NULL) != ZINC_OK;
	dir = os->fstatat(os, top, path, &st) == 0;
	link = dir && S_ISLNK(st.st_mode);
	dir = link || (dir && S_ISDIR(st.st_mode));
	path[end] = kept;
	if (odd) {
		w->barrier = end;
		w->odd = at;
		w->bad = bad;
	}
	if (dir && (at == 0 || w->there == at - 1))
		w->there = end;
}

static zinc_status
find_barrier(zinc_context *ctx, char *path, way *out, zinc_error *err)
{
	int top = ctx->os->open_root(ctx->os, "/", O_PATH);
	size_t at, end;

	if (top == -1)
		return zinc_fail_errno(err, errno, "cannot open /");
	for (at = 0; path[at]; at = end + (path[end] == '/')) {
		end = at + strcspn(path + at, "/");
		look_at(out, ctx->os, top, path, at, end);
	}
	ctx->os->close(ctx->os, top);
	return ZINC_OK;
}

/* What the place tells of the way to it. */
static zinc_status
tell_way(zinc_place *out, const char *path, const way *w, const char *inside, zinc_error *err)
{
	const size_t begin = (size_t)(inside - path);
	zinc_buf above;
	zinc_status st;

	out->there = w->there > begin ? w->there - begin : 0;
	out->path = zinc_strdup(out->ctx, inside);
	if (!out->path)
		return zinc_fail_nomem(err);
	if (w->odd == SIZE_MAX)
		return ZINC_OK;
	if (w->barrier - w->odd > NAME_MAX)
		return zinc_fail(err, ZINC_E_INVALID, "a name of %zu bytes: a file system holds at most %d",
				 w->barrier - w->odd, NAME_MAX);
	out->bad_name = w->bad && w->there < w->barrier;
	zinc_buf_init(&above, out->ctx, SIZE_MAX - 1);
	st = zinc_buf_printf(&above, err, "/%.*s", (int)w->odd, path);
	if (st == ZINC_OK)
		out->above = (char *)above.p;
	else
		zinc_buf_fini(&above);
	return st;
}

/* Open the file system at "/" + path[0..barrier), and nothing above `inside` may be removed. */
static zinc_status
open_local(zinc_store **out, zinc_context *ctx, const char *path, size_t barrier, const char *inside,
	   const zinc_store_options *o, zinc_error *err)
{
	const char *slash = strrchr(inside, '/');
	char *keep = zinc_strndup(ctx, inside, slash ? (size_t)(slash - inside) : 0);
	zinc_buf root;
	void *self = NULL;
	zinc_status st;

	zinc_buf_init(&root, ctx, SIZE_MAX - 1);
	st = keep ? zinc_buf_printf(&root, err, "/%.*s", (int)barrier, path) : zinc_fail_nomem(err);
	if (st == ZINC_OK)
		st = zinc_fs_open_keeping(&self, zinc_buf_text(&root), keep, o, err);
	if (st == ZINC_OK)
		st = wrap_opened(out, &zinc_store_ops_fs, self, zinc_buf_text(&root), o, err);
	zinc_buf_fini(&root);
	zinc_free(ctx, keep);
	return st;
}

/* Nothing need exist: what is not there cannot be a link. */
static zinc_status
local_place(zinc_place *out, url_parts *u, const zinc_store_options *o, zinc_error *err)
{
	zinc_store_options climbing = *o;
	zinc_context *ctx = o->context;
	const char *base = zinc_buf_text(&u->base), *inside;
	zinc_buf path;
	zinc_status st;
	way w = {.odd = SIZE_MAX};

	if (!base)
		return zinc_fail_nomem(err);
	climbing.links = ZINC_LINKS_FOLLOW; /* until the root is found: zinc_place_narrow */
	zinc_buf_init(&path, ctx, INT_MAX);
	st = absolute_path(&path, base, err);
	if (st == ZINC_OK)
		st = find_barrier(ctx, (char *)path.p, &w, err);
	if (st == ZINC_OK) {
		inside = (const char *)path.p + w.barrier;
		inside += *inside == '/';
		st = tell_way(out, (const char *)path.p, &w, inside, err);
		if (st == ZINC_OK)
			st = open_local(&out->store, ctx, (const char *)path.p, w.barrier, inside, &climbing, err);
	}
	zinc_buf_fini(&path);
	return st;
}

/* ---- doors ---- */

/* Three ways: a fixed root, a local path that may be climbed, or a store of its own with a path inside. */
static zinc_status
open_place(zinc_place *out, url_parts *u, const zinc_store_options *o, zinc_error *err)
{
	const zinc_store_ops *ops = NULL;

	if (u->inner) {
		out->root_fixed = true;
		ZINC_TRY(parse_inner(out, u->inner, err));
		ZINC_TRY(inner_path(&out->path, o->context, behind_adapter(out, u->inner), u->scheme[0] != '\0', err));
		return open_base(&out->store, u, o, err);
	}
	out->local = is_local(u);
	if (out->local)
		return local_place(out, u, o, err);
	ZINC_TRY(find_ops(&ops, u, o->context, err));
	return open_authority(&out->store, &out->path, ops, u, o, err);
}

void
zinc_place_fini(zinc_place *place)
{
	zinc_free(place->ctx, place->path);
	zinc_free(place->ctx, place->above);
	zinc_store_close(place->store);
	memset(place, 0, sizeof *place);
}

zinc_status
zinc_place_open(zinc_place *out, const char *url, const zinc_store_options *options, zinc_error *err)
{
	zinc_store_options o;
	url_parts u;
	zinc_status st;

	memset(out, 0, sizeof *out);
	ZINC_TRY(zinc_options_take(&o, sizeof o, options, err));
	o.context = zinc_context_get(o.context);
	out->ctx = o.context;
	out->there = SIZE_MAX;
	st = parse_url(&u, o.context, url, err);
	if (st == ZINC_OK)
		st = open_place(out, &u, &o, err);
	zinc_buf_fini(&u.base);
	if (st != ZINC_OK)
		zinc_place_fini(out);
	return zinc_error_at_url(err, st, url);
}

/* The way to the new root is the user's own choice, as that to any root is. */
zinc_status
zinc_place_narrow(zinc_place *place, size_t n, const zinc_store_options *options, zinc_error *err)
{
	const char *base = zinc_store_url(place->store), *rest = place->path + n;
	zinc_store_options o = *options;
	zinc_store *inner = NULL;
	zinc_status st;
	zinc_buf root;

	if (!place->local || o.links == ZINC_LINKS_FOLLOW)
		return ZINC_OK;
	o.context = place->ctx;
	zinc_buf_init(&root, place->ctx, INT_MAX);
	st = zinc_buf_printf(&root, err, "%s%s%.*s", base, n == 0 || base[strlen(base) - 1] == '/' ? "" : "/", (int)n,
			     place->path);
	if (st == ZINC_OK)
		st = open_ops(&inner, &zinc_store_ops_fs, zinc_buf_text(&root), zinc_buf_text(&root), &o, err);
	zinc_buf_fini(&root);
	ZINC_TRY(st);
	zinc_store_close(place->store);
	place->store = inner;
	rest += *rest == '/';
	memmove(place->path, rest, strlen(rest) + 1);
	return ZINC_OK;
}

zinc_status
zinc_place_above(zinc_place *out, const zinc_place *of, const zinc_store_options *options, zinc_error *err)
{
	zinc_store_options o;
	url_parts u;
	zinc_status st;

	memset(out, 0, sizeof *out);
	memset(&u, 0, sizeof u);
	ZINC_TRY(zinc_options_take(&o, sizeof o, options, err));
	o.context = of->ctx;
	out->ctx = of->ctx;
	zinc_buf_init(&u.base, of->ctx, SIZE_MAX - 1);
	st = zinc_buf_puts(&u.base, of->above, err);
	if (st == ZINC_OK)
		st = local_place(out, &u, &o, err);
	zinc_buf_fini(&u.base);
	if (st != ZINC_OK)
		zinc_place_fini(out);
	return st;
}

/* Unlike a place, a store begins where the URL says, also in the middle of a hierarchy. */
zinc_status
zinc_store_open(zinc_store **out, const char *url, const zinc_store_options *options, zinc_error *err)
{
	zinc_store_options o;
	zinc_place place;
	url_parts u;
	zinc_status st;

	if (url && strchr(url, '|')) {
		ZINC_TRY(zinc_place_open(&place, url, options, err));
		st = enter(&place.store, place.path, err);
		if (st == ZINC_OK)
			*out = zinc_store_ref(place.store);
		zinc_place_fini(&place);
		return zinc_error_at_url(err, st, url);
	}
	ZINC_TRY(zinc_options_take(&o, sizeof o, options, err));
	o.context = zinc_context_get(o.context);
	st = parse_url(&u, o.context, url, err);
	if (st == ZINC_OK)
		st = open_base(out, &u, &o, err);
	zinc_buf_fini(&u.base);
	return zinc_error_at_url(err, st, url);
}
