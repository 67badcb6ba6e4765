/*
 * test_call_waits.c - every public call passes its deadline and cancel flag to every operation of the store
 *
 * A wrapper store checks the zinc_wait of each operation: it must have the caller's flag and a deadline.  Then each
 * row is run once for each of its operations, with the flag set just before that operation: the call must end as
 * E_CANCELLED.
 */
#include <string.h>
#include <zinc/conventions.h>
#include <zinc/erase.h>
#include <zinc/store.h>
#include <zinc/tool.h>

#include "support/test.h"

/* ---- the store in between ---- */

typedef struct watcher {
	zinc_store *next;
	zinc_cancel flag;
	bool on;
	long seen;        /* operations since it was turned on */
	long without;     /* of those, without the caller's wait */
	long raise_at;    /* number of the operation before which the flag is raised; 0: never */
	const char *name; /* of the first without */
} watcher;

static zinc_status
look(watcher *w, const char *name, const zinc_wait *wait, zinc_error *err)
{
	if (!w->on)
		return ZINC_OK;
	if (++w->seen == w->raise_at)
		zinc_cancel_set(&w->flag);
	if (!wait || wait->cancel != &w->flag || !(wait->until > 0)) {
		w->without++;
		w->name = w->name ? w->name : name;
	}
	return zinc_wait_check(wait, err);
}

#define LOOK(name)                                                                                                     \
	do {                                                                                                           \
		const zinc_status st_ = look(self, name, wait, err);                                                   \
		if (st_ != ZINC_OK)                                                                                    \
			return st_;                                                                                    \
	} while (0)
#define NEXT (((watcher *)self)->next)

static void
watch_close(void *self)
{
	(void)self;
}

static void
watch_caps(void *self, zinc_caps *out)
{
	zinc_store_caps(NEXT, out);
}

static zinc_status
watch_get(void *self, const zinc_get *requests, size_t n, const zinc_sink *sink, const zinc_wait *wait, zinc_error *err)
{
	LOOK("get");
	return zinc_store_get(NEXT, requests, n, sink, wait, err);
}

static zinc_status
watch_put(void *self, zinc_put_group *group, const zinc_put *puts, size_t n, const zinc_done *done, uint32_t flags,
	  const zinc_wait *wait, zinc_error *err)
{
	LOOK("put");
	return zinc_store_put_many(NEXT, group, puts, n, done, flags, wait, err);
}

static zinc_status
watch_del(void *self, zinc_put_group *group, const zinc_del *dels, size_t n, const zinc_done *done, uint32_t flags,
	  const zinc_wait *wait, zinc_error *err)
{
	LOOK("del");
	return zinc_store_del_many(NEXT, group, dels, n, done, flags, wait, err);
}

static zinc_status
watch_put_begin(void *self, zinc_put_group **group, uint32_t flags, const zinc_wait *wait, zinc_error *err)
{
	LOOK("put_begin");
	return zinc_store_put_begin(NEXT, group, flags, wait, err);
}

static zinc_status
watch_commit(void *self, zinc_put_group *group, zinc_committed_fn fn, void *arg, const zinc_wait *wait, zinc_error *err)
{
	const zinc_status st = look(self, "commit", wait, err);

	if (st == ZINC_OK)
		return zinc_store_commit(NEXT, group, fn, arg, wait, err);
	zinc_store_abort(NEXT, group);
	return st;
}

static void
watch_abort(void *self, zinc_put_group *group)
{
	zinc_store_abort(NEXT, group);
}

static zinc_status
watch_update(void *self, const char *key, zinc_update_fn fn, void *arg, uint64_t limit, uint32_t flags,
	     const zinc_wait *wait, zinc_error *err)
{
	LOOK("update");
	return zinc_store_update(NEXT, key, fn, arg, 0, limit, flags, wait, err);
}

