/*
 * convention_table.c - the conventions that are built in, one row each
 */
#include "convention/convention.h"

static const zinc_convention_row *const with_check[] = {
    &zinc_convention_multiscales,   &zinc_convention_proj,     &zinc_convention_spatial, &zinc_convention_license,
    &zinc_convention_uom,           &zinc_convention_dggs,     &zinc_convention_stac,    &zinc_convention_nzug,
    &zinc_convention_missing_value, &zinc_convention_template,
};

#define NCHECK (sizeof with_check / sizeof *with_check)

const zinc_convention_row *
zinc_convention_row_at(size_t i)
{
	if (i < NCHECK)
		return with_check[i];
	i -= NCHECK;
	return i < zinc_convention_data_count ? &zinc_convention_data[i] : NULL;
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
	const zinc_convention_row *row;
	size_t i;

	for (i = 0; (row = zinc_convention_row_at(i)); i++)
		if (strcmp(row->uuid, id) == 0 || is_one_of(row->schemas, id) || is_one_of(row->specs, id) ||
		    (names && is_name(row, id)))
			return row;
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
	const zinc_convention_row *row;
	size_t i;

	for (i = 0; (row = zinc_convention_row_at(i)); i++)
		if (fn(arg, row->name, row->uuid, row->description))
			return;
}
