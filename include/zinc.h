/*
 * zinc.h - Zarr in C: chunked, compressed N-dimensional arrays in any store
 *
 * This header is the manual of the library; read it from top to bottom:
 *
 *    1  status and errors        what every call returns
 *    2  options                  how every call is tuned
 *    3  context                  threads, memory, limits, warnings
 *    4  element types, buffers   what your program's memory looks like
 *    5  selections               which elements
 *    6  stores and hierarchies   where the bytes are
 *    7  arrays                   create, open, read, write, resize
 *    8  nodes                    groups, walking, attributes, erasing
 *    9  buffered writer          for programs that write small pieces
 *
 * Programs that add their own stores, codecs, data types, grids or key
 * encodings also include <zinc/store.h> or <zinc/extend.h>; checking, statistics
 * and the like are in <zinc/tool.h>, Zarr conventions in <zinc/conventions.h>, the
 * element types of NumPy in <zinc/numpy.h>.
 *
 * Ownership.  A pointer that is *returned* is borrowed from its parent and lives
 * as long as it.  A pointer written through a `**out` first parameter is yours;
 * free it with the one _free or _close function named beside it, which accepts NULL.
 *
 * Threads.  Every function may be called from many threads at once, on the same
 * handle too, except that a handle must not be closed while in use.  The library
 * starts its threads when it first needs them, and can be used after fork().
 *
 * Text is UTF-8.  JSON is passed as text.
 */
#ifndef ZINC_H
#define ZINC_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ZINC_VERSION "0.1.0"

#if defined(__GNUC__)
#define ZINC_API __attribute__((visibility("default")))
#define ZINC_CHECKED __attribute__((warn_unused_result))
#else
#define ZINC_API
#define ZINC_CHECKED
#endif
/* The highest number of dimensions; also the default of zinc_limits.rank. */
#define ZINC_MAX_NDIM 64

/* ------------------------------------------------------------------------
 * 1  Status and errors
 * ------------------------------------------------------------------------ */

/* X(name, number, meaning).  The numbers never change. */
#define ZINC_STATUS_LIST(X)                                              \
	X(E_NOMEM, 1, "out of memory")                                   \
	X(E_INVALID, 2, "the caller broke this function's contract")     \
	X(E_NOTFOUND, 3, "no such key or node")                          \
	X(E_CORRUPT, 4, "the stored bytes contradict the format")        \
	X(E_CHECKSUM, 5, "a checksum does not match")                    \
	X(E_UNSUPPORTED, 6, "valid Zarr, but not built into this library") \
	X(E_LIMIT, 7, "a limit of zinc_limits would be passed")          \
	X(E_IO, 8, "the operating system reported an error")             \
	X(E_CONFLICT, 9, "someone else changed the key first")           \
	X(E_UNCERTAIN, 10, "the write may or may not have happened")     \
	X(E_EXISTS, 11, "the target already exists")                     \
	X(E_CANCELLED, 12, "the caller cancelled or the deadline passed") \
	X(E_READONLY, 13, "this store or handle cannot be written")      \
	X(E_RANGE, 14, "a value or index does not fit")

typedef enum zinc_status {
	ZINC_OK = 0,
#define ZINC_X(name, number, meaning) ZINC_##name = number,
	ZINC_STATUS_LIST(ZINC_X)
#undef ZINC_X
} zinc_status;

/* Why a call failed.  The caller owns it, on the stack or elsewhere.  Every function takes it as its last parameter, NULL is
 * allowed, and it is written only on failure.  Each text is NUL-terminated, and empty when it does not apply. */
typedef struct zinc_error {
	zinc_status code;
	int os_error;      /* errno of the system call that failed, else 0 */
	char url[384];     /* which store or node */
	char key[384];     /* which key of the store */
	char chunk[128];   /* which chunk: "1,0,3" */
	char codec[64];    /* which codec */
	char rule[32];     /* which rule of docs/rules.md is broken: "M29" */
	char pointer[128]; /* where in the document: a JSON pointer, "/fill_value" */
	char text[640];    /* what is wrong, and what to do about it where known; then the rule, if any */
	unsigned sentence; /* bytes of `text` before the rule; 0: there is no rule */
	char line[1856];   /* everything on one line; filled by zinc_error_text */
	char region[128];  /* which elements of the array the chunk holds: "20:30, 48:64"; of a shard, the inner chunk's */
	int shown;         /* of a walk: 1 if it has shown everything else, and this failure as the problem of a node */
	char reserved[124];
} zinc_error;

/* clang-format off */
#define ZINC_ERROR_INIT {ZINC_OK, 0, "", "", "", "", "", "", "", 0, "", "", 0, ""}
/* clang-format on */

/* The error as one line, "url: key: chunk 1,0: codec: text; elements 20:30, 0:9"; borrowed from `err`.  "" for NULL, or if nothing failed. */
ZINC_API const char *zinc_error_text(zinc_error *err);

/* The status in `err`; ZINC_OK when nothing failed. */
ZINC_API zinc_status zinc_error_status(const zinc_error *err);

/* The meaning of a status as in ZINC_STATUS_LIST; never NULL. */
ZINC_API const char *zinc_status_text(zinc_status status);

/* The name of a status, "E_CORRUPT"; never NULL. */
ZINC_API const char *zinc_status_name(zinc_status status);

/* The library's version, "0.1.0". */
ZINC_API const char *zinc_version(void);

/* ------------------------------------------------------------------------
 * 2  Options
 *
 * An options structure starts with its size, so that it can grow.  A zero member
 * means "the default", a NULL pointer all defaults.  In C:
 *
 *     zinc_array_create_url(&a, url, ZINC_ARRAY_OPTIONS(.ndim = 2, .shape = s, .dtype = "float32"), NULL,
 *                           &err);
 *
 * and in C or C++:
 *
 *     zinc_array_options o = ZINC_ARRAY_OPTIONS_INIT;
 *     o.ndim = 2;
 * ------------------------------------------------------------------------ */

#ifndef __cplusplus
#define ZINC_OPTIONS_OF(type, ...) (&(type){.size = sizeof(type), __VA_ARGS__})
#endif

/* ------------------------------------------------------------------------
 * 3  Context
 * ------------------------------------------------------------------------ */

/* A context owns the thread pool, the allocator, the limits, the chunk cache and the warning callback.  NULL means the
 * default context of the process, made on first use.  A context must outlive everything opened with it. */
typedef struct zinc_context zinc_context;

/* All memory of the library comes from here (codec libraries allocate their own work space;
 * docs/promises.md lists it).  `realloc` and `free` accept NULL; all may be called from any thread. */
typedef struct zinc_allocator {
	size_t size;
	void *(*alloc)(void *ctx, size_t nbytes);
	void *(*realloc)(void *ctx, void *p, size_t nbytes);
	void (*free)(void *ctx, void *p);
	void *ctx;
} zinc_allocator;
/* clang-format off */
#define ZINC_ALLOCATOR_INIT {sizeof(zinc_allocator), NULL, NULL, NULL, NULL}
/* clang-format on */

/* Limits on hostile or very large input, with their defaults in brackets. */
typedef struct zinc_limits {
	size_t size;
	uint64_t json_bytes;   /* length of one document [64 MiB] */
	uint32_t json_depth;   /* nesting of one document [256] */
	uint64_t json_values;  /* values in one document [4 M] */
	uint32_t rank;         /* dimensions of an array [64] */
	uint64_t chunk_bytes;  /* decoded bytes of one chunk or inner chunk [2 GiB] */
	uint32_t codecs;       /* codecs in one chain [32] */
	uint32_t shard_depth;  /* shards within shards [4] */
	uint64_t children;     /* nodes or keys listed by one call [10 M] */
} zinc_limits;

