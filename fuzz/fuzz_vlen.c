/*
 * fuzz_vlen.c - elements of variable length: any chain over any bytes
 *
 *     input: [0 string, 1 bytes][shape][the `codecs` member][NUL][encoded bytes]
 *
 * Apart from not crashing: decoded strings are valid UTF-8, and decoded elements, encoded again from their memory,
 * decode to the same.
 */
#include <stdlib.h>

#include "codec/codec.h"
#include "fuzz.h"

static const struct {
	int ndim;
	uint64_t shape[2];
} shapes[] = {{0, {0}}, {1, {3}}, {2, {2, 2}}, {2, {4, 3}}, {1, {0}}, {1, {100}}};

/* Elements of a view in C order, with separate bytes. */
static zinc_vlen *
copy_out(const zinc_rep *rep, const zinc_view *v, size_t n)
{
	zinc_vlen *all = (zinc_vlen *)calloc(n + 1, sizeof *all);
	zinc_copy_dim dims[ZINC_MAX_NDIM];
	int64_t strides[ZINC_MAX_NDIM];
	size_t i;
	int d;

	insist(all != NULL);
	zinc_strides_c(rep->shape, rep->ndim, sizeof *all, strides);
	for (d = 0; d < rep->ndim; d++)
		dims[d] = (zinc_copy_dim){.n = rep->shape[d], .dst_stride = strides[d], .src_stride = v->strides[d]};
	if (n > 0)
		zinc_copy_nd(all, v->p, dims, rep->ndim, sizeof *all);
	for (i = 0; i < n; i++) {
		void *p = malloc((size_t)all[i].nbytes + 1);

		insist(p != NULL);
		if (all[i].nbytes > 0)
			memcpy(p, all[i].data, (size_t)all[i].nbytes);
		all[i].data = p;
		if (rep->dtype->kind == ZINC_KIND_STRING)
			insist(zinc_utf8_valid(p, (size_t)all[i].nbytes));
	}
	return all;
}

static void
drop(zinc_vlen *all, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		free((void *)(uintptr_t)all[i].data);
	free(all);
}

static void
decode(const zinc_chain *c, zinc_scratch *s, zinc_bytes in)
{
	const zinc_rep *rep = &c->rep;
	zinc_vlen *first, *again;
	zinc_buf out;
	zinc_view v;
	uint64_t n = 0;
	size_t i;

	insist(zinc_shape_bytes(rep->shape, rep->ndim, 1, SIZE_MAX, &n) == 0);
	if (zinc_chain_decode(c, s, rep->shape, in, NULL, 0, &v, NULL) != ZINC_OK)
		return;
	first = copy_out(rep, &v, (size_t)n);
	zinc_buf_init(&out, c->ctx, PTRDIFF_MAX);
	insist(zinc_chain_encode(c, s, rep->shape, &v, &out, NULL) == ZINC_OK);
	insist(zinc_chain_decode(c, s, rep->shape, (zinc_bytes){out.p, out.n}, NULL, 0, &v, NULL) == ZINC_OK);
	again = copy_out(rep, &v, (size_t)n);
	for (i = 0; i < n; i++)
		insist(first[i].nbytes == again[i].nbytes &&
		       memcmp(first[i].data, again[i].data, (size_t)again[i].nbytes) == 0);
	drop(first, (size_t)n);
	drop(again, (size_t)n);
	zinc_buf_fini(&out);
}

static void
run(zinc_context *ctx, const uint8_t *data, size_t size)
{
	const uint8_t *end = (const uint8_t *)memchr(data + 2, 0, size - 2);
	const size_t shape = data[1] % (sizeof shapes / sizeof shapes[0]);
	const zinc_vlen fill = {"f", 1};
	zinc_rep rep = {.ndim = shapes[shape].ndim, .fill = &fill};
	zinc_json_doc *doc = NULL;
	zinc_chain *c = NULL;
	zinc_scratch *s;
	zinc_report r;

	if (!end || zinc_json_parse(&doc, ctx, (const char *)data + 2, (size_t)(end - data) - 2, 0, NULL) != ZINC_OK)
		return;
	insist(zinc_dtype_parse_text(&rep.dtype, NULL, ctx, data[0] % 2 ? "bytes" : "string", NULL) == ZINC_OK);
	memcpy(rep.shape, shapes[shape].shape, sizeof shapes[shape].shape);
	zinc_report_init(&r, ctx, false, "fuzz");
	if (zinc_chain_parse(&c, ctx, zinc_json_root(doc), &rep, &r, NULL) == ZINC_OK) {
		s = zinc_scratch_get(ctx);
		insist(s != NULL);
		decode(c, s, (zinc_bytes){end + 1, size - (size_t)(end + 1 - data)});
		zinc_scratch_put(s);
	}
	zinc_chain_free(c);
	zinc_dtype_free(rep.dtype);
	zinc_json_free(doc);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const zinc_limits limits = {.size = sizeof limits, .json_bytes = 65536, .chunk_bytes = 1 << 20};
	zinc_context *ctx = NULL;

	if (size < 3 || zinc_context_new(&ctx, ZINC_CONTEXT_OPTIONS(.threads = 1, .limits = &limits), NULL) != ZINC_OK)
		return 0;
	run(ctx, data, size);
	zinc_context_free(ctx);
	return 0;
}
