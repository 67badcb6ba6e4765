/* test_describe.c - nodes as `zinc info --json` shows them */
#include <string.h>

#include "format/format.h"
#include "nodes.h"
#include "test.h"

/* Describe a node of a hierarchy at "p/" whose document is `text`. */
static const char *
described(const char *path, const char *text)
{
	static char out[8192];
	zinc_error err = ZINC_ERROR_INIT;
	zinc_meta *m = NULL;
	zinc_report r;
	zinc_buf b;
	forest f;

	forest_open(&f, "p", ZINC_LENIENT);
	zinc_report_init(&r, f.ctx, false, "");
	zinc_buf_init(&b, f.ctx, sizeof out - 1);
	if (text)
		assert_ok(zinc_text_parse(&zinc_format_v3, f.ctx, text, strlen(text), &r, &m, &err));
	assert_ok(zinc_meta_describe(f.h, path, m, &b, &err));
	memcpy(out, b.p, b.n);
	out[b.n] = '\0';
	zinc_buf_fini(&b);
	zinc_meta_free(m);
	forest_close(&f);
	return out;
}

#define ARRAY_OF(shape, chunks, dtype, codecs, rest)                                                                   \
	"{\"zarr_format\": 3, \"node_type\": \"array\", \"shape\": " shape ", \"data_type\": " dtype                   \
	", \"chunk_grid\": {\"name\": \"regular\", \"configuration\": {\"chunk_shape\": " chunks "}}, "                \
	"\"chunk_key_encoding\": \"default\", \"codecs\": " codecs rest "}"

/* The contract, member by member. */
static void
test_array(void **state)
{
	(void)state;
	assert_string_equal(
	    described(
		"/foo/baz",
		ARRAY_OF("[100, 20]", "[30, 7]", "\"float64\"",
			 "[{\"name\": \"bytes\", \"configuration\": {\"endian\": \"little\"}}, {\"name\": \"gzip\", "
			 "\"configuration\": {\"level\": 1}}]",
			 ", \"fill_value\": \"NaN\", \"attributes\": {\"spam\": \"ham\"}")),
	    "{\"path\":\"/foo/"
	    "baz\",\"node_type\":\"array\",\"format\":\"v3\",\"shape\":[100,20],\"dimension_names\":null,"
	    "\"data_type\":\"float64\",\"byte_order\":\"little\",\"chunk_shape\":[30,7],\"shard_shape\":null,\"order\":"
	    "\"C\","
	    "\"codecs\":[{\"name\":\"bytes\",\"configuration\":{\"endian\":\"little\"}},{\"name\":\"gzip\","
	    "\"configuration\":"
	    "{\"level\":1}}],\"fill_value\":\"NaN\",\"attributes\":{\"spam\":\"ham\"},\"chunk_grid\":{\"name\":"
	    "\"regular\"},"
	    "\"chunk_key_example\":\"foo/baz/c/0/0\",\"metadata_key\":\"foo/baz/zarr.json\"}");
}

static void
test_groups(void **state)
{
	(void)state;
	assert_string_equal(described("/", GROUP),
			    "{\"path\":\"/\",\"node_type\":\"group\",\"format\":\"v3\",\"attributes\":{},"
			    "\"metadata_key\":\"zarr.json\",\"implicit\":false}");
	assert_string_equal(described("/a", NULL),
			    "{\"path\":\"/a\",\"node_type\":\"group\",\"format\":\"v3\",\"attributes\":{},"
			    "\"metadata_key\":null,\"implicit\":true}");
}

static void
expect(const char *text, const char *member)
{
	const char *all = described("/", text);

	if (!strstr(all, member))
		fail_msg("no %s in %s", member, all);
}

#define SHARD(chunks, codecs)                                                                                          \
	"{\"name\": \"sharding_indexed\", \"configuration\": {\"chunk_shape\": " chunks ", \"codecs\": " codecs        \
	", \"index_codecs\": [{\"name\": \"bytes\", \"configuration\": {\"endian\": \"big\"}}, \"crc32c\"]}}"
#define BIG  "{\"name\": \"bytes\", \"configuration\": {\"endian\": \"big\"}}"
#define FLIP "{\"name\": \"transpose\", \"configuration\": {\"order\": [1, 0]}}"

