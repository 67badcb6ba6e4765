/*
 * test_format_n5.c - N5: names, detection, documents, keys and blocks, editing, listing
 *
 * Numbers in brackets are the promises of format_n5.c, those with a P of format_n5_parse.c, with an M of format_n5_make.c.
 */
#include <stdio.h>
#include <string.h>

#include "format/format.h"
#include "nodes.h"
#include "sweep.h"
#include "test.h"

#define ROOT "{\"n5\": \"2.0.0\"}"
#define DATASET_WITH(more)                                                                                             \
	"{\"dimensions\": [3, 2], \"blockSize\": [2, 1], \"dataType\": \"int16\", \"compression\": {\"type\": "        \
	"\"raw\"}" more "}"
#define DATASET DATASET_WITH("")

/* (1) */
static void
names(void **state)
{
	static const struct {
		const char *name;
		bool good;
	} cases[] = {{"a", true},       {"__a", true},        {"0", true},     {"...", true},
		     {".x", true},      {"zarr.json", false}, {"", false},     {".", false},
		     {"..", false},     {"a/b", false},       {"a\\b", false}, {"attributes.json", false},
		     {".zgroup", false}};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(cases); i++) {
		zinc_error err = ZINC_ERROR_INIT;
		const zinc_status st =
		    zinc_format_n5.check_name(&zinc_format_n5, cases[i].name, strlen(cases[i].name), &err);

		assert_int_equal(st, cases[i].good ? ZINC_OK : ZINC_E_INVALID);
		assert_true(cases[i].good || strstr(err.text, "N5-10"));
	}
}

static const char *
detect(forest *f, const char *prefix, zinc_node_kind *kind)
{
	zinc_error err = ZINC_ERROR_INIT;
	const zinc_format *format;

	assert_ok(zinc_format_detect(f->memory, prefix, NULL, &format, kind, NULL, NULL, NULL, &err));
	return format ? format->id : "";
}

/* (2) */
static void
detection(void **state)
{
	static const struct {
		const char *key, *text, *id;
		zinc_node_kind kind;
	} cases[] = {
	    {"a/attributes.json", DATASET, "n5", ZINC_NODE_ARRAY},
	    {"b/attributes.json", ROOT, "n5", ZINC_NODE_GROUP},
	    {"c/attributes.json", "{\"blockSize\": [", "n5", ZINC_NODE_NONE},
	    {"d/attributes.json", "{\"title\": \"of somebody else\"}", "", ZINC_NODE_NONE},
	    {"e/attributes.json", "[1, 2]", "", ZINC_NODE_NONE},
	    {"f/attributes.json", "{\"dimensions\": [1, 2]}", "", ZINC_NODE_NONE},
	    {"g/attributes.json", "", "", ZINC_NODE_NONE},
	    {"b/s/t/attributes.json", "{\"title\": \"below a root\"}", "n5", ZINC_NODE_GROUP},
	    {"a/s/attributes.json", "{\"title\": \"below a dataset\"}", "", ZINC_NODE_NONE},
	    {"d/s/attributes.json", "{\"title\": \"below a directory\"}", "", ZINC_NODE_NONE},
	};
	zinc_node_kind kind;
	char prefix[40];
	size_t i;
	forest f;

	(void)state;
	forest_open_format(&f, "n5");
	for (i = 0; i < COUNT(cases); i++) {
		forest_put(&f, cases[i].key, cases[i].text);
		snprintf(prefix, sizeof prefix, "%.*s", (int)(zinc_key_name(cases[i].key) - cases[i].key),
			 cases[i].key);
		assert_string_equal(detect(&f, prefix, &kind), cases[i].id);
		assert_int_equal(kind, cases[i].kind);
	}
	forest_put(&f, "a/zarr.json", GROUP); /* both: version 3 is read */
	assert_string_equal(detect(&f, "a/", &kind), "v3");
	forest_close(&f);
}

