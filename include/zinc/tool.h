/*
 * tool.h - checking and looking: what the command `zinc` shows and programs may call
 *
 * Everything here may still change before version 1.0.
 */
#ifndef ZINC_TOOL_H
#define ZINC_TOOL_H

#include <zinc.h>
#include <zinc/store.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- validating ---- */

typedef enum zinc_level {
	ZINC_LEVEL_WARNING = 0,    /* readers forgive it */
	ZINC_LEVEL_ERROR = 1,      /* breaks the specification, or does not decode */
	ZINC_LEVEL_UNSUPPORTED = 2 /* valid, but this build does not know it */
} zinc_level;

/*
 * One thing found.  `rule` is a number of docs/rules.md ("M49"), or, for what no rule of the
 * specification says, a word: "decode" (an object that does not decode), "orphan", "consolidated", "leftover",
 * "v2", "read".  All text is valid during the callback only; empty where it does not apply, never NULL.
 */
typedef struct zinc_finding {
	size_t size;
	zinc_level level;
	const char *rule;
	const char *path;    /* of the node, "/foo" */
	const char *key;     /* in the store */
	const char *pointer; /* into the document, "/codecs/0" */
	const char *message;
	const char *fix; /* how to repair it */
	int repaired;    /* it was, by this call */
} zinc_finding;

/* Return non-zero to stop. */
typedef int (*zinc_finding_fn)(void *arg, const zinc_finding *finding);

typedef struct zinc_validate_options {
	size_t size;
	zinc_context *context;
	const char *format; /* [detected] */
	int strict;         /* what readers usually forgive is an error too */
	int fast;           /* metadata only: no object is decoded */
	int repair;         /* remove leftovers, write stale consolidated metadata anew */
	int orphans;        /* with repair: erase objects that belong to nothing, too */
	int threads;        /* [the context's] */
	const volatile int *cancel;
	zinc_progress_fn progress; /* units are objects */
	void *progress_arg;
} zinc_validate_options;

/* clang-format off */
#define ZINC_VALIDATE_OPTIONS(...) ZINC_OPTIONS_OF(zinc_validate_options, __VA_ARGS__)
#define ZINC_VALIDATE_OPTIONS_INIT {sizeof(zinc_validate_options), NULL, NULL, 0, 0, 0, 0, 0, NULL, NULL, NULL}
/* clang-format on */

/* What a validation saw.  Findings that were repaired count under `repaired` alone. */
typedef struct zinc_validate_counts {
	uint64_t groups, arrays; /* documents that say so */
	uint64_t objects, bytes; /* stored chunks or shards, and their size */
	uint64_t missing;        /* objects of all grids that are not stored: legal, they are fill value */
	uint64_t errors, warnings, unsupported, repaired;
} zinc_validate_counts;

/*
 * Check the node that `url` names and everything below: each document against the specification, the
 * hierarchy, consolidated metadata against the documents, leftovers of interrupted writers, and (unless
 * fast) every stored object by decoding it.  `fn` (may be NULL) is called for each finding, from the
 * calling thread, in order of keys within each of these parts; `counts` (may be NULL) gets the sums.
 *
 * ZINC_OK says that the check was done, whatever it found.  E_NOTFOUND when nothing is there, E_INVALID,
 * E_IO, E_LIMIT, E_NOMEM, E_CANCELLED, and E_READONLY where a repair is asked for and not possible.
 */
ZINC_API ZINC_CHECKED zinc_status zinc_validate(const char *url, const zinc_validate_options *options, zinc_finding_fn fn,
                                                void *arg, zinc_validate_counts *counts, zinc_error *err);

/* ---- what is stored ---- */

typedef struct zinc_stored {
	uint64_t objects;       /* chunks or shards that are stored */
	uint64_t objects_total; /* that the grid has; UINT64_MAX when there are more */
	uint64_t bytes;         /* stored bytes */
	uint64_t decoded_bytes; /* that the stored objects decode to */
} zinc_stored;

/* Add up the stored objects of an array, by listing alone.  E_UNSUPPORTED when its keys are not understood;
 * E_IO ... */
ZINC_API ZINC_CHECKED zinc_status zinc_array_stored(const zinc_array *a, zinc_stored *out, zinc_error *err);

/* ---- looking into JSON ---- */

/* `key` is NULL for items of a list; `json` is the value on one line.  Return non-zero to stop. */
typedef int (*zinc_member_fn)(void *arg, const char *key, const char *json);

/* Call `fn` for each member of an object or item of a list; for no other value.  E_INVALID when `json` is not
 * JSON.  `ctx` and `fn` may be NULL. */
ZINC_API ZINC_CHECKED zinc_status zinc_json_each(zinc_context *ctx, const char *json, zinc_member_fn fn, void *arg,
                                                 zinc_error *err);

/* ---- what this build has ---- */

/* Versions of Zarr: id, "", purpose. */
ZINC_API void zinc_list_formats(zinc_row_fn fn, void *arg);
/* Optional libraries: name, "yes" or "no", purpose. */
ZINC_API void zinc_list_libraries(zinc_row_fn fn, void *arg);

#ifdef __cplusplus
}
#endif
#endif
