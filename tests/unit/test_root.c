/* test_root.c - which part of a URL is the root: the promises of root.c, by number */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zinc/tool.h>

#include "files.h"
#include "format/format.h"
#include "nodes.h"
#include "test.h"

/* ---- files, in the test's own empty directory ---- */

/* Open a URL and print "root|path", both relative to the current directory. */
static const char *
climb_with(const char *url, const zinc_open_options *o)
{
	static char text[1024];
	zinc_error err = ZINC_ERROR_INIT;
	zinc_hierarchy *h = NULL;
	char here[512];
	const char *root;
	zinc_status st;

	st = zinc_hierarchy_open_url(&h, url, o, &err);
	if (st != ZINC_OK) {
		assert_true(err.url[0] != '\0');
		return zinc_status_name(st);
	}
	assert_non_null(getcwd(here, sizeof here));
	root = h->url;
	if (strncmp(root, here, strlen(here)) == 0)
		root += strlen(here) + 1;
	snprintf(text, sizeof text, "%s|%s", root, zinc_hierarchy_path(h));
	if (strcmp(zinc_hierarchy_format(h), "v3") != 0)
		snprintf(text + strlen(text), sizeof text - strlen(text), " %s", zinc_hierarchy_format(h));
	zinc_hierarchy_close(h);
	return text;
}

static const char *
climb(const char *url, int create)
{
	return climb_with(url, ZINC_OPEN_OPTIONS(.create = create));
}

static void
test_climb(void **state)
{
	(void)state;
	write_file("one/a.zarr/zarr.json", GROUP);
	write_file("one/a.zarr/foo/zarr.json", GROUP);
	write_file("one/a.zarr/foo/bar/zarr.json", ARRAY);
	write_file("one/a.zarr/gap/x/zarr.json", GROUP);
	assert_string_equal(climb("one/a.zarr/foo/bar", 0), "one/a.zarr|/foo/bar");
	assert_string_equal(climb("one/a.zarr/foo/bar/", 0), "one/a.zarr|/foo/bar");
	assert_string_equal(climb("one/a.zarr", 0), "one/a.zarr|/");
	assert_string_equal(climb("./one/../one/a.zarr/foo", 0), "one/a.zarr|/foo");
	/* a missing node belongs to the hierarchy above */
	assert_string_equal(climb("one/a.zarr/foo/no/such", 0), "one/a.zarr|/foo/no/such");
	/* a directory without a document ends the search from below it */
	assert_string_equal(climb("one/a.zarr/gap/x", 0), "one/a.zarr/gap/x|/");
	assert_string_equal(climb("one/a.zarr/gap", 0), "one/a.zarr|/gap");
	assert_string_equal(climb("nothing/here", 0), "E_NOTFOUND");
}

/* Names of a node below are taken as they are; the root is that of the URL. */
static void
test_below(void **state)
{
	zinc_array *a = NULL;

	(void)state;
	write_file("below/a.zarr/zarr.json", GROUP);
	write_file("below/a.zarr/x%20?|# y/zarr.json", GROUP);
	write_file("below/a.zarr/x%20?|# y/b/zarr.json", ARRAY);
	assert_string_equal(climb_with("below/a.zarr", ZINC_OPEN_OPTIONS(.below = "x%20?|# y/b")),
			    "below/a.zarr|/x%20?|# y/b");
	assert_string_equal(climb_with("below/a.zarr|", ZINC_OPEN_OPTIONS(.below = "x%20?|# y")),
			    "below/a.zarr|/x%20?|# y");
	assert_string_equal(climb_with("below/a.zarr", ZINC_OPEN_OPTIONS(.below = "a", .climb = -1)),
			    "below/a.zarr|/a");
	assert_string_equal(climb_with("below/a.zarr", ZINC_OPEN_OPTIONS(.below = "a", .links = ZINC_LINKS_BENEATH)),
			    "below/a.zarr|/a");
	assert_string_equal(climb_with("below/a.zarr", ZINC_OPEN_OPTIONS(.below = "")), "below/a.zarr|/");
	assert_string_equal(climb_with("below/a.zarr", ZINC_OPEN_OPTIONS(.below = "../b")), "E_INVALID");
	assert_string_equal(climb_with("below/a.zarr", ZINC_OPEN_OPTIONS(.below = "/a")), "E_INVALID");
	assert_int_equal(zinc_array_open_url(&a, "below/a.zarr", ZINC_OPEN_OPTIONS(.below = "a", .create = 1), NULL),
			 ZINC_E_INVALID);
	assert_int_equal(zinc_array_open_url(&a, "below/a.zarr", ZINC_OPEN_OPTIONS(.below = "x%20?|# y/b"), NULL),
			 ZINC_OK);
	assert_string_equal(zinc_array_path(a), "/x%20?|# y/b");
	zinc_array_close(a);
}

