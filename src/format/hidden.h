/* hidden.h - nodes that no listing reaches: the collector for code that lists keys */
#ifndef ZINC_HIDDEN_H
#define ZINC_HIDDEN_H

#include "format/format.h"

/* Why a node of another format cannot be shown; takes the id of that format. */
#define ZINC_OTHER_VERSION "it is of another version of Zarr (%s); open it by its own URL"

/* The nodes that were shown and the documents that were found, in any order. */
typedef struct zinc_hidden {
	zinc_hierarchy *h;
	zinc_buf pool;    /* paths and keys, each with its NUL */
	zinc_buf entries; /* of hidden.c */
	zinc_buf place;   /* of the current key */
	bool own;         /* one of the keys was a document of the hierarchy's own version */
} zinc_hidden;

/* The order of listings: '/' before all other bytes, so that everything below a node directly follows it. */
int zinc_path_compare(const char *a, const char *b);

void zinc_hidden_init(zinc_hidden *x, zinc_hierarchy *h);
void zinc_hidden_fini(zinc_hidden *x);
/* Add a node that was shown at `path` (n bytes, "a/b" or "" for the root).  Nodes below an array are hidden; nodes
 * below a hidden node are not reported. */
zinc_status zinc_hidden_shown(zinc_hidden *x, const char *path, size_t n, zinc_node_kind kind, bool hidden,
			      zinc_error *err);
/* Add a key of the store; only documents count. */
zinc_status zinc_hidden_key(zinc_hidden *x, const char *key, zinc_error *err);
/* Add all keys below a prefix; entries that are not keys are skipped. */
zinc_status zinc_hidden_list(zinc_hidden *x, const char *prefix, zinc_error *err);
/* Show the nodes that were not shown, as hidden ones, in order.  *stopped: by fn. */
zinc_status zinc_hidden_each(zinc_hidden *x, zinc_found_fn fn, void *arg, bool *stopped, zinc_error *err);

/* For the array at `path`, which was shown: show what its directory has besides its objects, if one level of it is
 * short and the store is local. */
zinc_status zinc_hidden_below(zinc_hierarchy *h, const char *path, const zinc_meta *array, zinc_found_fn fn, void *arg,
			      bool *stopped, zinc_error *err);

#endif
