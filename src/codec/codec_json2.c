/*
 * codec_json2.c - numcodecs' json2: strings as one JSON list, their type and shape at its end
 *
 *     [["a","b"],["c","d"],"|O",[2,2]]        0-dimensional: ["a","|O",[]]
 *
 * Promises (tests/unit/test_codec_json2.c names each by its number):
 *
 * (1) The list must have as many strings as the chunk has elements, nested as its own shape requires.
 * (2) null and 0, which writers store for missing elements, are empty strings; other objects are E_UNSUPPORTED.
 */
#include "codec/codec_parts.h"

typedef struct json2_codec {
	zinc_codec codec;
	char *configuration; /* as it was written; NULL: none */
} json2_codec;

static const zinc_member members[] = {
    {.name = "encoding"}, {.name = "allow_nan"},  {.name = "check_circular"}, {.name = "ensure_ascii"},
    {.name = "indent"},   {.name = "separators"}, {.name = "skipkeys"},       {.name = "sort_keys"},
    {.name = "strict"},   {.name = NULL}};

static void
json2_free(zinc_codec *c)
{
	zinc_free(c->ctx, ((json2_codec *)c)->configuration);
	zinc_free(c->ctx, c);
}

/* The members describe how Python writes; only the encoding matters to a reader. */
static zinc_status
json2_parse(zinc_codec **codec, const zinc_codec_ops *ops, zinc_context *ctx, const zinc_json *configuration,
	    const zinc_rep *in, zinc_rep *out, zinc_report *r, zinc_error *err)
{
	const zinc_json *encoding = zinc_json_member(configuration, "encoding");
	zinc_codec *c;
	zinc_status st;

	(void)out;
	if (in->dtype->kind != ZINC_KIND_STRING)
		return zinc_report_error(r, "M65", err, "\"%s\" cannot store elements of type %s", ops->name,
					 in->dtype->name);
	ZINC_TRY(zinc_members_parse(members, ops->v2, configuration, NULL, r, err));
	if (encoding && !zinc_json_is_string(encoding, "utf-8") && !zinc_json_is_string(encoding, "utf8") &&
	    !zinc_json_is_string(encoding, "ascii"))
		return zinc_report_unsupported(r, "M20", err, "%s: encodings other than UTF-8 are not supported",
					       ops->name);
	ZINC_TRY(zinc_codec_new(&c, ops, ctx, sizeof(json2_codec), err));
	st = zinc_user_text(&((json2_codec *)c)->configuration, ctx, configuration, err);
	if (st != ZINC_OK) {
		json2_free(c);
		return st;
	}
	*codec = c;
	return ZINC_OK;
}

static zinc_status
json2_print(const zinc_codec *c, zinc_json_doc *doc, zinc_json **out, zinc_error *err)
{
	const char *text = ((const json2_codec *)c)->configuration;

	*out = NULL;
	return text ? zinc_user_json(out, doc, text, err) : ZINC_OK;
}

/* ---- encoding ---- */

/* Print the part of the list from dimension d on; its elements begin at *p. */
static zinc_status
add_part(const zinc_rep *rep, int d, const uint8_t **p, zinc_buf *out, zinc_error *err)
{
	zinc_vlen v;
	uint64_t i;

	if (d < rep->ndim) {
		for (i = 0; i < rep->shape[d]; i++) {
			const bool nested = d + 1 < rep->ndim;

			ZINC_TRY(zinc_buf_puts(out, i == 0 ? nested ? "[" : "" : nested ? ",[" : ",", err));
			ZINC_TRY(add_part(rep, d + 1, p, out, err));
			ZINC_TRY(zinc_buf_puts(out, nested ? "]" : "", err));
		}
		return ZINC_OK;
	}
	memcpy(&v, *p, sizeof v);
	*p += sizeof v;
	if (v.nbytes > 0 && (!v.data || !zinc_utf8_valid(v.data, (size_t)v.nbytes)))
		return zinc_fail(err, ZINC_E_RANGE, "an element is not valid UTF-8");
	return zinc_json_print_string(v.nbytes ? v.data : "", (size_t)v.nbytes, out, err);
}

static zinc_status
json2_pack(const zinc_codec *c, zinc_scratch *s, const zinc_rep *rep, const void *in, zinc_buf *out, zinc_error *err)
{
	const size_t base = out->n;
	const uint8_t *p = in;
	size_t most, n;
	int d;

	(void)s;
	ZINC_TRY(zinc_recode_count(rep, &n, err));
	ZINC_TRY(zinc_buf_puts(out, "[", err));
	ZINC_TRY(add_part(rep, 0, &p, out, err));
	ZINC_TRY(zinc_buf_printf(out, err, "%s\"|O\",[", out->n > base + 1 ? "," : ""));
	for (d = 0; d < rep->ndim; d++)
		ZINC_TRY(zinc_buf_printf(out, err, "%s%llu", d ? "," : "", (unsigned long long)rep->shape[d]));
	ZINC_TRY(zinc_buf_puts(out, "]]", err));
	if (c->ops->pack->bound(c, rep, &most) || out->n - base > most)
		return zinc_fail(err, ZINC_E_LIMIT, "the elements of a chunk have more than %zu bytes", most);
	return ZINC_OK;
}

