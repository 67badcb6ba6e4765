/*
 * draft_type.c - data types and fill values of the drafts in the final version's vocabulary, and back
 *
 *   2020             2022                                final
 *   <f8 >i2 u1       float64 int16 uint8                 float64 int16 uint8; the order goes to the codec bytes
 *   r24              r24                                 r24; raw_bytes, too, is written so
 *   an extension     complex64                           complex64
 *   {"extension": URI, "type": "<M8[ns]"}                numpy.datetime64
 *   {"extension": URI, "type": "S4" or "<U4"}            null_terminated_bytes, fixed_length_utf32
 *   {"extension": URI, "type": [["x", "<f4"], ...]}      struct
 *
 * Either spelling is read in every draft, since the texts themselves mix them.  Fill values:
 *
 *   "0x7fc00000" "0b01"    the bits of any core type, as many as it has
 *   "+Infinity"            and "Infinity", as zarr-python has it
 *   null                   nothing; not in 2022, but for one of its own examples
 *   base64, [re, im]       as in version 2, for the extensions are NumPy's types
 */
#include <stdio.h>

#include "format/draft.h"

/* ---- types ---- */

/* Is it a name of the final version that is also in the table of 2022? */
static bool
is_name(const char *text)
{
	static const char *const names[] = {"bool",    "int8",    "int16",     "int32",     "int64",
					    "uint8",   "uint16",  "uint32",    "uint64",    "float16",
					    "float32", "float64", "complex64", "complex128"};
	size_t i;

	for (i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(text, names[i]) == 0)
			return true;
	return text[0] == 'r' && text[1] != '\0' && text[1 + strspn(text + 1, "0123456789")] == '\0';
}

/* Types with the same spelling in both drafts. */
static bool
is_common(const char *text)
{
	return strcmp(text, "bool") == 0 || (text[0] == 'r' && is_name(text));
}

/* The drafts' and the core's name for the type: they have r*, but not raw_bytes. */
static const char *
core_name(const zinc_dtype *t, char *room, size_t n)
{
	if (t->kind != ZINC_KIND_RAW)
		return t->type == ZINC_NATIVE ? t->name : zinc_type_name(t->type);
	snprintf(room, n, "r%u", (unsigned)t->bits);
	return room;
}

/* NumPy's letter for the type, '[' for a struct; 0: it has none. */
static char
letter_of(const zinc_json *type)
{
	if (zinc_json_is(type, ZINC_JSON_ARRAY))
		return '[';
	if (!zinc_json_is(type, ZINC_JSON_STRING) || type->n == 0)
		return 0;
	return type->text[strspn(type->text, "<>|=") > 0];
}

/* The rule for an error in a type, by its letter: findings of the room dtype are reported under that rule. */
static const char *
type_rule(const zinc_draft_parse *p, const zinc_json *type)
{
	static const struct {
		char letter;
		zinc_draft_rule rule;
	} rules[] = {{'r', ZINC_DRAFT_TYPE_RAW},       {'[', ZINC_DRAFT_TYPE_STRUCT}, {'M', ZINC_DRAFT_TYPE_DATETIME},
		     {'m', ZINC_DRAFT_TYPE_TIMEDELTA}, {'S', ZINC_DRAFT_TYPE_BYTES},  {'U', ZINC_DRAFT_TYPE_TEXT}};
	const char letter = letter_of(type);
	size_t i;

	if ((letter == 'M' || letter == 'm') && strchr(type->text, '[') && strchr("<>", type->text[0]))
		return zinc_draft_rule_of(p, ZINC_DRAFT_TYPE_UNIT);
	for (i = 0; i < sizeof rules / sizeof *rules; i++)
		if (letter == rules[i].letter)
			return zinc_draft_rule_of(p, rules[i].rule);
	return zinc_draft_rule_of(p, ZINC_DRAFT_TYPE_NAME);
}

