/*
 * test_store_zip_dir.c - directories of archives, right and hostile ones, by the promises of store_zip_dir.c and
 * store_zip_name.c
 */
#include <stdio.h>
#include <stdlib.h>

#include "store/store_zip.h"
#include "support/gets.h"
#include "support/test.h"
#include "support/zips.h"

static zips z;
static zinc_store *below, *s;

static void
open_it(void)
{
	s = zips_open(&z, "dir", &below);
}

static void
close_it(void)
{
	zinc_store_close(s);
	zinc_store_close(below);
}

/* What get() says of a key. */
static void
fails(const char *key, zinc_status want, const char *text)
{
	zinc_blob b = ZINC_BLOB_INIT;
	zinc_error err = ZINC_ERROR_INIT;

	assert_int_equal(zinc_store_get_all(s, key, &b, NULL, 0, NULL, &err), want);
	if (!strstr(err.text, text))
		fail_msg("\"%s\" has no \"%s\"", err.text, text);
	assert_null(b.data);
}

static int
join_key(void *arg, const char *key, uint64_t nbytes)
{
	char *out = (char *)arg;

	(void)nbytes;
	snprintf(out + strlen(out), 512 - strlen(out), "%s ", key);
	return 0;
}

static int
join_odd(void *arg, const zinc_non_key *odd)
{
	char *out = (char *)arg;

	assert_int_equal(odd->kind, strstr(odd->why, "take for this key") ? ZINC_NON_KEY_TYPE : ZINC_NON_KEY_NAME);
	assert_true(odd->why[0] != '\0');
	assert_int_equal(odd->holds(odd, "x"), 0);
	snprintf(out + strlen(out), 512 - strlen(out), "!%s ", odd->key);
	return 0;
}

static void
lists(const char *want)
{
	zinc_error err = ZINC_ERROR_INIT;
	char got[512] = "";
	const zinc_lister to = {.size = sizeof to, .key = join_key, .non_key = join_odd, .arg = got};

	assert_ok(zinc_store_walk(s, "", &to, NULL, &err));
	assert_string_equal(got, want);
}

/* The archive as a whole is refused. */
static void
refused(zinc_status want, const char *text)
{
	open_it();
	fails("a", want, text);
	close_it();
}

/* ---- 1 ---- */

static void
the_last_end_record_counts(void **state)
{
	char comment[64] = "a comment ";

	(void)state;
	zips_begin(&z, 0, 0);
	zips_text(&z, "a", "one");
	zips_end(&z, "with a comment", false);
	open_it();
	assert_text(s, "a", "one");
	close_it();
	memcpy(comment + 10, "PK\5\6", 4); /* not one: its comment would not end with the archive */
	memset(comment + 14, 'x', 30);
	zips_begin(&z, 0, 0);
	zips_text(&z, "a", "one");
	zips_end(&z, comment, false);
	open_it();
	assert_text(s, "a", "one");
	close_it();
	zips_begin(&z, 0, 0);
	zips_end(&z, NULL, false);
	open_it();
	lists("");
	close_it();
}

static void
not_an_archive(void **state)
{
	size_t n;

	(void)state;
	zips_begin(&z, 0, 0);
	refused(ZINC_E_CORRUPT, "no end record");
	zips_begin(&z, 100, 0);
	refused(ZINC_E_CORRUPT, "no end record");
	zips_begin(&z, 0, 0);
	zips_text(&z, "a", "one");
	zips_end(&z, NULL, false);
	z.all[z.n++] = 'x'; /* something after it */
	refused(ZINC_E_CORRUPT, "no end record");
	zips_begin(&z, 0, 0);
	zips_text(&z, "a", "one");
	zips_end(&z, NULL, false);
	for (n = z.n; n-- > 0;) { /* cut off anywhere */
		z.n = n;
		refused(ZINC_E_CORRUPT, "");
	}
}

static void
several_disks_are_refused(void **state)
{
	(void)state;
	zips_begin(&z, 0, 0);
	zips_text(&z, "a", "one");
	zips_end(&z, NULL, false);
	z.all[z.n - ZIP_END + 4] = 1;
	refused(ZINC_E_UNSUPPORTED, "several disks");
	z.all[z.n - ZIP_END + 6] = 1;
	refused(ZINC_E_UNSUPPORTED, "several disks");
	zips_begin(&z, 0, 0);
	zips_text(&z, "a", "one");
	zips_end(&z, NULL, true);
	z.all[z.n - ZIP_END - 4] = 2;
	refused(ZINC_E_UNSUPPORTED, "several disks");
}

/* ---- 2 ---- */

