/*
 * cmd_serve.c - zinc serve, zinc view: a read-only HTTP server, and the viewer on top of it
 *
 * One line on stdout says where it listens; one line on stderr for each request.  It ends with Ctrl-C or SIGTERM.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <zinc/serve.h>

#include "cli.h"

#define GRACE 5.0 /* seconds for requests that are running */

extern char **environ;

static bool
is_ascii(const char *s)
{
	while (*s && (unsigned char)*s < 0x80)
		s++;
	return !*s;
}

/* Would a line be written without waiting?  A line is shorter than PIPE_BUF. */
static bool
is_read(int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLOUT};

	return poll(&p, 1, 0) == 1 && (p.revents & POLLOUT);
}

/* The line has no control characters, but may have other characters that change a terminal's direction. */
static void
print_line(const char *line)
{
	const struct iovec parts[] = {{(void *)(uintptr_t)line, strlen(line)}, {(void *)(uintptr_t) "\n", 1}};

	if (!is_ascii(line))
		say("%s", line);
	else if (writev(STDERR_FILENO, parts, 2) < 0)
		return;
}

/* If nobody reads stderr any more, the server goes on, and says later how many lines are lost. */
static void
print_request(void *arg, const char *line)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static unsigned long lost;
	char note[80];

	(void)arg;
	pthread_mutex_lock(&lock);
	if (lost && is_read(STDERR_FILENO)) {
		snprintf(note, sizeof note, "zinc: nobody read %lu lines of this log, they are lost", lost);
		lost = 0;
		print_line(note);
	}
	if (lost || !is_read(STDERR_FILENO))
		lost++;
	else
		print_line(line);
	pthread_mutex_unlock(&lock);
}

static void
stop(int number)
{
	(void)number;
	zinc_cancel_set(&cancel_flag);
}

/* Each slow client holds descriptors. */
static void
allow_descriptors(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
}

static bool
starts_with(const char *s, const char *with)
{
	return strncmp(s, with, strlen(with)) == 0;
}

/* `url` has the address that it really listens at. */
static void
warn_if_open(const struct args *a, const char *url)
{
	if (!a->listen || starts_with(url, "http://127.") || starts_with(url, "http://[::1]:"))
		return;
	say("zinc: warning: other machines can reach this server%s",
	    a->no_token ? ", and there is no token: everyone can read the data" : " if they know the token");
}

/* Options of this command line that decide what a node is. */
static size_t
child_arguments(const struct args *a, const char **out)
{
	static struct text t[3];
	size_t n = 0;

	if (a->format) {
		text_printf(&t[0], "--format=%s", a->format);
		out[n++] = text_str(&t[0]);
	}
	if (a->fallback) {
		text_printf(&t[1], "--fallback=%s", a->fallback);
		out[n++] = text_str(&t[1]);
	}
	text_printf(&t[2], "--links=%s", a->links ? a->links : "beneath");
	out[n++] = text_str(&t[2]);
	if (a->strict)
		out[n++] = "--strict";
	if (a->no_climb)
		out[n++] = "--no-climb";
	return n;
}

/* A page that leads to the URL, in a file that only its owner can read: every user of the machine sees the arguments of a
 * program, and the URL has the token.  "": it could not be written. */
static void
write_redirect(struct text *path, const char *url)
{
	const char *runtime = getenv("XDG_RUNTIME_DIR"), *tmp = getenv("TMPDIR");
	struct text page = {NULL, 0, 0};
	bool written;
	int fd;

	text_printf(path, "%s/zinc-view-XXXXXX.html", runtime && *runtime ? runtime : tmp && *tmp ? tmp : "/tmp");
	fd = mkostemps(path->p, 5, O_CLOEXEC);
	text_printf(&page, "<!doctype html><meta http-equiv=\"refresh\" content=\"0; url=%s\">\n", url);
	written = fd >= 0 && write(fd, page.p, page.n) == (ssize_t)page.n;
	if (fd >= 0 && !written)
		unlink(path->p);
	if (fd >= 0)
		close(fd);
	text_free(&page);
	if (!written)
		text_free(path);
}

