/*
 * test_json_read.c - the promises of json_read.c, by number
 */
#include <stdio.h>
#include <stdlib.h>

#include "json/json.h"
#include "support/sweep.h"
#include "support/test.h"

/* A literal with its length, NULs and all. */
#define TEXT(literal)                                                                                                  \
	{                                                                                                              \
		literal, sizeof(literal) - 1                                                                           \
	}

struct text {
	const char *s;
	size_t n;
};

static zinc_status
parse(const char *s, size_t n, uint32_t flags, zinc_error *err)
{
	zinc_json_doc *doc = NULL;
	zinc_status st = zinc_json_parse(&doc, NULL, s, n, flags, err);

	zinc_json_free(doc);
	return st;
}

/* (1) */
static const struct text good[] = {
    TEXT("[]"),
    TEXT("{}"),
    TEXT("null"),
    TEXT("true"),
    TEXT("false"),
    TEXT("0"),
    TEXT("-0"),
    TEXT("\"\""),
    TEXT(" [ ] "),
    TEXT("\t\n\r {\t\n\r }\t\n\r "),
    TEXT("[1,2,3]"),
    TEXT("[[],[[]]]"),
    TEXT("{\"a\":{\"b\":[{}]}}"),
    TEXT("{\"\":0}"),
    TEXT("{\"a\\u0000b\":0}"),
    TEXT("[1.5e10,1E+2,1e-2,0e0,0.0,-0.0,-1.5E-07,0e+1]"),
    TEXT("[123456789012345678901234567890]"),
    TEXT("[1e999999999]"),
    TEXT("[\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\"]"),
    TEXT("[\"\\ud83d\\ude00\\uDBFF\\uDFFF\"]"),
    TEXT("[\"\\uD7FF\\uE000\\uFFFF\"]"),
    TEXT("\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\x7f\""),
    TEXT("\"\xe2\x80\xa8 \xef\xbf\xbf \xef\xbb\xbf\""), /* U+2028, a noncharacter, a BOM inside */
    TEXT("[null,true,false,\"\",0,[],{}]"),
};

