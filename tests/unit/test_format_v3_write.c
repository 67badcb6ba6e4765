/* test_format_v3_write.c - creating, editing and erasing, promise by promise */
#include <pthread.h>
#include <zinc/tool.h>
#include <stdio.h>
#include <string.h>

#include "fault.h"
#include "format/format.h"
#include "nodes.h"
#include "test.h"

/* The requests to a store, in order; and changes of another writer in between. */
struct script {
	char log[4096];
	forest *f;
	const char *when_key; /* after a change of this key ... */
	bool on_get;          /* ... or a read of it ... */
	const char *put_key;  /* ... another writer puts this */
	const char *put_text;
	int times;
};

static void
follow(void *arg, const char *operation, const char *key, uint64_t nbytes, zinc_status st)
{
	struct script *s = arg;
	const size_t n = strlen(s->log);

	(void)nbytes, (void)st;
	if (strcmp(operation, "get") != 0)
		snprintf(s->log + n, sizeof s->log - n, "%s%s %s", n ? ", " : "", operation, key);
	if (s->times > 0 && (strcmp(operation, "get") == 0) == s->on_get && strcmp(key, s->when_key) == 0) {
		s->times--;
		forest_put(s->f, s->put_key, s->put_text);
	}
}

/* A hierarchy over the forest's memory that follows a script. */
static zinc_hierarchy *
open_scripted(forest *f, struct script *s, zinc_store **log)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_hierarchy *h = NULL;

	s->f = f;
	assert_ok(zinc_store_log(log, f->memory, follow, s, &err));
	assert_ok(zinc_hierarchy_open(&h, *log, "", ZINC_OPEN_OPTIONS(.create = 1), &err));
	return h;
}

/* ---- (1) ancestors ---- */

static void
test_ancestors(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	forest f;

	(void)state;
	forest_open(&f, "root", ZINC_LENIENT);
	assert_ok(zinc_group_create(f.h, "/a/b/c", NULL, 0, NULL, &err));
	assert_string_equal(forest_keys(&f), "root/a/b/c/zarr.json root/a/b/zarr.json root/a/zarr.json root/zarr.json");
	assert_string_equal(forest_get(&f, "root/a/zarr.json"),
			    "{\n  \"zarr_format\": 3,\n  \"node_type\": \"group\",\n  \"attributes\": {}\n}\n");
	forest_put(&f, "root/a/zarr.json", GROUP);
	assert_ok(zinc_group_create(f.h, "/a/d", "{\"k\": 1}", 0, NULL, &err));
	assert_string_equal(forest_get(&f, "root/a/zarr.json"), GROUP);
	forest_close(&f);
}

static void
test_bad_ancestors(void **state)
{
	static const struct {
		const char *document;
		zinc_status status;
	} cases[] = {
	    {ARRAY, ZINC_E_INVALID},
	    {"{", ZINC_E_CORRUPT},
	    {"{\"zarr_format\": 3, \"node_type\": \"group\", \"new\": 1}", ZINC_E_UNSUPPORTED},
	};
	forest f;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(cases); i++) {
		zinc_error err = ZINC_ERROR_INIT;

		forest_open(&f, "", ZINC_LENIENT);
		forest_put(&f, "zarr.json", GROUP);
		forest_put(&f, "a/zarr.json", cases[i].document);
		assert_int_equal(zinc_group_create(f.h, "/a/b/c", NULL, 0, NULL, &err), cases[i].status);
		assert_string_equal(err.key, "a/zarr.json");
		assert_string_equal(forest_keys(&f), "a/zarr.json zarr.json");
		forest_close(&f);
	}
}

/* ---- (2) creation ---- */