static void
zip64_and_bytes_before(void **state)
{
	int wide, before;

	(void)state;
	for (wide = 0; wide < 2; wide++)
		for (before = 0; before < 3; before++) {
			zips_begin(&z, before ? 100 : 0, before == 2 ? 100 : 0);
			zips_text(&z, "a", "one");
			zips_text(&z, "b/c", "two");
			zips_end(&z, NULL, wide);
			open_it();
			assert_text(s, "a", "one");
			assert_text(s, "b/c", "two");
			put_text(s, "d", "three"); /* positions stay as they are */
			assert_text(s, "b/c", "two");
			assert_text(s, "d", "three");
			lists("a b/c d ");
			close_it();
		}
}

/* Sizes and position in the zip64 field of a record. */
static void
wide_numbers_of_records(void **state)
{
	uint8_t extra[28];
	size_t n = 0, at;

	(void)state;
	zips_put(extra, &n, 2, 1);
	zips_put(extra, &n, 2, 24);
	zips_put(extra, &n, 8, 3);
	zips_put(extra, &n, 8, 3);
	zips_put(extra, &n, 8, 0);
	zips_begin(&z, 0, 0);
	zips_add(&z, &(zips_entry){.name = "a", .bytes = "one", .n = 3, .extra = extra, .nextra = 28});
	for (at = 20; at < 28; at++)
		z.dir[at] = 0xFF;
	for (at = 42; at < 46; at++)
		z.dir[at] = 0xFF;
	zips_end(&z, NULL, false);
	open_it();
	assert_text(s, "a", "one");
	close_it();
	z.dir[49] = 16; /* too short for all three */
	zips_begin(&z, 0, 0);
	extra[2] = 16;
	zips_add(&z, &(zips_entry){.name = "a", .bytes = "one", .n = 3, .extra = extra, .nextra = 20});
	for (at = 20; at < 28; at++)
		z.dir[at] = 0xFF;
	for (at = 42; at < 46; at++)
		z.dir[at] = 0xFF;
	zips_end(&z, NULL, false);
	refused(ZINC_E_CORRUPT, "zip64 field");
}

/* ---- 3 ---- */

static void
numbers_that_lie(void **state)
{
	(void)state;
	zips_begin(&z, 0, 0);
	zips_text(&z, "a", "one");
	zips_end(&z, NULL, false);
	z.all[z.n - ZIP_END + 8]++; /* the number of records */
	z.all[z.n - ZIP_END + 10]++;
	refused(ZINC_E_CORRUPT, "records");
	z.all[z.n - ZIP_END + 8]--;
	z.all[z.n - ZIP_END + 10]--;
	z.all[z.n - ZIP_END + 12]++; /* the size of the directory */
	refused(ZINC_E_CORRUPT, "");
	z.all[z.n - ZIP_END + 12]--;
	z.all[z.n - ZIP_END + 19] = 0x7F; /* its position */
	refused(ZINC_E_CORRUPT, "not inside");
	zips_begin(&z, 0, 0);
	zips_text(&z, "a", "one");
	z.dir[28] = 200; /* the length of a name */
	zips_end(&z, NULL, false);
	refused(ZINC_E_CORRUPT, "cut off");
}

/* Every byte of a small archive with any of a few values: never a crash, and never other bytes than were stored. */
static void
every_byte_may_be_wrong(void **state)
{
	static const uint8_t values[] = {0, 1, 0x7F, 0x80, 0xFF};
	static uint8_t good[1 << 16];
	zinc_blob b = ZINC_BLOB_INIT;
	size_t at, v, n;

	(void)state;
	zips_begin(&z, 3, 0);
	zips_text(&z, "a", "one");
	zips_add(&z, &(zips_entry){.name = "b/c", .bytes = "two!", .n = 4, .flags = 8, .local_extra = 5});
	zips_end(&z, "c", true);
	n = z.n;
	memcpy(good, z.all, n);
	for (at = 0; at < n; at++)
		for (v = 0; v < COUNT(values); v++) {
			memcpy(z.all, good, n);
			z.all[at] = values[v];
			open_it();
			if (zinc_store_get_all(s, "a", &b, NULL, 0, NULL, NULL) == ZINC_OK) {
				assert_string_equal((const char *)b.data, "one");
				zinc_blob_fini(&b);
			}
			if (zinc_store_get_all(s, "b/c", &b, NULL, 0, NULL, NULL) == ZINC_OK) {
				assert_string_equal((const char *)b.data, "two!");
				zinc_blob_fini(&b);
			}
			close_it();
		}
}

/* ---- 4 ---- */

