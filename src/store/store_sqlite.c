/*
 * store_sqlite.c - keys and values in one table of an SQLite database; a module
 *
 *     sqlite:///d/x.sqlite/a/b      the key a/b in  zarr(k TEXT PRIMARY KEY, v BLOB)  of /d/x.sqlite
 *
 * The table is that of zarr-python's SQLiteStore (2.x); values are stored as they are.
 *
 * Promises (tests/unit/test_store_sqlite.c names each by its number):
 *
 * (1) All bytes of an answer, its size and its tag belong to one value: they are read in one transaction.
 * (2) A tag is a hash of the value (tag_hash.c).  A condition is checked in the transaction that makes the change.  A
 *     reader of parts of a value hashes it once while the database stays as it is, and not at all if nobody asks for
 *     the tag.
 * (3) Puts of one call, or of one group's flush, are one transaction.  A durable change that returned ZINC_OK survives
 *     kill -9 and power loss; a relaxed one survives kill -9.
 * (4) No call waits for another program longer than its deadline, or without one than the setting "patience".
 * (5) Nothing that a database file contains is run (triggers, views, functions), and damage is E_CORRUPT.  A table of
 *     another form is refused.
 * (6) A file that is removed or replaced is noticed by the next call.
 * (7) After a fork the child opens the database anew, and both work; see store_sqlite_db.c.
 * (8) A database, or directory, without permission to write can be read.
 *
 * SQLite allocates its own memory: 256 KiB of pages for each connection, and the changes of a transaction.
 */
#include <stdio.h>

#include "store/store_sqlite.h"

#if ZINC_WITH_SQLITE

#define PIECE 65536 /* bytes that are hashed at a time */

#define SQL_FLAGS                                                                                                      \
	(ZINC_CAP_READ | ZINC_CAP_RANGE | ZINC_CAP_SUFFIX_RANGE | ZINC_CAP_LIST | ZINC_CAP_WRITE | ZINC_CAP_ERASE |    \
	 ZINC_CAP_ATOMIC_PUT | ZINC_CAP_DURABLE | ZINC_CAP_CAS | ZINC_CAP_READ_AFTER_WRITE |                           \
	 ZINC_CAP_LIST_AFTER_WRITE | ZINC_CAP_UPDATE | ZINC_CAP_TAGS)
#define SQL_CHANGES (ZINC_CAP_WRITE | ZINC_CAP_ERASE | ZINC_CAP_DURABLE | ZINC_CAP_CAS | ZINC_CAP_UPDATE)

/* ---- values ---- */

/* A long value, and text, is read in place. */
static zinc_status
open_blob(sql_value *v, int64_t rowid, zinc_error *err)
{
	const int rc = sqlite3_blob_open(v->c->db, "main", "zarr", "v", rowid, 0, &v->blob);

	if (rc != SQLITE_OK)
		return zinc_sql_fail(v->c, rc, "cannot read the value", err);
	v->nbytes = (uint64_t)sqlite3_blob_bytes(v->blob);
	return ZINC_OK;
}

/* The columns of SQL_FIND.  An index that names another row than the key's is damage that SQLite does not see. */
static zinc_status
take_row(sql_value *v, const char *key, zinc_error *err)
{
	const char *k = (const char *)sqlite3_column_text(v->q, 1), *type = (const char *)sqlite3_column_text(v->q, 2);
	const int64_t nbytes = sqlite3_column_int64(v->q, 3);

	if (!k || !type)
		return zinc_fail_nomem(err);
	if (strcmp(k, key) != 0)
		return zinc_fail(err, ZINC_E_CORRUPT, "the database is damaged: its index names another key");
	v->found = true;
	if (strcmp(type, "text") == 0 || (strcmp(type, "blob") == 0 && nbytes > SQL_SMALL))
		return open_blob(v, sqlite3_column_int64(v->q, 0), err);
	if (strcmp(type, "blob") != 0)
		return zinc_fail(err, ZINC_E_CORRUPT, "the value is %s, not bytes", type);
	v->small = (const uint8_t *)sqlite3_column_blob(v->q, 4);
	v->nbytes = (uint64_t)sqlite3_column_bytes(v->q, 4);
	return v->nbytes == (uint64_t)nbytes ? ZINC_OK : zinc_fail_nomem(err);
}

zinc_status
zinc_sql_find(sql_conn *c, const char *key, sql_value *out, zinc_error *err)
{
	sqlite3_stmt *q;
	int rc;

	memset(out, 0, sizeof *out);
	ZINC_TRY(zinc_sql_stmt(c, SQL_FIND, &q, err));
	out->c = c;
	out->q = q;
	rc = sqlite3_bind_text(q, 1, key, (int)strlen(key), SQLITE_STATIC);
	if (rc == SQLITE_OK)
		rc = sqlite3_step(q);
	if (rc == SQLITE_ROW)
		return take_row(out, key, err);
	return rc == SQLITE_DONE ? ZINC_OK : zinc_sql_fail(c, rc, "cannot read the value", err);
}

