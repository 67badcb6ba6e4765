/*
 * store_open.c - from a URL to an open store
 */
#include "store/store_setting.h"
#include "store/store_url.h"

/* A store around what was opened, with the options that hold for every kind. */
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
open_told(zinc_store **out, const zinc_store_ops *ops, const char *rest, const char *url, const zinc_store_options *o,
	  const zinc_settings *settings, zinc_error *err)
{
	zinc_store_options told = *o;
	void *self = NULL;

	told.settings = settings->all;
	told.nsettings = settings->n;
	ZINC_TRY(ops->open(&self, rest, &told, err));
	return zinc_store_wrap_opened(out, ops, self, url, o, err);
}

/* "rest?query", of which the settings are taken out. */
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
		st = open_told(out, ops, (const char *)plain.p, url, o, &settings, err);
	zinc_settings_fini(&settings);
	zinc_buf_fini(&plain);
	zinc_buf_fini(&query);
	return st;
}

zinc_status
zinc_store_find_url(const zinc_store_ops **out, const zinc_url *u, zinc_context *ctx, zinc_error *err)
{
	return zinc_store_find(out, ctx, zinc_url_is_local(u) ? "file" : u->scheme, err);
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

	zinc_buf_init(&url, o->context, ZINC_MAX_KEY);
	zinc_buf_init(&shown, o->context, ZINC_MAX_KEY);
	st = zinc_buf_printf(&url, err, "%s://%s", scheme, rest);
	if (st == ZINC_OK)
		zinc_url_parts(zinc_buf_text(&url), parts);
	for (k = 0; k < 3 && st == ZINC_OK; k++)
		st = zinc_buf_add(&shown, parts[k].p, parts[k].n, err);
	if (st == ZINC_OK && !zinc_buf_text(&shown))
		st = zinc_fail_nomem(err);
	if (st == ZINC_OK)
		st = zinc_store_open_ops(out, ops, rest, (const char *)shown.p, o, err);
	zinc_buf_fini(&shown);
	zinc_buf_fini(&url);
	return st;
}

/* Open "name" of "name/inner" and give the inner path.  A query goes with the name: "name/inner?query" is the key
 * "inner" of "name?query".  Names of memory stores have no query. */
zinc_status
zinc_store_open_authority(zinc_store **out, char **inner, const zinc_store_ops *ops, zinc_url *u,
			  const zinc_store_options *o, zinc_error *err)
{
	const char *base = zinc_buf_text(&u->base), *query;
	size_t n = base ? strcspn(base, ops == &zinc_store_ops_memory ? "/" : "/?") : 0;
	char *path = NULL;
	zinc_buf rest;
	zinc_status st;

	if (!base)
		return zinc_fail_nomem(err);
	query = ops == &zinc_store_ops_memory ? "" : base + strcspn(base, "?");
	zinc_buf_init(&rest, o->context, ZINC_MAX_KEY);
	st = zinc_buf_printf(&rest, err, "%.*s%s", (int)n, base, query);
	if (st == ZINC_OK) {
		path = zinc_strndup(o->context, base + n, strlen(base + n) - strlen(query));
		st = path ? zinc_url_key(inner, o->context, path, true, err) : zinc_fail_nomem(err);
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

/* The whole of what stands before '|'. */
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
	if (ops != &zinc_store_ops_memory)
		return open_rest(out, ops, u->scheme, base, o, err);
	st = zinc_store_open_authority(&s, &path, ops, u, o, err);
	if (st == ZINC_OK)
		st = enter(&s, path, err);
	if (st == ZINC_OK)
		*out = s;
	else
		zinc_store_close(s);
	zinc_free(o->context, path);
	return st;
}

/* ---- the door ---- */

/* Unlike a place, a store begins where the URL says, also in the middle of a hierarchy. */
zinc_status
zinc_store_open(zinc_store **out, const char *url, const zinc_store_options *options, zinc_error *err)
{
	zinc_store_options o;
	zinc_place place;
	zinc_url u;
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
	st = zinc_url_parse(&u, o.context, url, err);
	if (st == ZINC_OK)
		st = zinc_store_open_base(out, &u, &o, err);
	zinc_buf_fini(&u.base);
	return zinc_error_at_url(err, st, url);
}
