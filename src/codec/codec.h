/*
 * codec.h - door of the room `codec`: codecs, chains, shards
 *
 * A codec is one file and one row of codec_table.c.  A chain is array->array codecs, one array->bytes codec,
 * bytes->bytes codecs (M60).  Nothing in this room reads a store: the array fetches, the chain decodes.
 */
#ifndef ZINC_CODEC_H
#define ZINC_CODEC_H

#include "dtype/dtype.h"
#include "grid/grid.h"
#include "report/report.h"

/* ---- scratch: what one thread reuses from chunk to chunk ---- */

/* Buffers and codec contexts of one thread.  A call takes one and puts it back, so that a thousand chunks need no
 * allocation of ours. */
typedef struct zinc_scratch {
	zinc_context *ctx;
	zinc_buf a, b;     /* alternating buffers of bytes->bytes codecs, and of array->array codecs */
	zinc_buf fetch;    /* encoded bytes read from or written to a store */
	zinc_buf decoded;  /* a decoded chunk, or one to be encoded, in C order */
	zinc_buf elements; /* old and new elements of a chunk that is written in part */
	zinc_buf convert;  /* elements during conversion */
	zinc_buf index;    /* a shard's index */
	zinc_buf vlen;     /* bytes of decoded elements of variable length */
	zinc_buf places;   /* used places of a registered memory layout */
	zinc_arena *kept;  /* bytes of decoded elements of a whole shard; made on first use */
	uint8_t idle[9];   /* for each buffer: consecutive uses that did not need its size */
	uint64_t turn;     /* number of uses; in the context's list the older ones have lower numbers */
	bool unverified;   /* checksums inside compressed frames need not be verified if only a part is decoded */
	struct zinc_scratch_state {
		const void *key; /* the codec's operations */
		int64_t variant; /* distinguishes states of one codec: a compression level */
		void *state;
		void (*free)(void *state);
		uint64_t turn; /* of its last use */
	} states[16];
	struct zinc_scratch *next;  /* in the context's list; or, for a nested chain, the deeper level */
	struct zinc_scratch *inner; /* for the chain inside a shard; made on first use */
} zinc_scratch;

zinc_scratch *zinc_scratch_get(zinc_context *ctx); /* NULL: no memory */
void zinc_scratch_put(zinc_scratch *s);            /* returns it to the context; NULL is allowed */
zinc_scratch *zinc_scratch_inner(zinc_scratch *s); /* NULL: no memory */
/* The state stored under (key, variant).  `*state` is NULL the first time; the caller sets it.  Freed with the
 * scratch. */
void **zinc_scratch_state(zinc_scratch *s, const void *key, int64_t variant, void (*free)(void *));

/* ---- codecs ---- */

typedef enum zinc_codec_kind { ZINC_ARRAY_ARRAY, ZINC_ARRAY_BYTES, ZINC_BYTES_BYTES } zinc_codec_kind;

/* The decoded side of a codec: element type, shape of the (largest) chunk, fill value. */
typedef struct zinc_rep {
	const zinc_dtype *dtype;
	int ndim;
	uint64_t shape[ZINC_MAX_NDIM];
	const void *fill; /* one element; NULL: not known */
} zinc_rep;

typedef struct zinc_codec zinc_codec;
typedef struct zinc_codec_ops zinc_codec_ops;

/* Every codec's object starts with this. */
struct zinc_codec {
	const zinc_codec_ops *ops;
	zinc_context *ctx;
};

/* Array->array. */
typedef struct zinc_array_ops {
	/* Convert elements in C order of `rep` (the decoded side, actual shape) to C order of the encoded side, and
	 * back. */
	zinc_status (*encode)(const zinc_codec *c, zinc_scratch *s, const zinc_rep *rep, const void *in, void *out,
			      zinc_error *err);
	zinc_status (*decode)(const zinc_codec *c, zinc_scratch *s, const zinc_rep *rep, const void *in, void *out,
			      zinc_error *err);
	/* For a codec that only reorders: axis i of the encoded side is axis order[i] of the decoded side.  Then
	 * encode and decode are not needed.  NULL for the others. */
	const int *(*order)(const zinc_codec *c);
	/* For a codec that changes the shape, but keeps the elements in C order: set ndim and shape of the encoded side
	 * `out` for chunks of the shape of `in`.  E_CORRUPT: impossible for this shape.  Then encode and decode are not
	 * needed.  NULL for the others. */
	zinc_status (*reshape)(const zinc_codec *c, const zinc_rep *in, zinc_rep *out, zinc_error *err);
	/* May decoding refuse what encoding has made?  `changed`: codecs behind it may change that to other numbers, of
	 * at most this magnitude; 0: they do not.  NULL: no. */
	bool (*refuses)(const zinc_codec *c, double changed);
	/* The largest magnitude of finite numbers that decoding makes, whatever it decodes.  NULL: not known. */
	double (*reach)(const zinc_codec *c);
	/* May decoded elements differ from those that were encoded?  NULL: no. */
	bool (*loses)(const zinc_codec *c);
} zinc_array_ops;

