/*
 * chain_code.c - encode and decode the elements of a chunk
 *
 * Promises (tests/unit/test_chain.c names each by its number):
 *
 * (5) A chunk decodes to exactly the elements that were encoded, or not at all: too few, too many or unused bytes are
 *     E_CORRUPT, a wrong checksum is E_CHECKSUM, and the error names the codec.
 * (6) Bytes are copied only if a codec or the order of axes moves them: the last codec writes into the destination, and
 *     elements stored as they are in memory are not copied at all.
 * (7) From the second chunk on, nothing is allocated (except by compression libraries).
 * (8) The same elements always give the same bytes.
 * (9) Elements that would be stored as something that does not decode are E_RANGE: no chunk is written that nobody can
 *     read.
 *
 * A decoded chunk that is part of the encoded bytes may begin at any address, even an odd one.  Code that needs aligned
 * elements must copy them.
 */
#include <stdlib.h>

#include "codec/codec_parts.h"

/* ---- representations of one chunk, which may be smaller than the largest ---- */

/* The decoded side of array->array codec k; k == naa: the decoded side of the array->bytes codec.  E_CORRUPT: a codec
 * cannot reshape this chunk. */
static zinc_status
stage_rep(const zinc_chain *c, int k, const uint64_t *shape, zinc_rep *out, zinc_error *err)
{
	const zinc_rep *rep = k < c->naa ? &c->aa_rep[k] : &c->ab_rep;
	zinc_status st;
	int j;

	out->dtype = rep->dtype;
	out->fill = rep->fill;
	out->ndim = c->rep.ndim;
	memcpy(out->shape, shape, (size_t)out->ndim * sizeof *shape);
	for (j = 0; j < k; j++) {
		st = zinc_codec_encoded_shape(c->aa[j], out, err);
		if (st != ZINC_OK)
			return zinc_error_at_codec(err, st, c->aa[j]->ops->name);
	}
	if (out->ndim != rep->ndim)
		return zinc_fail(err, ZINC_E_UNSUPPORTED, "codecs give this chunk %d dimensions, but others %d",
				 out->ndim, rep->ndim);
	return ZINC_OK;
}

/* Does the chain keep the axes in order?  Two transposes may undo each other. */
static bool
keeps_axes(const zinc_chain *c)
{
	int i;

	for (i = 0; i < c->rep.ndim; i++)
		if (c->axis[i] != i)
			return false;
	return true;
}

/* The maximum number of bytes after the first `nbb` bytes->bytes codecs. */
static int
stage_bound(const zinc_chain *c, const zinc_rep *rep, int nbb, size_t *encoded)
{
	int i;

	if (c->ab->ops->pack->bound(c->ab, rep, encoded))
		return 1;
	for (i = 0; i < nbb; i++)
		if (c->bb[i]->ops->bytes->bound(c->bb[i], *encoded, encoded))
			return 1;
	return 0;
}

/* Is the size before bytes->bytes codec `nbb` determined by the shape alone? */
static bool
is_fixed(const zinc_chain *c, int nbb)
{
	bool fixed = c->ab->ops->fixed_size;
	int i;

	for (i = 0; i < nbb; i++)
		fixed = fixed && c->bb[i]->ops->fixed_size;
	return fixed;
}

int
zinc_chain_bound(const zinc_chain *c, const uint64_t *shape, size_t *encoded)
{
	zinc_rep rep;

	return stage_rep(c, c->naa, shape, &rep, NULL) != ZINC_OK || stage_bound(c, &rep, c->nbb, encoded);
}

zinc_status
zinc_chain_check_shape(const zinc_chain *c, const uint64_t *shape, zinc_error *err)
{
	zinc_rep rep;
	zinc_status st = stage_rep(c, c->naa, shape, &rep, err);

	if (st == ZINC_E_CORRUPT && err) /* nothing stored is */
		err->code = ZINC_E_UNSUPPORTED;
	return st == ZINC_E_CORRUPT ? ZINC_E_UNSUPPORTED : st;
}

zinc_status
zinc_chain_stored_shape(const zinc_chain *c, zinc_bytes in, uint64_t *shape, zinc_error *err)
{
	const zinc_pack_ops *ops = c->ab->ops->pack;

	return c->naa > 0 || c->nbb > 0 || !ops->shape ? ZINC_OK : ops->shape(c->ab, in, shape, err);
}

