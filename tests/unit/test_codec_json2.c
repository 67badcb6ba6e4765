/*
 * test_codec_json2.c - the promises of codec_json2.c, by number; the texts are output of numcodecs
 */
#include <string.h>

#include "support/chains.h"
#include "support/sweep.h"
#include "support/test.h"

#define JSON2 "[\"numcodecs.json2\"]"
#define TEXT(s)                                                                                                        \
	{                                                                                                              \
		s, sizeof(s) - 1                                                                                       \
	}

static void
assert_words(const zinc_vlen *got, const zinc_vlen *want, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		assert_int_equal(got[i].nbytes, want[i].nbytes);
		assert_memory_equal(got[i].data, want[i].data, (size_t)want[i].nbytes);
	}
}

static const zinc_vlen letters[] = {TEXT("a"), TEXT("b"), TEXT("c"), TEXT("d")};
static const uint64_t two_by_two[] = {2, 2, ENDED}, four[] = {4, ENDED}, none[] = {0, ENDED}, scalar[] = {ENDED},
		      flat[] = {2, 0, ENDED};

static void
texts(void **state)
{
	static const struct {
		const uint64_t *shape;
		const char *text;
	} rows[] = {
	    {four, "[\"a\",\"b\",\"c\",\"d\",\"|O\",[4]]"},
	    {two_by_two, "[[\"a\",\"b\"],[\"c\",\"d\"],\"|O\",[2,2]]"},
	    {scalar, "[\"a\",\"|O\",[]]"},
	    {none, "[\"|O\",[0]]"},
	    {flat, "[[],[],\"|O\",[2,0]]"},
	};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_vlen back[4];
	chain_case t;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		assert_ok(chain_init(&t, NULL, JSON2, "string", rows[i].shape, NULL, true, &err));
		assert_ok(chain_encode(&t, letters, &err));
		assert_int_equal(t.out.n, strlen(rows[i].text));
		assert_memory_equal(t.out.p, rows[i].text, t.out.n);
		assert_ok(chain_decode(&t, t.out.p, t.out.n, back, &err));
		assert_words(back, letters, chain_nbytes(&t) / sizeof *back);
		chain_fini(&t);
	}
}

/* (1), (2): what others wrote */
static void
other_texts(void **state)
{
	static const struct {
		const uint64_t *shape;
		const char *text;
		zinc_status status;
	} rows[] = {
	    {four, "[\"a\", \"b\", \"c\", \"\\u0064\", \"<U1\", [4]]", ZINC_OK},
	    {two_by_two, "[\"a\",\"b\",\"c\",\"d\",\"|O\",[4]]", ZINC_OK}, /* flattened before it was written */
	    {four, "[[\"a\",\"b\"],[\"c\",\"d\"],\"|O\",[2,2]]", ZINC_OK},
	    {four, "", ZINC_E_CORRUPT},
	    {four, "[]", ZINC_E_CORRUPT},
	    {four, "[\"|O\"]", ZINC_E_CORRUPT},
	    {four, "{}", ZINC_E_CORRUPT},
	    {four, "[\"a\",\"b\",\"c\",\"d\",\"|O\",[4]", ZINC_E_CORRUPT},
	    {four, "[\"a\",\"b\",\"c\",\"d\",\"|O\",[4]] ]", ZINC_E_CORRUPT},
	    {four, "[\"a\",\"b\",\"c\",\"d\",\"|O\",4]", ZINC_E_CORRUPT},
	    {four, "[\"a\",\"b\",\"c\",\"d\",\"|O\",[\"4\"]]", ZINC_E_CORRUPT},
	    {four, "[\"a\",\"b\",\"c\",\"d\",\"|O\",[3]]", ZINC_E_CORRUPT},
	    {four, "[\"a\",\"b\",\"c\",\"|O\",[3]]", ZINC_E_CORRUPT},
	    {four, "[\"a\",\"b\",\"c\",\"d\",\"e\",\"|O\",[5]]", ZINC_E_CORRUPT},
	    {two_by_two, "[[\"a\",\"b\"],[\"c\"],\"|O\",[2,2]]", ZINC_E_CORRUPT},
	    {two_by_two, "[[\"a\",\"b\"],\"c\",\"|O\",[2,2]]", ZINC_E_CORRUPT},
	    {two_by_two, "[[[\"a\"],\"b\"],[\"c\",\"d\"],\"|O\",[2,2]]", ZINC_E_UNSUPPORTED},
	    {four, "[1,\"b\",\"c\",\"d\",\"|O\",[4]]", ZINC_E_UNSUPPORTED},
	    {four, "[true,\"b\",\"c\",\"d\",\"|O\",[4]]", ZINC_E_UNSUPPORTED},
	    {four, "[{\"a\":1},\"b\",\"c\",\"d\",\"|O\",[4]]", ZINC_E_UNSUPPORTED},
	    {four, "[NaN,\"b\",\"c\",\"d\",\"|O\",[4]]", ZINC_E_UNSUPPORTED},
	    {four, "[\"\\ud800\",\"b\",\"c\",\"d\",\"|O\",[4]]", ZINC_E_CORRUPT},
	    {scalar, "[[\"a\"],\"|O\",[]]", ZINC_E_UNSUPPORTED},
	};
	static const char nothing[] = "[null,0,\"c\",\"d\",\"|O\",[4]]";
	static const zinc_vlen want[] = {TEXT(""), TEXT(""), TEXT("c"), TEXT("d")};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_vlen back[4];
	chain_case t;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		assert_ok(chain_init(&t, NULL, JSON2, "string", rows[i].shape, NULL, true, &err));
		if (chain_decode(&t, rows[i].text, strlen(rows[i].text), back, &err) != rows[i].status)
			fail_msg("%s: %s", rows[i].text, zinc_error_text(&err));
		if (rows[i].status == ZINC_OK)
			assert_words(back, letters, 4);
		chain_fini(&t);
	}
	assert_ok(chain_init(&t, NULL, JSON2, "string", four, NULL, true, &err));
	assert_ok(chain_decode(&t, nothing, sizeof nothing - 1, back, &err));
	assert_words(back, want, 4);
	chain_fini(&t);
}

