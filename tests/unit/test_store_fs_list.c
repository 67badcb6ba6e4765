/*
 * test_store_fs_list.c - listed and unlisted entries: promises 9 and 12 of store_fs.c
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "support/files.h"
#include "support/gets.h"
#include "support/test.h"

static char text[4096];

static int
note_key(void *arg, const char *key, uint64_t nbytes)
{
	(void)arg, (void)nbytes;
	snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", text[0] ? " " : "", key);
	return 0;
}

static int
note_entry(void *arg, const char *name, int is_prefix)
{
	(void)is_prefix;
	return note_key(arg, name, 0);
}

static const char *
list(zinc_store *s, const char *prefix)
{
	zinc_error err = ZINC_ERROR_INIT;

	text[0] = '\0';
	assert_ok(zinc_store_list(s, prefix, note_key, NULL, NULL, &err));
	return text;
}

static const char *
list_dir(zinc_store *s, const char *prefix)
{
	zinc_error err = ZINC_ERROR_INIT;

	text[0] = '\0';
	assert_ok(zinc_store_list_dir(s, prefix, note_entry, NULL, NULL, &err));
	return text;
}

static zinc_store *
open_with(const char *dir, int links)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s = NULL;

	assert_ok(zinc_store_open(&s, dir, ZINC_STORE_OPTIONS(.relaxed = 1, .links = links), &err));
	return s;
}

static void
make_odd_directory(void)
{
	make_empty("d");
	assert_int_equal(mkdir("d/a", 0777), 0);
	write_file("d/a/k", "1");
	write_file("d/a/k.__lock", "half");
	write_file("d/bad\nname", "");
	write_file("d/bad\xFFname", "");
	write_file("d/back\\slash", "");
	write_file("d/lost.__lock", "");
	assert_int_equal(mkdir("d/empty", 0777), 0);
	assert_int_equal(mkdir("d/nested", 0777), 0);
	assert_int_equal(mkdir("d/nested/empty", 0777), 0);
	assert_int_equal(mkdir("d/locks", 0777), 0);
	write_file("d/locks/x.__lock", "");
	assert_int_equal(mkfifo("d/fifo", 0666), 0);
	assert_int_equal(symlink("a", "d/link"), 0);
	assert_int_equal(symlink("a/k", "d/klink"), 0);
}

/* Empty directories, locks, links and what cannot be a key are not there. */
static void
only_keys_are_listed(void **state)
{
	zinc_store *s;

	(void)state;
	make_odd_directory();
	s = open_with("d", ZINC_LINKS_REFUSE);
	assert_string_equal(list(s, ""), "a/k");
	assert_string_equal(list_dir(s, ""), "a/");
	assert_string_equal(list_dir(s, "nested/"), "");
	assert_string_equal(list_dir(s, "a/k/"), "");
	zinc_store_close(s);
}

static const char *
list_dir_likely(zinc_store *s, const char *likely)
{
	const zinc_lister to = {.size = sizeof to, .entry = note_entry, .likely = likely};
	zinc_error err = ZINC_ERROR_INIT;

	text[0] = '\0';
	assert_ok(zinc_store_walk(s, "", &to, NULL, &err));
	return text;
}

/* A likely name saves a search; it changes no result. */
static void
likely_names_change_nothing(void **state)
{
	static const char *const names[] = {"k", "none", "k.__lock", "x.__lock", "../a/k", ".", "empty", ""};
	zinc_store *s;
	size_t i;

	(void)state;
	make_odd_directory();
	assert_int_equal(mkdir("d/one", 0777), 0);
	write_file("d/one/none", "");
	s = open_with("d", ZINC_LINKS_REFUSE);
	for (i = 0; i < sizeof names / sizeof *names; i++)
		assert_string_equal(list_dir_likely(s, names[i]), "a/ one/");
	zinc_store_close(s);
}

static int
note_non_key(void *arg, const zinc_non_key *non_key)
{
	static const char *const kinds[] = {"", "NAME", "TYPE", "LINK", "LOOP", "UNREAD"};

	(void)arg;
	assert_true(strlen(non_key->why) > 0);
	if (non_key->kind == ZINC_NON_KEY_DIR)
		return 0;
	snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s(%s%s)", text[0] ? " " : "", non_key->key,
		 kinds[non_key->kind], non_key->holds(non_key, "k") == 1 ? " k" : "");
	return 0;
}

