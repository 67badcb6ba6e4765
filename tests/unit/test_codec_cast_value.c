/*
 * test_codec_cast_value.c - numbers stored as another type: the promises of codec_cast_value.c, by number
 *
 * The oracle computes with long doubles, floorl and fmodl, from the parameters of a type alone.
 */
#include <float.h>
#include <math.h>
#include <stdio.h>

#include "codec/codec_parts.h"
#include "support/codecs.h"
#include "support/random.h"
#include "support/test.h"

#define CAST(members)  "{\"name\": \"cast_value\", \"configuration\": {" members "}}"
#define LITTLE         "{\"name\": \"bytes\", \"configuration\": {\"endian\": \"little\"}}"
#define CHAIN(members) "[" CAST(members) ", " LITTLE "]"
#define INT8           "\"data_type\": \"int8\""
#define CLAMP          ", \"out_of_range\": \"clamp\""
#define WRAP           ", \"out_of_range\": \"wrap\""
#define ROUNDING(name) ", \"rounding\": \"" name "\""
#define MAP(enc, dec)  ", \"scalar_map\": {\"encode\": [" enc "], \"decode\": [" dec "]}"
#define AT             "/0/configuration"

static const uint64_t one[] = {1, ENDED}, three[] = {3, ENDED}, four[] = {4, ENDED}, six[] = {6, ENDED};

/* ---- (1) to (4), by hand ---- */

#if defined(__SSE2__) && defined(__GNUC__)
#define FLUSHES 1
static uint32_t
processor_state(void)
{
	return __builtin_ia32_stmxcsr();
}

static void
set_processor(uint32_t state)
{
	__builtin_ia32_ldmxcsr(state);
}
#else
#define FLUSHES 0
static uint32_t
processor_state(void)
{
	return 0;
}

static void
set_processor(uint32_t state)
{
	(void)state;
}
#endif

/* (3) The vectors of the specification. */
static void
spec_vectors(void **state)
{
	const double in[] = {128.0};
	const int32_t wide[] = {32768, 32769, -32769};

	(void)state;
	codec_encodes(CHAIN(INT8), "float64", one, in, ZINC_E_RANGE, NULL);
	codec_encodes(CHAIN(INT8 CLAMP), "float64", one, in, ZINC_OK, "7f");
	codec_encodes(CHAIN(INT8 WRAP), "float64", one, in, ZINC_OK, "80");
	codec_encodes(CHAIN("\"data_type\": \"int16\"" WRAP), "int32", three, wide, ZINC_OK, "0080 0180 ff7f");
}

/* (3) Rounding comes before the range. */
static void
roundings(void **state)
{
	const double in[] = {0.5, -0.5, 1.5, -1.5, 2.5, 127.4}, edge[] = {127.5}, low[] = {-0.5};

	(void)state;
	codec_encodes(CHAIN(INT8), "float64", six, in, ZINC_OK, "00 00 02 fe 02 7f");
	codec_encodes(CHAIN(INT8 ROUNDING("nearest-even")), "float64", six, in, ZINC_OK, "00 00 02 fe 02 7f");
	codec_encodes(CHAIN(INT8 ROUNDING("nearest-away")), "float64", six, in, ZINC_OK, "01 ff 02 fe 03 7f");
	codec_encodes(CHAIN(INT8 ROUNDING("towards-zero")), "float64", six, in, ZINC_OK, "00 00 01 ff 02 7f");
	codec_encodes(CHAIN(INT8 ROUNDING("towards-negative")), "float64", six, in, ZINC_OK, "00 ff 01 fe 02 7f");
	codec_encodes(CHAIN(INT8 ROUNDING("towards-positive")), "float64", six, in, ZINC_E_RANGE, NULL);
	codec_encodes(CHAIN(INT8), "float64", one, edge, ZINC_E_RANGE, NULL);
	codec_encodes(CHAIN(INT8 ROUNDING("towards-zero")), "float64", one, edge, ZINC_OK, "7f");
	codec_encodes(CHAIN("\"data_type\": \"uint8\""), "float64", one, low, ZINC_OK, "00");
	codec_encodes(CHAIN("\"data_type\": \"uint8\"" ROUNDING("nearest-away")), "float64", one, low, ZINC_E_RANGE,
		      NULL);
}

/* (2), (3) Floats: the sign of 0, infinities, clamped to infinity. */
static void
floats(void **state)
{
	const double in[] = {-0.0, INFINITY, -INFINITY, 0.1}, big[] = {1e300, -1e300, 3.5e38, -65519.9};
	const float nan[] = {NAN};

	(void)state;
	codec_encodes(CHAIN("\"data_type\": \"float32\""), "float64", four, in, ZINC_OK,
		      "00000080 0000807f 000080ff cdcccc3d");
	codec_encodes(CHAIN("\"data_type\": \"float32\"" ROUNDING("towards-zero")), "float64", four, in, ZINC_OK,
		      "00000080 0000807f 000080ff cccccc3d");
	codec_encodes(CHAIN("\"data_type\": \"float32\""), "float64", four, big, ZINC_E_RANGE, NULL);
	codec_encodes(CHAIN("\"data_type\": \"float32\"" ROUNDING("towards-zero")), "float64", four, big, ZINC_E_RANGE,
		      NULL);
	codec_encodes(CHAIN("\"data_type\": \"float32\"" CLAMP), "float64", four, big, ZINC_OK,
		      "0000807f 000080ff 0000807f e6ef7fc7");
	codec_encodes(CHAIN("\"data_type\": \"float64\""), "float32", one, nan, ZINC_OK, "000000000000f87f");
}

