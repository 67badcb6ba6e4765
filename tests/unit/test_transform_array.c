/*
 * test_transform_array.c - arrays that reach their store through layers
 *
 * The layers are those of a document, of a program that registered one, and of a handle.
 */
#include <stdio.h>
#include <stdlib.h>
#include <zinc/extend.h>
#include <zinc/tool.h>

#include "array/array.h"
#include "support/nodes.h"
#include "support/sweep.h"
#include "support/slots.h"
#include "support/test.h"

enum { ROWS = 13, COLUMNS = 10 };

#define DOCUMENT(transformers)                                                                                         \
	"{\"zarr_format\": 3, \"node_type\": \"array\", \"shape\": [13, 10], \"data_type\": \"uint16\", "              \
	"\"chunk_grid\": {\"name\": \"regular\", \"configuration\": {\"chunk_shape\": [2, 3]}}, "                      \
	"\"chunk_key_encoding\": {\"name\": \"default\"}, \"fill_value\": 9, \"codecs\": [{\"name\": \"bytes\", "      \
	"\"configuration\": {\"endian\": \"little\"}}, \"crc32c\"], \"storage_transformers\": [" transformers "]}"
#define INDEXED(rows, columns)                                                                                         \
	"{\"name\": \"indexed\", \"configuration\": {\"chunks_per_shard\": [" #rows ", " #columns "]}}"
#define URI                                                                                                            \
	"{\"name\": \"http://purl.org/zarr/spec/extensions/storage-transformers/sharding/1.7\", \"configuration\": "   \
	"{\"chunks_per_shard\": [2, 2]}}"
#define IGNORABLE "{\"name\": \"unheard.of\", \"must_understand\": false}"

/* ---- a transformer of the test's own: it names chunks otherwise, "<prefix>x/c/0/1" ---- */

typedef struct moved {
	zinc_store *next, *within;
	char *prefix;
} moved;

static zinc_store *
where(const moved *m, const char **key)
{
	const size_t n = strlen(m->prefix);

	if (strncmp(*key, m->prefix, n) != 0 || strncmp(*key + n, "c/", 2) != 0)
		return m->next;
	*key += n;
	return m->within;
}

static void
moved_close(void *self)
{
	moved *m = (moved *)self;

	zinc_store_close(m->within);
	zinc_store_close(m->next);
	free(m->prefix);
	free(m);
}

static void
moved_caps(void *self, zinc_caps *out)
{
	zinc_store_caps(((moved *)self)->next, out);
	out->flags &= ~ZINC_CAP_UPDATE;
}

typedef struct one {
	const zinc_sink *sink;
	size_t i;
} one;

static zinc_room
one_room(void *arg, size_t i, uint64_t nbytes, void **buf)
{
	const one *o = (const one *)arg;

	(void)i;
	return o->sink->room(o->sink->arg, o->i, nbytes, buf);
}

static void
one_done(void *arg, size_t i, const zinc_got *got)
{
	const one *o = (const one *)arg;

	(void)i;
	o->sink->done(o->sink->arg, o->i, got);
}

static zinc_status
moved_get(void *self, const zinc_get *requests, size_t n, const zinc_sink *sink, const zinc_wait *wait, zinc_error *err)
{
	size_t i;

	for (i = 0; i < n; i++) {
		zinc_get r = requests[i];
		zinc_store *s = where((moved *)self, &r.key);
		one o = {sink, i};
		zinc_sink mine = {sizeof mine, one_room, one_done, &o};

		ZINC_TRY(zinc_store_get(s, &r, 1, &mine, wait, err));
	}
	return ZINC_OK;
}

static zinc_status
moved_put_one(void *self, zinc_put_group *group, const char *key, const struct iovec *iov, int niov,
	      const zinc_condition *when, uint32_t flags, zinc_tag *tag, const zinc_wait *wait, zinc_error *err)
{
	zinc_store *s = where((moved *)self, &key);

	assert_null(group);
	return zinc_store_putv(s, NULL, key, iov, niov, when, flags, tag, wait, err);
}

PUT_SLOT(moved_put, moved_put_one)

