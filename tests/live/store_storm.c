/*
 * store_storm.c - store_storm [-s COMMAND] URL ROUNDS [WRITERS]: does kill -9 lose what was acknowledged?
 *
 * In each round WRITERS (4) processes change the store without a pause, and report each change that returned ZINC_OK
 * through a pipe.  At a random moment, by turns:
 *
 *     writers   the writers are killed
 *     server    the server is killed, then the writers, and the server is started again      (only with -s)
 *     restart   the server is killed and started again while the writers go on; these are killed later      (the same)
 *
 * COMMAND is run by the shell as "COMMAND kill", which must end the server by kill -9, and "COMMAND start", which must
 * return when it answers again.  "{}" in the URL, if there is one, becomes "storm".
 *
 * The changes are: a put of a new key; the creation of a new key on condition that it is absent; a new value of the
 * writer's own key on condition of its tag; an update of a number that all writers share; and a group of three puts.
 * Afterwards
 *
 *     lost     what was acknowledged and is not there, or not with its bytes; also if a writer notices it later
 *     torn     a value that is there, acknowledged or not, and is not whole
 *     false    a condition on a key that only one process changes and that "did not hold": its own change, seen as
 *              somebody else's; or a number that was counted up more often than anybody asked for
 *     failed   changes that returned something else.  A round that kills only writers must have none.
 *     mute     rounds in which no change was acknowledged after the restart
 *
 * Prints a line for each kind of round and one for all; exit 0 if nothing is lost, torn, false, wrongly failed or mute.
 */
#define _DEFAULT_SOURCE
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <zinc.h>
#include <zinc/store.h>

#include "live_url.h"

enum { MOST_WRITERS = 32, MOST_BYTES = 32768, GROUP = 3, PATIENCE = 120 };
enum { LOST = -1 }; /* instead of a status: an own value that was acknowledged has vanished */

typedef enum kind { PUT, CREATE, REPLACE, COUNT_UP, GROUP_PUT, KINDS } kind;
typedef enum mode { KILL_WRITERS, KILL_SERVER, RESTART, MODES } mode;

static const char *const kind_names[KINDS] = {"puts", "creations", "replacements", "updates", "groups"};
static const char *const mode_names[MODES] = {"writers", "server", "restart"};

/* What a writer reports; smaller than PIPE_BUF, so that it arrives whole. */
typedef struct report {
	int32_t writer, number, what, status;
} report;

typedef struct figures {
	int rounds;
	long acknowledged[KINDS], lost, torn, false_conflicts, failed, mute;
} figures;

typedef struct storm {
	char url[4096];
	const char *command; /* NULL: no server */
	int writers, round;
	unsigned seed;
	report *reports; /* of this round */
	size_t nreports, room;
	int64_t counted; /* the shared number before the round */
	zinc_store *store;
	figures by_mode[MODES], *now;
} storm;

static _Noreturn void
die(const char *what, zinc_error *err)
{
	fprintf(stderr, "%s%s%s\n", what, err ? ": " : "", err ? zinc_error_text(err) : "");
	exit(2);
}

static double
seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static zinc_wait
patience(void)
{
	return (zinc_wait){sizeof(zinc_wait), seconds() + PATIENCE, NULL};
}

/* ---- keys and values: a value is made of its key and a number, again and again, so that a part of it is detected ---- */

static void
make_key(char *out, size_t cap, int round, int writer, int what, int number)
{
	static const char letters[KINDS] = "pcrug";

	if (what == COUNT_UP)
		snprintf(out, cap, "number");
	else if (what == REPLACE)
		snprintf(out, cap, "r%d/w%d/own", round, writer);
	else
		snprintf(out, cap, "r%d/w%d/%c%d", round, writer, letters[what], number);
}

static size_t
make_value(char out[MOST_BYTES], const char *key, int number)
{
	const size_t want = (size_t)(number % 7) * 3000 + 1;
	size_t n = 0;

	while (n < want)
		n += (size_t)snprintf(out + n, MOST_BYTES - n, "%s=%d;", key, number);
	return n;
}

/* ---- a writer ---- */

typedef struct writer {
	const storm *s;
	zinc_store *store;
	int self, pipe;
	zinc_tag own; /* of its key; n 0: unknown */
	bool made;    /* its key exists */
	int last;     /* the number that was acknowledged last; 0: none */
	bool lost;    /* it is no longer there */
	char value[MOST_BYTES];
} writer;

static zinc_status
put_new(writer *w, const char *key, int number, const zinc_condition *when, zinc_put_group *group, zinc_error *err)
{
	const zinc_wait wait = patience();
	const size_t n = make_value(w->value, key, number);

	return zinc_store_put(w->store, group, key, w->value, n, when, 0, NULL, &wait, err);
}

