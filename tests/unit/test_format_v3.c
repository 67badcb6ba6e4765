/* test_format_v3.c - keys, detection and reading of version 3, and the table of formats */
#include <string.h>

#include "format/format.h"
#include "nodes.h"
#include "test.h"

/* (1) */
static void
test_names(void **state)
{
	static const struct {
		const char *name, *rule;
	} cases[] = {
	    {"a", NULL},    {"c", NULL},         {"0", NULL},          {".zarray", NULL},      {"_", NULL},
	    {"a b", NULL},  {"Zarr.json", NULL}, {"...a", NULL},       {"\xe6\x97\xa5", NULL}, {"", "M29"},
	    {"a/b", "M30"}, {"/", "M30"},        {".", "M31"},         {"..", "M31"},          {"....", "M31"},
	    {"__", "M32"},  {"__zarr", "M32"},   {"zarr.json", "M33"},
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(cases); i++) {
		zinc_error err = ZINC_ERROR_INIT;
		const zinc_status st =
		    zinc_format_v3.check_name(&zinc_format_v3, cases[i].name, strlen(cases[i].name), &err);

		assert_int_equal(st, cases[i].rule ? ZINC_E_INVALID : ZINC_OK);
		assert_string_equal(err.rule, cases[i].rule ? cases[i].rule : "");
	}
}

static const char *
text_of(zinc_buf *b)
{
	const char *text = zinc_buf_text(b);

	assert_non_null(text);
	b->n = 0;
	return text;
}

static zinc_status
keep(void *arg, const char *prefix, zinc_error *err)
{
	return zinc_buf_puts(arg, prefix, err);
}

static void
test_keys(void **state)
{
	static const uint64_t index[] = {1};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_meta *m = NULL;
	zinc_report r;
	zinc_buf b;
	forest f;

	(void)state;
	forest_open(&f, "p/q", ZINC_LENIENT);
	zinc_buf_init(&b, f.ctx, 1000);
	assert_ok(zinc_node_key(f.h, "/", ZINC_NODE_GROUP, &b, &err));
	assert_string_equal(text_of(&b), "p/q/zarr.json");
	assert_ok(zinc_node_key(f.h, "/foo/bar", ZINC_NODE_ARRAY, &b, &err));
	assert_string_equal(text_of(&b), "p/q/foo/bar/zarr.json");
	assert_ok(zinc_data_prefix(f.h, "/", &b, &err));
	assert_string_equal(text_of(&b), "p/q/");
	assert_ok(zinc_node_prefixes(f.h, "/foo", keep, &b, &err));
	assert_string_equal(text_of(&b), "p/q/foo/");
	forest_put(&f, "p/q/foo/zarr.json", ARRAY);
	zinc_report_init(&r, f.ctx, true, "");
	forest_counts(&f);
	assert_ok(zinc_read_node(f.h, "/foo", &r, &m, &err));
	assert_int_equal(forest_counts(&f).get_requests, 1); /* (2) */
	assert_true(m->tag.n > 0);
	assert_ok(zinc_chunk_key(f.h, "/foo", m, index, &b, &err));
	assert_string_equal(text_of(&b), "p/q/foo/c/1");
	assert_ok(zinc_chunk_key(f.h, "/", m, index, &b, &err));
	assert_string_equal(text_of(&b), "p/q/c/1");
	zinc_meta_free(m);
	zinc_buf_fini(&b);
	forest_close(&f);
}

static void
test_read(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_meta *m = NULL;
	zinc_report r;
	forest f;

	(void)state;
	forest_open(&f, "", ZINC_LENIENT);
	zinc_report_init(&r, f.ctx, false, "");
	assert_int_equal(zinc_read_node(f.h, "/a", &r, &m, &err), ZINC_E_NOTFOUND);
	assert_string_equal(err.key, "a/zarr.json");
	forest_put(&f, "a/zarr.json", "{}");
	assert_int_equal(zinc_read_node(f.h, "/a", &r, &m, &err), ZINC_E_CORRUPT);
	assert_string_equal(err.key, "a/zarr.json");
	assert_true(err.url[0] != '\0');
	/* warnings name the key */
	forest_put(&f, "a/zarr.json", "{\"zarr_format\": 3, \"node_type\": \"group\", \"attributes\": null}");
	assert_ok(zinc_read_node(f.h, "/a", &r, &m, &err));
	zinc_meta_free(m);
	assert_int_equal(f.warnings, 1);
	assert_memory_equal(f.warning, "a/zarr.json: ", 13);
	forest_close(&f);
}

