/*
 * root.c - find out which part of a URL is the root of its hierarchy
 *
 * The climb goes from the URL's path upwards to the first prefix that has a node's document or a draft's entry point,
 * and on while the parent is a group, too:
 *
 *   /data/a.zarr/foo/bar     zarr.json in foo/bar, foo and a.zarr, none in data: the root is a.zarr
 *
 * In N5 a directory without a document may be a group, too: in a local store the climb goes on above it.
 *
 * In a remote store the climb ends at the path itself if that has a document, unless the store can be written: then
 * consolidated metadata above would become stale; or unless the caller needs nodes beside it.  To create a node, the
 * climb begins at the parent and skips what does not exist yet, but it ends at a directory without a document:
 *
 *   a.zarr/new/x             zarr.json in a.zarr, and no new: the root is a.zarr
 *   a.zarr/notes/x           notes is a directory of somebody's: the root is a.zarr/notes/x
 *
 * If no hierarchy is found, the root is the path itself when something is there; else the first component from that
 * directory on that ends in ".zarr"; else the whole path.  In an archive or a database that has no such directory it is
 * the top.  Promises:
 *
 * (1) A '|' in the URL fixes the root, and so does the option that ends the climb: nothing above it is read.
 * (2) If the node's own document cannot be read, it never counts as missing.  If one above it cannot be read, the climb
 *     ends there.
 * (3) Nothing is created below an array, in the storage of an array or a draft, or in a hierarchy of another format.
 */
#include <stdio.h>

#include "format/root.h"

/* ---- the climb ---- */

void
zinc_root_search_fini(zinc_root_search *c)
{
	zinc_json_free(c->entry);
	zinc_known_free(c->known);
	c->entry = NULL;
	c->known = NULL;
}

/* The text between the store's URL and a path in it. */
const char *
zinc_url_slash(const char *url)
{
	return *url && url[strlen(url) - 1] != '/' ? "/" : "";
}

/* E_INVALID, naming the path up to its first n bytes. */
static zinc_status
refuse(const zinc_root_search *c, size_t n, const char *what, const char *more, zinc_error *err)
{
	const char *url = zinc_store_url(c->store);

	return zinc_fail(err, ZINC_E_INVALID, "%s %s%s%.*s%s", what, url, n > 0 ? zinc_url_slash(url) : "", (int)n,
			 c->path, more);
}

/* The format of a node at the first n bytes of the path, if there is one. */
static zinc_status
ask(zinc_root_search *c, size_t n, const zinc_format **format, zinc_node_kind *kind, zinc_error *err)
{
	zinc_context *ctx = zinc_store_context(c->store);
	zinc_status st;
	zinc_buf prefix;

	*format = NULL;
	zinc_json_free(c->entry);
	c->entry = NULL;
	zinc_buf_init(&prefix, ctx, ZINC_MAX_KEY);
	st = zinc_buf_add(&prefix, c->path, n, err);
	if (st == ZINC_OK && n > 0)
		st = zinc_buf_puts(&prefix, "/", err);
	if (st == ZINC_OK)
		st = zinc_buf_text(&prefix) ? zinc_format_detect(c->store, zinc_buf_text(&prefix), c->only, format,
								 kind, &c->entry, c->known, c->wait, err)
					    : zinc_fail_nomem(err);
	if (st != ZINC_OK && n > 0)
		zinc_error_at_key(err, st, zinc_buf_text(&prefix) ? zinc_buf_text(&prefix) : "");
	zinc_buf_fini(&prefix);
	return st;
}

/* "a/b/c" -> "a/b" -> "a" -> "" */
static size_t
parent(const char *path, size_t n)
{
	while (n > 0 && path[--n] != '/')
		;
	return n;
}

/* Documents above a node may belong to others: an error in one of them ends the climb. */
static bool
ends_climb(zinc_status st)
{
	return st != ZINC_OK && st != ZINC_E_NOMEM && st != ZINC_E_CANCELLED;
}

/* Is a local store searched?  Remote ones are not, where that would cost requests. */
static bool
is_local(const zinc_root_search *c)
{
	zinc_caps caps = ZINC_CAPS_INIT;

	zinc_store_caps(c->store, &caps);
	return !(caps.flags & ZINC_CAP_REMOTE);
}

/* Go on while the parent is a group of the same format, also above directories that may be groups without a document.
 * An entry point is always the root, and a node of another format above it ends the climb, too. */
