/*
 * store.h - the store interface, and how a program adds its own store
 *
 * A store maps keys (UTF-8, components joined by '/') to bytes; it is independent of
 * Zarr.  One call carries many reads, puts or deletes: that makes object stores fast
 * and costs a local store nothing.
 *
 * Structures that are passed by pointer begin with their size, set by the side that makes them.  Structures in arrays
 * (zinc_get, zinc_put, zinc_del, zinc_partial, zinc_part) never change their size: later members go into `reserved`,
 * which must be 0 (E_INVALID).
 */
#ifndef ZINC_STORE_H
#define ZINC_STORE_H

#include <sys/uio.h>
#include <zinc.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- waiting ---- */

/* Deadline and cancel flag of an operation.  Operations that may wait take a pointer to one; NULL: no limit.  A store checks
 * it between any two steps that may block, and returns E_CANCELLED. */
typedef struct zinc_wait {
	size_t size;
	double until;              /* seconds of CLOCK_MONOTONIC; 0: no deadline */
	const zinc_cancel *cancel; /* NULL: none */
} zinc_wait;
#define ZINC_WAIT_INIT                                                                                                 \
	{                                                                                                              \
		sizeof(zinc_wait), 0.0, NULL                                                                           \
	}

/* E_CANCELLED when it was cancelled or the deadline has passed. */
ZINC_API ZINC_CHECKED zinc_status zinc_wait_check(const zinc_wait *wait, zinc_error *err);
/* The seconds left, at least 0; HUGE_VAL without a deadline. */
ZINC_API double zinc_wait_left(const zinc_wait *wait);

/* ---- what a store can do ---- */

/* Capabilities.  Callers look at these, never at the names of stores. */
#define ZINC_CAP_READ             0x0001u
#define ZINC_CAP_RANGE            0x0002u /* reading part of a value transfers only that part */
#define ZINC_CAP_SUFFIX_RANGE     0x0004u /* "the last n bytes" in one request */
#define ZINC_CAP_LIST             0x0008u
#define ZINC_CAP_WRITE            0x0010u
#define ZINC_CAP_ERASE            0x0020u
#define ZINC_CAP_ATOMIC_PUT       0x0040u /* readers see the old or the new value, whole */
#define ZINC_CAP_DURABLE          0x0080u /* a durable put that returned ZINC_OK survives power loss */
#define ZINC_CAP_CAS              0x0100u /* conditions hold against all other writers */
#define ZINC_CAP_READ_AFTER_WRITE 0x0200u
#define ZINC_CAP_LIST_AFTER_WRITE 0x0400u
#define ZINC_CAP_REMOTE           0x0800u /* keep many requests open at once */
#define ZINC_CAP_UPDATE           0x1000u /* update() excludes all other writers of the key */
#define ZINC_CAP_TAGS                                                                                                  \
	0x2000u /* get() returns tags, which differ whenever bytes differ; without them values are read whole */
#define ZINC_CAP_FOLDS_CASE 0x4000u /* names that differ only in case are the same key */
#define ZINC_CAP_NORMALISES 0x8000u /* names are changed by Unicode normalisation */

typedef struct zinc_caps {
	size_t size;
	uint32_t flags;
	uint32_t parallel;      /* useful number of open requests */
	uint64_t merge_gap;     /* ranges closer than this are read as one */
	uint32_t key_max;       /* bytes of a key, 0: no limit */
	uint32_t component_max; /* bytes of one component, 0: no limit */
	const char *refused;    /* characters that no key may have; NULL: only the rules of zinc_key_check */
	const char *reserved;   /* a suffix that no component may have; NULL: none */
} zinc_caps;
#define ZINC_CAPS_INIT                                                                                                 \
	{                                                                                                              \
		sizeof(zinc_caps), 0, 0, 0, 0, 0, NULL, NULL                                                           \
	}

/* The generation of a value.  Two tags of one key differ whenever the bytes differ. */
typedef struct zinc_tag {
	uint8_t n; /* 0: the store has no tags */
	uint8_t b[127];
} zinc_tag;

/* ---- reading ---- */

#define ZINC_TO_END UINT64_MAX

/* One request.  offset and length select bytes of the value; length ZINC_TO_END means "to the end", and
 * `suffix` means "the last `length` bytes, or all if there are fewer".  A range that begins past the end gives no bytes;
 * one that ends past the end is cut. */
