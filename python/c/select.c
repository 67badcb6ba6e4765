/*
 * select.c - selections and buffers of Python as those of the library
 *
 * Indices were checked and made positive in Python; the library checks them again, and then relies on them.  So it gets a copy,
 * which no other thread can change meanwhile.  Buffers keep their strides, so that views, Fortran order and reversed axes are
 * read and written in place.
 */
#include "core.h"

#include <stdlib.h>
#include <string.h>

static int
take_view(Py_buffer *view, PyObject *object, Py_ssize_t itemsize, const char *what)
{
	if (PyObject_GetBuffer(object, view, PyBUF_ND) != 0) /* contiguous, in C order */
		return -1;
	if (view->itemsize == itemsize)
		return 0;
	PyErr_Format(PyExc_TypeError, "%s: elements of %zd bytes are expected, not of %zd", what, itemsize,
		     view->itemsize);
	PyBuffer_Release(view);
	return -1;
}

/* A copy of indices, which lives as long as the selection. */
static uint64_t *
copy_indices(zpy_select *s, const Py_buffer *view)
{
	uint64_t *own = malloc((size_t)view->len + 1);

	if (!own) {
		PyErr_NoMemory();
		return NULL;
	}
	if (view->len)
		memcpy(own, view->buf, (size_t)view->len);
	s->own[s->nown++] = own;
	return own;
}

static int
take_list(zpy_select *s, zinc_select_dim *dim, PyObject *item)
{
	Py_buffer view;

	if (take_view(&view, item, (Py_ssize_t)sizeof(uint64_t), "a list of indices") != 0)
		return -1;
	dim->nlist = (size_t)view.len / sizeof(uint64_t);
	if (dim->nlist) /* else list is NULL and count 0 */
		dim->list = copy_indices(s, &view);
	PyBuffer_Release(&view);
	return dim->nlist && !dim->list ? -1 : 0;
}

static int
take_item(zpy_select *s, zinc_select_dim *dim, PyObject *item)
{
	uint64_t part[ZINC_MAX_NDIM];

	*dim = (zinc_select_dim){0};
	if (PyTuple_Check(item)) {
		if (zpy_numbers(item, 3, part, "a slice") != 3)
			return -1;
		dim->start = part[0], dim->count = part[1], dim->step = part[2];
		return 0;
	}
	if (!PyLong_Check(item))
		return take_list(s, dim, item);
	dim->start = PyLong_AsUnsignedLongLong(item);
	dim->count = 1;
	dim->drop = 1;
	return PyErr_Occurred() ? -1 : 0;
}

static int
take_dims(zpy_select *s, int ndim, PyObject *select)
{
	Py_ssize_t i, n = PyTuple_Check(select) ? PyTuple_Size(select) : -1;

	if (n != ndim) {
		PyErr_Format(PyExc_IndexError, "a tuple of %d items, one for each dimension, is expected", ndim);
		return -1;
	}
	for (i = 0; i < n; i++)
		if (take_item(s, &s->dims[i], PyTuple_GetItem(select, i)) != 0)
			return -1;
	s->s.kind = ZINC_SELECT_ORTHO;
	s->s.dims = s->dims;
	return 0;
}

static int
take_points(zpy_select *s, int ndim, PyObject *points)
{
	Py_buffer view;

	if (take_view(&view, points, (Py_ssize_t)sizeof(uint64_t), "points") != 0)
		return -1;
	if (view.ndim == 2 && view.shape[1] == ndim) {
		s->s.kind = ZINC_SELECT_POINTS;
		s->s.points = copy_indices(s, &view);
		s->s.npoints = (size_t)view.shape[0];
	} else {
		PyErr_Format(PyExc_IndexError, "points of %d numbers each are expected", ndim);
	}
	PyBuffer_Release(&view);
	return s->s.points ? 0 : -1;
}

/* It may be large and is not copied: the library makes points of it first. */
static int
take_mask(zpy_select *s, PyObject *mask)
{
	if (take_view(&s->view, mask, 1, "a mask") != 0)
		return -1;
	s->nviews = 1;
	s->s.kind = ZINC_SELECT_MASK;
	s->s.mask = s->view.buf;
	s->s.nmask = (size_t)s->view.len;
	return 0;
}

