/*
 * test_grid_bounded.c - chunks that are cut at the array's end
 */
#include <string.h>

#include "grid/grid.h"
#include "support/arrays.h"
#include "support/findings.h"
#include "support/test.h"

#define BOUNDED(shape) "{\"name\":\"zarrs.regular_bounded\",\"configuration\":{\"chunk_shape\":" shape "}}"

static zinc_status
parse(zinc_grid **out, const char *json, int ndim, const uint64_t *shape, findings *s)
{
	zinc_json_doc *doc = json_of(json);
	zinc_report r;
	zinc_status st;

	*out = NULL;
	findings_begin(s, &r, true);
	st = zinc_grid_parse(out, NULL, zinc_json_root(doc), ndim, shape, &r, NULL);
	zinc_json_free(doc);
	return st;
}

static void
the_grid(void **state)
{
	static const uint64_t shape[] = {10, 8, 3, 0};
	static const struct {
		uint64_t count, last_start, last_extent, widest;
		bool divided; /* by 2 */
	} rows[] = {{3, 8, 2, 4, true}, {2, 4, 4, 4, true}, {1, 0, 3, 3, false}, {0, 0, 0, 4, true}};
	zinc_json_doc *doc = json_new();
	zinc_grid *g;
	findings s;
	int d;

	(void)state;
	assert_int_equal(parse(&g, BOUNDED("[4,4,4,4]"), 4, shape, &s), ZINC_OK);
	for (d = 0; d < 4; d++) {
		uint64_t start, extent;

		assert_true(zinc_grid_count(g, d, shape[d]) == rows[d].count);
		assert_true(zinc_grid_widest(g, d) == rows[d].widest);
		assert_int_equal(zinc_grid_divides(g, d, 2), rows[d].divided);
		if (rows[d].count == 0)
			continue;
		zinc_grid_span(g, d, rows[d].count - 1, &start, &extent);
		assert_true(start == rows[d].last_start && extent == rows[d].last_extent);
		assert_true(zinc_grid_chunk_of(g, d, shape[d] - 1) == rows[d].count - 1);
	}
	assert_false(zinc_grid_divides(g, 1, 3));
	assert_string_equal(json_line(zinc_grid_print(g, doc), doc), BOUNDED("[4,4,4,4]"));
	zinc_grid_free(g);
}

static void
documents(void **state)
{
	static const struct {
		const char *json, *rule;
	} rows[] = {{BOUNDED("[0]"), "M40"},
		    {BOUNDED("[2.5]"), "M40"},
		    {BOUNDED("[1,1]"), "M39"},
		    {BOUNDED("4"), "M38"},
		    {"\"zarrs.regular_bounded\"", "M14"}};
	const uint64_t shape = 10;
	zinc_grid *g;
	findings s;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		assert_int_equal(parse(&g, rows[i].json, 1, &shape, &s), ZINC_E_CORRUPT);
		assert_string_equal(s.rule, rows[i].rule);
	}
}

/* (1), and the last chunk has the bytes of what is left. */
static void
an_array(void **state)
{
	static const char document[] =
	    "{\"zarr_format\": 3, \"node_type\": \"array\", \"shape\": [10], \"data_type\": \"uint16\", "
	    "\"fill_value\": 0, \"chunk_grid\": " BOUNDED(
		"[4]") ", \"chunk_key_encoding\": {\"name\": \"default\"}, "
		       "\"codecs\": [{\"name\": \"bytes\", \"configuration\": {\"endian\": \"little\"}}]}";
	static const uint64_t longer = 12, last = 2;
	zinc_error err = ZINC_ERROR_INIT;
	zinc_blob blob = ZINC_BLOB_INIT;
	uint16_t v[10], x[10];
	zinc_array *a;
	uint64_t at;
	stage s;
	int i;

	(void)state;
	stage_open(&s, 1, 0);
	assert_ok(zinc_array_create(&a, s.h, "a", ZINC_ARRAY_OPTIONS(.document = document), &err));
	for (i = 0; i < 10; i++)
		v[i] = (uint16_t)(i + 1);
	assert_ok(zinc_array_write_text(a, "", ZINC_BUFFER(v, sizeof v), NULL, &err));
	assert_ok(zinc_array_chunk_get(a, &last, &blob, NULL, &err));
	assert_int_equal(blob.nbytes, 4);
	zinc_blob_fini(&blob);
	assert_ok(zinc_array_read_text(a, "", ZINC_BUFFER(x, sizeof x), NULL, &err));
	assert_memory_equal(x, v, sizeof v);
	assert_int_equal(zinc_array_resize(a, &longer, NULL, &err), ZINC_E_UNSUPPORTED);
	assert_int_equal(
	    zinc_array_append(
		a, 0,
		&(zinc_buffer){
		    .size = sizeof(zinc_buffer), .data = v, .nbytes = 2, .ndim = 1, .shape = (uint64_t[]){1}},
		NULL, &at, &err),
	    ZINC_E_UNSUPPORTED);
	assert_true(zinc_array_shape(a)[0] == 10);
	assert_int_equal(zinc_array_grid_regular(a), 0);
	zinc_array_close(a);
	stage_close(&s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(the_grid), cmocka_unit_test(documents),
					   cmocka_unit_test(an_array)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
