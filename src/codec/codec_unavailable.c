/*
 * codec_unavailable.c - codecs that are known, and that no build of this library can decode
 *
 * Their arrays open, and everything but the elements can be read.  Reading elements is E_UNSUPPORTED, and the message
 * says what would be needed; an unknown codec's could not.
 */
#include "codec/codec_parts.h"

/* Any configuration: it is kept in the document, and nothing here depends on it. */
static zinc_status
unavailable_parse(zinc_codec **codec, const zinc_codec_ops *ops, zinc_context *ctx, const zinc_json *configuration,
		  const zinc_rep *in, zinc_rep *out, zinc_report *r, zinc_error *err)
{
	(void)codec, (void)ctx, (void)configuration, (void)in, (void)out;
	return zinc_report_unsupported(r, "M20", err, "codec \"%s\" is not supported: it needs %s", ops->name,
				       ops->lacks);
}

static zinc_status
unavailable_parse_words(const char *const *words, int nwords, const zinc_rep *in, zinc_json_doc *doc, zinc_json **out,
			zinc_error *err)
{
	(void)words, (void)nwords, (void)in, (void)doc, (void)err;
	*out = NULL; /* the parser says what is missing */
	return ZINC_OK;
}

#define UNAVAILABLE(row, row_kind, v3, id, also, what, needs)                                                          \
	const zinc_codec_ops zinc_codec_##row = {                                                                      \
	    .name = v3,                                                                                                \
	    .aliases = also,                                                                                           \
	    .v2 = id,                                                                                                  \
	    .purpose = what "; metadata only",                                                                         \
	    .kind = row_kind,                                                                                          \
	    .compresses = true,                                                                                        \
	    .lacks = needs,                                                                                            \
	    .parse = unavailable_parse,                                                                                \
	    .parse_words = unavailable_parse_words,                                                                    \
	}

static const char *const pcodec_names[] = {"pcodec", "https://codec.zarrs.dev/array_to_bytes/pcodec", NULL};
static const char *const jpeg_names[] = {"imagecodecs_jpeg", NULL};
static const char *const jpegxl_names[] = {"imagecodecs_jpegxl", NULL};
static const char *const gdeflate_names[] = {"https://codec.zarrs.dev/bytes_to_bytes/gdeflate", NULL};

UNAVAILABLE(pcodec, ZINC_ARRAY_BYTES, "numcodecs.pcodec", "pcodec", pcodec_names, "numbers compressed by Pcodec",
	    "the library pco, which has no interface for C");
UNAVAILABLE(jpeg, ZINC_ARRAY_BYTES, "jpeg", "imagecodecs_jpeg", jpeg_names, "images as JPEG",
	    "a decoder of JPEG and a published codec that says how chunks become images");
UNAVAILABLE(jpegxl, ZINC_ARRAY_BYTES, "jpegxl", "imagecodecs_jpegxl", jpegxl_names, "images as JPEG XL",
	    "a decoder of JPEG XL and a published codec that says how chunks become images");
UNAVAILABLE(gdeflate, ZINC_BYTES_BYTES, "zarrs.gdeflate", NULL, gdeflate_names, "GDeflate",
	    "the library GDeflate, which Debian does not have");
