/*
 * store_postgresql_conn.c - connections: opening, waiting, pool, fork, what to try again
 *
 * A connection belongs to one thread at a time; those that no thread uses wait in a pool.  libpq never waits itself: its
 * sockets are polled here, within the deadline of the call.  A call that gives up closes its connection.  It does not
 * use PQcancel, which waits for a new connection without a deadline; the server is asked to look every two seconds
 * whether its client is still there, and then ends what it was doing.
 */
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>

#include "store/store_postgresql.h"

#if ZINC_WITH_POSTGRESQL

#define FIRST_SECONDS 5.0  /* to reach a server that was never reached: it may be starting */
#define FIRST_PAUSE   0.02 /* seconds, doubled each time */
#define LONGEST       1.0
#define LOOK_SECONDS  0.02   /* between two looks at the flag that cancels */
#define OLDEST        100000 /* txid_status is in PostgreSQL 10 */

#define SETUP                                                                                                          \
	"SELECT current_setting('fsync'), current_setting('synchronous_commit'), pg_is_in_recovery()::text, " PG_WHOLE \
	", (SELECT relpersistence::text FROM pg_class WHERE oid = to_regclass($1::text))"

/* ---- waiting ---- */

static int
milliseconds(const pg_conn *c, double most)
{
	const double left = zinc_wait_left(c->wait);
	double seconds = c->wait && c->wait->cancel ? LOOK_SECONDS : 1.0;

	seconds = left < seconds ? left : seconds;
	seconds = most < seconds ? most : seconds;
	return seconds > 0 ? (int)(seconds * 1000) + 1 : 0;
}

/* Wait for the socket until `until`, and within the deadline. */
static zinc_status
wait_until(pg_conn *c, short events, double until, zinc_error *err)
{
	struct pollfd p = {.fd = PQsocket(c->db), .events = events};
	double now;
	int n;

	do {
		now = zinc_now(c->s->batched.ctx);
		if (zinc_wait_for(c->wait, "PostgreSQL", err) != ZINC_OK || now >= until) {
			c->broken = true;
			c->fault = PG_FINAL;
			return now < until ? ZINC_E_CANCELLED : zinc_fail(err, ZINC_E_IO, "PostgreSQL does not answer");
		}
		n = poll(&p, 1, milliseconds(c, until - now));
	} while (n == 0 || (n < 0 && errno == EINTR));
	if (n < 0)
		return zinc_pg_fail(c, NULL, err);
	c->since = now;
	return ZINC_OK;
}

/* Without a deadline, patience ends after a time without any sign of life. */
zinc_status
zinc_pg_wait(pg_conn *c, bool write, zinc_error *err)
{
	const bool timed = c->wait && c->wait->until > 0;

	return wait_until(c, (short)(POLLIN | (write ? POLLOUT : 0)), timed ? HUGE_VAL : c->since + c->s->patience,
			  err);
}

/* ---- opening ---- */

static void
ignore_notice(void *arg, const char *text)
{
	(void)arg, (void)text;
}

/* The encoding is none: the server then converts nothing, and names may have any bytes where it allows them. */
static PGconn *
start(const pg_store *s, const pg_hosts *h)
{
	static const char *const names[PG_WORDS] = {
	    [PG_HOST] = "host",         [PG_PORT] = "port",         [PG_DATABASE] = "dbname",
	    [PG_USER] = "user",         [PG_PASSWORD] = "password", [PG_SERVICE] = "service",
	    [PG_PASSFILE] = "passfile", [PG_SSLMODE] = "sslmode",   [PG_SSLROOTCERT] = "sslrootcert",
	    [PG_SSLCERT] = "sslcert",   [PG_SSLKEY] = "sslkey",     [PG_ATTRIBUTES] = "target_session_attrs",
	};
	const char *words[PG_WORDS + 6] = {"client_encoding", "fallback_application_name"};
	const char *values[PG_WORDS + 6] = {"SQL_ASCII", "zinc"};
	int i, n = 2;

	for (i = 0; i < PG_WORDS; i++)
		if (s->word[i]) {
			words[n] = names[i];
			values[n++] = s->word[i];
		}
	if (h->cut) { /* of a word that comes twice libpq takes the last */
		words[n] = "host";
		values[n++] = (const char *)h->host.p;
		words[n] = "hostaddr";
		values[n++] = (const char *)h->address.p;
		words[n] = "port";
		values[n++] = (const char *)h->port.p;
	}
	return PQconnectStartParams(words, values, 0);
}

