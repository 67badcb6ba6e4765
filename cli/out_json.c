/*
 * out_json.c - elements as nested JSON lists on one line
 *
 * 64-bit integers are exact; NaN and the infinities are the strings of the v3 specification; complex numbers
 * are [re, im]; the library prints all other types.
 */
#include "cli.h"

static void
element(struct json *j, struct printer *p, const unsigned char *e)
{
	enum width w = width_of(p->type);

	if (is_float(p->type)) {
		json_float(j, real_part(p->type, e), w);
	} else if (is_complex(p->type)) {
		json_begin_array(j);
		json_float(j, real_part(p->type, e), w);
		json_float(j, imaginary_part(p->type, e), w);
		json_end_array(j);
	} else if (p->type == ZINC_BOOL) {
		json_bool(j, *e);
	} else if (zinc_type_size(p->type)) {
		text_integer(json_value(j), p->type, e);
	} else {
		text_element(json_value(j), p, e, ZINC_SPELL_JSON);
	}
}

/* Move the text written so far to the printer. */
static void
hand_over(struct printer *p)
{
	struct json *j = p->state;

	text_add(&p->text, text_str(&j->text), j->text.n);
	j->text.n = 0;
}

static void
flush(struct printer *p)
{
	const struct json *j = p->state;

	if (j->text.n < PRINTER_FLUSH_AT)
		return;
	hand_over(p);
	printer_flush(p);
}

/* A result without elements: lists down to the dimension of length 0. */
static void
empty(struct printer *p, int d)
{
	uint64_t i;

	json_begin_array(p->state);
	for (i = 0; i < p->region->shape[d]; i++) {
		empty(p, d + 1);
		flush(p);
	}
	json_end_array(p->state);
}

static void
json_begin(struct printer *p)
{
	int d;

	p->state = xrealloc(NULL, sizeof(struct json));
	*(struct json *)p->state = (struct json)JSON_INIT;
	if (p->region->n == 0)
		empty(p, 0);
	else
		for (d = 0; d < p->region->out_ndim; d++)
			json_begin_array(p->state);
}

static void
json_elements(struct printer *p, void *elements, size_t n)
{
	const unsigned char *e = elements;
	struct json *j = p->state;

	for (; n; n--, e += p->element) {
		int restarted, i;

		element(j, p, e);
		restarted = printer_step(p);
		for (i = 0; i < restarted; i++)
			json_end_array(j);
		for (i = 0; i < restarted && restarted < p->region->out_ndim; i++)
			json_begin_array(j);
		flush(p);
	}
}

static void
json_end(struct printer *p)
{
	struct json *j = p->state;

	text_puts(&j->text, "\n");
	hand_over(p);
}

static void
json_fini(struct printer *p)
{
	json_free(p->state);
	free(p->state);
}

const struct printer_ops printer_json = {"json", 1, json_begin, json_elements, json_end, json_fini};
