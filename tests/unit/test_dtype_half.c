/*
 * test_dtype_half.c - the promises of dtype_half.c, by number
 */
#include <math.h>
#include <string.h>

#include "dtype/dtype.h"
#include "support/test.h"

static double
value(uint16_t h)
{
	const int e = h >> 10 & 31, m = h & 1023;
	const double v = e ? ldexp(1024 + m, e - 25) : ldexp(m, -24);

	return h & 0x8000 ? -v : v;
}

static uint32_t
bits_of(float f)
{
	uint32_t b;

	memcpy(&b, &f, sizeof b);
	return b;
}

/* (1), all of them */
static void
every_half_widens_exactly(void **state)
{
	uint32_t i;

	(void)state;
	for (i = 0; i <= 0xffff; i++) {
		const uint16_t h = (uint16_t)i;
		const float f = zinc_half_to_float(h);
		const uint32_t sign = (i & 0x8000) << 16;

		if ((h & 0x7fff) == 0x7c00)
			assert_int_equal(bits_of(f), sign | 0x7f800000);
		else if ((h & 0x7c00) == 0x7c00)
			assert_int_equal(bits_of(f), sign | 0x7fc00000 | (i & 0x3ff) << 13);
		else
			assert_true((double)f == value(h) && !signbit(f) == !(h & 0x8000));
	}
}

/* (2), around every half: itself, the middle to the next, and one step of a double to both sides of that */
static void
doubles_round_once(void **state)
{
	uint32_t i, sign;

	(void)state;
	for (sign = 0; sign <= 0x8000; sign += 0x8000)
		for (i = 0; i < 0x7c00; i++) {
			const uint16_t h = (uint16_t)(i | sign), next = (uint16_t)(h + 1), even = i & 1 ? next : h;
			const double v = value(h), up = i == 0x7bff ? copysign(65536, v) : value(next),
				     middle = (v + up) / 2;

			assert_int_equal(zinc_half_from_double(v), h);
			assert_int_equal(zinc_half_from_double(middle), even);
			assert_int_equal(zinc_half_from_double(nextafter(middle, v)), h);
			assert_int_equal(zinc_half_from_double(nextafter(middle, up)), next);
		}
}

static void
special_doubles(void **state)
{
	static const struct {
		uint64_t bits;
		uint16_t want;
	} rows[] = {
	    {0x0000000000000000, 0x0000}, {0x8000000000000000, 0x8000}, {0x0000000000000001, 0x0000},
	    {0x800fffffffffffff, 0x8000}, {0x7ff0000000000000, 0x7c00}, {0xfff0000000000000, 0xfc00},
	    {0x7fefffffffffffff, 0x7c00}, {0x7ff8000000000000, 0x7e00}, {0xfff8000000000000, 0xfe00},
	    {0x7ff0000000000001, 0x7e00}, {0x7fffffffffffffff, 0x7fff}, {0x40f0000000000000, 0x7c00}, /* 65536 */
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		double d;

		memcpy(&d, &rows[i].bits, sizeof d);
		assert_int_equal(zinc_half_from_double(d), rows[i].want);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(every_half_widens_exactly),
	    cmocka_unit_test(doubles_round_once),
	    cmocka_unit_test(special_doubles),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
