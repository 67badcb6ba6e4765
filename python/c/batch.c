/*
 * batch.c - the batches of chunks that zarr-python asks its codec pipeline for, as one selection
 *
 * zarr-python makes a list of pieces, one for each chunk: (store path, specification, what to select of the chunk, where that
 * goes, is the chunk whole?).  A list for a box of integers and slices is the product of what each dimension selects, in C
 * order.  The box is taken from the first and the last piece.
 *
 * Promises:
 *
 * (1) Every piece is compared with the box: key, specification, store, both selections.  If one differs, the answer is None.
 * (2) An object of another type than zarr-python's own makes the answer None, never an exception of its own.
 */
#include "core.h"

#include <string.h>

/* What one dimension selects of one chunk. */
struct part {
	uint64_t chunk, start, count, out;
};

struct dim {
	uint64_t chunk; /* length of a chunk */
	uint64_t start, count, step;
	bool drop; /* an integer */
	struct part *parts;
	Py_ssize_t n, at;
};

struct box {
	struct dim dims[ZINC_MAX_NDIM];
	int ndim;
	char letter; /* '\0': keys as in version 2 */
	char separator;
	PyObject *batch; /* a tuple: attributes of pieces may be functions that change the list */
	Py_ssize_t n;
	PyObject *spec, *store, *path_type; /* of the first piece; borrowed, but for the store */
	char *prefix;                       /* of the keys, with the slash at its end */
	size_t nprefix;
};

/* ---- keys ---- */

/* The number that ends at text[*n], without leading zeros; *n becomes its beginning. */
static bool
number_before(const char *text, size_t *n, uint64_t *out)
{
	uint64_t value = 0, unit = 1;
	size_t i = *n;

	for (; i > 0 && text[i - 1] >= '0' && text[i - 1] <= '9'; i--) {
		if (*n - i >= 18)
			return false;
		value += unit * (uint64_t)(text[i - 1] - '0');
		unit *= 10;
	}
	if (i == *n || (text[i] == '0' && *n - i > 1))
		return false;
	*n = i;
	*out = value;
	return true;
}

/* The index of a chunk's key, and the length of the prefix before it. */
static bool
parse_key(const struct box *b, const char *key, size_t n, uint64_t *index, size_t *nprefix)
{
	int d;

	if (b->ndim == 0 && !b->letter) {
		if (n == 0 || key[--n] != '0')
			return false;
	}
	for (d = b->ndim - 1; d >= 0; d--) {
		if (!number_before(key, &n, &index[d]))
			return false;
		if ((d > 0 || b->letter) && (n == 0 || key[--n] != b->separator))
			return false;
	}
	if (b->letter && (n == 0 || key[--n] != b->letter))
		return false;
	*nprefix = n;
	return n == 0 || key[n - 1] == '/';
}

/* The key of a piece; borrowed from `*hold`, which the caller releases. */
static const char *
key_of(PyObject *piece, PyObject **hold, size_t *n)
{
	const char *key = NULL;
	Py_ssize_t len = 0;

	*hold = PyObject_GetAttrString(PyTuple_GetItem(piece, 0), "path");
	if (*hold && PyUnicode_Check(*hold))
		key = PyUnicode_AsUTF8AndSize(*hold, &len);
	*n = (size_t)len;
	return key;
}

/* ---- selections ---- */

static bool
take_slice(PyObject *s, Py_ssize_t *start, Py_ssize_t *stop, Py_ssize_t *step)
{
	return PySlice_Check(s) && PySlice_Unpack(s, start, stop, step) == 0 && *start >= 0 && *stop >= *start &&
	       *step >= 1;
}

static uint64_t
count_of(Py_ssize_t start, Py_ssize_t stop, Py_ssize_t step)
{
	return ((uint64_t)(stop - start) + (uint64_t)step - 1) / (uint64_t)step;
}

/* Does an item of a chunk's selection select what the part says? */
static bool
same_local(const struct dim *d, const struct part *p, PyObject *item)
{
	Py_ssize_t start, stop, step;

	if (d->drop)
		return PyLong_Check(item) && PyLong_AsUnsignedLongLong(item) == p->start;
	return take_slice(item, &start, &stop, &step) && (uint64_t)start == p->start && (uint64_t)step == d->step &&
	       (uint64_t)stop <= d->chunk && count_of(start, stop, step) == p->count;
}

static bool
same_out(const struct part *p, PyObject *item)
{
	Py_ssize_t start, stop, step;

	return take_slice(item, &start, &stop, &step) && step == 1 && (uint64_t)start == p->out &&
	       (uint64_t)stop == p->out + p->count;
}

/* ---- the box ---- */

static bool
is_piece(PyObject *piece)
{
	return PyTuple_Check(piece) && PyTuple_Size(piece) == 5;
}

