/*
 * 07_convert_types.c - read into another number type than the stored one
 *
 * The type of the buffer decides.  A number that does not fit is an error unless the caller says what to do.
 */
#include <stdio.h>
#include <zinc.h>

int
main(void)
{
	const uint64_t shape[] = {4};
	const double stored[] = {1, 2.5, 300, -7};
	const zinc_io_options *clamp = ZINC_IO_OPTIONS(.convert = ZINC_CONVERT_TRUNCATE | ZINC_CONVERT_CLAMP);
	zinc_error err = ZINC_ERROR_INIT, expected = ZINC_ERROR_INIT;
	zinc_array *a = NULL;
	float narrow[4] = {0};
	uint8_t bytes[4] = {0};
	uint16_t raw[4] = {0};

	if (zinc_array_create_url(&a, "convert.zarr", ZINC_ARRAY_OPTIONS(.ndim = 1, .shape = shape, .dtype = "float64"),
				  NULL, &err) ||
	    zinc_array_write_text(a, NULL, ZINC_BUFFER(stored, sizeof stored), NULL, &err) ||
	    zinc_array_read_text(a, NULL, ZINC_BUFFER(narrow, sizeof narrow), NULL, &err)) {
		fprintf(stderr, "%s\n", zinc_error_text(&err));
		return 1;
	}
	printf("as float: %g %g %g %g\n", narrow[0], narrow[1], narrow[2], narrow[3]);

	/* 2.5 is not an integer: nothing is rounded silently. */
	if (zinc_array_read_text(a, NULL, ZINC_BUFFER(bytes, sizeof bytes), NULL, &expected))
		printf("as uint8: %s\n", zinc_status_name(expected.code));

	/* Fractions are rounded towards zero, and values out of range become the nearest limit. */
	if (zinc_array_read_text(a, NULL, ZINC_BUFFER(bytes, sizeof bytes), clamp, &err))
		fprintf(stderr, "%s\n", zinc_error_text(&err));
	printf("truncated and clamped: %d %d %d %d\n", bytes[0], bytes[1], bytes[2], bytes[3]);

	/* A float16 has no type in C, so the buffer names its type. */
	if (zinc_array_read_text(a, NULL, ZINC_BUFFER_AS(ZINC_FLOAT16, raw, sizeof raw), NULL, &err))
		fprintf(stderr, "%s\n", zinc_error_text(&err));
	printf("as float16: %04x %04x %04x %04x\n", raw[0], raw[1], raw[2], raw[3]);
	zinc_array_close(a);
	return zinc_error_status(&err) != ZINC_OK;
}
