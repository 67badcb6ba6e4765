/*
 * store_berkeleydb.c - the store berkeleydb: Berkeley DB 5.3, a file without an environment; a module
 *
 *     berkeleydb:///d/x.bdb/a/b      the key a/b in the file /d/x.bdb
 *
 * The file is what zarr-python's DBMStore (2.x) makes with berkeleydb.btopen.  There are no transactions without an environment,
 * which is a directory of more files: a process that is killed, or a power failure, in the middle of a change may
 * damage the file.  So it does not claim to be durable, though a durable change is synced before it returns.
 *
 * Pages of new files have checksums, so that most damage is an error and not a wrong value.
 */
#include <errno.h>

#include "store/store_embedded.h"

#if ZINC_WITH_BERKELEYDB
#include <db.h>

#define VALUE_MAX   0x7FFFFFFFu
#define CACHE_BYTES (8u << 20)

typedef struct berkeley_db {
	DB *db;
	bool hash;
	bool written;
	atomic_uint_least64_t pending; /* bytes that are not on disk yet, at most */
} berkeley_db;

static zinc_status
status_of(int rc)
{
	switch (rc) {
	case EACCES:
	case EPERM:
	case EROFS:
		return ZINC_E_READONLY;
	case ENOMEM:
		return ZINC_E_NOMEM;
	case DB_RUNRECOVERY:
	case DB_PAGE_NOTFOUND:
	case DB_VERIFY_BAD:
	case DB_OLD_VERSION:
		return ZINC_E_CORRUPT;
	default:
		return ZINC_E_IO;
	}
}

static zinc_status
berkeley_fail(int rc, const char *doing, zinc_error *err)
{
	if (status_of(rc) == ZINC_E_IO && rc > 0)
		return zinc_fail_errno(err, rc, "%s", doing);
	return zinc_fail(err, status_of(rc), "%s: %s", doing, db_strerror(rc));
}

/* Memory that the library passes to its caller. */
static void *
take_memory(size_t n)
{
	return zinc_alloc(zinc_context_get(NULL), n);
}

static void *
resize_memory(void *p, size_t n)
{
	return zinc_realloc(zinc_context_get(NULL), p, n);
}

static void
free_memory(void *p)
{
	zinc_free(zinc_context_get(NULL), p);
}

/* The library's own messages are in its results. */
static void
ignore_message(const DB_ENV *env, const char *prefix, const char *message)
{
	(void)env, (void)prefix, (void)message;
}

static int
sync_all(berkeley_db *d)
{
	const int rc = d->db->sync(d->db, 0);

	if (rc == 0)
		atomic_store(&d->pending, 0);
	return rc;
}

static zinc_status
berkeley_close(void *db, zinc_error *err)
{
	berkeley_db *d = (berkeley_db *)db;
	int fd = -1, rc;

	if (d->written && sync_all(d) == 0 && d->db->fd(d->db, &fd) == 0)
		zinc_embedded_give_back(fd);
	rc = d->db->close(d->db, 0);

	zinc_free(zinc_context_get(NULL), d);
	return rc == 0 ? ZINC_OK : berkeley_fail(rc, "cannot close the database", err);
}

/* Keys of another kind, or several values of one key, are refused. */
static zinc_status
check_kind(berkeley_db *d, zinc_error *err)
{
	uint32_t flags = 0;
	DBTYPE type = DB_UNKNOWN;
	int rc = d->db->get_type(d->db, &type);

	if (rc == 0)
		rc = d->db->get_flags(d->db, &flags);
	if (rc != 0)
		return berkeley_fail(rc, "cannot open the database", err);
	d->hash = type == DB_HASH;
	if ((type != DB_BTREE && type != DB_HASH) || (flags & (DB_DUP | DB_DUPSORT | DB_RECNUM)))
		return zinc_fail(err, ZINC_E_UNSUPPORTED,
				 "the database is of another kind than a tree or hash with one value for each key");
	return ZINC_OK;
}