/* The reports about entries that are not keys; of all, or of one level. */
static const char *
list_all(zinc_store *s, const char *prefix, bool all)
{
	zinc_lister to = {.size = sizeof to, .non_key = note_non_key};
	zinc_error err = ZINC_ERROR_INIT;

	if (all)
		to.key = note_key;
	else
		to.entry = note_entry;
	text[0] = '\0';
	assert_ok(zinc_store_walk(s, prefix, &to, NULL, &err));
	return text;
}

static void
make_links(void)
{
	make_odd_directory();
	make_empty("outside");
	write_file("outside/k", "");
	assert_int_equal(symlink(".", "d/round"), 0);
	assert_int_equal(symlink("..", "d/a/up"), 0);
	assert_int_equal(symlink("../outside", "d/out"), 0);
	assert_int_equal(symlink("nowhere", "d/dangling"), 0);
}

static void
links_are_listed_when_followed(void **state)
{
	zinc_store *s;

	(void)state;
	make_links();
	s = open_with("d", ZINC_LINKS_FOLLOW);
	/* round and up lead back to where the walk already is */
	assert_string_equal(list(s, ""), "a/k klink link/k out/k");
	assert_string_equal(list_dir(s, ""), "a/ klink link/ out/");
	assert_string_equal(list(s, "link/"), "link/k");
	zinc_store_close(s);
	if (!can_follow())
		skip();
	s = open_with("d", ZINC_LINKS_BENEATH);
	assert_string_equal(list(s, ""), "a/k klink link/k");
	assert_string_equal(list_dir(s, ""), "a/ klink link/");
	zinc_store_close(s);
}

/* (12): an entry that is not a key is reported once, with its name. */
static void
what_is_no_key_is_told(void **state)
{
	zinc_store *s;

	(void)state;
	make_links();
	assert_int_equal(mkdir("d/bad\tdir", 0777), 0);
	write_file("d/bad\tdir/k", "");
	assert_int_equal(mkdir("d/dir.__lock", 0777), 0);
	s = open_with("d", ZINC_LINKS_FOLLOW);
	assert_string_equal(list_all(s, "", true),
			    "a/k a/up(LOOP) back\\slash(NAME) bad\tdir(NAME k) bad\nname(NAME) bad\xFFname(NAME) "
			    "dangling(LINK) dir.__lock(NAME) fifo(TYPE) klink link/k link/up(LOOP) out/k round(LOOP)");
	assert_string_equal(list_all(s, "", false),
			    "a/ back\\slash(NAME) bad\tdir(NAME k) bad\nname(NAME) bad\xFFname(NAME) dangling(LINK) "
			    "dir.__lock(NAME) fifo(TYPE) klink link/ out/ round(LOOP)");
	/* the loop is also detected from the start of the listing */
	assert_string_equal(list_all(s, "a/", true), "a/k a/up(LOOP)");
	zinc_store_close(s);
	s = open_with("d", ZINC_LINKS_REFUSE);
	assert_string_equal(list_all(s, "a/", true), "a/k a/up(LINK)");
	zinc_store_close(s);
}

static int
note_dir(void *arg, const zinc_non_key *non_key)
{
	return non_key->kind == ZINC_NON_KEY_DIR ? note_key(arg, non_key->key, 0) : 0;
}

/* (12): a directory may be in the place of a value, also an empty one; its name is before the keys below it. */
static void
directories_are_told(void **state)
{
	const zinc_lister to = {.size = sizeof to, .key = note_key, .non_key = note_dir},
			  level = {.size = sizeof level, .entry = note_entry, .non_key = note_dir};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s;

	(void)state;
	make_odd_directory();
	s = open_with("d", ZINC_LINKS_FOLLOW);
	text[0] = '\0';
	assert_ok(zinc_store_walk(s, "", &to, NULL, &err));
	assert_string_equal(text, "a a/k empty klink link link/k locks nested nested/empty");
	text[0] = '\0';
	assert_ok(zinc_store_walk(s, "", &level, NULL, &err));
	assert_string_equal(text, "a a/ empty klink link link/ locks nested");
	zinc_store_close(s);
}

