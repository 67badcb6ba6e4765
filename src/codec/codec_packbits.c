/*
 * codec_packbits.c - numbers of fewer bits than bytes, side by side
 *
 *     [number of padding bits: 1]  [element][element]...[padding]  [number of padding bits: 1]
 *      padding_encoding first_byte                                  last_byte
 *
 *     bool  true false false true false false true false false true  ->  49 02
 *     uint2 0 1 2 3   e4        int4 1 -1 7   f1 07
 *
 * Element i is the bits [i * k, (i + 1) * k) of the stream, and bit i of the stream is bit i % 8 of byte i / 8, counted
 * from the lowest: so numbers of whole bytes are little-endian.  A complex number is its two parts, one after the other.
 *
 * Promises (tests/unit/test_codec_packbits.c names each by its number):
 *
 * (1) Of each number the bits from first_bit to last_bit are stored.  Reading extends signed integers by their last
 *     stored bit and all others by zeros; bits below first_bit are 0.
 * (2) A number that would read as one with other bits above last_bit is E_RANGE: only low bits are ever dropped.
 * (3) On reading, a wrong length or number of padding bits is E_CORRUPT.  Padding is written as 0 and not read.
 * (4) A fill value that would not come back from a chunk is a finding: in missing chunks it is another number.
 *
 * The codec of Zarr v2, numcodecs.packbits, has the bits of a byte in reverse order: codec_packbits_v2.c.
 */
#include "codec/codec_parts.h"

/* How a number, or a part of a complex one, becomes `nbits` bits. */
typedef struct layout {
	uint32_t size;      /* its bytes in memory */
	unsigned parts;     /* per element */
	unsigned first;     /* the lowest stored bit */
	unsigned nbits;     /* stored */
	bool is_signed;     /* extended by its last stored bit */
	uint64_t must_read; /* bits above the last stored one, which reading must give back */
} layout;

typedef struct packbits_codec {
	zinc_codec codec;
	int64_t padding;             /* index in paddings */
	int64_t first_bit, last_bit; /* NOT_GIVEN */
	int64_t start_bit, end_bit;  /* the same in the spelling of the schema */
	layout as;
} packbits_codec;

enum { PADDING_NONE, PADDING_FIRST, PADDING_LAST, PADDING_START, PADDING_END };
static const char *const paddings[] = {"none", "first_byte", "last_byte", "start_byte", "end_byte", NULL};
#define NOT_GIVEN (-1)
#define MAX_BIT   63

/* The specification's text and its schema.json name the members differently.  Writers follow the text. */
#define BIT(name_, print_)                                                                                             \
	{                                                                                                              \
		.name = #name_, .type = ZINC_MEMBER_INT, .max = MAX_BIT, .nullable = true, .fallback = NOT_GIVEN,      \
		.print = print_, .at = offsetof(packbits_codec, name_)                                                 \
	}
static const zinc_member members[] = {
    {.name = "padding_encoding",
     .type = ZINC_MEMBER_CHOICE,
     .choices = paddings,
     .fallback = PADDING_NONE,
     .print = ZINC_PRINT_CHANGED,
     .at = offsetof(packbits_codec, padding)},
    BIT(first_bit, ZINC_PRINT_CHANGED),
    BIT(last_bit, ZINC_PRINT_CHANGED),
    BIT(start_bit, ZINC_PRINT_NEVER),
    BIT(end_bit, ZINC_PRINT_NEVER),
    {.name = NULL},
};

/* ---- sizes ---- */

static unsigned
element_bits(const layout *as)
{
	return as->parts * as->nbits;
}

/* The bytes of n elements, which fit because the elements do. */
static size_t
packed_bytes(const layout *as, size_t n)
{
	const unsigned k = element_bits(as);

	return n / 8 * k + (n % 8 * k + 7) / 8;
}

static uint8_t
padding_bits(const layout *as, size_t n)
{
	return (uint8_t)((8 - n % 8 * element_bits(as) % 8) % 8);
}

static zinc_status
count(const zinc_rep *rep, size_t *n, zinc_error *err)
{
	ZINC_TRY(zinc_rep_bytes(rep, n, err));
	*n /= rep->dtype->size;
	return ZINC_OK;
}

