/*
 * json_impl.h - shared by the files of this room
 */
#ifndef ZINC_JSON_IMPL_H
#define ZINC_JSON_IMPL_H

#include "json/json.h"

struct zinc_json_doc {
	zinc_context *ctx;
	zinc_json *root;
	const char *duplicate;          /* the first one found */
	struct zinc_json_block *blocks; /* the arena; the first block is being filled */
};

/* ---- json_value.c ---- */

/* Memory that lives as long as the document; `align` is a power of two. */
void *zinc_json_alloc(zinc_json_doc *doc, size_t nbytes, size_t align);
/* A value that is part of no other, all zeros except its type. */
zinc_json *zinc_json_node(zinc_json_doc *doc, zinc_json_type type);
/* A copy of text, with a NUL. */
const char *zinc_json_text(zinc_json_doc *doc, const char *s, size_t n);
/* Append `v` to the children of `parent`; an object's `sorted` is not updated. */
void zinc_json_link(zinc_json *parent, zinc_json *v);

/* ---- json_index.c ---- */

/* Make `sorted` from the list.  *duplicate is a name that occurs more than once, or NULL. */
zinc_status zinc_json_index(zinc_json_doc *doc, zinc_json *object, const char **duplicate, zinc_error *err);
/* The position of the name in `sorted`, and whether it is there. */
bool zinc_json_find(const zinc_json *object, const char *key, size_t nkey, size_t *at);
/* Move the members from `at` on up by one, before the object's n grows; false: out of memory. */
bool zinc_json_index_open(zinc_json_doc *doc, zinc_json *object, size_t at);
/* Move the members after `at` down by one, after the object's n has been reduced. */
void zinc_json_index_close(zinc_json *object, size_t at);

/* ---- json_number.c ---- */

/* The end of the JSON number at `s`, or NULL when there is none. */
const char *zinc_json_number_end(const char *s, const char *end);

#endif