/* A dataset is shown with its axes reversed; attributes are beside the members that N5 defines. */
static void
reading(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_meta *m = NULL;
	zinc_report r;
	forest f;

	(void)state;
	forest_open_format(&f, "n5");
	zinc_report_init(&r, f.ctx, true, "");
	forest_put(
	    &f, "a/attributes.json",
	    DATASET_WITH(", \"shape\": 1.50, \"_ARRAY_DIMENSIONS\": [\"y\", \"x\"], \"attributes\": {\"b\": 2}"));
	assert_ok(zinc_read_node(f.h, "/a", &r, &m, &err));
	assert_int_equal(m->ndim, 2);
	assert_int_equal(m->shape[0], 2);
	assert_int_equal(m->shape[1], 3);
	assert_int_equal(m->chunk_shape[0], 1);
	assert_int_equal(m->chunk_shape[1], 2);
	assert_string_equal(m->dtype->name, "int16");
	assert_string_equal(m->dimension_names[1], "x");
	assert_int_equal(m->attributes->n, 3);
	assert_string_equal(zinc_json_member(m->attributes, "shape")->text, "1.50");
	assert_non_null(zinc_json_member(zinc_json_member(m->attributes, "attributes"), "b"));
	zinc_meta_free(m);
	/* of a group every member but the version is an attribute */
	forest_put(&f, "g/attributes.json",
		   "{\"n5\": \"2.0.0\", \"shape\": [1], \"dataType\": \"x\", \"blockSize\": [2]}");
	assert_ok(zinc_read_node(f.h, "/g", &r, &m, &err));
	assert_int_equal(m->kind, ZINC_NODE_GROUP);
	assert_int_equal(m->attributes->n, 3);
	zinc_meta_free(m);
	forest_close(&f);
}

/* The block of chunk (1, 1) is at "1/1" of N5's axes, cut to one element; readers accept one that is not cut. */
static void
blocks(void **state)
{
	int16_t elements[6] = {1, 2, 3, 4, 5, 6};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_buffer b = ZINC_BUFFER_INIT(ZINC_INT16, elements, sizeof elements);
	zinc_array *a = NULL;
	forest f;

	(void)state;
	forest_open_format(&f, "n5");
	forest_put(&f, "a/attributes.json", DATASET);
	assert_ok(zinc_array_open(&a, f.h, "a", NULL, &err));
	assert_ok(zinc_array_write(a, NULL, &b, NULL, &err));
	assert_string_equal(forest_keys(&f), "a/0/0 a/0/1 a/1/0 a/1/1 a/attributes.json");
	assert_memory_equal(forest_get(&f, "a/0/0"), "\0\0\0\2\0\0\0\2\0\0\0\1\0\1\0\2", 16);
	assert_memory_equal(forest_get(&f, "a/0/1"), "\0\0\0\2\0\0\0\2\0\0\0\1\0\4\0\5", 16);
	assert_memory_equal(forest_get(&f, "a/1/1"), "\0\0\0\2\0\0\0\1\0\0\0\1\0\6", 14);
	memset(elements, 0, sizeof elements);
	assert_ok(zinc_array_read(a, NULL, &b, NULL, &err));
	assert_int_equal(elements[5], 6);
	zinc_array_close(a);
	forest_close(&f);
}

