/*
 * codec_zarrs_vlen.c - zarrs.vlen: offsets and bytes of elements of variable length, each with codecs of its own
 *
 *     start: [bytes of the index u64le][index][data]        index: n + 1 offsets into the data, through index_codecs
 *     end:   [data][index][bytes of the index u64le]        data: all elements one after the other, through data_codecs
 *
 * Data without a byte are not encoded.
 *
 * Promises (tests/unit/test_codec_zarrs_vlen.c names each by its number):
 *
 * (1) The offsets begin with 0, never decrease and end with the size of the data; strings are valid UTF-8; no byte is
 *     left over.
 * (2) Decoded elements point into the scratch: they are valid until its next decoding; encoding does not change them.
 * (3) Codecs that may change offsets or data are refused, and for the data those that need one shape.
 */
#include "codec/codec_parts.h"

#define RULE         "zarrs.vlen"
#define LENGTH_BYTES 8u

typedef struct vlen_codec {
	zinc_codec codec;
	int64_t wide;     /* offsets of 64 bits, else of 32 */
	int64_t at_start; /* the index, else at the end */
	zinc_chain *index, *data;
} vlen_codec;

static const char *const types[] = {"uint32", "uint64", NULL}, *const locations[] = {"end", "start", NULL};
static const zinc_member members[] = {
    {.name = "index_codecs"},
    {.name = "data_codecs"},
    {.name = "index_data_type",
     .type = ZINC_MEMBER_CHOICE,
     .choices = types,
     .required = true,
     .at = offsetof(vlen_codec, wide)},
    {.name = "index_location",
     .type = ZINC_MEMBER_CHOICE,
     .choices = locations,
     .fallback = 1,
     .at = offsetof(vlen_codec, at_start)},
    {.name = NULL},
};

/* ---- configuration ---- */

static void
vlen_free(zinc_codec *c)
{
	vlen_codec *x = (vlen_codec *)c;

	zinc_chain_free(x->index);
	zinc_chain_free(x->data);
	zinc_free(c->ctx, x);
}

static zinc_status
parse_chain(zinc_chain **out, zinc_context *ctx, const zinc_json *configuration, const char *member,
	    const zinc_rep *rep, zinc_report *r, zinc_error *err)
{
	const zinc_json *codecs = zinc_json_member(configuration, member);
	zinc_status st;
	size_t mark;

	if (!codecs)
		return zinc_report_error(r, RULE, err, "\"%s\" is missing from the configuration", member);
	mark = zinc_report_enter(r, member);
	st = zinc_chain_parse(out, ctx, codecs, rep, r, err);
	if (st == ZINC_OK && (*out)->shard)
		st = zinc_report_unsupported(r, RULE, err, "shards inside of \"" RULE "\" are not supported");
	if (st == ZINC_OK)
		st = zinc_chain_check_exact(*out, RULE, r, err);
	zinc_report_leave(r, mark);
	return st;
}

/* The data of each chunk have another size. */
static zinc_status
check_sizes(const zinc_chain *data, zinc_report *r, zinc_error *err)
{
	const zinc_codec *fixed = data->ab->ops->pack->shape ? data->ab : NULL;
	zinc_status st;
	size_t mark;
	int k;

	for (k = 0; k < data->naa && !fixed; k++)
		fixed = zinc_codec_reshapes(data->aa[k]->ops) ? data->aa[k] : NULL;
	if (!fixed)
		return ZINC_OK;
	mark = zinc_report_enter(r, "data_codecs");
	st = zinc_report_error(r, RULE, err, "codec \"%s\" needs one shape, but data have any size", fixed->ops->name);
	zinc_report_leave(r, mark);
	return st;
}

/* The number of offsets of a chunk. */
static int
count_offsets(const zinc_rep *rep, uint64_t *n)
{
	return zinc_shape_bytes(rep->shape, rep->ndim, 1, PTRDIFF_MAX / 16, n) || zinc_u64_add(*n, 1, n);
}

