/*
 * sel_text.c - selections as text, numpy-like
 *
 *     selection = [ item { "," item } ]
 *     item      = "..." | number | [number] ":" [number] [ ":" [number] ] | "[" [ number { "," number } ] "]"
 *     number    = ["-"] digits
 *
 * with blanks allowed between all of these.  Dimensions that are not named are selected whole; "..." stands for as many
 * as are missing.
 *
 * (1) A slice is clipped and never fails; a number or an item of a list out of bounds is E_RANGE.
 * (2) Numbers of any length are read; beyond 2^64-1 they are out of bounds.
 */
#include "grid/grid.h"

typedef struct number {
	bool given, negative; /* negative, not given: a lone '-' */
	uint64_t n;           /* UINT64_MAX: this or more */
} number;

typedef struct parser {
	const char *text, *p;
	int ndim, at; /* number of dimensions, and the current one */
	const uint64_t *shape;
	zinc_select_dim *dims;
	uint64_t *list; /* where the next list is stored */
	zinc_error *err;
} parser;

/* The selection, followed by its dims and lists in the same allocation. */
typedef struct owned {
	zinc_context *ctx;
	zinc_selection s;
	zinc_select_dim dims[];
} owned;

void
zinc_selection_free(zinc_selection *selection)
{
	if (selection) {
		owned *o = (owned *)(void *)((char *)selection - offsetof(owned, s));

		zinc_free(o->ctx, o);
	}
}

static zinc_status
fail_syntax(const parser *ps, const char *what)
{
	return zinc_fail(ps->err, ZINC_E_INVALID, "selection \"%.80s\": %s at character %d", ps->text, what,
			 (int)(ps->p - ps->text) + 1);
}

static zinc_status
out_of_bounds(const parser *ps, number n)
{
	return zinc_fail(ps->err, ZINC_E_RANGE, "index %s%llu is out of bounds in dimension %d, which has length %llu",
			 n.negative ? "-" : "", (unsigned long long)n.n, ps->at, (unsigned long long)ps->shape[ps->at]);
}

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* The next character that is not blank. */
static char
peek(parser *ps)
{
	while (is_blank(*ps->p))
		ps->p++;
	return *ps->p;
}

static bool
take(parser *ps, char c)
{
	if (peek(ps) != c)
		return false;
	ps->p++;
	return true;
}

static number
take_number(parser *ps)
{
	number n = {.negative = take(ps, '-')};

	for (peek(ps); *ps->p >= '0' && *ps->p <= '9'; ps->p++) {
		n.given = true;
		if (zinc_u64_mul(n.n, 10, &n.n) || zinc_u64_add(n.n, (uint64_t)(*ps->p - '0'), &n.n))
			n.n = UINT64_MAX;
	}
	n.negative = n.negative && !(n.given && n.n == 0); /* -0 is 0 */
	return n;
}

/* Parse an index; a negative one counts from the end. */
static zinc_status
resolve(const parser *ps, number n, uint64_t *out)
{
	const uint64_t length = ps->shape[ps->at];

	if (!n.given)
		return fail_syntax(ps, "a number is missing");
	if (n.negative ? n.n > length : n.n >= length)
		return out_of_bounds(ps, n);
	*out = n.negative ? length - n.n : n.n;
	return ZINC_OK;
}

/* Parse an end of a slice and clip it. */
static uint64_t
clip(number n, uint64_t length, uint64_t absent)
{
	if (!n.given)
		return absent;
	if (n.negative)
		return n.n >= length ? 0 : length - n.n;
	return zinc_min_u64(n.n, length);
}

/* Parse the rest of a slice; its start has been read and a ':' is next. */
static zinc_status
parse_slice(parser *ps, number first)
{
	const uint64_t length = ps->shape[ps->at];
	number stop, step = {.n = 1};
	uint64_t start, end;

	ps->p++;
	stop = take_number(ps);
	if (stop.negative && !stop.given)
		return fail_syntax(ps, "a number is missing");
	if (take(ps, ':')) {
		step = take_number(ps);
		if (step.negative || (step.given && step.n == 0))
			return fail_syntax(ps, "a step must be at least 1");
		step.n = step.given ? step.n : 1;
	}
	start = clip(first, length, 0);
	end = clip(stop, length, length);
	ps->dims[ps->at] = (zinc_select_dim){
	    .start = start, .count = start < end ? zinc_ceil_div(end - start, step.n) : 0, .step = step.n};
	return ZINC_OK;
}

