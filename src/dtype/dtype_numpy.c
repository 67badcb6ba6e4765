/*
 * dtype_numpy.c - data types as NumPy and Zarr v2 spell them
 *
 *     Zarr v2:   "<f4"     [["a", "<i4"], ["b", "|S3", [2]]]
 *     .npy:      '<f4'     [('a', '<i4'), ('b', '|S3', (2,))]
 *
 * Promises (tests/unit/test_dtype_numpy.c names each by its number):
 *
 * (1) The printed form parses into an equal type.
 * (2) A struct has the byte order of its first part that has one.  Parts in the other order are marked, and keep it
 *     when printed for Zarr v2.  A .npy file stores elements as in memory, so all its parts have one order.
 */
#include "dtype/element.h"

#include <stdlib.h>

/* The byte order in a spelling. */
typedef enum order { ORDER_NONE, ORDER_LITTLE, ORDER_BIG } order;

/* ---- one word ---- */

static order
order_of(char c)
{
	if (c == '=')
		return ZINC_HOST_BIG ? ORDER_BIG : ORDER_LITTLE;
	return c == '>' ? ORDER_BIG : ORDER_LITTLE;
}

/* "<f4", "|S3", "f8" (little-endian) */
static zinc_status
parse_word(const zinc_dtype **out, order *o, zinc_context *ctx, const char *text, zinc_report *r, zinc_error *err)
{
	const bool ordered = *text && strchr("<>|=", *text);

	ZINC_TRY(zinc_dtype_parse_code(out, ctx, text + ordered, ordered, r, err));
	*o = (*out)->unit > 1 ? order_of(*text) : ORDER_NONE;
	return ZINC_OK;
}

zinc_status
zinc_dtype_parse_word(const zinc_dtype **out, bool *big, zinc_context *ctx, const char *text, zinc_report *r,
		      zinc_error *err)
{
	order o;

	ZINC_TRY(parse_word(out, &o, ctx, text, r, err));
	*big = o == ORDER_BIG;
	return ZINC_OK;
}

/* ---- structs ---- */

static zinc_status parse_any(const zinc_dtype **out, order *o, zinc_context *ctx, const zinc_json *v, zinc_report *r,
			     zinc_error *err);

/* [name, dtype] or [name, dtype, shape] */
static zinc_status
parse_field(zinc_dtype *t, order *o, const zinc_json *v, zinc_report *r, zinc_error *err)
{
	const zinc_dtype *type;
	order own;

	if (!zinc_json_is(v, ZINC_JSON_ARRAY) || v->n < 2 || v->n > 3)
		return zinc_report_error(r, "struct", err,
					 "a field must be a list of its name, its type and its shape");
	ZINC_TRY(parse_any(&type, &own, t->ctx, v->first->next, r, err));
	if (v->n == 3)
		ZINC_TRY(zinc_subarray_new(&type, t->ctx, type, v->last, r, err));
	if (*o == ORDER_NONE)
		*o = own;
	return zinc_struct_add(t, v->first, type, own != ORDER_NONE && own != *o, r, err);
}

static zinc_status
parse_fields(zinc_dtype *t, order *o, const zinc_json *v, zinc_report *r, zinc_error *err)
{
	const zinc_json *item;
	size_t i = 0;

	ZINC_TRY(zinc_struct_begin(t, v->n, err));
	for (item = v->first; item; item = item->next) {
		const size_t mark = zinc_report_enter_item(r, i++);
		const zinc_status st = parse_field(t, o, item, r, err);

		zinc_report_leave(r, mark);
		ZINC_TRY(st);
	}
	return zinc_struct_end(t, r, err);
}

static zinc_status
parse_any(const zinc_dtype **out, order *o, zinc_context *ctx, const zinc_json *v, zinc_report *r, zinc_error *err)
{
	zinc_dtype *t;
	zinc_status st;

	*o = ORDER_NONE;
	if (zinc_json_is(v, ZINC_JSON_STRING))
		return parse_word(out, o, ctx, strlen(v->text) == v->n ? v->text : "", r, err);
	if (!zinc_json_is(v, ZINC_JSON_ARRAY))
		return zinc_report_error(r, "dtype", err, "a data type must be a string or a list of fields");
	t = zinc_dtype_new(ctx, &zinc_row_struct);
	if (!t)
		return zinc_fail_nomem(err);
	st = parse_fields(t, o, v, r, err);
	if (st != ZINC_OK)
		zinc_dtype_free(t);
	else
		*out = t;
	return st;
}

zinc_status
zinc_dtype_parse_v2(const zinc_dtype **out, bool *big, zinc_context *ctx, const zinc_json *v, zinc_report *r,
		    zinc_error *err)
{
	order o;

	ZINC_TRY(parse_any(out, &o, ctx, v, r, err));
	*big = o == ORDER_BIG;
	return ZINC_OK;
}

