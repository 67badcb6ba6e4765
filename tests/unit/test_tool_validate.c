/*
 * test_tool_validate.c - zinc_validate: its findings, their order, its repairs
 *
 * tests/cli/validate_rules.sh runs every fixture of a rule; here are the promises of validate.c, by number.
 */
#include <stdio.h>
#include <string.h>
#include <zinc/tool.h>

#include "nodes.h"
#include "test.h"

/* ---- findings as text: "W M25 /a key; E M84 ..." ---- */

struct seen {
	char text[65536];
	size_t n;
	int count, stop_after;
};

static int
see(void *arg, const zinc_finding *f)
{
	struct seen *s = arg;

	assert_int_equal(f->size, sizeof *f);
	assert_non_null(f->fix);
	assert_true(f->message[0] != '\0');
	s->n += (size_t)snprintf(s->text + s->n, sizeof s->text - s->n, "%s%c %s %s %s", s->n ? "; " : "",
				 f->repaired ? 'R' : "WEU"[f->level], f -> rule, f -> path, f -> key);
	assert_true(s->n < sizeof s->text);
	s->count++;
	return s->stop_after && s->count == s->stop_after;
}

static zinc_validate_options
options(forest *f)
{
	zinc_validate_options o = ZINC_VALIDATE_OPTIONS_INIT;

	o.context = f->ctx;
	return o;
}

static const char *
validate(forest *f, const char *below, const zinc_validate_options *o, zinc_validate_counts *counts)
{
	static struct seen s;
	zinc_error err = ZINC_ERROR_INIT;
	char url[128];

	memset(&s, 0, sizeof s);
	snprintf(url, sizeof url, "%s/%s", zinc_store_url(f->memory), below);
	assert_ok(zinc_validate(url, o, see, &s, counts, &err));
	return s.text;
}

static const char *
plainly(forest *f)
{
	zinc_validate_options o = options(f);

	return validate(f, "", &o, NULL);
}

static void
put_bytes(forest *f, const char *key, const void *p, size_t n)
{
	zinc_error err = ZINC_ERROR_INIT;

	assert_ok(zinc_store_put(f->memory, NULL, key, p, n, NULL, 0, NULL, NULL, &err));
}

/* ---- a sound hierarchy ---- */

static void
test_sound(void **state)
{
	zinc_validate_counts n = ZINC_VALIDATE_COUNTS_INIT;
	zinc_validate_options o;
	forest f;

	(void)state;
	forest_open(&f, "", ZINC_LENIENT);
	o = options(&f);
	forest_put(&f, "zarr.json", GROUP);
	forest_put(&f, "a/zarr.json", ARRAY);
	put_bytes(&f, "a/c/0", "abcd", 4);
	forest_put(&f, "g/zarr.json", GROUP);
	forest_put(&f, "g/__x/anything", "of an extension's own (M32)");
	forest_put(&f, "g/__x/zarr.json", "no node, either");
	assert_string_equal(validate(&f, "", &o, &n), "");
	assert_int_equal(n.groups, 2);
	assert_int_equal(n.arrays, 1);
	assert_int_equal(n.objects, 1);
	assert_int_equal(n.bytes, 4);
	assert_int_equal(n.missing, 1);
	assert_int_equal(n.errors + n.warnings + n.unsupported + n.repaired, 0);
	assert_string_equal(validate(&f, "a", &o, &n), "");
	assert_int_equal(n.groups, 0);
	assert_int_equal(n.arrays, 1);
	o.fast = 1;
	put_bytes(&f, "a/c/0", "abc", 3);
	assert_string_equal(validate(&f, "", &o, &n), "");
	assert_int_equal(n.objects, 1);
	o.fast = 0;
	assert_string_equal(validate(&f, "", &o, &n), "E M72 /a a/c/0");
	assert_int_equal(n.errors, 1);
	forest_close(&f);
}

/* ---- (1) one bad thing hides no other ---- */

