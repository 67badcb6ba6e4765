/*
 * codec_crc32c.c - a CRC-32C trailer
 *
 *     [input][CRC-32C of it: 4 bytes, little-endian]      M83, Castagnoli, RFC 3720
 *
 * Decoding always verifies (M84); on a mismatch no byte is returned.
 *
 * Zarr v2's crc32c may be at the start ("location": "start"), which v3's cannot: then it stays numcodecs.crc32c;
 * otherwise it becomes this codec.
 */
#include "codec/codec_parts.h"

#define TRAILER_BYTES 4u

static int
crc32c_bound(const zinc_codec *c, size_t decoded, size_t *encoded)
{
	(void)c;
	return zinc_size_add(decoded, TRAILER_BYTES, encoded);
}

static zinc_status
crc32c_append(const zinc_codec *c, zinc_buf *b, size_t from, zinc_error *err)
{
	(void)c;
	ZINC_TRY(zinc_buf_reserve(b, TRAILER_BYTES, err));
	zinc_put_le32(b->p + b->n, zinc_crc32c(0, b->p + from, b->n - from));
	b->n += TRAILER_BYTES;
	return ZINC_OK;
}

static zinc_status
crc32c_strip(const zinc_codec *c, zinc_bytes in, zinc_bytes *out, zinc_error *err)
{
	uint32_t stored, actual;
	size_t body;

	(void)c;
	if (in.n < TRAILER_BYTES)
		return zinc_fail_rule(err, ZINC_E_CORRUPT, "M84", "%zu bytes cannot hold a checksum", in.n);
	body = in.n - TRAILER_BYTES;
	stored = zinc_get_le32(in.p + body);
	actual = zinc_crc32c(0, in.p, body);
	if (stored != actual)
		return zinc_fail_rule(err, ZINC_E_CHECKSUM, "M84",
				      "the stored checksum is %08x, that of the bytes %08x", (unsigned)stored,
				      (unsigned)actual);
	*out = (zinc_bytes){in.p, body};
	return ZINC_OK;
}

/* ---- Zarr v2's ---- */

static const zinc_member v2_members[] = {
    {.name = "location",
     .type = ZINC_MEMBER_CHOICE,
     .choices = zinc_checksum_locations,
     .nullable = true,
     .fallback = ZINC_CHECKSUM_END,
     .at = offsetof(zinc_checksum, location)},
    {.name = NULL},
};

/* At the end it is the codec of v3. */
static zinc_status
v2_check(zinc_codec *c, const zinc_json *configuration, const zinc_rep *in, zinc_rep *out, zinc_report *r,
	 zinc_error *err)
{
	zinc_checksum *k = (zinc_checksum *)c;

	(void)configuration, (void)in, (void)out, (void)r, (void)err;
	k->sum = zinc_crc32c;
	if (k->location == ZINC_CHECKSUM_END)
		c->ops = &zinc_codec_crc32c;
	return ZINC_OK;
}

const zinc_codec_ops zinc_codec_v2_crc32c = {
    .name = "numcodecs.crc32c",
    .v2 = "crc32c",
    .uris = ZINC_CODEC_URIS("crc32c"),
    .purpose = "crc32c, also before the bytes",
    .kind = ZINC_BYTES_BYTES,
    .fixed_size = true,
    .members = v2_members,
    .nbytes = sizeof(zinc_checksum),
    .check = v2_check,
    .bytes = &zinc_checksum_coder,
};

static const zinc_bytes_ops coder = {
    .bound = crc32c_bound,
    .append_trailer = crc32c_append,
    .strip_trailer = crc32c_strip,
};

const zinc_codec_ops zinc_codec_crc32c = {
    .name = "crc32c",
    .v2 = "crc32c",
    .uris = ZINC_CODEC_URIS("crc32c"),
    .purpose = "CRC-32C checksum after the bytes, always verified",
    .kind = ZINC_BYTES_BYTES,
    .fixed_size = true,
    .members = zinc_no_members,
    .rule = "M83",
    .bytes = &coder,
};
