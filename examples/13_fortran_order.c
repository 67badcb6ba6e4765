/*
 * 13_fortran_order.c - memory in another order: Fortran's, a part of a larger buffer, upside down
 *
 * Strides are the numbers of bytes between neighbours of each dimension; Zinc reads directly into that memory.
 */
#include <stdio.h>
#include <zinc.h>

static void
show(const char *what, const int32_t *memory, int n)
{
	int i;

	printf("%-20s", what);
	for (i = 0; i < n; i++)
		printf(" %2d", (int)memory[i]);
	printf("\n");
}

/* Read the whole array with these strides; `first` is the byte offset of element (0, 0). */
static zinc_status
read_strided(zinc_array *a, int32_t *memory, size_t nbytes, int64_t rows, int64_t columns, uint64_t first,
	     zinc_error *err)
{
	const int64_t strides[] = {rows, columns};
	zinc_buffer b = ZINC_BUFFER_INIT(ZINC_INT32, memory, nbytes);

	b.ndim = 2;
	b.strides = strides;
	b.first = first;
	return zinc_array_read_text(a, NULL, &b, NULL, err);
}

int
main(void)
{
	const uint64_t shape[] = {2, 3};
	const int32_t numbers[2][3] = {{11, 12, 13}, {21, 22, 23}};
	const int64_t size = sizeof(int32_t);
	int32_t columns[6], frame[4 * 5] = {0}, flipped[6];
	zinc_error err = ZINC_ERROR_INIT;
	zinc_array *a = NULL;

	if (zinc_array_create_url(&a, "order.zarr", ZINC_ARRAY_OPTIONS(.ndim = 2, .shape = shape, .dtype = "int32"),
				  NULL, &err) ||
	    zinc_array_write_text(a, NULL, ZINC_BUFFER(&numbers[0][0], sizeof numbers), NULL, &err) ||
	    /* Fortran: the first index changes fastest. */
	    read_strided(a, columns, sizeof columns, size, 2 * size, 0, &err) ||
	    /* Into the middle of a frame of 4 x 5, which keeps its edge. */
	    read_strided(a, frame, sizeof frame, 5 * size, size, 6 * sizeof *frame, &err) ||
	    /* Last row first: a negative stride, and element (0, 0) in the second row. */
	    read_strided(a, flipped, sizeof flipped, -3 * size, size, 3 * sizeof *flipped, &err))
		fprintf(stderr, "%s\n", zinc_error_text(&err));
	else {
		show("in Fortran order", columns, 6);
		show("rows 1, 2 of a frame", frame + 5, 10);
		show("last row first", flipped, 6);
	}
	zinc_array_close(a);
	return zinc_error_status(&err) != ZINC_OK;
}
