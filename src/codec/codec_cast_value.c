/*
 * codec_cast_value.c - numbers stored as another type
 *
 *     float64 127.6, data_type int8                        E_RANGE (rounds to 128)
 *                    ... out_of_range clamp                 127
 *                    ... out_of_range wrap                  -128
 *                    ... rounding towards-zero              127
 *                    ... scalar_map encode [[127.6, -1]]    -1
 *
 * Promises (tests/unit/test_codec_cast_value.c names each by its number):
 *
 * (1) A number that scalar_map has becomes what the first such pair says.  All NaNs are one number there, and so are 0
 *     and -0.
 * (2) Otherwise a number that the other type has is unchanged, with the sign of 0, infinities and NaN.
 * (3) Otherwise it is rounded once, by `rounding`, and is then in range, or clamped (for floats to infinity, if there
 *     is one), or wrapped modulo 2^n, or an error: E_RANGE on writing, E_CORRUPT on reading.
 * (4) NaN in a type that has none, and infinities as integers, are errors whatever out_of_range is.
 * (5) The codecs behind it have the fill value converted by the same rules.  One that cannot be converted is an error
 *     of the metadata; one that does not come back is a finding.
 * (6) Every pair of types gives the same results by the fast way as one by one.
 *
 * Reading applies the same rules from the stored type to the array's.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "codec/codec_parts.h"

#define BLOCK ZINC_RECODE_BLOCK

enum { RANGE_ERROR, RANGE_CLAMP, RANGE_WRAP };

/* A pair of scalar_map. */
typedef struct pair {
	uint64_t from, to; /* elements, in their first bytes */
} pair;

/* The same for lookup: sorted, without later pairs of the same number. */
typedef struct entry {
	uint64_t key;  /* as key_of says */
	uint64_t bits; /* of the other number */
	size_t at;     /* index of the pair */
} entry;

/* One direction of the conversion. */
typedef struct direction {
	const zinc_dtype *from, *to;
	zinc_rounding rounding;
	int64_t range;
	zinc_status failure; /* of an element that does not convert */
	bool float_ints;     /* zinc_floats_to_ints converts most elements */
	bool converts;       /* zinc_dtype_convert does */
	int flags;           /* its flags */
	pair *pairs;
	entry *entries;
	size_t npairs, nentries;
} direction;

typedef struct cast_codec {
	zinc_codec codec;
	int64_t rounding, range;
	direction encode, decode;
	uint64_t fill;
} cast_codec;

static const char *const roundings[] = {
    [ZINC_ROUND_EVEN] = "nearest-even",   [ZINC_ROUND_AWAY] = "nearest-away",     [ZINC_ROUND_ZERO] = "towards-zero",
    [ZINC_ROUND_UP] = "towards-positive", [ZINC_ROUND_DOWN] = "towards-negative", NULL};
static const char *const ranges[] = {"error", "clamp", "wrap", NULL};

static const zinc_member members[] = {
    {.name = "data_type"},
    {.name = "rounding",
     .type = ZINC_MEMBER_CHOICE,
     .choices = roundings,
     .print = ZINC_PRINT_CHANGED,
     .at = offsetof(cast_codec, rounding)},
    {.name = "out_of_range",
     .type = ZINC_MEMBER_CHOICE,
     .choices = ranges,
     .print = ZINC_PRINT_CHANGED,
     .at = offsetof(cast_codec, range)},
    {.name = "scalar_map"},
    {.name = NULL},
};

/* ---- scalar_map ---- */

/* The bits of an element, the same for equal numbers.  UINT64_MAX: NaN. */
static uint64_t
key_of(const zinc_dtype *t, const void *element)
{
	const uint64_t bits = zinc_bits_get(element, t->size);
	const zinc_float_format *f = t->format;
	uint64_t sign, code;

	if (!f)
		return bits & UINT64_MAX >> (64 - t->bits);
	sign = zinc_float_sign(f);
	code = bits & zinc_float_mask(f);
	if ((code & ~sign) > f->max && (code & ~sign) != f->infinity)
		return UINT64_MAX;
	if (code != sign || sign == 0)
		return code;
	return f->nan == sign ? UINT64_MAX : 0; /* the code of -0 */
}

