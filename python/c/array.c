/*
 * array.c - arrays: opening, creating, properties, changes of the shape
 *
 * Elements are read and written in array_io.c.
 */
#include "core.h"

#include <stdlib.h>

PyTypeObject *zpy_array_type;

static zinc_array *
of(PyObject *self)
{
	return ((zpy_array *)self)->a;
}

PyObject *
zpy_array_new(zinc_array *a)
{
	zpy_array *self = PyObject_New(zpy_array, zpy_array_type);

	if (self)
		self->a = a;
	else
		zinc_array_close(a);
	return (PyObject *)self;
}

/* After a call that failed, too: a warning that is an error comes with an array. */
static PyObject *
wrap(zinc_array *a, int failed)
{
	if (!failed)
		return zpy_array_new(a);
	zinc_array_close(a);
	return NULL;
}

static void
array_dealloc(PyObject *self)
{
	PyTypeObject *type = Py_TYPE(self);
	zinc_array *a = of(self);

	PyObject_Free(self);
	Py_DECREF(type);
	Py_BEGIN_ALLOW_THREADS
	zinc_array_close(a);
	Py_END_ALLOW_THREADS
}

/* ---- opening ---- */

static PyObject *
array_open(PyObject *none, PyObject *args)
{
	zinc_array *a = NULL;
	const char *path = NULL;
	PyObject *h = NULL;
	int failed;
	zpy_call c;

	(void)none;
	if (!PyArg_ParseTuple(args, "O!s", zpy_hierarchy_type, &h, &path))
		return NULL;
	zpy_begin(&c, NULL, 0);
	failed = zpy_end(&c, zinc_array_open(&a, ((zpy_hierarchy *)h)->h, path, &c.options, &c.err));
	return wrap(a, failed);
}

static PyObject *
from_document(PyObject *none, PyObject *args)
{
	const char *path = NULL, *document = NULL;
	zinc_array *a = NULL;
	PyObject *h = NULL;
	int failed;
	zpy_call c;

	(void)none;
	if (!PyArg_ParseTuple(args, "O!ss", zpy_hierarchy_type, &h, &path, &document))
		return NULL;
	zpy_begin(&c, NULL, 0);
	failed = zpy_end(&c, zinc_array_open_document(&a, ((zpy_hierarchy *)h)->h, path, document, &c.err));
	return wrap(a, failed);
}

/* What the options of a new array point to. */
struct wanted {
	zinc_array_options o;
	uint64_t shape[ZINC_MAX_NDIM], chunks[ZINC_MAX_NDIM], shards[ZINC_MAX_NDIM];
	const char *names[ZINC_MAX_NDIM];
	PyObject *held; /* the tuple of names */
};

/* The texts live as long as the tuple. */
static int
take_names(struct wanted *w, PyObject *names)
{
	Py_ssize_t i, n;

	if (names == Py_None)
		return 0;
	w->held = PySequence_Tuple(names);
	n = w->held ? PyTuple_Size(w->held) : -1;
	if (n >= 0 && n != w->o.ndim) {
		PyErr_Format(PyExc_ValueError, "there are %zd dimension names, but %d dimensions", n, w->o.ndim);
		return -1;
	}
	for (i = 0; i < n; i++) {
		PyObject *name = PyTuple_GetItem(w->held, i);

		w->names[i] = name == Py_None ? NULL : zpy_chars(name);
		if (PyErr_Occurred())
			return -1;
	}
	w->o.dimension_names = w->names;
	return n < 0 ? -1 : 0;
}

static int
take_shapes(struct wanted *w, PyObject *shape, PyObject *chunks, PyObject *shards)
{
	w->o.ndim = zpy_numbers(shape, -1, w->shape, "shape");
	if (w->o.ndim < 0)
		return -1;
	w->o.shape = w->shape;
	if (chunks != Py_None) {
		w->o.chunks = w->chunks;
		if (zpy_numbers(chunks, w->o.ndim, w->chunks, "chunks") < 0)
			return -1;
	}
	if (shards != Py_None) {
		w->o.shards = w->shards;
		if (zpy_numbers(shards, w->o.ndim, w->shards, "shards") < 0)
			return -1;
	}
	return 0;
}

