/*
 * key.c - keys of integers, slices and an ellipsis, which most accesses have
 *
 * They are understood here because Python takes longer for it than the library for the read.  Other keys, and slices with
 * negative steps, are left to src/zinczarr/_indexing.py, which also understands these.
 */
#include "core.h"

/* A key as it is taken apart: `at` is the next dimension, `rank` the dimensions of the result. */
struct taking {
	zinc_select_dim *dims;
	const uint64_t *shape;
	PyObject *result;
	Py_ssize_t rank;
	int at, ndim;
};

static int
add_length(struct taking *t, uint64_t n)
{
	PyObject *number = PyLong_FromUnsignedLongLong(n);

	return number ? PyTuple_SetItem(t->result, t->rank++, number) : -1;
}

static int
take_slice(struct taking *t, PyObject *slice)
{
	zinc_select_dim *dim = &t->dims[t->at];
	const uint64_t n = t->shape[t->at++];
	Py_ssize_t start, stop, step, count;

	if (n > PY_SSIZE_T_MAX)
		return 1;
	if (PySlice_Unpack(slice, &start, &stop, &step) != 0)
		return -1;
	if (step < 0)
		return 1;
	count = PySlice_AdjustIndices((Py_ssize_t)n, &start, &stop, step);
	*dim =
	    (zinc_select_dim){.start = count ? (uint64_t)start : 0, .count = (uint64_t)count, .step = (uint64_t)step};
	return add_length(t, dim->count);
}

static int
take_index(struct taking *t, PyObject *index)
{
	zinc_select_dim *dim = &t->dims[t->at];
	const uint64_t n = t->shape[t->at];
	const long long i = PyLong_AsLongLong(index);

	if (n > INT64_MAX || (i == -1 && PyErr_Occurred())) {
		PyErr_Clear();
		return 1;
	}
	if (i >= (long long)n || i < -(long long)n) {
		PyErr_Format(PyExc_IndexError, "index %lld is out of bounds for axis %d with size %llu", i, t->at,
			     (unsigned long long)n);
		return -1;
	}
	*dim = (zinc_select_dim){.start = (uint64_t)i + (i < 0 ? n : 0), .count = 1, .step = 1, .drop = 1};
	t->at++;
	return 0;
}

/* `n` dimensions as a whole. */
static int
take_all(struct taking *t, Py_ssize_t n)
{
	for (; n > 0; n--) {
		t->dims[t->at] = (zinc_select_dim){.count = t->shape[t->at], .step = 1};
		if (add_length(t, t->shape[t->at++]) != 0)
			return -1;
	}
	return 0;
}

static int
take_item(struct taking *t, PyObject *item, Py_ssize_t missing)
{
	if (item == Py_Ellipsis)
		return take_all(t, missing);
	return PySlice_Check(item) ? take_slice(t, item) : take_index(t, item);
}

/* Dimensions that no item of the key stands for; -1: not such a key, or not for this array. */
static Py_ssize_t
look(PyObject *key, Py_ssize_t n, int ndim)
{
	Py_ssize_t i, dots = 0;

	for (i = 0; i < n; i++) {
		PyObject *item = PyTuple_GetItem(key, i);

		if (item == Py_Ellipsis)
			dots++;
		else if (!PyLong_CheckExact(item) && !PySlice_Check(item))
			return -1;
	}
	return dots > 1 || n - dots > ndim ? -1 : ndim - (n - dots);
}

/* How many dimensions the result has: each item but integers has one. */
static Py_ssize_t
result_rank(PyObject *key, Py_ssize_t n, int ndim)
{
	Py_ssize_t i, rank = ndim;

	for (i = 0; i < n; i++)
		rank -= PyLong_CheckExact(PyTuple_GetItem(key, i));
	return rank;
}

static int
take_key(struct taking *t, PyObject *key, Py_ssize_t n, Py_ssize_t missing)
{
	int end = 0;
	Py_ssize_t i;

	for (i = 0; i < n && end == 0; i++)
		end = take_item(t, PyTuple_GetItem(key, i), missing);
	return end ? end : take_all(t, t->ndim - t->at);
}

int
zpy_select_key(zpy_select *s, const zinc_array *a, PyObject *key, PyObject **shape)
{
	struct taking t = {.dims = s->dims, .shape = zinc_array_shape(a), .ndim = zinc_array_ndim(a)};
	PyObject *whole = PyTuple_Check(key) ? Py_NewRef(key) : PyTuple_Pack(1, key);
	Py_ssize_t n = whole ? PyTuple_Size(whole) : 0, missing = whole ? look(whole, n, t.ndim) : 0;
	int end = whole ? missing < 0 : -1;

	if (end == 0) {
		t.result = PyTuple_New(result_rank(whole, n, t.ndim));
		end = t.result ? take_key(&t, whole, n, missing) : -1;
	}
	Py_XDECREF(whole);
	if (end) {
		Py_XDECREF(t.result);
		return end;
	}
	s->s = (zinc_selection)ZINC_SELECTION_ALL;
	s->s.ndim = t.ndim;
	s->s.kind = ZINC_SELECT_ORTHO;
	s->s.dims = s->dims;
	s->nviews = s->nown = 0;
	*shape = t.result;
	return 0;
}