/* Parse the type with the room dtype.  E_UNSUPPORTED leaves p->dtype NULL, and is not reported yet. */
static zinc_status
parse_any(zinc_draft_parse *p, const zinc_json *v, bool name)
{
	zinc_error e = ZINC_ERROR_INIT;
	zinc_report quiet;
	zinc_status st;

	zinc_report_init_quiet(&quiet, p->ctx, false);
	st = name ? zinc_dtype_parse(&p->dtype, p->ctx, v, &quiet, &e)
		  : zinc_dtype_parse_v2(&p->dtype, &p->big, p->ctx, v, &quiet, &e);
	if (st != ZINC_OK)
		p->dtype = NULL;
	if (st == ZINC_E_CORRUPT)
		return zinc_report_error(p->r, type_rule(p, v), &p->e, "%s", e.text);
	return st == ZINC_OK || st == ZINC_E_UNSUPPORTED ? ZINC_OK : zinc_error_copy(&p->e, &e);
}

/* An unknown type is copied as it is; the final version's parser will name it. */
static zinc_status
take(zinc_draft_parse *p, zinc_json *otherwise)
{
	p->data_type = p->dtype ? zinc_dtype_print_orders(p->dtype, p->v3) : otherwise;
	return p->data_type ? ZINC_OK : zinc_fail_nomem(&p->e);
}

/* A string: a core type of the draft. */
static zinc_status
parse_core(zinc_draft_parse *p, const zinc_json *v)
{
	const bool name = is_name(v->text);
	const char *rule = zinc_draft_rule_of(p, ZINC_DRAFT_TYPE_NAME);
	char room[40];

	if (v->n == 0 || strlen(v->text) != v->n)
		return zinc_report_error(p->r, rule, &p->e, "data_type is not an identifier");
	ZINC_TRY(parse_any(p, v, name));
	if (!p->dtype)
		return zinc_report_error(p->r, rule, &p->e, "\"%.60s\" is not a data type", v->text);
	ZINC_TRY(take(p, zinc_json_copy(p->v3, v)));
	if (!is_common(v->text) && name != p->draft->names)
		return zinc_report_lenient(p->r, rule, &p->e, "\"%.60s\" should be spelled \"%.60s\"", v->text,
					   name ? "<f8" : core_name(p->dtype, room, sizeof room));
	if (p->draft->complex && p->dtype->kind == ZINC_KIND_RAW)
		return zinc_report_lenient(p->r, rule, &p->e, "\"%.60s\" is a type of later drafts", v->text);
	if (p->dtype->kind > ZINC_KIND_RAW || (p->dtype->kind == ZINC_KIND_COMPLEX && !name && !p->draft->complex))
		return zinc_report_lenient(p->r, rule, &p->e, "\"%.60s\" is a type of an extension", v->text);
	return ZINC_OK;
}

/* Fields may have either spelling, or be of an extension; the result is NumPy's form.  NULL: no memory. */
static zinc_json *
respell(zinc_draft_parse *p, const zinc_json *type)
{
	const zinc_json *f, *inner = zinc_json_member(type, "type");
	const zinc_dtype *t;
	zinc_json *out, *field;
	bool big;

	if (inner)
		return respell(p, inner);
	if (zinc_json_is(type, ZINC_JSON_STRING) && is_name(type->text)) {
		if (zinc_dtype_parse_text(&t, &big, p->ctx, type->text, NULL) != ZINC_OK)
			return zinc_json_copy(p->v3, type);
		out = zinc_dtype_print_v2(t, false, p->v3);
		zinc_dtype_free(t);
		return out;
	}
	if (!zinc_json_is(type, ZINC_JSON_ARRAY))
		return zinc_json_copy(p->v3, type);
	out = zinc_json_make(p->v3, ZINC_JSON_ARRAY);
	for (f = type->first; f; f = f->next) {
		field = zinc_json_copy(p->v3, f);
		if (zinc_json_is(f, ZINC_JSON_ARRAY) && f->n >= 2) {
			field = zinc_json_make(p->v3, ZINC_JSON_ARRAY);
			(void)zinc_json_append(field, zinc_json_copy(p->v3, f->first), NULL);
			(void)zinc_json_append(field, respell(p, f->first->next), NULL);
			if (f->n == 3)
				(void)zinc_json_append(field, zinc_json_copy(p->v3, f->last), NULL);
		}
		if (zinc_json_append(out, field, NULL) != ZINC_OK)
			return NULL;
	}
	return out;
}

