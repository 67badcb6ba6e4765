/*
 * test_format_v2_parse.c - documents of version 2 translated to the vocabulary of the final version and back
 *
 * Numbers in brackets are the promises of format_v2_make.c.
 */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "format/format.h"
#include "test.h"

#define DOC(dtype, fill, more)                                                                                         \
	"{\"zarr_format\": 2, \"shape\": [4, 6], \"chunks\": [2, 3], \"dtype\": " dtype ", \"fill_value\": " fill      \
	", \"compressor\": null, \"filters\": null, \"order\": \"C\"" more "}"

static zinc_meta *
parse(const char *text, bool strict)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_meta *m = NULL;
	zinc_report r;

	zinc_report_init(&r, zinc_context_get(NULL), strict, "test");
	if (zinc_text_parse(&zinc_format_v2, r.ctx, text, strlen(text), &r, &m, &err) != ZINC_OK)
		fail_msg("%s: %s", text, err.text);
	assert_ptr_equal(m->format, &zinc_format_v2);
	return m;
}

/* A member of the final version's document, on one line. */
static void
expect_member(const zinc_meta *m, const char *member, const char *text)
{
	zinc_buf b;

	zinc_buf_init(&b, m->ctx, 10000);
	assert_int_equal(zinc_json_print_line(zinc_json_member(zinc_meta_v3(m), member), &b, NULL), ZINC_OK);
	assert_string_equal(zinc_buf_text(&b), text);
	zinc_buf_fini(&b);
}

/* The document of the final version back into version 2: its members are those that were read. */
static void
expect_back(const zinc_meta *m, const char *const *members)
{
	zinc_hierarchy h = {.ctx = m->ctx, .url = (char[]){"u"}, .prefix = (char[]){""}, .format = &zinc_format_v2};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_json_doc *doc = NULL;

	assert_ok(zinc_format_v2.print(&h, m, &doc, &err));
	for (; *members; members++)
		if (!zinc_json_equal(zinc_json_member(zinc_json_root(doc), *members),
				     zinc_json_member(zinc_json_root(m->doc), *members)))
			fail_msg("%s is not what it was", *members);
	zinc_json_free(doc);
}

