/*
 * codec_crc32.c - the CRC-32 of gzip, before or behind the bytes
 *
 *     [CRC-32: 4, little-endian][input]      or, with "location": "end", behind it
 */
#include "codec/codec_parts.h"

static zinc_status
crc32_parse(zinc_codec **codec, const zinc_codec_ops *ops, zinc_context *ctx, const zinc_json *configuration,
	    const zinc_rep *in, zinc_rep *out, zinc_report *r, zinc_error *err)
{
	(void)in, (void)out;
	return zinc_checksum_parse(codec, ops, ctx, configuration, zinc_crc32, 0, r, err);
}

const zinc_codec_ops zinc_codec_crc32 = {
    .name = "numcodecs.crc32",
    .v2 = "crc32",
    .uris = ZINC_CODEC_URIS("crc32"),
    .purpose = "CRC-32 checksum before the bytes, always verified",
    .kind = ZINC_BYTES_BYTES,
    .fixed_size = true,
    .parse = crc32_parse,
    .print = zinc_checksum_print,
    .bytes = &zinc_checksum_coder,
};