static void
the_last_of_a_name_counts(void **state)
{
	(void)state;
	zips_begin(&z, 0, 0);
	zips_text(&z, "a", "first");
	zips_text(&z, "b", "b");
	zips_text(&z, "a", "second");
	zips_text(&z, "a", "the last");
	zips_end(&z, NULL, false);
	open_it();
	assert_text(s, "a", "the last");
	lists("a b ");
	put_text(s, "c", "c");
	assert_text(s, "a", "the last");
	close_it();
}

/* ---- 5 ---- */

static void
entries_that_cannot_be_read(void **state)
{
	(void)state;
	zips_begin(&z, 0, 0);
	zips_add(&z, &(zips_entry){.name = "crypt", .bytes = "x", .n = 1, .flags = 1});
	zips_add(&z, &(zips_entry){.name = "disk", .bytes = "x", .n = 1, .disk = 1});
	zips_text(&z, "fine", "yes");
	zips_add(&z, &(zips_entry){.name = "link", .bytes = "/etc", .n = 4, .mode = 0120777});
	zips_add(&z, &(zips_entry){.name = "method", .bytes = "x", .n = 1, .nbytes = 1, .method = 12});
	zips_add(&z, &(zips_entry){.name = "outside", .bytes = "x", .n = 1, .moved = 1 << 20});
	zips_add(&z, &(zips_entry){.name = "sizes", .bytes = "x", .n = 1, .nbytes = 2});
	zips_add(&z, &(zips_entry){.name = "strong", .bytes = "x", .n = 1, .flags = 0x2000});
	zips_end(&z, NULL, false);
	open_it();
	fails("crypt", ZINC_E_UNSUPPORTED, "encrypted");
	fails("disk", ZINC_E_UNSUPPORTED, "another disk");
	assert_text(s, "fine", "yes");
	fails("link", ZINC_E_UNSUPPORTED, "symbolic link");
	fails("method", ZINC_E_UNSUPPORTED, "method 12");
	fails("outside", ZINC_E_CORRUPT, "not inside");
	fails("sizes", ZINC_E_CORRUPT, "sizes");
	fails("strong", ZINC_E_UNSUPPORTED, "encrypted");
	lists("crypt disk fine link method outside sizes strong ");
	close_it();
}

/* A record that points into another entry, and two that share one. */
static void
overlaps_are_refused(void **state)
{
	(void)state;
	zips_begin(&z, 0, 0);
	zips_text(&z, "a", "0123456789012345678901234567890123456789");
	zips_add(&z, &(zips_entry){.name = "b", .bytes = "x", .n = 1, .moved = -30});
	zips_text(&z, "c", "fine");
	zips_add(&z, &(zips_entry){.name = "d", .bytes = "same", .n = 4});
	zips_add(&z, &(zips_entry){.name = "e", .bytes = "same", .n = 4, .moved = -35});
	zips_end(&z, NULL, false);
	open_it();
	fails("a", ZINC_E_CORRUPT, "shares bytes");
	fails("b", ZINC_E_CORRUPT, "shares bytes");
	assert_text(s, "c", "fine");
	fails("d", ZINC_E_CORRUPT, "shares bytes");
	fails("e", ZINC_E_CORRUPT, "shares bytes");
	close_it();
	zips_begin(&z, 0, 0); /* its local extra field reaches into the next entry */
	zips_text(&z, "a", "0123");
	zips_text(&z, "b", "4567");
	zips_end(&z, NULL, false);
	z.all[28] = 20;
	open_it();
	fails("a", ZINC_E_CORRUPT, "shares bytes");
	assert_text(s, "b", "4567");
	close_it();
}

/* A bomb says more than deflate can give, or less than it gives. */
static void
bombs_are_refused(void **state)
{
	static const uint8_t zeros[] = {0x63, 0x60, 0x18, 0x05, 0xA3, 0x60, 0x28, 0x03, 0x00}; /* many zeros */
	static const uint8_t empty[] = {0x03, 0x00};

	(void)state;
	zips_begin(&z, 0, 0);
	zips_add(
	    &z, &(zips_entry){.name = "huge", .bytes = empty, .n = 2, .nbytes = UINT32_MAX - 1, .method = 8, .crc = 1});
	zips_add(&z, &(zips_entry){.name = "less", .bytes = zeros, .n = 9, .nbytes = 5, .method = 8, .crc = 1});
	zips_add(&z, &(zips_entry){.name = "more", .bytes = empty, .n = 2, .nbytes = 5, .method = 8, .crc = 1});
	zips_end(&z, NULL, false);
	open_it();
	fails("huge", ZINC_E_CORRUPT, "sizes");
	fails("less", ZINC_E_CORRUPT, "does not decode");
	fails("more", ZINC_E_CORRUPT, "does not decode");
	close_it();
}

