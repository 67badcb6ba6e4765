/*
 * store_web.h - what stores on web servers share: reading values (store_web.c), all other requests (store_web_call.c), many
 * puts and deletes at once (store_web_put.c, store_web_del.c), listings page by page (store_web_list.c)
 */
#ifndef ZINC_STORE_WEB_H
#define ZINC_STORE_WEB_H

#include "net/net.h"
#include "store/store_inside.h"

/* Bytes that one round trip costs, on a line of 10 ms and 1 Gbit/s. */
#define ZINC_WEB_MERGE_GAP    ZINC_MIB
#define ZINC_WEB_MAX_PARALLEL 1000
#define ZINC_WEB_NAME         64 /* bytes of a write id or of an error code, with a NUL */

/* What the answers have shown about the server. */
#define SEEN_NO_RANGES 1u
#define SEEN_TAG       2u
#define SEEN_NO_TAG    4u

/* What to do about an answer without a value. */
typedef enum zinc_web_verdict {
	ZINC_WEB_FAILED = 0, /* the error says why */
	ZINC_WEB_MISSING,
	ZINC_WEB_AGAIN,  /* send the request again: the next one is signed in another way */
	ZINC_WEB_LATER,  /* the same, after a pause */
	ZINC_WEB_READ,   /* an answer to HEAD does not say why: ask with GET */
	ZINC_WEB_UNMET,  /* of a change: its condition does not hold */
	ZINC_WEB_REFUSED /* FAILED, and not because of its condition, whatever the status says */
} zinc_web_verdict;

/* An answer with another status than 200, 203, 206. */
typedef struct zinc_web_answer {
	const zinc_http_head *head;
	const char *key;
	const char *method;
	zinc_bytes text;
	bool bare;             /* an answer to HEAD: it has no text */
	bool lists;            /* the request was for a listing */
	int rounds;            /* answers of this request that were judged before */
	const zinc_wait *wait; /* of the call */
} zinc_web_answer;

/* A server.  Stores have it as their first member. */
typedef struct zinc_web zinc_web;
typedef struct zinc_web_call zinc_web_call;
struct zinc_web {
	zinc_context *ctx;
	zinc_http *http;
	atomic_uint seen;
	bool dated_tags;         /* an ETag may be no more than the date, in seconds, and the size (nginx) */
	bool any_encoding;       /* a Content-Encoding is only a remark of whoever stored the value */
	const char *const *keep; /* fields of heads for judge() */
	/* NULL, or a field of a request that lets the server send the CRC-32C of a whole value, in base64, as the kept
	 * field with this index.  Others send it in any case: sum_name. */
	const char *sum_field, *sum_value;
	int sum_kept;
	const char *sum_name; /* NULL, or what is before the checksum in that field: "crc32c=" */
	/* Accept-Encoding of gets; NULL: "identity". */
	const char *encoding;
	/* 0, or 1 and the index of a kept field that names the generation of the value: the tag. */
	int tag_kept;
	/* `if_tag` may be part of the URL, or of the fields that zinc_web_add_condition adds; NULL: none. */
	zinc_status (*key_url)(const zinc_web *w, const char *key, const zinc_tag *if_tag, char **out, zinc_error *err);
	bool no_suffix;        /* the server has no "last n bytes": it is asked for the size first */
	bool unmet_if_missing; /* a condition on a missing key may be 412 instead of 404 */
	/* NULL, or: is this successful answer that of a directory, which is no key? */
	bool (*is_directory)(const zinc_web *w, const zinc_http_head *h);
	/* NULL, or: why the value of a successful answer cannot be used; NULL: it can. */
	const char *(*refuse)(const zinc_web *w, const zinc_http_head *h);
	/* NULL, or: as zinc_http_user.sign; `wait` is that of the call. */
	zinc_status (*sign)(zinc_web *w, zinc_http_request *r, const char *url, bool away, const zinc_wait *wait,
			    zinc_error *err);
	/* NULL: 404 and 410 are "missing". */
	zinc_web_verdict (*judge)(zinc_web *w, const zinc_web_answer *a, zinc_error *err);

