/*
 * schema_apply.c - a schema applied to an instance: references, combinations
 *
 * A schema object holds if all its keywords hold.  Recursion follows the schema and the instance, and is
 * bounded by ZINC_SCHEMA_DEPTH; work is bounded by steps.
 *
 * The children that a schema has evaluated (for unevaluatedProperties and unevaluatedItems) are one byte per child of the
 * instance.  They are recorded only below a schema that needs them, and passed outwards only by a schema that holds.
 */
#include <stdio.h>

#include "schema/schema_impl.h"

#define FINDINGS 100u /* findings reported for one instance */

zinc_status
zinc_schema_step(zinc_checker *c, uint64_t n)
{
	if (c->steps < n) {
		c->steps = 0;
		return zinc_fail(c->err, ZINC_E_LIMIT, "the check takes more than %llu steps: the schema is too costly",
				 (unsigned long long)c->schema->o.steps);
	}
	c->steps -= n;
	return ZINC_OK;
}

void
zinc_schema_fault(zinc_here *h, const char *fmt, ...)
{
	char text[400];
	va_list ap;

	h->valid = false;
	if (h->c->quiet > 0 || h->c->said >= FINDINGS)
		return;
	h->c->said++;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	(void)zinc_report_error(h->c->r, "schema", NULL, "%s", text);
}

/* ---- one schema ---- */

/* In the order of the schema, except keywords that need the results of all others. */
static zinc_status
apply_words(zinc_here *h, bool last)
{
	const zinc_json *m;

	for (m = h->schema->first; m; m = m->next) {
		const zinc_word *w = zinc_word_find(m->key, h->dialect);

		if (w && w->apply && ((w->flags & ZINC_WORD_LAST) != 0) == last)
			ZINC_TRY(w->apply(h, m));
	}
	return ZINC_OK;
}

/* In draft 07 a $ref hides its siblings. */
static zinc_status
apply_object(zinc_here *h)
{
	const zinc_json *ref = h->dialect == ZINC_DRAFT_07 ? zinc_json_member(h->schema, "$ref") : NULL;

	if (ref)
		return zinc_word_ref(h, ref);
	ZINC_TRY(apply_words(h, false));
	return apply_words(h, true);
}

static bool
asks_for_rest(const zinc_here *h)
{
	return h->dialect == ZINC_DRAFT_2020 && (zinc_json_member(h->schema, "unevaluatedProperties") ||
						 zinc_json_member(h->schema, "unevaluatedItems"));
}

/* With its own record of evaluated children, if needed. */
static zinc_status
apply_recorded(zinc_here *h, uint8_t *seen)
{
	zinc_context *ctx = h->c->schema->ctx;
	const bool parts = h->instance->type == ZINC_JSON_ARRAY || h->instance->type == ZINC_JSON_OBJECT;
	zinc_status st;
	size_t i;

	if (!parts || (!seen && !asks_for_rest(h)))
		return apply_object(h);
	ZINC_TRY(zinc_schema_step(h->c, h->instance->n / 8));
	h->seen = zinc_calloc(ctx, h->instance->n + 1, 1);
	if (!h->seen)
		return zinc_fail_nomem(h->c->err);
	st = apply_object(h);
	for (i = 0; st == ZINC_OK && seen && h->valid && i < h->instance->n; i++)
		seen[i] |= h->seen[i];
	zinc_free(ctx, h->seen);
	return st;
}