/* ---- N1 ---- */

static void
names_in_three_encodings(void **state)
{
	uint8_t extra[16];
	size_t n = 0;

	(void)state;
	zips_put(extra, &n, 2, ZIP_EXTRA_NAME);
	zips_put(extra, &n, 2, 7);
	zips_put(extra, &n, 1, 1);
	zips_put(extra, &n, 4, zinc_crc32(0, "?", 1));
	zips_put(extra, &n, 1, 0xC3);
	zips_put(extra, &n, 1, 0xB6);
	zips_begin(&z, 0, 0);
	zips_add(&z, &(zips_entry){.name = "\xC3\xA4", .bytes = "utf8", .n = 4, .flags = ZIP_UTF8});
	zips_add(&z, &(zips_entry){.name = "\x81", .bytes = "437", .n = 3});
	zips_add(&z, &(zips_entry){.name = "?", .bytes = "plain", .n = 5, .extra = extra, .nextra = n});
	zips_add(&z, &(zips_entry){.name = "\x84\x84", .bytes = "crc", .n = 3, .extra = extra, .nextra = n});
	zips_end(&z, NULL, false);
	open_it();
	assert_text(s, "\xC3\xA4", "utf8");
	assert_text(s, "\xC3\xBC", "437");
	assert_text(s, "?", "plain");              /* ASCII is not replaced */
	assert_text(s, "\xC3\xA4\xC3\xA4", "crc"); /* the field is of another name */
	close_it();
	n = 5;
	zips_put(extra, &n, 4, zinc_crc32(0, "\x81", 1));
	zips_begin(&z, 0, 0);
	zips_add(&z, &(zips_entry){.name = "\x81", .bytes = "path", .n = 4, .extra = extra, .nextra = 11});
	zips_end(&z, NULL, false);
	open_it();
	assert_text(s, "\xC3\xB6", "path");
	close_it();
}

/* ---- N2, N3 ---- */

static void
names_that_are_no_keys(void **state)
{
	static const struct {
		const char *name, *shown;
		size_t n;
	} rows[] = {
	    {"../up", "../up", 0},  {"a/../b", "a/../b", 0}, {"a\0b", "a\\x00b", 3},
	    {"a\nb", "a\\x0ab", 0}, {"..", "..", 0},         {"../", "../", 0},
	    {"./a/", "./a/", 0},    {"fine/.", "fine/.", 0}, {"./fine", "./fine", 0},
	};
	zinc_error err = ZINC_ERROR_INIT;
	char want[64];
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		zips_begin(&z, 0, 0);
		zips_add(&z, &(zips_entry){.name = rows[i].name, .nname = rows[i].n, .bytes = "", .n = 0});
		zips_text(&z, "fine", "yes");
		zips_end(&z, NULL, false);
		open_it();
		snprintf(want, sizeof want, "!%s fine ", rows[i].shown);
		lists(want);
		assert_text(s, "fine", "yes");
		assert_ok(zinc_store_put(s, NULL, "new", "n", 1, NULL, 0, NULL, NULL, &err)); /* it stays */
		snprintf(want, sizeof want, "!%s fine new ", rows[i].shown);
		lists(want);
		close_it();
	}
	zips_begin(&z, 0, 0);
	zips_add(&z, &(zips_entry){.name = "\xFF", .bytes = "x", .n = 1, .flags = ZIP_UTF8});
	zips_text(&z, "dir/", "");
	zips_text(&z, "dir/a", "1");
	zips_text(&z, "full/", "x"); /* not a directory: it has bytes */
	zips_end(&z, NULL, false);
	open_it();
	lists("!\\xff !full/ dir/a ");
	close_it();
}

/* Other programs would read such an entry as a key: it is not missing, and not another key. */
static void
keys_under_other_names_are_not_missing(void **state)
{
	static const struct {
		const char *name, *usual;
	} rows[] = {
	    {"./a/b", "a/b"}, {"/a/b", "a/b"}, {"a//b", "a/b"}, {"a/./b", "a/b"}, {"a\\b", "a/b"}, {".\\a\\\\b", "a/b"},
	};
	zinc_error err = ZINC_ERROR_INIT;
	char want[64];
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		zips_begin(&z, 0, 0);
		zips_text(&z, rows[i].name, "lost");
		zips_text(&z, "fine", "yes");
		zips_text(&z, "a/c", "1");
		zips_end(&z, NULL, false);
		open_it();
		snprintf(want, sizeof want, "!%s a/c fine ", rows[i].usual);
		lists(want);
		fails(rows[i].usual, ZINC_E_CORRUPT, rows[i].name);
		assert_missing(s, "a");
		assert_missing(s, "b");
		assert_ok(zinc_store_put(s, NULL, "a/b", "new", 3, NULL, 0, NULL, NULL, &err));
		assert_text(s, "a/b", "new"); /* now there is such a key, and the other entry stays */
		snprintf(want, sizeof want, "!%s a/b a/c fine ", rows[i].name);
		lists(want);
		close_it();
	}
}

