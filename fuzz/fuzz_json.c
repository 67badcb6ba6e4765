/*
 * fuzz_json.c - any bytes as a JSON document
 *
 * (1) A refused document is E_CORRUPT or E_LIMIT, with a text.
 * (2) A document that is accepted strictly is accepted leniently, as the same value unless it has NaN tokens or
 *     duplicates, which strict reading refuses.
 * (3) Printed in either form and parsed again, it is equal and prints the same.
 * (4) A copy is equal.
 */
#include "json/json.h"
#include "fuzz.h"

/* (3) */
static void
print_and_parse(const zinc_json *v, bool pretty)
{
	zinc_status (*print)(const zinc_json *, zinc_buf *, zinc_error *) =
	    pretty ? zinc_json_print : zinc_json_print_line;
	zinc_json_doc *back = NULL;
	zinc_buf a, b;

	zinc_buf_init(&a, NULL, 64u << 20);
	zinc_buf_init(&b, NULL, 64u << 20);
	insist(print(v, &a, NULL) == ZINC_OK);
	insist(zinc_json_parse(&back, NULL, (const char *)a.p, a.n, ZINC_JSON_NAN_TOKENS, NULL) == ZINC_OK);
	insist(zinc_json_equal(v, zinc_json_root(back)) && zinc_json_equal(zinc_json_root(back), v));
	insist(print(zinc_json_root(back), &b, NULL) == ZINC_OK);
	insist(a.n == b.n && memcmp(a.p, b.p, a.n) == 0);
	zinc_json_free(back);
	zinc_buf_fini(&a);
	zinc_buf_fini(&b);
}

/* (4) */
static void
copy(const zinc_json *v)
{
	zinc_json_doc *doc = NULL;

	insist(zinc_json_new(&doc, NULL, NULL) == ZINC_OK);
	insist(zinc_json_equal(zinc_json_copy(doc, v), v));
	zinc_json_free(doc);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	zinc_json_doc *strict = NULL, *lenient = NULL;
	zinc_error err = ZINC_ERROR_INIT;
	zinc_status a = zinc_json_parse(&strict, NULL, (const char *)data, size, 0, &err), b;

	insist(a == ZINC_OK || ((a == ZINC_E_CORRUPT || a == ZINC_E_LIMIT) && err.text[0])); /* (1) */
	b = zinc_json_parse(&lenient, NULL, (const char *)data, size, ZINC_JSON_NAN_TOKENS | ZINC_JSON_DUPLICATES,
			    NULL);
	if (a == ZINC_OK) { /* (2) */
		insist(b == ZINC_OK && !zinc_json_duplicate(lenient));
		insist(zinc_json_equal(zinc_json_root(strict), zinc_json_root(lenient)));
	}
	if (b == ZINC_OK) {
		print_and_parse(zinc_json_root(lenient), true);
		print_and_parse(zinc_json_root(lenient), false);
		copy(zinc_json_root(lenient));
	}
	zinc_json_free(strict);
	zinc_json_free(lenient);
	return 0;
}
