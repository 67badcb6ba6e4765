/*
 * store_cache.c - a cache in memory and on disk, in front of a slower store
 *
 *     https://example.org/x.zarr|cache:           s3://bucket/x.zarr|cache:temperature?age=60
 *
 * Reads are described in store_cache_get.c, files in store_cache_disk.c.  Changes and listings go to the store below; a
 * change ends the freshness of everything that is kept.
 *
 * Promises (tests/unit/test_store_cache*.c names each by its number, C1 ...):
 *
 * (C1) Every operation has the effect and the result that it has on the store below, and caps are the same.
 * (C2) Only what other processes would find as the same store is kept on disk: a store that was opened by URL, by an
 *      absolute path if it is local, and is remote or durable, whether it can be written or not, but not plain files,
 *      whose tags may return; or one that the caller names.
 * (C3) Stores share files only if they agree in URL, query and every setting, secrets included, and in the variables by
 *      which a store finds its server and its user.
 * (C4) The cache works in a forked child, whatever other threads were doing.
 */
#include "store/store_cache.h"
#include "store/store_url.h"

#define DISK_PRESET   (10 * ZINC_GIB)
#define MEMORY_PRESET (64 * ZINC_MIB)
#define MAX_AGE       ((double)3153600000) /* a hundred years, in seconds */

ZINC_OPTIONS_KIND(zinc_store_cache_options, ZINC_OPTION_REAL(zinc_store_cache_options, age));

static void
cache_close(void *self)
{
	cached *c = (cached *)self;
	zinc_context *ctx = c->ctx;

	zinc_cached_memory_fini(&c->memory);
	zinc_cached_disk_close(&c->disk);
	zinc_store_close(c->next);
	zinc_free(ctx, c);
}

/* Some stores know from their first answer whether they have tags.  Until then, tags in the cache show it: only those of
 * a store that had the flag are kept. */
static void
cache_caps(void *self, zinc_caps *out)
{
	cached *c = (cached *)self;

	zinc_store_caps(c->next, out);
	if (!atomic_load(&c->asked) && atomic_load(&c->tagged))
		out->flags |= ZINC_CAP_TAGS;
}

/* ---- changes ---- */

/* After every change, also one that failed: it may have had an effect.  "After" is when the call has returned: a reader
 * that is told earlier, by done(), may still get an answer from before. */
static zinc_status
changed(cached *c, zinc_status st)
{
	const int64_t now = zinc_cached_now(c->ctx);
	int_fast64_t before = atomic_load(&c->change);

	while (before < now && !atomic_compare_exchange_weak(&c->change, &before, now))
		continue;
	zinc_cached_disk_set_changed(&c->disk, now);
	return st;
}

static zinc_status
cache_put(void *self, zinc_put_group *group, const zinc_put *puts, size_t n, const zinc_done *done, uint32_t flags,
	  const zinc_wait *wait, zinc_error *err)
{
	cached *c = (cached *)self;

	return changed(c, zinc_store_put_many(c->next, group, puts, n, done, flags, wait, err));
}

static zinc_status
cache_del(void *self, zinc_put_group *group, const zinc_del *dels, size_t n, const zinc_done *done, uint32_t flags,
	  const zinc_wait *wait, zinc_error *err)
{
	cached *c = (cached *)self;

	return changed(c, zinc_store_del_many(c->next, group, dels, n, done, flags, wait, err));
}

static zinc_status
cache_commit(void *self, zinc_put_group *group, zinc_committed_fn fn, void *arg, const zinc_wait *wait, zinc_error *err)
{
	cached *c = (cached *)self;

	return changed(c, zinc_store_commit(c->next, group, fn, arg, wait, err));
}

/* What was done before the abort stays. */
static void
cache_abort(void *self, zinc_put_group *group)
{
	cached *c = (cached *)self;

	zinc_store_abort(c->next, group);
	(void)changed(c, ZINC_OK);
}

/* Called only if caps have UPDATE; otherwise store.c uses gets and puts of this store. */
static zinc_status
cache_update(void *self, const char *key, zinc_update_fn fn, void *arg, uint64_t limit, uint32_t flags,
	     const zinc_wait *wait, zinc_error *err)
{
	cached *c = (cached *)self;

	return changed(c, zinc_store_update(c->next, key, fn, arg, 0, limit, flags, wait, err));
}

