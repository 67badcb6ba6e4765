/*
 * test_chain.c - chains of codecs: the promises of chain.c and chain_code.c, by number; M9, M11-M14, M20, M24, M60-M67
 *
 * Rules of the drafts: inputs and outputs are computed first, and a mismatch is an error, 22-6+ 22-7+ 22-8+ 22-8-
 * 22-29+ 22-30+ 22-30-.
 */
#include <stdio.h>
#include <stdlib.h>
#include <zinc/extend.h>

#include "codec/codec_parts.h"
#include "support/chains.h"
#include "support/sweep.h"
#include "support/test.h"

#define LITTLE           "{\"name\":\"bytes\",\"configuration\":{\"endian\":\"little\"}}"
#define BIG              "{\"name\":\"bytes\",\"configuration\":{\"endian\":\"big\"}}"
#define TRANSPOSE(order) "{\"name\":\"transpose\",\"configuration\":{\"order\":" order "}}"
#define CRC              "{\"name\":\"crc32c\"}"
#define SHARD(shape, codecs)                                                                                           \
	"{\"name\":\"sharding_indexed\",\"configuration\":{\"chunk_shape\":" shape ",\"codecs\":[" codecs              \
	"],\"index_codecs\":[" LITTLE "," CRC "],\"index_location\":\"end\"}}"

static const uint64_t n6[] = {6, ENDED}, s23[] = {2, 3, ENDED}, s234[] = {2, 3, 4, ENDED};

/* ---- documents ---- */

/* (2) */
static void
lists(void **state)
{
	(void)state;
	chain_finds("{}", "uint8", n6, ZINC_E_CORRUPT, "M9", "");
	chain_finds("null", "uint8", n6, ZINC_E_CORRUPT, "M9", "");
	chain_finds("[]", "uint8", n6, ZINC_E_CORRUPT, "M9", "");
	chain_finds("[1]", "uint8", n6, ZINC_E_CORRUPT, "M11", "/0");
	chain_finds("[\"bytes\", {}]", "uint8", n6, ZINC_E_CORRUPT, "M11", "/1");
	chain_finds("[{\"name\": \"bytes\", \"configuration\": []}]", "uint8", n6, ZINC_E_CORRUPT, "M12",
		    "/0/configuration");
	chain_finds("[\"bytes\", {\"name\": \"crc32c\", \"must_understand\": 0}]", "uint8", n6, ZINC_OK, "M11",
		    "/1/must_understand");
	chain_finds("[\"bytes\", {\"name\": \"crc32c\", \"id\": 0}]", "uint8", n6, ZINC_OK, "M11", "/1/id");
	chain_finds("[\"Bytes\"]", "uint8", n6, ZINC_E_UNSUPPORTED, "M20", "/0");
}

/* M60-M64 */
static void
orders(void **state)
{
	(void)state;
	chain_finds("[\"crc32c\"]", "uint8", n6, ZINC_E_CORRUPT, "M63", "/0");
	chain_finds("[" TRANSPOSE("[0]") "]", "uint8", n6, ZINC_E_CORRUPT, "M61", "");
	chain_finds("[\"bytes\", \"bytes\"]", "uint8", n6, ZINC_E_CORRUPT, "M62", "/1");
	chain_finds("[\"bytes\", \"crc32c\", \"bytes\"]", "uint8", n6, ZINC_E_CORRUPT, "M62", "/2");
	chain_finds("[\"crc32c\", \"bytes\"]", "uint8", n6, ZINC_E_CORRUPT, "M63", "/0");
	chain_finds("[\"bytes\", " TRANSPOSE("[0]") "]", "uint8", n6, ZINC_E_CORRUPT, "M64", "/1");
	chain_finds("[\"bytes\", \"crc32c\", " TRANSPOSE("[0]") "]", "uint8", n6, ZINC_E_CORRUPT, "M64", "/2");
}

/* (3) M20 */
static void
unknown_codecs(void **state)
{
	const uint8_t in[] = {1, 2, 3, 4, 5, 6};
	zinc_error err = ZINC_ERROR_INIT;
	chain_case t;

	(void)state;
	chain_finds("[\"bytes\", \"nobody.knows\"]", "uint8", n6, ZINC_E_UNSUPPORTED, "M20", "/1");
	chain_finds("[\"nobody.knows\"]", "uint8", n6, ZINC_E_UNSUPPORTED, "M20", "/0");
	chain_finds("[\"nobody.knows\", \"crc32c\"]", "uint8", n6, ZINC_E_UNSUPPORTED, "M20", "/0");
	chain_finds("[{\"name\": \"nobody.knows\", \"must_understand\": true}, \"bytes\"]", "uint8", n6,
		    ZINC_E_UNSUPPORTED, "M20", "/0");
	/* another error has priority */
	chain_finds("[\"nobody.knows\", \"bytes\", \"bytes\"]", "uint8", n6, ZINC_E_CORRUPT, "M62", "/2");
	chain_finds("[\"nobody.knows\", \"gzip\"]", "uint8", n6, ZINC_E_CORRUPT, "M14", "/1");
	chain_finds("[" SHARD("[3]", "\"nobody.knows\"") ", {\"name\": \"gzip\", \"configuration\": {\"level\": 10}}]",
		    "uint8", n6, ZINC_E_CORRUPT, "M75", "/1/configuration/level");
	/* the document allows it to be ignored: valid, also in strict mode */
	assert_ok(chain_init(&t, NULL, "[{\"name\": \"nobody.knows\", \"must_understand\": false}, \"bytes\"]", "uint8",
			     n6, NULL, true, &err));
	assert_int_equal(t.found, 1);
	assert_int_equal(t.severity, ZINC_SEVERITY_WARNING);
	assert_string_equal(t.rule, "M20");
	assert_ok(chain_encode(&t, in, &err));
	assert_memory_equal(t.out.p, in, sizeof in);
	chain_fini(&t);
	/* and when nothing is left, nothing packs */
	chain_finds("[{\"name\": \"nobody.knows\", \"must_understand\": false}]", "uint8", n6, ZINC_E_CORRUPT, "M61",
		    "");
}