/* An array above also ends the search: arrays have no children. */
static void
test_array_above(void **state)
{
	(void)state;
	write_file("two/zarr.json", ARRAY);
	write_file("two/x/zarr.json", GROUP);
	assert_string_equal(climb("two/x", 0), "two/x|/");
	assert_string_equal(climb("two/y", 0), "two|/y");
}

/* (1) */
static void
test_fixed(void **state)
{
	(void)state;
	write_file("three/zarr.json", GROUP);
	write_file("three/in.zarr/zarr.json", GROUP);
	write_file("three/in.zarr/foo/zarr.json", GROUP);
	assert_string_equal(climb("three/in.zarr/foo", 0), "three|/in.zarr/foo");
	assert_string_equal(climb("three/in.zarr|foo", 0), "three/in.zarr|/foo");
	assert_string_equal(climb("three/in.zarr|zarr3:foo", 0), "three/in.zarr|/foo");
	assert_string_equal(climb("three/in.zarr|zarr:foo", 0), "three/in.zarr|/foo");
	assert_string_equal(climb("three/in.zarr|zarr2:foo", 0), "E_NOTFOUND"); /* no node of that version */
	assert_string_equal(climb("three/empty|foo", 0), "E_NOTFOUND");
	assert_string_equal(climb("three/empty|foo", 1), "three/empty|/foo");
}

/* The search passes a link like a directory, because it is read like one. */
static void
test_link(void **state)
{
	(void)state;
	write_file("four/zarr.json", GROUP);
	write_file("four/real/zarr.json", GROUP);
	write_file("four/real/x/zarr.json", GROUP);
	assert_int_equal(symlink("real", "four/link"), 0);
	assert_string_equal(climb("four/real/x", 0), "four|/real/x");
	assert_string_equal(climb("four/link/x", 0), "four|/link/x");
}

static void
test_create(void **state)
{
	(void)state;
	write_file("five/old.zarr/zarr.json", GROUP);
	write_file("five/odd/zarr.json", ARRAY);
	/* below existing nodes */
	assert_string_equal(climb("five/old.zarr/new", 1), "five/old.zarr|/new");
	assert_string_equal(climb("five/old.zarr/new/deep.zarr/x", 1), "five/old.zarr|/new/deep.zarr/x");
	assert_string_equal(climb("five/old.zarr", 1), "five/old.zarr|/");
	assert_string_equal(climb("five/odd", 1), "five/odd|/");
	/* nothing exists: the first name with a suffix of a root, else the whole path */
	assert_string_equal(climb("five/new.zarr/a/b.zarr", 1), "five/new.zarr|/a/b.zarr");
	assert_string_equal(climb("five/new.zr3/a", 1), "five/new.zr3|/a");
	assert_string_equal(climb("five/new.zr/a", 1), "five/new.zr|/a");
	assert_string_equal(climb("five/new/a", 1), "five/new/a|/");
	assert_string_equal(climb("five/.zarr/a", 1), "five/.zarr/a|/");
}

#define V2_GROUP "{\"zarr_format\": 2}"
#define ENTRY_2020                                                                                                     \
	"{\"zarr_format\": \"https://purl.org/zarr/spec/protocol/core/3.0\", \"metadata_encoding\": "                  \
	"\"https://purl.org/zarr/spec/protocol/core/3.0\", \"metadata_key_suffix\": \".json\", \"extensions\": []}"