static zinc_status
watch_del_prefix(void *self, const char *prefix, uint32_t flags, const zinc_wait *wait, zinc_error *err)
{
	LOOK("del_prefix");
	return zinc_store_del_prefix(NEXT, prefix, flags, wait, err);
}

static zinc_status
watch_sync(void *self, const zinc_wait *wait, zinc_error *err)
{
	LOOK("sync");
	return zinc_store_sync(NEXT, wait, err);
}

static zinc_status
watch_scrub(void *self, const char *prefix, int remove, zinc_scrub_fn fn, void *arg, const zinc_wait *wait,
	    zinc_error *err)
{
	LOOK("scrub");
	return zinc_store_scrub(NEXT, prefix, remove, fn, arg, wait, err);
}

static zinc_status
watch_walk(void *self, const char *prefix, const zinc_lister *to, const zinc_wait *wait, zinc_error *err)
{
	LOOK("walk");
	return zinc_store_walk(NEXT, prefix, to, wait, err);
}

static const zinc_store_ops watch_ops = {
    .size = sizeof(zinc_store_ops),
    .name = "watch",
    .purpose = "looks at what may wait",
    .close = watch_close,
    .caps = watch_caps,
    .get = watch_get,
    .put = watch_put,
    .del = watch_del,
    .put_begin = watch_put_begin,
    .commit = watch_commit,
    .abort = watch_abort,
    .update = watch_update,
    .del_prefix = watch_del_prefix,
    .sync = watch_sync,
    .scrub = watch_scrub,
    .walk = watch_walk,
};

/* ---- the hierarchy ---- */

typedef struct field {
	watcher w;
	zinc_context *ctx;
	zinc_store *memory, *store;
	zinc_hierarchy *h;
	zinc_array *a, *s;   /* plain and sharded, eight bytes each */
	zinc_writer *writer; /* on `a`, with something to flush */
	zinc_call_options call;
} field;

static const uint64_t eight[1] = {8}, two[1] = {2}, four[1] = {4}, ten[1] = {10}, index0[1] = {0};
static uint8_t bytes[8] = {1, 2, 3, 4, 5, 6, 7, 8};

static void
make_array(field *f, zinc_array **out, const char *path, const uint64_t *shards)
{
	zinc_error err = ZINC_ERROR_INIT;

	assert_ok(zinc_array_create(out, f->h, path,
				    ZINC_ARRAY_OPTIONS(.ndim = 1, .shape = eight, .chunks = two, .shards = shards,
						       .dtype = "uint8", .codecs = "none",
						       .attributes = "{\"units\": \"m\"}"),
				    &err));
	assert_ok(zinc_array_write_text(*out, NULL, ZINC_BUFFER(bytes, sizeof bytes), NULL, &err));
}

static void
field_open(field *f, const char *format)
{
	zinc_error err = ZINC_ERROR_INIT;

	memset(f, 0, sizeof *f);
	f->call = (zinc_call_options)ZINC_CALL_OPTIONS_INIT;
	f->call.timeout = 3600;
	f->call.cancel = &f->w.flag;
	assert_ok(zinc_context_new(&f->ctx, ZINC_CONTEXT_OPTIONS(.threads = 1), &err));
	assert_ok(zinc_store_open(&f->memory, "memory://", ZINC_STORE_OPTIONS(.context = f->ctx), &err));
	f->w.next = f->memory;
	assert_ok(zinc_store_wrap(&f->store, f->ctx, &watch_ops, &f->w, "watch://", &err));
	assert_ok(zinc_hierarchy_open(&f->h, f->store, "",
				      ZINC_OPEN_OPTIONS(.context = f->ctx, .create = 1, .format = format), &err));
	assert_ok(zinc_group_create(f->h, "/g/deep", NULL, 0, NULL, &err));
	make_array(f, &f->a, "/g/a", NULL);
	if (strcmp(format, "v3") == 0)
		make_array(f, &f->s, "/s", four);
	assert_ok(zinc_writer_new(&f->writer, f->a, 0, NULL, &err));
	assert_ok(zinc_writer_write(f->writer, NULL, ZINC_BUFFER(bytes, sizeof bytes), NULL, &err));
}

