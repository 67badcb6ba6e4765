/*
 * transform.h - door of the room `transform`: layers between one array and its store, each a store itself
 *
 *     array
 *       |  keys of chunks
 *     [run-time layers of the program: cache, log ...]     transform_cache.c, transform_log.c
 *       |
 *     [storage_transformers[0]]                            transform_sharding.c, or a program's own
 *     [storage_transformers[1]]
 *       |
 *     store
 *
 * Each layer is a store (<zinc/store.h>) over the one below it.  It gets complete keys: those of the array's chunks
 * begin with `prefix`, all others are passed on.
 */
#ifndef ZINC_TRANSFORM_H
#define ZINC_TRANSFORM_H

#include <zinc/extend.h>

#include "codec/codec.h"
#include "store/store.h"

/* Look up the transformer that a document names; NULL: unknown. */
typedef const zinc_transformer_def *(*zinc_transformer_find_fn)(const char *name);

/*
 * Open all layers over in->next (without layers, *out is a new reference to in->next).  `list` is the member
 * `storage_transformers` as version 3 defines it, NULL: none; unknown ones that may be ignored are left out.  `find`
 * looks up a transformer; one without open() is sharding.  `options` may be NULL.  What `in` points to must stay
 * valid as long as the stack.  E_UNSUPPORTED naming an unknown transformer; E_CORRUPT for a configuration that its
 * transformer rejects.
 */
zinc_status zinc_stack_open(zinc_store **out, const zinc_json *list, zinc_transformer_find_fn find,
			    const zinc_stack_options *options, const zinc_transformer_input *in, zinc_error *err);

/* Make and parse the keys of chunks with a key encoding, which must stay valid as long as the layers. */
void zinc_transformer_keys(zinc_transformer_input *in, const zinc_keys *keys);

/* The allowed values of the numbers in options. */
extern const zinc_options_kind zinc_sharded_options_kind, zinc_layer_cache_options_kind;

#endif
