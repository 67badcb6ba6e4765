/*
 * test_aws_process.c - credentials that a command prints, by the promises of aws_process.c
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "net/aws_inside.h"
#include "support/aws_place.h"
#include "support/files.h"
#include "support/sweep.h"
#include "support/test.h"

/* The words, each in brackets, or "!".  In static memory. */
static const char *
split(const char *command)
{
	static char out[512];
	zinc_error err = ZINC_ERROR_INIT;
	zinc_secret *pool = NULL;
	char **words;
	size_t n = 0;

	assert_ok(zinc_secret_new(&pool, NULL, 1 << 20, &err));
	if (zinc_aws_split(pool, command, &words, &err) != ZINC_OK) {
		assert_int_equal(err.code, ZINC_E_INVALID);
		snprintf(out, sizeof out, "!");
	} else {
		for (out[0] = '\0'; *words; words++)
			n += (size_t)snprintf(out + n, sizeof out - n, "[%s]", *words);
	}
	zinc_secret_free(pool);
	return out;
}

/* Promise 1. */
static void
words(void **state)
{
	static const struct {
		const char *command, *words;
	} rows[] = {
	    {"a", "[a]"},
	    {" a  b\tc\n", "[a][b][c]"},
	    {"a 'b c' \"d e\"", "[a][b c][d e]"},
	    {"a'b'\"c\"d", "[abcd]"},
	    {"a '' \"\"", "[a][][]"},
	    {"a b\\ c \\' \\\\", "[a][b c]['][\\]"},
	    {"a \"b\\\"c\\\\d\\e\"", "[a][b\"c\\d\\e]"},
	    {"a '\\'", "[a][\\]"},
	    {"a $HOME `id` $(id) ; b | c && d > e * ~ #f",
	     "[a][$HOME][`id`][$(id)][;][b][|][c][&&][d][>][e][*][~][#f]"},
	    {"", "!"},
	    {"  ", "!"},
	    {"a 'b", "!"},
	    {"a \"b", "!"},
	    {"a \\", "!"},
	    {"\"a\\", "!"},
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++)
		assert_string_equal(split(rows[i].command), rows[i].words);
}

/* A profile whose command is a script below HOME. */
static const char *
run(const char *script)
{
	char text[8192];

	aws_place();
	snprintf(text, sizeof text, "#!/bin/sh\n%s\n", script);
	aws_write("bin/run it", text);
	assert_int_equal(chmod("home/bin/run it", 0700), 0);
	aws_write(".aws/config", "[default]\ncredential_process = 'home/bin/run it' 'an argument' $HOME\n");
	return aws_look(NULL);
}

static void
expect(const char *script, const char *want)
{
	const char *got = run(script);

	if (!strstr(got, want) || (strstr(got, "canary") && !strstr(want, "canary")))
		fail_msg("%s: %s", script, got);
}

#define KEYS "\"AccessKeyId\": \"AKIDPROC\", \"SecretAccessKey\": \"canary-proc\""

static void
commands(void **state)
{
	(void)state;
	expect("echo '{\"Version\": 1, " KEYS "}'", "AKIDPROC/canary-proc/-");
	expect("echo '{\"Version\": 1, " KEYS ", \"SessionToken\": \"canary-tok\", \"Expiration\": "
	       "\"2999-01-01T00:00:00Z\"}'",
	       "AKIDPROC/canary-proc/canary-tok");
	expect("echo '{\"Version\": 1, " KEYS ", \"Expiration\": \"2001-01-01T00:00:00Z\"}'", "already expired");
	expect("echo '{\"Version\": 2, " KEYS "}'",
	       "credentials from profile default (credential_process): the document is "
	       "not of version 1");
	expect("echo canary", "not JSON");
	expect("true", "not JSON");
	expect("echo '{\"Version\": 1, " KEYS "}'; exit 3", "failed with status 3"); /* promise 3 */
	expect("echo canary >&2; exit 1", "failed with status 1");
	expect("echo '{\"Version\": 1, " KEYS "}'; kill -9 $$", "ended by signal 9");
	expect("exec yes canary", "too long"); /* promise 2 */
	expect("test \"$1\" = 'an argument' && test \"$2\" = '$HOME' && echo '{\"Version\": 1, " KEYS "}'",
	       "AKIDPROC/canary-proc");
	expect("read x; test -z \"$x\" && echo '{\"Version\": 1, " KEYS "}'", "AKIDPROC/canary-proc"); /* no input */
	aws_place();
	aws_write(".aws/config", "[default]\ncredential_process = no-such-program-canary x\n");
	assert_non_null(strstr(aws_look(NULL), "there is no such program"));
	aws_write(".aws/config", "[default]\ncredential_process = 'canary\n");
	assert_non_null(strstr(aws_look(NULL), "not closed"));
	assert_null(strstr(aws_look(NULL), "canary"));
}

