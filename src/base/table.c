/*
 * table.c - tables of named objects: codecs, data types, grids, stores ...
 *
 * A table has built-in rows and rows that programs add.  Promises (tests/unit/test_table.c names each by its number):
 *
 * (1) No two rows have the same name, alias or URI, except among the built-in ones.  If several threads add the same
 *     name, exactly one succeeds.
 * (2) Once added, a row is found by every later call.
 * (3) No function here takes a lock, so a fork at any moment leaves none held.
 */
#include "base/base.h"

const void *
zinc_table_row(zinc_table *t, size_t i)
{
	if (i < t->nbuiltin)
		return t->builtin[i];
	i -= t->nbuiltin;
	return i < ZINC_TABLE_ROOM ? atomic_load(&t->added[i]) : NULL;
}

bool
zinc_table_is_builtin(const zinc_table *t, const void *row)
{
	size_t i;

	for (i = 0; i < t->nbuiltin; i++)
		if (t->builtin[i] == row)
			return true;
	return false;
}

/* ---- finding ---- */

static bool
has_name(const zinc_names *n, const char *name)
{
	const char *const *alias;

	if (strcmp(n->name, name) == 0)
		return true;
	for (alias = n->aliases; alias && *alias; alias++)
		if (strcmp(*alias, name) == 0)
			return true;
	return false;
}

const void *
zinc_table_find(zinc_table *t, const char *name)
{
	const void *row;
	size_t i;

	for (i = 0; (row = zinc_table_row(t, i)); i++) {
		const zinc_names n = t->names(row);

		if (has_name(&n, name))
			return row;
	}
	return NULL;
}

const void *
zinc_table_find_uri(zinc_table *t, const char *uri, zinc_uri_match *match)
{
	const void *row, *found = NULL;
	size_t i;

	*match = ZINC_URI_OTHER;
	for (i = 0; (row = zinc_table_row(t, i)); i++) {
		const zinc_uri_match one = zinc_uri_among(t->names(row).uris, uri);

		if (one > *match) {
			*match = one;
			found = row;
		}
	}
	return *match >= ZINC_URI_MINOR ? found : NULL;
}

int
zinc_table_each(zinc_table *t, zinc_row_fn fn, void *arg)
{
	const void *row;
	size_t i;

	for (i = 0; (row = zinc_table_row(t, i)); i++) {
		const zinc_names n = t->names(row);

		if (fn(arg, n.name, n.also ? n.also : "", n.purpose ? n.purpose : ""))
			return 1;
	}
	return 0;
}

/* ---- adding ---- */

/* The first name in `list` that the row `n` also has; NULL: none. */
static const char *
shared_name(const zinc_names *n, const char *const *list)
{
	for (; list && *list; list++)
		if (has_name(n, *list) || zinc_uri_among(n->uris, *list) >= ZINC_URI_MINOR)
			return *list;
	return NULL;
}

zinc_status
zinc_table_clash(const zinc_table *t, const void *row, const void *other, zinc_error *err)
{
	const zinc_names a = t->names(row), b = t->names(other);
	const char *const name[] = {a.name, NULL};
	const char *both = shared_name(&b, name);

	both = both ? both : shared_name(&b, a.aliases);
	both = both ? both : shared_name(&b, a.uris);
	return both ? zinc_fail(err, ZINC_E_EXISTS, "%s \"%s\" is already registered", t->what, both) : ZINC_OK;
}

/* All threads try the same places in the same order: a thread that loses a place compares its row with the winner's. */
zinc_status
zinc_table_add(zinc_table *t, const void *row, zinc_error *err)
{
	zinc_status (*clash)(const zinc_table *, const void *, const void *, zinc_error *) =
	    t->clash ? t->clash : zinc_table_clash;
	size_t i;

	if (!row || !t->names(row).name || !*t->names(row).name)
		return zinc_fail(err, ZINC_E_INVALID, "%s needs a name", t->what);
	for (i = 0; i < t->nbuiltin; i++)
		ZINC_TRY(clash(t, row, t->builtin[i], err));
	for (i = 0; i < ZINC_TABLE_ROOM; i++) {
		const void *seen = NULL;

		if (atomic_compare_exchange_strong(&t->added[i], &seen, row))
			return ZINC_OK;
		ZINC_TRY(clash(t, row, seen, err));
	}
	return zinc_fail(err, ZINC_E_LIMIT, "cannot register \"%s\": the table already has %d", t->names(row).name,
			 ZINC_TABLE_ROOM);
}

zinc_status
zinc_table_add_copy(zinc_table *t, const void *row, size_t nbytes, zinc_error *err)
{
	void *copy = zinc_alloc(NULL, nbytes);
	zinc_status st;

	if (!copy)
		return zinc_fail_nomem(err);
	memcpy(copy, row, nbytes);
	st = zinc_table_add(t, copy, err);
	if (st != ZINC_OK)
		zinc_free(NULL, copy);
	return st; /* the copy is never freed */
}
