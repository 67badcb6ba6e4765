/*
 * test_known.c - documents that were read are not read again, where the caller asked for that
 *
 * Numbers in brackets are the promises of known.c.
 */
#include "format/known.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zinc/conventions.h>
#include <zinc/tool.h>

#include "nodes.h"
#include "test.h"

/* ---- a store that counts the gets of each document ---- */

#define KEYS 64

typedef struct counts {
	char key[KEYS][64];
	unsigned gets[KEYS];
	unsigned n;
} counts;

static void
count_get(void *arg, const char *operation, const char *key, uint64_t nbytes, zinc_status status)
{
	counts *c = arg;
	unsigned i;

	(void)status;
	if (strcmp(operation, "get") != 0 || nbytes == 0 || strncmp(key, "dst", 3) == 0)
		return;
	for (i = 0; i < c->n && strcmp(c->key[i], key) != 0; i++)
		;
	assert_true(i < KEYS);
	if (i == c->n)
		snprintf(c->key[c->n++], sizeof c->key[0], "%s", key);
	c->gets[i]++;
}

/* No document was read more than `most` times, and at least one was read. */
static void
assert_most(const counts *c, unsigned most, const char *what, const char *format)
{
	unsigned i;

	assert_true(c->n > 0);
	for (i = 0; i < c->n; i++)
		if (c->gets[i] > most)
			fail_msg("%s, %s: %s was read %u times", what, format, c->key[i], c->gets[i]);
}

/* ---- what commands do ---- */

static int
pass_node(void *arg, const zinc_node *node)
{
	++*(unsigned *)arg;
	(void)node;
	return 0;
}

static int
pass_convention(void *arg, const zinc_convention *c)
{
	(void)arg, (void)c;
	return 0;
}

static int
pass_verdict(void *arg, const zinc_verdict *v)
{
	(void)arg, (void)v;
	return 0;
}

static void
run_info(zinc_hierarchy *h, const char *path)
{
	zinc_error err = ZINC_ERROR_INIT;
	unsigned n = 0;

	assert_ok(zinc_node_stat(h, path, pass_node, &n, NULL, &err));
	assert_int_equal(n, 1);
}

static void
run_tree(zinc_hierarchy *h, const char *path)
{
	zinc_error err = ZINC_ERROR_INIT;
	unsigned n = 0;

	assert_ok(zinc_node_walk(h, path, -1, pass_node, &n, NULL, &err));
	assert_true(n > 0);
	assert_ok(zinc_conventions_list(h, path, pass_convention, NULL, NULL, &err));
}

static void
run_ls(zinc_hierarchy *h, const char *path)
{
	zinc_error err = ZINC_ERROR_INIT;
	unsigned n = 0;

	assert_ok(zinc_node_walk(h, path, 1, pass_node, &n, NULL, &err));
}

static void
run_attrs(zinc_hierarchy *h, const char *path)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_blob json = ZINC_BLOB_INIT;

	assert_ok(zinc_attributes_get(h, path, NULL, &json, NULL, &err));
	zinc_blob_fini(&json);
}

static void
run_conventions(zinc_hierarchy *h, const char *path)
{
	zinc_error err = ZINC_ERROR_INIT;
	unsigned n = 0;

	assert_ok(zinc_node_walk(h, path, -1, pass_node, &n, NULL, &err));
	assert_ok(zinc_conventions_check(NULL, h, path, pass_verdict, NULL, NULL, &err));
}

static const struct {
	const char *name;
	void (*run)(zinc_hierarchy *h, const char *path);
} commands[] = {
    {"info", run_info}, {"tree", run_tree}, {"ls", run_ls}, {"attrs", run_attrs}, {"conventions", run_conventions},
};

static const char *const formats[] = {"v3", "v2", "v3-2019", "v3-2020", "v3-2022"};

