/*
 * store_cache_file.c - the bytes of a file of the cache: a head, then the kept bytes
 *
 *     at  bytes
 *      0      8   "ZINCCAC1"
 *      8      4   CRC-32C of the head from byte 12 on
 *     12      4   bytes of the head
 *     16     16   which store: a keyed hash
 *     32      4   CRC-32C of the kept bytes
 *     36      1   1: there is no such key
 *     37      1   form of the range
 *     38      1   bytes of the tag
 *     39      1   0
 *     40      8   offset of the range          48  8  length of the range
 *     56      8   size of the whole value      64  8  offset of the kept bytes   72  8  their number
 *     80      4   bytes of the URL             84  4  bytes of the key
 *     88          tag, URL, key
 *
 * All numbers are little-endian.
 *
 * Promises (tests/unit/test_store_cache_file.c names each by its number):
 *
 * (1) A head that was written is parsed as it was.
 * (2) Anything else is refused: a head that is too short, with a wrong checksum, or whose numbers contradict each
 *     other.  Nothing outside the given bytes is read.
 */
#include "store/store_cache.h"

static const uint8_t magic[8] = {'Z', 'I', 'N', 'C', 'C', 'A', 'C', '1'};

/* ---- numbers ---- */

static void
put_number(uint8_t *p, uint64_t x, size_t n)
{
	for (; n > 0; n--, p++, x >>= 8)
		*p = (uint8_t)x;
}

static uint64_t
get_number(const uint8_t *p, size_t n)
{
	uint64_t x = 0;

	while (n-- > 0)
		x = x << 8 | p[n];
	return x;
}

/* ---- writing ---- */

size_t
zinc_cached_head_max(size_t nurl, size_t nkey)
{
	return CACHED_HEAD_FIXED + sizeof((zinc_tag *)NULL)->b + nurl + nkey;
}

static uint8_t *
put_bytes(uint8_t *to, const void *bytes, size_t n)
{
	if (n)
		memcpy(to, bytes, n);
	return to + n;
}

size_t
zinc_cached_head_write(uint8_t *out, const cached_head *h)
{
	uint8_t *end = out + CACHED_HEAD_FIXED;
	size_t n;

	memcpy(out, magic, sizeof magic);
	memcpy(out + 16, h->id, sizeof h->id);
	put_number(out + 32, h->crc, 4);
	out[36] = h->about.missing;
	out[37] = (uint8_t)h->range.form;
	out[38] = h->about.tag.n;
	out[39] = 0;
	put_number(out + 40, h->range.offset, 8);
	put_number(out + 48, h->range.length, 8);
	put_number(out + 56, h->about.object_size, 8);
	put_number(out + 64, h->about.offset, 8);
	put_number(out + 72, h->about.nbytes, 8);
	put_number(out + 80, h->url.n, 4);
	put_number(out + 84, h->key.n, 4);
	end = put_bytes(end, h->about.tag.b, h->about.tag.n);
	end = put_bytes(end, h->url.p, h->url.n);
	end = put_bytes(end, h->key.p, h->key.n);
	n = (size_t)(end - out);
	put_number(out + 12, n, 4);
	put_number(out + 8, zinc_crc32c(0, out + 12, n - 12), 4);
	return n;
}

/* ---- parsing ---- */

/* The checksum is that of the head's bytes; the numbers in it can be trusted only as far as they agree. */
static bool
is_head(const uint8_t *p, size_t n, size_t *nhead)
{
	uint64_t parts;

	if (n < CACHED_HEAD_FIXED || memcmp(p, magic, sizeof magic) != 0)
		return false;
	*nhead = (size_t)get_number(p + 12, 4);
	parts = CACHED_HEAD_FIXED + (uint64_t)p[38] + get_number(p + 80, 4) + get_number(p + 84, 4);
	return *nhead == parts && *nhead <= n && p[36] <= 1 && p[37] <= CACHED_SUFFIX && p[39] == 0 &&
	       p[38] <= sizeof((zinc_tag *)NULL)->b && get_number(p + 8, 4) == zinc_crc32c(0, p + 12, *nhead - 12);
}

static bool
is_consistent(const cached_head *h)
{
	const cached_about *a = &h->about;

	if (a->missing)
		return h->range.form == CACHED_WHOLE && a->tag.n == 0 && a->object_size == 0 && a->offset == 0 &&
		       a->nbytes == 0;
	if (a->offset > a->object_size || a->nbytes > a->object_size - a->offset)
		return false;
	return h->range.form != CACHED_WHOLE || a->nbytes == a->object_size;
}

bool
zinc_cached_head_parse(cached_head *out, const uint8_t *bytes, size_t n)
{
	const uint8_t *at = bytes + CACHED_HEAD_FIXED;

	memset(out, 0, sizeof *out);
	if (!is_head(bytes, n, &out->nbytes))
		return false;
	memcpy(out->id, bytes + 16, sizeof out->id);
	out->crc = (uint32_t)get_number(bytes + 32, 4);
	out->about.missing = bytes[36] != 0;
	out->range.form = (cached_form)bytes[37];
	out->about.tag.n = bytes[38];
	out->range.offset = get_number(bytes + 40, 8);
	out->range.length = get_number(bytes + 48, 8);
	out->about.object_size = get_number(bytes + 56, 8);
	out->about.offset = get_number(bytes + 64, 8);
	out->about.nbytes = get_number(bytes + 72, 8);
	memcpy(out->about.tag.b, at, out->about.tag.n);
	at += out->about.tag.n;
	out->url = (zinc_bytes){at, (size_t)get_number(bytes + 80, 4)};
	out->key = (zinc_bytes){at + out->url.n, (size_t)get_number(bytes + 84, 4)};
	return is_consistent(out);
}
