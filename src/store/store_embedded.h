/*
 * store_embedded.h - shared by the modules leveldb, berkeleydb, kyotocabinet and tokyocabinet
 *
 *   store_embedded.c       the store: get, changes, listing, open; promises
 *   store_embedded_db.c    open databases: one per file and process, other processes, threads, fork
 *   store_embedded_files.c what is at the path of a database, before a library sees it
 *   store_embedded_new.c   making a database that is a file
 *   store_embedded_room.c  room on the disk for a change
 *   store_embedded_sort.c  listings of databases that have no order
 *   store_leveldb.c ...    each library as a table of functions
 */
#ifndef ZINC_STORE_EMBEDDED_H
#define ZINC_STORE_EMBEDDED_H

#include "store/store_batch.h"

/* ---- a library ---- */

#define EMBEDDED_HEAD      64       /* bytes of a file that are looked at before a library sees it */
#define EMBEDDED_LOOK_KEYS 1024     /* of a scan, between two looks at the deadline */
#define EMBEDDED_NAME_MAX  ZINC_MIB /* bytes of a key of another program that a listing passes over */

/* A value; the engine's release() frees it. */
typedef struct embedded_value {
	const uint8_t *bytes; /* NULL: there is no such key */
	size_t n;
	void *owner;
} embedded_value;

typedef struct embedded_change {
	const char *key;
	size_t nkey;
	const void *bytes; /* NULL: erase it */
	size_t nbytes;
} embedded_change;

typedef enum embedded_mode {
	EMBEDDED_READ,  /* without permission to write */
	EMBEDDED_WRITE, /* it exists */
	EMBEDDED_CREATE
} embedded_mode;

/* What differs between the libraries.  All functions but open and close may be called by many threads; those that
 * change something, alone. */
typedef struct embedded_engine {
	const char *library;  /* its name in messages */
	const char *example;  /* of a URL */
	const char *endings;  /* of names */
	const char *marker;   /* "/CURRENT": the database is a directory that has this file; "": it is a file */
	const char *identity; /* "/LOCK": this file in the directory stays the same while the database is open */
	const char *undo;     /* ".wal": a file beside the database with what undoes a change; NULL: none */
	const char *refused;  /* characters that the library does not take in a path; NULL: none */
	bool unlocked;        /* the library excludes no other process: the file is locked here */
	bool forkless;        /* it cannot be used in a child of a process that has used it */
	uint32_t flags;       /* capabilities, of a database that can be written */
	uint64_t value_max;   /* bytes of a value */

	/* *busy, with a failure: another process has it open.  E_READONLY: there is no permission to write. */
	zinc_status (*open)(const char *path, embedded_mode mode, void **db, bool *busy, zinc_error *err);
	zinc_status (*close)(void *db, zinc_error *err);
	zinc_status (*get)(void *db, const char *key, size_t n, embedded_value *out, zinc_error *err);
	void (*release)(embedded_value *v);
	/* All of them, in their order, at once; and with `durable` on disk.  E_UNCERTAIN: some may have happened. */
	zinc_status (*write)(void *db, const embedded_change *changes, size_t n, bool durable, zinc_error *err);
	/* The keys from `from` on, until fn returns non-zero; in byte order, or all in any order if unordered().
	 * Sizes may be left out (0) without `sizes`. */
	zinc_status (*scan)(void *db, zinc_bytes from, bool sizes, zinc_ordered_row_fn fn, void *arg, zinc_error *err);
	/* Make earlier changes durable.  NULL: opening it anew does. */
	zinc_status (*sync)(void *db, zinc_error *err);
	bool (*unordered)(void *db); /* NULL: never */
	/* Has a directory without the marker files that only a database has?  NULL: never. */
	bool (*remains)(const char *name, uint64_t nbytes);
	/* Does the library survive a file of this size that begins so?  NULL: always. */
	bool (*survives)(const uint8_t head[EMBEDDED_HEAD], uint64_t nbytes);
} embedded_engine;

/* A number as Kyoto Cabinet, and Tokyo Cabinet on some systems, writes it. */
static inline uint64_t
embedded_big_endian(const uint8_t *p)
{
	uint64_t v = 0;
	int i;

	for (i = 0; i < 8; i++)
		v = v << 8 | p[i];
	return v;
}

