/*
 * diff.h - inside of the room `tool`: a comparison of two nodes
 *
 *   diff.c         the two trees, node by node
 *   diff_meta.c    what two documents say
 *   diff_values.c  elements of two arrays
 */
#ifndef ZINC_TOOL_DIFF_H
#define ZINC_TOOL_DIFF_H

#include "tool/tool.h"

/* A running comparison.  In pairs, [0] is of a and [1] of b. */
typedef struct zinc_cmp {
	zinc_context *ctx;
	zinc_diff_options o;
	zinc_call_options call;
	zinc_wait wait;
	int threads;
	zinc_hierarchy *h[2];
	char *base[2]; /* paths */
	zinc_difference_fn fn;
	void *arg;
	zinc_diff_counts n;
	bool stopped;
} zinc_cmp;

/* Two nodes that are compared. */
typedef struct zinc_cmp_pair {
	const char *path;   /* below both bases, "/" or "/x" */
	char *full[2];      /* in their hierarchies */
	zinc_meta *meta[2]; /* NULL: an implicit group */
} zinc_cmp_pair;

/* Report a difference. */
void zinc_cmp_found(zinc_cmp *c, const zinc_difference *d);
/* The same for two JSON values, either of which may be NULL. */
zinc_status zinc_cmp_differ(zinc_cmp *c, zinc_difference_kind kind, const char *path, const char *what,
			    const zinc_json *a, const zinc_json *b, zinc_error *err);
/* Compare the documents; *same_shape and *same_type tell whether elements can be compared. */
zinc_status zinc_cmp_meta(zinc_cmp *c, const zinc_cmp_pair *p, bool *same_shape, bool *same_type, zinc_error *err);
zinc_status zinc_cmp_storage(zinc_cmp *c, const zinc_cmp_pair *p, zinc_error *err);
zinc_status zinc_cmp_values(zinc_cmp *c, const zinc_cmp_pair *p, bool same_type, zinc_error *err);

#endif