static PyObject *
array_create(PyObject *none, PyObject *args, PyObject *kw)
{
	static char *names[] = {"hierarchy",   "path",         "shape",     "dtype",      "chunks",
				"shards",      "auto_shards",  "codecs",    "fill",       "dimension_names",
				"attributes",  "key_encoding", "overwrite", "big_endian", "fortran",
				"chunk_edges", "shard_edges",  NULL};
	struct wanted w = {.o = ZINC_ARRAY_OPTIONS_INIT};
	PyObject *h = NULL, *shape = NULL, *chunks = Py_None, *shards = Py_None, *dims = Py_None;
	const char *path = NULL;
	zinc_array *a = NULL;
	int failed;
	zpy_call c;

	(void)none;
	if (!PyArg_ParseTupleAndKeywords(args, kw, "O!sOs|$OOpzzOzzippzz", names, zpy_hierarchy_type, &h, &path, &shape,
					 &w.o.dtype, &chunks, &shards, &w.o.auto_shards, &w.o.codecs, &w.o.fill, &dims,
					 &w.o.attributes, &w.o.key_encoding, &w.o.overwrite, &w.o.big_endian,
					 &w.o.fortran, &w.o.chunk_edges, &w.o.shard_edges))
		return NULL;
	failed = take_shapes(&w, shape, chunks, shards) != 0 || take_names(&w, dims) != 0;
	if (!failed) {
		zpy_begin(&c, NULL, 0);
		w.o.call = &c.options;
		failed = zpy_end(&c, zinc_array_create(&a, ((zpy_hierarchy *)h)->h, path, &w.o, &c.err));
	}
	Py_XDECREF(w.held);
	return wrap(a, failed);
}

/* ---- properties ---- */

static PyObject *
get_shape(PyObject *self, void *none)
{
	(void)none;
	return zpy_tuple(zinc_array_ndim(of(self)), zinc_array_shape(of(self)));
}

/* NumPy lacks some types of numbers: their arrays look as if they had the type of C that has all these numbers. */
zinc_type
zpy_element_type(const zinc_array *a)
{
	return zinc_type_widen(zinc_array_type(a));
}

size_t
zpy_element_size(const zinc_array *a)
{
	const zinc_type type = zinc_array_type(a), wide = zinc_type_widen(type);

	return type == wide ? zinc_array_element_size(a) : zinc_type_size(wide);
}

static PyObject *
get_type(PyObject *self, void *none)
{
	(void)none;
	return PyLong_FromLong((long)zpy_element_type(of(self)));
}

static PyObject *
get_dtype(PyObject *self, void *none)
{
	(void)none;
	return zpy_text(zinc_array_dtype(of(self)));
}

static PyObject *
get_numpy(PyObject *self, void *none)
{
	size_t n = zinc_array_numpy(of(self), NULL, 0);
	char *text = malloc(n + 1);
	PyObject *made;

	(void)none;
	if (!text)
		return PyErr_NoMemory();
	text[0] = '\0';
	if (n)
		zinc_array_numpy(of(self), text, n + 1);
	made = zpy_text(text);
	free(text);
	return made;
}

static PyObject *
get_element_size(PyObject *self, void *none)
{
	(void)none;
	return PyLong_FromSize_t(zpy_element_size(of(self)));
}

static PyObject *
get_variable(PyObject *self, void *none)
{
	(void)none;
	return PyBool_FromLong(zinc_array_variable(of(self)));
}

static PyObject *
get_dimension_names(PyObject *self, void *none)
{
	const int n = zinc_array_ndim(of(self));
	PyObject *tuple = PyTuple_New(n);
	int i;

	(void)none;
	for (i = 0; tuple && i < n; i++) {
		PyObject *name = zpy_text(zinc_array_dimension_name(of(self), i));

		if (!name || PyTuple_SetItem(tuple, i, name) != 0) {
			Py_DECREF(tuple);
			return NULL;
		}
	}
	return tuple;
}

static PyObject *
get_path(PyObject *self, void *none)
{
	(void)none;
	return zpy_text(zinc_array_path(of(self)));
}

static PyObject *
get_unsupported(PyObject *self, void *none)
{
	(void)none;
	return zpy_text(zinc_array_unsupported(of(self)));
}

typedef int (*extent_fn)(const zinc_array *a, uint64_t *shape);

static PyObject *
extent(PyObject *self, extent_fn get)
{
	uint64_t shape[ZINC_MAX_NDIM];

	if (!get(of(self), shape))
		Py_RETURN_NONE;
	return zpy_tuple(zinc_array_ndim(of(self)), shape);
}

/* None where chunks have several lengths; those in shards have one. */
static PyObject *
get_chunks(PyObject *self, void *none)
{
	uint64_t shards[ZINC_MAX_NDIM];

	(void)none;
	if (!zinc_array_grid_regular(of(self)) && !zinc_array_shard_shape(of(self), shards))
		Py_RETURN_NONE;
	return extent(self, zinc_array_chunk_shape);
}

static PyObject *
get_regular(PyObject *self, void *none)
{
	(void)none;
	return PyBool_FromLong(zinc_array_grid_regular(of(self)));
}

