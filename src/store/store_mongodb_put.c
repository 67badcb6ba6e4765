/*
 * store_mongodb_put.c - changes: each is one update or delete of one document, which MongoDB makes atomically
 *
 * A put chooses its generation before it is sent.  If the answer is lost, the document says by its generation whether the
 * put was made; sent again it has the same generation, so that it is never made twice.
 */
#include <sys/random.h>

#include "store/store_mongodb.h"

#if ZINC_WITH_MONGODB && ZINC_WITH_BSON

#define RACES 20 /* times that an upsert may meet another one */

/* One change. */
typedef struct change {
	const char *key;
	const uint8_t *value; /* NULL: erase it */
	size_t nvalue;
	const zinc_condition *when;
	bool relaxed;
	uint8_t generation[MONGO_GENERATION];
	bool lost; /* an earlier try had no answer */
} change;

bool
zinc_mongo_has_conditions(mongo_store *s)
{
	return s->conditions == 1 || (s->conditions == -1 && !atomic_load(&s->loose));
}

/* ---- what is sent ---- */

/* Durable: the majority of a replica set has it in its journal. */
static void
add_concern(bson_t *opts, bool relaxed)
{
	mongoc_write_concern_t *w = mongoc_write_concern_new();

	if (relaxed) {
		mongoc_write_concern_set_w(w, 1);
	} else {
		mongoc_write_concern_set_wmajority(w, 0);
		mongoc_write_concern_set_journal(w, true);
	}
	mongoc_write_concern_append(w, opts);
	mongoc_write_concern_destroy(w);
}

static void
add_document(bson_t *out, const change *x, bool id)
{
	bson_t mark;

	if (id)
		BSON_APPEND_UTF8(out, "_id", x->key);
	bson_append_binary(out, "value", -1, BSON_SUBTYPE_BINARY, x->value, (uint32_t)x->nvalue);
	BSON_APPEND_DOCUMENT_BEGIN(out, "zinc", &mark);
	bson_append_binary(&mark, "generation", -1, BSON_SUBTYPE_BINARY, x->generation, MONGO_GENERATION);
	BSON_APPEND_INT64(&mark, "size", (int64_t)x->nvalue);
	bson_append_document_end(out, &mark);
}

/* {$set: {value, zinc}, $setOnInsert: {_id}}, or with `insert_only` everything in the second. */
static void
make_update(bson_t *out, const change *x, bool insert_only)
{
	bson_t in;

	if (!insert_only) {
		BSON_APPEND_DOCUMENT_BEGIN(out, "$set", &in);
		add_document(&in, x, false);
		bson_append_document_end(out, &in);
	}
	BSON_APPEND_DOCUMENT_BEGIN(out, "$setOnInsert", &in);
	if (insert_only)
		add_document(&in, x, true);
	else
		BSON_APPEND_UTF8(&in, "_id", x->key);
	bson_append_document_end(out, &in);
}

static int64_t
count_of(const bson_t *reply, const char *name)
{
	bson_iter_t it;

	return bson_iter_init_find(&it, reply, name) ? bson_iter_as_int64(&it) : 0;
}

/* The index by which everybody finds a key; unique, so that other programs insert it only once.  A collection that has a
 * key twice, or a user who may not, goes without. */
static void
make_index(mongo_conn *c)
{
	bson_t command = BSON_INITIALIZER, all, one, key;

	if (atomic_exchange(&c->s->indexed, true))
		return;
	BSON_APPEND_UTF8(&command, "createIndexes", c->s->collection);
	BSON_APPEND_ARRAY_BEGIN(&command, "indexes", &all);
	BSON_APPEND_DOCUMENT_BEGIN(&all, "0", &one);
	BSON_APPEND_DOCUMENT_BEGIN(&one, "key", &key);
	BSON_APPEND_INT32(&key, "key", 1);
	bson_append_document_end(&one, &key);
	BSON_APPEND_UTF8(&one, "name", "key_1");
	BSON_APPEND_BOOL(&one, "unique", true);
	bson_append_document_end(&all, &one);
	bson_append_array_end(&command, &all);
	mongoc_client_write_command_with_opts(c->client, c->s->database, &command, NULL, NULL, NULL);
	bson_destroy(&command);
}

