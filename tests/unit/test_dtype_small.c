/*
 * test_dtype_small.c - the promises of dtype_small.c, by number; the stored bytes and fill values of small types
 *
 * What a code means is computed here from its fields with doubles, which hold all numbers of these types.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "dtype/dtype.h"
#include "support/findings.h"
#include "support/test.h"

enum {
	FIRST_FLOAT = ZINC_FLOAT4_E2M1FN,
	LAST_FLOAT = ZINC_FLOAT8_E8M0FNU,
	FIRST_INT = ZINC_INT2,
	LAST_INT = ZINC_UINT4
};

static bool
is_small_float(int t)
{
	return t == ZINC_BFLOAT16 || (t >= FIRST_FLOAT && t <= LAST_FLOAT);
}

static double
value_of(const zinc_float_format *f, uint64_t code)
{
	const uint64_t sign = zinc_float_sign(f), rest = code & ~sign;
	const int e = (int)(rest >> f->mantissa_bits), m = (int)(rest & ((1u << f->mantissa_bits) - 1));
	double v;

	if ((code & sign) && rest == 0 && f->nan == sign)
		return (double)NAN;
	if (f->infinity && rest == f->infinity)
		return code & sign ? -(double)INFINITY : (double)INFINITY;
	if (rest > f->max)
		return (double)NAN;
	if (e == 0 && f->has_zero)
		v = ldexp(m, 1 - f->bias - f->mantissa_bits);
	else
		v = ldexp((1 << f->mantissa_bits) + m, e - f->bias - f->mantissa_bits);
	return code & sign ? -v : v;
}

static bool
same(double a, double b)
{
	return (isnan(a) && isnan(b)) || (a == b && signbit(a) == signbit(b));
}

/* (1): every code of every small float, in blocks, to float32, float64 and complex128 */
static void
floats_widen_exactly(void **state)
{
	static uint16_t wide[65536];
	static uint8_t narrow[256];
	static float singles[65536];
	static double doubles[65536], pairs[2 * 65536];
	int t;

	(void)state;
	for (t = ZINC_BFLOAT16; t <= LAST_FLOAT; t++) {
		const zinc_dtype *row = zinc_dtype_of((zinc_type)t);
		const void *codes = t == ZINC_BFLOAT16 ? (const void *)wide : narrow;
		const size_t n = t == ZINC_BFLOAT16 ? 65536 : (size_t)1 << row->bits;
		size_t i;

		if (!is_small_float(t))
			continue;
		for (i = 0; i < n; i++) {
			wide[i] = (uint16_t)i;
			narrow[i & 255] = (uint8_t)i;
		}
		assert_int_equal(zinc_dtype_convert(ZINC_FLOAT32, (zinc_type)t, singles, codes, n, 0), n);
		assert_int_equal(zinc_dtype_convert(ZINC_FLOAT64, (zinc_type)t, doubles, codes, n, 0), n);
		assert_int_equal(zinc_dtype_convert(ZINC_COMPLEX128, (zinc_type)t, pairs, codes, n, 0), n);
		for (i = 0; i < n; i++) {
			const double want = value_of(row->format, i);

			assert_true(same((double)singles[i], want) && same(doubles[i], want));
			assert_true(same(pairs[2 * i], want) && pairs[2 * i + 1] == 0);
		}
	}
}

/* (1): what goes out comes back; a NaN as the one that is written */
static void
floats_come_back(void **state)
{
	int t, from;

	(void)state;
	for (t = ZINC_BFLOAT16; t <= LAST_FLOAT; t++)
		for (from = ZINC_FLOAT32; is_small_float(t) && from <= ZINC_FLOAT64; from++) {
			const zinc_dtype *row = zinc_dtype_of((zinc_type)t);
			const size_t n = (size_t)1 << row->bits;
			size_t code;

			for (code = 0; code < n; code++) {
				const uint16_t two = (uint16_t)code;
				const uint8_t one = (uint8_t)code;
				uint16_t back = 0;
				double wide;

				assert_int_equal(zinc_dtype_convert((zinc_type)from, (zinc_type)t, &wide,
								    row->size == 2 ? (const void *)&two : &one, 1, 0),
						 1);
				assert_int_equal(zinc_dtype_convert((zinc_type)t, (zinc_type)from, &back, &wide, 1, 0),
						 1);
				if (row->size == 1)
					back = *(uint8_t *)&back;
				if (!isnan(value_of(row->format, code)))
					assert_int_equal(back, code);
				else
					assert_int_equal(back & ~zinc_float_sign(row->format) & 0xffff,
							 row->format->nan & ~zinc_float_sign(row->format));
			}
		}
}

