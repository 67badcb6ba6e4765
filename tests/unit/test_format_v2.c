/*
 * test_format_v2.c - version 2: names, keys, detection, creating, editing, listing, .zmetadata
 *
 * Numbers in brackets are the promises of format_v2.c, those with a W of node_write.c, with a C of consolidate.c, with a D
 * of copies_read.c.
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "format/format.h"
#include "nodes.h"
#include "sweep.h"
#include "test.h"

#define GROUP2 "{\"zarr_format\": 2}"
#define ARRAY2                                                                                                         \
	"{\"zarr_format\": 2, \"shape\": [4], \"chunks\": [2], \"dtype\": \"<i2\", \"compressor\": null, "             \
	"\"fill_value\": 7, \"order\": \"C\", \"filters\": null}"

/* A forest whose hierarchy is of version 2. */
static void
open_v2(forest *f)
{
	zinc_error err = ZINC_ERROR_INIT;

	forest_open(f, "", ZINC_LENIENT);
	zinc_hierarchy_close(f->h);
	assert_ok(zinc_hierarchy_open(&f->h, f->log, "",
				      ZINC_OPEN_OPTIONS(.context = f->ctx, .create = 1, .format = "v2"), &err));
	forest_counts(f);
}

static zinc_array *
make_array(forest *f, const char *path, const zinc_array_options *o)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_array *a = NULL;

	assert_ok(zinc_array_create(&a, f->h, path, o, &err));
	return a;
}

/* (1) */
static void
test_names(void **state)
{
	static const struct {
		const char *name;
		bool good;
	} cases[] = {{"a", true},          {"__a", true},      {"0.0", true},      {"...", true},       {".x", true},
		     {"zarr.json", false}, {"", false},        {".", false},       {"..", false},       {"a/b", false},
		     {"a\\b", false},      {".zarray", false}, {".zattrs", false}, {".nczarray", false}};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(cases); i++) {
		zinc_error err = ZINC_ERROR_INIT;
		const zinc_status st =
		    zinc_format_v2.check_name(&zinc_format_v2, cases[i].name, strlen(cases[i].name), &err);

		assert_int_equal(st, cases[i].good ? ZINC_OK : ZINC_E_INVALID);
		assert_true(cases[i].good || strstr(err.text, "V2-19"));
	}
}

/* Version 2, "Logical storage paths". */
static void
test_paths(void **state)
{
	static const char *const cases[][2] = {
	    {"a\\b", "/a/b"}, {"//a///b//", "/a/b"}, {"\\", "/"}, {"", "/"}, {"a", "/a"}};
	zinc_error err = ZINC_ERROR_INIT;
	char *path;
	size_t i;
	forest f;

	(void)state;
	open_v2(&f);
	for (i = 0; i < COUNT(cases); i++) {
		assert_ok(zinc_path_normalise(&path, f.h, cases[i][0], &err));
		assert_string_equal(path, cases[i][1]);
		zinc_free(f.ctx, path);
	}
	assert_int_equal(zinc_path_normalise(&path, f.h, "a/../b", &err), ZINC_E_INVALID);
	assert_int_equal(zinc_path_normalise(&path, f.h, "a/.zarray", &err), ZINC_E_INVALID);
	forest_close(&f);
}

/* The detected format of the place, and the kind of its node. */
static const char *
detect(forest *f, const char *prefix, zinc_node_kind *kind, zinc_status *status)
{
	const zinc_format *format;

	*status = zinc_format_detect(f->memory, prefix, NULL, &format, kind, NULL, NULL, NULL, NULL);
	return format ? format->id : "";
}