/* Update one document; *n: how many the filter found, *made: whether a new one was inserted. */
static zinc_status
update(mongo_conn *c, const change *x, const bson_t *filter, const bson_t *doc, bool upsert, int64_t *n, bool *made,
       zinc_error *err)
{
	bson_t opts = BSON_INITIALIZER, reply;
	bson_error_t e;
	bool good;

	make_index(c);
	BSON_APPEND_BOOL(&opts, "upsert", upsert);
	add_concern(&opts, x->relaxed);
	c->sent = true;
	good = mongoc_collection_update_one(c->documents, filter, doc, &opts, &reply, &e);
	*n = count_of(&reply, "matchedCount");
	*made = count_of(&reply, "upsertedCount") > 0;
	bson_destroy(&opts);
	bson_destroy(&reply);
	return good ? ZINC_OK : zinc_mongo_fail(c, &e, err);
}

static zinc_status
remove_found(mongo_conn *c, const change *x, const bson_t *filter, bool one, int64_t *n, zinc_error *err)
{
	bson_t opts = BSON_INITIALIZER, reply;
	bson_error_t e;
	bool good;

	add_concern(&opts, x->relaxed);
	c->sent = true;
	good = one ? mongoc_collection_delete_one(c->documents, filter, &opts, &reply, &e)
		   : mongoc_collection_delete_many(c->documents, filter, &opts, &reply, &e);
	*n = count_of(&reply, "deletedCount");
	bson_destroy(&opts);
	bson_destroy(&reply);
	return good ? ZINC_OK : zinc_mongo_fail(c, &e, err);
}

/* ---- what is there ---- */

typedef struct state {
	bool found, ours; /* ours: it has the generation of this change */
	zinc_tag tag;
} state;

static zinc_status
look(mongo_conn *c, const change *x, state *out, zinc_error *err)
{
	mongoc_cursor_t *cursor = NULL;
	mongo_doc d;
	zinc_status st = zinc_mongo_find(c, x->key, false, &cursor, &d, &out->found, err);

	if (st == ZINC_OK && out->found) {
		zinc_mongo_tag(&d, &out->tag);
		out->ours = d.has_mark && memcmp(d.generation, x->generation, MONGO_GENERATION) == 0;
	}
	mongoc_cursor_destroy(cursor);
	return st;
}

static zinc_status
fail_uncertain(mongo_conn *c, zinc_error *err)
{
	c->fault = MONGO_FINAL;
	return zinc_fail(err, ZINC_E_UNCERTAIN,
			 "the connection to MongoDB was lost during a change, and others have changed the key since: "
			 "what became of it cannot be found out");
}

static zinc_status
fail_condition(mongo_conn *c, const change *x, zinc_error *err)
{
	c->fault = MONGO_FINAL;
	return x->when->when == ZINC_ABSENT
		   ? zinc_fail(err, ZINC_E_EXISTS, "the key already exists")
		   : zinc_fail(err, ZINC_E_CONFLICT, "the value is no longer the one that was read");
}

/* A durable change that changes nothing waits for all before it. */
static zinc_status
settle(mongo_conn *c, zinc_error *err)
{
	const change nothing = {.relaxed = false};
	bson_t filter = BSON_INITIALIZER;
	zinc_status st;
	int64_t n;

	BSON_APPEND_UTF8(&filter, "_id", "");
	st = remove_found(c, &nothing, &filter, false, &n, err);
	bson_destroy(&filter);
	return st;
}

