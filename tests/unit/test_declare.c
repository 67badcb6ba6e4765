/* test_declare.c - adding and removing declarations, promise by promise */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "nodes.h"
#include "convention/convention.h"
#include "support/sweep.h"
#include "test.h"

#define S                "https://example.com/my/schema.json"
#define U                "12345678-1234-4234-8234-123456789abc"
#define NODE(attributes) "{\"zarr_format\": 3, \"node_type\": \"group\", \"attributes\": " attributes "}"

static const char *
attributes(forest *f)
{
	static char text[4000];
	zinc_blob json = ZINC_BLOB_INIT;

	assert_int_equal(zinc_attributes_get(f->h, "/", NULL, &json, NULL, NULL), ZINC_OK);
	snprintf(text, sizeof text, "%s", (const char *)json.data);
	zinc_blob_fini(&json);
	return text;
}

static zinc_status
add(forest *f, const char *id)
{
	return zinc_conventions_add(f->h, "/", id, ZINC_SHAPE_CURRENT, NULL, NULL);
}

/* (2): a first declaration in either shape, later ones in the same. */
static void
test_shapes(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	forest f;

	(void)state;
	forest_open(&f, "", ZINC_LENIENT);
	forest_put(&f, "zarr.json", NODE("{\"a\": 1.50}"));
	assert_ok(zinc_conventions_add(f.h, "/", S, ZINC_SHAPE_CURRENT, NULL, &err));
	assert_int_equal(add(&f, U), ZINC_OK);
	assert_int_equal(add(&f, "https://example.com/README.md"), ZINC_OK);
	assert_string_equal(attributes(&f),
			    "{\"a\":1.50,\"zarr_conventions\":[{\"schema_url\":\"" S "\"},{\"uuid\":\"" U
			    "\"},{\"spec_url\":\"https://example.com/README.md\"}]}");
	assert_int_equal(add(&f, S), ZINC_E_EXISTS);
	forest_put(&f, "zarr.json", NODE("{}"));
	assert_ok(zinc_conventions_add(f.h, "/", S, ZINC_SHAPE_LIST_2025_11, NULL, &err));
	assert_int_equal(add(&f, "license"), ZINC_OK);
	assert_non_null(strstr(attributes(&f),
			       "[{\"schema\":\"" S "\"},{\"schema\":\"https://raw.githubusercontent.com/"
			       "clbarnes/zarr-convention-license/refs/tags/v1/schema.json\",\"spec\":"));
	assert_int_equal(add(&f, U), ZINC_E_INVALID); /* no place for it */
	forest_put(&f, "zarr.json",
		   NODE("{\"zarr_conventions\": {\"version\": \"1\", \"" U "\": {\"version\": \"1\"}}}"));
	assert_int_equal(add(&f, "uom"), ZINC_OK);
	assert_non_null(strstr(attributes(&f), ",\"3bbe438d-df37-49fe-8e2b-739296d46dfb\":{\"schema\":"));
	assert_int_equal(add(&f, S), ZINC_E_INVALID);
	assert_int_equal(zinc_conventions_remove(f.h, "/", U, NULL, NULL), ZINC_OK);
	assert_null(strstr(attributes(&f), U));
	forest_put(&f, "zarr.json", NODE("{\"zarr_conventions_metadata\": {\"" U "\": {}}}"));
	assert_int_equal(add(&f, "uom"), ZINC_OK);
	assert_null(strstr(attributes(&f), "\"zarr_conventions\""));
	forest_close(&f);
}

/* A built-in name is only another way to write its identifier. */
static void
test_ids(void **state)
{
	forest f;

	(void)state;
	forest_open(&f, "", ZINC_LENIENT);
	forest_put(&f, "zarr.json", NODE("{}"));
	assert_int_equal(add(&f, "proj:"), ZINC_OK);
	assert_int_equal(add(&f, "proj"), ZINC_E_EXISTS);
	assert_int_equal(add(&f, zinc_convention_proj.schemas[2]), ZINC_E_EXISTS);
	assert_int_equal(add(&f, "nonsense"), ZINC_E_INVALID);
	assert_int_equal(add(&f, ""), ZINC_E_INVALID);
	assert_int_equal(zinc_conventions_remove(f.h, "/", "license", NULL, NULL), ZINC_E_NOTFOUND);
	assert_int_equal(zinc_conventions_remove(f.h, "/", zinc_convention_proj.schemas[1], NULL, NULL), ZINC_OK);
	assert_string_equal(attributes(&f), "{\"zarr_conventions\":[]}");
	/* two entries could be meant; by their own identifiers each can be removed */
	forest_put(
	    &f, "zarr.json",
	    NODE(
		"{\"zarr_conventions\": [{\"schema\": "
		"\"https://raw.githubusercontent.com/zarr-conventions/proj/refs/tags/v1/schema.json\"}, {\"schema\": "
		"\"https://raw.githubusercontent.com/zarr-conventions/proj/refs/tags/v0.1/schema.json\"}, {\"schema\": "
		"\"" S "\"}, {\"schema\": \"" S "\"}]}"));
	assert_int_equal(zinc_conventions_remove(f.h, "/", "proj", NULL, NULL), ZINC_E_INVALID);
	assert_int_equal(zinc_conventions_remove(f.h, "/", S, NULL, NULL), ZINC_E_INVALID);
	assert_int_equal(zinc_conventions_remove(f.h, "/", zinc_convention_proj.schemas[0], NULL, NULL), ZINC_OK);
	assert_int_equal(zinc_conventions_remove(f.h, "/", "proj", NULL, NULL), ZINC_OK);
	forest_close(&f);
}