/* What elements of type "O" are depends on the first filter. */
static zinc_status
parse_object(zinc_draft_parse *p)
{
	const char *object = zinc_v2_object_type(p->filters);
	zinc_status st = object ? zinc_dtype_parse_text(&p->dtype, &p->big, p->ctx, object, &p->e) : ZINC_OK;

	return st == ZINC_E_NOMEM ? st : ZINC_OK;
}

/* Types of several bytes must state their byte order, and dates their unit. */
static zinc_status
check_order(zinc_draft_parse *p, const zinc_json *type)
{
	const char letter = letter_of(type);

	if (!p->dtype || p->dtype->unit <= 1 || !zinc_json_is(type, ZINC_JSON_STRING))
		return ZINC_OK;
	if (strchr("<>", type->text[0]) && (!strchr("Mm", letter) || strchr(type->text, '[')))
		return ZINC_OK;
	if (p->draft->names)
		return zinc_report_error(p->r, type_rule(p, type), &p->e, "\"%.60s\" lacks its byte order or its unit",
					 type->text);
	return zinc_report_lenient(p->r, type_rule(p, type), &p->e, "\"%.60s\" lacks its byte order or its unit",
				   type->text);
}

/* Strings are recognised by their letter: without a length they are an error. */
static bool
is_unknown_word(const zinc_draft_parse *p, const zinc_json *type)
{
	const zinc_dtype *t = NULL;
	zinc_status st;

	if (!zinc_json_is(type, ZINC_JSON_STRING) || type->n == 0 || strlen(type->text) != type->n ||
	    memchr("SUO", letter_of(type), 3))
		return false;
	st = zinc_dtype_parse_text(&t, NULL, p->ctx, type->text, NULL);
	zinc_dtype_free(st == ZINC_OK ? t : NULL);
	return st != ZINC_OK && st != ZINC_E_NOMEM;
}

/* Does the type, or a field, have a word that no registered extension knows?  Then the type is unknown. */
static bool
is_unknown(const zinc_draft_parse *p, const zinc_json *type)
{
	const zinc_json *uri = zinc_json_member(type, "extension"), *inner = zinc_json_member(type, "type"), *f;
	bool has;

	if (inner && zinc_draft_is_uri(uri))
		return zinc_draft_type_uri(uri->text, letter_of(inner), &has) < ZINC_URI_MINOR || !has ||
		       is_unknown(p, inner);
	if (!zinc_json_is(type, ZINC_JSON_ARRAY))
		return is_unknown_word(p, type);
	for (f = type->first; f; f = f->next)
		if (zinc_json_is(f, ZINC_JSON_ARRAY) && f->n >= 2 && is_unknown(p, f->first->next))
			return true;
	return false;
}

/* A registered type, or an unknown one. */
static zinc_status
parse_registered(zinc_draft_parse *p, const zinc_json *v, zinc_json *foreign)
{
	const char *uri = zinc_json_member(v, "extension")->text;
	zinc_json *configuration = NULL;
	zinc_error e = ZINC_ERROR_INIT;
	zinc_uri_match match;
	zinc_report quiet;
	zinc_status st;

	ZINC_TRY(zinc_draft_configuration(&configuration, p->v3, v, &p->e));
	zinc_report_init_quiet(&quiet, p->ctx, false);
	st = zinc_dtype_parse_uri(&p->dtype, &p->big, p->ctx, uri, zinc_json_member(v, "type"), configuration, &match,
				  &quiet, &e);
	if (st == ZINC_E_UNSUPPORTED)
		return ZINC_OK;
	if (st == ZINC_E_CORRUPT)
		return zinc_report_error(p->r, zinc_draft_rule_of(p, ZINC_DRAFT_TYPE), &p->e, "%s", e.text);
	if (st != ZINC_OK)
		return zinc_error_copy(&p->e, &e);
	if (match == ZINC_URI_MINOR)
		zinc_draft_warn_minor(p, uri, zinc_dtype_uris(p->dtype)[0], ZINC_DRAFT_TYPE);
	p->extension_type = true;
	return take(p, foreign);
}

