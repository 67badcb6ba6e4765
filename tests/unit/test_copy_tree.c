/* test_copy_tree.c - copies of nodes to other places and formats, promise by promise */
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <zinc/tool.h>

#include "remote_store.h"
#include "fault.h"
#include "nodes.h"
#include "test.h"

/* ---- a small hierarchy ---- */

static void
plant(forest *f)
{
	forest_put(f, "zarr.json", GROUP);
	forest_put(f, "g/zarr.json", " " GROUP "\n");
	forest_put(f, "g/a/zarr.json", ARRAY_WITH(", \"attributes\": {\"n\": 1.50}, \"dimension_names\": [\"x\"]"));
	forest_put(f, "g/a/c/0", "1122");
	forest_put(f, "g/a/c/7", "left over");
	forest_put(f, "g/h/b/zarr.json", ARRAY);
	forest_put(f, "g/note", "anything");
}

static zinc_hierarchy *
open_as(forest *f, const char *prefix, const char *format)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_hierarchy *h = NULL;

	assert_ok(zinc_hierarchy_open(&h, f->log, prefix, ZINC_OPEN_OPTIONS(.format = format, .create = 1), &err));
	return h;
}

/* ---- byte for byte within a format ---- */

static void
test_same(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_copy_counts n = ZINC_COPY_COUNTS_INIT;
	forest f, to;

	(void)state;
	forest_open(&f, "", ZINC_LENIENT);
	forest_open(&to, "p", ZINC_LENIENT);
	plant(&f);
	assert_ok(zinc_copy(f.h, "/g", to.h, "/x/y", ZINC_COPY_OPTIONS(.verify = 1), &n, &err));
	/* leftovers of a resize are not copied, foreign keys and implicit groups are */
	assert_string_equal(forest_keys(&to), "p/x/y/a/c/0 p/x/y/a/zarr.json p/x/y/h/b/zarr.json p/x/y/note "
					      "p/x/y/zarr.json p/x/zarr.json p/zarr.json");
	assert_string_equal(forest_get(&to, "p/x/y/zarr.json"), " " GROUP "\n");
	assert_string_equal(forest_get(&to, "p/x/y/a/c/0"), "1122");
	assert_string_equal(forest_get(&to, "p/x/y/note"), "anything");
	assert_int_equal(n.groups, 2);
	assert_int_equal(n.arrays, 2);
	assert_int_equal(n.objects, 2);
	assert_int_equal(n.raw, 2);
	assert_int_equal(n.lost + n.replaced, 0);
	forest_close(&to);
	forest_close(&f);
}

/* ---- a source that changes ---- */

struct change {
	forest *f;
	const char *text;
};

/* After an object was copied. */
static int
change_document(void *arg, uint64_t units_done, uint64_t units_total, uint64_t bytes_done)
{
	const struct change *c = arg;

	(void)units_done, (void)units_total, (void)bytes_done;
	forest_put(c->f, "g/a/zarr.json", c->text);
	return 0;
}

/* A document that another program changed during the copy may describe other objects. */
static void
test_changed(void **state)
{
	zinc_call_options call = ZINC_CALL_OPTIONS_INIT;
	zinc_error err = ZINC_ERROR_INIT;
	struct change c;
	forest f, to;

	(void)state;
	forest_open(&f, "", ZINC_LENIENT);
	forest_open(&to, "p", ZINC_LENIENT);
	plant(&f);
	c = (struct change){&f, ARRAY};
	call.progress = change_document;
	call.progress_arg = &c;
	assert_int_equal(zinc_copy(f.h, "/g/a", to.h, "/x", ZINC_COPY_OPTIONS(.call = &call), NULL, &err),
			 ZINC_E_CONFLICT);
	assert_string_equal(err.key, "g/a/zarr.json");
	assert_null(forest_get(&to, "p/x/zarr.json"));
	assert_ok(zinc_copy(f.h, "/g/a", to.h, "/x", ZINC_COPY_OPTIONS(.overwrite = 1), NULL, &err));
	assert_string_equal(forest_get(&to, "p/x/zarr.json"), ARRAY);
	forest_close(&to);
	forest_close(&f);
}

/* ---- other formats ---- */

struct notes {
	unsigned n[4];
	char lost[512], replaced[2048];
};

static int
listen(void *arg, const zinc_copy_note *note)
{
	struct notes *t = arg;

	t->n[note->kind]++;
	if (note->kind == ZINC_COPY_LOST)
		snprintf(t->lost + strlen(t->lost), sizeof t->lost - strlen(t->lost), "%s %s|", note->path,
			 note->message);
	if (note->kind == ZINC_COPY_REPLACED)
		snprintf(t->replaced + strlen(t->replaced), sizeof t->replaced - strlen(t->replaced), "%s %s|",
			 note->path, note->message);
	return 0;
}

