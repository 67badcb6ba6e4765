/*
 * 01_create_write_read.c - the first program: create an array on disk, write it, open it again, read it
 *
 * Every call returns ZINC_OK, which is 0, or a status; `err` then has the reason.
 */
#include <stdio.h>
#include <zinc.h>

/* An array of 4 x 6 doubles in the directory numbers.zarr.  Chunks of 2 x 3: each is one file. */
static zinc_status
write_numbers(zinc_error *err)
{
	const uint64_t shape[] = {4, 6}, chunks[] = {2, 3};
	double numbers[4][6];
	zinc_array *a = NULL;
	zinc_status st;
	int i;

	for (i = 0; i < 24; i++)
		numbers[i / 6][i % 6] = i / 2.0;
	st = zinc_array_create_url(&a, "numbers.zarr",
				   ZINC_ARRAY_OPTIONS(.ndim = 2, .shape = shape, .chunks = chunks, .dtype = "float64"),
				   NULL, err);
	if (st == ZINC_OK)
		st = zinc_array_write_text(a, NULL, ZINC_BUFFER(&numbers[0][0], sizeof numbers), NULL, err);
	zinc_array_close(a);
	return st;
}

/* A reader need not know the shape: it gets it from the array. */
static zinc_status
read_numbers(zinc_error *err)
{
	double numbers[4][6];
	zinc_array *a = NULL;
	zinc_status st = zinc_array_open_url(&a, "numbers.zarr", NULL, err);

	if (st == ZINC_OK) {
		const uint64_t *shape = zinc_array_shape(a);

		printf("%s, %d dimensions: %d x %d\n", zinc_array_dtype(a), zinc_array_ndim(a), (int)shape[0],
		       (int)shape[1]);
		st = zinc_array_read_text(a, NULL, ZINC_BUFFER(&numbers[0][0], sizeof numbers), NULL, err);
	}
	if (st == ZINC_OK)
		printf("first %g, last %g\n", numbers[0][0], numbers[3][5]);
	zinc_array_close(a);
	return st;
}

int
main(void)
{
	zinc_error err = ZINC_ERROR_INIT;

	if (write_numbers(&err) || read_numbers(&err))
		fprintf(stderr, "%s\n", zinc_error_text(&err));
	return zinc_error_status(&err) != ZINC_OK;
}
