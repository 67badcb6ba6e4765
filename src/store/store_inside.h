/*
 * store_inside.h - what the files of this room share
 */
#ifndef ZINC_STORE_INSIDE_H
#define ZINC_STORE_INSIDE_H

#include "store/store.h"

/* ---- the stores that are built in ---- */

extern const zinc_store_ops zinc_store_ops_fs, zinc_store_ops_memory;

/* Open a directory as a store that never removes `keep` ("" or "a/b") or what lies above it. */
zinc_status zinc_fs_open_keeping(void **self, const char *root, const char *keep, const zinc_store_options *options,
				 zinc_error *err);
/* What the file system cannot hold though zinc_key_check lets it pass. */
zinc_status zinc_fs_key_check(const char *key, zinc_error *err);

/* Guards the table of schemes and the memory stores' names. */
void zinc_store_lock_names(void);
void zinc_store_unlock_names(void);

/* ---- store.c ---- */

/* Name the place in the error and return `st`. */
zinc_status zinc_store_at(const zinc_store *s, const char *key, zinc_status st, zinc_error *err);
zinc_status zinc_store_check_key(const zinc_store *s, const char *key, zinc_error *err);
zinc_status zinc_store_refuse(const zinc_store *s, const char *key, zinc_error *err);

/* ---- delivering (store_sink.c; the rest is in store.h) ---- */

/* A place in an iovec list that a short read or write has reached. */
typedef struct zinc_iov_at {
	const struct iovec *iov;
	int n;       /* entries left */
	size_t skip; /* bytes of the first that are done */
} zinc_iov_at;

/* Entries for the next call, at most `max`; returns how many, 0 at the end. */
int zinc_iov_next(const zinc_iov_at *at, struct iovec *out, int max);
void zinc_iov_advance(zinc_iov_at *at, size_t nbytes);

#endif
