/*
 * zfp.c - elements as a zfp stream (codecs zfp and numcodecs.zfpy)
 *
 *     [header: zfpy only; up to 148 bits][block of 4^d numbers]...       64-bit words, little-endian
 *
 * A libzfp that was built for words of 8 bits (as Debian's) writes the same, but does not fill the last word: it is
 * filled here, because a libzfp with larger words would read beyond the end.
 *
 * libzfp never checks where a stream ends, neither when it reads nor when it writes.  So both work on memory of our own
 * that is long enough for any stream of this shape, and what was used is compared with what was given.
 *
 * Promises (tests/unit/test_codec_zfp.c names each by its number):
 *
 * (1) Whatever the bytes are, decoding reads and writes our memory only, and all bytes are used: a stream that ends
 *     early, be it inside its last word, or late is E_CORRUPT.  Only the zeros that fill the last word may be missing.
 * (2) A header must name the type and the number of elements of the chunk, in its shape or as one row.
 * (3) Numbers that zfp cannot store are E_RANGE, never another number: NaN and infinities if the mode is not reversible;
 *     in these modes also integers from 2^30 (2^62) on, and floats that are alone with zeros and their like in a block
 *     if they are below 2^-98 (2^-962), where libzfp's scaling overflows, and floats that would decode as infinite;
 *     unsigned integers from 2^31 (2^63) on in every mode.
 * (4) Integers of 8 and 16 bits are stored in the upper bits of 31, as libzfp's own promotion does it.
 */
#include <math.h>

#include "codec/codec_parts.h"

bool
zinc_zfp_loses(const zinc_codec *c)
{
	return ((const zinc_zfp *)c)->mode != ZINC_ZFP_REVERSIBLE;
}

/* ---- numbers that libzfp knows ---- */

/* A block has 4^d numbers.  A number needs one bit more than it has, a block at most this many besides. */
#define BLOCK_BITS  (1 + 1 + 11 + 6)
#define HEADER_BITS 148
#define MOST_BITS   32768 /* of a block, by configuration: what a header can hold */

/* The bits of the numbers that libzfp gets; 0: the type cannot be stored. */
static unsigned
width_of(const zinc_dtype *t)
{
	if (t->kind != ZINC_KIND_FLOAT && t->kind != ZINC_KIND_INT && t->kind != ZINC_KIND_UINT)
		return 0;
	switch (t->type) {
	case ZINC_INT64:
	case ZINC_UINT64:
	case ZINC_FLOAT64:
		return 64;
	case ZINC_INT8:
	case ZINC_INT16:
	case ZINC_INT32:
	case ZINC_UINT8:
	case ZINC_UINT16:
	case ZINC_UINT32:
	case ZINC_FLOAT32:
		return 32;
	default:
		return 0;
	}
}

/* Is an element a number of libzfp as it is? */
static bool
is_native(const zinc_dtype *t)
{
	return t->kind == ZINC_KIND_FLOAT || (t->kind == ZINC_KIND_INT && t->size >= 4);
}

bool
zinc_zfp_stores(const zinc_dtype *t, bool native)
{
	return width_of(t) > 0 && (!native || is_native(t));
}

/* The dimensions of libzfp: none is one of length 1. */
static unsigned
dims_of(const zinc_rep *rep)
{
	return rep->ndim > 0 ? (unsigned)rep->ndim : 1;
}

/* The bits of a block at a rate, at least those of a float's first number, as in libzfp. */
static double
rate_bits(double rate, unsigned dims, const zinc_dtype *t)
{
	const double least = t->kind != ZINC_KIND_FLOAT ? 0 : t->size == 8 ? 12 : 9;

	return fmax(floor((1u << 2 * dims) * rate + 0.5), least);
}

