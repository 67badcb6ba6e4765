/*
 * out_text.c - elements as NumPy prints an array
 *
 * Two passes: the first measures, so that the second can align.  Integers are right-aligned; floats share the
 * place of their point, have at most 8 digits behind it, and are all written with exponents when the largest
 * is 10^8 (float32: 10^6, float16: 10^3) or more, the smallest below 10^-4, or their ratio above 1000.  Lines are
 * wrapped at 75 columns.
 */
#include <math.h>

#include "cli.h"

/* Number of characters: NumPy breaks lines by it, not by the columns that wide characters take. */
static size_t
characters(const struct text *t)
{
	size_t n = 0, i;

	for (i = 0; i < t->n; i++)
		n += ((unsigned char)t->p[i] & 0xc0) != 0x80; /* not a continuation byte */
	return n;
}

#define LINE      75
#define PRECISION 8

/* Columns of one real number, enough for all values.  Whether exponents are used is known only at the end, so both
 * notations are measured. */
struct column {
	enum width width;
	bool plus; /* write '+' (imaginary parts) */
	bool finite, other, minus_infinity;
	double largest, smallest; /* absolute, not zero */
	size_t left, right;       /* of the point, positional; `left` with sign */
	size_t exp_left, exp_right, exp_digits;
	bool exponents;
	size_t pad_left, pad_right; /* decided by settle() */
};

struct state {
	struct column real, imaginary;
	size_t word;      /* columns of the widest integer or time */
	bool aligned;     /* times are, texts are not */
	struct text line; /* not yet printed */
	struct text word_text, number;
	size_t indent;   /* columns before the first word of a line */
	bool line_empty; /* no word on this line yet */
};

static size_t
larger(size_t a, size_t b)
{
	return a > b ? a : b;
}

/* ---- one float ---- */

/* "-12.5": digits in front of the point and behind it, at most PRECISION there, no zeros at the end. */
static void
positional(struct text *t, double v, const struct column *c)
{
	struct decimal d;

	if (c->plus && !signbit(v))
		text_puts(t, "+");
	decimal_shortest(&d, v, c->width);
	if (d.n - 1 - d.exponent <= PRECISION) {
		int whole = d.exponent + 1, zeros = whole < 0 ? -whole : 0;
		int given = whole < 0 ? 0 : d.n < whole ? d.n : whole;

		text_puts(t, d.negative ? "-" : "");
		text_add(t, d.digit, (size_t)given);
		text_fill(t, '0', whole > given ? (size_t)(whole - given) : whole <= 0);
		text_puts(t, ".");
		if (v != 0) {
			text_fill(t, '0', (size_t)zeros);
			text_add(t, d.digit + given, (size_t)(d.n - given));
		}
		return;
	}
	text_printf(t, "%.*f", PRECISION, v);
	while (t->p[t->n - 1] == '0')
		t->p[--t->n] = '\0';
}

/* "-1.25e+10": at least `least` and at most `most` digits behind the point, `digits` of the exponent. */
static void
scientific(struct text *t, double v, const struct column *c, size_t least, size_t most, size_t digits)
{
	struct decimal d;

	decimal_shortest(&d, v, c->width);
	if ((size_t)d.n - 1 > most)
		decimal_rounded(&d, v, (int)most + 1);
	else if ((size_t)d.n - 1 < least) /* NumPy shows digits of the exact value rather than zeros */
		decimal_rounded(&d, v, (int)least + 1);
	text_puts(t, d.negative ? "-" : c->plus ? "+" : "");
	text_add(t, d.digit, 1);
	text_puts(t, ".");
	text_add(t, d.digit + 1, (size_t)d.n - 1);
	text_fill(t, '0', least > (size_t)d.n - 1 ? least - (size_t)d.n + 1 : 0);
	text_printf(t, "e%c%0*d", d.exponent < 0 ? '-' : '+', (int)digits, abs(d.exponent));
}

/* ---- measuring ---- */

static void
measure(struct column *c, double v, struct text *t)
{
	double a = fabs(v);
	const char *point;

	if (!isfinite(v)) {
		c->other = true;
		c->minus_infinity |= isinf(v) && v < 0;
		return;
	}
	if (a > 0) {
		c->largest = c->largest > a ? c->largest : a;
		c->smallest = c->smallest > 0 && c->smallest < a ? c->smallest : a;
	}
	c->finite = true;
	t->n = 0;
	positional(t, v, c);
	point = strchr(t->p, '.');
	c->left = larger(c->left, (size_t)(point - t->p));
	c->right = larger(c->right, strlen(point + 1));
	t->n = 0;
	scientific(t, v, c, 0, PRECISION, 2);
	point = strchr(t->p, '.');
	c->exp_left = larger(c->exp_left, (size_t)(point - t->p));
	c->exp_right = larger(c->exp_right, strcspn(point + 1, "e"));
	c->exp_digits = larger(c->exp_digits, strlen(strchr(point, 'e') + 2));
}

