/*
 * store_lmdb.c - keys and values in an LMDB database; a module
 *
 *     lmdb:///d/x.lmdb/a/b      the key a/b in the database /d/x.lmdb/data.mdb, or in the file /d/x.lmdb
 *
 * The layout is that of zarr-python's LMDBStore (2.x): the database without a name, keys as they are, values as they
 * are; by default a directory with data.mdb and lock.mdb.
 *
 * Promises (tests/unit/test_store_lmdb.c names each by its number):
 *
 * (1) All bytes of an answer, its size and its tag belong to one value: they are read in one transaction.
 * (2) A tag is a hash of the value (tag_hash.c).  A condition is checked in the transaction that makes the change.
 * (3) Puts of one call are one transaction.  A durable change that returned ZINC_OK survives kill -9 and power loss; a
 *     relaxed one survives kill -9, and never damages the database.
 * (4) Readers wait for no writer; they wait only while the map is made larger.  A writer waits for others that use this
 *     library, in this process or another, no longer than its deadline.
 * (5) The map grows as needed, also if another process has made it larger.
 * (6) Several stores of one process, and its threads, share one environment per file.
 * (7) After a fork the child opens the database anew, and both work.
 * (8) Without permission to write, a database is read; if there are no locks, a change by others meanwhile is E_IO.
 * (9) A database that is removed or replaced is noticed by the next call.
 *
 * LMDB maps the file: a file that another program cuts short while it is open ends the process by SIGBUS, and a
 * damaged tree may crash it.  store_lmdb_meta.c checks what can be checked at opening; docs/stores/lmdb.md has the rest.
 */
#include <stdio.h>

#include "store/store_lmdb.h"

#if ZINC_WITH_LMDB

#define LMDB_FLAGS                                                                                                     \
	(ZINC_CAP_READ | ZINC_CAP_RANGE | ZINC_CAP_SUFFIX_RANGE | ZINC_CAP_LIST | ZINC_CAP_WRITE | ZINC_CAP_ERASE |    \
	 ZINC_CAP_ATOMIC_PUT | ZINC_CAP_DURABLE | ZINC_CAP_CAS | ZINC_CAP_READ_AFTER_WRITE |                           \
	 ZINC_CAP_LIST_AFTER_WRITE | ZINC_CAP_UPDATE | ZINC_CAP_TAGS)
#define LMDB_CHANGES (ZINC_CAP_WRITE | ZINC_CAP_ERASE | ZINC_CAP_DURABLE | ZINC_CAP_CAS | ZINC_CAP_UPDATE)

static MDB_val
val_of(const char *key)
{
	return (MDB_val){strlen(key), (void *)(uintptr_t)key};
}

static void
hash_value(const MDB_val *v, zinc_tag *out)
{
	zinc_hash h;

	zinc_hash_begin(&h);
	zinc_hash_add(&h, v->mv_data, v->mv_size);
	zinc_hash_end(&h, out);
}

/* ---- get ---- */

/* One request.  After its bytes are copied the transaction ends: done() may take its time. */
typedef struct reading {
	lmdb_txn t;
	MDB_val value;
	zinc_tag tag;
} reading;

static zinc_status
read_value(void *arg, uint64_t offset, uint64_t nbytes, const struct iovec *iov, int niov, zinc_error *err)
{
	reading *x = (reading *)arg;
	zinc_status st;

	zinc_iov_scatter(iov, niov, (const uint8_t *)x->value.mv_data + offset, (size_t)nbytes);
	st = zinc_lmdb_check_same(&x->t, err);
	zinc_lmdb_leave(&x->t);
	return st;
}

static zinc_status
find(lmdb_txn *t, const char *key, MDB_val *out, bool *found, zinc_error *err)
{
	MDB_val k = val_of(key);
	const int rc = mdb_get(t->txn, t->e->dbi, &k, out);

	*found = rc == 0;
	return rc == 0 || rc == MDB_NOTFOUND ? ZINC_OK : zinc_lmdb_fail(rc, "cannot read the value", err);
}

