/*
 * store_table.c - the kinds of stores: those built in, those that programs add, and modules
 *
 * Promises (tests/unit/test_store_url.c has them under the number 5 of store_url.c):
 *
 * (1) The table can be read and extended from many threads, and works in a forked child.
 * (2) What a program has registered comes before a module of the same scheme.
 */
#include "store/store_url.h"

#define MOST_SCHEMES 64

static const zinc_store_ops *const builtin[] = {&zinc_store_ops_fs, &zinc_store_ops_memory};
#define BUILTINS (sizeof builtin / sizeof builtin[0])

static struct {
	pthread_mutex_t lock;
	pthread_once_t once;
	zinc_fork_hook fork;
	size_t n;
	const zinc_store_ops *added[MOST_SCHEMES];
} registry = {.lock = PTHREAD_MUTEX_INITIALIZER, .once = PTHREAD_ONCE_INIT};

static void
lock_registry(void *object)
{
	(void)object;
	pthread_mutex_lock(&registry.lock);
}

static void
unlock_registry(void *object)
{
	(void)object;
	pthread_mutex_unlock(&registry.lock);
}

/* Static, so it is never removed. */
static void
hook_registry(void)
{
	registry.fork.before = lock_registry;
	registry.fork.parent = unlock_registry;
	registry.fork.child = unlock_registry;
	zinc_fork_add(&registry.fork);
}

void
zinc_store_lock_names(void)
{
	pthread_once(&registry.once, hook_registry);
	pthread_mutex_lock(&registry.lock);
}

void
zinc_store_unlock_names(void)
{
	pthread_mutex_unlock(&registry.lock);
}

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

/* The registry's lock is held.  Of adapters, else of schemes. */
static const zinc_store_ops *
find_row(const char *name, size_t n, bool adapter)
{
	size_t i;

	for (i = 0; i < BUILTINS + registry.n; i++) {
		const zinc_store_ops *ops = i < BUILTINS ? builtin[i] : registry.added[i - BUILTINS];

		if (zinc_store_has_scheme(adapter ? ops->adapters : ops->schemes, name, n))
			return ops;
	}
	return NULL;
}

static zinc_status
check_free(const char *list, bool adapter, zinc_error *err)
{
	size_t len;

	for (; list && *list; list += len + (list[len] == ',')) {
		len = strcspn(list, ",");
		if (find_row(list, len, adapter) || (adapter && zinc_pipeline_is_format(list, len)))
			return zinc_fail(err, ZINC_E_EXISTS, "the %s \"%.*s\" is taken", adapter ? "adapter" : "scheme",
					 (int)len, list);
	}
	return ZINC_OK;
}

/* All of its names or none. */
static zinc_status
add_ops(const zinc_store_ops *ops, zinc_error *err)
{
	ZINC_TRY(check_free(ops->schemes, false, err));
	ZINC_TRY(check_free(ops->adapters, true, err));
	if (registry.n == MOST_SCHEMES)
		return zinc_fail(err, ZINC_E_LIMIT, "more than %d stores", MOST_SCHEMES);
	registry.added[registry.n++] = ops;
	return ZINC_OK;
}

/* What every store must have is asked here, where the programmer sees it, and again when one is opened. */
zinc_status
zinc_store_register(const zinc_store_ops *ops, zinc_error *err)
{
	zinc_status st;

	ZINC_TRY(ZINC_NEED(ops, err));
	if (ops->size < offsetof(zinc_store_ops, put) || !ops->get || !ops->caps || !ops->close)
		return zinc_fail(err, ZINC_E_INVALID, "a store needs size, get, caps and close");
	if (!(ops->schemes && ops->schemes[0]) && !(ops->adapters && ops->adapters[0]))
		return zinc_fail(err, ZINC_E_INVALID, "a store needs schemes or adapters");
	if ((ops->schemes && !ops->open) || (ops->adapters && !ops->adapt))
		return zinc_fail(err, ZINC_E_INVALID, "a store with schemes needs open, with adapters adapt");
	zinc_store_lock_names();
	st = add_ops(ops, err);
	zinc_store_unlock_names();
	return st;
}

/* Rows are copied out first, so that whoever looks at them may open stores. */
static size_t
copy_rows(const zinc_store_ops *all[BUILTINS + MOST_SCHEMES])
{
	size_t n;

	memcpy(all, builtin, sizeof builtin);
	zinc_store_lock_names();
	memcpy(all + BUILTINS, registry.added, registry.n * sizeof registry.added[0]);
	n = BUILTINS + registry.n;
	zinc_store_unlock_names();
	return n;
}

void
zinc_store_each(zinc_row_fn fn, void *arg)
{
	const zinc_store_ops *all[BUILTINS + MOST_SCHEMES];
	const size_t n = copy_rows(all);
	size_t i;

	for (i = 0; i < n; i++)
		if (fn(arg, all[i]->name ? all[i]->name : "", all[i]->schemes ? all[i]->schemes : all[i]->adapters,
		       all[i]->purpose ? all[i]->purpose : "") != 0)
			return;
	(void)zinc_store_module_each(fn, arg);
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
	const zinc_store_ops *all[BUILTINS + MOST_SCHEMES];
	const size_t n = copy_rows(all);
	size_t i;

	for (i = 0; i < n; i++)
		if (zinc_store_row_settings(all[i], fn, arg) != 0)
			return;
	(void)zinc_store_module_each_setting(zinc_context_get(ctx), fn, arg);
}

bool
zinc_store_is_name(const char *name, size_t n)
{
	const zinc_store_ops *all[BUILTINS + MOST_SCHEMES];
	const size_t rows = copy_rows(all);
	size_t i;

	for (i = 0; i < rows; i++)
		if (all[i]->name && strlen(all[i]->name) == n && memcmp(all[i]->name, name, n) == 0)
			return true;
	return zinc_store_is_module_name(name, n);
}

/* The table only grows and rows live for ever, so the row can be used without the lock. */
static zinc_status
find_or_load(const zinc_store_ops **out, zinc_context *ctx, const char *name, size_t n, bool adapter, zinc_error *err)
{
	zinc_store_lock_names();
	*out = find_row(name, n, adapter);
	zinc_store_unlock_names();
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
	return *out ? ZINC_OK
		    : zinc_fail(err, ZINC_E_UNSUPPORTED, "no adapter \"%.*s\" for what follows '|'", (int)n, name);
}