static void
test_other_format(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	struct notes t = {{0}, "", ""};
	zinc_copy_counts n = ZINC_COPY_COUNTS_INIT;
	zinc_hierarchy *v2, *back;
	forest f;

	(void)state;
	forest_open(&f, "src", ZINC_LENIENT);
	forest_put(&f, "src/zarr.json", GROUP);
	forest_put(&f, "src/a/zarr.json", ARRAY_WITH(", \"attributes\": {\"n\": 1.50}, \"dimension_names\": [\"x\"]"));
	forest_put(&f, "src/a/c/0", "1122");
	forest_put(&f, "src/i/b/zarr.json", ARRAY); /* below an implicit group */
	forest_put(&f, "src/note", "anything");
	v2 = open_as(&f, "two", "v2");
	assert_ok(
	    zinc_copy(f.h, "/", v2, "/", ZINC_COPY_OPTIONS(.verify = 1, .note = listen, .note_arg = &t), &n, &err));
	assert_string_equal(t.lost, "");
	assert_non_null(strstr(t.replaced, "/a chunk keys default(separator=\"/\") become v2(separator=\"/\")|"));
	assert_non_null(strstr(t.replaced, "1 keys that belong to no node"));
	assert_int_equal(t.n[ZINC_COPY_NOTICE], 1); /* an object is not stored: fill_value cannot be null for xarray */
	assert_int_equal(n.raw, 1);                 /* the chain is the same: objects are copied as they are */
	assert_string_equal(forest_get(&f, "two/a/0"), "1122");
	assert_string_equal(forest_get(&f, "two/a/.zattrs"),
			    "{\n  \"n\": 1.50,\n  \"_FillValue\": null,\n  \"_ARRAY_DIMENSIONS\": [\"x\"]\n}\n");
	assert_non_null(forest_get(&f, "two/i/.zgroup"));
	assert_null(forest_get(&f, "two/note"));
	back = open_as(&f, "three", "v3");
	assert_ok(zinc_copy(v2, "/", back, "/", NULL, &n, &err));
	assert_non_null(strstr(forest_get(&f, "three/a/zarr.json"), "\"dimension_names\": [\"x\"]"));
	assert_non_null(strstr(forest_get(&f, "three/a/zarr.json"), "\"n\": 1.50"));
	assert_null(strstr(forest_get(&f, "three/a/zarr.json"), "_ARRAY_DIMENSIONS"));
	assert_null(strstr(forest_get(&f, "three/a/zarr.json"), "_FillValue"));
	zinc_hierarchy_close(back);
	zinc_hierarchy_close(v2);
	forest_close(&f);
}

/* (1) Everything that the target cannot represent is named, and nothing is written. */
static void
test_lossy(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	struct notes t = {{0}, "", ""};
	zinc_hierarchy *v2;
	forest f;

	(void)state;
	forest_open(&f, "src", ZINC_LENIENT);
	forest_put(&f, "src/zarr.json",
		   "{\"zarr_format\": 3, \"node_type\": \"group\", \"mine\": {\"must_understand\": false}}");
	forest_put(&f, "src/a/zarr.json",
		   ARRAY_WITH(", \"other\": {\"must_understand\": false}, \"dimension_names\": [null]"));
	forest_put(&f, "src/a/c/0", "1122");
	forest_put(&f, "src/.zig/zarr.json", ARRAY); /* a name of version 3 only */
	v2 = open_as(&f, "two", "v2");
	assert_int_equal(zinc_copy(f.h, "/", v2, "/", ZINC_COPY_OPTIONS(.note = listen, .note_arg = &t), NULL, &err),
			 ZINC_E_INVALID);
	assert_non_null(strstr(err.text, "/: the member \"mine\""));
	assert_non_null(strstr(err.text, "/a: the member \"other\""));
	assert_non_null(strstr(err.text, "/.zig: the whole node"));
	assert_null(strstr(forest_keys(&f), "two/"));
	memset(&t, 0, sizeof t);
	assert_ok(
	    zinc_copy(f.h, "/", v2, "/", ZINC_COPY_OPTIONS(.lossy = 1, .note = listen, .note_arg = &t), NULL, &err));
	assert_int_equal(t.n[ZINC_COPY_LOST], 3);
	assert_string_equal(forest_get(&f, "two/a/0"), "1122");
	assert_null(forest_get(&f, "two/.zig/.zarray"));
	zinc_hierarchy_close(v2);
	forest_close(&f);
}