static void
test_all_is_found(void **state)
{
	zinc_validate_counts n = ZINC_VALIDATE_COUNTS_INIT;
	zinc_validate_options o;
	forest f;

	(void)state;
	forest_open(&f, "", ZINC_LENIENT);
	o = options(&f);
	forest_put(&f, "zarr.json", GROUP);
	forest_put(&f, "a/zarr.json", "{");
	put_bytes(&f, "a/c/0", "abcd", 4); /* owner unknown */
	forest_put(&f, "b/zarr.json", ARRAY_WITH(", \"attributes\": 3, \"dimension_names\": 4"));
	forest_put(&f, "c/zarr.json", ARRAY);
	put_bytes(&f, "c/c/0", "a", 1);
	put_bytes(&f, "c/c/1", "abcde", 5);
	forest_put(&f, "d/zarr.json", ARRAY_WITH(", \"unheard_of\": 1"));
	put_bytes(&f, "d/c/0", "a", 1); /* cannot be decoded: no finding */
	assert_string_equal(validate(&f, "", &o, &n), "E M2 /a a/zarr.json; E M7 /b b/zarr.json; E M8 /b b/zarr.json; "
						      "U M16 /d d/zarr.json; E M72 /c c/c/0; E M72 /c c/c/1");
	assert_int_equal(n.errors, 5);
	assert_int_equal(n.unsupported, 1);
	forest_close(&f);
}

/* ---- the tree ---- */

static void
test_tree(void **state)
{
	zinc_validate_options o;
	zinc_validate_counts n = ZINC_VALIDATE_COUNTS_INIT;
	forest f;

	(void)state;
	forest_open(&f, "", ZINC_LENIENT);
	o = options(&f);
	forest_put(&f, "a/b/c/zarr.json", GROUP); /* M25: the root, a, a/b; each once */
	forest_put(&f, "a/b/d/zarr.json", GROUP);
	forest_put(&f, "a/x/zarr.json", ARRAY);
	forest_put(&f, "a/x/y/z/zarr.json", GROUP); /* M28 */
	forest_put(&f, "a/x/y/zarr.json", GROUP);
	forest_put(&f, "a/.../zarr.json", GROUP); /* M31 */
	assert_string_equal(
	    validate(&f, "", &o, &n),
	    "W M25 / ; W M25 /a ; E M31 /a/... a/.../zarr.json; W M25 /a/b ; E M28 /a/x/y a/x/y/zarr.json; "
	    "E M28 /a/x/y/z a/x/y/z/zarr.json");
	assert_int_equal(n.warnings, 3);
	o.strict = 1;
	validate(&f, "", &o, &n);
	assert_int_equal(n.warnings, 0);
	assert_int_equal(n.errors, 6);
	o.strict = 0;
	assert_string_equal(validate(&f, "a/b", &o, &n), "W M25 / "); /* no document above: the root exists */
	forest_put(&f, "zarr.json", GROUP);
	assert_string_equal(validate(&f, "a/b/d", &o, &n), "");
	forest_close(&f);
}

/* ---- keys that belong to nothing ---- */

static const char *const orphans[] = {"a/c",  "a/c/00", "a/c/2",   "a/c/0/0",  "a/x",
				      "note", "z/c/0",  "z/c.0.1", "z/readme", ".zattrs"};

static void
test_orphans(void **state)
{
	zinc_validate_counts n = ZINC_VALIDATE_COUNTS_INIT;
	zinc_validate_options o;
	forest f;
	size_t i;

	(void)state;
	forest_open(&f, "", ZINC_LENIENT);
	o = options(&f);
	forest_put(&f, "zarr.json", GROUP);
	forest_put(&f, "a/zarr.json", ARRAY);
	put_bytes(&f, "a/c/1", "abcd", 4);
	for (i = 0; i < COUNT(orphans); i++)
		forest_put(&f, orphans[i], "x");
	assert_string_equal(
	    validate(&f, "", &o, &n),
	    "W M1 / .zattrs; W M43 /a a/c; W M43 /a a/c/0/0; W M48 /a a/c/00; W M41 /a a/c/2; W M43 /a a/x; "
	    "W M1 / note; E M26 / z/c.0.1; E M26 / z/c/0; W M1 / z/readme");
	assert_int_equal(n.objects, 1);
	assert_int_equal(n.missing, 1);

	/* (3) repair alone erases no object; with orphans a chunk outside the grid is erased, and nothing else */
	o.repair = 1;
	validate(&f, "", &o, &n);
	assert_int_equal(n.warnings, COUNT(orphans) - 2);
	assert_int_equal(n.errors, 2);
	assert_int_equal(n.repaired, 0);
	o.orphans = 1;
	validate(&f, "", &o, &n);
	assert_int_equal(n.repaired, 1);
	assert_string_equal(forest_keys(&f), ".zattrs a/c a/c/0/0 a/c/00 a/c/1 a/x a/zarr.json note z/c.0.1 z/c/0 "
					     "z/readme zarr.json");
	forest_close(&f);
}

