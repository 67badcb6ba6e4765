/*
 * findings.h - the findings of a report, and JSON values from and to text, for tests
 */
#ifndef FINDINGS_H
#define FINDINGS_H

#include "report/report.h"

/* How many there are, and the last one. */
typedef struct findings {
	unsigned n;
	zinc_severity severity;
	char rule[32], pointer[128], message[256];
} findings;

/* Start a report that records its findings in *f. */
void findings_begin(findings *f, zinc_report *r, bool strict);

/* Parse a text, which must be JSON or contain NaN tokens. */
zinc_json_doc *json_of(const char *text);
/* A document for values to print. */
zinc_json_doc *json_new(void);
/* A value of `doc` on one line, valid until the next call; the document is freed. */
const char *json_line(const zinc_json *v, zinc_json_doc *doc);

#endif