static PyObject *
array_lengths(PyObject *self, PyObject *axis)
{
	const int dim = (int)PyLong_AsLong(axis);
	uint64_t grid[ZINC_MAX_NDIM], start, extent;
	PyObject *tuple, *item;
	uint64_t i;

	if (PyErr_Occurred())
		return NULL;
	if (dim < 0 || dim >= zinc_array_ndim(of(self)) || !zinc_array_grid_shape(of(self), grid)) {
		PyErr_SetString(PyExc_IndexError, "there is no such dimension, or the grid is not supported");
		return NULL;
	}
	if (grid[dim] > PY_SSIZE_T_MAX)
		return PyErr_NoMemory();
	tuple = PyTuple_New((Py_ssize_t)grid[dim]);
	for (i = 0; tuple && i < grid[dim]; i++) {
		item = zinc_array_chunk_span(of(self), dim, i, &start, &extent)
			   ? PyLong_FromUnsignedLongLong(extent)
			   : PyLong_FromLong(0); /* the array has become shorter */
		if (!item || PyTuple_SetItem(tuple, (Py_ssize_t)i, item) != 0) {
			Py_DECREF(tuple);
			return NULL;
		}
	}
	return tuple;
}

static PyObject *
get_shards(PyObject *self, void *none)
{
	(void)none;
	return extent(self, zinc_array_shard_shape);
}

static PyObject *
get_grid(PyObject *self, void *none)
{
	(void)none;
	return extent(self, zinc_array_grid_shape);
}

/* The fill value of an array of numbers that NumPy lacks. */
static PyObject *
wide_fill(const zinc_array *a)
{
	const zinc_type wide = zpy_element_type(a);
	const char *descr = wide == ZINC_FLOAT32     ? "=f4"
			    : wide == ZINC_COMPLEX64 ? "=c8"
			    : wide == ZINC_INT8      ? "|i1"
						     : "|u1";
	zinc_error err = ZINC_ERROR_INIT;
	zinc_numpy *t = NULL;
	char element[8];
	zinc_status st = zinc_numpy_new(&t, zpy_context, descr, &err);

	if (st == ZINC_OK)
		st = zinc_array_to_numpy(a, t, element, zinc_array_fill(a), 1, 0, &err);
	zinc_numpy_free(t);
	if (st != ZINC_OK) {
		zpy_raise(&err, st);
		return NULL;
	}
	return PyBytes_FromStringAndSize(element, (Py_ssize_t)zpy_element_size(a));
}

static PyObject *
get_fill(PyObject *self, void *none)
{
	const void *fill = zinc_array_fill(of(self));
	const zinc_vlen *v = fill;

	(void)none;
	if (!fill)
		Py_RETURN_NONE;
	if (zpy_element_type(of(self)) != zinc_array_type(of(self)))
		return wide_fill(of(self));
	if (!zinc_array_variable(of(self)))
		return PyBytes_FromStringAndSize(fill, (Py_ssize_t)zinc_array_element_size(of(self)));
	if (zpy_array_is_text(of(self)))
		return PyUnicode_DecodeUTF8(v->nbytes ? v->data : "", (Py_ssize_t)v->nbytes, "replace");
	return PyBytes_FromStringAndSize(v->data, (Py_ssize_t)v->nbytes);
}

static PyGetSetDef properties[] = {{"shape", get_shape, NULL, NULL, NULL},
				   {"type", get_type, NULL, NULL, NULL},
				   {"dtype", get_dtype, NULL, NULL, NULL},
				   {"numpy", get_numpy, NULL, NULL, NULL},
				   {"element_size", get_element_size, NULL, NULL, NULL},
				   {"variable", get_variable, NULL, NULL, NULL},
				   {"dimension_names", get_dimension_names, NULL, NULL, NULL},
				   {"path", get_path, NULL, NULL, NULL},
				   {"unsupported", get_unsupported, NULL, NULL, NULL},
				   {"chunks", get_chunks, NULL, NULL, NULL},
				   {"shards", get_shards, NULL, NULL, NULL},
				   {"grid", get_grid, NULL, NULL, NULL},
				   {"regular", get_regular, NULL, NULL, NULL},
				   {"fill", get_fill, NULL, NULL, NULL},
				   {NULL, NULL, NULL, NULL, NULL}};

/* ---- metadata ---- */

static PyObject *
describe(PyObject *self, PyObject *none)
{
	zinc_blob json = ZINC_BLOB_INIT;
	zpy_call c;

	(void)none;
	zpy_begin(&c, NULL, 0);
	return zpy_end_text(&c, zinc_array_describe(of(self), &json, &c.err), &json);
}

static PyObject *
refresh(PyObject *self, PyObject *none)
{
	zpy_call c;

	(void)none;
	zpy_begin(&c, NULL, 0);
	if (zpy_end(&c, zinc_array_refresh(of(self), &c.options, &c.err)) != 0)
		return NULL;
	Py_RETURN_NONE;
}

