/*
 * codec_zfp.c - zfp: numbers in blocks of 4^d, exact or rounded
 *
 * zfp.c has the bytes; they have no header, so all that decoding needs is in the configuration.
 */
#include "codec/codec_parts.h"

#if ZINC_WITH_ZFP
#define LACKS   NULL
#define PURPOSE "numbers as a zfp stream, exact or rounded"
#define CODER   (&zinc_zfp_coder)
#else
#define LACKS   "libzfp"
#define PURPOSE "numbers as a zfp stream; not in this build"
#define CODER   NULL /* without the library no codec is made */
#endif

#define UINT32_BITS ((int64_t)UINT32_MAX)

static const char *const modes[] = {"reversible", "expert", "fixed_accuracy", "fixed_rate", "fixed_precision", NULL};
static const zinc_member mode_member = {.name = "mode", .type = ZINC_MEMBER_CHOICE, .choices = modes, .required = true};

/* The members of each mode.  zfp's own limits, so that its integers cannot overflow. */
static const zinc_member reversible[] = {{.name = "mode"}, {.name = NULL}};
static const zinc_member expert[] = {
    {.name = "mode"},
    {.name = "minbits", .type = ZINC_MEMBER_INT, .max = 32768, .required = true, .at = offsetof(zinc_zfp, minbits)},
    {.name = "maxbits",
     .type = ZINC_MEMBER_INT,
     .min = 1,
     .max = UINT32_BITS,
     .required = true,
     .at = offsetof(zinc_zfp, maxbits)},
    {.name = "maxprec",
     .type = ZINC_MEMBER_INT,
     .min = 1,
     .max = 64,
     .required = true,
     .at = offsetof(zinc_zfp, maxprec)},
    {.name = "minexp",
     .type = ZINC_MEMBER_INT,
     .min = -16495,
     .max = 16272,
     .required = true,
     .at = offsetof(zinc_zfp, minexp)},
    {.name = NULL},
};
static const zinc_member fixed_accuracy[] = {{.name = "mode"}, {.name = "tolerance"}, {.name = NULL}};
static const zinc_member fixed_rate[] = {{.name = "mode"}, {.name = "rate"}, {.name = NULL}};
static const zinc_member fixed_precision[] = {
    {.name = "mode"},
    {.name = "precision",
     .type = ZINC_MEMBER_INT,
     .max = UINT32_BITS,
     .required = true,
     .at = offsetof(zinc_zfp, precision)},
    {.name = NULL},
};
static const zinc_member *const members[] = {reversible, expert, fixed_accuracy, fixed_rate, fixed_precision};

static zinc_status
parse_members(zinc_zfp *z, const zinc_json *configuration, zinc_report *r, zinc_error *err)
{
	int64_t mode;

	ZINC_TRY(zinc_member_parse(&mode_member, "zfp", configuration, &mode, r, err));
	z->mode = (int)mode;
	ZINC_TRY(zinc_members_parse(members[mode], "zfp", configuration, z, r, err));
	if (mode == ZINC_ZFP_FIXED_ACCURACY)
		return zinc_config_double(configuration, "tolerance", NULL, "zfp", &z->tolerance, r, err);
	if (mode == ZINC_ZFP_FIXED_RATE)
		return zinc_config_double(configuration, "rate", NULL, "zfp", &z->rate, r, err);
	return ZINC_OK;
}

static zinc_status
parse_all(zinc_zfp *z, const zinc_json *configuration, const zinc_rep *in, zinc_report *r, zinc_error *err)
{
	const char *wrong;

	ZINC_TRY(parse_members(z, configuration, r, err));
	if (!zinc_zfp_stores(in->dtype, false))
		return zinc_report_error(r, "zfp", err, "elements of type %s cannot be stored", in->dtype->name);
	if (z->mode == ZINC_ZFP_FIXED_ACCURACY && in->dtype->kind != ZINC_KIND_FLOAT)
		return zinc_report_error(r, "zfp", err, "\"fixed_accuracy\" is for floats, not for %s",
					 in->dtype->name);
	if (in->ndim > ZINC_ZFP_DIMS)
		return zinc_report_error(r, "zfp", err, "%d dimensions; zfp has at most %d: put \"reshape\" before it",
					 in->ndim, ZINC_ZFP_DIMS);
	wrong = zinc_zfp_check(z, in);
	if (wrong)
		return zinc_report_error(r, "zfp", err, "%s", wrong);
	if (z->codec.ops->lacks)
		return zinc_report_unsupported(r, "M20", err, "zfp: built without %s", z->codec.ops->lacks);
	return ZINC_OK;
}

