/*
 * common.c - clock, memory and threads of the contenders in C
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "bench.h"

_Noreturn void
bench_die(const char *what)
{
	fprintf(stderr, "%s\n", what);
	exit(1);
}

static double
clock_ms(clockid_t which)
{
	struct timespec t;

	clock_gettime(which, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

bench
bench_begin(int argc, char **argv)
{
	bench b;

	memset(&b, 0, sizeof b);
	if (argc < 5)
		bench_die("usage: contender OPERATION PATH THREADS REPEAT [name=value ...]");
	b.operation = argv[1];
	b.path = argv[2];
	b.threads = (int)strtol(argv[3], NULL, 10);
	b.repeat = (int)strtol(argv[4], NULL, 10);
	b.argc = argc - 5;
	b.argv = argv + 5;
	if (b.threads < 1 || b.threads > MOST_THREADS || b.repeat < 1 || b.repeat > 64)
		bench_die("THREADS and REPEAT are from 1 to 64");
	return b;
}

const char *
bench_option(const bench *b, const char *name)
{
	const size_t n = strlen(name);
	int i;

	for (i = 0; i < b->argc; i++)
		if (strncmp(b->argv[i], name, n) == 0 && b->argv[i][n] == '=')
			return b->argv[i] + n + 1;
	return NULL;
}

int
bench_numbers(const bench *b, const char *name, uint64_t *out, int most)
{
	const char *s = bench_option(b, name);
	char *end;
	int n = 0;

	while (s && *s && n < most) {
		out[n++] = strtoull(s, &end, 10);
		s = *end == ',' ? end + 1 : end;
	}
	return n;
}

void
bench_start(bench *b)
{
	b->cpu_began = clock_ms(CLOCK_PROCESS_CPUTIME_ID);
	b->began = clock_ms(CLOCK_MONOTONIC);
}

void
bench_stop(bench *b)
{
	b->ms[b->n] = clock_ms(CLOCK_MONOTONIC) - b->began;
	b->cpu_ms[b->n++] = clock_ms(CLOCK_PROCESS_CPUTIME_ID) - b->cpu_began;
}

static void
print_list(const char *name, const double *ms, int n)
{
	int i;

	printf("\"%s\":[", name);
	for (i = 0; i < n; i++)
		printf("%s%.3f", i ? "," : "", ms[i]);
	printf("],");
}

/* Of this program alone: getrusage counts what the process was before it ran it, too. */
static long
peak_kb(void)
{
	FILE *f = fopen("/proc/self/status", "r");
	char line[256];
	long kb = 0;

	while (f && fgets(line, sizeof line, f))
		if (sscanf(line, "VmHWM: %ld", &kb) == 1)
			break;
	if (f)
		fclose(f);
	return kb;
}

int
bench_print(const bench *b)
{
	printf("{");
	print_list("ms", b->ms, b->n);
	print_list("cpu_ms", b->cpu_ms, b->n);
	printf("\"rss_kb\":%ld}\n", peak_kb());
	return 0;
}

void *
bench_fresh(size_t nbytes)
{
	void *p = mmap(NULL, nbytes ? nbytes : 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		bench_die("no memory");
	madvise(p, nbytes, MADV_HUGEPAGE);
	return p;
}

void
bench_drop(void *p, size_t nbytes)
{
	munmap(p, nbytes ? nbytes : 1);
}

/* ---- threads ---- */

typedef struct share {
	void (*fn)(void *arg, size_t i, int worker);
	void *arg;
	size_t n;
	atomic_size_t next;
	atomic_int workers;
} share;

static void *
work(void *arg)
{
	share *s = (share *)arg;
	const int worker = atomic_fetch_add(&s->workers, 1);
	size_t i;

	while ((i = atomic_fetch_add(&s->next, 1)) < s->n)
		s->fn(s->arg, i, worker);
	return NULL;
}

void
bench_share(int threads, size_t n, void (*fn)(void *arg, size_t i, int worker), void *arg)
{
	share s = {fn, arg, n, 0, 0};
	pthread_t t[MOST_THREADS];
	int i;

	for (i = 1; i < threads; i++)
		if (pthread_create(&t[i], NULL, work, &s) != 0)
			bench_die("no thread");
	work(&s);
	for (i = 1; i < threads; i++)
		pthread_join(t[i], NULL);
}
