/*
 * elements.c - print elements as text, convert them to and from NumPy's types
 *
 * Promises (tests/unit/test_elements.c names each by its number):
 *
 * (1) Printing allocates no memory if the text fits.
 * (2) Elements are converted to NumPy and back without change, or the conversion fails.
 */
#include <zinc/numpy.h>

#include "array/array.h"

/* Take a snapshot that has a type; E_UNSUPPORTED when this build does not have the type.  zinc_meta_free(*m) must
 * follow a success. */
static zinc_status
type_of(const zinc_array *a, zinc_meta **m, zinc_error *err)
{
	*m = zinc_array_snapshot(a);
	if ((*m)->dtype)
		return ZINC_OK;
	zinc_meta_free(*m);
	*m = NULL;
	return zinc_fail(err, ZINC_E_UNSUPPORTED, "elements of data type %s are not supported", zinc_array_dtype(a));
}

/* ---- text ---- */

/* An element to print; element NULL: print NumPy's name of the type. */
typedef struct printed {
	const zinc_dtype *t;
	const void *element;
	zinc_spelling how;
} printed;

static zinc_status
print(const printed *x, zinc_buf *out, zinc_error *err)
{
	return x->element ? x->t->ops->print(x->t, x->element, x->how, out, err)
			  : zinc_dtype_print_numpy(x->t, false, out, err);
}

/* Like snprintf.  Text that does not fit is printed again into temporary memory to get its length. */
static zinc_status
print_into(const printed *x, zinc_context *ctx, char *out, size_t room, size_t *n, zinc_error *err)
{
	zinc_status st;
	zinc_buf b;

	if (room > 0) {
		zinc_buf_wrap(&b, out, room);
		st = print(x, &b, err);
		if (st == ZINC_OK) {
			*n = b.n;
			out[b.n] = '\0';
		}
		if (st != ZINC_E_LIMIT)
			return st;
	}
	zinc_buf_init(&b, ctx, zinc_max_chunk(ctx));
	st = print(x, &b, err);
	if (st == ZINC_OK) {
		*n = b.n;
		if (room > 0) {
			memcpy(out, b.p, room - 1);
			out[room - 1] = '\0';
		}
	}
	zinc_buf_fini(&b);
	return st;
}

zinc_status
zinc_array_element_print(const zinc_array *a, const void *element, zinc_spelling how, char *out, size_t room, size_t *n,
			 zinc_error *err)
{
	zinc_error own = ZINC_ERROR_INIT; /* the first failure to fit must not reach the caller */
	zinc_meta *m;
	zinc_status st;

	ZINC_TRY(ZINC_NEED(a && element && n && (out || room == 0), err));
	if ((int)how < ZINC_SPELL_TEXT || (int)how > ZINC_SPELL_JSON)
		return zinc_fail(err, ZINC_E_INVALID, "unknown spelling: %d", (int)how);
	ZINC_TRY(type_of(a, &m, err));
	st = print_into(&(printed){m->dtype, element, how}, a->ctx, out, room, n, &own);
	zinc_meta_free(m);
	return st == ZINC_OK ? st : zinc_error_copy(err, &own);
}

size_t
zinc_array_numpy(const zinc_array *a, char *out, size_t room)
{
	zinc_meta *m;
	size_t n = 0;

	if (!a || type_of(a, &m, NULL) != ZINC_OK)
		return 0;
	if (print_into(&(printed){.t = m->dtype}, a->ctx, out, room, &n, NULL) != ZINC_OK)
		n = 0;
	zinc_meta_free(m);
	return n;
}

/* ---- NumPy's elements ---- */

struct zinc_numpy {
	zinc_context *ctx;
	const zinc_dtype *dtype;
	bool big;
};

zinc_status
zinc_numpy_new(zinc_numpy **out, zinc_context *ctx, const char *descr, zinc_error *err)
{
	zinc_numpy *t;
	zinc_status st;

	if (!out || !descr)
		return zinc_fail(err, ZINC_E_INVALID, "zinc_numpy_new: out and descr must not be NULL");
	ctx = zinc_context_get(ctx);
	t = zinc_calloc(ctx, 1, sizeof *t);
	if (!t)
		return zinc_fail_nomem(err);
	t->ctx = ctx;
	st = zinc_dtype_parse_numpy(&t->dtype, &t->big, ctx, descr, err);
	if (st != ZINC_OK)
		zinc_free(ctx, t);
	else
		*out = t;
	return st;
}

void
zinc_numpy_free(zinc_numpy *t)
{
	if (!t)
		return;
	zinc_dtype_free(t->dtype);
	zinc_free(t->ctx, t);
}

size_t
zinc_numpy_size(const zinc_numpy *t)
{
	return t->dtype->size;
}

/* Check the flags like zinc_io_options.convert. */
static zinc_status
check_conversion(int flags, zinc_error *err)
{
	zinc_io_options o;

	return zinc_options_take_as(&zinc_io_options_kind, &o, ZINC_IO_OPTIONS(.convert = flags), err);
}

#define BLOCK_BYTES (64 * ZINC_KIB)

/* Convert block by block, through a small buffer in this machine's byte order. */
static zinc_status
convert(const zinc_array *a, const zinc_dtype *own, const zinc_numpy *t, void *to, const void *from, size_t n,
	bool writing, int flags, zinc_arena *arena, zinc_error *err)
{
	const bool other = t->big != ZINC_HOST_BIG;
	const size_t size = t->dtype->size, block = size < BLOCK_BYTES ? (size_t)BLOCK_BYTES / size : 1;
	uint8_t *native = zinc_alloc(a->ctx, block * size);
	zinc_status st = native ? ZINC_OK : zinc_fail_nomem(err);
	size_t at = 0, m;

	for (; st == ZINC_OK; at += m) { /* also once for no elements, to check the types */
		m = n - at < block ? n - at : block;
		if (writing) {
			zinc_dtype_reorder(t->dtype, other, native, (const uint8_t *)from + at * size, m);
			st = zinc_dtype_cast(own, (uint8_t *)to + at * own->size, t->dtype, native, m, flags, arena,
					     err);
		} else {
			st = zinc_dtype_cast(t->dtype, native, own, (const uint8_t *)from + at * own->size, m, flags,
					     NULL, err);
			if (st == ZINC_OK)
				zinc_dtype_reorder(t->dtype, other, (uint8_t *)to + at * size, native, m);
		}
		if (m == n - at)
			break;
	}
	zinc_free(a->ctx, native);
	return st;
}

zinc_status
zinc_array_from_numpy(const zinc_array *a, const zinc_numpy *t, void *to, const void *from, size_t n, int flags,
		      zinc_arena *arena, zinc_error *err)
{
	zinc_meta *m;
	zinc_status st;

	ZINC_TRY(ZINC_NEED(a && t && ((to && from) || n == 0), err));
	ZINC_TRY(check_conversion(flags, err));
	ZINC_TRY(type_of(a, &m, err));
	st = convert(a, m->dtype, t, to, from, n, true, flags, arena, err);
	zinc_meta_free(m);
	return st;
}

zinc_status
zinc_array_to_numpy(const zinc_array *a, const zinc_numpy *t, void *to, const void *from, size_t n, int flags,
		    zinc_error *err)
{
	zinc_meta *m;
	zinc_status st;

	ZINC_TRY(ZINC_NEED(a && t && ((to && from) || n == 0), err));
	ZINC_TRY(check_conversion(flags, err));
	ZINC_TRY(type_of(a, &m, err));
	st = convert(a, m->dtype, t, to, from, n, false, flags, NULL, err);
	zinc_meta_free(m);
	return st;
}
