/*
 * hierarchy.c - hierarchies: nodes, attributes, groups, erasing
 */
#include "core.h"

#include <string.h>

PyTypeObject *zpy_hierarchy_type;

static zinc_hierarchy *
of(PyObject *self)
{
	return ((zpy_hierarchy *)self)->h;
}

/* ---- opening ---- */

static PyObject *
open_place(PyTypeObject *type, PyObject *place, const char *prefix, const zinc_open_options *options)
{
	const bool stored = PyObject_TypeCheck(place, zpy_store_type);
	const char *url = stored ? NULL : zpy_chars(place);
	zpy_hierarchy *self;
	zinc_hierarchy *h = NULL;
	zinc_open_options o = *options;
	zinc_status st;
	zpy_call c;

	if (!stored && !url)
		return NULL;
	zpy_begin(&c, NULL, 0);
	o.call = &c.options;
	st = stored ? zinc_hierarchy_open(&h, ((zpy_store *)place)->store, prefix, &o, &c.err)
		    : zinc_hierarchy_open_url(&h, url, &o, &c.err);
	self = zpy_end(&c, st) == 0 ? PyObject_New(zpy_hierarchy, type) : NULL;
	if (self)
		self->h = h;
	else
		zinc_hierarchy_close(h);
	return (PyObject *)self;
}

static PyObject *
hierarchy_new(PyTypeObject *type, PyObject *args, PyObject *kw)
{
	static char *names[] = {"url",    "prefix",         "format", "read_only", "relaxed",  "create", "climb",
				"strict", "keep_documents", "links",  "fallback",  "settings", NULL};
	zinc_open_options o = ZINC_OPEN_OPTIONS_INIT;
	PyObject *place, *settings = NULL, *made;
	const char *prefix = "";
	zpy_settings s;
	int climb = 1;

	if (!PyArg_ParseTupleAndKeywords(args, kw, "O|$szppppppizO", names, &place, &prefix, &o.format, &o.read_only,
					 &o.relaxed, &o.create, &climb, &o.strictness, &o.keep_documents, &o.links,
					 &o.fallback, &settings) ||
	    zpy_settings_init(&s, settings) != 0)
		return NULL;
	o.context = zpy_context;
	o.climb = climb ? 0 : -1;
	o.settings = s.list;
	o.nsettings = s.n;
	made = open_place(type, place, prefix, &o);
	zpy_settings_fini(&s);
	return made;
}

static void
hierarchy_dealloc(PyObject *self)
{
	PyTypeObject *type = Py_TYPE(self);
	zinc_hierarchy *h = of(self);

	PyObject_Free(self);
	Py_DECREF(type);
	Py_BEGIN_ALLOW_THREADS
	zinc_hierarchy_close(h);
	Py_END_ALLOW_THREADS
}

/* ---- properties ---- */

static PyObject *
get_path(PyObject *self, void *none)
{
	(void)none;
	return zpy_text(zinc_hierarchy_path(of(self)));
}

static PyObject *
get_format(PyObject *self, void *none)
{
	(void)none;
	return zpy_text(zinc_hierarchy_format(of(self)));
}

static PyObject *
get_url(PyObject *self, void *none)
{
	(void)none;
	return zpy_text(zinc_store_url(zinc_hierarchy_store(of(self))));
}

static PyObject *
get_prefix(PyObject *self, void *none)
{
	(void)none;
	return zpy_text(zinc_hierarchy_prefix(of(self)));
}

static PyObject *
get_store(PyObject *self, void *none)
{
	(void)none;
	return zpy_store_new(zinc_hierarchy_store(of(self)));
}

static PyGetSetDef properties[] = {{"path", get_path, NULL, NULL, NULL},   {"format", get_format, NULL, NULL, NULL},
				   {"url", get_url, NULL, NULL, NULL},     {"prefix", get_prefix, NULL, NULL, NULL},
				   {"store", get_store, NULL, NULL, NULL}, {NULL, NULL, NULL, NULL, NULL}};

/* ---- nodes ---- */

static PyObject *
kind(PyObject *self, PyObject *args)
{
	zinc_node_kind found = ZINC_NODE_NONE;
	const char *path = NULL;
	zpy_call c;

	if (!PyArg_ParseTuple(args, "s", &path))
		return NULL;
	zpy_begin(&c, NULL, 0);
	if (zpy_end(&c, zinc_node_exists(of(self), path, &found, &c.options, &c.err)) != 0)
		return NULL;
	return PyLong_FromLong((long)found);
}

static PyObject *
describe(const zinc_array_info *info)
{
	zinc_blob json = ZINC_BLOB_INIT;
	zinc_error err = ZINC_ERROR_INIT;

	if (info && zinc_array_info_describe(info, &json, &err) == ZINC_OK)
		return zpy_blob_text(&json);
	return PyUnicode_FromString("");
}