static zinc_status
moved_del_one(void *self, zinc_put_group *group, const char *key, const zinc_condition *when, uint32_t flags,
	      const zinc_wait *wait, zinc_error *err)
{
	zinc_store *s = where((moved *)self, &key);

	assert_null(group);
	return zinc_store_del(s, NULL, key, when, flags, wait, err);
}

DEL_SLOT(moved_del, moved_del_one)

typedef struct named {
	const moved *m;
	zinc_key_fn fn;
	void *arg;
} named;

static int
named_key(void *arg, const char *key, uint64_t nbytes)
{
	const named *n = (const named *)arg;
	char whole[200];

	snprintf(whole, sizeof whole, "%s%s", n->m->prefix, key);
	return n->fn(n->arg, whole, nbytes);
}

static zinc_status
moved_list(void *self, const char *prefix, zinc_key_fn fn, void *arg, const zinc_wait *wait, zinc_error *err)
{
	moved *m = (moved *)self;
	named n = {m, fn, arg};

	return strcmp(prefix, m->prefix) == 0 ? zinc_store_list(m->within, "", named_key, &n, wait, err) : ZINC_OK;
}

static const zinc_store_ops moved_ops = {
    .size = sizeof moved_ops,
    .name = "moved",
    .close = moved_close,
    .caps = moved_caps,
    .get = moved_get,
    .put = moved_put,
    .del = moved_del,
    .list = moved_list,
};

static zinc_status
moved_open(zinc_store **out, const char *configuration, const zinc_transformer_input *in, zinc_error *err)
{
	moved *m;
	char within[200];
	zinc_status st;

	if (configuration && strstr(configuration, "refuse"))
		return zinc_error_set(err, ZINC_E_INVALID, "not today");
	assert_int_equal(in->ndim, 2);
	assert_int_equal(in->shape[0], ROWS);
	assert_int_equal(in->chunk_shape[1], 3);
	assert_int_equal(in->grid_shape[0], 7);
	assert_string_equal(in->dtype, "uint16");
	assert_int_equal(*(const uint16_t *)in->fill, 9);
	m = (moved *)calloc(1, sizeof *m);
	m->prefix = strdup(in->prefix);
	snprintf(within, sizeof within, "%sx/", in->prefix);
	st = zinc_store_prefix(&m->within, in->next, within, err);
	if (st == ZINC_OK) {
		m->next = zinc_store_ref(in->next);
		st = zinc_store_wrap(out, in->context, &moved_ops, m, "moved:", err);
	}
	if (st != ZINC_OK)
		moved_close(m);
	return st;
}

static const char *const moved_uris[] = {"https://example.com/moved/2.0", NULL};
static const zinc_transformer_def moved_def = {sizeof moved_def, "test.moved", moved_uris, "keys moved", moved_open};

/* ---- helpers ---- */

static zinc_array *
make(forest *f, const char *document)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_array *a = NULL;

	assert_ok(
	    zinc_array_create(&a, f->h, "a", ZINC_ARRAY_OPTIONS(.document = document, .overwrite = ZINC_FORCE), &err));
	return a;
}

static void
write_all(zinc_array *a, uint16_t *v)
{
	zinc_error err = ZINC_ERROR_INIT;
	size_t i;

	for (i = 0; i < ROWS * COLUMNS; i++)
		v[i] = (uint16_t)(i * 7 + 1);
	assert_ok(zinc_array_write_text(a, NULL, ZINC_BUFFER(v, ROWS * COLUMNS * sizeof *v), NULL, &err));
}

static void
assert_all(zinc_array *a, const uint16_t *v)
{
	zinc_error err = ZINC_ERROR_INIT;
	uint16_t got[ROWS * COLUMNS];

	memset(got, 0, sizeof got);
	assert_ok(zinc_array_read_text(a, NULL, ZINC_BUFFER(got, sizeof got), NULL, &err));
	assert_memory_equal(got, v, sizeof got);
}

static int
count_finding(void *arg, const zinc_finding *found)
{
	char *text = (char *)arg;

	snprintf(text, 300, "%s %s %s", found->rule, found->key, found->message);
	return 0;
}

static zinc_validate_counts
validate(forest *f, char *text)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_validate_counts n = ZINC_VALIDATE_COUNTS_INIT;
	char url[200];

	text[0] = '\0';
	snprintf(url, sizeof url, "%s/a", zinc_store_url(f->memory));
	assert_ok(zinc_validate(url, ZINC_VALIDATE_OPTIONS(.context = f->ctx), count_finding, text, &n, &err));
	return n;
}

