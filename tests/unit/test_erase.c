/*
 * test_erase.c - erasing nodes, in every version of Zarr: what is erased, what stays, what is refused
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files.h"
#include "format/format.h"
#include "nodes.h"
#include "test.h"

static const char *const formats[] = {"v3", "v2", "v3-2019", "v3-2020", "v3-2022"};
static const char *const data[] = {"", "", "data/", "data/root/", "data/"};

static void
make_array(forest *f, const char *path, int ndim, int overwrite)
{
	static const uint64_t shape[] = {4, 4}, chunks[] = {2, 2};
	static const int16_t values[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_array *a = NULL;

	assert_ok(zinc_array_create(&a, f->h, path,
				    ZINC_ARRAY_OPTIONS(.ndim = ndim, .shape = shape, .chunks = chunks, .dtype = "int16",
						       .overwrite = overwrite),
				    &err));
	if (!overwrite)
		assert_ok(zinc_array_write(a, NULL, ZINC_BUFFER(values, ndim == 2 ? 32 : 8), NULL, &err));
	zinc_array_close(a);
}

static void
plant(forest *f, size_t i)
{
	forest_open_format(f, formats[i]);
	make_array(f, "/keep", 1, 0);
	make_array(f, "/g/a", 2, 0);
	make_array(f, "/g/h/b", 1, 0);
}

static int
add_path(void *arg, const char *path)
{
	char *text = arg; /* of 256 bytes */
	const size_t n = strlen(text);

	snprintf(text + n, 256 - n, "%s ", path);
	return 0;
}

/* (2) (3): refused or not, the dry run reports what the real run reports, and changes nothing. */
static void
test_dry_run(void **state)
{
	zinc_error err = ZINC_ERROR_INIT, again = ZINC_ERROR_INIT;
	char told[256] = "", done[256] = "", before[8192], key[64];
	zinc_erase_counts a = ZINC_ERASE_COUNTS_INIT, b = ZINC_ERASE_COUNTS_INIT;
	size_t i;
	forest f;

	(void)state;
	for (i = 0; i < COUNT(formats); i++) {
		plant(&f, i);
		snprintf(key, sizeof key, "%sg/README", data[i]);
		forest_put(&f, key, "mine");
		snprintf(before, sizeof before, "%s", forest_keys(&f));
		assert_int_equal(zinc_node_erase_with(f.h, "/g", ZINC_ERASE_OPTIONS(.dry_run = 1), NULL, &err),
				 ZINC_E_EXISTS);
		assert_int_equal(zinc_node_erase(f.h, "/g", NULL, &again), ZINC_E_EXISTS);
		assert_string_equal(err.text, again.text);
		assert_non_null(strstr(err.text, "README"));
		assert_string_equal(forest_keys(&f), before);
		assert_ok(zinc_store_del(f.memory, NULL, key, NULL, 0, NULL, &err));

		told[0] = done[0] = '\0';
		snprintf(before, sizeof before, "%s", forest_keys(&f));
		assert_ok(zinc_node_erase_with(f.h, "/g", ZINC_ERASE_OPTIONS(.dry_run = 1, .fn = add_path, .arg = told),
					       &a, &err));
		assert_string_equal(told, "/g /g/a /g/h /g/h/b ");
		assert_string_equal(forest_keys(&f), before);
		assert_ok(zinc_node_erase_with(f.h, "/g", ZINC_ERASE_OPTIONS(.fn = add_path, .arg = done), &b, &err));
		assert_string_equal(told, done);
		assert_int_equal(a.nodes, 4);
		assert_int_equal(b.nodes, 4);
		assert_int_equal(a.keys, b.keys);
		assert_null(strstr(forest_keys(&f), "g/"));
		assert_non_null(strstr(forest_keys(&f), "keep"));
		assert_int_equal(zinc_node_erase(f.h, "/g", NULL, &err), ZINC_E_NOTFOUND);
		forest_close(&f);
	}
}

static int
stop(void *arg, const char *path)
{
	(void)arg, (void)path;
	return 1;
}

