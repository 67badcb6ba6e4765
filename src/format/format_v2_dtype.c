/*
 * format_v2_dtype.c - data types and fill values of version 2 in the final version's words, and back
 *
 *   <f4 >i2 |b1 c16      float32 int16 bool complex128; the order goes to the codec bytes
 *   |V3                  r24
 *   |S7  <U13            null_terminated_bytes, fixed_length_utf32 {"length_bytes"}
 *   <M8[10us] <m8[s]     numpy.datetime64, numpy.timedelta64 {"unit", "scale_factor"}
 *   |O                   string or bytes, as the codec of objects says
 *   [["x", "<f4"], ...]  struct {"fields"}
 *
 * Fill values differ in few ways: bytes are base64, null is "undefined", old writers gave 0 and 1 for booleans and
 * 0 for "nothing" of any type.
 */
#include <stdio.h>
#include <stdlib.h>

#include "format/format_v2.h"

/* ---- base64 (RFC 4648, section 4) ---- */

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* Bytes of the text; -1: it is none.  `out` has room for 3 bytes of every 4 characters begun. */
static int64_t
base64_decode(const char *text, size_t n, uint8_t *out)
{
	uint32_t bits = 0;
	int64_t done = 0;
	size_t i, left;

	while (n > 0 && text[n - 1] == '=')
		n--;
	for (i = 0; i < n; i++) {
		const char *d = strchr(digits, text[i]);

		if (!d || text[i] == '\0')
			return -1;
		bits = bits << 6 | (uint32_t)(d - digits);
		if (i % 4 > 0)
			out[done++] = (uint8_t)(bits >> (6 - i % 4 * 2));
	}
	left = n % 4;
	return left == 1 ? -1 : done;
}

/* The text of n bytes as a string; NULL: no memory. */
static zinc_json *
base64_make(zinc_json_doc *doc, const uint8_t *p, size_t n)
{
	zinc_json *v = NULL;
	zinc_buf text;
	size_t i;

	zinc_buf_init(&text, zinc_json_context(doc), SIZE_MAX);
	for (i = 0; i < n; i += 3) {
		const uint32_t b = (uint32_t)p[i] << 16 | (i + 1 < n ? (uint32_t)p[i + 1] << 8 : 0) |
				   (i + 2 < n ? (uint32_t)p[i + 2] : 0);
		const char four[4] = {digits[b >> 18], digits[b >> 12 & 63], i + 1 < n ? digits[b >> 6 & 63] : '=',
				      i + 2 < n ? digits[b & 63] : '='};

		if (zinc_buf_add(&text, four, 4, NULL) != ZINC_OK)
			break;
	}
	if (i >= n)
		v = zinc_json_make_stringn(doc, n ? (const char *)text.p : "", text.n);
	zinc_buf_fini(&text);
	return v;
}

/* ---- types ---- */

static const struct core {
	const char *v2, *v3;
	uint8_t size;
} cores[] = {
    {"b1", "bool", 1},    {"i1", "int8", 1},    {"i2", "int16", 2},     {"i4", "int32", 4},        {"i8", "int64", 8},
    {"u1", "uint8", 1},   {"u2", "uint16", 2},  {"u4", "uint32", 4},    {"u8", "uint64", 8},       {"f2", "float16", 2},
    {"f4", "float32", 4}, {"f8", "float64", 8}, {"c8", "complex64", 8}, {"c16", "complex128", 16},
};
#define CORES (sizeof cores / sizeof *cores)

/* {"name": name, "configuration": c}; NULL: no memory. */
static zinc_json *
extension(zinc_json_doc *doc, const char *name, zinc_json *c)
{
	zinc_json *v = zinc_json_make(doc, ZINC_JSON_OBJECT);

	if (zinc_json_set(doc, v, "name", zinc_json_make_string(doc, name), NULL) != ZINC_OK ||
	    zinc_json_set(doc, v, "configuration", c, NULL) != ZINC_OK)
		return NULL;
	return v;
}

static zinc_json *
sized(zinc_json_doc *doc, const char *name, uint64_t nbytes)
{
	zinc_json *c = zinc_json_make(doc, ZINC_JSON_OBJECT);

	if (zinc_json_set(doc, c, "length_bytes", zinc_json_make_u64(doc, nbytes), NULL) != ZINC_OK)
		return NULL;
	return extension(doc, name, c);
}

