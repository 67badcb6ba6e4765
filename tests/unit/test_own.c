/*
 * test_own.c - which keys below a node are its own, for every version of Zarr and every key encoding
 */
#include <stdio.h>
#include <string.h>
#include <zinc/extend.h>

#include "format/format.h"
#include "nodes.h"
#include "test.h"

static void
make_array(forest *f, const char *path, int ndim, const char *encoding)
{
	static const uint64_t shape[] = {4, 4, 4}, chunks[] = {2, 2, 2};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_array *a = NULL;

	assert_ok(zinc_array_create(&a, f->h, path,
				    ZINC_ARRAY_OPTIONS(.ndim = ndim, .shape = shape, .chunks = chunks, .dtype = "int16",
						       .key_encoding = encoding),
				    &err));
	zinc_array_close(a);
}

static void
del(forest *f, const char *key)
{
	zinc_error err = ZINC_ERROR_INIT;

	assert_ok(zinc_store_del(f->memory, NULL, key, NULL, 0, NULL, &err));
}

static zinc_status
look(forest *f, const char *path, zinc_error *err)
{
	return zinc_node_erase_with(f->h, path, ZINC_ERASE_OPTIONS(.dry_run = 1), NULL, err);
}

/* May the node be erased with this key below it? */
static bool
is_own(forest *f, const char *path, const char *key)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_status st;

	forest_put(f, key, "{}");
	st = look(f, path, &err);
	assert_true(st == ZINC_OK || st == ZINC_E_EXISTS);
	assert_true(st == ZINC_OK || strstr(err.text, key)); /* it is named */
	assert_true(st == ZINC_OK || strstr(err.text, "--force"));
	del(f, key);
	return st == ZINC_OK;
}

/* Keys of an array /a: those of the grid, those outside it, those of other ranks, separators and versions. */
static const struct row {
	const char *format, *encoding;
	int ndim;
	const char *own, *foreign; /* with blanks between */
} rows[] = {
    {"v3", "default", 2, "a/c/0/0 a/c/1/1 a/c/99/0 a/c/18446744073709551615/0",
     "a/c a/c/0 a/c/0/0/0 a/c.0.0 a/0.0 a/c/00/0 a/c/+1/0 a/c/0/0/ a/c/18446744073709551616/0 a/.zarray a/.zattrs a/x "
     "a/C/0/0"},
    {"v3", "default.", 2, "a/c.0.0 a/c.7.9", "a/c/0/0 a/c.0 a/c.0.0.0 a/0.0 a/c.0.0x"},
    {"v3", "default", 0, "a/c", "a/c/0 a/0 a/c0 a/c.0"},
    {"v3", "default", 1, "a/c/0 a/c/5", "a/c a/c/0/0 a/c.0 a/0"},
    {"v3", "v2", 2, "a/0.0 a/12.7", "a/0/0 a/c/0/0 a/0 a/0.0.0 a/00.0 a/.zarray"},
    {"v3", "v2/", 2, "a/0/0 a/12/7", "a/0.0 a/c/0/0 a/0 a/0/0/0"},
    {"v3", "v2", 0, "a/0", "a/1 a/c a/0.0"},
    {"v2", "v2", 2, "a/0.0 a/12.7 a/.zattrs a/.zmetadata a/.nczarray a/.zgroup",
     "a/0/0 a/c/0/0 a/0 a/0.0.0 a/zarr.json a/.zshrc a/.zattrs.bak a/.nczx"},
    {"v2", "v2/", 2, "a/0/0 a/12/7 a/.zattrs", "a/0.0 a/c/0/0 a/0"},
    {"v2", "v2", 0, "a/0", "a/c a/1"},
    {"v3-2019", "default", 2, "data/a/0.0 data/a/9.9", "data/a/0/0 data/a/c0/0 data/a/0 data/a/x meta/root/a/note"},
    {"v3-2020", "default", 2, "data/root/a/c0/0 data/root/a/c9/9",
     "data/root/a/0/0 data/root/a/c/0/0 data/root/a/c0 data/root/a/c0.0 meta/root/a/README data/root/a/zarr.json"},
    {"v3-2020", "default", 0, "data/root/a/c data/root/a/c0", "data/root/a/c1 data/root/a/0"},
    {"v3-2022", "default", 2, "data/a/c0/0 data/a/c9/9", "data/a/0/0 data/a/c/0/0 data/a/c0 data/a/.zarray meta/a/x"},
    {"v3-2022", "default", 0, "data/a/c", "data/a/c0 data/a/0"},
};