/* (4) */
static void
not_numbers(void **state)
{
	static const char *const chains[] = {CHAIN(INT8), CHAIN(INT8 CLAMP), CHAIN(INT8 WRAP)};
	const double values[] = {NAN, INFINITY, -INFINITY};
	size_t i, j;

	(void)state;
	for (i = 0; i < COUNT(chains); i++)
		for (j = 0; j < COUNT(values); j++)
			codec_encodes(chains[i], "float64", one, &values[j], ZINC_E_RANGE, NULL);
	/* and on reading */
	codec_decodes(CHAIN("\"data_type\": \"float32\"" CLAMP), "int8", one, "0000c07f", ZINC_E_CORRUPT, NULL);
	codec_decodes(CHAIN("\"data_type\": \"float32\"" CLAMP), "int8", one, "0000807f", ZINC_E_CORRUPT, NULL);
}

/* (3) On reading "wrap" applies if the array's type is an integer. */
static void
reading(void **state)
{
	const int8_t wrapped[] = {0, 44, -1}, clamped[] = {0, 127, -1};
	const uint16_t infinity[] = {0, 0x7c00, 0xbc00};

	(void)state;
	codec_decodes(CHAIN("\"data_type\": \"int16\""), "int8", three, "0000 2c01 ffff", ZINC_E_CORRUPT, NULL);
	codec_decodes(CHAIN("\"data_type\": \"int16\"" WRAP), "int8", three, "0000 2c01 ffff", ZINC_OK, wrapped);
	codec_decodes(CHAIN("\"data_type\": \"int16\"" CLAMP), "int8", three, "0000 2c01 ffff", ZINC_OK, clamped);
	codec_decodes(CHAIN("\"data_type\": \"int32\"" WRAP), "float16", three, "00000000 ffffff00 ffffffff",
		      ZINC_E_CORRUPT, NULL);
	codec_decodes(CHAIN("\"data_type\": \"int32\"" CLAMP), "float16", three, "00000000 ffffff00 ffffffff", ZINC_OK,
		      infinity);
}

/* (1) */
static void
maps(void **state)
{
	const double in[] = {NAN, 0.0, -0.0, 127.6}, back[] = {-1, 5, 0, 7};
	const uint64_t nans[] = {0x7ff0000000000001, 0xfff8000000000123, 0x7ff8000000000000};
	const uint8_t small[] = {0, 1, 2, 3};
	const uint64_t most[] = {UINT64_MAX, 3, UINT64_MAX}; /* whose key is that of NaN in floats */

	(void)state;
	codec_encodes(CHAIN(INT8 MAP("[18446744073709551615, 7]", "[7, 18446744073709551615]")), "uint64", three, most,
		      ZINC_OK, "07 03 07");
	codec_encodes(CHAIN(INT8 MAP("[-1, 7]", "[7, -1]")), "int64", three, most, ZINC_OK, "07 03 07");
	codec_encodes(CHAIN(INT8 MAP("[\"NaN\", 1], [0, 2], [127.6, 3]", "")), "float64", four, in, ZINC_OK,
		      "01 02 02 03");
	/* the first pair wins, also for numbers that are equal but written differently */
	codec_encodes(
	    CHAIN(INT8 MAP("[\"NaN\", 1], [\"0x7ff8000000000123\", 9], [-0.0, 2], [0, 9], [127.6, 3], [127.6, 9]", "")),
	    "float64", four, in, ZINC_OK, "01 02 02 03");
	codec_encodes(CHAIN(INT8 MAP("[\"0x7ff8000000000123\", 1]", "")), "float64", three, nans, ZINC_OK, "01 01 01");
	/* before everything else: a number that would be exact, one out of range */
	codec_encodes(CHAIN("\"data_type\": \"int8\"" MAP("[3, 1], [0, -128]", "[-128, 0]")), "uint8", four, small,
		      ZINC_OK, "80 01 02 01");
	codec_decodes(CHAIN(INT8 MAP("", "[-128, 5], [5, -1], [0, 0]")), "float64", four, "05 80 00 07", ZINC_OK, back);
	codec_decodes(CHAIN("\"data_type\": \"float32\"" MAP("", "[\"NaN\", 9]")), "uint8", one, "010080ff", ZINC_OK,
		      "\11");
}

