/*
 * test_format_v3_2019.c - special features of the drafts of 2019, by the promises of format_v3_2019.c
 *
 * Features shared with other drafts are in test_draft_*.c.
 */
#include <stdio.h>
#include <string.h>
#include <zinc/tool.h>

#include "format/format.h"
#include "nodes.h"
#include "sweep.h"
#include "test.h"

#define CORE  "http://purl.org/zarr/spec/protocol/core/3.0"
#define CODEC "http://purl.org/zarr/spec/codec/"

/* An array of four int16 in chunks of two; `members` define the encoding of chunks. */
#define ARRAY19(members)                                                                                               \
	"{\"shape\": [4], \"data_type\": \"<i2\", \"chunk_grid\": {\"type\": \"regular\", \"chunk_shape\": [2]}, "     \
	"\"chunk_memory_layout\": \"C\", \"fill_value\": 7, \"extensions\": [], \"attributes\": {}" members "}"

static void
open_2019(forest *f)
{
	zinc_error err = ZINC_ERROR_INIT;

	forest_open(f, "", ZINC_LENIENT);
	zinc_hierarchy_close(f->h);
	assert_ok(zinc_hierarchy_open(&f->h, f->log, "",
				      ZINC_OPEN_OPTIONS(.context = f->ctx, .create = 1, .format = "v3-2019"), &err));
	forest_counts(f);
}

static zinc_status
make_group(forest *f, const char *path, zinc_error *err)
{
	return zinc_group_create(f->h, path, NULL, 0, NULL, err);
}

/* (1) At every level, for groups and arrays, explicit or not.  19-10- 19-10+ */
static void
test_case(void **state)
{
	static const char *const bad[] = {"/FOO", "/Foo/x", "/foo/BAR", "/foo/Bar/x", "/IMPLICIT", "/implicit/A/y"};
	static const char *const good[] = {"/fo", "/fooo", "/foo/bar/x", "/implicit/b", "/foo/foo", "/f-o", "/f.o"};
	static const uint64_t shape[] = {1};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_array *a = NULL;
	forest f;
	size_t i;

	(void)state;
	open_2019(&f);
	assert_ok(make_group(&f, "/foo/bar", &err));
	assert_ok(make_group(&f, "/implicit/a", &err));
	for (i = 0; i < COUNT(bad); i++) {
		assert_int_equal(make_group(&f, bad[i], &err), ZINC_E_INVALID);
		assert_non_null(strstr(err.text, "rule 19-10"));
		assert_int_equal(zinc_array_create(&a, f.h, bad[i],
						   ZINC_ARRAY_OPTIONS(.ndim = 1, .shape = shape, .dtype = "int8"),
						   &err),
				 ZINC_E_INVALID);
	}
	for (i = 0; i < COUNT(good); i++)
		assert_ok(make_group(&f, good[i], &err));
	forest_close(&f);
}

/* ---- findings as text ---- */

static int
see(void *arg, const zinc_finding *finding)
{
	char *text = arg;
	const size_t n = strlen(text);

	snprintf(text + n, 1000 - n, "%s%c %s %s", n ? "; " : "", "WEU"[finding->level], finding -> rule,
		 finding -> path);
	return 0;
}

static const char *
validate(forest *f)
{
	static char text[1000];
	zinc_validate_options o = ZINC_VALIDATE_OPTIONS_INIT;
	zinc_error err = ZINC_ERROR_INIT;
	char url[128];

	text[0] = '\0';
	o.context = f->ctx;
	snprintf(url, sizeof url, "%s/", zinc_store_url(f->memory));
	assert_ok(zinc_validate(url, &o, see, text, NULL, &err));
	return text;
}