static size_t
try_all(forest *f, const char *keys, bool own)
{
	char text[512], *key, *rest = text;
	size_t n = 0;

	snprintf(text, sizeof text, "%s", keys);
	while ((key = strsep(&rest, " "))) {
		if (key[strlen(key) - 1] == '/') /* no store has such a key */
			continue;
		if (is_own(f, "/a", key) != own)
			fail_msg("%s is not taken for %s", key, own ? "own" : "foreign");
		n++;
	}
	return n;
}

/* (1) */
static void
test_encodings(void **state)
{
	size_t i, n = 0;
	forest f;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		forest_open_format(&f, rows[i].format);
		make_array(&f, "/a", rows[i].ndim, strncmp(rows[i].format, "v3-", 3) ? rows[i].encoding : NULL);
		n += try_all(&f, rows[i].own, true);
		n += try_all(&f, rows[i].foreign, false);
		forest_close(&f);
	}
	assert_true(n > 80);
}

/* ---- (1) a program's own encoding, with a state ---- */

static int opened;

static zinc_status
row_open(void **self, const char *configuration, zinc_error *err)
{
	static int state;

	(void)configuration, (void)err;
	*self = &state;
	opened++;
	return ZINC_OK;
}

static void
row_close(void *self)
{
	(void)self;
	opened--;
}

static size_t
row_encode(void *self, const uint64_t *index, int ndim, char *out, size_t room)
{
	(void)self, (void)ndim;
	return (size_t)snprintf(out, room, "row-%llu", (unsigned long long)index[0]);
}

static int
row_decode(void *self, const char *key, int ndim, uint64_t *index)
{
	unsigned long long i;
	char again[64];

	if (sscanf(key, "row-%llu", &i) != 1)
		return 0;
	index[0] = i;
	return row_encode(self, index, ndim, again, sizeof again) < sizeof again && strcmp(again, key) == 0;
}

static const char *const row_uris[] = {"https://example.org/keys/row/1.0", NULL};
static const zinc_key_encoding_def row_keys = {.size = sizeof row_keys,
					       .name = "test.row",
					       .uris = row_uris,
					       .open = row_open,
					       .close = row_close,
					       .encode = row_encode,
					       .decode = row_decode};

static void
test_registered(void **state)
{
	static const char *const formats[] = {"v3", "v3-2019", "v3-2020", "v3-2022"};
	static const char *const data[] = {"", "data/", "data/root/", "data/"};
	zinc_error err = ZINC_ERROR_INIT;
	char key[64];
	forest f;
	size_t i;

	(void)state;
	assert_ok(zinc_register_key_encoding(&row_keys, &err));
	for (i = 0; i < COUNT(formats); i++) {
		forest_open_format(&f, formats[i]);
		make_array(&f, "/a", 1, "test.row");
		make_array(&f, "/b", 1, NULL);
		snprintf(key, sizeof key, "%sa/row-0", data[i]);
		assert_true(is_own(&f, "/a", key));
		assert_true(is_own(&f, "/", key)); /* and with another array beside it */
		snprintf(key, sizeof key, "%sa/row-77", data[i]);
		assert_true(is_own(&f, "/a", key));
		snprintf(key, sizeof key, "%sa/row-07", data[i]);
		assert_false(is_own(&f, "/a", key));
		assert_false(is_own(&f, "/", key));
		snprintf(key, sizeof key, "%sa/c/0", data[i]);
		assert_false(is_own(&f, "/a", key));
		snprintf(key, sizeof key, "%sb/row-0", data[i]);
		assert_false(is_own(&f, "/", key));
		forest_close(&f);
		assert_int_equal(opened, 0);
	}
}

/* ---- (1) groups ---- */

