/*
 * select.c - selections and buffers of Python as those of the library
 *
 * Indices were checked and made positive in Python; the library checks them again.  Buffers keep their strides, so that views,
 * Fortran order and reversed axes are read and written in place.
 */
#include "core.h"

#include <string.h>

static int
take_view(zpy_select *s, PyObject *object, Py_ssize_t itemsize, const char *what)
{
	Py_buffer *view = &s->view[s->nviews];

	if (PyObject_GetBuffer(object, view, PyBUF_ND) != 0) /* contiguous, in C order */
		return -1;
	s->nviews++;
	if (view->itemsize == itemsize)
		return 0;
	PyErr_Format(PyExc_TypeError, "%s: elements of %zd bytes are expected, not of %zd", what, itemsize,
		     view->itemsize);
	return -1;
}

static int
take_list(zpy_select *s, zinc_select_dim *dim, PyObject *item)
{
	if (take_view(s, item, (Py_ssize_t)sizeof(uint64_t), "a list of indices") != 0)
		return -1;
	dim->list = s->view[s->nviews - 1].buf;
	dim->nlist = (size_t)s->view[s->nviews - 1].len / sizeof(uint64_t);
	if (!dim->nlist)
		dim->list = NULL; /* and count is 0 */
	return 0;
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
	const Py_buffer *view = &s->view[0];

	if (take_view(s, points, (Py_ssize_t)sizeof(uint64_t), "points") != 0)
		return -1;
	if (view->ndim != 2 || view->shape[1] != ndim) {
		PyErr_Format(PyExc_IndexError, "points of %d numbers each are expected", ndim);
		return -1;
	}
	s->s.kind = ZINC_SELECT_POINTS;
	s->s.points = view->buf;
	s->s.npoints = (size_t)view->shape[0];
	return 0;
}

static int
take_mask(zpy_select *s, PyObject *mask)
{
	if (take_view(s, mask, 1, "a mask") != 0)
		return -1;
	s->s.kind = ZINC_SELECT_MASK;
	s->s.mask = s->view[0].buf;
	s->s.nmask = (size_t)s->view[0].len;
	return 0;
}

int
zpy_select_init(zpy_select *s, int ndim, PyObject *select, PyObject *points, PyObject *mask)
{
	int failed = 0;

	s->s = (zinc_selection)ZINC_SELECTION_ALL;
	s->s.ndim = ndim;
	s->nviews = 0;
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
	while (s->nviews > 0)
		PyBuffer_Release(&s->view[--s->nviews]);
}

/* ---- buffers ---- */

/* The library wants the lowest address, and where the first element is (zinc_buffer). */
static void
place(zpy_memory *m, size_t itemsize)
{
	char *lowest = m->view.buf;
	uint64_t span = itemsize;
	bool empty = false;
	int i;

	for (i = 0; i < m->view.ndim; i++) {
		const int64_t stride = m->view.strides[i];
		const uint64_t n = (uint64_t)m->view.shape[i], reach = n ? n - 1 : 0;

		m->shape[i] = n;
		m->strides[i] = stride;
		empty = empty || !n;
		span += reach * (uint64_t)(stride < 0 ? -stride : stride);
		if (stride < 0)
			lowest += (int64_t)reach * stride;
	}
	m->b.data = lowest;
	m->b.nbytes = empty ? 0 : span;
	m->b.first = empty ? 0 : (uint64_t)((char *)m->view.buf - lowest);
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

int
zpy_memory_init(zpy_memory *m, PyObject *object, int type, bool writable, bool objects)
{
	if (take_memory(m, object, writable, objects) != 0)
		return -1;
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