static void
field_close(field *f)
{
	f->w.on = false;
	zinc_writer_free(f->writer);
	zinc_array_close(f->a);
	zinc_array_close(f->s);
	zinc_hierarchy_close(f->h);
	zinc_store_close(f->store);
	zinc_store_close(f->memory);
	zinc_context_free(f->ctx);
}

/* ---- the calls ---- */

static int
any_node(void *arg, const zinc_node *node)
{
	(void)arg, (void)node;
	return 0;
}

#define CALL(name) static zinc_status name(field *f, zinc_error *err)

CALL(open_store)
{
	zinc_hierarchy *h = NULL;
	zinc_status st =
	    zinc_hierarchy_open(&h, f->store, "", ZINC_OPEN_OPTIONS(.context = f->ctx, .call = &f->call), err);

	zinc_hierarchy_close(h);
	return st;
}

CALL(open_array)
{
	zinc_array *a = NULL;
	zinc_status st = zinc_array_open(&a, f->h, "/g/a", &f->call, err);

	zinc_array_close(a);
	return st;
}

CALL(create_array)
{
	zinc_array *a = NULL;
	zinc_status st = zinc_array_create(
	    &a, f->h, "/new/b", ZINC_ARRAY_OPTIONS(.ndim = 1, .shape = eight, .dtype = "uint8", .call = &f->call), err);

	zinc_array_close(a);
	return st;
}

CALL(overwrite_array)
{
	zinc_array *a = NULL;
	zinc_status st = zinc_array_create(
	    &a, f->h, "/g/a",
	    ZINC_ARRAY_OPTIONS(.ndim = 1, .shape = eight, .dtype = "uint8", .overwrite = 1, .call = &f->call), err);

	zinc_array_close(a);
	return st;
}

CALL(refresh)
{
	return zinc_array_refresh(f->a, &f->call, err);
}

CALL(read_all)
{
	uint8_t out[8];

	return zinc_array_read_text(f->a, NULL, ZINC_BUFFER(out, sizeof out), ZINC_IO_OPTIONS(.call = &f->call), err);
}

CALL(read_shard)
{
	uint8_t out[3];

	return zinc_array_read_text(f->s, "1:4", ZINC_BUFFER(out, sizeof out), ZINC_IO_OPTIONS(.call = &f->call), err);
}

CALL(write_all)
{
	return zinc_array_write_text(f->a, NULL, ZINC_BUFFER(bytes, sizeof bytes), ZINC_IO_OPTIONS(.call = &f->call),
				     err);
}

CALL(write_part)
{
	return zinc_array_write_text(f->a, "1:4", ZINC_BUFFER(bytes, 3), ZINC_IO_OPTIONS(.call = &f->call), err);
}

CALL(write_shard)
{
	return zinc_array_write_text(f->s, "1:4", ZINC_BUFFER(bytes, 3), ZINC_IO_OPTIONS(.call = &f->call), err);
}

CALL(chunk_get)
{
	zinc_blob b = ZINC_BLOB_INIT;
	zinc_status st = zinc_array_chunk_get(f->a, index0, &b, &f->call, err);

	zinc_blob_fini(&b);
	return st;
}

CALL(chunk_put)
{
	return zinc_array_chunk_put(f->a, index0, bytes, 2, &f->call, err);
}

CALL(grow)
{
	return zinc_array_resize(f->a, ten, &f->call, err);
}

CALL(shrink)
{
	return zinc_array_resize(f->a, two, &f->call, err);
}

CALL(append)
{
	zinc_buffer *b = ZINC_BUFFER(bytes, 2);

	b->ndim = 1;
	b->shape = two;
	return zinc_array_append(f->a, 0, b, ZINC_IO_OPTIONS(.call = &f->call), NULL, err);
}

