/*
 * register_dtype.c - a data type of your own: RGB colours, three bytes each, with fill values like "#ff8000"
 */
#include <stdio.h>
#include <string.h>
#include <zinc.h>
#include <zinc/extend.h>

/* The fill value's JSON as text -> one element. */
static zinc_status
rgb_parse(void *self, const char *json, void *element, zinc_error *err)
{
	unsigned r, g, b;
	unsigned char *p = element;

	(void)self;
	if (sscanf(json, "\"#%2x%2x%2x\"", &r, &g, &b) != 3)
		return zinc_error_set(err, ZINC_E_INVALID, "a colour is written \"#rrggbb\"");
	p[0] = (unsigned char)r;
	p[1] = (unsigned char)g;
	p[2] = (unsigned char)b;
	return ZINC_OK;
}

static size_t
rgb_print(void *self, const void *element, char *out, size_t room)
{
	const unsigned char *p = element;

	(void)self;
	return (size_t)snprintf(out, room, "\"#%02x%02x%02x\"", p[0], p[1], p[2]);
}

static const char *const rgb_uris[] = {"https://example.org/zarr/data-types/rgb/1.0", NULL};

static const zinc_dtype_def rgb = {
    .size = sizeof rgb,
    .name = "example.rgb",
    .uris = rgb_uris,
    .v2 = "q3",
    .purpose = "colours of three bytes",
    .element_size = 3,
    .parse_fill = rgb_parse,
    .print_fill = rgb_print,
};

int
main(void)
{
	static const uint64_t shape[] = {3, 3}, chunks[] = {2, 2};
	static const unsigned char red[3] = {255, 0, 0}, orange[3] = {255, 128, 0};
	unsigned char out[3][3][3];
	zinc_error err = ZINC_ERROR_INIT;
	zinc_array *a = NULL;
	int right = 0;

	/* One pixel is written; the others are the fill value.  Types that are not numbers are read and written
	 * without conversion: a void pointer makes a buffer of the array's own type. */
	if (zinc_register_dtype(&rgb, &err) ||
	    zinc_array_create_url(&a, "memory://example/picture",
				  ZINC_ARRAY_OPTIONS(.ndim = 2, .shape = shape, .chunks = chunks,
						     .dtype = "example.rgb", .codecs = "none", .fill = "\"#ff8000\""),
				  NULL, &err) ||
	    zinc_array_write_text(a, "1, 2", ZINC_BUFFER((const void *)red, sizeof red), NULL, &err) ||
	    zinc_array_read_text(a, NULL, ZINC_BUFFER((void *)out, sizeof out), NULL, &err))
		fprintf(stderr, "%s\n", zinc_error_text(&err));
	else
		right = memcmp(out[1][2], red, 3) == 0 && memcmp(out[0][0], orange, 3) == 0 &&
			memcmp(out[2][2], orange, 3) == 0 && zinc_array_element_size(a) == 3;
	printf(right ? "one red pixel on orange\n" : "that is another picture\n");
	zinc_array_close(a);
	return !right;
}
