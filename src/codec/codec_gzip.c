/*
 * codec_gzip.c - RFC 1952 members
 *
 *     [1f 8b 08 flags mtime(4) xfl os][deflate blocks][CRC-32: 4, little-endian][size mod 2^32: 4]   M75
 *
 * Written: one member with no name and time 0, so that equal elements give equal bytes.  Read: any
 * number of members, of any level, each checked by its CRC and size; other bytes behind the
 * last are an error.
 */
#include "codec/codec_parts.h"

#define MAX_LEVEL     9
#define DEFAULT_LEVEL 5
#define ZLIB_LEVEL    6

typedef struct gzip_codec {
	zinc_codec codec;
	int level;
} gzip_codec;

static const char *const members[] = {"level", NULL};

static zinc_status
make(zinc_codec **codec, zinc_context *ctx, int64_t level, zinc_report *r, zinc_error *err)
{
	if (zinc_deflate_missing())
		return zinc_report_unsupported(r, "M20", err, "gzip: built without %s", zinc_deflate_missing());
	ZINC_TRY(zinc_codec_new(codec, &zinc_codec_gzip, ctx, sizeof(gzip_codec), err));
	((gzip_codec *)*codec)->level = (int)level;
	return ZINC_OK;
}

static zinc_status
gzip_parse(zinc_codec **codec, const zinc_codec_ops *ops, zinc_context *ctx, const zinc_json *configuration,
	   const zinc_rep *in, zinc_rep *out, zinc_report *r, zinc_error *err)
{
	int64_t level;

	(void)ops, (void)in, (void)out;
	ZINC_TRY(zinc_config_members(configuration, members, "M75", r, err));
	ZINC_TRY(zinc_config_int(configuration, "level", 0, MAX_LEVEL, "M75", &level, r, err));
	return make(codec, ctx, level, r, err);
}

/* As Python takes it: a level that is missing is 1, and -1 is zlib's own choice. */
static zinc_status
v2_parse(zinc_codec **codec, const zinc_codec_ops *ops, zinc_context *ctx, const zinc_json *configuration,
	 const zinc_rep *in, zinc_rep *out, zinc_report *r, zinc_error *err)
{
	int64_t level = 1;

	(void)in, (void)out;
	ZINC_TRY(zinc_config_members(configuration, members, ops->v2, r, err));
	ZINC_TRY(zinc_config_int_or(configuration, "level", -1, MAX_LEVEL, ops->v2, &level, r, err));
	return make(codec, ctx, level < 0 ? ZLIB_LEVEL : level, r, err);
}

static zinc_status
make_configuration(zinc_json_doc *doc, int64_t level, zinc_json **out, zinc_error *err)
{
	*out = zinc_json_make(doc, ZINC_JSON_OBJECT);
	return zinc_json_set(doc, *out, "level", zinc_json_make_i64(doc, level), err);
}

static zinc_status
gzip_print(const zinc_codec *c, zinc_json_doc *doc, zinc_json **out, zinc_error *err)
{
	return make_configuration(doc, ((const gzip_codec *)c)->level, out, err);
}

/* "gzip", "gzip:1". */
static zinc_status
gzip_parse_words(const char *const *words, int nwords, const zinc_rep *in, zinc_json_doc *doc, zinc_json **out,
		 zinc_error *err)
{
	int64_t level = DEFAULT_LEVEL;

	(void)in;
	if (nwords > 1)
		return zinc_fail(err, ZINC_E_INVALID, "gzip: a level is all it takes, \"gzip:%d\"", DEFAULT_LEVEL);
	if (nwords == 1)
		ZINC_TRY(zinc_word_int("gzip", words[0], 0, MAX_LEVEL, &level, err));
	return make_configuration(doc, level, out, err);
}

static zinc_status
gzip_encode(const zinc_codec *c, zinc_scratch *s, zinc_bytes in, zinc_buf *out, zinc_error *err)
{
	return zinc_deflate_gzip(s, ((const gzip_codec *)c)->level, in, out, err);
}

/* The checksum stands at the end, so there is no stopping early unless the reader has waived it; a stream is slower by
 * a half, too, so it must be worth it. */
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
    .parse = v2_parse,
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
    .parse = gzip_parse,
    .print = gzip_print,
    .parse_words = gzip_parse_words,
    .bytes = &coder,
};
