/*
 * schema_words.c - the keywords of JSON Schema, one row each, and the form of a schema
 *
 * A row has the drafts with the keyword, the form of its value, and the function that asserts it.  The form serves two
 * purposes: checking that a schema is well formed, and checking an instance against JSON Schema's metaschema (schemas
 * refer to it), so that the metaschemas are not needed as documents.
 */
#include <stdlib.h>

#include "schema/schema_impl.h"

enum form {
	ANY,
	SCHEMA,
	SCHEMAS,        /* a list of at least one */
	SCHEMA_MAP,     /* an object of schemas */
	SCHEMA_OR_LIST, /* items of draft 07 */
	DEPENDENCIES,   /* an object of schemas or lists of strings */
	STRING,
	ANCHOR,     /* of 2020-12: a name */
	IDENTIFIER, /* a URI, in 2020-12 without fragment */
	STRINGS,    /* different ones */
	STRINGS_MAP,
	LIST,
	BOOLEAN,
	NUMBER,
	POSITIVE,
	COUNT, /* an integer that is not negative */
	TYPES  /* a name of a type, or a list of them */
};

#define B07 ZINC_WORD_07
#define B20 ZINC_WORD_2020
#define ALL ZINC_WORD_BOTH

/* In byte order, for binary search. */
static const zinc_word words[] = {
    {"$anchor", B20, ANCHOR, NULL},
    {"$comment", ALL, STRING, NULL},
    {"$defs", ALL, SCHEMA_MAP, NULL}, /* of 2019, but schemas of draft 07 use it too */
    {"$dynamicAnchor", B20, ANCHOR, NULL},
    {"$dynamicRef", B20, STRING, zinc_word_dynamic_ref},
    {"$id", ALL, IDENTIFIER, NULL},
    {"$ref", ALL, STRING, zinc_word_ref},
    {"$schema", ALL, STRING, NULL},
    {"additionalItems", ALL, SCHEMA, zinc_word_additional_items}, /* beside a list of items only */
    {"additionalProperties", ALL, SCHEMA, zinc_word_additional},
    {"allOf", ALL, SCHEMAS, zinc_word_all_of},
    {"anyOf", ALL, SCHEMAS, zinc_word_any_of},
    {"const", ALL, ANY, zinc_word_const},
    {"contains", ALL, SCHEMA, zinc_word_contains},
    {"contentEncoding", ALL, STRING, NULL},
    {"contentMediaType", ALL, STRING, NULL},
    {"contentSchema", B20, SCHEMA, NULL},
    {"definitions", ALL, SCHEMA_MAP, NULL},
    {"dependencies", ALL, DEPENDENCIES, zinc_word_dependencies},
    {"dependentRequired", B20, STRINGS_MAP, zinc_word_dependencies},
    {"dependentSchemas", B20, SCHEMA_MAP, zinc_word_dependencies},
    {"description", ALL, STRING, NULL},
    {"else", ALL, SCHEMA, NULL},
    {"enum", ALL, LIST, zinc_word_enum},
    {"exclusiveMaximum", ALL, NUMBER, zinc_word_under},
    {"exclusiveMinimum", ALL, NUMBER, zinc_word_over},
    {"format", ALL, STRING, NULL},
    {"if", ALL, SCHEMA, zinc_word_if},
    {"items", ALL, SCHEMA_OR_LIST, zinc_word_items},
    {"maxContains", B20, COUNT, NULL},
    {"maxItems", ALL, COUNT, zinc_word_max_items},
    {"maxLength", ALL, COUNT, zinc_word_max_length},
    {"maxProperties", ALL, COUNT, zinc_word_max_members},
    {"maximum", ALL, NUMBER, zinc_word_maximum},
    {"minContains", B20, COUNT, NULL},
    {"minItems", ALL, COUNT, zinc_word_min_items},
    {"minLength", ALL, COUNT, zinc_word_min_length},
    {"minProperties", ALL, COUNT, zinc_word_min_members},
    {"minimum", ALL, NUMBER, zinc_word_minimum},
    {"multipleOf", ALL, POSITIVE, zinc_word_multiple_of},
    {"not", ALL, SCHEMA, zinc_word_not},
    {"oneOf", ALL, SCHEMAS, zinc_word_one_of},
    {"pattern", ALL, STRING, zinc_word_pattern},
    {"patternProperties", ALL, SCHEMA_MAP, zinc_word_patterns},
    {"prefixItems", B20, SCHEMAS, zinc_word_prefix_items},
    {"properties", ALL, SCHEMA_MAP, zinc_word_properties},
    {"propertyNames", ALL, SCHEMA, zinc_word_names},
    {"required", ALL, STRINGS, zinc_word_required},
    {"then", ALL, SCHEMA, NULL},
    {"title", ALL, STRING, NULL},
    {"type", ALL, TYPES, zinc_word_type},
    {"unevaluatedItems", B20 | ZINC_WORD_LAST, SCHEMA, zinc_word_unevaluated},
    {"unevaluatedProperties", B20 | ZINC_WORD_LAST, SCHEMA, zinc_word_unevaluated},
    {"uniqueItems", ALL, BOOLEAN, zinc_word_unique},
};

