/*
 * store_sqlite_list.c - listing: ranges of the table's index, which is in byte order
 */
#include "store/store_sqlite.h"

#if ZINC_WITH_SQLITE

#define MOST_OTHERS 256

/* The statement is at a row; a value that is not bytes has the size -1. */
static zinc_status
pass_row(sqlite3_stmt *q, bool sizes, zinc_ordered_row_fn fn, void *arg, bool *stop, zinc_error *err)
{
	const char *key = (const char *)sqlite3_column_text(q, 0);
	const size_t n = (size_t)sqlite3_column_bytes(q, 0);
	const int64_t nbytes = sizes ? sqlite3_column_int64(q, 1) : 0;

	if (!key)
		return zinc_fail_nomem(err);
	*stop = fn(arg, key, n, nbytes < 0 ? ZINC_ORDERED_NONE : (uint64_t)nbytes) != 0;
	return ZINC_OK;
}

static zinc_status
read_rows(sql_conn *c, const char *prefix, zinc_bytes from, bool sizes, zinc_ordered_row_fn fn, void *arg,
	  zinc_error *err)
{
	sqlite3_stmt *q = NULL;
	bool stop = false;
	int rc = SQLITE_DONE;
	zinc_status st;
	zinc_buf end;

	ZINC_TRY(zinc_sql_stmt(c, sizes ? SQL_LIST : SQL_LIST_KEYS, &q, err));
	zinc_buf_init(&end, c->ctx, ZINC_MAX_KEY);
	st = zinc_sql_bind_range(c, q, prefix, from, &end, err);
	while (st == ZINC_OK && !stop && (rc = sqlite3_step(q)) == SQLITE_ROW)
		st = pass_row(q, sizes, fn, arg, &stop, err);
	if (st == ZINC_OK && rc != SQLITE_ROW && rc != SQLITE_DONE)
		st = zinc_sql_fail(c, rc, "cannot list the keys", err);
	sqlite3_reset(q);
	sqlite3_clear_bindings(q);
	zinc_buf_fini(&end);
	return st;
}

static zinc_status
rows(void *self, const char *prefix, zinc_bytes from, bool sizes, zinc_ordered_row_fn fn, void *arg,
     const zinc_wait *wait, zinc_error *err)
{
	sql_store *s = (sql_store *)self;
	sql_conn *c = NULL;
	zinc_status st;

	ZINC_TRY(zinc_sql_enter(s, ZINC_USE_LOOK, &c, wait, err));
	if (!c)
		return ZINC_OK;
	st = read_rows(c, prefix, from, sizes, fn, arg, err);
	if (st == ZINC_OK)
		st = zinc_sql_check_same(s, c, err);
	zinc_sql_leave(s, c);
	return st;
}

/* The names of rows whose k is no text at all, as SQL, with their NULs. */
static zinc_status
collect_others(sql_store *s, zinc_buf *out, int *n, const zinc_wait *wait, zinc_error *err)
{
	sqlite3_stmt *q = NULL;
	sql_conn *c = NULL;
	int rc = SQLITE_DONE;
	zinc_status st;

	ZINC_TRY(zinc_sql_enter(s, ZINC_USE_LOOK, &c, wait, err));
	if (!c)
		return ZINC_OK;
	st = zinc_sql_stmt(c, SQL_LIST_OTHER, &q, err);
	for (*n = 0; st == ZINC_OK && *n < MOST_OTHERS && (rc = sqlite3_step(q)) == SQLITE_ROW; ++*n) {
		const char *text = (const char *)sqlite3_column_text(q, 0);

		st = zinc_buf_add(out, text ? text : "", text ? strlen(text) + 1 : 1, err);
	}
	if (st == ZINC_OK && rc != SQLITE_ROW && rc != SQLITE_DONE)
		st = zinc_sql_fail(c, rc, "cannot list the keys", err);
	zinc_sql_leave(s, c);
	return st;
}

static zinc_status
walk_others(sql_store *s, const zinc_lister *to, const zinc_wait *wait, zinc_error *err)
{
	zinc_buf names;
	zinc_status st;
	size_t at = 0;
	int i, n = 0, stop = 0;

	zinc_buf_init(&names, s->batched.ctx, ZINC_MAX_KEY);
	st = collect_others(s, &names, &n, wait, err);
	for (i = 0; st == ZINC_OK && i < n && !stop; i++) {
		stop = zinc_ordered_non_key(to, (const char *)names.p + at, false);
		at += strlen((const char *)names.p + at) + 1;
	}
	zinc_buf_fini(&names);
	return st;
}

zinc_status
zinc_sql_walk(void *self, const char *prefix, const zinc_lister *to, const zinc_wait *wait, zinc_error *err)
{
	sql_store *s = (sql_store *)self;
	bool stopped;

	ZINC_TRY(zinc_ordered_walk(s, s->batched.ctx, rows, prefix, to, &stopped, wait, err));
	return stopped || prefix[0] || !to->non_key ? ZINC_OK : walk_others(s, to, wait, err);
}

#endif
