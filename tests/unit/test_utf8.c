/*
 * test_utf8.c - strict UTF-8, all code points
 */
#include "base/base.h"
#include "support/test.h"

/* RFC 3629 section 4 written out as a table, to compare with. */
static bool
in_table(const uint8_t *b, size_t n)
{
	static const struct {
		size_t n;
		uint8_t low[2], high[2]; /* of the first two bytes */
	} rows[] = {
	    {2, {0xC2, 0x80}, {0xDF, 0xBF}}, {3, {0xE0, 0xA0}, {0xE0, 0xBF}}, {3, {0xE1, 0x80}, {0xEC, 0xBF}},
	    {3, {0xED, 0x80}, {0xED, 0x9F}}, {3, {0xEE, 0x80}, {0xEF, 0xBF}}, {4, {0xF0, 0x90}, {0xF0, 0xBF}},
	    {4, {0xF1, 0x80}, {0xF3, 0xBF}}, {4, {0xF4, 0x80}, {0xF4, 0x8F}},
	};
	size_t i, k;

	if (n == 1)
		return b[0] < 0x80;
	for (i = 0; i < COUNT(rows); i++) {
		if (rows[i].n != n || b[0] < rows[i].low[0] || b[0] > rows[i].high[0] || b[1] < rows[i].low[1] ||
		    b[1] > rows[i].high[1])
			continue;
		for (k = 2; k < n && b[k] >= 0x80 && b[k] <= 0xBF; k++)
			;
		return k == n;
	}
	return false;
}

/* Every pair of first bytes, followed by edge values: the detected length is that of the table. */
static void
every_start(void **state)
{
	static const uint8_t tails[] = {0x00, 0x7F, 0x80, 0x8F, 0xBF, 0xC0, 0xFF};
	unsigned a, b, c, d;

	(void)state;
	for (a = 0; a < 256; a++)
		for (b = 0; b < 256; b++)
			for (c = 0; c < COUNT(tails); c++)
				for (d = 0; d < COUNT(tails); d++) {
					const uint8_t s[4] = {(uint8_t)a, (uint8_t)b, tails[c], tails[d]};
					size_t n, want = 0;

					for (n = 1; n <= 4; n++)
						if (in_table(s, n))
							want = n;
					assert_int_equal(zinc_utf8_next((const char *)s, 4, NULL), want);
				}
}

/* Encode every code point, read it back, and cut it short. */
static void
every_code_point(void **state)
{
	uint32_t c, back;
	char s[4];
	size_t n, k;

	(void)state;
	for (c = 0; c <= 0x10FFFF; c++) {
		if (c < 0x80)
			n = 1, s[0] = (char)c;
		else if (c < 0x800)
			n = 2, s[0] = (char)(0xC0 | c >> 6);
		else if (c < 0x10000)
			n = 3, s[0] = (char)(0xE0 | c >> 12);
		else
			n = 4, s[0] = (char)(0xF0 | c >> 18);
		for (k = 1; k < n; k++)
			s[k] = (char)(0x80 | (c >> (6 * (n - 1 - k)) & 0x3F));
		back = 77;
		if (c >= 0xD800 && c <= 0xDFFF) {
			assert_int_equal(zinc_utf8_next(s, n, &back), 0);
			continue;
		}
		if (zinc_utf8_next(s, n, &back) != n || back != c)
			fail_msg("U+%04X", (unsigned)c);
		for (k = 0; k < n; k++)
			if (zinc_utf8_next(s, k, NULL) != 0)
				fail_msg("U+%04X cut to %zu bytes", (unsigned)c, k);
	}
}

static void
whole_texts(void **state)
{
	(void)state;
	assert_true(zinc_utf8_valid(NULL, 0));
	assert_true(zinc_utf8_valid("a\0b", 3));
	assert_true(zinc_utf8_valid("na\xc3\xafve \xe2\x82\xac \xf0\x9f\x98\x80", 16));
	assert_false(zinc_utf8_valid("ab\x80", 3));
	assert_false(zinc_utf8_valid("\xe2\x82", 2));
	assert_false(zinc_utf8_valid("\xf4\x90\x80\x80", 4)); /* U+110000 */
	assert_false(zinc_utf8_valid("\xe0\x80\xaf", 3));     /* an overlong '/' */
}

/* Every character is decoded again. */
static void
written(void **state)
{
	char bytes[4];
	uint32_t code, back;
	size_t n;

	(void)state;
	for (code = 0; code <= 0x10FFFF; code++) {
		if (code >= 0xD800 && code <= 0xDFFF)
			continue;
		n = zinc_utf8_put(bytes, code);
		assert_int_equal(zinc_utf8_next(bytes, n, &back), n);
		assert_int_equal(back, code);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(written),
	    cmocka_unit_test(every_start),
	    cmocka_unit_test(every_code_point),
	    cmocka_unit_test(whole_texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
