/* cmd_lists.c - zinc codecs, dtypes, stores, formats, --version: what this build has, from the library's tables */
#include <stdio.h>
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

/* ---- settings of stores ---- */

static const char *
type_word(zinc_setting_type type)
{
	static const char *const words[] = {"TEXT", "yes|no", "N", "SECONDS"};

	return words[type <= ZINC_SETTING_SECONDS ? type : ZINC_SETTING_TEXT];
}

static void
add_json_setting(struct text *t, const char *store, const zinc_setting_row *row)
{
	text_puts(t, t->n ? ",{\"name\":\"" : "{\"name\":\"");
	text_printf(t, "%s.%s\",\"type\":", store, row->name);
	text_json(t, type_word(row->type));
	text_puts(t, ",\"default\":");
	if (row->preset)
		text_json(t, row->preset);
	else
		text_puts(t, "null");
	text_printf(t, ",\"secret\":%s,\"purpose\":", row->secret ? "true" : "false");
	text_json(t, row->purpose ? row->purpose : "");
	text_puts(t, "}");
}

static int
add_setting(void *arg, const char *store, const zinc_setting_row *row)
{
	struct rows *r = arg;
	struct text *t = &r->text;
	char name[128];

	if (r->json) {
		add_json_setting(t, store, row);
		return 0;
	}
	snprintf(name, sizeof name, "%s.%s", store, row->name);
	text_printf(t, "%-18s %-8s %s", name, type_word(row->type), row->purpose ? row->purpose : "");
	if (row->preset)
		text_printf(t, " [%s]", row->preset);
	text_puts(t, row->env ? "; also $" : "");
	text_printf(t, "%s\n", row->env ? row->env : "");
	return 0;
}

int
cmd_stores(struct run *r)
{
	struct rows rows = {.json = r->args->json}, settings = {.json = r->args->json};

	zinc_store_each(add_row, &rows);
	if (r->args->detail)
		zinc_store_each_setting(r->ctx, add_setting, &settings);
	if (rows.json)
		out_puts(&r->out, "{\"stores\":[");
	out_text(&r->out, &rows.text);
	if (r->args->detail)
		out_puts(&r->out, rows.json ? "],\"settings\":["
					    : "\nSettings, as ?name=value in a URL, $ZINC_NAME or in a profile:\n");
	out_text(&r->out, &settings.text);
	if (rows.json)
		out_puts(&r->out, "]}\n");
	return DONE;
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