/* A group, a group and an array, each with attributes, and consolidated metadata where the version has it. */
static void
plant(forest *f, const char *format)
{
	zinc_array_options o = ZINC_ARRAY_OPTIONS_INIT;
	zinc_error err = ZINC_ERROR_INIT;
	const uint64_t shape = 4;
	zinc_array *a = NULL;

	forest_open_format(f, format);
	o.shape = &shape;
	o.ndim = 1;
	o.dtype = "int8";
	o.attributes = "{\"a\": 1}";
	assert_ok(zinc_group_create(f->h, "/", "{\"b\": 2}", 0, NULL, &err));
	assert_ok(zinc_group_create(f->h, "/g", "{\"c\": 3}", 0, NULL, &err));
	assert_ok(zinc_array_create(&a, f->h, "/g/x", &o, &err));
	zinc_array_close(a);
	if (format[2] == '\0')
		assert_ok(zinc_consolidate(f->h, "/", 0, NULL, &err));
}

/* Every command, in every version, of the root and of the array: each document is read once. */
static void
test_commands(void **state)
{
	static const char *const paths[] = {"/", "/g/x"};
	size_t i, k, p;

	(void)state;
	for (i = 0; i < COUNT(formats); i++) {
		forest f;

		plant(&f, formats[i]);
		for (k = 0; k < COUNT(commands); k++)
			for (p = 0; p < COUNT(paths); p++) {
				zinc_error err = ZINC_ERROR_INIT;
				zinc_hierarchy *h = NULL;
				zinc_store *log = NULL;
				counts c = {.n = 0};

				assert_ok(zinc_store_log(&log, f.memory, count_get, &c, &err));
				assert_ok(zinc_hierarchy_open(
				    &h, log, "",
				    ZINC_OPEN_OPTIONS(.context = f.ctx, .read_only = 1, .keep_documents = 1), &err));
				commands[k].run(h, paths[p]);
				assert_most(&c, 1, commands[k].name, formats[i]);
				zinc_hierarchy_close(h);
				zinc_store_close(log);
			}
		forest_close(&f);
	}
}

/* A copy reads each document once for its plan, also from a handle that keeps nothing; one that is copied as it is, once
 * more after the objects.  The log also shows the request for its tag, which reads nothing. */
static void
test_copy(void **state)
{
	size_t i, k;

	(void)state;
	for (i = 0; i < COUNT(formats); i++)
		for (k = 0; k < COUNT(formats); k++) {
			zinc_error err = ZINC_ERROR_INIT;
			zinc_hierarchy *from = NULL, *to = NULL;
			zinc_store *log = NULL;
			counts c = {.n = 0};
			forest f;

			plant(&f, formats[i]);
			assert_ok(zinc_store_log(&log, f.memory, count_get, &c, &err));
			assert_ok(zinc_hierarchy_open(&from, log, "", NULL, &err));
			assert_ok(zinc_hierarchy_open(&to, f.log, "dst",
						      ZINC_OPEN_OPTIONS(.format = formats[k], .create = 1), &err));
			c.n = 0;
			assert_ok(zinc_copy(from, "/g", to, "/g", ZINC_COPY_OPTIONS(.lossy = 1), NULL, &err));
			assert_most(&c, (i == k ? 2 : 1) + 1, formats[k], formats[i]);
			zinc_hierarchy_close(to);
			zinc_hierarchy_close(from);
			zinc_store_close(log);
			forest_close(&f);
		}
}

/* ---- changes of others ---- */

static int
first_attributes(void *arg, const zinc_node *node)
{
	snprintf(arg, 64, "%s", node->attributes);
	return 1;
}

static const char *
attributes_at(zinc_hierarchy *h, const char *path)
{
	static char text[64];
	zinc_error err = ZINC_ERROR_INIT;

	assert_ok(zinc_node_stat(h, path, first_attributes, text, NULL, &err));
	return text;
}