/* A type that nobody here knows, under a name that nobody has. */
static zinc_json *
unknown(zinc_json_doc *doc, const char *text)
{
	char name[80];
	char *p;

	snprintf(name, sizeof name, "numpy.%.60s", text);
	for (p = name; *p; p++)
		if (*p >= 'A' && *p <= 'Z')
			*p = (char)(*p - 'A' + 'a');
		else if (!strchr("abcdefghijklmnopqrstuvwxyz0123456789-_.", *p))
			*p = '-';
	return zinc_json_make_string(doc, name);
}

/* "[10us]" -> unit and factor. */
static zinc_json *
time_unit(zinc_json_doc *doc, const char *name, const char *text)
{
	zinc_json *c = zinc_json_make(doc, ZINC_JSON_OBJECT);
	unsigned long factor = 1;
	char *end = (char *)(uintptr_t)(text + 1);

	if (text[0] == '[' && text[1] >= '0' && text[1] <= '9')
		factor = strtoul(text + 1, &end, 10);
	if (text[0] != '[' || strlen(end) < 2 || end[strlen(end) - 1] != ']')
		return unknown(doc, name);
	if (zinc_json_set(doc, c, "unit", zinc_json_make_stringn(doc, end, strlen(end) - 1), NULL) != ZINC_OK ||
	    zinc_json_set(doc, c, "scale_factor", zinc_json_make_u64(doc, factor), NULL) != ZINC_OK)
		return NULL;
	return extension(doc, name, c);
}

/* Types whose length is in the string: S7, U13, V3. */
static zinc_json *
flexible(zinc_json_doc *doc, zinc_v2_type *t, const char *text)
{
	char *end, name[32];
	const unsigned long long n = strtoull(text + 1, &end, 10);

	if (text[1] < '0' || text[1] > '9' || *end || n > UINT32_MAX / 32)
		return unknown(doc, text);
	t->size = (size_t)n * (t->kind == 'U' ? 4 : 1);
	t->ordered = t->kind == 'U';
	if (t->kind != 'V')
		return sized(doc, t->kind == 'U' ? "fixed_length_utf32" : "null_terminated_bytes", t->size);
	snprintf(name, sizeof name, "r%llu", n * 8);
	return zinc_json_make_string(doc, name);
}

/* A type without its order. */
static zinc_json *
simple(zinc_json_doc *doc, zinc_v2_type *t, const char *text, const char *object)
{
	size_t i;

	for (i = 0; i < CORES; i++)
		if (strcmp(cores[i].v2, text) == 0) {
			t->size = cores[i].size;
			t->ordered = t->size > 1;
			return zinc_json_make_string(doc, cores[i].v3);
		}
	if ((t->kind == 'M' || t->kind == 'm') && text[1] == '8') {
		t->size = 8;
		t->ordered = true;
		return time_unit(doc, t->kind == 'M' ? "numpy.datetime64" : "numpy.timedelta64", text + 2);
	}
	if (t->kind == 'S' || t->kind == 'U' || t->kind == 'V')
		return flexible(doc, t, text);
	if (strcmp(text, "O") == 0 && object)
		return zinc_json_make_string(doc, object);
	return unknown(doc, text);
}

static zinc_status
parse_string(zinc_v2_type *t, zinc_json_doc *doc, const zinc_json *v, const char *object, zinc_report *r,
	     zinc_error *err)
{
	const char *text = v->text;

	if (v->n < 2 || strlen(text) != v->n || !strchr("<>|=", text[0]))
		return zinc_report_error(r, "V2-7", err, "\"%.60s\" is no type string", text);
	t->big = text[0] == '>';
	t->kind = text[1];
	t->v3 = simple(doc, t, text + 1, object);
	if (t->ordered && text[0] == '|')
		ZINC_TRY(zinc_report_lenient(r, "V2-7", err, "\"%.60s\" does not say its byte order", text));
	return t->v3 ? ZINC_OK : zinc_fail_nomem(err);
}

