/*
 * progress.c - a bar on stderr: units, bytes, rate, time to go
 *
 * Drawn at most ten times a second, and only on a terminal unless asked for: standard error may be a log.
 */
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"

double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

void
progress_init(struct progress *p, const struct run *r, const char *what)
{
	const char *mode = r->args->progress ? r->args->progress : "auto";

	*p = (struct progress){.what = what, .began = now()};
	p->on = !strcmp(mode, "always") || (!strcmp(mode, "auto") && isatty(STDERR_FILENO));
}

static void
draw(const struct progress *p, uint64_t done, uint64_t total, uint64_t bytes, double seconds)
{
	double share = total ? (double)done / (double)total : 0;
	double rate = seconds > 0 ? (double)bytes / seconds : 0;
	struct text t = {NULL, 0, 0};
	size_t filled = (size_t)(share * 20);

	text_printf(&t, "\r%s [", p->what);
	text_fill(&t, '=', filled);
	text_fill(&t, ' ', 20 - filled);
	text_printf(&t, "] %3.0f%%  %llu/%llu chunks  ", share * 100, (unsigned long long)done,
		    (unsigned long long)total);
	text_size(&t, bytes);
	text_puts(&t, "  ");
	text_size(&t, (uint64_t)rate);
	text_puts(&t, "/s");
	if (share > 0) {
		unsigned left = (unsigned)(seconds / share - seconds + 0.5);

		text_printf(&t, "  %u:%02u left", left / 60, left % 60);
	}
	fprintf(stderr, "%s\033[K", text_str(&t));
	text_free(&t);
}

/* Called from any thread: one draws, the others pass by. */
int
progress_tick(void *progress, uint64_t done, uint64_t total, uint64_t bytes)
{
	struct progress *p = progress;
	double t = now();

	if (p->on && !__atomic_exchange_n(&p->lock, 1, __ATOMIC_ACQUIRE)) {
		if (t - p->shown >= 0.1 && done <= total) {
			draw(p, done, total, bytes, t - p->began);
			p->shown = t;
		}
		__atomic_store_n(&p->lock, 0, __ATOMIC_RELEASE);
	}
	return interrupted();
}

void
progress_end(struct progress *p)
{
	if (p->on && p->shown > 0)
		fputs("\r\033[K", stderr);
}
