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

/* The key of the document that it is, or is in, appended. */
zinc_status zinc_copies_key(const zinc_hierarchy *h, const char *path, zinc_buf *key, zinc_error *err);
/* Where groups can have it: that in all documents of a node, as an object of copies by path.  *doc NULL: none that can be
 * used; *large: the document that it is a member of is too large to be read, so that nobody knows. */
zinc_status zinc_copies_find(const zinc_hierarchy *h, const zinc_fetched *docs, zinc_json_doc **doc,
			     const zinc_json **metadata, bool *large, zinc_error *err);
/* Drop that in the documents of a node, if there is any. */
zinc_status zinc_copies_drop(zinc_hierarchy *h, const zinc_fetched *docs, char *const *keys, zinc_error *err);
/* Drop that of the whole hierarchy, where only the root can have it. */
zinc_status zinc_copies_drop_root(zinc_hierarchy *h, zinc_error *err);

#endif