/* (1), (3) where a program has asked its processor to take subnormal numbers for 0. */
static void
flushed(void **state)
{
	const float in[] = {1e-40F, -0.0F, 2, 1e-40F};
	const uint16_t brain[] = {1, 0x8000, 0x4000, 1};
	const uint32_t before = processor_state();

	(void)state;
	if (!FLUSHES)
		skip();
	set_processor(before | 0x8040); /* FTZ and DAZ of MXCSR */
	codec_encodes(CHAIN("\"data_type\": \"float32\"" MAP("[0, 7]", "[7, 0]")), "float32", four, in, ZINC_OK,
		      "c2160100 0000e040 00000040 c2160100");
	codec_encodes(CHAIN(INT8 ROUNDING("towards-positive") MAP("[0, 7]", "[7, 0]")), "bfloat16", four, brain,
		      ZINC_OK, "01 07 02 01");
	set_processor(before);
}

/* What could not be read is not written: 255 as 256, and -128 without a pair that takes it back. */
static void
comes_back(void **state)
{
	const uint8_t small[] = {0, 1, 2, 3}, large[] = {0, 1, 2, 255};

	(void)state;
	codec_encodes(CHAIN("\"data_type\": \"int8\"" MAP("[3, 1], [0, -128]", "")), "uint8", four, small, ZINC_E_RANGE,
		      NULL);
	codec_encodes(CHAIN("\"data_type\": \"float8_e5m2\""), "uint8", four, large, ZINC_E_RANGE, NULL);
	codec_encodes(CHAIN("\"data_type\": \"float8_e5m2\", \"out_of_range\": \"clamp\""), "uint8", four, large,
		      ZINC_OK, "00 3c 40 5c");
	codec_encodes(CHAIN("\"data_type\": \"float8_e5m2\", \"rounding\": \"towards-zero\""), "uint8", four, large,
		      ZINC_OK, "00 3c 40 5b");
}

/* float32 has no neighbour of every float64: a pair, or a codec behind, may make larger ones. */
static void
wide_comes_back(void **state)
{
#define ROUNDED(members)                                                                                               \
	"[" CAST(members) ", {\"name\": \"bitround\", \"configuration\": {\"keepbits\": 2}}, " LITTLE "]"
	const float in[] = {0, 1, 2, 3}, most[] = {0, 0, 0, FLT_MAX};

	(void)state;
	codec_encodes(CHAIN("\"data_type\": \"float64\"" MAP("[3, 1e300]", "")), "float32", four, in, ZINC_E_RANGE,
		      NULL);
	codec_encodes(CHAIN("\"data_type\": \"float64\"" MAP("[3, 1e300]", "[1e300, 3]")), "float32", four, in, ZINC_OK,
		      "0000000000000000 000000000000f03f 0000000000000040 9c7500883ce4377e");
	codec_encodes(CHAIN("\"data_type\": \"float64\""), "float32", four, most, ZINC_OK,
		      "0000000000000000 0000000000000000 0000000000000000 000000e0ffffef47");
	codec_encodes(ROUNDED("\"data_type\": \"float64\""), "float32", four, most, ZINC_E_RANGE, NULL);
	codec_encodes(ROUNDED("\"data_type\": \"float64\", \"out_of_range\": \"clamp\""), "float32", four, most,
		      ZINC_OK, "0000000000000000 0000000000000000 0000000000000000 000000000000f047");
}

/* ---- (5) ---- */

static void
fills(const char *codecs, const char *dtype, const void *fill, zinc_status st, const char *hex, bool warns)
{
	zinc_error err = ZINC_ERROR_INIT;
	uint8_t want[8];
	chain_case t;
	size_t n;

	assert_int_equal(chain_init(&t, NULL, codecs, dtype, one, fill, false, &err), st);
	if ((t.found > 0) != warns)
		fail_msg("%s: %u findings: %s", codecs, t.found, t.message);
	if (st == ZINC_OK && !fill) {
		assert_null(t.chain->ab_rep.fill);
	} else if (st == ZINC_OK) {
		n = unhex(hex, want, sizeof want);
		assert_int_equal(n, t.chain->ab_rep.dtype->size);
		assert_memory_equal(t.chain->ab_rep.fill, want, n);
	}
	chain_fini(&t);
}

static void
fill_values(void **state)
{
	const double five = 5, nan = NAN, third = 0.3, large = 1000, minus_zero = -0.0;

	(void)state;
	fills(CHAIN(INT8), "float64", &five, ZINC_OK, "05", false);
	fills(CHAIN(INT8), "float64", &minus_zero, ZINC_OK, "00", false);
	fills(CHAIN(INT8), "float64", &nan, ZINC_E_CORRUPT, NULL, true);
	fills(CHAIN(INT8 CLAMP), "float64", &nan, ZINC_E_CORRUPT, NULL, true);
	fills(CHAIN(INT8 MAP("[\"NaN\", -128]", "[-128, \"NaN\"]")), "float64", &nan, ZINC_OK, "80", false);
	fills(CHAIN(INT8 MAP("[\"NaN\", -128]", "")), "float64", &nan, ZINC_OK, "80", true);
	fills(CHAIN(INT8), "float64", &third, ZINC_OK, "00", true);
	fills(CHAIN(INT8), "float64", &large, ZINC_E_CORRUPT, NULL, true);
	fills(CHAIN(INT8 CLAMP), "float64", &large, ZINC_OK, "7f", true);
	fills("[" CAST("\"data_type\": \"int32\"") ", " CAST(INT8) ", \"bytes\"]", "float64", &five, ZINC_OK, "05",
	      false);
	/* without one there is nothing to convert */
	fills(CHAIN(INT8), "float64", NULL, ZINC_OK, NULL, false);
}

