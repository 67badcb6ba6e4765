/*
 * store_s3.h - shared by the files of the s3 store
 */
#ifndef ZINC_STORE_S3_H
#define ZINC_STORE_S3_H

#include "store/store_web.h"

#define S3_NAME ZINC_WEB_NAME /* bytes of a region or of an error code, with a NUL */

/* The result of a test of the server. */
typedef enum s3_answer { S3_UNKNOWN = 0, S3_YES = 1, S3_NO = -1 } s3_answer;

typedef struct s3_store {
	zinc_web web;
	zinc_aws *aws;
	char *endpoint; /* "https://host:port"; NULL: that of AWS in the region */
	char *bucket;
	char *prefix; /* of all keys: "" or "a/b/" */
	bool path_style, payer, https, allow_http, conditions;
	bool local;        /* the endpoint is on this machine, and no proxy is between */
	atomic_bool signs; /* the last request was signed */
	uint32_t parallel;
	uint64_t part_bytes;
	double stale_after;   /* seconds after which an upload that was not completed is a leftover */
	pthread_mutex_t lock; /* guards `region` */
	zinc_fork_hook fork;
	char region[S3_NAME];
	atomic_llong skew;                /* seconds to add to this machine's clock */
	atomic_bool bucket_exists;        /* an answer has shown it */
	atomic_int conditional_puts;      /* s3_answer */
	atomic_int conditional_deletes;   /* s3_answer */
	atomic_int conditional_completes; /* s3_answer: of multipart uploads */
	atomic_bool no_batches;           /* it has no DeleteObjects */
} s3_store;

/* ---- store_s3.c ---- */

void zinc_s3_region(s3_store *s, char out[S3_NAME]);
/* Remember the region that the server has named.  False: it is no region, or not a new one. */
bool zinc_s3_set_region(s3_store *s, const char *region);
/* "https://host/bucket/prefix/key?query"; `key` NULL: the bucket; `query` NULL: none. */
zinc_status zinc_s3_url(const s3_store *s, const char *key, const char *query, char **out, zinc_error *err);
zinc_status zinc_s3_sign(zinc_web *w, zinc_http_request *r, const char *url, bool away, const zinc_wait *wait,
			 zinc_error *err);
/* May credentials be sent to the target of a redirection from `from` to `to`? */
bool zinc_s3_same_service(const char *from, const char *to);

/* ---- store_s3_error.c ---- */

/* An error document.  Texts that are too long are cut. */
typedef struct s3_fault {
	char code[S3_NAME];
	char message[200]; /* printable ASCII */
	char request[S3_NAME];
	char region[S3_NAME];
} s3_fault;

/* Is it an error document, or the beginning of one? */
bool zinc_s3_may_be_error(const char *text, size_t n);
/* False: it is no error document. */
bool zinc_s3_parse_error(s3_fault *out, zinc_context *ctx, const char *text, size_t n);
zinc_web_verdict zinc_s3_judge(zinc_web *w, const zinc_web_answer *a, zinc_error *err);
/* The same where the caller needs the code. */
zinc_web_verdict zinc_s3_explain(s3_store *s, const zinc_web_answer *a, s3_fault *f, zinc_error *err);
/* Of requests that are no gets: zinc_web. */
zinc_status zinc_s3_call_fields(zinc_web *w, const zinc_web_call *c, zinc_http_request *out, zinc_error *err);
void zinc_s3_call_head(zinc_web *w, zinc_web_call *c, const zinc_http_head *h);
bool zinc_s3_call_is_error(zinc_web *w, const zinc_web_call *c);
zinc_web_verdict zinc_s3_call_judge(zinc_web *w, const zinc_web_answer *a, char code[ZINC_WEB_NAME], zinc_error *err);
extern const char *const zinc_s3_keep[];
#define S3_KEEP_REGION  0 /* indices in zinc_s3_keep */
#define S3_KEEP_WRITE   1
#define S3_KEEP_REQUEST 2
#define S3_KEEP_SUM     3

/* ---- store_s3_put.c, store_s3_del.c ---- */

zinc_status zinc_s3_put(void *self, zinc_put_group *group, const zinc_put *puts, size_t n, const zinc_done *done,
			uint32_t flags, const zinc_wait *wait, zinc_error *err);
zinc_status zinc_s3_del(void *self, zinc_put_group *group, const zinc_del *dels, size_t n, const zinc_done *done,
			uint32_t flags, const zinc_wait *wait, zinc_error *err);
/* E_NOTFOUND. */
zinc_status zinc_s3_stat(s3_store *s, const char *key, zinc_tag *tag, const zinc_wait *wait, zinc_error *err);
/* Does the condition hold now?  Others may change the value before the next request. */
zinc_status zinc_s3_check_value(s3_store *s, const char *key, const zinc_condition *when, const zinc_wait *wait,
				zinc_error *err);
/* May a change with this condition be sent?  Without conditions of the server, the value is compared. */
zinc_status zinc_s3_check_condition(s3_store *s, const char *key, const zinc_condition *when, const zinc_wait *wait,
				    zinc_error *err);
/* After a condition that does not hold, or an unknown outcome: was the write `c` executed?  Then ZINC_OK, and c->tag is
 * set; otherwise E_UNCERTAIN. */
zinc_status zinc_s3_resolve(s3_store *s, zinc_web_call *c, const zinc_wait *wait, zinc_error *err);
/* The answer to a DeleteObjects request: calls fn for each key, `code` NULL for a deleted one. */
typedef void (*s3_deleted_fn)(void *arg, const char *key, const char *code, const char *message);
zinc_status zinc_s3_parse_deleted(zinc_context *ctx, const char *text, size_t n, s3_deleted_fn fn, void *arg,
				  zinc_error *err);

/* ---- store_s3_test.c ---- */

bool zinc_s3_is_tested(const s3_store *s);
/* Does the server evaluate the conditions of puts (and of deletes)?  Tested once, beside the key. */
zinc_status zinc_s3_check_puts(s3_store *s, const char *key, const zinc_wait *wait, zinc_error *err);
zinc_status zinc_s3_check_deletes(s3_store *s, const char *key, const zinc_wait *wait, zinc_error *err);

/* ---- store_s3_parts.c ---- */

/* May the value be uploaded in parts?  With a condition only if the server evaluates it at the end of the upload. */
bool zinc_s3_may_use_parts(s3_store *s, const zinc_put *put, const zinc_wait *wait);
/* Put a large value by a multipart upload. */
zinc_status zinc_s3_put_parts(s3_store *s, const zinc_put *put, uint64_t nbytes, zinc_tag *tag, const zinc_wait *wait,
			      zinc_error *err);
zinc_status zinc_s3_scrub(void *self, const char *prefix, int remove, zinc_scrub_fn fn, void *arg,
			  const zinc_wait *wait, zinc_error *err);

/* ---- store_s3_list.c ---- */

zinc_status zinc_s3_walk(void *self, const char *prefix, const zinc_lister *to, const zinc_wait *wait, zinc_error *err);

/* E_CORRUPT if it is no complete answer.  Names may be anything. */
zinc_status zinc_s3_parse_page(zinc_web_page *out, const char *text, size_t n, zinc_error *err);

#endif