/* The value that was acknowledged last, or one of those that failed since, is there. */
static void
look_for_own(writer *w, const char *key, int number, const zinc_blob *found)
{
	int i;

	w->lost = w->last != 0;
	for (i = w->last; w->lost && i < number; i += KINDS) {
		const size_t n = make_value(w->value, key, i);

		w->lost = !found || found->nbytes != n || memcmp(found->data, w->value, n) != 0;
	}
}

/* After a failure the tag is read anew: the change may have been made. */
static zinc_status
put_own(writer *w, const char *key, int number, zinc_error *err)
{
	const zinc_condition absent = {ZINC_ABSENT, NULL}, same = {ZINC_EQUALS, &w->own};
	const zinc_wait wait = patience();
	zinc_blob old = ZINC_BLOB_INIT;
	zinc_tag new = {0, {0}};
	zinc_status st;
	size_t n;

	if (w->own.n == 0 && number > 0) {
		st = zinc_store_get_all(w->store, key, &old, &w->own, 0, &wait, err);
		if (st == ZINC_OK || st == ZINC_E_NOTFOUND)
			look_for_own(w, key, number, st == ZINC_OK ? &old : NULL);
		zinc_blob_fini(&old);
		w->made = st == ZINC_OK;
		if (st != ZINC_OK && st != ZINC_E_NOTFOUND)
			return st;
	}
	n = make_value(w->value, key, number);
	st = zinc_store_put(w->store, NULL, key, w->value, n, w->made ? &same : &absent, ZINC_PUT_TAGS, &new, &wait,
			    err);
	w->own = new;
	if (st != ZINC_OK)
		w->own.n = 0;
	w->made |= st == ZINC_OK;
	w->last = st == ZINC_OK ? number : w->last;
	return st;
}

static zinc_status
add_one(void *arg, const void *old, size_t nold, zinc_update *out, zinc_error *err)
{
	int64_t *n = arg;

	(void)err;
	*n = 0;
	if (nold == sizeof *n)
		memcpy(n, old, sizeof *n);
	++*n;
	out->bytes = n;
	out->nbytes = sizeof *n;
	return ZINC_OK;
}

static zinc_status
put_group(writer *w, const char *key, int number, zinc_error *err)
{
	const zinc_wait wait = patience();
	zinc_put_group *group = NULL;
	zinc_status st = zinc_store_put_begin(w->store, &group, 0, &wait, err);
	char name[128];
	int i;

	if (st != ZINC_OK)
		return st;
	for (i = 0; i < GROUP && st == ZINC_OK; i++) {
		snprintf(name, sizeof name, "%s.%d", key, i);
		st = put_new(w, name, number, NULL, group, err);
	}
	if (st == ZINC_OK)
		return zinc_store_commit(w->store, group, NULL, NULL, &wait, err);
	zinc_store_abort(w->store, group);
	return st;
}

static zinc_status
change(writer *w, int what, const char *key, int number, zinc_error *err)
{
	const zinc_condition absent = {ZINC_ABSENT, NULL};
	const zinc_wait wait = patience();
	int64_t room;

	switch (what) {
	case PUT:
		return put_new(w, key, number, NULL, NULL, err);
	case CREATE:
		return put_new(w, key, number, &absent, NULL, err);
	case REPLACE:
		return put_own(w, key, number, err);
	case COUNT_UP:
		return zinc_store_update(w->store, key, add_one, &room, 0, 0, 0, &wait, err);
	default:
		return put_group(w, key, number, err);
	}
}

static _Noreturn void
write_on(const storm *s, int self, int pipe_end)
{
	writer *w = calloc(1, sizeof *w);
	zinc_error err = ZINC_ERROR_INIT;
	char key[64];
	int number, told = 0;

	if (!w)
		_exit(2);
	w->s = s;
	w->self = self;
	if (zinc_store_open(&w->store, s->url, NULL, &err) != ZINC_OK)
		die(s->url, &err);
	for (number = 0;; number++) {
		report r = {self, number, number % KINDS, ZINC_OK};

		make_key(key, sizeof key, s->round, self, r.what, number);
		r.status = (int32_t)change(w, r.what, key, number, &err);
		if (r.status != ZINC_OK && told++ < 3)
			fprintf(stderr, "%s: %s\n", key, zinc_error_text(&err));
		if (w->lost)
			r.status = LOST;
		w->lost = false;
		if (write(pipe_end, &r, sizeof r) != (ssize_t)sizeof r)
			_exit(3);
	}
}

