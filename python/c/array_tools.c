/*
 * array_tools.c - what is stored of an array, what a read costs, statistics
 *
 * Results are dictionaries with the names of the library's members (zinc/tool.h).
 */
#include "core.h"

static PyObject *
number(uint64_t n)
{
	return PyLong_FromUnsignedLongLong(n);
}

/* Members that are plain numbers. */
struct member {
	const char *name;
	uint64_t value;
};

static int
set_numbers(PyObject *d, const struct member *list, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (zpy_set(d, list[i].name, number(list[i].value)) != 0)
			return -1;
	return 0;
}

#define COUNT(list) (sizeof(list) / sizeof *(list))

/* The dictionary, or NULL when a member could not be set. */
static PyObject *
whole(PyObject *d, bool failed)
{
	if (!failed)
		return d;
	Py_XDECREF(d);
	return NULL;
}

/* ---- what is stored ---- */

PyObject *
zpy_array_stored(PyObject *self, PyObject *none)
{
	zinc_stored s = ZINC_STORED_INIT;
	PyObject *d;
	zpy_call c;

	(void)none;
	zpy_begin(&c, NULL, 0);
	if (zpy_end(&c, zinc_array_stored(((zpy_array *)self)->a, &s, &c.options, &c.err)) != 0)
		return NULL;
	const struct member list[] = {{"objects", s.objects},   {"objects_total", s.objects_total},
				      {"bytes", s.bytes},       {"decoded_bytes", s.decoded_bytes},
				      {"smallest", s.smallest}, {"largest", s.largest}};

	d = PyDict_New();
	return whole(d, !d || set_numbers(d, list, COUNT(list)) != 0);
}

/* ---- what a read costs ---- */

/* What a callback needs: it runs in the calling thread, which has released the GIL. */
struct listing {
	zpy_call *call;
	PyObject *list;
};

static PyObject *
chunk_dict(const zinc_chunk *k)
{
	const struct member list[] = {{"offset", k->offset},
				      {"bytes", k->bytes},
				      {"decoded_bytes", k->decoded_bytes},
				      {"selected_bytes", k->selected_bytes}};
	PyObject *d = PyDict_New();

	return whole(d, !d || zpy_set(d, "key", zpy_text(k->key)) != 0 ||
			    zpy_set(d, "index", zpy_tuple(k->ndim, k->index)) != 0 ||
			    zpy_set(d, "present", PyBool_FromLong(k->present)) != 0 ||
			    zpy_set(d, "in_shard", PyBool_FromLong(k->in_shard)) != 0 ||
			    set_numbers(d, list, COUNT(list)) != 0);
}

static int
add_chunk(void *arg, const zinc_chunk *chunk)
{
	struct listing *l = arg;
	PyGILState_STATE gil;
	int failed;

	if (!zpy_enter(&gil))
		return -1;
	failed = zpy_list(l->call, l->list, chunk_dict(chunk));
	zpy_leave(gil);
	return failed;
}

static int
set_better(PyObject *d, const zinc_explanation *e, int ndim)
{
	if (zpy_set(d, "waste", PyFloat_FromDouble(e->waste)) != 0 ||
	    zpy_set(d, "better", e->better ? zpy_tuple(ndim, e->chunk_shape) : Py_NewRef(Py_None)) != 0 ||
	    zpy_set(d, "better_waste", e->better ? PyFloat_FromDouble(e->better_waste) : Py_NewRef(Py_None)) != 0)
		return -1;
	return zpy_set(d, "only_stored", PyBool_FromLong(e->only_stored));
}

static PyObject *
explanation_dict(const zinc_explanation *e, int ndim, PyObject *chunks)
{
	const struct member list[] = {
	    {"objects", e->objects},
	    {"objects_present", e->objects_present},
	    {"chunks", e->chunks},
	    {"chunks_present", e->chunks_present},
	    {"requests", e->requests},
	    {"ranges", e->ranges},
	    {"bytes", e->bytes},
	    {"object_bytes", e->object_bytes},
	    {"decoded_bytes", e->decoded_bytes},
	    {"selected_bytes", e->selected_bytes},
	};
	PyObject *d = PyDict_New();

	return whole(d, !d || set_numbers(d, list, COUNT(list)) != 0 || set_better(d, e, ndim) != 0 ||
			    (chunks && PyDict_SetItemString(d, "list", chunks) != 0));
}

