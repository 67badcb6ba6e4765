/*
 * test_error_url.c - a failing call on an array names the array, whatever its store; a key is one of the hierarchy
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <zinc/tool.h>

#include "array/array.h"
#include "support/files.h"
#include "support/test.h"
#include "support/web.h"

/* One array, /g/t of a.zarr, of 2 x 2 chunks; chunk 0,0 is broken, 0,1 is not stored. */
typedef struct scene {
	zinc_hierarchy *h;
	zinc_array *a;
	char url[128];
} scene;

static const uint64_t four[2] = {4, 4}, two[2] = {2, 2}, origin[2] = {0, 0}, far_off[2] = {9, 9};
static uint16_t v[16];

static void
make(const char *url)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_array *a = NULL;

	assert_ok(zinc_array_create_url(
	    &a, url, ZINC_ARRAY_OPTIONS(.ndim = 2, .shape = four, .chunks = two, .dtype = "uint16", .codecs = "zstd"),
	    NULL, &err));
	assert_ok(zinc_array_chunk_put(a, origin, "rubbish", 7, NULL, &err));
	zinc_array_close(a);
}

static void
enter(scene *s, zinc_hierarchy *h, const char *root)
{
	zinc_error err = ZINC_ERROR_INIT;

	s->h = h;
	snprintf(s->url, sizeof s->url, "%s/g/t", root);
	assert_ok(zinc_array_open(&s->a, h, "g/t", NULL, &err));
}

static void
leave(scene *s)
{
	zinc_array_close(s->a);
	zinc_hierarchy_close(s->h);
}

/* ---- calls that fail ---- */

#define CALL(name) static zinc_status name(const scene *s, zinc_error *err)

CALL(read_broken)
{
	return zinc_array_read(s->a, NULL, ZINC_BUFFER(v, sizeof v), NULL, err);
}

CALL(read_missing)
{
	return zinc_array_read_text(s->a, "0:2,2:4", ZINC_BUFFER(v, 8), ZINC_IO_OPTIONS(.missing_is_error = 1), err);
}

CALL(read_beyond)
{
	return zinc_array_read_text(s->a, "9,9", ZINC_BUFFER(v, 2), NULL, err);
}

CALL(read_short)
{
	return zinc_array_read(s->a, NULL, ZINC_BUFFER(v, 2), NULL, err);
}

CALL(read_oddly)
{
	return zinc_array_read(s->a, NULL, ZINC_BUFFER(v, sizeof v), ZINC_IO_OPTIONS(.convert = 99), err);
}

CALL(write_part)
{
	return zinc_array_write_text(s->a, "0,0", ZINC_BUFFER(v, 2), NULL, err);
}

CALL(resize_cancelled)
{
	zinc_cancel stop = ZINC_CANCEL_INIT;

	zinc_cancel_set(&stop);
	return zinc_array_resize(s->a, two, ZINC_CALL_OPTIONS(.cancel = &stop), err);
}

CALL(append_axis)
{
	zinc_buffer b = ZINC_BUFFER_INIT(ZINC_UINT16, v, sizeof v);

	b.ndim = 2;
	b.shape = four;
	return zinc_array_append(s->a, 7, &b, NULL, NULL, err);
}

CALL(get_missing)
{
	zinc_blob b = ZINC_BLOB_INIT;
	static const uint64_t next[2] = {0, 1};

	return zinc_array_chunk_get(s->a, next, &b, NULL, err);
}

CALL(get_beyond)
{
	zinc_blob b = ZINC_BLOB_INIT;

	return zinc_array_chunk_get(s->a, far_off, &b, NULL, err);
}

CALL(get_attribute)
{
	zinc_blob b = ZINC_BLOB_INIT;

	return zinc_attributes_get(s->h, "g/t", "nothing", &b, NULL, err);
}

CALL(edit_attribute)
{
	static const zinc_attribute gone = {"nothing", NULL};

	return zinc_attributes_edit(s->h, "g/t", &gone, 1, NULL, err);
}

CALL(create_again)
{
	zinc_array *a = NULL;

	return zinc_array_create(&a, s->h, "/g/t", ZINC_ARRAY_OPTIONS(.ndim = 2, .shape = four, .dtype = "int8"), err);
}

CALL(stats)
{
	zinc_stats out = ZINC_STATS_INIT;

	return zinc_array_stats(s->a, NULL, NULL, &out, err);
}

static const struct row {
	const char *name;
	zinc_status (*call)(const scene *s, zinc_error *err);
	const char *key;
	bool writes;
} rows[] = {
    {"read, corrupt", read_broken, "g/t/c/0/0", false},
    {"read, missing", read_missing, "g/t/c/0/1", false},
    {"read, out of bounds", read_beyond, "", false},
    {"read, buffer too small", read_short, "", false},
    {"read, options", read_oddly, "", false},
    {"write", write_part, "g/t/c/0/0", true},
    {"resize", resize_cancelled, NULL, true},
    {"append", append_axis, "", true},
    {"chunk_get, missing", get_missing, "g/t/c/0/1", false},
    {"chunk_get, out of bounds", get_beyond, "", false},
    {"attributes_get", get_attribute, NULL, false},
    {"attributes_edit", edit_attribute, NULL, true},
    {"create", create_again, NULL, true},
    {"stats", stats, "g/t/c/0/0", false},
};