/* An array that this build does not understand is copied within its format, and refused elsewhere. */
static void
test_unsupported(void **state)
{
	static const char strange[] =
	    "{\"zarr_format\": 3, \"node_type\": \"array\", \"shape\": [4], \"data_type\": \"int16\", "
	    "\"chunk_grid\": {\"name\": \"regular\", \"configuration\": {\"chunk_shape\": [2]}}, "
	    "\"chunk_key_encoding\": {\"name\": \"default\"}, \"fill_value\": 7, \"codecs\": [{\"name\": "
	    "\"nobody.knows\"}]}";
	zinc_error err = ZINC_ERROR_INIT;
	zinc_hierarchy *v2;
	forest f;

	(void)state;
	forest_open(&f, "", ZINC_LENIENT);
	forest_put(&f, "zarr.json", GROUP);
	forest_put(&f, "a/zarr.json", strange);
	forest_put(&f, "a/c/0", "??");
	assert_ok(zinc_copy(f.h, "/a", f.h, "/b", NULL, NULL, &err));
	assert_string_equal(forest_get(&f, "b/c/0"), "??");
	assert_string_equal(forest_get(&f, "b/zarr.json"), strange);
	v2 = open_as(&f, "two", "v2");
	assert_int_equal(zinc_copy(f.h, "/a", v2, "/a", NULL, NULL, &err), ZINC_E_UNSUPPORTED);
	assert_non_null(strstr(err.text, "nobody.knows"));
	assert_int_equal(zinc_copy(f.h, "/a", f.h, "/c", ZINC_COPY_OPTIONS(.codecs = "zstd"), NULL, &err),
			 ZINC_E_UNSUPPORTED);
	zinc_hierarchy_close(v2);
	forest_close(&f);
}

/* ---- what is refused ---- */

static void
test_refused(void **state)
{
	const uint64_t two[2] = {1, 1}, zero[1] = {0}, odd[1] = {3};
	zinc_error err = ZINC_ERROR_INIT;
	char before[4096];
	forest f;

	(void)state;
	forest_open(&f, "", ZINC_LENIENT);
	plant(&f);
	forest_put(&f, "left/c/0", "leftover");
	snprintf(before, sizeof before, "%s", forest_keys(&f));
	assert_int_equal(zinc_copy(f.h, "/g", f.h, "/g", NULL, NULL, &err), ZINC_E_INVALID);
	assert_int_equal(zinc_copy(f.h, "/g", f.h, "/g/new", NULL, NULL, &err), ZINC_E_INVALID);
	assert_int_equal(zinc_copy(f.h, "/g/a", f.h, "/g", ZINC_COPY_OPTIONS(.overwrite = 1), NULL, &err),
			 ZINC_E_INVALID);
	assert_int_equal(zinc_copy(f.h, "/g/a", f.h, "/g/h", NULL, NULL, &err), ZINC_E_EXISTS);
	assert_int_equal(zinc_copy(f.h, "/g", f.h, "/left", NULL, NULL, &err), ZINC_E_EXISTS);
	assert_int_equal(zinc_copy(f.h, "/no", f.h, "/new", NULL, NULL, &err), ZINC_E_NOTFOUND);
	assert_int_equal(zinc_copy(f.h, "/g", f.h, "/__new", NULL, NULL, &err), ZINC_E_INVALID);
	assert_int_equal(zinc_copy(f.h, "/g", f.h, "/g/a/new", NULL, NULL, &err), ZINC_E_INVALID);
	assert_int_equal(zinc_copy(f.h, "/g", f.h, "/n", ZINC_COPY_OPTIONS(.select = "0:2"), NULL, &err),
			 ZINC_E_INVALID);
	assert_int_equal(zinc_copy(f.h, "/g/a", f.h, "/n", ZINC_COPY_OPTIONS(.select = "9"), NULL, &err), ZINC_E_RANGE);
	assert_int_equal(zinc_copy(f.h, "/g/a", f.h, "/n", ZINC_COPY_OPTIONS(.ndim = 2, .chunks = two), NULL, &err),
			 ZINC_E_INVALID);
	assert_int_equal(zinc_copy(f.h, "/g/a", f.h, "/n", ZINC_COPY_OPTIONS(.ndim = 1, .chunks = zero), NULL, &err),
			 ZINC_E_INVALID);
	assert_int_equal(zinc_copy(f.h, "/g/a", f.h, "/n", ZINC_COPY_OPTIONS(.ndim = 1, .shards = odd), NULL, &err),
			 ZINC_E_INVALID);
	assert_int_equal(zinc_copy(f.h, "/g/a", f.h, "/n", ZINC_COPY_OPTIONS(.codecs = "nonsense"), NULL, &err),
			 ZINC_E_INVALID);
	assert_int_equal(zinc_copy(f.h, "/g/a", f.h, "/n", ZINC_COPY_OPTIONS(.dtype = "int99"), NULL, &err),
			 ZINC_E_INVALID);
	assert_int_equal(zinc_copy(f.h, "/g/a", f.h, "/n", ZINC_COPY_OPTIONS(.dtype = "bool"), NULL, &err),
			 ZINC_E_INVALID);
	assert_int_equal(
	    zinc_copy(f.h, "/g/a", f.h, "/n", ZINC_COPY_OPTIONS(.codecs = "zstd", .max_memory = 4), NULL, &err),
	    ZINC_E_LIMIT);
	assert_int_equal(zinc_copy(f.h, "/g/a", f.h, "/n", ZINC_COPY_OPTIONS(.max_memory = 1), NULL, &err),
			 ZINC_E_LIMIT);
	assert_int_equal(zinc_copy(NULL, "/g/a", f.h, "/n", NULL, NULL, &err), ZINC_E_INVALID);
	assert_string_equal(forest_keys(&f), before);
	forest_close(&f);
}

