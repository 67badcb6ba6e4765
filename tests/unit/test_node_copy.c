/* test_node_copy.c - copies byte for byte, promise by promise */
#include <stdio.h>
#include <string.h>
#include <zinc/erase.h>
#include <zinc/tool.h>

#include "remote_store.h"
#include "fault.h"
#include "nodes.h"
#include "test.h"

static void
plant(forest *f)
{
	forest_put(f, "zarr.json", GROUP);
	forest_put(f, "g/zarr.json", " " COPIES("") "\n");
	forest_put(f, "g/a/zarr.json", ARRAY);
	forest_put(f, "g/a/c/0", "1122");
	forest_put(f, "g/a/c/1", "");
	forest_put(f, "g/h/zarr.json", GROUP);
	forest_put(f, "g/h/b/zarr.json", ARRAY);
	forest_put(f, "g/note", "anything");
	forest_put(f, "ga/zarr.json", ARRAY);
}

static void
test_copy(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	forest f, to;

	(void)state;
	forest_open(&f, "", ZINC_LENIENT);
	forest_open(&to, "p", ZINC_LENIENT);
	plant(&f);
	assert_ok(zinc_node_copy(f.h, "/g", to.h, "/x/y", NULL, &err));
	assert_string_equal(forest_keys(&to),
			    "p/x/y/a/c/0 p/x/y/a/c/1 p/x/y/a/zarr.json p/x/y/h/b/zarr.json p/x/y/h/zarr.json "
			    "p/x/y/note p/x/y/zarr.json p/x/zarr.json p/zarr.json");
	assert_string_equal(forest_get(&to, "p/x/y/zarr.json"), " " COPIES("") "\n");
	assert_string_equal(forest_get(&to, "p/x/y/a/c/0"), "1122");
	assert_string_equal(forest_get(&to, "p/x/y/a/c/1"), "");
	/* a whole hierarchy, and within one */
	assert_int_equal(zinc_node_copy(f.h, "/", to.h, "/", NULL, &err), ZINC_E_EXISTS);
	assert_int_equal(zinc_node_erase(to.h, "/", NULL, &err), ZINC_E_EXISTS); /* a note belongs to no node */
	assert_ok(zinc_node_erase_with(to.h, "/", ZINC_ERASE_OPTIONS(.force = 1), NULL, &err));
	assert_ok(zinc_node_copy(f.h, "/", to.h, "/", NULL, &err));
	assert_string_equal(forest_list(&to, "/", 1), "G/ G/g A/ga");
	assert_ok(zinc_node_copy(f.h, "/g/a", f.h, "/g2", NULL, &err));
	assert_string_equal(forest_get(&f, "g2/c/0"), "1122");
	forest_close(&to);
	forest_close(&f);
}

/* (2) */
static void
test_refused(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	char before[4096];
	forest f;

	(void)state;
	forest_open(&f, "", ZINC_LENIENT);
	plant(&f);
	forest_put(&f, "left/c/0", "leftover");
	snprintf(before, sizeof before, "%s", forest_keys(&f));
	assert_int_equal(zinc_node_copy(f.h, "/g", f.h, "/ga", NULL, &err), ZINC_E_EXISTS);
	assert_int_equal(zinc_node_copy(f.h, "/g", f.h, "/left", NULL, &err), ZINC_E_EXISTS);
	assert_int_equal(zinc_node_copy(f.h, "/g", f.h, "/g", NULL, &err), ZINC_E_INVALID);
	assert_int_equal(zinc_node_copy(f.h, "/g", f.h, "/g/new", NULL, &err), ZINC_E_INVALID);
	assert_int_equal(zinc_node_copy(f.h, "/", f.h, "/new", NULL, &err), ZINC_E_INVALID);
	assert_int_equal(zinc_node_copy(f.h, "/no", f.h, "/new", NULL, &err), ZINC_E_NOTFOUND);
	assert_int_equal(zinc_node_copy(f.h, "/g", f.h, "/ga/new", NULL, &err), ZINC_E_INVALID); /* below an array */
	assert_int_equal(zinc_node_copy(f.h, "/g", f.h, "/__new", NULL, &err), ZINC_E_INVALID);
	assert_string_equal(forest_keys(&f), before);
	forest_close(&f);
}

