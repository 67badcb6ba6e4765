/*
 * format_v3.h - what the files of the final version 3 share
 *
 *   format_v3.c               names, detection; the table row
 *   format_v3_parse.c         zarr.json -> zinc_meta
 */
#ifndef ZINC_FORMAT_V3_H
#define ZINC_FORMAT_V3_H

#include "format/path_documents.h"

#define ZINC_V3_DOCUMENT "zarr.json"
/* How stored documents are parsed without checks, which come later or were done before. */
#define ZINC_V3_JSON (ZINC_JSON_DUPLICATES | ZINC_JSON_NAN_TOKENS)

/* Three rules of July 2026 may yet be withdrawn (docs/rules.md): the exact form of consolidated metadata (M22),
 * "zarr.json" as a forbidden node name (M33), chunks of at least one element (M40).  This switch controls the first
 * two.  Without M40 the grid would still refuse an empty chunk, since it divides by the chunk length. */
enum { ZINC_V3_JULY_2026 = 1 };

/* ---- format_v3_parse.c ---- */

/* The document -> meta.  `doc` is taken, also on failure. */
zinc_status zinc_v3_parse_doc(zinc_context *ctx, zinc_json_doc *doc, zinc_report *r, zinc_meta **out, zinc_error *err);
/* {"name": ..., "configuration": {member: value}}; no configuration when `member` is NULL.  NULL: no memory. */
zinc_json *zinc_v3_extension(zinc_json_doc *doc, const char *name, const char *member, zinc_json *value);
/* The same for a document that was translated into the final version's vocabulary.  Findings go to `forward_finding`,
 * which reports them to `r` and sets *failed. */
zinc_status zinc_v3_parse_translated(zinc_json_doc *v3, const zinc_report *r, zinc_report_fn forward_finding, void *arg,
				     const bool *failed, zinc_meta **out, zinc_error *err);
/* Replace the document by the original one.  *unsupported, if set, is taken: the first unsupported thing by the
 * original format's rules. */
void zinc_v3_restore_own_document(zinc_meta *m, const zinc_format *f, zinc_json_doc *doc, char **unsupported,
				  const char *rule);
/* End a translation: *out becomes `m` with the attributes of the original document.  `m` NULL: it failed with `st`, and
 * `doc` is freed. */
zinc_status zinc_v3_parse_end(zinc_status st, zinc_meta *m, zinc_json_doc *doc, zinc_meta **out, zinc_error *err);
/* Does the specification define this member? */
bool zinc_v3_is_member(zinc_node_kind kind, const char *name);
/* The kind that a document claims to be, even if the rest is broken. */
zinc_node_kind zinc_v3_kind(const zinc_json *root);

/* ---- format_v3.c ---- */

/* The rule (M29-M33) that a node's name breaks, and the reason; NULL: none. */
const char *zinc_v3_name_rule(const char *name, size_t n, const char **why);
zinc_status zinc_v3_check_name(const zinc_format *f, const char *name, size_t n, zinc_error *err);

#endif
