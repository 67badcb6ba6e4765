/*
 * test_metadata_encoding.c - documents that are not JSON: a program's encoding, registered and called
 */
#include <stdlib.h>
#include <string.h>

#include "format/extensions.h"
#include "support/sweep.h"
#include "support/test.h"

static enum { WELL, LYING, SILENT, GREEDY } manners;
static int calls;

/* Every byte with its bits inverted, so that it is certainly not JSON. */
static zinc_status
turn(const void *in, size_t nin, void *out, size_t *nout, zinc_error *err)
{
	const uint8_t *from = in;
	size_t i;

	calls++;
	if (manners == SILENT)
		return ZINC_E_CORRUPT;
	if (nin > *nout || manners == GREEDY) {
		*nout = manners == GREEDY ? 2 * *nout : nin;
		return zinc_error_set(err, ZINC_E_LIMIT, "more room is needed");
	}
	for (i = 0; i < nin; i++)
		((uint8_t *)out)[i] = (uint8_t)~from[i];
	*nout = manners == LYING ? *nout + 1 : nin;
	return ZINC_OK;
}

static zinc_status
encode(const char *json, size_t njson, void *out, size_t *nout, zinc_error *err)
{
	return turn(json, njson, out, nout, err);
}

static zinc_status
decode(const void *in, size_t nin, char *out, size_t *nout, zinc_error *err)
{
	return turn(in, nin, out, nout, err);
}

static const char *const uris[] = {"https://example.org/turned/1.0", NULL};
static const zinc_metadata_encoding_def turned = {.size = sizeof turned,
						  .name = "turned",
						  .uris = uris,
						  .purpose = "bits turned",
						  .suffix = ".turned",
						  .encode = encode,
						  .decode = decode};

/* n bytes of text there and back. */
static zinc_status
there_and_back(void *arg, zinc_context *ctx, zinc_error *err)
{
	const zinc_metadata_encoding_def *def = zinc_metadata_encoding_named("turned");
	const zinc_buf *json = arg;
	zinc_buf stored, back;
	zinc_status st;

	zinc_buf_init(&stored, ctx, ZINC_MIB);
	zinc_buf_init(&back, ctx, ZINC_MIB);
	st = zinc_metadata_encode(def, (zinc_bytes){json->p, json->n}, &stored, err);
	if (st == ZINC_OK)
		st = zinc_metadata_decode(def, (zinc_bytes){stored.p, stored.n}, &back, err);
	if (st == ZINC_OK) {
		assert_int_equal(back.n, json->n);
		assert_memory_equal(back.p, json->p, json->n);
		assert_true(json->n == 0 || stored.p[0] != json->p[0]);
	}
	zinc_buf_fini(&stored);
	zinc_buf_fini(&back);
	return st;
}

static void
documents_of_any_size(void **state)
{
	static const size_t sizes[] = {0, 1, 4095, 4096, 4097, 100000, ZINC_MIB};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_buf json;
	size_t i;

	(void)state;
	zinc_buf_init(&json, NULL, 2 * ZINC_MIB);
	assert_ok(zinc_buf_reserve(&json, 2 * ZINC_MIB, &err));
	memset(json.p, '{', 2 * ZINC_MIB);
	for (i = 0; i < COUNT(sizes); i++) {
		json.n = sizes[i];
		calls = 0;
		assert_ok(there_and_back(&json, NULL, &err));
		assert_int_equal(calls, sizes[i] > 4096 ? 4 : 2);
	}
	json.n = ZINC_MIB + 1; /* more than the maximum of the buffer */
	assert_int_equal(there_and_back(&json, NULL, &err), ZINC_E_LIMIT);
	json.n = 5000;
	assert_true(sweep_alloc(there_and_back, &json) > 2);
	zinc_buf_fini(&json);
}

static void
misbehaviour(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_buf out;

	(void)state;
	zinc_buf_init(&out, NULL, ZINC_MIB);
	manners = LYING;
	assert_int_equal(zinc_metadata_decode(zinc_metadata_encoding_named("turned"),
					      (zinc_bytes){(const uint8_t *)"a", 1}, &out, &err),
			 ZINC_E_INVALID);
	assert_non_null(strstr(err.text, "\"turned\""));
	manners = SILENT;
	assert_int_equal(zinc_metadata_decode(zinc_metadata_encoding_named("turned"),
					      (zinc_bytes){(const uint8_t *)"a", 1}, &out, &err),
			 ZINC_E_CORRUPT);
	assert_non_null(strstr(err.text, "\"turned\""));
	manners = GREEDY; /* never content: no endless loop */
	assert_int_equal(zinc_metadata_decode(zinc_metadata_encoding_named("turned"),
					      (zinc_bytes){(const uint8_t *)"a", 1}, &out, &err),
			 ZINC_E_LIMIT);
	manners = WELL;
	assert_int_equal(out.n, 0);
	zinc_buf_fini(&out);
}

static int
count(void *arg, const char *name, const char *also, const char *purpose)
{
	assert_true(name && also && purpose);
	++*(int *)arg;
	return 0;
}

static void
registration(void **state)
{
	zinc_metadata_encoding_def d = turned;
	zinc_error err = ZINC_ERROR_INIT;
	zinc_uri_match match;
	int n = 0;

	(void)state;
	assert_int_equal(zinc_register_metadata_encoding(NULL, &err), ZINC_E_INVALID);
	assert_int_equal(zinc_register_metadata_encoding(&d, &err), ZINC_E_EXISTS);
	d.name = "json";
	assert_int_equal(zinc_register_metadata_encoding(&d, &err), ZINC_E_EXISTS);
	d.uris = NULL;
	assert_int_equal(zinc_register_metadata_encoding(&d, &err), ZINC_E_INVALID);
	assert_string_equal(zinc_metadata_encoding_find("http://example.org/turned/1.2", "turned", &match)->name,
			    "turned");
	assert_int_equal(match, ZINC_URI_MINOR);
	assert_non_null(zinc_metadata_encoding_find(uris[0], NULL, &match)); /* 2020 has no type */
	assert_null(zinc_metadata_encoding_find(uris[0], "other", &match));
	assert_null(zinc_metadata_encoding_find("https://example.org/turned/2.0", "turned", &match));
	assert_int_equal(match, ZINC_URI_MAJOR);
	assert_null(zinc_metadata_encoding_named("other"));
	zinc_list_metadata_encodings(count, &n);
	assert_int_equal(n, 2);
}

static int
setup(void **state)
{
	(void)state;
	return zinc_register_metadata_encoding(&turned, NULL) != ZINC_OK;
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(documents_of_any_size),
	    cmocka_unit_test(misbehaviour),
	    cmocka_unit_test(registration),
	};

	return cmocka_run_group_tests(tests, setup, NULL);
}