#define SHARD(codecs)                                                                                                  \
	"{\"name\": \"sharding_indexed\", \"configuration\": {\"chunk_shape\": [2], \"codecs\": [" codecs              \
	"], \"index_codecs\": [" LITTLE "]}}"

/* A shard behind it: inner chunks of the converted fill value are not stored, and missing ones are read as it. */
static void
shards(void **state)
{
	static const char codecs[] =
	    "[" CAST(INT8 MAP("[\"NaN\", -128]", "[-128, \"NaN\"]")) ", " SHARD("\"bytes\"") "]";
	const double in[] = {NAN, NAN, 3, NAN, NAN, NAN}, nan = NAN;
	zinc_error err = ZINC_ERROR_INIT;
	chain_case t;
	double back[6];

	(void)state;
	assert_ok(chain_init(&t, NULL, codecs, "float64", six, &nan, true, &err));
	assert_false(t.chain->open_shard);
	assert_ok(chain_encode(&t, in, &err));
	assert_int_equal(t.out.n, 2 + 3 * 16); /* one inner chunk */
	assert_ok(chain_decode(&t, t.out.p, t.out.n, back, &err));
	assert_true(isnan(back[0]) && isnan(back[1]) && back[2] == 3 && isnan(back[3]) && isnan(back[5]));
	chain_fini(&t);
	chain_roundtrip("[" SHARD(CAST("\"data_type\": \"int32\"") ", " LITTLE) "]", "float64", six, NULL,
			(const double[]){1, 2, 3, 0, 0, 0});
	chain_roundtrip("[{\"name\": \"transpose\", \"configuration\": {\"order\": [1, 0]}}, " CAST(
			    "\"data_type\": \"int32\"") ", {\"name\": \"transpose\", \"configuration\": {\"order\": "
							"[1, 0]}}, " LITTLE ", \"crc32c\"]",
			"float64", (const uint64_t[]){2, 3, ENDED}, NULL, (const double[]){1, 2, 3, 4, 5, 6});
}

/* ---- (6) and all pairs, by an oracle ---- */

static const char *const types[] = {"int2",
				    "int4",
				    "int8",
				    "int16",
				    "int32",
				    "int64",
				    "uint2",
				    "uint4",
				    "uint8",
				    "uint16",
				    "uint32",
				    "uint64",
				    "float16",
				    "float32",
				    "float64",
				    "bfloat16",
				    "float4_e2m1fn",
				    "float6_e2m3fn",
				    "float6_e3m2fn",
				    "float8_e3m4",
				    "float8_e4m3",
				    "float8_e5m2",
				    "float8_e4m3b11fnuz",
				    "float8_e4m3fnuz",
				    "float8_e5m2fnuz",
				    "float8_e8m0fnu"};

static const zinc_dtype *
type_of(const char *name)
{
	const zinc_dtype *t = NULL;
	zinc_error err = ZINC_ERROR_INIT;
	bool big;

	assert_ok(zinc_dtype_parse_text(&t, &big, NULL, name, &err));
	return t;
}

/* The value of an element, from its bits and the fields of the format. */
static long double
value(const zinc_dtype *t, uint64_t bits)
{
	const zinc_float_format *f = t->format;
	const uint64_t top = (uint64_t)1 << (t->bits - 1);
	uint64_t code, rest;
	long double v;

	bits &= UINT64_MAX >> (64 - t->bits);
	if (!f)
		return t->kind == ZINC_KIND_INT && bits & top ? -(long double)((top << 1) - bits) : (long double)bits;
	code = f->has_sign ? bits & ~top : bits;
	if (f->infinity && code == f->infinity)
		return bits & top ? -INFINITY : INFINITY;
	if (code > f->max || (code == 0 && bits == top && f->nan == top))
		return NAN;
	rest = code & (((uint64_t)1 << f->mantissa_bits) - 1);
	code >>= f->mantissa_bits;
	if (code == 0 && f->has_zero)
		v = ldexpl((long double)rest, 1 - f->bias - f->mantissa_bits);
	else
		v = ldexpl((long double)(rest + ((uint64_t)1 << f->mantissa_bits)),
			   (int)code - f->bias - f->mantissa_bits);
	return f->has_sign && bits & top ? -v : v;
}