/* ---- tests ---- */

static const char *const documents[] = {
    DOCUMENT(""),
    DOCUMENT(INDEXED(2, 2)),
    DOCUMENT(INDEXED(1, 1)),
    DOCUMENT(INDEXED(2, 2) ", " INDEXED(3, 1)),
    DOCUMENT(URI),
    DOCUMENT("{\"name\": \"indexed\", \"configuration\": {\"chunks_per_shard\": [2, 2], \"order\": \"C\"}}"),
    DOCUMENT("\"test.moved\""),
    DOCUMENT(INDEXED(4, 4) ", \"test.moved\""),
    DOCUMENT("{\"name\": \"https://example.com/moved/2.3\"}"),
    DOCUMENT(IGNORABLE ", " INDEXED(2, 3) ", " IGNORABLE),
};

/* The same elements, with any layers in between (22-125+); also by a handle that was opened after they were written:
 * the layers have no state of their own (22-124+). */
static void
test_elements(void **state)
{
	uint16_t v[ROWS * COLUMNS], part[3][4], *p = &part[0][0];
	zinc_error err = ZINC_ERROR_INIT;
	zinc_array *a;
	forest f;
	size_t i, r, c;

	(void)state;
	forest_open(&f, "", 0);
	for (i = 0; i < COUNT(documents); i++) {
		a = make(&f, documents[i]);
		memset(v, 0, sizeof v);
		for (r = 0; r < ROWS * COLUMNS; r++)
			v[r] = 9;
		assert_all(a, v); /* nothing stored: fill value */
		write_all(a, v);
		assert_all(a, v);
		for (r = 0; r < 3; r++)
			for (c = 0; c < 4; c++)
				v[(r + 5) * COLUMNS + c + 4] = part[r][c] = (uint16_t)(1000 + r * 4 + c);
		assert_ok(zinc_array_write_text(a, "5:8, 4:8", ZINC_BUFFER(p, sizeof part), NULL, &err));
		assert_all(a, v);
		memset(part, 0, sizeof part);
		assert_ok(zinc_array_read_text(a, "5:8, 4:8", ZINC_BUFFER(p, sizeof part), NULL, &err));
		assert_int_equal(part[2][3], 1011);
		zinc_array_close(a);
		assert_ok(zinc_array_open(&a, f.h, "a", NULL, &err)); /* and by another handle */
		assert_all(a, v);
		zinc_array_close(a);
	}
	forest_close(&f);
}

static void
test_what_is_stored(void **state)
{
	uint16_t v[ROWS * COLUMNS];
	zinc_array *a;
	forest f;

	(void)state;
	forest_open(&f, "", 0);
	a = make(&f, DOCUMENT(INDEXED(4, 2)));
	write_all(a, v);
	assert_string_equal(forest_keys(&f), "a/c/0/0 a/c/0/1 a/c/1/0 a/c/1/1 a/zarr.json zarr.json");
	zinc_array_close(a);
	a = make(&f, DOCUMENT(INDEXED(4, 2) ", \"test.moved\""));
	write_all(a, v);
	assert_string_equal(forest_keys(&f), "a/x/c/0/0 a/x/c/0/1 a/x/c/1/0 a/x/c/1/1 a/zarr.json zarr.json");
	zinc_array_close(a);
	forest_close(&f);
}

