/*
 * value.c - numbers, dictionaries and settings between Python and C
 */
#include "core.h"

#include <stdlib.h>
#include <string.h>

/* A NUL would end the text too early: it would name another thing. */
const char *
zpy_chars(PyObject *text)
{
	Py_ssize_t n = 0;
	const char *chars = PyUnicode_AsUTF8AndSize(text, &n);

	if (!chars || strlen(chars) == (size_t)n)
		return chars;
	PyErr_SetString(PyExc_ValueError, "embedded null character");
	return NULL;
}

int
zpy_uint64(PyObject *from, void *to)
{
	PyObject *number = PyNumber_Index(from);

	if (number)
		*(uint64_t *)to = PyLong_AsUnsignedLongLong(number);
	Py_XDECREF(number);
	return !PyErr_Occurred();
}

PyObject *
zpy_tuple(int n, const uint64_t *numbers)
{
	PyObject *tuple = PyTuple_New(n);
	int i;

	for (i = 0; tuple && i < n; i++) {
		PyObject *number = PyLong_FromUnsignedLongLong(numbers[i]);

		if (!number || PyTuple_SetItem(tuple, i, number) != 0) {
			Py_DECREF(tuple);
			return NULL;
		}
	}
	return tuple;
}

static int
number_at(PyObject *list, Py_ssize_t i, uint64_t *to)
{
	PyObject *item = PySequence_GetItem(list, i);
	int good = item && zpy_uint64(item, to);

	Py_XDECREF(item);
	return good ? 0 : -1;
}

int
zpy_numbers(PyObject *from, int n, uint64_t *to, const char *what)
{
	Py_ssize_t i, found = PySequence_Size(from);

	if (found < 0)
		return -1;
	if (found > ZINC_MAX_NDIM || (n >= 0 && found != n)) {
		PyErr_Format(PyExc_ValueError, "%s has %zd numbers, not %d", what, found, n >= 0 ? n : ZINC_MAX_NDIM);
		return -1;
	}
	for (i = 0; i < found; i++)
		if (number_at(from, i, &to[i]) != 0)
			return -1;
	return (int)found;
}

int
zpy_set(PyObject *d, const char *name, PyObject *value)
{
	int failed = value ? PyDict_SetItemString(d, name, value) : -1;

	Py_XDECREF(value);
	return failed;
}

int
zpy_list(zpy_call *c, PyObject *list, PyObject *item)
{
	int failed = item ? PyList_Append(list, item) : -1;

	Py_XDECREF(item);
	zpy_keep(c);
	return failed;
}

/* ---- settings ---- */

/* `s->items` keeps the texts alive. */
static int
take_setting(zpy_settings *s, Py_ssize_t i)
{
	PyObject *item = PyList_GetItem(s->items, i);
	const char *name = NULL, *value = NULL;

	if (!PyTuple_Check(item)) {
		PyErr_SetString(PyExc_TypeError, "settings are a mapping");
		return -1;
	}
	if (!PyArg_ParseTuple(item, "ss", &name, &value))
		return -1;
	s->list[i] = (zinc_setting){name, value};
	return 0;
}

int
zpy_settings_init(zpy_settings *s, PyObject *mapping)
{
	Py_ssize_t i, n;

	*s = (zpy_settings){NULL, NULL, 0};
	if (!mapping || mapping == Py_None)
		return 0;
	s->items = PyMapping_Items(mapping);
	n = s->items ? PyList_Size(s->items) : -1;
	if (n < 0)
		return -1;
	s->list = calloc((size_t)n + 1, sizeof *s->list);
	if (!s->list)
		PyErr_NoMemory();
	for (i = 0; s->list && i < n; i++)
		if (take_setting(s, i) != 0)
			break;
	if (s->list && i == n) {
		s->n = (size_t)n;
		return 0;
	}
	zpy_settings_fini(s);
	return -1;
}

void
zpy_settings_fini(zpy_settings *s)
{
	free(s->list);
	Py_XDECREF(s->items);
	*s = (zpy_settings){NULL, NULL, 0};
}
