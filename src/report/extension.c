/*
 * extension.c - extension objects of version 3: a bare name, or {"name", "configuration", "must_understand"}
 *
 * Promises:
 *
 * (1) A name with a NUL inside never passes: the rest of the library compares C strings.
 */
#include "report/report.h"

/* The registry's rule ^[a-z][a-z0-9-_.]+$, or a URI, which older documents used (M13). */
static bool
name_is_regular(const char *s)
{
	if (strchr(s, ':'))
		return true;
	return *s >= 'a' && *s <= 'z' && s[1] != '\0' &&
	       s[strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789-_.")] == '\0';
}

/* `v` is the bare string or the member "name"; NULL when that is missing. */
static zinc_status
parse_name(zinc_extension *out, const zinc_json *v, zinc_report *r, zinc_error *err)
{
	if (!zinc_json_is(v, ZINC_JSON_STRING))
		return zinc_report_error(r, "M11", err, "%s",
					 v ? "an extension's name must be a string" : "an extension needs a name");
	if (strlen(v->text) != v->n)
		return zinc_report_error(r, "M13", err, "an extension's name contains a NUL character");
	out->name = v->text;
	if (!name_is_regular(v->text))
		return zinc_report_lenient(r, "M13", err, "\"%.60s\" breaks the rule for names of extensions", v->text);
	return ZINC_OK;
}

/* One member of the object form; the name has been read. */
static zinc_status
parse_member(zinc_extension *out, zinc_json *m, zinc_report *r, zinc_error *err)
{
	bool flag = true;

	if (strcmp(m->key, "name") == 0)
		return ZINC_OK;
	if (strcmp(m->key, "configuration") == 0) {
		if (m->type != ZINC_JSON_OBJECT)
			return zinc_report_error(r, "M12", err, "the configuration of \"%.60s\" must be an object",
						 out->name);
		out->configuration = m;
		return ZINC_OK;
	}
	if (strcmp(m->key, "must_understand") == 0) {
		if (!zinc_json_bool(m, &flag))
			return zinc_report_lenient(r, "M11", err, "must_understand must be true or false");
		out->ignorable = !flag;
		return ZINC_OK;
	}
	return zinc_report_lenient(r, "M11", err, "unknown member \"%.60s\" of extension \"%.60s\"", m->key, out->name);
}

/* The name is read first, because messages about the other members contain it. */
zinc_status
zinc_extension_parse(zinc_extension *out, const zinc_json *v, zinc_report *r, zinc_error *err)
{
	zinc_json *m;

	*out = (zinc_extension){.name = ""};
	if (zinc_json_is(v, ZINC_JSON_STRING)) {
		out->bare = true;
		return parse_name(out, v, r, err);
	}
	if (!zinc_json_is(v, ZINC_JSON_OBJECT))
		return zinc_report_error(r, "M11", err, "must be a string or an object with a name");
	ZINC_TRY(parse_name(out, zinc_json_member(v, "name"), r, err));
	for (m = v->first; m; m = m->next) {
		const size_t mark = zinc_report_enter(r, m->key);
		const zinc_status st = parse_member(out, m, r, err);

		zinc_report_leave(r, mark);
		ZINC_TRY(st);
	}
	return ZINC_OK;
}
