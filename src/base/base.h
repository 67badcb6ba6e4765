/*
 * base.h - interface of the room `base`, which all other rooms use
 *
 * errors (error.c), contexts (context.c), allocation (alloc.c), the bounded buffer (buf.c), checked sizes (num.h), the
 * key checker (key.c), the table of OS calls (os_posix.c), the thread pool (pool.c), fork hooks (fork.c), checksums
 * (crc.c), deflate (flate.c), UTF-8 (utf8.c), base64 (base64.c), URIs with versions (uri.c), tables (table.c), arenas
 * (arena.c), caches (lru.c), modules (module.c), URLs without secrets (url.c), a keyed hash (hash.c), a hash for tags
 * (tag_hash.c).
 */
#ifndef ZINC_BASE_H
#define ZINC_BASE_H

#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <zinc/store.h>

#include "base/for_modules.h"
#include "base/num.h"
#include "base/options.h"
#include "base/with.h"

#define ZINC_KIB ((uint64_t)1 << 10)
#define ZINC_MIB ((uint64_t)1 << 20)
#define ZINC_GIB ((uint64_t)1 << 30)

/* ---- errors ---- */

/* Make `err` hold no failure.  Only the first byte of each text is written: zeroing all 4 KiB for every object costs
 * more than a tenth of a microsecond. */
static inline void
zinc_error_clear(zinc_error *err)
{
	err->code = ZINC_OK;
	err->os_error = 0;
	err->sentence = 0;
	err->shown = 0;
	err->url[0] = err->key[0] = err->chunk[0] = err->codec[0] = '\0';
	err->rule[0] = err->pointer[0] = err->text[0] = err->line[0] = err->region[0] = '\0';
	memset(err->reserved, 0, sizeof err->reserved);
}

