/*
 * regex.h - regular expressions in the dialect of JSON Schema (ECMA 262), run by PCRE2
 */
#ifndef ZINC_REGEX_H
#define ZINC_REGEX_H

#include "base/base.h"

typedef struct zinc_regex zinc_regex;
/* Translate a pattern of ECMA 262 into PCRE2's syntax; appended to `out`. */
zinc_status zinc_regex_translate(zinc_buf *out, const char *pattern, size_t n, zinc_error *err);
/* E_INVALID when it is not a regular expression, E_UNSUPPORTED without PCRE2. */
zinc_status zinc_regex_new(zinc_regex **out, zinc_context *ctx, const char *pattern, size_t n, zinc_error *err);
void zinc_regex_free(zinc_regex *r);
/* Does it match anywhere in the valid UTF-8 `s`?  Subtracts from *steps; E_LIMIT when none are left.  One thread at a
 * time. */
zinc_status zinc_regex_match(zinc_regex *r, const char *s, size_t n, uint64_t *steps, bool *matches, zinc_error *err);

#endif
