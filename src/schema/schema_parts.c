/*
 * schema_parts.c - keywords that look at the members of an object or the items of a list
 */
#include "schema/schema_impl.h"

static bool
is_object(const zinc_here *h)
{
	return h->instance->type == ZINC_JSON_OBJECT;
}

static bool
is_list(const zinc_here *h)
{
	return h->instance->type == ZINC_JSON_ARRAY;
}

/* ---- members ---- */

/* 2020-12, 10.3.2.1.  The instance is walked, not the schema, because evaluated children are recorded by position. */
zinc_status
zinc_word_properties(zinc_here *h, const zinc_json *value)
{
	const zinc_json *m, *schema;
	size_t i = 0;

	ZINC_TRY(zinc_schema_step(h->c, h->instance->n / 4));
	for (m = is_object(h) ? h->instance->first : NULL; m; m = m->next, i++) {
		schema = zinc_json_member(value, m->key);
		if (schema)
			ZINC_TRY(zinc_schema_child(h, schema, m, i));
	}
	return ZINC_OK;
}

/* Patterns are not anchored: "b" matches the name "abc" (10.3.2.2). */
static zinc_status
name_matches(zinc_here *h, const zinc_json *pattern, const zinc_json *member, bool *matches)
{
	zinc_regex *regex;

	ZINC_TRY(zinc_schema_step(h->c, 4));
	ZINC_TRY(zinc_schema_pattern(h->c->schema, pattern->key, pattern->nkey, &regex, h->c->err));
	return zinc_regex_match(regex, member->key, member->nkey, &h->c->steps, matches, h->c->err);
}

/* A member may match several patterns; then all of their schemas apply. */
zinc_status
zinc_word_patterns(zinc_here *h, const zinc_json *value)
{
	const zinc_json *m, *p;
	bool matches;
	size_t i = 0;

	for (m = is_object(h) ? h->instance->first : NULL; m; m = m->next, i++)
		for (p = value->first; p; p = p->next) {
			ZINC_TRY(name_matches(h, p, m, &matches));
			if (matches)
				ZINC_TRY(zinc_schema_child(h, p, m, i));
		}
	return ZINC_OK;
}

/* Is the member named by `properties` or matched by `patternProperties` beside this keyword? */
static zinc_status
is_named(zinc_here *h, const zinc_json *m, bool *named)
{
	const zinc_json *patterns = zinc_json_member(h->schema, "patternProperties"), *p;

	*named = zinc_json_member(zinc_json_member(h->schema, "properties"), m->key) != NULL;
	for (p = patterns ? patterns->first : NULL; p && !*named; p = p->next)
		ZINC_TRY(name_matches(h, p, m, named));
	return ZINC_OK;
}

/* A forbidden member is reported by its name. */
static zinc_status
apply_to_rest(zinc_here *h, const zinc_json *schema, const zinc_json *child, size_t i)
{
	size_t mark;

	if (schema->type != ZINC_JSON_FALSE)
		return zinc_schema_child(h, schema, child, i);
	if (is_list(h)) {
		mark = zinc_report_enter_item(h->c->r, i);
		zinc_schema_fault(h, "the schema has no item here");
	} else {
		mark = zinc_report_enter(h->c->r, child->key);
		zinc_schema_fault(h, "the schema has no member \"%.100s\"", child->key);
	}
	zinc_report_leave(h->c->r, mark);
	return ZINC_OK;
}

/* 10.3.2.3: only siblings in this schema object count, not those in a $ref or allOf. */
zinc_status
zinc_word_additional(zinc_here *h, const zinc_json *value)
{
	const zinc_json *m;
	bool named;
	size_t i = 0;

	ZINC_TRY(zinc_schema_step(h->c, h->instance->n / 4));
	for (m = is_object(h) ? h->instance->first : NULL; m; m = m->next, i++) {
		ZINC_TRY(is_named(h, m, &named));
		if (!named)
			ZINC_TRY(apply_to_rest(h, value, m, i));
	}
	return ZINC_OK;
}

/* A member name as an instance: a string without a parent. */
zinc_status
zinc_word_names(zinc_here *h, const zinc_json *value)
{
	const zinc_json *m;
	bool valid;

	for (m = is_object(h) ? h->instance->first : NULL; m; m = m->next) {
		const zinc_json name = {.type = ZINC_JSON_STRING, .text = m->key, .n = m->nkey};

		ZINC_TRY(zinc_schema_try(h, value, &name, NULL, &valid));
		if (!valid)
			zinc_schema_fault(h, "\"%.100s\" is no allowed name of a member", m->key);
	}
	return ZINC_OK;
}

/* Reported for each name, so that one run shows all missing members. */
zinc_status
zinc_word_required(zinc_here *h, const zinc_json *value)
{
	const zinc_json *name;

	for (name = is_object(h) ? value->first : NULL; name; name = name->next) {
		ZINC_TRY(zinc_schema_step(h->c, 1));
		if (!zinc_json_member(h->instance, name->text))
			zinc_schema_fault(h, "\"%.100s\" is missing", name->text);
	}
	return ZINC_OK;
}

