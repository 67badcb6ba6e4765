/*
 * test_store_fs_links.c - changes and links: promise 13 of store_fs.c
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
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
	assert_ok(zinc_store_update(s, "link/k", append_x, NULL, 0, 0, 0, NULL, &err));
	assert_ok(zinc_store_del(s, NULL, "link/sub/k", NULL, 0, NULL, &err));
	assert_text(s, "link/k", "theirsx");
	zinc_store_close(s);
	assert_true(is_link("d/link"));
	assert_string_equal(tree("other"), "deep/ deep/er/ deep/er/new k new");
	assert_string_equal(read_text("other/k"), "theirsx");
}

/* The name belongs to the store, the target of the link does not. */
static void
a_linked_value_is_replaced_by_name(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s = open_linked(ZINC_LINKS_FOLLOW);
	zinc_tag tag = tag_of(s, "k");

	(void)state;
	assert_int_equal(
	    zinc_store_put(s, NULL, "k", "x", 1, &(zinc_condition){ZINC_ABSENT, NULL}, 0, NULL, NULL, &err),
	    ZINC_E_EXISTS);
	assert_ok(zinc_store_put(s, NULL, "k", "ours", 4, &(zinc_condition){ZINC_EQUALS, &tag}, 0, NULL, NULL, &err));
	assert_false(is_link("d/k"));
	assert_string_equal(read_text("other/k"), "theirs");
	assert_int_equal(unlink("d/k"), 0);
	assert_int_equal(symlink("../other/k", "d/k"), 0);
	assert_ok(zinc_store_update(s, "k", append_x, NULL, 0, 0, 0, NULL, &err));
	assert_text(s, "k", "theirsx");
	assert_false(is_link("d/k"));
	assert_string_equal(read_text("other/k"), "theirs");
	assert_int_equal(unlink("d/k"), 0);
	assert_int_equal(symlink("../other/k", "d/k"), 0);
	assert_ok(zinc_store_del(s, NULL, "k", NULL, 0, NULL, &err));
	assert_missing(s, "k");
	assert_string_equal(read_text("other/k"), "theirs");
	zinc_store_close(s);
}

