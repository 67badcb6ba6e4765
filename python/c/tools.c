/*
 * tools.c - copying, moving, validating, comparing
 *
 * Options come as a mapping with the names of the library's members; a table for each call says where they go.
 */
#include "core.h"

#include <limits.h>
#include <string.h>

/* ---- options ---- */

enum kind { FLAG, COUNT, TEXT, REAL };

struct option {
	const char *name;
	enum kind kind;
	size_t at;
};

static int
take_int(int *to, PyObject *value)
{
	const long n = PyLong_AsLong(value);

	if (!PyErr_Occurred() && (n < INT_MIN || n > INT_MAX))
		PyErr_SetString(PyExc_OverflowError, "an option is out of range");
	*to = (int)n;
	return PyErr_Occurred() ? -1 : 0;
}

/* `items` keeps the texts alive. */
static int
take_option(void *to, const struct option *o, PyObject *value)
{
	char *at = (char *)to + o->at;

	if (value == Py_None)
		return 0;
	if (o->kind == FLAG)
		return take_int((int *)(void *)at, value);
	if (o->kind == COUNT)
		return zpy_uint64(value, at) ? 0 : -1;
	if (o->kind == REAL)
		*(double *)(void *)at = PyFloat_AsDouble(value);
	else
		*(const char **)(void *)at = zpy_chars(value);
	return PyErr_Occurred() ? -1 : 0;
}

static const struct option *
find_option(const struct option *table, const char *name)
{
	while (table->name && strcmp(table->name, name) != 0)
		table++;
	return table->name ? table : NULL;
}

static int
take_pair(void *to, const struct option *table, PyObject *pair)
{
	const struct option *o;
	const char *name = NULL;
	PyObject *value = NULL;

	if (!PyTuple_Check(pair)) {
		PyErr_SetString(PyExc_TypeError, "options are a mapping");
		return -1;
	}
	if (!PyArg_ParseTuple(pair, "sO", &name, &value))
		return -1;
	o = find_option(table, name);
	if (o)
		return take_option(to, o, value);
	PyErr_Format(PyExc_TypeError, "there is no option '%s'", name);
	return -1;
}

/* The items of a mapping, all of them options of `table` but for `chunks` and `shards`, which are shapes.  Returns the
 * list that keeps their texts alive, or NULL. */
static PyObject *
take_options(void *to, const struct option *table, PyObject *mapping)
{
	PyObject *items = PyMapping_Items(mapping);
	Py_ssize_t i, n = items ? PyList_Size(items) : 0;

	for (i = 0; i < n; i++) {
		if (take_pair(to, table, PyList_GetItem(items, i)) != 0)
			break;
	}
	if (items && i == n)
		return items;
	Py_XDECREF(items);
	return NULL;
}

/* ---- results ---- */

struct member {
	const char *name;
	uint64_t value;
};

static PyObject *
numbers(const struct member *list, size_t n)
{
	PyObject *d = PyDict_New();
	size_t i;

	for (i = 0; d && i < n; i++)
		if (zpy_set(d, list[i].name, PyLong_FromUnsignedLongLong(list[i].value)) != 0) {
			Py_DECREF(d);
			return NULL;
		}
	return d;
}

#define NUMBERS(list) numbers(list, sizeof(list) / sizeof *(list))

/* What a callback needs: it runs in the calling thread, which has released the GIL. */
struct listing {
	zpy_call call;
	PyObject *list; /* of findings or differences */
	PyObject *also; /* of arrays without a checksum; or the function that gets notes */
};

/* ---- copying and moving ---- */

struct copy {
	zinc_copy_options o;
	uint64_t chunks[ZINC_MAX_NDIM], shards[ZINC_MAX_NDIM];
	zpy_settings settings;
	PyObject *held;
};

#define AT(member) offsetof(zinc_copy_options, member)