/* (1) Data of other writers: each pair of names once, however many nodes are below them. */
static void
test_case_found(void **state)
{
	static const char group[] = "{\"extensions\": [], \"attributes\": {}}";
	zinc_error err = ZINC_ERROR_INIT;
	forest f;

	(void)state;
	open_2019(&f);
	assert_ok(make_group(&f, "/a/b", &err));
	assert_string_equal(validate(&f), "");
	forest_put(&f, "meta/root/A/x.group", group);
	assert_string_equal(validate(&f), "W 19-10 /A");
	forest_put(&f, "meta/root/A/y.group", group);
	forest_put(&f, "meta/root/a/z.group", group);
	assert_string_equal(validate(&f), "W 19-10 /A");
	forest_put(&f, "meta/root/q/c.group", group);
	forest_put(&f, "meta/root/q/C.group", group);
	assert_string_equal(validate(&f), "W 19-10 /A; W 19-10 /q/c");
	forest_close(&f);
}

/* (2) A group with an unknown extension is listed, and so are the nodes below it.  19-34+ 19-35- */
static void
test_groups(void **state)
{
	static const struct {
		const char *text, *list;
	} cases[] = {
	    {"{\"zarr_format\": \"" CORE "\", \"extensions\": [], \"attributes\": {}}", "g/ G/g G/g/h"},
	    {"{\"extensions\": [{\"extension\": \"http://example.org/x\", \"must_understand\": false, \"a\": 1}], "
	     "\"attributes\": {}}",
	     "g/ G/g G/g/h"},
	    {"{\"extensions\": [{\"extension\": \"http://example.org/x\", \"must_understand\": true}], "
	     "\"attributes\": {}}",
	     "g/ !/g:E_UNSUPPORTED G/g/h"},
	};
	zinc_error err = ZINC_ERROR_INIT;
	forest f;
	size_t i;

	(void)state;
	open_2019(&f);
	assert_ok(make_group(&f, "/g/h", &err));
	for (i = 0; i < COUNT(cases); i++) {
		forest_put(&f, "meta/root/g.group", cases[i].text);
		assert_string_equal(forest_list(&f, "/", -1), cases[i].list);
	}
	forest_close(&f);
}

/* ---- codecs ---- */

static zinc_status
parse(const char *text, zinc_meta **out, zinc_error *err)
{
	zinc_report r;

	zinc_report_init(&r, zinc_context_get(NULL), true, "a.array");
	return zinc_text_parse(&zinc_format_v3_2019, r.ctx, text, strlen(text), &r, out, err);
}

/* Every spelling of a codec gives the same chain.  19-22+ 19-53+ 19-68+ */
static void
test_codec_spellings(void **state)
{
	static const char *const same[] = {
	    ", \"chunk_codecs\": [{\"codec\": \"" CODEC "gzip\", \"level\": 1}]",
	    ", \"chunk_codecs\": [{\"codec\": \"" CODEC "gzip/1.0\", \"level\": 1}]",
	    ", \"chunk_codecs\": [{\"codec\": \"https://purl.org/zarr/spec/codecs/gzip/1.0\", \"level\": 1}]",
	    ", \"chunk_codecs\": [{\"codec\": \"" CODEC "gzip\", \"configuration\": {\"level\": 1}}]",
	    ", \"compressor\": {\"codec\": \"" CODEC "gzip\", \"configuration\": {\"level\": 1}}",
	};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_buf first, other;
	zinc_meta *m = NULL;
	char text[1024];
	size_t i;

	(void)state;
	zinc_buf_init(&first, zinc_context_get(NULL), SIZE_MAX);
	zinc_buf_init(&other, zinc_context_get(NULL), SIZE_MAX);
	for (i = 0; i < COUNT(same); i++) {
		zinc_buf *out = i == 0 ? &first : &other;

		snprintf(text, sizeof text, "%.*s%s}", (int)strlen(ARRAY19("")) - 1, ARRAY19(""), same[i]);
		assert_ok(parse(text, &m, &err));
		assert_null(m->unsupported);
		out->n = 0;
		assert_ok(zinc_json_print_line(zinc_json_member(zinc_meta_v3(m), "codecs"), out, &err));
		if (i > 0)
			assert_string_equal(zinc_buf_text(&other), zinc_buf_text(&first));
		zinc_meta_free(m);
	}
	assert_non_null(strstr(zinc_buf_text(&first), "gzip"));
	zinc_buf_fini(&first);
	zinc_buf_fini(&other);
}

