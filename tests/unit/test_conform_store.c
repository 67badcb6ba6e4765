/*
 * test_conform_store.c - the conformance suite on both stores, and on every wrapper over each
 *
 * Rules of the drafts (docs/conformance.md) that the suite checks: operations 19-4+ 19-72+ 20-72+ 22-92+; valid and
 * refused keys 19-71+ 19-71- 20-74+ 20-74- 22-94+ 22-94-; one value, by case 20-75+ 22-95+; prefixes 20-76+ 20-76-
 * 22-97+ 22-97-; get, set, erase 20-77+ 22-98+ 22-100+; ranges 22-96+; partial writes 22-99+ 22-99-; lists, with the
 * drafts' examples 20-78+ 22-101+.
 */
#include <stdio.h>
#include <stdlib.h>

#include "support/fault.h"
#include "support/conform_store.h"
#include "support/gets.h"
#include "support/slots.h"
#include "support/test.h"

/* A wrapper over a base that is new for each test. */
typedef struct kind {
	const char *base;    /* "memory" or "fs" */
	const char *wrapper; /* "" or its name */
} kind;

/* Durable once, which takes its time; the wrappers add nothing to that. */
static zinc_store *
open_base(const char *base, bool relaxed)
{
	static int number;
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s = NULL;
	char url[64] = "memory://";

	if (strcmp(base, "fs") == 0)
		snprintf(url, sizeof url, "made/new/%d", number++);
	else if (strcmp(base, "fs of URL") == 0)
		snprintf(url, sizeof url, "made|a/b%d", number++); /* prefix wrapper */
	assert_ok(zinc_store_open(&s, url, ZINC_STORE_OPTIONS(.relaxed = relaxed), &err));
	return s;
}

static void
ignore_operation(void *arg, const char *operation, const char *key, uint64_t nbytes, zinc_status st)
{
	(void)arg, (void)operation, (void)key, (void)nbytes, (void)st;
}

/* A store with only the required slots: store.c supplies the rest. */

static void
bare_close(void *self)
{
	zinc_store_close((zinc_store *)self);
}

static void
bare_caps(void *self, zinc_caps *out)
{
	zinc_store_caps((zinc_store *)self, out);
	out->flags &= ~ZINC_CAP_UPDATE;
}

static zinc_status
bare_get(void *self, const zinc_get *requests, size_t n, const zinc_sink *sink, const zinc_wait *wait, zinc_error *err)
{
	return zinc_store_get((zinc_store *)self, requests, n, sink, wait, err);
}

static zinc_status
bare_put_one(void *self, zinc_put_group *group, const char *key, const struct iovec *iov, int niov,
	     const zinc_condition *when, uint32_t flags, zinc_tag *tag, const zinc_wait *wait, zinc_error *err)
{
	assert_null(group);
	return zinc_store_putv((zinc_store *)self, NULL, key, iov, niov, when, flags, tag, wait, err);
}

PUT_SLOT(bare_put, bare_put_one)

static zinc_status
bare_del_one(void *self, zinc_put_group *group, const char *key, const zinc_condition *when, uint32_t flags,
	     const zinc_wait *wait, zinc_error *err)
{
	assert_null(group);
	return zinc_store_del((zinc_store *)self, NULL, key, when, flags, wait, err);
}

DEL_SLOT(bare_del, bare_del_one)

static zinc_status
bare_list(void *self, const char *prefix, zinc_key_fn fn, void *arg, const zinc_wait *wait, zinc_error *err)
{
	return zinc_store_list((zinc_store *)self, prefix, fn, arg, wait, err);
}

static const zinc_store_ops bare_ops = {
    .size = sizeof bare_ops,
    .name = "bare",
    .close = bare_close,
    .caps = bare_caps,
    .get = bare_get,
    .put = bare_put,
    .del = bare_del,
    .list = bare_list,
};

/* On disk only, in memory only, or with an age, within which nothing else changes the base. */
static void
make_cache(const kind *k, zinc_store **out, zinc_store *base)
{
	static int number;
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store_cache_options o = ZINC_STORE_CACHE_OPTIONS_INIT;
	char name[32];

	snprintf(name, sizeof name, "base %d", number++);
	o.dir = "";
	if (strcmp(k->wrapper, "cache in memory") != 0) {
		o.dir = "cache";
		o.name = name;
	}
	if (strcmp(k->wrapper, "cache on disk") == 0)
		o.memory_bytes = 1;
	if (strcmp(k->wrapper, "cache with age") == 0)
		o.age = 1000;
	assert_ok(zinc_store_cache(out, base, &o, &err));
}

static void
make(void *arg, conform_subject *out)
{
	const kind *k = (const kind *)arg;
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *base = open_base(k->base, k->wrapper[0] != '\0');

	out->store = NULL;
	if (k->wrapper[0] == '\0')
		out->store = zinc_store_ref(base);
	else if (strcmp(k->wrapper, "readonly") == 0)
		assert_ok(zinc_store_readonly(&out->store, base, &err));
	else if (strcmp(k->wrapper, "prefix") == 0)
		assert_ok(zinc_store_prefix(&out->store, base, "some/where/", &err));
	else if (strcmp(k->wrapper, "log") == 0)
		assert_ok(zinc_store_log(&out->store, base, ignore_operation, NULL, &err));
	else if (strcmp(k->wrapper, "fault") == 0)
		assert_ok(zinc_store_fault(&out->store, base, &err));
	else if (strncmp(k->wrapper, "cache", 5) == 0)
		make_cache(k, &out->store, base);
	else
		assert_ok(zinc_store_wrap(&out->store, NULL, &bare_ops, zinc_store_ref(base), "bare:", &err));
	out->fill = out->store;
	if (strcmp(k->wrapper, "readonly") == 0)
		out->fill = base;
	else
		zinc_store_close(base);
}

int
main(void)
{
	static const char *const bases[] = {"memory", "fs", "fs of URL"};
	static const char *const wrappers[] = {"",     "readonly",        "prefix",        "log",           "fault",
					       "bare", "cache in memory", "cache on disk", "cache with age"};
	int failed = 0;
	size_t b, w;

	for (b = 0; b < COUNT(bases); b++)
		for (w = 0; w < COUNT(wrappers); w++) {
			kind k = {bases[b], wrappers[w]};
			char name[64];

			snprintf(name, sizeof name, "%s%s%s", k.base, k.wrapper[0] ? " below " : "", k.wrapper);
			failed += conform_store_run(name, make, &k);
		}
	return failed;
}