static int
join_entry(void *arg, const char *key_or_prefix, int is_prefix)
{
	(void)is_prefix;
	return join_key(arg, key_or_prefix, 0);
}

/* "!a\\b(zarr.json) ": a directory that holds it. */
static int
join_odd_directory(void *arg, const zinc_non_key *odd)
{
	char *out = (char *)arg;

	assert_int_equal(odd->kind, ZINC_NON_KEY_NAME);
	assert_int_equal(odd->holds(odd, "x"), 0);
	snprintf(out + strlen(out), 512 - strlen(out), "!%s%s ", odd->key,
		 odd->holds(odd, "zarr.json") ? "(zarr.json)" : "");
	return 0;
}

static void
lists_level(const char *prefix, const char *want)
{
	zinc_error err = ZINC_ERROR_INIT;
	char got[512] = "";
	const zinc_lister to = {.size = sizeof to, .entry = join_entry, .non_key = join_odd_directory, .arg = got};

	assert_ok(zinc_store_walk(s, prefix, &to, NULL, &err));
	assert_string_equal(got, want);
}

/* Each is reported by one level, which a walk reaches: a node in it must not be overlooked. */
static void
levels_show_names_that_are_no_keys(void **state)
{
	(void)state;
	zips_begin(&z, 0, 0);
	zips_text(&z, "../up/zarr.json", "1");
	zips_text(&z, "/root/zarr.json", "2");
	zips_text(&z, "a\\b/zarr.json", "3");
	zips_text(&z, "a\\c\\zarr.json", "4");
	zips_text(&z, "empty//zarr.json", "5");
	zips_text(&z, "full/./zarr.json", "6");
	zips_text(&z, "full/../more/c", "7");
	zips_text(&z, "full/key", "8");
	zips_text(&z, "x\n", "9");
	zips_end(&z, NULL, false);
	open_it();
	lists_level("", "!../up(zarr.json) !/root(zarr.json) !a\\b(zarr.json) !a\\c(zarr.json) !empty(zarr.json) "
			"!x\\x0a full/ ");
	lists_level("full/", "!full/../more !full/.(zarr.json) full/key ");
	close_it();
}

/* ---- 6 ---- */

static void
tags_differ_if_bytes_differ(void **state)
{
	zinc_tag foreign, own, own_later, foreign_later;

	(void)state;
	zips_begin(&z, 0, 0);
	zips_text(&z, "a", "one");
	zips_end(&z, NULL, false);
	open_it();
	foreign = tag_of(s, "a");
	put_text(s, "b", "two");
	own = tag_of(s, "b");
	put_text(s, "c", "three");
	own_later = tag_of(s, "b");
	foreign_later = tag_of(s, "a");
	assert_true(zinc_tag_equal(&own, &own_later));
	assert_false(zinc_tag_equal(&foreign, &foreign_later));
	put_text(s, "b", "TWO");
	own_later = tag_of(s, "b");
	assert_false(zinc_tag_equal(&own, &own_later));
	close_it();
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(the_last_end_record_counts),
	    cmocka_unit_test(not_an_archive),
	    cmocka_unit_test(several_disks_are_refused),
	    cmocka_unit_test(zip64_and_bytes_before),
	    cmocka_unit_test(wide_numbers_of_records),
	    cmocka_unit_test(numbers_that_lie),
	    cmocka_unit_test(every_byte_may_be_wrong),
	    cmocka_unit_test(the_last_of_a_name_counts),
	    cmocka_unit_test(entries_that_cannot_be_read),
	    cmocka_unit_test(overlaps_are_refused),
	    cmocka_unit_test(bombs_are_refused),
	    cmocka_unit_test(names_in_three_encodings),
	    cmocka_unit_test(names_that_are_no_keys),
	    cmocka_unit_test(keys_under_other_names_are_not_missing),
	    cmocka_unit_test(levels_show_names_that_are_no_keys),
	    cmocka_unit_test(tags_differ_if_bytes_differ),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
