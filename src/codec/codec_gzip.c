/*
 * codec_gzip.c - RFC 1952 members
 *
 *     [1f 8b 08 flags mtime(4) xfl os][deflate blocks][CRC-32: 4, little-endian][size mod 2^32: 4]   M75
 *
 * Written: one member with no name and time 0, so that equal elements give equal bytes.  Read: any number of members,
 * of any level, each checked by its CRC and size; other bytes after the last are an error.
 */
#include "codec/codec_parts.h"

#define MAX_LEVEL     9
#define DEFAULT_LEVEL 5
#define ZLIB_LEVEL    6

typedef struct gzip_codec {
	zinc_codec codec;
	int64_t level;
} gzip_codec;

static const zinc_member members[] = {
    {.name = "level", .type = ZINC_MEMBER_INT, .max = MAX_LEVEL, .required = true, .at = offsetof(gzip_codec, level)},
    {.name = NULL},
};

/* ---- Zarr v2's, as in Python: a missing level is 1, and -1 is zlib's default ---- */

static const zinc_member v2_members[] = {
    {.name = "level",
     .type = ZINC_MEMBER_INT,
     .min = -1,
     .max = MAX_LEVEL,
     .nullable = true,
     .fallback = 1,
     .at = offsetof(gzip_codec, level)},
    {.name = NULL},
};

static zinc_status
v2_check(zinc_codec *c, const zinc_json *configuration, const zinc_rep *in, zinc_rep *out, zinc_report *r,
	 zinc_error *err)
{
	gzip_codec *g = (gzip_codec *)c;

	(void)configuration, (void)in, (void)out, (void)r, (void)err;
	if (g->level < 0)
		g->level = ZLIB_LEVEL;
	return ZINC_OK;
}

/* "gzip", "gzip:1". */
static zinc_status
gzip_parse_words(const char *const *words, int nwords, const zinc_rep *in, zinc_json_doc *doc, zinc_json **out,
		 zinc_error *err)
{
	int64_t level = DEFAULT_LEVEL;

	(void)in;
	if (nwords > 1)
		return zinc_fail(err, ZINC_E_INVALID, "gzip takes only a level, as in \"gzip:%d\"", DEFAULT_LEVEL);
	if (nwords == 1)
		ZINC_TRY(zinc_word_int("gzip", words[0], 0, MAX_LEVEL, &level, err));
	return zinc_config_make_int(doc, "level", level, out, err);
}

static zinc_status
gzip_encode(const zinc_codec *c, zinc_scratch *s, zinc_bytes in, zinc_buf *out, zinc_error *err)
{
	return zinc_deflate_gzip(s, (int)((const gzip_codec *)c)->level, in, out, err);
}

/* The checksum is at the end, so decoding can stop early only if the reader does not need it verified.  A stream is
 * also slower by a half, so it must be worth it. */
static bool
stops_early(const zinc_scratch *s, size_t exact, size_t need)
{
	return s->unverified && exact != SIZE_MAX && need < exact / 2;
}

static zinc_status
gzip_decode(const zinc_codec *c, zinc_scratch *s, zinc_bytes in, zinc_buf *out, size_t exact, size_t need,
	    zinc_error *err)
{
	bool enough = false;

	(void)c;
	if (stops_early(s, exact, need))
		ZINC_TRY(zinc_deflate_gunzip_start(s, in, out, need, &enough, err));
	return enough ? ZINC_OK : zinc_deflate_gunzip(s, in, out, exact, err);
}

static zinc_status
gzip_decode_start(const zinc_codec *c, zinc_scratch *s, zinc_bytes in, zinc_buf *out, size_t need, bool *enough,
		  zinc_error *err)
{
	(void)c;
	*enough = false;
	return stops_early(s, out->max, need) ? zinc_deflate_gunzip_start(s, in, out, need, enough, err) : ZINC_OK;
}

const zinc_codec_ops zinc_codec_v2_gzip = {
    .name = "numcodecs.gzip",
    .v2 = "gzip",
    .uris = ZINC_CODEC_URIS("gzip"),
    .purpose = "gzip, configured as in Zarr v2",
    .kind = ZINC_BYTES_BYTES,
    .members = v2_members,
    .nbytes = sizeof(gzip_codec),
    .made = &zinc_codec_gzip,
    .lacks = ZINC_FLATE_LACKS,
    .check = v2_check,
    .parse_words = gzip_parse_words,
};

static const zinc_bytes_ops coder = {
    .bound = zinc_bound_compressed,
    .encode = gzip_encode,
    .decode = gzip_decode,
    .decode_start = gzip_decode_start,
    .starts_unverified = true,
    .verifies = zinc_verifies_always,
};

const zinc_codec_ops zinc_codec_gzip = {
    .name = "gzip",
    .v2 = "gzip",
    .uris = ZINC_CODEC_URIS("gzip"),
    .purpose = "gzip (RFC 1952), levels 0 to 9",
    .kind = ZINC_BYTES_BYTES,
    .needs_configuration = true,
    .members = members,
    .rule = "M75",
    .nbytes = sizeof(gzip_codec),
    .lacks = ZINC_FLATE_LACKS,
    .parse_words = gzip_parse_words,
    .bytes = &coder,
};
