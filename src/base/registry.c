/*
 * registry.c - what programs add to the library's tables: data types, grids, keys
 *
 * Promises:
 *
 * (1) Of several threads that add the same name exactly one succeeds.
 * (2) Once added, a row is found by every later call, for ever.
 * (3) Nothing here locks or allocates, so a fork in the middle leaves nothing held.
 */
#include "base/base.h"

static const char *
row_name(const void *row)
{
	return *(const char *const *)row;
}

zinc_status
zinc_registry_add(zinc_registry *g, const void *row, zinc_error *err)
{
	size_t i;

	if (!row || !row_name(row) || !*row_name(row))
		return zinc_fail(err, ZINC_E_INVALID, "what is registered needs a name");
	/* Every adder walks the same slots in the same order: whoever loses a slot sees the winner's name. */
	for (i = 0; i < ZINC_REGISTRY_SLOTS; i++) {
		const void *seen = NULL;

		if (atomic_compare_exchange_strong(&g->slot[i], &seen, row))
			return ZINC_OK;
		if (strcmp(row_name(seen), row_name(row)) == 0)
			return zinc_fail(err, ZINC_E_EXISTS, "\"%s\" is registered already", row_name(row));
	}
	return zinc_fail(err, ZINC_E_LIMIT, "no room to register \"%s\": %d are there", row_name(row),
			 ZINC_REGISTRY_SLOTS);
}

const void *
zinc_registry_item(zinc_registry *g, size_t i)
{
	return i < ZINC_REGISTRY_SLOTS ? atomic_load(&g->slot[i]) : NULL;
}

const void *
zinc_registry_find(zinc_registry *g, const char *name)
{
	const void *row;
	size_t i;

	for (i = 0; (row = zinc_registry_item(g, i)); i++)
		if (strcmp(row_name(row), name) == 0)
			return row;
	return NULL;
}