static int
compare_entries(const void *a, const void *b)
{
	const entry *x = (const entry *)a, *y = (const entry *)b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

/* Sort the pairs for lookup.  Of pairs of the same number the first counts. */
static void
sort_entries(direction *d)
{
	size_t i;

	for (i = 0; i < d->npairs; i++)
		d->entries[i] = (entry){.key = key_of(d->from, &d->pairs[i].from),
					.bits = zinc_bits_get(&d->pairs[i].to, d->to->size),
					.at = i};
	qsort(d->entries, d->npairs, sizeof *d->entries, compare_entries);
	for (i = 0; i < d->npairs; i++)
		if (d->nentries == 0 || d->entries[i].key != d->entries[d->nentries - 1].key)
			d->entries[d->nentries++] = d->entries[i];
}

/* The entry of a number; NULL: none. */
static const entry *
look_up(const direction *d, const void *element)
{
	const uint64_t key = key_of(d->from, element);
	size_t low = 0, high = d->nentries;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (d->entries[middle].key < key)
			low = middle + 1;
		else
			high = middle;
	}
	return low < d->nentries && d->entries[low].key == key ? &d->entries[low] : NULL;
}

/* ---- one element, all the rules ---- */

static bool
cast_number(const direction *d, const zinc_exact *x, void *out)
{
	const zinc_fit fit = zinc_exact_write(d->to, x, d->rounding, out);

	if (fit <= ZINC_FIT_ROUNDED)
		return true;
	if (fit == ZINC_FIT_NONE || (x->kind == ZINC_EXACT_INFINITY && !d->to->format))
		return false;
	if (d->range == RANGE_WRAP)
		return !d->to->format && zinc_exact_wrap(d->to, x, d->rounding, out);
	if (d->range == RANGE_CLAMP)
		zinc_exact_clamp(d->to, fit, true, out);
	return d->range == RANGE_CLAMP;
}

static zinc_status
cast_one(const direction *d, const void *in, void *out, size_t at, zinc_error *err)
{
	const entry *e = d->nentries ? look_up(d, in) : NULL;
	zinc_exact x;

	if (e) {
		zinc_bits_put(out, d->to->size, e->bits);
		return ZINC_OK;
	}
	zinc_exact_read(d->from, in, &x);
	if (cast_number(d, &x, out))
		return ZINC_OK;
	if (x.kind > ZINC_EXACT_FINITE)
		return zinc_fail(err, d->failure, "element %zu is %s, which type %s does not have", at,
				 x.kind == ZINC_EXACT_NAN ? "NaN" : "infinite", d->to->name);
	return zinc_fail(err, d->failure, "element %zu (%g) does not fit type %s", at, zinc_exact_double(&x),
			 d->to->name);
}

/* ---- blocks ---- */

/* Convert elements that are not in scalar_map; returns how many of the first are done. */
static size_t
cast_fast(const direction *d, const uint8_t *in, uint8_t *out, size_t n)
{
	if (d->float_ints)
		return zinc_floats_to_ints(d->to, out, d->from, in, n, d->rounding, d->range == RANGE_CLAMP,
					   d->range == RANGE_WRAP)
			   ? n
			   : 0;
	return d->converts ? zinc_dtype_convert(d->to->type, d->from->type, out, in, n, d->flags) : 0;
}

/* Convert n <= BLOCK elements from `at` on. */
static zinc_status
cast_block(const direction *d, const uint8_t *in, uint8_t *out, size_t n, size_t at, zinc_error *err)
{
	const uint32_t from = d->from->size, to = d->to->size;
	size_t i = cast_fast(d, in, out, n);

	for (; i < n; i++)
		ZINC_TRY(cast_one(d, in + i * from, out + i * to, at + i, err));
	return ZINC_OK;
}

