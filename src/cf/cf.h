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

#endif
