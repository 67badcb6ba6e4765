/*
 * test_codec_scale_offset.c - (x - offset) * scale: the promises of codec_scale_offset.c, by number
 */
#include <float.h>
#include <math.h>
#include <stdio.h>

#include "codec/codec_parts.h"
#include "support/codecs.h"
#include "support/random.h"
#include "support/test.h"

#define SCALE(members) "{\"name\": \"scale_offset\", \"configuration\": {" members "}}"
#define BOTH(o, s)     "\"offset\": " o ", \"scale\": " s
#define LITTLE         "{\"name\": \"bytes\", \"configuration\": {\"endian\": \"little\"}}"
#define CHAIN(members) "[" SCALE(members) ", " LITTLE "]"
#define AT             "/0/configuration"

static const uint64_t one[] = {1, ENDED}, two[] = {2, ENDED}, three[] = {3, ENDED}, four[] = {4, ENDED};

/* (1) The picture in codec_scale_offset.c; float16 and float32 are rounded after each operation. */
static void
pictures(void **state)
{
	const float in[] = {20.5F, 20}, tenth[] = {0.3F};
	const int16_t whole[] = {130, 100, 99};
	const uint16_t halves[] = {0x3c01, 0x6800, 0x8000}; /* 1 + 2^-10, 2048, -0 */

	(void)state;
	codec_encodes(CHAIN(BOTH("20", "10")), "float32", two, in, ZINC_OK, "0000a040 00000000");
	codec_decodes(CHAIN(BOTH("20", "10")), "float32", two, "0000a040 00000000", ZINC_OK, in);
	codec_encodes(CHAIN(BOTH("100", "2")), "int16", three, whole, ZINC_OK, "3c00 0000 feff");
	codec_decodes(CHAIN(BOTH("100", "2")), "int16", three, "3c00 0000 feff", ZINC_OK, whole);
	codec_encodes(CHAIN("\"scale\": 0.1"), "float32", one, tenth, ZINC_OK, "90c2f53c");
	/* 2048 - 1 is 2047; 2047 * 3 = 6141 is 6140 in halves; a double would keep 6141 */
	codec_encodes(CHAIN(BOTH("1", "3")), "float16", three, halves, ZINC_OK, "001a ff6d 00c2");
	/* without a configuration nothing changes */
	chain_roundtrip("[\"scale_offset\", " LITTLE "]", "float32", two, NULL, in);
	codec_encodes("[\"scale_offset\", " LITTLE "]", "float32", two, in, ZINC_OK, "0000a441 0000a041");
}

/* (2) Integers. */
static void
integers(void **state)
{
	const int8_t in[] = {-128, 0, 127}, edge[] = {-127, 0, 127}, low[] = {127, 0, -127};
	const uint8_t un[] = {5, 6, 255}, under[] = {5, 4, 6};
	const uint64_t large[] = {UINT64_MAX, 0x8000000000000001, 0x8000000000000000};
	const int64_t least[] = {INT64_MIN, 0, 0};

	(void)state;
	codec_encodes(CHAIN("\"scale\": 2"), "int8", three, in, ZINC_E_RANGE, NULL);
	codec_encodes(CHAIN("\"offset\": 1"), "int8", three, in, ZINC_E_RANGE, NULL);
	codec_encodes(CHAIN("\"offset\": -1"), "int8", three, in, ZINC_E_RANGE, NULL);
	codec_encodes(CHAIN("\"scale\": -1"), "int8", three, in, ZINC_E_RANGE, NULL);
	codec_encodes(CHAIN("\"scale\": -1"), "int8", three, edge, ZINC_OK, "7f0081");
	codec_decodes(CHAIN("\"scale\": -1"), "int8", three, "81007f", ZINC_OK, low);
	codec_encodes(CHAIN(BOTH("5", "1")), "uint8", three, un, ZINC_OK, "0001fa");
	codec_encodes(CHAIN(BOTH("5", "1")), "uint8", three, under, ZINC_E_RANGE, NULL);
	codec_encodes(CHAIN(BOTH("5", "2")), "uint8", three, un, ZINC_E_RANGE, NULL);
	codec_encodes(CHAIN("\"offset\": 9223372036854775808"), "uint64", three, large, ZINC_OK,
		      "ffffffffffffff7f 0100000000000000 0000000000000000");
	codec_encodes(CHAIN("\"scale\": -1"), "int64", three, least, ZINC_E_RANGE, NULL);
	/* remainders and overflow on reading */
	codec_decodes(CHAIN("\"scale\": 2"), "int8", three, "020406", ZINC_OK, "\1\2\3");
	codec_decodes(CHAIN("\"scale\": 2"), "int8", three, "020306", ZINC_E_CORRUPT, NULL);
	codec_decodes(CHAIN("\"scale\": 3"), "uint8", three, "000304", ZINC_E_CORRUPT, NULL);
	codec_decodes(CHAIN("\"offset\": 127"), "int8", three, "00ff01", ZINC_E_CORRUPT, NULL);
	codec_decodes(CHAIN("\"offset\": 250"), "uint8", three, "000006", ZINC_E_CORRUPT, NULL);
	/* -128 / -1 is not an int8, but the number in the end is */
	codec_decodes(CHAIN(BOTH("-1", "-1")), "int8", one, "80", ZINC_OK, "\177");
	codec_decodes(CHAIN("\"scale\": -1"), "int8", one, "80", ZINC_E_CORRUPT, NULL);
	codec_decodes(CHAIN("\"scale\": -1"), "int64", one, "0000000000000080", ZINC_E_CORRUPT, NULL);
}

