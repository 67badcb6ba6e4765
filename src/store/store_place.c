/*
 * store_place.c - the place that a node's URL names: a store and a path in it
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>

#include "store/store_setting.h"
#include "store/store_url.h"

/* ---- local paths ---- */

zinc_status
zinc_url_absolute(zinc_buf *out, const char *path, zinc_error *err)
{
	char cwd[PATH_MAX];

	if (path[0] != '/') {
		if (zinc_cwd(cwd, sizeof cwd) != 0)
			return zinc_fail_errno(err, errno, "cannot find the current directory");
		ZINC_TRY(zinc_url_add_path(out, cwd, strlen(cwd), err));
	}
	ZINC_TRY(zinc_url_add_path(out, path, strlen(path), err));
	return zinc_buf_text(out) ? ZINC_OK : zinc_fail_nomem(err);
}

/* What is known about a local path. */
typedef struct path_info {
	size_t barrier;  /* the store must be opened below this many bytes */
	size_t name_at;  /* start of the component that causes the barrier; SIZE_MAX: none does */
	bool bad;        /* no store could hold that component */
	size_t existing; /* this many bytes are existing directories or links */
} path_info;

/* Examine the component path[at..end): if it cannot be part of a key, it is a barrier. */
static void
examine(path_info *w, const zinc_os *os, int top, char *path, size_t at, size_t end)
{
	char kept = path[end];
	struct stat st;
	bool bad, name_at, link, dir;

	path[end] = '\0';
	bad = zinc_key_check(path + at, NULL) != ZINC_OK;
	name_at = bad || zinc_fs_key_check(path + at, NULL) != ZINC_OK;
	dir = os->fstatat(os, top, path, &st) == 0;
	link = dir && S_ISLNK(st.st_mode);
	dir = link || (dir && S_ISDIR(st.st_mode));
	path[end] = kept;
	if (name_at) {
		w->barrier = end;
		w->name_at = at;
		w->bad = bad;
	}
	if (dir && (at == 0 || w->existing == at - 1))
		w->existing = end;
}

static zinc_status
find_barrier(zinc_context *ctx, char *path, path_info *out, zinc_error *err)
{
	int top = ctx->os->open_root(ctx->os, "/", O_PATH);
	size_t at, end;

	if (top == -1)
		return zinc_fail_errno(err, errno, "cannot open /");
	for (at = 0; path[at]; at = end + (path[end] == '/')) {
		end = at + strcspn(path + at, "/");
		examine(out, ctx->os, top, path, at, end);
	}
	ctx->os->close(ctx->os, top);
	return ZINC_OK;
}

/* Set the members of the place that describe its path. */
static zinc_status
describe_path(zinc_place *out, const char *path, const path_info *w, const char *inside, zinc_error *err)
{
	const size_t begin = (size_t)(inside - path);
	zinc_buf above;
	zinc_status st;

	out->existing = w->existing > begin ? w->existing - begin : 0;
	out->path = zinc_strdup(out->ctx, inside);
	if (!out->path)
		return zinc_fail_nomem(err);
	if (w->name_at == SIZE_MAX)
		return ZINC_OK;
	if (w->barrier - w->name_at > NAME_MAX)
		return zinc_fail(err, ZINC_E_INVALID,
				 "a name of %zu bytes is too long: a file system allows at most %d",
				 w->barrier - w->name_at, NAME_MAX);
	out->new_name = w->existing < w->barrier;
	out->bad_name = w->bad && out->new_name;
	zinc_buf_init(&above, out->ctx, ZINC_MAX_KEY);
	st = zinc_buf_printf(&above, err, "/%.*s", (int)w->name_at, path);
	if (st == ZINC_OK)
		out->above = (char *)above.p;
	else
		zinc_buf_fini(&above);
	return st;
}

/* Open the file system at "/" + path[0..barrier).  Directories above `inside` must not be removed. */
static zinc_status
open_local(zinc_store **out, zinc_context *ctx, const char *path, size_t barrier, const char *inside,
	   const zinc_store_options *o, zinc_error *err)
{
	const char *slash = strrchr(inside, '/');
	char *keep = zinc_strndup(ctx, inside, slash ? (size_t)(slash - inside) : 0);
	zinc_buf root;
	void *self = NULL;
	zinc_status st;

	zinc_buf_init(&root, ctx, ZINC_MAX_KEY);
	st = keep ? zinc_buf_printf(&root, err, "/%.*s", (int)barrier, path) : zinc_fail_nomem(err);
	if (st == ZINC_OK)
		st = zinc_fs_open_keeping(&self, zinc_buf_text(&root), keep, o, err);
	if (st == ZINC_OK)
		st = zinc_store_wrap_opened(out, &zinc_store_ops_fs, self, zinc_buf_text(&root), o, err);
	zinc_buf_fini(&root);
	zinc_free(ctx, keep);
	return st;
}

