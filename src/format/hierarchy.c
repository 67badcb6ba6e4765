/*
 * hierarchy.c - open a hierarchy: find out which part of a URL is its root
 *
 * The climb goes from the URL's path upwards to the first prefix that has a node's document or a draft's entry point,
 * and on while the parent is a group, too:
 *
 *   /data/a.zarr/foo/bar     zarr.json in foo/bar, foo and a.zarr, none in data: the root is a.zarr
 *
 * In a remote store the climb ends at the path itself if that has a document, unless the store can be written: then
 * consolidated metadata above would become stale.  To create a node, the climb begins at the parent and skips what does
 * not exist yet, but it ends at a directory without a document:
 *
 *   a.zarr/new/x             zarr.json in a.zarr, and no new: the root is a.zarr
 *   a.zarr/notes/x           notes is a directory of somebody's: the root is a.zarr/notes/x
 *
 * If no hierarchy is found, the root is the path itself when something is there; else the first component from that
 * directory on that ends in ".zarr"; else the whole path.  Promises:
 *
 * (1) A '|' in the URL fixes the root, and so does the option that ends the climb: nothing above it is read.
 * (2) If the node's own document cannot be read, it never counts as missing.  If one above it cannot be read, the climb
 *     ends there.
 * (3) A caller's path is checked before it becomes a key.
 * (4) Nothing is created below an array, in the storage of an array or a draft, or in a hierarchy of another format.
 */
#include <stdio.h>

#include "format/format.h"

ZINC_OPTIONS_KIND(zinc_open_options, ZINC_OPTION_RANGE(zinc_open_options, strictness, 0, ZINC_STRICT),
		  ZINC_OPTION_YES_NO(zinc_open_options, read_only), ZINC_OPTION_YES_NO(zinc_open_options, relaxed),
		  ZINC_OPTION_LINKS(zinc_open_options), ZINC_OPTION_YES_NO(zinc_open_options, create),
		  ZINC_OPTION_UNLESS(zinc_open_options, climb));

/* ---- the climb ---- */

struct climb {
	zinc_store *store;
	const zinc_wait *wait;   /* of the call */
	const char *path;        /* "" or a key; the climb ends at "" */
	const zinc_format *only; /* NULL: any */
	size_t there;            /* bytes of `path` that are directories; SIZE_MAX: not known, ask the store */
	const zinc_format *format;
	size_t root; /* bytes of `path` that are the root */
	bool found;
	bool linked;      /* the root is a link that erasing would follow: strict modes, drafts */
	size_t asked;     /* bytes of `path` whose document `last` is */
	zinc_opened last; /* the zarr.json that was read last */
	zinc_opened own;  /* the one of the whole path, after another was read */
};

static void
climb_fini(struct climb *c)
{
	zinc_context *ctx = zinc_store_context(c->store);

	zinc_opened_fini(ctx, &c->last);
	zinc_opened_fini(ctx, &c->own);
}

/* Called before another document is read. */
static void
keep_own(struct climb *c)
{
	if (c->asked == strlen(c->path) && !c->own.text)
		c->own = c->last;
	else
		zinc_opened_fini(zinc_store_context(c->store), &c->last);
	c->last = (zinc_opened){.text = NULL};
}

/* The text between the store's URL and a path in it. */
static const char *
slash_behind(const char *url)
{
	return *url && url[strlen(url) - 1] != '/' ? "/" : "";
}

/* E_INVALID, naming the path up to its first n bytes. */
static zinc_status
refuse(const struct climb *c, size_t n, const char *what, const char *more, zinc_error *err)
{
	const char *url = zinc_store_url(c->store);

	return zinc_fail(err, ZINC_E_INVALID, "%s %s%s%.*s%s", what, url, n > 0 ? slash_behind(url) : "", (int)n,
			 c->path, more);
}

