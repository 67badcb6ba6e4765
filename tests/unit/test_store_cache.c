/*
 * test_store_cache.c - the cache in front of a store: what is asked, what is kept, and that it is never wrong
 */
#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store/store_cache.h"
#include "store/store_url.h"
#include "support/conform_store.h"
#include "support/files.h"
#include "support/forks.h"
#include "support/gets.h"
#include "support/random.h"
#include "support/remote_store.h"
#include "support/sweep.h"
#include "support/test.h"

/* A store, a log of what reaches it, and a cache in front of both. */
typedef struct rig {
	zinc_store *base, *log, *cache;
	char last[256]; /* what reached the log, "get a; get b" */
} rig;

static void
note(void *arg, const char *operation, const char *key, uint64_t nbytes, zinc_status st)
{
	rig *r = (rig *)arg;
	const size_t n = strlen(r->last);

	(void)st;
	snprintf(r->last + n, sizeof r->last - n, "%s%s %s %d", n ? "; " : "", operation, key, (int)nbytes);
}

static void
rig_of(rig *r, zinc_store *base, const zinc_store_cache_options *o)
{
	zinc_error err = ZINC_ERROR_INIT;

	r->base = base;
	r->last[0] = '\0';
	r->log = r->cache = NULL;
	assert_ok(zinc_store_log(&r->log, r->base, note, r, &err));
	assert_ok(zinc_store_cache(&r->cache, r->log, o, &err));
}

static void
rig_memory(rig *r, const zinc_store_cache_options *o)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *base = NULL;

	assert_ok(zinc_store_open(&base, "memory://", NULL, &err));
	rig_of(r, base, o);
}

static void
rig_end(rig *r)
{
	zinc_store_close(r->cache);
	zinc_store_close(r->log);
	zinc_store_close(r->base);
}

/* What reached the store since the last call. */
static const char *
asked(rig *r)
{
	static char text[256];

	memcpy(text, r->last, sizeof text);
	r->last[0] = '\0';
	return text;
}

static void
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

/* (1) (C1) */
static void
confirms_by_tag(void **state)
{
	rig r;

	(void)state;
	rig_memory(&r, ZINC_STORE_CACHE_OPTIONS(.dir = ""));
	put_text(r.base, "a", "first");
	assert_text(r.cache, "a", "first");
	assert_string_equal(asked(&r), "get a 5");
	assert_text(r.cache, "a", "first");
	assert_string_equal(asked(&r), "get a 0"); /* a stat */
	put_text(r.base, "a", "second");
	assert_text(r.cache, "a", "second");
	assert_string_equal(asked(&r), "get a 0; get a 6");
	assert_text(r.cache, "a", "second");
	assert_string_equal(asked(&r), "get a 0");
	assert_true(zinc_store_del(r.base, NULL, "a", NULL, 0, NULL, NULL) == ZINC_OK);
	assert_missing(r.cache, "a");
	assert_string_equal(asked(&r), "get a 0");
	assert_missing(r.cache, "a");
	assert_string_equal(asked(&r), "get a 0");
	rig_end(&r);
}

/* (3) (M3) Whole values serve all ranges; a range serves itself. */
static void
ranges(void **state)
{
	rig r;

	(void)state;
	rig_memory(&r, ZINC_STORE_CACHE_OPTIONS(.dir = "", .age = 1000));
	put_text(r.base, "a", "0123456789");
	assert_range(r.cache, get_range("a", 2, 3), "234");
	assert_string_equal(asked(&r), "get a 3");
	assert_range(r.cache, get_range("a", 2, 3), "234");
	assert_string_equal(asked(&r), "");
	assert_range(r.cache, get_range("a", 2, 2), "23");
	assert_range(r.cache, get_suffix("a", 3), "789");
	assert_range(r.cache, get_range("a", 6, ZINC_TO_END), "6789");
	assert_range(r.cache, get_range("a", 8, 100), "89");
	assert_string_equal(asked(&r), "get a 2; get a 3; get a 4; get a 2");
	assert_range(r.cache, get_suffix("a", 3), "789");
	assert_range(r.cache, get_range("a", 6, ZINC_TO_END), "6789");
	assert_range(r.cache, get_range("a", 8, 100), "89");
	assert_string_equal(asked(&r), "");
	assert_range(r.cache, get_suffix("a", 100), "0123456789");
	asked(&r);
	assert_range(r.cache, get_range("a", 0, ZINC_TO_END), "0123456789");
	assert_range(r.cache, get_range("a", 3, 5), "34567");
	assert_range(r.cache, get_suffix("a", 1), "9");
	assert_range(r.cache, get_range("a", 10, 1), "");
	assert_range(r.cache, get_range("a", 11, ZINC_TO_END), "");
	assert_string_equal(asked(&r), "");
	rig_end(&r);
}

