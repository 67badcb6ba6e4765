/*
 * store.h - door of the room `store`: keys -> bytes, nothing of Zarr
 *
 * The interface is <zinc/store.h>; upper rooms call zinc_store_get and its sisters there and look at
 * caps, never at names.  Here is what only the library itself needs: the place that a
 * node's URL leads to, and the gathering put.
 */
#ifndef ZINC_STORE_ROOM_H
#define ZINC_STORE_ROOM_H

#include <zinc/store.h>

#include "base/base.h"

struct zinc_store {
	zinc_store_ops ops; /* a copy; slots that the store's own structure ends before are NULL */
	void *self;
	zinc_context *ctx;
	char *url;
	atomic_uint refs;
	uint64_t serial;    /* of this process, never used again */
	uint32_t put_flags; /* joined to those of every change: ZINC_PUT_RELAXED */
	uint32_t key_max;   /* of caps, which do not change them */
	uint32_t component_max;
	const char *refused, *reserved;
};

/* Are these settings that a store of this kind may be opened with?  E_INVALID. */
zinc_status zinc_store_check_settings(const zinc_store *s, const zinc_setting *settings, size_t n, zinc_error *err);

/*
 * Where the URL of a node leads.  Which part of `path` is the hierarchy's root is for the
 * format room to find: it probes the prefixes of `path`, from the whole of it up to "".
 *
 *   URL                        store opened at       path            root_fixed
 *   /data/a.zarr/foo           /                     data/a.zarr/foo
 *   file:///d/a%20b.zarr       /                     d/a b.zarr
 *   memory://name/x/y          memory://name         x/y
 *   s3://bucket/x/y            s3://bucket           x/y             (any registered scheme)
 *   /data/a.zarr|foo           /data/a.zarr          foo             yes
 *   file:///d/a.zarr|zarr3:foo /d/a.zarr             foo             yes; format "zarr3"
 *
 * A local path is made absolute, "." and ".." are taken as text, and the store begins below its last
 * component that cannot be part of a key: no climb gets past it.  It follows links, whatever the options say, until
 * zinc_place_narrow.  Where a new node would need such a component as its name, `above` tells what it would be a part of.
 * Directories above the path are never removed, however empty.
 */
typedef struct zinc_place {
	zinc_context *ctx;
	zinc_store *store;
	char *path;      /* "" or a valid key */
	bool root_fixed; /* a '|' says that the root is the store's own: do not climb */
	bool local;      /* a path of the file system that may be climbed */
	char format[16]; /* the adapter behind '|': "zarr", "zarr2", "zarr3"; "" without */
	size_t there;    /* bytes of `path` that are directories now; SIZE_MAX: the store must be asked */
	char *above;     /* the directory of the last component that cannot be part of a key; NULL: all can */
	bool bad_name;   /* and that is no UTF-8 or has control characters, and is not there: nobody should make it */
} zinc_place;

/* E_INVALID, E_UNSUPPORTED (another adapter), and as zinc_store_open.  Nothing need exist. */
zinc_status zinc_place_open(zinc_place *out, const char *url, const zinc_store_options *options, zinc_error *err);
/* The first n bytes of the path are the root: where links are not followed freely, a local store begins there from now
 * on, so that none of them leads above it.  Without effect on others. */
zinc_status zinc_place_narrow(zinc_place *place, size_t n, const zinc_store_options *options, zinc_error *err);
/* Is a component of path[from..to) a link?  `path` is absolute, and its components behind `from` are what is asked for. */
bool zinc_path_linked(zinc_context *ctx, const char *path, size_t from, size_t to);
/* E_IO when a link leads from path[0..from), an absolute directory, on the way to all of `path` to where zinc_links
 * `links` does not allow; what is not there leads nowhere. */
zinc_status zinc_path_stays(zinc_context *ctx, const char *path, size_t from, int links, zinc_error *err);
/* The place at of->above. */
zinc_status zinc_place_above(zinc_place *out, const zinc_place *of, const zinc_store_options *options, zinc_error *err);
/* Close the store (unless you took it and set it to NULL) and free the path. */
void zinc_place_fini(zinc_place *place);

/* May this be a key of the store: zinc_key_check, and what its caps say of keys?  E_INVALID. */
zinc_status zinc_store_check_key(const zinc_store *s, const char *key, zinc_error *err);

/* zinc_store_put from several pieces. */
ZINC_MODULE_API zinc_status zinc_store_putv(zinc_store *s, zinc_put_group *group, const char *key,
					    const struct iovec *iov, int niov, const zinc_condition *when,
					    uint32_t flags, zinc_tag *tag, const zinc_wait *wait, zinc_error *err);