/* An invalid chain of the caller is E_INVALID, not E_CORRUPT. */
static void
whose_fault(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_json_doc *doc = NULL;
	zinc_chain *chain = NULL;
	zinc_rep rep = {.dtype = zinc_dtype_of(ZINC_UINT8), .ndim = 1, .shape = {6}};
	zinc_report r;

	(void)state;
	assert_ok(zinc_json_parse(&doc, NULL, "[\"gzip\"]", 8, 0, &err));
	zinc_report_init(&r, zinc_context_get(NULL), true, NULL);
	r.code = ZINC_E_INVALID;
	assert_int_equal(zinc_chain_parse(&chain, zinc_context_get(NULL), zinc_json_root(doc), &rep, &r, &err),
			 ZINC_E_INVALID);
	assert_non_null(strstr(err.text, "M14"));
	zinc_json_free(doc);
}

static zinc_status
parse_limited(const char *codecs, const uint64_t *shape, zinc_limits limits)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_context *ctx = NULL;
	chain_case t;
	zinc_status st;

	assert_ok(zinc_context_new(&ctx, ZINC_CONTEXT_OPTIONS(.limits = &limits), &err));
	st = chain_init(&t, ctx, codecs, "uint8", shape, NULL, true, &err);
	assert_int_equal(zinc_error_status(&err), st);
	chain_fini(&t);
	zinc_context_free(ctx);
	return st;
}

static void
limits(void **state)
{
	static const char two_deep[] = "[" SHARD("[4]", SHARD("[2]", "\"bytes\"")) "]";
	static const char one[] = "[" SHARD("[4]", "\"bytes\"") "]";
	static const char closed[] = "[" SHARD("[4]", "\"bytes\"") ",\"crc32c\"]";
	const uint64_t n8[] = {8, ENDED}, n64[] = {64, ENDED}, huge[] = {UINT64_MAX / 2, 4, ENDED};
	const uint64_t many[] = {(uint64_t)1 << 62, ENDED};

	(void)state;
	assert_int_equal(
	    parse_limited("[\"bytes\", \"crc32c\"]", n8, (zinc_limits){.size = sizeof(zinc_limits), .codecs = 2}),
	    ZINC_OK);
	assert_int_equal(
	    parse_limited("[\"bytes\", \"crc32c\"]", n8, (zinc_limits){.size = sizeof(zinc_limits), .codecs = 1}),
	    ZINC_E_LIMIT);
	assert_int_equal(parse_limited("[\"bytes\"]", n8, (zinc_limits){.size = sizeof(zinc_limits), .chunk_bytes = 8}),
			 ZINC_OK);
	assert_int_equal(parse_limited("[\"bytes\"]", n8, (zinc_limits){.size = sizeof(zinc_limits), .chunk_bytes = 7}),
			 ZINC_E_LIMIT);
	assert_int_equal(parse_limited(two_deep, n8, (zinc_limits){.size = sizeof(zinc_limits), .shard_depth = 2}),
			 ZINC_OK);
	assert_int_equal(parse_limited(two_deep, n8, (zinc_limits){.size = sizeof(zinc_limits), .shard_depth = 1}),
			 ZINC_E_LIMIT);
	/* an open shard may be larger than a chunk; its inner chunks and its index may not */
	assert_int_equal(parse_limited(one, n8, (zinc_limits){.size = sizeof(zinc_limits), .chunk_bytes = 36}),
			 ZINC_OK);
	assert_int_equal(parse_limited(one, n8, (zinc_limits){.size = sizeof(zinc_limits), .chunk_bytes = 31}),
			 ZINC_E_LIMIT);
	assert_int_equal(parse_limited("[" SHARD("[64]", "\"bytes\"") "]", n64,
				       (zinc_limits){.size = sizeof(zinc_limits), .chunk_bytes = 63}),
			 ZINC_E_LIMIT);
	assert_int_equal(parse_limited(closed, n64, (zinc_limits){.size = sizeof(zinc_limits), .chunk_bytes = 260}),
			 ZINC_OK);
	assert_int_equal(parse_limited("[" SHARD("[32]", "\"bytes\"") "]", n64,
				       (zinc_limits){.size = sizeof(zinc_limits), .chunk_bytes = 40}),
			 ZINC_OK);
	assert_int_equal(parse_limited("[" SHARD("[32]", "\"bytes\"") ",\"crc32c\"]", n64,
				       (zinc_limits){.size = sizeof(zinc_limits), .chunk_bytes = 40}),
			 ZINC_E_LIMIT);
	/* products that do not fit any number */
	assert_int_equal(parse_limited("[\"bytes\"]", huge, (zinc_limits)ZINC_LIMITS_INIT), ZINC_E_LIMIT);
	assert_int_equal(parse_limited(one, many, (zinc_limits)ZINC_LIMITS_INIT), ZINC_E_LIMIT);
}

