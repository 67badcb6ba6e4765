/*
 * extensions.c - extensions of nodes and hierarchies: which of them a program has registered
 *
 *     drafts:  "extensions": [{"extension": URI, "must_understand": true, "configuration": {...}}]
 *     v3:      "name": {"must_understand": true, ...}
 *
 * A draft's declaration is equivalent to a member of a version 3 document whose name is the URI, or the name that a
 * program registered for it.  The formats translate one into the other, so that one function checks both.
 *
 * Promises (tests/unit/test_extensions.c names each by its number):
 *
 * (1) A known extension is accepted when its check() accepts it, whatever its must_understand.
 * (2) An unknown extension that may be ignored is accepted.
 * (3) Any other unknown extension is E_UNSUPPORTED, and the message names it.
 */
#include "format/extensions.h"
#include "format/draft.h"

static zinc_names
names_of(const void *row)
{
	const zinc_extension_def *def = row;

	return (zinc_names){
	    .name = def->name, .uris = def->uris, .purpose = def->purpose, .also = def->uris ? def->uris[0] : NULL};
}

/* A URI may be registered once for arrays and once for hierarchies, but not twice for the same. */
static zinc_status
clash(const zinc_table *t, const void *row, const void *other, zinc_error *err)
{
	const zinc_extension_def *a = row, *b = other;

	if ((a->extends & b->extends) || strcmp(a->name, b->name) == 0)
		return zinc_table_clash(t, row, other, err);
	return ZINC_OK;
}

static zinc_table extensions = {.what = "an extension", .names = names_of, .clash = clash};

const zinc_extension_def *
zinc_extension_find(const char *name, unsigned extends, zinc_uri_match *match)
{
	const zinc_extension_def *def, *found = NULL;
	zinc_uri_match one;
	size_t i;

	*match = ZINC_URI_OTHER;
	for (i = 0; (def = zinc_table_row(&extensions, i)); i++) {
		if (!(def->extends & extends))
			continue;
		one = strcmp(def->name, name) == 0 ? ZINC_URI_SAME : zinc_uri_among(def->uris, name);
		if (one > *match) {
			*match = one;
			found = def;
		}
	}
	return *match >= ZINC_URI_MINOR ? found : NULL;
}

/* ---- declarations ---- */

bool
zinc_extension_ignorable(const zinc_json *declaration)
{
	bool must = true;

	if (zinc_json_is(declaration, ZINC_JSON_OBJECT))
		(void)zinc_json_bool(zinc_json_member(declaration, "must_understand"), &must);
	return !must;
}

/* Members that every declaration may have, and that are not part of a configuration. */
static bool
is_common(const zinc_json *m)
{
	return strcmp(m->key, "extension") == 0 || strcmp(m->key, "must_understand") == 0;
}

/* The text of the member `configuration`, or else of all members that are not common (2019: they are side by side).
 * For a value that is not an object: its own text.  NULL: there is none. zinc_free. */
static zinc_status
configuration_text(char **out, zinc_context *ctx, const zinc_json *v, zinc_error *err)
{
	const zinc_json *m, *whole = zinc_json_member(v, "configuration");
	zinc_json_doc *doc;
	zinc_json *rest;
	zinc_status st = ZINC_OK;

	*out = NULL;
	if (whole || !zinc_json_is(v, ZINC_JSON_OBJECT))
		return zinc_user_text(out, ctx, whole ? whole : v, err);
	ZINC_TRY(zinc_json_new(&doc, ctx, err));
	rest = zinc_json_make(doc, ZINC_JSON_OBJECT);
	for (m = v->first; m && st == ZINC_OK; m = m->next)
		if (!is_common(m))
			st = zinc_json_set(doc, rest, m->key, zinc_json_copy(doc, m), err);
	if (st == ZINC_OK && rest && rest->n > 0)
		st = zinc_user_text(out, ctx, rest, err);
	zinc_json_free(doc);
	return st;
}

/* (1) */
static zinc_status
check(const zinc_extension_def *def, zinc_context *ctx, const zinc_json *v, zinc_report *r, zinc_error *err)
{
	zinc_error why = ZINC_ERROR_INIT;
	char *configuration;
	zinc_status st;

	if (!def->check)
		return ZINC_OK;
	ZINC_TRY(configuration_text(&configuration, ctx, v, err));
	st = zinc_user_finding(def->check(configuration, &why), def->name, r, &why);
	zinc_free(ctx, configuration);
	return st == ZINC_OK ? st : (zinc_error_copy(err, &why), st);
}