static int
packbits_bound(const zinc_codec *c, const zinc_rep *rep, size_t *encoded)
{
	const packbits_codec *p = (const packbits_codec *)c;
	size_t n;

	if (count(rep, &n, NULL) != ZINC_OK)
		return 1;
	*encoded = packed_bytes(&p->as, n) + (p->padding != PADDING_NONE);
	return 0;
}

/* ---- numbers of one byte, eight at once ----
 *
 * Eight bytes are the lanes of a word, the first one lowest.  Lanes are joined in pairs, three times:
 *
 *     .......1 .......0 .......0 .......1   ->   ........ ......10 ........ ......01   ->   ... ....1001
 */

#define LANES(byte) ((uint64_t)(uint8_t)(byte)*0x0101010101010101u)

/* The lowest `nbits` bits of a word of 64 bits. */
static uint64_t
ones(unsigned nbits)
{
	return nbits == 64 ? UINT64_MAX : ((uint64_t)1 << nbits) - 1;
}

/* What the steps need: masks of 1, 2 and 4 joined lanes, and masks of bytes. */
typedef struct lanes {
	uint64_t one, two, four;
	uint64_t sign, above; /* the last stored bit of signed numbers, and all bits above it */
	uint64_t readable, must_read;
	unsigned nbits, first;
} lanes;

static lanes
lanes_of(const layout *as)
{
	const unsigned n = as->nbits;

	return (lanes){.one = ones(n) * 0x0001000100010001u,
		       .two = ones(2 * n) * 0x0000000100000001u,
		       .four = ones(4 * n),
		       .sign = as->is_signed ? LANES(1 << (n - 1)) : 0,
		       .above = (uint8_t)(0xff << n),
		       .readable = LANES(0xff << as->first),
		       .must_read = LANES(as->must_read),
		       .nbits = n,
		       .first = as->first};
}

static inline uint64_t
join_lanes(const lanes *l, uint64_t x)
{
	const unsigned n = l->nbits;

	x = (x & l->one) | (x >> (8 - n) & l->one << n);
	x = (x & l->two) | (x >> (16 - 2 * n) & l->two << 2 * n);
	return (x & l->four) | (x >> (32 - 4 * n) & l->four << 4 * n);
}

static inline uint64_t
part_lanes(const lanes *l, uint64_t x)
{
	const unsigned n = l->nbits;

	x = (x & l->four) | (x & l->four << 4 * n) << (32 - 4 * n);
	x = (x & l->two) | (x & l->two << 2 * n) << (16 - 2 * n);
	return (x & l->one) | (x & l->one << n) << (8 - n);
}

/* Extend each lane to eight bits, and shift it to its first bit. */
static inline uint64_t
extend_lanes(const lanes *l, uint64_t x)
{
	x |= ((x & l->sign) >> (l->nbits - 1)) * l->above;
	return x << l->first & l->readable;
}

/* Pack eight numbers; false: one of them would not be read again. */
static inline bool
pack_eight(const lanes *l, const uint8_t *in, uint8_t out[8])
{
	const uint64_t x = zinc_get_le64(in), kept = x >> l->first & LANES(ones(l->nbits));

	zinc_put_le64(out, join_lanes(l, kept));
	return !((extend_lanes(l, kept) ^ x) & l->must_read);
}

static inline void
unpack_eight(const lanes *l, const uint8_t in[8], uint8_t *out)
{
	zinc_put_le64(out, extend_lanes(l, part_lanes(l, zinc_get_le64(in))));
}

/* Pack groups of eight bools; returns how many of the first are 0 and 1 only.  The product has lane i at bit 56 + i. */
static size_t
pack_bools(const uint8_t *in, size_t groups, uint8_t *out)
{
	size_t i;

	for (i = 0; i < groups; i++) {
		const uint64_t x = zinc_get_le64(in + 8 * i);

		if (x & ~LANES(1))
			return i;
		out[i] = (uint8_t)(x * 0x0102040810204080u >> 56);
	}
	return i;
}

/* Bit i is singled out in lane i; adding 127 carries it to the top of the lane. */
static void
unpack_bools(const uint8_t *in, size_t groups, uint8_t *out)
{
	size_t i;

	for (i = 0; i < groups; i++) {
		const uint64_t x = LANES(in[i]) & 0x8040201008040201u;

		zinc_put_le64(out + 8 * i, (x + LANES(127)) >> 7 & LANES(1));
	}
}