/* Chunks by themselves, their sizes, and a shape that changes: all as in the array. */
static void
test_chunks_and_shapes(void **state)
{
	static const uint64_t at[] = {6, 3}, smaller[] = {5, 10}, outside[] = {9, 9};
	uint16_t v[ROWS * COLUMNS], few[5 * COLUMNS];
	zinc_error err = ZINC_ERROR_INIT;
	zinc_blob b = ZINC_BLOB_INIT;
	zinc_stored s = ZINC_STORED_INIT;
	zinc_array *a;
	forest f;
	size_t i;

	(void)state;
	forest_open(&f, "", 0);
	for (i = 0; i < COUNT(documents); i++) {
		if (strstr(documents[i], "moved"))
			continue; /* asserts its shape */
		a = make(&f, documents[i]);
		write_all(a, v);
		assert_ok(zinc_array_stored(a, &s, NULL, &err));
		assert_int_equal(s.objects, 7 * 4);
		assert_int_equal(s.bytes, 7 * 4 * 16); /* 2 * 3 * 2 and a checksum */
		assert_ok(zinc_array_chunk_get(a, at, &b, NULL, &err));
		assert_int_equal(b.nbytes, 16);
		assert_ok(zinc_array_chunk_put(a, at, NULL, 0, NULL, &err));
		v[12 * COLUMNS + 9] = 9;
		assert_all(a, v);
		assert_ok(zinc_array_chunk_put(a, at, b.data, b.nbytes, NULL, &err));
		v[12 * COLUMNS + 9] = (uint16_t)((12 * COLUMNS + 9) * 7 + 1);
		assert_all(a, v);
		zinc_blob_fini(&b);
		assert_int_equal(zinc_array_chunk_get(a, outside, &b, NULL, &err), ZINC_E_RANGE);
		assert_ok(zinc_array_resize(a, smaller, NULL, &err));
		assert_ok(zinc_array_stored(a, &s, NULL, &err));
		assert_int_equal(s.objects, 3 * 4);
		assert_ok(zinc_array_read_text(a, NULL, ZINC_BUFFER(few, sizeof few), NULL, &err));
		assert_memory_equal(few, v, sizeof few);
		assert_ok(zinc_array_refresh(a, NULL, &err));
		zinc_array_close(a);
	}
	forest_close(&f);
}

static void
test_validate(void **state)
{
	uint16_t v[ROWS * COLUMNS];
	zinc_error err = ZINC_ERROR_INIT;
	zinc_validate_counts n = ZINC_VALIDATE_COUNTS_INIT;
	char text[300];
	zinc_array *a;
	forest f;
	size_t i;

	(void)state;
	forest_open(&f, "", 0);
	for (i = 0; i < COUNT(documents); i++) {
		a = make(&f, documents[i]);
		write_all(a, v);
		zinc_array_close(a);
		n = validate(&f, text);
		assert_string_equal(text, "");
		assert_int_equal(n.errors + n.warnings + n.unsupported, 0);
		assert_int_equal(n.objects, 7 * 4);
	}
	a = make(&f, DOCUMENT(INDEXED(2, 2)));
	write_all(a, v);
	zinc_array_close(a);
	forest_put(&f, "a/c/1/1", "no shard");
	n = validate(&f, text);
	assert_int_equal(n.errors, 1);
	assert_non_null(strstr(text, "c/1/1"));
	a = make(&f, DOCUMENT(INDEXED(1, 1)));
	write_all(a, v);
	assert_ok(
	    zinc_array_chunk_put(a, (uint64_t[]){1, 1}, "0123456789abcdef", 16, NULL, &err)); /* a wrong checksum */
	zinc_array_close(a);
	n = validate(&f, text);
	assert_int_equal(n.errors, 1);
	assert_non_null(strstr(text, "c/1/1"));
	forest_close(&f);
}

/* A chunk outside the shape is erased out of its shard, and nothing else with it. */
static void
test_repair(void **state)
{
	uint16_t v[ROWS * COLUMNS];
	zinc_error err = ZINC_ERROR_INIT;
	zinc_validate_options o = ZINC_VALIDATE_OPTIONS_INIT;
	zinc_validate_counts n = ZINC_VALIDATE_COUNTS_INIT;
	char url[200], text[300];
	zinc_array *a;
	forest f;

	(void)state;
	forest_open(&f, "", 0);
	a = make(&f, DOCUMENT(INDEXED(3, 3)));
	write_all(a, v);
	assert_ok(zinc_store_put(a->stack->store, NULL, "a/c/7/0", "orphan", 6, NULL, 0, NULL, NULL, &err));
	n = validate(&f, text);
	assert_int_equal(n.warnings, 1);
	o.context = f.ctx;
	o.repair = o.orphans = 1;
	snprintf(url, sizeof url, "%s/a", zinc_store_url(f.memory));
	assert_ok(zinc_validate(url, &o, NULL, NULL, &n, &err));
	assert_int_equal(n.repaired, 1);
	n = validate(&f, text);
	assert_string_equal(text, "");
	assert_all(a, v);
	zinc_array_close(a);
	forest_close(&f);
}