/* ---- decoding ---- */

typedef struct reading {
	uint64_t shape[ZINC_MAX_NDIM];
	int ndim;
	zinc_buf *into; /* bytes, with room for all */
	uint8_t *out;   /* elements */
	size_t left;    /* how many more are allowed */
} reading;

static zinc_status
read_element(reading *d, const zinc_json *v, zinc_error *err)
{
	zinc_vlen x = {d->into->p + d->into->n, 0};
	uint64_t zero;

	if (d->left == 0)
		return zinc_fail(err, ZINC_E_CORRUPT, "more elements than the chunk has");
	if (zinc_json_is(v, ZINC_JSON_STRING)) {
		x.nbytes = v->n;
		ZINC_TRY(zinc_buf_add(d->into, v->text, v->n, err));
	} else if (!zinc_json_is(v, ZINC_JSON_NULL) && !(zinc_json_u64(v, &zero) && zero == 0)) {
		return zinc_fail(err, ZINC_E_UNSUPPORTED, "an element is not a string");
	}
	memcpy(d->out, &x, sizeof x);
	d->out += sizeof x;
	d->left--;
	return ZINC_OK;
}

/* Read `n` values from `v` on, along dimension k. */
static zinc_status
read_part(reading *d, int k, const zinc_json *v, size_t n, zinc_error *err)
{
	size_t i;

	if (n != (k < d->ndim ? d->shape[k] : 1))
		return zinc_fail(err, ZINC_E_CORRUPT, "a list of %zu values does not match the shape at the end", n);
	for (i = 0; i < n; i++, v = v->next) {
		if (k + 1 >= d->ndim)
			ZINC_TRY(read_element(d, v, err));
		else if (!zinc_json_is(v, ZINC_JSON_ARRAY))
			return zinc_fail(err, ZINC_E_CORRUPT, "the lists are not as deep as the shape at the end");
		else
			ZINC_TRY(read_part(d, k + 1, v->first, v->n, err));
	}
	return ZINC_OK;
}

static zinc_status
read_shape(reading *d, const zinc_json *shape, zinc_error *err)
{
	const zinc_json *v;

	if (!zinc_json_is(shape, ZINC_JSON_ARRAY) || shape->n > ZINC_MAX_NDIM)
		return zinc_fail(err, ZINC_E_CORRUPT, "there is no shape at the end of the list");
	for (v = shape->first; v; v = v->next)
		if (!zinc_json_u64(v, &d->shape[d->ndim++]))
			return zinc_fail(err, ZINC_E_CORRUPT, "the shape at the end of the list is damaged");
	return ZINC_OK;
}

static zinc_status
read_list(reading *d, const zinc_json *root, zinc_error *err)
{
	if (!zinc_json_is(root, ZINC_JSON_ARRAY) || root->n < 2)
		return zinc_fail(err, ZINC_E_CORRUPT, "it is not a list with a type and a shape at its end");
	ZINC_TRY(read_shape(d, root->last, err));
	ZINC_TRY(read_part(d, 0, root->first, root->n - 2, err));
	return d->left == 0 ? ZINC_OK : zinc_fail(err, ZINC_E_CORRUPT, "%zu elements are missing", d->left);
}

static zinc_status
json2_unpack(const zinc_codec *c, zinc_scratch *s, const zinc_rep *rep, zinc_bytes in, void *out, zinc_error *err)
{
	reading d = {.into = &s->vlen, .out = out};
	zinc_json_doc *doc = NULL;
	zinc_status st;

	ZINC_TRY(zinc_recode_count(rep, &d.left, err));
	ZINC_TRY(zinc_buf_reset(&s->vlen, in.n, err)); /* no text is longer than its spelling, so it never moves */
	ZINC_TRY(zinc_json_parse(&doc, c->ctx, (const char *)in.p, in.n, ZINC_JSON_NAN_TOKENS, err));
	st = read_list(&d, zinc_json_root(doc), err);
	zinc_json_free(doc);
	return st;
}

static const zinc_pack_ops coder = {
    .encode = json2_pack,
    .decode = json2_unpack,
    .bound = zinc_vlen_packed_bound,
};

const zinc_codec_ops zinc_codec_json2 = {
    .name = "numcodecs.json2",
    .v2 = "json2",
    .uris = ZINC_CODEC_URIS("json2"),
    .purpose = "strings as a JSON list",
    .kind = ZINC_ARRAY_BYTES,
    .parse = json2_parse,
    .print = json2_print,
    .free = json2_free,
    .pack = &coder,
};
