/*
 * store_postgresql_put.c - transactions: put, del, del_prefix, sync, the table
 *
 * A transaction takes two rounds: everything up to the results of its statements, and then COMMIT.  A connection that is
 * lost before the second was sent has changed nothing, however late the server reads the first; so it can be repeated.
 * If it is lost after that, the server is asked what became of the transaction (txid_status), and waited for while it
 * is still being committed.  A server that crashed may give the number of a transaction that it forgot to another one:
 * if it has crashed since, one of the new generations must be seen, or the outcome is not known.
 *
 * Keys are changed in their order, so that two transactions of Zinc do not wait for each other.
 */
#include <stdio.h>
#include <stdlib.h>

#include "store/store_postgresql.h"

#if ZINC_WITH_POSTGRESQL

#define VALUE_MAX 1000000000 /* PostgreSQL's limit for a message is 1 GiB */

#define BEGIN "BEGIN ISOLATION LEVEL READ COMMITTED"
/* The row locks of a client that is gone end with its transaction, long before others lose their patience. */
#define BEGUN                                                                                                          \
	"SELECT txid_current(), substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8), "                          \
	"set_config('synchronous_commit', $1, true), "                                                                 \
	"set_config('idle_in_transaction_session_timeout', '20000', true)"

#define SAME_SERVER "SELECT " PG_WHOLE ", substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8)"

#define NO_SUCH_TRANSACTION "22023" /* what txid_status says of a number that was not given yet */

/* What a transaction does between its begin and its end. */
typedef struct work {
	zinc_status (*send)(void *arg, pg_conn *c, zinc_error *err);
	zinc_status (*take)(void *arg, pg_conn *c, zinc_error *err);
	/* After it is not known what became of it: is something of it in the table?  NULL: it can be repeated. */
	zinc_status (*seen)(void *arg, pg_conn *c, bool *yes, zinc_error *err);
	void *arg;
	bool relaxed;
} work;

/* A transaction that was sent. */
typedef struct sent {
	int64_t id;
	char whole[40];   /* since when its server had not crashed */
	char timeline[9]; /* of its server: another after a standby took over */
} sent;

typedef enum verdict { COMMITTED, UNDONE, OPEN, OBSCURE } verdict;

/* ---- one transaction ---- */

static zinc_status
begin(const work *w, pg_conn *c, zinc_error *err)
{
	pg_params p = {.n = 0};

	zinc_pg_add_text(&p, w->relaxed ? "off" : c->durable);
	ZINC_TRY(zinc_pg_send(c, BEGIN, NULL, err));
	ZINC_TRY(zinc_pg_send(c, c->watches ? BEGUN ", " PG_WATCH : BEGUN, &p, err));
	ZINC_TRY(w->send(w->arg, c, err));
	return zinc_pg_sent(c, err);
}

static zinc_status
take_begin(pg_conn *c, sent *x, zinc_error *err)
{
	PGresult *r = NULL;
	bool good;

	ZINC_TRY(zinc_pg_take(c, &r, err));
	PQclear(r);
	ZINC_TRY(zinc_pg_take(c, &r, err));
	good = zinc_pg_number(r, 0, 0, &x->id);
	snprintf(x->timeline, sizeof x->timeline, "%s", zinc_pg_column(r, 0, 1));
	PQclear(r);
	snprintf(x->whole, sizeof x->whole, "%s", c->whole);
	return good ? ZINC_OK : zinc_fail(err, ZINC_E_IO, "PostgreSQL gave no number of the transaction");
}

/* A commit that the server refuses has not happened; one without an answer may have. */
static zinc_status
commit(pg_conn *c, zinc_error *err)
{
	PGresult *r = NULL;
	zinc_status st;

	st = zinc_pg_send(c, "COMMIT", NULL, err);
	if (st == ZINC_OK)
		st = zinc_pg_sent(c, err);
	if (st == ZINC_OK)
		st = zinc_pg_take(c, &r, err);
	if (st != ZINC_OK && c->broken)
		c->fault = PG_UNKNOWN;
	if (st == ZINC_OK && strcmp(PQcmdStatus(r), "COMMIT") != 0)
		st = zinc_fail(err, ZINC_E_IO, "PostgreSQL has undone the change");
	PQclear(r);
	if (!c->broken && zinc_pg_end(c, NULL) != ZINC_OK)
		c->broken = true; /* after its answer nothing matters */
	return st;
}

