/*
 * fuzz_schema.c - any two lines as a schema and an instance
 *
 * (1) A schema is refused with a text, or the check of every instance ends.
 * (2) Checking twice gives the same result.
 * (3) `true` allows and `false` forbids everything: {"not": S} is valid exactly when S is not.
 */
#include "schema/schema.h"
#include "fuzz.h"

#define STEPS 20000u

/* -1: cannot be checked. */
static int
check(zinc_schema *s, const zinc_json *instance)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_status st;
	zinc_report r;

	zinc_report_init(&r, zinc_context_get(NULL), false, "");
	st = zinc_schema_check(s, instance, &r, &err);
	insist(st == ZINC_OK || err.text[0]); /* (1) */
	insist(r.npointer == 0);
	return st == ZINC_OK ? r.errors == 0 : -1;
}

/* (3) */
static int
check_not(const char *schema, size_t n, const zinc_schema_options *o, const zinc_json *instance)
{
	zinc_schema *s = NULL;
	int valid = -1;
	zinc_buf text;

	zinc_buf_init(&text, zinc_context_get(NULL), SIZE_MAX);
	insist(zinc_buf_puts(&text, "{\"not\":", NULL) == ZINC_OK && zinc_buf_add(&text, schema, n, NULL) == ZINC_OK &&
	       zinc_buf_puts(&text, "}", NULL) == ZINC_OK);
	if (zinc_schema_new(&s, zinc_context_get(NULL), (const char *)text.p, text.n, o, NULL) == ZINC_OK)
		valid = check(s, instance);
	zinc_schema_free(s);
	zinc_buf_fini(&text);
	return valid;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *line = size ? memchr(data, '\n', size) : NULL;
	const size_t n = line ? (size_t)(line - data) : 0;
	const zinc_schema_options o = {.dialect = n & 1 ? ZINC_DRAFT_07 : ZINC_DRAFT_2020, .steps = STEPS};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_json_doc *doc = NULL;
	zinc_schema *s = NULL;
	zinc_status st;
	int valid, inverse;

	if (!line ||
	    zinc_json_parse(&doc, NULL, (const char *)line + 1, size - n - 1, ZINC_JSON_NAN_TOKENS, NULL) != ZINC_OK)
		return 0;
	st = zinc_schema_new(&s, zinc_context_get(NULL), (const char *)data, n, &o, &err);
	insist(st == ZINC_OK || err.text[0]);
	if (st == ZINC_OK) {
		valid = check(s, zinc_json_root(doc));
		insist(check(s, zinc_json_root(doc)) == valid); /* (2) */
		/* references from the root have another target when the schema is moved */
		if (valid >= 0 && !memmem(data, n, "$", 1)) {
			inverse = check_not((const char *)data, n, &o, zinc_json_root(doc));
			insist(inverse < 0 || inverse == !valid);
		}
	}
	zinc_schema_free(s);
	zinc_json_free(doc);
	return 0;
}
