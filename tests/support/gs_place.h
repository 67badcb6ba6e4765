/*
 * gs_place.h - the Google Cloud Storage of tests (gs_server.py), as a child process
 */
#ifndef GS_PLACE_H
#define GS_PLACE_H

#include "support/web.h"

/* Is a server possible: the libraries built in, and Python installed?  Otherwise tests are skipped. */
bool gs_can(void);
/* Without any credentials in the environment.  With `tls` over https, see web_start. */
void gs_start(web *w, bool tls);
/* A store in the bucket "<quirk>-<number>", a new one each time; `query`: more settings ("&a=b"), or "". */
zinc_store *gs_new(const web *w, const char *quirk, const char *query);
/* The same for gs://<place>, with a token if `token`; returns the status. */
zinc_status gs_try(const web *w, const char *place, const char *query, const char *token, zinc_context *ctx,
		   zinc_store **out, zinc_error *err);
/* The name of the last bucket. */
const char *gs_bucket(void);
/* What the server says about it: requests one per line, and the number of uploads that are still open. */
const char *gs_log(const web *w, const char *bucket);
int gs_uploads(const web *w);

#endif
