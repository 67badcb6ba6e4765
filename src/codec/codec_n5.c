/*
 * codec_n5.c - a block of N5: a header, then elements that a chain of their own encodes
 *
 *     [mode: 2][n: 2][extent: 4] * n [elements: 4, mode 1 only][elements]      all numbers big-endian
 *
 *     extents 3, 2 of int16, not compressed:
 *     00 00  00 02  00 00 00 03  00 00 00 02  00 01 00 02 00 03 00 04 00 05 00 06
 *
 * Two codecs share these bytes.  They differ in the order of the extents, and in the chain:
 *
 *   n5           the format n5, whose dimensions Zinc shows reversed: so are the extents.    bytes, [compressor]
 *   n5_default   registered for version 3: extents in the order of the array's axes.         transpose, bytes, [codec]
 *
 * Promises (tests/unit/test_codec_n5.c names each by its number):
 *
 * (1) A chunk is written with its own shape, so that a block at the edge has only the elements of the array if the
 *     grid cuts it.
 * (2) A block of another shape is read: elements outside the chunk are dropped, missing ones are the fill value.  One
 *     of more elements than the largest chunk is E_CORRUPT, before memory is allocated for it.
 * (3) A block of another rank, or with a number of elements that its shape does not have, is never read as numbers.
 */
#include <inttypes.h>

#include "codec/codec_parts.h"

enum { MODE_DEFAULT, MODE_VARLENGTH, MODE_OBJECT };

#define HEAD_BYTES   4u
#define EXTENT_BYTES 4u
#define COUNT_BYTES  4u

typedef struct n5_codec {
	zinc_codec codec;
	zinc_chain *inner;
	zinc_rep rep; /* of the largest chunk; only its type and shape are used */
	bool reversed;
} n5_codec;

const zinc_chain *
zinc_codec_n5_chain(const zinc_codec *c)
{
	return c->ops == &zinc_codec_n5 || c->ops == &zinc_codec_n5_default ? ((const n5_codec *)c)->inner : NULL;
}

/* ---- configuration ---- */

static const zinc_member members[] = {{.name = "codecs"}, {.name = NULL}};

/* With one axis no transpose is needed, but it may be there. */
static bool
reverses(const zinc_chain *chain)
{
	int i;

	if (!chain->reorders_only || chain->naa > 1 || (chain->naa == 0 && chain->rep.ndim > 1))
		return false;
	for (i = 0; i < chain->rep.ndim; i++)
		if (chain->axis[i] != chain->rep.ndim - 1 - i)
			return false;
	return true;
}

static bool
is_little(const zinc_chain *chain)
{
	return chain->rep.dtype->unit > 1 &&
	       chain->ab->ops->pack->plain(chain->ab, &chain->ab_rep) != 2 - ZINC_HOST_BIG;
}

bool
zinc_n5_has_type(const char *dtype)
{
	static const char *const names[] = {"int8",   "int16",  "int32",  "int64",   "uint8",
					    "uint16", "uint32", "uint64", "float32", "float64"};
	size_t i;

	for (i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(dtype, names[i]) == 0)
			return true;
	return false;
}

static zinc_status
check_chain(const n5_codec *x, zinc_report *r, zinc_error *err)
{
	const char *name = x->codec.ops->name;
	const zinc_chain *chain = x->inner;

	if (x->reversed ? chain->naa > 0 : !reverses(chain))
		return zinc_report_error(r, name, err,
					 x->reversed ? "the first codec must be bytes"
						     : "the first codec must be a transpose that reverses all axes");
	if (chain->ab->ops != &zinc_codec_bytes || is_little(chain))
		return zinc_report_error(r, name, err, "elements must be encoded by bytes, big-endian");
	if (chain->nbb > 1)
		return zinc_report_error(r, name, err, "at most one codec may follow bytes");
	return ZINC_OK;
}

