/*
 * test_xml.c - XML documents, by the promises of xml.c
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "net/xml.h"
#include "support/sweep.h"
#include "support/test.h"

/* Events as text: "<a" opens, ">a" closes, "'text" is text, "." is the end, "!" is bad.  In static memory. */
static const char *
events(const char *bytes, size_t n)
{
	static char out[4096];
	zinc_error err = ZINC_ERROR_INIT;
	char *copy = (char *)malloc(n ? n : 1); /* no byte after it, so that an overrun is detected */
	size_t used = 0;
	zinc_xml_event e;
	zinc_buf text;
	zinc_xml x;

	assert_non_null(copy);
	memcpy(copy, bytes, n);
	zinc_buf_init(&text, NULL, sizeof out);
	zinc_xml_init(&x, copy, n);
	do {
		e = zinc_xml_next(&x);
		zinc_buf_end(&text, 0);
		assert_ok(zinc_xml_text(&x, &text, &err));
		used += (size_t)snprintf(out + used, sizeof out - used, "%c%.*s%s", "<>'.!"[e], (int)x.nname,
					 x.name ? x.name : "", text.n ? zinc_buf_text(&text) : "");
	} while (e != ZINC_XML_END && e != ZINC_XML_BAD);
	assert_true((e == ZINC_XML_BAD) == (x.why != NULL));
	assert_int_equal(zinc_xml_next(&x), e == ZINC_XML_BAD ? ZINC_XML_BAD : ZINC_XML_END);
	zinc_buf_fini(&text);
	free(copy);
	return out;
}

typedef struct row {
	const char *document, *events;
} row;

static void
check(const row *rows, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		assert_string_equal(events(rows[i].document, strlen(rows[i].document)), rows[i].events);
}

static void
documents(void **state)
{
	static const row rows[] = {
	    {"<a/>", "<a>a."},
	    {"<a></a>", "<a>a."},
	    {"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<a> x </a>\n", "<a' x >a."},
	    {"<?xml version='1.0' encoding='utf-8'?><a/>", "<a>a."},
	    {"<?xml version=\"1.0\"?><a/>", "<a>a."},
	    {"\xef\xbb\xbf<a/>", "<a>a."},
	    {"<s3:a xmlns:s3=\"http://x/\" b = 'c>\"d'><s3:b/>t</s3:a >", "<a<b>b't>a."},
	    {"<a>&lt;&amp;&gt;&quot;&apos;&#65;&#x1F600;&#10;&#x1;</a>", "<a'<&>\"'A\xf0\x9f\x98\x80\n\x01>a."},
	    {"<a>\x7f</a>", "<a'\x7f>a."},
	    {"<a>1\r\n2\r3\n</a>", "<a'1\n2\n3\n>a."},
	    {"<a><![CDATA[<b>&amp;]]]]><![CDATA[>]]></a>", "<a'<b>&amp;]]'>>a."},
	    {"<a><![CDATA[]]></a>", "<a>a."},
	    {"<!-- <x> --><a>1<!-- 2 -->3<?p q?></a><!-- end --> <?p?>", "<a'1'3>a."},
	};

	(void)state;
	check(rows, COUNT(rows));
}

/* Promises 1 and 2. */
static void
malformed_documents(void **state)
{
	static const row rows[] = {
	    {"", "!"},
	    {" ", "!"},
	    {"x", "!"},
	    {"<a/>x", "<a>a!"},
	    {"x<a/>", "!"},
	    {"<a/><b/>", "<a>a!"},
	    {"<a></b>", "<a!"},
	    {"<a></ab>", "<a!"},
	    {"<ab></a>", "<ab!"},
	    {"<x:a></a>", "<a!"},
	    {"</a>", "!"},
	    {"<a><b></a></b>", "<a<b!"},
	    {"<a>&nbsp;</a>", "<a!"},
	    {"<a>& </a>", "<a!"},
	    {"<a>&lt</a>", "<a!"},
	    {"<a>&#0;</a>", "<a!"},
	    {"<a>&#xD800;</a>", "<a!"},
	    {"<a>&#x110000;</a>", "<a!"},
	    {"<a>&#99999999999999999999;</a>", "<a!"},
	    {"<a>&#;</a>", "<a!"},
	    {"<a>&#x;</a>", "<a!"},
	    {"<a>&#6f;</a>", "<a!"},
	    {"<a>]]></a>", "<a!"},
	    {"<a b/>", "!"},
	    {"<a b=c/>", "!"},
	    {"<a b=\"<\"/>", "!"},
	    {"<a b=\"&x;\"/>", "!"},
	    {"<a b=\"1\"c=\"2\"/>", "!"},
	    {"<a / >", "!"},
	    {"< a/>", "!"},
	    {"<1/>", "!"},
	    {"<a>\x01</a>", "!"},
	    {"<a>\xff</a>", "!"},
	    {"<a>\xed\xa0\x80</a>", "!"},
	    {"<?xml version=\"1.0\" encoding=\"UTF-16\"?><a/>", "!"},
	    {"<?xml version=\"1.0\" encoding=\"UTF-8x\"?><a/>", "!"},
	    {"<?xml encoding=?>", "!"},
	    {"<?xml encoding='utf-8?>", "!"},
	    {"<!DOCTYPE a [<!ENTITY b \"c\">]><a>&b;</a>", "!"},
	    {"<!DOCTYPE a SYSTEM \"file:///etc/passwd\"><a/>", "!"},
	    {"<a><!DOCTYPE a></a>", "<a!"},
	    {"<a><!ENTITY b \"c\"></a>", "<a!"},
	    {"<![CDATA[a]]><a/>", "!"},
	};

	(void)state;
	check(rows, COUNT(rows));
}

