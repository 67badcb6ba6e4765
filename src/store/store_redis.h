/*
 * store_redis.h - shared by the files of the redis module
 *
 *   store_redis.c       the store: URL, settings, the table of operations
 *   store_redis_conn.c  connections: the greeting, what the server can do, its errors, retries
 *   store_redis_get.c   reading
 *   store_redis_put.c   changes: put, del, groups, update, sync
 *   store_redis_list.c  listing and del_prefix
 */
#ifndef ZINC_STORE_REDIS_H
#define ZINC_STORE_REDIS_H

#include "net/net.h"
#include "store/store_batch.h"
#include "store/store_pool.h"

/* The longest value: the server's proto-max-bulk-len unless it was changed. */
#define REDIS_VALUE_MAX ((uint64_t)512 * ZINC_MIB)
/* The name of a marker: the setting and random digits. */
#define REDIS_MARKER_BYTES 160

/* What the server has said about itself. */
#define REDIS_FSYNC_ALWAYS 1u /* a change is on the disk before it is answered */
#define REDIS_WAITAOF      2u /* it can be waited for */

#define REDIS_RUNS UINT64_MAX /* several runs of the server */

typedef struct redis_store {
	zinc_batched batched; /* must be first */
	zinc_tcp_config tcp;  /* points to what follows */
	char *host, *socket, *ca_file, *cert_file, *key_file;
	char port[8];
	char *prefix; /* with its ':' */
	char *marker; /* "": none */
	char *user;   /* NULL: none */
	char *password;
	unsigned db;
	int retries;
	bool plain_password, durable, not_durable; /* durable, not_durable: the user says so */
	zinc_conns conns;
	atomic_uint seen;         /* REDIS_FSYNC_ALWAYS ... */
	atomic_int budget;        /* for retries */
	zinc_turn syncing;        /* nobody says that all is synced while another still does it */
	_Atomic uint64_t relaxed; /* run of the server that has made changes without waiting; 0: none, or REDIS_RUNS */
	atomic_uint mean;         /* bytes of a value, about */
} redis_store;

typedef struct redis_conn {
	zinc_conn conn; /* must be first */
	redis_store *s;
	zinc_resp *r;
	bool again;                      /* the server's last error may pass */
	bool was_idle;                   /* since an earlier operation: the server may be another by now */
	zinc_resp_head no_multi;         /* type '-': the server refuses transactions */
	uint64_t run;                    /* of the server, another after each start; 0: not known */
	char marker[REDIS_MARKER_BYTES]; /* "": none yet */
	uint64_t changes;                /* the number of the last change that it marks */
} redis_conn;

static inline zinc_context *
redis_ctx(const redis_store *s)
{
	return s->batched.ctx;
}

/* ---- store_redis_conn.c ---- */

/* One try of an operation; after a failure the connection is dropped. */
typedef zinc_status (*redis_work_fn)(redis_conn *c, void *arg, const zinc_wait *wait, zinc_error *err);

/* Try it on one connection after another, with pauses, as long as the failure may pass. */
zinc_status zinc_redis_run(redis_store *s, redis_work_fn work, void *arg, const zinc_wait *wait, zinc_error *err);

/* The failure that a head of type '-' reports. */
zinc_status zinc_redis_fail(redis_conn *c, const zinc_resp_head *h, zinc_error *err);
/* The next head; '-' is a failure, and so is (E_CORRUPT) any other type than `type`. */
zinc_status zinc_redis_expect(redis_conn *c, char type, zinc_resp_head *out, const zinc_wait *wait, zinc_error *err);
/* A reply that makes no sense. */
zinc_status zinc_redis_strange(redis_conn *c, zinc_error *err);
/* Send the argument PREFIX:KEY. */
zinc_status zinc_redis_key(redis_conn *c, const char *key, size_t n, const zinc_wait *wait, zinc_error *err);
/* Send COMMAND PREFIX:KEY. */
zinc_status zinc_redis_ask(redis_conn *c, const char *command, const char *key, const zinc_wait *wait, zinc_error *err);
void zinc_redis_close(zinc_conn *conn, bool forked);

/* ---- store_redis.c ---- */

/* Parse "USER:PASSWORD@HOST:PORT/DB" into the store. */
zinc_status zinc_redis_take_url(redis_store *s, const char *rest, zinc_error *err);

/* ---- the slots of the other files ---- */

extern const zinc_batch_ops zinc_redis_batch;
zinc_status zinc_redis_get(void *self, const zinc_get *requests, size_t n, const zinc_sink *sink, const zinc_wait *wait,
			   zinc_error *err);
zinc_status zinc_redis_update(void *self, const char *key, zinc_update_fn fn, void *arg, uint64_t limit, uint32_t flags,
			      const zinc_wait *wait, zinc_error *err);
zinc_status zinc_redis_sync(void *self, const zinc_wait *wait, zinc_error *err);
/* Erase the keys names[i], with their prefix, in one transaction. */
zinc_status zinc_redis_erase(redis_store *s, const zinc_bytes *names, size_t n, bool relaxed, const zinc_wait *wait,
			     zinc_error *err);
zinc_status zinc_redis_del_prefix(void *self, const char *prefix, uint32_t flags, const zinc_wait *wait,
				  zinc_error *err);
zinc_status zinc_redis_walk(void *self, const char *prefix, const zinc_lister *to, const zinc_wait *wait,
			    zinc_error *err);

#endif
