/*
 * out_npy.c - elements as a NumPy file, or as its bytes alone (raw)
 *
 *     \x93NUMPY  1 0  u16 length  {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }   \n  elements
 *
 * The header is padded with blanks to a multiple of 64 bytes.  Elements are little-endian, in C order.
 */
#include "cli.h"

const char npy_magic[6] = {'\x93', 'N', 'U', 'M', 'P', 'Y'};

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define HOST_BIG true
#else
#define HOST_BIG false
#endif

static void
descr(struct text *t, zinc_type type, size_t element)
{
	static const char *const names[] = {NULL,  "|b1", "|i1", "<i2", "<i4", "<i8", "|u1", "<u2",
					    "<u4", "<u8", "<f2", "<f4", "<f8", "<c8", "<c16"};

	if (type > ZINC_NATIVE && type < ZINC_RAW)
		text_puts(t, names[type]);
	else
		text_printf(t, "|V%zu", element);
}

static void
npy_begin(struct printer *p)
{
	struct text h = {NULL, 0, 0};
	unsigned char length[4] = {0};
	size_t head, i;
	bool large;

	text_puts(&h, "{'descr': '");
	descr(&h, p->type, p->element);
	text_puts(&h, "', 'fortran_order': False, 'shape': ");
	text_tuple(&h, p->region->shape, p->region->out_ndim);
	text_puts(&h, ", }");
	large = h.n + 64 > 65535;
	head = large ? 12 : 10;
	text_fill(&h, ' ', 63 - (head + h.n) % 64);
	text_puts(&h, "\n");
	for (i = 0; i < 4; i++)
		length[i] = (unsigned char)(h.n >> 8 * i);
	text_add(&p->text, npy_magic, sizeof npy_magic);
	text_add(&p->text, large ? "\2\0" : "\1\0", 2);
	text_add(&p->text, length, head - 8);
	text_add(&p->text, h.p, h.n);
	text_free(&h);
}

static void
raw_elements(struct printer *p, void *elements, size_t n)
{
	if (p->text.n) /* the header */
		out_add(p->out, p->text.p, p->text.n);
	p->text.n = 0;
	if (HOST_BIG)
		swap_bytes(elements, n * p->element, swap_unit(p->type));
	out_add(p->out, elements, n * p->element);
}

const struct printer_ops printer_npy = {"npy", 1, npy_begin, raw_elements, printer_nothing, printer_nothing};
const struct printer_ops printer_raw = {"raw", 1, printer_nothing, raw_elements, printer_nothing, printer_nothing};