/* ---- overwriting, moving ---- */

static void
test_overwrite_and_move(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	forest f;

	(void)state;
	forest_open(&f, "", ZINC_LENIENT);
	plant(&f);
	forest_put(&f, "old/zarr.json", ARRAY);
	forest_put(&f, "old/c/1", "3344");
	assert_ok(zinc_copy(f.h, "/g/a", f.h, "/old", ZINC_COPY_OPTIONS(.overwrite = 1), NULL, &err));
	assert_null(forest_get(&f, "old/c/1"));
	assert_string_equal(forest_get(&f, "old/c/0"), "1122");
	assert_int_equal(zinc_move(f.h, "/g", "/elsewhere/now", NULL, &err), ZINC_E_EXISTS); /* a note is foreign */
	assert_non_null(strstr(err.text, "g/note"));
	assert_ok(zinc_move(f.h, "/g", "/elsewhere/now", ZINC_COPY_OPTIONS(.dry_run = 1, .force = 1), &err));
	assert_null(forest_get(&f, "elsewhere/now/zarr.json"));
	assert_ok(zinc_move(f.h, "/g", "/elsewhere/now", ZINC_COPY_OPTIONS(.force = 1), &err));
	assert_string_equal(
	    forest_keys(&f),
	    "elsewhere/now/a/c/0 elsewhere/now/a/zarr.json elsewhere/now/h/b/zarr.json "
	    "elsewhere/now/note elsewhere/now/zarr.json elsewhere/zarr.json old/c/0 old/zarr.json zarr.json");
	assert_int_equal(zinc_move(f.h, "/elsewhere/now/a", "/old", NULL, &err), ZINC_E_EXISTS);
	assert_int_equal(zinc_move(f.h, "/none", "/new", NULL, &err), ZINC_E_NOTFOUND);
	forest_close(&f);
}

/* Consolidated metadata is copied if nothing changes, and written again otherwise. */
static void
test_consolidated(void **state)
{
	static const char *const drafts[] = {"v3-2019", "v3-2020", "v3-2022"};
	const uint64_t four[1] = {4};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_hierarchy *v2, *same;
	forest f;
	size_t i;

	(void)state;
	forest_open(&f, "src", ZINC_LENIENT);
	plant(&f);
	forest_put(&f, "src/zarr.json", GROUP);
	forest_put(&f, "src/a/zarr.json", ARRAY);
	assert_ok(zinc_consolidate(f.h, "/", 0, NULL, &err));
	v2 = open_as(&f, "two", "v2");
	assert_ok(zinc_copy(f.h, "/", v2, "/", NULL, NULL, &err));
	assert_non_null(strstr(forest_get(&f, "two/.zmetadata"), "a/.zarray"));
	same = open_as(&f, "same", "v2");
	assert_ok(zinc_copy(v2, "/", same, "/", NULL, NULL, &err));
	assert_non_null(strstr(forest_get(&f, "same/.zmetadata"), "a/.zarray"));
	zinc_hierarchy_close(same);
	zinc_hierarchy_close(v2);
	for (i = 0; i < sizeof drafts / sizeof *drafts; i++) { /* they need none */
		v2 = open_as(&f, drafts[i], drafts[i]);
		assert_ok(zinc_copy(f.h, "/", v2, "/", NULL, NULL, &err));
		zinc_hierarchy_close(v2);
	}
	v2 = open_as(&f, "new", "v3");
	assert_ok(zinc_copy(f.h, "/", v2, "/", ZINC_COPY_OPTIONS(.ndim = 1, .chunks = four), NULL, &err));
	assert_non_null(strstr(forest_get(&f, "new/zarr.json"), "\"chunk_shape\": [4]"));
	zinc_hierarchy_close(v2);
	forest_close(&f);
}

