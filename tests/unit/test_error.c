/*
 * test_error.c - the promises of error.c, by number
 */
#include <errno.h>
#include <stdio.h>

#include "base/base.h"
#include "support/test.h"

/* (1) */
static void
null_is_accepted(void **state)
{
	zinc_error err = ZINC_ERROR_INIT, copy;
	uint64_t index[1] = {0};

	(void)state;
	assert_int_equal(zinc_fail(NULL, ZINC_E_CORRUPT, "%d", 1), ZINC_E_CORRUPT);
	assert_int_equal(zinc_fail_errno(NULL, ENOENT, "x"), ZINC_E_NOTFOUND);
	assert_int_equal(zinc_fail_nomem(NULL), ZINC_E_NOMEM);
	assert_int_equal(zinc_error_at_url(NULL, ZINC_E_IO, "u"), ZINC_E_IO);
	assert_int_equal(zinc_error_at_key(NULL, ZINC_E_IO, "k"), ZINC_E_IO);
	assert_int_equal(zinc_error_at_chunk(NULL, ZINC_E_IO, index, 1), ZINC_E_IO);
	assert_int_equal(zinc_error_at_codec(NULL, ZINC_E_IO, "c"), ZINC_E_IO);
	assert_string_equal(zinc_error_text(NULL), "");
	assert_int_equal(zinc_error_status(NULL), ZINC_OK);
	assert_int_equal(zinc_error_copy(&err, NULL), ZINC_OK);
	/* success names no place */
	zinc_error_at_url(&err, ZINC_OK, "u");
	zinc_error_at_chunk(&err, ZINC_OK, index, 1);
	assert_string_equal(err.url, "");
	assert_string_equal(err.chunk, "");
	assert_string_equal(zinc_error_text(&err), "");
	/* and touches nothing: callers need not set it up */
	memset(&err, '?', sizeof err);
	memcpy(err.url, "http://", 7);
	copy = err;
	zinc_error_at_url(&err, ZINC_OK, "u");
	zinc_error_at_key(&err, ZINC_OK, "k");
	zinc_error_at_chunk(&err, ZINC_OK, index, 1);
	zinc_error_at_codec(&err, ZINC_OK, "c");
	assert_memory_equal(&err, &copy, sizeof err);
}

static void
line_has_all_parts(void **state)
{
	zinc_error err = ZINC_ERROR_INIT, copy = ZINC_ERROR_INIT;
	uint64_t index[3] = {1, 0, UINT64_MAX};

	(void)state;
	assert_int_equal(zinc_fail(&err, ZINC_E_CORRUPT, "%d bytes", 7), ZINC_E_CORRUPT);
	assert_string_equal(zinc_error_text(&err), "7 bytes");
	zinc_error_at_codec(&err, err.code, "zstd");
	assert_string_equal(zinc_error_text(&err), "codec zstd: 7 bytes");
	zinc_error_at_chunk(&err, err.code, index, 3);
	zinc_error_at_key(&err, err.code, "a/c/1/0");
	zinc_error_at_url(&err, err.code, "file:///d");
	assert_string_equal(zinc_error_text(&err),
			    "file:///d: a/c/1/0: chunk 1,0,18446744073709551615: codec zstd: 7 bytes");
	assert_int_equal(zinc_error_status(&err), ZINC_E_CORRUPT);
	assert_int_equal(zinc_error_copy(&copy, &err), ZINC_E_CORRUPT);
	assert_int_equal(zinc_error_copy(NULL, &err), ZINC_E_CORRUPT);
	assert_string_equal(zinc_error_text(&copy), zinc_error_text(&err));
	/* a new failure replaces everything */
	zinc_fail(&err, ZINC_E_IO, "other");
	assert_string_equal(zinc_error_text(&err), "other");
	/* without text there is still the meaning */
	zinc_fail(&err, ZINC_E_EXISTS, "%s", "");
	assert_string_equal(zinc_error_text(&err), "the target already exists");
	zinc_fail(&err, ZINC_E_IO, "x");
	zinc_error_at_chunk(&err, err.code, NULL, 0);
	assert_string_equal(zinc_error_text(&err), "chunk (): x");
}

