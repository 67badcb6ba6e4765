/*
 * store_pipeline.c - the part of a URL after '|' (draft ZEP 8)
 *
 *     base | adapter:path | adapter:path | format:path
 *
 *     /d/a.zip|zip:x.zarr/t         path x.zarr/t in the store that the adapter zip makes of the key a.zip in /d
 *     /d/a.zarr|zarr3:foo           node foo of the hierarchy at /d/a.zarr, of version 3; also |foo
 *
 * Adapters are the rows of the table of stores that have `adapt`.  A format only fixes root and version.
 *
 * Promises (tests/unit/test_store_pipeline.c names each by its number):
 *
 * (1) Each adapter gets the store below it and the key that the part before it names, whatever kinds they are.
 * (2) A format is the last part, and the root is what precedes it.  After an adapter the root is searched inside the
 *     adapter's store, never above it.
 * (3) The query of a part is passed to that part only, and is not shown.
 */
#include "store/store_setting.h"
#include "store/store_url.h"

/* Adapters that name a version of Zarr, or N5. */
static const char *const formats[] = {"zarr", "zarr2", "zarr3", "n5"};

bool
zinc_pipeline_is_format(const char *name, size_t n)
{
	size_t i;

	for (i = 0; i < sizeof formats / sizeof formats[0]; i++)
		if (strlen(formats[i]) == n && memcmp(formats[i], name, n) == 0)
			return true;
	return false;
}

/* One part, as written. */
typedef struct part {
	const char *name; /* "" for a path without adapter */
	size_t nname;
	const char *path;
	size_t npath;
	bool last;
} part;

/* *at is moved past the part and its '|'. */
static part
next_part(const char **at)
{
	const char *s = *at;
	const size_t n = strcspn(s, "|"), name = strcspn(s, ":/|");
	part p = {.name = s, .path = s, .npath = n, .last = s[n] == '\0'};

	if (s[name] == ':') {
		p.nname = name;
		p.path = s + name + 1;
		p.npath = n - name - 1;
	}
	*at = s + n + !p.last;
	return p;
}

static zinc_status
part_key(char **out, zinc_context *ctx, const char *path, size_t n, bool escaped, zinc_error *err)
{
	char *copy = zinc_strndup(ctx, path, n);
	zinc_status st = copy ? zinc_url_key(out, ctx, copy, escaped, err) : zinc_fail_nomem(err);

	zinc_free(ctx, copy);
	return st;
}

/* ---- the store below the first adapter ---- */

/* A local path: open its directory; the key is the last name. */
static zinc_status
open_directory(zinc_place *out, zinc_url *u, const zinc_store_options *o, zinc_error *err)
{
	const char *base = zinc_buf_text(&u->base), *name;
	zinc_buf path, root;
	zinc_status st;

	if (!base)
		return zinc_fail_nomem(err);
	zinc_buf_init(&path, o->context, ZINC_MAX_KEY);
	zinc_buf_init(&root, o->context, ZINC_MAX_KEY);
	st = zinc_url_absolute(&path, base, err);
	if (st == ZINC_OK) {
		name = strrchr((const char *)path.p, '/');
		name = name ? name + 1 : (const char *)path.p;
		st = part_key(&out->path, o->context, name, strlen(name), false, err);
		if (st == ZINC_OK)
			st = zinc_buf_printf(&root, err, "/%.*s", (int)(name - (const char *)path.p),
					     (const char *)path.p);
		if (st == ZINC_OK)
			st = zinc_store_open_ops(&out->store, &zinc_store_ops_fs, (const char *)root.p,
						 (const char *)root.p, o, err);
	}
	zinc_buf_fini(&root);
	zinc_buf_fini(&path);
	return st;
}

static zinc_status
open_below(zinc_place *out, zinc_url *u, const zinc_store_options *o, zinc_error *err)
{
	const zinc_store_ops *ops = NULL;

	if (zinc_url_is_local(u))
		return open_directory(out, u, o, err);
	ZINC_TRY(zinc_store_find_url(&ops, u, o->context, err));
	return zinc_store_open_inside(&out->store, &out->path, ops, u, o, err);
}

/* ---- adapters ---- */