/* The number of the transaction that a reader sees is the version of the database. */
static void
find_tag(reading *x, const char *key)
{
	lmdb_env *e = x->t.e;
	const uint64_t version = mdb_txn_id(x->t.txn);
	bool known;

	pthread_mutex_lock(&e->gate);
	known = zinc_known_find(&e->known, version, key, &x->tag);
	pthread_mutex_unlock(&e->gate);
	if (known)
		return;
	hash_value(&x->value, &x->tag);
	pthread_mutex_lock(&e->gate);
	zinc_known_keep(&e->known, e->ctx, version, key, &x->tag);
	pthread_mutex_unlock(&e->gate);
}

static zinc_status
begin_reading(lmdb_store *s, reading *x, const zinc_get *r, bool *found, const zinc_wait *wait, zinc_error *err)
{
	*found = false;
	ZINC_TRY(zinc_lmdb_begin(s, ZINC_USE_LOOK, &x->t, wait, err));
	if (!x->t.txn)
		return ZINC_OK;
	ZINC_TRY(find(&x->t, r->key, &x->value, found, err));
	if (*found && (r->if_tag || !r->untagged))
		find_tag(x, r->key);
	return zinc_lmdb_check_same(&x->t, err);
}

static void
get_one(lmdb_store *s, const zinc_sink *sink, size_t i, const zinc_get *r, const zinc_wait *wait)
{
	reading x = {.tag = {0, {0}}};
	zinc_status st;
	zinc_error e;
	bool found;

	zinc_error_clear(&e);
	st = begin_reading(s, &x, r, &found, wait, &e);
	if (st != ZINC_OK || !found || r->stat || (r->if_tag && !zinc_tag_equal(r->if_tag, &x.tag)))
		zinc_lmdb_leave(&x.t);
	if (st != ZINC_OK)
		zinc_sink_failed(sink, i, st, &e);
	else if (found)
		zinc_sink_serve(sink, i, r, x.value.mv_size, &x.tag, read_value, &x, wait);
	else
		zinc_sink_missing(sink, i);
	zinc_lmdb_leave(&x.t); /* nothing was read */
}

static zinc_status
lmdb_get(void *self, const zinc_get *requests, size_t n, const zinc_sink *sink, const zinc_wait *wait, zinc_error *err)
{
	size_t i;

	(void)err;
	for (i = 0; i < n; i++)
		if (!zinc_sink_cancelled(sink, i, wait))
			get_one((lmdb_store *)self, sink, i, &requests[i], wait);
	return ZINC_OK;
}

/* ---- changes; the functions that return an int return LMDB's result ---- */

static int
erase_value(lmdb_txn *t, const char *key)
{
	MDB_val k = val_of(key);
	const int rc = mdb_del(t->txn, t->e->dbi, &k, NULL);

	return rc == MDB_NOTFOUND ? 0 : rc;
}

/* The pieces are copied to where LMDB wants them. */
static int
write_value(lmdb_txn *t, const char *key, const struct iovec *iov, int niov)
{
	MDB_val k = val_of(key), v = {0, NULL};
	int rc;

	if (zinc_iov_bytes(iov, niov, &v.mv_size) || v.mv_size > LMDB_VALUE_MAX)
		return MDB_BAD_VALSIZE;
	rc = mdb_put(t->txn, t->e->dbi, &k, &v, MDB_RESERVE);
	if (rc == 0)
		zinc_iov_gather(iov, niov, (uint8_t *)v.mv_data, v.mv_size);
	return rc;
}

static zinc_status
apply(lmdb_txn *t, zinc_change *x, int *rc, const zinc_wait *wait, zinc_error *err)
{
	const bool any = !x->when || x->when->when == ZINC_ANY;
	zinc_tag tag = {0, {0}};
	bool found = false;
	MDB_val old;

	ZINC_TRY(zinc_wait_check(wait, err));
	if (!any)
		ZINC_TRY(find(t, x->key, &old, &found, err));
	if (found && x->when->when == ZINC_EQUALS)
		hash_value(&old, &tag);
	x->status = any ? ZINC_OK : zinc_batch_check(x->when, found ? &tag : NULL);
	if (x->status == ZINC_OK)
		*rc = x->erase ? erase_value(t, x->key) : write_value(t, x->key, x->iov, x->niov);
	return ZINC_OK;
}

