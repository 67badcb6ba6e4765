/*
 * deflate.c - the only file that knows a deflate library (libdeflate)
 *
 * Promises (tests/unit/test_codec_gzip.c names each by its number):
 *
 * (1) Compression gives the same bytes for the same input and level, always.
 * (2) Every member's CRC-32 and size are checked; bytes behind the last member are an error.
 * (3) No more memory is taken than `exact` bytes, or, when that is not known, than twice what
 *     came out and never more than out->max: a bomb is E_CORRUPT before it is unpacked.
 * (4) (De)compressors live in the scratch: the second chunk makes none.  Their memory is the
 *     library's own.
 */
#include "codec/codec_parts.h"

#if ZINC_WITH_DEFLATE

#include <libdeflate.h>

#define DECOMPRESSOR (-1) /* variant of the scratch's state; compressors have their level */
#define FIRST_BYTES  65536u

const char *
zinc_deflate_missing(void)
{
	return NULL;
}

static void
free_compressor(void *state)
{
	libdeflate_free_compressor((struct libdeflate_compressor *)state);
}

static void
free_decompressor(void *state)
{
	libdeflate_free_decompressor((struct libdeflate_decompressor *)state);
}

zinc_status
zinc_deflate_gzip(zinc_scratch *s, int level, zinc_bytes in, zinc_buf *out, zinc_error *err)
{
	void **state = zinc_scratch_state(s, &zinc_codec_gzip, level, free_compressor);
	struct libdeflate_compressor *c;
	size_t room, n;

	if (!*state)
		*state = libdeflate_alloc_compressor(level);
	if (!*state)
		return zinc_fail_nomem(err);
	c = (struct libdeflate_compressor *)*state;
	room = libdeflate_gzip_compress_bound(c, in.n);
	ZINC_TRY(zinc_buf_reserve(out, room, err));
	n = libdeflate_gzip_compress(c, in.p, in.n, out->p + out->n, room);
	if (n == 0) /* the bound is the library's own */
		return zinc_fail(err, ZINC_E_INVALID, "%zu bytes do not compress", in.n);
	out->n += n;
	return ZINC_OK;
}

/* One member from the front of `in`, which is cut, to `most` more bytes.  Starts over with more room while there is not
 * enough, beginning with a guess unless the size is known. */
static zinc_status
gunzip_member(struct libdeflate_decompressor *d, zinc_bytes *in, zinc_buf *out, size_t most, bool known,
	      zinc_error *err)
{
	size_t used, got, room = in->n < FIRST_BYTES ? FIRST_BYTES : in->n;
	enum libdeflate_result result;

	if (known || room > most)
		room = most;
	for (;;) {
		ZINC_TRY(zinc_decoded_room(out, room, err));
		result = libdeflate_gzip_decompress_ex(d, in->p, in->n, out->p + out->n, room, &used, &got);
		if (result != LIBDEFLATE_INSUFFICIENT_SPACE)
			break;
		if (room == most)
			return zinc_fail(err, ZINC_E_CORRUPT, "decodes to more than %zu bytes", out->n + room);
		room = room < most / 2 ? room * 2 : most;
	}
	if (result != LIBDEFLATE_SUCCESS)
		return zinc_fail(err, ZINC_E_CORRUPT, "not a gzip member, or its checksum is wrong");
	in->p += used;
	in->n -= used;
	out->n += got;
	return ZINC_OK;
}

zinc_status
zinc_deflate_gunzip(zinc_scratch *s, zinc_bytes in, zinc_buf *out, size_t exact, zinc_error *err)
{
	void **state = zinc_scratch_state(s, &zinc_codec_gzip, DECOMPRESSOR, free_decompressor);
	const bool known = exact != SIZE_MAX;

	if (!*state)
		*state = libdeflate_alloc_decompressor();
	if (!*state)
		return zinc_fail_nomem(err);
	do
		ZINC_TRY(gunzip_member((struct libdeflate_decompressor *)*state, &in, out,
				       (known ? exact : out->max) - out->n, known, err));
	while (in.n > 0);
	return zinc_decoded_size(out->n, exact, err);
}

#else

const char *
zinc_deflate_missing(void)
{
	return "libdeflate";
}

/* Never called: without the library no gzip codec is made. */
zinc_status
zinc_deflate_gzip(zinc_scratch *s, int level, zinc_bytes in, zinc_buf *out, zinc_error *err)
{
	(void)s, (void)level, (void)in, (void)out;
	return zinc_fail(err, ZINC_E_UNSUPPORTED, "built without libdeflate");
}

zinc_status
zinc_deflate_gunzip(zinc_scratch *s, zinc_bytes in, zinc_buf *out, size_t exact, zinc_error *err)
{
	(void)s, (void)in, (void)out, (void)exact;
	return zinc_fail(err, ZINC_E_UNSUPPORTED, "built without libdeflate");
}

#endif