static zinc_status parse_fields(zinc_v2_type *t, zinc_json_doc *doc, const zinc_json *v, int depth, zinc_report *r,
				zinc_error *err);

/* Structures may hold structures; nobody nests them deeply. */
#define DEPTH 16

static zinc_status
parse_type(zinc_v2_type *t, zinc_json_doc *doc, const zinc_json *v, const char *object, int depth, zinc_report *r,
	   zinc_error *err)
{
	*t = (zinc_v2_type){.v3 = NULL};
	if (zinc_json_is(v, ZINC_JSON_STRING))
		return parse_string(t, doc, v, object, r, err);
	if (!zinc_json_is(v, ZINC_JSON_ARRAY) || v->n == 0)
		return zinc_report_error(r, "V2-7", err, "a type must be a string or a list of fields");
	if (depth == DEPTH)
		return zinc_report_error(r, "V2-7", err, "structures within more than %d structures", DEPTH);
	return parse_fields(t, doc, v, depth + 1, r, err);
}

/* A field of its own, or an array of such: ["x", "<f4", [2, 3]], for which the final version has no name. */
static zinc_status
parse_field(zinc_v2_type *field, zinc_json_doc *doc, const zinc_json *v, int depth, zinc_report *r, zinc_error *err)
{
	if (!zinc_json_is(v, ZINC_JSON_ARRAY) || v->n < 2 || v->n > 3 || !zinc_json_is(v->first, ZINC_JSON_STRING))
		return zinc_report_error(r, "V2-7", err, "a field must be a list of its name and its type");
	ZINC_TRY(parse_type(field, doc, zinc_json_item(v, 1), NULL, depth, r, err));
	if (v->n == 2 || (zinc_json_is(v->last, ZINC_JSON_ARRAY) && v->last->n == 0))
		return ZINC_OK;
	field->v3 = unknown(doc, "subarray");
	return field->v3 ? ZINC_OK : zinc_fail_nomem(err);
}

static zinc_status
parse_fields(zinc_v2_type *t, zinc_json_doc *doc, const zinc_json *v, int depth, zinc_report *r, zinc_error *err)
{
	zinc_json *fields = zinc_json_make(doc, ZINC_JSON_ARRAY), *c = zinc_json_make(doc, ZINC_JSON_OBJECT), *one;
	zinc_v2_type field;
	const zinc_json *f;
	bool mixed = false;

	t->kind = 'T';
	for (f = v->first; f; f = f->next) {
		ZINC_TRY(parse_field(&field, doc, f, depth, r, err));
		mixed = mixed || (field.ordered && t->ordered && field.big != t->big);
		if (field.ordered)
			t->big = field.big;
		t->ordered = t->ordered || field.ordered;
		if (zinc_size_add(t->size, field.size, &t->size))
			return zinc_fail(err, ZINC_E_LIMIT, "a structure of more than 2^64 bytes");
		one = zinc_json_make(doc, ZINC_JSON_OBJECT);
		ZINC_TRY(zinc_json_set(doc, one, "name", zinc_json_copy(doc, f->first), err));
		ZINC_TRY(zinc_json_set(doc, one, "data_type", field.v3, err));
		ZINC_TRY(zinc_json_append(fields, one, err));
	}
	ZINC_TRY(zinc_json_set(doc, c, "fields", fields, err));
	t->v3 = mixed ? unknown(doc, "struct-of-both-byte-orders") : extension(doc, "struct", c);
	return t->v3 ? ZINC_OK : zinc_fail_nomem(err);
}

zinc_status
zinc_v2_type_parse(zinc_v2_type *out, zinc_json_doc *doc, const zinc_json *v, const char *object, zinc_report *r,
		   zinc_error *err)
{
	zinc_status s = parse_type(out, doc, v, object, 0, r, err);

	if (s != ZINC_OK)
		out->v3 = NULL;
	return s;
}

/* ---- fill values ---- */

/* [a, b, ...] of n bytes, all zero without `p`. */
static zinc_json *
list_of_bytes(zinc_json_doc *doc, const uint8_t *p, size_t n)
{
	zinc_json *list = zinc_json_make(doc, ZINC_JSON_ARRAY);
	size_t i;

	for (i = 0; i < n; i++)
		if (zinc_json_append(list, zinc_json_make_u64(doc, p ? p[i] : 0), NULL) != ZINC_OK)
			return NULL;
	return list;
}

