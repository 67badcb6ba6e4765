/*
 * codec_parts.h - inside of the room `codec`: the built-in rows and what they share
 */
#ifndef ZINC_CODEC_PARTS_H
#define ZINC_CODEC_PARTS_H

#include <zinc/extend.h>

#include "codec/codec.h"

/* A codec's URIs in the drafts of 2022, 2020 and 2019.  The drafts define three; zarr-python 2.12 to 2.18 made others
 * from the ids of Zarr v2, as here. */
#define ZINC_CODEC_URIS(id)                                                                                            \
	(const char *const[])                                                                                          \
	{                                                                                                              \
		"https://purl.org/zarr/spec/codecs/" id "/1.0", "https://purl.org/zarr/spec/codec/" id "/1.0",         \
		    "http://purl.org/zarr/spec/codec/" id, NULL                                                        \
	}

extern const zinc_codec_ops zinc_codec_bytes;
extern const zinc_codec_ops zinc_codec_transpose;
extern const zinc_codec_ops zinc_codec_gzip;
extern const zinc_codec_ops zinc_codec_blosc;
extern const zinc_codec_ops zinc_codec_zstd;
extern const zinc_codec_ops zinc_codec_crc32c;
extern const zinc_codec_ops zinc_codec_sharding;
extern const zinc_codec_ops zinc_codec_bitround;
extern const zinc_codec_ops zinc_codec_cast_value;
extern const zinc_codec_ops zinc_codec_scale_offset;
extern const zinc_codec_ops zinc_codec_packbits;
extern const zinc_codec_ops zinc_codec_vlen_utf8;
extern const zinc_codec_ops zinc_codec_vlen_bytes;
extern const zinc_codec_ops zinc_codec_reshape;
extern const zinc_codec_ops zinc_codec_squeeze;
extern const zinc_codec_ops zinc_codec_zfp;
extern const zinc_codec_ops zinc_codec_conditional;
extern const zinc_codec_ops zinc_codec_zarrs_vlen;
extern const zinc_codec_ops zinc_codec_zarrs_vlen_v2;

extern const zinc_codec_ops zinc_codec_n5_default;

/* Of the format n5. */
extern const zinc_codec_ops zinc_codec_n5;
extern const zinc_codec_ops zinc_codec_n5_lz4;

/* Zarr v2's, "numcodecs.<id>". */
extern const zinc_codec_ops zinc_codec_adler32;
extern const zinc_codec_ops zinc_codec_astype;
extern const zinc_codec_ops zinc_codec_bz2;
extern const zinc_codec_ops zinc_codec_categorize;
extern const zinc_codec_ops zinc_codec_crc32;
extern const zinc_codec_ops zinc_codec_delta;
extern const zinc_codec_ops zinc_codec_fixedscaleoffset;
extern const zinc_codec_ops zinc_codec_fletcher32;
extern const zinc_codec_ops zinc_codec_jenkins_lookup3;
extern const zinc_codec_ops zinc_codec_json2;
extern const zinc_codec_ops zinc_codec_lz4;
extern const zinc_codec_ops zinc_codec_lzma;
extern const zinc_codec_ops zinc_codec_v2_packbits; /* not the registered packbits */
extern const zinc_codec_ops zinc_codec_quantize;
extern const zinc_codec_ops zinc_codec_shuffle;
extern const zinc_codec_ops zinc_codec_vlen_array;
extern const zinc_codec_ops zinc_codec_zfpy;
extern const zinc_codec_ops zinc_codec_zlib;
/* The same for codecs that v3 also has: these rows read v2's configurations and make the v3 codec. */
extern const zinc_codec_ops zinc_codec_v2_bitround;
extern const zinc_codec_ops zinc_codec_v2_blosc;
extern const zinc_codec_ops zinc_codec_v2_crc32c;
extern const zinc_codec_ops zinc_codec_v2_gzip;
extern const zinc_codec_ops zinc_codec_v2_zstd;

/* Of which only metadata can be read. */
extern const zinc_codec_ops zinc_codec_pcodec;
extern const zinc_codec_ops zinc_codec_jpeg;
extern const zinc_codec_ops zinc_codec_jpegxl;
extern const zinc_codec_ops zinc_codec_gdeflate;

/* A number of 1 to 8 bytes, or a part of a complex one, as unsigned bits; and back. */
static inline uint64_t
zinc_bits_get(const void *p, uint32_t size)
{
	uint64_t v = 0;

	memcpy((uint8_t *)&v + (ZINC_HOST_BIG ? sizeof v - size : 0), p, size);
	return v;
}

static inline void
zinc_bits_put(void *p, uint32_t size, uint64_t v)
{
	memcpy(p, (const uint8_t *)&v + (ZINC_HOST_BIG ? sizeof v - size : 0), size);
}

