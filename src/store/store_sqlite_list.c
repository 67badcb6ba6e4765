/*
 * store_sqlite_list.c - listing: ranges of the table's index, which is in byte order
 *
 * Entries are taken in batches, so that no transaction is open while the caller's functions run: they may change the
 * database.  One level of a listing reads the first key below each prefix and then seeks past all others.
 */
#include "store/store_sqlite.h"

#if ZINC_WITH_SQLITE

#define BATCH 256

typedef enum kind { IS_KEY, IS_PREFIX, IS_NAME, IS_TYPE } kind;

typedef struct walk {
	sql_store *s;
	const char *prefix;
	const zinc_lister *to;
	const zinc_wait *wait;
	zinc_buf from, end; /* where the next batch begins, and the bound of all */
	zinc_buf keys;      /* of the batch, with their NULs */
	uint64_t sizes[BATCH];
	uint8_t kinds[BATCH];
	int n;
	bool last; /* there is nothing after this batch */
} walk;

static zinc_status
add_entry(walk *w, const char *key, size_t n, kind what, uint64_t nbytes, zinc_error *err)
{
	ZINC_TRY(zinc_buf_add(&w->keys, key, n, err));
	ZINC_TRY(zinc_buf_add(&w->keys, "", 1, err));
	w->sizes[w->n] = nbytes;
	w->kinds[w->n++] = (uint8_t)what;
	return ZINC_OK;
}

static zinc_status
set_from(walk *w, const char *key, size_t n, char next, zinc_error *err)
{
	zinc_buf_end(&w->from, 0);
	ZINC_TRY(zinc_buf_add(&w->from, key, n, err));
	return zinc_buf_add(&w->from, &next, 1, err);
}

/* Is the name up to the '/' at key[n] the name of a prefix? */
static kind
kind_of_prefix(walk *w, const char *key, size_t n)
{
	char *text = zinc_strndup(w->s->ctx, key, n + 1);
	const bool valid = text && zinc_prefix_check(text, NULL) == ZINC_OK;

	zinc_free(w->s->ctx, text);
	return valid ? IS_PREFIX : IS_NAME;
}

/* One row.  *seek: all other keys below its prefix are skipped. */
static zinc_status
take_row(walk *w, sqlite3_stmt *q, bool *seek, zinc_error *err)
{
	const char *key = (const char *)sqlite3_column_text(q, 0), *slash;
	const size_t n = (size_t)sqlite3_column_bytes(q, 0);
	const int64_t nbytes = w->to->key ? sqlite3_column_int64(q, 1) : 0;

	if (!key)
		return zinc_fail_nomem(err);
	ZINC_TRY(set_from(w, key, n, '\0', err)); /* the successor of the key */
	slash = w->to->key || n < strlen(w->prefix) ? NULL : strchr(key + strlen(w->prefix), '/');
	if (slash) {
		const size_t at = (size_t)(slash - key);
		const kind what = kind_of_prefix(w, key, at);

		*seek = true;
		ZINC_TRY(set_from(w, key, at, '/' + 1, err));
		return add_entry(w, key, what == IS_PREFIX ? at + 1 : at, what, 0, err);
	}
	if (strlen(key) != n || zinc_key_check(key, NULL) != ZINC_OK)
		return add_entry(w, key, n, IS_NAME, 0, err);
	return add_entry(w, key, n, nbytes < 0 ? IS_TYPE : IS_KEY, (uint64_t)nbytes, err);
}

/* Rows from w->from on, until the batch is full, a prefix must be skipped, or there are no more. */
static zinc_status
take_rows(walk *w, sql_conn *c, sqlite3_stmt *q, zinc_error *err)
{
	zinc_status st;
	bool seek = false;
	int rc = SQLITE_ROW;
	zinc_buf from;

	zinc_buf_init(&from, c->ctx, ZINC_MAX_KEY); /* w->from changes while the statement runs */
	st = zinc_buf_add(&from, w->from.p, w->from.n, err);
	if (st == ZINC_OK)
		st = zinc_sql_bind_range(c, q, w->prefix, (zinc_bytes){from.p, from.n}, &w->end, err);
	while (st == ZINC_OK && !seek && w->n < BATCH && (rc = sqlite3_step(q)) == SQLITE_ROW)
		st = take_row(w, q, &seek, err);
	if (st == ZINC_OK && rc != SQLITE_ROW && rc != SQLITE_DONE)
		st = zinc_sql_fail(c, rc, "cannot list the keys", err);
	w->last = rc == SQLITE_DONE;
	sqlite3_reset(q);
	sqlite3_clear_bindings(q);
	zinc_buf_fini(&from);
	return st;
}