typedef struct zinc_get {
	const char *key;
	uint64_t offset;
	uint64_t length;
	int suffix;
	const zinc_tag *if_tag;  /* NULL, or: only if the value has this tag, else ZINC_CHANGED */
	const struct iovec *iov; /* destination of exactly `length` bytes, or NULL: call room() */
	int niov;
	int stat;       /* no bytes: only existence, size and tag */
	uint64_t limit; /* the most bytes that the caller accepts; more are ZINC_FAILED with E_LIMIT, before they are in
	                            memory.  0: no limit */
	uint64_t untagged; /* 1: the caller does not use the tag, and a store where it costs time leaves it empty */
	uint64_t reserved[2];
} zinc_get;

typedef enum zinc_found {
	ZINC_FOUND = 0,
	ZINC_MISSING = 1, /* no such key: a result, not a failure */
	ZINC_CHANGED = 2, /* the tag differs from if_tag */
	ZINC_FAILED = 3   /* status and error say why (E_IO if neither does); never treated as missing */
} zinc_found;

typedef struct zinc_got {
	size_t size;
	zinc_found found;
	uint64_t nbytes;         /* bytes delivered */
	uint64_t object_size;    /* of the whole value */
	const zinc_tag *tag;     /* of the value the bytes belong to; never NULL when found */
	zinc_status status;      /* with ZINC_FAILED */
	const zinc_error *error; /* with ZINC_FAILED; may be NULL */
} zinc_got;

typedef enum zinc_room {
	ZINC_ROOM_OK = 0,
	ZINC_ROOM_NOT_NOW = 1, /* start nothing more until a done() has returned, then call room() again */
	ZINC_ROOM_FAIL = 2     /* give up this request: done() gets ZINC_FAILED, E_NOMEM */
} zinc_room;

/*
 * The receiver of bytes.  room() is called for a request without iov, when the size is known and before its first byte is
 * read; after NOT_NOW it may be called again for the same request.  It may be NULL when every request has iov or stat.
 * done() is called exactly once per request, as each finishes, from any thread, several at once, all before get returns; it
 * may do long work (decode) in the calling thread.  A result that is FOUND has exactly the bytes that the request selects
 * of object_size, and a tag, which may be empty; anything else becomes E_IO.
 */
typedef struct zinc_sink {
	size_t size;
	zinc_room (*room)(void *arg, size_t i, uint64_t nbytes, void **buf);
	void (*done)(void *arg, size_t i, const zinc_got *got);
	void *arg;
} zinc_sink;

/* A value that lies in a file as it is, for sendfile(2) and the like: `nbytes` bytes at `offset` of `fd`.  The file may be
 * replaced meanwhile; the descriptor keeps the value that the tag belongs to. */
typedef struct zinc_lent {
	size_t size;
	int fd; /* open for reading; the caller's, for close(2) */
	uint64_t offset, nbytes;
	zinc_tag tag;
} zinc_lent;
/* clang-format off */
#define ZINC_LENT_INIT {sizeof(zinc_lent), -1, 0, 0, {0, {0}}}
/* clang-format on */

/* ---- writing ---- */

typedef enum zinc_when { ZINC_ANY = 0, ZINC_ABSENT = 1, ZINC_EQUALS = 2 } zinc_when;

typedef struct zinc_condition {
	zinc_when when;
	const zinc_tag *tag; /* with ZINC_EQUALS */
} zinc_condition;

/* One put. */
typedef struct zinc_put {
	const char *key;
	const struct iovec *iov; /* the value, in pieces; unchanged until done() */
	int niov;
	const zinc_condition *when; /* NULL: any */
	uint64_t reserved[3];
} zinc_put;

/* One delete. */
typedef struct zinc_del {
	const char *key;
	const zinc_condition *when; /* NULL: any */
	uint64_t reserved[2];
} zinc_del;

/* Result of a put or a delete.  E_CONFLICT when the condition did not hold, for ZINC_ABSENT E_EXISTS. */
typedef struct zinc_outcome {
	size_t size;
	zinc_status status;
	const zinc_tag
	    *tag; /* of the value that was put; NULL or empty without ZINC_PUT_TAGS, or when the store has none */
	const zinc_error *error; /* of a failure; may be NULL */
} zinc_outcome;

/* Receiver of results.  done() is called exactly once for each i, as each ends, also after failure or cancel, from any
 * thread, several at once, all before the call returns. */
typedef struct zinc_done {
	size_t size;
	void (*done)(void *arg, size_t i, const zinc_outcome *outcome);
	void *arg;
	/* NULL, or: the number of puts or deletes in the array so far, of at most `room`.  A store with zinc_store_ops.more
	 * calls it, from the calling thread, while it could begin another; done() is not called for entries beyond the number
	 * that it last returned. */
	size_t (*more)(void *arg);
	size_t room;
} zinc_done;

/* Puts and deletes of one durable commit. */
typedef struct zinc_put_group zinc_put_group;

