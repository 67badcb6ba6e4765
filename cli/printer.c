/* printer.c - what all spellings of elements share */
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