static void
line_ends_with_the_region(void **state)
{
	static const uint64_t start[3] = {20, UINT64_MAX - 4, 9}, extent[3] = {10, 16, 5},
			      shape[3] = {100, UINT64_MAX, 7};
	zinc_error err = ZINC_ERROR_INIT, copy = ZINC_ERROR_INIT;

	(void)state;
	zinc_fail(&err, ZINC_E_CORRUPT, "bad");
	zinc_error_at_region(&err, ZINC_OK, start, extent, shape, 3);
	assert_string_equal(err.region, "");
	zinc_error_at_region(NULL, err.code, start, extent, shape, 3);
	zinc_error_at_region(&err, err.code, start, extent, shape, 0); /* a scalar has no indices */
	assert_string_equal(zinc_error_text(&err), "bad");
	zinc_error_at_region(&err, err.code, start, extent, shape, 3);
	assert_string_equal(zinc_error_text(&err),
			    "bad; elements 20:30, 18446744073709551611:18446744073709551615, 7:7");
	zinc_error_at_region(&err, err.code, shape, extent, shape, 1); /* (4) */
	zinc_error_copy(&copy, &err);
	assert_string_equal(zinc_error_text(&copy), zinc_error_text(&err));
	zinc_fail(&err, ZINC_E_IO, "other");
	assert_string_equal(zinc_error_text(&err), "other");
}

/* (2) */
static void
line_is_one_line_of_utf8(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;

	(void)state;
	zinc_fail(&err, ZINC_E_INVALID, "a\nb\tc\x7f\xff\xc3\xa9\xc2\x9bz"); /* é is kept, others are not */
	assert_string_equal(err.text, "a\\x0ab\\x09c\\x7f\\xff\xc3\xa9\\xc2\\x9bz");
	zinc_error_at_key(&err, err.code, "k\r");
	assert_string_equal(zinc_error_text(&err), "k\\x0d: a\\x0ab\\x09c\\x7f\\xff\xc3\xa9\\xc2\\x9bz");
	/* members written by a program's own store */
	memset(err.text, '\n', sizeof err.text - 1);
	memset(err.key, 0x01, sizeof err.key - 1);
	memset(err.url, 0x02, sizeof err.url - 1);
	err.text[sizeof err.text - 1] = err.key[sizeof err.key - 1] = err.url[sizeof err.url - 1] = '\0';
	assert_null(strchr(zinc_error_text(&err), '\n'));
	assert_true(strlen(err.line) < sizeof err.line);
}

/* (3) */
static void
long_texts_end_in_dots(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	char big[4000], shown[16];
	uint64_t index[ZINC_MAX_NDIM];
	size_t n, i;

	(void)state;
	/* three-byte characters at every offset: never cut inside */
	for (n = 0; n < 3; n++) {
		memset(big, 'x', n);
		for (i = n; i + 3 < sizeof big; i += 3)
			memcpy(big + i, "\xe2\x82\xac", 3);
		big[i] = '\0';
		zinc_fail(&err, ZINC_E_IO, "%s", big);
		assert_true(zinc_utf8_valid(err.text, strlen(err.text)));
		assert_true(strlen(err.text) > sizeof err.text - 5);
		assert_string_equal(err.text + strlen(err.text) - 3, "...");
	}
	/* the reason of an errno is never cut off */
	zinc_fail_errno(&err, EACCES, "%s", big);
	assert_non_null(strstr(err.text, "...: Permission denied"));
	assert_true(zinc_utf8_valid(err.text, strlen(err.text)));
	for (i = 0; i < ZINC_MAX_NDIM; i++)
		index[i] = UINT64_MAX;
	zinc_error_at_chunk(&err, err.code, index, ZINC_MAX_NDIM);
	assert_string_equal(err.chunk + strlen(err.chunk) - 3, "...");
	/* exactly full is not too long */
	assert_int_equal(zinc_show(shown, 6, "abcde"), 5);
	assert_string_equal(shown, "abcde");
	assert_int_equal(zinc_show(shown, 6, "abcdef"), 5);
	assert_string_equal(shown, "ab...");
	assert_int_equal(zinc_show(shown, 4, "abcdef"), 3);
	assert_string_equal(shown, "...");
	assert_int_equal(zinc_show(shown, 2, "abcdef"), 0);
	assert_string_equal(shown, "");
}

