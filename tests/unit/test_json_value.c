/*
 * test_json_value.c - documents in memory: reading, building, copying
 */
#include <stdio.h>

#include "json/json.h"
#include "support/sweep.h"
#include "support/test.h"

static zinc_json_doc *
parse(const char *s)
{
	zinc_json_doc *doc = NULL;
	zinc_error err = ZINC_ERROR_INIT;

	assert_ok(zinc_json_parse(&doc, NULL, s, strlen(s), 0, &err));
	return doc;
}

/* Compare with its text, and check that every list and index agrees. */
static void
assert_prints(const zinc_json *v, const char *want)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_json_doc *back;
	zinc_buf b;

	zinc_buf_init(&b, NULL, 1 << 20);
	assert_ok(zinc_json_print_line(v, &b, &err));
	assert_string_equal(zinc_buf_text(&b), want);
	back = parse(want);
	assert_true(zinc_json_equal(v, zinc_json_root(back)));
	assert_true(zinc_json_equal(zinc_json_root(back), v));
	zinc_json_free(back);
	zinc_buf_fini(&b);
}

static void
looking(void **state)
{
	zinc_json_doc *doc = parse("{\"n\":null,\"t\":true,\"f\":false,\"s\":\"x\",\"a\":[10,20,30],\"o\":{}}");
	const zinc_json *root = zinc_json_root(doc), *a = zinc_json_member(root, "a");
	bool b = false;
	uint64_t u;

	(void)state;
	assert_true(zinc_json_is(zinc_json_member(root, "n"), ZINC_JSON_NULL));
	assert_true(zinc_json_bool(zinc_json_member(root, "t"), &b) && b);
	assert_true(zinc_json_bool(zinc_json_member(root, "f"), &b) && !b);
	assert_false(zinc_json_bool(zinc_json_member(root, "n"), &b));
	assert_true(zinc_json_is_string(zinc_json_member(root, "s"), "x"));
	assert_false(zinc_json_is_string(zinc_json_member(root, "s"), "xy"));
	assert_false(zinc_json_is_string(a, "x"));
	assert_true(zinc_json_u64(zinc_json_item(a, 2), &u) && u == 30);
	assert_null(zinc_json_item(a, 3));
	assert_null(zinc_json_item(root, 0));
	assert_null(zinc_json_member(root, "z"));
	assert_null(zinc_json_member(a, "0"));
	assert_null(zinc_json_member(zinc_json_member(root, "o"), "x"));
	/* nothing, everywhere */
	assert_null(zinc_json_member(NULL, "a"));
	assert_null(zinc_json_item(NULL, 0));
	assert_false(zinc_json_is(NULL, ZINC_JSON_NULL));
	assert_false(zinc_json_is_string(NULL, ""));
	assert_false(zinc_json_bool(NULL, &b));
	assert_false(zinc_json_is_integer(NULL));
	assert_null(zinc_json_root(NULL));
	assert_ptr_equal(zinc_json_context(doc), zinc_context_get(NULL));
	zinc_json_free(doc);
	zinc_json_free(NULL);
}

static void
building(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_json_doc *doc = NULL;
	zinc_json *root, *list;

	(void)state;
	assert_ok(zinc_json_new(&doc, NULL, &err));
	assert_null(zinc_json_root(doc));
	root = zinc_json_make(doc, ZINC_JSON_OBJECT);
	zinc_json_set_root(doc, root);
	list = zinc_json_make(doc, ZINC_JSON_ARRAY);
	assert_ok(zinc_json_set(doc, root, "list", list, &err));
	assert_ok(zinc_json_append(list, zinc_json_make_u64(doc, 1), &err));
	assert_ok(zinc_json_append(list, zinc_json_make_stringn(doc, "a\0b", 3), &err));
	assert_ok(zinc_json_append(list, zinc_json_make(doc, ZINC_JSON_NULL), &err));
	assert_ok(zinc_json_set(doc, root, "b", zinc_json_make(doc, ZINC_JSON_TRUE), &err));
	assert_ok(zinc_json_set(doc, root, "a", zinc_json_make_string(doc, "\n"), &err));
	assert_prints(zinc_json_root(doc), "{\"list\":[1,\"a\\u0000b\",null],\"b\":true,\"a\":\"\\n\"}");
	/* replacing keeps the place: first, middle, last */
	assert_ok(zinc_json_set(doc, root, "b", zinc_json_make_i64(doc, -2), &err));
	assert_ok(zinc_json_set(doc, root, "list", zinc_json_make(doc, ZINC_JSON_ARRAY), &err));
	assert_ok(zinc_json_set(doc, root, "a", zinc_json_make(doc, ZINC_JSON_FALSE), &err));
	assert_prints(root, "{\"list\":[],\"b\":-2,\"a\":false}");
	assert_ok(zinc_json_set(doc, root, "z", zinc_json_make(doc, ZINC_JSON_NULL), &err));
	/* removing: middle, first, last, missing */
	assert_true(zinc_json_remove(root, "b"));
	assert_prints(root, "{\"list\":[],\"a\":false,\"z\":null}");
	assert_true(zinc_json_remove(root, "list"));
	assert_true(zinc_json_remove(root, "z"));
	assert_false(zinc_json_remove(root, "z"));
	assert_prints(root, "{\"a\":false}");
	assert_true(zinc_json_remove(root, "a"));
	assert_prints(root, "{}");
	assert_ok(zinc_json_set(doc, root, "again", zinc_json_make(doc, ZINC_JSON_OBJECT), &err));
	assert_prints(root, "{\"again\":{}}");
	assert_false(zinc_json_remove(NULL, "a"));
	assert_false(zinc_json_remove(list, "a"));
	zinc_json_free(doc);
}