/* (1): the short way from float32 to bfloat16, around middles and limits, gives what the exact form gives */
static void
singles_round_to_bfloats(void **state)
{
	static const uint32_t near[] = {0, 1, 0x7fff, 0x8000, 0x8001, 0xffff};
	uint32_t high;
	size_t i;

	(void)state;
	for (high = 0; high <= 0xffff; high++)
		for (i = 0; i < sizeof near / sizeof near[0]; i++) {
			const uint32_t bits = high << 16 | near[i];
			uint16_t code = 0xbad;
			uint64_t want = 0xbad;
			zinc_exact x;
			bool fits;

			zinc_float_read(&zinc_format_float32, bits, &x);
			fits = zinc_float_write(&zinc_format_bfloat16, &x, ZINC_ROUND_EVEN, &want) <= ZINC_FIT_ROUNDED;
			assert_int_equal(zinc_dtype_convert(ZINC_BFLOAT16, ZINC_FLOAT32, NULL, &bits, 1, 0), fits);
			assert_int_equal(zinc_dtype_convert(ZINC_BFLOAT16, ZINC_FLOAT32, &code, &bits, 1, 0), fits);
			assert_int_equal(code, want);
		}
}

static size_t
from_double(zinc_type to, double v, int flags, uint16_t *out)
{
	*out = 0;
	return zinc_dtype_convert(to, ZINC_FLOAT64, out, &v, 1, flags);
}

/* (1): one rounding: just above the middle of 1 and the next number, by less than float32 has */
static void
doubles_round_once(void **state)
{
	int t;

	(void)state;
	for (t = ZINC_BFLOAT16; t <= LAST_FLOAT; t++) {
		const zinc_dtype *row = zinc_dtype_of((zinc_type)t);
		double half;
		uint16_t exact, up, even;

		if (!is_small_float(t) || row->format->mantissa_bits == 0)
			continue;
		half = ldexp(1, -row->format->mantissa_bits - 1);
		assert_int_equal(from_double((zinc_type)t, 1, 0, &exact), 1);
		assert_int_equal(from_double((zinc_type)t, 1 + half, 0, &even), 1);
		assert_int_equal(from_double((zinc_type)t, 1 + half + 0x1p-50, 0, &up), 1);
		assert_int_equal(even, exact);
		assert_true(memcmp(&up, &(uint16_t){0}, 2) != 0);
		exact = row->size == 1 ? (uint16_t)(*(uint8_t *)&exact + 1) : (uint16_t)(exact + 1);
		assert_int_equal(row->size == 1 ? *(uint8_t *)&up : up, exact);
	}
}

