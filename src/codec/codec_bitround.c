/*
 * codec_bitround.c - numbers rounded to their first bits, so that the other bits compress well
 *
 *     float32, keepbits 3:  sign exponent 101|1001...  ->  sign exponent 110|0000...
 *     uint8, keepbits 3:    101|11 = 23                ->  110|00 = 24
 *
 * Promises (tests/unit/test_codec_bitround.c names each by its number):
 *
 * (1) Floats keep `keepbits` bits of their significand, integers `keepbits` bits from their first 1 on.  Both are
 *     rounded to nearest, halves to even.  A float may be carried into the next exponent; an integer is limited to its
 *     maximum.
 * (2) NaN and infinities keep all their bits.
 * (3) If keepbits is the number of available bits or more, nothing changes.  Decoding never changes anything.
 *
 * Signed integers are rounded like the unsigned integers with the same bits.
 */
#include "codec/codec_parts.h"

/* The layout of a number type, or of a part of a complex one. */
typedef struct layout {
	uint32_t size;
	unsigned bits;     /* bits of a float's significand; 0: integers */
	uint64_t infinity; /* of a float */
	uint64_t max;      /* all bits but a float's sign */
} layout;

typedef struct bitround_codec {
	zinc_codec codec;
	int64_t keepbits;
	layout as;
} bitround_codec;

static const zinc_member members[] = {
    {.name = "keepbits",
     .type = ZINC_MEMBER_INT,
     .max = INT64_MAX,
     .required = true,
     .at = offsetof(bitround_codec, keepbits)},
    {.name = NULL},
};

/* ---- numbers ---- */

/* Round to the nearest multiple of 2^n, n from 1 to 63; sums are limited to `max`. */
static uint64_t
round_off(uint64_t v, unsigned n, uint64_t max)
{
	const uint64_t add = ((uint64_t)1 << (n - 1)) - 1 + (v >> n & 1); /* a half, less one to keep even values */

	v = v > max - add ? max : v + add;
	return v >> n << n;
}

static uint64_t
round_float(const layout *as, int64_t keepbits, uint64_t v)
{
	const uint64_t magnitude = v & as->max;

	if (magnitude >= as->infinity || keepbits >= as->bits)
		return v;
	return (v & ~as->max) | round_off(magnitude, as->bits - (unsigned)keepbits, as->max);
}

static uint64_t
round_int(const layout *as, int64_t keepbits, uint64_t v)
{
	const unsigned length = v ? 64 - (unsigned)__builtin_clzll(v) : 0;

	if (length <= keepbits)
		return v;
	if (length - keepbits == 64) /* wider than any shift: the sum stays below 2^64, so 0 remains */
		return 0;
	return round_off(v, length - (unsigned)keepbits, as->max);
}

/* ---- the codec ---- */

static zinc_status
bitround_encode(const zinc_codec *c, zinc_scratch *s, const zinc_rep *rep, const void *in, void *out, zinc_error *err)
{
	const bitround_codec *b = (const bitround_codec *)c;
	const uint8_t *from = (const uint8_t *)in;
	uint8_t *to = (uint8_t *)out;
	const uint32_t size = b->as.size;
	size_t nbytes, at;

	(void)s;
	ZINC_TRY(zinc_rep_bytes(rep, &nbytes, err));
	for (at = 0; at < nbytes; at += size) {
		const uint64_t v = zinc_bits_get(from + at, size);

		zinc_bits_put(to + at, size,
			      b->as.bits ? round_float(&b->as, b->keepbits, v) : round_int(&b->as, b->keepbits, v));
	}
	return ZINC_OK;
}

static zinc_status
bitround_decode(const zinc_codec *c, zinc_scratch *s, const zinc_rep *rep, const void *in, void *out, zinc_error *err)
{
	size_t nbytes;

	(void)c, (void)s;
	ZINC_TRY(zinc_rep_bytes(rep, &nbytes, err));
	if (nbytes > 0)
		memcpy(out, in, nbytes);
	return ZINC_OK;
}

/* Set the layout of the type's numbers; false: they cannot be rounded. */
static bool
find_layout(const zinc_dtype *t, layout *out)
{
	const zinc_float_format *f = t->format;

	if (!f) {
		*out = (layout){.size = t->size, .max = UINT64_MAX >> (64 - 8 * t->size)};
		return t->kind == ZINC_KIND_INT || t->kind == ZINC_KIND_UINT;
	}
	*out = (layout){.size = t->unit, .bits = f->mantissa_bits, .infinity = f->infinity};
	out->max = zinc_float_mask(f) & ~zinc_float_sign(f);
	return f->infinity != 0; /* others would round up to NaN, or to another sign */
}

static zinc_status
bitround_check(zinc_codec *c, const zinc_json *configuration, const zinc_rep *in, zinc_rep *out, zinc_report *r,
	       zinc_error *err)
{
	(void)configuration, (void)out;
	if (in->dtype->narrow || !find_layout(in->dtype, &((bitround_codec *)c)->as))
		return zinc_report_error(r, "bitround", err, "elements of type %s cannot be rounded", in->dtype->name);
	return ZINC_OK;
}

/* "bitround:7". */
static zinc_status
bitround_parse_words(const char *const *words, int nwords, const zinc_rep *in, zinc_json_doc *doc, zinc_json **out,
		     zinc_error *err)
{
	(void)in;
	if (nwords == 0)
		return zinc_fail(err, ZINC_E_INVALID, "bitround needs a number of bits, as in \"bitround:7\"");
	return zinc_words_int("bitround", words, nwords, "keepbits", 0, 64, 7, doc, out, err);
}

const zinc_codec_ops zinc_codec_v2_bitround = {
    .name = "numcodecs.bitround",
    .v2 = "bitround",
    .uris = ZINC_CODEC_URIS("bitround"),
    .purpose = "bitround, as Zarr v2 calls it",
    .kind = ZINC_ARRAY_ARRAY,
    .needs_configuration = true,
    .members = members,
    .nbytes = sizeof(bitround_codec),
    .made = &zinc_codec_bitround,
    .check = bitround_check,
    .parse_words = bitround_parse_words,
};

static bool
bitround_loses(const zinc_codec *c)
{
	const bitround_codec *b = (const bitround_codec *)c;

	return b->keepbits < (b->as.bits ? b->as.bits : 8 * b->as.size);
}

static const zinc_array_ops coder = {
    .encode = bitround_encode,
    .decode = bitround_decode,
    .loses = bitround_loses,
};

/* zarrs wrote the first; the other is in its aliases. */
static const char *const aliases[] = {"https://codec.zarrs.dev/array_to_array/bitround",
				      "https://codec.zarrs.dev/array_to_bytes/bitround", NULL};

const zinc_codec_ops zinc_codec_bitround = {
    .name = "bitround",
    .aliases = aliases,
    .v2 = "bitround",
    .uris = ZINC_CODEC_URIS("bitround"),
    .purpose = "numbers rounded to their first bits; loses the others",
    .kind = ZINC_ARRAY_ARRAY,
    .fixed_size = true,
    .needs_configuration = true,
    .members = members,
    .nbytes = sizeof(bitround_codec),
    .check = bitround_check,
    .parse_words = bitround_parse_words,
    .array = &coder,
};
