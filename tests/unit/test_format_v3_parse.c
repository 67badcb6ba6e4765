/* test_format_v3_parse.c - zarr.json -> metadata, promise by promise; tests/rules has a document for each rule */
#include <stdio.h>
#include <string.h>

#include "format/format.h"
#include "nodes.h"
#include "test.h"

/* Rules found, as "M5 M7", in the order of the findings. */
struct findings {
	char rules[256];
	char pointers[512];
};

static void
note(void *arg, zinc_severity severity, const char *rule, const char *pointer, const char *message)
{
	struct findings *f = arg;
	size_t n = strlen(f->rules);

	(void)severity, (void)message;
	snprintf(f->rules + n, sizeof f->rules - n, "%s%s", n ? " " : "", rule);
	n = strlen(f->pointers);
	snprintf(f->pointers + n, sizeof f->pointers - n, "%s%s", n ? " " : "", pointer);
}

static zinc_status
parse(const char *text, bool strict, struct findings *found, zinc_meta **out, zinc_error *err)
{
	zinc_report r;

	zinc_report_init(&r, zinc_context_get(NULL), strict, "test");
	if (found) {
		*found = (struct findings){.rules = ""};
		r.found = note;
		r.arg = found;
	}
	return zinc_text_parse(&zinc_format_v3, zinc_context_get(NULL), text, strlen(text), &r, out, err);
}

static zinc_meta *
parsed(const char *text)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_meta *m = NULL;

	assert_ok(parse(text, true, NULL, &m, &err));
	return m;
}

static void
test_array(void **state)
{
	zinc_meta *m = parsed(
	    "{\"zarr_format\": 3, \"node_type\": \"array\", \"shape\": [18446744073709551615, 0, 5], \"data_type\": "
	    "\"float64\", "
	    "\"chunk_grid\": {\"name\": \"regular\", \"configuration\": {\"chunk_shape\": [4, 3, 2]}}, "
	    "\"chunk_key_encoding\": \"default\", \"fill_value\": \"NaN\", \"codecs\": [{\"name\": \"bytes\", "
	    "\"configuration\": {\"endian\": \"big\"}}], \"attributes\": {\"a\": 1}, \"storage_transformers\": [], "
	    "\"dimension_names\": [\"x\", null, \"x\"]}");
	uint64_t bits;

	(void)state;
	assert_int_equal(m->kind, ZINC_NODE_ARRAY);
	assert_ptr_equal(m->format, &zinc_format_v3);
	assert_int_equal(m->ndim, 3);
	assert_true(m->shape[0] == UINT64_MAX && m->shape[1] == 0 && m->shape[2] == 5);
	assert_true(m->chunk_shape[0] == 4 && m->chunk_shape[1] == 3 && m->chunk_shape[2] == 2);
	assert_string_equal(m->dtype->name, "float64");
	assert_string_equal(m->grid->ops->name, "regular");
	assert_string_equal(m->keys.ops->name, "default");
	memcpy(&bits, m->fill, sizeof bits);
	assert_true(bits == 0x7ff8000000000000u);
	assert_non_null(m->chain);
	assert_non_null(zinc_json_member(m->attributes, "a"));
	assert_string_equal(m->dimension_names[0], "x");
	assert_null(m->dimension_names[1]);
	assert_null(m->unsupported);
	zinc_meta_free(m);
}

static void
test_scalar_and_group(void **state)
{
	zinc_meta *m;

	(void)state;
	m = parsed(
	    "{\"zarr_format\": 3, \"node_type\": \"array\", \"shape\": [], \"data_type\": \"bool\", \"chunk_grid\": "
	    "{\"name\": \"regular\", \"configuration\": {\"chunk_shape\": []}}, \"chunk_key_encoding\": {\"name\": "
	    "\"v2\"}, "
	    "\"fill_value\": true, \"codecs\": [\"bytes\"], \"dimension_names\": []}");
	assert_int_equal(m->ndim, 0);
	assert_int_equal(*(uint8_t *)m->fill, 1);
	assert_null(m->attributes);
	zinc_meta_free(m);
	m = parsed(GROUP);
	assert_int_equal(m->kind, ZINC_NODE_GROUP);
	assert_null(m->attributes);
	zinc_meta_free(m);
}

