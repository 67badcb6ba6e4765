/*
 * test_store_fs_links.c - changes and links: promise 13 of store_fs.c
 */
#include <stdio.h>
#include <unistd.h>

#include "support/files.h"
#include "support/gets.h"
#include "support/test.h"

/* d/link -> ../other, d/k -> ../other/k, d/gone -> nowhere, d/up -> . */
static zinc_store *
open_linked(int links)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s = NULL;

	make_empty("d");
	make_empty("other");
	write_file("other/k", "theirs");
	assert_int_equal(mkdir("other/sub", 0777), 0);
	write_file("other/sub/k", "theirs");
	assert_int_equal(symlink("../other", "d/link"), 0);
	assert_int_equal(symlink("../other/k", "d/k"), 0);
	assert_int_equal(symlink("nowhere", "d/gone"), 0);
	assert_int_equal(symlink(".", "d/up"), 0);
	assert_ok(zinc_store_open(&s, "d", ZINC_STORE_OPTIONS(.relaxed = 1, .links = links), &err));
	return s;
}

static zinc_status
append_x(void *arg, const void *old, size_t nold, zinc_update *out, zinc_error *err)
{
	static char text[64];

	(void)arg, (void)err;
	snprintf(text, sizeof text, "%.*sx", (int)nold, old ? (const char *)old : "");
	out->bytes = text;
	out->nbytes = strlen(text);
	return ZINC_OK;
}

static bool
is_link(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 && S_ISLNK(st.st_mode);
}

static void
changes_follow_links_to_directories(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s = open_linked(ZINC_LINKS_FOLLOW);

	(void)state;
	put_text(s, "link/new", "ours");
	put_text(s, "link/deep/er/new", "ours");
	assert_ok(zinc_store_update(s, "link/k", append_x, NULL, 0, 0, &err));
	assert_ok(zinc_store_del(s, NULL, "link/sub/k", NULL, 0, &err));
	assert_text(s, "link/k", "theirsx");
	zinc_store_close(s);
	assert_true(is_link("d/link"));
	assert_string_equal(tree("other"), "deep/ deep/er/ deep/er/new k new");
	assert_string_equal(read_text("other/k"), "theirsx");
}

/* The name is the store's own, the file behind it is not. */
static void
a_linked_value_is_replaced_by_name(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s = open_linked(ZINC_LINKS_FOLLOW);
	zinc_tag tag = tag_of(s, "k");

	(void)state;
	assert_int_equal(zinc_store_put(s, NULL, "k", "x", 1, &(zinc_condition){ZINC_ABSENT, NULL}, 0, NULL, &err),
			 ZINC_E_EXISTS);
	assert_ok(zinc_store_put(s, NULL, "k", "ours", 4, &(zinc_condition){ZINC_EQUALS, &tag}, 0, NULL, &err));
	assert_false(is_link("d/k"));
	assert_string_equal(read_text("other/k"), "theirs");
	assert_int_equal(unlink("d/k"), 0);
	assert_int_equal(symlink("../other/k", "d/k"), 0);
	assert_ok(zinc_store_update(s, "k", append_x, NULL, 0, 0, &err));
	assert_text(s, "k", "theirsx");
	assert_false(is_link("d/k"));
	assert_string_equal(read_text("other/k"), "theirs");
	assert_int_equal(unlink("d/k"), 0);
	assert_int_equal(symlink("../other/k", "d/k"), 0);
	assert_ok(zinc_store_del(s, NULL, "k", NULL, 0, &err));
	assert_missing(s, "k");
	assert_string_equal(read_text("other/k"), "theirs");
	zinc_store_close(s);
}

/* Nobody knows what a part of it would be joined to; to write it whole, or to erase it, needs no old value. */
static void
a_dangling_link_has_no_old_value(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s = open_linked(ZINC_LINKS_FOLLOW);

	(void)state;
	assert_int_equal(zinc_store_update(s, "gone", append_x, NULL, 0, 0, &err), ZINC_E_IO);
	assert_true(is_link("d/gone"));
	assert_int_equal(zinc_store_put(s, NULL, "gone", "x", 1, &(zinc_condition){ZINC_ABSENT, NULL}, 0, NULL, &err),
			 ZINC_E_EXISTS);
	put_text(s, "gone", "whole");
	assert_text(s, "gone", "whole");
	assert_int_equal(unlink("d/gone"), 0);
	assert_int_equal(symlink("nowhere", "d/gone"), 0);
	assert_ok(zinc_store_del(s, NULL, "gone", NULL, 0, &err));
	assert_missing(s, "gone");
	/* a link to a directory is a prefix: its name can hold no value */
	assert_int_equal(zinc_store_put(s, NULL, "link", "x", 1, NULL, 0, NULL, &err), ZINC_E_EXISTS);
	assert_ok(zinc_store_del(s, NULL, "link", NULL, 0, &err));
	assert_true(is_link("d/link"));
	zinc_store_close(s);
}

static void
a_prefix_is_erased_without_following(void **state)
{
	static const int how[] = {ZINC_LINKS_FOLLOW, ZINC_LINKS_BENEATH, ZINC_LINKS_REFUSE};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(how); i++) {
		s = open_linked(how[i]);
		assert_ok(zinc_store_del_prefix(s, "link/", 0, &err)); /* the link itself */
		assert_false(is_link("d/link"));
		assert_int_equal(symlink("../other", "d/link"), 0);
		write_file("d/real", "x");
		assert_int_equal(mkfifo("d/fifo", 0666), 0);
		write_file("d/odd\nname", "x");
		assert_int_equal(mkdir("d/odd\ndir", 0777), 0);
		write_file("d/odd\ndir/k", "x");
		assert_ok(zinc_store_del_prefix(s, "", 0, &err));
		assert_string_equal(tree("d"), "");
		assert_string_equal(tree("other"), "k sub/ sub/k");
		zinc_store_close(s);
	}
}

static int
note(void *arg, const char *key, uint64_t nbytes)
{
	char *text = (char *)arg;

	(void)nbytes;
	snprintf(text + strlen(text), 256 - strlen(text), "%s%s", text[0] ? " " : "", key);
	return 0;
}

/* For who erases one by one: what del_prefix would. */
static void
own_keys_are_listed_without_following(void **state)
{
	char text[256] = "";
	const zinc_lister to = {.key = note, .arg = text, .own = 1};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s = open_linked(ZINC_LINKS_FOLLOW);

	(void)state;
	put_text(s, "a/k", "");
	assert_ok(zinc_store_walk(s, "", &to, &err));
	assert_string_equal(text, "a/k gone k link up");
	text[0] = '\0';
	assert_ok(zinc_store_walk(s, "link/", &to, &err));
	assert_string_equal(text, "");
	zinc_store_close(s);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(changes_follow_links_to_directories),
	    cmocka_unit_test(a_linked_value_is_replaced_by_name),
	    cmocka_unit_test(a_dangling_link_has_no_old_value),
	    cmocka_unit_test(a_prefix_is_erased_without_following),
	    cmocka_unit_test(own_keys_are_listed_without_following),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
