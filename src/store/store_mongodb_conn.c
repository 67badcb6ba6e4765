/*
 * store_mongodb_conn.c - clients of libmongoc, their pool, errors, what to try again
 *
 * A client belongs to one thread at a time.  One that failed is thrown away: libmongoc would not try its server again for
 * some seconds.  libmongoc writes to no log, which could hold what it was given.
 */
#include <stdio.h>

#include "store/store_mongodb.h"

#if ZINC_WITH_MONGODB && ZINC_WITH_BSON

#define FIRST_PAUSE   0.02
#define LONGEST       1.0
#define FIRST_SECONDS 5.0 /* to reach a server that was never reached: it may be starting */

/* ---- the library ---- */

static void
init_once(void)
{
	mongoc_log_set_handler(NULL, NULL); /* first, because mongoc_init may print, too */
	mongoc_init();
}

void
zinc_mongo_init(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, init_once);
}

/* ---- errors ---- */

#define UNDO "; it may be undone"

static const struct meaning {
	uint32_t code;
	mongo_fault fault;
	zinc_status status;
	const char *advice;
} meanings[] = {
    {11000, MONGO_TWICE, ZINC_E_EXISTS, ""},
    {112, MONGO_AGAIN, ZINC_E_IO, ""},   /* write conflict */
    {6, MONGO_LOST, ZINC_E_IO, ""},      /* host unreachable */
    {7, MONGO_LOST, ZINC_E_IO, ""},      /* host not found */
    {89, MONGO_LOST, ZINC_E_IO, ""},     /* network timeout */
    {91, MONGO_LOST, ZINC_E_IO, ""},     /* shutdown */
    {189, MONGO_LOST, ZINC_E_IO, ""},    /* the primary stepped down */
    {9001, MONGO_LOST, ZINC_E_IO, ""},   /* socket */
    {10107, MONGO_AGAIN, ZINC_E_IO, ""}, /* not the primary */
    {11600, MONGO_LOST, ZINC_E_IO, ""},
    {11602, MONGO_LOST, ZINC_E_IO, ""},
    {13435, MONGO_AGAIN, ZINC_E_IO, ""},
    {13436, MONGO_AGAIN, ZINC_E_IO, ""},
    {64, MONGO_FINAL, ZINC_E_UNCERTAIN, UNDO}, /* write concern */
    {79, MONGO_FINAL, ZINC_E_UNCERTAIN, UNDO},
    {100, MONGO_FINAL, ZINC_E_UNCERTAIN, UNDO},
    {13, MONGO_FINAL, ZINC_E_IO, "; the user needs the role read, or readWrite, of the database"},
    {18, MONGO_FINAL, ZINC_E_IO, "; check user, password and mongodb.authSource"},
    {11, MONGO_FINAL, ZINC_E_IO, "; check user, password and mongodb.authSource"},
    {10334, MONGO_FINAL, ZINC_E_LIMIT, ""},
    {17280, MONGO_FINAL, ZINC_E_LIMIT, ""}, /* the key, of an index, before MongoDB 4.2 */
};

static const struct meaning *
find(const bson_error_t *e)
{
	static const struct meaning lost = {0, MONGO_LOST, ZINC_E_IO, ""}, down = {0, MONGO_DOWN, ZINC_E_IO, ""},
				    other = {0, MONGO_FINAL, ZINC_E_IO, ""},
				    unsure = {0, MONGO_FINAL, ZINC_E_UNCERTAIN, UNDO};
	const bool made = e->domain == MONGOC_ERROR_WRITE_CONCERN; /* the change, but not everywhere */
	size_t i;

	if (e->domain == MONGOC_ERROR_STREAM)
		return &lost;
	if (e->domain == MONGOC_ERROR_SERVER_SELECTION)
		return &down;
	for (i = 0; i < sizeof meanings / sizeof meanings[0]; i++)
		if (meanings[i].code == e->code && (e->code != 11 || e->domain == MONGOC_ERROR_CLIENT))
			break;
	if (i == sizeof meanings / sizeof meanings[0])
		return made ? &unsure : &other;
	if (!made)
		return &meanings[i];
	return meanings[i].fault == MONGO_AGAIN || meanings[i].fault == MONGO_LOST ? &lost : &unsure;
}

zinc_status
zinc_mongo_fail(mongo_conn *c, const bson_error_t *e, zinc_error *err)
{
	const struct meaning *m = find(e);

	c->fault = m->fault;
	c->broken = c->broken || m->fault == MONGO_LOST || m->fault == MONGO_DOWN || m->fault == MONGO_AGAIN;
	if (c->late) {
		c->fault = MONGO_FINAL;
		c->broken = true;
		ZINC_TRY(zinc_wait_for(c->wait, "MongoDB", err));
	}
	return zinc_fail(err, m->status, "MongoDB: %.300s%s", e->message, m->advice);
}

/* ---- clients ---- */

void
zinc_mongo_close(zinc_conn *conn, bool forked)
{
	mongo_conn *c = (mongo_conn *)(void *)conn;

	c->forked = forked;
	c->wait = NULL;
	if (c->documents)
		mongoc_collection_destroy(c->documents);
	if (c->client && forked)
		mongoc_client_reset(c->client);
	if (c->client)
		mongoc_client_destroy(c->client);
	zinc_free(c->s->ctx, c);
}

