/*
 * store_sqlite_put.c - changes of a database: put, del, groups, update, del_prefix
 *
 * Every change is a transaction that begins as a writer (BEGIN IMMEDIATE), so that what it reads stays true until it
 * commits.  Threads of this process take turns before they ask SQLite, which would let them poll.
 */
#include <stdio.h>
#include <stdlib.h>

#include "store/store_sqlite.h"

#if ZINC_WITH_SQLITE

/* Without WAL a transaction that is not synced may damage the database when the power fails. */
#define SYNC_EXTRA  3
#define SYNC_FULL   2
#define SYNC_NORMAL 1

/* ---- transactions ---- */

static zinc_status
set_synchronous(sql_conn *c, bool relaxed, zinc_error *err)
{
	static const char *const words[] = {NULL, "PRAGMA synchronous=NORMAL", "PRAGMA synchronous=FULL",
					    "PRAGMA synchronous=EXTRA"};
	const int level = !relaxed ? SYNC_EXTRA : c->wal ? SYNC_NORMAL : SYNC_FULL;

	if (c->synchronous == level)
		return ZINC_OK;
	ZINC_TRY(zinc_sql_exec(c, words[level], "cannot set the durability", err));
	c->synchronous = level;
	return ZINC_OK;
}

/* A connection in a transaction that excludes all other writers.  *out is NULL if there is no database. */
static zinc_status
begin(sql_store *s, zinc_use use, bool relaxed, sql_conn **out, const zinc_wait *wait, zinc_error *err)
{
	sql_conn *c = NULL;
	zinc_status st;

	ZINC_TRY(zinc_turn_acquire(&s->turn, wait, err));
	st = zinc_sql_enter(s, use, &c, wait, err);
	if (st == ZINC_OK && c)
		st = set_synchronous(c, relaxed, err);
	if (st == ZINC_OK && c)
		st = zinc_sql_run(c, SQL_BEGIN, "cannot begin a change", err);
	*out = NULL;
	if (st != ZINC_OK || !c) {
		zinc_sql_leave(s, c);
		zinc_turn_release(&s->turn);
		return st;
	}
	c->changes = sqlite3_total_changes(c->db);
	*out = c;
	return ZINC_OK;
}

/* A transaction that changes nothing syncs nothing. */
static void
note_written(sql_store *s, bool relaxed, bool changed)
{
	pthread_mutex_lock(&s->lock);
	s->written = true;
	if (changed)
		s->relaxed = relaxed;
	pthread_mutex_unlock(&s->lock);
}

/* A commit that fails while it waits for others, or for room on the disk, has not happened; after any other failure the
 * change may be in the file. */
static zinc_status
commit(sql_conn *c, zinc_error *err)
{
	const zinc_status st = zinc_sql_run(c, SQL_COMMIT, "cannot commit", err);
	const int rc = sqlite3_errcode(c->db);

	if (st != ZINC_E_IO || (rc & 0xff) != SQLITE_IOERR)
		return st;
	if (err)
		err->code = ZINC_E_UNCERTAIN;
	return ZINC_E_UNCERTAIN;
}

/* End the transaction and give the connection back.  `st` is the result so far; a failure undoes everything. */
static zinc_status
end(sql_store *s, sql_conn *c, bool relaxed, zinc_status st, zinc_error *err)
{
	if (st == ZINC_OK)
		st = commit(c, err);
	if (!sqlite3_get_autocommit(c->db)) {
		c->wait = NULL; /* a rollback is not interrupted */
		zinc_sql_run(c, SQL_ROLLBACK, "", NULL);
	}
	if (st == ZINC_OK)
		note_written(s, relaxed, sqlite3_total_changes(c->db) != c->changes);
	zinc_sql_leave(s, c);
	zinc_turn_release(&s->turn);
	return st;
}

/* ---- one change, in a transaction ---- */

static zinc_status
write_value(sql_conn *c, const char *key, const void *bytes, size_t n, zinc_error *err)
{
	sqlite3_stmt *q;
	zinc_status st;
	int rc;

	ZINC_TRY(zinc_sql_stmt(c, SQL_PUT, &q, err));
	rc = sqlite3_bind_text(q, 1, key, (int)strlen(key), SQLITE_STATIC);
	if (rc == SQLITE_OK)
		rc = n ? sqlite3_bind_blob64(q, 2, bytes, n, SQLITE_STATIC) : sqlite3_bind_zeroblob(q, 2, 0);
	st = rc == SQLITE_OK ? zinc_sql_run(c, SQL_PUT, "cannot write the value", err)
			     : zinc_sql_fail(c, rc, "cannot write the value", err);
	sqlite3_clear_bindings(q);
	return st;
}

