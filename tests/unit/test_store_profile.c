/*
 * test_store_profile.c - the file of profiles, by the promises of store_profile.c
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "store/store_setting.h"
#include "support/files.h"
#include "support/sweep.h"
#include "support/test.h"

static char seen[512];

static zinc_status
note(void *arg, zinc_bytes name, zinc_bytes value, int line, zinc_error *err)
{
	const size_t n = strlen(seen);

	(void)arg, (void)err;
	snprintf(seen + n, sizeof seen - n, "%d:%.*s=%.*s|", line, (int)name.n, (const char *)name.p, (int)value.n,
		 (const char *)value.p);
	return ZINC_OK;
}

static zinc_status
parse(const char *text, const char *section, bool *found, zinc_error *err)
{
	seen[0] = '\0';
	return zinc_profile_parse((zinc_bytes){(const uint8_t *)text, strlen(text)}, section, note, NULL, found, err);
}

/* ---- promise 1 ---- */

static void
sections_and_pairs(void **state)
{
	static const char text[] = "# c\n; c\n\n[a]\nx.y = 1 = 2 \n\tz-1=\r\n[b]\nx.y=3";
	zinc_error err = ZINC_ERROR_INIT;
	bool found;

	(void)state;
	assert_ok(parse(text, "a", &found, &err));
	assert_true(found);
	assert_string_equal(seen, "5:x.y=1 = 2|6:z-1=|");
	assert_ok(parse(text, "b", &found, &err));
	assert_string_equal(seen, "8:x.y=3|");
	assert_ok(parse(text, "c", &found, &err));
	assert_false(found);
	assert_string_equal(seen, "");
}

/* ---- promises 1 and 2 ---- */

static void
bad_lines_are_named_and_not_shown(void **state)
{
	static const char *const rows[] = {"[a]\nhush",       "x=hush\n",        "[a\nx=hush",
					   "[]\nhush=1",      "[a]\nhu sh=1",    "[a]\n=hush",
					   "[a]\nx=hush\x01", "[a]\nx=hush\xff", "[a]\nx=1\n[a]\nx=hush",
					   "[b]\n[hush!]"};
	static const int lines[] = {2, 1, 1, 1, 2, 2, 2, 2, 3, 2};
	char want[32];
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		zinc_error err = ZINC_ERROR_INIT;
		bool found;

		assert_int_equal(parse(rows[i], "a", &found, &err), ZINC_E_INVALID);
		assert_null(strstr(err.text, "hush"));
		snprintf(want, sizeof want, "line %d:", lines[i]);
		assert_non_null(strstr(err.text, want));
	}
}

/* ---- promise 3: the file ---- */

static int warnings;

static void
count_warning(void *arg, const char *where, const char *text)
{
	(void)arg, (void)where;
	assert_non_null(strstr(text, "chmod 600"));
	warnings++;
}

static void
the_file_is_found_and_looked_at(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_context *ctx = NULL;

	(void)state;
	assert_ok(zinc_context_new(&ctx, ZINC_CONTEXT_OPTIONS(.warn = count_warning), &err));
	write_file("home/.config/zinc/profiles", "[lab]\nx.y = 1\n");
	assert_int_equal(chmod("home/.config/zinc/profiles", 0600), 0);
	setenv("HOME", "home", 1);
	unsetenv("ZINC_PROFILES");
	seen[0] = '\0';
	assert_ok(zinc_profile_read(ctx, "lab", note, NULL, &err));
	assert_string_equal(seen, "2:x.y=1|");
	assert_int_equal(warnings, 0);
	assert_int_equal(chmod("home/.config/zinc/profiles", 0640), 0);
	assert_ok(zinc_profile_read(ctx, "lab", note, NULL, &err));
	assert_int_equal(warnings, 1);
	assert_int_equal(zinc_profile_read(ctx, "other", note, NULL, &err), ZINC_E_INVALID);
	setenv("ZINC_PROFILES", "none", 1);
	assert_int_equal(zinc_profile_read(ctx, "lab", note, NULL, &err), ZINC_E_NOTFOUND);
	setenv("ZINC_PROFILES", ".", 1);
	assert_int_equal(zinc_profile_read(ctx, "lab", note, NULL, &err), ZINC_E_INVALID);
	setenv("ZINC_PROFILES", "", 1);
	unsetenv("HOME");
	assert_int_equal(zinc_profile_read(ctx, "lab", note, NULL, &err), ZINC_E_NOTFOUND);
	zinc_context_free(ctx);
}

static zinc_status
read_lab(void *arg, zinc_context *ctx, zinc_error *err)
{
	(void)arg;
	seen[0] = '\0';
	return zinc_profile_read(ctx, "lab", note, NULL, err);
}

static void
every_failing_call(void **state)
{
	(void)state;
	write_file("p", "[lab]\nx.y = 1\n");
	assert_int_equal(chmod("p", 0600), 0);
	setenv("ZINC_PROFILES", "p", 1);
	assert_true(sweep_alloc(read_lab, NULL) > 1);
	assert_true(sweep_os(read_lab, NULL, 13, 24, 0) > 3); /* EACCES, EMFILE */
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(sections_and_pairs),
	    cmocka_unit_test(bad_lines_are_named_and_not_shown),
	    cmocka_unit_test(the_file_is_found_and_looked_at),
	    cmocka_unit_test(every_failing_call),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
