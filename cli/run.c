/* run.c - shared by all sub-commands: error messages, the context, opening the node of a URL */
#include <limits.h>
#include <malloc.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zinc/store.h>

#include "cli.h"

/* Every message is one line, whatever a name contains: programs read messages. */
int
complain(int status, const char *what, const char *fmt, ...)
{
	struct text t = {NULL, 0, 0};
	char shown[8192];
	va_list ap;

	text_puts(&t, "zinc: ");
	if (what) {
		zinc_url_show(shown, sizeof shown, what);
		text_printf(&t, "%s: ", shown);
	}
	va_start(ap, fmt);
	text_vprintf(&t, fmt, ap);
	va_end(ap);
	say("%s", text_str(&t));
	text_free(&t);
	return status;
}

/* Unknown statuses are TROUBLE, never DONE. */
int
exit_status(zinc_status st)
{
	switch (st) {
	case ZINC_OK:
		return DONE;
	case ZINC_E_INVALID:
	case ZINC_E_RANGE:
		return USAGE;
	case ZINC_E_UNSUPPORTED:
	case ZINC_E_LIMIT:
		return UNSUPPORTED;
	case ZINC_E_CORRUPT:
	case ZINC_E_CHECKSUM:
		return CORRUPT;
	case ZINC_E_CANCELLED:
		return CANCELLED;
	default:
		return TROUBLE;
	}
}

/* Remove "//", "." and ".." from an absolute path, as the library does. */
static void
normalise_path(char *path)
{
	char *to = path;
	const char *from, *next;

	for (from = path; *from; from = next) {
		const size_t n = strcspn(from + 1, "/") + 1;

		next = from + n;
		if (n == 3 && !strncmp(from, "/..", 3))
			while (to > path && *--to != '/')
				;
		else if (n > 1 && (n != 2 || from[1] != '.')) {
			memmove(to, from, n);
			to += n;
		}
	}
	if (to == path)
		*to++ = '/';
	*to = '\0';
}

/* The absolute path of a URL of the command line, "" when it is not a path. */
static void
typed_path(struct text *t, const char *url)
{
	char here[PATH_MAX];

	if (!strncmp(url, "file://", 7))
		url += 7;
	else if (strstr(url, "://"))
		return;
	else if (url[0] != '/' && getcwd(here, sizeof here))
		text_printf(t, "%s/", strcmp(here, "/") ? here : "");
	text_puts(t, url);
	if (t->n && t->p[0] == '/') {
		normalise_path(t->p);
		t->n = strlen(t->p);
	}
}

/* Remove the prefix `root`; false when the path is not below it. */
static bool
strip_root(char *path, const char *root)
{
	const size_t n = strlen(root);

	if (n < 2 || strncmp(path, root, n) || path[n] != '/' || !path[n + 1])
		return false;
	memmove(path, path + n + 1, strlen(path + n + 1) + 1);
	return true;
}

/* Make the path relative to `root`, or else to the current directory; false: it is unchanged. */
static bool
shorten_path(char *path, const char *root)
{
	char here[PATH_MAX];

	return strip_root(path, root) || (getcwd(here, sizeof here) && strip_root(path, here));
}

/* A local store begins at "/", so its keys are absolute paths without the slash.  Print such a key relative to the
 * root of the hierarchy if that is known, else to the URL or the current directory, or as an absolute path. */
static void
shorten_key(const char *typed, zinc_error *err)
{
	const bool rootless = !strcmp(err->url, "/");
	struct text path = {NULL, 0, 0}, root = {NULL, 0, 0};

	if (!err->key[0] || err->url[0] != '/')
		return;
	text_printf(&path, "/%s", err->key);
	typed_path(&root, typed);
	if (shorten_path(path.p, rootless ? text_str(&root) : err->url) || rootless)
		snprintf(err->key, sizeof err->key, "%s", path.p);
	text_free(&path);
	text_free(&root);
}

/* Is `path` the file or directory `root`, or below it? */
static bool
is_within(const char *path, const char *root)
{
	const size_t n = strlen(root);

	return n && !strncmp(path, root, n) && (!path[n] || path[n] == '/' || n == 1);
}

/* How well does a path match a URL of the command line?  Best: it lies within.  Then: it is above the node, or is a
 * document of a node above.  Then: the URL is not a path. */
static size_t
nearness(const char *path, const char *url)
{
	struct text up = {NULL, 0, 0}, root = {NULL, 0, 0};
	size_t near;

	text_printf(&up, "%.*s", (int)(strrchr(path, '/') - path), path);
	typed_path(&root, url);
	if (is_within(path, text_str(&root)))
		near = 4 + root.n;
	else if (root.n)
		near = is_within(root.p, path) ? 3 : is_within(root.p, text_str(&up)) ? 2 : 0;
	else
		near = 1;
	text_free(&up);
	text_free(&root);
	return near;
}

