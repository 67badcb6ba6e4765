/*
 * consolidate.h - writing consolidated metadata such that it is true when it stays
 */
#ifndef ZINC_CONSOLIDATE_H
#define ZINC_CONSOLIDATE_H

#include "format/format.h"

/* How a format keeps it. */
typedef struct zinc_copies_ops {
	/* All of it as the documents are now becomes the root of `doc`, which is new. */
	zinc_status (*gather)(zinc_hierarchy *h, const char *path, zinc_json_doc *doc, zinc_error *err);
	/* Store it under `key`, or with NULL remove what is there.  E_LIMIT, and nothing is stored, when readers would
	 * refuse it for its size. */
	zinc_status (*put)(zinc_hierarchy *h, const char *key, const zinc_json *copies, zinc_error *err);
} zinc_copies_ops;

/* What fails before the first put leaves an old one as it was. */
zinc_status zinc_copies_write(zinc_hierarchy *h, const char *path, const char *key, const zinc_copies_ops *ops,
			      zinc_error *err);
/* Where it is an object of its own: the head of it in a new `doc`, with an object for the copies. */
zinc_status zinc_copies_head(zinc_json_doc *doc, zinc_json **metadata, zinc_error *err);
/* And for the slot `put`. */
zinc_status zinc_copies_put(zinc_hierarchy *h, const char *key, const zinc_json *copies, zinc_error *err);

#endif