static void
test_create_once(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store_counts n = ZINC_STORE_COUNTS_INIT;
	forest f;

	(void)state;
	forest_open(&f, "", ZINC_LENIENT);
	assert_ok(zinc_group_create(f.h, "/", NULL, 0, NULL, &err));
	forest_counts(&f);
	assert_ok(zinc_group_create(f.h, "/a", NULL, 0, NULL, &err));
	n = forest_counts(&f);
	assert_int_equal(n.put_calls, 1);
	assert_int_equal(n.get_calls, 2); /* the parent's document, before and after */
	assert_int_equal(n.list_calls, 0);
	assert_int_equal(zinc_group_create(f.h, "/a", NULL, 0, NULL, &err), ZINC_E_EXISTS);
	assert_string_equal(err.key, "a/zarr.json");
	assert_int_equal(zinc_group_create(f.h, "/", NULL, 0, NULL, &err), ZINC_E_EXISTS);
	forest_close(&f);
}

struct racer {
	zinc_hierarchy *h;
	zinc_status status;
};

static void *
race(void *arg)
{
	struct racer *r = arg;

	r->status = zinc_group_create(r->h, "/a/b", NULL, 0, NULL, NULL);
	return NULL;
}

static void
test_create_race(void **state)
{
	struct racer racers[8];
	pthread_t threads[8];
	unsigned won = 0;
	forest f;
	size_t i;

	(void)state;
	forest_open(&f, "", ZINC_LENIENT);
	for (i = 0; i < 8; i++) {
		racers[i].h = f.h;
		assert_int_equal(pthread_create(&threads[i], NULL, race, &racers[i]), 0);
	}
	for (i = 0; i < 8; i++) {
		pthread_join(threads[i], NULL);
		won += racers[i].status == ZINC_OK;
		assert_true(racers[i].status == ZINC_OK || racers[i].status == ZINC_E_EXISTS);
	}
	assert_int_equal(won, 1);
	assert_string_equal(forest_keys(&f), "a/b/zarr.json a/zarr.json zarr.json");
	forest_close(&f);
}

/* Another writer makes the parent between the read and the put: a group is accepted, an array is not. */
static void
test_parent_race(void **state)
{
	static const struct {
		const char *document;
		zinc_status status;
	} cases[] = {{GROUP, ZINC_OK}, {ARRAY, ZINC_E_INVALID}};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(cases); i++) {
		struct script s = {.when_key = "a/zarr.json",
				   .on_get = true,
				   .put_key = "a/zarr.json",
				   .put_text = cases[i].document,
				   .times = 1};
		zinc_error err = ZINC_ERROR_INIT;
		zinc_store *log = NULL;
		zinc_hierarchy *h;
		forest f;

		forest_open(&f, "", ZINC_LENIENT);
		h = open_scripted(&f, &s, &log);
		assert_int_equal(zinc_group_create(h, "/a/b", NULL, 0, NULL, &err), cases[i].status);
		assert_int_equal(s.times, 0);
		assert_string_equal(forest_get(&f, "a/zarr.json"), cases[i].document);
		assert_int_equal(forest_get(&f, "a/b/zarr.json") != NULL, cases[i].status == ZINC_OK);
		zinc_hierarchy_close(h);
		zinc_store_close(log);
		forest_close(&f);
	}
}

static void
test_read_only(void **state)
{
	static const zinc_attribute change = {"k", "1"};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_hierarchy *h = NULL;
	forest f;

	(void)state;
	forest_open(&f, "", ZINC_LENIENT);
	assert_ok(zinc_group_create(f.h, "/a", NULL, 0, NULL, &err));
	assert_ok(zinc_hierarchy_open(&h, f.memory, "", ZINC_OPEN_OPTIONS(.read_only = 1), &err));
	assert_int_equal(zinc_group_create(h, "/b", NULL, 0, NULL, &err), ZINC_E_READONLY);
	assert_int_equal(zinc_group_create(h, "/a", NULL, 1, NULL, &err), ZINC_E_READONLY);
	assert_int_equal(zinc_node_erase(h, "/a", NULL, &err), ZINC_E_READONLY);
	assert_int_equal(zinc_attributes_edit(h, "/a", &change, 1, NULL, &err), ZINC_E_READONLY);
	assert_int_equal(zinc_consolidate(h, "/", 0, NULL, &err), ZINC_E_READONLY);
	assert_int_equal(zinc_node_copy(h, "/a", h, "/b", NULL, &err), ZINC_E_READONLY);
	assert_string_equal(forest_keys(&f), "a/zarr.json zarr.json");
	zinc_hierarchy_close(h);
	forest_close(&f);
}

