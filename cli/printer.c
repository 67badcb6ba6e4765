/*
 * printer.c - shared by all printers of elements
 *
 * A printer gets the elements of a result in C order, in pieces of any length, and keeps the index of the next one
 * in p->at.  printer_step says how many trailing dimensions start again at 0: so many brackets or lines end and
 * begin.
 */
#include "cli.h"

int
printer_step(struct printer *p)
{
	int ndim = p->region->out_ndim, d;

	for (d = ndim - 1; d >= 0; d--) {
		if (++p->at[d] < p->region->shape[d])
			return ndim - 1 - d;
		p->at[d] = 0;
	}
	return ndim;
}

void
printer_flush(struct printer *p)
{
	if (p->text.n < PRINTER_FLUSH_AT)
		return;
	out_add(p->out, p->text.p, p->text.n);
	p->text.n = 0;
}

void
printer_noop(struct printer *p)
{
	(void)p;
}

/* A time, in quotes where text has them. */
static void
text_time(struct text *t, struct printer *p, const void *element, zinc_spelling how)
{
	const char *quote = how == ZINC_SPELL_JSON ? "\"" : how == ZINC_SPELL_REPR ? "'" : "";
	zinc_error err = ZINC_ERROR_INIT;
	char room[64];

	if (zinc_cf_print(p->cf, element, room, &err))
		p->status = fail(p->url, &err);
	else
		text_printf(t, "%s%s%s", quote, room, quote);
}

void
text_element(struct text *t, struct printer *p, const void *element, zinc_spelling how)
{
	const zinc_array *a = p->region->array;
	zinc_error err = ZINC_ERROR_INIT;
	char room[256];
	size_t n = 0;

	if (p->status != DONE)
		return;
	if (p->cf) {
		text_time(t, p, element, how);
		return;
	}
	if (zinc_array_element_print(a, element, how, room, sizeof room, &n, &err)) {
		p->status = fail(p->url, &err);
	} else if (n < sizeof room) {
		text_add(t, room, n);
	} else { /* again, with enough room for the text and its NUL */
		text_fill(t, ' ', n);
		if (zinc_array_element_print(a, element, how, t->p + t->n - n, n + 1, &n, &err))
			p->status = fail(p->url, &err);
	}
}
