/*
 * store_postgresql.c - keys and values in a table of a PostgreSQL database; a module
 *
 *     postgresql://USER:PASSWORD@HOST:PORT/DATABASE/a/b?table=zarr     the key a/b in the table zarr
 *
 * The table is (key text COLLATE "C" PRIMARY KEY, value bytea, generation bigint), created by the first write.  What the
 * URL leaves out libpq finds as always: PGHOST, PGPASSWORD, PGSERVICE, ~/.pgpass ...
 *
 * Promises (tests/unit/test_store_postgresql.c and tests/live/postgresql.py name each by its number):
 *
 * (1) All bytes of an answer, its size and its tag belong to one value.
 * (2) A tag is the generation of the row: a number of a sequence with random bits, so that it does not come back, also
 *     after a crash.  A condition is checked by the statement that makes the change.
 * (3) Puts of one call, or of one group's flush, are one transaction.  A durable change that returned ZINC_OK survives
 *     kill -9 of client and server, also if the role has set synchronous_commit to off.
 * (4) No call waits longer than its deadline, or without one than the setting "patience" without any sign of the server.
 *     (The name of a host is looked up without a deadline.)  A host that does not answer leaves time for the next.
 * (5) A lost connection, a server that is starting or stopping, a deadlock: the call tries again.  What became of a
 *     commit without an answer is asked for; if that cannot be found out, a change with conditions is E_UNCERTAIN.
 * (6) A failure is never "missing"; only a table that does not exist is empty, not one that may not be seen.
 * (7) No password appears in an error.
 * (8) A standby, and a role without permission to write, can read.
 * (9) After a fork the child opens connections of its own.
 */
#include <stdio.h>

#include "store/store_postgresql.h"

#if ZINC_WITH_POSTGRESQL

#define PARALLEL       16
#define MERGE_GAP      65536
#define NAME_MAX_BYTES 63 /* PostgreSQL cuts longer names off */

#define PG_CHANGES (ZINC_CAP_WRITE | ZINC_CAP_ERASE | ZINC_CAP_DURABLE | ZINC_CAP_CAS)
#define PG_FLAGS                                                                                                       \
	(PG_CHANGES | ZINC_CAP_READ | ZINC_CAP_RANGE | ZINC_CAP_SUFFIX_RANGE | ZINC_CAP_LIST | ZINC_CAP_ATOMIC_PUT |   \
	 ZINC_CAP_READ_AFTER_WRITE | ZINC_CAP_LIST_AFTER_WRITE | ZINC_CAP_REMOTE | ZINC_CAP_TAGS)

static void
pg_caps(void *self, zinc_caps *out)
{
	pg_store *s = (pg_store *)self;

	out->flags = PG_FLAGS;
	if (atomic_load(&s->readonly))
		out->flags &= ~(uint32_t)PG_CHANGES;
	if (atomic_load(&s->forgets))
		out->flags &= ~(uint32_t)ZINC_CAP_DURABLE;
	out->parallel = PARALLEL;
	out->merge_gap = MERGE_GAP;
	out->key_max = PG_KEY_MAX;
}

static void
pg_close(void *self)
{
	pg_store *s = (pg_store *)self;
	zinc_context *ctx = s->batched.ctx;
	int i;

	zinc_conns_fini(&s->pool);
	zinc_turn_fini(&s->syncing);
	for (i = 0; i < PG_TEXTS; i++)
		zinc_free(ctx, s->sql[i]);
	for (i = 0; i < PG_WORDS; i++)
		zinc_free_secret(ctx, s->word[i]);
	zinc_free(ctx, s->table);
	zinc_free(ctx, s);
}

/* ---- the table's name ---- */

/* "name" with its quotes doubled. */
static zinc_status
add_quoted(zinc_buf *out, const char *name, size_t n, zinc_error *err)
{
	size_t i;

	if (n == 0 || n > NAME_MAX_BYTES || memchr(name, '$', n))
		return zinc_fail(err, ZINC_E_INVALID,
				 "postgresql.table must be TABLE or SCHEMA.TABLE, names of 1 to %d bytes without '$'",
				 NAME_MAX_BYTES);
	ZINC_TRY(zinc_buf_add(out, "\"", 1, err));
	for (i = 0; i < n; i++)
		ZINC_TRY(zinc_buf_add(out, name[i] == '"' ? "\"\"" : name + i, name[i] == '"' ? 2 : 1, err));
	return zinc_buf_add(out, "\"", 1, err);
}