static zinc_status
climb_groups(zinc_root_search *c, zinc_error *err)
{
	const bool bare = c->format->bare_groups && is_local(c);
	size_t up = c->root;

	while (up > 0 && !c->format->enter) {
		zinc_error e = ZINC_ERROR_INIT;
		const zinc_format *format;
		zinc_node_kind kind;
		zinc_status st;

		up = parent(c->path, up);
		st = ask(c, up, &format, &kind, &e);
		if (ends_climb(st))
			return ZINC_OK;
		if (st != ZINC_OK)
			return zinc_error_copy(err, &e);
		if (!format && bare)
			continue;
		if (format != c->format || kind != ZINC_NODE_GROUP)
			return ZINC_OK;
		c->root = up;
	}
	return ZINC_OK;
}

/* For opening: climb from the path upwards. */
static zinc_status
climb_to_open(zinc_root_search *c, bool always, zinc_error *err)
{
	const size_t n = strlen(c->path);
	zinc_node_kind kind;
	zinc_caps caps = ZINC_CAPS_INIT;

	zinc_store_caps(c->store, &caps);
	for (c->root = n;; c->root = parent(c->path, c->root)) {
		ZINC_TRY(ask(c, c->root, &c->format, &kind, err));
		if (c->format || c->root == 0)
			break;
	}
	c->found = c->format != NULL;
	if ((caps.flags & (ZINC_CAP_REMOTE | ZINC_CAP_WRITE)) != ZINC_CAP_REMOTE || c->root < n)
		always = true;
	if (!c->found || !always)
		return ZINC_OK;
	return climb_groups(c, err);
}

/* The root at the start of the path, fixed by a '|' or the caller. */
zinc_status
zinc_root_fixed(zinc_root_search *c, size_t root, zinc_error *err)
{
	zinc_node_kind kind;

	c->root = root;
	ZINC_TRY(ask(c, root, &c->format, &kind, err));
	c->found = c->format != NULL;
	return ZINC_OK;
}

/* ---- the climb to create ---- */

/* Does a component that ends at `from` or later have the suffix of a root?  *n gets the bytes of the path up to the
 * first such component, or all of it. */
static bool
find_suffixed_root(const char *path, size_t from, size_t *n)
{
	static const char *const suffixes[] = {".zarr", ".zr3", ".zr", ".n5"};
	const char *end = path;
	size_t i;

	while (*end) {
		const char *name = end;

		end += strcspn(end, "/");
		for (i = 0; i < sizeof suffixes / sizeof *suffixes && (size_t)(end - path) >= from; i++) {
			const size_t nsuffix = strlen(suffixes[i]);

			*n = (size_t)(end - path);
			if ((size_t)(end - name) > nsuffix && memcmp(end - nsuffix, suffixes[i], nsuffix) == 0)
				return true;
		}
		end += *end == '/';
	}
	*n = (size_t)(end - path);
	return false;
}

/* Any entry makes the place occupied. */
static int
stop_at_first(void *arg, const char *entry, int is_prefix)
{
	(void)entry, (void)is_prefix;
	*(bool *)arg = false;
	return 1;
}

/* Is there a directory at the first n bytes of the path?  In stores without directories, a key below it counts. */
static zinc_status
is_there(const zinc_root_search *c, size_t n, bool *yes, zinc_error *err)
{
	bool vacant = true;
	zinc_error e = ZINC_ERROR_INIT;
	zinc_status st;
	zinc_buf prefix;

	*yes = n <= c->there;
	if (c->there != SIZE_MAX || n == 0)
		return ZINC_OK;
	zinc_buf_init(&prefix, zinc_store_context(c->store), ZINC_MAX_KEY);
	st = zinc_buf_printf(&prefix, &e, "%.*s/", (int)n, c->path);
	if (st == ZINC_OK)
		st = zinc_store_list_dir(c->store, zinc_buf_text(&prefix), stop_at_first, &vacant, c->wait, &e);
	zinc_buf_fini(&prefix);
	*yes = !vacant;
	return st == ZINC_E_UNSUPPORTED ? ZINC_OK : zinc_error_copy(err, &e); /* cannot list */
}

/* Can a directory of this name hold chunks of the array above it: "c", "12"? */
static bool
holds_chunks(const char *name, size_t n)
{
	return (n == 1 && name[0] == 'c') || strspn(name, "0123456789") >= n;
}

/* The hierarchy at the first n bytes of the path is the one of the new node. */
static void
take(zinc_root_search *c, size_t n, const zinc_format *format)
{
	c->format = format;
	c->root = n;
	c->found = true;
}

static bool
is_tree(const char *name, size_t n)
{
	return n == 4 && (memcmp(name, "meta", 4) == 0 || memcmp(name, "data", 4) == 0);
}

