/*
 * array_io.c - elements of arrays: read, write, append
 *
 * Promises:
 *
 * (1) Elements go between the library and the caller's memory without a copy, whatever its strides.
 * (2) The memory is held while the library works: an object that other threads could resize cannot be meanwhile.
 * (3) Texts and bytes become objects after the library has returned, with the GIL.
 */
#include "core.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

bool
zpy_array_is_text(const zinc_array *a)
{
	return strstr(zinc_array_dtype(a), "string") != NULL;
}

/* ---- objects that are not stored ---- */

/* Grid indices, collected by any thread without the GIL. */
struct missing {
	pthread_mutex_t lock;
	uint64_t (*list)[ZINC_MAX_NDIM];
	size_t n, room;
	int ndim;
	bool lost; /* out of memory */
};

static void
add_missing(void *arg, const uint64_t *index)
{
	struct missing *m = arg;
	void *list;

	pthread_mutex_lock(&m->lock);
	if (m->n == m->room) {
		list = realloc(m->list, (m->room * 2 + 8) * sizeof *m->list);
		m->room = list ? m->room * 2 + 8 : m->room;
		m->list = list ? list : m->list;
		m->lost = m->lost || !list;
	}
	if (m->n < m->room)
		memcpy(m->list[m->n++], index, (size_t)m->ndim * sizeof *index);
	pthread_mutex_unlock(&m->lock);
}

/* Append the indices to a list of Python, as tuples: 0 or -1. */
static int
give_missing(const struct missing *m, PyObject *to)
{
	PyObject *index;
	size_t i;
	int failed = 0;

	if (m->lost) {
		PyErr_NoMemory();
		return -1;
	}
	for (i = 0; i < m->n && !failed; i++) {
		index = zpy_tuple(m->ndim, m->list[i]);
		failed = index ? PyList_Append(to, index) : -1;
		Py_XDECREF(index);
	}
	return failed;
}

/* ---- transfers ---- */

/* One transfer: the array, the selection, the memory, the options. */
struct transfer {
	zinc_array *a;
	zpy_select select;
	zpy_memory memory;
	zpy_objects objects; /* of variable length */
	zinc_arena *arena;
	bool variable;
	zinc_io_options o;
	PyObject *progress;
	int threads;
	struct missing *missing; /* NULL: nobody asks */
};

static void
finish(struct transfer *t)
{
	if (t->variable)
		zpy_objects_fini(&t->objects);
	zinc_arena_free(t->arena);
	zpy_memory_fini(&t->memory);
	zpy_select_fini(&t->select);
}

/* In the place of the caller's memory, of the same shape: zinc_vlen in C order. */
static void
use_objects(struct transfer *t)
{
	t->memory.b.type = ZINC_NATIVE;
	t->memory.b.data = t->objects.list;
	t->memory.b.nbytes = t->objects.n * sizeof(zinc_vlen);
	t->memory.b.first = 0;
	t->memory.b.strides = NULL;
	t->memory.b.arena = t->arena;
}

static int
begin_objects(struct transfer *t, bool reading)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_status st = ZINC_OK;

	if (reading)
		st = zinc_arena_new(&t->arena, zpy_context, UINT64_MAX / 2, &err);
	if (st != ZINC_OK)
		return zpy_raise(&err, st);
	if (reading ? zpy_objects_room(&t->objects, &t->memory)
		    : zpy_objects_take(&t->objects, &t->memory, zpy_array_is_text(t->a)))
		return -1;
	use_objects(t);
	return 0;
}

/* The selection is there already; 0, or -1 and nothing to finish. */
static int
begin_memory(struct transfer *t, PyObject *memory, int type, bool reading)
{
	t->objects = (zpy_objects){NULL, NULL, 0};
	t->arena = NULL;
	t->variable = zinc_array_variable(t->a);
	if (zpy_memory_init(&t->memory, memory, t->a, type, reading) != 0) {
		zpy_select_fini(&t->select);
		return -1;
	}
	if (!t->variable || begin_objects(t, reading) == 0)
		return 0;
	finish(t);
	return -1;
}

