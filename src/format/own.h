/*
 * own.h - which keys below a node are its own, for the files of this room that erase
 */
#ifndef ZINC_OWN_H
#define ZINC_OWN_H

#include "format/format.h"

/* Number of foreign keys that a message names. */
#define ZINC_SURVEY_NAMED 3

/* What lies below a node. */
typedef struct zinc_survey {
	zinc_hierarchy *h;
	const char *path;
	zinc_node_kind kind; /* from the node's own document; NONE: it has none that can be used */
	bool implicit;       /* a group without a document */
	bool there;          /* it is a node: it has a document, or a node below has */
	uint64_t keys;       /* number of all keys */
	uint64_t nforeign;   /* number of foreign ones */
	zinc_buf foreign;    /* the first few, as text */
	zinc_buf documents;  /* keys for zinc_survey_documents, each with its NUL */
	zinc_buf base;       /* prefix of the node below the root: "" or "a/b/" */
	zinc_buf place, pool, owners;
	bool classifying;   /* the owners are known */
	zinc_status status; /* of the callback of a listing */
	zinc_error *err;
} zinc_survey;

/* List all keys of the node and below; with `classify`, find out which are own and which foreign.  E_UNSUPPORTED,
 * E_CORRUPT when that is not possible.  zinc_survey_fini must follow in any case. */
zinc_status zinc_survey_init(zinc_survey *s, zinc_hierarchy *h, const char *path, bool classify, zinc_error *err);
void zinc_survey_fini(zinc_survey *s);
/* The paths of the nodes found, parents first. */
zinc_status zinc_survey_each(const zinc_survey *s, zinc_status (*fn)(void *arg, const char *path, zinc_error *err),
			     void *arg, zinc_error *err);
/* Find the documents of the node and below that are its own, but not those behind a link, which is erased itself. */
zinc_status zinc_survey_documents(zinc_survey *s, zinc_error *err);
/* Erase one key, if it is there. */
zinc_status zinc_hierarchy_drop(zinc_hierarchy *h, zinc_buf *key, zinc_error *err);

#endif
