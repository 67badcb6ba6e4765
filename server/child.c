/*
 * child.c - the program, run for one request
 *
 * Its output goes to a file without a name, which becomes the body of the answer.  Promises (tests/unit/
 * test_server_api.c and tests/cli/serve_api.sh name each by its number):
 *
 * (1) No child outlives the server: it is killed when the server stops, and by the kernel when the server dies.
 * (2) A child that takes too long, writes too much or crashes harms only its own request.
 * (3) Its arguments, which every user of the machine can read, contain no secrets: the URL is in the environment.
 * (4) It is killed when its client has gone.
 * (5) It inherits no descriptor but its input, which is empty, its output and its messages.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "api.h"

#define TICK_MS     50  /* between two looks at clock and output */
#define NOT_STARTED 127 /* exit status */

extern char **environ;

struct child {
	struct child *next;
	struct children *of;
	pid_t pid;
	int out, errors; /* -1: none */
	uint64_t nbytes; /* of the output, as counted */
	child_line_fn line;
	void *arg;
	char text[MESSAGE_BYTES]; /* of a line that has not ended yet */
	size_t ntext;
	struct ran *ran;
};

/* ---- all of them ---- */

bool
children_init(struct children *c, const zinc_server_options *options, uint64_t answer, double seconds)
{
	const char *url = options->url ? options->url : "";
	const size_t room = sizeof URL_VARIABLE + 1 + strlen(url);
	size_t n = 0;

	while (environ[n])
		n++;
	pthread_mutex_init(&c->lock, NULL);
	pthread_cond_init(&c->none, NULL);
	c->answer = answer;
	c->most = answer > UINT64_MAX / 4 ? UINT64_MAX : answer * 4;
	c->seconds = seconds;
	c->environment = calloc(n + 2, sizeof *c->environment);
	if (!c->environment)
		return false;
	memcpy(c->environment + 1, environ, n * sizeof *environ);
	c->environment[0] = malloc(room); /* the first entry of a name counts */
	if (!c->environment[0])
		return false;
	snprintf(c->environment[0], room, URL_VARIABLE "=%s", url);
	return true;
}

void
children_fini(struct children *c)
{
	struct child *k;

	pthread_mutex_lock(&c->lock);
	c->stopped = true;
	for (k = c->first; k; k = k->next)
		kill(k->pid, SIGKILL);
	while (c->first)
		pthread_cond_wait(&c->none, &c->lock);
	pthread_mutex_unlock(&c->lock);
	if (c->environment)
		free(c->environment[0]);
	free(c->environment);
	pthread_cond_destroy(&c->none);
	pthread_mutex_destroy(&c->lock);
}

void
children_release(struct children *c, uint64_t nbytes)
{
	pthread_mutex_lock(&c->lock);
	c->spooled -= nbytes;
	pthread_mutex_unlock(&c->lock);
}

/* Count what a child has written since the last look; false: there is too much of it. */
static bool
count_output(struct child *k)
{
	struct children *c = k->of;
	struct stat st;
	bool fits;

	if (fstat(k->out, &st) || st.st_size < 0)
		return true;
	pthread_mutex_lock(&c->lock);
	c->spooled += (uint64_t)st.st_size - k->nbytes;
	k->nbytes = (uint64_t)st.st_size;
	fits = c->spooled <= c->most;
	pthread_mutex_unlock(&c->lock);
	return fits;
}

/* ---- start ---- */

/* The limit of the size of files, which may be lower already. */
static bool
limit_output(uint64_t answer)
{
	struct rlimit size;

	if (getrlimit(RLIMIT_FSIZE, &size))
		return false;
	size.rlim_cur = size.rlim_max < (rlim_t)answer ? size.rlim_max : (rlim_t)answer;
	size.rlim_max = size.rlim_cur;
	return setrlimit(RLIMIT_FSIZE, &size) == 0;
}

/* Those of the server are closed first: there may be no room for another one. */
static bool
take_descriptors(int out, int errors)
{
	int in;

	if (dup2(out, 1) < 0 || dup2(errors, 2) < 0)
		return false;
	(void)syscall(SYS_close_range, 3U, ~0U, 0U); /* where the kernel has it; all have O_CLOEXEC, too */
	in = open("/dev/null", O_RDONLY | O_CLOEXEC);
	return in >= 0 && (in == 0 || dup2(in, 0) == 0);
}

/* In the child, after fork in a program with threads: system calls only.  Ctrl-C in a terminal is for the server, which
 * lets requests end: so the child has a group of its own. */
