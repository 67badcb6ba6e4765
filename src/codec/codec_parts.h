/*
 * codec_parts.h - inside of the room `codec`: the built-in rows and what they share
 */
#ifndef ZINC_CODEC_PARTS_H
#define ZINC_CODEC_PARTS_H

#include "codec/codec.h"

/* Libraries that a build may lack; a plain `cc` defines none of these. */
#ifndef ZINC_WITH_ZSTD
#define ZINC_WITH_ZSTD 0
#endif
#ifndef ZINC_WITH_BLOSC
#define ZINC_WITH_BLOSC 0
#endif
#ifndef ZINC_WITH_DEFLATE
#define ZINC_WITH_DEFLATE 0
#endif
#ifndef ZINC_WITH_BZ2
#define ZINC_WITH_BZ2 0
#endif
#ifndef ZINC_WITH_LZMA
#define ZINC_WITH_LZMA 0
#endif
#ifndef ZINC_WITH_LZ4
#define ZINC_WITH_LZ4 0
#endif

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
extern const zinc_codec_ops zinc_codec_vlen_utf8;
extern const zinc_codec_ops zinc_codec_vlen_bytes;

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
extern const zinc_codec_ops zinc_codec_packbits;
extern const zinc_codec_ops zinc_codec_quantize;
extern const zinc_codec_ops zinc_codec_shuffle;
extern const zinc_codec_ops zinc_codec_zlib;
/* The same for codecs that v3 has too: they read v2's configurations, and make the others. */
extern const zinc_codec_ops zinc_codec_v2_bitround;
extern const zinc_codec_ops zinc_codec_v2_blosc;
extern const zinc_codec_ops zinc_codec_v2_crc32c;
extern const zinc_codec_ops zinc_codec_v2_gzip;
extern const zinc_codec_ops zinc_codec_v2_zstd;

/* A zeroed object of `nbytes` that begins with a zinc_codec. */
zinc_status zinc_codec_new(zinc_codec **out, const zinc_codec_ops *ops, zinc_context *ctx, size_t nbytes,
			   zinc_error *err);
void zinc_codec_free(zinc_codec *c); /* NULL is fine */

/* ---- configurations ---- */

/* Any member of `configuration` (NULL is fine) that is not in the table is a lenient finding. */
zinc_status zinc_members_check(const zinc_member *members, const char *rule, const zinc_json *configuration,
			       zinc_report *r, zinc_error *err);
/* Read one member, or its fallback. */
zinc_status zinc_member_parse(const zinc_member *m, const char *rule, const zinc_json *configuration, int64_t *out,
			      zinc_report *r, zinc_error *err);
/* Check the names and read the members of a table into `object`. */
zinc_status zinc_members_parse(const zinc_member *members, const char *rule, const zinc_json *configuration,
			       void *object, zinc_report *r, zinc_error *err);
/* And back: an object, perhaps an empty one. */
zinc_status zinc_members_print(const zinc_member *members, const void *object, zinc_json_doc *doc, zinc_json **out,
			       zinc_error *err);
extern const zinc_member zinc_no_members[];
/* A member that must be there, an array of `n` integers of at least `min`. */
zinc_status zinc_config_u64s(const zinc_json *configuration, const char *member, int n, uint64_t min, const char *rule,
			     uint64_t *out, zinc_report *r, zinc_error *err);
/* A word of the short form, "5", as an integer.  E_INVALID. */
zinc_status zinc_word_int(const char *codec, const char *word, int64_t min, int64_t max, int64_t *out, zinc_error *err);

/* {member: v}. */
zinc_status zinc_config_make_int(zinc_json_doc *doc, const char *member, int64_t v, zinc_json **out, zinc_error *err);
/* parse_words of a codec that takes one integer: {member: word or fallback}. */
zinc_status zinc_words_int(const char *codec, const char *const *words, int nwords, const char *member, int64_t min,
			   int64_t max, int64_t fallback, zinc_json_doc *doc, zinc_json **out, zinc_error *err);

/* ---- decoding ---- */

/* Make room for n more bytes.  More than out->max is E_CORRUPT: a bomb, or plain nonsense. */
zinc_status zinc_decoded_room(zinc_buf *out, size_t n, zinc_error *err);
/* E_CORRUPT unless `n` is `exact`, or `exact` is not known. */
zinc_status zinc_decoded_size(size_t n, size_t exact, zinc_error *err);

/*
 * Decoding piece by piece: ask where the next bytes may go, then say how many went there.  Room is made for all that
 * are expected, or as they come, never beyond out->max; one byte more than may come has a place, so that a stream can
 * be brought to its end, but is E_CORRUPT.
 */
typedef struct zinc_decode_out {
	zinc_buf *out;
	size_t exact; /* SIZE_MAX: not known */
	uint8_t spare;
} zinc_decode_out;
zinc_status zinc_decode_out_room(zinc_decode_out *p, uint8_t **to, size_t *room, zinc_error *err);
zinc_status zinc_decode_out_done(zinc_decode_out *p, const uint8_t *to, size_t n, zinc_error *err);

