/*
 * 15_stats_validate.c - statistics of an array, and a check of everything that is stored
 *
 * The same as `zinc stats` and `zinc validate`.  Both read in bounded memory, however large the array is.
 */
#include <stdio.h>
#include <zinc.h>
#include <zinc/tool.h>

static int
finding(void *arg, const zinc_finding *f)
{
	(void)arg;
	printf("  %s %s %s: %s\n", f->level == ZINC_LEVEL_ERROR ? "error" : "note", f->rule, f->key, f->message);
	return 0;
}

static zinc_status
check(zinc_error *err)
{
	zinc_validate_counts counts = ZINC_VALIDATE_COUNTS_INIT;
	zinc_status st = zinc_validate("checked.zarr", NULL, finding, NULL, &counts, err);

	if (st == ZINC_OK) /* the check was done, whatever its findings */
		printf("%d chunks checked, %d errors\n", (int)counts.objects, (int)counts.errors);
	return st;
}

/* Two bytes of a chunk are overwritten. */
static int
damage(const char *path)
{
	FILE *f = fopen(path, "r+");

	return f && fseek(f, 20, SEEK_SET) == 0 && fputs("XX", f) >= 0 && fclose(f) == 0;
}

int
main(void)
{
	const uint64_t shape[] = {1000}, chunks[] = {250};
	zinc_stats s = ZINC_STATS_INIT;
	zinc_error err = ZINC_ERROR_INIT;
	zinc_array *a = NULL;
	int32_t squares[1000];
	int i;

	for (i = 0; i < 1000; i++)
		squares[i] = i * i;
	/* A checksum and no compression, so that the same bytes are damaged everywhere. */
	if (zinc_array_create_url(
		&a, "checked.zarr",
		ZINC_ARRAY_OPTIONS(.ndim = 1, .shape = shape, .chunks = chunks, .dtype = "int32", .codecs = "crc32c"),
		NULL, &err) ||
	    zinc_array_write_text(a, NULL, ZINC_BUFFER(squares, sizeof squares), NULL, &err) ||
	    zinc_array_stats(a, NULL, NULL, &s, &err) || check(&err))
		fprintf(stderr, "%s\n", zinc_error_text(&err));
	printf("min %d, max %d, mean %g, sum %s\n", (int)s.min.i, (int)s.max.i, s.mean, s.sum);
	if (!damage("checked.zarr/c/2") || check(&err))
		fprintf(stderr, "%s\n", zinc_error_text(&err));
	zinc_array_close(a);
	return zinc_error_status(&err) != ZINC_OK;
}
