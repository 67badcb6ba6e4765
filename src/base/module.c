/*
 * module.c - loading what libzinc itself does not link: stores that need a network or a database library
 *
 * A module is looked for beside whatever holds this code, the shared library or a program that was linked with the
 * static one:
 *
 *     lib/libzinc.so.0            build/libzinc.so.0
 *     lib/zinc/store_http.so      build/zinc-modules/store_http.so      ("build/zinc" is the command)
 *
 * Nowhere else: neither the environment nor the working directory can make a program load something.
 */
#include <dlfcn.h>

#include "base/base.h"

/* The directory of the file that holds this function, with its slash. */
static zinc_status
own_directory(zinc_buf *out, zinc_error *err)
{
	Dl_info info;
	const char *slash;
	void *here;
	zinc_status (*self)(zinc_buf *, zinc_error *) = own_directory;

	memcpy(&here, &self, sizeof here); /* ISO C has no cast from a function to an object */
	slash = dladdr(here, &info) && info.dli_fname ? strrchr(info.dli_fname, '/') : NULL;
	if (!slash)
		return zinc_fail(err, ZINC_E_UNSUPPORTED, "cannot find where modules lie");
	return zinc_buf_add(out, info.dli_fname, (size_t)(slash - info.dli_fname) + 1, err);
}

/* NULL when it cannot be loaded from there. */
static void *
try_load(zinc_buf *path, size_t ndir, const char *below, const char *name, zinc_error *err)
{
	path->n = ndir;
	if (zinc_buf_printf(path, err, "%s/%s.so", below, name) != ZINC_OK)
		return NULL;
	return dlopen(zinc_buf_text(path), RTLD_NOW | RTLD_LOCAL);
}

zinc_status
zinc_module_load(zinc_context *ctx, const char *name, void **init, zinc_error *err)
{
	void *module = NULL;
	const char *why;
	zinc_status st;
	zinc_buf path;

	zinc_buf_init(&path, ctx, 64 * ZINC_KIB);
	st = own_directory(&path, err);
	if (st == ZINC_OK) {
		const size_t n = path.n;

		module = try_load(&path, n, "zinc-modules", name, err);
		if (!module)
			module = try_load(&path, n, "zinc", name, err);
		why = module ? NULL : dlerror();
		*init = module ? dlsym(module, "zinc_module_init") : NULL;
		if (!*init)
			st = zinc_fail(
			    err, ZINC_E_UNSUPPORTED,
			    "the module %s cannot be loaded; was it built, and installed beside the library? %s", name,
			    why ? why : "");
	}
	zinc_buf_fini(&path);
	return st;
}