/* zinc_pack_ops.bound of elements of variable length: limits.chunk_bytes. */
int zinc_vlen_packed_bound(const zinc_codec *c, const zinc_rep *rep, size_t *encoded);
/* zinc_bytes_ops.bound of every compressor. */
int zinc_bound_compressed(const zinc_codec *c, size_t decoded, size_t *encoded);
/* zinc_bytes_ops.verifies of formats that always have a checksum. */
bool zinc_verifies_always(const zinc_codec *c);

/* The bytes that a C-order array of this type and shape takes; E_LIMIT past what an int64_t stride can say. */
zinc_status zinc_rep_bytes(const zinc_rep *rep, size_t *nbytes, zinc_error *err);

/* ---- checksum.c: four bytes of checksum before or behind the others ---- */

typedef uint32_t (*zinc_sum_fn)(uint32_t seed, const void *p, size_t n);

typedef struct zinc_checksum {
	zinc_codec codec;
	zinc_sum_fn sum;
	int64_t seed; /* of 32 bits */
	int64_t location;
} zinc_checksum;

enum { ZINC_CHECKSUM_START, ZINC_CHECKSUM_END };
extern const char *const zinc_checksum_locations[];
/* {"location": "start" or "end"}, "start" unless it says otherwise. */
extern const zinc_member zinc_checksum_members[];
extern const zinc_bytes_ops zinc_checksum_coder;

/* ---- recode.c: what array->array codecs of numbers share ---- */

#define ZINC_RECODE_BLOCK 256 /* elements that are worked on at once, on the stack */

/*
 * A codec whose configuration names the types of both sides, as NumPy spells them.  The decoded one may be another than
 * the array's when an element has as many bytes: then its bits are seen as that.
 */
typedef struct zinc_recode {
	zinc_codec codec;
	const zinc_dtype *decoded, *encoded; /* rows of the table: numbers or bool */
	bool decoded_big, encoded_big;       /* how they were spelled; the `bytes` codec has the word */
	uint8_t fill[16];
} zinc_recode;

/* The members with these names (NULL: none); a missing one is the array's type, or that of the decoded side. */
zinc_status zinc_recode_types(zinc_recode *x, const zinc_json *configuration, const char *decoded, const char *encoded,
			      const char *rule, const zinc_rep *in, zinc_report *r, zinc_error *err);
/* The codec itself, a copy of the `nbytes` at x, and what comes out of it. */
zinc_status zinc_recode_new(zinc_codec **codec, const zinc_codec_ops *ops, zinc_context *ctx, const zinc_recode *x,
			    size_t nbytes, const zinc_rep *in, zinc_rep *out, zinc_error *err);
/* "<f4" into the object. */
zinc_status zinc_recode_print(zinc_json_doc *doc, zinc_json *o, const char *member, const zinc_dtype *t, bool big,
			      zinc_error *err);
/* parse_words: {decoded: type of the array, encoded: the word or the same}. */
zinc_status zinc_recode_words(zinc_json_doc *doc, zinc_json *o, const char *decoded, const char *encoded,
			      const char *word, const zinc_rep *in, zinc_error *err);
/* Elements of a chunk. */
zinc_status zinc_recode_count(const zinc_rep *rep, size_t *n, zinc_error *err);

/* Convert n elements, of which the first is element `at` of the chunk; what does not convert by `flags` is `code`. */
zinc_status zinc_recode_convert(const zinc_dtype *to, void *dst, const zinc_dtype *from, const void *src, size_t n,
				int flags, size_t at, zinc_status st, zinc_error *err);
/* The same from doubles, as NumPy's astype does: floats are rounded, to infinity where they must; integers are cut off,
 * and what does not fit them is `code`. */
zinc_status zinc_recode_cast(const zinc_dtype *to, void *dst, double *src, size_t n, size_t at, zinc_status st,
			     zinc_error *err);
/* Round doubles to what the float type t has.  After each of + - * / on numbers of that type this is its own result. */
void zinc_recode_round(const zinc_dtype *t, double *v, size_t n);

/* ---- deflate.c: the only file that knows a deflate library ---- */

/* NULL, or the name of the library that this build lacks. */
#if ZINC_WITH_DEFLATE
#define ZINC_DEFLATE_LACKS NULL
#else
#define ZINC_DEFLATE_LACKS "libdeflate"
#endif
/* One RFC 1952 member without name and time, appended. */
zinc_status zinc_deflate_gzip(zinc_scratch *s, int level, zinc_bytes in, zinc_buf *out, zinc_error *err);
/* All members of `in`, appended; as zinc_bytes_ops.decode. */
/* The first `need` bytes of the first member, whose checksum is not looked at; *enough false: they cannot be had so. */
zinc_status zinc_deflate_gunzip_start(zinc_scratch *s, zinc_bytes in, zinc_buf *out, size_t need, bool *enough,
				      zinc_error *err);
zinc_status zinc_deflate_gunzip(zinc_scratch *s, zinc_bytes in, zinc_buf *out, size_t exact, zinc_error *err);
/* The same of RFC 1950, where nothing follows the one stream. */
zinc_status zinc_deflate_zlib(zinc_scratch *s, int level, zinc_bytes in, zinc_buf *out, zinc_error *err);
zinc_status zinc_deflate_unzlib(zinc_scratch *s, zinc_bytes in, zinc_buf *out, size_t exact, zinc_error *err);

#endif