/* A node is at the first `up` bytes of the path: does it own the name below, as storage or as a group? */
static zinc_status
judge(zinc_root_search *c, size_t up, const zinc_format *format, zinc_node_kind kind, zinc_error *err)
{
	const char *name = c->path + up + (up > 0);
	const size_t n = strcspn(name, "/");

	if (format->enter && is_tree(name, n)) {
		take(c, up, format);
		return ZINC_OK;
	}
	if (kind == ZINC_NODE_ARRAY && holds_chunks(name, n))
		return refuse(c, up, "this path is in the storage of an array,", "", err);
	if (!format->bare_groups || kind != ZINC_NODE_GROUP)
		return ZINC_OK;
	take(c, up, format);
	return climb_groups(c, err);
}

/* The directory at the first n bytes of the path has no document, but it may still be storage: a tree of a draft, whose
 * hierarchy is then used, or chunks of an array, below which nothing may be created.  In a local store it may also be a
 * group without a document, of N5. */
static zinc_status
climb_storage(zinc_root_search *c, size_t n, zinc_error *err)
{
	const bool bare = is_local(c);

	while (n > 0 && !c->found) {
		const size_t up = parent(c->path, n), from = up + (up > 0);
		zinc_error e = ZINC_ERROR_INIT;
		const zinc_format *format = NULL;
		zinc_node_kind kind = ZINC_NODE_NONE;
		zinc_status st = ZINC_OK;

		if (bare || is_tree(c->path + from, n - from) || holds_chunks(c->path + from, n - from))
			st = ask(c, up, &format, &kind, &e);
		if (st != ZINC_OK && !ends_climb(st))
			return zinc_error_copy(err, &e);
		if (format)
			ZINC_TRY(judge(c, up, format, kind, err));
		n = up;
	}
	return ZINC_OK;
}

/* Climb from the first n bytes of the path, where the parent of a new node would be.  If no hierarchy is found,
 * components of the path that end after *end bytes may become the root; those above belong to others. */
static zinc_status
climb_above(zinc_root_search *c, size_t n, size_t *end, zinc_error *err)
{
	bool there = false;

	for (;; n = parent(c->path, n)) {
		zinc_error e = ZINC_ERROR_INIT;
		zinc_node_kind kind;
		const zinc_status st = ask(c, n, &c->format, &kind, &e);

		*end = n + (st != ZINC_OK);
		if (ends_climb(st) && st != ZINC_E_UNSUPPORTED)
			return ZINC_OK;
		if (st != ZINC_OK)
			return zinc_error_copy(err, &e);
		if (c->format) {
			c->root = n;
			c->found = true;
			return climb_groups(c, err);
		}
		ZINC_TRY(is_there(c, n, &there, err));
		if (there || n == 0)
			return climb_storage(c, n, err);
	}
}

/* A new node joins the hierarchy above it, if there is one.  So the parent is tried before the node itself. */
static zinc_status
climb_to_create(zinc_root_search *c, zinc_error *err)
{
	const size_t n = strlen(c->path);
	size_t end = 0;

	if (n > 0)
		ZINC_TRY(climb_above(c, parent(c->path, n), &end, err));
	if (c->found)
		return ZINC_OK;
	ZINC_TRY(zinc_root_fixed(c, n, err));
	if (!c->found && !find_suffixed_root(c->path, end, &c->root) && c->contained && end == 0)
		c->root = 0;
	return ZINC_OK;
}

/* Readers look for one format first.  Of two formats in one place the other one would be hidden, with all its nodes. */
zinc_status
zinc_root_check_format(zinc_root_search *c, const zinc_format *wanted, zinc_error *err)
{
	const zinc_format *is = c->format;
	zinc_node_kind kind;
	char more[120];

	if (!c->found || !wanted || is == wanted)
		return ZINC_OK;
	c->only = wanted;
	ZINC_TRY(ask(c, c->root, &c->format, &kind, err));
	if (c->format) /* both are there */
		return ZINC_OK;
	snprintf(more, sizeof more, " is of format %s: a node of %s would hide it", is->id, wanted->id);
	return refuse(c, c->root, "the hierarchy at", more, err);
}

