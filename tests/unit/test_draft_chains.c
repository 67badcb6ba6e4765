/*
 * test_draft_chains.c - the draft of 2022: chains in any order and the bytes they make, its variants, fallbacks, memory
 *
 * Its other features are tested in test_format_v3_2022.c.
 */
#include <stdio.h>
#include <string.h>

#include "format/format.h"
#include "nodes.h"
#include "sweep.h"
#include "test.h"

#define CORE   "https://purl.org/zarr/spec/core/3.0"
#define CODECS "https://purl.org/zarr/spec/codecs/"
#define ENTRY                                                                                                          \
	"{\"zarr_format\": \"" CORE                                                                                    \
	"\", \"metadata_encoding\": {\"type\": \"json\", \"metadata_key_suffix\": \".json\"}, \"extensions\": []}"
#define ENDIAN(x) "{\"type\": \"" CODECS "endian/1.0\", \"configuration\": {\"endian\": \"" x "\"}}"
#define GZIP      "{\"type\": \"" CODECS "gzip/1.0\", \"configuration\": {\"level\": 0}}"
#define BLOSC(s)                                                                                                       \
	"{\"type\": \"" CODECS "blosc/1.0\", \"configuration\": {\"cname\": \"lz4\", \"clevel\": 1, \"shuffle\": " s   \
	", \"blocksize\": 0}}"

/* An array of four uint16 in one chunk; `members` follow. */
#define ARRAY22(type, fill, members)                                                                                   \
	"{\"shape\": [4], \"data_type\": " type ", \"chunk_grid\": {\"type\": \"regular\", \"chunk_shape\": [4], "     \
	"\"separator\": \"/\"}, \"fill_value\": " fill ", \"extensions\": [], \"attributes\": {}" members "}"

/* A store with an entry point and an array /a. */
static void
plant(forest *f, const char *entry, const char *key, const char *array, const char *fallback)
{
	zinc_error err = ZINC_ERROR_INIT;

	forest_open(f, "", ZINC_LENIENT);
	zinc_hierarchy_close(f->h);
	forest_put(f, "zarr.json", entry);
	forest_put(f, key, array);
	assert_ok(
	    zinc_hierarchy_open(&f->h, f->log, "", ZINC_OPEN_OPTIONS(.context = f->ctx, .fallback = fallback), &err));
	assert_string_equal(zinc_hierarchy_format(f->h), "v3-2022");
}

/* ---- chains ---- */

/* Write 1, 2, 3, 0x0405; read them back; and compare the chunk with `stored`, n bytes. */
static void
round_trip(forest *f, const char *key, const char *stored, size_t n)
{
	static const uint16_t values[] = {1, 2, 3, 0x0405};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_blob chunk = ZINC_BLOB_INIT;
	uint16_t back[4] = {0};
	zinc_array *a = NULL;

	assert_ok(zinc_array_open(&a, f->h, "/a", NULL, &err));
	assert_null(zinc_array_unsupported(a));
	assert_ok(zinc_array_write(a, NULL, ZINC_BUFFER(values, sizeof values), NULL, &err));
	assert_ok(zinc_array_read(a, NULL, ZINC_BUFFER(back, sizeof back), NULL, &err));
	assert_memory_equal(back, values, sizeof back);
	zinc_array_close(a);
	assert_ok(zinc_store_get_all(f->memory, key, &chunk, NULL, 0, NULL, &err));
	if (n > 0 && !memmem(chunk.data, chunk.nbytes, stored, n))
		fail_msg("%s: other bytes are stored", key);
	zinc_blob_fini(&chunk);
}

/* Elements are little-endian unless `endian` reverses them; what one codec makes, the next takes as its own: a second
 * reversal is none.  22-9+ 22-29+ 22-31+ 22-32+ 22-158+ 22-162+ 22-163+ */
