/*
 * progress.c - progress bar on stderr: units, bytes, rate, time left
 *
 * Drawn at most ten times a second, and only on a terminal unless asked for: standard error may be a log.  At the
 * end a summary line replaces the bar.
 *
 *   checking [=========           ]  46%  23/50 chunks  1.5 GiB  512 MiB/s  0:03 left
 *   checked 50 chunks, 3.2 GiB, in 6.4 s (512 MiB/s)
 *
 * With --progress=json it is lines for programs instead, at most five a second: {"done":23,"total":50,"bytes":1610612736}
 *
 * The bar is one line: on a narrow terminal bar, rate, bytes and units are left out, in this order; the time left
 * stays.
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

/* The width of a terminal.  Any other stream has none; there the bar was asked for, and is not shortened. */
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
	p->call = until_stopped;
	p->call.progress = progress_tick;
	p->call.progress_arg = p;
	p->json = !strcmp(mode, "json");
	p->on = p->json || !strcmp(mode, "always") || (!strcmp(mode, "auto") && isatty(STDERR_FILENO));
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

/* "0:03", "1:02:03"; nothing for a time that is too long to be useful. */
static void
add_left(struct text *t, double seconds)
{
	const unsigned long s = seconds < 1e7 ? (unsigned long)(seconds + 0.5) : 10000000;

	if (s == 10000000)
		text_puts(t, "months left");
	else if (s >= 3600)
		text_printf(t, "%lu:%02lu:%02lu left", s / 3600, s / 60 % 60, s % 60);
	else
		text_printf(t, "%lu:%02lu left", s / 60, s % 60);
}

/* The line with fewer parts at each level. */
#define LEVELS 5

static void
compose(struct text *t, const struct progress *p, double seconds, int level)
{
	const double share = p->total ? (double)p->done / (double)p->total : 0;
	const size_t filled = (size_t)(share * BAR);

	text_puts(t, p->what);
	if (level < 1) {
		text_puts(t, " [");
		text_fill(t, '=', filled);
		text_fill(t, ' ', BAR - filled);
		text_puts(t, "]");
	}
	text_printf(t, " %3.0f%%", share * 100);
	if (level < 4) {
		text_printf(t, "  %llu/", (unsigned long long)p->done);
		add_count(t, p->total, p->unit);
	}
	if (level < 3) {
		text_puts(t, "  ");
		text_size(t, p->bytes);
	}
	if (level < 2 && p->bytes && seconds > 0) {
		text_puts(t, "  ");
		(void)add_rate(t, p->bytes, seconds);
	}
	if (share > 0) {
		text_puts(t, "  ");
		add_left(t, seconds / share - seconds);
	}
}

/* A line for programs. */
static void
draw_json(const struct progress *p)
{
	fprintf(stderr, "{\"done\":%llu,\"total\":%llu,\"bytes\":%llu}\n", (unsigned long long)p->done,
		(unsigned long long)p->total, (unsigned long long)p->bytes);
}

static void
draw(const struct progress *p, double seconds)
{
	const size_t most = terminal_columns();
	struct text t = {NULL, 0, 0};
	int level;

	if (p->json) {
		draw_json(p);
		return;
	}
	for (level = 0; level < LEVELS; level++) { /* ASCII: bytes are columns */
		text_free(&t);
		compose(&t, p, seconds, level);
		if (t.n < most)
			break;
	}
	if (t.n >= most) /* the last column stays free, or the line would wrap */
		t.p[most - 1] = '\0';
	fprintf(stderr, "\r%s\033[K", text_str(&t));
	text_free(&t);
}

/* Called from any thread: one draws, the others return at once. */
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
		if (t - p->shown >= (p->json ? 0.2 : 0.1) && p->total > 0) {
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
	if (p->on && !p->json && p->shown > 0)
		fputs("\r\033[K", stderr);
}

void
progress_summary(struct progress *p, const char *what, uint64_t units, uint64_t bytes)
{
	double seconds = now() - p->began;
	struct text t = {NULL, 0, 0}, rate = {NULL, 0, 0};

	progress_end(p);
	if (!p->on || p->json)
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
