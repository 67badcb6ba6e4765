/*
 * sel_text.c - selections as text, numpy-like
 *
 *     selection = [ item { "," item } ] | named { "," named }
 *     item      = "..." | index
 *     index     = number | [number] ":" [number] [ ":" [number] ] | "[" [ number { "," number } ] "]"
 *     number    = ["-"] digits
 *     named     = name "=" index | name "@" value
 *     name      = quoted | characters other than '=' '@' ',' '"'
 *     value     = quoted | characters other than ',' '"'
 *     quoted    = '"' { character | "\\" character } '"'
 *
 * with blanks allowed between all of these.  Dimensions that are not named are selected whole; "..." stands for as many
 * as are missing.  What a value means is decided by the caller's function.
 *
 * (1) A slice is clipped and never fails; a number or an item of a list out of bounds is E_RANGE.
 * (2) Numbers of any length are read; beyond 2^64-1 they are out of bounds.
 * (3) A name selects the one dimension that has it: an unknown name, one that two dimensions have or that the text has
 *     twice is E_INVALID, and the message has the names that there are.
 */
#include <stdio.h>

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
	uint64_t *list;          /* where the next list is stored */
	const uint64_t **found;  /* lists of values, per dimension */
	char *word;              /* room for a name or a value */
	const zinc_sel_axes *ax; /* names, and what to do with them */
	zinc_error *err;
} parser;

/* The selection, followed in the same allocation by its dims, lists, pointers to the lists that values gave, and a
 * word. */
typedef struct owned {
	zinc_context *ctx;
	const uint64_t **found;
	zinc_selection s;
	zinc_select_dim dims[];
} owned;

static void
free_owned(owned *o)
{
	int d;

	for (d = 0; d < o->s.ndim; d++)
		zinc_free(o->ctx, (void *)(uintptr_t)o->found[d]);
	zinc_free(o->ctx, o);
}