/* (3) */
static void
age(void **state)
{
	zinc_get stat = get_stat("a");
	zinc_error err = ZINC_ERROR_INIT;
	gets g;
	rig r;

	(void)state;
	rig_memory(&r, ZINC_STORE_CACHE_OPTIONS(.dir = "", .age = 1000));
	put_text(r.base, "a", "first");
	assert_text(r.cache, "a", "first");
	assert_missing(r.cache, "b");
	asked(&r);
	put_text(r.base, "a", "second");
	put_text(r.base, "b", "second");
	assert_text(r.cache, "a", "first");
	assert_missing(r.cache, "b");
	gets_init(&g, 1);
	assert_ok(gets_run(&g, r.cache, &stat, &err));
	assert_int_equal(g.r[0].object_size, 5);
	gets_fini(&g);
	assert_string_equal(asked(&r), "");
	rig_end(&r);
	rig_memory(&r, ZINC_STORE_CACHE_OPTIONS(.dir = "", .age = 0.02));
	put_text(r.base, "a", "first");
	assert_text(r.cache, "a", "first");
	assert_missing(r.cache, "b");
	put_text(r.base, "a", "second");
	put_text(r.base, "b", "second");
	usleep(25000);
	assert_text(r.cache, "a", "second");
	assert_text(r.cache, "b", "second");
	rig_end(&r);
}

/* (3) The caller's tag decides, not the age: it may know more than the cache. */
static void
age_and_tags(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_tag old, new;
	zinc_get get[2];
	gets g;
	rig r;

	(void)state;
	rig_memory(&r, ZINC_STORE_CACHE_OPTIONS(.dir = "", .age = 1000));
	put_text(r.base, "a", "first");
	old = tag_of(r.base, "a");
	assert_text(r.cache, "a", "first");
	put_text(r.base, "a", "second");
	new = tag_of(r.base, "a");
	get[0] = get[1] = get_range("a", 0, ZINC_TO_END);
	get[0].if_tag = &new;
	get[1].if_tag = &old;
	gets_init(&g, 2);
	assert_ok(gets_run(&g, r.cache, get, &err));
	assert_int_equal(g.r[0].found, ZINC_FOUND);
	assert_memory_equal(g.r[0].bytes, "second", 6);
	assert_true(zinc_tag_equal(&g.r[0].tag, &new));
	gets_fini(&g);
	gets_init(&g, 1);
	assert_ok(gets_run(&g, r.cache, get + 1, &err));
	assert_int_equal(g.r[0].found, ZINC_CHANGED);
	gets_fini(&g);
	rig_end(&r);
}

static zinc_status
append_x(void *arg, const void *old, size_t nold, zinc_update *out, zinc_error *err)
{
	char *text = (char *)arg;

	(void)err;
	memcpy(text, old, nold);
	text[nold] = 'x';
	out->bytes = text;
	out->nbytes = nold + 1;
	return ZINC_OK;
}

/* (4) Every kind of change. */
static void
changes_end_the_age(void **state)
{
	static const zinc_partial part = {.key = "a", .offset = 0, .bytes = "A", .nbytes = 1};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_put_group *group = NULL;
	char text[64];
	rig r;

	(void)state;
	rig_memory(&r, ZINC_STORE_CACHE_OPTIONS(.dir = "", .age = 1000));
	put_text(r.cache, "a", "first");
	assert_text(r.cache, "a", "first");
	put_text(r.cache, "a", "second");
	assert_text(r.cache, "a", "second");
	assert_ok(zinc_store_update(r.cache, "a", append_x, text, 0, 0, 0, NULL, &err));
	assert_text(r.cache, "a", "secondx");
	assert_ok(zinc_store_put_partial(r.cache, &part, 1, 0, 0, NULL, &err));
	assert_text(r.cache, "a", "Aecondx");
	assert_ok(zinc_store_put_begin(r.cache, &group, 0, NULL, &err));
	assert_ok(zinc_store_put(r.cache, group, "a", "group", 5, NULL, 0, NULL, NULL, &err));
	assert_ok(zinc_store_commit(r.cache, group, NULL, NULL, NULL, &err));
	assert_text(r.cache, "a", "group");
	assert_ok(zinc_store_del(r.cache, NULL, "a", NULL, 0, NULL, &err));
	assert_missing(r.cache, "a");
	put_text(r.cache, "a/b", "third");
	assert_text(r.cache, "a/b", "third");
	assert_missing(r.cache, "c");
	assert_ok(zinc_store_del_prefix(r.cache, "a/", 0, NULL, &err));
	assert_missing(r.cache, "a/b");
	put_text(r.cache, "c", "fourth");
	assert_text(r.cache, "c", "fourth");
	rig_end(&r);
}