static int
plain(const zinc_chain *c, const zinc_rep *rep)
{
	const zinc_pack_ops *ops = c->ab->ops->pack;

	return ops->plain ? ops->plain(c->ab, rep) : 0;
}

int
zinc_chain_plain(const zinc_chain *c)
{
	return c->nbb == 0 && c->reorders_only ? plain(c, &c->ab_rep) : 0;
}

bool
zinc_chain_verifies(const zinc_chain *c)
{
	const zinc_chain *inner = c->shard ? c->shard->inner : c->ab ? zinc_codec_n5_chain(c->ab) : NULL;
	int i;

	for (i = 0; i < c->nbb; i++) {
		const zinc_bytes_ops *ops = c->bb[i]->ops->bytes;

		if (ops->strip_trailer || (ops->verifies && ops->verifies(c->bb[i])))
			return true;
	}
	return inner && zinc_chain_verifies(inner);
}

/* The caller's memory as a buffer that cannot grow: its capacity is its maximum, and it is never freed. */
static zinc_buf
wrap(void *p, size_t nbytes)
{
	return (zinc_buf){.p = (uint8_t *)p, .cap = nbytes, .max = nbytes, .borrowed = true, .bare = true};
}

/* The one of the two buffers that is not `held`. */
static zinc_buf *
other(zinc_scratch *s, const zinc_buf *held)
{
	return held == &s->a ? &s->b : &s->a;
}

/*
 * ---- decoding ----
 *
 *     in -> bb[n-1] -> ... -> bb[1] -> bb[0] -> ab -> aa[n-1] -> ... -> aa[0] -> elements
 *           between s->a and s->b      |________|
 *                                      one step if ab's bytes are the elements: bb[0] writes into the final buffer
 *
 * The shape and the bounds of the codecs before a stage limit the size of its result, so a decompression bomb in any
 * stage ends at that size.  If all codecs before it have a fixed size, the size is known exactly.
 */

/* The state of one decoding. */
typedef struct decoding {
	const zinc_chain *c;
	zinc_scratch *s;
	zinc_rep rep;  /* decoded side of the array->bytes codec */
	size_t nbytes; /* of all its elements */
	size_t need;   /* bytes needed from the start */
	size_t skip;   /* bytes not needed at the start */
	int plain;
	void *into;        /* the destination, or NULL */
	zinc_bytes cur;    /* the result so far */
	zinc_buf *held;    /* the scratch's buffer that holds it, or NULL */
	uint8_t *elements; /* elements in the final buffer, or NULL */
	zinc_error *err;
} decoding;

/* The buffer for the final elements. */
static zinc_status
final_buffer(decoding *d, zinc_buf *out)
{
	if (d->into) {
		*out = wrap(d->into, d->nbytes);
		return ZINC_OK;
	}
	d->s->decoded.max = d->nbytes;
	ZINC_TRY(zinc_buf_reset(&d->s->decoded, d->nbytes, d->err));
	*out = wrap(d->s->decoded.p, d->nbytes);
	return ZINC_OK;
}

/* Undo bytes->bytes codec i.  Codec 0 may stop early, and writes into the final buffer if its bytes are the
 * elements. */
static zinc_status
decode_stage(decoding *d, int i)
{
	const zinc_codec *codec = d->c->bb[i];
	size_t most, exact;
	zinc_buf *to, final;

	if (codec->ops->bytes->strip_trailer)
		return codec->ops->bytes->strip_trailer(codec, d->cur, &d->cur, d->err);
	if (stage_bound(d->c, &d->rep, i, &most))
		return zinc_fail(d->err, ZINC_E_LIMIT, "a chunk is larger than the address space");
	exact = is_fixed(d->c, i) ? most : SIZE_MAX;
	if (i == 0 && d->plain) {
		ZINC_TRY(final_buffer(d, &final));
		ZINC_TRY(
		    codec->ops->bytes->decode_part && d->skip
			? codec->ops->bytes->decode_part(codec, d->s, d->cur, &final, exact, d->skip, d->need, d->err)
			: codec->ops->bytes->decode(codec, d->s, d->cur, &final, exact, d->need, d->err));
		d->cur = (zinc_bytes){final.p, final.n};
		d->elements = final.p;
		return ZINC_OK;
	}
	to = other(d->s, d->held);
	to->max = most;
	ZINC_TRY(zinc_buf_reset(to, exact == SIZE_MAX ? 0 : exact, d->err));
	ZINC_TRY(codec->ops->bytes->decode(codec, d->s, d->cur, to, exact, exact, d->err));
	d->cur = (zinc_bytes){to->p, to->n};
	d->held = to;
	return ZINC_OK;
}