/* `array` is what the listing shows of an array: a text, or a handle. */
static PyObject *
node_tuple(const zinc_node *n, PyObject *array)
{
	return Py_BuildValue("(iNNNNiNNNN)", (int)n->kind, zpy_text(n->path), zpy_text(n->name),
			     zpy_text(n->metadata_key), PyBool_FromLong(n->implicit), n->depth, zpy_text(n->problem),
			     zpy_text(n->attributes), array, PyBool_FromLong(n->hidden));
}

struct listing {
	zpy_call call;
	PyObject *list;
	int open; /* arrays */
	zinc_status status;
	zinc_error problem; /* of an array that could not be opened */
};

/* Open an array of the listing.  Consolidated metadata may show one whose document is damaged or gone: that is the problem
 * of this node, not of the listing. */
static zinc_array *
open_listed(struct listing *l, zinc_node *node)
{
	zinc_array *a = NULL;
	zinc_status st;

	memset(&l->problem, 0, sizeof l->problem);
	st = zinc_array_info_open(&a, node->array, &l->call.options, &l->problem);
	if (st == ZINC_E_NOTFOUND || st == ZINC_E_CORRUPT || st == ZINC_E_LIMIT) {
		node->kind = ZINC_NODE_NONE;
		node->problem = l->problem.text;
		node->array = NULL;
	} else {
		l->status = st;
	}
	return a;
}

/* From the thread that called, which has released the GIL. */
static int
add_node(void *arg, const zinc_node *found)
{
	struct listing *l = arg;
	zinc_node node = *found;
	zinc_array *a = NULL;
	PyGILState_STATE gil;
	int failed;

	if (l->open && node.array && !node.problem)
		a = open_listed(l, &node);
	if (l->status != ZINC_OK || !zpy_enter(&gil)) {
		zinc_array_close(a);
		return -1;
	}
	failed = zpy_list(&l->call, l->list, node_tuple(&node, a ? zpy_array_new(a) : describe(node.array)));
	zpy_leave(gil);
	return failed;
}

static PyObject *
walk(PyObject *self, PyObject *args)
{
	struct listing l = {.open = 0};
	const char *path = NULL;
	int depth = -1;
	zpy_call *c = &l.call;
	zinc_status st;

	if (!PyArg_ParseTuple(args, "s|ip", &path, &depth, &l.open))
		return NULL;
	l.list = PyList_New(0);
	if (!l.list)
		return NULL;
	zpy_begin(c, NULL, 0);
	st = zinc_node_walk(of(self), path, depth, add_node, &l, &c->options, &c->err);
	if (l.status != ZINC_OK) {
		c->err = l.problem;
		st = l.status;
	}
	if (zpy_end(c, st) == 0)
		return l.list;
	Py_DECREF(l.list);
	return NULL;
}

typedef zinc_status (*text_fn)(zinc_hierarchy *h, const char *path, zinc_blob *json, const zinc_call_options *call,
			       zinc_error *err);

static PyObject *
text(PyObject *self, PyObject *args, text_fn get)
{
	zinc_blob json = ZINC_BLOB_INIT;
	const char *path = NULL;
	zpy_call c;

	if (!PyArg_ParseTuple(args, "s", &path))
		return NULL;
	zpy_begin(&c, NULL, 0);
	return zpy_end_text(&c, get(of(self), path, &json, &c.options, &c.err), &json);
}

static PyObject *
document(PyObject *self, PyObject *args)
{
	return text(self, args, zinc_node_document);
}

static zinc_status
all_attributes(zinc_hierarchy *h, const char *path, zinc_blob *json, const zinc_call_options *call, zinc_error *err)
{
	return zinc_attributes_get(h, path, NULL, json, call, err);
}

static PyObject *
attributes(PyObject *self, PyObject *args)
{
	return text(self, args, all_attributes);
}

/* ---- changes ---- */

/* `changes` is a list or tuple of (key, JSON or None), whose texts live as long as it. */
static zinc_attribute *
take_changes(PyObject *changes, Py_ssize_t n)
{
	zinc_attribute *list = PyMem_Calloc((size_t)n + 1, sizeof *list);
	Py_ssize_t i;

	if (!list)
		PyErr_NoMemory();
	for (i = 0; list && i < n; i++) {
		PyObject *item = PySequence_GetItem(changes, i);
		bool good = item && PyArg_ParseTuple(item, "sz", &list[i].key, &list[i].json);

		Py_XDECREF(item); /* the sequence has it too */
		if (!good) {
			PyMem_Free(list);
			return NULL;
		}
	}
	return list;
}

