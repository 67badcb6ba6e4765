/*
 * printer.c - what all spellings of elements share
 *
 * A printer gets the elements of a result in C order, in pieces of any length, and keeps its place in p->at.  When
 * the last index of a dimension was reached it begins anew, and so perhaps do others before it: how many is all
 * that is needed to close and open brackets, to end lines, to leave lines empty.
 */
#include "cli.h"

#define ENOUGH (1u << 16)

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
	if (p->text.n < ENOUGH)
		return;
	out_add(p->out, p->text.p, p->text.n);
	p->text.n = 0;
}

void
printer_nothing(struct printer *p)
{
	(void)p;
}
