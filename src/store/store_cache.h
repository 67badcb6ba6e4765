/*
 * store_cache.h - shared by the files of the cache in front of a slower store
 *
 *   store_cache.c         the store: options, changes, closing
 *   store_cache_get.c     answers requests from memory, from disk, or from the store below
 *   store_cache_memory.c  answers kept in memory
 *   store_cache_disk.c    answers kept in files that processes share
 *   store_cache_file.c    the bytes of such a file
 *   store_cache_sweep.c   the limit of the disk
 */
#ifndef ZINC_STORE_CACHE_H
#define ZINC_STORE_CACHE_H

#include "store/store_inside.h"

/* ---- one answer of the store below ---- */

/* Which bytes a request selects, as it is written; an answer is found again by key and range. */
typedef enum cached_form { CACHED_WHOLE = 0, CACHED_PART = 1, CACHED_FROM = 2, CACHED_SUFFIX = 3 } cached_form;

typedef struct cached_range {
	cached_form form;
	uint64_t offset, length; /* 0 where the form has none */
} cached_range;

/* What is known of an answer besides its bytes. */
typedef struct cached_about {
	bool missing; /* there is no such key; everything below but `checked` is 0 */
	zinc_tag tag; /* empty: the store has no tags, so the answer can be used only while it is fresh */
	uint64_t object_size;
	uint64_t offset, nbytes; /* the bytes that are kept */
	int64_t checked;         /* when the store was last asked: nanoseconds since 1970 */
} cached_about;

/* ---- files (store_cache_file.c) ---- */

#define CACHED_HEAD_FIXED 88 /* bytes before tag, URL and key */

/* The head of a file; url and key point into the parsed bytes and are not NUL-terminated. */
typedef struct cached_head {
	size_t nbytes; /* of the head: the kept bytes follow */
	uint8_t id[ZINC_HASH_BYTES];
	cached_range range;
	cached_about about; /* `checked` is not in the file */
	uint32_t crc;       /* CRC-32C of the kept bytes */
	zinc_bytes url, key;
} cached_head;

/* The most bytes that a head with this URL and key can have. */
size_t zinc_cached_head_max(size_t nurl, size_t nkey);
/* Write h to `out`, which has room for zinc_cached_head_max bytes; returns the length. */
size_t zinc_cached_head_write(uint8_t *out, const cached_head *h);
/* Parse the first n bytes of a file.  False: not a head, or not all of it. */
bool zinc_cached_head_parse(cached_head *out, const uint8_t *bytes, size_t n);

/* ---- memory (store_cache_memory.c) ---- */

typedef struct cached_memory {
	pthread_mutex_t lock;
	zinc_fork_hook fork;
	zinc_lru table;
	uint64_t budget;
} cached_memory;

void zinc_cached_memory_init(cached_memory *m, zinc_context *ctx, uint64_t budget);
void zinc_cached_memory_fini(cached_memory *m);
/* The answer for key and range; with `bytes` not NULL it is also held until it is released.  NULL: there is none. */
void *zinc_cached_memory_find(cached_memory *m, const char *key, const cached_range *range, cached_about *about,
			      const uint8_t **bytes);
void zinc_cached_memory_release(cached_memory *m, void *hold);
/* Keep a copy, unless it is too long or there is no memory; replaces an earlier one. */
void zinc_cached_memory_add(cached_memory *m, const char *key, const cached_range *range, const cached_about *about,
			    const struct iovec *iov, int niov);
/* The store has confirmed the tag. */
void zinc_cached_memory_confirm(cached_memory *m, const char *key, const cached_range *range, const zinc_tag *tag,
				int64_t checked);
void zinc_cached_memory_drop(cached_memory *m, const char *key, const cached_range *range);

/* ---- disk (store_cache_disk.c, store_cache_sweep.c) ---- */

typedef struct cached_disk {
	zinc_context *ctx;
	char *url;                   /* of the store below */
	char *dir;                   /* for messages */
	int root;                    /* descriptor of dir/v1; -1: nothing is kept on disk */
	int ledger;                  /* of its file "ledger" */
	uint8_t id[ZINC_HASH_BYTES]; /* of the store below, with the directory's salt */
	uint64_t limit;
	atomic_bool full;  /* nothing more is written */
	atomic_bool sweep; /* a sweep is due */
	atomic_uint_fast64_t temporaries;
} cached_disk;

/* Never fails: if the directory cannot be used, there is a warning, and nothing is kept. */
void zinc_cached_disk_open(cached_disk *d, zinc_context *ctx, const char *dir, uint64_t limit, const char *url,
			   const uint8_t identity[ZINC_HASH_BYTES]);
void zinc_cached_disk_close(cached_disk *d);
/* Look only at the head.  False: there is no such file. */
bool zinc_cached_disk_find(cached_disk *d, const char *key, const cached_range *range, cached_about *about);
/* The kept bytes, checked; NULL: there are none.  The file is marked as used, and if it has the tag `confirmed` (NULL:
 * none was), as confirmed at `checked`.  Free them with zinc_free. */
uint8_t *zinc_cached_disk_load(cached_disk *d, const char *key, const cached_range *range, cached_about *about,
			       const zinc_tag *confirmed, int64_t checked);
void zinc_cached_disk_add(cached_disk *d, const char *key, const cached_range *range, const cached_about *about,
			  const struct iovec *iov, int niov);
void zinc_cached_disk_drop(cached_disk *d, const char *key, const cached_range *range);
/* When a process last changed the store through a cache with this directory; 0: never. */
int64_t zinc_cached_disk_changed(cached_disk *d);
void zinc_cached_disk_set_changed(cached_disk *d, int64_t when);

/* May nbytes more be written?  Counts them, and notes when a sweep is due. */
bool zinc_cached_disk_room(cached_disk *d, uint64_t nbytes);
/* Remove the files not used for the longest time, if together they have too many bytes.  Does nothing while another
 * process does it. */
void zinc_cached_disk_sweep(cached_disk *d, const zinc_wait *wait);

/* Nanoseconds since 1970. */
int64_t zinc_cached_now(zinc_context *ctx);

/* ---- the store ---- */

typedef struct cached {
	zinc_store *next;
	zinc_context *ctx;
	int64_t age;                /* nanoseconds for which an answer is fresh */
	atomic_int_fast64_t change; /* when this process last changed the store below */
	atomic_bool asked;          /* the store below has returned a value, so its caps are known */
	atomic_bool tagged;         /* the cache has returned a tag */
	cached_memory memory;
	cached_disk disk;
} cached;

zinc_status zinc_cached_get(void *self, const zinc_get *requests, size_t n, const zinc_sink *sink,
			    const zinc_wait *wait, zinc_error *err);

#endif
