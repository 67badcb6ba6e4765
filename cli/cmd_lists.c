/* cmd_lists.c - zinc codecs, dtypes, stores, formats, --version: print the tables of the library */
#include <zinc/extend.h>

#include "cli.h"

struct rows {
	struct run *run;
	struct json json;
	size_t name, also; /* columns of the widest */
	bool as_json;
};

/* One row: what is in front, padded to `indent` columns, and text that continues below its beginning. */
static void
row(struct run *r, const char *front, size_t indent, const char *text)
{
	const size_t width = screen_width();
	struct line l = {.colour = r->colour, .width = width, .left = width};
	struct text padded = {NULL, 0, 0};

	text_puts(&padded, front);
	text_fill(&padded, ' ', indent - (padded.n < indent ? padded.n : indent));
	line_add(&l, PLAIN, text_str(&padded));
	line_wrap(&l, text, indent < width / 2 ? indent : 4, SIZE_MAX, "");
	line_end(&l, &r->out);
	text_free(&padded);
}

static int
measure_row(void *arg, const char *name, const char *also, const char *purpose)
{
	struct rows *r = arg;

	(void)purpose;
	r->name = strlen(name) > r->name ? strlen(name) : r->name;
	r->also = also && strlen(also) > r->also ? strlen(also) : r->also;
	return 0;
}

/* In columns, as far as they take less than half of the screen; another name is then in brackets. */
static void
row_text(struct rows *r, const char *name, const char *also, const char *purpose)
{
	const size_t half = screen_width() / 2;
	const bool column = r->name + r->also + 4 < half;
	struct text front = {NULL, 0, 0}, rest = {NULL, 0, 0};

	text_printf(&front, "%-*s  ", r->name + 2 < half ? (int)r->name : 0, name);
	if (r->also && column)
		text_printf(&front, "%-*s  ", (int)r->also, also);
	text_printf(&rest, also[0] && !column ? "%s (also %s)" : "%s", purpose, also);
	row(r->run, front.p, front.n, text_str(&rest));
	text_free(&front);
	text_free(&rest);
}

static int
add_row(void *arg, const char *name, const char *also, const char *purpose)
{
	struct rows *r = arg;
	struct json *j = &r->json;

	if (!r->as_json) {
		row_text(r, name, also ? also : "", purpose ? purpose : "");
		return 0;
	}
	json_begin_object(j);
	json_string(json_key(j, "name"), name);
	json_string(json_key(j, "also"), also ? also : "");
	json_string(json_key(j, "purpose"), purpose ? purpose : "");
	json_end_object(j);
	return 0;
}