/* Start and step of a dimension, from the first piece. */
static bool
begin_dim(struct dim *d, uint64_t index, PyObject *item)
{
	Py_ssize_t start, stop, step;
	uint64_t local;

	d->drop = PyLong_Check(item);
	d->step = d->count = 1;
	if (d->drop) {
		local = PyLong_AsUnsignedLongLong(item);
	} else {
		if (!take_slice(item, &start, &stop, &step))
			return false;
		local = (uint64_t)start;
		d->step = (uint64_t)step;
	}
	if (PyErr_Occurred() || d->chunk == 0 || local >= d->chunk || index > INT64_MAX / 4 / d->chunk ||
	    d->step > INT64_MAX / 4)
		return false;
	d->start = index * d->chunk + local;
	return true;
}

static bool
take_first(struct box *b, PyObject *piece, uint64_t *index)
{
	PyObject *local = PyTuple_GetItem(piece, 2);
	int d;

	if (!PyTuple_Check(local) || PyTuple_Size(local) != b->ndim)
		return false;
	for (d = 0; d < b->ndim; d++)
		if (!begin_dim(&b->dims[d], index[d], PyTuple_GetItem(local, d)))
			return false;
	return true;
}

/* The counts, from the last piece. */
static bool
take_last(struct box *b, PyObject *piece)
{
	PyObject *out = PyTuple_GetItem(piece, 3);
	Py_ssize_t start, stop, step, k = 0;
	int d;

	for (d = 0; d < b->ndim; d++)
		k += !b->dims[d].drop;
	if (!PyTuple_Check(out) || PyTuple_Size(out) != k)
		return false;
	for (d = 0, k = 0; d < b->ndim; d++) {
		struct dim *x = &b->dims[d];

		if (x->drop)
			continue;
		if (!take_slice(PyTuple_GetItem(out, k++), &start, &stop, &step) || stop < 1 ||
		    (uint64_t)stop > INT64_MAX / 4 / x->step)
			return false;
		x->count = (uint64_t)stop;
	}
	return true;
}

/* The parts of a dimension: at most `most`. */
static int
split(struct dim *d, Py_ssize_t most)
{
	Py_ssize_t room = 0;
	uint64_t e;

	for (e = 0; e < d->count; d->n++) {
		const uint64_t at = d->start + e * d->step, local = at % d->chunk;
		const uint64_t k = (d->chunk - local + d->step - 1) / d->step;
		struct part *p;

		if (d->n == most)
			return 0;
		if (d->n == room) {
			room = room * 2 + 4;
			p = PyMem_Realloc(d->parts, (size_t)room * sizeof *p);
			if (!p) {
				PyErr_NoMemory();
				return -1;
			}
			d->parts = p;
		}
		p = &d->parts[d->n];
		*p = (struct part){at / d->chunk, local, k < d->count - e ? k : d->count - e, e};
		e += p->count;
	}
	return 1;
}

/* The parts of all dimensions, if their product has as many pieces as the batch: 1, 0 or -1. */
static int
split_all(struct box *b)
{
	Py_ssize_t product = 1;
	int d, ok;

	for (d = 0; d < b->ndim; d++) {
		ok = split(&b->dims[d], b->n);
		if (ok != 1)
			return ok;
		if (b->dims[d].n > b->n / product)
			return 0;
		product *= b->dims[d].n;
	}
	return product == b->n;
}

static bool
same_key(const struct box *b, PyObject *piece)
{
	uint64_t index[ZINC_MAX_NDIM];
	size_t n, nprefix;
	PyObject *hold;
	const char *key = key_of(piece, &hold, &n);
	bool same;
	int d;

	same = key && parse_key(b, key, n, index, &nprefix) && nprefix == b->nprefix &&
	       memcmp(key, b->prefix, nprefix) == 0;
	for (d = 0; same && d < b->ndim; d++)
		same = index[d] == b->dims[d].parts[b->dims[d].at].chunk;
	Py_XDECREF(hold);
	return same;
}

static bool
same_store(const struct box *b, PyObject *piece)
{
	PyObject *path = PyTuple_GetItem(piece, 0), *store;
	bool same;

	if ((PyObject *)Py_TYPE(path) != b->path_type || PyTuple_GetItem(piece, 1) != b->spec)
		return false;
	store = PyObject_GetAttrString(path, "store");
	same = store == b->store;
	Py_XDECREF(store);
	return same;
}

static bool
same_selections(const struct box *b, PyObject *piece)
{
	PyObject *local = PyTuple_GetItem(piece, 2), *out = PyTuple_GetItem(piece, 3);
	Py_ssize_t k = 0;
	int d;

	if (!PyTuple_Check(local) || PyTuple_Size(local) != b->ndim || !PyTuple_Check(out))
		return false;
	for (d = 0; d < b->ndim; d++) {
		const struct dim *x = &b->dims[d];
		const struct part *p = &x->parts[x->at];

		if (!same_local(x, p, PyTuple_GetItem(local, d)))
			return false;
		if (!x->drop && (k >= PyTuple_Size(out) || !same_out(p, PyTuple_GetItem(out, k++))))
			return false;
	}
	return k == PyTuple_Size(out);
}