static zinc_status
check_settings(const zinc_store_ops *ops, const zinc_store_options *o, zinc_error *err)
{
	zinc_settings settings;
	const zinc_status st = zinc_settings_gather(&settings, ops, o, NULL, NULL, err);

	zinc_settings_fini(&settings);
	return st;
}

/* The store is already open, so the settings have no effect, but they must be valid. */
zinc_status
zinc_store_check_settings(const zinc_store *s, const zinc_setting *settings, size_t n, zinc_error *err)
{
	zinc_store_options o = ZINC_STORE_OPTIONS_INIT;

	if (n == 0)
		return ZINC_OK;
	o.context = s->ctx;
	o.settings = settings;
	o.nsettings = n;
	return check_settings(&s->ops, &o, err);
}

/* Nothing has to exist: a missing component cannot be a link. */
static zinc_status
local_place(zinc_place *out, zinc_url *u, const zinc_store_options *o, zinc_error *err)
{
	zinc_store_options climbing = *o;
	zinc_context *ctx = o->context;
	const char *base = zinc_buf_text(&u->base), *inside;
	zinc_buf path;
	zinc_status st;
	path_info w = {.name_at = SIZE_MAX};

	if (!base)
		return zinc_fail_nomem(err);
	ZINC_TRY(check_settings(&zinc_store_ops_fs, o, err)); /* it has none; settings of other stores are ignored */
	climbing.links = ZINC_LINKS_FOLLOW;                   /* until the root is found: zinc_place_narrow */
	zinc_buf_init(&path, ctx, ZINC_MAX_KEY);
	st = zinc_url_absolute(&path, base, err);
	if (st == ZINC_OK)
		st = find_barrier(ctx, (char *)path.p, &w, err);
	if (st == ZINC_OK) {
		inside = (const char *)path.p + w.barrier;
		inside += *inside == '/';
		st = describe_path(out, (const char *)path.p, &w, inside, err);
		if (st == ZINC_OK)
			st = open_local(&out->store, ctx, (const char *)path.p, w.barrier, inside, &climbing, err);
	}
	zinc_buf_fini(&path);
	return st;
}

/* ---- entry points ---- */

/* Three cases: a fixed root, a local path that may be searched upwards, or another store with a path inside. */
static zinc_status
open_place(zinc_place *out, zinc_url *u, const zinc_store_options *o, zinc_error *err)
{
	const zinc_store_ops *ops = NULL;

	if (u->inner)
		return zinc_pipeline_open(out, u, o, err);
	out->local = zinc_url_is_local(u);
	if (out->local)
		return local_place(out, u, o, err);
	ZINC_TRY(zinc_store_find_url(&ops, u, o->context, err));
	return zinc_store_open_inside(&out->store, &out->path, ops, u, o, err);
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
	zinc_url u;
	zinc_status st;

	memset(out, 0, sizeof *out);
	ZINC_TRY(zinc_options_take_as(&zinc_store_options_kind, &o, options, err));
	ZINC_TRY(zinc_call_options_check(o.call, err));
	o.context = zinc_context_get(o.context);
	out->ctx = o.context;
	out->existing = SIZE_MAX;
	st = zinc_url_parse(&u, o.context, url, err);
	if (st == ZINC_OK)
		st = zinc_url_use_ending(&u, o.context, err);
	if (st == ZINC_OK)
		st = open_place(out, &u, &o, err);
	if (st == ZINC_OK)
		out->contained = out->store->ops.endings || out->store->ops.name == zinc_store_ops_cache.name;
	zinc_url_fini(&u);
	if (st != ZINC_OK)
		zinc_place_fini(out);
	return zinc_error_at_url(err, st, url);
}

/* The user chose the path to the new root, so links on it are followed. */
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
	zinc_buf_init(&root, place->ctx, ZINC_MAX_KEY);
	st = zinc_buf_printf(&root, err, "%s%s%.*s", base, n == 0 || base[strlen(base) - 1] == '/' ? "" : "/", (int)n,
			     place->path);
	if (st == ZINC_OK)
		st = zinc_store_open_ops(&inner, &zinc_store_ops_fs, zinc_buf_text(&root), zinc_buf_text(&root), &o,
					 err);
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
	zinc_url u;
	zinc_status st;

	memset(out, 0, sizeof *out);
	memset(&u, 0, sizeof u);
	ZINC_TRY(zinc_options_take_as(&zinc_store_options_kind, &o, options, err));
	ZINC_TRY(zinc_call_options_check(o.call, err));
	o.context = of->ctx;
	out->ctx = of->ctx;
	zinc_buf_init(&u.base, of->ctx, ZINC_MAX_KEY);
	st = zinc_buf_puts(&u.base, of->above, err);
	if (st == ZINC_OK)
		st = local_place(out, &u, &o, err);
	zinc_buf_wipe(&u.base);
	if (st != ZINC_OK)
		zinc_place_fini(out);
	return st;
}
