/*
 * store_open.c - from a URL to an open store
 */
#include <stdio.h>

#include "store/store_setting.h"
#include "store/store_url.h"

ZINC_OPTIONS_KIND(zinc_store_options, ZINC_OPTION_YES_NO(zinc_store_options, read_only),
		  ZINC_OPTION_UNLESS(zinc_store_options, create), ZINC_OPTION_YES_NO(zinc_store_options, relaxed),
		  ZINC_OPTION_LINKS(zinc_store_options));

/* Operations that a setting switches off are removed, so that they are refused. */
void
zinc_store_remove_slots(zinc_store *s)
{
	zinc_caps caps = ZINC_CAPS_INIT;

	s->ops.caps(s->self, &caps);
	if (!(caps.flags & ZINC_CAP_WRITE)) {
		s->ops.put = NULL;
		s->ops.put_begin = NULL;
		s->ops.update = NULL;
	}
	if (!(caps.flags & ZINC_CAP_ERASE)) {
		s->ops.del = NULL;
		s->ops.del_prefix = NULL;
	}
}

/* Wrap an opened store and apply the options that every kind has. */
zinc_status
zinc_store_wrap_opened(zinc_store **out, const zinc_store_ops *ops, void *self, const char *url,
		       const zinc_store_options *o, zinc_error *err)
{
	zinc_store *s = NULL;
	zinc_status st = zinc_store_wrap(&s, o->context, ops, self, url, err);

	if (st != ZINC_OK) {
		ops->close(self);
		return st;
	}
	zinc_store_remove_slots(s);
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

/* Each text is hashed with its length, so that "ab" "c" is not "a" "bc". */
static void
add_identity(zinc_store *s, const char *text)
{
	zinc_hash128(s->identity, s->identity, text, strlen(text) + 1);
}

/* Would another process find the same values at this URL, and know them by their tags?  A relative path names different
 * files in different processes.  The tags of files (inode, size, time) return when a directory is unpacked anew from an
 * archive without times.  What the store is opened for does not matter: one that is only read lasts, too. */
static bool
is_lasting(zinc_store *s, const zinc_store_ops *ops, const char *rest)
{
	zinc_caps caps = ZINC_CAPS_INIT;
	uint32_t flags;

	if (ops == &zinc_store_ops_fs)
		return false;
	zinc_store_caps(s, &caps);
	flags = caps.flags;
	if (ZINC_STORE_HAS(ops, flags))
		flags |= ops->flags;
	return (flags & ZINC_CAP_REMOTE) || ((flags & ZINC_CAP_DURABLE) && rest[0] == '/');
}

/* The values of the variables that the store reads itself. */
static void
add_variables(zinc_store *s, const zinc_store_ops *ops)
{
	const char *list = ZINC_STORE_HAS(ops, variables) ? ops->variables : NULL, *value;
	char name[64];
	size_t n;

	for (; list && *list; list += n + (list[n] == ',')) {
		n = strcspn(list, ",");
		snprintf(name, sizeof name, "%.*s", (int)n, list);
		value = zinc_env(name);
		add_identity(s, value ? value : "");
	}
}

static const uint8_t no_salt[ZINC_HASH_BYTES];

/* The order of settings depends on where they come from. */
static void
add_setting(uint8_t sum[ZINC_HASH_BYTES], const uint8_t salt[ZINC_HASH_BYTES], const zinc_setting *setting)
{
	uint8_t one[ZINC_HASH_BYTES];
	size_t b;

	zinc_hash128(one, salt, setting->name, strlen(setting->name));
	zinc_hash128(one, one, setting->value, strlen(setting->value));
	for (b = 0; b < sizeof one; b++)
		sum[b] ^= one[b];
}

void
zinc_store_identify(zinc_store *s, const zinc_store *below, const zinc_store_ops *ops, const char *rest,
		    const zinc_setting *settings, size_t n)
{
	uint8_t sum[ZINC_HASH_BYTES] = {0};
	size_t i;

	s->identified = below ? below->identified : is_lasting(s, ops, rest);
	if (below) {
		memcpy(s->identity, below->identity, sizeof s->identity);
		memcpy(s->place, below->place, sizeof s->place);
	}
	add_identity(s, ops->name ? ops->name : "");
	add_identity(s, ops->schemes ? ops->schemes : "");
	add_identity(s, rest);
	add_variables(s, ops);
	for (i = 0; i < n; i++) {
		add_setting(sum, s->identity, &settings[i]);
		if (zinc_setting_is_place(ops, settings[i].name))
			add_setting(s->place, no_salt, &settings[i]);
	}
	zinc_hash128(s->identity, s->identity, sum, sizeof sum);
}

/* If it cannot be wrapped, wrap_opened closes it. */
static zinc_status
open_with_settings(zinc_store **out, const zinc_store_ops *ops, const char *rest, const char *url,
		   const zinc_store_options *o, const zinc_settings *settings, zinc_error *err)
{
	zinc_store_options told = *o;
	void *self = NULL;

	told.settings = settings->all;
	told.nsettings = settings->n;
	ZINC_TRY(ops->open(&self, rest, &told, err));
	ZINC_TRY(zinc_store_wrap_opened(out, ops, self, url, o, err));
	zinc_store_identify(*out, NULL, ops, rest, settings->all, settings->n);
	return ZINC_OK;
}

/* Split "rest?query" and take the settings out of the query. */
zinc_status
zinc_store_open_ops(zinc_store **out, const zinc_store_ops *ops, const char *rest, const char *url,
		    const zinc_store_options *o, zinc_error *err)
{
	const size_t n = ops->settings ? strcspn(rest, "?") : strlen(rest);
	zinc_buf plain, query;
	zinc_settings settings;
	zinc_status st;

	zinc_buf_init(&plain, o->context, ZINC_MAX_KEY);
	zinc_buf_init(&query, o->context, ZINC_MAX_KEY);
	memset(&settings, 0, sizeof settings);
	st = zinc_buf_reserve(&query, strlen(rest), err);
	if (st == ZINC_OK)
		st = zinc_buf_reserve(&plain, strlen(rest), err);
	if (st == ZINC_OK)
		st = zinc_settings_gather(&settings, ops, o, rest[n] ? rest + n + 1 : NULL, &query, err);
	if (st == ZINC_OK)
		st = zinc_buf_add(&plain, rest, n, err);
	if (st == ZINC_OK && query.n)
		st = zinc_buf_puts(&plain, "?", err);
	if (st == ZINC_OK)
		st = zinc_buf_add(&plain, query.p, query.n, err);
	if (st == ZINC_OK && !zinc_buf_text(&plain))
		st = zinc_fail_nomem(err);
	if (st == ZINC_OK)
		st = open_with_settings(out, ops, (const char *)plain.p, url, o, &settings, err);
	zinc_settings_fini(&settings);
	zinc_buf_wipe(&plain);
	zinc_buf_wipe(&query);
	return st;
}

zinc_status
zinc_store_find_url(const zinc_store_ops **out, const zinc_url *u, zinc_context *ctx, zinc_error *err)
{
	return zinc_store_find(out, ctx, zinc_url_is_local(u) ? "file" : u->scheme, err);
}

/* Open a store by the part of its URL after "scheme://". */
static zinc_status
open_rest(zinc_store **out, const zinc_store_ops *ops, const char *scheme, const char *rest,
	  const zinc_store_options *o, zinc_error *err)
{
	zinc_buf url, shown;
	zinc_bytes parts[ZINC_URL_PARTS];
	size_t k, n = 0;
	zinc_status st;

	zinc_buf_init(&url, o->context, ZINC_MAX_KEY);
	zinc_buf_init(&shown, o->context, ZINC_MAX_KEY);
	st = zinc_buf_printf(&url, err, "%s://%s", scheme, rest);
	if (st == ZINC_OK)
		n = zinc_url_parts(zinc_buf_text(&url), parts);
	for (k = 0; k < n && st == ZINC_OK; k++)
		st = zinc_buf_add(&shown, parts[k].p, parts[k].n, err);
	if (st == ZINC_OK && !zinc_buf_text(&shown))
		st = zinc_fail_nomem(err);
	if (st == ZINC_OK)
		st = zinc_store_open_ops(out, ops, rest, (const char *)shown.p, o, err);
	zinc_buf_fini(&shown);
	zinc_buf_wipe(&url);
	return st;
}

/* The end of the root: by the store's split, else the first '/'. */
static zinc_status
split_rest(const zinc_store_ops *ops, const char *rest, zinc_context *ctx, size_t *n, zinc_error *err)
{
	*n = strcspn(rest, "/");
	if (!ops->split)
		return ZINC_OK;
	ZINC_TRY(ops->split(rest, ctx, n, err));
	return *n <= strlen(rest)
		   ? ZINC_OK
		   : zinc_fail(err, ZINC_E_INVALID, "the store's split returns more bytes than its URL has");
}

/* Open a store with `rest` and `query` given apart: "name/inner?query" is the key "inner" of "name?query". */
static zinc_status
open_split(zinc_store **out, char **inner, const zinc_store_ops *ops, const char *scheme, const char *rest,
	   const char *query, const zinc_store_options *o, zinc_error *err)
{
	zinc_buf root;
	zinc_status st;
	size_t n;

	ZINC_TRY(split_rest(ops, rest, o->context, &n, err));
	if ((ops->flags & ZINC_CAP_REMOTE) && strstr(rest + n, "//"))
		return zinc_fail(
		    err, ZINC_E_INVALID,
		    "\"//\" in the path: a name cannot be empty, and to the server it is another path than "
		    "with one '/'");
	zinc_buf_init(&root, o->context, ZINC_MAX_KEY);
	st = zinc_buf_printf(&root, err, "%.*s%s", (int)n, rest, query);
	if (st == ZINC_OK)
		st = zinc_url_key(inner, o->context, rest + n, true, err);
	if (st == ZINC_OK)
		st = open_rest(out, ops, scheme, zinc_buf_text(&root), o, err);
	zinc_buf_wipe(&root);
	return st;
}

zinc_status
zinc_store_open_inside(zinc_store **out, char **inner, const zinc_store_ops *ops, zinc_url *u,
		       const zinc_store_options *o, zinc_error *err)
{
	const char *base = zinc_buf_text(&u->base);
	zinc_status st;
	char *rest;
	size_t n;

	if (!base)
		return zinc_fail_nomem(err);
	n = ops->settings || !ops->split ? strcspn(base, "?") : strlen(base);
	rest = zinc_strndup(o->context, base, n);
	if (!rest)
		return zinc_fail_nomem(err);
	st = open_split(out, inner, ops, u->scheme, rest, base + n, o, err);
	zinc_free(o->context, rest);
	return st;
}

zinc_status
zinc_store_enter(zinc_store **s, const char *path, zinc_error *err)
{
	zinc_store *outer = *s;
	zinc_buf prefix;
	zinc_status st;

	if (path[0] == '\0')
		return ZINC_OK;
	zinc_buf_init(&prefix, outer->ctx, ZINC_MAX_KEY);
	st = zinc_buf_printf(&prefix, err, "%s/", path);
	if (st == ZINC_OK)
		st = zinc_store_prefix(s, outer, zinc_buf_text(&prefix), err);
	zinc_buf_fini(&prefix);
	zinc_store_close(outer);
	if (st != ZINC_OK)
		*s = NULL;
	return st;
}

/* Open everything before '|' as one store. */
zinc_status
zinc_store_open_base(zinc_store **out, zinc_url *u, const zinc_store_options *o, zinc_error *err)
{
	const zinc_store_ops *ops = NULL;
	const char *base = zinc_buf_text(&u->base);
	char *path = NULL;
	zinc_store *s = NULL;
	zinc_status st;

	if (!base)
		return zinc_fail_nomem(err);
	ZINC_TRY(zinc_store_find_url(&ops, u, o->context, err));
	if (zinc_url_is_local(u))
		return zinc_store_open_ops(out, ops, base, base, o, err);
	if (!ops->split)
		return open_rest(out, ops, u->scheme, base, o, err);
	st = zinc_store_open_inside(&s, &path, ops, u, o, err);
	if (st == ZINC_OK)
		st = zinc_store_enter(&s, path, err);
	if (st == ZINC_OK)
		*out = s;
	else
		zinc_store_close(s);
	zinc_free(o->context, path);
	return st;
}

/* ---- entry points ---- */

static zinc_status
open_pipeline(zinc_store **out, zinc_url *u, const zinc_store_options *o, zinc_error *err)
{
	zinc_place place;
	zinc_status st;

	memset(&place, 0, sizeof place);
	place.ctx = o->context;
	st = zinc_pipeline_open(&place, u, o, err);
	if (st == ZINC_OK)
		st = zinc_store_enter(&place.store, place.path, err);
	if (st == ZINC_OK)
		*out = zinc_store_ref(place.store);
	zinc_place_fini(&place);
	return st;
}

/* Unlike a place, a store begins exactly where the URL says, even inside a hierarchy. */
zinc_status
zinc_store_open(zinc_store **out, const char *url, const zinc_store_options *options, zinc_error *err)
{
	zinc_store_options o;
	zinc_url u;
	zinc_status st;

	ZINC_TRY(ZINC_NEED(out && url, err));
	ZINC_TRY(zinc_options_take_as(&zinc_store_options_kind, &o, options, err));
	ZINC_TRY(zinc_call_options_check(o.call, err));
	o.context = zinc_context_get(o.context);
	st = zinc_url_parse(&u, o.context, url, err);
	if (st == ZINC_OK)
		st = zinc_url_use_ending(&u, o.context, err);
	if (st == ZINC_OK)
		st = u.inner ? open_pipeline(out, &u, &o, err) : zinc_store_open_base(out, &u, &o, err);
	zinc_url_fini(&u);
	return zinc_error_at_url(err, st, url);
}
