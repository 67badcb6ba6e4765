/*
 * extend.h - add codecs, data types, chunk grids, memory layouts and other extensions
 *
 * Each is one structure of functions and one call.  Once registered it is used like a
 * built-in one, by its name in a document or in zinc_array_options:
 *
 *     static const zinc_codec_def xor = {.size = sizeof xor, .name = "example.xor", ...};
 *     zinc_register_codec(&xor, &err);
 *     zinc_array_create_url(&a, url, ZINC_ARRAY_OPTIONS(.codecs = "[\"example.xor\"]", ...), NULL, &err);
 *
 * Each is named in every version that supports it: in version 3 by its `name`, in the drafts of 2019 to 2022 by its
 * URIs (the first is written), in Zarr v2 by its id.  A URI that ends in a version number is also read with any other minor
 * version: "https://example.org/xor/1.0" also as ".../1.3", with a warning, but not as ".../2.0".
 *
 * Names and whatever the structures point to must stay valid; the structures themselves are
 * copied.  Register at the start of a program, from any thread.  Every
 * function may be called from many threads at once, also with the same `self`.
 *
 * A configuration is the JSON object of the document as text, or NULL when there is none.
 * Functions that fail return a status and say why with zinc_error_set.  open() refuses a
 * configuration with E_INVALID; for a stored document Zinc turns that into E_CORRUPT.
 */
#ifndef ZINC_EXTEND_H
#define ZINC_EXTEND_H

#include <zinc.h>
#include <zinc/store.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Fill `err` (NULL is fine) and return `status`, for functions that fail. */
ZINC_API zinc_status zinc_error_set(zinc_error *err, zinc_status status, const char *text);

/* ---- codecs ---- */

/* What a codec converts into what. */
typedef enum zinc_codec_stage {
	ZINC_STAGE_ARRAY_ARRAY = 1, /* elements -> as many elements, of the same type or another */
	ZINC_STAGE_ARRAY_BYTES = 2, /* elements -> bytes */
	ZINC_STAGE_BYTES_BYTES = 3  /* bytes -> bytes */
} zinc_codec_stage;

/* The input of a codec.  For bytes -> bytes: the input of the array -> bytes codec before it. */
typedef struct zinc_codec_input {
	size_t size;
	zinc_context *context;
	const char *dtype; /* name of the element type */
	size_t element_size;
	int ndim;
	const uint64_t *shape; /* of the largest chunk */
	const void *fill;      /* one element, or NULL */
} zinc_codec_input;

/*
 * Elements are in C order and in this machine's byte order.  `shape` is the shape of the chunk, NULL for
 * bytes -> bytes.  `*nout` is on entry the size of `out` and on return the number of bytes written.
 */
typedef struct zinc_codec_def {
	size_t size;
	const char *name;
	const char *const *aliases; /* other names it is read under, NULL-ended; may be NULL */
	const char *const *uris;    /* its identifiers in the drafts, NULL-ended; may be NULL */
	const char *v2;             /* its id in Zarr v2; NULL: none */
	const char *purpose;        /* one line for zinc_list_codecs */
	zinc_codec_stage stage;
	int fixed_size;             /* the encoded size is always exactly bound() */
	int needs_configuration;    /* a document without configuration is refused */

	zinc_status (*open)(void **self, const char *configuration, const zinc_codec_input *input, zinc_error *err);
	void (*close)(void *self); /* may be NULL */
	/* Array -> array: name of the encoded element type.  NULL: the same type. */
	const char *(*encoded_dtype)(void *self);
	/* The most bytes that `nbytes` can become; SIZE_MAX: too many.  Not for array -> array. */
	size_t (*bound)(void *self, size_t nbytes);
	zinc_status (*encode)(void *self, const uint64_t *shape, const void *in, size_t nin, void *out, size_t *nout,
			      zinc_error *err);
	/* Must never write past `out`, whatever the input.  Wrong bytes are E_CORRUPT.  Bytes -> bytes: if `out` is too small,
	 * set *nout to the size needed and return E_LIMIT; it is called again if that size is allowed. */
	zinc_status (*decode)(void *self, const uint64_t *shape, const void *in, size_t nin, void *out, size_t *nout,
			      zinc_error *err);
} zinc_codec_def;

