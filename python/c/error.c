/*
 * error.c - failures and warnings of the library become Python's
 *
 * The classes are Python's (src/zinczarr/_errors.py), one for each status.  Warnings come from any thread; they are kept
 * until the call that caused them ends, and shown by the `warnings` module there.
 */
#include "core.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

PyObject *
zpy_text(const char *text)
{
	if (!text)
		Py_RETURN_NONE;
	return PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
}

/* The module is loaded already: importing it is a look into a dictionary. */
static PyObject *
errors(const char *name)
{
	PyObject *module = PyImport_ImportModule("zinczarr._errors"), *found;

	if (!module)
		return NULL;
	found = PyObject_GetAttrString(module, name);
	Py_DECREF(module);
	return found;
}

static PyObject *
arguments(zinc_error *e, zinc_status st)
{
	const char *part[] = {e->url, e->key, e->chunk, e->codec, e->rule, e->pointer, e->text, zinc_error_text(e)};
	const size_t n = sizeof part / sizeof *part;
	PyObject *args = PyTuple_New((Py_ssize_t)n + 2);
	size_t i;

	if (!args)
		return NULL;
	PyTuple_SetItem(args, 0, PyLong_FromLong((long)st));
	PyTuple_SetItem(args, 1, PyLong_FromLong(e->os_error));
	for (i = 0; i < n; i++)
		PyTuple_SetItem(args, (Py_ssize_t)i + 2, zpy_text(part[i]));
	if (!PyErr_Occurred())
		return args;
	Py_DECREF(args);
	return NULL;
}

int
zpy_raise(zinc_error *e, zinc_status st)
{
	PyObject *make = errors("from_status"), *args = make ? arguments(e, st) : NULL, *error = NULL;

	if (args)
		error = PyObject_CallObject(make, args);
	if (error)
		PyErr_SetObject((PyObject *)Py_TYPE(error), error);
	Py_XDECREF(error);
	Py_XDECREF(args);
	Py_XDECREF(make);
	return -1;
}

/* ---- warnings ---- */

struct warning {
	struct warning *next;
	char text[];
};

static _Atomic(struct warning *) kept; /* the last one first */

void
zpy_warn(void *arg, const char *where, const char *text)
{
	const size_t n = strlen(where), m = strlen(text);
	struct warning *w = malloc(sizeof *w + n + m + 3);

	(void)arg;
	if (!w)
		return;
	memcpy(w->text, where, n);
	memcpy(w->text + n, n ? ": " : "", n ? 2 : 0);
	memcpy(w->text + n + (n ? 2 : 0), text, m + 1);
	w->next = atomic_load(&kept);
	while (!atomic_compare_exchange_weak(&kept, &w->next, w))
		;
}

static int
show(struct warning *w)
{
	PyObject *category = errors("ZincWarning"), *text = category ? zpy_text(w->text) : NULL;
	PyObject *utf8 = text ? PyUnicode_AsUTF8String(text) : NULL; /* PyErr_WarnEx decodes it strictly */
	int failed = utf8 ? PyErr_WarnEx(category, PyBytes_AsString(utf8), 1) : -1;

	Py_XDECREF(utf8);
	Py_XDECREF(text);
	Py_XDECREF(category);
	return failed;
}

int
zpy_show_warnings(void)
{
	struct warning *w, *next, *first = NULL;
	int failed = 0;

	if (!atomic_load(&kept))
		return 0;
	for (w = atomic_exchange(&kept, NULL); w; w = next) {
		next = w->next;
		w->next = first;
		first = w;
	}
	for (w = first; w; w = next) {
		next = w->next;
		if (!failed)
			failed = show(w);
		free(w);
	}
	return failed;
}