/* The bits that every block needs at least to be decodable. */
static int64_t
fewest_bits(const zinc_zfp *z, const zinc_dtype *t)
{
	const bool reversible = z->minexp < -1074;

	if (t->kind != ZINC_KIND_FLOAT)
		return !reversible ? 1 : t->size == 8 ? 6 : 5;
	return t->size == 8 ? (reversible ? BLOCK_BITS : 12) : reversible ? 1 + 1 + 8 + 5 : 9;
}

const char *
zinc_zfp_check(const zinc_zfp *z, const zinc_rep *rep)
{
	const double bits = rate_bits(z->rate, dims_of(rep), rep->dtype);

	if (z->mode == ZINC_ZFP_FIXED_RATE && !(z->rate > 0 && bits >= 1 && bits <= MOST_BITS))
		return "\"rate\" is out of range";
	if (z->mode == ZINC_ZFP_FIXED_ACCURACY && !(z->tolerance >= 0))
		return "\"tolerance\" cannot be negative";
	if (z->mode == ZINC_ZFP_EXPERT && z->minbits > z->maxbits)
		return "\"minbits\" is more than \"maxbits\"";
	if (z->mode == ZINC_ZFP_EXPERT && z->maxbits < fewest_bits(z, rep->dtype))
		return "\"maxbits\" is less than a block needs";
	return NULL;
}

/* ---- sizes ---- */

static int
count_blocks(const zinc_rep *rep, size_t *out)
{
	uint64_t n = 1;
	int i;

	for (i = 0; i < rep->ndim; i++)
		if (zinc_u64_mul(n, zinc_ceil_div(rep->shape[i], 4), &n))
			return 1;
	*out = (size_t)n;
	return n > SIZE_MAX;
}

/* The bytes of the longest stream of this shape if each block has at least `minbits`. */
static int
longest(const zinc_rep *rep, uint64_t minbits, size_t *out)
{
	const size_t numbers = (size_t)1 << 2 * dims_of(rep);
	const size_t full = BLOCK_BITS + numbers - 1 + numbers * width_of(rep->dtype);
	size_t blocks, n;

	if (count_blocks(rep, &blocks) || zinc_size_mul(blocks, (size_t)zinc_max_u64(full, minbits), &n) ||
	    zinc_size_add(n, HEADER_BITS + 63, &n))
		return 1;
	*out = n / 64 * 8;
	return 0;
}

int
zinc_zfp_bound(const zinc_codec *c, const zinc_rep *rep, size_t *encoded)
{
	const zinc_zfp *z = (const zinc_zfp *)c;
	const double rated = z->mode == ZINC_ZFP_FIXED_RATE ? rate_bits(z->rate, 3, rep->dtype) : 0; /* see decode */
	uint64_t minbits = z->mode == ZINC_ZFP_EXPERT ? (uint64_t)z->minbits : 0;

	if (z->mode == ZINC_ZFP_FIXED_RATE)
		minbits = zinc_max_u64((uint64_t)rate_bits(z->rate, dims_of(rep), rep->dtype),
				       rated <= MOST_BITS ? (uint64_t)rated : 0);
	return longest(rep, minbits, encoded);
}

#if ZINC_WITH_ZFP

#include <zfp.h>

static zfp_type
type_of(const zinc_dtype *t)
{
	if (t->kind == ZINC_KIND_FLOAT)
		return t->size == 8 ? zfp_type_double : zfp_type_float;
	return t->size == 8 ? zfp_type_int64 : zfp_type_int32;
}

/* ---- elements <-> numbers ---- */

/* Is |v| too large for a mode that is not reversible? */
static bool
is_wide(int64_t v, unsigned width)
{
	const int64_t most = (int64_t)1 << (width - 2);

	return v >= most || v <= -most;
}

static zinc_status
refuse(size_t i, const char *what, zinc_error *err)
{
	return zinc_fail(err, ZINC_E_RANGE, "element %zu is %s", i, what);
}

