/*
 * store_kyotocabinet.c - the store kyotocabinet: Kyoto Cabinet, by its C interface; a module
 *
 *     kyotocabinet:///d/x.kct/a/b      the key a/b in the tree database /d/x.kct; x.kch is a hash database
 *
 * A change is a transaction: after kill -9 the next to open the file undoes one that had not ended, from a second file
 * (x.kct.wal).  That file is emptied before the changes are on disk, so a power failure during a change may damage the
 * database: it does not claim to be durable, though a durable change is synced before it returns.
 *
 * "Automatic transactions" are asked for only because the file is then not marked as open: a mark that kill -9 leaves
 * would let the next to open it write the whole database anew.
 *
 * The second file is emptied after each change, because the library only writes zeros to its beginning: when kill -9 cuts
 * off the writing of a record, zeros would be taken for the rest of it and copied into the database.
 *
 * The library's own sync is never called: it also writes the list of free blocks, which is then true for the next change
 * only.  A process that was killed later would leave it to the next to open the file, who writes over what is in use.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include "store/store_embedded.h"

#if ZINC_WITH_KYOTOCABINET
#include <kclangc.h>

#define VALUE_MAX  (UINT64_C(1) << 29)
#define PATH_BYTES 8192

typedef struct kyoto_db {
	KCDB *db;
	int fd;  /* for syncing; closed last, because the lock of the file goes with it */
	int wal; /* -1 until there is one */
	bool hash;
	bool disordered; /* a tree whose keys are not in byte order */
} kyoto_db;

static zinc_status
status_of(int32_t code)
{
	switch (code) {
	case KCENOPERM:
		return ZINC_E_READONLY;
	case KCEBROKEN:
		return ZINC_E_CORRUPT;
	case KCEINVALID:
	case KCENOIMPL:
		return ZINC_E_UNSUPPORTED;
	default:
		return ZINC_E_IO;
	}
}

static zinc_status
kyoto_fail(const kyoto_db *d, const char *doing, zinc_error *err)
{
	const int32_t code = kcdbecode(d->db);

	return zinc_fail(err, status_of(code), "%s: %s (%s)", doing, kcdbemsg(d->db), kcecodename(code));
}

static void
kyoto_free(kyoto_db *d)
{
	zinc_context *ctx = zinc_context_get(NULL);

	kcdbdel(d->db);
	if (d->wal != -1)
		ctx->os->close(ctx->os, d->wal);
	if (d->fd != -1)
		ctx->os->close(ctx->os, d->fd);
	zinc_free(ctx, d);
}

static zinc_status
kyoto_close(void *db, zinc_error *err)
{
	kyoto_db *d = (kyoto_db *)db;
	const zinc_status st = kcdbclose(d->db) ? ZINC_OK : kyoto_fail(d, "cannot close the database", err);

	kyoto_free(d);
	return st;
}

static bool
is_hash(const char *path)
{
	const size_t n = strlen(path);

	return n > 4 && strcasecmp(path + n - 4, ".kch") == 0;
}

/* *busy: the file is locked. */
static zinc_status
open_failed(const kyoto_db *d, bool *busy, zinc_error *err)
{
	*busy = strstr(kcdbemsg(d->db), "fcntl failed") != NULL;
	if (kcdbecode(d->db) == KCEINVALID)
		return zinc_fail(err, ZINC_E_CORRUPT, "the file is no database of this kind: %s", kcdbemsg(d->db));
	return kyoto_fail(d, "cannot open the database", err);
}

/* A jump in a tree of another order may pass over all keys that are asked for.  A mark of a program that did not close
 * the database is no reason to write it anew, as the library would, without what it cannot read. */
