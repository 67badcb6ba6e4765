/*
 * format_v2.h - what the files of Zarr version 2 share
 *
 *   format_v2.c               names, detection; the table row
 *   format_v2_parse.c         the document in memory -> zinc_meta
 *   format_v2_dtype.c         data types and fill values -> those of the final version
 *   format_v2_codecs.c        filters and compressor -> chains
 *   format_v2_make.c          zinc_meta -> the document in memory
 *
 * A node has two documents, .zarray or .zgroup and .zattrs; documents.h joins them.
 */
#ifndef ZINC_FORMAT_V2_H
#define ZINC_FORMAT_V2_H

#include "format/format_v3.h"

#define ZINC_V2_MEMBER "attributes"

/* ---- format_v2.c ---- */

zinc_status zinc_v2_check_name(const zinc_format *f, const char *name, size_t n, zinc_error *err);

/* ---- format_v2_parse.c ---- */

/* The kind of node that a document in memory describes. */
zinc_node_kind zinc_v2_kind(const zinc_json *root);
/* The slot `parse`. */
zinc_status zinc_v2_parse(const zinc_format *f, zinc_context *ctx, zinc_json_doc *doc, zinc_node_kind kind,
			  zinc_report *r, zinc_meta **out, zinc_error *err);

/* ---- format_v2_dtype.c ---- */

/* A data type as version 2 spells it. */
typedef struct zinc_v2_type {
	zinc_json *v3;           /* `data_type` in the final version's vocabulary; NULL: it is wrong */
	const zinc_dtype *dtype; /* NULL: this build does not know it */
	bool big;
} zinc_v2_type;

/* E_CORRUPT by rule V2-7.  `object` is the type that the codec of objects decodes to: "string", "bytes" or NULL.  `out`
 * must be zero; zinc_v2_type_fini must follow in any case. */
zinc_status zinc_v2_type_parse(zinc_v2_type *out, zinc_json_doc *doc, const zinc_json *v, const char *object,
			       zinc_report *r, zinc_error *err);
void zinc_v2_type_fini(zinc_v2_type *t);
/* The fill value of such a type in the final version's vocabulary; errors by rule V2-8.  NULL and null give
 * zeros, or NaT. */
zinc_status zinc_v2_fill_parse(zinc_json **out, zinc_json_doc *doc, const zinc_v2_type *t, const zinc_json *v,
			       zinc_report *r, zinc_error *err);
/* The reverse.  E_INVALID naming what version 2 cannot hold. */
zinc_status zinc_v2_type_print(zinc_json **out, zinc_json_doc *doc, const zinc_dtype *t, bool big, zinc_error *err);
zinc_status zinc_v2_fill_print(zinc_json **out, zinc_json_doc *doc, const zinc_dtype *t, bool big, const void *fill,
			       zinc_error *err);

/* ---- format_v2_codecs.c ---- */

/* A `codecs` member of the final version that is being built. */
typedef struct zinc_v2_codecs {
	zinc_json_doc *doc;
	zinc_json *list;
	const zinc_dtype *dtype; /* NULL: not known */
	bool big;
	size_t n;    /* codecs added so far */
	bool packed; /* the compressor takes elements, so `bytes` is not needed */
	zinc_report *r;
	const char *rule; /* what no chain can hold */
	zinc_error *err;
} zinc_v2_codecs;

/* The type of elements of dtype "O": "string", "bytes", or NULL when no filter says it. */
const char *zinc_v2_object_type(const zinc_json *filters);
/* Add the filters (each an object with an "id"; NULL: none), and the codec `bytes` if none of them makes bytes. */
zinc_status zinc_v2_add_filters(zinc_v2_codecs *c, const zinc_json *filters);
/* {"id": "x", ...} -> {"name": "numcodecs.x", "configuration": {...}} */
zinc_status zinc_v2_add_codec(zinc_v2_codecs *c, const zinc_json *v);
/* Does the compressor take elements, as zfpy does? */
bool zinc_v2_packs(const zinc_json *compressor);
/* Add such a compressor.  E_UNSUPPORTED: the elements are big-endian here; it is added, but they are never read. */
zinc_status zinc_v2_add_packer(zinc_v2_codecs *c, const zinc_json *v);
/* As zinc_v2_add_codec, with a separate id; `configuration` NULL: none.  It is copied. */
zinc_status zinc_v2_add_named(zinc_v2_codecs *c, const char *id, const zinc_json *configuration);

/* ---- format_v2_make.c ---- */

zinc_status zinc_v2_print(zinc_hierarchy *h, const zinc_meta *m, zinc_json_doc **out, zinc_error *err);

#endif
