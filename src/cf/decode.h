/*
 * decode.h - what the files of decoding share
 *
 *   wishes.c       what the attributes of an array ask for
 *   numbers.c      _Unsigned, missing values, scale and offset
 *   times.c        numbers to times and durations
 *   sample.c       which times an array has, which decides what they become
 *   decode.c       the whole, as <zinc/cf.h> declares it
 *
 * Elements go through two steps, as in xarray: numbers.c makes numbers of them, times.c makes times of these.
 */
#ifndef ZINC_DECODE_H
#define ZINC_DECODE_H

#include "cf/cf.h"

/* One of _FillValue and missing_value. */
typedef struct zinc_cf_missing {
	bool whole; /* an integer: `i` */
	bool never; /* no number is equal to it: a text, or an integer beyond 64 bits */
	int64_t i;
	double re, im;
} zinc_cf_missing;

#define ZINC_CF_MISSING_MAX 1000 /* values; more are E_LIMIT */

/* Elements to numbers. */
typedef struct zinc_cf_packing {
	zinc_type stored; /* of elements, after _Unsigned */
	zinc_type type;   /* of numbers */
	bool counts;      /* of times: numbers are int64, and INT64_MIN is missing; or else float64 */
	bool single;      /* of times: they were float32 */
	bool scales, shifts;
	double scale, offset;
	int64_t factor; /* `scale`, when `type` is an integer */
	size_t nmissing;
	zinc_cf_missing *missing;
} zinc_cf_packing;

/* Numbers to times. */
typedef struct zinc_cf_times {
	zinc_cf_kind kind;    /* TIME, DATE or DURATION */
	zinc_time_units from; /* of durations only unit_ns */
	int64_t unit_ns;      /* of decoded ones: 1, 1000, 1000000 or 1000000000 */
	bool by_cftime;       /* microseconds, rounded, as cftime computes; or nanoseconds, as xarray does */
	bool single;          /* durations: compute in float32 */
} zinc_cf_times;

/* What the attributes ask for. */
typedef struct zinc_cf_wishes {
	const zinc_meta *meta;
	const zinc_dtype *dtype;
	const char *units, *calendar; /* NULL: none */
	bool is_time;                 /* "... since ..." */
	bool is_duration;
	int64_t duration_ns; /* the unit wanted */
	bool is_bool;
	bool is_unsigned, is_signed; /* _Unsigned */
} zinc_cf_wishes;

struct zinc_cf {
	zinc_context *ctx;
	size_t element; /* bytes, as read */
	zinc_cf_about about;
	char *units, *long_name;
	char unit[4], numpy[12];
	zinc_cf_packing packing;
	zinc_cf_times times;
};

/* ---- wishes.c ---- */

/* A text among the attributes; NULL when it is absent or no text. */
const char *zinc_cf_text(const zinc_meta *m, const char *name);
/* Look at the attributes; `units` and `calendar` (may be NULL) are those of the array that these are bounds of. */
zinc_status zinc_cf_wish(zinc_cf_wishes *w, const zinc_meta *m, const char *units, const char *calendar,
			 zinc_error *err);
/* How numbers are packed; frees nothing on failure: zinc_cf_close does. */
zinc_status zinc_cf_packing_parse(zinc_cf_packing *p, zinc_context *ctx, const zinc_cf_wishes *w, zinc_error *err);

/* ---- numbers.c ---- */

/* n elements as numbers of p->type; with `counts` or for times without it as int64 or float64.  E_RANGE. */
zinc_status zinc_cf_unpack(const zinc_cf_packing *p, const void *elements, size_t n, void *numbers, zinc_error *err);
/* Are elements and numbers the same? */
bool zinc_cf_is_plain(const zinc_cf_packing *p, zinc_type own);

/* ---- times.c ---- */

/* The ends of some times, in the numbers that are stored. */
typedef struct zinc_cf_range {
	uint64_t n; /* numbers that are not missing */
	double low, high;
	int64_t low_count, high_count; /* of counts */
	int64_t finest_ns;             /* durations: the unit that holds them all */
} zinc_cf_range;

/* numbers: int64 with `counts`, else float64 */
void zinc_cf_range_add(zinc_cf_range *r, const zinc_cf_times *t, bool counts, const void *numbers, size_t n);
/* Decide what they become. */
void zinc_cf_times_choose(zinc_cf_times *t, bool counts, const zinc_cf_range *r);
/* Decode n numbers; `times` may be `numbers`.  E_RANGE. */
zinc_status zinc_cf_times_decode(const zinc_cf_times *t, bool counts, const void *numbers, size_t n, int64_t *times,
				 zinc_error *err);
void zinc_cf_duration_print(const zinc_cf_times *t, int64_t v, char text[64]);

/* ---- sample.c ---- */

zinc_status zinc_cf_sample(zinc_cf *cf, zinc_array *a, zinc_cf_range *r, zinc_error *err);
/* The units and calendar of the coordinate that this array is the bounds of, for arrays without their own; *of must be
 * closed after use, NULL when there is none. */
zinc_status zinc_cf_bounds_of(zinc_array **of, zinc_array *a, const zinc_meta *m, zinc_error *err);

#endif
