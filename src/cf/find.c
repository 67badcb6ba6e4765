/*
 * find.c - search a coordinate
 *
 * Promises (tests/unit/test_cf_select.c names each by its number):
 *
 * (1) All elements that match are selected, in the order of the coordinate, whichever way that runs: consecutive ones as
 *     a slice, others as a list.  NaN, NaT and missing values never match.
 * (2) A value that one element has drops the dimension, and so does a date as fine as the coordinate.  A range or a
 *     coarser date keeps it.
 * (3) A value that is not there is E_RANGE, and the message has the ends of the coordinate; so is a period that is
 *     wholly outside of them.  A range may select nothing.
 * (4) The nearest value wins, of two equally near ones the larger.
 * (5) The coordinate is read piece by piece, at most PIECE bytes or one of its chunks at once.
 */
#include <math.h>
#include <stdio.h>

#include "cf/find.h"

#define PIECE   ((uint64_t)4 << 20)
#define MOST    ((uint64_t)1 << 31) /* elements that a coordinate may have */
#define LONGEST ((size_t)1 << 24)   /* entries of a list that a search may make */

/* ---- what was found ---- */

typedef struct matches {
	zinc_context *ctx;
	uint64_t n, first, last;
	uint64_t *list; /* NULL: consecutive */
	size_t room;
} matches;

static void
forget(matches *m)
{
	m->n = 0;
	zinc_free(m->ctx, m->list);
	m->list = NULL;
	m->room = 0;
}

/* Write out what was consecutive until now. */
static zinc_status
grow(matches *m, zinc_error *err)
{
	const bool fresh = !m->list;
	size_t room = m->n < 32 ? 64 : (size_t)m->n * 2;
	uint64_t *list;
	size_t i;

	if (m->n >= LONGEST)
		return zinc_fail(err, ZINC_E_LIMIT,
				 "more than %zu elements of the coordinate match, which are not next to each other",
				 LONGEST);
	list = zinc_realloc(m->ctx, m->list, room * sizeof *list);
	if (!list)
		return zinc_fail_nomem(err);
	for (i = 0; fresh && i < m->n; i++)
		list[i] = m->first + i;
	m->list = list;
	m->room = room;
	return ZINC_OK;
}

static zinc_status
add(matches *m, uint64_t i, zinc_error *err)
{
	if (m->n > 0 && !m->list && i != m->last + 1)
		ZINC_TRY(grow(m, err));
	if (m->list && m->n == m->room)
		ZINC_TRY(grow(m, err));
	if (m->list)
		m->list[m->n] = i;
	if (m->n == 0)
		m->first = i;
	m->last = i;
	m->n++;
	return ZINC_OK;
}

/* ---- the search ---- */

/* One element, in the form that is compared. */
typedef struct value {
	bool missing;
	zinc_i128 n;
	double real;
} value;

typedef struct search {
	const zinc_axis *x;
	const zinc_wanted *w;
	const zinc_wait *wait;
	matches found;
	value best;           /* NEAREST: what `found` has */
	zinc_resolution fine; /* TIME: of the elements seen */
	uint64_t least_at, most_at;
	value least, most; /* of the elements seen */
	bool any;
	void *read, *decoded; /* a piece */
	uint64_t piece;       /* its elements */
	zinc_arena *arena;
	char *text; /* room for one element as text */
	size_t ntext;
} search;

static int
compare(const zinc_axis *x, const value *a, const value *b)
{
	if (x->kind == ZINC_AXIS_REAL)
		return (a->real > b->real) - (a->real < b->real);
	return (a->n > b->n) - (a->n < b->n);
}

static bool
matches_range(const search *s, const value *v)
{
	const zinc_wanted *w = s->w;

	if (s->x->kind == ZINC_AXIS_REAL)
		return v->real >= w->from.real && v->real <= w->to.real;
	return v->n >= w->from.n + (w->from.part > 0) && v->n <= w->to.n;
}

/* How far from the wanted value: `whole` and a part of 1, or a double. */
typedef struct distance {
	zinc_i128 whole;
	double part;
} distance;

