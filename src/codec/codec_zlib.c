/*
 * codec_zlib.c - one RFC 1950 stream
 *
 *     [CMF: 78][FLG][deflate blocks][Adler-32: 4, big-endian]
 *
 * The checksum is always verified; bytes after it are an error.
 */
#include "codec/codec_parts.h"

#define MAX_LEVEL     9
#define DEFAULT_LEVEL 1 /* the default */
#define ZLIB_LEVEL    6 /* what level -1 means */

typedef struct zlib_codec {
	zinc_codec codec;
	int64_t level;
} zlib_codec;

static const zinc_member members[] = {
    {.name = "level",
     .type = ZINC_MEMBER_INT,
     .min = -1,
     .max = MAX_LEVEL,
     .nullable = true,
     .fallback = DEFAULT_LEVEL,
     .at = offsetof(zlib_codec, level)},
    {.name = NULL},
};

/* "numcodecs.zlib", "numcodecs.zlib:9". */
static zinc_status
zlib_parse_words(const char *const *words, int nwords, const zinc_rep *in, zinc_json_doc *doc, zinc_json **out,
		 zinc_error *err)
{
	(void)in;
	return zinc_words_int(zinc_codec_zlib.name, words, nwords, "level", -1, MAX_LEVEL, DEFAULT_LEVEL, doc, out,
			      err);
}

static zinc_status
zlib_encode(const zinc_codec *c, zinc_scratch *s, zinc_bytes in, zinc_buf *out, zinc_error *err)
{
	const int level = (int)((const zlib_codec *)c)->level;

	return zinc_deflate_zlib(s, level < 0 ? ZLIB_LEVEL : level, in, out, err);
}

/* The checksum is at the end, so decoding never stops early: `need` is ignored. */
static zinc_status
zlib_decode(const zinc_codec *c, zinc_scratch *s, zinc_bytes in, zinc_buf *out, size_t exact, size_t need,
	    zinc_error *err)
{
	(void)c, (void)need;
	return zinc_deflate_unzlib(s, in, out, exact, err);
}

static const zinc_bytes_ops coder = {
    .bound = zinc_bound_compressed,
    .encode = zlib_encode,
    .decode = zlib_decode,
    .verifies = zinc_verifies_always,
};

const zinc_codec_ops zinc_codec_zlib = {
    .name = "numcodecs.zlib",
    .v2 = "zlib",
    .uris = ZINC_CODEC_URIS("zlib"),
    .purpose = "zlib (RFC 1950), levels 0 to 9",
    .kind = ZINC_BYTES_BYTES,
    .members = members,
    .nbytes = sizeof(zlib_codec),
    .lacks = ZINC_FLATE_LACKS,
    .parse_words = zlib_parse_words,
    .bytes = &coder,
};