/* Result of one key of a group, reported at commit: E_CONFLICT for a condition that did not hold, E_IO ... */
typedef void (*zinc_committed_fn)(void *arg, const char *key, zinc_status status, const zinc_error *error);

/* The new value of an update(); `old` is NULL when the key is missing.  Set bytes, erase or keep: */
typedef struct zinc_update {
	size_t size;       /* set by the caller of the function */
	const void *bytes; /* new value (owned by the callback, valid until the next call or return) */
	size_t nbytes;
	int erase; /* erase the key */
	int keep;  /* leave it as it is */
} zinc_update;
/* May be called several times (CAS loop); must give the same answer for the same old bytes. */
typedef zinc_status (*zinc_update_fn)(void *arg, const void *old, size_t nold, zinc_update *out, zinc_error *err);

/* ---- changing a small part of a large value ---- */

/* Read `nbytes` bytes at `offset` of a value into iov, which may be longer. */
typedef zinc_status (*zinc_read_fn)(void *arg, uint64_t offset, uint64_t nbytes, const struct iovec *iov, int niov,
				    zinc_error *err);

/* The old value; several threads may read it at once. */
typedef struct zinc_old {
	size_t size;
	int found;
	uint64_t nbytes;
	zinc_read_fn read;
	void *arg;
} zinc_old;

/* A run of the new value: the caller's bytes, or (NULL) bytes of the old value. */
typedef struct zinc_part {
	const uint8_t *bytes;
	uint64_t offset; /* in the old value */
	size_t nbytes;
	uint64_t reserved;
} zinc_part;

/* As zinc_update, in parts; they belong to the function and stay valid until its next call or the operation's return. */
typedef struct zinc_splice {
	size_t size; /* set by the caller of the function */
	const zinc_part *parts;
	size_t nparts;
	int erase, keep;
} zinc_splice;
/* As zinc_update_fn. */
typedef zinc_status (*zinc_splice_fn)(void *arg, const zinc_old *old, zinc_splice *out, zinc_error *err);

/* ---- listing ---- */

/* Return non-zero to stop. */
typedef int (*zinc_key_fn)(void *arg, const char *key, uint64_t nbytes);
/* A key, or a prefix that ends in '/'. */
typedef int (*zinc_entry_fn)(void *arg, const char *key_or_prefix, int is_prefix);

/* Why an entry of the store is not a key: */
typedef enum zinc_non_key_kind {
	ZINC_NON_KEY_NAME = 1,   /* its name cannot be part of a key */
	ZINC_NON_KEY_TYPE = 2,   /* not a file or directory: a FIFO, device or socket */
	ZINC_NON_KEY_LINK = 3,   /* a link that leads nowhere, or that is not followed */
	ZINC_NON_KEY_LOOP = 4,   /* a directory that is its own ancestor: not listed */
	ZINC_NON_KEY_UNREAD = 5, /* a directory without permission to read */
	ZINC_NON_KEY_DIR = 6, /* a plain directory, an error only where a value is expected; reported before its keys */
	ZINC_NON_KEY_LOCK = 7 /* the lock file of `key`; only with zinc_lister.locks */
} zinc_non_key_kind;

/* An entry that get() cannot read.  The caller decides what it means: a FIFO beside a group is harmless, in place of a
 * chunk it is an error. */
typedef struct zinc_non_key {
	size_t size;
	zinc_non_key_kind kind;
	const char
	    *key; /* its path, without a '/' at the end; any bytes with ZINC_NON_KEY_NAME: escape it before printing */
	const char *why; /* "a symbolic link that leads nowhere" */
	/* Is it a directory with an entry of this name?  1, 0, or -1: unknown. */
	int (*holds)(const struct zinc_non_key *non_key, const char *name);
	const void *inside; /* the store's own */
} zinc_non_key;
typedef int (*zinc_non_key_fn)(void *arg, const zinc_non_key *non_key);

/* Receiver of a listing.  With `key` every key below the prefix, as zinc_store_list; else with `entry` one level, as
 * zinc_store_list_dir.  `non_key` (may be NULL) is called for entries that are not keys; an unreadable directory is then
 * one of these, otherwise it is the failure of the listing.  A missing prefix is empty; one that get() would fail on is
 * E_IO.  Each callback may stop the listing.  `own`: only what del_prefix would erase; a link is then a key of its own and
 * is not followed.  `locks`: lock files are reported to `non_key`, too.  `likely` (may be NULL), with `entry`: a name that
 * most prefixes have a key of, "zarr.json", so that a store need not search them for one. */