/* (5) */
static void
without_tags(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	remote_store x;
	zinc_store *base = NULL;
	rig r;
	int i;

	(void)state;
	for (i = 0; i < 2; i++) {
		memset(&x, 0, sizeof x);
		assert_ok(zinc_store_open(&base, "memory://", NULL, &err));
		x.local = base;
		x.parallel = 4;
		x.no_tags = true;
		rig_of(&r, remote_store_open(&x, NULL), ZINC_STORE_CACHE_OPTIONS(.dir = "", .age = i ? 1000 : 0));
		put_text(base, "a", "first");
		assert_text(r.cache, "a", "first");
		assert_string_equal(asked(&r), "get a 5");
		assert_text(r.cache, "a", "first");
		assert_string_equal(asked(&r), i ? "" : "get a 5");
		assert_int_equal(((cached *)r.cache->self)->memory.table.used != 0, i);
		rig_end(&r);
		zinc_store_close(base);
	}
}

/* (2) (8) Nothing but key and range tells files without tags from each other. */
static void
files_without_tags(void **state)
{
	const zinc_get get[4] = {get_range("a", 0, ZINC_TO_END), get_range("b", 0, ZINC_TO_END), get_range("c", 1, 2),
				 get_range("c", 3, 2)};
	static const char *const want[4] = {"first", "other", "12", "34"};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *base = NULL;
	remote_store x;
	int i, pass;
	gets g;
	rig r;

	(void)state;
	make_empty("untagged");
	memset(&x, 0, sizeof x);
	assert_ok(zinc_store_open(&base, "memory://", NULL, &err));
	x.local = base;
	x.parallel = 4;
	x.no_tags = true;
	rig_of(&r, remote_store_open(&x, NULL),
	       ZINC_STORE_CACHE_OPTIONS(.dir = "untagged", .name = "n", .memory_bytes = 1, .age = 1000));
	put_text(base, "a", "first");
	put_text(base, "b", "other");
	put_text(base, "c", "012345");
	for (pass = 0; pass < 2; pass++) {
		asked(&r);
		gets_init(&g, 4);
		assert_ok(gets_run(&g, r.cache, get, &err));
		for (i = 0; i < 4; i++) {
			assert_int_equal(g.r[i].nbytes, strlen(want[i]));
			assert_memory_equal(g.r[i].bytes, want[i], strlen(want[i]));
		}
		gets_fini(&g);
	}
	assert_string_equal(asked(&r), "");
	rig_end(&r);
	zinc_store_close(base);
}

/* (6) One call for all misses and all checks; one stat for the ranges of a key. */
static void
one_call(void **state)
{
	enum { N = 40 };
	zinc_store_counts before = ZINC_STORE_COUNTS_INIT, after = ZINC_STORE_COUNTS_INIT;
	zinc_error err = ZINC_ERROR_INIT;
	static char keys[N][8];
	zinc_get get[N];
	int i, pass;
	gets g;
	rig r;

	(void)state;
	rig_memory(&r, ZINC_STORE_CACHE_OPTIONS(.dir = ""));
	put_text(r.base, "shard", "abcdefghijklmnopqrstuvwxyz0123456789");
	for (i = 0; i < N; i++) {
		snprintf(keys[i], sizeof keys[i], "k%d", i);
		put_text(r.base, keys[i], keys[i]);
		get[i] = i < 20 ? get_range("shard", (uint64_t)i, 2) : get_range(keys[i], 0, ZINC_TO_END);
	}
	for (pass = 0; pass < 3; pass++) {
		zinc_store_log_counts(r.log, &before);
		gets_init(&g, N);
		assert_ok(gets_run(&g, r.cache, get, &err));
		gets_fini(&g);
		zinc_store_log_counts(r.log, &after);
		assert_int_equal(after.get_calls - before.get_calls, 1);
		assert_int_equal(after.get_requests - before.get_requests, pass == 0 ? N : 21);
		assert_int_equal(after.get_bytes - before.get_bytes, pass == 0 ? 40 + 20 * 3 : pass == 1 ? 2 : 0);
		get[39] = get_range(keys[1], 0, ZINC_TO_END); /* something new beside what is kept */
	}
	rig_end(&r);
}

/* ---- faults ---- */

/* (7) */
static void
failures(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_blob b = ZINC_BLOB_INIT;
	remote_store x;
	zinc_store *base = NULL;
	rig r;

	(void)state;
	memset(&x, 0, sizeof x);
	assert_ok(zinc_store_open(&base, "memory://", NULL, &err));
	x.local = base;
	x.parallel = 4;
	rig_of(&r, remote_store_open(&x, NULL), ZINC_STORE_CACHE_OPTIONS(.dir = ""));
	put_text(base, "a", "first");
	assert_text(r.cache, "a", "first");
	x.torn = 2; /* the stat fails, and the get: an old value is no answer */
	assert_int_not_equal(zinc_store_get_all(r.cache, "a", &b, NULL, 0, NULL, &err), ZINC_OK);
	zinc_error_clear(&err);
	assert_int_equal(x.torn, 0);
	assert_text(r.cache, "a", "first");
	put_text(base, "a", "second");
	x.torn = 1; /* only the stat: a server that refuses HEAD */
	assert_text(r.cache, "a", "second");
	assert_text(r.cache, "a", "second");
	rig_end(&r);
	zinc_store_close(base);
}

