/*
 * report.h - door of the room `report`: findings of the parsers of metadata, and extension objects
 *
 *   report.c     findings: severity, rule, place, text
 *   extension.c  extension objects of version 3: the form of data types, grids, key encodings and codecs
 */
#ifndef ZINC_REPORT_H
#define ZINC_REPORT_H

#include "json/json.h"

/* ---- findings: what a document breaks, by rule ---- */

#define ZINC_RULE_BYTES sizeof((zinc_error *)NULL)->rule

/*
 * Every parser of metadata, from the data type to the whole document, takes a report.  Opening a
 * node stops at the first error; a validator collects all findings through `found`.  Rules are
 * the numbers of docs/rules.md ("M49").
 */
typedef enum zinc_severity { ZINC_SEVERITY_WARNING, ZINC_SEVERITY_ERROR, ZINC_SEVERITY_UNSUPPORTED } zinc_severity;

typedef void (*zinc_report_fn)(void *arg, zinc_severity severity, const char *rule, const char *pointer,
			       const char *message);

typedef struct zinc_report {
	zinc_context *ctx;
	bool strict;          /* lenient findings are errors */
	zinc_status code;     /* of an error: E_CORRUPT for stored documents, E_INVALID for a caller's options */
	const char *where;    /* key or URL, for warnings */
	const char *fallback; /* fallback data types that may be used for an unknown one: NULL, "any" or a list */
	zinc_report_fn found; /* NULL: findings are not collected */
	void *arg;
	unsigned errors, warnings, unsupported;
	size_t npointer;
	char pointer[512]; /* JSON pointer to where the parser is; cut silently when longer */
} zinc_report;

void zinc_report_init(zinc_report *r, zinc_context *ctx, bool strict, const char *where);
/* Enter a member or an item; returns what zinc_report_leave takes. */
size_t zinc_report_enter(zinc_report *r, const char *member);
size_t zinc_report_enter_item(zinc_report *r, size_t i);
void zinc_report_leave(zinc_report *r, size_t mark);
/* Record an error and return r->code. */
zinc_status zinc_report_error(zinc_report *r, const char *rule, zinc_error *err, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* Record what readers usually tolerate: a warning and ZINC_OK, or in strict mode an error. */
zinc_status zinc_report_lenient(zinc_report *r, const char *rule, zinc_error *err, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* Record a warning that is never an error, even in strict mode. */
void zinc_report_warn(zinc_report *r, const char *rule, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* Record a finding of another report under a rule of this one; a warning is lenient. */
zinc_status zinc_report_again(zinc_report *r, zinc_severity severity, const char *rule, zinc_error *err,
			      const char *message);
/*
 * Decide how a parser goes on after the status `st` of one member, whose error is `e`.  The first unsupported item is kept
 * with its rule.  The first error goes to the caller and ends the parse, unless findings are collected.  E_NOMEM always ends
 * the parse.
 */
zinc_status zinc_report_conclude(const zinc_report *r, zinc_status st, const zinc_error *e, char **unsupported,
				 char rule[ZINC_RULE_BYTES], bool *failed, zinc_error *err);
/* Record something valid that this build does not support; returns E_UNSUPPORTED. */
zinc_status zinc_report_unsupported(zinc_report *r, const char *rule, zinc_error *err, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* ---- extension objects (v3 core, "Extensions") ---- */

/* A bare string or {"name", "configuration", "must_understand"}. */
typedef struct zinc_extension {
	const char *name;
	zinc_json *configuration; /* NULL when absent */
	bool bare;                /* written as a string */
	bool ignorable;           /* must_understand: false */
} zinc_extension;

/* M11, M12, M13; unknown sibling members and a non-boolean flag are lenient findings. */
zinc_status zinc_extension_parse(zinc_extension *out, const zinc_json *v, zinc_report *r, zinc_error *err);

/* ---- what all things that programs register share (user.c) ---- */

/* A configuration as text of its own (zinc_free), NULL for NULL; and back. */
zinc_status zinc_user_text(char **out, zinc_context *ctx, const zinc_json *v, zinc_error *err);
zinc_status zinc_user_json(zinc_json **out, zinc_json_doc *doc, const char *text, zinc_error *err);
/* The same; an empty object for NULL.  NULL: no memory. */
zinc_json *zinc_user_object(zinc_json_doc *doc, const char *text);
/* What a program's function returned, with an error that says so even when the function did not. */
zinc_status zinc_user_status(zinc_status st, const char *name, zinc_error *err);
/* The same of open(): a finding under the thing's own name. */
zinc_status zinc_user_finding(zinc_status st, const char *name, zinc_report *r, zinc_error *err);
/* What an snprintf-like function prints, appended.  `print` is called with `arg` until the room is enough. */
typedef size_t (*zinc_user_print)(const void *arg, char *out, size_t room);
zinc_status zinc_user_append(zinc_buf *out, zinc_user_print print, const void *arg, zinc_error *err);

#endif