typedef struct zinc_lister {
	size_t size;
	zinc_key_fn key;
	zinc_entry_fn entry;
	zinc_non_key_fn non_key;
	void *arg;
	int own;
	int locks;
	const char *likely;
} zinc_lister;

/* A leftover: a temporary file, lock or empty directory that is not in use; `key` is the key of a lock, NULL for a
 * directory.  Called before it is removed: return 0 to remove it, ZINC_SCRUB_KEEP to keep it, anything else to stop. */
#define ZINC_SCRUB_KEEP (-1)
typedef int (*zinc_scrub_fn)(void *arg, const char *name, const char *key, const char *what);

#define ZINC_PUT_RELAXED 1u /* do not wait for the disk */
#define ZINC_PUT_TAGS    2u /* the result has the new tag, even where that costs more, or in a group */

/* Bytes to write into a value at `offset`; a value that is too short grows. */
typedef struct zinc_partial {
	const char *key;
	uint64_t offset;
	const void *bytes;
	size_t nbytes;
	uint64_t reserved;
} zinc_partial;

/* ---- settings ---- */

typedef enum zinc_setting_type {
	ZINC_SETTING_TEXT = 0,
	ZINC_SETTING_YES = 1,    /* "yes" or "no" */
	ZINC_SETTING_COUNT = 2,  /* 0, 1, 2 ... */
	ZINC_SETTING_SECONDS = 3 /* 0.5 */
} zinc_setting_type;

/* A setting of a store.  Values are checked before the store is opened. */
typedef struct zinc_setting_row {
	const char *name; /* "timeout", for "http.timeout"; "header.*": all that begin with "header." */
	zinc_setting_type type;
	const char *preset;  /* the default; NULL: not set */
	const char *env;     /* another environment variable, used if ZINC_HTTP_TIMEOUT is not set; NULL: none */
	const char *purpose; /* one line for `zinc stores --long` */
	int secret;          /* its value is never shown */
	int place;           /* with another value the same URL names other data: a server, a table */
	const void *reserved[2];
} zinc_setting_row;

/* For a store's `open`: the value of a setting by name, from whichever source.  NULL, 0 and no if not set. */
ZINC_API const char *zinc_setting_text(const zinc_store_options *options, const char *name);
ZINC_API double zinc_setting_number(const zinc_store_options *options, const char *name);
ZINC_API int zinc_setting_yes(const zinc_store_options *options, const char *name);

/*
 * The operations of a store.  Every slot but get, caps and close may be NULL: the library then builds the operation from
 * the others, or refuses.  Only a wrapper with `forwards` passes NULL slots on.  All but `open` take the object that open
 * made.  Keys have passed zinc_key_check, and conditions have their tag.
 *
 * get, put and del may return a failure only if they have called no done().
 */