/* Put an answer of another generation into the file of "a", as a slow process might, as soon as "a" was confirmed. */
typedef struct meddler {
	cached *cache;
	zinc_tag old;
	bool confirmed;
	int times;
} meddler;

static void
meddle(void *arg, uint64_t answers, const zinc_get *get)
{
	static const cached_range whole_value = {CACHED_WHOLE, 0, 0};
	static char text[] = "zeroth";
	const struct iovec iov = {text, 6};
	meddler *m = (meddler *)arg;
	const cached_about about = {.tag = m->old, .object_size = 6, .nbytes = 6, .checked = 1};

	(void)answers;
	if (m->confirmed) {
		zinc_cached_disk_add(&m->cache->disk, "a", &whole_value, &about, &iov, 1);
		m->times++;
	}
	m->confirmed |= get->stat && strcmp(get->key, "a") == 0;
}

/* (2) What is served is what was confirmed. */
static void
replaced_meanwhile(void **state)
{
	enum { N = 12 };
	static const char *const others[] = {"b", "c", "d"};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *base = NULL;
	zinc_get get[N];
	remote_store x;
	meddler m;
	gets g;
	rig r;
	int i;

	(void)state;
	make_empty("meddled");
	memset(&x, 0, sizeof x);
	memset(&m, 0, sizeof m);
	assert_ok(zinc_store_open(&base, "memory://", NULL, &err));
	x.local = base;
	x.parallel = 1;
	rig_of(&r, remote_store_open(&x, NULL),
	       ZINC_STORE_CACHE_OPTIONS(.dir = "meddled", .name = "n", .memory_bytes = 1));
	put_text(base, "a", "zeroth");
	m.old = tag_of(base, "a");
	m.cache = (cached *)r.cache->self;
	put_text(base, "a", "first");
	for (i = 0; i < 3; i++)
		put_text(base, others[i], others[i]);
	assert_text(r.cache, "a", "first");
	for (i = 0; i < N; i++)
		get[i] = get_range(i ? others[i % 3] : "a", 0, ZINC_TO_END);
	x.before = meddle;
	x.arg = &m;
	gets_init(&g, N);
	assert_ok(gets_run(&g, r.cache, get, &err));
	assert_true(m.times > 0);
	assert_int_equal(g.r[0].nbytes, 5);
	assert_memory_equal(g.r[0].bytes, "first", 5);
	gets_fini(&g);
	rig_end(&r);
	zinc_store_close(base);
}

static void
remove_all(void *arg, size_t i, const zinc_got *got)
{
	int *found = (int *)arg;

	(void)i;
	*found += got->found == ZINC_FOUND;
	make_empty("once/v1");
}

/* (8) After the first answer the files are removed: the second range comes from what was read for the first. */
static void
a_file_is_read_once(void **state)
{
	char bytes[2][2];
	const struct iovec iov[2] = {{bytes[0], 2}, {bytes[1], 2}};
	zinc_get get[2] = {get_range("a", 1, 2), get_range("a", 3, 2)};
	zinc_error err = ZINC_ERROR_INIT;
	int found = 0, i;
	const zinc_sink sink = {sizeof sink, NULL, remove_all, &found};
	rig r;

	(void)state;
	make_empty("once");
	rig_memory(&r, ZINC_STORE_CACHE_OPTIONS(.dir = "once", .name = "n", .memory_bytes = 1, .age = 1000));
	put_text(r.base, "a", "012345");
	assert_text(r.cache, "a", "012345");
	asked(&r);
	for (i = 0; i < 2; i++) {
		get[i].iov = &iov[i];
		get[i].niov = 1;
	}
	assert_ok(zinc_store_get(r.cache, get, 2, &sink, NULL, &err));
	assert_int_equal(found, 2);
	assert_memory_equal(bytes, "1234", 4);
	assert_string_equal(asked(&r), "");
	rig_end(&r);
}

/* Change the last byte of every file of the cache that has a value. */
static int
spoil(const char *path, const struct stat *st, int type, struct FTW *at)
{
	FILE *f = type == FTW_F && at->level == 3 ? fopen(path, "r+b") : NULL;

	(void)st;
	if (f) {
		assert_int_equal(fseek(f, -1, SEEK_END), 0);
		assert_int_not_equal(fputc('!', f), EOF);
		fclose(f);
	}
	return 0;
}