/* The format of a node at the first n bytes of the path, if there is one. */
static zinc_status
ask(struct climb *c, size_t n, const zinc_format **format, zinc_node_kind *kind, zinc_error *err)
{
	zinc_context *ctx = zinc_store_context(c->store);
	zinc_status st;
	zinc_buf prefix;

	*format = NULL;
	keep_own(c);
	c->asked = n;
	zinc_buf_init(&prefix, ctx, ZINC_MAX_KEY);
	st = zinc_buf_add(&prefix, c->path, n, err);
	if (st == ZINC_OK && n > 0)
		st = zinc_buf_puts(&prefix, "/", err);
	if (st == ZINC_OK)
		st = zinc_buf_text(&prefix) ? zinc_format_detect(c->store, zinc_buf_text(&prefix), c->only, format,
								 kind, &c->last, c->wait, err)
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

/* Go on while the parent is a group of the same format.  An entry point is always the root, and a node of another
 * format above it ends the climb, too. */
static zinc_status
climb_groups(struct climb *c, zinc_error *err)
{
	while (c->root > 0 && !c->format->enter) {
		const size_t up = parent(c->path, c->root);
		zinc_error e = ZINC_ERROR_INIT;
		const zinc_format *format;
		zinc_node_kind kind;
		const zinc_status st = ask(c, up, &format, &kind, &e);

		if (ends_climb(st))
			return ZINC_OK;
		if (st != ZINC_OK)
			return zinc_error_copy(err, &e);
		if (format != c->format || kind != ZINC_NODE_GROUP)
			return ZINC_OK;
		c->root = up;
	}
	return ZINC_OK;
}

/* For opening: climb from the path upwards. */
static zinc_status
climb_to_open(struct climb *c, zinc_error *err)
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
	if (!c->found || (c->root == n && (caps.flags & (ZINC_CAP_REMOTE | ZINC_CAP_WRITE)) == ZINC_CAP_REMOTE))
		return ZINC_OK;
	return climb_groups(c, err);
}

/* The root at the start of the path, fixed by a '|' or the caller. */
static zinc_status
climb_fixed(struct climb *c, size_t root, zinc_error *err)
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
	static const char *const suffixes[] = {".zarr", ".zr3", ".zr"};
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
is_there(const struct climb *c, size_t n, bool *yes, zinc_error *err)
{
	bool vacant = true;
	zinc_status st;
	zinc_buf prefix;

	*yes = n <= c->there;
	if (c->there != SIZE_MAX || n == 0)
		return ZINC_OK;
	zinc_buf_init(&prefix, zinc_store_context(c->store), ZINC_MAX_KEY);
	st = zinc_buf_printf(&prefix, err, "%.*s/", (int)n, c->path);
	if (st == ZINC_OK)
		st = zinc_store_list_dir(c->store, zinc_buf_text(&prefix), stop_at_first, &vacant, c->wait, err);
	zinc_buf_fini(&prefix);
	*yes = !vacant;
	return st;
}

/* Can a directory of this name hold chunks of the array above it: "c", "12"? */
static bool
holds_chunks(const char *name, size_t n)
{
	return (n == 1 && name[0] == 'c') || strspn(name, "0123456789") >= n;
}

/* The directory at the first n bytes of the path has no document, but it may still be storage: a tree of a draft, whose
 * hierarchy is then used, or chunks of an array, below which nothing may be created. */
static zinc_status
climb_storage(struct climb *c, size_t n, zinc_error *err)
{
	while (n > 0) {
		const size_t up = parent(c->path, n), from = up + (up > 0);
		const char *name = c->path + from;
		const bool tree = n - from == 4 && (memcmp(name, "meta", 4) == 0 || memcmp(name, "data", 4) == 0);
		zinc_error e = ZINC_ERROR_INIT;
		const zinc_format *format = NULL;
		zinc_node_kind kind = ZINC_NODE_NONE;
		zinc_status st = ZINC_OK;

		if (tree || holds_chunks(name, n - from))
			st = ask(c, up, &format, &kind, &e);
		if (st != ZINC_OK && !ends_climb(st))
			return zinc_error_copy(err, &e);
		if (tree && format && format->enter) {
			c->format = format;
			c->root = up;
			c->found = true;
			return ZINC_OK;
		}
		if (!tree && kind == ZINC_NODE_ARRAY)
			return refuse(c, up, "this lies in the storage of an array,", "", err);
		n = up;
	}
	return ZINC_OK;
}

/* Climb from the first n bytes of the path, where the parent of a new node would be.  If no hierarchy is found,
 * components of the path that end after *end bytes may become the root; those above belong to others. */
static zinc_status
climb_above(struct climb *c, size_t n, size_t *end, zinc_error *err)
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
climb_to_create(struct climb *c, zinc_error *err)
{
	const size_t n = strlen(c->path);
	size_t end = 0;

	if (n > 0)
		ZINC_TRY(climb_above(c, parent(c->path, n), &end, err));
	if (c->found)
		return ZINC_OK;
	ZINC_TRY(climb_fixed(c, n, err));
	if (!c->found)
		(void)find_suffixed_root(c->path, end, &c->root);
	return ZINC_OK;
}