/* ---- (3) editing ---- */

static zinc_status
set_shape(void *arg, const zinc_meta *stored, zinc_json_doc *doc, zinc_error *err)
{
	zinc_json *list = zinc_json_make(doc, ZINC_JSON_ARRAY);

	assert_int_equal(stored->kind, ZINC_NODE_ARRAY);
	ZINC_TRY(zinc_json_append(list, zinc_json_make_i64(doc, *(int *)arg), err));
	return zinc_json_set(doc, zinc_json_root(doc), "shape", list, err);
}

static void
test_edit(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store_counts n = ZINC_STORE_COUNTS_INIT;
	zinc_meta *m = NULL;
	int shape = 9;
	forest f;

	(void)state;
	forest_open(&f, "", ZINC_LENIENT);
	forest_put(&f, "a/zarr.json",
		   ARRAY_WITH(", \"new\": {\"must_understand\": false, \"x\": 1.50e+3}, \"attributes\": {\"n\": "
			      "18446744073709551616}"));
	assert_ok(zinc_edit_node(f.h, "/a", set_shape, &shape, &m, &err));
	assert_int_equal(m->shape[0], 9);
	assert_int_equal(m->tag.n, 0);
	zinc_meta_free(m);
	assert_non_null(strstr(forest_get(&f, "a/zarr.json"), "\"x\": 1.50e+3"));
	assert_non_null(strstr(forest_get(&f, "a/zarr.json"), "\"n\": 18446744073709551616"));
	assert_non_null(strstr(forest_get(&f, "a/zarr.json"), "\"shape\": [9]"));
	/* nothing to change, nothing put */
	forest_counts(&f);
	assert_ok(zinc_edit_node(f.h, "/a", set_shape, &shape, NULL, &err));
	n = forest_counts(&f);
	assert_int_equal(n.put_calls, 0);
	forest_close(&f);
}

static void
test_edit_refused(void **state)
{
	static const struct {
		const char *document;
		int shape;
		zinc_status status;
	} cases[] = {
	    {ARRAY, -1, ZINC_E_INVALID},                                               /* the editor's fault */
	    {"{}", 1, ZINC_E_CORRUPT},                                                 /* the document's */
	    {ARRAY_WITH(", \"attributes\": {\"a\": 1, \"a\": 2}"), 1, ZINC_E_CORRUPT}, /* a rewrite would lose one */
	};
	forest f;
	size_t i;

	(void)state;
	forest_open(&f, "", ZINC_LENIENT);
	for (i = 0; i < COUNT(cases); i++) {
		zinc_error err = ZINC_ERROR_INIT;
		int shape = cases[i].shape;

		forest_put(&f, "a/zarr.json", cases[i].document);
		assert_int_equal(zinc_edit_node(f.h, "/a", set_shape, &shape, NULL, &err), cases[i].status);
		assert_string_equal(err.key, "a/zarr.json");
		assert_string_equal(forest_get(&f, "a/zarr.json"), cases[i].document);
	}
	assert_int_equal(zinc_edit_node(f.h, "/b", set_shape, &(int){1}, NULL, NULL), ZINC_E_NOTFOUND);
	assert_null(forest_get(&f, "b/zarr.json"));
	forest_close(&f);
}

/* ---- (4) erasing ---- */

static void
plant(forest *f)
{
	forest_put(f, "zarr.json", GROUP);
	forest_put(f, "g/zarr.json", GROUP);
	forest_put(f, "g/a/zarr.json", ARRAY);
	forest_put(f, "g/a/c/0", "1122");
	forest_put(f, "g/a/c/1", "1122");
	forest_put(f, "g/h/b/zarr.json", ARRAY);
	forest_put(f, "g/h/b/c/0", "1122");
	forest_put(f, "ga/zarr.json", ARRAY);
}