/* Handle bytes that are elements: they are already in the final buffer, or are copied there, or stay where they are. */
static zinc_status
place_plain(decoding *d)
{
	const size_t size = d->rep.dtype->size;
	zinc_buf final;

	if (!d->elements && d->cur.n != d->nbytes)
		return zinc_fail_rule(d->err, ZINC_E_CORRUPT, "M72", "%zu bytes instead of %zu", d->cur.n, d->nbytes);
	if (!d->elements && d->plain == 1 && !d->into) {
		d->elements = (uint8_t *)(uintptr_t)d->cur.p; /* the view is read-only */
		return ZINC_OK;
	}
	if (!d->elements) {
		ZINC_TRY(final_buffer(d, &final));
		d->elements = final.p;
		if (d->plain == 1 && d->need)
			memcpy(final.p, d->cur.p, d->need);
	}
	if (d->plain == 2)
		zinc_dtype_swap(d->rep.dtype, d->elements + d->skip, d->cur.p + d->skip, (d->need - d->skip) / size);
	return ZINC_OK;
}

/* Run the array->bytes codec into the final buffer. */
static zinc_status
unpack(decoding *d)
{
	const zinc_codec *ab = d->c->ab;
	zinc_buf final;

	if (d->plain)
		return place_plain(d);
	ZINC_TRY(final_buffer(d, &final));
	d->elements = final.p;
	return ab->ops->pack->decode(ab, d->s, &d->rep, d->cur, final.p, d->err);
}

/* Decode to elements in C order of the array->bytes codec's decoded side, at d->elements. */
static zinc_status
decode_packed(decoding *d, uint64_t skip, uint64_t need)
{
	const zinc_chain *c = d->c;
	zinc_status st;
	int i;

	ZINC_TRY(zinc_rep_bytes(&d->rep, &d->nbytes, d->err));
	d->plain = plain(c, &d->rep);
	d->need = d->nbytes;
	if (need && d->plain && need < d->nbytes / d->rep.dtype->size)
		d->need = (size_t)need * d->rep.dtype->size;
	if (d->plain && skip < d->need / d->rep.dtype->size)
		d->skip = (size_t)skip * d->rep.dtype->size;
	for (i = c->nbb; i-- > 0;) {
		st = decode_stage(d, i);
		if (st != ZINC_OK)
			return zinc_error_at_codec(d->err, st, c->bb[i]->ops->name);
	}
	st = unpack(d);
	return st == ZINC_OK ? st : zinc_error_at_codec(d->err, st, c->ab->ops->name);
}

static void
copy_dims(zinc_copy_dim *dims, const zinc_rep *rep, const int64_t *dst, const int64_t *src)
{
	int i;

	for (i = 0; i < rep->ndim; i++)
		dims[i] = (zinc_copy_dim){.n = rep->shape[i], .dst_stride = dst[i], .src_stride = src[i]};
}

/* Undo a reordering codec by a copy; `rep` is its decoded side. */
static void
reorder_back(const zinc_rep *rep, const int *order, const void *in, void *out)
{
	zinc_copy_dim dims[ZINC_MAX_NDIM];
	int64_t dst[ZINC_MAX_NDIM], src[ZINC_MAX_NDIM], encoded[ZINC_MAX_NDIM];
	uint64_t shape[ZINC_MAX_NDIM];
	int i;

	for (i = 0; i < rep->ndim; i++)
		shape[i] = rep->shape[order[i]];
	zinc_strides_c(rep->shape, rep->ndim, rep->dtype->size, dst);
	zinc_strides_c(shape, rep->ndim, rep->dtype->size, encoded);
	for (i = 0; i < rep->ndim; i++)
		src[order[i]] = encoded[i];
	copy_dims(dims, rep, dst, src);
	zinc_copy_nd(out, in, dims, rep->ndim, rep->dtype->size);
}

