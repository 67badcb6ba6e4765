/*
 * test_codec_table.c - codecs by the ids of Zarr v2, and v2's configurations of codecs that v3 also has
 */
#include <stdio.h>

#include "codec/codec_parts.h"
#include "support/codecs.h"
#include "support/test.h"
#include "support/vectors.h"

#define LITTLE            "{\"name\": \"bytes\", \"configuration\": {\"endian\": \"little\"}}"
#define V2(id, members)   "[" LITTLE ", {\"name\": \"numcodecs." id "\", \"configuration\": {" members "}}]"
#define V3(name, members) "[" LITTLE ", {\"name\": \"" name "\", \"configuration\": {" members "}}]"

static const uint64_t four[] = {4, ENDED};

/* Every id of numcodecs that Zinc supports. */
static void
ids(void **state)
{
	static const char *const all[] = {
	    "zlib",
	    "gzip",
	    "bz2",
	    "lzma",
	    "lz4",
	    "zstd",
	    "blosc",
	    "shuffle",
	    "crc32",
	    "adler32",
	    "crc32c",
	    "fletcher32",
	    "delta",
	    "quantize",
	    "bitround",
	    "astype",
	    "packbits",
	    "categorize",
	    "jenkins_lookup3",
	    "fixedscaleoffset",
	};
	char name[64];
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(all); i++) {
		const zinc_codec_ops *ops = zinc_codec_find_v2(all[i]);

		assert_non_null(ops);
		snprintf(name, sizeof name, "numcodecs.%s", all[i]);
		assert_string_equal(ops->name, name);
		assert_string_equal(ops->v2, all[i]);
		assert_ptr_equal(zinc_codec_find(name), ops);
	}
	/* neither v3's names, nor what numcodecs has and Zinc has not */
	assert_null(zinc_codec_find_v2("bytes"));
	assert_null(zinc_codec_find_v2("numcodecs.zlib"));
	assert_null(zinc_codec_find_v2("sharding_indexed"));
	assert_null(zinc_codec_find_v2("pickle"));
	assert_null(zinc_codec_find_v2(""));
	assert_null(zinc_codec_find("zlib"));
}

/* A program's codec may have any name. */
static void
of_programs(void **state)
{
	static const zinc_codec_ops mine = {.name = "example.mine", .v2 = "mine", .kind = ZINC_BYTES_BYTES},
				    taken = {.name = "example.zlib", .v2 = "zlib", .kind = ZINC_BYTES_BYTES};

	(void)state;
	assert_int_equal(zinc_codec_add(&mine, NULL), ZINC_OK);
	assert_int_equal(zinc_codec_add(&taken, NULL), ZINC_OK);
	assert_ptr_equal(zinc_codec_find_v2("mine"), &mine);
	assert_string_equal(zinc_codec_find_v2("zlib")->name, "numcodecs.zlib");
}

/* Codecs that v2 does not have are refused. */
static void
not_in_v2(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_json_doc *doc = NULL;
	zinc_json *v;
	chain_case t;

	(void)state;
	assert_ok(chain_init(&t, NULL, "[\"bytes\"]", "uint8", four, NULL, true, &err));
	assert_ok(zinc_json_new(&doc, NULL, &err));
	v = zinc_json_make(doc, ZINC_JSON_NULL);
	assert_ok(zinc_codec_print_v2(t.chain->ab, doc, &v, &err));
	assert_null(v);
	zinc_json_free(doc);
	chain_fini(&t);
}

static void
gzip(void **state)
{
	(void)state;
	if (zinc_codec_gzip.lacks)
		skip();
	vectors_run("numcodecs.gzip");
	codec_prints(V2("gzip", "\"level\": 7"), "int32", V3("gzip", "\"level\": 7"),
		     "[{\"id\": \"gzip\", \"level\": 7}]");
	codec_prints(V2("gzip", ""), "int32", V3("gzip", "\"level\": 1"), "[{\"id\": \"gzip\", \"level\": 1}]");
	codec_prints(V2("gzip", "\"level\": -1"), "int32", V3("gzip", "\"level\": 6"),
		     "[{\"id\": \"gzip\", \"level\": 6}]");
	codec_prints("[" LITTLE ", \"numcodecs.gzip\"]", "int32", V3("gzip", "\"level\": 1"),
		     "[{\"id\": \"gzip\", \"level\": 1}]");
	codec_words("numcodecs.gzip:3", "int32", V2("gzip", "\"level\": 3"));
	chain_finds(V2("gzip", "\"level\": 10"), "int32", four, ZINC_E_CORRUPT, "gzip", "/1/configuration/level");
	chain_finds(V2("gzip", "\"mtime\": 0"), "int32", four, ZINC_OK, "gzip", "/1/configuration/mtime");
}