/* The arguments are those of Python; 0, or -1 and nothing to finish. */
static int
begin(struct transfer *t, PyObject *memory, int type, PyObject *select, PyObject *points, PyObject *mask, bool reading)
{
	if (zpy_select_init(&t->select, zinc_array_ndim(t->a), select, points, mask) != 0)
		return -1;
	return begin_memory(t, memory, type, reading);
}

static int
read_once(struct transfer *t)
{
	zinc_status st;
	zpy_call c;

	if (t->missing)
		t->missing->n = 0;
	zpy_begin(&c, t->progress, t->threads);
	t->o.threads = c.threads;
	t->o.call = &c.options;
	if (t->arena)
		zinc_arena_empty(t->arena);
	st = zinc_array_read(t->a, &t->select.s, &t->memory.b, &t->o, &c.err);
	return zpy_end_or_again(&c, st);
}

/* Read, repeat it if a signal says so, and finish. */
static int
read_all(struct transfer *t)
{
	int end;

	do
		end = read_once(t);
	while (end == 1);
	if (end == 0 && t->variable)
		end = zpy_objects_give(&t->objects, &t->memory, zpy_array_is_text(t->a));
	finish(t);
	return end;
}

/* Whether there is anything to read. */
static bool
empty(const struct transfer *t)
{
	int i;

	for (i = 0; i < t->select.s.ndim; i++)
		if (!t->select.dims[i].count)
			return true;
	return false;
}

static PyObject *
read_new(struct transfer *t, PyObject *make, PyObject *dtype, PyObject *shape)
{
	PyObject *made = PyObject_CallFunctionObjArgs(make, shape, dtype, NULL), *scalar;

	if (!made || empty(t))
		return made;
	if (begin_memory(t, made, ZINC_NATIVE, true) != 0 || read_all(t) != 0) {
		Py_DECREF(made);
		return NULL;
	}
	if (PyTuple_Size(shape) > 0)
		return made;
	scalar = PyObject_GetItem(made, shape); /* made[()] */
	Py_DECREF(made);
	return scalar;
}

PyObject *
zpy_array_get(PyObject *self, PyObject *args)
{
	PyObject *key = NULL, *make = NULL, *dtype = NULL, *shape = NULL, *made;
	struct transfer t = {.a = ((zpy_array *)self)->a, .o = ZINC_IO_OPTIONS_INIT};
	int end;

	if (!PyArg_ParseTuple(args, "OOO", &key, &make, &dtype))
		return NULL;
	end = zpy_select_key(&t.select, t.a, key, &shape);
	if (end)
		return end < 0 ? NULL : Py_NewRef(Py_NotImplemented);
	made = read_new(&t, make, dtype, shape);
	Py_DECREF(shape);
	return made;
}

PyObject *
zpy_array_read(PyObject *self, PyObject *args, PyObject *kw)
{
	static char *names[] = {"out",     "type",    "select",   "points", "mask", "convert", "missing_is_error",
				"missing", "threads", "progress", NULL};
	PyObject *out = NULL, *select = NULL, *points = NULL, *mask = NULL, *to = NULL;
	struct transfer t = {.a = ((zpy_array *)self)->a, .o = ZINC_IO_OPTIONS_INIT};
	struct missing m = {.lock = PTHREAD_MUTEX_INITIALIZER, .ndim = zinc_array_ndim(t.a)};
	int type = 0, failed;

	if (!PyArg_ParseTupleAndKeywords(args, kw, "Oi|O$OOipO!iO", names, &out, &type, &select, &points, &mask,
					 &t.o.convert, &t.o.missing_is_error, &PyList_Type, &to, &t.threads,
					 &t.progress) ||
	    begin(&t, out, type, select, points, mask, true) != 0)
		return NULL;
	t.missing = &m;
	t.o.missing = to ? add_missing : NULL;
	t.o.missing_arg = &m;
	failed = read_all(&t);
	if (!failed && to)
		failed = give_missing(&m, to);
	free(m.list);
	return failed ? NULL : Py_NewRef(Py_None);
}

