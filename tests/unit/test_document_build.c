/* test_document_build.c - documents of new nodes, promise by promise */
#include <string.h>

#include "format/format.h"
#include "test.h"

/* The document as it would be stored; NULL and *status when refused. */
static const char *
build(const zinc_array_options *o, zinc_status *status, zinc_error *err)
{
	static char text[8192];
	zinc_context *ctx = zinc_context_get(NULL);
	zinc_json_doc *doc = NULL;
	zinc_buf b;

	*status = zinc_document_build(&doc, ctx, o, err);
	if (*status != ZINC_OK)
		return NULL;
	zinc_buf_init(&b, ctx, sizeof text - 1);
	assert_int_equal(zinc_json_print(zinc_json_root(doc), &b, err), ZINC_OK);
	memcpy(text, b.p, b.n);
	text[b.n] = '\0';
	zinc_buf_fini(&b);
	zinc_json_free(doc);
	return text;
}

static const char *
built(const zinc_array_options *o)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_status st;
	const char *text = build(o, &st, &err);

	assert_ok(st);
	return text;
}

static void
refused(const zinc_array_options *o, zinc_status status, const char *says)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_status s;

	assert_null(build(o, &s, &err));
	assert_int_equal(s, status);
	if (!strstr(err.text, says))
		fail_msg("\"%s\" does not say \"%s\"", err.text, says);
}

static const uint64_t shape[] = {100, 20}, chunks[] = {30, 7}, shards[] = {60, 21}, odd[] = {31, 21}, zero[] = {0, 7};

/* (1) */
static void
test_order(void **state)
{
	static const char *const names[] = {"t", NULL};
	const zinc_array_options o = {sizeof o,
				      .ndim = 2,
				      .shape = shape,
				      .dtype = "float32",
				      .chunks = chunks,
				      .codecs = "gzip:1",
				      .fill = "\"NaN\"",
				      .dimension_names = names,
				      .attributes = "{\"big\": 18446744073709551616, \"n\": 1.50}"};

	(void)state;
	assert_string_equal(built(&o), "{\n"
				       "  \"zarr_format\": 3,\n"
				       "  \"node_type\": \"array\",\n"
				       "  \"shape\": [100, 20],\n"
				       "  \"data_type\": \"float32\",\n"
				       "  \"chunk_grid\": {\n"
				       "    \"name\": \"regular\",\n"
				       "    \"configuration\": {\n"
				       "      \"chunk_shape\": [30, 7]\n"
				       "    }\n"
				       "  },\n"
				       "  \"chunk_key_encoding\": {\n"
				       "    \"name\": \"default\",\n"
				       "    \"configuration\": {\n"
				       "      \"separator\": \"/\"\n"
				       "    }\n"
				       "  },\n"
				       "  \"fill_value\": \"NaN\",\n"
				       "  \"codecs\": [\n"
				       "    {\n"
				       "      \"name\": \"bytes\",\n"
				       "      \"configuration\": {\n"
				       "        \"endian\": \"little\"\n"
				       "      }\n"
				       "    },\n"
				       "    {\n"
				       "      \"name\": \"gzip\",\n"
				       "      \"configuration\": {\n"
				       "        \"level\": 1\n"
				       "      }\n"
				       "    }\n"
				       "  ],\n"
				       "  \"attributes\": {\n"
				       "    \"big\": 18446744073709551616,\n"
				       "    \"n\": 1.50\n"
				       "  },\n"
				       "  \"dimension_names\": [\"t\", null]\n"
				       "}");
}

