/*
 * copy.h - inside of the room `tool`: a copy of nodes, its plan and its journal
 *
 *   copy_tree.c       the order of the work, the calls of <zinc/tool.h>
 *   copy_plan.c       what is going to be done about each node
 *   copy_nodes.c      which nodes there are, and where they go
 *   copy_meta.c       what the target makes of a node's metadata
 *   copy_compare.c    what of it is lost, what replaced
 *   copy_missing.c    what masks missing values, where versions say it in different ways
 *   copy_fit.c        what is changed about metadata so that the target can hold it
 *   copy_layout.c     other chunks, shards, codecs, types, selections
 *   copy_keys.c       every key of the source: objects of arrays, documents, foreign ones
 *   copy_raw.c        objects and foreign keys as they are stored
 *   copy_look.c       going over the source before an old target is erased
 *   copy_boxes.c      which boxes an array is moved in, within a limit of memory
 *   copy_sparse.c     which of them have something in them, where little is stored
 *   copy_elements.c   moving and comparing one box
 *   copy_journal.c    what is done, for those who must go on
 *   copy_documents.c  metadata, last
 */
#ifndef ZINC_TOOL_COPY_H
#define ZINC_TOOL_COPY_H

#include "tool/tool.h"

#define ZINC_CP_ENTRY "zarr.json" /* of a draft's hierarchy */

/* How an array's objects come to the target. */
typedef enum zinc_cp_way { ZINC_CP_RAW, ZINC_CP_BOXES } zinc_cp_way;

/* Shall the target's document have null for a fill value, so that nothing is masked by it? */
typedef enum zinc_cp_null {
	ZINC_CP_FILLED,         /* no */
	ZINC_CP_NULL_KEPT,      /* yes, as the source's */
	ZINC_CP_NULL_PLAIN,     /* if every object is stored */
	ZINC_CP_NULL_ATTRIBUTE, /* the same, and an attribute masks */
	ZINC_CP_NULL            /* yes */
} zinc_cp_null;

typedef struct zinc_cp_node {
	char *from, *to; /* paths */
	zinc_node_kind kind;
	bool implicit;
	bool changed;  /* its document is made anew; else it is copied byte for byte */
	bool left_out; /* the target cannot have it */
	bool copies;   /* it has consolidated metadata */
	zinc_cp_null null_fill;
	zinc_meta *source, *target;
	/* arrays */
	zinc_array *in, *out;
	zinc_array *trial;      /* like out, but nothing is kept; NULL: nobody is looking */
	zinc_selection *select; /* NULL: everything */
	zinc_cp_way way;
	char *data;        /* prefix of its objects */
	size_t ndata;      /* its length */
	uint64_t *objects; /* of each its index in the grid, then its size; in C order: zinc_cp_object */
	size_t nobjects, room;
	uint64_t batch;  /* of raw objects, looked at last */
	size_t batch_at; /* and its first object */
	bool sparse;     /* of its boxes only those are moved in which the source has something: */
	uint64_t *boxes; /* the index of each, in C order */
	size_t nboxes, boxes_room;
	size_t nmet; /* stored objects in which something is selected */
	uint64_t steps;
	uint64_t units; /* objects to be written, the temporary ones too */
} zinc_cp_node;