static zinc_status
check_status(kyoto_db *d, zinc_error *err)
{
	char *text = kcdbstatus(d->db);
	const char *flags;
	bool marked;

	if (!text)
		return kyoto_fail(d, "cannot open the database", err);
	d->disordered = strstr(text, "\nrcomp\t") && !strstr(text, "\nrcomp\tlexical\n");
	flags = strstr(text, "\nflags\t");
	marked = flags && (strtoul(flags + 7, NULL, 10) & 3) != 0;
	kcfree(text);
	if (marked)
		return zinc_fail(err, ZINC_E_CORRUPT,
				 "a program that had the database open did not close it, so that it may be damaged: "
				 "repair it with the tools of Kyoto Cabinet");
	return ZINC_OK;
}

/* Without mapped memory (msiz): a full disk would end the process there, where write() fails and the change is undone. */
static zinc_status
kyoto_open(const char *path, embedded_mode mode, void **db, bool *busy, zinc_error *err)
{
	const uint32_t how = mode == EMBEDDED_READ ? KCOREADER : KCOWRITER | KCOAUTOTRAN;
	kyoto_db *d = (kyoto_db *)zinc_calloc(zinc_context_get(NULL), 1, sizeof *d);
	char name[PATH_BYTES];
	zinc_status st;

	if (!d)
		return zinc_fail_nomem(err);
	d->hash = is_hash(path);
	d->db = kcdbnew();
	d->wal = -1;
	d->fd = zinc_embedded_file(zinc_context_get(NULL), path, O_RDONLY);
	if (d->fd == -1 && mode == EMBEDDED_WRITE)
		st = zinc_fail_errno(err, errno, "cannot open the database");
	else if (snprintf(name, sizeof name, "%s#type=%s#msiz=0", path, d->hash ? "kch" : "kct") >= (int)sizeof name)
		st = zinc_fail(err, ZINC_E_LIMIT, "the path is too long");
	else if (kcdbopen(d->db, name, how | KCOTRYLOCK | KCONOREPAIR | (mode == EMBEDDED_CREATE ? KCOCREATE : 0)))
		st = check_status(d, err);
	else
		st = open_failed(d, busy, err);
	if (st == ZINC_OK) {
		*db = d;
		return ZINC_OK;
	}
	kyoto_free(d);
	return st;
}

static void
kyoto_release(embedded_value *v)
{
	kcfree(v->owner);
}

static zinc_status
kyoto_get(void *db, const char *key, size_t n, embedded_value *out, zinc_error *err)
{
	const kyoto_db *d = (const kyoto_db *)db;

	*out = (embedded_value){NULL, 0, NULL};
	out->owner = kcdbget(d->db, key, n, &out->n);
	out->bytes = (const uint8_t *)out->owner;
	if (out->owner || kcdbecode(d->db) == KCENOREC)
		return ZINC_OK;
	return kyoto_fail(d, "cannot read the value", err);
}

static bool
change_one(const kyoto_db *d, const embedded_change *c)
{
	if (c->bytes)
		return kcdbset(d->db, c->key, c->nkey, (const char *)c->bytes, c->nbytes);
	return kcdbremove(d->db, c->key, c->nkey) || kcdbecode(d->db) == KCENOREC;
}

static zinc_status
kyoto_sync(void *db, zinc_error *err)
{
	const kyoto_db *d = (const kyoto_db *)db;
	const zinc_os *os = zinc_context_get(NULL)->os;

	return os->fsync(os, d->fd) == 0 ? ZINC_OK : zinc_fail_errno(err, errno, "cannot sync the database");
}

static zinc_status
uncertain(zinc_error *err)
{
	if (err)
		err->code = ZINC_E_UNCERTAIN;
	return ZINC_E_UNCERTAIN;
}

/* The library opens it when the first change begins, and keeps it. */
static zinc_status
empty_wal(kyoto_db *d, zinc_error *err)
{
	zinc_context *ctx = zinc_context_get(NULL);
	char path[PATH_BYTES + 8], *name;

	if (d->wal == -1) {
		name = kcdbpath(d->db);
		snprintf(path, sizeof path, "%s.wal", name);
		kcfree(name);
		d->wal = zinc_embedded_file(ctx, path, O_WRONLY);
	}
	if (d->wal == -1 || ctx->os->ftruncate(ctx->os, d->wal, 0) != 0)
		return zinc_fail_errno(err, errno, "cannot empty the file that undoes changes");
	return ZINC_OK;
}