/* FerretDB 1 reads, changes and writes a document without excluding others. */
static zinc_status
ask_server(mongo_conn *c, zinc_error *err)
{
	bson_t command = BSON_INITIALIZER, reply;
	bson_error_t e;
	bson_iter_t it;
	bool good;

	BSON_APPEND_INT32(&command, "buildInfo", 1);
	good = mongoc_client_command_simple(c->client, "admin", &command, NULL, &reply, &e);
	bson_destroy(&command);
	if (good && bson_iter_init_find(&it, &reply, "ferretdbVersion") && BSON_ITER_HOLDS_UTF8(&it))
		atomic_store(&c->s->loose, strncmp(bson_iter_utf8(&it, NULL), "v1.", 3) == 0);
	bson_destroy(&reply);
	return good ? ZINC_OK : zinc_mongo_fail(c, &e, err);
}

static zinc_status
conn_new(mongo_try *t, mongo_conn **out)
{
	mongo_conn *c = (mongo_conn *)zinc_calloc(t->s->ctx, 1, sizeof *c);
	bson_error_t e = {0};
	zinc_status st = ZINC_OK;

	if (!c)
		return zinc_fail_nomem(&t->error);
	c->s = t->s;
	c->wait = t->wait;
	c->since = zinc_now(t->s->ctx);
	c->client = mongoc_client_new_from_uri_with_error(t->s->uri, &e);
	if (!c->client)
		st = zinc_mongo_fail(c, &e, &t->error);
	if (st == ZINC_OK) {
		mongoc_client_set_error_api(c->client, MONGOC_ERROR_API_VERSION_2);
		mongoc_client_set_stream_initiator(c->client, zinc_mongo_stream, c);
		st = ask_server(c, &t->error);
	}
	if (st == ZINC_OK) {
		c->documents = mongoc_client_get_collection(c->client, t->s->database, t->s->collection);
		atomic_store(&t->s->reached, true);
		*out = c;
		return ZINC_OK;
	}
	t->fault = c->fault == MONGO_LOST ? MONGO_DOWN : c->fault; /* nothing was asked for yet */
	zinc_mongo_close(&c->conn, false);
	return st;
}

zinc_status
zinc_mongo_enter(mongo_try *t, mongo_conn **out)
{
	mongo_conn *c;

	*out = NULL;
	t->fault = MONGO_FINAL;
	ZINC_TRY(zinc_wait_check(t->wait, &t->error));
	c = (mongo_conn *)(void *)zinc_conns_take(&t->s->pool);
	if (!c)
		ZINC_TRY(conn_new(t, &c));
	c->wait = t->wait;
	c->since = zinc_now(t->s->ctx);
	c->fault = MONGO_FINE;
	c->late = c->sent = false;
	*out = c;
	return ZINC_OK;
}

/* After a lost connection the server may have been restarted: the other clients are thrown away, too. */
void
zinc_mongo_leave(mongo_try *t, mongo_conn *c)
{
	t->fault = c->fault;
	c->wait = NULL;
	if (c->broken) {
		if (c->fault != MONGO_FINAL)
			zinc_conns_drop(&t->s->pool);
		zinc_mongo_close(&c->conn, false);
	} else {
		zinc_conns_give(&t->s->pool, &c->conn);
	}
}

/* ---- trying again ---- */

void
zinc_mongo_try(mongo_try *t, mongo_store *s, const zinc_wait *wait)
{
	t->s = s;
	t->wait = wait;
	t->since = zinc_now(s->ctx);
	t->n = 0;
	t->fault = MONGO_FINAL;
	zinc_error_clear(&t->error);
}

static bool
may_help(const mongo_try *t)
{
	const bool timed = t->wait && t->wait->until > 0;
	const double passed = zinc_now(t->s->ctx) - t->since;

	if (t->fault != MONGO_AGAIN && t->fault != MONGO_DOWN && t->fault != MONGO_LOST)
		return false;
	if (t->fault == MONGO_DOWN && !atomic_load(&t->s->reached) && passed >= FIRST_SECONDS)
		return false;
	return timed || passed < t->s->patience;
}

/* Longer each time, and another time for each caller. */
static double
pause_of(const mongo_try *t)
{
	const uint64_t mix = ((uint64_t)(uintptr_t)t >> 4) * 2654435761u + (uint64_t)(t->since * 1e6) + (uint64_t)t->n;
	double seconds = FIRST_PAUSE * (double)(1u << (t->n < 10 ? t->n : 10));

	seconds = seconds < LONGEST ? seconds : LONGEST;
	return seconds * (0.5 + (double)(mix % 512) / 1024);
}

bool
zinc_mongo_again(mongo_try *t, zinc_status *st, zinc_error *err)
{
	char what[700];

	if (*st == ZINC_OK)
		return false;
	if (may_help(t)) {
		snprintf(what, sizeof what, "another try: %s", t->error.text);
		*st = zinc_wait_pause(t->wait, pause_of(t), what, &t->error);
		t->n++;
		if (*st == ZINC_OK)
			return true;
	}
	zinc_error_copy(err, &t->error);
	return false;
}

#endif
