/*
 * report.c - findings of the parsers of metadata
 *
 * A finding is a rule's number, a JSON pointer and a sentence.  Promises:
 *
 * (1) An error returns r->code and its text reads "<message> (rule M49, at /fill_value)".
 * (2) A lenient finding is a warning and ZINC_OK, or exactly an error when r->strict.
 *     A plain warning is never an error.
 * (3) With r->found every finding goes there and nothing is warned about; without it,
 *     warnings go to the context's callback.
 * (4) A parser that continues keeps the first unsupported item and its rule.
 */
#include "report/report.h"

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

/* Report one finding; its text stays in `message`. */
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
	zinc_rule_suffix(more, sizeof more, rule, r->pointer);
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
zinc_report_conclude(const zinc_report *r, zinc_status st, const zinc_error *e, char **unsupported,
		     char rule[ZINC_RULE_BYTES], bool *failed, zinc_error *err)
{
	if (st == ZINC_OK)
		return ZINC_OK;
	if (st == ZINC_E_UNSUPPORTED) {
		if (!*unsupported) {
			*unsupported = zinc_strdup(r->ctx, e->text);
			memcpy(rule, e->rule, sizeof e->rule);
		}
		return *unsupported ? ZINC_OK : zinc_fail_nomem(err);
	}
	if (st == r->code && *failed)
		return ZINC_OK;
	zinc_error_copy(err, e);
	*failed = true;
	return st == r->code && r->found ? ZINC_OK : st;
}
