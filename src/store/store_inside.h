/*
 * store_inside.h - shared by the files of this room
 */
#ifndef ZINC_STORE_INSIDE_H
#define ZINC_STORE_INSIDE_H

#include <stddef.h>

#include "store/store.h"

/* ---- the stores that are built in ---- */

extern const zinc_store_ops zinc_store_ops_fs, zinc_store_ops_memory, zinc_store_ops_cache, zinc_store_ops_zip;

/* The del_prefix slot of the file system store, and its form of zinc_store_erase_begin.  The slot also identifies the
 * store. */
zinc_status zinc_fs_del_prefix(void *self, const char *prefix, uint32_t flags, const zinc_wait *wait, zinc_error *err);
zinc_status zinc_fs_erase_begin(void *self, const char *prefix, zinc_put_group **group, uint32_t flags,
				const zinc_wait *wait, zinc_error *err);

/* The same for a store below a prefix (store_prefix.c). */
zinc_status zinc_prefix_del_prefix(void *self, const char *prefix, uint32_t flags, const zinc_wait *wait,
				   zinc_error *err);
zinc_status zinc_prefix_erase_begin(void *self, const char *prefix, zinc_put_group **group, uint32_t flags,
				    const zinc_wait *wait, zinc_error *err);

/* The store below a prefix. */
zinc_store *zinc_prefix_next(void *self);

/* The forms of zinc_store_hold and zinc_store_release of the zip store. */
zinc_status zinc_zip_hold(void *self, const zinc_wait *wait, zinc_error *err);
zinc_status zinc_zip_release(void *self, bool keep, uint32_t flags, const zinc_wait *wait, zinc_error *err);

/* An archive was released below `s`, which changes values without a call of a slot: caches on the way learn of it. */
void zinc_cached_released(zinc_store *s);

/* Open a directory as a store that never removes the directory `keep` ("" or "a/b") or one above it. */
zinc_status zinc_fs_open_keeping(void **self, const char *root, const char *keep, const zinc_store_options *options,
				 zinc_error *err);
/* Reject keys that zinc_key_check accepts and a file system cannot hold. */
zinc_status zinc_fs_key_check(const char *key, zinc_error *err);
/* The store that a read-only one wraps; `s` itself if it is none (store_readonly.c). */
zinc_store *zinc_store_below_readonly(zinc_store *s);

/* ---- stores that are modules (store_module.c) ---- */

extern const zinc_store_ops zinc_store_ops_http, zinc_store_ops_https, zinc_store_ops_s3, zinc_store_ops_gs,
    zinc_store_ops_az, zinc_store_ops_sqlite, zinc_store_ops_lmdb, zinc_store_ops_postgresql, zinc_store_ops_mongodb,
    zinc_store_ops_mongodb_srv;
extern const zinc_store_ops zinc_store_ops_redis, zinc_store_ops_rediss;
extern const zinc_store_ops zinc_store_ops_leveldb, zinc_store_ops_berkeleydb, zinc_store_ops_kyotocabinet,
    zinc_store_ops_tokyocabinet;

/* What a module exports: the build it belongs to, and its store for a scheme.  zinc_module_init returns NULL when the
 * module is linked with another library than the one whose zinc_build() is passed. */
extern ZINC_MODULE_API const char zinc_module_build[];
typedef const zinc_store_ops *(*zinc_module_init_fn)(const char *build, const char *scheme);
ZINC_MODULE_API const zinc_store_ops *zinc_module_init(const char *build, const char *scheme);

/* The end of a module's file: what the loader looks for.  The same file in an archive, for programs with libzinc.a, has the
 * function that registers the store instead.  A module of two schemes has a second store, whose
 * name is as long as its scheme. */
