/*
 * store_lmdb.h - shared by the files of the lmdb module
 *
 *   store_lmdb.c       the store: get, changes, listing, the table of operations
 *   store_lmdb_env.c   environments: one per file and process, the size of the map, transactions
 *   store_lmdb_meta.c  checks of a file before LMDB maps it; needs no LMDB
 */
#ifndef ZINC_STORE_LMDB_H
#define ZINC_STORE_LMDB_H

#include "store/store_batch.h"

/* ---- store_lmdb_meta.c ---- */

#define LMDB_META_BYTES (2 * 65536) /* enough for the two first pages of any size */

/* What the newest of the two meta pages says. */
typedef struct lmdb_meta {
	uint64_t page_size, pages; /* that are in use */
} lmdb_meta;

/* Check the first bytes of a file of `file_size` bytes.  E_CORRUPT, or E_UNSUPPORTED for databases of another kind. */
zinc_status zinc_lmdb_check_meta(const uint8_t *bytes, size_t n, uint64_t file_size, lmdb_meta *out, zinc_error *err);

#if ZINC_WITH_LMDB
#include <lmdb.h>

#define LMDB_KEY_MAX   511
#define LMDB_VALUE_MAX 0xFFFFFFFFu

/* ---- store_lmdb_env.c ---- */

/* One open environment; shared by all stores of this process that have the file open. */
typedef struct lmdb_env {
	MDB_env *env;
	MDB_dbi dbi;
	pid_t pid; /* of the process that opened it: a child must not touch it */
	dev_t dev;
	ino_t ino;
	unsigned refs;
	bool readonly;
	bool unlocked; /* read without locks */
	int lock;      /* the data file; who writes has it locked (LMDB itself locks another file).  -1: none */
	zinc_context *ctx;
	struct lmdb_env *next;

	pthread_mutex_t gate; /* guards what follows */
	pthread_cond_t changed;
	unsigned inside;  /* transactions that are open */
	bool writing;     /* a thread has the writers' turn */
	bool closed;      /* the map is about to change: no new transaction */
	zinc_known known; /* tags, by the number of the transaction */
} lmdb_env;

typedef struct lmdb_store {
	zinc_batched batched; /* first: store_batch.h */
	char *path;           /* absolute */
	bool readonly;
	atomic_bool relaxed; /* changes since the last sync */
	zinc_turn syncing;   /* nobody says that all is synced while another still does it */
	lmdb_env *env;       /* NULL: no database yet; guarded by the registry's lock */
} lmdb_store;

/* A transaction. */
typedef struct lmdb_txn {
	lmdb_env *e;
	MDB_txn *txn;
	bool write;
} lmdb_txn;

zinc_status zinc_lmdb_fail(int rc, const char *doing, zinc_error *err);

/* Begin one.  t->txn is NULL if there is no database, and none is made. */
zinc_status zinc_lmdb_begin(lmdb_store *s, zinc_use use, lmdb_txn *t, const zinc_wait *wait, zinc_error *err);
/* Commit a change that has been made (`st` OK), or undo it; returns `st` or the failure.  *full: the map was too small
 * and has grown: do it again. */
zinc_status zinc_lmdb_end(lmdb_txn *t, zinc_status st, int rc, bool relaxed, bool *full, const zinc_wait *wait,
			  zinc_error *err);
/* Was what has been read not changed meanwhile?  Only a database without locks can be. */
zinc_status zinc_lmdb_check_same(const lmdb_txn *t, zinc_error *err);
/* End a transaction that only reads, or none. */
void zinc_lmdb_leave(lmdb_txn *t);
zinc_status zinc_lmdb_sync(lmdb_store *s, const zinc_wait *wait, zinc_error *err);
zinc_status zinc_lmdb_is_readonly(lmdb_store *s, bool *yes, zinc_error *err);
void zinc_lmdb_release(lmdb_store *s);

/* Is there a file, or a directory with the file data.mdb, at path[0..n)? */
zinc_status zinc_lmdb_is_database(zinc_context *ctx, const char *path, size_t n, bool *yes, zinc_error *err);
#endif

#endif