/* Array->bytes. */
typedef struct zinc_pack_ops {
	/* Convert C-order elements to bytes, and back.  `rep` has the actual shape of this chunk. */
	zinc_status (*encode)(const zinc_codec *c, zinc_scratch *s, const zinc_rep *rep, const void *in, zinc_buf *out,
			      zinc_error *err);
	zinc_status (*decode)(const zinc_codec *c, zinc_scratch *s, const zinc_rep *rep, zinc_bytes in, void *out,
			      zinc_error *err);
	/* The maximum encoded size of a chunk (exact if fixed_size).  Non-zero: overflow. */
	int (*bound)(const zinc_codec *c, const zinc_rep *rep, size_t *encoded);
	/* Are the bytes the elements themselves?  0 no; 1 in native order; 2 each unit swapped.  NULL: no. */
	int (*plain)(const zinc_codec *c, const zinc_rep *rep);
	/* May decoded elements differ from those that were encoded?  NULL: no. */
	bool (*loses)(const zinc_codec *c);
	/* The shape of an encoded chunk, which its bytes say.  NULL: they do not. */
	zinc_status (*shape)(const zinc_codec *c, zinc_bytes in, uint64_t *shape, zinc_error *err);
} zinc_pack_ops;

/* Bytes->bytes. */
typedef struct zinc_bytes_ops {
	/* The maximum size of any valid encoding of `decoded` bytes (exact if fixed_size).  Non-zero: overflow. */
	int (*bound)(const zinc_codec *c, size_t decoded, size_t *encoded);
	/* Append the encoded form of `in` to `out`. */
	zinc_status (*encode)(const zinc_codec *c, zinc_scratch *s, zinc_bytes in, zinc_buf *out, zinc_error *err);
	/*
	 * Append the decoded form of `in` to `out` (empty at the start).  `exact` is the decoded size if it is known,
	 * else SIZE_MAX.  E_CORRUPT: more than out->max, a size other than `exact`, or unused bytes.  Only the first
	 * `need` bytes are needed: a codec that can stop early may return fewer than `exact`, but at least `need`.
	 */
	zinc_status (*decode)(const zinc_codec *c, zinc_scratch *s, zinc_bytes in, zinc_buf *out, size_t exact,
			      size_t need, zinc_error *err);
	/* The same if only bytes [skip, need) are needed: the bytes before them are undefined.  NULL: decode is as
	 * fast. */
	zinc_status (*decode_part)(const zinc_codec *c, zinc_scratch *s, zinc_bytes in, zinc_buf *out, size_t exact,
				   size_t skip, size_t need, zinc_error *err);
	/* Decode the first `need` bytes; `in` is the beginning of the encoded form, or all of it.  *enough false,
	 * with any status: `in` does not suffice.  NULL: not supported. */
	zinc_status (*decode_start)(const zinc_codec *c, zinc_scratch *s, zinc_bytes in, zinc_buf *out, size_t need,
				    bool *enough, zinc_error *err);
	/* Can it decode what it encodes only if the decoded size is known?  NULL: no. */
	bool (*needs_size)(const zinc_codec *c);
	/* decode_start works only if checksums need not be verified. */
	bool starts_unverified;
	/* A codec that only adds a trailer has these instead of encode and decode, so that nothing is copied: append
	 * the trailer of the bytes from `from` on; check `in` and return it without the trailer. */
	zinc_status (*append_trailer)(const zinc_codec *c, zinc_buf *b, size_t from, zinc_error *err);
	zinc_status (*strip_trailer)(const zinc_codec *c, zinc_bytes in, zinc_bytes *out, zinc_error *err);
	/* Does its output have a checksum, so that every decoding, also of parts, detects damage?  NULL: no, unless
	 * it has strip_trailer. */
	bool (*verifies)(const zinc_codec *c);
} zinc_bytes_ops;