static zinc_status
cache_splice(void *self, const char *key, zinc_splice_fn fn, void *arg, uint64_t limit, uint32_t flags,
	     const zinc_wait *wait, zinc_error *err)
{
	cached *c = (cached *)self;

	return changed(c, zinc_store_splice(c->next, key, fn, arg, 0, limit, flags, wait, err));
}

static zinc_status
cache_put_partial(void *self, const zinc_partial *const *parts, size_t n, int single_writer, uint32_t flags,
		  const zinc_wait *wait, zinc_error *err)
{
	cached *c = (cached *)self;

	return changed(c, zinc_store_put_parts(c->next, parts, n, single_writer, flags, wait, err));
}

static zinc_status
cache_del_prefix(void *self, const char *prefix, uint32_t flags, const zinc_wait *wait, zinc_error *err)
{
	cached *c = (cached *)self;

	return changed(c, zinc_store_del_prefix(c->next, prefix, flags, wait, err));
}

void
zinc_cached_released(zinc_store *s)
{
	while (s) {
		if (s->ops.get == zinc_cached_get)
			(void)changed((cached *)s->self, ZINC_OK);
		if (s->ops.forwards)
			s = s->ops.forwards(s->self);
		else
			s = s->ops.del_prefix == zinc_prefix_del_prefix ? zinc_prefix_next(s->self) : NULL;
	}
}

/* ---- the object ---- */

/* Listings, groups and the rest are those of the store below. */
static zinc_store *
cache_forwards(void *self)
{
	return ((cached *)self)->next;
}

/* "$XDG_CACHE_HOME/zinc" or "~/.cache/zinc"; "" when neither is known. */
static zinc_status
default_dir(zinc_buf *out, zinc_error *err)
{
	const char *cache = zinc_env("XDG_CACHE_HOME"), *home = zinc_env("HOME");

	if (cache && cache[0] == '/')
		return zinc_buf_printf(out, err, "%s/zinc", cache);
	return home ? zinc_buf_printf(out, err, "%s/.cache/zinc", home) : zinc_buf_puts(out, "", err);
}

static zinc_status
open_disk(cached *c, const zinc_store_cache_options *o, zinc_error *err)
{
	static const uint8_t zeros[ZINC_HASH_BYTES];
	uint8_t identity[ZINC_HASH_BYTES];
	zinc_status st = ZINC_OK;
	zinc_buf dir;

	memcpy(identity, c->next->identity, sizeof identity);
	if (o->name)
		zinc_hash128(identity, zeros, o->name, strlen(o->name));
	zinc_buf_init(&dir, c->ctx, ZINC_MAX_KEY);
	if (!o->name && !c->next->identified)
		st = zinc_buf_puts(&dir, "", err);
	else
		st = o->dir ? zinc_buf_puts(&dir, o->dir, err) : default_dir(&dir, err);
	if (st == ZINC_OK)
		zinc_cached_disk_open(&c->disk, c->ctx, zinc_buf_text(&dir),
				      o->disk_bytes ? o->disk_bytes : DISK_PRESET, o->name ? o->name : c->next->url,
				      identity);
	zinc_buf_fini(&dir);
	return st;
}

static zinc_status
cache_new(cached **out, zinc_store *next, const zinc_store_cache_options *o, zinc_error *err)
{
	cached *c = (cached *)zinc_calloc(next->ctx, 1, sizeof *c);
	zinc_status st;

	if (!c)
		return zinc_fail_nomem(err);
	c->ctx = next->ctx;
	c->next = next;
	c->age = (int64_t)((o->age < MAX_AGE ? o->age : MAX_AGE) * 1e9);
	st = open_disk(c, o, err);
	if (st != ZINC_OK) {
		zinc_free(c->ctx, c);
		return st;
	}
	zinc_cached_memory_init(&c->memory, c->ctx, o->memory_bytes ? o->memory_bytes : MEMORY_PRESET);
	zinc_store_ref(next);
	*out = c;
	return ZINC_OK;
}