/* A name that cannot be part of a key may name a root, or a directory above it, but not a node in a hierarchy. */
zinc_status
zinc_root_check_name(const zinc_place *place, const zinc_store_options *so, const zinc_wait *wait, zinc_error *err)
{
	zinc_root_search c = {.wait = wait};
	zinc_place above;
	zinc_status st;
	size_t end;

	if (!place->above)
		return ZINC_OK;
	if (place->bad_name)
		return zinc_fail(err, ZINC_E_INVALID, "a new name must be UTF-8 without control characters");
	ZINC_TRY(zinc_place_above(&above, place, so, err));
	c.store = above.store;
	c.path = above.path;
	c.there = above.existing;
	st = climb_above(&c, strlen(c.path), &end, err);
	if (st == ZINC_OK && c.found)
		st = refuse(&c, c.root, "the hierarchy at", " cannot hold a node of this name", err);
	else if (st == ZINC_OK && place->new_name && find_suffixed_root(c.path, end, &c.root))
		st = refuse(&c, c.root, "the new hierarchy at", " could not hold a node of this name", err);
	if (st == ZINC_OK)
		st = zinc_root_check_name(&above, so, wait, err);
	zinc_root_search_fini(&c);
	zinc_place_fini(&above);
	return st;
}

/* The root is fixed by the URL or the caller, searched for, or to be created. */
zinc_status
zinc_root_find(zinc_root_search *c, const zinc_place *place, const zinc_open_options *o, zinc_error *err)
{
	c->contained = place->contained;
	if (place->root_fixed)
		return zinc_root_fixed(c, 0, err);
	if (o->climb < 0)
		return zinc_root_fixed(c, strlen(c->path), err);
	return o->create ? climb_to_create(c, err) : climb_to_open(c, o->climb > 0, err);
}

/* A root that is reached through a link in another hierarchy is not beneath that hierarchy, like the nodes behind such
 * a link.  `whole` is the root's absolute path.  Places above the first n bytes of the path are checked when a link is
 * between them and the root. */
static zinc_status
check_links_to(zinc_root_search *c, size_t n, const char *whole, int links, zinc_error *err)
{
	const char *base = zinc_store_url(c->store);
	zinc_context *ctx = zinc_store_context(c->store);

	for (;; n = parent(c->path, n)) {
		const size_t at = strlen(base) + (n > 0 ? strlen(zinc_url_slash(base)) + n : 0);
		const zinc_format *format = NULL;
		zinc_node_kind kind;
		zinc_status st = ZINC_OK;

		if (at < strlen(whole) && zinc_path_has_link(ctx, whole, at, strlen(whole)))
			st = ask(c, n, &format, &kind, NULL);
		if (st == ZINC_E_NOMEM || st == ZINC_E_CANCELLED)
			return zinc_fail(err, st, "cannot look for a hierarchy above");
		if (st != ZINC_OK || format) /* also one that cannot be read */
			ZINC_TRY(zinc_path_check_links(ctx, whole, at, links, err));
		if (n == 0)
			return ZINC_OK;
	}
}

/* The same for places above names that cannot be keys. */
static zinc_status
check_links_above(const zinc_place *place, const char *whole, const zinc_store_options *so, const zinc_wait *wait,
		  zinc_error *err)
{
	zinc_root_search c = {.wait = wait};
	zinc_place above;
	zinc_status st;

	if (!place->above)
		return ZINC_OK;
	ZINC_TRY(zinc_place_above(&above, place, so, err));
	c.store = above.store;
	c.path = above.path;
	st = check_links_to(&c, strlen(c.path), whole, so->links, err);
	if (st == ZINC_OK)
		st = check_links_above(&above, whole, so, wait, err);
	zinc_root_search_fini(&c);
	zinc_place_fini(&above);
	return st;
}

/* Check the way to a root when links must stay beneath it.  A draft's documents and data are erased tree by tree, not
 * by the root's own name; so whether its root is a link matters with any option for links. */
zinc_status
zinc_root_check_links(zinc_root_search *c, const zinc_place *place, const zinc_store_options *so, bool alone,
		      zinc_error *err)
{
	zinc_root_search up = {.store = c->store, .wait = c->wait, .path = c->path};
	const char *base = zinc_store_url(c->store);
	zinc_context *ctx = zinc_store_context(c->store);
	zinc_status st = ZINC_OK;
	char *whole;

	if (!place->local || (so->links == ZINC_LINKS_FOLLOW && !(c->format && c->format->enter)))
		return ZINC_OK;
	whole = zinc_text_join(ctx, base, c->root > 0 ? zinc_url_slash(base) : "", c->path, c->root, "");
	if (!whole)
		return zinc_fail_nomem(err);
	c->linked = zinc_path_has_link(ctx, whole, parent(whole, strlen(whole)), strlen(whole));
	alone = alone || so->links == ZINC_LINKS_FOLLOW;
	if (!alone && c->root > 0)
		st = check_links_to(&up, parent(c->path, c->root), whole, so->links, err);
	if (!alone && st == ZINC_OK)
		st = check_links_above(place, whole, so, c->wait, err);
	zinc_root_search_fini(&up);
	zinc_free(ctx, whole);
	return st;
}