static long double
round_whole(long double q, int64_t rounding)
{
	const long double down = floorl(q), rest = q - down;
	const bool odd = fmodl(down, 2) != 0;

	switch ((zinc_rounding)rounding) {
	case ZINC_ROUND_EVEN:
		return rest > 0.5L || (rest == 0.5L && odd) ? down + 1 : down;
	case ZINC_ROUND_AWAY:
		return rest > 0.5L || (rest == 0.5L && q > 0) ? down + 1 : down;
	case ZINC_ROUND_ZERO:
		return rest > 0 && q < 0 ? down + 1 : down;
	case ZINC_ROUND_UP:
		return rest > 0 ? down + 1 : down;
	default:
		return down;
	}
}

/* What the integer type makes of x; false: an error. */
static bool
to_int(const zinc_dtype *t, long double x, int64_t rounding, int range, long double *out)
{
	const bool is_signed = t->kind == ZINC_KIND_INT;
	const long double n = ldexpl(1, (int)t->bits), low = is_signed ? -n / 2 : 0, high = low + (n - 1);

	if (isnan(x) || isinf(x))
		return false;
	x = round_whole(x, rounding);
	if (x < low || x > high) {
		if (range == 0)
			return false;
		if (range == 1) {
			x = x < low ? low : high;
		} else {
			x = fmodl(x, n);
			x += x < low ? n : x > high ? -n : 0;
		}
	}
	*out = x;
	return true;
}

static bool
to_float(const zinc_dtype *t, long double x, int64_t rounding, int range, long double *out)
{
	const zinc_float_format *f = t->format;
	const long double max = value(t, f->max), min = f->has_sign ? -max : value(t, 0);
	long double unit, q;
	int e;

	*out = x;
	if (isnan(x))
		return f->nan != 0;
	if (isinf(x) && f->infinity)
		return true;
	if (isfinite(x) && x != 0) {
		e = ilogbl(x);
		if (f->has_zero && e < 1 - f->bias)
			e = 1 - f->bias;
		unit = ldexpl(1, e - f->mantissa_bits);
		q = x / unit;
		x = round_whole(q, rounding) * unit; /* without a mantissa, 1.5 to 2 (IEEE 754, 4.3.1) */
	}
	*out = x == 0 ? copysignl(0, *out) : x;
	if (x <= max && x >= min)
		return true;
	if (range == 1)
		*out = x > max ? (f->infinity ? INFINITY : max) : (f->infinity ? -INFINITY : min);
	return range == 1;
}

static bool
same_value(const zinc_dtype *t, long double want, long double got)
{
	const bool signed_zero = t->format && t->format->has_sign && t->format->nan != (uint64_t)1 << (t->bits - 1);

	if (isnan(want) || isnan(got))
		return isnan(want) && isnan(got);
	return want == got && (want != 0 || !signed_zero || signbit(want) == signbit(got));
}

/* A random element: any bits, or a number near an integer or a limit of the other type. */
static void
choose(const zinc_dtype *t, const zinc_dtype *other, uint64_t *element)
{
	const uint64_t bits = random_bits();
	zinc_exact x;

	*element = 0;
	switch (random_below(4)) {
	case 0: /* a small number with halves and quarters */
		x = zinc_exact_of(bits & 1, bits >> 1 & 0xfff, (int)random_below(4) - 3);
		break;
	case 1: /* a number of the other type, or one step beyond it */
		zinc_bits_put(element, other->size, bits >> 1);
		zinc_exact_read(other, element, &x);
		if (bits & 1 && x.kind == ZINC_EXACT_FINITE && x.mantissa < (uint64_t)1 << 61)
			x = zinc_exact_of(x.negative, 2 * x.mantissa + 1, x.exponent - 1);
		break;
	case 2: /* near a power of two */
		x = zinc_exact_of(bits & 1, ((uint64_t)1 << (bits >> 1 & 63)) + (bits >> 7 & 3) - 2,
				  (int)(bits >> 9 & 1) - 1);
		break;
	default:
		zinc_bits_put(element, t->size, bits);
		return;
	}
	*element = 0;
	if (zinc_exact_write(t, &x, ZINC_ROUND_ZERO, element) > ZINC_FIT_ROUNDED)
		zinc_bits_put(element, t->size, bits);
}

#define N 600u /* more than two blocks */

typedef struct trial {
	const zinc_dtype *from, *to;
	int64_t rounding;
	int range;
	size_t n; /* elements */
	zinc_codec *codec;
	zinc_rep rep;
	uint8_t good[N * 8], want_bad[8];
	long double want[N];
} trial;

static void
trial_init(trial *t, zinc_context *ctx)
{
	static const char *const words[] = {"nearest-even", "nearest-away", "towards-zero", "towards-positive",
					    "towards-negative"};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_json_doc *doc = NULL;
	zinc_report r;
	zinc_rep out;
	char text[256];

	snprintf(text, sizeof text, "{\"data_type\": \"%s\", \"rounding\": \"%s\"%s%s}", t->to->name,
		 words[t->rounding], t->range ? ", \"out_of_range\": " : "",
		 t->range == 1   ? "\"clamp\""
		 : t->range == 2 ? "\"wrap\""
				 : "");
	t->rep = (zinc_rep){.dtype = t->from, .ndim = 1, .shape = {1}};
	out = t->rep;
	zinc_report_init(&r, ctx, true, "test");
	assert_ok(zinc_json_parse(&doc, ctx, text, strlen(text), 0, &err));
	assert_ok(
	    zinc_codec_parse(&t->codec, &zinc_codec_cast_value, ctx, zinc_json_root(doc), &t->rep, &out, &r, &err));
	assert_ptr_equal(out.dtype, t->to);
	zinc_json_free(doc);
}