/* Checksums and compression in a list, written and read back, and damage found.  19-26+ 19-54+ */
static void
test_chains(void **state)
{
	static const struct {
		const char *codecs, *stored; /* and what the document says of them */
	} cases[] = {
	    {"none", "\"chunk_codecs\": []"},
	    {"gzip:1", "\"codec\": \"" CODEC "gzip\",\n      \"level\": 1"},
	    {"crc32c", "\"codec\": \"" CODEC "crc32c\""},
	    {"[{\"name\":\"bytes\",\"configuration\":{\"endian\":\"big\"}},{\"name\":\"numcodecs.adler32\"},"
	     "{\"name\":\"gzip\",\"configuration\":{\"level\":9}}]",
	     "\"codec\": \"" CODEC "adler32\""},
	    {"zstd", "\"codec\": \"" CODEC "blosc\",\n      \"cname\": \"zstd\""},
	};
	static const uint64_t shape[] = {4}, chunks[] = {2};
	static const int16_t values[] = {1, -2, 300, 7};
	zinc_error err = ZINC_ERROR_INIT;
	int16_t back[4];
	zinc_array *a;
	forest f;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(cases); i++) {
		open_2019(&f);
		a = NULL;
		assert_ok(zinc_array_create(&a, f.h, "/a",
					    ZINC_ARRAY_OPTIONS(.ndim = 1, .shape = shape, .chunks = chunks,
							       .dtype = "int16", .codecs = cases[i].codecs),
					    &err));
		assert_ok(zinc_array_write(a, NULL, ZINC_BUFFER(values, sizeof values), NULL, &err));
		zinc_array_close(a);
		if (!strstr(forest_get(&f, "meta/root/a.array"), cases[i].stored))
			fail_msg("%s", f.text);
		assert_ok(zinc_array_open(&a, f.h, "/a", NULL, &err));
		assert_ok(zinc_array_read(a, NULL, ZINC_BUFFER(back, sizeof back), NULL, &err));
		assert_memory_equal(back, values, sizeof back);
		zinc_array_close(a);
		assert_string_equal(validate(&f), "");
		forest_close(&f);
	}
}

/* ---- what it cannot represent ---- */

static void
test_refusals(void **state)
{
	static const struct {
		const char *dtype, *codecs, *why;
		bool shards;
	} cases[] = {
	    {"string", NULL, "cannot hold", false},
	    {"r16", "none", "cannot hold", false},
	    {"int16",
	     "[{\"name\":\"numcodecs.delta\",\"configuration\":{\"dtype\":\"<i2\"}},{\"name\":\"bytes\","
	     "\"configuration\":{\"endian\":\"little\"}}]",
	     "codecs that work on elements", false},
	    {"int16", "none", "shards", true},
	};
	static const uint64_t shape[] = {4}, chunks[] = {2}, shards[] = {4};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_array *a = NULL;
	forest f;
	size_t i;

	(void)state;
	open_2019(&f);
	for (i = 0; i < COUNT(cases); i++) {
		zinc_array_options o = ZINC_ARRAY_OPTIONS_INIT;

		o.ndim = 1;
		o.shape = shape;
		o.chunks = chunks;
		o.shards = cases[i].shards ? shards : NULL;
		o.dtype = cases[i].dtype;
		o.codecs = cases[i].codecs;
		assert_int_equal(zinc_array_create(&a, f.h, "/a", &o, &err), ZINC_E_INVALID);
		if (!strstr(err.text, cases[i].why))
			fail_msg("%s: %s", cases[i].dtype, err.text);
	}
	forest_close(&f);
}