/* (2): a place that is not a node, or no longer a node, is erased only with force. */
static void
test_force(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	char before[8192], key[64];
	size_t i;
	forest f;

	(void)state;
	for (i = 0; i < COUNT(formats); i++) {
		plant(&f, i);
		snprintf(before, sizeof before, "%s", forest_keys(&f));
		assert_int_equal(zinc_node_erase_with(f.h, "/g", ZINC_ERASE_OPTIONS(.fn = stop), NULL, &err),
				 ZINC_E_CANCELLED);
		snprintf(key, sizeof key, "%sleft/c/0", data[i]);
		forest_put(&f, key, "x");
		assert_int_equal(zinc_node_erase(f.h, "/left", NULL, &err), ZINC_E_EXISTS); /* (4) */
		assert_non_null(strstr(err.text, "--force"));
		assert_int_equal(zinc_group_create(f.h, "/left", NULL, 1, NULL, &err), ZINC_E_EXISTS);
		assert_non_null(forest_get(&f, key));
		assert_ok(zinc_node_erase_with(f.h, "/left", ZINC_ERASE_OPTIONS(.force = 1), NULL, &err));
		assert_string_equal(forest_keys(&f), before);
		assert_int_equal(zinc_node_erase_with(f.h, "/left", ZINC_ERASE_OPTIONS(.force = 1), NULL, &err),
				 ZINC_E_NOTFOUND);
		forest_put(&f, key, "x");
		assert_ok(zinc_group_create(f.h, "/left", NULL, ZINC_FORCE, NULL, &err));
		assert_null(forest_get(&f, key));
		forest_close(&f);
	}
}

/* The root is erased with its entry point, or not at all. */
static void
test_root(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	size_t i;
	forest f;

	(void)state;
	for (i = 0; i < COUNT(formats); i++) {
		plant(&f, i);
		forest_put(&f, "README", "mine");
		assert_int_equal(zinc_node_erase(f.h, "/", NULL, &err), ZINC_E_EXISTS);
		assert_ok(zinc_node_erase_with(f.h, "/", ZINC_ERASE_OPTIONS(.force = 1), NULL, &err));
		assert_string_equal(forest_keys(&f), "");
		forest_close(&f);
		plant(&f, i);
		assert_ok(zinc_node_erase(f.h, "/", NULL, &err));
		assert_string_equal(forest_keys(&f), "");
		make_array(&f, "/again", 1, 0);
		forest_close(&f);
	}
}

/* After an overwrite nothing is left that the new node could read: of another rank, another version. */
static void
test_overwrite(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	size_t i, k;
	forest f;

	(void)state;
	for (i = 0; i < COUNT(formats); i++) {
		plant(&f, i);
		assert_non_null(strstr(forest_keys(&f), i == 0 ? "g/a/c/0/0" : "g/a/"));
		make_array(&f, "/g/a", 1, 1);
		assert_null(strstr(forest_keys(&f), "g/a/c"));
		assert_null(strstr(forest_keys(&f), "g/a/0"));
		forest_close(&f);
		for (k = 0; k < COUNT(formats); k++) {
			zinc_hierarchy *h = NULL;

			plant(&f, i);
			assert_ok(zinc_group_create_url(zinc_store_url(f.memory), NULL, 1,
							ZINC_OPEN_OPTIONS(.context = f.ctx, .format = formats[k]),
							&err));
			assert_null(strstr(forest_keys(&f), "keep"));
			assert_ok(zinc_hierarchy_open(&h, f.memory, "", ZINC_OPEN_OPTIONS(.context = f.ctx), &err));
			assert_string_equal(zinc_hierarchy_format(h), formats[k]);
			zinc_hierarchy_close(h);
			forest_close(&f);
		}
	}
}

/* ---- a store that cannot list: the keys below are unknown ---- */

static void
test_unlisted(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_hierarchy *h = NULL;
	zinc_store *store;
	forest f;

	(void)state;
	plant(&f, 0);
	store = unlisted_store(f.ctx, f.memory);
	assert_ok(zinc_hierarchy_open(&h, store, "", NULL, &err));
	assert_int_equal(zinc_node_erase(h, "/g", NULL, &err), ZINC_E_UNSUPPORTED);
	assert_non_null(strstr(err.text, "cannot list"));
	zinc_hierarchy_close(h);
	zinc_store_close(store);
	forest_close(&f);
}