static int
compare_word(const void *name, const void *word)
{
	return strcmp(name, ((const zinc_word *)word)->name);
}

const zinc_word *
zinc_word_find(const char *name, zinc_dialect dialect)
{
	const zinc_word *w = bsearch(name, words, sizeof words / sizeof *words, sizeof *words, compare_word);

	return w && (w->flags & (dialect == ZINC_DRAFT_07 ? B07 : B20)) ? w : NULL;
}

/* ---- dialects ---- */

static const struct {
	const char *uri;
	zinc_dialect dialect;
} dialects[] = {
    {"http://json-schema.org/draft-06/schema", ZINC_DRAFT_07},
    {"http://json-schema.org/draft-07/schema", ZINC_DRAFT_07},
    {"https://json-schema.org/draft-07/schema", ZINC_DRAFT_07}, /* a common misspelling */
    {"https://json-schema.org/draft/2019-09/schema", ZINC_DRAFT_2020},
    {"https://json-schema.org/draft/2020-12/schema", ZINC_DRAFT_2020},
};

bool
zinc_dialect_of(const char *uri, zinc_dialect *out)
{
	const size_t n = strcspn(uri, "#");
	size_t i;

	for (i = 0; i < sizeof dialects / sizeof *dialects; i++)
		if (strlen(dialects[i].uri) == n && memcmp(dialects[i].uri, uri, n) == 0) {
			*out = dialects[i].dialect;
			return true;
		}
	return false;
}

/* ---- the form of a value ---- */

struct walk {
	zinc_schema_visit_fn visit;
	void *arg;
	zinc_report *r;
	zinc_error *err;
	unsigned depth;
};

static zinc_status walk_schema(struct walk *w, const zinc_json *schema, zinc_dialect dialect);

/* The metaschema requires them to be unique; comparing all pairs of a long list would cost too much. */
static bool
all_strings(const zinc_json *list)
{
	const zinc_json *v, *u;
	size_t i = 0;

	if (!zinc_json_is(list, ZINC_JSON_ARRAY))
		return false;
	for (v = list->first; v; v = v->next, i++) {
		if (v->type != ZINC_JSON_STRING)
			return false;
		for (u = i < 100 ? list->first : v; u != v; u = u->next) /* long lists are not checked */
			if (u->n == v->n && memcmp(u->text, v->text, v->n) == 0)
				return false;
	}
	return true;
}

static bool
is_type_name(const zinc_json *v)
{
	static const char *const names[] = {"array", "boolean", "integer", "null", "number", "object", "string"};
	size_t i;

	for (i = 0; i < sizeof names / sizeof *names; i++)
		if (zinc_json_is_string(v, names[i]))
			return true;
	return false;
}

static bool
is_types(const zinc_json *v)
{
	const zinc_json *t;

	if (!zinc_json_is(v, ZINC_JSON_ARRAY))
		return is_type_name(v);
	for (t = v->first; t; t = t->next)
		if (!is_type_name(t))
			return false;
	return v->n > 0 && all_strings(v);
}

static bool
is_strings_map(const zinc_json *v)
{
	const zinc_json *m;

	for (m = v->first; m; m = m->next)
		if (!all_strings(m))
			return false;
	return v->type == ZINC_JSON_OBJECT;
}

/* At least 0, or (`zero` false) above it; perhaps integral, which 2.0 is. */
static bool
is_number_above(const zinc_json *v, bool zero, bool integer)
{
	zinc_decimal d;

	if (!zinc_json_is(v, ZINC_JSON_NUMBER))
		return false;
	zinc_decimal_parse(&d, v);
	return d.finite && !d.negative && (zero || d.n > 0) && (!integer || zinc_decimal_is_integer(&d));
}

static bool
is_text(const zinc_json *v)
{
	return v->type == ZINC_JSON_STRING && strlen(v->text) == v->n;
}

/* ^[A-Za-z_][-A-Za-z0-9._]*$ */
static bool
is_anchor(const zinc_json *v)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_-.0123456789";

	return is_text(v) && v->n > 0 && !strchr("-.0123456789", v->text[0]) &&
	       v->text[strspn(v->text, letters)] == '\0';
}

/* Forms without schemas in them. */
static bool
is_plain(enum form form, const zinc_json *v, zinc_dialect dialect)
{
	switch (form) {
	case STRING:
		return is_text(v);
	case ANCHOR:
		return is_anchor(v);
	case IDENTIFIER:
		return is_text(v) && (dialect == ZINC_DRAFT_07 || v->text[strcspn(v->text, "#")] == '\0' ||
				      strcspn(v->text, "#") + 1 == v->n);
	case STRINGS:
		return all_strings(v);
	case STRINGS_MAP:
		return is_strings_map(v);
	case LIST:
		return v->type == ZINC_JSON_ARRAY;
	case BOOLEAN:
		return v->type == ZINC_JSON_TRUE || v->type == ZINC_JSON_FALSE;
	case NUMBER:
		return v->type == ZINC_JSON_NUMBER;
	case POSITIVE:
		return is_number_above(v, false, false);
	case COUNT:
		return is_number_above(v, true, true);
	case TYPES:
		return is_types(v);
	default:
		return true;
	}
}