/* (2), (3) Floats. */
static void
floats(void **state)
{
	const double big[] = {1, 1e300, 1}, special[] = {INFINITY, -INFINITY, 1}, nan[] = {NAN};
	const float single[] = {0, 0, 1e30F};
	const uint16_t half[] = {0, 0x7bff, 0}, infinite[] = {0, 0x7c00, 0};

	(void)state;
	codec_encodes(CHAIN("\"scale\": 1e10"), "float64", three, big, ZINC_E_RANGE, NULL);
	codec_encodes(CHAIN("\"scale\": 1e10"), "float32", three, single, ZINC_E_RANGE, NULL);
	codec_encodes(CHAIN("\"scale\": 2"), "float16", three, half, ZINC_E_RANGE, NULL);
	codec_encodes(CHAIN("\"scale\": 2"), "float16", three, infinite, ZINC_OK, "0000 007c 0000");
	codec_encodes(CHAIN("\"offset\": -1.7976931348623157e308"), "float64", one, big, ZINC_OK, "ffffffffffffef7f");
	codec_encodes(CHAIN("\"scale\": -2"), "float64", three, special, ZINC_OK,
		      "000000000000f0ff 000000000000f07f 00000000000000c0");
	codec_encodes(CHAIN(BOTH("1", "2")), "float64", one, nan, ZINC_OK, "000000000000f87f");
	codec_decodes(CHAIN("\"scale\": 1e-10"), "float32", one, "ffff7f7f", ZINC_E_CORRUPT, NULL);
	codec_decodes(CHAIN("\"scale\": 1e-10"), "float32", one, "0000807f", ZINC_OK,
		      ZINC_HOST_BIG ? "\x7f\x80\0\0" : "\0\0\x80\x7f");
	codec_decodes(CHAIN("\"scale\": 0.1"), "float16", one, "ff7b", ZINC_E_CORRUPT, NULL);
}

/* (2) At the end of the range a number may be stored that would be read as infinity: by an offset of more than half of
 * it, and by a smaller one. */
static void
top_of_range(void **state)
{
	const float single[] = {0, 1, FLT_MAX};
	const double twice[] = {0, DBL_MAX, 1};
	const uint16_t half[] = {0x7bff, 0, 0};
	const uint8_t e4m3[] = {0, 0x77, 0}, lower[] = {0, 0x70, 0};

	(void)state;
	codec_encodes(CHAIN(BOTH("1.79884264844185e38", "1.3321768045425415")), "float32", three, single, ZINC_E_RANGE,
		      NULL);
	codec_encodes(CHAIN(BOTH("1.5636394094779196e38", "1.1852835416793823")), "float32", three, single,
		      ZINC_E_RANGE, NULL);
	codec_encodes(CHAIN(BOTH("9.352369017956902e307", "1.1437129452317516")), "float64", three, twice, ZINC_E_RANGE,
		      NULL);
	codec_encodes(CHAIN(BOTH("2.1938798746285548e307", "0.32572531659852555")), "float64", three, twice,
		      ZINC_E_RANGE, NULL);
	codec_encodes(CHAIN(BOTH("36320", "0.7294921875")), "float16", three, half, ZINC_E_RANGE, NULL);
	codec_encodes(CHAIN(BOTH("24", "-0.1015625")), "float8_e4m3", three, e4m3, ZINC_E_RANGE, NULL);
	codec_encodes(CHAIN(BOTH("24", "-0.1015625")), "float8_e4m3", three, lower, ZINC_OK, "42d342");
	/* the largest number itself is stored where it comes back */
	chain_roundtrip(CHAIN("\"scale\": 0.25"), "float32", three, NULL, single);
	chain_roundtrip(CHAIN("\"offset\": 1.7976931348623157e308"), "float64", (const uint64_t[]){1, ENDED}, NULL,
			&twice[1]);
}