/* (8) */
static void
a_stat_reads_the_head(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_get stat = get_stat("a");
	gets g;
	rig r;

	(void)state;
	make_empty("heads");
	rig_memory(&r, ZINC_STORE_CACHE_OPTIONS(.dir = "heads", .name = "n", .memory_bytes = 1, .age = 1000));
	put_text(r.base, "a", "012345");
	assert_text(r.cache, "a", "012345");
	asked(&r);
	assert_int_equal(nftw("heads", spoil, 8, FTW_PHYS), 0);
	gets_init(&g, 1);
	assert_ok(gets_run(&g, r.cache, &stat, &err));
	assert_int_equal(g.r[0].found, ZINC_FOUND);
	assert_int_equal(g.r[0].object_size, 6);
	gets_fini(&g);
	assert_string_equal(asked(&r), "");
	assert_text(r.cache, "a", "012345"); /* but bytes are never returned unchecked */
	assert_string_equal(asked(&r), "get a 6");
	rig_end(&r);
}

/* (2) A file with fewer bytes than its range says is not used. */
static void
too_few_bytes(void **state)
{
	static char text[] = "01234";
	const struct iovec iov = {text, 5};
	const cached_range range = {CACHED_PART, 0, 8};
	cached_about about = {.object_size = 10, .nbytes = 5, .checked = 1};
	rig r;

	(void)state;
	make_empty("few");
	rig_memory(&r, ZINC_STORE_CACHE_OPTIONS(.dir = "few", .name = "n", .memory_bytes = 1));
	put_text(r.base, "a", "0123456789");
	about.tag = tag_of(r.base, "a");
	zinc_cached_disk_add(&((cached *)r.cache->self)->disk, "a", &range, &about, &iov, 1);
	assert_range(r.cache, get_range("a", 0, 8), "01234567");
	assert_string_equal(asked(&r), "get a 8");
	rig_end(&r);
}

/* (7) room(): "not now" is kept, and "fail" fails one request. */
static void
rooms(void **state)
{
	zinc_get get[3] = {get_range("a", 0, ZINC_TO_END), get_range("b", 0, ZINC_TO_END), get_range("a", 1, 2)};
	zinc_error err = ZINC_ERROR_INIT;
	int pass, i;
	gets g;
	rig r;

	(void)state;
	rig_memory(&r, ZINC_STORE_CACHE_OPTIONS(.dir = ""));
	put_text(r.base, "a", "first");
	put_text(r.base, "b", "second");
	for (pass = 0; pass < 2; pass++) {
		gets_init(&g, 3);
		g.not_now = 2;
		assert_ok(gets_run(&g, r.cache, get, &err));
		for (i = 0; i < 3; i++) {
			assert_int_equal(g.r[i].dones, 1);
			assert_int_equal(g.r[i].found, ZINC_FOUND);
		}
		gets_fini(&g);
		gets_init(&g, 3);
		g.refuse = true;
		assert_ok(gets_run(&g, r.cache, get, &err));
		for (i = 0; i < 3; i++) {
			assert_int_equal(g.r[i].dones, 1);
			assert_int_equal(g.r[i].status, ZINC_E_NOMEM);
		}
		gets_fini(&g);
	}
	rig_end(&r);
}

/* (M1) */
static void
memory_is_bounded(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	static uint8_t bytes[20000];
	const uint64_t budget = 100000;
	zinc_blob b = ZINC_BLOB_INIT;
	const zinc_lru_entry *e;
	char key[16];
	size_t i;
	rig r;

	(void)state;
	rig_memory(&r, ZINC_STORE_CACHE_OPTIONS(.dir = "", .memory_bytes = budget));
	for (i = 0; i < 2000; i++) {
		snprintf(key, sizeof key, "%zu", i);
		assert_ok(zinc_store_put(r.base, NULL, key, bytes, i < 1000 ? i : i % 7, NULL, 0, NULL, NULL, &err));
		assert_ok(zinc_store_get_all(r.cache, key, &b, NULL, 0, NULL, &err));
		zinc_blob_fini(&b);
		assert_true(((cached *)r.cache->self)->memory.table.used <= budget);
	}
	assert_true(((cached *)r.cache->self)->memory.table.used > budget / 2);
	for (e = ((cached *)r.cache->self)->memory.table.newest, i = 0; e; e = e->older)
		i++;
	assert_true(i * sizeof *e < budget);
	assert_ok(zinc_store_put(r.base, NULL, "long", bytes, sizeof bytes, NULL, 0, NULL, NULL, &err));
	rig_end(&r);
}

/* ---- random ---- */

static void
change_base(zinc_store *base, const char *key)
{
	zinc_error err = ZINC_ERROR_INIT;
	uint8_t bytes[64];
	const size_t n = (size_t)(random_below(sizeof bytes));
	size_t i;

	for (i = 0; i < n; i++)
		bytes[i] = (uint8_t)random_bits();
	if (random_below(5) == 0)
		assert_ok(zinc_store_del(base, NULL, key, NULL, 0, NULL, &err));
	else
		assert_ok(zinc_store_put(base, NULL, key, bytes, n, NULL, 0, NULL, NULL, &err));
}