static void
test_erase(void **state)
{
	struct script s = {.times = 0};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *log = NULL;
	zinc_hierarchy *h;
	forest f;

	(void)state;
	forest_open(&f, "", ZINC_LENIENT);
	plant(&f);
	h = open_scripted(&f, &s, &log);
	s.log[0] = '\0';
	assert_ok(zinc_node_erase(h, "g", NULL, &err));
	/* all keys are checked first; then documents are erased, its own before the others */
	assert_true(strstr(s.log, "list g/") < strstr(s.log, "del g/zarr.json"));
	assert_true(strstr(s.log, "del g/zarr.json") < strstr(s.log, "del g/a/zarr.json"));
	assert_true(strstr(s.log, "del g/a/zarr.json") < strstr(s.log, "del_prefix"));
	assert_string_equal(forest_keys(&f), "ga/zarr.json zarr.json");
	assert_int_equal(zinc_node_erase(h, "g", NULL, &err), ZINC_E_NOTFOUND);
	/* an array's chunks are checked, too */
	s.log[0] = '\0';
	assert_ok(zinc_node_erase(h, "ga", NULL, &err));
	assert_non_null(strstr(s.log, "list ga/"));
	assert_ok(zinc_node_erase(h, "/", NULL, &err));
	assert_string_equal(forest_keys(&f), "");
	zinc_hierarchy_close(h);
	zinc_store_close(log);
	forest_close(&f);
}

/* No array with a document has lost a chunk. */
static void
assert_nothing_torn(forest *f)
{
	if (forest_get(f, "g/a/zarr.json"))
		assert_true(forest_get(f, "g/a/c/0") && forest_get(f, "g/a/c/1"));
	if (forest_get(f, "g/h/b/zarr.json"))
		assert_non_null(forest_get(f, "g/h/b/c/0"));
}

static void
test_erase_interrupted(void **state)
{
	uint64_t at;
	zinc_status st = ZINC_E_IO;

	(void)state;
	for (at = 1; st != ZINC_OK; at++) {
		const zinc_fault plan = {.at = at, .forever = 1, .status = ZINC_E_IO}, none = {.at = 0};
		zinc_error err = ZINC_ERROR_INIT;
		zinc_store *fault = NULL;
		zinc_hierarchy *h = NULL;
		forest f;

		forest_open(&f, "", ZINC_LENIENT);
		plant(&f);
		assert_ok(zinc_store_fault(&fault, f.memory, &err));
		assert_ok(zinc_hierarchy_open(&h, fault, "", NULL, &err));
		zinc_store_fault_set(fault, &plan);
		st = zinc_node_erase(h, "g", NULL, &err);
		assert_true(st == ZINC_OK || st == ZINC_E_IO);
		assert_nothing_torn(&f);
		zinc_store_fault_set(fault, &none);
		if (st != ZINC_OK) {
			const zinc_status again =
			    zinc_node_erase_with(h, "g", ZINC_ERASE_OPTIONS(.force = 1), NULL, &err);

			assert_true(again == ZINC_OK || again == ZINC_E_NOTFOUND);
		}
		assert_string_equal(forest_keys(&f), "ga/zarr.json zarr.json");
		zinc_hierarchy_close(h);
		zinc_store_close(fault);
		forest_close(&f);
	}
	assert_true(at > 5);
}

/* Damaged nodes and leftovers can be erased with force. */
static void
test_erase_damaged(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	forest f;

	(void)state;
	forest_open(&f, "", ZINC_LENIENT);
	plant(&f);
	forest_put(&f, "g/zarr.json", "{");
	assert_int_equal(zinc_node_erase(f.h, "/g", NULL, &err), ZINC_E_CORRUPT);
	assert_non_null(strstr(err.text, "force"));
	assert_ok(zinc_node_erase_with(f.h, "/g", ZINC_ERASE_OPTIONS(.force = 1), NULL, &err));
	assert_string_equal(forest_keys(&f), "ga/zarr.json zarr.json");
	forest_put(&f, "left/c/0", "1122");
	assert_int_equal(zinc_node_erase(f.h, "/left", NULL, &err), ZINC_E_EXISTS);
	assert_non_null(strstr(err.text, "force"));
	assert_ok(zinc_node_erase_with(f.h, "/left", ZINC_ERASE_OPTIONS(.force = 1), NULL, &err));
	assert_string_equal(forest_keys(&f), "ga/zarr.json zarr.json");
	forest_close(&f);
}

