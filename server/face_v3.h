/*
 * face_v3.h - declarations shared by the files of the clean version 3 face
 *
 *     face_v3.c           the slots of the store: a key -> a value
 *     face_v3_node.c      nodes of the source, kept for some seconds; names of fields
 *     face_v3_recipe.c    an array's description -> the arrays that are served for it
 *     face_v3_type.c      data types: records, complex numbers, texts
 *     face_v3_time.c      dates and spans of time as integers with units
 *     face_v3_missing.c   which elements readers mask
 *     face_v3_codecs.c    which chains pass unchanged
 *     face_v3_document.c  the text of zarr.json
 *     face_v3_chunk.c     chunks that are encoded again
 *     face_v3_cache.c     these chunks, kept; memory for work in progress
 */
#ifndef ZINC_SERVER_FACE_V3_H
#define ZINC_SERVER_FACE_V3_H

#include <pthread.h>

#include "server.h"
#include "text.h"

/* Decoded bytes of a chunk that is encoded again. */
#define FACE_CHUNK_BYTES (256ull << 20)
/* Arrays and groups that one array of records may become. */
#define FACE_MAX_FIELDS 4096
/* How deep records in records are looked for. */
#define FACE_MAX_LEVELS 64
/* A document; consolidated metadata that would make it longer is left out. */
#define FACE_DOCUMENT_BYTES (32u << 20)