static zinc_status
erase_value(sql_conn *c, const char *key, zinc_error *err)
{
	sqlite3_stmt *q;
	int rc;

	ZINC_TRY(zinc_sql_stmt(c, SQL_DEL, &q, err));
	rc = sqlite3_bind_text(q, 1, key, (int)strlen(key), SQLITE_STATIC);
	if (rc != SQLITE_OK)
		return zinc_sql_fail(c, rc, "cannot erase the value", err);
	return zinc_sql_run(c, SQL_DEL, "cannot erase the value", err);
}

/* Does the condition hold?  *status says so; the result is that of looking. */
static zinc_status
check_condition(sql_conn *c, const char *key, const zinc_condition *when, zinc_status *status, zinc_error *err)
{
	zinc_tag tag = {0, {0}};
	zinc_status st;
	sql_value v;

	*status = ZINC_OK;
	if (!when || when->when == ZINC_ANY)
		return ZINC_OK;
	st = zinc_sql_find(c, key, &v, err);
	if (st == ZINC_OK && v.found && when->when == ZINC_EQUALS)
		st = zinc_sql_tag(&v, &tag, c->wait, err);
	zinc_sql_end(&v);
	*status = zinc_batch_check(when, v.found ? &tag : NULL);
	return st;
}

/* Several pieces are joined: SQLite takes a value as one. */
static zinc_status
write_pieces(sql_conn *c, const zinc_change *x, zinc_error *err)
{
	zinc_status st;
	uint8_t *bytes;
	size_t n;

	if (x->niov == 0)
		return write_value(c, x->key, NULL, 0, err);
	if (x->niov == 1)
		return write_value(c, x->key, x->iov->iov_base, x->iov->iov_len, err);
	if (zinc_iov_bytes(x->iov, x->niov, &n))
		return zinc_fail_nomem(err);
	bytes = (uint8_t *)zinc_alloc(c->ctx, n);
	if (!bytes)
		return zinc_fail_nomem(err);
	zinc_iov_gather(x->iov, x->niov, bytes, n);
	st = write_value(c, x->key, bytes, n, err);
	zinc_free(c->ctx, bytes);
	return st;
}

static zinc_status
apply(sql_conn *c, zinc_change *x, zinc_error *err)
{
	ZINC_TRY(zinc_wait_check(c->wait, err));
	ZINC_TRY(check_condition(c, x->key, x->when, &x->status, err));
	if (x->status != ZINC_OK)
		return ZINC_OK;
	return x->erase ? erase_value(c, x->key, err) : write_pieces(c, x, err);
}

static zinc_status
apply_all(void *self, zinc_change *const *changes, size_t n, bool relaxed, const zinc_wait *wait, zinc_error *err)
{
	sql_store *s = (sql_store *)self;
	zinc_status st = ZINC_OK;
	sql_conn *c = NULL;
	size_t i;

	ZINC_TRY(begin(s, zinc_batch_use(changes, n), relaxed, &c, wait, err));
	if (!c)
		return ZINC_OK;
	for (i = 0; i < n && st == ZINC_OK; i++)
		st = apply(c, changes[i], err);
	return end(s, c, relaxed, st, err);
}

const zinc_batch_ops zinc_sql_batch = {apply_all, zinc_sql_sync};

/* ---- update ---- */

static zinc_status
load(sql_conn *c, const sql_value *v, uint64_t limit, uint8_t **out, zinc_error *err)
{
	if (limit && v->nbytes > limit)
		return zinc_fail(err, ZINC_E_LIMIT, "the value is longer than the limit of %llu bytes",
				 (unsigned long long)limit);
	*out = (uint8_t *)zinc_alloc(c->ctx, (size_t)v->nbytes);
	if (!*out)
		return zinc_fail_nomem(err);
	return zinc_sql_read(v, 0, *out, v->nbytes, err);
}