static zinc_status
check_rep(const n5_codec *x, zinc_report *r, zinc_error *err)
{
	const char *name = x->codec.ops->name;
	int i;

	if (!zinc_n5_has_type(x->rep.dtype->name))
		return zinc_report_error(r, name, err, "N5 has no data type %s", x->rep.dtype->name);
	for (i = 0; i < x->rep.ndim; i++)
		if (x->rep.shape[i] > UINT32_MAX)
			return zinc_report_error(r, name, err, "a block has at most 2^32-1 elements along an axis");
	return ZINC_OK;
}

static zinc_status
parse_chain(n5_codec *x, const zinc_json *configuration, const zinc_rep *in, zinc_report *r, zinc_error *err)
{
	const zinc_json *codecs = zinc_json_member(configuration, "codecs");
	zinc_status st;
	size_t mark;

	ZINC_TRY(zinc_members_check(members, x->codec.ops->name, configuration, r, err));
	if (!codecs)
		return zinc_report_error(r, x->codec.ops->name, err, "\"codecs\" is missing from the configuration");
	mark = zinc_report_enter(r, "codecs");
	st = zinc_chain_parse(&x->inner, x->codec.ctx, codecs, in, r, err);
	if (st == ZINC_OK)
		st = check_chain(x, r, err);
	zinc_report_leave(r, mark);
	return st;
}

static void
n5_free(zinc_codec *c)
{
	zinc_chain_free(((n5_codec *)c)->inner);
	zinc_free(c->ctx, c);
}

static zinc_status
n5_parse(zinc_codec **codec, const zinc_codec_ops *ops, zinc_context *ctx, const zinc_json *configuration,
	 const zinc_rep *in, zinc_rep *out, zinc_report *r, zinc_error *err)
{
	zinc_codec *c;
	n5_codec *x;
	zinc_status st;

	(void)out;
	ZINC_TRY(zinc_codec_new(&c, ops, ctx, sizeof(n5_codec), err));
	x = (n5_codec *)c;
	x->rep = *in;
	x->rep.fill = NULL;
	x->reversed = ops == &zinc_codec_n5;
	st = check_rep(x, r, err);
	if (st == ZINC_OK)
		st = parse_chain(x, configuration, in, r, err);
	if (st == ZINC_OK)
		*codec = c;
	else
		n5_free(c);
	return st;
}

static zinc_status
n5_print(const zinc_codec *c, zinc_json_doc *doc, zinc_json **out, zinc_error *err)
{
	zinc_json *o = zinc_json_make(doc, ZINC_JSON_OBJECT), *list;

	ZINC_TRY(zinc_chain_print(((const n5_codec *)c)->inner, doc, &list, err));
	ZINC_TRY(zinc_json_set(doc, o, "codecs", list, err));
	*out = o;
	return ZINC_OK;
}

/* ---- the header ---- */

static void
put_be(uint8_t *p, uint64_t v, size_t nbytes)
{
	while (nbytes-- > 0) {
		p[nbytes] = (uint8_t)v;
		v >>= 8;
	}
}

static uint32_t
get_be(const uint8_t *p, size_t nbytes)
{
	uint32_t v = 0;

	while (nbytes-- > 0)
		v = v << 8 | *p++;
	return v;
}

static size_t
header_bytes(int ndim)
{
	return HEAD_BYTES + (size_t)ndim * EXTENT_BYTES;
}

static zinc_status
put_header(const n5_codec *x, const zinc_rep *rep, zinc_buf *out, zinc_error *err)
{
	const size_t n = header_bytes(rep->ndim);
	uint8_t *p;
	int i;

	ZINC_TRY(zinc_buf_reserve(out, n, err));
	p = out->p + out->n;
	put_be(p, MODE_DEFAULT, 2);
	put_be(p + 2, (uint64_t)rep->ndim, 2);
	for (i = 0; i < rep->ndim; i++)
		put_be(p + header_bytes(i), rep->shape[x->reversed ? rep->ndim - 1 - i : i], EXTENT_BYTES);
	out->n += n;
	return ZINC_OK;
}

