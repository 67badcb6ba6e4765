/*
 * conventions.h - Zarr conventions: the meaning of a node's attributes, as the node declares it
 *
 * A convention is a set of attributes that a node declares in its attribute `zarr_conventions`.  It can always be
 * ignored: nothing here changes how elements are read.  Three calls:
 *
 *     zinc_conventions_list(h, path, fn, arg, NULL, &err);              which conventions?
 *     zinc_conventions_properties(h, path, id, &json, NULL, &err);      which properties?
 *     zinc_conventions_check(NULL, h, path, fn, arg, NULL, &err);       are they valid?
 *
 * A convention is identified by uuid, then schema URL, then specification URL, as the shape of its declaration defines;
 * never by its name.  Everything here may still change before version 1.0.
 */
#ifndef ZINC_CONVENTIONS_H
#define ZINC_CONVENTIONS_H

#include <zinc/tool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How a declaration is written. */
typedef enum zinc_convention_shape {
	ZINC_SHAPE_CURRENT = 0,        /* a list; uuid, schema_url, spec_url: since December 2025 */
	ZINC_SHAPE_LIST_2025_11 = 1,   /* a list; schema, spec: November 2025 */
	ZINC_SHAPE_OBJECT_2025_11 = 2, /* an object by uuid: earlier that month */
	ZINC_SHAPE_OBJECT_2025_10 = 3, /* zarr_conventions_metadata, by uuid: October 2025 */
	ZINC_SHAPE_NONE = 4            /* not declared: OME-Zarr, which has a key of its own */
} zinc_convention_shape;

/* One declared convention.  Text is valid during the callback only; "" where it is not given, never NULL. */
typedef struct zinc_convention {
	size_t size;
	const char *id; /* uuid or URL */
	const char *uuid, *schema_url, *spec_url, *name, *description;
	const char *known;   /* name of the built-in convention: "proj"; "" when there is none */
	const char *title;   /* for people: the name, else the identifier */
	const char *version; /* from the URL, "v0.1" */
	const char *pointer; /* where it is declared: "/attributes/zarr_conventions/0" */
	zinc_convention_shape shape;
} zinc_convention;

/* Return non-zero to stop. */
typedef int (*zinc_convention_fn)(void *arg, const zinc_convention *c);

/* Call `fn` for each convention that the node declares and that has an identifier.  A node that declares none, or
 * whose declaration is malformed, is ZINC_OK.  E_NOTFOUND, E_CORRUPT (no usable document), E_IO, E_NOMEM. */
ZINC_API ZINC_CHECKED zinc_status zinc_conventions_list(zinc_hierarchy *h, const char *path, zinc_convention_fn fn,
							void *arg, const zinc_call_options *call, zinc_error *err);

/*
 * The attributes of the node that belong to the convention `id` (uuid, URL, or the name of a built-in one), as a JSON
 * object.  For a convention that is not built in, these are the attributes that have its declared name as prefix or key.
 * E_NOTFOUND when the node does not declare it, E_INVALID when `id` is ambiguous.
 */
ZINC_API ZINC_CHECKED zinc_status zinc_conventions_properties(zinc_hierarchy *h, const char *path, const char *id,
							      zinc_blob *json, const zinc_call_options *call,
							      zinc_error *err);

/*
 * The effective value of attribute `key` of a node, inherited where a built-in convention defines that: `proj:` from the
 * parent group to an array, `license` from any ancestor (and along its `path`).  `from` (may be NULL) gets the path of
 * the node that has the value.  Only nodes that declare the convention count.  E_NOTFOUND; E_CORRUPT when licenses refer
 * to each other in a circle.
 */
ZINC_API ZINC_CHECKED zinc_status zinc_conventions_effective(zinc_hierarchy *h, const char *path, const char *key,
							     zinc_blob *json, zinc_blob *from,
							     const zinc_call_options *call, zinc_error *err);

/* ---- checking ---- */

typedef struct zinc_conventions_options {
	size_t size;
	zinc_context *context;
	const char
	    *schemas;      /* a directory (any store's URL) of schemas, by their $id, or by URL without scheme [none] */
	const char *cache; /* the same for schemas that were fetched [none] */
	int fetch;         /* download schemas that are found nowhere else, at most 1 MiB each, into the cache */
	const zinc_call_options *call; /* of zinc_conventions_new [no limit] */
} zinc_conventions_options;

/* clang-format off */
#define ZINC_CONVENTIONS_OPTIONS(...) ZINC_OPTIONS_OF(zinc_conventions_options, __VA_ARGS__)
#define ZINC_CONVENTIONS_OPTIONS_INIT {sizeof(zinc_conventions_options), NULL, NULL, NULL, 0, NULL}
/* clang-format on */

/* The sources of schemas, and the schemas already read.  For one thread at a time.  Free with zinc_conventions_free. */
typedef struct zinc_conventions zinc_conventions;
/* E_NOTFOUND when `schemas` is empty; E_INVALID, E_IO, E_NOMEM. */
ZINC_API ZINC_CHECKED zinc_status zinc_conventions_new(zinc_conventions **out, const zinc_conventions_options *options,
						       zinc_error *err);