/* `dependencies`, `dependentRequired` and `dependentSchemas`: if a member exists, others must exist or a schema must hold. */
zinc_status
zinc_word_dependencies(zinc_here *h, const zinc_json *value)
{
	const zinc_json *d, *name;
	bool valid;

	for (d = is_object(h) ? value->first : NULL; d; d = d->next) {
		ZINC_TRY(zinc_schema_step(h->c, 1));
		if (!zinc_json_member(h->instance, d->key))
			continue;
		if (d->type != ZINC_JSON_ARRAY) {
			ZINC_TRY(zinc_schema_apply(h->c, d, h->instance, h->scope, h->seen, &valid));
			h->valid = h->valid && valid;
			continue;
		}
		for (name = d->first; name; name = name->next)
			if (!zinc_json_member(h->instance, name->text))
				zinc_schema_fault(h, "\"%.100s\" is missing, which \"%.100s\" needs", name->text,
						  d->key);
	}
	return ZINC_OK;
}

/* ---- items ---- */

/* One schema for each of the first items. */
static zinc_status
apply_list(zinc_here *h, const zinc_json *schemas)
{
	const zinc_json *v = is_list(h) ? h->instance->first : NULL, *schema;
	size_t i = 0;

	for (schema = schemas->first; schema && v; schema = schema->next, v = v->next)
		ZINC_TRY(zinc_schema_child(h, schema, v, i++));
	return ZINC_OK;
}

/* One schema for the items from `from` on. */
static zinc_status
apply_from(zinc_here *h, const zinc_json *schema, size_t from)
{
	const zinc_json *v;
	size_t i = 0;

	for (v = is_list(h) ? h->instance->first : NULL; v; v = v->next, i++)
		if (i >= from)
			ZINC_TRY(apply_to_rest(h, schema, v, i));
	return ZINC_OK;
}

zinc_status
zinc_word_prefix_items(zinc_here *h, const zinc_json *value)
{
	return apply_list(h, value);
}

/* A list is draft 07's (and 2019-09's) prefixItems. */
zinc_status
zinc_word_items(zinc_here *h, const zinc_json *value)
{
	const zinc_json *prefix = h->dialect == ZINC_DRAFT_2020 ? zinc_json_member(h->schema, "prefixItems") : NULL;

	if (value->type == ZINC_JSON_ARRAY)
		return apply_list(h, value);
	return apply_from(h, value, prefix ? prefix->n : 0);
}

/* Without a list in `items` the keyword has no meaning. */
zinc_status
zinc_word_additional_items(zinc_here *h, const zinc_json *value)
{
	const zinc_json *items = zinc_json_member(h->schema, "items");

	return zinc_json_is(items, ZINC_JSON_ARRAY) ? apply_from(h, value, items->n) : ZINC_OK;
}

/* minContains and maxContains of 2020-12 beside it; a bound beyond size_t is above any list. */
static size_t
bound(const zinc_here *h, const char *name, size_t otherwise)
{
	const zinc_json *v = h->dialect == ZINC_DRAFT_2020 ? zinc_json_member(h->schema, name) : NULL;
	double d;

	if (!v || !zinc_json_double(v, &d))
		return otherwise;
	return d < 1e18 ? (size_t)d : SIZE_MAX;
}

/* 10.3.1.3; items that match count as evaluated, in 2020-12. */
zinc_status
zinc_word_contains(zinc_here *h, const zinc_json *value)
{
	const size_t least = bound(h, "minContains", 1), most = bound(h, "maxContains", SIZE_MAX);
	const zinc_json *v;
	size_t n = 0, i = 0;
	bool valid;

	if (!is_list(h))
		return ZINC_OK;
	for (v = h->instance->first; v; v = v->next, i++) {
		ZINC_TRY(zinc_schema_try(h, value, v, NULL, &valid));
		n += valid;
		if (valid && h->seen)
			h->seen[i] = 1;
	}
	if (n < least)
		zinc_schema_fault(h, "%zu items are what the list must contain, at least %zu must be", n, least);
	if (n > most)
		zinc_schema_fault(h, "%zu items are what the list must contain, at most %zu may be", n, most);
	return ZINC_OK;
}

/* ---- what nobody has looked at ---- */

/* 11.2 and 11.3: after all others, children that neither this schema nor one that it applied has evaluated. */
zinc_status
zinc_word_unevaluated(zinc_here *h, const zinc_json *value)
{
	const bool items = strcmp(value->key, "unevaluatedItems") == 0;
	const zinc_json *v;
	size_t i = 0;

	if (items ? !is_list(h) : !is_object(h))
		return ZINC_OK;
	for (v = h->instance->first; v; v = v->next, i++)
		if (!h->seen[i])
			ZINC_TRY(apply_to_rest(h, value, v, i));
	return ZINC_OK;
}