zinc_status
zinc_extension_judge(zinc_context *ctx, unsigned extends, const char *name, const zinc_json *v, const char *rule,
		     zinc_report *r, zinc_error *err)
{
	zinc_uri_match match;
	const zinc_extension_def *def = zinc_extension_find(name, extends, &match);

	if (def) {
		if (match == ZINC_URI_MINOR)
			zinc_report_warn(r, rule, "extension \"%.120s\" is read as \"%s\"", name, def->uris[0]);
		return check(def, ctx, v, r, err);
	}
	if (zinc_extension_ignorable(v))
		return ZINC_OK;
	return zinc_report_unsupported(r, rule, err, "extension \"%.120s\" is not known and must be understood%s", name,
				       match == ZINC_URI_MAJOR ? "; another major version of it is" : "");
}

/* ---- asking ---- */

/* Pass one declaration to the program; *stop gets the return value. */
static zinc_status
report_declaration(zinc_context *ctx, unsigned extends, const char *name, const zinc_json *v, zinc_declaration_fn fn,
		   void *arg, bool *stop, zinc_error *err)
{
	zinc_declaration d = {.size = sizeof d, .name = name, .must_understand = !zinc_extension_ignorable(v)};
	zinc_uri_match match;
	char *configuration;

	d.known = zinc_extension_find(name, extends, &match) != NULL;
	ZINC_TRY(configuration_text(&configuration, ctx, v, err));
	d.configuration = configuration;
	*stop = fn(arg, &d) != 0;
	zinc_free(ctx, configuration);
	return ZINC_OK;
}

/* All declarations of a node: the members of its document that version 3 does not define. */
static zinc_status
report_node(const zinc_meta *m, zinc_declaration_fn fn, void *arg, zinc_error *err)
{
	const unsigned extends = m->kind == ZINC_NODE_ARRAY ? ZINC_EXTENDS_ARRAY : ZINC_EXTENDS_GROUP;
	const zinc_json *v;
	bool stop = false;

	for (v = zinc_meta_v3(m)->first; v && !stop; v = v->next)
		if (!zinc_v3_is_member(m->kind, v->key))
			ZINC_TRY(report_declaration(m->ctx, extends, v->key, v, fn, arg, &stop, err));
	return ZINC_OK;
}

/* The declarations of a draft's entry point.  Opening it has checked that each has a URI. */
static zinc_status
report_hierarchy(zinc_hierarchy *h, zinc_declaration_fn fn, void *arg, zinc_error *err)
{
	const zinc_json *list = zinc_draft_declared(h), *v;
	bool stop = false;

	for (v = list ? list->first : NULL; v && !stop; v = v->next)
		ZINC_TRY(report_declaration(h->ctx, ZINC_EXTENDS_HIERARCHY, zinc_json_member(v, "extension")->text, v,
					    fn, arg, &stop, err));
	return ZINC_OK;
}

zinc_status
zinc_extensions(zinc_hierarchy *h, const char *path, zinc_declaration_fn fn, void *arg, const zinc_call_options *call,
		zinc_error *err)
{
	zinc_report r;
	zinc_visit v;
	zinc_status st;
	zinc_meta *m;
	char *clean;

	ZINC_TRY(ZINC_NEED(fn, err));
	ZINC_TRY(zinc_visit_begin(&v, &h, call, err));
	if (!path)
		return report_hierarchy(h, fn, arg, err);
	ZINC_TRY(zinc_path_normalise(&clean, h, path, err));
	zinc_report_init_quiet(&r, h->ctx, h->strict);
	st = zinc_read_node(h, clean, &r, &m, err);
	if (st == ZINC_OK) {
		st = report_node(m, fn, arg, err);
		zinc_meta_free(m);
	}
	zinc_free(h->ctx, clean);
	return st;
}

/* ---- registration ---- */

zinc_status
zinc_register_extension(const zinc_extension_def *def, zinc_error *err)
{
	const unsigned all = ZINC_EXTENDS_ARRAY | ZINC_EXTENDS_GROUP | ZINC_EXTENDS_HIERARCHY;
	zinc_extension_def d;

	ZINC_TRY(ZINC_NEED(def, err));
	ZINC_TRY(zinc_options_take(&d, sizeof d, def, err));
	if (!d.extends || (d.extends & ~all))
		return zinc_fail(err, ZINC_E_INVALID, "an extension must say what it extends");
	if (d.name && (zinc_v3_is_member(ZINC_NODE_ARRAY, d.name) || zinc_v3_is_member(ZINC_NODE_GROUP, d.name)))
		return zinc_fail(err, ZINC_E_EXISTS, "\"%s\" is a member of every document", d.name);
	return zinc_table_add_copy(&extensions, &d, sizeof d, err);
}

void
zinc_list_extensions(zinc_row_fn fn, void *arg)
{
	(void)zinc_table_each(&extensions, fn, arg);
}
