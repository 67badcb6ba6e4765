/*
 * module.c - loading stores that libzinc itself does not link: those that need a network or a database library
 *
 * A module is a file beside the shared library:
 *
 *     lib/libzinc.so.0            build/libzinc.so.0
 *     lib/zinc/store_http.so      build/zinc-modules/store_http.so      ("build/zinc" is the command)
 *
 * Promises (tests/scripts/test_modules.sh names each by its number):
 *
 * (1) The kernel says where the library is: the file that is mapped where this code runs.  Neither the name by which
 *     the program was called, nor the environment, nor the working directory decides what is loaded.
 * (2) If the program has more rights than its caller (AT_SECURE), library, module and their directories must belong to
 *     root and be writable by nobody else.
 * (3) A module is used only if it was compiled with the same headers, all of them, and is linked with this very
 *     library.
 * (4) The static library loads nothing: a module would bring a second libzinc into the program.  The same code is an
 *     archive there, which a program registers (zinc/store.h).
 */
#include "base/base.h"

const char *
zinc_build(void)
{
	static const char build[] = ZINC_BUILD;

	return build;
}

#if ZINC_LOADS_MODULES

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/auxv.h>
#include <sys/stat.h>

#define MAX_MAPS     (64 * ZINC_MIB)
#define MAPS_AT_ONCE (64 * 1024)

/* ---- the file of this library ---- */

/* All of /proc/self/maps. */
static zinc_status
read_maps(zinc_buf *out, const zinc_os *os, zinc_error *err)
{
	int dir = os->open_root(os, "/proc/self", O_PATH), fd;
	zinc_status st = ZINC_OK;
	ssize_t n = 1;

	fd = dir == -1 ? -1 : os->open_at(os, dir, "maps", O_RDONLY, 0, ZINC_LINKS_REFUSE);
	while (fd != -1 && st == ZINC_OK && n > 0) {
		st = zinc_buf_reserve(out, MAPS_AT_ONCE, err);
		if (st == ZINC_OK)
			n = os->pread(os, fd, out->p + out->n, MAPS_AT_ONCE, (off_t)out->n);
		if (st == ZINC_OK && n > 0)
			zinc_buf_end(out, out->n + (size_t)n);
	}
	if (st == ZINC_OK && (fd == -1 || n < 0))
		st = zinc_fail(err, ZINC_E_UNSUPPORTED, "cannot read /proc/self/maps, by which modules are found");
	if (fd != -1)
		os->close(os, fd);
	if (dir != -1)
		os->close(os, dir);
	if (st == ZINC_OK && !zinc_buf_text(out))
		st = zinc_fail_nomem(err);
	return st;
}

/* "7f12-7f34 r-xp 00001000 08:02 1234 /usr/lib/libzinc.so.0.1.0": does this line contain the address? */
static bool
maps_address(const char *line, uintptr_t address)
{
	char *end;
	const uintmax_t first = strtoumax(line, &end, 16);

	return *end == '-' && first <= address && address < strtoumax(end + 1, NULL, 16);
}

/* The line that contains the address; NULL: none. */
static const char *
find_line(const char *maps, uintptr_t address)
{
	const char *end;

	while (!maps_address(maps, address)) {
		end = strchr(maps, '\n');
		if (!end)
			return NULL;
		maps = end + 1;
	}
	return maps;
}

/* The file that is mapped at the address of this function, from the lines of /proc/self/maps. */
static zinc_status
own_file(zinc_buf *out, const char *maps, zinc_error *err)
{
	static const char gone[] = " (deleted)";
	const size_t ngone = sizeof gone - 1;
	const char *line = find_line(maps, (uintptr_t)own_file);
	const char *path = line ? (const char *)memchr(line, '/', strcspn(line, "\n")) : NULL;
	const size_t n = path ? strcspn(path, "\n") : 0;

	if (!path)
		return zinc_fail(err, ZINC_E_UNSUPPORTED, "cannot find the file of this library, and so its modules");
	if (n > ngone && memcmp(path + n - ngone, gone, ngone) == 0)
		return zinc_fail(err, ZINC_E_UNSUPPORTED,
				 "the file of this library was replaced while the program runs: restart the program");
	return zinc_buf_add(out, path, n, err);
}

/* ---- trust ---- */

/* E_UNSUPPORTED unless root owns it and nobody else can write it.  Links are not followed. */
static zinc_status
check_owner(const zinc_os *os, int top, const char *path, zinc_error *err)
{
	struct stat st;

	if (os->fstatat(os, top, path[1] ? path + 1 : ".", &st) != 0)
		return zinc_fail_errno(err, errno, "%s", path);
	if (st.st_uid != 0 || (st.st_mode & (S_IWGRP | S_IWOTH)) || S_ISLNK(st.st_mode))
		return zinc_fail(
		    err, ZINC_E_UNSUPPORTED,
		    "this program has more rights than its caller, so %s must be root's and writable by nobody else",
		    path);
	return ZINC_OK;
}