typedef struct zinc_store_ops {
	size_t size;
	const char *name;    /* "fs" */
	const char *purpose; /* one line for `zinc stores` */
	const char *schemes; /* "file," separated by commas, NULL for wrappers */
	/* Its settings, ended by a row without a name.  NULL: none, and a URL's query is passed to open as it is. */
	const zinc_setting_row *settings;
	int foreign_query; /* members of a URL's query that are not in `settings` are passed to open, for the server */
	/* How many bytes of "/d/x.db/a/b" (the URL without scheme and query) name what is opened; the rest is the path inside,
	 * which is unescaped.  NULL: up to the first '/' when a node's URL is opened, all when the store itself is opened.
	 * With `split` and without `settings`, a URL has no query. */
	zinc_status (*split)(const char *rest, zinc_context *ctx, size_t *nbytes, zinc_error *err);
	/* A store on top of another: `base|zip:path` is `path` in the store that the adapter "zip" (of `adapters`, "zip,tar")
	 * makes of `key`, a key or prefix of `next` ("" for all of it).  It takes its own reference of `next`. */
	const char *adapters;
	zinc_status (*adapt)(void **self, zinc_store *next, const char *key, const zinc_store_options *options,
			     zinc_error *err);

	zinc_status (*open)(void **self, const char *rest, const zinc_store_options *options, zinc_error *err);
	void (*close)(void *self);
	/* `out` is cleared and has its size set. */
	void (*caps)(void *self, zinc_caps *out);
	zinc_status (*get)(void *self, const zinc_get *requests, size_t n, const zinc_sink *sink, const zinc_wait *wait,
			   zinc_error *err);
	zinc_status (*put)(void *self, zinc_put_group *group, const zinc_put *puts, size_t n, const zinc_done *done,
			   uint32_t flags, const zinc_wait *wait, zinc_error *err);
	zinc_status (*del)(void *self, zinc_put_group *group, const zinc_del *dels, size_t n, const zinc_done *done,
			   uint32_t flags, const zinc_wait *wait, zinc_error *err);
	zinc_status (*put_begin)(void *self, zinc_put_group **group, uint32_t flags, const zinc_wait *wait,
				 zinc_error *err);
	zinc_status (*commit)(void *self, zinc_put_group *group, zinc_committed_fn fn, void *arg, const zinc_wait *wait,
			      zinc_error *err);
	void (*abort)(void *self, zinc_put_group *group);
	/* A value of more than `limit` bytes (0: any) is E_LIMIT before it is in memory. */
	zinc_status (*update)(void *self, const char *key, zinc_update_fn fn, void *arg, uint64_t limit, uint32_t flags,
			      const zinc_wait *wait, zinc_error *err);
	/* The same limit where the store must hold the old value in memory. */
	zinc_status (*splice)(void *self, const char *key, zinc_splice_fn fn, void *arg, uint64_t limit, uint32_t flags,
			      const zinc_wait *wait, zinc_error *err);
	zinc_status (*del_prefix)(void *self, const char *prefix, uint32_t flags, const zinc_wait *wait,
				  zinc_error *err);
	zinc_status (*list)(void *self, const char *prefix, zinc_key_fn fn, void *arg, const zinc_wait *wait,
			    zinc_error *err);
	zinc_status (*list_dir)(void *self, const char *prefix, zinc_entry_fn fn, void *arg, const zinc_wait *wait,
				zinc_error *err);
	zinc_status (*sync)(void *self, const zinc_wait *wait, zinc_error *err);
	zinc_status (*scrub)(void *self, const char *prefix, int remove, zinc_scrub_fn fn, void *arg,
			     const zinc_wait *wait, zinc_error *err);
	/* list, list_dir and entries that are not keys in one; a store with it needs neither of the two. */
	zinc_status (*walk)(void *self, const char *prefix, const zinc_lister *to, const zinc_wait *wait,
			    zinc_error *err);
	/* For a store that holds several keys in one value.  The parts are checked, and sorted by key and offset.  NULL: each
	 * key is one update. */
	zinc_status (*put_partial)(void *self, const zinc_partial *const *parts, size_t n, int single_writer,
				   uint32_t flags, const zinc_wait *wait, zinc_error *err);
	/* Of a wrapper: the store that its NULL slots are passed on to.  NULL: none. */
	zinc_store *(*forwards)(void *self);
	int more;       /* put and del use zinc_done.more; other stores do not get it */
	uint32_t flags; /* the capabilities that a store of this kind can have at best, for `zinc stores`; 0: unknown */
	/* ".zip,.zipx": a local file of such a name is opened by this store, as "zip" of `adapters` or "sqlite" of `schemes`;
	 * so is a path of a remote store, if it is an adapter.  NULL: none. */
	const char *endings;
	/* "A,B": environment variables that the store reads itself and by which the same URL names another server, or is read
	 * by another user; caches tell such stores apart.  NULL: none. */
	const char *variables;
	/* A value as a part of an open file.  E_UNSUPPORTED: this one is not; get() may read it.  NULL: none is. */
	zinc_status (*lend)(void *self, const char *key, zinc_lent *out, const zinc_wait *wait, zinc_error *err);
} zinc_store_ops;

/* ---- operations on an open store ----
 *
 * Where the specification leaves a choice, this holds and the conformance suite checks it: erasing a missing key is
 * ZINC_OK; a range past the end is cut; a value may be empty; a partial put past the end fills the gap with zeros;
 * listing is in byte order of the keys; a prefix is "" or ends in '/'.
 */

/* The capabilities; never fails.  Fills as much as out->size (ZINC_CAPS_INIT) covers.  Those of a remote store may change
 * as the server answers. */
ZINC_API void zinc_store_caps(zinc_store *s, zinc_caps *out);

/* The URL it was opened with, without a user name, password or query: those may be secrets. */
ZINC_API const char *zinc_store_url(const zinc_store *s);
ZINC_API zinc_context *zinc_store_context(const zinc_store *s);

/* Returns a failure only if it called no done(). */
ZINC_API ZINC_CHECKED zinc_status zinc_store_get(zinc_store *s, const zinc_get *requests, size_t n,
						 const zinc_sink *sink, const zinc_wait *wait, zinc_error *err);
/* One whole value; E_NOTFOUND when missing.  `tag` and `limit` (0: none; longer is E_LIMIT) may be NULL/0. */
ZINC_API ZINC_CHECKED zinc_status zinc_store_get_all(zinc_store *s, const char *key, zinc_blob *out, zinc_tag *tag,
						     uint64_t limit, const zinc_wait *wait, zinc_error *err);