/* One member of a configuration: its type and range, its default, where the codec stores it, when it is printed.  A
 * table of members ends with a row without a name. */
typedef struct zinc_member {
	const char *name;
	enum {
		ZINC_MEMBER_OWN,    /* read and printed by the codec itself */
		ZINC_MEMBER_INT,    /* an integer from `min` to `max` */
		ZINC_MEMBER_BOOL,   /* 0 or 1 */
		ZINC_MEMBER_CHOICE, /* one of the NULL-ended `choices`; stored as its index */
	} type;
	int64_t min, max;
	const char *const *choices;
	bool required;    /* a missing member is an error */
	bool nullable;    /* null means missing, as in Zarr v2 */
	int64_t fallback; /* the default */
	enum {
		ZINC_PRINT_ALWAYS,
		ZINC_PRINT_CHANGED, /* unless it is the fallback */
		ZINC_PRINT_NULL,    /* as null if it is the fallback; always if ZINC_MEMBER_OWN */
		ZINC_PRINT_NEVER,
	} print;
	size_t at;        /* offset of an int64_t in the codec's object */
	const char *rule; /* the rule of a wrong value; NULL: the codec's */
} zinc_member;

/* Common to all kinds: names, configuration, flags. */
struct zinc_codec_ops {
	const char *name;
	const char *const *aliases; /* other names it is read under, NULL-ended; may be NULL */
	/* Its id in Zarr v2, NULL: none.  Rows "numcodecs.<id>" read v2's configurations, in documents of any
	 * version.  If v3 has the same codec under another name, parse of such a row makes a codec of that one,
	 * which is then printed. */
	const char *v2;
	const char *const *uris; /* in the drafts, NULL-ended; may be NULL */
	const char *purpose;
	zinc_codec_kind kind;
	bool fixed_size;          /* the encoded size depends on the decoded size alone (bound is exact) */
	bool needs_configuration; /* a bare string is an error (M14) */
	bool layout;              /* array->array that the drafts have as a memory layout, under the same URIs */
	bool compresses;          /* array->bytes that v2 has as a compressor */
	bool bytes_behind; /* array->bytes, stored with "bytes" after it, because others treat it as array->array */

	/* The configuration as a table: zinc_codec_parse makes an object of `nbytes` (0: a bare zinc_codec), reads
	 * the members and calls `check`. */
	const zinc_member *members;
	const zinc_member *members_v2; /* as Zarr v2 prints them; NULL: the same */
	const char *rule;              /* the rule of a wrong configuration; NULL: `v2` */
	bool prints_empty;             /* print an empty configuration too, because readers need one */
	size_t nbytes;
	const zinc_codec_ops *made; /* the row whose codec it makes; NULL: its own */
	const char *lacks;          /* the library missing from this build; NULL: none */
	/* Check what the table cannot express: members that depend on each other or on `in`.  Changes `out` like
	 * `parse`. */
	zinc_status (*check)(zinc_codec *c, const zinc_json *configuration, const zinc_rep *in, zinc_rep *out,
			     zinc_report *r, zinc_error *err);

	/*
	 * Instead of the table: make the codec from its configuration (NULL if absent; the report points at it) for
	 * `in`, which for bytes->bytes codecs is the decoded side of the array->bytes codec.  Array->array codecs may
	 * change the dtype and fill of `out` (owned by the codec, or by `in`), which begins as `in`; its shape follows
	 * from `array->order` or `array->reshape`.
	 */
	zinc_status (*parse)(zinc_codec **codec, const zinc_codec_ops *ops, zinc_context *ctx,
			     const zinc_json *configuration, const zinc_rep *in, zinc_rep *out, zinc_report *r,
			     zinc_error *err);
	/* Print the configuration; *out NULL if the codec has none.  Slot NULL: by the table. */
	zinc_status (*print)(const zinc_codec *c, zinc_json_doc *doc, zinc_json **out, zinc_error *err);
	/* Make the configuration from the short form "zstd:5": the words after the name, split at ':'.  NULL: takes
	 * none. */
	zinc_status (*parse_words)(const char *const *words, int nwords, const zinc_rep *in, zinc_json_doc *doc,
				   zinc_json **out, zinc_error *err);
	void (*free)(zinc_codec *c); /* NULL: the object is one block */

	/* The operations of its kind.  All NULL: rows that only read configurations, and codecs whose library is
	 * missing from this build. */
	const zinc_array_ops *array;
	const zinc_pack_ops *pack;
	const zinc_bytes_ops *bytes;
};

