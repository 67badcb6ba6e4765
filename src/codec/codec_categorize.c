/*
 * codec_categorize.c - strings stored as numbers of their labels
 *
 *     labels a, b:   "b" "a" "" "a"  ->  2 1 0 1
 *
 * Promises (tests/unit/test_codec_categorize.c names each by its number):
 *
 * (1) A string that is not a label is E_RANGE; only the empty string needs no label, and is 0.
 * (2) A number that is not a label's is E_CORRUPT.
 * (3) If labels are equal, the number of the last is written, as in numcodecs.  A label that is longer than the
 *     elements is never written, and is truncated when it is read.
 *
 * Elements are fixed-length UTF-32 ("<U3": native order in memory, padded with zeros) or of variable length ("|O",
 * UTF-8).  The latter point at the labels themselves, which are valid as long as the codec.
 */
#include <inttypes.h>
#include <stdio.h>

#include "codec/codec_parts.h"

typedef struct categorize_codec {
	zinc_codec codec;
	const zinc_dtype *encoded;
	bool big;
	char dtype[24]; /* as it was spelled */
	bool variable;
	uint32_t size; /* of an element of fixed length */
	size_t nlabels;
	zinc_vlen *labels; /* UTF-8 */
	uint8_t *rendered; /* the same as elements of fixed length */
	bool *fits;        /* all of it */
} categorize_codec;

static const zinc_member members[] = {{.name = "labels"}, {.name = "dtype"}, {.name = "astype"}, {.name = NULL}};

#define BLOCK ZINC_RECODE_BLOCK

/* ---- elements ---- */

static bool
is_empty(const categorize_codec *k, const uint8_t *element)
{
	zinc_vlen v;
	uint32_t i;

	if (k->variable) {
		memcpy(&v, element, sizeof v);
		return v.nbytes == 0;
	}
	for (i = 0; i < k->size; i++)
		if (element[i])
			return false;
	return true;
}

static bool
is_label(const categorize_codec *k, const uint8_t *element, size_t i)
{
	zinc_vlen v;

	if (!k->variable)
		return k->fits[i] && memcmp(element, k->rendered + i * k->size, k->size) == 0;
	memcpy(&v, element, sizeof v);
	if (v.nbytes != k->labels[i].nbytes)
		return false;
	return v.nbytes == 0 || memcmp(v.data, k->labels[i].data, (size_t)v.nbytes) == 0;
}

/* The number of the label from 1 on; 0: not a label. */
static size_t
find_label(const categorize_codec *k, const uint8_t *element)
{
	size_t i;

	for (i = k->nlabels; i > 0; i--)
		if (is_label(k, element, i - 1))
			break;
	return i;
}

static zinc_status
categorize_encode(const zinc_codec *c, zinc_scratch *s, const zinc_rep *rep, const void *in, void *out, zinc_error *err)
{
	const categorize_codec *k = (const categorize_codec *)c;
	const uint8_t *element = (const uint8_t *)in;
	size_t n, at, i, m;
	int64_t v[BLOCK];

	(void)s;
	ZINC_TRY(zinc_recode_count(rep, &n, err));
	for (at = 0; at < n; at += m) {
		m = n - at < BLOCK ? n - at : BLOCK;
		for (i = 0; i < m; i++, element += rep->dtype->size) {
			v[i] = (int64_t)find_label(k, element);
			if (v[i] == 0 && !is_empty(k, element))
				return zinc_fail(err, ZINC_E_RANGE, "element %zu is not one of the labels", at + i);
		}
		ZINC_TRY(zinc_recode_convert(k->encoded, (uint8_t *)out + at * k->encoded->size,
					     zinc_dtype_of(ZINC_INT64), v, m, ZINC_CONVERT_EXACT, at, ZINC_E_RANGE,
					     err));
	}
	return ZINC_OK;
}

/* Label i; 0: the empty string. */
static void
put_label(const categorize_codec *k, size_t i, uint8_t *element)
{
	const zinc_vlen empty = {.data = "", .nbytes = 0};

	if (k->variable)
		memcpy(element, i ? &k->labels[i - 1] : &empty, sizeof empty);
	else if (i)
		memcpy(element, k->rendered + (i - 1) * k->size, k->size);
	else
		memset(element, 0, k->size);
}

