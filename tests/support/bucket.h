/*
 * bucket.h - the S3 server of tests (s3_server.py), as a child process
 */
#ifndef BUCKET_H
#define BUCKET_H

#include "support/cloud.h"

#define BUCKET_ID     "AKIDEXAMPLE"
#define BUCKET_SECRET "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"

/* With `tls` over https, see web_start. */
void bucket_start(web *w, bool tls);

/* A store in the bucket "<quirk>-<number>", a new one each time; `query`: more settings ("&a=b"), or "". */
zinc_store *bucket_open(const web *w, const char *quirk, const char *query);
/* The same for s3://<place>, with the keys above if `keys`; returns the status. */
zinc_status bucket_try(const web *w, const char *place, const char *query, bool keys, zinc_store **out,
		       zinc_error *err);

#endif