/* Required and unknown: the node opens, and nothing is read or written by keys that may mean another thing. */
static void
test_unknown(void **state)
{
	static const uint64_t at[] = {0, 0};
	uint16_t v[ROWS * COLUMNS];
	zinc_error err = ZINC_ERROR_INIT;
	zinc_validate_counts n = ZINC_VALIDATE_COUNTS_INIT;
	zinc_blob b = ZINC_BLOB_INIT;
	char text[300];
	zinc_array *a;
	forest f;

	(void)state;
	forest_open(&f, "", 0);
	forest_put(&f, "zarr.json", GROUP);
	forest_put(&f, "a/zarr.json", DOCUMENT(INDEXED(2, 2) ", {\"name\": \"https://example.com/moved/3.0\"}"));
	forest_put(&f, "a/c/0/0", "whatever this is");
	assert_ok(zinc_array_open(&a, f.h, "a", NULL, &err));
	assert_non_null(strstr(zinc_array_unsupported(a), "https://example.com/moved/3.0"));
	assert_int_equal(zinc_array_read_text(a, NULL, ZINC_BUFFER(v, sizeof v), NULL, &err), ZINC_E_UNSUPPORTED);
	assert_non_null(strstr(err.text, "https://example.com/moved/3.0"));
	assert_int_equal(zinc_array_write_text(a, NULL, ZINC_BUFFER(v, sizeof v), NULL, &err), ZINC_E_UNSUPPORTED);
	assert_int_equal(zinc_array_chunk_get(a, at, &b, NULL, &err), ZINC_E_UNSUPPORTED);
	assert_int_equal(zinc_array_chunk_put(a, at, "x", 1, NULL, &err), ZINC_E_UNSUPPORTED);
	zinc_array_close(a);
	assert_string_equal(forest_get(&f, "a/c/0/0"), "whatever this is");
	n = validate(&f, text);
	assert_int_equal(n.errors, 0);
	assert_int_equal(n.warnings, 0);
	assert_int_equal(n.unsupported, 1);
	forest_close(&f);
}

static void
test_bad_configurations(void **state)
{
	static const char *const bad[] = {
	    DOCUMENT("\"indexed\""),
	    DOCUMENT("{\"name\": \"indexed\", \"configuration\": {}}"),
	    DOCUMENT("{\"name\": \"indexed\", \"configuration\": {\"chunks_per_shard\": 2}}"),
	    DOCUMENT("{\"name\": \"indexed\", \"configuration\": {\"chunks_per_shard\": [2]}}"),
	    DOCUMENT("{\"name\": \"indexed\", \"configuration\": {\"chunks_per_shard\": [2, 0]}}"),
	    DOCUMENT("{\"name\": \"indexed\", \"configuration\": {\"chunks_per_shard\": [2, 2.5]}}"),
	    DOCUMENT("{\"name\": \"test.moved\", \"configuration\": {\"refuse\": 1}}"),
	};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_array *a = NULL;
	forest f;
	size_t i;

	(void)state;
	forest_open(&f, "", 0);
	forest_put(&f, "zarr.json", GROUP);
	for (i = 0; i < COUNT(bad); i++) {
		forest_put(&f, "a/zarr.json", bad[i]);
		assert_int_equal(zinc_array_open(&a, f.h, "a", NULL, &err), ZINC_E_CORRUPT);
		assert_non_null(strstr(err.text, "storage transformer"));
		assert_null(a);
	}
	forest_close(&f);
}

static void
test_registering(void **state)
{
	static const char *const taken[] = {"https://purl.org/zarr/spec/storage_transformers/sharding/1.9", NULL};
	zinc_transformer_def d = moved_def;
	zinc_error err = ZINC_ERROR_INIT;

	(void)state;
	assert_int_equal(zinc_register_transformer(&d, &err), ZINC_E_EXISTS);
	d.name = "indexed";
	assert_int_equal(zinc_register_transformer(&d, &err), ZINC_E_EXISTS);
	d.name = "test.other";
	assert_int_equal(zinc_register_transformer(&d, &err), ZINC_E_EXISTS); /* its URI is */
	d.uris = taken;
	assert_int_equal(zinc_register_transformer(&d, &err), ZINC_E_EXISTS);
	d.uris = NULL;
	d.open = NULL;
	assert_int_equal(zinc_register_transformer(&d, &err), ZINC_E_INVALID);
	assert_int_equal(zinc_register_transformer(NULL, &err), ZINC_E_INVALID);
}

