/*
 * erase.h - erasing nodes: what goes, what is refused, and what is forced
 */
#ifndef ZINC_ERASE_H
#define ZINC_ERASE_H

#include <zinc.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Return non-zero to stop before anything is erased (E_CANCELLED). */
typedef int (*zinc_erase_fn)(void *arg, const char *path);

typedef struct zinc_erase_options {
	size_t size;
	int force;        /* erase all keys below, whatever they are */
	int replace;      /* make place for a new node, as `overwrite` does: ZINC_OK also when nothing is there, and what
	                     an unfinished copy has left goes; E_INVALID, E_UNSUPPORTED when none may be made below what is above */
	int dry_run;      /* look, tell, refuse as without it, and erase nothing */
	zinc_erase_fn fn; /* called for the path of each node that goes, parents first [NULL] */
	void *arg;
	const zinc_call_options *call; /* [for ever] */
} zinc_erase_options;

/* clang-format off */
#define ZINC_ERASE_OPTIONS(...) ZINC_OPTIONS_OF(zinc_erase_options, __VA_ARGS__)
#define ZINC_ERASE_OPTIONS_INIT {sizeof(zinc_erase_options), 0, 0, 0, NULL, NULL, NULL}
/* clang-format on */

/* What goes. */
typedef struct zinc_erase_counts {
	size_t size;
	uint64_t nodes;
	uint64_t keys; /* documents, chunks and all others */
} zinc_erase_counts;
/* clang-format off */
#define ZINC_ERASE_COUNTS_INIT {sizeof(zinc_erase_counts), 0, 0}
/* clang-format on */

/*
 * Erase a node and everything below it, documents first.  Only what is certainly its own is erased: its documents, all
 * keys that its chunk key encoding can produce for its rank, inside or outside the grid, the same of all nodes below,
 * and what unfinished copies to there have left: documents and what is named as chunks are.  Everything is looked at before the first key goes.  Nothing is erased
 * and the status is
 *
 *   E_NOTFOUND      when nothing is there;
 *   E_EXISTS        when no node is there, but keys are (what an interrupted erase has left, too), or when foreign keys
 *                   lie below the node: a README, documents of another version, nodes below an array;
 *   E_UNSUPPORTED   when something in a document is not understood, codecs and data types included, or the store
 *                   cannot list;
 *   E_CORRUPT       when a document is broken;
 *
 * unless `force`, with which all keys below go.  `options` and `counts` may be NULL.
 */
ZINC_API ZINC_CHECKED zinc_status zinc_node_erase_with(zinc_hierarchy *h, const char *path, const zinc_erase_options *options,
                                                       zinc_erase_counts *counts, zinc_error *err);
#ifdef __cplusplus
}
#endif

#endif /* ZINC_ERASE_H */