/* (4) */
static void
innermost_name_stays(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	uint64_t inner[1] = {5}, outer[1] = {6};

	(void)state;
	zinc_fail(&err, ZINC_E_IO, "x");
	zinc_error_at_key(&err, err.code, "inner");
	zinc_error_at_key(&err, err.code, "outer");
	zinc_error_at_codec(&err, err.code, "gzip");
	zinc_error_at_codec(&err, err.code, "sharding_indexed");
	zinc_error_at_chunk(&err, err.code, inner, 1);
	zinc_error_at_chunk(&err, err.code, outer, 1);
	assert_string_equal(zinc_error_text(&err), "inner: chunk 5: codec gzip: x");
}

static void
text_may_come_from_the_error_itself(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;

	(void)state;
	zinc_fail(&err, ZINC_E_IO, "first");
	zinc_fail(&err, ZINC_E_CONFLICT, "second: %s", err.text);
	assert_string_equal(err.text, "second: first");
}

static void
errnos_have_their_status(void **state)
{
	static const struct {
		int errnum;
		zinc_status st;
	} rows[] = {{ENOENT, ZINC_E_NOTFOUND}, {ENOMEM, ZINC_E_NOMEM}, {EROFS, ZINC_E_READONLY},
		    {EIO, ZINC_E_IO},          {ENOSPC, ZINC_E_IO},    {EACCES, ZINC_E_IO}};
	zinc_error err = ZINC_ERROR_INIT;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		assert_int_equal(zinc_fail_errno(&err, rows[i].errnum, "open %s", "f"), rows[i].st);
		assert_int_equal(err.os_error, rows[i].errnum);
	}
	assert_string_equal(zinc_error_text(&err), "open f: Permission denied");
	zinc_fail(&err, ZINC_E_IO, "other");
	assert_int_equal(err.os_error, 0);
}

static void
rules_have_a_member(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	char big[2000];

	(void)state;
	assert_int_equal(zinc_fail_rule(NULL, ZINC_E_CORRUPT, "M84", "x"), ZINC_E_CORRUPT);
	assert_int_equal(zinc_fail_rule(&err, ZINC_E_CORRUPT, "M84", "%d bytes", 7), ZINC_E_CORRUPT);
	assert_string_equal(err.rule, "M84");
	assert_string_equal(zinc_error_text(&err), "7 bytes (rule M84)");
	assert_int_equal(err.sentence, strlen("7 bytes"));
	/* it may point into the error itself, as the text may */
	zinc_fail_rule(&err, ZINC_E_CONFLICT, err.rule, "again: %s", err.text);
	assert_string_equal(err.rule, "M84");
	assert_string_equal(err.text, "again: 7 bytes (rule M84) (rule M84)");
	zinc_fail(&err, ZINC_E_IO, "other");
	assert_string_equal(err.rule, "");
	assert_int_equal(err.sentence, 0);
	/* a place in the document, and neither is cut off */
	memset(big, 'x', sizeof big - 1);
	big[sizeof big - 1] = '\0';
	zinc_fail_rule_at(&err, ZINC_E_CORRUPT, "M49", "/fill_value", "%s", big);
	assert_string_equal(err.pointer, "/fill_value");
	assert_string_equal(err.text + err.sentence, " (rule M49, at /fill_value)");
	assert_string_equal(err.text + err.sentence - 3, "... (rule M49, at /fill_value)");
}

