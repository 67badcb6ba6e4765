/*
 * tool.h - checking, looking, copying: what the command `zinc` shows and programs may call
 *
 * Initialise a result structure (counts, zinc_stats ...) with its _INIT, which sets its size.  The library fills the
 * members that this size covers, and sets the size to what it filled.  A size of 0 is E_INVALID.
 *
 * Everything here may still change before version 1.0.
 */
#ifndef ZINC_TOOL_H
#define ZINC_TOOL_H

#include <zinc.h>
#include <zinc/store.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- validating ---- */

typedef enum zinc_level {
	ZINC_LEVEL_WARNING = 0,    /* readers tolerate it */
	ZINC_LEVEL_ERROR = 1,      /* breaks the specification, or does not decode */
	ZINC_LEVEL_UNSUPPORTED = 2 /* valid, but not supported by this build */
} zinc_level;

/*
 * One finding.  `rule` is a number of docs/rules.md ("M49"), or, for what the specification has no rule
 * about, a word: "decode" (an object that does not decode), "orphan", "consolidated", "leftover",
 * "v2", "read"; of Zarr conventions "C2" (docs/conventions.md), "schema" or the convention's name.  All text is valid during the callback only; empty where it does not apply, never NULL.
 */
typedef struct zinc_finding {
	size_t size;
	zinc_level level;
	const char *rule;
	const char *path;    /* of the node, "/foo" */
	const char *key;     /* in the store */
	const char *pointer; /* into the document, "/codecs/0" */
	const char *message;
	const char *fix; /* how to repair it */
	int repaired;    /* this call has repaired it */
	const char *region; /* of a chunk: its elements, "20:30, 48:64", which `message` names, too */
} zinc_finding;

/* Return non-zero to stop. */
typedef int (*zinc_finding_fn)(void *arg, const zinc_finding *finding);
/* An array without a checksum, by its path; `arg` is that of the findings.  Return non-zero to stop. */
typedef int (*zinc_unchecked_fn)(void *arg, const char *path);

typedef struct zinc_validate_options {
	size_t size;
	zinc_context *context;
	const char *format; /* [detected] */
	int strict;         /* what readers usually tolerate is an error, too */
	int fast;           /* metadata only: no object is decoded */
	int repair;         /* remove leftovers, rewrite stale consolidated metadata */
	int orphans;        /* with repair: also erase objects that belong to no array, and unfinished copies */
	int threads;        /* [the context's] */
	const zinc_call_options *call; /* [no limit]; units of progress are objects */
	int links; /* zinc_links */
	/* Called for each array whose codecs have no checksum: damage that still decodes is detected neither by this
	 * call nor by any read.  Not a finding. */
	zinc_unchecked_fn unchecked;
	int climb; /* as in zinc_open_options */
	const char *schemas, *cache; /* schemas of conventions, and fetch: as in zinc_conventions_options */
	int fetch;
	const zinc_setting *settings; /* of the store, as in zinc_store_options */
	size_t nsettings;
	const char *below; /* as in zinc_open_options */
} zinc_validate_options;

/* clang-format off */
#define ZINC_VALIDATE_OPTIONS(...) ZINC_OPTIONS_OF(zinc_validate_options, __VA_ARGS__)
#define ZINC_VALIDATE_OPTIONS_INIT \
	{sizeof(zinc_validate_options), NULL, NULL, 0, 0, 0, 0, 0, NULL, 0, NULL, 0, NULL, NULL, 0, \
	 NULL, 0, NULL}
/* clang-format on */

/* What a validation saw.  Findings that were repaired count under `repaired` alone. */
typedef struct zinc_validate_counts {
	size_t size;
	uint64_t groups, arrays; /* by their documents */
	uint64_t objects, bytes; /* stored chunks or shards, and their size */
	uint64_t missing;        /* objects of all grids that are not stored: legal, they are fill value */
	uint64_t empty;          /* inner chunks missing in the decoded shards: legal, too */
	uint64_t errors, warnings, unsupported, repaired;
	uint64_t unchecked; /* arrays without a checksum */
} zinc_validate_counts;
/* clang-format off */
#define ZINC_VALIDATE_COUNTS_INIT {sizeof(zinc_validate_counts), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}
/* clang-format on */