static const struct text bad[] = {
    TEXT(""),
    TEXT(" "),
    TEXT("["),
    TEXT("]"),
    TEXT("{"),
    TEXT("}"),
    TEXT("[1"),
    TEXT("[1,"),
    TEXT("[1,]"),
    TEXT("[,1]"),
    TEXT("[1,,2]"),
    TEXT("[1 2]"),
    TEXT("[1}"),
    TEXT("{]"),
    TEXT("[]]"),
    TEXT("[] []"),
    TEXT("[]x"),
    TEXT("{\"a\"}"),
    TEXT("{\"a\":}"),
    TEXT("{\"a\":1,}"),
    TEXT("{,\"a\":1}"),
    TEXT("{\"a\" 1}"),
    TEXT("{\"a\"::1}"),
    TEXT("{\"a\":1 \"b\":2}"),
    TEXT("{a:1}"),
    TEXT("{'a':1}"),
    TEXT("{1:1}"),
    TEXT("{null:1}"),
    TEXT("{\"a\":1"),
    TEXT("{\"a\":1]"),
    TEXT("{\"a"),
    TEXT("nul"),
    TEXT("nulll"),
    TEXT("True"),
    TEXT("NULL"),
    TEXT("NaN"),
    TEXT("Infinity"),
    TEXT("-Infinity"),
    TEXT("nan"),
    TEXT("-"),
    TEXT("+1"),
    TEXT("01"),
    TEXT("-01"),
    TEXT("00"),
    TEXT("1."),
    TEXT(".5"),
    TEXT("-.5"),
    TEXT("1.e5"),
    TEXT("1e"),
    TEXT("1e+"),
    TEXT("1e1.5"),
    TEXT("1ee1"),
    TEXT("0x10"),
    TEXT("1_000"),
    TEXT("1,5"),
    TEXT("--1"),
    TEXT("- 1"),
    TEXT("\xd9\xa1"),     /* ARABIC-INDIC DIGIT ONE */
    TEXT("\xef\xbc\x91"), /* FULLWIDTH DIGIT ONE */
    TEXT("\""),
    TEXT("\"a"),
    TEXT("\"\\\""),
    TEXT("\"\\"),
    TEXT("\"\\x41\""),
    TEXT("\"\\a\""),
    TEXT("\"\\0\""),
    TEXT("\"\\\0\""),
    TEXT("\"\\'\""),
    TEXT("\"\\U0041\""),
    TEXT("\"\\u\""),
    TEXT("\"\\u004\""),
    TEXT("\"\\u004g\""),
    TEXT("\"\\u 041\""),
    TEXT("\"\\ud800\""), /* high alone */
    TEXT("\"\\udc00\""), /* low alone */
    TEXT("\"\\ud800x\""),
    TEXT("\"\\ud800\\n\""),
    TEXT("\"\\ud800\\ud800\""),
    TEXT("\"\\ud800\\u0041\""),
    TEXT("\"\\udc00\\ud800\""),
    TEXT("\"\\ud800\\u\""),
    TEXT("\"a\nb\""),
    TEXT("\"a\tb\""),
    TEXT("\"a\0b\""),
    TEXT("\"\x1f\""),
    TEXT("\"\x80\""),
    TEXT("\"\xff\""),
    TEXT("\"\xc0\x80\""), /* overlong NUL */
    TEXT("\"\xe2\x82\""),
    TEXT("\"\xed\xa0\x80\""),     /* a surrogate in UTF-8 */
    TEXT("\"\xf4\x90\x80\x80\""), /* past U+10FFFF */
    TEXT("\xef\xbb\xbf[]"),       /* byte order mark */
    TEXT("[]\0"),
    TEXT("\0"),
    TEXT("\v[]"),
    TEXT("[]\f"),
    TEXT("\xc2\xa0[]"), /* NO-BREAK SPACE */
    TEXT("/* c */[]"),
    TEXT("[]//c"),
    TEXT("#c\n[]"),
    TEXT("[1,2,...]"),
    TEXT("\xfe\xff\0[\0]"), /* UTF-16 */
    TEXT("[\0]\0"),
    TEXT("[\"a\0\"]"),
    TEXT("{\"a\":1,\"a\":2}"),
    TEXT("{\"a\":1,\"\\u0061\":2}"),
};

static void
exactly_the_texts_of_the_rfc(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(good); i++)
		if (parse(good[i].s, good[i].n, 0, &err) != ZINC_OK)
			fail_msg("%s: %s", good[i].s, zinc_error_text(&err));
	for (i = 0; i < COUNT(bad); i++) {
		err = (zinc_error)ZINC_ERROR_INIT;
		if (parse(bad[i].s, bad[i].n, 0, &err) != ZINC_E_CORRUPT)
			fail_msg("accepted: %s (%zu)", bad[i].s, i);
		if (!strstr(err.text, "line ") || !strstr(err.text, "column ")) /* (4) */
			fail_msg("%s: %s", bad[i].s, err.text);
	}
	assert_int_equal(parse(NULL, 0, 0, &err), ZINC_E_CORRUPT);
}

/* Every truncated text with brackets is refused; sanitizers detect reads past the end. */
static void
every_prefix_is_refused(void **state)
{
	static const char whole[] =
	    "{\"a\": [1.5e+10, true, \"\\ud83d\\ude00\xe2\x82\xac\", null], \"b\": {\"c\": -0}}";
	size_t n;

	(void)state;
	for (n = 0; n < sizeof whole; n++) {
		char *copy = (char *)malloc(n ? n : 1);

		assert_non_null(copy);
		memcpy(copy, whole, n);
		assert_int_equal(parse(copy, n, 3, NULL), n == sizeof whole - 1 ? ZINC_OK : ZINC_E_CORRUPT);
		free(copy);
	}
}

