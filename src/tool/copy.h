/*
 * copy.h - inside of the room `tool`: a copy of nodes, its plan and its journal
 *
 *   copy_tree.c       the order of the work, the functions of <zinc/tool.h>
 *   copy_plan.c       decides how each node is copied
 *   copy_nodes.c      finds the nodes and their new paths
 *   copy_match.c      which nodes are copied, and options of single arrays
 *   copy_select.c     the part of each array that is copied
 *   copy_meta.c       translates the metadata of a node
 *   copy_compare.c    finds what the translation lost or replaced
 *   copy_missing.c    keeps what masks missing values, which versions store differently
 *   copy_fit.c        changes metadata so that the target can hold it
 *   copy_layout.c     other chunks, shards, codecs, types, selections
 *   copy_keys.c       every key of the source: objects of arrays, documents, foreign ones
 *   copy_raw.c        objects and foreign keys as they are stored
 *   copy_trial.c      checks the source before an old target is erased
 *   copy_boxes.c      the boxes in which an array is copied, within a memory limit
 *   copy_sparse.c     the boxes that are not empty, if little is stored
 *   copy_elements.c   copies and compares one box
 *   copy_journal.c    records what is done, so that a copy can be resumed
 *   copy_parts.c      one copy by several processes
 *   copy_documents.c  metadata, last
 */
#ifndef ZINC_TOOL_COPY_H
#define ZINC_TOOL_COPY_H

#include "tool/tool.h"

#define ZINC_CP_ENTRY "zarr.json" /* of a draft's hierarchy */

/* How an array's objects are copied. */
typedef enum zinc_cp_way { ZINC_CP_RAW, ZINC_CP_BOXES } zinc_cp_way;

/* Is the target's fill value null, so that it masks nothing? */
typedef enum zinc_cp_null {
	ZINC_CP_FILLED,         /* no */
	ZINC_CP_NULL_KEPT,      /* yes, as in the source */
	ZINC_CP_NULL_PLAIN,     /* if every object is stored */
	ZINC_CP_NULL_ATTRIBUTE, /* the same, and an attribute masks */
	ZINC_CP_NULL            /* yes */
} zinc_cp_null;

/* Options of one array. */
typedef struct zinc_cp_wish {
	const uint64_t *chunks, *shards; /* of the array's rank after the selection */
	bool auto_chunks, auto_shards;
	const char *chunk_edges, *shard_edges; /* the same, as JSON */
	const char *codecs, *dtype;
} zinc_cp_wish;

/* A zinc_copy_choice: the parsed shape, and what was found. */
typedef struct zinc_cp_choice {
	uint64_t shape[ZINC_MAX_NDIM];
	int ndim;
	bool is_auto, is_edges;
	bool met, fits; /* an array matches; one of the same rank */
} zinc_cp_choice;

typedef struct zinc_cp_node {
	char *from, *to; /* paths */
	zinc_node_kind kind;
	bool implicit;
	bool changed;  /* its document is written again; otherwise it is copied byte for byte */
	bool left_out; /* the target cannot hold it, or it is outside */
	bool excluded; /* by a pattern: nothing of it is read */
	bool included; /* by a pattern, or as a coordinate */
	bool looked;   /* its coordinates are included */
	bool outside;  /* not wanted */
	bool copies;   /* it has consolidated metadata */
	zinc_cp_null null_fill;
	zinc_meta *source, *target;
	/* arrays */
	zinc_array *in, *out;
	zinc_array *trial;      /* like out, but discards what is written; NULL: not used */
	zinc_selection *select; /* NULL: everything */
	zinc_cp_wish wish;
	zinc_cp_way way;
	char *data;        /* prefix of its objects */
	size_t ndata;      /* its length */
	uint64_t *objects; /* for each its index in the grid, then its size; in C order: zinc_cp_object */
	size_t nobjects, room;
	uint64_t batch;  /* of raw objects: the last one used */
	size_t batch_at; /* and its first object */
	bool sparse;     /* only the boxes with stored elements are copied: */
	uint64_t *boxes; /* the index of each, in C order */
	size_t nboxes, boxes_room;
	size_t nmet;         /* stored objects that contain selected elements */
	uint64_t first_step; /* in the whole copy */
	uint64_t steps;
	uint64_t units; /* objects to be written, including temporary ones */
} zinc_cp_node;

