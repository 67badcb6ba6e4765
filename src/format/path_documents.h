/*
 * path_documents.h - the documents from the root down to a node, for the files of this room
 */
#ifndef ZINC_PATH_DOCUMENTS_H
#define ZINC_PATH_DOCUMENTS_H

#include "format/known.h"

/* For the slot `place`: the place of a key is the key itself, that of a document is its node's directory. */
zinc_status zinc_layout_place(const char *key, zinc_key_role role, zinc_buf *place, zinc_error *err);
/* Does a document of this name make a node? */
bool zinc_documents_make(const zinc_format *f, const char *name);
typedef struct zinc_line {
	zinc_context *ctx;
	size_t n;           /* nodes, root first */
	size_t per;         /* documents of each */
	char **keys;        /* n * per keys */
	size_t *npath;      /* length of the path of each node, as bytes of the last one's: 1 for the root */
	zinc_fetched *docs; /* n * per documents, from one batched get */
} zinc_line;

enum { ZINC_LINE_ABOVE = 1, ZINC_LINE_SELF = 2 };

/* Fetch the documents, up to the part `upto`, of all ancestors of `path`, of the node itself, or both. */
zinc_status zinc_line_get(zinc_line *out, zinc_hierarchy *h, const char *path, unsigned parts, zinc_document_part upto,
			  zinc_error *err);
void zinc_line_fini(zinc_line *line);

#endif
