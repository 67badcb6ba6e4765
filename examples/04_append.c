/*
 * 04_append.c - a series that grows: append rows at the end of an axis
 *
 * Several processes may append to one array at the same time: each gets its own range.
 */
#include <stdio.h>
#include <zinc.h>

enum { STATIONS = 3 };

/* Two rows.  An append needs the shape of the new elements. */
static zinc_status
append_hours(zinc_array *a, float first, zinc_error *err)
{
	const float rows[2][STATIONS] = {{first, first + 1, first + 2}, {first + 10, first + 11, first + 12}};
	const uint64_t shape[] = {2, STATIONS};
	zinc_buffer b = ZINC_BUFFER_INIT(ZINC_FLOAT32, (void *)(uintptr_t)rows, sizeof rows);
	uint64_t at = 0;
	zinc_status st;

	b.ndim = 2;
	b.shape = shape;
	st = zinc_array_append(a, 0, &b, NULL, &at, err);
	if (st == ZINC_OK)
		printf("appended rows %d and %d, the array has %d\n", (int)at, (int)at + 1,
		       (int)zinc_array_shape(a)[0]);
	return st;
}

int
main(void)
{
	const uint64_t shape[] = {0, STATIONS}, chunks[] = {24, STATIONS}, one[] = {1, STATIONS};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_array *a = NULL;
	float column[4] = {0, 0, 0, 0};

	if (zinc_array_create_url(&a, "series.zarr",
				  ZINC_ARRAY_OPTIONS(.ndim = 2, .shape = shape, .chunks = chunks, .dtype = "float32"),
				  NULL, &err) ||
	    append_hours(a, 0, &err) || append_hours(a, 20, &err) ||
	    zinc_array_read_text(a, ":, 1", ZINC_BUFFER(column, sizeof column), NULL, &err))
		fprintf(stderr, "%s\n", zinc_error_text(&err));
	printf("station 1: %g %g %g %g\n", column[0], column[1], column[2], column[3]);

	/* The shape can also be set.  Shrinking removes the chunks that are wholly outside. */
	if (a && zinc_array_resize(a, one, NULL, &err))
		fprintf(stderr, "%s\n", zinc_error_text(&err));
	printf("resized to %d row\n", a ? (int)zinc_array_shape(a)[0] : 0);
	zinc_array_close(a);
	return zinc_error_status(&err) != ZINC_OK;
}
