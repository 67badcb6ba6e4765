/*
 * test_vocabularies.c - codecs, types, grids and key encodings found by URI and by the ids of Zarr v2
 */
#include <stdio.h>
#include <string.h>
#include <zinc/extend.h>

#include "codec/codec.h"
#include "support/test.h"

#define PURL "purl.org/zarr/spec/"

/* ---- codecs ---- */

/* Every spelling that a draft or an implementation used (2019: http and no version; 2020: codec; 2022: codecs). */
static void
spellings_of_codecs(void **state)
{
	static const char *const gzip[] = {
	    "http://" PURL "codec/gzip",       "https://" PURL "codec/gzip",  "https://" PURL "codec/gzip/1.0",
	    "https://" PURL "codecs/gzip/1.0", "https://" PURL "codecs/gzip", "http://" PURL "codecs/gzip/1.0",
	    "https://" PURL "codec/gzip/1.0/",
	};
	static const char *const ids[] = {"zlib",  "blosc",   "bz2",        "lz4",    "lzma", "zstd",
					  "crc32", "adler32", "fletcher32", "crc32c", "delta"};
	zinc_uri_match match;
	char uri[100], name[40];
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(gzip); i++) {
		assert_string_equal(zinc_codec_find_uri(gzip[i], &match)->name, "numcodecs.gzip");
		assert_int_equal(match, ZINC_URI_SAME);
	}
	for (i = 0; i < COUNT(ids); i++) { /* what reads the configurations of v2, also where v3 has another row */
		snprintf(uri, sizeof uri, "https://" PURL "codec/%s/1.0", ids[i]);
		snprintf(name, sizeof name, "numcodecs.%s", ids[i]);
		assert_string_equal(zinc_codec_find_uri(uri, &match)->name, name);
	}
	assert_string_equal(zinc_codec_find_uri("https://" PURL "codecs/endian/1.0", &match)->name, "bytes");
	assert_string_equal(zinc_codec_find_uri("https://" PURL "codecs/transpose/1.0", &match)->name, "transpose");
}

static void
versions_of_codecs(void **state)
{
	zinc_uri_match match;

	(void)state;
	assert_string_equal(zinc_codec_find_uri("https://" PURL "codec/gzip/1.7", &match)->name, "numcodecs.gzip");
	assert_int_equal(match, ZINC_URI_MINOR);
	assert_null(zinc_codec_find_uri("https://" PURL "codec/gzip/2.0", &match));
	assert_int_equal(match, ZINC_URI_MAJOR);
	assert_null(zinc_codec_find_uri("https://" PURL "codec/gunzip/1.0", &match));
	assert_int_equal(match, ZINC_URI_OTHER);
	assert_null(zinc_codec_find_uri("gzip", &match));
	assert_null(zinc_codec_find_uri("", &match));
}

static const char *const mine[] = {"https://example.org/mine/1.0", "urn:example:mine", NULL};
static const char *const again[] = {"urn:example:mine", NULL};
static const char *const bad_gzip[] = {"https://" PURL "codec/gzip/1.3", NULL};

static void
codecs_of_programs(void **state)
{
	static const zinc_codec_ops row = {.name = "vocabulary.mine", .uris = mine, .v2 = "mine"},
				    twice = {.name = "vocabulary.twice", .uris = again},
				    gzip = {.name = "vocabulary.gzip", .uris = bad_gzip};
	zinc_uri_match match;

	(void)state;
	assert_int_equal(zinc_codec_add(&row, NULL), ZINC_OK);
	assert_ptr_equal(zinc_codec_find_uri("urn:example:mine", &match), &row);
	assert_ptr_equal(zinc_codec_find_uri("http://example.org/mine/1.1", &match), &row);
	assert_int_equal(match, ZINC_URI_MINOR);
	assert_ptr_equal(zinc_codec_find_v2("mine"), &row);
	assert_int_equal(zinc_codec_add(&twice, NULL), ZINC_E_EXISTS);
	assert_int_equal(zinc_codec_add(&gzip, NULL), ZINC_E_EXISTS);
}

/* ---- data types ---- */

/* `json` is an extension type as a draft writes it. */
static zinc_status
parse_type(const zinc_dtype **out, bool *big, const char *json, zinc_uri_match *match, zinc_error *err)
{
	zinc_json_doc *doc;
	zinc_json *root;
	zinc_report r;
	zinc_status st;

	assert_int_equal(zinc_json_parse(&doc, NULL, json, strlen(json), 0, err), ZINC_OK);
	root = zinc_json_root(doc);
	zinc_report_init(&r, NULL, false, "test");
	st = zinc_dtype_parse_uri(out, big, NULL, zinc_json_member(root, "extension")->text,
				  zinc_json_member(root, "type"), zinc_json_member(root, "configuration"), match, &r,
				  err);
	zinc_json_free(doc);
	return st;
}

