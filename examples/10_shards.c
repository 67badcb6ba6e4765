/*
 * 10_shards.c - many small chunks in few files
 *
 * Small chunks make small reads cheap; too many small files make everything else slow.  A shard is one file with many
 * chunks and an index of their places.
 */
#include <stdio.h>
#include <stdlib.h>
#include <zinc.h>
#include <zinc/tool.h>

enum { SIDE = 256 };

int
main(void)
{
	const uint64_t shape[] = {SIDE, SIDE}, chunks[] = {16, 16}, shards[] = {128, 128};
	const size_t nbytes = SIDE * SIDE * sizeof(uint16_t);
	uint16_t *image = malloc(nbytes), corner[16] = {0};
	zinc_explanation cost = ZINC_EXPLANATION_INIT;
	zinc_stored stored = ZINC_STORED_INIT;
	zinc_error err = ZINC_ERROR_INIT;
	zinc_selection *box = NULL;
	zinc_array *a = NULL;
	int i;

	if (!image)
		return 1;
	for (i = 0; i < SIDE * SIDE; i++)
		image[i] = (uint16_t)(i / SIDE + i % SIDE);
	/* Codecs are those of the chunks within a shard.  A partial write changes only the chunks that it touches. */
	if (zinc_array_create_url(&a, "image.zarr",
				  ZINC_ARRAY_OPTIONS(.ndim = 2, .shape = shape, .chunks = chunks, .shards = shards,
						     .dtype = "uint16", .codecs = "zstd:3+crc32c"),
				  NULL, &err) ||
	    zinc_array_write_text(a, NULL, ZINC_BUFFER(image, nbytes), NULL, &err) ||
	    zinc_array_stored(a, &stored, NULL, &err) || zinc_selection_parse(&box, a, "100:104, 100:104", &err) ||
	    zinc_array_explain(a, box, NULL, NULL, NULL, &cost, &err) ||
	    zinc_array_read(a, box, ZINC_BUFFER(corner, sizeof corner), NULL, &err))
		fprintf(stderr, "%s\n", zinc_error_text(&err));
	printf("%d files for %d chunks\n", (int)stored.objects, (SIDE / 16) * (SIDE / 16));
	printf("a box of 4 x 4 decodes %d chunk of %d bytes\n", (int)cost.chunks, (int)cost.decoded_bytes);
	printf("its corners: %d and %d\n", corner[0], corner[15]);
	zinc_selection_free(box);
	zinc_array_close(a);
	free(image);
	return zinc_error_status(&err) != ZINC_OK;
}