static void
test_detection(void **state)
{
	static const struct {
		const char *key, *text, *id;
		zinc_node_kind kind;
		zinc_status status;
	} cases[] = {
	    {"a/.zarray", ARRAY2, "v2", ZINC_NODE_ARRAY, ZINC_OK},
	    {"b/.zgroup", GROUP2, "v2", ZINC_NODE_GROUP, ZINC_OK},
	    {"c/.zgroup", "{", "v2", ZINC_NODE_NONE, ZINC_OK},
	    {"d/zarr.json", GROUP, "v3", ZINC_NODE_GROUP, ZINC_OK},
	    {"e/.zattrs", "{}", "", ZINC_NODE_NONE, ZINC_OK},
	    {"f/meta", "{\"zarr_format\": 1}", "", ZINC_NODE_NONE, ZINC_E_UNSUPPORTED},
	    {"g/meta", "{\"zarr_format\": 7}", "", ZINC_NODE_NONE, ZINC_OK},
	    {"h/meta/root/x.array.json", "{}", "", ZINC_NODE_NONE, ZINC_OK},
	};
	zinc_status st;
	zinc_node_kind kind;
	char prefix[4];
	size_t i;
	forest f;

	(void)state;
	open_v2(&f);
	for (i = 0; i < COUNT(cases); i++) {
		forest_put(&f, cases[i].key, cases[i].text);
		snprintf(prefix, sizeof prefix, "%c/", cases[i].key[0]);
		assert_string_equal(detect(&f, prefix, &kind, &st), cases[i].id);
		assert_int_equal(kind, cases[i].kind);
		assert_int_equal(st, cases[i].status);
	}
	forest_put(&f, "a/zarr.json", GROUP); /* both: the newer one is read */
	assert_string_equal(detect(&f, "a/", &kind, &st), "v3");
	forest_close(&f);
}

/* (2) (3) and the unchanged document */
static void
test_reading(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store_counts n = ZINC_STORE_COUNTS_INIT;
	zinc_meta *m = NULL;
	zinc_report r;
	forest f;

	(void)state;
	open_v2(&f);
	zinc_report_init(&r, f.ctx, false, "");
	assert_int_equal(zinc_read_node(f.h, "/a", &r, &m, &err), ZINC_E_NOTFOUND);
	forest_put(&f, "a/.zarray", ARRAY2);
	forest_put(&f, "a/.zattrs",
		   "{\"n\": 1.50, \"_ARRAY_DIMENSIONS\": [\"x\"], \"bad\": [NaN, {\"x\": -Infinity}]}");
	forest_counts(&f);
	assert_ok(zinc_read_node(f.h, "/a", &r, &m, &err));
	n = forest_counts(&f);
	assert_int_equal(n.get_calls, 1);
	assert_int_equal(f.warnings, 1); /* of NaN */
	assert_non_null(strstr(f.warning, "a/.zattrs"));
	assert_string_equal(m->dimension_names[0], "x");
	assert_string_equal(zinc_json_member(m->attributes, "n")->text, "1.50");
	assert_true(zinc_json_is_string(zinc_json_member(m->attributes, "bad")->first, "NaN"));
	assert_non_null(zinc_json_member(m->attributes, "_ARRAY_DIMENSIONS"));
	assert_null(zinc_json_member(zinc_json_member(zinc_meta_v3(m), "attributes"), "_ARRAY_DIMENSIONS"));
	assert_true(m->tag.n > 0);
	zinc_meta_free(m);
	forest_put(&f, "a/.zgroup", GROUP2);
	assert_ok(zinc_read_node(f.h, "/a", &r, &m, &err));
	assert_int_equal(m->kind, ZINC_NODE_ARRAY); /* (3) */
	assert_int_equal(f.warnings, 3);            /* of NaN again, and of rule V2-16 */
	zinc_meta_free(m);
	r.strict = true;
	assert_int_equal(zinc_read_node(f.h, "/a", &r, &m, &err), ZINC_E_CORRUPT);
	forest_close(&f);
}

