/*
 * gets.c - a sink that records its calls
 */
#include <stdlib.h>

#include "support/gets.h"
#include "support/test.h"

void
gets_init(gets *g, size_t n)
{
	memset(g, 0, sizeof *g);
	g->n = n;
	g->r = (get_result *)calloc(n ? n : 1, sizeof *g->r);
	assert_non_null(g->r);
	pthread_mutex_init(&g->lock, NULL);
}

void
gets_fini(gets *g)
{
	size_t i;

	for (i = 0; i < g->n; i++)
		free(g->r[i].bytes);
	free(g->r);
	pthread_mutex_destroy(&g->lock);
}

static zinc_room
gets_room(void *arg, size_t i, uint64_t nbytes, void **buf)
{
	gets *g = (gets *)arg;
	zinc_room answer = ZINC_ROOM_OK;

	pthread_mutex_lock(&g->lock);
	assert_true(i < g->n);
	assert_int_equal(g->r[i].dones, 0);
	g->r[i].rooms++;
	if (g->refuse) {
		answer = ZINC_ROOM_FAIL;
	} else if (g->not_now > 0) {
		g->not_now--;
		answer = ZINC_ROOM_NOT_NOW;
	} else {
		free(g->r[i].bytes);
		*buf = g->r[i].bytes = (uint8_t *)malloc(nbytes ? (size_t)nbytes : 1);
		assert_non_null(*buf);
	}
	pthread_mutex_unlock(&g->lock);
	return answer;
}

static void
gets_done(void *arg, size_t i, const zinc_got *got)
{
	gets *g = (gets *)arg;
	get_result *r = &g->r[i];

	pthread_mutex_lock(&g->lock);
	assert_true(i < g->n);
	r->dones++;
	r->found = got->found;
	r->nbytes = got->nbytes;
	r->object_size = got->object_size;
	r->status = got->status;
	if (got->found == ZINC_FOUND) {
		assert_non_null(got->tag);
		r->tag = *got->tag;
	}
	if (got->error)
		r->error = *got->error;
	if (++g->total_dones == g->cancel_after)
		zinc_cancel_set(&g->cancel);
	pthread_mutex_unlock(&g->lock);
}

zinc_sink
gets_sink(gets *g)
{
	return (zinc_sink){sizeof(zinc_sink), gets_room, gets_done, g};
}

zinc_status
gets_run(gets *g, zinc_store *s, const zinc_get *requests, zinc_error *err)
{
	const zinc_sink sink = gets_sink(g);
	const zinc_wait wait = {sizeof wait, 0, &g->cancel};
	zinc_status st = zinc_store_get(s, requests, g->n, &sink, &wait, err);
	size_t i;

	for (i = 0; i < g->n; i++) /* exactly once, or never if get itself failed */
		assert_int_equal(g->r[i].dones, st == ZINC_OK);
	return st;
}

zinc_get
get_range(const char *key, uint64_t offset, uint64_t length)
{
	return (zinc_get){.key = key, .offset = offset, .length = length};
}

zinc_get
get_suffix(const char *key, uint64_t length)
{
	return (zinc_get){.key = key, .length = length, .suffix = 1};
}

zinc_get
get_stat(const char *key)
{
	return (zinc_get){.key = key, .stat = 1};
}

void
assert_value(zinc_store *s, const char *key, const void *bytes, size_t n)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_blob b = ZINC_BLOB_INIT;

	assert_ok(zinc_store_get_all(s, key, &b, NULL, 0, NULL, &err));
	assert_int_equal(b.nbytes, n);
	if (n)
		assert_memory_equal(b.data, bytes, n);
	assert_int_equal(((const char *)b.data)[n], 0);
	zinc_blob_fini(&b);
}

void
assert_text(zinc_store *s, const char *key, const char *text)
{
	assert_value(s, key, text, strlen(text));
}

void
assert_missing(zinc_store *s, const char *key)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_blob b = ZINC_BLOB_INIT;

	assert_int_equal(zinc_store_get_all(s, key, &b, NULL, 0, NULL, &err), ZINC_E_NOTFOUND);
	assert_int_equal(err.code, ZINC_E_NOTFOUND);
}

void
put_text(zinc_store *s, const char *key, const char *text)
{
	zinc_error err = ZINC_ERROR_INIT;

	assert_ok(zinc_store_put(s, NULL, key, text, strlen(text), NULL, 0, NULL, NULL, &err));
}

zinc_status
try_get(zinc_store *s, const char *key, zinc_error *err)
{
	zinc_blob b = ZINC_BLOB_INIT;
	const zinc_status st = zinc_store_get_all(s, key, &b, NULL, 0, NULL, err);

	zinc_blob_fini(&b);
	return st;
}

zinc_status
try_put(zinc_store *s, const char *key, const char *text, const zinc_condition *when, zinc_error *err)
{
	return zinc_store_put(s, NULL, key, text, strlen(text), when, 0, NULL, NULL, err);
}

zinc_tag
tag_of(zinc_store *s, const char *key)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_blob b = ZINC_BLOB_INIT;
	zinc_tag tag = {0, {0}};

	assert_ok(zinc_store_get_all(s, key, &b, &tag, 0, NULL, &err));
	zinc_blob_fini(&b);
	return tag;
}

int
count_key(void *arg, const char *key, uint64_t nbytes)
{
	(void)key, (void)nbytes;
	++*(int *)arg;
	return 0;
}

int
count_entry(void *arg, const char *name, int is_prefix)
{
	(void)name, (void)is_prefix;
	++*(int *)arg;
	return 0;
}