/* (4) M24 */
static void
printed(void **state)
{
	static const char *const lists[] = {
	    "[" LITTLE "]",
	    "[" TRANSPOSE("[1,0]") "," BIG "," CRC "]",
	    "[" LITTLE ",{\"name\":\"gzip\",\"configuration\":{\"level\":0}}]",
	    "[" LITTLE ",{\"name\":\"zstd\",\"configuration\":{\"level\":-7,\"checksum\":false}}]",
	    "[" LITTLE ",{\"name\":\"zstd\",\"configuration\":{\"level\":0,\"checksum\":true}}]",
	    "[" LITTLE
	    ",{\"name\":\"blosc\",\"configuration\":{\"cname\":\"zstd\",\"clevel\":0,\"shuffle\":\"bitshuffle\","
	    "\"typesize\":2,\"blocksize\":512}}]",
	    "[" LITTLE
	    ",{\"name\":\"blosc\",\"configuration\":{\"cname\":\"lz4\",\"clevel\":9,\"shuffle\":\"noshuffle\","
	    "\"blocksize\":0}}]",
	    "[" SHARD("[1,3]", TRANSPOSE("[1,0]") "," BIG "," CRC) "," CRC "]",
	};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_json_doc *doc;
	zinc_json *list;
	zinc_buf text;
	chain_case t;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(lists); i++) {
		if (chain_init(&t, NULL, lists[i], "uint16", s23, NULL, true, &err) == ZINC_E_UNSUPPORTED) {
			chain_fini(&t); /* a library is missing from this build */
			continue;
		}
		assert_non_null(t.chain);
		doc = NULL;
		assert_ok(zinc_json_new(&doc, NULL, &err));
		assert_ok(zinc_chain_print(t.chain, doc, &list, &err));
		zinc_buf_init(&text, NULL, SIZE_MAX);
		assert_ok(zinc_json_print_line(list, &text, &err));
		assert_string_equal(zinc_buf_text(&text), lists[i]);
		zinc_buf_fini(&text);
		zinc_json_free(doc);
		chain_fini(&t);
	}
}

/* ---- a caller's text ---- */

static zinc_status
read_text(const char *text, const char *dtype, bool big, bool fortran, char *out, size_t cap, zinc_error *err)
{
	zinc_context *ctx = zinc_context_get(NULL);
	zinc_rep rep = {.ndim = 2, .shape = {2, 3}};
	const zinc_dtype *t = NULL;
	zinc_json_doc *doc = NULL;
	zinc_json *list = NULL;
	zinc_status st;
	zinc_buf b;
	bool ignored;

	assert_int_equal(zinc_dtype_parse_text(&t, &ignored, ctx, dtype, err), ZINC_OK);
	rep.dtype = t;
	assert_int_equal(zinc_json_new(&doc, ctx, err), ZINC_OK);
	st = zinc_chain_parse_text(&list, doc, text, &rep, big, fortran, err);
	zinc_buf_init(&b, ctx, SIZE_MAX);
	if (st == ZINC_OK)
		assert_int_equal(zinc_json_print_line(list, &b, err), ZINC_OK);
	snprintf(out, cap, "%s", zinc_buf_text(&b));
	zinc_buf_fini(&b);
	zinc_json_free(doc);
	zinc_dtype_free(t);
	return st;
}

