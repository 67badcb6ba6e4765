/*
 * store_sqlite_put.c - changes of a database: put, del, groups, update, del_prefix
 *
 * Every change is a transaction that begins as a writer (BEGIN IMMEDIATE), so that what it reads stays true until it
 * commits.  Threads of this process take turns before they ask SQLite, which would let them poll.
 *
 * A group copies small values and writes them together, at the latest at its commit; a long value is written at once,
 * with those before it.  Only the commit waits for the disk: in WAL mode that makes all earlier transactions durable.
 */
#include <stdio.h>
#include <stdlib.h>

#include "store/store_sqlite.h"

#if ZINC_WITH_SQLITE

#define GROUP_BYTES   (4 * ZINC_MIB) /* copied values of one group */
#define GROUP_CHANGES 1024

/* Without WAL a transaction that is not synced may damage the database when the power fails. */
#define SYNC_EXTRA  3
#define SYNC_FULL   2
#define SYNC_NORMAL 1

typedef struct change {
	const char *key;
	const struct iovec *iov;
	int niov;
	bool erase;
	const zinc_condition *when;
	zinc_status status; /* OK, E_EXISTS or E_CONFLICT */
} change;

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

/* A connection in a transaction that excludes all other writers. */
static zinc_status
begin(sql_store *s, bool relaxed, sql_conn **out, const zinc_wait *wait, zinc_error *err)
{
	sql_conn *c = NULL;
	zinc_status st;

	ZINC_TRY(zinc_turn_acquire(&s->turn, wait, err));
	st = zinc_sql_enter(s, true, &c, wait, err);
	if (st == ZINC_OK)
		st = set_synchronous(c, relaxed, err);
	if (st == ZINC_OK)
		st = zinc_sql_run(c, SQL_BEGIN, "cannot begin a change", err);
	if (st != ZINC_OK) {
		zinc_sql_leave(s, c);
		zinc_turn_release(&s->turn);
		return st;
	}
	*out = c;
	return ZINC_OK;
}

static void
note_written(sql_store *s, bool relaxed)
{
	pthread_mutex_lock(&s->lock);
	s->written = true;
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
		note_written(s, relaxed);
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
	if (when->when == ZINC_ABSENT)
		*status = v.found ? ZINC_E_EXISTS : ZINC_OK;
	else
		*status = v.found && zinc_tag_equal(when->tag, &tag) ? ZINC_OK : ZINC_E_CONFLICT;
	return st;
}

/* Several pieces are joined: SQLite takes a value as one. */
static zinc_status
write_pieces(sql_conn *c, const change *x, zinc_error *err)
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
apply(sql_conn *c, change *x, zinc_error *err)
{
	ZINC_TRY(zinc_wait_check(c->wait, err));
	ZINC_TRY(check_condition(c, x->key, x->when, &x->status, err));
	if (x->status != ZINC_OK)
		return ZINC_OK;
	return x->erase ? erase_value(c, x->key, err) : write_pieces(c, x, err);
}

/* All in one transaction: a failure is that of all; a condition that does not hold is that of its change alone. */
static zinc_status
apply_all(sql_store *s, change *changes, size_t n, bool relaxed, const zinc_wait *wait, zinc_error *err)
{
	zinc_status st = ZINC_OK;
	sql_conn *c = NULL;
	size_t i;

	ZINC_TRY(begin(s, relaxed, &c, wait, err));
	for (i = 0; i < n && st == ZINC_OK; i++)
		st = apply(c, &changes[i], err);
	return end(s, c, relaxed, st, err);
}

static zinc_status
fail_condition(zinc_status st, zinc_error *err)
{
	return zinc_fail(
	    err, st, st == ZINC_E_EXISTS ? "the key already exists" : "the value is no longer the one that was read");
}

/* ---- put and del without a group ---- */

