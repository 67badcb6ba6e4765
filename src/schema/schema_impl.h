/*
 * schema_impl.h - what the files of the schema validator share
 */
#ifndef ZINC_NODE_SCHEMA_IMPL_H
#define ZINC_NODE_SCHEMA_IMPL_H

#include "schema/regex.h"
#include "schema/schema.h"

#define ZINC_SCHEMA_DEPTH 400u /* schemas within schemas, references followed */

/* A schema with its own URI: a document, or a schema with $id. */
typedef struct zinc_resource {
	char *uri; /* absolute if the base is, without fragment */
	const zinc_json *root;
	zinc_dialect dialect;
} zinc_resource;

typedef struct zinc_anchor {
	size_t resource; /* its number */
	const char *name;
	const zinc_json *at;
	bool dynamic;
} zinc_anchor;

typedef struct zinc_pattern {
	const char *text; /* in a document */
	size_t n;
	zinc_regex *regex;
} zinc_pattern;

struct zinc_schema {
	zinc_context *ctx;
	zinc_schema_options o;
	const zinc_json *root;
	zinc_json_doc **docs;
	size_t ndocs, docs_room;
	zinc_resource *resources;
	size_t nresources, resources_room;
	zinc_anchor *anchors;
	size_t nanchors, anchors_room;
	zinc_pattern *patterns;
	size_t npatterns, patterns_room;
};

/* ---- schema.c ---- */

/* Number of the resource that contains `schema`. */
size_t zinc_schema_resource_of(const zinc_schema *s, const zinc_json *schema);
const zinc_anchor *zinc_schema_anchor(const zinc_schema *s, size_t resource, const char *name);
/* The schema that a $ref within resource `base` means; fragment of the reference, if it is an anchor's name, in
 * *anchor. E_NOTFOUND, E_CORRUPT.  *metaschema: it is a metaschema of JSON Schema, and the result is NULL. */
zinc_status zinc_schema_resolve(zinc_schema *s, size_t base, const char *ref, const zinc_json **out,
				const zinc_anchor **anchor, zinc_dialect *metaschema, zinc_error *err);
/* The compiled pattern; E_CORRUPT when it is not valid. */
zinc_status zinc_schema_pattern(zinc_schema *s, const char *text, size_t n, zinc_regex **out, zinc_error *err);

/* ---- schema_uri.c ---- */

/* Resolve `ref` against `base`, RFC 3986 section 5; the result has no fragment. */
zinc_status zinc_uri_resolve(zinc_buf *out, const char *base, const char *ref, zinc_error *err);
/* The fragment of `ref`, decoded; "" when there is none.  E_CORRUPT. */
zinc_status zinc_uri_fragment(zinc_buf *out, const char *ref, zinc_error *err);

/* ---- schema_number.c ---- */

/* Digits without zeros at either end, times 10^exponent; zero has none. */
typedef struct zinc_decimal {
	bool negative;
	bool finite; /* false: NaN or an infinity, which v2's attributes may hold */
	size_t n;
	int64_t exponent;
	char digits[ZINC_JSON_NUMBER_MAX + 1];
} zinc_decimal;

void zinc_decimal_parse(zinc_decimal *out, const zinc_json *number);
bool zinc_decimal_is_integer(const zinc_decimal *d);
/* -1, 0, 1; *comparable is false when one is not finite. */
int zinc_decimal_compare(const zinc_json *a, const zinc_json *b, bool *comparable);
/* Is `a` a multiple of `b`?  E_UNSUPPORTED when b has more than 18 digits. */
zinc_status zinc_decimal_multiple(const zinc_json *a, const zinc_json *b, bool *yes, zinc_error *err);

/* ---- schema_apply.c ---- */

/* The resources entered so far, innermost first, for $dynamicRef. */
typedef struct zinc_scope {
	size_t resource;
	const struct zinc_scope *outer;
} zinc_scope;

typedef struct zinc_checker {
	zinc_schema *schema;
	zinc_report *r;
	zinc_error *err;
	uint64_t steps; /* left */
	unsigned depth;
	unsigned quiet; /* > 0: inside an alternative, whose violations are not reported */
	unsigned said;
} zinc_checker;

/* One schema object on one instance. */
typedef struct zinc_here {
	zinc_checker *c;
	const zinc_json *schema, *instance;
	const zinc_scope *scope;
	zinc_dialect dialect;
	uint8_t *seen; /* NULL, or for each child of the instance: has a schema evaluated it? */
	bool valid;
} zinc_here;