static const char answer[] =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    "<s:Error xmlns:s=\"http://s3.amazonaws.com/doc/2006-03-01/\"><Other><Code>No</Code></Other>"
    "<!-- c --><Code>No<![CDATA[Such]]>K&#101;y</Code><Code>Second</Code><Empty/></s:Error>";

/* Promise 1: every beginning of a document is bad. */
static void
documents_that_were_cut_off(void **state)
{
	const size_t whole = sizeof answer - 1;
	size_t n;

	(void)state;
	assert_null(strchr(events(answer, whole), '!'));
	for (n = 0; n < whole; n++)
		assert_non_null(strchr(events(answer, n), '!'));
	assert_non_null(strchr(events("<a>\0</a>", 8), '!'));
}

/* Promise 3. */
static void
depth_is_bounded(void **state)
{
	char text[40 * 7 + 1];
	int depth, k;

	(void)state;
	for (depth = ZINC_XML_DEPTH; depth <= ZINC_XML_DEPTH + 1; depth++) {
		size_t n = 0;

		for (k = 0; k < depth; k++)
			n += (size_t)snprintf(text + n, sizeof text - n, "<a>");
		for (k = 0; k < depth; k++)
			n += (size_t)snprintf(text + n, sizeof text - n, "</a>");
		assert_int_equal(strchr(events(text, n), '!') != NULL, depth > ZINC_XML_DEPTH);
	}
}

static const char *
find(const char *document, const char *path)
{
	static char text[256];
	zinc_error err = ZINC_ERROR_INIT;
	zinc_status st;
	zinc_buf out;

	zinc_buf_init(&out, NULL, 100);
	st = zinc_xml_find(document, strlen(document), path, &out, &err);
	assert_int_equal(st, err.code);
	if (st == ZINC_OK)
		snprintf(text, sizeof text, "%s", zinc_buf_text(&out));
	else
		snprintf(text, sizeof text, "%s", zinc_status_name(st));
	assert_true(st == ZINC_OK || out.n == 0);
	assert_null(strstr(zinc_error_text(&err), "canary")); /* promise 4 */
	zinc_buf_fini(&out);
	return text;
}

static void
finding_by_path(void **state)
{
	char bad[sizeof answer + 10];

	(void)state;
	assert_string_equal(find(answer, "Error/Code"), "NoSuchKey");
	assert_string_equal(find(answer, "Error/Other/Code"), "No");
	assert_string_equal(find(answer, "Error/Empty"), "");
	assert_string_equal(find(answer, "Error/Message"), zinc_status_name(ZINC_E_NOTFOUND));
	assert_string_equal(find(answer, "Code"), zinc_status_name(ZINC_E_NOTFOUND));
	assert_string_equal(find(answer, "Error/Other"), zinc_status_name(ZINC_E_CORRUPT)); /* it has elements */
	snprintf(bad, sizeof bad, "%s</x>", answer);
	assert_string_equal(find(bad, "Error/Code"), zinc_status_name(ZINC_E_CORRUPT)); /* wrong after the element */
	assert_string_equal(find("<canary>", "canary"), zinc_status_name(ZINC_E_CORRUPT));
	assert_string_equal(find("<a>&canary;</a>", "a"), zinc_status_name(ZINC_E_CORRUPT));
}

static void
skipping(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_xml x;

	(void)state;
	zinc_xml_init(&x, "<a><b><c>1</c><d/></b><e/></a>", 30);
	assert_int_equal(zinc_xml_next(&x), ZINC_XML_OPEN);
	assert_int_equal(zinc_xml_next(&x), ZINC_XML_OPEN);
	assert_true(zinc_xml_is(&x, "b") && !zinc_xml_is(&x, "bb") && !zinc_xml_is(&x, ""));
	assert_ok(zinc_xml_skip(&x, &err));
	assert_int_equal(zinc_xml_next(&x), ZINC_XML_OPEN);
	assert_true(zinc_xml_is(&x, "e"));
	assert_ok(zinc_xml_skip(&x, &err));
	assert_int_equal(zinc_xml_next(&x), ZINC_XML_CLOSE);
	assert_int_equal(zinc_xml_next(&x), ZINC_XML_END);
	zinc_xml_init(&x, "<a><b>", 6);
	assert_int_equal(zinc_xml_next(&x), ZINC_XML_OPEN);
	assert_int_equal(zinc_xml_skip(&x, &err), ZINC_E_CORRUPT);
}

static zinc_status
find_in(void *arg, zinc_context *ctx, zinc_error *err)
{
	zinc_status st;
	zinc_buf out;

	(void)arg;
	zinc_buf_init(&out, ctx, 100);
	st = zinc_xml_find(answer, sizeof answer - 1, "Error/Code", &out, err);
	zinc_buf_fini(&out);
	return st;
}

static void
memory_that_fails(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_buf out;

	(void)state;
	assert_true(sweep_alloc(find_in, NULL) > 0);
	zinc_buf_init(&out, NULL, 4);
	assert_int_equal(zinc_xml_find(answer, sizeof answer - 1, "Error/Code", &out, &err), ZINC_E_LIMIT);
	zinc_buf_fini(&out);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(documents),
	    cmocka_unit_test(malformed_documents),
	    cmocka_unit_test(documents_that_were_cut_off),
	    cmocka_unit_test(depth_is_bounded),
	    cmocka_unit_test(finding_by_path),
	    cmocka_unit_test(skipping),
	    cmocka_unit_test(memory_that_fails),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