static void
misuse_is_refused(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_json_doc *doc = NULL;
	zinc_json *list, *object, *v;
	static char long_key[65538];

	(void)state;
	assert_ok(zinc_json_new(&doc, NULL, &err));
	list = zinc_json_make(doc, ZINC_JSON_ARRAY);
	object = zinc_json_make(doc, ZINC_JSON_OBJECT);
	v = zinc_json_make(doc, ZINC_JSON_NULL);
	assert_int_equal(zinc_json_append(NULL, v, &err), ZINC_E_NOMEM);
	assert_int_equal(zinc_json_append(list, NULL, &err), ZINC_E_NOMEM);
	assert_int_equal(zinc_json_append(object, v, &err), ZINC_E_INVALID);
	assert_int_equal(zinc_json_append(list, list, &err), ZINC_E_INVALID);
	assert_int_equal(zinc_json_set(doc, list, "a", v, &err), ZINC_E_INVALID);
	assert_int_equal(zinc_json_set(doc, object, "a", NULL, &err), ZINC_E_NOMEM);
	assert_int_equal(zinc_json_set(doc, NULL, "a", v, &err), ZINC_E_NOMEM);
	assert_ok(zinc_json_append(list, v, &err));
	assert_int_equal(zinc_json_append(list, v, &err), ZINC_E_INVALID);
	assert_int_equal(zinc_json_set(doc, object, "a", v, &err), ZINC_E_INVALID);
	memset(long_key, 'k', sizeof long_key - 1);
	assert_int_equal(zinc_json_set(doc, object, long_key, zinc_json_make(doc, ZINC_JSON_NULL), &err), ZINC_E_LIMIT);
	assert_ok(zinc_json_set(doc, object, long_key + 1, zinc_json_make(doc, ZINC_JSON_NULL), &err));
	assert_int_equal(zinc_json_print(NULL, NULL, &err), ZINC_E_NOMEM);
	assert_null(zinc_json_copy(doc, NULL));
	assert_null(zinc_json_make_string(doc, NULL));
	zinc_json_free(doc);
}

static void
copying(void **state)
{
	static const char *const texts[] = {
	    "1",
	    "\"s\"",
	    "[]",
	    "{}",
	    "[[],{},[[]],{\"a\":{}}]",
	    "{\"b\":1.50,\"a\":[1,{\"y\":null,\"x\":\"\\u0000\"}],\"c\":true}",
	};
	zinc_error err = ZINC_ERROR_INIT;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(texts); i++) {
		zinc_json_doc *from = parse(texts[i]), *to = NULL;
		zinc_json *copy;

		assert_ok(zinc_json_new(&to, NULL, &err));
		copy = zinc_json_copy(to, zinc_json_root(from));
		zinc_json_free(from); /* nothing is shared */
		assert_prints(copy, texts[i]);
		zinc_json_free(to);
	}
	/* a part, without its name and siblings */
	{
		zinc_json_doc *from = parse("{\"a\":[1,2],\"b\":3}");
		zinc_json *part = zinc_json_copy(from, zinc_json_member(zinc_json_root(from), "a"));

		assert_true(!part->key && !part->parent && !part->next);
		assert_prints(part, "[1,2]");
		assert_prints(zinc_json_member(zinc_json_root(from), "a"), "[1,2]");
		zinc_json_free(from);
	}
}

static zinc_status
build_and_copy(void *arg, zinc_context *ctx, zinc_error *err)
{
	zinc_json_doc *doc = NULL;
	zinc_json *root, *list;
	zinc_status st;
	zinc_buf b;
	char key[16];
	int i;

	(void)arg;
	zinc_buf_init(&b, ctx, 1 << 20);
	ZINC_TRY(zinc_json_new(&doc, ctx, err));
	root = zinc_json_make(doc, ZINC_JSON_OBJECT);
	list = zinc_json_make(doc, ZINC_JSON_ARRAY);
	st = zinc_json_set(doc, root, "list", list, err);
	for (i = 0; i < 100 && st == ZINC_OK; i++) {
		snprintf(key, sizeof key, "k%d", 99 - i);
		st = zinc_json_set(doc, root, key, zinc_json_make_string(doc, key), err);
		if (st == ZINC_OK)
			st = zinc_json_append(list, zinc_json_make_double(doc, i / 7.0), err);
	}
	if (st == ZINC_OK)
		st = zinc_json_print(zinc_json_copy(doc, root), &b, err);
	zinc_buf_fini(&b);
	zinc_json_free(doc);
	return st;
}

static void
failing_allocations(void **state)
{
	(void)state;
	assert_true(sweep_alloc(build_and_copy, NULL) > 20);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(looking),
	    cmocka_unit_test(building),
	    cmocka_unit_test(misuse_is_refused),
	    cmocka_unit_test(copying),
	    cmocka_unit_test(failing_allocations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
