/*
 * codec_reshape.c - the same elements in C order, with another shape
 *
 * Each dimension of the encoded side is an integer, a list of dimensions of the decoded side whose product it is, or -1:
 * what remains.
 *
 *     decoded shape [100, 50, 64, 3], "shape": [[0, 1], [2], 3]  ->  encoded shape [5000, 64, 3]
 *     decoded shape [4, 6],           "shape": [8, -1]           ->  encoded shape [8, 3]
 *
 * Promises (tests/unit/test_codec_reshape.c names each by its number):
 *
 * (1) Both sides have the same number of elements, in the same order; no element is moved.
 * (2) A list names dimensions in increasing order, and the encoded dimension is exactly these: as many elements are
 *     before and after it as before and after them.
 */
#include <inttypes.h>

#include "codec/codec_parts.h"

/* One dimension of the encoded side. */
typedef struct target {
	int64_t size;    /* at least 1; or REST; or LIST */
	int first, many; /* LIST: dims[first], `many` of them */
} target;

enum { LIST = 0, REST = -1 };

typedef struct reshape_codec {
	zinc_codec codec;
	int ndim; /* of the encoded side */
	target to[ZINC_MAX_NDIM];
	int dims[ZINC_MAX_NDIM]; /* all lists, one after the other */
} reshape_codec;

static const zinc_member members[] = {{.name = "shape"}, {.name = NULL}};

/* ---- shapes ---- */

/* The product of dimensions; false: it does not fit. */
static bool
product(const uint64_t *shape, int from, int end, uint64_t *out)
{
	*out = 1;
	for (; from < end; from++)
		if (zinc_u64_mul(*out, shape[from], out))
			return false;
	return true;
}

/* The size of one dimension that is not REST. */
static bool
size_of(const reshape_codec *x, const target *t, const zinc_rep *in, uint64_t *out)
{
	int i;

	*out = t->size == LIST ? 1 : (uint64_t)t->size;
	for (i = 0; i < t->many; i++)
		if (zinc_u64_mul(*out, in->shape[x->dims[t->first + i]], out))
			return false;
	return true;
}

/* Set the dimensions of `out` except `*rest`, which is set to 1 and found; ndim: there is none. */
static bool
set_sizes(const reshape_codec *x, const zinc_rep *in, zinc_rep *out, int *rest)
{
	int i;

	*rest = out->ndim = x->ndim;
	for (i = 0; i < x->ndim; i++) {
		if (x->to[i].size == REST)
			out->shape[ *rest = i] = 1;
		else if (!size_of(x, &x->to[i], in, &out->shape[i]))
			return false;
	}
	return true;
}

/* (2) Are the elements before and after dimension i those before and after the dimensions of its list? */
static bool
lines_up(const reshape_codec *x, int i, const zinc_rep *in, const zinc_rep *out)
{
	const target *t = &x->to[i];
	uint64_t a, b;

	if (t->many == 0)
		return true;
	return product(in->shape, 0, x->dims[t->first], &a) && product(out->shape, 0, i, &b) && a == b &&
	       product(in->shape, x->dims[t->first + t->many - 1] + 1, in->ndim, &a) &&
	       product(out->shape, i + 1, out->ndim, &b) && a == b;
}

static zinc_status
reshape_shape(const zinc_codec *c, const zinc_rep *in, zinc_rep *out, zinc_error *err)
{
	const reshape_codec *x = (const reshape_codec *)c;
	uint64_t have, want;
	int i, rest;

	if (!product(in->shape, 0, in->ndim, &have) || !set_sizes(x, in, out, &rest) ||
	    !product(out->shape, 0, out->ndim, &want))
		return zinc_fail(err, ZINC_E_CORRUPT, "the shape has more elements than memory");
	if (rest < out->ndim && want > 0 && have % want == 0) {
		out->shape[rest] = have / want;
		want = have;
	} else if (rest < out->ndim) {
		return zinc_fail(err, ZINC_E_CORRUPT,
				 "no size for -1: %" PRIu64 " elements, and %" PRIu64 " in the other dimensions", have,
				 want);
	}
	if (have != want)
		return zinc_fail(err, ZINC_E_CORRUPT, "%" PRIu64 " elements cannot have a shape of %" PRIu64, have,
				 want);
	for (i = 0; i < out->ndim; i++)
		if (!lines_up(x, i, in, out))
			return zinc_fail(err, ZINC_E_CORRUPT,
					 "dimension %d of the shape is not the dimensions in its list", i);
	return ZINC_OK;
}

/* ---- configuration ---- */

/* The dimensions that a list names; `*last`: the dimension before them, or -1. */
static zinc_status
parse_list(reshape_codec *x, target *t, const zinc_json *list, int ndim, int *last, zinc_report *r, zinc_error *err)
{
	const int first = *last + 1; /* the lists before have at most so many dimensions */
	const zinc_json *v;
	uint64_t d;
	int n = 0;

	for (v = list->first; v; v = v->next) {
		if (!zinc_json_u64(v, &d) || d >= (uint64_t)ndim)
			return zinc_report_error(r, "reshape", err, "must name dimensions, from 0 to %d", ndim - 1);
		if ((int64_t)d <= *last)
			return zinc_report_error(r, "reshape", err, "dimensions must be in increasing order");
		*last = (int)d;
		x->dims[first + n++] = (int)d;
	}
	*t = (target){LIST, first, n};
	return ZINC_OK;
}