/* A directory without keys is none, but one with something that hides a key is. */
static void
hidden_keys_make_a_prefix(void **state)
{
	zinc_store *s;

	(void)state;
	make_empty("d");
	assert_int_equal(mkdir("d/a", 0777), 0);
	assert_int_equal(symlink("nowhere", "d/a/zarr.json"), 0);
	assert_int_equal(mkdir("d/b", 0777), 0);
	write_file("d/b/odd\nname", "");
	s = open_with("d", ZINC_LINKS_FOLLOW);
	assert_string_equal(list_dir(s, ""), "a/");
	zinc_store_close(s);
}

/* Two links between two directories: each is its own ancestor's ancestor. */
static void
loops_of_two_end(void **state)
{
	zinc_store *s;

	(void)state;
	make_empty("d");
	make_empty("other");
	write_file("d/k", "");
	write_file("other/k", "");
	assert_int_equal(symlink("../other", "d/there"), 0);
	assert_int_equal(symlink("../d", "other/back"), 0);
	s = open_with("d", ZINC_LINKS_FOLLOW);
	assert_string_equal(list_all(s, "", true), "k there/back(LOOP k) there/k");
	zinc_store_close(s);
}

/* An unreadable directory fails a plain listing, and is reported to a caller that requests entries that are not keys.
 * */
static void
unreadable_directories_are_told(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s;

	(void)state;
	make_empty("d");
	write_file("d/k", "");
	assert_int_equal(mkdir("d/x", 0777), 0);
	write_file("d/x/k", "");
	assert_int_equal(chmod("d/x", 0), 0);
	if (access("d/x/k", F_OK) == 0) {
		chmod("d/x", 0777);
		skip(); /* root may */
	}
	s = open_with("d", ZINC_LINKS_FOLLOW);
	assert_string_equal(list_all(s, "", true), "k x(UNREAD)");
	assert_string_equal(list_all(s, "", false), "k x(UNREAD)");
	assert_int_equal(zinc_store_list(s, "", note_key, NULL, NULL, &err), ZINC_E_IO);
	assert_int_equal(zinc_store_list_dir(s, "", note_entry, NULL, NULL, &err), ZINC_E_IO);
	zinc_store_close(s);
	assert_int_equal(chmod("d/x", 0777), 0);
}

static zinc_status
list_status(zinc_store *s, const char *prefix, bool all)
{
	zinc_lister to = {.size = sizeof to, .non_key = note_non_key};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_status st;

	if (all)
		to.key = note_key;
	else
		to.entry = note_entry;
	text[0] = '\0';
	st = zinc_store_walk(s, prefix, &to, NULL, &err);
	assert_string_equal(text, "");
	to.non_key = NULL;
	assert_int_equal(zinc_store_walk(s, prefix, &to, NULL, &err), st);
	assert_string_equal(text, "");
	return st;
}

/* An entry on which get() fails is not an empty prefix either: in the place of the directory that is listed, or above
 * it. */
static void
only_what_is_missing_is_empty(void **state)
{
	static const char *const bad[] = {"dangling/", "dangling/x/y/", "fifo/", "fifo/x/", "tofifo/", "out/gone/"};
	static const char *const good[] = {"none/", "none/x/", "a/none/", "a/k/", "a/k/x/", "empty/"};
	zinc_store *s;
	size_t i;

	(void)state;
	make_links();
	assert_int_equal(symlink("fifo", "d/tofifo"), 0);
	assert_int_equal(symlink("nowhere", "outside/gone"), 0);
	s = open_with("d", ZINC_LINKS_FOLLOW);
	for (i = 0; i < sizeof bad / sizeof *bad; i++) {
		assert_int_equal(list_status(s, bad[i], true), ZINC_E_IO);
		assert_int_equal(list_status(s, bad[i], false), ZINC_E_IO);
	}
	for (i = 0; i < sizeof good / sizeof *good; i++) {
		assert_int_equal(list_status(s, good[i], true), ZINC_OK);
		assert_int_equal(list_status(s, good[i], false), ZINC_OK);
	}
	zinc_store_close(s);
}

/* If readdir does not report types. */
static int typeless_read_dir(const zinc_os *self, int dir, int (*fn)(void *arg, const char *name, int type), void *arg);

struct typeless {
	int (*fn)(void *arg, const char *name, int type);
	void *arg;
};

static int
without_type(void *arg, const char *name, int type)
{
	const struct typeless *t = (const struct typeless *)arg;

	(void)type;
	return t->fn(t->arg, name, DT_UNKNOWN);
}

