/* main.c - the command `zinc`: find the sub-command, parse its line, run it */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <unistd.h>

#include "cli.h"

zinc_cancel cancel_flag = ZINC_CANCEL_INIT;
const zinc_call_options until_stopped = {sizeof until_stopped, 0.0, &cancel_flag, NULL, NULL};

/* The first Ctrl-C asks the library to stop between keys; a second one ends the process.  Either way no key
 * is half written: stores replace values whole. */
static void
on_interrupt(int sig)
{
	(void)sig;
	zinc_cancel_set(&cancel_flag);
}

int
interrupted(void)
{
	return zinc_cancel_is(&cancel_flag);
}

/* Seconds that --timeout allows for an orderly stop, before the process is ended. */
#define GRACE 1

static volatile sig_atomic_t timer_fired;

/* The message of a command that --timeout stopped. */
static volatile sig_atomic_t message;
enum { NOT_SAID, BEING_SAID, SAID };

/* The first alarm asks the library to stop, as Ctrl-C does; a later one ends the process, unless the message is just
 * being written.  Stores stay consistent. */
static void
on_alarm(int sig)
{
	static const char text[] = "zinc: --timeout: the time limit is reached\n";

	if (!timer_fired) {
		timer_fired = 1;
		on_interrupt(sig);
	} else if (message == BEING_SAID) {
		message = SAID; /* for the next alarm */
	} else if (message == SAID || write(STDERR_FILENO, text, sizeof text - 1) >= -1) {
		_exit(CANCELLED);
	}
}

bool
timed_out(void)
{
	return timer_fired != 0;
}

static void
start_clock(double seconds)
{
	struct sigaction alarm = {.sa_handler = on_alarm}; /* no SA_RESTART: a wait for input must return */
	struct itimerval t = {.it_interval = {GRACE, 0}};

	if (seconds <= 0)
		return;
	seconds = seconds < 1e-6 ? 1e-6 : seconds > 1e9 ? 1e9 : seconds;
	t.it_value.tv_sec = (time_t)seconds;
	t.it_value.tv_usec = (suseconds_t)((seconds - (double)t.it_value.tv_sec) * 1e6);
	sigaction(SIGALRM, &alarm, NULL);
	setitimer(ITIMER_REAL, &t, NULL);
}

/* One message for everything that --timeout stopped; a command that ended before is not affected. */
static int
end_status(int status)
{
	if (!timed_out() || status != CANCELLED)
		return status;
	message = BEING_SAID;
	status = complain_timeout();
	message = SAID;
	return status;
}

static int
run_command(struct run *r, const struct command *c, char **argv)
{
	struct consolidated found = {NULL, NULL, NULL, 0};
	struct args args;
	int status = args_parse(&args, c, argv);

	r->args = &args;
	r->command = c;
	if (args.json || c->run == cmd_attrs)
		r->out.escape = ESCAPE_JSON;
	if (status == DONE && args.help)
		status = help_command(r, c);
	else if (status == DONE) {
		start_clock(args.timeout);
		status = run_context(r);
		if (status == DONE) {
			consolidated_note(&found, r);
			status = consolidated_restore(&found, r, end_status(c->run(r)));
		}
	}
	zinc_context_free(r->ctx);
	args_free(&args);
	return status;
}

/* Called by the public conformance suite: zinc --array_path=DIR */
static const struct command array_path = {
    "--array_path", "read every chunk of an array", "DIR", "zinc --array_path=data.zarr/t2m", "", 1, 1, cmd_array_path,
    NULL,
};

static int
run_array_path(struct run *r, char **argv)
{
	static const char name[] = "--array_path=";

	if (!strncmp(argv[0], name, sizeof name - 1))
		argv[0] += sizeof name - 1;
	else
		argv++;
	return run_command(r, &array_path, argv);
}

/* The man page of one command, or of all. */
static int
run_man(struct run *r, const char *name)
{
	const struct command *c = name ? command_find(name) : NULL;

	if (name && !c)
		return complain_of_word(name, false);
	return c ? man_command(r, c) : man_all(r);
}

static int
run_line(struct run *r, char **argv)
{
	const struct command *c;
	const char *word = argv[0];

	if (!word)
		return complain(USAGE, NULL, "a command is missing; see: zinc --help");
	if (!strcmp(word, "--help") || !strcmp(word, "-h") || !strcmp(word, "help"))
		return help_word(r, argv[1]);
	if (!strcmp(word, "--version") || !strcmp(word, "-V"))
		return print_version(r);
	if (!strcmp(word, "--man"))
		return run_man(r, argv[1]);
	if (!strcmp(word, "--complete"))
		return complete(r, argv + 1);
	if (!strncmp(word, "--array_path", 12) && (!word[12] || word[12] == '='))
		return run_array_path(r, argv);
	c = command_find(word);
	return c ? run_command(r, c, argv + 1) : complain_of_word(word, false);
}

/* Without this a file that is opened later would be standard output or error, and messages would be written into it.  The
 * direction is the wrong one, so that writing is still an error. */
static void
fill_standard_descriptors(void)
{
	int fd;

	for (fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) == -1 && open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
			_exit(TROUBLE);
}

int
main(int argc, char **argv)
{
	struct sigaction interrupt = {.sa_handler = on_interrupt, .sa_flags = (int)SA_RESETHAND};
	struct run r = {.colour = colour_wanted(STDOUT_FILENO)};
	int status;

	fill_standard_descriptors();
	signal(SIGPIPE, SIG_IGN); /* a closed pipe is seen by write */
	sigaction(SIGINT, &interrupt, NULL);
	status = out_open(&r.out, NULL, false);
	r.out.escape = r.colour ? ESCAPE_COLOUR : ESCAPE_TEXT;
	if (status == DONE)
		status = run_line(&r, argc > 0 ? argv + 1 : argv);
	return out_close(&r.out, status);
}