/* The handshake, step by step.  Each host has its time.  *silent: one has not answered in it. */
static zinc_status
shake_hands(pg_conn *c, bool *silent, zinc_error *err)
{
	PostgresPollingStatusType next = PGRES_POLLING_WRITING;
	const char *host = NULL;
	double until = 0;

	*silent = false;
	if (PQstatus(c->db) == CONNECTION_BAD)
		return zinc_pg_fail_connect(PQerrorMessage(c->db), &c->fault, err);
	PQsetErrorVerbosity(c->db, PQERRORS_VERBOSE); /* for zinc_pg_fail_connect */
	PQsetNoticeProcessor(c->db, ignore_notice, NULL);
	while (next != PGRES_POLLING_OK) {
		zinc_status st;

		if (host != PQhost(c->db))
			until = zinc_now(c->s->batched.ctx) + c->s->connect_seconds;
		host = PQhost(c->db);
		st = wait_until(c, next == PGRES_POLLING_READING ? POLLIN : POLLOUT, until, err);
		*silent = st == ZINC_E_IO && c->fault == PG_FINAL;
		if (st != ZINC_OK)
			return st;
		next = PQconnectPoll(c->db);
		if (next == PGRES_POLLING_FAILED)
			return zinc_pg_fail_connect(PQerrorMessage(c->db), &c->fault, err);
	}
	if (PQsetnonblocking(c->db, 1) != 0 || !PQenterPipelineMode(c->db))
		return zinc_pg_fail(c, NULL, err);
	return ZINC_OK;
}

static zinc_status
reach(pg_conn *c, zinc_error *err)
{
	zinc_status st;
	bool silent;
	pg_hosts h;

	zinc_pg_hosts_init(&h, c->s->batched.ctx);
	do {
		PQfinish(c->db);
		c->broken = silent = false;
		c->fault = PG_FINE;
		c->db = start(c->s, &h);
		st = c->db ? shake_hands(c, &silent, err) : zinc_fail_nomem(err);
	} while (silent && zinc_pg_leave_out(&h, c->db));
	zinc_pg_hosts_fini(&h);
	return st;
}

/* Order and conversion of keys are right only in these encodings. */
static zinc_status
check_server(pg_conn *c, zinc_error *err)
{
	const char *encoding = PQparameterStatus(c->db, "server_encoding");

	c->fault = PG_FINAL;
	if (PQserverVersion(c->db) < OLDEST)
		return zinc_fail(err, ZINC_E_UNSUPPORTED, "this PostgreSQL is older than 10");
	if (!encoding || (strcmp(encoding, "UTF8") != 0 && strcmp(encoding, "SQL_ASCII") != 0))
		return zinc_fail(err, ZINC_E_UNSUPPORTED, "the database is of the encoding %s: it must be UTF8",
				 encoding ? encoding : "?");
	c->fault = PG_FINE;
	return ZINC_OK;
}

/* What the server does with a commit, and whether it can be written.  Nothing is set for the session: behind a pooler it
 * serves others, too. */
static zinc_status
ask_server(pg_conn *c, zinc_error *err)
{
	pg_params p = {.n = 0};
	PGresult *r = NULL;
	const char *level, *kind;

	zinc_pg_add_text(&p, c->s->table);
	ZINC_TRY(zinc_pg_run(c, SETUP, &p, &r, err));
	level = zinc_pg_column(r, 0, 1);
	kind = zinc_pg_column(r, 0, 4);
	snprintf(c->durable, sizeof c->durable, "%s", strcmp(level, "off") == 0 ? "on" : level);
	snprintf(c->whole, sizeof c->whole, "%s", zinc_pg_column(r, 0, 3));
	atomic_store(&c->s->forgets, strcmp(zinc_pg_column(r, 0, 0), "off") == 0 || (*kind && strcmp(kind, "p") != 0));
	atomic_store(&c->s->readonly, strcmp(zinc_pg_column(r, 0, 2), "true") == 0);
	PQclear(r);
	c->watches = zinc_pg_run(c, "SELECT " PG_WATCH, NULL, NULL, NULL) == ZINC_OK; /* not every system has it */
	if (c->broken)
		return zinc_pg_fail(c, NULL, err);
	c->fault = PG_FINE;
	return ZINC_OK;
}