/* Check a path and its directory. */
static zinc_status
check_pair(const zinc_os *os, int top, char *path, zinc_error *err)
{
	char *slash = strrchr(path, '/');
	zinc_status st = check_owner(os, top, path, err);

	if (st != ZINC_OK)
		return st;
	*slash = '\0';
	st = check_owner(os, top, slash == path ? "/" : path, err);
	*slash = '/';
	return st;
}

static zinc_status
check_trust(const zinc_os *os, char *library, char *module, zinc_error *err)
{
	zinc_status st;
	int top;

	if (!getauxval(AT_SECURE))
		return ZINC_OK;
	top = os->open_root(os, "/", O_PATH);
	if (top == -1)
		return zinc_fail_errno(err, errno, "cannot open /");
	st = check_pair(os, top, library, err);
	if (st == ZINC_OK)
		st = check_pair(os, top, module, err);
	os->close(os, top);
	return st;
}

/* ---- loading ---- */

/* "<directory of the library>/<below>/<name>.so", if that file exists. */
static bool
find_below(zinc_buf *out, const zinc_os *os, const char *library, const char *below, const char *name)
{
	const size_t n = (size_t)(strrchr(library, '/') - library);
	int top = os->open_root(os, "/", O_PATH);
	struct stat st;
	bool found;

	zinc_buf_end(out, 0);
	found = top != -1 && zinc_buf_printf(out, NULL, "%.*s/%s/%s.so", (int)n, library, below, name) == ZINC_OK &&
		zinc_buf_text(out) && os->fstatat(os, top, zinc_buf_text(out) + 1, &st) == 0;
	if (top != -1)
		os->close(os, top);
	return found;
}

/* Nothing in a module is called before its build is checked. */
static zinc_status
open_module(const char *path, void **init, zinc_error *err)
{
	void *module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	const char *build, *why = module ? NULL : dlerror();

	if (!module)
		return zinc_fail(err, ZINC_E_UNSUPPORTED, "the module cannot be loaded: %s", why ? why : path);
	build = (const char *)dlsym(module, "zinc_module_build");
	*init = dlsym(module, "zinc_module_init");
	if (build && *init && strcmp(build, zinc_build()) == 0)
		return ZINC_OK;
	dlclose(module);
	return zinc_fail(err, ZINC_E_UNSUPPORTED,
			 "the module %s is of another build than the library: install both from one build", path);
}

static zinc_status
load_beside(zinc_context *ctx, char *library, const char *name, void **init, zinc_error *err)
{
	zinc_buf path;
	zinc_status st;

	zinc_buf_init(&path, ctx, 64 * ZINC_KIB);
	if (find_below(&path, ctx->os, library, "zinc-modules", name) ||
	    find_below(&path, ctx->os, library, "zinc", name)) {
		st = check_trust(ctx->os, library, (char *)path.p, err);
		if (st == ZINC_OK)
			st = open_module((const char *)path.p, init, err);
	} else {
		st = zinc_fail(err, ZINC_E_NOTFOUND,
			       "the module %s is missing: build it, and install it in zinc/ beside %s", name, library);
	}
	zinc_buf_fini(&path);
	return st;
}

zinc_status
zinc_module_load(zinc_context *ctx, const char *name, void **init, zinc_error *err)
{
	zinc_buf maps, library;
	zinc_status st;

	zinc_buf_init(&maps, ctx, MAX_MAPS);
	zinc_buf_init(&library, ctx, 64 * ZINC_KIB);
	st = read_maps(&maps, ctx->os, err);
	if (st == ZINC_OK)
		st = own_file(&library, zinc_buf_text(&maps), err);
	if (st == ZINC_OK && !zinc_buf_text(&library))
		st = zinc_fail_nomem(err);
	if (st == ZINC_OK)
		st = load_beside(ctx, (char *)library.p, name, init, err);
	zinc_buf_fini(&library);
	zinc_buf_fini(&maps);
	return st;
}

#else

zinc_status
zinc_module_load(zinc_context *ctx, const char *name, void **init, zinc_error *err)
{
	(void)ctx, (void)init;
	return zinc_fail(
	    err, ZINC_E_NOTFOUND,
	    "%s is a module, and a program linked with libzinc.a loads none: link its archive and register it "
	    "(zinc/store.h)",
	    name);
}

#endif
