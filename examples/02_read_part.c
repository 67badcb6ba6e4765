/*
 * 02_read_part.c - read and write parts: slices, single indices, steps, lists and boxes
 *
 * A selection as text looks as in NumPy.  Only the chunks that it touches are read.
 */
#include <stdio.h>
#include <zinc.h>

static void
show(const char *what, const int *numbers, int n)
{
	int i;

	printf("%-12s", what);
	for (i = 0; i < n; i++)
		printf(" %d", numbers[i]);
	printf("\n");
}

/* Selections as text: the result has one dimension less for each single index. */
static zinc_status
read_by_text(zinc_array *a, zinc_error *err)
{
	static const char *const selections[] = {"2, 0:5", "0:5, 2", "::4, -1", "[1,7,3], 0"};
	static const int counts[] = {5, 5, 3, 3};
	zinc_status st = ZINC_OK;
	int numbers[5], i;

	for (i = 0; i < 4 && st == ZINC_OK; i++) {
		const size_t nbytes = (size_t)counts[i] * sizeof *numbers;

		st = zinc_array_read_text(a, selections[i], ZINC_BUFFER(numbers, nbytes), NULL, err);
		if (st == ZINC_OK)
			show(selections[i], numbers, counts[i]);
	}
	return st;
}

/* The same without text, for programs that compute their selections: rows 4 and 5, columns 6 to 8. */
static zinc_status
read_by_numbers(zinc_array *a, zinc_error *err)
{
	const uint64_t start[] = {4, 6}, count[] = {2, 3};
	int numbers[6];
	zinc_status st;

	st = zinc_array_read(a, ZINC_SELECTION(.kind = ZINC_SELECT_BOX, .ndim = 2, .start = start, .count = count),
			     ZINC_BUFFER(numbers, sizeof numbers), NULL, err);
	if (st == ZINC_OK)
		show("box", numbers, 6);
	return st;
}

int
main(void)
{
	const uint64_t shape[] = {10, 10}, chunks[] = {4, 4};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_array *a = NULL;
	int rows[8][10], three[] = {-1, -2, -3}, i;

	for (i = 0; i < 80; i++)
		rows[i / 10][i % 10] = i;
	/* Rows 8 and 9 are not written: their elements are the fill value. */
	if (zinc_array_create_url(
		&a, "part.zarr",
		ZINC_ARRAY_OPTIONS(.ndim = 2, .shape = shape, .chunks = chunks, .dtype = "int32", .fill = "99"), NULL,
		&err) ||
	    zinc_array_write_text(a, "0:8, :", ZINC_BUFFER(&rows[0][0], sizeof rows), NULL, &err) ||
	    zinc_array_write_text(a, "5, 6:9", ZINC_BUFFER(three, sizeof three), NULL, &err) || read_by_text(a, &err) ||
	    read_by_numbers(a, &err))
		fprintf(stderr, "%s\n", zinc_error_text(&err));
	zinc_array_close(a);
	return zinc_error_status(&err) != ZINC_OK;
}
