/*
 * extensions.h - what programs registered about documents, for the files of this room
 *
 *   extensions.c          extensions of nodes and hierarchies
 *   metadata_encoding.c   what a draft's documents are stored as
 */
#ifndef ZINC_EXTENSIONS_H
#define ZINC_EXTENSIONS_H

#include <zinc/extend.h>

#include "format/format.h"

/* ---- extensions.c ---- */

/* Find by name, or else by URI, among those that extend one of `extends`.  `match` is set to MINOR or SAME.  NULL:
 * unknown. */
const zinc_extension_def *zinc_extension_find(const char *name, unsigned extends, zinc_uri_match *match);
/* Does a declaration allow readers to ignore it? {"must_understand": false, ...} */
bool zinc_extension_ignorable(const zinc_json *declaration);
/* Check one declaration, by its URI or its member's name, with all its members (`v`).  A known one: its configuration
 * is checked.  An unknown one may be ignorable; otherwise E_UNSUPPORTED under `rule`, and the message names it. */
zinc_status zinc_extension_judge(zinc_context *ctx, unsigned extends, const char *name, const zinc_json *v,
				 const char *rule, zinc_report *r, zinc_error *err);

/* ---- metadata_encoding.c ---- */

/* NULL: unknown; `match` as for extensions. */
const zinc_metadata_encoding_def *zinc_metadata_encoding_find(const char *uri, const char *type, zinc_uri_match *match);
/* By name, for new hierarchies. */
const zinc_metadata_encoding_def *zinc_metadata_encoding_named(const char *name);
/* Convert the bytes of a document to JSON text, or back.  The result is appended to `out`, whose maximum bounds it.
 * E_CORRUPT, E_LIMIT. */
zinc_status zinc_metadata_decode(const zinc_metadata_encoding_def *def, zinc_bytes in, zinc_buf *out, zinc_error *err);
zinc_status zinc_metadata_encode(const zinc_metadata_encoding_def *def, zinc_bytes json, zinc_buf *out,
				 zinc_error *err);

#endif