/* A map of more numbers than this is searched for each element. */
#define FEW 4

/* A block as what it contains. */
typedef uint16_t __attribute__((may_alias)) u16;
typedef uint32_t __attribute__((may_alias)) u32;
typedef uint64_t __attribute__((may_alias)) u64;

/* Elements of 1, 2, 4 or 8 bytes: without branches, because hits are as frequent as missing values, and for a whole
 * block, so that compilers vectorise the loops. */
#define EACH_SIZE(size, STATEMENT)                                                                                     \
	do {                                                                                                           \
		if ((size) == 1)                                                                                       \
			STATEMENT(uint8_t);                                                                            \
		else if ((size) == 2)                                                                                  \
			STATEMENT(u16);                                                                                \
		else if ((size) == 4)                                                                                  \
			STATEMENT(u32);                                                                                \
		else                                                                                                   \
			STATEMENT(u64);                                                                                \
	} while (0)

/* The type as which mark_hits compares elements; ZINC_NATIVE: it cannot. */
static zinc_type
compared_as(const zinc_dtype *t)
{
	if (t->type == ZINC_FLOAT32 || t->type == ZINC_FLOAT64)
		return t->type;
	if (t->format)
		return t->size < 4 && zinc_dtype_converts(ZINC_FLOAT32, t->type) ? ZINC_FLOAT32 : ZINC_NATIVE;
	return t->bits == 8 * t->size ? t->type : ZINC_NATIVE;
}

/* Mark the elements of a block that are the number with this key.  Floats are compared as bits, because a program may
 * have asked its processor to take subnormal numbers for 0. */
static void
mark_hits(zinc_type type, const void *in, uint64_t key, uint32_t mark, uint32_t hits[BLOCK])
{
	const u32 *single = (const u32 *)in;
	const u64 *twice = (const u64 *)in;
	size_t i;

#define MARK(hit)                                                                                                      \
	for (i = 0; i < BLOCK; i++)                                                                                    \
	hits[i] = (hit) ? mark : hits[i]
#define MARK_EQUAL(type)                                                                                               \
	do {                                                                                                           \
		const type *v = (const type *)in, x = (type)key;                                                       \
                                                                                                                       \
		MARK(v[i] == x);                                                                                       \
	} while (0)
	if (type == ZINC_FLOAT32 && key == UINT64_MAX)
		MARK((0x7f800000 - (single[i] & INT32_MAX)) >> 31);
	else if (type == ZINC_FLOAT64 && key == UINT64_MAX)
		MARK((0x7ff0000000000000 - (twice[i] & INT64_MAX)) >> 63);
	else if (type == ZINC_FLOAT32 && key == 0)
		MARK((single[i] & INT32_MAX) == 0);
	else if (type == ZINC_FLOAT64 && key == 0)
		MARK((twice[i] & INT64_MAX) == 0);
	else
		EACH_SIZE(zinc_dtype_of(type)->size, MARK_EQUAL);
}

/* Elements of small floats are compared as float32, which has all of them. */
static void
mark_each(const direction *d, zinc_type type, const void *in, uint32_t hits[BLOCK])
{
	const bool widen = type != d->from->type;
	float wide[BLOCK], number;
	uint64_t key, element = 0;
	size_t k;

	if (widen)
		(void)zinc_dtype_convert(type, d->from->type, wide, in, BLOCK, 0);
	for (k = 0; k < d->nentries; k++) {
		key = d->entries[k].key;
		if (widen && key != UINT64_MAX) {
			zinc_bits_put(&element, d->from->size, key);
			(void)zinc_dtype_convert(type, d->from->type, &number, &element, 1, 0);
			key = zinc_bits_get(&number, sizeof number);
		}
		mark_hits(type, widen ? wide : in, key, (uint32_t)(k + 1), hits);
	}
}

