/*
 * test_tag_hash.c - the promises of tag_hash.c, by number
 */
#include <stdio.h>

#include "base/base.h"
#include "support/test.h"

static zinc_tag
hash_of(const void *bytes, size_t n)
{
	zinc_tag tag;
	zinc_hash h;

	zinc_hash_begin(&h);
	zinc_hash_add(&h, bytes, n);
	zinc_hash_end(&h, &tag);
	return tag;
}

static bool
same(const zinc_tag *a, const zinc_tag *b)
{
	return a->n == b->n && memcmp(a->b, b->b, a->n) == 0;
}

/* ---- (1) ---- */

static void
pieces_do_not_matter(void **state)
{
	uint8_t bytes[3 * ZINC_HASH_BLOCK + 7];
	zinc_tag whole, parts;
	size_t a, b;
	zinc_hash h;

	(void)state;
	for (a = 0; a < sizeof bytes; a++)
		bytes[a] = (uint8_t)(a * 167 + a / 256);
	whole = hash_of(bytes, sizeof bytes);
	for (a = 0; a < sizeof bytes; a += 5)
		for (b = a; b < sizeof bytes; b += 61) {
			zinc_hash_begin(&h);
			zinc_hash_add(&h, bytes, a);
			zinc_hash_add(&h, NULL, 0);
			zinc_hash_add(&h, bytes + a, b - a);
			zinc_hash_add(&h, bytes + b, sizeof bytes - b);
			zinc_hash_end(&h, &parts);
			assert_true(same(&whole, &parts));
		}
}

/* Kept on disk: these must never change. */
static void
known_values(void **state)
{
	static const struct {
		const char *text, *hash;
	} rows[] = {
	    {"", "0100000000000000010000000000000001000000000000000100000000000000"},
	    {"zinc", "e0cc6b4550dd2e1f79154e532b6cf00f6ef34a2d09ac5d0cb47fc7a0c4479d0d"},
	};
	char hex[65];
	zinc_tag tag;
	size_t i, k;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		tag = hash_of(rows[i].text, strlen(rows[i].text));
		assert_int_equal(tag.n, 32);
		for (k = 0; k < tag.n; k++)
			snprintf(hex + 2 * k, 3, "%02x", tag.b[k]);
		assert_string_equal(hex, rows[i].hash);
	}
}

/* ---- (2) ---- */

/* One bit, anywhere; one byte more, also a zero. */
static void
every_bit_counts(void **state)
{
	enum { N = 2 * ZINC_HASH_BLOCK + 32 };
	uint8_t bytes[N + 1] = {0};
	zinc_tag before = hash_of(bytes, N), now;
	size_t at;
	int bit;

	(void)state;
	for (at = 0; at < N; at++)
		for (bit = 0; bit < 8; bit++) {
			bytes[at] ^= (uint8_t)(1 << bit);
			now = hash_of(bytes, N);
			bytes[at] ^= (uint8_t)(1 << bit);
			assert_false(same(&before, &now));
		}
	for (at = 0; at <= N; at++) {
		now = hash_of(bytes, at);
		assert_int_equal(same(&before, &now), at == N);
	}
	now = hash_of(bytes, N + 1);
	assert_false(same(&before, &now));
}

static int
by_bytes(const void *a, const void *b)
{
	return memcmp(((const zinc_tag *)a)->b, ((const zinc_tag *)b)->b, 32);
}

/* 10^5 short values, counted up: no two are alike. */
static void
counters_do_not_collide(void **state)
{
	enum { N = 100000 };
	zinc_tag *tags = (zinc_tag *)calloc(N, sizeof *tags);
	uint64_t i;

	(void)state;
	assert_non_null(tags);
	for (i = 0; i < N; i++)
		tags[i] = hash_of(&i, sizeof i);
	qsort(tags, N, sizeof *tags, by_bytes);
	for (i = 1; i < N; i++)
		assert_false(same(&tags[i - 1], &tags[i]));
	free(tags);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(pieces_do_not_matter),
	    cmocka_unit_test(known_values),
	    cmocka_unit_test(every_bit_counts),
	    cmocka_unit_test(counters_do_not_collide),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