/* (2), (3) */
static void
missing_values_are_out_of_range(void **state)
{
	const double infinity = (double)INFINITY, nan = (double)NAN;
	const int clamp = ZINC_CONVERT_CLAMP;
	uint16_t code;

	(void)state;
	assert_int_equal(from_double(ZINC_FLOAT4_E2M1FN, nan, clamp, &code), 0);
	assert_int_equal(from_double(ZINC_FLOAT4_E2M1FN, infinity, 0, &code), 0);
	assert_int_equal(from_double(ZINC_FLOAT4_E2M1FN, -infinity, clamp, &code), 1);
	assert_int_equal(*(uint8_t *)&code, 0xf);
	assert_int_equal(from_double(ZINC_FLOAT4_E2M1FN, 6.99, 0, &code), 1);
	assert_int_equal(*(uint8_t *)&code, 0x7);
	assert_int_equal(from_double(ZINC_FLOAT4_E2M1FN, 7, 0, &code), 0);
	assert_int_equal(from_double(ZINC_FLOAT8_E5M2, 61439, 0, &code), 1);
	assert_int_equal(from_double(ZINC_FLOAT8_E5M2, 61440, 0, &code), 0);
	assert_int_equal(from_double(ZINC_FLOAT8_E5M2, infinity, 0, &code), 1);
	assert_int_equal(*(uint8_t *)&code, 0x7c);
	assert_int_equal(from_double(ZINC_FLOAT8_E5M2, 61440, clamp, &code), 1);
	assert_int_equal(*(uint8_t *)&code, 0x7b);
	assert_int_equal(from_double(ZINC_FLOAT8_E4M3FNUZ, infinity, 0, &code), 0);
	assert_int_equal(from_double(ZINC_FLOAT8_E4M3FNUZ, -0.0, 0, &code), 1);
	assert_int_equal(*(uint8_t *)&code, 0);
	assert_int_equal(from_double(ZINC_FLOAT8_E4M3FNUZ, -1e-9, 0, &code), 1); /* not the code of NaN */
	assert_int_equal(*(uint8_t *)&code, 0);
	assert_int_equal(from_double(ZINC_FLOAT8_E8M0FNU, 0, 0, &code), 0);
	assert_int_equal(from_double(ZINC_FLOAT8_E8M0FNU, -1, 0, &code), 0);
	assert_int_equal(from_double(ZINC_FLOAT8_E8M0FNU, -1, clamp, &code), 1);
	assert_int_equal(*(uint8_t *)&code, 0);
	assert_int_equal(from_double(ZINC_FLOAT8_E8M0FNU, nan, 0, &code), 1);
	assert_int_equal(*(uint8_t *)&code, 0xff);
	assert_int_equal(from_double(ZINC_FLOAT8_E8M0FNU, infinity, 0, &code), 0);
}

/* ---- integers ---- */

/* (1): every int8 to and from every small integer, with every flag */
static void
integers_keep_the_rules(void **state)
{
	int t, v;

	(void)state;
	for (t = FIRST_INT; t <= LAST_INT; t++) {
		const zinc_dtype *row = zinc_dtype_of((zinc_type)t);
		const bool is_signed = row->kind == ZINC_KIND_INT;
		const int n = 1 << row->bits, low = is_signed ? -n / 2 : 0, high = low + n - 1;

		for (v = -128; v <= 127; v++) {
			const int8_t in = (int8_t)v;
			const int wrapped = ((v - low) % n + n) % n + low;
			const bool fits = v >= low && v <= high;
			const double real = v, fraction = v + 0.5;
			int8_t out = 99, back = 99;

			assert_int_equal(zinc_dtype_convert((zinc_type)t, ZINC_INT8, &out, &in, 1, 0), fits);
			assert_int_equal(out, fits ? v : 99);
			assert_int_equal(zinc_dtype_convert((zinc_type)t, ZINC_INT8, NULL, &in, 1, 0), fits);
			assert_int_equal(zinc_dtype_convert((zinc_type)t, ZINC_FLOAT64, &out, &fraction, 1, 0), 0);
			assert_int_equal(zinc_dtype_convert((zinc_type)t, ZINC_INT8, &out, &in, 1, ZINC_CONVERT_CLAMP),
					 1);
			assert_int_equal(out, v < low ? low : v > high ? high : v);
			assert_int_equal(
			    zinc_dtype_convert((zinc_type)t, ZINC_FLOAT64, &out, &real, 1, ZINC_CONVERT_WRAP), 1);
			assert_int_equal(out, wrapped);
			assert_int_equal(zinc_dtype_convert(ZINC_INT8, (zinc_type)t, &back, &out, 1, 0), 1);
			assert_int_equal(back, wrapped);
			assert_int_equal(zinc_dtype_convert((zinc_type)t, (zinc_type)t, &back, &out, 1, 0), 1);
			assert_int_equal(back, out);
		}
	}
}