/* A zeroed object of `nbytes` that begins with a zinc_codec. */
zinc_status zinc_codec_new(zinc_codec **out, const zinc_codec_ops *ops, zinc_context *ctx, size_t nbytes,
			   zinc_error *err);
void zinc_codec_free(zinc_codec *c); /* NULL is allowed */
/* zinc_bytes_ops.needs_size; false for other kinds (chain.c). */
bool zinc_codec_needs_size(const zinc_codec *c);

/* ---- configurations ---- */

/* A member of `configuration` (may be NULL) that is not in the table is a lenient finding. */
zinc_status zinc_members_check(const zinc_member *members, const char *rule, const zinc_json *configuration,
			       zinc_report *r, zinc_error *err);
/* The same, but an error, as the specification of the codec demands. */
zinc_status zinc_members_only(const zinc_member *members, const char *rule, const zinc_json *configuration,
			      zinc_report *r, zinc_error *err);
/* Read one member, or its fallback. */
zinc_status zinc_member_parse(const zinc_member *m, const char *rule, const zinc_json *configuration, int64_t *out,
			      zinc_report *r, zinc_error *err);
/* Check the names of a configuration and read the members of a table into `object`. */
zinc_status zinc_members_parse(const zinc_member *members, const char *rule, const zinc_json *configuration,
			       void *object, zinc_report *r, zinc_error *err);
/* The reverse: print an object, which may be empty. */
zinc_status zinc_members_print(const zinc_member *members, const void *object, zinc_json_doc *doc, zinc_json **out,
			       zinc_error *err);
extern const zinc_member zinc_no_members[];
/* A required member, an array of `n` integers of at least `min`. */
zinc_status zinc_config_u64s(const zinc_json *configuration, const char *member, int n, uint64_t min, const char *rule,
			     uint64_t *out, zinc_report *r, zinc_error *err);
/* A member that is a finite number; `fallback` if it is missing, or null in a configuration of v2. */
zinc_status zinc_config_double(const zinc_json *configuration, const char *member, const double *fallback,
			       const char *rule, double *out, zinc_report *r, zinc_error *err);
/* Parse a word of the short form, "5", as an integer.  E_INVALID. */
zinc_status zinc_word_int(const char *codec, const char *word, int64_t min, int64_t max, int64_t *out, zinc_error *err);

/* Make {member: v}. */
zinc_status zinc_config_make_int(zinc_json_doc *doc, const char *member, int64_t v, zinc_json **out, zinc_error *err);
/* parse_words of a codec that takes one integer: {member: word or fallback}. */
zinc_status zinc_words_int(const char *codec, const char *const *words, int nwords, const char *member, int64_t min,
			   int64_t max, int64_t fallback, zinc_json_doc *doc, zinc_json **out, zinc_error *err);

/* ---- scalar.c: numbers of a configuration ---- */

/* Is it a type of real numbers: integers and floats of any size, not bool? */
bool zinc_is_real(const zinc_dtype *t);
/* Parse a number of such a type, written as a fill value of the type.  Other spellings of a number that the type has
 * ("5", 5.0 for an integer, "+Infinity") are lenient findings.  The report points at it. */
zinc_status zinc_scalar_parse(const zinc_dtype *t, const zinc_json *v, const char *rule, void *element, zinc_report *r,
			      zinc_error *err);

/* ---- decoding ---- */

/* Make room for n more bytes.  More than out->max is E_CORRUPT: a decompression bomb, or damage. */
zinc_status zinc_decoded_room(zinc_buf *out, size_t n, zinc_error *err);
/* E_CORRUPT unless `n` is `exact`, or `exact` is not known. */
zinc_status zinc_decoded_size(size_t n, size_t exact, zinc_error *err);

/*
 * Decode piece by piece: get the address and room for the next bytes, then report how many were written.  Memory is
 * reserved for all expected bytes, or grows with the output, never beyond out->max.  One spare byte lets a stream reach
 * its end; writing it is E_CORRUPT.
 */
typedef struct zinc_decode_out {
	zinc_buf *out;
	size_t exact; /* SIZE_MAX: not known */
	uint8_t spare;
} zinc_decode_out;
zinc_status zinc_decode_out_room(zinc_decode_out *p, uint8_t **to, size_t *room, zinc_error *err);
zinc_status zinc_decode_out_done(zinc_decode_out *p, const uint8_t *to, size_t n, zinc_error *err);

/* zinc_pack_ops.bound for elements of variable length: limits.chunk_bytes. */
int zinc_vlen_packed_bound(const zinc_codec *c, const zinc_rep *rep, size_t *encoded);
/* zinc_bytes_ops.bound of every compressor. */
int zinc_bound_compressed(const zinc_codec *c, size_t decoded, size_t *encoded);
/* Find the codec of one item of a list: M11-M14, M20.  With ZINC_OK, *ops NULL means that it is unknown and may be
 * ignored (chain.c). */