void
zinc_sql_end(sql_value *v)
{
	if (v->blob)
		sqlite3_blob_close(v->blob);
	if (v->q)
		sqlite3_reset(v->q);
	v->blob = NULL;
	v->q = NULL;
	v->small = NULL;
}

zinc_status
zinc_sql_read(const sql_value *v, uint64_t offset, uint8_t *bytes, uint64_t n, zinc_error *err)
{
	int rc = SQLITE_OK;

	if (n == 0)
		return ZINC_OK;
	if (v->blob)
		rc = sqlite3_blob_read(v->blob, bytes, (int)n, (int)offset);
	else
		memcpy(bytes, v->small + offset, (size_t)n);
	return rc == SQLITE_OK ? ZINC_OK : zinc_sql_fail(v->c, rc, "cannot read the value", err);
}

zinc_status
zinc_sql_tag(const sql_value *v, zinc_tag *out, const zinc_wait *wait, zinc_error *err)
{
	uint8_t piece[PIECE];
	uint64_t at, n;
	zinc_hash h;

	zinc_hash_begin(&h);
	if (!v->blob)
		zinc_hash_add(&h, v->small, (size_t)v->nbytes);
	for (at = 0; v->blob && at < v->nbytes; at += n) {
		n = zinc_min_u64(sizeof piece, v->nbytes - at);
		ZINC_TRY(zinc_wait_check(wait, err));
		ZINC_TRY(zinc_sql_read(v, at, piece, n, err));
		zinc_hash_add(&h, piece, (size_t)n);
	}
	zinc_hash_end(&h, out);
	return ZINC_OK;
}

/* ---- get ---- */

/* One request.  After its last byte is read, the connection is given back: done() may take its time. */
typedef struct reading {
	sql_store *s;
	sql_conn *c;
	sql_value v;
	zinc_tag tag;
	bool whole; /* the tag is that of the bytes as they are read */
} reading;

static void
stop_reading(reading *x)
{
	if (x->c) {
		zinc_sql_end(&x->v);
		zinc_sql_leave(x->s, x->c);
		x->c = NULL;
	}
}

static zinc_status
read_value(void *arg, uint64_t offset, uint64_t nbytes, const struct iovec *iov, int niov, zinc_error *err)
{
	reading *x = (reading *)arg;
	zinc_status st = ZINC_OK;
	zinc_hash h;
	int i;

	zinc_hash_begin(&h);
	for (i = 0; i < niov && nbytes && st == ZINC_OK; i++) {
		const uint64_t n = zinc_min_u64(iov[i].iov_len, nbytes);

		st = zinc_sql_read(&x->v, offset, (uint8_t *)iov[i].iov_base, n, err);
		if (st == ZINC_OK && x->whole)
			zinc_hash_add(&h, iov[i].iov_base, (size_t)n);
		offset += n;
		nbytes -= n;
	}
	if (x->whole)
		zinc_hash_end(&h, &x->tag);
	if (st == ZINC_OK)
		st = zinc_sql_check_same(x->s, x->c, err);
	stop_reading(x);
	return st;
}

/* The tag of a value that is at its row: SQLite's number of the version is that of the transaction. */
static zinc_status
find_tag(reading *x, const char *key, const zinc_wait *wait, zinc_error *err)
{
	unsigned version = 0;
	const int rc = sqlite3_file_control(x->c->db, "main", SQLITE_FCNTL_DATA_VERSION, &version);

	if (rc == SQLITE_OK && zinc_known_find(&x->c->known, version, key, &x->tag))
		return ZINC_OK;
	ZINC_TRY(zinc_sql_tag(&x->v, &x->tag, wait, err));
	if (rc == SQLITE_OK)
		zinc_known_keep(&x->c->known, x->c->ctx, version, key, &x->tag);
	return ZINC_OK;
}

/* Find the value, and its tag unless nobody asks for it, or it will be known when the bytes are. */
static zinc_status
begin_reading(reading *x, const zinc_get *r, const zinc_wait *wait, zinc_error *err)
{
	uint64_t offset, nbytes = 0;

	ZINC_TRY(zinc_sql_enter(x->s, ZINC_USE_LOOK, &x->c, wait, err));
	if (!x->c)
		return ZINC_OK;
	ZINC_TRY(zinc_sql_find(x->c, r->key, &x->v, err));
	if (x->v.found)
		zinc_get_select(r, x->v.nbytes, &offset, &nbytes);
	x->whole = !r->stat && !r->if_tag && !r->untagged && nbytes == x->v.nbytes && nbytes > 0;
	if (x->v.found && !x->whole && (r->if_tag || !r->untagged))
		ZINC_TRY(find_tag(x, r->key, wait, err));
	return zinc_sql_check_same(x->s, x->c, err);
}