static void
spellings_of_types(void **state)
{
	static const struct {
		const char *json, *name;
		bool big;
	} rows[] = {
	    {"{\"extension\": \"https://" PURL "extensions/data-types/datetime/1.0\", \"type\": \"<M8[ns]\"}",
	     "numpy.datetime64", false},
	    {"{\"extension\": \"http://" PURL "protocol/extensions/datetime-dtypes/1.0\", \"type\": \">m8[s]\"}",
	     "numpy.timedelta64", true},
	    {"{\"extension\": \"https://" PURL "protocol/extensions/datetime-dtypes/1.0\", \"type\": \"<M8[us]\"}",
	     "numpy.datetime64", false},
	    {"{\"extension\": "
	     "\"https://zarr-specs.readthedocs.io/en/latest/extensions/data-types/datetime/v1.0.html\", \"type\": "
	     "\"<M8[us]\"}",
	     "numpy.datetime64", false},
	    {"{\"extension\": \"https://zarr-specs.readthedocs.io/en/core-protocol-v3.0-dev/protocol/extensions/"
	     "complex-dtypes/v1.0.html\", \"type\": \"<c16\"}",
	     "complex128", false},
	    {"{\"extension\": \"TO"
	     "DO: bytestring array protocol URL\", \"type\": \"|S4\"}",
	     "null_terminated_bytes", false},
	    {"{\"extension\": \"https://" PURL "extensions/data-types/string/1.0\", \"type\": \">U3\"}",
	     "fixed_length_utf32", true},
	    {"{\"extension\": \"https://" PURL
	     "extensions/data-types/struct/1.0\", \"type\": [[\"name\", \"<U10\"], [\"age\", \"<i4\"]]}",
	     "struct", false},
	};
	const zinc_dtype *t;
	zinc_uri_match match;
	zinc_error err;
	size_t i;
	bool big;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		assert_ok(parse_type(&t, &big, rows[i].json, &match, &err));
		assert_int_equal(match, ZINC_URI_SAME);
		assert_string_equal(t->name, rows[i].name);
		assert_int_equal(big, rows[i].big);
		assert_non_null(zinc_dtype_uris(t));
		zinc_dtype_free(t);
	}
	assert_null(zinc_dtype_uris(zinc_dtype_of(ZINC_FLOAT32)));
	assert_string_equal(zinc_dtype_uris(zinc_dtype_of(ZINC_COMPLEX64))[0],
			    "https://" PURL "extensions/data-types/complex/1.0");
}

/* Unsupported, and named, so that a fallback may be used. */
static void
unknown_types(void **state)
{
	static const struct {
		const char *json, *text;
	} rows[] = {
	    {"{\"extension\": \"https://" PURL "extensions/data-types/datetime/1.4\", \"type\": \"<M9[ns]\"}",
	     "data type \"<M9[ns]\" of \"https://" PURL "extensions/data-types/datetime/1.4\" is not known"},
	    {"{\"extension\": \"https://" PURL "extensions/data-types/datetime/2.0\", \"type\": \"<M8[ns]\"}",
	     "another major version"},
	    {"{\"extension\": \"https://example.org/colour\", \"type\": \"rgb\"}",
	     "data type \"rgb\" of \"https://example.org/colour\" is not known"},
	    {"{\"extension\": \"https://example.org/colour\", \"type\": {\"space\": 1}}", "https://example.org/colour"},
	};
	const zinc_dtype *t;
	zinc_uri_match match;
	zinc_error err;
	size_t i;
	bool big;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		assert_int_equal(parse_type(&t, &big, rows[i].json, &match, &err), ZINC_E_UNSUPPORTED);
		assert_non_null(strstr(err.text, rows[i].text));
	}
	/* a list of fields is checked like any type */
	assert_int_equal(parse_type(&t, &big,
				    "{\"extension\": \"https://" PURL
				    "extensions/data-types/struct/1.0\", \"type\": [[\"a\"]]}",
				    &match, &err),
			 ZINC_E_CORRUPT);
}

static zinc_status
own_parse(zinc_dtype *t, const zinc_json *configuration, zinc_report *r, zinc_error *err)
{
	static const zinc_dtype_ops ops = {.parse_fill = NULL};

	(void)r, (void)err;
	t->size = configuration ? 6 : 3;
	t->unit = 1;
	t->ops = &ops;
	return ZINC_OK;
}

static const char *const colour[] = {"https://example.org/colours/1.0", NULL};
static const char *const bad_time[] = {"https://" PURL "extensions/data-types/datetime/1.0", NULL};