/* ---- the adapter ---- */

/* With a store below that can do all of it. */
#define AT_BEST                                                                                                        \
	(ZINC_CAP_READ | ZINC_CAP_RANGE | ZINC_CAP_SUFFIX_RANGE | ZINC_CAP_LIST | ZINC_CAP_WRITE | ZINC_CAP_ERASE |    \
	 ZINC_CAP_ATOMIC_PUT | ZINC_CAP_DURABLE | ZINC_CAP_CAS | ZINC_CAP_READ_AFTER_WRITE |                           \
	 ZINC_CAP_LIST_AFTER_WRITE | ZINC_CAP_REMOTE | ZINC_CAP_UPDATE | ZINC_CAP_TAGS)

static const zinc_setting_row settings[] = {
    {.name = "dir", .purpose = "directory of the files; by default $XDG_CACHE_HOME/zinc or ~/.cache/zinc"},
    {.name = "disk_mib", .type = ZINC_SETTING_COUNT, .preset = "10240", .purpose = "MiB on disk; 0: none"},
    {.name = "memory_mib", .type = ZINC_SETTING_COUNT, .preset = "64", .purpose = "MiB in memory; 0: none"},
    {.name = "age",
     .type = ZINC_SETTING_SECONDS,
     .preset = "0",
     .purpose = "seconds for which a value is used without asking the store"},
    {.name = NULL},
};

/* Settings count in MiB, and 0 means none; options count in bytes, and 0 means the preset. */
static uint64_t
bytes_of(const zinc_store_options *options, const char *name)
{
	const uint64_t mib = (uint64_t)zinc_setting_number(options, name);

	return mib ? zinc_min_u64(mib, UINT64_MAX / ZINC_MIB) * ZINC_MIB : 1;
}

/* The key is a prefix: what is kept has its keys below it. */
static zinc_status
cache_adapt(void **self, zinc_store *next, const char *key, const zinc_store_options *options, zinc_error *err)
{
	zinc_store_cache_options o = ZINC_STORE_CACHE_OPTIONS_INIT;
	zinc_store *s = zinc_store_ref(next);
	cached *c = NULL;
	zinc_status st;

	o.dir = zinc_setting_text(options, "dir");
	o.age = zinc_setting_number(options, "age");
	o.disk_bytes = bytes_of(options, "disk_mib");
	o.memory_bytes = bytes_of(options, "memory_mib");
	if (o.disk_bytes == 1)
		o.dir = "";
	ZINC_TRY(zinc_store_enter(&s, key, err));
	st = cache_new(&c, s, &o, err);
	zinc_store_close(s);
	*self = c;
	return st;
}

const zinc_store_ops zinc_store_ops_cache = {
    .size = sizeof(zinc_store_ops),
    .name = "cache",
    .purpose = "another store, with what was read kept in memory and on disk",
    .settings = settings,
    .adapters = "cache",
    .adapt = cache_adapt,
    .close = cache_close,
    .caps = cache_caps,
    .get = zinc_cached_get,
    .put = cache_put,
    .del = cache_del,
    .commit = cache_commit,
    .abort = cache_abort,
    .update = cache_update,
    .splice = cache_splice,
    .del_prefix = cache_del_prefix,
    .put_partial = cache_put_partial,
    .forwards = cache_forwards,
    .more = 1,
    .flags = AT_BEST,
};

zinc_status
zinc_store_cache(zinc_store **out, zinc_store *next, const zinc_store_cache_options *options, zinc_error *err)
{
	zinc_store_cache_options o;
	cached *c = NULL;
	zinc_status st;

	ZINC_TRY(ZINC_NEED(out && next, err));
	ZINC_TRY(zinc_options_take_as(&zinc_store_cache_options_kind, &o, options, err));
	ZINC_TRY(cache_new(&c, next, &o, err));
	st = zinc_store_wrap(out, next->ctx, &zinc_store_ops_cache, c, next->url, err);
	if (st != ZINC_OK)
		cache_close(c);
	else
		zinc_store_remove_slots(*out);
	return st;
}