static double
number(const zinc_dtype *t, const uint8_t *in, size_t i)
{
	double d;
	float f;

	if (t->size == 8) {
		memcpy(&d, in + 8 * i, 8);
		return d;
	}
	memcpy(&f, in + 4 * i, 4);
	return (double)f;
}

/* The largest magnitude in the block that begins at element i; -1: no block begins there. */
static double
largest_of_block(const zinc_rep *rep, const uint8_t *in, size_t i)
{
	const size_t numbers = (size_t)1 << 2 * rep->ndim;
	double most = -1;
	size_t k, own, rest, at, stride;
	int d;

	for (k = 0; k < numbers; k++) {
		own = i, rest = k, at = 0, stride = 1;
		for (d = rep->ndim - 1; d >= 0; d--, rest /= 4) {
			const size_t length = (size_t)rep->shape[d], x = own % length + rest % 4;

			if (own % length % 4 != 0)
				return -1;
			if (x >= length)
				break;
			at += x * stride;
			own /= length;
			stride *= length;
		}
		if (d < 0)
			most = fmax(most, fabs(number(rep->dtype, in, at)));
	}
	return most;
}

/* libzfp multiplies a block whose largest number is below 2^e by 2^(30 - e), for doubles by 2^(62 - e).  Is this
 * infinite?  It does nothing to a block of which no bit is above minexp, and scales nothing in reversible mode. */
static bool
overflows(const zinc_rep *rep, int e, int minexp)
{
	return e < (rep->dtype->size == 8 ? 62 - 1023 : 30 - 127) && minexp >= ZFP_MIN_EXP &&
	       e - minexp + 2 * (int)(dims_of(rep) + 1) > 0;
}

static zinc_status
check_blocks(const zinc_rep *rep, const uint8_t *in, size_t n, int minexp, zinc_error *err)
{
	double most;
	size_t i;
	int e;

	for (i = 0; i < n; i++) {
		most = largest_of_block(rep, in, i);
		(void)frexp(most, &e);
		if (most > 0 && overflows(rep, e, minexp))
			return zinc_fail(err, ZINC_E_RANGE,
					 "the block that begins at element %zu has numbers that only zfp's reversible "
					 "mode can scale",
					 i);
	}
	return ZINC_OK;
}

/* Only where there are tiny numbers, are blocks looked at.  `large` tells whether a number could become infinite: the
 * integers of a block whose largest number is below 2^e stand for at most 2^(e + 1). */
static zinc_status
check_floats(const zinc_rep *rep, const uint8_t *in, size_t n, int minexp, bool *large, zinc_error *err)
{
	const int least = rep->dtype->size == 8 ? 62 - 1023 : 30 - 127;
	const double tiny = overflows(rep, least - 1, minexp) ? ldexp(1, least - 1) : 0;
	const double huge = ldexp(1, rep->dtype->size == 8 ? 1022 : 126);
	bool any = false;
	size_t i;

	for (i = 0; i < n; i++) {
		const double d = number(rep->dtype, in, i);

		if (!isfinite(d))
			return refuse(i, "NaN or infinite, which zfp stores in reversible mode only", err);
		any |= d != 0 && fabs(d) < tiny;
		*large |= fabs(d) >= huge;
	}
	return any ? check_blocks(rep, in, n, minexp, err) : ZINC_OK;
}

/* An integer of any type as the number that libzfp gets, before it is checked. */
static int64_t
promote(const zinc_dtype *t, const uint8_t *p)
{
	const bool is_signed = t->kind == ZINC_KIND_INT;
	uint64_t u;
	uint32_t w;
	uint16_t h;

	switch (t->size) {
	case 1:
		return ((is_signed ? (int64_t)(int8_t)*p : *p - 0x80) * ((int64_t)1 << 23));
	case 2:
		memcpy(&h, p, 2);
		return ((is_signed ? (int64_t)(int16_t)h : h - 0x8000) * ((int64_t)1 << 15));
	case 4:
		memcpy(&w, p, 4);
		return is_signed ? (int64_t)(int32_t)w : (int64_t)w;
	default:
		memcpy(&u, p, 8);
		return (int64_t)u;
	}
}

