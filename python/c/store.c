/*
 * store.c - stores: keys and bytes.  Opening, properties, sync
 *
 * The other methods are in store_get.c, store_put.c and store_list.c.
 */
#include "core.h"

PyTypeObject *zpy_store_type;

PyObject *
zpy_store_new(zinc_store *store)
{
	zpy_store *self = PyObject_New(zpy_store, zpy_store_type);

	if (self)
		self->store = zinc_store_ref(store);
	return (PyObject *)self;
}

zinc_store *
zpy_store_of(PyObject *self)
{
	return ((zpy_store *)self)->store;
}

/* ---- opening ---- */

static PyObject *
store_make(PyTypeObject *type, PyObject *args, PyObject *kw)
{
	static char *names[] = {"url", "settings", "read_only", "relaxed", "links", NULL};
	zinc_store_options o = ZINC_STORE_OPTIONS_INIT;
	PyObject *settings = NULL;
	zinc_store *store = NULL;
	const char *url = NULL;
	zpy_store *self;
	zpy_settings s;
	int failed;
	zpy_call c;

	if (!PyArg_ParseTupleAndKeywords(args, kw, "s|$Oppi", names, &url, &settings, &o.read_only, &o.relaxed,
					 &o.links) ||
	    zpy_settings_init(&s, settings) != 0)
		return NULL;
	zpy_begin(&c, NULL, 0);
	o.context = zpy_context;
	o.settings = s.list;
	o.nsettings = s.n;
	o.call = &c.options;
	failed = zpy_end(&c, zinc_store_open(&store, url, &o, &c.err));
	zpy_settings_fini(&s);
	self = failed ? NULL : PyObject_New(zpy_store, type);
	if (self)
		self->store = store;
	else
		zinc_store_close(store);
	return (PyObject *)self;
}

static void
store_dealloc(PyObject *self)
{
	PyTypeObject *type = Py_TYPE(self);
	zinc_store *store = zpy_store_of(self);

	PyObject_Free(self);
	Py_DECREF(type);
	Py_BEGIN_ALLOW_THREADS
	zinc_store_close(store);
	Py_END_ALLOW_THREADS
}

/* ---- properties ---- */

static PyObject *
get_url(PyObject *self, void *none)
{
	(void)none;
	return zpy_text(zinc_store_url(zpy_store_of(self)));
}

static PyObject *
get_flags(PyObject *self, void *none)
{
	zinc_caps caps = ZINC_CAPS_INIT;
	zinc_store *store = zpy_store_of(self);

	(void)none;
	Py_BEGIN_ALLOW_THREADS
	zinc_store_caps(store, &caps);
	Py_END_ALLOW_THREADS
	return PyLong_FromUnsignedLong(caps.flags);
}

static PyGetSetDef properties[] = {
    {"url", get_url, NULL, NULL, NULL}, {"flags", get_flags, NULL, NULL, NULL}, {NULL, NULL, NULL, NULL, NULL}};

static PyObject *
store_sync(PyObject *self, PyObject *none)
{
	zpy_call c;

	(void)none;
	zpy_begin(&c, NULL, 0);
	if (zpy_end(&c, zinc_store_sync(zpy_store_of(self), &c.wait, &c.err)) != 0)
		return NULL;
	Py_RETURN_NONE;
}

/* ---- the type ---- */

#define KEYWORDS(f) (PyCFunction)(void (*)(void))(f), METH_VARARGS | METH_KEYWORDS, NULL

static PyMethodDef methods[] = {{"get", KEYWORDS(zpy_store_get)},
				{"get_many", KEYWORDS(zpy_store_get_many)},
				{"get_tagged", zpy_store_get_tagged, METH_VARARGS, NULL},
				{"size", zpy_store_size, METH_VARARGS, NULL},
				{"put", KEYWORDS(zpy_store_put)},
				{"put_many", KEYWORDS(zpy_store_put_many)},
				{"delete", KEYWORDS(zpy_store_delete)},
				{"delete_many", KEYWORDS(zpy_store_delete_many)},
				{"delete_prefix", KEYWORDS(zpy_store_delete_prefix)},
				{"list", KEYWORDS(zpy_store_list)},
				{"list_dir", KEYWORDS(zpy_store_list_dir)},
				{"sync", store_sync, METH_NOARGS, NULL},
				{NULL, NULL, 0, NULL}};

static PyType_Slot slots[] = {{Py_tp_new, store_make},    {Py_tp_dealloc, store_dealloc}, {Py_tp_methods, methods},
			      {Py_tp_getset, properties}, {Py_tp_doc, "Keys and bytes"},  {0, NULL}};

static PyType_Spec spec = {"zinczarr._core.Store", sizeof(zpy_store), 0, Py_TPFLAGS_DEFAULT, slots};

int
zpy_add_store(PyObject *module)
{
	zpy_store_type = zpy_add_type(module, &spec);
	return zpy_store_type ? 0 : -1;
}
