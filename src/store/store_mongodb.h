/*
 * store_mongodb.h - shared by the files of the mongodb module
 *
 *   store_mongodb.c         the store: URL, settings, capabilities, the table of operations
 *   store_mongodb_conn.c    clients of libmongoc, their pool, errors, what to try again
 *   store_mongodb_stream.c  their sockets, which wait within the deadline of the call
 *   store_mongodb_get.c     documents, reading, listing
 *   store_mongodb_put.c     changes
 */
#ifndef ZINC_STORE_MONGODB_H
#define ZINC_STORE_MONGODB_H

#include "store/store_batch.h"
#include "store/store_pool.h"

#if ZINC_WITH_MONGODB && ZINC_WITH_BSON
/* Its inline functions do not compile without warnings. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#include <mongoc/mongoc.h>
#pragma GCC diagnostic pop

/* A document has at most 16 MiB; the rest is for the key, which it has twice, and the names. */
#define MONGO_DOCUMENT_MAX 16777216
#define MONGO_OVERHEAD     1024
#define MONGO_KEY_MAX      1024
#define MONGO_GENERATION   16 /* bytes */

typedef enum mongo_fault {
	MONGO_FINE,
	MONGO_TWICE, /* the key exists */
	MONGO_AGAIN, /* nothing was done: the server asks to try again */
	MONGO_DOWN,  /* nothing was done: no connection */
	MONGO_LOST,  /* no answer: what was sent may have been done */
	MONGO_FINAL  /* another try would give the same */
} mongo_fault;

typedef struct mongo_store {
	zinc_context *ctx;
	mongoc_uri_t *uri; /* with the password */
	char *database, *collection;
	char *ca_file, *key_file;
	bool tls;
	double patience;
	int conditions; /* 1, 0, or -1: if the server's updates are atomic */
	zinc_conns pool;
	atomic_bool reached; /* a server answered once */
	atomic_bool loose;   /* its updates are not atomic: FerretDB 1 */
	atomic_bool indexed; /* it was asked for an index */
	atomic_bool relaxed; /* a relaxed change since the last sync */
	zinc_turn syncing;   /* nobody says that all is synced while another still does it */
} mongo_store;

typedef struct mongo_conn {
	zinc_conn conn; /* first: store_pool.h */
	mongo_store *s;
	mongoc_client_t *client;
	mongoc_collection_t *documents;
	const zinc_wait *wait; /* of the call that uses it */
	double since;          /* the last sign of life */
	mongo_fault fault;
	bool broken, forked;
	bool late; /* a wait ended because of the deadline */
	bool sent; /* a change, perhaps */
} mongo_conn;

/* One operation, which is tried again while that can help. */
typedef struct mongo_try {
	mongo_store *s;
	const zinc_wait *wait;
	double since;
	int n;
	mongo_fault fault;
	zinc_error error;
} mongo_try;

/* ---- store_mongodb_conn.c ---- */

void zinc_mongo_init(void);
void zinc_mongo_close(zinc_conn *c, bool forked);

void zinc_mongo_try(mongo_try *t, mongo_store *s, const zinc_wait *wait);
/* Should a try that ended so, with t->error, be repeated?  Waits a moment.  If not, a failure is copied to err. */
bool zinc_mongo_again(mongo_try *t, zinc_status *st, zinc_error *err);
zinc_status zinc_mongo_enter(mongo_try *t, mongo_conn **out);
void zinc_mongo_leave(mongo_try *t, mongo_conn *c);
/* A failure of libmongoc. */
zinc_status zinc_mongo_fail(mongo_conn *c, const bson_error_t *e, zinc_error *err);

/* ---- store_mongodb_stream.c ---- */

mongoc_stream_t *zinc_mongo_stream(const mongoc_uri_t *uri, const mongoc_host_list_t *host, void *user_data,
				   bson_error_t *error);

/* ---- store_mongodb_get.c ---- */

/* What a document says. */
typedef struct mongo_doc {
	const char *key;
	uint32_t nkey;
	bool has_value, has_mark;
	const uint8_t *value;
	uint32_t nvalue;
	const uint8_t *generation; /* of the mark; MONGO_GENERATION bytes */
	int64_t size;
} mongo_doc;

/* false: it has no key. */
bool zinc_mongo_read(const bson_t *doc, mongo_doc *out);
void zinc_mongo_tag(const mongo_doc *d, zinc_tag *out);
/* The document of a key, whole or (`light`) without its value; *found.  The cursor is the caller's, and *doc lives as
 * long as it. */
zinc_status zinc_mongo_find(mongo_conn *c, const char *key, bool light, mongoc_cursor_t **cursor, mongo_doc *out,
			    bool *found, zinc_error *err);

zinc_status zinc_mongo_get(void *self, const zinc_get *requests, size_t n, const zinc_sink *sink, const zinc_wait *wait,
			   zinc_error *err);
zinc_status zinc_mongo_walk(void *self, const char *prefix, const zinc_lister *to, const zinc_wait *wait,
			    zinc_error *err);

/* ---- store_mongodb_put.c ---- */

zinc_status zinc_mongo_put(void *self, zinc_put_group *group, const zinc_put *puts, size_t n, const zinc_done *done,
			   uint32_t flags, const zinc_wait *wait, zinc_error *err);
zinc_status zinc_mongo_del(void *self, zinc_put_group *group, const zinc_del *dels, size_t n, const zinc_done *done,
			   uint32_t flags, const zinc_wait *wait, zinc_error *err);
zinc_status zinc_mongo_del_prefix(void *self, const char *prefix, uint32_t flags, const zinc_wait *wait,
				  zinc_error *err);
zinc_status zinc_mongo_sync(void *self, const zinc_wait *wait, zinc_error *err);
/* Do conditions hold against other writers? */
bool zinc_mongo_has_conditions(mongo_store *s);

#endif
#endif
