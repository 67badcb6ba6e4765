/*
 * hierarchy.c - handles of hierarchies: open, create, close
 *
 * root.c finds the root, path.c checks paths.
 */
#include "format/root.h"

ZINC_OPTIONS_KIND(zinc_open_options, ZINC_OPTION_RANGE(zinc_open_options, strictness, 0, ZINC_STRICT),
		  ZINC_OPTION_YES_NO(zinc_open_options, read_only), ZINC_OPTION_YES_NO(zinc_open_options, relaxed),
		  ZINC_OPTION_LINKS(zinc_open_options), ZINC_OPTION_YES_NO(zinc_open_options, create),
		  ZINC_OPTION_UNLESS(zinc_open_options, climb), ZINC_OPTION_YES_NO(zinc_open_options, keep_documents));

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

/* Read the entry point, if the format has one.  A new hierarchy writes its own later. */
static zinc_status
enter(zinc_hierarchy *h, zinc_root_search *c, zinc_error *err)
{
	zinc_json_doc *entry = c->found ? c->entry : NULL;
	zinc_report r;

	if (!h->format->enter)
		return ZINC_OK;
	if (c->found)
		c->entry = NULL;
	zinc_report_init(&r, h->ctx, h->strict, h->url);
	return h->format->enter(h, entry, &r, err);
}

/* Make the handle from the result of the climb; it has a reference to the store. */
static zinc_status
make(zinc_hierarchy **out, zinc_root_search *c, const zinc_open_options *o, zinc_error *err)
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
	h->url = zinc_text_join(ctx, base, c->root > 0 ? zinc_url_slash(base) : "", c->path, c->root, "");
	h->prefix = zinc_text_join(ctx, "", "", c->path, c->root, c->root > 0 ? "/" : "");
	rest += *rest == '/';
	h->path = zinc_text_join(ctx, "/", "", rest, strlen(rest), "");
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
finish(zinc_hierarchy **out, zinc_root_search *c, const zinc_format *format, const zinc_open_options *o,
       zinc_error *err)
{
	if (!c->found && !o->create)
		return zinc_fail(err, ZINC_E_NOTFOUND, "there is no Zarr node at this path%s",
				 *c->path ? ", nor in any directory above it" : "");
	if (!c->found)
		c->format = format ? format : &zinc_format_v3;
	return make(out, c, o, err);
}

/* The root is that of the URL's node; the path goes on to a node below it. */
static zinc_status
go_below(zinc_root_search *c, zinc_place *place, const char *below, zinc_error *err)
{
	char *path;
	zinc_status st;

	if (!below || !*below)
		return ZINC_OK;
	path = zinc_text_join(place->ctx, place->path, *place->path ? "/" : "", below, strlen(below), "");
	if (!path)
		return zinc_fail_nomem(err);
	st = zinc_key_check(path, err);
	if (st != ZINC_OK) {
		zinc_free(place->ctx, path);
		return st;
	}
	zinc_free(place->ctx, place->path);
	place->path = path;
	c->path = path;
	return ZINC_OK;
}

/* When links must stay beneath the hierarchy, its store begins at the root that was found.  It has other keys, and may
 * refuse to read what the climb has read. */
static zinc_status
narrow(zinc_root_search *c, zinc_place *place, const zinc_store_options *so, const char *below, zinc_error *err)
{
	const size_t before = strlen(place->path);

	if (so->links != ZINC_LINKS_FOLLOW) {
		zinc_known_free(c->known);
		c->known = zinc_known_new(zinc_store_context(c->store));
	}
	ZINC_TRY(zinc_place_narrow(place, c->root, so, err));
	c->store = place->store;
	c->path = place->path;
	if (strlen(c->path) != before)
		c->root = 0;
	return go_below(c, place, below, err);
}

/* The documents that were read belong to the handle, if its calls shall use them, or else to the call. */
static void
hand_on(zinc_hierarchy *h, zinc_root_search *c, zinc_known **known, const zinc_open_options *o)
{
	zinc_known **to = o->keep_documents ? &h->known : known;

	if (!to)
		return;
	*to = c->known;
	c->known = NULL;
}