#ifdef ZINC_MODULE
#define ZINC_STORE_MODULE_ENDS(name, second, register_second)                                                          \
	const char zinc_module_build[] = ZINC_BUILD;                                                                   \
                                                                                                                       \
	const zinc_store_ops *zinc_module_init(const char *build, const char *scheme)                                  \
	{                                                                                                              \
		if (build != zinc_build())                                                                             \
			return NULL;                                                                                   \
		return strlen(scheme) == strlen(#second) ? &zinc_store_ops_##second : &zinc_store_ops_##name;          \
	}                                                                                                              \
	extern const zinc_store_ops zinc_store_ops_##name /* so that a semicolon follows */
#else
#define ZINC_STORE_MODULE_ENDS(name, second, register_second)                                                          \
	zinc_status zinc_store_##name##_register(zinc_error *err)                                                      \
	{                                                                                                              \
		if (strcmp(zinc_build(), ZINC_BUILD) != 0)                                                             \
			return zinc_fail(err, ZINC_E_UNSUPPORTED,                                                      \
					 "libzinc_" #name ".a is of another build than libzinc");                      \
		ZINC_TRY(register_second);                                                                             \
		return zinc_store_register(&zinc_store_ops_##name, err);                                               \
	}                                                                                                              \
	extern const zinc_store_ops zinc_store_ops_##name
#endif
#define ZINC_STORE_MODULE(name) ZINC_STORE_MODULE_ENDS(name, name, ZINC_OK)
#define ZINC_STORE_MODULE_OF_TWO(name, second)                                                                         \
	ZINC_STORE_MODULE_ENDS(name, second, zinc_store_register(&zinc_store_ops_##second, err))

/* Find a module's store by scheme or adapter.  *out is NULL when no module has it.  E_UNSUPPORTED when it cannot be
 * loaded. */
zinc_status zinc_store_module_find(const zinc_store_ops **out, zinc_context *ctx, const char *name, size_t n,
				   bool adapter, zinc_error *err);
/* Does name[0..n) have one of the endings in ".db,.sqlite"?  A name that is nothing else has none.  Case is ignored. */
bool zinc_store_has_ending(const char *name, size_t n, const char *endings);
/* Is name[0..n) an adapter that names a version of Zarr (store_pipeline.c)? */
bool zinc_pipeline_is_format(const char *name, size_t n);
/* Call fn for each row of `zinc stores`; returns non-zero as soon as fn does. */
int zinc_store_module_each(zinc_row_fn fn, void *arg);
/* The same with capabilities, and what is missing to have it; without those that a program registered itself. */
int zinc_store_module_each_row(zinc_context *ctx, zinc_store_row_fn fn, void *arg);
bool zinc_store_is_registered(const char *name, bool adapter);

/* Is scheme[0..n) in the comma-separated list?  Case is ignored. */
bool zinc_store_has_scheme(const char *list, const char *scheme, size_t n);

/* Is name[0..n) the name of a kind of store, modules included? */
bool zinc_store_is_name(const char *name, size_t n);
bool zinc_store_is_module_name(const char *name, size_t n);
/* Is name[0..n) a scheme of a store that is built in, registered or listed as a module? */
bool zinc_store_is_scheme(const char *name, size_t n);
bool zinc_store_is_module_scheme(const char *name, size_t n);
/* Does the row have this member?  That of an older program may end before it. */
#define ZINC_STORE_HAS(ops, member) ((ops)->size >= offsetof(zinc_store_ops, member) + sizeof((ops)->member))
/* Call fn for each setting of one kind of store; returns non-zero as soon as fn does. */
int zinc_store_row_settings(const zinc_store_ops *ops, zinc_setting_fn fn, void *arg);
/* Call fn for each setting of the modules that can be loaded; returns non-zero as soon as fn does. */
int zinc_store_module_each_setting(zinc_context *ctx, zinc_setting_fn fn, void *arg);

/* Append s[0..n) with its %XX escapes decoded.  In a path, '?', '#' and an escaped '/' are refused.  E_INVALID. */
ZINC_MODULE_API zinc_status zinc_url_unescape(zinc_buf *out, const char *s, size_t n, bool path, zinc_error *err);

/*
 * For the `split` slot of stores that are files: the first *nbytes of "/d/x.db/a/b" are the file.  That is the first
 * prefix of the path that is a file now, else the first with one of the endings (".db,.sqlite"), else the whole path.
 */
ZINC_MODULE_API zinc_status zinc_url_split_file(const char *rest, const char *endings, zinc_context *ctx,
						size_t *nbytes, zinc_error *err);

/* ---- store.c ---- */

/* The store that implements a slot: `s`, or if `s` lacks it and forwards, a store below. */
zinc_store *zinc_store_owner(zinc_store *s, size_t slot);
#define ZINC_OWNER(s, slot) zinc_store_owner(s, offsetof(zinc_store_ops, slot))

/* Check the arguments of a public function.  E_INVALID, naming the function, if the store is NULL or the wait is
 * malformed. */
zinc_status zinc_store_call_check(const char *function, const zinc_store *s, const zinc_wait *wait, zinc_error *err);
#define ZINC_STORE_CALL(s, wait, err) zinc_store_call_check(__func__, s, wait, err)

/* E_INVALID unless the value is 0 or 1. */
zinc_status zinc_store_bool_check(const zinc_store *s, const char *name, int value, zinc_error *err);
/* E_INVALID for unknown put flags. */
zinc_status zinc_put_flags_check(const zinc_store *s, uint32_t flags, zinc_error *err);
/* Add the URL and the key to the error, and return `st`. */
zinc_status zinc_store_at(const zinc_store *s, const char *key, zinc_status st, zinc_error *err);
zinc_status zinc_store_refuse(const zinc_store *s, const char *key, zinc_error *err);

/* One byte for each of n items of a call; on the caller's stack if they are few. */
#define ZINC_FEW_MARKS 64
uint8_t *zinc_marks_new(const zinc_store *s, uint8_t few[ZINC_FEW_MARKS], size_t n);
void zinc_marks_free(const zinc_store *s, const uint8_t *few, uint8_t *marks);

/* Give a wrapper the identity of the store below it, whose keys below `prefix` it has. */
void zinc_store_identify_as(zinc_store *s, const zinc_store *below, const char *prefix);

/* ---- answering requests (store_sink.c; the rest is in store.h) ---- */

/* A position in an iovec list after a short read or write. */
typedef struct zinc_iov_at {
	const struct iovec *iov;
	int n;       /* entries left */
	size_t skip; /* bytes of the first entry that are done */
} zinc_iov_at;

/* Fill `out` with the entries for the next call, at most `max`; returns their number, 0 at the end. */
ZINC_MODULE_API int zinc_iov_next(const zinc_iov_at *at, struct iovec *out, int max);
ZINC_MODULE_API void zinc_iov_advance(zinc_iov_at *at, size_t nbytes);

#endif
