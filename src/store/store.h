/*
 * store.h - interface of the room `store`: keys -> bytes, nothing of Zarr
 *
 * The public interface is <zinc/store.h>.  Upper rooms call zinc_store_get and the like, and look at caps, never at
 * names of stores.  This header adds what only the library itself needs: the place that the URL of a node names, and a
 * put of several pieces.
 */
#ifndef ZINC_STORE_ROOM_H
#define ZINC_STORE_ROOM_H

#include <zinc/store.h>

#include "base/base.h"

struct zinc_store {
	zinc_store_ops ops; /* a copy; slots missing from an older, shorter structure are NULL */
	void *self;
	zinc_context *ctx;
	char *url;
	atomic_uint refs;
	uint64_t serial;    /* unique in this process, never reused */
	uint32_t put_flags; /* added to the flags of every change: ZINC_PUT_RELAXED */
	uint32_t key_max;   /* this and the next three are copied from caps, where they never change */
	uint32_t component_max;
	const char *refused, *reserved;
	bool identified;                   /* it was opened by a URL that names it anywhere on this machine: */
	uint8_t identity[ZINC_HASH_BYTES]; /* a hash of that URL and of all settings, secrets included */
	uint8_t place[ZINC_HASH_BYTES];    /* a hash of the settings that name other data: endpoint, table */
};

/* Do both have the same URL and the same settings that name data?  Even if not, they can be one place, by two names of a
 * server. */
bool zinc_store_same(const zinc_store *a, const zinc_store *b);

/* Check settings against those that this kind of store has.  E_INVALID. */
zinc_status zinc_store_check_settings(const zinc_store *s, const zinc_setting *settings, size_t n, zinc_error *err);

/*
 * The place that the URL of a node names.  The format room finds out which part of `path` is the root of the hierarchy:
 * it probes the prefixes of `path`, from the whole path up to "".
 *
 *   URL                        store opened at       path            root_fixed
 *   /data/a.zarr/foo           /                     data/a.zarr/foo
 *   file:///d/a%20b.zarr       /                     d/a b.zarr
 *   memory://name/x/y          memory://name         x/y
 *   s3://bucket/x/y            s3://bucket           x/y             (any registered scheme)
 *   /data/a.zarr|foo           /data/a.zarr          foo             yes
 *   file:///d/a.zarr|zarr3:foo /d/a.zarr             foo             yes; format "zarr3"
 *
 * A local path is made absolute; "." and ".." are resolved as text.  If a component cannot be part of a key, the store
 * is opened below the last such component, and the search for the root ends there.  The store follows all symbolic
 * links until zinc_place_narrow is called.  If a new node would be named by such a component, `above` is the directory
 * that holds it.  Directories above the path are never removed, even if they are empty.
 */
typedef struct zinc_place {
	zinc_context *ctx;
	zinc_store *store;
	char *path;      /* "" or a valid key */
	bool root_fixed; /* the URL has a '|': the root is the store's own, do not search upwards */
	bool local;      /* a path of the file system that may be searched upwards */
	bool contained;  /* a file of its own (an archive, a database), or a cache of one store: a new hierarchy begins
			    at its top */
	char format[16]; /* the adapter after '|': "zarr", "zarr2", "zarr3", "n5"; "" without one */
	size_t existing; /* bytes of `path` that are existing directories; SIZE_MAX: unknown, ask the store */
	char *above;     /* directory of the last component that cannot be part of a key; NULL: every component can */
	bool new_name;   /* that component does not exist */
	bool bad_name;   /* and must not be created: no UTF-8, or control characters */
} zinc_place;

/* E_INVALID, E_UNSUPPORTED (unknown adapter), and the errors of zinc_store_open.  Nothing has to exist. */
zinc_status zinc_place_open(zinc_place *out, const char *url, const zinc_store_options *options, zinc_error *err);
/* The first n bytes of the path are the root.  If links are restricted, a local store is opened again at the root, so
 * that no link leads above it.  Other stores are left as they are. */
zinc_status zinc_place_narrow(zinc_place *place, size_t n, const zinc_store_options *options, zinc_error *err);
/* Is one of the components path[from..to) a symbolic link?  `path` is absolute. */
bool zinc_path_has_link(zinc_context *ctx, const char *path, size_t from, size_t to);
/* E_IO when a symbolic link in path[from..) leads to a place that zinc_links `links` forbids.  path[0..from) is an
 * absolute directory.  Components that do not exist are accepted. */
zinc_status zinc_path_check_links(zinc_context *ctx, const char *path, size_t from, int links, zinc_error *err);
/* The place at of->above. */
zinc_status zinc_place_above(zinc_place *out, const zinc_place *of, const zinc_store_options *options, zinc_error *err);
/* Close the store (unless you took it and set it to NULL) and free the path. */
void zinc_place_fini(zinc_place *place);

/* Check a key by zinc_key_check and by the limits in the store's caps.  E_INVALID. */
zinc_status zinc_store_check_key(const zinc_store *s, const char *key, zinc_error *err);

/* zinc_store_put of several pieces. */
ZINC_MODULE_API zinc_status zinc_store_putv(zinc_store *s, zinc_put_group *group, const char *key,
					    const struct iovec *iov, int niov, const zinc_condition *when,
					    uint32_t flags, zinc_tag *tag, const zinc_wait *wait, zinc_error *err);

/*
 * zinc_store_put_begin for a caller that erases keys below `prefix` one by one, after listing them with `own`.  If the
 * prefix or a directory below it has become a symbolic link since, the link is not followed.  Links above the prefix
 * are followed, and so are links of keys elsewhere.
 */