static zinc_status
parse_all(vlen_codec *x, const zinc_json *configuration, const zinc_rep *in, zinc_report *r, zinc_error *err)
{
	zinc_rep index = {.ndim = 1}, data = {.dtype = zinc_dtype_of(ZINC_UINT8), .ndim = 1, .shape = {1}};

	ZINC_TRY(zinc_members_parse(members, RULE, configuration, x, r, err));
	if (in->dtype->kind != ZINC_KIND_STRING && in->dtype->kind != ZINC_KIND_BYTES)
		return zinc_report_error(r, "M65", err, "\"" RULE "\" cannot store elements of type %s",
					 in->dtype->name);
	if (count_offsets(in, &index.shape[0]))
		return zinc_fail(err, ZINC_E_LIMIT, "a chunk has too many elements");
	index.dtype = zinc_dtype_of(x->wide ? ZINC_UINT64 : ZINC_UINT32);
	ZINC_TRY(parse_chain(&x->index, x->codec.ctx, configuration, "index_codecs", &index, r, err));
	ZINC_TRY(parse_chain(&x->data, x->codec.ctx, configuration, "data_codecs", &data, r, err));
	return check_sizes(x->data, r, err);
}

static zinc_status
vlen_parse(zinc_codec **codec, const zinc_codec_ops *ops, zinc_context *ctx, const zinc_json *configuration,
	   const zinc_rep *in, zinc_rep *out, zinc_report *r, zinc_error *err)
{
	zinc_codec *c;
	zinc_status st;

	(void)out;
	ZINC_TRY(zinc_codec_new(&c, ops, ctx, sizeof(vlen_codec), err));
	st = parse_all((vlen_codec *)c, configuration, in, r, err);
	if (st == ZINC_OK)
		*codec = c;
	else
		vlen_free(c);
	return st;
}

static zinc_status
vlen_print(const zinc_codec *c, zinc_json_doc *doc, zinc_json **out, zinc_error *err)
{
	const vlen_codec *x = (const vlen_codec *)c;
	zinc_json *o = *out = zinc_json_make(doc, ZINC_JSON_OBJECT), *list;

	ZINC_TRY(zinc_chain_print(x->index, doc, &list, err));
	ZINC_TRY(zinc_json_set(doc, o, "index_codecs", list, err));
	ZINC_TRY(zinc_chain_print(x->data, doc, &list, err));
	ZINC_TRY(zinc_json_set(doc, o, "data_codecs", list, err));
	ZINC_TRY(zinc_json_set(doc, o, "index_data_type", zinc_json_make_string(doc, types[x->wide]), err));
	return zinc_json_set(doc, o, "index_location", zinc_json_make_string(doc, locations[x->at_start]), err);
}

/* ---- offsets ---- */

static uint64_t
get_offset(const vlen_codec *x, const uint8_t *offsets, size_t i)
{
	uint64_t wide;
	uint32_t narrow;

	if (x->wide) {
		memcpy(&wide, offsets + 8 * i, 8);
		return wide;
	}
	memcpy(&narrow, offsets + 4 * i, 4);
	return narrow;
}

static void
put_offset(const vlen_codec *x, uint8_t *offsets, size_t i, uint64_t v)
{
	const uint32_t narrow = (uint32_t)v;

	if (x->wide)
		memcpy(offsets + 8 * i, &v, 8);
	else
		memcpy(offsets + 4 * i, &narrow, 4);
}

/* ---- encoding ---- */

static zinc_status
check_element(const zinc_rep *rep, const zinc_vlen *v, size_t i, zinc_error *err)
{
	if (v->nbytes > 0 && !v->data)
		return zinc_fail(err, ZINC_E_INVALID, "element %zu has a length, but no bytes", i);
	if (rep->dtype->kind == ZINC_KIND_STRING && v->nbytes > 0 && !zinc_utf8_valid(v->data, (size_t)v->nbytes))
		return zinc_fail(err, ZINC_E_RANGE, "element %zu is no valid UTF-8", i);
	return ZINC_OK;
}

