/*
 * 12_threads.c - threads: those of the library, and those of the program
 *
 * One call uses as many threads as the context has.  And all threads of a program may share one handle: here four write
 * columns of the same chunks, and no element is lost.
 */
#include <pthread.h>
#include <stdio.h>
#include <zinc.h>

enum { WRITERS = 4, ROWS = 64, COLUMNS = 32 };

struct part {
	zinc_array *array;
	uint64_t column;
	zinc_error err;
};

/* Columns c, c + 4, c + 8 ... are this thread's. */
static void *
write_columns(void *arg)
{
	struct part *p = arg;
	const uint64_t start[] = {0, p->column}, count[] = {ROWS, COLUMNS / WRITERS}, step[] = {1, WRITERS};
	uint8_t values[ROWS * COLUMNS / WRITERS];
	size_t i;

	for (i = 0; i < sizeof values; i++)
		values[i] = (uint8_t)(p->column + 1);
	if (zinc_array_write(
		p->array,
		ZINC_SELECTION(.kind = ZINC_SELECT_BOX, .ndim = 2, .start = start, .count = count, .step = step),
		ZINC_BUFFER(values, sizeof values), ZINC_IO_OPTIONS(.relaxed = 1), &p->err))
		fprintf(stderr, "%s\n", zinc_error_text(&p->err));
	return NULL;
}

int
main(void)
{
	const uint64_t shape[] = {ROWS, COLUMNS}, chunks[] = {16, 16};
	struct part parts[WRITERS];
	pthread_t threads[WRITERS];
	zinc_error err = ZINC_ERROR_INIT;
	zinc_context *ctx = NULL;
	zinc_array *a = NULL;
	uint8_t row[8] = {0};
	int i, started = 0;

	/* A separate context is optional: NULL means one with a thread per processor. */
	if (zinc_context_new(&ctx, ZINC_CONTEXT_OPTIONS(.threads = 2), &err) ||
	    zinc_array_create_url(&a, "shared.zarr",
				  ZINC_ARRAY_OPTIONS(.ndim = 2, .shape = shape, .chunks = chunks, .dtype = "uint8"),
				  ZINC_OPEN_OPTIONS(.context = ctx), &err))
		fprintf(stderr, "%s\n", zinc_error_text(&err));
	for (; a && started < WRITERS; started++) {
		parts[started] = (struct part){.array = a, .column = (uint64_t)started, .err = ZINC_ERROR_INIT};
		if (pthread_create(&threads[started], NULL, write_columns, &parts[started]) != 0)
			break;
	}
	for (i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
	if (a && zinc_array_read_text(a, "-1, 0:8", ZINC_BUFFER(row, sizeof row), NULL, &err))
		fprintf(stderr, "%s\n", zinc_error_text(&err));
	printf("%d writers; the last row begins %d %d %d %d %d\n", started, row[0], row[1], row[2], row[3], row[4]);
	zinc_array_close(a);
	zinc_context_free(ctx); /* after everything that was opened with it */
	return zinc_error_status(&err) != ZINC_OK || started != WRITERS;
}