/* For a new node the search ends at a directory without a document, and skips missing directories. */
static void
test_create_ends(void **state)
{
	(void)state;
	write_file("eight/lg/zarr.json", GROUP);
	write_file("eight/lg.zarr/zarr.json", GROUP);
	write_file("eight/lg/p/q/notes.txt", "mine");
	write_file("eight/lg.zarr/p/q/notes.txt", "mine");
	assert_string_equal(climb("eight/lg/p/q/new", 1), "eight/lg/p/q/new|/");
	assert_string_equal(climb("eight/lg.zarr/p/q/new", 1), "eight/lg.zarr/p/q/new|/");
	assert_string_equal(climb("eight/lg.zarr/p/new/x", 1), "eight/lg.zarr/p/new/x|/");
	assert_string_equal(climb("eight/lg/p/q/new.zarr/x", 1), "eight/lg/p/q/new.zarr|/x");
	assert_string_equal(climb("eight/lg/a/b/c", 1), "eight/lg|/a/b/c");
	/* also an empty directory, whose suffix may mark it as the root */
	assert_int_equal(mkdir("eight/lg/empty", 0755), 0);
	assert_int_equal(mkdir("eight/lg/made.zarr", 0755), 0);
	assert_string_equal(climb("eight/lg/empty/new", 1), "eight/lg/empty/new|/");
	assert_string_equal(climb("eight/lg/made.zarr/new", 1), "eight/lg/made.zarr|/new");
	/* a stranger's group above is nothing to us */
	write_file("eight/open/.zgroup", V2_GROUP);
	write_file("eight/open/me/notes.txt", "mine");
	assert_string_equal(climb("eight/open/me/new", 1), "eight/open/me/new|/");
	assert_string_equal(climb("eight/open/new", 1), "eight/open|/new v2");
}

/* (2): what cannot be read above ends the climb, of the node itself it is an error. */
static void
test_unreadable(void **state)
{
	(void)state;
	assert_int_equal(mkdir("nine", 0755), 0);
	assert_int_equal(mkdir("nine/x.zarr", 0755), 0);
	assert_int_equal(symlink("zarr.json", "nine/zarr.json"), 0);
	assert_int_equal(symlink("zarr.json", "nine/x.zarr/zarr.json"), 0);
	write_file("nine/a/zarr.json", GROUP);
	write_file("nine/a/b/zarr.json", GROUP);
	assert_string_equal(climb("nine/a/b", 0), "nine/a|/b");
	assert_string_equal(climb("nine/a/new", 1), "nine/a|/new");
	assert_string_equal(climb("nine/new", 1), "nine/new|/");
	assert_string_equal(climb("nine/x.zarr/new", 1), "nine/x.zarr/new|/");
	assert_string_equal(climb("nine", 0), "E_IO");
	assert_string_equal(climb("nine", 1), "E_IO");
}

/* (3) */
static void
test_storage(void **state)
{
	(void)state;
	write_file("ten/a/zarr.json", ARRAY);
	write_file("ten/a/c/0", "");
	write_file("ten/a/c/1/0", "");
	write_file("ten/d/zarr.json", ENTRY_2020);
	write_file("ten/d/meta/root/x/y.group.json", "{\"attributes\": {}}");
	assert_string_equal(climb("ten/a/c/new", 1), "E_INVALID");
	assert_string_equal(climb("ten/a/c/1/new", 1), "E_INVALID");
	assert_string_equal(climb("ten/a/c/7/new", 1), "E_INVALID");
	assert_string_equal(climb("ten/d/meta/x", 1), "ten/d|/meta/x v3-2020");
	assert_string_equal(climb("ten/d/meta/root/x/new", 1), "ten/d|/meta/root/x/new v3-2020");
	assert_string_equal(climb("ten/d/x/y", 0), "ten/d|/x/y v3-2020");
	assert_string_equal(climb("ten/d/x/new", 1), "ten/d|/x/new v3-2020");
	/* names that look like storage keys but are not */
	write_file("ten/c/notes.txt", "");
	write_file("ten/meta/notes.txt", "");
	assert_string_equal(climb("ten/c/new", 1), "ten/c/new|/");
	assert_string_equal(climb("ten/meta/new", 1), "ten/meta/new|/");
}

/* (3): a format other than the hierarchy's is refused, wherever in it the new node would be. */
static void
test_other_format(void **state)
{
	static const char *const ids[] = {"v3", "v2", "v3-2019", "v3-2020", "v3-2022"};
	size_t is, asked, i;

	(void)state;
	for (is = 0; is < COUNT(ids); is++) {
		zinc_error err = ZINC_ERROR_INIT;
		char root[64], urls[3][80];

		snprintf(root, sizeof root, "eleven/%s", ids[is]);
		snprintf(urls[0], sizeof urls[0], "%s", root);
		snprintf(urls[1], sizeof urls[1], "%s/new", root);
		snprintf(urls[2], sizeof urls[2], "%s|some/new", root);
		assert_ok(zinc_group_create_url(root, NULL, 0, ZINC_OPEN_OPTIONS(.format = ids[is]), &err));
		for (asked = 0; asked < COUNT(ids); asked++)
			for (i = 0; i < 3; i++) {
				const char *got =
				    climb_with(urls[i], ZINC_OPEN_OPTIONS(.create = 1, .format = ids[asked]));

				if (asked != is)
					assert_string_equal(got, "E_INVALID");
				else
					assert_int_equal(strncmp(got, root, strlen(root)), 0);
			}
	}
	/* both exist: either may be requested */
	write_file("eleven/v3/.zgroup", V2_GROUP);
	assert_string_equal(climb_with("eleven/v3/x", ZINC_OPEN_OPTIONS(.create = 1, .format = "v2")),
			    "eleven/v3|/x v2");
	assert_string_equal(climb_with("eleven/v3/x", ZINC_OPEN_OPTIONS(.create = 1, .format = "v3")), "eleven/v3|/x");
	assert_string_equal(climb_with("eleven/v3/x", ZINC_OPEN_OPTIONS(.create = 1, .format = "v3-2022")),
			    "E_INVALID");
}

