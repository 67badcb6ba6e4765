/*
 * dtype_cast.c - convert elements of one type to another of the same sort
 *
 *     number -> number                  as dtype_convert.c
 *     datetime -> datetime              exactly; spans likewise
 *     U, string -> U, string            the same characters, if they fit
 *     S, bytes -> S, bytes              the same bytes, if they fit
 *     struct -> struct                  field by field: the same names in the same order
 *
 * A text that ends in a zero byte cannot be stored in a fixed length, where the zero would count as padding: E_RANGE.
 */
#include "dtype/element.h"

/* The caller's options. */
struct how {
	int flags;         /* zinc_convert, of numbers */
	zinc_arena *arena; /* memory for bytes of variable length */
};

/* Converts one element.  E_RANGE has no text yet: the caller adds the element. */
typedef zinc_status (*cast_fn)(const zinc_dtype *to, void *dst, const zinc_dtype *from, const void *src,
			       const struct how *how, zinc_error *err);

static cast_fn find_cast(const zinc_dtype *to, const zinc_dtype *from);

/* ---- numbers, times, bytes ---- */

static zinc_status
cast_number(const zinc_dtype *to, void *dst, const zinc_dtype *from, const void *src, const struct how *how,
	    zinc_error *err)
{
	(void)err;
	return zinc_dtype_convert(to->type, from->type, dst, src, 1, how->flags) == 1 ? ZINC_OK : ZINC_E_RANGE;
}

static zinc_status
cast_time(const zinc_dtype *to, void *dst, const zinc_dtype *from, const void *src, const struct how *how,
	  zinc_error *err)
{
	int64_t v;

	(void)how, (void)err;
	if (!zinc_datetime_convert(to, &v, from, zinc_bits_load_signed(src, 8)))
		return ZINC_E_RANGE;
	memcpy(dst, &v, sizeof v);
	return ZINC_OK;
}

static zinc_status
cast_raw(const zinc_dtype *to, void *dst, const zinc_dtype *from, const void *src, const struct how *how,
	 zinc_error *err)
{
	(void)from, (void)how, (void)err;
	memcpy(dst, src, to->size);
	return ZINC_OK;
}

/* ---- texts ---- */

static zinc_chars
chars_of(const zinc_dtype *t, const void *element)
{
	zinc_chars c = {element, t->size, t->kind == ZINC_KIND_UTF32 ? ZINC_CODING_UTF32 : ZINC_CODING_BYTES};
	zinc_vlen v;

	if (t->variable) {
		memcpy(&v, element, sizeof v);
		return (zinc_chars){v.data, (size_t)v.nbytes, ZINC_CODING_UTF8};
	}
	while (c.n >= t->unit && zinc_bits_load(c.p + c.n - t->unit, t->unit) == 0)
		c.n -= t->unit;
	return c;
}

/* Between two texts of the same encoding and of fixed length. */
static zinc_status
cast_fixed(const zinc_dtype *to, void *dst, const zinc_dtype *from, const void *src, const struct how *how,
	   zinc_error *err)
{
	const zinc_chars c = chars_of(from, src);

	(void)how, (void)err;
	if (c.n > to->size || (from->variable && c.n > 0 && c.p[c.n - 1] == 0))
		return ZINC_E_RANGE;
	if (c.n > 0)
		memcpy(dst, c.p, c.n);
	memset((uint8_t *)dst + c.n, 0, to->size - c.n);
	return ZINC_OK;
}

static zinc_status
cast_to_utf32(const zinc_dtype *to, void *dst, const zinc_dtype *from, const void *src, const struct how *how,
	      zinc_error *err)
{
	const zinc_chars c = chars_of(from, src);

	(void)how, (void)err;
	if (c.n > 0 && c.p[c.n - 1] == 0)
		return ZINC_E_RANGE;
	return zinc_utf32_store(to, dst, (const char *)c.p, c.n) ? ZINC_OK : ZINC_E_RANGE;
}