zinc_status zinc_codec_look_up(zinc_extension *ext, const zinc_codec_ops **ops, const zinc_json *v, zinc_report *r,
			       zinc_error *err);
/* Append {"name": ..., "configuration": ...} to a list of codecs; `configuration` NULL: none (chain.c). */
zinc_status zinc_codec_append(zinc_json_doc *doc, zinc_json *list, const char *name, zinc_json *configuration,
			      zinc_error *err);
/* An error finding unless the chain, which has no shard, gives back exactly what it encodes (chain.c). */
zinc_status zinc_chain_check_exact(const zinc_chain *c, const char *rule, zinc_report *r, zinc_error *err);
/* What a registered codec or memory layout is opened for. */
zinc_codec_input zinc_codec_input_of(const zinc_codec *c, const zinc_rep *in);
/* zinc_bytes_ops.verifies of formats that always have a checksum. */
bool zinc_verifies_always(const zinc_codec *c);

/* Set the shape of the encoded side of an array->array codec for chunks of the shape of `rep`, in place; dtype and fill
 * stay.  E_CORRUPT: the codec cannot reshape this chunk. */
zinc_status zinc_codec_encoded_shape(const zinc_codec *c, zinc_rep *rep, zinc_error *err);
/* The size of a C-order array of this type and shape; E_LIMIT if an int64_t stride cannot hold it. */
zinc_status zinc_rep_bytes(const zinc_rep *rep, size_t *nbytes, zinc_error *err);

/* ---- checksum.c: a checksum of four bytes before or after the data ---- */

typedef uint32_t (*zinc_sum_fn)(uint32_t seed, const void *p, size_t n);

typedef struct zinc_checksum {
	zinc_codec codec;
	zinc_sum_fn sum;
	int64_t seed; /* of 32 bits */
	int64_t location;
} zinc_checksum;

enum { ZINC_CHECKSUM_START, ZINC_CHECKSUM_END };
extern const char *const zinc_checksum_locations[];
/* {"location": "start" or "end"}; the default is "start". */
extern const zinc_member zinc_checksum_members[];
extern const zinc_bytes_ops zinc_checksum_coder;

/* ---- recode.c: shared by array->array codecs of numbers ---- */

#define ZINC_RECODE_BLOCK 256 /* elements processed at once, on the stack */

/*
 * A codec whose configuration names the types of both sides, in NumPy's spelling.  The decoded type may differ from the
 * array's if an element has the same size: then its bits are interpreted as that type.
 */
typedef struct zinc_recode {
	zinc_codec codec;
	const zinc_dtype *decoded, *encoded; /* rows of the table: numbers or bool */
	bool decoded_big, encoded_big;       /* byte order of the spelling, without effect: `bytes` sets it */
	uint8_t fill[16];
} zinc_recode;

/* Parse one member, "<f4", to a row of the table.  Missing or null: `out` does not change. */
zinc_status zinc_recode_type(const zinc_json *configuration, const char *member, const char *rule, zinc_context *ctx,
			     const zinc_dtype **out, bool *big, zinc_report *r, zinc_error *err);
/* Parse the members with these names (NULL: none).  The default is the array's type, or that of the decoded side. */
zinc_status zinc_recode_types(zinc_recode *x, const zinc_json *configuration, const char *decoded, const char *encoded,
			      const char *rule, const zinc_rep *in, zinc_report *r, zinc_error *err);
/* Make the codec, a copy of the `nbytes` at x, and set its encoded side. */
zinc_status zinc_recode_new(zinc_codec **codec, const zinc_codec_ops *ops, zinc_context *ctx, const zinc_recode *x,
			    size_t nbytes, const zinc_rep *in, zinc_rep *out, zinc_error *err);
/* Print "<f4" into the object. */
zinc_status zinc_recode_print(zinc_json_doc *doc, zinc_json *o, const char *member, const zinc_dtype *t, bool big,
			      zinc_error *err);
/* For parse_words: {decoded: type of the array, encoded: the word, or the same type}. */
zinc_status zinc_recode_words(zinc_json_doc *doc, zinc_json *o, const char *decoded, const char *encoded,
			      const char *word, const zinc_rep *in, zinc_error *err);
/* Is it float32 or float64, which have a neighbour of every integer, and of every number of the smaller floats? */
bool zinc_recode_wide(const zinc_dtype *t);
/* The number of elements of a chunk. */
zinc_status zinc_recode_count(const zinc_rep *rep, size_t *n, zinc_error *err);

/* Convert n elements; the first is element `at` of the chunk.  An element that does not convert by `flags` is error
 * `st`. */
zinc_status zinc_recode_convert(const zinc_dtype *to, void *dst, const zinc_dtype *from, const void *src, size_t n,
				int flags, size_t at, zinc_status st, zinc_error *err);
