/*
 * 03_errors.c - what a failed call reports: a status for the program, a text for people
 *
 * zinc_error is yours, on the stack.  It is written if a call fails, and never if it succeeds.
 */
#include <stdio.h>
#include <zinc.h>

/* A program decides by the status; the text is for the user. */
static void
show(const char *what, zinc_status st, zinc_error *err)
{
	printf("%s\n  %s: %s\n  %s\n", what, zinc_status_name(st), zinc_status_text(st), zinc_error_text(err));
}

/* Three mistakes of a caller, and a damaged file. */
static void
fail(zinc_array *a)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_array *other = NULL;
	uint8_t bytes[8];
	FILE *f;

	show("open what does not exist", zinc_array_open_url(&other, "nothing.zarr", NULL, &err), &err);
	show("read beyond the end", zinc_array_read_text(a, "99", ZINC_BUFFER(bytes, 1), NULL, &err), &err);
	show("read into too little memory", zinc_array_read_text(a, NULL, ZINC_BUFFER(bytes, 3), NULL, &err), &err);

	f = fopen("errors.zarr/c/0", "w");
	if (f && fputs("this is no chunk", f) >= 0 && fclose(f) == 0)
		show("read a damaged chunk",
		     zinc_array_read_text(a, NULL, ZINC_BUFFER(bytes, sizeof bytes), NULL, &err), &err);
	printf("parts of the last error: key %s, chunk %s, codec %s\n", err.key, err.chunk, err.codec);
}

int
main(void)
{
	const uint64_t shape[] = {8};
	const uint8_t bytes[8] = {1, 2, 3, 4, 5, 6, 7, 8};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_array *a = NULL;

	/* Several calls in a row: `||` stops at the first that fails. */
	if (zinc_array_create_url(&a, "errors.zarr", ZINC_ARRAY_OPTIONS(.ndim = 1, .shape = shape, .dtype = "uint8"),
				  NULL, &err) ||
	    zinc_array_write_text(a, NULL, ZINC_BUFFER(bytes, sizeof bytes), NULL, &err))
		fprintf(stderr, "%s\n", zinc_error_text(&err));
	else
		fail(a);
	zinc_array_close(a); /* every close and free accepts NULL */
	return zinc_error_status(&err) != ZINC_OK;
}