/* clang-format off */
#define ZINC_LIMITS(...) ZINC_OPTIONS_OF(zinc_limits, __VA_ARGS__)
#define ZINC_LIMITS_INIT {sizeof(zinc_limits), 0, 0, 0, 0, 0, 0, 0, 0}
/* clang-format on */

/* Called for each warning, from any thread; `where` is a URL, key or JSON pointer. */
typedef void (*zinc_warn_fn)(void *arg, const char *where, const char *text);

/* Called for each request to a network store, from any thread, when its response is complete or has failed.  The line
 * contains no secrets: "GET https://host/a/zarr.json bytes=0-99: 206, 100 bytes, 12 ms". */
typedef void (*zinc_trace_fn)(void *arg, const char *line);

typedef struct zinc_context_options {
	size_t size;
	int threads;                     /* worker threads [number of processors] */
	const zinc_allocator *allocator; /* copied [malloc] */
	const zinc_limits *limits; /* copied [those in brackets there] */
	zinc_warn_fn warn; /* [silent] */
	void *warn_arg;
	uint64_t cache_bytes;     /* decoded-chunk cache [0: none] */
	uint64_t in_flight_bytes; /* encoded and decoded bytes held by one call [64 MiB, see zinc_io_options] */
	zinc_trace_fn trace;      /* [silent] */
	void *trace_arg;
} zinc_context_options;

/* clang-format off */
#define ZINC_CONTEXT_OPTIONS(...) ZINC_OPTIONS_OF(zinc_context_options, __VA_ARGS__)
#define ZINC_CONTEXT_OPTIONS_INIT {sizeof(zinc_context_options), 0, NULL, NULL, NULL, NULL, 0, 0, NULL, NULL}
/* clang-format on */

/* Make a context.  E_NOMEM, E_INVALID (negative threads). */
ZINC_API ZINC_CHECKED zinc_status zinc_context_new(zinc_context **out, const zinc_context_options *options, zinc_error *err);

/* Stop its threads and free it; NULL is fine. */
ZINC_API void zinc_context_free(zinc_context *ctx);

/* Free memory that is kept for later calls: buffers and compressors of threads, cached chunks.  Safe while other threads
 * run: memory in use is freed later.  The context, its idle threads and what open handles hold remain.  NULL: the default
 * context.  Without this call, memory that has not been used for a while is freed automatically. */
ZINC_API void zinc_context_trim(zinc_context *ctx);

/* Free everything that the default context (NULL) holds, threads included: before dlclose(), or at the end of a program
 * that is checked for leaks.  Nothing opened with it may be in use.  The next call that needs the context makes it again. */
ZINC_API void zinc_context_free_default(void);

/* Bytes or text that a call returns.  A zero byte, which `nbytes` does not count, follows: text is also a string. */
typedef struct zinc_blob {
	void *data;
	size_t nbytes;
	zinc_context *context;
} zinc_blob;

/* clang-format off */
#define ZINC_BLOB_INIT {NULL, 0, NULL}
/* clang-format on */
/* Free the bytes of a blob and empty it; NULL is fine. */
ZINC_API void zinc_blob_fini(zinc_blob *blob);

/* ------------------------------------------------------------------------
 * 4  Element types and buffers
 * ------------------------------------------------------------------------ */

/* Types that a buffer can have.  The numbers never change. */
typedef enum zinc_type {
	ZINC_NATIVE = 0, /* the array's own type in this machine's byte order */
	ZINC_BOOL = 1,   /* one byte, 0 or 1 */
	ZINC_INT8 = 2,
	ZINC_INT16 = 3,
	ZINC_INT32 = 4,
	ZINC_INT64 = 5,
	ZINC_UINT8 = 6,
	ZINC_UINT16 = 7,
	ZINC_UINT32 = 8,
	ZINC_UINT64 = 9,
	ZINC_FLOAT16 = 10, /* IEEE binary16 in a uint16_t */
	ZINC_FLOAT32 = 11,
	ZINC_FLOAT64 = 12,
	ZINC_COMPLEX64 = 13,  /* two floats */
	ZINC_COMPLEX128 = 14, /* two doubles */
	ZINC_RAW = 15,        /* uninterpreted bytes; always of the array's element size */
	/*
	 * Types of the registry that C does not have.  A buffer holds their bit patterns; buffers of other types convert,
	 * so that all of them can be read as float, double or (int2 to uint4) int8_t.  The bits of a byte above the type's
	 * own are ignored when writing; reading makes them 0, or for int2 and int4 the sign.
	 */
	ZINC_BFLOAT16 = 16, /* the upper half of a float, in a uint16_t */
	ZINC_INT2 = 17,     /* one byte each, here and below */
	ZINC_UINT2 = 18,
	ZINC_INT4 = 19,
	ZINC_UINT4 = 20,
	ZINC_FLOAT4_E2M1FN = 21,
	ZINC_FLOAT6_E2M3FN = 22,
	ZINC_FLOAT6_E3M2FN = 23,
	ZINC_FLOAT8_E3M4 = 24,
	ZINC_FLOAT8_E4M3 = 25,
	ZINC_FLOAT8_E4M3B11FNUZ = 26,
	ZINC_FLOAT8_E4M3FNUZ = 27,
	ZINC_FLOAT8_E5M2 = 28,
	ZINC_FLOAT8_E5M2FNUZ = 29,
	ZINC_FLOAT8_E8M0FNU = 30,
	ZINC_COMPLEX_FLOAT16 = 31, /* two parts each, here and below: real, imaginary */
	ZINC_COMPLEX_BFLOAT16 = 32,
	ZINC_COMPLEX_FLOAT4_E2M1FN = 33,
	ZINC_COMPLEX_FLOAT6_E2M3FN = 34,
	ZINC_COMPLEX_FLOAT6_E3M2FN = 35,
	ZINC_COMPLEX_FLOAT8_E3M4 = 36,
	ZINC_COMPLEX_FLOAT8_E4M3 = 37,
	ZINC_COMPLEX_FLOAT8_E4M3B11FNUZ = 38,
	ZINC_COMPLEX_FLOAT8_E4M3FNUZ = 39,
	ZINC_COMPLEX_FLOAT8_E5M2 = 40,
	ZINC_COMPLEX_FLOAT8_E5M2FNUZ = 41,
	ZINC_COMPLEX_FLOAT8_E8M0FNU = 42
} zinc_type;

/* Size of one element in bytes; 0 for ZINC_NATIVE, ZINC_RAW and unknown numbers. */
ZINC_API size_t zinc_type_size(zinc_type type);

/* The v3 name, "float32"; NULL for ZINC_NATIVE, ZINC_RAW and unknown numbers. */
ZINC_API const char *zinc_type_name(zinc_type type);

/* The type of C that has every value of `type`: ZINC_FLOAT32 for bfloat16 and small floats, ZINC_COMPLEX64 for complex
 * ones, ZINC_INT8 or ZINC_UINT8 for int2 to uint4; other types themselves. */
ZINC_API zinc_type zinc_type_widen(zinc_type type);

