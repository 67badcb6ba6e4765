/*
 * deflate.c - gzip and zlib for the codecs, by base/flate.c, and by ISA-L to stop a stream early
 *
 * Promises (tests/unit/test_codec_gzip.c and test_codec_zlib.c name each by its number):
 *
 * (1) Compression always gives the same bytes for the same input and level.
 * (2) Every gzip member's CRC-32 and size are checked if all of it is decoded, and a zlib stream's Adler-32; bytes
 *     after the last member, or after the one stream, are an error.
 * (3) Memory is limited to `exact` bytes or, if that is not known, to twice the output and to out->max: a decompression
 *     bomb is E_CORRUPT before it is unpacked.
 * (4) A decoding that may stop early does not read further than it must, nor write further than `need`.
 * (5) (De)compressors are kept in the scratch: the second chunk makes none.  Their memory is the library's own.
 */
#include "codec/codec_parts.h"

#define DECOMPRESSOR (-1) /* variant of the scratch's state; compressors have their level */
#define FIRST_BYTES  65536u

/* ---- compression ---- */

static zinc_status
compress(zinc_scratch *s, int level, zinc_flate_form form, zinc_bytes in, zinc_buf *out, zinc_error *err)
{
	void **state = zinc_scratch_state(s, &zinc_codec_gzip, level, zinc_deflater_free);
	size_t room, n;

	if (!*state)
		*state = zinc_deflater_new(level);
	if (!*state)
		return zinc_fail_nomem(err);
	room = zinc_deflate_bound(*state, form, in.n);
	ZINC_TRY(zinc_buf_reserve(out, room, err));
	n = zinc_deflate(*state, form, in, out->p + out->n, room);
	if (n == 0) /* the bound is the library's own */
		return zinc_fail(err, ZINC_E_INVALID, "%zu bytes cannot be compressed", in.n);
	out->n += n;
	return ZINC_OK;
}

zinc_status
zinc_deflate_gzip(zinc_scratch *s, int level, zinc_bytes in, zinc_buf *out, zinc_error *err)
{
	return compress(s, level, ZINC_FLATE_GZIP, in, out, err);
}

zinc_status
zinc_deflate_zlib(zinc_scratch *s, int level, zinc_bytes in, zinc_buf *out, zinc_error *err)
{
	return compress(s, level, ZINC_FLATE_ZLIB, in, out, err);
}

/* ---- decompression ---- */

/* Decode one member or stream from the start of `in`, which is moved past it, to at most `most` more bytes.  If the
 * size is not known, start with a guess and retry with more room. */
static zinc_status
decompress(void *inflater, zinc_flate_form form, zinc_bytes *in, zinc_buf *out, size_t most, bool known,
	   zinc_error *err)
{
	size_t used, got, room = in->n < FIRST_BYTES ? FIRST_BYTES : in->n;
	zinc_flate_result result;

	if (known || room > most)
		room = most;
	for (;;) {
		ZINC_TRY(zinc_decoded_room(out, room, err));
		result = zinc_inflate(inflater, form, *in, out->p + out->n, room, &used, &got);
		if (result != ZINC_FLATE_LONGER)
			break;
		if (room == most)
			return zinc_fail(err, ZINC_E_CORRUPT, "decodes to more than %zu bytes", out->n + room);
		room = room < most / 2 ? room * 2 : most;
	}
	if (result != ZINC_FLATE_OK)
		return zinc_fail(err, ZINC_E_CORRUPT, "not valid, or the checksum is wrong");
	in->p += used;
	in->n -= used;
	out->n += got;
	return ZINC_OK;
}

/* NULL: no memory. */
static void *
decompressor(zinc_scratch *s)
{
	void **state = zinc_scratch_state(s, &zinc_codec_gzip, DECOMPRESSOR, zinc_inflater_free);

	if (!*state)
		*state = zinc_inflater_new();
	return *state;
}

zinc_status
zinc_deflate_gunzip(zinc_scratch *s, zinc_bytes in, zinc_buf *out, size_t exact, zinc_error *err)
{
	void *d = decompressor(s);
	const bool known = exact != SIZE_MAX;

	if (!d)
		return zinc_fail_nomem(err);
	do
		ZINC_TRY(decompress(d, ZINC_FLATE_GZIP, &in, out, (known ? exact : out->max) - out->n, known, err));
	while (in.n > 0);
	return zinc_decoded_size(out->n, exact, err);
}

zinc_status
zinc_deflate_unzlib(zinc_scratch *s, zinc_bytes in, zinc_buf *out, size_t exact, zinc_error *err)
{
	void *d = decompressor(s);
	const bool known = exact != SIZE_MAX;

	if (!d)
		return zinc_fail_nomem(err);
	ZINC_TRY(decompress(d, ZINC_FLATE_ZLIB, &in, out, known ? exact : out->max, known, err));
	if (in.n > 0)
		return zinc_fail(err, ZINC_E_CORRUPT, "%zu bytes after the end", in.n);
	return zinc_decoded_size(out->n, exact, err);
}

/* ---- the beginning of a member ---- */

#if ZINC_WITH_ISAL

#include <isa-l/igzip_lib.h>

zinc_status
zinc_deflate_gunzip_start(zinc_scratch *s, zinc_bytes in, zinc_buf *out, size_t need, bool *enough, zinc_error *err)
{
	struct inflate_state *d;
	int code;

	*enough = false;
	if (in.n > UINT32_MAX || need > UINT32_MAX)
		return ZINC_OK;
	ZINC_TRY(zinc_decoded_room(out, need, err));
	d = (struct inflate_state *)zinc_alloc(s->ctx, sizeof *d);
	if (!d)
		return zinc_fail_nomem(err);
	isal_inflate_init(d);
	d->crc_flag = ISAL_GZIP;
	d->next_in = (uint8_t *)(uintptr_t)in.p;
	d->avail_in = (uint32_t)in.n;
	d->next_out = out->p;
	d->avail_out = (uint32_t)need;
	do
		code = isal_inflate(d);
	while (code == ISAL_DECOMP_OK && d->avail_out > 0 && d->avail_in > 0 && d->block_state != ISAL_BLOCK_FINISH);
	*enough = code == ISAL_DECOMP_OK && d->avail_out == 0;
	out->n = *enough ? need : 0;
	zinc_free(s->ctx, d);
	return ZINC_OK;
}

#else

zinc_status
zinc_deflate_gunzip_start(zinc_scratch *s, zinc_bytes in, zinc_buf *out, size_t need, bool *enough, zinc_error *err)
{
	(void)s, (void)in, (void)out, (void)need, (void)err;
	*enough = false;
	return ZINC_OK;
}

#endif