/* Put the offsets into `offsets` and the bytes into `data`. */
static zinc_status
gather(const vlen_codec *x, const zinc_rep *rep, const uint8_t *in, size_t n, zinc_buf *offsets, zinc_buf *data,
       zinc_error *err)
{
	zinc_vlen v;
	size_t i;

	ZINC_TRY(zinc_buf_reset(offsets, (n + 1) * (x->wide ? 8 : 4), err));
	data->n = 0;
	(void)zinc_vlen_packed_bound(&x->codec, rep, &data->max);
	put_offset(x, offsets->p, 0, 0);
	for (i = 0; i < n; i++) {
		memcpy(&v, in + i * sizeof v, sizeof v);
		ZINC_TRY(check_element(rep, &v, i, err));
		if (v.nbytes > data->max - data->n || (!x->wide && v.nbytes > UINT32_MAX - data->n))
			return zinc_fail(err, ZINC_E_LIMIT, "the elements of a chunk have too many bytes");
		ZINC_TRY(zinc_buf_add(data, v.data, (size_t)v.nbytes, err));
		put_offset(x, offsets->p, i + 1, data->n);
	}
	return ZINC_OK;
}

/* Encode `n` elements of `size` bytes by a chain of one dimension. */
static zinc_status
encode_row(const zinc_chain *c, zinc_scratch *s, uint8_t *p, uint64_t n, size_t size, zinc_buf *out, zinc_error *err)
{
	const zinc_view row = {.p = p, .strides = {(int64_t)size}};

	return n > 0 ? zinc_chain_encode(c, s, &n, &row, out, err) : ZINC_OK;
}

static zinc_status
vlen_pack(const zinc_codec *c, zinc_scratch *s, const zinc_rep *rep, const void *in, zinc_buf *out, zinc_error *err)
{
	const vlen_codec *x = (const vlen_codec *)c;
	zinc_scratch *inner = zinc_scratch_inner(s);
	uint8_t length[LENGTH_BYTES] = {0};
	size_t n, at = out->n;

	if (!inner)
		return zinc_fail_nomem(err);
	ZINC_TRY(zinc_recode_count(rep, &n, err));
	ZINC_TRY(gather(x, rep, (const uint8_t *)in, n, &s->index, &inner->vlen, err));
	if (!x->at_start)
		ZINC_TRY(encode_row(x->data, inner, inner->vlen.p, inner->vlen.n, 1, out, err));
	else
		ZINC_TRY(zinc_buf_add(out, length, sizeof length, err));
	if (!x->at_start)
		at = out->n;
	ZINC_TRY(encode_row(x->index, inner, s->index.p, n + 1, x->wide ? 8 : 4, out, err));
	zinc_put_le64(length, out->n - at - (x->at_start ? sizeof length : 0));
	if (!x->at_start)
		return zinc_buf_add(out, length, sizeof length, err);
	memcpy(out->p + at, length, sizeof length);
	return encode_row(x->data, inner, inner->vlen.p, inner->vlen.n, 1, out, err);
}

/* ---- decoding ---- */

/* Split the chunk into the encoded index and the encoded data. */
static zinc_status
split(const vlen_codec *x, zinc_bytes in, zinc_bytes *index, zinc_bytes *data, zinc_error *err)
{
	uint64_t length;

	if (in.n < LENGTH_BYTES)
		return zinc_fail(err, ZINC_E_CORRUPT, "%zu bytes cannot hold the length of an index", in.n);
	length = zinc_get_le64(x->at_start ? in.p : in.p + in.n - LENGTH_BYTES);
	in.p += x->at_start ? LENGTH_BYTES : 0;
	in.n -= LENGTH_BYTES;
	if (length > in.n)
		return zinc_fail(err, ZINC_E_CORRUPT, "the index is longer than the chunk");
	*index = (zinc_bytes){x->at_start ? in.p : in.p + in.n - length, (size_t)length};
	*data = (zinc_bytes){x->at_start ? in.p + length : in.p, in.n - (size_t)length};
	return ZINC_OK;
}