/* The URL that matches an absolute path best; NULL: none, or several. */
static const char *
url_of(const struct words *urls, const char *path)
{
	const char *found = NULL;
	size_t best = 0;
	int i;

	for (i = 0; i < urls->n; i++) {
		const size_t near = nearness(path, urls->at[i]);

		if (near >= best)
			found = near > best ? urls->at[i] : NULL;
		best = near > best ? near : best;
	}
	return found;
}

/* Did it fail because the URL is a regular file, and no archive or database? */
static bool
is_file(const char *url, const zinc_error *err)
{
	const zinc_status s = zinc_error_status(err);
	struct text path = {NULL, 0, 0};
	struct stat st;
	bool is;

	if (s != ZINC_E_NOTFOUND && (s != ZINC_E_IO || !err->key[0]))
		return false;
	typed_path(&path, url);
	is = path.n && stat(path.p, &st) == 0 && S_ISREG(st.st_mode) && !zinc_store_opens_file(path.p);
	text_free(&path);
	return is;
}

/* The first call that --timeout stopped; all later calls fail, too. */
static struct {
	bool known;
	char url[1024];
	zinc_error error;
} stopped;

static int
note_stopped(const char *url, const zinc_error *err)
{
	if (!stopped.known) {
		stopped.known = true;
		zinc_url_show(stopped.url, sizeof stopped.url, url);
		stopped.error = *err;
	}
	return CANCELLED;
}

int
complain_timeout(void)
{
	const char *text = stopped.known ? zinc_error_text(&stopped.error) : "";

	return complain(CANCELLED, stopped.known ? stopped.url : NULL, "--timeout: the time limit is reached%s%s",
			*text ? ": " : "", text);
}

int
fail(const char *url, zinc_error *err)
{
	if (timed_out() && zinc_error_status(err) == ZINC_E_CANCELLED) {
		shorten_key(url, err);
		err->url[0] = '\0';
		return note_stopped(url, err);
	}
	if (is_file(url, err))
		return complain(TROUBLE, url, "it is a file, but a hierarchy is a directory");
	shorten_key(url, err);
	err->url[0] = '\0'; /* the message has the URL of the command line already */
	return complain(exit_status(zinc_error_status(err)), url, "%s", zinc_error_text(err));
}

/* The error itself tells which of the two URLs it belongs to. */
int
fail_either(const char *a, const char *b, zinc_error *err)
{
	const char *both[] = {a, b}, *url = NULL;
	const struct words urls = {both, 2};
	struct text where = {NULL, 0, 0};
	int status;

	if (!strcmp(err->url, "/") && err->key[0])
		text_printf(&where, "/%s", err->key);
	else if (err->url[0])
		text_puts(&where, err->url);
	else
		text_printf(&where, "%s, %s", a, b);
	if (err->url[0] == '/')
		url = url_of(&urls, where.p);
	if (!url && !strcmp(err->url, "/"))
		err->key[0] = '\0';
	if (!url && err->url[0] == '/' && a[0] != '/') /* both are in one hierarchy */
		(void)shorten_path(where.p, "");
	status = fail(url ? url : text_str(&where), err);
	text_free(&where);
	return status;
}

const char *
key_below(const zinc_hierarchy *h, const char *key)
{
	const char *prefix = zinc_hierarchy_prefix(h);
	size_t n = strlen(prefix);

	return strncmp(key, prefix, n) ? key : key + n;
}

/* ---- --max-memory: an allocator that counts ----
 *
 * It sees what the library allocates through its context.  Codec libraries allocate their own work space, and pieces
 * of elements (region.c) are held beside it, at most half as large.
 */

static bool
charge(struct budget *b, size_t nbytes)
{
	if (__atomic_add_fetch(&b->used, nbytes, __ATOMIC_RELAXED) <= b->limit)
		return true;
	__atomic_sub_fetch(&b->used, nbytes, __ATOMIC_RELAXED);
	return false;
}

static void
budget_free(void *ctx, void *p)
{
	struct budget *b = ctx;

	__atomic_sub_fetch(&b->used, malloc_usable_size(p), __ATOMIC_RELAXED);
	free(p);
}

static void *
budget_alloc(void *ctx, size_t nbytes)
{
	struct budget *b = ctx;
	void *p;

	if (nbytes > b->limit || !(p = malloc(nbytes)))
		return NULL;
	if (charge(b, malloc_usable_size(p)))
		return p;
	free(p);
	return NULL;
}

/* The old and the new block both count while both exist. */
static void *
budget_realloc(void *ctx, void *p, size_t nbytes)
{
	size_t old = malloc_usable_size(p);
	void *q = budget_alloc(ctx, nbytes);

	if (q && p) {
		memcpy(q, p, old < nbytes ? old : nbytes);
		budget_free(ctx, p);
	}
	return q;
}

/* ---- context ---- */

