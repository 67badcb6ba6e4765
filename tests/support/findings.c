/*
 * findings.c - the findings of a report, and JSON values from and to text, for tests
 */
#include <stdio.h>

#include "support/findings.h"
#include "support/test.h"

static void
note(void *arg, zinc_severity severity, const char *rule, const char *pointer, const char *message)
{
	findings *f = (findings *)arg;

	assert_true(message[0] != '\0');
	f->n++;
	f->severity = severity;
	snprintf(f->rule, sizeof f->rule, "%s", rule);
	snprintf(f->pointer, sizeof f->pointer, "%s", pointer);
	snprintf(f->message, sizeof f->message, "%s", message);
}

void
findings_begin(findings *f, zinc_report *r, bool strict)
{
	*f = (findings){.n = 0};
	zinc_report_init(r, NULL, strict, "test");
	r->found = note;
	r->arg = f;
}

zinc_json_doc *
json_of(const char *text)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_json_doc *doc;

	assert_ok(zinc_json_parse(&doc, NULL, text, strlen(text), ZINC_JSON_NAN_TOKENS, &err));
	return doc;
}

zinc_json_doc *
json_new(void)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_json_doc *doc;

	assert_ok(zinc_json_new(&doc, NULL, &err));
	return doc;
}

const char *
json_line(const zinc_json *v, zinc_json_doc *doc)
{
	static char line[65536];
	zinc_error err = ZINC_ERROR_INIT;
	zinc_buf b;

	zinc_buf_init(&b, NULL, sizeof line - 1);
	assert_ok(zinc_json_print_line(v, &b, &err));
	snprintf(line, sizeof line, "%.*s", (int)b.n, (const char *)b.p);
	zinc_buf_fini(&b);
	zinc_json_free(doc);
	return line;
}
