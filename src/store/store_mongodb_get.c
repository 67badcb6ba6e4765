/*
 * store_mongodb_get.c - documents, reading, listing
 *
 *     {_id: KEY, key: KEY, value: BinData(0, ...), zinc: {generation: BinData(0, 16 bytes), size: 123}}
 *
 * zarr-python's MongoDBStore knows key and value only, and its changes drop `zinc`: then the value itself is hashed for a
 * tag, and read for its size.
 */
#include "store/store_mongodb.h"

#if ZINC_WITH_MONGODB && ZINC_WITH_BSON

#define MOST       16 /* keys that are asked for together */
#define PAGE       256
#define PAGE_LEVEL 32

/* ---- documents ---- */

static void
read_mark(bson_iter_t *it, mongo_doc *out)
{
	bson_subtype_t type;
	uint32_t n = 0;
	bson_iter_t in;
	bool has_generation = false, has_size = false;

	if (!BSON_ITER_HOLDS_DOCUMENT(it) || !bson_iter_recurse(it, &in))
		return;
	while (bson_iter_next(&in)) {
		if (strcmp(bson_iter_key(&in), "generation") == 0 && BSON_ITER_HOLDS_BINARY(&in)) {
			bson_iter_binary(&in, &type, &n, &out->generation);
			has_generation = n == MONGO_GENERATION;
		} else if (strcmp(bson_iter_key(&in), "size") == 0 && BSON_ITER_HOLDS_INT64(&in)) {
			out->size = bson_iter_int64(&in);
			has_size = out->size >= 0;
		}
	}
	out->has_mark = has_generation && has_size;
}

bool
zinc_mongo_read(const bson_t *doc, mongo_doc *out)
{
	bson_subtype_t type;
	bson_iter_t it;

	memset(out, 0, sizeof *out);
	if (!bson_iter_init(&it, doc))
		return false;
	while (bson_iter_next(&it)) {
		const char *name = bson_iter_key(&it);

		if (strcmp(name, "key") == 0 && BSON_ITER_HOLDS_UTF8(&it)) {
			out->key = bson_iter_utf8(&it, &out->nkey);
		} else if (strcmp(name, "value") == 0 && BSON_ITER_HOLDS_BINARY(&it)) {
			bson_iter_binary(&it, &type, &out->nvalue, &out->value);
			out->has_value = true;
		} else if (strcmp(name, "zinc") == 0) {
			read_mark(&it, out);
		}
	}
	/* another program may have changed the value alone */
	if (out->has_mark && out->has_value && out->size != (int64_t)out->nvalue)
		out->has_mark = false;
	return out->key != NULL;
}

void
zinc_mongo_tag(const mongo_doc *d, zinc_tag *out)
{
	zinc_hash h;

	if (d->has_mark) {
		out->n = MONGO_GENERATION;
		memcpy(out->b, d->generation, MONGO_GENERATION);
		return;
	}
	zinc_hash_begin(&h);
	if (d->nvalue)
		zinc_hash_add(&h, d->value, d->nvalue);
	zinc_hash_end(&h, out);
}

/* Which fields to send. */
static void
add_fields(bson_t *opts, bool light)
{
	bson_t fields;

	BSON_APPEND_DOCUMENT_BEGIN(opts, "projection", &fields);
	BSON_APPEND_INT32(&fields, "_id", 0);
	BSON_APPEND_INT32(&fields, "key", 1);
	BSON_APPEND_INT32(&fields, "zinc", 1);
	if (!light)
		BSON_APPEND_INT32(&fields, "value", 1);
	bson_append_document_end(opts, &fields);
}

/* The next document; *end: there is none. */
static zinc_status
next(mongo_conn *c, mongoc_cursor_t *cursor, const bson_t **doc, bool *end, zinc_error *err)
{
	bson_error_t e;

	*end = !mongoc_cursor_next(cursor, doc);
	return *end && mongoc_cursor_error(cursor, &e) ? zinc_mongo_fail(c, &e, err) : ZINC_OK;
}

zinc_status
zinc_mongo_find(mongo_conn *c, const char *key, bool light, mongoc_cursor_t **cursor, mongo_doc *out, bool *found,
		zinc_error *err)
{
	bson_t filter = BSON_INITIALIZER, opts = BSON_INITIALIZER;
	const bson_t *doc;
	bool end = false;

	BSON_APPEND_UTF8(&filter, "key", key);
	BSON_APPEND_INT64(&opts, "limit", 1);
	add_fields(&opts, light);
	*cursor = mongoc_collection_find_with_opts(c->documents, &filter, &opts, NULL);
	bson_destroy(&filter);
	bson_destroy(&opts);
	ZINC_TRY(next(c, *cursor, &doc, &end, err));
	/* the collection may have a collation that takes other keys for the same */
	*found = !end && zinc_mongo_read(doc, out) && out->nkey == strlen(key) && memcmp(out->key, key, out->nkey) == 0;
	return ZINC_OK;
}

