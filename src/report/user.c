/*
 * user.c - <zinc/extend.h>: what all things that programs register share
 *
 * Programs get configurations as text and return a status; documents have JSON, and their faults are findings.
 */
#include <zinc/extend.h>

#include "report/report.h"

zinc_status
zinc_error_set(zinc_error *err, zinc_status st, const char *text)
{
	return zinc_fail(err, st, "%s", text ? text : "");
}

zinc_status
zinc_user_text(char **out, zinc_context *ctx, const zinc_json *v, zinc_error *err)
{
	zinc_status st;
	zinc_buf b;

	*out = NULL;
	if (!v)
		return ZINC_OK;
	zinc_buf_init(&b, ctx, zinc_max_text(ctx));
	st = zinc_json_print_line(v, &b, err);
	if (st == ZINC_OK) {
		*out = zinc_strndup(ctx, (const char *)b.p, b.n);
		if (!*out)
			st = zinc_fail_nomem(err);
	}
	zinc_buf_fini(&b);
	return st;
}

/* The text was printed by us, or comes from a program: then a mistake in it is an error like any other. */
zinc_status
zinc_user_json(zinc_json **out, zinc_json_doc *doc, const char *text, zinc_error *err)
{
	zinc_json_doc *given = NULL;

	*out = NULL;
	if (!text)
		return ZINC_OK;
	ZINC_TRY(zinc_json_parse(&given, zinc_json_context(doc), text, strlen(text), 0, err));
	*out = zinc_json_copy(doc, zinc_json_root(given));
	zinc_json_free(given);
	return *out ? ZINC_OK : zinc_fail_nomem(err);
}

zinc_json *
zinc_user_object(zinc_json_doc *doc, const char *text)
{
	zinc_json *v = NULL;

	(void)!zinc_user_json(&v, doc, text ? text : "{}", NULL);
	return v;
}

zinc_status
zinc_user_status(zinc_status st, const char *name, zinc_error *err)
{
	if (st == ZINC_OK || (err && err->code == st))
		return st;
	return zinc_fail(err, st, "\"%s\" failed: %s", name, zinc_status_text(st));
}

/* Whatever a program's open() says of a configuration is said of the document: E_CORRUPT of a stored one, E_INVALID of
 * a caller's.  Only memory and what is not supported keep their own status. */
zinc_status
zinc_user_finding(zinc_status st, const char *name, zinc_report *r, zinc_error *err)
{
	zinc_error why = ZINC_ERROR_INIT;

	if (st == ZINC_OK || st == ZINC_E_NOMEM)
		return st == ZINC_OK ? st : zinc_fail_nomem(err);
	if (err && err->code == st)
		zinc_error_copy(&why, err);
	if (st == ZINC_E_UNSUPPORTED)
		return zinc_report_unsupported(r, name, err, "\"%s\": %s", name, why.text);
	return zinc_report_error(r, name, err, "\"%s\" refuses its configuration: %s", name, why.text);
}

zinc_status
zinc_user_append(zinc_buf *out, zinc_user_print print, const void *arg, zinc_error *err)
{
	char text[128];
	size_t n = print(arg, text, sizeof text);

	if (n < sizeof text)
		return zinc_buf_add(out, text, n, err);
	ZINC_TRY(zinc_buf_reserve(out, n, err)); /* and the byte behind, which every buffer has */
	if (print(arg, (char *)out->p + out->n, n + 1) != n)
		return zinc_fail(err, ZINC_E_INVALID, "a text that changes its length between two calls");
	zinc_buf_end(out, out->n + n);
	return ZINC_OK;
}