/* (1): only with ROUND may an integer lose digits */
static void
integers_to_floats_are_exact(void **state)
{
	const int32_t seventeen = 17, large = 1000000;
	uint8_t code = 99;
	int32_t v, low;

	(void)state;
	assert_int_equal(zinc_dtype_convert(ZINC_FLOAT8_E4M3, ZINC_INT32, &code, &seventeen, 1, 0), 0);
	assert_int_equal(zinc_dtype_convert(ZINC_FLOAT8_E4M3, ZINC_INT32, &code, &seventeen, 1, ZINC_CONVERT_ROUND), 1);
	assert_int_equal(code, 0x58); /* 16 */
	assert_int_equal(zinc_dtype_convert(ZINC_FLOAT8_E4M3, ZINC_INT32, &code, &large, 1, ZINC_CONVERT_ROUND), 0);
	assert_int_equal(zinc_dtype_convert(ZINC_FLOAT8_E4M3, ZINC_INT32, &code, &large, 1, ZINC_CONVERT_CLAMP), 1);
	assert_int_equal(code, 0x77);
	for (v = 241; v < 260; v++) { /* beyond the largest number, 240, whether or not they round to it */
		low = -v;
		assert_int_equal(zinc_dtype_convert(ZINC_FLOAT8_E4M3, ZINC_INT32, &code, &v, 1, ZINC_CONVERT_CLAMP), 1);
		assert_int_equal(code, 0x77);
		assert_int_equal(zinc_dtype_convert(ZINC_FLOAT8_E4M3, ZINC_INT32, &code, &low, 1, ZINC_CONVERT_CLAMP),
				 1);
		assert_int_equal(code, 0xf7);
	}
	for (v = 225; v < 240; v++)
		assert_int_equal(zinc_dtype_convert(ZINC_FLOAT8_E4M3, ZINC_INT32, &code, &v, 1, ZINC_CONVERT_CLAMP), 0);
}

/* The bits that a type ignores do not change its number, and become 0 or the sign when stored. */
static void
other_bits_are_ignored(void **state)
{
	static const struct {
		int type;
		uint8_t in, out;
		float value;
	} rows[] = {
	    {ZINC_INT4, 0xf7, 0x07, 7},           {ZINC_INT4, 0x18, 0xf8, -8},
	    {ZINC_INT2, 0xfd, 0x01, 1},           {ZINC_INT2, 0x02, 0xfe, -2},
	    {ZINC_UINT4, 0xff, 0x0f, 15},         {ZINC_UINT2, 0x7c, 0x00, 0},
	    {ZINC_FLOAT4_E2M1FN, 0xf7, 0x07, 6},  {ZINC_FLOAT6_E2M3FN, 0xff, 0x3f, -7.5f},
	    {ZINC_FLOAT6_E3M2FN, 0xdf, 0x1f, 28},
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		const zinc_dtype *t = zinc_dtype_of((zinc_type)rows[i].type);
		uint8_t out[2] = {99, 77};
		float v;

		assert_true(t->narrow);
		zinc_dtype_reorder(t, false, out, &rows[i].in, 1);
		assert_int_equal(out[0], rows[i].out);
		assert_int_equal(out[1], 77);
		assert_int_equal(zinc_dtype_convert(ZINC_FLOAT32, t->type, &v, &rows[i].in, 1, 0), 1);
		assert_true(v == rows[i].value);
	}
}

/* ---- complex ---- */