/* ---- (2) (3) interruptions ---- */

/* Everything that can fail fails in turn: the target is complete or does not exist, and a second call continues. */
static void
interrupt_at(const char *format, const zinc_copy_options *options)
{
	zinc_status st = ZINC_E_IO;
	uint64_t at;

	for (at = 1; st != ZINC_OK || at < 8; at++) { /* that .zattrs cannot be read is nothing where no node is */
		const zinc_fault plan = {.at = at, .forever = at % 2 == 0, .status = ZINC_E_IO}, none = {.at = 0};
		zinc_copy_options again = *options;
		zinc_error err = ZINC_ERROR_INIT;
		zinc_node_kind kind = ZINC_NODE_NONE;
		zinc_store *fault = NULL;
		zinc_hierarchy *h = NULL, *clean = NULL;
		zinc_copy_counts n = ZINC_COPY_COUNTS_INIT;
		forest f, to;

		forest_open(&f, "", ZINC_LENIENT);
		forest_open(&to, "", ZINC_LENIENT);
		plant(&f);
		assert_ok(zinc_store_fault(&fault, to.memory, &err));
		assert_ok(zinc_hierarchy_open(&h, fault, "", ZINC_OPEN_OPTIONS(.create = 1, .format = format), &err));
		clean = open_as(&to, "", format);
		zinc_store_fault_set(fault, &plan);
		st = zinc_copy(f.h, "/g", h, "/x", options, NULL, &err);
		zinc_store_fault_set(fault, &none);
		again.resume = 1;
		if (st != ZINC_OK && forest_get(&to, "x/__zinc_cp.json")) {
			assert_int_equal(zinc_copy(f.h, "/g", h, "/x", options, NULL, &err), ZINC_E_EXISTS);
			assert_ok(zinc_copy(f.h, "/g", h, "/x", &again, &n, &err));
		} else if (st != ZINC_OK && zinc_node_exists(clean, "/x", &kind, NULL, &err) == ZINC_OK &&
			   kind == ZINC_NODE_NONE)
			assert_ok(zinc_copy(f.h, "/g", h, "/x", &again, &n, &err));
		assert_null(forest_get(&to, "x/__zinc_cp.json"));
		assert_ok(zinc_node_exists(clean, "/x/a", &kind, NULL, &err));
		assert_int_equal(kind, ZINC_NODE_ARRAY);
		assert_ok(zinc_node_exists(clean, "/x/h/b", &kind, NULL, &err));
		assert_int_equal(kind, ZINC_NODE_ARRAY);
		zinc_hierarchy_close(clean);
		zinc_hierarchy_close(h);
		zinc_store_close(fault);
		forest_close(&to);
		forest_close(&f);
	}
	assert_true(at > 8);
}

static void
test_interrupted(void **state)
{
	(void)state;
	interrupt_at("v3", ZINC_COPY_OPTIONS(.verify = 1));
	interrupt_at("v3", ZINC_COPY_OPTIONS(.codecs = "zstd"));
	interrupt_at("v2", ZINC_COPY_OPTIONS(.codecs = "zstd"));
}