/* Promise 4: the command sees no secret that it was not given; and keys in the files win over it. */
static void
nothing_is_passed_on(void **state)
{
	const zinc_aws_config config = {.profile = "p", .token = "canary-setting"};

	(void)state;
	aws_place();
	aws_write("see", "#!/bin/sh\nenv > seen\ntr '\\0' ' ' < /proc/$$/cmdline >> seen\n"
			 "echo '{\"Version\": 1, " KEYS "}'\n");
	assert_int_equal(chmod("home/see", 0700), 0);
	aws_write(".aws/config", "[profile p]\ncredential_process = home/see\n");
	aws_write(".aws/credentials", "[other]\naws_access_key_id = AKIDO\naws_secret_access_key = canary-other\n");
	assert_string_equal(aws_look(&config), "AKIDPROC/canary-proc/-");
	assert_non_null(strstr(read_text("seen"), "home/see"));
	assert_null(strstr(read_text("seen"), "canary"));
	aws_write(".aws/credentials", "[p]\naws_access_key_id = AKIDO\naws_secret_access_key = canary-other\n");
	assert_string_equal(aws_look(&config), "AKIDO/canary-other/-");
}

/* Promise 2: a command that hangs is killed with its children. */
static void
a_deadline_ends_it(void **state)
{
	const zinc_aws_config config = {0};
	zinc_wait wait = ZINC_WAIT_INIT;
	zinc_error err = ZINC_ERROR_INIT;
	zinc_aws_lease *lease = NULL;
	zinc_aws *a = NULL;
	int k;

	(void)state;
	aws_place();
	aws_write("hang", "#!/bin/sh\nsleep 1000 &\necho $! > pid\nwait\n");
	assert_int_equal(chmod("home/hang", 0700), 0);
	aws_write(".aws/config", "[default]\ncredential_process = home/hang\n");
	assert_ok(zinc_aws_new(&a, NULL, &config, &err));
	wait.until = zinc_now(NULL) + 1;
	assert_int_equal(zinc_aws_take(a, &lease, &wait, &err), ZINC_E_CANCELLED);
	zinc_aws_free(a);
	for (k = 0; k < 100 && !exists("pid"); k++)
		usleep(10000);
	if (exists("pid")) { /* it had begun */
		char path[64];

		snprintf(path, sizeof path, "/proc/%d/exe", (int)strtol(read_text("pid"), NULL, 10));
		for (k = 0; k < 1000 && access(path, F_OK) == 0; k++)
			usleep(10000);
		assert_int_not_equal(access(path, F_OK), 0);
	}
}

static zinc_status
search(void *arg, zinc_context *ctx, zinc_error *err)
{
	const zinc_aws_config config = {0};
	zinc_aws_lease *lease = NULL;
	zinc_aws *a = NULL;
	zinc_status st;

	(void)arg;
	ZINC_TRY(zinc_aws_new(&a, ctx, &config, err));
	st = zinc_aws_take(a, &lease, NULL, err);
	zinc_aws_release(lease);
	zinc_aws_free(a);
	return st;
}

static void
memory_that_fails(void **state)
{
	(void)state;
	aws_place();
	aws_write("run", "#!/bin/sh\necho '{\"Version\": 1, " KEYS "}'\n");
	assert_int_equal(chmod("home/run", 0700), 0);
	aws_write(".aws/config", "[default]\ncredential_process = home/run\n");
	assert_true(sweep_alloc(search, NULL) > 5);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(words),
	    cmocka_unit_test(commands),
	    cmocka_unit_test(nothing_is_passed_on),
	    cmocka_unit_test(a_deadline_ends_it),
	    cmocka_unit_test(memory_that_fails),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
