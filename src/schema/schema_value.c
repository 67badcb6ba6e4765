/*
 * schema_value.c - keywords that look at one value: type, equality, numbers, lengths, patterns
 */
#include <stdlib.h>

#include "schema/schema_impl.h"

/* ---- type ---- */

/* 1.0 is an integer (6.1.1), and so is 1e400. */
static bool
is_integral(const zinc_json *v)
{
	zinc_decimal d;

	if (v->type != ZINC_JSON_NUMBER)
		return false;
	zinc_decimal_parse(&d, v);
	return zinc_decimal_is_integer(&d);
}

static const char *
type_name(const zinc_json *v)
{
	static const char *const names[] = {"null", "boolean", "boolean", "number", "string", "array", "object"};

	return names[v->type];
}

static bool
has_type(const zinc_json *v, const char *name)
{
	return strcmp(name, "integer") == 0 ? is_integral(v) : strcmp(name, type_name(v)) == 0;
}

/* One type name, or a list of which one must match. */
zinc_status
zinc_word_type(zinc_here *h, const zinc_json *value)
{
	const zinc_json *t;

	if (value->type == ZINC_JSON_STRING) {
		if (!has_type(h->instance, value->text))
			zinc_schema_fault(h, "must be of type %s, not %s", value->text, type_name(h->instance));
		return ZINC_OK;
	}
	for (t = value->first; t; t = t->next)
		if (has_type(h->instance, t->text))
			return ZINC_OK;
	zinc_schema_fault(h, "must not be of type %s", type_name(h->instance));
	return ZINC_OK;
}

/* ---- equality: 1 and 1.0 are the same, 0 and false are not ---- */

static bool
same_number(const zinc_json *a, const zinc_json *b)
{
	bool comparable;
	const int order = zinc_decimal_compare(a, b, &comparable);

	return comparable ? order == 0 : strcmp(a->text, b->text) == 0;
}

static zinc_status same(zinc_checker *c, const zinc_json *a, const zinc_json *b, unsigned depth, bool *equal);

/* Both have the same number of children; members are compared in the order of their names. */
static zinc_status
same_children(zinc_checker *c, const zinc_json *a, const zinc_json *b, unsigned depth, bool *equal)
{
	const zinc_json *x = a->first, *y = b->first;
	size_t i;

	for (i = 0; i < a->n && *equal; i++) {
		if (a->type == ZINC_JSON_OBJECT) {
			x = a->sorted[i];
			y = b->sorted[i];
			*equal = x->nkey == y->nkey && memcmp(x->key, y->key, x->nkey) == 0;
		}
		if (*equal)
			ZINC_TRY(same(c, x, y, depth + 1, equal));
		x = x->next;
		y = y->next;
	}
	return ZINC_OK;
}

static zinc_status
same(zinc_checker *c, const zinc_json *a, const zinc_json *b, unsigned depth, bool *equal)
{
	ZINC_TRY(zinc_schema_step(c, 1));
	if (depth >= ZINC_SCHEMA_DEPTH)
		return zinc_fail(c->err, ZINC_E_LIMIT, "values nested deeper than %u", ZINC_SCHEMA_DEPTH);
	*equal = a->type == b->type;
	if (!*equal)
		return ZINC_OK;
	if (a->type == ZINC_JSON_NUMBER)
		*equal = same_number(a, b);
	else if (a->type == ZINC_JSON_STRING)
		*equal = a->n == b->n && memcmp(a->text, b->text, a->n) == 0;
	else
		*equal = a->n == b->n;
	return *equal && (a->type == ZINC_JSON_ARRAY || a->type == ZINC_JSON_OBJECT)
		   ? same_children(c, a, b, depth, equal)
		   : ZINC_OK;
}

/* The value itself is only shown where it is a string: others may be long. */
zinc_status
zinc_word_const(zinc_here *h, const zinc_json *value)
{
	bool equal;

	ZINC_TRY(same(h->c, value, h->instance, 0, &equal));
	if (!equal && value->type == ZINC_JSON_STRING)
		zinc_schema_fault(h, "must be \"%.200s\"", value->text);
	else if (!equal)
		zinc_schema_fault(h, "is not the one value that is allowed");
	return ZINC_OK;
}

zinc_status
zinc_word_enum(zinc_here *h, const zinc_json *value)
{
	const zinc_json *v;
	bool equal;

	for (v = value->first; v; v = v->next) {
		ZINC_TRY(same(h->c, v, h->instance, 0, &equal));
		if (equal)
			return ZINC_OK;
	}
	if (h->instance->type == ZINC_JSON_STRING)
		zinc_schema_fault(h, "\"%.100s\" is none of the %zu allowed values", h->instance->text, value->n);
	else
		zinc_schema_fault(h, "is none of the %zu allowed values", value->n);
	return ZINC_OK;
}