	/* Of requests that are no gets; NULL where the store has none. */
	int retries;                  /* of one request, as those of its client */
	const char *const *call_keep; /* fields of heads */
	int call_service;             /* zinc_http_request.service, of changes */
	zinc_status (*call_url)(zinc_web *w, const zinc_web_call *c, char **out, zinc_error *err);
	/* Add the fields of the condition and of the write id. */
	zinc_status (*call_fields)(zinc_web *w, const zinc_web_call *c, zinc_http_request *out, zinc_error *err);
	/* NULL, or: take what the head of a successful answer says: the tag, the write id. */
	void (*call_head)(zinc_web *w, zinc_web_call *c, const zinc_http_head *h);
	/* NULL, or: is the text of an answer of status 2xx an error? */
	bool (*call_is_error)(zinc_web *w, const zinc_web_call *c);
	/* NULL, or: take what the text of a successful answer says.  A failure means that the outcome is unknown. */
	zinc_status (*call_text)(zinc_web *w, zinc_web_call *c, zinc_error *err);
	/* As judge, with the code of the error. */
	zinc_web_verdict (*call_judge)(zinc_web *w, const zinc_web_answer *a, char code[ZINC_WEB_NAME],
				       zinc_error *err);
};

/* The get slot. */
zinc_status zinc_web_get(void *self, const zinc_get *requests, size_t n, const zinc_sink *sink, const zinc_wait *wait,
			 zinc_error *err);

/* The tag of an answer: 'E' and the ETag, or 'M', the date of Last-Modified and the size; empty when the server sends
 * neither. */
void zinc_web_take_tag(zinc_web *w, const zinc_http_head *h, uint64_t size, zinc_tag *out);
/* Add the condition that the value has this tag; NULL: no condition. */
zinc_status zinc_web_add_condition(zinc_http_request *out, const zinc_tag *tag, zinc_error *err);
/* Append a key, with everything escaped that RFC 3986 does not allow in a path. */
zinc_status zinc_web_escape(zinc_buf *out, const char *key, zinc_error *err);

/* ---- store_web_call.c: requests that are no gets ---- */

typedef struct zinc_web_field {
	const char *name, *value;
} zinc_web_field;

/* One request, and its answer. */
struct zinc_web_call {
	const char *method;
	const char *key;   /* NULL: the bucket */
	const char *query; /* NULL: none */
	const char *place; /* NULL, or for the store: another URL than that of the key */
	const struct iovec *body;
	int nbody;
	bool sends;                   /* it has a body, perhaps of 0 bytes */
	bool repeats;                 /* a POST that may be executed twice */
	bool once;                    /* never send it again if it may have been executed */
	bool reads;                   /* the text of the answer is needed, also if it is no error */
	size_t most;                  /* bytes of that text; 0: 64 MiB */
	int also;                     /* a status that is a success besides 2xx; 0: none */
	int kind;                     /* the store's */
	const zinc_web_field *fields; /* of the request, besides those of call_fields */
	size_t nfields;
	const zinc_condition *when; /* NULL: any */
	const char *write;          /* id of the write, which the value keeps; NULL: none */
	char sum[16];               /* of the body, for the store; or of the value that the answer is about */
	zinc_buf *location;         /* NULL, or takes the whole field Location of the answer */
	size_t i;                   /* the caller's */
	void *own;                  /* NULL, or memory that is freed with the call */
	/* the answer */
	int status;      /* HTTP */
	int unknown;     /* tries of a change that may have been executed */
	uint64_t length; /* of the text */
	int64_t date;
	zinc_tag tag;
	char own_write[40];
	char found_write[ZINC_WEB_NAME]; /* of the value */
	char code[ZINC_WEB_NAME];        /* of an error */
	char note[ZINC_HTTP_VALUE];      /* for the store: of the head */
	zinc_buf text;
	zinc_status result;
	/* of store_web_call.c */
	zinc_status cut; /* why the text is not complete */
	zinc_http_head *head;
	char *url;
	int rounds;
};

/* Calls that run at once. */
typedef struct zinc_web_calls {
	zinc_web *web;
	zinc_web_call *all;
	size_t n;
	/* A call has ended.  E_NOTFOUND: no such key; E_EXISTS, E_CONFLICT: the condition does not hold. */
	void (*ended)(void *arg, zinc_web_call *c, const zinc_error *err);
	size_t (*more)(void *arg); /* NULL, or as zinc_http_user.more */
	void *arg;
	const zinc_wait *wait;
} zinc_web_calls;