/* (1) */
static void
test_no_climb(void **state)
{
	(void)state;
	write_file("twelve/zarr.json", GROUP);
	write_file("twelve/a/zarr.json", GROUP);
	assert_string_equal(climb_with("twelve/a", ZINC_OPEN_OPTIONS(.climb = -1)), "twelve/a|/");
	assert_string_equal(climb_with("twelve/b", ZINC_OPEN_OPTIONS(.climb = -1)), "E_NOTFOUND");
	assert_string_equal(climb_with("twelve/b", ZINC_OPEN_OPTIONS(.climb = -1, .create = 1)), "twelve/b|/");
	assert_string_equal(climb_with("twelve/b", ZINC_OPEN_OPTIONS(.create = 1)), "twelve|/b");
}

/* A directory above a hierarchy, or its root, may have a name that is invalid in the store, but a node never. */
static void
test_odd_names(void **state)
{
	static const char *const ids[] = {"v3", "v2", "v3-2019", "v3-2020", "v3-2022"};
	char longest[260], url[400];
	size_t i;

	(void)state;
	memset(longest, 'n', 250);
	longest[250] = '\0';
	for (i = 0; i < COUNT(ids); i++) {
		const char *const names[] = {longest, "a\\b", "x.__lock", "a\tb", "\x1b[2J", "\xff"};
		zinc_error err = ZINC_ERROR_INIT;
		char root[64];
		size_t k;

		snprintf(root, sizeof root, "odd/%s.d", ids[i]);
		assert_ok(zinc_group_create_url(root, NULL, 0, ZINC_OPEN_OPTIONS(.format = ids[i]), &err));
		for (k = 0; k < COUNT(names); k++) {
			snprintf(url, sizeof url, "%s/%s", root, names[k]);
			assert_string_equal(climb(url, 1), "E_INVALID");
			snprintf(url, sizeof url, "%s/%s/below", root, names[k]);
			assert_string_equal(climb(url, 1), "E_INVALID");
			snprintf(url, sizeof url, "%s/new/%s", root, names[k]);
			assert_string_equal(climb(url, 1), "E_INVALID");
			if (zinc_key_check(names[k], NULL) == ZINC_OK) {
				snprintf(url, sizeof url, "odd/%s", names[k]);
				assert_string_not_equal(climb(url, 1), "E_INVALID");
			}
		}
	}
	/* a name that could not be shown is refused for a new node, but an existing one can be read */
	assert_string_equal(climb("odd/a\tb", 1), "E_INVALID");
	write_file("odd/a\tb/zarr.json", GROUP);
	assert_string_equal(climb("odd/a\tb", 0), "odd/a\tb|/");
	assert_string_equal(climb("odd/a\tb/c", 1), "odd/a\tb|/c");
}

/* (2) */
static void
test_damaged(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_hierarchy *h = NULL;

	(void)state;
	write_file("six/zarr.json", GROUP);
	write_file("six/bad/zarr.json", "{");
	write_file("six/bad/x/zarr.json", GROUP);
	write_file("six/draft/zarr.json", "{\"zarr_format\": \"https://purl.org/zarr/spec/v3#array\"}");
	write_file("six/draft/x/zarr.json", GROUP);
	assert_string_equal(climb("six/bad", 0), "six|/bad");
	assert_string_equal(climb("six/bad/x", 0), "six/bad/x|/");
	assert_string_equal(climb("six/draft", 0), "E_UNSUPPORTED");
	assert_string_equal(climb("six/draft/x", 0), "six/draft/x|/");
	assert_int_equal(zinc_hierarchy_open_url(&h, "six/draft/y", NULL, &err), ZINC_E_UNSUPPORTED);
	assert_non_null(strstr(err.text, "draft"));
	/* a document that cannot be read is not missing */
	assert_int_equal(mkdir("six/loop", 0755), 0);
	assert_int_equal(symlink("zarr.json", "six/loop/zarr.json"), 0);
	assert_int_equal(zinc_hierarchy_open_url(&h, "six/loop", NULL, &err), ZINC_E_IO);
}

