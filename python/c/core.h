/*
 * core.h - what the files of the extension share
 *
 * The extension uses the stable ABI of Python 3.11 and the public headers of libzinc, nothing else.  It keeps C small: an
 * object for each handle, arguments to structures and back.  What users see is written in Python, in src/zinczarr/.
 *
 * Every call of the library stands between zpy_begin, which releases the GIL, and zpy_end, which takes it again and raises
 * the exception of a failure.
 */
#ifndef ZPY_CORE_H
#define ZPY_CORE_H

#define Py_LIMITED_API 0x030B0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdbool.h>

/* The headers of Python 3.12 and later leave out the references, which 3.11 counts. */
#undef Py_RETURN_NONE
#undef Py_RETURN_TRUE
#undef Py_RETURN_FALSE
#define Py_RETURN_NONE  return Py_NewRef(Py_None)
#define Py_RETURN_TRUE  return Py_NewRef(Py_True)
#define Py_RETURN_FALSE return Py_NewRef(Py_False)

#include <zinc.h>
#include <zinc/erase.h>
#include <zinc/extend.h>
#include <zinc/numpy.h>
#include <zinc/store.h>
#include <zinc/tool.h>

/* The context of all handles, made when the module is loaded. */
extern zinc_context *zpy_context;

/* ---- one call (call.c) ---- */

typedef struct zpy_call {
	zinc_error err;
	zinc_call_options options; /* for the library: cancel and progress */
	zinc_wait wait;            /* the same for a store */
	int threads;               /* for the library: this call's share */
	zinc_cancel cancel;
	PyObject *progress;
	PyObject *failure[3]; /* the first exception of a callback */
	PyThreadState *python;
	struct zpy_call *outer; /* of the main thread, to be cancelled too */
	bool watched;           /* Ctrl-C cancels it */
} zpy_call;

/* Begin a call: the GIL is released.  `progress` may be NULL or None; `threads` 0 is a share of all. */
void zpy_begin(zpy_call *c, PyObject *progress, int threads);
/* End it: 0, or -1 with an exception. */
int zpy_end(zpy_call *c, zinc_status st);
/* The same for a call that can be repeated: 1 when a signal ended it whose handler did not raise. */
int zpy_end_or_again(zpy_call *c, zinc_status st);
/* For callbacks: take the GIL, and give it back.  False at the end of the program, when no other thread than the main one may
 * touch Python: then the callback does nothing. */
bool zpy_enter(PyGILState_STATE *gil);
void zpy_leave(PyGILState_STATE gil);
/* For callbacks, with the GIL: keep a pending exception for the end of the call, if it is the first. */
void zpy_keep(zpy_call *c);
/* The threads of all calls; n > 0 sets them. */
int zpy_threads(int n);
/* Once, when the module is loaded: 0 or -1. */
int zpy_know_main(void);
int zpy_know_end(void);

/* ---- errors and warnings (error.c) ---- */

/* Raise the exception of `err`; returns -1. */
int zpy_raise(zinc_error *err, zinc_status st);
/* For zinc_context_options.warn, from any thread; and show what was collected: 0, or -1 when a warning is an error. */
void zpy_warn(void *arg, const char *where, const char *text);
int zpy_show_warnings(void);

/* ---- values ---- */

PyObject *zpy_text(const char *text); /* NULL gives None */
PyObject *zpy_tuple(int n, const uint64_t *numbers);
/* The UTF-8 of a text without NUL characters, which lives as long as the object; NULL with an exception. */
const char *zpy_chars(PyObject *text);
/* A converter for "O&": an integer as uint64_t.  The format "K" would take it modulo 2^64. */
int zpy_uint64(PyObject *from, void *to);
/* A sequence of `n` numbers (n < 0: any number) into to[ZINC_MAX_NDIM]; returns how many, or -1. */
int zpy_numbers(PyObject *from, int n, uint64_t *to, const char *what);
/* Set d[name] and drop the reference to `value`, which may be NULL after a failure: 0 or -1. */
int zpy_set(PyObject *d, const char *name, PyObject *value);
/* Append `item`, which may be NULL after a failure, and drop the reference to it.  For callbacks of a call: an exception is
 * kept in `c` until its end.  0 or -1. */
int zpy_list(zpy_call *c, PyObject *list, PyObject *item);

/* Settings of a store, from a mapping or None. */
typedef struct zpy_settings {
	PyObject *items;
	zinc_setting *list;
	size_t n;
} zpy_settings;
int zpy_settings_init(zpy_settings *s, PyObject *mapping);
void zpy_settings_fini(zpy_settings *s);

/* ---- Blob (blob.c): takes what the blob holds ---- */

PyObject *zpy_blob(zinc_blob *blob);
/* The text of a blob, which is freed. */
PyObject *zpy_blob_text(zinc_blob *blob);
/* End a call that made it: the text, or NULL with an exception, which may be a warning. */
PyObject *zpy_end_text(zpy_call *c, zinc_status st, zinc_blob *blob);

/* ---- selections and buffers (select.c) ---- */