static zinc_status
quote(zinc_buf *out, const char *name, zinc_error *err)
{
	const char *dot = strchr(name, '.');

	if (strchr(name, '@') || !zinc_utf8_valid(name, strlen(name)))
		return zinc_fail(err, ZINC_E_INVALID, "postgresql.table must be UTF-8 without '@'");
	if (dot) {
		ZINC_TRY(add_quoted(out, name, (size_t)(dot - name), err));
		ZINC_TRY(zinc_buf_add(out, ".", 1, err));
		name = dot + 1;
	}
	return add_quoted(out, name, strlen(name), err);
}

static zinc_status
take_table(pg_store *s, const char *name, zinc_error *err)
{
	zinc_status st;
	zinc_buf b;

	zinc_buf_init(&b, s->batched.ctx, 4 * NAME_MAX_BYTES + 16);
	st = quote(&b, name, err);
	if (st == ZINC_OK) {
		s->table = zinc_strndup(s->batched.ctx, (const char *)b.p, b.n);
		st = s->table ? ZINC_OK : zinc_fail_nomem(err);
	}
	zinc_buf_fini(&b);
	return st;
}

/* ---- the URL ---- */

/* A word of libpq, from text[0..n) of the URL; earlier ones are replaced.  Empty: libpq decides. */
static zinc_status
take_word(pg_store *s, pg_word word, const char *text, size_t n, zinc_error *err)
{
	zinc_status st;
	zinc_buf b;
	char *copy;

	if (n == 0)
		return ZINC_OK;
	zinc_buf_init(&b, s->batched.ctx, ZINC_MAX_KEY);
	st = zinc_buf_reserve(&b, n, err);
	if (st == ZINC_OK)
		st = zinc_url_unescape(&b, text, n, false, err);
	if (st == ZINC_OK) {
		copy = (char *)zinc_alloc_secret(s->batched.ctx, b.n + 1);
		st = copy ? ZINC_OK : zinc_fail_nomem(err);
		if (copy) {
			memcpy(copy, b.p, b.n);
			copy[b.n] = '\0';
			zinc_free_secret(s->batched.ctx, s->word[word]);
			s->word[word] = copy;
		}
	}
	zinc_buf_wipe(&b);
	return st;
}

/* The end of a host, which may be "[::1]"; what follows is its port. */
static size_t
host_length(const char *at, size_t n)
{
	const char *close = n && *at == '[' ? (const char *)memchr(at, ']', n) : NULL;
	const size_t from = close ? (size_t)(close - at) : 0;
	const char *colon = (const char *)memchr(at + from, ':', n - from);

	return colon ? (size_t)(colon - at) : n;
}

/* Lists of libpq's form from "HOST:PORT,HOST:PORT". */
static zinc_status
split_hosts(const char *at, size_t n, zinc_buf *hosts, zinc_buf *ports, bool *has_port, zinc_error *err)
{
	size_t one, host;

	for (;; at += one + 1, n -= one + 1) {
		const char *comma = (const char *)memchr(at, ',', n);
		bool bracket;

		one = comma ? (size_t)(comma - at) : n;
		host = host_length(at, one);
		bracket = host >= 2 && at[0] == '[' && at[host - 1] == ']';
		ZINC_TRY(zinc_buf_add(hosts, at + bracket, host - 2 * bracket, err));
		if (host < one) {
			*has_port = true;
			ZINC_TRY(zinc_buf_add(ports, at + host + 1, one - host - 1, err));
		}
		if (!comma)
			return ZINC_OK;
		ZINC_TRY(zinc_buf_add(hosts, ",", 1, err));
		ZINC_TRY(zinc_buf_add(ports, ",", 1, err));
	}
}