static zinc_status
parse_list(parser *ps)
{
	zinc_select_dim *dim = &ps->dims[ps->at];

	*dim = (zinc_select_dim){.step = 1, .list = ps->list};
	if (take(ps, ']'))
		return ZINC_OK;
	do {
		ZINC_TRY(resolve(ps, take_number(ps), ps->list++));
		dim->nlist++;
	} while (take(ps, ','));
	return take(ps, ']') ? ZINC_OK : fail_syntax(ps, "',' or ']' is missing");
}

static zinc_status
parse_item(parser *ps)
{
	zinc_select_dim *dim = &ps->dims[ps->at];
	number n;

	if (take(ps, '['))
		return parse_list(ps);
	n = take_number(ps);
	if (peek(ps) == ':' && (n.given || !n.negative))
		return parse_slice(ps, n);
	*dim = (zinc_select_dim){.count = 1, .step = 1, .drop = 1};
	return resolve(ps, n, &dim->start);
}

/* Select `n` dimensions whole. */
static void
take_whole(parser *ps, int n)
{
	for (; n > 0 && ps->at < ps->ndim; n--, ps->at++)
		ps->dims[ps->at] = (zinc_select_dim){.count = ps->shape[ps->at], .step = 1};
}

/* `items` is the number of dimensions that the text names: "..." stands for the others. */
static zinc_status
parse_items(parser *ps, int items)
{
	bool ellipsis = false;

	if (peek(ps) == '\0')
		return ZINC_OK;
	do {
		if (peek(ps) == '.') {
			if (ellipsis || strncmp(ps->p, "...", 3) != 0)
				return fail_syntax(ps, ellipsis ? "a second \"...\"" : "something unknown");
			ellipsis = true;
			ps->p += 3;
			take_whole(ps, ps->ndim - items);
		} else if (ps->at == ps->ndim) {
			return fail_syntax(ps, "a dimension too many");
		} else {
			ZINC_TRY(parse_item(ps));
			ps->at++;
		}
	} while (take(ps, ','));
	return peek(ps) == '\0' ? ZINC_OK : fail_syntax(ps, "something unknown");
}

/* Count the items that name a dimension, and all commas, which bound the numbers in lists. */
static size_t
count_items(const char *text, size_t *commas)
{
	size_t items = 0;
	bool in_list = false, in_item = false;

	for (*commas = 0; *text; text++) {
		if (*text == ',') {
			++*commas;
			in_item = in_item && in_list;
		} else if (!in_item && *text != '.' && !is_blank(*text)) {
			in_item = true;
			items++;
		}
		in_list = *text == '[' || (in_list && *text != ']');
	}
	return items;
}

zinc_status
zinc_sel_parse_text(zinc_selection **out, zinc_context *ctx, const char *text, int ndim, const uint64_t *shape,
		    zinc_error *err)
{
	const size_t ndims = (size_t)ndim;
	size_t commas, items, size;
	parser ps;
	owned *o;
	zinc_status st;

	text = text ? text : "";
	items = count_items(text, &commas);
	if (items > ndims)
		return zinc_fail(err, ZINC_E_INVALID, "selection \"%.80s\" has more than %d dimensions", text, ndim);
	if (zinc_size_mul(commas + 1, sizeof(uint64_t), &size) ||
	    zinc_size_add(size, sizeof *o + ndims * sizeof o->dims[0], &size))
		return zinc_fail_nomem(err);
	o = zinc_alloc(ctx, size);
	if (!o)
		return zinc_fail_nomem(err);
	o->ctx = ctx;
	o->s =
	    (zinc_selection){.size = sizeof(zinc_selection), .kind = ZINC_SELECT_ORTHO, .ndim = ndim, .dims = o->dims};
	ps = (parser){.text = text, .p = text, .ndim = ndim, .shape = shape, .dims = o->dims, .err = err};
	ps.list = (uint64_t *)(void *)(o->dims + ndims);
	st = parse_items(&ps, (int)items);
	if (st != ZINC_OK) {
		zinc_free(ctx, o);
		return st;
	}
	take_whole(&ps, ndim - ps.at);
	*out = &o->s;
	return ZINC_OK;
}
