/*
 * 09_dates_records.c - records with a date, a text of fixed length and a number in each element
 *
 * The data type is written as in NumPy.  In memory the fields of a record follow one another without gaps.
 */
#include <stdio.h>
#include <string.h>
#include <zinc.h>

#define RECORD "[[\"when\", \"<M8[s]\"], [\"station\", \"|S4\"], [\"celsius\", \"<f4\"]]"

enum { WHEN = 0, STATION = 8, CELSIUS = 12, RECORD_SIZE = 16 };

static void
pack(unsigned char *record, int64_t when, const char *station, float celsius)
{
	memset(record, 0, RECORD_SIZE);
	memcpy(record + WHEN, &when, sizeof when); /* seconds since 1970 */
	memcpy(record + STATION, station, strlen(station));
	memcpy(record + CELSIUS, &celsius, sizeof celsius);
}

/* Zinc prints elements of every type: dates in ISO 8601, records field by field. */
static zinc_status
show(zinc_array *a, const unsigned char *records, int n, zinc_error *err)
{
	zinc_status st = ZINC_OK;
	char text[128];
	size_t length;
	int i;

	for (i = 0; i < n && st == ZINC_OK; i++) {
		st = zinc_array_element_print(a, records + i * RECORD_SIZE, ZINC_SPELL_JSON, text, sizeof text, &length,
					      err);
		if (st == ZINC_OK)
			printf("%s\n", text);
	}
	return st;
}

int
main(void)
{
	const uint64_t shape[] = {3};
	unsigned char in[2 * RECORD_SIZE], out[3 * RECORD_SIZE];
	zinc_error err = ZINC_ERROR_INIT;
	zinc_array *a = NULL;

	pack(in, 1577836800, "A1", 3.5f);
	pack(in + RECORD_SIZE, 1577840400, "B27", -0.25f);
	/* The third record is not written: it is the fill value. */
	if (zinc_array_create_url(&a, "records.zarr", ZINC_ARRAY_OPTIONS(.ndim = 1, .shape = shape, .dtype = RECORD),
				  NULL, &err) ||
	    zinc_array_write_text(a, "0:2", ZINC_BUFFER((const void *)in, sizeof in), NULL, &err) ||
	    zinc_array_read_text(a, NULL, ZINC_BUFFER((void *)out, sizeof out), NULL, &err) || show(a, out, 3, &err))
		fprintf(stderr, "%s\n", zinc_error_text(&err));
	else
		printf("%d bytes each\n", (int)zinc_array_element_size(a));
	zinc_array_close(a);
	return zinc_error_status(&err) != ZINC_OK;
}