/* ---- get ---- */

typedef struct batch {
	mongo_store *s;
	const zinc_get *requests;
	const zinc_sink *sink;
	size_t first, n;
	bool done[MOST];
	const zinc_wait *wait;
} batch;

static zinc_status
read_value(void *arg, uint64_t offset, uint64_t nbytes, const struct iovec *iov, int niov, zinc_error *err)
{
	const mongo_doc *d = (const mongo_doc *)arg;

	(void)err;
	zinc_iov_scatter(iov, niov, d->value + offset, (size_t)nbytes);
	return ZINC_OK;
}

static void
answer(batch *b, size_t i, mongo_doc *d)
{
	zinc_error e;
	zinc_tag tag;

	b->done[i] = true;
	if (!d->has_value) {
		zinc_error_clear(&e);
		zinc_fail(&e, ZINC_E_CORRUPT, "the value of the document is not binary");
		zinc_sink_failed(b->sink, b->first + i, ZINC_E_CORRUPT, &e);
		return;
	}
	zinc_mongo_tag(d, &tag);
	zinc_sink_serve(b->sink, b->first + i, &b->requests[i], d->nvalue, &tag, read_value, d, b->wait);
}

/* All requests for the key of a document. */
static void
answer_key(batch *b, mongo_doc *d)
{
	size_t i;

	for (i = 0; i < b->n; i++)
		if (!b->done[i] && strlen(b->requests[i].key) == d->nkey &&
		    memcmp(b->requests[i].key, d->key, d->nkey) == 0)
			answer(b, i, d);
}

static mongoc_cursor_t *
ask(const batch *b, mongo_conn *c)
{
	bson_t filter = BSON_INITIALIZER, opts = BSON_INITIALIZER, key, in;
	mongoc_cursor_t *cursor;
	uint32_t n = 0;
	char name[16];
	const char *at;
	size_t i;

	BSON_APPEND_DOCUMENT_BEGIN(&filter, "key", &key);
	BSON_APPEND_ARRAY_BEGIN(&key, "$in", &in);
	for (i = 0; i < b->n; i++)
		if (!b->done[i] &&
		    !(i > 0 && strcmp(b->requests[i].key, b->requests[i - 1].key) == 0 && !b->done[i - 1])) {
			bson_uint32_to_string(n++, &at, name, sizeof name);
			BSON_APPEND_UTF8(&in, at, b->requests[i].key);
		}
	bson_append_array_end(&key, &in);
	bson_append_document_end(&filter, &key);
	add_fields(&opts, false);
	cursor = mongoc_collection_find_with_opts(c->documents, &filter, &opts, NULL);
	bson_destroy(&filter);
	bson_destroy(&opts);
	return cursor;
}

/* Documents come in any order; keys without one are missing. */
static zinc_status
ask_once(batch *b, mongo_try *t)
{
	mongoc_cursor_t *cursor;
	zinc_status st = ZINC_OK;
	bool end = false;
	mongo_conn *c;
	mongo_doc d;
	size_t i;

	ZINC_TRY(zinc_mongo_enter(t, &c));
	cursor = ask(b, c);
	while (st == ZINC_OK && !end) {
		const bson_t *doc = NULL;

		st = next(c, cursor, &doc, &end, &t->error);
		if (st == ZINC_OK && !end && zinc_mongo_read(doc, &d))
			answer_key(b, &d);
	}
	mongoc_cursor_destroy(cursor);
	zinc_mongo_leave(t, c);
	for (i = 0; st == ZINC_OK && i < b->n; i++)
		if (!b->done[i]) {
			b->done[i] = true;
			zinc_sink_missing(b->sink, b->first + i);
		}
	return st;
}

zinc_status
zinc_mongo_get(void *self, const zinc_get *requests, size_t n, const zinc_sink *sink, const zinc_wait *wait,
	       zinc_error *err)
{
	zinc_status st;
	mongo_try t;
	size_t i, k;

	(void)err;
	for (i = 0; i < n; i += MOST) {
		batch b = {.s = (mongo_store *)self,
			   .requests = requests + i,
			   .sink = sink,
			   .first = i,
			   .n = n - i < MOST ? n - i : MOST,
			   .wait = wait};

		zinc_mongo_try(&t, b.s, wait);
		do
			st = ask_once(&b, &t);
		while (zinc_mongo_again(&t, &st, NULL));
		for (k = 0; k < b.n; k++)
			if (!b.done[k])
				zinc_sink_failed(sink, i + k, st, &t.error);
	}
	return ZINC_OK;
}

/* ---- listing ---- */

typedef struct page {
	mongo_store *s;
	const char *prefix;
	zinc_buf from;
	bool sizes, more, stopped;
	zinc_ordered_row_fn fn;
	void *arg;
} page;