static const struct option copy_table[] = {{"format", TEXT, AT(format)},
					   {"strict", FLAG, AT(strict)},
					   {"auto_chunks", FLAG, AT(auto_chunks)},
					   {"auto_shards", FLAG, AT(auto_shards)},
					   {"codecs", TEXT, AT(codecs)},
					   {"dtype", TEXT, AT(dtype)},
					   {"select", TEXT, AT(select)},
					   {"resume", FLAG, AT(resume)},
					   {"verify", FLAG, AT(verify)},
					   {"lossy", FLAG, AT(lossy)},
					   {"overwrite", FLAG, AT(overwrite)},
					   {"dry_run", FLAG, AT(dry_run)},
					   {"max_memory", COUNT, AT(max_memory)},
					   {"threads", FLAG, AT(threads)},
					   {"fallback", TEXT, AT(fallback)},
					   {"convert", FLAG, AT(convert)},
					   {"links", FLAG, AT(links)},
					   {"climb", FLAG, AT(climb)},
					   {"key_encoding", TEXT, AT(key_encoding)},
					   {"for_xarray", FLAG, AT(for_xarray)},
					   {"force", FLAG, AT(force)},
					   {"chunk_edges", TEXT, AT(chunk_edges)},
					   {"shard_edges", TEXT, AT(shard_edges)},
					   {NULL, FLAG, 0}};
#undef AT

/* Chunks and shards have as many numbers as each other; the library checks what arrays can have them. */
static int
take_shapes(struct copy *w, PyObject *chunks, PyObject *shards)
{
	int n = -1;

	if (chunks && chunks != Py_None) {
		n = zpy_numbers(chunks, -1, w->chunks, "chunks");
		if (n < 0)
			return -1;
		w->o.chunks = w->chunks;
	}
	if (shards && shards != Py_None) {
		n = zpy_numbers(shards, n, w->shards, "shards");
		if (n < 0)
			return -1;
		w->o.shards = w->shards;
	}
	w->o.ndim = n < 0 ? 0 : n;
	return 0;
}

static void
copy_fini(struct copy *w)
{
	zpy_settings_fini(&w->settings);
	Py_XDECREF(w->held);
}

static int
copy_init(struct copy *w, PyObject *options, PyObject *chunks, PyObject *shards, PyObject *settings)
{
	*w = (struct copy){.o = ZINC_COPY_OPTIONS_INIT};
	if (zpy_settings_init(&w->settings, settings) != 0)
		return -1;
	w->held = take_options(&w->o, copy_table, options);
	if (!w->held || take_shapes(w, chunks, shards) != 0) {
		copy_fini(w);
		return -1;
	}
	w->o.context = zpy_context;
	w->o.settings = w->settings.list;
	w->o.nsettings = w->settings.n;
	return 0;
}

static int
on_note(void *arg, const zinc_copy_note *note)
{
	struct listing *l = arg;
	PyGILState_STATE gil;
	PyObject *answer;
	int stop;

	if (!zpy_enter(&gil))
		return -1;
	answer = PyObject_CallFunction(l->also, "iNN", (int)note->kind, zpy_text(note->path), zpy_text(note->message));
	stop = answer ? PyObject_IsTrue(answer) : -1;
	Py_XDECREF(answer);
	zpy_keep(&l->call);
	zpy_leave(gil);
	return stop;
}

static void
begin_copy(struct listing *l, zinc_copy_options *o, PyObject *note, PyObject *progress)
{
	*l = (struct listing){.also = note};
	if (note && note != Py_None) {
		o->note = on_note;
		o->note_arg = l;
	}
	zpy_begin(&l->call, progress, o->threads);
	o->call = &l->call.options;
	o->threads = l->call.threads;
}

static PyObject *
copied(const zinc_copy_counts *n)
{
	const struct member list[] = {{"groups", n->groups}, {"arrays", n->arrays},     {"objects", n->objects},
				      {"raw", n->raw},       {"skipped", n->skipped},   {"bytes", n->bytes},
				      {"lost", n->lost},     {"replaced", n->replaced}, {"hidden", n->hidden}};

	return NUMBERS(list);
}

static PyObject *
copy(PyObject *module, PyObject *args, PyObject *kw)
{
	static char *names[] = {"source",   "target", "options",  "chunks", "shards",
				"settings", "note",   "progress", NULL};
	PyObject *options = NULL, *chunks = NULL, *shards = NULL, *settings = NULL, *note = NULL, *progress = NULL;
	zinc_copy_counts n = ZINC_COPY_COUNTS_INIT;
	const char *source = NULL, *target = NULL;
	struct listing l;
	struct copy w;
	int failed;

	(void)module;
	if (!PyArg_ParseTupleAndKeywords(args, kw, "ssO|$OOOOO", names, &source, &target, &options, &chunks, &shards,
					 &settings, &note, &progress) ||
	    copy_init(&w, options, chunks, shards, settings) != 0)
		return NULL;
	begin_copy(&l, &w.o, note, progress);
	failed = zpy_end(&l.call, zinc_copy_url(source, target, &w.o, &n, &l.call.err));
	copy_fini(&w);
	return failed ? NULL : copied(&n);
}