/* Without the option each call sees what is stored; with it, a document as it was read first. */
static void
test_changes(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(formats); i++) {
		const zinc_attribute change = {"c", "4"};
		zinc_error err = ZINC_ERROR_INIT;
		zinc_hierarchy *plain = NULL, *keeps = NULL;
		forest f;

		plant(&f, formats[i]);
		assert_ok(zinc_hierarchy_open(&plain, f.log, "", ZINC_OPEN_OPTIONS(.read_only = 1), &err));
		assert_ok(zinc_hierarchy_open(&keeps, f.log, "", ZINC_OPEN_OPTIONS(.read_only = 1, .keep_documents = 1),
					      &err));
		assert_string_equal(attributes_at(plain, "/g"), "{\"c\":3}");
		assert_string_equal(attributes_at(keeps, "/g"), "{\"c\":3}");
		assert_ok(zinc_attributes_edit(f.h, "/g", &change, 1, NULL, &err));
		assert_string_equal(attributes_at(plain, "/g"), "{\"c\":4}");
		assert_string_equal(attributes_at(f.h, "/g"), "{\"c\":4}");
		assert_string_equal(attributes_at(keeps, "/g"), "{\"c\":3}");
		zinc_hierarchy_close(plain);
		zinc_hierarchy_close(keeps);
		forest_close(&f);
	}
}

/* Opening by URL reads documents, too: a handle without the option does not use them later. */
static void
test_url(void **state)
{
	const zinc_attribute change = {"b", "3"};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_hierarchy *h = NULL, *reader = NULL;

	(void)state;
	assert_ok(zinc_hierarchy_open_url(&h, "memory://known/x.zarr", ZINC_OPEN_OPTIONS(.create = 1), &err));
	assert_ok(zinc_group_create(h, "/", "{\"b\": 2}", 0, NULL, &err));
	assert_ok(zinc_hierarchy_open_url(&reader, "memory://known/x.zarr", ZINC_OPEN_OPTIONS(.read_only = 1), &err));
	assert_ok(zinc_attributes_edit(h, "/", &change, 1, NULL, &err));
	assert_string_equal(attributes_at(reader, "/"), "{\"b\":3}");
	zinc_hierarchy_close(reader);
	zinc_hierarchy_close(h);
}

/* A refresh shows what is stored, and a handle that writes keeps nothing. */
static void
test_refresh(void **state)
{
	const uint64_t longer = 8;
	zinc_error err = ZINC_ERROR_INIT;
	zinc_hierarchy *h = NULL;
	zinc_array *a = NULL, *b = NULL;
	forest f;

	(void)state;
	plant(&f, "v3");
	assert_int_equal(zinc_hierarchy_open(&h, f.log, "", ZINC_OPEN_OPTIONS(.keep_documents = 1), &err),
			 ZINC_E_INVALID);
	assert_ok(zinc_hierarchy_open(&h, f.log, "", ZINC_OPEN_OPTIONS(.read_only = 1, .keep_documents = 1), &err));
	assert_ok(zinc_array_open(&a, h, "/g/x", NULL, &err));
	assert_ok(zinc_array_open(&b, f.h, "/g/x", NULL, &err));
	assert_ok(zinc_array_resize(b, &longer, NULL, &err));
	assert_int_equal(zinc_array_shape(a)[0], 4);
	assert_ok(zinc_array_refresh(a, NULL, &err));
	assert_int_equal(zinc_array_shape(a)[0], 8);
	zinc_array_close(a);
	zinc_array_close(b);
	zinc_hierarchy_close(h);
	forest_close(&f);
}

/* ---- the set itself ---- */

static uint64_t
requests_for(forest *f, zinc_known *k, const char *key)
{
	zinc_error err = ZINC_ERROR_INIT;
	char *keys[] = {(char *)key};
	zinc_fetched doc;

	forest_counts(f);
	assert_ok(zinc_known_fetch(k, f->log, keys, 1, &doc, NULL, &err));
	zinc_fetched_fini(f->ctx, &doc, 1);
	return forest_counts(f).get_requests;
}