static void
test_groups(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	forest f;

	(void)state;
	forest_open_format(&f, "v3");
	make_array(&f, "/g/a", 1, NULL);
	forest_put(&f, "g/i/b/zarr.json", ARRAY); /* /g/i has no document */
	assert_true(is_own(&f, "/g", "g/a/c/0"));
	assert_true(is_own(&f, "/g", "g/i/b/c/3"));
	assert_true(is_own(&f, "/g/i", "g/i/b/c/3"));
	assert_false(is_own(&f, "/g", "g/README"));
	assert_false(is_own(&f, "/g/i", "g/i/README"));
	assert_false(is_own(&f, "/g", "g/c/0"));           /* a chunk that belongs to no array */
	assert_false(is_own(&f, "/g", "g/lost/c/0"));      /* its document may be restored */
	assert_false(is_own(&f, "/g", "g/__x/zarr.json")); /* no reader shows it */
	assert_false(is_own(&f, "/g", "g/v2/.zarray"));
	assert_false(is_own(&f, "/g", "g/.zgroup"));
	forest_put(&f, "g/a/child/zarr.json", GROUP); /* not checked below an array */
	assert_int_equal(look(&f, "/g", &err), ZINC_E_EXISTS);
	assert_int_equal(look(&f, "/g/a", &err), ZINC_E_EXISTS);
	del(&f, "g/a/child/zarr.json");
	/* a root without a document is none, whatever is below */
	assert_ok(look(&f, "/", &err));
	del(&f, "zarr.json");
	assert_int_equal(look(&f, "/", &err), ZINC_E_EXISTS);
	forest_close(&f);

	forest_open_format(&f, "v2");
	make_array(&f, "/g/a", 1, NULL);
	del(&f, "g/.zgroup"); /* a group by the nodes below it */
	assert_true(is_own(&f, "/", "g/.zattrs"));
	assert_true(is_own(&f, "/", "g/a/.zattrs"));
	assert_false(is_own(&f, "/", "notes/.zattrs"));
	assert_false(is_own(&f, "/", "README"));
	forest_close(&f);
}

/* Beside the two trees of a draft only its entry point belongs to it. */
static void
test_draft_roots(void **state)
{
	static const char *const formats[] = {"v3-2019", "v3-2020", "v3-2022"};
	zinc_error err = ZINC_ERROR_INIT;
	forest f;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(formats); i++) {
		forest_open_format(&f, formats[i]);
		make_array(&f, "/g/a", 1, NULL);
		assert_ok(look(&f, "/", &err));
		assert_false(is_own(&f, "/", "README"));
		assert_false(is_own(&f, "/", "data/note"));
		assert_false(is_own(&f, "/", "meta/note"));
		assert_false(is_own(&f, "/", ".zgroup"));
		forest_close(&f);
	}
}

/* ---- (2) ---- */

static void
test_not_understood(void **state)
{
	static const struct {
		const char *from, *to; /* in the document of an array */
		zinc_status status;
	} changes[] = {
	    {"{\"zarr", "{\"new\": {\"a\": 1}, \"zarr", ZINC_E_UNSUPPORTED},
	    {"{\"zarr", "{\"new\": {\"must_understand\": false}, \"zarr", ZINC_OK},
	    {"{\"zarr", "{\"storage_transformers\": [{\"name\": \"test.unknown\"}], \"zarr", ZINC_E_UNSUPPORTED},
	    {"regular", "test.unknown", ZINC_E_UNSUPPORTED},
	    {"default", "test.unknown", ZINC_E_UNSUPPORTED},
	    {"bytes", "test.unknown", ZINC_E_UNSUPPORTED},
	    {"int16", "test.unknown", ZINC_E_UNSUPPORTED},
	    {"[4]", "[-4]", ZINC_E_CORRUPT},
	};
	size_t i, k;
	forest f;

	(void)state;
	for (i = 0; i < COUNT(changes); i++) {
		static const char *const paths[] = {"/a", "/"};
		static const char array[] = ARRAY;
		const char *at = strstr(array, changes[i].from);
		char document[1024];

		forest_open_format(&f, "v3");
		forest_put(&f, "zarr.json", GROUP);
		snprintf(document, sizeof document, "%.*s%s%s", (int)(at - array), array, changes[i].to,
			 at + strlen(changes[i].from));
		forest_put(&f, "a/zarr.json", document);
		forest_put(&f, "a/c/0", "1122");
		for (k = 0; k < COUNT(paths); k++) {
			zinc_error err = ZINC_ERROR_INIT;
			const zinc_status st = look(&f, paths[k], &err);

			if (st != changes[i].status)
				fail_msg("%st: %d", changes[i].to, (int)st);
			assert_true(st == ZINC_OK || strstr(err.text, "--force"));
			assert_true(st == ZINC_OK || strstr(err.key, "a"));
		}
		forest_close(&f);
	}
}

/* ---- unfinished copies ---- */

#define JOURNAL "{\"zinc_cp\": 2, \"source\": \"s.zarr\", \"path\": \"/\", \"steps\": 1, \"done\": 0}"