/* A NumPy type of an extension that this build has. p->dtype stays NULL for a word that the extension, or its version
 * 1.0, does not have. */
static zinc_status
parse_built_in(zinc_draft_parse *p, const zinc_json *v, zinc_uri_match match)
{
	const zinc_json *type = zinc_json_member(v, "type");
	const char *uri = zinc_json_member(v, "extension")->text;
	zinc_json *numpy = respell(p, type);
	zinc_report *loud = p->r, quiet;
	zinc_status st;

	if (!numpy)
		return zinc_fail_nomem(&p->e);
	if (match == ZINC_URI_MINOR)
		ZINC_TRY(zinc_report_lenient(p->r, zinc_draft_rule_of(p, ZINC_DRAFT_TYPE_UNKNOWN), &p->e,
					     "\"%.200s\" is read as version 1.0", uri));
	zinc_report_init_quiet(&quiet, p->ctx, false);
	p->r = match == ZINC_URI_MINOR ? &quiet : loud; /* an error in 1.0 may be valid in 1.1 */
	st = letter_of(type) == 'O' ? parse_object(p) : parse_any(p, numpy, false);
	p->r = loud;
	if (st == ZINC_E_CORRUPT && match == ZINC_URI_MINOR)
		st = ZINC_OK;
	if (st != ZINC_OK || !p->dtype)
		return st;
	p->extension_type = true;
	ZINC_TRY(take(p, NULL));
	return check_order(p, type);
}

/* An object: a type of an extension.  An unknown one keeps its spelling, for the final version's parser to name, unless
 * it has a fallback that may be used. */
static zinc_status
parse_extension(zinc_draft_parse *p, const zinc_json *v)
{
	zinc_uri_match match;
	bool has;

	ZINC_TRY(zinc_draft_foreign(p, v, ZINC_DRAFT_TYPE_OBJECT, &p->data_type));
	match =
	    zinc_draft_type_uri(zinc_json_member(v, "extension")->text, letter_of(zinc_json_member(v, "type")), &has);
	if (match == ZINC_URI_OTHER)
		ZINC_TRY(parse_registered(p, v, p->data_type));
	else if (match >= ZINC_URI_MINOR && has && !is_unknown(p, zinc_json_member(v, "type")))
		ZINC_TRY(parse_built_in(p, v, match));
	return zinc_draft_fallback_parse(p, zinc_json_member(v, "fallback"));
}

zinc_status
zinc_draft_type_parse(zinc_draft_parse *p, const zinc_json *v)
{
	if (zinc_json_is(v, ZINC_JSON_STRING))
		return parse_core(p, v);
	if (!zinc_json_is(v, ZINC_JSON_OBJECT))
		return zinc_report_error(p->r, zinc_draft_rule_of(p, ZINC_DRAFT_TYPE), &p->e,
					 "data_type must be an identifier, or the object of an extension");
	return parse_extension(p, v);
}

/* ---- fill values ---- */

/* Bit i, counted from the left, of a string of binary or hexadecimal digits; -1: not a digit. */
static int
digit_bit(const char *digits, bool hex, size_t i)
{
	const char *c = digits + (hex ? i / 4 : i);
	int value = *c - '0';

	if (hex && *c >= 'a' && *c <= 'f')
		value = *c - 'a' + 10;
	else if (hex && *c >= 'A' && *c <= 'F')
		value = *c - 'A' + 10;
	if (value < 0 || value >= (hex ? 16 : 2))
		return -1;
	return hex ? value >> (3 - i % 4) & 1 : value;
}

