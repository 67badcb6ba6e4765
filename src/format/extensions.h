/*
 * extensions.h - inside of the room `format`: what programs registered about documents
 *
 *   extensions.c          extensions of nodes and hierarchies
 *   metadata_encoding.c   what a draft's documents are stored as
 */
#ifndef ZINC_EXTENSIONS_H
#define ZINC_EXTENSIONS_H

#include <zinc/extend.h>

#include "format/format.h"

/* ---- extensions.c ---- */

/* By name, or else by URI, of those that extend one of `extends`.  `match` tells MINOR or SAME.  NULL: unknown. */
const zinc_extension_def *zinc_extension_find(const char *name, unsigned extends, zinc_uri_match *match);
/* Does a declaration say that it may be ignored?  {"must_understand": false, ...} */
bool zinc_extension_ignorable(const zinc_json *declaration);
/*
 * One declaration, by its URI or its member's name, with all its members (`v`): known, and then its configuration is
 * checked; unknown and ignorable; or E_UNSUPPORTED, naming it, under `rule`.
 */
zinc_status zinc_extension_judge(zinc_context *ctx, unsigned extends, const char *name, const zinc_json *v,
				 const char *rule, zinc_report *r, zinc_error *err);

/* ---- metadata_encoding.c ---- */

/* NULL: unknown; `match` as for extensions. */
const zinc_metadata_encoding_def *zinc_metadata_encoding_find(const char *uri, const char *type, zinc_uri_match *match);
/* By name, for new hierarchies. */
const zinc_metadata_encoding_def *zinc_metadata_encoding_named(const char *name);
/* The bytes of a document -> JSON text, or back; appended to `out`, whose maximum bounds them.  E_CORRUPT, E_LIMIT. */
zinc_status zinc_metadata_decode(const zinc_metadata_encoding_def *def, zinc_bytes in, zinc_buf *out, zinc_error *err);
zinc_status zinc_metadata_encode(const zinc_metadata_encoding_def *def, zinc_bytes json, zinc_buf *out,
				 zinc_error *err);

#endif
