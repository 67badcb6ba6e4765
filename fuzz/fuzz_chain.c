/*
 * fuzz_chain.c - any chain of codecs over any bytes
 *
 *     input: [data type][shape][the `codecs` member][NUL][encoded bytes]
 *
 * The bytes are decoded, and they are also taken as elements, so that codecs whose bytes a fuzzer does not hit upon,
 * such as checksums, are decoded, too.  Apart from not crashing:
 *
 *     - decoded elements, encoded again, decode to the same elements, unless a codec is lossy;
 *     - all elements can be encoded, except by packbits, and decode to the same, unless a codec is lossy; also half a
 *       chunk, if it can be encoded;
 *     - elements encoded twice give the same bytes, also behind others;
 *     - decoding into a buffer gives the same elements;
 *     - decoding only some elements gives the same values, also from the beginning of the bytes alone if the codec
 *       reports that to be enough.
 */
#include <stdlib.h>
#include <string.h>

#include "codec/codec.h"
#include "fuzz.h"

static const zinc_type types[] = {ZINC_BOOL,       ZINC_UINT8, ZINC_INT16,    ZINC_FLOAT32,    ZINC_UINT64,
				  ZINC_COMPLEX128, ZINC_INT4,  ZINC_BFLOAT16, ZINC_FLOAT8_E5M2};

static const struct {
	int ndim;
	uint64_t shape[3];
} shapes[] = {{0, {0}}, {1, {6}}, {1, {300}}, {2, {4, 4}}, {3, {2, 3, 4}}, {2, {0, 5}}, {1, {4096}}};

/* Elements of a view in C order, in separate memory. */
static uint8_t *
flatten(const zinc_rep *rep, const zinc_view *v, size_t nbytes)
{
	zinc_copy_dim dims[ZINC_MAX_NDIM];
	int64_t strides[ZINC_MAX_NDIM];
	uint8_t *p = (uint8_t *)malloc(nbytes + 1);
	int i;

	insist(p != NULL);
	zinc_strides_c(rep->shape, rep->ndim, rep->dtype->size, strides);
	for (i = 0; i < rep->ndim; i++)
		dims[i] = (zinc_copy_dim){.n = rep->shape[i], .dst_stride = strides[i], .src_stride = v->strides[i]};
	if (nbytes)
		zinc_copy_nd(p, v->p, dims, rep->ndim, rep->dtype->size);
	return p;
}

static zinc_view
packed(const zinc_rep *rep, const uint8_t *elements)
{
	zinc_view v = {.p = (uint8_t *)(uintptr_t)elements};

	zinc_strides_c(rep->shape, rep->ndim, rep->dtype->size, v.strides);
	return v;
}

/* Must elements decode to what was encoded? */
static bool
is_exact(const zinc_chain *c)
{
	const zinc_pack_ops *pack = c->ab->ops->pack;
	int i;

	for (i = 0; i < c->naa; i++)
		if (!zinc_codec_reorders(c->aa[i]->ops) && !zinc_codec_reshapes(c->aa[i]->ops))
			return false;
	return !(pack->loses && pack->loses(c->ab)) && (!c->shard || is_exact(c->shard->inner));
}

/* ---- decoding ---- */

/* Three elements from the start, the third alone, some others, and three from the beginning of the bytes.  `elements`
 * NULL: the chunk does not decode as a whole. */
static void
decode_parts(const zinc_chain *c, zinc_scratch *s, const zinc_rep *rep, zinc_bytes in, const uint8_t *elements,
	     uint64_t n)
{
	const uint64_t *shape = rep->shape, parts[][2] = {{0, 3}, {2, 3}, {n / 3, n / 2}, {n - 1, n}};
	const size_t size = rep->dtype->size;
	bool enough = false;
	zinc_status st;
	zinc_view v;
	size_t i;

	for (i = 0; i < sizeof parts / sizeof *parts; i++) {
		const size_t from = (size_t)parts[i][0] * size, to = (size_t)parts[i][1] * size;

		st = zinc_chain_decode_part(c, s, shape, in, NULL, parts[i][0], parts[i][1], &v, NULL);
		insist(!elements || (st == ZINC_OK && memcmp(v.p + from, elements + from, to - from) == 0));
	}
	in.n -= in.n / 3;
	st = zinc_chain_decode_start(c, s, shape, in, 3, &v, &enough, NULL);
	insist(!elements || !enough || (st == ZINC_OK && memcmp(v.p, elements, 3 * size) == 0));
}

/* The elements, also when decoded into a buffer and in part; NULL: they do not decode.  The caller frees them. */
static uint8_t *
decode(const zinc_chain *c, zinc_scratch *s, const zinc_rep *rep, zinc_bytes in, size_t nbytes)
{
	const uint64_t n = nbytes / rep->dtype->size;
	const bool some = (c->naa == 0 || c->reshapes_only) && n >= 3;
	uint8_t *elements = NULL, *into, *again;
	zinc_view v;

	if (zinc_chain_decode(c, s, rep->shape, in, NULL, 0, &v, NULL) == ZINC_OK)
		elements = flatten(rep, &v, nbytes);
	if (some)
		decode_parts(c, s, rep, in, elements, n);
	if (!elements)
		return NULL;
	into = (uint8_t *)malloc(nbytes + 1);
	insist(into && zinc_chain_decode(c, s, rep->shape, in, into, 0, &v, NULL) == ZINC_OK);
	again = flatten(rep, &v, nbytes);
	insist(memcmp(again, elements, nbytes) == 0);
	free(again);
	free(into);
	return elements;
}

