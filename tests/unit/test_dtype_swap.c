/*
 * test_dtype_swap.c - byte order and bits, against byte-by-byte loops
 */
#include <string.h>

#include "dtype/element.h"
#include "support/test.h"

enum { MOST = 70 };

/* Every type, counts around the words it swaps at once, every alignment, in place and not; neighbouring bytes do not
 * change. */
static void
units_are_reversed(void **state)
{
	uint8_t in[MOST * 16 + 16], out[MOST * 16 + 32], want[MOST * 16 + 32];
	zinc_type type;
	size_t n, i, at, j;

	(void)state;
	for (i = 0; i < sizeof in; i++)
		in[i] = (uint8_t)(i * 7 + 1);
	for (type = ZINC_BOOL; type <= ZINC_COMPLEX128; type++)
		for (n = 0; n < MOST; n += n < 20 ? 1 : 17)
			for (at = 0; at < 8; at += 3) {
				const zinc_dtype *t = zinc_dtype_of(type);
				const size_t nbytes = n * t->size;

				memset(want, 0xee, sizeof want);
				for (i = 0; i < nbytes; i += t->unit)
					for (j = 0; j < t->unit; j++)
						want[at + i + j] = in[i + t->unit - 1 - j];
				memset(out, 0xee, sizeof out);
				zinc_dtype_swap(t, out + at, in, n);
				assert_memory_equal(out, want, sizeof out);
				memset(out, 0xee, sizeof out);
				memcpy(out + at, in, nbytes);
				zinc_dtype_swap(t, out + at, out + at, n);
				assert_memory_equal(out, want, sizeof out);
			}
}

static void
units_of_any_size(void **state)
{
	const zinc_dtype odd = {.size = 6, .unit = 3}, wide = {.size = 16, .unit = 16};
	uint8_t in[32], out[32];
	int i;

	(void)state;
	for (i = 0; i < 32; i++)
		in[i] = (uint8_t)i;
	zinc_dtype_swap(&odd, out, in, 2);
	assert_memory_equal(out, "\2\1\0\5\4\3\10\7\6\13\12\11", 12);
	zinc_dtype_swap(&wide, in, in, 2);
	for (i = 0; i < 16; i++) {
		assert_int_equal(in[i], 15 - i);
		assert_int_equal(in[16 + i], 31 - i);
	}
}

static void
bits_survive(void **state)
{
	static const size_t sizes[] = {1, 2, 4, 8};
	const uint64_t bits = 0xf1e2d3c4b5a69788;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(sizes); i++) {
		const uint64_t mask = UINT64_MAX >> (64 - 8 * sizes[i]);
		uint8_t p[10];

		memset(p, 0xee, sizeof p);
		zinc_bits_store(p + 1, sizes[i], bits);
		assert_int_equal(p[1], (uint8_t)(ZINC_HOST_BIG ? (bits & mask) >> (8 * sizes[i] - 8) : bits));
		assert_int_equal(p[0], 0xee);
		assert_int_equal(p[1 + sizes[i]], 0xee);
		assert_true(zinc_bits_load(p + 1, sizes[i]) == (bits & mask));
		assert_true(zinc_bits_load_signed(p + 1, sizes[i]) ==
			    (int64_t)((bits & mask) | ~mask)); /* top bits are 1 */
		zinc_bits_store(p + 1, sizes[i], mask >> 1);
		assert_true(zinc_bits_load_signed(p + 1, sizes[i]) == (int64_t)(mask >> 1));
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(units_are_reversed),
	    cmocka_unit_test(units_of_any_size),
	    cmocka_unit_test(bits_survive),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
