/*
 * codec_lz4.c - one LZ4 block after its decoded size
 *
 *     [decoded size: 4, little-endian][LZ4 block]
 *
 * Promises (tests/unit/test_codec_lz4.c names each by its number):
 *
 * (1) The size is checked before memory is allocated for it: against the expected size, or if that is not known,
 *     against the maximum of the codec before it and the maximum that the LZ4 bytes can decode to.
 * (2) A block is always decoded whole, because it has no checksum: damage is detected by where the block ends.
 * (3) The work space of compression is in the scratch: nothing is allocated from the second chunk on.
 */
#include <inttypes.h>

#include "codec/codec_parts.h"

#define DEFAULT_ACCELERATION 1
#define HEADER_BYTES         4u

typedef struct lz4_codec {
	zinc_codec codec;
	int64_t acceleration;
} lz4_codec;

/* Accelerations below 1 count as 1, as in numcodecs. */
static const zinc_member members[] = {
    {.name = "acceleration",
     .type = ZINC_MEMBER_INT,
     .min = INT32_MIN,
     .max = INT32_MAX,
     .nullable = true,
     .fallback = DEFAULT_ACCELERATION,
     .at = offsetof(lz4_codec, acceleration)},
    {.name = NULL},
};

#if ZINC_WITH_LZ4
#define PURPOSE "LZ4 block after its size"

#include <lz4.h>

#define MOST_PER_BYTE 255u /* a byte of a block adds at most 255 bytes to a match */

/* ---- encoding ---- */

typedef struct work {
	zinc_context *ctx;
	void *state;
} work;

static void
free_work(void *state)
{
	work *w = (work *)state;

	zinc_free(w->ctx, w->state);
	zinc_free(w->ctx, w);
}

/* The library's work space, kept in the scratch; NULL: no memory. */
static void *
work_space(zinc_scratch *s)
{
	void **state = zinc_scratch_state(s, &zinc_codec_lz4, 0, free_work);
	work *w = (work *)*state;

	if (w)
		return w->state;
	w = (work *)zinc_alloc(s->ctx, sizeof *w);
	if (!w)
		return NULL;
	w->ctx = s->ctx;
	w->state = zinc_alloc(s->ctx, (size_t)LZ4_sizeofState());
	if (!w->state) {
		zinc_free(s->ctx, w);
		return NULL;
	}
	*state = w;
	return w->state;
}

zinc_status
zinc_lz4_compress(zinc_scratch *s, zinc_bytes in, int acceleration, zinc_buf *out, zinc_error *err)
{
	void *space = work_space(s);
	int room, n;

	if (!space)
		return zinc_fail_nomem(err);
	if (in.n > LZ4_MAX_INPUT_SIZE)
		return zinc_fail(err, ZINC_E_LIMIT, "%zu bytes; an LZ4 block holds at most %d", in.n,
				 LZ4_MAX_INPUT_SIZE);
	room = LZ4_compressBound((int)in.n);
	ZINC_TRY(zinc_buf_reserve(out, (size_t)room, err));
	n = LZ4_compress_fast_extState(space, (const char *)in.p, (char *)out->p + out->n, (int)in.n, room,
				       acceleration);
	if (n <= 0) /* the library gave this size */
		return zinc_fail(err, ZINC_E_INVALID, "%zu bytes cannot be compressed", in.n);
	out->n += (size_t)n;
	return ZINC_OK;
}

static zinc_status
lz4_encode(const zinc_codec *c, zinc_scratch *s, zinc_bytes in, zinc_buf *out, zinc_error *err)
{
	ZINC_TRY(zinc_buf_reserve(out, HEADER_BYTES, err));
	zinc_put_le32(out->p + out->n, (uint32_t)in.n); /* a longer input is refused below */
	out->n += HEADER_BYTES;
	return zinc_lz4_compress(s, in, (int)((const lz4_codec *)c)->acceleration, out, err);
}

/* ---- decoding ---- */

zinc_status
zinc_lz4_decompress(zinc_bytes in, size_t nbytes, zinc_buf *out, zinc_error *err)
{
	int n;

	if (nbytes > LZ4_MAX_INPUT_SIZE || in.n > INT32_MAX)
		return zinc_fail(err, ZINC_E_CORRUPT, "the size is more than an LZ4 block can hold");
	if (nbytes / MOST_PER_BYTE > in.n)
		return zinc_fail(err, ZINC_E_CORRUPT, "%zu bytes cannot decode to %zu", in.n, nbytes);
	ZINC_TRY(zinc_decoded_room(out, nbytes, err));
	n = LZ4_decompress_safe((const char *)in.p, (char *)out->p + out->n, (int)in.n, (int)nbytes);
	if (n < 0 || (size_t)n < nbytes)
		return zinc_fail(err, ZINC_E_CORRUPT, "not an LZ4 block of %zu bytes", nbytes);
	out->n += (size_t)n;
	return ZINC_OK;
}

static zinc_status
lz4_decode(const zinc_codec *c, zinc_scratch *s, zinc_bytes in, zinc_buf *out, size_t exact, size_t need,
	   zinc_error *err)
{
	size_t nbytes;

	(void)c, (void)s, (void)need;
	if (in.n < HEADER_BYTES)
		return zinc_fail(err, ZINC_E_CORRUPT, "%zu bytes cannot hold a size", in.n);
	nbytes = zinc_get_le32(in.p);
	ZINC_TRY(zinc_decoded_size(nbytes, exact, err));
	return zinc_lz4_decompress((zinc_bytes){in.p + HEADER_BYTES, in.n - HEADER_BYTES}, nbytes, out, err);
}

static const zinc_bytes_ops coder = {
    .bound = zinc_bound_compressed,
    .encode = lz4_encode,
    .decode = lz4_decode,
};
#define CODER (&coder)

#else

/* Without the library no codec is made that could call these. */
zinc_status
zinc_lz4_compress(zinc_scratch *s, zinc_bytes in, int acceleration, zinc_buf *out, zinc_error *err)
{
	(void)s, (void)in, (void)acceleration, (void)out;
	return zinc_fail(err, ZINC_E_UNSUPPORTED, "this build lacks liblz4");
}

zinc_status
zinc_lz4_decompress(zinc_bytes in, size_t nbytes, zinc_buf *out, zinc_error *err)
{
	(void)in, (void)nbytes, (void)out;
	return zinc_fail(err, ZINC_E_UNSUPPORTED, "this build lacks liblz4");
}
#define PURPOSE "LZ4 block after its size; not in this build"
#define CODER   NULL /* without the library no codec is made */
#endif

/* "numcodecs.lz4", "numcodecs.lz4:10". */
static zinc_status
lz4_parse_words(const char *const *words, int nwords, const zinc_rep *in, zinc_json_doc *doc, zinc_json **out,
		zinc_error *err)
{
	(void)in;
	return zinc_words_int(zinc_codec_lz4.name, words, nwords, "acceleration", 1, INT32_MAX, DEFAULT_ACCELERATION,
			      doc, out, err);
}

const zinc_codec_ops zinc_codec_lz4 = {
    .name = "numcodecs.lz4",
    .v2 = "lz4",
    .uris = ZINC_CODEC_URIS("lz4"),
    .purpose = PURPOSE,
    .kind = ZINC_BYTES_BYTES,
    .members = members,
    .nbytes = sizeof(lz4_codec),
    .lacks = ZINC_LZ4_LACKS,
    .parse_words = lz4_parse_words,
    .bytes = CODER,
};
