/* test_server_listen.c - listen.c: addresses, and what cannot be listened at */
#include <arpa/inet.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "server.h"
#include "test.h"

static unsigned
port_of(const char *base)
{
	const char *colon = strrchr(base, ':');

	assert_non_null(colon);
	assert_int_equal(base[strlen(base) - 1], '/');
	return (unsigned)strtoul(colon + 1, NULL, 10);
}

static void
listens(void **state)
{
	static const struct {
		const char *where, *begin;
	} cases[] = {
	    {"127.0.0.1:0", "http://127.0.0.1:"},   {"0", "http://127.0.0.1:"}, {"localhost:0", "http://"},
	    {"[127.0.0.1]:0", "http://127.0.0.1:"}, {"0.0.0.0:0", "http://"},
	};
	zinc_error err = ZINC_ERROR_INIT;
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	char base[400];
	int fd, client;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(cases); i++) {
		fd = -1;
		assert_ok(listen_at(&fd, base, sizeof base, cases[i].where, &err));
		assert_int_equal(strncmp(base, cases[i].begin, strlen(cases[i].begin)), 0);
		assert_null(strstr(base, "0.0.0.0"));
		to.sin_port = htons((uint16_t)port_of(base));
		if (strcmp(cases[i].where, "localhost:0") != 0) { /* may be ::1 */
			client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
			assert_int_equal(connect(client, (struct sockaddr *)&to, sizeof to), 0);
			close(client);
		}
		close(fd);
	}
	if (listen_at(&fd, base, sizeof base, "[::1]:0", &err) == ZINC_OK) { /* some machines have no IPv6 */
		assert_int_equal(strncmp(base, "http://[::1]:", 13), 0);
		close(fd);
	}
}

static void
refuses_malformed_addresses(void **state)
{
	static const char *const cases[] = {
	    "",
	    ":",
	    ":80",
	    "x",
	    "127.0.0.1",
	    "127.0.0.1:",
	    "127.0.0.1:x",
	    "127.0.0.1:-1",
	    "127.0.0.1:65536",
	    "127.0.0.1:99999",
	    "65536",
	    "127.0.0.1:123456",
	    "::1:80",
	    "[::1]",
	    "[]:0",
	    "[::1:0",
	    "127.0.0.1: 80",
	    "127.0.0.1:80 ",
	};
	char base[400], longest[400];
	int fd = -1;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(cases); i++) {
		zinc_error err = ZINC_ERROR_INIT;

		assert_int_equal(listen_at(&fd, base, sizeof base, cases[i], &err), ZINC_E_INVALID);
		assert_non_null(strstr(zinc_error_text(&err), "cannot listen at"));
	}
	memset(longest, 'x', sizeof longest);
	memcpy(longest + 390, ":80", 4);
	assert_int_equal(listen_at(&fd, base, sizeof base, longest, NULL), ZINC_E_INVALID);
}

static void
says_that_a_port_is_in_use(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	char base[400], again[400], where[64];
	int fd = -1, other = -1;

	(void)state;
	assert_ok(listen_at(&fd, base, sizeof base, "127.0.0.1:0", &err));
	snprintf(where, sizeof where, "%u", port_of(base));
	assert_int_equal(listen_at(&other, again, sizeof again, where, &err), ZINC_E_IO);
	assert_non_null(strstr(zinc_error_text(&err), "in use"));
	assert_int_equal(other, -1);
	close(fd);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(listens),
	    cmocka_unit_test(refuses_malformed_addresses),
	    cmocka_unit_test(says_that_a_port_is_in_use),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