/* M23: the default fill value is recorded, whatever the type. */
static void
test_defaults(void **state)
{
	static const struct {
		const char *dtype, *fill;
	} cases[] = {
	    {"bool", "\"fill_value\": false"},
	    {"int8", "\"fill_value\": 0,"},
	    {"uint64", "\"fill_value\": 0,"},
	    {"float16", "\"fill_value\": 0.0"},
	    {"complex64", "\"fill_value\": [0.0, 0.0]"},
	    {"r16", "\"fill_value\": [0, 0]"},
	    {"<f8", "\"data_type\": \"float64\""},
	};
	const char *text;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(cases); i++) {
		const zinc_array_options o = {sizeof o, .ndim = 2, .shape = shape, .dtype = cases[i].dtype};

		text = built(&o);
		assert_non_null(strstr(text, cases[i].fill));
		assert_non_null(strstr(text, "\"chunk_shape\": ["));
		assert_non_null(strstr(text, "\"zstd\""));
		assert_null(strstr(text, "sharding"));
		assert_null(strstr(text, "must_understand")); /* M24 */
	}
	text = built(&(zinc_array_options){sizeof(zinc_array_options), .dtype = "int16"});
	assert_non_null(strstr(text, "\"shape\": []"));
	assert_non_null(strstr(text, "\"chunk_shape\": []"));
}

static void
test_elements(void **state)
{
	zinc_array_options o = ZINC_ARRAY_OPTIONS_INIT;

	(void)state;
	o.ndim = 2;
	o.shape = shape;
	o.dtype = ">i2";
	assert_non_null(strstr(built(&o), "\"endian\": \"big\""));
	o.dtype = "int16";
	o.big_endian = 1;
	assert_non_null(strstr(built(&o), "\"endian\": \"big\""));
	o.fortran = 1;
	assert_non_null(strstr(built(&o), "\"order\": [1, 0]"));
	o.key_encoding = "v2/";
	assert_non_null(strstr(built(&o), "\"name\": \"v2\""));
	/* text that is not JSON becomes a string */
	o.dtype = "float64";
	o.fill = "NaN";
	assert_non_null(strstr(built(&o), "\"fill_value\": \"NaN\""));
	o.fill = "0x7ff8000000000001";
	assert_non_null(strstr(built(&o), "\"fill_value\": \"0x7ff8000000000001\""));
	o.fill = "-0.0";
	assert_non_null(strstr(built(&o), "\"fill_value\": -0.0"));
}

static void
test_shards(void **state)
{
	zinc_array_options o = ZINC_ARRAY_OPTIONS_INIT;
	const char *text;

	(void)state;
	o.ndim = 2;
	o.shape = shape;
	o.dtype = "uint16";
	o.chunks = chunks;
	o.shards = shards;
	text = built(&o);
	assert_non_null(strstr(text, "\"chunk_shape\": [60, 21]"));
	assert_true(strstr(text, "\"chunk_shape\": [30, 7]") > strstr(text, "sharding_indexed"));
	assert_non_null(strstr(text, "\"crc32c\""));
	o.shards = NULL;
	o.auto_shards = 1;
	assert_non_null(strstr(built(&o), "sharding_indexed"));
	o.chunks = NULL;
	assert_non_null(strstr(built(&o), "sharding_indexed"));
}