/* A value of an update, or a call: what to do in a transaction.  Run again if the map was too small. */
typedef zinc_status (*work_fn)(lmdb_txn *t, void *arg, int *rc, const zinc_wait *wait, zinc_error *err);

/* Without a database, and if none is made, nothing is done. */
static zinc_status
change(lmdb_store *s, zinc_use use, work_fn work, void *arg, bool relaxed, const zinc_wait *wait, zinc_error *err)
{
	zinc_status st;
	bool full;

	do {
		lmdb_txn t;
		int rc = 0;

		ZINC_TRY(zinc_lmdb_begin(s, use, &t, wait, err));
		if (!t.txn)
			return ZINC_OK;
		st = work(&t, arg, &rc, wait, err);
		st = zinc_lmdb_end(&t, st, rc, relaxed, &full, wait, err);
	} while (full);
	if (st == ZINC_OK && relaxed)
		atomic_store(&s->relaxed, true);
	return st;
}

typedef struct many {
	zinc_change *const *changes;
	size_t n;
} many;

static zinc_status
apply_many(lmdb_txn *t, void *arg, int *rc, const zinc_wait *wait, zinc_error *err)
{
	const many *m = (const many *)arg;
	size_t i;

	for (i = 0; i < m->n && *rc == 0; i++)
		ZINC_TRY(apply(t, m->changes[i], rc, wait, err));
	return ZINC_OK;
}

static zinc_status
apply_all(void *self, zinc_change *const *changes, size_t n, bool relaxed, const zinc_wait *wait, zinc_error *err)
{
	many m = {changes, n};

	return change((lmdb_store *)self, zinc_batch_use(changes, n), apply_many, &m, relaxed, wait, err);
}

static zinc_status
lmdb_sync(void *self, const zinc_wait *wait, zinc_error *err)
{
	return zinc_lmdb_sync((lmdb_store *)self, wait, err);
}

static const zinc_batch_ops batch = {apply_all, lmdb_sync};

/* ---- update ---- */

typedef struct updating {
	const char *key;
	zinc_update_fn fn;
	void *arg;
	uint64_t limit;
} updating;

/* The old value is in the map, where it stays until the transaction writes. */
static zinc_status
update_value(lmdb_txn *t, void *arg, int *rc, const zinc_wait *wait, zinc_error *err)
{
	const updating *u = (const updating *)arg;
	zinc_update out = {.size = sizeof out};
	MDB_val old = {0, NULL};
	struct iovec iov;
	bool found;

	(void)wait;
	ZINC_TRY(find(t, u->key, &old, &found, err));
	if (found && u->limit && old.mv_size > u->limit)
		return zinc_fail(err, ZINC_E_LIMIT, "the value is longer than the limit of %llu bytes",
				 (unsigned long long)u->limit);
	ZINC_TRY(u->fn(u->arg, found ? old.mv_data : NULL, found ? old.mv_size : 0, &out, err));
	if (out.keep || (out.erase && !found))
		return ZINC_OK;
	iov = (struct iovec){(void *)(uintptr_t)out.bytes, out.nbytes};
	*rc = out.erase ? erase_value(t, u->key) : write_value(t, u->key, &iov, 1);
	return ZINC_OK;
}

static zinc_status
lmdb_update(void *self, const char *key, zinc_update_fn fn, void *arg, uint64_t limit, uint32_t flags,
	    const zinc_wait *wait, zinc_error *err)
{
	updating u = {key, fn, arg, limit};

	return change((lmdb_store *)self, ZINC_USE_MAKE, update_value, &u, flags & ZINC_PUT_RELAXED, wait, err);
}

/* ---- prefixes and listing ---- */

static bool
begins_with(const MDB_val *k, const char *prefix)
{
	const size_t n = strlen(prefix);

	return k->mv_size >= n && memcmp(k->mv_data, prefix, n) == 0;
}