CALL(node_exists)
{
	zinc_node_kind kind;

	return zinc_node_exists(f->h, "/g", &kind, &f->call, err);
}

CALL(node_stat)
{
	return zinc_node_stat(f->h, "/g", any_node, NULL, &f->call, err);
}

CALL(node_children)
{
	return zinc_node_children(f->h, "/", any_node, NULL, &f->call, err);
}

CALL(node_walk)
{
	return zinc_node_walk(f->h, "/", -1, any_node, NULL, &f->call, err);
}

CALL(node_document)
{
	zinc_blob b = ZINC_BLOB_INIT;
	zinc_status st = zinc_node_document(f->h, "/g/a", &b, &f->call, err);

	zinc_blob_fini(&b);
	return st;
}

CALL(create_group)
{
	return zinc_group_create(f->h, "/new/group", "{}", 0, &f->call, err);
}

CALL(keep_parents)
{
	return zinc_node_keep_parents(f->h, "/g/a", &f->call, err);
}

CALL(erase)
{
	return zinc_node_erase(f->h, "/g", &f->call, err);
}

CALL(erase_by_force)
{
	return zinc_node_erase_with(f->h, "/g", ZINC_ERASE_OPTIONS(.force = 1, .call = &f->call), NULL, err);
}

CALL(node_copy)
{
	return zinc_node_copy(f->h, "/g", f->h, "/copy", &f->call, err);
}

CALL(attributes_get)
{
	zinc_blob b = ZINC_BLOB_INIT;
	zinc_status st = zinc_attributes_get(f->h, "/g/a", NULL, &b, &f->call, err);

	zinc_blob_fini(&b);
	return st;
}

CALL(attributes_edit)
{
	const zinc_attribute change = {"title", "1"};

	return zinc_attributes_edit(f->h, "/g/a", &change, 1, &f->call, err);
}

CALL(consolidate)
{
	return zinc_consolidate(f->h, "/", 0, &f->call, err);
}

CALL(consolidated)
{
	int has;

	return zinc_consolidated(f->h, "/", &has, &f->call, err);
}

CALL(writer_flush)
{
	return zinc_writer_flush(f->writer, &f->call, err);
}

CALL(writer_close)
{
	zinc_writer *w = f->writer;

	f->writer = NULL;
	return zinc_writer_close(w, &f->call, err);
}

CALL(copy)
{
	return zinc_copy(f->h, "/g", f->h, "/copied", ZINC_COPY_OPTIONS(.call = &f->call), NULL, err);
}

CALL(copy_elements)
{
	static const uint64_t three[1] = {3};

	return zinc_copy(f->h, "/g/a", f->h, "/copied",
			 ZINC_COPY_OPTIONS(.ndim = 1, .chunks = three, .verify = 1, .call = &f->call), NULL, err);
}

CALL(move)
{
	return zinc_move(f->h, "/g/a", "/moved", ZINC_COPY_OPTIONS(.call = &f->call), err);
}

CALL(stored)
{
	zinc_stored out = ZINC_STORED_INIT;

	return zinc_array_stored(f->a, &out, &f->call, err);
}

CALL(stats)
{
	zinc_stats out = ZINC_STATS_INIT;

	return zinc_array_stats(f->a, NULL, ZINC_STATS_OPTIONS(.call = &f->call), &out, err);
}

CALL(diff)
{
	return zinc_diff(f->h, "/g/a", f->h, "/g/a", ZINC_DIFF_OPTIONS(.call = &f->call), NULL, NULL, NULL, err);
}

static int
any_convention(void *arg, const zinc_convention *c)
{
	(void)arg, (void)c;
	return 0;
}

CALL(conventions_list)
{
	return zinc_conventions_list(f->h, "/g/a", any_convention, NULL, &f->call, err);
}

CALL(conventions_add)
{
	return zinc_conventions_add(f->h, "/g", "proj:", ZINC_SHAPE_CURRENT, &f->call, err);
}