static void
texts(void **state)
{
	static const struct {
		const char *text, *dtype;
		bool big, fortran;
		const char *list;
	} v[] = {
	    {"none", "int16", false, false, "[" LITTLE "]"},
	    {"none", "int16", true, false, "[" BIG "]"},
	    {"none", "int8", true, false, "[{\"name\":\"bytes\"}]"},
	    {"none", "int16", false, true, "[" TRANSPOSE("[1,0]") "," LITTLE "]"},
	    {"transpose:1,0+none", "int16", false, false, "[" TRANSPOSE("[1,0]") "," LITTLE "]"},
	    {"bytes", "int16", false, false, "[" LITTLE "]"},
	    {"bytes", "int16", true, false, "[" BIG "]"},
	    {"bytes:big", "int16", false, false, "[" BIG "]"},
	    {"bytes:little", "int16", true, false, "[" LITTLE "]"},
	    {"crc32c", "int16", false, false, "[" LITTLE "," CRC "]"},
	    {"zstd", "int16", false, false,
	     "[" LITTLE ",{\"name\":\"zstd\",\"configuration\":{\"level\":3,\"checksum\":false}}]"},
	    {"zstd:-5:checksum", "int16", false, false,
	     "[" LITTLE ",{\"name\":\"zstd\",\"configuration\":{\"level\":-5,\"checksum\":true}}]"},
	    {"gzip", "int16", false, false, "[" LITTLE ",{\"name\":\"gzip\",\"configuration\":{\"level\":5}}]"},
	    {"gzip:1", "int16", false, false, "[" LITTLE ",{\"name\":\"gzip\",\"configuration\":{\"level\":1}}]"},
	    {"transpose:1,0+zstd:3+crc32c", "int16", true, false,
	     "[" TRANSPOSE("[1,0]") "," BIG
				    ",{\"name\":\"zstd\",\"configuration\":{\"level\":3,\"checksum\":false}}," CRC "]"},
	    {"transpose:0,1+bytes+crc32c", "int16", false, true,
	     "[" TRANSPOSE("[1,0]") "," TRANSPOSE("[0,1]") "," LITTLE "," CRC "]"},
	    {"blosc", "int16", false, false,
	     "[" LITTLE
	     ",{\"name\":\"blosc\",\"configuration\":{\"cname\":\"lz4\",\"clevel\":5,\"shuffle\":\"shuffle\","
	     "\"typesize\":2,\"blocksize\":0}}]"},
	    {"blosc", "int8", false, false,
	     "[{\"name\":\"bytes\"},{\"name\":\"blosc\",\"configuration\":{\"cname\":\"lz4\",\"clevel\":5,\"shuffle\":"
	     "\"bitshuffle\",\"typesize\":1,\"blocksize\":0}}]"},
	    {"blosc:zstd:9:noshuffle:4096", "int16", false, false,
	     "[" LITTLE
	     ",{\"name\":\"blosc\",\"configuration\":{\"cname\":\"zstd\",\"clevel\":9,\"shuffle\":\"noshuffle\","
	     "\"typesize\":2,\"blocksize\":4096}}]"},
	    {"[]", "int16", false, false, "[" LITTLE "]"},
	    {"[{\"name\":\"gzip\",\"configuration\":{\"level\":1}}]", "int16", true, false,
	     "[" BIG ",{\"name\":\"gzip\",\"configuration\":{\"level\":1}}]"},
	    {"[\"crc32c\"]", "int16", false, true, "[" TRANSPOSE("[1,0]") "," LITTLE ",\"crc32c\"]"},
	    {"[" LITTLE "]", "int16", true, false, "[" LITTLE "]"},
	    {"[\"nobody.knows\"]", "int16", true, false, "[\"nobody.knows\"]"},
	};
	zinc_error err = ZINC_ERROR_INIT;
	char list[512];
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(v); i++) {
		assert_ok(read_text(v[i].text, v[i].dtype, v[i].big, v[i].fortran, list, sizeof list, &err));
		assert_string_equal(list, v[i].list);
	}
}

static void
bad_texts(void **state)
{
	static const char *const texts[] = {
	    "",
	    "zstd+",
	    "+zstd",
	    "nobody",
	    "none+zstd",
	    "none+none",
	    "none:1",
	    "bytes:middle",
	    "bytes:big:big",
	    "gzip:10",
	    "gzip:x",
	    "gzip:",
	    "gzip:1:2",
	    "gzip:99999999999999999999",
	    "zstd:23",
	    "zstd:1:check",
	    "zstd:1:checksum:1",
	    "blosc:lz5",
	    "blosc:lz4:10",
	    "blosc:lz4:1:byte",
	    "blosc:lz4:1:shuffle:x",
	    "blosc:lz4:1:shuffle:1:1",
	    "transpose",
	    "transpose:",
	    "transpose:1,0:1",
	    "transpose:1;0",
	    "transpose:0,1,2",
	    "transpose:2,0",
	    "transpose:1,",
	    "crc32c:1",
	    "sharding_indexed",
	    "a:1:2:3:4:5:6:7:8:9",
	    "[",
	    "[1",
	    "[\"bytes\"] x",
	    "{}",
	};
	zinc_error err;
	char list[512];
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(texts); i++) {
		zinc_status st;

		err = (zinc_error)ZINC_ERROR_INIT;
		st = read_text(texts[i], "int16", false, false, list, sizeof list, &err);
		/* a list of axes that is too short is still a list: parsing the chain says so (M73) */
		if (strcmp(texts[i], "transpose:") == 0 || strcmp(texts[i], "transpose:1,") == 0)
			assert_int_equal(st, ZINC_OK);
		else if (st != ZINC_E_INVALID || zinc_error_status(&err) != ZINC_E_INVALID)
			fail_msg("\"%s\": %s", texts[i], zinc_status_name(st));
	}
}

static void
made_sharded(void **state)
{
	const uint64_t chunk[] = {2, 3};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_json_doc *doc = NULL;
	zinc_json *list = NULL;
	zinc_buf b;

	(void)state;
	assert_ok(zinc_json_parse(&doc, NULL, "[" LITTLE "]", strlen("[" LITTLE "]"), 0, &err));
	assert_ok(zinc_chain_make_sharded(&list, doc, zinc_json_root(doc), chunk, 2, &err));
	zinc_buf_init(&b, NULL, SIZE_MAX);
	assert_ok(zinc_json_print_line(list, &b, &err));
	assert_string_equal(zinc_buf_text(&b), "[" SHARD("[2,3]", LITTLE) "]");
	zinc_buf_fini(&b);
	zinc_json_free(doc);
}

/* ---- coding ---- */

