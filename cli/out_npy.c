/*
 * out_npy.c - elements as a NumPy file, or as its bytes alone (raw)
 *
 *     \x93NUMPY  1 0  u16 length  {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }   \n  elements
 *
 * The header is padded with blanks to a multiple of 64 bytes; version 2 has a longer length, version 3 is UTF-8.
 * Elements are little-endian, in C order.  Elements of variable length are padded to the longest, which needs a
 * pass to measure them.
 */
#include "cli.h"

const char npy_magic[6] = {'\x93', 'N', 'U', 'M', 'P', 'Y'};

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define HOST_BIG true
#else
#define HOST_BIG false
#endif

#define DATE_BYTES 128 /* <U32 */

struct state {
	struct text descr; /* the type, as in the header */
	zinc_numpy *type;  /* NULL: bytes are written unchanged */
	size_t longest;    /* of variable length: characters, or bytes */
	void *buffer;
};

/* ---- elements of variable length ---- */

/* Texts are counted in characters, bytes in bytes; NumPy has no type of length 0. */
static void
measure(struct printer *p, const zinc_vlen *v, size_t n)
{
	struct state *s = p->state;
	const bool is_text = !strcmp(zinc_array_dtype(p->region->array), "string");
	const char *c;
	size_t k;

	for (; n; n--, v++) {
		for (k = 0, c = v->data; is_text && c < (const char *)v->data + v->nbytes; c++)
			k += ((unsigned char)*c & 0xc0) != 0x80;
		k = is_text ? k : (size_t)v->nbytes;
		s->longest = k > s->longest ? k : s->longest;
	}
}

/* Decoded elements, and those of types that NumPy does not have, only need the file's byte order. */
static bool
is_swapped(const struct printer *p)
{
	const zinc_type own = zinc_array_type(p->region->array);

	return p->about.kind != ZINC_CF_PLAIN || zinc_type_widen(own) != own;
}

/* The library converts elements whose bytes in memory differ from those of the file. */
static void
settle(struct printer *p)
{
	struct state *s = p->state;
	const zinc_array *a = p->region->array;
	zinc_error err = ZINC_ERROR_INIT;
	size_t n = zinc_array_numpy(a, NULL, 0);

	if (p->ops == &printer_raw && !HOST_BIG && !zinc_array_variable(a))
		return; /* bytes are written unchanged, also of types that NumPy does not have */
	if (p->about.kind != ZINC_CF_PLAIN) {
		text_printf(&s->descr, "'%s'", p->about.numpy);
		return;
	}
	if (zinc_array_variable(a)) {
		text_printf(&s->descr, strcmp(zinc_array_dtype(a), "string") ? "'|S%zu'" : "'<U%zu'",
			    s->longest ? s->longest : 1);
	} else if (n) {
		text_fill(&s->descr, ' ', n);
		zinc_array_numpy(a, s->descr.p, n + 1);
	} else {
		p->status = complain(UNSUPPORTED, p->url, "NumPy has no type for %s", zinc_array_dtype(a));
	}
	if (p->status == DONE && (HOST_BIG || zinc_array_variable(a)) && !is_swapped(p) &&
	    zinc_numpy_new(&s->type, NULL, s->descr.p, &err))
		p->status = fail(p->url, &err);
}

static void
raw_begin(struct printer *p)
{
	const bool variable = zinc_array_variable(p->region->array);

	if (p->pass == 0) {
		p->state = xrealloc(NULL, sizeof(struct state));
		*(struct state *)p->state = (struct state){.longest = 0};
		p->passes = variable ? 2 : 1;
	}
	if (p->pass == p->passes - 1)
		settle(p);
}

/* ---- elements in the other byte order ---- */