/* ---- different items: equal values have equal hashes, so only neighbours in order of hashes are compared ---- */

struct hashed {
	uint64_t hash;
	const zinc_json *v;
};

static uint64_t
hash_bytes(uint64_t hash, const void *p, size_t n)
{
	const uint8_t *b = p;

	while (n-- > 0)
		hash = (hash ^ *b++) * UINT64_C(1099511628211); /* FNV-1a */
	return hash;
}

/* Of the normal form: 1, 1.0 and 10e-1 are the same number. */
static uint64_t
hash_number(uint64_t hash, const zinc_json *v)
{
	zinc_decimal d;
	int64_t rest[2];

	zinc_decimal_parse(&d, v);
	if (!d.finite)
		return hash_bytes(hash, v->text, v->n);
	rest[0] = d.exponent;
	rest[1] = d.negative;
	return hash_bytes(hash_bytes(hash, d.digits, d.n), rest, sizeof rest);
}

static zinc_status
hash_value(zinc_checker *c, const zinc_json *v, unsigned depth, uint64_t *out)
{
	uint64_t hash = UINT64_C(14695981039346656037) + (uint64_t)v->type, sum = 0, one;
	const zinc_json *m;

	ZINC_TRY(zinc_schema_step(c, 1));
	if (depth >= ZINC_SCHEMA_DEPTH)
		return zinc_fail(c->err, ZINC_E_LIMIT, "values nested deeper than %u", ZINC_SCHEMA_DEPTH);
	if (v->type == ZINC_JSON_NUMBER)
		hash = hash_number(hash, v);
	else if (v->type == ZINC_JSON_STRING)
		hash = hash_bytes(hash, v->text, v->n);
	for (m = v->first; m; m = m->next) {
		ZINC_TRY(hash_value(c, m, depth + 1, &one));
		if (v->type == ZINC_JSON_ARRAY)
			hash = hash_bytes(hash, &one, sizeof one);
		else
			sum += hash_bytes(one, m->key, m->nkey); /* whatever the order */
	}
	*out = hash + sum;
	return ZINC_OK;
}

static int
compare_hashes(const void *a, const void *b)
{
	const uint64_t x = ((const struct hashed *)a)->hash, y = ((const struct hashed *)b)->hash;

	return (x > y) - (x < y);
}

/* Different values may share a hash, so neighbours are compared; comparing costs steps. */
static zinc_status
find_twins(zinc_here *h, struct hashed *items, size_t n, bool *twins)
{
	size_t i, j;

	for (i = 0; i < n && !*twins; i++)
		for (j = i + 1; j < n && !*twins && items[j].hash == items[i].hash; j++)
			ZINC_TRY(same(h->c, items[i].v, items[j].v, 0, twins));
	return ZINC_OK;
}

zinc_status
zinc_word_unique(zinc_here *h, const zinc_json *value)
{
	zinc_context *ctx = h->c->schema->ctx;
	const zinc_json *v = h->instance->first;
	zinc_status st = ZINC_OK;
	struct hashed *items;
	bool twins = false;
	size_t n;

	if (value->type != ZINC_JSON_TRUE || h->instance->type != ZINC_JSON_ARRAY || h->instance->n < 2)
		return ZINC_OK;
	ZINC_TRY(zinc_schema_step(h->c, h->instance->n));
	items = zinc_calloc(ctx, h->instance->n, sizeof *items);
	if (!items)
		return zinc_fail_nomem(h->c->err);
	for (n = 0; v && st == ZINC_OK; v = v->next) {
		items[n].v = v;
		st = hash_value(h->c, v, 0, &items[n++].hash);
	}
	if (st == ZINC_OK) {
		qsort(items, n, sizeof *items, compare_hashes);
		st = find_twins(h, items, n, &twins);
	}
	zinc_free(ctx, items);
	if (st == ZINC_OK && twins)
		zinc_schema_fault(h, "the list holds the same value twice");
	return st;
}

/* ---- numbers ---- */

/* Is the instance a number on the wrong side of `value`?  `side` is the sign that instance - value must not have. */
static bool
beyond(const zinc_here *h, const zinc_json *value, int side, bool strict)
{
	bool comparable;
	int order;

	if (h->instance->type != ZINC_JSON_NUMBER)
		return false;
	order = zinc_decimal_compare(h->instance, value, &comparable);
	return !comparable || order == side || (strict && order == 0);
}