/* (4) an element that does not fit: nothing is left, not even the groups that were made above. */
static void
test_misfit(void **state)
{
	static const char *const formats[] = {"v3", "v2", "v3-2020", "v3-2022"};
	const uint64_t shape[1] = {64}, chunks[1] = {2};
	zinc_error err = ZINC_ERROR_INIT;
	int16_t values[64] = {1, 2, 3};
	zinc_array *a = NULL;
	zinc_hierarchy *h;
	forest f, to;
	size_t i;

	(void)state;
	values[60] = 1000; /* far behind */
	for (i = 0; i < COUNT(formats); i++) {
		forest_open(&f, "", ZINC_LENIENT);
		forest_open(&to, "", ZINC_LENIENT);
		assert_ok(zinc_array_create(
		    &a, f.h, "/a", ZINC_ARRAY_OPTIONS(.ndim = 1, .shape = shape, .chunks = chunks, .dtype = "int16"),
		    &err));
		assert_ok(zinc_array_write(a, NULL, ZINC_BUFFER(values, sizeof values), NULL, &err));
		zinc_array_close(a);
		h = open_as(&to, "", formats[i]);
		assert_int_equal(zinc_copy(f.h, "/a", h, "/new/group/a",
					   ZINC_COPY_OPTIONS(.dtype = "int8", .max_memory = 64), NULL, &err),
				 ZINC_E_RANGE);
		assert_string_equal(forest_keys(&to), "");
		/* what others have is left alone */
		assert_ok(zinc_group_create(h, "/mine", NULL, 0, NULL, &err));
		assert_int_equal(zinc_copy(f.h, "/a", h, "/mine/group/a",
					   ZINC_COPY_OPTIONS(.dtype = "int8", .max_memory = 64), NULL, &err),
				 ZINC_E_RANGE);
		assert_non_null(strstr(forest_keys(&to), "mine"));
		assert_null(strstr(forest_keys(&to), "mine/group"));
		zinc_hierarchy_close(h);
		forest_close(&to);
		forest_close(&f);
	}
}

static int
stop(void *arg, uint64_t done, uint64_t total, uint64_t bytes)
{
	(void)done, (void)total, (void)bytes;
	return --*(int *)arg < 0;
}

/* Finished objects are passed over; other options, another source and a changed source are refused. */
static void
test_resume(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store_counts counts = ZINC_STORE_COUNTS_INIT;
	zinc_copy_counts n = ZINC_COPY_COUNTS_INIT;
	forest f, to;
	int left = 1;

	(void)state;
	forest_open(&f, "", ZINC_LENIENT);
	forest_open(&to, "", ZINC_LENIENT);
	plant(&f);
	forest_put(&f, "g/h/b/c/1", "3344");
	forest_put(&f, "e/zarr.json", ARRAY);
	assert_int_equal(
	    zinc_copy(f.h, "/g", to.h, "/x",
		      ZINC_COPY_OPTIONS(.call = ZINC_CALL_OPTIONS(.progress = stop, .progress_arg = &left)), &n, &err),
	    ZINC_E_CANCELLED);
	assert_non_null(strstr(forest_get(&to, "x/__zinc_cp.json"), "\"steps\": 3, \"done\": 2}"));
	assert_null(forest_get(&to, "x/zarr.json"));
	assert_int_equal(zinc_copy(f.h, "/g", to.h, "/x", ZINC_COPY_OPTIONS(.resume = 1, .codecs = "zstd"), &n, &err),
			 ZINC_E_CONFLICT);
	assert_non_null(strstr(err.text, "other options"));
	assert_int_equal(zinc_copy(f.h, "/e", to.h, "/x", ZINC_COPY_OPTIONS(.resume = 1), &n, &err), ZINC_E_CONFLICT);
	assert_non_null(strstr(err.text, "another source"));
	(void)forest_counts(&to);
	assert_ok(zinc_copy(f.h, "/g", to.h, "/x", ZINC_COPY_OPTIONS(.resume = 1), &n, &err));
	counts = forest_counts(&to);
	assert_int_equal(n.objects, 1);
	assert_int_equal(n.skipped, 2);
	assert_true(counts.put_calls <= 6); /* an object, the journal twice, three documents */
	assert_string_equal(forest_get(&to, "x/h/b/c/1"), "3344");
	assert_string_equal(forest_get(&to, "x/a/c/0"), "1122");
	/* and without a journal it starts; a chunk of the same size is also a change */
	left = 0;
	assert_int_equal(zinc_copy(f.h, "/g", to.h, "/y",
				   ZINC_COPY_OPTIONS(.resume = 1, .call = ZINC_CALL_OPTIONS(.progress = stop,
											    .progress_arg = &left)),
				   &n, &err),
			 ZINC_E_CANCELLED);
	forest_put(&f, "g/a/c/0", "9999");
	assert_int_equal(zinc_copy(f.h, "/g", to.h, "/y", ZINC_COPY_OPTIONS(.resume = 1), &n, &err), ZINC_E_CONFLICT);
	assert_non_null(strstr(err.text, "changed"));
	/* the copy had also put y/note, which now seems foreign */
	assert_int_equal(zinc_copy(f.h, "/g", to.h, "/y", ZINC_COPY_OPTIONS(.overwrite = 1), &n, &err), ZINC_E_EXISTS);
	assert_ok(zinc_copy(f.h, "/g", to.h, "/y", ZINC_COPY_OPTIONS(.overwrite = ZINC_FORCE), &n, &err));
	assert_string_equal(forest_get(&to, "y/a/c/0"), "9999");
	/* a damaged journal is an error */
	forest_put(&to, "z/__zinc_cp.json", "{\"zinc_cp\": 2, ");
	assert_int_equal(zinc_copy(f.h, "/g", to.h, "/z", ZINC_COPY_OPTIONS(.resume = 1), &n, &err), ZINC_E_CORRUPT);
	forest_put(&to, "z/__zinc_cp.json", "{\"zinc_cp\": 2}");
	assert_int_equal(zinc_copy(f.h, "/g", to.h, "/z", ZINC_COPY_OPTIONS(.resume = 1), &n, &err), ZINC_E_CORRUPT);
	forest_close(&to);
	forest_close(&f);
}

