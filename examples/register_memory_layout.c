/*
 * register_memory_layout.c - an order of elements of your own: along a Z-shaped (Morton) curve
 *
 * In the drafts of version 3 this is the array's chunk_memory_layout, by its URI; here, in the final version, it is a
 * codec by its name.
 */
#include <stdio.h>
#include <string.h>
#include <zinc.h>
#include <zinc/extend.h>

/* Bits of all dimensions in turn: (y1 y0, x1 x0) -> y1 x1 y0 x0.  Right for chunks whose sides are one power of two. */
static uint64_t
morton_place(void *self, int ndim, const uint64_t *shape, const uint64_t *index)
{
	uint64_t bit, place = 0;
	int d;

	(void)self;
	for (bit = shape[0] >> 1; bit > 0; bit >>= 1)
		for (d = 0; d < ndim; d++)
			place = place << 1 | ((index[d] & bit) != 0);
	return place;
}

/* Zinc would refuse two elements in one place; an error when the array is opened is earlier. */
static zinc_status
morton_open(void **self, const char *configuration, const zinc_codec_input *input, zinc_error *err)
{
	int d;

	(void)self, (void)configuration;
	for (d = 0; d < input->ndim; d++)
		if (input->shape[d] != input->shape[0] || (input->shape[d] & (input->shape[d] - 1)) != 0)
			return zinc_error_set(err, ZINC_E_INVALID, "chunks must be square, of a power of two");
	return ZINC_OK;
}

static const char *const morton_uris[] = {"https://example.org/zarr/layouts/morton/1.0", NULL};

static const zinc_memory_layout_def morton = {
    .size = sizeof morton,
    .name = "example.morton",
    .uris = morton_uris,
    .v2 = "morton",
    .purpose = "elements along a Z-shaped curve",
    .open = morton_open,
    .place = morton_place,
};

int
main(void)
{
	static const uint64_t shape[] = {4, 4}, first[] = {0, 0};
	static const uint8_t wanted[] = {0, 1, 4, 5, 2, 3, 6, 7, 8, 9, 12, 13, 10, 11, 14, 15};
	uint8_t in[4][4], out[4][4] = {{0}};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_blob chunk = ZINC_BLOB_INIT;
	zinc_array *a = NULL;
	int i, good = 0;

	for (i = 0; i < 16; i++)
		in[i / 4][i % 4] = (uint8_t)i;
	if (zinc_register_memory_layout(&morton, &err) ||
	    zinc_array_create_url(&a, "memory://example/morton",
				  ZINC_ARRAY_OPTIONS(.ndim = 2, .shape = shape, .chunks = shape, .dtype = "uint8",
						     .codecs = "[\"example.morton\", \"bytes\"]"),
				  NULL, &err) ||
	    zinc_array_write_text(a, NULL, ZINC_BUFFER(&in[0][0], sizeof in), NULL, &err) ||
	    zinc_array_read_text(a, NULL, ZINC_BUFFER(&out[0][0], sizeof out), NULL, &err) ||
	    zinc_array_chunk_get(a, first, &chunk, NULL, &err))
		fprintf(stderr, "%s\n", zinc_error_text(&err));
	else
		good = memcmp(in, out, sizeof in) == 0 && memcmp(chunk.data, wanted, sizeof wanted) == 0;
	printf("16 elements %s along the curve\n", good ? "stored and read" : "lost");
	zinc_blob_fini(&chunk);
	zinc_array_close(a);
	return !good;
}
