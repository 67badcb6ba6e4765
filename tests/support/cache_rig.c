/*
 * cache_rig.c - a store, a log of what reaches it, and a cache in front of both
 */
#include "support/cache_rig.h"

#include <stdio.h>
#include <string.h>

#include "support/gets.h"
#include "support/test.h"

static void
note(void *arg, const char *operation, const char *key, uint64_t nbytes, zinc_status st)
{
	rig *r = (rig *)arg;
	const size_t n = strlen(r->last);

	(void)st;
	snprintf(r->last + n, sizeof r->last - n, "%s%s %s %d", n ? "; " : "", operation, key, (int)nbytes);
}

void
rig_of(rig *r, zinc_store *base, const zinc_store_cache_options *o)
{
	zinc_error err = ZINC_ERROR_INIT;

	r->base = base;
	r->last[0] = '\0';
	r->log = r->cache = NULL;
	assert_ok(zinc_store_log(&r->log, r->base, note, r, &err));
	assert_ok(zinc_store_cache(&r->cache, r->log, o, &err));
}

void
rig_memory(rig *r, const zinc_store_cache_options *o)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *base = NULL;

	assert_ok(zinc_store_open(&base, "memory://", NULL, &err));
	rig_of(r, base, o);
}

void
rig_end(rig *r)
{
	zinc_store_close(r->cache);
	zinc_store_close(r->log);
	zinc_store_close(r->base);
}

const char *
asked(rig *r)
{
	static char text[256];

	memcpy(text, r->last, sizeof text);
	r->last[0] = '\0';
	return text;
}

void
assert_range(zinc_store *s, zinc_get get, const char *want)
{
	zinc_error err = ZINC_ERROR_INIT;
	gets g;

	gets_init(&g, 1);
	assert_ok(gets_run(&g, s, &get, &err));
	assert_int_equal(g.r[0].found, ZINC_FOUND);
	assert_int_equal(g.r[0].dones, 1);
	assert_int_equal(g.r[0].nbytes, strlen(want));
	assert_memory_equal(g.r[0].bytes, want, strlen(want));
	gets_fini(&g);
}
