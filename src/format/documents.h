/*
 * documents.h - the documents of one node, joined to one in memory, for the files of this room
 *
 * In memory a node has one JSON document: the members of its first document, and a member "attributes" where the
 * attributes have a separate document.  So code that changes "shape" or "attributes" does not depend on the version.
 */
#ifndef ZINC_DOCUMENTS_H
#define ZINC_DOCUMENTS_H

#include "format/path_documents.h"

#define ZINC_ATTRIBUTES "attributes"

/* Are all documents that make a node missing, as far as this could be read? */
bool zinc_documents_missing(const zinc_format *f, const zinc_fetched *docs);
/* The first of the documents that make a node and that are there. */
size_t zinc_documents_maker(const zinc_format *f, const zinc_fetched *docs);
/* In formats where groups need no document (node_read.c): does anything lie below the path, which makes it a group? */
zinc_status zinc_has_descendants(zinc_hierarchy *h, const char *path, bool *yes, zinc_error *err);
/* Which document holds the attributes? 0: the node's own. */
size_t zinc_documents_attributes(const zinc_format *f);
/* The error of a document that could not be read, unless another document that makes the node comes before it. */
zinc_status zinc_documents_status(const zinc_format *f, const zinc_fetched *docs, char *const *keys, zinc_error *err);
/* Parse the documents of one node, at least one of which makes it, into metadata.  `kind` is set on failure, too: a
 * damaged group may have valid children.  The report names the document that is being parsed. */
zinc_status zinc_documents_parse(const zinc_hierarchy *h, const zinc_fetched *docs, char *const *keys, zinc_report *r,
				 zinc_meta **out, zinc_node_kind *kind, zinc_error *err);
/* The same documents as one document in memory, to be edited.  A document of which a rewrite would lose something is
 * refused. */
zinc_status zinc_documents_join(zinc_json_doc **out, const zinc_hierarchy *h, const zinc_fetched *docs, size_t maker,
				zinc_error *err);
/* The reverse: append the bytes to be stored as one of the documents.  Nothing is appended for attributes that are not
 * there. */
zinc_status zinc_document_print(const zinc_hierarchy *h, const zinc_json *root, size_t which, zinc_buf *out,
				zinc_error *err);

#endif
