/*
 * test_unverified.c - parts of chunks whose checksum is at the end
 *
 * (1) Unless the caller waives it, a frame with a checksum is decoded to its end, and a damaged end is found.
 * (2) If the caller does, only the needed part of a gzip or zstd frame is fetched and decoded.
 * (3) The codec crc32c is always verified.
 * (4) A chunk that is decoded whole is still verified.
 */
#include <string.h>

#include "support/arrays.h"
#include "support/random.h"
#include "support/test.h"

enum { ROWS = 1000, COLS = 1000, TENTH = ROWS / 10 };

static uint16_t v[ROWS * COLS], part[TENTH * COLS];

/* One chunk of numbers that do not compress well, with its last byte turned round. */
static zinc_array *
damaged(stage *s, const char *codecs, uint64_t *nbytes)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_blob b = ZINC_BLOB_INIT;
	zinc_array *a;
	size_t i;

	stage_open(s, 2, 0);
	a = stage_array(s, "a", ROWS, COLS, ROWS, COLS, 0, 0, codecs);
	for (i = 0; i < COUNT(v); i++)
		v[i] = (uint16_t)(random_bits() >> 52);
	assert_ok(zinc_array_write(a, NULL, ZINC_BUFFER(v, sizeof v), NULL, &err));
	assert_ok(zinc_store_get_all(s->memory, "a/c/0/0", &b, NULL, 0, NULL, &err));
	*nbytes = b.nbytes;
	((uint8_t *)b.data)[b.nbytes - 6] ^= 0xff;
	assert_ok(zinc_store_put(s->memory, NULL, "a/c/0/0", b.data, b.nbytes, NULL, 0, NULL, NULL, &err));
	zinc_blob_fini(&b);
	return a;
}

static zinc_status
read_tenth(zinc_array *a, int unverified)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_selection *sel = NULL;
	zinc_status st;

	assert_ok(zinc_selection_parse(&sel, a, "0:100", &err));
	memset(part, 0xee, sizeof part);
	st = zinc_array_read(a, sel, ZINC_BUFFER(part, sizeof part), ZINC_IO_OPTIONS(.unverified = unverified), &err);
	zinc_selection_free(sel);
	return st;
}

static void
frames(void **state)
{
	static const char *const codecs[] = {
	    "gzip:1",
	    "[{\"name\":\"bytes\",\"configuration\":{\"endian\":\"little\"}},"
	    "{\"name\":\"zstd\",\"configuration\":{\"level\":1,\"checksum\":true}}]",
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(codecs); i++) {
		zinc_error err = ZINC_ERROR_INIT;
		zinc_array *a;
		uint64_t nbytes;
		stage s;

		a = damaged(&s, codecs[i], &nbytes);
		assert_int_not_equal(read_tenth(a, 0), ZINC_OK); /* (1) */
		(void)stage_counts(&s);
		assert_int_equal(read_tenth(a, 1), ZINC_OK); /* (2) */
		assert_memory_equal(part, v, sizeof part);
		assert_true(stage_counts(&s).get_bytes < nbytes / 3);
		assert_int_not_equal(
		    zinc_array_read(a, NULL, ZINC_BUFFER(v, sizeof v), ZINC_IO_OPTIONS(.unverified = 1), &err),
		    ZINC_OK); /* (4) */
		zinc_array_close(a);
		stage_close(&s);
	}
}

/* (3) */
static void
crc32c(void **state)
{
	zinc_array *a;
	uint64_t nbytes;
	stage s;

	(void)state;
	a = damaged(&s, "zstd:1+crc32c", &nbytes);
	assert_int_equal(read_tenth(a, 1), ZINC_E_CHECKSUM);
	zinc_array_close(a);
	stage_close(&s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(frames),
	    cmocka_unit_test(crc32c),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