/* Only the format N5 has other modes than the default. */
static zinc_status
check_mode(const n5_codec *x, uint32_t mode, zinc_error *err)
{
	if (mode == MODE_DEFAULT || (mode == MODE_VARLENGTH && x->reversed))
		return ZINC_OK;
	if (mode == MODE_OBJECT && x->reversed)
		return zinc_fail(err, ZINC_E_UNSUPPORTED, "the block holds an object (mode 2), not elements");
	return zinc_fail(err, ZINC_E_CORRUPT, "mode %u in the header of a block", (unsigned)mode);
}

/* The shape of the block: promise (2) and (3). */
static zinc_status
get_shape(const n5_codec *x, zinc_bytes in, zinc_rep *block, zinc_error *err)
{
	size_t nbytes, most;
	int i;

	for (i = 0; i < block->ndim; i++) {
		const uint32_t extent = get_be(in.p + header_bytes(i), EXTENT_BYTES);

		if (extent == 0)
			return zinc_fail(err, ZINC_E_CORRUPT, "a block without elements");
		block->shape[x->reversed ? block->ndim - 1 - i : i] = extent;
	}
	ZINC_TRY(zinc_rep_bytes(&x->rep, &most, err));
	if (zinc_rep_bytes(block, &nbytes, NULL) != ZINC_OK || nbytes > most)
		return zinc_fail(err, ZINC_E_CORRUPT, "the block has more elements than a chunk");
	return ZINC_OK;
}

/* A block of variable length is read if it has one element for each place. */
static zinc_status
check_count(const zinc_rep *block, uint32_t count, zinc_error *err)
{
	size_t nbytes;

	ZINC_TRY(zinc_rep_bytes(block, &nbytes, err));
	if (count == nbytes / block->dtype->size)
		return ZINC_OK;
	return zinc_fail(err, ZINC_E_UNSUPPORTED, "a block of variable length (mode 1) has %u elements for %zu places",
			 (unsigned)count, nbytes / block->dtype->size);
}

/* Read the header; `in` becomes what follows it. */
static zinc_status
get_header(const n5_codec *x, zinc_bytes *in, zinc_rep *block, zinc_error *err)
{
	size_t n = header_bytes(block->ndim);
	uint32_t mode;

	if (in->n < HEAD_BYTES)
		return zinc_fail(err, ZINC_E_CORRUPT, "%zu bytes cannot hold the header of a block", in->n);
	mode = get_be(in->p, 2);
	ZINC_TRY(check_mode(x, mode, err));
	if (get_be(in->p + 2, 2) != (uint32_t)block->ndim)
		return zinc_fail(err, ZINC_E_CORRUPT, "a block of %u dimensions in an array of %d",
				 (unsigned)get_be(in->p + 2, 2), block->ndim);
	if (in->n < n + (mode == MODE_VARLENGTH ? COUNT_BYTES : 0))
		return zinc_fail(err, ZINC_E_CORRUPT, "%zu bytes cannot hold the header of a block", in->n);
	ZINC_TRY(get_shape(x, *in, block, err));
	if (mode == MODE_VARLENGTH) {
		ZINC_TRY(check_count(block, get_be(in->p + n, COUNT_BYTES), err));
		n += COUNT_BYTES;
	}
	*in = (zinc_bytes){in->p + n, in->n - n};
	return ZINC_OK;
}

static zinc_status
n5_shape(const zinc_codec *c, zinc_bytes in, uint64_t *shape, zinc_error *err)
{
	const n5_codec *x = (const n5_codec *)c;
	zinc_rep block = x->rep;

	ZINC_TRY(get_header(x, &in, &block, err));
	memcpy(shape, block.shape, (size_t)block.ndim * sizeof *shape);
	return ZINC_OK;
}

/* ---- elements ---- */