/* For each element of a block, of which n are used, 1 + the index of its entry, or 0; returns whether there is one. */
static bool
find_hits(const direction *d, const uint8_t *in, size_t n, uint32_t hits[BLOCK])
{
	const zinc_type type = d->nentries <= FEW ? compared_as(d->from) : ZINC_NATIVE;
	uint32_t any = 0;
	size_t i;

	memset(hits, 0, BLOCK * sizeof *hits);
	if (type != ZINC_NATIVE)
		mark_each(d, type, in, hits);
	for (i = 0; i < n && type == ZINC_NATIVE; i++) {
		const entry *e = look_up(d, in + i * d->from->size);

		hits[i] = e ? (uint32_t)(e - d->entries) + 1 : 0;
	}
	for (i = 0; i < BLOCK; i++)
		any |= hits[i];
	return any != 0;
}

/* Set elements with a hit to 0. */
static void
clear_hits(const uint32_t hits[BLOCK], void *block, uint32_t size)
{
	size_t i;

#define CLEAR(type)                                                                                                    \
	do {                                                                                                           \
		type *v = (type *)block;                                                                               \
                                                                                                                       \
		for (i = 0; i < BLOCK; i++)                                                                            \
			v[i] = hits[i] ? 0 : v[i];                                                                     \
	} while (0)
	EACH_SIZE(size, CLEAR);
}

/* Set elements with a hit to the number of the map. */
static void
set_hits(const direction *d, const uint32_t hits[BLOCK], void *block, size_t n)
{
	size_t i, k;

#define SET(type)                                                                                                      \
	do {                                                                                                           \
		type *v = (type *)block;                                                                               \
                                                                                                                       \
		for (k = 0; k < d->nentries && d->nentries <= FEW; k++) {                                              \
			const type x = (type)d->entries[k].bits;                                                       \
                                                                                                                       \
			for (i = 0; i < BLOCK; i++)                                                                    \
				v[i] = hits[i] == k + 1 ? x : v[i];                                                    \
		}                                                                                                      \
		for (i = 0; i < n && d->nentries > FEW; i++)                                                           \
			v[i] = hits[i] ? (type)d->entries[hits[i] - 1].bits : v[i];                                    \
	} while (0)
	EACH_SIZE(d->to->size, SET);
}

/* The same with scalar_map.  The fast way sees 0 instead of numbers that the map has. */
static zinc_status
cast_mapped(const direction *d, const uint8_t *in, uint8_t *out, size_t n, size_t at, zinc_error *err)
{
	const uint32_t from = d->from->size, to = d->to->size;
	uint64_t others[BLOCK] = {0}, made[BLOCK] = {0};
	uint32_t hits[BLOCK];
	size_t i;

	memcpy(others, in, n * from);
	if (!find_hits(d, (const uint8_t *)others, n, hits))
		return cast_block(d, in, out, n, at, err);
	clear_hits(hits, others, from);
	for (i = cast_fast(d, (const uint8_t *)others, (uint8_t *)made, n); i < n; i++)
		if (!hits[i])
			ZINC_TRY(cast_one(d, in + i * from, (uint8_t *)made + i * to, at + i, err));
	set_hits(d, hits, made, n);
	memcpy(out, made, n * to);
	return ZINC_OK;
}

static zinc_status
cast(const direction *d, const void *in, void *out, size_t n, zinc_error *err)
{
	size_t at, m;

	for (at = 0; at < n; at += m) {
		const uint8_t *from = (const uint8_t *)in + at * d->from->size;
		uint8_t *to = (uint8_t *)out + at * d->to->size;

		m = n - at < BLOCK ? n - at : BLOCK;
		ZINC_TRY((d->nentries ? cast_mapped : cast_block)(d, from, to, m, at, err));
	}
	return ZINC_OK;
}