static void
nan_tokens_when_asked_for(void **state)
{
	static const char text[] = "[NaN, Infinity, -Infinity, -1]";
	static const char *const not_these[] = {"nan", "-NaN", "Inf", "+Infinity", "NaN1", "--Infinity", "-Inf"};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_json_doc *doc = NULL;
	zinc_json *v;
	size_t i;

	(void)state;
	assert_int_equal(parse(text, sizeof text - 1, 0, NULL), ZINC_E_CORRUPT);
	assert_ok(zinc_json_parse(&doc, NULL, text, sizeof text - 1, ZINC_JSON_NAN_TOKENS, &err));
	v = zinc_json_root(doc)->first;
	assert_string_equal(v->text, "NaN");
	assert_string_equal(v->next->text, "Infinity");
	assert_string_equal(v->next->next->text, "-Infinity");
	assert_true(zinc_json_is(v, ZINC_JSON_NUMBER));
	assert_false(zinc_json_is_integer(v));
	zinc_json_free(doc);
	for (i = 0; i < COUNT(not_these); i++)
		assert_int_equal(parse(not_these[i], strlen(not_these[i]), ZINC_JSON_NAN_TOKENS, NULL), ZINC_E_CORRUPT);
}

static void
strings_are_decoded(void **state)
{
	static const char text[] = "[\"a\\u0000b\", \"\\u00e9\\u20ac\\ud83d\\ude00\", \"\\\"\\\\\\/\\b\\f\\n\\r\\t\"]";
	zinc_error err = ZINC_ERROR_INIT;
	zinc_json_doc *doc = NULL;
	zinc_json *v;

	(void)state;
	assert_ok(zinc_json_parse(&doc, NULL, text, sizeof text - 1, 0, &err));
	v = zinc_json_root(doc)->first;
	assert_int_equal(v->n, 3);
	assert_memory_equal(v->text, "a\0b", 4);
	assert_string_equal(v->next->text, "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
	assert_string_equal(v->next->next->text, "\"\\/\b\f\n\r\t");
	zinc_json_free(doc);
}

static void
spelling_and_order_are_kept(void **state)
{
	static const char text[] = "{\"z\":1.50,\"a\":-0,\"m\":1E+05,\"b\":18446744073709551616,\"c\":0.10e-0}";
	static const char *const keys[] = {"z", "a", "m", "b", "c"};
	static const char *const tokens[] = {"1.50", "-0", "1E+05", "18446744073709551616", "0.10e-0"};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_json_doc *doc = NULL;
	zinc_json *v;
	size_t i = 0;

	(void)state;
	assert_ok(zinc_json_parse(&doc, NULL, text, sizeof text - 1, 0, &err));
	for (v = zinc_json_root(doc)->first; v; v = v->next, i++) {
		assert_string_equal(v->key, keys[i]);
		assert_int_equal(v->nkey, 1);
		assert_string_equal(v->text, tokens[i]);
		assert_ptr_equal(v->parent, zinc_json_root(doc));
		assert_ptr_equal(zinc_json_member(v->parent, keys[i]), v);
	}
	assert_int_equal(i, 5);
	zinc_json_free(doc);
}

/* ---- limits ---- */

static zinc_context *
context_with(zinc_limits limits, sweep_memory *m)
{
	zinc_context_options o = ZINC_CONTEXT_OPTIONS_INIT;
	zinc_error err = ZINC_ERROR_INIT;
	zinc_context *ctx = NULL;

	o.limits = &limits;
	if (m) {
		sweep_memory_init(m);
		o.allocator = &m->allocator;
	}
	assert_ok(zinc_context_new(&ctx, &o, &err));
	return ctx;
}

/* Parse with these limits. */
static zinc_status
parse_limited(zinc_limits limits, const char *s, size_t n)
{
	zinc_context *ctx = context_with(limits, NULL);
	zinc_json_doc *doc = NULL;
	zinc_status st = zinc_json_parse(&doc, ctx, s, n, 0, NULL);

	zinc_json_free(doc);
	zinc_context_free(ctx);
	return st;
}

static void
limits_are_kept(void **state)
{
	zinc_limits depth = {.size = sizeof(zinc_limits), .json_depth = 3},
		    values = {.size = sizeof(zinc_limits), .json_values = 4},
		    bytes = {.size = sizeof(zinc_limits), .json_bytes = 5};

	(void)state;
	assert_int_equal(parse_limited(depth, "[[[]]]", 6), ZINC_OK);
	assert_int_equal(parse_limited(depth, "[[[]],[[]]]", 11), ZINC_OK);
	assert_int_equal(parse_limited(depth, "[[[[]]]]", 8), ZINC_E_LIMIT);
	assert_int_equal(parse_limited(depth, "{\"a\":[{\"b\":{}}]}", 16), ZINC_E_LIMIT);
	assert_int_equal(parse_limited(values, "[1,2,3]", 7), ZINC_OK);
	assert_int_equal(parse_limited(values, "[1,2,3,4]", 9), ZINC_E_LIMIT);
	assert_int_equal(parse_limited(bytes, "[1,2]", 5), ZINC_OK);
	assert_int_equal(parse_limited(bytes, "[1,2] ", 6), ZINC_E_LIMIT);
}

/* Long names and numbers: at the limit, and one past it. */
static void
tokens_have_limits(void **state)
{
	enum { KEY = 65536, NUMBER = 1000 };
	char *s = (char *)malloc(KEY + 20);
	size_t extra;

	(void)state;
	assert_non_null(s);
	for (extra = 0; extra < 2; extra++) {
		zinc_status want = extra ? ZINC_E_LIMIT : ZINC_OK;

		memset(s, '9', NUMBER + extra);
		assert_int_equal(parse(s, NUMBER + extra, 0, NULL), want);
		memcpy(s, "{\"", 2);
		memset(s + 2, 'k', KEY + extra);
		memcpy(s + 2 + KEY + extra, "\":1}", 4);
		assert_int_equal(parse(s, KEY + extra + 6, 0, NULL), want);
		s[1] = '"';
	}
	/* strings that are not names have no separate limit */
	memset(s, 'k', KEY + 10);
	s[0] = s[KEY + 9] = '"';
	assert_int_equal(parse(s, KEY + 10, 0, NULL), ZINC_OK);
	free(s);
}

/* (2) */
static void
a_million_brackets(void **state)
{
	enum { N = 1000000 };
	static const char *const openings[] = {"[", "{\"a\":"};
	zinc_limits none = {.size = sizeof(zinc_limits), .json_depth = 0},
		    deep = {.size = sizeof(zinc_limits), .json_depth = N + 1};
	sweep_memory m;
	zinc_context *ctx = context_with(none, &m);
	zinc_error err = ZINC_ERROR_INIT;
	zinc_json_doc *doc = NULL;
	zinc_buf b, out;
	size_t k, i;

	(void)state;
	zinc_buf_init(&b, NULL, 64u << 20);
	for (k = 0; k < COUNT(openings); k++) {
		b.n = 0;
		for (i = 0; i < N; i++)
			assert_ok(zinc_buf_puts(&b, openings[k], &err));
		m.peak = 0;
		assert_int_equal(zinc_json_parse(&doc, ctx, zinc_buf_text(&b), b.n, 0, &err), ZINC_E_LIMIT);
		assert_true(m.peak < 256 * 1024);
		assert_int_equal(zinc_json_parse(&doc, ctx, zinc_buf_text(&b), b.n, 3, &err), ZINC_E_LIMIT);
	}
	zinc_context_free(ctx);
	assert_int_equal(m.blocks, 0);
	/* with the limit out of the way it is read, copied, compared and printed, all without recursion */
	ctx = context_with(deep, NULL);
	assert_ok(zinc_buf_puts(&b, "1", &err));
	for (i = 0; i < N; i++)
		assert_ok(zinc_buf_puts(&b, "}", &err));
	assert_ok(zinc_json_parse(&doc, ctx, zinc_buf_text(&b), b.n, 0, &err));
	zinc_buf_init(&out, NULL, 64u << 20);
	assert_true(zinc_json_equal(zinc_json_copy(doc, zinc_json_root(doc)), zinc_json_root(doc)));
	assert_ok(zinc_json_print_line(zinc_json_root(doc), &out, &err));
	assert_int_equal(out.n, b.n);
	assert_memory_equal(out.p, b.p, b.n);
	zinc_json_free(doc);
	zinc_buf_fini(&out);
	zinc_buf_fini(&b);
	zinc_context_free(ctx);
}

/* (4) */
static void
refusals_name_the_place(void **state)
{
	static const struct {
		const char *s, *want;
	} rows[] = {
	    {"[1,]", "JSON, line 1, column 4: a value expected, not ']'"},
	    {"{\n  \"a\": 1,\n  b\n}", "JSON, line 3, column 3: a name in quotes expected, not 'b'"},
	    {"[\"\xc3\xa9\xc3\xa9\", x]", "JSON, line 1, column 8: a value expected, not 'x'"},
	    {"{\"a\" 1}", "JSON, line 1, column 6: ':' expected, not '1'"},
	    {"{\"a\":1", "JSON, line 1, column 7: ',' or '}' expected, but the text ends"},
	    {"[1\x01]", "JSON, line 1, column 3: ',' or ']' expected, not byte 0x01"},
	    {"[\"\\q\"]", "JSON, line 1, column 3: unknown escape"},
	    {"[\"abc", "JSON, line 1, column 3: the string is not closed"},
	    {"[] []", "JSON, line 1, column 4: the end expected, not '['"},
	    {"\n\n\"\\ud800\"", "JSON, line 3, column 8: an unpaired surrogate"},
	    {"\"\xff\"", "JSON, line 1, column 2: not valid UTF-8"},
	};
	zinc_error err = ZINC_ERROR_INIT;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		assert_int_equal(parse(rows[i].s, strlen(rows[i].s), 0, &err), ZINC_E_CORRUPT);
		assert_string_equal(err.text, rows[i].want);
	}
}

