/*
 * test_resp.c - the promises of net/resp.c, by number
 */
#include <stdio.h>

#include "net/net.h"
#include "support/test.h"

static zinc_resp *
script(const void *bytes, size_t n)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_resp *r = NULL;

	assert_ok(zinc_resp_new(&r, zinc_context_get(NULL), NULL, (zinc_bytes){(const uint8_t *)bytes, n}, &err));
	return r;
}

static size_t
parse(const char *text, zinc_resp_head *out)
{
	return zinc_resp_parse((const uint8_t *)text, strlen(text), out);
}

/* ---- (1) ---- */

static void
heads(void **state)
{
	zinc_resp_head h;

	(void)state;
	assert_int_equal(parse("+OK\r\n", &h), 5);
	assert_int_equal(h.type, '+');
	assert_string_equal(h.text, "OK");
	assert_int_equal(parse("-ERR a\tb\r\n", &h), 10);
	assert_string_equal(h.text, "ERR a?b"); /* one printable line */
	assert_int_equal(parse(":-12\r\n", &h), 6);
	assert_int_equal(h.number, -12);
	assert_int_equal(parse(":9223372036854775807\r\n", &h), 22);
	assert_true(h.number == INT64_MAX);
	assert_int_equal(parse("$5\r\nhello", &h), 4);
	assert_int_equal(h.number, 5);
	assert_false(h.null);
	assert_int_equal(parse("$-1\r\n", &h), 5);
	assert_true(h.null);
	assert_int_equal(parse("*-1\r\n", &h), 5);
	assert_true(h.null);
	assert_int_equal(parse("*0\r\n", &h), 4);
	assert_false(h.null);
}

static void
what_is_no_head(void **state)
{
	static const char *const bad[] = {"HTTP/1.1 400 Bad\r\n",
					  "%1\r\n",
					  "_\r\n",
					  "$\r\n",
					  "$-2\r\n",
					  "$-0\r\n",
					  "$01\r\n",
					  "$1 \r\n",
					  "$+1\r\n",
					  "$1x\r\n",
					  "*-2\r\n",
					  ":\r\n",
					  ":--1\r\n",
					  ":1.5\r\n",
					  "+OK\rx",
					  ":-\r\n",
					  "\x15\x03",
					  "$4294967296\r\n",
					  ":9223372036854775808\r\n",
					  "*99999999999999999999\r\n"};
	zinc_resp_head h;
	char line[ZINC_RESP_LINE + 8];
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(bad); i++)
		if (parse(bad[i], &h) != ZINC_RESP_BAD)
			fail_msg("%s is accepted", bad[i]);
	memset(line, 'x', sizeof line);
	line[0] = '+';
	assert_true(zinc_resp_parse((const uint8_t *)line, sizeof line, &h) == ZINC_RESP_BAD); /* no end */
	assert_int_equal(zinc_resp_parse((const uint8_t *)line, 100, &h), 0);                  /* not yet */
	assert_true(zinc_resp_parse((const uint8_t *)"\0\r\n", 3, &h) == ZINC_RESP_BAD);
	assert_true(zinc_resp_parse((const uint8_t *)"", 1, &h) == ZINC_RESP_BAD);
	assert_int_equal(parse("", &h), 0);
	assert_int_equal(parse("+OK\r", &h), 0);
}

static void
no_resp_is_corrupt(void **state)
{
	static const char bad[] = "HTTP/1.1 400 Bad Request\r\n";
	zinc_error err = ZINC_ERROR_INIT;
	zinc_resp *r = script(bad, strlen(bad));
	zinc_resp_head h;

	(void)state;
	assert_int_equal(zinc_resp_next(r, &h, NULL, &err), ZINC_E_CORRUPT);
	assert_true(zinc_resp_is_broken(r));
	zinc_resp_free(r);
	r = script("+O", 2);
	assert_int_equal(zinc_resp_next(r, &h, NULL, &err), ZINC_E_IO); /* it ends too early */
	zinc_resp_free(r);
}

/* ---- (2) ---- */

