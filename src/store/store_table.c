/*
 * store_table.c - the kinds of stores: built in, registered by programs, and modules
 *
 * Promises (tests/unit/test_store_url.c has them under the number 5 of store_url.c):
 *
 * (1) The table can be read and extended from many threads, and works in a forked child.
 * (2) A store registered by a program is preferred to a module of the same scheme.
 */
#include <stdio.h>

#include "store/store_url.h"

bool
zinc_store_has_scheme(const char *list, const char *scheme, size_t n)
{
	size_t len;

	for (; list && *list; list += len + (list[len] == ',')) {
		len = strcspn(list, ",");
		if (len == n && zinc_url_same(list, scheme, n))
			return true;
	}
	return false;
}

/* The first name in `list` that `ops` also has, as adapter or as scheme, and its length; NULL: none. */
static const char *
shared_name(const zinc_store_ops *ops, const char *list, bool adapter, size_t *n)
{
	for (; list && *list; list += *n + (list[*n] == ',')) {
		*n = strcspn(list, ",");
		if (zinc_store_has_scheme(adapter ? ops->adapters : ops->schemes, list, *n))
			return list;
	}
	return NULL;
}

/* A store is refused if one of its names is already registered. */
static zinc_status
clash(const zinc_table *t, const void *row, const void *other, zinc_error *err)
{
	const zinc_store_ops *ops = row;
	size_t n = 0;
	const char *scheme = shared_name(other, ops->schemes, false, &n);
	const char *adapter = scheme ? NULL : shared_name(other, ops->adapters, true, &n);

	(void)t;
	if (!scheme && !adapter)
		return ZINC_OK;
	return zinc_fail(err, ZINC_E_EXISTS, "the %s \"%.*s\" is already registered", scheme ? "scheme" : "adapter",
			 (int)n, scheme ? scheme : adapter);
}

/* Stores are found by schemes and adapters, and each store has some; ops->name is only shown and may be NULL. */
static zinc_names
names_of(const void *row)
{
	const zinc_store_ops *ops = row;

	return (zinc_names){.name = ops->schemes ? ops->schemes : ops->adapters};
}

static const void *const builtin[] = {&zinc_store_ops_fs, &zinc_store_ops_memory, &zinc_store_ops_cache,
				      &zinc_store_ops_zip};
static zinc_table stores = {.what = "a store", ZINC_TABLE_ROWS(builtin), .names = names_of, .clash = clash};

static const zinc_store_ops *
find_row(const char *name, size_t n, bool adapter)
{
	const zinc_store_ops *ops;
	size_t i;

	for (i = 0; (ops = zinc_table_row(&stores, i)); i++)
		if (zinc_store_has_scheme(adapter ? ops->adapters : ops->schemes, name, n))
			return ops;
	return NULL;
}

bool
zinc_store_find_ending(zinc_ending *out, const char *name, size_t n)
{
	const bool listed = zinc_store_module_ending(out, name, n);
	const zinc_store_ops *ops;
	size_t i;

	for (i = 0; (ops = zinc_table_row(&stores, i)); i++)
		if (ZINC_STORE_HAS(ops, endings) && zinc_store_has_ending(name, n, ops->endings)) {
			*out = (zinc_ending){ops->adapters, ops->schemes, listed ? out->marker : NULL};
			return true;
		}
	return listed;
}

int
zinc_store_opens_file(const char *name)
{
	zinc_ending ignored;

	return name && zinc_store_find_ending(&ignored, name, strlen(name));
}

/* The name after a '|' may also be that of a format. */
static zinc_status
check_adapters(const char *list, zinc_error *err)
{
	size_t n;

	for (; list && *list; list += n + (list[n] == ',')) {
		n = strcspn(list, ",");
		if (zinc_pipeline_is_format(list, n))
			return zinc_fail(err, ZINC_E_EXISTS, "the adapter \"%.*s\" is already registered", (int)n,
					 list);
	}
	return ZINC_OK;
}

/* Required slots are checked here, where the programmer sees the error, and again at open. */
zinc_status
zinc_store_register(const zinc_store_ops *ops, zinc_error *err)
{
	ZINC_TRY(ZINC_NEED(ops, err));
	if (ops->size < offsetof(zinc_store_ops, put) || !ops->get || !ops->caps || !ops->close)
		return zinc_fail(err, ZINC_E_INVALID, "a store needs size, get, caps and close");
	if (!(ops->schemes && ops->schemes[0]) && !(ops->adapters && ops->adapters[0]))
		return zinc_fail(err, ZINC_E_INVALID, "a store needs schemes or adapters");
	if ((ops->schemes && !ops->open) || (ops->adapters && !ops->adapt))
		return zinc_fail(err, ZINC_E_INVALID, "a store with schemes needs open, with adapters adapt");
	ZINC_TRY(check_adapters(ops->adapters, err));
	return zinc_table_add(&stores, ops, err);
}