/* (3) */
static void
test_malformed(void **state)
{
	static const char *const bad[] = {"\"x\"", "null", "{}", "{\"schema\": \"" S "\"}"};
	char document[300];
	forest f;
	size_t i;

	(void)state;
	forest_open(&f, "", ZINC_LENIENT);
	for (i = 0; i < COUNT(bad); i++) {
		snprintf(document, sizeof document, NODE("{\"zarr_conventions\": %s}"), bad[i]);
		forest_put(&f, "zarr.json", document);
		assert_int_equal(add(&f, S), ZINC_E_CORRUPT);
		assert_int_equal(zinc_conventions_remove(f.h, "/", S, NULL, NULL), ZINC_E_CORRUPT);
		assert_string_equal(forest_get(&f, "zarr.json"), document);
	}
	forest_close(&f);
}

/* (1) */
struct writer {
	zinc_hierarchy *h;
	int number;
};

static void *
declare(void *arg)
{
	const struct writer *w = arg;
	char id[100];
	int i;

	for (i = 0; i < 25; i++) {
		snprintf(id, sizeof id, "https://example.com/%d/%d.json", w->number, i);
		if (zinc_conventions_add(w->h, "/", id, ZINC_SHAPE_CURRENT, NULL, NULL) != ZINC_OK)
			return arg;
	}
	return NULL;
}

static int
count(void *arg, const zinc_convention *c)
{
	(void)c;
	++*(int *)arg;
	return 0;
}

static void
test_concurrent(void **state)
{
	struct writer w[4];
	pthread_t threads[4];
	void *failed;
	int i, n = 0;
	forest f;

	(void)state;
	forest_open(&f, "", ZINC_LENIENT);
	forest_put(&f, "zarr.json", NODE("{\"keep\": 1e400}"));
	for (i = 0; i < 4; i++) {
		w[i] = (struct writer){f.h, i};
		assert_int_equal(pthread_create(&threads[i], NULL, declare, &w[i]), 0);
	}
	for (i = 0; i < 4; i++) {
		assert_int_equal(pthread_join(threads[i], &failed), 0);
		assert_null(failed);
	}
	assert_int_equal(zinc_conventions_list(f.h, "/", count, &n, NULL, NULL), ZINC_OK);
	assert_int_equal(n, 100);
	assert_non_null(strstr(forest_get(&f, "zarr.json"), "\"keep\": 1e400"));
	forest_close(&f);
}

/* Zarr v2 keeps attributes elsewhere. */
static void
test_v2(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_blob text = ZINC_BLOB_INIT;
	zinc_hierarchy *h = NULL;
	zinc_store *s = NULL;

	(void)state;
	assert_ok(zinc_store_open(&s, "memory://declare-v2", NULL, &err));
	assert_ok(
	    zinc_group_create_url("memory://declare-v2", "{\"a\": 1}", 0, ZINC_OPEN_OPTIONS(.format = "v2"), &err));
	assert_ok(zinc_hierarchy_open_url(&h, "memory://declare-v2", NULL, &err));
	assert_ok(zinc_conventions_add(h, "/", S, ZINC_SHAPE_CURRENT, NULL, &err));
	assert_ok(zinc_store_get_all(s, ".zattrs", &text, NULL, 0, NULL, &err));
	assert_non_null(strstr(text.data, "\"zarr_conventions\""));
	zinc_blob_fini(&text);
	assert_ok(zinc_conventions_remove(h, "/", S, NULL, &err));
	zinc_hierarchy_close(h);
	zinc_store_close(s);
}

/* ---- memory ---- */

static zinc_status
scenario(void *arg, zinc_context *ctx, zinc_error *err)
{
	static const char document[] = NODE("{\"zarr_conventions\": [{\"schema_url\": \"" S "\"}]}");
	zinc_hierarchy *h = NULL;
	zinc_store *s = NULL;
	zinc_status st;

	(void)arg;
	st = zinc_store_open(&s, "memory://declare-sweep", ZINC_STORE_OPTIONS(.context = ctx), err);
	if (st == ZINC_OK)
		st = zinc_store_put(s, NULL, "zarr.json", document, strlen(document), NULL, 0, NULL, NULL, err);
	if (st == ZINC_OK)
		st = zinc_hierarchy_open(&h, s, "", ZINC_OPEN_OPTIONS(.context = ctx), err);
	if (st == ZINC_OK)
		st = zinc_conventions_add(h, "/", "license", ZINC_SHAPE_CURRENT, NULL, err);
	if (st == ZINC_OK)
		st = zinc_conventions_remove(h, "/", S, NULL, err);
	zinc_hierarchy_close(h);
	zinc_store_close(s);
	return st;
}

static void
test_memory(void **state)
{
	(void)state;
	assert_true(sweep_alloc(scenario, NULL) > 20);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_shapes),     cmocka_unit_test(test_ids), cmocka_unit_test(test_malformed),
	    cmocka_unit_test(test_concurrent), cmocka_unit_test(test_v2),  cmocka_unit_test(test_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
