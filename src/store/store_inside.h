/*
 * store_inside.h - what the files of this room share
 */
#ifndef ZINC_STORE_INSIDE_H
#define ZINC_STORE_INSIDE_H

#include <stddef.h>

#include "store/store.h"

/* ---- the stores that are built in ---- */

extern const zinc_store_ops zinc_store_ops_fs, zinc_store_ops_memory;

/* Its del_prefix, by which it is known, and the same for zinc_store_erase_begin. */
zinc_status zinc_fs_del_prefix(void *self, const char *prefix, uint32_t flags, const zinc_wait *wait, zinc_error *err);
zinc_status zinc_fs_erase_begin(void *self, const char *prefix, zinc_put_group **group, uint32_t flags,
				const zinc_wait *wait, zinc_error *err);

/* The same of a part of a store (store_prefix.c). */
zinc_status zinc_prefix_del_prefix(void *self, const char *prefix, uint32_t flags, const zinc_wait *wait,
				   zinc_error *err);
zinc_status zinc_prefix_erase_begin(void *self, const char *prefix, zinc_put_group **group, uint32_t flags,
				    const zinc_wait *wait, zinc_error *err);

/* Open a directory as a store that never removes `keep` ("" or "a/b") or what lies above it. */
zinc_status zinc_fs_open_keeping(void **self, const char *root, const char *keep, const zinc_store_options *options,
				 zinc_error *err);
/* What the file system cannot hold though zinc_key_check lets it pass. */
zinc_status zinc_fs_key_check(const char *key, zinc_error *err);

/* ---- stores that are modules (store_module.c) ---- */

extern const zinc_store_ops zinc_store_ops_http, zinc_store_ops_https;

/* What a module exports: the build it is of, and its store for a scheme of its row; NULL when it is bound to another
 * library than the one whose zinc_build() that is. */
extern ZINC_MODULE_API const char zinc_module_build[];
typedef const zinc_store_ops *(*zinc_module_init_fn)(const char *build, const char *scheme);
ZINC_MODULE_API const zinc_store_ops *zinc_module_init(const char *build, const char *scheme);

/* The store for a scheme, or for an adapter, that a module has; *out NULL: no module has it.  E_UNSUPPORTED when it cannot
 * be loaded. */
zinc_status zinc_store_module_find(const zinc_store_ops **out, zinc_context *ctx, const char *name, size_t n,
				   bool adapter, zinc_error *err);
/* Is name[0..n) an adapter that names a version of Zarr (store_pipeline.c)? */
bool zinc_pipeline_is_format(const char *name, size_t n);
/* The rows of `zinc stores`; non-zero when fn was. */
int zinc_store_module_each(zinc_row_fn fn, void *arg);

/* Is scheme[0..n) one of the names in a list "a,b"?  Case does not matter. */
bool zinc_store_has_scheme(const char *list, const char *scheme, size_t n);

/* Is name[0..n) the name of a kind of store, modules included? */
bool zinc_store_is_name(const char *name, size_t n);
bool zinc_store_is_module_name(const char *name, size_t n);
/* The settings of one kind; non-zero when fn was. */
int zinc_store_row_settings(const zinc_store_ops *ops, zinc_setting_fn fn, void *arg);
/* The settings of modules that can be loaded; non-zero when fn was. */
int zinc_store_module_each_setting(zinc_context *ctx, zinc_setting_fn fn, void *arg);

/* Take the escapes out of s[0..n), and append it; of a path, without '?', '#' and an escaped '/'.  E_INVALID. */
ZINC_MODULE_API zinc_status zinc_url_unescape(zinc_buf *out, const char *s, size_t n, bool path, zinc_error *err);

/*
 * For `split` of stores that are files: *nbytes of "/d/x.db/a/b" are the file.  That is the first part of the path that is
 * a file now, else the first that has one of the endings (".db,.sqlite"), else all of it.
 */
ZINC_MODULE_API zinc_status zinc_url_split_file(const char *rest, const char *endings, zinc_context *ctx,
						size_t *nbytes, zinc_error *err);

/* ---- store.c ---- */

/* The store that answers for a slot: `s`, or where it has none and forwards, one below. */
zinc_store *zinc_store_owner(zinc_store *s, size_t slot);
#define ZINC_OWNER(s, slot) zinc_store_owner(s, offsetof(zinc_store_ops, slot))

/* Of a public call on a store: E_INVALID, naming the function, without a store or with a wait that cannot be. */
zinc_status zinc_store_call_check(const char *function, const zinc_store *s, const zinc_wait *wait, zinc_error *err);
#define ZINC_STORE_CALL(s, wait, err) zinc_store_call_check(__func__, s, wait, err)

/* E_INVALID unless what the caller says yes or no to is 1 or 0. */
zinc_status zinc_yes_no_check(const zinc_store *s, const char *name, int value, zinc_error *err);
/* E_INVALID for flags of puts that nobody knows. */
zinc_status zinc_put_flags_check(const zinc_store *s, uint32_t flags, zinc_error *err);
/* Name the place in the error and return `st`. */
zinc_status zinc_store_at(const zinc_store *s, const char *key, zinc_status st, zinc_error *err);
zinc_status zinc_store_refuse(const zinc_store *s, const char *key, zinc_error *err);

/* One byte for each of n things of a call: on the stack of the caller where they are few. */
#define ZINC_FEW_MARKS 64
uint8_t *zinc_marks_new(const zinc_store *s, uint8_t few[ZINC_FEW_MARKS], size_t n);
void zinc_marks_free(const zinc_store *s, const uint8_t *few, uint8_t *marks);

/* ---- delivering (store_sink.c; the rest is in store.h) ---- */

/* A place in an iovec list that a short read or write has reached. */
typedef struct zinc_iov_at {
	const struct iovec *iov;
	int n;       /* entries left */
	size_t skip; /* bytes of the first that are done */
} zinc_iov_at;

/* Entries for the next call, at most `max`; returns how many, 0 at the end. */
ZINC_MODULE_API int zinc_iov_next(const zinc_iov_at *at, struct iovec *out, int max);
ZINC_MODULE_API void zinc_iov_advance(zinc_iov_at *at, size_t nbytes);

#endif