/* Every type string: its name in v3, and the codec bytes. */
static void
test_types(void **state)
{
	static const char *const same[] = {"dtype", "fill_value", "shape",      "chunks",
					   "order", "filters",    "compressor", NULL};
	static const struct {
		const char *text, *v3, *codec;
		bool known; /* in every build */
	} cases[] = {
	    {DOC("\"|b1\"", "true", ""), "\"bool\"", "[{\"name\":\"bytes\"}]", true},
	    {DOC("\"|i1\"", "-3", ""), "\"int8\"", "[{\"name\":\"bytes\"}]", true},
	    {DOC("\"|u1\"", "3", ""), "\"uint8\"", "[{\"name\":\"bytes\"}]", true},
	    {DOC("\"<i2\"", "3", ""), "\"int16\"", "[{\"name\":\"bytes\",\"configuration\":{\"endian\":\"little\"}}]",
	     true},
	    {DOC("\">i4\"", "3", ""), "\"int32\"", "[{\"name\":\"bytes\",\"configuration\":{\"endian\":\"big\"}}]",
	     true},
	    {DOC("\">i8\"", "9223372036854775807", ""), "\"int64\"", NULL, true},
	    {DOC("\"<u2\"", "3", ""), "\"uint16\"", NULL, true},
	    {DOC("\"<u4\"", "3", ""), "\"uint32\"", NULL, true},
	    {DOC("\"<u8\"", "18446744073709551615", ""), "\"uint64\"", NULL, true},
	    {DOC("\"<f2\"", "\"NaN\"", ""), "\"float16\"", NULL, true},
	    {DOC("\"<f4\"", "-0.0", ""), "\"float32\"", NULL, true},
	    {DOC("\">f8\"", "\"-Infinity\"", ""), "\"float64\"", NULL, true},
	    {DOC("\"<c8\"", "[1.5, \"NaN\"]", ""), "\"complex64\"", NULL, true},
	    {DOC("\"<c16\"", "[1.5, -2.0]", ""), "\"complex128\"", NULL, true},
	    {DOC("\"|V3\"", "\"YWJj\"", ""), "{\"name\":\"raw_bytes\",\"configuration\":{\"length_bytes\":3}}",
	     "[{\"name\":\"bytes\"}]", true},
	    {DOC("\"|S7\"", "\"\"", ""), "{\"name\":\"null_terminated_bytes\",\"configuration\":{\"length_bytes\":7}}",
	     NULL, true},
	    {DOC("\">U2\"", "\"x\"", ""), "{\"name\":\"fixed_length_utf32\",\"configuration\":{\"length_bytes\":8}}",
	     NULL, true},
	    {DOC("\"<M8[10us]\"", "0", ""),
	     "{\"name\":\"numpy.datetime64\",\"configuration\":{\"unit\":\"us\",\"scale_factor\":10}}", NULL, true},
	    {DOC("\">m8[D]\"", "5", ""),
	     "{\"name\":\"numpy.timedelta64\",\"configuration\":{\"unit\":\"D\",\"scale_factor\":1}}", NULL, true},
	    {DOC("\"|S3\"", "\"YWI=\"", ""),
	     "{\"name\":\"null_terminated_bytes\",\"configuration\":{\"length_bytes\":3}}", "[{\"name\":\"bytes\"}]",
	     true},
	    {DOC("\"<m8\"", "-9223372036854775808", ""),
	     "{\"name\":\"numpy.timedelta64\",\"configuration\":{\"unit\":\"generic\",\"scale_factor\":1}}", NULL,
	     true},
	    /* fields of a shape, and in both byte orders */
	    {DOC("[[\"a\", \">i2\", [2, 3]], [\"b\", \"<f4\"]]", "\"AAEAAgADAAQABQAGAACAPw==\"", ""),
	     "{\"name\":\"struct\",\"configuration\":{\"fields\":[{\"name\":\"a\",\"data_type\":{\"name\":\"zinc."
	     "subarray\","
	     "\"configuration\":{\"data_type\":\"int16\",\"shape\":[2,3]}}},{\"name\":\"b\",\"data_type\":{\"name\":"
	     "\"zinc.swapped\",\"configuration\":{\"data_type\":\"float32\"}}}]}}",
	     "[{\"name\":\"bytes\",\"configuration\":{\"endian\":\"big\"}}]", true},
	    {DOC("[[\"x\", \"<i4\"], [\"y\", [[\"z\", \"|u1\"]]]]", "\"AQAAAAI=\"", ""),
	     "{\"name\":\"struct\",\"configuration\":{\"fields\":[{\"name\":\"x\",\"data_type\":\"int32\"},"
	     "{\"name\":\"y\",\"data_type\":{\"name\":\"struct\",\"configuration\":{\"fields\":[{\"name\":\"z\","
	     "\"data_type\":\"uint8\"}]}}}]}}",
	     NULL, true},
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(cases); i++) {
		zinc_meta *m = parse(cases[i].text, true);

		expect_member(m, "data_type", cases[i].v3);
		if (cases[i].codec)
			expect_member(m, "codecs", cases[i].codec);
		if (cases[i].known)
			assert_null(m->unsupported);
		if (!m->unsupported && cases[i].known)
			expect_back(m, same);
		zinc_meta_free(m);
	}
}

/* Undefined members, and spellings of old writers. */
static void
test_fills(void **state)
{
	static const struct {
		const char *text, *fill;
		bool odd;
	} cases[] = {
	    {DOC("\"<f4\"", "null", ""), "0.0", false},
	    {DOC("\"<i4\"", "null", ""), "0", false},
	    {DOC("\"|b1\"", "null", ""), "false", false},
	    {DOC("\"<c8\"", "null", ""), "[0.0,0.0]", false},
	    {DOC("\"|V2\"", "null", ""), "\"AAA=\"", false},
	    {DOC("\"|V2\"", "0", ""), "\"AAA=\"", false},
	    {DOC("\"|V2\"", "\"AP8=\"", ""), "\"AP8=\"", false},
	    {DOC("\"|V2\"", "\"AP8\"", ""), "\"AP8=\"", false},
	    {DOC("\"|b1\"", "1", ""), "true", true},
	    {DOC("\"<i4\"", "3.0", ""), "3", true},
	    {DOC("\"<f4\"", "NaN", ""), "\"NaN\"", true},
	    {DOC("\"<f4\"", "-Infinity", ""), "\"-Infinity\"", true},
	    {DOC("\"|S2\"", "0", ""), "\"\"", false},
	    {DOC("\"<M8[s]\"", "null", ""), "\"NaT\"", false},
	    {DOC("[[\"a\", \">i2\"]]", "null", ""), "{\"a\":0}", false},
	    {DOC("[[\"a\", \">i2\"]]", "\"AQI=\"", ""), "{\"a\":258}", false},
	    {DOC("\"<U3\"", "0", ""), "\"\"", false},
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(cases); i++) {
		zinc_meta *m = parse(cases[i].text, !cases[i].odd);

		expect_member(m, "fill_value", cases[i].fill);
		if (strstr(cases[i].text, "null, \"compressor")) /* kept unchanged */
			assert_true(
			    zinc_json_is(zinc_json_member(zinc_json_root(m->doc), "fill_value"), ZINC_JSON_NULL));
		zinc_meta_free(m);
	}
}