static int
open_file(DB *db, const char *path, embedded_mode mode)
{
	static const uint32_t modes[] = {
	    [EMBEDDED_READ] = DB_RDONLY, [EMBEDDED_WRITE] = 0, [EMBEDDED_CREATE] = DB_CREATE};
	int rc = db->set_alloc(db, take_memory, resize_memory, free_memory);

	if (rc == 0)
		rc = db->set_cachesize(db, 0, CACHE_BYTES, 1);
	db->set_errcall(db, ignore_message);
	if (rc == 0 && mode == EMBEDDED_CREATE)
		rc = db->set_flags(db, DB_CHKSUM);
	if (rc == 0)
		rc = db->open(db, NULL, path, NULL, mode == EMBEDDED_CREATE ? DB_BTREE : DB_UNKNOWN,
			      DB_THREAD | modes[mode], 0666);
	return rc;
}

static zinc_status
berkeley_open(const char *path, embedded_mode mode, void **db, bool *busy, zinc_error *err)
{
	berkeley_db *d = (berkeley_db *)zinc_calloc(zinc_context_get(NULL), 1, sizeof *d);
	zinc_status st;
	int rc;

	(void)busy; /* the file is locked by the caller */
	if (!d)
		return zinc_fail_nomem(err);
	rc = db_create(&d->db, NULL, 0);
	if (rc != 0) {
		zinc_free(zinc_context_get(NULL), d);
		return berkeley_fail(rc, "cannot open the database", err);
	}
	rc = open_file(d->db, path, mode);
	if (rc == EINVAL)
		st = zinc_fail(err, ZINC_E_CORRUPT, "the file is no Berkeley DB database");
	else
		st = rc == 0 ? check_kind(d, err) : berkeley_fail(rc, "cannot open the database", err);
	if (st == ZINC_OK)
		*db = d;
	else
		berkeley_close(d, NULL);
	return st;
}

static void
berkeley_release(embedded_value *v)
{
	free_memory(v->owner);
}

static DBT
dbt_of(const void *bytes, size_t n)
{
	DBT t;

	memset(&t, 0, sizeof t);
	t.data = (void *)(uintptr_t)bytes;
	t.size = t.ulen = (uint32_t)n;
	return t;
}

static zinc_status
berkeley_get(void *db, const char *key, size_t n, embedded_value *out, zinc_error *err)
{
	const berkeley_db *d = (const berkeley_db *)db;
	DBT k = dbt_of(key, n), v = dbt_of(NULL, 0);
	int rc;

	v.flags = DB_DBT_MALLOC;
	*out = (embedded_value){NULL, 0, NULL};
	rc = d->db->get(d->db, NULL, &k, &v, 0);
	if (rc == DB_NOTFOUND)
		return ZINC_OK;
	if (rc != 0)
		return berkeley_fail(rc, "cannot read the value", err);
	*out = (embedded_value){(const uint8_t *)v.data, v.size, v.data};
	return ZINC_OK;
}

static zinc_status
berkeley_sync(void *db, zinc_error *err)
{
	berkeley_db *d = (berkeley_db *)db;
	const int rc = sync_all(d);

	return rc == 0 ? ZINC_OK : berkeley_fail(rc, "cannot sync the database", err);
}

/* Pages are written when the database is synced, at the latest: there must be room for all of them. */
static zinc_status
make_room(berkeley_db *d, const embedded_change *changes, size_t n, zinc_error *err)
{
	const uint64_t nbytes = atomic_load(&d->pending) + zinc_embedded_room(changes, n);
	int fd = -1;

	if (d->db->fd(d->db, &fd) != 0)
		return ZINC_OK;
	ZINC_TRY(zinc_embedded_reserve(fd, nbytes, err));
	d->written = true;
	atomic_store(&d->pending, nbytes);
	return ZINC_OK;
}

/* Without transactions, a failure leaves the changes before it. */
static zinc_status
berkeley_write(void *db, const embedded_change *changes, size_t n, bool durable, zinc_error *err)
{
	berkeley_db *d = (berkeley_db *)db;
	int rc = 0;
	size_t i;

	ZINC_TRY(make_room(d, changes, n, err));
	for (i = 0; i < n && rc == 0; i++) {
		DBT k = dbt_of(changes[i].key, changes[i].nkey), v = dbt_of(changes[i].bytes, changes[i].nbytes);

		rc = changes[i].bytes ? d->db->put(d->db, NULL, &k, &v, 0) : d->db->del(d->db, NULL, &k, 0);
		if (rc == DB_NOTFOUND)
			rc = 0;
	}
	if (rc == 0 && durable)
		rc = sync_all(d);
	if (rc == 0)
		return ZINC_OK;
	(void)berkeley_fail(rc, "cannot write", err);
	if (err)
		err->code = ZINC_E_UNCERTAIN;
	return ZINC_E_UNCERTAIN;
}

