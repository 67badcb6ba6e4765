/*
 * report.c - findings of the parsers of metadata, and extension objects
 *
 * A finding is a rule's number, a JSON pointer and a sentence.  Promises:
 *
 * (1) An error returns r->code and its text reads "<message> (rule M49, at /fill_value)".
 * (2) A lenient finding is a warning and ZINC_OK, or exactly an error when r->strict.
 *     A plain warning is never an error.
 * (3) With r->found every finding goes there and nothing is warned about; without it,
 *     warnings go to the context's callback.
 * (4) A parser that goes on keeps the first unsupported thing, and its rule.
 * (5) A name with a NUL inside never passes: the rest of the library compares C strings.
 */
#include "json/json.h"

#include <stdio.h>

enum { MESSAGE = 480 };

void
zinc_report_init(zinc_report *r, zinc_context *ctx, bool strict, const char *where)
{
	*r = (zinc_report){.ctx = ctx, .strict = strict, .code = ZINC_E_CORRUPT, .where = where};
}

/* ---- where the parser is: RFC 6901, '~' and '/' escaped ---- */

/* Append to the pointer, cutting what does not fit. */
static void
point(zinc_report *r, const char *s, size_t n)
{
	size_t room = sizeof r->pointer - 1 - r->npointer;

	if (n > room)
		n = room;
	memcpy(r->pointer + r->npointer, s, n);
	r->npointer += n;
	r->pointer[r->npointer] = '\0';
}

size_t
zinc_report_enter(zinc_report *r, const char *member)
{
	const size_t mark = r->npointer;
	size_t plain;

	point(r, "/", 1);
	for (;; member += plain + 1) {
		plain = strcspn(member, "~/");
		point(r, member, plain);
		if (!member[plain])
			return mark;
		point(r, member[plain] == '~' ? "~0" : "~1", 2);
	}
}

size_t
zinc_report_enter_item(zinc_report *r, size_t i)
{
	char text[24];

	snprintf(text, sizeof text, "%zu", i);
	return zinc_report_enter(r, text);
}

void
zinc_report_leave(zinc_report *r, size_t mark)
{
	r->npointer = mark;
	r->pointer[mark] = '\0';
}

/* ---- findings ---- */

/* One finding, handed on; its sentence is left in `message`. */
static void
find(zinc_report *r, zinc_severity severity, const char *rule, char message[MESSAGE], const char *fmt, va_list ap)
{
	vsnprintf(message, MESSAGE, fmt, ap);
	if (r->found)
		r->found(r->arg, severity, rule, r->pointer, message);
}

static zinc_status
refuse(zinc_report *r, const char *rule, const char *message, zinc_error *err)
{
	r->errors++;
	return zinc_fail_rule_at(err, r->code, rule, r->pointer, "%s", message);
}

static void
warn(zinc_report *r, const char *rule, const char *message)
{
	char more[192];

	r->warnings++;
	zinc_cite(more, sizeof more, rule, r->pointer);
	if (!r->found)
		zinc_warn(r->ctx, r->where, "%s%s", message, more);
}

zinc_status
zinc_report_error(zinc_report *r, const char *rule, zinc_error *err, const char *fmt, ...)
{
	char message[MESSAGE];
	va_list ap;

	va_start(ap, fmt);
	find(r, ZINC_SEVERITY_ERROR, rule, message, fmt, ap);
	va_end(ap);
	return refuse(r, rule, message, err);
}

zinc_status
zinc_report_lenient(zinc_report *r, const char *rule, zinc_error *err, const char *fmt, ...)
{
	char message[MESSAGE];
	va_list ap;

	va_start(ap, fmt);
	find(r, r->strict ? ZINC_SEVERITY_ERROR : ZINC_SEVERITY_WARNING, rule, message, fmt, ap);
	va_end(ap);
	if (r->strict)
		return refuse(r, rule, message, err);
	warn(r, rule, message);
	return ZINC_OK;
}

void
zinc_report_warn(zinc_report *r, const char *rule, const char *fmt, ...)
{
	char message[MESSAGE];
	va_list ap;

	va_start(ap, fmt);
	find(r, ZINC_SEVERITY_WARNING, rule, message, fmt, ap);
	va_end(ap);
	warn(r, rule, message);
}

zinc_status
zinc_report_unsupported(zinc_report *r, const char *rule, zinc_error *err, const char *fmt, ...)
{
	char message[MESSAGE];
	va_list ap;

	va_start(ap, fmt);
	find(r, ZINC_SEVERITY_UNSUPPORTED, rule, message, fmt, ap);
	va_end(ap);
	r->unsupported++;
	return zinc_fail_rule_at(err, ZINC_E_UNSUPPORTED, rule, r->pointer, "%s", message);
}

zinc_status
zinc_report_again(zinc_report *r, zinc_severity severity, const char *rule, zinc_error *err, const char *message)
{
	if (severity == ZINC_SEVERITY_UNSUPPORTED)
		return zinc_report_unsupported(r, rule, err, "%s", message);
	return severity == ZINC_SEVERITY_ERROR ? zinc_report_error(r, rule, err, "%s", message)
					       : zinc_report_lenient(r, rule, err, "%s", message);
}

zinc_status
zinc_report_conclude(const zinc_report *r, zinc_status s, const zinc_error *e, char **unsupported,
		     char rule[ZINC_RULE_BYTES], bool *failed, zinc_error *err)
{
	if (s == ZINC_OK)
		return ZINC_OK;
	if (s == ZINC_E_UNSUPPORTED) {
		if (!*unsupported) {
			*unsupported = zinc_strdup(r->ctx, e->text);
			memcpy(rule, e->rule, sizeof e->rule);
		}
		return *unsupported ? ZINC_OK : zinc_fail_nomem(err);
	}
	if (s == r->code && *failed)
		return ZINC_OK;
	zinc_error_copy(err, e);
	*failed = true;
	return s == r->code && r->found ? ZINC_OK : s;
}

/* ---- extension objects ---- */

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

/* The name comes first, so that what is said of the other members can mention it. */
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
		const zinc_status s = parse_member(out, m, r, err);

		zinc_report_leave(r, mark);
		ZINC_TRY(s);
	}
	return ZINC_OK;
}