/* ---- sweeps ---- */

static zinc_status
parse_scenario(void *arg, zinc_context *ctx, zinc_error *err)
{
	static const char text[] = "{\"b\":[1,2.5,\"x\\n\"],\"a\":{\"z\":1,\"y\":2,\"x\":3,\"z\":0},\"c\":null}";
	zinc_json_doc *doc = NULL;

	(void)arg;
	ZINC_TRY(zinc_json_parse(&doc, ctx, text, sizeof text - 1, ZINC_JSON_DUPLICATES, err));
	zinc_json_free(doc);
	return ZINC_OK;
}

/* Large enough for many blocks. */
static zinc_status
parse_large(void *arg, zinc_context *ctx, zinc_error *err)
{
	const zinc_buf *text = (const zinc_buf *)arg;
	zinc_json_doc *doc = NULL;

	ZINC_TRY(zinc_json_parse(&doc, ctx, (const char *)text->p, text->n, 0, err));
	zinc_json_free(doc);
	return ZINC_OK;
}

static void
failing_allocations(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_buf b;
	int i;

	(void)state;
	assert_true(sweep_alloc(parse_scenario, NULL) >= 8);
	zinc_buf_init(&b, NULL, 1 << 20);
	for (i = 0; i < 500; i++)
		assert_ok(zinc_buf_printf(&b, &err, "%s{\"k%d\":[%d,\"%0500d\"]}", i ? "," : "[", i, i, i));
	assert_ok(zinc_buf_puts(&b, "]", &err));
	assert_true(sweep_alloc(parse_large, &b) > 1000);
	zinc_buf_fini(&b);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(exactly_the_texts_of_the_rfc), cmocka_unit_test(every_prefix_is_refused),
	    cmocka_unit_test(nan_tokens_when_asked_for),    cmocka_unit_test(strings_are_decoded),
	    cmocka_unit_test(spelling_and_order_are_kept),  cmocka_unit_test(limits_are_kept),
	    cmocka_unit_test(tokens_have_limits),           cmocka_unit_test(a_million_brackets),
	    cmocka_unit_test(refusals_name_the_place),      cmocka_unit_test(failing_allocations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