static PyObject *
move(PyObject *module, PyObject *args, PyObject *kw)
{
	static char *names[] = {"hierarchy", "source", "target", "options", "note", "progress", NULL};
	PyObject *h = NULL, *options = NULL, *note = NULL, *progress = NULL;
	const char *source = NULL, *target = NULL;
	struct listing l;
	struct copy w;
	int failed;

	(void)module;
	if (!PyArg_ParseTupleAndKeywords(args, kw, "O!ssO|$OO", names, zpy_hierarchy_type, &h, &source, &target,
					 &options, &note, &progress) ||
	    copy_init(&w, options, NULL, NULL, NULL) != 0)
		return NULL;
	begin_copy(&l, &w.o, note, progress);
	failed = zpy_end(&l.call, zinc_move(((zpy_hierarchy *)h)->h, source, target, &w.o, &l.call.err));
	copy_fini(&w);
	return failed ? NULL : Py_NewRef(Py_None);
}

/* ---- validating ---- */

#define AT(member) offsetof(zinc_validate_options, member)

static const struct option validate_table[] = {
    {"format", TEXT, AT(format)}, {"strict", FLAG, AT(strict)},   {"fast", FLAG, AT(fast)},
    {"repair", FLAG, AT(repair)}, {"orphans", FLAG, AT(orphans)}, {"threads", FLAG, AT(threads)},
    {"links", FLAG, AT(links)},   {"climb", FLAG, AT(climb)},     {"schemas", TEXT, AT(schemas)},
    {"cache", TEXT, AT(cache)},   {"fetch", FLAG, AT(fetch)},     {NULL, FLAG, 0}};
#undef AT

static PyObject *
finding_dict(const zinc_finding *f)
{
	return Py_BuildValue("{si sN sN sN sN sN sN sN}", "level", (int)f->level, "rule", zpy_text(f->rule), "path",
			     zpy_text(f->path), "key", zpy_text(f->key), "pointer", zpy_text(f->pointer), "message",
			     zpy_text(f->message), "fix", zpy_text(f->fix), "repaired", PyBool_FromLong(f->repaired));
}

static int
on_finding(void *arg, const zinc_finding *f)
{
	struct listing *l = arg;
	PyGILState_STATE gil;
	int failed;

	if (!zpy_enter(&gil))
		return -1;
	failed = zpy_list(&l->call, l->list, finding_dict(f));
	zpy_leave(gil);
	return failed;
}

static int
on_unchecked(void *arg, const char *path)
{
	struct listing *l = arg;
	PyGILState_STATE gil;
	int failed;

	if (!zpy_enter(&gil))
		return -1;
	failed = zpy_list(&l->call, l->also, zpy_text(path));
	zpy_leave(gil);
	return failed;
}

static PyObject *
validated(const struct listing *l, const zinc_validate_counts *n)
{
	const struct member list[] = {
	    {"groups", n->groups},     {"arrays", n->arrays},       {"objects", n->objects},
	    {"bytes", n->bytes},       {"missing", n->missing},     {"empty", n->empty},
	    {"errors", n->errors},     {"warnings", n->warnings},   {"unsupported", n->unsupported},
	    {"repaired", n->repaired}, {"unchecked", n->unchecked},
	};

	return Py_BuildValue("(OON)", l->list, l->also, NUMBERS(list));
}

static PyObject *
check(const char *url, zinc_validate_options *o, PyObject *progress)
{
	zinc_validate_counts n = ZINC_VALIDATE_COUNTS_INIT;
	struct listing l = {.list = PyList_New(0), .also = PyList_New(0)};
	PyObject *result = NULL;

	if (l.list && l.also) {
		zpy_begin(&l.call, progress, o->threads);
		o->context = zpy_context;
		o->call = &l.call.options;
		o->threads = l.call.threads;
		o->unchecked = on_unchecked;
		if (zpy_end(&l.call, zinc_validate(url, o, on_finding, &l, &n, &l.call.err)) == 0)
			result = validated(&l, &n);
	}
	Py_XDECREF(l.list);
	Py_XDECREF(l.also);
	return result;
}