/* A partial write would need the unreadable old value; a whole write or an erase does not. */
static void
a_dangling_link_has_no_old_value(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s = open_linked(ZINC_LINKS_FOLLOW);

	(void)state;
	assert_int_equal(zinc_store_update(s, "gone", append_x, NULL, 0, 0, 0, NULL, &err), ZINC_E_IO);
	assert_true(is_link("d/gone"));
	assert_int_equal(
	    zinc_store_put(s, NULL, "gone", "x", 1, &(zinc_condition){ZINC_ABSENT, NULL}, 0, NULL, NULL, &err),
	    ZINC_E_EXISTS);
	put_text(s, "gone", "whole");
	assert_text(s, "gone", "whole");
	assert_int_equal(unlink("d/gone"), 0);
	assert_int_equal(symlink("nowhere", "d/gone"), 0);
	assert_ok(zinc_store_del(s, NULL, "gone", NULL, 0, NULL, &err));
	assert_missing(s, "gone");
	/* a link to a directory is a prefix: its name cannot have a value */
	assert_int_equal(zinc_store_put(s, NULL, "link", "x", 1, NULL, 0, NULL, NULL, &err), ZINC_E_EXISTS);
	assert_ok(zinc_store_del(s, NULL, "link", NULL, 0, NULL, &err));
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
		assert_ok(zinc_store_del_prefix(s, "link/", 0, NULL, &err)); /* the link itself */
		assert_false(is_link("d/link"));
		assert_int_equal(symlink("../other", "d/link"), 0);
		write_file("d/real", "x");
		assert_int_equal(mkfifo("d/fifo", 0666), 0);
		write_file("d/odd\nname", "x");
		assert_int_equal(mkdir("d/odd\ndir", 0777), 0);
		write_file("d/odd\ndir/k", "x");
		assert_ok(zinc_store_del_prefix(s, "", 0, NULL, &err));
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

/* For erasing one by one: the same as del_prefix. */
static void
own_keys_are_listed_without_following(void **state)
{
	char text[256] = "";
	const zinc_lister to = {.size = sizeof to, .key = note, .arg = text, .own = 1};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s = open_linked(ZINC_LINKS_FOLLOW);

	(void)state;
	put_text(s, "a/k", "");
	assert_ok(zinc_store_walk(s, "", &to, NULL, &err));
	assert_string_equal(text, "a/k gone k link up");
	text[0] = '\0';
	assert_ok(zinc_store_walk(s, "link/", &to, NULL, &err));
	assert_string_equal(text, "");
	zinc_store_close(s);
}

/* ---- links that appear while a prefix is erased ---- */

#define OUTSIDE "dead.__lock k sub/ sub/dead.__lock sub/k void/"

/* Below `dir`, what del_prefix and scrub erase: keys, leftovers, an empty directory. */
static void
fill(const char *dir)
{
	static const char *const files[] = {"k", "dead.__lock", "sub/k", "sub/dead.__lock"};
	char path[64];
	size_t i;

	for (i = 0; i < COUNT(files); i++) {
		snprintf(path, sizeof path, "%s/%s", dir, files[i]);
		write_file(path, "x");
	}
	snprintf(path, sizeof path, "%s/void", dir);
	assert_int_equal(mkdir(path, 0777), 0);
}

/* d/p/t has the same names as outside. */
static void
make_twins(void)
{
	make_empty("d");
	make_empty("outside");
	fill("outside");
	fill("d/p/t");
}

static zinc_status
del_p(zinc_store *s, uint32_t flags)
{
	return zinc_store_del_prefix(s, "p/", flags, NULL, NULL);
}

static int
see_leftover(void *arg, const char *name, const char *key, const char *what)
{
	(void)arg, (void)name, (void)key, (void)what;
	return 0;
}

static zinc_status
scrub_p(zinc_store *s, uint32_t flags)
{
	(void)flags;
	return zinc_store_scrub(s, "p/", 1, see_leftover, NULL, NULL, NULL);
}

static zinc_status
del_keys(zinc_store *s, const char *prefix, const char *const keys[2], uint32_t flags)
{
	zinc_put_group *g;

	ZINC_TRY(zinc_store_erase_begin(s, prefix, &g, flags, NULL, NULL));
	(void)!zinc_store_del(s, g, keys[0], NULL, flags, NULL, NULL);
	(void)!zinc_store_del(s, g, keys[1], NULL, flags, NULL, NULL);
	return zinc_store_commit(s, g, NULL, NULL, NULL, NULL);
}

static zinc_status
del_keys_p(zinc_store *s, uint32_t flags)
{
	return del_keys(s, "p/", (const char *const[]){"p/t/k", "p/t/sub/k"}, flags);
}

/* The same in the part of the store below p/. */
static zinc_status
del_keys_of_part(zinc_store *s, uint32_t flags)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *part;
	zinc_status st;

	assert_ok(zinc_store_prefix(&part, s, "p/", &err));
	st = del_keys(part, "t/", (const char *const[]){"t/k", "t/sub/k"}, flags);
	zinc_store_close(part);
	return st;
}

typedef struct swap_place {
	const char *victim, *target;
} swap_place;

/* Once for each call of the system that `erase` makes.  Returns how many there were. */
static int
swap_at_each_call(const swap_place *p, zinc_status (*erase)(zinc_store *s, uint32_t flags), uint32_t flags)
{
	const zinc_os *os;
	fs_rig rig;
	int at = 0;

	do {
		make_twins();
		remove_tree("aside");
		os = swap_os(at, p->victim, p->target);
		rig_open(&rig, "d", os, ZINC_STORE_OPTIONS(.links = ZINC_LINKS_FOLLOW));
		(void)!erase(rig.store, flags);
		rig_close(&rig);
		assert_string_equal(tree("outside"), OUTSIDE);
	} while (swap_calls() > at++);
	return at;
}