/* Dates of a calendar that NumPy does not have: texts of 32 characters of 4 bytes. */
static void
spell_dates(struct printer *p, const char *e, size_t n)
{
	struct state *s = p->state;
	unsigned char *at;
	char date[64];
	size_t i, k;

	s->buffer = xrealloc(s->buffer, n * DATE_BYTES);
	memset(s->buffer, 0, n * DATE_BYTES);
	for (i = 0; i < n; i++, e += p->element) {
		zinc_error err = ZINC_ERROR_INIT;

		if (zinc_cf_print(p->cf, e, date, &err)) {
			p->status = fail(p->url, &err);
			return;
		}
		at = (unsigned char *)s->buffer + i * DATE_BYTES;
		for (k = 0; date[k] && k < DATE_BYTES / 4; k++)
			at[4 * k] = (unsigned char)date[k];
	}
	out_add(p->out, s->buffer, n * DATE_BYTES);
}

static void
swapped_elements(struct printer *p, void *elements, size_t n)
{
	size_t unit = p->cf ? 8 : swap_unit(p->type);

	if (p->about.kind == ZINC_CF_DATE) {
		spell_dates(p, elements, n);
		return;
	}
	if (HOST_BIG)
		swap_bytes(elements, n * p->element, unit);
	out_add(p->out, elements, n * p->element);
}

static void
raw_elements(struct printer *p, void *elements, size_t n)
{
	struct state *s = p->state;
	zinc_error err = ZINC_ERROR_INIT;
	size_t size = p->element;

	if (p->pass < p->passes - 1) {
		measure(p, elements, n);
		return;
	}
	if (p->text.n) /* the header */
		out_add(p->out, p->text.p, p->text.n);
	p->text.n = 0;
	if (is_swapped(p)) {
		swapped_elements(p, elements, n);
		return;
	}
	if (s->type) {
		size = zinc_numpy_size(s->type);
		s->buffer = xrealloc(s->buffer, n * size);
		if (zinc_array_to_numpy(p->region->array, s->type, s->buffer, elements, n, 0, &err)) {
			p->status = fail(p->url, &err);
			return;
		}
		elements = s->buffer;
	}
	out_add(p->out, elements, n * size);
}

static void
raw_fini(struct printer *p)
{
	struct state *s = p->state;

	text_free(&s->descr);
	zinc_numpy_free(s->type);
	free(s->buffer);
	free(s);
}

/* ---- the header ---- */

/* Field names that are not ASCII need version 3, which is UTF-8. */
static int
version_of(const struct text *header)
{
	size_t i;

	for (i = 0; i < header->n; i++)
		if ((unsigned char)header->p[i] >= 0x80)
			return 3;
	return header->n + 64 > 65535 ? 2 : 1;
}

static void
npy_begin(struct printer *p)
{
	struct text h = {NULL, 0, 0};
	unsigned char length[4] = {0};
	size_t head, i;
	char version[2] = {1, 0};

	raw_begin(p);
	if (p->pass < p->passes - 1 || p->status != DONE)
		return;
	text_printf(&h, "{'descr': %s, 'fortran_order': False, 'shape': ", ((struct state *)p->state)->descr.p);
	text_tuple(&h, p->region->shape, p->region->out_ndim);
	text_puts(&h, ", }");
	version[0] = (char)version_of(&h);
	head = version[0] == 1 ? 10 : 12;
	text_fill(&h, ' ', 63 - (head + h.n) % 64);
	text_puts(&h, "\n");
	for (i = 0; i < 4; i++)
		length[i] = (unsigned char)(h.n >> 8 * i);
	text_add(&p->text, npy_magic, sizeof npy_magic);
	text_add(&p->text, version, 2);
	text_add(&p->text, length, head - 8);
	text_add(&p->text, h.p, h.n);
	text_free(&h);
}

const struct printer_ops printer_npy = {"npy", 1, npy_begin, raw_elements, printer_noop, raw_fini};
const struct printer_ops printer_raw = {"raw", 1, raw_begin, raw_elements, printer_noop, raw_fini};
