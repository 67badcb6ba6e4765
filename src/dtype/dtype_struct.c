/*
 * dtype_struct.c - struct: named fields, one after the other without gaps
 *
 *     {id: int32 = 1, flags: uint8 = 2, value: float64 = 1.0}, little-endian, 13 bytes:
 *
 *     01 00 00 00 | 02 | 00 00 00 00 00 00 f0 3f
 *
 * Promises (tests/unit/test_dtype_struct.c names each by its number):
 *
 * (1) Fields may have any type of fixed size, also structs.  Names are unique within one struct.
 * (2) A fill value is an object with exactly the fields of the type.
 * (3) "structured", the name that zarr-python used until 2026, is read and never written: fields are pairs, and a fill
 *     value may be the base64 of its little-endian bytes or a list.
 * (4) Each field is swapped separately.  Fields that Zarr v2 marks are stored in the other byte order.
 */
#include "dtype/element.h"

#include <stdlib.h>

/* zinc_dtype.self */
typedef struct record {
	zinc_field *fields;
	size_t n;
} record;

const zinc_field *
zinc_dtype_fields(const zinc_dtype *t, size_t *n)
{
	const record *x = t->self;

	*n = x->n;
	return x->fields;
}

/* ---- making one ---- */

static void
fini(zinc_dtype *t)
{
	record *x = t->self;
	size_t i;

	for (i = 0; i < x->n; i++) {
		zinc_dtype_free(x->fields[i].type);
		zinc_free(t->ctx, x->fields[i].name);
	}
	zinc_free(t->ctx, x->fields);
	zinc_free(t->ctx, x);
}

zinc_status
zinc_struct_begin(zinc_dtype *t, size_t n, zinc_error *err)
{
	record *x = zinc_calloc(t->ctx, 1, sizeof *x);

	if (!x)
		return zinc_fail_nomem(err);
	t->self = x;
	t->fini = fini;
	t->v2 = NULL; /* a list, made by print_v2 */
	x->fields = zinc_calloc(t->ctx, n, sizeof *x->fields);
	return x->fields ? ZINC_OK : zinc_fail_nomem(err);
}

/* Checks on a single field. */
static zinc_status
check_field(const zinc_json *name, const zinc_dtype *type, zinc_report *r, zinc_error *err)
{
	if (!zinc_json_is(name, ZINC_JSON_STRING) || name->n == 0 || strlen(name->text) != name->n)
		return zinc_report_error(r, "struct", err, "the name of a field must be a non-empty string");
	if (type->variable)
		return zinc_report_error(r, "struct", err, "field \"%.60s\" of type %s has no fixed size", name->text,
					 type->name);
	return ZINC_OK;
}

zinc_status
zinc_struct_add(zinc_dtype *t, const zinc_json *name, const zinc_dtype *type, bool reversed, zinc_report *r,
		zinc_error *err)
{
	record *x = t->self;
	zinc_field *f = &x->fields[x->n];
	zinc_status st = check_field(name, type, r, err);

	if (st == ZINC_OK)
		st = zinc_dtype_set_size(t, (uint64_t)t->size + type->size, err);
	f->name = st == ZINC_OK ? zinc_strdup(t->ctx, name->text) : NULL;
	if (!f->name) {
		zinc_dtype_free(type);
		return st != ZINC_OK ? st : zinc_fail_nomem(err);
	}
	f->type = type;
	f->offset = t->size - type->size;
	f->reversed = reversed && type->unit > 1;
	x->n++;
	t->unit = type->unit > t->unit ? type->unit : t->unit;
	t->mixed = t->mixed || f->reversed || type->mixed;
	t->narrow = t->narrow || type->narrow;
	return ZINC_OK;
}

static int
by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Sorted, so that many fields do not cost quadratic time. */
static zinc_status
check_names(const zinc_dtype *t, zinc_report *r, zinc_error *err)
{
	const record *x = t->self;
	const char **names = zinc_calloc(t->ctx, x->n, sizeof *names);
	zinc_status st = ZINC_OK;
	size_t i;

	if (!names)
		return zinc_fail_nomem(err);
	for (i = 0; i < x->n; i++)
		names[i] = x->fields[i].name;
	qsort(names, x->n, sizeof *names, by_name);
	for (i = 1; i < x->n && st == ZINC_OK; i++)
		if (strcmp(names[i - 1], names[i]) == 0)
			st = zinc_report_error(r, "struct", err, "two fields are called \"%.60s\"", names[i]);
	zinc_free(t->ctx, names);
	return st;
}

