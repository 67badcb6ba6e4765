/* test_server_host.c - promises 1 and 2 of host.c */
#include "server.h"
#include "test.h"

static const char *const names[] = {"my.name", "Hub"};

static void
accepts_own_names_and_addresses(void **state)
{
	/* promise 1 */
	static const char *const good[] = {
	    "localhost", "LOCALHOST",  "localhost:80", "localhost:", "127.0.0.1", "127.0.0.1:8080",
	    "0.0.0.0",   "10.1.2.3:1", "[::1]",        "[::1]:80",   "[FE80::1]", "[::ffff:1.2.3.4]",
	    "my.name",   "MY.NAME:1",  "hub:99999999", "localhost ", "hub:80\t",
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(good); i++)
		if (!host_allowed(good[i], names, COUNT(names)))
			fail_msg("%s is refused", good[i]);
	assert_true(host_allowed("localhost", NULL, 0));
}

static void
refuses_the_rest(void **state)
{
	/* promise 2 */
	static const char *const bad[] = {
	    "",
	    ":",
	    ":80",
	    "evil.example",
	    "localhost.",
	    "localhost.evil",
	    "my.name.evil",
	    "xmy.name",
	    "my.nam",
	    "127.0.0.1.evil",
	    "127.1",
	    "2130706433",
	    "0x7f.0.0.1",
	    "127.0.0.01",
	    "256.0.0.1",
	    "::1",
	    "[::1",
	    "[::1]x",
	    "[::1]:x",
	    "[]",
	    "[",
	    "]",
	    "[evil]",
	    "[127.0.0.1]",
	    "localhost:8o",
	    "localhost:80:80",
	    "localhost 80",
	    " localhost",
	    "localhost,evil",
	    "a@localhost",
	    "localhost/",
	    "*",
	    "[::1%lo]",
	    "[::1]]",
	};
	char longest[600];
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(bad); i++)
		if (host_allowed(bad[i], names, COUNT(names)))
			fail_msg("%s is accepted", bad[i]);
	memset(longest, '1', sizeof longest);
	for (i = 250; i < 600; i += 5) {
		longest[i] = '\0';
		assert_false(host_allowed(longest, names, COUNT(names)));
		longest[i] = '1';
	}
	memset(longest, ':', 100);
	longest[0] = '[';
	memcpy(longest + 99, "]", 2);
	assert_false(host_allowed(longest, names, COUNT(names)));
	assert_false(host_allowed("my.name", NULL, 0));
}

static void
a_star_accepts_all(void **state)
{
	static const char *const star[] = {"x", "*"};

	(void)state;
	assert_true(host_allowed("evil.example", star, 2)); /* promise 2 */
	assert_true(host_allowed("", star, 2));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(accepts_own_names_and_addresses),
	    cmocka_unit_test(refuses_the_rest),
	    cmocka_unit_test(a_star_accepts_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