static zinc_status
trial_encode(const trial *t, const void *in, size_t n, void *out, zinc_error *err)
{
	zinc_rep rep = t->rep;

	rep.shape[0] = n;
	return zinc_codec_cast_value.array->encode(t->codec, NULL, &rep, in, out, err);
}

/* Elements that convert are kept for the whole; those that do not must fail alone. */
static void
trial_run(trial *t)
{
	zinc_error err = ZINC_ERROR_INIT;
	uint8_t out[N * 8];
	uint64_t element, result;
	long double want;
	size_t i, n = 0, bad = 0;
	bool fits;

	for (i = 0; i < t->n; i++) {
		choose(t->from, t->to, &element);
		want = value(t->from, zinc_bits_get(&element, t->from->size));
		fits = (t->to->format ? to_float : to_int)(t->to, want, t->rounding, t->range, &want);
		if (fits) {
			memcpy(t->good + n * t->from->size, &element, t->from->size);
			t->want[n++] = want;
		} else if (trial_encode(t, &element, 1, &result, &err) != ZINC_E_RANGE) {
			fail_msg("%s %Lg -> %s: no error", t->from->name, want, t->to->name);
		} else {
			memcpy(t->want_bad, &element, t->from->size);
			bad++;
		}
	}
	if (trial_encode(t, t->good, n, out, &err) != ZINC_OK)
		fail_msg("%s -> %s, rounding %d, range %d: %s", t->from->name, t->to->name, (int)t->rounding, t->range,
			 zinc_error_text(&err));
	for (i = 0; i < n; i++) {
		const uint64_t got = zinc_bits_get(out + i * t->to->size, t->to->size);

		if (!same_value(t->to, t->want[i], value(t->to, got)))
			fail_msg("%s %Lg -> %s, rounding %d, range %d: %Lg instead of %Lg", t->from->name,
				 value(t->from, zinc_bits_get(t->good + i * t->from->size, t->from->size)), t->to->name,
				 (int)t->rounding, t->range, value(t->to, got), t->want[i]);
	}
	if (bad && n) { /* the error names the element */
		const size_t at = (size_t)random_below(n);
		char name[40];

		memcpy(t->good + at * t->from->size, t->want_bad, t->from->size);
		assert_int_equal(trial_encode(t, t->good, n, out, &err), ZINC_E_RANGE);
		snprintf(name, sizeof name, "element %zu ", at);
		assert_non_null(strstr(zinc_error_text(&err), name));
	}
}

static void
every_pair(void **state)
{
	zinc_context *ctx = NULL;
	zinc_error err = ZINC_ERROR_INIT;
	static trial t;
	size_t i, j;

	(void)state;
	if (LDBL_MANT_DIG < 64 || !long_doubles_are_long())
		skip();
	assert_ok(zinc_context_new(&ctx, NULL, &err));
	for (i = 0; i < COUNT(types); i++)
		for (j = 0; j < COUNT(types); j++) {
			t.from = type_of(types[i]);
			t.to = type_of(types[j]);
			t.n = t.from->size > 1 && t.to->size > 1 ? N : MANY(N);
			for (t.rounding = 0; t.rounding < 5; t.rounding++)
				for (t.range = 0; t.range < (t.to->format ? 2 : 3); t.range++) {
					trial_init(&t, ctx);
					trial_run(&t);
					zinc_codec_free(t.codec);
				}
		}
	zinc_context_free(ctx);
}

/* (6) with scalar_map: blocks with and without mapped elements, and with only those. */
static void
mapped_blocks(void **state)
{
	static const char codecs[] = CHAIN(
	    "\"data_type\": \"int16\"" CLAMP MAP("[\"NaN\", -32768], [7.5, 1000]", "[-32768, \"NaN\"], [1000, 7.5]"));
	static double in[2000], back[2000];
	const uint64_t shape[] = {COUNT(in), ENDED};
	zinc_error err = ZINC_ERROR_INIT;
	chain_case t;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(in); i++) {
		in[i] = (double)(i % 900);
		if (i / 256 == 2 || (i / 256 == 3 && i % 3 == 0))
			in[i] = NAN;
		if (i / 256 == 4 && i % 5 == 0)
			in[i] = 7.5;
	}
	assert_ok(chain_init(&t, NULL, codecs, "float64", shape, NULL, true, &err));
	assert_ok(chain_encode(&t, in, &err));
	assert_int_equal(t.out.n, 2 * COUNT(in));
	assert_ok(chain_decode(&t, t.out.p, t.out.n, back, &err));
	for (i = 0; i < COUNT(in); i++)
		assert_true(isnan(in[i]) ? isnan(back[i]) : in[i] == back[i]);
	in[1999] = INFINITY;
	assert_int_equal(chain_encode(&t, in, &err), ZINC_E_RANGE);
	assert_non_null(strstr(zinc_error_text(&err), "element 1999 is infinite"));
	chain_fini(&t);
}