static int
typeless_read_dir(const zinc_os *self, int dir, int (*fn)(void *arg, const char *name, int type), void *arg)
{
	struct typeless t = {fn, arg};

	(void)self;
	return zinc_os_posix.read_dir(&zinc_os_posix, dir, without_type, &t);
}

static void
types_need_not_be_told(void **state)
{
	zinc_os os = zinc_os_posix;
	zinc_error err = ZINC_ERROR_INIT;
	fs_rig rig;

	(void)state;
	make_odd_directory();
	os.read_dir = typeless_read_dir;
	rig_open(&rig, "d", &os, ZINC_STORE_OPTIONS(.relaxed = 1, .links = ZINC_LINKS_REFUSE));
	assert_string_equal(list(rig.store, ""), "a/k");
	assert_string_equal(list_dir(rig.store, ""), "a/");
	put_text(rig.store, "a/l", "relaxed");
	assert_ok(zinc_store_sync(rig.store, NULL, &err));
	rig_close(&rig);
}

static void
limits_hold(void **state)
{
	zinc_context_options o = ZINC_CONTEXT_OPTIONS_INIT;
	zinc_error err = ZINC_ERROR_INIT;
	zinc_context *ctx = NULL;
	zinc_store *s = NULL;

	(void)state;
	make_empty("d");
	s = open_with("d", ZINC_LINKS_REFUSE);
	put_text(s, "a/1", "");
	put_text(s, "a/2", "");
	put_text(s, "b/1", "");
	put_text(s, "b/2", "");
	zinc_store_close(s);
	o.limits = ZINC_LIMITS(.children = 3);
	assert_ok(zinc_context_new(&ctx, &o, &err));
	assert_ok(zinc_store_open(&s, "d", ZINC_STORE_OPTIONS(.context = ctx), &err));
	assert_int_equal(zinc_store_list(s, "", note_key, NULL, NULL, &err), ZINC_E_LIMIT);
	assert_string_equal(list(s, "a/"), "a/1 a/2");
	assert_string_equal(list_dir(s, ""), "a/ b/");
	put_text(s, "b/3", "");
	put_text(s, "b/4", "");
	assert_int_equal(zinc_store_list(s, "b/", note_key, NULL, NULL, &err), ZINC_E_LIMIT);
	assert_int_equal(zinc_store_list_dir(s, "b/", note_entry, NULL, NULL, &err), ZINC_E_LIMIT);
	zinc_store_close(s);
	zinc_context_free(ctx);
}

/* Deeper than any key can be: passed over, without running out of stack or descriptors. */
static void
depth_is_that_of_keys(void **state)
{
	enum { DEPTH = 3000 };
	int fd, next, i;
	zinc_store *s;

	(void)state;
	enter_fast_dir();
	make_empty("d");
	fd = open("d", O_RDONLY | O_DIRECTORY);
	for (i = 0; i < DEPTH; i++) {
		assert_int_equal(mkdirat(fd, "x", 0777), 0);
		next = openat(fd, "x", O_RDONLY | O_DIRECTORY);
		close(fd);
		fd = next;
	}
	next = openat(fd, "deep", O_CREAT | O_WRONLY, 0666);
	close(next);
	close(fd);
	s = open_with("d", ZINC_LINKS_REFUSE);
	put_text(s, "x/k", "");
	assert_string_equal(list(s, ""), "x/k");
	zinc_store_close(s);
	leave_fast_dir();
}

/* ---- scrub ---- */

static int
note_leftover(void *arg, const char *name, const char *key, const char *what)
{
	(void)arg, (void)key;
	snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s(%.5s)", text[0] ? " " : "", name, what);
	return 0;
}

static const char *
scrub(zinc_store *s, const char *prefix, int remove)
{
	zinc_error err = ZINC_ERROR_INIT;

	text[0] = '\0';
	assert_ok(zinc_store_scrub(s, prefix, remove, note_leftover, NULL, NULL, &err));
	return text;
}

static bool
has(const char *words, const char *word)
{
	return strstr(words, word) != NULL;
}