static mongoc_cursor_t *
ask_page(const page *x, mongo_conn *c)
{
	const size_t n = strlen(x->prefix);
	bson_t filter = BSON_INITIALIZER, opts = BSON_INITIALIZER, key, sort;
	mongoc_cursor_t *cursor;
	char *end;

	BSON_APPEND_DOCUMENT_BEGIN(&filter, "key", &key);
	bson_append_utf8(&key, "$gte", -1, x->from.n ? (const char *)x->from.p : "", (int)x->from.n);
	if (n) {
		end = bson_strdup(x->prefix);
		end[n - 1]++; /* '/' becomes '0' */
		bson_append_utf8(&key, "$lt", -1, end, (int)n);
		bson_free(end);
	}
	bson_append_document_end(&filter, &key);
	BSON_APPEND_DOCUMENT_BEGIN(&opts, "sort", &sort);
	BSON_APPEND_INT32(&sort, "key", 1);
	bson_append_document_end(&opts, &sort);
	BSON_APPEND_INT64(&opts, "limit", x->sizes ? PAGE : PAGE_LEVEL);
	add_fields(&opts, true);
	cursor = mongoc_collection_find_with_opts(c->documents, &filter, &opts, NULL);
	bson_destroy(&filter);
	bson_destroy(&opts);
	return cursor;
}

/* The size of a value that MongoDBStore has written. */
static zinc_status
ask_size(mongo_conn *c, const mongo_doc *d, uint64_t *out, zinc_error *err)
{
	mongoc_cursor_t *cursor = NULL;
	bool found = false;
	zinc_status st;
	mongo_doc whole;

	*out = ZINC_ORDERED_NONE;
	if (strlen(d->key) != d->nkey)
		return ZINC_OK;
	st = zinc_mongo_find(c, d->key, false, &cursor, &whole, &found, err);
	if (st == ZINC_OK && found && whole.has_value)
		*out = whole.nvalue;
	mongoc_cursor_destroy(cursor);
	return st;
}

/* One row; the next page begins after it. */
static zinc_status
pass(page *x, mongo_conn *c, const mongo_doc *d, zinc_error *err)
{
	uint64_t size = 0;

	if (x->sizes && d->has_mark)
		size = (uint64_t)d->size;
	else if (x->sizes)
		ZINC_TRY(ask_size(c, d, &size, err));
	zinc_buf_end(&x->from, 0);
	ZINC_TRY(zinc_buf_add(&x->from, d->key, d->nkey, err));
	ZINC_TRY(zinc_buf_add(&x->from, "", 1, err));
	x->stopped = x->fn(x->arg, d->key, d->nkey, size) != 0;
	return ZINC_OK;
}

/* After a failure the rest of the page is asked for again. */
static zinc_status
read_page(page *x, mongo_try *t)
{
	const int room = x->sizes ? PAGE : PAGE_LEVEL;
	mongoc_cursor_t *cursor;
	const bson_t *doc = NULL;
	zinc_status st = ZINC_OK;
	bool end = false;
	mongo_conn *c;
	mongo_doc d;
	int n = 0;

	ZINC_TRY(zinc_mongo_enter(t, &c));
	cursor = ask_page(x, c);
	while (st == ZINC_OK && !end && !x->stopped) {
		st = next(c, cursor, &doc, &end, &t->error);
		if (st == ZINC_OK && !end) {
			n++;
			if (zinc_mongo_read(doc, &d))
				st = pass(x, c, &d, &t->error);
		}
	}
	mongoc_cursor_destroy(cursor);
	zinc_mongo_leave(t, c);
	x->more = n == room && !x->stopped;
	return st;
}

static zinc_status
rows(void *self, const char *prefix, zinc_bytes from, bool sizes, zinc_ordered_row_fn fn, void *arg,
     const zinc_wait *wait, zinc_error *err)
{
	page x = {.s = (mongo_store *)self, .prefix = prefix, .sizes = sizes, .more = true, .fn = fn, .arg = arg};
	zinc_status st;
	mongo_try t;

	zinc_buf_init(&x.from, x.s->ctx, 2 * ZINC_MAX_KEY);
	st = zinc_buf_add(&x.from, from.p, from.n, err);
	while (st == ZINC_OK && x.more) {
		zinc_mongo_try(&t, x.s, wait);
		do
			st = read_page(&x, &t);
		while (zinc_mongo_again(&t, &st, err));
	}
	zinc_buf_fini(&x.from);
	return st;
}

zinc_status
zinc_mongo_walk(void *self, const char *prefix, const zinc_lister *to, const zinc_wait *wait, zinc_error *err)
{
	mongo_store *s = (mongo_store *)self;
	bool stopped;

	return zinc_ordered_walk(s, s->ctx, rows, prefix, to, &stopped, wait, err);
}

#endif
