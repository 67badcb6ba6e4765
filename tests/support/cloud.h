/*
 * cloud.h - what the tests of s3, gs and az share: a server of cloud_server.py as a child process, and checks of stores
 * on it
 */
#ifndef CLOUD_H
#define CLOUD_H

#include "support/web.h"

/* Is a server possible: the libraries built in, and Python installed?  Otherwise tests are skipped. */
bool cloud_can(void);
/* Start a script without the variables `names` (ended by NULL), and without a home.  With `tls` over https, see
 * web_start. */
void cloud_start(web *w, const char *script, const char *const *names, bool tls);

/* "<quirk>-<number>", another name each time; and the last one. */
const char *cloud_new_bucket(const char *quirk);
const char *cloud_bucket(void);
/* What the server says of a bucket: "_log", "_open"; in static memory. */
const char *cloud_ask(const web *w, const char *what, const char *bucket);
/* All requests with method, key and query, one per line; and the number of those for the last bucket. */
const char *cloud_log(const web *w, const char *bucket);
int cloud_count(const web *w);
int lines_with(const char *text, const char *what);

/* Opens a store in the bucket "<quirk>-<number>", a new one each time; `query`: more settings ("&a=b"), or "". */
typedef zinc_store *(*cloud_open_fn)(const web *w, const char *quirk, const char *query);

/* One request; the error of a failure. */
zinc_found cloud_found(zinc_store *s, zinc_get r, zinc_error *err);
/* Put a value, by a proxy where nobody is. */
zinc_status put_with_proxy(const web *w, cloud_open_fn open, const char *query);
/* n bytes that do not repeat, to be freed. */
uint8_t *make_large(size_t n);

/* ---- listings ---- */

zinc_status count_keys(zinc_store *s, const char *prefix, int *n, zinc_error *err);
/* Ten keys below "d/" that have to be escaped. */
void put_ten(zinc_store *s);
/* With those and one more, everything is listed once.  Closes the store. */
void assert_pages_joined(zinc_store *s);

typedef struct hostile_list {
	const char *quirk;
	zinc_status st;
	const char *text; /* in the error */
	bool puts;        /* are possible */
} hostile_list;

/* Listing a bucket with this quirk fails so. */
void assert_lists_refused(const web *w, cloud_open_fn open, const hostile_list *all, size_t n);

#endif
