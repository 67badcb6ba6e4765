/*
 * test_keys_table.c - chunk key encodings: both built-in ones, documents, texts, registration
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zinc/extend.h>

#include "grid/grid.h"
#include "support/findings.h"
#include "support/sweep.h"
#include "support/random.h"
#include "support/test.h"

static const char *
encode(const zinc_keys *k, const uint64_t *index, int ndim)
{
	static char text[2048];
	zinc_error err = ZINC_ERROR_INIT;
	zinc_buf b;

	zinc_buf_init(&b, NULL, sizeof text);
	assert_ok(zinc_buf_puts(&b, "p/", &err)); /* it appends */
	assert_ok(zinc_keys_encode(k, index, ndim, &b, &err));
	snprintf(text, sizeof text, "%.*s", (int)b.n, (const char *)b.p);
	zinc_buf_fini(&b);
	assert_memory_equal(text, "p/", 2);
	return text + 2;
}

static zinc_keys
keys(const char *text)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_keys k;

	assert_ok(zinc_keys_parse_text(&k, NULL, text, &err));
	return k;
}

/* M43-M48 */
static void
vectors(void **state)
{
	static const struct {
		const char *text;
		int ndim;
		uint64_t index[3];
		const char *key;
	} rows[] = {
	    {"default", 3, {1, 23, 45}, "c/1/23/45"},
	    {"default/", 3, {1, 23, 45}, "c/1/23/45"},
	    {"default.", 3, {1, 23, 45}, "c.1.23.45"},
	    {"default", 0, {0}, "c"},
	    {"default.", 0, {0}, "c"},
	    {"default", 1, {0}, "c/0"},
	    {"v2", 3, {1, 23, 45}, "1.23.45"},
	    {"v2.", 3, {1, 23, 45}, "1.23.45"},
	    {"v2/", 3, {1, 23, 45}, "1/23/45"},
	    {"v2", 0, {0}, "0"},
	    {"v2/", 1, {10}, "10"},
	    {"default", 2, {0, UINT64_MAX}, "c/0/18446744073709551615"},
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		zinc_keys k = keys(rows[i].text);
		uint64_t back[3] = {7, 7, 7};

		assert_string_equal(encode(&k, rows[i].index, rows[i].ndim), rows[i].key);
		assert_true(zinc_keys_decode(&k, rows[i].key, rows[i].ndim, back));
		assert_memory_equal(back, rows[i].index, (size_t)rows[i].ndim * sizeof back[0]);
		zinc_keys_fini(&k);
	}
}

static void
keys_that_are_none(void **state)
{
	static const struct {
		const char *text;
		int ndim;
		const char *key;
	} rows[] = {
	    {"default", 2, ""},
	    {"default", 2, "c"},
	    {"default", 2, "c/"},
	    {"default", 2, "c/1"},
	    {"default", 2, "c/1/"},
	    {"default", 2, "c/1/2/"},
	    {"default", 2, "c/1/2/3"},
	    {"default", 2, "c.1.2"},
	    {"default", 2, "c/01/2"},
	    {"default", 2, "c/1/00"},
	    {"default", 2, "c/+1/2"},
	    {"default", 2, "c/-1/2"},
	    {"default", 2, "c/ 1/2"},
	    {"default", 2, "c/1 /2"},
	    {"default", 2, "c//2"},
	    {"default", 2, "d/1/2"},
	    {"default", 2, "c1/2"},
	    {"default", 2, "C/1/2"},
	    {"default", 2, "zarr.json"},
	    {"default", 0, "c/"},
	    {"default", 0, "c/0"},
	    {"default", 0, "0"},
	    {"default", 0, ""},
	    {"default", 1, "c/1x"},
	    {"default.", 2, "c/1/2"},
	    {"v2", 2, "1/2"},
	    {"v2", 2, "1."},
	    {"v2", 2, ".1"},
	    {"v2", 2, "1.2.3"},
	    {"v2", 2, "01.2"},
	    {"v2", 0, "c"},
	    {"v2", 0, "00"},
	    {"v2", 0, ""},
	    {"v2", 0, "0.0"},
	    {"v2", 1, ".zarray"},
	    {"v2", 1, ""},
	    {"default", 1, "c/18446744073709551616"},
	    {"v2", 1, "99999999999999999999"},
	};
	uint64_t index[3];
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		const zinc_keys k = keys(rows[i].text);

		if (zinc_keys_decode(&k, rows[i].key, rows[i].ndim, index))
			fail_msg("%s takes \"%s\"", rows[i].text, rows[i].key);
	}
}

