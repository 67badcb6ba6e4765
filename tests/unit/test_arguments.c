/*
 * test_arguments.c - public functions refuse invalid arguments: NULL where a value is needed, numbers without a meaning
 *
 * Every function of include/ that returns a status is called here without each required argument, and returns
 * E_INVALID with its own name.
 */
#include <math.h>
#include <string.h>
#include <zinc/conventions.h>
#include <zinc/erase.h>
#include <zinc/extend.h>
#include <zinc/numpy.h>
#include <zinc/tool.h>

#include "support/files.h"
#include "support/test.h"

static zinc_store *s;
static zinc_hierarchy *h;
static zinc_array *a;
static zinc_error err;

/* Is `call`, "zinc_f(x, y)", refused, and does the error begin with "zinc_f"? */
static void
refused(zinc_status st, const char *call)
{
	const size_t n = strcspn(call, "(");

	if (st != ZINC_E_INVALID || err.code != ZINC_E_INVALID)
		fail_msg("%s: %s", call, zinc_status_name(st));
	if (strncmp(err.text, call, n) != 0)
		fail_msg("%s: %s", call, err.text);
	err = (zinc_error)ZINC_ERROR_INIT;
}

#define REFUSED(call) refused(call, #call)

/* The same if a member is wrong, or if a shared function finds it: the text says what is wrong. */
#define INVALID(call, why)                                                                                             \
	do {                                                                                                           \
		assert_int_equal(call, ZINC_E_INVALID);                                                                \
		if (!strstr(err.text, why))                                                                            \
			fail_msg("%s: %s", #call, err.text);                                                           \
		err = (zinc_error)ZINC_ERROR_INIT;                                                                     \
	} while (0)

static int
set_up(void **state)
{
	const uint64_t shape[] = {4};

	(void)state;
	enter_fast_dir();
	assert_ok(zinc_store_open(&s, "memory://arguments", NULL, &err));
	assert_ok(zinc_hierarchy_open(&h, s, "", ZINC_OPEN_OPTIONS(.create = 1), &err));
	assert_ok(zinc_group_create(h, "/", NULL, 0, NULL, &err));
	assert_ok(zinc_array_create(&a, h, "a", ZINC_ARRAY_OPTIONS(.ndim = 1, .shape = shape, .dtype = "int8"), &err));
	return 0;
}

static int
tear_down(void **state)
{
	(void)state;
	zinc_array_close(a);
	zinc_hierarchy_close(h);
	zinc_store_close(s);
	leave_fast_dir();
	return 0;
}

/* ---- functions that are handed over ---- */

static int
on_node(void *arg, const zinc_node *node)
{
	(void)arg, (void)node;
	return 0;
}

static int
on_convention(void *arg, const zinc_convention *c)
{
	(void)arg, (void)c;
	return 0;
}

static int
on_verdict(void *arg, const zinc_verdict *v)
{
	(void)arg, (void)v;
	return 0;
}

static int
on_level(void *arg, const zinc_scale_level *level)
{
	(void)arg, (void)level;
	return 0;
}

static int
on_declaration(void *arg, const zinc_declaration *d)
{
	(void)arg, (void)d;
	return 0;
}

static int
on_key(void *arg, const char *key, uint64_t nbytes)
{
	(void)arg, (void)key, (void)nbytes;
	return 0;
}

static int
on_entry(void *arg, const char *key, int is_prefix)
{
	(void)arg, (void)key, (void)is_prefix;
	return 0;
}

static zinc_status
on_update(void *arg, const void *old, size_t nold, zinc_update *out, zinc_error *e)
{
	(void)arg, (void)old, (void)nold, (void)e;
	out->keep = 1;
	return ZINC_OK;
}

static zinc_status
on_splice(void *arg, const zinc_old *old, zinc_splice *out, zinc_error *e)
{
	(void)arg, (void)old, (void)e;
	out->keep = 1;
	return ZINC_OK;
}

static void
on_got(void *arg, size_t i, const zinc_got *got)
{
	(void)i;
	*(zinc_found *)arg = got->found;
}

static void
on_outcome(void *arg, size_t i, const zinc_outcome *outcome)
{
	(void)i;
	*(zinc_status *)arg = outcome->status;
}

static zinc_room
no_room(void *arg, size_t i, uint64_t nbytes, void **buf)
{
	(void)arg, (void)i, (void)nbytes, (void)buf;
	return ZINC_ROOM_FAIL;
}

/* ---- NULL ---- */

static void
contexts_and_handles(void **state)
{
	zinc_hierarchy *h2;
	zinc_array *b;
	zinc_store *t;
	const zinc_array_options *o = ZINC_ARRAY_OPTIONS(.dtype = "int8");

	(void)state;
	REFUSED(zinc_context_new(NULL, NULL, &err));
	REFUSED(zinc_arena_new(NULL, NULL, 0, &err));
	REFUSED(zinc_store_open(NULL, "memory://x", NULL, &err));
	REFUSED(zinc_store_open(&t, NULL, NULL, &err));
	REFUSED(zinc_hierarchy_open_url(NULL, "a.zarr", NULL, &err));
	REFUSED(zinc_hierarchy_open_url(&h2, NULL, NULL, &err));
	REFUSED(zinc_hierarchy_open(NULL, s, "", NULL, &err));
	REFUSED(zinc_hierarchy_open(&h2, NULL, "", NULL, &err));
	REFUSED(zinc_array_create(NULL, h, "b", o, &err));
	REFUSED(zinc_array_create(&b, NULL, "b", o, &err));
	REFUSED(zinc_array_create(&b, h, "b", NULL, &err));
	REFUSED(zinc_array_create_url(NULL, "a.zarr", o, NULL, &err));
	REFUSED(zinc_array_create_url(&b, NULL, o, NULL, &err));
	REFUSED(zinc_array_create_url(&b, "a.zarr", NULL, NULL, &err));
	REFUSED(zinc_array_open(NULL, h, "a", NULL, &err));
	REFUSED(zinc_array_open(&b, NULL, "a", NULL, &err));
	REFUSED(zinc_array_open_document(NULL, h, "a", "{}", &err));
	REFUSED(zinc_array_open_document(&b, NULL, "a", "{}", &err));
	REFUSED(zinc_array_open_document(&b, h, "a", NULL, &err));
	REFUSED(zinc_array_open_url(NULL, "a.zarr", NULL, &err));
	REFUSED(zinc_array_open_url(&b, NULL, NULL, &err));
	assert_string_equal(tree("."), "");
}

static void
arrays(void **state)
{
	const uint64_t i[] = {0};
	uint64_t shape[ZINC_MAX_NDIM];
	zinc_numpy *type = NULL;
	zinc_blob b = ZINC_BLOB_INIT;
	zinc_stored stored = ZINC_STORED_INIT;
	zinc_stats stats = ZINC_STATS_INIT;
	zinc_explanation why = ZINC_EXPLANATION_INIT;
	zinc_selection *sel;
	zinc_writer *w = NULL;
	zinc_array *opened = NULL;
	char text[4], v[4] = {0};
	size_t n;
	int ndim;

	(void)state;
	REFUSED(zinc_array_refresh(NULL, NULL, &err));
	REFUSED(zinc_array_describe(NULL, &b, &err));
	REFUSED(zinc_array_describe(a, NULL, &err));
	REFUSED(zinc_array_info_describe(NULL, &b, &err));
	REFUSED(zinc_array_info_open(&opened, NULL, NULL, &err));
	REFUSED(zinc_array_element_print(NULL, v, ZINC_SPELL_TEXT, text, 4, &n, &err));
	REFUSED(zinc_array_element_print(a, NULL, ZINC_SPELL_TEXT, text, 4, &n, &err));
	REFUSED(zinc_array_element_print(a, v, ZINC_SPELL_TEXT, NULL, 4, &n, &err));
	REFUSED(zinc_array_element_print(a, v, ZINC_SPELL_TEXT, text, 4, NULL, &err));
	REFUSED(zinc_array_read(NULL, NULL, ZINC_BUFFER(v, 4), NULL, &err));
	REFUSED(zinc_array_read(a, NULL, NULL, NULL, &err));
	REFUSED(zinc_array_write(NULL, NULL, ZINC_BUFFER(v, 4), NULL, &err));
	REFUSED(zinc_array_write(a, NULL, NULL, NULL, &err));
	REFUSED(zinc_array_read_text(NULL, "0", ZINC_BUFFER(v, 1), NULL, &err));
	REFUSED(zinc_array_read_text(a, "0", NULL, NULL, &err));
	REFUSED(zinc_array_write_text(NULL, "0", ZINC_BUFFER(v, 1), NULL, &err));
	REFUSED(zinc_array_write_text(a, "0", NULL, NULL, &err));
	REFUSED(zinc_selection_parse(NULL, a, "0", &err));
	REFUSED(zinc_selection_parse(&sel, NULL, "0", &err));
	REFUSED(zinc_selection_parse(&sel, a, NULL, &err));
	REFUSED(zinc_array_selection_shape(NULL, NULL, &ndim, shape, &err));
	REFUSED(zinc_array_selection_shape(a, NULL, NULL, shape, &err));
	REFUSED(zinc_array_selection_shape(a, NULL, &ndim, NULL, &err));
	REFUSED(zinc_array_chunk_get(NULL, i, &b, NULL, &err));
	REFUSED(zinc_array_chunk_get(a, NULL, &b, NULL, &err));
	REFUSED(zinc_array_chunk_get(a, i, NULL, NULL, &err));
	REFUSED(zinc_array_chunk_put(NULL, i, "", 0, NULL, &err));
	REFUSED(zinc_array_chunk_put(a, NULL, "", 0, NULL, &err));
	REFUSED(zinc_array_chunk_key(NULL, i, &b, &err));
	REFUSED(zinc_array_chunk_key(a, NULL, &b, &err));
	REFUSED(zinc_array_chunk_key(a, i, NULL, &err));
	REFUSED(zinc_array_resize(NULL, i, NULL, &err));
	REFUSED(zinc_array_resize(a, NULL, NULL, &err));
	REFUSED(zinc_array_resize_check(NULL, i, &err));
	REFUSED(zinc_array_resize_check(a, NULL, &err));
	REFUSED(zinc_array_append(NULL, 0, ZINC_BUFFER(v, 4), NULL, NULL, &err));
	REFUSED(zinc_array_append(a, 0, NULL, NULL, NULL, &err));
	REFUSED(zinc_array_stack(NULL, NULL, &err));
	REFUSED(zinc_array_stored(NULL, &stored, NULL, &err));
	REFUSED(zinc_array_stored(a, NULL, NULL, &err));
	REFUSED(zinc_array_explain(NULL, NULL, NULL, NULL, NULL, &why, &err));
	REFUSED(zinc_array_explain(a, NULL, NULL, NULL, NULL, NULL, &err));
	REFUSED(zinc_array_stats(NULL, NULL, NULL, &stats, &err));
	REFUSED(zinc_array_stats(a, NULL, NULL, NULL, &err));
	REFUSED(zinc_writer_new(NULL, a, 0, NULL, &err));
	REFUSED(zinc_writer_new(&w, NULL, 0, NULL, &err));
	assert_ok(zinc_writer_new(&w, a, 0, NULL, &err));
	REFUSED(zinc_writer_write(NULL, NULL, ZINC_BUFFER(v, 4), NULL, &err));
	REFUSED(zinc_writer_write(w, NULL, NULL, NULL, &err));
	REFUSED(zinc_writer_flush(NULL, NULL, &err));
	assert_ok(zinc_writer_close(w, NULL, &err));
	assert_ok(zinc_writer_close(NULL, NULL, &err));
	REFUSED(zinc_numpy_new(NULL, NULL, "<i4", &err));
	REFUSED(zinc_numpy_new(&type, NULL, NULL, &err));
	assert_ok(zinc_numpy_new(&type, NULL, "|i1", &err));
	REFUSED(zinc_array_from_numpy(NULL, type, v, v, 1, 0, NULL, &err));
	REFUSED(zinc_array_from_numpy(a, NULL, v, v, 1, 0, NULL, &err));
	REFUSED(zinc_array_from_numpy(a, type, NULL, v, 1, 0, NULL, &err));
	REFUSED(zinc_array_from_numpy(a, type, v, NULL, 1, 0, NULL, &err));
	REFUSED(zinc_array_to_numpy(NULL, type, v, v, 1, 0, &err));
	REFUSED(zinc_array_to_numpy(a, NULL, v, v, 1, 0, &err));
	REFUSED(zinc_array_to_numpy(a, type, NULL, v, 1, 0, &err));
	REFUSED(zinc_array_to_numpy(a, type, v, NULL, 1, 0, &err));
	zinc_numpy_free(type);
}

static void
nodes(void **state)
{
	zinc_blob b = ZINC_BLOB_INIT;
	zinc_node_kind kind;
	int has;

	(void)state;
	REFUSED(zinc_node_exists(NULL, "/", &kind, NULL, &err));
	assert_ok(zinc_node_exists(h, "/", NULL, NULL, &err));
	REFUSED(zinc_node_stat(NULL, "/", on_node, NULL, NULL, &err));
	REFUSED(zinc_node_stat(h, "/", NULL, NULL, NULL, &err));
	REFUSED(zinc_node_children(NULL, "/", on_node, NULL, NULL, &err));
	REFUSED(zinc_node_children(h, "/", NULL, NULL, NULL, &err));
	REFUSED(zinc_node_walk(NULL, "/", -1, on_node, NULL, NULL, &err));
	REFUSED(zinc_node_walk(h, "/", -1, NULL, NULL, NULL, &err));
	REFUSED(zinc_node_document(NULL, "/", &b, NULL, &err));
	REFUSED(zinc_node_document(h, "/", NULL, NULL, &err));
	REFUSED(zinc_group_create(NULL, "/", NULL, 0, NULL, &err));
	REFUSED(zinc_group_create_url(NULL, NULL, 0, NULL, &err));
	REFUSED(zinc_node_check_place(NULL, ZINC_NODE_GROUP, 0, NULL, NULL, &err));
	REFUSED(zinc_node_keep_parents(NULL, "/", NULL, &err));
	INVALID(zinc_node_erase(NULL, "/", NULL, &err), "needs a hierarchy");
	REFUSED(zinc_node_erase_with(NULL, "/", NULL, NULL, &err));
	REFUSED(zinc_attributes_get(NULL, "/", NULL, &b, NULL, &err));
	REFUSED(zinc_attributes_get(h, "/", NULL, NULL, NULL, &err));
	REFUSED(zinc_attributes_edit(NULL, "/", NULL, 0, NULL, &err));
	REFUSED(zinc_attributes_edit(h, "/", NULL, 1, NULL, &err));
	REFUSED(zinc_consolidate(NULL, "/", 0, NULL, &err));
	REFUSED(zinc_consolidated(NULL, "/", &has, NULL, &err));
	REFUSED(zinc_consolidated(h, "/", NULL, NULL, &err));
}

static void
conventions_and_tools(void **state)
{
	zinc_blob b = ZINC_BLOB_INIT;

	(void)state;
	REFUSED(zinc_conventions_new(NULL, NULL, &err));
	REFUSED(zinc_conventions_list(NULL, "/", on_convention, NULL, NULL, &err));
	REFUSED(zinc_conventions_list(h, "/", NULL, NULL, NULL, &err));
	REFUSED(zinc_conventions_properties(NULL, "/", "proj", &b, NULL, &err));
	REFUSED(zinc_conventions_properties(h, "/", NULL, &b, NULL, &err));
	REFUSED(zinc_conventions_properties(h, "/", "proj", NULL, NULL, &err));
	REFUSED(zinc_conventions_effective(NULL, "/", "license", &b, NULL, NULL, &err));
	REFUSED(zinc_conventions_effective(h, "/", NULL, &b, NULL, NULL, &err));
	REFUSED(zinc_conventions_effective(h, "/", "license", NULL, NULL, NULL, &err));
	REFUSED(zinc_conventions_check(NULL, NULL, "/", on_verdict, NULL, NULL, &err));
	REFUSED(zinc_conventions_check(NULL, h, "/", NULL, NULL, NULL, &err));
	REFUSED(zinc_conventions_add(NULL, "/", "proj", ZINC_SHAPE_CURRENT, NULL, &err));
	REFUSED(zinc_conventions_add(h, "/", NULL, ZINC_SHAPE_CURRENT, NULL, &err));
	REFUSED(zinc_conventions_declare(NULL, "/", "proj", NULL, &err));
	REFUSED(zinc_conventions_declare(h, "/", NULL, NULL, &err));
	REFUSED(zinc_conventions_remove(NULL, "/", "proj", NULL, &err));
	REFUSED(zinc_conventions_remove(h, "/", NULL, NULL, &err));
	REFUSED(zinc_multiscale_levels(NULL, "/", on_level, NULL, NULL, &err));
	REFUSED(zinc_multiscale_levels(h, "/", NULL, NULL, NULL, &err));
	REFUSED(zinc_validate(NULL, NULL, NULL, NULL, NULL, &err));
	REFUSED(zinc_copy(NULL, "/a", h, "/b", NULL, NULL, &err));
	REFUSED(zinc_copy(h, "/a", NULL, "/b", NULL, NULL, &err));
	REFUSED(zinc_copy_url(NULL, "b.zarr", NULL, NULL, &err));
	REFUSED(zinc_copy_url("a.zarr", NULL, NULL, NULL, &err));
	REFUSED(zinc_move(NULL, "/a", "/b", NULL, &err));
	REFUSED(zinc_node_copy(NULL, "/a", h, "/b", NULL, &err));
	REFUSED(zinc_node_copy(h, "/a", NULL, "/b", NULL, &err));
	REFUSED(zinc_diff(NULL, "/", h, "/", NULL, NULL, NULL, NULL, &err));
	REFUSED(zinc_diff(h, "/", NULL, "/", NULL, NULL, NULL, NULL, &err));
	REFUSED(zinc_json_each(NULL, NULL, NULL, NULL, &err));
}

static void
things_of_ones_own(void **state)
{
	zinc_transformer_input in = {.size = sizeof in};
	zinc_store *out;

	(void)state;
	REFUSED(zinc_extensions(NULL, "/", on_declaration, NULL, NULL, &err));
	REFUSED(zinc_extensions(h, "/", NULL, NULL, NULL, &err));
	REFUSED(zinc_register_codec(NULL, &err));
	REFUSED(zinc_register_dtype(NULL, &err));
	REFUSED(zinc_register_grid(NULL, &err));
	REFUSED(zinc_register_key_encoding(NULL, &err));
	REFUSED(zinc_register_memory_layout(NULL, &err));
	REFUSED(zinc_register_metadata_encoding(NULL, &err));
	REFUSED(zinc_register_extension(NULL, &err));
	REFUSED(zinc_register_transformer(NULL, &err));
	REFUSED(zinc_layer_cache(&out, NULL, NULL, &err));
	REFUSED(zinc_layer_cache(&out, NULL, &in, &err));
	REFUSED(zinc_layer_log(&out, NULL, NULL, &err));
	REFUSED(zinc_layer_log(&out, NULL, &in, &err));
	in.next = s;
	REFUSED(zinc_layer_cache(NULL, NULL, &in, &err));
	REFUSED(zinc_layer_log(NULL, NULL, &in, &err));
	REFUSED(zinc_store_sharded(&out, NULL, NULL, &err));
	REFUSED(zinc_store_sharded(&out, s, NULL, &err));
}

static void
stores(void **state)
{
	const zinc_sink sink = {.size = sizeof sink, .room = no_room, .done = on_got};
	const zinc_done done = {.size = sizeof done, .done = on_outcome};
	const zinc_lister deaf = {.size = sizeof deaf}, to = {.size = sizeof to, .key = on_key};
	const char *const keys[] = {"k"};
	zinc_get get = {.key = "k", .length = ZINC_TO_END};
	zinc_put put = {.key = "k"};
	zinc_del del = {.key = "k"};
	zinc_partial part = {.key = "k", .bytes = "x", .nbytes = 1};
	zinc_put_group *group;
	zinc_blob b = ZINC_BLOB_INIT;
	zinc_store *out;

	(void)state;
	REFUSED(zinc_store_get(NULL, &get, 1, &sink, NULL, &err));
	REFUSED(zinc_store_get(s, NULL, 1, &sink, NULL, &err));
	REFUSED(zinc_store_get(s, &get, 1, NULL, NULL, &err));
	REFUSED(zinc_store_get_all(NULL, "k", &b, NULL, 0, NULL, &err));
	REFUSED(zinc_store_get_all(s, "k", NULL, NULL, 0, NULL, &err));
	REFUSED(zinc_store_put_many(NULL, NULL, &put, 1, &done, 0, NULL, &err));
	REFUSED(zinc_store_put_many(s, NULL, NULL, 1, &done, 0, NULL, &err));
	REFUSED(zinc_store_put_many(s, NULL, &put, 1, NULL, 0, NULL, &err));
	REFUSED(zinc_store_del_many(NULL, NULL, &del, 1, &done, 0, NULL, &err));
	REFUSED(zinc_store_del_many(s, NULL, NULL, 1, &done, 0, NULL, &err));
	REFUSED(zinc_store_del_many(s, NULL, &del, 1, NULL, 0, NULL, &err));
	REFUSED(zinc_store_put(NULL, NULL, "k", "x", 1, NULL, 0, NULL, NULL, &err));
	REFUSED(zinc_store_put(s, NULL, "k", NULL, 1, NULL, 0, NULL, NULL, &err));
	REFUSED(zinc_store_del(NULL, NULL, "k", NULL, 0, NULL, &err));
	REFUSED(zinc_store_del_keys(NULL, keys, 1, 0, NULL, &err));
	REFUSED(zinc_store_del_keys(s, NULL, 1, 0, NULL, &err));
	REFUSED(zinc_store_put_begin(NULL, &group, 0, NULL, &err));
	REFUSED(zinc_store_put_begin(s, NULL, 0, NULL, &err));
	REFUSED(zinc_store_commit(NULL, NULL, NULL, NULL, NULL, &err));
	REFUSED(zinc_store_commit(s, NULL, NULL, NULL, NULL, &err));
	REFUSED(zinc_store_update(NULL, "k", on_update, NULL, 0, 0, 0, NULL, &err));
	REFUSED(zinc_store_update(s, "k", NULL, NULL, 0, 0, 0, NULL, &err));
	REFUSED(zinc_store_splice(NULL, "k", on_splice, NULL, 0, 0, 0, NULL, &err));
	REFUSED(zinc_store_splice(s, "k", NULL, NULL, 0, 0, 0, NULL, &err));
	REFUSED(zinc_store_put_partial(NULL, &part, 1, 0, 0, NULL, &err));
	REFUSED(zinc_store_put_partial(s, NULL, 1, 0, 0, NULL, &err));
	REFUSED(zinc_store_del_prefix(NULL, "x/", 0, NULL, &err));
	REFUSED(zinc_store_list(NULL, "", on_key, NULL, NULL, &err));
	REFUSED(zinc_store_list(s, "", NULL, NULL, NULL, &err));
	REFUSED(zinc_store_list_dir(NULL, "", on_entry, NULL, NULL, &err));
	REFUSED(zinc_store_list_dir(s, "", NULL, NULL, NULL, &err));
	REFUSED(zinc_store_walk(NULL, "", &to, NULL, &err));
	REFUSED(zinc_store_walk(s, "", NULL, NULL, &err));
	REFUSED(zinc_store_walk(s, "", &deaf, NULL, &err));
	REFUSED(zinc_store_sync(NULL, NULL, &err));
	REFUSED(zinc_store_scrub(NULL, "", 0, NULL, NULL, NULL, &err));
	REFUSED(zinc_store_register(NULL, &err));
	REFUSED(zinc_store_wrap(NULL, NULL, NULL, NULL, "", &err));
	REFUSED(zinc_store_wrap(&out, NULL, NULL, NULL, "", &err));
	REFUSED(zinc_store_readonly(NULL, s, &err));
	REFUSED(zinc_store_readonly(&out, NULL, &err));
	REFUSED(zinc_store_prefix(NULL, s, "x/", &err));
	REFUSED(zinc_store_prefix(&out, NULL, "x/", &err));
	REFUSED(zinc_store_prefix(&out, s, NULL, &err));
	REFUSED(zinc_store_cache(NULL, s, NULL, &err));
	REFUSED(zinc_store_cache(&out, NULL, NULL, &err));
	REFUSED(zinc_store_cache(&out, s, ZINC_STORE_CACHE_OPTIONS(.age = -1), &err));
	REFUSED(zinc_store_log(NULL, s, NULL, NULL, &err));
	REFUSED(zinc_store_log(&out, NULL, NULL, NULL, &err));
	INVALID(zinc_store_get_all(s, NULL, &b, NULL, 0, NULL, &err), "key");
	INVALID(zinc_store_list(s, NULL, on_key, NULL, NULL, &err), "prefix");
}

/* ---- numbers and members without a meaning ---- */

static void
requests(void **state)
{
	const zinc_get good = {.key = "k", .length = 1};
	zinc_found found = ZINC_FAILED;
	const zinc_sink sink = {.size = sizeof sink, .room = no_room, .done = on_got, .arg = &found};
	zinc_get get = good;

	(void)state;
	assert_ok(zinc_store_get(s, &get, 1, &sink, NULL, &err));
	assert_int_equal(found, ZINC_MISSING);
	for (int i = 0; i < 2; i++) {
		get = good;
		get.reserved[i] = 1;
		INVALID(zinc_store_get(s, &get, 1, &sink, NULL, &err), "reserved");
	}
	get = good;
	get.untagged = 1;
	assert_ok(zinc_store_get(s, &get, 1, &sink, NULL, &err));
	get.untagged = 2;
	INVALID(zinc_store_get(s, &get, 1, &sink, NULL, &err), "untagged");
	get = good;
	get.suffix = 2;
	INVALID(zinc_store_get(s, &get, 1, &sink, NULL, &err), "suffix");
	get = good;
	get.stat = -1;
	INVALID(zinc_store_get(s, &get, 1, &sink, NULL, &err), "stat");
}

/* The stored value does not change. */
static void
changes(void **state)
{
	const struct iovec iov = {(void *)(uintptr_t) "new", 3};
	const zinc_put good = {.key = "k", .iov = &iov, .niov = 1};
	const zinc_condition odd = {(zinc_when)7, NULL}, negative = {(zinc_when)-1, NULL};
	zinc_status told = ZINC_OK;
	const zinc_done done = {.size = sizeof done, .done = on_outcome, .arg = &told};
	zinc_put put = good;
	zinc_del del = {.key = "k"};
	zinc_blob b = ZINC_BLOB_INIT;

	(void)state;
	assert_ok(zinc_store_put(s, NULL, "k", "precious", 8, NULL, 0, NULL, NULL, &err));
	put.niov = -1;
	INVALID(zinc_store_put_many(s, NULL, &put, 1, &done, 0, NULL, &err), "niov");
	put = good;
	put.iov = NULL;
	INVALID(zinc_store_put_many(s, NULL, &put, 1, &done, 0, NULL, &err), "niov");
	for (int i = 0; i < 3; i++) {
		put = good;
		put.reserved[i] = 1;
		INVALID(zinc_store_put_many(s, NULL, &put, 1, &done, 0, NULL, &err), "reserved");
	}
	INVALID(zinc_store_put(s, NULL, "k", "x", 1, &odd, 0, NULL, NULL, &err), "condition");
	INVALID(zinc_store_put(s, NULL, "k", "x", 1, &negative, 0, NULL, NULL, &err), "condition");
	INVALID(zinc_store_del(s, NULL, "k", &odd, 0, NULL, &err), "condition");
	for (int i = 0; i < 2; i++) {
		del = (zinc_del){.key = "k"};
		del.reserved[i] = 1;
		INVALID(zinc_store_del_many(s, NULL, &del, 1, &done, 0, NULL, &err), "reserved");
	}
	assert_ok(zinc_store_get_all(s, "k", &b, NULL, 0, NULL, &err));
	assert_string_equal(b.data, "precious");
	zinc_blob_fini(&b);
	assert_ok(zinc_store_del(s, NULL, "k", NULL, 0, NULL, &err));
}

static zinc_status
reserved_part(void *arg, const zinc_old *old, zinc_splice *out, zinc_error *e)
{
	static const zinc_part part = {(const uint8_t *)"x", 0, 1, 1};

	(void)arg, (void)old, (void)e;
	out->parts = &part;
	out->nparts = 1;
	return ZINC_OK;
}

static void
parts_of_values(void **state)
{
	const zinc_partial good = {.key = "p", .bytes = "x", .nbytes = 1};
	zinc_partial part = good;

	(void)state;
	INVALID(zinc_store_put_partial(s, &part, 1, 2, 0, NULL, &err), "single_writer");
	part.reserved = 1;
	INVALID(zinc_store_put_partial(s, &part, 1, 0, 0, NULL, &err), "reserved");
	part = good;
	part.bytes = NULL;
	INVALID(zinc_store_put_partial(s, &part, 1, 0, 0, NULL, &err), "bytes");
	INVALID(zinc_store_update(s, "p", on_update, NULL, 2, 0, 0, NULL, &err), "single_writer");
	INVALID(zinc_store_splice(s, "p", on_splice, NULL, -1, 0, 0, NULL, &err), "single_writer");
	INVALID(zinc_store_splice(s, "p", reserved_part, NULL, 0, 0, 0, NULL, &err), "reserved");
}

static void
listings(void **state)
{
	zinc_lister to = {.size = sizeof to, .key = on_key, .own = 2};

	(void)state;
	INVALID(zinc_store_walk(s, "", &to, NULL, &err), "own");
	to.own = 0;
	to.locks = -1;
	INVALID(zinc_store_walk(s, "", &to, NULL, &err), "locks");
	INVALID(zinc_store_scrub(s, "", 2, NULL, NULL, NULL, &err), "remove");
}

static void
waits(void **state)
{
	static const zinc_wait bad[] = {
	    {0, 0.0, NULL}, {sizeof(zinc_wait), -1.0, NULL}, {sizeof(zinc_wait), NAN, NULL}};
	const zinc_sink sink = {.size = sizeof sink, .done = on_got};
	const zinc_done done = {.size = sizeof done, .done = on_outcome};
	const zinc_lister to = {.size = sizeof to, .key = on_key};
	zinc_put_group *group = NULL;
	zinc_blob b = ZINC_BLOB_INIT;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(bad); i++) {
		const zinc_wait *w = &bad[i];

		REFUSED(zinc_store_get(s, NULL, 0, &sink, w, &err));
		REFUSED(zinc_store_get_all(s, "k", &b, NULL, 0, w, &err));
		REFUSED(zinc_store_put_many(s, NULL, NULL, 0, &done, 0, w, &err));
		REFUSED(zinc_store_del_many(s, NULL, NULL, 0, &done, 0, w, &err));
		REFUSED(zinc_store_put(s, NULL, "k", "x", 1, NULL, 0, NULL, w, &err));
		REFUSED(zinc_store_del(s, NULL, "k", NULL, 0, w, &err));
		REFUSED(zinc_store_del_keys(s, NULL, 0, 0, w, &err));
		REFUSED(zinc_store_put_begin(s, &group, 0, w, &err));
		assert_ok(zinc_store_put_begin(s, &group, 0, NULL, &err));
		REFUSED(zinc_store_commit(s, group, NULL, NULL, w, &err)); /* and the group does not exist any more */
		REFUSED(zinc_store_update(s, "k", on_update, NULL, 0, 0, 0, w, &err));
		REFUSED(zinc_store_splice(s, "k", on_splice, NULL, 0, 0, 0, w, &err));
		REFUSED(zinc_store_put_partial(s, NULL, 0, 0, 0, w, &err));
		REFUSED(zinc_store_del_prefix(s, "x/", 0, w, &err));
		REFUSED(zinc_store_list(s, "", on_key, NULL, w, &err));
		REFUSED(zinc_store_list_dir(s, "", on_entry, NULL, w, &err));
		REFUSED(zinc_store_walk(s, "", &to, w, &err));
		REFUSED(zinc_store_sync(s, w, &err));
		REFUSED(zinc_store_scrub(s, "", 0, NULL, NULL, w, &err));
	}
}