static void
test_chains(void **state)
{
	static const char little[] = "\1\0\2\0\3\0\5\4", big[] = "\0\1\0\2\0\3\4\5";
	static const struct {
		const char *codecs, *stored;
	} cases[] = {
	    {"[]", little},
	    {"[" ENDIAN("little") "]", little},
	    {"[" ENDIAN("big") "]", big},
	    {"[" ENDIAN("big") ", " ENDIAN("little") "]", big},
	    {"[" ENDIAN("big") ", " ENDIAN("big") "]", little},
	    {"[" ENDIAN("little") ", " ENDIAN("big") "]", big},
	    {"[" GZIP "]", little},
	    {"[" ENDIAN("big") ", " GZIP "]", big},
	    {"[" GZIP ", " ENDIAN("little") "]", little},
	    {"[" GZIP ", " GZIP "]", NULL},
	    {"[" BLOSC("0") "]", NULL},
	    {"[" BLOSC("1") "]", NULL},
	    {"[" BLOSC("2") "]", NULL},
	    {"[" BLOSC("-1") "]", NULL},
	    {"[" ENDIAN("big") ", " BLOSC("-1") ", " GZIP "]", NULL},
	};
	char text[2048];
	forest f;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(cases); i++) {
		snprintf(text, sizeof text,
			 ARRAY22("\"uint16\"", "0", ", \"chunk_memory_layout\": \"C\", \"codecs\": %s"),
			 cases[i].codecs);
		plant(&f, ENTRY, "meta/a.array.json", text, NULL);
		round_trip(&f, "data/a/c0", cases[i].stored, cases[i].stored ? 8 : 0);
		forest_close(&f);
	}
}

/* Compressed bytes are not numbers: the array opens, its elements do not.  22-8- 22-30- */
static void
test_impossible_chain(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_array *a = NULL;
	forest f;

	(void)state;
	plant(&f, ENTRY, "meta/a.array.json",
	      ARRAY22("\"uint16\"", "0", ", \"chunk_memory_layout\": \"C\", \"codecs\": [" GZIP ", " ENDIAN("big") "]"),
	      NULL);
	assert_ok(zinc_array_open(&a, f.h, "/a", NULL, &err));
	assert_non_null(strstr(zinc_array_unsupported(a), "endian"));
	zinc_array_close(a);
	forest_close(&f);
}

/* ---- variants ---- */

/* Of May to November 2022, with the keys of 2020; of January 2023, with a transpose for the layout. */
static void
test_variants(void **state)
{
	static const char interim[] = "{\"zarr_format\": \"" CORE "\", \"metadata_encoding\": \"" CORE
				      "\", \"metadata_key_suffix\": \".json\", \"extensions\": []}";
	forest f;

	(void)state;
	plant(
	    &f, interim, "meta/root/a.array.json",
	    ARRAY22("\"<u2\"", "0",
		    ", \"chunk_memory_layout\": \"C\", \"compressor\": {\"codec\": \"https://purl.org/zarr/spec/codec/"
		    "gzip/1.0\", \"configuration\": {\"level\": 0}}"),
	    NULL);
	round_trip(&f, "data/root/a/c0", "\1\0\2\0\3\0\5\4", 8);
	forest_close(&f);
	plant(&f, ENTRY, "meta/a.array.json", ARRAY22("\"uint16\"", "0", ", \"codecs\": []"), NULL);
	round_trip(&f, "data/a/c0", "\1\0\2\0\3\0\5\4", 8);
	forest_close(&f);
	plant(&f, ENTRY, "meta/a.array.json", ARRAY22("\">u2\"", "0", ", \"chunk_memory_layout\": \"C\""), NULL);
	round_trip(&f, "data/a/c0", "\0\1\0\2\0\3\4\5", 8); /* the spelling of 2020 includes the byte order */
	forest_close(&f);
}

/* ---- fallbacks ---- */

#define UNKNOWN(fallback)                                                                                              \
	"{\"extension\": \"https://example.org/types/angle/1.0\", \"type\": \"angle\", \"fallback\": " fallback "}"

