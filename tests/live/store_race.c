/*
 * store_race.c - store_race [-t] URL WRITES [WORKERS]: are updates of several writers lost?
 *
 * WORKERS (8) processes, or threads with -t, for stores of one process, each write WRITES single elements; the
 * elements of all workers are interleaved, so that all of them change the same chunks, and later the same shards.  The
 * last round adds to one number of one value.  Afterwards every element and the number are read back and compared.
 *
 * "{}" in the URL becomes the name of an array or store.  Prints one line per round; exit 0 if nothing was lost and no
 * write failed, 1 if not, 77 if the store can exclude no other writers.
 */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <zinc.h>
#include <zinc/store.h>

#include "live_url.h"

enum { CHUNK = 400, INNER = 40, MOST_WORKERS = 64 };

struct race {
	const char *pattern, *name; /* of the URL, and of the round */
	bool threads;
	int workers;
	long writes, failed;
	bool sharded;
	double began;
};

struct worker {
	const struct race *race;
	int number;
	long failed;
};

static void
complain(const char *what, zinc_error *err)
{
	fprintf(stderr, "%s: %s\n", what, zinc_error_text(err));
}

/* ---- one worker ---- */

static zinc_status
add_one(void *arg, const void *old, size_t nold, zinc_update *out, zinc_error *err)
{
	int64_t *n = (int64_t *)arg;

	(void)err;
	*n = 0;
	if (nold == sizeof *n)
		memcpy(n, old, sizeof *n);
	++*n;
	out->bytes = n;
	out->nbytes = sizeof *n;
	return ZINC_OK;
}

static long
count_up(const char *url, long times)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s = NULL;
	long i, failed = 0;
	int64_t room;

	if (zinc_store_open(&s, url, NULL, &err) != ZINC_OK) {
		complain(url, &err);
		return times;
	}
	for (i = 0; i < times; i++)
		if (zinc_store_update(s, "number", add_one, &room, 0, 0, ZINC_PUT_RELAXED, NULL, &err) != ZINC_OK &&
		    failed++ == 0)
			complain("update", &err);
	zinc_store_close(s);
	return failed;
}

/* Element i * workers + number becomes its place + 1. */
static long
write_elements(const struct worker *w, const char *url)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_array *a = NULL;
	long i, place, failed = 0;
	char where[64];
	int32_t value;

	if (zinc_array_open_url(&a, url, ZINC_OPEN_OPTIONS(.relaxed = 1), &err) != ZINC_OK) {
		complain(url, &err);
		return w->race->writes;
	}
	for (i = 0; i < w->race->writes; i++) {
		place = i * w->race->workers + w->number;
		value = (int32_t)place + 1;
		snprintf(where, sizeof where, "%ld:%ld", place, place + 1);
		if (zinc_array_write_text(a, where, ZINC_BUFFER(&value, sizeof value), NULL, &err) != ZINC_OK &&
		    failed++ == 0)
			complain("write", &err);
	}
	zinc_array_close(a);
	return failed;
}

static void *
work(void *arg)
{
	struct worker *w = arg;
	char url[4096];

	if (!live_url(url, sizeof url, w->race->pattern, w->race->name))
		w->failed = w->race->writes;
	else if (strcmp(w->race->name, "counter") == 0)
		w->failed = count_up(url, w->race->writes);
	else
		w->failed = write_elements(w, url);
	return NULL;
}

/* ---- all of them ---- */

static long
run_threads(struct worker *w, int n)
{
	pthread_t thread[MOST_WORKERS];
	long failed = 0;
	int i, begun;

	for (begun = 0; begun < n && pthread_create(&thread[begun], NULL, work, &w[begun]) == 0; begun++)
		;
	for (i = 0; i < begun; i++) {
		pthread_join(thread[i], NULL);
		failed += w[i].failed;
	}
	return failed + (n - begun);
}

static long
run_processes(struct worker *w, int n)
{
	pid_t child[MOST_WORKERS];
	long failed = 0;
	int i, status;

	fflush(NULL);
	for (i = 0; i < n; i++) {
		child[i] = fork();
		if (child[i] == 0) {
			work(&w[i]);
			_exit(w[i].failed != 0);
		}
	}
	for (i = 0; i < n; i++)
		failed += child[i] < 0 || waitpid(child[i], &status, 0) != child[i] || status != 0;
	return failed;
}

static long
run_workers(const struct race *race)
{
	struct worker w[MOST_WORKERS];
	int i;

	for (i = 0; i < race->workers; i++)
		w[i] = (struct worker){race, i, 0};
	return race->threads ? run_threads(w, race->workers) : run_processes(w, race->workers);
}

/* ---- rounds ---- */

static double
seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int
report(const struct race *race, long lost)
{
	printf("%-8s %d %s x %ld: %ld lost, %ld failed, %.1f s\n", race->name, race->workers,
	       race->threads ? "threads" : "processes", race->writes, lost, race->failed, seconds() - race->began);
	return lost || race->failed;
}

/* Run a step, in a process of its own unless the workers are threads: some libraries cannot be used in a child of a
 * process that has used them (LevelDB).  Returns its result. */