/* ---- encoding ---- */

/* Elements are encoded twice, one behind the other, to the same bytes, which decode. */
static zinc_status
check_encoding(const zinc_chain *c, zinc_scratch *s, const zinc_rep *rep, const uint8_t *elements, size_t nbytes)
{
	const zinc_view v = packed(rep, elements);
	zinc_status st;
	uint8_t *again;
	zinc_buf out;
	size_t n;

	zinc_buf_init(&out, c->ctx, PTRDIFF_MAX);
	st = zinc_chain_encode(c, s, rep->shape, &v, &out, NULL);
	if (st == ZINC_OK) {
		n = out.n;
		insist(zinc_chain_encode(c, s, rep->shape, &v, &out, NULL) == ZINC_OK && out.n == 2 * n);
		insist(n == 0 || memcmp(out.p, out.p + n, n) == 0);
		again = decode(c, s, rep, (zinc_bytes){out.p + n, n}, nbytes);
		insist(!is_exact(c) || (again && memcmp(again, elements, nbytes) == 0));
		free(again);
	}
	zinc_buf_fini(&out);
	return st;
}

/* The input, repeated, as elements: bools are 0 or 1, and bits that a type ignores are as they are decoded. */
static uint8_t *
make_elements(const zinc_dtype *t, zinc_bytes in, size_t nbytes)
{
	uint8_t *p = (uint8_t *)malloc(nbytes + 1);
	size_t i;

	insist(p != NULL);
	for (i = 0; i < nbytes; i++) {
		p[i] = in.n ? in.p[i % in.n] : (uint8_t)i;
		if (t->type == ZINC_BOOL)
			p[i] &= 1;
	}
	zinc_dtype_reorder(t, false, p, p, nbytes / t->size);
	return p;
}

static size_t
nbytes_of(const zinc_rep *rep)
{
	uint64_t n = 0;

	insist(zinc_shape_bytes(rep->shape, rep->ndim, rep->dtype->size, PTRDIFF_MAX, &n) == 0);
	return (size_t)n;
}

/* Exact chains encode what they have decoded. */
static void
check_bytes(const zinc_chain *c, zinc_scratch *s, zinc_bytes in)
{
	const size_t n = nbytes_of(&c->rep);
	uint8_t *elements = decode(c, s, &c->rep, in, n);

	insist(!elements || check_encoding(c, s, &c->rep, elements, n) == ZINC_OK || !is_exact(c));
	free(elements);
}

/* Exact chains encode all elements, except that packbits may have no bits for some.  Half a chunk may not suit a codec,
 * such as a shard. */
static void
check_elements(const zinc_chain *c, zinc_scratch *s, zinc_bytes in)
{
	const size_t n = nbytes_of(&c->rep);
	uint8_t *elements = make_elements(c->rep.dtype, in, n);
	zinc_rep half = c->rep;
	zinc_status st;

	if (n > 0) {
		st = check_encoding(c, s, &c->rep, elements, n);
		insist(st == ZINC_OK || st == ZINC_E_RANGE || !is_exact(c));
	}
	if (n > 0 && half.ndim > 0 && half.shape[0] > 1) {
		half.shape[0] /= 2;
		(void)check_encoding(c, s, &half, elements, nbytes_of(&half));
	}
	free(elements);
}

static void
run(zinc_context *ctx, const uint8_t *data, size_t size)
{
	static const uint8_t fill[16];
	const uint8_t *end = (const uint8_t *)memchr(data + 2, 0, size - 2);
	zinc_rep rep = {.dtype = zinc_dtype_of(types[data[0] % (sizeof types / sizeof types[0])]), .fill = fill};
	const size_t shape = data[1] % (sizeof shapes / sizeof shapes[0]);
	zinc_json_doc *doc = NULL;
	zinc_chain *c = NULL;
	zinc_bytes bytes;
	zinc_scratch *s;
	zinc_report r;

	if (!end || zinc_json_parse(&doc, ctx, (const char *)data + 2, (size_t)(end - data) - 2, 0, NULL) != ZINC_OK)
		return;
	rep.ndim = shapes[shape].ndim;
	memcpy(rep.shape, shapes[shape].shape, sizeof shapes[shape].shape);
	zinc_report_init(&r, ctx, false, "fuzz");
	if (zinc_chain_parse(&c, ctx, zinc_json_root(doc), &rep, &r, NULL) == ZINC_OK) {
		bytes = (zinc_bytes){end + 1, size - (size_t)(end + 1 - data)};
		s = zinc_scratch_get(ctx);
		insist(s != NULL);
		check_bytes(c, s, bytes);
		check_elements(c, s, bytes);
		zinc_scratch_put(s);
	}
	zinc_chain_free(c);
	zinc_json_free(doc);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const zinc_limits limits = {.size = sizeof limits, .json_bytes = 4096, .chunk_bytes = 1 << 20};
	zinc_context *ctx = NULL;

	if (size < 3 || zinc_context_new(&ctx, ZINC_CONTEXT_OPTIONS(.threads = 1, .limits = &limits), NULL) != ZINC_OK)
		return 0;
	run(ctx, data, size);
	zinc_context_free(ctx);
	return 0;
}
