/*
 * store_batch.h - for stores whose changes are transactions of many keys: databases
 *
 *   store_batch.c      put, del and groups, from a function that applies many changes in one transaction
 *   store_ordered.c    listings, from a function that reads keys in byte order
 *   store_known.c      tags that were computed before
 *   store_file_look.c  what file is at a path
 */
#ifndef ZINC_STORE_BATCH_H
#define ZINC_STORE_BATCH_H

#include "store/store_inside.h"

/* ---- changes ---- */

typedef struct zinc_change {
	const char *key;
	const struct iovec *iov;
	int niov;
	bool erase;
	const zinc_condition *when; /* NULL: any */
	zinc_status status;         /* set by `apply`: OK, or E_EXISTS or E_CONFLICT if the condition does not hold */
	zinc_tag tag;               /* set by `apply` for a put, unless tags are those of tag_hash.c */
	struct zinc_change *before; /* the change of the same key before this one, if any has a condition; or NULL */
} zinc_change;

/* A store that has these. */
typedef struct zinc_batch_ops {
	/* All changes, in their order, in one transaction.  A failure is that of all; a condition that does not hold is
	 * that of its change alone. */
	zinc_status (*apply)(void *self, zinc_change *const *changes, size_t n, bool relaxed, const zinc_wait *wait,
			     zinc_error *err);
	/* Make all earlier relaxed changes durable. */
	zinc_status (*sync)(void *self, const zinc_wait *wait, zinc_error *err);
} zinc_batch_ops;

/* Such a store has this as its first member. */
typedef struct zinc_batched {
	const zinc_batch_ops *ops;
	zinc_context *ctx;
} zinc_batched;

/* Its slots put, del, put_begin, commit, abort. */
ZINC_MODULE_API zinc_status zinc_batch_put(void *self, zinc_put_group *group, const zinc_put *puts, size_t n,
					   const zinc_done *done, uint32_t flags, const zinc_wait *wait,
					   zinc_error *err);
ZINC_MODULE_API zinc_status zinc_batch_del(void *self, zinc_put_group *group, const zinc_del *dels, size_t n,
					   const zinc_done *done, uint32_t flags, const zinc_wait *wait,
					   zinc_error *err);
ZINC_MODULE_API zinc_status zinc_batch_begin(void *self, zinc_put_group **group, uint32_t flags, const zinc_wait *wait,
					     zinc_error *err);
ZINC_MODULE_API zinc_status zinc_batch_commit(void *self, zinc_put_group *group, zinc_committed_fn fn, void *arg,
					      const zinc_wait *wait, zinc_error *err);
ZINC_MODULE_API void zinc_batch_abort(void *self, zinc_put_group *group);

/* What a call wants of a database. */
typedef enum zinc_use {
	ZINC_USE_LOOK,
	ZINC_USE_CHANGE, /* other writers are excluded */
	ZINC_USE_MAKE    /* and it is created if there is none */
} zinc_use;

/* What these changes want: to make a database takes a put whose condition holds where nothing is.  Each status becomes
 * that of a change where there is no database. */
ZINC_MODULE_API zinc_use zinc_batch_use(zinc_change *const *changes, size_t n);

/* Does the condition hold for a value with this tag (NULL: the key is missing)?  OK, E_EXISTS, E_CONFLICT. */
ZINC_MODULE_API zinc_status zinc_batch_check(const zinc_condition *when, const zinc_tag *tag);

/* The tag of a put's value, if tags are those of tag_hash.c. */
ZINC_MODULE_API void zinc_batch_hash(const zinc_change *x, zinc_tag *out);
/* The last change of the same key before changes[i] that will be made: its condition must see it.  NULL: none. */
ZINC_MODULE_API const zinc_change *zinc_batch_earlier(zinc_change *const *changes, size_t i);

/* ---- listings ---- */

#define ZINC_ORDERED_NONE UINT64_MAX /* the row has no value */

/* One row: a key, or any bytes, and the size of its value.  Non-zero: no more. */
typedef int (*zinc_ordered_row_fn)(void *arg, const char *key, size_t n, uint64_t nbytes);
/* Call fn for the keys that begin with `prefix`, from `from` on, in byte order, until it returns non-zero.  It does not
 * use the store.  Sizes may be left out (0) without `sizes`. */
typedef zinc_status (*zinc_ordered_fn)(void *self, const char *prefix, zinc_bytes from, bool sizes,
				       zinc_ordered_row_fn fn, void *arg, const zinc_wait *wait, zinc_error *err);

/* The walk slot.  *stopped: the caller's function wants no more. */
ZINC_MODULE_API zinc_status zinc_ordered_walk(void *self, zinc_context *ctx, zinc_ordered_fn rows, const char *prefix,
					      const zinc_lister *to, bool *stopped, const zinc_wait *wait,
					      zinc_error *err);
/* Report a row that is no key, because of its name or (`value`) its value. */
ZINC_MODULE_API int zinc_ordered_non_key(const zinc_lister *to, const char *name, bool value);

/* ---- tags that are known ---- */

#define ZINC_KNOWN_TAGS 256

typedef struct zinc_known_tag {
	char *key; /* NULL: none */
	uint64_t version;
	zinc_tag tag;
} zinc_known_tag;

/* Keys whose values were hashed.  All zeros is empty.  The caller's lock is held around each call. */
typedef struct zinc_known {
	zinc_known_tag tags[ZINC_KNOWN_TAGS];
} zinc_known;

ZINC_MODULE_API bool zinc_known_find(const zinc_known *k, uint64_t version, const char *key, zinc_tag *out);
ZINC_MODULE_API void zinc_known_keep(zinc_known *k, zinc_context *ctx, uint64_t version, const char *key,
				     const zinc_tag *tag);
ZINC_MODULE_API void zinc_known_fini(zinc_known *k, zinc_context *ctx);

/* ---- files ---- */

/* What is at path[0..n) plus `suffix`, links followed.  *there is false if nothing is, and after a failure: whoever may
 * not look does not know. */
ZINC_MODULE_API zinc_status zinc_file_look(zinc_context *ctx, const char *path, size_t n, const char *suffix,
					   bool *there, struct stat *out, zinc_error *err);

#endif