static zinc_status
cast_encode(const zinc_codec *c, zinc_scratch *s, const zinc_rep *rep, const void *in, void *out, zinc_error *err)
{
	size_t n;

	(void)s;
	ZINC_TRY(zinc_recode_count(rep, &n, err));
	return cast(&((const cast_codec *)c)->encode, in, out, n, err);
}

static zinc_status
cast_decode(const zinc_codec *c, zinc_scratch *s, const zinc_rep *rep, const void *in, void *out, zinc_error *err)
{
	size_t n;

	(void)s;
	ZINC_TRY(zinc_recode_count(rep, &n, err));
	return cast(&((const cast_codec *)c)->decode, in, out, n, err);
}

/* ---- configuration ---- */

static zinc_status
parse_pair(const direction *d, const zinc_json *v, pair *out, zinc_report *r, zinc_error *err)
{
	zinc_status st;
	size_t mark;

	if (!zinc_json_is(v, ZINC_JSON_ARRAY) || v->n != 2)
		return zinc_report_error(r, "cast_value", err, "must be an array of two numbers");
	mark = zinc_report_enter_item(r, 0);
	st = zinc_scalar_parse(d->from, v->first, "cast_value", &out->from, r, err);
	zinc_report_leave(r, mark);
	ZINC_TRY(st);
	mark = zinc_report_enter_item(r, 1);
	st = zinc_scalar_parse(d->to, v->last, "cast_value", &out->to, r, err);
	zinc_report_leave(r, mark);
	return st;
}

static zinc_status
parse_pairs(direction *d, zinc_context *ctx, const zinc_json *list, zinc_report *r, zinc_error *err)
{
	const zinc_json *v;

	if (!zinc_json_is(list, ZINC_JSON_ARRAY))
		return zinc_report_error(r, "cast_value", err, "must be an array of pairs");
	d->pairs = (pair *)zinc_calloc(ctx, list->n + 1, sizeof *d->pairs);
	d->entries = (entry *)zinc_calloc(ctx, list->n + 1, sizeof *d->entries);
	if (!d->pairs || !d->entries)
		return zinc_fail_nomem(err);
	for (v = list->first; v; v = v->next) {
		const size_t mark = zinc_report_enter_item(r, d->npairs);
		const zinc_status st = parse_pair(d, v, &d->pairs[d->npairs], r, err);

		zinc_report_leave(r, mark);
		ZINC_TRY(st);
		d->npairs++;
	}
	sort_entries(d);
	return ZINC_OK;
}

static zinc_status
parse_direction(direction *d, zinc_context *ctx, const zinc_json *map, const char *name, zinc_report *r,
		zinc_error *err)
{
	const zinc_json *list = zinc_json_member(map, name);
	zinc_status st;
	size_t mark;

	if (!list)
		return ZINC_OK;
	mark = zinc_report_enter(r, name);
	st = parse_pairs(d, ctx, list, r, err);
	zinc_report_leave(r, mark);
	return st;
}

static zinc_status
parse_map(cast_codec *c, const zinc_json *map, zinc_report *r, zinc_error *err)
{
	static const zinc_member names[] = {{.name = "encode"}, {.name = "decode"}, {.name = NULL}};

	if (!zinc_json_is(map, ZINC_JSON_OBJECT))
		return zinc_report_error(r, "cast_value", err, "must be an object");
	ZINC_TRY(zinc_members_only(names, "cast_value", map, r, err));
	ZINC_TRY(parse_direction(&c->encode, c->codec.ctx, map, "encode", r, err));
	return parse_direction(&c->decode, c->codec.ctx, map, "decode", r, err);
}

static zinc_status
parse_type(cast_codec *c, const zinc_json *v, const zinc_dtype **out, zinc_report *r, zinc_error *err)
{
	ZINC_TRY(zinc_dtype_parse(out, c->codec.ctx, v, r, err));
	if (!zinc_is_real(*out))
		return zinc_report_unsupported(r, "cast_value", err,
					       "cast_value: numbers stored as %s are not supported", (*out)->name);
	return ZINC_OK;
}