static void
complex_parts_convert(void **state)
{
	const double in[4] = {1.5, -2, 0.5, 1e9};
	uint8_t codes[4], e8m0[2];
	double back[4];
	float single = 3;

	(void)state;
	assert_int_equal(zinc_dtype_convert(ZINC_COMPLEX_FLOAT8_E5M2, ZINC_COMPLEX128, codes, in, 2, 0), 1);
	assert_int_equal(zinc_dtype_convert(ZINC_COMPLEX_FLOAT8_E5M2, ZINC_COMPLEX128, codes, in, 1, 0), 1);
	assert_int_equal(zinc_dtype_convert(ZINC_COMPLEX128, ZINC_COMPLEX_FLOAT8_E5M2, back, codes, 1, 0), 1);
	assert_true(back[0] == 1.5 && back[1] == -2);
	assert_int_equal(zinc_dtype_convert(ZINC_COMPLEX_BFLOAT16, ZINC_FLOAT32, codes, &single, 1, 0), 1);
	assert_int_equal(zinc_dtype_convert(ZINC_COMPLEX_FLOAT8_E4M3, ZINC_COMPLEX_BFLOAT16, e8m0, codes, 1, 0), 1);
	assert_true(e8m0[0] == 0x44 && e8m0[1] == 0);
	assert_false(zinc_dtype_converts(ZINC_COMPLEX_FLOAT8_E8M0FNU, ZINC_FLOAT32)); /* it has no 0 */
	assert_true(zinc_dtype_converts(ZINC_COMPLEX_FLOAT8_E8M0FNU, ZINC_COMPLEX64));
	assert_false(zinc_dtype_converts(ZINC_FLOAT8_E4M3, ZINC_COMPLEX_FLOAT8_E4M3));
	assert_false(zinc_dtype_converts(ZINC_INT4, ZINC_BOOL));
	assert_false(zinc_dtype_converts(ZINC_BOOL, ZINC_INT4));
	assert_false(zinc_dtype_converts((zinc_type)43, ZINC_INT4));
	assert_false(zinc_dtype_converts(ZINC_INT4, ZINC_RAW));
}

/* ---- names and fill values ---- */

static zinc_status
parse_fill(const zinc_dtype *t, const char *json, void *element, findings *s)
{
	zinc_json_doc *doc;
	zinc_report r;
	zinc_status st;

	assert_int_equal(zinc_json_parse(&doc, NULL, json, strlen(json), 0, NULL), ZINC_OK);
	findings_begin(s, &r, false);
	st = t->ops->parse_fill(t, zinc_json_root(doc), element, &r, NULL);
	zinc_json_free(doc);
	return st;
}

/* Every bit pattern is printed in a form that gives it back. */
static void
fill_values_come_back(void **state)
{
	int type;

	(void)state;
	for (type = ZINC_BFLOAT16; type <= LAST_FLOAT; type++) {
		const zinc_dtype *t = zinc_dtype_of((zinc_type)type);
		const size_t n = (size_t)1 << t->bits, step = t->bits > 8 ? 7 : 1;
		size_t i;

		for (i = 0; i < n; i += step) {
			uint8_t element[2], back[2] = {0};
			zinc_json_doc *doc;
			findings s;
			char text[80];
			zinc_buf b;

			if (t->size == 2)
				memcpy(element, &(uint16_t){(uint16_t)i}, 2);
			else
				zinc_dtype_reorder(t, false, element, &(uint8_t){(uint8_t)i}, 1);
			assert_int_equal(zinc_json_new(&doc, NULL, NULL), ZINC_OK);
			zinc_buf_wrap(&b, text, sizeof text);
			assert_int_equal(zinc_json_print_line(t->ops->print_fill(t, element, doc), &b, NULL), ZINC_OK);
			zinc_json_free(doc);
			assert_int_equal(parse_fill(t, zinc_buf_text(&b), back, &s), ZINC_OK);
			assert_memory_equal(back, element, t->size);
		}
	}
}

