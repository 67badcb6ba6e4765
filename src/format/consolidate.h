/*
 * consolidate.h - consolidated metadata, for the files of this room
 *
 *   copies_read.c   found and read
 *   consolidate.c   written, and dropped
 */
#ifndef ZINC_CONSOLIDATE_H
#define ZINC_CONSOLIDATE_H

#include "format/fetch_documents.h"
#include "format/format.h"

/* For formats where groups can have it: get it from all documents of a node, as an object of copies by path.  *doc is
 * NULL when there is none that can be used.  *large: the document that would have the member is too large to be read,
 * so it is not known. */
zinc_status zinc_copies_find(const zinc_hierarchy *h, const zinc_fetched *docs, zinc_json_doc **doc,
			     const zinc_json **metadata, bool *large, zinc_error *err);
/* Remove it from the documents of a node, if there is any. */
zinc_status zinc_copies_drop(zinc_hierarchy *h, const zinc_fetched *docs, char *const *keys, zinc_error *err);
/* Remove that of the whole hierarchy, in formats where only the root can have it. */
zinc_status zinc_copies_drop_root(zinc_hierarchy *h, zinc_error *err);

#endif
