/*
 * kill_storm.c - see kill_storm.h
 */
#include "support/kill_storm.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store/store.h"
#include "support/gets.h"
#include "support/test.h"

enum { WRITERS = 4, MOST = 100000 };

/* One put; its value is its key, several times, so that a part of it is detected. */
typedef struct ack {
	int round, writer, number;
} ack;

static size_t
make_value(char *out, size_t cap, char *key, size_t nkey, ack a)
{
	size_t n = 0;

	snprintf(key, nkey, "r%d/w%d/%d", a.round, a.writer, a.number);
	while (n + strlen(key) + 1 < cap && n < (size_t)(a.number % 7) * 3000 + 1)
		n += (size_t)snprintf(out + n, cap - n, "%s", key);
	return n;
}

static _Noreturn void
end_writer(const zinc_error *err)
{
	fprintf(stderr, "%s: %s: %s\n", err->url, err->key, err->text);
	_exit(1);
}

static _Noreturn void
write_on(const char *url, int round, int writer, int pipe_end)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s = NULL;
	char value[32768], key[64];
	size_t n;
	int i;

	if (zinc_store_open(&s, url, NULL, &err) != ZINC_OK)
		end_writer(&err);
	for (i = 0; i < MOST; i++) {
		const ack a = {round, writer, i};

		n = make_value(value, sizeof value, key, sizeof key, a);
		if (zinc_store_put(s, NULL, key, value, n, NULL, 0, NULL, NULL, &err) != ZINC_OK)
			end_writer(&err);
		if (write(pipe_end, &a, sizeof a) != (ssize_t)sizeof a)
			_exit(2);
	}
	_exit(0);
}

/* Everything that the writers acknowledged is there, whole. */
static int
check_all(const char *url, int pipe_end)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s = NULL;
	char value[32768], key[64];
	int seen = 0;
	ack a;

	assert_ok(zinc_store_open(&s, url, NULL, &err));
	while (read(pipe_end, &a, sizeof a) == (ssize_t)sizeof a) {
		const size_t n = make_value(value, sizeof value, key, sizeof key, a);

		assert_value(s, key, value, n);
		seen++;
	}
	zinc_store_close(s);
	return seen;
}

/* In a process of its own: the writers of the next round must not be children of one that has used the store (LevelDB). */
static int
check_apart(const char *url, int pipe_end)
{
	int ends[2], seen = 0, status;
	pid_t pid;

	assert_int_equal(pipe(ends), 0);
	pid = fork();
	if (pid == 0) {
		seen = check_all(url, pipe_end);
		_exit(write(ends[1], &seen, sizeof seen) != (ssize_t)sizeof seen);
	}
	close(ends[1]);
	assert_int_equal(read(ends[0], &seen, sizeof seen), sizeof seen);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	close(ends[0]);
	return seen;
}

static int
one_round(const char *url, int round)
{
	pid_t pids[WRITERS];
	int ends[2], i, seen, status;

	assert_int_equal(pipe(ends), 0);
	for (i = 0; i < WRITERS; i++) {
		pids[i] = fork();
		assert_true(pids[i] >= 0);
		if (pids[i] == 0)
			write_on(url, round, i, ends[1]);
	}
	usleep((useconds_t)(20000 + (round * 7919 + 13) % 100 * 1000));
	for (i = 0; i < WRITERS; i++)
		kill(pids[i], SIGKILL);
	for (i = 0; i < WRITERS; i++) {
		assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
		assert_true(WIFSIGNALED(status)); /* none has failed before */
	}
	close(ends[1]);
	seen = check_apart(url, ends[0]);
	close(ends[0]);
	return seen;
}

void
kill_storm(const char *url, int rounds)
{
	int i, seen = 0;

	for (i = 0; i < rounds; i++)
		seen += one_round(url, i);
	assert_true(seen > 0);
	fprintf(stderr, "kill -9 of %d writers, %d times: %d acknowledged puts, all there\n", WRITERS, rounds, seen);
}
