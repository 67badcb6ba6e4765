/*
 * fuzz_n5_block.c - any bytes as a block of N5
 *
 *     input: [data type][compression][block]
 *
 * Decoding gives elements or E_CORRUPT, E_CHECKSUM, E_UNSUPPORTED.  Elements that were decoded are encoded again and decode
 * to the same.  The chunk at the border, which is smaller, has the elements that the whole chunk has in these places.
 */
#include <stdio.h>
#include <stdlib.h>

#include "codec/codec.h"
#include "fuzz.h"

static const zinc_type types[] = {ZINC_UINT8, ZINC_INT16, ZINC_FLOAT32, ZINC_UINT64};
static const char *const codecs[] = {
    "",
    ",{\"name\":\"gzip\",\"configuration\":{\"level\":1}}",
    ",{\"name\":\"n5_lz4\",\"configuration\":{\"blockSize\":64}}",
    ",{\"name\":\"zstd\",\"configuration\":{\"level\":1,\"checksum\":false}}",
    ",{\"name\":\"numcodecs.lzma\",\"configuration\":{\"format\":1,\"check\":-1,\"preset\":0,\"filters\":null}}",
};

#define ROWS    5
#define COLUMNS 7

/* NULL: the build lacks the library of the compression. */
static zinc_chain *
make_chain(const zinc_dtype *t, size_t which)
{
	zinc_rep rep = {.dtype = t, .ndim = 2, .shape = {ROWS, COLUMNS}};
	zinc_json_doc *doc = NULL;
	zinc_chain *c = NULL;
	zinc_report r;
	char text[400];
	int n;

	n = snprintf(
	    text, sizeof text,
	    "[{\"name\":\"n5\",\"configuration\":{\"codecs\":[{\"name\":\"bytes\",\"configuration\":{\"endian\":"
	    "\"big\"}}%s]}}]",
	    codecs[which]);
	insist(zinc_json_parse(&doc, zinc_context_get(NULL), text, (size_t)n, 0, NULL) == ZINC_OK);
	zinc_report_init(&r, zinc_context_get(NULL), false, "fuzz");
	(void)!zinc_chain_parse(&c, r.ctx, zinc_json_root(doc), &rep, &r, NULL);
	zinc_json_free(doc);
	return c;
}

/* Elements of `shape` in C order; NULL: the block does not decode. */
static uint8_t *
decode(const zinc_chain *c, zinc_scratch *s, const uint64_t *shape, zinc_bytes in)
{
	const size_t n = (size_t)(shape[0] * shape[1]) * c->rep.dtype->size;
	zinc_error err = ZINC_ERROR_INIT;
	uint8_t *out = malloc(n);
	zinc_view v;
	zinc_status st;

	insist(out != NULL);
	st = zinc_chain_decode(c, s, shape, in, out, 0, &v, &err);
	insist(st == ZINC_OK || st == ZINC_E_CORRUPT || st == ZINC_E_CHECKSUM || st == ZINC_E_UNSUPPORTED);
	insist(st != ZINC_OK || v.p == out);
	if (st == ZINC_OK)
		return out;
	free(out);
	return NULL;
}

static void
encode_again(const zinc_chain *c, zinc_scratch *s, const uint64_t *shape, uint8_t *elements)
{
	const size_t n = (size_t)(shape[0] * shape[1]) * c->rep.dtype->size;
	zinc_view v = {.p = elements};
	uint8_t *back;
	zinc_buf out;

	zinc_buf_init(&out, c->ctx, 1u << 20);
	zinc_strides_c(shape, 2, c->rep.dtype->size, v.strides);
	insist(zinc_chain_encode(c, s, shape, &v, &out, NULL) == ZINC_OK);
	back = decode(c, s, shape, (zinc_bytes){out.p, out.n});
	insist(back && memcmp(back, elements, n) == 0);
	free(back);
	zinc_buf_fini(&out);
}

static void
check(const zinc_chain *c, zinc_scratch *s, zinc_bytes in)
{
	static const uint64_t full[] = {ROWS, COLUMNS}, border[] = {2, 3};
	const size_t size = c->rep.dtype->size;
	uint8_t *whole = decode(c, s, full, in), *part = decode(c, s, border, in);
	size_t row;

	insist(!whole == !part);
	for (row = 0; whole && row < border[0]; row++)
		insist(memcmp(part + row * border[1] * size, whole + row * COLUMNS * size, border[1] * size) == 0);
	if (whole) {
		encode_again(c, s, full, whole);
		encode_again(c, s, border, part);
	}
	free(whole);
	free(part);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	zinc_scratch *s = zinc_scratch_get(zinc_context_get(NULL));
	zinc_chain *c;

	insist(s != NULL);
	if (size >= 2) {
		c = make_chain(zinc_dtype_of(types[data[0] % (sizeof types / sizeof *types)]),
			       data[1] % (sizeof codecs / sizeof *codecs));
		if (c)
			check(c, s, (zinc_bytes){data + 2, size - 2});
		zinc_chain_free(c);
	}
	zinc_scratch_put(s);
	return 0;
}
