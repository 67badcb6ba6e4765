/*
 * test_format_v3_2022.c - codecs in any order, shards in shards, and variants between the drafts
 */
#include <stdio.h>
#include <string.h>

#include "format/format.h"
#include "nodes.h"
#include "test.h"

#define CORE "https://purl.org/zarr/spec/core/3.0"
#define ENTRY                                                                                                          \
	"{\"zarr_format\": \"" CORE "\", \"metadata_encoding\": {\"type\": \"json\", \"metadata_key_suffix\": "        \
	"\".json\"}, \"extensions\": []}"
#define INTERIM                                                                                                        \
	"{\"zarr_format\": \"" CORE "\", \"metadata_encoding\": \"" CORE "\", \"metadata_key_suffix\": \".json\", "    \
	"\"extensions\": []}"
/* Four int16 in chunks of `chunk`, with further members. */
#define ARRAY22(chunk, more)                                                                                           \
	"{\"shape\": [4], \"data_type\": \"int16\", \"chunk_grid\": {\"type\": \"regular\", \"chunk_shape\": [" chunk  \
	"], \"separator\": \"/\"}, \"chunk_memory_layout\": \"C\", \"fill_value\": 0, \"extensions\": [], "            \
	"\"attributes\": {}, " more "}"
#define CODEC(name, more) "{\"type\": \"https://purl.org/zarr/spec/codecs/" name "/1.0\", \"configuration\": " more "}"
#define BIG               CODEC("endian", "{\"endian\": \"big\"}")
#define LITTLE            CODEC("endian", "{\"endian\": \"little\"}")
#define GZIP              CODEC("gzip", "{\"level\": 0}")
#define SHARDING                                                                                                       \
	"{\"extension\": \"https://purl.org/zarr/spec/extensions/storage_transformers/sharding/1.0\", "                \
	"\"type\": \"indexed\", \"configuration\": {\"chunks_per_shard\": [2]}}"

static void
put_hex(forest *f, const char *key, const char *hex)
{
	uint8_t bytes[256];
	unsigned v;
	size_t n;

	for (n = 0; hex[2 * n] && n < sizeof bytes; n++) {
		assert_int_equal(sscanf(hex + 2 * n, "%2x", &v), 1);
		bytes[n] = (uint8_t)v;
	}
	assert_int_equal(zinc_store_put(f->memory, NULL, key, bytes, n, NULL, 0, NULL, NULL, NULL), ZINC_OK);
}

/* The array "a" must contain 1, 2, 3, 4, or be refused with this status. */
static void
expect(const char *entry, const char *tree, const char *document, const char *hex, zinc_status status)
{
	zinc_error err = ZINC_ERROR_INIT;
	int16_t values[4] = {0};
	zinc_hierarchy *h = NULL;
	zinc_array *a = NULL;
	char key[64];
	zinc_status s;
	forest f;
	int i;

	forest_open(&f, "", ZINC_LENIENT);
	forest_put(&f, "zarr.json", entry);
	snprintf(key, sizeof key, "meta/%sa.array.json", tree);
	forest_put(&f, key, document);
	snprintf(key, sizeof key, "data/%sa/c0", tree);
	put_hex(&f, key, hex);
	assert_ok(zinc_hierarchy_open(&h, f.memory, "", ZINC_OPEN_OPTIONS(.context = f.ctx), &err));
	assert_string_equal(zinc_hierarchy_format(h), "v3-2022");
	assert_ok(zinc_array_open(&a, h, "a", NULL, &err));
	s = zinc_array_read(a, NULL, ZINC_BUFFER(values, sizeof values), NULL, &err);
	if (s != status)
		fail_msg("%s: %s: %s", document, zinc_status_name(s), err.text);
	for (i = 0; i < 4 && s == ZINC_OK; i++)
		assert_int_equal(values[i], i + 1);
	zinc_array_close(a);
	zinc_hierarchy_close(h);
	forest_close(&f);
}

#define ELEMENTS_LE "0100020003000400"
#define ELEMENTS_BE "0001000200030004"

static void
test_codecs(void **state)
{
	static const struct {
		const char *codecs, *hex;
		zinc_status status;
	} cases[] = {
	    {"", ELEMENTS_LE, ZINC_OK},
	    {LITTLE, ELEMENTS_LE, ZINC_OK},
	    {BIG, ELEMENTS_BE, ZINC_OK},
	    {BIG ", " BIG, ELEMENTS_LE, ZINC_OK}, /* bytes become little-endian numbers again */
	    {LITTLE ", " BIG, ELEMENTS_BE, ZINC_OK},
	    {BIG ", " LITTLE, ELEMENTS_BE, ZINC_OK},
	    {GZIP ", " BIG, ELEMENTS_LE, ZINC_E_UNSUPPORTED}, /* compressed bytes are not numbers */
	    {CODEC("x", "{}"), ELEMENTS_LE, ZINC_E_UNSUPPORTED},
	};
	char document[2048];
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(cases); i++) {
		snprintf(document, sizeof document, ARRAY22("4", "\"codecs\": [%s]"), cases[i].codecs);
		expect(ENTRY, "", document, cases[i].hex, cases[i].status);
	}
}

/* Two shards of two chunks each, themselves in a shard. */
static void
test_shards_in_shards(void **state)
{
	static const char inner1[] = "01000200"
				     "0000000000000000"
				     "0200000000000000"
				     "0200000000000000"
				     "0200000000000000";
	static const char inner2[] = "03000400"
				     "0000000000000000"
				     "0200000000000000"
				     "0200000000000000"
				     "0200000000000000";
	static const char index[] = "0000000000000000"
				    "2400000000000000"
				    "2400000000000000"
				    "2400000000000000";
	char hex[512];

	(void)state;
	snprintf(hex, sizeof hex, "%s%s%s", inner1, inner2, index);
	expect(ENTRY, "", ARRAY22("1", "\"storage_transformers\": [" SHARDING ", " SHARDING "]"), hex, ZINC_OK);
}

/* Another transformer is kept, and is named. */
static void
test_unknown_transformer(void **state)
{
	(void)state;
	expect(
	    ENTRY, "",
	    ARRAY22("4", "\"storage_transformers\": [{\"extension\": \"https://example.org/t/1.0\", \"type\": \"x\"}]"),
	    ELEMENTS_LE, ZINC_E_UNSUPPORTED);
}

/* May to November 2022: the entry point and keys of 2020. */
static void
test_interim(void **state)
{
	(void)state;
	expect(INTERIM, "root/", ARRAY22("4", "\"codecs\": [" BIG "]"), ELEMENTS_BE, ZINC_OK);
	expect(INTERIM, "root/",
	       ARRAY22("4", "\"compressor\": {\"codec\": \"https://purl.org/zarr/spec/codec/zzz/1.0\"}"), ELEMENTS_LE,
	       ZINC_E_UNSUPPORTED);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_codecs),
	    cmocka_unit_test(test_shards_in_shards),
	    cmocka_unit_test(test_unknown_transformer),
	    cmocka_unit_test(test_interim),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
