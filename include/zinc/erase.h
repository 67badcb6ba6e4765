/*
 * erase.h - erasing nodes: what is erased, what is refused, what can be forced
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
	int replace;      /* prepare for a new node, as `overwrite` does: ZINC_OK also when nothing is there, and leftovers of an
	                     unfinished copy are erased; E_INVALID, E_UNSUPPORTED when no node may be made below the parent */
	int dry_run;      /* check and report as without it, but erase nothing */
	zinc_erase_fn fn; /* called with the path of each node to be erased, parents first [NULL] */
	void *arg;
	const zinc_call_options *call; /* [no limit] */
} zinc_erase_options;

/* clang-format off */
#define ZINC_ERASE_OPTIONS(...) ZINC_OPTIONS_OF(zinc_erase_options, __VA_ARGS__)
#define ZINC_ERASE_OPTIONS_INIT {sizeof(zinc_erase_options), 0, 0, 0, NULL, NULL, NULL}
/* clang-format on */

/* How much is erased. */
typedef struct zinc_erase_counts {
	size_t size;
	uint64_t nodes;
	uint64_t keys; /* documents, chunks and all others */
} zinc_erase_counts;
/* clang-format off */
#define ZINC_ERASE_COUNTS_INIT {sizeof(zinc_erase_counts), 0, 0}
/* clang-format on */

/*
 * Erase a node and everything below it, documents first.  Only keys that certainly belong to it are erased: its documents,
 * all keys that its chunk key encoding can produce for its rank, inside or outside the grid, the same for all nodes below,
 * and leftovers of unfinished copies to there (documents, and keys with names of chunks).  Everything is checked before the
 * first key is erased.  Nothing is erased and the status is
 *
 *   E_NOTFOUND      when nothing is there;
 *   E_EXISTS        when there is no node but there are keys (for example after an interrupted erase), or when foreign
 *                   keys lie below the node: a README, documents of another version, nodes below an array;
 *   E_UNSUPPORTED   when something in a document is not understood, codecs and data types included, or the store
 *                   cannot list;
 *   E_CORRUPT       when a document is broken;
 *
 * unless `force` is set, which erases all keys below.  `options` and `counts` may be NULL.
 */
ZINC_API ZINC_CHECKED zinc_status zinc_node_erase_with(zinc_hierarchy *h, const char *path, const zinc_erase_options *options,
                                                       zinc_erase_counts *counts, zinc_error *err);
#ifdef __cplusplus
}
#endif

#endif /* ZINC_ERASE_H */