static zinc_status
categorize_decode(const zinc_codec *c, zinc_scratch *s, const zinc_rep *rep, const void *in, void *out, zinc_error *err)
{
	const categorize_codec *k = (const categorize_codec *)c;
	uint8_t *element = (uint8_t *)out;
	size_t n, at, i, m;
	int64_t v[BLOCK];

	(void)s;
	ZINC_TRY(zinc_recode_count(rep, &n, err));
	for (at = 0; at < n; at += m) {
		m = n - at < BLOCK ? n - at : BLOCK;
		ZINC_TRY(zinc_recode_convert(zinc_dtype_of(ZINC_INT64), v, k->encoded,
					     (const uint8_t *)in + at * k->encoded->size, m, ZINC_CONVERT_EXACT, at,
					     ZINC_E_CORRUPT, err));
		for (i = 0; i < m; i++, element += rep->dtype->size) {
			if (v[i] < 0 || (uint64_t)v[i] > k->nlabels)
				return zinc_fail(err, ZINC_E_CORRUPT,
						 "element %zu has label %" PRId64 ", but there are only %zu labels",
						 at + i, v[i], k->nlabels);
			put_label(k, (size_t)v[i], element);
		}
	}
	return ZINC_OK;
}

/* ---- configuration ---- */

static void
categorize_free(zinc_codec *c)
{
	categorize_codec *k = (categorize_codec *)c;
	size_t i;

	for (i = 0; k->labels && i < k->nlabels; i++)
		zinc_free(c->ctx, (void *)(uintptr_t)k->labels[i].data);
	zinc_free(c->ctx, k->labels);
	zinc_free(c->ctx, k->rendered);
	zinc_free(c->ctx, k->fits);
	zinc_free(c->ctx, c);
}

/* Convert UTF-8 to code points in an element; false: not all of them fit. */
static bool
render(const zinc_vlen *label, uint8_t *element, uint32_t size)
{
	const char *text = (const char *)label->data;
	size_t n = (size_t)label->nbytes, used;
	uint32_t code, at;

	for (at = 0; n > 0 && at < size; at += 4, text += used, n -= used) {
		used = zinc_utf8_next(text, n, &code); /* never 0: strings of JSON are valid */
		memcpy(element + at, &code, sizeof code);
	}
	return n == 0;
}

static zinc_status
copy_labels(categorize_codec *k, const zinc_json *list, const char *rule, zinc_report *r, zinc_error *err)
{
	zinc_context *ctx = k->codec.ctx;
	const zinc_json *v;

	k->labels = (zinc_vlen *)zinc_calloc(ctx, list->n, sizeof *k->labels);
	k->fits = (bool *)zinc_calloc(ctx, list->n, sizeof *k->fits);
	k->rendered = (uint8_t *)zinc_calloc(ctx, list->n, k->size);
	if (!k->labels || !k->fits || !k->rendered)
		return zinc_fail_nomem(err);
	for (v = list->first; v; v = v->next) {
		zinc_vlen *label = &k->labels[k->nlabels];

		if (v->type != ZINC_JSON_STRING)
			return zinc_report_error(r, rule, err, "label %zu is not a string", k->nlabels);
		label->data = zinc_strndup(ctx, v->text, v->n);
		if (!label->data)
			return zinc_fail_nomem(err);
		label->nbytes = v->n;
		if (!k->variable)
			k->fits[k->nlabels] = render(label, k->rendered + k->nlabels * k->size, k->size);
		k->nlabels++;
	}
	return ZINC_OK;
}

/* "<U3" or "|O", and the elements must be of that type; if missing, the type of the elements. */
static zinc_status
check_elements(categorize_codec *k, const zinc_json *dtype, const zinc_rep *in, const char *rule, zinc_report *r,
	       zinc_error *err)
{
	const zinc_dtype *t = in->dtype;
	const bool fixed = t->v2 && t->v2[0] == 'U' && t->unit == 4;
	const char *text = zinc_json_is(dtype, ZINC_JSON_STRING) ? dtype->text : NULL;
	const char *kind = text ? text + (strchr("<>|=", text[0]) != NULL) : fixed ? "U" : "O";

	if (kind[0] != 'U' && kind[0] != 'O')
		return zinc_report_error(r, rule, err, "labels need strings, not \"%.20s\"", kind);
	if (!(kind[0] == 'U' ? fixed : t->variable))
		return zinc_report_unsupported(r, rule, err, "categorize: elements of type %s are not supported",
					       t->name);
	k->variable = t->variable;
	k->size = fixed ? t->size : 1;
	if (text)
		snprintf(k->dtype, sizeof k->dtype, "%s", text);
	else
		snprintf(k->dtype, sizeof k->dtype, "%s%s", fixed ? "<" : "|", fixed ? t->v2 : "O");
	return ZINC_OK;
}