static int
print_rows(struct run *r, void (*each)(zinc_row_fn fn, void *arg))
{
	struct rows rows = {.run = r, .as_json = r->args->json};
	struct json j = JSON_INIT;

	each(measure_row, &rows);
	each(add_row, &rows);
	if (!rows.as_json)
		return DONE;
	json_begin_object(&j);
	json_list(json_key(&j, r->command->name), &rows.json);
	json_end_object(&j);
	out_document(&r->out, &j);
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

/* ---- stores ---- */

#define MAX_CAPS 256

/* "a,b", a list in C's eyes; NULL: none */
static void
json_words(struct json *j, const char *list, const char *between)
{
	struct text word = {NULL, 0, 0};
	size_t n;

	json_begin_array(j);
	for (; list && *list; list += n + (list[n] != '\0')) {
		n = strcspn(list, between);
		text_printf(&word, "%.*s", (int)n, list);
		json_string(j, word.p);
		text_free(&word);
	}
	json_end_array(j);
}

static void
store_json(struct json *j, const zinc_store_row *row, const char *caps)
{
	json_begin_object(j);
	json_string(json_key(j, "name"), row->name ? row->name : "");
	json_string(json_key(j, "also"), row->schemes ? row->schemes : row->adapters);
	json_string(json_key(j, "purpose"), row->purpose ? row->purpose : "");
	json_words(json_key(j, "schemes"), row->schemes, ",");
	json_words(json_key(j, "adapters"), row->adapters, ",");
	json_words(json_key(j, "endings"), row->endings, ",");
	json_words(json_key(j, "caps"), caps, " ");
	json_string(json_key(j, "missing"), row->missing);
	json_end_object(j);
}

#define STORE 14 /* columns of the name of a store */

/* "a:// b:// " for "a,b" */
static void
add_words(struct text *t, const char *before, const char *list, const char *after)
{
	size_t n;

	for (; list && *list; list += n + (list[n] != '\0')) {
		n = strcspn(list, ",");
		text_printf(t, "%s%.*s%s ", before, (int)n, list, after);
	}
}

/* Its name and purpose, how URLs name it, and what it can do. */
static void
store_text(struct run *r, const zinc_store_row *store, const char *caps)
{
	struct text t = {NULL, 0, 0};

	row(r, store->name ? store->name : "", STORE, store->purpose ? store->purpose : "");
	add_words(&t, "", store->schemes, "://");
	add_words(&t, "|", store->adapters, ":");
	add_words(&t, "*", store->endings, "");
	row(r, "", STORE, text_str(&t));
	text_free(&t);
	if (!store->missing && !caps[0])
		return;
	text_printf(&t, "%s: %s", store->missing ? "missing" : "can", store->missing ? store->missing : caps);
	row(r, "", STORE, t.p);
	text_free(&t);
}

static int
add_store(void *arg, const zinc_store_row *row)
{
	struct rows *r = arg;
	char caps[MAX_CAPS];

	/* folds-case and normalises are properties of a place, not abilities */
	zinc_caps_show(caps, sizeof caps,
		       r->as_json ? row->flags : row->flags & ~(ZINC_CAP_FOLDS_CASE | ZINC_CAP_NORMALISES));
	if (r->as_json)
		store_json(&r->json, row, caps);
	else
		store_text(r->run, row, caps);
	return 0;
}

static const char *
type_word(zinc_setting_type type)
{
	static const char *const words[] = {"TEXT", "yes|no", "N", "SECONDS"};

	return words[type <= ZINC_SETTING_SECONDS ? type : ZINC_SETTING_TEXT];
}

static void
setting_json(struct json *j, const char *name, const zinc_setting_row *row)
{
	json_begin_object(j);
	json_string(json_key(j, "name"), name);
	json_string(json_key(j, "type"), type_word(row->type));
	json_string(json_key(j, "default"), row->preset);
	json_bool(json_key(j, "secret"), row->secret);
	json_string(json_key(j, "purpose"), row->purpose ? row->purpose : "");
	json_end_object(j);
}

static void
setting_text(struct run *r, const char *name, const zinc_setting_row *setting)
{
	struct text front = {NULL, 0, 0}, t = {NULL, 0, 0};

	text_printf(&front, "%-18s %-8s ", name, type_word(setting->type));
	text_puts(&t, setting->purpose ? setting->purpose : "");
	if (setting->preset)
		text_printf(&t, " [%s]", setting->preset);
	if (setting->env)
		text_printf(&t, "; also $%s", setting->env);
	row(r, front.p, front.n, text_str(&t));
	text_free(&front);
	text_free(&t);
}

static int
add_setting(void *arg, const char *store, const zinc_setting_row *row)
{
	struct text name = {NULL, 0, 0};
	struct rows *r = arg;

	text_printf(&name, "%s.%s", store, row->name);
	if (r->as_json)
		setting_json(&r->json, name.p, row);
	else
		setting_text(r->run, name.p, row);
	text_free(&name);
	return 0;
}

static void
stores_json(struct run *r, struct rows *rows, struct rows *settings)
{
	struct json j = JSON_INIT;

	json_begin_object(&j);
	json_list(json_key(&j, "stores"), &rows->json);
	if (r->args->detail)
		json_list(json_key(&j, "settings"), &settings->json);
	json_end_object(&j);
	out_document(&r->out, &j);
}

int
cmd_stores(struct run *r)
{
	struct rows rows = {.run = r, .as_json = r->args->json}, settings = rows;

	zinc_store_each_row(r->ctx, add_store, &rows);
	if (r->args->detail && !r->args->json) {
		out_puts(&r->out, "\n");
		row(r, "", 0, "Settings, as ?name=value in a URL, $ZINC_NAME or in a profile:");
	}
	if (r->args->detail)
		zinc_store_each_setting(r->ctx, add_setting, &settings);
	if (r->args->json)
		stores_json(r, &rows, &settings);
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
	out_printf(arg, "  %-12s %-4s %s\n", name, there, purpose);
	return 0;
}

static int
format_word(void *arg, const char *name, const char *also, const char *purpose)
{
	(void)also, (void)purpose;
	out_printf(arg, " %s", name);
	return 0;
}

int
print_version(struct run *r)
{
	out_printf(&r->out, "zinc %s\nformats:", zinc_version());
	zinc_list_formats(format_word, &r->out);
	out_puts(&r->out, "\nlibraries:\n");
	zinc_list_libraries(library_line, &r->out);
	return DONE;
}
