/*
 * store_put.c - changes of a store: put and delete, one or many, under conditions
 *
 * Promises:
 *
 * (1) The bytes of a value go from the caller's memory to the store without a copy.
 * (2) Many changes of a call are one durable commit.
 * (3) A change that is said to depend on a tag or on an absent key never happens otherwise.
 */
#include "core.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static uint32_t
flags_of(int relaxed)
{
	return relaxed ? ZINC_PUT_RELAXED : 0;
}

/* ---- conditions ---- */

/* `tag` is bytes or None. */
static int
take_condition(zinc_condition *when, zinc_tag *to, int absent, PyObject *tag)
{
	char *bytes = NULL;
	Py_ssize_t n = 0;

	*when = (zinc_condition){absent ? ZINC_ABSENT : ZINC_ANY, NULL};
	if (!tag || tag == Py_None)
		return 0;
	if (absent) {
		PyErr_SetString(PyExc_ValueError, "a key that is absent has no tag");
		return -1;
	}
	if (PyBytes_AsStringAndSize(tag, &bytes, &n) != 0)
		return -1;
	if (n < 1 || (size_t)n > sizeof to->b) {
		PyErr_SetString(PyExc_ValueError, "this is not a tag of get_tagged: the store may have none");
		return -1;
	}
	to->n = (uint8_t)n;
	memcpy(to->b, bytes, (size_t)n);
	*when = (zinc_condition){ZINC_EQUALS, to};
	return 0;
}

/* ---- one ---- */

static int
put_bytes(zinc_store *store, const char *key, const Py_buffer *value, const zinc_condition *when, uint32_t flags)
{
	zpy_call c;

	zpy_begin(&c, NULL, 0);
	return zpy_end(&c, zinc_store_put(store, NULL, key, value->len ? value->buf : "", (size_t)value->len, when,
					  flags, NULL, &c.wait, &c.err));
}

PyObject *
zpy_store_put(PyObject *self, PyObject *args, PyObject *kw)
{
	static char *names[] = {"key", "value", "absent", "tag", "relaxed", NULL};
	int absent = 0, relaxed = 0, failed;
	PyObject *object, *tag = NULL;
	const char *key = NULL;
	zinc_condition when;
	zinc_tag old;
	Py_buffer value;

	if (!PyArg_ParseTupleAndKeywords(args, kw, "sO|$pOp", names, &key, &object, &absent, &tag, &relaxed) ||
	    take_condition(&when, &old, absent, tag) != 0 || PyObject_GetBuffer(object, &value, PyBUF_SIMPLE) != 0)
		return NULL;
	failed = put_bytes(zpy_store_of(self), key, &value, &when, flags_of(relaxed));
	PyBuffer_Release(&value);
	if (failed)
		return NULL;
	Py_RETURN_NONE;
}

PyObject *
zpy_store_delete(PyObject *self, PyObject *args, PyObject *kw)
{
	static char *names[] = {"key", "tag", "relaxed", NULL};
	PyObject *tag = NULL;
	const char *key = NULL;
	zinc_condition when;
	int relaxed = 0;
	zinc_tag old;
	zpy_call c;

	if (!PyArg_ParseTupleAndKeywords(args, kw, "s|$Op", names, &key, &tag, &relaxed) ||
	    take_condition(&when, &old, 0, tag) != 0)
		return NULL;
	zpy_begin(&c, NULL, 0);
	if (zpy_end(&c, zinc_store_del(zpy_store_of(self), NULL, key, &when, flags_of(relaxed), &c.wait, &c.err)) != 0)
		return NULL;
	Py_RETURN_NONE;
}

/* ---- many puts ---- */

/* done() runs without the GIL in any thread: the lock guards the first failure. */
struct changes {
	zinc_put *puts;
	struct iovec *iov;
	Py_buffer *views;
	size_t n, nviews;
	pthread_mutex_t lock;
	zinc_status status;
	zinc_error err;
};

static void
on_done(void *arg, size_t i, const zinc_outcome *outcome)
{
	struct changes *g = arg;

	(void)i;
	if (outcome->status == ZINC_OK)
		return;
	pthread_mutex_lock(&g->lock);
	if (g->status == ZINC_OK) {
		g->status = outcome->status;
		if (outcome->error)
			g->err = *outcome->error;
	}
	pthread_mutex_unlock(&g->lock);
}

static void
changes_fini(struct changes *g)
{
	while (g->nviews > 0)
		PyBuffer_Release(&g->views[--g->nviews]);
	free(g->views);
	free(g->iov);
	free(g->puts);
}

static int
take_put(struct changes *g, size_t i, PyObject *item)
{
	PyObject *object = NULL;
	const char *key = NULL;

	if (!PyTuple_Check(item)) {
		PyErr_SetString(PyExc_TypeError, "an item is a tuple (key, value)");
		return -1;
	}
	if (!PyArg_ParseTuple(item, "sO", &key, &object) || PyObject_GetBuffer(object, &g->views[i], PyBUF_SIMPLE) != 0)
		return -1;
	g->nviews = i + 1;
	g->iov[i] = (struct iovec){g->views[i].buf, (size_t)g->views[i].len};
	g->puts[i].key = key;
	g->puts[i].iov = &g->iov[i];
	g->puts[i].niov = g->views[i].len ? 1 : 0;
	return 0;
}