/* Copies bytes to the arena. */
static zinc_status
keep(void *dst, const void *p, size_t n, zinc_arena *arena, zinc_error *err)
{
	zinc_vlen v = {NULL, n};

	ZINC_TRY(zinc_arena_add(arena, p, n, &v.data, err));
	memcpy(dst, &v, sizeof v);
	return ZINC_OK;
}

static zinc_status
cast_to_bytes(const zinc_dtype *to, void *dst, const zinc_dtype *from, const void *src, const struct how *how,
	      zinc_error *err)
{
	const zinc_chars c = chars_of(from, src);

	(void)to;
	return keep(dst, c.p, c.n, how->arena, err);
}

static zinc_status
cast_utf32_to_string(const zinc_dtype *to, void *dst, const zinc_dtype *from, const void *src, const struct how *how,
		     zinc_error *err)
{
	const zinc_chars c = chars_of(from, src);
	zinc_buf text;
	zinc_status st;

	zinc_buf_init(&text, to->ctx, zinc_max_chunk(to->ctx));
	st = zinc_chars_print(&c, ZINC_SPELL_TEXT, &text, err);
	if (st == ZINC_OK)
		st = keep(dst, text.p, text.n, how->arena, err);
	zinc_buf_fini(&text);
	return st;
}

/* ---- structs ---- */

static zinc_status
cast_struct(const zinc_dtype *to, void *dst, const zinc_dtype *from, const void *src, const struct how *how,
	    zinc_error *err)
{
	const zinc_field *a, *b;
	size_t i, n;

	a = zinc_dtype_fields(to, &n);
	b = zinc_dtype_fields(from, &n);
	for (i = 0; i < n; i++)
		ZINC_TRY(find_cast(a[i].type, b[i].type)(a[i].type, (uint8_t *)dst + a[i].offset, b[i].type,
							 (const uint8_t *)src + b[i].offset, how, err));
	return ZINC_OK;
}

static zinc_status
cast_subarray(const zinc_dtype *to, void *dst, const zinc_dtype *from, const void *src, const struct how *how,
	      zinc_error *err)
{
	size_t i, n;
	const zinc_dtype *a = zinc_subarray_base(to, &n), *b = zinc_subarray_base(from, &n);
	const cast_fn cast = find_cast(a, b);

	for (i = 0; i < n; i++)
		ZINC_TRY(cast(a, (uint8_t *)dst + i * a->size, b, (const uint8_t *)src + i * b->size, how, err));
	return ZINC_OK;
}

/* Do the fields have the same names, and does each convert? */
static bool
fields_match(const zinc_dtype *to, const zinc_dtype *from)
{
	size_t i, n, m;
	const zinc_field *a = zinc_dtype_fields(to, &n), *b = zinc_dtype_fields(from, &m);

	for (i = 0; n == m && i < n; i++)
		if (strcmp(a[i].name, b[i].name) != 0 || !find_cast(a[i].type, b[i].type))
			return false;
	return n == m;
}

static bool
shapes_match(const zinc_dtype *to, const zinc_dtype *from)
{
	const uint64_t *a, *b;
	const int n = zinc_subarray_shape(to, &a), m = zinc_subarray_shape(from, &b);
	size_t count;

	return n == m && memcmp(a, b, (size_t)n * sizeof *a) == 0 &&
	       find_cast(zinc_subarray_base(to, &count), zinc_subarray_base(from, &count));
}

static bool
sizes_match(const zinc_dtype *to, const zinc_dtype *from)
{
	return to->size == from->size;
}

/* ---- which ---- */