/* ---- printing ---- */

bool
zinc_dtype_has_v2(const zinc_dtype *t)
{
	const zinc_field *fields;
	size_t i, n;

	if (t->kind == ZINC_KIND_SUBARRAY)
		return zinc_dtype_has_v2(zinc_subarray_base(t, &n));
	if (t->kind != ZINC_KIND_STRUCT)
		return t->v2 != NULL;
	fields = zinc_dtype_fields(t, &n);
	for (i = 0; i < n; i++)
		if (!zinc_dtype_has_v2(fields[i].type))
			return false;
	return true;
}

static char
order_letter(const zinc_dtype *t, bool big)
{
	return t->unit == 1 ? '|' : big ? '>' : '<';
}

static zinc_json *
print_field(const zinc_field *f, bool big, zinc_json_doc *doc)
{
	const bool shaped = f->type->kind == ZINC_KIND_SUBARRAY;
	zinc_json *v = zinc_json_make(doc, ZINC_JSON_ARRAY);
	size_t n;
	const zinc_dtype *type = shaped ? zinc_subarray_base(f->type, &n) : f->type;

	if (zinc_json_append(v, zinc_json_make_string(doc, f->name), NULL) != ZINC_OK ||
	    zinc_json_append(v, zinc_dtype_print_v2(type, big != f->reversed, doc), NULL) != ZINC_OK ||
	    (shaped && zinc_json_append(v, zinc_subarray_print_shape(f->type, doc), NULL) != ZINC_OK))
		return NULL;
	return v;
}

zinc_json *
zinc_dtype_print_v2(const zinc_dtype *t, bool big, zinc_json_doc *doc)
{
	const zinc_field *fields;
	char word[40] = {order_letter(t, big)};
	zinc_json *list;
	size_t i, n;

	if (t->kind != ZINC_KIND_STRUCT) {
		if (!t->v2 || strlen(t->v2) + 2 > sizeof word)
			return NULL;
		memcpy(word + 1, t->v2, strlen(t->v2) + 1);
		return zinc_json_make_string(doc, word);
	}
	fields = zinc_dtype_fields(t, &n);
	list = zinc_json_make(doc, ZINC_JSON_ARRAY);
	for (i = 0; i < n; i++)
		if (zinc_json_append(list, print_field(&fields[i], big, doc), NULL) != ZINC_OK)
			return NULL;
	return list;
}

/* ---- Python's spelling ---- */

/* Prints "(2, 3)" or "(2,)". */
static zinc_status
print_shape(const zinc_dtype *t, zinc_buf *out, zinc_error *err)
{
	const uint64_t *shape;
	const int ndim = zinc_subarray_shape(t, &shape);
	int d;

	ZINC_TRY(zinc_buf_puts(out, "(", err));
	for (d = 0; d < ndim; d++)
		ZINC_TRY(zinc_buf_printf(out, err, "%s%llu", d ? ", " : "", (unsigned long long)shape[d]));
	return zinc_buf_puts(out, ndim == 1 ? ",)" : ")", err);
}

static zinc_status
print_tuple(const zinc_field *f, bool big, zinc_buf *out, zinc_error *err)
{
	const zinc_chars name = {(const uint8_t *)f->name, strlen(f->name), ZINC_CODING_UTF8};
	const bool shaped = f->type->kind == ZINC_KIND_SUBARRAY;
	size_t n;

	ZINC_TRY(zinc_buf_puts(out, "(", err));
	ZINC_TRY(zinc_chars_print(&name, ZINC_SPELL_REPR, out, err));
	ZINC_TRY(zinc_buf_puts(out, ", ", err));
	ZINC_TRY(zinc_dtype_print_numpy(shaped ? zinc_subarray_base(f->type, &n) : f->type, big, out, err));
	if (shaped) {
		ZINC_TRY(zinc_buf_puts(out, ", ", err));
		ZINC_TRY(print_shape(f->type, out, err));
	}
	return zinc_buf_puts(out, ")", err);
}

zinc_status
zinc_dtype_print_numpy(const zinc_dtype *t, bool big, zinc_buf *out, zinc_error *err)
{
	const zinc_field *fields;
	size_t i, n;

	if (t->type > ZINC_RAW)
		t = zinc_dtype_of(zinc_type_widen(t->type));
	if (t->variable || !zinc_dtype_has_v2(t))
		return zinc_fail(err, ZINC_E_UNSUPPORTED, "NumPy has no type for %s", t->name);
	if (t->kind != ZINC_KIND_STRUCT)
		return zinc_buf_printf(out, err, "'%c%s'", order_letter(t, big), t->v2);
	fields = zinc_dtype_fields(t, &n);
	for (i = 0; i < n; i++) {
		ZINC_TRY(zinc_buf_puts(out, i ? ", " : "[", err));
		ZINC_TRY(print_tuple(&fields[i], big, out, err));
	}
	return zinc_buf_puts(out, "]", err);
}