/* Fill `err` (may be NULL) and return `st`.  Earlier content is replaced. */
ZINC_MODULE_API zinc_status zinc_fail(zinc_error *err, zinc_status st, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* The same for a violation of docs/rules.md: " (rule M29)" or " (rule M49, at /fill_value)" is appended to the text. */
zinc_status zinc_fail_rule(zinc_error *err, zinc_status st, const char *rule, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
zinc_status zinc_fail_rule_at(zinc_error *err, zinc_status st, const char *rule, const char *pointer, const char *fmt,
			      ...) __attribute__((format(printf, 5, 6)));
/* The text that is appended. */
void zinc_rule_suffix(char *out, size_t cap, const char *rule, const char *pointer);
/* As zinc_fail, with errnum in `os_error` and ": strerror(errnum)" appended.  The status is E_IO, or E_NOTFOUND for
 * ENOENT, E_NOMEM for ENOMEM, E_READONLY for EROFS. */
ZINC_MODULE_API zinc_status zinc_fail_errno(zinc_error *err, int errnum, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
ZINC_MODULE_API zinc_status zinc_fail_nomem(zinc_error *err);
/* Add the place to an error; the first (innermost) name stays.  All return `st`, for use in `return`. */
zinc_status zinc_error_at_url(zinc_error *err, zinc_status st, const char *url);
zinc_status zinc_error_at_key(zinc_error *err, zinc_status st, const char *key);
zinc_status zinc_error_at_chunk(zinc_error *err, zinc_status st, const uint64_t *index, int ndim);
/* The elements of a chunk, cut at the shape of the array. */
zinc_status zinc_error_at_region(zinc_error *err, zinc_status st, const uint64_t *start, const uint64_t *extent,
				 const uint64_t *shape, int ndim);
zinc_status zinc_error_at_codec(zinc_error *err, zinc_status st, const char *codec);
/* Copy `from` to `to` (either may be NULL) and return its code; an error without a failure is not copied.  A step that
 * may fail without failing the call uses an error of its own, which is copied if the call fails. */
ZINC_MODULE_API zinc_status zinc_error_copy(zinc_error *to, const zinc_error *from);
/* After a new failure whose text mentions `cause`: copy rule, pointer and errno from the cause. */
zinc_status zinc_error_by(zinc_error *err, zinc_status st, const zinc_error *cause);
/* Set the rule if the text already names it; an earlier one stays. */
zinc_status zinc_error_by_rule(zinc_error *err, zinc_status st, const char *rule);
/* Copy `s` for display: one line of valid UTF-8, other bytes as \xNN, "..." at the end when it does not fit into `cap`
 * (> 3) bytes, including the NUL.  Returns the length. */
size_t zinc_show(char *out, size_t cap, const char *s);

/* Return on error; the only control-flow macro. */
#define ZINC_TRY(expr)                                                                                                 \
	do {                                                                                                           \
		zinc_status try_ = (expr);                                                                             \
		if (try_ != ZINC_OK)                                                                                   \
			return try_;                                                                                   \
	} while (0)

/* For public functions: E_INVALID, naming the function, if a required argument is missing.  ZINC_TRY(ZINC_NEED(out &&
 * h, err)); */
#define ZINC_NEED(what, err) ((what) ? ZINC_OK : zinc_fail(err, ZINC_E_INVALID, "%s needs %s", __func__, #what))

/* ---- fork ---- */

/*
 * For objects with a lock: the thread that calls fork() holds it meanwhile.  Locks are taken from the newest hook to the
 * oldest and released in the opposite order, so locks of upper rooms are taken first.  Never add or remove a hook while
 * holding a lock that has one.
 */
typedef struct zinc_fork_hook {
	pthread_mutex_t *lock;
	void (*child)(void *object); /* in the child, with the lock held: initialise again; may be NULL */
	void (*before)(
	    void *object); /* before the fork, with the lock held: give up what no child may have; may be NULL */
	void *object;
	struct zinc_fork_hook *next, *prev; /* NULL while not in the list */
} zinc_fork_hook;
ZINC_MODULE_API void zinc_fork_add(zinc_fork_hook *hook);    /* no effect if it is in the list */
ZINC_MODULE_API void zinc_fork_remove(zinc_fork_hook *hook); /* no effect if it is not in the list */

/* ---- waiting (wait.c; zinc_wait_check and zinc_wait_left are public) ---- */

/* Start the timeout of a public call (`call` NULL: no limit).  E_INVALID as zinc_call_options_take. */
zinc_status zinc_wait_begin(zinc_wait *out, const zinc_call_options *call, zinc_error *err);
/* The remaining time, for a public call inside another. */
zinc_call_options zinc_wait_rest(const zinc_wait *wait);
/* zinc_wait_check whose error names what the call waited for. */
ZINC_MODULE_API zinc_status zinc_wait_for(const zinc_wait *wait, const char *what, zinc_error *err);
/* Sleep; E_CANCELLED as soon as the time is over. */
ZINC_MODULE_API zinc_status zinc_wait_pause(const zinc_wait *wait, double seconds, const char *what, zinc_error *err);
/* pthread_cond_wait that now and then also returns without a signal; the condition is made by zinc_wait_cond_init. */
ZINC_MODULE_API zinc_status zinc_wait_cond(const zinc_wait *wait, pthread_cond_t *cond, pthread_mutex_t *mutex,
					   const char *what, zinc_error *err);
ZINC_MODULE_API void zinc_wait_cond_init(pthread_cond_t *cond);

/* Mutual exclusion for work that may wait for others (turn.c).  A mutex must be held only briefly, because fork() waits
 * for it. */
typedef struct zinc_turn {
	pthread_mutex_t lock; /* guards `taken` */
	pthread_cond_t given;
	bool taken;
	zinc_fork_hook fork;
} zinc_turn;
ZINC_MODULE_API void zinc_turn_init(zinc_turn *t);
ZINC_MODULE_API void zinc_turn_fini(zinc_turn *t);
ZINC_MODULE_API zinc_status zinc_turn_acquire(zinc_turn *t, const zinc_wait *wait, zinc_error *err); /* E_CANCELLED */
ZINC_MODULE_API void zinc_turn_release(zinc_turn *t);

/* ---- context, memory ---- */

typedef struct zinc_os zinc_os;
typedef struct zinc_pool zinc_pool;

/* A kind of object that another room keeps in contexts. */
typedef struct zinc_slot_kind {
	void (*free)(zinc_context *ctx, void *object);
	void (*trim)(zinc_context *ctx); /* frees what no call is using */
} zinc_slot_kind;

struct zinc_context {
	zinc_allocator allocator;
	zinc_limits limits; /* every member is set */
	zinc_warn_fn warn;
	void *warn_arg;
	zinc_trace_fn trace;
	void *trace_arg;
	int threads;
	uint64_t cache_bytes;
	uint64_t in_flight_bytes;
	const zinc_os *os;
	zinc_pool *pool;      /* created on first use */
	pthread_mutex_t lock; /* guards the creation of the pool, snapshots of handles, `slots`, known documents */
	/* Objects of other rooms that live as long as the context (zinc_context_slot). */
	struct {
		const zinc_slot_kind *kind; /* NULL: free */
		void *object;
	} slots[4];
	zinc_fork_hook fork; /* keeps `lock` usable in a child */
};
/* Where the context keeps the object of that kind; it holds NULL at first.  ctx->lock is held. */
void **zinc_context_slot(zinc_context *ctx, const zinc_slot_kind *kind);

/* `ctx`, or the process's default context; never NULL. */
ZINC_MODULE_API zinc_context *zinc_context_get(zinc_context *ctx);
/* For tests: replace the table of OS calls. */
void zinc_context_set_os(zinc_context *ctx, const zinc_os *os);
ZINC_MODULE_API void zinc_warn(zinc_context *ctx, const char *where, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/*
 * Copy an options structure of any version; its first member is its size.  Members that it does not have become zero.
 * `from` NULL gives all zeros.  E_INVALID without a size, and if members are set that this library does not know.
 */
zinc_status zinc_options_take(void *to, size_t nbytes, const void *from, zinc_error *err);
/* The same, and E_INVALID for invalid numbers (options.h). */
zinc_status zinc_options_take_as(const zinc_options_kind *kind, void *to, const void *from, zinc_error *err);
/* The same for zinc_call_options.  E_INVALID also for a timeout that is negative or NaN. */
zinc_status zinc_call_options_take(zinc_call_options *to, const zinc_call_options *from, zinc_error *err);
/* May a call with these options begin?  E_INVALID, E_CANCELLED. */
zinc_status zinc_call_options_check(const zinc_call_options *call, zinc_error *err);

/* An answer begins with the size that the caller has set.  E_INVALID if that is missing; `out` NULL: no answer is
 * requested.  Checked before anything is done. */
zinc_status zinc_result_check(const void *out, zinc_error *err);
/* Fill it with as much of `from`, a structure of the same type, as fits. */
void zinc_result_fill(void *out, const void *from, size_t nbytes);

/* The allocator of contexts without one of their own. */
extern const zinc_allocator zinc_allocator_libc;
/* Only alloc.c calls malloc.  A size of 0 gives a valid pointer.  NULL: out of memory. */
ZINC_MODULE_API void *zinc_alloc(zinc_context *ctx, size_t nbytes);
ZINC_MODULE_API void *zinc_calloc(zinc_context *ctx, size_t n, size_t nbytes); /* zeroed; checks the product */
ZINC_MODULE_API void *zinc_realloc(zinc_context *ctx, void *p, size_t nbytes);
ZINC_MODULE_API void zinc_free(zinc_context *ctx, void *p);
ZINC_MODULE_API char *zinc_strdup(zinc_context *ctx, const char *s);
ZINC_MODULE_API char *zinc_strndup(zinc_context *ctx, const char *s, size_t n);
/* Zeroed memory in pages of its own, for secrets: not in core dumps, locked if possible, wiped when it is freed. */
ZINC_MODULE_API void *zinc_alloc_secret(zinc_context *ctx, size_t nbytes);
ZINC_MODULE_API void zinc_free_secret(zinc_context *ctx, void *p);

/* ---- modules: code that libzinc itself does not link ---- */

/* Identifies the headers that this libzinc was compiled with; always the same pointer. */
ZINC_MODULE_API const char *zinc_build(void);
/* The function "zinc_module_init" of the module NAME (docs/architecture.md); modules are never unloaded.  E_NOTFOUND
 * when there is none, E_UNSUPPORTED when it cannot be loaded or trusted, or is of another build. */
zinc_status zinc_module_load(zinc_context *ctx, const char *name, void **init, zinc_error *err);

/* ---- URIs that end in a version (uri.c) ---- */

/* How well a URI matches a known one; higher is better. */
typedef enum zinc_uri_match {
	ZINC_URI_OTHER, /* not at all */
	ZINC_URI_MAJOR, /* the same name in another major version, which means something else */
	ZINC_URI_MINOR, /* another minor version: readable, with a warning */
	ZINC_URI_SAME
} zinc_uri_match;

zinc_uri_match zinc_uri_compare(const char *known, const char *given);
/* Is it a URI (RFC 3986): a scheme, ':' and only characters that URIs may have? */
bool zinc_uri_is(const char *text);
/* The best match among a NULL-terminated list of spellings; `known` may be NULL. */
zinc_uri_match zinc_uri_among(const char *const *known, const char *given);
/* The first spelling with this prefix, else the first; NULL: there are none. */
const char *zinc_uri_choose(const char *const *known, const char *begins);

/* ---- tables: built-in rows, and rows that programs add (table.c) ---- */

/* The names by which a row is found and listed; members that its kind lacks are NULL. */
typedef struct zinc_names {
	const char *name;
	const char *const *aliases; /* NULL-terminated */
	const char *const *uris;    /* NULL-terminated; compared by uri.c */
	const char *purpose;
	const char *also; /* shown beside the name in lists */
} zinc_names;

/* Rows are never freed.  Added rows are stored from the front and never removed, so that reading needs no lock. */
#define ZINC_TABLE_ROOM 64
typedef struct zinc_table zinc_table;
struct zinc_table {
	const char *what; /* "a codec", for messages */
	const void *const *builtin;
	size_t nbuiltin;
	zinc_names (*names)(const void *row);
	/* E_EXISTS when `row` cannot be added because of `other`.  NULL: zinc_table_clash. */
	zinc_status (*clash)(const zinc_table *t, const void *row, const void *other, zinc_error *err);
	_Atomic(const void *) added[ZINC_TABLE_ROOM];
};
#define ZINC_TABLE_ROWS(rows) .builtin = (rows), .nbuiltin = sizeof(rows) / sizeof(rows)[0]

/* Row i, built-in ones first; NULL: no more. */
const void *zinc_table_row(zinc_table *t, size_t i);
bool zinc_table_is_builtin(const zinc_table *t, const void *row);
/* By name or alias; NULL: not found. */
const void *zinc_table_find(zinc_table *t, const char *name);
/* The row whose URI matches best.  *match is MINOR or SAME; if NULL is returned, it says whether another major version
 * is known. */
const void *zinc_table_find_uri(zinc_table *t, const char *uri, zinc_uri_match *match);
/* Call fn for each row with its name, other names and purpose, until fn returns non-zero, which is returned. */
int zinc_table_each(zinc_table *t, zinc_row_fn fn, void *arg);
/* E_EXISTS when a name is already registered, E_INVALID without a name, E_LIMIT when the table is full. */
zinc_status zinc_table_add(zinc_table *t, const void *row, zinc_error *err);
/* The same for a copy of the `nbytes` at `row`.  E_NOMEM. */
zinc_status zinc_table_add_copy(zinc_table *t, const void *row, size_t nbytes, zinc_error *err);
/* E_EXISTS when the two rows share a name, alias or URI. */
zinc_status zinc_table_clash(const zinc_table *t, const void *row, const void *other, zinc_error *err);

/* ---- bounded buffer: the only growable memory ---- */

typedef struct zinc_buf {
	uint8_t *p;
	size_t n;
	size_t cap;
	size_t max;  /* it never grows beyond */
	size_t peak; /* the most bytes requested since the owner last reset it */
	zinc_context *ctx;
	bool borrowed; /* the memory belongs to the caller */
	bool bare;     /* and has no byte for a NUL after `cap` */
} zinc_buf;

typedef struct zinc_bytes {
	const uint8_t *p;
	size_t n;
} zinc_bytes;

/* The parts of a URL that may be shown, in order (url.c); returns their number. */
#define ZINC_URL_PARTS 10
size_t zinc_url_parts(const char *url, zinc_bytes out[ZINC_URL_PARTS]);
/* Of "zip://path::URL", as fsspec writes it: the URL.  NULL: it is another URL. */
const char *zinc_url_chained(const char *url);

/*
 * Limits of buffers, by purpose; every buffer has one.  An unlimited limit of the context is reduced to half the
 * address space, so that sums of two do not overflow.
 */
#define ZINC_MAX_KEY ((size_t)ZINC_MIB)        /* a key, prefix, path, name or URL; stores have lower limits */
size_t zinc_max_document(zinc_context *ctx);   /* one stored document: limits.json_bytes */
size_t zinc_max_text(zinc_context *ctx);       /* the printed text of a document: escaped, indented, with added words */
size_t zinc_max_list(zinc_context *ctx);       /* names and records of one listing: limits.children, 256 bytes each */
size_t zinc_max_chunk(zinc_context *ctx);      /* a chunk, decoded or encoded: limits.chunk_bytes and what codecs add */
size_t zinc_max_many(uint64_t n, size_t each); /* n items of this size */

ZINC_MODULE_API void zinc_buf_init(zinc_buf *b, zinc_context *ctx, size_t max);
/* A buffer in nbytes > 0 of the caller's memory, one of them for a NUL: it cannot grow (E_LIMIT), and fini frees
 * nothing. */
void zinc_buf_wrap(zinc_buf *b, void *p, size_t nbytes);
ZINC_MODULE_API void zinc_buf_fini(zinc_buf *b);
/* zinc_buf_fini for secrets; reserve all memory first, because growing leaves copies. */
ZINC_MODULE_API void zinc_buf_wipe(zinc_buf *b);
/* Make room for `more` bytes after n.  E_LIMIT above max, E_NOMEM. */
ZINC_MODULE_API zinc_status zinc_buf_reserve(zinc_buf *b, size_t more, zinc_error *err);
/* Set n to 0 and make room for `n` bytes; the content is not kept, so growing copies nothing. */
zinc_status zinc_buf_reset(zinc_buf *b, size_t n, zinc_error *err);
ZINC_MODULE_API zinc_status zinc_buf_add(zinc_buf *b, const void *p, size_t n, zinc_error *err);
ZINC_MODULE_API zinc_status zinc_buf_puts(zinc_buf *b, const char *s, zinc_error *err);
ZINC_MODULE_API zinc_status zinc_buf_printf(zinc_buf *b, zinc_error *err, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* Set the end of the content to n <= cap, to shorten it or after writing to p directly.  Writes a NUL after it, as the
 * functions above do; codecs, whose bytes are no text, set `n` themselves. */
static inline void
zinc_buf_end(zinc_buf *b, size_t n)
{
	b->n = n;
	if (b->p && (!b->bare || n < b->cap))
		b->p[n] = 0;
}
/* The content as a NUL-terminated string, also if `n` was set directly; borrowed.  NULL: out of memory. */
ZINC_MODULE_API const char *zinc_buf_text(zinc_buf *b);
/* Pass the memory to a blob (with its zero byte) and empty the buffer. */
ZINC_MODULE_API zinc_status zinc_buf_to_blob(zinc_buf *b, zinc_blob *out, zinc_error *err);

/* ---- arenas: memory that is freed all at once, for many threads ---- */

/* Copy n bytes into the arena.  E_LIMIT, E_NOMEM. */
zinc_status zinc_arena_add(zinc_arena *a, const void *p, size_t n, const void **out, zinc_error *err);

/* ---- keys ---- */

/* Is `key` a valid key?  No empty, "." or ".." component, no leading or trailing '/', no control bytes, valid UTF-8.
 * E_INVALID with the reason.  Length limits belong to the stores. */
ZINC_MODULE_API zinc_status zinc_key_check(const char *key, zinc_error *err);
/* The same for a prefix: "" or a key followed by '/'. */
ZINC_MODULE_API zinc_status zinc_prefix_check(const char *prefix, zinc_error *err);
/* "a/b/.zarray" -> ".zarray" */
const char *zinc_key_name(const char *key);
/* Strict UTF-8 (no surrogates, no overlong forms, at most U+10FFFF). */
ZINC_MODULE_API bool zinc_utf8_valid(const char *s, size_t n);
/* Length of the character at the start of s[0..n), its code point in `code` (may be NULL); 0 when it is not valid. */
size_t zinc_utf8_next(const char *s, size_t n, uint32_t *code);

/* Write the bytes of the code point `code`, which must be valid, to `out`; returns their number. */
ZINC_MODULE_API size_t zinc_utf8_put(char out[4], uint32_t code);

/* ---- base64 ---- */

/* Append, padded with '='. */
ZINC_MODULE_API zinc_status zinc_base64_encode(const void *bytes, size_t n, zinc_buf *out, zinc_error *err);
/* Writes at most `room` bytes; *nbytes is the number of decoded bytes.  False: it is not base64. */
ZINC_MODULE_API bool zinc_base64_decode(const char *s, size_t n, void *bytes, size_t room, size_t *nbytes);

/* ---- the shortest decimal of a float (shortest.c) ---- */

/* d.ddd * 10^exponent. */
typedef struct zinc_digits {
	char digit[18];
	int n; /* of them; the last is not '0', unless it is the only one */
	int exponent;
} zinc_digits;

#define ZINC_DIGITS_TEXT 48

/* The fewest digits that read back as v, a finite number of the float type of `size` bytes (2, 4, 8); without sign.
 * `nearest`: only the nearest decimal of so many digits counts, which for a few powers of two takes one digit more. */
void zinc_shortest(zinc_digits *out, double v, size_t size, bool nearest);
/* "1200", "0.5", or `scientific` "1.2e+03"; with `point` whole numbers are "1200.0".  Returns the length.  Numbers of
 * more than 16 digits in front of the point, or 16 zeros behind it, must be scientific. */
size_t zinc_digits_print(const zinc_digits *d, bool scientific, bool point, char out[ZINC_DIGITS_TEXT]);

/* ---- checksums ---- */

ZINC_MODULE_API uint32_t zinc_crc32c(uint32_t crc, const void *p, size_t n); /* Castagnoli; start with 0 */
uint32_t zinc_crc32(uint32_t crc, const void *p, size_t n);                  /* as in gzip; start with 0 */

/* ---- a keyed hash (hash.c) ---- */

#define ZINC_HASH_BYTES 16
/* `out` may be `key`. */
void zinc_hash128(uint8_t out[ZINC_HASH_BYTES], const uint8_t key[ZINC_HASH_BYTES], const void *bytes, size_t n);

/* ---- a strong hash of bytes as a tag (tag_hash.c) ---- */

#define ZINC_HASH_BLOCK 256u
typedef struct zinc_hash {
	uint64_t state[4];
	uint64_t nbytes;
	uint64_t key[ZINC_HASH_BLOCK / 8 + 2];
	uint8_t block[ZINC_HASH_BLOCK]; /* the bytes that do not fill one yet */
} zinc_hash;
ZINC_MODULE_API void zinc_hash_begin(zinc_hash *h);
ZINC_MODULE_API void zinc_hash_add(zinc_hash *h, const void *bytes, size_t n);
ZINC_MODULE_API void zinc_hash_end(zinc_hash *h, zinc_tag *out);

/* ---- deflate streams (flate.c) ---- */

/* NULL, or the name of the library missing from this build; then nothing below may be called. */
#if ZINC_WITH_DEFLATE
#define ZINC_FLATE_LACKS NULL
#else
#define ZINC_FLATE_LACKS "libdeflate"
#endif

typedef enum zinc_flate_form { ZINC_FLATE_BARE, ZINC_FLATE_ZLIB, ZINC_FLATE_GZIP } zinc_flate_form;
typedef enum zinc_flate_result {
	ZINC_FLATE_OK,
	ZINC_FLATE_BAD,   /* not a stream, cut off, or a wrong checksum */
	ZINC_FLATE_LONGER /* it decodes to more than there is room */
} zinc_flate_result;

/* For one thread at a time.  NULL: out of memory. */
void *zinc_inflater_new(void);
void zinc_inflater_free(void *inflater);
/* Decode the stream at the start of `in`: *used bytes of it become *got bytes. */
zinc_flate_result zinc_inflate(void *inflater, zinc_flate_form form, zinc_bytes in, void *out, size_t room,
			       size_t *used, size_t *got);
void *zinc_deflater_new(int level);
void zinc_deflater_free(void *deflater);
/* The most bytes that n bytes become. */
size_t zinc_deflate_bound(void *deflater, zinc_flate_form form, size_t n);
/* The number of bytes written; 0: not enough room. */
size_t zinc_deflate(void *deflater, zinc_flate_form form, zinc_bytes in, void *out, size_t room);

/* ---- caches: entries found by key; the least recently used are dropped first (lru.c) ---- */

/* The first member of a cache's own entry. */
typedef struct zinc_lru_entry {
	struct zinc_lru_entry *chain;         /* in its bucket */
	struct zinc_lru_entry *newer, *older; /* by last use */
	unsigned refs;                        /* the table's, and one per holder */
	uint32_t hash;
	zinc_tag tag;
	size_t nbytes;
	uint8_t *bytes;
	char *key;
} zinc_lru_entry;

#define ZINC_LRU_BUCKETS 1024u /* chains stay short: 1 GiB of 1 MiB entries fills each once */

/* All zeros except ctx is an empty table.  The caller's lock is held around every call except zinc_lru_hash and
 * zinc_lru_entry_new. */
typedef struct zinc_lru {
	zinc_context *ctx;
	uint64_t used; /* bytes of all entries */
	zinc_lru_entry *newest, *oldest;
	zinc_lru_entry *buckets[ZINC_LRU_BUCKETS];
} zinc_lru;

/* Entries of one key may differ in a number. */
uint32_t zinc_lru_hash(const char *key, uint64_t number);
/* A new entry of `size` bytes, zeros after its head, with room for nbytes; it is in no table yet.  NULL: out of
 * memory. */
zinc_lru_entry *zinc_lru_entry_new(zinc_lru *l, size_t size, uint32_t hash, const char *key, const zinc_tag *tag,
				   size_t nbytes);
/* The first entry of a key, or the next one after `after`; NULL: no more. */
zinc_lru_entry *zinc_lru_next(zinc_lru *l, uint32_t hash, const char *key, const zinc_lru_entry *after);
/* Mark an entry as newest; it stays in memory until it is released. */
void zinc_lru_hold(zinc_lru *l, zinc_lru_entry *e);
void zinc_lru_release(zinc_lru *l, zinc_lru_entry *e);
/* Add a new entry of at most `budget` bytes; the oldest ones are dropped until all together have no more than that. */
void zinc_lru_add(zinc_lru *l, zinc_lru_entry *e, uint64_t budget);
/* Remove an entry, or all, from the table. */
void zinc_lru_drop(zinc_lru *l, zinc_lru_entry *e);
void zinc_lru_empty(zinc_lru *l);

/* ---- thread pool ---- */

/*
 * Call fn(arg, i, worker) for every i < n, on at most `threads` threads including the caller, dynamically scheduled;
 * return when all calls are done.  `worker` < threads is the same for all calls of one thread in this run.  A run
 * inside a worker uses only that worker.  If threads cannot be started, the run uses fewer.  A fork() inside `fn` is
 * for exec only.
 */
typedef void (*zinc_pool_fn)(void *arg, size_t i, int worker);
void zinc_pool_run(zinc_context *ctx, int threads, size_t n, zinc_pool_fn fn, void *arg);
void zinc_pool_free(zinc_pool *pool);
/* Start a thread to which no signal of the program is delivered; false: none can be started. */
ZINC_MODULE_API bool zinc_thread_start(pthread_t *thread, void *(*fn)(void *), void *arg);

/* ---- OS calls: a table, so that tests can replace each ---- */

/*
 * Each returns -1 and sets errno on failure, like the system call.  The caller handles EINTR.  `self` is the table, so
 * that a replacement can carry state.
 */
struct zinc_os {
	int (*open_root)(const zinc_os *self, const char *path, int flags); /* open(2) of a directory */
	int (*open_at)(const zinc_os *self, int dir, const char *path, int flags, mode_t mode, int links);
	/* ZINC_LINKS_FOLLOW: openat.  BENEATH: openat2 RESOLVE_BENEATH; leaving `dir` is EXDEV.  REFUSE: also
	 * NO_SYMLINKS; a link is ELOOP.  On a kernel without openat2, both open component by component with O_NOFOLLOW;
	 * then BENEATH also refuses links that stay beneath. */
	int (*close)(const zinc_os *self, int fd); /* never repeat it: `fd` is closed whatever it returns */
	ssize_t (*pread)(const zinc_os *self, int fd, void *p, size_t n, off_t at);
	ssize_t (*preadv)(const zinc_os *self, int fd, const struct iovec *iov, int niov, off_t at);
	ssize_t (*writev)(const zinc_os *self, int fd, const struct iovec *iov, int niov);
	/* copy_file_range(2) to the position of the file `to` */
	ssize_t (*copy_range)(const zinc_os *self, int from, off_t at, int to, size_t n);
	int (*ftruncate)(const zinc_os *self, int fd, off_t n);
	int (*reserve)(const zinc_os *self, int fd, off_t n); /* fallocate(2) of blocks up to n; the size stays */
	int (*fsync)(const zinc_os *self, int fd);
	int (*fstat)(const zinc_os *self, int fd, struct stat *st);
	int (*fstatat)(const zinc_os *self, int dir, const char *name, struct stat *st); /* AT_SYMLINK_NOFOLLOW */
	int (*futimens)(const zinc_os *self, int fd, const struct timespec times[2]);
	/* Give `fd` the permissions of `like`, and as far as that is allowed its owner and group.  If it keeps another group,
	 * that group gets no more than everybody. */
	int (*fchmod_as)(const zinc_os *self, int fd, const struct stat *like);
	int (*mkdirat)(const zinc_os *self, int dir, const char *name, mode_t mode);
	int (*unlinkat)(const zinc_os *self, int dir, const char *name, int flags);
	int (*renameat)(const zinc_os *self, int from, const char *a, int to, const char *b);
	int (*lock)(const zinc_os *self, int fd); /* exclusive F_OFD_SETLK of the whole file */
	int (*unlock)(const zinc_os *self, int fd);
	int (*read_dir)(const zinc_os *self, int dir, int (*fn)(void *arg, const char *name, int type), void *arg);
	/* every entry except . and .., type as in dirent; fn non-zero stops (result 0); `dir` stays open and is rewound
	 * first */
	int (*clock)(const zinc_os *self, int id, struct timespec *now);
};
extern const zinc_os zinc_os_posix;

/* The process's current directory, NUL-terminated; -1 and errno when there is none or it does not fit. */
ZINC_MODULE_API int zinc_cwd(char *out, size_t nbytes);

/* A program whose output is read (os_posix.c). */
typedef struct zinc_child {
	pid_t pid;
	int out; /* a pipe with its standard output */
} zinc_child;
/* Start argv[0], found by PATH.  0, or an errno. */
ZINC_MODULE_API int zinc_child_start(zinc_child *c, char *const argv[]);
/* Read what it has written: 0 at the end; -1 with EAGAIN if there is nothing within `ms`. */
ZINC_MODULE_API ssize_t zinc_child_read(const zinc_child *c, void *p, size_t n, int ms);
/* 1: it has ended, with *status as of waitpid; 0: not yet; -1: errno. */
ZINC_MODULE_API int zinc_child_wait(const zinc_child *c, int *status);
/* Close the pipe; `running`: also kill the program and its own children, and wait for its end. */
ZINC_MODULE_API void zinc_child_end(zinc_child *c, bool running);

/* A variable of the environment; NULL when it is not set or empty, or when the program has more rights than its
 * caller. */
ZINC_MODULE_API const char *zinc_env(const char *name);

/* Has the caller's flag (NULL: none) been set?  Other threads and signal handlers may be writing it. */
static inline bool
zinc_cancelled(const volatile int *flag)
{
	return flag && __atomic_load_n(flag, __ATOMIC_RELAXED) != 0;
}

/* The flag inside `cancel`, which may be NULL. */
static inline const volatile int *
zinc_cancel_flag(const zinc_cancel *cancel)
{
	return cancel ? &cancel->raised : NULL;
}

/* Seconds on the monotonic clock. */
ZINC_MODULE_API double zinc_now(zinc_context *ctx);

#endif