/* (3), (4) */
static zinc_status
widen(const zinc_zfp *z, const zinc_dtype *t, const uint8_t *in, uint8_t *out, size_t n, zinc_error *err)
{
	const bool lossy = z->mode != ZINC_ZFP_REVERSIBLE, is_unsigned = t->kind == ZINC_KIND_UINT;
	const unsigned width = width_of(t);
	size_t i;

	for (i = 0; i < n; i++) {
		const int64_t v = promote(t, in + i * t->size);
		const int32_t narrow = (int32_t)v;

		if (t->size >= 4 && is_unsigned && (v < 0 || (width == 32 && v > INT32_MAX)))
			return refuse(i, "more than the signed type that zfp stores can hold", err);
		if (t->size >= 4 && lossy && is_wide(v, width))
			return refuse(i, "too large for zfp's modes that are not reversible", err);
		memcpy(out + i * (width / 8), width == 64 ? (const void *)&v : &narrow, width / 8);
	}
	return ZINC_OK;
}

static int64_t
limit(int64_t v, int64_t low, int64_t high)
{
	return v < low ? low : v > high ? high : v;
}

/* The reverse.  What a lossy mode made too large or too small is limited, as in libzfp. */
static void
narrow(const zinc_dtype *t, const uint8_t *in, uint8_t *out, size_t n)
{
	const bool is_signed = t->kind == ZINC_KIND_INT;
	int64_t wide;
	int32_t v;
	size_t i;

	for (i = 0; i < n; i++, out += t->size) {
		if (t->size == 8) {
			memcpy(&wide, in + 8 * i, 8);
			wide = wide < 0 ? 0 : wide; /* only unsigned ones come here */
			memcpy(out, &wide, 8);
			continue;
		}
		memcpy(&v, in + 4 * i, 4);
		if (t->size == 1) {
			*out = (uint8_t)(is_signed ? limit(v >> 23, -0x80, 0x7f) : limit((v >> 23) + 0x80, 0, 0xff));
		} else if (t->size == 2) {
			const uint16_t h = (uint16_t)(is_signed ? limit(v >> 15, -0x8000, 0x7fff)
								: limit((v >> 15) + 0x8000, 0, 0xffff));
			memcpy(out, &h, 2);
		} else {
			v = v < 0 ? 0 : v;
			memcpy(out, &v, 4);
		}
	}
}

/* ---- libzfp ---- */

typedef struct stream {
	zfp_stream *zfp;
	bitstream *bits;
	zfp_field field;
} stream;

static void
stream_fini(stream *x)
{
	if (x->zfp)
		zfp_stream_close(x->zfp);
	if (x->bits)
		stream_close(x->bits);
}

/* zfp_stream_set_* of the mode; `dims` only matters for a rate. */
static void
set_mode(const zinc_zfp *z, zfp_stream *zfp, const zinc_dtype *t, unsigned dims)
{
	switch (z->mode) {
	case ZINC_ZFP_REVERSIBLE:
		zfp_stream_set_reversible(zfp);
		break;
	case ZINC_ZFP_EXPERT:
		(void)zfp_stream_set_params(zfp, (unsigned)z->minbits, (unsigned)z->maxbits, (unsigned)z->maxprec,
					    (int)z->minexp); /* checked by the configuration */
		break;
	case ZINC_ZFP_FIXED_ACCURACY:
		zfp_stream_set_accuracy(zfp, z->tolerance);
		break;
	case ZINC_ZFP_FIXED_RATE:
		zfp_stream_set_rate(zfp, z->rate, type_of(t), dims, 0);
		break;
	default:
		zfp_stream_set_precision(zfp, (unsigned)z->precision);
	}
}

