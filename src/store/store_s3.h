/*
 * store_s3.h - shared by the files of the s3 store
 */
#ifndef ZINC_STORE_S3_H
#define ZINC_STORE_S3_H

#include "store/store_web.h"

#define S3_NAME 64 /* bytes of a region or of an error code, with a NUL */

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
	int retries;
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
extern const char *const zinc_s3_keep[];
#define S3_KEEP_REGION  0 /* indices in zinc_s3_keep */
#define S3_KEEP_WRITE   1
#define S3_KEEP_REQUEST 2
#define S3_KEEP_SUM     3

/* ---- store_s3_call.c ---- */

/* One request that is no get, and its answer. */
typedef struct s3_call {
	const char *method;
	const char *key;   /* NULL: the bucket */
	const char *query; /* NULL: none */
	const struct iovec *body;
	int nbody;
	bool sends;                 /* it has a body, perhaps of 0 bytes */
	bool repeats;               /* a POST that may be executed twice */
	bool reads;                 /* the text of the answer is needed, also if it is no error */
	const char *md5;            /* Content-MD5; NULL: none */
	const char *sha256;         /* x-amz-checksum-sha256; NULL: none */
	const zinc_condition *when; /* NULL: any */
	const char *write;          /* x-amz-meta-zinc-write; NULL: none */
	size_t i;                   /* the caller's */
	/* the answer */
	int status;      /* HTTP */
	int unknown;     /* tries of a change that may have been executed */
	uint64_t length; /* of the text */
	int64_t date;
	zinc_tag tag;
	char own_write[40];
	char found_write[S3_NAME]; /* of the value, for HEAD */
	char code[S3_NAME];        /* of an error */
	zinc_buf text;
	zinc_status result;
	/* of store_s3_call.c */
	zinc_status cut; /* why the text is not complete */
	zinc_http_head *head;
	char *url;
	int rounds;
} s3_call;

/* Calls that run at once. */
typedef struct s3_calls {
	s3_store *store;
	s3_call *all;
	size_t n;
	/* A call has ended.  E_NOTFOUND: no such key; E_EXISTS, E_CONFLICT: the condition does not hold. */
	void (*ended)(void *arg, s3_call *c, const zinc_error *err);
	size_t (*more)(void *arg); /* NULL, or as zinc_http_user.more */
	void *arg;
	const zinc_wait *wait;
} s3_calls;

/* Runs all.  Fails only before the first is sent, and then none has ended. */
zinc_status zinc_s3_run(s3_calls *calls, zinc_error *err);
/* Run one; returns its result. */
zinc_status zinc_s3_one(s3_store *s, s3_call *c, const zinc_wait *wait, zinc_error *err);
/* zinc_s3_run does this for its first n calls; `more` must for others. */
void zinc_s3_call_init(const s3_store *s, s3_call *c);
void zinc_s3_call_fini(s3_store *s, s3_call *c);
/* A number that no other write has. */
void zinc_s3_write_id(char out[40]);
/* A deadline for cleaning up after a failure. */
zinc_wait zinc_s3_clean_up(const s3_store *s);

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
zinc_status zinc_s3_resolve(s3_store *s, s3_call *c, const zinc_wait *wait, zinc_error *err);
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

/* One page of a listing: of keys, or of uploads. */
typedef struct s3_page {
	zinc_buf names;   /* "name\0" after each other, without escapes */
	zinc_buf entries; /* s3_entry */
	bool truncated;
	zinc_buf next;    /* continuation token, or the key to go on after */
	zinc_buf next_id; /* of uploads: the upload to go on after */
} s3_page;
typedef struct s3_entry {
	size_t name; /* offset in `names` */
	size_t id;   /* of an upload: offset in `names` */
	uint64_t nbytes;
	int64_t begun; /* of an upload: seconds since 1970; -1: unknown */
	bool is_prefix;
} s3_entry;
void zinc_s3_page_init(s3_page *p, zinc_context *ctx);
void zinc_s3_page_fini(s3_page *p);
/* E_CORRUPT if it is no complete answer.  Names may be anything. */
zinc_status zinc_s3_parse_page(s3_page *out, const char *text, size_t n, zinc_error *err);

#endif