static zinc_status
run_once(const work *w, pg_conn *c, sent *x, zinc_error *err)
{
	zinc_status st;

	ZINC_TRY(begin(w, c, err));
	st = take_begin(c, x, err);
	if (st == ZINC_OK)
		st = w->take(w->arg, c, err);
	if (!c->broken && zinc_pg_end(c, st == ZINC_OK ? err : NULL) != ZINC_OK && st == ZINC_OK)
		st = ZINC_E_IO;
	if (st == ZINC_OK)
		return commit(c, err);
	if (!c->broken) {
		const pg_fault fault = c->fault;

		zinc_pg_run(c, "ROLLBACK", NULL, NULL, NULL);
		c->fault = fault;
	}
	return st;
}

/* ---- after a commit without an answer ---- */

/* Could the server have forgotten a transaction, and given its number to another?  Not if it has not crashed since: a
 * server that recovers begins its statistics anew, and one that is shut down in order keeps them.  The times of its start
 * and of its last checkpoint do not tell: a crash of one process is no start, and checkpoints are counted in seconds. */
static bool
is_sure(pg_conn *c, const sent *x)
{
	PGresult *r = NULL;
	bool sure;

	if (!x->whole[0] || zinc_pg_run(c, SAME_SERVER, NULL, &r, NULL) != ZINC_OK)
		return false;
	sure = strcmp(zinc_pg_column(r, 0, 0), x->whole) == 0 && strcmp(zinc_pg_column(r, 0, 1), x->timeline) == 0;
	PQclear(r);
	return sure;
}

/* A standby may not have heard of the transaction yet: ask again, until there is a server that can be written. */
static zinc_status
fail_standby(pg_conn *c, zinc_error *err)
{
	c->fault = PG_AGAIN;
	c->broken = true;
	return zinc_fail(err, ZINC_E_IO, "PostgreSQL is a standby, or is recovering");
}

/* The server has not given the number yet. */
static zinc_status
ask_in_recovery(pg_conn *c, verdict *out, zinc_error *err)
{
	PGresult *r = NULL;
	bool standby;

	ZINC_TRY(zinc_pg_run(c, "SELECT pg_is_in_recovery()::text", NULL, &r, err));
	standby = strcmp(zinc_pg_column(r, 0, 0), "false") != 0;
	PQclear(r);
	if (standby)
		return fail_standby(c, err);
	*out = UNDONE;
	return ZINC_OK;
}

static zinc_status
ask_verdict(const work *w, pg_conn *c, const sent *x, verdict *out, zinc_error *err)
{
	pg_params p = {.n = 0};
	PGresult *r = NULL;
	zinc_status st;
	const char *is;
	bool seen = false;

	zinc_pg_add_number(&p, x->id);
	st = zinc_pg_run(c, "SELECT txid_status($1::int8), pg_is_in_recovery()::text", &p, &r, err);
	if (st != ZINC_OK && !c->broken && strcmp(c->state, NO_SUCH_TRANSACTION) == 0)
		return ask_in_recovery(c, out, err);
	ZINC_TRY(st);
	if (strcmp(zinc_pg_column(r, 0, 1), "true") == 0) {
		PQclear(r);
		return fail_standby(c, err);
	}
	is = zinc_pg_column(r, 0, 0);
	*out = strcmp(is, "committed") == 0     ? COMMITTED
	       : strcmp(is, "aborted") == 0     ? UNDONE
	       : strcmp(is, "in progress") == 0 ? OPEN
						: OBSCURE;
	PQclear(r);
	if (*out == COMMITTED && !is_sure(c, x)) {
		if (w->seen && !c->broken)
			ZINC_TRY(w->seen(w->arg, c, &seen, err));
		*out = seen ? COMMITTED : OBSCURE;
	}
	return ZINC_OK;
}

/* Ask until it is known; the server may be starting. */
static zinc_status
find_verdict(pg_try *t, const work *w, const sent *x, verdict *out)
{
	zinc_status st;
	pg_conn *c;

	do {
		*out = OBSCURE;
		st = zinc_pg_enter(t, &c);
		if (st == ZINC_OK) {
			st = ask_verdict(w, c, x, out, &t->error);
			zinc_pg_leave(t, c);
		}
		if (st == ZINC_OK && *out == OPEN) {
			t->fault = PG_AGAIN;
			st = zinc_fail(&t->error, ZINC_E_IO, "PostgreSQL is still committing");
		}
	} while (zinc_pg_again(t, &st, NULL));
	return st;
}

static zinc_status
fail_uncertain(zinc_error *err)
{
	return zinc_fail(err, ZINC_E_UNCERTAIN,
			 "the connection to PostgreSQL was lost while a change was being committed, and what became of "
			 "it cannot be found out");
}

