/*
 * codec_crc32.c - the CRC-32 of gzip, before or after the bytes
 *
 *     [CRC-32: 4, little-endian][input]      or, with "location": "end", after it
 */
#include "codec/codec_parts.h"

static zinc_status
crc32_check(zinc_codec *c, const zinc_json *configuration, const zinc_rep *in, zinc_rep *out, zinc_report *r,
	    zinc_error *err)
{
	zinc_checksum *k = (zinc_checksum *)c;

	(void)configuration, (void)in, (void)out, (void)r, (void)err;
	k->sum = zinc_crc32;
	return ZINC_OK;
}

const zinc_codec_ops zinc_codec_crc32 = {
    .name = "numcodecs.crc32",
    .v2 = "crc32",
    .uris = ZINC_CODEC_URIS("crc32"),
    .purpose = "CRC-32 checksum before the bytes, always verified",
    .kind = ZINC_BYTES_BYTES,
    .fixed_size = true,
    .members = zinc_checksum_members,
    .prints_empty = true,
    .nbytes = sizeof(zinc_checksum),
    .check = crc32_check,
    .bytes = &zinc_checksum_coder,
};