/* Is it too large or too small, or are they too different, to be read without exponents? */
static bool
wants_exponents(const struct column *c)
{
	double large = c->width == DOUBLE ? 1e8 : c->width == SINGLE ? 1e6 : 1e3;
	double small = c->width == DOUBLE ? 1e-4 : c->width == SINGLE ? (double)1e-4f : half_value(0x068e);

	return c->largest > 0 && (c->largest >= large || c->smallest < small || c->largest / c->smallest > 1000);
}

/* After the last element was measured. */
static void
settle(struct column *c)
{
	size_t rest;

	c->exponents = wants_exponents(c);
	c->pad_left = c->exponents ? c->exp_left : c->left;
	c->pad_right = c->exponents ? c->exp_right + c->exp_digits + 2 : c->right;
	if (c->other) { /* room for "nan" and "-inf" */
		size_t longest = c->plus || c->minus_infinity ? 4 : 3;

		rest = c->pad_right + 1;
		c->pad_left = larger(c->pad_left, longest > rest ? longest - rest : 0);
	}
}

/* ---- words ---- */

static void
word_float(struct text *t, double v, const struct column *c, struct text *s)
{
	const size_t all = c->pad_left + 1 + c->pad_right;
	size_t left;

	s->n = 0;
	if (!isfinite(v)) {
		text_printf(s, "%s%s", isinf(v) && v < 0 ? "-" : c->plus ? "+" : "", isnan(v) ? "nan" : "inf");
		text_fill(t, ' ', all > s->n ? all - s->n : 0);
		text_add(t, s->p, s->n);
		return;
	}
	if (c->exponents)
		scientific(s, v, c, c->exp_right, c->exp_right, c->exp_digits);
	else
		positional(s, v, c);
	left = c->pad_left - (size_t)(strchr(s->p, '.') - s->p);
	text_fill(t, ' ', left);
	text_add(t, s->p, s->n);
	text_fill(t, ' ', all - left - s->n);
}

/* Real part, then imaginary part with its sign; 'j' goes in front of the blanks that pad it. */
static void
word_complex(struct text *t, struct state *s, zinc_type type, const void *e)
{
	size_t end;

	word_float(t, real_part(type, e), &s->real, &s->number);
	word_float(t, imaginary_part(type, e), &s->imaginary, &s->number);
	for (end = t->n; t->p[end - 1] == ' '; end--)
		;
	text_puts(t, " ");
	memmove(t->p + end + 1, t->p + end, t->n - 1 - end);
	t->p[end] = 'j';
}

/* Any other element, as printed in an array. */
static void
spell(struct text *t, struct printer *p, const void *e)
{
	if (zinc_type_size(p->type))
		text_integer(t, p->type, e);
	else
		text_element(t, p, e, ZINC_SPELL_REPR);
}

static void
word(struct text *t, struct printer *p, const void *e)
{
	struct state *s = p->state;
	size_t wide;

	if (is_float(p->type)) {
		word_float(t, real_part(p->type, e), &s->real, &s->number);
	} else if (is_complex(p->type)) {
		word_complex(t, s, p->type, e);
	} else {
		s->number.n = 0;
		spell(&s->number, p, e);
		wide = characters(&s->number);
		text_fill(t, ' ', s->word > wide ? s->word - wide : 0);
		text_add(t, text_str(&s->number), s->number.n);
	}
}

static void
measure_element(struct printer *p, const void *e)
{
	struct state *s = p->state;

	if (is_float(p->type) || is_complex(p->type)) {
		measure(&s->real, real_part(p->type, e), &s->number);
		if (is_complex(p->type))
			measure(&s->imaginary, imaginary_part(p->type, e), &s->number);
	} else if (zinc_type_size(p->type) || s->aligned) {
		s->number.n = 0;
		spell(&s->number, p, e);
		s->word = larger(s->word, characters(&s->number));
	}
}

/* ---- lines ---- */

/* A line that is wrapped loses the blanks at its end; one that ends in a bracket keeps them. */
static void
end_line(struct printer *p, bool strip)
{
	struct state *s = p->state;

	while (strip && s->line.n && s->line.p[s->line.n - 1] == ' ')
		s->line.n--;
	text_add(&p->text, s->line.p, s->line.n);
	s->line.n = 0;
	printer_flush(p);
}