/*
 * The shortest decimal digits that read back as the same number: 123.5 gives "1235" and the exponent 2, for 1.235 * 10^2.
 * `type` has floats or complex numbers; `v` is a value of it, or of its parts.  Small floats, which have no decimals of their
 * own, and bfloat16 count as ZINC_FLOAT32.  The digits
 * have no sign, no decimal point and no trailing zeros, and end with a NUL.  Returns their number, 1 to 17; 0 when v is not
 * finite, the type has no floats, or a pointer is NULL.
 */
ZINC_API int zinc_type_digits(zinc_type type, double v, char digits[18], int *exponent);

/* One element of a variable-length type, "string" (UTF-8, no zero byte behind it) or "bytes". */
typedef struct zinc_vlen {
	const void *data;
	uint64_t nbytes;
} zinc_vlen;

/* Memory that variable-length elements are read into.  They live until the arena is emptied or freed, even after the
 * array is closed.  `limit` bytes in all [1 GiB]; a read that needs more is E_LIMIT. */
typedef struct zinc_arena zinc_arena;
ZINC_API ZINC_CHECKED zinc_status zinc_arena_new(zinc_arena **out, zinc_context *ctx, uint64_t limit, zinc_error *err);
ZINC_API void zinc_arena_empty(zinc_arena *arena);
ZINC_API void zinc_arena_free(zinc_arena *arena);

/* How one element is written, see zinc_array_element_print. */
typedef enum zinc_spelling {
	ZINC_SPELL_TEXT = 0, /* for people, by itself: 2020-01-01, abc, 1.5 */
	ZINC_SPELL_REPR = 1, /* as NumPy shows it within an array: '2020-01-01', 'abc', 1.5 */
	ZINC_SPELL_JSON = 2  /* for programs: "2020-01-01", "abc", 1.5, {"a":1} */
} zinc_spelling;

/*
 * Memory of your program.  `shape` NULL: the shape of the selection.  `strides`
 * NULL: C order without gaps; otherwise bytes per step of each dimension of the
 * selection (negative ones and zeros are fine for writing, zeros are refused for
 * reading).  Every element addressed must lie within `nbytes` bytes from `data`;
 * this is checked.  With negative strides `data` is the lowest address of the
 * memory and `first` the offset of element 0.
 */
typedef struct zinc_buffer {
	size_t size;
	zinc_type type;
	void *data;
	size_t nbytes;
	int ndim;                 /* of shape and strides; ignored when both are NULL */
	const uint64_t *shape;    /* checked against the selection */
	const int64_t *strides;   /* in bytes */
	uint64_t first;           /* byte offset of the first element */
	zinc_arena *arena;      /* variable-length types: where the elements of a read go; else NULL */
} zinc_buffer;

/* clang-format off */
#define ZINC_BUFFER_INIT(type, data, nbytes) {sizeof(zinc_buffer), (type), (data), (nbytes), 0, NULL, NULL, 0, NULL}
/* clang-format on */

/*
 * ZINC_BUFFER(&t[0][0], sizeof t): a pointer to a buffer that lives as long as the block (in C++ the statement) it stands
 * in.  The type comes from the pointer, the shape from the selection.  void pointers mean ZINC_NATIVE.  Integer types are
 * recognised by size and sign, including `char` and `long long`; other pointer types do not compile.  ZINC_BUFFER_AS takes
 * the type as a parameter.
 *
 * A pointer to const memory gives a pointer to a const buffer: functions that write to the array accept it, functions
 * that read from the array do not.  To set strides or shape, declare a variable with ZINC_BUFFER_INIT.
 */
#ifndef __cplusplus
/* clang-format off */
#define ZINC_SIGNED_(t)   (sizeof(t) == 1 ? ZINC_INT8 : sizeof(t) == 2 ? ZINC_INT16 : sizeof(t) == 4 ? ZINC_INT32 : ZINC_INT64)
#define ZINC_UNSIGNED_(t) (sizeof(t) == 1 ? ZINC_UINT8 : sizeof(t) == 2 ? ZINC_UINT16 : sizeof(t) == 4 ? ZINC_UINT32 : ZINC_UINT64)
#define ZINC_CASE_(t, number) t *: (number), const t *: (number)
#define ZINC_TYPE_OF_(pointer)                                                           \
	_Generic((pointer),                                                              \
		ZINC_CASE_(_Bool, ZINC_BOOL),                                            \
		ZINC_CASE_(char, (char)-1 < 1 ? ZINC_INT8 : ZINC_UINT8),                 \
		ZINC_CASE_(signed char, ZINC_INT8), ZINC_CASE_(unsigned char, ZINC_UINT8), \
		ZINC_CASE_(short, ZINC_SIGNED_(short)), ZINC_CASE_(unsigned short, ZINC_UNSIGNED_(short)), \
		ZINC_CASE_(int, ZINC_SIGNED_(int)), ZINC_CASE_(unsigned, ZINC_UNSIGNED_(int)), \
		ZINC_CASE_(long, ZINC_SIGNED_(long)), ZINC_CASE_(unsigned long, ZINC_UNSIGNED_(long)), \
		ZINC_CASE_(long long, ZINC_INT64), ZINC_CASE_(unsigned long long, ZINC_UINT64), \
		ZINC_CASE_(float, ZINC_FLOAT32), ZINC_CASE_(double, ZINC_FLOAT64),       \
		ZINC_CASE_(float _Complex, ZINC_COMPLEX64), ZINC_CASE_(double _Complex, ZINC_COMPLEX128), \
		ZINC_CASE_(void, ZINC_NATIVE))
#define ZINC_BUFFER_(kind, number, pointer, n)                                            \
	((kind *)&(zinc_buffer){.size = sizeof(zinc_buffer), .type = (number), .data = (void *)(uintptr_t)(pointer), .nbytes = (n)})
/* The conditional converts the pointer to (const) void *, so that _Generic sees only its const. */
#define ZINC_BUFFER_AS(number, pointer, nbytes)                                           \
	_Generic(1 ? (pointer) : (void *)(size_t)1,                                       \
		void *: ZINC_BUFFER_(zinc_buffer, number, pointer, nbytes),               \
		const void *: ZINC_BUFFER_(const zinc_buffer, number, pointer, nbytes))
#define ZINC_BUFFER(pointer, nbytes) ZINC_BUFFER_AS(ZINC_TYPE_OF_(pointer), pointer, nbytes)
/* clang-format on */
#endif

/* ------------------------------------------------------------------------
 * 5  Selections
 *
 * As text, numpy-like: "0:24, :, 180", "::2", "-5:", "...", "[1,5,9], :" (lists
 * are orthogonal).  Slices clip; an integer or list item out of bounds is E_RANGE.
 * By name: "time=0:24, lon=180", in any order; dimensions that are not named are
 * whole.  A name with odd characters is quoted: "\"a,b\"=3".  Items with and
 * without names do not mix.  <zinc/cf.h> also selects by values of coordinates.
 * As a structure:
 * ------------------------------------------------------------------------ */

typedef enum zinc_select {
	ZINC_SELECT_ALL = 0,    /* everything; the other members are ignored */
	ZINC_SELECT_BOX = 1,    /* start, count and step of each dimension */
	ZINC_SELECT_ORTHO = 2,  /* dims: slices, integers and index lists, each for its own dimension */
	ZINC_SELECT_POINTS = 3, /* npoints coordinates of ndim numbers each; the result has one dimension */
	ZINC_SELECT_MASK = 4,   /* one byte per element of the array in C order; non-zero selects; one dimension */
	ZINC_SELECT_BLOCKS = 5  /* start and count in units of the chunk grid (of shards where sharded) */
} zinc_select;