/* Does it only reorder axes? */
static inline bool
zinc_codec_reorders(const zinc_codec_ops *ops)
{
	return ops->array && ops->array->order;
}

/* The order of an array->array codec that only reorders (zinc_array_ops.order); NULL: it does more. */
static inline const int *
zinc_codec_order(const zinc_codec *c)
{
	return zinc_codec_reorders(c->ops) ? c->ops->array->order(c) : NULL;
}

/* Does it change the shape and nothing else? */
static inline bool
zinc_codec_reshapes(const zinc_codec_ops *ops)
{
	return ops->array && ops->array->reshape;
}

/* May decoded elements differ from those that were encoded?  A shard's inner codecs do not count. */
static inline bool
zinc_codec_loses(const zinc_codec *c)
{
	const zinc_codec_ops *ops = c->ops;

	return (ops->array && ops->array->loses && ops->array->loses(c)) ||
	       (ops->pack && ops->pack->loses && ops->pack->loses(c));
}

/* Find a codec; NULL: unknown.  By the v3 name or an alias. */
const zinc_codec_ops *zinc_codec_find(const char *name);
/* By the v2 id: the row that reads v2's configurations ({"id": ..., the configuration}).  zinc_chain_parse takes
 * items with its name and the configuration without "id".  NULL: unknown. */
const zinc_codec_ops *zinc_codec_find_v2(const char *id);
/* By URI: the row that reads the drafts' configurations, which are those of v2.  `match` is set to MINOR or SAME; if
 * there is no row, it tells whether another major version is known. */
const zinc_codec_ops *zinc_codec_find_uri(const char *uri, zinc_uri_match *match);
/* Make a codec from its configuration, by the table of its row or its own `parse`, as described there. */
zinc_status zinc_codec_parse(zinc_codec **codec, const zinc_codec_ops *ops, zinc_context *ctx,
			     const zinc_json *configuration, const zinc_rep *in, zinc_rep *out, zinc_report *r,
			     zinc_error *err);
/* Print the configuration; *out NULL if the codec has none. */
zinc_status zinc_codec_print(const zinc_codec *c, zinc_json_doc *doc, zinc_json **out, zinc_error *err);
/* Print the configuration as v2 and the drafts write it; *out NULL if the codec has none. */
zinc_status zinc_codec_print_old(const zinc_codec *c, zinc_json_doc *doc, zinc_json **out, zinc_error *err);
/* Print a codec as v2 writes it, {"id": ..., the configuration}; *out NULL if v2 does not have it. */
zinc_status zinc_codec_print_v2(const zinc_codec *c, zinc_json_doc *doc, zinc_json **out, zinc_error *err);
/* Is the codec registered by a program? */
bool zinc_codec_registered(const zinc_codec_ops *ops);
/* Add a row for ever.  E_EXISTS if its name or an alias is in use. */
zinc_status zinc_codec_add(const zinc_codec_ops *ops, zinc_error *err);

/* ---- chains ---- */

typedef struct zinc_shard zinc_shard;

typedef struct zinc_chain {
	zinc_context *ctx;
	zinc_rep rep; /* decoded side of the whole chain (largest chunk) */
	int naa, nbb;
	zinc_codec **aa; /* in encode order */
	zinc_codec *ab;
	zinc_codec **bb;
	zinc_rep ab_rep;         /* decoded side of the array->bytes codec (largest chunk) */
	bool reorders_only;      /* every array->array codec has `order` (or there is none) */
	int axis[ZINC_MAX_NDIM]; /* if so: axis i of ab_rep is axis axis[i] of rep; else axis[i] is i */
	bool maps_axes;          /* the same where they may also change elements, but no shape */
	int from_axis[ZINC_MAX_NDIM];
	bool reads_back;         /* a chunk must be decoded before it is written: a codec may refuse to decode it */
	bool changes;            /* decoded elements may differ from those that were encoded */
	bool pack_changes;       /* the same of the array->bytes codec, with the inner codecs of a shard */
	bool reshapes_only;      /* array->array codecs change the shape alone: elements are stored in C order of rep */
	const zinc_shard *shard; /* ab, when it is sharding_indexed */
	bool open_shard;         /* shard != NULL, reorders_only and nbb == 0: inner chunks can be fetched one by one */
	uint64_t unit_shape[ZINC_MAX_NDIM]; /* in axes of rep: the innermost chunk that can be decoded alone (through
					       open shards), else rep.shape */
	bool fixed_size;                    /* the encoded size depends on the shape alone */
	zinc_rep *aa_rep;                   /* decoded side of each array->array codec */
	void *fill;                         /* rep.fill is a copy of the caller's */
} zinc_chain;