/* (13): a directory that becomes a link, at whatever moment, is not followed: the prefix itself or one below. */
static void
a_link_that_comes_is_not_followed(void **state)
{
	static const swap_place below = {"d/p/t", "../../outside"}, deep = {"d/p/t/sub", "../../../outside/sub"},
				itself = {"d/p", "../outside_p"};

	(void)state;
	enter_fast_dir();
	assert_true(swap_at_each_call(&below, del_p, 0) > 20);
	assert_true(swap_at_each_call(&below, del_p, ZINC_PUT_RELAXED) > 20);
	assert_true(swap_at_each_call(&below, del_keys_p, 0) > 10);
	assert_true(swap_at_each_call(&below, del_keys_of_part, ZINC_PUT_RELAXED) > 10);
	assert_true(swap_at_each_call(&below, scrub_p, 0) > 20);
	assert_true(swap_at_each_call(&deep, del_p, 0) > 20);
	assert_true(swap_at_each_call(&deep, scrub_p, 0) > 20);
	make_empty("outside_p");
	assert_int_equal(symlink("../outside", "outside_p/t"), 0);
	assert_true(swap_at_each_call(&itself, del_p, 0) > 20);
	assert_true(exists("outside_p/t"));
	leave_fast_dir();
}

/* Links above the prefix, and to keys that are not below it, are followed. */
static void
other_links_are_followed(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s = open_linked(ZINC_LINKS_FOLLOW);

	(void)state;
	write_file("d/deep/er/k", "x");
	assert_ok(del_keys(s, "link/sub/", (const char *const[]){"link/sub/k", "deep/er/k"}, 0));
	assert_string_equal(tree("other"), "k");
	assert_ok(del_keys(s, "deep/er/", (const char *const[]){"link/k", "none/k"}, 0));
	assert_string_equal(tree("other"), "");
	assert_string_equal(tree("d"), "gone k link up");
	write_file("other/sub/k", "x");
	assert_ok(zinc_store_del_prefix(s, "link/sub/", 0, NULL, &err));
	assert_string_equal(tree("other"), "");
	zinc_store_close(s);
}

/* A directory of the store becomes a link outwards and back, all the time; erased keys are created again. */
static void *
swap(void *arg)
{
	atomic_bool *stop = (atomic_bool *)arg;

	while (!*stop) {
		mkdir("d/p", 0777);
		rename("new", "d/p/t");
		(void)!symlink("../../outside", "aside"); /* unless a directory waits there, whose link was erased */
		if (renameat2(AT_FDCWD, "d/p/t", AT_FDCWD, "aside", RENAME_EXCHANGE) == -1)
			rename("aside", "d/p/t");
	}
	return NULL;
}

static void
no_race_erases_outside(void **state)
{
	atomic_bool stop = false;
	zinc_store *s = NULL;
	zinc_error err = ZINC_ERROR_INIT;
	pthread_t t;
	int i;

	(void)state;
	enter_fast_dir();
	make_twins();
	assert_ok(zinc_store_open(&s, "d", ZINC_STORE_OPTIONS(.links = ZINC_LINKS_FOLLOW), &err));
	assert_int_equal(pthread_create(&t, NULL, swap, &stop), 0);
	for (i = 0; i < MANY(10000); i++) {
		remove_tree("fresh");
		fill("fresh");
		rename("fresh", "new");
		(void)!(i % 3 == 0 ? scrub_p(s, 0) : del_p(s, i % 3 == 1 ? 0 : ZINC_PUT_RELAXED));
	}
	stop = true;
	pthread_join(t, NULL);
	zinc_store_close(s);
	assert_string_equal(tree("outside"), OUTSIDE);
	leave_fast_dir();
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
	    cmocka_unit_test(a_link_that_comes_is_not_followed),
	    cmocka_unit_test(other_links_are_followed),
	    cmocka_unit_test(no_race_erases_outside),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