/* What it prints is no part of our output. */
static int
spawn_browser(pid_t *pid, char **argv)
{
	posix_spawn_file_actions_t files;
	int e = posix_spawn_file_actions_init(&files);

	if (e)
		return e;
	e = posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	if (!e)
		e = posix_spawn_file_actions_adddup2(&files, STDERR_FILENO, STDOUT_FILENO);
	if (!e)
		e = posix_spawnp(pid, argv[0], &files, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&files);
	return e;
}

/* `file` gets the name of a file to remove at the end; nothing if there is none.  The process, or 0. */
static pid_t
open_browser(struct text *file, const char *url)
{
	char *argv[] = {(char *)(uintptr_t) "xdg-open", NULL, NULL};
	pid_t pid = 0;
	int e = EIO;

	write_redirect(file, url);
	argv[1] = file->p;
	if (file->n)
		e = spawn_browser(&pid, argv);
	if (e)
		say("zinc: warning: xdg-open, which starts the browser: %s", strerror(e));
	return e ? 0 : pid;
}

/* Signals end the pause; a signal just before it is seen a little later. */
static void
wait_for_signal(pid_t browser)
{
	while (!interrupted()) {
		if (browser && waitpid(browser, NULL, WNOHANG) != 0)
			browser = 0;
		nanosleep(&(struct timespec){0, 50000000}, NULL);
	}
}

/* A closed terminal stops the server, unless nohup is asked for. */
static void
stop_on_signals(void)
{
	static const int signals[] = {SIGTERM, SIGINT, SIGHUP};
	const struct sigaction action = {.sa_handler = stop};
	struct sigaction before;
	size_t i;

	for (i = 0; i < sizeof signals / sizeof *signals; i++)
		if (sigaction(signals[i], NULL, &before) == 0 && (signals[i] != SIGHUP || before.sa_handler != SIG_IGN))
			sigaction(signals[i], &action, NULL);
}

static int
run_server(struct run *r, zinc_hierarchy *h, const char *url, const zinc_server_options *o)
{
	zinc_error err = ZINC_ERROR_INIT;
	struct text redirect = {NULL, 0, 0};
	zinc_server *server = NULL;
	pid_t browser = 0;

	if (zinc_server_start(&server, h, NULL, o, &err))
		return fail(url, &err);
	warn_if_open(r->args, zinc_server_url(server));
	stop_on_signals();
	out_printf(&r->out, "%s\n", zinc_server_url(server));
	out_flush(&r->out);
	if (r->args->open)
		browser = open_browser(&redirect, zinc_server_url(server));
	wait_for_signal(browser);
	if (redirect.n)
		unlink(redirect.p);
	text_free(&redirect);
	zinc_server_stop(server, GRACE);
	zinc_server_free(server);
	return timed_out() ? CANCELLED : DONE;
}

static int
serve(struct run *r, bool page)
{
	const struct args *a = r->args;
	const char *url = a->words.at[0], *arguments[8];
	zinc_server_options o = ZINC_SERVER_OPTIONS_INIT;
	zinc_open_options open = open_options(r, false);
	zinc_error err = ZINC_ERROR_INIT;
	zinc_hierarchy *h = NULL;
	int status;

	if (a->token && a->no_token)
		return complain(USAGE, NULL, "--token and --no-token contradict each other");
	if (a->token && !*a->token)
		return complain(USAGE, "--token", "it is empty; --no-token serves without one");
	if (!a->links)
		open.links = ZINC_LINKS_BENEATH;
	if (zinc_hierarchy_open_url(&h, typed_url(a, url), &open, &err))
		return fail(url, &err);
	o.listen = a->listen;
	o.token = a->no_token ? "" : a->token;
	o.hosts = a->hosts.at;
	o.nhosts = (size_t)a->hosts.n;
	o.page = page;
	o.command = "/proc/self/exe";
	o.url = typed_url(a, url);
	o.arguments = arguments;
	o.narguments = child_arguments(a, arguments);
	o.log = print_request;
	allow_descriptors();
	status = run_server(r, h, url, &o);
	zinc_hierarchy_close(h);
	return status;
}

int
cmd_serve(struct run *r)
{
	return serve(r, false);
}

int
cmd_view(struct run *r)
{
	return serve(r, true);
}