/* (W1) (W2) (W5) */
static void
test_creating(void **state)
{
	static const uint64_t shape[] = {4};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_array *a = NULL;
	zinc_store_counts n = ZINC_STORE_COUNTS_INIT;
	forest f;

	(void)state;
	open_v2(&f);
	zinc_array_close(make_array(&f, "a/b/x", ZINC_ARRAY_OPTIONS(.ndim = 1, .shape = shape, .dtype = "int16")));
	assert_string_equal(forest_keys(&f), ".zgroup a/.zgroup a/b/.zgroup a/b/x/.zarray");
	assert_int_equal(zinc_group_create(f.h, "a/b/x", NULL, 0, NULL, &err), ZINC_E_EXISTS);
	assert_int_equal(zinc_group_create(f.h, "a/b/x/y", NULL, 0, NULL, &err), ZINC_E_INVALID);
	assert_non_null(strstr(err.text, "V2-18"));
	assert_int_equal(
	    zinc_array_create(&a, f.h, "a/b", ZINC_ARRAY_OPTIONS(.ndim = 1, .shape = shape, .dtype = "int16"), &err),
	    ZINC_E_EXISTS);
	forest_counts(&f);
	assert_ok(zinc_group_create(f.h, "g", "{\"k\": 1}", 0, NULL, &err));
	n = forest_counts(&f);
	assert_int_equal(n.put_calls, 2); /* .zgroup and .zattrs */
	assert_int_equal(n.get_calls, 2); /* before and after */
	assert_string_equal(forest_get(&f, "g/.zgroup"), "{\n  \"zarr_format\": 2\n}\n");
	assert_string_equal(forest_get(&f, "g/.zattrs"), "{\n  \"k\": 1\n}\n");
	assert_ok(zinc_group_create(f.h, "g", NULL, 1, NULL, &err)); /* over it: nothing of the old one is kept */
	assert_null(forest_get(&f, "g/.zattrs"));
	forest_put(&f, "h/.zattrs", "{\"left\": 1}");
	assert_int_equal(zinc_group_create(f.h, "h", "{\"k\": 1}", 0, NULL, &err), ZINC_E_EXISTS);
	assert_null(forest_get(&f, "h/.zgroup"));
	assert_ok(zinc_group_create(f.h, "h", NULL, 0, NULL, &err)); /* it may have had them all along */
	assert_string_equal(forest_get(&f, "h/.zattrs"), "{\"left\": 1}");
	forest_put(&f, "p/.zattrs", "{\"k\": 1}");
	forest_put(&f, "p/x/.zarray", forest_get(&f, "a/b/x/.zarray"));
	assert_ok(zinc_node_keep_parents(f.h, "/p/x", NULL, &err));
	assert_non_null(forest_get(&f, "p/.zgroup"));
	assert_string_equal(forest_get(&f, "p/.zattrs"), "{\"k\": 1}");
	forest_close(&f);
}

/* (W3) */
static void
test_editing(void **state)
{
	static const zinc_attribute set = {"k", "[1, 2.50]"}, remove = {"x", NULL}, absent = {"no", NULL};
	static const uint64_t shape[] = {9};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store_counts n = ZINC_STORE_COUNTS_INIT;
	zinc_array *a = NULL;
	forest f;

	(void)state;
	open_v2(&f);
	forest_put(&f, "a/.zarray", ARRAY2);
	forest_put(&f, "a/.zattrs", "{\"x\": 1, \"nan\": NaN, \"inf\": [-Infinity, 1e400]}");
	forest_counts(&f);
	assert_ok(zinc_attributes_edit(f.h, "a", &set, 1, NULL, &err));
	n = forest_counts(&f);
	assert_int_equal(n.update_calls, 1);
	assert_int_equal(n.put_calls, 0);
	assert_string_equal(forest_get(&f, "a/.zattrs"),
			    "{\n  \"x\": 1,\n  \"nan\": NaN,\n  \"inf\": [-Infinity, 1e400],\n"
			    "  \"k\": [1, 2.50]\n}\n");
	assert_string_equal(forest_get(&f, "a/.zarray"), ARRAY2); /* untouched */
	assert_ok(zinc_attributes_edit(f.h, "a", &remove, 1, NULL, &err));
	assert_null(strstr(forest_get(&f, "a/.zattrs"), "\"x\""));
	assert_int_equal(zinc_attributes_edit(f.h, "a", &absent, 1, NULL, &err), ZINC_E_NOTFOUND);
	assert_ok(zinc_array_open(&a, f.h, "a", NULL, &err));
	forest_counts(&f);
	assert_ok(zinc_array_resize(a, shape, NULL, &err));
	assert_int_equal(forest_counts(&f).update_calls, 1);
	zinc_array_close(a);
	assert_non_null(strstr(forest_get(&f, "a/.zarray"), "\"shape\": [9]"));
	assert_non_null(strstr(forest_get(&f, "a/.zattrs"), "\"nan\": NaN"));
	forest_put(&f, "b/.zgroup", GROUP2); /* no .zattrs yet */
	assert_ok(zinc_attributes_edit(f.h, "b", &set, 1, NULL, &err));
	assert_string_equal(forest_get(&f, "b/.zgroup"), GROUP2);
	forest_put(&f, "c/.zgroup",
		   "{\"zarr_format\": 2, \"attributes\": {}}"); /* what would be lost is not rewritten */
	assert_int_equal(zinc_attributes_edit(f.h, "c", &set, 1, NULL, &err), ZINC_E_UNSUPPORTED);
	forest_put(&f, "d/.zgroup", GROUP2);
	forest_put(&f, "d/.zattrs", "{\"a\": 1, \"a\": 2}");
	assert_int_equal(zinc_attributes_edit(f.h, "d", &set, 1, NULL, &err), ZINC_E_CORRUPT);
	assert_int_equal(zinc_attributes_edit(f.h, "nobody", &set, 1, NULL, &err), ZINC_E_NOTFOUND);
	forest_close(&f);
}