static void
leftovers_are_found_and_removed(void **state)
{
	const char *found;
	zinc_store *s;
	char before[4096];

	(void)state;
	make_odd_directory();
	s = open_with("d", ZINC_LINKS_REFUSE);
	snprintf(before, sizeof before, "%s", tree("d"));
	found = scrub(s, "", 0);
	assert_true(has(found, "a/k.__lock(lock ") && has(found, "lost.__lock(lock ") &&
		    has(found, "locks/x.__lock(lock "));
	assert_true(has(found, "empty/(empty)") && has(found, "nested/empty/(empty)") && has(found, "nested/(empty)"));
	assert_true(has(found, "locks/(empty)"));
	assert_false(has(found, "fifo"));
	assert_string_equal(tree("d"), before); /* only checked */
	assert_string_equal(scrub(s, "locks/", 0), "locks/x.__lock(lock ) locks/(empty)");
	scrub(s, "", 1);
	assert_string_equal(scrub(s, "", 0), "");
	assert_false(exists("d/nested") || exists("d/empty") || exists("d/locks") || exists("d/lost.__lock"));
	assert_text(s, "a/k", "1");
	assert_string_equal(scrub(s, "no/such/", 1), "");
	zinc_store_close(s);
}

static void
held_locks_are_not_leftovers(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_put_group *g = NULL;
	zinc_store *s, *other;

	(void)state;
	make_empty("d");
	s = open_with("d", ZINC_LINKS_REFUSE);
	other = open_with("d", ZINC_LINKS_REFUSE);
	assert_ok(zinc_store_put_begin(other, &g, 0, NULL, &err));
	assert_ok(zinc_store_put(other, g, "a/k", "v", 1, NULL, 0, NULL, NULL, &err));
	assert_string_equal(scrub(s, "", 1), "");
	assert_ok(zinc_store_commit(other, g, NULL, NULL, NULL, &err));
	assert_text(s, "a/k", "v");
	zinc_store_close(other);
	zinc_store_close(s);
}

/* del_prefix takes leftovers with it. */
static void
erasing_all_leaves_no_trace(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s;

	(void)state;
	make_empty("d");
	s = open_with("d", ZINC_LINKS_REFUSE);
	put_text(s, "a/b/c/k", "1");
	put_text(s, "a/b/l", "1");
	put_text(s, "z", "1");
	write_file("d/a/b/dead.__lock", "");
	assert_int_equal(mkdir("d/a/void", 0777), 0);
	assert_ok(zinc_store_del_prefix(s, "a/", 0, NULL, &err));
	assert_string_equal(tree("d"), "z");
	zinc_store_close(s);
}

static zinc_status
scrub_all(void *arg, zinc_context *ctx, zinc_error *err)
{
	zinc_store *s = NULL;
	zinc_status st = zinc_store_open(&s, "d", ZINC_STORE_OPTIONS(.context = ctx), err);

	(void)arg;
	text[0] = '\0';
	if (st == ZINC_OK)
		st = zinc_store_scrub(s, "", 1, note_leftover, NULL, NULL, err);
	if (st == ZINC_OK)
		st = zinc_store_del_prefix(s, "", 0, NULL, err);
	zinc_store_close(s);
	return st;
}

static void
odd_again(void *arg)
{
	(void)arg;
	make_odd_directory();
}

static void
every_failing_call_is_survived(void **state)
{
	sweep_scenario s = {.run = scrub_all, .before = odd_again};

	(void)state;
	enter_fast_dir();
	assert_true(sweep_os_scenario(&s, (const int[]){EIO, EACCES, ENOENT, 0}) > 100);
	assert_true(sweep_alloc_scenario(&s) > 20);
	leave_fast_dir();
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(only_keys_are_listed),
	    cmocka_unit_test(likely_names_change_nothing),
	    cmocka_unit_test(links_are_listed_when_followed),
	    cmocka_unit_test(what_is_no_key_is_told),
	    cmocka_unit_test(hidden_keys_make_a_prefix),
	    cmocka_unit_test(loops_of_two_end),
	    cmocka_unit_test(unreadable_directories_are_told),
	    cmocka_unit_test(directories_are_told),
	    cmocka_unit_test(only_what_is_missing_is_empty),
	    cmocka_unit_test(types_need_not_be_told),
	    cmocka_unit_test(limits_hold),
	    cmocka_unit_test(depth_is_that_of_keys),
	    cmocka_unit_test(leftovers_are_found_and_removed),
	    cmocka_unit_test(held_locks_are_not_leftovers),
	    cmocka_unit_test(erasing_all_leaves_no_trace),
	    cmocka_unit_test(every_failing_call_is_survived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
