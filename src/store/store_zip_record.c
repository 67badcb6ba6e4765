/*
 * store_zip_record.c - records of archives that Zinc writes
 *
 * Entries are stored, with sizes and checksum in the local header, so that an archive can be read from its beginning,
 * too.  zip64 is used only where a number does not fit.  All entries have the same time, 1980-01-01: the same values in
 * the same order give the same archive.
 */
#include "store/store_zip.h"

#define MADE_BY_UNIX (3u << 8)
#define VERSION      20u
#define VERSION_64   45u
#define NO_TIME      0x00210000u /* date and time of DOS: 1980-01-01 00:00 */
#define FILE_MODE    0100644u
#define MAX_NAME     65535u

/* Bytes under construction; the largest fixed part is that of a zip64 end record. */
typedef struct bytes {
	uint8_t p[128];
	size_t n;
} bytes;

static void
put(bytes *b, size_t n, uint64_t v)
{
	while (n-- > 0) {
		b->p[b->n++] = (uint8_t)v;
		v >>= 8;
	}
}

static uint32_t
cut32(uint64_t v)
{
	return v < UINT32_MAX ? (uint32_t)v : UINT32_MAX;
}

static uint16_t
cut16(uint64_t v)
{
	return v < UINT16_MAX ? (uint16_t)v : UINT16_MAX;
}

static bool
is_ascii(const char *s)
{
	for (; *s; s++)
		if ((unsigned char)*s >= 0x80)
			return false;
	return true;
}

/* What local headers and records have in common, from the version to the length of the name. */
static void
put_common(bytes *b, const zip_fresh *f, bool wide)
{
	put(b, 2, wide ? VERSION_64 : VERSION);
	put(b, 2, is_ascii(f->key) ? 0 : ZIP_UTF8);
	put(b, 2, ZIP_STORED);
	put(b, 4, NO_TIME);
	put(b, 4, f->crc);
	put(b, 4, wide ? UINT32_MAX : cut32(f->nbytes));
	put(b, 4, wide ? UINT32_MAX : cut32(f->nbytes));
	put(b, 2, strlen(f->key));
}

static zinc_status
add(zinc_buf *out, const bytes *fixed, const char *key, const bytes *extra, zinc_error *err)
{
	ZINC_TRY(zinc_buf_add(out, fixed->p, fixed->n, err));
	ZINC_TRY(zinc_buf_puts(out, key, err));
	return zinc_buf_add(out, extra->p, extra->n, err);
}

zinc_status
zinc_zip_put_local(zinc_buf *out, const zip_fresh *f, zinc_error *err)
{
	const bool wide = f->nbytes >= UINT32_MAX;
	bytes b = {{0}, 0}, extra = {{0}, 0};

	if (strlen(f->key) > MAX_NAME)
		return zinc_fail(err, ZINC_E_INVALID, "the key is too long for a zip archive");
	if (wide) {
		put(&extra, 2, ZIP_EXTRA_64);
		put(&extra, 2, 16);
		put(&extra, 8, f->nbytes);
		put(&extra, 8, f->nbytes);
	}
	put(&b, 4, ZIP_LOCAL_MARK);
	put_common(&b, f, wide);
	put(&b, 2, extra.n);
	return add(out, &b, f->key, &extra, err);
}

/* The zip64 field has only the numbers that do not fit; if the sizes do not, both are there. */
zinc_status
zinc_zip_put_record(zinc_buf *out, const zip_fresh *f, uint64_t shift, zinc_error *err)
{
	const bool wide = f->nbytes >= UINT32_MAX;
	const uint64_t position = f->header - shift;
	const bool far = position >= UINT32_MAX;
	bytes b = {{0}, 0}, extra = {{0}, 0};

	if (wide || far) {
		put(&extra, 2, ZIP_EXTRA_64);
		put(&extra, 2, (wide ? 16u : 0u) + (far ? 8u : 0u));
		put(&extra, wide ? 8 : 0, f->nbytes);
		put(&extra, wide ? 8 : 0, f->nbytes);
		put(&extra, far ? 8 : 0, position);
	}
	put(&extra, 2, ZIP_EXTRA_ZINC);
	put(&extra, 2, 4);
	put(&extra, 4, f->crc32c);
	put(&b, 4, ZIP_RECORD_MARK);
	put(&b, 2, MADE_BY_UNIX | (wide || far ? VERSION_64 : VERSION));
	put_common(&b, f, wide);
	put(&b, 2, extra.n);
	put(&b, 2 + 2 + 2, 0); /* comment, disk, internal attributes */
	put(&b, 4, (uint64_t)FILE_MODE << 16);
	put(&b, 4, cut32(position));
	return add(out, &b, f->key, &extra, err);
}

static void
put_end64(bytes *b, const zip_end *end)
{
	put(b, 4, ZIP_END64_MARK);
	put(b, 8, ZIP_END64 - 12);
	put(b, 2, MADE_BY_UNIX | VERSION_64);
	put(b, 2, VERSION_64);
	put(b, 4 + 4, 0); /* disks */
	put(b, 8, end->count);
	put(b, 8, end->count);
	put(b, 8, end->n);
	put(b, 8, end->at - end->shift);
	put(b, 4, ZIP_LOCATOR_MARK);
	put(b, 4, 0);
	put(b, 8, end->at + end->n - end->shift);
	put(b, 4, 1);
}

zinc_status
zinc_zip_put_end(zinc_buf *out, const zip_end *end, zinc_bytes comment, zinc_error *err)
{
	const uint64_t position = end->at - end->shift;
	bytes b = {{0}, 0};

	if (end->count >= UINT16_MAX || end->n >= UINT32_MAX || position >= UINT32_MAX)
		put_end64(&b, end);
	put(&b, 4, ZIP_END_MARK);
	put(&b, 2 + 2, 0); /* disks */
	put(&b, 2, cut16(end->count));
	put(&b, 2, cut16(end->count));
	put(&b, 4, cut32(end->n));
	put(&b, 4, cut32(position));
	put(&b, 2, comment.n);
	ZINC_TRY(zinc_buf_add(out, b.p, b.n, err));
	return zinc_buf_add(out, comment.p, comment.n, err);
}