/* The next piece of the product: the last dimension moves first. */
static void
next(struct box *b)
{
	int d;

	for (d = b->ndim - 1; d >= 0; d--) {
		if (++b->dims[d].at < b->dims[d].n)
			return;
		b->dims[d].at = 0;
	}
}

static bool
same_all(struct box *b)
{
	Py_ssize_t i;

	for (i = 0; i < b->n; i++, next(b)) {
		PyObject *piece = PyTuple_GetItem(b->batch, i);

		if (!is_piece(piece) || !same_store(b, piece) || !same_key(b, piece) || !same_selections(b, piece))
			return false;
	}
	return true;
}

/* ---- the answer ---- */

/* Find the box and compare: 1, 0, or -1 with an exception. */
static int
find(struct box *b)
{
	PyObject *first = PyTuple_GetItem(b->batch, 0), *last = PyTuple_GetItem(b->batch, b->n - 1), *hold;
	uint64_t index[ZINC_MAX_NDIM];
	const char *key;
	size_t n;
	int ok;

	if (!is_piece(first) || !is_piece(last))
		return 0;
	key = key_of(first, &hold, &n);
	ok = key && parse_key(b, key, n, index, &b->nprefix);
	if (ok) {
		b->prefix = PyMem_Malloc(b->nprefix + 1);
		ok = b->prefix ? 1 : -1;
		if (b->prefix)
			memcpy(b->prefix, key, b->nprefix);
		else
			PyErr_NoMemory();
	}
	Py_XDECREF(hold);
	if (ok != 1)
		return ok;
	b->spec = PyTuple_GetItem(first, 1);
	b->path_type = (PyObject *)Py_TYPE(PyTuple_GetItem(first, 0));
	b->store = PyObject_GetAttrString(PyTuple_GetItem(first, 0), "store");
	if (!b->store || !take_first(b, first, index) || !take_last(b, last))
		return 0;
	ok = split_all(b);
	return ok != 1 ? ok : same_all(b);
}

static PyObject *
item_of(const struct dim *d)
{
	if (d->drop)
		return PyLong_FromUnsignedLongLong(d->start);
	return Py_BuildValue("KKK", (unsigned long long)d->start, (unsigned long long)d->count,
			     (unsigned long long)d->step);
}

static PyObject *
answer(const struct box *b)
{
	const size_t n = b->nprefix > 0 ? b->nprefix - 1 : 0; /* without the slash */
	PyObject *select = PyTuple_New(b->ndim), *item, *prefix, *result;
	int d;

	for (d = 0; select && d < b->ndim; d++) {
		item = item_of(&b->dims[d]);
		if (!item || PyTuple_SetItem(select, d, item) != 0)
			Py_CLEAR(select);
	}
	if (!select)
		return NULL;
	/* "s#" would not work with older versions than that of the headers */
	prefix = PyUnicode_DecodeUTF8(b->prefix, (Py_ssize_t)n, "strict");
	result = prefix ? Py_BuildValue("OO", prefix, select) : NULL;
	Py_XDECREF(prefix);
	Py_DECREF(select);
	return result;
}

static int
take_grid(struct box *b, PyObject *chunks, const char *letter, const char *separator)
{
	uint64_t shape[ZINC_MAX_NDIM];
	int d;

	b->ndim = zpy_numbers(chunks, -1, shape, "the shape of chunks");
	for (d = 0; d < b->ndim; d++)
		b->dims[d] = (struct dim){.chunk = shape[d] < INT64_MAX / 4 ? shape[d] : 0};
	b->letter = letter[0];
	b->separator = separator[0];
	return b->ndim < 0 ? -1 : 0;
}

static PyObject *
batch_box(PyObject *module, PyObject *args)
{
	struct box b = {.ndim = 0};
	const char *letter, *separator;
	PyObject *list, *chunks, *result = NULL;
	int d, ok;

	(void)module;
	if (!PyArg_ParseTuple(args, "O!Oss", &PyList_Type, &list, &chunks, &letter, &separator) ||
	    take_grid(&b, chunks, letter, separator) != 0)
		return NULL;
	b.batch = PyList_AsTuple(list);
	if (!b.batch)
		return NULL;
	b.n = PyTuple_Size(b.batch);
	ok = b.n > 0 ? find(&b) : 0;
	if (ok == 0) {
		PyErr_Clear(); /* of an object that is not as expected */
		result = Py_NewRef(Py_None);
	} else if (ok == 1) {
		result = answer(&b);
	}
	for (d = 0; d < b.ndim; d++)
		PyMem_Free(b.dims[d].parts);
	PyMem_Free(b.prefix);
	Py_XDECREF(b.store);
	Py_DECREF(b.batch);
	return result;
}

static PyMethodDef functions[] = {
    {"batch_box", batch_box, METH_VARARGS,
     "batch_box(batch, chunks, letter, separator): the box that a batch of zarr-python selects, or None"},
    {NULL, NULL, 0, NULL},
};

int
zpy_add_batch(PyObject *module)
{
	return PyModule_AddFunctions(module, functions);
}