static zinc_status
open_place(zinc_hierarchy **out, zinc_known **known, zinc_place *place, const zinc_store_options *so,
	   const zinc_open_options *o, const zinc_wait *wait, zinc_error *err)
{
	zinc_root_search c = {.store = place->store, .wait = wait, .path = place->path, .there = place->existing};
	const zinc_format *format;
	zinc_status st;

	ZINC_TRY(find_format(&format, o->format && *o->format ? o->format : place->format, err));
	c.known = zinc_known_new(zinc_store_context(c.store));
	c.only = o->create ? NULL : format;
	st = zinc_root_find(&c, place, o, err);
	if (st == ZINC_OK && o->create)
		st = zinc_root_check_format(&c, format, err);
	if (st == ZINC_OK && (c.found || o->create)) {
		st = zinc_root_check_links(&c, place, so, o->climb < 0, err);
		if (st == ZINC_OK)
			st = narrow(&c, place, so, o->below, err);
	}
	if (st == ZINC_OK)
		st = finish(out, &c, format, o, err);
	if (st == ZINC_OK && c.found)
		zinc_hierarchy_warn_other_versions(*out, c.known);
	if (st == ZINC_OK)
		hand_on(*out, &c, known, o);
	zinc_root_search_fini(&c);
	return st;
}

/* A handle that writes must read what is stored. */
static zinc_status
take_options(zinc_open_options *o, const zinc_open_options *options, zinc_error *err)
{
	ZINC_TRY(zinc_options_take_as(&zinc_open_options_kind, o, options, err));
	if (o->keep_documents && !o->read_only)
		return zinc_fail(err, ZINC_E_INVALID, "keep_documents needs read_only");
	if (o->create && o->below)
		return zinc_fail(err, ZINC_E_INVALID, "a node below that of the URL cannot be created");
	return ZINC_OK;
}

zinc_status
zinc_hierarchy_open_url(zinc_hierarchy **out, const char *url, const zinc_open_options *options, zinc_error *err)
{
	ZINC_TRY(ZINC_NEED(out && url, err));
	return zinc_hierarchy_open_node(out, NULL, url, options, err);
}

zinc_status
zinc_hierarchy_open_node(zinc_hierarchy **out, zinc_known **known, const char *url, const zinc_open_options *options,
			 zinc_error *err)
{
	zinc_store_options so = ZINC_STORE_OPTIONS_INIT;
	zinc_open_options o;
	zinc_place place;
	zinc_status st;
	zinc_wait wait;

	ZINC_TRY(ZINC_NEED(out && url, err));
	ZINC_TRY(take_options(&o, options, err));
	ZINC_TRY(zinc_wait_begin(&wait, o.call, err));
	so.context = o.context;
	so.read_only = o.read_only;
	so.relaxed = o.relaxed;
	so.links = o.links;
	so.settings = o.settings;
	so.nsettings = o.nsettings;
	ZINC_TRY(zinc_place_open(&place, url, &so, err));
	st = o.create && o.climb >= 0 ? zinc_root_check_name(&place, &so, &wait, err) : ZINC_OK;
	if (st == ZINC_OK)
		st = open_place(out, known, &place, &so, &o, &wait, err);
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
	zinc_root_search c = {.store = store, .wait = wait, .path = prefix};
	const zinc_format *format;
	zinc_status st;

	ZINC_TRY(find_format(&format, o->format, err));
	c.only = o->create && !replace ? NULL : format;
	c.known = zinc_known_new(zinc_store_context(store));
	st = zinc_root_fixed(&c, n, err);
	if (st == ZINC_OK && o->create)
		st = zinc_root_check_format(&c, format, err);
	if (st == ZINC_OK)
		st = finish(out, &c, format, o, err);
	if (st == ZINC_OK) {
		(*out)->wait = NULL;
		hand_on(*out, &c, NULL, o);
	}
	zinc_root_search_fini(&c);
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
	ZINC_TRY(take_options(&o, options, err));
	ZINC_TRY(zinc_wait_begin(&wait, o.call, err));
	ZINC_TRY(zinc_store_check_settings(store, o.settings, o.nsettings, err));
	if (o.below)
		return zinc_fail(err, ZINC_E_INVALID, "a node below needs a URL");
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
	zinc_known_free(h->known);
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
	if (h->read_only)
		zinc_fail(err, ZINC_E_READONLY, "the hierarchy is open for reading only");
	else
		zinc_fail(err, ZINC_E_READONLY, "this store cannot be written%s",
			  caps.flags & ZINC_CAP_REMOTE ? ": write a local copy, and upload that, "
							 "or if it is a web server that takes PUT add ?write=yes"
						       : "");
	return zinc_error_at_url(err, ZINC_E_READONLY, h->url);
}