/* (9) 255 as a float8 is 256, also behind a codec that moves elements. */
static void
unreadable(void **state)
{
	static const char codecs[] =
	    "[{\"name\": \"transpose\", \"configuration\": {\"order\": [1, 0]}}, "
	    "{\"name\": \"cast_value\", \"configuration\": {\"data_type\": \"float8_e5m2\"}}, \"bytes\"]";
	uint8_t in[6] = {0, 1, 2, 3, 4, 224};
	zinc_error err = ZINC_ERROR_INIT;
	chain_case t;

	(void)state;
	assert_ok(chain_init(&t, NULL, codecs, "uint8", s23, NULL, true, &err));
	assert_ok(chain_encode(&t, in, &err));
	in[3] = 255;
	assert_int_equal(chain_encode(&t, in, &err), ZINC_E_RANGE);
	assert_string_equal(err.codec, "cast_value");
	chain_fini(&t);
}

/* (9) The four int8 `good` are stored; with `bad` instead of the last, nothing is. */
static void
refuses_last(const char *codecs, const char *dtype, int8_t good, int8_t bad)
{
	const uint64_t four[] = {4, ENDED};
	int8_t in[4] = {0, 1, 2, good};
	zinc_error err = ZINC_ERROR_INIT;
	chain_case t;

	assert_ok(chain_init(&t, NULL, codecs, dtype, four, NULL, true, &err));
	assert_ok(chain_encode(&t, in, &err));
	in[3] = bad;
	assert_int_equal(chain_encode(&t, in, &err), ZINC_E_RANGE);
	assert_int_equal(t.out.n, 0);
	assert_non_null(strstr(zinc_error_text(&err), "could not be read back"));
	chain_fini(&t);
}

#define CAST(type)  "{\"name\": \"cast_value\", \"configuration\": {\"data_type\": \"" type "\"}}"
#define WITHOUT_LOW "{\"name\": \"packbits\", \"configuration\": {\"first_bit\": 8}}"
#define ROUNDED     "{\"name\": \"bitround\", \"configuration\": {\"keepbits\": 1}}"

/* (9) Codecs behind the one that refuses change the elements: an array->bytes codec, and codecs of a shard. */
static void
unreadable_behind(void **state)
{
	(void)state;
	/* -127 & ~255 is -256; 255 rounds to 256 */
	refuses_last("[" CAST("int16") "," WITHOUT_LOW "]", "int8", 100, -127);
	refuses_last("[" SHARD("[2]", CAST("int16") "," WITHOUT_LOW) "]", "int8", 100, -127);
	refuses_last("[" CAST("int16") "," SHARD("[2]", WITHOUT_LOW) "]", "int8", 100, -127);
	refuses_last("[" CAST("uint16") "," SHARD("[2]", ROUNDED "," LITTLE) "]", "uint8", 100, -1);
	refuses_last("[" CAST("uint16") "," SHARD("[2]", SHARD("[1]", ROUNDED "," LITTLE)) "]", "uint8", 100, -1);
}

/* (1) (5) (8) Each chain with each shape and type gives its elements back, from any strides, into any place. */
static void
any_way(const char *codecs, const char *dtype)
{
	const uint64_t *rs;
	zinc_error err = ZINC_ERROR_INIT;
	uint8_t in[24 * 16], spread[24 * 32], back[24 * 16];
	int64_t strides[ZINC_MAX_NDIM];
	zinc_copy_dim dims[3];
	zinc_view v;
	zinc_buf other;
	chain_case t;
	size_t i, n;
	int d;

	for (i = 0; i < sizeof in; i++)
		in[i] = (uint8_t)(i * 37 % 251 & (strcmp(dtype, "bool") == 0 ? 1 : 255));
	assert_ok(chain_init(&t, NULL, codecs, dtype, s234, NULL, true, &err));
	rs = t.chain->rep.shape;
	n = t.chain->rep.dtype->size;
	assert_ok(chain_encode(&t, in, &err));
	assert_ok(chain_decode(&t, t.out.p, t.out.n, back, &err));
	assert_memory_equal(in, back, 24 * n);
	/* the same bytes from Fortran order with gaps, after existing bytes of the buffer */
	strides[0] = 2 * (int64_t)n;
	strides[1] = strides[0] * 2;
	strides[2] = strides[1] * 3;
	zinc_strides_c(rs, 3, n, v.strides);
	for (d = 0; d < 3; d++)
		dims[d] = (zinc_copy_dim){.n = rs[d], .dst_stride = strides[d], .src_stride = v.strides[d]};
	zinc_copy_nd(spread, in, dims, 3, n);
	v.p = spread;
	memcpy(v.strides, strides, sizeof v.strides);
	zinc_buf_init(&other, NULL, SIZE_MAX);
	assert_ok(zinc_buf_puts(&other, "before", &err));
	assert_ok(zinc_chain_encode(t.chain, t.s, rs, &v, &other, &err));
	assert_int_equal(other.n, t.out.n + 6);
	assert_memory_equal(other.p, "before", 6);
	assert_memory_equal(other.p + 6, t.out.p, t.out.n);
	zinc_buf_fini(&other);
	/* into memory of the caller's, at an odd address, of exactly the size */
	assert_ok(zinc_chain_decode(t.chain, t.s, rs, (zinc_bytes){t.out.p, t.out.n}, spread + 1, 0, &v, &err));
	zinc_strides_c(rs, 3, n, strides);
	for (d = 0; d < 3; d++)
		dims[d] = (zinc_copy_dim){.n = rs[d], .dst_stride = strides[d], .src_stride = v.strides[d]};
	memset(back, 0, sizeof back);
	zinc_copy_nd(back, v.p, dims, 3, n);
	assert_memory_equal(in, back, 24 * n);
	chain_fini(&t);
}