/* (1), (2) */
static void
test_set(void **state)
{
	const zinc_fetched missing = {.found = ZINC_MISSING}, failed = {.found = ZINC_FAILED, .status = ZINC_E_IO};
	char *keys[] = {(char *)"a", (char *)"b", (char *)"c"};
	zinc_fetched docs[3], large = {.found = ZINC_FOUND, .n = (size_t)4 << 20};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_known *k;
	forest f;

	(void)state;
	forest_open(&f, "", ZINC_LENIENT);
	forest_put(&f, "a", "1");
	forest_put(&f, "b", "2");
	k = zinc_known_new(f.ctx);
	assert_non_null(k);
	zinc_known_add(k, "a", &failed, NULL);
	zinc_known_add(k, "b", &missing, NULL);
	assert_true(zinc_known_missing(k, "b"));
	assert_false(zinc_known_missing(k, "a"));
	assert_false(zinc_known_missing(NULL, "b"));
	forest_counts(&f);
	assert_ok(zinc_known_fetch(k, f.log, keys, 3, docs, NULL, &err));
	assert_int_equal(forest_counts(&f).get_requests, 2);
	assert_string_equal(docs[0].text, "1");
	assert_int_equal(docs[1].found, ZINC_MISSING);
	assert_int_equal(docs[2].found, ZINC_MISSING);
	zinc_fetched_fini(f.ctx, docs, 3);
	assert_ok(zinc_known_fetch(k, f.log, keys, 3, docs, NULL, &err));
	assert_int_equal(forest_counts(&f).get_requests, 0);
	assert_string_equal(docs[0].text, "1");
	zinc_fetched_fini(f.ctx, docs, 3);
	large.text = calloc(large.n + 1, 1);
	assert_non_null(large.text);
	zinc_known_add(k, "large", &large, NULL); /* never, alone it is too long */
	large.n /= 2;
	zinc_known_add(k, "half", &large, NULL);
	zinc_known_add(k, "other half", &large, NULL); /* there is no room left */
	free(large.text);
	assert_int_equal(requests_for(&f, k, "large"), 1);
	assert_int_equal(requests_for(&f, k, "half"), 0);
	assert_int_equal(requests_for(&f, k, "other half"), 1);
	zinc_known_free(k);
	zinc_known_free(NULL);
	forest_close(&f);
}

/* A parsed document is for the first call that fetches it. */
static void
test_parsed(void **state)
{
	char text[] = "{}", *key = (char *)"a";
	const zinc_fetched doc = {.found = ZINC_FOUND, .text = text, .n = 2};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_json_doc *parsed;
	zinc_fetched got;
	zinc_known *k;
	forest f;

	(void)state;
	forest_open(&f, "", ZINC_LENIENT);
	k = zinc_known_new(f.ctx);
	assert_non_null(k);
	assert_ok(zinc_json_parse(&parsed, f.ctx, text, 2, 0, &err));
	zinc_known_add(k, key, &doc, parsed);
	assert_ok(zinc_json_parse(&parsed, f.ctx, text, 2, 0, &err));
	zinc_known_add(NULL, key, &doc, parsed);
	assert_ok(zinc_known_fetch(k, f.log, &key, 1, &got, NULL, &err));
	assert_non_null(got.parsed);
	assert_non_null(*got.parsed);
	zinc_fetched_fini(f.ctx, &got, 1);
	assert_ok(zinc_known_fetch(k, f.log, &key, 1, &got, NULL, &err));
	assert_null(got.parsed);
	zinc_fetched_fini(f.ctx, &got, 1);
	zinc_known_free(k);
	forest_close(&f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_commands), cmocka_unit_test(test_copy),    cmocka_unit_test(test_changes),
	    cmocka_unit_test(test_url),      cmocka_unit_test(test_refresh), cmocka_unit_test(test_set),
	    cmocka_unit_test(test_parsed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