/*
 * Check the node that `url` names and everything below: each document against the specification, the
 * hierarchy, consolidated metadata against the documents, leftovers of interrupted writers and copies, and (unless
 * fast) every stored object by decoding it.  `fn` (may be NULL) is called for each finding, from the
 * calling thread, in order of keys within each of these parts; `counts` (may be NULL) gets the sums.
 *
 * ZINC_OK means that the check was done, whatever it found.  E_NOTFOUND when nothing is there, E_INVALID,
 * E_IO, E_LIMIT, E_NOMEM, E_CANCELLED, and E_READONLY when a repair is requested but not possible.
 */
ZINC_API ZINC_CHECKED zinc_status zinc_validate(const char *url, const zinc_validate_options *options, zinc_finding_fn fn,
                                                void *arg, zinc_validate_counts *counts, zinc_error *err);

/* ---- copying ---- */

typedef enum zinc_copy_kind {
	ZINC_COPY_PLAN = 0,     /* what will be done with an array */
	ZINC_COPY_REPLACED = 1, /* a storage choice that the target format lacks, and its replacement */
	ZINC_COPY_LOST = 2,     /* content that the target cannot hold */
	ZINC_COPY_NOTICE = 3,   /* a difference that readers of the target will see; with `verify` also at the end */
	ZINC_COPY_HIDDEN = 4,   /* a child or stored object of the source that cannot be read because of its name, a link, its
	                         * file type, or a place that no listing reaches */
	ZINC_COPY_REFUSED = 5   /* nothing is copied because something is hidden; the failure that follows says the same */
} zinc_copy_kind;

/* A note about a copy, given before it begins.  All text is valid during the callback only. */
typedef struct zinc_copy_note {
	size_t size;
	zinc_copy_kind kind;
	const char *path; /* of the node in the source */
	const char *message;
} zinc_copy_note;

/* Return non-zero to cancel. */
typedef int (*zinc_copy_note_fn)(void *arg, const zinc_copy_note *note);

/* One option for some arrays only.  `name` is a path or pattern, as in zinc_copy_options.include.  Of several for the same
 * array and option, one with its path is stronger than one with a group's, and that than a pattern; then the last one. */
typedef struct zinc_copy_choice {
	const char *name;
	const char *option; /* "chunks", "shards", "codecs" or "dtype" */
	const char *value;  /* a shape as "24,90,180", edges as "[[10,20],4]", or "auto"; codecs and dtype as in zinc_copy_options */
} zinc_copy_choice;