/* Undo array->array codecs one by one, between the scratch's buffers; the last one writes to `into`. */
static zinc_status
decode_arrays(decoding *d, const uint64_t *shape, void *into)
{
	const zinc_chain *c = d->c;
	zinc_buf *to = other(d->s, d->held);
	zinc_status st;
	zinc_rep rep;
	uint8_t *p;
	int k;

	for (k = c->naa; k-- > 0;) {
		const int *order = zinc_codec_order(c->aa[k]);
		const zinc_codec_ops *ops = c->aa[k]->ops;
		size_t nbytes;

		if (zinc_codec_reshapes(ops) && (k > 0 || !into))
			continue; /* the elements stay where they are */
		ZINC_TRY(stage_rep(c, k, shape, &rep, d->err));
		ZINC_TRY(zinc_rep_bytes(&rep, &nbytes, d->err));
		to->max = nbytes;
		if (k > 0 || !into)
			ZINC_TRY(zinc_buf_reset(to, nbytes, d->err));
		p = k == 0 && into ? (uint8_t *)into : to->p;
		st = ZINC_OK;
		if (order)
			reorder_back(&rep, order, d->elements, p);
		else if (zinc_codec_reshapes(ops))
			memmove(p, d->elements, nbytes);
		else
			st = ops->array->decode(c->aa[k], d->s, &rep, d->elements, p, d->err);
		if (st != ZINC_OK)
			return zinc_error_at_codec(d->err, st, ops->name);
		d->elements = p;
		to = other(d->s, to);
	}
	return ZINC_OK;
}

/* The elements are in C order of the array->bytes codec's decoded side, which reshaping does not change. */
static void
strides_of(const decoding *d, const uint64_t *shape, zinc_view *out)
{
	int64_t strides[ZINC_MAX_NDIM];
	int i;

	if (d->c->reshapes_only) {
		zinc_strides_c(shape, d->c->rep.ndim, d->rep.dtype->size, out->strides);
		return;
	}
	zinc_strides_c(d->rep.shape, d->rep.ndim, d->rep.dtype->size, strides);
	for (i = 0; i < d->rep.ndim; i++)
		out->strides[d->c->axis[i]] = strides[i];
}

zinc_status
zinc_chain_decode(const zinc_chain *c, zinc_scratch *s, const uint64_t *shape, zinc_bytes in, void *into, uint64_t need,
		  zinc_view *out, zinc_error *err)
{
	return zinc_chain_decode_part(c, s, shape, in, into, 0, need, out, err);
}

zinc_status
zinc_chain_decode_part(const zinc_chain *c, zinc_scratch *s, const uint64_t *shape, zinc_bytes in, void *into,
		       uint64_t skip, uint64_t need, zinc_view *out, zinc_error *err)
{
	decoding d = {.c = c, .s = s, .cur = in, .err = err};

	ZINC_TRY(stage_rep(c, c->naa, shape, &d.rep, err));
	if (!c->reorders_only && !c->reshapes_only) {
		ZINC_TRY(decode_packed(&d, 0, 0));
		ZINC_TRY(decode_arrays(&d, shape, into));
		zinc_strides_c(shape, c->rep.ndim, c->rep.dtype->size, out->strides);
	} else {
		d.into = keeps_axes(c) ? into : NULL;
		ZINC_TRY(decode_packed(&d, skip, need));
		strides_of(&d, shape, out);
	}
	out->p = d.elements;
	return ZINC_OK;
}

/* ---- decoding the beginning ---- */

/* The largest block of the codecs that support this, and by how much a block may be longer than its content. */
#define START_BLOCK (128 * (size_t)1024)
#define START_EXTRA 64

static bool
can_start(const zinc_chain *c, const zinc_rep *rep)
{
	return (c->reorders_only || c->reshapes_only) && c->nbb == 1 && c->bb[0]->ops->bytes->decode_start &&
	       plain(c, rep);
}