/* The value as a part of an open file.  E_NOTFOUND when missing; E_UNSUPPORTED when this store has it in no file, or not as
 * it is: read it with zinc_store_get. */
ZINC_API ZINC_CHECKED zinc_status zinc_store_lend(zinc_store *s, const char *key, zinc_lent *out, const zinc_wait *wait,
						  zinc_error *err);
/* Many at once, in any order; `done` is called for each.  With a group, a put that reported ZINC_OK may still fail at
 * commit.  They return a failure only if they called no done(). */
ZINC_API ZINC_CHECKED zinc_status zinc_store_put_many(zinc_store *s, zinc_put_group *group, const zinc_put *puts,
						      size_t n, const zinc_done *done, uint32_t flags,
						      const zinc_wait *wait, zinc_error *err);
ZINC_API ZINC_CHECKED zinc_status zinc_store_del_many(zinc_store *s, zinc_put_group *group, const zinc_del *dels,
						      size_t n, const zinc_done *done, uint32_t flags,
						      const zinc_wait *wait, zinc_error *err);
/* One of them.  `when` NULL: any.  E_CONFLICT when the condition does not hold; for ZINC_ABSENT E_EXISTS.  With a group the
 * result may come only at commit, unless `tag` is given. */
ZINC_API ZINC_CHECKED zinc_status zinc_store_put(zinc_store *s, zinc_put_group *group, const char *key,
						 const void *bytes, size_t nbytes, const zinc_condition *when,
						 uint32_t flags, zinc_tag *tag, const zinc_wait *wait, zinc_error *err);
ZINC_API ZINC_CHECKED zinc_status zinc_store_del(zinc_store *s, zinc_put_group *group, const char *key,
						 const zinc_condition *when, uint32_t flags, const zinc_wait *wait,
						 zinc_error *err);
/* All of these keys, in one commit; continues after a failure, and returns the first. */
ZINC_API ZINC_CHECKED zinc_status zinc_store_del_keys(zinc_store *s, const char *const *keys, size_t n, uint32_t flags,
						      const zinc_wait *wait, zinc_error *err);
ZINC_API ZINC_CHECKED zinc_status zinc_store_put_begin(zinc_store *s, zinc_put_group **group, uint32_t flags,
						       const zinc_wait *wait, zinc_error *err);
/* Make the group durable and free it, whatever the outcome.  `fn` (may be NULL) is called for each key that
 * failed; the status is that of the first. */
ZINC_API ZINC_CHECKED zinc_status zinc_store_commit(zinc_store *s, zinc_put_group *group, zinc_committed_fn fn,
						    void *arg, const zinc_wait *wait, zinc_error *err);
/* Discard what is not done yet, and free the group. */
ZINC_API void zinc_store_abort(zinc_store *s, zinc_put_group *group);
/* Read, change and put one key, excluding all other writers; E_READONLY if the store has neither
 * locks nor conditions, unless `single_writer`.  A value of more than `limit` bytes (0: any) is E_LIMIT before it is in
 * memory. */
ZINC_API ZINC_CHECKED zinc_status zinc_store_update(zinc_store *s, const char *key, zinc_update_fn fn, void *arg,
						    int single_writer, uint64_t limit, uint32_t flags,
						    const zinc_wait *wait, zinc_error *err);
/* zinc_store_update where the function reads only what it needs of the old value, and names the parts to keep.  The limit
 * applies to stores that must hold the old value in memory. */
ZINC_API ZINC_CHECKED zinc_status zinc_store_splice(zinc_store *s, const char *key, zinc_splice_fn fn, void *arg,
						    int single_writer, uint64_t limit, uint32_t flags,
						    const zinc_wait *wait, zinc_error *err);
/* set_partial_values of the specification: ranges of one key must not overlap (E_INVALID). */
ZINC_API ZINC_CHECKED zinc_status zinc_store_put_partial(zinc_store *s, const zinc_partial *parts, size_t n,
							 int single_writer, uint32_t flags, const zinc_wait *wait,
							 zinc_error *err);
ZINC_API ZINC_CHECKED zinc_status zinc_store_del_prefix(zinc_store *s, const char *prefix, uint32_t flags,
							const zinc_wait *wait, zinc_error *err);
ZINC_API ZINC_CHECKED zinc_status zinc_store_list(zinc_store *s, const char *prefix, zinc_key_fn fn, void *arg,
						  const zinc_wait *wait, zinc_error *err);
ZINC_API ZINC_CHECKED zinc_status zinc_store_list_dir(zinc_store *s, const char *prefix, zinc_entry_fn fn, void *arg,
						      const zinc_wait *wait, zinc_error *err);
