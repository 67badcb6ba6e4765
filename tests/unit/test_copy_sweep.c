/*
 * test_copy_sweep.c - every allocation and every OS call of a copy fails in turn
 *
 * Whatever fails, the source is unchanged, and the target is complete or does not exist.  If it failed and left a
 * journal, the copy continues afterwards and completes.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <zinc/tool.h>

#include "files.h"
#include "nodes.h"
#include "sweep.h"
#include "test.h"

#define FROM "from.zarr"
#define TO   "to.zarr"

struct scenario {
	zinc_copy_options o;
	const char *chunk, *bytes; /* one object of the target */
	const char *document;
	bool old; /* something exists already */
};

static void
lay_out(void *arg)
{
	const struct scenario *x = arg;

	make_empty(FROM);
	make_empty(TO);
	mkdir(FROM "/a", 0777);
	mkdir(FROM "/a/c", 0777);
	write_file(FROM "/zarr.json", GROUP);
	write_file(FROM "/note", "foreign");
	write_file(FROM "/a/zarr.json", ARRAY_WITH(", \"attributes\": {\"k\": [1]}, \"dimension_names\": [\"x\"]"));
	write_file(FROM "/a/c/0", "good");
	write_file(FROM "/a/c/1", "more");
	if (!x->old)
		return;
	mkdir(TO "/a", 0777);
	write_file(TO "/zarr.json", GROUP);
	write_file(TO "/a/zarr.json", ARRAY);
}

/* The old target is unchanged: nothing of it is erased before the source has been checked. */
static bool
is_old(void)
{
	return exists(TO "/a/zarr.json") && strcmp(read_text(TO "/a/zarr.json"), ARRAY) == 0 &&
	       exists(TO "/zarr.json") && strcmp(read_text(TO "/zarr.json"), GROUP) == 0;
}

static zinc_status
run(void *arg, zinc_context *ctx, zinc_error *err)
{
	struct scenario *x = arg;
	zinc_copy_options o = x->o;

	o.context = ctx;
	return zinc_copy_url(FROM, TO, &o, NULL, err);
}

static bool
complete(const struct scenario *x)
{
	char path[64];

	snprintf(path, sizeof path, TO "/a/%s", x->chunk);
	return exists(path) && memcmp(read_text(path), x->bytes, strlen(x->bytes)) == 0;
}

static void
look(void *arg, zinc_status st)
{
	struct scenario *x = arg;
	zinc_copy_options again = x->o;
	zinc_error err = ZINC_ERROR_INIT;
	char path[64];

	assert_string_equal(read_text(FROM "/a/c/0"), "good");
	assert_string_equal(read_text(FROM "/zarr.json"), GROUP);
	snprintf(path, sizeof path, TO "/%s", x->document);
	if (st != ZINC_OK && x->old && is_old() && !exists(TO "/a/c"))
		return;
	if (x->old) /* the rest of an interrupted erase has no document, and is erased with force */
		again.overwrite = ZINC_FORCE;
	if (st == ZINC_OK || exists(path))
		assert_true(complete(x));
	again.resume = 1;
	if (st != ZINC_OK && (!exists(path) || exists(TO "/__zinc_cp.json"))) {
		assert_ok(zinc_copy_url(FROM, TO, &again, NULL, &err));
		assert_true(complete(x));
	}
	assert_false(exists(TO "/__zinc_cp.json"));
}

static const char *const only[] = {"a"};
static const zinc_copy_choice choices[] = {{"*", "codecs", "none"}, {"a", "dtype", ">i2"}};

static struct scenario scenarios[] = {
    {{.size = sizeof(zinc_copy_options),
      .include = only,
      .ninclude = 1,
      .choices = choices,
      .nchoices = COUNT(choices),
      .select = "x=::1"},
     "c/0",
     "ogdo",
     "zarr.json",
     false},
    {{.size = sizeof(zinc_copy_options), .verify = 1}, "c/0", "good", "zarr.json", false},
    {{.size = sizeof(zinc_copy_options), .codecs = "none", .dtype = ">i2", .verify = 1},
     "c/0",
     "ogdo",
     "zarr.json",
     false},
    {{.size = sizeof(zinc_copy_options), .format = "v2", .verify = 1}, "0", "good", ".zgroup", false},
    {{.size = sizeof(zinc_copy_options), .codecs = "none", .dtype = ">i2", .overwrite = 1},
     "c/0",
     "ogdo",
     "zarr.json",
     true},
};

static void
test_memory(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(scenarios); i++)
		assert_true(sweep_alloc_scenario(&(sweep_scenario){
				.run = run, .arg = &scenarios[i], .before = lay_out, .after = look}) > 50);
}

static void
test_calls(void **state)
{
	static const int errnums[] = {EIO, ENOSPC, 0};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(scenarios); i++)
		assert_true(sweep_os_scenario(
				&(sweep_scenario){.run = run, .arg = &scenarios[i], .before = lay_out, .after = look},
				errnums) > 50);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_memory),
	    cmocka_unit_test(test_calls),
	};

	return cmocka_run_group_tests(tests, set_up_fast_dir, tear_down_fast_dir);
}
