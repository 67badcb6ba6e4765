/*
 * blobs.h - the Azure Blob Storage of tests (az_server.py), as a child process
 */
#ifndef BLOBS_H
#define BLOBS_H

#include "support/cloud.h"

#define BLOBS_KEY "Y2FuYXJ5IGtleSBvZiB0aGUgYWNjb3VudCBvZiB0aGUgdGVzdHM="
#define BLOBS_SAS "sv=2023-11-03&sig=canary%2Bsas%3D"

/* Removes all variables of Azure.  With `tls` over https, see web_start. */
void blobs_start(web *w, bool tls);

/* A store in the container "<quirk>-<number>", a new one each time; `query`: more settings ("&a=b"), or "". */
zinc_store *blobs_open(const web *w, const char *quirk, const char *query);
/* The same for az://<place>, with one secret setting (NULL: none); returns the status. */
zinc_status blobs_try(const web *w, const char *place, const char *query, const char *name, const char *value,
		      zinc_store **out, zinc_error *err);

#endif
