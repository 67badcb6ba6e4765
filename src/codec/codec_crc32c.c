/*
 * codec_crc32c.c - a CRC-32C trailer
 *
 *     [input][CRC-32C of it: 4 bytes, little-endian]      M83, Castagnoli, RFC 3720
 *
 * Decoding always verifies (M84); on a mismatch no byte is handed out.
 *
 * Zarr v2's crc32c can be told to stand in front ("location": "start"), which v3's cannot: then it stays
 * numcodecs.crc32c, and is this one otherwise.
 */
#include "codec/codec_parts.h"

#define TRAILER_BYTES 4u

static const char *const members[] = {NULL};

static zinc_status
crc32c_parse(zinc_codec **codec, const zinc_codec_ops *ops, zinc_context *ctx, const zinc_json *configuration,
	     const zinc_rep *in, zinc_rep *out, zinc_report *r, zinc_error *err)
{
	(void)in, (void)out;
	ZINC_TRY(zinc_config_members(configuration, members, "M83", r, err));
	return zinc_codec_new(codec, ops, ctx, sizeof(zinc_codec), err);
}

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

static const char *const v2_members[] = {"location", NULL};
static const char *const locations[] = {"start", "end", NULL};
enum { START, END };

static zinc_status
v2_parse(zinc_codec **codec, const zinc_codec_ops *ops, zinc_context *ctx, const zinc_json *configuration,
	 const zinc_rep *in, zinc_rep *out, zinc_report *r, zinc_error *err)
{
	int location = END;

	(void)in, (void)out;
	ZINC_TRY(zinc_config_members(configuration, v2_members, ops->v2, r, err));
	ZINC_TRY(zinc_config_choice_or(configuration, "location", locations, ops->v2, &location, r, err));
	if (location == END)
		return zinc_codec_new(codec, &zinc_codec_crc32c, ctx, sizeof(zinc_codec), err);
	return zinc_checksum_new(codec, ops, ctx, zinc_crc32c, 0, true, err);
}

static zinc_status
v2_print(const zinc_codec *c, zinc_json_doc *doc, zinc_json **out, zinc_error *err)
{
	(void)c;
	*out = zinc_json_make(doc, ZINC_JSON_OBJECT);
	return zinc_json_set(doc, *out, "location", zinc_json_make_string(doc, locations[START]), err);
}

const zinc_codec_ops zinc_codec_v2_crc32c = {
    .name = "numcodecs.crc32c",
    .v2 = "crc32c",
    .uris = ZINC_CODEC_URIS("crc32c"),
    .purpose = "crc32c, which may stand before the bytes too",
    .kind = ZINC_BYTES_BYTES,
    .fixed_size = true,
    .parse = v2_parse,
    .print = v2_print,
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
    .purpose = "CRC-32C checksum behind the bytes, always verified",
    .kind = ZINC_BYTES_BYTES,
    .fixed_size = true,
    .parse = crc32c_parse,
    .bytes = &coder,
};
