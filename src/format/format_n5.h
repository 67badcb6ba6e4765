/*
 * format_n5.h - what the files of the format N5 share
 *
 *   format_n5.c               names, detection, the form in memory; the table row
 *   format_n5_parse.c         the document in memory -> zinc_meta
 *   format_n5_make.c          zinc_meta -> the document in memory
 *   format_n5_compression.c   `compression` <-> a codec of the final version
 *
 * A node has one document, attributes.json, in which attributes are beside the members that N5 defines.  In memory they
 * are apart, and the shape has the name and order that it has in all versions:
 *
 *   attributes.json                                    in memory
 *   {"n5": "2.0.0", "dimensions": [30, 20],            {"n5": "2.0.0", "shape": [20, 30],
 *    "blockSize": [8, 9], "dataType": "int16",          "blockSize": [8, 9], "dataType": "int16",
 *    "compression": {"type": "raw"},                    "compression": {"type": "raw"},
 *    "resolution": [4, 4]}                              "attributes": {"resolution": [4, 4]}}
 */
#ifndef ZINC_FORMAT_N5_H
#define ZINC_FORMAT_N5_H

#include "format/documents.h"
#include "format/format_v3.h"

#define ZINC_N5_DOCUMENT "attributes.json"
/* All readers accept the data of this version, which has everything that is written here. */
#define ZINC_N5_VERSION "2.0.0"
/* Versions up to this major number are read. */
#define ZINC_N5_MAJOR 4

/* ---- format_n5.c ---- */

/* Is it a name that cannot be an attribute, because N5 would take it for a member? */
bool zinc_n5_reserved(zinc_node_kind kind, const zinc_json *attributes, const char *name);
/* A member that N5 defines, of a document as it is stored. */
bool zinc_n5_is_member(const char *name);
/* Do these members make a dataset?  `shape`: "dimensions" of a document as it is stored, "shape" in memory. */
bool zinc_n5_is_array(const zinc_json *root, const char *shape);

/* ---- format_n5_parse.c ---- */

zinc_status zinc_n5_parse(const zinc_format *f, zinc_context *ctx, zinc_json_doc *doc, zinc_node_kind kind,
			  zinc_report *r, zinc_meta **out, zinc_error *err);

/* ---- format_n5_compression.c ---- */

/* The codec of `compression` for elements of `size` bytes, in the final version's vocabulary; *out NULL: raw.  Errors
 * by rule N5-7, unknown types by N5-8. */
zinc_status zinc_n5_codec_parse(zinc_json **out, zinc_json_doc *doc, const zinc_json *v, size_t size, zinc_report *r,
				zinc_error *err);
/* The reverse; `c` NULL: raw.  *out NULL when N5 has no such compression. */
zinc_status zinc_n5_codec_print(zinc_json **out, zinc_json_doc *doc, const zinc_codec *c, zinc_error *err);

/* ---- format_n5_make.c ---- */

zinc_status zinc_n5_print(zinc_hierarchy *h, const zinc_meta *m, zinc_json_doc **out, zinc_error *err);

#endif