static zinc_status
kyoto_write(void *db, const embedded_change *changes, size_t n, bool durable, zinc_error *err)
{
	kyoto_db *d = (kyoto_db *)db;
	zinc_status st = ZINC_OK;
	size_t i;

	if (!kcdbbegintran(d->db, 0))
		return kyoto_fail(d, "cannot begin a change", err);
	for (i = 0; i < n && st == ZINC_OK; i++)
		if (!change_one(d, &changes[i]))
			st = kyoto_fail(d, "cannot write", err);
	if (st != ZINC_OK)
		return kcdbendtran(d->db, 0) && empty_wal(d, NULL) == ZINC_OK ? st : uncertain(err);
	if (!kcdbendtran(d->db, 1)) {
		kyoto_fail(d, "cannot commit", err);
		return uncertain(err);
	}
	if (empty_wal(d, err) != ZINC_OK || (durable && kyoto_sync(db, err) != ZINC_OK))
		return uncertain(err);
	return ZINC_OK;
}

typedef struct visit {
	zinc_ordered_row_fn fn;
	void *arg;
	int stop;
} visit;

static const char *
visit_row(const char *key, size_t nkey, const char *value, size_t nvalue, size_t *sp, void *arg)
{
	visit *v = (visit *)arg;

	(void)value, (void)sp;
	v->stop = v->fn(v->arg, key, nkey, nvalue);
	return KCVISNOP;
}

static zinc_status
kyoto_scan(void *db, zinc_bytes from, bool sizes, zinc_ordered_row_fn fn, void *arg, zinc_error *err)
{
	const kyoto_db *d = (const kyoto_db *)db;
	visit v = {fn, arg, 0};
	KCCUR *cursor;
	bool good;

	(void)sizes;
	if (d->disordered)
		return zinc_embedded_fail_order(err);
	cursor = kcdbcursor(d->db);
	good = from.n && !d->hash ? kccurjumpkey(cursor, (const char *)from.p, from.n) : kccurjump(cursor);
	while (good && !v.stop)
		good = kccuraccept(cursor, visit_row, &v, 0, 1);
	kccurdel(cursor);
	return v.stop || kcdbecode(d->db) == KCENOREC ? ZINC_OK : kyoto_fail(d, "cannot list the keys", err);
}

static bool
kyoto_unordered(void *db)
{
	return ((const kyoto_db *)db)->hash;
}

/* The number of buckets. */
static bool
kyoto_survives(const uint8_t head[EMBEDDED_HEAD], uint64_t nbytes)
{
	return embedded_big_endian(head + 16) <= nbytes / 4;
}

static const embedded_engine engine = {
    .library = "Kyoto Cabinet",
    .example = "kyotocabinet:///path/x.kct",
    .endings = ".kct,.kch",
    .marker = "",
    .identity = "",
    .undo = ".wal",
    .refused = "#",
    .flags = EMBEDDED_FLAGS,
    .value_max = VALUE_MAX,
    .open = kyoto_open,
    .close = kyoto_close,
    .get = kyoto_get,
    .release = kyoto_release,
    .write = kyoto_write,
    .scan = kyoto_scan,
    .sync = kyoto_sync,
    .unordered = kyoto_unordered,
    .survives = kyoto_survives,
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

const zinc_store_ops zinc_store_ops_kyotocabinet = {
    EMBEDDED_SLOTS,
    .name = "kyotocabinet",
    .purpose = "one file: a tree or hash database of Kyoto Cabinet, one process at a time",
    .schemes = "kyotocabinet",
    .endings = ".kct,.kch",
    .open = store_open,
    .split = store_split,
    .flags = EMBEDDED_FLAGS,
};

ZINC_STORE_MODULE(kyotocabinet);

#endif
