/*
 * dtype_vlen.c - string and bytes: elements of variable length
 *
 * In memory an element is a zinc_vlen.  Reads store the bytes in an arena.  The bytes of a fill value directly follow
 * its zinc_vlen, in the same block:
 *
 *     [data | nbytes][bytes ...]
 *        '-----------^
 */
#include "dtype/element.h"

static zinc_vlen
load(const void *element)
{
	zinc_vlen v;

	memcpy(&v, element, sizeof v);
	return v;
}

static zinc_chars
chars_of(const zinc_dtype *t, const void *element)
{
	const zinc_vlen v = load(element);

	return (zinc_chars){v.data, (size_t)v.nbytes,
			    t->kind == ZINC_KIND_STRING ? ZINC_CODING_UTF8 : ZINC_CODING_BYTES};
}

/* The element points to the memory after itself, which holds its first n bytes. */
static void
point(void *element, size_t n)
{
	const zinc_vlen v = {n ? (uint8_t *)element + sizeof v : NULL, n};

	memcpy(element, &v, sizeof v);
}

/* ---- text ---- */

/* Bytes are quoted even in plain text, and base64 in JSON. */
static zinc_status
vlen_print(const zinc_dtype *t, const void *element, zinc_spelling how, zinc_buf *out, zinc_error *err)
{
	const zinc_chars c = chars_of(t, element);

	if (c.coding == ZINC_CODING_UTF8)
		return zinc_chars_print(&c, how, out, err);
	if (how != ZINC_SPELL_JSON)
		return zinc_chars_print(&c, ZINC_SPELL_REPR, out, err);
	ZINC_TRY(zinc_buf_puts(out, "\"", err));
	ZINC_TRY(zinc_base64_encode(c.p, c.n, out, err));
	return zinc_buf_puts(out, "\"", err);
}

/* ---- fill values ---- */

static zinc_status
string_parse_fill(const zinc_dtype *t, const zinc_json *v, void *element, zinc_report *r, zinc_error *err)
{
	if (!zinc_json_is(v, ZINC_JSON_STRING))
		return zinc_report_error(r, "M59", err, "a fill value of type %s must be a string", t->name);
	memcpy((uint8_t *)element + sizeof(zinc_vlen), v->text, v->n);
	point(element, v->n);
	return ZINC_OK;
}

static zinc_json *
string_print_fill(const zinc_dtype *t, const void *element, zinc_json_doc *doc)
{
	const zinc_vlen v = load(element);

	(void)t;
	return zinc_json_make_stringn(doc, v.nbytes ? v.data : "", (size_t)v.nbytes);
}

/* Base64, or a list of numbers. */
static zinc_status
bytes_parse_fill(const zinc_dtype *t, const zinc_json *v, void *element, zinc_report *r, zinc_error *err)
{
	uint8_t *p = (uint8_t *)element + sizeof(zinc_vlen);
	const zinc_json *item;
	uint64_t byte;
	size_t n = 0;

	if (zinc_json_is(v, ZINC_JSON_STRING)) {
		if (!zinc_base64_decode(v->text, v->n, p, v->n, &n))
			return zinc_report_error(r, "M59", err, "a fill value of type %s is not base64", t->name);
		point(element, n);
		return ZINC_OK;
	}
	if (!zinc_json_is(v, ZINC_JSON_ARRAY))
		return zinc_report_error(r, "M59", err,
					 "a fill value of type %s must be a base64 string or a list of bytes", t->name);
	for (item = v->first; item; item = item->next) {
		if (!zinc_json_u64(item, &byte) || byte > 255)
			return zinc_report_error(r, "M59", err,
						 "the bytes of a fill value must be integers from 0 to 255");
		p[n++] = (uint8_t)byte;
	}
	point(element, n);
	return ZINC_OK;
}

static zinc_json *
bytes_print_fill(const zinc_dtype *t, const void *element, zinc_json_doc *doc)
{
	const zinc_vlen v = load(element);

	(void)t;
	return zinc_json_make_base64(doc, v.data, (size_t)v.nbytes);
}

/* ---- the types ---- */

static const zinc_dtype_ops string_ops = {
    .parse_fill = string_parse_fill,
    .print_fill = string_print_fill,
    .print = vlen_print,
};
static const zinc_dtype_ops bytes_ops = {
    .parse_fill = bytes_parse_fill,
    .print_fill = bytes_print_fill,
    .print = vlen_print,
};

static zinc_status
parse(zinc_dtype *t, const zinc_json *configuration, zinc_report *r, zinc_error *err)
{
	static const char *const members[] = {NULL};
	const bool string = t->row == &zinc_row_string;

	ZINC_TRY(zinc_dtype_members(t, configuration, members, r, err));
	t->kind = string ? ZINC_KIND_STRING : ZINC_KIND_BYTES;
	t->size = sizeof(zinc_vlen);
	t->bits = 8 * t->size;
	t->unit = 1;
	t->variable = true;
	t->ops = string ? &string_ops : &bytes_ops;
	return ZINC_OK;
}

static const char *const bytes_aliases[] = {"variable_length_bytes", "binary", NULL};

const zinc_dtype_row zinc_row_string = {
    .name = "string",
    .v2 = "O",
    .purpose = "text of any length, UTF-8",
    .parse = parse,
};
const zinc_dtype_row zinc_row_bytes = {
    .name = "bytes",
    .v2 = "O",
    .purpose = "bytes of any length",
    .parse = parse,
    .aliases = bytes_aliases,
};