/* A word on this line, or on a new one where it does not fit. */
static void
add_word(struct printer *p, const struct text *w, bool last)
{
	struct state *s = p->state;
	size_t width = LINE - (size_t)p->region->out_ndim;

	if (!s->line_empty && characters(&s->line) + characters(w) > width) {
		end_line(p, true);
		text_puts(&p->text, "\n");
		text_fill(&s->line, ' ', s->indent);
	}
	text_add(&s->line, w->p, w->n);
	if (!last)
		text_puts(&s->line, " ");
	s->line_empty = false;
}

/* Do the items left out of dimension d come before this one? */
static bool
gap_before(const struct printer *p, int d)
{
	return p->whole && p->whole[d] > 2 * EDGE && p->at[d] == EDGE;
}

/* After the last word of a row: close brackets, add empty lines, open brackets. */
static void
end_row(struct printer *p, int restarted)
{
	struct state *s = p->state;
	int ndim = p->region->out_ndim;
	size_t indent = (size_t)(ndim - restarted);

	text_fill(&s->line, ']', (size_t)restarted);
	end_line(p, false);
	text_fill(&p->text, '\n', restarted < ndim ? (size_t)restarted : 1);
	if (restarted == ndim)
		return;
	if (gap_before(p, ndim - 1 - restarted)) {
		text_fill(&p->text, ' ', indent);
		text_puts(&p->text, "...");
		text_fill(&p->text, '\n', (size_t)restarted);
	}
	text_fill(&s->line, ' ', indent);
	text_fill(&s->line, '[', (size_t)restarted);
	s->line_empty = true;
}

/* One word, after dots if items were left out before it, and the end of the row if it is the last. */
static void
print_element(struct printer *p, const void *e)
{
	static const struct text dots = {(char *)(uintptr_t) "...", 3, 0};
	struct text *w = &((struct state *)p->state)->word_text;
	int last = p->region->out_ndim - 1, restarted;
	bool end = p->at[last] + 1 == p->region->shape[last];

	if (gap_before(p, last))
		add_word(p, &dots, false);
	w->n = 0;
	word(w, p, e);
	add_word(p, w, end);
	restarted = printer_step(p);
	if (restarted)
		end_row(p, restarted);
}

/* ---- the printer ---- */

/* '<M8[ns]' or '<m8[s]' */
static bool
is_time(const zinc_array *a)
{
	char type[8] = "";

	return zinc_array_numpy(a, type, sizeof type) > 0 && (type[2] == 'M' || type[2] == 'm') && type[0] == '\'';
}

static void
text_begin(struct printer *p)
{
	struct state *s = p->state;
	int ndim = p->region->out_ndim;

	if (p->pass == 0) {
		s = p->state = xrealloc(NULL, sizeof *s);
		*s = (struct state){.indent = (size_t)ndim, .line_empty = true};
		s->real.width = s->imaginary.width = width_of(p->type);
		s->imaginary.plus = true;
		s->word = p->type == ZINC_BOOL ? 5 : 0; /* " True" keeps the room of "False" */
		s->aligned = p->cf || (p->about.kind == ZINC_CF_PLAIN && is_time(p->region->array));
		return;
	}
	settle(&s->real);
	settle(&s->imaginary);
	if (p->region->n == 0)
		text_puts(&p->text, "[]\n");
	else
		text_fill(&s->line, '[', (size_t)ndim);
}

/* A result without dimensions is printed as a scalar. */
static void
print_scalar(struct printer *p, const void *e)
{
	bool bare; /* "2j", but "(1+2j)" */

	if (is_float(p->type)) {
		text_float(&p->text, real_part(p->type, e), width_of(p->type));
	} else if (is_complex(p->type)) {
		bare = real_part(p->type, e) == 0 && !signbit(real_part(p->type, e));
		text_puts(&p->text, bare ? "" : "(");
		text_complex(&p->text, p->type, e, bare);
		text_puts(&p->text, bare ? "" : ")");
	} else if (zinc_type_size(p->type)) {
		text_integer(&p->text, p->type, e);
	} else {
		text_element(&p->text, p, e, ZINC_SPELL_TEXT);
	}
	text_puts(&p->text, "\n");
}

static void
text_elements(struct printer *p, void *elements, size_t n)
{
	const char *e = elements;

	for (; n; n--, e += p->element)
		if (p->pass == 0)
			measure_element(p, e);
		else if (p->region->out_ndim == 0)
			print_scalar(p, e);
		else
			print_element(p, e);
}

static void
text_fini(struct printer *p)
{
	struct state *s = p->state;

	if (!s)
		return;
	text_free(&s->line);
	text_free(&s->word_text);
	text_free(&s->number);
	free(s);
}

const struct printer_ops printer_text = {"text", 2, text_begin, text_elements, printer_noop, text_fini};