/* OK: it was committed.  E_IO with the fault PG_LOST: it can be repeated. */
static zinc_status
resolve(pg_try *t, const work *w, const sent *x)
{
	verdict v;
	const zinc_status st = find_verdict(t, w, x, &v);

	if (st == ZINC_OK && v == COMMITTED)
		return ZINC_OK;
	t->fault = PG_FINAL;
	if (st != ZINC_OK || (v == OBSCURE && w->seen))
		return fail_uncertain(&t->error);
	t->fault = PG_LOST;
	return zinc_fail(&t->error, ZINC_E_IO, "the connection to PostgreSQL was lost before the change was committed");
}

/* ---- the table ---- */

/* The lower bits of a generation are random: the numbers of a sequence can come back after a crash, or with a new table
 * of the same name, together with other bytes. */
static const char table_text[] =
    "DO $zinc$ DECLARE t regclass; BEGIN "
    "PERFORM pg_advisory_xact_lock(2053729377, hashtext('zinc')); "
    "IF to_regclass($name$%s$name$) IS NULL THEN "
    "CREATE TABLE %s (key text COLLATE \"C\" PRIMARY KEY, value bytea NOT NULL, generation bigserial NOT NULL); "
    "t := to_regclass($name$%s$name$); "
    "EXECUTE format('ALTER TABLE %%s ALTER COLUMN value SET STORAGE EXTERNAL', t); "
    "EXECUTE format('ALTER TABLE %%s ALTER COLUMN generation SET DEFAULT nextval(%%L::regclass) * 1048576 + "
    "floor(random() * 1048576)::bigint', t, pg_get_serial_sequence(t::text, 'generation')); "
    "END IF; END $zinc$";

static zinc_status
make_table(pg_try *t)
{
	const char *name = t->s->table;
	zinc_status st;
	zinc_buf sql;
	pg_conn *c;

	zinc_buf_init(&sql, t->s->batched.ctx, ZINC_MAX_KEY);
	st = zinc_buf_printf(&sql, &t->error, table_text, name, name, name);
	if (st == ZINC_OK && !zinc_buf_text(&sql))
		st = zinc_fail_nomem(&t->error);
	if (st == ZINC_OK)
		st = zinc_pg_enter(t, &c);
	if (st == ZINC_OK) {
		st = zinc_pg_run(c, (const char *)sql.p, NULL, NULL, &t->error);
		if (st != ZINC_OK && c->fault == PG_NO_TABLE)
			c->fault = PG_FINAL; /* no schema */
		zinc_pg_leave(t, c);
	}
	zinc_buf_fini(&sql);
	return st;
}

/* ---- transactions that are tried again ---- */

/* *missing: there is no table, and nothing was changed.  NULL: it is created. */
static zinc_status
transact_once(pg_try *t, const work *w, bool *missing)
{
	zinc_status st;
	pg_conn *c;
	sent x;

	ZINC_TRY(zinc_pg_enter(t, &c));
	st = run_once(w, c, &x, &t->error);
	if (st != ZINC_OK && !c->broken && c->fault == PG_NO_TABLE && zinc_pg_check_hidden(c, &t->error) != ZINC_OK)
		st = t->error.code;
	zinc_pg_leave(t, c);
	if (st != ZINC_OK && t->fault == PG_UNKNOWN)
		return resolve(t, w, &x);
	if (st != ZINC_OK && t->fault == PG_NO_TABLE && missing) {
		*missing = true;
		return ZINC_OK;
	}
	if (st != ZINC_OK && t->fault == PG_NO_TABLE) {
		st = make_table(t);
		if (st == ZINC_OK) {
			t->fault = PG_AGAIN;
			return zinc_fail(&t->error, ZINC_E_IO, "the table was missing");
		}
	}
	return st;
}

static zinc_status
transact(pg_store *s, const work *w, bool *missing, const zinc_wait *wait, zinc_error *err)
{
	zinc_status st;
	pg_try t;

	zinc_pg_try(&t, s, wait);
	if (missing)
		*missing = false;
	do
		st = transact_once(&t, w, missing);
	while (zinc_pg_again(&t, &st, err));
	if (st == ZINC_OK && w->relaxed)
		atomic_store(&s->relaxed, true);
	return st;
}

/* ---- put and del ---- */

typedef struct change {
	zinc_change *x;
	size_t place;
	int64_t generation; /* that it has got */
} change;

typedef struct changes {
	zinc_context *ctx;
	change *all;
	size_t n;
} changes;

static int
by_key(const void *a, const void *b)
{
	const change *x = (const change *)a, *y = (const change *)b;
	const int order = strcmp(x->x->key, y->x->key);

	return order ? order : x->place < y->place ? -1 : 1;
}