static void
nesting_costs_nothing(void **state)
{
	enum { DEPTH = 33 };
	char *text = (char *)malloc(DEPTH * 4 + 16);
	zinc_error err = ZINC_ERROR_INIT;
	zinc_resp_head h;
	zinc_resp *r;
	int i;

	(void)state;
	for (i = 0; i < DEPTH; i++)
		memcpy(text + 4 * i, "*1\r\n", 4);
	memcpy(text + 4 * DEPTH, ":1\r\n+OK\r\n", 9);
	r = script(text, 4 * DEPTH + 9);
	assert_ok(zinc_resp_next(r, &h, NULL, &err));
	assert_ok(zinc_resp_skip(r, &h, NULL, &err));
	assert_ok(zinc_resp_next(r, &h, NULL, &err));
	assert_string_equal(h.text, "OK");
	zinc_resp_free(r);
	/* more elements than can be counted */
	r = script("*4294967295\r\n*4294967295\r\n", 26);
	assert_ok(zinc_resp_next(r, &h, NULL, &err));
	assert_int_equal(zinc_resp_skip(r, &h, NULL, &err), ZINC_E_CORRUPT);
	zinc_resp_free(r);
	/* more arrays inside of others than anybody needs: it might never end */
	memcpy(text + 4 * DEPTH, "*1\r\n:1\r\n", 8);
	r = script(text, 4 * DEPTH + 8);
	assert_ok(zinc_resp_next(r, &h, NULL, &err));
	assert_int_equal(zinc_resp_skip(r, &h, NULL, &err), ZINC_E_CORRUPT);
	zinc_resp_free(r);
	free(text);
}

/* ---- (3) ---- */

static void
values_and_their_ends(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_resp *r = script("$5\r\nhello\r\n$3\r\nabc\r\n:7\r\n", 25);
	zinc_resp_head h;
	char bytes[8] = "";

	(void)state;
	assert_ok(zinc_resp_next(r, &h, NULL, &err));
	assert_ok(zinc_resp_read(r, bytes, 2, NULL, &err));
	assert_ok(zinc_resp_read(r, bytes + 2, 3, NULL, &err));
	assert_ok(zinc_resp_end(r, NULL, &err));
	assert_memory_equal(bytes, "hello", 5);
	assert_ok(zinc_resp_next(r, &h, NULL, &err)); /* not read: skipped */
	assert_ok(zinc_resp_next(r, &h, NULL, &err));
	assert_int_equal(h.number, 7);
	zinc_resp_free(r);

	r = script("$3\r\nabcde\r\n", 11); /* longer than it says */
	assert_ok(zinc_resp_next(r, &h, NULL, &err));
	assert_ok(zinc_resp_read(r, bytes, 3, NULL, &err));
	assert_int_equal(zinc_resp_end(r, NULL, &err), ZINC_E_CORRUPT);
	zinc_resp_free(r);

	r = script("$5\r\nabc", 7); /* shorter */
	assert_ok(zinc_resp_next(r, &h, NULL, &err));
	assert_int_equal(zinc_resp_end(r, NULL, &err), ZINC_E_IO);
	zinc_resp_free(r);

	r = script("$3\r\nabc\r\n", 9); /* more than there is, by a mistake of the caller */
	assert_ok(zinc_resp_next(r, &h, NULL, &err));
	assert_int_equal(zinc_resp_read(r, bytes, 4, NULL, &err), ZINC_E_INVALID);
	zinc_resp_free(r);
}

static void
long_values(void **state)
{
	enum { N = 300000 };
	uint8_t *all = (uint8_t *)malloc(N + 64), *got = (uint8_t *)malloc(N);
	zinc_error err = ZINC_ERROR_INIT;
	zinc_resp_head h;
	zinc_resp *r;
	int n, i;

	(void)state;
	n = snprintf((char *)all, 64, "$%d\r\n", N);
	for (i = 0; i < N; i++)
		all[n + i] = (uint8_t)((unsigned)i * 2654435761u >> 13);
	memcpy(all + n + N, "\r\n+OK\r\n", 7);
	r = script(all, (size_t)n + N + 7);
	assert_ok(zinc_resp_next(r, &h, NULL, &err));
	assert_ok(zinc_resp_read(r, got, 10, NULL, &err));
	assert_ok(zinc_resp_read(r, got + 10, N - 10, NULL, &err));
	assert_ok(zinc_resp_next(r, &h, NULL, &err));
	assert_string_equal(h.text, "OK");
	assert_memory_equal(got, all + n, N);
	zinc_resp_free(r);
	free(all);
	free(got);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(heads),
	    cmocka_unit_test(what_is_no_head),
	    cmocka_unit_test(no_resp_is_corrupt),
	    cmocka_unit_test(nesting_costs_nothing),
	    cmocka_unit_test(values_and_their_ends),
	    cmocka_unit_test(long_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