/* E_EXISTS when the name or an alias is taken, E_INVALID when a function is missing, E_LIMIT, E_NOMEM. */
ZINC_API ZINC_CHECKED zinc_status zinc_register_codec(const zinc_codec_def *def, zinc_error *err);

/* ---- data types ---- */

/* Elements of a fixed size.  In buffers they are ZINC_NATIVE: no conversion, in this machine's byte order. */
typedef struct zinc_dtype_def {
	size_t size;
	const char *name;
	const char *const *uris; /* in the drafts, where `type` is the name; several types may share one */
	const char *v2;          /* "q3" for "|q3" or "<q3" in Zarr v2, without a configuration; NULL: none */
	const char *purpose;
	size_t element_size; /* bytes; open() may change it */
	size_t unit;         /* bytes of the unit that is reversed for the other byte order; 0 and 1: none */

	/* May be NULL.  `element_size` and `unit` are as above and can be changed. */
	zinc_status (*open)(void **self, const char *configuration, size_t *element_size, size_t *unit, zinc_error *err);
	void (*close)(void *self); /* may be NULL */
	/* The JSON of a fill value -> one element. */
	zinc_status (*parse_fill)(void *self, const char *json, void *element, zinc_error *err);
	/* One element -> the JSON of a fill value, or text for people (NULL: the JSON).  As snprintf: at most `room` bytes including
	 * the NUL; returns the length of the whole text. */
	size_t (*print_fill)(void *self, const void *element, char *out, size_t room);
	size_t (*print_text)(void *self, const void *element, char *out, size_t room);
} zinc_dtype_def;

/* E_EXISTS, E_INVALID, E_LIMIT, E_NOMEM. */
ZINC_API ZINC_CHECKED zinc_status zinc_register_dtype(const zinc_dtype_def *def, zinc_error *err);

/* ---- chunk grids ---- */

/* Along each dimension the grid cuts [0, length) into consecutive spans. */
typedef struct zinc_grid_def {
	size_t size;
	const char *name;
	const char *const *uris; /* in the drafts, where `type` is the name; Zarr v2 has one grid only */
	const char *purpose;
	int needs_configuration;

	zinc_status (*open)(void **self, const char *configuration, int ndim, const uint64_t *shape, zinc_error *err);
	void (*close)(void *self); /* may be NULL */
	/* Chunks along a dimension of `length` elements; the chunk that holds element i; first element and extent
	 * (at least 1) of a chunk; the largest extent there is. */
	uint64_t (*count)(void *self, int dim, uint64_t length);
	uint64_t (*find)(void *self, int dim, uint64_t i);
	void (*span)(void *self, int dim, uint64_t chunk, uint64_t *start, uint64_t *extent);
	uint64_t (*widest)(void *self, int dim);
} zinc_grid_def;

/* E_EXISTS, E_INVALID, E_LIMIT, E_NOMEM. */
ZINC_API ZINC_CHECKED zinc_status zinc_register_grid(const zinc_grid_def *def, zinc_error *err);

/* ---- chunk key encodings ---- */

/* Grid index <-> key below the array's prefix; no key may be another's beginning followed by '/'. */
typedef struct zinc_key_encoding_def {
	size_t size;
	const char *name;
	const char *const *uris; /* in the drafts, where it is an extension of the array; Zarr v2 has none */
	const char *purpose;

	zinc_status (*open)(void **self, const char *configuration, zinc_error *err); /* may be NULL */
	void (*close)(void *self);                                                    /* may be NULL */
	/* As snprintf. */
	size_t (*encode)(void *self, const uint64_t *index, int ndim, char *out, size_t room);
	/* The exact inverse; 0: not a chunk's key, else 1. */
	int (*decode)(void *self, const char *key, int ndim, uint64_t *index);
} zinc_key_encoding_def;

/* E_EXISTS, E_INVALID, E_LIMIT, E_NOMEM. */
ZINC_API ZINC_CHECKED zinc_status zinc_register_key_encoding(const zinc_key_encoding_def *def, zinc_error *err);

