/*
 * test_azure_sign.c - signatures with the key of an account, by the promises of azure_sign.c
 */
#include <stdio.h>
#include <string.h>

#include "net/azure_inside.h"
#include "support/test.h"

/* Each was made by azure-storage-blob 12.31 (SharedKeyCredentialPolicy), with the key of the emulator. */
static const struct vector {
	const char *method, *url, *headers; /* "Name: value\n" ... */
	uint64_t nbytes;
	const char *want;
} vectors[] = {
#include "support/azure_vectors.h"
};

static void
add_headers(zinc_http_request *r, const char *lines)
{
	zinc_error err = ZINC_ERROR_INIT;
	char name[128], value[256];

	for (; *lines; lines = strchr(lines, '\n') + 1) {
		assert_int_equal(sscanf(lines, "%127[^:]: %255[^\n]", name, value), 2);
		assert_ok(zinc_http_header(r, name, value, &err));
	}
}

static zinc_status
sign(const struct vector *v, zinc_buf *out, zinc_error *err)
{
	zinc_http_request r = {.method = v->method, .nbytes = v->nbytes};
	uint8_t key[128];
	zinc_status st;
	size_t nkey;

	assert_true(
	    zinc_base64_decode(zinc_azure_emulator_key, strlen(zinc_azure_emulator_key), key, sizeof key, &nkey));
	zinc_buf_init(&r.headers, zinc_context_get(NULL), ZINC_MIB);
	add_headers(&r, v->headers);
	zinc_buf_init(out, zinc_context_get(NULL), ZINC_MIB);
	st = zinc_azure_authorize(out, &r, v->url, zinc_azure_emulator_account, key, nkey, err);
	zinc_buf_fini(&r.headers);
	return st;
}

/* (1) */
static void
as_microsoft_signs(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	char want[256];
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(vectors); i++) {
		zinc_buf out;

		assert_ok(sign(&vectors[i], &out, &err));
		snprintf(want, sizeof want, "SharedKey devstoreaccount1:%s", vectors[i].want);
		assert_string_equal(zinc_buf_text(&out), want);
		zinc_buf_fini(&out);
	}
}

/* (3) */
static void
other_urls_are_refused(void **state)
{
	static const char *const bad[] = {
	    "", "nothing", "https://u:p@h/x", "https://h/a b", "https://h/#x", "https://h/\tx", "https://u@h?x"};
	zinc_error err = ZINC_ERROR_INIT;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(bad); i++) {
		struct vector v = {"GET", bad[i], "", 0, ""};
		zinc_buf out;

		assert_int_equal(sign(&v, &out, &err), ZINC_E_INVALID);
		assert_null(strstr(err.text, "Eby8")); /* (2) */
		zinc_buf_fini(&out);
	}
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(as_microsoft_signs),
	    cmocka_unit_test(other_urls_are_refused),
	};

	if (!ZINC_WITH_CRYPTO)
		return 77;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
