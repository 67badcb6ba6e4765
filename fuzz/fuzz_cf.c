/*
 * fuzz_cf.c - units of time and calendars, dates, and attributes of an array
 *
 * Input: one byte for the sort.  0: a line of a calendar, then units.  1: a line of a calendar, then a date.  2: a byte
 * for the type, then attributes as JSON.
 *
 * (1) A reference that is accepted, printed and read again is the same instant.
 * (2) A period ends after it begins.
 * (3) Attributes are understood, or the error names one of them.
 */
#include <stdio.h>
#include <stdlib.h>

#include "cf/decode.h"
#include "fuzz.h"

static void
check_text(zinc_calendar c, zinc_instant at)
{
	zinc_instant first, after;
	char text[64];

	zinc_date_print(c, at, text);
	insist(zinc_date_parse(c, text, &first, &after) == strlen(text));
	insist(zinc_instant_compare(first, at) == 0);
	insist(zinc_instant_compare(first, after) < 0);
}

static void
check_units(const char *calendar, const char *units)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_time_units u;

	if (zinc_time_units_parse(&u, units, *calendar ? calendar : NULL, &err) == ZINC_OK) {
		insist(u.unit_ns > 0 && u.reference.ns >= 0 && u.reference.ns < ZINC_DAY_NS);
		if (llabs(u.reference.day) < 359 * ZINC_YEAR_LIMIT) /* a zone can lead beyond the limit */
			check_text(u.calendar, u.reference);
	} else {
		insist(err.code == ZINC_E_INVALID);
	}
}

static void
check_date(const char *calendar, const char *text)
{
	zinc_instant first, after;
	zinc_calendar c;

	if (zinc_calendar_find(&c, calendar) && zinc_date_parse(c, text, &first, &after) > 0)
		insist(zinc_instant_compare(first, after) < 0); /* (2) */
}

/* ---- attributes ---- */

static void
decode(zinc_array *a)
{
	static const uint64_t elements[4] = {1, UINT64_C(0x8000000000000000), UINT64_C(0x4059000000000000), UINT64_MAX};
	zinc_cf_about about = ZINC_CF_ABOUT_INIT;
	zinc_error err = ZINC_ERROR_INIT;
	uint64_t decoded[8];
	char text[64];
	zinc_cf *cf;

	if (zinc_cf_open(&cf, a, &err) != ZINC_OK) {
		insist(err.code == ZINC_E_RANGE || err.code == ZINC_E_LIMIT ||
		       strstr(err.text, "attribute \"")); /* (3) */
		return;
	}
	insist(zinc_cf_describe(cf, &about, &err) == ZINC_OK);
	if (zinc_cf_decode(cf, elements, 2, decoded, &err) == ZINC_OK && about.kind >= ZINC_CF_TIME)
		insist(zinc_cf_print(cf, decoded, text, &err) == ZINC_OK && strlen(text) < 64);
	zinc_cf_close(cf);
}

static void
check_attributes(uint8_t type, const char *attributes)
{
	static const char *const types[] = {"int8",    "uint16",  "int32",   "int64",      "uint64",
					    "float16", "float32", "float64", "complex128", "bool"};
	const uint64_t shape[] = {2};
	zinc_hierarchy *h = NULL;
	zinc_store *store = NULL;
	zinc_array *a = NULL;

	if (zinc_store_open(&store, "memory://", NULL, NULL) != ZINC_OK)
		return;
	if (zinc_hierarchy_open(&h, store, "", ZINC_OPEN_OPTIONS(.create = 1), NULL) == ZINC_OK &&
	    zinc_array_create(&a, h, "a",
			      ZINC_ARRAY_OPTIONS(.ndim = 1, .shape = shape, .dtype = types[type % 10], .codecs = "none",
						 .fill = type % 10 == 9 ? "false" : "1", .attributes = attributes),
			      NULL) == ZINC_OK)
		decode(a);
	zinc_array_close(a);
	zinc_hierarchy_close(h);
	zinc_store_close(store);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text, *rest;

	if (size < 2)
		return 0;
	text = malloc(size);
	if (!text)
		return 0;
	memcpy(text, data + 1, size - 1);
	text[size - 1] = '\0';
	rest = strchr(text, '\n');
	if (data[0] % 3 == 2)
		check_attributes(data[1], text + 1);
	else if (rest) {
		*rest++ = '\0';
		(data[0] % 3 ? check_date : check_units)(text, rest);
	}
	free(text);
	return 0;
}