typedef struct zinc_copy_options {
	size_t size;
	zinc_context *context;  /* zinc_copy_url only; else that of the target */
	const char *format;     /* zinc_copy_url only: of a new target [the source's] */
	int strict;             /* zinc_copy_url only: as ZINC_STRICT */
	int ndim;               /* of chunks and shards; arrays of another rank keep theirs */
	const uint64_t *chunks; /* [as they are] */
	const uint64_t *shards; /* multiples of chunks [as they are] */
	int auto_chunks;        /* choose chunks of 1 to 4 MiB */
	int auto_shards;        /* choose shards of 64 to 256 MiB */
	const char *codecs;     /* JSON or short form, of the inner chunks where sharded [as they are] */
	const char *dtype;      /* convert the elements [as they are] */
	/* As text [everything], as zinc_selection_find has it.  Of a group by names only: it cuts every array that has one of the
	 * dimensions, coordinates included, and each item must belong to an array. */
	const char *select;
	int resume;             /* continue an interrupted copy; start from the beginning if there is none */
	int verify;             /* read everything back, compare and decode it, before the target appears */
	int lossy;              /* drop what the target cannot hold [E_INVALID] and what cannot be read of the source [E_IO] */
	/* 1, ZINC_FORCE: erase the existing node, as zinc_node_erase_with, after the source has been checked: a copy that
	 * can be known to fail leaves the node as it is [E_EXISTS] */
	int overwrite;
	int dry_run;            /* plan and report, but write nothing */
	uint64_t max_memory;    /* bytes for elements and encoded objects [512 MiB, more where one object needs it] */
	int threads;            /* [the context's] */
	const zinc_call_options *call; /* [no limit]; units of progress are objects of the target */
	zinc_copy_note_fn note; /* may be NULL */
	void *note_arg;
	const char *fallback; /* zinc_copy_url only: fallback types of arrays converted to a draft, as in zinc_open_options */
	int convert;          /* zinc_convert flags, for `dtype` */
	int links;            /* zinc_copy_url only: zinc_links, of both stores */
	int climb;            /* zinc_copy_url only: of both URLs, as in zinc_open_options */
	const char *key_encoding; /* of chunks, as in zinc_array_options [the source's, or the nearest that the format has] */
	/*
	 * xarray masks elements that equal fill_value in Zarr v2, and those that equal the attribute _FillValue in v3.
	 * For arrays whose dimensions have names a copy to v3 writes that attribute, and a copy to v2 has null for a
	 * fill_value of zero that did not mask, if every chunk is stored.  Otherwise it keeps fill_value with a notice; with
	 * this option fill_value becomes what masked, or null.  Here the drafts of 2019 and 2020 are like v2, which null
	 * stays null between, and that of 2022 is like v3.
	 */
	int for_xarray;
	int force;            /* zinc_move only: erase all keys below the source, as zinc_node_erase_with */
	const zinc_setting *settings; /* zinc_copy_url only: of both stores, as in zinc_store_options */
	size_t nsettings;
	/*
	 * Patterns of paths below the source: '*' is any text and '?' one character of a name, "**" any number of names, '\'
	 * takes the next character literally.  A pattern of a group means everything below it, too.  If any is included, only
	 * those nodes are copied, with the groups above them and the coordinates of their arrays: one-dimensional arrays named
	 * like a dimension, and arrays named by the attributes coordinates, bounds and grid_mapping.  A pattern without any
	 * node is E_INVALID.
	 */
	const char *const *include;
	size_t ninclude;
	const char *const *exclude; /* stronger than include */
	size_t nexclude;
	const zinc_copy_choice *choices; /* options of single arrays */
	size_t nchoices;
	/*
	 * One copy by several processes, each with the same options and another `part` of 1 to `nparts` [0: not divided].  The
	 * last to end puts the documents; until then there is no node.  A part that was interrupted continues with `resume`.
	 * With `overwrite` part 1 must begin.  E_UNSUPPORTED if the store lacks conditional puts.
	 */
	int part, nparts;
	/* Chunks or shards of several lengths, as in zinc_array_options [as they are]; arrays of another rank keep theirs. */
	const char *chunk_edges, *shard_edges;
} zinc_copy_options;

/* clang-format off */
#define ZINC_COPY_OPTIONS(...) ZINC_OPTIONS_OF(zinc_copy_options, __VA_ARGS__)
#define ZINC_COPY_OPTIONS_INIT \
	{sizeof(zinc_copy_options), NULL, NULL, 0, 0, NULL, NULL, 0, 0, NULL, NULL, NULL, 0, 0, 0, 0, 0, 0, 0, NULL, \
	 NULL, NULL, NULL, 0, 0, 0, NULL, 0, 0, NULL, 0, NULL, 0, NULL, 0, NULL, 0, 0, 0, NULL, NULL}
/* clang-format on */

/* What a copy did, or with dry_run would do. */
typedef struct zinc_copy_counts {
	size_t size;
	uint64_t groups, arrays;
	uint64_t objects;        /* chunks, shards and other keys of the target that this call had to write */
	uint64_t raw;            /* of them copied as they are stored */
	uint64_t skipped;        /* objects that an earlier, interrupted copy had finished */
	uint64_t bytes;          /* moved: stored bytes of raw objects, elements of the others */
	uint64_t lost, replaced; /* notes of these kinds */
	uint64_t hidden;         /* notes of this kind */
	uint64_t parts_left;     /* parts of the copy that are not yet done */
} zinc_copy_counts;
/* clang-format off */
#define ZINC_COPY_COUNTS_INIT {sizeof(zinc_copy_counts), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}
/* clang-format on */

