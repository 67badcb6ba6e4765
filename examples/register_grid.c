/*
 * register_grid.c - a chunk grid of your own: chunks of 1, 2, 4, 8 ... elements, up to a limit
 *
 * Good for data that is read mostly at its beginning.  The grid has four functions for each dimension; Zinc does
 * everything else (selections, keys, partial writes).
 *
 *     chunk      0   1      2          3 ...
 *     elements   0  1 2  3 4 5 6  7 8 9 10 11 12 13 14
 */
#include <stdio.h>
#include <string.h>
#include <zinc.h>
#include <zinc/extend.h>

enum { LARGEST = 3 }; /* chunks from number 3 on have 8 elements */

static zinc_status
doubling_open(void **self, const char *configuration, int ndim, const uint64_t *shape, zinc_error *err)
{
	(void)configuration, (void)ndim, (void)shape, (void)err;
	*self = NULL; /* no state: all dimensions are divided in the same way */
	return ZINC_OK;
}

static void
doubling_span(void *self, int dim, uint64_t chunk, uint64_t *start, uint64_t *extent)
{
	const uint64_t small = chunk < LARGEST ? chunk : LARGEST;

	(void)self, (void)dim;
	*extent = (uint64_t)1 << small;
	*start = *extent - 1 + (chunk - small) * *extent;
}

static uint64_t
doubling_find(void *self, int dim, uint64_t i)
{
	uint64_t chunk = 0, start, extent;

	for (doubling_span(self, dim, chunk, &start, &extent); i >= start + extent;
	     doubling_span(self, dim, chunk, &start, &extent))
		chunk += chunk < LARGEST ? 1 : (i - start) / extent;
	return chunk;
}

static uint64_t
doubling_count(void *self, int dim, uint64_t length)
{
	return length ? doubling_find(self, dim, length - 1) + 1 : 0;
}

static uint64_t
doubling_widest(void *self, int dim)
{
	(void)self, (void)dim;
	return (uint64_t)1 << LARGEST;
}

static const char *const doubling_uris[] = {"https://example.org/zarr/grids/doubling/1.0", NULL};

static const zinc_grid_def doubling = {
    .size = sizeof doubling,
    .name = "example.doubling",
    .uris = doubling_uris,
    .purpose = "chunks of 1, 2, 4, 8, 8 ... elements",
    .open = doubling_open,
    .count = doubling_count,
    .find = doubling_find,
    .span = doubling_span,
    .widest = doubling_widest,
};

/* A whole metadata document, because options cannot describe this grid. */
static const char document[] =
    "{\"zarr_format\": 3, \"node_type\": \"array\", \"shape\": [40], \"data_type\": \"int16\","
    " \"chunk_grid\": {\"name\": \"example.doubling\", \"configuration\": {}},"
    " \"chunk_key_encoding\": {\"name\": \"default\"}, \"fill_value\": -1,"
    " \"codecs\": [{\"name\": \"bytes\", \"configuration\": {\"endian\": \"little\"}}]}";

int
main(void)
{
	int16_t in[30], out[40];
	uint64_t third = 3, grid[1] = {0};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_blob chunk = ZINC_BLOB_INIT;
	zinc_array *a = NULL;
	int i, right = 0;

	for (i = 0; i < 30; i++)
		in[i] = (int16_t)(i + 5);
	if (zinc_register_grid(&doubling, &err) ||
	    zinc_array_create_url(&a, "memory://example/doubling", ZINC_ARRAY_OPTIONS(.document = document), NULL,
				  &err) ||
	    zinc_array_write_text(a, "5:35", ZINC_BUFFER(in, sizeof in), NULL, &err) ||
	    zinc_array_read_text(a, NULL, ZINC_BUFFER(out, sizeof out), NULL, &err) ||
	    zinc_array_chunk_get(a, &third, &chunk, NULL, &err))
		fprintf(stderr, "%s\n", zinc_error_text(&err));
	else
		right = zinc_array_grid_shape(a, grid) && grid[0] == 8 && chunk.nbytes == 8 * sizeof(int16_t);
	for (i = 0; i < 40 && right; i++)
		right = out[i] == (i >= 5 && i < 35 ? i : -1);
	printf(right ? "30 elements in chunks that double\n" : "the elements are not what was written\n");
	zinc_blob_fini(&chunk);
	zinc_array_close(a);
	return !right;
}