static void
test_storage(void **state)
{
	static const char plain[] = ARRAY_OF("[8, 4]", "[4, 2]", "\"int16\"", "[" BIG "]", ", \"fill_value\": 0");
	static const char flipped[] =
	    ARRAY_OF("[8, 4]", "[4, 2]", "\"int16\"", "[" FLIP ", " BIG "]", ", \"fill_value\": 0");
	static const char sharded[] = ARRAY_OF("[8, 4]", "[8, 4]", "\"int16\"",
					       "[" SHARD("[2, 1]", "[" FLIP ", " BIG "]") "]", ", \"fill_value\": 0");
	static const char closed[] =
	    ARRAY_OF("[8, 4]", "[8, 4]", "\"int16\"", "[" FLIP ", " SHARD("[1, 2]", "[" BIG "]") ", \"crc32c\"]",
		     ", \"fill_value\": 0");
	static const char turned[] = ARRAY_OF(
	    "[2, 2, 2]", "[2, 2, 2]", "\"int8\"",
	    "[{\"name\": \"transpose\", \"configuration\": {\"order\": [1, 0, 2]}}, \"bytes\"]", ", \"fill_value\": 0");

	(void)state;
	expect(plain, "\"byte_order\":\"big\",\"chunk_shape\":[4,2],\"shard_shape\":null,\"order\":\"C\"");
	expect(flipped, "\"order\":\"F\"");
	expect(sharded, "\"byte_order\":\"big\",\"chunk_shape\":[2,1],\"shard_shape\":[8,4],\"order\":\"F\"");
	expect(sharded, "\"codecs\":[{\"name\":\"sharding_indexed\"");
	expect(closed, "\"chunk_shape\":[2,1],\"shard_shape\":[8,4],\"order\":\"F\"");
	expect(turned, "\"byte_order\":null,\"chunk_shape\":[2,2,2],\"shard_shape\":null,\"order\":null");
	expect(turned, "\"chunk_key_example\":\"c/0/0/0\",\"metadata_key\":\"zarr.json\"");
}

/* (1) Old spellings are printed in the new form; unknown parts are printed unchanged. */
static void
test_vocabulary(void **state)
{
	static const char old[] = ARRAY_OF("[4]", "[2]", "{\"name\": \"int16\"}",
					   "[{\"name\": \"endian\", \"configuration\": {\"endian\": \"little\"}}]",
					   ", \"fill_value\": 0, \"dimension_names\": [null]");
	static const char strange[] =
	    ARRAY_OF("[4]", "[2]", "{\"name\": \"odd.datetime\", \"configuration\": {\"unit\": \"s\"}}", "[\"odd\"]",
		     ", \"fill_value\": \"NaT\"");
	static const char grid[] =
	    "{\"zarr_format\": 3, \"node_type\": \"array\", \"shape\": [4], \"data_type\": \"int8\", \"chunk_grid\": "
	    "{\"name\": \"odd\"}, \"chunk_key_encoding\": \"odd\", \"fill_value\": 1, \"codecs\": [\"bytes\"]}";

	(void)state;
	expect(old, "\"data_type\":\"int16\"");
	expect(old, "\"codecs\":[{\"name\":\"bytes\",\"configuration\":{\"endian\":\"little\"}}]");
	expect(old, "\"dimension_names\":[null]");
	expect(strange,
	       "\"data_type\":{\"name\":\"odd.datetime\",\"configuration\":{\"unit\":\"s\"}},\"byte_order\":null,"
	       "\"chunk_shape\":[2]");
	expect(strange, "\"order\":null,\"codecs\":[\"odd\"],\"fill_value\":\"NaT\"");
	expect(strange, "\"unsupported\":\"data type");
	expect(grid,
	       "\"chunk_shape\":null,\"shard_shape\":null,\"order\":null,\"codecs\":[\"bytes\"],\"fill_value\":1");
	expect(grid, "\"chunk_grid\":{\"name\":\"odd\"},\"chunk_key_example\":null,\"metadata_key\":\"zarr.json\","
		     "\"unsupported\":");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_array),
	    cmocka_unit_test(test_groups),
	    cmocka_unit_test(test_storage),
	    cmocka_unit_test(test_vocabulary),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