/* All bits of an element, the highest first.  Complex numbers: one part after the other. */
static zinc_status
parse_bits(zinc_draft_parse *p, const zinc_json *v, uint8_t *element)
{
	const bool hex = v->text[1] == 'x';
	const size_t nbits = (size_t)p->dtype->size * 8;
	const char *rule = zinc_draft_rule_of(p, ZINC_DRAFT_FILL_BITS);
	size_t i;

	if (v->n - 2 != (hex ? nbits / 4 : nbits))
		return zinc_report_error(p->r, rule, &p->e, "\"%.60s\" does not have all bits of type %s", v->text,
					 p->dtype->name);
	memset(element, 0, p->dtype->size);
	for (i = 0; i < nbits; i++) {
		const int bit = digit_bit(v->text + 2, hex, i);

		if (bit < 0)
			return zinc_report_error(p->r, rule, &p->e, "\"%.60s\" is not a number", v->text);
		element[i / 8] = (uint8_t)(element[i / 8] << 1 | bit);
	}
	if (p->dtype->kind == ZINC_KIND_BOOL && element[0] > 1)
		return zinc_report_error(p->r, rule, &p->e, "\"%.60s\" is neither true nor false", v->text);
	zinc_dtype_reorder(p->dtype, !ZINC_HOST_BIG, element, element, 1);
	return ZINC_OK;
}

static bool
has_bits(const zinc_dtype *t, const zinc_json *v)
{
	return t->kind <= ZINC_KIND_RAW && zinc_json_is(v, ZINC_JSON_STRING) && v->n > 2 && v->text[0] == '0' &&
	       (v->text[1] == 'x' || v->text[1] == 'b');
}

/* The rule about fill values of this type that corresponds to a rule of the final version. */
static const char *
fill_rule(const zinc_draft_parse *p, const char *final)
{
	const zinc_kind kind = p->dtype->kind;
	zinc_draft_rule rule = ZINC_DRAFT_FILL;

	if (p->extension_type)
		rule = ZINC_DRAFT_FILL_EXTENSION;
	else if (kind == ZINC_KIND_BOOL)
		rule = ZINC_DRAFT_FILL_BOOL;
	else if (kind == ZINC_KIND_INT || kind == ZINC_KIND_UINT)
		rule = strcmp(final, "M51") == 0 ? ZINC_DRAFT_FILL_RANGE : ZINC_DRAFT_FILL_INTEGER;
	return zinc_draft_rule_of(p, rule);
}

/* Collects findings, to report them again under one rule. */
struct retold {
	zinc_draft_parse *p;
	zinc_status s; /* of the most serious finding */
};

static void
forward_finding(void *arg, zinc_severity severity, const char *rule, const char *pointer, const char *message)
{
	struct retold *x = arg;
	const char *own = fill_rule(x->p, rule);

	(void)pointer;
	if (severity == ZINC_SEVERITY_ERROR)
		x->s = zinc_report_error(x->p->r, own, &x->p->e, "%s", message);
	else if (severity == ZINC_SEVERITY_WARNING && x->s == ZINC_OK)
		x->s = zinc_report_lenient(x->p->r, own, &x->p->e, "%s", message);
}

/* A copy with "Infinity" in place of "+Infinity", also in the parts of a complex number.  NULL: no memory. */
static zinc_json *
unsigned_infinity(zinc_draft_parse *p, const zinc_json *v)
{
	zinc_json *copy = zinc_json_copy(p->v3, v), *part;

	if (zinc_json_is_string(copy, "+Infinity"))
		return zinc_json_make_string(p->v3, "Infinity");
	for (part = zinc_json_is(copy, ZINC_JSON_ARRAY) ? copy->first : NULL; part; part = part->next)
		if (zinc_json_is_string(part, "+Infinity")) {
			part->text++;
			part->n--;
		}
	return copy;
}

/* As in version 2; if the value does not have that form, as in the final version. */
static zinc_status
parse_value(const zinc_draft_parse *p, const zinc_json *v, void *element, zinc_report *r, zinc_error *err)
{
	const zinc_dtype *t = p->dtype;

	if (t->kind > ZINC_KIND_COMPLEX && zinc_json_is(v, ZINC_JSON_STRING) && v->n == 0) {
		zinc_dtype_zero(t, element); /* not a string */
		return ZINC_OK;
	}
	if (t->kind > ZINC_KIND_COMPLEX && (zinc_json_is(v, ZINC_JSON_ARRAY) || zinc_json_is(v, ZINC_JSON_OBJECT)))
		return t->ops->parse_fill(t, v, element, r, err);
	return zinc_dtype_parse_fill_v2(t, p->big, v, element, r, err);
}