static PyObject *
explain(zinc_array *a, const zinc_selection *selection, bool chunks)
{
	zinc_explanation e = ZINC_EXPLANATION_INIT;
	zinc_io_options o = ZINC_IO_OPTIONS_INIT;
	zpy_call c;
	struct listing l = {&c, chunks ? PyList_New(0) : NULL};
	PyObject *d = NULL;

	if (chunks && !l.list)
		return NULL;
	zpy_begin(&c, NULL, 0);
	o.call = &c.options;
	o.threads = c.threads;
	if (zpy_end(&c, zinc_array_explain(a, selection, &o, chunks ? add_chunk : NULL, &l, &e, &c.err)) == 0)
		d = explanation_dict(&e, zinc_array_ndim(a), l.list);
	Py_XDECREF(l.list);
	return d;
}

PyObject *
zpy_array_explain(PyObject *self, PyObject *args, PyObject *kw)
{
	static char *names[] = {"select", "points", "mask", "chunks", NULL};
	PyObject *select = NULL, *points = NULL, *mask = NULL, *d;
	zinc_array *a = ((zpy_array *)self)->a;
	int chunks = 0;
	zpy_select s;

	if (!PyArg_ParseTupleAndKeywords(args, kw, "|O$OOp", names, &select, &points, &mask, &chunks) ||
	    zpy_select_init(&s, zinc_array_ndim(a), select, points, mask) != 0)
		return NULL;
	d = explain(a, &s.s, chunks);
	zpy_select_fini(&s);
	return d;
}

/* ---- statistics ---- */

static PyObject *
widest(zinc_type type, zinc_number n)
{
	if (type == ZINC_FLOAT64)
		return PyFloat_FromDouble(n.f);
	return type == ZINC_UINT64 ? PyLong_FromUnsignedLongLong(n.u) : PyLong_FromLongLong(n.i);
}

/* None where there is nothing to tell. */
static PyObject *
maybe(bool known, PyObject *value)
{
	if (known)
		return value;
	Py_XDECREF(value);
	Py_RETURN_NONE;
}

static PyObject *
first_bin(const zinc_stats *s)
{
	return widest(s->type == ZINC_UINT64 ? ZINC_UINT64 : ZINC_INT64, s->first);
}

static int
set_values(PyObject *d, const zinc_stats *s)
{
	const bool known = s->of != ZINC_STATS_NOTHING && s->elements > s->nan;

	if (zpy_set(d, "min", maybe(known, widest(s->type, s->min))) != 0 ||
	    zpy_set(d, "max", maybe(known, widest(s->type, s->max))) != 0 ||
	    zpy_set(d, "mean", maybe(known, PyFloat_FromDouble(s->mean))) != 0 ||
	    zpy_set(d, "deviation", maybe(known, PyFloat_FromDouble(s->deviation))) != 0)
		return -1;
	return zpy_set(d, "sum", s->sum[0] ? PyLong_FromString(s->sum, NULL, 10) : Py_NewRef(Py_None));
}

static PyObject *
stats_dict(const zinc_stats *s)
{
	static const char *const words[] = {"nothing", "values", "times", "magnitudes", "lengths"};
	const struct member list[] = {{"elements", s->elements}, {"nan", s->nan}, {"infinite", s->infinite}};
	PyObject *d = PyDict_New();

	return whole(
	    d, !d || zpy_set(d, "of", zpy_text((size_t)s->of < COUNT(words) ? words[s->of] : "nothing")) != 0 ||
		   set_numbers(d, list, COUNT(list)) != 0 || set_values(d, s) != 0 ||
		   zpy_set(d, "exponent", PyLong_FromLong(s->exponent)) != 0 ||
		   zpy_set(d, "first", first_bin(s)) != 0 || zpy_set(d, "count", zpy_tuple(s->bins, s->count)) != 0);
}

static PyObject *
stats(zinc_array *a, const zinc_selection *selection, int threads, PyObject *progress)
{
	zinc_stats_options o = ZINC_STATS_OPTIONS_INIT;
	zinc_stats s = ZINC_STATS_INIT;
	zpy_call c;

	zpy_begin(&c, progress, threads);
	o.call = &c.options;
	o.threads = c.threads;
	return zpy_end(&c, zinc_array_stats(a, selection, &o, &s, &c.err)) == 0 ? stats_dict(&s) : NULL;
}

PyObject *
zpy_array_stats(PyObject *self, PyObject *args, PyObject *kw)
{
	static char *names[] = {"select", "points", "mask", "threads", "progress", NULL};
	PyObject *select = NULL, *points = NULL, *mask = NULL, *progress = NULL, *d;
	zinc_array *a = ((zpy_array *)self)->a;
	int threads = 0;
	zpy_select s;

	if (!PyArg_ParseTupleAndKeywords(args, kw, "|O$OOiO", names, &select, &points, &mask, &threads, &progress) ||
	    zpy_select_init(&s, zinc_array_ndim(a), select, points, mask) != 0)
		return NULL;
	d = stats(a, &s.s, threads, progress);
	zpy_select_fini(&s);
	return d;
}