static zinc_status
fill(walk *w, zinc_error *err)
{
	sqlite3_stmt *q = NULL;
	sql_conn *c = NULL;
	zinc_status st;

	w->n = 0;
	zinc_buf_end(&w->keys, 0);
	ZINC_TRY(zinc_sql_enter(w->s, false, &c, w->wait, err));
	w->last = !c;
	if (!c)
		return ZINC_OK;
	st = zinc_sql_stmt(c, w->to->key ? SQL_LIST : SQL_LIST_KEYS, &q, err);
	while (st == ZINC_OK && !w->last && w->n < BATCH)
		st = take_rows(w, c, q, err);
	zinc_sql_leave(w->s, c);
	return st;
}

/* ---- passing on ---- */

static int
holds_nothing(const zinc_non_key *non_key, const char *name)
{
	(void)non_key, (void)name;
	return 0;
}

static int
pass_non_key(const walk *w, const char *key, kind what)
{
	const zinc_non_key x = {
	    sizeof x,      what == IS_NAME ? ZINC_NON_KEY_NAME : ZINC_NON_KEY_TYPE,
	    key,           what == IS_NAME ? "a row whose k is not a key" : "a row whose v is not bytes",
	    holds_nothing, NULL};

	return w->to->non_key ? w->to->non_key(w->to->arg, &x) : 0;
}

/* Non-zero: the caller stops. */
static int
pass(const walk *w)
{
	const char *key = (const char *)w->keys.p;
	int i, stop = 0;

	for (i = 0; i < w->n && !stop; i++) {
		const kind what = (kind)w->kinds[i];

		if (what == IS_NAME || what == IS_TYPE)
			stop = pass_non_key(w, key, what);
		else if (w->to->key)
			stop = w->to->key(w->to->arg, key, w->sizes[i]);
		else
			stop = w->to->entry(w->to->arg, key, what == IS_PREFIX);
		key += strlen(key) + 1;
	}
	return stop;
}

/* Rows whose k is no text at all. */
static zinc_status
fill_others(walk *w, zinc_error *err)
{
	sqlite3_stmt *q = NULL;
	sql_conn *c = NULL;
	zinc_status st;
	int rc = SQLITE_DONE;

	w->n = 0;
	zinc_buf_end(&w->keys, 0);
	ZINC_TRY(zinc_sql_enter(w->s, false, &c, w->wait, err));
	if (!c)
		return ZINC_OK;
	st = zinc_sql_stmt(c, SQL_LIST_OTHER, &q, err);
	while (st == ZINC_OK && w->n < BATCH && (rc = sqlite3_step(q)) == SQLITE_ROW) {
		const char *text = (const char *)sqlite3_column_text(q, 0);

		st = add_entry(w, text ? text : "", text ? strlen(text) : 0, IS_NAME, 0, err);
	}
	if (st == ZINC_OK && rc != SQLITE_ROW && rc != SQLITE_DONE)
		st = zinc_sql_fail(c, rc, "cannot list the keys", err);
	zinc_sql_leave(w->s, c);
	return st;
}

static zinc_status
walk_all(walk *w, zinc_error *err)
{
	ZINC_TRY(zinc_buf_puts(&w->from, w->prefix, err));
	do {
		ZINC_TRY(zinc_wait_check(w->wait, err));
		ZINC_TRY(fill(w, err));
		if (pass(w) != 0)
			return ZINC_OK;
	} while (!w->last);
	if (w->prefix[0] || !w->to->non_key)
		return ZINC_OK;
	ZINC_TRY(fill_others(w, err));
	(void)pass(w);
	return ZINC_OK;
}

zinc_status
zinc_sql_walk(void *self, const char *prefix, const zinc_lister *to, const zinc_wait *wait, zinc_error *err)
{
	sql_store *s = (sql_store *)self;
	zinc_status st;
	walk *w = (walk *)zinc_calloc(s->ctx, 1, sizeof *w);

	if (!w)
		return zinc_fail_nomem(err);
	w->s = s;
	w->prefix = prefix;
	w->to = to;
	w->wait = wait;
	zinc_buf_init(&w->from, s->ctx, ZINC_MAX_KEY + 1);
	zinc_buf_init(&w->end, s->ctx, ZINC_MAX_KEY);
	zinc_buf_init(&w->keys, s->ctx, (size_t)(BATCH * (ZINC_MAX_KEY + 1)));
	st = walk_all(w, err);
	zinc_buf_fini(&w->from);
	zinc_buf_fini(&w->end);
	zinc_buf_fini(&w->keys);
	zinc_free(s->ctx, w);
	return st;
}

#endif
