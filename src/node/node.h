/*
 * node.h - door of the room `node`: groups, walking, attributes, copying
 *
 * The interface is section 8 of <zinc.h>; here is what the rooms above share with it.
 */
#ifndef ZINC_NODE_H
#define ZINC_NODE_H

#include "array/array.h"

/* A node of a format's listing as zinc.h shows it to programs: `fn` is called once.  `base` is the path that depth is
 * counted from.  *stop gets what fn returned. */
zinc_status zinc_node_show(zinc_hierarchy *h, const zinc_found_node *found, const char *base, zinc_node_fn fn,
			   void *arg, int *stop, zinc_error *err);

/* Edit a node's attributes, an object of `doc`.  May be called more than once, each time with the stored attributes. */
typedef zinc_status (*zinc_attributes_fn)(void *arg, zinc_json_doc *doc, zinc_json *attributes, zinc_error *err);
zinc_status zinc_attributes_change(zinc_hierarchy *h, const char *path, zinc_attributes_fn fn, void *arg,
				   zinc_error *err);

/* What the numbers in options may be. */
extern const zinc_options_kind zinc_erase_options_kind;

#endif
