/*
 * store_tokyocabinet.c - the store tokyocabinet: Tokyo Cabinet; a module
 *
 *     tokyocabinet:///d/x.tcb/a/b      the key a/b in the B+ tree database /d/x.tcb; x.tch is a hash database
 *
 * A change is a transaction, and all of them are synced: first what undoes it (x.tcb.wal), then the change.  The next to
 * open the file after kill -9, or after the power failed, undoes one that had not ended.
 */
#include <strings.h>

#include "store/store_embedded.h"

#if ZINC_WITH_TOKYOCABINET
#include <tcbdb.h>
#include <tchdb.h>
#include <tcutil.h>

#define VALUE_MAX (UINT64_C(1) << 29)

/* One of the two. */
typedef struct tokyo_db {
	TCBDB *tree;
	TCHDB *hash;
	bool written;
} tokyo_db;

/* A tree is in a hash database. */
static TCHDB *
file_of(const tokyo_db *d)
{
	return d->tree ? d->tree->hdb : d->hash;
}

static zinc_status
status_of(int code)
{
	switch (code) {
	case TCENOPERM:
		return ZINC_E_READONLY;
	case TCEMETA:
	case TCERHEAD:
	case TCEMISC:
		return ZINC_E_CORRUPT;
	default:
		return ZINC_E_IO;
	}
}

static int
code_of(const tokyo_db *d)
{
	return d->tree ? tcbdbecode(d->tree) : tchdbecode(d->hash);
}

static zinc_status
tokyo_fail(const tokyo_db *d, const char *doing, zinc_error *err)
{
	const int code = code_of(d);

	return zinc_fail(err, status_of(code), "%s: %s", doing, tcerrmsg(code));
}

static void
tokyo_free(tokyo_db *d)
{
	if (d->tree)
		tcbdbdel(d->tree);
	if (d->hash)
		tchdbdel(d->hash);
	zinc_free(zinc_context_get(NULL), d);
}

static zinc_status
tokyo_close(void *db, zinc_error *err)
{
	tokyo_db *d = (tokyo_db *)db;
	bool good;
	zinc_status st;

	if (d->written)
		zinc_embedded_give_back(file_of(d)->fd);
	good = d->tree ? tcbdbclose(d->tree) : tchdbclose(d->hash);
	st = good ? ZINC_OK : tokyo_fail(d, "cannot close the database", err);

	tokyo_free(d);
	return st;
}

static bool
is_hash(const char *path)
{
	const size_t n = strlen(path);

	return n > 4 && strcasecmp(path + n - 4, ".tch") == 0;
}

/* A new database may be longer than 2 GiB.  The modes of the two kinds are the same numbers.  Nothing but the index is
 * changed in mapped memory: a full disk would end the process there, where write() fails. */
static bool
open_tree(TCBDB *db, const char *path, int mode)
{
	return tcbdbsetmutex(db) && (!(mode & BDBOCREAT) || tcbdbtune(db, 0, 0, 0, -1, -1, BDBTLARGE)) &&
	       tcbdbopen(db, path, mode);
}

static bool
open_hash(TCHDB *db, const char *path, int mode)
{
	return tchdbsetmutex(db) && tchdbsetxmsiz(db, 0) &&
	       (!(mode & HDBOCREAT) || tchdbtune(db, 0, -1, -1, HDBTLARGE)) && tchdbopen(db, path, mode);
}

static zinc_status
tokyo_open(const char *path, embedded_mode mode, void **db, bool *busy, zinc_error *err)
{
	const int how = BDBOLCKNB | (mode == EMBEDDED_READ ? BDBOREADER : BDBOWRITER | BDBOTSYNC) |
			(mode == EMBEDDED_CREATE ? BDBOCREAT : 0);
	tokyo_db *d = (tokyo_db *)zinc_calloc(zinc_context_get(NULL), 1, sizeof *d);
	zinc_status st;

	if (!d)
		return zinc_fail_nomem(err);
	if (is_hash(path))
		d->hash = tchdbnew();
	else
		d->tree = tcbdbnew();
	if (d->tree ? open_tree(d->tree, path, how) : open_hash(d->hash, path, how)) {
		*db = d;
		return ZINC_OK;
	}
	*busy = code_of(d) == TCELOCK;
	st = tokyo_fail(d, "cannot open the database", err);
	tokyo_free(d);
	return st;
}