enum { EDITORS = 4, EDITS = 25 };

struct editor {
	zinc_hierarchy *h;
	int who;
};

static void *
edit_often(void *arg)
{
	const struct editor *e = arg;
	char key[32];
	int i;

	for (i = 0; i < EDITS; i++) {
		const zinc_attribute a = {key, "1"};

		snprintf(key, sizeof key, "k%d-%d", e->who, i);
		if (zinc_attributes_edit(e->h, "/", &a, 1, NULL, NULL) != ZINC_OK)
			return arg;
	}
	return NULL;
}

/* (W3) Edits of different keys at the same time: none is lost. */
static void
test_editors(void **state)
{
	struct editor e[EDITORS];
	pthread_t thread[EDITORS];
	zinc_error err = ZINC_ERROR_INIT;
	zinc_blob text = ZINC_BLOB_INIT;
	zinc_json_doc *doc;
	forest f;
	int i;

	(void)state;
	open_v2(&f);
	assert_ok(zinc_group_create(f.h, "/", NULL, 0, NULL, &err));
	for (i = 0; i < EDITORS; i++) {
		e[i] = (struct editor){f.h, i};
		assert_int_equal(pthread_create(&thread[i], NULL, edit_often, &e[i]), 0);
	}
	for (i = 0; i < EDITORS; i++) {
		void *failed;

		pthread_join(thread[i], &failed);
		assert_null(failed);
	}
	assert_ok(zinc_attributes_get(f.h, "/", NULL, &text, NULL, &err));
	assert_ok(zinc_json_parse(&doc, f.ctx, text.data, text.nbytes, 0, &err));
	assert_int_equal(zinc_json_root(doc)->n, EDITORS * EDITS);
	zinc_json_free(doc);
	zinc_blob_fini(&text);
	forest_close(&f);
}

