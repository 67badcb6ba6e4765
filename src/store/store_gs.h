/*
 * store_gs.h - shared by the files of the gs store
 */
#ifndef ZINC_STORE_GS_H
#define ZINC_STORE_GS_H

#include "net/net.h"
#include "store/store_web.h"

#define GS_SUM 9 /* bytes of a CRC-32C in base64, with a NUL */

/* The result of a test of the server. */
typedef enum gs_answer { GS_UNKNOWN = 0, GS_YES = 1, GS_NO = -1 } gs_answer;

typedef struct gs_store {
	zinc_web web;
	zinc_google *google;
	char *endpoint; /* "https://host:port" */
	char *bucket;
	char *prefix;     /* of all keys: "" or "a/b/" */
	char *user;       /* userProject, escaped; NULL: none */
	bool sends_token; /* to this endpoint */
	uint32_t parallel;
	uint64_t part_bytes;
	atomic_bool signs;              /* the last request had a token */
	atomic_bool bucket_exists;      /* an answer has shown it */
	atomic_int conditional_puts;    /* gs_answer */
	atomic_int conditional_deletes; /* gs_answer */
	atomic_bool no_batches;         /* it has no /batch */
} gs_store;

/* What a call is for: zinc_web_call.kind. */
typedef enum gs_kind {
	GS_OBJECT,    /* the metadata of a key; DELETE */
	GS_LIST,      /* of the bucket, with a query */
	GS_MEDIA,     /* an upload of bytes */
	GS_MULTIPART, /* an upload of metadata and bytes */
	GS_BEGIN,     /* begins an upload in pieces */
	GS_PIECE,     /* of an upload, to its place */
	GS_GIVE_UP,   /* DELETE of an upload */
	GS_BATCH      /* many deletes */
} gs_kind;

/* ---- store_gs.c ---- */

/* "/storage/v1/b/bucket/o/a%2Fb" */
zinc_status zinc_gs_object_path(zinc_buf *out, const gs_store *s, const char *key, zinc_error *err);
/* "&userProject=...", or "?..." if it is the first; nothing if it is not set. */
zinc_status zinc_gs_add_user(zinc_buf *out, const gs_store *s, bool first, zinc_error *err);
/* The generation that a tag names; "1", which no value has, if it is no tag of this store. */
const char *zinc_gs_generation(const zinc_tag *tag, char out[ZINC_WEB_NAME]);

/* ---- store_gs_error.c ---- */

/* An error document, or a text that stands for one. */
typedef struct gs_fault {
	char reason[ZINC_WEB_NAME]; /* "notFound"; "" */
	char message[240];          /* printable ASCII */
} gs_fault;

/* False: it is no error document of the JSON API; then `message` is the beginning of the text. */
bool zinc_gs_parse_error(gs_fault *out, zinc_context *ctx, const char *text, size_t n);
zinc_web_verdict zinc_gs_judge(zinc_web *w, const zinc_web_answer *a, zinc_error *err);
zinc_web_verdict zinc_gs_call_judge(zinc_web *w, const zinc_web_answer *a, char code[ZINC_WEB_NAME], zinc_error *err);
extern const char *const zinc_gs_keep[]; /* of gets */
#define GS_KEEP_GENERATION 0
#define GS_KEEP_SUM        1
#define GS_KEEP_ENCODING   2
#define GS_KEEP_REQUEST    3
extern const char *const zinc_gs_call_keep[]; /* of other requests */
#define GS_KEEP_RANGE 0
#define GS_KEEP_TYPE  1
/* GS_KEEP_REQUEST is the same */

/* ---- store_gs_put.c ---- */

zinc_status zinc_gs_put(void *self, zinc_put_group *group, const zinc_put *puts, size_t n, const zinc_done *done,
			uint32_t flags, const zinc_wait *wait, zinc_error *err);
/* What the JSON of an object says. */
typedef struct gs_object {
	char generation[24]; /* "": it does not say */
	char sum[GS_SUM];
	char write[ZINC_WEB_NAME];
	uint64_t nbytes; /* UINT64_MAX: it does not say */
} gs_object;
/* E_CORRUPT if it is no object. */
zinc_status zinc_gs_parse_object(gs_object *out, zinc_context *ctx, const char *text, size_t n, zinc_error *err);
/* Take tag and write id from the answer to an upload, or of GS_OBJECT.  A hook of zinc_web. */
zinc_status zinc_gs_call_text(zinc_web *w, zinc_web_call *c, zinc_error *err);
/* CRC-32C of a put in base64. */
zinc_status zinc_gs_sum(zinc_context *ctx, const zinc_put *p, char out[GS_SUM], zinc_error *err);
/* E_NOTFOUND. */
zinc_status zinc_gs_stat(gs_store *s, const char *key, zinc_web_call *c, const zinc_wait *wait, zinc_error *err);
/* After an unknown outcome: was the write `write` of bytes with this sum executed?  Then ZINC_OK and *tag is set; E_IO if
 * the server has stored other bytes; otherwise E_UNCERTAIN. */
zinc_status zinc_gs_resolve(gs_store *s, const char *key, const char *write, const char *sum, zinc_tag *tag,
			    const zinc_wait *wait, zinc_error *err);
/* Put by one request with a condition and a write id, without any test of the server. */
zinc_status zinc_gs_put_one(gs_store *s, const zinc_put *p, zinc_tag *tag, const zinc_wait *wait, zinc_error *err);

/* ---- store_gs_parts.c ---- */

/* Put a large value in pieces. */
zinc_status zinc_gs_put_parts(gs_store *s, const zinc_put *put, uint64_t nbytes, zinc_tag *tag, const zinc_wait *wait,
			      zinc_error *err);
/* "bytes=0-99" -> 100; "" -> 0.  False: it is neither. */
bool zinc_gs_parse_range(const char *text, uint64_t *received);

/* ---- store_gs_del.c ---- */

zinc_status zinc_gs_del(void *self, zinc_put_group *group, const zinc_del *dels, size_t n, const zinc_done *done,
			uint32_t flags, const zinc_wait *wait, zinc_error *err);
/* The answer to a batch: calls fn for each part, `i` is the number in its Content-ID.  E_CORRUPT if it is none. */
typedef void (*gs_part_fn)(void *arg, size_t i, int status, const char *text, size_t n);
zinc_status zinc_gs_parse_batch(const char *type, const char *text, size_t n, gs_part_fn fn, void *arg,
				zinc_error *err);

/* ---- store_gs_list.c ---- */

zinc_status zinc_gs_walk(void *self, const char *prefix, const zinc_lister *to, const zinc_wait *wait, zinc_error *err);
/* E_CORRUPT if it is no complete answer.  Names may be anything. */
zinc_status zinc_gs_parse_page(zinc_web_page *out, zinc_context *ctx, const char *text, size_t n, zinc_error *err);

/* ---- store_gs_test.c ---- */

bool zinc_gs_is_tested(const gs_store *s);
/* Does the server evaluate the conditions of puts (and of deletes)?  Tested once, beside the key; Google does. */
zinc_status zinc_gs_check_puts(gs_store *s, const char *key, const zinc_wait *wait, zinc_error *err);
zinc_status zinc_gs_check_deletes(gs_store *s, const char *key, const zinc_wait *wait, zinc_error *err);

#endif
