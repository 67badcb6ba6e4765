/*
 * hierarchy.c - opening a hierarchy: which part of a URL is its root
 *
 * The climb.  From the URL's path upwards to the first prefix that has a node's document, and on while
 * the parent is a group too:
 *
 *   /data/a.zarr/foo/bar     zarr.json in foo/bar, foo and a.zarr, none in data: the root is a.zarr
 *
 * A remote store is not asked beyond the path itself when that has a document.  For creating: the same from
 * the parent; else the path itself when something is there; else the first component that ends in ".zarr";
 * else the whole path.  Promises:
 *
 * (1) A '|' in the URL fixes the root: nothing above it is looked at.
 * (2) A document that cannot be read is never taken for a missing one.
 * (3) A path that a caller gives is checked before it becomes a key.
 */
#include "format/format.h"

/* ---- the climb ---- */

struct climb {
	zinc_store *store;
	const char *path;        /* "" or a key; nobody climbs past "" */
	const zinc_format *only; /* NULL: any */
	const zinc_format *format;
	size_t root; /* bytes of `path` that name the root */
	bool found;
	zinc_blob text; /* of the zarr.json that was looked at last */
};

/* Which format, if any, has a node at the first n bytes of the path? */
static zinc_status
ask(struct climb *c, size_t n, const zinc_format **format, zinc_node_kind *kind, zinc_error *err)
{
	zinc_context *ctx = zinc_store_context(c->store);
	zinc_status s;
	zinc_buf prefix;

	*format = NULL;
	zinc_blob_fini(&c->text);
	zinc_buf_init(&prefix, ctx, SIZE_MAX);
	s = zinc_buf_add(&prefix, c->path, n, err);
	if (s == ZINC_OK && n > 0)
		s = zinc_buf_puts(&prefix, "/", err);
	if (s == ZINC_OK)
		s = zinc_buf_text(&prefix)
			? zinc_format_detect(c->store, zinc_buf_text(&prefix), c->only, format, kind, &c->text, err)
			: zinc_fail_nomem(err);
	if (s != ZINC_OK && n > 0)
		zinc_error_at_key(err, s, zinc_buf_text(&prefix) ? zinc_buf_text(&prefix) : "");
	zinc_buf_fini(&prefix);
	return s;
}

/* "a/b/c" -> "a/b" -> "a" -> "" */
static size_t
parent(const char *path, size_t n)
{
	while (n > 0 && path[--n] != '/')
		;
	return n;
}

/* On while the parent is a group of the same format.  An entry point is the root itself, and another format's above
 * is a border, too. */
static zinc_status
climb_groups(struct climb *c, zinc_error *err)
{
	while (c->root > 0 && !c->format->enter) {
		const size_t up = parent(c->path, c->root);
		const zinc_format *format;
		zinc_node_kind kind;
		const zinc_status s = ask(c, up, &format, &kind, err);

		if (s == ZINC_E_UNSUPPORTED)
			return ZINC_OK;
		ZINC_TRY(s);
		if (format != c->format || kind != ZINC_NODE_GROUP)
			return ZINC_OK;
		c->root = up;
	}
	return ZINC_OK;
}

/* From the first n bytes of the path upwards. */
static zinc_status
climb_from(struct climb *c, size_t n, zinc_error *err)
{
	zinc_node_kind kind;
	zinc_caps caps;

	zinc_store_caps(c->store, &caps);
	for (c->root = n;; c->root = parent(c->path, c->root)) {
		ZINC_TRY(ask(c, c->root, &c->format, &kind, err));
		if (c->format || c->root == 0)
			break;
	}
	c->found = c->format != NULL;
	if (!c->found || (c->root == n && (caps.flags & ZINC_CAP_REMOTE)))
		return ZINC_OK;
	return climb_groups(c, err);
}

/* Bytes of the path up to its first component that looks like a root; all of it when none does. */
static size_t
suffixed_root(const char *path)
{
	static const char *const suffixes[] = {".zarr", ".zr3", ".zr"};
	const char *end = path;
	size_t i;

	while (*end) {
		const char *name = end;

		end += strcspn(end, "/");
		for (i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
			const size_t n = strlen(suffixes[i]);

			if ((size_t)(end - name) > n && memcmp(end - n, suffixes[i], n) == 0)
				return (size_t)(end - path);
		}
		end += *end == '/';
	}
	return (size_t)(end - path);
}

/* A new node joins the hierarchy above it, if there is one; so a parent comes before the node itself. */
static zinc_status
climb_to_create(struct climb *c, zinc_error *err)
{
	const size_t n = strlen(c->path);
	zinc_node_kind kind;

	if (n > 0)
		ZINC_TRY(climb_from(c, parent(c->path, n), err));
	if (c->found)
		return ZINC_OK;
	ZINC_TRY(ask(c, n, &c->format, &kind, err));
	c->found = c->format != NULL;
	c->root = c->found ? n : suffixed_root(c->path);
	return ZINC_OK;
}

