/*
 * convention.h - door of the room `convention`: Zarr conventions; the interface is <zinc/conventions.h>
 *
 *   declaration.c        zarr_conventions in all its shapes -> entries; rules C2 to C10
 *   declare.c            adding and removing entries
 *   convention_table.c   the built-in conventions, one row each
 *   convention_data.c    those that are data alone: identifiers and a schema
 *   convention_<name>.c  one convention with rules beyond its schema
 *   convention_schemas.c where schemas come from
 *   conventions.c        listing and checking
 *   convention_findings.c  findings of a check
 *   inherit.c            values by inheritance
 *   levels.c             levels of a multiscale group
 */
#ifndef ZINC_CONVENTION_H
#define ZINC_CONVENTION_H

#include <zinc/conventions.h>

#include "node/node.h"
#include "schema/schema.h"

#define ZINC_RAW    "https://raw.githubusercontent.com/"
#define ZINC_GITHUB "https://github.com/"
/* A list of URLs or names in a row, NULL-ended. */
#define ZINC_URLS(...) ((const char *const[]){__VA_ARGS__, NULL})

struct zinc_subject;

typedef enum zinc_inheritance {
	ZINC_INHERIT_NONE,
	ZINC_INHERIT_PARENT,  /* a group's value applies to the arrays directly in it */
	ZINC_INHERIT_ANCESTOR /* to everything below it */
} zinc_inheritance;

/* A convention that is built in. */
typedef struct zinc_convention_row {
	const char *name;
	const char *prefix;       /* prefix of its properties ("proj:"), or the one key that contains them */
	const char *const *names; /* further properties, NULL-ended; NULL: none */
	const char *uuid;
	const char *const *schemas; /* URLs, NULL-ended, the newest first; NULL: unpublished */
	const char *const *specs;
	const char *description;
	bool groups, arrays; /* what may declare it */
	zinc_inheritance inherit;
	const char *schema; /* of the attributes, JSON written with ' for quotes; NULL: none */
	/* Rules beyond the schema; called only if the schema holds.  Findings go to `r`.  E_IO, E_NOMEM ...; may be NULL. */
	zinc_status (*check)(const struct zinc_subject *s, zinc_report *r, zinc_error *err);
} zinc_convention_row;

/* One entry of a declaration; text is borrowed from the attributes, or static. */
typedef struct zinc_entry {
	zinc_convention c;
	const zinc_json *item;
	const zinc_convention_row *row; /* NULL: not built in */
	char pointer[64];
	char version[32];
} zinc_entry;

typedef struct zinc_declared {
	zinc_context *ctx;
	zinc_convention_shape shape; /* of the whole; NONE: missing */
	zinc_entry *entries;
	size_t n;
} zinc_declared;

/* A convention that is being checked. */
typedef struct zinc_subject {
	zinc_hierarchy *h;
	const char *path;
	const zinc_meta *meta;
	const zinc_json *attributes;
	const zinc_entry *entry;
	bool old; /* declared in a shape of 2025: LIST_2025_11 or older */
} zinc_subject;

/* ---- declaration.c ---- */

/* Does the node declare a Zarr convention, in whatever shape? */
bool zinc_declares(const zinc_json *attributes);
/* Read a declaration; broken rules go to `r`.  They are never a failure, because a malformed declaration must not prevent
 * reading.  Entries without identifier are left out.  Always free with zinc_declared_fini. */
zinc_status zinc_declared_parse(zinc_declared *out, zinc_context *ctx, const zinc_json *attributes, zinc_report *r,
				zinc_error *err);
void zinc_declared_fini(zinc_declared *d);
/* The entry with identifier `id`.  E_NOTFOUND, E_INVALID. */
zinc_status zinc_declared_find(const zinc_declared *d, const char *id, const zinc_entry **out, zinc_error *err);
bool zinc_is_uuid(const char *s);
bool zinc_is_url(const char *s);

/* ---- convention_table.c ---- */

const zinc_convention_row *zinc_convention_row_at(size_t i); /* NULL: no more */
/* By uuid, URL (any that it ever had), or, with `names`, its own name with or without colon. */
const zinc_convention_row *zinc_convention_find(const char *id, bool names);
/* Does an attribute belong to the convention? */
bool zinc_convention_owns(const zinc_convention_row *row, const char *key);