static zinc_status
take_hosts(pg_store *s, const char *at, size_t n, zinc_error *err)
{
	zinc_buf hosts, ports;
	bool has_port = false;
	zinc_status st;

	zinc_buf_init(&hosts, s->batched.ctx, ZINC_MAX_KEY);
	zinc_buf_init(&ports, s->batched.ctx, ZINC_MAX_KEY);
	st = split_hosts(at, n, &hosts, &ports, &has_port, err);
	if (st == ZINC_OK)
		st = take_word(s, PG_HOST, (const char *)hosts.p, hosts.n, err);
	if (st == ZINC_OK && has_port)
		st = take_word(s, PG_PORT, (const char *)ports.p, ports.n, err);
	zinc_buf_fini(&hosts);
	zinc_buf_fini(&ports);
	return st;
}

/* "USER:PASSWORD@HOST:PORT/DATABASE" */
static zinc_status
take_url(pg_store *s, const char *rest, zinc_error *err)
{
	const size_t n = strcspn(rest, "/");
	const char *at = (const char *)memrchr(rest, '@', n), *host = at ? at + 1 : rest;

	if (!rest[n] || !rest[n + 1] || strchr(rest + n + 1, '/'))
		return zinc_fail(err, ZINC_E_INVALID, "the URL must name a database: postgresql://HOST/DATABASE/PATH");
	if (at) {
		const char *colon = (const char *)memchr(rest, ':', (size_t)(at - rest));

		ZINC_TRY(take_word(s, PG_USER, rest, (size_t)((colon ? colon : at) - rest), err));
		if (colon)
			ZINC_TRY(take_word(s, PG_PASSWORD, colon + 1, (size_t)(at - colon - 1), err));
	}
	ZINC_TRY(take_hosts(s, host, n - (size_t)(host - rest), err));
	return take_word(s, PG_DATABASE, rest + n + 1, strlen(rest + n + 1), err);
}

/* ---- settings ---- */

static const zinc_setting_row pg_settings[] = {
    {.name = "table", .place = 1, .preset = "zarr", .purpose = "the table: TABLE or SCHEMA.TABLE"},
    {.name = "user", .purpose = "if the URL has none; then PGUSER"},
    {.name = "password", .purpose = "if the URL has none; then PGPASSWORD, ~/.pgpass", .secret = 1},
    {.name = "host", .place = 1, .purpose = "if the URL has none: a name, or the directory of a socket"},
    {.name = "port", .place = 1, .purpose = "if the URL has none"},
    {.name = "service", .place = 1, .purpose = "a section of pg_service.conf"},
    {.name = "passfile", .purpose = "another file than ~/.pgpass"},
    {.name = "sslmode", .purpose = "disable, prefer, require, verify-ca or verify-full"},
    {.name = "sslrootcert", .purpose = "file with the certificates of authorities that are trusted"},
    {.name = "sslcert", .purpose = "file with the certificate of this client"},
    {.name = "sslkey", .purpose = "file with its key"},
    {.name = "target_session_attrs", .purpose = "which of several hosts: read-write, standby ..."},
    {.name = "connect_timeout",
     .type = ZINC_SETTING_SECONDS,
     .preset = "10",
     .env = "PGCONNECT_TIMEOUT",
     .purpose = "how long to wait for a connection"},
    {.name = "patience",
     .type = ZINC_SETTING_SECONDS,
     .preset = "60",
     .purpose = "how long a call without a deadline waits for the server, and tries again"},
    {.name = NULL},
};

