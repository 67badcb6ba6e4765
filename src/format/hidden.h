/* hidden.h - nodes that no listing comes to: the collector for those who list keys */
#ifndef ZINC_HIDDEN_H
#define ZINC_HIDDEN_H

#include "format/format.h"

/* Why a node of another format, whose id it takes, cannot be shown. */
#define ZINC_OTHER_VERSION "it is of another version of Zarr (%s); open it by its own URL"

/* What was shown, and the documents that were found, in any order. */
typedef struct zinc_hidden {
	zinc_hierarchy *h;
	zinc_buf pool;    /* paths and keys, each with its NUL */
	zinc_buf entries; /* of hidden.c */
	zinc_buf place;   /* of the key at hand */
	bool own;         /* a document of the hierarchy's own version was among the keys */
} zinc_hidden;

/* The order of listings: '/' before all other bytes, so that everything below a node comes right behind it. */
int zinc_path_compare(const char *a, const char *b);

void zinc_hidden_init(zinc_hidden *x, zinc_hierarchy *h);
void zinc_hidden_fini(zinc_hidden *x);
/* A node that was shown at `path` (n bytes, "a/b" or "" for the root): what lies below an array is hidden, and of what
 * is below a hidden node nothing more is told. */
zinc_status zinc_hidden_shown(zinc_hidden *x, const char *path, size_t n, zinc_node_kind kind, bool hidden,
			      zinc_error *err);
/* Any key of the store; only those of documents count. */
zinc_status zinc_hidden_key(zinc_hidden *x, const char *key, zinc_error *err);
/* All keys below a prefix; what is no key is passed over. */
zinc_status zinc_hidden_list(zinc_hidden *x, const char *prefix, zinc_error *err);
/* Show as hidden, in order, the nodes that were not shown.  *stopped: by fn. */
zinc_status zinc_hidden_each(zinc_hidden *x, zinc_found_fn fn, void *arg, bool *stopped, zinc_error *err);

/* The array at `path`, which was shown: what lies in its directory beside its objects, if one level of it is short and
 * the store is near. */
zinc_status zinc_hidden_below(zinc_hierarchy *h, const char *path, const zinc_meta *array, zinc_found_fn fn, void *arg,
			      bool *stopped, zinc_error *err);

#endif