/* ---- one round ---- */

static void
keep_report(storm *s, const report *r)
{
	if (s->nreports == s->room) {
		s->room = s->room ? 2 * s->room : 4096;
		s->reports = realloc(s->reports, s->room * sizeof *s->reports);
		if (!s->reports)
			die("out of memory", NULL);
	}
	s->reports[s->nreports++] = *r;
}

/* Take reports for this long; less than 0: until there are no more writers. */
static void
take_reports(storm *s, int pipe_end, double time)
{
	struct pollfd p = {pipe_end, POLLIN, 0};
	const double end = seconds() + time;
	report r;

	for (;;) {
		const double left = end - seconds();

		if (time >= 0 && left <= 0)
			return;
		if (poll(&p, 1, time < 0 ? -1 : (int)(left * 1000) + 1) <= 0)
			continue;
		if (read(pipe_end, &r, sizeof r) != (ssize_t)sizeof r)
			return;
		keep_report(s, &r);
	}
}

static void
tell_server(const storm *s, const char *word)
{
	char line[4096];

	snprintf(line, sizeof line, "%s %s", s->command, word);
	if (system(line) != 0)
		die(line, NULL);
}

static void
end_writers(const storm *s, const pid_t *pids)
{
	int i;

	for (i = 0; i < s->writers; i++)
		kill(pids[i], SIGKILL);
	for (i = 0; i < s->writers; i++)
		waitpid(pids[i], NULL, 0);
}

static double
some_time(storm *s, double most)
{
	return most * (0.1 + 0.9 * (double)(rand_r(&s->seed) % 1000) / 1000);
}

/* Changes that are acknowledged while the server is up again.  Some stores pause for seconds before they try again. */
static bool
goes_on(storm *s, int pipe_end)
{
	size_t i = s->nreports;
	int tries;

	for (tries = 0; tries < 2 * PATIENCE / 4; tries++) {
		take_reports(s, pipe_end, 0.5);
		for (; i < s->nreports; i++)
			if (s->reports[i].status == ZINC_OK)
				return true;
	}
	return false;
}

/* The parent has no store open here: a child must not share it. */
static void
let_write(storm *s, mode m)
{
	pid_t pids[MOST_WRITERS];
	int ends[2], i;

	if (pipe(ends) != 0)
		die("pipe", NULL);
	fflush(NULL);
	for (i = 0; i < s->writers; i++) {
		pids[i] = fork();
		if (pids[i] < 0)
			die("fork", NULL);
		if (pids[i] == 0) {
			close(ends[0]);
			write_on(s, i, ends[1]);
		}
	}
	close(ends[1]);
	take_reports(s, ends[0], some_time(s, 0.6));
	if (m != KILL_WRITERS)
		tell_server(s, "kill");
	if (m == RESTART) {
		take_reports(s, ends[0], 0.1); /* of what was made before */
		tell_server(s, "start");
		s->now->mute += !goes_on(s, ends[0]);
		take_reports(s, ends[0], some_time(s, 1));
	}
	end_writers(s, pids);
	take_reports(s, ends[0], -1);
	close(ends[0]);
	if (m == KILL_SERVER)
		tell_server(s, "start");
}

/* ---- afterwards ---- */

static bool
has_value(storm *s, const char *key, const char *bytes, size_t n)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_blob b = ZINC_BLOB_INIT;
	const zinc_wait wait = patience();
	const zinc_status st = zinc_store_get_all(s->store, key, &b, NULL, 0, &wait, &err);
	const bool same = st == ZINC_OK && b.nbytes == n && memcmp(b.data, bytes, n) == 0;

	if (st != ZINC_OK)
		fprintf(stderr, "%s: %s\n", key, zinc_error_text(&err));
	zinc_blob_fini(&b);
	return same;
}

/* The writer's own key has the value that was acknowledged last, one that failed since, or one that it did not live to
 * report. */
static bool
own_is_there(storm *s, const report *r, const char *key)
{
	char value[MOST_BYTES];
	int number, last = r->number;
	size_t i;

	for (i = 0; i < s->nreports; i++)
		if (s->reports[i].writer == r->writer && s->reports[i].what == REPLACE && s->reports[i].number > last)
			last = s->reports[i].number;
	for (number = r->number; number <= last + KINDS; number += KINDS)
		if (has_value(s, key, value, make_value(value, key, number)))
			return true;
	return false;
}