/* The condition did not hold.  After a lost answer it may have been this very change. */
static zinc_status
judge(mongo_conn *c, const change *x, zinc_error *err)
{
	state s = {.found = false};

	if (!x->lost)
		return fail_condition(c, x, err);
	ZINC_TRY(look(c, x, &s, err));
	if (s.ours)
		return x->relaxed ? ZINC_OK : settle(c, err);
	return fail_uncertain(c, err);
}

/* The filter of a condition on the tag: the generation, or of MongoDBStore's documents the value itself. */
static zinc_status
filter_tag(mongo_conn *c, const change *x, bson_t *filter, bool *holds, zinc_error *err)
{
	mongoc_cursor_t *cursor = NULL;
	bool found = false;
	zinc_status st;
	mongo_doc d;
	zinc_tag tag;
	bson_t none;

	*holds = true;
	if (x->when->tag->n == MONGO_GENERATION) {
		bson_append_binary(filter, "zinc.generation", -1, BSON_SUBTYPE_BINARY, x->when->tag->b,
				   MONGO_GENERATION);
		return ZINC_OK;
	}
	st = zinc_mongo_find(c, x->key, false, &cursor, &d, &found, err);
	*holds = false;
	if (st == ZINC_OK && found && d.has_value) {
		zinc_mongo_tag(&d, &tag);
		*holds = zinc_tag_equal(&tag, x->when->tag);
		BSON_APPEND_DOCUMENT_BEGIN(filter, "zinc", &none);
		BSON_APPEND_BOOL(&none, "$exists", false);
		bson_append_document_end(filter, &none);
		bson_append_binary(filter, "value", -1, BSON_SUBTYPE_BINARY, d.value, d.nvalue);
	}
	mongoc_cursor_destroy(cursor);
	return st;
}

/* ---- put ---- */

static zinc_status
put_any(mongo_conn *c, const change *x, const bson_t *filter, zinc_error *err)
{
	bson_t doc = BSON_INITIALIZER;
	zinc_status st;
	int64_t n;
	bool made;
	int i = 0;

	make_update(&doc, x, false);
	do
		st = update(c, x, filter, &doc, true, &n, &made, err);
	while (st != ZINC_OK && c->fault == MONGO_TWICE && ++i < RACES); /* another put has just inserted it */
	bson_destroy(&doc);
	return st;
}

static zinc_status
put_absent(mongo_conn *c, const change *x, const bson_t *filter, zinc_error *err)
{
	bson_t doc = BSON_INITIALIZER;
	zinc_status st;
	int64_t n;
	bool made = false;

	make_update(&doc, x, true);
	st = update(c, x, filter, &doc, true, &n, &made, err);
	bson_destroy(&doc);
	if (st != ZINC_OK && c->fault != MONGO_TWICE)
		return st;
	return made ? ZINC_OK : judge(c, x, err);
}

static zinc_status
put_equals(mongo_conn *c, const change *x, bson_t *filter, zinc_error *err)
{
	bson_t doc = BSON_INITIALIZER, in;
	zinc_status st;
	int64_t n = 0;
	bool holds, made;

	BSON_APPEND_DOCUMENT_BEGIN(&doc, "$set", &in);
	add_document(&in, x, false);
	bson_append_document_end(&doc, &in);
	st = filter_tag(c, x, filter, &holds, err);
	if (st == ZINC_OK && holds)
		st = update(c, x, filter, &doc, false, &n, &made, err);
	bson_destroy(&doc);
	ZINC_TRY(st);
	return n == 1 ? ZINC_OK : judge(c, x, err);
}

/* ---- del ---- */

static zinc_status
del_equals(mongo_conn *c, const change *x, bson_t *filter, zinc_error *err)
{
	int64_t n = 0;
	bool holds;

	ZINC_TRY(filter_tag(c, x, filter, &holds, err));
	if (holds)
		ZINC_TRY(remove_found(c, x, filter, true, &n, err));
	if (n == 1)
		return ZINC_OK;
	return x->lost ? fail_uncertain(c, err) : fail_condition(c, x, err);
}