static bool
is_bool(const layout *as)
{
	return as->nbits == 1 && as->must_read == 0xfe && !as->is_signed;
}

/* Pack n numbers; returns how many of the first can be read again, to a multiple of 8. */
static size_t
pack_bytes(const layout *as, const uint8_t *in, size_t n, uint8_t *out)
{
	const lanes l = lanes_of(as);
	uint8_t group[8], last[8] = {0};
	size_t i = is_bool(as) ? pack_bools(in, n / 8, out) : 0;

	for (; i < n / 8; i++) {
		if (!pack_eight(&l, in + 8 * i, group))
			return 8 * i;
		memcpy(out + i * l.nbits, group, l.nbits);
	}
	memcpy(last, in + 8 * i, n % 8);
	if (!pack_eight(&l, last, group))
		return 8 * i;
	memcpy(out + i * l.nbits, group, (n % 8 * l.nbits + 7) / 8);
	return n;
}

static void
unpack_bytes(const layout *as, const uint8_t *in, size_t n, uint8_t *out)
{
	const lanes l = lanes_of(as);
	uint8_t group[8] = {0}, last[8];
	size_t i = 0;

	if (is_bool(as)) {
		unpack_bools(in, n / 8, out);
		i = n / 8;
	}
	for (; i < n / 8; i++) {
		memcpy(group, in + i * l.nbits, l.nbits);
		unpack_eight(&l, group, out + 8 * i);
	}
	memcpy(group, in + i * l.nbits, (n % 8 * l.nbits + 7) / 8);
	unpack_eight(&l, group, last);
	memcpy(out + 8 * i, last, n % 8);
}

/* ---- numbers of several bytes, one by one ---- */

/* What reading makes of `nbits` stored bits. */
static uint64_t
extend(const layout *as, uint64_t v)
{
	if (as->is_signed && as->nbits < 64 && v >> (as->nbits - 1) & 1)
		v |= UINT64_MAX << as->nbits;
	return v << as->first;
}

/* Bits on their way to or from bytes: fewer than 64, the first one lowest. */
typedef struct stream {
	uint64_t bits;
	unsigned n;
} stream;

/* Add `nbits` bits; returns the bytes written. */
static size_t
put_bits(stream *s, uint64_t v, unsigned nbits, uint8_t *out)
{
	s->bits |= v << s->n;
	if (s->n + nbits < 64) {
		s->n += nbits;
		return 0;
	}
	zinc_put_le64(out, s->bits);
	s->bits = s->n ? v >> (64 - s->n) : 0;
	s->n = s->n + nbits - 64;
	return 8;
}

/* Take `nbits` bits, with up to eight of the `left` bytes at *in. */
static uint64_t
get_bits(stream *s, const uint8_t **in, size_t *left, unsigned nbits)
{
	const size_t more = *left < 8 ? *left : 8;
	uint8_t next[8] = {0};
	uint64_t v = s->bits;

	if (s->n >= nbits) {
		s->bits >>= nbits;
		s->n -= nbits;
	} else {
		memcpy(next, *in, more);
		s->bits = zinc_get_le64(next);
		v |= s->bits << s->n;
		s->bits = nbits - s->n < 64 ? s->bits >> (nbits - s->n) : 0;
		s->n = (unsigned)(8 * more) - (nbits - s->n);
		*in += more;
		*left -= more;
	}
	return v & ones(nbits);
}

/* Pack n numbers; returns how many of the first can be read again. */
static size_t
pack_wide(const layout *as, const uint8_t *in, size_t n, uint8_t *out)
{
	stream s = {0, 0};
	uint8_t rest[8];
	size_t i;

	for (i = 0; i < n; i++) {
		const uint64_t x = zinc_bits_get(in + i * as->size, as->size);
		const uint64_t kept = x >> as->first & ones(as->nbits);

		if ((extend(as, kept) ^ x) & as->must_read)
			return i;
		out += put_bits(&s, kept, as->nbits, out);
	}
	zinc_put_le64(rest, s.bits);
	memcpy(out, rest, (s.n + 7) / 8);
	return n;
}

