/*
 * schema.h - JSON Schema: check a document against a schema
 *
 * Drafts 07 (and 06, which it extends) and 2020-12 (and 2019-09 but for $recursiveRef).  `format` and `content*` are
 * annotations, as in the specification.  The cost of a check is bounded in steps, not seconds: endless references or
 * endless backtracking of a pattern are E_LIMIT.
 *
 *   schema.c         documents, their resources and anchors
 *   schema_words.c   the keywords, one row each; the form of a schema
 *   schema_uri.c     references
 *   schema_apply.c   a schema applied to an instance: references, combinations
 *   schema_parts.c   keywords that look at members and items
 *   schema_value.c   keywords that look at one value
 *   schema_number.c  decimal numbers, exactly
 */
#ifndef ZINC_NODE_SCHEMA_H
#define ZINC_NODE_SCHEMA_H

#include "report/report.h"

typedef struct zinc_schema zinc_schema;

/* The dialect of a schema without $schema. */
typedef enum zinc_dialect { ZINC_DRAFT_2020, ZINC_DRAFT_07 } zinc_dialect;

/* A document that a schema refers to, by its absolute URI without fragment; E_NOTFOUND when it is not available. */
typedef zinc_status (*zinc_schema_find_fn)(void *arg, const char *uri, zinc_blob *text, zinc_error *err);

typedef struct zinc_schema_options {
	const char *uri; /* where the schema came from; NULL: nowhere */
	zinc_dialect dialect;
	zinc_schema_find_fn find; /* NULL: none are available */
	void *arg;
	uint64_t steps; /* that one check may take [4 million, which is under a second] */
} zinc_schema_options;

/* E_CORRUPT when it is not a schema (with the place), E_UNSUPPORTED for unknown drafts and vocabularies, E_LIMIT,
 * E_NOMEM.  `o` may be NULL.  One thread at a time may use a schema. */
zinc_status zinc_schema_new(zinc_schema **out, zinc_context *ctx, const char *text, size_t n,
			    const zinc_schema_options *o, zinc_error *err);
void zinc_schema_free(zinc_schema *s);
const zinc_json *zinc_schema_root(const zinc_schema *s);

/* Check `instance`; violations go to `r` as errors of the rule "schema", with pointers.  ZINC_OK means that the check was
 * done.  E_LIMIT; E_NOTFOUND, E_CORRUPT, E_UNSUPPORTED for a document that the schema refers to; E_NOMEM. */
zinc_status zinc_schema_check(zinc_schema *s, const zinc_json *instance, zinc_report *r, zinc_error *err);

#endif
