/*
 * store_list.c - listings of a store
 *
 * The callbacks run without the GIL.  They collect the keys in C; the objects are made at the end.
 */
#include "core.h"

#include <stdlib.h>
#include <string.h>

struct entry {
	size_t at, length; /* of the key in `text` */
	uint64_t nbytes;
};

struct listing {
	zinc_store *store;
	const char *prefix;
	char *text;
	size_t ntext, text_room;
	struct entry *entries;
	size_t n, room;
	bool no_memory;
};

static void
listing_fini(struct listing *l)
{
	free(l->text);
	free(l->entries);
	l->text = NULL;
	l->entries = NULL;
	l->ntext = l->text_room = l->n = l->room = 0;
}

/* Room for `more` items of `size` bytes in *list, doubled when it is full. */
static bool
grow(void **list, size_t *room, size_t used, size_t more, size_t size)
{
	size_t wanted = *room ? *room : 64;
	void *grown;

	if (used + more <= *room)
		return true;
	while (wanted < used + more)
		wanted *= 2;
	grown = realloc(*list, wanted * size);
	if (!grown)
		return false;
	*list = grown;
	*room = wanted;
	return true;
}

static int
add(struct listing *l, const char *key, uint64_t nbytes)
{
	const size_t length = strlen(key);
	void *text = l->text, *entries = l->entries;

	l->no_memory = !grow(&text, &l->text_room, l->ntext, length, 1);
	l->text = text;
	if (!l->no_memory)
		l->no_memory = !grow(&entries, &l->room, l->n, 1, sizeof *l->entries);
	l->entries = entries;
	if (l->no_memory)
		return 1;
	memcpy(l->text + l->ntext, key, length);
	l->entries[l->n++] = (struct entry){l->ntext, length, nbytes};
	l->ntext += length;
	return 0;
}

static int
on_key(void *arg, const char *key, uint64_t nbytes)
{
	return add(arg, key, nbytes);
}

static int
on_entry(void *arg, const char *key_or_prefix, int is_prefix)
{
	(void)is_prefix;
	return add(arg, key_or_prefix, 0);
}

/* ---- one call ---- */

static int
list_once(struct listing *l, bool one_level)
{
	zinc_status st;
	zpy_call c;

	listing_fini(l);
	zpy_begin(&c, NULL, 0);
	if (one_level)
		st = zinc_store_list_dir(l->store, l->prefix, on_entry, l, &c.wait, &c.err);
	else
		st = zinc_store_list(l->store, l->prefix, on_key, l, &c.wait, &c.err);
	return zpy_end_or_again(&c, st);
}

static int
list_all(struct listing *l, bool one_level)
{
	int end = 1;

	while (end == 1)
		end = list_once(l, one_level);
	if (end == 0 && !l->no_memory)
		return 0;
	if (end == 0)
		PyErr_NoMemory();
	return -1;
}

/* A key is UTF-8, as the library checks. */
static PyObject *
entry_object(const struct listing *l, const struct entry *e, bool one_level)
{
	PyObject *key = PyUnicode_DecodeUTF8(l->text + e->at, (Py_ssize_t)e->length, "strict");

	if (one_level || !key)
		return key;
	return Py_BuildValue("(NK)", key, (unsigned long long)e->nbytes);
}

static PyObject *
entry_list(const struct listing *l, bool one_level)
{
	PyObject *list = PyList_New((Py_ssize_t)l->n), *item;
	size_t i;

	for (i = 0; list && i < l->n; i++) {
		item = entry_object(l, &l->entries[i], one_level);
		if (!item || PyList_SetItem(list, (Py_ssize_t)i, item) != 0) {
			Py_DECREF(list);
			return NULL;
		}
	}
	return list;
}

static PyObject *
list_as(PyObject *self, PyObject *args, PyObject *kw, bool one_level)
{
	static char *names[] = {"prefix", NULL};
	struct listing l = {.store = zpy_store_of(self), .prefix = ""};
	PyObject *list = NULL;

	if (!PyArg_ParseTupleAndKeywords(args, kw, "|s", names, &l.prefix))
		return NULL;
	if (list_all(&l, one_level) == 0)
		list = entry_list(&l, one_level);
	listing_fini(&l);
	return list;
}

PyObject *
zpy_store_list(PyObject *self, PyObject *args, PyObject *kw)
{
	return list_as(self, args, kw, false);
}

PyObject *
zpy_store_list_dir(PyObject *self, PyObject *args, PyObject *kw)
{
	return list_as(self, args, kw, true);
}