/* ---- run-time layers (22-126+) ---- */

typedef struct told {
	atomic_int gets, puts;
} told;

static void
tell(void *arg, const char *operation, const char *key, uint64_t nbytes, zinc_status st)
{
	told *t = (told *)arg;

	(void)key, (void)nbytes, (void)st;
	t->gets += strcmp(operation, "get") == 0;
	t->puts += strcmp(operation, "put") == 0 || strcmp(operation, "update") == 0;
}

static void
test_run_time_layers(void **state)
{
	told above = {0, 0}, below = {0, 0};
	const zinc_layer_log_options logs[] = {{sizeof *logs, tell, &above}, {sizeof *logs, tell, &below}};
	const zinc_layer_cache_options kept = {sizeof kept, 1 << 20, 1};
	const zinc_layer layers[] = {{zinc_layer_log, &logs[0]}, {zinc_layer_cache, &kept}, {zinc_layer_log, &logs[1]}};
	static const uint64_t smaller[] = {12, 10};
	uint16_t v[ROWS * COLUMNS];
	zinc_error err = ZINC_ERROR_INIT;
	zinc_array *a;
	char was[8192];
	forest f;

	(void)state;
	forest_open(&f, "", 0);
	a = make(&f, DOCUMENT(INDEXED(2, 2)));
	snprintf(was, sizeof was, "%s", forest_get(&f, "a/zarr.json"));
	assert_ok(zinc_array_stack(a, ZINC_STACK_OPTIONS(.layers = layers, .nlayers = 3), &err));
	write_all(a, v);
	assert_true(above.puts > 0);
	assert_all(a, v);
	assert_int_equal(above.gets, below.gets);
	above.gets = below.gets = 0;
	assert_all(a, v); /* everything is kept now */
	assert_true(above.gets > 0);
	assert_int_equal(below.gets, 0);
	v[0] = 4711;
	assert_ok(zinc_array_write_text(a, "0, 0", ZINC_BUFFER(&v[0], 2), NULL, &err));
	assert_all(a, v);
	assert_ok(zinc_array_resize(a, smaller, NULL, &err)); /* layers made again */
	above.gets = below.gets = 0;
	assert_ok(zinc_array_read_text(a, "0, 0", ZINC_BUFFER(&v[1], 2), NULL, &err));
	assert_int_equal(v[1], 4711);
	assert_int_equal(below.gets, above.gets);
	assert_ok(zinc_array_stack(a, NULL, &err)); /* none again */
	above.gets = 0;
	assert_ok(zinc_array_read_text(a, "0, 0", ZINC_BUFFER(&v[1], 2), NULL, &err));
	assert_int_equal(above.gets, 0);
	assert_null(strstr(forest_get(&f, "a/zarr.json"), "cache")); /* no document records them */
	assert_null(strstr(forest_get(&f, "a/zarr.json"), "log"));
	zinc_array_close(a);
	forest_close(&f);
}