static zinc_status
n5_encode(const zinc_codec *c, zinc_scratch *s, const zinc_rep *rep, const void *in, zinc_buf *out, zinc_error *err)
{
	const n5_codec *x = (const n5_codec *)c;
	zinc_scratch *inner = zinc_scratch_inner(s);
	zinc_view v = {.p = (uint8_t *)(uintptr_t)in};

	if (!inner)
		return zinc_fail_nomem(err);
	ZINC_TRY(put_header(x, rep, out, err));
	zinc_strides_c(rep->shape, rep->ndim, rep->dtype->size, v.strides);
	return zinc_chain_encode(x->inner, inner, rep->shape, &v, out, err);
}

/* Copy the elements that the block and the chunk have in common. */
static void
copy_common(const zinc_rep *block, const zinc_view *v, const zinc_rep *rep, void *out)
{
	int64_t strides[ZINC_MAX_NDIM];
	zinc_copy_dim dims[ZINC_MAX_NDIM];
	int i;

	zinc_strides_c(rep->shape, rep->ndim, rep->dtype->size, strides);
	for (i = 0; i < rep->ndim; i++)
		dims[i] = (zinc_copy_dim){.n = zinc_min_u64(block->shape[i], rep->shape[i]),
					  .dst_stride = strides[i],
					  .src_stride = v->strides[i]};
	zinc_copy_nd(out, v->p, dims, rep->ndim, rep->dtype->size);
}

static void
fill(const zinc_rep *rep, void *out, size_t nbytes)
{
	if (rep->fill)
		zinc_fill_run(out, rep->fill, nbytes / rep->dtype->size, rep->dtype->size);
	else
		memset(out, 0, nbytes);
}

static zinc_status
n5_decode(const zinc_codec *c, zinc_scratch *s, const zinc_rep *rep, zinc_bytes in, void *out, zinc_error *err)
{
	const n5_codec *x = (const n5_codec *)c;
	zinc_scratch *inner = zinc_scratch_inner(s);
	zinc_rep block = *rep;
	zinc_view v;
	size_t nbytes;
	bool whole;

	if (!inner)
		return zinc_fail_nomem(err);
	ZINC_TRY(get_header(x, &in, &block, err));
	whole = memcmp(block.shape, rep->shape, (size_t)rep->ndim * sizeof *rep->shape) == 0;
	ZINC_TRY(zinc_chain_decode(x->inner, inner, block.shape, in, whole ? out : NULL, 0, &v, err));
	if (v.p == (const uint8_t *)out)
		return ZINC_OK;
	ZINC_TRY(zinc_rep_bytes(rep, &nbytes, err));
	if (!whole)
		fill(rep, out, nbytes);
	copy_common(&block, &v, rep, out);
	return ZINC_OK;
}

/* A block may have more elements than its chunk, which the grid cuts at the edge. */
static int
n5_bound(const zinc_codec *c, const zinc_rep *rep, size_t *encoded)
{
	const n5_codec *x = (const n5_codec *)c;
	size_t n;

	if (zinc_chain_bound(x->inner, x->rep.shape, &n) || n > SIZE_MAX - header_bytes(rep->ndim) - COUNT_BYTES)
		return 1;
	*encoded = n + header_bytes(rep->ndim) + COUNT_BYTES;
	return 0;
}

static const zinc_pack_ops coder = {.encode = n5_encode, .decode = n5_decode, .bound = n5_bound, .shape = n5_shape};

const zinc_codec_ops zinc_codec_n5 = {
    .name = "n5",
    .purpose = "blocks of the format n5, with their header",
    .kind = ZINC_ARRAY_BYTES,
    .needs_configuration = true,
    .parse = n5_parse,
    .print = n5_print,
    .free = n5_free,
    .pack = &coder,
};

const zinc_codec_ops zinc_codec_n5_default = {
    .name = "n5_default",
    .purpose = "blocks of N5 in default mode, with their header",
    .kind = ZINC_ARRAY_BYTES,
    .needs_configuration = true,
    .parse = n5_parse,
    .print = n5_print,
    .free = n5_free,
    .pack = &coder,
};