static const struct {
	zinc_kind to, from;
	cast_fn cast;
	bool (*match)(const zinc_dtype *to, const zinc_dtype *from); /* NULL: always */
} casts[] = {
    {ZINC_KIND_RAW, ZINC_KIND_RAW, cast_raw, sizes_match},
    {ZINC_KIND_DATETIME, ZINC_KIND_DATETIME, cast_time, NULL},
    {ZINC_KIND_TIMEDELTA, ZINC_KIND_TIMEDELTA, cast_time, NULL},
    {ZINC_KIND_UTF32, ZINC_KIND_UTF32, cast_fixed, NULL},
    {ZINC_KIND_UTF32, ZINC_KIND_STRING, cast_to_utf32, NULL},
    {ZINC_KIND_CHARS, ZINC_KIND_CHARS, cast_fixed, NULL},
    {ZINC_KIND_CHARS, ZINC_KIND_BYTES, cast_fixed, NULL},
    {ZINC_KIND_STRING, ZINC_KIND_UTF32, cast_utf32_to_string, NULL},
    {ZINC_KIND_STRING, ZINC_KIND_STRING, cast_to_bytes, NULL},
    {ZINC_KIND_BYTES, ZINC_KIND_CHARS, cast_to_bytes, NULL},
    {ZINC_KIND_BYTES, ZINC_KIND_BYTES, cast_to_bytes, NULL},
    {ZINC_KIND_STRUCT, ZINC_KIND_STRUCT, cast_struct, fields_match},
    {ZINC_KIND_SUBARRAY, ZINC_KIND_SUBARRAY, cast_subarray, shapes_match},
};

/* NULL: these two do not convert. */
static cast_fn
find_cast(const zinc_dtype *to, const zinc_dtype *from)
{
	size_t i;

	for (i = 0; i < sizeof casts / sizeof casts[0]; i++)
		if (casts[i].to == to->kind && casts[i].from == from->kind)
			return !casts[i].match || casts[i].match(to, from) ? casts[i].cast : NULL;
	if (to->kind > ZINC_KIND_COMPLEX || from->kind > ZINC_KIND_COMPLEX)
		return NULL;
	return zinc_dtype_converts(to->type, from->type) ? cast_number : NULL;
}

/* Fail with the element that does not fit. */
static zinc_status
out_of_range(const zinc_dtype *to, const zinc_dtype *from, const void *element, size_t i, bool rounding_helps,
	     zinc_error *err)
{
	char text[256];
	zinc_buf b;

	zinc_buf_wrap(&b, text, sizeof text);
	if (from->ops->print(from, element, ZINC_SPELL_REPR, &b, NULL) != ZINC_OK)
		zinc_buf_end(&b, 0);
	return zinc_fail(err, ZINC_E_RANGE, "element %zu, %s, does not fit %s%s", i,
			 b.n ? zinc_buf_text(&b) : "a long one", to->v2 ? to->v2 : to->name,
			 zinc_convert_remedy(rounding_helps));
}

zinc_status
zinc_dtype_cast(const zinc_dtype *to, void *dst, const zinc_dtype *from, const void *src, size_t n, int flags,
		zinc_arena *arena, zinc_error *err)
{
	const struct how how = {flags, arena}, rounded = {flags | ZINC_CONVERT_ROUND, arena};
	const cast_fn cast = find_cast(to, from);
	size_t i;

	if (!cast)
		return zinc_fail(err, ZINC_E_INVALID, "elements of type %s cannot be converted to %s",
				 from->v2 ? from->v2 : from->name, to->v2 ? to->v2 : to->name);
	if (to->variable && !arena)
		return zinc_fail(err, ZINC_E_INVALID, "elements of type %s need an arena", to->name);
	for (i = 0; i < n; i++) {
		const uint8_t *element = (const uint8_t *)src + i * from->size;
		uint8_t *out = (uint8_t *)dst + i * to->size;
		const zinc_status st = cast(to, out, from, element, &how, err);

		if (st == ZINC_E_RANGE)
			return out_of_range(to, from, element, i,
					    cast(to, out, from, element, &rounded, NULL) == ZINC_OK, err);
		ZINC_TRY(st);
	}
	return ZINC_OK;
}