/* As in error messages: the URL of the command line, and the key within it. */
static void
add_place(struct text *t, const struct words *urls, const char *where)
{
	struct text path = {NULL, 0, 0}, root = {NULL, 0, 0};
	const char *url;

	text_printf(&path, "%s%s", where[0] == '/' ? "" : "/", where);
	url = url_of(urls, path.p);
	if (url) {
		text_puts(t, url);
		typed_path(&root, url);
	}
	if (root.n && strcmp(path.p, root.p) != 0) {
		(void)shorten_path(path.p, root.p);
		text_printf(t, ": %s", path.p);
	} else if (!root.n)
		text_printf(t, "%s%s", url ? ": " : "", !url && strchr(where, '/') ? path.p : where);
	text_free(&path);
	text_free(&root);
}

static void
warn(void *arg, const char *where, const char *text)
{
	const struct run *r = arg;
	struct text place = {NULL, 0, 0};

	if (strstr(where, "://"))
		text_puts(&place, where);
	else
		add_place(&place, &r->args->words, where);
	say("zinc: warning: %s: %s", text_str(&place), text);
	text_free(&place);
}

static void
print_request(void *arg, const char *line)
{
	(void)arg;
	fprintf(stderr, "zinc: request: %s\n", line);
}

/* One read may use a part of the limit only: results and metadata need memory, too. */
int
run_context(struct run *r)
{
	const struct args *a = r->args;
	zinc_allocator counting = {sizeof counting, budget_alloc, budget_realloc, budget_free, &r->budget};
	const zinc_limits any = {.size = sizeof any, .json_bytes = UINT64_MAX / 4, .json_values = UINT64_MAX / 4};
	zinc_context_options o = ZINC_CONTEXT_OPTIONS_INIT;
	zinc_error err = ZINC_ERROR_INIT;

	if (a->threads == 0)
		return complain(USAGE, "-j", "must be at least 1");
	o.threads = a->threads > 0 ? a->threads : 0;
	o.cache_bytes = a->cache_bytes;
	o.warn = warn;
	o.warn_arg = r;
	o.trace = a->trace_requests ? print_request : NULL;
	if (!strcmp(r->command->name, "consolidate") &&
	    a->remove) /* a document that is too long must not prevent its own erasure */
		o.limits = &any;
	if (a->max_memory) {
		r->budget.limit = a->max_memory;
		o.allocator = &counting;
		o.in_flight_bytes = a->max_memory / 4;
	}
	return zinc_context_new(&r->ctx, &o, &err) ? fail("zinc", &err) : DONE;
}

int
thread_count(const struct run *r)
{
	long n = sysconf(_SC_NPROCESSORS_ONLN);

	return r->args->threads > 0 ? r->args->threads : n > 0 ? (int)n : 1;
}

int
convert_flags(const struct run *r)
{
	return r->args->round ? ZINC_CONVERT_ROUND : ZINC_CONVERT_EXACT;
}

zinc_io_options
io_options(const struct run *r)
{
	zinc_io_options o = ZINC_IO_OPTIONS_INIT;

	o.convert = convert_flags(r);
	o.call = &until_stopped;
	return o;
}

int
links_option(const struct run *r)
{
	const char *how = r->args->links;

	if (!how || !strcmp(how, "follow"))
		return ZINC_LINKS_FOLLOW;
	return strcmp(how, "beneath") ? ZINC_LINKS_REFUSE : ZINC_LINKS_BENEATH;
}

/* Values are looked up in arrays beside the one that is opened. */
int
selects_by_value(const struct args *a)
{
	return a->select && strchr(a->select, '@') != NULL;
}

zinc_open_options
open_options(const struct run *r, bool write)
{
	zinc_open_options o = ZINC_OPEN_OPTIONS_INIT;

	o.context = r->ctx;
	o.format = r->args->format;
	o.fallback = r->args->fallback;
	o.strictness = r->args->strict ? ZINC_STRICT : ZINC_LENIENT;
	o.read_only = !write;
	o.links = links_option(r);
	o.climb = r->args->no_climb ? -1 : selects_by_value(r->args);
	o.below = r->args->node;
	o.call = &until_stopped;
	return o;
}

int
open_node(struct run *r, const char *url, bool write, zinc_hierarchy **h)
{
	zinc_open_options o = open_options(r, write);
	zinc_error err = ZINC_ERROR_INIT;

	o.keep_documents = !write; /* a command that only shows something reads each document once */
	return zinc_hierarchy_open_url(h, typed_url(r->args, url), &o, &err) ? fail(url, &err) : DONE;
}

/* A dry run opens for writing as a real run does, and refuses the same. */
int
may_write(const char *url, const zinc_hierarchy *h)
{
	zinc_caps caps = ZINC_CAPS_INIT;

	zinc_store_caps(zinc_hierarchy_store(h), &caps);
	return caps.flags & ZINC_CAP_WRITE ? DONE : complain(TROUBLE, url, "this store cannot be written");
}

int
open_array(struct run *r, const char *url, bool write, zinc_array **a)
{
	zinc_open_options o = open_options(r, write);
	zinc_error err = ZINC_ERROR_INIT;

	return zinc_array_open_url(a, typed_url(r->args, url), &o, &err) ? fail(url, &err) : DONE;
}