/* A running copy. */
typedef struct zinc_cp {
	zinc_context *ctx;
	zinc_copy_options o;
	zinc_call_options call;
	zinc_wait wait;
	zinc_copy_counts n;
	zinc_hierarchy *from, *to;
	zinc_hierarchy *old; /* the old target in another format; NULL: none */
	char *from_path, *to_path;
	char *above;     /* the deepest group above the target that existed before; NULL: resuming */
	uint64_t memory; /* for elements and objects */
	int threads;
	bool resuming;
	bool walked;          /* the walk over the source has read its documents */
	bool unlisted;        /* the source cannot list: any object of a grid may exist or not */
	bool verifying;       /* a box is compared, so it is in memory twice */
	bool any_changed;     /* a node has changed: write consolidated metadata again */
	zinc_store *drafts;   /* documents, in memory until they are put */
	zinc_hierarchy *made; /* that hierarchy with the documents of all changed nodes; NULL: not yet */
	zinc_cp_node *nodes;  /* parents first */
	size_t nnodes, room;
	bool *hits;                 /* of patterns to include and exclude: something matches */
	zinc_cp_choice *choices;    /* for each of the options' */
	size_t fitting;             /* arrays with the rank of the options' chunks, shards or edges */
	int chunk_rank, shard_rank; /* of the options' edges */
	size_t *arrays;             /* indices of nodes, sorted by `data` */
	size_t narrays;
	zinc_buf foreign;   /* keys: from, NUL, to, NUL */
	zinc_buf documents; /* the same for documents that are copied byte for byte */
	size_t nforeign;
	uint64_t foreign_largest;  /* bytes */
	size_t foreign_largest_at; /* where its key is */
	uint64_t foreign_steps;
	uint64_t state;        /* a fingerprint of the source */
	zinc_buf options;      /* as in the journal: JSON */
	zinc_buf journal_key;  /* with its NUL */
	zinc_buf middle;       /* prefix of the temporary array, with its NUL */
	uint64_t steps;        /* of all arrays */
	uint64_t done;         /* of the steps of this part */
	uint64_t part, nparts; /* from 0; 0 of 1 if the copy is not divided */
	zinc_buf part_key;     /* of the part's journal, with its NUL */
	zinc_tag part_tag;     /* of that journal; n == 0: not put yet */
	bool joining;          /* another part has begun the copy */
	bool complete;         /* the part has nothing left to do */
	bool ending;           /* all parts were complete before this one began */
	uint64_t plan;         /* a fingerprint of all steps */
	uint64_t journal_steps;
	char journal_plan[17]; /* as in the journal */
	uint64_t units, units_done;
	uint64_t look_until; /* units_done after the array being checked */
	double saved;        /* time of the last put of the journal */
	uint64_t saved_bytes;
	zinc_buf tags;  /* of the source's keys, as words, if an old target will be erased */
	zinc_buf lost;  /* what the target cannot hold, for the error */
	void *block[2]; /* elements of a box */
	uint64_t nblock[2];
	zinc_arena *arena;
} zinc_cp;

/* ---- copy_nodes.c ---- */

zinc_status zinc_cp_find_nodes(zinc_cp *c, zinc_error *err);
void zinc_cp_free_nodes(zinc_cp *c);
/* Does the group have usable consolidated metadata?  In drafts, no. */
zinc_status zinc_cp_has_copies(zinc_hierarchy *h, const char *path, const zinc_meta *group, bool *has, zinc_error *err);
/* Fail before the copy starts if something is hidden, unless it may be skipped. */
zinc_status zinc_cp_check_hidden(zinc_cp *c, zinc_error *err);
/* Report to the caller and count; LOST is also kept for the error.  E_CANCELLED. */
zinc_status zinc_cp_note(zinc_cp *c, zinc_copy_kind kind, const char *path, zinc_error *err, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));

/* The node with this path in the source; NULL: none.  (copy_keys.c) */
zinc_cp_node *zinc_cp_find_node(const zinc_cp *c, const char *path);

/* ---- copy_match.c ---- */

/* Does the pattern match the path, which does not begin with '/', or one above it? */
bool zinc_cp_match(const char *pattern, const char *path);
/* Check patterns and options of single arrays. */
zinc_status zinc_cp_patterns_init(zinc_cp *c, zinc_error *err);
/* Is this path of the source excluded by a pattern? */
bool zinc_cp_excludes(const zinc_cp *c, const char *path);
/* Is a key that belongs to no node copied?  `path` as if it were one. */
bool zinc_cp_takes_key(const zinc_cp *c, const char *path);
/* Set `outside` of all nodes. */
zinc_status zinc_cp_choose_nodes(zinc_cp *c, zinc_error *err);
/* Set `wish` of all arrays, after their selections. */
zinc_status zinc_cp_choose_options(zinc_cp *c, zinc_error *err);

