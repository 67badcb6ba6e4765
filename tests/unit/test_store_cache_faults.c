/*
 * test_store_cache_faults.c - the cache in front of a store that fails, changes meanwhile, or is used by many
 */
#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <sys/wait.h>

#include "store/store_cache.h"
#include "support/cache_rig.h"
#include "support/files.h"
#include "support/forks.h"
#include "support/gets.h"
#include "support/random.h"
#include "support/remote_store.h"
#include "support/sweep.h"
#include "support/test.h"

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
	    cmocka_unit_test(failures),
	    cmocka_unit_test(replaced_meanwhile),
	    cmocka_unit_test(a_file_is_read_once),
	    cmocka_unit_test(a_stat_reads_the_head),
	    cmocka_unit_test(too_few_bytes),
	    cmocka_unit_test(rooms),
	    cmocka_unit_test(memory_is_bounded),
	    cmocka_unit_test(always_equal),
	    cmocka_unit_test(forks),
	    cmocka_unit_test(sweep),
	};

	return cmocka_run_group_tests(tests, set_up_fast_dir, tear_down_fast_dir);
}