static void
tokyo_release(embedded_value *v)
{
	tcfree(v->owner);
}

static zinc_status
tokyo_get(void *db, const char *key, size_t n, embedded_value *out, zinc_error *err)
{
	const tokyo_db *d = (const tokyo_db *)db;
	int nbytes = 0;

	*out = (embedded_value){NULL, 0, NULL};
	out->owner = d->tree ? tcbdbget(d->tree, key, (int)n, &nbytes) : tchdbget(d->hash, key, (int)n, &nbytes);
	out->bytes = (const uint8_t *)out->owner;
	out->n = (size_t)nbytes;
	if (out->owner || code_of(d) == TCENOREC)
		return ZINC_OK;
	return tokyo_fail(d, "cannot read the value", err);
}

static bool
put_one(const tokyo_db *d, const embedded_change *c)
{
	return d->tree ? tcbdbput(d->tree, c->key, (int)c->nkey, c->bytes, (int)c->nbytes)
		       : tchdbput(d->hash, c->key, (int)c->nkey, c->bytes, (int)c->nbytes);
}

static bool
erase_one(const tokyo_db *d, const embedded_change *c)
{
	const bool good = d->tree ? tcbdbout(d->tree, c->key, (int)c->nkey) : tchdbout(d->hash, c->key, (int)c->nkey);

	return good || code_of(d) == TCENOREC;
}

static zinc_status
uncertain(zinc_error *err)
{
	if (err)
		err->code = ZINC_E_UNCERTAIN;
	return ZINC_E_UNCERTAIN;
}

/* A tree writes pages anew that have other values, too: some of the usual size.  What undoes the change is as long. */
static zinc_status
make_room(const tokyo_db *d, const embedded_change *changes, size_t n, zinc_error *err)
{
	const TCHDB *file = file_of(d);
	const uint64_t pages = file->rnum ? 8 * (file->fsiz - file->frec) / file->rnum : 0;
	const uint64_t nbytes = zinc_embedded_room(changes, n);

	ZINC_TRY(zinc_embedded_reserve(file->fd, nbytes ? nbytes + pages : 0, err));
	return zinc_embedded_reserve(file->walfd, nbytes + pages, err);
}

static zinc_status
tokyo_write(void *db, const embedded_change *changes, size_t n, bool durable, zinc_error *err)
{
	tokyo_db *d = (tokyo_db *)db;
	zinc_status st;
	size_t i;

	(void)durable; /* all are */
	if (!(d->tree ? tcbdbtranbegin(d->tree) : tchdbtranbegin(d->hash)))
		return tokyo_fail(d, "cannot begin a change", err);
	d->written = true;
	st = make_room(d, changes, n, err);
	for (i = 0; i < n && st == ZINC_OK; i++)
		if (!(changes[i].bytes ? put_one(d, &changes[i]) : erase_one(d, &changes[i])))
			st = tokyo_fail(d, "cannot write", err);
	if (st != ZINC_OK)
		return (d->tree ? tcbdbtranabort(d->tree) : tchdbtranabort(d->hash)) ? st : uncertain(err);
	if (d->tree ? tcbdbtrancommit(d->tree) : tchdbtrancommit(d->hash))
		return ZINC_OK;
	tokyo_fail(d, "cannot commit", err);
	return uncertain(err);
}

