/*
 * array_tools.c - what is stored of an array, what a read costs, statistics
 */
#include "core.h"

PyObject *
zpy_array_stored(PyObject *self, PyObject *none)
{
	(void)self, (void)none;
	Py_RETURN_NONE;
}

PyObject *
zpy_array_explain(PyObject *self, PyObject *args, PyObject *kw)
{
	(void)self, (void)args, (void)kw;
	Py_RETURN_NONE;
}

PyObject *
zpy_array_stats(PyObject *self, PyObject *args, PyObject *kw)
{
	(void)self, (void)args, (void)kw;
	Py_RETURN_NONE;
}