/* (1) (3) Any operation of the target fails: there is no node, and afterwards nothing is left but ancestors. */
static void
test_interrupted(void **state)
{
	zinc_status st = ZINC_E_IO;
	uint64_t at;

	(void)state;
	for (at = 1; st != ZINC_OK; at++) {
		const zinc_fault plan = {.at = at, .status = ZINC_E_IO}, none = {.at = 0};
		zinc_error err = ZINC_ERROR_INIT;
		zinc_store *fault = NULL;
		zinc_hierarchy *h = NULL;
		forest f, to;

		forest_open(&f, "", ZINC_LENIENT);
		forest_open(&to, "", ZINC_LENIENT);
		plant(&f);
		assert_ok(zinc_store_fault(&fault, to.memory, &err));
		assert_ok(zinc_hierarchy_open(&h, fault, "", ZINC_OPEN_OPTIONS(.create = 1), &err));
		zinc_store_fault_set(fault, &plan);
		st = zinc_node_copy(f.h, "/g", h, "/x", NULL, &err);
		zinc_store_fault_set(fault, &none);
		if (st != ZINC_OK && forest_get(&to, "x/zarr.json") == NULL)
			assert_true(strcmp(forest_keys(&to), "") == 0 || strcmp(forest_keys(&to), "zarr.json") == 0);
		else /* the last read of consolidated metadata may fail when everything is copied */
			assert_non_null(forest_get(&to, "x/h/b/zarr.json"));
		zinc_hierarchy_close(h);
		zinc_store_close(fault);
		forest_close(&to);
		forest_close(&f);
	}
	assert_true(at > 8);
}

/* Consolidated metadata above the target is dropped. */
static zinc_cancel flag = ZINC_CANCEL_INIT;

static zinc_status
cancel_third(void *arg, uint64_t changes, const char *key)
{
	(void)arg, (void)key;
	if (changes == 3)
		zinc_cancel_set(&flag);
	return ZINC_OK;
}

/* (3) A copy that is cancelled or exceeds its deadline restores the place. */
static void
test_cancelled(void **state)
{
	remote_store remote = {.parallel = 4, .writes = true, .cas = true, .before_put = cancel_third};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_hierarchy *h = NULL;
	zinc_store *store;
	forest f, to;

	(void)state;
	forest_open(&f, "", ZINC_LENIENT);
	forest_open(&to, "", ZINC_LENIENT);
	plant(&f);
	remote.local = to.memory;
	store = remote_store_open(&remote, NULL);
	assert_ok(zinc_hierarchy_open(&h, store, "", ZINC_OPEN_OPTIONS(.create = 1), &err));
	assert_int_equal(zinc_node_copy(f.h, "/g", h, "/x", ZINC_CALL_OPTIONS(.cancel = &flag), &err),
			 ZINC_E_CANCELLED);
	assert_string_equal(forest_keys(&to), "zarr.json");
	assert_true(remote.dels > 1);
	zinc_hierarchy_close(h);
	zinc_store_close(store);
	forest_close(&to);
	forest_close(&f);
}

static void
test_drops(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	forest f;

	(void)state;
	forest_open(&f, "", ZINC_LENIENT);
	plant(&f);
	forest_put(&f, "zarr.json", COPIES(""));
	assert_ok(zinc_node_copy(f.h, "/ga", f.h, "/new", NULL, &err));
	assert_null(strstr(forest_get(&f, "zarr.json"), "consolidated"));
	forest_close(&f);
}

/* ---- other formats ---- */

#define GROUP2 "{\"zarr_format\": 2}"
#define ARRAY2                                                                                                         \
	"{\"zarr_format\": 2, \"shape\": [4], \"chunks\": [2], \"dtype\": \"<i2\", \"compressor\": null, "             \
	"\"fill_value\": 7, \"order\": \"C\", \"filters\": null}"

static void
open_as(forest *f, const char *format)
{
	zinc_error err = ZINC_ERROR_INIT;

	forest_open(f, "", ZINC_LENIENT);
	zinc_hierarchy_close(f->h);
	assert_ok(zinc_hierarchy_open(&f->h, f->log, "",
				      ZINC_OPEN_OPTIONS(.context = f->ctx, .create = 1, .format = format), &err));
}