zinc_status
zinc_schema_apply(zinc_checker *c, const zinc_json *schema, const zinc_json *instance, const zinc_scope *scope,
		  uint8_t *seen, bool *valid)
{
	zinc_here h = {c, schema, instance, scope, c->schema->resources[scope->resource].dialect, NULL, true};
	zinc_scope inner = {0, scope};
	zinc_status st = ZINC_OK;

	ZINC_TRY(zinc_schema_step(c, 1));
	if (c->depth >= ZINC_SCHEMA_DEPTH)
		return zinc_fail(c->err, ZINC_E_LIMIT,
				 "the schema goes deeper than %u levels: does it refer to itself?", ZINC_SCHEMA_DEPTH);
	if (schema->type == ZINC_JSON_FALSE)
		zinc_schema_fault(&h, "nothing is allowed here");
	if (schema->type == ZINC_JSON_OBJECT) {
		if (zinc_json_member(schema, "$id")) {
			inner.resource = zinc_schema_resource_of(c->schema, schema);
			h.scope = &inner;
			h.dialect = c->schema->resources[inner.resource].dialect;
		}
		c->depth++;
		st = apply_recorded(&h, seen);
		c->depth--;
	}
	*valid = h.valid;
	return st;
}

zinc_status
zinc_schema_try(zinc_here *h, const zinc_json *schema, const zinc_json *instance, uint8_t *seen, bool *valid)
{
	zinc_status st;

	h->c->quiet++;
	st = zinc_schema_apply(h->c, schema, instance, h->scope, seen, valid);
	h->c->quiet--;
	return st;
}

zinc_status
zinc_schema_child(zinc_here *h, const zinc_json *schema, const zinc_json *child, size_t i)
{
	zinc_report *r = h->c->r;
	const size_t mark =
	    h->instance->type == ZINC_JSON_ARRAY ? zinc_report_enter_item(r, i) : zinc_report_enter(r, child->key);
	bool valid = true;
	const zinc_status st = zinc_schema_apply(h->c, schema, child, h->scope, NULL, &valid);

	zinc_report_leave(r, mark);
	h->valid = h->valid && valid;
	if (h->seen)
		h->seen[i] = 1;
	return st;
}

/* A schema on the same instance; its violations count for this one. */
static zinc_status
apply_here(zinc_here *h, const zinc_json *schema, const zinc_scope *scope)
{
	bool valid = true;
	const zinc_status st = zinc_schema_apply(h->c, schema, h->instance, scope, h->seen, &valid);

	h->valid = h->valid && valid;
	return st;
}

/* ---- references ---- */

/* JSON Schema's own metaschema, which the table of keywords implements. */
static zinc_status
apply_metaschema(zinc_here *h, zinc_dialect dialect)
{
	zinc_error e = ZINC_ERROR_INIT;
	zinc_report quiet;
	zinc_status st;

	ZINC_TRY(zinc_schema_step(h->c, 100));
	zinc_report_init(&quiet, h->c->schema->ctx, false, "");
	st = zinc_schema_form(h->instance, dialect, NULL, NULL, &quiet, &e);
	if (st == ZINC_E_CORRUPT)
		zinc_schema_fault(h, "is no valid schema: %s", e.text);
	else if (st != ZINC_OK)
		return zinc_error_copy(h->c->err, &e);
	return ZINC_OK;
}

/* The target is applied within its own resource, because its "#" refers to that. */
static zinc_status
apply_target(zinc_here *h, const zinc_json *target)
{
	const zinc_scope scope = {zinc_schema_resource_of(h->c->schema, target), h->scope};

	if (target->type != ZINC_JSON_OBJECT && target->type != ZINC_JSON_TRUE && target->type != ZINC_JSON_FALSE)
		return zinc_fail(h->c->err, ZINC_E_CORRUPT, "the schema refers to a value that is not a schema");
	return apply_here(h, target, &scope);
}

/* Costs more steps than a keyword, so that nested references reach the limit as soon as other schemas. */
static zinc_status
resolve(zinc_here *h, const zinc_json *value, const zinc_json **target, const zinc_anchor **anchor)
{
	zinc_dialect metaschema;

	ZINC_TRY(zinc_schema_step(h->c, 8));
	ZINC_TRY(
	    zinc_schema_resolve(h->c->schema, h->scope->resource, value->text, target, anchor, &metaschema, h->c->err));
	return *target ? ZINC_OK : apply_metaschema(h, metaschema);
}

zinc_status
zinc_word_ref(zinc_here *h, const zinc_json *value)
{
	const zinc_json *target;
	const zinc_anchor *anchor;

	ZINC_TRY(resolve(h, value, &target, &anchor));
	return target ? apply_target(h, target) : ZINC_OK;
}

