/*
 * test_store_fs_path.c - directories and names: promise 10 of store_fs.c, and directories that are never removed
 *
 * A case-insensitive file system is simulated by a table of OS calls that first searches for an entry of the same
 * folded name.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <strings.h>
#include <unistd.h>

#include "store/store_fs.h"
#include "support/files.h"
#include "support/gets.h"
#include "support/test.h"

/* ---- a file system that folds ---- */

static bool folds_case, normalises;

/* Lower case, and e + combining acute accent as one character. */
static void
fold(char *out, size_t cap, const char *name)
{
	size_t n = 0;

	for (; *name && n + 2 < cap; name++) {
		if (normalises && strncmp(name, "e\xCC\x81", 3) == 0) {
			out[n++] = '\xC3';
			out[n++] = '\xA9';
			name += 2;
		} else if (folds_case && *name >= 'A' && *name <= 'Z') {
			out[n++] = (char)(*name - 'A' + 'a');
		} else {
			out[n++] = *name;
		}
	}
	out[n] = '\0';
}

/* The entry of `dir` that has the same folded name, or the name itself. */
static void
find_folded(int dir, const char *prefix, const char *name, char *out, size_t cap)
{
	int fd = openat(dir, prefix[0] ? prefix : ".", O_RDONLY | O_DIRECTORY);
	DIR *d = fd == -1 ? NULL : fdopendir(fd);
	char want[300], have[300];
	struct dirent *e;

	snprintf(out, cap, "%s", name);
	fold(want, sizeof want, name);
	while (d && (e = readdir(d))) {
		fold(have, sizeof have, e->d_name);
		if (strcmp(want, have) == 0)
			snprintf(out, cap, "%s", e->d_name);
	}
	if (d)
		closedir(d);
}

static void
fold_path(int dir, const char *path, char *out, size_t cap)
{
	char component[300], real[300];
	size_t n, used = 0;

	out[0] = '\0';
	while (*path) {
		n = strcspn(path, "/");
		snprintf(component, sizeof component, "%.*s", (int)n, path);
		find_folded(dir, out, component, real, sizeof real);
		snprintf(out + used, cap - used, "%s%s", used ? "/" : "", real);
		used = strlen(out);
		path += n + (path[n] == '/');
	}
}

static int
folding_open(const zinc_os *self, int dir, const char *path, int flags, mode_t mode, int links)
{
	char real[5000];

	(void)self;
	fold_path(dir, path, real, sizeof real);
	return zinc_os_posix.open_at(&zinc_os_posix, dir, real, flags, mode, links);
}

static int
folding_stat(const zinc_os *self, int dir, const char *name, struct stat *st)
{
	char real[300];

	(void)self;
	find_folded(dir, "", name, real, sizeof real);
	return zinc_os_posix.fstatat(&zinc_os_posix, dir, real, st);
}

static int
folding_unlink(const zinc_os *self, int dir, const char *name, int flags)
{
	char real[300];

	(void)self;
	find_folded(dir, "", name, real, sizeof real);
	return zinc_os_posix.unlinkat(&zinc_os_posix, dir, real, flags);
}

static int
folding_rename(const zinc_os *self, int from, const char *a, int to, const char *b)
{
	char x[300], y[300];

	(void)self;
	find_folded(from, "", a, x, sizeof x);
	find_folded(to, "", b, y, sizeof y);
	return zinc_os_posix.renameat(&zinc_os_posix, from, x, to, y);
}

static zinc_os folding;

static void
open_folding(fs_rig *rig, bool by_case, bool by_form)
{
	folds_case = by_case;
	normalises = by_form;
	folding = zinc_os_posix;
	folding.open_at = folding_open;
	folding.fstatat = folding_stat;
	folding.unlinkat = folding_unlink;
	folding.renameat = folding_rename;
	make_empty("d");
	rig_open(rig, "d", &folding, ZINC_STORE_OPTIONS(.relaxed = 1));
}

/* ---- promise 10 ---- */

static uint32_t
folding_flags(zinc_store *s)
{
	zinc_caps caps = ZINC_CAPS_INIT;

	zinc_store_caps(s, &caps);
	return caps.flags & (ZINC_CAP_FOLDS_CASE | ZINC_CAP_NORMALISES);
}

static void
refuse(zinc_store *s, const char *key)
{
	zinc_error err = ZINC_ERROR_INIT;

	assert_int_equal(zinc_store_put(s, NULL, key, "x", 1, NULL, 0, NULL, NULL, &err), ZINC_E_EXISTS);
	assert_non_null(strstr(err.text, "folds"));
	assert_string_equal(err.key, key);
}

static void
a_base_that_folds_case(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	fs_rig rig;

	(void)state;
	open_folding(&rig, true, false);
	assert_int_equal(folding_flags(rig.store), 0);
	put_text(rig.store, "Dir/Key", "1");
	assert_int_equal(folding_flags(rig.store), ZINC_CAP_FOLDS_CASE);
	put_text(rig.store, "Dir/Key", "2"); /* the same key again */
	assert_text(rig.store, "Dir/Key", "2");
	refuse(rig.store, "Dir/key");
	refuse(rig.store, "dir/Key");
	refuse(rig.store, "dir/other");
	put_text(rig.store, "Dir/other", "3");
	assert_text(rig.store, "Dir/Key", "2");
	assert_string_equal(tree("d"), "Dir/ Dir/Key Dir/other");
	assert_int_equal(zinc_store_put(rig.store, NULL, "DIR", "x", 1, NULL, 0, NULL, NULL, &err), ZINC_E_EXISTS);
	assert_ok(zinc_store_del(rig.store, NULL, "Dir/Key", NULL, 0, NULL, &err));
	put_text(rig.store, "Dir/KEY", "4"); /* nothing exists any more */
	assert_text(rig.store, "Dir/KEY", "4");
	rig_close(&rig);
}