static zinc_status
parse_element(zinc_draft_parse *p, const zinc_json *v, void *element)
{
	const bool number = p->dtype->kind == ZINC_KIND_FLOAT || p->dtype->kind == ZINC_KIND_COMPLEX;
	struct retold x = {.p = p};
	zinc_error e = ZINC_ERROR_INIT;
	zinc_report own;
	zinc_status st;

	if (has_bits(p->dtype, v))
		return parse_bits(p, v, element);
	if (number)
		v = unsigned_infinity(p, v);
	if (!v)
		return zinc_fail_nomem(&p->e);
	zinc_report_init(&own, p->ctx, false, p->r->where);
	own.code = p->r->code;
	own.found = forward_finding;
	own.arg = &x;
	st = parse_value(p, v, element, &own, &e);
	ZINC_TRY(x.s);
	return st == ZINC_OK ? st : zinc_error_copy(&p->e, &e);
}

zinc_status
zinc_draft_fill_parse(zinc_draft_parse *p, const zinc_json *v, zinc_json **out)
{
	const bool null = !v || zinc_json_is(v, ZINC_JSON_NULL);
	zinc_status st = ZINC_OK;
	void *element;

	if (v && null && p->draft->strict_members)
		ZINC_TRY(zinc_report_lenient(p->r, zinc_draft_rule_of(p, ZINC_DRAFT_FILL_NULL), &p->e,
					     "fill_value is null, which is not permitted; it is read as zero"));
	if (!p->dtype) { /* a placeholder that is not used */
		*out = null ? zinc_json_make_u64(p->v3, 0) : zinc_json_copy(p->v3, v);
		return *out ? ZINC_OK : zinc_fail_nomem(&p->e);
	}
	element = zinc_dtype_fill_room(p->dtype, p->ctx, v);
	if (!element)
		return zinc_fail_nomem(&p->e);
	zinc_dtype_zero(p->dtype, element);
	if (!null)
		st = parse_element(p, v, element);
	*out = st == ZINC_OK ? p->dtype->ops->print_fill(p->dtype, element, p->v3) : NULL;
	zinc_free(p->ctx, element);
	return st == ZINC_OK && !*out ? zinc_fail_nomem(&p->e) : st;
}

/* ---- the way back ---- */

static zinc_status
print_extension(zinc_json **out, zinc_json_doc *doc, const zinc_draft *d, const zinc_dtype *t, bool big,
		zinc_error *err)
{
	zinc_json *type = zinc_dtype_has_v2(t) ? zinc_dtype_print_v2(t, big, doc) : NULL;
	const char *uri = type ? zinc_draft_type_name(d, t) : NULL;

	if (!uri)
		return zinc_fail(err, ZINC_E_INVALID, "%s cannot hold the data type \"%.60s\"", d->name, t->name);
	if (d->names && zinc_json_is(type, ZINC_JSON_STRING) && type->text[0] == '|') /* "Sn" */
		type = zinc_json_make_string(doc, type->text + 1);
	*out = zinc_json_make(doc, ZINC_JSON_OBJECT);
	ZINC_TRY(zinc_json_set(doc, *out, "extension", zinc_json_make_string(doc, uri), err));
	ZINC_TRY(zinc_json_set(doc, *out, "type", type, err));
	if (d->complex && t->kind != ZINC_KIND_DATETIME && t->kind != ZINC_KIND_TIMEDELTA)
		return ZINC_OK; /* no raw types in 2019 */
	return zinc_json_set(doc, *out, "fallback", zinc_draft_fallback_print(doc, d, t, big), err);
}

