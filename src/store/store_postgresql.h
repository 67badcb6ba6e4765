/*
 * store_postgresql.h - shared by the files of the postgresql module
 *
 *   store_postgresql.c        the store: URL, settings, capabilities, the table of operations
 *   store_postgresql_conn.c   connections: opening, waiting, pool, fork, what to try again
 *   store_postgresql_hosts.c  the hosts of a list that do not answer
 *   store_postgresql_error.c  the server's failures as statuses, with advice
 *   store_postgresql_sql.c    statements, their parameters and results
 *   store_postgresql_get.c    reading
 *   store_postgresql_put.c    transactions: put, del, del_prefix, sync, the table
 *   store_postgresql_list.c   listing
 */
#ifndef ZINC_STORE_POSTGRESQL_H
#define ZINC_STORE_POSTGRESQL_H

#include "store/store_batch.h"
#include "store/store_pool.h"

#if ZINC_WITH_POSTGRESQL
#include <libpq-fe.h>

#define PG_KEY_MAX 2600 /* bytes that an entry of a PostgreSQL index can have, less its header */

/* The statements; '@' stands for the table. */
typedef enum pg_text {
	PG_FIND,
	PG_STAT,
	PG_PIECE,
	PG_PUT,
	PG_PUT_ABSENT,
	PG_PUT_EQUALS,
	PG_DEL,
	PG_DEL_EQUALS,
	PG_DEL_RANGE,
	PG_DEL_ALL,
	PG_LIST,
	PG_LIST_KEYS,
	PG_LIST_ALL,
	PG_LIST_ALL_KEYS,
	PG_TEXTS
} pg_text;

/* Words of libpq that the URL or a setting may have. */
typedef enum pg_word {
	PG_HOST,
	PG_PORT,
	PG_DATABASE,
	PG_USER,
	PG_PASSWORD,
	PG_SERVICE,
	PG_PASSFILE,
	PG_SSLMODE,
	PG_SSLROOTCERT,
	PG_SSLCERT,
	PG_SSLKEY,
	PG_ATTRIBUTES,
	PG_WORDS
} pg_word;

/* What a failure means for the next try. */
typedef enum pg_fault {
	PG_FINE,
	PG_NO_TABLE, /* nothing was done: there is no such table */
	PG_AGAIN,    /* nothing was done: the server asks to try again */
	PG_DOWN,     /* nothing was done: no connection */
	PG_LOST,     /* the connection was lost; a transaction that was not committed is undone */
	PG_UNKNOWN,  /* the same while it was being committed */
	PG_FINAL     /* another try would give the same */
} pg_fault;

typedef struct pg_store {
	zinc_batched batched; /* first: store_batch.h */
	zinc_conns pool;
	char *word[PG_WORDS]; /* NULL: as libpq finds it in the environment; the password is freed as a secret */
	char *table;          /* quoted */
	char *sql[PG_TEXTS];
	double patience, connect_seconds;
	atomic_bool reached;  /* a connection succeeded once */
	atomic_bool readonly; /* the server is a standby */
	atomic_bool forgets;  /* fsync is off, or the table is UNLOGGED: a crash may lose everything */
	atomic_bool relaxed;  /* a relaxed change since the last sync */
	zinc_turn syncing;    /* nobody says that all is synced while another still does it */
} pg_store;

typedef struct pg_conn {
	zinc_conn conn; /* first: store_pool.h */
	PGconn *db;
	pg_store *s;
	const zinc_wait *wait; /* of the call that uses it */
	double since;          /* the last sign of life, or the begin of the call */
	size_t queued;         /* bytes that were given to libpq since it sent everything */
	pg_fault fault;        /* of the last failure */
	char state[6];         /* SQLSTATE of the last failure */
	bool broken;           /* not to be used again */
	char durable[16];      /* synchronous_commit for durable changes */
	bool watches;          /* the server can look whether its client is still there */
	char whole[40];        /* since when the server has not crashed */
} pg_conn;

/* One operation, which is tried again while that can help. */
typedef struct pg_try {
	pg_store *s;
	const zinc_wait *wait;
	double since;
	int n;
	pg_fault fault;   /* of the last try */
	zinc_error error; /* the same; the caller's error is written only by a failure of all tries */
} pg_try;

/* ---- store_postgresql_conn.c ---- */

#define PG_MAX_IDLE 32

/* The server looks every two seconds whether its client is still there, until the transaction ends. */
#define PG_WATCH "set_config('client_connection_check_interval', '2000', true)"

/* For the pool. */
void zinc_pg_close(zinc_conn *c, bool forked);

void zinc_pg_try(pg_try *t, pg_store *s, const zinc_wait *wait);
/* Should a try that ended so, with t->error, be repeated?  Waits a moment.  If not, a failure is copied to err; a deadline
 * that passes meanwhile is one. */