static zinc_status
del_absent(mongo_conn *c, const change *x, zinc_error *err)
{
	state s = {.found = false};

	ZINC_TRY(look(c, x, &s, err));
	return s.found ? fail_condition(c, x, err) : ZINC_OK;
}

/* ---- all of them ---- */

static zinc_status
change_in(mongo_conn *c, const change *x, bson_t *filter, zinc_error *err)
{
	const zinc_when when = x->when ? x->when->when : ZINC_ANY;
	int64_t n;

	if (x->value)
		return when == ZINC_ANY      ? put_any(c, x, filter, err)
		       : when == ZINC_ABSENT ? put_absent(c, x, filter, err)
					     : put_equals(c, x, filter, err);
	return when == ZINC_ANY      ? remove_found(c, x, filter, false, &n, err)
	       : when == ZINC_ABSENT ? del_absent(c, x, err)
				     : del_equals(c, x, filter, err);
}

/* No try after the one without an answer has found out what became of the change. */
static zinc_status
fail_in_doubt(zinc_status st, zinc_error *err)
{
	if (st == ZINC_E_CANCELLED)
		return zinc_fail(err, ZINC_E_UNCERTAIN, "the deadline passed after a change was sent to MongoDB");
	if (st == ZINC_E_IO)
		return zinc_fail(
		    err, ZINC_E_UNCERTAIN,
		    "the connection to MongoDB was lost after a change was sent, and it cannot be reached");
	return st;
}

static zinc_status
change_one(mongo_store *s, change *x, const zinc_wait *wait, zinc_error *err)
{
	zinc_status st;
	mongo_conn *c;
	mongo_try t;

	zinc_mongo_try(&t, s, wait);
	do {
		st = zinc_mongo_enter(&t, &c);
		if (st == ZINC_OK) {
			bson_t filter = BSON_INITIALIZER;

			BSON_APPEND_UTF8(&filter, "key", x->key);
			st = change_in(c, x, &filter, &t.error);
			bson_destroy(&filter);
			x->lost = x->lost || (st != ZINC_OK && c->sent && (c->fault == MONGO_LOST || c->late));
			zinc_mongo_leave(&t, c);
		}
	} while (zinc_mongo_again(&t, &st, err));
	if (st == ZINC_OK && x->relaxed)
		atomic_store(&s->relaxed, true);
	return st != ZINC_OK && x->lost ? fail_in_doubt(st, err) : st;
}

/* The generation, and the value in one piece. */
static zinc_status
put_one(mongo_store *s, const zinc_put *p, uint32_t flags, zinc_tag *tag, const zinc_wait *wait, zinc_error *err)
{
	change x = {.key = p->key, .when = p->when, .relaxed = flags & ZINC_PUT_RELAXED};
	uint8_t *joined = NULL;
	zinc_status st;
	size_t n = 0;

	if (zinc_iov_bytes(p->iov, p->niov, &n) || n > MONGO_DOCUMENT_MAX - MONGO_OVERHEAD - 2 * strlen(p->key))
		return zinc_fail(
		    err, ZINC_E_LIMIT,
		    "a document of MongoDB has at most 16 MiB, key and names included: use smaller chunks");
	if (getrandom(x.generation, sizeof x.generation, 0) != (ssize_t)sizeof x.generation)
		return zinc_fail(err, ZINC_E_IO, "no random numbers");
	if (p->niov != 1) {
		joined = (uint8_t *)zinc_alloc(s->ctx, n + 1);
		if (!joined)
			return zinc_fail_nomem(err);
		zinc_iov_gather(p->iov, p->niov, joined, n);
	}
	x.value = joined ? joined : n ? (const uint8_t *)p->iov->iov_base : (const uint8_t *)"";
	x.nvalue = n;
	st = change_one(s, &x, wait, err);
	zinc_free(s->ctx, joined);
	tag->n = MONGO_GENERATION;
	memcpy(tag->b, x.generation, MONGO_GENERATION);
	return st;
}