/*
 * Parse the `codecs` member (array of extensions) for chunks like `rep`.  It copies what it needs of rep, except the
 * dtype and the bytes that a fill value of variable length points to: these must outlive the chain.  M9, M11-M14, M20
 * (unknown: E_UNSUPPORTED; an ignorable one is skipped with a warning), M60-M65 and each codec's own rules.  E_LIMIT:
 * limits.codecs, limits.shard_depth, limits.chunk_bytes (data that must be decoded in one piece: the chunk, or the
 * inner chunk of an open shard, or a shard's index).  The report points at the member.  Other errors take precedence
 * over E_UNSUPPORTED, so that a validator reports them.
 */
zinc_status zinc_chain_parse(zinc_chain **out, zinc_context *ctx, const zinc_json *codecs, const zinc_rep *rep,
			     zinc_report *r, zinc_error *err);
void zinc_chain_free(zinc_chain *c);
/* The inner chunk of a shard, in axes of rep.  False where there is no shard, or the axes before it are others. */
bool zinc_chain_inner_shape(const zinc_chain *c, uint64_t *shape);
/* Print the `codecs` member: every codec as an object with name and configuration (3.0-compatible, M24). */
zinc_status zinc_chain_print(const zinc_chain *c, zinc_json_doc *doc, zinc_json **out, zinc_error *err);
/*
 * Parse a caller's --codecs text (JSON array, or "transpose:1,0+zstd:3+crc32c", "none") into the `codecs` member.
 * "bytes" is added if no array->bytes codec is named; `big` selects big-endian bytes, `fortran` adds a transpose of all
 * axes at the start.  E_INVALID.
 */
zinc_status zinc_chain_parse_text(zinc_json **out, zinc_json_doc *doc, const char *text, const zinc_rep *rep, bool big,
				  bool fortran, zinc_error *err);
/* Wrap a `codecs` member into one sharding_indexed codec with inner chunks of `chunk_shape`; index bytes(little) +
 * crc32c at the end. */
zinc_status zinc_chain_make_sharded(zinc_json **out, zinc_json_doc *doc, zinc_json *inner, const uint64_t *chunk_shape,
				    int ndim, zinc_error *err);

/* Has N5 this data type? (codec_n5.c: integers and floats of whole bytes) */
bool zinc_n5_has_type(const char *dtype);
/* The chain inside a block of N5 (codec_n5.c); NULL for other codecs. */
const zinc_chain *zinc_codec_n5_chain(const zinc_codec *c);

/* A decoded chunk: its address, and bytes per step along each axis of the chain's `rep`. */
typedef struct zinc_view {
	uint8_t *p;
	int64_t strides[ZINC_MAX_NDIM];
} zinc_view;

/*
 * Decode one whole encoded chunk of the given shape.  With `into` (enough for all elements) a chunk whose axes are not
 * reordered is decoded there; otherwise into s->decoded, or it is not copied at all if the bytes in `in` are the
 * elements themselves.  `out` is set to the elements, valid until the scratch or `in` is used again.  The bytes that
 * elements of variable length point to are valid until the next decoding; encoding keeps them.  `need` elements from
 * the start in C order of the stored form are enough (0: all).  E_CORRUPT, E_CHECKSUM, E_NOMEM; err names the codec.
 */
zinc_status zinc_chain_decode(const zinc_chain *c, zinc_scratch *s, const uint64_t *shape, zinc_bytes in, void *into,
			      uint64_t need, zinc_view *out, zinc_error *err);
/* The same, but the first `skip` of those elements are not needed and may be left undefined. */
zinc_status zinc_chain_decode_part(const zinc_chain *c, zinc_scratch *s, const uint64_t *shape, zinc_bytes in,
				   void *into, uint64_t skip, uint64_t need, zinc_view *out, zinc_error *err);
/* Can the first `need` elements be decoded from the beginning of an encoded chunk?  Its first *nbytes bytes are
 * enough unless the encoder was very unusual. */
bool zinc_chain_can_decode_start(const zinc_chain *c, const uint64_t *shape, uint64_t need, bool unverified,
				 size_t *nbytes);
/* Decode `need` elements from the beginning of an encoded chunk.  *enough false: it is too short, or it has an error
 * that decoding all of it will report. */