/* Its URL is shown as "base/key|zip:". */
static zinc_status
wrap_adapter(zinc_store **out, const zinc_store_ops *ops, void *self, const zinc_place *below, const part *p,
	     const zinc_store_options *o, zinc_error *err)
{
	const char *url = zinc_store_url(below->store);
	const size_t n = strlen(url);
	zinc_buf shown;
	zinc_status st;

	zinc_buf_init(&shown, o->context, ZINC_MAX_KEY);
	st = zinc_buf_printf(&shown, err, "%s%s%s|%.*s:", url, below->path[0] && n && url[n - 1] != '/' ? "/" : "",
			     below->path, (int)p->nname, p->name);
	if (st == ZINC_OK)
		st = zinc_store_wrap_opened(out, ops, self, (const char *)shown.p, o, err);
	else
		ops->close(self);
	zinc_buf_fini(&shown);
	return st;
}

/* Make the adapter's store, with the settings in its query. */
static zinc_status
adapt(zinc_store **out, const zinc_store_ops *ops, const zinc_place *below, const part *p, const char *query,
      const zinc_store_options *o, zinc_error *err)
{
	zinc_store_options told = *o;
	zinc_settings settings;
	void *self = NULL;
	zinc_buf foreign;
	zinc_status st;

	zinc_buf_init(&foreign, o->context, ZINC_MAX_KEY);
	st = zinc_settings_gather(&settings, ops, o, query, &foreign, err);
	told.settings = settings.all;
	told.nsettings = settings.n;
	if (st == ZINC_OK)
		st = ops->adapt(&self, below->store, below->path, &told, err);
	if (st == ZINC_OK)
		st = wrap_adapter(out, ops, self, below, p, o, err);
	if (st == ZINC_OK)
		zinc_store_identify(*out, below->store, ops, below->path, settings.all, settings.n);
	zinc_settings_fini(&settings);
	zinc_buf_wipe(&foreign);
	return st;
}

/* Replace the store by the adapter's store, and the path by that of the part. */
static zinc_status
put_adapter(zinc_place *place, const zinc_store_ops *ops, const part *p, bool escaped, const zinc_store_options *o,
	    zinc_error *err)
{
	char *text = zinc_strndup(o->context, p->path, p->npath), *path = NULL;
	size_t n = p->npath;
	zinc_store *s = NULL;
	zinc_status st = ZINC_OK;

	if (!text)
		return zinc_fail_nomem(err);
	if (ops->settings)
		n = strcspn(text, "?");
	else if (text[0] == '?')
		st = zinc_fail(err, ZINC_E_INVALID,
			       "the store \"%.*s\" has no settings; a name that begins with '?' follows a '/'",
			       (int)p->nname, p->name);
	if (st == ZINC_OK)
		st = part_key(&path, o->context, text, n, escaped, err);
	if (st == ZINC_OK)
		st = adapt(&s, ops, place, p, text[n] ? text + n + 1 : NULL, o, err);
	zinc_free(o->context, text);
	if (st != ZINC_OK) {
		zinc_free(o->context, path);
		return st;
	}
	zinc_store_close(place->store);
	zinc_free(o->context, place->path);
	place->store = s;
	place->path = path;
	return ZINC_OK;
}

/* ---- the last part ---- */

/* The root is what precedes the format. */
static zinc_status
finish_format(zinc_place *place, zinc_url *u, const part *p, bool escaped, const zinc_store_options *o, zinc_error *err)
{
	char *above = place->path;
	zinc_status st;

	if (!p->last)
		return zinc_fail(err, ZINC_E_UNSUPPORTED,
				 "nothing can follow a '|' without an adapter, or with \"zarr3:\"");
	place->root_fixed = true;
	place->path = NULL;
	memcpy(place->format, p->name, p->nname);
	st = part_key(&place->path, o->context, p->path, p->npath, escaped, err);
	if (st == ZINC_OK)
		st = place->store ? zinc_store_enter(&place->store, above, err)
				  : zinc_store_open_base(&place->store, u, o, err);
	zinc_free(o->context, above);
	return st;
}

zinc_status
zinc_pipeline_open(zinc_place *out, zinc_url *u, const zinc_store_options *o, zinc_error *err)
{
	const bool escaped = !u->plain;
	const zinc_store_ops *ops = NULL;
	const char *at = u->inner;
	part p;

	do {
		p = next_part(&at);
		if (p.nname == 0 || zinc_pipeline_is_format(p.name, p.nname))
			return finish_format(out, u, &p, escaped, o, err);
		ZINC_TRY(zinc_store_find_adapter(&ops, o->context, p.name, p.nname, err));
		if (!out->store)
			ZINC_TRY(open_below(out, u, o, err));
		ZINC_TRY(put_adapter(out, ops, &p, escaped, o, err));
	} while (!p.last);
	return ZINC_OK;
}