/* Order, filters and compressor: one chain. */
static void
test_codecs(void **state)
{
	static const char text[] =
	    "{\"zarr_format\": 2, \"shape\": [4, 6], \"chunks\": [2, 3], \"dtype\": \">i4\", \"fill_value\": 0, "
	    "\"compressor\": {\"id\": \"blosc\", \"cname\": \"lz4\", \"clevel\": 5, \"shuffle\": -1, \"blocksize\": "
	    "0}, "
	    "\"filters\": [{\"id\": \"delta\", \"dtype\": \">i4\", \"astype\": \"<i8\"}, {\"id\": \"crc32\"}], "
	    "\"order\": \"F\", \"dimension_separator\": \"/\"}";
	zinc_meta *m = parse(text, true);

	(void)state;
	assert_null(m->unsupported);
	assert_int_equal(m->chain->naa, 2);
	assert_int_equal(m->chain->nbb, 2);
	expect_member(m, "chunk_key_encoding", "{\"name\":\"v2\",\"configuration\":{\"separator\":\"/\"}}");
	assert_non_null(zinc_codec_order(m->chain->aa[0]));
	assert_string_equal(m->chain->ab->ops->name, "bytes");
	zinc_meta_free(m);
	m = parse(DOC("\"|O\"", "0", ", \"x\": 1"), true); /* no codec of objects, and a member that is ignored */
	assert_non_null(m->unsupported);
	zinc_meta_free(m);
}

/* A filter that takes the bytes for elements of the other order would make other numbers: refused, never guessed. */
static void
test_filter_order(void **state)
{
	static const struct {
		const char *type, *filters;
		bool good;
		const char *endian; /* of the elements at the codec bytes */
	} cases[] = {
	    {"<i4", "{\"id\": \"delta\", \"dtype\": \"<i4\"}", true, "little"},
	    {">i4", "{\"id\": \"delta\", \"dtype\": \">i4\"}", true, "big"},
	    {"<i4", "{\"id\": \"delta\", \"dtype\": \">i4\"}", false, NULL},
	    {">i4", "{\"id\": \"delta\", \"dtype\": \"<i4\"}", false, NULL},
	    {"<i4", "{\"id\": \"delta\", \"dtype\": \"i4\"}", true, "little"},
	    {"<i2", "{\"id\": \"astype\", \"encode_dtype\": \">i4\", \"decode_dtype\": \"<i2\"}", true, "big"},
	    {"<i2", "{\"id\": \"astype\", \"encode_dtype\": \">i4\", \"decode_dtype\": \">i2\"}", false, NULL},
	    {"<i2",
	     "{\"id\": \"astype\", \"encode_dtype\": \">i4\", \"decode_dtype\": \"<i2\"}, {\"id\": \"delta\", "
	     "\"dtype\": \">i4\"}",
	     true, "big"},
	    {"<i2",
	     "{\"id\": \"astype\", \"encode_dtype\": \">i4\", \"decode_dtype\": \"<i2\"}, {\"id\": \"delta\", "
	     "\"dtype\": \"<i4\"}",
	     false, NULL},
	    {"|u1", "{\"id\": \"delta\", \"dtype\": \"|u1\"}", true, "little"},
	    {"<i4", "{\"id\": \"crc32\"}, {\"id\": \"delta\", \"dtype\": \"<i4\"}", false, NULL},
	};
	char text[512], endian[40];
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(cases); i++) {
		zinc_meta *m;

		snprintf(text, sizeof text,
			 "{\"zarr_format\": 2, \"shape\": [4], \"chunks\": [2], \"dtype\": \"%s\", \"fill_value\": 0, "
			 "\"compressor\": null, \"filters\": [%s], \"order\": \"C\"}",
			 cases[i].type, cases[i].filters);
		m = parse(text, true);
		assert_int_equal(!m->unsupported, cases[i].good);
		if (cases[i].good) {
			zinc_buf b;

			snprintf(endian, sizeof endian, "\"endian\":\"%s\"", cases[i].endian);
			zinc_buf_init(&b, NULL, 4096);
			assert_int_equal(zinc_json_print_line(zinc_json_member(zinc_meta_v3(m), "codecs"), &b, NULL),
					 ZINC_OK);
			assert_non_null(strstr(zinc_buf_text(&b), endian));
			zinc_buf_fini(&b);
		} else {
			assert_non_null(m->chain);
			assert_true(strstr(m->unsupported, "wrong byte order") || strstr(m->unsupported, "is after"));
		}
		zinc_meta_free(m);
	}
}