/* Is it the last of its writer that was acknowledged? */
static bool
is_last(const storm *s, size_t at)
{
	size_t i;

	for (i = at + 1; i < s->nreports; i++)
		if (s->reports[i].writer == s->reports[at].writer && s->reports[i].what == REPLACE &&
		    s->reports[i].status == ZINC_OK)
			return false;
	return true;
}

static bool
is_there(storm *s, size_t at)
{
	const report *r = &s->reports[at];
	char key[64], name[128], value[MOST_BYTES];
	int i;

	make_key(key, sizeof key, s->round, r->writer, r->what, r->number);
	if (r->what == COUNT_UP || (r->what == REPLACE && !is_last(s, at)))
		return true;
	if (r->what == REPLACE)
		return own_is_there(s, r, key);
	if (r->what != GROUP_PUT)
		return has_value(s, key, value, make_value(value, key, r->number));
	for (i = 0; i < GROUP; i++) {
		snprintf(name, sizeof name, "%s.%d", key, i);
		if (!has_value(s, name, value, make_value(value, name, r->number)))
			return false;
	}
	return true;
}

static void
check_reports(storm *s, mode m)
{
	size_t i;

	for (i = 0; i < s->nreports; i++) {
		const report *r = &s->reports[i];

		if (r->status == ZINC_OK) {
			s->now->acknowledged[r->what]++;
			s->now->lost += !is_there(s, i);
		} else if (r->status == LOST) {
			s->now->lost++;
		} else if ((r->what == CREATE && r->status == ZINC_E_EXISTS) ||
			   (r->what == REPLACE && (r->status == ZINC_E_EXISTS || r->status == ZINC_E_CONFLICT))) {
			s->now->false_conflicts++;
		} else {
			s->now->failed++;
			s->now->false_conflicts += m == KILL_WRITERS; /* nothing was wrong with the server */
		}
	}
}

/* The number has grown by what was acknowledged, and by no more than was tried besides. */
static void
check_number(storm *s)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_blob b = ZINC_BLOB_INIT;
	const zinc_wait wait = patience();
	int64_t n = 0, acknowledged = 0, tried = s->writers;
	zinc_status st = zinc_store_get_all(s->store, "number", &b, NULL, 0, &wait, &err);
	size_t i;

	if (st != ZINC_OK && st != ZINC_E_NOTFOUND)
		die("number", &err);
	s->now->torn += st == ZINC_OK && b.nbytes != sizeof n;
	if (st == ZINC_OK && b.nbytes == sizeof n)
		memcpy(&n, b.data, sizeof n);
	zinc_blob_fini(&b);
	for (i = 0; i < s->nreports; i++)
		if (s->reports[i].what == COUNT_UP && s->reports[i].status == ZINC_OK)
			acknowledged++;
		else
			tried += s->reports[i].what == COUNT_UP;
	if (n - s->counted < acknowledged)
		s->now->lost += (long)(acknowledged - (n - s->counted));
	if (n - s->counted > acknowledged + tried)
		s->now->false_conflicts += (long)(n - s->counted - acknowledged - tried);
	s->counted = n;
}

typedef struct names {
	char *text; /* each with its NUL */
	size_t n, room;
} names;

static int
keep_name(void *arg, const char *key, uint64_t nbytes)
{
	names *l = arg;
	const size_t n = strlen(key) + 1;

	(void)nbytes;
	if (l->n + n > l->room) {
		l->room = 2 * (l->n + n);
		l->text = realloc(l->text, l->room);
		if (!l->text)
			die("out of memory", NULL);
	}
	memcpy(l->text + l->n, key, n);
	l->n += n;
	return 0;
}

/* Is the value whole?  Its number is the one that it begins with. */
static bool
is_whole(storm *s, const char *key)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_blob b = ZINC_BLOB_INIT;
	const zinc_wait wait = patience();
	char want[MOST_BYTES];
	const size_t nkey = strlen(key);
	bool whole = false;
	int number;
	size_t n;

	if (zinc_store_get_all(s->store, key, &b, NULL, 0, &wait, &err) != ZINC_OK)
		die(key, &err);
	if (b.nbytes > nkey + 2) {
		number = (int)strtol((const char *)b.data + nkey + 1, NULL, 10);
		n = number >= 0 ? make_value(want, key, number) : 0;
		whole = n == b.nbytes && memcmp(want, b.data, n) == 0;
	}
	zinc_blob_fini(&b);
	return whole;
}