static PyObject *
validate(PyObject *module, PyObject *args, PyObject *kw)
{
	static char *names[] = {"url", "options", "settings", "progress", NULL};
	PyObject *options = NULL, *settings = NULL, *progress = NULL, *held, *result = NULL;
	zinc_validate_options o = ZINC_VALIDATE_OPTIONS_INIT;
	const char *url = NULL;
	zpy_settings s;

	(void)module;
	if (!PyArg_ParseTupleAndKeywords(args, kw, "sO|$OO", names, &url, &options, &settings, &progress) ||
	    zpy_settings_init(&s, settings) != 0)
		return NULL;
	o.settings = s.list;
	o.nsettings = s.n;
	held = take_options(&o, validate_table, options);
	if (held)
		result = check(url, &o, progress);
	Py_XDECREF(held);
	zpy_settings_fini(&s);
	return result;
}

/* ---- comparing ---- */

#define AT(member) offsetof(zinc_diff_options, member)

static const struct option diff_table[] = {{"threads", FLAG, AT(threads)}, {"storage", FLAG, AT(storage)},
					   {"select", TEXT, AT(select)},   {"rtol", REAL, AT(rtol)},
					   {"atol", REAL, AT(atol)},       {NULL, FLAG, 0}};
#undef AT

static PyObject *
difference_dict(const zinc_difference *d)
{
	return Py_BuildValue("{si sN sN sN sN sK sK sN}", "kind", (int)d->kind, "path", zpy_text(d->path), "what",
			     zpy_text(d->what), "a", zpy_text(d->a), "b", zpy_text(d->b), "count",
			     (unsigned long long)d->count, "total", (unsigned long long)d->total, "index",
			     zpy_tuple(d->index ? d->ndim : 0, d->index));
}

static int
on_difference(void *arg, const zinc_difference *d)
{
	struct listing *l = arg;
	PyGILState_STATE gil;
	int failed;

	if (!zpy_enter(&gil))
		return -1;
	failed = zpy_list(&l->call, l->list, difference_dict(d));
	zpy_leave(gil);
	return failed;
}

static PyObject *
compared(const struct listing *l, const zinc_diff_counts *n)
{
	const struct member list[] = {{"nodes", n->nodes},
				      {"differences", n->differences},
				      {"unknown", n->unknown},
				      {"elements", n->elements},
				      {"different", n->different}};

	return Py_BuildValue("(ON)", l->list, NUMBERS(list));
}

struct side {
	PyObject *h;
	const char *path;
};

static PyObject *
compare(const struct side *a, const struct side *b, zinc_diff_options *o, PyObject *progress)
{
	zinc_diff_counts n = ZINC_DIFF_COUNTS_INIT;
	struct listing l = {.list = PyList_New(0)};
	PyObject *result = NULL;

	if (!l.list)
		return NULL;
	zpy_begin(&l.call, progress, o->threads);
	o->call = &l.call.options;
	o->threads = l.call.threads;
	if (zpy_end(&l.call, zinc_diff(((zpy_hierarchy *)a->h)->h, a->path, ((zpy_hierarchy *)b->h)->h, b->path, o,
				       on_difference, &l, &n, &l.call.err)) == 0)
		result = compared(&l, &n);
	Py_DECREF(l.list);
	return result;
}

static PyObject *
diff(PyObject *module, PyObject *args, PyObject *kw)
{
	static char *names[] = {"a", "path_a", "b", "path_b", "options", "progress", NULL};
	PyObject *options = NULL, *progress = NULL, *held, *result;
	zinc_diff_options o = ZINC_DIFF_OPTIONS_INIT;
	struct side a = {0}, b = {0};

	(void)module;
	if (!PyArg_ParseTupleAndKeywords(args, kw, "O!sO!sO|$O", names, zpy_hierarchy_type, &a.h, &a.path,
					 zpy_hierarchy_type, &b.h, &b.path, &options, &progress))
		return NULL;
	held = take_options(&o, diff_table, options);
	if (!held)
		return NULL;
	result = compare(&a, &b, &o, progress);
	Py_DECREF(held);
	return result;
}

/* ---- the functions ---- */

#define KEYWORDS(f) (PyCFunction)(void (*)(void))(f), METH_VARARGS | METH_KEYWORDS, NULL

static PyMethodDef functions[] = {{"copy", KEYWORDS(copy)},
				  {"move", KEYWORDS(move)},
				  {"validate", KEYWORDS(validate)},
				  {"diff", KEYWORDS(diff)},
				  {NULL, NULL, 0, NULL}};

int
zpy_add_tools(PyObject *module)
{
	return PyModule_AddFunctions(module, functions);
}
