/*
 * out_json.c - elements as nested JSON lists on one line
 *
 * 64-bit integers are exact; NaN and the infinities are the strings of the v3 specification; complex numbers
 * are [re, im]; all other types are the library's to spell.
 */
#include <math.h>

#include "cli.h"

static void
number(struct text *t, double v, enum width w)
{
	if (isnan(v))
		text_puts(t, "\"NaN\"");
	else if (isinf(v))
		text_puts(t, v < 0 ? "\"-Infinity\"" : "\"Infinity\"");
	else
		text_float(t, v, w);
}

static void
element(struct printer *p, const unsigned char *e)
{
	enum width w = width_of(p->type);

	if (is_float(p->type)) {
		number(&p->text, real_part(p->type, e), w);
	} else if (is_complex(p->type)) {
		text_puts(&p->text, "[");
		number(&p->text, real_part(p->type, e), w);
		text_puts(&p->text, ",");
		number(&p->text, imaginary_part(p->type, e), w);
		text_puts(&p->text, "]");
	} else if (p->type == ZINC_BOOL) {
		text_puts(&p->text, *e ? "true" : "false");
	} else if (zinc_type_size(p->type)) {
		text_integer(&p->text, p->type, e);
	} else {
		text_element(&p->text, p, e, ZINC_SPELL_JSON);
	}
}

/* A result without elements: lists down to the dimension of length 0. */
static void
empty(struct printer *p, int d)
{
	uint64_t i;

	text_puts(&p->text, "[");
	for (i = 0; i < p->region->shape[d]; i++) {
		if (i)
			text_puts(&p->text, ",");
		empty(p, d + 1);
		printer_flush(p);
	}
	text_puts(&p->text, "]");
}

static void
json_begin(struct printer *p)
{
	if (p->region->n == 0)
		empty(p, 0);
	else
		text_fill(&p->text, '[', (size_t)p->region->out_ndim);
}

static void
json_elements(struct printer *p, void *elements, size_t n)
{
	const unsigned char *e = elements;

	for (; n; n--, e += p->element) {
		int anew, ndim = p->region->out_ndim;

		element(p, e);
		anew = printer_step(p);
		text_fill(&p->text, ']', (size_t)anew);
		if (anew < ndim) {
			text_puts(&p->text, ",");
			text_fill(&p->text, '[', (size_t)anew);
		}
		printer_flush(p);
	}
}

static void
json_end(struct printer *p)
{
	text_puts(&p->text, "\n");
}

const struct printer_ops printer_json = {"json", 1, json_begin, json_elements, json_end, printer_nothing};
