/*
 * format_v3.h - what the files of the final version 3 share
 *
 *   format_v3.c               keys, detection, reading; the table row
 *   format_v3_parse.c         zarr.json -> zinc_meta
 *   format_v3_write.c         creating, editing, erasing
 *   format_v3_walk.c          children and walks
 *   format_v3_consolidated.c  consolidated metadata
 */
#ifndef ZINC_FORMAT_V3_H
#define ZINC_FORMAT_V3_H

#include "format/fetch_documents.h"
#include "format/format.h"

#define ZINC_V3_DOCUMENT "zarr.json"

/*
 * Three rules of July 2026 may yet be withdrawn (docs/rules.md): the exact form of consolidated
 * metadata (M22), "zarr.json" as no name for a node (M33), chunks of at least one element (M40).  This
 * switch holds the first two; without M40 the grid would still refuse a chunk of no elements, since
 * nothing can be divided by it.
 */
enum { ZINC_V3_JULY_2026 = 1 };

/* ---- format_v3_parse.c ---- */

/* The document -> meta.  `doc` is taken, also on failure. */
zinc_status zinc_v3_parse_doc(zinc_context *ctx, zinc_json_doc *doc, zinc_report *r, zinc_meta **out, zinc_error *err);
zinc_status zinc_v3_parse(zinc_context *ctx, const char *text, size_t n, zinc_report *r, zinc_meta **out,
			  zinc_error *err);
/* What a document says it is, however broken the rest. */
zinc_node_kind zinc_v3_kind(const zinc_json *root);

/* ---- format_v3.c ---- */

/* prefix + path, as a prefix ("" or "a/b/"), appended. */
zinc_status zinc_v3_prefix(const zinc_hierarchy *h, const char *path, zinc_buf *out, zinc_error *err);
zinc_status zinc_v3_key(const zinc_hierarchy *h, const char *path, zinc_node_kind kind, zinc_buf *out, zinc_error *err);
/* The rule (M29-M33) that a node's name breaks, and how; NULL: none. */
const char *zinc_v3_name_rule(const char *name, size_t n, const char **why);
zinc_status zinc_v3_check_name(const char *name, size_t n, zinc_error *err);

/* ---- the line of documents from the root down to a node ---- */

typedef struct zinc_v3_line {
	zinc_context *ctx;
	size_t n;
	char **keys;        /* of the documents, root first */
	size_t *npath;      /* bytes of the node's path that are the path of each: 1 for the root */
	zinc_fetched *docs; /* one batched get */
} zinc_v3_line;

enum { ZINC_LINE_ABOVE = 1, ZINC_LINE_SELF = 2 };

/* Fetch the documents of all ancestors of `path`, of itself, or both. */
zinc_status zinc_v3_line_get(zinc_v3_line *out, zinc_hierarchy *h, const char *path, unsigned parts, zinc_error *err);
void zinc_v3_line_fini(zinc_v3_line *line);

/* ---- format_v3_write.c ---- */

zinc_status zinc_v3_prepare(zinc_hierarchy *h, const char *path, bool create, zinc_error *err);
zinc_status zinc_v3_settle(zinc_hierarchy *h, const char *path, zinc_error *err);
zinc_status zinc_v3_write_node(zinc_hierarchy *h, const char *path, const zinc_meta *m, const zinc_condition *when,
			       zinc_tag *tag, zinc_error *err);
zinc_status zinc_v3_edit_node(zinc_hierarchy *h, const char *path,
			      zinc_status (*edit)(void *arg, zinc_json_doc *doc, zinc_error *err), void *arg,
			      zinc_meta **out, zinc_error *err);
zinc_status zinc_v3_erase(zinc_hierarchy *h, const char *path, zinc_error *err);

/* ---- format_v3_walk.c ---- */

/* A listing under way.  `path` is that of the node to show next. */
typedef struct zinc_v3_walker {
	zinc_hierarchy *h;
	zinc_report *r;
	zinc_found_fn fn;
	void *arg;
	bool stopped;      /* by fn */
	zinc_error unread; /* the first document that could not be read: what lies below it is not known */
	zinc_buf base;     /* path of the node whose descendants are listed; "" for the root */
	zinc_buf path;     /* base, '/' and more */
	zinc_buf key;      /* of the document of `path` */
} zinc_v3_walker;

/* Go to the node at `below` (n bytes) below the base. */
zinc_status zinc_v3_walker_at(zinc_v3_walker *w, const char *below, size_t n, zinc_error *err);
/* Show the node there: a group without a document, or one whose document is `copy`. */
zinc_status zinc_v3_walker_implicit(zinc_v3_walker *w, zinc_error *err);
zinc_status zinc_v3_walker_copy(zinc_v3_walker *w, const zinc_json *copy, zinc_error *err);

zinc_status zinc_v3_children(zinc_hierarchy *h, const char *path, zinc_report *r, zinc_found_fn fn, void *arg,
			     zinc_error *err);
zinc_status zinc_v3_walk(zinc_hierarchy *h, const char *path, int depth, zinc_report *r, zinc_found_fn fn, void *arg,
			 zinc_error *err);
/* A walk of everything below by the stored documents alone, never by consolidated metadata. */
zinc_status zinc_v3_walk_stored(zinc_hierarchy *h, const char *path, zinc_report *r, zinc_found_fn fn, void *arg,
				zinc_error *err);

/* ---- format_v3_consolidated.c ---- */

/* The `metadata` object of a group's consolidated metadata; NULL when it has none that can be used. */
const zinc_json *zinc_v3_consolidated(const zinc_json *root);
/* Show the nodes below `below` (a path within the group that has the copies: "" or "a/b/"), `depth` levels deep. */
zinc_status zinc_v3_consolidated_show(zinc_v3_walker *w, const zinc_json *metadata, const char *below, int depth,
				      zinc_error *err);
/* Remove consolidated metadata from the document under `key`, if it is there. */
zinc_status zinc_v3_consolidated_drop(zinc_hierarchy *h, const char *key, zinc_error *err);
zinc_status zinc_v3_consolidate(zinc_hierarchy *h, const char *path, bool remove, zinc_error *err);

bool zinc_v3_copies(const zinc_meta *group, int (*fn)(void *arg, const char *below, const zinc_json *copy), void *arg);

#endif
