/*
 * root.h - inside the room `format`: the search for the root of a hierarchy (root.c)
 */
#ifndef ZINC_FORMAT_ROOT_H
#define ZINC_FORMAT_ROOT_H

#include "format/known.h"

/* A search, and its result. */
typedef struct zinc_root_search {
	zinc_store *store;
	const zinc_wait *wait;   /* of the call */
	const char *path;        /* "" or a key; the climb ends at "" */
	const zinc_format *only; /* NULL: any */
	size_t there;            /* bytes of `path` that are directories; SIZE_MAX: not known, ask the store */
	const zinc_format *format;
	size_t root;    /* bytes of `path` that are the root */
	bool contained; /* zinc_place.contained */
	bool found;
	bool linked;          /* the root is a link that erasing would follow: strict modes, drafts */
	zinc_json_doc *entry; /* the draft's entry point that was found last; NULL: none */
	zinc_known *known;    /* what was read; NULL: is not known */
} zinc_root_search;

void zinc_root_search_fini(zinc_root_search *c);
/* Find the root: fixed by the URL or the caller, searched for, or to be created. */
zinc_status zinc_root_find(zinc_root_search *c, const zinc_place *place, const zinc_open_options *o, zinc_error *err);
/* The root is the first `root` bytes of the path. */
zinc_status zinc_root_fixed(zinc_root_search *c, size_t root, zinc_error *err);
/* For a new node of format `wanted` (NULL: any): E_INVALID when the hierarchy found has another format. */
zinc_status zinc_root_check_format(zinc_root_search *c, const zinc_format *wanted, zinc_error *err);
/* For a new node: E_INVALID when a name in its path cannot be part of a key but would be a node's. */
zinc_status zinc_root_check_name(const zinc_place *place, const zinc_store_options *so, const zinc_wait *wait,
				 zinc_error *err);
/* Check the links on the way to the root; `alone`: only the root itself. */
zinc_status zinc_root_check_links(zinc_root_search *c, const zinc_place *place, const zinc_store_options *so,
				  bool alone, zinc_error *err);

/* The text between a store's URL and a path in it: "/" or "". */
const char *zinc_url_slash(const char *url);
/* a, b, n bytes of c, and d as one string; NULL: no memory. */
char *zinc_text_join(zinc_context *ctx, const char *a, const char *b, const char *c, size_t n, const char *d);

#endif