/* (P1) (P2) and the rules */
static void
documents(void **state)
{
#define DOC(dimensions, block, type, compression)                                                                      \
	"{\"dimensions\": " dimensions ", \"blockSize\": " block ", \"dataType\": " type                               \
	", \"compression\": " compression "}"
	static const struct {
		const char *text;
		zinc_status status;
		const char *rule;
	} cases[] = {
	    {DATASET, ZINC_OK, ""},
	    {"{\"dimensions\": [3], \"blockSize\": [2], \"dataType\": \"uint8\", \"compressionType\": \"gzip\"}",
	     ZINC_OK, ""},
	    {"{\"dimensions\": [3], \"dataType\": \"uint8\", \"compressionType\": \"raw\"}", ZINC_OK, "N5-3"},
	    {"{\"dimensions\": [3], \"blockSize\": [2], \"dataType\": \"uint8\"}", ZINC_E_CORRUPT, "N5-3"},
	    {"{\"dimensions\": [3], \"blockSize\": [2], \"compressionType\": \"raw\"}", ZINC_E_CORRUPT, "N5-3"},
	    {DOC("3", "[2]", "\"uint8\"", "{\"type\": \"raw\"}"), ZINC_E_CORRUPT, "N5-4"},
	    {DOC("[-3]", "[2]", "\"uint8\"", "{\"type\": \"raw\"}"), ZINC_E_CORRUPT, "N5-4"},
	    {DOC("[]", "[]", "\"uint8\"", "{\"type\": \"raw\"}"), ZINC_OK, "N5-4"},
	    {DOC("[3]", "[2, 1]", "\"uint8\"", "{\"type\": \"raw\"}"), ZINC_E_CORRUPT, "N5-5"},
	    {DOC("[3]", "[0]", "\"uint8\"", "{\"type\": \"raw\"}"), ZINC_E_CORRUPT, "N5-5"},
	    {DOC("[3]", "2", "\"uint8\"", "{\"type\": \"raw\"}"), ZINC_E_CORRUPT, "N5-5"},
	    {DOC("[3]", "[2]", "8", "{\"type\": \"raw\"}"), ZINC_E_CORRUPT, "N5-6"},
	    {DOC("[3]", "[2]", "\"string\"", "{\"type\": \"raw\"}"), ZINC_OK, "N5-6"},
	    {DOC("[3]", "[2]", "\"object\"", "{\"type\": \"raw\"}"), ZINC_OK, "N5-6"},
	    {DOC("[3]", "[2]", "\"bool\"", "{\"type\": \"raw\"}"), ZINC_OK, "N5-6"},
	    {DOC("[3]", "[2]", "\"uint8\"", "\"raw\""), ZINC_OK, "N5-7"},
	    {DOC("[3]", "[2]", "\"uint8\"", "{}"), ZINC_E_CORRUPT, "N5-7"},
	    {DOC("[3]", "[2]", "\"uint8\"", "{\"type\": \"gzip\", \"level\": 10}"), ZINC_E_CORRUPT, "N5-7"},
	    {DOC("[3]", "[2]", "\"uint8\"", "{\"type\": \"gzip\", \"useZlib\": 1}"), ZINC_E_CORRUPT, "N5-7"},
	    {DOC("[3]", "[2]", "\"uint8\"", "{\"type\": \"blosc\", \"cname\": \"none\"}"), ZINC_E_CORRUPT, "N5-7"},
	    {DOC("[3]", "[2]", "\"uint8\"", "{\"type\": \"blosc\", \"cname\": 3}"), ZINC_E_CORRUPT, "N5-7"},
	    {DOC("[3]", "[2]", "\"uint8\"", "{\"type\": \"bzip2\", \"blockSize\": 0}"), ZINC_E_CORRUPT, "N5-7"},
	    {DOC("[3]", "[2]", "\"uint8\"", "{\"type\": \"jpeg\"}"), ZINC_OK, "N5-8"},
	    {"{\"n5\": \"4.0.0\"}", ZINC_OK, ""},
	    {"{\"n5\": \"5.0.0\"}", ZINC_OK, "N5-2"},
	    {"{\"n5\": \"99999999999999999999\"}", ZINC_OK, "N5-2"},
	    {"{\"n5\": 2}", ZINC_E_CORRUPT, "N5-2"},
	    {"{\"n5\": \"2.0.0\", \"n5\": \"2.0.0\"}", ZINC_OK, "N5-1"},
	    {"[]", ZINC_E_CORRUPT, "N5-1"},
	    {"{", ZINC_E_CORRUPT, "N5-1"},
	    {"{\"dimensions\": 3}", ZINC_OK, ""},
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(cases); i++) {
		zinc_error err = ZINC_ERROR_INIT;
		zinc_meta *m = NULL;
		zinc_report r;
		zinc_status st;
		forest f;

		forest_open_format(&f, "n5");
		forest_put(&f, "a/attributes.json", cases[i].text);
		zinc_report_init(&r, f.ctx, false, "");
		st = zinc_read_node(f.h, "/a", &r, &m, &err);
		if (st != cases[i].status)
			fail_msg("%s: %s", cases[i].text, zinc_error_text(&err));
		if (st != ZINC_OK)
			assert_string_equal(err.rule, cases[i].rule);
		else if (m->unsupported)
			assert_string_equal(m->unsupported_rule, cases[i].rule);
		else
			assert_int_equal(f.warnings, *cases[i].rule != '\0');
		zinc_meta_free(m);
		forest_close(&f);
	}
}