static void
become(char *const *argv, char *const *environment, uint64_t answer, int out, int errors, pid_t parent)
{
	const struct rlimit none = {0, 0};
	sigset_t empty;

	sigemptyset(&empty);
	signal(SIGALRM, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	sigprocmask(SIG_SETMASK, &empty, NULL);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	(void)setpgid(0, 0);
	if (getppid() != parent || !limit_output(answer) || setrlimit(RLIMIT_CORE, &none) ||
	    !take_descriptors(out, errors))
		_exit(NOT_STARTED);
	execve(argv[0], argv, environment);
	_exit(errno == ENOMEM || errno == EAGAIN || errno == EMFILE || errno == ENFILE ? NOT_STARTED : 126);
}

/* Under the lock: none starts once children_fini has killed the others. */
static bool
start_locked(struct child *k, char *const *argv, int errors)
{
	struct children *c = k->of;
	const pid_t parent = getpid();

	if (c->stopped) {
		k->ran->ending = ENDED_STOP;
		return false;
	}
	k->pid = fork();
	if (k->pid == 0)
		become(argv, c->environment, c->answer, k->out, errors, parent);
	if (k->pid < 0)
		return false;
	k->next = c->first;
	c->first = k;
	return true;
}

static bool
start(struct child *k, char *const *argv)
{
	int pair[2] = {-1, -1};
	bool started;

	k->out = temporary_file();
	if (k->out < 0 || pipe2(pair, O_CLOEXEC)) {
		k->ran->status = errno;
		return false;
	}
	k->errors = pair[0];
	fcntl(k->errors, F_SETFL, O_NONBLOCK);
	pthread_mutex_lock(&k->of->lock);
	started = start_locked(k, argv, pair[1]);
	k->ran->status = started ? 0 : errno;
	pthread_mutex_unlock(&k->of->lock);
	close(pair[1]);
	return started;
}

/* ---- while it runs ---- */

/* The last message counts; "zinc: " in front of it says nothing to the client. */
static void
take_line(struct child *k)
{
	const char *text = k->text;

	k->text[k->ntext] = '\0';
	k->ntext = 0;
	if (!*text || (k->line && k->line(k->arg, text)))
		return;
	text += strncmp(text, "zinc: ", 6) ? 0 : 6;
	snprintf(k->ran->message, sizeof k->ran->message, "%s", text);
}

/* False: the child has closed its end. */
static bool
read_errors(struct child *k)
{
	char bytes[1024];
	ssize_t n, i;

	while ((n = read(k->errors, bytes, sizeof bytes)) > 0)
		for (i = 0; i < n; i++)
			if (bytes[i] == '\n')
				take_line(k);
			else if (k->ntext + 1 < sizeof k->text)
				k->text[k->ntext++] = bytes[i];
	return n < 0 && (errno == EAGAIN || errno == EINTR);
}

static double
clock_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Has it ended?  It stays a process until it leaves the list, so its number is not given to another. */
static bool
has_ended(const struct child *k)
{
	siginfo_t info = {.si_pid = 0};

	return waitid(P_PID, (id_t)k->pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid != 0;
}

/* A client that has closed its side waits for nothing more, as browsers do when they break off. */
static bool
is_gone(int socket)
{
	struct pollfd p = {.fd = socket, .events = POLLRDHUP};

	return socket > 0 && poll(&p, 1, 0) > 0;
}

static enum ending
why_stop(struct child *k, const struct request *q, double end)
{
	if (!count_output(k))
		return ENDED_FULL;
	if (q->cancel && zinc_cancel_is(q->cancel))
		return ENDED_STOP;
	if (is_gone(q->socket))
		return ENDED_GONE;
	return clock_now() > end ? ENDED_LATE : ENDED;
}

static void
watch(struct child *k, const struct request *q)
{
	double end = clock_now() + k->of->seconds;
	struct pollfd p = {.fd = k->errors, .events = POLLIN};

	if (q->until > 0 && q->until + GRACE < end) /* it has waited for a worker */
		end = q->until + GRACE;
	while (!has_ended(k)) {
		poll(&p, 1, p.fd >= 0 ? TICK_MS : 2);
		if (p.fd >= 0 && !read_errors(k))
			p.fd = -1; /* it is about to end */
		if (k->ran->ending == ENDED)
			k->ran->ending = why_stop(k, q, end);
		if (k->ran->ending != ENDED)
			kill(k->pid, SIGKILL);
	}
	(void)read_errors(k);
	take_line(k);
}

/* Under the lock: after that children_fini kills it no more. */
static int
leave(struct child *k)
{
	struct children *c = k->of;
	struct child **at = &c->first;
	int status = 0;

	pthread_mutex_lock(&c->lock);
	while (*at != k)
		at = &(*at)->next;
	*at = k->next;
	while (waitpid(k->pid, &status, 0) < 0 && errno == EINTR)
		;
	if (c->stopped && k->ran->ending == ENDED && WIFSIGNALED(status))
		k->ran->ending = ENDED_STOP;
	if (!c->first)
		pthread_cond_broadcast(&c->none);
	pthread_mutex_unlock(&c->lock);
	return status;
}

static void
judge(struct ran *r, int status)
{
	if (r->ending != ENDED)
		return;
	r->status = WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status);
	if (WIFSIGNALED(status)) /* SIGTERM: somebody ends all processes of the service */
		r->ending = r->status == SIGXFSZ ? ENDED_LARGE : r->status == SIGTERM ? ENDED_STOP : ENDED_SIGNAL;
	else if (r->status == NOT_STARTED) {
		r->ending = ENDED_NEVER;
		r->status = EAGAIN;
	}
}

void
child_run(struct children *c, char *const *argv, const struct request *q, child_line_fn line, void *arg,
	  struct ran *out)
{
	struct child k = {.of = c, .out = -1, .errors = -1, .line = line, .arg = arg, .ran = out};

	*out = (struct ran){.ending = ENDED, .fd = -1};
	if (start(&k, argv)) {
		watch(&k, q);
		(void)count_output(&k);
		judge(out, leave(&k));
	} else if (out->ending == ENDED) {
		out->ending = ENDED_NEVER;
	}
	if (k.errors >= 0)
		close(k.errors);
	out->fd = k.out;
	out->nbytes = k.nbytes;
}
