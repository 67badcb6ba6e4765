/*
 * store_module.c - stores that libzinc does not link: each a module, loaded when its scheme is first used
 *
 * The table is all that the library itself knows of them, so that `zinc stores` can show what there is without
 * loading anything.
 */
#include <stdio.h>

#include "store/store_inside.h"

static const struct module {
	const char *name; /* zinc/store_<name>.so */
	const char *schemes;
	const char *purpose;
} modules[] = {
    {"http", "http,https", "what a web server has below a URL, read only; a module"},
};
#define MODULES (sizeof modules / sizeof modules[0])

/* Loading again what is loaded costs a few microseconds, so nothing is remembered here. */
static zinc_status
load(const zinc_store_ops **out, zinc_context *ctx, const struct module *m, const char *scheme, zinc_error *err)
{
	zinc_module_init_fn init;
	char name[32];
	void *symbol = NULL;

	snprintf(name, sizeof name, "store_%s", m->name);
	ZINC_TRY(zinc_module_load(ctx, name, &symbol, err));
	memcpy(&init, &symbol, sizeof init);
	*out = init(zinc_build(), scheme);
	if (!*out)
		return zinc_fail(err, ZINC_E_UNSUPPORTED, "the module %s is linked with another libzinc than this one",
				 name);
	return ZINC_OK;
}

zinc_status
zinc_store_module_find(const zinc_store_ops **out, zinc_context *ctx, const char *scheme, zinc_error *err)
{
	const size_t n = strlen(scheme);
	size_t i;

	*out = NULL;
	for (i = 0; i < MODULES; i++)
		if (zinc_store_has_scheme(modules[i].schemes, scheme, n))
			return load(out, ctx, &modules[i], scheme, err);
	return ZINC_OK;
}

int
zinc_store_module_each(zinc_row_fn fn, void *arg)
{
	size_t i;

	for (i = 0; i < MODULES; i++)
		if (fn(arg, modules[i].name, modules[i].schemes, modules[i].purpose) != 0)
			return 1;
	return 0;
}

bool
zinc_store_is_module_name(const char *name, size_t n)
{
	size_t i;

	for (i = 0; i < MODULES; i++)
		if (strlen(modules[i].name) == n && memcmp(modules[i].name, name, n) == 0)
			return true;
	return false;
}

/* One that cannot be loaded tells so when it is used. */
int
zinc_store_module_each_setting(zinc_context *ctx, zinc_setting_fn fn, void *arg)
{
	const zinc_store_ops *ops;
	char scheme[32];
	size_t i;

	for (i = 0; i < MODULES; i++) {
		snprintf(scheme, sizeof scheme, "%.*s", (int)strcspn(modules[i].schemes, ","), modules[i].schemes);
		if (load(&ops, ctx, &modules[i], scheme, NULL) == ZINC_OK && zinc_store_row_settings(ops, fn, arg) != 0)
			return 1;
	}
	return 0;
}
