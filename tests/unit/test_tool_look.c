/* test_tool_look.c - stored objects, reading of JSON, lists */
#include <stdio.h>
#include <string.h>
#include <zinc/tool.h>

#include "nodes.h"
#include "test.h"

/* ---- zinc_array_stored ---- */

static zinc_stored
stored(forest *f, const char *document)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_array *a = NULL;
	zinc_stored s = ZINC_STORED_INIT;

	forest_put(f, "a/zarr.json", document);
	assert_ok(zinc_array_open(&a, f->h, "a", NULL, &err));
	assert_ok(zinc_array_stored(a, &s, NULL, &err));
	zinc_array_close(a);
	return s;
}

static void
test_stored(void **state)
{
	static const char huge[] =
	    "{\"zarr_format\": 3, \"node_type\": \"array\", \"shape\": [9223372036854775807, 9], "
	    "\"data_type\": \"int8\", \"chunk_grid\": {\"name\": \"regular\", \"configuration\": "
	    "{\"chunk_shape\": [1, 1]}}, \"chunk_key_encoding\": {\"name\": \"default\"}, "
	    "\"fill_value\": 0, \"codecs\": [{\"name\": \"bytes\"}]}";
	zinc_error err = ZINC_ERROR_INIT;
	zinc_array *a = NULL;
	zinc_stored s = ZINC_STORED_INIT;
	forest f;

	(void)state;
	forest_open(&f, "", ZINC_LENIENT);
	forest_put(&f, "zarr.json", GROUP);
	s = stored(&f, ARRAY);
	assert_int_equal(s.objects, 0);
	assert_int_equal(s.objects_total, 2);
	assert_int_equal(s.bytes, 0);
	forest_put(&f, "a/c/1", "abcd");
	forest_put(&f, "a/c/2", "outside the array");
	forest_put(&f, "a/c/x", "no chunk");
	s = stored(&f, ARRAY);
	assert_int_equal(s.objects, 1);
	assert_int_equal(s.bytes, 4);
	assert_int_equal(s.decoded_bytes, 4);
	s = stored(&f, huge);
	assert_true(s.objects_total == UINT64_MAX);

	forest_put(&f, "a/zarr.json", ARRAY_WITH(", \"unheard_of\": 1"));
	assert_ok(zinc_array_open(&a, f.h, "a", NULL, &err));
	assert_ok(zinc_array_stored(a, &s, NULL, &err)); /* keys are understood: they can be counted */
	zinc_array_close(a);
	forest_put(&f, "a/zarr.json", ARRAY_WITH(", \"storage_transformers\": [\"unheard_of\"]"));
	assert_ok(zinc_array_open(&a, f.h, "a", NULL, &err));
	assert_int_equal(zinc_array_stored(a, &s, NULL, &err), ZINC_E_UNSUPPORTED); /* whose keys are they? */
	zinc_array_close(a);
	forest_put(&f, "a/zarr.json",
		   "{\"zarr_format\": 3, \"node_type\": \"array\", \"shape\": [4], \"data_type\": \"int8\", "
		   "\"chunk_grid\": {\"name\": \"unheard-of\"}, \"chunk_key_encoding\": \"default\", "
		   "\"fill_value\": 0, \"codecs\": [\"bytes\"]}");
	assert_ok(zinc_array_open(&a, f.h, "a", NULL, &err));
	assert_int_equal(zinc_array_stored(a, &s, NULL, &err), ZINC_E_UNSUPPORTED);
	assert_int_equal(zinc_array_stored(a, NULL, NULL, &err), ZINC_E_INVALID);
	assert_int_equal(zinc_array_stored(NULL, &s, NULL, NULL), ZINC_E_INVALID);
	zinc_array_close(a);
	forest_close(&f);
}

/* ---- zinc_json_each ---- */

struct members {
	char text[512];
	int n, stop_after;
};

static int
take(void *arg, const char *key, const char *json)
{
	struct members *m = arg;
	const size_t n = strlen(m->text);

	snprintf(m->text + n, sizeof m->text - n, "<%s>%s", key ? key : "-", json);
	return ++m->n == m->stop_after;
}

static void
test_json_each(void **state)
{
	static const struct {
		const char *json, *text;
	} rows[] = {
	    {"{ \"a\" : [ 1 , 2 ] , \"b\" : \"x\\ny\" , \"c\" : 18446744073709551616 }",
	     "<a>[1,2]<b>\"x\\ny\"<c>18446744073709551616"},
	    {"[1.50, null, {}]", "<->1.50<->null<->{}"},
	    {"{}", ""},
	    {"[]", ""},
	    {"3", ""},
	    {"\"text\"", ""},
	};
	static const char *const bad[] = {"", "{", "text", "{a: 1}", "[1,]", "1 2", "NaN"};
	zinc_error err = ZINC_ERROR_INIT;
	struct members m;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		memset(&m, 0, sizeof m);
		assert_ok(zinc_json_each(NULL, rows[i].json, take, &m, &err));
		assert_string_equal(m.text, rows[i].text);
		assert_ok(zinc_json_each(NULL, rows[i].json, NULL, NULL, &err));
	}
	memset(&m, 0, sizeof m);
	m.stop_after = 2;
	assert_ok(zinc_json_each(NULL, "[1,2,3]", take, &m, &err));
	assert_int_equal(m.n, 2);
	for (i = 0; i < COUNT(bad); i++) {
		assert_int_equal(zinc_json_each(NULL, bad[i], take, &m, &err), ZINC_E_INVALID);
		assert_int_equal(err.code, ZINC_E_INVALID);
		assert_int_equal(zinc_json_each(NULL, bad[i], take, &m, NULL), ZINC_E_INVALID);
	}
	assert_int_equal(zinc_json_each(NULL, NULL, take, &m, &err), ZINC_E_INVALID);
}

/* ---- lists ---- */

static int
count_row(void *arg, const char *name, const char *also, const char *purpose)
{
	int *n = arg;

	assert_non_null(name);
	assert_non_null(also);
	assert_non_null(purpose);
	++*n;
	return *n < 0;
}

static int
first_only(void *arg, const char *name, const char *also, const char *purpose)
{
	(void)name, (void)also, (void)purpose;
	++*(int *)arg;
	return 1;
}

static void
test_lists(void **state)
{
	int n = 0;

	(void)state;
	zinc_list_formats(count_row, &n);
	assert_true(n >= 1);
	n = 0;
	zinc_list_libraries(count_row, &n);
	assert_true(n >= 4);
	n = 0;
	zinc_list_libraries(first_only, &n);
	assert_int_equal(n, 1);
	n = 0;
	zinc_list_formats(first_only, &n);
	assert_int_equal(n, 1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_stored),
	    cmocka_unit_test(test_json_each),
	    cmocka_unit_test(test_lists),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
