/*
 * store_do.c - store_do SECONDS URL OPERATION [KEY [MORE]]: one operation of a store, within a deadline
 *
 * Prints one line: what came of it.  tests/live/faults.py compares it, and store_do never judges.
 *
 *     get KEY, range KEY FIRST COUNT, suffix KEY COUNT, ranges KEY    value NBYTES HASH [TEXT], missing, changed
 *     stat KEY                                                        size NBYTES, missing
 *     put KEY VALUE, create (if absent), replace (if unchanged)       ok
 *     putn KEY COUNT                                                  ok; COUNT bytes 0, 1 ... 250, 0 ...
 *     del KEY, delmany KEY COUNT (KEY0, KEY1 ...)                     ok
 *     update KEY                                                      ok; adds an 'x'
 *     list                                                            keys N HASH
 *     caps                                                            read write ...
 *
 * or "error E_IO: text" of any of them.
 */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <zinc.h>
#include <zinc/store.h>

enum { MOST = 1000, MOST_TEXT = 40 };

static zinc_wait limit = ZINC_WAIT_INIT;
static zinc_error err = ZINC_ERROR_INIT;

static int
report(zinc_status st)
{
	if (st == ZINC_OK)
		puts("ok");
	else
		printf("error %s: %s\n", zinc_status_name(st), zinc_error_text(&err));
	return 0;
}

/* FNV-1a, 64 bits. */
static uint64_t
hash(uint64_t h, const void *bytes, size_t n)
{
	const uint8_t *p = bytes;

	for (; n > 0; n--)
		h = (h ^ *p++) * UINT64_C(0x100000001b3);
	return h;
}
#define HASH_INIT UINT64_C(0xcbf29ce484222325)

/* ---- reading ---- */

struct answer {
	uint8_t *bytes;
	zinc_got got;
	zinc_error error;
};

static zinc_room
make_room(void *arg, size_t i, uint64_t nbytes, void **buf)
{
	struct answer *a = (struct answer *)arg + i;

	*buf = a->bytes = malloc(nbytes + 1);
	return *buf ? ZINC_ROOM_OK : ZINC_ROOM_FAIL;
}

static void
keep_answer(void *arg, size_t i, const zinc_got *got)
{
	struct answer *a = (struct answer *)arg + i;

	a->got = *got;
	if (got->error)
		a->error = *got->error;
}

static void
print_answer(struct answer *a, int stat)
{
	const zinc_got *g = &a->got;
	uint64_t h;

	if (g->found == ZINC_FAILED)
		printf("error %s: %s\n", zinc_status_name(g->status), zinc_error_text(&a->error));
	else if (g->found != ZINC_FOUND)
		puts(g->found == ZINC_MISSING ? "missing" : "changed");
	else if (stat)
		printf("size %" PRIu64 "\n", g->object_size);
	else {
		h = hash(HASH_INIT, a->bytes, g->nbytes);
		printf("value %" PRIu64 " %016" PRIx64 " %.*s\n", g->nbytes, h,
		       g->nbytes <= MOST_TEXT ? (int)g->nbytes : 0, (char *)a->bytes);
	}
}

static int
read_all(zinc_store *s, const zinc_get *gets, size_t n)
{
	struct answer *a = calloc(n, sizeof *a);
	const zinc_sink sink = {sizeof sink, make_room, keep_answer, a};
	zinc_status st;
	size_t i;

	if (!a)
		return 2;
	st = zinc_store_get(s, gets, n, &sink, &limit, &err);
	for (i = 0; st == ZINC_OK && i < n; i++)
		print_answer(&a[i], gets[i].stat);
	for (i = 0; i < n; i++)
		free(a[i].bytes);
	free(a);
	return st == ZINC_OK ? 0 : report(st);
}

static int
do_read(zinc_store *s, const char *how, const char *key, const char *first, const char *count)
{
	zinc_get g = {.key = key, .length = ZINC_TO_END};
	zinc_get four[4];
	size_t i;

	if (strcmp(how, "range") == 0) {
		g.offset = strtoull(first, NULL, 10);
		g.length = strtoull(count, NULL, 10);
	} else if (strcmp(how, "suffix") == 0) {
		g.suffix = 1;
		g.length = strtoull(first, NULL, 10);
	} else if (strcmp(how, "stat") == 0) {
		g.stat = 1;
	} else if (strcmp(how, "ranges") == 0) {
		for (i = 0; i < 4; i++)
			four[i] = (zinc_get){.key = key, .offset = 2 * i, .length = 1};
		return read_all(s, four, 4);
	}
	return read_all(s, &g, 1);
}

/* ---- listing ---- */

struct keys {
	long n;
	uint64_t hash;
};

static int
count_key(void *arg, const char *key, uint64_t nbytes)
{
	struct keys *k = arg;

	(void)nbytes;
	k->n++;
	k->hash = hash(k->hash, key, strlen(key) + 1);
	return 0;
}