/* `items` keeps keys and values alive. */
static int
take_puts(struct changes *g, PyObject *items)
{
	size_t i;

	g->n = (size_t)PyTuple_Size(items);
	g->puts = calloc(g->n + 1, sizeof *g->puts);
	g->iov = calloc(g->n + 1, sizeof *g->iov);
	g->views = calloc(g->n + 1, sizeof *g->views);
	if (!g->puts || !g->iov || !g->views) {
		PyErr_NoMemory();
		return -1;
	}
	for (i = 0; i < g->n; i++)
		if (take_put(g, i, PyTuple_GetItem(items, (Py_ssize_t)i)) != 0)
			return -1;
	return 0;
}

/* Promise (2). */
static zinc_status
put_group(struct changes *g, zinc_store *s, uint32_t flags, const zinc_wait *wait, zinc_error *err)
{
	const zinc_done done = {.size = sizeof done, .done = on_done, .arg = g};
	zinc_put_group *group = NULL;
	zinc_status st = zinc_store_put_begin(s, &group, flags, wait, err);

	if (st != ZINC_OK)
		return st;
	st = zinc_store_put_many(s, group, g->puts, g->n, &done, flags, wait, err);
	if (st == ZINC_OK && g->status != ZINC_OK) {
		st = g->status;
		*err = g->err;
	}
	if (st == ZINC_OK)
		return zinc_store_commit(s, group, NULL, NULL, wait, err);
	zinc_store_abort(s, group);
	return st;
}

static int
put_all(struct changes *g, zinc_store *s, uint32_t flags)
{
	zpy_call c;
	int failed;

	if (pthread_mutex_init(&g->lock, NULL) != 0) {
		PyErr_NoMemory();
		return -1;
	}
	zpy_begin(&c, NULL, 0);
	failed = zpy_end(&c, put_group(g, s, flags, &c.wait, &c.err));
	pthread_mutex_destroy(&g->lock);
	return failed;
}

PyObject *
zpy_store_put_many(PyObject *self, PyObject *args, PyObject *kw)
{
	static char *names[] = {"items", "relaxed", NULL};
	struct changes g = {.status = ZINC_OK};
	PyObject *from, *items;
	int relaxed = 0, failed;

	if (!PyArg_ParseTupleAndKeywords(args, kw, "O|$p", names, &from, &relaxed))
		return NULL;
	items = PySequence_Tuple(from);
	if (!items)
		return NULL;
	failed = take_puts(&g, items);
	if (!failed && g.n > 0)
		failed = put_all(&g, zpy_store_of(self), flags_of(relaxed));
	changes_fini(&g);
	Py_DECREF(items);
	if (failed)
		return NULL;
	Py_RETURN_NONE;
}

/* ---- many deletes ---- */

static const char **
take_keys(PyObject *items, size_t n)
{
	const char **keys = calloc(n + 1, sizeof *keys);
	size_t i;

	if (!keys) {
		PyErr_NoMemory();
		return NULL;
	}
	for (i = 0; i < n; i++)
		if (!(keys[i] = zpy_chars(PyTuple_GetItem(items, (Py_ssize_t)i)))) {
			free(keys);
			return NULL;
		}
	return keys;
}

static int
delete_all(zinc_store *store, const char **keys, size_t n, uint32_t flags)
{
	zpy_call c;

	if (n == 0)
		return 0;
	zpy_begin(&c, NULL, 0);
	return zpy_end(&c, zinc_store_del_keys(store, keys, n, flags, &c.wait, &c.err));
}

PyObject *
zpy_store_delete_many(PyObject *self, PyObject *args, PyObject *kw)
{
	static char *names[] = {"keys", "relaxed", NULL};
	PyObject *from, *items;
	const char **keys;
	int relaxed = 0, failed = -1;
	size_t n;

	if (!PyArg_ParseTupleAndKeywords(args, kw, "O|$p", names, &from, &relaxed))
		return NULL;
	items = PySequence_Tuple(from);
	if (!items)
		return NULL;
	n = (size_t)PyTuple_Size(items);
	keys = take_keys(items, n);
	if (keys)
		failed = delete_all(zpy_store_of(self), keys, n, flags_of(relaxed));
	free(keys);
	Py_DECREF(items);
	if (failed)
		return NULL;
	Py_RETURN_NONE;
}

PyObject *
zpy_store_delete_prefix(PyObject *self, PyObject *args, PyObject *kw)
{
	static char *names[] = {"prefix", "relaxed", NULL};
	const char *prefix = NULL;
	int relaxed = 0;
	zpy_call c;

	if (!PyArg_ParseTupleAndKeywords(args, kw, "s|$p", names, &prefix, &relaxed))
		return NULL;
	zpy_begin(&c, NULL, 0);
	if (zpy_end(&c, zinc_store_del_prefix(zpy_store_of(self), prefix, flags_of(relaxed), &c.wait, &c.err)) != 0)
		return NULL;
	Py_RETURN_NONE;
}