/* ---- a store that cannot list ---- */

static void
bare_caps(void *self, zinc_caps *out)
{
	zinc_store_caps(self, out);
	out->flags = ZINC_CAP_READ;
}

static zinc_status
bare_get(void *self, const zinc_get *requests, size_t n, const zinc_sink *sink, const zinc_wait *wait, zinc_error *err)
{
	return zinc_store_get(self, requests, n, sink, wait, err);
}

static void
bare_close(void *self)
{
	zinc_store_close(self);
}

static void
test_unlisted(void **state)
{
	static const zinc_store_ops bare = {
	    .size = sizeof bare, .name = "bare", .close = bare_close, .caps = bare_caps, .get = bare_get};
	static const char *const formats[] = {"v3", "v2"};
	zinc_error err = ZINC_ERROR_INIT;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(formats); i++) {
		zinc_hierarchy *from = NULL, *source, *to;
		zinc_store *store = NULL;
		zinc_copy_counts n = ZINC_COPY_COUNTS_INIT;
		forest f;

		forest_open(&f, "src", ZINC_LENIENT);
		forest_put(&f, "src/zarr.json", GROUP);
		forest_put(&f, "src/a/zarr.json", ARRAY_WITH(", \"attributes\": {\"n\": 1.50}"));
		forest_put(&f, "src/a/c/1", "1122");
		source = open_as(&f, "s", formats[i]);
		assert_ok(zinc_copy(f.h, "/", source, "/", NULL, NULL, &err));
		assert_ok(zinc_consolidate(source, "/", 0, NULL, &err));
		assert_ok(zinc_store_wrap(&store, f.ctx, &bare, zinc_store_ref(f.memory), "bare://", &err));
		assert_ok(zinc_hierarchy_open(&from, store, "s", ZINC_OPEN_OPTIONS(.read_only = 1), &err));
		to = open_as(&f, "t", formats[i]);
		assert_ok(zinc_copy(from, "/", to, "/", ZINC_COPY_OPTIONS(.verify = 1), &n, &err));
		assert_int_equal(n.arrays, 1);
		assert_string_equal(forest_get(&f, i ? "t/a/1" : "t/a/c/1"), "1122");
		assert_null(forest_get(&f, i ? "t/a/0" : "t/a/c/0"));
		assert_non_null(strstr(forest_get(&f, i ? "t/a/.zattrs" : "t/a/zarr.json"), "1.50"));
		assert_non_null(strstr(forest_get(&f, i ? "t/.zmetadata" : "t/zarr.json"), "consolidated"));
		zinc_hierarchy_close(to);
		zinc_hierarchy_close(from);
		zinc_store_close(store);
		zinc_hierarchy_close(source);
		forest_close(&f);
	}
}

/* ---- to a remote store ---- */

/* The first answer is late, and one key cannot be put. */
static zinc_status
late_and_bad(void *arg, uint64_t puts, const char *key)
{
	const struct timespec pause = {0, 100000000};

	if (puts == 0)
		nanosleep(&pause, NULL);
	return arg && strcmp(key, arg) == 0 ? ZINC_E_IO : ZINC_OK;
}