/* Parse the member `name` with `parse`, pointing at it. */
static zinc_status
parse_types(cast_codec *c, const zinc_json *configuration, const zinc_rep *in, zinc_report *r, zinc_error *err)
{
	const zinc_json *v = zinc_json_member(configuration, "data_type");
	const size_t mark = zinc_report_enter(r, "data_type");
	zinc_status st;

	if (!v)
		st = zinc_report_error(r, "cast_value", err, "\"data_type\" is missing from the configuration");
	else
		st = parse_type(c, v, &c->encode.to, r, err);
	zinc_report_leave(r, mark);
	c->decode.from = c->encode.to;
	c->encode.from = c->decode.to = in->dtype;
	return st;
}

/* Does `to` have every number of `from`?  Then no rounding takes place. */
static bool
holds_floats(const zinc_dtype *to, const zinc_dtype *from)
{
	return to == from || (to->type == ZINC_FLOAT64 && from->size < 8) ||
	       (to->type == ZINC_FLOAT32 && from->size < 4);
}

/* Choose the fast way, if there is one.  Converters narrow floats to nearest even, and without ROUND they leave
 * integers that a float does not have to cast_one; so they also leave it what is out of range. */
static void
choose_way(direction *d)
{
	const bool from_float = d->from->kind == ZINC_KIND_FLOAT, to_float = d->to->kind == ZINC_KIND_FLOAT;
	const bool even = d->rounding == ZINC_ROUND_EVEN;

	d->float_ints = from_float && !to_float && zinc_floats_to_ints_has(d->to, d->from);
	if (from_float && (!to_float || !(even || holds_floats(d->to, d->from))))
		return;
	d->converts = zinc_dtype_converts(d->to->type, d->from->type);
	if (to_float)
		d->flags = even ? ZINC_CONVERT_ROUND : ZINC_CONVERT_EXACT;
	else if (d->range != RANGE_ERROR)
		d->flags = d->range == RANGE_CLAMP ? ZINC_CONVERT_CLAMP : ZINC_CONVERT_WRAP;
}

static zinc_status
parse_members(cast_codec *c, const zinc_json *configuration, const zinc_rep *in, zinc_report *r, zinc_error *err)
{
	const zinc_json *map = zinc_json_member(configuration, "scalar_map");
	zinc_status st = ZINC_OK;
	size_t mark;

	if (!zinc_is_real(in->dtype))
		return zinc_report_unsupported(r, "cast_value", err,
					       "cast_value: elements of type %s are not supported", in->dtype->name);
	ZINC_TRY(zinc_members_only(members, "cast_value", configuration, r, err));
	ZINC_TRY(parse_types(c, configuration, in, r, err));
	ZINC_TRY(zinc_members_parse(members, "cast_value", configuration, c, r, err));
	if (c->range == RANGE_WRAP && c->encode.to->format)
		return zinc_report_error(r, "cast_value", err, "\"wrap\" is for integers, not for %s",
					 c->encode.to->name);
	if (c->range == RANGE_ERROR && zinc_json_member(configuration, "out_of_range"))
		ZINC_TRY(zinc_report_lenient(r, "cast_value", err, "\"out_of_range\" should be missing for errors"));
	mark = zinc_report_enter(r, "scalar_map");
	if (map)
		st = parse_map(c, map, r, err);
	zinc_report_leave(r, mark);
	ZINC_TRY(st);
	c->encode.rounding = c->decode.rounding = (zinc_rounding)c->rounding;
	c->encode.range = c->decode.range = c->range;
	c->encode.failure = ZINC_E_RANGE;
	c->decode.failure = ZINC_E_CORRUPT;
	choose_way(&c->encode);
	choose_way(&c->decode);
	return ZINC_OK;
}

