/*
 * find.h - inside the room cf: what a text wants of a coordinate, and where the coordinate has it
 *
 *     text -> zinc_wanted (value.c; dates in period.c) -> indices (find.c)
 *
 * Elements of a coordinate are compared as integers (also times and durations, in ticks of the coordinate), as doubles,
 * or as texts.
 */
#ifndef ZINC_CF_FIND_H
#define ZINC_CF_FIND_H

#include "cf/calendar.h"
#include "cf/cf.h"
#include "dtype/dtype.h"

typedef __int128 zinc_i128;
#define ZINC_I128_MAX ((zinc_i128)(((unsigned __int128)1 << 127) - 1))

/* What elements of a coordinate are. */
typedef enum zinc_axis_kind {
	ZINC_AXIS_INTEGER,
	ZINC_AXIS_REAL,
	ZINC_AXIS_TIME,
	ZINC_AXIS_SPAN,
	ZINC_AXIS_TEXT
} zinc_axis_kind;

/* From coarse to fine. */
typedef enum zinc_resolution {
	ZINC_TO_YEAR,
	ZINC_TO_MONTH,
	ZINC_TO_DAY,
	ZINC_TO_HOUR,
	ZINC_TO_MINUTE,
	ZINC_TO_SECOND,
	ZINC_TO_MILLI,
	ZINC_TO_MICRO,
	ZINC_TO_NANO,
	ZINC_TO_PICO,
	ZINC_TO_FEMTO,
	ZINC_TO_ATTO,
	ZINC_RESOLUTIONS
} zinc_resolution;

/* Attoseconds of one; 0 for years and months. */
zinc_i128 zinc_resolution_attos(zinc_resolution r);

/* How times are counted: ticks since 1970-01-01 of a calendar. */
typedef struct zinc_clock {
	zinc_calendar calendar;
	zinc_i128 tick; /* attoseconds; 0: `months` of them */
	uint64_t months;
} zinc_clock;

/* An open coordinate. */
typedef struct zinc_axis {
	zinc_array *array; /* borrowed */
	const char *name;  /* of the dimension */
	zinc_axis_kind kind;
	zinc_clock clock;       /* TIME, SPAN */
	zinc_type real;         /* REAL: numbers of a text are rounded to this type */
	bool is_unsigned;       /* INTEGER: elements are uint64, or else int64 */
	zinc_cf *cf;            /* elements are decoded by it; NULL: they are not */
	zinc_type decoded;      /* the type of decoded numbers */
	zinc_type wide;         /* the type in which they are compared */
	zinc_type read;         /* the type that elements are read in */
	size_t nread, ndecoded; /* bytes of an element, as read and as decoded */
	uint64_t n;
} zinc_axis;

zinc_status zinc_axis_init(zinc_axis *x, zinc_array *coordinate, const char *name, zinc_error *err);
void zinc_axis_fini(zinc_axis *x);

/* A value to compare with: n + part for integers and times, `real` for doubles. */
typedef struct zinc_mark {
	zinc_i128 n;
	double part; /* 0 <= part < 1 */
	double real;
} zinc_mark;

typedef enum zinc_want { ZINC_WANT_VALUE, ZINC_WANT_RANGE, ZINC_WANT_NEAREST } zinc_want;

typedef struct zinc_wanted {
	zinc_want how;
	zinc_mark from, to;   /* both included; a VALUE has both, also the period of a date; NEAREST: `from` */
	zinc_resolution fine; /* of a VALUE that is a date */
	const char *text;     /* of a text's VALUE */
} zinc_wanted;

/* Parse what follows '@'.  E_INVALID. */
zinc_status zinc_wanted_parse(zinc_wanted *out, const zinc_axis *x, const char *text, bool quoted, zinc_error *err);
/* A date "2020", "2020-01", "2020-01-03T12:30:05.5": its first instant and the last tick of its period. */
zinc_status zinc_period_parse(const zinc_clock *c, const char *text, zinc_mark *from, zinc_mark *to,
			      zinc_resolution *fine, zinc_error *err);
/* A duration "90 minutes", "1.5h", in ticks. */
zinc_status zinc_span_parse(const zinc_clock *c, const char *text, zinc_mark *out, zinc_error *err);
/* The tick at or before `attos`, and how much of a tick that is after it. */
zinc_mark zinc_mark_of(zinc_i128 attos, zinc_i128 tick);

/* Search the coordinate and select what is wanted of the dimension.  E_RANGE: there is no such value. */
zinc_status zinc_axis_find(const zinc_axis *x, const zinc_wanted *w, const char *text, const zinc_wait *wait,
			   zinc_select_dim *out, zinc_error *err);

extern const zinc_options_kind zinc_find_options_kind;

#endif