static void
get_one(sql_store *s, const zinc_sink *sink, size_t i, const zinc_get *r, const zinc_wait *wait)
{
	reading x = {.s = s};
	zinc_error e;
	zinc_status st;

	zinc_error_clear(&e);
	st = begin_reading(&x, r, wait, &e);
	if (st != ZINC_OK || !x.v.found || r->stat || (r->if_tag && !zinc_tag_equal(r->if_tag, &x.tag)))
		stop_reading(&x);
	if (st != ZINC_OK)
		zinc_sink_failed(sink, i, st, &e);
	else if (x.v.found)
		zinc_sink_serve(sink, i, r, x.v.nbytes, &x.tag, read_value, &x, wait);
	else
		zinc_sink_missing(sink, i);
	stop_reading(&x); /* nothing was read */
}

static zinc_status
sql_get(void *self, const zinc_get *requests, size_t n, const zinc_sink *sink, const zinc_wait *wait, zinc_error *err)
{
	size_t i;

	(void)err;
	for (i = 0; i < n; i++)
		if (!zinc_sink_cancelled(sink, i, wait))
			get_one((sql_store *)self, sink, i, &requests[i], wait);
	return ZINC_OK;
}

/* ---- open and close ---- */

static void
sql_caps(void *self, zinc_caps *out)
{
	const sql_store *s = (const sql_store *)self;

	out->flags = s->readonly ? SQL_FLAGS & ~SQL_CHANGES : SQL_FLAGS;
	out->parallel = 1;
	out->merge_gap = PIECE;
}

static void
sql_close(void *self)
{
	sql_store *s = (sql_store *)self;

	zinc_sql_pool_fini(s);
	zinc_free(s->batched.ctx, s->path);
	zinc_free(s->batched.ctx, s);
}

/* The path without escapes, absolute: the current directory may change. */
static zinc_status
take_path(sql_store *s, const char *rest, zinc_error *err)
{
	char cwd[4096] = "";
	zinc_status st;
	zinc_buf path;

	zinc_buf_init(&path, s->batched.ctx, ZINC_MAX_KEY);
	if (rest[0] != '/' && zinc_cwd(cwd, sizeof cwd) != 0)
		return zinc_fail(err, ZINC_E_IO, "there is no current directory");
	st = rest[0] == '/' ? ZINC_OK : zinc_buf_printf(&path, err, "%s/", cwd);
	if (st == ZINC_OK)
		st = zinc_url_unescape(&path, rest, strlen(rest), true, err);
	if (st == ZINC_OK && rest[0] == '\0')
		st = zinc_fail(err, ZINC_E_INVALID, "name a file: sqlite:///path/x.sqlite");
	if (st == ZINC_OK && !zinc_buf_text(&path))
		st = zinc_fail_nomem(err);
	if (st == ZINC_OK)
		s->path = (char *)path.p;
	else
		zinc_buf_fini(&path);
	return st;
}

static zinc_status
sql_open(void **self, const char *rest, const zinc_store_options *options, zinc_error *err)
{
	sql_store *s = (sql_store *)zinc_calloc(options->context, 1, sizeof *s);
	zinc_status st;

	if (!s)
		return zinc_fail_nomem(err);
	s->batched = (zinc_batched){&zinc_sql_batch, options->context};
	s->patience = zinc_setting_number(options, "patience");
	zinc_sql_pool_init(s);
	if (sqlite3_threadsafe() == 0)
		st = zinc_fail(err, ZINC_E_UNSUPPORTED, "this SQLite was built without threads");
	else
		st = take_path(s, rest, err);
	if (st == ZINC_OK)
		st = zinc_sql_is_readonly(s, &s->readonly, err);
	if (st == ZINC_OK)
		*self = s;
	else
		sql_close(s);
	return st;
}

static zinc_status
sql_split(const char *rest, zinc_context *ctx, size_t *nbytes, zinc_error *err)
{
	return zinc_url_split_file(rest, ".sqlite,.db", ctx, nbytes, err);
}

static const zinc_setting_row sql_settings[] = {
    {.name = "patience",
     .type = ZINC_SETTING_SECONDS,
     .preset = "60",
     .purpose = "how long a call without a deadline waits for other programs"},
    {.name = NULL},
};

const zinc_store_ops zinc_store_ops_sqlite = {
    .size = sizeof(zinc_store_ops),
    .name = "sqlite",
    .purpose = "one file: a table of an SQLite database",
    .schemes = "sqlite",
    .endings = ".sqlite,.db",
    .settings = sql_settings,
    .split = sql_split,
    .open = sql_open,
    .close = sql_close,
    .caps = sql_caps,
    .get = sql_get,
    .put = zinc_batch_put,
    .del = zinc_batch_del,
    .put_begin = zinc_batch_begin,
    .commit = zinc_batch_commit,
    .abort = zinc_batch_abort,
    .update = zinc_sql_update,
    .del_prefix = zinc_sql_del_prefix,
    .sync = zinc_sql_sync,
    .walk = zinc_sql_walk,
    .flags = SQL_FLAGS,
};

ZINC_STORE_MODULE(sqlite);

#endif
