/*
 * conventions.h - Zarr conventions: what a node's attributes mean, as the node itself declares
 *
 * A convention is a set of attributes that a node declares in its attribute `zarr_conventions`.  It can always be
 * ignored: nothing here changes how elements are read.  Three calls answer what a program asks:
 *
 *     zinc_conventions_list(h, path, fn, arg, NULL, &err);              which conventions?
 *     zinc_conventions_properties(h, path, id, &json, NULL, &err);      which properties?
 *     zinc_conventions_check(NULL, h, path, fn, arg, NULL, &err);       are they valid?
 *
 * A convention is identified as its declaration's own version says (uuid, then schema URL, then specification URL), never
 * by its name.  Everything here may still change before version 1.0.
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
	const char *version; /* out of the URL, "v0.1" */
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
 * object.  Of a convention that is not built in, those are the ones its declared name is prefix or key of.
 * E_NOTFOUND when the node does not declare it, E_INVALID when two entries could be meant.
 */
ZINC_API ZINC_CHECKED zinc_status zinc_conventions_properties(zinc_hierarchy *h, const char *path, const char *id,
							      zinc_blob *json, const zinc_call_options *call,
							      zinc_error *err);

/*
 * The value of attribute `key` that holds for a node, by inheritance where a built-in convention has it: `proj:`
 * from the parent group to an array, `license` from any ancestor (and along its `path`).  `from` (may be NULL) gets
 * the path of the node it comes from.  Only nodes that declare the convention count.  E_NOTFOUND; E_CORRUPT when
 * licenses refer to each other in a circle.
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
	int fetch;         /* get what is nowhere else from its URL, at most 1 MiB, and put it into the cache */
	const zinc_call_options *call; /* of zinc_conventions_new [for ever] */
} zinc_conventions_options;

/* clang-format off */
#define ZINC_CONVENTIONS_OPTIONS(...) ZINC_OPTIONS_OF(zinc_conventions_options, __VA_ARGS__)
#define ZINC_CONVENTIONS_OPTIONS_INIT {sizeof(zinc_conventions_options), NULL, NULL, NULL, 0, NULL}
/* clang-format on */

/* Where schemas come from, and those already read; for one thread at a time.  Free with zinc_conventions_free. */
typedef struct zinc_conventions zinc_conventions;
/* E_NOTFOUND when nothing at all is in `schemas`; E_INVALID, E_IO, E_NOMEM. */
ZINC_API ZINC_CHECKED zinc_status zinc_conventions_new(zinc_conventions **out, const zinc_conventions_options *options,
						       zinc_error *err);
ZINC_API void zinc_conventions_free(zinc_conventions *c);

typedef enum zinc_validity {
	ZINC_UNCHECKED = -1, /* no schema is at hand */
	ZINC_INVALID = 0,    /* an error was found */
	ZINC_VALID = 1
} zinc_validity;

/* What was found about one convention of a node.  Rules are C1 to C16 of docs/conventions.md, "schema", or the
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
 * rules of built-in conventions beyond their schemas.  What SHOULD be is a warning, never an error, and so is a
 * schema that cannot be had.  `c` NULL: with the built-in schemas only.  ZINC_OK says that the check was done.
 * E_NOTFOUND (no such node), E_CORRUPT (its document), E_IO, E_NOMEM.
 */
ZINC_API ZINC_CHECKED zinc_status zinc_conventions_check(zinc_conventions *c, zinc_hierarchy *h, const char *path,
							 zinc_verdict_fn fn, void *arg, const zinc_call_options *call,
							 zinc_error *err);

/* ---- declaring ---- */

/*
 * Declare a convention: `id` is a URL, a uuid, or the name of a built-in convention.  The entry takes the shape of
 * those already there, else `shape`.  One put, under the store's exclusion; no other attribute is touched.
 * E_EXISTS when it is declared, E_INVALID (an unknown name; a uuid that the shape has no place for), E_CORRUPT when
 * the declaration there is malformed, E_READONLY, E_IO ...
 */
ZINC_API ZINC_CHECKED zinc_status zinc_conventions_add(zinc_hierarchy *h, const char *path, const char *id,
						       zinc_convention_shape shape, const zinc_call_options *call,
						       zinc_error *err);
typedef struct zinc_declare_options {
	size_t size;
	const char *shape;  /* "live" or "seed" [seed for a URL, live for a uuid or a name; by uuid where that is so] */
	const char *schema; /* URL of the schema [the identifier, or the built-in convention's] */
	const char *spec;   /* URL of the specification [the same] */
	const char *name, *description; /* [the built-in convention's, or none] */
	const zinc_call_options *call;  /* [for ever] */
} zinc_declare_options;

/* clang-format off */
#define ZINC_DECLARE_OPTIONS(...) ZINC_OPTIONS_OF(zinc_declare_options, __VA_ARGS__)
#define ZINC_DECLARE_OPTIONS_INIT {sizeof(zinc_declare_options), NULL, NULL, NULL, NULL, NULL, NULL}
/* clang-format on */

/*
 * The same with more to say.  A URL is that of a schema, unless it ends as texts for people do (.md, .html, .rst) or
 * `schema` is given.  E_INVALID also when the shape is neither, when schema or spec is no URL, and when the declaration
 * that is there goes by uuid and another shape is asked for.
 */
ZINC_API ZINC_CHECKED zinc_status zinc_conventions_declare(zinc_hierarchy *h, const char *path, const char *id,
							   const zinc_declare_options *options, zinc_error *err);
/* Take the entry away; the properties stay.  E_NOTFOUND; E_INVALID when two entries could be meant. */
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
 * OME-Zarr.  E_NOTFOUND when the group is no multiscale one, E_CORRUPT when its layout is malformed. */
ZINC_API ZINC_CHECKED zinc_status zinc_multiscale_levels(zinc_hierarchy *h, const char *path, zinc_scale_level_fn fn,
							 void *arg, const zinc_call_options *call, zinc_error *err);

/* Conventions that are built in: name, uuid, description. */
ZINC_API void zinc_list_conventions(zinc_row_fn fn, void *arg);

#ifdef __cplusplus
}
#endif
#endif