/*
 * Copy a node and everything below to another path, hierarchy, store or version of Zarr.  All content (values, shape,
 * data type, fill value, attributes, dimension names, unknown members, the tree) arrives, or the copy fails before it
 * starts, naming what the target cannot hold, or what is hidden in the source.  Choices of storage (chunks, shards, codecs, chunk keys, order of bytes
 * and axes) are kept where the target has them; notes tell what is replaced.  Objects whose encoding does not change are
 * copied byte for byte, even if they do not decode.  With `verify` they are decoded when they have been read
 * back: E_CORRUPT, E_CHECKSUM naming the key, and the target does not appear.  Where a codec is unknown, or the array has
 * storage transformers, only bytes are compared.  Metadata is written last.  `counts` may be NULL.
 *
 * A journal "__zinc_cp.json" at the target records progress; it is removed last.  A copy that was interrupted or failed
 * leaves it there, and `resume` continues, with any number of threads and the memory limit of the first call, unless source
 * or options have changed (E_CONFLICT).
 *
 * E_EXISTS when the target is there, E_INVALID (options, or content that the target cannot hold), E_UNSUPPORTED,
 * E_RANGE (an element does not convert), E_LIMIT (max_memory is too small for one object), E_CORRUPT, E_CHECKSUM, E_IO,
 * E_READONLY, E_CANCELLED, E_NOMEM ...
 */
ZINC_API ZINC_CHECKED zinc_status zinc_copy(zinc_hierarchy *from, const char *from_path, zinc_hierarchy *to, const char *to_path,
                                            const zinc_copy_options *options, zinc_copy_counts *counts, zinc_error *err);
/* The same by URL.  A target inside an existing hierarchy has its format; another options->format is E_INVALID there, but
 * for a whole hierarchy that is overwritten. */
ZINC_API ZINC_CHECKED zinc_status zinc_copy_url(const char *from, const char *to, const zinc_copy_options *options,
                                                zinc_copy_counts *counts, zinc_error *err);
/* Rename a node within its hierarchy: copy, verify, erase.  What zinc_node_erase_with would not erase is not copied
 * either.  Of the options only threads, max_memory, call, overwrite, force, resume, dry_run and note are
 * looked at.  If anything is hidden the source stays and nothing is copied. */
ZINC_API ZINC_CHECKED zinc_status zinc_move(zinc_hierarchy *h, const char *from_path, const char *to_path,
                                            const zinc_copy_options *options, zinc_error *err);

/* Copy a node and everything below it, byte for byte, to another path of this or another hierarchy of the
 * same format.  Metadata is written last.  E_EXISTS when the target is there. */
ZINC_API ZINC_CHECKED zinc_status zinc_node_copy(zinc_hierarchy *from, const char *from_path, zinc_hierarchy *to,
                                                 const char *to_path, const zinc_call_options *call, zinc_error *err);

/* ---- what is stored ---- */

typedef struct zinc_stored {
	size_t size;
	uint64_t objects;       /* chunks or shards that are stored */
	uint64_t objects_total; /* in the grid; UINT64_MAX when there are more */
	uint64_t bytes;         /* stored bytes */
	uint64_t decoded_bytes; /* that the stored objects decode to */
	uint64_t smallest, largest; /* stored bytes of one object; 0 when there is none */
} zinc_stored;
/* clang-format off */
#define ZINC_STORED_INIT {sizeof(zinc_stored), 0, 0, 0, 0, 0, 0}
/* clang-format on */

/* Count the stored objects of an array by listing its keys.  E_UNSUPPORTED when its keys are not understood;
 * E_IO ... */
ZINC_API ZINC_CHECKED zinc_status zinc_array_stored(const zinc_array *a, zinc_stored *out, const zinc_call_options *call,
                                                    zinc_error *err);

/* What one node and everything below it have in the store; text is valid during the callback only.  Numbers that would
 * be larger than 64 bits stay at UINT64_MAX. */