/* ---- elements ---- */

/* Fields are spelled as inside an array, also when the struct is not in one. */
static zinc_status
struct_print(const zinc_dtype *t, const void *element, zinc_spelling how, zinc_buf *out, zinc_error *err)
{
	const record *x = t->self;
	const bool json = how == ZINC_SPELL_JSON;
	const zinc_spelling inner = json ? how : ZINC_SPELL_REPR;
	size_t i;

	ZINC_TRY(zinc_buf_puts(out, json ? "{" : "(", err));
	for (i = 0; i < x->n; i++) {
		const zinc_field *f = &x->fields[i];

		if (i > 0)
			ZINC_TRY(zinc_buf_puts(out, json ? "," : ", ", err));
		if (json) {
			ZINC_TRY(zinc_json_print_string(f->name, strlen(f->name), out, err));
			ZINC_TRY(zinc_buf_puts(out, ":", err));
		}
		ZINC_TRY(f->type->ops->print(f->type, (const uint8_t *)element + f->offset, inner, out, err));
	}
	return zinc_buf_puts(out, json ? "}" : x->n == 1 ? ",)" : ")", err);
}

static void
struct_swap(const zinc_dtype *t, bool other, void *dst, const void *src, size_t n)
{
	const record *x = t->self;
	size_t i, k;

	for (i = 0; i < n; i++)
		for (k = 0; k < x->n; k++) {
			const zinc_field *f = &x->fields[k];
			const size_t at = i * t->size + f->offset;

			zinc_dtype_reorder(f->type, other != f->reversed, (uint8_t *)dst + at,
					   (const uint8_t *)src + at, 1);
		}
}

static size_t
struct_check(const zinc_dtype *t, const void *elements, size_t n)
{
	const record *x = t->self;
	size_t i, k;

	for (i = 0; i < n; i++)
		for (k = 0; k < x->n; k++) {
			const zinc_field *f = &x->fields[k];
			const uint8_t *p = (const uint8_t *)elements + i * t->size + f->offset;

			if (f->type->ops->check && f->type->ops->check(f->type, p, 1) == 0)
				return i;
		}
	return n;
}

/* ---- fill values ---- */

static zinc_status
parse_field_fill(const zinc_field *f, const zinc_json *v, void *element, zinc_report *r, zinc_error *err)
{
	const size_t mark = zinc_report_enter(r, f->name);
	const zinc_status st = f->type->ops->parse_fill(f->type, v, (uint8_t *)element + f->offset, r, err);

	zinc_report_leave(r, mark);
	return st;
}

/* Are all code points characters?  Those of base64 may be anything, and could not be printed. */
static bool
has_characters(const zinc_dtype *t, const uint8_t *element)
{
	const bool structure = t->kind == ZINC_KIND_STRUCT;
	const zinc_dtype *base = NULL;
	const zinc_field *field = NULL;
	size_t n = 0, i;
	uint32_t code;

	if (structure)
		field = zinc_dtype_fields(t, &n);
	else if (t->kind == ZINC_KIND_SUBARRAY)
		base = zinc_subarray_base(t, &n);
	else if (t->kind == ZINC_KIND_UTF32)
		n = t->size / sizeof code;
	for (i = 0; i < n; i++) {
		if (structure && !has_characters(field[i].type, element + field[i].offset))
			return false;
		if (base && !has_characters(base, element + i * base->size))
			return false;
		if (structure || base)
			continue;
		memcpy(&code, element + i * sizeof code, sizeof code);
		if (code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF))
			return false;
	}
	return true;
}

zinc_status
zinc_fill_check_texts(const zinc_dtype *t, const void *element, zinc_report *r, zinc_error *err)
{
	if (has_characters(t, element))
		return ZINC_OK;
	return zinc_report_error(r, "M59", err, "a text of the fill value is not valid Unicode");
}