/* The root at the start of the path, as a '|' or a caller says. */
static zinc_status
climb_fixed(struct climb *c, size_t root, zinc_error *err)
{
	zinc_node_kind kind;

	c->root = root;
	ZINC_TRY(ask(c, root, &c->format, &kind, err));
	c->found = c->format != NULL;
	return ZINC_OK;
}

/* ---- making the object ---- */

/* Which format a caller asked for; *out NULL: any. */
static zinc_status
find_format(const zinc_format **out, const char *id, zinc_error *err)
{
	*out = NULL;
	if (!id || !*id || strcmp(id, "zarr") == 0)
		return ZINC_OK;
	*out = zinc_format_find(strcmp(id, "zarr3") == 0 ? "v3" : strcmp(id, "zarr2") == 0 ? "v2" : id);
	if (*out)
		return ZINC_OK;
	return zinc_fail(err, strncmp(id, "zarr", 4) == 0 ? ZINC_E_UNSUPPORTED : ZINC_E_INVALID,
			 "this build knows no format \"%.40s\"", id);
}

/* a, b, n bytes of c, and d as one string; NULL: no memory. */
static char *
join(zinc_context *ctx, const char *a, const char *b, const char *c, size_t n, const char *d)
{
	zinc_buf text;
	char *out = NULL;

	zinc_buf_init(&text, ctx, SIZE_MAX);
	if (zinc_buf_puts(&text, a, NULL) == ZINC_OK && zinc_buf_puts(&text, b, NULL) == ZINC_OK &&
	    zinc_buf_add(&text, c, n, NULL) == ZINC_OK && zinc_buf_puts(&text, d, NULL) == ZINC_OK &&
	    zinc_buf_text(&text))
		out = zinc_strndup(ctx, zinc_buf_text(&text), text.n);
	zinc_buf_fini(&text);
	return out;
}

/* Read the entry point, where the format has one; a new hierarchy has yet to write its own. */
static zinc_status
enter(zinc_hierarchy *h, const struct climb *c, zinc_error *err)
{
	zinc_report r;

	if (!h->format->enter)
		return ZINC_OK;
	zinc_report_init(&r, h->ctx, h->strict, h->url);
	return h->format->enter(h, c->found ? c->text.data : NULL, c->text.nbytes, &r, err);
}

/* What the climb found, as an object with a reference to the store. */
static zinc_status
make(zinc_hierarchy **out, const struct climb *c, const zinc_open_options *o, zinc_error *err)
{
	zinc_context *ctx = zinc_store_context(c->store);
	zinc_hierarchy *h = zinc_calloc(ctx, 1, sizeof *h);
	const char *base = zinc_store_url(c->store), *rest = c->path + c->root;
	const bool slash = c->root > 0 && *base && base[strlen(base) - 1] != '/';
	zinc_status s;

	if (!h)
		return zinc_fail_nomem(err);
	atomic_init(&h->refs, 1);
	h->ctx = ctx;
	h->store = zinc_store_ref(c->store);
	h->format = c->format;
	h->strict = o->strictness == ZINC_STRICT;
	h->read_only = o->read_only != 0;
	h->fallback = o->fallback ? zinc_strdup(ctx, o->fallback) : NULL;
	h->put_flags = o->relaxed ? ZINC_PUT_RELAXED : 0;
	h->url = join(ctx, base, slash ? "/" : "", c->path, c->root, "");
	h->prefix = join(ctx, "", "", c->path, c->root, c->root > 0 ? "/" : "");
	rest += *rest == '/';
	h->path = join(ctx, "/", "", rest, strlen(rest), "");
	if (!h->url || !h->prefix || !h->path || (o->fallback && !h->fallback)) {
		zinc_hierarchy_close(h);
		return zinc_fail_nomem(err);
	}
	s = enter(h, c, err);
	if (s == ZINC_OK)
		*out = h;
	else
		zinc_hierarchy_close(h);
	return s;
}

/* The climb has ended: open what was found, or what may be made there. */
static zinc_status
finish(zinc_hierarchy **out, struct climb *c, const zinc_open_options *o, zinc_error *err)
{
	if (!c->found && !o->create)
		return zinc_fail(err, ZINC_E_NOTFOUND, "no node of a Zarr hierarchy is there%s",
				 *c->path ? ", nor at any directory above" : "");
	if (!c->found)
		c->format = c->only ? c->only : &zinc_format_v3;
	return make(out, c, o, err);
}

/* The three ways to a root: fixed by the URL, looked for, or to be made. */
static zinc_status
open_place(zinc_hierarchy **out, const zinc_place *place, const zinc_open_options *o, zinc_error *err)
{
	struct climb c = {.store = place->store, .path = place->path, .text = ZINC_BLOB_INIT};
	zinc_status s;

	ZINC_TRY(find_format(&c.only, o->format && *o->format ? o->format : place->format, err));
	if (place->root_fixed)
		s = climb_fixed(&c, 0, err);
	else if (o->create)
		s = climb_to_create(&c, err);
	else
		s = climb_from(&c, strlen(c.path), err);
	if (s == ZINC_OK)
		s = finish(out, &c, o, err);
	if (s == ZINC_OK && c.found)
		zinc_hierarchy_look_aside(*out);
	zinc_blob_fini(&c.text);
	return s;
}