/* (1) */
static void
test_collects(void **state)
{
	static const char many[] =
	    "{\"zarr_format\": 3, \"node_type\": \"array\", \"shape\": [4], \"data_type\": \"int16\", \"chunk_grid\": "
	    "{\"name\": \"regular\", \"configuration\": {\"chunk_shape\": [0]}}, \"fill_value\": 1.5, \"codecs\": [], "
	    "\"attributes\": 1, \"dimension_names\": [\"a\", \"b\"], \"storage_transformers\": null}";
	zinc_error err = ZINC_ERROR_INIT;
	struct findings found;
	zinc_meta *m = NULL;

	(void)state;
	assert_int_equal(parse(many, false, &found, &m, &err), ZINC_E_CORRUPT);
	assert_null(m);
	assert_string_equal(found.rules, "M40 M5 M50 M9 M7 M10 M8");
	assert_non_null(strstr(found.pointers, "/chunk_grid/configuration/chunk_shape"));
	assert_non_null(strstr(found.pointers, "/fill_value"));
	assert_non_null(strstr(err.text, "(rule M40, at /chunk_grid")); /* the first */
	/* without a collector the first fault ends it */
	assert_int_equal(parse(many, false, NULL, &m, &err), ZINC_E_CORRUPT);
	assert_non_null(strstr(err.text, "(rule M40, at /chunk_grid"));
	assert_int_equal(parse(many, false, NULL, &m, NULL), ZINC_E_CORRUPT);
}

/* Members that depend on the shape are checked as far as possible. */
static void
test_without_shape(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	struct findings found;
	zinc_meta *m = NULL;

	(void)state;
	assert_int_equal(
	    parse("{\"zarr_format\": 3, \"node_type\": \"array\", \"shape\": [-1], \"data_type\": \"int16\", "
		  "\"chunk_grid\": {\"name\": 1}, \"chunk_key_encoding\": \"default\", \"fill_value\": 0, "
		  "\"codecs\": [{}], \"dimension_names\": [3]}",
		  false, &found, &m, &err),
	    ZINC_E_CORRUPT);
	assert_string_equal(found.rules, "M6 M11 M11 M8");
}

/* (2) */
static void
test_unsupported(void **state)
{
	static const char strange[] =
	    "{\"zarr_format\": 3, \"node_type\": \"array\", \"shape\": [4], \"data_type\": \"thing\", \"chunk_grid\": "
	    "{\"name\": \"round\"}, \"chunk_key_encoding\": \"other\", \"fill_value\": \"\", \"codecs\": "
	    "[\"vlen-utf8\"], "
	    "\"attributes\": {\"a\": 1}, \"storage_transformers\": [{\"name\": \"st\"}], \"dimension_names\": [\"t\"], "
	    "\"new\": 1}";
	zinc_error err = ZINC_ERROR_INIT;
	struct findings found;
	zinc_meta *m = NULL;

	(void)state;
	assert_ok(parse(strange, true, &found, &m, &err));
	assert_string_equal(found.rules, "M17 M18 M19 M21 M16");
	assert_non_null(strstr(m->unsupported, "thing"));
	assert_null(m->dtype);
	assert_null(m->grid);
	assert_null(m->keys.ops);
	assert_null(m->chain);
	assert_null(m->fill);
	assert_int_equal(m->shape[0], 4);
	assert_int_equal(m->chunk_shape[0], 0);
	assert_non_null(m->attributes);
	assert_string_equal(m->dimension_names[0], "t");
	assert_int_equal(err.code, ZINC_OK);
	zinc_meta_free(m);
	assert_ok(parse(strange, true, NULL, &m, &err));
	assert_non_null(m->unsupported);
	zinc_meta_free(m);
	/* only the codec is unknown: everything else is known */
	assert_ok(parse(
	    "{\"zarr_format\": 3, \"node_type\": \"array\", \"shape\": [4], \"data_type\": \"int8\", \"chunk_grid\": "
	    "{\"name\": \"regular\", \"configuration\": {\"chunk_shape\": [2]}}, \"chunk_key_encoding\": \"default\", "
	    "\"fill_value\": 0, \"codecs\": [\"bytes\", \"squash\"]}",
	    true, NULL, &m, &err));
	assert_non_null(strstr(m->unsupported, "squash"));
	assert_true(m->dtype && m->grid && m->keys.ops && m->fill && !m->chain);
	zinc_meta_free(m);
}

/* A flagged member is kept, a flagged transformer ignored. */
static void
test_ignorable(void **state)
{
	zinc_meta *m =
	    parsed(ARRAY_WITH(", \"new\": {\"must_understand\": false}, \"storage_transformers\": [{\"name\": "
			      "\"st\", \"must_understand\": false}]"));

	(void)state;
	assert_null(m->unsupported);
	assert_non_null(zinc_json_member(zinc_json_root(m->doc), "new"));
	zinc_meta_free(m);
}