/* (2) What codecs behind have changed may be no multiple of `scale`, or too large. */
static void
changed(void **state)
{
#define BEHIND(members, codec) "[" SCALE(members) ", {\"name\": " codec "}]"
#define DROPPED                "\"packbits\", \"configuration\": {\"first_bit\": 1}"
#define ROUNDED                "\"bitround\", \"configuration\": {\"keepbits\": 1}}, " LITTLE ", {\"name\": \"crc32c\""
	const int32_t odd[] = {1, 3, 5, 7}, even[] = {2, 4, 8, 16};
	zinc_error err = ZINC_ERROR_INIT;
	chain_case t;

	(void)state;
	codec_encodes(BEHIND("\"scale\": 3", DROPPED), "int32", four, odd, ZINC_E_RANGE, NULL);
	codec_encodes(BEHIND("\"scale\": 3", ROUNDED), "int32", four, odd, ZINC_E_RANGE, NULL);
	chain_roundtrip(BEHIND("\"scale\": 3", DROPPED), "int32", four, NULL, even);
	/* half of the largest float32 is rounded to 2^127, whose double is infinite */
	assert_ok(chain_init(&t, NULL, BEHIND("\"scale\": 0.5", ROUNDED), "float32", four, NULL, true, &err));
	assert_int_equal(chain_encode(&t, (const float[]){1, 2, 3, FLT_MAX}, &err), ZINC_E_RANGE);
	assert_ok(chain_encode(&t, (const float[]){1, 2, 3, FLT_MAX / 4}, &err));
	chain_fini(&t);
}

static void
reads_back(const char *codecs, bool want)
{
	zinc_error err = ZINC_ERROR_INIT;
	chain_case t;

	assert_ok(chain_init(&t, NULL, codecs, "float32", four, NULL, true, &err));
	assert_int_equal(t.chain->reads_back, want);
	chain_fini(&t);
}

/* (2) Integers behind it are too small to make a float infinite, unless the scale is tiny.  Only then each chunk is decoded
 * before it is written. */
static void
small_behind(void **state)
{
#define CAST(members)                                                                                                  \
	"\"cast_value\", \"configuration\": {\"data_type\": \"int16\"" members "}}, " LITTLE ", {\"name\": \"crc32c\""
#define UP ", \"rounding\": \"towards-positive\""
	const float most[] = {1, 2, 3, FLT_MAX};
	const int32_t limited[] = {1, 2, 3, 11000};

	(void)state;
	reads_back(BEHIND(BOTH("273.15", "100"), CAST("")), false);
	reads_back(BEHIND(BOTH("273.15", "1e-37"), CAST("")), true);
	reads_back(BEHIND(BOTH("3.4e38", "1e-32"), CAST("")), true);
	reads_back(BEHIND(BOTH("273.15", "100"), CAST(", \"scalar_map\": {\"decode\": [[-1, 1e38]]}")), false);
	reads_back(BEHIND(BOTH("273.15", "1"), CAST(", \"scalar_map\": {\"decode\": [[-1, 1e38]]}")), true);
	/* of integers every other number counts: 33000 is limited to 32767, which is no multiple of 3 */
	codec_encodes(BEHIND("\"scale\": 3", CAST(", \"out_of_range\": \"clamp\"")), "int32", four, limited,
		      ZINC_E_RANGE, NULL);
	/* 34.03 is stored as 35, which is beyond the largest number */
	codec_encodes(BEHIND("\"scale\": 1e-37", CAST(UP)), "float32", four, most, ZINC_E_RANGE, NULL);
}

/* (2) The element is named, also after the first block. */
static void
place_of_error(void **state)
{
	const uint64_t shape[] = {1000, ENDED};
	static double in[1000];
	zinc_error err = ZINC_ERROR_INIT;
	chain_case t;

	(void)state;
	assert_ok(chain_init(&t, NULL, CHAIN("\"scale\": 100"), "float64", shape, NULL, true, &err));
	in[777] = in[900] = 1e307;
	assert_int_equal(chain_encode(&t, in, &err), ZINC_E_RANGE);
	assert_non_null(strstr(zinc_error_text(&err), "element 777:"));
	chain_fini(&t);
}

