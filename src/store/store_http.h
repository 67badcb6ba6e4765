/*
 * store_http.h - shared by the files of the http store
 */
#ifndef ZINC_STORE_HTTP_H
#define ZINC_STORE_HTTP_H

#include "net/net.h"
#include "store/store_inside.h"

/* What the answers have shown about the server. */
#define SEEN_NO_RANGES 1u
#define SEEN_TAG       2u
#define SEEN_NO_TAG    4u

typedef struct http_store {
	zinc_context *ctx;
	zinc_http *http;
	char *base;  /* "https://host/base", without a trailing slash */
	char *query; /* "?...", or "" */
	uint32_t parallel;
	bool writes, conditions; /* from the settings */
	atomic_uint seen;
	atomic_int conditions_state; /* result of the test of conditions: 0 not tested, 1 honoured, -1 ignored */
} http_store;

zinc_status zinc_http_key_url(const http_store *s, const char *key, char **out, zinc_error *err);
/* The tag of an answer: 'E' and the ETag, or 'M', the date of Last-Modified and the size; empty when the server sends
 * neither. */
void zinc_http_take_tag(http_store *s, const zinc_http_head *h, uint64_t size, zinc_tag *out);
/* Add the condition that the value has this tag; NULL: no condition. */
zinc_status zinc_http_add_condition(zinc_http_request *out, const zinc_tag *tag, zinc_error *err);

zinc_status zinc_http_get(void *self, const zinc_get *requests, size_t n, const zinc_sink *sink, const zinc_wait *wait,
			  zinc_error *err);
zinc_status zinc_http_put(void *self, zinc_put_group *group, const zinc_put *puts, size_t n, const zinc_done *done,
			  uint32_t flags, const zinc_wait *wait, zinc_error *err);
zinc_status zinc_http_del(void *self, zinc_put_group *group, const zinc_del *dels, size_t n, const zinc_done *done,
			  uint32_t flags, const zinc_wait *wait, zinc_error *err);

#endif