/* A copy under way. */
typedef struct zinc_cp {
	zinc_context *ctx;
	zinc_copy_options o;
	zinc_call_options call;
	zinc_wait wait;
	zinc_copy_counts n;
	zinc_hierarchy *from, *to;
	zinc_hierarchy *old; /* what is at the target in another format; NULL: nothing */
	char *from_path, *to_path;
	char *above;     /* the deepest group above the target that was there before; NULL: resuming */
	uint64_t memory; /* for elements and objects */
	int threads;
	bool resuming;
	bool walked;          /* the walk over the source has read its documents */
	bool unlisted;        /* the source cannot list: every object of a grid may be there or not */
	bool verifying;       /* a box is compared: it is there twice */
	bool any_changed;     /* of the nodes: consolidated metadata is made anew */
	zinc_store *drafts;   /* documents, until they are put: memory */
	zinc_hierarchy *made; /* that hierarchy, once the documents of all nodes that change are in it; NULL: not yet */
	zinc_cp_node *nodes;  /* parents first */
	size_t nnodes, room;
	size_t *arrays; /* numbers of nodes, in order of `data` */
	size_t narrays;
	zinc_buf foreign;   /* keys: from, NUL, to, NUL */
	zinc_buf documents; /* the same of documents that are copied byte for byte */
	size_t nforeign;
	uint64_t foreign_largest;  /* bytes */
	size_t foreign_largest_at; /* where its key is */
	uint64_t foreign_steps;
	uint64_t state;       /* a fingerprint of the source */
	zinc_buf options;     /* as the journal has them: JSON */
	zinc_buf journal_key; /* with its NUL */
	zinc_buf middle;      /* prefix of the temporary array, with its NUL */
	uint64_t steps, done; /* of all arrays */
	uint64_t plan;        /* a fingerprint of what each step does */
	uint64_t journal_steps;
	char journal_plan[17]; /* as the journal has it */
	uint64_t units, units_done;
	uint64_t look_until; /* units_done when the array under the look is done */
	double saved;        /* when the journal was put last */
	uint64_t saved_bytes;
	zinc_buf tags;  /* of the source's keys, as words, when an old target is to be erased */
	zinc_buf lost;  /* what the target cannot hold, for the error */
	void *block[2]; /* elements of a box */
	uint64_t nblock[2];
	zinc_arena *arena;
} zinc_cp;

/* ---- copy_nodes.c ---- */

zinc_status zinc_cp_find_nodes(zinc_cp *c, zinc_error *err);
void zinc_cp_free_nodes(zinc_cp *c);
/* Has the group consolidated metadata that can be used?  Drafts say no. */
zinc_status zinc_cp_has_copies(zinc_hierarchy *h, const char *path, const zinc_meta *group, bool *has, zinc_error *err);
/* Anything hidden ends the copy before it starts, unless it may be left behind. */
zinc_status zinc_cp_check_hidden(zinc_cp *c, zinc_error *err);
/* Tell the caller, count it; LOST is remembered for the error.  E_CANCELLED. */
zinc_status zinc_cp_note(zinc_cp *c, zinc_copy_kind kind, const char *path, zinc_error *err, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));

/* ---- copy_plan.c ---- */

/* What the target makes of all nodes.  E_INVALID naming what it cannot hold, unless lossy. */
zinc_status zinc_cp_translate_all(zinc_cp *c, zinc_error *err);
/* Is the whole hierarchy copied to a whole one of the same format, so that a draft's entry point goes along? */
bool zinc_cp_same_entry(const zinc_cp *c);
/* Ways, steps and units of all nodes, once objects are known. */
zinc_status zinc_cp_plan_all(zinc_cp *c, zinc_error *err);

/* ---- copy_meta.c ---- */

/* Sets target, changed, left_out; notes what is replaced and lost. */
zinc_status zinc_cp_translate(zinc_cp *c, zinc_cp_node *n, zinc_error *err);
/* Metadata on its way. */
typedef struct zinc_cp_translation {
	zinc_cp *c;
	zinc_cp_node *n;
	zinc_json_doc *given;  /* what there is: the final version's vocabulary, all spelled out */
	zinc_json_doc *own;    /* the same as the source's format would write it; NULL: it would not */
	zinc_json_doc *wanted; /* what the options make of it */
	zinc_buf changes;      /* zinc_cp_change: what has been changed so that the target can hold it */
	size_t nmembers;       /* of those the first: members that are lost */
	zinc_meta *target;
	zinc_error *err;
} zinc_cp_translation;

typedef struct zinc_cp_change {
	zinc_copy_kind kind;
	char what[160];
} zinc_cp_change;

/* Members of a v3 document as the objects print them: aliases, bare names and old spellings are gone. */
zinc_status zinc_cp_spell_out(zinc_json_doc *doc, const zinc_meta *m, zinc_error *err);

/* ---- copy_compare.c ---- */

/* Note what the target has lost and replaced. */
zinc_status zinc_cp_compare(zinc_cp_translation *t);
/* Are stored objects of the one objects of the other, byte for byte? */
bool zinc_cp_same_objects(const zinc_meta *a, const zinc_meta *b);

/* ---- copy_missing.c ---- */

