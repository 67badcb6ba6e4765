/* test_attributes.c - attributes, promise by promise */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "nodes.h"
#include "test.h"

/* Attributes as one line, or the name of the failure. */
static const char *
get(zinc_hierarchy *h, const char *path, const char *key)
{
	static char text[1024];
	zinc_blob json = ZINC_BLOB_INIT;
	const zinc_status st = zinc_attributes_get(h, path, key, &json, NULL, NULL);

	if (st != ZINC_OK)
		return zinc_status_name(st);
	snprintf(text, sizeof text, "%s", (const char *)json.data);
	zinc_blob_fini(&json);
	return text;
}

static zinc_status
set(zinc_hierarchy *h, const char *path, const char *key, const char *json)
{
	const zinc_attribute change = {key, json};

	return zinc_attributes_edit(h, path, &change, 1, NULL, NULL);
}

static void
test_get(void **state)
{
	forest f;

	(void)state;
	forest_open(&f, "", ZINC_LENIENT);
	forest_put(&f, "zarr.json", GROUP);
	forest_put(&f, "a/zarr.json",
		   ARRAY_WITH(", \"attributes\": {\"n\": 18446744073709551616, \"x\": 1.50, \"s\": \"\xc3\xa9\", "
			      "\"o\": {\"l\": [1, null]}}"));
	assert_string_equal(get(f.h, "/", NULL), "{}");
	assert_string_equal(get(f.h, "/", "k"), "E_NOTFOUND");
	assert_string_equal(get(f.h, "a", "n"), "18446744073709551616");
	assert_string_equal(get(f.h, "a", "x"), "1.50");
	assert_string_equal(get(f.h, "a", "o"), "{\"l\":[1,null]}");
	assert_string_equal(get(f.h, "a", NULL),
			    "{\"n\":18446744073709551616,\"x\":1.50,\"s\":\"\xc3\xa9\",\"o\":{\"l\":[1,null]}}");
	assert_string_equal(get(f.h, "/b", NULL), "E_NOTFOUND");
	forest_close(&f);
}

/* (2) */
static void
test_edit(void **state)
{
	static const zinc_attribute changes[] = {{"b", NULL}, {"c", "[1e0]"}, {"d", "\"new\""}, {"c", "2"}};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store_counts n = ZINC_STORE_COUNTS_INIT;
	forest f;

	(void)state;
	forest_open(&f, "", ZINC_LENIENT);
	forest_put(&f, "zarr.json",
		   "{\"zarr_format\": 3, \"attributes\": {\"a\": 1.50, \"b\": 0, \"c\": 0, \"z\": -0}, \"node_type\": "
		   "\"group\"}");
	forest_counts(&f);
	assert_ok(zinc_attributes_edit(f.h, "/", changes, COUNT(changes), NULL, &err));
	n = forest_counts(&f);
	assert_int_equal(n.update_calls, 1);
	assert_int_equal(n.put_calls, 0);
	assert_string_equal(forest_get(&f, "zarr.json"), "{\n  \"zarr_format\": 3,\n  \"attributes\": {\n    \"a\": "
							 "1.50,\n    \"c\": 2,\n    \"z\": -0,\n    \"d\": "
							 "\"new\"\n  },\n  \"node_type\": \"group\"\n}\n");
	/* a document without the member, and one with null for it */
	forest_put(&f, "a/zarr.json", ARRAY);
	assert_int_equal(set(f.h, "/a", "k", "true"), ZINC_OK);
	assert_string_equal(get(f.h, "/a", NULL), "{\"k\":true}");
	assert_int_equal(set(f.h, "/a", "k", NULL), ZINC_OK);
	assert_string_equal(get(f.h, "/a", NULL), "{}");
	forest_put(&f, "a/zarr.json", ARRAY_WITH(", \"attributes\": null"));
	assert_int_equal(set(f.h, "/a", "k", "1"), ZINC_OK);
	assert_string_equal(get(f.h, "/a", NULL), "{\"k\":1}");
	/* an empty key is a key */
	assert_int_equal(set(f.h, "/a", "", "{}"), ZINC_OK);
	assert_string_equal(get(f.h, "/a", ""), "{}");
	forest_close(&f);
}

/* Tokens that are not JSON, but that Python reads and writes: stored as they are, shown as strings. */
static void
test_nan(void **state)
{
	static const char document[] = "{\"zarr_format\": 3, \"node_type\": \"group\", \"attributes\": {\"a\": 1}}";
	forest f;

	(void)state;
	forest_open(&f, "", ZINC_LENIENT);
	forest_put(&f, "zarr.json", document);
	assert_int_equal(set(f.h, "/", "b", "[NaN, -Infinity]"), ZINC_OK);
	assert_non_null(strstr(forest_get(&f, "zarr.json"), "[NaN, -Infinity]"));
	assert_string_equal(get(f.h, "/", NULL), "{\"a\":1,\"b\":[\"NaN\",\"-Infinity\"]}");
	forest_close(&f);
	forest_open(&f, "", ZINC_STRICT);
	forest_put(&f, "zarr.json", document);
	assert_int_equal(set(f.h, "/", "b", "NaN"), ZINC_E_INVALID);
	forest_close(&f);
}