static void
all_name_the_array(const scene *s, bool writable)
{
	size_t i;

	for (i = 0; i < COUNT(rows); i++) {
		zinc_error err = ZINC_ERROR_INIT;
		const zinc_status st = rows[i].writes && !writable ? ZINC_OK : rows[i].call(s, &err);

		if (rows[i].writes && !writable)
			continue;
		if (st == ZINC_OK || strcmp(err.url, s->url) != 0 || (rows[i].key && strcmp(err.key, rows[i].key) != 0))
			fail_msg("%s: %d, \"%s\", key \"%s\"", rows[i].name, (int)st, err.url, err.key);
	}
}

static void
files(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	char here[64], root[96];
	scene s;

	(void)state;
	assert_non_null(getcwd(here, sizeof here));
	make_empty("x");
	make("x/a.zarr/g/t");
	assert_ok(zinc_array_open_url(&s.a, "x/a.zarr/g/t", NULL, &err));
	s.h = zinc_hierarchy_ref(zinc_array_hierarchy(s.a));
	snprintf(root, sizeof root, "%s/x/a.zarr", here);
	snprintf(s.url, sizeof s.url, "%s/g/t", root);
	all_name_the_array(&s, true);
	leave(&s);
}

static void
below_a_prefix(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_hierarchy *h = NULL;
	zinc_store *m = NULL;
	scene s;

	(void)state;
	assert_ok(zinc_store_open(&m, "memory://urls", NULL, &err));
	make("memory://urls/x/a.zarr/g/t");
	assert_ok(zinc_hierarchy_open_url(&h, "memory://urls/x/a.zarr", NULL, &err));
	enter(&s, h, "memory://urls/x/a.zarr");
	all_name_the_array(&s, true);
	leave(&s);
	zinc_store_close(m);
}

static void
web_servers(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_hierarchy *h = NULL;
	zinc_store *store;
	web server;
	scene s;

	(void)state;
	if (!web_can())
		skip();
	make_empty("x");
	make("x/a.zarr/g/t");
	web_start(&server, "x", false);
	store = web_open(&server, "plain", NULL);
	assert_ok(zinc_hierarchy_open(&h, store, "a.zarr", NULL, &err));
	enter(&s, h, web_url(&server, "plain/a.zarr"));
	all_name_the_array(&s, false);
	leave(&s);
	zinc_store_close(store);
	web_stop(&server);
}

/* ---- arguments that mean nothing ---- */

static zinc_status
no_update(void *arg, const void *old, size_t nold, zinc_update *out, zinc_error *err)
{
	(void)arg, (void)old, (void)nold, (void)out, (void)err;
	fail_msg("called");
	return ZINC_OK;
}

static zinc_status
no_splice(void *arg, const zinc_old *old, zinc_splice *out, zinc_error *err)
{
	(void)arg, (void)old, (void)out, (void)err;
	fail_msg("called");
	return ZINC_OK;
}

static void
numbers_without_a_meaning_are_refused(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_hierarchy *h = NULL;
	zinc_put_group *group = NULL;
	zinc_store *m = NULL;
	zinc_array *a = NULL;
	char text[8];
	size_t n;

	(void)state;
	assert_ok(zinc_store_open(&m, "memory://odd", NULL, &err));
	make("memory://odd/a.zarr/g/t");
	assert_ok(zinc_hierarchy_open_url(&h, "memory://odd/a.zarr", NULL, &err));
	assert_ok(zinc_array_open(&a, h, "g/t", NULL, &err));
	assert_int_equal(zinc_group_create(h, "/g", NULL, 3, NULL, &err), ZINC_E_INVALID);
	assert_int_equal(zinc_group_create(h, "/g", NULL, -1, NULL, &err), ZINC_E_INVALID);
	assert_int_equal(zinc_group_create_url("memory://odd/g", NULL, 3, NULL, &err), ZINC_E_INVALID);
	assert_int_equal(zinc_node_check_place("memory://odd/n", ZINC_NODE_GROUP, 3, NULL, NULL, &err), ZINC_E_INVALID);
	assert_int_equal(zinc_node_check_place("memory://odd/n", ZINC_NODE_NONE, 0, NULL, NULL, &err), ZINC_E_INVALID);
	assert_int_equal(zinc_node_check_place("memory://odd/n", (zinc_node_kind)9, 0, NULL, NULL, &err),
			 ZINC_E_INVALID);
	assert_int_equal(zinc_consolidate(h, "/", 2, NULL, &err), ZINC_E_INVALID);
	assert_int_equal(zinc_store_put(m, NULL, "k", "v", 1, NULL, 8, NULL, NULL, &err), ZINC_E_INVALID);
	assert_int_equal(zinc_store_del(m, NULL, "k", NULL, 8, NULL, &err), ZINC_E_INVALID);
	assert_int_equal(zinc_store_put_begin(m, &group, 8, NULL, &err), ZINC_E_INVALID);
	assert_int_equal(zinc_store_del_prefix(m, "g/", 8, NULL, &err), ZINC_E_INVALID);
	assert_int_equal(zinc_store_update(m, "k", no_update, NULL, 0, 0, 8, NULL, &err), ZINC_E_INVALID);
	assert_int_equal(zinc_store_splice(m, "k", no_splice, NULL, 0, 0, 8, NULL, &err), ZINC_E_INVALID);
	assert_int_equal(zinc_array_element_print(a, v, (zinc_spelling)3, text, sizeof text, &n, &err), ZINC_E_INVALID);
	zinc_array_close(a);
	zinc_hierarchy_close(h);
	zinc_store_close(m);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(files),
	    cmocka_unit_test(below_a_prefix),
	    cmocka_unit_test(web_servers),
	    cmocka_unit_test(numbers_without_a_meaning_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
