/* cmd_lists.c - zinc codecs, dtypes, stores, formats, --version: what this build has, from the library's tables */
#include <zinc/extend.h>

#include "cli.h"

struct rows {
	struct text text;
	bool json;
};

static int
add_row(void *arg, const char *name, const char *also, const char *purpose)
{
	struct rows *r = arg;
	struct text *t = &r->text;

	if (!r->json) {
		text_printf(t, "%-18s %-18s %s\n", name, also ? also : "", purpose ? purpose : "");
		return 0;
	}
	text_puts(t, t->n ? ",{\"name\":" : "{\"name\":");
	text_json(t, name);
	text_puts(t, ",\"also\":");
	text_json(t, also ? also : "");
	text_puts(t, ",\"purpose\":");
	text_json(t, purpose ? purpose : "");
	text_puts(t, "}");
	return 0;
}

static int
print_rows(struct run *r, void (*each)(zinc_row_fn fn, void *arg))
{
	struct rows rows = {.json = r->args->json};

	each(add_row, &rows);
	if (rows.json)
		out_printf(&r->out, "{\"%s\":[", r->command->name);
	out_text(&r->out, &rows.text);
	if (rows.json)
		out_puts(&r->out, "]}\n");
	return DONE;
}

int
cmd_codecs(struct run *r)
{
	return print_rows(r, zinc_list_codecs);
}

int
cmd_dtypes(struct run *r)
{
	return print_rows(r, zinc_list_dtypes);
}

int
cmd_stores(struct run *r)
{
	return print_rows(r, zinc_store_each);
}

int
cmd_formats(struct run *r)
{
	return print_rows(r, zinc_list_formats);
}

static int
library_line(void *arg, const char *name, const char *there, const char *purpose)
{
	out_printf(arg, "  %-10s %-4s %s\n", name, there, purpose);
	return 0;
}

int
print_version(struct run *r)
{
	out_printf(&r->out, "zinc %s\nlibraries:\n", zinc_version());
	zinc_list_libraries(library_line, &r->out);
	return DONE;
}