static void
fill_values_are_checked(void **state)
{
	static const struct {
		int type;
		const char *json;
		const char *rule; /* NULL: it is `bits` */
		uint16_t bits;
	} rows[] = {
	    {ZINC_INT2, "1", NULL, 1},
	    {ZINC_INT2, "-2", NULL, 0xfe},
	    {ZINC_INT2, "2", "M51", 0},
	    {ZINC_UINT2, "4", "M51", 0},
	    {ZINC_UINT4, "-1", "M51", 0},
	    {ZINC_INT4, "1.0", "M50", 0},
	    {ZINC_INT4, "\"0x1\"", "M50", 0},
	    {ZINC_BFLOAT16, "\"NaN\"", NULL, 0x7fc0},
	    {ZINC_BFLOAT16, "\"-Infinity\"", NULL, 0xff80},
	    {ZINC_BFLOAT16, "\"0x8001\"", NULL, 0x8001},
	    {ZINC_BFLOAT16, "-0.0", NULL, 0x8000},
	    {ZINC_BFLOAT16, "1.00390625", NULL, 0x3f80},                          /* the middle, to even */
	    {ZINC_BFLOAT16, "1.003906250000000000000000000000001", NULL, 0x3f81}, /* one rounding of the decimal */
	    {ZINC_BFLOAT16, "3.4e38", NULL, 0x7f80},                              /* a lenient finding */
	    {ZINC_FLOAT8_E4M3, "\"NaN\"", NULL, 0x7c},
	    {ZINC_FLOAT8_E4M3, "\"Infinity\"", NULL, 0x78},
	    {ZINC_FLOAT8_E4M3, "\"0x7c\"", NULL, 0x7c},
	    {ZINC_FLOAT8_E4M3, "\"0x100\"", "M55", 0},
	    {ZINC_FLOAT8_E4M3B11FNUZ, "30", NULL, 0x7f},
	    {ZINC_FLOAT8_E4M3B11FNUZ, "31", "M53", 0},
	    {ZINC_FLOAT8_E4M3B11FNUZ, "1e999", "M53", 0},
	    {ZINC_FLOAT8_E4M3B11FNUZ, "-0.0", NULL, 0},
	    {ZINC_FLOAT8_E4M3B11FNUZ, "\"NaN\"", NULL, 0x80},
	    {ZINC_FLOAT8_E4M3FNUZ, "\"Infinity\"", "M52", 0},
	    {ZINC_FLOAT8_E5M2FNUZ, "\"-Infinity\"", "M52", 0},
	    {ZINC_FLOAT8_E8M0FNU, "1", NULL, 0x7f},
	    {ZINC_FLOAT8_E8M0FNU, "0", "M53", 0},
	    {ZINC_FLOAT8_E8M0FNU, "-1", "M53", 0},
	    {ZINC_FLOAT8_E8M0FNU, "\"NaN\"", NULL, 0xff},
	    {ZINC_FLOAT8_E8M0FNU, "\"Infinity\"", "M52", 0},
	    {ZINC_FLOAT8_E8M0FNU, "4.5e-39", NULL, 0},
	    {ZINC_FLOAT8_E8M0FNU, "4.4e-39", "M53", 0},
	    {ZINC_FLOAT8_E8M0FNU, "1.5", NULL, 0x80},
	    {ZINC_FLOAT4_E2M1FN, "-6", NULL, 0xf},
	    {ZINC_FLOAT4_E2M1FN, "7", "M53", 0},
	    {ZINC_FLOAT4_E2M1FN, "\"NaN\"", "M52", 0},
	    {ZINC_FLOAT4_E2M1FN, "\"0xf\"", NULL, 0xf},
	    {ZINC_FLOAT4_E2M1FN, "\"0x10\"", "M55", 0},
	    {ZINC_FLOAT6_E3M2FN, "\"0x40\"", "M55", 0},
	    {ZINC_FLOAT6_E2M3FN, "0.0625", NULL, 0}, /* the middle of 0 and the smallest */
	    {ZINC_COMPLEX_FLOAT8_E5M2, "[1, \"NaN\"]", NULL, 0x7e3c},
	    {ZINC_COMPLEX_FLOAT4_E2M1FN, "[1, \"NaN\"]", "M52", 0},
	    {ZINC_COMPLEX_FLOAT4_E2M1FN, "[\"0x1f\", 1]", "M55", 0},
	    {ZINC_COMPLEX_FLOAT8_E5M2, "1", "M56", 0},
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		const zinc_dtype *t = zinc_dtype_of((zinc_type)rows[i].type);
		uint8_t element[2] = {0, 0};
		findings s;
		const zinc_status st = parse_fill(t, rows[i].json, element, &s);

		if ((st == ZINC_OK) != !rows[i].rule || (rows[i].rule && strcmp(s.rule, rows[i].rule) != 0))
			fail_msg("%s %s: %d %s %s", t->name, rows[i].json, (int)st, s.rule, s.message);
		if (rows[i].rule)
			continue;
		if (t->size == 2 && t->unit == 2)
			assert_memory_equal(element, &rows[i].bits, 2);
		else
			assert_int_equal(element[0] | element[1] << 8, rows[i].bits);
	}
}