/* Creating does not need a listing; a document that exists is not replaced. */
static void
test_create_unlisted(void **state)
{
	static const uint64_t shape[] = {4};
	const zinc_array_options o = {.size = sizeof o, .ndim = 1, .shape = shape, .dtype = "int16"};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_hierarchy *h = NULL;
	zinc_array *a = NULL;
	zinc_store *store;
	forest f;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(formats); i++) {
		plant(&f, i);
		store = unlisted_store(f.ctx, f.memory);
		assert_ok(zinc_hierarchy_open(&h, store, "", NULL, &err));
		assert_ok(zinc_array_create(&a, h, "/keep2", &o, &err));
		zinc_array_close(a);
		assert_int_equal(zinc_array_create(&a, h, "/keep", &o, &err), ZINC_E_EXISTS);
		assert_ok(zinc_array_open(&a, h, "/keep2", NULL, &err));
		zinc_array_close(a);
		zinc_hierarchy_close(h);
		zinc_store_close(store);
		forest_close(&f);
	}
}

/* A group with two arrays in the hierarchy d; outside is a copy of the directory with the documents of the group's
 * nodes. */
static void
plant_twins(const char *id, const char *place)
{
	zinc_error err = ZINC_ERROR_INIT;
	char command[128];
	forest f;

	make_empty("d");
	remove_tree("outside");
	remove_tree("aside");
	memset(&f, 0, sizeof f);
	assert_ok(zinc_hierarchy_open_url(&f.h, "d", ZINC_OPEN_OPTIONS(.create = 1, .format = id), &err));
	make_array(&f, "/g/a", 1, 0);
	make_array(&f, "/g/h/b", 1, 0);
	zinc_hierarchy_close(f.h);
	snprintf(command, sizeof command, "cp -r %s outside", place);
	assert_int_equal(system(command), 0);
}

/* Erase the group at `place`, with `victim` becoming a link at each call of the system in turn. */
static int
erase_swapping(const char *id, const char *place, const char *victim, const char *target)
{
	zinc_error err = ZINC_ERROR_INIT;
	char before[4096];
	zinc_hierarchy *h;
	fs_rig rig;
	int at = 0;

	do {
		plant_twins(id, place);
		snprintf(before, sizeof before, "%s", tree("outside"));
		rig_open(&rig, "d", swap_os(-1, NULL, NULL), ZINC_STORE_OPTIONS(.relaxed = 1));
		assert_ok(zinc_hierarchy_open(&h, rig.store, "", ZINC_OPEN_OPTIONS(.context = rig.ctx), &err));
		swap_os(at, victim, target);
		(void)!zinc_node_erase_with(h, "/g", ZINC_ERASE_OPTIONS(.force = at % 2), NULL, &err);
		zinc_hierarchy_close(h);
		rig_close(&rig);
		assert_string_equal(tree("outside"), before);
	} while (swap_calls() > at++);
	return at;
}

/* (5): also a link that appears in the place of the node, or of one below, while it is erased. */
static void
test_links_that_come(void **state)
{
	(void)state;
	enter_fast_dir();
	assert_true(erase_swapping("v3", "d/g", "d/g", "../outside") > 50);
	assert_true(erase_swapping("v3", "d/g", "d/g/h", "../../outside/h") > 50);
	assert_true(erase_swapping("v2", "d/g", "d/g", "../outside") > 50);
	assert_true(erase_swapping("v3-2020", "d/meta/root/g", "d/meta/root/g", "../../../outside") > 50);
	assert_true(erase_swapping("v3-2020", "d/data/root/g", "d/data/root/g/h", "../../../../outside/h") > 50);
	leave_fast_dir();
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_dry_run),
	    cmocka_unit_test(test_force),
	    cmocka_unit_test(test_root),
	    cmocka_unit_test(test_overwrite),
	    cmocka_unit_test(test_unlisted),
	    cmocka_unit_test(test_create_unlisted),
	    cmocka_unit_test(test_links_that_come),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
