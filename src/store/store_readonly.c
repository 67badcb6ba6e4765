/*
 * store_readonly.c - a store that refuses every change
 *
 * It has no slots for changes, so that all of them are refused in one place (store.c).
 */
#include "store/store_inside.h"

#define WRITING                                                                                                        \
	(ZINC_CAP_WRITE | ZINC_CAP_ERASE | ZINC_CAP_ATOMIC_PUT | ZINC_CAP_DURABLE | ZINC_CAP_CAS | ZINC_CAP_UPDATE)

static void
readonly_close(void *self)
{
	zinc_store_close((zinc_store *)self);
}

/* Without the write flags upper rooms do not try. */
static void
readonly_caps(void *self, zinc_caps *out)
{
	zinc_store_caps((zinc_store *)self, out);
	out->flags &= ~WRITING;
}

static zinc_status
readonly_get(void *self, const zinc_get *requests, size_t n, const zinc_sink *sink, const zinc_wait *wait,
	     zinc_error *err)
{
	return zinc_store_get((zinc_store *)self, requests, n, sink, wait, err);
}

static zinc_status
readonly_walk(void *self, const char *prefix, const zinc_lister *to, const zinc_wait *wait, zinc_error *err)
{
	return zinc_store_walk((zinc_store *)self, prefix, to, wait, err);
}

/* Listing leftovers is reading; removing them is not. */
static zinc_status
readonly_scrub(void *self, const char *prefix, int remove, zinc_scrub_fn fn, void *arg, const zinc_wait *wait,
	       zinc_error *err)
{
	if (remove)
		return zinc_store_refuse((zinc_store *)self, prefix, err);
	return zinc_store_scrub((zinc_store *)self, prefix, 0, fn, arg, wait, err);
}

static zinc_status
readonly_lend(void *self, const char *key, zinc_lent *out, const zinc_wait *wait, zinc_error *err)
{
	return zinc_store_lend((zinc_store *)self, key, out, wait, err);
}

static const zinc_store_ops readonly_ops = {
    .size = sizeof(zinc_store_ops),
    .name = "readonly",
    .purpose = "another store, read-only",
    .close = readonly_close,
    .caps = readonly_caps,
    .get = readonly_get,
    .scrub = readonly_scrub,
    .walk = readonly_walk,
    .lend = readonly_lend,
};

zinc_status
zinc_store_readonly(zinc_store **out, zinc_store *next, zinc_error *err)
{
	ZINC_TRY(ZINC_NEED(out && next, err));
	ZINC_TRY(zinc_store_wrap(out, next->ctx, &readonly_ops, next, next->url, err));
	zinc_store_ref(next);
	zinc_store_identify_as(*out, next, "");
	return ZINC_OK;
}

zinc_store *
zinc_store_below_readonly(zinc_store *s)
{
	return s->ops.get == readonly_get ? (zinc_store *)s->self : s;
}
