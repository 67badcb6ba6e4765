/*
 * store.c - stores: keys and bytes
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

static zinc_store *
of(PyObject *self)
{
	return ((zpy_store *)self)->store;
}

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
	zinc_store *store = of(self);

	PyObject_Free(self);
	Py_DECREF(type);
	Py_BEGIN_ALLOW_THREADS
	zinc_store_close(store);
	Py_END_ALLOW_THREADS
}

static PyType_Slot slots[] = {{Py_tp_new, store_make}, {Py_tp_dealloc, store_dealloc}, {0, NULL}};

static PyType_Spec spec = {"zinczarr._core.Store", sizeof(zpy_store), 0, Py_TPFLAGS_DEFAULT, slots};

int
zpy_add_store(PyObject *module)
{
	zpy_store_type = zpy_add_type(module, &spec);
	return zpy_store_type ? 0 : -1;
}