/* The last dimension is zfp's x.  No dimension is 0. */
static void
set_field(zfp_field *f, const zinc_rep *rep, void *numbers)
{
	size_t *const to[] = {&f->nx, &f->ny, &f->nz, &f->nw};
	int i;

	*f = (zfp_field){.type = type_of(rep->dtype), .nx = 1, .data = numbers};
	for (i = 0; i < rep->ndim; i++)
		*to[i] = (size_t)rep->shape[rep->ndim - 1 - i];
}

/* Open a stream of `n` bytes at `p`. */
static zinc_status
stream_init(stream *x, const zinc_zfp *z, const zinc_rep *rep, void *p, size_t n, void *numbers, zinc_error *err)
{
	*x = (stream){.bits = stream_open(p, n)};
	x->zfp = zfp_stream_open(x->bits);
	if (!x->bits || !x->zfp) {
		stream_fini(x);
		return zinc_fail_nomem(err);
	}
	set_mode(z, x->zfp, rep->dtype, dims_of(rep));
	set_field(&x->field, rep, numbers);
	zfp_stream_rewind(x->zfp);
	return ZINC_OK;
}

/* Whole words of the stream. */
static size_t
fill_word(size_t n)
{
	return (size_t)zinc_ceil_div(n, 8) * 8;
}

/* Words are stored little-endian.  A library that was built for single bytes has this order anyway. */
static void
order_words(uint8_t *p, size_t n)
{
	size_t i;

	for (i = 0; ZINC_HOST_BIG && stream_word_bits == 64 && i + 8 <= n; i += 8) {
		const uint64_t v = zinc_get_le64(p + i);

		memcpy(p + i, &v, 8);
	}
}

/* Memory of the deeper scratch, for `n` bytes. */
static zinc_status
take(zinc_buf *b, size_t n, zinc_error *err)
{
	b->max = n;
	return zinc_buf_reset(b, n, err);
}

/* ---- encoding ---- */

static zinc_status
write_stream(const zinc_zfp *z, stream *x, size_t *nbytes, zinc_error *err)
{
	if (z->header && zfp_write_header(x->zfp, &x->field, ZFP_HEADER_FULL) == 0)
		return zinc_fail(err, ZINC_E_LIMIT, "the chunk has too many elements for a header of zfp");
	*nbytes = zfp_compress(x->zfp, &x->field);
	return *nbytes > 0 ? ZINC_OK : zinc_fail(err, ZINC_E_UNSUPPORTED, "libzfp cannot encode this chunk");
}

/* Decode the `nbytes` at inner->a over the numbers at inner->b, of which none may be infinite. */
static zinc_status
check_finite(const zinc_codec *c, zinc_scratch *inner, const zinc_rep *rep, size_t n, size_t nbytes, zinc_error *err)
{
	size_t i;

	ZINC_TRY(zinc_zfp_decode(c, inner, rep, (zinc_bytes){inner->a.p, nbytes}, inner->b.p, err));
	for (i = 0; i < n; i++)
		if (!isfinite(number(rep->dtype, inner->b.p, i)))
			return refuse(i, "so large that zfp would make it infinite in this mode", err);
	return ZINC_OK;
}