/* One hexadecimal escape of `n` digits at s; false: not valid. */
static bool
read_hex(const char *s, size_t n, uint32_t *code)
{
	char digits[9] = {0};
	char *end;

	if (strnlen(s, n) < n)
		return false;
	memcpy(digits, s, n);
	*code = (uint32_t)strtoul(digits, &end, 16);
	return *end == '\0' && digits[0] != '-' && digits[0] != '+' && digits[0] != ' ';
}

/* The length of a backslash escape; 0: not an escape of Python. */
static size_t
read_escape(const char *s, uint32_t *code)
{
	static const char letters[] = "\\'\"nrt", meaning[] = "\\'\"\n\r\t";
	const char *at = s[1] ? strchr(letters, s[1]) : NULL;
	const size_t digits = s[1] == 'x' ? 2 : s[1] == 'u' ? 4 : s[1] == 'U' ? 8 : 0;

	if (at) {
		*code = (uint8_t)meaning[at - letters];
		return 2;
	}
	if (digits == 0 || !read_hex(s + 2, digits, code) || *code > 0x10FFFF || (*code & 0xFFFFF800) == 0xD800)
		return 0;
	return 2 + digits;
}

/* A quoted text as JSON; *s moves past it. */
static zinc_status
translate_text(const char **s, zinc_buf *out, zinc_error *err)
{
	const char quote = *(*s)++;
	uint32_t code;
	size_t n;

	ZINC_TRY(zinc_buf_puts(out, "\"", err));
	for (; **s != quote; *s += n) {
		n = **s == '\\' ? read_escape(*s, &code) : zinc_utf8_next(*s, strnlen(*s, 4), &code);
		if (n == 0 || code == 0)
			return zinc_fail(err, ZINC_E_INVALID, "a name in the NumPy type is damaged");
		ZINC_TRY(zinc_char_json(code, out, err));
	}
	(*s)++;
	return zinc_buf_puts(out, "\"", err);
}

/* A comma that is followed by something other than the end of the list. */
static bool
is_separator(const char *s)
{
	s += 1 + strspn(s + 1, " ");
	return *s != ')' && *s != ']';
}

/* Lists and tuples of texts and numbers -> JSON. */
static zinc_status
translate(const char *s, zinc_buf *out, zinc_error *err)
{
	while (*s) {
		if (*s == '\'' || *s == '"') {
			ZINC_TRY(translate_text(&s, out, err));
			continue;
		}
		if (*s == '(' || *s == '[')
			ZINC_TRY(zinc_buf_puts(out, "[", err));
		else if (*s == ')' || *s == ']')
			ZINC_TRY(zinc_buf_puts(out, "]", err));
		else if ((*s >= '0' && *s <= '9') || (*s == ',' && is_separator(s)))
			ZINC_TRY(zinc_buf_add(out, s, 1, err));
		else if (*s != ' ' && *s != ',' && *s != 'L') /* 2L is an integer of Python 2 */
			return zinc_fail(err, ZINC_E_INVALID, "a NumPy type cannot have '%c'", *s);
		s++;
	}
	return ZINC_OK;
}

static zinc_status
parse_json(const zinc_dtype **out, bool *big, zinc_context *ctx, const zinc_buf *json, zinc_report *r, zinc_error *err)
{
	zinc_json_doc *doc;
	zinc_status st = zinc_json_parse(&doc, ctx, (const char *)json->p, json->n, 0, err);

	if (st == ZINC_E_CORRUPT)
		return zinc_fail(err, ZINC_E_INVALID, "the NumPy type is not a list of fields");
	ZINC_TRY(st);
	st = zinc_dtype_parse_v2(out, big, ctx, zinc_json_root(doc), r, err);
	zinc_json_free(doc);
	return st;
}

zinc_status
zinc_dtype_parse_numpy(const zinc_dtype **out, bool *big, zinc_context *ctx, const char *text, zinc_error *err)
{
	zinc_report r;
	zinc_status st;
	zinc_buf json;

	zinc_report_init(&r, ctx, false, "NumPy type");
	r.code = ZINC_E_INVALID;
	if (*text != '[' && *text != '\'' && *text != '"')
		return zinc_dtype_parse_word(out, big, ctx, text, &r, err);
	zinc_buf_init(&json, ctx, zinc_max_text(ctx));
	st = translate(text, &json, err);
	if (st == ZINC_OK)
		st = parse_json(out, big, ctx, &json, &r, err);
	zinc_buf_fini(&json);
	return st;
}
