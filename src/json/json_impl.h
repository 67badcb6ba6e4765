/*
 * json_impl.h - what the files of this room share
 */
#ifndef ZINC_JSON_IMPL_H
#define ZINC_JSON_IMPL_H

#include "json/json.h"

/* A detached value, all zeros but its type. */
zinc_json *zinc_json_node(zinc_json_doc *doc, zinc_json_type type);
/* `n` bytes that live as long as the document, for text. */
char *zinc_json_room(zinc_json_doc *doc, size_t n);
/* Put `v` behind the children of `parent`; an object's `sorted` is not brought up to date. */
void zinc_json_link(zinc_json *parent, zinc_json *v);
/* Make `sorted`.  Of members with the same name the last stays, and *duplicate is the name of one of them. */
zinc_status zinc_json_index(zinc_json_doc *doc, zinc_json *object, const char **duplicate, zinc_error *err);
/* Place of the name among the members, and whether it is there. */
bool zinc_json_find(const zinc_json *object, const char *key, size_t nkey, size_t *at);
void zinc_json_set_duplicate(zinc_json_doc *doc, const char *key);

/* End of the JSON number at `s`, or NULL when there is none. */
const char *zinc_json_number_end(const char *s, const char *end);

#endif
