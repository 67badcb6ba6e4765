/*
 * store_get.c - values of a store: whole, parts, many at once, with their tags
 *
 * Promises:
 *
 * (1) The bytes of a value are written once, by the store, into the memory that Python then holds as a Blob.
 * (2) All requests of a call go to the store together.
 * (3) A missing key is None.  A failure of any request is an exception, and never a missing key.
 * (4) Parts that are to be of the same value are: they have one tag.  If it changes all the time they are a conflict.
 */
#include "core.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct value {
	void *bytes;
	zinc_found found;
	uint64_t nbytes, object_size;
	zinc_tag tag;
};
static const struct value no_answer = {.found = ZINC_FAILED};
#define TRIES 10 /* to read parts of a value that is replaced meanwhile */

/* One call.  room() and done() run without the GIL in any thread: they touch their own value, and under the lock the first
 * failure. */
struct fetch {
	zinc_store *store;
	zinc_get *requests;
	struct value *values;
	size_t n;
	bool same; /* promise (4) */
	pthread_mutex_t lock;
	zinc_status status;
	zinc_error err;
};

static zinc_room
on_room(void *arg, size_t i, uint64_t nbytes, void **buf)
{
	struct fetch *f = arg;
	struct value *v = &f->values[i];

	free(v->bytes);
	v->bytes = nbytes < PY_SSIZE_T_MAX ? malloc((size_t)nbytes + 1) : NULL;
	*buf = v->bytes;
	return v->bytes ? ZINC_ROOM_OK : ZINC_ROOM_FAIL;
}

static void
keep_failure(struct fetch *f, const zinc_got *got)
{
	pthread_mutex_lock(&f->lock);
	if (f->status == ZINC_OK) {
		f->status = got->status != ZINC_OK ? got->status : ZINC_E_IO;
		if (got->error)
			f->err = *got->error;
	}
	pthread_mutex_unlock(&f->lock);
}

static void
on_done(void *arg, size_t i, const zinc_got *got)
{
	struct fetch *f = arg;
	struct value *v = &f->values[i];

	v->found = got->found;
	v->nbytes = got->nbytes;
	v->object_size = got->object_size;
	if (got->found == ZINC_FAILED)
		keep_failure(f, got);
	else if (got->found == ZINC_FOUND)
		v->tag = *got->tag;
}

/* ---- one call ---- */

static void
drop_values(struct fetch *f)
{
	size_t i;

	for (i = 0; i < f->n; i++) {
		free(f->values[i].bytes);
		f->values[i] = no_answer;
	}
}

static int
fetch_once(struct fetch *f)
{
	const zinc_sink sink = {sizeof sink, on_room, on_done, f};
	zinc_status st;
	zpy_call c;

	drop_values(f);
	f->status = ZINC_OK;
	zpy_begin(&c, NULL, 0);
	st = zinc_store_get(f->store, f->requests, f->n, &sink, &c.wait, &c.err);
	if (st == ZINC_OK && f->status != ZINC_OK) {
		st = f->status;
		c.err = f->err;
	}
	return zpy_end_or_again(&c, st);
}

static bool
is_same(const struct value *a, const struct value *b)
{
	return a->found == b->found && a->tag.n == b->tag.n && memcmp(a->tag.b, b->tag.b, a->tag.n) == 0;
}

static bool
all_same(const struct fetch *f)
{
	size_t i;

	for (i = 1; f->same && i < f->n; i++)
		if (!is_same(&f->values[0], &f->values[i]))
			return false;
	return true;
}

static int
fail_changed(void)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_status st =
	    zinc_error_set(&err, ZINC_E_CONFLICT, "the value was replaced again and again while parts of it were read");

	return zpy_raise(&err, st);
}

/* Promise (4). */
static int
fetch_same(struct fetch *f)
{
	int end, tries = TRIES;

	do {
		end = fetch_once(f);
	} while (end == 0 && !all_same(f) && --tries > 0);
	return tries > 0 ? end : fail_changed();
}

static int
fetch_all(struct fetch *f)
{
	int end = 1;

	if (pthread_mutex_init(&f->lock, NULL) != 0) {
		PyErr_NoMemory();
		return -1;
	}
	while (end == 1)
		end = fetch_same(f);
	pthread_mutex_destroy(&f->lock);
	if (end != 0)
		drop_values(f);
	return end;
}

/* Promise (3), should a store have left out an answer. */
static PyObject *
not_found(const struct value *v)
{
	if (v->found == ZINC_MISSING)
		Py_RETURN_NONE;
	PyErr_SetString(PyExc_SystemError, "the store did not answer");
	return NULL;
}

/* Promise (1): the Blob takes the memory.  A value without bytes may have no room. */
static PyObject *
value_object(struct value *v)
{
	zinc_blob blob = {v->bytes, (size_t)v->nbytes, zpy_context};

	if (v->bytes && v->found == ZINC_FOUND)
		((char *)v->bytes)[v->nbytes] = 0; /* as every blob of the library */
	v->bytes = NULL;
	if (v->found == ZINC_FOUND)
		return zpy_blob(&blob);
	zinc_blob_fini(&blob);
	return not_found(v);
}

/* ---- arguments ---- */