/* Readers look for one format first.  Of two formats in one place the other one would be hidden, with all its nodes. */
static zinc_status
check_format(struct climb *c, const zinc_format *wanted, zinc_error *err)
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

/* ---- making the object ---- */

/* The format that a caller asked for; *out NULL: any. */
static zinc_status
find_format(const zinc_format **out, const char *id, zinc_error *err)
{
	*out = NULL;
	if (!id || !*id || strcmp(id, "zarr") == 0)
		return ZINC_OK;
	*out = zinc_format_find(strcmp(id, "zarr3") == 0 ? "v3" : strcmp(id, "zarr2") == 0 ? "v2" : id);
	if (*out)
		return ZINC_OK;
	if (!zinc_format_has_drafts && strncmp(id, "v3-", 3) == 0)
		return zinc_fail(err, ZINC_E_UNSUPPORTED, "format \"%.40s\": unsupported (built without drafts)", id);
	return zinc_fail(err, strncmp(id, "zarr", 4) == 0 ? ZINC_E_UNSUPPORTED : ZINC_E_INVALID,
			 "this build knows no format \"%.40s\"", id);
}

/* a, b, n bytes of c, and d as one string; NULL: no memory. */
static char *
join(zinc_context *ctx, const char *a, const char *b, const char *c, size_t n, const char *d)
{
	zinc_buf text;
	char *out = NULL;

	zinc_buf_init(&text, ctx, ZINC_MAX_KEY);
	if (zinc_buf_puts(&text, a, NULL) == ZINC_OK && zinc_buf_puts(&text, b, NULL) == ZINC_OK &&
	    zinc_buf_add(&text, c, n, NULL) == ZINC_OK && zinc_buf_puts(&text, d, NULL) == ZINC_OK &&
	    zinc_buf_text(&text))
		out = zinc_strndup(ctx, zinc_buf_text(&text), text.n);
	zinc_buf_fini(&text);
	return out;
}

/* Read the entry point, if the format has one.  A new hierarchy writes its own later. */
static zinc_status
enter(zinc_hierarchy *h, struct climb *c, zinc_error *err)
{
	zinc_json_doc *entry = c->found ? c->last.doc : NULL;
	zinc_report r;

	if (!h->format->enter)
		return ZINC_OK;
	if (c->found)
		c->last.doc = NULL;
	zinc_report_init(&r, h->ctx, h->strict, h->url);
	return h->format->enter(h, entry, &r, err);
}

/* Make the handle from the result of the climb; it has a reference to the store. */
static zinc_status
make(zinc_hierarchy **out, struct climb *c, const zinc_open_options *o, zinc_error *err)
{
	zinc_context *ctx = zinc_store_context(c->store);
	zinc_hierarchy *h = zinc_calloc(ctx, 1, sizeof *h);
	const char *base = zinc_store_url(c->store), *rest = c->path + c->root;
	zinc_status st;

	if (!h)
		return zinc_fail_nomem(err);
	atomic_init(&h->refs, 1);
	h->ctx = ctx;
	h->store = zinc_store_ref(c->store);
	h->format = c->format;
	h->strict = o->strictness == ZINC_STRICT;
	h->read_only = o->read_only != 0;
	h->fresh = !c->found;
	h->linked = c->linked;
	h->fallback = o->fallback ? zinc_strdup(ctx, o->fallback) : NULL;
	h->put_flags = o->relaxed ? ZINC_PUT_RELAXED : 0;
	h->wait = c->wait; /* until it is open */
	h->url = join(ctx, base, c->root > 0 ? slash_behind(base) : "", c->path, c->root, "");
	h->prefix = join(ctx, "", "", c->path, c->root, c->root > 0 ? "/" : "");
	rest += *rest == '/';
	h->path = join(ctx, "/", "", rest, strlen(rest), "");
	if (!h->url || !h->prefix || !h->path || (o->fallback && !h->fallback)) {
		zinc_hierarchy_close(h);
		return zinc_fail_nomem(err);
	}
	st = enter(h, c, err);
	if (st == ZINC_OK)
		*out = h;
	else
		zinc_hierarchy_close(h);
	return st;
}

