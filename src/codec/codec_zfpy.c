/*
 * codec_zfpy.c - numcodecs.zfpy: numbers as a zfp stream that begins with a header
 *
 * What zfpy of Python writes; zfp.c has the bytes.  Decoding takes the mode from the header of each chunk, as Python
 * does; the configuration is what encoding uses.
 */
#include "codec/codec_parts.h"

#if ZINC_WITH_ZFP
#define LACKS   NULL
#define PURPOSE "zfp stream with a header, as zfpy of Python"
#define CODER   (&zinc_zfp_coder)
#else
#define LACKS   "libzfp"
#define PURPOSE "zfp stream with a header; not in this build"
#define CODER   NULL /* without the library no codec is made */
#endif

#define RULE "zfpy"

/* The numbers of the modes, which are libzfp's. */
enum { FIXED_RATE = 2, FIXED_PRECISION, FIXED_ACCURACY, REVERSIBLE };

typedef struct zfpy_codec {
	zinc_zfp zfp;
	int64_t mode; /* of the configuration */
} zfpy_codec;

/* The defaults of Python; a number that the mode does not use is -1.  compression_kwargs repeats the others. */
static const double unused = -1;
static const zinc_member mode_member = {.name = "mode",
					.type = ZINC_MEMBER_INT,
					.min = FIXED_RATE,
					.max = REVERSIBLE,
					.nullable = true,
					.fallback = FIXED_ACCURACY};
static const zinc_member members[] = {
    {.name = "mode"},
    {.name = "tolerance"},
    {.name = "rate"},
    {.name = "precision",
     .type = ZINC_MEMBER_INT,
     .min = -1,
     .max = INT32_MAX,
     .nullable = true,
     .fallback = -1,
     .at = offsetof(zinc_zfp, precision)},
    {.name = "compression_kwargs"},
    {.name = NULL},
};

/* A number that the mode needs, but that is negative, makes Python encode without loss. */
static void
set_mode(zinc_zfp *z, int64_t mode)
{
	z->mode = ZINC_ZFP_REVERSIBLE;
	if (mode == FIXED_ACCURACY && z->tolerance >= 0)
		z->mode = ZINC_ZFP_FIXED_ACCURACY;
	else if (mode == FIXED_RATE && z->rate >= 0)
		z->mode = ZINC_ZFP_FIXED_RATE;
	else if (mode == FIXED_PRECISION && z->precision >= 0)
		z->mode = ZINC_ZFP_FIXED_PRECISION;
}

static zinc_status
parse_all(zinc_zfp *z, const zinc_json *configuration, const zinc_rep *in, zinc_report *r, zinc_error *err)
{
	const char *wrong;
	int64_t mode;

	ZINC_TRY(zinc_members_parse(members, RULE, configuration, z, r, err));
	ZINC_TRY(zinc_member_parse(&mode_member, RULE, configuration, &mode, r, err));
	ZINC_TRY(zinc_config_double(configuration, "tolerance", &unused, RULE, &z->tolerance, r, err));
	ZINC_TRY(zinc_config_double(configuration, "rate", &unused, RULE, &z->rate, r, err));
	set_mode(z, mode);
	z->header = true;
	((zfpy_codec *)z)->mode = mode;
	if (!zinc_zfp_stores(in->dtype, true))
		return zinc_report_error(r, RULE, err, "elements of type %s cannot be stored", in->dtype->name);
	if (in->ndim > ZINC_ZFP_DIMS)
		return zinc_report_error(r, RULE, err, "%d dimensions; zfp has at most %d", in->ndim, ZINC_ZFP_DIMS);
	wrong = zinc_zfp_check(z, in);
	if (wrong)
		return zinc_report_error(r, RULE, err, "%s", wrong);
	if (z->codec.ops->lacks)
		return zinc_report_unsupported(r, "M20", err, "zfpy: built without %s", z->codec.ops->lacks);
	return ZINC_OK;
}

static zinc_status
zfpy_parse(zinc_codec **codec, const zinc_codec_ops *ops, zinc_context *ctx, const zinc_json *configuration,
	   const zinc_rep *in, zinc_rep *out, zinc_report *r, zinc_error *err)
{
	zinc_codec *c;
	zinc_status st;

	(void)out;
	ZINC_TRY(zinc_codec_new(&c, ops, ctx, sizeof(zfpy_codec), err));
	st = parse_all((zinc_zfp *)c, configuration, in, r, err);
	if (st == ZINC_OK)
		*codec = c;
	else
		zinc_codec_free(c);
	return st;
}

static zinc_json *
make_number(zinc_json_doc *doc, double v)
{
	return v < 0 ? zinc_json_make_i64(doc, -1) : zinc_json_make_double(doc, v);
}

static zinc_status
zfpy_print(const zinc_codec *c, zinc_json_doc *doc, zinc_json **out, zinc_error *err)
{
	const zinc_zfp *z = (const zinc_zfp *)c;
	zinc_json *o = *out = zinc_json_make(doc, ZINC_JSON_OBJECT);
	const double tolerance = z->mode == ZINC_ZFP_FIXED_ACCURACY ? z->tolerance : -1;
	const double rate = z->mode == ZINC_ZFP_FIXED_RATE ? z->rate : -1;
	const int64_t precision = z->mode == ZINC_ZFP_FIXED_PRECISION ? z->precision : -1;

	ZINC_TRY(zinc_json_set(doc, o, "mode", zinc_json_make_i64(doc, ((const zfpy_codec *)c)->mode), err));
	ZINC_TRY(zinc_json_set(doc, o, "tolerance", make_number(doc, tolerance), err));
	ZINC_TRY(zinc_json_set(doc, o, "rate", make_number(doc, rate), err));
	return zinc_json_set(doc, o, "precision", zinc_json_make_i64(doc, precision), err);
}

static const char *const aliases[] = {"https://codec.zarrs.dev/array_to_bytes/zfpy", NULL};

const zinc_codec_ops zinc_codec_zfpy = {
    .name = "numcodecs.zfpy",
    .aliases = aliases,
    .v2 = "zfpy",
    .purpose = PURPOSE,
    .kind = ZINC_ARRAY_BYTES,
    .compresses = true,
    .lacks = LACKS,
    .parse = zfpy_parse,
    .print = zfpy_print,
    .pack = CODER,
};
