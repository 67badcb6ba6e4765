/*
 * codec_vlen.c - vlen-utf8, vlen-bytes, vlen-array: elements of variable length, each after its length
 *
 *     [count u32le] then for each element [nbytes u32le][bytes]
 *
 *     "a", "", "é"  ->  03000000  01000000 61  00000000  02000000 c3a9
 *
 * An element of vlen-array is an array of numbers of the type that the configuration names.  It is an element of type
 * bytes here: the numbers as they are stored, without conversion.
 *
 * Promises (tests/unit/test_codec_vlen.c names each by its number):
 *
 * (1) The count must be the chunk's, lengths stay within the bytes, and no byte is left over; strings are valid UTF-8.
 * (2) On writing, invalid UTF-8 and sizes that do not fit the format (4 GiB per element, limits.chunk_bytes in total)
 *     are refused.
 * (3) Decoded elements point into the scratch: they are valid until its next decoding; encoding does not change them.
 * (4) An element of vlen-array is whole numbers.
 */
#include "codec/codec_parts.h"

#define LENGTH_BYTES 4u

typedef struct array_codec {
	zinc_codec codec;
	zinc_recode number; /* `decoded` NULL: the configuration names no type */
} array_codec;

static bool
is_text(const zinc_codec *c)
{
	return c->ops == &zinc_codec_vlen_utf8;
}

/* The bytes of which elements consist. */
static size_t
unit_of(const zinc_codec *c)
{
	const zinc_dtype *t = c->ops == &zinc_codec_vlen_array ? ((const array_codec *)c)->number.decoded : NULL;

	return t ? t->size : 1;
}

static zinc_status
vlen_parse(zinc_codec **codec, const zinc_codec_ops *ops, zinc_context *ctx, const zinc_json *configuration,
	   const zinc_rep *in, zinc_rep *out, zinc_report *r, zinc_error *err)
{
	(void)out;
	if (in->dtype->kind != (ops == &zinc_codec_vlen_utf8 ? ZINC_KIND_STRING : ZINC_KIND_BYTES))
		return zinc_report_error(r, "M65", err, "\"%s\" cannot store elements of type %s", ops->name,
					 in->dtype->name);
	ZINC_TRY(zinc_members_parse(zinc_no_members, ops->name, configuration, NULL, r, err));
	return zinc_codec_new(codec, ops, ctx, sizeof **codec, err);
}

/* zarrs writes one name for both. */
static zinc_status
vlen_v2_parse(zinc_codec **codec, const zinc_codec_ops *ops, zinc_context *ctx, const zinc_json *configuration,
	      const zinc_rep *in, zinc_rep *out, zinc_report *r, zinc_error *err)
{
	(void)ops;
	return vlen_parse(codec, in->dtype->kind == ZINC_KIND_STRING ? &zinc_codec_vlen_utf8 : &zinc_codec_vlen_bytes,
			  ctx, configuration, in, out, r, err);
}

static zinc_status
array_parse(zinc_codec **codec, const zinc_codec_ops *ops, zinc_context *ctx, const zinc_json *configuration,
	    const zinc_rep *in, zinc_rep *out, zinc_report *r, zinc_error *err)
{
	static const zinc_member members[] = {{.name = "dtype"}, {.name = NULL}};
	zinc_recode number = {.decoded = NULL};

	(void)out;
	if (in->dtype->kind != ZINC_KIND_BYTES)
		return zinc_report_error(r, "M65", err, "\"%s\" cannot store elements of type %s", ops->name,
					 in->dtype->name);
	ZINC_TRY(zinc_members_parse(members, ops->v2, configuration, NULL, r, err));
	ZINC_TRY(zinc_recode_type(configuration, "dtype", ops->v2, ctx, &number.decoded, &number.decoded_big, r, err));
	ZINC_TRY(zinc_codec_new(codec, ops, ctx, sizeof(array_codec), err));
	((array_codec *)*codec)->number = number;
	return ZINC_OK;
}