static void
test_unsupported_keys(void **state)
{
	static const uint64_t index[] = {0};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_meta *m = NULL;
	zinc_report r;
	zinc_buf b;
	forest f;

	(void)state;
	forest_open(&f, "", ZINC_LENIENT);
	zinc_buf_init(&b, f.ctx, 1000);
	zinc_report_init(&r, f.ctx, false, "");
	forest_put(&f, "zarr.json",
		   "{\"zarr_format\": 3, \"node_type\": \"array\", \"shape\": [1], \"data_type\": \"int8\", "
		   "\"chunk_grid\": {\"name\": "
		   "\"regular\", \"configuration\": {\"chunk_shape\": [1]}}, \"chunk_key_encoding\": \"own\", "
		   "\"fill_value\": 0, "
		   "\"codecs\": [\"bytes\"]}");
	assert_ok(zinc_read_node(f.h, "/", &r, &m, &err));
	assert_int_equal(zinc_chunk_key(f.h, "/", m, index, &b, &err), ZINC_E_UNSUPPORTED);
	assert_non_null(strstr(err.text, "own"));
	zinc_meta_free(m);
	zinc_buf_fini(&b);
	forest_close(&f);
}

static void
test_detect(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	static const struct {
		const char *prefix, *format;
		zinc_node_kind kind;
	} cases[] = {
	    {"", NULL, ZINC_NODE_NONE},
	    {"g/", "v3", ZINC_NODE_GROUP},
	    {"a/", "v3", ZINC_NODE_ARRAY},
	    {"bad/", "v3", ZINC_NODE_NONE},
	};
	const zinc_format *format;
	zinc_node_kind kind;
	size_t i;
	forest f;

	(void)state;
	forest_open(&f, "", ZINC_LENIENT);
	forest_put(&f, "g/zarr.json", GROUP);
	forest_put(&f, "a/zarr.json", ARRAY);
	forest_put(&f, "bad/zarr.json", "nonsense");
	forest_put(&f, "draft/zarr.json", "{\"zarr_format\": \"https://purl.org/zarr/spec/v3#array\"}");
	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		assert_ok(zinc_format_detect(f.memory, cases[i].prefix, NULL, &format, &kind, NULL, NULL, NULL, &err));
		assert_true(cases[i].format ? format && strcmp(format->id, cases[i].format) == 0 : !format);
		assert_int_equal(kind, cases[i].kind);
	}
	assert_int_equal(zinc_format_detect(f.memory, "draft/", NULL, &format, &kind, NULL, NULL, NULL, &err),
			 ZINC_E_UNSUPPORTED);
	forest_close(&f);
}

static int
count_row(void *arg, const char *name, const char *also, const char *purpose)
{
	assert_non_null(zinc_format_find(name));
	assert_true(also && purpose && *purpose);
	return ++*(int *)arg == 0;
}

static void
test_table(void **state)
{
	int n = 0;

	(void)state;
	zinc_format_each(count_row, &n);
	assert_true(n >= 1);
	assert_ptr_equal(zinc_format_find("v3"), &zinc_format_v3);
	assert_null(zinc_format_find("v1"));
	assert_non_null(zinc_format_row(0));
	assert_null(zinc_format_row((size_t)n));
	assert_null(zinc_format_row(1000));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_names),  cmocka_unit_test(test_keys),
	    cmocka_unit_test(test_read),   cmocka_unit_test(test_unsupported_keys),
	    cmocka_unit_test(test_detect), cmocka_unit_test(test_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