/* A dynamic anchor refers to the outermost entered resource that has one of that name. */
zinc_status
zinc_word_dynamic_ref(zinc_here *h, const zinc_json *value)
{
	const zinc_anchor *anchor, *a;
	const zinc_json *target;
	const zinc_scope *s;

	ZINC_TRY(resolve(h, value, &target, &anchor));
	for (s = anchor && anchor->dynamic ? h->scope : NULL; s; s = s->outer) {
		a = zinc_schema_anchor(h->c->schema, s->resource, anchor->name);
		if (a && a->dynamic)
			target = a->at;
	}
	return target ? apply_target(h, target) : ZINC_OK;
}

/* ---- combinations ---- */

/* All are applied, even after a failure, so that one run finds all violations. */
zinc_status
zinc_word_all_of(zinc_here *h, const zinc_json *value)
{
	const zinc_json *v;

	for (v = value->first; v; v = v->next)
		ZINC_TRY(apply_here(h, v, h->scope));
	return ZINC_OK;
}

/* How many hold.  If evaluated children are needed, all must be tried. */
static zinc_status
count_valid(zinc_here *h, const zinc_json *value, size_t enough, size_t *out)
{
	const zinc_json *v;
	size_t n = 0;
	bool valid;

	for (v = value->first; v && (h->seen || n < enough); v = v->next) {
		ZINC_TRY(zinc_schema_try(h, v, h->instance, h->seen, &valid));
		n += valid;
	}
	*out = n;
	return ZINC_OK;
}

/* With a single alternative its own violations are more helpful. */
zinc_status
zinc_word_any_of(zinc_here *h, const zinc_json *value)
{
	size_t n;

	if (value->n == 1)
		return apply_here(h, value->first, h->scope);
	ZINC_TRY(count_valid(h, value, 1, &n));
	if (n == 0)
		zinc_schema_fault(h, "matches none of the %zu alternatives", value->n);
	return ZINC_OK;
}

/* Trying may stop at the second that holds. */
zinc_status
zinc_word_one_of(zinc_here *h, const zinc_json *value)
{
	size_t n;

	if (value->n == 1)
		return apply_here(h, value->first, h->scope);
	ZINC_TRY(count_valid(h, value, 2, &n));
	if (n == 0)
		zinc_schema_fault(h, "matches none of the %zu alternatives", value->n);
	else if (n > 1)
		zinc_schema_fault(h, "matches more than one of the %zu alternatives", value->n);
	return ZINC_OK;
}

zinc_status
zinc_word_not(zinc_here *h, const zinc_json *value)
{
	bool valid;

	ZINC_TRY(zinc_schema_try(h, value, h->instance, NULL, &valid));
	if (valid)
		zinc_schema_fault(h, "is what the schema excludes by \"not\"");
	return ZINC_OK;
}

/* `if` itself is never a violation; the children it evaluated count if it holds (10.2.2.1). */
zinc_status
zinc_word_if(zinc_here *h, const zinc_json *value)
{
	const zinc_json *then;
	bool valid;

	ZINC_TRY(zinc_schema_try(h, value, h->instance, h->seen, &valid));
	then = zinc_json_member(h->schema, valid ? "then" : "else");
	return then ? apply_here(h, then, h->scope) : ZINC_OK;
}

/* ---- the whole ---- */

zinc_status
zinc_schema_check(zinc_schema *s, const zinc_json *instance, zinc_report *r, zinc_error *err)
{
	zinc_checker c = {s, r, err, s->o.steps, 0, 0, 0};
	zinc_scope scope = {zinc_schema_resource_of(s, s->root), NULL};
	const size_t mark = r->npointer;
	zinc_status st;
	bool valid;

	st = zinc_schema_apply(&c, s->root, instance, &scope, NULL, &valid);
	zinc_report_leave(r, mark); /* an aborted check may have left a deeper pointer */
	return st;
}