/* ---- copy_select.c ---- */

/* Set `select` of all arrays. */
zinc_status zinc_cp_select_all(zinc_cp *c, zinc_error *err);
/* Add the selection to the fingerprint of the plan. */
void zinc_cp_select_hash(zinc_cp *c, const zinc_cp_node *n);

/* ---- copy_plan.c ---- */

/* Translate the metadata of all nodes.  E_INVALID naming what the target cannot hold, unless lossy. */
zinc_status zinc_cp_translate_all(zinc_cp *c, zinc_error *err);
/* Is a whole hierarchy copied to a whole hierarchy of the same format, so that a draft's entry point is copied too? */
bool zinc_cp_same_entry(const zinc_cp *c);
/* Set ways, steps and units of all nodes, after objects are known. */
zinc_status zinc_cp_plan_all(zinc_cp *c, zinc_error *err);

/* ---- copy_meta.c ---- */

/* Sets target, changed, left_out; reports what is replaced and lost. */
zinc_status zinc_cp_translate(zinc_cp *c, zinc_cp_node *n, zinc_error *err);
/* The translation of one node's metadata. */
typedef struct zinc_cp_translation {
	zinc_cp *c;
	zinc_cp_node *n;
	zinc_json_doc *given;  /* the source in the final version's vocabulary, all members present */
	zinc_json_doc *own;    /* the same as the source's format would write it; NULL: it would not */
	zinc_json_doc *wanted; /* after the changes by the options */
	zinc_buf changes;      /* zinc_cp_change: what was changed so that the target can hold it */
	size_t nmembers;       /* the first of those: lost members */
	zinc_meta *target;
	zinc_error *err;
} zinc_cp_translation;

typedef struct zinc_cp_change {
	zinc_copy_kind kind;
	char what[160];
} zinc_cp_change;

/* Members of a v3 document as the objects print them, without aliases, bare names and old spellings. */
zinc_status zinc_cp_spell_out(zinc_json_doc *doc, const zinc_meta *m, zinc_error *err);
/* Replace the codec n5 of a document by the chain in it. */
zinc_status zinc_cp_open_blocks(zinc_json_doc *doc, zinc_error *err);

/* ---- copy_compare.c ---- */

/* Report what the target has lost and replaced. */
zinc_status zinc_cp_compare(zinc_cp_translation *t);
/* Are the stored objects of one valid objects of the other, byte for byte? */
bool zinc_cp_same_objects(const zinc_meta *a, const zinc_meta *b);

/* ---- copy_missing.c ---- */

/* Change t->wanted so that readers of the target mask the same values as readers of the source. */
zinc_status zinc_cp_missing(zinc_cp_translation *t);
/* After objects are known: decide which targets have no fill value. */
zinc_status zinc_cp_decide_missing(zinc_cp *c, zinc_error *err);

/* ---- copy_layout.c ---- */

/* Do the options change this array? */
bool zinc_cp_options_change(const zinc_cp *c, const zinc_cp_node *n);
/* Change the document (v3 vocabulary, all members present) by the options. */
zinc_status zinc_cp_apply(zinc_cp *c, zinc_cp_node *n, zinc_json_doc *doc, zinc_error *err);
/* The source's fill value in another type; `arena` is for texts.  Any error except E_NOMEM: it does not convert. */
zinc_status zinc_cp_cast_fill(const zinc_cp *c, const zinc_meta *from, const zinc_dtype *to, void *out,
			      zinc_arena *arena, zinc_error *err);
/* Remove shards: chunks get the inner shape.  False: there are none, or no memory. */
bool zinc_cp_drop_shards(zinc_json_doc *doc);
/* Remove crc32c after the compressor of the chunks, or of a shard's inner chunks.  False: there is none, or no
 * memory. */
bool zinc_cp_drop_crc32c(zinc_json_doc *doc);

/* ---- copy_fit.c ---- */

/* Change t->wanted so that the target can hold it, as far as possible: t->changes. */
zinc_status zinc_cp_fit(zinc_cp_translation *t);

/* ---- copy_keys.c ---- */