bool
zinc_chain_can_decode_start(const zinc_chain *c, const uint64_t *shape, uint64_t need, bool unverified, size_t *nbytes)
{
	zinc_rep rep;
	size_t all, n;

	if (stage_rep(c, c->naa, shape, &rep, NULL) != ZINC_OK || need == 0 || !can_start(c, &rep) ||
	    (c->bb[0]->ops->bytes->starts_unverified && !unverified) || zinc_rep_bytes(&rep, &all, NULL) != ZINC_OK)
		return false;
	n = (size_t)need * rep.dtype->size; /* at most `all`, which fits */
	*nbytes = n + n / START_EXTRA + 2 * START_BLOCK;
	return n < all && *nbytes < all;
}

zinc_status
zinc_chain_decode_start(const zinc_chain *c, zinc_scratch *s, const uint64_t *shape, zinc_bytes in, uint64_t need,
			zinc_view *out, bool *enough, zinc_error *err)
{
	decoding d = {.c = c, .s = s, .err = err};
	zinc_buf final;

	*enough = false;
	ZINC_TRY(stage_rep(c, c->naa, shape, &d.rep, err));
	if (!can_start(c, &d.rep))
		return ZINC_OK;
	ZINC_TRY(zinc_rep_bytes(&d.rep, &d.nbytes, err));
	d.plain = plain(c, &d.rep);
	d.need = (size_t)need * d.rep.dtype->size;
	ZINC_TRY(final_buffer(&d, &final));
	ZINC_TRY(c->bb[0]->ops->bytes->decode_start(c->bb[0], s, in, &final, d.need, enough, err));
	d.cur = (zinc_bytes){final.p, final.n};
	d.elements = final.p;
	strides_of(&d, shape, out);
	out->p = d.elements;
	return *enough ? place_plain(&d) : ZINC_OK;
}

/*
 * ---- encoding ----
 *
 *     elements -> aa[0] -> ... -> aa[n-1] -> ab -> bb[0] -> ... -> bb[n-1] -> out
 *
 * Each stage writes into the scratch's buffer that does not hold its input.  The last stage that moves bytes appends to
 * `out`, which may be a partly written shard.  Trailers are appended in place.
 */

typedef struct encoding {
	const zinc_chain *c;
	zinc_scratch *s;
	zinc_buf *out;
	size_t base;    /* where this chunk begins in `out` */
	zinc_bytes cur; /* the result so far */
	zinc_buf *held; /* the buffer at whose end it is; NULL: the caller's memory */
	zinc_rep rep;   /* decoded side of the array->bytes codec */
	zinc_error *err;
} encoding;

/* Bytes of the elements and of the trailers that the chain may append. */
static size_t
with_trailers(const encoding *e, size_t nbytes)
{
	return nbytes + (size_t)e->c->nbb * 16;
}

/* Where the stage before bytes->bytes codec `next` writes: the output itself if only trailers follow, else the
 * scratch's buffer that does not hold its input. */
static zinc_buf *
target(const encoding *e, int next)
{
	zinc_buf *to;

	for (; next < e->c->nbb; next++)
		if (!e->c->bb[next]->ops->bytes->append_trailer)
			break;
	if (next == e->c->nbb)
		return e->out;
	to = other(e->s, e->held);
	to->n = 0;
	if (stage_bound(e->c, &e->rep, next, &to->max))
		to->max = zinc_max_chunk(e->s->ctx);
	return to;
}

/* `to` now holds the result: from its beginning, or in the output from the start of the chunk. */
static void
set_held(encoding *e, zinc_buf *to)
{
	const size_t from = to == e->out ? e->base : 0;

	e->held = to;
	e->cur = (zinc_bytes){to->p + from, to->n - from};
}

/* Are the view's elements in the order that the array->bytes codec needs?  The stride of an axis of one element does
 * not matter. */
static bool
is_packed(const zinc_rep *rep, const int64_t *strides)
{
	int64_t want[ZINC_MAX_NDIM];
	int i;

	zinc_strides_c(rep->shape, rep->ndim, rep->dtype->size, want);
	for (i = 0; i < rep->ndim; i++)
		if (rep->shape[i] != 1 && strides[i] != want[i])
			return false;
	return true;
}