/* ---- memory layouts ---- */

/*
 * An order of the elements within a chunk.  In the drafts it is the chunk_memory_layout, in version 3 an array -> array
 * codec and in Zarr v2 a filter.
 */
typedef struct zinc_memory_layout_def {
	size_t size;
	const char *name;
	const char *const *uris; /* in the drafts, where `type` is the name */
	const char *v2;
	const char *purpose;
	int needs_configuration;

	zinc_status (*open)(void **self, const char *configuration, const zinc_codec_input *input, zinc_error *err); /* may be NULL */
	void (*close)(void *self);                                                                                    /* may be NULL */
	/* Position of the element at `index` in the stored sequence: a one-to-one mapping to 0 ... product of `shape` - 1.  It
	 * is called for each element; two elements with one position are E_INVALID. */
	uint64_t (*place)(void *self, int ndim, const uint64_t *shape, const uint64_t *index);
} zinc_memory_layout_def;

/* E_EXISTS, E_INVALID, E_LIMIT, E_NOMEM. */
ZINC_API ZINC_CHECKED zinc_status zinc_register_memory_layout(const zinc_memory_layout_def *def, zinc_error *err);

/* ---- metadata encodings ---- */

/*
 * The storage form of documents in a draft's hierarchy.  The entry point zarr.json is always JSON and names the encoding;
 * the library works on JSON text, which this converts to bytes and back.
 */
typedef struct zinc_metadata_encoding_def {
	size_t size;
	const char *name;        /* `type` in the drafts */
	const char *const *uris; /* in the drafts; only they have metadata encodings */
	const char *purpose;
	const char *suffix; /* of metadata keys in new hierarchies, ".yaml" */

	/* JSON text <-> the bytes of a document.  `*nout` is on entry the size of `out` and on return the number of bytes
	 * written.  If `out` is too small, set *nout to the size needed and return E_LIMIT; it is called again if that size is
	 * allowed.  Bytes that cannot be decoded are E_CORRUPT. */
	zinc_status (*encode)(const char *json, size_t njson, void *out, size_t *nout, zinc_error *err);
	zinc_status (*decode)(const void *in, size_t nin, char *out, size_t *nout, zinc_error *err);
} zinc_metadata_encoding_def;

/* E_EXISTS, E_INVALID, E_LIMIT, E_NOMEM. */
ZINC_API ZINC_CHECKED zinc_status zinc_register_metadata_encoding(const zinc_metadata_encoding_def *def, zinc_error *err);

/* ---- extensions of nodes and hierarchies ---- */

/* What may declare an extension: arrays, groups (in 2019 and in version 3), a draft's whole hierarchy. */
#define ZINC_EXTENDS_ARRAY     1u
#define ZINC_EXTENDS_GROUP     2u
#define ZINC_EXTENDS_HIERARCHY 4u

/*
 * An extension that the program understands, so that Zinc may open nodes that require it.  Its effect is up to the program.
 * The drafts declare it in `extensions`, by its URI; version 3 and Zarr v2 as a member of the
 * document, by its name.
 */
typedef struct zinc_extension_def {
	size_t size;
	const char *name;
	const char *const *uris;
	const char *purpose;
	unsigned extends; /* ZINC_EXTENDS_ARRAY and so on, joined with | */

	/* Check the configuration; NULL: any is valid.  The configuration is the member of that name, or else all members that
	 * are not common to every declaration; NULL: none.  A refused one makes a stored document E_CORRUPT. */
	zinc_status (*check)(const char *configuration, zinc_error *err);
} zinc_extension_def;

/* E_EXISTS, E_INVALID, E_LIMIT, E_NOMEM. */
ZINC_API ZINC_CHECKED zinc_status zinc_register_extension(const zinc_extension_def *def, zinc_error *err);

/* A declared extension, registered or not; valid during the callback only. */
typedef struct zinc_declaration {
	size_t size;
	const char *name;          /* as declared: a URI, or the member's name */
	const char *configuration; /* as check() gets it */
	int must_understand;
	int known;
} zinc_declaration;