/* Let readers of the target mask what those of the source do: changes t->wanted. */
zinc_status zinc_cp_missing(zinc_cp_translation *t);
/* Once objects are known: which targets have no fill value. */
zinc_status zinc_cp_settle_missing(zinc_cp *c, zinc_error *err);

/* ---- copy_layout.c ---- */

/* Do the options ask for something about this array? */
bool zinc_cp_asked(const zinc_cp *c, const zinc_cp_node *n);
/* Change the document (v3 vocabulary, members spelled out) as the options ask. */
zinc_status zinc_cp_apply(zinc_cp *c, zinc_cp_node *n, zinc_json_doc *doc, zinc_error *err);
/* The source's fill value in another type; `arena` for texts.  An error but E_NOMEM: it has no counterpart. */
zinc_status zinc_cp_cast_fill(const zinc_cp *c, const zinc_meta *from, const zinc_dtype *to, void *out,
			      zinc_arena *arena, zinc_error *err);
/* The same array without shards: chunks of the inner shape.  False: it has none, or memory is out. */
bool zinc_cp_unshard(zinc_json_doc *doc);
/* The same array without crc32c behind the compressor of its chunks, or of a shard's inner ones.  False: it has none, or
 * memory is out. */
bool zinc_cp_unseal(zinc_json_doc *doc);

/* ---- copy_fit.c ---- */

/* Change t->wanted so that the target can hold it, as far as anything helps: t->changes. */
zinc_status zinc_cp_fit(zinc_cp_translation *t);

/* ---- copy_keys.c ---- */

/* For a sink of requests that ask about keys, and for no bytes. */
zinc_room zinc_cp_no_room(void *arg, size_t i, uint64_t nbytes, void **buf);
/* One listing of the source: objects of arrays, foreign keys, documents, the fingerprint. */
zinc_status zinc_cp_list(zinc_cp *c, zinc_error *err);
/* The index of a stored object in the grid of its array; its size follows. */
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

/* Numbers in order, the first counts most: for qsort_r, with the number of them. */
int zinc_cp_by_index(const void *a, const void *b, void *count);
/* A fingerprint of more bytes; NULL is none. */
uint64_t zinc_cp_hash(uint64_t before, const void *bytes, size_t n);
/* The first key behind the one at `key`; NULL at the end. */
const char *zinc_cp_next(const zinc_buf *keys, const char *key);

/* ---- copy_raw.c ---- */

zinc_status zinc_cp_raw_plan(zinc_cp *c, zinc_error *err);
zinc_status zinc_cp_raw_step(zinc_cp *c, zinc_cp_node *n, uint64_t step, zinc_error *err);
zinc_status zinc_cp_foreign_step(zinc_cp *c, uint64_t step, zinc_error *err);
zinc_status zinc_cp_raw_verify(zinc_cp *c, zinc_cp_node *n, zinc_error *err);
/* Can all objects of the array, or all foreign keys, be opened? */
zinc_status zinc_cp_raw_look(zinc_cp *c, zinc_cp_node *n, zinc_error *err);
zinc_status zinc_cp_foreign_look(zinc_cp *c, zinc_error *err);

/* ---- copy_boxes.c ---- */

/* An array cut into boxes, each a union of whole objects of a grid. */
typedef struct zinc_boxes {
	const zinc_grid *grid;
	int ndim;
	uint64_t shape[ZINC_MAX_NDIM];
	uint64_t per[ZINC_MAX_NDIM];   /* objects along a box */
	uint64_t count[ZINC_MAX_NDIM]; /* boxes */
	uint64_t n;
} zinc_boxes;

typedef struct zinc_cp_plan {
	int threads;
	uint64_t memory;                /* that it needs */
	zinc_boxes boxes;               /* of the target's objects */
	bool two_passes;                /* through a temporary array: */
	uint64_t middle[ZINC_MAX_NDIM]; /* its chunks */
	zinc_grid middle_grid;
	zinc_boxes first;           /* of the temporary array's chunks */
	double reads, middle_reads; /* of each object of the source, of the temporary array, on average */
	uint64_t read_units;        /* objects (or inner chunks) of the source */
} zinc_cp_plan;