/* One dimension of ZINC_SELECT_ORTHO. */
typedef struct zinc_select_dim {
	uint64_t start;       /* first index */
	uint64_t count;       /* how many; ignored with `list` */
	uint64_t step;        /* 0 means 1 */
	const uint64_t *list; /* indices in any order, repeats allowed; NULL: start, count, step */
	size_t nlist;
	int drop;             /* an integer: count is 1 and the dimension disappears from the result */
} zinc_select_dim;

typedef struct zinc_selection {
	size_t size;
	zinc_select kind;
	int ndim;                    /* must be the array's, except for ZINC_SELECT_ALL */
	const uint64_t *start;       /* BOX, BLOCKS; NULL: zeros */
	const uint64_t *count;       /* BOX, BLOCKS */
	const uint64_t *step;        /* BOX; NULL: ones */
	const zinc_select_dim *dims; /* ORTHO */
	const uint64_t *points;      /* POINTS: npoints * ndim numbers */
	size_t npoints;
	const uint8_t *mask; /* MASK */
	size_t nmask;        /* its length: must be the number of elements */
} zinc_selection;

/* clang-format off */
#define ZINC_SELECTION(...) ZINC_OPTIONS_OF(zinc_selection, __VA_ARGS__)
#define ZINC_SELECTION_ALL {sizeof(zinc_selection), ZINC_SELECT_ALL, 0, NULL, NULL, NULL, NULL, NULL, 0, NULL, 0}
/* clang-format on */

/*
 * What to do with an element that does not fit the other type.  The default is E_RANGE, which names the first such
 * element; a write then stores nothing.  A narrower float always rounds to nearest even.  Flags may be combined.
 */
typedef enum zinc_convert {
	ZINC_CONVERT_EXACT = 0,    /* E_RANGE if out of range, if NaN or a fraction to integer, or an integer that is not exact as float */
	ZINC_CONVERT_CLAMP = 1,    /* out of range becomes the nearest limit; NaN and fractions to integer stay E_RANGE */
	ZINC_CONVERT_TRUNCATE = 2, /* fractions are cut towards zero; out of range and NaN stay E_RANGE */
	ZINC_CONVERT_WRAP = 4,     /* integers modulo 2^n; may be combined with TRUNCATE, as may CLAMP */
	ZINC_CONVERT_ROUND = 8     /* integers that are not exact as float (2^53 + 1 to float64) round to nearest even */
} zinc_convert;

/* A cancel flag.  Any thread or signal handler may set it while calls that use it run; they soon return E_CANCELLED.  It
 * lies in the caller's memory, is not copied, and is initialised with ZINC_CANCEL_INIT. */
typedef struct zinc_cancel {
	int raised; /* changed by the functions below only */
} zinc_cancel;
#define ZINC_CANCEL_INIT {0}

/* Safe in a signal handler. */
ZINC_API void zinc_cancel_set(zinc_cancel *cancel);
/* Clear the flag for another call.  Running calls may or may not have seen it. */
ZINC_API void zinc_cancel_reset(zinc_cancel *cancel);
/* Is the flag set?  NULL is never set. */
ZINC_API int zinc_cancel_is(const zinc_cancel *cancel);

/* Progress of a call.  No number ever decreases, and a call that succeeds ends with units_done == units_total.
 * Return non-zero to cancel.  Units are:
 *
 *     reading, writing, appending   chunks (whole shards when writing), and bytes of the caller's buffer
 *     walking, consolidating        nodes; the total is not known before the end, so both numbers are those seen so far
 *     erasing                       nodes: 0 done when all were checked and nothing is erased yet, then all
 *     copying, validating, comparing, statistics   see <zinc/tool.h>
 *
 * Calls of one step (open, create, resize, attributes, one document or chunk) report no progress. */
typedef int (*zinc_progress_fn)(void *arg, uint64_t units_done, uint64_t units_total, uint64_t bytes_done);

/* Time limit, cancel flag and progress of one call.  They apply only to the call they are passed to. */
typedef struct zinc_call_options {
	size_t size;
	double timeout;            /* seconds until E_CANCELLED [no limit] */
	const zinc_cancel *cancel; /* E_CANCELLED soon after it is set */
	zinc_progress_fn progress;
	void *progress_arg;
} zinc_call_options;

/* clang-format off */
#define ZINC_CALL_OPTIONS(...) ZINC_OPTIONS_OF(zinc_call_options, __VA_ARGS__)
#define ZINC_CALL_OPTIONS_INIT {sizeof(zinc_call_options), 0.0, NULL, NULL, NULL}
/* clang-format on */

/* Called for a stored object (chunk, or shard) that a read needs and that is not stored, with its grid index; from any
 * thread, several at once. */
typedef void (*zinc_missing_fn)(void *arg, const uint64_t *index);

typedef struct zinc_io_options {
	size_t size;
	int threads;              /* at most this many [the context's] */
	int convert;              /* zinc_convert flags */
	int missing_is_error;     /* reading: a chunk that is not stored is E_NOTFOUND [it is fill value] */
	int store_fill;           /* writing: store chunks that are all fill value [they are erased] */
	int relaxed;              /* writing: do not wait for the disk [durable when the call returns] */
	int single_writer;        /* writing: nobody else writes; lets stores without exclusion do partial writes */
	int unverified;           /* reading parts: checksums at the end of gzip and zstd frames may be skipped; crc32c is always checked */
	int assume_unchanged;     /* reading: use cached chunks without checking the store */
	uint64_t in_flight_bytes; /* [the context's]; one chunk per thread is always allowed */
	const zinc_call_options *call; /* [no limit] */
	zinc_missing_fn missing;  /* reading: told of each object that is not stored, inner chunks excepted [nobody] */
	void *missing_arg;
} zinc_io_options;

/* clang-format off */
#define ZINC_IO_OPTIONS(...) ZINC_OPTIONS_OF(zinc_io_options, __VA_ARGS__)
#define ZINC_IO_OPTIONS_INIT {sizeof(zinc_io_options), 0, 0, 0, 0, 0, 0, 0, 0, 0, NULL, NULL, NULL}
/* clang-format on */

/* ------------------------------------------------------------------------
 * 6  Stores and hierarchies
 * ------------------------------------------------------------------------ */

/* Keys and bytes; <zinc/store.h> has its operations. */
typedef struct zinc_store zinc_store;

/* What a file system store does with symbolic links below its root, in listing and reading alike. */
typedef enum zinc_links {
	ZINC_LINKS_FOLLOW = 0,  /* follow them, as most programs do; git-annex and DataLad store values behind links */
	ZINC_LINKS_BENEATH = 1, /* follow only links to below the root, enforced by the kernel: for untrusted data */
	ZINC_LINKS_REFUSE = 2   /* a link is an error */
} zinc_links;

/*
 * A setting of a store: "http.timeout" = "5".  The prefix with the store's name may be left out.  Options override the
 * URL's query ("https://host/a.zarr?timeout=5"), which overrides the environment (ZINC_HTTP_TIMEOUT), which overrides the
 * profile: a section of the file $ZINC_PROFILES [~/.config/zinc/profiles], chosen by the setting "profile".  `zinc stores
 * --long` lists all settings.  A setting of another store is ignored; one that no store has is E_INVALID.
 */
typedef struct zinc_setting {
	const char *name;
	const char *value;
} zinc_setting;