/* ---- consolidated metadata ---- */

static void
test_copies(void **state)
{
	static const struct {
		const char *metadata, *found;
	} rows[] = {
	    {COPIES("\"a\": " ARRAY ", \"g\": " GROUP ", \"g/h\": " GROUP), ""},
	    {COPIES("\"/a\": " ARRAY ", \"/g\": " GROUP ", \"/g/h\": " GROUP), ""},   /* both spellings */
	    {COPIES("\"a\": " ARRAY ", \"g\": " COPIES("") ", \"g/h\": " GROUP), ""}, /* as zarr-python writes groups */
	    {COPIES("\"a\": " ARRAY ", \"g\": " GROUP), "E consolidated / "},
	    {COPIES("\"a\": " GROUP ", \"g\": " GROUP ", \"g/h\": " GROUP), "E consolidated / "},
	    {COPIES("\"a\": " ARRAY ", \"g\": " GROUP ", \"g/h\": " GROUP ", \"i\": " GROUP), "E consolidated / "},
	    {COPIES(""), "E consolidated / "},
	};
	zinc_validate_options o;
	zinc_validate_counts n = ZINC_VALIDATE_COUNTS_INIT;
	forest f;
	size_t i;

	(void)state;
	forest_open(&f, "", ZINC_LENIENT);
	forest_put(&f, "a/zarr.json", ARRAY);
	forest_put(&f, "g/zarr.json", GROUP);
	forest_put(&f, "g/h/zarr.json", GROUP);
	for (i = 0; i < COUNT(rows); i++) {
		forest_put(&f, "zarr.json", rows[i].metadata);
		assert_string_equal(plainly(&f), rows[i].found);
		o = options(&f);
		o.repair = 1;
		validate(&f, "", &o, &n);
		assert_int_equal(n.repaired, rows[i].found[0] != '\0');
		assert_string_equal(plainly(&f), "");
		assert_non_null(strstr(forest_get(&f, "zarr.json"), "consolidated_metadata"));
	}

	/* a damaged document cannot be copied: then there is rather no consolidated metadata */
	forest_put(&f, "zarr.json", COPIES(""));
	forest_put(&f, "a/zarr.json", "{");
	o = options(&f);
	o.repair = 1;
	assert_string_equal(validate(&f, "", &o, &n), "E M2 /a a/zarr.json; R consolidated / ");
	assert_null(strstr(forest_get(&f, "zarr.json"), "consolidated_metadata"));
	forest_close(&f);
}

/* ---- (2) the same findings in the same order, whatever the number of threads; (4) in windows ---- */

static void
test_threads(void **state)
{
	char key[64], first[65536];
	zinc_validate_options o;
	zinc_validate_counts n = ZINC_VALIDATE_COUNTS_INIT;
	int threads, i;
	forest f;

	(void)state;
	forest_open(&f, "", ZINC_LENIENT);
	o = options(&f);
	forest_put(&f, "zarr.json", GROUP);
	for (i = 0; i < 700; i++) { /* more than two windows, of documents and of objects */
		snprintf(key, sizeof key, "n%d/zarr.json", i);
		forest_put(&f, key, i % 50 == 0 ? "[]" : ARRAY);
		snprintf(key, sizeof key, "n%d/c/%d", i, i & 1);
		put_bytes(&f, key, "abcde", i % 70 == 1 ? 5 : 4);
	}
	forest_put(&f, "big/zarr.json",
		   "{\"zarr_format\": 3, \"node_type\": \"array\", \"shape\": [1000], \"data_type\": \"int8\", "
		   "\"chunk_grid\": {\"name\": \"regular\", \"configuration\": {\"chunk_shape\": [1]}}, "
		   "\"chunk_key_encoding\": {\"name\": \"default\"}, \"fill_value\": 0, "
		   "\"codecs\": [{\"name\": \"bytes\"}]}");
	for (i = 0; i < 1000; i++) {
		snprintf(key, sizeof key, "big/c/%d", i);
		put_bytes(&f, key, "ab", i % 99 == 0 ? 2 : 1);
	}
	o.threads = 1;
	snprintf(first, sizeof first, "%s", validate(&f, "", &o, &n));
	assert_int_equal(n.errors, 14 + 10 + 11);
	assert_int_equal(n.objects, 686 + 1000);
	for (threads = 2; threads <= 8; threads *= 2) {
		o.threads = threads;
		assert_string_equal(validate(&f, "", &o, &n), first);
	}
	forest_close(&f);
}