/* (2) */
static void
test_refused(void **state)
{
	static const uint64_t one[65];
	zinc_array_options o = ZINC_ARRAY_OPTIONS_INIT;
	zinc_array_options base;

	(void)state;
	o.ndim = 2;
	o.shape = shape;
	refused(&o, ZINC_E_INVALID, "data type");
	o.dtype = "float128";
	refused(&o, ZINC_E_INVALID, "float128");
	o.dtype = "int16";
	base = o;
	o.shape = NULL;
	refused(&o, ZINC_E_INVALID, "shape");
	o = base, o.ndim = -1;
	refused(&o, ZINC_E_INVALID, "ndim cannot be -1");
	o = base, o.ndim = 65, o.shape = one;
	refused(&o, ZINC_E_INVALID, "dimensions");
	o = base, o.chunks = zero;
	refused(&o, ZINC_E_INVALID, "M40");
	o = base, o.chunks = chunks, o.shards = odd;
	refused(&o, ZINC_E_INVALID, "M86");
	o = base, o.shards = shards, o.auto_shards = 1;
	refused(&o, ZINC_E_INVALID, "shards");
	o = base, o.codecs = "nonsense";
	refused(&o, ZINC_E_INVALID, "nonsense");
	o = base, o.codecs = "[";
	refused(&o, ZINC_E_INVALID, "");
	o = base, o.fill = "1.5";
	refused(&o, ZINC_E_INVALID, "M50");
	o = base, o.fill = "99999";
	refused(&o, ZINC_E_INVALID, "M51");
	o = base, o.attributes = "[1]";
	refused(&o, ZINC_E_INVALID, "M7");
	o = base, o.attributes = "{";
	refused(&o, ZINC_E_INVALID, "attributes");
	o = base, o.attributes = "{\"a\": 1, \"a\": 2}";
	refused(&o, ZINC_E_INVALID, "attributes");
	o = base, o.key_encoding = "v9";
	refused(&o, ZINC_E_INVALID, "v9");
}

static void
test_document(void **state)
{
	static const char document[] = "{\"zarr_format\": 3, \"node_type\": \"array\", \"shape\": [4], \"data_type\": "
				       "\"int8\", \"chunk_grid\": {\"name\": "
				       "\"regular\", \"configuration\": {\"chunk_shape\": [2]}}, "
				       "\"chunk_key_encoding\": \"default\", \"fill_value\": 7, "
				       "\"codecs\": [\"bytes\"], \"new\": {\"must_understand\": false, \"x\": 1.0}}";
	zinc_array_options o = ZINC_ARRAY_OPTIONS_INIT;

	(void)state;
	o.document = document;
	assert_non_null(strstr(built(&o), "\"x\": 1.0"));
	o.dtype = "int8";
	refused(&o, ZINC_E_INVALID, "other options");
	o.dtype = NULL;
	o.document = "{\"zarr_format\": 3, \"node_type\": \"group\"}";
	refused(&o, ZINC_E_INVALID, "array");
	o.document = "{\"zarr_format\": 3, \"node_type\": \"array\"}";
	refused(&o, ZINC_E_INVALID, "M5");
	o.document = "[]";
	refused(&o, ZINC_E_INVALID, "M2");
	o.document = "{";
	refused(&o, ZINC_E_INVALID, "document");
	o.document = "{\"zarr_format\": 3, \"node_type\": \"array\", \"shape\": [4], \"data_type\": \"int8\", "
		     "\"chunk_grid\": {\"name\": "
		     "\"regular\", \"configuration\": {\"chunk_shape\": [2]}}, \"chunk_key_encoding\": \"default\", "
		     "\"fill_value\": 7, "
		     "\"codecs\": [\"bytes\", \"squash\"]}";
	refused(&o, ZINC_E_UNSUPPORTED, "squash");
}

static void
test_group(void **state)
{
	zinc_context *ctx = zinc_context_get(NULL);
	zinc_error err = ZINC_ERROR_INIT;
	zinc_json_doc *doc = NULL;

	(void)state;
	assert_ok(zinc_document_build_group(&doc, ctx, "{\"k\": [1, 2]}", &err));
	assert_true(
	    zinc_json_is(zinc_json_member(zinc_json_member(zinc_json_root(doc), "attributes"), "k"), ZINC_JSON_ARRAY));
	zinc_json_free(doc);
	assert_int_equal(zinc_document_build_group(&doc, ctx, "7", &err), ZINC_E_INVALID);
	assert_int_equal(zinc_document_build_group(&doc, ctx, "", &err), ZINC_E_INVALID);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_order),  cmocka_unit_test(test_defaults), cmocka_unit_test(test_elements),
	    cmocka_unit_test(test_shards), cmocka_unit_test(test_refused),  cmocka_unit_test(test_document),
	    cmocka_unit_test(test_group),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