/* Files that only have the name of a journal, or are beside the files of a copy. */
static void
try_not_copied(forest *f, const char *data)
{
	static const char *const texts[] = {"", "{}", "[2]", "{\"zinc_cp\": 2}", "diary"};
	char journal[64], key[64];
	size_t i;

	snprintf(journal, sizeof journal, "%sz/__zinc_cp.json", data);
	snprintf(key, sizeof key, "%sz/n/0", data);
	for (i = 0; i < COUNT(texts); i++) {
		zinc_error err = ZINC_ERROR_INIT;

		forest_put(f, journal, texts[i]);
		forest_put(f, key, "1");
		assert_int_equal(zinc_erase_for(f->h, "/z", 1, true, &err), ZINC_E_EXISTS);
		assert_int_equal(look(f, "/", &err), ZINC_E_EXISTS);
	}
	del(f, key);
	forest_put(f, journal, JOURNAL);
	snprintf(key, sizeof key, "%sz/notes.txt", data);
	assert_false(is_own(f, "/", key));
	snprintf(key, sizeof key, "%sz/n/c1x", data);
	assert_false(is_own(f, "/", key));
	snprintf(key, sizeof key, "%sz/my__zinc_cp_pass/x", data);
	assert_false(is_own(f, "/", key));
	snprintf(key, sizeof key, "%sz/__zinc_cp_pass/x", data);
	assert_false(is_own(f, "/", key));
	del(f, journal);
}

static void
test_copies(void **state)
{
	static const char *const formats[] = {"v3", "v2", "v3-2019", "v3-2020", "v3-2022"};
	static const char *const data[] = {"", "", "data/", "data/root/", "data/"};
	zinc_error err = ZINC_ERROR_INIT;
	char key[64];
	forest f;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(formats); i++) {
		forest_open_format(&f, formats[i]);
		make_array(&f, "/a", 1, NULL);
		try_not_copied(&f, data[i]);
		snprintf(key, sizeof key, "%sz/n/0.7", data[i]);
		assert_false(is_own(&f, "/", key));
		snprintf(key, sizeof key, "%sz/__zinc_cp.json", data[i]);
		forest_put(&f, key, JOURNAL);
		snprintf(key, sizeof key, "%sz/n/c", data[i]);
		assert_true(is_own(&f, "/", key));
		snprintf(key, sizeof key, "%sz/n/0.7", data[i]);
		assert_true(is_own(&f, "/", key)); /* the copy has put it */
		snprintf(key, sizeof key, "%sz/__zinc_cp_pass/c/0", data[i]);
		assert_true(is_own(&f, "/", key));
		/* erasing a place that is not a node discards the copy, and needs force; a new node may start again */
		assert_int_equal(look(&f, "/z", &err), ZINC_E_NOTFOUND);
		assert_ok(zinc_erase_for(f.h, "/z", 1, true, &err));
		make_array(&f, "/z2", 1, NULL);
		snprintf(key, sizeof key, "%sz2/__zinc_cp.json", data[i]);
		forest_put(&f, key, JOURNAL); /* that one was nearly finished, as its document shows */
		assert_ok(look(&f, "/z2", &err));
		snprintf(key, sizeof key, "%sz2/5.5", data[i]);
		assert_false(is_own(&f, "/z2", key));
		forest_close(&f);
	}
}

/* ---- entries of a store that are not keys ---- */

/* After a link of the longest checked name, numbers are tried in a buffer: they fit, or the result is unknown. */
static void
test_long_names(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_meta *m = NULL;
	char name[1200];
	zinc_report r;
	size_t n;
	forest f;

	(void)state;
	forest_open_format(&f, "v3");
	make_array(&f, "/a", 2, NULL);
	zinc_report_init_quiet(&r, f.ctx, false);
	assert_ok(zinc_read_node(f.h, "/a", &r, &m, &err));
	for (n = 1000; n < sizeof name - 1; n++) {
		const zinc_non_key non_key = {.key = name, .kind = ZINC_NON_KEY_LINK};

		memset(name, 'x', n);
		name[n] = '\0';
		assert_int_equal(zinc_meta_reads(m, name, &non_key), n + 7 > 1024);
	}
	zinc_meta_free(m);
	forest_close(&f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_encodings),   cmocka_unit_test(test_registered),     cmocka_unit_test(test_groups),
	    cmocka_unit_test(test_draft_roots), cmocka_unit_test(test_not_understood), cmocka_unit_test(test_copies),
	    cmocka_unit_test(test_long_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