/*
 * zinc_store_put_begin for who erases keys below `prefix` one by one, having listed them with `own`: what was a directory
 * then and is a link now is not followed, neither the prefix itself nor what is below.  Links above it are, as ever, and
 * so are those to keys elsewhere.
 */
zinc_status zinc_store_erase_begin(zinc_store *s, const char *prefix, zinc_put_group **group, uint32_t flags,
				   const zinc_wait *wait, zinc_error *err);

/* ---- put_partial, for layers that hold several keys in one value; parts are sorted ---- */

/* Delete keys (each with its NUL, `nbytes` in all) in a group: together where the store is remote, and then those behind
 * one that fails, too.  The failure names the first that failed. */
zinc_status zinc_store_del_list(zinc_store *s, zinc_put_group *group, const char *keys, size_t nbytes, uint32_t flags,
				const zinc_wait *wait, zinc_error *err);

/* How many parts from here on belong to the first one's key. */
size_t zinc_parts_same_key(const zinc_partial *const *parts, size_t n);
/* The value with the parts of its key: *bytes is grown (NULL at first), and freed by the caller also on failure. */
zinc_status zinc_parts_apply(const zinc_partial *const *parts, size_t n, const void *old, size_t nold,
			     zinc_context *ctx, uint8_t **bytes, size_t *nbytes, zinc_error *err);
/* zinc_store_put_partial of what was checked and sorted by a layer above. */
zinc_status zinc_store_put_parts(zinc_store *s, const zinc_partial *const *parts, size_t n, int single_writer,
				 uint32_t flags, const zinc_wait *wait, zinc_error *err);

/* ---- delivering, for stores and layers over them ---- */

/* Answer request i from a value of `size` bytes and generation `tag`: tag, range, room, read, done.
 * A read that says E_CONFLICT met a value that somebody changed in place. */
ZINC_MODULE_API void zinc_sink_serve(const zinc_sink *k, size_t i, const zinc_get *r, uint64_t size,
				     const zinc_tag *tag, zinc_read_fn bring, void *arg, const zinc_wait *wait);
ZINC_MODULE_API void zinc_sink_missing(const zinc_sink *k, size_t i);
/* Is request i for the very key of the one before?  Then what was found out of that one need not be asked again. */
static inline bool
zinc_get_goes_on(const zinc_get *requests, size_t i)
{
	return i > 0 && requests[i].key == requests[i - 1].key;
}
/* Which bytes of a value of `size` bytes a request means. */
ZINC_MODULE_API void zinc_get_select(const zinc_get *r, uint64_t size, uint64_t *offset, uint64_t *nbytes);
ZINC_MODULE_API void zinc_sink_failed(const zinc_sink *k, size_t i, zinc_status st, const zinc_error *error);
/* When cancelled, answer request i so and return true. */
ZINC_MODULE_API bool zinc_sink_cancelled(const zinc_sink *k, size_t i, const zinc_wait *wait);
/* Tell of put or delete i. */
ZINC_MODULE_API void zinc_done_tell(const zinc_done *d, size_t i, zinc_status st, const zinc_tag *tag,
				    const zinc_error *error);

/* The total of an iovec list; non-zero when it overflows. */
ZINC_MODULE_API int zinc_iov_bytes(const struct iovec *iov, int niov, size_t *out);

/* Copy n bytes into the front of an iovec list that has room for them. */
ZINC_MODULE_API void zinc_iov_scatter(const struct iovec *iov, int niov, const uint8_t *bytes, size_t n);

/* What a splice makes of a value that is in memory (NULL: missing); the new one is put together in `joined`. */
zinc_status zinc_splice_whole(zinc_splice_fn fn, void *arg, const zinc_bytes *old, zinc_buf *joined, zinc_update *out,
			      zinc_error *err);

/* Lost races after which an update gives up. */
#define ZINC_UPDATE_TRIES 64

/* Pause after having lost a race for the `tries`th time: longer with every loss, and different for each caller. */
ZINC_MODULE_API void zinc_store_back_off(int tries, const void *caller);
/* E_UNSUPPORTED without one: a value that is there can be changed on no condition. */
zinc_status zinc_tag_needed(const zinc_tag *tag, zinc_error *err);

/* Are the two tags the same generation?  Never with one that is empty. */
static inline bool
zinc_tag_equal(const zinc_tag *a, const zinc_tag *b)
{
	return a->n != 0 && a->n == b->n && memcmp(a->b, b->b, a->n) == 0;
}

/* What the numbers in options may be. */
extern const zinc_options_kind zinc_store_options_kind;

#endif