/* ---- convention_schemas.c ---- */

struct zinc_conventions {
	zinc_context *ctx;
	zinc_store *schemas, *cache; /* NULL: none */
	bool fetch, surveyed;
	const zinc_wait *wait;          /* of the running call */
	struct zinc_schema_name *names; /* of the files in `schemas` */
	struct zinc_shelved *shelf;     /* compiled schemas, and failures to get one */
};

/* The schema of an entry, built in or from elsewhere; NULL when there is none.  Then a warning is in `r`, unless the
 * convention is built in.  E_NOMEM. */
zinc_status zinc_conventions_schema(zinc_conventions *c, const zinc_entry *e, bool builtin, zinc_schema **out,
				    zinc_report *r, zinc_error *err);

/* ---- conventions.c ---- */

/* A node's document, read quietly. */
zinc_status zinc_node_read(zinc_hierarchy *h, const char *path, zinc_meta **out, zinc_error *err);
/* Does the node's declaration name the built-in convention? */
zinc_status zinc_node_declares(zinc_context *ctx, const zinc_meta *m, const zinc_convention_row *row, bool *yes,
			       zinc_error *err);
/* Name of dimension i of an array: dimension_names, or _ARRAY_DIMENSIONS; NULL: none. */
const char *zinc_dimension_name(const zinc_meta *m, int i);
/* "/a" and "b/c" -> "/a/b/c"; "." and ".." are followed, at most to the root.  E_INVALID beyond it. */
zinc_status zinc_path_join(zinc_buf *out, const char *base, const char *relative, zinc_error *err);

/* ---- convention_findings.c ---- */

typedef struct zinc_findings {
	zinc_context *ctx;
	const char *path;    /* of the node */
	zinc_finding *items; /* rules are static; pointer and message belong to the list */
	const zinc_finding **list;
	size_t n, room;
	unsigned more, errors; /* not kept; all errors */
	bool lost;             /* out of memory */
} zinc_findings;

/* A zinc_report's `found`, whose argument is the list. */
void zinc_findings_add(void *findings, zinc_severity severity, const char *rule, const char *pointer,
		       const char *message);
/* Add a finding with the number of those not kept. */
void zinc_findings_close(zinc_findings *f);
/* Pointers to all findings, because programs may know a shorter zinc_finding; valid until the list changes.  NULL: there
 * are none, or memory was out. */
const zinc_finding *const *zinc_findings_list(zinc_findings *f);
/* Move findings at or below `pointer` to another list. */
void zinc_findings_move(zinc_findings *to, zinc_findings *from, const char *pointer);
void zinc_findings_empty(zinc_findings *f);
void zinc_findings_fini(zinc_findings *f);

/* ---- levels.c ---- */

/* Check that the layout names existing children whose shapes match the transforms. */
zinc_status zinc_levels_check(const zinc_subject *s, zinc_report *r, zinc_error *err);
/* OME-Zarr below the key "ome", or at the root before 0.5; NULL: none. */
const zinc_json *zinc_ome_multiscales(const zinc_json *attributes);
zinc_status zinc_ome_check(const zinc_subject *s, zinc_report *r, zinc_error *err);

/* ---- convention_license.c ---- */

/* Follow `path` from the license of node `path`; `out` gets the license found and `at` its node.  E_CORRUPT for
 * a circle, E_NOTFOUND for a dead end. */
zinc_status zinc_license_follow(zinc_hierarchy *h, const char *path, const zinc_json *license, zinc_buf *at,
				zinc_meta **holder, const zinc_json **out, zinc_error *err);

extern const zinc_convention_row zinc_convention_multiscales, zinc_convention_proj, zinc_convention_spatial,
    zinc_convention_license, zinc_convention_uom, zinc_convention_dggs, zinc_convention_stac, zinc_convention_nzug,
    zinc_convention_missing_value, zinc_convention_template;

/* ---- convention_data.c ---- */

extern const zinc_convention_row zinc_convention_data[];
extern const size_t zinc_convention_data_count;

/* What the numbers in options may be. */
extern const zinc_options_kind zinc_conventions_options_kind;

#endif