static zinc_get
random_get(const char *key, const zinc_tag *tag)
{
	zinc_get g = get_range(key, random_below(70), random_below(70));
	const unsigned form = (unsigned)(random_below(5));

	if (form == 0)
		g = get_range(key, 0, ZINC_TO_END);
	else if (form == 1)
		g = get_suffix(key, random_below(8) * 10);
	else if (form == 2)
		g = get_range(key, random_below(8) * 10, 20);
	else if (form == 3)
		g.length = ZINC_TO_END;
	g.stat = random_below(20) == 0;
	if (random_below(4) == 0)
		g.if_tag = tag;
	return g;
}

/* (1) (2) The same batch through the cache and from the base, while nothing changes. */
static void
compare(const rig *r, const char *const *keys, const zinc_tag *tags)
{
	enum { N = 6 };
	zinc_error err = ZINC_ERROR_INIT;
	zinc_get get[N];
	size_t i, k;
	gets a, b;

	for (i = 0; i < N; i++) {
		k = (size_t)(random_below(4));
		get[i] = random_get(keys[k], &tags[k]);
	}
	gets_init(&a, N);
	gets_init(&b, N);
	assert_ok(gets_run(&a, r->cache, get, &err));
	assert_ok(gets_run(&b, r->base, get, &err));
	for (i = 0; i < N; i++) {
		assert_int_equal(a.r[i].dones, 1);
		assert_int_equal(a.r[i].found, b.r[i].found);
		if (a.r[i].found != ZINC_FOUND)
			continue;
		assert_int_equal(a.r[i].nbytes, b.r[i].nbytes);
		assert_int_equal(a.r[i].object_size, b.r[i].object_size);
		assert_true(zinc_tag_equal(&a.r[i].tag, &b.r[i].tag));
		if (a.r[i].nbytes)
			assert_memory_equal(a.r[i].bytes, b.r[i].bytes, a.r[i].nbytes);
	}
	gets_fini(&a);
	gets_fini(&b);
}

static void
remember_tag(zinc_store *base, const char *key, zinc_tag *tag)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_get stat = get_stat(key);
	gets g;

	gets_init(&g, 1);
	assert_ok(gets_run(&g, base, &stat, &err));
	if (g.r[0].found == ZINC_FOUND)
		*tag = g.r[0].tag;
	gets_fini(&g);
}

static void
always_equal(void **state)
{
	static const char *const keys[] = {"a", "b", "c/d", "c/e"};
	zinc_tag tags[4];
	rig r;
	int i, k, kind;

	(void)state;
	for (kind = 0; kind < 3; kind++) {
		make_empty("oracle");
		memset(tags, 0, sizeof tags);
		for (k = 0; k < 4; k++)
			tags[k].n = 1;
		rig_memory(&r, ZINC_STORE_CACHE_OPTIONS(.dir = kind ? "oracle" : "", .name = kind ? "base" : NULL,
							.memory_bytes = kind == 1 ? 1 : 4000));
		for (i = 0; i < MANY(20000); i++) {
			k = (int)(random_below(4));
			if (random_below(3) == 0)
				change_base(r.base, keys[k]);
			else if (random_below(8) == 0)
				remember_tag(r.base, keys[k], &tags[k]);
			compare(&r, keys, tags);
		}
		rig_end(&r);
	}
}

/* (C2) Remote, or durable with an absolute path; what it is opened for does not matter. */
static void
lasting(void **state)
{
	static const struct {
		uint32_t flags;
		const char *rest;
		bool lasts;
	} rows[] = {
	    {ZINC_CAP_DURABLE, "/d/x.db", true},
	    {ZINC_CAP_DURABLE, "x.db", false},
	    {ZINC_CAP_REMOTE, "host/x", true},
	    {ZINC_CAP_WRITE, "/d/x.db", false},
	    {0, "/d/x.db", false},
	};
	zinc_store_ops ops = {.size = sizeof ops};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s = NULL, *t = NULL;
	size_t i;

	(void)state;
	make_empty("none");
	assert_ok(zinc_store_open(&s, "memory://", NULL, &err));
	for (i = 0; i < COUNT(rows); i++) {
		ops.flags = rows[i].flags;
		zinc_store_identify(s, NULL, &ops, rows[i].rest, NULL, 0);
		assert_int_equal(s->identified, rows[i].lasts);
		assert_ok(zinc_store_cache(&t, s, ZINC_STORE_CACHE_OPTIONS(.dir = "none"), &err));
		assert_int_equal(strcmp(tree("none"), "") != 0, rows[i].lasts);
		zinc_store_close(t);
		make_empty("none");
	}
	ops.flags = ZINC_CAP_REMOTE;
	ops.size = offsetof(zinc_store_ops, flags); /* of an older program */
	zinc_store_identify(s, NULL, &ops, "host/x", NULL, 0);
	assert_false(s->identified);
	zinc_store_close(s);
	assert_ok(zinc_store_open(&t, "/d", NULL, &err)); /* tags of files may return */
	assert_false(t->identified);
	zinc_store_close(t);
}