static void
zstd(void **state)
{
	(void)state;
	if (!zinc_codec_zstd.bytes)
		skip();
	vectors_run("numcodecs.zstd");
	codec_prints(V2("zstd", "\"level\": 7, \"checksum\": false"), "int32",
		     V3("zstd", "\"level\": 7, \"checksum\": false"), "[{\"id\": \"zstd\", \"level\": 7}]");
	codec_prints(V2("zstd", "\"level\": -7, \"checksum\": true"), "int32",
		     V3("zstd", "\"level\": -7, \"checksum\": true"),
		     "[{\"id\": \"zstd\", \"level\": -7, \"checksum\": true}]");
	codec_prints(V2("zstd", ""), "int32", V3("zstd", "\"level\": 0, \"checksum\": false"),
		     "[{\"id\": \"zstd\", \"level\": 0}]");
	codec_prints(V2("zstd", "\"level\": 100"), "int32", V3("zstd", "\"level\": 22, \"checksum\": false"),
		     "[{\"id\": \"zstd\", \"level\": 22}]");
	chain_finds(V2("zstd", "\"level\": \"1\""), "int32", four, ZINC_E_CORRUPT, "zstd", "/1/configuration/level");
	chain_finds(V2("zstd", "\"checksum\": 1"), "int32", four, ZINC_E_CORRUPT, "zstd", "/1/configuration/checksum");
}

#define BLOSC3(cname, clevel, shuffle, typesize, blocksize)                                                            \
	V3("blosc", "\"cname\": \"" cname "\", \"clevel\": " clevel ", \"shuffle\": \"" shuffle                        \
		    "\", \"typesize\": " typesize ", \"blocksize\": " blocksize)
#define BLOSC2(cname, clevel, shuffle, blocksize)                                                                      \
	"\"cname\": \"" cname "\", \"clevel\": " clevel ", \"shuffle\": " shuffle ", \"blocksize\": " blocksize

/* shuffle -1 is by the size of the elements at the compressor: after delta these are single bytes. */
static void
blosc(void **state)
{
	static const char behind[] =
	    "[{\"name\": \"numcodecs.delta\", \"configuration\": {\"dtype\": \"<i4\", \"astype\": "
	    "\"|i1\"}}, {\"name\": \"bytes\"}, {\"name\": \"numcodecs.blosc\", "
	    "\"configuration\": {\"shuffle\": -1}}]";
	zinc_error err = ZINC_ERROR_INIT;
	chain_case t;

	(void)state;
	if (!zinc_codec_blosc.bytes)
		skip();
	vectors_run("numcodecs.blosc");
	codec_prints(V2("blosc", BLOSC2("zstd", "3", "2", "0")), "int32", BLOSC3("zstd", "3", "bitshuffle", "4", "0"),
		     "[{\"id\": \"blosc\", " BLOSC2("zstd", "3", "2", "0") "}]");
	codec_prints(V2("blosc", BLOSC2("zlib", "0", "0", "1024")), "int16",
		     BLOSC3("zlib", "0", "noshuffle", "2", "1024"),
		     "[{\"id\": \"blosc\", " BLOSC2("zlib", "0", "0", "1024") "}]");
	codec_prints(V2("blosc", ""), "int32", BLOSC3("lz4", "5", "shuffle", "4", "0"),
		     "[{\"id\": \"blosc\", " BLOSC2("lz4", "5", "1", "0") "}]");
	codec_prints(V2("blosc", "\"shuffle\": -1, \"typesize\": null"), "int32",
		     BLOSC3("lz4", "5", "shuffle", "4", "0"),
		     "[{\"id\": \"blosc\", " BLOSC2("lz4", "5", "1", "0") "}]");
	codec_prints(V2("blosc", "\"typesize\": 8"), "int32", BLOSC3("lz4", "5", "shuffle", "8", "0"),
		     "[{\"id\": \"blosc\", " BLOSC2("lz4", "5", "1", "0") "}]");
	assert_ok(chain_init(&t, NULL, behind, "int32", four, NULL, true, &err));
	assert_ok(chain_encode(&t, (const int32_t[]){1, 2, 3, 4}, &err));
	assert_int_equal(t.out.p[3], 1); /* the container's type size */
	chain_fini(&t);
	chain_finds(V2("blosc", "\"shuffle\": 3"), "int32", four, ZINC_E_CORRUPT, "blosc", "/1/configuration/shuffle");
	chain_finds(V2("blosc", "\"shuffle\": \"shuffle\""), "int32", four, ZINC_E_CORRUPT, "blosc",
		    "/1/configuration/shuffle");
	chain_finds(V2("blosc", "\"cname\": \"brotli\""), "int32", four, ZINC_E_CORRUPT, "blosc",
		    "/1/configuration/cname");
	chain_finds(V2("blosc", "\"clevel\": 10"), "int32", four, ZINC_E_CORRUPT, "blosc", "/1/configuration/clevel");
}

/* At the end it is that of v3, at the start it is not. */
static void
crc32c(void **state)
{
	(void)state;
	vectors_run("numcodecs.crc32c");
	codec_prints(V2("crc32c", ""), "int32", "[" LITTLE ", {\"name\": \"crc32c\"}]", "[{\"id\": \"crc32c\"}]");
	codec_prints(V2("crc32c", "\"location\": \"end\""), "int32", "[" LITTLE ", {\"name\": \"crc32c\"}]",
		     "[{\"id\": \"crc32c\"}]");
	codec_prints(V2("crc32c", "\"location\": \"start\""), "int32", V2("crc32c", "\"location\": \"start\""),
		     "[{\"id\": \"crc32c\", \"location\": \"start\"}]");
	chain_finds(V2("crc32c", "\"location\": \"front\""), "int32", four, ZINC_E_CORRUPT, "crc32c",
		    "/1/configuration/location");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(ids),  cmocka_unit_test(of_programs), cmocka_unit_test(not_in_v2), cmocka_unit_test(gzip),
	    cmocka_unit_test(zstd), cmocka_unit_test(blosc),       cmocka_unit_test(crc32c),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
