/*
 * test_base64.c - bytes as text of 64 characters and back
 */
#include <string.h>

#include "base/base.h"
#include "support/sweep.h"
#include "support/test.h"

/* RFC 4648, section 10, and bytes that use the last digits. */
static const struct {
	const char *bytes;
	size_t n;
	const char *text;
} vectors[] = {
    {"", 0, ""},
    {"f", 1, "Zg=="},
    {"fo", 2, "Zm8="},
    {"foo", 3, "Zm9v"},
    {"foob", 4, "Zm9vYg=="},
    {"fooba", 5, "Zm9vYmE="},
    {"foobar", 6, "Zm9vYmFy"},
    {"\0\0\0", 3, "AAAA"},
    {"\xff\xef\xbe", 3, "/+++"},
    {"\xff\xff\xff\xff", 4, "/////w=="},
};

static void
known_texts(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	uint8_t back[16];
	size_t i, n;
	zinc_buf b;

	(void)state;
	for (i = 0; i < COUNT(vectors); i++) {
		zinc_buf_init(&b, NULL, 100);
		assert_ok(zinc_base64_encode(vectors[i].bytes, vectors[i].n, &b, &err));
		assert_string_equal(zinc_buf_text(&b), vectors[i].text);
		zinc_buf_fini(&b);
		memset(back, 0xee, sizeof back);
		assert_true(zinc_base64_decode(vectors[i].text, strlen(vectors[i].text), back, sizeof back, &n));
		assert_int_equal(n, vectors[i].n);
		assert_memory_equal(back, vectors[i].bytes, n);
		assert_int_equal(back[n], 0xee);
	}
}

/* Only what fits is written; the length is still returned. */
static void
too_little_room(void **state)
{
	uint8_t back[4] = {0, 0, 0, 0xee};
	size_t n;

	(void)state;
	assert_true(zinc_base64_decode("Zm9vYmFy", 8, back, 3, &n));
	assert_int_equal(n, 6);
	assert_memory_equal(back, "foo\xee", 4);
}

static void
without_padding(void **state)
{
	uint8_t back[4];
	size_t n;

	(void)state;
	assert_true(zinc_base64_decode("Zg", 2, back, 4, &n));
	assert_int_equal(n, 1);
	assert_int_equal(back[0], 'f');
	assert_true(zinc_base64_decode("Zm8", 3, back, 4, &n));
	assert_int_equal(n, 2);
	assert_memory_equal(back, "fo", 2);
	assert_false(zinc_base64_decode("Zh", 2, back, 4, &n));
}

static void
wrong_texts(void **state)
{
	static const char *const texts[] = {"Z",    "Zm9vZ",   "Zg=",  "Zg=v", "=Zg=",     "Z===",     "====",
					    "Zm9*", "Zm 9v\n", "Zh==", "Zm9=", "Zm8=Zm8=", "Zm9v====", "Zm9-"};
	uint8_t back[16];
	size_t i, n;

	(void)state;
	for (i = 0; i < COUNT(texts); i++)
		if (zinc_base64_decode(texts[i], strlen(texts[i]), back, sizeof back, &n))
			fail_msg("\"%s\" was read", texts[i]);
	assert_false(zinc_base64_decode("Zm\0v", 4, back, sizeof back, &n));
}

static zinc_status
encode(void *arg, zinc_context *ctx, zinc_error *err)
{
	zinc_status st;
	zinc_buf b;

	zinc_buf_init(&b, ctx, PTRDIFF_MAX);
	st = zinc_base64_encode(arg, 100, &b, err);
	zinc_buf_fini(&b);
	return st;
}

static void
memory_may_be_out(void **state)
{
	static char bytes[100];

	(void)state;
	assert_true(sweep_alloc(encode, bytes) >= 2);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(known_texts), cmocka_unit_test(too_little_room),   cmocka_unit_test(without_padding),
	    cmocka_unit_test(wrong_texts), cmocka_unit_test(memory_may_be_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
