/*
 * test_store_module.c - an external module: found by its scheme, checked by the conformance suite
 *
 * Unlike unit tests this program uses the shared library, because only that loads modules.
 */
#include <stdio.h>
#include <unistd.h>

#include "support/conform_store.h"
#include "support/gets.h"
#include "support/test.h"

static void
make(void *arg, conform_subject *out)
{
	static int number;
	zinc_error err = ZINC_ERROR_INIT;
	char url[4200], cwd[4096];

	(void)arg;
	assert_non_null(getcwd(cwd, sizeof cwd));
	snprintf(url, sizeof url, "tiny://%s/%d.tiny", cwd, ++number);
	assert_ok(zinc_store_open(&out->store, url, NULL, &err));
	out->fill = out->store;
}

static void
paths_and_settings(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s = NULL;

	(void)state;
	assert_ok(zinc_store_open(&s, "tiny://a%20b.tiny/in/side?most=1", NULL, &err));
	put_text(s, "k", "v");
	zinc_store_close(s);
	s = NULL;
	assert_ok(zinc_store_open(&s, "tiny://a%20b.tiny", NULL, &err));
	assert_text(s, "in/side/k", "v");
	zinc_store_close(s);
	s = NULL;
	assert_int_equal(zinc_store_open(&s, "tiny://x.tiny?mots=1", NULL, &err), ZINC_E_INVALID);
	assert_non_null(strstr(err.text, "tiny.most"));
	assert_int_equal(zinc_store_open(&s, "nosuchmodule://x", NULL, &err), ZINC_E_INVALID);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(paths_and_settings)};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	return failed + conform_store_run("a module's", make, NULL);
}
