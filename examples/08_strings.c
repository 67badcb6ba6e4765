/*
 * 08_strings.c - texts of any length: write them, read them back into an arena
 *
 * Elements of the types "string" and "bytes" are zinc_vlen in memory: a pointer and a length.  The bytes that are
 * read are in an arena, and stay valid until the arena is emptied or freed.
 */
#include <stdio.h>
#include <string.h>
#include <zinc.h>

enum { N = 4 };

static zinc_status
write_names(zinc_array *a, zinc_error *err)
{
	static const char *const names[N] = {"Zürich", "", "a name with\nnew line", "京都"};
	zinc_vlen texts[N];
	int i;

	for (i = 0; i < N; i++) {
		texts[i].data = names[i];
		texts[i].nbytes = strlen(names[i]); /* bytes of UTF-8, not characters */
	}
	/* A pointer to void: elements of the array's own type. */
	return zinc_array_write_text(a, NULL, ZINC_BUFFER((const void *)texts, sizeof texts), NULL, err);
}

static zinc_status
read_names(zinc_array *a, zinc_error *err)
{
	zinc_vlen texts[N];
	zinc_buffer b = ZINC_BUFFER_INIT(ZINC_NATIVE, texts, sizeof texts);
	zinc_arena *arena = NULL;
	zinc_status st = zinc_arena_new(&arena, NULL, 1 << 20, err); /* at most 1 MiB of text */
	int i;

	b.arena = arena;
	if (st == ZINC_OK)
		st = zinc_array_read_text(a, NULL, &b, NULL, err);
	for (i = 0; i < N && st == ZINC_OK; i++) /* no zero byte at the end: print by length */
		printf("%d bytes: %.*s\n", (int)texts[i].nbytes, (int)texts[i].nbytes, (const char *)texts[i].data);
	zinc_arena_free(arena);
	return st;
}

int
main(void)
{
	const uint64_t shape[] = {N};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_array *a = NULL;

	if (zinc_array_create_url(&a, "names.zarr", ZINC_ARRAY_OPTIONS(.ndim = 1, .shape = shape, .dtype = "string"),
				  NULL, &err) ||
	    write_names(a, &err) || read_names(a, &err))
		fprintf(stderr, "%s\n", zinc_error_text(&err));
	zinc_array_close(a);
	return zinc_error_status(&err) != ZINC_OK;
}