/* ---- stopping ---- */

struct ticks {
	uint64_t done, total;
	int calls, cancel_at;
};

static int
tick(void *arg, uint64_t done, uint64_t total, uint64_t bytes)
{
	struct ticks *t = arg;

	(void)bytes;
	t->done = done;
	t->total = total;
	return ++t->calls == t->cancel_at;
}

static void
test_stopping(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_validate_options o;
	zinc_validate_counts n = ZINC_VALIDATE_COUNTS_INIT;
	static struct seen s;
	struct ticks t = {0};
	const zinc_cancel cancel = {1};
	char url[64];
	forest f;

	(void)state;
	forest_open(&f, "", ZINC_LENIENT);
	o = options(&f);
	forest_put(&f, "zarr.json", GROUP);
	forest_put(&f, "a/zarr.json", ARRAY);
	put_bytes(&f, "a/c/0", "a", 1);
	put_bytes(&f, "a/c/1", "a", 1);
	forest_put(&f, "x", "");
	forest_put(&f, "y", "");
	snprintf(url, sizeof url, "%s", zinc_store_url(f.memory));

	s.stop_after = 1;
	assert_ok(zinc_validate(url, &o, see, &s, &n, &err));
	assert_int_equal(s.count, 1);

	o.call = ZINC_CALL_OPTIONS(.progress = tick, .progress_arg = &t);
	assert_ok(zinc_validate(url, &o, NULL, NULL, &n, &err)); /* no callback: counts alone */
	assert_int_equal(n.errors, 2);
	assert_int_equal(n.warnings, 2);
	assert_int_equal(t.done, 4);
	assert_int_equal(t.total, 4);
	t = (struct ticks){.cancel_at = 1};
	assert_int_equal(zinc_validate(url, &o, NULL, NULL, &n, &err), ZINC_E_CANCELLED);
	o.call = ZINC_CALL_OPTIONS(.cancel = &cancel);
	assert_int_equal(zinc_validate(url, &o, NULL, NULL, NULL, &err), ZINC_E_CANCELLED);
	assert_int_equal(zinc_validate(url, &o, NULL, NULL, NULL, NULL), ZINC_E_CANCELLED);
	forest_close(&f);
}

static void
test_refused(void **state)
{
	zinc_validate_options o = ZINC_VALIDATE_OPTIONS_INIT;
	zinc_error err = ZINC_ERROR_INIT;
	forest f;

	(void)state;
	assert_int_equal(zinc_validate(NULL, NULL, NULL, NULL, NULL, &err), ZINC_E_INVALID);
	assert_int_equal(zinc_validate("memory://no-such-place", NULL, NULL, NULL, NULL, &err), ZINC_E_NOTFOUND);
	assert_int_equal(zinc_validate("nowhere.zarr", NULL, NULL, NULL, NULL, &err), ZINC_E_NOTFOUND);
	assert_string_equal(err.url, "nowhere.zarr");
	o.format = "v9";
	assert_int_equal(zinc_validate("nowhere.zarr", &o, NULL, NULL, NULL, &err), ZINC_E_INVALID);
	o.size = 0;
	assert_int_equal(zinc_validate("nowhere.zarr", &o, NULL, NULL, NULL, &err), ZINC_E_INVALID);
	forest_open(&f, "", ZINC_LENIENT);
	o = options(&f);
	forest_put(&f, "stray", "no document anywhere");
	assert_int_equal(zinc_validate(zinc_store_url(f.memory), &o, NULL, NULL, NULL, &err), ZINC_E_NOTFOUND);
	forest_close(&f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_sound),    cmocka_unit_test(test_all_is_found), cmocka_unit_test(test_tree),
	    cmocka_unit_test(test_orphans),  cmocka_unit_test(test_copies),       cmocka_unit_test(test_threads),
	    cmocka_unit_test(test_stopping), cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