static zinc_json *
zeros_base64(zinc_json_doc *doc, size_t n)
{
	zinc_context *ctx = zinc_json_context(doc);
	uint8_t *zeros = n <= ctx->limits.json_bytes ? zinc_calloc(ctx, n, 1) : NULL;
	zinc_json *v = zeros ? base64_make(doc, zeros, n) : NULL;

	zinc_free(ctx, zeros);
	return v;
}

/* What "undefined" reads as. */
static zinc_json *
nothing(zinc_json_doc *doc, const zinc_v2_type *t)
{
	zinc_json *v;

	switch (t->kind) {
	case 'b':
		return zinc_json_make(doc, ZINC_JSON_FALSE);
	case 'c':
		v = zinc_json_make(doc, ZINC_JSON_ARRAY);
		if (zinc_json_append(v, zinc_json_make_number(doc, "0.0"), NULL) != ZINC_OK ||
		    zinc_json_append(v, zinc_json_make_number(doc, "0.0"), NULL) != ZINC_OK)
			return NULL;
		return v;
	case 'f':
		return zinc_json_make_number(doc, "0.0");
	case 'V':
		return list_of_bytes(doc, NULL, t->size);
	case 'T':
		return zeros_base64(doc, t->size);
	case 'S':
	case 'U':
	case 'O':
		return zinc_json_make_string(doc, "");
	default:
		return zinc_json_make_u64(doc, 0);
	}
}

static bool
is_zero(const zinc_json *v)
{
	double number = 1;

	return zinc_json_double(v, &number) && number == 0;
}

/* Bytes of exactly the element's size (or none at all), for V. */
static zinc_status
raw_fill(zinc_json **out, zinc_json_doc *doc, const zinc_v2_type *t, const zinc_json *v, zinc_report *r,
	 zinc_error *err)
{
	zinc_context *ctx = zinc_json_context(doc);
	uint8_t *bytes;
	int64_t n;

	if (!zinc_json_is(v, ZINC_JSON_STRING))
		return zinc_report_error(r, "V2-8", err, "must be a string of base64");
	bytes = zinc_alloc(ctx, v->n + 3);
	if (!bytes)
		return zinc_fail_nomem(err);
	n = base64_decode(v->text, v->n, bytes);
	*out = n == (int64_t)t->size ? list_of_bytes(doc, bytes, t->size) : NULL;
	zinc_free(ctx, bytes);
	if (n != (int64_t)t->size)
		return zinc_report_error(r, "V2-8", err, "must be base64 of %zu bytes", t->size);
	return *out ? ZINC_OK : zinc_fail_nomem(err);
}

/* An integer written as 3.0, as far as doubles are exact. */
static bool
is_whole(const zinc_json *v, double *number)
{
	return zinc_json_is(v, ZINC_JSON_NUMBER) && !zinc_json_is_integer(v) && zinc_json_double(v, number) &&
	       *number >= -0x1p53 && *number <= 0x1p53 && (double)(int64_t)*number == *number;
}

/* 0 and 1 for booleans, tokens for NaN, 3.0 for the integer 3: what writers have been seen to do.  *odd tells. */
static zinc_json *
odd_number(zinc_json_doc *doc, const zinc_v2_type *t, const zinc_json *v, bool *odd)
{
	double number = 0;

	*odd = true;
	if (t->kind == 'b' && zinc_json_double(v, &number) && (number == 0 || number == 1))
		return zinc_json_make(doc, number != 0 ? ZINC_JSON_TRUE : ZINC_JSON_FALSE);
	if (t->kind == 'f' && v->type == ZINC_JSON_NUMBER && !strpbrk(v->text, "0123456789"))
		return zinc_json_make_string(doc, v->text);
	if (strchr("iu", t->kind) && is_whole(v, &number))
		return zinc_json_make_i64(doc, (int64_t)number);
	*odd = false;
	return zinc_v2_copy(doc, v);
}

