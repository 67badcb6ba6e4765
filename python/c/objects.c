/*
 * objects.c - elements of variable length: texts and bytes between zinc_vlen and objects of Python
 *
 * The buffer holds pointers to objects, as NumPy's arrays of objects do: one that is replaced loses a reference, and NULL
 * is None.  The library gets an array of zinc_vlen in C order.  While it works other threads may replace objects of the
 * buffer, so each one is held.
 */
#include "core.h"

#include <stdlib.h>
#include <string.h>

/* The address of each element in C order: set `at` to the first, then step. */
struct walk {
	const Py_buffer *view;
	Py_ssize_t index[ZINC_MAX_NDIM];
	char *at;
};

static void
step(struct walk *w)
{
	int i;

	for (i = w->view->ndim - 1; i >= 0; i--) {
		w->at += w->view->strides[i];
		if (++w->index[i] < w->view->shape[i])
			return;
		w->at -= w->view->strides[i] * w->view->shape[i];
		w->index[i] = 0;
	}
}

static struct walk
walk_from(const zpy_memory *m)
{
	return (struct walk){.view = &m->view, .at = m->view.buf};
}

static int
make_room(zpy_objects *o, const zpy_memory *m)
{
	o->list = NULL;
	o->n = (size_t)(m->view.len / (Py_ssize_t)sizeof(PyObject *));
	o->list = calloc(o->n + 1, sizeof *o->list);
	if (o->list)
		return 0;
	PyErr_NoMemory();
	return -1;
}

static int
make_held(zpy_objects *o)
{
	o->held = calloc(o->n + 1, sizeof *o->held);
	if (o->held)
		return 0;
	PyErr_NoMemory();
	return -1;
}

static int
take_text(PyObject *object, zinc_vlen *to)
{
	Py_ssize_t n = 0;
	const char *text = PyUnicode_Check(object) ? PyUnicode_AsUTF8AndSize(object, &n) : NULL;

	*to = (zinc_vlen){text, (uint64_t)n};
	if (!text && !PyErr_Occurred())
		PyErr_SetString(PyExc_TypeError, "elements of this array are str, and the buffer has another object");
	return text ? 0 : -1;
}

static int
take_bytes(PyObject *object, zinc_vlen *to)
{
	char *bytes = NULL;
	Py_ssize_t n = 0;

	if (PyBytes_AsStringAndSize(object, &bytes, &n) != 0)
		return -1;
	*to = (zinc_vlen){bytes, (uint64_t)n};
	return 0;
}

int
zpy_objects_take(zpy_objects *o, const zpy_memory *m, bool text)
{
	struct walk w = walk_from(m);
	size_t i;

	if (make_room(o, m) != 0 || make_held(o) != 0)
		return -1;
	for (i = 0; i < o->n; i++, step(&w)) {
		PyObject *object = *(PyObject **)(void *)w.at;

		o->held[i] = Py_NewRef(object ? object : Py_None);
		if (text ? take_text(o->held[i], &o->list[i]) : take_bytes(o->held[i], &o->list[i]))
			return -1;
	}
	return 0;
}

int
zpy_objects_room(zpy_objects *o, const zpy_memory *m)
{
	return make_room(o, m);
}

int
zpy_objects_give(const zpy_objects *o, zpy_memory *m, bool text)
{
	struct walk w = walk_from(m);
	size_t i;

	for (i = 0; i < o->n; i++, step(&w)) {
		const zinc_vlen *v = &o->list[i];
		PyObject **to = (PyObject **)(void *)w.at, *old = *to, *made;

		made = text ? PyUnicode_DecodeUTF8(v->nbytes ? v->data : "", (Py_ssize_t)v->nbytes, "strict")
			    : PyBytes_FromStringAndSize(v->data, (Py_ssize_t)v->nbytes);
		if (!made)
			return -1;
		*to = made;
		Py_XDECREF(old);
	}
	return 0;
}

void
zpy_objects_fini(zpy_objects *o)
{
	size_t i;

	for (i = 0; o->held && i < o->n; i++)
		Py_XDECREF(o->held[i]);
	free(o->held);
	free(o->list);
	*o = (zpy_objects){NULL, NULL, 0};
}
