/*
 * cf.h - coordinates, packed numbers and times, as the CF conventions describe them
 *
 * Everything here may still change before version 1.0.
 */
#ifndef ZINC_CF_H
#define ZINC_CF_H

#include <zinc.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- selections by name and by value ---- */

typedef struct zinc_find_options {
	size_t size;
	/* Ignore dimensions that the array does not have: one text for all arrays of a group. */
	int lenient;
	/* If not NULL, bit i is set when item i of the text belongs to a dimension of this array. */
	uint64_t *used;
	const zinc_call_options *call; /* [no limit] */
} zinc_find_options;

/* clang-format off */
#define ZINC_FIND_OPTIONS(...) ZINC_OPTIONS_OF(zinc_find_options, __VA_ARGS__)
#define ZINC_FIND_OPTIONS_INIT {sizeof(zinc_find_options), 0, NULL, NULL}
/* clang-format on */

/*
 * Parse a selection, also one by coordinate values:
 *
 *     time@2020-01-03     the element of that value; a date that is coarser than the coordinate is a period
 *     lat@40..50          all from 40 to 50, both included, whichever way the coordinate runs; lat@40.. has one end
 *     lon@~7.5            the nearest; of two the larger
 *
 * beside "time=3, lat=10:20", "0, 10:20" as zinc_selection_parse has them.  The coordinate of a dimension is the
 * one-dimensional array of its name and length in the array's group, or in the nearest group above that has one.
 * Packed numbers, missing values and CF times are decoded first, as zinc_cf_decode does.  Numbers are rounded to the
 * coordinate's float type.  Dates are compared in its calendar, durations are written "6 hours", texts are compared
 * whole.  A value or a nearest value that one element has drops the dimension; several elements, a range or a period
 * keep it.  Elements that are not consecutive become a list.  A range may select nothing.
 *
 * Only a hierarchy whose root is above the array's group shows its coordinates: on a remote store open with `climb` 1.
 * Free with zinc_selection_free.  E_INVALID (text, no coordinate), E_RANGE (no such value), E_LIMIT (more
 * than 2^31 elements), and what reading the coordinate may return.
 */
ZINC_API ZINC_CHECKED zinc_status zinc_selection_find(zinc_selection **out, zinc_array *a, const char *text,
	const zinc_find_options *options, zinc_error *err);

/* After one text was used for several arrays (`lenient`), with `used` of all of them joined by '|': E_INVALID naming the
 * first item that belongs to no array. */
ZINC_API ZINC_CHECKED zinc_status zinc_selection_check_used(const char *text, uint64_t used, zinc_error *err);

/* Open the coordinate of dimension `dim`; E_NOTFOUND when it has none.  Close with zinc_array_close. */
ZINC_API ZINC_CHECKED zinc_status zinc_cf_coordinate(zinc_array **out, zinc_array *a, int dim,
	const zinc_call_options *call, zinc_error *err);

/* ---- decoding ---- */

typedef enum zinc_cf_kind {
	ZINC_CF_PLAIN = 0,   /* nothing to decode: elements stay as they are */
	ZINC_CF_NUMBER = 1,  /* scale, offset, missing values (NaN), other signs, truth values: `type` is what xarray gives */
	ZINC_CF_TIME = 2,    /* int64, `unit` since 1970-01-01, as NumPy's datetime64; INT64_MIN is missing */
	ZINC_CF_DATE = 3,    /* the same in microseconds, in a calendar that datetime64 does not have */
	ZINC_CF_DURATION = 4 /* int64, `unit`, as NumPy's timedelta64 */
} zinc_cf_kind;

typedef struct zinc_cf zinc_cf;

typedef struct zinc_cf_about {
	size_t size;
	zinc_cf_kind kind;
	zinc_type type;       /* of decoded elements; ZINC_NATIVE for ZINC_CF_PLAIN */
	const char *numpy;    /* "<f4", "<M8[ns]" ...; "<U32" for ZINC_CF_DATE; NULL for ZINC_CF_PLAIN */
	const char *unit;     /* of times: "s", "ms", "us", "ns"; else "" */
	const char *calendar; /* of times: the CF name; else "" */
	const char *units;    /* the attribute, for labels: "K", "days since 2000-01-01"; "" if it has none */
	const char *long_name; /* the attribute long_name, else standard_name, else "" */
} zinc_cf_about;

#define ZINC_CF_ABOUT_INIT {sizeof(zinc_cf_about), ZINC_CF_PLAIN, ZINC_NATIVE, NULL, NULL, NULL, NULL, NULL}

/* How xarray decodes the array's elements, from its attributes and fill value.  Elements of times are read, because
 * their range decides between ZINC_CF_TIME and ZINC_CF_DATE: all of a small array, else the first and the last.  Keeps no
 * reference to the array, but the context must live.  E_INVALID names an attribute that cannot be understood; E_LIMIT,
 * E_UNSUPPORTED, E_NOMEM, and what a read may return. */
ZINC_API ZINC_CHECKED zinc_status zinc_cf_open(zinc_cf **out, zinc_array *a, zinc_error *err);
ZINC_API void zinc_cf_close(zinc_cf *cf);
/* Pointers stay valid until zinc_cf_close. */
ZINC_API ZINC_CHECKED zinc_status zinc_cf_describe(const zinc_cf *cf, zinc_cf_about *about, zinc_error *err);
/* Decode n elements, read in the array's own type (ZINC_NATIVE), into n of `about.type`.  For ZINC_CF_PLAIN they are
 * copied.  `decoded` may not be `elements`.  Safe from many threads.  E_RANGE: a time does not fit. */
ZINC_API ZINC_CHECKED zinc_status zinc_cf_decode(const zinc_cf *cf, const void *elements, size_t n, void *decoded,
	zinc_error *err);
/* One decoded time or duration as text: "2020-01-03T12:00:00", "5 days 12:00:00", "NaT"; at most 63 bytes and
 * NUL.  E_INVALID for other kinds. */
ZINC_API ZINC_CHECKED zinc_status zinc_cf_print(const zinc_cf *cf, const void *decoded, char text[64], zinc_error *err);

#ifdef __cplusplus
}
#endif

#endif