/* ---- store_embedded_db.c ---- */

/* An open database; shared by all stores and threads of this process. */
typedef struct embedded_db {
	const embedded_engine *engine;
	zinc_context *ctx; /* of no store: it may be used after the first one is closed */
	char *path;
	void *db;
	int lock; /* with `unlocked`, the file; -1: none */
	bool readonly;
	pid_t pid; /* of the process that opened it */
	dev_t dev;
	ino_t ino;
	struct embedded_db *next;

	/* guarded by the lock of the registry */
	double since, idle; /* when it was opened, and last used */
	unsigned inside;    /* calls that use it */
	unsigned readers;
	bool writing;  /* a call has the writers' turn: what it reads stays true */
	bool applying; /* it changes the database: nobody reads */
	bool stale;    /* to be closed by the last call that leaves */
	bool failed;   /* a change has failed: what it would read may be wrong */
	uint64_t version;
	zinc_known known; /* tags, by the version */
} embedded_db;

/* Relaxed changes since the last sync.  Libraries that keep them in memory write them when they close the database:
 * if that fails, they are lost. */
typedef struct embedded_pending {
	bool any;
	const atomic_uint *failures; /* to close the file of the first of them */
	unsigned before;             /* how many there were then */
} embedded_pending;

typedef struct embedded_store {
	zinc_batched batched;
	const embedded_engine *engine;
	zinc_context *ctx;
	char *path; /* absolute */
	double patience;
	bool readonly;            /* caps; fixed at open */
	embedded_pending pending; /* guarded by the lock of the registry */
	zinc_turn syncing;        /* nobody says that all is synced while another still does it */
} embedded_store;

/* Use the database at the path.  *out is NULL if there is none, and after a failure. */
zinc_status zinc_embedded_enter(embedded_store *s, zinc_use use, embedded_db **out, const zinc_wait *wait,
				zinc_error *err);
/* NULL: nothing. */
void zinc_embedded_leave(embedded_db *d, bool write);
/* Between the two, with `write`: wait for readers, and keep them out, while the database is changed. */
zinc_status zinc_embedded_apply_begin(embedded_db *d, const zinc_wait *wait, zinc_error *err);
/* `st` is the result of the change: after a failure the database is opened anew. */
void zinc_embedded_apply_end(embedded_db *d, zinc_status st);
/* A relaxed change was made; the caller is inside. */
void zinc_embedded_note_relaxed(embedded_store *s, const embedded_db *d);
/* What is to be synced; and after a failure it still is. */
embedded_pending zinc_embedded_take_pending(embedded_store *s);
void zinc_embedded_put_back(embedded_store *s, const embedded_pending *p);
/* Close the database at the path unless it is in use, or wait a moment for the thread that does. */
void zinc_embedded_forget(const embedded_store *s);
/* Close it when the calls that use it now have ended. */
void zinc_embedded_expire(embedded_db *d);
/* A number that differs whenever the database may have changed. */
uint64_t zinc_embedded_version(const embedded_db *d);
/* The tag of a value that was read inside. */
void zinc_embedded_tag(embedded_db *d, const char *key, const embedded_value *v, zinc_tag *out);
/* The keys have another order than that of their bytes. */
zinc_status zinc_embedded_fail_order(zinc_error *err);

/* The errno of an open() that failed. */
zinc_status zinc_embedded_fail_open(const embedded_store *s, zinc_error *err);

/* ---- store_embedded_files.c ---- */

/* Is there a database?  `out` is of the file by which an open one is known.  A file of 0 bytes is a new one. */
zinc_status zinc_embedded_look(const embedded_store *s, bool *there, struct stat *out, zinc_error *err);
/* Is there a database at path[0..n)? */
zinc_status zinc_embedded_is_database(const embedded_engine *e, zinc_context *ctx, const char *path, size_t n,
				      bool *yes, zinc_error *err);
/* What is at the path must be of the right kind before the library sees it: it would wait for a FIFO. */
zinc_status zinc_embedded_check_kind(const embedded_store *s, zinc_error *err);
int zinc_embedded_file(zinc_context *ctx, const char *path, int flags);
/* Sync the directory in which `path` is. */
zinc_status zinc_embedded_sync_directory(zinc_context *ctx, const char *path, zinc_error *err);