static void
every_way(void **state)
{
	static const char *const chains[] = {
	    "[%s]",
	    "[%s," CRC "]",
	    "[%s," CRC "," CRC "]",
	    "[" TRANSPOSE("[2,0,1]") ",%s]",
	    "[" TRANSPOSE("[2,0,1]") ",%s," CRC "]",
	    "[" TRANSPOSE("[2,1,0]") "," TRANSPOSE("[2,1,0]") ",%s]",
	    "[%s,{\"name\":\"gzip\",\"configuration\":{\"level\":1}}]",
	    "[%s," CRC ",{\"name\":\"gzip\",\"configuration\":{\"level\":1}}," CRC "]",
	    "[" TRANSPOSE("[1,2,0]") ",%s,{\"name\":\"zstd\",\"configuration\":{\"level\":1}}," CRC "]",
	    "[%s,{\"name\":\"zstd\",\"configuration\":{\"level\":1}},{\"name\":\"gzip\",\"configuration\":{\"level\":1}"
	    "}]",
	    "[" SHARD("[1,3,2]", "%s") "]",
	    "[" SHARD("[1,1,4]", "%s") "]",
	    "[" SHARD("[2,3,4]", "%s," CRC) "," CRC "]",
	    "[" TRANSPOSE("[2,0,1]") "," SHARD(
		"[2,1,3]", TRANSPOSE("[1,0,2]") ",%s," CRC) ",{\"name\":\"gzip\",\"configuration\":{\"level\":1}}]",
	    "[" SHARD("[2,3,2]", SHARD("[1,3,1]", "%s," CRC)) "]",
	};
	static const char *const types[] = {"bool", "uint8", "int16", "float32", "complex128", "r24"};
	char codecs[1000];
	size_t i, j, k;

	(void)state;
	for (i = 0; i < COUNT(chains); i++) {
		if ((strstr(chains[i], "gzip") && zinc_codec_gzip.lacks) ||
		    (strstr(chains[i], "zstd") && !zinc_codec_zstd.bytes))
			continue;
		for (j = 0; j < COUNT(types); j++)
			for (k = 0; k < 2; k++) {
				snprintf(codecs, sizeof codecs, chains[i], k ? BIG : LITTLE);
				any_way(codecs, types[j]);
			}
	}
}

/* (6) Where the elements are after decoding. */
static void
not_copied(void **state)
{
	uint32_t in[] = {1, 2, 3, 4, 5, 6}, into[6];
	const char *native = ZINC_HOST_BIG ? BIG : LITTLE;
	zinc_error err = ZINC_ERROR_INIT;
	char codecs[300];
	zinc_view v;
	chain_case t;

	(void)state;
	snprintf(codecs, sizeof codecs, "[%s,%s]", native, CRC);
	assert_ok(chain_init(&t, NULL, codecs, "uint32", s23, NULL, true, &err));
	assert_ok(chain_encode(&t, in, &err));
	assert_ok(zinc_chain_decode(t.chain, t.s, s23, (zinc_bytes){t.out.p, t.out.n}, NULL, 0, &v, &err));
	assert_ptr_equal(v.p, t.out.p);
	assert_int_equal(v.strides[0], 12);
	assert_int_equal(v.strides[1], 4);
	assert_ok(zinc_chain_decode(t.chain, t.s, s23, (zinc_bytes){t.out.p, t.out.n}, into, 0, &v, &err));
	assert_ptr_equal(v.p, into);
	assert_memory_equal(into, in, sizeof in);
	chain_fini(&t);
	snprintf(codecs, sizeof codecs, "[%s,%s]", TRANSPOSE("[1,0]"), native);
	assert_ok(chain_init(&t, NULL, codecs, "uint32", s23, NULL, true, &err));
	assert_ok(chain_encode(&t, in, &err));
	assert_ok(zinc_chain_decode(t.chain, t.s, s23, (zinc_bytes){t.out.p, t.out.n}, into, 0, &v, &err));
	assert_ptr_equal(v.p, t.out.p);
	assert_int_equal(v.strides[0], 4);
	assert_int_equal(v.strides[1], 8);
	chain_fini(&t);
	if (!zinc_codec_zstd.bytes)
		return;
	assert_ok(chain_init(&t, NULL, "[" BIG ",{\"name\":\"zstd\",\"configuration\":{\"level\":1}}]", "uint32", s23,
			     NULL, true, &err));
	assert_ok(chain_encode(&t, in, &err));
	assert_ok(zinc_chain_decode(t.chain, t.s, s23, (zinc_bytes){t.out.p, t.out.n}, into, 0, &v, &err));
	assert_ptr_equal(v.p, into);
	assert_memory_equal(into, in, sizeof in);
	assert_ok(zinc_chain_decode(t.chain, t.s, s23, (zinc_bytes){t.out.p, t.out.n}, NULL, 0, &v, &err));
	assert_ptr_equal(v.p, t.s->decoded.p);
	chain_fini(&t);
}