zinc_status
zinc_hierarchy_open_url(zinc_hierarchy **out, const char *url, const zinc_open_options *options, zinc_error *err)
{
	zinc_store_options so = ZINC_STORE_OPTIONS_INIT;
	zinc_open_options o;
	zinc_place place;
	zinc_status s;

	ZINC_TRY(zinc_options_take(&o, sizeof o, options, err));
	so.context = o.context;
	so.read_only = o.read_only;
	so.relaxed = o.relaxed;
	so.links = o.links;
	ZINC_TRY(zinc_place_open(&place, url, &so, err));
	s = open_place(out, &place, &o, err);
	zinc_place_fini(&place);
	return s == ZINC_OK ? s : zinc_error_at_url(err, s, url);
}

zinc_status
zinc_hierarchy_open(zinc_hierarchy **out, zinc_store *store, const char *prefix, const zinc_open_options *options,
		    zinc_error *err)
{
	struct climb c = {.store = store, .path = prefix ? prefix : "", .text = ZINC_BLOB_INIT};
	const size_t n = strlen(c.path);
	zinc_open_options o;
	zinc_status s;

	ZINC_TRY(zinc_options_take(&o, sizeof o, options, err));
	if (n > 0)
		ZINC_TRY(zinc_key_check(c.path, err));
	ZINC_TRY(find_format(&c.only, o.format, err));
	s = climb_fixed(&c, n, err);
	if (s == ZINC_OK)
		s = finish(out, &c, &o, err);
	zinc_blob_fini(&c.text);
	return s == ZINC_OK ? s : zinc_error_at_url(err, s, zinc_store_url(store));
}

zinc_hierarchy *
zinc_hierarchy_ref(zinc_hierarchy *h)
{
	atomic_fetch_add(&h->refs, 1);
	return h;
}

void
zinc_hierarchy_close(zinc_hierarchy *h)
{
	if (!h || atomic_fetch_sub(&h->refs, 1) != 1)
		return;
	if (h->format->leave)
		h->format->leave(h);
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
	zinc_caps caps;

	zinc_store_caps(h->store, &caps);
	if (!h->read_only && (caps.flags & ZINC_CAP_WRITE))
		return ZINC_OK;
	zinc_fail(err, ZINC_E_READONLY, "%s",
		  h->read_only ? "the hierarchy is open for reading only" : "this store cannot be written");
	return zinc_error_at_url(err, ZINC_E_READONLY, h->url);
}

/* ---- paths ---- */

/* With nothing but a '/' at either end to be taken off. */
static zinc_status
normalise(char **out, const zinc_hierarchy *h, const char *path, zinc_error *err)
{
	const char *name;
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
	if (n > 0 && zinc_key_check(*out + 1, err) != ZINC_OK) {
		zinc_free(h->ctx, *out);
		*out = NULL;
		return ZINC_E_INVALID;
	}
	return ZINC_OK;
}

zinc_status
zinc_path_normalise(char **out, const zinc_hierarchy *h, const char *path, zinc_error *err)
{
	zinc_status s;
	char *clean;

	path = path ? path : "";
	if (!h->format->clean_path)
		return normalise(out, h, path, err);
	clean = h->format->clean_path(h->ctx, path);
	if (!clean)
		return zinc_fail_nomem(err);
	s = normalise(out, h, clean, err);
	zinc_free(h->ctx, clean);
	return s;
}

struct vacancy {
	zinc_store *store;
	bool *vacant;
};

/* Any entry says that the place is taken. */
static int
stop_at_first(void *arg, const char *entry, int is_prefix)
{
	(void)entry, (void)is_prefix;
	*(bool *)arg = false;
	return 1;
}

/* A format may keep a node below several prefixes; one entry below any of them is enough. */
static zinc_status
look_below(void *arg, const char *prefix, zinc_error *err)
{
	const struct vacancy *look = arg;

	return *look->vacant ? zinc_store_list_dir(look->store, prefix, stop_at_first, look->vacant, err) : ZINC_OK;
}

zinc_status
zinc_hierarchy_vacant(zinc_hierarchy *h, const char *path, bool *vacant, zinc_error *err)
{
	struct vacancy look = {h->store, vacant};

	*vacant = true;
	return h->format->prefixes(h, path, look_below, &look, err);
}

/* ---- keys ---- */

zinc_status
zinc_key_role_of(const zinc_hierarchy *h, const char *key, zinc_key_role *role, zinc_error *err)
{
	const size_t n = strlen(h->prefix);
	zinc_status s;
	zinc_buf place;

	zinc_buf_init(&place, h->ctx, SIZE_MAX);
	s = h->format->place(h, strncmp(key, h->prefix, n) == 0 ? key + n : key, role, &place, err);
	zinc_buf_fini(&place);
	return s;
}