/* A child must not say farewell in the name of its parent: without a socket PQfinish only frees memory. */
void
zinc_pg_close(zinc_conn *conn, bool forked)
{
	pg_conn *c = (pg_conn *)(void *)conn;
	zinc_context *ctx = c->s->batched.ctx;

	if (forked && PQsocket(c->db) >= 0)
		ctx->os->close(ctx->os, PQsocket(c->db));
	PQfinish(c->db);
	zinc_free(ctx, c);
}

static zinc_status
conn_new(pg_try *t, pg_conn **out, zinc_error *err)
{
	pg_conn *c = (pg_conn *)zinc_calloc(t->s->batched.ctx, 1, sizeof *c);
	zinc_status st;

	if (!c)
		return zinc_fail_nomem(err);
	c->s = t->s;
	c->wait = t->wait;
	c->since = zinc_now(t->s->batched.ctx);
	st = reach(c, err);
	if (st == ZINC_OK)
		st = check_server(c, err);
	if (st == ZINC_OK)
		st = ask_server(c, err);
	if (st == ZINC_OK) {
		atomic_store(&t->s->reached, true);
		*out = c;
		return ZINC_OK;
	}
	/* a server that was never reached, or takes too long, is down */
	t->fault = c->fault == PG_LOST || (c->fault == PG_FINAL && st == ZINC_E_IO && c->broken) ? PG_DOWN : c->fault;
	zinc_pg_close(&c->conn, false);
	return st;
}

/* ---- the pool ---- */

/* Nothing comes from a server that was asked nothing, except the end of the connection. */
static bool
is_dead(const pg_conn *c)
{
	struct pollfd p = {.fd = PQsocket(c->db), .events = POLLIN};

	return PQstatus(c->db) != CONNECTION_OK || poll(&p, 1, 0) != 0;
}

zinc_status
zinc_pg_enter(pg_try *t, pg_conn **out)
{
	pg_conn *c;

	*out = NULL;
	t->fault = PG_FINAL;
	ZINC_TRY(zinc_wait_check(t->wait, &t->error));
	while ((c = (pg_conn *)(void *)zinc_conns_take(&t->s->pool)) && is_dead(c))
		zinc_pg_close(&c->conn, false);
	if (!c)
		ZINC_TRY(conn_new(t, &c, &t->error));
	c->wait = t->wait;
	c->since = zinc_now(t->s->batched.ctx);
	c->fault = PG_FINE;
	c->state[0] = '\0';
	c->queued = 0;
	*out = c;
	return ZINC_OK;
}

/* A connection whose last round did not end, or with an open transaction, is not used again. */
void
zinc_pg_leave(pg_try *t, pg_conn *c)
{
	t->fault = c->fault;
	c->wait = NULL;
	if (!c->broken && PQtransactionStatus(c->db) == PQTRANS_IDLE)
		zinc_conns_give(&t->s->pool, &c->conn);
	else
		zinc_pg_close(&c->conn, false);
}

/* ---- trying again ---- */

void
zinc_pg_try(pg_try *t, pg_store *s, const zinc_wait *wait)
{
	t->s = s;
	t->wait = wait;
	t->since = zinc_now(s->batched.ctx);
	t->n = 0;
	t->fault = PG_FINAL;
	zinc_error_clear(&t->error);
}

static bool
may_help(const pg_try *t)
{
	const bool timed = t->wait && t->wait->until > 0;
	const double passed = zinc_now(t->s->batched.ctx) - t->since;

	if (t->fault != PG_AGAIN && t->fault != PG_DOWN && t->fault != PG_LOST)
		return false;
	if (t->fault == PG_DOWN && !atomic_load(&t->s->reached) && passed >= FIRST_SECONDS)
		return false;
	return timed || passed < t->s->patience;
}

/* Longer each time, and another time for each caller. */
static double
pause_of(const pg_try *t)
{
	const uint64_t mix =
	    ((uint64_t)(uintptr_t)t >> 4) * 2654435761u + (uint64_t)(t->since * 1e6) + (uint64_t)t->n * 977;
	double seconds = FIRST_PAUSE * (double)(1u << (t->n < 10 ? t->n : 10));

	seconds = seconds < LONGEST ? seconds : LONGEST;
	return seconds * (0.5 + (double)(mix % 512) / 1024);
}

bool
zinc_pg_again(pg_try *t, zinc_status *st, zinc_error *err)
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