/* ---- store_embedded_new.c ---- */

/* Make a new database that is a file.  *busy, with a failure: another process does so. */
zinc_status zinc_embedded_create(const embedded_store *s, bool *busy, zinc_error *err);

/* ---- store_embedded_room.c ---- */

/* Bytes that a file may grow by. */
uint64_t zinc_embedded_room(const embedded_change *changes, size_t n);
/* Take the blocks for so many bytes beyond the end of the file. */
zinc_status zinc_embedded_reserve(int fd, uint64_t nbytes, zinc_error *err);
/* What was taken and not used. */
void zinc_embedded_give_back(int fd);

/* ---- store_embedded_sort.c ---- */

typedef struct embedded_key embedded_key;

/* The smallest keys from a place on. */
typedef struct embedded_run {
	zinc_context *ctx;
	uint64_t version; /* of the database; 0: there is no run */
	embedded_key **keys;
	size_t n, nbytes;
	bool cut; /* there are more */
	size_t bound;
	const char *prefix; /* while it is made */
	const zinc_wait *wait;
	size_t seen;
	zinc_bytes from;
	zinc_status status;
	zinc_buf next;
} embedded_run;

void zinc_embedded_run_init(embedded_run *r, zinc_context *ctx);
void zinc_embedded_run_fini(embedded_run *r);
/* engine->scan of a database without order, in byte order, of the keys that begin with `prefix`.  A run is for one
 * prefix, and places that go forward. */
zinc_status zinc_embedded_sorted(embedded_run *r, embedded_db *d, const char *prefix, zinc_bytes from,
				 zinc_ordered_row_fn fn, void *arg, const zinc_wait *wait, zinc_error *err);

/* ---- store_embedded.c: the slots ---- */

#define EMBEDDED_FLAGS                                                                                                 \
	(ZINC_CAP_READ | ZINC_CAP_SUFFIX_RANGE | ZINC_CAP_LIST | ZINC_CAP_WRITE | ZINC_CAP_ERASE |                     \
	 ZINC_CAP_ATOMIC_PUT | ZINC_CAP_CAS | ZINC_CAP_READ_AFTER_WRITE | ZINC_CAP_LIST_AFTER_WRITE |                  \
	 ZINC_CAP_UPDATE | ZINC_CAP_TAGS)

extern const zinc_setting_row zinc_embedded_settings[];

zinc_status zinc_embedded_open(const embedded_engine *e, void **self, const char *rest,
			       const zinc_store_options *options, zinc_error *err);
zinc_status zinc_embedded_split(const embedded_engine *e, const char *rest, zinc_context *ctx, size_t *nbytes,
				zinc_error *err);
void zinc_embedded_close(void *self);
void zinc_embedded_caps(void *self, zinc_caps *out);
zinc_status zinc_embedded_get(void *self, const zinc_get *requests, size_t n, const zinc_sink *sink,
			      const zinc_wait *wait, zinc_error *err);
zinc_status zinc_embedded_update(void *self, const char *key, zinc_update_fn fn, void *arg, uint64_t limit,
				 uint32_t flags, const zinc_wait *wait, zinc_error *err);
zinc_status zinc_embedded_del_prefix(void *self, const char *prefix, uint32_t flags, const zinc_wait *wait,
				     zinc_error *err);
zinc_status zinc_embedded_sync(void *self, const zinc_wait *wait, zinc_error *err);
zinc_status zinc_embedded_walk(void *self, const char *prefix, const zinc_lister *to, const zinc_wait *wait,
			       zinc_error *err);

/* The slots that all of them share, for their tables of operations. */
#define EMBEDDED_SLOTS                                                                                                 \
	.size = sizeof(zinc_store_ops), .settings = zinc_embedded_settings, .close = zinc_embedded_close,              \
	.caps = zinc_embedded_caps, .get = zinc_embedded_get, .put = zinc_batch_put, .del = zinc_batch_del,            \
	.put_begin = zinc_batch_begin, .commit = zinc_batch_commit, .abort = zinc_batch_abort,                         \
	.update = zinc_embedded_update, .del_prefix = zinc_embedded_del_prefix, .sync = zinc_embedded_sync,            \
	.walk = zinc_embedded_walk

#endif
