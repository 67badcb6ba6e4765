/*
 * fuzz_chain.c - any chain of codecs over any bytes
 *
 *     input: [data type][shape][the `codecs` member][NUL][encoded bytes]
 *
 * Apart from not crashing: decoded elements are encoded again and must decode to the same elements, unless a codec is
 * lossy.  Decoding only some elements gives the same values, also from the beginning of the bytes alone if the codec
 * reports that to be enough.
 */
#include <stdlib.h>

#include "codec/codec.h"
#include "fuzz.h"

static const zinc_type types[] = {ZINC_BOOL, ZINC_UINT8, ZINC_INT16, ZINC_FLOAT32, ZINC_UINT64, ZINC_COMPLEX128};

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

/* Must decoded elements be encoded to what decodes to the same? */
static bool
is_exact(const zinc_chain *c)
{
	const zinc_pack_ops *pack = c->ab->ops->pack;

	return (c->reorders_only || c->reshapes_only) && !(pack->loses && pack->loses(c->ab));
}

/* Decoded elements, encoded again, decode to the same. */
static void
check_again(const zinc_chain *c, zinc_scratch *s, const uint8_t *elements, size_t nbytes)
{
	zinc_view v = {.p = (uint8_t *)(uintptr_t)elements};
	uint8_t *again;
	zinc_buf out;

	zinc_buf_init(&out, c->ctx, PTRDIFF_MAX);
	zinc_strides_c(c->rep.shape, c->rep.ndim, c->rep.dtype->size, v.strides);
	if (zinc_chain_encode(c, s, c->rep.shape, &v, &out, NULL) != ZINC_OK || !is_exact(c)) {
		insist(!is_exact(c));
		zinc_buf_fini(&out);
		return;
	}
	insist(zinc_chain_decode(c, s, c->rep.shape, (zinc_bytes){out.p, out.n}, NULL, 0, &v, NULL) == ZINC_OK);
	again = flatten(&c->rep, &v, nbytes);
	insist(memcmp(again, elements, nbytes) == 0);
	free(again);
	zinc_buf_fini(&out);
}

/* Three elements from the start, the third alone, and three from the beginning of the bytes.  `elements` NULL: the
 * chunk does not decode as a whole. */
static void
decode_parts(const zinc_chain *c, zinc_scratch *s, zinc_bytes in, const uint8_t *elements)
{
	const uint64_t *shape = c->rep.shape;
	const size_t size = c->rep.dtype->size;
	bool enough = false;
	zinc_status st;
	zinc_view v;

	st = zinc_chain_decode(c, s, shape, in, NULL, 3, &v, NULL);
	insist(!elements || (st == ZINC_OK && memcmp(v.p, elements, 3 * size) == 0));
	st = zinc_chain_decode_part(c, s, shape, in, NULL, 2, 3, &v, NULL);
	insist(!elements || (st == ZINC_OK && memcmp(v.p + 2 * size, elements + 2 * size, size) == 0));
	in.n -= in.n / 3;
	st = zinc_chain_decode_start(c, s, shape, in, 3, &v, &enough, NULL);
	insist(!elements || !enough || (st == ZINC_OK && memcmp(v.p, elements, 3 * size) == 0));
}

static void
decode(const zinc_chain *c, zinc_scratch *s, zinc_bytes in)
{
	const zinc_rep *rep = &c->rep;
	uint8_t *elements;
	zinc_view v;
	uint64_t n = 0;
	bool some;

	insist(zinc_shape_bytes(rep->shape, rep->ndim, rep->dtype->size, PTRDIFF_MAX, &n) == 0);
	some = (c->naa == 0 || c->reshapes_only) && n >= 3 * rep->dtype->size;
	if (zinc_chain_decode(c, s, rep->shape, in, NULL, 0, &v, NULL) != ZINC_OK) {
		if (some)
			decode_parts(c, s, in, NULL);
		return;
	}
	elements = flatten(rep, &v, (size_t)n);
	if (some)
		decode_parts(c, s, in, elements);
	check_again(c, s, elements, (size_t)n);
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
	zinc_scratch *s;
	zinc_report r;

	if (!end || zinc_json_parse(&doc, ctx, (const char *)data + 2, (size_t)(end - data) - 2, 0, NULL) != ZINC_OK)
		return;
	rep.ndim = shapes[shape].ndim;
	memcpy(rep.shape, shapes[shape].shape, sizeof shapes[shape].shape);
	zinc_report_init(&r, ctx, false, "fuzz");
	if (zinc_chain_parse(&c, ctx, zinc_json_root(doc), &rep, &r, NULL) == ZINC_OK) {
		s = zinc_scratch_get(ctx);
		insist(s != NULL);
		decode(c, s, (zinc_bytes){end + 1, size - (size_t)(end + 1 - data)});
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