typedef struct zinc_store_options {
	size_t size;
	zinc_context *context;
	int read_only;    /* every change is E_READONLY */
	int create;       /* make the directory when a write needs it [yes; -1: no] */
	int relaxed;      /* writes do not wait for the disk unless a call asks */
	int links;        /* file system: zinc_links */
	const zinc_setting *settings; /* needed until the call returns */
	size_t nsettings;
	const zinc_call_options *call; /* of the call that opens it [no limit] */
} zinc_store_options;

/* clang-format off */
#define ZINC_STORE_OPTIONS(...) ZINC_OPTIONS_OF(zinc_store_options, __VA_ARGS__)
#define ZINC_STORE_OPTIONS_INIT {sizeof(zinc_store_options), NULL, 0, 0, 0, 0, NULL, 0, NULL}
/* clang-format on */

/*
 * Open the store of a URL: a path, "file:///...", "memory://name" (one per name and
 * process, until it is closed), "https://host/path" (read only unless http.write is yes; a module that is loaded on first
 * use from beside libzinc.so; with libzinc.a see zinc_store_http_register in zinc/store.h).
 * Nothing needs to exist yet.  Close with zinc_store_close.  E_INVALID (no such scheme, bad
 * escape), E_UNSUPPORTED (the module is not there, or of another build), E_NOTFOUND, E_IO,
 * E_NOMEM.
 *
 * Web servers: redirections are followed five times at most, never from https to http, and a
 * user name and password in the URL go to the host it names and to no other.  Proxies are
 * taken from the environment, as by curl: http_proxy (lower case only), https_proxy or
 * HTTPS_PROXY, all_proxy or ALL_PROXY, and no_proxy or NO_PROXY, a list of hosts that are
 * asked directly.
 */
ZINC_API ZINC_CHECKED zinc_status zinc_store_open(zinc_store **out, const char *url, const zinc_store_options *options,
                                                  zinc_error *err);

/* Take another reference; returns `store`. */
ZINC_API zinc_store *zinc_store_ref(zinc_store *store);

/* Drop a reference; the last one closes.  NULL is fine. */
ZINC_API void zinc_store_close(zinc_store *store);

/* What to do with metadata that breaks a rule which readers usually tolerate. */
typedef enum zinc_strictness {
	ZINC_LENIENT = 0, /* accept with a warning where docs/rules.md says so */
	ZINC_STRICT = 1   /* E_CORRUPT */
} zinc_strictness;

/* A Zarr hierarchy: a store, the prefix of its root, and the version of Zarr there. */
typedef struct zinc_hierarchy zinc_hierarchy;

typedef struct zinc_open_options {
	size_t size;
	zinc_context *context;
	const char *format; /* "v3", ... [detected] */
	int strictness;
	int read_only;
	int relaxed;
	int links; /* zinc_links */
	int create; /* the hierarchy may be missing: the first create makes it [0: E_NOTFOUND] */
	/* In the drafts an extension data type may name fallback types of the same size, for readers that do not support it.
	 * Reading: which fallbacks may be used, "any" or a list like "int64,r64" [none].  Creating an array: the list to be
	 * written, or "none" [int64 and bytes for dates, bytes for all others]. */
	const char *fallback;
	/* Look above the URL for the root of its hierarchy [yes, where that costs no requests; 1: always, so that the nodes
	 * beside the URL's can be opened; -1: no, the URL names the root] */
	int climb;
	const zinc_setting *settings; /* of the store, as in zinc_store_options */
	size_t nsettings;
	const zinc_call_options *call; /* of the call that gets these options [no limit] */
	/* With `read_only`: read each document once and keep it, 4 MiB of them at most.  Calls on this hierarchy then do
	 * not see later changes of documents [0: each call reads what is stored] */
	int keep_documents;
	/* A node below that of the URL, "a/b", with the names as they are: nothing in it is unescaped.  Not with `create`, and
	 * only for calls that take a URL [the URL's node] */
	const char *below;
} zinc_open_options;

/* clang-format off */
#define ZINC_OPEN_OPTIONS(...) ZINC_OPTIONS_OF(zinc_open_options, __VA_ARGS__)
#define ZINC_OPEN_OPTIONS_INIT {sizeof(zinc_open_options), NULL, NULL, 0, 0, 0, 0, 0, NULL, 0, NULL, 0, NULL, 0, NULL}
/* clang-format on */

/*
 * Open the hierarchy that contains the URL; zinc_hierarchy_path returns the path of the URL's node.  The root is searched
 * upwards: from the URL to the first directory with a node's document or a draft's entry point, and further while the
 * parent is a group of the same format.  A document that cannot be read ends the search.  Remote stores are searched only
 * when the URL itself has no document, for writing, or with `climb` 1: `read_only` saves requests.  A '|' in the URL, or
 * `climb` -1, fixes the root.
 *
 * With `create` the search begins at the parent, skips directories that do not exist and ends at a directory without a
 * document.  If no hierarchy is found, the root is the first name below that directory that ends in ".zarr", ".zr3",
 * ".zr" or ".n5", else the URL itself.  Nothing is ever written above the root.
 *
 * Close with zinc_hierarchy_close.  E_NOTFOUND when there is no node; with `create` E_INVALID when the URL is below an
 * array, in a hierarchy of another format than requested, or has a name that the store cannot hold; E_CORRUPT,
 * E_IO ...
 */
ZINC_API ZINC_CHECKED zinc_status zinc_hierarchy_open_url(zinc_hierarchy **out, const char *url,
                                                          const zinc_open_options *options, zinc_error *err);

/* The same on an open store, of which it takes a reference.  The root is exactly `prefix` ("", "a/b" or "a/b/"). */
ZINC_API ZINC_CHECKED zinc_status zinc_hierarchy_open(zinc_hierarchy **out, zinc_store *store, const char *prefix,
                                                      const zinc_open_options *options, zinc_error *err);

/* Close it; NULL is fine.  Arrays opened through it keep what they need. */
ZINC_API void zinc_hierarchy_close(zinc_hierarchy *h);

/* The path of the node that the URL named, "/" for the root. */
ZINC_API const char *zinc_hierarchy_path(const zinc_hierarchy *h);
/* The format's id, "v3". */
ZINC_API const char *zinc_hierarchy_format(const zinc_hierarchy *h);
/* The store; borrowed. */
ZINC_API zinc_store *zinc_hierarchy_store(const zinc_hierarchy *h);
/* The root's prefix in the store, "" or "a/b/". */
ZINC_API const char *zinc_hierarchy_prefix(const zinc_hierarchy *h);

/* ------------------------------------------------------------------------
 * 7  Arrays
 * ------------------------------------------------------------------------ */

typedef struct zinc_array zinc_array;

/* For `overwrite`: also erase keys that may not belong to the node (zinc_node_erase_with). */
#define ZINC_FORCE 2