zinc_status zinc_cp_boxes_plan(zinc_cp *c, const zinc_cp_node *n, zinc_cp_plan *p, zinc_error *err);
/* The box as a range of elements; returns the number of objects in it. */
uint64_t zinc_boxes_get(const zinc_boxes *b, const uint64_t *at, uint64_t *start, uint64_t *count);
/* The index of box number i, in C order. */
void zinc_boxes_index(const zinc_boxes *b, uint64_t i, uint64_t *at);

/* ---- copy_sparse.c ---- */

/* Is little of the source stored, and the rest the target's fill value without being written?  n->sparse. */
zinc_status zinc_cp_sparse_ask(zinc_cp *c, zinc_cp_node *n, zinc_error *err);
/* Find the boxes in which a sparse source has something.  E_LIMIT when there are too many, sparse or not. */
zinc_status zinc_cp_boxes_find(zinc_cp *c, zinc_cp_node *n, const zinc_cp_plan *p, zinc_error *err);
/* Index of the box that is moved i-th. */
void zinc_cp_box(const zinc_cp_node *n, const zinc_boxes *b, uint64_t i, uint64_t *at);

/* ---- copy_elements.c ---- */

zinc_status zinc_cp_box_step(zinc_cp *c, zinc_cp_node *n, const zinc_cp_plan *p, uint64_t step, zinc_error *err);
/* Are so many elements the same, bit for bit? */
bool zinc_cp_same_elements(const zinc_dtype *t, const void *a, const void *b, size_t n);
zinc_status zinc_cp_box_verify(zinc_cp *c, zinc_cp_node *n, const zinc_cp_plan *p, zinc_error *err);
/* Read and convert all elements; encode those of the first box, or with `encode` all, for n->trial. */
zinc_status zinc_cp_boxes_look(zinc_cp *c, zinc_cp_node *n, const zinc_cp_plan *p, bool encode, zinc_error *err);
/* Erase the temporary array of two passes, if there is one. */
zinc_status zinc_cp_middle_erase(zinc_cp *c, zinc_error *err);

/* ---- copy_journal.c ---- */

/* The options as JSON, the keys of the journal and of the temporary array. */
zinc_status zinc_cp_journal_init(zinc_cp *c, zinc_error *err);
/* Find a journal: *found; with resume it must fit (E_CONFLICT) and says c->done. */
zinc_status zinc_cp_journal_read(zinc_cp *c, bool *found, zinc_error *err);
/* Are its steps those of the plan that has been made since? */
bool zinc_cp_journal_fits(const zinc_cp *c);
zinc_status zinc_cp_journal_begin(zinc_cp *c, zinc_error *err);
/* Put it again if it is time, or `now`. */
zinc_status zinc_cp_journal_save(zinc_cp *c, bool now, zinc_error *err);
zinc_status zinc_cp_journal_end(zinc_cp *c, zinc_error *err);

/* ---- copy_documents.c ---- */

zinc_status zinc_cp_documents(zinc_cp *c, zinc_error *err);
/* Does the target's format take all documents that are made anew, each beside the others?  They stay for
 * zinc_cp_documents. */
zinc_status zinc_cp_documents_check(zinc_cp *c, zinc_error *err);
void zinc_cp_documents_fini(zinc_cp *c);

/* ---- copy_shared.c ---- */

/* Do tags of the store tell files of one machine apart?  Those of a server may be made from the value alone. */
bool zinc_cp_has_tags(const zinc_hierarchy *h);
/* The tag of a key of the source, for the check; not in several threads at once. */
zinc_status zinc_cp_note_tag(zinc_cp *c, const zinc_tag *tag, zinc_error *err);
/* E_INVALID when erasing the old target would erase something of the source. */
zinc_status zinc_cp_check_shared(zinc_cp *c, zinc_error *err);

/* ---- copy_look.c ---- */

/* Fail as the copy would, as far as can be known, and write nothing. */
zinc_status zinc_cp_look(zinc_cp *c, zinc_error *err);
/* A part has been looked at: progress.  E_CANCELLED. */
zinc_status zinc_cp_look_progress(zinc_cp *c, uint64_t units, zinc_error *err);

/* A step has been done: progress.  E_CANCELLED. */
zinc_status zinc_cp_progress(zinc_cp *c, uint64_t units, uint64_t bytes, zinc_error *err);

#endif