/* The URL's words replace those of settings. */
static zinc_status
take_settings(pg_store *s, const zinc_store_options *o, zinc_error *err)
{
	static const struct {
		const char *setting;
		pg_word word;
	} words[] = {
	    {"user", PG_USER},
	    {"password", PG_PASSWORD},
	    {"host", PG_HOST},
	    {"port", PG_PORT},
	    {"service", PG_SERVICE},
	    {"passfile", PG_PASSFILE},
	    {"sslmode", PG_SSLMODE},
	    {"sslcert", PG_SSLCERT},
	    {"sslkey", PG_SSLKEY},
	    {"sslrootcert", PG_SSLROOTCERT},
	    {"target_session_attrs", PG_ATTRIBUTES},
	};
	size_t i;

	for (i = 0; i < sizeof words / sizeof words[0]; i++) {
		const char *value = zinc_setting_text(o, words[i].setting);
		const size_t n = value ? strlen(value) : 0;

		if (!n)
			continue;
		s->word[words[i].word] = (char *)zinc_alloc_secret(s->batched.ctx, n + 1);
		if (!s->word[words[i].word])
			return zinc_fail_nomem(err);
		memcpy(s->word[words[i].word], value, n + 1);
	}
	s->patience = zinc_setting_number(o, "patience");
	s->connect_seconds = zinc_setting_number(o, "connect_timeout");
	return take_table(s, zinc_setting_text(o, "table"), err);
}

/* ---- open ---- */

zinc_status
zinc_pg_new(pg_store **out, const char *rest, const zinc_store_options *options, zinc_error *err)
{
	pg_store *s = (pg_store *)zinc_calloc(options->context, 1, sizeof *s);
	zinc_status st;

	if (!s)
		return zinc_fail_nomem(err);
	s->batched = (zinc_batched){&zinc_pg_batch, options->context};
	zinc_conns_init(&s->pool, PG_MAX_IDLE, zinc_pg_close);
	zinc_turn_init(&s->syncing);
	st = take_settings(s, options, err);
	if (st == ZINC_OK)
		st = take_url(s, rest, err);
	if (st == ZINC_OK)
		st = zinc_pg_texts(s, err);
	if (st == ZINC_OK)
		*out = s;
	else
		pg_close(s);
	return st;
}

/* What the server does with changes must be known before anybody relies on it. */
static zinc_status
meet_server(pg_store *s, const zinc_call_options *call, zinc_error *err)
{
	const double until = call && call->timeout > 0 ? zinc_now(s->batched.ctx) + call->timeout : 0;
	const zinc_wait wait = {sizeof wait, until, call ? call->cancel : NULL};
	zinc_status st;
	pg_conn *c;
	pg_try t;

	zinc_pg_try(&t, s, &wait);
	do {
		st = zinc_pg_enter(&t, &c);
		if (st == ZINC_OK)
			zinc_pg_leave(&t, c);
	} while (zinc_pg_again(&t, &st, err));
	return st;
}

static zinc_status
pg_open(void **self, const char *rest, const zinc_store_options *options, zinc_error *err)
{
	pg_store *s = NULL;
	zinc_status st;

	ZINC_TRY(zinc_pg_new(&s, rest, options, err));
	st = meet_server(s, options->call, err);
	if (st == ZINC_OK)
		*self = s;
	else
		pg_close(s);
	return st;
}

/* The server and the database. */
static zinc_status
pg_split(const char *rest, zinc_context *ctx, size_t *nbytes, zinc_error *err)
{
	const size_t n = strcspn(rest, "/");

	(void)ctx, (void)err;
	*nbytes = rest[n] ? n + 1 + strcspn(rest + n + 1, "/") : n;
	return ZINC_OK;
}

const zinc_store_ops zinc_store_ops_postgresql = {
    .size = sizeof(zinc_store_ops),
    .name = "postgresql",
    .purpose = "a table of a PostgreSQL database",
    .schemes = "postgresql,postgres",
    .variables = "PGHOST,PGHOSTADDR,PGPORT,PGUSER,PGSERVICE,PGSERVICEFILE,PGSYSCONFDIR,PGOPTIONS,PGTARGETSESSIONATTRS",
    .settings = pg_settings,
    .split = pg_split,
    .open = pg_open,
    .close = pg_close,
    .caps = pg_caps,
    .get = zinc_pg_get,
    .put = zinc_batch_put,
    .del = zinc_batch_del,
    .put_begin = zinc_batch_begin,
    .commit = zinc_batch_commit,
    .abort = zinc_batch_abort,
    .del_prefix = zinc_pg_del_prefix,
    .sync = zinc_pg_sync,
    .walk = zinc_pg_walk,
    .flags = PG_FLAGS,
};

ZINC_STORE_MODULE(postgresql);

#endif