zinc_status face_nomem(zinc_error *err);
/* Fill `err` with formatted text. */
zinc_status face_fail(zinc_error *err, zinc_status st, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* ---- values (face_v3_cache.c) ---- */

/* Bytes that several requests share. */
struct blob {
	unsigned refs; /* changed with __atomic functions */
	zinc_tag tag;  /* n == 0: none */
	const void *bytes;
	uint64_t nbytes;
	zinc_blob held; /* what `bytes` points into, or: */
	char *text;
};

/* Both take what they are given, also when they fail (NULL). */
struct blob *blob_of_text(char *text);
struct blob *blob_of_bytes(zinc_blob *bytes, const zinc_tag *tag);
struct blob *blob_ref(struct blob *b);
void blob_unref(struct blob *b);

struct cache;

struct cache *cache_new(uint64_t memory);
void cache_free(struct cache *c);
/* The chunk with this tag, with a reference; NULL: the caller makes it, and then calls cache_done, with the chunk or (it
 * failed) with NULL.  Others that want the same chunk wait. */
zinc_status cache_find(struct cache *c, const zinc_tag *tag, struct blob **out, const zinc_wait *wait, zinc_error *err);
void cache_done(struct cache *c, const zinc_tag *tag, struct blob *b);
/* Bytes of work in progress: waits until there is room for them, or nobody else works. */
zinc_status cache_reserve(struct cache *c, uint64_t nbytes, const zinc_wait *wait, zinc_error *err);
void cache_release(struct cache *c, uint64_t nbytes);
uint64_t cache_bytes(struct cache *c);

/* ---- time (face_v3_time.c) ---- */

/* How a date or span becomes an integer: v * factor, or days of calendar months. */
struct time_rule {
	const char *unit; /* "seconds"; NULL: none known */
	int64_t factor;
	int months; /* not 0: the value counts this many months since 1970-01; it becomes days */
};

/* `configuration` is that of numpy.datetime64 or numpy.timedelta64. */
zinc_status time_rule_of(struct time_rule *out, const char *configuration, bool date, zinc_error *err);
/* Does the rule change no value? */
bool time_is_same(const struct time_rule *r);
/* NaT stays; E_RANGE when a value does not fit. */
zinc_status time_convert(const struct time_rule *r, int64_t *v, uint64_t n, zinc_error *err);

/* ---- types (face_v3_type.c) ---- */

enum leaf_kind { LEAF_SAME, LEAF_COMPLEX, LEAF_DATE, LEAF_SPAN, LEAF_TEXT };

/* Elements of one type within the element of the source. */
struct leaf {
	char *name; /* below the array: "", or of a record "field/inner" */
	char *said; /* the field's own name, if `name` is another; else NULL */
	bool group; /* a record: no elements */
	enum leaf_kind kind;
	struct time_rule time;
	char *type;              /* JSON of the data type that is served */
	zinc_type stored;        /* of the parts in the source, if few readers know it, and the library converts it */
	char *fill;              /* JSON of the fill value that is served */
	bool same_fill;          /* all parts of a missing element are `fill` */
	bool record;             /* part of a record, so never the whole element */
	uint64_t offset, nbytes; /* of one part, in the element of the source */
	int naxes;               /* trailing axes: sub-arrays, then real and imaginary part */
	uint64_t axis[ZINC_MAX_NDIM], stride[ZINC_MAX_NDIM];
};

struct leaves {
	struct leaf *leaf;
	size_t n;
};

/* `twins` is a hierarchy in memory; `element_size` that of the array, 0 for variable-length types. */
zinc_status leaves_of(struct leaves *out, zinc_hierarchy *twins, const char *type, const char *fill,
		      size_t element_size, zinc_error *err);
void leaves_free(struct leaves *x);

/* ---- missing elements (face_v3_missing.c) ---- */

/* JSON of the attribute _FillValue that is served, for free(); NULL: none, or that of the source as it is.  `d` are the
 * members of the description, `fill` is one element.  `replaces`: the attribute of the source has the same value;
 * `unsuited`: it has a value that is none of this type. */
char *missing_of(const struct leaf *leaf, const struct items *d, int ndim, const void *fill, bool *replaces,
		 bool *unsuited);

/* ---- codecs (face_v3_codecs.c) ---- */

/* The JSON of the chain with clean spelling if every reader has all its codecs, else NULL; `axes` are added to the
 * chunk's.  For free(). */
char *codecs_pass(const char *codecs, int ndim, const uint64_t *axes, int naxes, bool *sharded);
/* bytes or vlen-..., then gzip. */
const char *codecs_plain(const char *type);

/* ---- recipes (face_v3_recipe.c) ---- */

/* One array that is served. */
struct recipe {
	struct leaf leaf;
	bool pass; /* chunks are those of the source */
	int ndim, source_ndim;
	uint64_t shape[ZINC_MAX_NDIM], chunk[ZINC_MAX_NDIM], grid[ZINC_MAX_NDIM];
	uint64_t element_size; /* of the source */
	bool variable;
	char *missing;  /* JSON of the attribute _FillValue; NULL: as in the source */
	bool replaces;  /* it is the same value, in another spelling */
	bool unsuited;  /* that of the source is no value of the type */
	char *document; /* zarr.json; of a group without consolidated metadata */
};

/* Everything that is served for one array of the source: the first is the array itself, or the group of its fields. */
struct recipes {
	struct recipe *r;
	size_t n;
};

struct described {
	const char *json; /* of zinc_array_describe */
	size_t element_size;
	int variable;
	const char *unsupported;
	const void *fill; /* one element */
};

zinc_status recipes_of(struct recipes *out, zinc_hierarchy *twins, const struct described *d, zinc_error *err);
void recipes_free(struct recipes *x);

/* ---- documents (face_v3_document.c) ---- */

struct face;

/* The document of an array; `d` are the members of its description. */
char *document_of_array(const struct recipe *r, const struct items *d, const char *codecs);
/* Of a group, open at its end: without the last brace. */
void document_begin_group(struct text *t, const char *attributes);
/* Of a group of the source, with everything below it.  `path` is that in the source. */
zinc_status document_of_group(struct blob **out, const struct face *f, const char *path, const char *attributes,
			      const zinc_call_options *call, zinc_error *err);
/* Of the group that an array of records becomes, from recipe `i` on. */
zinc_status document_of_record(struct blob **out, const struct recipes *x, size_t i, zinc_error *err);

/* ---- nodes (face_v3_node.c) ---- */

/* A node of the source; fixed once made. */
struct node {
	unsigned refs;
	char *path; /* in the source */
	double made;
	zinc_node_kind kind;
	zinc_error *problem; /* why it cannot be served; NULL: it can */
	char *attributes;    /* of a group */
	zinc_array *array;
	unsigned char described[HASH_BYTES]; /* hash of the array's description */
	struct recipes recipes;
	bool kept;       /* under the lock of the nodes */
	uint64_t nbytes; /* of its documents; likewise */
	struct node *next;
	struct blob *document; /* of a group, once asked for; under the lock of the nodes */
};

struct nodes;

struct face {
	zinc_hierarchy *h, *twins;
	zinc_store *source, *memory;
	bool tags;  /* the source has them */
	bool lists; /* the source is local and can be listed */
	char *root; /* path of the served node, without a '/' at the end: "" or "/a/b" */
	struct nodes *nodes;
	struct cache *cache;
	uint64_t counter; /* of twins */
};

struct nodes *nodes_new(double age);
void nodes_free(struct nodes *x);
/* The node for a path below the root, "a/b", and which of its recipes is meant.  E_NOTFOUND when there is none. */
zinc_status node_find(struct face *f, const char *path, struct node **out, size_t *recipe,
		      const zinc_call_options *call, zinc_error *err);
void node_unref(struct node *n);
/* Is the array still described as it was when the node was made?  E_CONFLICT: no. */
zinc_status node_check(struct face *f, const struct node *n, const zinc_call_options *call, zinc_error *err);
/* Make it anew when it is asked for again. */
void node_forget(struct face *f, struct node *n);
/* Its document, for blob_unref. */
zinc_status node_document(struct face *f, struct node *n, size_t recipe, struct blob **out,
			  const zinc_call_options *call, zinc_error *err);

/* ---- chunks (face_v3_chunk.c) ---- */

/* Where the bytes of a key are: one of both. */
struct place {
	struct blob *blob;
	char *key; /* of the source */
};

/* E_NOTFOUND when there is none.  Without `make`: E_UNSUPPORTED when it must be encoded, which takes long. */
zinc_status chunk_find(struct face *f, struct node *n, const struct recipe *r, const uint64_t *index, bool make,
		       struct place *out, const zinc_wait *wait, zinc_error *err);
/* The tag that a value of the source has here. */
void chunk_tag(const char *key, const zinc_tag *source, zinc_tag *out);

#endif
