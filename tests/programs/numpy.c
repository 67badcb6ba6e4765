/*
 * numpy.c - elements of NumPy's types, and of any length
 */
#include "every_call.h"

static zinc_array *
make(const char *url, const char *name, const char *dtype)
{
	static const uint64_t shape[] = {4};
	zinc_array_options options = ZINC_ARRAY_OPTIONS_INIT;
	zinc_error err = ZINC_ERROR_INIT;
	zinc_array *a = NULL;
	char at[4200];

	snprintf(at, sizeof at, "%s/numpy.zarr/%s", url, name);
	options.ndim = 1;
	options.shape = shape;
	options.dtype = dtype;
	OK(zinc_array_create_url(&a, at, &options, NULL, &err));
	return a;
}

static void
use_numbers(const char *url)
{
	static const uint8_t big[8] = {0, 1, 0, 2, 1, 0, 0, 0}; /* '>i2': 1, 2, 256, 0 */
	zinc_array *a = make(url, "n", "int32");
	zinc_error err = ZINC_ERROR_INIT;
	zinc_numpy *type = NULL;
	int32_t own[4];
	uint8_t back[8];
	char text[32];

	CHECK(zinc_array_numpy(a, text, sizeof text) == 5);
	TEXT_IS(text, "'<i4'");
	OK(zinc_numpy_new(&type, NULL, ">i2", &err));
	CHECK(zinc_numpy_size(type) == 2);
	OK(zinc_array_from_numpy(a, type, own, big, 4, 0, NULL, &err));
	CHECK(own[0] == 1 && own[1] == 2 && own[2] == 256 && own[3] == 0);
	OK(zinc_array_to_numpy(a, type, back, own, 4, 0, &err));
	CHECK(memcmp(back, big, sizeof big) == 0);
	own[3] = 70000;
	GIVES(ZINC_E_RANGE, zinc_array_to_numpy(a, type, back, own, 4, 0, &err));
	zinc_numpy_free(type);
	GIVES(ZINC_E_UNSUPPORTED, zinc_numpy_new(&type, NULL, "|O", &err));
	zinc_array_close(a);
}

/* Bytes of any length: those of NumPy have one length, and elements that are read are in an arena. */
static void
use_bytes(const char *url)
{
	static const char fixed[] = "a\0\0bcdef\0\0\0"; /* '|S3' */
	zinc_array *a = make(url, "t", "bytes");
	zinc_error err = ZINC_ERROR_INIT;
	zinc_arena *arena = NULL;
	zinc_numpy *type = NULL;
	zinc_vlen own[4];
	zinc_buffer to = ZINC_BUFFER_INIT(ZINC_NATIVE, own, sizeof own);

	CHECK(zinc_array_variable(a) && zinc_array_type(a) == ZINC_NATIVE);
	OK(zinc_arena_new(&arena, NULL, 1 << 20, &err));
	OK(zinc_numpy_new(&type, NULL, "|S3", &err));
	OK(zinc_array_from_numpy(a, type, own, fixed, 4, 0, arena, &err));
	CHECK(own[1].nbytes == 3 && memcmp(own[1].data, "bcd", 3) == 0);
	OK(zinc_array_write_text(a, NULL, &to, NULL, &err));
	zinc_arena_empty(arena);
	memset(own, 0, sizeof own);
	to.arena = arena;
	OK(zinc_array_read_text(a, NULL, &to, NULL, &err));
	CHECK(own[0].nbytes == 1 && own[2].nbytes == 2 && own[3].nbytes == 0 && memcmp(own[2].data, "ef", 2) == 0);
	zinc_numpy_free(type);
	zinc_arena_free(arena);
	zinc_array_close(a);
}

void
call_numpy(const char *url)
{
	use_numbers(url);
	use_bytes(url);
}