/* Return non-zero to stop. */
typedef int (*zinc_declaration_fn)(void *arg, const zinc_declaration *declaration);

/* List the extensions that a node declares, or with `path` NULL the hierarchy. */
ZINC_API ZINC_CHECKED zinc_status zinc_extensions(zinc_hierarchy *h, const char *path, zinc_declaration_fn fn, void *arg,
                                                  const zinc_call_options *call, zinc_error *err);

/* ---- storage transformers ---- */

/*
 * A storage transformer is a layer between one array and its store, and a store itself: it implements the
 * operations of <zinc/store.h> by calling `next`, the layer below it or the store.  Documents list them in `storage_transformers`, the
 * one nearest the array first.  This structure is its input; everything it points to outlives
 * the layer.
 */
typedef struct zinc_transformer_input zinc_transformer_input;
struct zinc_transformer_input {
	size_t size;
	zinc_context *context;
	zinc_store *next;   /* a layer that keeps it takes a reference (zinc_store_ref) and closes that */
	const char *prefix; /* prefix of the keys of the array's chunks, "" or "a/b/"; other keys are passed on */
	int ndim;
	const uint64_t *shape;       /* of the array */
	const uint64_t *chunk_shape; /* of its largest chunk */
	const uint64_t *grid_shape;  /* chunks along each dimension */
	const char *dtype;
	size_t element_size;
	const void *fill; /* one element */
	/* Behind the prefix: index of a chunk -> key, as snprintf; and the exact inverse, 0: not a chunk's key, else 1. */
	size_t (*encode_key)(const zinc_transformer_input *in, const uint64_t *index, char *out, size_t room);
	int (*decode_key)(const zinc_transformer_input *in, const char *key, uint64_t *index);
	const void *keys; /* for those two */
	/* From zinc_stack_options. */
	int shard_order;
	int single_writer;
};

typedef struct zinc_transformer_def {
	size_t size;
	const char *name;        /* in documents of version 3 */
	const char *const *uris; /* in the drafts, where `type` is the name; NULL-ended, may be NULL */
	const char *purpose;
	/* Make the layer: most simply with zinc_store_wrap. */
	zinc_status (*open)(zinc_store **out, const char *configuration, const zinc_transformer_input *in, zinc_error *err);
} zinc_transformer_def;

/* E_EXISTS when the name or a URI is taken, E_INVALID, E_LIMIT, E_NOMEM. */
ZINC_API ZINC_CHECKED zinc_status zinc_register_transformer(const zinc_transformer_def *def, zinc_error *err);

/* Layers that a program adds to an array at run time; they are not in any document. */
typedef zinc_status (*zinc_layer_fn)(zinc_store **out, const void *arg, const zinc_transformer_input *in, zinc_error *err);

typedef struct zinc_layer {
	zinc_layer_fn make; /* zinc_layer_cache, zinc_layer_log, or your own */
	const void *arg;    /* lives as long as the array's handle */
} zinc_layer;

/* The order of chunks in the shards that a layer writes.  Readers see no difference. */
typedef enum zinc_shard_order {
	ZINC_SHARD_ROWS = 0,   /* C order of their indices */
	ZINC_SHARD_MORTON = 1, /* Morton order: neighbours in all dimensions lie close */
	ZINC_SHARD_APPEND = 2  /* after the existing bytes, which stay; old bytes are never reclaimed */
} zinc_shard_order;

typedef struct zinc_stack_options {
	size_t size;
	const zinc_layer *layers; /* the one nearest the array first; above those of the document */
	size_t nlayers;
	int shard_order;   /* of the document's layer `indexed` */
	int single_writer; /* it may change parts of shards in a store that cannot exclude others */
} zinc_stack_options;

/* clang-format off */
#define ZINC_STACK_OPTIONS(...) ZINC_OPTIONS_OF(zinc_stack_options, __VA_ARGS__)
#define ZINC_STACK_OPTIONS_INIT {sizeof(zinc_stack_options), NULL, 0, 0, 0}
/* clang-format on */

