/*
 * codec_transpose.c - axes in another order
 *
 * Axis i of the encoded side is axis order[i] of the decoded side (M74):
 *
 *     decoded shape [5, 20, 400], order [2, 0, 1]  ->  encoded shape [400, 5, 20]
 *
 * Nothing is moved here.  The chain combines the orders of all its codecs into one, and the copy of the elements uses
 * it.
 */
#include <inttypes.h>
#include <stdio.h>

#include "codec/codec_parts.h"

typedef struct transpose_codec {
	zinc_codec codec;
	int ndim;
	int order[ZINC_MAX_NDIM];
} transpose_codec;

static const zinc_member members[] = {{.name = "order"}, {.name = NULL}};

/* The spelling of 2023: "C" keeps the order, "F" reverses all axes. */
static zinc_status
parse_letter(const zinc_json *v, int ndim, int *order, zinc_report *r, zinc_error *err)
{
	bool fortran = zinc_json_is_string(v, "F");
	int i;

	if (!fortran && !zinc_json_is_string(v, "C"))
		return zinc_report_error(r, "M73", err, "\"order\" must be an array of axes");
	for (i = 0; i < ndim; i++)
		order[i] = fortran ? ndim - 1 - i : i;
	return zinc_report_lenient(r, "M73", err,
				   "\"order\": \"%s\" is the spelling of 2023; now it is an array of axes", v->text);
}

/* Each of 0 .. ndim-1 exactly once. */
static zinc_status
check_permutation(const uint64_t *axes, int ndim, int *order, zinc_report *r, zinc_error *err)
{
	bool seen[ZINC_MAX_NDIM] = {false};
	int i;

	for (i = 0; i < ndim; i++) {
		if (axes[i] >= (uint64_t)ndim)
			return zinc_report_error(r, "M73", err,
						 "axis %" PRIu64 " does not exist: the array has %d dimensions",
						 axes[i], ndim);
		if (seen[axes[i]])
			return zinc_report_error(r, "M73", err, "axis %" PRIu64 " appears twice in \"order\"", axes[i]);
		seen[axes[i]] = true;
		order[i] = (int)axes[i];
	}
	return ZINC_OK;
}

static zinc_status
parse_order(const zinc_json *configuration, int ndim, int *order, zinc_report *r, zinc_error *err)
{
	const zinc_json *v = zinc_json_member(configuration, "order");
	uint64_t axes[ZINC_MAX_NDIM];
	zinc_status st;
	size_t mark;

	if (!zinc_json_is(v, ZINC_JSON_STRING))
		ZINC_TRY(zinc_config_u64s(configuration, "order", ndim, 0, "M73", axes, r, err));
	mark = zinc_report_enter(r, "order");
	if (zinc_json_is(v, ZINC_JSON_STRING))
		st = parse_letter(v, ndim, order, r, err);
	else
		st = check_permutation(axes, ndim, order, r, err);
	zinc_report_leave(r, mark);
	return st;
}

static zinc_status
transpose_parse(zinc_codec **codec, const zinc_codec_ops *ops, zinc_context *ctx, const zinc_json *configuration,
		const zinc_rep *in, zinc_rep *out, zinc_report *r, zinc_error *err)
{
	int order[ZINC_MAX_NDIM];
	transpose_codec *t;

	(void)out; /* dtype and fill stay; the chain permutes the shape */
	ZINC_TRY(zinc_members_parse(members, "M73", configuration, NULL, r, err));
	ZINC_TRY(parse_order(configuration, in->ndim, order, r, err));
	ZINC_TRY(zinc_codec_new(codec, ops, ctx, sizeof *t, err));
	t = (transpose_codec *)*codec;
	t->ndim = in->ndim;
	memcpy(t->order, order, (size_t)in->ndim * sizeof order[0]);
	return ZINC_OK;
}

static zinc_status
make_configuration(zinc_json_doc *doc, const int *order, int ndim, zinc_json **out, zinc_error *err)
{
	zinc_json *axes = zinc_json_make(doc, ZINC_JSON_ARRAY);
	int i;

	for (i = 0; i < ndim; i++)
		ZINC_TRY(zinc_json_append(axes, zinc_json_make_i64(doc, order[i]), err));
	*out = zinc_json_make(doc, ZINC_JSON_OBJECT);
	return zinc_json_set(doc, *out, "order", axes, err);
}

static zinc_status
transpose_print(const zinc_codec *c, zinc_json_doc *doc, zinc_json **out, zinc_error *err)
{
	const transpose_codec *t = (const transpose_codec *)c;

	return make_configuration(doc, t->order, t->ndim, out, err);
}

/* "transpose:2,0,1".  parse checks whether it is a permutation. */
static zinc_status
transpose_parse_words(const char *const *words, int nwords, const zinc_rep *in, zinc_json_doc *doc, zinc_json **out,
		      zinc_error *err)
{
	int order[ZINC_MAX_NDIM];
	const char *at;
	char axis[8];
	int n = 0;

	if (nwords != 1)
		return zinc_fail(err, ZINC_E_INVALID, "transpose needs the order of the axes, as in \"transpose:1,0\"");
	for (at = words[0]; *at; at += *at == ',') {
		size_t len = strcspn(at, ",");
		int64_t v;

		snprintf(axis, sizeof axis, "%.*s", len < sizeof axis ? (int)len : (int)sizeof axis - 1, at);
		if (n == in->ndim)
			return zinc_fail(err, ZINC_E_INVALID, "transpose: more than the %d axes of the array",
					 in->ndim);
		ZINC_TRY(zinc_word_int("transpose", axis, 0, in->ndim - 1, &v, err));
		order[n++] = (int)v;
		at += len;
	}
	return make_configuration(doc, order, n, out, err);
}

static const int *
transpose_order(const zinc_codec *c)
{
	return ((const transpose_codec *)c)->order;
}

static const zinc_array_ops coder = {
    .order = transpose_order,
};

const zinc_codec_ops zinc_codec_transpose = {
    .name = "transpose",
    .uris = ZINC_CODEC_URIS("transpose"),
    .purpose = "axes in another order",
    .kind = ZINC_ARRAY_ARRAY,
    .fixed_size = true,
    .needs_configuration = true,
    .parse = transpose_parse,
    .print = transpose_print,
    .parse_words = transpose_parse_words,
    .array = &coder,
};
