/*
 * checksum.c - a checksum of four bytes before or after the data, shared by the checksum codecs of Zarr v2
 *
 *     start: [checksum: 4, little-endian][input]
 *     end:   [input][checksum: 4, little-endian]
 *
 * Promises (tests/unit/test_checksum.c names each by its number):
 *
 * (1) Decoding always verifies; on a mismatch no byte is returned.
 * (2) Reading copies nothing.  Writing moves the bytes only if the checksum is at the start.
 * (3) The default location is not written, because the oldest readers do not know this member.
 */
#include "codec/codec_parts.h"

#define BYTES 4u

const char *const zinc_checksum_locations[] = {"start", "end", NULL};

const zinc_member zinc_checksum_members[] = {
    {.name = "location",
     .type = ZINC_MEMBER_CHOICE,
     .choices = zinc_checksum_locations,
     .nullable = true,
     .fallback = ZINC_CHECKSUM_START,
     .print = ZINC_PRINT_CHANGED,
     .at = offsetof(zinc_checksum, location)},
    {.name = NULL},
};

static int
bound(const zinc_codec *c, size_t decoded, size_t *encoded)
{
	(void)c;
	return zinc_size_add(decoded, BYTES, encoded);
}

static zinc_status
append_trailer(const zinc_codec *c, zinc_buf *b, size_t from, zinc_error *err)
{
	const zinc_checksum *k = (const zinc_checksum *)c;
	const bool at_start = k->location == ZINC_CHECKSUM_START;
	const size_t n = b->n - from;
	uint32_t sum;
	uint8_t *p;

	ZINC_TRY(zinc_buf_reserve(b, BYTES, err));
	p = b->p + from;
	sum = k->sum((uint32_t)k->seed, p, n);
	if (at_start)
		memmove(p + BYTES, p, n);
	zinc_put_le32(at_start ? p : p + n, sum);
	b->n += BYTES;
	return ZINC_OK;
}

static zinc_status
strip_trailer(const zinc_codec *c, zinc_bytes in, zinc_bytes *out, zinc_error *err)
{
	const zinc_checksum *k = (const zinc_checksum *)c;
	const bool at_start = k->location == ZINC_CHECKSUM_START;
	uint32_t stored, actual;
	zinc_bytes body;

	if (in.n < BYTES)
		return zinc_fail(err, ZINC_E_CORRUPT, "%zu bytes cannot hold a checksum", in.n);
	body = (zinc_bytes){at_start ? in.p + BYTES : in.p, in.n - BYTES};
	stored = zinc_get_le32(at_start ? in.p : in.p + body.n);
	actual = k->sum((uint32_t)k->seed, body.p, body.n);
	if (stored != actual)
		return zinc_fail(err, ZINC_E_CHECKSUM, "the stored checksum is %08x, that of the bytes %08x",
				 (unsigned)stored, (unsigned)actual);
	*out = body;
	return ZINC_OK;
}

const zinc_bytes_ops zinc_checksum_coder = {
    .bound = bound,
    .append_trailer = append_trailer,
    .strip_trailer = strip_trailer,
};
