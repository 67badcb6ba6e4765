/*
 * select.c - selections by name and by coordinate value
 */
#include "cf/find.h"

#define BLANKS " \t\r\n"

ZINC_OPTIONS_KIND(zinc_find_options, ZINC_OPTION_YES_NO(zinc_find_options, lenient));

/* What one call needs to resolve values. */
typedef struct finder {
	zinc_array *a;
	zinc_wait wait;
} finder;

static zinc_status
no_coordinate(const zinc_array *a, int dim, zinc_error *err)
{
	const char *name = zinc_array_dimension_name(a, dim);
	char shown[100];

	zinc_show(shown, sizeof shown, name ? name : "");
	return zinc_fail(
	    err, ZINC_E_INVALID,
	    "dimension \"%s\" has no coordinate: there is no one-dimensional array of this name and length "
	    "in the array's group or above; select by index: %s=...",
	    shown, shown);
}

/* For zinc_sel_axes: the indices that a value means. */
static zinc_status
find_value(void *arg, int dim, const char *text, bool quoted, zinc_select_dim *out, zinc_error *err)
{
	const finder *f = arg;
	const zinc_call_options rest = zinc_wait_rest(&f->wait);
	zinc_array *coordinate;
	zinc_wanted w;
	zinc_axis x;
	zinc_status st;

	st = zinc_cf_coordinate(&coordinate, f->a, dim, &rest, err);
	if (st == ZINC_E_NOTFOUND) /* the text asks for what the array does not have */
		return no_coordinate(f->a, dim, err);
	ZINC_TRY(st);
	st = zinc_axis_init(&x, coordinate, zinc_array_dimension_name(f->a, dim), err);
	if (st == ZINC_OK) {
		st = zinc_wanted_parse(&w, &x, text, quoted, err);
		if (st == ZINC_OK)
			st = zinc_axis_find(&x, &w, text, &f->wait, out, err);
		zinc_axis_fini(&x);
	}
	zinc_array_close(coordinate);
	return st;
}

zinc_status
zinc_selection_find(zinc_selection **out, zinc_array *a, const char *text, const zinc_find_options *options,
		    zinc_error *err)
{
	finder f = {.a = a};
	zinc_find_options o;
	zinc_sel_axes axes;
	zinc_status st;
	zinc_meta *m;

	ZINC_TRY(ZINC_NEED(out && a && text, err));
	ZINC_TRY(zinc_options_take_as(&zinc_find_options_kind, &o, options, err));
	ZINC_TRY(zinc_wait_begin(&f.wait, o.call, err));
	m = zinc_array_snapshot(a);
	axes = (zinc_sel_axes){.ndim = m->ndim,
			       .shape = m->shape,
			       .names = m->dimension_names,
			       .lenient = o.lenient != 0,
			       .used = o.used,
			       .value = find_value,
			       .arg = &f};
	st = zinc_sel_parse_axes(out, a->ctx, text, &axes, err);
	zinc_meta_free(m);
	return zinc_error_at_node(err, st, a->h, a->path);
}

/* ---- one text for several arrays ---- */

/* The end of an item: a comma outside of lists, which only follow '=', and quotes. */
static const char *
end_of_item(const char *p)
{
	bool list = false, quoted = false;
	char after = '\0'; /* '=' or '@', once it was there */

	for (; *p && (*p != ',' || list || quoted); p++) {
		if (*p == '"')
			quoted = !quoted;
		else if (quoted)
			p += *p == '\\' && p[1];
		else if (after == '=')
			list = *p == '[' || (list && *p != ']');
		else if (!after && strchr("=@", *p))
			after = *p;
	}
	return p;
}

zinc_status
zinc_selection_check_used(const char *text, uint64_t used, zinc_error *err)
{
	const char *p, *end;
	unsigned i;

	ZINC_TRY(ZINC_NEED(text, err));
	p = text + strspn(text, BLANKS);
	for (i = 0; i < 64 && *p; i++, p = end + 1 + strspn(end + 1, BLANKS)) {
		end = end_of_item(p);
		if (!(used >> i & 1))
			return zinc_fail(err, ZINC_E_INVALID, "no array has the dimension of \"%.*s\"",
					 (int)zinc_min_u64((uint64_t)(end - p), 100), p);
		if (*end == '\0')
			break;
	}
	return ZINC_OK;
}