/* Each name is a row, prints itself, and has zinc_type_widen. */
static void
names_are_types(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	int type;

	(void)state;
	for (type = ZINC_BFLOAT16; type <= ZINC_COMPLEX_FLOAT8_E8M0FNU; type++) {
		const zinc_dtype *row = zinc_dtype_of((zinc_type)type), *t;
		const char *name = zinc_type_name((zinc_type)type);
		const zinc_type wide = zinc_type_widen((zinc_type)type);

		assert_int_equal(row->type, type);
		assert_int_equal(zinc_dtype_parse_text(&t, NULL, NULL, name, &err), ZINC_OK);
		assert_ptr_equal(t, row);
		assert_false(zinc_dtype_has_v2(t));
		assert_int_equal(wide, row->kind == ZINC_KIND_INT     ? ZINC_INT8
				       : row->kind == ZINC_KIND_UINT  ? ZINC_UINT8
				       : row->kind == ZINC_KIND_FLOAT ? ZINC_FLOAT32
								      : ZINC_COMPLEX64);
		assert_true(zinc_dtype_converts(wide, (zinc_type)type));
	}
	assert_int_equal(zinc_type_widen(ZINC_FLOAT16), ZINC_FLOAT16);
	assert_int_equal(zinc_type_widen(ZINC_RAW), ZINC_RAW);
}

/* Two names of one type, of which documents keep theirs. */
static void
complex_names_are_the_same(void **state)
{
	static const char *const pairs[][2] = {{"complex_float32", "complex64"}, {"complex_float64", "complex128"}};
	size_t i;

	(void)state;
	for (i = 0; i < 2; i++) {
		const zinc_dtype *a, *b;
		bool is_same = false;

		assert_int_equal(zinc_dtype_parse_text(&a, NULL, NULL, pairs[i][0], NULL), ZINC_OK);
		assert_int_equal(zinc_dtype_parse_text(&b, NULL, NULL, pairs[i][1], NULL), ZINC_OK);
		assert_string_equal(a->name, pairs[i][0]);
		assert_int_equal(a->type, b->type);
		assert_string_equal(zinc_type_name(a->type), pairs[i][1]);
		assert_int_equal(zinc_dtype_same(a, b, NULL, &is_same, NULL), ZINC_OK);
		assert_true(is_same);
		assert_int_equal(zinc_dtype_same(a, zinc_dtype_of(ZINC_COMPLEX_FLOAT16), NULL, &is_same, NULL),
				 ZINC_OK);
		assert_false(is_same);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(floats_widen_exactly),
	    cmocka_unit_test(floats_come_back),
	    cmocka_unit_test(singles_round_to_bfloats),
	    cmocka_unit_test(doubles_round_once),
	    cmocka_unit_test(missing_values_are_out_of_range),
	    cmocka_unit_test(integers_keep_the_rules),
	    cmocka_unit_test(integers_to_floats_are_exact),
	    cmocka_unit_test(other_bits_are_ignored),
	    cmocka_unit_test(complex_parts_convert),
	    cmocka_unit_test(fill_values_come_back),
	    cmocka_unit_test(fill_values_are_checked),
	    cmocka_unit_test(names_are_types),
	    cmocka_unit_test(complex_names_are_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
