/*
 * tool.h - door of the room `tool`: checking and looking
 *
 * The interface is <zinc/tool.h>; no room stands above this one.  Here is what the files of the validator share:
 *
 *   validate.c          the order of the work, findings
 *   validate_nodes.c    documents, names, the tree they make
 *   validate_copies.c   consolidated metadata against the documents
 *   validate_objects.c  stored objects, and keys that belong to nothing
 */
#ifndef ZINC_TOOL_ROOM_H
#define ZINC_TOOL_ROOM_H

#include <zinc/tool.h>

#include "node/node.h"

/* A document that was found.  Nodes are kept in order of their prefixes' bytes. */
typedef struct zinc_check_node {
	char *prefix;        /* below the root of the hierarchy: "" or "a/b/" */
	zinc_node_kind kind; /* NONE: its document cannot be used */
	bool copies;         /* it has consolidated metadata */
} zinc_check_node;

/* A validation under way. */
typedef struct zinc_check {
	zinc_context *ctx;
	zinc_hierarchy *h;
	zinc_validate_options o;
	int threads;
	zinc_finding_fn fn;
	void *arg;
	zinc_validate_counts n;
	bool stopped;      /* by fn */
	zinc_buf base;     /* prefix of the node asked about, below the root: "" or "a/b/" */
	zinc_check_node *nodes;
	size_t nnodes, room;
	uint64_t keys; /* that are no documents */
} zinc_check;

/* ---- findings ---- */

/* Findings of one job, kept until those of earlier jobs have been handed over. */
typedef struct zinc_kept {
	struct zinc_kept *next;
	zinc_finding f; /* its text follows the structure */
} zinc_kept;

typedef struct zinc_kept_list {
	zinc_context *ctx;
	zinc_kept *first, *last;
	bool lost; /* memory was out */
} zinc_kept_list;

void zinc_kept_add(zinc_kept_list *list, const zinc_finding *f); /* NULL text is empty text */
void zinc_kept_free(zinc_kept_list *list);
/* Count a finding and hand it over; NULL text is empty text. */
void zinc_check_found(zinc_check *c, const zinc_finding *f);
/* All findings of the list, which is emptied.  E_NOMEM when it had lost some. */
zinc_status zinc_check_hand_over(zinc_check *c, zinc_kept_list *list, zinc_error *err);
/* E_CANCELLED when the caller wants no more. */
zinc_status zinc_check_cancelled(zinc_check *c, zinc_error *err);
/* "... (rule M84)" or "... (rule M49, at /fill_value)" -> "M84" or "M49", and the text ends before it.  false: none. */
bool zinc_check_rule(char *text, char *rule, size_t cap);
/* What an error says about stored bytes, as a finding of `list`; `rule` "" takes the one that its text names. */
void zinc_kept_error(zinc_kept_list *list, const zinc_check *c, const zinc_error *e, const char *rule, const char *path,
		     const char *key);

/* ---- the parts ---- */

/* "a/b/" -> "/a/b"; "" -> "/".  n bytes of the prefix. */
zinc_status zinc_check_path(zinc_buf *out, const char *prefix, size_t n, zinc_error *err);
/* A key of the store -> the key below the hierarchy's root. */
const char *zinc_check_key(const zinc_check *c, const char *key);
/* Is there a name on the way that extensions have for themselves (M32)?  Nothing below it is a node or an object. */
bool zinc_check_reserved(const zinc_check *c, const char *key);
/* The node whose prefix is the first n bytes of `key`; NULL: none. */
const zinc_check_node *zinc_check_find(const zinc_check *c, const char *key, size_t n);
/* Call fn for all keys of the node asked about and below. */
zinc_status zinc_check_list(zinc_check *c, zinc_key_fn fn, void *arg, zinc_error *err);
zinc_status zinc_check_nodes(zinc_check *c, zinc_error *err);
zinc_status zinc_check_copies(zinc_check *c, zinc_error *err);
zinc_status zinc_check_objects(zinc_check *c, zinc_error *err);

#endif