#define OBJECTS(fill, filters)                                                                                         \
	"{\"zarr_format\": 2, \"shape\": [4, 6], \"chunks\": [2, 3], \"dtype\": \"|O\", \"fill_value\": " fill         \
	", \"compressor\": null, \"filters\": [" filters "], \"order\": \"C\"}"

/* The type of objects follows from their codec. */
static void
test_objects(void **state)
{
	static const char *const same[] = {"dtype", "fill_value", "filters", "order", NULL};
	static const struct {
		const char *text, *v3, *fill;
	} cases[] = {
	    {OBJECTS("\"x\"", "{\"id\": \"vlen-utf8\"}"), "\"string\"", "\"x\""},
	    {OBJECTS("\"AQI=\"", "{\"id\": \"vlen-bytes\"}"), "\"bytes\"", "\"AQI=\""},
	    {OBJECTS("\"\"", "{\"id\": \"json2\", \"encoding\": \"utf-8\", \"sort_keys\": true}"), "\"string\"",
	     "\"\""},
	    {OBJECTS("\"\"", "{\"id\": \"categorize\", \"labels\": [\"a\"], \"dtype\": \"|O\", \"astype\": \"|u1\"}"),
	     "\"string\"", "\"\""},
	};
	zinc_meta *m;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(cases); i++) {
		m = parse(cases[i].text, true);
		assert_null(m->unsupported);
		expect_member(m, "data_type", cases[i].v3);
		expect_member(m, "fill_value", cases[i].fill);
		expect_back(m, same);
		zinc_meta_free(m);
	}
	m = parse(OBJECTS("0", "{\"id\": \"vlen-utf8\"}"), true); /* zarr-python's default */
	expect_member(m, "fill_value", "\"\"");
	zinc_meta_free(m);
	m = parse(OBJECTS("0", "{\"id\": \"pickle\", \"protocol\": 4}"), true);
	assert_non_null(m->unsupported);
	zinc_meta_free(m);
}

/* (1) */
static void
test_refused(void **state)
{
	static const struct {
		const char *what, *text;
	} cases[] = {
	    {"shards",
	     "{\"codecs\": [{\"name\": \"sharding_indexed\", \"configuration\": {\"chunk_shape\": [1, 3], "
	     "\"codecs\": [{\"name\": \"bytes\", \"configuration\": {\"endian\": \"little\"}}], \"index_codecs\": "
	     "[{\"name\": \"bytes\", \"configuration\": {\"endian\": \"little\"}}]}}]}"},
	    {"NaN", "{\"data_type\": \"float32\", \"fill_value\": \"0x7fc00001\"}"},
	    {"some dimensions", "{\"dimension_names\": [\"x\", null]}"},
	    {"_ARRAY_DIMENSIONS", "{\"dimension_names\": [\"x\", \"y\"], \"attributes\": {\"_ARRAY_DIMENSIONS\": 3}}"},
	    {"\"odd\"", "{\"odd\": {\"must_understand\": false}}"},
	};
	zinc_hierarchy h = {.ctx = zinc_context_get(NULL), .url = (char[]){"u"}, .prefix = (char[]){""}};
	size_t i;

	(void)state;
	h.format = &zinc_format_v2;
	for (i = 0; i < COUNT(cases); i++) {
		zinc_meta *m = parse(DOC("\"<i2\"", "0", ""), true);
		zinc_error err = ZINC_ERROR_INIT;
		zinc_json_doc *more = NULL, *out = NULL;
		const zinc_json *v;

		assert_ok(zinc_json_parse(&more, h.ctx, cases[i].text, strlen(cases[i].text), 0, &err));
		for (v = zinc_json_root(more)->first; v; v = v->next)
			assert_ok(zinc_json_set(m->v3, zinc_json_root(m->v3), v->key, zinc_json_copy(m->v3, v), &err));
		assert_int_equal(zinc_document_from_v3(&out, &h, m->v3, &err), ZINC_E_INVALID);
		if (!strstr(err.text, cases[i].what))
			fail_msg("%s: %s", cases[i].what, err.text);
		zinc_json_free(more);
		zinc_meta_free(m);
	}
}