ZINC_API void zinc_conventions_free(zinc_conventions *c);

typedef enum zinc_validity {
	ZINC_UNCHECKED = -1, /* no schema is available */
	ZINC_INVALID = 0,    /* an error was found */
	ZINC_VALID = 1
} zinc_validity;

/* The result for one convention of a node.  Rules are C1 to C16 of docs/conventions.md, "schema", or the
 * convention's name. */
typedef struct zinc_verdict {
	size_t size;
	const zinc_convention *convention; /* NULL: findings about the declaration as a whole */
	zinc_validity validity;
	const zinc_finding *const *findings;
	size_t nfindings;
} zinc_verdict;

/* Return non-zero to stop. */
typedef int (*zinc_verdict_fn)(void *arg, const zinc_verdict *v);

/*
 * Check what a node declares: the declaration itself, each convention's properties against its schema, and the
 * rules of built-in conventions beyond their schemas.  A broken SHOULD is a warning, never an error, and so is a
 * schema that is not available.  `c` NULL: with the built-in schemas only.  ZINC_OK means that the check was done.
 * E_NOTFOUND (no such node), E_CORRUPT (its document), E_IO, E_NOMEM.
 */
ZINC_API ZINC_CHECKED zinc_status zinc_conventions_check(zinc_conventions *c, zinc_hierarchy *h, const char *path,
							 zinc_verdict_fn fn, void *arg, const zinc_call_options *call,
							 zinc_error *err);

/* ---- declaring ---- */

/*
 * Declare a convention: `id` is a URL, a uuid, or the name of a built-in convention.  The entry takes the shape of
 * the existing entries, else `shape`.  One atomic update; no other attribute changes.  E_EXISTS when it is already
 * declared, E_INVALID (an unknown name; a uuid that the shape has no member for), E_CORRUPT when the existing declaration
 * is malformed, E_READONLY, E_IO ...
 */
ZINC_API ZINC_CHECKED zinc_status zinc_conventions_add(zinc_hierarchy *h, const char *path, const char *id,
						       zinc_convention_shape shape, const zinc_call_options *call,
						       zinc_error *err);
typedef struct zinc_declare_options {
	size_t size;
	const char *shape;  /* "live" (CURRENT) or "seed" (LIST_2025_11) [seed for a URL, live for a uuid or a name] */
	const char *schema; /* URL of the schema [the identifier, or the built-in convention's] */
	const char *spec;   /* URL of the specification [the same] */
	const char *name, *description; /* [the built-in convention's, or none] */
	const zinc_call_options *call;  /* [no limit] */
} zinc_declare_options;

/* clang-format off */
#define ZINC_DECLARE_OPTIONS(...) ZINC_OPTIONS_OF(zinc_declare_options, __VA_ARGS__)
#define ZINC_DECLARE_OPTIONS_INIT {sizeof(zinc_declare_options), NULL, NULL, NULL, NULL, NULL, NULL}
/* clang-format on */

/*
 * The same with options.  A URL is taken as that of a schema, unless it ends in .md, .html or .rst or `schema` is given.
 * E_INVALID also for an unknown shape, for a schema or spec that is not a URL, and when the existing declaration is an
 * object by uuid and another shape is requested.
 */
ZINC_API ZINC_CHECKED zinc_status zinc_conventions_declare(zinc_hierarchy *h, const char *path, const char *id,
							   const zinc_declare_options *options, zinc_error *err);
/* Remove the entry; the properties stay.  E_NOTFOUND; E_INVALID when `id` is ambiguous. */
ZINC_API ZINC_CHECKED zinc_status zinc_conventions_remove(zinc_hierarchy *h, const char *path, const char *id,
							  const zinc_call_options *call, zinc_error *err);

/* ---- multiscales ---- */

/* One level of a multiscale group.  Position in the source = position here * scale + translation. */
typedef struct zinc_scale_level {
	size_t size;
	int index;
	const char *path;         /* of the asset, "/a/0" */
	const char *derived_from; /* path of the source; "" for none */
	const char *array;        /* path of the array that `shape` is of: the asset, or the first array in it; "" */
	int ndim;                 /* of shape; -1: no array is there */
	const uint64_t *shape;
	int nscale; /* of both; 0: not given */
	const double *scale, *translation;
} zinc_scale_level;

/* Return non-zero to stop. */
typedef int (*zinc_scale_level_fn)(void *arg, const zinc_scale_level *level);

/* Call `fn` for the levels of a group in the order of its layout: convention multiscales (either age), or the first image of
 * OME-Zarr.  E_NOTFOUND when the group is not multiscale, E_CORRUPT when its layout is malformed. */
ZINC_API ZINC_CHECKED zinc_status zinc_multiscale_levels(zinc_hierarchy *h, const char *path, zinc_scale_level_fn fn,
							 void *arg, const zinc_call_options *call, zinc_error *err);

/* Conventions that are built in: name, uuid, description. */
ZINC_API void zinc_list_conventions(zinc_row_fn fn, void *arg);

#ifdef __cplusplus
}
#endif
#endif
