/*
 * walk.h - listings in every version of Zarr, for the files of this room
 *
 *   walk.c         the whole: the node itself, then level by level what is below it
 *   walk_level.c   what is there: the children of a group, or all nodes below it at once
 *   walk_show.c    handing over one node
 *   hidden.c       nodes that no listing comes to
 */
#ifndef ZINC_WALK_H
#define ZINC_WALK_H

#include "format/documents.h"
#include "format/hidden.h"

/* ---- walk_show.c ---- */

/* A running listing.  `path` is that of the node to show next. */
typedef struct zinc_walker {
	zinc_hierarchy *h;
	zinc_report *r;
	zinc_found_fn fn;
	void *arg;
	int depth;         /* < 0: all */
	bool stopped;      /* fn returned non-zero */
	zinc_error unread; /* the first document that could not be read: the nodes below it are not known */
	zinc_buf base;     /* path of the node whose descendants are listed; "" for the root */
	zinc_buf path;     /* base, '/' and more */
	zinc_buf key;      /* of the document of `path` */
	zinc_meta *array;  /* of the node shown last; NULL: not an array */
} zinc_walker;

/* Set `path` to the node at `below` (n bytes) below the base. */
zinc_status zinc_walker_at(zinc_walker *w, const char *below, size_t n, zinc_error *err);
/* Show the node there: a group without a document, a node whose document is `copy`, or one with its own documents.  For
 * the last, *kind is at first the kind that the keys show, and then the kind of the documents. */
zinc_status zinc_walker_implicit(zinc_walker *w, zinc_error *err);
zinc_status zinc_walker_copy(zinc_walker *w, const zinc_json *copy, zinc_error *err);
zinc_status zinc_walker_stored(zinc_walker *w, const zinc_fetched *docs, char *const *keys, zinc_node_kind *kind,
			       zinc_error *err);
/* Show something at `path` (below the base, any bytes) that is no valid node, as a finding with its escaped name. */
zinc_status zinc_walker_hidden(zinc_walker *w, const char *path, zinc_status st, const char *why, zinc_error *err);
/* If the node shown last, `path`, is an array: show what is below it and should not be there. */
zinc_status zinc_walker_below(zinc_walker *w, zinc_error *err);
/* The format of a document in the directory `name` ("" for none) of the walker's current node.  *format NULL: none.  A
 * document that cannot be read or is not known counts, too; then *why is set. */
zinc_status zinc_walker_detect(zinc_walker *w, const char *name, const zinc_format **format, zinc_error *why,
			       zinc_error *err);
/* The same for a directory of the store, "x/y/". */
zinc_status zinc_walker_detect_at(zinc_walker *w, const char *prefix, const zinc_format **format, zinc_error *why,
				  zinc_error *err);

/* ---- walk_level.c ---- */

/* A node to be shown: the length of its path below the base, and what is known of it. */
typedef struct zinc_item {
	const char *path;
	size_t n;
	unsigned has;          /* the documents whose keys were seen, and flags as below; 0: not known yet */
	const zinc_json *copy; /* its copy in consolidated metadata; NULL */
} zinc_item;

#define ZINC_HAS_BELOW   (1u << ZINC_DOCUMENTS_MAX)
#define ZINC_HAS_NO_PATH (2u << ZINC_DOCUMENTS_MAX) /* a copy under a path that no node can have */

typedef struct zinc_level {
	struct zinc_level *up;
	bool whole;       /* the items are all nodes below; else children, and the nodes below those are not known */
	zinc_buf pool;    /* paths, each with its NUL */
	zinc_buf found;   /* items as found; their paths follow each other in the pool */
	zinc_buf items;   /* zinc_item each, sorted and with the groups between */
	zinc_buf marks;   /* per thing that cannot be shown: a letter (add_mark), its path and the reason, with NULs */
	zinc_buf refused; /* names that no node may have, each with its NUL */
	zinc_hidden left; /* documents and shown nodes: the rest is hidden */
	size_t n, at;     /* of `items` */
	size_t held;      /* the documents of items before this one have been fetched (walk.c) */
	size_t per;       /* maximum documents of each */
	char **keys;      /* of those that are held */
	zinc_fetched *docs;
	size_t ndocs, doc; /* how many, and the first one of the next item */
} zinc_level;

void zinc_level_init(zinc_level *l, zinc_hierarchy *h);
void zinc_level_fini(zinc_level *l);
/* List what is below the walker's current node, `parent` below its base. */
zinc_status zinc_level_list(zinc_level *l, zinc_walker *w, const char *parent, zinc_error *err);
/* The same from consolidated metadata, in which the base is at `below` ("" or "a/b/"). */
zinc_status zinc_level_copies(zinc_level *l, zinc_walker *w, const zinc_json *metadata, const char *below,
			      zinc_error *err);
/* Sort the items; `self` is the kind of the node above them.  Then show what is hidden. */
zinc_status zinc_level_order(zinc_level *l, zinc_walker *w, const char *parent, zinc_node_kind self, zinc_error *err);
/* The kind that the keys of its documents show. */
zinc_node_kind zinc_item_kind(const zinc_format *f, const zinc_item *item);
/* Show one with ZINC_HAS_NO_PATH. */
zinc_status zinc_item_refused(zinc_walker *w, const zinc_item *item, zinc_error *err);
/* The depth of a path below the base: "a" is 1. */
int zinc_path_levels(const char *path, size_t n);

#endif