static void
unpack_wide(const layout *as, const uint8_t *in, size_t n, uint8_t *out)
{
	size_t i, left = n / 8 * as->nbits + (n % 8 * as->nbits + 7) / 8;
	stream s = {0, 0};

	for (i = 0; i < n; i++)
		zinc_bits_put(out + i * as->size, as->size, extend(as, get_bits(&s, &in, &left, as->nbits)));
}

/* ---- the codec ---- */

/* The first number, from `i` on, that would not be read again. */
static size_t
find_lost(const layout *as, const uint8_t *in, size_t i)
{
	uint64_t x;

	for (;; i++) {
		x = zinc_bits_get(in + i * as->size, as->size);
		if ((extend(as, x >> as->first & ones(as->nbits)) ^ x) & as->must_read)
			return i;
	}
}

static zinc_status
packbits_pack(const zinc_codec *c, zinc_scratch *s, const zinc_rep *rep, const void *in, zinc_buf *out, zinc_error *err)
{
	const packbits_codec *p = (const packbits_codec *)c;
	const layout *as = &p->as;
	size_t n, nbytes, done;
	uint8_t *to;

	(void)s;
	ZINC_TRY(count(rep, &n, err));
	nbytes = packed_bytes(as, n);
	ZINC_TRY(zinc_buf_reserve(out, nbytes + (p->padding != PADDING_NONE), err));
	to = out->p + out->n;
	if (p->padding == PADDING_FIRST)
		*to++ = padding_bits(as, n);
	if (as->size == 1)
		done = pack_bytes(as, (const uint8_t *)in, n * as->parts, to);
	else
		done = pack_wide(as, (const uint8_t *)in, n * as->parts, to);
	if (done < n * as->parts)
		return zinc_fail(err, ZINC_E_RANGE, "element %zu does not fit bits %u to %u of type %s",
				 find_lost(as, (const uint8_t *)in, done) / as->parts, as->first,
				 as->first + as->nbits - 1, rep->dtype->name);
	if (p->padding == PADDING_LAST)
		to[nbytes] = padding_bits(as, n);
	out->n += nbytes + (p->padding != PADDING_NONE);
	return ZINC_OK;
}

static zinc_status
packbits_unpack(const zinc_codec *c, zinc_scratch *s, const zinc_rep *rep, zinc_bytes in, void *out, zinc_error *err)
{
	const packbits_codec *p = (const packbits_codec *)c;
	const layout *as = &p->as;
	size_t n, nbytes;
	uint8_t stated;

	(void)s;
	ZINC_TRY(count(rep, &n, err));
	nbytes = packed_bytes(as, n);
	if (in.n != nbytes + (p->padding != PADDING_NONE))
		return zinc_fail(err, ZINC_E_CORRUPT, "%zu bytes instead of %zu", in.n,
				 nbytes + (p->padding != PADDING_NONE));
	if (p->padding != PADDING_NONE) {
		stated = in.p[p->padding == PADDING_FIRST ? 0 : nbytes];
		if (stated != padding_bits(as, n))
			return zinc_fail(err, ZINC_E_CORRUPT, "%u bits of padding are stated; there are %u", stated,
					 padding_bits(as, n));
		in.p += p->padding == PADDING_FIRST;
	}
	if (as->size == 1)
		unpack_bytes(as, in.p, n * as->parts, (uint8_t *)out);
	else
		unpack_wide(as, in.p, n * as->parts, (uint8_t *)out);
	return ZINC_OK;
}

/* All bits of whole bytes are the elements in little-endian order. */
static int
packbits_plain(const zinc_codec *c, const zinc_rep *rep)
{
	const packbits_codec *p = (const packbits_codec *)c;

	if (p->padding != PADDING_NONE || p->as.nbits != 8 * p->as.size || rep->dtype->ops->check)
		return 0;
	return ZINC_HOST_BIG && p->as.size > 1 ? 2 : 1;
}

/* ---- configuration ---- */

/* Use the spelling of the schema if the other one is missing. */
static zinc_status
accept_schema(int64_t *bit, int64_t other, const char *name, zinc_report *r, zinc_error *err)
{
	if (other == NOT_GIVEN)
		return ZINC_OK;
	if (*bit != NOT_GIVEN)
		return zinc_report_error(r, "packbits", err, "\"%s\" is given under two names", name);
	*bit = other;
	return zinc_report_lenient(r, "packbits", err, "most readers know this member only as \"%s\"", name);
}