static zinc_status
parse_fill(const zinc_dtype *t, const zinc_json *v, void *element, zinc_report *r, zinc_error *err)
{
	const record *x = t->self;
	const bool object = zinc_json_is(v, ZINC_JSON_OBJECT), list = t->legacy && zinc_json_is(v, ZINC_JSON_ARRAY);
	const zinc_json *item = list ? v->first : NULL;
	size_t i;

	if (t->legacy && zinc_json_is(v, ZINC_JSON_STRING)) {
		ZINC_TRY(zinc_fill_parse_base64(t, v, element, r, err));
		zinc_dtype_reorder(t, ZINC_HOST_BIG, element, element, 1);
		return zinc_fill_check_texts(t, element, r, err);
	}
	if (!object && !list)
		return zinc_report_error(r, "M59", err, "a fill value of type %s must be an object", t->name);
	if (v->n != x->n)
		return zinc_report_error(r, "M59", err, "a fill value has %zu fields, its type %zu", v->n, x->n);
	for (i = 0; i < x->n; i++) {
		item = object ? zinc_json_member(v, x->fields[i].name) : item;
		if (!item)
			return zinc_report_error(r, "M59", err, "a fill value has no field \"%.60s\"",
						 x->fields[i].name);
		ZINC_TRY(parse_field_fill(&x->fields[i], item, element, r, err));
		item = item->next;
	}
	return ZINC_OK;
}

static zinc_json *
print_fill(const zinc_dtype *t, const void *element, zinc_json_doc *doc)
{
	const record *x = t->self;
	zinc_json *v = zinc_json_make(doc, ZINC_JSON_OBJECT);
	size_t i;

	for (i = 0; i < x->n; i++) {
		const zinc_field *f = &x->fields[i];
		zinc_json *part = f->type->ops->print_fill(f->type, (const uint8_t *)element + f->offset, doc);

		if (zinc_json_set(doc, v, f->name, part, NULL) != ZINC_OK)
			return NULL;
	}
	return v;
}

static const zinc_dtype_ops ops = {
    .parse_fill = parse_fill,
    .print_fill = print_fill,
    .print = struct_print,
    .swap = struct_swap,
};
/* For a struct with a field whose type has invalid bit patterns. */
static const zinc_dtype_ops checked_ops = {
    .parse_fill = parse_fill,
    .print_fill = print_fill,
    .print = struct_print,
    .swap = struct_swap,
    .check = struct_check,
};

zinc_status
zinc_struct_end(zinc_dtype *t, zinc_report *r, zinc_error *err)
{
	const record *x = t->self;
	size_t i;

	if (x->n == 0)
		return zinc_report_error(r, "struct", err, "a struct must have fields");
	t->kind = ZINC_KIND_STRUCT;
	t->ops = &ops;
	for (i = 0; i < x->n; i++)
		if (x->fields[i].type->ops->check)
			t->ops = &checked_ops;
	return check_names(t, r, err);
}

/* ---- configuration ---- */

/* {"name": ..., "data_type": ...}, or the old form [name, data type]. */
static zinc_status
split_field(const zinc_dtype *t, const zinc_json *v, const zinc_json **name, const zinc_json **type, zinc_report *r,
	    zinc_error *err)
{
	static const char *const members[] = {"name", "data_type", NULL};

	if (t->legacy && zinc_json_is(v, ZINC_JSON_ARRAY) && v->n == 2) {
		*name = v->first;
		*type = v->last;
		return ZINC_OK;
	}
	*name = zinc_json_member(v, "name");
	*type = zinc_json_member(v, "data_type");
	if (!*name || !*type)
		return zinc_report_error(r, "struct", err, "a field must be an object with a name and a data_type");
	return zinc_dtype_members(t, v, members, r, err);
}

/* Zinc's private name for a field in the other byte order, which exists only in Zarr v2.  Version 0.1 stored it, so it
 * is still read. */
static const char swapped_name[] = "zinc.swapped";

/* The member "data_type" of an object, without marks. */
static zinc_status
drop_within(zinc_json_doc *doc, zinc_json *object)
{
	zinc_json *type = zinc_json_member(object, "data_type");

	if (!zinc_json_is(type, ZINC_JSON_OBJECT))
		return ZINC_OK;
	return zinc_json_set(doc, object, "data_type", zinc_dtype_drop_orders(doc, zinc_json_copy(doc, type)), NULL);
}