static zinc_status
create(forest *f, const char *path, const zinc_array_options *o, zinc_error *err)
{
	zinc_array *a = NULL;
	const zinc_status st = zinc_array_create(&a, f->h, path, o, err);

	zinc_array_close(a);
	return st;
}

/* (M1) (M2) (P3); missing groups above get a document, since a root is found by it. */
static void
creating(void **state)
{
	static const uint64_t shape[] = {4, 3}, chunks[] = {2, 3};
	static const char *const names[] = {"y", "x"};
	zinc_error err = ZINC_ERROR_INIT;
	forest f;

	(void)state;
	forest_open_format(&f, "n5");
	assert_ok(
	    create(&f, "g/a",
		   ZINC_ARRAY_OPTIONS(.ndim = 2, .shape = shape, .chunks = chunks, .dtype = "float32",
				      .codecs = "blosc:zstd:3", .dimension_names = names, .attributes = "{\"u\": 1}"),
		   &err));
	assert_string_equal(forest_keys(&f), "attributes.json g/a/attributes.json g/attributes.json");
	assert_non_null(strstr(forest_get(&f, "g/a/attributes.json"), "\"dimensions\": [3, 4]"));
	assert_non_null(strstr(forest_get(&f, "g/a/attributes.json"), "\"blockSize\": [3, 2]"));
	assert_non_null(strstr(forest_get(&f, "g/a/attributes.json"), "\"_ARRAY_DIMENSIONS\": [\"y\", \"x\"]"));
	assert_non_null(strstr(forest_get(&f, "g/a/attributes.json"), "\"u\": 1"));
	assert_int_equal(create(&f, "b", ZINC_ARRAY_OPTIONS(.ndim = 2, .shape = shape, .dtype = "bool"), &err),
			 ZINC_E_INVALID);
	assert_non_null(strstr(err.text, "bool"));
	assert_int_equal(create(&f, "b", ZINC_ARRAY_OPTIONS(.ndim = 0, .dtype = "int8"), &err), ZINC_E_INVALID);
	assert_non_null(strstr(err.text, "without dimensions"));
	assert_int_equal(
	    create(&f, "b", ZINC_ARRAY_OPTIONS(.ndim = 2, .shape = shape, .dtype = "int8", .fill = "1"), &err),
	    ZINC_E_INVALID);
	assert_non_null(strstr(err.text, "fill value"));
	assert_int_equal(
	    create(&f, "b", ZINC_ARRAY_OPTIONS(.ndim = 2, .shape = shape, .dtype = "float32", .fill = "-0.0"), &err),
	    ZINC_E_INVALID);
	assert_int_equal(create(&f, "b",
				ZINC_ARRAY_OPTIONS(.ndim = 2, .shape = shape, .dtype = "int8", .codecs = "zstd+crc32c"),
				&err),
			 ZINC_E_INVALID);
	assert_int_equal(
	    create(&f, "b", ZINC_ARRAY_OPTIONS(.ndim = 2, .shape = shape, .dtype = "int8", .codecs = "transpose:1,0"),
		   &err),
	    ZINC_E_INVALID);
	assert_int_equal(
	    create(&f, "b",
		   ZINC_ARRAY_OPTIONS(.ndim = 2, .shape = shape, .dtype = "int8", .attributes = "{\"blockSize\": 1}"),
		   &err),
	    ZINC_E_INVALID);
	assert_string_equal(err.rule, "N5-9");
	assert_int_equal(zinc_group_create(f.h, "h", "{\"n5\": 1}", 0, NULL, &err), ZINC_E_INVALID);
	assert_int_equal(zinc_group_create(f.h, "h", "{\"dimensions\": 1, \"dataType\": 2}", 0, NULL, &err),
			 ZINC_E_INVALID);
	assert_ok(zinc_group_create(f.h, "h", "{\"dimensions\": 1}", 0, NULL, &err));
	assert_int_equal(zinc_group_create(f.h, "g/a/h", NULL, 0, NULL, &err), ZINC_E_INVALID);
	assert_string_equal(err.rule, "N5-13");
	forest_close(&f);
}