static zinc_status
accept_spellings(packbits_codec *p, zinc_report *r, zinc_error *err)
{
	ZINC_TRY(accept_schema(&p->first_bit, p->start_bit, "first_bit", r, err));
	ZINC_TRY(accept_schema(&p->last_bit, p->end_bit, "last_bit", r, err));
	if (p->padding < PADDING_START)
		return ZINC_OK;
	p->padding -= PADDING_START - PADDING_FIRST;
	return zinc_report_lenient(r, "packbits", err, "most readers know this padding only as \"%s\"",
				   paddings[p->padding]);
}

/* The bits of a number of this type, or of a part of a complex one; 0: it cannot be packed. */
static unsigned
part_bits(const zinc_dtype *t)
{
	switch (t->kind) {
	case ZINC_KIND_BOOL:
		return 1;
	case ZINC_KIND_INT:
	case ZINC_KIND_UINT:
	case ZINC_KIND_FLOAT:
		return t->bits;
	case ZINC_KIND_COMPLEX:
		return t->bits / 2;
	default:
		return 0;
	}
}

/* (4) */
static zinc_status
check_fill(const layout *as, const zinc_rep *rep, zinc_report *r, zinc_error *err)
{
	const uint64_t wanted = as->must_read | ones(as->first);
	const uint8_t *fill = (const uint8_t *)rep->fill;
	unsigned i;

	for (i = 0; fill && i < as->parts; i++) {
		const uint64_t x = zinc_bits_get(fill + i * as->size, as->size);

		if ((extend(as, x >> as->first & ones(as->nbits)) ^ x) & wanted)
			return zinc_report_lenient(r, "packbits", err,
						   "fill_value changes in chunks that are written, because bits %u to "
						   "%u do not have all of it",
						   as->first, as->first + as->nbits - 1);
	}
	return ZINC_OK;
}

static zinc_status
packbits_check(zinc_codec *c, const zinc_json *configuration, const zinc_rep *in, zinc_rep *out, zinc_report *r,
	       zinc_error *err)
{
	packbits_codec *p = (packbits_codec *)c;
	const zinc_dtype *t = in->dtype;
	const unsigned nbits = part_bits(t);
	int64_t first, last;

	(void)configuration, (void)out;
	if (nbits == 0)
		return zinc_report_error(r, "packbits", err, "elements of type %s cannot be packed", t->name);
	ZINC_TRY(accept_spellings(p, r, err));
	first = p->first_bit == NOT_GIVEN ? 0 : p->first_bit;
	last = p->last_bit == NOT_GIVEN ? nbits - 1 : p->last_bit;
	if (last >= nbits || first > last)
		return zinc_report_error(r, "packbits", err, "bits %d to %d are not bits of %s, which has %u",
					 (int)first, (int)last, t->name, nbits);
	p->as = (layout){.parts = t->kind == ZINC_KIND_COMPLEX ? 2 : 1,
			 .first = (unsigned)first,
			 .nbits = (unsigned)(last - first + 1),
			 .is_signed = t->kind == ZINC_KIND_INT};
	p->as.size = t->size / p->as.parts;
	/* of types with fewer bits than memory the bits above have no meaning, but a bool is 0 or 1 */
	p->as.must_read = ones(t->kind == ZINC_KIND_BOOL ? 8 : nbits) & ~ones((unsigned)last + 1);
	return check_fill(&p->as, in, r, err);
}

/* Bits below first_bit are dropped; those above last_bit must be what decoding gives back. */
static bool
packbits_loses(const zinc_codec *c)
{
	return ((const packbits_codec *)c)->as.first > 0;
}

static const zinc_pack_ops coder = {
    .encode = packbits_pack,
    .decode = packbits_unpack,
    .bound = packbits_bound,
    .plain = packbits_plain,
    .loses = packbits_loses,
};

const zinc_codec_ops zinc_codec_packbits = {
    .name = "packbits",
    .purpose = "bools and numbers of few bits side by side",
    .kind = ZINC_ARRAY_BYTES,
    .fixed_size = true,
    .members = members,
    .rule = "packbits",
    .nbytes = sizeof(packbits_codec),
    .check = packbits_check,
    .pack = &coder,
};