/* Does `schema` hold for `instance`?  If so, the children it evaluated are added to `seen` (may be NULL). */
zinc_status zinc_schema_apply(zinc_checker *c, const zinc_json *schema, const zinc_json *instance,
			      const zinc_scope *scope, uint8_t *seen, bool *valid);
/* The same without reporting violations. */
zinc_status zinc_schema_try(zinc_here *h, const zinc_json *schema, const zinc_json *instance, uint8_t *seen,
			    bool *valid);
/* Take `n` steps; E_LIMIT. */
zinc_status zinc_schema_step(zinc_checker *c, uint64_t n);
/* Report why the schema does not hold. */
void zinc_schema_fault(zinc_here *h, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Apply to a child, entering its name or number. */
zinc_status zinc_schema_child(zinc_here *h, const zinc_json *schema, const zinc_json *child, size_t i);

/* ---- schema_words.c ---- */

typedef zinc_status (*zinc_word_fn)(zinc_here *h, const zinc_json *value);

enum { ZINC_WORD_07 = 1, ZINC_WORD_2020 = 2, ZINC_WORD_BOTH = 3, ZINC_WORD_LAST = 4 };

typedef struct zinc_word {
	const char *name;
	int flags;          /* drafts that have it; LAST: after all others */
	int form;           /* of its value: schema_words.c */
	zinc_word_fn apply; /* NULL: it asserts nothing by itself */
} zinc_word;

const zinc_word *zinc_word_find(const char *name, zinc_dialect dialect);
/* Is `schema` well formed?  `dialect` applies unless it has $schema.  r->code at the first error.  `visit`
 * (may be NULL) is called for each schema object in it, outer ones first. */
typedef zinc_status (*zinc_schema_visit_fn)(void *arg, const zinc_json *schema, zinc_error *err);
zinc_status zinc_schema_form(const zinc_json *schema, zinc_dialect dialect, zinc_schema_visit_fn visit, void *arg,
			     zinc_report *r, zinc_error *err);
/* Which dialect a $schema names. */
bool zinc_dialect_of(const char *uri, zinc_dialect *out);

/* ---- the keywords ---- */

zinc_status zinc_word_ref(zinc_here *, const zinc_json *), zinc_word_dynamic_ref(zinc_here *, const zinc_json *);
zinc_status zinc_word_all_of(zinc_here *, const zinc_json *), zinc_word_any_of(zinc_here *, const zinc_json *);
zinc_status zinc_word_one_of(zinc_here *, const zinc_json *), zinc_word_not(zinc_here *, const zinc_json *);
zinc_status zinc_word_if(zinc_here *, const zinc_json *);

zinc_status zinc_word_properties(zinc_here *, const zinc_json *), zinc_word_patterns(zinc_here *, const zinc_json *);
zinc_status zinc_word_additional(zinc_here *, const zinc_json *), zinc_word_names(zinc_here *, const zinc_json *);
zinc_status zinc_word_prefix_items(zinc_here *, const zinc_json *), zinc_word_items(zinc_here *, const zinc_json *);
zinc_status zinc_word_additional_items(zinc_here *, const zinc_json *),
    zinc_word_contains(zinc_here *, const zinc_json *);
zinc_status zinc_word_dependencies(zinc_here *, const zinc_json *),
    zinc_word_unevaluated(zinc_here *, const zinc_json *);
zinc_status zinc_word_required(zinc_here *, const zinc_json *);

zinc_status zinc_word_type(zinc_here *, const zinc_json *), zinc_word_enum(zinc_here *, const zinc_json *);
zinc_status zinc_word_const(zinc_here *, const zinc_json *), zinc_word_multiple_of(zinc_here *, const zinc_json *);
zinc_status zinc_word_minimum(zinc_here *, const zinc_json *), zinc_word_maximum(zinc_here *, const zinc_json *);
zinc_status zinc_word_over(zinc_here *, const zinc_json *), zinc_word_under(zinc_here *, const zinc_json *);
zinc_status zinc_word_min_length(zinc_here *, const zinc_json *), zinc_word_max_length(zinc_here *, const zinc_json *);
zinc_status zinc_word_pattern(zinc_here *, const zinc_json *), zinc_word_unique(zinc_here *, const zinc_json *);
zinc_status zinc_word_min_items(zinc_here *, const zinc_json *), zinc_word_max_items(zinc_here *, const zinc_json *);
zinc_status zinc_word_min_members(zinc_here *, const zinc_json *),
    zinc_word_max_members(zinc_here *, const zinc_json *);

#endif
