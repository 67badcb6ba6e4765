/*
 * 11_buffered_writer.c - a program that gets its data row by row, and chunks with many rows
 *
 * Written directly, every row would read, change and write its chunk again.  A zinc_writer collects rows in memory
 * until chunks are complete.  Nothing is safe on disk before flush or close returns ZINC_OK.
 */
#include <stdio.h>
#include <zinc.h>

enum { ROWS = 1000, COLUMNS = 50 };

static zinc_status
write_rows(zinc_writer *w, zinc_error *err)
{
	const uint64_t count[] = {1, COLUMNS};
	zinc_status st = ZINC_OK;
	int32_t row[COLUMNS];
	int i, j;

	for (i = 0; i < ROWS && st == ZINC_OK; i++) {
		const uint64_t start[] = {(uint64_t)i, 0};

		for (j = 0; j < COLUMNS; j++)
			row[j] = i * COLUMNS + j;
		st = zinc_writer_write(
		    w, ZINC_SELECTION(.kind = ZINC_SELECT_BOX, .ndim = 2, .start = start, .count = count),
		    ZINC_BUFFER(row, sizeof row), NULL, err);
	}
	return st;
}

int
main(void)
{
	const uint64_t shape[] = {ROWS, COLUMNS}, chunks[] = {100, COLUMNS};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_array *a = NULL;
	zinc_writer *w = NULL;
	int32_t last[2] = {0, 0};

	if (zinc_array_create_url(&a, "rows.zarr",
				  ZINC_ARRAY_OPTIONS(.ndim = 2, .shape = shape, .chunks = chunks, .dtype = "int32"),
				  NULL, &err) ||
	    zinc_writer_new(&w, a, 1 << 20, NULL, &err) || write_rows(w, &err)) {
		fprintf(stderr, "%s\n", zinc_error_text(&err));
		zinc_writer_free(w);                   /* discards the collected rows */
	} else if (zinc_writer_close(w, NULL, &err) || /* writes the rest; a failure means that elements are lost */
		   zinc_array_read_text(a, "-1, -2:", ZINC_BUFFER(last, sizeof last), NULL, &err)) {
		fprintf(stderr, "%s\n", zinc_error_text(&err));
	}
	printf("%d rows written, the last two elements are %d and %d\n", ROWS, (int)last[0], (int)last[1]);
	zinc_array_close(a);
	return zinc_error_status(&err) != ZINC_OK;
}