zinc_status
zinc_zfp_encode(const zinc_codec *c, zinc_scratch *s, const zinc_rep *rep, const void *in, zinc_buf *out,
		zinc_error *err)
{
	const zinc_zfp *z = (const zinc_zfp *)c;
	zinc_scratch *inner = zinc_scratch_inner(s);
	const zinc_dtype *t = rep->dtype;
	const size_t width = width_of(t) / 8;
	size_t n, room, nbytes = 0;
	zinc_status st = ZINC_OK;
	bool large = false;
	stream x;

	if (!inner)
		return zinc_fail_nomem(err);
	ZINC_TRY(zinc_recode_count(rep, &n, err));
	if (n == 0)
		return ZINC_OK;
	if (n > PTRDIFF_MAX / width || zinc_zfp_bound(c, rep, &room))
		return zinc_fail(err, ZINC_E_LIMIT, "a chunk is larger than the address space");
	ZINC_TRY(take(&inner->a, room, err));
	ZINC_TRY(take(&inner->b, n * width, err));
	if (t->kind != ZINC_KIND_FLOAT)
		ZINC_TRY(widen(z, t, (const uint8_t *)in, inner->b.p, n, err));
	else
		memcpy(inner->b.p, in, n * width); /* `in` may have any address */
	ZINC_TRY(stream_init(&x, z, rep, inner->a.p, room, inner->b.p, err));
	if (t->kind == ZINC_KIND_FLOAT && zinc_zfp_loses(c))
		st = check_floats(rep, inner->b.p, n, x.zfp->minexp, &large, err);
	if (st == ZINC_OK)
		st = write_stream(z, &x, &nbytes, err);
	stream_fini(&x);
	ZINC_TRY(st);
	memset(inner->a.p + nbytes, 0, fill_word(nbytes) - nbytes); /* `room` is whole words */
	nbytes = fill_word(nbytes);
	order_words(inner->a.p, nbytes);
	if (large)
		ZINC_TRY(check_finite(c, inner, rep, n, nbytes, err));
	return zinc_buf_add(out, inner->a.p, nbytes, err);
}

/* ---- decoding ---- */

/* (2) The header's field must be the chunk. */
static zinc_status
check_header(const zfp_field *f, const zinc_rep *rep, size_t n, zinc_error *err)
{
	zfp_field want;

	set_field(&want, rep, NULL);
	if (f->type != want.type)
		return zinc_fail(err, ZINC_E_CORRUPT, "zfp's header has another data type");
	if (f->nx == n && f->ny == 0) /* filters of numcodecs make one row of the chunk */
		return ZINC_OK;
	if (f->nx != want.nx || f->ny != want.ny || f->nz != want.nz || f->nw != want.nw)
		return zinc_fail(err, ZINC_E_CORRUPT, "zfp's header has another shape");
	return ZINC_OK;
}

/* The decoded side that the stream was written for, and its mode: both from the header.  `in` is padded. */
static zinc_status
read_header(stream *x, const zinc_rep *rep, size_t n, zinc_rep *as, zinc_error *err)
{
	void *const numbers = x->field.data;

	if (zfp_read_header(x->zfp, &x->field, ZFP_HEADER_FULL) == 0)
		return zinc_fail(err, ZINC_E_CORRUPT, "not a header of zfp");
	ZINC_TRY(check_header(&x->field, rep, n, err));
	*as = *rep;
	if (x->field.ny == 0) {
		as->ndim = 1;
		as->shape[0] = n;
	}
	zfp_field_set_pointer(&x->field, numbers);
	return ZINC_OK;
}

/*
 * zarrs 0.23 takes the rate of a block of three dimensions for every chunk.  If the size is exactly that of such a
 * stream, and not that of the configured rate, it is one.
 */
static void
follow_zarrs(const zinc_zfp *z, zfp_stream *zfp, const zinc_rep *rep, size_t nbytes)
{
	const double own = rate_bits(z->rate, dims_of(rep), rep->dtype), other = rate_bits(z->rate, 3, rep->dtype);
	size_t blocks;

	if (z->mode != ZINC_ZFP_FIXED_RATE || z->header || other > MOST_BITS || count_blocks(rep, &blocks))
		return;
	if (nbytes != zinc_ceil_div(blocks * (uint64_t)own, 64) * 8 &&
	    nbytes == zinc_ceil_div(blocks * (uint64_t)other, 64) * 8)
		zfp_stream_set_rate(zfp, z->rate, type_of(rep->dtype), 3, 0);
}