static zinc_status
number_fill(zinc_json **out, zinc_json_doc *doc, const zinc_v2_type *t, const zinc_json *v, zinc_report *r,
	    zinc_error *err)
{
	bool odd;

	*out = odd_number(doc, t, v, &odd);
	if (!*out)
		return zinc_fail_nomem(err);
	if (!odd)
		return ZINC_OK;
	return zinc_report_lenient(r, "V2-8", err, "%.40s is an odd spelling of a fill value of this type", v->text);
}

zinc_status
zinc_v2_fill_parse(zinc_json **out, zinc_json_doc *doc, const zinc_v2_type *t, const zinc_json *v, zinc_report *r,
		   zinc_error *err)
{
	if (!v || zinc_json_is(v, ZINC_JSON_NULL) ||
	    (strchr("cSUVOT", t->kind) && zinc_json_is(v, ZINC_JSON_NUMBER) && is_zero(v))) {
		*out = nothing(doc, t);
		return *out ? ZINC_OK : zinc_fail_nomem(err);
	}
	if (t->kind == 'V')
		return raw_fill(out, doc, t, v, r, err);
	return number_fill(out, doc, t, v, r, err);
}

/* ---- the way back ---- */

/* The length of "r24", or of a type with length_bytes. */
static bool
length_of(const zinc_json *v3, const char *name, uint64_t *n)
{
	const zinc_json *c = zinc_json_member(v3, "configuration");

	if (zinc_json_is(v3, ZINC_JSON_STRING)) {
		char *end;

		*n = strtoull(name + 1, &end, 10) / 8;
		return name[0] == 'r' && name[1] >= '1' && name[1] <= '9' && !*end;
	}
	return zinc_json_u64(zinc_json_member(c, "length_bytes"), n);
}

/* "<M8[10us]" from its configuration. */
static bool
print_time(char *text, size_t cap, char kind, bool big, const zinc_json *v3)
{
	const zinc_json *c = zinc_json_member(v3, "configuration"), *unit = zinc_json_member(c, "unit");
	uint64_t factor = 1;

	if (!zinc_json_is(unit, ZINC_JSON_STRING))
		return false;
	(void)zinc_json_u64(zinc_json_member(c, "scale_factor"), &factor);
	if (factor == 1)
		snprintf(text, cap, "%c%c8[%.16s]", big ? '>' : '<', kind, unit->text);
	else
		snprintf(text, cap, "%c%c8[%llu%.16s]", big ? '>' : '<', kind, (unsigned long long)factor, unit->text);
	return true;
}