/* (3) */
static void
test_lenient(void **state)
{
	static const char *const documents[] = {
	    "{\"zarr_format\": 3, \"node_type\": \"group\", \"consolidated_metadata\": null}",
	    "{\"zarr_format\": 3, \"node_type\": \"group\", \"attributes\": null}",
	    "{\"zarr_format\": 3.0, \"node_type\": \"group\"}",
	    ARRAY_WITH(", \"dimension_names\": null"),
	    ARRAY_WITH(", \"attributes\": {}, \"attributes\": {\"b\": 1}"),
	};
	zinc_error err = ZINC_ERROR_INIT;
	struct findings found;
	zinc_meta *m = NULL;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(documents); i++) {
		assert_ok(parse(documents[i], false, &found, &m, &err));
		assert_true(found.rules[0] == 'M');
		zinc_meta_free(m);
		assert_int_equal(parse(documents[i], true, NULL, &m, &err), ZINC_E_CORRUPT);
		err = (zinc_error)ZINC_ERROR_INIT;
	}
	assert_ok(parse(documents[4], false, &found, &m, &err));
	assert_non_null(zinc_json_member(m->attributes, "b")); /* the last one counts */
	zinc_meta_free(m);
}

static void
test_limits(void **state)
{
	static const char plane[] = "{\"zarr_format\": 3, \"node_type\": \"array\", \"shape\": [1, 1]}";
	zinc_error err = ZINC_ERROR_INIT;
	zinc_context *ctx = NULL;
	zinc_meta *m = NULL;
	zinc_report r;
	char text[2048] = "{\"zarr_format\": 3, \"node_type\": \"array\", \"shape\": [1";
	int i;

	(void)state;
	for (i = 0; i < 64; i++)
		snprintf(text + strlen(text), sizeof text - strlen(text), ", 1");
	snprintf(text + strlen(text), sizeof text - strlen(text), "]}");
	assert_int_equal(parse(text, false, NULL, &m, &err), ZINC_E_LIMIT);
	assert_int_equal(parse(text, false, &(struct findings){.rules = ""}, &m, &err), ZINC_E_LIMIT);
	assert_ok(
	    zinc_context_new(&ctx, ZINC_CONTEXT_OPTIONS(.limits = ZINC_LIMITS(.rank = 1, .json_depth = 3)), &err));
	zinc_report_init(&r, ctx, false, "test");
	assert_int_equal(zinc_text_parse(&zinc_format_v3, ctx, plane, sizeof plane - 1, &r, &m, &err), ZINC_E_LIMIT);
	assert_int_equal(zinc_text_parse(&zinc_format_v3, ctx, "[[[[]]]]", 8, &r, &m, &err), ZINC_E_LIMIT);
	zinc_context_free(ctx);
}

/* A caller's document is the caller's fault. */
static void
test_code(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_meta *m = NULL;
	zinc_report r;

	(void)state;
	zinc_report_init(&r, zinc_context_get(NULL), true, "");
	r.code = ZINC_E_INVALID;
	assert_int_equal(zinc_text_parse(&zinc_format_v3, r.ctx, "{", 1, &r, &m, &err), ZINC_E_INVALID);
	assert_int_equal(zinc_text_parse(&zinc_format_v3, r.ctx, "{}", 2, &r, &m, &err), ZINC_E_INVALID);
	assert_int_equal(err.code, ZINC_E_INVALID);
}

/* Another version is named. */
static void
test_versions(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_meta *m = NULL;

	(void)state;
	assert_int_equal(parse("{\"zarr_format\": 2, \"node_type\": \"group\"}", false, NULL, &m, &err),
			 ZINC_E_CORRUPT);
	assert_non_null(strstr(err.text, ".zarray"));
	assert_int_equal(parse("{\"zarr_format\": \"https://purl.org/zarr/spec/core/3.0\"}", false, NULL, &m, &err),
			 ZINC_E_CORRUPT);
	assert_non_null(strstr(err.text, "draft"));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_array),       cmocka_unit_test(test_scalar_and_group),
	    cmocka_unit_test(test_collects),    cmocka_unit_test(test_without_shape),
	    cmocka_unit_test(test_unsupported), cmocka_unit_test(test_ignorable),
	    cmocka_unit_test(test_lenient),     cmocka_unit_test(test_limits),
	    cmocka_unit_test(test_code),        cmocka_unit_test(test_versions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