/* The longest key there can be, and random ones, there and back. */
static void
there_and_back(void **state)
{
	static const char *const texts[] = {"default", "default.", "v2", "v2/"};
	uint64_t index[ZINC_MAX_NDIM], back[ZINC_MAX_NDIM];
	size_t t;
	int ndim, d;

	(void)state;
	for (t = 0; t < COUNT(texts); t++)
		for (ndim = 0; ndim <= ZINC_MAX_NDIM; ndim++) {
			const zinc_keys k = keys(texts[t]);

			for (d = 0; d < ndim; d++) {
				const uint64_t bits = random_bits();

				index[d] = ndim == ZINC_MAX_NDIM ? UINT64_MAX : bits >> (bits >> 58);
			}
			assert_true(zinc_keys_decode(&k, encode(&k, index, ndim), ndim, back));
			assert_memory_equal(back, index, (size_t)ndim * sizeof *index);
		}
}

static void
texts(void **state)
{
	static const char *const bad[] = {"", "v3", "default//", "default-", "v", "v2./", "default ", "/", "."};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_keys k;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(bad); i++)
		assert_int_equal(zinc_keys_parse_text(&k, NULL, bad[i], &err), ZINC_E_INVALID);
}

/* ---- documents ---- */

static zinc_status
parse(zinc_keys *out, const char *json, bool strict, findings *s)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_json_doc *doc = json_of(json);
	zinc_report r;
	zinc_status st;

	findings_begin(s, &r, strict);
	st = zinc_keys_parse(out, NULL, zinc_json_root(doc), &r, &err);
	assert_int_equal(err.code, st);
	zinc_json_free(doc);
	return st;
}

static const char *
print(const zinc_keys *k)
{
	zinc_json_doc *doc = json_new();

	return json_line(zinc_keys_print(k, doc), doc);
}

#define DEFAULT(separator) "{\"name\":\"default\",\"configuration\":{\"separator\":\"" separator "\"}}"
#define V2(separator)      "{\"name\":\"v2\",\"configuration\":{\"separator\":\"" separator "\"}}"

static void
documents(void **state)
{
	static const struct {
		const char *json, *print; /* NULL: fails */
		zinc_status strict;
		const char *rule, *pointer;
	} rows[] = {
	    {"\"default\"", DEFAULT("/"), ZINC_OK, "", ""},
	    {"{\"name\":\"default\"}", DEFAULT("/"), ZINC_OK, "", ""},
	    {"{\"name\":\"default\",\"configuration\":{}}", DEFAULT("/"), ZINC_OK, "", ""},
	    {DEFAULT("."), DEFAULT("."), ZINC_OK, "", ""},
	    {"\"v2\"", V2("."), ZINC_OK, "", ""},
	    {V2("/"), V2("/"), ZINC_OK, "", ""},
	    {DEFAULT("-"), NULL, ZINC_E_CORRUPT, "M44", "/configuration"},
	    {DEFAULT("//"), NULL, ZINC_E_CORRUPT, "M44", "/configuration"},
	    {DEFAULT(""), NULL, ZINC_E_CORRUPT, "M44", "/configuration"},
	    {DEFAULT("/\\u0000"), NULL, ZINC_E_CORRUPT, "M44", "/configuration"},
	    {"{\"name\":\"v2\",\"configuration\":{\"separator\":null}}", NULL, ZINC_E_CORRUPT, "M44", "/configuration"},
	    {"{\"name\":\"v2\",\"configuration\":{\"more\":1}}", V2("."), ZINC_E_CORRUPT, "M44", "/configuration"},
	    {"{\"name\":\"v2\",\"must_understand\":false}", V2("."), ZINC_E_CORRUPT, "M19", ""},
	    {"\"zarrs.default_suffix\"", NULL, ZINC_E_UNSUPPORTED, "M19", ""},
	    {"[]", NULL, ZINC_E_CORRUPT, "M11", ""},
	};
	zinc_keys k;
	size_t i;
	findings s;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		assert_int_equal(parse(&k, rows[i].json, true, &s), rows[i].strict);
		assert_string_equal(s.rule, rows[i].rule);
		assert_string_equal(s.pointer, rows[i].pointer);
		assert_int_equal(parse(&k, rows[i].json, false, &s), rows[i].print ? ZINC_OK : rows[i].strict);
		if (rows[i].print) {
			assert_string_equal(print(&k), rows[i].print);
			zinc_keys_fini(&k);
		}
	}
}

