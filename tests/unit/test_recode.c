/*
 * test_recode.c - shared code of array->array codecs of numbers: rounded arithmetic in double equals arithmetic in
 * the type
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "codec/codec_parts.h"
#include "support/chains.h"
#include "support/random.h"
#include "support/test.h"

/* Any float: all exponents are as likely, subnormal ones among them. */
static float
any_float(void)
{
	const uint32_t bits = (uint32_t)random_bits();
	float f;

	memcpy(&f, &bits, sizeof f);
	return isfinite(f) ? f : 1.5f;
}

static void
same(float direct, double rounded)
{
	assert_true(isnan(direct) ? isnan(rounded)
				  : (double)direct == rounded && !signbit(direct) == !signbit(rounded));
}

/* The compiler must not do it in anything wider. */
static volatile float sum, difference, product, quotient;

static void
floats(void **state)
{
	const zinc_dtype *t = zinc_dtype_of(ZINC_FLOAT32);
	const int n = MANY(200000);
	double v[4];
	int i;

	(void)state;
	for (i = 0; i < n; i++) {
		const float a = any_float(), b = i % 3 ? any_float() : a * (1 + (float)(i % 100) * FLT_EPSILON);

		sum = a + b;
		difference = a - b;
		product = a * b;
		quotient = a / b;
		v[0] = (double)a + (double)b;
		v[1] = (double)a - (double)b;
		v[2] = (double)a * (double)b;
		v[3] = (double)a / (double)b;
		zinc_recode_round(t, v, 4);
		same(sum, v[0]);
		same(difference, v[1]);
		same(product, v[2]);
		same(quotient, v[3]);
	}
}

/* Halves: through float, as NumPy does it, gives the same as through double. */
static void
halves(void **state)
{
	const zinc_dtype *t = zinc_dtype_of(ZINC_FLOAT16);
	const int n = MANY(200000);
	int i, k;

	(void)state;
	for (i = 0; i < n; i++) {
		const float a = zinc_half_to_float((uint16_t)random_bits());
		const float b = zinc_half_to_float((uint16_t)random_bits());
		const float direct[] = {a + b, a - b, a * b, a / b};
		double v[] = {(double)a + (double)b, (double)a - (double)b, (double)a * (double)b,
			      (double)a / (double)b};

		zinc_recode_round(t, v, 4);
		for (k = 0; k < 4; k++)
			same(zinc_half_to_float(zinc_half_from_double((double)direct[k])), v[k]);
	}
}

static void
doubles(void **state)
{
	double v[] = {0.1, -DBL_MAX, 5e-324, INFINITY};
	const double before[] = {0.1, -DBL_MAX, 5e-324, INFINITY};

	(void)state;
	zinc_recode_round(zinc_dtype_of(ZINC_FLOAT64), v, 4);
	assert_memory_equal(v, before, sizeof v);
}

/* Casts as NumPy's astype: cut off, rounded, infinite; errors name the element of the chunk. */
static void
casts(void **state)
{
	double v[] = {1.9, -1.9, 127.5}, large[] = {0, 1e300, 128};
	zinc_error err = ZINC_ERROR_INIT;
	int8_t i[3];
	float f[3];

	(void)state;
	assert_ok(zinc_recode_cast(zinc_dtype_of(ZINC_INT8), i, v, 3, 0, ZINC_E_CORRUPT, &err));
	assert_true(i[0] == 1 && i[1] == -1 && i[2] == 127);
	assert_int_equal(zinc_recode_cast(zinc_dtype_of(ZINC_INT8), i, large, 3, 1000, ZINC_E_CORRUPT, &err),
			 ZINC_E_CORRUPT);
	assert_non_null(strstr(err.text, "element 1001"));
	assert_non_null(strstr(err.text, "int8"));
	assert_ok(zinc_recode_cast(zinc_dtype_of(ZINC_FLOAT32), f, large, 3, 0, ZINC_E_CORRUPT, &err));
	assert_true(f[0] == 0 && isinf(f[1]) && f[2] == 128);
	assert_ok(zinc_recode_convert(zinc_dtype_of(ZINC_INT8), NULL, zinc_dtype_of(ZINC_INT8), NULL, 0, 0, 0,
				      ZINC_E_CORRUPT, &err));
}

/* A shard behind such a codec has the same number as fill value.  If its type has no such number, an inner chunk that is
 * not stored cannot be read. */
static void
fill_of_shards(void **state)
{
	static const char codecs[] =
	    "[{\"name\": \"numcodecs.astype\", \"configuration\": {\"encode_dtype\": \"|u1\", \"decode_dtype\": "
	    "\"<f8\"}}, "
	    "{\"name\": \"sharding_indexed\", \"configuration\": {\"chunk_shape\": [1], \"codecs\": [\"bytes\"], "
	    "\"index_codecs\": [{\"name\": \"bytes\", \"configuration\": {\"endian\": \"little\"}}]}}]";
	const uint64_t shape[] = {2, ENDED};
	const double fills[] = {7, -1, 300};
	zinc_error err = ZINC_ERROR_INIT;
	uint8_t empty[32];
	double back[2];
	chain_case t;
	size_t i;

	(void)state;
	memset(empty, 0xff, sizeof empty);
	for (i = 0; i < COUNT(fills); i++) {
		assert_ok(chain_init(&t, NULL, codecs, "float64", shape, &fills[i], true, &err));
		if (i == 0)
			assert_ok(chain_decode(&t, empty, sizeof empty, back, &err));
		else
			assert_int_equal(chain_decode(&t, empty, sizeof empty, back, &err), ZINC_E_CORRUPT);
		assert_true(i > 0 || (back[0] == 7 && back[1] == 7));
		chain_fini(&t);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(floats), cmocka_unit_test(halves),         cmocka_unit_test(doubles),
	    cmocka_unit_test(casts),  cmocka_unit_test(fill_of_shards),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
