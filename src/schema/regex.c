/*
 * regex.c - regular expressions of JSON Schema (ECMA 262), through PCRE2
 *
 * Promises (tests/unit/test_regex.c names each by its number):
 *
 * (1) A match costs steps of the caller's budget, one for each item of the pattern that is tried, so that a pattern
 *     with exponential cost ends with E_LIMIT, after the same number of steps on every machine.
 * (2) The dialect is ECMA's: \d and \w are ASCII, $ is the end and nothing before it, \u1234 is a character.
 * (3) All memory comes from the context's allocator.
 *
 * Built without PCRE2, every pattern is E_UNSUPPORTED.
 */
#include "schema/regex.h"

#if ZINC_WITH_PCRE2

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#define PATTERN_MAX 65536u
#define HEAP_KIB    8192u /* backtracking points of one match */

struct zinc_regex {
	zinc_context *ctx;
	pcre2_general_context *memory;
	pcre2_code *code;
	pcre2_match_context *match;
	pcre2_match_data *data;
};

static void *
take(size_t nbytes, void *ctx)
{
	return zinc_alloc(ctx, nbytes);
}

static void
give(void *p, void *ctx)
{
	zinc_free(ctx, p);
}

/* (1): PCRE2 calls this before each item, because the pattern was compiled with PCRE2_AUTO_CALLOUT. */
static int
count_step(pcre2_callout_block *block, void *steps)
{
	uint64_t *left = steps;

	(void)block;
	if (*left == 0)
		return PCRE2_ERROR_CALLOUT;
	--*left;
	return 0;
}

/* (2) */
static zinc_status
compile(zinc_regex *r, const zinc_buf *pattern, zinc_error *err)
{
	const uint32_t flags = PCRE2_UTF | PCRE2_DOLLAR_ENDONLY | PCRE2_ALT_BSUX | PCRE2_MATCH_UNSET_BACKREF |
			       PCRE2_ALLOW_EMPTY_CLASS | PCRE2_AUTO_CALLOUT | PCRE2_NEVER_BACKSLASH_C;
	pcre2_compile_context *how = pcre2_compile_context_create(r->memory);
	PCRE2_UCHAR why[160];
	PCRE2_SIZE at;
	int code;

	if (!how)
		return zinc_fail_nomem(err);
	pcre2_set_max_pattern_length(how, PATTERN_MAX);
	r->code = pcre2_compile(pattern->p, pattern->n, flags, &code, &at, how);
	pcre2_compile_context_free(how);
	if (r->code)
		return ZINC_OK;
	if (code == PCRE2_ERROR_HEAP_FAILED)
		return zinc_fail_nomem(err);
	pcre2_get_error_message(code, why, sizeof why);
	return zinc_fail(err, ZINC_E_INVALID, "not a regular expression: %s (at byte %zu)", (const char *)why,
			 (size_t)at);
}

static zinc_status
prepare(zinc_regex *r, zinc_error *err)
{
	r->match = pcre2_match_context_create(r->memory);
	r->data = pcre2_match_data_create_from_pattern(r->code, r->memory);
	if (!r->match || !r->data)
		return zinc_fail_nomem(err);
	pcre2_set_heap_limit(r->match, HEAP_KIB);
	return ZINC_OK;
}

zinc_status
zinc_regex_new(zinc_regex **out, zinc_context *ctx, const char *pattern, size_t n, zinc_error *err)
{
	zinc_regex *r = zinc_calloc(ctx, 1, sizeof *r);
	zinc_status st;
	zinc_buf text;

	if (!r)
		return zinc_fail_nomem(err);
	r->ctx = ctx;
	r->memory = pcre2_general_context_create(take, give, ctx);
	zinc_buf_init(&text, ctx, zinc_max_text(ctx));
	st = r->memory ? zinc_regex_translate(&text, pattern, n, err) : zinc_fail_nomem(err);
	if (st == ZINC_OK)
		st = zinc_buf_text(&text) ? compile(r, &text, err) : zinc_fail_nomem(err);
	if (st == ZINC_OK)
		st = prepare(r, err);
	zinc_buf_fini(&text);
	if (st != ZINC_OK) {
		zinc_regex_free(r);
		return st;
	}
	*out = r;
	return ZINC_OK;
}

void
zinc_regex_free(zinc_regex *r)
{
	if (!r)
		return;
	pcre2_match_data_free(r->data);
	pcre2_match_context_free(r->match);
	pcre2_code_free(r->code);
	pcre2_general_context_free(r->memory);
	zinc_free(r->ctx, r);
}

zinc_status
zinc_regex_match(zinc_regex *r, const char *s, size_t n, uint64_t *steps, bool *matches, zinc_error *err)
{
	int code;

	pcre2_set_callout(r->match, count_step, steps);
	code = pcre2_match(r->code, (PCRE2_SPTR)s, n, 0, 0, r->data, r->match);
	*matches = code >= 0;
	if (code >= 0 || code == PCRE2_ERROR_NOMATCH)
		return ZINC_OK;
	if (code == PCRE2_ERROR_NOMEMORY)
		return zinc_fail_nomem(err);
	if (code == PCRE2_ERROR_CALLOUT || code == PCRE2_ERROR_MATCHLIMIT || code == PCRE2_ERROR_DEPTHLIMIT ||
	    code == PCRE2_ERROR_HEAPLIMIT)
		return zinc_fail(err, ZINC_E_LIMIT, "the regular expression takes too long");
	return zinc_fail(err, ZINC_E_INVALID, "the text cannot be matched (PCRE2 error %d)", code);
}

#else

zinc_status
zinc_regex_new(zinc_regex **out, zinc_context *ctx, const char *pattern, size_t n, zinc_error *err)
{
	(void)ctx, (void)pattern, (void)n;
	*out = NULL;
	return zinc_fail(err, ZINC_E_UNSUPPORTED, "regular expressions are unsupported (built without PCRE2)");
}

void
zinc_regex_free(zinc_regex *r)
{
	(void)r;
}

zinc_status
zinc_regex_match(zinc_regex *r, const char *s, size_t n, uint64_t *steps, bool *matches, zinc_error *err)
{
	(void)r, (void)s, (void)n, (void)steps;
	*matches = false;
	return zinc_fail(err, ZINC_E_UNSUPPORTED, "regular expressions are unsupported (built without PCRE2)");
}

#endif