/* start, length and suffix as in _core.pyi. */
static int
take_range(zinc_get *r, const char *key, long long start, long long length, int suffix)
{
	memset(r, 0, sizeof *r);
	if (start < 0 || (suffix && start > 0)) {
		PyErr_SetString(PyExc_ValueError, "a range begins at 0 or later, and a suffix has no start");
		return -1;
	}
	r->key = key;
	r->offset = (uint64_t)start;
	r->length = length < 0 ? ZINC_TO_END : (uint64_t)length;
	r->suffix = suffix && length >= 0;
	r->untagged = 1;
	return 0;
}

static int
take_request(zinc_get *r, PyObject *item)
{
	long long start = 0, length = -1;
	const char *key = NULL;
	int suffix = 0;

	if (!PyTuple_Check(item)) {
		PyErr_SetString(PyExc_TypeError, "a request is a tuple (key, start, length, suffix)");
		return -1;
	}
	if (!PyArg_ParseTuple(item, "s|LLp", &key, &start, &length, &suffix))
		return -1;
	return take_range(r, key, start, length, suffix);
}

/* ---- one value ---- */

PyObject *
zpy_store_get(PyObject *self, PyObject *args, PyObject *kw)
{
	static char *names[] = {"key", "start", "length", "suffix", "limit", NULL};
	long long start = 0, length = -1;
	uint64_t limit = 0;
	struct value value = no_answer;
	zinc_get request;
	struct fetch f = {.store = zpy_store_of(self), .requests = &request, .values = &value, .n = 1};
	const char *key = NULL;
	int suffix = 0;

	if (!PyArg_ParseTupleAndKeywords(args, kw, "s|LLpO&", names, &key, &start, &length, &suffix, zpy_uint64,
					 &limit) ||
	    take_range(&request, key, start, length, suffix) != 0)
		return NULL;
	request.limit = limit;
	return fetch_all(&f) == 0 ? value_object(&value) : NULL;
}

PyObject *
zpy_store_get_tagged(PyObject *self, PyObject *args)
{
	struct value value = no_answer;
	zinc_get request;
	struct fetch f = {.store = zpy_store_of(self), .requests = &request, .values = &value, .n = 1};
	const char *key = NULL;
	PyObject *blob, *tag;

	if (!PyArg_ParseTuple(args, "s", &key) || take_range(&request, key, 0, -1, 0) != 0)
		return NULL;
	request.untagged = 0;
	blob = fetch_all(&f) == 0 ? value_object(&value) : NULL;
	if (!blob || blob == Py_None)
		return blob;
	/* "y#" would not work with older versions than that of the headers */
	tag = PyBytes_FromStringAndSize((const char *)value.tag.b, (Py_ssize_t)value.tag.n);
	if (tag)
		return Py_BuildValue("(NN)", blob, tag);
	Py_DECREF(blob);
	return NULL;
}

PyObject *
zpy_store_size(PyObject *self, PyObject *args)
{
	struct value value = no_answer;
	zinc_get request;
	struct fetch f = {.store = zpy_store_of(self), .requests = &request, .values = &value, .n = 1};
	const char *key = NULL;

	if (!PyArg_ParseTuple(args, "s", &key) || take_range(&request, key, 0, -1, 0) != 0)
		return NULL;
	request.stat = 1;
	if (fetch_all(&f) != 0)
		return NULL;
	free(value.bytes);
	if (value.found != ZINC_FOUND)
		return not_found(&value);
	return PyLong_FromUnsignedLongLong(value.object_size);
}

/* ---- many values ---- */

/* `items` keeps the keys alive. */
static int
take_requests(struct fetch *f, PyObject *items)
{
	size_t i;

	f->n = (size_t)PyTuple_Size(items);
	f->requests = calloc(f->n + 1, sizeof *f->requests);
	f->values = calloc(f->n + 1, sizeof *f->values);
	if (!f->requests || !f->values) {
		f->n = 0;
		PyErr_NoMemory();
		return -1;
	}
	for (i = 0; i < f->n; i++) {
		if (take_request(&f->requests[i], PyTuple_GetItem(items, (Py_ssize_t)i)) != 0)
			return -1;
		f->requests[i].untagged = !f->same || f->n == 1;
	}
	return 0;
}

static PyObject *
value_list(struct fetch *f)
{
	PyObject *list = PyList_New((Py_ssize_t)f->n), *item;
	size_t i;

	for (i = 0; list && i < f->n; i++) {
		item = value_object(&f->values[i]);
		if (!item || PyList_SetItem(list, (Py_ssize_t)i, item) != 0) {
			Py_DECREF(list);
			return NULL;
		}
	}
	return list;
}

PyObject *
zpy_store_get_many(PyObject *self, PyObject *args, PyObject *kw)
{
	static char *names[] = {"requests", "same", NULL};
	struct fetch f = {.store = zpy_store_of(self)};
	PyObject *requests, *items, *list = NULL;
	int same = 0;

	if (!PyArg_ParseTupleAndKeywords(args, kw, "O|$p", names, &requests, &same))
		return NULL;
	f.same = same;
	items = PySequence_Tuple(requests);
	if (!items)
		return NULL;
	if (take_requests(&f, items) == 0 && (f.n == 0 || fetch_all(&f) == 0))
		list = value_list(&f);
	if (f.values)
		drop_values(&f);
	free(f.values);
	free(f.requests);
	Py_DECREF(items);
	return list;
}
