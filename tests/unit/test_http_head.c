/*
 * test_http_head.c - heads of answers, by the promises of http_head.c
 */
#include <stdio.h>
#include <string.h>

#include "net/net.h"
#include "support/test.h"

/* Lines one after another. */
static zinc_http_head
read_head(const char *lines)
{
	zinc_http_head h;
	size_t n;

	zinc_http_head_init(&h);
	for (; *lines; lines += n) {
		n = strcspn(lines, "\n");
		n += lines[n] != '\0';
		zinc_http_head_line(&h, lines, n);
	}
	return h;
}

/* ---- promise 1: numbers ---- */

static void
a_plain_answer(void **state)
{
	zinc_http_head h = read_head("HTTP/1.1 206 Partial Content\r\n"
				     "Content-Length: 10\r\n"
				     "content-range:bytes 5-14/100 \r\n"
				     "ETAG: \"abc\"\r\n"
				     "Retry-After: 7\r\n\n");

	(void)state;
	assert_int_equal(h.status, 206);
	assert_string_equal(h.reason, "Partial Content");
	assert_int_equal(h.length, 10);
	assert_int_equal(h.first, 5);
	assert_int_equal(h.last, 14);
	assert_int_equal(h.total, 100);
	assert_string_equal(h.etag, "\"abc\"");
	assert_int_equal(h.retry_after, 7);
	assert_false(h.framed);
	assert_false(h.no_ranges);
	assert_false(h.encoded);
}

static void
numbers_are_whole_or_unknown(void **state)
{
	static const char *const rows[] = {
	    "", "-1", "+1", "1x", "0x1", "1 2", "1,1", "99999999999999999999", "18446744073709551615"};
	char line[128];
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		zinc_http_head h;

		zinc_http_head_init(&h);
		snprintf(line, sizeof line, "Content-Length: %s\r\n", rows[i]);
		zinc_http_head_line(&h, line, strlen(line));
		assert_true(h.length == ZINC_HTTP_UNKNOWN);
	}
	assert_int_equal(read_head("Content-Length:\t 0 \r\n").length, 0);
}

static void
ranges_are_whole_or_unknown(void **state)
{
	static const char *const rows[] = {
	    "bytes",         "bytes 1-2",   "bytes 2-1/10", "bytes 1-10/10", "lines 1-2/10",
	    "bytes -2/10",   "bytes 1-/10", "bytes 1-2/",   "bytes 1-2/x",   "bytes 99999999999999999999-2/10",
	    "bytes 1-2-3/10"};
	zinc_http_head h;
	char line[128];
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		zinc_http_head_init(&h);
		snprintf(line, sizeof line, "Content-Range: %s", rows[i]);
		zinc_http_head_line(&h, line, strlen(line));
		assert_true(h.total == ZINC_HTTP_UNKNOWN);
		if (strcmp(rows[i], "bytes 1-2/x") != 0 && strcmp(rows[i], "bytes 1-2/") != 0)
			assert_true(h.first == ZINC_HTTP_UNKNOWN);
	}
	h = read_head("Content-Range: bytes */42");
	assert_true(h.first == ZINC_HTTP_UNKNOWN);
	assert_int_equal(h.total, 42);
	h = read_head("Content-Range: BYTES 3-3/*");
	assert_int_equal(h.first, 3);
	assert_true(h.total == ZINC_HTTP_UNKNOWN);
}

/* ---- promise 2: tags ---- */

static void
tags(void **state)
{
	static const char *const none[] = {"ETag: W/\"a\"", "ETag: a",        "ETag: \"",
					   "ETag: \"a b\"", "ETag: \"\x7f\"", "ETag:"};
	char line[256] = "ETag: \"";
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(none); i++)
		assert_string_equal(read_head(none[i]).etag, "");
	assert_string_equal(read_head("ETag: \"\"").etag, "\"\"");
	memset(line + 7, 'x', 119); /* does not fit: no half tag */
	memcpy(line + 126, "\"", 2);
	assert_string_equal(read_head(line).etag, "");
	memcpy(line + 120, "\"", 2);
	assert_int_equal(strlen(read_head(line).etag), 115);
}