/* After the climb: open the hierarchy that was found, or the one to be created. */
static zinc_status
finish(zinc_hierarchy **out, struct climb *c, const zinc_format *format, const zinc_open_options *o, zinc_error *err)
{
	if (!c->found && !o->create)
		return zinc_fail(err, ZINC_E_NOTFOUND, "no node of a Zarr hierarchy is there%s",
				 *c->path ? ", nor at any directory above" : "");
	if (!c->found)
		c->format = format ? format : &zinc_format_v3;
	return make(out, c, o, err);
}

/* A name that cannot be part of a key may name a root, or a directory above it, but not a node in a hierarchy. */
static zinc_status
check_odd_name(const zinc_place *place, const zinc_store_options *so, const zinc_wait *wait, zinc_error *err)
{
	struct climb c = {.wait = wait};
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
		st = check_odd_name(&above, so, wait, err);
	climb_fini(&c);
	zinc_place_fini(&above);
	return st;
}

/* The root is fixed by the URL or the caller, searched for, or to be created. */
static zinc_status
climb(struct climb *c, const zinc_place *place, const zinc_open_options *o, zinc_error *err)
{
	if (place->root_fixed)
		return climb_fixed(c, 0, err);
	if (o->climb < 0)
		return climb_fixed(c, strlen(c->path), err);
	return o->create ? climb_to_create(c, err) : climb_to_open(c, err);
}

/* A root that is reached through a link in another hierarchy is not beneath that hierarchy, like the nodes behind such
 * a link.  `whole` is the root's absolute path.  Places above the first n bytes of the path are checked when a link is
 * between them and the root. */
