/*
 * sweep.c - the drivers: run a scenario once per failure point
 */
#include <errno.h>
#include <stdio.h>

#include "support/sweep.h"
#include "support/test.h"

#define MOST_ERRNUMS 32

/* The failure of one run, for messages. */
struct point {
	const char *what;
	unsigned long at;
	bool forever;
	int errnum;
};

static void
blame(const struct point *p, zinc_status st, const char *problem)
{
	fail_msg("%s %lu failing %s (errno %d) gave %s: %s", p->what, p->at, p->forever ? "for ever" : "once",
		 p->errnum, zinc_status_name(st), problem);
}

static void
check_error(const struct point *p, zinc_status st, zinc_error *err, uint32_t ready)
{
	if (st == ZINC_OK)
		error_untouched(err, ready, p->what);
	if (st != ZINC_OK && err->code != st)
		blame(p, st, "the error has another status");
	if (st != ZINC_OK && err->text[0] == '\0')
		blame(p, st, "the error says nothing");
}

/* May a failing OS call give this status? */
static bool
is_about_the_system(zinc_status st, int errnum)
{
	switch (st) {
	case ZINC_E_INVALID:
	case ZINC_E_LIMIT:
		return errnum == ENAMETOOLONG;
	case ZINC_E_NOTFOUND:
		return errnum == ENOENT;
	case ZINC_E_CORRUPT:
	case ZINC_E_CHECKSUM:
	case ZINC_E_UNSUPPORTED:
	case ZINC_E_RANGE:
		return false;
	default:
		return true;
	}
}

/* One run in its own context; either instrument may be NULL. */
static zinc_status
run_once(const sweep_scenario *s, sweep_memory *m, sweep_calls *c, const struct point *p)
{
	zinc_context_options o = ZINC_CONTEXT_OPTIONS_INIT;
	zinc_error err = ZINC_ERROR_INIT;
	zinc_context *ctx = NULL;
	uint32_t ready;
	zinc_status st;

	o.threads = s->threads ? s->threads : 1;
	o.allocator = &m->allocator;
	if (s->before)
		s->before(s->arg);
	assert_int_equal(zinc_context_new(&ctx, &o, NULL), ZINC_OK);
	if (c) {
		zinc_context_set_os(ctx, &c->os);
		sweep_calls_fail(c, p->at, p->forever, p->errnum);
	} else
		sweep_memory_fail(m, p->at, p->forever);
	ready = error_ready(&err);
	st = s->run(s->arg, ctx, &err);
	zinc_context_free(ctx);
	m->fail_at = 0; /* but `failed` still has the result */
	if (c)
		c->fail_at = 0;
	check_error(p, st, &err, ready);
	if (m->blocks != 0)
		blame(p, st, "memory is left");
	if (c && c->nopen != 0)
		blame(p, st, "a descriptor is left open");
	if (c && c->bad_closes != 0)
		blame(p, st, "a descriptor was closed twice");
	if (s->after)
		s->after(s->arg, st);
	return st;
}

/* ---- memory ---- */

unsigned long
sweep_alloc_scenario(const sweep_scenario *s)
{
	struct point p = {"allocation", 0, false, 0};
	unsigned long points = 0;
	zinc_status normal, st;
	sweep_memory m;
	int mode;

	sweep_memory_init(&m);
	normal = run_once(s, &m, NULL, &p);
	for (mode = 0; mode < 2; mode++) {
		p.forever = mode == 1;
		for (p.at = 1;; p.at = SWEEP_NEXT(p.at)) {
			st = run_once(s, &m, NULL, &p);
			if (m.failed == 0)
				break;
			if (st != ZINC_OK && st != ZINC_E_NOMEM && st != normal)
				blame(&p, st, "not E_NOMEM");
		}
		if (st != normal)
			blame(&p, st, "another status without any failure");
		points += p.at - 1;
	}
	return points;
}

unsigned long
sweep_alloc(sweep_fn run, void *arg)
{
	sweep_scenario s = {.run = run, .arg = arg};

	return sweep_alloc_scenario(&s);
}

/* ---- OS calls ---- */

/* All points of one errno and mode. */
static unsigned long
sweep_errnum(const sweep_scenario *s, sweep_memory *m, sweep_calls *c, struct point *p, zinc_status normal)
{
	zinc_status st;

	for (p->at = 1;; p->at = SWEEP_NEXT(p->at)) {
		st = run_once(s, m, c, p);
		if (c->failed == 0)
			break;
		if (st != normal && !is_about_the_system(st, p->errnum))
			blame(p, st, "blames the data or the caller");
	}
	if (st != normal)
		blame(p, st, "another status without any failure");
	return p->at - 1;
}

unsigned long
sweep_os_scenario(const sweep_scenario *s, const int *errnums)
{
	struct point p = {"OS call", 0, false, 0};
	unsigned long points = 0;
	static sweep_calls c; /* large */
	sweep_memory m;
	zinc_status normal;

	sweep_memory_init(&m);
	sweep_calls_init(&c, NULL);
	normal = run_once(s, &m, &c, &p);
	c.most_bytes = 5;
	p.what = "short reads and writes, call";
	if (run_once(s, &m, &c, &p) != normal)
		blame(&p, normal, "another status when reads and writes are short");
	c.most_bytes = 0;
	p.what = "OS call";
	for (; *errnums; errnums++) {
		p.errnum = *errnums;
		p.forever = false;
		points += sweep_errnum(s, &m, &c, &p, normal);
		p.forever = true;
		if (p.errnum != EINTR)
			points += sweep_errnum(s, &m, &c, &p, normal);
	}
	sweep_calls_fini(&c);
	return points;
}

unsigned long
sweep_os(sweep_fn run, void *arg, ...)
{
	sweep_scenario s = {.run = run, .arg = arg};
	int errnums[MOST_ERRNUMS + 1];
	va_list args;
	int n = 0;

	va_start(args, arg);
	do
		errnums[n] = n < MOST_ERRNUMS ? va_arg(args, int) : 0;
	while (errnums[n++] != 0);
	va_end(args);
	return sweep_os_scenario(&s, errnums);
}