/* Every key of the round, acknowledged or not. */
static void
check_whole(storm *s)
{
	zinc_error err = ZINC_ERROR_INIT;
	const zinc_wait wait = patience();
	names l = {NULL, 0, 0};
	char prefix[32];
	size_t at;

	snprintf(prefix, sizeof prefix, "r%d/", s->round);
	if (zinc_store_list(s->store, prefix, keep_name, &l, &wait, &err) != ZINC_OK)
		die(prefix, &err);
	for (at = 0; at < l.n; at += strlen(l.text + at) + 1)
		s->now->torn += !is_whole(s, l.text + at);
	free(l.text);
	if (zinc_store_del_prefix(s->store, prefix, ZINC_PUT_RELAXED, &wait, &err) != ZINC_OK)
		die(prefix, &err);
}

static void
one_round(storm *s)
{
	const mode m = s->command ? (mode)(s->round % MODES) : KILL_WRITERS;
	zinc_error err = ZINC_ERROR_INIT;

	s->reports = NULL;
	s->nreports = s->room = 0;
	s->now = &s->by_mode[m];
	s->now->rounds++;
	let_write(s, m);
	if (zinc_store_open(&s->store, s->url, NULL, &err) != ZINC_OK)
		die(s->url, &err);
	check_reports(s, m);
	check_number(s);
	check_whole(s);
	zinc_store_close(s->store);
	s->store = NULL;
	free(s->reports);
}

/* What a storm before this one has left. */
static void
clean(storm *s)
{
	zinc_error err = ZINC_ERROR_INIT;
	const zinc_wait wait = patience();

	if (zinc_store_open(&s->store, s->url, NULL, &err) != ZINC_OK ||
	    zinc_store_del_prefix(s->store, "", 0, &wait, &err) != ZINC_OK)
		die(s->url, &err);
	zinc_store_close(s->store);
	s->store = NULL;
}

/* In a process of its own, because some libraries cannot be used in a child of a process that has used them (LevelDB).
 * The figures are in memory that both share. */
static void
apart(storm *s, void (*fn)(storm *s))
{
	pid_t pid;
	int status;

	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		fn(s);
		exit(0);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0)
		exit(2);
}

/* ---- figures ---- */

static int
show(const char *name, const figures *f)
{
	int i;

	printf("%-8s %d rounds:", name, f->rounds);
	for (i = 0; i < KINDS; i++)
		printf(" %ld %s,", f->acknowledged[i], kind_names[i]);
	printf(" acknowledged; %ld lost, %ld torn, %ld false, %ld failed, %ld mute\n", f->lost, f->torn,
	       f->false_conflicts, f->failed, f->mute);
	return f->lost || f->torn || f->false_conflicts || f->mute;
}

static int
show_all(const storm *s)
{
	figures sum;
	int m, i, bad = 0;

	memset(&sum, 0, sizeof sum);
	for (m = 0; m < MODES; m++) {
		const figures *f = &s->by_mode[m];

		if (f->rounds)
			bad |= show(mode_names[m], f);
		sum.rounds += f->rounds;
		for (i = 0; i < KINDS; i++)
			sum.acknowledged[i] += f->acknowledged[i];
		sum.lost += f->lost;
		sum.torn += f->torn;
		sum.false_conflicts += f->false_conflicts;
		sum.failed += f->failed;
		sum.mute += f->mute;
	}
	show("all", &sum);
	for (i = 0; i < KINDS; i++)
		bad |= sum.acknowledged[i] == 0; /* it tried nothing */
	return bad;
}

/* 1 to a million; 0: not a number. */
static int
number(const char *text)
{
	char *end;
	const long n = strtol(text, &end, 10);

	return *text && !*end && n > 0 && n <= 1000000 ? (int)n : 0;
}

static int
usage(void)
{
	fprintf(stderr, "usage: store_storm [-s COMMAND] URL ROUNDS [WRITERS]\n");
	return 2;
}

int
main(int argc, char **argv)
{
	storm *s = mmap(NULL, sizeof *s, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int rounds, at = 1;

	if (s == MAP_FAILED || argc < 3)
		return usage();
	if (strcmp(argv[1], "-s") == 0) {
		s->command = argv[2];
		at = 3;
	}
	if (argc < at + 2)
		return usage();
	if (!live_url(s->url, sizeof s->url, argv[at], "storm"))
		snprintf(s->url, sizeof s->url, "%s", argv[at]);
	rounds = number(argv[at + 1]);
	s->writers = argc > at + 2 ? number(argv[at + 2]) : 4;
	if (rounds < 1 || s->writers < 1 || s->writers > MOST_WRITERS)
		return usage();
	s->seed = (unsigned)time(NULL);
	signal(SIGPIPE, SIG_IGN);
	apart(s, clean);
	for (s->round = 0; s->round < rounds; s->round++)
		apart(s, one_round);
	return show_all(s);
}