/* As where a URL is opened: those of other stores are passed over. */
static void
settings(void **state)
{
	static const zinc_setting unknown = {"nobody.knows", "1"}, other = {"http.timeout", "5"}, empty = {"a", NULL};
	zinc_hierarchy *h2 = NULL;

	(void)state;
	INVALID(zinc_hierarchy_open(&h2, s, "", ZINC_OPEN_OPTIONS(.settings = &unknown, .nsettings = 1), &err),
		"nobody.knows");
	INVALID(zinc_hierarchy_open(&h2, s, "", ZINC_OPEN_OPTIONS(.settings = &empty, .nsettings = 1), &err), "value");
	INVALID(zinc_hierarchy_open(&h2, s, "", ZINC_OPEN_OPTIONS(.nsettings = 1), &err), "settings");
	assert_null(h2);
	assert_ok(zinc_hierarchy_open(&h2, s, "", ZINC_OPEN_OPTIONS(.settings = &other, .nsettings = 1), &err));
	zinc_hierarchy_close(h2);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(contexts_and_handles),
	    cmocka_unit_test(arrays),
	    cmocka_unit_test(nodes),
	    cmocka_unit_test(conventions_and_tools),
	    cmocka_unit_test(things_of_ones_own),
	    cmocka_unit_test(stores),
	    cmocka_unit_test(requests),
	    cmocka_unit_test(changes),
	    cmocka_unit_test(parts_of_values),
	    cmocka_unit_test(listings),
	    cmocka_unit_test(waits),
	    cmocka_unit_test(settings),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
