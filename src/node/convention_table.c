/*
 * convention_table.c - the conventions that are built in, one row each
 */
#include "node/convention.h"

static const zinc_convention_row *const rows[] = {
    &zinc_convention_multiscales,
    &zinc_convention_proj,
    &zinc_convention_spatial,
    &zinc_convention_license,
    &zinc_convention_uom,
    &zinc_convention_dggs,
    &zinc_convention_stac,
    &zinc_convention_cf,
    &zinc_convention_nzug,
    &zinc_convention_thumbnails,
    &zinc_convention_missing_value,
    &zinc_convention_ref,
    &zinc_convention_cs,
    &zinc_convention_geolocation,
    &zinc_convention_tbl,
    &zinc_convention_geoemb,
    &zinc_convention_tessera,
    &zinc_convention_enum,
    &zinc_convention_df,
    &zinc_convention_template,
};

#define NROWS (sizeof rows / sizeof *rows)

const zinc_convention_row *
zinc_convention_row_at(size_t i)
{
	return i < NROWS ? rows[i] : NULL;
}

static bool
is_one_of(const char *const *list, const char *s)
{
	for (; list && *list; list++)
		if (strcmp(*list, s) == 0)
			return true;
	return false;
}

/* "proj" and "proj:" are the same name. */
static bool
is_name(const zinc_convention_row *row, const char *s)
{
	const size_t n = strlen(row->name);

	return strncmp(row->name, s, n) == 0 && (s[n] == '\0' || (s[n] == ':' && s[n + 1] == '\0'));
}

const zinc_convention_row *
zinc_convention_find(const char *id, bool names)
{
	size_t i;

	for (i = 0; i < NROWS; i++)
		if (strcmp(rows[i]->uuid, id) == 0 || is_one_of(rows[i]->schemas, id) ||
		    is_one_of(rows[i]->specs, id) || (names && is_name(rows[i], id)))
			return rows[i];
	return NULL;
}

bool
zinc_convention_owns(const zinc_convention_row *row, const char *key)
{
	const size_t n = row->prefix ? strlen(row->prefix) : 0;

	if (n > 0 && row->prefix[n - 1] == ':')
		return strncmp(row->prefix, key, n) == 0;
	return (n > 0 && strcmp(row->prefix, key) == 0) || is_one_of(row->names, key);
}

void
zinc_list_conventions(zinc_row_fn fn, void *arg)
{
	size_t i;

	for (i = 0; i < NROWS; i++)
		if (fn(arg, rows[i]->name, rows[i]->uuid, rows[i]->description))
			return;
}