/*
 * Set the run-time layers of a handle, best right after it is opened; NULL removes them.  Running calls are not affected.
 * The layers are made now, and again whenever the metadata of the handle changes (resize, refresh).
 */
ZINC_API ZINC_CHECKED zinc_status zinc_array_stack(zinc_array *a, const zinc_stack_options *options, zinc_error *err);

/* A cache of values in memory.  A value is used only after the store has confirmed its tag, unless `trust`. */
typedef struct zinc_layer_cache_options {
	size_t size;
	uint64_t bytes; /* the most that is kept */
	int trust;      /* the data never change: do not ask the store, even one without tags */
} zinc_layer_cache_options;

/* clang-format off */
#define ZINC_LAYER_CACHE_OPTIONS(...) ZINC_OPTIONS_OF(zinc_layer_cache_options, __VA_ARGS__)
#define ZINC_LAYER_CACHE_OPTIONS_INIT {sizeof(zinc_layer_cache_options), 0, 0}
/* clang-format on */
/* For zinc_layer.make, with zinc_layer_cache_options or NULL as its `arg`. */
ZINC_API ZINC_CHECKED zinc_status zinc_layer_cache(zinc_store **out, const void *cache_options,
						   const zinc_transformer_input *in, zinc_error *err);

/* Calls `fn` for every operation of the layer. */
typedef struct zinc_layer_log_options {
	size_t size;
	zinc_log_fn fn;
	void *arg;
} zinc_layer_log_options;

/* clang-format off */
#define ZINC_LAYER_LOG_OPTIONS(...) ZINC_OPTIONS_OF(zinc_layer_log_options, __VA_ARGS__)
#define ZINC_LAYER_LOG_OPTIONS_INIT {sizeof(zinc_layer_log_options), NULL, NULL}
/* clang-format on */
/* For zinc_layer.make, with zinc_layer_log_options or NULL as its `arg`. */
ZINC_API ZINC_CHECKED zinc_status zinc_layer_log(zinc_store **out, const void *log_options, const zinc_transformer_input *in,
						 zinc_error *err);

/* For zinc_store_sharded: the layer `indexed` on a store, without an array. */
typedef struct zinc_sharded_options {
	size_t size;
	const char *prefix; /* of the keys of chunks: "a/b/", in the drafts "data/root/a/b/" [""] */
	int ndim;
	const uint64_t *chunks_per_shard;
	const char *key_encoding; /* "default", "default.", "v2", "v2/"; "draft", "draft.": "c96/18", "c96.18" of the drafts
	                             ["default"; below "data/root/" "draft"] */
	int shard_order;
	int single_writer;
} zinc_sharded_options;

/* clang-format off */
#define ZINC_SHARDED_OPTIONS(...) ZINC_OPTIONS_OF(zinc_sharded_options, __VA_ARGS__)
#define ZINC_SHARDED_OPTIONS_INIT {sizeof(zinc_sharded_options), NULL, 0, NULL, NULL, 0, 0}
/* clang-format on */

/* A store that combines chunks into shards of `next`, of which it takes a reference.  E_INVALID, E_LIMIT, E_NOMEM. */
ZINC_API ZINC_CHECKED zinc_status zinc_store_sharded(zinc_store **out, zinc_store *next, const zinc_sharded_options *options,
						     zinc_error *err);

/* ---- what there is ---- */

/* Call `fn` with name, other names and purpose of each built-in or registered thing, until it returns non-zero. */
ZINC_API void zinc_list_codecs(zinc_row_fn fn, void *arg);
ZINC_API void zinc_list_dtypes(zinc_row_fn fn, void *arg);
ZINC_API void zinc_list_grids(zinc_row_fn fn, void *arg);
ZINC_API void zinc_list_key_encodings(zinc_row_fn fn, void *arg);
ZINC_API void zinc_list_metadata_encodings(zinc_row_fn fn, void *arg);
ZINC_API void zinc_list_extensions(zinc_row_fn fn, void *arg);
ZINC_API void zinc_list_transformers(zinc_row_fn fn, void *arg);

#ifdef __cplusplus
}
#endif
#endif