static PyObject *
edit_attributes(PyObject *self, PyObject *args)
{
	PyObject *given = NULL, *changes;
	zinc_attribute *list;
	const char *path = NULL;
	Py_ssize_t n;
	int failed;
	zpy_call c;

	if (!PyArg_ParseTuple(args, "sO", &path, &given))
		return NULL;
	changes = PySequence_Tuple(given);
	n = changes ? PyTuple_Size(changes) : 0;
	list = changes ? take_changes(changes, n) : NULL;
	if (!list) {
		Py_XDECREF(changes);
		return NULL;
	}
	zpy_begin(&c, NULL, 0);
	failed = zpy_end(&c, zinc_attributes_edit(of(self), path, list, (size_t)n, &c.options, &c.err));
	PyMem_Free(list);
	Py_DECREF(changes);
	return failed ? NULL : Py_NewRef(Py_None);
}

static PyObject *
create_group(PyObject *self, PyObject *args, PyObject *kw)
{
	static char *names[] = {"path", "attributes", "overwrite", NULL};
	const char *path = NULL, *given = NULL;
	int overwrite = 0;
	zpy_call c;

	if (!PyArg_ParseTupleAndKeywords(args, kw, "s|zi", names, &path, &given, &overwrite))
		return NULL;
	zpy_begin(&c, NULL, 0);
	if (zpy_end(&c, zinc_group_create(of(self), path, given, overwrite, &c.options, &c.err)) != 0)
		return NULL;
	Py_RETURN_NONE;
}

static PyObject *
erase(PyObject *self, PyObject *args, PyObject *kw)
{
	static char *names[] = {"path", "force", "progress", NULL};
	zinc_erase_counts counts = ZINC_ERASE_COUNTS_INIT;
	zinc_erase_options o = ZINC_ERASE_OPTIONS_INIT;
	PyObject *progress = NULL;
	const char *path = NULL;
	zpy_call c;

	if (!PyArg_ParseTupleAndKeywords(args, kw, "s|$pO", names, &path, &o.force, &progress))
		return NULL;
	zpy_begin(&c, progress, 0);
	o.call = &c.options;
	if (zpy_end(&c, zinc_node_erase_with(of(self), path, &o, &counts, &c.err)) != 0)
		return NULL;
	return Py_BuildValue("(KK)", (unsigned long long)counts.nodes, (unsigned long long)counts.keys);
}

static PyObject *
consolidate(PyObject *self, PyObject *args, PyObject *kw)
{
	static char *names[] = {"path", "remove", "progress", NULL};
	PyObject *progress = NULL;
	const char *path = NULL;
	int remove = 0;
	zpy_call c;

	if (!PyArg_ParseTupleAndKeywords(args, kw, "s|$pO", names, &path, &remove, &progress))
		return NULL;
	zpy_begin(&c, progress, 0);
	if (zpy_end(&c, zinc_consolidate(of(self), path, remove, &c.options, &c.err)) != 0)
		return NULL;
	Py_RETURN_NONE;
}

static PyObject *
consolidated(PyObject *self, PyObject *args)
{
	const char *path = NULL;
	int has = 0;
	zpy_call c;

	if (!PyArg_ParseTuple(args, "s", &path))
		return NULL;
	zpy_begin(&c, NULL, 0);
	if (zpy_end(&c, zinc_consolidated(of(self), path, &has, &c.options, &c.err)) != 0)
		return NULL;
	return PyBool_FromLong(has);
}

#define KEYWORDS(f) (PyCFunction)(void (*)(void))(f), METH_VARARGS | METH_KEYWORDS, NULL

static PyMethodDef methods[] = {{"kind", kind, METH_VARARGS, NULL},
				{"walk", walk, METH_VARARGS, NULL},
				{"document", document, METH_VARARGS, NULL},
				{"attributes", attributes, METH_VARARGS, NULL},
				{"edit_attributes", edit_attributes, METH_VARARGS, NULL},
				{"create_group", KEYWORDS(create_group)},
				{"erase", KEYWORDS(erase)},
				{"consolidate", KEYWORDS(consolidate)},
				{"consolidated", consolidated, METH_VARARGS, NULL},
				{NULL, NULL, 0, NULL}};

static PyType_Slot slots[] = {{Py_tp_new, hierarchy_new},
			      {Py_tp_dealloc, hierarchy_dealloc},
			      {Py_tp_methods, methods},
			      {Py_tp_getset, properties},
			      {0, NULL}};

static PyType_Spec spec = {"zinczarr._core.Hierarchy", sizeof(zpy_hierarchy), 0, Py_TPFLAGS_DEFAULT, slots};

int
zpy_add_hierarchy(PyObject *module)
{
	zpy_hierarchy_type = zpy_add_type(module, &spec);
	return zpy_hierarchy_type ? 0 : -1;
}