/* Append the view's elements to `to`, in C order of `rep`; `strides` are in the axes of `rep`. */
static zinc_status
gather(encoding *e, const zinc_rep *rep, const uint8_t *p, const int64_t *strides, size_t nbytes, zinc_buf *to)
{
	zinc_copy_dim dims[ZINC_MAX_NDIM];
	int64_t dst[ZINC_MAX_NDIM];

	ZINC_TRY(zinc_buf_reserve(to, nbytes, e->err));
	zinc_strides_c(rep->shape, rep->ndim, rep->dtype->size, dst);
	copy_dims(dims, rep, dst, strides);
	zinc_copy_nd(to->p + to->n, p, dims, rep->ndim, rep->dtype->size);
	to->n += nbytes;
	set_held(e, to);
	return ZINC_OK;
}

/* Convert elements to bytes if the two are the same except for byte order. */
static zinc_status
pack_plain(encoding *e, const zinc_rep *rep, const uint8_t *p, const int64_t *strides, size_t nbytes, int how)
{
	const size_t n = nbytes / rep->dtype->size;
	const bool packed = is_packed(rep, strides);
	zinc_buf *to;

	if (packed && how == 1) {
		e->cur = (zinc_bytes){p, nbytes};
		return ZINC_OK;
	}
	to = target(e, 0);
	if (to != e->out) { /* the buffer for decoded chunks: a thread that reads and writes needs only one */
		to = &e->s->decoded;
		to->n = 0;
		to->max = with_trailers(e, nbytes);
	}
	if (!packed) {
		ZINC_TRY(gather(e, rep, p, strides, nbytes, to));
		p = to->p + to->n - nbytes;
	} else {
		ZINC_TRY(zinc_buf_reserve(to, nbytes, e->err));
		to->n += nbytes;
		set_held(e, to);
	}
	if (how == 2)
		zinc_dtype_swap(rep->dtype, to->p + to->n - nbytes, p, n);
	return ZINC_OK;
}

/* Run the array->bytes codec.  `p` may be in e->held. */
static zinc_status
pack(encoding *e, const zinc_rep *rep, const uint8_t *p, const int64_t *strides)
{
	const zinc_codec *ab = e->c->ab;
	const int how = plain(e->c, rep);
	zinc_buf *to;
	size_t nbytes;

	ZINC_TRY(zinc_rep_bytes(rep, &nbytes, e->err));
	if (how)
		return pack_plain(e, rep, p, strides, nbytes, how);
	if (!is_packed(rep, strides)) {
		to = &e->s->a;
		to->n = 0;
		to->max = with_trailers(e, nbytes);
		ZINC_TRY(gather(e, rep, p, strides, nbytes, to));
		p = to->p;
	}
	to = target(e, 0);
	ZINC_TRY(ab->ops->pack->encode(ab, e->s, rep, p, to, e->err));
	set_held(e, to);
	return ZINC_OK;
}

/* Run bytes->bytes codec i. */
static zinc_status
encode_stage(encoding *e, int i)
{
	const zinc_codec *codec = e->c->bb[i];
	zinc_buf *to = e->held;

	if (!codec->ops->bytes->append_trailer) {
		to = target(e, i + 1);
		ZINC_TRY(codec->ops->bytes->encode(codec, e->s, e->cur, to, e->err));
	} else {
		if (!to) { /* a trailer cannot be appended to the caller's memory */
			to = target(e, i + 1);
			ZINC_TRY(zinc_buf_add(to, e->cur.p, e->cur.n, e->err));
		}
		ZINC_TRY(codec->ops->bytes->append_trailer(codec, to, to == e->out ? e->base : 0, e->err));
	}
	set_held(e, to);
	return ZINC_OK;
}

/* Decode what has been made of the chunk: by the array->bytes codec too if that may change elements. */
static zinc_status
decode_back(decoding *d, const uint64_t *shape)
{
	zinc_status st = ZINC_OK;

	if (d->c->pack_changes) {
		ZINC_TRY(zinc_rep_bytes(&d->rep, &d->nbytes, d->err));
		st = unpack(d);
	} else {
		d->elements = (uint8_t *)(uintptr_t)d->cur.p; /* never written through */
	}
	return st == ZINC_OK ? decode_arrays(d, shape, NULL) : zinc_error_at_codec(d->err, st, d->c->ab->ops->name);
}

