/*
 * transform.h - door of the room `transform`: store-shaped layers between one array and its store
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
 * Each layer is a store (<zinc/store.h>) over the one below it, and sees whole keys: those of the array's chunks begin
 * with `prefix`, all others are passed on.
 */
#ifndef ZINC_TRANSFORM_H
#define ZINC_TRANSFORM_H

#include <zinc/extend.h>

#include "codec/codec.h"
#include "store/store.h"

/* The transformer of that name in a document; NULL: unknown. */
typedef const zinc_transformer_def *(*zinc_transformer_find_fn)(const char *name);

/*
 * The whole stack over in->next (a new reference to that when there is no layer).  `list` is the member
 * `storage_transformers` in the vocabulary of version 3, NULL: none; ignorable ones that are not known are left out.
 * `find` tells which transformers are known; one without open() is sharding.
 * `options` may be NULL.  What `in` points to must live as long as the stack.
 * E_UNSUPPORTED naming the one that is not known; E_CORRUPT for a configuration that its transformer refuses.
 */
zinc_status zinc_stack_open(zinc_store **out, const zinc_json *list, zinc_transformer_find_fn find,
			    const zinc_stack_options *options, const zinc_transformer_input *in, zinc_error *err);

/* Let a key encoding, which must live as long as the layers, make and read the keys of chunks. */
void zinc_transformer_keys(zinc_transformer_input *in, const zinc_keys *keys);

/* What the numbers in options may be. */
extern const zinc_options_kind zinc_sharded_options_kind, zinc_layer_cache_options_kind;

#endif