/* Schemas in an object or a list; a dependency may also be a list of names. */
static zinc_status
walk_children(struct walk *w, const zinc_json *v, enum form form, zinc_dialect dialect)
{
	const zinc_json *m;
	size_t i = 0;

	for (m = v->first; m; m = m->next, i++) {
		const bool names = form == DEPENDENCIES && m->type == ZINC_JSON_ARRAY;
		const size_t mark =
		    v->type == ZINC_JSON_ARRAY ? zinc_report_enter_item(w->r, i) : zinc_report_enter(w->r, m->key);
		zinc_status st = ZINC_OK;

		if (!names)
			st = walk_schema(w, m, dialect);
		else if (!all_strings(m))
			st = zinc_report_error(w->r, "schema", w->err, "must be a list of names");
		zinc_report_leave(w->r, mark);
		ZINC_TRY(st);
	}
	return ZINC_OK;
}

static zinc_status
walk_value(struct walk *w, const zinc_word *word, const zinc_json *v, zinc_dialect dialect)
{
	const enum form form = (enum form)word->form;
	const bool list = v->type == ZINC_JSON_ARRAY, object = v->type == ZINC_JSON_OBJECT;

	if (form == SCHEMA || (form == SCHEMA_OR_LIST && !list))
		return walk_schema(w, v, dialect);
	if (form == SCHEMAS || form == SCHEMA_OR_LIST) {
		if (!list || (form == SCHEMAS && v->n == 0))
			return zinc_report_error(w->r, "schema", w->err, "must be a list of schemas");
		return walk_children(w, v, form, dialect);
	}
	if (form == SCHEMA_MAP || form == DEPENDENCIES) {
		if (!object)
			return zinc_report_error(w->r, "schema", w->err, "must be an object of schemas");
		return walk_children(w, v, form, dialect);
	}
	if (!is_plain(form, v, dialect))
		return zinc_report_error(w->r, "schema", w->err, "\"%s\" cannot have this value", word->name);
	return ZINC_OK;
}

/* Unknown keywords are annotations: they contain no schemas and no identifiers. */
static zinc_status
walk_words(struct walk *w, const zinc_json *schema, zinc_dialect dialect)
{
	const zinc_json *m, *says = zinc_json_member(schema, "$schema");

	if (zinc_json_is(says, ZINC_JSON_STRING))
		(void)zinc_dialect_of(says->text, &dialect);
	for (m = schema->first; m; m = m->next) {
		const zinc_word *word = zinc_word_find(m->key, dialect);
		const size_t mark = word ? zinc_report_enter(w->r, m->key) : 0;
		const zinc_status st = word ? walk_value(w, word, m, dialect) : ZINC_OK;

		if (word)
			zinc_report_leave(w->r, mark);
		ZINC_TRY(st);
	}
	return ZINC_OK;
}

/* Identifiers ($id) are checked to be strings before `visit`, and entered before the schemas inside are walked. */
static zinc_status
walk_schema(struct walk *w, const zinc_json *schema, zinc_dialect dialect)
{
	static const char *const names[] = {"$id", "$anchor", "$dynamicAnchor", "$schema"};
	zinc_status st;
	size_t i;

	if (schema->type == ZINC_JSON_TRUE || schema->type == ZINC_JSON_FALSE)
		return ZINC_OK;
	if (schema->type != ZINC_JSON_OBJECT)
		return zinc_report_error(w->r, "schema", w->err, "a schema must be an object, true or false");
	if (w->depth >= ZINC_SCHEMA_DEPTH)
		return zinc_fail(w->err, ZINC_E_LIMIT, "schemas nested deeper than %u", ZINC_SCHEMA_DEPTH);
	for (i = 0; i < sizeof names / sizeof *names; i++) {
		const zinc_json *v = zinc_json_member(schema, names[i]);

		if (v && !is_text(v))
			return zinc_report_error(w->r, "schema", w->err, "\"%s\" must be a string", names[i]);
	}
	if (w->visit)
		ZINC_TRY(w->visit(w->arg, schema, w->err));
	w->depth++;
	st = walk_words(w, schema, dialect);
	w->depth--;
	return st;
}

zinc_status
zinc_schema_form(const zinc_json *schema, zinc_dialect dialect, zinc_schema_visit_fn visit, void *arg, zinc_report *r,
		 zinc_error *err)
{
	struct walk w = {visit, arg, r, err, 0};

	return walk_schema(&w, schema, dialect);
}