typedef struct zpy_select {
	zinc_selection s;
	zinc_select_dim dims[ZINC_MAX_NDIM];
	Py_buffer view; /* of the mask */
	void *own[ZINC_MAX_NDIM];
	int nviews, nown;
} zpy_select;
/* Of the arguments select, points and mask, of which at most one is not None or NULL; `ndim` is the array's. */
int zpy_select_init(zpy_select *s, int ndim, PyObject *select, PyObject *points, PyObject *mask);
void zpy_select_fini(zpy_select *s);
/* Of a key of integers, slices and an ellipsis (key.c), and the shape of its result as a tuple: 0; -1 with an exception; 1
 * for other keys. */
int zpy_select_key(zpy_select *s, const zinc_array *a, PyObject *key, PyObject **shape);

/* A buffer of Python as one of zinc; what it points to lives until zpy_memory_fini. */
typedef struct zpy_memory {
	zinc_buffer b;
	Py_buffer view;
	uint64_t shape[ZINC_MAX_NDIM];
	int64_t strides[ZINC_MAX_NDIM];
} zpy_memory;
/* For elements of `a`: those of variable length are references to objects. */
int zpy_memory_init(zpy_memory *m, PyObject *object, const zinc_array *a, int type, bool writable);
void zpy_memory_fini(zpy_memory *m);

/* ---- elements of variable length (objects.c) ---- */

/* Texts or bytes of a buffer of objects as zinc_vlen, and back. */
typedef struct zpy_objects {
	zinc_vlen *list;
	PyObject **held; /* whose text or bytes `list` points to; NULL when reading */
	size_t n;
} zpy_objects;
/* Objects of other types, None too, are a TypeError.  After a failure zpy_objects_fini too. */
int zpy_objects_take(zpy_objects *o, const zpy_memory *m, bool text);
/* Room for as many as the buffer has. */
int zpy_objects_room(zpy_objects *o, const zpy_memory *m);
int zpy_objects_give(const zpy_objects *o, zpy_memory *m, bool text);
void zpy_objects_fini(zpy_objects *o);

/* ---- types ---- */

typedef struct zpy_store {
	PyObject_HEAD
	zinc_store *store;
} zpy_store;
typedef struct zpy_hierarchy {
	PyObject_HEAD
	zinc_hierarchy *h;
} zpy_hierarchy;
typedef struct zpy_array {
	PyObject_HEAD
	zinc_array *a;
} zpy_array;

extern PyTypeObject *zpy_blob_type, *zpy_store_type, *zpy_hierarchy_type, *zpy_array_type;
/* Takes the handle, also on failure. */
PyObject *zpy_array_new(zinc_array *a);

zinc_store *zpy_store_of(PyObject *self);

/* Methods of Store in other files: store_get.c, store_put.c, store_list.c */
PyObject *zpy_store_get(PyObject *self, PyObject *args, PyObject *kw);
PyObject *zpy_store_get_many(PyObject *self, PyObject *args, PyObject *kw);
PyObject *zpy_store_get_tagged(PyObject *self, PyObject *args);
PyObject *zpy_store_size(PyObject *self, PyObject *args);
PyObject *zpy_store_put(PyObject *self, PyObject *args, PyObject *kw);
PyObject *zpy_store_put_many(PyObject *self, PyObject *args, PyObject *kw);
PyObject *zpy_store_delete(PyObject *self, PyObject *args, PyObject *kw);
PyObject *zpy_store_delete_many(PyObject *self, PyObject *args, PyObject *kw);
PyObject *zpy_store_delete_prefix(PyObject *self, PyObject *args, PyObject *kw);
PyObject *zpy_store_list(PyObject *self, PyObject *args, PyObject *kw);
PyObject *zpy_store_list_dir(PyObject *self, PyObject *args, PyObject *kw);

/* Methods of Array in other files: array_io.c, array_tools.c */
PyObject *zpy_array_get(PyObject *self, PyObject *args);
PyObject *zpy_array_read(PyObject *self, PyObject *args, PyObject *kw);
PyObject *zpy_array_write(PyObject *self, PyObject *args, PyObject *kw);
PyObject *zpy_array_append(PyObject *self, PyObject *args, PyObject *kw);
PyObject *zpy_array_reserve(PyObject *self, PyObject *args);
PyObject *zpy_array_stored(PyObject *self, PyObject *none);
PyObject *zpy_array_explain(PyObject *self, PyObject *args, PyObject *kw);
PyObject *zpy_array_stats(PyObject *self, PyObject *args, PyObject *kw);
/* The type and size of elements in Python's memory; those of types that NumPy lacks are zinc_type_widen's. */
zinc_type zpy_element_type(const zinc_array *a);
size_t zpy_element_size(const zinc_array *a);
/* Are elements of variable length texts?  Else they are bytes. */
bool zpy_array_is_text(const zinc_array *a);

/* Make the types and functions of a file, and add them to the module: 0 or -1. */
int zpy_add_blob(PyObject *module);
int zpy_add_store(PyObject *module);
int zpy_add_hierarchy(PyObject *module);
int zpy_add_array(PyObject *module);
int zpy_add_tools(PyObject *module);
int zpy_add_batch(PyObject *module);
PyTypeObject *zpy_add_type(PyObject *module, PyType_Spec *spec);
/* A store that Python holds too; takes a reference. */
PyObject *zpy_store_new(zinc_store *store);

#endif