zinc_status zinc_store_erase_begin(zinc_store *s, const char *prefix, zinc_put_group **group, uint32_t flags,
				   const zinc_wait *wait, zinc_error *err);

/*
 * For a caller that changes very many keys by several calls and groups: a store that writes all of them at once, an
 * archive, may keep the changes back until zinc_store_release, or until it is read by the same handle.  With `keep` they
 * are published then, else those that were kept back are given up.  No effect on other stores.
 */
zinc_status zinc_store_hold(zinc_store *s, const zinc_wait *wait, zinc_error *err);
zinc_status zinc_store_release(zinc_store *s, bool keep, uint32_t flags, const zinc_wait *wait, zinc_error *err);

/* ---- put_partial, for layers that hold several keys in one value; parts are sorted ---- */

/* Delete a list of keys (each with its NUL, `nbytes` in all) in a group.  A remote store deletes them in one batch and
 * goes on after a failure.  The error is that of the first key that failed. */
zinc_status zinc_store_del_list(zinc_store *s, zinc_put_group *group, const char *keys, size_t nbytes, uint32_t flags,
				const zinc_wait *wait, zinc_error *err);

/* The number of parts, from the first on, that have the key of the first. */
size_t zinc_parts_same_key(const zinc_partial *const *parts, size_t n);
/* The value after its parts are applied.  *bytes is NULL at first and grows; the caller frees it, also after a
 * failure. */
zinc_status zinc_parts_apply(const zinc_partial *const *parts, size_t n, const void *old, size_t nold,
			     zinc_context *ctx, uint8_t **bytes, size_t *nbytes, zinc_error *err);
/* zinc_store_put_partial of parts that a layer above has checked and sorted. */
zinc_status zinc_store_put_parts(zinc_store *s, const zinc_partial *const *parts, size_t n, int single_writer,
				 uint32_t flags, const zinc_wait *wait, zinc_error *err);

/* ---- answering requests, for stores and layers over them ---- */

/* Answer request i from a value of `size` bytes with tag `tag`: check tag and range, get a buffer, read, call done.
 * `read_value` returns E_CONFLICT when the value was changed in place meanwhile. */
ZINC_MODULE_API void zinc_sink_serve(const zinc_sink *k, size_t i, const zinc_get *r, uint64_t size,
				     const zinc_tag *tag, zinc_read_fn read_value, void *arg, const zinc_wait *wait);
ZINC_MODULE_API void zinc_sink_missing(const zinc_sink *k, size_t i);
/* Does request i have the same key pointer as the request before it?  Then results for that key can be reused. */
static inline bool
zinc_get_same_key(const zinc_get *requests, size_t i)
{
	return i > 0 && requests[i].key == requests[i - 1].key;
}
/* The bytes that a request selects from a value of `size` bytes. */
ZINC_MODULE_API void zinc_get_select(const zinc_get *r, uint64_t size, uint64_t *offset, uint64_t *nbytes);
ZINC_MODULE_API void zinc_sink_failed(const zinc_sink *k, size_t i, zinc_status st, const zinc_error *error);
/* If the call was cancelled, answer request i with that and return true. */
ZINC_MODULE_API bool zinc_sink_cancelled(const zinc_sink *k, size_t i, const zinc_wait *wait);
/* Report the outcome of put or delete i. */
ZINC_MODULE_API void zinc_done_report(const zinc_done *d, size_t i, zinc_status st, const zinc_tag *tag,
				      const zinc_error *error);

/* The total of an iovec list; non-zero when it overflows. */
ZINC_MODULE_API int zinc_iov_bytes(const struct iovec *iov, int niov, size_t *out);

/* Copy n bytes to the start of an iovec list, which must be long enough. */
ZINC_MODULE_API void zinc_iov_scatter(const struct iovec *iov, int niov, const uint8_t *bytes, size_t n);
/* Copy the first n bytes of an iovec list, which must be long enough. */
ZINC_MODULE_API void zinc_iov_gather(const struct iovec *iov, int niov, uint8_t *bytes, size_t n);

/* Apply a splice to a value in memory (NULL: missing).  The new value is built in `joined`. */
zinc_status zinc_splice_whole(zinc_splice_fn fn, void *arg, const zinc_bytes *old, zinc_buf *joined, zinc_update *out,
			      zinc_error *err);

/*
 * zinc_store_update as a loop of conditional puts, for a function that depends on the generation.  *seen is the tag of
 * the value that `fn` gets, and *tag (NULL: not requested) that of the new one.  E_CONFLICT after ZINC_UPDATE_TRIES.
 */
zinc_status zinc_store_update_tagged(zinc_store *s, const char *key, zinc_update_fn fn, void *arg, zinc_tag *seen,
				     zinc_tag *tag, uint64_t limit, uint32_t flags, const zinc_wait *wait,
				     zinc_error *err);

/* An update gives up after this many lost races. */
#define ZINC_UPDATE_TRIES 256 /* of eight writers one loses 64 in a row once in some thousand updates */

/* Sleep after the `tries`th lost race: longer each time, and for a different time for each caller. */
ZINC_MODULE_API void zinc_store_back_off(int tries, const void *caller);
/* E_UNSUPPORTED if the tag is empty: without a tag, a conditional change of an existing value is impossible. */
zinc_status zinc_tag_needed(const zinc_tag *tag, zinc_error *err);

/* Do the two tags name the same generation?  An empty tag equals none. */
static inline bool
zinc_tag_equal(const zinc_tag *a, const zinc_tag *b)
{
	return a->n != 0 && a->n == b->n && memcmp(a->b, b->b, a->n) == 0;
}

/* What the numbers in options may be. */
extern const zinc_options_kind zinc_store_options_kind;

#endif
