/*
 * dtype_fixed.c - texts and bytes of a fixed length: fixed_length_utf32, null_terminated_bytes, raw_bytes
 *
 *     U4  "ab"   61 00 00 00  62 00 00 00  00 00 00 00  00 00 00 00     code points, in a byte order
 *     S3  "ab"   61 62 00                                               zeros at the end are not part of the text
 *     V3         any three bytes; r24 of the v3 core is the same with another fill value
 */
#include "dtype/element.h"

#include <stdio.h>

/* The length without zeros at the end. */
static zinc_chars
chars_of(const zinc_dtype *t, const void *element)
{
	zinc_chars c = {element, t->size, t->kind == ZINC_KIND_UTF32 ? ZINC_CODING_UTF32 : ZINC_CODING_BYTES};

	while (c.n >= t->unit && zinc_bits_load(c.p + c.n - t->unit, t->unit) == 0)
		c.n -= t->unit;
	return c;
}

static zinc_status
chars_print(const zinc_dtype *t, const void *element, zinc_spelling how, zinc_buf *out, zinc_error *err)
{
	const zinc_chars c = chars_of(t, element);

	return zinc_chars_print(&c, how, out, err);
}

/* ---- fill values ---- */

bool
zinc_utf32_store(const zinc_dtype *t, void *element, const char *s, size_t n)
{
	uint8_t *p = element;
	size_t at, len, i;
	uint32_t code;

	for (at = 0, i = 0; at < n; at += len, i++) {
		len = zinc_utf8_next(s + at, n - at, &code);
		if (len == 0 || i == t->size / 4)
			return false;
		memcpy(p + 4 * i, &code, sizeof code);
	}
	memset(p + 4 * i, 0, t->size - 4 * i);
	return true;
}

static zinc_status
utf32_parse_fill(const zinc_dtype *t, const zinc_json *v, void *element, zinc_report *r, zinc_error *err)
{
	if (!zinc_json_is(v, ZINC_JSON_STRING))
		return zinc_report_error(r, "M59", err, "a fill value of type %s must be a string", t->name);
	if (!zinc_utf32_store(t, element, v->text, v->n))
		return zinc_report_error(r, "M59", err, "a fill value of more than %u characters",
					 (unsigned)t->size / 4);
	return ZINC_OK;
}

/* NULL also for an element that is not Unicode; a parser never makes one. */
static zinc_json *
utf32_print_fill(const zinc_dtype *t, const void *element, zinc_json_doc *doc)
{
	zinc_json *v = NULL;
	zinc_buf text;

	zinc_buf_init(&text, zinc_json_context(doc), t->size);
	if (chars_print(t, element, ZINC_SPELL_TEXT, &text, NULL) == ZINC_OK)
		v = zinc_json_make_stringn(doc, (const char *)text.p, text.n);
	zinc_buf_fini(&text);
	return v;
}

zinc_status
zinc_fill_parse_base64(const zinc_dtype *t, const zinc_json *v, void *element, zinc_report *r, zinc_error *err)
{
	size_t n;

	if (!zinc_json_is(v, ZINC_JSON_STRING) || !zinc_base64_decode(v->text, v->n, element, t->size, &n))
		return zinc_report_error(r, "M59", err, "a fill value of type %s must be a base64 string", t->name);
	if (n > t->size || (n < t->size && t->kind != ZINC_KIND_CHARS))
		return zinc_report_error(r, "M59", err, "a fill value of %zu bytes, where elements have %u", n,
					 (unsigned)t->size);
	memset((uint8_t *)element + n, 0, t->size - n);
	return ZINC_OK;
}

zinc_json *
zinc_json_make_base64(zinc_json_doc *doc, const void *p, size_t n)
{
	zinc_json *v = NULL;
	zinc_buf text;

	zinc_buf_init(&text, zinc_json_context(doc), zinc_max_text(zinc_json_context(doc)));
	if (zinc_base64_encode(p, n, &text, NULL) == ZINC_OK)
		v = zinc_json_make_stringn(doc, (const char *)text.p, text.n);
	zinc_buf_fini(&text);
	return v;
}

