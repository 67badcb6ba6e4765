/*
 * regex.h - regular expressions in the dialect of JSON Schema (ECMA 262), run by PCRE2
 */
#ifndef ZINC_REGEX_H
#define ZINC_REGEX_H

#include "base/base.h"

typedef struct zinc_regex zinc_regex;
/* A pattern of ECMA 262 in the words of PCRE2, appended. */
zinc_status zinc_regex_translate(zinc_buf *out, const char *pattern, size_t n, zinc_error *err);
/* E_INVALID when it is none, E_UNSUPPORTED without PCRE2. */
zinc_status zinc_regex_new(zinc_regex **out, zinc_context *ctx, const char *pattern, size_t n, zinc_error *err);
void zinc_regex_free(zinc_regex *r);
/* Does it match anywhere in the valid UTF-8 `s`?  Takes from *steps; E_LIMIT when they are used up.  One thread at a
 * time. */
zinc_status zinc_regex_match(zinc_regex *r, const char *s, size_t n, uint64_t *steps, bool *matches, zinc_error *err);

#endif
