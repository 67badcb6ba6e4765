/*
 * store_web.h - reading values from web servers, for the http and the s3 store
 */
#ifndef ZINC_STORE_WEB_H
#define ZINC_STORE_WEB_H

#include "net/net.h"
#include "store/store_inside.h"

/* Bytes that one round trip costs, on a line of 10 ms and 1 Gbit/s. */
#define ZINC_WEB_MERGE_GAP    ZINC_MIB
#define ZINC_WEB_MAX_PARALLEL 1000

/* What the answers have shown about the server. */
#define SEEN_NO_RANGES 1u
#define SEEN_TAG       2u
#define SEEN_NO_TAG    4u

/* What to do about an answer without a value. */
typedef enum zinc_web_verdict {
	ZINC_WEB_FAILED = 0, /* the error says why */
	ZINC_WEB_MISSING,
	ZINC_WEB_AGAIN, /* send the request again: the next one is signed in another way */
	ZINC_WEB_LATER, /* the same, after a pause */
	ZINC_WEB_READ   /* an answer to HEAD does not say why: ask with GET */
} zinc_web_verdict;

/* An answer with another status than 200, 203, 206. */
typedef struct zinc_web_answer {
	const zinc_http_head *head;
	const char *key;
	zinc_bytes text;
	bool bare;  /* an answer to HEAD: it has no text */
	bool lists; /* the request was for a listing */
	int rounds; /* answers of this request that were judged before */
} zinc_web_answer;

/* A server.  Stores have it as their first member. */
typedef struct zinc_web zinc_web;
struct zinc_web {
	zinc_context *ctx;
	zinc_http *http;
	atomic_uint seen;
	bool any_encoding;       /* a Content-Encoding is only a remark of whoever stored the value */
	const char *const *keep; /* fields of heads for judge() */
	/* NULL, or a field of a request that lets the server send the CRC-32C of a whole value, in base64, as the kept
	 * field with this index. */
	const char *sum_field, *sum_value;
	int sum_kept;
	zinc_status (*key_url)(const zinc_web *w, const char *key, char **out, zinc_error *err);
	/* NULL, or: as zinc_http_user.sign; `wait` is that of the call. */
	zinc_status (*sign)(zinc_web *w, zinc_http_request *r, const char *url, bool away, const zinc_wait *wait,
			    zinc_error *err);
	/* NULL: 404 and 410 are "missing". */
	zinc_web_verdict (*judge)(zinc_web *w, const zinc_web_answer *a, zinc_error *err);
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

#endif