/* Listing, erasing, and (C1) (W4) .zmetadata. */
static void
test_trees(void **state)
{
	static const zinc_attribute set = {"k", "1"};
	zinc_error err = ZINC_ERROR_INIT;
	forest f;

	(void)state;
	open_v2(&f);
	forest_put(&f, ".zgroup", GROUP2);
	forest_put(&f, "a/.zgroup", GROUP2);
	forest_put(&f, "a/x/.zarray", ARRAY2);
	forest_put(&f, "a/x/.zattrs", "{\"n\": NaN}");
	forest_put(&f, "a/x/0", "1122");
	forest_put(&f, "b/c/.zarray", ARRAY2); /* no .zgroup above it */
	forest_put(&f, "d/.zarray", "{");
	forest_put(&f, "e/0.0", "no node");
	assert_string_equal(forest_list(&f, "/", -1), "G/ G/a A/a/x g/b A/b/c !/d:E_CORRUPT");
	assert_string_equal(forest_list(&f, "/", CHILDREN), "G/a g/b !/d:E_CORRUPT");
	assert_int_equal(zinc_consolidate(f.h, "/", 0, NULL, &err), ZINC_E_CORRUPT);
	assert_int_equal(zinc_node_erase(f.h, "d", NULL, &err), ZINC_E_CORRUPT);
	assert_ok(zinc_node_erase_with(f.h, "d", ZINC_ERASE_OPTIONS(.force = 1), NULL, &err));
	assert_ok(zinc_node_erase(f.h, "b", NULL, &err));
	assert_ok(zinc_consolidate(f.h, "/", 0, NULL, &err));
	assert_non_null(strstr(forest_get(&f, ".zmetadata"), "\"a/x/.zattrs\""));
	assert_non_null(strstr(forest_get(&f, ".zmetadata"), "NaN"));
	forest_counts(&f);
	assert_string_equal(forest_list(&f, "/", -1), "G/ G/a A/a/x");
	assert_int_equal(forest_counts(&f).list_calls, 0); /* all from .zmetadata */
	assert_string_equal(forest_list(&f, "/a", CHILDREN), "A/a/x");
	assert_ok(zinc_attributes_edit(f.h, "a/x", &set, 1, NULL, &err));
	assert_null(forest_get(&f, ".zmetadata"));
	assert_ok(zinc_consolidate(f.h, "/", 0, NULL, &err));
	assert_ok(zinc_attributes_edit(f.h, "/", &set, 1, NULL, &err)); /* it also has the group's own documents */
	assert_null(forest_get(&f, ".zmetadata"));
	assert_ok(zinc_consolidate(f.h, "a", 0, NULL, &err));
	assert_ok(zinc_group_create(f.h, "a/new", NULL, 0, NULL, &err));
	assert_null(forest_get(&f, "a/.zmetadata"));
	assert_ok(zinc_consolidate(f.h, "/", 0, NULL, &err));
	assert_ok(zinc_consolidate(f.h, "/", 1, NULL, &err));
	assert_ok(zinc_consolidate(f.h, "/", 1, NULL, &err)); /* nothing there is fine */
	assert_null(forest_get(&f, ".zmetadata"));
	forest_put(&f, ".zmetadata", "{\"zarr_consolidated_format\": 1, \"metadata\": 3}"); /* (D1) */
	assert_string_equal(forest_list(&f, "/", 1), "G/ G/a");
	assert_ok(zinc_node_erase(f.h, "a", NULL, &err));
	assert_string_equal(forest_keys(&f), ".zattrs .zgroup e/0.0");
	assert_int_equal(zinc_node_erase(f.h, "a", NULL, &err), ZINC_E_NOTFOUND);
	forest_close(&f);
}

/* ---- every allocation fails in turn ---- */

static zinc_status
work(zinc_hierarchy *h, zinc_error *err)
{
	static const uint64_t shape[] = {4, 4}, chunks[] = {2, 2}, grown[] = {6, 4};
	static const char *const names[] = {"y", "x"};
	static const zinc_attribute set = {"k", "[1]"};
	zinc_array *a = NULL;
	zinc_status st;

	ZINC_TRY(zinc_array_create(&a, h, "g/a",
				   ZINC_ARRAY_OPTIONS(.ndim = 2, .shape = shape, .chunks = chunks, .dtype = ">f4",
						      .fortran = 1, .dimension_names = names, .codecs = "zstd"),
				   err));
	st = zinc_array_resize(a, grown, NULL, err);
	zinc_array_close(a);
	ZINC_TRY(st);
	ZINC_TRY(zinc_attributes_edit(h, "g/a", &set, 1, NULL, err));
	ZINC_TRY(zinc_consolidate(h, "/", 0, NULL, err));
	ZINC_TRY(zinc_node_erase(h, "g/a", NULL, err));
	return zinc_node_erase(h, "/", NULL, err);
}

static zinc_status
scenario(void *arg, zinc_context *ctx, zinc_error *err)
{
	(void)arg;
	return in_new_hierarchy(ctx, "v2", work, false, err);
}

static void
test_sweep(void **state)
{
	(void)state;
	assert_true(sweep_alloc(scenario, NULL) > 200);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_names),   cmocka_unit_test(test_paths),    cmocka_unit_test(test_detection),
	    cmocka_unit_test(test_reading), cmocka_unit_test(test_creating), cmocka_unit_test(test_editing),
	    cmocka_unit_test(test_editors), cmocka_unit_test(test_trees),    cmocka_unit_test(test_sweep),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