/* (5) */
static zinc_status
cast_fill(cast_codec *c, const zinc_rep *in, zinc_rep *out, zinc_report *r, zinc_error *err)
{
	uint64_t back = 0;

	if (!in->fill)
		return ZINC_OK;
	if (cast(&c->encode, in->fill, &c->fill, 1, NULL) != ZINC_OK)
		return zinc_report_error(r, "cast_value", err, "fill_value cannot be stored as %s", c->encode.to->name);
	if (cast(&c->decode, &c->fill, &back, 1, NULL) != ZINC_OK ||
	    key_of(in->dtype, &back) != key_of(in->dtype, in->fill))
		ZINC_TRY(zinc_report_lenient(r, "cast_value", err, "fill_value changes when it is stored as %s",
					     c->encode.to->name));
	out->fill = &c->fill;
	return ZINC_OK;
}

static void
cast_free(zinc_codec *codec)
{
	cast_codec *c = (cast_codec *)codec;

	zinc_free(codec->ctx, c->encode.pairs);
	zinc_free(codec->ctx, c->encode.entries);
	zinc_free(codec->ctx, c->decode.pairs);
	zinc_free(codec->ctx, c->decode.entries);
	zinc_dtype_free(c->encode.to);
	zinc_free(codec->ctx, c);
}

static zinc_status
cast_parse(zinc_codec **codec, const zinc_codec_ops *ops, zinc_context *ctx, const zinc_json *configuration,
	   const zinc_rep *in, zinc_rep *out, zinc_report *r, zinc_error *err)
{
	zinc_codec *c;
	zinc_status st;

	ZINC_TRY(zinc_codec_new(&c, ops, ctx, sizeof(cast_codec), err));
	st = parse_members((cast_codec *)c, configuration, in, r, err);
	if (st == ZINC_OK)
		st = cast_fill((cast_codec *)c, in, out, r, err);
	if (st != ZINC_OK) {
		cast_free(c);
		return st;
	}
	out->dtype = ((cast_codec *)c)->encode.to;
	*codec = c;
	return ZINC_OK;
}

static zinc_status
print_pairs(const direction *d, const char *name, zinc_json_doc *doc, zinc_json *map, zinc_error *err)
{
	zinc_json *list = zinc_json_make(doc, ZINC_JSON_ARRAY), *two;
	size_t i;

	if (d->npairs == 0)
		return ZINC_OK;
	for (i = 0; i < d->npairs; i++) {
		two = zinc_json_make(doc, ZINC_JSON_ARRAY);
		ZINC_TRY(zinc_json_append(two, d->from->ops->print_fill(d->from, &d->pairs[i].from, doc), err));
		ZINC_TRY(zinc_json_append(two, d->to->ops->print_fill(d->to, &d->pairs[i].to, doc), err));
		ZINC_TRY(zinc_json_append(list, two, err));
	}
	return zinc_json_set(doc, map, name, list, err);
}

static zinc_status
cast_print(const zinc_codec *codec, zinc_json_doc *doc, zinc_json **out, zinc_error *err)
{
	const cast_codec *c = (const cast_codec *)codec;
	zinc_json *o = zinc_json_make(doc, ZINC_JSON_OBJECT), *map = zinc_json_make(doc, ZINC_JSON_OBJECT), *more, *m;

	ZINC_TRY(zinc_json_set(doc, o, "data_type", zinc_dtype_print(c->encode.to, doc), err));
	ZINC_TRY(zinc_members_print(members, c, doc, &more, err));
	for (m = more->first; m; m = m->next)
		ZINC_TRY(zinc_json_set(doc, o, m->key, zinc_json_copy(doc, m), err));
	if (!map)
		return zinc_fail_nomem(err);
	ZINC_TRY(print_pairs(&c->encode, "encode", doc, map, err));
	ZINC_TRY(print_pairs(&c->decode, "decode", doc, map, err));
	if (map->first)
		ZINC_TRY(zinc_json_set(doc, o, "scalar_map", map, err));
	*out = o;
	return ZINC_OK;
}

static bool
is_among(const char *const *choices, const char *word)
{
	for (; *choices; choices++)
		if (strcmp(*choices, word) == 0)
			return true;
	return false;
}

