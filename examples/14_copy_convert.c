/*
 * 14_copy_convert.c - copy a hierarchy to Zarr v2, with other chunks and codecs, and compare the two
 *
 * The same as `zinc cp v3.zarr v2.zarr --format v2 --chunks 50,20 --codecs gzip:6 --verify` and `zinc diff`.
 */
#include <stdio.h>
#include <zinc.h>
#include <zinc/tool.h>

/* Called before the copy begins, for each feature that the target does not have and that is replaced. */
static int
note(void *arg, const zinc_copy_note *n)
{
	(void)arg;
	if (n->kind == ZINC_COPY_REPLACED)
		printf("replaced: %s: %s\n", n->path, n->message);
	return 0; /* anything else cancels */
}

static int
difference(void *arg, const zinc_difference *d)
{
	(void)arg;
	printf("%s: %s differs: %s and %s\n", d->path, d->what, d->a, d->b);
	return 0;
}

static zinc_status
make(zinc_error *err)
{
	const uint64_t shape[] = {100, 40};
	static uint16_t numbers[100][40];
	zinc_array *a = NULL;
	zinc_status st;
	int i;

	for (i = 0; i < 4000; i++)
		numbers[i / 40][i % 40] = (uint16_t)(3 * i);
	st = zinc_array_create_url(&a, "v3.zarr/depth",
				   ZINC_ARRAY_OPTIONS(.ndim = 2, .shape = shape, .dtype = "uint16"), NULL, err);
	if (st == ZINC_OK)
		st = zinc_array_write_text(a, NULL, ZINC_BUFFER(&numbers[0][0], sizeof numbers), NULL, err);
	zinc_array_close(a);
	return st;
}

int
main(void)
{
	const uint64_t chunks[] = {50, 20};
	zinc_copy_counts copied = ZINC_COPY_COUNTS_INIT;
	zinc_diff_counts compared = ZINC_DIFF_COUNTS_INIT;
	zinc_error err = ZINC_ERROR_INIT;
	zinc_hierarchy *from = NULL, *to = NULL;

	if (make(&err) ||
	    zinc_copy_url("v3.zarr", "v2.zarr",
			  ZINC_COPY_OPTIONS(.format = "v2", .ndim = 2, .chunks = chunks, .codecs = "gzip:6",
					    .verify = 1, .note = note),
			  &copied, &err) ||
	    zinc_hierarchy_open_url(&from, "v3.zarr", NULL, &err) ||
	    zinc_hierarchy_open_url(&to, "v2.zarr", NULL, &err) ||
	    zinc_diff(from, "/", to, "/", NULL, difference, NULL, &compared, &err))
		fprintf(stderr, "%s\n", zinc_error_text(&err));
	printf("copied %d array in %d chunks, format %s\n", (int)copied.arrays, (int)copied.objects,
	       to ? zinc_hierarchy_format(to) : "unknown");
	printf("compared %d elements, %d differ\n", (int)compared.elements, (int)compared.different);
	zinc_hierarchy_close(from);
	zinc_hierarchy_close(to);
	return zinc_error_status(&err) != ZINC_OK;
}
