/*
 * test_aws_config.c - files of profiles, by the promises of aws_config.c
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "net/aws_inside.h"
#include "support/aws_place.h"
#include "support/files.h"
#include "support/test.h"

typedef struct row {
	const char *text;
	bool credentials;
	zinc_aws_kind kind;
	const char *section, *name, *value; /* value NULL: it has none */
} row;

#define P ZINC_AWS_PROFILE

static void
settings(void **state)
{
	static const row rows[] = {
	    {"[default]\na=1\n", false, P, "default", "a", "1"},
	    {"[default]\na=1", false, P, "default", "a", "1"},
	    {"\xef\xbb\xbf[default]\r\nA = 1 \r\n", false, P, "default", "a", "1"},
	    {"# c\n; c\n\n[default] # c\na=1", false, P, "default", "a", "1"},
	    {"[default]\na=1 # not a comment", false, P, "default", "a", "1 # not a comment"},
	    {"[default]\na=1\na=2", false, P, "default", "a", "2"},
	    {"[default]\na=1\n[x]\n[default]\nb=2", false, P, "default", "a", "1"},
	    {"[default]\na=b=c", false, P, "default", "a", "b=c"},
	    {"[default]\na=", false, P, "default", "a", NULL},
	    {"[profile x]\na=1", false, P, "x", "a", "1"},
	    {"[ profile \t x ]\na=1", false, P, "x", "a", "1"},
	    {"[profile \"x y\"]\na=1", false, P, "x y", "a", "1"},
	    {"[profile 'x']\na=1", false, P, "x", "a", "1"},
	    {"[x]\na=1", false, P, "x", "a", NULL},
	    {"[profilex]\na=1", false, P, "x", "a", NULL},
	    {"[x]\na=1", true, P, "x", "a", "1"},
	    {"[profile x]\na=1", true, P, "x", "a", NULL},
	    {"[profile default]\na=1\n[default]\na=2", false, P, "default", "a", "1"},
	    {"[default]\na=2\n[profile default]\na=1", false, P, "default", "a", "1"},
	    {"[sso-session s]\na=1", false, ZINC_AWS_SSO_SESSION, "s", "a", "1"},
	    {"[sso-session s]\na=1", false, P, "s", "a", NULL},
	    {"[services s]\ns3 =\n  endpoint_url = u\n  other = o\nsts =\n\tendpoint_url=v", false, ZINC_AWS_SERVICES,
	     "s", "s3.endpoint_url", "u"},
	    {"[services s]\ns3 =\n  endpoint_url = u\n  other = o\nsts =\n\tendpoint_url=v", false, ZINC_AWS_SERVICES,
	     "s", "sts.endpoint_url", "v"},
	    {"[default]\n  a=1\n  b=2", false, P, "default", "b", "2"},
	    {"[default]\na=1\n  2\n  3", false, P, "default", "a", "1\n2\n3"},
	};
	zinc_error err = ZINC_ERROR_INIT;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		zinc_aws_profiles p = {NULL};
		zinc_secret *pool = NULL;
		const char *value;

		assert_ok(zinc_secret_new(&pool, NULL, ZINC_AWS_MAX_POOL, &err));
		assert_ok(
		    zinc_aws_profiles_parse(&p, pool, rows[i].text, strlen(rows[i].text), rows[i].credentials, &err));
		value = zinc_aws_profiles_get(&p, rows[i].kind, rows[i].section, rows[i].name);
		if (value && rows[i].value)
			assert_string_equal(value, rows[i].value);
		else if (value || rows[i].value)
			fail_msg("%s: %s", rows[i].text, value ? value : "(none)");
		assert_false(zinc_aws_profiles_has(&p, rows[i].kind, "other"));
		zinc_secret_free(pool);
	}
}

/* Promises 1 and 2. */
static void
malformed_lines(void **state)
{
	static const struct {
		const char *text, *where;
	} rows[] = {
	    {"canary\n", "line 1"},
	    {"canary=1\n", "line 1: a setting before"},
	    {"[default]\n\ncanary\n", "line 3"},
	    {"[default]\na b=canary\n", "line 2"},
	    {"[default]\n=canary\n", "line 2"},
	    {"[canary\n", "line 1: a section"},
	    {"[]\n", "line 1: a section"},
	    {"[a] canary\n", "line 1: a section"},
	    {"[default]\na=canary\x01\n", "line 2"},
	    {"[default]\na=\xff"
	     "canary\n",
	     "line 2"},
	    {"[default]\na=\n  canary\n", "line 3"},
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		zinc_error err = ZINC_ERROR_INIT;
		zinc_aws_profiles p = {NULL};
		zinc_secret *pool = NULL;

		assert_ok(zinc_secret_new(&pool, NULL, ZINC_AWS_MAX_POOL, &err));
		assert_int_equal(zinc_aws_profiles_parse(&p, pool, rows[i].text, strlen(rows[i].text), false, &err),
				 ZINC_E_INVALID);
		assert_non_null(strstr(err.text, rows[i].where));
		assert_null(strstr(err.text, "canary"));
		zinc_secret_free(pool);
	}
}

static void
long_files(void **state)
{
	const size_t n = 2 * (size_t)ZINC_MIB;
	char *text = (char *)malloc(n + 1);
	size_t i;

	(void)state;
	assert_non_null(text);
	aws_place();
	memset(text, '\n', n);
	text[n] = '\0';
	aws_write(".aws/config", text);
	assert_non_null(strstr(aws_look(NULL), "too long"));
	for (i = 0; i < n / 2; i += 2)
		memcpy(text + i, i ? "a=" : "[]", 2);
	memcpy(text, "[default]\n", 10);
	for (i = 10; i + 4 < (size_t)ZINC_MIB - 8; i += 4)
		memcpy(text + i, "a=1\n", 4);
	text[i] = '\0';
	aws_write(".aws/config", text);
	assert_non_null(strstr(aws_look(NULL), "too many settings"));
	free(text);
}

/* Promise 3, and files that are none. */
static void
two_files(void **state)
{
	(void)state;
	aws_place();
	aws_write("a", "[default]\naws_access_key_id = A\naws_secret_access_key = s\n");
	setenv("AWS_CONFIG_FILE", "~/a", 1);
	setenv("AWS_SHARED_CREDENTIALS_FILE", "~/b", 1);
	assert_string_equal(aws_look(NULL), "A/s/-");
	aws_write("b", "[default]\naws_access_key_id = B\naws_secret_access_key = t\n");
	assert_string_equal(aws_look(NULL), "B/t/-");
	aws_write("c/d", "x");
	setenv("AWS_CONFIG_FILE", "~/c", 1);
	assert_non_null(strstr(aws_look(NULL), "is not a regular file"));
	setenv("AWS_CONFIG_FILE", "~/c/d/e", 1);
	assert_string_equal(aws_look(NULL), "B/t/-");
	unsetenv("AWS_CONFIG_FILE");
	unsetenv("HOME");
	assert_string_equal(aws_look(NULL), "anonymous");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(settings),
	    cmocka_unit_test(malformed_lines),
	    cmocka_unit_test(long_files),
	    cmocka_unit_test(two_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