typedef struct zinc_array_options {
	size_t size;
	int ndim; /* 0 is a scalar */
	const uint64_t *shape;
	const char *dtype;            /* "float32", "<f4", "r16", or the JSON of an extension; required */
	const uint64_t *chunks;       /* [near-cubic, 1 to 4 MiB] the inner chunks where sharded */
	const uint64_t *shards;       /* multiples of chunks [none] */
	int auto_shards;              /* choose shards of 64 to 256 MiB */
	/* JSON or short form, "blosc:lz4:5:shuffle", "none"; of the inner chunks where sharded ["zstd+crc32c" in v3, so
	 * that every read detects damage; "zstd" in v2 and the drafts, because their readers lack crc32c] */
	const char *codecs;
	const char *fill;             /* JSON, as in the v3 specification ["0", "false", "0.0" ...] */
	const char *const *dimension_names; /* ndim entries, each may be NULL [none] */
	const char *attributes;       /* a JSON object [{}] */
	const char *key_encoding;     /* "default", "default.", "v2", "v2/" ["default"] */
	const char *document;         /* a whole v3 metadata document instead of all the above */
	int overwrite;                /* 1, ZINC_FORCE: erase an existing node, as zinc_node_erase_with [E_EXISTS] */
	int big_endian;               /* store big-endian elements */
	int fortran;                  /* store chunks in Fortran order */
	const zinc_call_options *call; /* of the call that creates it [no limit; by URL: that of the zinc_open_options] */
	/* Chunks of several lengths instead of `chunks`, v3 only: the chunk_shapes of a rectilinear grid, as JSON.  For each
	 * dimension a length, or a list of lengths and [length, count] that covers it: "[[10, 20, [5, 3]], 4]". */
	const char *chunk_edges;
	const char *shard_edges; /* the same for shards, instead of `shards`; multiples of `chunks` */
} zinc_array_options;

/* clang-format off */
#define ZINC_ARRAY_OPTIONS(...) ZINC_OPTIONS_OF(zinc_array_options, __VA_ARGS__)
#define ZINC_ARRAY_OPTIONS_INIT \
	{sizeof(zinc_array_options), 0, NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, NULL, 0, 0, 0, NULL, NULL, NULL}
/* clang-format on */

/*
 * Create an array and open it.  Its document is written at once (one put), together with group
 * documents for all ancestors that have none.  Close with zinc_array_close.
 * E_EXISTS; E_INVALID (options that contradict each other or the specification); E_UNSUPPORTED; E_IO ...
 */
ZINC_API ZINC_CHECKED zinc_status zinc_array_create(zinc_array **out, zinc_hierarchy *h, const char *path,
                                                    const zinc_array_options *options, zinc_error *err);
/* The same by URL; `open` (may be NULL) has the options for opening or making the hierarchy. */
ZINC_API ZINC_CHECKED zinc_status zinc_array_create_url(zinc_array **out, const char *url, const zinc_array_options *options,
                                                        const zinc_open_options *open, zinc_error *err);

/*
 * Open an array.  An array that this build does not support can be opened, too: its metadata
 * can be read, and reading elements is E_UNSUPPORTED (zinc_array_unsupported says why).
 * E_NOTFOUND (nothing there, or a group), E_CORRUPT, E_LIMIT, E_IO.
 */
ZINC_API ZINC_CHECKED zinc_status zinc_array_open(zinc_array **out, zinc_hierarchy *h, const char *path,
                                                  const zinc_call_options *call, zinc_error *err);
ZINC_API ZINC_CHECKED zinc_status zinc_array_open_url(zinc_array **out, const char *url, const zinc_open_options *options,
                                                      zinc_error *err);
/* Open an array by the text of its document, whatever the store has, which is not read: of its attributes too in v3 (a v2
 * document is that of .zarray).  For programs that have the document, and for arrays that have none in the store.
 * zinc_array_refresh, resize and append use the stored document.  E_CORRUPT, E_NOTFOUND (of a group), E_LIMIT. */
ZINC_API ZINC_CHECKED zinc_status zinc_array_open_document(zinc_array **out, zinc_hierarchy *h, const char *path,
                                                           const char *document, zinc_error *err);
ZINC_API void zinc_array_close(zinc_array *a);

/* Reread the metadata, for example after another process has resized the array.  Running reads keep the old metadata. */
ZINC_API ZINC_CHECKED zinc_status zinc_array_refresh(zinc_array *a, const zinc_call_options *call, zinc_error *err);

/* Current properties of the array; other threads may resize or refresh the handle at any time.  Returned pointers stay
 * valid and unchanged until the handle is closed; call again for new values.  A shape has ZINC_MAX_NDIM entries, with
 * zeros after the array's rank. */
ZINC_API int zinc_array_ndim(const zinc_array *a);
ZINC_API const uint64_t *zinc_array_shape(const zinc_array *a);
ZINC_API zinc_type zinc_array_type(const zinc_array *a);     /* ZINC_NATIVE for types without a number */
ZINC_API const char *zinc_array_dtype(const zinc_array *a);  /* "float32", or the JSON of an extension */
ZINC_API size_t zinc_array_element_size(const zinc_array *a); /* bytes in memory; 0 when unsupported */
ZINC_API int zinc_array_variable(const zinc_array *a);        /* 1: elements are zinc_vlen, else 0 */
ZINC_API const char *zinc_array_dimension_name(const zinc_array *a, int dim); /* NULL: unnamed */
ZINC_API const char *zinc_array_path(const zinc_array *a);
ZINC_API zinc_hierarchy *zinc_array_hierarchy(const zinc_array *a);
/* NULL, or why elements cannot be read by this build. */
ZINC_API const char *zinc_array_unsupported(const zinc_array *a);
/* Extent of the chunk (inner chunk where sharded; the shard, if codecs before it compute or reshape) and of the shard;
 * returns 0 when there is none (`shard` of an unsharded array, or an unsupported grid), else 1.  Of chunks of several
 * lengths it is the largest one along each dimension. */
ZINC_API int zinc_array_chunk_shape(const zinc_array *a, uint64_t *shape);
ZINC_API int zinc_array_shard_shape(const zinc_array *a, uint64_t *shape);
/* Stored objects along each dimension. */
ZINC_API int zinc_array_grid_shape(const zinc_array *a, uint64_t *shape);
/* First element and length of chunk (shard) number `index` along a dimension; the last one may reach past the array's end.
 * Returns 0 when there is no such chunk, else 1. */
ZINC_API int zinc_array_chunk_span(const zinc_array *a, int dim, uint64_t index, uint64_t *start, uint64_t *extent);
/* The number of the chunk (shard) along a dimension that holds element i; returns 0 when there is no such element. */
ZINC_API int zinc_array_chunk_find(const zinc_array *a, int dim, uint64_t i, uint64_t *index);
/* 1: chunks (shards) have one shape, and are stored with it also at the array's end; 0: not so, or not known. */
ZINC_API int zinc_array_grid_regular(const zinc_array *a);
/* The fill value: one element in native byte order, zinc_array_element_size bytes. */
ZINC_API const void *zinc_array_fill(const zinc_array *a);
/* The node described in the v3 vocabulary, whatever the format on disk (the JSON of `zinc info --json`). */
ZINC_API ZINC_CHECKED zinc_status zinc_array_describe(const zinc_array *a, zinc_blob *json, zinc_error *err);

/*
 * One element, as zinc_array_read gave it with ZINC_NATIVE, as text: numbers, datetimes as ISO 8601, texts, records ...
 * As snprintf: at most `room` bytes including the NUL are written, and `*n` is the length of the whole text.  Nothing is
 * allocated if it fits.  E_CORRUPT when the element is not a value of its type (a character beyond Unicode),
 * E_UNSUPPORTED, E_NOMEM.
 */
ZINC_API ZINC_CHECKED zinc_status zinc_array_element_print(const zinc_array *a, const void *element, zinc_spelling how, char *out,
                                                           size_t room, size_t *n, zinc_error *err);