/* For a sink of requests that ask about keys only and get no bytes. */
zinc_room zinc_cp_no_room(void *arg, size_t i, uint64_t nbytes, void **buf);
/* List the source once: objects of arrays, foreign keys, documents, the fingerprint. */
zinc_status zinc_cp_list(zinc_cp *c, zinc_error *err);
/* The index of a stored object in the grid of its array, followed by its size. */
static inline const uint64_t *
zinc_cp_object(const zinc_cp_node *n, size_t i)
{
	return n->objects + i * ((size_t)n->source->ndim + 1);
}

static inline uint64_t
zinc_cp_object_bytes(const zinc_cp_node *n, size_t i)
{
	return zinc_cp_object(n, i)[n->source->ndim];
}

/* Compare lists of numbers, the first number first: for qsort_r, with their count. */
int zinc_cp_by_index(const void *a, const void *b, void *count);
/* Add bytes to a fingerprint; NULL: no bytes. */
uint64_t zinc_cp_hash(uint64_t before, const void *bytes, size_t n);
/* The first key after the one at `key`; NULL at the end. */
const char *zinc_cp_next(const zinc_buf *keys, const char *key);

/* ---- copy_raw.c ---- */

zinc_status zinc_cp_raw_plan(zinc_cp *c, zinc_error *err);
zinc_status zinc_cp_raw_step(zinc_cp *c, zinc_cp_node *n, uint64_t step, zinc_error *err);
zinc_status zinc_cp_foreign_step(zinc_cp *c, uint64_t step, zinc_error *err);
zinc_status zinc_cp_raw_verify(zinc_cp *c, zinc_cp_node *n, zinc_error *err);
/* Can all objects of the array, or all foreign keys, be opened? */
zinc_status zinc_cp_raw_trial(zinc_cp *c, zinc_cp_node *n, zinc_error *err);
zinc_status zinc_cp_foreign_trial(zinc_cp *c, zinc_error *err);

/* ---- copy_boxes.c ---- */

/* An array cut into boxes, each a union of whole objects of a grid. */
typedef struct zinc_boxes {
	const zinc_grid *grid;
	int ndim;
	uint64_t shape[ZINC_MAX_NDIM];
	uint64_t per[ZINC_MAX_NDIM];   /* objects per box */
	uint64_t count[ZINC_MAX_NDIM]; /* number of boxes */
	uint64_t n;
} zinc_boxes;

typedef struct zinc_cp_plan {
	int threads;
	uint64_t memory;                /* the memory it needs */
	zinc_boxes boxes;               /* boxes of the target's objects */
	bool two_passes;                /* through a temporary array: */
	uint64_t middle[ZINC_MAX_NDIM]; /* its chunks */
	zinc_grid middle_grid;
	zinc_boxes first;           /* boxes of the temporary array's chunks */
	double reads, middle_reads; /* average reads of each object of the source, of the temporary array */
	uint64_t read_units;        /* objects (or inner chunks) of the source */
} zinc_cp_plan;

zinc_status zinc_cp_boxes_plan(zinc_cp *c, const zinc_cp_node *n, zinc_cp_plan *p, zinc_error *err);
/* The box as a range of elements; returns the number of its objects. */
uint64_t zinc_boxes_get(const zinc_boxes *b, const uint64_t *at, uint64_t *start, uint64_t *count);
/* The index of box number i, in C order. */
void zinc_boxes_index(const zinc_boxes *b, uint64_t i, uint64_t *at);

/* ---- copy_sparse.c ---- */

/* Is little of the source stored, and is the rest the target's fill value?  Sets n->sparse. */
zinc_status zinc_cp_sparse_ask(zinc_cp *c, zinc_cp_node *n, zinc_error *err);
/* Find the boxes with stored elements of a sparse source.  E_LIMIT if there are too many, sparse or not. */
zinc_status zinc_cp_boxes_find(zinc_cp *c, zinc_cp_node *n, const zinc_cp_plan *p, zinc_error *err);
/* The index of the i-th box to copy. */
void zinc_cp_box(const zinc_cp_node *n, const zinc_boxes *b, uint64_t i, uint64_t *at);

/* ---- copy_elements.c ---- */

zinc_status zinc_cp_box_step(zinc_cp *c, zinc_cp_node *n, const zinc_cp_plan *p, uint64_t step, zinc_error *err);
/* Are n elements the same, bit for bit? */
bool zinc_cp_same_elements(const zinc_dtype *t, const void *a, const void *b, size_t n);
zinc_status zinc_cp_box_verify(zinc_cp *c, zinc_cp_node *n, const zinc_cp_plan *p, zinc_error *err);
/* Read and convert all elements; encode those of the first box, or with `encode` all, for n->trial. */
zinc_status zinc_cp_boxes_trial(zinc_cp *c, zinc_cp_node *n, const zinc_cp_plan *p, bool encode, zinc_error *err);
/* Erase the temporary array of two passes, if it exists. */
zinc_status zinc_cp_temporary_erase(zinc_cp *c, zinc_error *err);