static zinc_json *
print_base64(const zinc_dtype *t, const void *element, zinc_json_doc *doc)
{
	return zinc_json_make_base64(doc, element,
				     t->kind == ZINC_KIND_CHARS ? chars_of(t, element).n : (size_t)t->size);
}

/* ---- configuration ---- */

static const zinc_dtype_ops utf32_ops = {
    .parse_fill = utf32_parse_fill,
    .print_fill = utf32_print_fill,
    .print = chars_print,
};
static const zinc_dtype_ops chars_ops = {
    .parse_fill = zinc_fill_parse_base64,
    .print_fill = print_base64,
    .print = chars_print,
};
static const zinc_dtype_ops raw_ops = {
    .parse_fill = zinc_fill_parse_base64,
    .print_fill = print_base64,
    .print = zinc_print_raw,
};

static zinc_status
make(zinc_dtype *t, uint64_t nbytes, zinc_error *err)
{
	const bool utf32 = t->row == &zinc_row_utf32, chars = t->row == &zinc_row_chars;

	ZINC_TRY(zinc_dtype_set_size(t, nbytes, err));
	t->kind = utf32 ? ZINC_KIND_UTF32 : chars ? ZINC_KIND_CHARS : ZINC_KIND_RAW;
	t->type = utf32 || chars ? ZINC_NATIVE : ZINC_RAW;
	t->unit = utf32 ? 4 : 1;
	t->ops = utf32 ? &utf32_ops : chars ? &chars_ops : &raw_ops;
	snprintf(t->v2_buf, sizeof t->v2_buf, "%c%u", utf32 ? 'U' : chars ? 'S' : 'V', (unsigned)t->size / t->unit);
	t->v2 = t->v2_buf;
	return ZINC_OK;
}

static zinc_status
parse(zinc_dtype *t, const zinc_json *configuration, zinc_report *r, zinc_error *err)
{
	static const char *const members[] = {"length_bytes", NULL};
	const uint64_t unit = t->row == &zinc_row_utf32 ? 4 : 1;
	uint64_t n;

	ZINC_TRY(zinc_dtype_members(t, configuration, members, r, err));
	if (!zinc_json_u64(zinc_json_member(configuration, "length_bytes"), &n) || n == 0 || n % unit != 0)
		return zinc_report_error(r, t->name, err, "\"length_bytes\" must be %s",
					 unit == 4 ? "a positive multiple of 4" : "a positive integer");
	return make(t, n, err);
}

static zinc_status
print(const zinc_dtype *t, zinc_json_doc *doc, zinc_json **out, zinc_error *err)
{
	*out = zinc_json_make(doc, ZINC_JSON_OBJECT);
	return zinc_json_set(doc, *out, "length_bytes", zinc_json_make_u64(doc, t->size), err);
}

/* "4", of characters or bytes */
static zinc_status
parse_v2(zinc_dtype *t, const char *rest, zinc_report *r, zinc_error *err)
{
	uint64_t n;

	if (!zinc_read_count(rest, &n))
		return zinc_report_error(r, t->name, err, "\"%c%.40s\": its length must be a positive number",
					 t->row->letter, rest);
	return make(t, t->row == &zinc_row_utf32 ? n * 4 : n, err); /* n is limited far below 2^62 */
}

const zinc_dtype_row zinc_row_utf32 = {
    .name = "fixed_length_utf32",
    .v2 = "U*",
    .purpose = "text of a fixed number of characters",
    .parse = parse,
    .print = print,
    .needs_configuration = true,
    .letter = 'U',
    .parse_v2 = parse_v2,
};
const zinc_dtype_row zinc_row_chars = {
    .name = "null_terminated_bytes",
    .v2 = "S*",
    .purpose = "text of a fixed number of bytes",
    .parse = parse,
    .print = print,
    .needs_configuration = true,
    .letter = 'S',
    .parse_v2 = parse_v2,
};
const zinc_dtype_row zinc_row_raw_bytes = {
    .name = "raw_bytes",
    .v2 = "V*",
    .purpose = "bytes without meaning, as zarr-python names them",
    .parse = parse,
    .print = print,
    .needs_configuration = true,
    .letter = 'V',
    .parse_v2 = parse_v2,
};
