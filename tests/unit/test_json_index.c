/*
 * test_json_index.c - the promises of json_index.c, by number
 */
#include <stdio.h>

#include "json/json.h"
#include "support/random.h"
#include "support/test.h"

static zinc_status
parse(const char *s, size_t n, uint32_t flags, zinc_error *err)
{
	zinc_json_doc *doc = NULL;
	zinc_status st = zinc_json_parse(&doc, NULL, s, n, flags, err);

	zinc_json_free(doc);
	return st;
}

/* (3) */
static void
last_of_duplicates_wins_when_lenient(void **state)
{
	static const char text[] = "{\"x\":1,\"a\":{\"q\":1,\"q\":2},\"x\":3,\"b\":0,\"x\":4,\"b\":5}";
	static const char other[] = "{\"a\":{\"a\":1},\"ab\":1,\"b\":1,\"a\\u0000b\":1,\"a\\u0000c\":1}";
	zinc_error err = ZINC_ERROR_INIT;
	zinc_json_doc *doc = NULL;
	zinc_json *root;
	uint64_t n;

	(void)state;
	assert_int_equal(parse(text, sizeof text - 1, 0, &err), ZINC_E_CORRUPT);
	assert_string_equal(err.text, "JSON, line 1, column 25: the object that ends here has \"q\" twice");
	assert_ok(zinc_json_parse(&doc, NULL, text, sizeof text - 1, ZINC_JSON_DUPLICATES, &err));
	root = zinc_json_root(doc);
	assert_string_equal(zinc_json_duplicate(doc), "q");
	assert_int_equal(root->n, 3);
	assert_true(zinc_json_u64(zinc_json_member(root, "x"), &n) && n == 4);
	assert_true(zinc_json_u64(zinc_json_member(root, "b"), &n) && n == 5);
	assert_true(zinc_json_u64(zinc_json_member(zinc_json_member(root, "a"), "q"), &n) && n == 2);
	assert_string_equal(root->first->key, "a");
	assert_string_equal(root->last->key, "b");
	assert_null(root->last->next);
	zinc_json_free(doc);
	/* one name inside another is not a duplicate, nor one after a NUL */
	assert_int_equal(parse(other, sizeof other - 1, 0, NULL), ZINC_OK);
	assert_ok(zinc_json_parse(&doc, NULL, "{}", 2, 0, &err));
	assert_null(zinc_json_duplicate(doc));
	zinc_json_free(doc);
}

/* (1): a million members, in an order that is bad for naive sorting, are found quickly and once */
static void
a_million_members(void **state)
{
	const unsigned N = MANY(1000000u);
	zinc_error err = ZINC_ERROR_INIT;
	zinc_json_doc *doc = NULL;
	zinc_buf b;
	uint64_t got;
	char key[16];
	unsigned i;

	(void)state;
	zinc_buf_init(&b, NULL, 64u << 20);
	assert_ok(zinc_buf_puts(&b, "{", &err));
	for (i = 0; i < N; i++)
		assert_ok(
		    zinc_buf_printf(&b, &err, "%s\"k%u\":%u", i ? "," : "", (unsigned)((uint64_t)i * 7919 % N), i));
	assert_ok(zinc_buf_puts(&b, "}", &err));
	assert_ok(zinc_json_parse(&doc, NULL, zinc_buf_text(&b), b.n, 0, &err));
	assert_int_equal(zinc_json_root(doc)->n, N);
	for (i = 0; i < N; i += 997) {
		snprintf(key, sizeof key, "k%u", (unsigned)((uint64_t)i * 7919 % N));
		assert_true(zinc_json_u64(zinc_json_member(zinc_json_root(doc), key), &got) && got == i);
	}
	zinc_json_free(doc);
	/* half of them twice */
	b.n--;
	for (i = 0; i < N / 2; i++)
		assert_ok(zinc_buf_printf(&b, &err, ",\"k%u\":0", i));
	assert_ok(zinc_buf_puts(&b, "}", &err));
	assert_int_equal(parse(zinc_buf_text(&b), b.n, 0, &err), ZINC_E_CORRUPT);
	assert_ok(zinc_json_parse(&doc, NULL, zinc_buf_text(&b), b.n, ZINC_JSON_DUPLICATES, &err));
	assert_int_equal(zinc_json_root(doc)->n, N);
	zinc_json_free(doc);
	zinc_buf_fini(&b);
}

/* (2): set and remove at random, against a plain table. */
static void
members_at_random(void **state)
{
	enum { KEYS = 200 };
	zinc_error err = ZINC_ERROR_INIT;
	zinc_json_doc *doc = NULL;
	zinc_json *object;
	uint64_t model[KEYS] = {0}, got;
	char key[16];
	size_t n = 0;
	int i, k;

	(void)state;
	assert_ok(zinc_json_new(&doc, NULL, &err));
	object = zinc_json_make(doc, ZINC_JSON_OBJECT);
	for (i = 1; i < 20000; i++) {
		k = (int)random_below(KEYS);
		snprintf(key, sizeof key, "%d", k);
		if (random_below(2)) {
			assert_int_equal(zinc_json_remove(object, key), model[k] != 0);
			n -= model[k] != 0;
			model[k] = 0;
		} else {
			assert_ok(zinc_json_set(doc, object, key, zinc_json_make_u64(doc, (uint64_t)i), &err));
			n += model[k] == 0;
			model[k] = (uint64_t)i;
		}
		assert_int_equal(object->n, n);
	}
	for (k = 0; k < KEYS; k++) {
		snprintf(key, sizeof key, "%d", k);
		if (!model[k])
			assert_null(zinc_json_member(object, key));
		else
			assert_true(zinc_json_u64(zinc_json_member(object, key), &got) && got == model[k]);
	}
	assert_true(zinc_json_equal(object, zinc_json_copy(doc, object)));
	zinc_json_free(doc);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(last_of_duplicates_wins_when_lenient),
	    cmocka_unit_test(a_million_members),
	    cmocka_unit_test(members_at_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