/* (3) */
static void
test_refused(void **state)
{
	static const char document[] = "{\"zarr_format\": 3, \"node_type\": \"group\", \"attributes\": {\"a\": 1}}";
	static const zinc_attribute half[] = {{"a", "2"}, {"b", NULL}};
	zinc_error err = ZINC_ERROR_INIT;
	forest f;

	(void)state;
	forest_open(&f, "", ZINC_LENIENT);
	forest_put(&f, "zarr.json", document);
	assert_int_equal(zinc_attributes_edit(f.h, "/", half, 2, NULL, &err), ZINC_E_NOTFOUND);
	assert_non_null(strstr(err.text, "\"b\""));
	assert_int_equal(set(f.h, "/", "a", "{"), ZINC_E_INVALID);
	assert_int_equal(set(f.h, "/", "a", ""), ZINC_E_INVALID);
	assert_int_equal(set(f.h, "/", "a", "1 2"), ZINC_E_INVALID);
	assert_int_equal(set(f.h, "/", "a", "{\"x\": 1, \"x\": 2}"), ZINC_E_INVALID);
	assert_int_equal(set(f.h, "/b", "a", "1"), ZINC_E_NOTFOUND);
	assert_string_equal(forest_get(&f, "zarr.json"), document);
	assert_string_equal(forest_keys(&f), "zarr.json");
	assert_ok(zinc_attributes_edit(f.h, "/", NULL, 0, NULL, &err)); /* nothing to do */
	forest_close(&f);
}

/* The attributes of a node with an unknown required member can be edited, and the member stays. */
static void
test_unsupported(void **state)
{
	forest f;

	(void)state;
	forest_open(&f, "", ZINC_LENIENT);
	forest_put(&f, "zarr.json", ARRAY_WITH(", \"new\": [1.0]"));
	assert_int_equal(set(f.h, "/", "k", "1"), ZINC_OK);
	assert_non_null(strstr(forest_get(&f, "zarr.json"), "\"new\": [1.0]"));
	forest_close(&f);
}

/* ---- (1) eight processes edit different keys of one document ---- */

enum { PROCESSES = 8, EDITS = 12 };

static void
edit_often(const char *url, int who)
{
	zinc_hierarchy *h = NULL;
	char key[32], value[32];
	int i;

	if (zinc_hierarchy_open_url(&h, url, ZINC_OPEN_OPTIONS(.relaxed = 1), NULL) != ZINC_OK)
		_exit(1);
	for (i = 0; i < EDITS; i++) {
		snprintf(key, sizeof key, "p%d-%d", who, i);
		snprintf(value, sizeof value, "%d", who * 1000 + i);
		if (set(h, "/a", key, value) != ZINC_OK)
			_exit(2);
		/* and count in a separate key, which is replaced each time */
		snprintf(key, sizeof key, "count%d", who);
		snprintf(value, sizeof value, "%d", i + 1);
		if (set(h, "/a", key, value) != ZINC_OK)
			_exit(3);
	}
	zinc_hierarchy_close(h);
	_exit(0);
}

static void
test_processes(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_hierarchy *h = NULL;
	pid_t pids[PROCESSES];
	char key[32], value[32];
	int who, i, status;

	(void)state;
	assert_ok(zinc_group_create_url("edits.zarr/a", "{\"first\": 1.50}", 0, NULL, &err));
	for (who = 0; who < PROCESSES; who++) {
		pids[who] = fork();
		assert_true(pids[who] >= 0);
		if (pids[who] == 0)
			edit_often("edits.zarr", who);
	}
	for (who = 0; who < PROCESSES; who++) {
		assert_int_equal(waitpid(pids[who], &status, 0), pids[who]);
		assert_int_equal(status, 0);
	}
	assert_ok(zinc_hierarchy_open_url(&h, "edits.zarr", NULL, &err));
	assert_string_equal(get(h, "/a", "first"), "1.50");
	for (who = 0; who < PROCESSES; who++) {
		snprintf(key, sizeof key, "count%d", who);
		snprintf(value, sizeof value, "%d", EDITS);
		assert_string_equal(get(h, "/a", key), value);
		for (i = 0; i < EDITS; i++) {
			snprintf(key, sizeof key, "p%d-%d", who, i);
			snprintf(value, sizeof value, "%d", who * 1000 + i);
			assert_string_equal(get(h, "/a", key), value);
		}
	}
	zinc_hierarchy_close(h);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_get),     cmocka_unit_test(test_edit),        cmocka_unit_test(test_nan),
	    cmocka_unit_test(test_refused), cmocka_unit_test(test_unsupported), cmocka_unit_test(test_processes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
