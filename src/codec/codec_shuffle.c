/*
 * codec_shuffle.c - the first byte of every element, then the second of every element, and so on
 *
 *     elements of 4:  a0 a1 a2 a3 b0 b1 b2 b3 x y   ->   a0 b0 a1 b1 a2 b2 a3 b3 x y
 *
 * Bytes after the last whole element stay where they are.
 */
#include <inttypes.h>

#include "codec/codec_parts.h"

#define DEFAULT_SIZE 4

typedef struct shuffle_codec {
	zinc_codec codec;
	int64_t size;
} shuffle_codec;

#define NOT_GIVEN (-1)

static const zinc_member members[] = {
    {.name = "elementsize",
     .type = ZINC_MEMBER_INT,
     .max = INT32_MAX,
     .nullable = true,
     .fallback = NOT_GIVEN,
     .at = offsetof(shuffle_codec, size)},
    {.name = NULL},
};

/*
 * Without a size numcodecs uses 4, but zarr-python's v3 arrays use the element's size: if these differ, the meaning is
 * ambiguous.
 */
static zinc_status
shuffle_check(zinc_codec *c, const zinc_json *configuration, const zinc_rep *in, zinc_rep *out, zinc_report *r,
	      zinc_error *err)
{
	shuffle_codec *s = (shuffle_codec *)c;

	(void)configuration, (void)out;
	if (s->size != NOT_GIVEN)
		return ZINC_OK;
	if (in->dtype->size != DEFAULT_SIZE)
		return zinc_report_error(r, c->ops->v2, err,
					 "\"elementsize\" must be given for elements of %" PRIu32 " bytes",
					 in->dtype->size);
	s->size = DEFAULT_SIZE;
	return ZINC_OK;
}

/* "numcodecs.shuffle", with the size of the elements, "numcodecs.shuffle:8". */
static zinc_status
shuffle_parse_words(const char *const *words, int nwords, const zinc_rep *in, zinc_json_doc *doc, zinc_json **out,
		    zinc_error *err)
{
	return zinc_words_int(zinc_codec_shuffle.name, words, nwords, "elementsize", 0, INT32_MAX, in->dtype->size, doc,
			      out, err);
}

static int
shuffle_bound(const zinc_codec *c, size_t decoded, size_t *encoded)
{
	(void)c;
	*encoded = decoded;
	return 0;
}

/* n elements: byte k of element i is at k * n + i on one side and at i * size + k on the other. */
static inline void
move(uint8_t *restrict out, const uint8_t *restrict in, size_t n, size_t size, bool back)
{
	size_t i, k;

	if (back)
		for (i = 0; i < n; i++)
			for (k = 0; k < size; k++)
				out[i * size + k] = in[k * n + i];
	else
		for (k = 0; k < size; k++)
			for (i = 0; i < n; i++)
				out[k * n + i] = in[i * size + k];
}

/* Common sizes are constants, so that compilers can optimise them. */
static void
move_sized(uint8_t *out, const uint8_t *in, size_t n, size_t size, bool back)
{
	if (size == 2)
		move(out, in, n, 2, back);
	else if (size == 4)
		move(out, in, n, 4, back);
	else if (size == 8)
		move(out, in, n, 8, back);
	else
		move(out, in, n, size, back);
}

static zinc_status
run(const zinc_codec *c, zinc_bytes in, zinc_buf *out, bool back, zinc_error *err)
{
	const size_t size = (size_t)((const shuffle_codec *)c)->size;
	const size_t n = size > 1 ? in.n / size : 0, whole = n * size;

	ZINC_TRY(zinc_buf_reserve(out, in.n, err));
	if (n > 0)
		move_sized(out->p + out->n, in.p, n, size, back);
	if (in.n > whole)
		memcpy(out->p + out->n + whole, in.p + whole, in.n - whole);
	out->n += in.n;
	return ZINC_OK;
}

static zinc_status
shuffle_encode(const zinc_codec *c, zinc_scratch *s, zinc_bytes in, zinc_buf *out, zinc_error *err)
{
	(void)s;
	return run(c, in, out, false, err);
}

static zinc_status
shuffle_decode(const zinc_codec *c, zinc_scratch *s, zinc_bytes in, zinc_buf *out, size_t exact, size_t need,
	       zinc_error *err)
{
	(void)s, (void)need;
	ZINC_TRY(zinc_decoded_size(in.n, exact, err));
	ZINC_TRY(zinc_decoded_room(out, in.n, err));
	return run(c, in, out, true, err);
}

static const zinc_bytes_ops coder = {
    .bound = shuffle_bound,
    .encode = shuffle_encode,
    .decode = shuffle_decode,
};

const zinc_codec_ops zinc_codec_shuffle = {
    .name = "numcodecs.shuffle",
    .v2 = "shuffle",
    .uris = ZINC_CODEC_URIS("shuffle"),
    .purpose = "the first byte of all elements, then the second, and so on",
    .kind = ZINC_BYTES_BYTES,
    .fixed_size = true,
    .members = members,
    .nbytes = sizeof(shuffle_codec),
    .check = shuffle_check,
    .parse_words = shuffle_parse_words,
    .bytes = &coder,
};
