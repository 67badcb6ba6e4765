/*
 * store_module.c - stores that libzinc does not link: each is a module, loaded when its scheme is first used
 *
 * The table lists the modules of this project, so that `zinc stores` can show them without loading any.  Other modules
 * are files beside them, store_<scheme>.so or store_<adapter>.so.
 */
#include <stdio.h>

#include "store/store_url.h"

#define MAX_NAME 32

#define CURL     "libcurl (Debian: libcurl4-openssl-dev)"
#define LMDB     "LMDB (Debian: liblmdb-dev)"
#define LEVELDB  "LevelDB (Debian: libleveldb-dev)"
#define BERKELEY "Berkeley DB (Debian: libdb5.3-dev)"
#define KYOTO    "Kyoto Cabinet (Debian: libkyotocabinet-dev)"
#define TOKYO    "Tokyo Cabinet (Debian: libtokyocabinet-dev)"
#define SQLITE   "SQLite (Debian: libsqlite3-dev)"
#define SSL      "OpenSSL (Debian: libssl-dev)"

static const struct module {
	const char *name; /* zinc/store_<name>.so */
	const char *schemes;
	const char *adapters;
	const char *endings; /* of files: zinc_store_ops.endings */
	const char *marker;  /* a file by which a directory with such an ending is one, too */
	const char *purpose;
	bool built;
	const char *library; /* that it needs, and where to get it */
} modules[] = {
    {"http", "http,https", NULL, NULL, NULL, "files of a web server, below a URL; a module", ZINC_WITH_CURL, CURL},
    {"s3", "s3", NULL, NULL, NULL, "keys of a bucket of Amazon S3 or a server like it; a module",
     ZINC_WITH_CURL &&ZINC_WITH_CRYPTO, CURL " and libcrypto (libssl-dev)"},
    {"gs", "gs", NULL, NULL, NULL, "keys of a bucket of Google Cloud Storage; a module",
     ZINC_WITH_CURL &&ZINC_WITH_CRYPTO, CURL " and libcrypto (libssl-dev)"},
    {"az", "az,abfs,abfss", NULL, NULL, NULL, "blobs of a container of Azure Blob Storage; a module",
     ZINC_WITH_CURL &&ZINC_WITH_CRYPTO, CURL " and libcrypto (libssl-dev)"},
    {"sqlite", "sqlite", NULL, ".sqlite,.db", NULL, "one file: a table of an SQLite database; a module",
     ZINC_WITH_SQLITE, SQLITE},
    {"lmdb", "lmdb", NULL, ".lmdb", "data.mdb", "an LMDB database: many readers and writers on one machine; a module",
     ZINC_WITH_LMDB, LMDB},
    {"mongodb", "mongodb,mongodb+srv", NULL, NULL, NULL, "a collection of a MongoDB database; a module",
     ZINC_WITH_MONGODB &&ZINC_WITH_BSON, "libmongoc (Debian: libmongoc-dev)"},
    {"postgresql", "postgresql,postgres", NULL, NULL, NULL, "a table of a PostgreSQL database; a module",
     ZINC_WITH_POSTGRESQL, "libpq (Debian: libpq-dev)"},
    {"leveldb", "leveldb", NULL, ".leveldb", "CURRENT",
     "a LevelDB database: a directory, one process at a time; a module", ZINC_WITH_LEVELDB, LEVELDB},
    {"berkeleydb", "berkeleydb", NULL, ".bdb", NULL,
     "one file: a Berkeley DB database, one process at a time; a module", ZINC_WITH_BERKELEYDB, BERKELEY},
    {"kyotocabinet", "kyotocabinet", NULL, ".kct,.kch", NULL,
     "one file: a tree or hash database of Kyoto Cabinet, one process at a time; a module", ZINC_WITH_KYOTOCABINET,
     KYOTO},
    {"tokyocabinet", "tokyocabinet", NULL, ".tcb,.tch", NULL,
     "one file: a tree or hash database of Tokyo Cabinet, one process at a time; a module", ZINC_WITH_TOKYOCABINET,
     TOKYO},
    {"redis", "redis,rediss", NULL, NULL, NULL, "keys of a database of a Redis server; a module",
     ZINC_WITH_SSL &&ZINC_WITH_CRYPTO, SSL},
};
#define MODULES (sizeof modules / sizeof modules[0])

/* Loading a loaded module again costs a few microseconds, so nothing is cached here.  E_NOTFOUND when there is no such
 * file. */
static zinc_status
load(const zinc_store_ops **out, zinc_context *ctx, const char *module, const char *scheme, zinc_error *err)
{
	zinc_module_init_fn init;
	char name[MAX_NAME + 16];
	void *symbol = NULL;

	snprintf(name, sizeof name, "store_%s", module);
	ZINC_TRY(zinc_module_load(ctx, name, &symbol, err));
	memcpy(&init, &symbol, sizeof init);
	*out = init(zinc_build(), scheme);
	if (!*out)
		return zinc_fail(err, ZINC_E_UNSUPPORTED, "the module %s is linked with another libzinc than this one",
				 name);
	return ZINC_OK;
}