static zinc_status
change_value(sql_conn *c, const char *key, zinc_update_fn fn, void *arg, uint64_t limit, zinc_error *err)
{
	zinc_update u = {.size = sizeof u};
	uint8_t *old = NULL;
	zinc_status st;
	sql_value v;

	st = zinc_sql_find(c, key, &v, err);
	if (st == ZINC_OK && v.found)
		st = load(c, &v, limit, &old, err);
	zinc_sql_end(&v);
	if (st == ZINC_OK)
		st = fn(arg, old, v.found ? (size_t)v.nbytes : 0, &u, err);
	if (st == ZINC_OK && u.erase && !u.keep && v.found)
		st = erase_value(c, key, err);
	else if (st == ZINC_OK && !u.erase && !u.keep)
		st = write_value(c, key, u.bytes, u.nbytes, err);
	zinc_free(c->ctx, old);
	return st;
}

zinc_status
zinc_sql_update(void *self, const char *key, zinc_update_fn fn, void *arg, uint64_t limit, uint32_t flags,
		const zinc_wait *wait, zinc_error *err)
{
	sql_store *s = (sql_store *)self;
	const bool relaxed = flags & ZINC_PUT_RELAXED;
	sql_conn *c = NULL;

	ZINC_TRY(begin(s, ZINC_USE_MAKE, relaxed, &c, wait, err));
	return end(s, c, relaxed, change_value(c, key, fn, arg, limit, err), err);
}

/* ---- prefixes, sync ---- */

static zinc_status
erase_range(sql_conn *c, const char *prefix, zinc_error *err)
{
	sqlite3_stmt *q;
	zinc_status st;
	zinc_buf end_key;

	ZINC_TRY(zinc_sql_stmt(c, SQL_DEL_RANGE, &q, err));
	zinc_buf_init(&end_key, c->ctx, ZINC_MAX_KEY);
	st = zinc_sql_bind_range(c, q, prefix, (zinc_bytes){(const uint8_t *)prefix, strlen(prefix)}, &end_key, err);
	if (st == ZINC_OK)
		st = zinc_sql_run(c, SQL_DEL_RANGE, "cannot erase the keys", err);
	sqlite3_clear_bindings(q);
	zinc_buf_fini(&end_key);
	return st;
}

/* Readers see all of the keys or none. */
zinc_status
zinc_sql_del_prefix(void *self, const char *prefix, uint32_t flags, const zinc_wait *wait, zinc_error *err)
{
	sql_store *s = (sql_store *)self;
	const bool relaxed = flags & ZINC_PUT_RELAXED;
	sql_conn *c = NULL;

	ZINC_TRY(begin(s, ZINC_USE_CHANGE, relaxed, &c, wait, err));
	return c ? end(s, c, relaxed, erase_range(c, prefix, err), err) : ZINC_OK;
}

static int
take_number(void *arg, int n, char **row, char **names)
{
	(void)n, (void)names;
	*(long *)arg = row[0] ? strtol(row[0], NULL, 10) : 0;
	return 0;
}

/* A durable transaction that changes nothing: it writes the number of the user again.  Its sync covers all before it. */
zinc_status
zinc_sql_sync(void *self, const zinc_wait *wait, zinc_error *err)
{
	sql_store *s = (sql_store *)self;
	char sql[64];
	long version = 0;
	sql_conn *c = NULL;
	zinc_status st = ZINC_OK;
	bool relaxed;

	pthread_mutex_lock(&s->lock);
	relaxed = s->relaxed;
	pthread_mutex_unlock(&s->lock);
	if (!relaxed)
		return ZINC_OK;
	ZINC_TRY(begin(s, ZINC_USE_CHANGE, false, &c, wait, err));
	if (!c)
		return ZINC_OK; /* it was removed */
	if (sqlite3_exec(c->db, "PRAGMA user_version", take_number, &version, NULL) != SQLITE_OK)
		st = zinc_fail(err, ZINC_E_IO, "cannot read the header of the database");
	snprintf(sql, sizeof sql, "PRAGMA user_version=%ld", version);
	if (st == ZINC_OK)
		st = zinc_sql_exec(c, sql, "cannot write the header of the database", err);
	c->changes--; /* SQLite counts rows only */
	return end(s, c, false, st, err);
}

#endif