static int
apart(const struct race *race, int (*fn)(const struct race *race))
{
	int status = 0;
	pid_t pid;

	if (race->threads)
		return fn(race);
	fflush(NULL);
	pid = fork();
	if (pid == 0)
		exit(fn(race));
	return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : 2;
}

static int
make_array(const struct race *race)
{
	const uint64_t shape[] = {(uint64_t)race->writes * (uint64_t)race->workers}, chunk[] = {CHUNK},
		       inner[] = {INNER};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_array *a = NULL;
	char url[4096];

	if (!live_url(url, sizeof url, race->pattern, race->name) ||
	    zinc_array_create_url(&a, url,
				  ZINC_ARRAY_OPTIONS(.ndim = 1, .shape = shape, .chunks = race->sharded ? inner : chunk,
						     .shards = race->sharded ? chunk : NULL, .dtype = "int32"),
				  NULL, &err) != ZINC_OK) {
		complain(url, &err);
		return 1;
	}
	zinc_array_close(a);
	return 0;
}

static int
check_array(const struct race *race)
{
	const long n = race->writes * race->workers;
	int32_t *all = calloc((size_t)n, sizeof *all);
	zinc_error err = ZINC_ERROR_INIT;
	zinc_array *a = NULL;
	long i, lost = n;
	char url[4096];

	if (!all || !live_url(url, sizeof url, race->pattern, race->name) ||
	    zinc_array_open_url(&a, url, NULL, &err) != ZINC_OK ||
	    zinc_array_read_text(a, NULL, ZINC_BUFFER(all, (size_t)n * sizeof *all), NULL, &err) != ZINC_OK)
		complain(race->name, &err);
	else
		for (i = lost = 0; i < n; i++)
			lost += all[i] != (int32_t)i + 1;
	zinc_array_close(a);
	free(all);
	return report(race, lost);
}

static int
race_array(struct race *race, const char *name, bool sharded)
{
	race->name = name;
	race->sharded = sharded;
	race->began = seconds();
	if (apart(race, make_array) != 0)
		return 1;
	race->failed = run_workers(race);
	return apart(race, check_array);
}

static int
check_counter(const struct race *race)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_blob blob = ZINC_BLOB_INIT;
	zinc_store *s = NULL;
	char url[4096];
	int64_t n = 0;

	if (!live_url(url, sizeof url, race->pattern, "counter") || zinc_store_open(&s, url, NULL, &err) != ZINC_OK ||
	    zinc_store_get_all(s, "number", &blob, NULL, sizeof n, NULL, &err) != ZINC_OK)
		complain("number", &err);
	else if (blob.nbytes == sizeof n)
		memcpy(&n, blob.data, sizeof n);
	zinc_blob_fini(&blob);
	zinc_store_close(s);
	return report(race, race->writes * race->workers - (long)n);
}

static int
race_counter(struct race *race)
{
	race->name = "counter";
	race->began = seconds();
	race->failed = run_workers(race);
	return apart(race, check_counter);
}

/* 77: there is nothing to test. */
static int
check_store(const struct race *race)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_caps caps = ZINC_CAPS_INIT;
	zinc_store *s = NULL;
	char url[4096];

	if (!live_url(url, sizeof url, race->pattern, "counter") || zinc_store_open(&s, url, NULL, &err) != ZINC_OK) {
		complain(race->pattern, &err);
		return 2;
	}
	zinc_store_caps(s, &caps);
	zinc_store_close(s);
	if (caps.flags & (ZINC_CAP_CAS | ZINC_CAP_UPDATE))
		return 0;
	fprintf(stderr, "%s: the store can exclude no other writers\n", url);
	return 77;
}

/* With threads a store stays open, so that one in memory lives. */
static int
race_all(struct race *race)
{
	zinc_store *s = NULL;
	char url[4096];
	int bad = apart(race, check_store);

	if (bad)
		return bad;
	if (race->threads &&
	    (!live_url(url, sizeof url, race->pattern, "counter") || zinc_store_open(&s, url, NULL, NULL) != ZINC_OK))
		return 2;
	bad |= race_array(race, "plain", false);
	bad |= race_array(race, "sharded", true);
	bad |= race_counter(race);
	zinc_store_close(s);
	return bad;
}

/* 1 to a million; 0: not a number. */
static long
number(const char *text)
{
	char *end;
	const long n = strtol(text, &end, 10);

	return *text && !*end && n > 0 && n <= 1000000 ? n : 0;
}

int
main(int argc, char **argv)
{
	struct race race = {.workers = 8};
	int at = 1;

	race.threads = argc > 1 && strcmp(argv[1], "-t") == 0;
	at += race.threads;
	if (argc > at + 1) {
		race.pattern = argv[at];
		race.writes = number(argv[at + 1]);
	}
	if (argc > at + 2)
		race.workers = (int)number(argv[at + 2]);
	if (!race.pattern || !strstr(race.pattern, "{}") || race.writes < 1 || race.workers < 1 ||
	    race.workers > MOST_WORKERS) {
		fprintf(stderr, "usage: store_race [-t] URL WRITES [WORKERS], with {} in the URL\n");
		return 2;
	}
	return race_all(&race);
}