/* "cast_value:int16", "cast_value:int16:clamp:towards-zero". */
static zinc_status
cast_parse_words(const char *const *words, int nwords, const zinc_rep *in, zinc_json_doc *doc, zinc_json **out,
		 zinc_error *err)
{
	zinc_json *o = zinc_json_make(doc, ZINC_JSON_OBJECT);
	const char *member;
	int i;

	(void)in;
	if (nwords == 0)
		return zinc_fail(err, ZINC_E_INVALID, "cast_value needs a data type, as in \"cast_value:int16\"");
	ZINC_TRY(zinc_json_set(doc, o, "data_type", zinc_json_make_string(doc, words[0]), err));
	for (i = 1; i < nwords; i++) {
		member = is_among(roundings, words[i]) ? "rounding"
			 : is_among(ranges, words[i])  ? "out_of_range"
						       : NULL;
		if (!member)
			return zinc_fail(err, ZINC_E_INVALID,
					 "cast_value: \"%.60s\" is neither a rounding nor what to do out of range",
					 words[i]);
		ZINC_TRY(zinc_json_set(doc, o, member, zinc_json_make_string(doc, words[i]), err));
	}
	*out = o;
	return ZINC_OK;
}

/* Without a map and without limits an integer is stored exactly as another integer, or not at all. */
static bool
cast_loses(const zinc_codec *codec)
{
	const cast_codec *c = (const cast_codec *)codec;
	const zinc_dtype *from = c->encode.from, *to = c->encode.to;

	if (c->encode.nentries > 0 || c->decode.nentries > 0)
		return true;
	if (from->kind == ZINC_KIND_FLOAT && to->kind == ZINC_KIND_FLOAT)
		return !holds_floats(to, from);
	return from->kind == ZINC_KIND_FLOAT || to->kind == ZINC_KIND_FLOAT || c->range != RANGE_ERROR;
}

/* float32 and float64 have a neighbour of every number, but float64 has numbers beyond float32: from the map, or from
 * codecs behind. */
static bool
cast_refuses(const zinc_codec *codec, double changed)
{
	const cast_codec *c = (const cast_codec *)codec;

	if (!zinc_recode_wide(c->decode.to))
		return true;
	return (changed > FLT_MAX || c->encode.nentries > 0) && c->decode.to->type == ZINC_FLOAT32 &&
	       c->decode.from->type == ZINC_FLOAT64;
}

static double
magnitude(const zinc_dtype *t, const void *element)
{
	zinc_exact x;

	zinc_exact_read(t, element, &x);
	return x.kind > ZINC_EXACT_FINITE ? 0 : fabs(zinc_exact_double(&x));
}

/* A number of the stored type, rounded, or one of the map. */
static double
cast_reach(const zinc_codec *codec)
{
	const direction *d = &((const cast_codec *)codec)->decode;
	const zinc_float_format *f = d->from->format;
	double most = ldexp(1, (int)d->from->bits);
	uint64_t largest = 0;
	size_t i;

	if (f) {
		zinc_bits_put(&largest, d->from->size, f->max);
		most = magnitude(d->from, &largest);
	}
	for (i = 0; i < d->npairs; i++)
		most = fmax(most, magnitude(d->to, &d->pairs[i].to));
	return 2 * most;
}

static const zinc_array_ops coder = {
    .encode = cast_encode,
    .decode = cast_decode,
    .refuses = cast_refuses,
    .reach = cast_reach,
    .loses = cast_loses,
};

const zinc_codec_ops zinc_codec_cast_value = {
    .name = "cast_value",
    .purpose = "numbers stored as another type; may lose digits",
    .kind = ZINC_ARRAY_ARRAY,
    .fixed_size = true,
    .needs_configuration = true,
    .parse = cast_parse,
    .print = cast_print,
    .parse_words = cast_parse_words,
    .free = cast_free,
    .array = &coder,
};