static void
test_options(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_hierarchy *h = NULL, *g = NULL;
	forest f;

	(void)state;
	write_file("seven/zarr.json", GROUP);
	assert_int_equal(zinc_hierarchy_open_url(&h, "seven", ZINC_OPEN_OPTIONS(.format = "v9"), &err), ZINC_E_INVALID);
	assert_ok(zinc_hierarchy_open_url(&h, "seven", ZINC_OPEN_OPTIONS(.format = "v3", .read_only = 1), &err));
	assert_int_equal(zinc_group_create(h, "/x", NULL, 0, NULL, &err), ZINC_E_READONLY);
	assert_int_equal(access("seven/x", F_OK), -1);
	zinc_hierarchy_close(h);
	assert_int_equal(zinc_hierarchy_open_url(&h, "", NULL, &err), ZINC_E_INVALID);
	zinc_hierarchy_close(NULL);

	/* on an open store, the caller sets the root */
	forest_open(&f, "", ZINC_LENIENT);
	forest_put(&f, "a/b/zarr.json", GROUP);
	assert_int_equal(zinc_hierarchy_open(&h, f.memory, "", NULL, &err), ZINC_E_NOTFOUND);
	assert_int_equal(zinc_hierarchy_open(&h, f.memory, "a/../b", NULL, &err), ZINC_E_INVALID);
	assert_ok(zinc_hierarchy_open(&h, f.memory, "a/b", NULL, &err));
	assert_string_equal(zinc_hierarchy_prefix(h), "a/b/");
	assert_string_equal(zinc_hierarchy_path(h), "/");
	assert_ptr_equal(zinc_hierarchy_store(h), f.memory);
	/* the URL of one opens another */
	assert_ok(zinc_hierarchy_open(&g, f.memory, zinc_hierarchy_prefix(h), NULL, &err));
	assert_string_equal(zinc_hierarchy_prefix(g), "a/b/");
	assert_string_equal(zinc_hierarchy_path(g), "/");
	zinc_hierarchy_close(g);
	assert_int_equal(zinc_hierarchy_open(&g, f.memory, "a/b//", NULL, &err), ZINC_E_INVALID);
	assert_int_equal(zinc_hierarchy_open(&g, f.memory, "/", NULL, &err), ZINC_E_INVALID);
	zinc_hierarchy_close(zinc_hierarchy_ref(h));
	zinc_hierarchy_close(h);
	forest_close(&f);
}

/* memory:// stores also have prefixes above. */
static void
test_memory(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_hierarchy *h = NULL, *g = NULL;

	(void)state;
	assert_ok(zinc_hierarchy_open_url(&h, "memory://climb/x.zarr/a", ZINC_OPEN_OPTIONS(.create = 1), &err));
	assert_string_equal(zinc_hierarchy_prefix(h), "x.zarr/");
	assert_string_equal(zinc_hierarchy_path(h), "/a");
	assert_ok(zinc_group_create(h, "/a/b", NULL, 0, NULL, &err));
	assert_ok(zinc_hierarchy_open_url(&g, "memory://climb/x.zarr/a/b", NULL, &err));
	assert_string_equal(zinc_hierarchy_path(g), "/a/b");
	assert_string_equal(zinc_hierarchy_prefix(g), "x.zarr/");
	zinc_hierarchy_close(g);
	zinc_hierarchy_close(h);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_climb),    cmocka_unit_test(test_array_above), cmocka_unit_test(test_fixed),
	    cmocka_unit_test(test_link),     cmocka_unit_test(test_create),      cmocka_unit_test(test_damaged),
	    cmocka_unit_test(test_options),  cmocka_unit_test(test_memory),      cmocka_unit_test(test_create_ends),
	    cmocka_unit_test(test_storage),  cmocka_unit_test(test_unreadable),  cmocka_unit_test(test_other_format),
	    cmocka_unit_test(test_no_climb), cmocka_unit_test(test_odd_names),   cmocka_unit_test(test_below),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
