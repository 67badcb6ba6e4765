/*
 * codec_bz2.c - bzip2 streams
 *
 *     ["BZh" level][blocks, each with its CRC-32][CRC of them all]
 *
 * Promises (tests/unit/test_codec_bz2.c names each by its number):
 *
 * (1) Any number of consecutive streams is read, each verified by its checksums; other bytes after the last are an
 *     error.
 * (2) Memory is limited to the expected decoded size and the library's own 4 MB: a decompression bomb is E_CORRUPT.
 * (3) The library's memory comes from our allocator, and is freed after every chunk, because the library cannot reset
 *     its state.
 */
#include "codec/codec_parts.h"

#define MIN_LEVEL     1
#define MAX_LEVEL     9
#define DEFAULT_LEVEL 1

typedef struct bz2_codec {
	zinc_codec codec;
	int64_t level;
} bz2_codec;

static const zinc_member members[] = {
    {.name = "level",
     .type = ZINC_MEMBER_INT,
     .min = MIN_LEVEL,
     .max = MAX_LEVEL,
     .nullable = true,
     .fallback = DEFAULT_LEVEL,
     .at = offsetof(bz2_codec, level)},
    {.name = NULL},
};

#if ZINC_WITH_BZ2
#define LACKS   NULL
#define PURPOSE "bzip2, levels 1 to 9"

#include <bzlib.h>

#define PIECE ((size_t)1 << 30) /* the library counts in unsigned int */

/* Not cleared: the library uses little of its megabytes for a small chunk, and writes before it reads. */
static void *
bz_alloc(void *ctx, int n, int nbytes)
{
	size_t total;

	if (zinc_size_mul((size_t)n, (size_t)nbytes, &total))
		return NULL;
	return zinc_alloc((zinc_context *)ctx, total);
}

static void
bz_free(void *ctx, void *p)
{
	zinc_free((zinc_context *)ctx, p);
}

static unsigned
piece(size_t n)
{
	return (unsigned)(n < PIECE ? n : PIECE);
}

/* Give the library more of `in`, which is shortened. */
static void
feed(bz_stream *z, zinc_bytes *in)
{
	if (z->avail_in > 0)
		return;
	z->next_in = (char *)(uintptr_t)in->p; /* the parameter is not const, but only read */
	z->avail_in = piece(in->n);
	in->p += z->avail_in;
	in->n -= z->avail_in;
}

/* ---- encoding ---- */

static zinc_status
compress(bz_stream *z, zinc_bytes in, zinc_buf *out, zinc_error *err)
{
	unsigned given;
	int result;

	do {
		feed(z, &in);
		ZINC_TRY(zinc_buf_reserve(out, 1, err)); /* in.n / 100 + 600 more than in.n are already reserved */
		z->next_out = (char *)out->p + out->n;
		z->avail_out = given = piece(out->cap - out->n);
		result = BZ2_bzCompress(z, in.n > 0 ? BZ_RUN : BZ_FINISH);
		if (result < 0)
			return zinc_fail(err, ZINC_E_INVALID, "%zu bytes cannot be compressed", in.n);
		out->n += given - z->avail_out;
	} while (result != BZ_STREAM_END);
	return ZINC_OK;
}

static zinc_status
bz2_encode(const zinc_codec *c, zinc_scratch *s, zinc_bytes in, zinc_buf *out, zinc_error *err)
{
	bz_stream z = {.bzalloc = bz_alloc, .bzfree = bz_free, .opaque = s->ctx};
	zinc_status st;
	size_t room;

	if (zinc_size_add(in.n, in.n / 100 + 600, &room)) /* the library's own bound */
		return zinc_fail(err, ZINC_E_LIMIT, "%zu bytes are too many", in.n);
	ZINC_TRY(zinc_buf_reserve(out, room, err));
	if (BZ2_bzCompressInit(&z, (int)((const bz2_codec *)c)->level, 0, 0) != BZ_OK)
		return zinc_fail_nomem(err);
	st = compress(&z, in, out, err);
	BZ2_bzCompressEnd(&z);
	return st;
}

/* ---- decoding ---- */

/* Decode one stream.  `in` is moved past it. */
static zinc_status
decompress(bz_stream *z, zinc_bytes *in, zinc_decode_out *pour, zinc_error *err)
{
	int result = BZ_OK;
	uint8_t *to;
	size_t room;

	while (result != BZ_STREAM_END) {
		feed(z, in);
		ZINC_TRY(zinc_decode_out_room(pour, &to, &room, err));
		z->next_out = (char *)to;
		z->avail_out = piece(room);
		room = z->avail_out;
		result = BZ2_bzDecompress(z);
		if (result == BZ_MEM_ERROR)
			return zinc_fail_nomem(err);
		if (result != BZ_OK && result != BZ_STREAM_END)
			return zinc_fail(err, ZINC_E_CORRUPT, "not a bzip2 stream, or a checksum of it is wrong");
		ZINC_TRY(zinc_decode_out_done(pour, to, room - z->avail_out, err));
		if (result == BZ_OK && z->avail_in == 0 && in->n == 0 && z->avail_out > 0)
			return zinc_fail(err, ZINC_E_CORRUPT, "the stream ends too early");
	}
	in->p -= z->avail_in;
	in->n += z->avail_in;
	return ZINC_OK;
}

static zinc_status
bz2_decode(const zinc_codec *c, zinc_scratch *s, zinc_bytes in, zinc_buf *out, size_t exact, size_t need,
	   zinc_error *err)
{
	zinc_decode_out pour = {.out = out, .exact = exact};
	zinc_status st;

	(void)c, (void)need; /* checksums are at the end */
	do {
		bz_stream z = {.bzalloc = bz_alloc, .bzfree = bz_free, .opaque = s->ctx};

		if (BZ2_bzDecompressInit(&z, 0, 0) != BZ_OK)
			return zinc_fail_nomem(err);
		st = decompress(&z, &in, &pour, err);
		BZ2_bzDecompressEnd(&z);
	} while (st == ZINC_OK && in.n > 0);
	return st == ZINC_OK ? zinc_decoded_size(out->n, exact, err) : st;
}

static const zinc_bytes_ops coder = {
    .bound = zinc_bound_compressed,
    .encode = bz2_encode,
    .decode = bz2_decode,
    .verifies = zinc_verifies_always,
};
#define CODER (&coder)

#else
#define LACKS   "libbz2"
#define PURPOSE "bzip2; not in this build"
#define CODER   NULL /* without the library no codec is made */
#endif

/* "numcodecs.bz2", "numcodecs.bz2:9". */
static zinc_status
bz2_parse_words(const char *const *words, int nwords, const zinc_rep *in, zinc_json_doc *doc, zinc_json **out,
		zinc_error *err)
{
	(void)in;
	return zinc_words_int(zinc_codec_bz2.name, words, nwords, "level", MIN_LEVEL, MAX_LEVEL, DEFAULT_LEVEL, doc,
			      out, err);
}

static const char *const aliases[] = {"https://codec.zarrs.dev/bytes_to_bytes/bz2", NULL}; /* of zarrs */

const zinc_codec_ops zinc_codec_bz2 = {
    .name = "numcodecs.bz2",
    .aliases = aliases,
    .v2 = "bz2",
    .uris = ZINC_CODEC_URIS("bz2"),
    .purpose = PURPOSE,
    .kind = ZINC_BYTES_BYTES,
    .members = members,
    .nbytes = sizeof(bz2_codec),
    .lacks = LACKS,
    .parse_words = bz2_parse_words,
    .bytes = CODER,
};