/* Each compression is written as N5 has it, and read back. */
static void
compressions(void **state)
{
	static const char *const cases[][2] = {
	    {"none", "\"type\": \"raw\""},
	    {"gzip:3", "\"type\": \"gzip\",\n    \"level\": 3,\n    \"useZlib\": false"},
	    {"numcodecs.zlib:3", "\"type\": \"gzip\",\n    \"level\": 3,\n    \"useZlib\": true"},
	    {"numcodecs.bz2:3", "\"type\": \"bzip2\",\n    \"blockSize\": 3"},
	    {"numcodecs.lzma:3", "\"type\": \"xz\",\n    \"preset\": 3"},
	    {"n5_lz4:1024", "\"type\": \"lz4\",\n    \"blockSize\": 1024"},
	    {"numcodecs.lz4:2", "\"type\": \"lz4\",\n    \"acceleration\": 2"},
	    {"zstd:-3", "\"type\": \"zstd\",\n    \"level\": -3"},
	    {"blosc:lz4:5",
	     "\"type\": \"blosc\",\n    \"cname\": \"lz4\",\n    \"clevel\": 5,\n    \"blocksize\": 0,\n    "
	     "\"shuffle\": 1"},
	};
	static const uint64_t shape[] = {70}, chunks[] = {50};
	int16_t in[70], out[70];
	zinc_buffer b = ZINC_BUFFER_INIT(ZINC_INT16, in, sizeof in),
		    back = ZINC_BUFFER_INIT(ZINC_INT16, out, sizeof out);
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(in); i++)
		in[i] = (int16_t)(i * i);
	for (i = 0; i < COUNT(cases); i++) {
		zinc_error err = ZINC_ERROR_INIT;
		zinc_array *a = NULL;
		forest f;

		forest_open_format(&f, "n5");
		assert_ok(create(&f, "a",
				 ZINC_ARRAY_OPTIONS(.ndim = 1, .shape = shape, .chunks = chunks, .dtype = "int16",
						    .codecs = cases[i][0]),
				 &err));
		if (!strstr(forest_get(&f, "a/attributes.json"), cases[i][1]))
			fail_msg("%s: %s", cases[i][0], forest_get(&f, "a/attributes.json"));
		assert_ok(zinc_array_open(&a, f.h, "a", NULL, &err));
		assert_ok(zinc_array_write(a, NULL, &b, NULL, &err));
		memset(out, 0xff, sizeof out);
		assert_ok(zinc_array_read(a, NULL, &back, NULL, &err));
		assert_memory_equal(in, out, sizeof in);
		zinc_array_close(a);
		forest_close(&f);
	}
}

/* A block at the old border is smaller than its chunk after the array has grown, and larger after it has shrunk. */
static void
resizing(void **state)
{
	static const uint64_t shape[] = {3}, chunks[] = {4}, more[] = {6}, less[] = {2};
	int16_t elements[6] = {1, 2, 3, 9, 9, 9};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_buffer b = ZINC_BUFFER_INIT(ZINC_INT16, elements, 6);
	zinc_array *a = NULL;
	forest f;

	(void)state;
	forest_open_format(&f, "n5");
	assert_ok(create(
	    &f, "a",
	    ZINC_ARRAY_OPTIONS(.ndim = 1, .shape = shape, .chunks = chunks, .dtype = "int16", .codecs = "none"), &err));
	assert_ok(zinc_array_open(&a, f.h, "a", NULL, &err));
	assert_ok(zinc_array_write(a, NULL, &b, NULL, &err));
	assert_memory_equal(forest_get(&f, "a/0"), "\0\0\0\1\0\0\0\3", 8);
	assert_ok(zinc_array_resize(a, more, NULL, &err));
	assert_non_null(strstr(forest_get(&f, "a/attributes.json"), "\"dimensions\": [6]"));
	b.nbytes = sizeof elements;
	assert_ok(zinc_array_read(a, NULL, &b, NULL, &err));
	assert_memory_equal(elements, ((int16_t[]){1, 2, 3, 0, 0, 0}), sizeof elements);
	assert_ok(zinc_array_resize(a, less, NULL, &err));
	elements[1] = 0;
	assert_ok(zinc_array_read(a, NULL, &b, NULL, &err));
	assert_int_equal(elements[1], 2);
	zinc_array_close(a);
	forest_close(&f);
}

