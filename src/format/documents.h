/*
 * documents.h - the documents of one node, which are one in memory, for the files of this room
 *
 * In memory they are one JSON document: the members of the first, and a member "attributes" where the attributes have a
 * document of their own.  So whoever changes "shape" or "attributes" need not know the version.
 */
#ifndef ZINC_DOCUMENTS_H
#define ZINC_DOCUMENTS_H

#include "format/layout.h"

#define ZINC_ATTRIBUTES "attributes"

/* Is none of the documents that make a node there, as far as could be told? */
bool zinc_documents_missing(const zinc_format *f, const zinc_fetched *docs);
/* Which of those that make a node is there?  The first of them. */
size_t zinc_documents_maker(const zinc_format *f, const zinc_fetched *docs);
/* Where groups need none (node_read.c): is anything below the path, that makes it one? */
zinc_status zinc_has_descendants(zinc_hierarchy *h, const char *path, bool *yes, zinc_error *err);
/* Which holds the attributes?  0: they are in the node's own. */
size_t zinc_documents_attributes(const zinc_format *f);
/* What could not be read, unless another document that makes the node stands before it. */
zinc_status zinc_documents_status(const zinc_format *f, const zinc_fetched *docs, char *const *keys, zinc_error *err);
/* The documents of one node, at least one that makes it not missing -> metadata.  `kind` is told on failure, too: a
 * damaged group may have sound children.  The report names the document under the parser. */
zinc_status zinc_documents_parse(const zinc_hierarchy *h, const zinc_fetched *docs, char *const *keys, zinc_report *r,
				 zinc_meta **out, zinc_node_kind *kind, zinc_error *err);
/* The same -> the one in memory, to be changed.  A document that a rewrite would lose something of is refused. */
zinc_status zinc_documents_join(zinc_json_doc **out, const zinc_hierarchy *h, const zinc_fetched *docs, size_t maker,
				zinc_error *err);
/* And back: the bytes to be stored as one of them, appended; nothing for attributes that are not there. */
zinc_status zinc_document_print(const zinc_hierarchy *h, const zinc_json *root, size_t which, zinc_buf *out,
				zinc_error *err);

#endif