/* The first of the list that is known, when it is allowed, and with a warning.  22-58+ 22-61+ */
static void
test_fallback_read(void **state)
{
	static const char array[] = ARRAY22(
	    UNKNOWN(
		"[{\"extension\": \"https://example.org/types/half/1.0\", \"type\": \"half\"}, \"uint16\", \"r16\"]"),
	    "0", ", \"chunk_memory_layout\": \"C\"");
	zinc_error err = ZINC_ERROR_INIT;
	zinc_array *a = NULL;
	forest f;

	(void)state;
	plant(&f, ENTRY, "meta/a.array.json", array, NULL);
	assert_ok(zinc_array_open(&a, f.h, "/a", NULL, &err));
	assert_non_null(strstr(zinc_array_unsupported(a), "https://example.org/types/angle/1.0"));
	zinc_array_close(a);
	forest_close(&f);
	plant(&f, ENTRY, "meta/a.array.json", array, "any");
	f.warnings = 0;
	assert_ok(zinc_array_open(&a, f.h, "/a", NULL, &err));
	assert_null(zinc_array_unsupported(a));
	assert_string_equal(zinc_array_dtype(a), "uint16");
	assert_int_equal(f.warnings, 1);
	assert_non_null(strstr(f.warning, "uint16"));
	zinc_array_close(a);
	forest_close(&f);
}

/* Types of fixed size have a raw type as last fallback; a caller may give others.  22-59+ 22-60+ */
static void
test_fallback_written(void **state)
{
	static const struct {
		const char *dtype, *fallback, *want;
	} cases[] = {
	    {"<M8[ns]", NULL, "\"fallback\": [\"int64\", \"r64\"]"},
	    {">m8[D]", NULL, "\"fallback\": [\"int64\", \"r64\"]"},
	    {"|S5", NULL, "\"r40\""},
	    {"<U2", NULL, "\"r64\""},
	    {"<M8[ns]", "r64", "\"r64\""},
	};
	static const uint64_t shape[] = {2};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_array *a = NULL;
	forest f;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(cases); i++) {
		plant(&f, ENTRY, "meta/g.group.json", "{\"attributes\": {}}", cases[i].fallback);
		assert_ok(zinc_array_create(
		    &a, f.h, "/a", ZINC_ARRAY_OPTIONS(.ndim = 1, .shape = shape, .dtype = cases[i].dtype), &err));
		zinc_array_close(a);
		if (!strstr(forest_get(&f, "meta/a.array.json"), cases[i].want))
			fail_msg("%s: %s", cases[i].dtype, f.text);
		forest_close(&f);
	}
}

/* ---- memory ---- */

static zinc_status
work(zinc_hierarchy *h, zinc_error *err)
{
	static const uint64_t shape[] = {5, 4}, chunks[] = {1, 2}, shards[] = {2, 4};
	static const uint16_t values[20] = {1, 2, 3};
	zinc_array *a = NULL;
	zinc_status st;

	ZINC_TRY(
	    zinc_array_create(&a, h, "/g/a",
			      ZINC_ARRAY_OPTIONS(.ndim = 2, .shape = shape, .chunks = chunks, .shards = shards,
						 .dtype = "uint16", .codecs = "blosc", .big_endian = 1, .fortran = 1),
			      err));
	st = zinc_array_write(a, NULL, ZINC_BUFFER(values, sizeof values), NULL, err);
	zinc_array_close(a);
	ZINC_TRY(st);
	return zinc_node_erase(h, "/g", NULL, err);
}

static zinc_status
scenario(void *arg, zinc_context *ctx, zinc_error *err)
{
	(void)arg;
	return in_new_hierarchy(ctx, "v3-2022", work, false, err);
}

static void
test_sweep(void **state)
{
	(void)state;
	assert_true(sweep_alloc(scenario, NULL) > 200);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_chains),           cmocka_unit_test(test_impossible_chain),
	    cmocka_unit_test(test_variants),         cmocka_unit_test(test_fallback_read),
	    cmocka_unit_test(test_fallback_written), cmocka_unit_test(test_sweep),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
