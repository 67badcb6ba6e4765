/*
 * validate_case.c - siblings whose names differ only in case, for formats that forbid them
 *
 * Nodes are sorted by path, ignoring case.  Then two such siblings, or anything below them, are neighbours:
 *
 *   Foo/a/     the first name that differs is "Foo", which equals "foo" except for its case
 *   foo/b/
 */
#include <stdlib.h>

#include "tool/tool.h"

static int
lower(char c)
{
	return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : (unsigned char)c;
}

static int
compare(const void *a, const void *b)
{
	const char *x = *(const char *const *)a, *y = *(const char *const *)b;
	size_t i;

	for (i = 0; x[i] && lower(x[i]) == lower(y[i]); i++)
		;
	return x[i] || y[i] ? lower(x[i]) - lower(y[i]) : strcmp(x, y);
}

/* Bytes up to the end of the first name that differs from the other one only in case; 0: none. */
static size_t
clash(const char *a, const char *b)
{
	size_t i, n;

	for (i = 0; a[i] && a[i] == b[i]; i++)
		;
	for (n = i; a[n] && a[n] != '/' && lower(a[n]) == lower(b[n]); n++)
		;
	return n > i && a[n] == '/' && b[n] == '/' ? n : 0;
}

static zinc_status
report(zinc_check *c, const char *first, const char *second, size_t n, zinc_error *err)
{
	zinc_finding f = {.level = c->o.strict ? ZINC_LEVEL_ERROR : ZINC_LEVEL_WARNING, .rule = "case"};
	zinc_buf path, message;
	zinc_status st;

	zinc_buf_init(&path, c->ctx, ZINC_MAX_KEY);
	zinc_buf_init(&message, c->ctx, ZINC_MAX_KEY);
	st = zinc_check_path(&path, second, n + 1, err);
	if (st == ZINC_OK)
		st = zinc_buf_printf(&message, err,
				     "its name differs from that of \"/%.*s\" only in case; stores that ignore case "
				     "cannot hold both",
				     (int)(n < 200 ? n : 200), first);
	f.path = zinc_buf_text(&path);
	f.message = zinc_buf_text(&message);
	if (st == ZINC_OK && (!f.path || !f.message))
		st = zinc_fail_nomem(err);
	if (st == ZINC_OK)
		zinc_check_found(c, &f);
	zinc_buf_fini(&path);
	zinc_buf_fini(&message);
	return st;
}

/* Once for each pair of names, however much is below them. */
zinc_status
zinc_check_case(zinc_check *c, zinc_error *err)
{
	const char **paths = zinc_calloc(c->ctx, c->nnodes + 1, sizeof *paths), *told = "";
	zinc_status st = ZINC_OK;
	size_t i, n, ntold = 0;

	if (!paths)
		return zinc_fail_nomem(err);
	for (i = 0; i < c->nnodes; i++)
		paths[i] = c->nodes[i].prefix;
	qsort(paths, c->nnodes, sizeof *paths, compare);
	for (i = 1; i < c->nnodes && st == ZINC_OK && !c->stopped; i++) {
		n = clash(paths[i - 1], paths[i]);
		if (n == 0 || (n == ntold && strncmp(told, paths[i], n) == 0) ||
		    (n == ntold && strncmp(told, paths[i - 1], n) == 0))
			continue;
		st = report(c, paths[i - 1], paths[i], n, err);
		told = paths[i];
		ntold = n;
	}
	zinc_free(c->ctx, paths);
	return st;
}