static int
do_list(zinc_store *s)
{
	struct keys k = {0, HASH_INIT};
	zinc_status st = zinc_store_list(s, "", count_key, &k, &limit, &err);

	if (st != ZINC_OK)
		return report(st);
	printf("keys %ld %016" PRIx64 "\n", k.n, k.hash);
	return 0;
}

static int
do_caps(zinc_store *s)
{
	zinc_caps caps = ZINC_CAPS_INIT;
	char text[400];

	zinc_store_caps(s, &caps);
	zinc_caps_show(text, sizeof text, caps.flags);
	puts(text);
	return 0;
}

/* ---- writing ---- */

static zinc_status
add_x(void *arg, const void *old, size_t nold, zinc_update *out, zinc_error *e)
{
	char *room = arg;

	(void)e;
	if (nold > MOST_TEXT)
		nold = MOST_TEXT;
	if (nold)
		memcpy(room, old, nold);
	room[nold] = 'x';
	out->bytes = room;
	out->nbytes = nold + 1;
	return ZINC_OK;
}

static int
do_replace(zinc_store *s, const char *key, const char *value)
{
	zinc_tag tag = {0, {0}};
	const zinc_condition same = {ZINC_EQUALS, &tag};
	zinc_blob old = ZINC_BLOB_INIT;
	zinc_status st = zinc_store_get_all(s, key, &old, &tag, 0, &limit, &err);

	zinc_blob_fini(&old);
	if (st == ZINC_OK)
		st = zinc_store_put(s, NULL, key, value, strlen(value), &same, 0, NULL, &limit, &err);
	return report(st);
}

static int
do_put_many_bytes(zinc_store *s, const char *key, size_t n)
{
	uint8_t *bytes = malloc(n + 1);
	zinc_status st;
	size_t i;

	if (!bytes)
		return 2;
	for (i = 0; i < n; i++)
		bytes[i] = (uint8_t)(i % 251);
	st = zinc_store_put(s, NULL, key, bytes, n, NULL, 0, NULL, &limit, &err);
	free(bytes);
	return report(st);
}

static int
do_delete_many(zinc_store *s, const char *key, size_t n)
{
	static char names[MOST][64];
	const char *keys[MOST];
	size_t i;

	for (i = 0; i < n && i < MOST; i++) {
		snprintf(names[i], sizeof names[i], "%s%zu", key, i);
		keys[i] = names[i];
	}
	return report(zinc_store_del_keys(s, keys, i, 0, &limit, &err));
}

static int
do_change(zinc_store *s, const char *how, const char *key, const char *value)
{
	const zinc_condition absent = {ZINC_ABSENT, NULL};
	const size_t n = strtoull(value, NULL, 10);
	char room[MOST_TEXT + 1];

	if (strcmp(how, "put") == 0 || strcmp(how, "create") == 0)
		return report(zinc_store_put(s, NULL, key, value, strlen(value), how[0] == 'c' ? &absent : NULL, 0,
					     NULL, &limit, &err));
	if (strcmp(how, "replace") == 0)
		return do_replace(s, key, value);
	if (strcmp(how, "putn") == 0)
		return do_put_many_bytes(s, key, n);
	if (strcmp(how, "del") == 0)
		return report(zinc_store_del(s, NULL, key, NULL, 0, &limit, &err));
	if (strcmp(how, "delmany") == 0)
		return do_delete_many(s, key, n);
	if (strcmp(how, "update") == 0)
		return report(zinc_store_update(s, key, add_x, room, 0, 0, 0, &limit, &err));
	fprintf(stderr, "store_do: no operation \"%s\"\n", how);
	return 2;
}

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int
main(int argc, char **argv)
{
	static const char readers[] = " get range suffix ranges stat ";
	const char *key = argc > 4 ? argv[4] : "", *more = argc > 5 ? argv[5] : "";
	zinc_store_options o = ZINC_STORE_OPTIONS_INIT;
	zinc_call_options call = ZINC_CALL_OPTIONS_INIT;
	zinc_store *s = NULL;
	zinc_status st;
	int status;

	if (argc < 4)
		return 2;
	call.timeout = strtod(argv[1], NULL);
	limit.until = now() + call.timeout;
	o.call = &call;
	st = zinc_store_open(&s, argv[2], &o, &err);
	if (st != ZINC_OK)
		return report(st);
	if (strcmp(argv[3], "caps") == 0)
		status = do_caps(s);
	else if (strcmp(argv[3], "list") == 0)
		status = do_list(s);
	else if (strstr(readers, argv[3]))
		status = do_read(s, argv[3], key, more, argc > 6 ? argv[6] : "");
	else
		status = do_change(s, argv[3], key, more);
	zinc_store_close(s);
	return status;
}