/* Many puts are under way at once; a failure names its key. */
static void
test_remote(void **state)
{
	static char bad[] = "t/key7";
	char key[16];
	int i, fails;

	(void)state;
	for (fails = 0; fails < 2; fails++) {
		zinc_error err = ZINC_ERROR_INIT;
		zinc_hierarchy *remote = NULL;
		zinc_store *store;
		remote_store x = {.parallel = 16, .writes = true, .cas = true};
		forest f, to;

		forest_open(&f, "", ZINC_LENIENT);
		forest_open(&to, "", ZINC_LENIENT);
		plant(&f);
		for (i = 0; i < 60; i++) {
			snprintf(key, sizeof key, "key%d", i);
			forest_put(&f, key, key);
		}
		x.local = to.memory;
		store = remote_store_open(&x, to.ctx);
		assert_ok(zinc_hierarchy_open(&remote, store, "t", ZINC_OPEN_OPTIONS(.create = 1), &err));
		x.before_put = late_and_bad;
		x.arg = fails ? bad : NULL;
		if (fails) {
			assert_int_equal(zinc_copy(f.h, "/", remote, "/", NULL, NULL, &err), ZINC_E_IO);
			assert_string_equal(err.key, bad);
		} else {
			assert_ok(zinc_copy(f.h, "/", remote, "/", ZINC_COPY_OPTIONS(.verify = 1), NULL, &err));
			assert_string_equal(forest_get(&to, "t/g/a/c/0"), "1122");
			assert_string_equal(forest_get(&to, "t/key59"), "key59");
			assert_int_equal(x.most_puts, 16);
		}
		zinc_hierarchy_close(remote);
		zinc_store_close(store);
		forest_close(&to);
		forest_close(&f);
	}
}

/* ---- by URL ---- */

static void
test_urls(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *keep = NULL;
	zinc_hierarchy *h = NULL;

	(void)state;
	assert_ok(zinc_store_open(&keep, "memory://copies", NULL, &err));
	assert_ok(zinc_group_create_url("memory://copies/a.zarr/g", "{\"k\": 1}", 0, NULL, &err));
	assert_ok(zinc_copy_url("memory://copies/a.zarr", "memory://copies/b.zarr", NULL, NULL, &err));
	assert_ok(zinc_copy_url("memory://copies/a.zarr", "memory://copies/c.zarr", ZINC_COPY_OPTIONS(.format = "v2"),
				NULL, &err));
	/* within an existing hierarchy its format is the one; a new one has the source's */
	assert_ok(zinc_copy_url("memory://copies/a.zarr/g", "memory://copies/c.zarr/inside", NULL, NULL, &err));
	assert_ok(zinc_hierarchy_open_url(&h, "memory://copies/c.zarr/inside", NULL, &err));
	assert_string_equal(zinc_hierarchy_format(h), "v2");
	zinc_hierarchy_close(h);
	assert_ok(zinc_copy_url("memory://copies/c.zarr", "memory://copies/d.zarr", NULL, NULL, &err));
	assert_ok(zinc_hierarchy_open_url(&h, "memory://copies/d.zarr/inside", NULL, &err));
	assert_string_equal(zinc_hierarchy_format(h), "v2");
	zinc_hierarchy_close(h);
	/* what is overwritten may be of another format */
	assert_int_equal(zinc_copy_url("memory://copies/a.zarr", "memory://copies/d.zarr",
				       ZINC_COPY_OPTIONS(.format = "v3"), NULL, &err),
			 ZINC_E_EXISTS);
	assert_ok(zinc_copy_url("memory://copies/a.zarr", "memory://copies/d.zarr",
				ZINC_COPY_OPTIONS(.format = "v3", .overwrite = 1), NULL, &err));
	assert_ok(zinc_hierarchy_open_url(&h, "memory://copies/d.zarr/g", NULL, &err));
	assert_string_equal(zinc_hierarchy_format(h), "v3");
	zinc_hierarchy_close(h);
	assert_int_equal(zinc_copy_url("memory://copies/none", "memory://copies/e.zarr", NULL, NULL, &err),
			 ZINC_E_NOTFOUND);
	assert_int_equal(zinc_copy_url(NULL, "memory://copies/e.zarr", NULL, NULL, &err), ZINC_E_INVALID);
	assert_int_equal(zinc_copy_url("memory://copies/a.zarr", "memory://copies/e.zarr",
				       ZINC_COPY_OPTIONS(.format = "v9"), NULL, &err),
			 ZINC_E_INVALID);
	zinc_store_close(keep);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_same),         cmocka_unit_test(test_changed),
	    cmocka_unit_test(test_other_format), cmocka_unit_test(test_lossy),
	    cmocka_unit_test(test_unsupported),  cmocka_unit_test(test_misfit),
	    cmocka_unit_test(test_refused),      cmocka_unit_test(test_overwrite_and_move),
	    cmocka_unit_test(test_consolidated), cmocka_unit_test(test_interrupted),
	    cmocka_unit_test(test_resume),       cmocka_unit_test(test_unlisted),
	    cmocka_unit_test(test_remote),       cmocka_unit_test(test_urls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
