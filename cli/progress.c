/*
 * progress.c - a bar on stderr: units, bytes, rate, time to go
 *
 * Drawn at most ten times a second, and only on a terminal unless asked for: standard error may be a log.  When the
 * work is done the bar gives way to one line that sums it up.
 *
 *   checking [=========           ]  46%  23/50 chunks  1.5 GiB  512 MiB/s  0:03 left
 *   checked 50 chunks, 3.2 GiB, in 6.4 s (512 MiB/s)
 *
 * What is long gets no second line: a terminal of few columns shows only the beginning.
 */
#include <stdio.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"

#define BAR 20 /* columns */

double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Of a stream that is no terminal nobody knows; the bar is then asked for, and may be as long as it likes. */
static size_t
terminal_columns(void)
{
	struct winsize w;

	return ioctl(STDERR_FILENO, TIOCGWINSZ, &w) == 0 && w.ws_col > 0 ? w.ws_col : SIZE_MAX;
}

void
progress_init(struct progress *p, const struct run *r, const char *what)
{
	const char *mode = r->args->progress ? r->args->progress : "auto";

	*p = (struct progress){.what = what, .unit = "chunk", .began = now()};
	p->on = !strcmp(mode, "always") || (!strcmp(mode, "auto") && isatty(STDERR_FILENO));
}

static void
add_count(struct text *t, uint64_t n, const char *unit)
{
	text_printf(t, "%llu %s%s", (unsigned long long)n, unit, n == 1 ? "" : "s");
}

/* "512 MiB/s", or nothing where no time has passed or no byte is known. */
static bool
add_rate(struct text *t, uint64_t bytes, double seconds)
{
	if (seconds <= 0 || bytes == 0)
		return false;
	text_size(t, (uint64_t)((double)bytes / seconds));
	text_puts(t, "/s");
	return true;
}

static void
draw(const struct progress *p, double seconds)
{
	double share = p->total ? (double)p->done / (double)p->total : 0;
	struct text t = {NULL, 0, 0};
	size_t filled = (size_t)(share * BAR);

	text_printf(&t, "%s [", p->what);
	text_fill(&t, '=', filled);
	text_fill(&t, ' ', BAR - filled);
	text_printf(&t, "] %3.0f%%  %llu/", share * 100, (unsigned long long)p->done);
	add_count(&t, p->total, p->unit);
	text_puts(&t, "  ");
	text_size(&t, p->bytes);
	text_puts(&t, "  ");
	(void)add_rate(&t, p->bytes, seconds);
	if (share > 0) {
		unsigned left = (unsigned)(seconds / share - seconds + 0.5);

		text_printf(&t, "  %u:%02u left", left / 60, left % 60);
	}
	if (t.n >= terminal_columns()) /* ASCII: bytes are columns; the last one stays free, or the line would wrap */
		t.p[terminal_columns() - 1] = '\0';
	fprintf(stderr, "\r%s\033[K", text_str(&t));
	text_free(&t);
}

/* Called from any thread: one draws, the others pass by. */
int
progress_tick(void *progress, uint64_t done, uint64_t total, uint64_t bytes)
{
	struct progress *p = progress;
	double t;

	if (p->on && !__atomic_exchange_n(&p->lock, 1, __ATOMIC_ACQUIRE)) {
		if (done >= p->done && done <= total) {
			p->done = done;
			p->total = total;
			p->bytes = bytes;
		}
		t = now();
		if (t - p->shown >= 0.1 && p->total > 0) {
			draw(p, t - p->began);
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

void
progress_summary(struct progress *p, const char *what, uint64_t units, uint64_t bytes)
{
	double seconds = now() - p->began;
	struct text t = {NULL, 0, 0}, rate = {NULL, 0, 0};

	progress_end(p);
	if (!p->on)
		return;
	text_printf(&t, "%s ", what);
	add_count(&t, units, p->unit);
	if (bytes) {
		text_puts(&t, ", ");
		text_size(&t, bytes);
	}
	text_printf(&t, ", in %.1f s", seconds);
	if (add_rate(&rate, bytes, seconds))
		text_printf(&t, " (%s)", rate.p);
	fprintf(stderr, "%s\n", text_str(&t));
	text_free(&t);
	text_free(&rate);
}
