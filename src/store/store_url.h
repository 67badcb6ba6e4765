/*
 * store_url.h - URLs and stores, inside of the room
 *
 *   store_url.c       parses URLs
 *   store_ending.c    files that are stores, known by their ending
 *   store_table.c     the kinds of stores
 *   store_open.c      opens a store
 *   store_pipeline.c  the part after '|'
 *   store_place.c     the place that a node's URL names
 */
#ifndef ZINC_STORE_URL_H
#define ZINC_STORE_URL_H

#include "store/store_inside.h"

/* ---- parsing ---- */

#define ZINC_SCHEME_BYTES 32

typedef struct zinc_url {
	char scheme[ZINC_SCHEME_BYTES]; /* "" for a bare path */
	zinc_buf base;                  /* from "scheme://" to '|'; for file: the path, unescaped */
	const char *inner;              /* after '|', NULL without; points into the URL, or to `made` */
	bool plain;                     /* nothing in `inner` is escaped */
	zinc_buf made;
} zinc_url;

/* Fini it also after a failure. */
zinc_status zinc_url_parse(zinc_url *out, zinc_context *ctx, const char *url, zinc_error *err);
void zinc_url_fini(zinc_url *u);
/* If a component of its path is a file with the ending of a kind of store, name that store in `scheme` or `inner`
 * (store_ending.c). */
zinc_status zinc_url_use_ending(zinc_url *u, zinc_context *ctx, zinc_error *err);
/* The type of what is at a path that is not escaped, following links; false when nothing can be found there. */
bool zinc_url_path_mode(zinc_context *ctx, const char *path, mode_t *mode);
/* A local path is bare or has the scheme file. */
bool zinc_url_is_local(const zinc_url *u);
/* Are n bytes equal, ignoring case (RFC 3986 section 3.1)? */
bool zinc_url_same(const char *a, const char *b, size_t n);
/* Append the components of path[0..n) to `out`, joined by single slashes; "." is dropped, ".." removes the previous
 * component. */
zinc_status zinc_url_add_path(zinc_buf *out, const char *path, size_t n, zinc_error *err);
/* Make `path` absolute and clean, without the leading slash. */
zinc_status zinc_url_absolute(zinc_buf *out, const char *path, zinc_error *err);
/* The path inside a store, as a valid key or "". */
zinc_status zinc_url_key(char **out, zinc_context *ctx, const char *path, bool escaped, zinc_error *err);

/* ---- opening ---- */

/* The kind of store for a scheme.  E_INVALID when there is none. */
zinc_status zinc_store_find(const zinc_store_ops **out, zinc_context *ctx, const char *scheme, zinc_error *err);
/* The kind of store for the adapter name[0..n).  E_UNSUPPORTED when there is none. */
zinc_status zinc_store_find_adapter(const zinc_store_ops **out, zinc_context *ctx, const char *name, size_t n,
				    zinc_error *err);
/* What a file's ending says about its store.  The members are lists, or NULL. */
typedef struct zinc_ending {
	const char *adapter; /* preferred */
	const char *scheme;
	const char *marker; /* a file by which a directory with the ending is such a store, too */
} zinc_ending;

/* The kind of store that a file name[0..n) has by its ending; false: none. */
bool zinc_store_find_ending(zinc_ending *out, const char *name, size_t n);
/* The same among the modules (store_module.c). */
bool zinc_store_module_ending(zinc_ending *out, const char *name, size_t n);
zinc_status zinc_store_find_url(const zinc_store_ops **out, const zinc_url *u, zinc_context *ctx, zinc_error *err);

/* Remove the operations that caps do not have. */
void zinc_store_remove_slots(zinc_store *s);
/* Wrap an opened store and apply the options that every kind has. */
zinc_status zinc_store_wrap_opened(zinc_store **out, const zinc_store_ops *ops, void *self, const char *url,
				   const zinc_store_options *o, zinc_error *err);
/* Give a store its identity: that of the store below (NULL: none), its kind, what was opened, and the settings. */
void zinc_store_identify(zinc_store *s, const zinc_store *below, const zinc_store_ops *ops, const char *rest,
			 const zinc_setting *settings, size_t n);
/* Open a store of this kind with `rest` of its URL; `url` is shown. */
zinc_status zinc_store_open_ops(zinc_store **out, const zinc_store_ops *ops, const char *rest, const char *url,
				const zinc_store_options *o, zinc_error *err);
/* Open the store that holds the node of a URL, split as the store says, and return the path inside. */
zinc_status zinc_store_open_inside(zinc_store **out, char **inner, const zinc_store_ops *ops, zinc_url *u,
				   const zinc_store_options *o, zinc_error *err);
/* Replace *s by the keys below "path/" of it; NULL after a failure. */
zinc_status zinc_store_enter(zinc_store **s, const char *path, zinc_error *err);
/* Open everything before '|' as one store. */
zinc_status zinc_store_open_base(zinc_store **out, zinc_url *u, const zinc_store_options *o, zinc_error *err);
/* The place of a URL with a '|'; fini it also after a failure (store_pipeline.c). */
zinc_status zinc_pipeline_open(zinc_place *out, zinc_url *u, const zinc_store_options *o, zinc_error *err);

#endif