/* The same from doubles, like NumPy's astype: floats are rounded, if necessary to infinity; integers are truncated,
 * and a value that does not fit is error `st`. */
zinc_status zinc_recode_cast(const zinc_dtype *to, void *dst, double *src, size_t n, size_t at, zinc_status st,
			     zinc_error *err);
/* Round doubles to values of the float type t.  After each + - * / on numbers of that type, this gives the result of
 * that type. */
void zinc_recode_round(const zinc_dtype *t, double *v, size_t n);

/* ---- floats_to_ints.c ---- */

/* Does zinc_floats_to_ints convert between these types: a float that float64 holds, to an integer of whole bytes? */
bool zinc_floats_to_ints_has(const zinc_dtype *to, const zinc_dtype *from);
/* Round n <= ZINC_RECODE_BLOCK floats and store them as integers, limited to the type's (`clamp`) or modulo 2^n
 * (`wrap`).  False: an element is NaN, infinite or outside of what this function can do; nothing is valid then. */
bool zinc_floats_to_ints(const zinc_dtype *to, void *out, const zinc_dtype *from, const void *in, size_t n,
			 zinc_rounding rounding, bool clamp, bool wrap);

/* ---- zfp.c ---- */

/* In the order of their names in codec_zfp.c. */
enum { ZINC_ZFP_REVERSIBLE, ZINC_ZFP_EXPERT, ZINC_ZFP_FIXED_ACCURACY, ZINC_ZFP_FIXED_RATE, ZINC_ZFP_FIXED_PRECISION };

typedef struct zinc_zfp {
	zinc_codec codec;
	int mode;
	int64_t minbits, maxbits, maxprec, minexp; /* EXPERT */
	int64_t precision;
	double tolerance, rate;
	bool header; /* each chunk begins with the type, the shape and the mode, and these are what decoding uses */
} zinc_zfp;

#define ZINC_ZFP_DIMS 4 /* at most */

/* Can the type be stored: as it is (`native`), or also as another one? */
bool zinc_zfp_stores(const zinc_dtype *t, bool native);
/* What is wrong with the mode for chunks like `rep`, which has at most ZINC_ZFP_DIMS dimensions; NULL: nothing. */
const char *zinc_zfp_check(const zinc_zfp *z, const zinc_rep *rep);
/* zinc_pack_ops; the last two only in builds with the library. */
bool zinc_zfp_loses(const zinc_codec *c);
int zinc_zfp_bound(const zinc_codec *c, const zinc_rep *rep, size_t *encoded);
zinc_status zinc_zfp_encode(const zinc_codec *c, zinc_scratch *s, const zinc_rep *rep, const void *in, zinc_buf *out,
			    zinc_error *err);
zinc_status zinc_zfp_decode(const zinc_codec *c, zinc_scratch *s, const zinc_rep *rep, zinc_bytes in, void *out,
			    zinc_error *err);
extern const zinc_pack_ops zinc_zfp_coder; /* only in builds with the library */

/* ---- codec_lz4.c; no function may be called if the build lacks the library ---- */

#if ZINC_WITH_LZ4
#define ZINC_LZ4_LACKS NULL
#else
#define ZINC_LZ4_LACKS "liblz4"
#endif
/* Append one LZ4 block. */
zinc_status zinc_lz4_compress(zinc_scratch *s, zinc_bytes in, int acceleration, zinc_buf *out, zinc_error *err);
/* Append the `nbytes` that one LZ4 block decodes to, no more and no fewer.  More than out->max is E_CORRUPT. */
zinc_status zinc_lz4_decompress(zinc_bytes in, size_t nbytes, zinc_buf *out, zinc_error *err);

/* ---- deflate.c; no function may be called if ZINC_FLATE_LACKS the library ---- */

/* Append one RFC 1952 member without name and time. */
zinc_status zinc_deflate_gzip(zinc_scratch *s, int level, zinc_bytes in, zinc_buf *out, zinc_error *err);
/* Decode all members of `in`; as zinc_bytes_ops.decode. */
zinc_status zinc_deflate_gunzip(zinc_scratch *s, zinc_bytes in, zinc_buf *out, size_t exact, zinc_error *err);
/* Decode the first `need` bytes of the first member without checking its checksum; *enough false: `in` does not
 * suffice. */
zinc_status zinc_deflate_gunzip_start(zinc_scratch *s, zinc_bytes in, zinc_buf *out, size_t need, bool *enough,
				      zinc_error *err);
/* The same for RFC 1950, with exactly one stream. */
zinc_status zinc_deflate_zlib(zinc_scratch *s, int level, zinc_bytes in, zinc_buf *out, zinc_error *err);
zinc_status zinc_deflate_unzlib(zinc_scratch *s, zinc_bytes in, zinc_buf *out, size_t exact, zinc_error *err);

#endif