/* Report each; `st` is the result of all. */
static void
report(const change *changes, size_t n, const zinc_done *done, uint32_t flags, zinc_status st, const zinc_error *e)
{
	zinc_error own;
	zinc_tag tag;
	zinc_hash h;
	size_t i;
	int k;

	for (i = 0; i < n; i++) {
		tag.n = 0;
		if (st == ZINC_OK && changes[i].status != ZINC_OK) {
			zinc_error_clear(&own);
			fail_condition(changes[i].status, &own);
			zinc_done_report(done, i, changes[i].status, NULL, &own);
			continue;
		}
		if (st == ZINC_OK && (flags & ZINC_PUT_TAGS) && !changes[i].erase) {
			zinc_hash_begin(&h);
			for (k = 0; k < changes[i].niov; k++)
				zinc_hash_add(&h, changes[i].iov[k].iov_base, changes[i].iov[k].iov_len);
			zinc_hash_end(&h, &tag);
		}
		zinc_done_report(done, i, st, &tag, st == ZINC_OK ? NULL : e);
	}
}

static zinc_status group_add(zinc_put_group *group, change *changes, size_t n, uint32_t flags, const zinc_wait *wait,
			     zinc_error *err);

/* With a group, conditions that fail at its flush are reported by its commit. */
static void
run(sql_store *s, zinc_put_group *group, change *changes, size_t n, const zinc_done *done, uint32_t flags,
    const zinc_wait *wait)
{
	zinc_error e;
	zinc_status st;

	zinc_error_clear(&e);
	st = group ? group_add(group, changes, n, flags, wait, &e)
		   : apply_all(s, changes, n, flags & ZINC_PUT_RELAXED, wait, &e);
	report(changes, n, done, flags, st, &e);
}

#define FEW 16

zinc_status
zinc_sql_put(void *self, zinc_put_group *group, const zinc_put *puts, size_t n, const zinc_done *done, uint32_t flags,
	     const zinc_wait *wait, zinc_error *err)
{
	sql_store *s = (sql_store *)self;
	change few[FEW], *changes = n <= FEW ? few : (change *)zinc_calloc(s->ctx, n, sizeof *changes);
	size_t i;

	if (!changes)
		return zinc_fail_nomem(err);
	for (i = 0; i < n; i++)
		changes[i] = (change){puts[i].key, puts[i].iov, puts[i].niov, false, puts[i].when, ZINC_OK};
	run(s, group, changes, n, done, flags, wait);
	if (changes != few)
		zinc_free(s->ctx, changes);
	return ZINC_OK;
}

zinc_status
zinc_sql_del(void *self, zinc_put_group *group, const zinc_del *dels, size_t n, const zinc_done *done, uint32_t flags,
	     const zinc_wait *wait, zinc_error *err)
{
	sql_store *s = (sql_store *)self;
	change few[FEW], *changes = n <= FEW ? few : (change *)zinc_calloc(s->ctx, n, sizeof *changes);
	size_t i;

	if (!changes)
		return zinc_fail_nomem(err);
	for (i = 0; i < n; i++)
		changes[i] = (change){dels[i].key, NULL, 0, true, dels[i].when, ZINC_OK};
	run(s, group, changes, n, done, flags, wait);
	if (changes != few)
		zinc_free(s->ctx, changes);
	return ZINC_OK;
}

/* ---- groups ---- */

/* A change with copies of everything, in one block. */
typedef struct pending {
	struct pending *next;
	change change;
	struct iovec iov;
	zinc_condition when;
	zinc_tag tag;
	bool failed; /* with its whole flush */
	char key[];  /* then the value */
} pending;

typedef struct sql_group {
	sql_store *s;
	zinc_turn turn; /* several threads may use the group */
	bool relaxed, flushed;
	pending *first, **last;
	size_t n;
	uint64_t nbytes;
	pending *failed, **last_failed; /* for the report at commit */
	zinc_status status;             /* of a flush that failed */
	zinc_error error;
} sql_group;