/* ---- a program's own ---- */

static zinc_status
own_open(void **self, const char *configuration, zinc_error *err)
{
	if (configuration)
		return zinc_error_set(err, ZINC_E_INVALID, "takes none");
	*self = zinc_alloc(NULL, 1);
	return *self ? ZINC_OK : zinc_error_set(err, ZINC_E_NOMEM, "");
}

static void
own_close(void *self)
{
	zinc_free(NULL, self);
}

static size_t
own_encode(void *self, const uint64_t *index, int ndim, char *out, size_t room)
{
	(void)self, (void)index, (void)ndim;
	return (size_t)snprintf(out, room, "x");
}

static int
own_decode(void *self, const char *key, int ndim, uint64_t *index)
{
	(void)self, (void)key, (void)ndim, (void)index;
	return 0;
}

static const zinc_key_encoding_def own = {.size = sizeof own,
					  .name = "test.own",
					  .open = own_open,
					  .close = own_close,
					  .encode = own_encode,
					  .decode = own_decode};

static int
count_rows(void *arg, const char *name, const char *also, const char *purpose)
{
	assert_true(name && also && purpose);
	return --*(int *)arg == 0;
}

static void
registered_keys(void **state)
{
	static const zinc_key_encoding_def lame = {.size = sizeof lame, .name = "test.lame"};
	zinc_key_encoding_def taken = own;
	zinc_error err = ZINC_ERROR_INIT;
	zinc_keys k;
	int i, left = 100;
	findings s;

	(void)state;
	taken.name = "v2";
	assert_int_equal(zinc_register_key_encoding(&taken, &err), ZINC_E_EXISTS);
	assert_int_equal(zinc_register_key_encoding(&lame, &err), ZINC_E_INVALID);
	assert_int_equal(zinc_register_key_encoding(NULL, &err), ZINC_E_INVALID);
	assert_ok(zinc_register_key_encoding(&own, &err));
	assert_int_equal(zinc_register_key_encoding(&own, &err), ZINC_E_EXISTS);
	assert_int_equal(parse(&k, "\"test.own\"", true, &s), ZINC_OK);
	assert_string_equal(print(&k), "{\"name\":\"test.own\",\"configuration\":{}}");
	zinc_keys_fini(&k);
	assert_int_equal(parse(&k, "{\"name\":\"test.own\",\"configuration\":{}}", true, &s), ZINC_E_CORRUPT);
	k = keys("test.own");
	zinc_keys_fini(&k);
	zinc_keys_fini(&k); /* twice is fine */
	zinc_list_key_encodings(count_rows, &left);
	assert_int_equal(left, 97);
	for (i = 1; i <= 3; i++) {
		int stop = i;

		zinc_list_key_encodings(count_rows, &stop);
		assert_int_equal(stop, 0);
	}
}

static zinc_status
parse_and_print(void *arg, zinc_context *ctx, zinc_error *err)
{
	static const uint64_t index[] = {1, 2};
	zinc_json_doc *doc;
	zinc_keys k;
	zinc_buf b;
	zinc_status st;

	ZINC_TRY(zinc_keys_parse_text(&k, ctx, arg, err));
	zinc_buf_init(&b, ctx, 100);
	st = zinc_keys_encode(&k, index, 2, &b, err);
	zinc_buf_fini(&b);
	if (st == ZINC_OK)
		st = zinc_json_new(&doc, ctx, err);
	if (st == ZINC_OK) {
		if (!zinc_keys_print(&k, doc))
			st = zinc_fail_nomem(err);
		zinc_json_free(doc);
	}
	zinc_keys_fini(&k);
	return st;
}

static void
every_allocation_may_fail(void **state)
{
	static char v2[] = "v2/", mine[] = "test.own";

	(void)state;
	assert_true(sweep_alloc(parse_and_print, v2) >= 2);
	assert_true(sweep_alloc(parse_and_print, mine) >= 2);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(vectors),
	    cmocka_unit_test(keys_that_are_none),
	    cmocka_unit_test(there_and_back),
	    cmocka_unit_test(texts),
	    cmocka_unit_test(documents),
	    cmocka_unit_test(registered_keys),
	    cmocka_unit_test(every_allocation_may_fail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