static zinc_status
fill_in(categorize_codec *k, const zinc_json *configuration, const zinc_rep *in, const char *rule, zinc_report *r,
	zinc_error *err)
{
	const zinc_json *labels = zinc_json_member(configuration, "labels");
	const zinc_rep bytes = {.dtype = zinc_dtype_of(ZINC_UINT8)};
	zinc_recode types = {.decoded = NULL};

	if (!zinc_json_is(labels, ZINC_JSON_ARRAY))
		return zinc_report_error(r, rule, err, "\"labels\" must be an array of strings");
	ZINC_TRY(check_elements(k, zinc_json_member(configuration, "dtype"), in, rule, r, err));
	ZINC_TRY(zinc_recode_types(&types, configuration, NULL, "astype", rule, &bytes, r, err));
	if (types.encoded->kind != ZINC_KIND_INT && types.encoded->kind != ZINC_KIND_UINT)
		return zinc_report_unsupported(r, rule, err, "categorize: labels stored as %s are not supported",
					       types.encoded->name);
	k->encoded = types.encoded;
	k->big = types.encoded_big;
	return copy_labels(k, labels, rule, r, err);
}

static zinc_status
categorize_parse(zinc_codec **codec, const zinc_codec_ops *ops, zinc_context *ctx, const zinc_json *configuration,
		 const zinc_rep *in, zinc_rep *out, zinc_report *r, zinc_error *err)
{
	zinc_codec *c;
	zinc_status st;

	ZINC_TRY(zinc_members_parse(members, ops->v2, configuration, NULL, r, err));
	ZINC_TRY(zinc_codec_new(&c, ops, ctx, sizeof(categorize_codec), err));
	st = fill_in((categorize_codec *)c, configuration, in, ops->v2, r, err);
	if (st != ZINC_OK) {
		categorize_free(c);
		return st;
	}
	out->dtype = ((categorize_codec *)c)->encoded;
	out->fill = NULL; /* a string is not a number */
	*codec = c;
	return ZINC_OK;
}

static zinc_status
categorize_print(const zinc_codec *c, zinc_json_doc *doc, zinc_json **out, zinc_error *err)
{
	const categorize_codec *k = (const categorize_codec *)c;
	zinc_json *labels = zinc_json_make(doc, ZINC_JSON_ARRAY);
	size_t i;

	for (i = 0; i < k->nlabels; i++) {
		const zinc_vlen *label = &k->labels[i];

		ZINC_TRY(zinc_json_append(
		    labels, zinc_json_make_stringn(doc, (const char *)label->data, (size_t)label->nbytes), err));
	}
	*out = zinc_json_make(doc, ZINC_JSON_OBJECT);
	ZINC_TRY(zinc_json_set(doc, *out, "labels", labels, err));
	ZINC_TRY(zinc_json_set(doc, *out, "dtype", zinc_json_make_string(doc, k->dtype), err));
	return zinc_recode_print(doc, *out, "astype", k->encoded, k->big, err);
}

/* Another number may be that of no label. */
static bool
categorize_refuses(const zinc_codec *c, double changed)
{
	(void)c;
	return changed > 0;
}

static const zinc_array_ops coder = {
    .encode = categorize_encode,
    .decode = categorize_decode,
    .refuses = categorize_refuses,
};

const zinc_codec_ops zinc_codec_categorize = {
    .name = "numcodecs.categorize",
    .v2 = "categorize",
    .uris = ZINC_CODEC_URIS("categorize"),
    .purpose = "strings as numbers of their labels",
    .kind = ZINC_ARRAY_ARRAY,
    .fixed_size = true,
    .needs_configuration = true,
    .parse = categorize_parse,
    .print = categorize_print,
    .free = categorize_free,
    .array = &coder,
};