/* A listing of either kind that also reports entries that are not keys, where the store has such. */
ZINC_API ZINC_CHECKED zinc_status zinc_store_walk(zinc_store *s, const char *prefix, const zinc_lister *to,
						  const zinc_wait *wait, zinc_error *err);
ZINC_API ZINC_CHECKED zinc_status zinc_store_sync(zinc_store *s, const zinc_wait *wait, zinc_error *err);
ZINC_API ZINC_CHECKED zinc_status zinc_store_scrub(zinc_store *s, const char *prefix, int remove, zinc_scrub_fn fn,
						   void *arg, const zinc_wait *wait, zinc_error *err);

/* A URL for display: one line of UTF-8 without user, password and query, cut with "..." if it does not fit into `cap` > 0
 * bytes including the NUL.  Returns its length.  Text that is not a URL is shown as it is. */
ZINC_API size_t zinc_url_show(char *out, size_t cap, const char *url);

/* ---- making stores ---- */

/* Add schemes and adapters for zinc_store_open.  `ops` is never freed and must stay valid.  E_EXISTS when a scheme or adapter is taken. */
ZINC_API ZINC_CHECKED zinc_status zinc_store_register(const zinc_store_ops *ops, zinc_error *err);
/* For programs that hold libzinc.a, which loads no modules: the stores of "http" and "https" URLs.  Not in libzinc.so,
 * which finds its modules itself, but in libzinc_http.a of the same build (pkg-config --static zinc-http; CMake
 * zinc::zinc_http_static), which needs libcurl.  E_EXISTS when done before, E_UNSUPPORTED with a libzinc of another
 * build. */
ZINC_CHECKED zinc_status zinc_store_http_register(zinc_error *err);
/* The same for "sqlite": libzinc_sqlite.a, zinc-sqlite, zinc::zinc_sqlite_static, SQLite. */
ZINC_CHECKED zinc_status zinc_store_sqlite_register(zinc_error *err);
/* The same for "lmdb": libzinc_lmdb.a, zinc-lmdb, zinc::zinc_lmdb_static, LMDB. */
ZINC_CHECKED zinc_status zinc_store_lmdb_register(zinc_error *err);
/* The same for "mongodb" and "mongodb+srv": libzinc_mongodb.a, zinc-mongodb, zinc::zinc_mongodb_static, libmongoc, libbson. */
ZINC_CHECKED zinc_status zinc_store_mongodb_register(zinc_error *err);
/* The same for "postgresql" and "postgres": libzinc_postgresql.a, zinc-postgresql, zinc::zinc_postgresql_static, libpq. */
ZINC_CHECKED zinc_status zinc_store_postgresql_register(zinc_error *err);
/* The same for "leveldb", "berkeleydb", "kyotocabinet" and "tokyocabinet": libzinc_leveldb.a, zinc-leveldb,
 * zinc::zinc_leveldb_static, LevelDB, and so on. */
ZINC_CHECKED zinc_status zinc_store_leveldb_register(zinc_error *err);
ZINC_CHECKED zinc_status zinc_store_berkeleydb_register(zinc_error *err);
ZINC_CHECKED zinc_status zinc_store_kyotocabinet_register(zinc_error *err);
ZINC_CHECKED zinc_status zinc_store_tokyocabinet_register(zinc_error *err);
/* The same for "s3" URLs: in libzinc_s3.a (pkg-config --static zinc-s3; zinc::zinc_s3_static), which needs libcurl and
 * libcrypto. */
ZINC_CHECKED zinc_status zinc_store_s3_register(zinc_error *err);
/* The same for "gs" URLs: libzinc_gs.a, zinc-gs, zinc::zinc_gs_static, libcurl and libcrypto. */
ZINC_CHECKED zinc_status zinc_store_gs_register(zinc_error *err);
/* The same for "az", "abfs" and "abfss" URLs: libzinc_az.a, zinc-az, zinc::zinc_az_static, libcurl and libcrypto. */
ZINC_CHECKED zinc_status zinc_store_az_register(zinc_error *err);
/* The same for "redis" and "rediss" URLs: in libzinc_redis.a (pkg-config --static zinc-redis; zinc::zinc_redis_static),
 * which needs libssl and libcrypto. */
ZINC_CHECKED zinc_status zinc_store_redis_register(zinc_error *err);
/* A store from operations and an object already open; close() will be called for it.  `url` is copied. */
ZINC_API ZINC_CHECKED zinc_status zinc_store_wrap(zinc_store **out, zinc_context *ctx, const zinc_store_ops *ops,
						  void *self, const char *url, zinc_error *err);
