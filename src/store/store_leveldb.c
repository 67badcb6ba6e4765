/*
 * store_leveldb.c - the store leveldb: LevelDB, by its C interface; a module
 *
 *     leveldb:///d/x.leveldb/a/b      the key a/b in the database in the directory /d/x.leveldb
 *
 * A change is one batch, written to LevelDB's log, and synced if it is durable.  A relaxed one survives kill -9.  All
 * checksums are compared, also at opening: a damaged log is an error, and is not dropped.
 *
 * LevelDB's thread for its background work is not there after a fork, and it does not start another: a child that used it
 * would wait for ever.  So a child of a process that has used it is refused.
 */
#include "store/store_embedded.h"

#if ZINC_WITH_LEVELDB
#include <leveldb/c.h>

#define VALUE_MAX  0xFFFFFFF0u
#define OPEN_FILES 200

typedef struct level_db {
	leveldb_t *db;
	leveldb_options_t *options;
	leveldb_readoptions_t *read;
	leveldb_writeoptions_t *write[2]; /* relaxed, durable */
} level_db;

/* The text of LevelDB begins with the kind of error; it is freed. */
static zinc_status
level_fail(char *text, const char *doing, zinc_error *err)
{
	zinc_status st = ZINC_E_IO;

	if (strncmp(text, "Corruption:", 11) == 0)
		st = ZINC_E_CORRUPT;
	else if (strncmp(text, "Invalid argument:", 17) == 0 || strncmp(text, "Not implemented:", 16) == 0)
		st = ZINC_E_UNSUPPORTED;
	zinc_fail(err, st, "%s: %s", doing, text);
	leveldb_free(text);
	return st;
}

static zinc_status
level_close(void *db, zinc_error *err)
{
	level_db *d = (level_db *)db;

	(void)err;
	if (d->db)
		leveldb_close(d->db);
	leveldb_options_destroy(d->options);
	leveldb_readoptions_destroy(d->read);
	leveldb_writeoptions_destroy(d->write[0]);
	leveldb_writeoptions_destroy(d->write[1]);
	zinc_free(zinc_context_get(NULL), d);
	return ZINC_OK;
}

static level_db *
level_new(bool create)
{
	level_db *d = (level_db *)zinc_calloc(zinc_context_get(NULL), 1, sizeof *d);

	if (!d)
		return NULL;
	d->options = leveldb_options_create();
	d->read = leveldb_readoptions_create();
	d->write[0] = leveldb_writeoptions_create();
	d->write[1] = leveldb_writeoptions_create();
	leveldb_options_set_create_if_missing(d->options, create);
	leveldb_options_set_paranoid_checks(d->options, 1);
	leveldb_options_set_max_open_files(d->options, OPEN_FILES);
	leveldb_readoptions_set_verify_checksums(d->read, 1);
	leveldb_writeoptions_set_sync(d->write[1], 1);
	return d;
}

static bool
lacks_permission(const char *text)
{
	return strstr(text, "Permission denied") || strstr(text, "Read-only file system");
}

static zinc_status
level_open(const char *path, embedded_mode mode, void **db, bool *busy, zinc_error *err)
{
	level_db *d;
	char *text = NULL;

	if (mode == EMBEDDED_READ)
		return zinc_fail(err, ZINC_E_READONLY,
				 "LevelDB opens no database that it cannot write, not even to read it: copy %s", path);
	d = level_new(mode == EMBEDDED_CREATE);
	if (!d)
		return zinc_fail_nomem(err);
	d->db = leveldb_open(d->options, path, &text);
	if (!text) {
		*db = d;
		return ZINC_OK;
	}
	level_close(d, NULL);
	*busy = strncmp(text, "IO error: lock ", 15) == 0;
	if (lacks_permission(text)) {
		leveldb_free(text);
		return zinc_fail(err, ZINC_E_READONLY, "the database cannot be written");
	}
	if (mode == EMBEDDED_CREATE && strstr(text, "/LOCK: No such file")) {
		leveldb_free(text);
		return zinc_fail(err, ZINC_E_IO,
				 "cannot make the directory %s: is the one above there, and may you write in it?",
				 path);
	}
	return level_fail(text, "cannot open the database", err);
}