/* (9) In the deeper scratch, because this one holds the result. */
static zinc_status
check_back(const encoding *e, const uint64_t *shape)
{
	zinc_error why = ZINC_ERROR_INIT;
	decoding d = {.c = e->c, .s = zinc_scratch_inner(e->s), .rep = e->rep, .cur = e->cur, .err = &why};
	zinc_status st;

	if (!d.s)
		return zinc_fail_nomem(e->err);
	st = decode_back(&d, shape);
	if (st != ZINC_E_CORRUPT)
		return st == ZINC_OK ? st : zinc_error_copy(e->err, &why);
	st = zinc_fail(e->err, ZINC_E_RANGE, "the stored numbers could not be read back: %s", why.text);
	return zinc_error_at_codec(e->err, st, why.codec);
}

/* Run array->array codecs one by one; *p is set to the scratch, in C order of the array->bytes codec's decoded side. */
static zinc_status
encode_arrays(encoding *e, const uint64_t *shape, const zinc_view *in, const uint8_t **p)
{
	const zinc_chain *c = e->c;
	zinc_rep rep, next;
	zinc_status st = ZINC_OK;
	size_t nbytes;
	zinc_buf *to;
	int k;

	ZINC_TRY(stage_rep(c, 0, shape, &rep, e->err));
	ZINC_TRY(zinc_rep_bytes(&rep, &nbytes, e->err));
	to = &e->s->a;
	to->n = 0;
	to->max = with_trailers(e, nbytes);
	ZINC_TRY(gather(e, &rep, in->p, in->strides, nbytes, to));
	for (k = 0; k < c->naa && st == ZINC_OK; k++, rep = next) {
		const int *order = zinc_codec_order(c->aa[k]);
		const zinc_codec_ops *ops = c->aa[k]->ops;
		int64_t strides[ZINC_MAX_NDIM], decoded[ZINC_MAX_NDIM];
		int i;

		ZINC_TRY(stage_rep(c, k + 1, shape, &next, e->err));
		if (zinc_codec_reshapes(ops))
			continue; /* the elements stay where they are */
		ZINC_TRY(zinc_rep_bytes(&next, &nbytes, e->err));
		to = other(e->s, e->held);
		to->max = with_trailers(e, nbytes);
		ZINC_TRY(zinc_buf_reset(to, nbytes, e->err));
		if (order) {
			zinc_strides_c(rep.shape, rep.ndim, rep.dtype->size, decoded);
			for (i = 0; i < rep.ndim; i++)
				strides[i] = decoded[order[i]];
			st = gather(e, &next, e->cur.p, strides, nbytes, to);
		} else {
			st = ops->array->encode(c->aa[k], e->s, &rep, e->cur.p, to->p, e->err);
			to->n = nbytes;
			set_held(e, to);
		}
		if (st != ZINC_OK)
			return zinc_error_at_codec(e->err, st, ops->name);
	}
	*p = e->cur.p;
	return c->reads_back && !c->pack_changes ? check_back(e, shape) : ZINC_OK;
}

/* Encode elements to packed bytes, with any array->array codecs. */
static zinc_status
encode_elements(encoding *e, const uint64_t *shape, const zinc_view *in)
{
	const zinc_chain *c = e->c;
	int64_t strides[ZINC_MAX_NDIM];
	const uint8_t *p = in->p;
	zinc_status st;
	int i;

	ZINC_TRY(stage_rep(c, c->naa, shape, &e->rep, e->err));
	if (c->reorders_only) {
		for (i = 0; i < e->rep.ndim; i++)
			strides[i] = in->strides[c->axis[i]];
	} else {
		ZINC_TRY(encode_arrays(e, shape, in, &p));
		zinc_strides_c(e->rep.shape, e->rep.ndim, e->rep.dtype->size, strides);
	}
	st = pack(e, &e->rep, p, strides);
	if (st != ZINC_OK)
		return zinc_error_at_codec(e->err, st, c->ab->ops->name);
	return c->reads_back && c->pack_changes ? check_back(e, shape) : ZINC_OK;
}

