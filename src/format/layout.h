/*
 * layout.h - the way to a node, and listings, for the files of this room
 *
 *   line.c           the documents from the root down to a node
 *   walk.c           children and walks of versions whose nodes have a directory each
 *   walk_copies.c    the same from consolidated metadata
 */
#ifndef ZINC_LAYOUT_H
#define ZINC_LAYOUT_H

#include "format/fetch_documents.h"
#include "format/format.h"

/* ---- line.c ---- */

/* For the slot `place`: a key lies where it is stored, a document in its node's directory. */
zinc_status zinc_layout_place(const char *key, zinc_key_role role, zinc_buf *place, zinc_error *err);
/* Does a document of this name make a node? */
bool zinc_documents_make(const zinc_format *f, const char *name);
typedef struct zinc_line {
	zinc_context *ctx;
	size_t n;           /* nodes, root first */
	size_t per;         /* documents of each */
	char **keys;        /* n * per */
	size_t *npath;      /* bytes of the node's path that are the path of each: 1 for the root */
	zinc_fetched *docs; /* n * per, one batched get */
} zinc_line;

enum { ZINC_LINE_ABOVE = 1, ZINC_LINE_SELF = 2 };

/* Fetch the documents `upto` a part of all ancestors of `path`, of itself, or both. */
zinc_status zinc_line_get(zinc_line *out, zinc_hierarchy *h, const char *path, unsigned parts, zinc_document_part upto,
			  zinc_error *err);
void zinc_line_fini(zinc_line *line);

/* ---- walk.c ---- */

/* A listing under way.  `path` is that of the node to show next. */
typedef struct zinc_walker {
	zinc_hierarchy *h;
	zinc_report *r;
	zinc_found_fn fn;
	void *arg;
	bool stopped;      /* by fn */
	zinc_error unread; /* the first document that could not be read: what lies below it is not known */
	zinc_buf base;     /* path of the node whose descendants are listed; "" for the root */
	zinc_buf path;     /* base, '/' and more */
	zinc_buf key;      /* of the document of `path` */
	zinc_meta *array;  /* of the node shown last; NULL: no array */
} zinc_walker;

/* Go to the node at `below` (n bytes) below the base. */
zinc_status zinc_walker_at(zinc_walker *w, const char *below, size_t n, zinc_error *err);
/* Hand over what was found there; `s` is the outcome of its document, with its error in `problem`.  Takes node->meta.
 */
zinc_status zinc_walker_show(zinc_walker *w, zinc_found_node *node, zinc_status s, zinc_error *problem,
			     zinc_error *err);
/* Which format has a document in the directory `name` ("" for none) of the node where the walker stands?  *format NULL:
 * none.  What cannot be read or is not known is a document all the same: then *why says so. */
zinc_status zinc_walker_detect(zinc_walker *w, const char *name, const zinc_format **format, zinc_error *why,
			       zinc_error *err);
/* What is said of a child of another version. */
#define ZINC_FOREIGN_BYTES 160
void zinc_walker_foreign(char text[ZINC_FOREIGN_BYTES], const zinc_format *format);
/* For zinc_hides. */
bool zinc_layout_hides(const zinc_format *f, const zinc_odd *odd);
/* Show a child of the node at `parent` (below the base) that cannot be shown: a finding with its name, escaped. */
zinc_status zinc_walker_hidden(zinc_walker *w, const char *parent, const char *name, zinc_status code, const char *why,
			       zinc_error *err);
/* The node shown last, `path`: if it is an array, show what lies below it and should not. */
zinc_status zinc_walker_below(zinc_walker *w, zinc_error *err);
/* Show the node there: a group without a document, or one whose document is `copy`. */
zinc_status zinc_walker_implicit(zinc_walker *w, zinc_error *err);
zinc_status zinc_walker_copy(zinc_walker *w, const zinc_json *copy, zinc_error *err);

/* Which nodes a listing shows, and from where. */
typedef struct zinc_listing {
	bool self;
	bool stored; /* never from consolidated metadata */
	bool copies; /* from nothing else: what it says is below the node, which is not shown itself */
	int depth;   /* < 0: all */
} zinc_listing;

zinc_status zinc_layout_list(zinc_hierarchy *h, const char *path, zinc_listing what, zinc_report *r, zinc_found_fn fn,
			     void *arg, zinc_error *err);

/* ---- walk_copies.c ---- */

/* Show the nodes below `below` (a path within the group that has the copies: "" or "a/b/"), `depth` levels deep. */
zinc_status zinc_walker_copies(zinc_walker *w, const zinc_json *metadata, const char *below, int depth,
			       zinc_error *err);

#endif
