/*
 * store_sqlite.h - shared by the files of the sqlite module
 *
 *   store_sqlite.c       the store: open, get, the table of operations
 *   store_sqlite_db.c    connections, their pool, fork, errors
 *   store_sqlite_put.c   changes: put, del, update
 *   store_sqlite_list.c  listing
 */
#ifndef ZINC_STORE_SQLITE_H
#define ZINC_STORE_SQLITE_H

#include "store/store_batch.h"

#if ZINC_WITH_SQLITE
#include <sqlite3.h>

/* Values up to this are taken from the row; longer ones are read in place, without a copy inside of SQLite. */
#define SQL_SMALL 8192

/* The statements of a connection; prepared when first used. */
typedef enum sql_text {
	SQL_FIND,
	SQL_BEGIN,
	SQL_COMMIT,
	SQL_ROLLBACK,
	SQL_PUT,
	SQL_DEL,
	SQL_DEL_RANGE,
	SQL_LIST,
	SQL_LIST_KEYS,
	SQL_LIST_OTHER,
	SQL_TEXTS
} sql_text;

struct sql_store;

typedef struct sql_conn {
	sqlite3 *db;
	sqlite3_stmt *stmt[SQL_TEXTS];
	struct sql_conn *next; /* in the pool */
	dev_t dev;             /* of the file */
	ino_t ino;
	bool readonly;
	bool immutable; /* opened without locks; what follows was its file then */
	off_t size;
	struct timespec modified;
	bool has_table;
	bool strange; /* the table has triggers: it must not be changed */
	bool wal;
	int synchronous;        /* as it was last set */
	int changes;            /* sqlite3_total_changes when the transaction began */
	zinc_known known;       /* tags, by sql_version */
	const zinc_wait *wait;  /* of the call that uses it */
	double since, patience; /* seconds that a call without a deadline waits for other processes */
	zinc_context *ctx;
} sql_conn;

typedef struct sql_store {
	zinc_batched batched; /* first: store_batch.h */
	char *path;           /* absolute */
	double patience;
	bool readonly;        /* caps; fixed at open */
	pthread_mutex_t lock; /* guards what follows */
	pthread_cond_t left;
	zinc_fork_hook fork;
	sql_conn *idle;
	unsigned nidle, busy;
	bool forking, lost;    /* lost: forked while another thread was inside */
	bool written, relaxed; /* since the last close, since the last sync */
	zinc_turn turn;        /* of the writers of this process */
} sql_store;

/* ---- store_sqlite_db.c ---- */

/* The failure `rc` of SQLite as a status. */
zinc_status zinc_sql_fail(const sql_conn *c, int rc, const char *doing, zinc_error *err);

/* Take a connection.  *out is NULL if there is no database, or no table in an empty one, and none is made. */
zinc_status zinc_sql_enter(sql_store *s, zinc_use use, sql_conn **out, const zinc_wait *wait, zinc_error *err);
/* Was what has been read not changed meanwhile?  Only a database without locks can be. */
zinc_status zinc_sql_check_same(const sql_store *s, const sql_conn *c, zinc_error *err);
/* Give it back (NULL: nothing); statements that are running end. */
void zinc_sql_leave(sql_store *s, sql_conn *c);

/* The statement, prepared once. */
zinc_status zinc_sql_stmt(sql_conn *c, sql_text text, sqlite3_stmt **out, zinc_error *err);
/* Run a statement that returns no rows. */
zinc_status zinc_sql_run(sql_conn *c, sql_text text, const char *doing, zinc_error *err);
zinc_status zinc_sql_exec(sql_conn *c, const char *sql, const char *doing, zinc_error *err);
/* Bind the range of the keys below a prefix ("" or "a/"), those from `from` on, to variables 1 and 2.  `from` and
 * `end`, which is filled, must stay until the statement is reset. */
zinc_status zinc_sql_bind_range(sql_conn *c, sqlite3_stmt *q, const char *prefix, zinc_bytes from, zinc_buf *end,
				zinc_error *err);

void zinc_sql_pool_init(sql_store *s);
void zinc_sql_pool_fini(sql_store *s);
/* Is there a file that cannot be written? */
zinc_status zinc_sql_is_readonly(sql_store *s, bool *yes, zinc_error *err);

/* ---- store_sqlite.c ---- */

/* One row.  Its bytes are in the row (`small`) or behind `blob`. */
typedef struct sql_value {
	sql_conn *c;
	sqlite3_stmt *q; /* at the row, so that what it points to stays; NULL: none */
	sqlite3_blob *blob;
	const uint8_t *small;
	uint64_t nbytes;
	bool found;
} sql_value;

/* Find a key.  End it, found or not, before the connection is used for anything else. */
zinc_status zinc_sql_find(sql_conn *c, const char *key, sql_value *out, zinc_error *err);
void zinc_sql_end(sql_value *v);
zinc_status zinc_sql_read(const sql_value *v, uint64_t offset, uint8_t *bytes, uint64_t n, zinc_error *err);
zinc_status zinc_sql_tag(const sql_value *v, zinc_tag *out, const zinc_wait *wait, zinc_error *err);

/* ---- the slots of the other files ---- */

extern const zinc_batch_ops zinc_sql_batch;
zinc_status zinc_sql_update(void *self, const char *key, zinc_update_fn fn, void *arg, uint64_t limit, uint32_t flags,
			    const zinc_wait *wait, zinc_error *err);
zinc_status zinc_sql_del_prefix(void *self, const char *prefix, uint32_t flags, const zinc_wait *wait, zinc_error *err);
zinc_status zinc_sql_sync(void *self, const zinc_wait *wait, zinc_error *err);
zinc_status zinc_sql_walk(void *self, const char *prefix, const zinc_lister *to, const zinc_wait *wait,
			  zinc_error *err);

#endif
#endif