/* (3) */
static void
listing(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_meta *m = NULL;
	zinc_report r;
	forest f;

	(void)state;
	forest_open_format(&f, "n5");
	forest_put(&f, "attributes.json", ROOT);
	forest_put(&f, "g/h/a/attributes.json", DATASET);
	forest_put(&f, "g/h/a/0/0", "block");
	forest_put(&f, "b/attributes.json", "{\"multiscales\": []}");
	forest_put(&f, "notes/readme.txt", "of nobody");
	assert_string_equal(forest_list(&f, "/", -1), "G/ G/b g/g g/g/h A/g/h/a");
	assert_string_equal(forest_list(&f, "/g", -1), "g/g g/g/h A/g/h/a");
	assert_int_equal(f.warnings, 0);
	zinc_report_init(&r, f.ctx, true, "");
	assert_ok(zinc_read_node(f.h, "/g/h", &r, &m, &err));
	assert_true(m->implicit);
	zinc_meta_free(m);
	assert_int_equal(zinc_read_node(f.h, "/g/h/a/0", &r, &m, &err), ZINC_E_NOTFOUND); /* blocks are no nodes */
	assert_int_equal(zinc_read_node(f.h, "/g/x", &r, &m, &err), ZINC_E_NOTFOUND);
	forest_close(&f);
}

/* Attributes are edited without a change of the rest, and the shape keeps the spelling of other members. */
static void
editing(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	static const uint64_t shape[] = {2, 5};
	static const zinc_attribute change = {.key = "y", .json = "[2]"};
	zinc_array *a = NULL;
	forest f;

	(void)state;
	forest_open_format(&f, "n5");
	forest_put(&f, "attributes.json", "{\"n5\": \"2.5.1\", \"x\": 1.50}");
	forest_put(&f, "a/attributes.json", DATASET_WITH(", \"resolution\": [1.0, 2.50e0]"));
	assert_ok(zinc_attributes_edit(f.h, "/", &change, 1, NULL, &err));
	assert_non_null(strstr(forest_get(&f, "attributes.json"), "\"n5\": \"2.5.1\""));
	assert_non_null(strstr(forest_get(&f, "attributes.json"), "\"x\": 1.50"));
	assert_non_null(strstr(forest_get(&f, "attributes.json"), "\"y\": [2]"));
	assert_ok(zinc_array_open(&a, f.h, "a", NULL, &err));
	assert_ok(zinc_array_resize(a, shape, NULL, &err));
	assert_non_null(strstr(forest_get(&f, "a/attributes.json"), "\"dimensions\": [5, 2]"));
	assert_non_null(strstr(forest_get(&f, "a/attributes.json"), "[1.0, 2.50e0]"));
	zinc_array_close(a);
	forest_close(&f);
}

static zinc_status
work(zinc_hierarchy *h, zinc_error *err)
{
	static const uint64_t shape[] = {4, 3}, more[] = {5, 3};
	zinc_array *a = NULL;
	zinc_status st = zinc_array_create(
	    &a, h, "g/a", ZINC_ARRAY_OPTIONS(.ndim = 2, .shape = shape, .dtype = "int16", .attributes = "{\"u\": [1]}"),
	    err);

	if (st == ZINC_OK)
		st = zinc_array_resize(a, more, NULL, err);
	zinc_array_close(a);
	return st;
}

static zinc_status
scenario(void *arg, zinc_context *ctx, zinc_error *err)
{
	(void)arg;
	return in_new_hierarchy(ctx, "n5", work, true, err);
}

static void
memory(void **state)
{
	(void)state;
	assert_true(sweep_alloc(scenario, NULL) > 200);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(names),        cmocka_unit_test(detection), cmocka_unit_test(reading),
	    cmocka_unit_test(blocks),       cmocka_unit_test(documents), cmocka_unit_test(creating),
	    cmocka_unit_test(compressions), cmocka_unit_test(resizing),  cmocka_unit_test(listing),
	    cmocka_unit_test(editing),      cmocka_unit_test(memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