/* (1) Random small integers against arithmetic in long long, and halves against arithmetic in double, whose results
 * are exact there. */
static void
random_numbers(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	char codecs[160];
	chain_case t;
	int i, k;

	(void)state;
	for (i = 0; i < 400; i++) {
		const int offset = (int)random_below(256) - 128, scale = (int)random_below(9) - 4;
		int8_t in[64], back[64];
		int n = 0;

		if (scale == 0)
			continue;
		snprintf(codecs, sizeof codecs, CHAIN("\"offset\": %d, \"scale\": %d"), offset, scale);
		assert_ok(chain_init(&t, NULL, codecs, "int8", (const uint64_t[]){64, ENDED}, NULL, true, &err));
		for (k = 0; k < 4000 && n < 64; k++) {
			const int x = (int)random_below(256) - 128, d = x - offset, y = d * scale;

			in[n] = (int8_t)x;
			n += d >= -128 && d <= 127 && y >= -128 && y <= 127;
		}
		if (n == 64) {
			assert_ok(chain_encode(&t, in, &err));
			for (k = 0; k < 64; k++)
				assert_int_equal((int8_t)t.out.p[k], (in[k] - offset) * scale);
			assert_ok(chain_decode(&t, t.out.p, t.out.n, back, &err));
			assert_memory_equal(back, in, sizeof in);
		}
		chain_fini(&t);
	}
}

/* (1), (2) Types that C does not have: int4, bfloat16, a float without infinity, and one without zero. */
static void
small_types(void **state)
{
	const int8_t in[] = {-8, 7, 3}, twos[] = {1, 3, 2};
	const uint16_t bf[] = {0x3f80, 0x3f81, 0x4000}; /* 1, 1 + 2^-7, 2 */
	const uint8_t fp4[] = {0x2, 0x5, 0xa};          /* 1, 3, -1 of float4_e2m1fn */

	(void)state;
	codec_encodes(CHAIN(BOTH("1", "2")), "int4", three, twos, ZINC_OK, "00 04 02");
	codec_encodes(CHAIN(BOTH("1", "1")), "int4", three, in, ZINC_E_RANGE, NULL);
	codec_encodes(CHAIN("\"scale\": 3"), "int4", three, twos, ZINC_E_RANGE, NULL);
	codec_encodes(CHAIN("\"scale\": 3"), "bfloat16", three, bf, ZINC_OK, "4040 4240 c040");
	codec_encodes(CHAIN(BOTH("1", "2")), "float4_e2m1fn", three, fp4, ZINC_OK, "00 06 0e");
	codec_encodes(CHAIN("\"scale\": 4"), "float4_e2m1fn", three, fp4, ZINC_E_RANGE, NULL);
	chain_finds(CHAIN("\"scale\": 2"), "float8_e8m0fnu", three, ZINC_E_CORRUPT, "scale_offset", AT);
}

/* (4) The fill value must come back from chunks that are written. */
static void
fill_comes_back(void **state)
{
	static const char far[] = CHAIN("\"offset\": 1e10");
	const float tenth = 0.1F, ten = 1e10F, minus = -0.0F, nan = NAN;
	const uint16_t half = 0x3555;
	zinc_error err = ZINC_ERROR_INIT;
	chain_case t;

	(void)state;
	assert_int_equal(chain_init(&t, NULL, far, "float32", four, &tenth, true, &err), ZINC_E_CORRUPT);
	assert_string_equal(t.rule, "scale_offset");
	assert_string_equal(t.pointer, AT);
	chain_fini(&t);
	assert_ok(chain_init(&t, NULL, far, "float32", four, &tenth, false, &err));
	assert_int_equal(t.found, 1);
	chain_fini(&t);
	assert_ok(chain_init(&t, NULL, far, "float32", four, &ten, true, &err));
	chain_fini(&t);
	assert_ok(chain_init(&t, NULL, far, "float32", four, &nan, true, &err));
	chain_fini(&t);
	assert_ok(
	    chain_init(&t, NULL, CHAIN("\"scale\": 2"), "float32", four, &minus, true, &err)); /* comes back as 0 */
	chain_fini(&t);
	assert_int_equal(chain_init(&t, NULL, CHAIN("\"offset\": 1000"), "float16", four, &half, true, &err),
			 ZINC_E_CORRUPT);
	chain_fini(&t);
}