static void
dates(void **state)
{
	static const struct {
		const char *lines;
		bool settled;
	} rows[] = {
	    {"Date: Sun, 06 Nov 1994 08:49:37 GMT\nLast-Modified: Sun, 06 Nov 1994 08:49:35 GMT", true},
	    {"Date: Sun, 06 Nov 1994 08:49:37 GMT\nLast-Modified: Sun, 06 Nov 1994 08:49:36 GMT", false},
	    {"Date: Sun, 06 Nov 1994 08:49:37 GMT\nLast-Modified: Sun, 06 Nov 2094 08:49:35 GMT", false},
	    {"Date: Tue, 01 Mar 2022 00:00:01 GMT\nLast-Modified: Mon, 28 Feb 2022 23:59:59 GMT", true},
	    {"Date: Wed, 01 Mar 2000 00:00:01 GMT\nLast-Modified: Tue, 29 Feb 2000 23:59:59 GMT", true},
	    {"Last-Modified: Sun, 06 Nov 1994 08:49:35 GMT", false},
	    {"Date: Sun, 06 Nov 1994 08:49:37 GMT", false},
	    {"Date: Sun, 06 Nov 1994 08:49:37 GMT\nLast-Modified: Sunday, 06-Nov-94 08:49:37 GMT", false},
	    {"Date: Sun, 06 Nov 1994 08:49:37 GMT\nLast-Modified: Sun, xx Nov 1994 08:49:35 GMT", false},
	    {"Date: Sun, 06 Nov 1994 08:49:37 GMT\nLast-Modified: Sun, 06 Nix 1994 08:49:35 GMT", false},
	};
	zinc_http_head h = read_head("Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n");
	size_t i;

	(void)state;
	assert_int_equal(h.date, 784111777);
	assert_int_equal(read_head("Date: Thu, 01 Jan 1970 00:00:00 GMT").date, 0);
	for (i = 0; i < COUNT(rows); i++) {
		h = read_head(rows[i].lines);
		assert_int_equal(zinc_http_head_date_is_tag(&h), rows[i].settled);
	}
}

/* A redirection to the same path with a '/', on whatever host, is a directory; any other is none. */
static void
directories(void **state)
{
	static const struct {
		const char *location;
		bool is;
	} rows[] = {
	    {"http://h/a/b/", true},
	    {"https://other:1/a/b/", false},
	    {"/a/b/", true},
	    {"/a/b/?x=/", true},
	    {"/a/b", false},
	    {"/a/b//", false},
	    {"https://login.org/", false},
	    {"/a/", false},
	    {"/", false},
	    {"https://h/a/b/", false},
	    {"", false},
	    {"/a/c/", false},
	};
	char line[128];
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		zinc_http_head h;

		zinc_http_head_init(&h);
		h.url = "http://h/a/b?q=1";
		zinc_http_head_line(&h, "HTTP/1.1 301 Moved", 18);
		snprintf(line, sizeof line, "Location: %s", rows[i].location);
		zinc_http_head_line(&h, line, strlen(line));
		assert_int_equal(h.directory, rows[i].is);
	}
	assert_false(read_head("HTTP/1.1 301 Moved\r\nLocation: /\r\n").directory);
}

/* ---- promise 3: one answer at a time ---- */

static void
a_status_line_begins_anew(void **state)
{
	zinc_http_head h = read_head("HTTP/1.1 302 Found\r\nContent-Length: 5\r\nETag: \"x\"\r\nAccept-Ranges: none\r\n"
				     "Content-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n"
				     "HTTP/2 200\r\n");

	(void)state;
	assert_int_equal(h.status, 200);
	assert_string_equal(h.reason, "");
	assert_true(h.length == ZINC_HTTP_UNKNOWN);
	assert_string_equal(h.etag, "");
	assert_false(h.no_ranges);
	assert_false(h.encoded);
	assert_true(read_head("Content-Encoding: gzip\r\nContent-Encoding: identity\r\n").encoded);
	assert_true(h.framed); /* HTTP/2 always is */
	assert_false(read_head("HTTP/1.0 200 OK").framed);
	assert_true(read_head("HTTP/1.1 200 OK\nTransfer-Encoding: Chunked").framed);
	assert_int_equal(read_head("HTTP/1.1 20").status, 0);
	assert_int_equal(read_head("HTTP/ ").status, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_plain_answer),
	    cmocka_unit_test(numbers_are_whole_or_unknown),
	    cmocka_unit_test(ranges_are_whole_or_unknown),
	    cmocka_unit_test(tags),
	    cmocka_unit_test(dates),
	    cmocka_unit_test(directories),
	    cmocka_unit_test(a_status_line_begins_anew),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
