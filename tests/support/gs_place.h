/*
 * gs_place.h - the Google Cloud Storage of tests (gs_server.py), as a child process
 */
#ifndef GS_PLACE_H
#define GS_PLACE_H

#include "support/cloud.h"

/* Without any credentials in the environment.  With `tls` over https, see web_start. */
void gs_start(web *w, bool tls);
/* A store in the bucket "<quirk>-<number>", a new one each time; `query`: more settings ("&a=b"), or "". */
zinc_store *gs_new(const web *w, const char *quirk, const char *query);
/* The same for gs://<place>, with a token if `token`; returns the status. */
zinc_status gs_try(const web *w, const char *place, const char *query, const char *token, zinc_context *ctx,
		   zinc_store **out, zinc_error *err);
/* The number of uploads that are still open in the last bucket. */
int gs_uploads(const web *w);

#endif