/* Parse a codec from `from` to `to` with so many pairs of mapped_pairs. */
static zinc_codec *
codec_with_pairs(zinc_context *ctx, const zinc_dtype *from, const zinc_dtype *to, const char *const keys[], int npairs)
{
	zinc_rep rep = {.dtype = from, .ndim = 1, .shape = {1}}, out = rep;
	zinc_error err = ZINC_ERROR_INIT;
	zinc_codec *c = NULL;
	zinc_json_doc *doc = NULL;
	char text[400];
	zinc_report r;
	size_t n;
	int k;

	n = (size_t)snprintf(text, sizeof text, "{\"data_type\": \"%s\", \"scalar_map\": {\"encode\": [", to->name);
	for (k = 0; k < npairs; k++)
		n += (size_t)snprintf(text + n, sizeof text - n, "%s[%s, %d]", k ? ", " : "", keys[k], 10 + k);
	snprintf(text + n, sizeof text - n, "]}}");
	zinc_report_init(&r, ctx, true, "test");
	assert_ok(zinc_json_parse(&doc, ctx, text, strlen(text), 0, &err));
	assert_ok(zinc_codec_parse(&c, &zinc_codec_cast_value, ctx, zinc_json_root(doc), &rep, &out, &r, &err));
	zinc_json_free(doc);
	return c;
}

/* Encode numbers from 0 to 3, -0 and NaN, whose results are known: 10 + the index of the first pair, or the same. */
static void
check_pairs(const zinc_codec *c, const zinc_dtype *from, const zinc_dtype *to, const double numbers[], int npairs)
{
	enum { COUNTED = 600 };
	zinc_rep rep = {.dtype = from, .ndim = 1, .shape = {COUNTED}};
	uint8_t in[COUNTED * 8], out[COUNTED * 8];
	zinc_error err = ZINC_ERROR_INIT;
	double x[COUNTED];
	int i, k;

	for (i = 0; i < COUNTED; i++) {
		x[i] = random_below(8) && i % 3 ? numbers[random_below((uint64_t)npairs)] : (double)random_below(4);
		if (x[i] == 0 && from->format && i % 2)
			x[i] = -0.0;
		assert_int_equal(zinc_dtype_convert(from->type, ZINC_FLOAT64, in + (size_t)i * from->size, &x[i], 1, 0),
				 1);
	}
	assert_ok(zinc_codec_cast_value.array->encode(c, NULL, &rep, in, out, &err));
	for (i = 0; i < COUNTED; i++) {
		long double want = x[i];

		for (k = npairs - 1; k >= 0; k--)
			if (numbers[k] == x[i] || (isnan(numbers[k]) && isnan(x[i])))
				want = 10 + k;
		if (value(to, zinc_bits_get(out + (size_t)i * to->size, to->size)) != want)
			fail_msg("%s %g -> %s with %d pairs", from->name, x[i], to->name, npairs);
	}
}

/* (1), (6) Few pairs and many, the same number twice, of types of every size. */
static void
mapped_pairs(void **state)
{
	static const char *const from[] = {"float64", "float32", "float16", "int8",
					   "uint16",  "int32",   "uint64",  "uint2"},
				 *const to[] = {"uint8", "int16", "float32", "int64"};
	static const char *const reals[] = {"1", "0", "\"NaN\"", "1", "3", "2"}, *const whole[] = {"1", "0", "3",
												   "1", "3", "2"};
	static const double real_numbers[] = {1, 0, NAN, 1, 3, 2}, whole_numbers[] = {1, 0, 3, 1, 3, 2};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_context *ctx = NULL;
	size_t i, j;
	int n;

	(void)state;
	assert_ok(zinc_context_new(&ctx, NULL, &err));
	for (i = 0; i < COUNT(from); i++)
		for (j = 0; j < COUNT(to); j++)
			for (n = 1; n <= 6; n++) {
				const zinc_dtype *f = type_of(from[i]), *t = type_of(to[j]);
				zinc_codec *c = codec_with_pairs(ctx, f, t, f->format ? reals : whole, n);

				check_pairs(c, f, t, f->format ? real_numbers : whole_numbers, n);
				zinc_codec_free(c);
			}
	zinc_context_free(ctx);
}

/* ---- configuration ---- */

