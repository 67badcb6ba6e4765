/*
 * flate.c - the only file that uses libdeflate: deflate streams, bare (RFC 1951), of zlib (1950) and of gzip (1952)
 *
 * The library checks the checksums of zlib and gzip; a bare stream has none.  Its objects use the library's own memory.
 */
#include "base/base.h"

#if ZINC_WITH_DEFLATE

#include <libdeflate.h>

typedef enum libdeflate_result (*inflate_fn)(struct libdeflate_decompressor *, const void *, size_t, void *, size_t,
					     size_t *, size_t *);
typedef size_t (*bound_fn)(struct libdeflate_compressor *, size_t);
typedef size_t (*deflate_fn)(struct libdeflate_compressor *, const void *, size_t, void *, size_t);

/* In the order of zinc_flate_form. */
static const struct {
	inflate_fn inflate;
	bound_fn bound;
	deflate_fn deflate;
} forms[] = {
    {libdeflate_deflate_decompress_ex, libdeflate_deflate_compress_bound, libdeflate_deflate_compress},
    {libdeflate_zlib_decompress_ex, libdeflate_zlib_compress_bound, libdeflate_zlib_compress},
    {libdeflate_gzip_decompress_ex, libdeflate_gzip_compress_bound, libdeflate_gzip_compress},
};

void *
zinc_inflater_new(void)
{
	return libdeflate_alloc_decompressor();
}

void
zinc_inflater_free(void *inflater)
{
	libdeflate_free_decompressor((struct libdeflate_decompressor *)inflater);
}

zinc_flate_result
zinc_inflate(void *inflater, zinc_flate_form form, zinc_bytes in, void *out, size_t room, size_t *used, size_t *got)
{
	switch (forms[form].inflate((struct libdeflate_decompressor *)inflater, in.p, in.n, out, room, used, got)) {
	case LIBDEFLATE_SUCCESS:
		return ZINC_FLATE_OK;
	case LIBDEFLATE_INSUFFICIENT_SPACE:
		return ZINC_FLATE_LONGER;
	case LIBDEFLATE_BAD_DATA:
	case LIBDEFLATE_SHORT_OUTPUT:
	default:
		return ZINC_FLATE_BAD;
	}
}

void *
zinc_deflater_new(int level)
{
	return libdeflate_alloc_compressor(level);
}

void
zinc_deflater_free(void *deflater)
{
	libdeflate_free_compressor((struct libdeflate_compressor *)deflater);
}

size_t
zinc_deflate_bound(void *deflater, zinc_flate_form form, size_t n)
{
	return forms[form].bound((struct libdeflate_compressor *)deflater, n);
}

size_t
zinc_deflate(void *deflater, zinc_flate_form form, zinc_bytes in, void *out, size_t room)
{
	return forms[form].deflate((struct libdeflate_compressor *)deflater, in.p, in.n, out, room);
}

#else

/* Callers look at ZINC_FLATE_LACKS first: nothing is ever made or used. */

void *
zinc_inflater_new(void)
{
	return NULL;
}

void
zinc_inflater_free(void *inflater)
{
	(void)inflater;
}

zinc_flate_result
zinc_inflate(void *inflater, zinc_flate_form form, zinc_bytes in, void *out, size_t room, size_t *used, size_t *got)
{
	(void)inflater, (void)form, (void)in, (void)out, (void)room, (void)used, (void)got;
	return ZINC_FLATE_BAD;
}

void *
zinc_deflater_new(int level)
{
	(void)level;
	return NULL;
}

void
zinc_deflater_free(void *deflater)
{
	(void)deflater;
}

size_t
zinc_deflate_bound(void *deflater, zinc_flate_form form, size_t n)
{
	(void)deflater, (void)form;
	return n;
}

size_t
zinc_deflate(void *deflater, zinc_flate_form form, zinc_bytes in, void *out, size_t room)
{
	(void)deflater, (void)form, (void)in, (void)out, (void)room;
	return 0;
}

#endif