static zinc_status
pending_new(sql_group *g, const change *x, pending **out, zinc_error *err)
{
	const size_t nkey = strlen(x->key) + 1;
	size_t nvalue = 0, total;
	pending *p;

	if ((!x->erase && zinc_iov_bytes(x->iov, x->niov, &nvalue)) || zinc_size_add(sizeof *p + nkey, nvalue, &total))
		return zinc_fail_nomem(err);
	p = (pending *)zinc_calloc(g->s->ctx, 1, total);
	if (!p)
		return zinc_fail_nomem(err);
	memcpy(p->key, x->key, nkey);
	zinc_iov_gather(x->iov, x->niov, (uint8_t *)p->key + nkey, nvalue);
	p->iov = (struct iovec){p->key + nkey, nvalue};
	p->change = (change){p->key, &p->iov, x->erase ? 0 : 1, x->erase, NULL, ZINC_OK};
	if (x->when && x->when->when != ZINC_ANY) {
		p->when = *x->when;
		if (p->when.tag)
			p->tag = *p->when.tag;
		p->when.tag = &p->tag;
		p->change.when = &p->when;
	}
	*out = p;
	return ZINC_OK;
}

static void
free_list(sql_group *g, pending *p)
{
	pending *next;

	for (; p; p = next) {
		next = p->next;
		zinc_free(g->s->ctx, p);
	}
}

/* After a flush: keep those that failed for the report. */
static void
sort_out(sql_group *g, zinc_status st)
{
	pending *p = g->first, *next;

	for (; p; p = next) {
		next = p->next;
		p->next = NULL;
		p->failed = st != ZINC_OK;
		if (st == ZINC_OK && p->change.status == ZINC_OK) {
			zinc_free(g->s->ctx, p);
			continue;
		}
		*g->last_failed = p;
		g->last_failed = &p->next;
	}
	g->first = NULL;
	g->last = &g->first;
	g->n = 0;
	g->nbytes = 0;
}

/* Write what is pending, and `more` after it, in one transaction. */
static zinc_status
flush(sql_group *g, change *more, size_t nmore, bool relaxed, const zinc_wait *wait, zinc_error *err)
{
	zinc_status st = ZINC_OK;
	sql_conn *c = NULL;
	pending *p;
	size_t i;

	if (!g->first && nmore == 0)
		return ZINC_OK;
	st = begin(g->s, relaxed, &c, wait, err);
	for (p = g->first; p && st == ZINC_OK; p = p->next)
		st = apply(c, &p->change, err);
	for (i = 0; i < nmore && st == ZINC_OK; i++)
		st = apply(c, &more[i], err);
	if (c)
		st = end(g->s, c, relaxed, st, err);
	if (st == ZINC_OK)
		g->flushed = true;
	else if (g->status == ZINC_OK) {
		g->status = st;
		zinc_error_copy(&g->error, err);
	}
	sort_out(g, st);
	return st;
}

static zinc_status
copy_all(sql_group *g, const change *changes, size_t n, zinc_error *err)
{
	pending *p = NULL;
	size_t i;

	for (i = 0; i < n; i++) {
		ZINC_TRY(pending_new(g, &changes[i], &p, err));
		*g->last = p;
		g->last = &p->next;
		g->n++;
		g->nbytes += p->iov.iov_len;
	}
	return ZINC_OK;
}

static bool
is_long(const change *changes, size_t n)
{
	uint64_t total = 0;
	size_t i, each;

	for (i = 0; i < n; i++) {
		if (zinc_iov_bytes(changes[i].iov, changes[i].niov, &each) || zinc_u64_add(total, each, &total))
			return true;
		if (total > GROUP_BYTES / 4)
			return true;
	}
	return false;
}