zinc_json *
zinc_dtype_drop_orders(zinc_json_doc *doc, zinc_json *v)
{
	zinc_json *configuration = zinc_json_member(v, "configuration");
	zinc_json *inner = zinc_json_member(configuration, "data_type"), *fields, *f;

	if (inner && zinc_json_is_string(zinc_json_member(v, "name"), swapped_name))
		return zinc_dtype_drop_orders(doc, zinc_json_copy(doc, inner));
	if (drop_within(doc, configuration) != ZINC_OK)
		return NULL;
	fields = zinc_json_member(configuration, "fields");
	for (f = zinc_json_is(fields, ZINC_JSON_ARRAY) ? fields->first : NULL; f; f = f->next)
		if (drop_within(doc, f) != ZINC_OK)
			return NULL;
	return v;
}

static zinc_status
parse_field(zinc_dtype *t, const zinc_json *v, zinc_report *r, zinc_error *err)
{
	const zinc_json *name, *type;
	const zinc_dtype *field;
	bool reversed;

	ZINC_TRY(split_field(t, v, &name, &type, r, err));
	reversed = zinc_json_is_string(zinc_json_member(type, "name"), swapped_name);
	if (reversed)
		type = zinc_json_member(zinc_json_member(type, "configuration"), "data_type");
	if (!type)
		return zinc_report_error(r, "struct", err, "a field in the other byte order has no data_type");
	if (zinc_json_is_string(zinc_json_member(type, "name"), zinc_subarray_name))
		ZINC_TRY(zinc_subarray_parse(&field, t->ctx, type, r, err));
	else
		ZINC_TRY(zinc_dtype_parse(&field, t->ctx, type, r, err));
	return zinc_struct_add(t, name, field, reversed, r, err);
}

static zinc_status
parse(zinc_dtype *t, const zinc_json *configuration, zinc_report *r, zinc_error *err)
{
	static const char *const members[] = {"fields", NULL};
	const zinc_json *fields = zinc_json_member(configuration, "fields"), *v;
	size_t i = 0;

	ZINC_TRY(zinc_dtype_members(t, configuration, members, r, err));
	if (!zinc_json_is(fields, ZINC_JSON_ARRAY))
		return zinc_report_error(r, "struct", err, "\"fields\" must be a list");
	ZINC_TRY(zinc_struct_begin(t, fields->n, err));
	for (v = fields->first; v; v = v->next) {
		const size_t mark = zinc_report_enter(r, "fields");
		zinc_status st;

		(void)zinc_report_enter_item(r, i++);
		st = parse_field(t, v, r, err);
		zinc_report_leave(r, mark);
		ZINC_TRY(st);
	}
	return zinc_struct_end(t, r, err);
}

static zinc_json *
print_type(const zinc_field *f, zinc_json_doc *doc)
{
	zinc_json *v, *configuration, *type = zinc_dtype_print_orders(f->type, doc);

	if (!f->reversed)
		return type;
	v = zinc_json_make(doc, ZINC_JSON_OBJECT);
	configuration = zinc_json_make(doc, ZINC_JSON_OBJECT);
	if (zinc_json_set(doc, configuration, "data_type", type, NULL) != ZINC_OK ||
	    zinc_json_set(doc, v, "name", zinc_json_make_string(doc, swapped_name), NULL) != ZINC_OK ||
	    zinc_json_set(doc, v, "configuration", configuration, NULL) != ZINC_OK)
		return NULL;
	return v;
}

static zinc_status
print(const zinc_dtype *t, zinc_json_doc *doc, zinc_json **out, zinc_error *err)
{
	const record *x = t->self;
	zinc_json *list = zinc_json_make(doc, ZINC_JSON_ARRAY);
	size_t i;

	for (i = 0; i < x->n; i++) {
		const zinc_field *f = &x->fields[i];
		zinc_json *o = zinc_json_make(doc, ZINC_JSON_OBJECT);

		ZINC_TRY(zinc_json_set(doc, o, "name", zinc_json_make_string(doc, f->name), err));
		ZINC_TRY(zinc_json_set(doc, o, "data_type", print_type(f, doc), err));
		ZINC_TRY(zinc_json_append(list, o, err));
	}
	*out = zinc_json_make(doc, ZINC_JSON_OBJECT);
	return zinc_json_set(doc, *out, "fields", list, err);
}

static const char *const aliases[] = {"structured", NULL};

const zinc_dtype_row zinc_row_struct = {
    .name = "struct",
    .v2 = "[[...]]",
    .purpose = "named fields, one behind the other",
    .parse = parse,
    .print = print,
    .aliases = aliases,
    .needs_configuration = true,
};