/* A module in the table must exist. */
static zinc_status
load_listed(const zinc_store_ops **out, zinc_context *ctx, const char *module, const char *scheme, zinc_error *err)
{
	const zinc_status st = load(out, ctx, module, scheme, err);

	if (st != ZINC_E_NOTFOUND)
		return st;
	if (err)
		err->code = ZINC_E_UNSUPPORTED;
	return ZINC_E_UNSUPPORTED;
}

/* Other modules are found by their scheme.  It may have only lower-case letters and digits, so that it is a file name
 * and no path. */
static zinc_status
load_unlisted(const zinc_store_ops **out, zinc_context *ctx, const char *scheme, bool adapter, zinc_error *err)
{
	zinc_status st;

	if (scheme[strspn(scheme, "abcdefghijklmnopqrstuvwxyz0123456789")])
		return ZINC_OK;
	st = load(out, ctx, scheme, scheme, err);
	if (st == ZINC_OK &&
	    !zinc_store_has_scheme(adapter ? (*out)->adapters : (*out)->schemes, scheme, strlen(scheme)))
		*out = NULL;
	return st == ZINC_E_NOTFOUND ? ZINC_OK : st;
}

zinc_status
zinc_store_module_find(const zinc_store_ops **out, zinc_context *ctx, const char *name, size_t n, bool adapter,
		       zinc_error *err)
{
	char scheme[MAX_NAME] = "";
	size_t i;

	*out = NULL;
	if (n == 0 || n >= sizeof scheme)
		return ZINC_OK;
	memcpy(scheme, name, n);
	for (i = 0; i < MODULES; i++)
		if (zinc_store_has_scheme(adapter ? modules[i].adapters : modules[i].schemes, scheme, n))
			return load_listed(out, ctx, modules[i].name, scheme, err);
	return load_unlisted(out, ctx, scheme, adapter, err);
}

bool
zinc_store_module_ending(zinc_ending *out, const char *name, size_t n)
{
	size_t i;

	for (i = 0; i < MODULES; i++)
		if (zinc_store_has_ending(name, n, modules[i].endings)) {
			*out = (zinc_ending){modules[i].adapters, modules[i].schemes, modules[i].marker};
			return true;
		}
	return false;
}

int
zinc_store_module_each(zinc_row_fn fn, void *arg)
{
	size_t i;

	for (i = 0; i < MODULES; i++)
		if (fn(arg, modules[i].name, modules[i].schemes, modules[i].purpose) != 0)
			return 1;
	return 0;
}

/* The first scheme or adapter of a module. */
static void
first_name(const struct module *m, char out[MAX_NAME])
{
	const char *names = m->schemes ? m->schemes : m->adapters;

	snprintf(out, MAX_NAME, "%.*s", (int)strcspn(names, ","), names);
}

/* What is missing is said by the build, else by the attempt to load it. */
static int
show_row(zinc_context *ctx, const struct module *m, zinc_store_row_fn fn, void *arg)
{
	zinc_store_row row = {sizeof row, m->name, m->schemes, m->adapters, m->purpose, 0, NULL, m->endings};
	zinc_error err = ZINC_ERROR_INIT;
	const zinc_store_ops *ops;
	char name[MAX_NAME], missing[128];

	first_name(m, name);
	snprintf(missing, sizeof missing, "built without %s", m->library);
	if (!m->built)
		row.missing = missing;
	else if (load(&ops, ctx, m->name, name, &err) != ZINC_OK)
		row.missing = err.text;
	else
		row.flags = ops->flags;
	return fn(arg, &row);
}

int
zinc_store_module_each_row(zinc_context *ctx, zinc_store_row_fn fn, void *arg)
{
	char name[MAX_NAME];
	size_t i;

	for (i = 0; i < MODULES; i++) {
		first_name(&modules[i], name);
		if (!zinc_store_is_registered(name, !modules[i].schemes) && show_row(ctx, &modules[i], fn, arg) != 0)
			return 1;
	}
	return 0;
}

bool
zinc_store_is_module_name(const char *name, size_t n)
{
	size_t i;

	for (i = 0; i < MODULES; i++)
		if (strlen(modules[i].name) == n && memcmp(modules[i].name, name, n) == 0)
			return true;
	return false;
}

bool
zinc_store_is_module_scheme(const char *name, size_t n)
{
	size_t i;

	for (i = 0; i < MODULES; i++)
		if (zinc_store_has_scheme(modules[i].schemes, name, n))
			return true;
	return false;
}

/* A module that cannot be loaded is skipped; using it gives the error. */
int
zinc_store_module_each_setting(zinc_context *ctx, zinc_setting_fn fn, void *arg)
{
	const zinc_store_ops *ops;
	char name[MAX_NAME];
	size_t i;

	for (i = 0; i < MODULES; i++) {
		first_name(&modules[i], name);
		if (load(&ops, ctx, modules[i].name, name, NULL) == ZINC_OK &&
		    zinc_store_row_settings(ops, fn, arg) != 0)
			return 1;
	}
	return 0;
}
