/* tree.h - what the files of zinc tree share */
#ifndef ZINC_CLI_TREE_H
#define ZINC_CLI_TREE_H

#include "cli.h"

/* The dimensions of an array, or all of a group; sizes that differ are all there. */
struct dims {
	struct dim {
		char *name;
		uint64_t size;
		char *in; /* of a group: the first array that has it */
	} * at;
	size_t n;
};

/* A node to print.  Its branch depends on whether a sibling follows, so nodes are collected first. */
struct leaf {
	int depth;
	bool last; /* among its siblings */
	bool group;
	char *name, *path, *line;
	char *attributes; /* with --attrs: JSON */
	struct dims dims; /* with --attrs: those of an array that have names */
};

struct tree {
	struct run *run;
	const char *url;
	zinc_hierarchy *h;
	struct leaf *leaves;
	size_t n;
	struct json json;
	int depth; /* of the node last written to `json`, -1 at first */
	struct open_group {
		bool group;
		struct dims dims;
	} * open; /* with --attrs and --json: of each depth */
	size_t nopen;
	struct text last; /* path of the previous node */
	struct sizes sizes;
	int status;
};

/* ---- tree_header.c ---- */

/* The named dimensions of an array; NULL: none. */
void dims_take(struct dims *d, const zinc_array_info *a);
/* Add those of the array `name` that are not there. */
void dims_add(struct dims *d, const struct dims *from, const char *name);
/* The members "dimensions", and "conflicts" if a name has several sizes. */
void dims_json(struct json *j, const struct dims *d);
void dims_free(struct dims *d);
void print_header(struct tree *t);

#endif