static void
test_run_time_order(void **state)
{
	uint16_t v[ROWS * COLUMNS], w;
	zinc_error err = ZINC_ERROR_INIT;
	zinc_blob rows = ZINC_BLOB_INIT, morton = ZINC_BLOB_INIT, append = ZINC_BLOB_INIT;
	zinc_array *a;
	forest f;

	(void)state;
	forest_open(&f, "", 0);
	a = make(&f, DOCUMENT(INDEXED(4, 4)));
	write_all(a, v);
	assert_ok(zinc_store_get_all(f.memory, "a/c/0/0", &rows, NULL, 0, NULL, &err));
	assert_ok(zinc_array_stack(a, ZINC_STACK_OPTIONS(.shard_order = ZINC_SHARD_MORTON), &err));
	write_all(a, v);
	assert_ok(zinc_store_get_all(f.memory, "a/c/0/0", &morton, NULL, 0, NULL, &err));
	assert_int_equal(rows.nbytes, morton.nbytes);
	assert_memory_not_equal(rows.data, morton.data, rows.nbytes);
	assert_memory_equal(rows.data, morton.data, 32); /* (0, 0) and (0, 1) are first in both */
	assert_ok(zinc_array_stack(a, ZINC_STACK_OPTIONS(.shard_order = ZINC_SHARD_APPEND), &err));
	w = v[0] = 5;
	assert_ok(zinc_array_write_text(a, "0, 0", ZINC_BUFFER(&w, 2), NULL, &err));
	assert_ok(zinc_store_get_all(f.memory, "a/c/0/0", &append, NULL, 0, NULL, &err));
	assert_int_equal(append.nbytes, morton.nbytes + 16 + 256);
	assert_memory_equal(append.data, morton.data, morton.nbytes);
	assert_all(a, v);
	assert_int_equal(zinc_array_stack(a, ZINC_STACK_OPTIONS(.shard_order = 9), &err), ZINC_E_INVALID);
	assert_int_equal(zinc_array_stack(a, ZINC_STACK_OPTIONS(.nlayers = 1), &err), ZINC_E_INVALID);
	assert_int_equal(zinc_array_stack(NULL, NULL, &err), ZINC_E_INVALID);
	assert_all(a, v); /* the old ones stay */
	zinc_blob_fini(&rows);
	zinc_blob_fini(&morton);
	zinc_blob_fini(&append);
	zinc_array_close(a);
	forest_close(&f);
}

/* ---- memory ---- */

static zinc_status
use(zinc_hierarchy *h, zinc_error *err)
{
	static const zinc_layer_cache_options kept = {sizeof kept, 1 << 20, 0};
	static const zinc_layer layers[] = {{zinc_layer_cache, &kept}, {zinc_layer_log, NULL}};
	static const uint64_t smaller[] = {5, 10};
	uint16_t v[16] = {1, 2, 3};
	zinc_array *a = NULL;
	zinc_status st;

	ZINC_TRY(zinc_array_create(&a, h, "a",
				   ZINC_ARRAY_OPTIONS(.document = DOCUMENT(INDEXED(2, 2) ", " INDEXED(2, 1))), err));
	st = zinc_array_stack(a, ZINC_STACK_OPTIONS(.layers = layers, .nlayers = 2), err);
	if (st == ZINC_OK)
		st = zinc_array_write_text(a, "1:5, 1:5", ZINC_BUFFER(v, sizeof v), NULL, err);
	if (st == ZINC_OK)
		st = zinc_array_read_text(a, "1:5, 1:5", ZINC_BUFFER(v, sizeof v), NULL, err);
	if (st == ZINC_OK)
		st = zinc_array_read_text(a, "1:5, 1:5", ZINC_BUFFER(v, sizeof v), NULL, err);
	if (st == ZINC_OK)
		st = zinc_array_resize(a, smaller, NULL, err);
	zinc_array_close(a);
	return st;
}

static zinc_status
use_arrays(void *arg, zinc_context *ctx, zinc_error *err)
{
	zinc_hierarchy *h = NULL;
	zinc_status st;

	(void)arg;
	ZINC_TRY(zinc_hierarchy_open_url(&h, "memory://",
					 ZINC_OPEN_OPTIONS(.context = ctx, .create = 1, .format = "v3"), err));
	st = use(h, err);
	zinc_hierarchy_close(h);
	return st;
}

static void
test_memory_runs_out(void **state)
{
	(void)state;
	sweep_alloc(use_arrays, NULL);
}

static int
set_up(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;

	(void)state;
	assert_ok(zinc_register_transformer(&moved_def, &err));
	return 0;
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_elements),
	    cmocka_unit_test(test_what_is_stored),
	    cmocka_unit_test(test_chunks_and_shapes),
	    cmocka_unit_test(test_validate),
	    cmocka_unit_test(test_repair),
	    cmocka_unit_test(test_unknown),
	    cmocka_unit_test(test_bad_configurations),
	    cmocka_unit_test(test_registering),
	    cmocka_unit_test(test_run_time_layers),
	    cmocka_unit_test(test_run_time_order),
	    cmocka_unit_test(test_memory_runs_out),
	};

	return cmocka_run_group_tests(tests, set_up, NULL);
}
