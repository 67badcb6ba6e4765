/*
 * aws_process.c - credentials that a command prints: credential_process in a profile
 *
 * Promises (tests/unit/test_aws_process.c names each by its number):
 *
 * (1) No shell: the command is split into words as the SDKs do (quotes and backslashes count), and nothing in it is
 *     expanded.
 * (2) It is given a minute and 64 KiB; then it is killed, together with what it has started.
 * (3) A status other than 0 is a failure, whatever it has printed.  What it prints to standard error is dropped, since it
 *     may be a secret, and no error shows any part of command or output.
 * (4) We put nothing into its arguments or its environment.
 */
#include <errno.h>
#include <stdio.h>
#include <sys/wait.h>

#include "net/aws_inside.h"

#define MOST    60.0 /* seconds */
#define STEP_MS 20   /* a cancel or a deadline is noticed within this time */

/* ---- words ---- */

typedef struct splitting {
	const char *p;
	char *out;   /* the next byte */
	bool inside; /* of a word */
} splitting;

static void
put(splitting *s, char c)
{
	*s->out++ = c;
	s->inside = true;
}

/* Behind the opening quote, up to the closing one.  False: there is none. */
static bool
take_quoted(splitting *s, char quote)
{
	s->inside = true;
	for (; *s->p && *s->p != quote; s->p++) {
		if (quote == '"' && *s->p == '\\' && (s->p[1] == '"' || s->p[1] == '\\'))
			s->p++;
		put(s, *s->p);
	}
	if (!*s->p)
		return false;
	s->p++;
	return true;
}

static bool
is_between(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* One word; false: a quote is not closed, or a backslash is the last character. */
static bool
take_word(splitting *s)
{
	while (*s->p && !is_between(*s->p)) {
		const char c = *s->p++;

		if (c == '\'' || c == '"') {
			if (!take_quoted(s, c))
				return false;
		} else if (c == '\\') {
			if (!*s->p)
				return false;
			put(s, *s->p++);
		} else {
			put(s, c);
		}
	}
	return true;
}

zinc_status
zinc_aws_split(zinc_secret *pool, const char *command, char ***out, zinc_error *err)
{
	const size_t n = strlen(command);
	char *text = (char *)zinc_secret_alloc(pool, n + 1);
	char **words = (char **)zinc_secret_alloc(pool, (n / 2 + 2) * sizeof *words);
	splitting s = {command, text, false};
	size_t count = 0;

	if (!text || !words)
		return zinc_fail_nomem(err);
	for (;;) {
		while (is_between(*s.p))
			s.p++;
		if (!*s.p)
			break;
		words[count++] = s.out;
		if (!take_word(&s))
			return zinc_fail(err, ZINC_E_INVALID,
					 "the command has a quote or backslash that is not closed");
		*s.out++ = '\0';
	}
	words[count] = NULL;
	*out = words;
	return count ? ZINC_OK : zinc_fail(err, ZINC_E_INVALID, "the command is empty");
}

/* ---- running ---- */

typedef struct running {
	zinc_aws_search *search;
	zinc_child child;
	double until;
	zinc_buf text;
	int status;
} running;

/* May it run on? */
static zinc_status
check_time(const running *r, zinc_error *err)
{
	ZINC_TRY(zinc_wait_for(r->search->wait, "credentials", err));
	if (zinc_now(r->search->ctx) < r->until)
		return ZINC_OK;
	return zinc_fail(err, ZINC_E_IO, "the command did not end within %.0f s", MOST);
}

static zinc_status
read_output(running *r, zinc_error *err)
{
	char piece[4096];
	zinc_status st = ZINC_OK;
	ssize_t n = 1;

	while (st == ZINC_OK && n != 0) {
		n = zinc_child_read(&r->child, piece, sizeof piece, STEP_MS);
		if (n > 0 && zinc_buf_add(&r->text, piece, (size_t)n, NULL) != ZINC_OK)
			st = zinc_fail(err, ZINC_E_CORRUPT, "the output of the command is too long");
		else if (n < 0 && errno != EAGAIN && errno != EINTR)
			st = zinc_fail_errno(err, errno, "reading the output of the command");
		else
			st = check_time(r, err);
	}
	explicit_bzero(piece, sizeof piece);
	return st;
}

/* If the program has taken the status away (ECHILD), the output decides. */
static zinc_status
await_end(running *r, bool *ended, zinc_error *err)
{
	int done;

	for (;;) {
		done = zinc_child_wait(&r->child, &r->status);
		*ended = done != 0;
		if (done < 0)
			r->status = 0;
		if (*ended)
			return ZINC_OK;
		ZINC_TRY(check_time(r, err));
		ZINC_TRY(zinc_wait_pause(r->search->wait, STEP_MS / 1e3, "credentials", err));
	}
}

static zinc_status
check_status(const running *r, zinc_error *err)
{
	if (WIFEXITED(r->status) && WEXITSTATUS(r->status) == 0)
		return ZINC_OK;
	if (WIFEXITED(r->status))
		return zinc_fail(err, ZINC_E_IO, "the command failed with status %d; run it by hand to see why",
				 WEXITSTATUS(r->status));
	return zinc_fail(err, ZINC_E_IO, "the command was ended by signal %d", WTERMSIG(r->status));
}

static zinc_status
run(running *r, char *const argv[], zinc_error *err)
{
	const int e = zinc_child_start(&r->child, argv);
	bool ended = false;
	zinc_status st;

	if (e == ENOENT)
		return zinc_fail(err, ZINC_E_INVALID, "there is no such program");
	if (e)
		return zinc_fail_errno(err, e, "the command cannot be started");
	st = read_output(r, err);
	if (st == ZINC_OK)
		st = await_end(r, &ended, err);
	zinc_child_end(&r->child, !ended);
	return st == ZINC_OK ? check_status(r, err) : st;
}

zinc_status
zinc_aws_from_process(zinc_aws_search *s, const char *command, zinc_aws_found *out, zinc_error *err)
{
	static const zinc_aws_names names = {NULL,  "AccessKeyId", "SecretAccessKey", "SessionToken", "Expiration",
					     false, true,          "Version"};
	running r = {.search = s, .until = zinc_now(s->ctx) + MOST};
	char **argv;

	ZINC_TRY(zinc_aws_split(s->pool, command, &argv, err));
	zinc_buf_init(&r.text, zinc_secret_context(s->pool), ZINC_AWS_MAX_ANSWER);
	ZINC_TRY(zinc_buf_reserve(&r.text, ZINC_AWS_MAX_ANSWER, err));
	ZINC_TRY(run(&r, argv, err));
	return zinc_aws_from_json(out, s->pool, (const char *)r.text.p, r.text.n, &names, err);
}