void
zinc_selection_free(zinc_selection *selection)
{
	if (selection)
		free_owned((owned *)(void *)((char *)selection - offsetof(owned, s)));
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

/* ---- by name ---- */

/* The names that there are, for a message. */
static void
list_names(const parser *ps, char *out, size_t room)
{
	size_t n = 0;
	int d;

	for (d = 0; d < ps->ndim && room - n > 8; d++) {
		char name[64];

		if (!ps->ax->names || !ps->ax->names[d])
			continue;
		zinc_show(name, sizeof name, ps->ax->names[d]);
		n += (size_t)snprintf(out + n, room - n, "%s%s", n > 0 ? ", " : "", name);
		n = n < room ? n : room - 1;
	}
	out[n] = '\0';
	if (room - n <= 8)
		memcpy(out + room - 4, "...", 4);
}

static zinc_status
fail_name(const parser *ps, const char *what)
{
	char names[320], name[100];

	list_names(ps, names, sizeof names);
	zinc_show(name, sizeof name, ps->word);
	if (names[0] == '\0')
		return zinc_fail(
		    ps->err, ZINC_E_INVALID,
		    "%s \"%s\": the array has no names of dimensions; select by position, as in \"0, 10:20\"", what,
		    name);
	return zinc_fail(ps->err, ZINC_E_INVALID, "%s \"%s\"; there are %s", what, name, names);
}

/* Copy a quoted text; the first quote is next. */
static zinc_status
take_quoted(parser *ps)
{
	size_t n = 0;

	for (ps->p++; *ps->p != '"'; ps->p++) {
		ps->p += *ps->p == '\\' && ps->p[1] != '\0';
		if (*ps->p == '\0')
			return fail_syntax(ps, "a '\"' is missing");
		ps->word[n++] = *ps->p;
	}
	ps->p++;
	ps->word[n] = '\0';
	return ZINC_OK;
}

/* Copy a name or a value, without blanks around it. */
static zinc_status
take_word(parser *ps, const char *until, bool *quoted)
{
	size_t n;

	*quoted = peek(ps) == '"';
	if (*quoted)
		return take_quoted(ps);
	n = strcspn(ps->p, until);
	memcpy(ps->word, ps->p, n);
	ps->p += n;
	while (n > 0 && is_blank(ps->word[n - 1]))
		n--;
	ps->word[n] = '\0';
	return ZINC_OK;
}

/* Find the dimension that `word` names; ndim: none, and that is allowed. */
static zinc_status
find_name(parser *ps)
{
	int d, found = ps->ndim;

	for (d = 0; d < ps->ndim && ps->ax->names; d++) {
		if (!ps->ax->names[d] || strcmp(ps->ax->names[d], ps->word) != 0)
			continue;
		if (found < ps->ndim)
			return fail_name(ps, "more than one dimension has the name");
		found = d;
	}
	if (found == ps->ndim && !ps->ax->lenient)
		return fail_name(ps, "there is no dimension");
	if (found < ps->ndim && ps->dims[found].step > 0)
		return fail_name(ps, "the text selects twice from the dimension");
	ps->at = found;
	return ZINC_OK;
}

/* Pass over the index of a dimension that the array does not have. */
static void
skip_index(parser *ps)
{
	bool in_list = false;

	for (; *ps->p && (in_list || *ps->p != ','); ps->p++)
		in_list = *ps->p == '[' || (in_list && *ps->p != ']');
}

static zinc_status
take_value(parser *ps)
{
	zinc_select_dim *dim = &ps->dims[ps->at];
	bool quoted;

	ZINC_TRY(take_word(ps, ",\"", &quoted));
	if (peek(ps) != ',' && *ps->p != '\0')
		return fail_syntax(ps, "',' is missing");
	if (ps->at == ps->ndim)
		return ZINC_OK;
	if (!ps->ax->value)
		return fail_syntax(ps, "a coordinate's value (zinc_selection_find takes those)");
	ZINC_TRY(ps->ax->value(ps->ax->arg, ps->at, ps->word, quoted, dim, ps->err));
	ps->found[ps->at] = dim->list;
	return ZINC_OK;
}

static zinc_status
parse_named(parser *ps, unsigned item)
{
	bool quoted, by_value;

	ZINC_TRY(take_word(ps, "=@,\"", &quoted));
	by_value = peek(ps) == '@';
	if (!by_value && *ps->p != '=')
		return fail_syntax(ps, "'=' or '@' is missing (items with and without names do not mix)");
	if (ps->word[0] == '\0' && !quoted)
		return fail_syntax(ps, "a name is missing");
	ZINC_TRY(find_name(ps));
	ps->p++;
	if (ps->at < ps->ndim && ps->ax->used)
		*ps->ax->used |= (uint64_t)1 << item;
	if (by_value)
		return take_value(ps);
	if (ps->at < ps->ndim)
		return parse_item(ps);
	skip_index(ps);
	return ZINC_OK;
}

static zinc_status
parse_all_named(parser *ps)
{
	unsigned item = 0;
	int d;

	memset(ps->dims, 0, (size_t)ps->ndim * sizeof *ps->dims); /* a step of 0: not selected from */
	do {
		if (item == 64)
			return fail_syntax(ps, "an item too many");
		ZINC_TRY(parse_named(ps, item++));
	} while (take(ps, ','));
	if (peek(ps) != '\0')
		return fail_syntax(ps, "something unknown");
	for (d = 0; d < ps->ndim; d++)
		if (ps->dims[d].step == 0)
			ps->dims[d] = (zinc_select_dim){.count = ps->shape[d], .step = 1};
	return ZINC_OK;
}

/* ---- both ---- */

static zinc_status
parse_positions(parser *ps, size_t items)
{
	if (items > (size_t)ps->ndim)
		return zinc_fail(ps->err, ZINC_E_INVALID, "selection \"%.80s\" has more than %d dimensions", ps->text,
				 ps->ndim);
	ZINC_TRY(parse_items(ps, (int)items));
	take_whole(ps, ps->ndim - ps->at);
	if (ps->ax->used)
		*ps->ax->used = items < 64 ? ((uint64_t)1 << items) - 1 : UINT64_MAX;
	return ZINC_OK;
}

/* Positions never have one of these characters. */
static bool
has_names(const char *text)
{
	return strpbrk(text, "=@\"") != NULL;
}

zinc_status
zinc_sel_parse_axes(zinc_selection **out, zinc_context *ctx, const char *text, const zinc_sel_axes *axes,
		    zinc_error *err)
{
	const size_t ndims = (size_t)axes->ndim, nword = strlen(text) + 1;
	size_t commas, size;
	const size_t items = count_items(text, &commas);
	parser ps = {.text = text, .p = text, .ndim = axes->ndim, .shape = axes->shape, .ax = axes, .err = err};
	owned *o;
	zinc_status st;

	if (axes->used)
		*axes->used = 0;
	if (zinc_size_mul(commas + 1, sizeof(uint64_t), &size) || zinc_size_add(size, nword, &size) ||
	    zinc_size_add(size, sizeof *o + ndims * (sizeof o->dims[0] + sizeof o->found[0]), &size))
		return zinc_fail_nomem(err);
	o = zinc_alloc(ctx, size);
	if (!o)
		return zinc_fail_nomem(err);
	o->ctx = ctx;
	o->s = (zinc_selection){
	    .size = sizeof(zinc_selection), .kind = ZINC_SELECT_ORTHO, .ndim = axes->ndim, .dims = o->dims};
	ps.dims = o->dims;
	ps.list = (uint64_t *)(void *)(o->dims + ndims);
	ps.found = o->found = (const uint64_t **)(void *)(ps.list + commas + 1);
	ps.word = (char *)(o->found + ndims);
	memset(o->found, 0, ndims * sizeof o->found[0]);
	st = has_names(text) ? parse_all_named(&ps) : parse_positions(&ps, items);
	if (st != ZINC_OK) {
		free_owned(o);
		return st;
	}
	*out = &o->s;
	return ZINC_OK;
}

zinc_status
zinc_sel_parse_text(zinc_selection **out, zinc_context *ctx, const char *text, int ndim, const uint64_t *shape,
		    zinc_error *err)
{
	return zinc_sel_parse_axes(out, ctx, text ? text : "", &(zinc_sel_axes){.ndim = ndim, .shape = shape}, err);
}