/* Chunks smaller than the largest, as a grid of unequal ones has. */
static void
other_shapes(void **state)
{
	const uint64_t small[] = {1, 2, 3};
	zinc_error err = ZINC_ERROR_INIT;
	uint16_t in[6] = {1, 2, 3, 4, 5, 6};
	zinc_view v;
	chain_case t;
	size_t bound;

	(void)state;
	assert_ok(chain_init(&t, NULL, "[" TRANSPOSE("[2,0,1]") "," BIG "," CRC "]", "uint16", s234, NULL, true, &err));
	v.p = (uint8_t *)in;
	zinc_strides_c(small, 3, 2, v.strides);
	assert_ok(zinc_chain_encode(t.chain, t.s, small, &v, &t.out, &err));
	assert_int_equal(zinc_chain_bound(t.chain, small, &bound), 0);
	assert_int_equal(t.out.n, bound);
	assert_int_equal(bound, 16);
	assert_memory_equal(t.out.p, "\0\1\0\4\0\2\0\5\0\3\0\6", 12);
	assert_ok(zinc_chain_decode(t.chain, t.s, small, (zinc_bytes){t.out.p, t.out.n}, NULL, 0, &v, &err));
	assert_int_equal(*(uint16_t *)(void *)(v.p + v.strides[1] + 2 * v.strides[2]), 6);
	chain_fini(&t);
}

/* (5) The failing codec is named, and earlier bytes of the buffer stay. */
static void
faults(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	uint8_t in[6] = {0, 1, 0, 1, 2, 0}, back[6];
	chain_case t;

	(void)state;
	assert_ok(chain_init(&t, NULL, "[\"bytes\", \"crc32c\", \"crc32c\"]", "bool", n6, NULL, true, &err));
	assert_ok(zinc_buf_puts(&t.out, "before", &err));
	{
		zinc_view v = {.p = in, .strides = {1}};

		assert_int_equal(zinc_chain_encode(t.chain, t.s, n6, &v, &t.out, &err), ZINC_E_RANGE);
		assert_string_equal(err.codec, "bytes");
		assert_int_equal(t.out.n, 6);
	}
	in[4] = 1;
	assert_ok(chain_encode(&t, in, &err));
	assert_int_equal(t.out.n, 14);
	assert_int_equal(chain_damage(&t, t.out.p, t.out.n, in), 0);
	/* without an error structure */
	assert_int_equal(chain_decode(&t, t.out.p, 13, back, NULL), ZINC_E_CHECKSUM);
	chain_fini(&t);
}

/* (7) */
static void
warm(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_context *ctx = NULL;
	uint16_t in[24];
	sweep_memory m;
	zinc_view v;
	chain_case t;
	int i;

	(void)state;
	for (i = 0; i < 24; i++)
		in[i] = (uint16_t)i;
	sweep_memory_init(&m);
	assert_ok(zinc_context_new(&ctx, ZINC_CONTEXT_OPTIONS(.allocator = &m.allocator), &err));
	assert_ok(chain_init(&t, ctx,
			     "[" TRANSPOSE("[2,0,1]") "," SHARD("[2,2,1]", SHARD("[1,2,1]", BIG "," CRC)) "," CRC "]",
			     "uint16", s234, NULL, true, &err));
	for (i = 0; i < 5; i++) {
		if (i == 1)
			sweep_memory_fail(&m, 0, false);
		assert_ok(chain_encode(&t, in, &err));
		assert_ok(zinc_chain_decode(t.chain, t.s, s234, (zinc_bytes){t.out.p, t.out.n}, NULL, 0, &v, &err));
	}
	assert_int_equal(m.calls, 0);
	chain_fini(&t);
	zinc_context_free(ctx);
}

/* ---- fill ---- */

static void
fills(void **state)
{
	const uint64_t shape[] = {2, 3, 4}, empty[] = {2, 0}, ones[] = {1, 1};
	const zinc_dtype *u16 = zinc_dtype_of(ZINC_UINT16);
	uint16_t in[2 * 3 * 4], fill = 7;
	zinc_view v = {.p = (uint8_t *)in};
	size_t i;

	(void)state;
	for (i = 0; i < 24; i++)
		in[i] = 7;
	zinc_strides_c(shape, 3, 2, v.strides);
	assert_true(zinc_view_is_fill(&v, shape, 3, u16, &fill));
	assert_false(zinc_view_is_fill(&v, shape, 3, u16, NULL));
	assert_true(zinc_view_is_fill(&v, empty, 2, u16, &fill));
	assert_true(zinc_view_is_fill(&v, ones, 2, u16, &fill));
	assert_true(zinc_view_is_fill(&v, NULL, 0, u16, &fill));
	for (i = 0; i < 24; i++) {
		zinc_view w = {.p = (uint8_t *)in, .strides = {8, 16, 2}}; /* axes 1 and 0 changed places: shape 3, 2 */
		const uint64_t other[] = {2, 3, 4}, part[] = {2, 2, 3};

		in[i] = 8;
		assert_false(zinc_view_is_fill(&v, shape, 3, u16, &fill));
		w.strides[0] = 8;
		w.strides[1] = 16; /* element (a, b, c) at 8a + 16b + 2c: all of them, in another order */
		assert_false(zinc_view_is_fill(&w, other, 3, u16, &fill));
		/* a part: rows with gaps */
		assert_int_equal(zinc_view_is_fill(&v, part, 3, u16, &fill), i / 4 % 3 > 1 || i % 4 > 2);
		/* backwards */
		w.p = (uint8_t *)&in[23];
		w.strides[0] = -24;
		w.strides[1] = -8;
		w.strides[2] = -2;
		assert_false(zinc_view_is_fill(&w, shape, 3, u16, &fill));
		in[i] = 7;
		assert_true(zinc_view_is_fill(&w, shape, 3, u16, &fill));
	}
	in[0] = 8;
	assert_false(zinc_view_is_fill(&v, NULL, 0, u16, &fill));
}

