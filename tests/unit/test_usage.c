/* test_usage.c - what each node has in its store; numbers are those of the promises of usage.c */
#include <stdio.h>
#include <string.h>
#include <zinc/tool.h>

#include "nodes.h"
#include "test.h"

struct seen {
	zinc_usage nodes[16];
	char paths[16][64];
	int n, stop_after;
	int foreign, hidden;
	uint64_t foreign_bytes;
	char names[512];
};

static int
see_node(void *arg, const zinc_usage *u)
{
	struct seen *s = arg;

	assert_true(s->n < 16);
	s->nodes[s->n] = *u;
	snprintf(s->paths[s->n], sizeof s->paths[0], "%s", u->path);
	return ++s->n == s->stop_after;
}

static int
see_foreign(void *arg, const zinc_foreign *f)
{
	struct seen *s = arg;

	s->foreign++;
	s->hidden += f->hidden;
	s->foreign_bytes += f->bytes;
	snprintf(s->names + strlen(s->names), sizeof s->names - strlen(s->names), "%s ", f->key);
	return 0;
}

static struct seen
look(forest *f, const char *path)
{
	zinc_error err = ZINC_ERROR_INIT;
	struct seen s = {.n = 0};

	assert_ok(zinc_node_usage(f->h, path, ZINC_USAGE_OPTIONS(.foreign = see_foreign), see_node, &s, &err));
	return s;
}

static const zinc_usage *
node(const struct seen *s, const char *path)
{
	int i;

	for (i = 0; i < s->n; i++)
		if (!strcmp(s->paths[i], path))
			return &s->nodes[i];
	fail_msg("no node %s", path);
	return NULL;
}

static void
plant(forest *f)
{
	forest_open(f, "", ZINC_LENIENT);
	forest_put(f, "zarr.json", GROUP);
	forest_put(f, "a/zarr.json", ARRAY);
	forest_put(f, "a/c/0", "abcd");
	forest_put(f, "a/c/1", "abc");
	forest_put(f, "a-b/zarr.json", ARRAY); /* sorts before "a/" */
	forest_put(f, "g/zarr.json", GROUP);
	forest_put(f, "g/a/zarr.json", ARRAY);
	forest_put(f, "g/a/c/1", "ab");
}

/* (2) */
static void
groups_have_all_below(void **state)
{
	const uint64_t group = strlen(GROUP), array = strlen(ARRAY);
	struct seen s;
	forest f;

	(void)state;
	plant(&f);
	s = look(&f, "/");
	assert_int_equal(s.n, 5);
	assert_string_equal(s.paths[0], "/");
	assert_int_equal(node(&s, "/")->objects, 8);
	assert_int_equal(node(&s, "/")->bytes, 2 * group + 3 * array + 9);
	assert_int_equal(node(&s, "/")->chunks, 3);
	assert_int_equal(node(&s, "/")->chunk_bytes, 9);
	assert_int_equal(node(&s, "/")->decoded_bytes, 12);
	assert_int_equal(node(&s, "/g")->bytes, group + array + 2);
	assert_int_equal(node(&s, "/g")->depth, 1);
	assert_int_equal(node(&s, "/g/a")->depth, 2);
	assert_int_equal(node(&s, "/a")->objects, 3);
	assert_int_equal(node(&s, "/a-b")->objects, 1);
	assert_int_equal(node(&s, "/a-b")->decoded_bytes, 0);
	assert_int_equal(node(&s, "/")->foreign, 0);
	s = look(&f, "/g");
	assert_int_equal(s.n, 2);
	assert_int_equal(node(&s, "/g")->depth, 0);
	assert_int_equal(node(&s, "/g")->bytes, group + array + 2);
	s = look(&f, "a");
	assert_int_equal(s.n, 1);
	assert_int_equal(s.nodes[0].bytes, array + 7);
	forest_close(&f);
}

/* (1) */
static void
every_key_is_counted_once(void **state)
{
	const zinc_usage *root;
	struct seen s;
	forest f;

	(void)state;
	plant(&f);
	forest_put(&f, "README", "hello");
	forest_put(&f, "a/c/9", "outside");
	forest_put(&f, "a/note", "n");
	forest_put(&f, "g/lost/c/0", "xx");
	forest_put(&f, "a/below/zarr.json", GROUP);
	s = look(&f, "/");
	root = node(&s, "/");
	assert_int_equal(root->objects, 8);
	assert_int_equal(root->foreign, 5);
	assert_int_equal(root->foreign_bytes, 5 + 7 + 1 + 2 + strlen(GROUP));
	assert_int_equal(s.foreign, 5);
	assert_int_equal(s.foreign_bytes, root->foreign_bytes);
	assert_int_equal(s.hidden, 1);
	assert_int_equal(node(&s, "/a")->foreign, 3);
	assert_int_equal(node(&s, "/g")->foreign, 1);
	assert_non_null(strstr(s.names, "README "));
	assert_non_null(strstr(s.names, "g/lost/c/0 "));
	forest_close(&f);
}

static void
what_is_not_understood_is_counted(void **state)
{
	struct seen s;
	forest f;

	(void)state;
	plant(&f);
	forest_put(&f, "a/zarr.json", "{");
	forest_put(&f, "g/a/zarr.json", ARRAY_WITH(", \"storage_transformers\": [\"unheard_of\"]"));
	s = look(&f, "/");
	assert_int_equal(node(&s, "/")->objects, 8);
	assert_int_equal(node(&s, "/a")->problem_code, ZINC_E_CORRUPT);
	assert_int_equal(node(&s, "/a")->objects, 3);
	assert_int_equal(node(&s, "/a")->unknown, 2);
	assert_int_equal(node(&s, "/g/a")->problem_code, ZINC_E_UNSUPPORTED);
	assert_int_equal(node(&s, "/g/a")->unknown_bytes, 2);
	assert_int_equal(node(&s, "/")->decoded_bytes, 0);
	forest_close(&f);
}

static void
a_callback_may_stop(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	struct seen s = {.stop_after = 2};
	forest f;

	(void)state;
	plant(&f);
	assert_ok(zinc_node_usage(f.h, "/", NULL, see_node, &s, &err));
	assert_int_equal(s.n, 2);
	assert_int_equal(zinc_node_usage(f.h, "/nothing", NULL, see_node, &s, &err), ZINC_E_NOTFOUND);
	assert_int_equal(zinc_node_usage(f.h, "/", NULL, NULL, &s, &err), ZINC_E_INVALID);
	assert_int_equal(zinc_node_usage(NULL, "/", NULL, see_node, &s, &err), ZINC_E_INVALID);
	assert_int_equal(zinc_node_usage(f.h, NULL, NULL, see_node, &s, NULL), ZINC_E_INVALID);
	forest_close(&f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(groups_have_all_below),
	    cmocka_unit_test(every_key_is_counted_once),
	    cmocka_unit_test(what_is_not_understood_is_counted),
	    cmocka_unit_test(a_callback_may_stop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