/* The next row; the key stays until the row after it.  Only the size of the value is asked for. */
static int
next_row(DBC *cursor, DBT *key, uint32_t how, bool sizes, uint64_t *nbytes)
{
	DBT v = dbt_of(NULL, 0);
	int rc;

	v.flags = DB_DBT_USERMEM | DB_DBT_PARTIAL; /* of no bytes */
	rc = cursor->get(cursor, key, &v, how);
	*nbytes = 0;
	if (rc != 0 || !sizes)
		return rc;
	v = dbt_of(NULL, 0);
	v.flags = DB_DBT_USERMEM;
	rc = cursor->get(cursor, key, &v, DB_CURRENT);
	*nbytes = v.size;
	return rc == DB_BUFFER_SMALL ? 0 : rc;
}

/* Where a listing begins: a key in memory that the library may make larger. */
static int
first_row(DBC *cursor, DBT *key, zinc_bytes from, bool sizes, uint64_t *nbytes)
{
	key->flags = DB_DBT_REALLOC;
	if (from.n == 0)
		return next_row(cursor, key, DB_FIRST, sizes, nbytes);
	key->data = take_memory(from.n);
	if (!key->data)
		return ENOMEM;
	memcpy(key->data, from.p, from.n);
	key->size = (uint32_t)from.n;
	return next_row(cursor, key, DB_SET_RANGE, sizes, nbytes);
}

static zinc_status
berkeley_scan(void *db, zinc_bytes from, bool sizes, zinc_ordered_row_fn fn, void *arg, zinc_error *err)
{
	const berkeley_db *d = (const berkeley_db *)db;
	DBT key = dbt_of(NULL, 0);
	uint64_t nbytes = 0;
	DBC *cursor = NULL;
	int stop = 0, rc = d->db->cursor(d->db, NULL, &cursor, 0);

	if (rc == 0)
		rc = first_row(cursor, &key, d->hash ? (zinc_bytes){NULL, 0} : from, sizes, &nbytes);
	while (rc == 0 && !stop) {
		stop = fn(arg, (const char *)key.data, key.size, nbytes);
		if (!stop)
			rc = next_row(cursor, &key, DB_NEXT, sizes, &nbytes);
	}
	if (cursor)
		cursor->close(cursor);
	free_memory(key.data);
	return rc == 0 || rc == DB_NOTFOUND ? ZINC_OK : berkeley_fail(rc, "cannot list the keys", err);
}

static bool
berkeley_unordered(void *db)
{
	return ((const berkeley_db *)db)->hash;
}

static const embedded_engine engine = {
    .library = "Berkeley DB",
    .example = "berkeleydb:///path/x.bdb",
    .endings = ".bdb",
    .marker = "",
    .identity = "",
    .unlocked = true,
    .flags = EMBEDDED_FLAGS,
    .value_max = VALUE_MAX,
    .open = berkeley_open,
    .close = berkeley_close,
    .get = berkeley_get,
    .release = berkeley_release,
    .write = berkeley_write,
    .scan = berkeley_scan,
    .sync = berkeley_sync,
    .unordered = berkeley_unordered,
};

static zinc_status
store_open(void **self, const char *rest, const zinc_store_options *options, zinc_error *err)
{
	return zinc_embedded_open(&engine, self, rest, options, err);
}

static zinc_status
store_split(const char *rest, zinc_context *ctx, size_t *nbytes, zinc_error *err)
{
	return zinc_embedded_split(&engine, rest, ctx, nbytes, err);
}

const zinc_store_ops zinc_store_ops_berkeleydb = {
    EMBEDDED_SLOTS,
    .name = "berkeleydb",
    .purpose = "one file: a Berkeley DB database, one process at a time",
    .schemes = "berkeleydb",
    .endings = ".bdb",
    .open = store_open,
    .split = store_split,
    .flags = EMBEDDED_FLAGS,
};

ZINC_STORE_MODULE(berkeleydb);

#endif