static void
characters(void **state)
{
	static const zinc_vlen odd[] = {TEXT("\"\\\n"), TEXT("\xc3\xa9"), TEXT("\xf0\x9f\x98\x80"), TEXT("a\0b")},
			       wrong[] = {TEXT("\xff"), TEXT(""), TEXT(""), TEXT("")};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_vlen back[4];
	chain_case t;

	(void)state;
	assert_ok(chain_init(&t, NULL, JSON2, "string", four, NULL, true, &err));
	assert_ok(chain_encode(&t, odd, &err));
	assert_ok(chain_decode(&t, t.out.p, t.out.n, back, &err));
	assert_words(back, odd, 4);
	assert_int_equal(chain_encode(&t, wrong, &err), ZINC_E_RANGE);
	chain_fini(&t);
}

static void
configurations(void **state)
{
	/* as numcodecs writes it */
	static const char all[] = "[{\"name\":\"numcodecs.json2\",\"configuration\":{\"encoding\":\"utf-8\","
				  "\"skipkeys\":false,\"ensure_ascii\":true,"
				  "\"check_circular\":true,\"allow_nan\":true,\"indent\":null,\"separators\":[\",\",\":"
				  "\"],\"sort_keys\":true,"
				  "\"strict\":true}}]";
	zinc_error err = ZINC_ERROR_INIT;
	zinc_json *list = NULL;
	zinc_json_doc *doc;
	chain_case t;
	zinc_buf b;

	(void)state;
	chain_finds(JSON2, "int8", four, ZINC_E_CORRUPT, "M65", "/0");
	chain_finds(JSON2, "bytes", four, ZINC_E_CORRUPT, "M65", "/0");
	chain_finds("[{\"name\": \"numcodecs.json2\", \"configuration\": {\"encoding\": \"utf-16\"}}]", "string", four,
		    ZINC_E_UNSUPPORTED, "M20", "/0/configuration");
	chain_finds("[{\"name\": \"numcodecs.json2\", \"configuration\": {\"x\": 1}}]", "string", four, ZINC_OK,
		    "json2", "/0/configuration/x");
	assert_ok(chain_init(&t, NULL, all, "string", four, NULL, true, &err));
	assert_ok(zinc_json_new(&doc, NULL, &err));
	assert_ok(zinc_chain_print(t.chain, doc, &list, &err));
	zinc_buf_init(&b, NULL, 1000);
	assert_ok(zinc_json_print_line(list, &b, &err));
	assert_string_equal(zinc_buf_text(&b), all);
	assert_ptr_equal(zinc_codec_find_v2("json2"), t.chain->ab->ops);
	zinc_buf_fini(&b);
	zinc_json_free(doc);
	chain_fini(&t);
}

static void
limits(void **state)
{
	const zinc_limits small = {.size = sizeof small, .chunk_bytes = 64};
	static const zinc_vlen large[] = {TEXT("0123456789012345678901"), TEXT("0123456789012345678901"),
					  TEXT("0123456789012345678901"), TEXT("")};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_context *ctx = NULL;
	chain_case t;

	(void)state;
	assert_ok(zinc_context_new(&ctx, ZINC_CONTEXT_OPTIONS(.limits = &small), &err));
	assert_ok(chain_init(&t, ctx, JSON2, "string", four, NULL, true, &err));
	assert_int_equal(chain_encode(&t, large, &err), ZINC_E_LIMIT);
	chain_fini(&t);
	zinc_context_free(ctx);
}

static zinc_status
code(void *arg, zinc_context *ctx, zinc_error *err)
{
	zinc_vlen back[4];
	chain_case t;
	zinc_status st = chain_init(&t, ctx, arg, "string", two_by_two, NULL, true, err);

	if (st == ZINC_OK)
		st = chain_encode(&t, letters, err);
	if (st == ZINC_OK)
		st = chain_decode(&t, t.out.p, t.out.n, back, err);
	if (st == ZINC_OK)
		assert_words(back, letters, 4);
	chain_fini(&t);
	return st;
}

static void
memory_may_be_out(void **state)
{
	static char chain[] = "[{\"name\": \"numcodecs.json2\", \"configuration\": {\"strict\": true}}]";

	(void)state;
	assert_true(sweep_alloc(code, chain) >= 10);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(texts),          cmocka_unit_test(other_texts), cmocka_unit_test(characters),
	    cmocka_unit_test(configurations), cmocka_unit_test(limits),      cmocka_unit_test(memory_may_be_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