typedef struct zinc_usage {
	size_t size;
	const char *path; /* "/foo/bar" */
	int depth;        /* below the node that was passed in */
	zinc_node_kind kind;
	int implicit;             /* a group without a document */
	const char *problem;      /* NULL, or why its document cannot be used, or its elements cannot be read */
	zinc_status problem_code; /* of it */
	uint64_t objects, bytes;  /* chunks or shards, and documents */
	uint64_t chunks, chunk_bytes; /* of these, chunks or shards */
	uint64_t decoded_bytes;   /* that they decode to, but for `unknown` of them, whose decoded size is not known */
	uint64_t unknown, unknown_bytes;
	uint64_t foreign, foreign_bytes; /* keys that no node reads; `objects` and `bytes` are without them */
} zinc_usage;
/* clang-format off */
#define ZINC_USAGE_INIT {sizeof(zinc_usage), NULL, 0, ZINC_NODE_NONE, 0, NULL, ZINC_OK, 0, 0, 0, 0, 0, 0, 0, 0, 0}
/* clang-format on */

/* Return non-zero to stop. */
typedef int (*zinc_usage_fn)(void *arg, const zinc_usage *usage);

/* A key that no node reads.  `hidden`: it is a node, or may hide one, that no listing shows. */
typedef struct zinc_foreign {
	size_t size;
	const char *key; /* of the store; not always valid UTF-8, so escape it before printing */
	uint64_t bytes;
	const char *why;
	int hidden;
} zinc_foreign;
typedef int (*zinc_foreign_fn)(void *arg, const zinc_foreign *foreign);

typedef struct zinc_usage_options {
	size_t size;
	zinc_foreign_fn foreign; /* called during the listing, with the `arg` of the call [they are only counted] */
	const zinc_call_options *call; /* [no limit]; units of progress are keys */
} zinc_usage_options;

/* clang-format off */
#define ZINC_USAGE_OPTIONS(...) ZINC_OPTIONS_OF(zinc_usage_options, __VA_ARGS__)
#define ZINC_USAGE_OPTIONS_INIT {sizeof(zinc_usage_options), NULL, NULL}
/* clang-format on */

/* Sum up what a node and all nodes below have in the store, and call `fn` for each, parents first.  The keys are listed
 * once for all nodes; documents are read, chunks are not.  E_NOTFOUND, E_UNSUPPORTED when the store cannot list,
 * E_LIMIT, E_IO, E_CANCELLED, E_NOMEM. */
ZINC_API ZINC_CHECKED zinc_status zinc_node_usage(zinc_hierarchy *h, const char *path, const zinc_usage_options *options,
                                                  zinc_usage_fn fn, void *arg, zinc_error *err);

/* ---- what a read costs ---- */

/* One chunk (inner chunk where sharded) that a read of a selection touches; valid during the callback only. */
typedef struct zinc_chunk {
	size_t size;
	const char *key; /* of the object that holds it */
	int ndim;
	uint64_t index[ZINC_MAX_NDIM]; /* in the grid of chunks */
	int present;                   /* it is stored; else it reads as fill value */
	int in_shard;
	uint64_t offset, bytes;        /* offset in its object, and stored bytes; 0 when it is missing */
	uint64_t decoded_bytes;        /* what a read decodes of it */
	uint64_t selected_bytes;       /* of elements that are selected */
} zinc_chunk;

/* Return non-zero to stop. */
typedef int (*zinc_chunk_fn)(void *arg, const zinc_chunk *chunk);

/*
 * The cost of reading a selection into a buffer in C order of the array's own type, with an empty cache.  It is counted
 * from the plan of the read itself; only sizes of objects and indexes of shards are fetched.
 */
typedef struct zinc_explanation {
	size_t size;
	uint64_t objects, objects_present;
	uint64_t chunks, chunks_present;
	uint64_t requests;       /* of the store */
	uint64_t ranges;         /* of those, for parts of objects */
	uint64_t bytes;          /* transferred by these requests */
	uint64_t object_bytes;   /* of the objects touched, whole */
	uint64_t decoded_bytes;  /* at most: some codecs stop when the rest is not needed */
	uint64_t selected_bytes; /* of elements, fill value too */
	double waste;            /* share of the decoded bytes that is not selected */
	int better;              /* 1: these chunks would waste less than half as much */
	uint64_t chunk_shape[ZINC_MAX_NDIM];
	double better_waste;
	int only_stored; /* 1: too many chunks; only stored ones were reported and counted */
} zinc_explanation;
/* clang-format off */
#define ZINC_EXPLANATION_INIT {sizeof(zinc_explanation), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0.0, 0, {0}, 0.0, 0}
/* clang-format on */