static zinc_when
when_of(const zinc_change *x)
{
	return x->when ? x->when->when : ZINC_ANY;
}

/* Several pieces are joined: libpq takes a value as one, and copies it. */
static zinc_status
send_value(const changes *b, pg_conn *c, const zinc_change *x, zinc_error *err)
{
	static const pg_text texts[] = {
	    [ZINC_ANY] = PG_PUT, [ZINC_ABSENT] = PG_PUT_ABSENT, [ZINC_EQUALS] = PG_PUT_EQUALS};
	const zinc_when when = when_of(x);
	pg_params p = {.n = 0};
	uint8_t *joined = NULL;
	zinc_status st;
	size_t n;

	if (zinc_iov_bytes(x->iov, x->niov, &n))
		return zinc_fail_nomem(err);
	if (x->niov > 1) {
		joined = (uint8_t *)zinc_alloc(b->ctx, n ? n : 1);
		if (!joined)
			return zinc_fail_nomem(err);
		zinc_iov_gather(x->iov, x->niov, joined, n);
	}
	zinc_pg_add_text(&p, x->key);
	zinc_pg_add_bytes(&p, joined ? joined : x->niov ? x->iov->iov_base : NULL, n);
	if (when == ZINC_EQUALS)
		zinc_pg_add_number(&p, zinc_pg_generation(x->when->tag));
	st = zinc_pg_send(c, c->s->sql[texts[when]], &p, err);
	zinc_free(b->ctx, joined);
	return st;
}

static zinc_status
send_erase(pg_conn *c, const zinc_change *x, zinc_error *err)
{
	static const pg_text texts[] = {[ZINC_ANY] = PG_DEL, [ZINC_ABSENT] = PG_STAT, [ZINC_EQUALS] = PG_DEL_EQUALS};
	const zinc_when when = when_of(x);
	pg_params p = {.n = 0};

	zinc_pg_add_text(&p, x->key);
	if (when == ZINC_EQUALS)
		zinc_pg_add_number(&p, zinc_pg_generation(x->when->tag));
	return zinc_pg_send(c, c->s->sql[texts[when]], &p, err);
}

static zinc_status
send_changes(void *arg, pg_conn *c, zinc_error *err)
{
	const changes *b = (const changes *)arg;
	size_t i;

	for (i = 0; i < b->n; i++) {
		const zinc_change *x = b->all[i].x;

		ZINC_TRY(x->erase ? send_erase(c, x, err) : send_value(b, c, x, err));
	}
	return ZINC_OK;
}

/* A row says that it was changed, or of an erase of nothing, that there is something. */
static zinc_status
take_changes(void *arg, pg_conn *c, zinc_error *err)
{
	changes *b = (changes *)arg;
	PGresult *r = NULL;
	size_t i;

	for (i = 0; i < b->n; i++) {
		zinc_change *x = b->all[i].x;
		const zinc_when when = when_of(x);
		bool row;

		ZINC_TRY(zinc_pg_take(c, &r, err));
		row = zinc_pg_number(r, 0, 0, &b->all[i].generation);
		PQclear(r);
		if (when == ZINC_ABSENT)
			x->status = row == x->erase ? ZINC_E_EXISTS : ZINC_OK;
		else
			x->status = row || when == ZINC_ANY ? ZINC_OK : ZINC_E_CONFLICT;
		if (!x->erase && x->status == ZINC_OK && !row)
			return zinc_fail(err, ZINC_E_IO, "PostgreSQL gave the new value no generation");
		x->tag.n = 0;
		if (!x->erase && row)
			zinc_pg_tag(b->all[i].generation, &x->tag);
	}
	return ZINC_OK;
}

/* Has a key one of the generations of these changes? */
static zinc_status
see_changes(void *arg, pg_conn *c, bool *yes, zinc_error *err)
{
	const changes *b = (const changes *)arg;
	PGresult *r = NULL;
	int64_t now;
	size_t i;

	for (i = 0; i < b->n && !*yes; i++) {
		const zinc_change *x = b->all[i].x;
		pg_params p = {.n = 0};

		if (x->erase || x->status != ZINC_OK)
			continue;
		zinc_pg_add_text(&p, x->key);
		ZINC_TRY(zinc_pg_run(c, c->s->sql[PG_STAT], &p, &r, err));
		*yes = zinc_pg_number(r, 0, 0, &now) && now == b->all[i].generation;
		PQclear(r);
	}
	return ZINC_OK;
}

/* Without a table every key is missing. */
static void
find_nothing(const changes *b)
{
	size_t i;

	for (i = 0; i < b->n; i++)
		b->all[i].x->status = zinc_batch_check(b->all[i].x->when, NULL);
}