/* ---- arrays that zarr-python wrote ---- */

#define FIXTURES ZINC_TEST_SOURCE_DIR "/../shared/fixtures/zarrita-v2.zarr"

struct expected {
	const char *name;
	double first, step; /* elements count up */
	const double *list; /* or are these */
};

static void
expect_values(zinc_hierarchy *h, const struct expected *e)
{
	zinc_error err = ZINC_ERROR_INIT;
	double values[27];
	zinc_array *a = NULL;
	uint64_t shape[3], n = 1;
	int d, ndim;
	size_t i;

	assert_ok(zinc_array_open(&a, h, e->name, NULL, &err));
	ndim = zinc_array_ndim(a);
	assert_in_range(ndim, 1, 3);
	for (d = 0; d < ndim; d++) {
		shape[d] = zinc_array_shape(a)[d];
		n *= shape[d];
	}
	assert_in_range(n, 1, 27);
	assert_ok(zinc_array_read_text(a, "...", ZINC_BUFFER(&values[0], n * sizeof *values), NULL, &err));
	for (i = 0; i < n; i++)
		if (values[i] != (e->list ? e->list[i] : e->first + e->step * (double)i))
			fail_msg("%s: element %zu is %g", e->name, i, values[i]);
	zinc_array_close(a);
}

static int
count_node(void *arg, const zinc_node *node)
{
	unsigned *n = arg;

	n[node->kind == ZINC_NODE_ARRAY]++;
	n[2] += node->problem && node->problem_code != ZINC_E_UNSUPPORTED;
	return 0;
}

static void
test_zarrita(void **state)
{
	static const double bytes[] = {255, 0, 255, 0}, rounded[] = {1.125, 2.25, 3.25, 4.5},
			    floats[] = {-1000.5, 0, 1000.5, 0};
	static const struct expected cases[] = {
	    {"1d.chunked.i2", 1, 1, NULL},          {"1d.chunked.ragged.i2", 1, 1, NULL},
	    {"1d.contiguous.blosc.i2", 1, 1, NULL}, {"1d.contiguous.lz4.i2", 1, 1, NULL},
	    {"1d.contiguous.raw.i2", 1, 1, NULL},   {"1d.contiguous.zlib.i2", 1, 1, NULL},
	    {"1d.contiguous.zstd.i2", 1, 1, NULL},  {"1d.contiguous.i4", 1, 1, NULL},
	    {"1d.contiguous.u1", 0, 0, bytes},      {"1d.contiguous.shuffle.i2", 1, 1, NULL},
	    {"1d.contiguous.f8", 1.5, 1, NULL},     {"1d.contiguous.bitround.f4", 0, 0, rounded},
	    {"1d.contiguous.f4.le", 0, 0, floats},  {"1d.contiguous.f4.be", 0, 0, floats},
	    {"1d.contiguous.delta.i2", 1, 1, NULL}, {"1d.contiguous.delta.shuffle.i2", 10, 10, NULL},
	    {"2d.chunked.i2", 1, 1, NULL},          {"2d.chunked.ragged.i2", 1, 1, NULL},
	    {"2d.contiguous.i2", 1, 1, NULL},       {"3d.chunked.i2", 0, 1, NULL},
	    {"3d.chunked.mixed.i2.C", 0, 1, NULL},  {"3d.chunked.mixed.i2.F", 0, 1, NULL},
	    {"3d.contiguous.i2", 0, 1, NULL},
	};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_hierarchy *h = NULL;
	unsigned n[3] = {0};
	struct stat st;
	size_t i;

	(void)state;
	if (stat(FIXTURES, &st) != 0) {
		fprintf(stderr, "SKIPPED: %s is not there\n", FIXTURES);
		skip();
	}
	assert_ok(zinc_hierarchy_open_url(&h, FIXTURES, ZINC_OPEN_OPTIONS(.read_only = 1), &err));
	assert_string_equal(zinc_hierarchy_format(h), "v2");
	assert_ok(zinc_node_walk(h, "/", -1, count_node, n, NULL, &err));
	assert_int_equal(n[0], 2);
	assert_int_equal(n[1], 32);
	assert_int_equal(n[2], 0);
	for (i = 0; i < COUNT(cases); i++)
		expect_values(h, &cases[i]);
	zinc_hierarchy_close(h);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_types),        cmocka_unit_test(test_fills),   cmocka_unit_test(test_codecs),
	    cmocka_unit_test(test_filter_order), cmocka_unit_test(test_objects), cmocka_unit_test(test_refused),
	    cmocka_unit_test(test_zarrita),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
