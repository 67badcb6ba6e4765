/*
 * module.c - the extension module zinczarr._core
 *
 * One interpreter of a process can have it: the context, the types and the handler of Ctrl-C belong to the process.
 */
#include "core.h"

#include <string.h>

zinc_context *zpy_context;

PyTypeObject *
zpy_add_type(PyObject *module, PyType_Spec *spec)
{
	PyObject *type = PyType_FromSpec(spec);

	if (type && PyModule_AddType(module, (PyTypeObject *)type) == 0)
		return (PyTypeObject *)type; /* kept: instances are made in C */
	Py_XDECREF(type);
	return NULL;
}

/* ---- functions ---- */

static PyObject *
threads(PyObject *module, PyObject *args)
{
	int n = 0;

	(void)module;
	if (!PyArg_ParseTuple(args, "|i", &n))
		return NULL;
	return PyLong_FromLong(zpy_threads(n));
}

static PyObject *
trim(PyObject *module, PyObject *none)
{
	(void)module, (void)none;
	Py_BEGIN_ALLOW_THREADS
	zinc_context_trim(zpy_context);
	Py_END_ALLOW_THREADS
	Py_RETURN_NONE;
}

static int
add_row(void *list, const char *name, const char *also, const char *purpose)
{
	PyObject *row = Py_BuildValue("(sss)", name ? name : "", also ? also : "", purpose ? purpose : "");
	int failed = row ? PyList_Append(list, row) : -1;

	Py_XDECREF(row);
	return failed;
}

static const struct {
	const char *name;
	void (*list)(zinc_row_fn fn, void *arg);
} lists[] = {
    {"formats", zinc_list_formats},
    {"stores", zinc_store_each},
    {"codecs", zinc_list_codecs},
    {"dtypes", zinc_list_dtypes},
    {"libraries", zinc_list_libraries},
    {"grids", zinc_list_grids},
    {"key_encodings", zinc_list_key_encodings},
};

static PyObject *
rows(PyObject *module, PyObject *args)
{
	const char *what = NULL;
	PyObject *list;
	size_t i;

	(void)module;
	if (!PyArg_ParseTuple(args, "s", &what))
		return NULL;
	for (i = 0; i < sizeof lists / sizeof *lists; i++)
		if (strcmp(what, lists[i].name) == 0) {
			list = PyList_New(0);
			if (list)
				lists[i].list(add_row, list);
			if (!PyErr_Occurred())
				return list;
			Py_XDECREF(list);
			return NULL;
		}
	return PyErr_Format(PyExc_ValueError, "there is no list of '%s'", what);
}

static PyMethodDef functions[] = {{"threads", threads, METH_VARARGS, NULL},
				  {"trim", trim, METH_NOARGS, NULL},
				  {"rows", rows, METH_VARARGS, NULL},
				  {NULL, NULL, 0, NULL}};

/* ---- the module ---- */

static int
make_context(void)
{
	zinc_context_options o = ZINC_CONTEXT_OPTIONS_INIT;
	zinc_error err = ZINC_ERROR_INIT;
	zinc_status st;

	o.warn = zpy_warn;
	st = zinc_context_new(&zpy_context, &o, &err);
	if (st == ZINC_OK)
		return 0;
	PyErr_SetString(PyExc_ImportError, zinc_error_text(&err));
	return -1;
}

static int
fill(PyObject *module)
{
	static int (*const parts[])(PyObject *) = {zpy_add_blob,  zpy_add_store, zpy_add_hierarchy,
						   zpy_add_array, zpy_add_tools, zpy_add_batch};
	size_t i;

	for (i = 0; i < sizeof parts / sizeof *parts; i++)
		if (parts[i](module) != 0)
			return -1;
	return PyModule_AddStringConstant(module, "VERSION", zinc_version());
}

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "zinczarr._core", "libzinc for Python", -1, functions, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC
PyInit__core(void)
{
	PyObject *module;

	if (zpy_context) {
		PyErr_SetString(PyExc_ImportError, "zinczarr can be loaded by one interpreter of a process only");
		return NULL;
	}
	module =
	    zpy_know_main() == 0 && zpy_know_end() == 0 && make_context() == 0 ? PyModule_Create(&definition) : NULL;
	if (module && fill(module) == 0)
		return module;
	Py_XDECREF(module);
	return NULL;
}