/* Explain a read; `fn` (may be NULL) is called for each chunk, in order of objects.  `options` may be NULL.  Errors are
 * those of zinc_array_read, and E_LIMIT for more than 4 million chunks: then, with `fn` and a store that can list, only
 * the stored chunks are reported and counted (only_stored). */
ZINC_API ZINC_CHECKED zinc_status zinc_array_explain(zinc_array *a, const zinc_selection *selection, const zinc_io_options *options,
                                                     zinc_chunk_fn fn, void *arg, zinc_explanation *out, zinc_error *err);

/* ---- statistics ---- */

/* What the numbers of zinc_stats are. */
typedef enum zinc_stats_of {
	ZINC_STATS_NOTHING = 0,    /* the elements have no order: records, raw bytes */
	ZINC_STATS_VALUES = 1,     /* the elements; false is 0 and true 1 */
	ZINC_STATS_TIMES = 2,      /* dates or spans of time, in the unit of the data type */
	ZINC_STATS_MAGNITUDES = 3, /* absolute values of complex numbers */
	ZINC_STATS_LENGTHS = 4     /* of texts in characters, of bytes in bytes */
} zinc_stats_of;

/* A number of one of the three widest types. */
typedef union zinc_number {
	int64_t i;
	uint64_t u;
	double f;
} zinc_number;

#define ZINC_STATS_BINS 24

/*
 * Statistics of an array's elements.  Minimum, maximum and sum of integers are exact, and so are all counts; mean and
 * deviation are merged from small parts, so that a long array loses no digits, and are the same for any number of
 * threads.  Bin i of the histogram holds the numbers v with floor(v / 2^exponent) == first + i: because widths are
 * powers of two, one pass over the elements is enough.  Infinities are in no bin.
 */
typedef struct zinc_stats {
	size_t size;
	zinc_stats_of of;
	zinc_type type;         /* of minimum and maximum: ZINC_INT64, ZINC_UINT64 or ZINC_FLOAT64 */
	uint64_t elements;      /* selected */
	uint64_t nan;           /* NaN, or NaT of times; not counted below */
	uint64_t infinite;
	zinc_number min, max;   /* when elements > nan */
	double mean, deviation; /* standard deviation of the whole (not of a sample) */
	char sum[48];           /* of integers, in decimal; else "" */
	int bins, exponent;
	zinc_number first; /* an integer: `u` of ZINC_UINT64, else `i` */
	uint64_t count[ZINC_STATS_BINS];
} zinc_stats;
/* clang-format off */
#define ZINC_STATS_INIT \
	{sizeof(zinc_stats), ZINC_STATS_NOTHING, ZINC_NATIVE, 0, 0, 0, {0}, {0}, 0.0, 0.0, "", 0, 0, {0}, {0}}
/* clang-format on */

typedef struct zinc_stats_options {
	size_t size;
	int threads; /* [the context's] */
	const zinc_call_options *call; /* [no limit]; units of progress are pieces of some chunks */
	int cf; /* 1: of elements as zinc_cf_open of <zinc/cf.h> decodes them; times are ZINC_STATS_TIMES in their unit */
} zinc_stats_options;

/* clang-format off */
#define ZINC_STATS_OPTIONS(...) ZINC_OPTIONS_OF(zinc_stats_options, __VA_ARGS__)
#define ZINC_STATS_OPTIONS_INIT {sizeof(zinc_stats_options), 0, NULL, 0}
/* clang-format on */

/* Read the selection (NULL: everything) in bounded memory, by many threads, and compute its statistics.  Errors are those of
 * zinc_array_read. */
ZINC_API ZINC_CHECKED zinc_status zinc_array_stats(zinc_array *a, const zinc_selection *selection,
                                                   const zinc_stats_options *options, zinc_stats *out, zinc_error *err);

/* ---- comparing ---- */

typedef enum zinc_difference_kind {
	ZINC_DIFFERS_TREE = 0,    /* a node is in one only, or of another kind */
	ZINC_DIFFERS_META = 1,    /* shape, data type, fill value, names of dimensions, attributes, unknown members */
	ZINC_DIFFERS_VALUES = 2,  /* elements */
	ZINC_DIFFERS_STORAGE = 3, /* format, chunks, shards, codecs, keys of chunks, orders */
	ZINC_DIFFERS_UNKNOWN = 4, /* elements or a whole group that this build cannot read: not comparable */
	ZINC_DIFFERS_HIDDEN = 5   /* a child or stored object of either side that cannot be read; `a` says why */
} zinc_difference_kind;