/*
 * Read a selection into `buffer` or write it from `source`.  Elements are converted when the
 * buffer's type is another number type (zinc_convert says how).  Missing chunks are fill value.
 *
 * A write is durable when the call returns, unless relaxed.  Whole chunks are written without
 * reading.  Partly written chunks are read, changed and put back under the store's own lock or compare-and-swap,
 * so that concurrent writers of different elements lose nothing.  If an element does not convert, nothing
 * is stored.  Of several failing chunks the one with the lowest index is reported; other chunks may be written.
 *
 * E_RANGE (selection or element), E_INVALID (buffer too small, shapes differ), E_CORRUPT,
 * E_CHECKSUM, E_UNSUPPORTED, E_NOTFOUND (missing_is_error), E_LIMIT, E_IO, E_CONFLICT,
 * E_UNCERTAIN, E_READONLY, E_CANCELLED, E_NOMEM.
 */
ZINC_API ZINC_CHECKED zinc_status zinc_array_read(zinc_array *a, const zinc_selection *selection, zinc_buffer *buffer,
                                                  const zinc_io_options *options, zinc_error *err);
ZINC_API ZINC_CHECKED zinc_status zinc_array_write(zinc_array *a, const zinc_selection *selection, const zinc_buffer *source,
                                                   const zinc_io_options *options, zinc_error *err);
/* The same with the selection as text; NULL or "" selects everything. */
ZINC_API ZINC_CHECKED zinc_status zinc_array_read_text(zinc_array *a, const char *selection, zinc_buffer *buffer,
                                                       const zinc_io_options *options, zinc_error *err);
ZINC_API ZINC_CHECKED zinc_status zinc_array_write_text(zinc_array *a, const char *selection, const zinc_buffer *source,
                                                        const zinc_io_options *options, zinc_error *err);

/* A parsed text selection, for zinc_array_read and zinc_array_write.  Free with zinc_selection_free. */
ZINC_API ZINC_CHECKED zinc_status zinc_selection_parse(zinc_selection **out, const zinc_array *a, const char *text,
                                                       zinc_error *err);
ZINC_API void zinc_selection_free(zinc_selection *selection);
/* The shape of the elements that `selection` selects, into shape[ZINC_MAX_NDIM]; `ndim` gets the rank. */
ZINC_API ZINC_CHECKED zinc_status zinc_array_selection_shape(const zinc_array *a, const zinc_selection *selection, int *ndim,
                                                             uint64_t *shape, zinc_error *err);

/* Encoded bytes of one stored object (chunk, or shard), by grid index.  Missing is E_NOTFOUND. */
ZINC_API ZINC_CHECKED zinc_status zinc_array_chunk_get(zinc_array *a, const uint64_t *index, zinc_blob *bytes,
                                                       const zinc_call_options *call, zinc_error *err);
/* Replace the object without any check; `bytes` NULL erases it. */
ZINC_API ZINC_CHECKED zinc_status zinc_array_chunk_put(zinc_array *a, const uint64_t *index, const void *bytes, size_t nbytes,
                                                       const zinc_call_options *call, zinc_error *err);
/* Its key in the store. */
ZINC_API ZINC_CHECKED zinc_status zinc_array_chunk_key(const zinc_array *a, const uint64_t *index, zinc_blob *key, zinc_error *err);

/*
 * Change the shape.  Growing is one metadata put; shrinking puts the metadata first, then
 * deletes exactly the stored objects that lie wholly outside.  Same rank only.
 */
ZINC_API ZINC_CHECKED zinc_status zinc_array_resize(zinc_array *a, const uint64_t *shape, const zinc_call_options *call,
                                                    zinc_error *err);
/* Would zinc_array_resize change this array, as it was opened or last refreshed, to the shape?  The same errors, but
 * nothing is read or written. */
ZINC_API ZINC_CHECKED zinc_status zinc_array_resize_check(const zinc_array *a, const uint64_t *shape, zinc_error *err);

/*
 * Add `source` (shape required: the array's, but for `axis`) at the end of `axis`.  The range is
 * reserved first, by compare-and-swap on the shape, so concurrent appends never overlap.
 * `at` (may be NULL) gets the first index of the range.  A buffer whose `data` is NULL only reserves the range: it
 * reads as fill value until the caller writes it, for programs whose elements do not fit into memory.
 */
ZINC_API ZINC_CHECKED zinc_status zinc_array_append(zinc_array *a, int axis, const zinc_buffer *source,
                                                    const zinc_io_options *options,
                                                    uint64_t *at, zinc_error *err);

/* ------------------------------------------------------------------------
 * 8  Nodes
 * ------------------------------------------------------------------------ */

typedef enum zinc_node_kind { ZINC_NODE_NONE = 0, ZINC_NODE_GROUP = 1, ZINC_NODE_ARRAY = 2 } zinc_node_kind;

/* What an array's document says, for listing; to read elements open the array.  Made by the library only, and valid as
 * long as its zinc_node. */
typedef struct zinc_array_info {
	size_t size;
	int ndim;
	const uint64_t *shape;
	zinc_type type;          /* ZINC_NATIVE for types without a number */
	const char *dtype;       /* as zinc_array_dtype */
	size_t element_size;     /* bytes in memory; 0 when unsupported */
	int variable;            /* 1: elements are zinc_vlen, else 0 */
	const char *const *dimension_names; /* ndim entries, each may be NULL */
	const uint64_t *chunk_shape; /* the inner chunk where sharded; NULL: unknown grid, or reshaped before a shard */
	const uint64_t *shard_shape; /* as zinc_array_shard_shape and so on; NULL: there is none */
	const uint64_t *grid_shape;
	const void *fill;        /* element_size bytes; NULL when unsupported */
	const char *unsupported; /* NULL, or why elements cannot be read by this build */
} zinc_array_info;

/* Open the array, as zinc_array_open, but without reading its document again; if the listing took it from consolidated
 * metadata, which may be out of date, the document is read. */
ZINC_API ZINC_CHECKED zinc_status zinc_array_info_open(zinc_array **out, const zinc_array_info *info,
                                                       const zinc_call_options *call, zinc_error *err);
/* As zinc_array_describe. */
ZINC_API ZINC_CHECKED zinc_status zinc_array_info_describe(const zinc_array_info *info, zinc_blob *json, zinc_error *err);

/* One node as listing shows it; all pointers are valid during the callback only. */
typedef struct zinc_node {
	size_t size;
	zinc_node_kind kind;
	const char *path;         /* "/foo/bar" */
	const char *name;         /* "bar" */
	const char *metadata_key; /* key of its document; "" when implicit */
	int implicit;             /* exists only by its descendants */
	int depth;                /* 0 for the node that was passed in */
	const char *problem;      /* NULL, or why its document cannot be used; kind may be NONE then */
	zinc_status problem_code; /* E_CORRUPT, E_UNSUPPORTED ... */
	const zinc_array_info *array; /* NULL for groups */
	const char *attributes;   /* a JSON object; "{}" when there are none */
	int hidden;               /* a node that cannot be opened because of its name, a link, its file type or its place (below
	                           * an array, or of another version): `problem` says why, kind is NONE, `path` and `name`
	                           * are escaped and cannot be used to open it */
} zinc_node;

/* Return non-zero to stop. */
typedef int (*zinc_node_fn)(void *arg, const zinc_node *node);

/* Is there a node?  ZINC_OK and `*kind` (may be NULL), which is NONE if there is no node. */
ZINC_API ZINC_CHECKED zinc_status zinc_node_exists(zinc_hierarchy *h, const char *path, zinc_node_kind *kind,
                                                   const zinc_call_options *call, zinc_error *err);