/* (4) */
static void
fill_values(void **state)
{
	static const char shard[] =
	    "[" SCALE(BOTH("100", "2")) ", {\"name\": \"sharding_indexed\", \"configuration\": {\"chunk_shape\": [2], "
					"\"codecs\": [" LITTLE "], \"index_codecs\": [" LITTLE "]}}]";
	const int16_t fill = 130, in[] = {130, 130, 1, 130}, low = -32768, want = 60;
	const double nan = NAN;
	zinc_error err = ZINC_ERROR_INIT;
	chain_case t;
	int16_t back[4];

	(void)state;
	assert_ok(chain_init(&t, NULL, CHAIN(BOTH("100", "2")), "int16", four, &fill, true, &err));
	assert_memory_equal(t.chain->ab_rep.fill, &want, 2);
	assert_memory_equal(t.chain->rep.fill, &fill, 2);
	chain_fini(&t);
	assert_ok(chain_init(&t, NULL, shard, "int16", four, &fill, true, &err));
	assert_ok(chain_encode(&t, in, &err));
	assert_int_equal(t.out.n, 4 + 2 * 16); /* one inner chunk */
	assert_ok(chain_decode(&t, t.out.p, t.out.n, back, &err));
	assert_memory_equal(back, in, sizeof in);
	chain_fini(&t);
	assert_int_equal(chain_init(&t, NULL, CHAIN(BOTH("100", "2")), "int16", four, &low, false, &err),
			 ZINC_E_CORRUPT);
	assert_string_equal(t.rule, "scale_offset");
	chain_fini(&t);
	assert_ok(chain_init(&t, NULL, CHAIN(BOTH("100", "2")), "float64", four, &nan, true, &err));
	chain_fini(&t);
}

static void
configuration(void **state)
{
	const double in[4] = {1, 2, 3, 4};

	(void)state;
	codec_prints(CHAIN(BOTH("1000", "0.1")), "float64", CHAIN(BOTH("1000.0", "0.1")), "[]");
	codec_prints(CHAIN(BOTH("0", "0.1")), "float32", CHAIN("\"scale\": 0.1"), "[]");
	codec_prints(CHAIN(BOTH("\"0x3c00\"", "\"0x4000\"")), "float16", CHAIN(BOTH("1.0", "2.0")), "[]");
	codec_prints(CHAIN(BOTH("18446744073709551615", "1")), "uint64", CHAIN("\"offset\": 18446744073709551615"),
		     "[]");
	codec_prints(CHAIN(BOTH("0", "1")), "int8", "[{\"name\": \"scale_offset\"}, " LITTLE "]", "[]");
	codec_words("scale_offset", "int8", "[{\"name\": \"scale_offset\"}, " LITTLE "]");
	codec_words("scale_offset:1", "int8", NULL);
	codec_sweep(CHAIN(BOTH("1", "2")), "float64", four, in);
	codec_warm(CHAIN(BOTH("1", "2")), "float64", four, in);
}

#define REFUSED(members, dtype, at) chain_finds(CHAIN(members), dtype, four, ZINC_E_CORRUPT, "scale_offset", AT at)
#define ODD(members, dtype, at)     chain_finds(CHAIN(members), dtype, four, ZINC_OK, "scale_offset", AT at)

static void
findings(void **state)
{
	(void)state;
	REFUSED("\"scale\": 0", "float64", "/scale");
	REFUSED("\"scale\": -0.0", "float64", "/scale");
	REFUSED("\"scale\": \"0\"", "float64", "/scale");
	REFUSED("\"scale\": 1e-400", "float64", "/scale");
	REFUSED("\"scale\": 1e-50", "float32", "/scale");
	chain_finds(CHAIN("\"scale\": \"NaN\""), "float64", four, ZINC_E_UNSUPPORTED, "scale_offset", AT "/scale");
	chain_finds(CHAIN("\"offset\": \"Infinity\""), "float64", four, ZINC_E_UNSUPPORTED, "scale_offset",
		    AT "/offset");
	REFUSED("\"offset\": -1", "uint8", "/offset");
	REFUSED("\"offset\": 0.5", "int8", "/offset");
	REFUSED("\"offset\": 128", "int8", "/offset");
	REFUSED("\"offset\": null", "int8", "/offset");
	REFUSED("\"offset\": [1]", "int8", "/offset");
	REFUSED("\"factor\": 1", "int8", "/factor");
	REFUSED("", "bool", "");
	REFUSED("", "complex64", "");
	REFUSED("", "r8", "");
	chain_finds("[\"scale_offset\", \"bytes\"]", "bool", four, ZINC_E_CORRUPT, "scale_offset", "/0");
	/* as zarr-python may write them */
	ODD("\"offset\": \"5\"", "float64", "/offset");
	ODD("\"scale\": \"0.1\"", "float64", "/scale");
	ODD("\"offset\": \"5\"", "uint8", "/offset");
	ODD("\"scale\": 2.0", "int8", "/scale");
}