/* ---- copy_journal.c ---- */

/* Make the options as JSON, and the keys of the journal and of the temporary array. */
zinc_status zinc_cp_journal_init(zinc_cp *c, zinc_error *err);
/* Find a journal: *found; with resume it must match (E_CONFLICT) and sets c->done. */
zinc_status zinc_cp_journal_read(zinc_cp *c, bool *found, zinc_error *err);
/* Does the journal match the plan that was made after reading it? */
bool zinc_cp_journal_fits(const zinc_cp *c);
zinc_status zinc_cp_journal_begin(zinc_cp *c, zinc_error *err);
/* Put it again if enough was done since the last time, or `now`. */
zinc_status zinc_cp_journal_save(zinc_cp *c, bool now, zinc_error *err);
zinc_status zinc_cp_journal_end(zinc_cp *c, zinc_error *err);

/* A journal; `more` is the name of one more member, NULL: none. */
zinc_status zinc_cp_journal_print(const zinc_cp *c, const char *more, uint64_t number, zinc_buf *out, zinc_error *err);
/* Read one: it must be of the same source and options (E_CONFLICT); sets `done`, and what zinc_cp_journal_fits compares. */
zinc_status zinc_cp_journal_parse(zinc_cp *c, const zinc_blob *text, zinc_json_doc **out, zinc_error *err);

/* ---- copy_parts.c ---- */

/* Set part and nparts.  E_INVALID; E_UNSUPPORTED if the store cannot. */
zinc_status zinc_cp_parts_check(zinc_cp *c, zinc_error *err);
bool zinc_cp_divided(const zinc_cp *c);
/* May this part erase a copy that it cannot join? */
bool zinc_cp_part_erases(const zinc_cp *c);
/* Does the step belong to this part?  And must it be done? */
bool zinc_cp_mine(const zinc_cp *c, uint64_t step);
bool zinc_cp_due(const zinc_cp *c, uint64_t step);
/* The number of the part's own steps among the first `steps`. */
uint64_t zinc_cp_share(const zinc_cp *c, uint64_t steps);
/* For a dry run: what this part would do. */
zinc_status zinc_cp_part_note(zinc_cp *c, zinc_error *err);
/* Begin or continue the part, after the copy has a journal. */
zinc_status zinc_cp_part_begin(zinc_cp *c, zinc_error *err);
zinc_status zinc_cp_part_save(zinc_cp *c, zinc_error *err);
/* After all steps and verification: end the copy, if this was the last part. */
zinc_status zinc_cp_part_end(zinc_cp *c, zinc_error *err);

/* ---- copy_documents.c ---- */

zinc_status zinc_cp_documents(zinc_cp *c, zinc_error *err);
/* Does the target's format accept all documents that are written again, next to each other?  They are kept for
 * zinc_cp_documents. */
zinc_status zinc_cp_documents_check(zinc_cp *c, zinc_error *err);
void zinc_cp_documents_fini(zinc_cp *c);

/* ---- copy_shared.c ---- */

/* Do the store's tags distinguish files of one machine?  A server may derive tags from the value alone. */
bool zinc_cp_has_tags(const zinc_hierarchy *h);
/* Note the tag of a key of the source, for the check; not thread-safe. */
zinc_status zinc_cp_note_tag(zinc_cp *c, const zinc_tag *tag, zinc_error *err);
/* E_INVALID if erasing the old target would erase something of the source. */
zinc_status zinc_cp_check_shared(zinc_cp *c, zinc_error *err);

/* ---- copy_trial.c ---- */

/* Fail as the copy would, as far as possible, and write nothing. */
zinc_status zinc_cp_trial(zinc_cp *c, zinc_error *err);
/* Report progress after a part has been checked.  E_CANCELLED. */
zinc_status zinc_cp_trial_progress(zinc_cp *c, uint64_t units, zinc_error *err);

/* Report progress after a step.  E_CANCELLED. */
zinc_status zinc_cp_progress(zinc_cp *c, uint64_t units, uint64_t bytes, zinc_error *err);

#endif