/* The key is copied: that of the cursor would not outlive another thread's reading. */
static zinc_status
scan_tree(const tokyo_db *d, zinc_bytes from, bool sizes, zinc_ordered_row_fn fn, void *arg, zinc_error *err)
{
	BDBCUR *cursor = tcbdbcurnew(d->tree);
	TCXSTR *key = tcxstrnew(), *value = tcxstrnew();
	bool good, stop = false;

	(void)sizes;
	good = from.n ? tcbdbcurjump(cursor, from.p, (int)from.n) : tcbdbcurfirst(cursor);
	while (good && !stop) {
		good = tcbdbcurrec(cursor, key, value);
		if (good)
			stop = fn(arg, (const char *)tcxstrptr(key), (size_t)tcxstrsize(key),
				  (uint64_t)tcxstrsize(value)) != 0;
		good = good && !stop && tcbdbcurnext(cursor);
	}
	tcxstrdel(key);
	tcxstrdel(value);
	tcbdbcurdel(cursor);
	return stop || code_of(d) == TCENOREC ? ZINC_OK : tokyo_fail(d, "cannot list the keys", err);
}

typedef struct visit {
	zinc_ordered_row_fn fn;
	void *arg;
} visit;

static bool
visit_row(const void *key, int nkey, const void *value, int nvalue, void *arg)
{
	const visit *v = (const visit *)arg;

	(void)value;
	return v->fn(v->arg, (const char *)key, (size_t)nkey, (uint64_t)nvalue) == 0;
}

static zinc_status
tokyo_scan(void *db, zinc_bytes from, bool sizes, zinc_ordered_row_fn fn, void *arg, zinc_error *err)
{
	const tokyo_db *d = (const tokyo_db *)db;
	visit v = {fn, arg};

	if (d->tree && tcbdbcmpfunc(d->tree) != tccmplexical)
		return zinc_embedded_fail_order(err);
	if (d->tree)
		return scan_tree(d, from, sizes, fn, arg, err);
	return tchdbforeach(d->hash, visit_row, &v) ? ZINC_OK : tokyo_fail(d, "cannot list the keys", err);
}

static zinc_status
tokyo_sync(void *db, zinc_error *err)
{
	(void)db, (void)err;
	return ZINC_OK; /* all changes are synced */
}

static bool
tokyo_unordered(void *db)
{
	return ((const tokyo_db *)db)->hash != NULL;
}

/* Powers of the alignment and of the pool of free blocks, and the number of buckets, whose bytes have the order that the
 * library was built for. */
static bool
tokyo_survives(const uint8_t head[EMBEDDED_HEAD], uint64_t nbytes)
{
	return head[34] <= 16 && head[35] <= 20 &&
	       (zinc_get_le64(head + 40) <= nbytes / 4 || embedded_big_endian(head + 40) <= nbytes / 4);
}

static const embedded_engine engine = {
    .library = "Tokyo Cabinet",
    .example = "tokyocabinet:///path/x.tcb",
    .endings = ".tcb,.tch",
    .marker = "",
    .identity = "",
    .undo = ".wal",
    .flags = EMBEDDED_FLAGS | ZINC_CAP_DURABLE,
    .value_max = VALUE_MAX,
    .open = tokyo_open,
    .close = tokyo_close,
    .get = tokyo_get,
    .release = tokyo_release,
    .write = tokyo_write,
    .scan = tokyo_scan,
    .sync = tokyo_sync,
    .unordered = tokyo_unordered,
    .survives = tokyo_survives,
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

const zinc_store_ops zinc_store_ops_tokyocabinet = {
    EMBEDDED_SLOTS,
    .name = "tokyocabinet",
    .purpose = "one file: a tree or hash database of Tokyo Cabinet, one process at a time",
    .schemes = "tokyocabinet",
    .endings = ".tcb,.tch",
    .open = store_open,
    .split = store_split,
    .flags = EMBEDDED_FLAGS | ZINC_CAP_DURABLE,
};

ZINC_STORE_MODULE(tokyocabinet);

#endif