static zinc_status
array_print(const zinc_codec *c, zinc_json_doc *doc, zinc_json **out, zinc_error *err)
{
	const zinc_recode *number = &((const array_codec *)c)->number;

	*out = zinc_json_make(doc, ZINC_JSON_OBJECT);
	if (!number->decoded)
		return ZINC_OK;
	return zinc_recode_print(doc, *out, "dtype", number->decoded, number->decoded_big, err);
}

/* Limited only by memory. */
int
zinc_vlen_packed_bound(const zinc_codec *c, const zinc_rep *rep, size_t *encoded)
{
	const uint64_t most = zinc_context_get(c->ctx)->limits.chunk_bytes;

	(void)rep;
	*encoded = (size_t)zinc_min_u64(most, PTRDIFF_MAX);
	return 0;
}

/* ---- encoding ---- */

static zinc_status
add_length(zinc_buf *out, uint64_t n, zinc_error *err)
{
	uint8_t bytes[LENGTH_BYTES];

	zinc_put_le32(bytes, (uint32_t)n);
	return zinc_buf_add(out, bytes, sizeof bytes, err);
}

static zinc_status
check_element(const zinc_codec *c, const zinc_vlen *v, size_t i, zinc_error *err)
{
	if (v->nbytes > UINT32_MAX)
		return zinc_fail(err, ZINC_E_RANGE, "element %zu has %llu bytes; the length must fit 32 bits", i,
				 (unsigned long long)v->nbytes);
	if (v->nbytes > 0 && !v->data)
		return zinc_fail(err, ZINC_E_INVALID, "element %zu has a length, but no bytes", i);
	if (v->nbytes % unit_of(c) != 0)
		return zinc_fail(err, ZINC_E_RANGE, "element %zu has %llu bytes, which are no whole numbers", i,
				 (unsigned long long)v->nbytes);
	if (is_text(c) && v->nbytes > 0 && !zinc_utf8_valid(v->data, (size_t)v->nbytes))
		return zinc_fail(err, ZINC_E_RANGE, "element %zu is no valid UTF-8", i);
	return ZINC_OK;
}

static zinc_status
vlen_pack(const zinc_codec *c, zinc_scratch *s, const zinc_rep *rep, const void *in, zinc_buf *out, zinc_error *err)
{
	const size_t base = out->n;
	size_t most, n, i;
	zinc_vlen v;

	(void)s;
	(void)zinc_vlen_packed_bound(c, rep, &most);
	ZINC_TRY(zinc_recode_count(rep, &n, err));
	if (n > UINT32_MAX)
		return zinc_fail(err, ZINC_E_RANGE, "a chunk of %zu elements; the count must fit 32 bits", n);
	ZINC_TRY(add_length(out, n, err));
	for (i = 0; i < n; i++) {
		memcpy(&v, (const uint8_t *)in + i * sizeof v, sizeof v);
		ZINC_TRY(check_element(c, &v, i, err));
		if (v.nbytes + LENGTH_BYTES > most - (out->n - base))
			return zinc_fail(err, ZINC_E_LIMIT, "the elements of a chunk have more than %zu bytes", most);
		ZINC_TRY(add_length(out, v.nbytes, err));
		ZINC_TRY(zinc_buf_add(out, v.data, (size_t)v.nbytes, err));
	}
	return ZINC_OK;
}

/* ---- decoding ---- */

/* Read a length from the start of `in`, and move `in` past it. */
static zinc_status
take_length(zinc_bytes *in, size_t *n, zinc_error *err)
{
	if (in->n < LENGTH_BYTES)
		return zinc_fail(err, ZINC_E_CORRUPT, "the elements are truncated");
	*n = zinc_get_le32(in->p);
	in->p += LENGTH_BYTES;
	in->n -= LENGTH_BYTES;
	return ZINC_OK;
}