/* With tags the result must be known, and visible, at once. */
static zinc_status
group_add(zinc_put_group *group, change *changes, size_t n, uint32_t flags, const zinc_wait *wait, zinc_error *err)
{
	sql_group *g = (sql_group *)(void *)group;
	zinc_status st;

	ZINC_TRY(zinc_turn_acquire(&g->turn, wait, err));
	if ((flags & ZINC_PUT_TAGS) || is_long(changes, n))
		st = flush(g, changes, n, true, wait, err);
	else
		st = zinc_wait_check(wait, err) == ZINC_OK ? copy_all(g, changes, n, err) : ZINC_E_CANCELLED;
	if (st == ZINC_OK && (g->n >= GROUP_CHANGES || g->nbytes >= GROUP_BYTES))
		st = flush(g, NULL, 0, true, wait, err);
	zinc_turn_release(&g->turn);
	return st;
}

zinc_status
zinc_sql_put_begin(void *self, zinc_put_group **group, uint32_t flags, const zinc_wait *wait, zinc_error *err)
{
	sql_store *s = (sql_store *)self;
	sql_group *g;

	ZINC_TRY(zinc_wait_check(wait, err));
	g = (sql_group *)zinc_calloc(s->ctx, 1, sizeof *g);
	if (!g)
		return zinc_fail_nomem(err);
	g->s = s;
	g->relaxed = flags & ZINC_PUT_RELAXED;
	g->last = &g->first;
	g->last_failed = &g->failed;
	zinc_turn_init(&g->turn);
	*group = (zinc_put_group *)(void *)g;
	return ZINC_OK;
}

static void
group_free(sql_group *g)
{
	free_list(g, g->first);
	free_list(g, g->failed);
	zinc_turn_fini(&g->turn);
	zinc_free(g->s->ctx, g);
}

void
zinc_sql_abort(void *self, zinc_put_group *group)
{
	(void)self;
	if (group)
		group_free((sql_group *)(void *)group);
}

/* Returns the status of the first. */
static zinc_status
report_failed(const sql_group *g, zinc_committed_fn fn, void *arg, zinc_error *err)
{
	zinc_status first = ZINC_OK, st;
	const pending *p;
	zinc_error e;

	for (p = g->failed; p; p = p->next) {
		zinc_error_clear(&e);
		st = p->failed ? zinc_error_copy(&e, &g->error) : fail_condition(p->change.status, &e);
		if (p->failed)
			st = g->status;
		if (fn)
			fn(arg, p->key, st, &e);
		if (first == ZINC_OK) {
			first = st;
			zinc_error_copy(err, &e);
		}
	}
	return first;
}

zinc_status
zinc_sql_commit(void *self, zinc_put_group *group, zinc_committed_fn fn, void *arg, const zinc_wait *wait,
		zinc_error *err)
{
	sql_group *g = (sql_group *)(void *)group;
	zinc_error e;
	zinc_status st, sync = ZINC_OK;

	zinc_error_clear(&e);
	if (g->first)
		(void)flush(g, NULL, 0, g->relaxed, wait, &e);
	else if (g->flushed && !g->relaxed)
		sync = zinc_sql_sync(self, wait, &e);
	st = report_failed(g, fn, arg, err);
	if (st == ZINC_OK && sync != ZINC_OK) {
		zinc_error_copy(err, &e);
		st = sync;
	}
	group_free(g);
	return st;
}

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

	ZINC_TRY(begin(s, relaxed, &c, wait, err));
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

	ZINC_TRY(begin(s, relaxed, &c, wait, err));
	return end(s, c, relaxed, erase_range(c, prefix, err), err);
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
	ZINC_TRY(begin(s, false, &c, wait, err));
	if (sqlite3_exec(c->db, "PRAGMA user_version", take_number, &version, NULL) != SQLITE_OK)
		st = zinc_fail(err, ZINC_E_IO, "cannot read the header of the database");
	snprintf(sql, sizeof sql, "PRAGMA user_version=%ld", version);
	if (st == ZINC_OK)
		st = zinc_sql_exec(c, sql, "cannot write the header of the database", err);
	return end(s, c, false, st, err);
}

#endif
