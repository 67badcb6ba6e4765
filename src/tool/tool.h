/*
 * tool.h - door of the room `tool`: checking, comparing and inspecting
 *
 * The interface is <zinc/tool.h>; this is the highest room.  Here is what the files of the validator share:
 *
 *   validate.c          the order of the work, findings
 *   validate_nodes.c    documents, names, the tree they make
 *   validate_case.c     names that differ only in case
 *   validate_copies.c   consolidated metadata against the documents
 *   validate_conventions.c  what nodes declare
 *   validate_objects.c  stored objects, and keys that belong to nothing
 *
 * and those of statistics and comparison:
 *
 *   pieces.c            a selection in pieces, by threads
 *   stats_sum.c         sums of numbers that can be merged
 */
#ifndef ZINC_TOOL_ROOM_H
#define ZINC_TOOL_ROOM_H

#include <zinc/tool.h>

#include "cf/cf.h"
#include "convention/convention.h"

/* A document that was found.  Nodes are sorted by the bytes of their prefixes. */
typedef struct zinc_check_node {
	char *prefix;        /* below the root of the hierarchy: "" or "a/b/" */
	zinc_node_kind kind; /* NONE: its document is not usable */
	bool copies;         /* it has consolidated metadata */
	bool declares;       /* it declares Zarr conventions */
} zinc_check_node;

/* A running validation. */
typedef struct zinc_check {
	zinc_context *ctx;
	zinc_hierarchy *h;
	zinc_validate_options o;
	zinc_call_options call;
	zinc_wait wait;
	zinc_visit visit;    /* of `h` */
	zinc_hierarchy *own; /* the handle itself */
	int threads;
	zinc_finding_fn fn;
	void *arg;
	zinc_validate_counts n;
	bool stopped;   /* by fn */
	zinc_buf base;  /* prefix of the validated node, below the root: "" or "a/b/" */
	zinc_buf place; /* of the key being listed */
	zinc_check_node *nodes;
	size_t nnodes, room;
	zinc_buf copies; /* prefixes with the journal of a copy, each with its NUL */
	uint64_t keys;   /* number of keys that are not documents */
} zinc_check;

/* ---- findings ---- */

/* Findings of one job, kept until those of earlier jobs have been reported. */
typedef struct zinc_kept {
	struct zinc_kept *next;
	zinc_finding f; /* its text follows the structure */
} zinc_kept;

typedef struct zinc_kept_list {
	zinc_context *ctx;
	zinc_kept *first, *last;
	bool lost; /* a finding was lost for lack of memory */
} zinc_kept_list;

void zinc_kept_add(zinc_kept_list *list, const zinc_finding *f); /* NULL text means empty text */
void zinc_kept_free(zinc_kept_list *list);
/* Count a finding and report it; NULL text means empty text. */
void zinc_check_found(zinc_check *c, const zinc_finding *f);
/* Report all findings of the list and empty it.  E_NOMEM if some were lost. */
zinc_status zinc_check_report_kept(zinc_check *c, zinc_kept_list *list, zinc_error *err);
/* E_CANCELLED if the caller has cancelled. */
zinc_status zinc_check_cancelled(zinc_check *c, zinc_error *err);
/* Copy an error's message without the rule, which a finding stores separately; `out` has the size of e->text. */
const char *zinc_check_message(char *out, const zinc_error *e);
/* Add an error about stored bytes to `list` as a finding; `rule` "": the error's. */
void zinc_kept_error(zinc_kept_list *list, const zinc_check *c, const zinc_error *e, const char *rule, const char *path,
		     const char *key);

/* ---- the parts ---- */