bool zinc_pg_again(pg_try *t, zinc_status *st, zinc_error *err);

/* Take a connection, and give it back; the fault of its last failure is that of the try. */
zinc_status zinc_pg_enter(pg_try *t, pg_conn **out);
void zinc_pg_leave(pg_try *t, pg_conn *c);

/* Wait until the socket can be read (or, with `write`, written). */
zinc_status zinc_pg_wait(pg_conn *c, bool write, zinc_error *err);

/* ---- store_postgresql_hosts.c ---- */

typedef struct pg_hosts {
	bool cut; /* these are used instead of those of the store */
	zinc_buf host, address, port;
} pg_hosts;

void zinc_pg_hosts_init(pg_hosts *h, zinc_context *ctx);
void zinc_pg_hosts_fini(pg_hosts *h);
/* Leave out the host that the connection is trying.  False: there are no others. */
bool zinc_pg_leave_out(pg_hosts *h, PGconn *db);

/* ---- store_postgresql_error.c ---- */

/* A failure of a statement (res NULL: of the connection). */
zinc_status zinc_pg_fail(pg_conn *c, const PGresult *res, zinc_error *err);
/* What a failure to connect means, from libpq's text with the codes of the server. */
zinc_status zinc_pg_fail_connect(const char *text, pg_fault *fault, zinc_error *err);
/* After the fault PG_NO_TABLE: OK if there is none; a failure if there is one that this role may not see. */
zinc_status zinc_pg_check_hidden(pg_conn *c, zinc_error *err);
/* The meaning of an SQLSTATE. */
pg_fault zinc_pg_fault_of(const char *state);

/* ---- store_postgresql_sql.c ---- */

#define PG_PARAMS 5

typedef struct pg_params {
	int n;
	const char *value[PG_PARAMS];
	int length[PG_PARAMS], format[PG_PARAMS];
	uint8_t room[PG_PARAMS][8];
} pg_params;

void zinc_pg_add_text(pg_params *p, const char *text);
void zinc_pg_add_bytes(pg_params *p, const void *bytes, size_t n);
void zinc_pg_add_number(pg_params *p, int64_t number);

/* A round: statements, the end, a result of each in their order, and the end again.  After a failure nothing but
 * zinc_pg_leave is needed, or zinc_pg_end to use the connection again. */
zinc_status zinc_pg_send(pg_conn *c, const char *sql, const pg_params *p, zinc_error *err);
zinc_status zinc_pg_sent(pg_conn *c, zinc_error *err);
zinc_status zinc_pg_take(pg_conn *c, PGresult **out, zinc_error *err);
zinc_status zinc_pg_end(pg_conn *c, zinc_error *err);
/* One statement as a round; *out (NULL: not wanted) is the caller's. */
zinc_status zinc_pg_run(pg_conn *c, const char *sql, const pg_params *p, PGresult **out, zinc_error *err);

/* The columns of row 0 or another: a number in 8 bytes; false: NULL, or of another type. */
bool zinc_pg_number(const PGresult *r, int row, int column, int64_t *out);
const char *zinc_pg_column(const PGresult *r, int row, int column); /* "" for NULL */

/* Since when the server has not crashed, as text. */
#define PG_WHOLE "(SELECT extract(epoch FROM stats_reset)::text FROM pg_stat_bgwriter)"

/* Tags are generations. */
void zinc_pg_tag(int64_t generation, zinc_tag *out);
int64_t zinc_pg_generation(const zinc_tag *tag); /* -1: no tag of this store */

/* Bind the first key past those with the prefix to a parameter; `end` must stay. */
zinc_status zinc_pg_add_end(pg_params *p, const char *prefix, zinc_buf *end, zinc_error *err);

zinc_status zinc_pg_texts(pg_store *s, zinc_error *err);

/* ---- store_postgresql.c ---- */

/* A store that has not met its server yet. */
zinc_status zinc_pg_new(pg_store **out, const char *rest, const zinc_store_options *options, zinc_error *err);

/* ---- the slots of the other files ---- */

extern const zinc_batch_ops zinc_pg_batch;
zinc_status zinc_pg_get(void *self, const zinc_get *requests, size_t n, const zinc_sink *sink, const zinc_wait *wait,
			zinc_error *err);
zinc_status zinc_pg_del_prefix(void *self, const char *prefix, uint32_t flags, const zinc_wait *wait, zinc_error *err);
zinc_status zinc_pg_sync(void *self, const zinc_wait *wait, zinc_error *err);
zinc_status zinc_pg_walk(void *self, const char *prefix, const zinc_lister *to, const zinc_wait *wait, zinc_error *err);

#endif
#endif
