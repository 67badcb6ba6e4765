/*
 * blob.c - bytes of the library as a read-only buffer of Python, without a copy
 */
#include "core.h"

typedef struct blob {
	PyObject_HEAD
	zinc_blob blob;
} blob;

PyTypeObject *zpy_blob_type;

PyObject *
zpy_blob(zinc_blob *from)
{
	blob *b = PyObject_New(blob, zpy_blob_type);

	if (b)
		b->blob = *from;
	else
		zinc_blob_fini(from);
	*from = (zinc_blob)ZINC_BLOB_INIT;
	return (PyObject *)b;
}

PyObject *
zpy_blob_text(zinc_blob *from)
{
	PyObject *text = PyUnicode_DecodeUTF8(from->data, (Py_ssize_t)from->nbytes, "strict");

	zinc_blob_fini(from);
	return text;
}

PyObject *
zpy_end_text(zpy_call *c, zinc_status st, zinc_blob *from)
{
	if (zpy_end(c, st) == 0)
		return zpy_blob_text(from);
	zinc_blob_fini(from);
	return NULL;
}

static void
blob_dealloc(PyObject *self)
{
	PyTypeObject *type = Py_TYPE(self);

	zinc_blob_fini(&((blob *)self)->blob);
	PyObject_Free(self);
	Py_DECREF(type);
}

static int
blob_buffer(PyObject *self, Py_buffer *view, int flags)
{
	const zinc_blob *b = &((blob *)self)->blob;

	return PyBuffer_FillInfo(view, self, b->nbytes ? b->data : "", (Py_ssize_t)b->nbytes, 1, flags);
}

static Py_ssize_t
blob_length(PyObject *self)
{
	return (Py_ssize_t)((blob *)self)->blob.nbytes;
}

static PyObject *
blob_bytes(PyObject *self, PyObject *none)
{
	const zinc_blob *b = &((blob *)self)->blob;

	(void)none;
	return PyBytes_FromStringAndSize(b->data, (Py_ssize_t)b->nbytes);
}

static PyMethodDef blob_methods[] = {{"__bytes__", blob_bytes, METH_NOARGS, NULL}, {NULL, NULL, 0, NULL}};

static PyType_Slot blob_slots[] = {{Py_tp_dealloc, blob_dealloc},
				   {Py_bf_getbuffer, blob_buffer},
				   {Py_sq_length, blob_length},
				   {Py_tp_methods, blob_methods},
				   {Py_tp_doc, "Bytes of the library, without a copy"},
				   {0, NULL}};

static PyType_Spec blob_spec = {"zinczarr._core.Blob", sizeof(blob), 0,
				Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, blob_slots};

int
zpy_add_blob(PyObject *module)
{
	zpy_blob_type = zpy_add_type(module, &blob_spec);
	return zpy_blob_type ? 0 : -1;
}