static zinc_status
encode_all(encoding *e, const uint64_t *shape, const zinc_view *in)
{
	zinc_status st;
	int i;

	ZINC_TRY(encode_elements(e, shape, in));
	for (i = 0; i < e->c->nbb; i++) {
		st = encode_stage(e, i);
		if (st != ZINC_OK)
			return zinc_error_at_codec(e->err, st, e->c->bb[i]->ops->name);
	}
	/* the bytes have not been copied: they are still the caller's, or the scratch's after array->array codecs */
	return e->held == e->out ? ZINC_OK : zinc_buf_add(e->out, e->cur.p, e->cur.n, e->err);
}

zinc_status
zinc_chain_encode(const zinc_chain *c, zinc_scratch *s, const uint64_t *shape, const zinc_view *in, zinc_buf *out,
		  zinc_error *err)
{
	encoding e = {.c = c, .s = s, .out = out, .base = out->n, .err = err};
	zinc_status st = encode_all(&e, shape, in);

	if (st != ZINC_OK)
		out->n = e.base; /* a partly written shard must not keep half a chunk */
	return st;
}

/* ---- fill ---- */

/* Keep the axes of more than one element, sort them by step, largest first, and merge neighbours that continue each
 * other; returns how many remain. */
static int
simplify(const zinc_view *v, const uint64_t *shape, int ndim, uint64_t *n, int64_t *step)
{
	int i, j, m = 0;

	for (i = 0; i < ndim; i++) {
		if (shape[i] == 1)
			continue;
		for (j = m++; j > 0 && (uint64_t)llabs(step[j - 1]) < (uint64_t)llabs(v->strides[i]); j--) {
			n[j] = n[j - 1];
			step[j] = step[j - 1];
		}
		n[j] = shape[i];
		step[j] = v->strides[i];
	}
	for (i = m - 1; i > 0; i--)
		if (step[i - 1] == step[i] * (int64_t)n[i]) {
			n[i - 1] *= n[i];
			step[i - 1] = step[i];
			memmove(&n[i], &n[i + 1], (size_t)(m - i - 1) * sizeof *n);
			memmove(&step[i], &step[i + 1], (size_t)(m - i - 1) * sizeof *step);
			m--;
		}
	return m;
}

static bool
is_fill(const uint8_t *p, const zinc_dtype *t, const void *fill)
{
	zinc_vlen a, b;

	if (!t->variable)
		return memcmp(p, fill, t->size) == 0;
	memcpy(&a, p, sizeof a);
	memcpy(&b, fill, sizeof b);
	return a.nbytes == b.nbytes && (a.nbytes == 0 || memcmp(a.data, b.data, (size_t)a.nbytes) == 0);
}

/* One row of the innermost axis. */
static bool
row_is_fill(const uint8_t *p, uint64_t n, int64_t step, const zinc_dtype *t, const void *fill)
{
	uint64_t i;

	if (step == (int64_t)t->size && !t->variable)
		return zinc_run_is(p, fill, (size_t)n, t->size);
	for (i = 0; i < n; i++)
		if (!is_fill(p + (int64_t)i * step, t, fill))
			return false;
	return true;
}

bool
zinc_view_is_fill(const zinc_view *v, const uint64_t *shape, int ndim, const zinc_dtype *t, const void *fill)
{
	uint64_t n[ZINC_MAX_NDIM], at[ZINC_MAX_NDIM] = {0};
	int64_t step[ZINC_MAX_NDIM];
	const uint8_t *p = v->p;
	int m, d;

	if (!fill)
		return false;
	for (d = 0; d < ndim; d++)
		if (shape[d] == 0)
			return true;
	m = simplify(v, shape, ndim, n, step);
	if (m == 0)
		return is_fill(p, t, fill);
	for (;;) {
		if (!row_is_fill(p, n[m - 1], step[m - 1], t, fill))
			return false;
		for (d = m - 2; d >= 0 && at[d] + 1 == n[d]; d--) {
			p -= step[d] * (int64_t)at[d];
			at[d] = 0;
		}
		if (d < 0)
			return true;
		p += step[d]; /* the next row */
		at[d]++;
	}
}
