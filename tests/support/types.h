/*
 * types.h - data types for tests: parsed from text, with findings, elements as text
 */
#ifndef TYPES_H
#define TYPES_H

#include "dtype/dtype.h"
#include "support/findings.h"

/* The findings of the last of the calls below. */
extern findings found;

/* A caller's text, which must be valid. */
const zinc_dtype *type_of(const char *text);
/* A v3 `data_type` member. */
zinc_status type_parse(const zinc_dtype **out, const char *json, bool strict);
/* Zarr v2's. */
zinc_status type_parse_v2(const zinc_dtype **out, bool *big, const char *json);
/* A fill value in allocated memory (free), or NULL; the status of the last one. */
void *type_fill(const zinc_dtype *t, const char *json);
void *type_fill_v2(const zinc_dtype *t, bool big, const char *json);
extern zinc_status fill_status;

/* Valid until the next of these calls. */
const char *type_json(const zinc_dtype *t);
const char *type_orders(const zinc_dtype *t); /* with fields in the other byte order marked */
const char *type_v2(const zinc_dtype *t, bool big);
const char *type_numpy(const zinc_dtype *t, bool big);
const char *fill_json(const zinc_dtype *t, const void *element);
const char *fill_v2(const zinc_dtype *t, bool big, const void *element);
const char *element_text(const zinc_dtype *t, const void *element, zinc_spelling how);

#endif