/* A depth: no limit, and without consolidated metadata, which may be out of date: the stored documents are read. */
#define ZINC_DEPTH_STORED (-2)

/* Call `fn` for the node alone, for its children, or for the node and everything below, parents first and siblings in
 * byte order; depth < 0 is unlimited.  Consolidated metadata is used when present.  A node whose document cannot be used is
 * shown with its problem; if the document could not be read (E_IO), that is also the status of the call, and
 * zinc_error.shown is set if it is the only failure.  Hidden nodes
 * (zinc_node.hidden) come before their siblings; those below an array, or below a prefix that is not a node, have their
 * whole path.  Without consolidated metadata the directory of an array is searched for hidden nodes if the store is local
 * and the grid has at most 4096 entries there; zinc_copy, zinc_diff and zinc_validate look at every key of the store. */
ZINC_API ZINC_CHECKED zinc_status zinc_node_stat(zinc_hierarchy *h, const char *path, zinc_node_fn fn, void *arg,
                                                 const zinc_call_options *call, zinc_error *err);
ZINC_API ZINC_CHECKED zinc_status zinc_node_children(zinc_hierarchy *h, const char *path, zinc_node_fn fn, void *arg,
                                                     const zinc_call_options *call, zinc_error *err);
ZINC_API ZINC_CHECKED zinc_status zinc_node_walk(zinc_hierarchy *h, const char *path, int depth, zinc_node_fn fn, void *arg,
                                                 const zinc_call_options *call, zinc_error *err);

/* The node's whole document as stored.  Text in `json`. */
ZINC_API ZINC_CHECKED zinc_status zinc_node_document(zinc_hierarchy *h, const char *path, zinc_blob *json,
                                                     const zinc_call_options *call, zinc_error *err);

/* Create a group, and groups for all missing ancestors.  `attributes` is a JSON object or NULL.  An existing group is
 * E_EXISTS unless `overwrite` (1, or ZINC_FORCE), which first erases it and everything below, as zinc_node_erase_with.
 * Attributes stored without a group's document (v2) are kept; passing other attributes is then E_EXISTS. */
ZINC_API ZINC_CHECKED zinc_status zinc_group_create(zinc_hierarchy *h, const char *path, const char *attributes, int overwrite,
                                                    const zinc_call_options *call, zinc_error *err);
ZINC_API ZINC_CHECKED zinc_status zinc_group_create_url(const char *url, const char *attributes, int overwrite,
                                                        const zinc_open_options *open, zinc_error *err);

/* Could a node be created at the URL?  Returns the status with which zinc_array_create_url or, by `kind`,
 * zinc_group_create_url would refuse the place: an existing node, keys that `overwrite` must not erase, an array above.
 * Nothing is written.  `format` (may be NULL) gets the id of the version that the node would have. */
ZINC_API ZINC_CHECKED zinc_status zinc_node_check_place(const char *url, zinc_node_kind kind, int overwrite,
                                                        const zinc_open_options *open, const char **format, zinc_error *err);

/* Write a document for every implicit group above `path` (drafts), so that these groups still exist after the node at
 * `path` is erased. */
ZINC_API ZINC_CHECKED zinc_status zinc_node_keep_parents(zinc_hierarchy *h, const char *path, const zinc_call_options *call,
                                                         zinc_error *err);

/* Erase a node and everything below it, if all keys certainly belong to it.  zinc_node_erase_with in <zinc/erase.h>
 * defines that, lists the reasons for refusal, and can be forced. */
ZINC_API ZINC_CHECKED zinc_status zinc_node_erase(zinc_hierarchy *h, const char *path, const zinc_call_options *call,
                                                  zinc_error *err);

/* Attributes.  `key` NULL: all of them, as an object.  E_NOTFOUND when there is no such key. */
ZINC_API ZINC_CHECKED zinc_status zinc_attributes_get(zinc_hierarchy *h, const char *path, const char *key, zinc_blob *json,
                                                      const zinc_call_options *call, zinc_error *err);

/* One change of attributes: `json` NULL removes the key. */
typedef struct zinc_attribute {
	const char *key;
	const char *json;
} zinc_attribute;

/* Apply all changes in one put; other keys keep their values and spelling, also under
 * concurrent edits.  Removing a missing key is E_NOTFOUND, and nothing changes.  Unless the hierarchy is strict, the tokens
 * NaN, Infinity and -Infinity are accepted as numbers and stored as such, as Python does; strict readers refuse them. */
ZINC_API ZINC_CHECKED zinc_status zinc_attributes_edit(zinc_hierarchy *h, const char *path, const zinc_attribute *changes,
                                                       size_t nchanges, const zinc_call_options *call, zinc_error *err);

/* Write consolidated metadata for the hierarchy below `path` (a group), or remove it.  In v3-2020 it has zarr-python's
 * form and exists for the root only; the other drafts have none (E_INVALID).  E_LIMIT when readers with these limits would
 * refuse the document; nothing is written.  E_CONFLICT when the hierarchy keeps changing; no consolidated metadata is
 * left then. */
ZINC_API ZINC_CHECKED zinc_status zinc_consolidate(zinc_hierarchy *h, const char *path, int remove, const zinc_call_options *call,
                                                   zinc_error *err);
/* Does the node at `path` have consolidated metadata, usable or damaged?  E_NOTFOUND when there is no node. */
ZINC_API ZINC_CHECKED zinc_status zinc_consolidated(zinc_hierarchy *h, const char *path, int *has, const zinc_call_options *call,
                                                    zinc_error *err);

/* ------------------------------------------------------------------------
 * 9  Buffered writer
 * ------------------------------------------------------------------------ */

/*
 * Collects small writes into whole chunks or shards within a memory budget.  Nothing is guaranteed to be
 * stored before flush or close returns ZINC_OK.  A writer may be used by one thread at a time.
 */
typedef struct zinc_writer zinc_writer;

/* `budget` bytes of memory; 0 means 256 MiB.  The array must stay open.  The options apply to everything written; their
 * `call` must be NULL (E_INVALID), because each call below takes its own. */
ZINC_API ZINC_CHECKED zinc_status zinc_writer_new(zinc_writer **out, zinc_array *a, uint64_t budget, const zinc_io_options *options,
                                                  zinc_error *err);
/* Add elements.  If it fails, the writer is unchanged.  A write that needs more than the budget goes directly to the
 * array, and fails as zinc_array_write does. */
ZINC_API ZINC_CHECKED zinc_status zinc_writer_write(zinc_writer *w, const zinc_selection *selection, const zinc_buffer *source,
                                                    const zinc_call_options *call, zinc_error *err);
/* Write all collected elements.  What fails stays in the writer, so that flush can be called again. */
ZINC_API ZINC_CHECKED zinc_status zinc_writer_flush(zinc_writer *w, const zinc_call_options *call, zinc_error *err);
/* Flush and free, whatever the outcome: a failure means that collected elements are lost.  NULL is fine. */
ZINC_API ZINC_CHECKED zinc_status zinc_writer_close(zinc_writer *w, const zinc_call_options *call, zinc_error *err);
/* Free without flushing; collected elements are discarded. */
ZINC_API void zinc_writer_free(zinc_writer *w);

#ifdef __cplusplus
} /* extern "C" */

#include <zinc/cxx.h>
#endif

#endif /* ZINC_H */