/* "a/b/" -> "/a/b"; "" -> "/".  n bytes of the prefix. */
zinc_status zinc_check_path(zinc_buf *out, const char *prefix, size_t n, zinc_error *err);
/* Convert a key of the store to the key below the hierarchy's root. */
const char *zinc_check_key(const zinc_check *c, const char *key);
/* Find the role of a key, and set c->place to its place in the tree. */
zinc_status zinc_check_place(zinc_check *c, const char *key, zinc_key_role *role, zinc_error *err);
/* Does the key contain a name reserved for extensions (M32)?  Nothing below it is a node or an object. */
bool zinc_check_reserved(const zinc_check *c, const char *key);
/* The node whose prefix is the first n bytes of `key`; NULL: none. */
const zinc_check_node *zinc_check_find(const zinc_check *c, const char *key, size_t n);
/* The node in whose directory `key`, a place in the tree, is; NULL: none. */
const zinc_check_node *zinc_check_owner(const zinc_check *c, const char *key);
/* The first node whose prefix is not before "path/". */
size_t zinc_check_below(const zinc_check *c, const char *path);
/* The prefix of an unfinished copy, with no node yet, that has put what is at `place`; NULL: none. */
const char *zinc_check_copied(const zinc_check *c, const char *place);
/* Call fn for all keys of the validated node and below, and non_key for entries that are not keys. */
zinc_status zinc_check_list(zinc_check *c, zinc_key_fn fn, zinc_non_key_fn non_key, void *arg, zinc_error *err);
zinc_status zinc_check_nodes(zinc_check *c, zinc_error *err);
/* A node whose prefix is the first n bytes of `key`, and that the first listing did not show: a listing may be old, or
 * the node new.  If it exists it is checked and added, so that pointers to nodes are no longer valid. */
zinc_status zinc_check_late(zinc_check *c, const char *key, size_t n, bool *found, zinc_error *err);
/* Find siblings whose names differ only in case, after nodes are known. */
zinc_status zinc_check_case(zinc_check *c, zinc_error *err);
zinc_status zinc_check_copies(zinc_check *c, zinc_error *err);
zinc_status zinc_check_conventions(zinc_check *c, zinc_error *err);
zinc_status zinc_check_objects(zinc_check *c, zinc_error *err);

/* ---- what is stored (stored.c) ---- */

/* Called for a stored object of the grid.  Return non-zero to stop. */
typedef int (*zinc_stored_fn)(void *arg, const zinc_meta *m, const uint64_t *index, uint64_t nbytes);

/* The decoded size of the object at `index`: its full extent.  UINT64_MAX: more. */
uint64_t zinc_stored_decoded(const zinc_meta *m, const uint64_t *index);
/* Uses one listing.  E_UNSUPPORTED if the store cannot list. */
zinc_status zinc_stored_each(const zinc_array *a, zinc_stored_fn fn, void *arg, const zinc_wait *wait, zinc_error *err);

/* ---- pieces of a selection (pieces.c, pieces_stored.c) ---- */

typedef struct zinc_pieces {
	zinc_context *ctx;
	zinc_sel sel;
	size_t n;
	size_t element;
	/* if most of a large grid is not stored, pieces are the non-empty cells of another grid: */
	bool sparse;
	uint64_t *cells; /* their numbers within the selection, sorted */
	size_t room;     /* capacity of cells */
	uint64_t absent; /* selected elements in no cell */
	zinc_meta *meta;
	const zinc_grid *grid; /* whose chunks are the cells: that of meta, or */
	zinc_grid regular;
	uint64_t base[ZINC_MAX_NDIM], along[ZINC_MAX_NDIM]; /* first cell, count */
	zinc_split split[ZINC_MAX_NDIM];
	uint64_t *list[ZINC_MAX_NDIM];  /* of a dimension with a list: its indices, segment by segment */
	size_t *list_at[ZINC_MAX_NDIM]; /* where each segment begins in it */
} zinc_pieces;

typedef struct zinc_piece {
	uint64_t n; /* elements */
	zinc_selection sel;
	zinc_select_dim dims[ZINC_MAX_NDIM];
} zinc_piece;

/* Choose the size of pieces for an array: whole chunks, a few MiB. */
void zinc_pieces_choose_size(const zinc_array *a, uint64_t *grain);
/* E_RANGE, E_INVALID, E_UNSUPPORTED if elements cannot be read, E_LIMIT, E_NOMEM.  Always call zinc_pieces_fini
 * afterwards. */
zinc_status zinc_pieces_init(zinc_pieces *p, const zinc_array *a, const zinc_selection *s, const uint64_t *grain,
			     zinc_error *err);
/* The same, but if two thirds or more of a large grid are not stored in any of the n arrays, which have the same
 * shape, pieces leave them out, and p->absent counts them.  If a store cannot list, there must not be more chunks
 * than limits.children.  grain NULL: each piece is all that is selected of one stored object, and what is not sparse
 * is E_LIMIT. */
