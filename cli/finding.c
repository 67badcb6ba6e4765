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

	const size_t width = screen_width();
	struct line l = {.colour = colour, .width = width, .left = width};
	struct text line = {NULL, 0, 0};

	line_add(&l, f->repaired ? GREEN : paint[f->level], f->repaired ? "repaired" : label[f->level]);
	text_printf(&line, " %s: %s%s%s%s%s", f->rule, where, *where && *f->pointer ? " " : "", f->pointer,
		    *where || *f->pointer ? ": " : "", f->message);
	if (*f->fix && !f->repaired)
		text_printf(&line, "; %s", f->fix);
	line_wrap(&l, text_str(&line), 4, SIZE_MAX, "");
	text_add(t, text_str(&l.text), l.text.n);
	text_puts(t, "\n");
	text_free(&l.text);
	text_free(&line);
}
