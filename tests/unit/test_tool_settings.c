/*
 * test_tool_settings.c - settings in the options of copies and checks reach every store that they open
 */
#include <stdio.h>
#include <string.h>
#include <zinc/tool.h>

#include "base/base.h"
#include "support/test.h"

/* "told://name" is "memory://name", and records its settings. */
static const zinc_setting_row rows[] = {{.name = "word", .preset = "nothing"}, {.name = NULL}};
static char heard[256];

static zinc_status
told_open(void **self, const char *rest, const zinc_store_options *options, zinc_error *err)
{
	char url[64];
	const size_t n = strlen(heard);

	snprintf(heard + n, sizeof heard - n, "%s=%s ", rest, zinc_setting_text(options, "word"));
	snprintf(url, sizeof url, "memory://%s", rest);
	return zinc_store_open((zinc_store **)self, url, ZINC_STORE_OPTIONS(.context = options->context), err);
}

static void
told_close(void *self)
{
	zinc_store_close(self);
}

static void
told_caps(void *self, zinc_caps *out)
{
	zinc_store_caps(self, out);
}

static zinc_status
told_get(void *self, const zinc_get *requests, size_t n, const zinc_sink *sink, const zinc_wait *wait, zinc_error *err)
{
	return zinc_store_get(self, requests, n, sink, wait, err);
}

static zinc_store *
told_forwards(void *self)
{
	return self;
}

static const zinc_store_ops told = {.size = sizeof told,
				    .name = "told",
				    .schemes = "told",
				    .settings = rows,
				    .open = told_open,
				    .close = told_close,
				    .caps = told_caps,
				    .get = told_get,
				    .forwards = told_forwards};

static const zinc_setting given[] = {{"told.word", "please"}, {"http.timeout", "5"}};

static const char *
listen(void)
{
	static char was[sizeof heard];

	memcpy(was, heard, sizeof was);
	heard[0] = '\0';
	return was;
}

static void
a_check_tells_its_store(void **state)
{
	const zinc_validate_options o = {.size = sizeof o, .settings = given, .nsettings = 2};
	zinc_error err = ZINC_ERROR_INIT;

	(void)state;
	assert_ok(zinc_validate("told://a", NULL, NULL, NULL, NULL, &err));
	assert_string_equal(listen(), "a=nothing ");
	assert_ok(zinc_validate("told://a", &o, NULL, NULL, NULL, &err));
	assert_string_equal(listen(), "a=please ");
	/* Where no document is the store is opened once more. */
	assert_int_equal(zinc_validate("told://empty", &o, NULL, NULL, NULL, &err), ZINC_E_NOTFOUND);
	assert_string_equal(listen(), "empty=please empty=please ");
}

static void
a_copy_tells_both_stores(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	const char *was;

	(void)state;
	assert_ok(
	    zinc_copy_url("told://a", "told://b", ZINC_COPY_OPTIONS(.settings = given, .nsettings = 2), NULL, &err));
	was = listen();
	assert_non_null(strstr(was, "a=please "));
	assert_non_null(strstr(was, "b=please "));
	assert_null(strstr(was, "nothing"));
}

static void
settings_that_nobody_knows_are_refused(void **state)
{
	static const zinc_setting odd[] = {{"told.wrd", "1"}};
	zinc_error err = ZINC_ERROR_INIT;

	(void)state;
	assert_int_equal(
	    zinc_validate("told://a", ZINC_VALIDATE_OPTIONS(.settings = odd, .nsettings = 1), NULL, NULL, NULL, &err),
	    ZINC_E_INVALID);
	assert_int_equal(
	    zinc_copy_url("told://a", "told://c", ZINC_COPY_OPTIONS(.settings = odd, .nsettings = 1), NULL, &err),
	    ZINC_E_INVALID);
	assert_int_equal(
	    zinc_copy_url("told://a", "told://c", ZINC_COPY_OPTIONS(.settings = NULL, .nsettings = 1), NULL, &err),
	    ZINC_E_INVALID);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_check_tells_its_store),
	    cmocka_unit_test(a_copy_tells_both_stores),
	    cmocka_unit_test(settings_that_nobody_knows_are_refused),
	};
	zinc_store *kept[2] = {NULL, NULL}; /* a store in memory lives while it is open */
	int failed;

	if (zinc_store_register(&told, NULL) != ZINC_OK ||
	    zinc_store_open(&kept[0], "memory://a", NULL, NULL) != ZINC_OK ||
	    zinc_store_open(&kept[1], "memory://b", NULL, NULL) != ZINC_OK ||
	    zinc_group_create_url("memory://a", NULL, 0, NULL, NULL) != ZINC_OK)
		return 1;
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	zinc_store_close(kept[0]);
	zinc_store_close(kept[1]);
	return failed;
}