zinc_status zinc_pieces_init_stored(zinc_pieces *p, zinc_array *const *arrays, int n, const zinc_selection *s,
				    const uint64_t *grain, const zinc_wait *wait, zinc_error *err);
/* Read the elements of a piece, in the remaining time of the call. */
zinc_status zinc_piece_read(zinc_array *a, const zinc_piece *piece, zinc_buffer *b, const zinc_wait *wait,
			    zinc_error *err);
/* The first selected element in C order that is absent; requires p->absent > 0. */
void zinc_pieces_absent(const zinc_pieces *p, uint64_t *index);
/* Cell number `number` as a piece. */
void zinc_pieces_cell(const zinc_pieces *p, uint64_t number, zinc_piece *out);
/* Cut the checked selection into all its pieces. */
zinc_status zinc_pieces_cut(zinc_pieces *p, const uint64_t *grain, zinc_error *err);
void zinc_pieces_fini(zinc_pieces *p);
void zinc_pieces_get(const zinc_pieces *p, size_t i, zinc_piece *out);
/* The index in the array of element k of a piece, in the order of a read. */
void zinc_piece_index(const zinc_piece *piece, uint64_t k, uint64_t *index);

/* The functions for each piece: `work` by any thread, then `merge` in order by the calling thread.  `work` stores
 * its result in a slot < zinc_pieces_window() for `merge`. */
typedef struct zinc_pieces_job {
	int threads;
	const zinc_call_options *call; /* units of progress are pieces */
	const zinc_wait *wait;
	zinc_status (*work)(void *arg, const zinc_piece *piece, size_t slot, int worker, zinc_error *err);
	void (*merge)(void *arg, size_t slot);
	void *arg;
} zinc_pieces_job;

size_t zinc_pieces_window(int threads);
zinc_status zinc_pieces_run(const zinc_pieces *p, const zinc_pieces_job *job, zinc_error *err);

/* ---- sums of numbers (stats_sum.c) ---- */

/* The three wide types of numbers. */
typedef enum zinc_wide_type { ZINC_WIDE_SIGNED, ZINC_WIDE_UNSIGNED, ZINC_WIDE_FLOAT } zinc_wide_type;

typedef struct zinc_histogram {
	int exponent;   /* bins are 2^exponent wide */
	uint64_t first; /* number of bin 0, which begins at first * 2^exponent; signed except for unsigned numbers */
	int n;          /* bins in use */
	uint64_t count[ZINC_STATS_BINS];
} zinc_histogram;

typedef struct zinc_sums {
	uint64_t n;                /* number of finite ones */
	uint64_t nan, plus, minus; /* NaN, and infinities of either sign */
	zinc_number min, max;      /* of the finite ones */
	uint64_t low;              /* exact sum of integers, two's complement */
	int64_t high;
	double mean, mean_low; /* mean + mean_low has twice the digits */
	double squares;        /* of the differences from it, each divided by 2^scale */
	int scale;
	zinc_histogram bins;
} zinc_sums;

/* Add n numbers; the float version overwrites v. */
void zinc_sums_add_signed(zinc_sums *s, const int64_t *v, size_t n);
void zinc_sums_add_unsigned(zinc_sums *s, const uint64_t *v, size_t n);
void zinc_sums_add_float(zinc_sums *s, double *v, size_t n);
void zinc_sums_merge(zinc_sums *to, const zinc_sums *from, zinc_wide_type type);
/* Multiply the sums of at most one number by n, as if it had been added n times. */
void zinc_sums_times(zinc_sums *s, uint64_t n);
/* The mean; for integers, of their exact sum. */
double zinc_sums_mean(const zinc_sums *s, zinc_wide_type type);
/* The standard deviation of at least one number. */
double zinc_sums_deviation(const zinc_sums *s);
/* The exact sum of integers as decimal digits. */
void zinc_sums_print(const zinc_sums *s, char out[48]);

/* The valid ranges of numbers in options. */
extern const zinc_options_kind zinc_validate_options_kind, zinc_copy_options_kind, zinc_stats_options_kind,
    zinc_diff_options_kind;

#endif