zinc_status
zinc_word_minimum(zinc_here *h, const zinc_json *value)
{
	if (beyond(h, value, -1, false))
		zinc_schema_fault(h, "%.40s is below %.40s", h->instance->text, value->text);
	return ZINC_OK;
}

zinc_status
zinc_word_maximum(zinc_here *h, const zinc_json *value)
{
	if (beyond(h, value, 1, false))
		zinc_schema_fault(h, "%.40s is above %.40s", h->instance->text, value->text);
	return ZINC_OK;
}

zinc_status
zinc_word_over(zinc_here *h, const zinc_json *value)
{
	if (beyond(h, value, -1, true))
		zinc_schema_fault(h, "%.40s is not above %.40s", h->instance->text, value->text);
	return ZINC_OK;
}

zinc_status
zinc_word_under(zinc_here *h, const zinc_json *value)
{
	if (beyond(h, value, 1, true))
		zinc_schema_fault(h, "%.40s is not below %.40s", h->instance->text, value->text);
	return ZINC_OK;
}

/* Exactly, in decimal: 0.3 is a multiple of 0.1, unlike with doubles. */
zinc_status
zinc_word_multiple_of(zinc_here *h, const zinc_json *value)
{
	bool yes;

	if (h->instance->type != ZINC_JSON_NUMBER)
		return ZINC_OK;
	ZINC_TRY(zinc_decimal_multiple(h->instance, value, &yes, h->c->err));
	if (!yes)
		zinc_schema_fault(h, "%.40s is no multiple of %.40s", h->instance->text, value->text);
	return ZINC_OK;
}

/* ---- counts ---- */

/* -1, 0, 1: is n below, at or above the number of the keyword, which may be written 2.0 or 1e30? */
static int
against(size_t n, const zinc_json *value)
{
	double d;

	if (!zinc_json_double(value, &d) || d > 1e18)
		return -1;
	return (n > (size_t)d) - (n < (size_t)d);
}

/* Code points, not bytes. */
static size_t
count_characters(const zinc_json *v)
{
	size_t i, n = 0;

	for (i = 0; i < v->n; i++)
		n += ((unsigned char)v->text[i] & 0xc0) != 0x80;
	return n;
}

/* `side`: -1 for a lower bound, 1 for an upper one. */
static zinc_status
check_count(zinc_here *h, const zinc_json *value, zinc_json_type type, int side, const char *what)
{
	size_t n;

	if (h->instance->type != type)
		return ZINC_OK;
	n = type == ZINC_JSON_STRING ? count_characters(h->instance) : h->instance->n;
	if (against(n, value) == side)
		zinc_schema_fault(h, "%zu %s, at %s %.40s wanted", n, what, side < 0 ? "least" : "most", value->text);
	return ZINC_OK;
}

zinc_status
zinc_word_min_length(zinc_here *h, const zinc_json *value)
{
	return check_count(h, value, ZINC_JSON_STRING, -1, "characters");
}

zinc_status
zinc_word_max_length(zinc_here *h, const zinc_json *value)
{
	return check_count(h, value, ZINC_JSON_STRING, 1, "characters");
}

zinc_status
zinc_word_min_items(zinc_here *h, const zinc_json *value)
{
	return check_count(h, value, ZINC_JSON_ARRAY, -1, "items");
}

zinc_status
zinc_word_max_items(zinc_here *h, const zinc_json *value)
{
	return check_count(h, value, ZINC_JSON_ARRAY, 1, "items");
}

zinc_status
zinc_word_min_members(zinc_here *h, const zinc_json *value)
{
	return check_count(h, value, ZINC_JSON_OBJECT, -1, "members");
}

zinc_status
zinc_word_max_members(zinc_here *h, const zinc_json *value)
{
	return check_count(h, value, ZINC_JSON_OBJECT, 1, "members");
}

/* ---- patterns ---- */

/* A long text costs steps before matching, because PCRE2 first checks that it is UTF-8. */
zinc_status
zinc_word_pattern(zinc_here *h, const zinc_json *value)
{
	zinc_regex *regex;
	bool matches;

	if (h->instance->type != ZINC_JSON_STRING)
		return ZINC_OK;
	ZINC_TRY(zinc_schema_pattern(h->c->schema, value->text, value->n, &regex, h->c->err));
	ZINC_TRY(zinc_schema_step(h->c, 4 + h->instance->n / 64));
	ZINC_TRY(zinc_regex_match(regex, h->instance->text, h->instance->n, &h->c->steps, &matches, h->c->err));
	if (!matches)
		zinc_schema_fault(h, "\"%.100s\" does not match %.200s", h->instance->text, value->text);
	return ZINC_OK;
}