/* Types of other drafts' extensions, by this one's URI; complex numbers are its own. */
static void
test_types(void **state)
{
	static const char *const cases[][2] = {
	    {"complex64", "\"data_type\": \"<c8\""},
	    {"<M8[ns]", "\"extension\": \"http://purl.org/zarr/spec/protocol/extensions/datetime-dtypes/1.0\""},
	    {"<M8[ns]", "\"fallback\": \"<i8\""},
	    {"float64", "\"data_type\": \"<f8\""},
	    {"bool", "\"data_type\": \"bool\""},
	    {"uint8", "\"data_type\": \"u1\""},
	};
	static const uint64_t shape[] = {2};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_array *a = NULL;
	forest f;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(cases); i++) {
		open_2019(&f);
		assert_ok(zinc_array_create(&a, f.h, "/a",
					    ZINC_ARRAY_OPTIONS(.ndim = 1, .shape = shape, .dtype = cases[i][0]), &err));
		zinc_array_close(a);
		if (!strstr(forest_get(&f, "meta/root/a.array"), cases[i][1]))
			fail_msg("%s", f.text);
		assert_string_equal(validate(&f), "");
		forest_close(&f);
	}
}

/* An implicit group that gets attributes gets a whole document. */
static void
test_implicit_group_edited(void **state)
{
	const zinc_attribute change = {"a", "1"};
	zinc_error err = ZINC_ERROR_INIT;
	forest f;

	(void)state;
	open_2019(&f);
	assert_ok(make_group(&f, "/i/g", &err));
	assert_ok(zinc_attributes_edit(f.h, "/i", &change, 1, NULL, &err));
	assert_non_null(strstr(forest_get(&f, "meta/root/i.group"), "\"zarr_format\": \"" CORE "\""));
	assert_non_null(strstr(forest_get(&f, "meta/root/i.group"), "\"extensions\": []"));
	assert_string_equal(validate(&f), "");
	forest_close(&f);
}

/* ---- memory ---- */

static int
ignore(void *arg, const zinc_node *node)
{
	(void)arg, (void)node;
	return 0;
}

static zinc_status
work(zinc_hierarchy *h, zinc_error *err)
{
	static const uint64_t shape[] = {3}, chunks[] = {2};
	static const int16_t values[] = {1, 2, 3};
	const zinc_attribute change = {"a", "[1]"};
	zinc_array *a = NULL;
	zinc_status st;

	ZINC_TRY(zinc_group_create(h, "/g", "{\"b\": 2}", 0, NULL, err));
	ZINC_TRY(zinc_array_create(
	    &a, h, "/i/a",
	    ZINC_ARRAY_OPTIONS(.ndim = 1, .shape = shape, .chunks = chunks, .dtype = "int16", .codecs = "gzip:1"),
	    err));
	st = zinc_array_write(a, NULL, ZINC_BUFFER(values, sizeof values), NULL, err);
	zinc_array_close(a);
	ZINC_TRY(st);
	ZINC_TRY(zinc_attributes_edit(h, "/i", &change, 1, NULL, err));
	ZINC_TRY(zinc_node_walk(h, "/", -1, ignore, NULL, NULL, err));
	return zinc_node_erase(h, "/i", NULL, err);
}

static zinc_status
scenario(void *arg, zinc_context *ctx, zinc_error *err)
{
	(void)arg;
	return in_new_hierarchy(ctx, "v3-2019", work, true, err);
}

static void
test_sweep(void **state)
{
	(void)state;
	assert_true(sweep_alloc(scenario, NULL) > 200);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_case),   cmocka_unit_test(test_case_found),
	    cmocka_unit_test(test_groups), cmocka_unit_test(test_codec_spellings),
	    cmocka_unit_test(test_chains), cmocka_unit_test(test_refusals),
	    cmocka_unit_test(test_types),  cmocka_unit_test(test_implicit_group_edited),
	    cmocka_unit_test(test_sweep),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