zinc_status
zinc_mongo_put(void *self, zinc_put_group *group, const zinc_put *puts, size_t n, const zinc_done *done, uint32_t flags,
	       const zinc_wait *wait, zinc_error *err)
{
	zinc_status st;
	zinc_error e;
	zinc_tag tag;
	size_t i;

	(void)group, (void)err;
	for (i = 0; i < n; i++) {
		zinc_error_clear(&e);
		st = put_one((mongo_store *)self, &puts[i], flags, &tag, wait, &e);
		zinc_done_report(done, i, st, st == ZINC_OK ? &tag : NULL, st == ZINC_OK ? NULL : &e);
	}
	return ZINC_OK;
}

zinc_status
zinc_mongo_del(void *self, zinc_put_group *group, const zinc_del *dels, size_t n, const zinc_done *done, uint32_t flags,
	       const zinc_wait *wait, zinc_error *err)
{
	zinc_status st;
	zinc_error e;
	size_t i;

	(void)group, (void)err;
	for (i = 0; i < n; i++) {
		change x = {.key = dels[i].key, .when = dels[i].when, .relaxed = flags & ZINC_PUT_RELAXED};

		zinc_error_clear(&e);
		st = change_one((mongo_store *)self, &x, wait, &e);
		zinc_done_report(done, i, st, NULL, st == ZINC_OK ? NULL : &e);
	}
	return ZINC_OK;
}

/* ---- prefixes, sync ---- */

/* Remove what a filter finds, which may be nothing. */
static zinc_status
remove_all(mongo_store *s, const bson_t *filter, bool relaxed, const zinc_wait *wait, zinc_error *err)
{
	const change x = {.relaxed = relaxed};
	zinc_status st;
	mongo_conn *c;
	mongo_try t;
	int64_t n;

	zinc_mongo_try(&t, s, wait);
	do {
		st = zinc_mongo_enter(&t, &c);
		if (st == ZINC_OK) {
			st = remove_found(c, &x, filter, false, &n, &t.error);
			zinc_mongo_leave(&t, c);
		}
	} while (zinc_mongo_again(&t, &st, err));
	if (st == ZINC_OK && relaxed)
		atomic_store(&s->relaxed, true);
	return st;
}

zinc_status
zinc_mongo_del_prefix(void *self, const char *prefix, uint32_t flags, const zinc_wait *wait, zinc_error *err)
{
	const size_t n = strlen(prefix);
	bson_t filter = BSON_INITIALIZER, key;
	zinc_status st;
	char *end;

	BSON_APPEND_DOCUMENT_BEGIN(&filter, "key", &key);
	BSON_APPEND_UTF8(&key, "$gte", prefix);
	if (n) {
		end = bson_strdup(prefix);
		end[n - 1]++;
		BSON_APPEND_UTF8(&key, "$lt", end);
		bson_free(end);
	}
	bson_append_document_end(&filter, &key);
	st = remove_all((mongo_store *)self, &filter, flags & ZINC_PUT_RELAXED, wait, err);
	bson_destroy(&filter);
	return st;
}

/* A durable change that changes nothing waits for all before it. */
zinc_status
zinc_mongo_sync(void *self, const zinc_wait *wait, zinc_error *err)
{
	mongo_store *s = (mongo_store *)self;
	bson_t filter = BSON_INITIALIZER;
	zinc_status st = ZINC_OK;

	ZINC_TRY(zinc_turn_acquire(&s->syncing, wait, err));
	BSON_APPEND_UTF8(&filter, "_id", "");
	if (atomic_exchange(&s->relaxed, false))
		st = remove_all(s, &filter, false, wait, err);
	bson_destroy(&filter);
	if (st != ZINC_OK)
		atomic_store(&s->relaxed, true);
	zinc_turn_release(&s->syncing);
	return st;
}

#endif