/* The types with a configuration; false: version 2 has none like it. */
static bool
print_other(char *text, size_t cap, zinc_v2_type *t, const zinc_json *v3, const char *name, bool big)
{
	static const struct {
		const char *name;
		char kind;
	} kinds[] = {{"numpy.datetime64", 'M'},
		     {"numpy.timedelta64", 'm'},
		     {"fixed_length_utf32", 'U'},
		     {"null_terminated_bytes", 'S'},
		     {"raw_bytes", 'V'},
		     {"string", 'O'},
		     {"bytes", 'O'}};
	uint64_t n = 0;
	size_t i;

	t->kind = 'V';
	for (i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (strcmp(kinds[i].name, name) == 0)
			t->kind = kinds[i].kind;
	if (t->kind == 'O') {
		snprintf(text, cap, "|O");
		return true;
	}
	if (t->kind == 'M' || t->kind == 'm')
		return print_time(text, cap, t->kind, big, v3);
	if (!length_of(v3, name, &n))
		return false;
	t->size = (size_t)n;
	snprintf(text, cap, "%c%c%llu", t->kind == 'U' ? (big ? '>' : '<') : '|', t->kind,
		 (unsigned long long)(t->kind == 'U' ? n / 4 : n));
	return true;
}

static const char *
name_of(const zinc_json *v3)
{
	const zinc_json *name = zinc_json_is(v3, ZINC_JSON_STRING) ? v3 : zinc_json_member(v3, "name");

	return zinc_json_is(name, ZINC_JSON_STRING) ? name->text : "";
}

/* Fields that are structures of their own are told one level at a time, as deep as the parser goes. */
static zinc_status
print_struct(zinc_json **out, zinc_v2_type *t, zinc_json_doc *doc, const zinc_json *v3, bool big, zinc_error *err)
{
	const zinc_json *fields = zinc_json_member(zinc_json_member(v3, "configuration"), "fields"), *f;
	zinc_json *list = zinc_json_make(doc, ZINC_JSON_ARRAY), *pair, *type;
	zinc_v2_type field;
	size_t size = 0;

	for (f = zinc_json_is(fields, ZINC_JSON_ARRAY) ? fields->first : NULL; f; f = f->next) {
		ZINC_TRY(zinc_v2_type_print(&type, &field, doc, zinc_json_member(f, "data_type"), big, err));
		pair = zinc_json_make(doc, ZINC_JSON_ARRAY);
		ZINC_TRY(zinc_json_append(pair, zinc_json_copy(doc, zinc_json_member(f, "name")), err));
		ZINC_TRY(zinc_json_append(pair, type, err));
		ZINC_TRY(zinc_json_append(list, pair, err));
		size += field.size;
	}
	*t = (zinc_v2_type){.kind = 'T', .size = size, .big = big, .ordered = true};
	*out = list;
	return ZINC_OK;
}

zinc_status
zinc_v2_type_print(zinc_json **out, zinc_v2_type *t, zinc_json_doc *doc, const zinc_json *v3, bool big, zinc_error *err)
{
	const char *name = name_of(v3);
	char text[64] = "";
	size_t i;

	*t = (zinc_v2_type){.big = big};
	if (strcmp(name, "struct") == 0)
		return print_struct(out, t, doc, v3, big, err);
	for (i = 0; i < CORES; i++)
		if (strcmp(cores[i].v3, name) == 0) {
			t->kind = cores[i].v2[0];
			t->size = cores[i].size;
			snprintf(text, sizeof text, "%c%s", t->size == 1 ? '|' : big ? '>' : '<', cores[i].v2);
		}
	if (!text[0] && !print_other(text, sizeof text, t, v3, name, big))
		return zinc_fail(err, ZINC_E_INVALID, "version 2 has no data type \"%.60s\"", name);
	*out = zinc_json_make_string(doc, text);
	return *out ? ZINC_OK : zinc_fail_nomem(err);
}

/* Bits that only the final version can spell ("0x7fc00001"), alone or in a complex number. */
static bool
is_hex(const zinc_json *v)
{
	const zinc_json *item;

	if (zinc_json_is(v, ZINC_JSON_STRING))
		return strncmp(v->text, "0x", 2) == 0;
	for (item = zinc_json_is(v, ZINC_JSON_ARRAY) ? v->first : NULL; item; item = item->next)
		if (zinc_json_is(item, ZINC_JSON_STRING) && strncmp(item->text, "0x", 2) == 0)
			return true;
	return false;
}

/* A list of bytes -> base64. */
static zinc_json *
bytes_to_base64(zinc_json_doc *doc, const zinc_json *v)
{
	zinc_context *ctx = zinc_json_context(doc);
	uint8_t *bytes = zinc_calloc(ctx, v->n, 1);
	zinc_json *out = NULL;
	const zinc_json *item;
	uint64_t byte;
	size_t i = 0;

	for (item = bytes ? v->first : NULL; item; item = item->next)
		bytes[i++] = zinc_json_u64(item, &byte) ? (uint8_t)byte : 0;
	if (bytes)
		out = base64_make(doc, bytes, v->n);
	zinc_free(ctx, bytes);
	return out;
}

zinc_status
zinc_v2_fill_print(zinc_json **out, zinc_json_doc *doc, const zinc_v2_type *t, const zinc_json *v3, zinc_error *err)
{
	if (strchr("fc", t->kind) && is_hex(v3))
		return zinc_fail(err, ZINC_E_INVALID, "version 2 cannot hold the bits of a NaN as fill value");
	if (t->kind == 'T' && zinc_json_is(v3, ZINC_JSON_OBJECT))
		return zinc_fail(err, ZINC_E_INVALID,
				 "version 2 cannot hold the fill value of a structure by its fields");
	*out = strchr("VSO", t->kind) && zinc_json_is(v3, ZINC_JSON_ARRAY) ? bytes_to_base64(doc, v3)
									   : zinc_json_copy(doc, v3);
	return *out ? ZINC_OK : zinc_fail_nomem(err);
}