/* LMDB has no empty keys: a search for one begins at the first. */
static int
seek(MDB_cursor *c, zinc_bytes from, MDB_val *k, MDB_val *v)
{
	*k = (MDB_val){from.n, (void *)(uintptr_t)from.p};
	return mdb_cursor_get(c, k, v, from.n ? MDB_SET_RANGE : MDB_FIRST);
}

static zinc_status
erase_prefix(lmdb_txn *t, void *arg, int *rc, const zinc_wait *wait, zinc_error *err)
{
	const char *prefix = (const char *)arg;
	const zinc_bytes from = {(const uint8_t *)prefix, strlen(prefix)};
	zinc_status st = ZINC_OK;
	MDB_cursor *c = NULL;
	MDB_val k, v;

	*rc = mdb_cursor_open(t->txn, t->e->dbi, &c);
	while (*rc == 0 && st == ZINC_OK && (*rc = seek(c, from, &k, &v)) == 0 && begins_with(&k, prefix)) {
		*rc = mdb_cursor_del(c, 0);
		st = zinc_wait_check(wait, err);
	}
	if (c)
		mdb_cursor_close(c);
	if (*rc == MDB_NOTFOUND)
		*rc = 0;
	return st;
}

static zinc_status
lmdb_del_prefix(void *self, const char *prefix, uint32_t flags, const zinc_wait *wait, zinc_error *err)
{
	return change((lmdb_store *)self, ZINC_USE_CHANGE, erase_prefix, (void *)(uintptr_t)prefix,
		      flags & ZINC_PUT_RELAXED, wait, err);
}

static zinc_status
rows(void *self, const char *prefix, zinc_bytes from, bool sizes, zinc_ordered_row_fn fn, void *arg,
     const zinc_wait *wait, zinc_error *err)
{
	MDB_cursor *c = NULL;
	zinc_status st;
	MDB_val k, v;
	lmdb_txn t;
	int rc;

	(void)sizes;
	ZINC_TRY(zinc_lmdb_begin((lmdb_store *)self, ZINC_USE_LOOK, &t, wait, err));
	if (!t.txn)
		return ZINC_OK;
	/* LMDB finds no key longer than its longest; `from` may be one byte longer, and no key is between. */
	rc = mdb_cursor_open(t.txn, t.e->dbi, &c);
	if (rc == 0)
		rc = seek(c, (zinc_bytes){from.p, from.n > LMDB_KEY_MAX ? LMDB_KEY_MAX : from.n}, &k, &v);
	if (rc == 0 && from.n > LMDB_KEY_MAX && k.mv_size == LMDB_KEY_MAX && memcmp(k.mv_data, from.p, k.mv_size) == 0)
		rc = mdb_cursor_get(c, &k, &v, MDB_NEXT);
	while (rc == 0 && begins_with(&k, prefix) && fn(arg, (const char *)k.mv_data, k.mv_size, v.mv_size) == 0)
		rc = mdb_cursor_get(c, &k, &v, MDB_NEXT);
	if (c)
		mdb_cursor_close(c);
	st = zinc_lmdb_check_same(&t, err);
	zinc_lmdb_leave(&t);
	if (st != ZINC_OK)
		return st;
	return rc == 0 || rc == MDB_NOTFOUND ? ZINC_OK : zinc_lmdb_fail(rc, "cannot list the keys", err);
}

static zinc_status
lmdb_walk(void *self, const char *prefix, const zinc_lister *to, const zinc_wait *wait, zinc_error *err)
{
	bool stopped;

	return zinc_ordered_walk(self, ((lmdb_store *)self)->batched.ctx, rows, prefix, to, &stopped, wait, err);
}

/* ---- open and close ---- */

static void
lmdb_caps(void *self, zinc_caps *out)
{
	const lmdb_store *s = (const lmdb_store *)self;

	out->flags = s->readonly ? LMDB_FLAGS & ~LMDB_CHANGES : LMDB_FLAGS;
	out->parallel = 1;
	out->merge_gap = 0;
	out->key_max = LMDB_KEY_MAX;
}

