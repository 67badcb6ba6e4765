/*
 * test_server_hash.c - hash.c of the server
 *
 * The first vectors are those of the reference implementation of SipHash-2-4 with 128 bits (key 00 01 .. 0f, message
 * 00 01 .. n-1); all were also computed by a program in another language, written from the paper.
 */
#include <stdio.h>

#include "server.h"
#include "test.h"

static const char *
hex(const unsigned char hash[HASH_BYTES])
{
	static char text[2 * HASH_BYTES + 1];
	size_t i;

	for (i = 0; i < HASH_BYTES; i++)
		snprintf(text + 2 * i, 3, "%02x", hash[i]);
	return text;
}

static void
matches_the_reference(void **state)
{
	static const struct {
		size_t n;
		const char *want;
	} cases[] = {
	    {0, "a3817f04ba25a8e66df67214c7550293"},  {1, "da87c1d86b99af44347659119b22fc45"},
	    {7, "a1f1ebbed8dbc153c0b84aa61ff08239"},  {8, "3b62a9ba6258f5610f83e264f31497b4"},
	    {15, "5493e99933b0a8117e08ec0f97cfc3d9"}, {16, "6ee2a4ca67b054bbfd3315bf85230577"},
	    {63, "5150d1772f50834a503e069a973fbd7c"},
	};
	unsigned char message[64], hash[HASH_BYTES];
	size_t i, k;

	(void)state;
	for (i = 0; i < sizeof message; i++)
		message[i] = (unsigned char)i;
	for (k = 0; k < COUNT(cases); k++) {
		memcpy(hash, message, HASH_BYTES); /* the key */
		hash_add(hash, message, cases[k].n);
		assert_string_equal(hex(hash), cases[k].want);
	}
}

static void
chains_calls(void **state)
{
	unsigned char hash[HASH_BYTES] = {0}, long_message[300];
	size_t i;

	(void)state;
	hash_add(hash, "tag", 3);
	hash_add(hash, "recipe", 6);
	assert_string_equal(hex(hash), "a16e2221e660c6b4a28b268afe49d7bd");
	for (i = 0; i < sizeof long_message; i++)
		long_message[i] = (unsigned char)i;
	memset(hash, 0, sizeof hash);
	hash_add(hash, long_message, sizeof long_message);
	assert_string_equal(hex(hash), "f4ad2dbf31cb21759d47eabe77193a00");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(matches_the_reference),
	    cmocka_unit_test(chains_calls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