/* (C3) Variables that a store reads itself make it another store. */
static void
variables(void **state)
{
	static const char *const names[] = {"AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3", "AWS_PROFILE",
					    "AWS_ACCESS_KEY_ID"};
	const zinc_store_ops s3 = {.size = sizeof s3,
				   .schemes = "s3",
				   .flags = ZINC_CAP_REMOTE,
				   .variables = "AWS_ENDPOINT_URL_S3,AWS_ENDPOINT_URL,AWS_PROFILE,AWS_ACCESS_KEY_ID"};
	const zinc_store_ops other = {.size = sizeof other, .schemes = "http", .flags = ZINC_CAP_REMOTE};
	uint8_t seen[2 * COUNT(names) + 1][ZINC_HASH_BYTES];
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s = NULL;
	size_t i, j, n = 0;

	(void)state;
	assert_ok(zinc_store_open(&s, "memory://", NULL, &err));
	for (i = 0; i <= 2 * COUNT(names); i++) {
		if (i)
			assert_int_equal(setenv(names[(i - 1) / 2], i % 2 ? "http://one" : "http://two", 1), 0);
		memset(s->identity, 0, sizeof s->identity);
		zinc_store_identify(s, NULL, &s3, "bucket", NULL, 0);
		memcpy(seen[n++], s->identity, ZINC_HASH_BYTES);
		for (j = 0; j + 1 < n; j++)
			assert_memory_not_equal(seen[j], s->identity, ZINC_HASH_BYTES);
		if (i && i % 2 == 0)
			unsetenv(names[(i - 1) / 2]);
	}
	for (i = 0; i < 2; i++) {
		setenv("AWS_PROFILE", i ? "a" : "b", 1);
		memset(s->identity, 0, sizeof s->identity);
		zinc_store_identify(s, NULL, &other, "bucket", NULL, 0);
		memcpy(seen[i], s->identity, ZINC_HASH_BYTES);
	}
	assert_memory_equal(seen[0], seen[1], ZINC_HASH_BYTES);
	unsetenv("AWS_PROFILE");
	zinc_store_close(s);
}

/* (4) The values of an archive change when it is released. */
static void
released(void **state)
{
	const zinc_store_cache_options *o = ZINC_STORE_CACHE_OPTIONS(.dir = "held", .name = "n", .age = 1000);
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *a = NULL, *b = NULL, *below[2] = {NULL, NULL};

	(void)state;
	assert_ok(zinc_store_open(&below[0], "held.zip", NULL, &err));
	assert_ok(zinc_store_open(&below[1], "held.zip", NULL, &err));
	assert_ok(zinc_store_cache(&a, below[0], o, &err));
	assert_ok(zinc_store_cache(&b, below[1], o, &err));
	assert_ok(zinc_store_hold(a, NULL, &err));
	put_text(a, "k", "value");
	assert_missing(b, "k");
	assert_ok(zinc_store_release(a, true, 0, NULL, &err));
	assert_text(b, "k", "value");
	zinc_store_close(a);
	zinc_store_close(b);
	zinc_store_close(below[0]);
	zinc_store_close(below[1]);
}

/* (C2) (C3) */
static void
identity(void **state)
{
	static const char *const urls[] = {
	    "memory://a", "/d", "/d/e", "d", "memory://b", "/d|zarr3:e", "/d|cache:?age=1", "/d|cache:?age=2"};
	zinc_store *s[COUNT(urls)] = {NULL}, *t = NULL;
	zinc_error err = ZINC_ERROR_INIT;
	size_t i, j;

	(void)state;
	assert_int_equal(setenv("ZINC_CACHE_DIR", "by_url", 1), 0); /* never the user's own */
	for (i = 0; i < COUNT(urls); i++)
		assert_ok(zinc_store_open(&s[i], urls[i], NULL, &err));
	for (i = 0; i < COUNT(urls); i++)
		for (j = 0; j < i; j++)
			assert_memory_not_equal(s[i]->identity, s[j]->identity, ZINC_HASH_BYTES);
	assert_false(s[3]->identified);
	assert_ok(zinc_store_open(&t, "/d", NULL, &err));
	assert_memory_equal(s[1]->identity, t->identity, ZINC_HASH_BYTES);
	zinc_store_close(t);
	assert_ok(zinc_store_readonly(&t, s[1], &err));
	assert_memory_equal(s[1]->identity, t->identity, ZINC_HASH_BYTES);
	zinc_store_close(t);
	assert_ok(zinc_store_prefix(&t, s[1], "x/", &err));
	assert_memory_not_equal(s[1]->identity, t->identity, ZINC_HASH_BYTES);
	zinc_store_close(t);
	make_empty("none");
	assert_ok(zinc_store_cache(&t, s[0], ZINC_STORE_CACHE_OPTIONS(.dir = "none"), &err));
	assert_string_equal(tree("none"), "");
	zinc_store_close(t);
	assert_ok(zinc_store_cache(&t, s[3], ZINC_STORE_CACHE_OPTIONS(.dir = "none"), &err));
	assert_string_equal(tree("none"), "");
	zinc_store_close(t);
	assert_ok(zinc_store_cache(&t, s[1], ZINC_STORE_CACHE_OPTIONS(.dir = "none"), &err));
	assert_string_equal(tree("none"), "");
	zinc_store_close(t);
	assert_ok(zinc_store_cache(&t, s[1], ZINC_STORE_CACHE_OPTIONS(.dir = "none", .name = "d"), &err));
	assert_string_not_equal(tree("none"), "");
	zinc_store_close(t);
	for (i = 0; i < COUNT(urls); i++)
		zinc_store_close(s[i]);
}