static void
level_release(embedded_value *v)
{
	leveldb_free(v->owner);
}

static zinc_status
level_get(void *db, const char *key, size_t n, embedded_value *out, zinc_error *err)
{
	const level_db *d = (const level_db *)db;
	char *text = NULL, *bytes;

	*out = (embedded_value){NULL, 0, NULL};
	bytes = leveldb_get(d->db, d->read, key, n, &out->n, &text);
	if (text)
		return level_fail(text, "cannot read the value", err);
	out->owner = bytes;
	out->bytes = (const uint8_t *)bytes;
	return ZINC_OK;
}

/* After a failure LevelDB refuses all changes, until it is opened anew; the batch may be in its log. */
static zinc_status
level_write(void *db, const embedded_change *changes, size_t n, bool durable, zinc_error *err)
{
	const level_db *d = (const level_db *)db;
	leveldb_writebatch_t *batch = leveldb_writebatch_create();
	char *text = NULL;
	zinc_status st;
	size_t i;

	for (i = 0; i < n; i++) {
		const embedded_change *c = &changes[i];

		if (c->bytes)
			leveldb_writebatch_put(batch, c->key, c->nkey, (const char *)c->bytes, c->nbytes);
		else
			leveldb_writebatch_delete(batch, c->key, c->nkey);
	}
	leveldb_write(d->db, d->write[durable], batch, &text);
	leveldb_writebatch_destroy(batch);
	if (!text)
		return ZINC_OK;
	st = level_fail(text, "cannot write", err);
	if (err && st == ZINC_E_IO)
		err->code = ZINC_E_UNCERTAIN;
	return st == ZINC_E_IO ? ZINC_E_UNCERTAIN : st;
}

static zinc_status
level_scan(void *db, zinc_bytes from, bool sizes, zinc_ordered_row_fn fn, void *arg, zinc_error *err)
{
	const level_db *d = (const level_db *)db;
	leveldb_iterator_t *i = leveldb_create_iterator(d->db, d->read);
	char *text = NULL;
	int stop = 0;

	(void)sizes;
	for (leveldb_iter_seek(i, from.n ? (const char *)from.p : "", from.n); !stop && leveldb_iter_valid(i);
	     leveldb_iter_next(i)) {
		size_t nkey, nvalue;
		const char *key = leveldb_iter_key(i, &nkey);

		(void)leveldb_iter_value(i, &nvalue);
		stop = fn(arg, key, nkey, nvalue);
	}
	leveldb_iter_get_error(i, &text);
	leveldb_iter_destroy(i);
	return text ? level_fail(text, "cannot list the keys", err) : ZINC_OK;
}

/* Tables, and a log with changes: a new database gets the file CURRENT before them. */
static bool
level_remains(const char *name, uint64_t nbytes)
{
	const char *dot = strrchr(name, '.');

	if (!dot || strspn(name, "0123456789") != (size_t)(dot - name))
		return false;
	return strcmp(dot, ".ldb") == 0 || strcmp(dot, ".sst") == 0 || (strcmp(dot, ".log") == 0 && nbytes > 0);
}

static const embedded_engine engine = {
    .library = "LevelDB",
    .example = "leveldb:///path/x.leveldb",
    .endings = ".leveldb",
    .marker = "/CURRENT",
    .identity = "/LOCK",
    .forkless = true,
    .flags = EMBEDDED_FLAGS | ZINC_CAP_DURABLE,
    .value_max = VALUE_MAX,
    .open = level_open,
    .close = level_close,
    .get = level_get,
    .release = level_release,
    .write = level_write,
    .scan = level_scan,
    .remains = level_remains,
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

const zinc_store_ops zinc_store_ops_leveldb = {
    EMBEDDED_SLOTS,
    .name = "leveldb",
    .purpose = "a LevelDB database: a directory, one process at a time",
    .schemes = "leveldb",
    .endings = ".leveldb",
    .open = store_open,
    .split = store_split,
    .flags = EMBEDDED_FLAGS | ZINC_CAP_DURABLE,
};

ZINC_STORE_MODULE(leveldb);

#endif
