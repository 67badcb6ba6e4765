/*
 * test_open_document.c - arrays opened by the text of a document that the program has
 *
 * (1) Opening reads nothing; elements are read and written as with the stored document.
 * (2) The store needs no document, and one that it has does not matter.
 * (3) A document that is not that of an array is refused, naming the node.
 * (4) Every version of Zarr, and no memory.
 */
#include <string.h>
#include <zinc/store.h>

#include "support/sweep.h"
#include "support/test.h"

static const char v3[] = "{\"zarr_format\":3,\"node_type\":\"array\",\"shape\":[5],\"data_type\":\"int16\","
			 "\"chunk_grid\":{\"name\":\"regular\",\"configuration\":{\"chunk_shape\":[2]}},"
			 "\"chunk_key_encoding\":{\"name\":\"default\"},\"fill_value\":7,"
			 "\"codecs\":[{\"name\":\"bytes\",\"configuration\":{\"endian\":\"little\"}}]}";
static const char v2[] = "{\"zarr_format\":2,\"shape\":[5],\"chunks\":[2],\"dtype\":\"<i2\",\"compressor\":null,"
			 "\"filters\":null,\"fill_value\":7,\"order\":\"C\"}";
static const char group[] = "{\"zarr_format\":3,\"node_type\":\"group\"}";

/* A hierarchy in a new store that counts. */
struct rig {
	zinc_context *ctx;
	zinc_store *log;
	zinc_hierarchy *h;
};

static zinc_status
rig_open(struct rig *r, zinc_context *ctx, const char *format, zinc_error *err)
{
	zinc_store *memory = NULL;
	zinc_status st;

	*r = (struct rig){.ctx = ctx};
	st = zinc_store_open(&memory, "memory://", ZINC_STORE_OPTIONS(.context = ctx), err);
	if (st == ZINC_OK)
		st = zinc_store_log(&r->log, memory, NULL, NULL, err);
	if (st == ZINC_OK)
		st = zinc_hierarchy_open(&r->h, r->log, "",
					 ZINC_OPEN_OPTIONS(.context = ctx, .format = format, .create = 1), err);
	zinc_store_close(memory);
	return st;
}

static void
rig_close(struct rig *r)
{
	zinc_hierarchy_close(r->h);
	zinc_store_close(r->log);
}

static void
write_and_read(const char *format, const char *document, const char *first_key)
{
	int16_t in[5] = {1, 2, 3, 4, 5}, out[5];
	zinc_store_counts counts = ZINC_STORE_COUNTS_INIT;
	zinc_error err = ZINC_ERROR_INIT;
	zinc_blob chunk = ZINC_BLOB_INIT;
	zinc_array *a = NULL;
	struct rig r;

	assert_ok(rig_open(&r, NULL, format, &err));
	zinc_store_log_counts(r.log, &counts);
	const uint64_t before = counts.get_requests + counts.list_calls;
	assert_ok(zinc_array_open_document(&a, r.h, "/x", document, &err));
	zinc_store_log_counts(r.log, &counts);
	assert_int_equal(counts.get_requests + counts.list_calls, before);
	assert_string_equal(zinc_array_path(a), "/x");
	assert_ok(zinc_array_read_text(a, "", ZINC_BUFFER(out, sizeof out), NULL, &err));
	assert_int_equal(out[4], 7);
	assert_ok(zinc_array_write_text(a, "", ZINC_BUFFER(in, sizeof in), NULL, &err));
	assert_ok(zinc_array_read_text(a, "", ZINC_BUFFER(out, sizeof out), NULL, &err));
	assert_memory_equal(in, out, sizeof in);
	assert_ok(zinc_store_get_all(r.log, first_key, &chunk, NULL, 0, NULL, &err));
	assert_int_equal(chunk.nbytes, 4);
	zinc_blob_fini(&chunk);
	zinc_array_close(a);
	rig_close(&r);
}

static void
nothing_is_read(void **state)
{
	(void)state;
	write_and_read("v3", v3, "x/c/0");
	write_and_read("v2", v2, "x/0");
}

static void
another_document_is_stored(void **state)
{
	const uint64_t shape[] = {100};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_array *a = NULL;
	struct rig r;

	(void)state;
	assert_ok(rig_open(&r, NULL, "v3", &err));
	assert_ok(
	    zinc_array_create(&a, r.h, "/x", ZINC_ARRAY_OPTIONS(.ndim = 1, .shape = shape, .dtype = "float64"), &err));
	zinc_array_close(a);
	assert_ok(zinc_array_open_document(&a, r.h, "/x", v3, &err));
	assert_int_equal(zinc_array_shape(a)[0], 5);
	assert_ok(zinc_array_refresh(a, NULL, &err));
	assert_int_equal(zinc_array_shape(a)[0], 100);
	zinc_array_close(a);
	rig_close(&r);
}

static void
refused(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_array *a = NULL;
	struct rig r;

	(void)state;
	assert_ok(rig_open(&r, NULL, "v3", &err));
	assert_int_equal(zinc_array_open_document(&a, r.h, "/x", group, &err), ZINC_E_NOTFOUND);
	assert_non_null(strstr(err.text, "group"));
	assert_int_equal(zinc_array_open_document(&a, r.h, "/x", "{", &err), ZINC_E_CORRUPT);
	assert_non_null(strstr(err.url, "/x"));
	assert_int_equal(zinc_array_open_document(&a, r.h, "/x", v2, &err), ZINC_E_CORRUPT);
	assert_null(a);
	rig_close(&r);
}

static zinc_status
open_one(void *arg, zinc_context *ctx, zinc_error *err)
{
	zinc_array *a = NULL;
	struct rig r;
	zinc_status st = rig_open(&r, ctx, "v3", err);

	(void)arg;
	if (st == ZINC_OK)
		st = zinc_array_open_document(&a, r.h, "/x", v3, err);
	zinc_array_close(a);
	rig_close(&r);
	return st;
}

static void
memory_may_be_out(void **state)
{
	(void)state;
	assert_true(sweep_alloc(open_one, NULL) > 10);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(nothing_is_read),
	    cmocka_unit_test(another_document_is_stored),
	    cmocka_unit_test(refused),
	    cmocka_unit_test(memory_may_be_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