static PyObject *
resize(PyObject *self, PyObject *args)
{
	uint64_t shape[ZINC_MAX_NDIM] = {0};
	PyObject *given = NULL;
	zpy_call c;

	if (!PyArg_ParseTuple(args, "O", &given) || zpy_numbers(given, zinc_array_ndim(of(self)), shape, "shape") < 0)
		return NULL;
	zpy_begin(&c, NULL, 0);
	if (zpy_end(&c, zinc_array_resize(of(self), shape, &c.options, &c.err)) != 0)
		return NULL;
	Py_RETURN_NONE;
}

/* ---- stored objects ---- */

static int
take_index(PyObject *self, PyObject *from, uint64_t index[ZINC_MAX_NDIM])
{
	return zpy_numbers(from, zinc_array_ndim(of(self)), index, "the index of a chunk") < 0 ? -1 : 0;
}

static PyObject *
chunk_key(PyObject *self, PyObject *from)
{
	uint64_t index[ZINC_MAX_NDIM] = {0};
	zinc_blob key = ZINC_BLOB_INIT;
	zpy_call c;

	if (take_index(self, from, index) != 0)
		return NULL;
	zpy_begin(&c, NULL, 0);
	return zpy_end_text(&c, zinc_array_chunk_key(of(self), index, &key, &c.err), &key);
}

static PyObject *
chunk_get(PyObject *self, PyObject *from)
{
	uint64_t index[ZINC_MAX_NDIM] = {0};
	zinc_blob bytes = ZINC_BLOB_INIT;
	zinc_status st;
	zpy_call c;

	if (take_index(self, from, index) != 0)
		return NULL;
	zpy_begin(&c, NULL, 0);
	st = zinc_array_chunk_get(of(self), index, &bytes, &c.options, &c.err);
	if (zpy_end(&c, st == ZINC_E_NOTFOUND ? ZINC_OK : st) == 0)
		return st == ZINC_OK ? zpy_blob(&bytes) : Py_NewRef(Py_None);
	zinc_blob_fini(&bytes);
	return NULL;
}

static PyObject *
chunk_put(PyObject *self, PyObject *args)
{
	PyObject *from = NULL, *value = NULL;
	uint64_t index[ZINC_MAX_NDIM] = {0};
	Py_buffer view = {0};
	int failed;
	zpy_call c;

	if (!PyArg_ParseTuple(args, "OO", &from, &value) || take_index(self, from, index) != 0)
		return NULL;
	if (value != Py_None && PyObject_GetBuffer(value, &view, PyBUF_SIMPLE) != 0)
		return NULL;
	zpy_begin(&c, NULL, 0);
	failed = zpy_end(&c, zinc_array_chunk_put(of(self), index,
						  value == Py_None ? NULL
						  : view.len       ? view.buf
								   : "",
						  (size_t)view.len, &c.options, &c.err));
	if (value != Py_None)
		PyBuffer_Release(&view);
	return failed ? NULL : Py_NewRef(Py_None);
}

#define KEYWORDS(f) (PyCFunction)(void (*)(void))(f)

static PyMethodDef methods[] = {
    {"open", array_open, METH_VARARGS | METH_STATIC, NULL},
    {"from_document", from_document, METH_VARARGS | METH_STATIC, NULL},
    {"create", KEYWORDS(array_create), METH_VARARGS | METH_KEYWORDS | METH_STATIC, NULL},
    {"lengths", array_lengths, METH_O, NULL},
    {"describe", describe, METH_NOARGS, NULL},
    {"refresh", refresh, METH_NOARGS, NULL},
    {"resize", resize, METH_VARARGS, NULL},
    {"chunk_key", chunk_key, METH_O, NULL},
    {"chunk_get", chunk_get, METH_O, NULL},
    {"chunk_put", chunk_put, METH_VARARGS, NULL},
    {"get", zpy_array_get, METH_VARARGS, NULL},
    {"read", KEYWORDS(zpy_array_read), METH_VARARGS | METH_KEYWORDS, NULL},
    {"write", KEYWORDS(zpy_array_write), METH_VARARGS | METH_KEYWORDS, NULL},
    {"append", KEYWORDS(zpy_array_append), METH_VARARGS | METH_KEYWORDS, NULL},
    {"reserve", zpy_array_reserve, METH_VARARGS, NULL},
    {"stored", zpy_array_stored, METH_NOARGS, NULL},
    {"explain", KEYWORDS(zpy_array_explain), METH_VARARGS | METH_KEYWORDS, NULL},
    {"stats", KEYWORDS(zpy_array_stats), METH_VARARGS | METH_KEYWORDS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_dealloc, array_dealloc}, {Py_tp_methods, methods}, {Py_tp_getset, properties}, {0, NULL}};

static PyType_Spec spec = {"zinczarr._core.Array", sizeof(zpy_array), 0,
			   Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};

int
zpy_add_array(PyObject *module)
{
	zpy_array_type = zpy_add_type(module, &spec);
	return zpy_array_type ? 0 : -1;
}