static void
plant_v2(forest *f)
{
	forest_put(f, ".zgroup", GROUP2);
	forest_put(f, "g/.zgroup", GROUP2);
	forest_put(f, "g/.zattrs", "{\"n\": 1.50}");
	forest_put(f, "g/.zmetadata", "{}");
	forest_put(f, "g/a/.zarray", ARRAY2);
	forest_put(f, "g/a/.zattrs", "{\"k\": NaN}");
	forest_put(f, "g/a/0", "12");
	forest_put(f, "g/a/1", "34");
	forest_put(f, "g/note", "anything");
}

/* (1) of version 2, with documents of two names and attributes beside them; also an array alone.  A group's .zmetadata
 * is dropped with every change of metadata at its place, and so with this one. */
static void
test_v2(void **state)
{
	static const char whole[] = ".zgroup x/.zattrs x/.zgroup x/a/.zarray x/a/.zattrs x/a/0 x/a/1 x/note";
	unsigned failed = 0;
	zinc_status st;
	uint64_t at;

	(void)state;
	for (at = 1; at < 40; at++) { /* some documents of ancestors may fail without harm */
		const zinc_fault plan = {.at = at, .status = ZINC_E_IO}, none = {.at = 0};
		zinc_error err = ZINC_ERROR_INIT;
		zinc_store *fault = NULL;
		zinc_hierarchy *h = NULL;
		forest f, to;

		open_as(&f, "v2");
		open_as(&to, "v2");
		plant_v2(&f);
		assert_ok(zinc_store_fault(&fault, to.memory, &err));
		assert_ok(zinc_hierarchy_open(&h, fault, "", ZINC_OPEN_OPTIONS(.create = 1, .format = "v2"), &err));
		zinc_store_fault_set(fault, &plan);
		st = zinc_node_copy(f.h, "/g", h, "/x", NULL, &err);
		zinc_store_fault_set(fault, &none);
		failed += st != ZINC_OK;
		if (st == ZINC_OK)
			assert_string_equal(forest_keys(&to), whole);
		else if (forest_get(&to, "x/.zgroup")) /* then everything exists */
			assert_non_null(forest_get(&to, "x/a/.zarray"));
		else
			assert_true(st != ZINC_OK && !forest_get(&to, "x/a/.zarray"));
		zinc_hierarchy_close(h);
		zinc_store_close(fault);
		if (st == ZINC_OK) {
			assert_string_equal(forest_get(&to, "x/a/.zattrs"), "{\"k\": NaN}");
			assert_ok(zinc_node_copy(f.h, "/g/a", to.h, "/b", NULL, &err));
			assert_string_equal(forest_get(&to, "b/0"), "12");
			assert_string_equal(forest_list(&to, "/", -1), "G/ A/b G/x A/x/a");
			assert_int_equal(zinc_node_copy(f.h, "/g/a", to.h, "/b", NULL, &err), ZINC_E_EXISTS);
		}
		forest_close(&to);
		forest_close(&f);
	}
	assert_true(failed > 8);
}

/* Drafts store documents and data separately; a group may have no document of its own. */
static void
test_draft(void **state)
{
	static const uint64_t shape[] = {4};
	static const int16_t in[] = {1, 2, 3, 4};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_array *a;
	forest f, to;

	(void)state;
	open_as(&f, "v3-2020");
	open_as(&to, "v3-2020");
	assert_ok(zinc_array_create(
	    &a, f.h, "/g/a", ZINC_ARRAY_OPTIONS(.ndim = 1, .shape = shape, .dtype = "int16", .codecs = "none"), &err));
	assert_ok(zinc_array_write_text(a, NULL, ZINC_BUFFER(in, sizeof in), NULL, &err));
	zinc_array_close(a);
	assert_ok(zinc_node_copy(f.h, "/g", to.h, "/x", NULL, &err));
	assert_string_equal(forest_keys(&to), "data/root/x/a/c0 meta/root/x/a.array.json zarr.json");
	assert_ok(zinc_node_copy(f.h, "/g/a", to.h, "/b", NULL, &err));
	assert_string_equal(forest_list(&to, "/", -1), "g/ A/b g/x A/x/a");
	forest_close(&to);
	forest_close(&f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_copy),      cmocka_unit_test(test_refused), cmocka_unit_test(test_interrupted),
	    cmocka_unit_test(test_cancelled), cmocka_unit_test(test_drops),   cmocka_unit_test(test_v2),
	    cmocka_unit_test(test_draft),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