/* ---- threads and fork ---- */

typedef struct worker {
	zinc_store *cache;
	atomic_bool stop;
} worker;

static void *
read_all_the_time(void *arg)
{
	worker *w = (worker *)arg;

	while (!atomic_load(&w->stop)) {
		step_begin();
		assert_text(w->cache, "a", "first");
		step_end();
	}
	return NULL;
}

/* (C4) */
static void
forks(void **state)
{
	worker w;
	pthread_t threads[3];
	int status, i;
	pid_t child;
	rig r;

	(void)state;
	make_empty("forked");
	rig_memory(&r, ZINC_STORE_CACHE_OPTIONS(.dir = "forked", .name = "n", .age = 1000));
	put_text(r.base, "a", "first");
	assert_text(r.cache, "a", "first");
	w.cache = r.cache;
	atomic_init(&w.stop, false);
	for (i = 0; i < 3; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, read_all_the_time, &w), 0);
	for (i = 0; i < MANY(200); i++) {
		child = fork_amidst();
		if (child == 0) {
			alarm(HANGS);
			assert_text(r.cache, "a", "first");
			leave_child(0);
		}
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_int_equal(status, 0);
	}
	atomic_store(&w.stop, true);
	for (i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	rig_end(&r);
}

/* ---- every allocation fails ---- */

static zinc_status
read_twice(void *arg, zinc_context *ctx, zinc_error *err)
{
	zinc_store *base = NULL, *cache = NULL;
	zinc_status st = zinc_store_open(&base, "memory://", ZINC_STORE_OPTIONS(.context = ctx), err);
	zinc_blob b = ZINC_BLOB_INIT;
	int i;

	(void)arg;
	if (st == ZINC_OK)
		st = zinc_store_cache(&cache, base, ZINC_STORE_CACHE_OPTIONS(.dir = "swept", .name = "n"), err);
	for (i = 0; i < 3 && st == ZINC_OK; i++) {
		if (i != 1)
			st = zinc_store_put(base, NULL, "a", i ? "2nd" : "first", i ? 3 : 5, NULL, 0, NULL, NULL, err);
		if (st == ZINC_OK)
			st = zinc_store_get_all(cache, "a", &b, NULL, 0, NULL, err);
		if (st == ZINC_OK) {
			assert_int_equal(b.nbytes, i < 2 ? 5 : 3);
			assert_memory_equal(b.data, i < 2 ? "first" : "2nd", b.nbytes);
		}
		zinc_blob_fini(&b);
	}
	zinc_store_close(cache);
	zinc_store_close(base);
	return st;
}

static void
clear(void *arg)
{
	(void)arg;
	make_empty("swept");
}

/* (7) (4 of store_cache_disk.c) */
static void
sweep(void **state)
{
	static const int errnums[] = {EIO, ENOSPC, EACCES, EINTR, 0};
	const sweep_scenario s = {.run = read_twice, .before = clear};

	(void)state;
	assert_true(sweep_alloc_scenario(&s) > 10);
	assert_true(sweep_os_scenario(&s, errnums) > 10);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(confirms_by_tag),
	    cmocka_unit_test(ranges),
	    cmocka_unit_test(age),
	    cmocka_unit_test(age_and_tags),
	    cmocka_unit_test(changes_end_the_age),
	    cmocka_unit_test(without_tags),
	    cmocka_unit_test(files_without_tags),
	    cmocka_unit_test(one_call),
	    cmocka_unit_test(failures),
	    cmocka_unit_test(replaced_meanwhile),
	    cmocka_unit_test(a_file_is_read_once),
	    cmocka_unit_test(a_stat_reads_the_head),
	    cmocka_unit_test(too_few_bytes),
	    cmocka_unit_test(rooms),
	    cmocka_unit_test(memory_is_bounded),
	    cmocka_unit_test(always_equal),
	    cmocka_unit_test(identity),
	    cmocka_unit_test(lasting),
	    cmocka_unit_test(variables),
	    cmocka_unit_test(released),
	    cmocka_unit_test(forks),
	    cmocka_unit_test(sweep),
	};

	return cmocka_run_group_tests(tests, set_up_fast_dir, tear_down_fast_dir);
}