static const struct row {
	const char *name;
	zinc_status (*call)(field *f, zinc_error *err);
} rows[] = {
    {"zinc_hierarchy_open", open_store},
    {"zinc_array_open", open_array},
    {"zinc_array_create", create_array},
    {"zinc_array_create, overwrite", overwrite_array},
    {"zinc_array_refresh", refresh},
    {"zinc_array_read", read_all},
    {"zinc_array_write", write_all},
    {"zinc_array_write, part", write_part},
    {"zinc_array_chunk_get", chunk_get},
    {"zinc_array_chunk_put", chunk_put},
    {"zinc_array_resize, grow", grow},
    {"zinc_array_resize, shrink", shrink},
    {"zinc_array_append", append},
    {"zinc_node_exists", node_exists},
    {"zinc_node_stat", node_stat},
    {"zinc_node_children", node_children},
    {"zinc_node_walk", node_walk},
    {"zinc_node_document", node_document},
    {"zinc_group_create", create_group},
    {"zinc_node_keep_parents", keep_parents},
    {"zinc_node_erase", erase},
    {"zinc_node_erase_with, force", erase_by_force},
    {"zinc_node_copy", node_copy},
    {"zinc_attributes_get", attributes_get},
    {"zinc_attributes_edit", attributes_edit},
    {"zinc_consolidated", consolidated},
    {"zinc_writer_flush", writer_flush},
    {"zinc_writer_close", writer_close},
    {"zinc_copy", copy},
    {"zinc_copy, elements", copy_elements},
    {"zinc_move", move},
    {"zinc_array_stored", stored},
    {"zinc_array_stats", stats},
    {"zinc_diff", diff},
    {"zinc_conventions_list", conventions_list},
    {"zinc_conventions_add", conventions_add},
};

/* Calls that only the final version has. */
static const struct row v3_rows[] = {
    {"zinc_array_read, shard", read_shard},
    {"zinc_array_write, shard", write_shard},
    {"zinc_consolidate", consolidate},
};

/* Run it to its end; returns how many operations it had. */
static long
count_operations(const struct row *row, const char *format)
{
	zinc_error err = ZINC_ERROR_INIT;
	field f;
	long n;

	field_open(&f, format);
	f.w.on = true;
	if (row->call(&f, &err) != ZINC_OK)
		fail_msg("%s, %s: %s", format, row->name, zinc_error_text(&err));
	n = f.w.seen;
	if (f.w.without > 0)
		fail_msg("%s, %s: %ld of %ld operations cannot be ended, the first is a %s", format, row->name,
			 f.w.without, n, f.w.name);
	field_close(&f);
	return n;
}

static void
cancel_at(const struct row *row, const char *format, long at)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_status st;
	field f;

	field_open(&f, format);
	f.w.on = true;
	f.w.raise_at = at;
	st = row->call(&f, &err);
	if (st == ZINC_OK && f.w.seen == at)
		st = ZINC_E_CANCELLED; /* a last check that no result depends on */
	if (st != ZINC_E_CANCELLED)
		fail_msg("%s, %s, cancelled before operation %ld: %s %s", format, row->name, at, zinc_status_name(st),
			 zinc_error_text(&err));
	field_close(&f);
}

static void
try_rows(const struct row *r, size_t n, const char *format)
{
	size_t i;
	long k, operations;

	for (i = 0; i < n; i++) {
		operations = count_operations(&r[i], format);
		assert_true(operations > 0);
		for (k = 1; k <= operations; k++)
			cancel_at(&r[i], format, k);
	}
}

static void
every_call_can_be_ended(void **state)
{
	static const char *const formats[] = {"v3", "v2", "v3-2022", "v3-2020", "v3-2019"};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(formats); i++)
		try_rows(rows, COUNT(rows), formats[i]);
	try_rows(v3_rows, COUNT(v3_rows), "v3");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(every_call_can_be_ended),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