/* Runs all.  Fails only before the first is sent, and then none has ended. */
zinc_status zinc_web_run(zinc_web_calls *calls, zinc_error *err);
/* Run one; returns its result. */
zinc_status zinc_web_one(zinc_web *w, zinc_web_call *c, const zinc_wait *wait, zinc_error *err);
/* zinc_web_run does this for its first n calls; `more` must for others. */
void zinc_web_call_init(const zinc_web *w, zinc_web_call *c);
void zinc_web_call_fini(zinc_web *w, zinc_web_call *c);
/* The error E_UNCERTAIN, after the question whether a change was made: it failed (`st`), or the value is another one. */
zinc_status zinc_web_unresolved(zinc_status st, const zinc_error *why, zinc_error *err);
/* The error of a change that was not sent, because the test of the server before it failed: `why`. */
zinc_status zinc_web_untested(const zinc_error *why, const zinc_wait *wait, zinc_error *err);
/* A number that no other write has. */
void zinc_web_write_id(char out[40]);
/* A deadline for cleaning up after a failure. */
zinc_wait zinc_web_clean_up(const zinc_web *w);

/* ---- store_web_put.c ---- */

typedef struct zinc_web_put_ops {
	/* Make the call of a put by one request.  False: it needs several, or a check before. */
	bool (*begin)(zinc_web *w, zinc_web_call *c, const zinc_put *p);
	/* All of a put, step by step. */
	zinc_status (*alone)(zinc_web *w, const zinc_put *p, zinc_tag *tag, const zinc_wait *wait, zinc_error *err);
	/* After an unknown outcome of a call with a write id: was it executed?  Then ZINC_OK, and c->tag is set;
	 * otherwise E_UNCERTAIN. */
	zinc_status (*resolve)(zinc_web *w, zinc_web_call *c, const zinc_wait *wait, zinc_error *err);
} zinc_web_put_ops;

/* The put slot. */
zinc_status zinc_web_put(zinc_web *w, const zinc_web_put_ops *ops, const zinc_put *puts, size_t n,
			 const zinc_done *done, const zinc_wait *wait, zinc_error *err);
/* NULL: none. */
const zinc_condition *zinc_web_condition(const zinc_condition *when);
/* Bytes offset .. offset+nbytes-1 of a put, as pieces that are freed with zinc_free. */
zinc_status zinc_web_slice(zinc_context *ctx, const zinc_put *put, uint64_t offset, uint64_t nbytes, struct iovec **out,
			   int *nout, zinc_error *err);

/* ---- store_web_del.c ---- */

/* One call of del. */
typedef struct zinc_web_dels zinc_web_dels;

typedef struct zinc_web_del_ops {
	size_t batch; /* keys of one request for many */
	size_t few;   /* so many are deleted one by one, at once */
	/* Before a conditional delete: may it be sent?  Its result otherwise; `only`: that was all of it. */
	zinc_status (*check)(zinc_web *w, const zinc_del *d, bool *only, const zinc_wait *wait, zinc_error *err);
	/* NULL, or: delete the keys dels[at[0..n-1]], sorted by key, by one request, and report each.  What is not
	 * reported is deleted one by one.  False: this server has no such request. */
	bool (*many)(zinc_web_dels *r, const size_t *at, size_t n);
	bool no_conditions; /* conditions are checked before, and not sent */
} zinc_web_del_ops;

struct zinc_web_dels {
	zinc_web *web;
	const zinc_web_del_ops *ops;
	const zinc_del *dels;
	const zinc_done *done;
	const zinc_wait *wait;
	uint8_t *reported;
};

/* The del slot.  *no_batches is set when `many` has returned false. */
zinc_status zinc_web_del(zinc_web *w, const zinc_web_del_ops *ops, atomic_bool *no_batches, const zinc_del *dels,
			 size_t n, const zinc_done *done, const zinc_wait *wait, zinc_error *err);
void zinc_web_report_del(const zinc_web_dels *r, size_t i, zinc_status st, const zinc_error *err);

/* ---- store_web_list.c ---- */