static void
a_base_that_normalises(void **state)
{
	fs_rig rig;

	(void)state;
	open_folding(&rig, false, true);
	put_text(rig.store, "caf\xC3\xA9", "1");
	assert_int_equal(folding_flags(rig.store), ZINC_CAP_NORMALISES);
	refuse(rig.store, "cafe\xCC\x81");
	put_text(rig.store, "CAF\xC3\xA9", "2");
	assert_text(rig.store, "caf\xC3\xA9", "1");
	rig_close(&rig);
}

static void
an_ordinary_base(void **state)
{
	fs_rig rig;

	(void)state;
	make_empty("d");
	rig_open(&rig, "d", NULL, ZINC_STORE_OPTIONS(.relaxed = 1));
	put_text(rig.store, "Key", "1");
	put_text(rig.store, "key", "2");
	assert_text(rig.store, "Key", "1");
	assert_int_equal(folding_flags(rig.store), 0);
	assert_int_equal(rig_count(&rig, "read_dir"), 0); /* nothing is searched for */
	rig_close(&rig);
}

/* ---- directories that are never removed ---- */

/* Open the place of a URL below the working directory. */
static void
open_place(zinc_place *place, const char *path)
{
	zinc_error err = ZINC_ERROR_INIT;
	char url[4200], cwd[4000];

	assert_non_null(getcwd(cwd, sizeof cwd));
	snprintf(url, sizeof url, "%s/%s", cwd, path);
	assert_ok(zinc_place_open(place, url, ZINC_STORE_OPTIONS(.relaxed = 1), &err));
}

static void
directories_above_a_place_stay(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_place place;
	char key[4200];

	(void)state;
	make_empty("d");
	assert_int_equal(mkdir("d/mine", 0777), 0);
	open_place(&place, "d/mine/a.zarr");
	assert_false(place.root_fixed);
	assert_string_equal(zinc_store_url(place.store), "/");
	snprintf(key, sizeof key, "%s/c/0/k", place.path);
	put_text(place.store, key, "v");
	assert_string_equal(tree("d"), "mine/ mine/a.zarr/ mine/a.zarr/c/ mine/a.zarr/c/0/ mine/a.zarr/c/0/k");
	assert_ok(zinc_store_del(place.store, NULL, key, NULL, 0, NULL, &err));
	assert_string_equal(tree("d"), "mine/"); /* empty now, but it was not ours to remove */
	snprintf(key, sizeof key, "%s/", place.path);
	put_text(place.store, place.path, "a file");
	assert_ok(zinc_store_del_prefix(place.store, key, 0, NULL, &err));
	assert_string_equal(read_text("d/mine/a.zarr"), "a file");
	assert_ok(zinc_store_scrub(place.store, key, 1, NULL, NULL, NULL, &err));
	assert_string_equal(tree("d"), "mine/ mine/a.zarr");
	zinc_place_fini(&place);
}

static void
parents_are_told_by_components(void **state)
{
	zinc_fs fs = {.keep = (char *)(uintptr_t) "a/b"};

	(void)state;
	assert_int_equal(zinc_fs_parent("a/b/c", 5), 3);
	assert_int_equal(zinc_fs_parent("a/b/c", 3), 1);
	assert_int_equal(zinc_fs_parent("a", 1), 0);
	assert_false(zinc_fs_may_remove(&fs, "", 0));
	assert_false(zinc_fs_may_remove(&fs, "a", 1));
	assert_false(zinc_fs_may_remove(&fs, "a/b", 3));
	assert_true(zinc_fs_may_remove(&fs, "a/b/c", 5));
	assert_true(zinc_fs_may_remove(&fs, "a/c", 3));
	assert_true(zinc_fs_may_remove(&fs, "ab", 2));
	assert_true(zinc_fs_may_remove(&fs, "a/bc", 4));
}

static void
sets_of_directories_are_in_order(void **state)
{
	static const char *const paths[] = {"b", "a/b", "", "a", "a/b", "a.b", "", "b"};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_fs fs = {.ctx = zinc_context_get(NULL)};
	fs_dirs set = {NULL, 0, 0};
	char text[64] = "";
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(paths); i++)
		assert_ok(zinc_fs_dirs_add(&fs, &set, paths[i], strlen(paths[i]), i == 4, &err));
	for (i = 0; i < set.n; i++)
		snprintf(text + strlen(text), sizeof text - strlen(text), "[%s%s]", set.e[i].path,
			 set.e[i].prune ? "!" : "");
	assert_string_equal(text, "[][a][a.b][a/b!][b]");
	assert_true(zinc_fs_dirs_has(&set, "a/bc", 3));
	assert_false(zinc_fs_dirs_has(&set, "a/bc", 4));
	zinc_fs_dirs_fini(&fs, &set);
	assert_false(zinc_fs_dirs_has(&set, "", 0));
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_base_that_folds_case),
	    cmocka_unit_test(a_base_that_normalises),
	    cmocka_unit_test(an_ordinary_base),
	    cmocka_unit_test(directories_above_a_place_stay),
	    cmocka_unit_test(parents_are_told_by_components),
	    cmocka_unit_test(sets_of_directories_are_in_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