static distance
distance_of(const search *s, const value *v)
{
	const zinc_mark *at = &s->w->from;

	if (s->x->kind == ZINC_AXIS_REAL)
		return (distance){.part = v->real == at->real ? 0 : fabs(v->real / 2 - at->real / 2)};
	if (v->n <= at->n)
		return (distance){.whole = at->n - v->n, .part = at->part};
	return at->part > 0 ? (distance){.whole = v->n - at->n - 1, .part = 1 - at->part}
			    : (distance){.whole = v->n - at->n};
}

/* Is `v` a better answer than the best one?  As near and larger counts. */
static bool
is_nearer(const search *s, const value *v)
{
	const distance new = distance_of(s, v), old = distance_of(s, &s->best);

	if (new.whole != old.whole)
		return new.whole < old.whole;
	if (new.part < old.part || new.part > old.part)
		return new.part < old.part;
	return compare(s->x, v, &s->best) > 0;
}

static zinc_status
look_near(search *s, const value *v, uint64_t i, zinc_error *err)
{
	if (s->found.n > 0 && compare(s->x, v, &s->best) == 0)
		return add(&s->found, i, err);
	if (s->found.n > 0 && !is_nearer(s, v))
		return ZINC_OK;
	forget(&s->found);
	s->best = *v;
	return add(&s->found, i, err);
}

/* The ends of the coordinate, and how fine its times are. */
static void
notice(search *s, const value *v, uint64_t i)
{
	if (!s->any || compare(s->x, v, &s->least) < 0) {
		s->least = *v;
		s->least_at = i;
	}
	if (!s->any || compare(s->x, v, &s->most) > 0) {
		s->most = *v;
		s->most_at = i;
	}
	s->any = true;
}