/* Call `fn` with name, schemes and purpose of each registered store. */
typedef int (*zinc_row_fn)(void *arg, const char *name, const char *also, const char *purpose);
ZINC_API void zinc_store_each(zinc_row_fn fn, void *arg);

/* A kind of store: registered, or a module, which is loaded to find out. */
typedef struct zinc_store_row {
	size_t size;
	const char *name, *schemes, *adapters, *purpose; /* each may be NULL */
	uint32_t flags;      /* the capabilities that a store of this kind can have at best; 0: unknown */
	const char *missing; /* what is missing to have it, one line; NULL: nothing */
	const char *endings; /* of files that it opens; NULL: none */
} zinc_store_row;
/* Call `fn` with each; return non-zero to stop. */
typedef int (*zinc_store_row_fn)(void *arg, const zinc_store_row *row);
ZINC_API void zinc_store_each_row(zinc_context *ctx, zinc_store_row_fn fn, void *arg);
/* Would a store of some kind open a file of this name?  Decided by its ending; no module is loaded. */
ZINC_API int zinc_store_opens_file(const char *name);
/* The words for capabilities, separated by spaces ("read range list"), cut if they do not fit into `cap` > 0 bytes
 * including the NUL.  Returns their length. */
ZINC_API size_t zinc_caps_show(char *out, size_t cap, uint32_t flags);

/* Call `fn` with each setting of each store, including those of modules that can be loaded; return non-zero to stop. */
typedef int (*zinc_setting_fn)(void *arg, const char *store, const zinc_setting_row *row);
ZINC_API void zinc_store_each_setting(zinc_context *ctx, zinc_setting_fn fn, void *arg);

/* Wrappers.  Each takes its own reference to `next`. */
ZINC_API ZINC_CHECKED zinc_status zinc_store_readonly(zinc_store **out, zinc_store *next, zinc_error *err);
/* Only keys below `prefix` ("a/b/"), named without it. */
ZINC_API ZINC_CHECKED zinc_status zinc_store_prefix(zinc_store **out, zinc_store *next, const char *prefix,
						    zinc_error *err);

/* How a cache keeps what it reads. */
typedef struct zinc_store_cache_options {
	size_t size;
	const char *dir;     /* of the files; NULL: $XDG_CACHE_HOME/zinc or ~/.cache/zinc, "": memory only */
	const char *name;    /* what no other store in `dir` is called; NULL: URL and settings of `next`.  Files of the
	                          local file system, and a store that was not opened by URL, or by a relative path, or that is
	                          neither REMOTE nor DURABLE, are then kept in memory only */
	uint64_t disk_bytes; /* the most on disk, for all stores and processes together; 0: 10 GiB */
	uint64_t memory_bytes; /* the most in memory, for this store; 0: 64 MiB */
	double age; /* seconds for which a value, or its absence, is used without asking `next`; 0: each answer is
	                          confirmed by its tag */
} zinc_store_cache_options;
#define ZINC_STORE_CACHE_OPTIONS_INIT                                                                                  \
	{                                                                                                              \
		sizeof(zinc_store_cache_options), NULL, NULL, 0, 0, 0.0                                                \
	}
#define ZINC_STORE_CACHE_OPTIONS(...) ZINC_OPTIONS_OF(zinc_store_cache_options, __VA_ARGS__)
/* Keep what is read from `next`, in memory and on disk (docs/stores/cache.md).  If the disk cannot be used there is a
 * warning, and nothing fails.  `options` may be NULL. */
ZINC_API ZINC_CHECKED zinc_status zinc_store_cache(zinc_store **out, zinc_store *next,
						   const zinc_store_cache_options *options, zinc_error *err);

/* Counts of operations that have passed through a log store. */
typedef struct zinc_store_counts {
	size_t size;
	uint64_t get_calls, get_requests, get_bytes, put_calls, put_bytes, del_calls, list_calls, update_calls;
} zinc_store_counts;
#define ZINC_STORE_COUNTS_INIT                                                                                         \
	{                                                                                                              \
		sizeof(zinc_store_counts), 0, 0, 0, 0, 0, 0, 0, 0                                                      \
	}
typedef void (*zinc_log_fn)(void *arg, const char *operation, const char *key, uint64_t nbytes, zinc_status status);
/* Count every operation, and call `fn` (may be NULL) for each, from any thread, several at once. */
ZINC_API ZINC_CHECKED zinc_status zinc_store_log(zinc_store **out, zinc_store *next, zinc_log_fn fn, void *arg,
						 zinc_error *err);
ZINC_API void zinc_store_log_counts(zinc_store *log, zinc_store_counts *out);

#ifdef __cplusplus
}
#endif
#endif
