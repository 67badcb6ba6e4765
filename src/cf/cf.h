/*
 * cf.h - door of the room `cf`: coordinates, packed numbers and times, as the CF conventions describe them
 */
#ifndef ZINC_CF_ROOM_H
#define ZINC_CF_ROOM_H

#include <zinc/cf.h>

#include "cf/units.h"
#include "node/node.h"

/*
 * How the parts fit together, for whoever compares coordinates with values:
 *
 *     zinc_cf_open, zinc_cf_decode       the coordinate's elements as xarray has them
 *     zinc_cf_instant                    a decoded time as an instant of zinc_cf_calendar
 *     zinc_date_parse(calendar, text)    the period that a text names: first <= instant < after
 *     zinc_instant_compare, zinc_date_print
 */

/* The calendar of times (ZINC_CF_TIME, ZINC_CF_DATE); false for other kinds. */
bool zinc_cf_calendar(const zinc_cf *cf, zinc_calendar *out);
/* A decoded time as an instant of that calendar; false when it is missing or no time. */
bool zinc_cf_instant(const zinc_cf *cf, int64_t decoded, zinc_instant *out);

/* ---- what masks missing values (missing.c) ---- */

/* May arrays of this type have the attribute _FillValue?  The functions below accept no other types. */
bool zinc_missing_has(const zinc_dtype *t);
/* Print the attribute, encoded for readers of version 3, or plain.  NULL: no memory. */
zinc_json *zinc_missing_encode(zinc_json_doc *doc, const zinc_dtype *t, const void *element);
zinc_json *zinc_missing_plain(zinc_json_doc *doc, const zinc_dtype *t, const void *element);
/* The reverse.  False: not a valid value (including NULL), or no memory. */
bool zinc_missing_parse(zinc_context *ctx, const zinc_dtype *t, const zinc_json *v, bool encoded, void *element);
bool zinc_missing_is_nan(const zinc_dtype *t, const void *element);
bool zinc_missing_same(const zinc_dtype *t, const void *a, const void *b);

#endif