/* Decode `n` elements of `size` bytes into `to`, by a chain of one dimension. */
static zinc_status
decode_row(const zinc_chain *c, zinc_scratch *s, uint64_t n, size_t size, zinc_bytes in, zinc_buf *to, zinc_error *err)
{
	zinc_view row;
	size_t most;

	if (zinc_chain_bound(c, &n, &most) || in.n > most || (c->fixed_size && in.n != most))
		return zinc_fail(err, ZINC_E_CORRUPT, "%zu bytes for %llu elements", in.n, (unsigned long long)n);
	ZINC_TRY(zinc_buf_reset(to, (size_t)n * size, err));
	ZINC_TRY(zinc_chain_decode(c, s, &n, in, to->p, 0, &row, err));
	if (row.p != to->p)
		memcpy(to->p, row.p, (size_t)n * size);
	return ZINC_OK;
}

/* (1) */
static zinc_status
take_elements(const vlen_codec *x, const zinc_rep *rep, const uint8_t *offsets, size_t n, const zinc_buf *data,
	      uint8_t *out, zinc_error *err)
{
	uint64_t from = 0, end;
	zinc_vlen v;
	size_t i;

	for (i = 0; i < n; i++, from = end) {
		end = get_offset(x, offsets, i + 1);
		if (end < from || end > data->n)
			return zinc_fail(err, ZINC_E_CORRUPT, "the offset of element %zu is out of order", i);
		v = (zinc_vlen){end > from ? data->p + from : NULL, end - from};
		if (rep->dtype->kind == ZINC_KIND_STRING && !zinc_utf8_valid(v.data, (size_t)v.nbytes))
			return zinc_fail(err, ZINC_E_CORRUPT, "element %zu is no valid UTF-8", i);
		memcpy(out + i * sizeof v, &v, sizeof v);
	}
	return ZINC_OK;
}

static zinc_status
vlen_unpack(const zinc_codec *c, zinc_scratch *s, const zinc_rep *rep, zinc_bytes in, void *out, zinc_error *err)
{
	const vlen_codec *x = (const vlen_codec *)c;
	zinc_scratch *inner = zinc_scratch_inner(s);
	zinc_bytes index, data;
	uint64_t total;
	size_t n, most;

	if (!inner)
		return zinc_fail_nomem(err);
	(void)zinc_vlen_packed_bound(c, rep, &most);
	ZINC_TRY(zinc_recode_count(rep, &n, err));
	ZINC_TRY(split(x, in, &index, &data, err));
	ZINC_TRY(decode_row(x->index, inner, (uint64_t)n + 1, x->wide ? 8 : 4, index, &s->index, err));
	total = get_offset(x, s->index.p, n);
	if (get_offset(x, s->index.p, 0) != 0 || total > most || (total == 0 && data.n > 0))
		return zinc_fail(err, ZINC_E_CORRUPT, "the index does not fit the data");
	ZINC_TRY(zinc_buf_reset(&s->vlen, 0, err));
	if (total > 0)
		ZINC_TRY(decode_row(x->data, inner, total, 1, data, &s->vlen, err));
	s->vlen.n = (size_t)total;
	return take_elements(x, rep, s->index.p, n, &s->vlen, (uint8_t *)out, err);
}

static const zinc_pack_ops coder = {
    .encode = vlen_pack,
    .decode = vlen_unpack,
    .bound = zinc_vlen_packed_bound,
};

static const char *const aliases[] = {"https://codec.zarrs.dev/array_to_bytes/vlen", NULL};

const zinc_codec_ops zinc_codec_zarrs_vlen = {
    .name = "zarrs.vlen",
    .aliases = aliases,
    .purpose = "texts and bytes as offsets and data, each with its codecs",
    .kind = ZINC_ARRAY_BYTES,
    .needs_configuration = true,
    .parse = vlen_parse,
    .print = vlen_print,
    .free = vlen_free,
    .pack = &coder,
};