/* One difference.  All text is valid during the callback only, and never NULL. */
typedef struct zinc_difference {
	size_t size;
	zinc_difference_kind kind;
	const char *path; /* below the nodes compared: "/" for themselves */
	const char *what; /* "node", "shape", "attributes/units", "values", "codecs" ... */
	const char *a, *b; /* JSON; "" if missing.  For values: the first two that differ */
	uint64_t count, total; /* values: elements that differ, and that were compared */
	int ndim;
	const uint64_t *index; /* values: of the first, in C order, in the array */
} zinc_difference;

/* Return non-zero to stop. */
typedef int (*zinc_difference_fn)(void *arg, const zinc_difference *difference);

typedef struct zinc_diff_options {
	size_t size;
	int threads;        /* [the context's of `a`] */
	int storage;        /* compare choices of storage, too */
	const char *select; /* of two arrays: which elements [all] */
	double rtol, atol;  /* numbers a and b are equal when |a - b| <= atol + rtol * |b| */
	const zinc_call_options *call; /* [no limit]; units of progress are pieces of some chunks, of one array at a time */
} zinc_diff_options;

/* clang-format off */
#define ZINC_DIFF_OPTIONS(...) ZINC_OPTIONS_OF(zinc_diff_options, __VA_ARGS__)
#define ZINC_DIFF_OPTIONS_INIT {sizeof(zinc_diff_options), 0, 0, NULL, 0.0, 0.0, NULL}
/* clang-format on */

typedef struct zinc_diff_counts {
	size_t size;
	uint64_t nodes;       /* that are in both */
	uint64_t differences; /* reported, without those that are not comparable */
	uint64_t unknown;     /* arrays whose elements this build cannot read */
	uint64_t elements, different;
} zinc_diff_counts;
/* clang-format off */
#define ZINC_DIFF_COUNTS_INIT {sizeof(zinc_diff_counts), 0, 0, 0, 0, 0}
/* clang-format on */

/*
 * Compare two nodes and everything below, whatever their stores and formats: the content that a copy keeps (tree,
 * shape, data type, fill value, names of dimensions, attributes, unknown members, values), and with `storage` how it is
 * stored.  Numbers are equal by value, so NaN equals NaN and 0 equals -0; numbers of different types are compared, too,
 * while other elements of different types are not.  Arrays of different shapes have no common elements.
 * `fn` (may be NULL) is called from the calling thread in order of paths; `counts` may be NULL.
 *
 * ZINC_OK means that the comparison was done.  E_NOTFOUND, E_INVALID (a selection with groups), E_RANGE, E_CORRUPT,
 * E_CANCELLED ...
 */
ZINC_API ZINC_CHECKED zinc_status zinc_diff(zinc_hierarchy *a, const char *path_a, zinc_hierarchy *b, const char *path_b,
                                            const zinc_diff_options *options, zinc_difference_fn fn, void *arg,
                                            zinc_diff_counts *counts, zinc_error *err);

/* ---- looking into JSON ---- */

/* `key` is NULL for items of a list; `json` is the value on one line.  Return non-zero to stop. */
typedef int (*zinc_member_fn)(void *arg, const char *key, const char *json);

/* Call `fn` for each member of an object or item of a list; for no other value.  E_INVALID when `json` is not
 * JSON.  `ctx` and `fn` may be NULL. */
ZINC_API ZINC_CHECKED zinc_status zinc_json_each(zinc_context *ctx, const char *json, zinc_member_fn fn, void *arg,
                                                 zinc_error *err);

/* ---- what this build has ---- */

/* Versions of Zarr: id, "", purpose. */
ZINC_API void zinc_list_formats(zinc_row_fn fn, void *arg);
/* Optional libraries: name, "yes" or "no", purpose. */
ZINC_API void zinc_list_libraries(zinc_row_fn fn, void *arg);

#ifdef __cplusplus
}
#endif
#endif