/* Decode the `nbytes` that are padded with zeros at inner->a to the numbers at inner->b.  (1) */
static zinc_status
read_stream(const zinc_zfp *z, zinc_scratch *inner, const zinc_rep *rep, size_t n, size_t nbytes, zinc_error *err)
{
	zinc_rep as = *rep;
	zinc_status st;
	size_t room = 0, used;
	unsigned minbits;
	stream x;

	ZINC_TRY(stream_init(&x, z, rep, inner->a.p, inner->a.n, NULL, err));
	st = z->header ? read_header(&x, rep, n, &as, err) : ZINC_OK;
	if (!z->header)
		follow_zarrs(z, x.zfp, rep, nbytes);
	zfp_stream_params(x.zfp, &minbits, NULL, NULL, NULL);
	if (st == ZINC_OK && (longest(&as, minbits, &room) || room + 16 > inner->a.n))
		st = zinc_fail(err, ZINC_E_CORRUPT, "the stream ends early");
	if (st == ZINC_OK)
		st = take(&inner->b, n * (width_of(rep->dtype) / 8), err);
	if (st == ZINC_OK) {
		zfp_field_set_pointer(&x.field, inner->b.p);
		used = zfp_decompress(x.zfp, &x.field);
		if (nbytes < used || fill_word(used) != fill_word(nbytes))
			st = zinc_fail(err, ZINC_E_CORRUPT, "%zu bytes, but the stream of this chunk has %zu", nbytes,
				       used);
	}
	stream_fini(&x);
	return st;
}

/* Memory that any stream of this shape stays in, with the bytes of `in` at its start.  Blocks with many bits each are
 * not padded: a stream of them must have the bytes. */
static zinc_status
pad(zinc_scratch *inner, const zinc_rep *rep, zinc_bytes in, zinc_error *err)
{
	zinc_rep row = {.dtype = rep->dtype, .ndim = 1};
	size_t room, as_row, n;

	ZINC_TRY(zinc_recode_count(rep, &n, err));
	row.shape[0] = n;
	if (longest(rep, 0, &room) || longest(&row, 0, &as_row))
		return zinc_fail(err, ZINC_E_LIMIT, "a chunk is larger than the address space");
	room = room > as_row ? room : as_row;
	room = room > in.n ? room : in.n;
	if (room > PTRDIFF_MAX - 128)
		return zinc_fail(err, ZINC_E_LIMIT, "a chunk is larger than the address space");
	room = fill_word(room) + 64; /* a library reads a word ahead */
	ZINC_TRY(take(&inner->a, room, err));
	memcpy(inner->a.p, in.p, in.n);
	memset(inner->a.p + in.n, 0, room - in.n);
	inner->a.n = room;
	order_words(inner->a.p, room);
	return ZINC_OK;
}

zinc_status
zinc_zfp_decode(const zinc_codec *c, zinc_scratch *s, const zinc_rep *rep, zinc_bytes in, void *out, zinc_error *err)
{
	zinc_scratch *inner = zinc_scratch_inner(s);
	const zinc_dtype *t = rep->dtype;
	size_t n;

	if (!inner)
		return zinc_fail_nomem(err);
	ZINC_TRY(zinc_recode_count(rep, &n, err));
	if (n == 0)
		return in.n == 0 ? ZINC_OK : zinc_fail(err, ZINC_E_CORRUPT, "%zu bytes for no element", in.n);
	if (in.n == 0)
		return zinc_fail(err, ZINC_E_CORRUPT, "no bytes");
	ZINC_TRY(pad(inner, rep, in, err));
	ZINC_TRY(read_stream((const zinc_zfp *)c, inner, rep, n, in.n, err));
	if (is_native(t))
		memcpy(out, inner->b.p, n * t->size);
	else
		narrow(t, inner->b.p, (uint8_t *)out, n);
	return ZINC_OK;
}

const zinc_pack_ops zinc_zfp_coder = {
    .encode = zinc_zfp_encode,
    .decode = zinc_zfp_decode,
    .bound = zinc_zfp_bound,
    .loses = zinc_zfp_loses,
};

#endif