static void
types_of_programs(void **state)
{
	static const zinc_dtype_row rgb = {.name = "vocabulary.rgb", .v2 = "q3", .uris = colour, .parse = own_parse},
				    cmyk = {.name = "vocabulary.cmyk", .uris = colour, .parse = own_parse},
				    date = {.name = "vocabulary.date", .uris = bad_time, .parse = own_parse};
	const zinc_dtype *t;
	zinc_uri_match match;
	zinc_error err;
	bool big;

	(void)state;
	assert_int_equal(zinc_dtype_register(&rgb, NULL), ZINC_OK);
	assert_int_equal(zinc_dtype_register(&cmyk, NULL), ZINC_OK);
	assert_int_equal(zinc_dtype_register(&date, NULL), ZINC_E_EXISTS);
	assert_ok(parse_type(&t, &big,
			     "{\"extension\": \"http://example.org/colours/1.5\", \"type\": \"vocabulary.cmyk\","
			     " \"configuration\": {\"deep\": true}}",
			     &match, &err));
	assert_int_equal(match, ZINC_URI_MINOR);
	assert_string_equal(t->name, "vocabulary.cmyk");
	assert_int_equal(t->size, 6);
	assert_ptr_equal(zinc_dtype_uris(t), colour);
	zinc_dtype_free(t);
	assert_int_equal(parse_type(&t, &big, "{\"extension\": \"https://example.org/colours/1.0\", \"type\": \"hsv\"}",
				    &match, &err),
			 ZINC_E_UNSUPPORTED);
	assert_int_equal(zinc_dtype_parse_text(&t, &big, NULL, "|q3", &err), ZINC_OK); /* as v2 spells it */
	assert_string_equal(t->name, "vocabulary.rgb");
	assert_true(zinc_dtype_has_v2(t));
	zinc_dtype_free(t);
}

/* ---- grids and key encodings ---- */

static zinc_status
grid_open(void **self, const char *configuration, int ndim, const uint64_t *shape, zinc_error *err)
{
	(void)self, (void)configuration, (void)ndim, (void)shape, (void)err;
	return ZINC_OK;
}

static uint64_t
grid_number(void *self, int dim, uint64_t length)
{
	(void)self, (void)dim;
	return length;
}

static void
grid_span(void *self, int dim, uint64_t chunk, uint64_t *start, uint64_t *extent)
{
	(void)self, (void)dim;
	*start = chunk;
	*extent = 1;
}

static uint64_t
grid_widest(void *self, int dim)
{
	(void)self, (void)dim;
	return 1;
}

static void
grids(void **state)
{
	static const char *const uris[] = {"https://example.org/grid/1.0", NULL};
	static const zinc_grid_def def = {.size = sizeof def,
					  .name = "vocabulary.grid",
					  .uris = uris,
					  .open = grid_open,
					  .count = grid_number,
					  .find = grid_number,
					  .span = grid_span,
					  .widest = grid_widest};
	zinc_grid_def twice = def;
	zinc_uri_match match;

	(void)state;
	assert_null(zinc_grid_find_uri("https://example.org/grid/1.0", &match));
	assert_int_equal(zinc_register_grid(&def, NULL), ZINC_OK);
	twice.name = "vocabulary.twice";
	assert_int_equal(zinc_register_grid(&twice, NULL), ZINC_E_EXISTS);
	assert_string_equal(zinc_grid_find("vocabulary.grid")->name, def.name);
	assert_string_equal(zinc_grid_find("regular")->name, "regular");
	assert_null(zinc_grid_find("irregular"));
	assert_ptr_equal(zinc_grid_find_uri("https://example.org/grid/1.9", &match), zinc_grid_find(def.name));
	assert_int_equal(match, ZINC_URI_MINOR);
	assert_null(zinc_grid_find_uri("https://example.org/grid/2.0", &match));
	assert_int_equal(match, ZINC_URI_MAJOR);
}

static size_t
keys_encode(void *self, const uint64_t *index, int ndim, char *out, size_t room)
{
	(void)self, (void)index, (void)ndim;
	return (size_t)snprintf(out, room, "k");
}

static int
keys_decode(void *self, const char *key, int ndim, uint64_t *index)
{
	(void)self, (void)key, (void)ndim, (void)index;
	return 0;
}

static void
key_encodings(void **state)
{
	static const char *const uris[] = {"https://example.org/keys/1.0", NULL};
	static const zinc_key_encoding_def def = {
	    .size = sizeof def, .name = "vocabulary.keys", .uris = uris, .encode = keys_encode, .decode = keys_decode};
	zinc_key_encoding_def twice = def;
	zinc_uri_match match;

	(void)state;
	assert_int_equal(zinc_register_key_encoding(&def, NULL), ZINC_OK);
	twice.name = "vocabulary.twice";
	assert_int_equal(zinc_register_key_encoding(&twice, NULL), ZINC_E_EXISTS);
	assert_string_equal(zinc_keys_find("vocabulary.keys")->name, def.name);
	assert_string_equal(zinc_keys_find("default")->name, "default");
	assert_null(zinc_keys_find("v1"));
	assert_ptr_equal(zinc_keys_find_uri("https://example.org/keys/1.9", &match), zinc_keys_find(def.name));
	assert_null(zinc_keys_find_uri("https://example.org/keys/2.0", &match));
	assert_int_equal(match, ZINC_URI_MAJOR);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(spellings_of_codecs),
	    cmocka_unit_test(versions_of_codecs),
	    cmocka_unit_test(codecs_of_programs),
	    cmocka_unit_test(spellings_of_types),
	    cmocka_unit_test(unknown_types),
	    cmocka_unit_test(types_of_programs),
	    cmocka_unit_test(grids),
	    cmocka_unit_test(key_encodings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