static zinc_status
check_links_to(struct climb *c, size_t n, const char *whole, int links, zinc_error *err)
{
	const char *base = zinc_store_url(c->store);
	zinc_context *ctx = zinc_store_context(c->store);

	for (;; n = parent(c->path, n)) {
		const size_t at = strlen(base) + (n > 0 ? strlen(slash_behind(base)) + n : 0);
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
	struct climb c = {.wait = wait};
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
	climb_fini(&c);
	zinc_place_fini(&above);
	return st;
}

/* Check the way to a root when links must stay beneath it.  A draft's documents and data are erased tree by tree, not
 * by the root's own name; so whether its root is a link matters with any option for links. */
static zinc_status
check_root(struct climb *c, const zinc_place *place, const zinc_store_options *so, bool alone, zinc_error *err)
{
	struct climb up = {.store = c->store, .wait = c->wait, .path = c->path};
	const char *base = zinc_store_url(c->store);
	zinc_context *ctx = zinc_store_context(c->store);
	zinc_status st = ZINC_OK;
	char *whole;

	if (!place->local || (so->links == ZINC_LINKS_FOLLOW && !(c->format && c->format->enter)))
		return ZINC_OK;
	whole = join(ctx, base, c->root > 0 ? slash_behind(base) : "", c->path, c->root, "");
	if (!whole)
		return zinc_fail_nomem(err);
	c->linked = zinc_path_has_link(ctx, whole, parent(whole, strlen(whole)), strlen(whole));
	alone = alone || so->links == ZINC_LINKS_FOLLOW;
	if (!alone && c->root > 0)
		st = check_links_to(&up, parent(c->path, c->root), whole, so->links, err);
	if (!alone && st == ZINC_OK)
		st = check_links_above(place, whole, so, c->wait, err);
	climb_fini(&up);
	zinc_free(ctx, whole);
	return st;
}

/* When links must stay beneath the hierarchy, its store begins at the root that was found. */
static zinc_status
narrow(struct climb *c, zinc_place *place, const zinc_store_options *so, zinc_error *err)
{
	const size_t before = strlen(place->path);

	ZINC_TRY(zinc_place_narrow(place, c->root, so, err));
	c->store = place->store;
	c->path = place->path;
	if (strlen(c->path) != before)
		c->root = 0;
	return ZINC_OK;
}

/* The document of the whole path, if the climb has read it.  An entry point is not a node.  A store that does not follow
 * all links may refuse to read what the climb has read. */
static void
give_own(struct climb *c, const zinc_store_options *so, zinc_opened *node)
{
	zinc_opened *own = c->own.text ? &c->own : &c->last;

	if (!node || so->links != ZINC_LINKS_FOLLOW || !c->found || c->format->enter ||
	    (own == &c->last && c->asked != strlen(c->path)))
		return;
	*node = *own;
	*own = (zinc_opened){.text = NULL};
}

static zinc_status
open_place(zinc_hierarchy **out, zinc_opened *node, zinc_place *place, const zinc_store_options *so,
	   const zinc_open_options *o, const zinc_wait *wait, zinc_error *err)
{
	struct climb c = {.store = place->store, .wait = wait, .path = place->path, .there = place->existing};
	const zinc_format *format;
	zinc_status st;

	ZINC_TRY(find_format(&format, o->format && *o->format ? o->format : place->format, err));
	c.only = o->create ? NULL : format;
	st = climb(&c, place, o, err);
	if (st == ZINC_OK && o->create)
		st = check_format(&c, format, err);
	if (st == ZINC_OK && (c.found || o->create)) {
		st = check_root(&c, place, so, o->climb < 0, err);
		if (st == ZINC_OK)
			st = narrow(&c, place, so, err);
	}
	if (st == ZINC_OK)
		st = finish(out, &c, format, o, err);
	if (st == ZINC_OK)
		give_own(&c, so, node);
	if (st == ZINC_OK && c.found)
		zinc_hierarchy_warn_other_versions(*out);
	climb_fini(&c);
	return st;
}

zinc_status
zinc_hierarchy_open_url(zinc_hierarchy **out, const char *url, const zinc_open_options *options, zinc_error *err)
{
	ZINC_TRY(ZINC_NEED(out && url, err));
	return zinc_hierarchy_open_node(out, NULL, url, options, err);
}

zinc_status
zinc_hierarchy_open_node(zinc_hierarchy **out, zinc_opened *node, const char *url, const zinc_open_options *options,
			 zinc_error *err)
{
	zinc_store_options so = ZINC_STORE_OPTIONS_INIT;
	zinc_open_options o;
	zinc_place place;
	zinc_status st;
	zinc_wait wait;

	ZINC_TRY(ZINC_NEED(out && url, err));
	ZINC_TRY(zinc_options_take_as(&zinc_open_options_kind, &o, options, err));
	ZINC_TRY(zinc_wait_begin(&wait, o.call, err));
	so.context = o.context;
	so.read_only = o.read_only;
	so.relaxed = o.relaxed;
	so.links = o.links;
	so.settings = o.settings;
	so.nsettings = o.nsettings;
	ZINC_TRY(zinc_place_open(&place, url, &so, err));
	st = o.create && o.climb >= 0 ? check_odd_name(&place, &so, &wait, err) : ZINC_OK;
	if (st == ZINC_OK)
		st = open_place(out, node, &place, &so, &o, &wait, err);
	if (st == ZINC_OK)
		(*out)->wait = NULL;
	zinc_place_fini(&place);
	return st == ZINC_OK ? st : zinc_error_at_url(err, st, url);
}

/* A hierarchy with its root at `prefix`; `replace`: what is there will be erased first. */
static zinc_status
open_at(zinc_hierarchy **out, zinc_store *store, const char *prefix, size_t n, bool replace, const zinc_open_options *o,
	const zinc_wait *wait, zinc_error *err)
{
	struct climb c = {.store = store, .wait = wait, .path = prefix};
	const zinc_format *format;
	zinc_status st;

	ZINC_TRY(find_format(&format, o->format, err));
	c.only = o->create && !replace ? NULL : format;
	st = climb_fixed(&c, n, err);
	if (st == ZINC_OK && o->create)
		st = check_format(&c, format, err);
	if (st == ZINC_OK)
		st = finish(out, &c, format, o, err);
	if (st == ZINC_OK)
		(*out)->wait = NULL;
	climb_fini(&c);
	return st == ZINC_OK ? st : zinc_error_at_url(err, st, zinc_store_url(store));
}

zinc_status
zinc_hierarchy_open(zinc_hierarchy **out, zinc_store *store, const char *prefix, const zinc_open_options *options,
		    zinc_error *err)
{
	const size_t n = prefix ? strlen(prefix) : 0;
	const bool slash = n > 0 && prefix[n - 1] == '/'; /* as zinc_hierarchy_prefix returns it */
	zinc_open_options o;
	zinc_wait wait;

	ZINC_TRY(ZINC_NEED(out && store, err));
	ZINC_TRY(zinc_options_take_as(&zinc_open_options_kind, &o, options, err));
	ZINC_TRY(zinc_wait_begin(&wait, o.call, err));
	ZINC_TRY(zinc_store_check_settings(store, o.settings, o.nsettings, err));
	if (n > 0)
		ZINC_TRY(slash ? zinc_prefix_check(prefix, err) : zinc_key_check(prefix, err));
	return open_at(out, store, n > 0 ? prefix : "", n - slash, false, &o, &wait, err);
}

/* With the root of `old`, in another format. */
static zinc_status
open_instead(zinc_hierarchy **out, const zinc_hierarchy *old, const zinc_open_options *o, const zinc_wait *wait,
	     zinc_error *err)
{
	const size_t n = strlen(old->prefix);
	char *prefix = zinc_strndup(old->ctx, old->prefix, n - (n > 0));
	const zinc_status st =
	    prefix ? open_at(out, old->store, prefix, n - (n > 0), true, o, wait, err) : zinc_fail_nomem(err);

	zinc_free(old->ctx, prefix);
	return st;
}

zinc_status
zinc_hierarchy_open_new(zinc_hierarchy **out, zinc_hierarchy **old, const char *url, const char *otherwise,
			const zinc_open_options *options, zinc_error *err)
{
	const zinc_format *format;
	zinc_hierarchy *h = NULL;
	zinc_open_options o;
	zinc_call_options rest;
	zinc_wait wait;
	zinc_status st;

	*old = NULL;
	ZINC_TRY(zinc_options_take_as(&zinc_open_options_kind, &o, options, err));
	ZINC_TRY(zinc_wait_begin(&wait, o.call, err));
	o.size = sizeof o;
	o.create = 1;
	ZINC_TRY(find_format(&format, o.format, err));
	o.format = NULL;
	o.call = &rest;
	rest = zinc_wait_rest(&wait);
	ZINC_TRY(zinc_hierarchy_open_url(&h, url, &o, err));
	o.format = format ? format->id : h->fresh ? otherwise : h->format->id;
	if (!o.format || strcmp(o.format, h->format->id) == 0) {
		*out = h;
		return ZINC_OK;
	}
	if (!h->fresh && h->path[1] == '\0') {
		st = open_instead(out, h, &o, &wait, err);
		if (st == ZINC_OK && (*out)->fresh)
			*old = zinc_hierarchy_ref(h);
	} else {
		rest = zinc_wait_rest(&wait);
		st = zinc_hierarchy_open_url(out, url, &o, err);
	}
	zinc_hierarchy_close(h);
	return st;
}

zinc_hierarchy *
zinc_hierarchy_ref(zinc_hierarchy *h)
{
	h = h->of ? h->of : h;
	atomic_fetch_add(&h->refs, 1);
	return h;
}

void
zinc_hierarchy_close(zinc_hierarchy *h)
{
	if (!h || atomic_fetch_sub(&h->refs, 1) != 1)
		return;
	zinc_hierarchy_leave(h);
	zinc_free(h->ctx, h->path);
	zinc_free(h->ctx, h->prefix);
	zinc_free(h->ctx, h->url);
	zinc_free(h->ctx, h->fallback);
	zinc_store_close(h->store);
	zinc_free(h->ctx, h);
}

const char *
zinc_hierarchy_path(const zinc_hierarchy *h)
{
	return h->path;
}

const char *
zinc_hierarchy_format(const zinc_hierarchy *h)
{
	return h->format->id;
}

zinc_store *
zinc_hierarchy_store(const zinc_hierarchy *h)
{
	return h->store;
}

const char *
zinc_hierarchy_prefix(const zinc_hierarchy *h)
{
	return h->prefix;
}

zinc_status
zinc_hierarchy_writable(const zinc_hierarchy *h, zinc_error *err)
{
	zinc_caps caps = ZINC_CAPS_INIT;

	zinc_store_caps(h->store, &caps);
	if (!h->read_only && (caps.flags & ZINC_CAP_WRITE))
		return ZINC_OK;
	zinc_fail(err, ZINC_E_READONLY, "%s",
		  h->read_only ? "the hierarchy is open for reading only" : "this store cannot be written");
	return zinc_error_at_url(err, ZINC_E_READONLY, h->url);
}

/* ---- paths ---- */

/* Drafts keep documents and data apart: a store may reserve a name in one of the trees only. */
static zinc_status
check_data(const zinc_hierarchy *h, const char *path, zinc_buf *key, zinc_error *err)
{
	zinc_buf_end(key, 0);
	ZINC_TRY(zinc_data_prefix(h, path, key, err));
	ZINC_TRY(zinc_buf_puts(key, "0", err));
	return zinc_buf_text(key) ? zinc_store_check_key(h->store, zinc_buf_text(key), err) : zinc_fail_nomem(err);
}

zinc_status
zinc_hierarchy_check_keys(const zinc_hierarchy *h, const char *path, zinc_error *err)
{
	static const zinc_node_kind kinds[] = {ZINC_NODE_ARRAY, ZINC_NODE_GROUP};
	zinc_status st = zinc_key_check(path + 1, err);
	zinc_buf key;
	size_t i;

	zinc_buf_init(&key, h->ctx, ZINC_MAX_KEY);
	for (i = 0; i < sizeof kinds / sizeof *kinds && st == ZINC_OK; i++) {
		zinc_buf_end(&key, 0);
		st = zinc_node_key(h, path, kinds[i], &key, err);
		if (st == ZINC_OK)
			st = zinc_buf_text(&key) ? zinc_store_check_key(h->store, zinc_buf_text(&key), err)
						 : zinc_fail_nomem(err);
	}
	if (st == ZINC_OK)
		st = check_data(h, path, &key, err);
	zinc_buf_fini(&key);
	return st;
}

/* Only a '/' at either end is removed. */
static zinc_status
normalise(char **out, const zinc_hierarchy *h, const char *path, zinc_error *err)
{
	const char *name;
	zinc_status st;
	size_t n;

	path += *path == '/';
	n = strlen(path);
	n -= n > 0 && path[n - 1] == '/';
	for (name = path; n > 0 && name <= path + n;) {
		const char *end = memchr(name, '/', (size_t)(path + n - name));

		end = end ? end : path + n;
		ZINC_TRY(h->format->check_name(h->format, name, (size_t)(end - name), err));
		name = end + 1;
	}
	*out = join(h->ctx, "/", "", path, n, "");
	if (!*out)
		return zinc_fail_nomem(err);
	st = n > 0 ? zinc_hierarchy_check_keys(h, *out, err) : ZINC_OK;
	if (st != ZINC_OK) {
		zinc_free(h->ctx, *out);
		*out = NULL;
	}
	return st;
}

/* Version 2, "Logical storage paths": '\' counts as '/', and several count as one. */
static char *
clean_path(zinc_context *ctx, const char *path)
{
	char *out = zinc_strdup(ctx, path), *to = out;
	const char *from;

	for (from = path; out && *from; from++) {
		const bool slash = *from == '/' || *from == '\\';

		if (!slash || to == out || to[-1] != '/')
			*to++ = slash ? '/' : *from;
	}
	if (out)
		*to = '\0';
	return out;
}

zinc_status
zinc_path_normalise(char **out, const zinc_hierarchy *h, const char *path, zinc_error *err)
{
	zinc_status st;
	char *clean;

	if (!path) /* never the root by mistake: it could be erased */
		return zinc_fail(err, ZINC_E_INVALID, "no path; that of the root is \"/\"");
	if (!h->format->lax_paths)
		return normalise(out, h, path, err);
	clean = clean_path(h->ctx, path);
	if (!clean)
		return zinc_fail_nomem(err);
	st = normalise(out, h, clean, err);
	zinc_free(h->ctx, clean);
	return st;
}

struct vacancy {
	zinc_store *store;
	const zinc_wait *wait;
	bool *vacant;
};

/* A node may have keys below several prefixes; one entry below any of them is enough. */
static zinc_status
look_below(void *arg, const char *prefix, zinc_error *err)
{
	const struct vacancy *look = arg;

	return *look->vacant ? zinc_store_list_dir(look->store, prefix, stop_at_first, look->vacant, look->wait, err)
			     : ZINC_OK;
}

zinc_status
zinc_hierarchy_vacant(zinc_hierarchy *h, const char *path, bool *vacant, zinc_error *err)
{
	struct vacancy look = {h->store, h->wait, vacant};

	*vacant = true;
	return zinc_node_prefixes(h, path, look_below, &look, err);
}

/* ---- keys ---- */

zinc_status
zinc_key_role_of(const zinc_hierarchy *h, const char *key, zinc_key_role *role, zinc_error *err)
{
	const size_t n = strlen(h->prefix);
	zinc_status st;
	zinc_buf place;

	zinc_buf_init(&place, h->ctx, ZINC_MAX_KEY);
	st = h->format->place(h, strncmp(key, h->prefix, n) == 0 ? key + n : key, role, &place, err);
	zinc_buf_fini(&place);
	return st;
}
