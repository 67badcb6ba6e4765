/* finding.c - print a finding of a check as text and as JSON */
#include "cli.h"

/* JSON has two severities: an unsupported feature is a warning. */
static const char *const severities[] = {"warning", "error", "warning"};

void
finding_json(struct json *j, const zinc_finding *f)
{
	const struct {
		const char *name, *value;
	} rows[] = {
	    {"rule", f->rule},       {"path", f->path},       {"key", f->key},
	    {"pointer", f->pointer}, {"message", f->message}, {"fix", f->fix},
	};
	size_t i;

	json_begin_object(j);
	json_string(json_key(j, "severity"), severities[f->level]);
	for (i = 0; i < sizeof rows / sizeof *rows; i++)
		json_string(json_key(j, rows[i].name), rows[i].value);
	if (f->region && *f->region)
		json_string(json_key(j, "region"), f->region);
	json_end_object(j);
}

void
finding_text(struct text *t, bool colour, const char *where, const zinc_finding *f)
{
	static const char *const label[] = {"warning", "error", "unsupported"};
	static const enum paint paint[] = {YELLOW, RED, YELLOW};

	struct text line = {NULL, 0, 0};

	text_paint(t, colour, f->repaired ? GREEN : paint[f->level], f->repaired ? "repaired" : label[f->level]);
	text_printf(&line, " %s: %s%s%s%s%s", f->rule, where, *where && *f->pointer ? " " : "", f->pointer,
		    *where || *f->pointer ? ": " : "", f->message);
	if (*f->fix && !f->repaired)
		text_printf(&line, "; %s", f->fix);
	text_escape(t, text_str(&line), line.n, ESCAPE_LINE);
	text_puts(t, "\n");
	text_free(&line);
}
