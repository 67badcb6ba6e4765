/*
 * test_draft_store.c - the rules of the drafts for stores in the file system
 */
#include <sys/stat.h>
#include <zinc/store.h>

#include "support/test.h"

static bool
is_there(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0;
}

static void
put(zinc_store *s, const char *key)
{
	zinc_error err = ZINC_ERROR_INIT;

	assert_ok(zinc_store_put(s, NULL, key, "x", 1, NULL, 0, NULL, NULL, &err));
}

/* 22-168+ */
static void
test_delete(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s = NULL;

	(void)state;
	assert_ok(zinc_store_open(&s, "base", NULL, &err));
	put(s, "a/b/c");
	put(s, "a/b/d/e");
	put(s, "a/bb");
	put(s, "a/f");
	assert_ok(zinc_store_del(s, NULL, "a/f", NULL, 0, NULL, &err)); /* a file */
	assert_false(is_there("base/a/f"));
	assert_ok(zinc_store_del(s, NULL, "a/b", NULL, 0, NULL, &err)); /* no key, though a directory has its name */
	assert_true(is_there("base/a/b/c") && is_there("base/a/b/d/e"));
	assert_ok(zinc_store_del_prefix(s, "a/b/", 0, NULL, &err)); /* a directory */
	assert_false(is_there("base/a/b"));
	assert_true(is_there("base/a/bb"));
	assert_ok(zinc_store_del(s, NULL, "a/bb", NULL, 0, NULL, &err)); /* the last file takes its directory along */
	assert_false(is_there("base/a"));
	zinc_store_close(s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_delete)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