static zinc_status
zfp_parse(zinc_codec **codec, const zinc_codec_ops *ops, zinc_context *ctx, const zinc_json *configuration,
	  const zinc_rep *in, zinc_rep *out, zinc_report *r, zinc_error *err)
{
	zinc_codec *c;
	zinc_status st;

	(void)out;
	ZINC_TRY(zinc_codec_new(&c, ops, ctx, sizeof(zinc_zfp), err));
	st = parse_all((zinc_zfp *)c, configuration, in, r, err);
	if (st == ZINC_OK)
		*codec = c;
	else
		zinc_codec_free(c);
	return st;
}

static zinc_status
zfp_print(const zinc_codec *c, zinc_json_doc *doc, zinc_json **out, zinc_error *err)
{
	const zinc_zfp *z = (const zinc_zfp *)c;
	zinc_json *more, *m;

	*out = zinc_json_make(doc, ZINC_JSON_OBJECT);
	ZINC_TRY(zinc_json_set(doc, *out, "mode", zinc_json_make_string(doc, modes[z->mode]), err));
	if (z->mode == ZINC_ZFP_FIXED_ACCURACY)
		return zinc_json_set(doc, *out, "tolerance", zinc_json_make_double(doc, z->tolerance), err);
	if (z->mode == ZINC_ZFP_FIXED_RATE)
		return zinc_json_set(doc, *out, "rate", zinc_json_make_double(doc, z->rate), err);
	ZINC_TRY(zinc_members_print(members[z->mode] + 1, z, doc, &more, err));
	for (m = more->first; m; m = m->next)
		ZINC_TRY(zinc_json_set(doc, *out, m->key, zinc_json_copy(doc, m), err));
	return ZINC_OK;
}

/* "zfp", "zfp:fixed_accuracy:0.01": the mode and its parameters in their order. */
static zinc_status
zfp_parse_words(const char *const *words, int nwords, const zinc_rep *in, zinc_json_doc *doc, zinc_json **out,
		zinc_error *err)
{
	static const char *const of_accuracy[] = {"tolerance", NULL}, *const of_rate[] = {"rate", NULL};
	static const char *const of_precision[] = {"precision", NULL}, *const none[] = {NULL};
	static const char *const of_expert[] = {"minbits", "maxbits", "maxprec", "minexp", NULL};
	static const char *const *const names[] = {none, of_expert, of_accuracy, of_rate, of_precision};
	const char *mode = nwords > 0 ? words[0] : modes[0];
	zinc_json_doc *number = NULL;
	int i, k;

	(void)in;
	for (k = 0; modes[k] && strcmp(modes[k], mode) != 0; k++)
		;
	*out = zinc_json_make(doc, ZINC_JSON_OBJECT);
	ZINC_TRY(zinc_json_set(doc, *out, "mode", zinc_json_make_string(doc, mode), err));
	for (i = 1; modes[k] && i < nwords && names[k][i - 1]; i++) {
		if (zinc_json_parse(&number, zinc_json_context(doc), words[i], strlen(words[i]), 0, NULL) != ZINC_OK)
			break;
		(void)zinc_json_set(doc, *out, names[k][i - 1], zinc_json_copy(doc, zinc_json_root(number)), err);
		zinc_json_free(number);
	}
	if (!modes[k] || i < nwords || names[k][i - 1])
		return zinc_fail(err, ZINC_E_INVALID,
				 "zfp needs a mode and its numbers, as in \"zfp:fixed_accuracy:0.01\"");
	return ZINC_OK;
}

static const char *const aliases[] = {"zarrs.zfp", "https://codec.zarrs.dev/array_to_bytes/zfp", NULL};

const zinc_codec_ops zinc_codec_zfp = {
    .name = "zfp",
    .aliases = aliases,
    .purpose = PURPOSE,
    .kind = ZINC_ARRAY_BYTES,
    .needs_configuration = true,
    .lacks = LACKS,
    .parse = zfp_parse,
    .print = zfp_print,
    .parse_words = zfp_parse_words,
    .pack = CODER,
};
