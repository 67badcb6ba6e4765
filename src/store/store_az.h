/*
 * store_az.h - shared by the files of the az store
 */
#ifndef ZINC_STORE_AZ_H
#define ZINC_STORE_AZ_H

#include "store/store_web.h"

typedef struct az_store {
	zinc_web web;
	zinc_azure *azure;
	char *base;   /* "https://account.blob.core.windows.net/container" */
	char *prefix; /* of all keys: "" or "a/b/" */
	bool https, allow_http;
	bool local;        /* the endpoint is on this machine, and no proxy is between */
	atomic_bool signs; /* the last request was signed */
	uint32_t parallel;
	uint64_t block_bytes;
	atomic_llong skew;      /* seconds to add to this machine's clock */
	atomic_bool no_batches; /* of zinc_web_del */
} az_store;

/* ---- store_az.c ---- */

zinc_status zinc_az_sign(zinc_web *w, zinc_http_request *r, const char *url, bool away, const zinc_wait *wait,
			 zinc_error *err);
int64_t zinc_az_clock(const az_store *s);

/* ---- store_az_place.c ---- */

/* Where a URL leads: "container/a/b", or "container@account.dfs.core.windows.net/a/b". */
typedef struct az_place {
	char *container, *prefix;
	char *account;  /* NULL: the URL does not name it */
	char *endpoint; /* NULL as well */
} az_place;

/* E_INVALID.  Fini it also after a failure. */
zinc_status zinc_az_place(az_place *out, zinc_context *ctx, const char *rest, zinc_error *err);
void zinc_az_place_fini(az_place *p, zinc_context *ctx);
/* Is it https, and one of Azure's hosts? */
bool zinc_az_is_azure(const char *endpoint);
/* The account that an endpoint names, in its host or (on this machine) its path; *out NULL: none. */
zinc_status zinc_az_account_of(zinc_context *ctx, const char *endpoint, char **out, zinc_error *err);

/* ---- store_az_error.c ---- */

/* An error document.  Texts that are too long are cut. */
typedef struct az_fault {
	char code[ZINC_WEB_NAME];
	char message[200]; /* printable ASCII */
	char detail[200];  /* of a failed authentication */
} az_fault;

/* False: it is no error document. */
bool zinc_az_parse_error(az_fault *out, zinc_context *ctx, const char *text, size_t n);
zinc_web_verdict zinc_az_judge(zinc_web *w, const zinc_web_answer *a, zinc_error *err);
zinc_web_verdict zinc_az_call_judge(zinc_web *w, const zinc_web_answer *a, char code[ZINC_WEB_NAME], zinc_error *err);
extern const char *const zinc_az_keep[];
#define AZ_KEEP_CODE    0 /* indices in zinc_az_keep */
#define AZ_KEEP_WRITE   1
#define AZ_KEEP_REQUEST 2
#define AZ_KEEP_FOLDER  3
#define AZ_KEEP_MD5     4

/* ---- store_az_put.c, store_az_del.c ---- */

zinc_status zinc_az_put(void *self, zinc_put_group *group, const zinc_put *puts, size_t n, const zinc_done *done,
			uint32_t flags, const zinc_wait *wait, zinc_error *err);
zinc_status zinc_az_del(void *self, zinc_put_group *group, const zinc_del *dels, size_t n, const zinc_done *done,
			uint32_t flags, const zinc_wait *wait, zinc_error *err);
/* Does the condition hold now?  Others may change the value before the next request. */
zinc_status zinc_az_check_value(az_store *s, const char *key, const zinc_condition *when, const zinc_wait *wait,
				zinc_error *err);
/* After a condition that does not hold, or an unknown outcome: was the write `c` executed?  Then ZINC_OK, and c->tag is
 * set; otherwise E_UNCERTAIN. */
zinc_status zinc_az_resolve(zinc_web *w, zinc_web_call *c, const zinc_wait *wait, zinc_error *err);
/* A value by one request. */
zinc_status zinc_az_put_whole(az_store *s, const zinc_put *put, zinc_tag *tag, const zinc_wait *wait, zinc_error *err);

/* ---- store_az_blocks.c ---- */

/* Put a large value in blocks. */
zinc_status zinc_az_put_blocks(az_store *s, const zinc_put *put, uint64_t nbytes, zinc_tag *tag, const zinc_wait *wait,
			       zinc_error *err);

/* ---- store_az_list.c ---- */

zinc_status zinc_az_walk(void *self, const char *prefix, const zinc_lister *to, const zinc_wait *wait, zinc_error *err);
/* E_CORRUPT if it is no complete answer.  Names may be anything.  *folders: the account has directories of its own. */
zinc_status zinc_az_parse_page(zinc_web_page *out, bool *folders, const char *text, size_t n, zinc_error *err);

#endif