/* A program's type gets a fallback: readers without the type can still read the bytes. */
static zinc_status
print_registered(zinc_json **out, zinc_json_doc *doc, const zinc_draft *d, const zinc_dtype *t, zinc_error *err)
{
	zinc_json *configuration = NULL;

	if (t->row->print)
		ZINC_TRY(t->row->print(t, doc, &configuration, err));
	ZINC_TRY(zinc_draft_declare(out, doc, t->row->uris, t->name, configuration, err));
	return zinc_json_set(doc, *out, "fallback", zinc_draft_fallback_print(doc, d, t, false), err);
}

/* The registry's number types are later than all drafts. */
static bool
lacks(const zinc_draft *d, const zinc_dtype *t)
{
	return t->type > ZINC_RAW || (d->complex && t->kind == ZINC_KIND_RAW);
}

zinc_status
zinc_draft_type_print(zinc_json **out, zinc_json_doc *doc, const zinc_draft *d, const zinc_dtype *t, bool big,
		      zinc_error *err)
{
	char text[40];
	const char *name = text;

	if (t->row && t->row->uris)
		return print_registered(out, doc, d, t, err);
	if (lacks(d, t))
		return zinc_fail(err, ZINC_E_INVALID, "%s cannot hold the data type \"%.60s\"", d->name, t->name);
	if (t->kind > ZINC_KIND_RAW || (t->kind == ZINC_KIND_COMPLEX && !d->names && !d->complex))
		return print_extension(out, doc, d, t, big, err);
	if (d->names || t->kind == ZINC_KIND_RAW || t->kind == ZINC_KIND_BOOL)
		name = core_name(t, text, sizeof text);
	else
		snprintf(text, sizeof text, "%s%s", t->unit <= 1 ? "" : big ? ">" : "<", t->v2);
	*out = zinc_json_make_string(doc, name);
	return *out ? ZINC_OK : zinc_fail_nomem(err);
}

/* "0x..." for raw bytes; NULL: no memory. */
static zinc_json *
print_raw(zinc_json_doc *doc, const zinc_dtype *t, const uint8_t *element)
{
	zinc_json *v = NULL;
	zinc_buf text;
	size_t i;
	zinc_status st;

	zinc_buf_init(&text, zinc_json_context(doc), zinc_max_text(zinc_json_context(doc)));
	st = zinc_buf_puts(&text, "0x", NULL);
	for (i = 0; i < t->size && st == ZINC_OK; i++)
		st = zinc_buf_printf(&text, NULL, "%02x", element[i]);
	if (st == ZINC_OK && zinc_buf_text(&text))
		v = zinc_json_make_string(doc, zinc_buf_text(&text));
	zinc_buf_fini(&text);
	return v;
}

/* Infinity has a sign in the drafts. */
static zinc_json *
signed_infinity(zinc_json_doc *doc, zinc_json *v)
{
	zinc_json *list, *part;

	if (zinc_json_is_string(v, "Infinity"))
		return zinc_json_make_string(doc, "+Infinity");
	if (!zinc_json_is(v, ZINC_JSON_ARRAY))
		return v;
	list = zinc_json_make(doc, ZINC_JSON_ARRAY);
	for (part = v->first; part; part = part->next)
		if (zinc_json_append(list, signed_infinity(doc, zinc_json_copy(doc, part)), NULL) != ZINC_OK)
			return NULL;
	return list;
}

zinc_status
zinc_draft_fill_print(zinc_json **out, zinc_json_doc *doc, const zinc_dtype *t, bool big, const void *fill,
		      zinc_error *err)
{
	if (t->kind == ZINC_KIND_RAW)
		*out = print_raw(doc, t, fill);
	else if (t->kind == ZINC_KIND_FLOAT || t->kind == ZINC_KIND_COMPLEX)
		*out = signed_infinity(doc, t->ops->print_fill(t, fill, doc));
	else
		*out = t->kind < ZINC_KIND_RAW ? t->ops->print_fill(t, fill, doc)
					       : zinc_dtype_print_fill_v2(t, big, fill, doc);
	return *out ? ZINC_OK : zinc_fail_nomem(err);
}