static zinc_status
parse_target(reshape_codec *x, const zinc_json *v, int ndim, int *last, zinc_report *r, zinc_error *err)
{
	target *t = &x->to[x->ndim];
	int64_t size;
	int i;

	if (zinc_json_is(v, ZINC_JSON_ARRAY))
		return parse_list(x, t, v, ndim, last, r, err);
	if (!zinc_json_i64(v, &size) || (size < 1 && size != REST))
		return zinc_report_error(r, "reshape", err,
					 "must be an integer of at least 1, -1, or a list of dimensions");
	for (i = 0; i < x->ndim && size == REST; i++)
		if (x->to[i].size == REST)
			return zinc_report_error(r, "reshape", err, "-1 may appear only once");
	*t = (target){.size = size};
	return ZINC_OK;
}

static zinc_status
parse_shape(reshape_codec *x, const zinc_json *shape, int ndim, zinc_report *r, zinc_error *err)
{
	const zinc_json *v;
	int last = -1;

	if (!zinc_json_is(shape, ZINC_JSON_ARRAY))
		return zinc_report_error(r, "reshape", err, "\"shape\" must be an array");
	if (shape->n > ZINC_MAX_NDIM)
		return zinc_report_unsupported(r, "reshape", err, "%zu dimensions; at most %d are supported", shape->n,
					       ZINC_MAX_NDIM);
	for (v = shape->first; v; v = v->next, x->ndim++) {
		const size_t mark = zinc_report_enter_item(r, (size_t)x->ndim);
		const zinc_status st = parse_target(x, v, ndim, &last, r, err);

		zinc_report_leave(r, mark);
		ZINC_TRY(st);
	}
	return ZINC_OK;
}

static zinc_status
parse_all(reshape_codec *x, const zinc_json *configuration, const zinc_rep *in, zinc_rep *out, zinc_report *r,
	  zinc_error *err)
{
	const zinc_json *shape = zinc_json_member(configuration, "shape");
	zinc_error why = ZINC_ERROR_INIT;
	zinc_status st;
	size_t mark;

	ZINC_TRY(zinc_members_check(members, "reshape", configuration, r, err));
	if (!shape)
		return zinc_report_error(r, "reshape", err, "\"shape\" is missing from the configuration");
	mark = zinc_report_enter(r, "shape");
	st = parse_shape(x, shape, in->ndim, r, err);
	if (st == ZINC_OK && reshape_shape(&x->codec, in, out, &why) != ZINC_OK)
		st = zinc_report_error(r, "reshape", err, "%s", why.text);
	zinc_report_leave(r, mark);
	return st;
}

static zinc_status
reshape_parse(zinc_codec **codec, const zinc_codec_ops *ops, zinc_context *ctx, const zinc_json *configuration,
	      const zinc_rep *in, zinc_rep *out, zinc_report *r, zinc_error *err)
{
	zinc_rep reshaped = *in;
	zinc_codec *c;
	zinc_status st;

	(void)out; /* dtype and fill stay; the chain asks for the shape */
	ZINC_TRY(zinc_codec_new(&c, ops, ctx, sizeof(reshape_codec), err));
	st = parse_all((reshape_codec *)c, configuration, in, &reshaped, r, err);
	if (st == ZINC_OK)
		*codec = c;
	else
		zinc_codec_free(c);
	return st;
}

static zinc_json *
print_target(const reshape_codec *x, const target *t, zinc_json_doc *doc, zinc_error *err)
{
	zinc_json *list;
	int i;

	if (t->size != LIST)
		return zinc_json_make_i64(doc, t->size);
	list = zinc_json_make(doc, ZINC_JSON_ARRAY);
	for (i = 0; i < t->many; i++)
		if (zinc_json_append(list, zinc_json_make_i64(doc, x->dims[t->first + i]), err) != ZINC_OK)
			return NULL;
	return list;
}

static zinc_status
reshape_print(const zinc_codec *c, zinc_json_doc *doc, zinc_json **out, zinc_error *err)
{
	const reshape_codec *x = (const reshape_codec *)c;
	zinc_json *shape = zinc_json_make(doc, ZINC_JSON_ARRAY);
	int i;

	for (i = 0; i < x->ndim; i++)
		ZINC_TRY(zinc_json_append(shape, print_target(x, &x->to[i], doc, err), err));
	*out = zinc_json_make(doc, ZINC_JSON_OBJECT);
	return zinc_json_set(doc, *out, "shape", shape, err);
}

/* "reshape:[[0,1],-1]". */
static zinc_status
reshape_parse_words(const char *const *words, int nwords, const zinc_rep *in, zinc_json_doc *doc, zinc_json **out,
		    zinc_error *err)
{
	zinc_json_doc *given = NULL;

	(void)in;
	if (nwords != 1 ||
	    zinc_json_parse(&given, zinc_json_context(doc), words[0], strlen(words[0]), 0, err) != ZINC_OK)
		return zinc_fail(err, ZINC_E_INVALID, "reshape needs a shape, as in \"reshape:[[0,1],-1]\"");
	*out = zinc_json_make(doc, ZINC_JSON_OBJECT);
	(void)zinc_json_set(doc, *out, "shape", zinc_json_copy(doc, zinc_json_root(given)), err);
	zinc_json_free(given);
	return zinc_json_member(*out, "shape") ? ZINC_OK : zinc_fail_nomem(err);
}

static const zinc_array_ops coder = {
    .reshape = reshape_shape,
};

const zinc_codec_ops zinc_codec_reshape = {
    .name = "reshape",
    .purpose = "the same elements with another shape",
    .kind = ZINC_ARRAY_ARRAY,
    .fixed_size = true,
    .needs_configuration = true,
    .parse = reshape_parse,
    .print = reshape_print,
    .parse_words = reshape_parse_words,
    .array = &coder,
};