static void
configuration(void **state)
{
	const double in[] = {1, 2, 3, 4, 5, 6};

	(void)state;
	codec_prints(CHAIN(INT8), "float64", CHAIN(INT8), "[]");
	codec_prints(CHAIN(INT8 ROUNDING("nearest-even")), "float64", CHAIN(INT8), "[]");
	codec_prints(
	    CHAIN(INT8 ROUNDING("towards-zero") WRAP MAP("[\"NaN\", -1], [0.5, 3], [0.5, 4]", "[-1, \"NaN\"]")),
	    "float64",
	    CHAIN(INT8 ROUNDING("towards-zero") WRAP MAP("[\"NaN\", -1], [0.5, 3], [0.5, 4]", "[-1, \"NaN\"]")), "[]");
	codec_words("cast_value:int8", "float64", "[" CAST(INT8) ", " LITTLE "]");
	codec_words("cast_value:int16:clamp:towards-zero+gzip:1", "float64",
		    "[" CAST("\"data_type\": \"int16\"" CLAMP ROUNDING("towards-zero")) ", " LITTLE
											", {\"name\": \"gzip\", "
											"\"configuration\": "
											"{\"level\": 1}}]");
	codec_words("cast_value:float32", "int8", "[" CAST("\"data_type\": \"float32\"") ", " LITTLE "]");
	codec_words("cast_value", "float64", NULL);
	codec_words("cast_value:int8:most", "float64", NULL);
	codec_sweep(CHAIN(INT8 MAP("[\"NaN\", -1]", "[-1, \"NaN\"]")), "float64", six, in);
	codec_warm(CHAIN(INT8 MAP("[\"NaN\", -1]", "[-1, \"NaN\"]")), "float64", six, in);
}

static void
findings(void **state)
{
	(void)state;
#define OTHER(members, dtype, at)   chain_finds(CHAIN(members), dtype, six, ZINC_E_UNSUPPORTED, "cast_value", AT at)
#define REFUSED(members, dtype, at) chain_finds(CHAIN(members), dtype, six, ZINC_E_CORRUPT, "cast_value", AT at)
	REFUSED("\"rounding\": \"towards-zero\"", "float64", "/data_type");
	OTHER("\"data_type\": \"bool\"", "float64", "/data_type");
	OTHER("\"data_type\": \"complex64\"", "float64", "/data_type");
	OTHER("\"data_type\": \"r16\"", "float64", "/data_type");
	OTHER(INT8, "bool", "");
	OTHER(INT8, "complex64", "");
	REFUSED(INT8 ROUNDING("up"), "float64", "/rounding");
	REFUSED(INT8 ", \"out_of_range\": \"ignore\"", "float64", "/out_of_range");
	REFUSED("\"data_type\": \"float32\"" WRAP, "float64", "");
	REFUSED(INT8 ", \"other\": 1", "float64", "/other");
	REFUSED(INT8 ", \"scalar_map\": []", "float64", "/scalar_map");
	REFUSED(INT8 ", \"scalar_map\": {\"both\": []}", "float64", "/scalar_map/both");
	REFUSED(INT8 ", \"scalar_map\": {\"encode\": 1}", "float64", "/scalar_map/encode");
	REFUSED(INT8 MAP("[1, 2, 3]", ""), "float64", "/scalar_map/encode/0");
	REFUSED(INT8 MAP("[1, 2], 3", ""), "float64", "/scalar_map/encode/1");
	REFUSED(INT8 MAP("[1, 200]", ""), "float64", "/scalar_map/encode/0/1");
	REFUSED(INT8 MAP("", "[200, 1]"), "float64", "/scalar_map/decode/0/0");
	REFUSED(INT8 MAP("[\"nothing\", 1]", ""), "float64", "/scalar_map/encode/0/0");
	chain_finds("[\"cast_value\", \"bytes\"]", "float64", six, ZINC_E_CORRUPT, "M14", "/0");
	chain_finds(CHAIN("\"data_type\": \"int9000\""), "float64", six, ZINC_E_UNSUPPORTED, "M17", AT "/data_type");
	/* the word of the first draft, and how its example writes infinity */
	chain_finds(CHAIN(INT8 ", \"out_of_range\": \"error\""), "float64", six, ZINC_OK, "cast_value", AT);
	chain_finds(CHAIN(INT8 MAP("[\"+Infinity\", 1]", "")), "float64", six, ZINC_OK, "cast_value",
		    AT "/scalar_map/encode/0/0");
	/* "bytes" is for the type behind it */
	chain_finds("[" CAST("\"data_type\": \"int16\"") ", \"bytes\"]", "int8", six, ZINC_E_CORRUPT, "M68", "/1");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(spec_vectors),  cmocka_unit_test(roundings),    cmocka_unit_test(floats),
	    cmocka_unit_test(not_numbers),   cmocka_unit_test(reading),      cmocka_unit_test(maps),
	    cmocka_unit_test(flushed),       cmocka_unit_test(comes_back),   cmocka_unit_test(wide_comes_back),
	    cmocka_unit_test(fill_values),   cmocka_unit_test(shards),       cmocka_unit_test(every_pair),
	    cmocka_unit_test(mapped_blocks), cmocka_unit_test(mapped_pairs), cmocka_unit_test(configuration),
	    cmocka_unit_test(findings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
