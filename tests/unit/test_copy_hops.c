/*
 * test_copy_hops.c - how often a copy, or an open, reads and prints a document
 *
 * The linker puts the functions below in place of the library's (--wrap), so that every call is counted.  One more
 * array in a hierarchy costs one more parse of its document, and one print of each document of the array.
 */
#include <stdio.h>
#include <zinc/tool.h>

#include "json/json.h"
#include "nodes.h"
#include "test.h"

static unsigned parses, prints;

zinc_status __real_zinc__json_parse(zinc_json_doc **out, zinc_context *ctx, const char *text, size_t n, uint32_t flags,
				    zinc_error *err);
zinc_status __wrap_zinc__json_parse(zinc_json_doc **out, zinc_context *ctx, const char *text, size_t n, uint32_t flags,
				    zinc_error *err);
zinc_status __real_zinc_json_print(const zinc_json *v, zinc_buf *out, zinc_error *err);
zinc_status __wrap_zinc_json_print(const zinc_json *v, zinc_buf *out, zinc_error *err);

zinc_status
__wrap_zinc__json_parse(zinc_json_doc **out, zinc_context *ctx, const char *text, size_t n, uint32_t flags,
			zinc_error *err)
{
	parses++;
	return __real_zinc__json_parse(out, ctx, text, n, flags, err);
}

zinc_status
__wrap_zinc_json_print(const zinc_json *v, zinc_buf *out, zinc_error *err)
{
	prints++;
	return __real_zinc_json_print(v, out, err);
}

/* Shards, a checksum, a NaN with a payload, an unknown member: all of it must be changed. */
#define HARD                                                                                                           \
	"{\"zarr_format\": 3, \"node_type\": \"array\", \"shape\": [4], \"data_type\": \"float32\", "                  \
	"\"chunk_grid\": {\"name\": \"regular\", \"configuration\": {\"chunk_shape\": [4]}}, "                         \
	"\"chunk_key_encoding\": {\"name\": \"default\"}, \"fill_value\": \"0x7fc00001\", \"codecs\": [{\"name\": "    \
	"\"sharding_indexed\", \"configuration\": {\"chunk_shape\": [2], \"codecs\": [{\"name\": \"bytes\", "          \
	"\"configuration\": {\"endian\": \"little\"}}, {\"name\": \"zstd\", \"configuration\": {\"level\": 1, "        \
	"\"checksum\": false}}, {\"name\": \"crc32c\"}], \"index_codecs\": [{\"name\": \"bytes\", \"configuration\": " \
	"{\"endian\": \"little\"}}]}}], \"x\": {\"must_understand\": false}}"

/* A hierarchy of this many arrays, in version 3 or as a copy of that in another format. */
static void
plant(forest *f, const char *format, unsigned arrays)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_hierarchy *to = NULL;
	char key[32];
	unsigned i;

	forest_open(f, "src", ZINC_LENIENT);
	forest_put(f, "src/zarr.json", GROUP);
	for (i = 0; i < arrays; i++) {
		snprintf(key, sizeof key, "src/a%u/zarr.json", i);
		forest_put(f, key, HARD);
	}
	if (!format)
		return;
	assert_ok(zinc_hierarchy_open(&to, f->log, "mid", ZINC_OPEN_OPTIONS(.format = format, .create = 1), &err));
	assert_ok(zinc_copy(f->h, "/", to, "/", ZINC_COPY_OPTIONS(.lossy = 1), NULL, &err));
	zinc_hierarchy_close(f->h);
	f->h = to;
}

static void
copy(const char *from, const char *format, unsigned arrays, unsigned *nparses, unsigned *nprints)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_hierarchy *to = NULL;
	zinc_copy_counts n = ZINC_COPY_COUNTS_INIT;
	forest f;

	plant(&f, from, arrays);
	assert_ok(zinc_hierarchy_open(&to, f.log, "dst", ZINC_OPEN_OPTIONS(.format = format, .create = 1), &err));
	parses = prints = 0;
	assert_ok(zinc_copy(f.h, "/", to, "/", ZINC_COPY_OPTIONS(.lossy = 1), &n, &err));
	assert_int_equal(n.arrays, arrays);
	*nparses = parses;
	*nprints = prints;
	zinc_hierarchy_close(to);
	forest_close(&f);
}

static void
check(const char *from, const char *format, unsigned nparses, unsigned nprints)
{
	unsigned before[2], after[2];

	copy(from, format, 3, &before[0], &before[1]);
	copy(from, format, 4, &after[0], &after[1]);
	assert_int_equal(after[0] - before[0], nparses);
	assert_int_equal(after[1] - before[1], nprints);
}

static void
test_every_pair(void **state)
{
	static const char *const formats[] = {"v3", "v2", "v3-2019", "v3-2020", "v3-2022", "n5"};
	size_t i, k;

	(void)state;
	for (i = 0; i < COUNT(formats); i++)
		for (k = 0; k < COUNT(formats); k++)
			if (i != k)
				check(formats[i], formats[k], 1, 1);
}

/* Four nodes are four parses and four prints, and nothing else is. */
static void
test_whole(void **state)
{
	static const char *const pairs[][2] = {{"v3", "v2"}, {"v2", "v3"}};
	unsigned nparses, nprints;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(pairs); i++) {
		copy(pairs[i][0], pairs[i][1], 3, &nparses, &nprints);
		assert_int_equal(nparses, 4);
		assert_int_equal(nprints, 4);
	}
}

/* Opening parses the root's document, or the entry point, and that of the array once; nothing is printed. */
static void
test_open(void **state)
{
	static const char *const formats[] = {NULL, "v2", "v3-2019", "v3-2020", "v3-2022", "n5"};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_hierarchy *h = NULL;
	zinc_array *a = NULL;
	forest f;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(formats); i++) {
		plant(&f, formats[i], 1);
		parses = prints = 0;
		assert_ok(zinc_hierarchy_open(&h, f.log, formats[i] ? "mid" : "src", NULL, &err));
		assert_int_equal(parses, 1);
		assert_ok(zinc_array_open(&a, h, "/a0", NULL, &err));
		assert_int_equal(parses, 1 + 1);
		assert_int_equal(prints, 0);
		zinc_array_close(a);
		zinc_hierarchy_close(h);
		forest_close(&f);
	}
}

/* By its URL: the array's document, which detection parses and opening uses, and that of the group above it. */
static void
test_open_url(void **state)
{
	zinc_array_options o = ZINC_ARRAY_OPTIONS_INIT;
	zinc_error err = ZINC_ERROR_INIT;
	zinc_hierarchy *h = NULL;
	zinc_array *a = NULL;
	const uint64_t shape = 4;

	(void)state;
	o.shape = &shape;
	o.ndim = 1;
	o.dtype = "int8";
	assert_ok(zinc_hierarchy_open_url(&h, "memory://hops/x.zarr", ZINC_OPEN_OPTIONS(.create = 1), &err));
	assert_ok(zinc_array_create(&a, h, "/a", &o, &err));
	zinc_array_close(a);
	parses = prints = 0;
	assert_ok(zinc_array_open_url(&a, "memory://hops/x.zarr/a", NULL, &err));
	assert_int_equal(parses, 2);
	assert_int_equal(prints, 0);
	zinc_array_close(a);
	zinc_hierarchy_close(h);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_every_pair),
	    cmocka_unit_test(test_whole),
	    cmocka_unit_test(test_open),
	    cmocka_unit_test(test_open_url),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