/* Whether (x - offset) * scale is a number of the type at each step, and back. */
static bool
scales(long double x, long double offset, long double scale, long double least, long double most, bool back,
       long double *y)
{
	const long double first = back ? x / scale : x - offset;

	*y = back ? first + offset : first * scale;
	return *y >= least && *y <= most && (back ? first == truncl(first) : first >= least && first <= most);
}

static void
encode_or_decode(const char *type, size_t size, int64_t offset, int64_t scale, long double least, long double most,
		 bool back)
{
	const long double limits[] = {least, least + 1, most, most - 1, 0, (long double)offset};
	zinc_error err = ZINC_ERROR_INIT;
	uint8_t in[8 * 4], out[8 * 4];
	long double want[8];
	char codecs[200];
	chain_case t;
	bool fits = true;
	zinc_status st;
	size_t i;

	for (i = 0; i < 8; i++) {
		long double x = i % 4 == 3 ? limits[random_below(COUNT(limits))] : (long double)random_below(40);

		x = back && i % 4 < 3 ? (x - 20) * (long double)scale : x + (i % 4 < 3 ? (long double)offset : 0);
		if (random_below(4) || x < least || x > most)
			x = back ? 0 : (long double)offset;
		zinc_bits_put(in + i * size, (uint32_t)size, (uint64_t)(int64_t)x);
		fits &= scales(x, (long double)offset, (long double)scale, least, most, back, &want[i]);
	}
	snprintf(codecs, sizeof codecs, CHAIN("\"offset\": %lld, \"scale\": %lld"), (long long)offset,
		 (long long)scale);
	assert_ok(chain_init(&t, NULL, codecs, type, (const uint64_t[]){8, ENDED}, NULL, true, &err));
	if (back)
		st = zinc_codec_scale_offset.array->decode(t.chain->aa[0], NULL, &t.chain->rep, in, out, &err);
	else
		st = zinc_codec_scale_offset.array->encode(t.chain->aa[0], NULL, &t.chain->rep, in, out, &err);
	assert_int_equal(st, fits ? ZINC_OK : back ? ZINC_E_CORRUPT : ZINC_E_RANGE);
	for (i = 0; i < 8 && fits; i++) {
		const uint64_t mask = UINT64_MAX >> (64 - 8 * size);

		assert_int_equal(zinc_bits_get(out + i * size, (uint32_t)size), (uint64_t)(int64_t)want[i] & mask);
	}
	chain_fini(&t);
}

/* (1), (2) Integers of every size, at the ends of their range, against arithmetic in long double. */
static void
sizes_of_integers(void **state)
{
	static const char *const types[] = {"int8", "int16", "int32", "uint8", "uint16", "uint32"};
	size_t k;
	int i;

	(void)state;
	for (k = 0; k < COUNT(types); k++)
		for (i = 0; i < 3000; i++) {
			const size_t size = (size_t)1 << k % 3;
			const int64_t all = (int64_t)1 << 8 * size, least = k < 3 ? -all / 2 : 0,
				      most = least + all - 1;
			int64_t offset = i % 5 ? (int64_t)random_below(100) : i % 2 ? most : least;
			int64_t scale = i % 7 ? (int64_t)random_below(9) + 1 : most - (int64_t)random_below(3);

			if (k < 3 && i % 3 == 0)
				scale = i % 7 ? -scale : least;
			if (k < 3 && i % 4 == 0 && offset != least)
				offset = -offset;
			encode_or_decode(types[k], size, offset, scale, (long double)least, (long double)most, i % 2);
		}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(pictures),       cmocka_unit_test(integers),       cmocka_unit_test(floats),
	    cmocka_unit_test(top_of_range),   cmocka_unit_test(changed),        cmocka_unit_test(small_behind),
	    cmocka_unit_test(place_of_error), cmocka_unit_test(random_numbers), cmocka_unit_test(sizes_of_integers),
	    cmocka_unit_test(small_types),    cmocka_unit_test(fill_values),    cmocka_unit_test(fill_comes_back),
	    cmocka_unit_test(configuration),  cmocka_unit_test(findings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