static int
write_once(struct transfer *t)
{
	zpy_call c;

	zpy_begin(&c, t->progress, t->threads);
	t->o.threads = c.threads;
	t->o.call = &c.options;
	return zpy_end_or_again(&c, zinc_array_write(t->a, &t->select.s, &t->memory.b, &t->o, &c.err));
}

PyObject *
zpy_array_write(PyObject *self, PyObject *args, PyObject *kw)
{
	static char *names[] = {"source",     "type",    "select",        "points",  "mask",     "convert",
				"store_fill", "relaxed", "single_writer", "threads", "progress", NULL};
	PyObject *source = NULL, *select = NULL, *points = NULL, *mask = NULL;
	struct transfer t = {.a = ((zpy_array *)self)->a, .o = ZINC_IO_OPTIONS_INIT};
	int type = 0, end;

	if (!PyArg_ParseTupleAndKeywords(args, kw, "Oi|O$OOipppiO", names, &source, &type, &select, &points, &mask,
					 &t.o.convert, &t.o.store_fill, &t.o.relaxed, &t.o.single_writer, &t.threads,
					 &t.progress) ||
	    begin(&t, source, type, select, points, mask, false) != 0)
		return NULL;
	do
		end = write_once(&t);
	while (end == 1);
	finish(&t);
	return end ? NULL : Py_NewRef(Py_None);
}

PyObject *
zpy_array_append(PyObject *self, PyObject *args, PyObject *kw)
{
	static char *names[] = {"source", "type", "axis", "convert", "relaxed", "progress", NULL};
	struct transfer t = {.a = ((zpy_array *)self)->a, .o = ZINC_IO_OPTIONS_INIT};
	PyObject *source = NULL;
	int type = 0, axis = 0, failed;
	uint64_t at = 0;
	zpy_call c;

	if (!PyArg_ParseTupleAndKeywords(args, kw, "Oii|$ipO", names, &source, &type, &axis, &t.o.convert, &t.o.relaxed,
					 &t.progress) ||
	    begin(&t, source, type, NULL, NULL, NULL, false) != 0)
		return NULL;
	zpy_begin(&c, t.progress, 0);
	t.o.threads = c.threads;
	t.o.call = &c.options;
	failed = zpy_end(&c, zinc_array_append(t.a, axis, &t.memory.b, &t.o, &at, &c.err));
	finish(&t);
	return failed ? NULL : PyLong_FromUnsignedLongLong(at);
}

PyObject *
zpy_array_reserve(PyObject *self, PyObject *args)
{
	zinc_array *a = ((zpy_array *)self)->a;
	uint64_t shape[ZINC_MAX_NDIM], at = 0, count = 0;
	zinc_buffer b = ZINC_BUFFER_INIT(0, NULL, 0);
	int axis = 0, ndim = zinc_array_ndim(a);
	zinc_error err = ZINC_ERROR_INIT;
	zinc_status st;
	zpy_call c;

	if (!PyArg_ParseTuple(args, "O&i", zpy_uint64, &count, &axis))
		return NULL;
	if (axis < 0 || axis >= ndim)
		return PyErr_Format(PyExc_IndexError, "axis %d of an array of %d dimensions", axis, ndim);
	/* zinc_array_shape would keep each shape that the array ever had */
	st = zinc_array_selection_shape(a, NULL, &ndim, shape, &err);
	if (st != ZINC_OK) {
		zpy_raise(&err, st);
		return NULL;
	}
	shape[axis] = count;
	b.ndim = ndim;
	b.shape = shape;
	zpy_begin(&c, NULL, 0);
	return zpy_end(&c, zinc_array_append(a, axis, &b, NULL, &at, &c.err)) ? NULL : PyLong_FromUnsignedLongLong(at);
}
