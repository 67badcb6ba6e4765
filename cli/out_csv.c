/* out_csv.c - elements as CSV: one line per row of the last dimension; --index adds the other indices */
#include "cli.h"

/* Quoted as in RFC 4180: only if necessary, with quotes doubled. */
static void
field(struct printer *p, const void *e)
{
	struct text t = {NULL, 0, 0};
	bool quoted = false;
	size_t i;

	text_element(&t, p, e, ZINC_SPELL_TEXT);
	for (i = 0; i < t.n; i++)
		quoted = quoted || strchr(",\"\r\n", t.p[i]);
	text_puts(&p->text, quoted ? "\"" : "");
	for (i = 0; i < t.n; i++)
		text_add(&p->text, t.p[i] == '"' ? "\"\"" : &t.p[i], t.p[i] == '"' ? 2 : 1);
	text_puts(&p->text, quoted ? "\"" : "");
	text_free(&t);
}

static void
element(struct printer *p, const unsigned char *e)
{
	size_t i;

	if (is_float(p->type))
		text_float(&p->text, real_part(p->type, e), width_of(p->type));
	else if (is_complex(p->type))
		text_complex(&p->text, p->type, e, false);
	else if (zinc_type_size(p->type))
		text_integer(&p->text, p->type, e);
	else if (p->type == ZINC_NATIVE)
		field(p, e);
	else
		for (i = 0; i < p->element; i++)
			text_printf(&p->text, "%02x", e[i]);
}

static void
indices(struct printer *p)
{
	int d;

	for (d = 0; d + 1 < p->region->out_ndim; d++)
		text_printf(&p->text, "%llu,", (unsigned long long)region_index(p->region, d, p->at[d]));
}

static void
csv_elements(struct printer *p, void *elements, size_t n)
{
	const unsigned char *e = elements;
	int last = p->region->out_ndim - 1;

	for (; n; n--, e += p->element) {
		if (p->index && last >= 0 && p->at[last] == 0)
			indices(p);
		element(p, e);
		text_puts(&p->text, last < 0 || printer_step(p) > 0 ? "\n" : ",");
		printer_flush(p);
	}
}

const struct printer_ops printer_csv = {"csv", 1, printer_noop, csv_elements, printer_noop, printer_noop};
