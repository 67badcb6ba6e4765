/*
 * cache_rig.h - a store, a log of what reaches it, and a cache in front of both
 */
#ifndef CACHE_RIG_H
#define CACHE_RIG_H

#include <zinc/store.h>

typedef struct rig {
	zinc_store *base, *log, *cache;
	char last[256]; /* what reached the log, "get a; get b" */
} rig;

/* A cache of `base`, which rig_end closes, too; or of an empty store in memory. */
void rig_of(rig *r, zinc_store *base, const zinc_store_cache_options *o);
void rig_memory(rig *r, const zinc_store_cache_options *o);
void rig_end(rig *r);
/* What reached the store since the last call, in static memory. */
const char *asked(rig *r);

void assert_range(zinc_store *s, zinc_get get, const char *want);

#endif