zinc_status zinc_chain_decode_start(const zinc_chain *c, zinc_scratch *s, const uint64_t *shape, zinc_bytes in,
				    uint64_t need, zinc_view *out, bool *enough, zinc_error *err);
/* Encode one whole chunk (view in axes of `rep`) and append it to `out`.  The same elements always give the same
 * bytes. */
zinc_status zinc_chain_encode(const zinc_chain *c, zinc_scratch *s, const uint64_t *shape, const zinc_view *in,
			      zinc_buf *out, zinc_error *err);
/* Can the codecs hold a chunk of this shape?  One that changes the shape may not. */
zinc_status zinc_chain_check_shape(const zinc_chain *c, const uint64_t *shape, zinc_error *err);
/* The maximum size of an encoded chunk of this shape; exact if fixed_size.  Non-zero: overflow. */
int zinc_chain_bound(const zinc_chain *c, const uint64_t *shape, size_t *encoded);
/* Replace `shape` by that of an encoded chunk, if its bytes say it. */
zinc_status zinc_chain_stored_shape(const zinc_chain *c, zinc_bytes in, uint64_t *shape, zinc_error *err);
/* Does each stored object, or each inner chunk of a shard, have a checksum? */
bool zinc_chain_verifies(const zinc_chain *c);
/* Are there no bytes->bytes codecs and plain elements?  0 no, 1 native order, 2 swapped.  Then axes are reordered by
 * c->axis only. */
int zinc_chain_plain(const zinc_chain *c);
/* Are all elements of the view the fill value, bit for bit?  For variable length, the bytes that they point to are
 * compared. */
bool zinc_view_is_fill(const zinc_view *v, const uint64_t *shape, int ndim, const zinc_dtype *t, const void *fill);

/* ---- shards (sharding_indexed; spec digest section 3) ----
 *
 *     end:   [inner chunk]...[inner chunk][index]        16 bytes per inner chunk, C order:
 *     start: [index][inner chunk]...[inner chunk]        offset u64, nbytes u64; both 2^64-1: empty
 *
 * All shapes here are in the axes of the sharding codec (chain->ab_rep).
 */
struct zinc_shard {
	zinc_codec codec;
	int ndim;
	uint64_t chunk_shape[ZINC_MAX_NDIM];
	zinc_chain *inner;
	zinc_chain *index; /* NULL: the 2023 form without index_codecs */
	bool index_at_start;
};

#define ZINC_SHARD_EMPTY UINT64_MAX

typedef struct zinc_shard_entry {
	uint64_t offset, nbytes; /* both ZINC_SHARD_EMPTY: not stored */
} zinc_shard_entry;

/* The number of inner chunks in a shard of this shape: per axis, and in total. */
uint64_t zinc_shard_count(const zinc_shard *sh, const uint64_t *shard_shape, uint64_t *per_axis);
/* Bytes of the encoded index (the maximum, for the 2023 form).  Non-zero: overflow. */
int zinc_shard_index_bytes(const zinc_shard *sh, const uint64_t *shard_shape, size_t *nbytes);
/*
 * Decode the index from the bytes at its end of the shard (`tail`: the last, or first, zinc_shard_index_bytes bytes;
 * fewer if the shard is shorter) and check every entry: both numbers or none are the sentinel, and the range is within
 * `shard_size` and outside the index (M92; ranges may overlap each other).  `entries` has room for all.  E_CORRUPT,
 * E_CHECKSUM.
 */
zinc_status zinc_shard_index_decode(const zinc_shard *sh, zinc_scratch *s, const uint64_t *shard_shape, zinc_bytes tail,
				    uint64_t shard_size, zinc_shard_entry *entries, zinc_error *err);
/* Encode an index and append it. */
zinc_status zinc_shard_index_encode(const zinc_shard *sh, zinc_scratch *s, const uint64_t *shard_shape,
				    const zinc_shard_entry *entries, zinc_buf *out, zinc_error *err);
/*
 * The shard of the drafts' transformer `indexed`, which joins encoded chunks: chunk_shape is 1 along each axis, so that
 * shapes here count chunks.  It has no inner chain; the index is at the end, little-endian, without a checksum.  For
 * shards of at most `chunks_per_shard`.  E_LIMIT, E_UNSUPPORTED (too many dimensions), E_NOMEM.
 */
zinc_status zinc_shard_new_indexed(zinc_shard **out, zinc_context *ctx, int ndim, const uint64_t *chunks_per_shard,
				   zinc_error *err);
void zinc_shard_free(zinc_shard *sh); /* frees the above; NULL is allowed */

#endif