/* One page of a listing: of keys, or of uploads. */
typedef struct zinc_web_page {
	zinc_buf names;   /* "name\0" after each other, without escapes */
	zinc_buf entries; /* zinc_web_entry */
	bool truncated;
	zinc_buf next;    /* continuation token, or the key to go on after */
	zinc_buf next_id; /* of uploads: the upload to go on after */
} zinc_web_page;
typedef struct zinc_web_entry {
	size_t name; /* offset in `names` */
	size_t id;   /* of an upload: offset in `names` */
	uint64_t nbytes;
	int64_t begun; /* of an upload: seconds since 1970; -1: unknown */
	bool is_prefix;
} zinc_web_entry;
void zinc_web_page_init(zinc_web_page *p, zinc_context *ctx);
void zinc_web_page_fini(zinc_web_page *p);
/* Append a name, with a NUL; its offset in *at.  E_CORRUPT if it has a NUL itself. */
zinc_status zinc_web_page_name(zinc_web_page *p, const void *name, size_t n, size_t *at, zinc_error *err);

/* One listing. */
typedef struct zinc_web_listing {
	zinc_web *web;
	const char *base;   /* prefix of all keys of the store: "" or "a/b/" */
	const char *prefix; /* the caller's */
	const zinc_lister *to;
	const zinc_wait *wait;
	/* Get the next page; `token` NULL: the first. */
	zinc_status (*get)(struct zinc_web_listing *l, const zinc_buf *token, zinc_web_page *out, zinc_error *err);
	const char *disorder; /* who lists out of order, for the error; "": nobody known */
	bool unordered; /* set by get before the first entry: the server has another order, so all pages are sorted */
	/* of store_web_list.c */
	zinc_web_page page;
	zinc_buf token; /* of the current page */
	zinc_buf last;  /* the last name */
	zinc_buf early; /* the token of an earlier page, of number 1, 2, 4, 8 ... */
	uint64_t pages; /* tokens so far */
	int empty;      /* pages without an entry */
	bool stop;
	zinc_error *err;
} zinc_web_listing;

/* The walk slot: all pages.  Members from web to disorder are set. */
zinc_status zinc_web_walk(zinc_web_listing *l, zinc_error *err);

/* ---- store_web_place.c ---- */

/* "a/b" and "a/b/" -> "a/b/"; "a/b//" names other objects and is refused. */
zinc_status zinc_web_prefix(zinc_context *ctx, const char *path, size_t max, char **out, zinc_error *err);
/* "host", "https://host:port/" -> "https://host:port"; `setting` is for the error.  With `path` it may have one. */
zinc_status zinc_web_endpoint(zinc_context *ctx, const char *text, const char *setting, bool path, char **out,
			      zinc_error *err);
/* "host:port" of "https://host:port/path" */
zinc_bytes zinc_web_host(const char *url);
/* Is it this machine? */
bool zinc_web_is_loopback(const char *url);
/* Rows of the settings that all stores over http have. */
/* clang-format off */
#define ZINC_WEB_SETTINGS(retries_preset) \
	{.name = "timeout", .type = ZINC_SETTING_SECONDS, .preset = "30", \
	 .purpose = "seconds without data before a request is retried"}, \
	{.name = "retries", .type = ZINC_SETTING_COUNT, .preset = (retries_preset), \
	 .purpose = "retries of one request"}, \
	{.name = "parallel", .type = ZINC_SETTING_COUNT, .preset = "64", \
	 .purpose = "requests kept open at once, 1 to 1000"}
/* clang-format on */
/* Take them; `store` is for the error.  E_INVALID. */
zinc_status zinc_web_config(const zinc_store_options *o, const char *store, zinc_http_config *out, zinc_error *err);
/* A setting in MiB that must be min to max, as bytes. */
zinc_status zinc_web_mib(const zinc_store_options *o, const char *store, const char *name, unsigned min, unsigned max,
			 uint64_t *out, zinc_error *err);
/* Does the URL's query have this setting? */
bool zinc_web_of_url(const zinc_store_options *o, const char *name);
/* A setting that is yes or no, or `other` (-1) if that is not NULL. */
zinc_status zinc_web_three_way(const zinc_store_options *o, const char *store, const char *name, const char *other,
			       int *out, zinc_error *err);
/* The server's words may be anything: as printable ASCII, cut. */
void zinc_web_printable(char *out, size_t cap, const void *text, size_t n);

#endif