int
zpy_select_init(zpy_select *s, int ndim, PyObject *select, PyObject *points, PyObject *mask)
{
	int failed = 0;

	s->s = (zinc_selection)ZINC_SELECTION_ALL;
	s->s.ndim = ndim;
	s->nviews = s->nown = 0;
	if (points && points != Py_None)
		failed = take_points(s, ndim, points);
	else if (mask && mask != Py_None)
		failed = take_mask(s, mask);
	else if (select && select != Py_None)
		failed = take_dims(s, ndim, select);
	if (failed)
		zpy_select_fini(s);
	return failed;
}

void
zpy_select_fini(zpy_select *s)
{
	if (s->nviews > 0)
		PyBuffer_Release(&s->view);
	s->nviews = 0;
	while (s->nown > 0)
		free(s->own[--s->nown]);
}

/* ---- buffers ---- */

/* The library wants the lowest address, and where the first element is (zinc_buffer). */
static void
place(zpy_memory *m, size_t itemsize)
{
	uintptr_t lowest = (uintptr_t)m->view.buf;
	uint64_t span = itemsize;
	bool empty = false;
	int i;

	for (i = 0; i < m->view.ndim; i++) {
		const int64_t stride = m->view.strides[i];
		const uint64_t n = (uint64_t)m->view.shape[i], reach = n ? n - 1 : 0;

		m->shape[i] = n;
		m->strides[i] = stride;
		empty = empty || !n;
		span += reach * (stride < 0 ? -(uint64_t)stride : (uint64_t)stride);
		if (stride < 0)
			lowest -= reach * -(uint64_t)stride;
	}
	m->b.data = empty ? m->view.buf : (void *)lowest;
	m->b.nbytes = empty ? 0 : span;
	m->b.first = empty ? 0 : (uintptr_t)m->view.buf - lowest;
}

/* A format is asked for only where it matters: NumPy has none for dates. */
static int
take_memory(zpy_memory *m, PyObject *object, bool writable, bool objects)
{
	const int flags = PyBUF_STRIDES | (writable ? PyBUF_WRITABLE : 0) | (objects ? PyBUF_FORMAT : 0);

	if (PyObject_GetBuffer(object, &m->view, flags) != 0)
		return -1;
	if (m->view.ndim > ZINC_MAX_NDIM)
		PyErr_SetString(PyExc_ValueError, "the buffer has too many dimensions");
	else if (objects && (!m->view.format || strcmp(m->view.format, "O") != 0))
		PyErr_SetString(PyExc_TypeError, "elements of variable length need a buffer of objects");
	else
		return 0;
	PyBuffer_Release(&m->view);
	return -1;
}

/* Elements of another size would leave gaps, or overlap. */
static int
check_size(const zpy_memory *m, const zinc_array *a, int type)
{
	const size_t size =
	    type == ZINC_NATIVE || type == ZINC_RAW ? zinc_array_element_size(a) : zinc_type_size((zinc_type)type);

	if (size == 0 || (size_t)m->view.itemsize == size) /* the library refuses types that it does not know */
		return 0;
	PyErr_Format(PyExc_TypeError, "the buffer has elements of %zd bytes, not of %zu", m->view.itemsize, size);
	return -1;
}

int
zpy_memory_init(zpy_memory *m, PyObject *object, const zinc_array *a, int type, bool writable)
{
	const bool objects = zinc_array_variable(a);

	if (take_memory(m, object, writable, objects) != 0)
		return -1;
	if (type == ZINC_NATIVE && zpy_element_type(a) != zinc_array_type(a))
		type = (int)zpy_element_type(a);
	if (!objects && check_size(m, a, type) != 0) {
		PyBuffer_Release(&m->view);
		return -1;
	}
	memset(&m->b, 0, sizeof m->b);
	m->b.size = sizeof m->b;
	m->b.type = (zinc_type)type;
	m->b.ndim = m->view.ndim;
	m->b.shape = m->shape;
	m->b.strides = m->strides;
	place(m, (size_t)m->view.itemsize);
	return 0;
}

void
zpy_memory_fini(zpy_memory *m)
{
	PyBuffer_Release(&m->view);
}