static zinc_status
take_element(const zinc_codec *c, zinc_bytes *in, size_t i, zinc_vlen *v, zinc_error *err)
{
	size_t n;

	ZINC_TRY(take_length(in, &n, err));
	if (n > in->n)
		return zinc_fail(err, ZINC_E_CORRUPT, "element %zu has %zu bytes, but only %zu are left", i, n, in->n);
	if (n % unit_of(c) != 0)
		return zinc_fail(err, ZINC_E_CORRUPT, "element %zu has %zu bytes, which are no whole numbers", i, n);
	if (is_text(c) && !zinc_utf8_valid((const char *)in->p, n))
		return zinc_fail(err, ZINC_E_CORRUPT, "element %zu is no valid UTF-8", i);
	*v = (zinc_vlen){in->p, n};
	in->p += n;
	in->n -= n;
	return ZINC_OK;
}

static zinc_status
vlen_unpack(const zinc_codec *c, zinc_scratch *s, const zinc_rep *rep, zinc_bytes in, void *out, zinc_error *err)
{
	size_t n, count, i;
	zinc_vlen v;

	ZINC_TRY(zinc_recode_count(rep, &n, err));
	ZINC_TRY(zinc_buf_reset(&s->vlen, 0, err));
	ZINC_TRY(zinc_buf_add(&s->vlen, in.p, in.n, err)); /* `in` may be a buffer that the next encoding overwrites */
	in.p = s->vlen.p;
	ZINC_TRY(take_length(&in, &count, err));
	if (count != n)
		return zinc_fail(err, ZINC_E_CORRUPT, "%zu elements instead of %zu", count, n);
	for (i = 0; i < n; i++) {
		ZINC_TRY(take_element(c, &in, i, &v, err));
		memcpy((uint8_t *)out + i * sizeof v, &v, sizeof v);
	}
	if (in.n > 0)
		return zinc_fail(err, ZINC_E_CORRUPT, "%zu bytes after the last element", in.n);
	return ZINC_OK;
}

static const zinc_pack_ops coder = {
    .encode = vlen_pack,
    .decode = vlen_unpack,
    .bound = zinc_vlen_packed_bound,
};

static const char *const utf8_names[] = {"https://codec.zarrs.dev/array_to_bytes/vlen_utf8", NULL};
static const char *const bytes_names[] = {"https://codec.zarrs.dev/array_to_bytes/vlen_bytes", NULL};
static const char *const array_names[] = {"vlen-array", "https://codec.zarrs.dev/array_to_bytes/vlen_array", NULL};
static const char *const v2_names[] = {"https://codec.zarrs.dev/array_to_bytes/vlen_v2", NULL};

const zinc_codec_ops zinc_codec_vlen_utf8 = {
    .name = "vlen-utf8",
    .aliases = utf8_names,
    .v2 = "vlen-utf8",
    .uris = ZINC_CODEC_URIS("vlen-utf8"),
    .purpose = "strings, each after its length",
    .kind = ZINC_ARRAY_BYTES,
    .parse = vlen_parse,
    .pack = &coder,
};
const zinc_codec_ops zinc_codec_vlen_bytes = {
    .name = "vlen-bytes",
    .aliases = bytes_names,
    .v2 = "vlen-bytes",
    .uris = ZINC_CODEC_URIS("vlen-bytes"),
    .purpose = "bytes of any length, each after its length",
    .kind = ZINC_ARRAY_BYTES,
    .parse = vlen_parse,
    .pack = &coder,
};
const zinc_codec_ops zinc_codec_vlen_array = {
    .name = "numcodecs.vlen-array",
    .aliases = array_names,
    .v2 = "vlen-array",
    .uris = ZINC_CODEC_URIS("vlen-array"),
    .purpose = "arrays of numbers of any length, each after its length",
    .kind = ZINC_ARRAY_BYTES,
    .prints_empty = true,
    .parse = array_parse,
    .print = array_print,
    .pack = &coder,
};
const zinc_codec_ops zinc_codec_zarrs_vlen_v2 = {
    .name = "zarrs.vlen_v2",
    .aliases = v2_names,
    .purpose = "vlen-utf8 or vlen-bytes, as zarrs calls them",
    .kind = ZINC_ARRAY_BYTES,
    .parse = vlen_v2_parse,
};