void
zinc_store_each(zinc_row_fn fn, void *arg)
{
	const zinc_store_ops *ops;
	size_t i;

	for (i = 0; (ops = zinc_table_row(&stores, i)); i++)
		if (fn(arg, ops->name ? ops->name : "", names_of(ops).name, ops->purpose ? ops->purpose : "") != 0)
			return;
	(void)zinc_store_module_each(fn, arg);
}

bool
zinc_store_is_registered(const char *name, bool adapter)
{
	return find_row(name, strlen(name), adapter) != NULL;
}

void
zinc_store_each_row(zinc_context *ctx, zinc_store_row_fn fn, void *arg)
{
	const zinc_store_ops *ops;
	size_t i;

	for (i = 0; (ops = zinc_table_row(&stores, i)); i++) {
		zinc_store_row row = {sizeof row, ops->name, ops->schemes, ops->adapters, ops->purpose, 0, NULL, NULL};

		if (ZINC_STORE_HAS(ops, flags))
			row.flags = ops->flags;
		if (ZINC_STORE_HAS(ops, endings))
			row.endings = ops->endings;
		if (fn(arg, &row) != 0)
			return;
	}
	(void)zinc_store_module_each_row(zinc_context_get(ctx), fn, arg);
}

size_t
zinc_caps_show(char *out, size_t cap, uint32_t flags)
{
	/* by bit */
	static const char *const words[] = {
	    "read",
	    "range",
	    "suffix-range",
	    "list",
	    "write",
	    "erase",
	    "atomic-put",
	    "durable",
	    "cas",
	    "read-after-write",
	    "list-after-write",
	    "remote",
	    "update",
	    "tags",
	    "folds-case",
	    "normalises",
	};
	size_t i, n = 0;

	out[0] = '\0';
	for (i = 0; i < sizeof words / sizeof words[0]; i++)
		if ((flags >> i & 1) && n + 1 < cap)
			n += (size_t)snprintf(out + n, cap - n, "%s%s", n ? " " : "", words[i]);
	return n < cap ? n : cap - 1;
}

int
zinc_store_row_settings(const zinc_store_ops *ops, zinc_setting_fn fn, void *arg)
{
	const zinc_setting_row *row;

	for (row = ops->settings; row && row->name; row++)
		if (fn(arg, ops->name ? ops->name : "", row) != 0)
			return 1;
	return 0;
}

void
zinc_store_each_setting(zinc_context *ctx, zinc_setting_fn fn, void *arg)
{
	const zinc_store_ops *ops;
	size_t i;

	for (i = 0; (ops = zinc_table_row(&stores, i)); i++)
		if (zinc_store_row_settings(ops, fn, arg) != 0)
			return;
	(void)zinc_store_module_each_setting(zinc_context_get(ctx), fn, arg);
}

bool
zinc_store_is_name(const char *name, size_t n)
{
	const zinc_store_ops *ops;
	size_t i;

	for (i = 0; (ops = zinc_table_row(&stores, i)); i++)
		if (ops->name && strlen(ops->name) == n && memcmp(ops->name, name, n) == 0)
			return true;
	return zinc_store_is_module_name(name, n);
}

bool
zinc_store_is_scheme(const char *name, size_t n)
{
	return find_row(name, n, false) || zinc_store_is_module_scheme(name, n);
}

static zinc_status
find_or_load(const zinc_store_ops **out, zinc_context *ctx, const char *name, size_t n, bool adapter, zinc_error *err)
{
	*out = find_row(name, n, adapter);
	return *out ? ZINC_OK : zinc_store_module_find(out, ctx, name, n, adapter, err);
}

zinc_status
zinc_store_find(const zinc_store_ops **out, zinc_context *ctx, const char *scheme, zinc_error *err)
{
	ZINC_TRY(find_or_load(out, ctx, scheme, strlen(scheme), false, err));
	return *out ? ZINC_OK : zinc_fail(err, ZINC_E_INVALID, "no store for the scheme \"%s\"", scheme);
}

zinc_status
zinc_store_find_adapter(const zinc_store_ops **out, zinc_context *ctx, const char *name, size_t n, zinc_error *err)
{
	ZINC_TRY(find_or_load(out, ctx, name, n, true, err));
	return *out ? ZINC_OK : zinc_fail(err, ZINC_E_UNSUPPORTED, "unknown adapter \"%.*s\" after '|'", (int)n, name);
}
