/*
 * json_equal.c - comparison of two values
 *
 * Both trees are walked in parallel, objects in the order of their sorted members.  The walk goes up by `parent`, so
 * neither stack nor memory grows with depth.
 */
#include <math.h>

#include "json/json_impl.h"

static bool
same_text(const zinc_json *a, const zinc_json *b)
{
	return a->n == b->n && memcmp(a->text, b->text, a->n) == 0;
}

static bool
is_zero(const zinc_json *v)
{
	return v->text[v->text[0] == '-'] == '0'; /* no integer token except 0 begins with 0 */
}

/* Integers of any size are equal if spelled the same, apart from -0.  Numbers that overflow a double cannot be compared
 * by value. */
static bool
same_number(const zinc_json *a, const zinc_json *b)
{
	bool integer = zinc_json_is_integer(a);
	double x, y;

	if (same_text(a, b))
		return true;
	if (integer != zinc_json_is_integer(b))
		return false;
	if (integer)
		return is_zero(a) && is_zero(b);
	return zinc_json_double(a, &x) && zinc_json_double(b, &y) && isfinite(x) && x == y;
}

/* Compare without the children. */
static bool
same_node(const zinc_json *a, const zinc_json *b)
{
	if (a->type != b->type)
		return false;
	switch (a->type) {
	case ZINC_JSON_NUMBER:
		return same_number(a, b);
	case ZINC_JSON_STRING:
		return same_text(a, b);
	default:
		return a->n == b->n;
	}
}

static bool
same_key(const zinc_json *a, const zinc_json *b)
{
	return a->nkey == b->nkey && (a->nkey == 0 || memcmp(a->key, b->key, a->nkey) == 0);
}

static const zinc_json *
first_child(const zinc_json *v)
{
	return v->type == ZINC_JSON_OBJECT && v->n ? v->sorted[0] : v->first;
}

static const zinc_json *
next_child(const zinc_json *v)
{
	const zinc_json *parent = v->parent;
	size_t at;

	if (parent->type != ZINC_JSON_OBJECT)
		return v->next;
	if (!zinc_json_find(parent, v->key, v->nkey, &at) || at + 1 >= parent->n)
		return NULL;
	return parent->sorted[at + 1];
}

bool
zinc_json_equal(const zinc_json *a, const zinc_json *b)
{
	const zinc_json *x = a, *y = b, *next = NULL;

	if (!a || !b)
		return false;
	for (;;) {
		if (!same_node(x, y) || (x != a && !same_key(x, y)))
			return false;
		next = first_child(x);
		if (next) {
			x = next;
			y = first_child(y);
			continue;
		}
		for (; x != a; x = x->parent, y = y->parent) {
			next = next_child(x);
			if (next)
				break;
		}
		if (x == a)
			return true;
		y = next_child(y);
		x = next;
	}
}