static void
rules_outlive_another_text(void **state)
{
	zinc_error err = ZINC_ERROR_INIT, cause = ZINC_ERROR_INIT;

	(void)state;
	zinc_fail_rule_at(&cause, ZINC_E_CORRUPT, "M49", "/fill_value", "no");
	zinc_error_by(&err, zinc_fail(&err, ZINC_E_IO, "a: %s", cause.text), &cause);
	assert_string_equal(err.text, "a: no (rule M49, at /fill_value)");
	assert_string_equal(err.rule, "M49");
	assert_string_equal(err.pointer, "/fill_value");
	assert_int_equal(zinc_error_by_rule(&err, ZINC_E_IO, "M1"), ZINC_E_IO);
	assert_string_equal(err.rule, "M49"); /* the first stays */
	zinc_fail_errno(&cause, ENOSPC, "put");
	zinc_error_by(&err, zinc_fail(&err, ZINC_E_IO, "a: %s", cause.text), &cause);
	assert_int_equal(err.os_error, ENOSPC);
	assert_int_equal(zinc_error_by(NULL, ZINC_E_IO, &cause), ZINC_E_IO);
	zinc_error_by_rule(&err, ZINC_OK, "M1");
	assert_string_equal(err.rule, "");
	zinc_error_by_rule(&err, ZINC_E_IO, "M1");
	assert_string_equal(err.rule, "M1");
}

static void
statuses_have_names(void **state)
{
	static const struct {
		zinc_status st;
		const char *name;
	} rows[] = {{ZINC_OK, "OK"},
#define ZINC_X(name, number, meaning) {(zinc_status)(number), #name},
		    ZINC_STATUS_LIST(ZINC_X)
#undef ZINC_X
	};
	size_t i;

	(void)state;
	assert_int_equal(COUNT(rows), 15);
	for (i = 0; i < COUNT(rows); i++) {
		assert_int_equal(rows[i].st, i);
		assert_string_equal(zinc_status_name(rows[i].st), rows[i].name);
		assert_true(strlen(zinc_status_text(rows[i].st)) > 0);
	}
	assert_string_equal(zinc_status_name((zinc_status)99), "E_UNKNOWN");
	assert_string_equal(zinc_status_text((zinc_status)-1), "unknown status");
}

/* Users and queries may be secrets; everything else of a URL is not. */
static void
urls_without_secrets(void **state)
{
	static const char *const rows[][2] = {
	    {"http://u:p@h:1/a?t=1", "http://h:1/a"},
	    {"http://h/a@b", "http://h/a@b"},
	    {"s3://b/k?x|zarr3:y", "s3://b/k|zarr3:y"},
	    {"a?b@c", "a?b@c"},
	    {"file:///a?b", "file:///a?b"},
	    {"http://u@", "http://"},
	    {"http://", "http://"},
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		zinc_error err = ZINC_ERROR_INIT;

		zinc_error_at_url(&err, ZINC_E_IO, rows[i][0]);
		assert_string_equal(err.url, rows[i][1]);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(urls_without_secrets),       cmocka_unit_test(null_is_accepted),
	    cmocka_unit_test(line_has_all_parts),         cmocka_unit_test(line_ends_with_the_region),
	    cmocka_unit_test(line_is_one_line_of_utf8),   cmocka_unit_test(long_texts_end_in_dots),
	    cmocka_unit_test(innermost_name_stays),       cmocka_unit_test(text_may_come_from_the_error_itself),
	    cmocka_unit_test(errnos_have_their_status),   cmocka_unit_test(rules_have_a_member),
	    cmocka_unit_test(rules_outlive_another_text), cmocka_unit_test(statuses_have_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
