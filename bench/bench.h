/*
 * bench.h - shared code of the contenders in C
 *
 * A contender is called as
 *
 *     contender OPERATION PATH THREADS REPEAT [name=value ...]
 *
 * does the operation REPEAT times and prints {"ms":[...],"cpu_ms":[...],"rss_kb":N}: the time of each in the
 * process, without starting up or opening; the CPU time of all its threads, user and system, which other work on the
 * machine affects less; and its peak memory.
 */
#ifndef BENCH_H
#define BENCH_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MOST_DIMS    8
#define MOST_THREADS 64

typedef struct bench {
	const char *operation;
	const char *path;
	int threads;
	int repeat;
	int argc;
	char **argv; /* name=value */
	double ms[64], cpu_ms[64];
	int n;
	double began, cpu_began;
} bench;

bench bench_begin(int argc, char **argv);
/* The value of a name, or NULL. */
const char *bench_option(const bench *b, const char *name);
/* Numbers "a,b,c" of a name, at most so many; returns their number. */
int bench_numbers(const bench *b, const char *name, uint64_t *out, int most);

void bench_start(bench *b);
void bench_stop(bench *b);
int bench_print(const bench *b);
_Noreturn void bench_die(const char *what);

/* Untouched memory, in huge pages if the system has them. */
void *bench_fresh(size_t nbytes);
void bench_drop(void *p, size_t nbytes);

/* fn(arg, i, worker) for every i < n, on so many threads. */
void bench_share(int threads, size_t n, void (*fn)(void *arg, size_t i, int worker), void *arg);

#endif