/* ---- (5) the dance ---- */

/* Every kind of change drops consolidated metadata at all groups above, and only that. */
static void
test_drop(void **state)
{
	static const char root[] = COPIES("\"a\": " GROUP), inner[] = COPIES("");
	static const zinc_attribute change = {"k", "1"};
	zinc_error err = ZINC_ERROR_INIT;
	int what, shape = 2;
	forest f;

	(void)state;
	for (what = 0; what < 4; what++) {
		forest_open(&f, "", ZINC_LENIENT);
		forest_put(&f, "zarr.json", root);
		forest_put(&f, "a/zarr.json", inner);
		forest_put(&f, "a/x/zarr.json", ARRAY);
		forest_put(&f, "b/zarr.json", inner);
		if (what == 0)
			assert_ok(zinc_group_create(f.h, "/a/y", NULL, 0, NULL, &err));
		else if (what == 1)
			assert_ok(zinc_node_erase(f.h, "/a/x", NULL, &err));
		else if (what == 2)
			assert_ok(zinc_attributes_edit(f.h, "/a/x", &change, 1, NULL, &err));
		else
			assert_ok(zinc_edit_node(f.h, "/a/x", set_shape, &shape, NULL, &err));
		assert_null(strstr(forest_get(&f, "zarr.json"), "consolidated"));
		assert_null(strstr(forest_get(&f, "a/zarr.json"), "consolidated"));
		assert_string_equal(forest_get(&f, "b/zarr.json"), inner);
		forest_close(&f);
	}
}

/* A group's own consolidated metadata does not describe the group itself. */
static void
test_keep_own(void **state)
{
	static const zinc_attribute change = {"k", "1"};
	zinc_error err = ZINC_ERROR_INIT;
	forest f;

	(void)state;
	forest_open(&f, "", ZINC_LENIENT);
	forest_put(&f, "zarr.json", COPIES(""));
	assert_ok(zinc_attributes_edit(f.h, "/", &change, 1, NULL, &err));
	assert_non_null(strstr(forest_get(&f, "zarr.json"), "consolidated"));
	forest_close(&f);
}

/* Another writer consolidates between the first read and the change: the second read finds it. */
static void
test_look_again(void **state)
{
	static const char stale[] = COPIES("\"other\": " GROUP);
	struct script s = {.when_key = "a/zarr.json", .put_key = "zarr.json", .put_text = stale, .times = 1};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *log = NULL;
	zinc_hierarchy *h;
	forest f;

	(void)state;
	forest_open(&f, "", ZINC_LENIENT);
	forest_put(&f, "zarr.json", GROUP);
	h = open_scripted(&f, &s, &log);
	assert_ok(zinc_group_create(h, "/a", NULL, 0, NULL, &err));
	assert_int_equal(s.times, 0);
	assert_null(strstr(forest_get(&f, "zarr.json"), "consolidated"));
	s.times = 1;
	assert_ok(zinc_node_erase(h, "/a", NULL, &err));
	assert_int_equal(s.times, 0);
	assert_null(strstr(forest_get(&f, "zarr.json"), "consolidated"));
	zinc_hierarchy_close(h);
	zinc_store_close(log);
	forest_close(&f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_ancestors),     cmocka_unit_test(test_bad_ancestors),
	    cmocka_unit_test(test_create_once),   cmocka_unit_test(test_create_race),
	    cmocka_unit_test(test_parent_race),   cmocka_unit_test(test_read_only),
	    cmocka_unit_test(test_edit),          cmocka_unit_test(test_edit_refused),
	    cmocka_unit_test(test_erase),         cmocka_unit_test(test_erase_interrupted),
	    cmocka_unit_test(test_erase_damaged), cmocka_unit_test(test_drop),
	    cmocka_unit_test(test_keep_own),      cmocka_unit_test(test_look_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