/* ---- memory ---- */

static zinc_status
everything(void *arg, zinc_context *ctx, zinc_error *err)
{
	uint16_t in[24] = {1, 2, 3}, back[24];
	const uint16_t fill = 0;
	zinc_json *list = NULL;
	zinc_json_doc *doc = NULL;
	chain_case t;
	zinc_status st = chain_init(&t, ctx, (const char *)arg, "uint16", s234, &fill, false, err);

	if (st == ZINC_OK)
		st = chain_encode(&t, in, err);
	if (st == ZINC_OK)
		st = chain_decode(&t, t.out.p, t.out.n, back, err);
	if (st == ZINC_OK)
		assert_memory_equal(in, back, sizeof in);
	if (st == ZINC_OK)
		st = zinc_json_new(&doc, ctx, err);
	if (st == ZINC_OK)
		st = zinc_chain_print(t.chain, doc, &list, err);
	if (st == ZINC_OK)
		st = zinc_chain_parse_text(&list, doc, "transpose:2,1,0+zstd:1+crc32c", &t.chain->rep, true, true, err);
	if (st == ZINC_OK)
		st = zinc_chain_parse_text(&list, doc, "[\"crc32c\"]", &t.chain->rep, true, true, err);
	if (st == ZINC_OK)
		st = zinc_chain_make_sharded(&list, doc, list, s234, 3, err);
	zinc_json_free(doc);
	chain_fini(&t);
	return st;
}

/* Each allocation fails in turn. */
static void
out_of_memory(void **state)
{
	static char simple[] = "[" TRANSPOSE("[2,0,1]") "," BIG "," CRC "]";
	static char nested[] = "[" TRANSPOSE("[2,0,1]") "," SHARD("[2,2,1]", SHARD("[1,2,1]", "%s")) "," CRC "]";
	static char old[] = "[{\"name\":\"sharding_indexed\",\"configuration\":{\"chunk_shape\":[1,1,1]}}]";
	char codecs[1000];

	(void)state;
	assert_true(sweep_alloc(everything, simple) > 10);
	assert_true(sweep_alloc(everything, old) > 10);
	snprintf(codecs, sizeof codecs, nested, BIG "," CRC);
	assert_true(sweep_alloc(everything, codecs) > 20);
	if (zinc_codec_zstd.bytes) {
		snprintf(codecs, sizeof codecs, nested, BIG ",{\"name\":\"zstd\",\"configuration\":{\"level\":1}}");
		assert_true(sweep_alloc(everything, codecs) > 20);
	}
	if (!zinc_codec_gzip.lacks) {
		snprintf(codecs, sizeof codecs, nested, BIG ",{\"name\":\"gzip\",\"configuration\":{\"level\":1}}");
		assert_true(sweep_alloc(everything, codecs) > 20);
	}
	if (zinc_codec_blosc.bytes) {
		snprintf(
		    codecs, sizeof codecs, nested,
		    BIG
		    ",{\"name\":\"blosc\",\"configuration\":{\"cname\":\"lz4\",\"clevel\":1,\"shuffle\":\"noshuffle\","
		    "\"blocksize\":0}}");
		assert_true(sweep_alloc(everything, codecs) > 20);
	}
}

/* ---- the table ---- */

static int
count_row(void *arg, const char *name, const char *also, const char *purpose)
{
	assert_true(name && *name && also && purpose && *purpose);
	assert_ptr_not_equal(zinc_codec_find(name), NULL);
	if (strcmp(name, "bytes") == 0)
		assert_string_equal(also, "endian");
	return ++*(int *)arg == 7;
}

static void
table(void **state)
{
	int n = 0;

	(void)state;
	zinc_list_codecs(count_row, &n);
	assert_int_equal(n, 7);
	assert_ptr_equal(zinc_codec_find("endian"), zinc_codec_find("bytes"));
	assert_null(zinc_codec_find(""));
	assert_null(zinc_codec_find("byte"));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(unreadable),     cmocka_unit_test(unreadable_behind),
	    cmocka_unit_test(lists),          cmocka_unit_test(orders),
	    cmocka_unit_test(unknown_codecs), cmocka_unit_test(whose_fault),
	    cmocka_unit_test(limits),         cmocka_unit_test(printed),
	    cmocka_unit_test(texts),          cmocka_unit_test(bad_texts),
	    cmocka_unit_test(made_sharded),   cmocka_unit_test(every_way),
	    cmocka_unit_test(not_copied),     cmocka_unit_test(other_shapes),
	    cmocka_unit_test(faults),         cmocka_unit_test(warm),
	    cmocka_unit_test(fills),          cmocka_unit_test(out_of_memory),
	    cmocka_unit_test(table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
