/*
 * store_http.h - shared by the files of the http store
 */
#ifndef ZINC_STORE_HTTP_H
#define ZINC_STORE_HTTP_H

#include "store/store_web.h"

typedef struct http_store {
	zinc_web web;
	char *base;  /* "https://host/base", without a trailing slash */
	char *query; /* "?...", or "" */
	uint32_t parallel;
	bool writes, conditions;     /* from the settings */
	atomic_int conditions_state; /* result of the test of conditions: 0 not tested, 1 honoured, -1 ignored */
} http_store;

zinc_status zinc_http_put(void *self, zinc_put_group *group, const zinc_put *puts, size_t n, const zinc_done *done,
			  uint32_t flags, const zinc_wait *wait, zinc_error *err);
zinc_status zinc_http_del(void *self, zinc_put_group *group, const zinc_del *dels, size_t n, const zinc_done *done,
			  uint32_t flags, const zinc_wait *wait, zinc_error *err);

#endif