static zinc_i128
common(zinc_i128 a, zinc_i128 b)
{
	while (b != 0) {
		const zinc_i128 rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* Is a time a whole number of units of the resolution?  As many ticks make one. */
static bool
is_whole(const zinc_clock *c, zinc_i128 ticks, zinc_resolution r)
{
	const zinc_i128 unit = zinc_resolution_attos(r);

	return ticks % (unit / common(unit, c->tick)) == 0;
}

/* Days at least: NumPy and pandas do not know that all dates of an axis are the first of a month. */
static zinc_resolution
coarsest(const zinc_clock *c)
{
	if (c->months == 0)
		return ZINC_TO_DAY;
	return c->months % 12 == 0 ? ZINC_TO_YEAR : ZINC_TO_MONTH;
}

static void
refine(search *s, const value *v)
{
	if (s->x->clock.months == 0)
		while (s->fine < ZINC_TO_ATTO && !is_whole(&s->x->clock, v->n, s->fine))
			s->fine++;
}

static zinc_status
look_at(search *s, const value *v, uint64_t i, zinc_error *err)
{
	if (v->missing)
		return ZINC_OK;
	notice(s, v, i);
	if (s->x->kind == ZINC_AXIS_TIME)
		refine(s, v);
	if (s->w->how == ZINC_WANT_NEAREST)
		return look_near(s, v, i, err);
	return matches_range(s, v) ? add(&s->found, i, err) : ZINC_OK;
}

/* ---- elements ---- */

static value
load(const zinc_axis *x, const void *elements, size_t i)
{
	const char *p = elements;
	value v = {.missing = false};
	uint64_t u;
	int64_t n;

	if (x->decoded != x->wide) /* a wider type holds every value */
		(void)zinc_dtype_convert(x->wide, x->decoded, &u, p + i * x->ndecoded, 1, 0);
	else
		memcpy(&u, p + i * sizeof u, sizeof u);
	if (x->kind != ZINC_AXIS_REAL) {
		memcpy(&n, &u, sizeof n);
		v.n = x->is_unsigned ? (zinc_i128)u : (zinc_i128)n;
		v.missing = x->kind != ZINC_AXIS_INTEGER && n == INT64_MIN;
		return v;
	}
	memcpy(&v.real, &u, sizeof v.real);
	v.missing = isnan(v.real);
	return v;
}

static zinc_status
read_piece(search *s, uint64_t first, uint64_t n, zinc_error *err)
{
	const zinc_axis *x = s->x;
	const zinc_call_options rest = zinc_wait_rest(s->wait);
	const zinc_io_options io = {.size = sizeof io, .call = &rest};
	const zinc_selection box = {
	    .size = sizeof box, .kind = ZINC_SELECT_BOX, .ndim = 1, .start = &first, .count = &n};
	zinc_buffer b = ZINC_BUFFER_INIT(x->read, s->read, (size_t)n * x->nread);

	if (s->arena)
		zinc_arena_empty(s->arena);
	b.arena = s->arena;
	ZINC_TRY(zinc_array_read(x->array, &box, &b, &io, err));
	return x->cf ? zinc_cf_decode(x->cf, s->read, (size_t)n, s->decoded, err) : ZINC_OK;
}

/* Does element i of the piece have the wanted text? */
static zinc_status
has_text(search *s, size_t i, bool *yes, zinc_error *err)
{
	size_t n;

	ZINC_TRY(zinc_array_element_print(s->x->array, (char *)s->read + i * s->x->nread, ZINC_SPELL_TEXT, s->text,
					  s->ntext, &n, err));
	*yes = n + 1 == s->ntext && memcmp(s->text, s->w->text, n) == 0;
	return ZINC_OK;
}

static zinc_status
look_at_piece(search *s, uint64_t first, uint64_t n, zinc_error *err)
{
	uint64_t i;
	bool yes;

	for (i = 0; i < n; i++) {
		if (s->x->kind == ZINC_AXIS_TEXT) {
			ZINC_TRY(has_text(s, (size_t)i, &yes, err));
			if (yes)
				ZINC_TRY(add(&s->found, first + i, err));
		} else {
			const value v = load(s->x, s->x->cf ? s->decoded : s->read, (size_t)i);

			ZINC_TRY(look_at(s, &v, first + i, err));
		}
	}
	return ZINC_OK;
}

/* Whole chunks, so that none is decoded twice. */
static uint64_t
choose_piece(const zinc_axis *x)
{
	const size_t nbytes = x->nread + x->ndecoded;
	const uint64_t most = zinc_max_u64(1, PIECE / (nbytes ? nbytes : 1));
	uint64_t chunk[ZINC_MAX_NDIM], n = most;

	if (zinc_array_chunk_shape(x->array, chunk) && chunk[0] > 0)
		n = chunk[0] < most ? most - most % chunk[0] : zinc_min_u64(chunk[0], 16 * most);
	return zinc_max_u64(1, zinc_min_u64(n, x->n));
}

static void
search_fini(search *s)
{
	zinc_context *ctx = s->found.ctx;

	forget(&s->found);
	zinc_free(ctx, s->read);
	zinc_free(ctx, s->decoded);
	zinc_free(ctx, s->text);
	if (s->arena)
		zinc_arena_free(s->arena);
}

static zinc_status
search_init(search *s, const zinc_axis *x, const zinc_wanted *w, const zinc_wait *wait, zinc_error *err)
{
	*s = (search){.x = x, .w = w, .wait = wait, .fine = coarsest(&x->clock), .found = {.ctx = x->array->ctx}};
	s->piece = choose_piece(x);
	s->ntext = x->kind == ZINC_AXIS_TEXT ? strlen(w->text) + 1 : 1;
	s->read = zinc_calloc(s->found.ctx, (size_t)s->piece, x->nread);
	s->decoded = zinc_calloc(s->found.ctx, (size_t)s->piece, x->ndecoded);
	s->text = zinc_alloc(s->found.ctx, s->ntext + 1);
	if (!s->read || !s->decoded || !s->text)
		return zinc_fail_nomem(err);
	return zinc_array_variable(x->array) ? zinc_arena_new(&s->arena, s->found.ctx, 0, err) : ZINC_OK;
}

static zinc_status
search_all(search *s, zinc_error *err)
{
	uint64_t at, n;

	if (s->x->n > MOST)
		return zinc_fail(err, ZINC_E_LIMIT, "the coordinate has more than %llu elements: select by index",
				 (unsigned long long)MOST);
	for (at = 0; at < s->x->n; at += n) {
		n = zinc_min_u64(s->piece, s->x->n - at);
		ZINC_TRY(read_piece(s, at, n, err));
		ZINC_TRY(look_at_piece(s, at, n, err));
	}
	return ZINC_OK;
}

/* ---- the answer ---- */

/* An element of type REAL or INTEGER. */
static void
print_number(const search *s, char *out, size_t room)
{
	const value v = load(s->x, s->x->cf ? s->decoded : s->read, 0);

	if (s->x->kind == ZINC_AXIS_REAL)
		snprintf(out, room, "%.*g", s->x->real == ZINC_FLOAT64 ? 15 : 7, v.real);
	else if (v.n < 0)
		snprintf(out, room, "%lld", (long long)v.n);
	else
		snprintf(out, room, "%llu", (unsigned long long)v.n);
}

static zinc_status
print_first(const search *s, char *out, size_t room)
{
	const zinc_axis *x = s->x;
	size_t n;

	if (x->kind == ZINC_AXIS_REAL || x->kind == ZINC_AXIS_INTEGER) {
		print_number(s, out, room);
		return ZINC_OK;
	}
	if (x->cf)
		return zinc_cf_print(x->cf, s->decoded, out, NULL);
	return zinc_array_element_print(x->array, s->read, ZINC_SPELL_TEXT, out, room, &n, NULL);
}

/* An element as text for a message; "?" when that fails. */
static void
show(search *s, uint64_t i, char out[60])
{
	char text[100];

	if (read_piece(s, i, 1, NULL) != ZINC_OK || print_first(s, text, sizeof text) != ZINC_OK)
		snprintf(text, sizeof text, "?");
	if (s->x->kind == ZINC_AXIS_TIME && s->fine == ZINC_TO_DAY)
		text[strcspn(text, "T")] = '\0'; /* all are at midnight */
	zinc_show(out, 60, text);
}

static zinc_status
fail_missing(search *s, const char *wanted, zinc_error *err)
{
	char first[60], last[60], text[80], name[80];
	const bool up = s->least_at <= s->most_at;

	if (s->x->kind == ZINC_AXIS_TEXT && s->x->n > 0) {
		s->any = true;
		s->least_at = 0;
		s->most_at = s->x->n - 1;
	}
	zinc_show(text, sizeof text, wanted);
	zinc_show(name, sizeof name, s->x->name);
	if (!s->any)
		return zinc_fail(err, ZINC_E_RANGE, "\"%s\" has no value %s: it has no values at all", name, text);
	show(s, up ? s->least_at : s->most_at, first);
	show(s, up ? s->most_at : s->least_at, last);
	return zinc_fail(err, ZINC_E_RANGE, "\"%s\" has no value %s: it goes from %s to %s", name, text, first, last);
}

/* Is a period, which has no element, between two of them? */
static bool
is_gap(const search *s)
{
	return s->any && s->x->kind == ZINC_AXIS_TIME && s->w->fine < s->fine && s->w->to.n >= s->least.n &&
	       s->w->from.n <= s->most.n;
}

static zinc_status
answer(search *s, const char *text, zinc_select_dim *out, zinc_error *err)
{
	matches *m = &s->found;
	const bool one = s->w->how != ZINC_WANT_RANGE &&
			 !(s->w->how == ZINC_WANT_VALUE && s->x->kind == ZINC_AXIS_TIME && s->w->fine < s->fine);

	if (m->n == 0 && s->w->how != ZINC_WANT_RANGE && !(s->w->how == ZINC_WANT_VALUE && is_gap(s)))
		return fail_missing(s, text, err);
	*out = (zinc_select_dim){.start = m->n > 0 ? m->first : 0, .count = m->n, .step = 1};
	out->drop = one && m->n == 1;
	if (m->list) {
		out->list = m->list;
		out->nlist = (size_t)m->n;
		m->list = NULL; /* the selection's */
	}
	return ZINC_OK;
}

zinc_status
zinc_axis_find(const zinc_axis *x, const zinc_wanted *w, const char *text, const zinc_wait *wait, zinc_select_dim *out,
	       zinc_error *err)
{
	zinc_status st;
	search s;

	st = search_init(&s, x, w, wait, err);
	if (st == ZINC_OK)
		st = search_all(&s, err);
	if (st == ZINC_OK)
		st = answer(&s, text, out, err);
	search_fini(&s);
	return st;
}