static zinc_status
check_sizes(const changes *b, bool *puts, bool *conditions, zinc_error *err)
{
	size_t i, n;

	for (i = 0; i < b->n; i++) {
		const zinc_change *x = b->all[i].x;

		*conditions = *conditions || when_of(x) != ZINC_ANY;
		*puts = *puts || (!x->erase && when_of(x) != ZINC_EQUALS);
		if (!x->erase && (zinc_iov_bytes(x->iov, x->niov, &n) || n > VALUE_MAX))
			return zinc_fail(err, ZINC_E_LIMIT,
					 "a value of more than %d bytes does not fit into PostgreSQL", VALUE_MAX);
	}
	return ZINC_OK;
}

static zinc_status
apply_sorted(pg_store *s, changes *b, bool relaxed, const zinc_wait *wait, zinc_error *err)
{
	bool puts = false, conditions = false, missing = false;
	work w = {send_changes, take_changes, NULL, b, relaxed};

	ZINC_TRY(check_sizes(b, &puts, &conditions, err));
	if (conditions)
		w.seen = see_changes;
	ZINC_TRY(transact(s, &w, puts ? NULL : &missing, wait, err));
	if (missing)
		find_nothing(b);
	return ZINC_OK;
}

static zinc_status
apply(void *self, zinc_change *const *all, size_t n, bool relaxed, const zinc_wait *wait, zinc_error *err)
{
	pg_store *s = (pg_store *)self;
	changes b = {.ctx = s->batched.ctx, .n = n};
	zinc_status st;
	size_t i;

	b.all = (change *)zinc_calloc(s->batched.ctx, n ? n : 1, sizeof *b.all);
	if (!b.all)
		return zinc_fail_nomem(err);
	for (i = 0; i < n; i++)
		b.all[i] = (change){all[i], i, 0};
	qsort(b.all, n, sizeof *b.all, by_key);
	st = apply_sorted(s, &b, relaxed, wait, err);
	zinc_free(s->batched.ctx, b.all);
	return st;
}

const zinc_batch_ops zinc_pg_batch = {apply, zinc_pg_sync};

/* ---- prefixes, sync ---- */

typedef struct range {
	const char *prefix;
	zinc_buf end;
} range;

static zinc_status
send_range(void *arg, pg_conn *c, zinc_error *err)
{
	range *x = (range *)arg;
	pg_params p = {.n = 0};

	if (!x->prefix[0])
		return zinc_pg_send(c, c->s->sql[PG_DEL_ALL], NULL, err);
	zinc_pg_add_text(&p, x->prefix);
	ZINC_TRY(zinc_pg_add_end(&p, x->prefix, &x->end, err));
	return zinc_pg_send(c, c->s->sql[PG_DEL_RANGE], &p, err);
}

static zinc_status
take_one(void *arg, pg_conn *c, zinc_error *err)
{
	PGresult *r = NULL;

	(void)arg;
	ZINC_TRY(zinc_pg_take(c, &r, err));
	PQclear(r);
	return ZINC_OK;
}

/* Readers see all of the keys or none. */
zinc_status
zinc_pg_del_prefix(void *self, const char *prefix, uint32_t flags, const zinc_wait *wait, zinc_error *err)
{
	pg_store *s = (pg_store *)self;
	range x = {.prefix = prefix};
	const work w = {send_range, take_one, NULL, &x, flags & ZINC_PUT_RELAXED};
	zinc_status st;
	bool missing;

	zinc_buf_init(&x.end, s->batched.ctx, ZINC_MAX_KEY);
	st = transact(s, &w, &missing, wait, err);
	zinc_buf_fini(&x.end);
	return st;
}

/* A commit makes all before it durable, but only if its transaction wrote something: a message that nobody reads. */
static zinc_status
send_message(void *arg, pg_conn *c, zinc_error *err)
{
	(void)arg;
	return zinc_pg_send(c, "SELECT pg_logical_emit_message(true, 'zinc', '')", NULL, err);
}

zinc_status
zinc_pg_sync(void *self, const zinc_wait *wait, zinc_error *err)
{
	pg_store *s = (pg_store *)self;
	const work w = {send_message, take_one, NULL, NULL, false};
	zinc_status st = ZINC_OK;

	ZINC_TRY(zinc_turn_acquire(&s->syncing, wait, err));
	if (atomic_exchange(&s->relaxed, false))
		st = transact(s, &w, NULL, wait, err);
	if (st != ZINC_OK)
		atomic_store(&s->relaxed, true);
	zinc_turn_release(&s->syncing);
	return st;
}

#endif