static void
lmdb_close(void *self)
{
	lmdb_store *s = (lmdb_store *)self;

	zinc_lmdb_release(s);
	zinc_turn_fini(&s->syncing);
	zinc_free(s->batched.ctx, s->path);
	zinc_free(s->batched.ctx, s);
}

/* The path without escapes, absolute: the current directory may change. */
static zinc_status
take_path(lmdb_store *s, const char *rest, zinc_error *err)
{
	char cwd[4096] = "";
	zinc_status st = ZINC_OK;
	zinc_buf path;

	if (rest[0] == '\0')
		return zinc_fail(err, ZINC_E_INVALID, "name a database: lmdb:///path/x.lmdb");
	if (rest[0] != '/' && zinc_cwd(cwd, sizeof cwd) != 0)
		return zinc_fail(err, ZINC_E_IO, "there is no current directory");
	zinc_buf_init(&path, s->batched.ctx, ZINC_MAX_KEY);
	if (rest[0] != '/')
		st = zinc_buf_printf(&path, err, "%s/", cwd);
	if (st == ZINC_OK)
		st = zinc_url_unescape(&path, rest, strlen(rest), true, err);
	while (st == ZINC_OK && path.n > 1 && path.p[path.n - 1] == '/')
		path.n--;
	if (st == ZINC_OK && !zinc_buf_text(&path))
		st = zinc_fail_nomem(err);
	if (st == ZINC_OK)
		s->path = (char *)path.p;
	else
		zinc_buf_fini(&path);
	return st;
}

static zinc_status
lmdb_open(void **self, const char *rest, const zinc_store_options *options, zinc_error *err)
{
	lmdb_store *s = (lmdb_store *)zinc_calloc(options->context, 1, sizeof *s);
	zinc_status st;

	if (!s)
		return zinc_fail_nomem(err);
	s->batched = (zinc_batched){&batch, options->context};
	atomic_init(&s->relaxed, false);
	zinc_turn_init(&s->syncing);
	st = take_path(s, rest, err);
	if (st == ZINC_OK)
		st = zinc_lmdb_is_readonly(s, &s->readonly, err);
	if (st == ZINC_OK)
		*self = s;
	else
		lmdb_close(s);
	return st;
}

/* The first part of the path that is a database; else as for other files. */
static zinc_status
lmdb_split(const char *rest, zinc_context *ctx, size_t *nbytes, zinc_error *err)
{
	zinc_status st = ZINC_OK;
	zinc_buf plain;
	size_t at, end;
	bool yes = false;

	zinc_buf_init(&plain, ctx, ZINC_MAX_KEY);
	for (at = 0; rest[at] && !yes && st == ZINC_OK; at = end + (rest[end] == '/')) {
		end = at + strcspn(rest + at, "/");
		zinc_buf_end(&plain, 0);
		st = zinc_url_unescape(&plain, rest, end, true, err);
		if (st == ZINC_OK && end > at)
			st = zinc_lmdb_is_database(ctx, (const char *)plain.p, plain.n, &yes, err);
		if (yes)
			*nbytes = end;
	}
	zinc_buf_fini(&plain);
	return st != ZINC_OK || yes ? st : zinc_url_split_file(rest, ".lmdb,.mdb", ctx, nbytes, err);
}

const zinc_store_ops zinc_store_ops_lmdb = {
    .size = sizeof(zinc_store_ops),
    .name = "lmdb",
    .purpose = "an LMDB database: many readers and writers on one machine",
    .schemes = "lmdb",
    .endings = ".lmdb",
    .split = lmdb_split,
    .open = lmdb_open,
    .close = lmdb_close,
    .caps = lmdb_caps,
    .get = lmdb_get,
    .put = zinc_batch_put,
    .del = zinc_batch_del,
    .put_begin = zinc_batch_begin,
    .commit = zinc_batch_commit,
    .abort = zinc_batch_abort,
    .update = lmdb_update,
    .del_prefix = lmdb_del_prefix,
    .sync = lmdb_sync,
    .walk = lmdb_walk,
    .flags = LMDB_FLAGS,
};

ZINC_STORE_MODULE(lmdb);

#endif
