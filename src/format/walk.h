/*
 * walk.h - listings of every version of Zarr, for the files of this room
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

/* A listing under way.  `path` is that of the node to show next. */
typedef struct zinc_walker {
	zinc_hierarchy *h;
	zinc_report *r;
	zinc_found_fn fn;
	void *arg;
	int depth;         /* < 0: all */
	bool stopped;      /* by fn */
	zinc_error unread; /* the first document that could not be read: what lies below it is not known */
	zinc_buf base;     /* path of the node whose descendants are listed; "" for the root */
	zinc_buf path;     /* base, '/' and more */
	zinc_buf key;      /* of the document of `path` */
	zinc_meta *array;  /* of the node shown last; NULL: no array */
} zinc_walker;

/* Go to the node at `below` (n bytes) below the base. */
zinc_status zinc_walker_at(zinc_walker *w, const char *below, size_t n, zinc_error *err);
/* Show the node there: a group without a document, one whose document is `copy`, or one with documents of its own, of
 * which *kind is what their keys tell, and what they are then. */
zinc_status zinc_walker_implicit(zinc_walker *w, zinc_error *err);
zinc_status zinc_walker_copy(zinc_walker *w, const zinc_json *copy, zinc_error *err);
zinc_status zinc_walker_stored(zinc_walker *w, const zinc_fetched *docs, char *const *keys, zinc_node_kind *kind,
			       zinc_error *err);
/* Show what is at `path` (below the base, of any bytes) and cannot be shown: a finding with its name, escaped. */
zinc_status zinc_walker_hidden(zinc_walker *w, const char *path, zinc_status st, const char *why, zinc_error *err);
/* The node shown last, `path`: if it is an array, show what lies below it and should not. */
zinc_status zinc_walker_below(zinc_walker *w, zinc_error *err);
/* Which format has a document in the directory `name` ("" for none) of the node where the walker stands?  *format NULL:
 * none.  What cannot be read or is not known is a document all the same: then *why says so. */
zinc_status zinc_walker_detect(zinc_walker *w, const char *name, const zinc_format **format, zinc_error *why,
			       zinc_error *err);
/* The same of a directory of the store, "x/y/". */
zinc_status zinc_walker_detect_at(zinc_walker *w, const char *prefix, const zinc_format **format, zinc_error *why,
				  zinc_error *err);

/* ---- walk_level.c ---- */

/* A node to be shown: n bytes of its path below the base, and what is known of it. */
typedef struct zinc_item {
	const char *path;
	size_t n;
	unsigned has;          /* which documents its keys tell of, and as below; 0: nobody knows yet */
	const zinc_json *copy; /* its document in consolidated metadata; NULL */
} zinc_item;

#define ZINC_HAS_BELOW   (1u << ZINC_DOCUMENTS_MAX)
#define ZINC_HAS_NO_PATH (2u << ZINC_DOCUMENTS_MAX) /* a copy under a path that no node can have */

typedef struct zinc_level {
	struct zinc_level *up;
	bool whole;     /* the items are all nodes below, else children: what is below those is not known */
	zinc_buf pool;  /* paths, each with its NUL */
	zinc_buf found; /* items as found, whose paths are the next in the pool */
	zinc_buf items; /* zinc_item each, in order and with the groups between */
	zinc_buf marks; /* of each thing that cannot be shown a letter (add_mark), its path and why, with their NULs */
	zinc_buf refused; /* names that no node may have, each with its NUL */
	zinc_hidden left; /* documents, and what was shown: the rest is hidden */
	size_t n, at;     /* of `items` */
	size_t held;      /* items before this one have had their documents fetched (walk.c) */
	size_t per;       /* documents of each, at most */
	char **keys;      /* of those that are held */
	zinc_fetched *docs;
	size_t ndocs, doc; /* how many, and the first of the next item */
} zinc_level;

void zinc_level_init(zinc_level *l, zinc_hierarchy *h);
void zinc_level_fini(zinc_level *l);
/* What is below the node where the walker stands, `parent` below its base. */
zinc_status zinc_level_list(zinc_level *l, zinc_walker *w, const char *parent, zinc_error *err);
/* The same from consolidated metadata, in which the base is `below` ("" or "a/b/"). */
zinc_status zinc_level_copies(zinc_level *l, zinc_walker *w, const zinc_json *metadata, const char *below,
			      zinc_error *err);
/* Bring the items in order; `self` is the kind of the node that they are below.  Then show what is hidden. */
zinc_status zinc_level_order(zinc_level *l, zinc_walker *w, const char *parent, zinc_node_kind self, zinc_error *err);
/* What its documents' keys say that it is. */
zinc_node_kind zinc_item_kind(const zinc_format *f, const zinc_item *item);
/* Show one with ZINC_HAS_NO_PATH. */
zinc_status zinc_item_refused(zinc_walker *w, const zinc_item *item, zinc_error *err);
/* How far below the base a path lies: "a" is 1. */
int zinc_path_levels(const char *path, size_t n);

#endif
