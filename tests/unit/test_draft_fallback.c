/*
 * test_draft_fallback.c - fallback data types, and storage transformers, in documents of the drafts
 */
#include <stdio.h>
#include <stdlib.h>
#include <zinc/extend.h>

#include "store/store.h"
#include "support/gets.h"
#include "support/sweep.h"
#include "support/test.h"

#define ENTRY                                                                                                          \
	"{\"zarr_format\": \"https://purl.org/zarr/spec/protocol/core/3.0\", \"metadata_encoding\": "                  \
	"\"https://purl.org/zarr/spec/protocol/core/3.0\", \"metadata_key_suffix\": \".json\", \"extensions\": []}"
#define DOCUMENT(type, fill, more)                                                                                     \
	"{\"shape\": [4], \"data_type\": " type ", \"chunk_grid\": {\"type\": \"regular\", \"chunk_shape\": [2], "     \
	"\"separator\": \"/\"}, \"chunk_memory_layout\": \"C\", \"fill_value\": " fill ", \"extensions\": [], "        \
	"\"attributes\": {}" more "}"
#define ANGLE(fallback)                                                                                                \
	"{\"extension\": \"https://example.com/data-types/angle/1.0\", \"type\": \"degrees\", \"fallback\": " fallback \
	"}"

typedef struct rig {
	zinc_context *ctx;
	zinc_store *s;
	char warning[200];
	int warnings;
} rig;

static void
warned(void *arg, const char *where, const char *text)
{
	rig *r = (rig *)arg;

	(void)where;
	r->warnings++;
	snprintf(r->warning, sizeof r->warning, "%s", text);
}

static void
rig_open(rig *r)
{
	zinc_context_options o = ZINC_CONTEXT_OPTIONS_INIT;
	zinc_error err = ZINC_ERROR_INIT;

	memset(r, 0, sizeof *r);
	o.warn = warned;
	o.warn_arg = r;
	assert_ok(zinc_context_new(&r->ctx, &o, &err));
	assert_ok(zinc_store_open(&r->s, "memory://", ZINC_STORE_OPTIONS(.context = r->ctx), &err));
	put_text(r->s, "zarr.json", ENTRY);
}

static void
rig_close(rig *r)
{
	zinc_store_close(r->s);
	zinc_context_free(r->ctx);
}

static zinc_hierarchy *
hierarchy(rig *r, const char *fallback)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_hierarchy *h = NULL;

	assert_ok(zinc_hierarchy_open(&h, r->s, "", ZINC_OPEN_OPTIONS(.fallback = fallback), &err));
	return h;
}

static zinc_status
open_at(rig *r, const char *key, const char *document, const char *fallback, zinc_array **a)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_hierarchy *h;
	zinc_status st;

	put_text(r->s, key, document);
	h = hierarchy(r, fallback);
	r->warnings = 0;
	*a = NULL;
	st = zinc_array_open(a, h, "a", NULL, &err);
	zinc_hierarchy_close(h);
	return st;
}

static zinc_status
open_as(rig *r, const char *document, const char *fallback, zinc_array **a)
{
	return open_at(r, "meta/root/a.array.json", document, fallback, a);
}

/* Promise 1: the first that is known, and never in silence.  20-48+ */
static void
test_used_only_when_allowed(void **state)
{
	static const char document[] = DOCUMENT(ANGLE("\"<i4\""), "-7", "");
	static const char *const no[] = {NULL, "none", "r32", "float32, int64"}, *const yes[] = {"any", "int32",
												 "r32,<i4"};
	static const uint64_t longer[] = {6};
	int32_t v[4] = {0};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_array *a;
	rig r;
	size_t i;

	(void)state;
	rig_open(&r);
	assert_ok(zinc_store_put(r.s, NULL, "data/root/a/c1", "\1\0\0\0\2\0\0\0", 8, NULL, 0, NULL, NULL, &err));
	for (i = 0; i < COUNT(no); i++) {
		assert_int_equal(open_as(&r, document, no[i], &a), ZINC_OK);
		assert_non_null(strstr(zinc_array_unsupported(a), "https://example.com/data-types/angle/1.0"));
		assert_int_equal(zinc_array_read_text(a, NULL, ZINC_BUFFER(v, sizeof v), NULL, &err),
				 ZINC_E_UNSUPPORTED);
		assert_int_equal(r.warnings, 0);
		zinc_array_close(a);
	}
	for (i = 0; i < COUNT(yes); i++) {
		assert_int_equal(open_as(&r, document, yes[i], &a), ZINC_OK);
		assert_null(zinc_array_unsupported(a));
		assert_int_equal(r.warnings, 1);
		assert_non_null(strstr(r.warning, "int32"));
		assert_ok(zinc_array_read_text(a, NULL, ZINC_BUFFER(v, sizeof v), NULL, &err));
		assert_int_equal(v[0], -7); /* the fill value, which is also an element of it */
		assert_int_equal(v[3], 2);
		v[0] = 99;
		assert_ok(zinc_array_write_text(a, "0", ZINC_BUFFER(v, sizeof *v), NULL, &err));
		assert_ok(zinc_array_resize(a, longer, NULL, &err));
		assert_ok(zinc_array_read_text(a, "0", ZINC_BUFFER(v, sizeof *v), NULL, &err));
		assert_int_equal(v[0], 99);
		zinc_array_close(a);
		assert_ok(zinc_store_del(r.s, NULL, "data/root/a/c0", NULL, 0, NULL, &err));
	}
	rig_close(&r);
}

/* Promise 2. */
static void
test_wrong_ones(void **state)
{
	static const char *const bad[] = {
	    DOCUMENT(ANGLE("\"angle\""), "0", ""), DOCUMENT(ANGLE("3"), "0", ""),
	    DOCUMENT(ANGLE("[\"<i4\"]"), "0", ""), /* a list is for 2022 */
	};
	zinc_array *a;
	rig r;
	size_t i;

	(void)state;
	rig_open(&r);
	for (i = 0; i < COUNT(bad); i++) {
		assert_int_equal(open_as(&r, bad[i], NULL, &a), ZINC_E_CORRUPT);
		assert_int_equal(open_as(&r, bad[i], "any", &a), ZINC_E_CORRUPT);
	}
	rig_close(&r);
}

/* ---- 2022: a list, of which the first that is known and allowed is used (22-58+) ---- */

#define ENTRY_2022                                                                                                     \
	"{\"zarr_format\": \"https://purl.org/zarr/spec/core/3.0\", \"metadata_encoding\": {\"type\": \"json\", "      \
	"\"metadata_key_suffix\": \".json\"}, \"extensions\": []}"
#define DOCUMENT_2022(type) DOCUMENT(type, "0", ", \"codecs\": []")
#define DATETIME(version, type)                                                                                        \
	"{\"extension\": \"https://purl.org/zarr/spec/extensions/data-types/datetime/" version "\", \"type\": \"" type \
	"\", \"fallback\": [\"int64\", \"r64\"]}"
#define UNHEARD "{\"extension\": \"https://example.com/x/1.0\", \"type\": \"x\"}"
#define MOMENT                                                                                                         \
	"{\"extension\": \"https://purl.org/zarr/spec/extensions/data-types/datetime/1.0\", \"type\": \"<M8[s]\"}"

static void
test_lists(void **state)
{
	static const struct {
		const char *document, *fallback, *want; /* NULL: an error; "": unsupported */
	} rows[] = {
	    {DOCUMENT_2022(ANGLE("[\"int32\", \"r32\"]")), "any", "int32"},
	    {DOCUMENT_2022(ANGLE("[\"int32\", \"r32\"]")), "r32", "r32"},
	    {DOCUMENT_2022(ANGLE("[\"int32\", \"r32\"]")), "float32", ""},
	    {DOCUMENT_2022(ANGLE("[\"int32\", \"r32\"]")), NULL, ""},
	    {DOCUMENT_2022(ANGLE("[]")), "any", ""},
	    {DOCUMENT_2022(ANGLE("\"float32\"")), "any", "float32"},
	    {DOCUMENT_2022(ANGLE("[" UNHEARD ", \"uint16\"]")), "any", "uint16"},
	    {DOCUMENT_2022(ANGLE("[" UNHEARD "]")), "any", ""},
	    {DOCUMENT_2022(ANGLE("[" MOMENT ", \"int64\"]")), "any", "numpy.datetime64"},
	    {DOCUMENT_2022(ANGLE("[" MOMENT ", \"int64\"]")), "int64", "int64"},
	    {DOCUMENT_2022(ANGLE("[" MOMENT ", \"int32\"]")), "any", NULL},
	    {DOCUMENT_2022(ANGLE("[\"int32\", \"r64\"]")), "any", NULL},
	    {DOCUMENT_2022(ANGLE("[\"int32\", 4]")), "any", NULL},
	    /* promise 5 */
	    {DOCUMENT_2022(ANGLE("[\"int32\", \"unheard of\"]")), "any", "int32"},
	    {DOCUMENT_2022(ANGLE("[\"unheard of\", \"int32\"]")), "any", "int32"},
	    {DOCUMENT_2022(ANGLE("\"unheard of\"")), "any", ""},
	    {DOCUMENT_2022(ANGLE("[\"\", \"int32\"]")), "any", NULL},
	    {DOCUMENT_2022(DATETIME("2.0", "<M8[ns]")), "any", "int64"},
	    {DOCUMENT_2022(DATETIME("2.0", "<M8[ns]")), NULL, ""},
	    {DOCUMENT_2022(DATETIME("1.0", "<X8[ns]")), "any", "int64"},
	    {DOCUMENT_2022(DATETIME("1.0", "<X8[ns]")), NULL, ""},
	    {DOCUMENT_2022(DATETIME("1.0", "S4")), "any", "int64"},
	};
	zinc_array *a;
	rig r;
	size_t i;

	(void)state;
	rig_open(&r);
	put_text(r.s, "zarr.json", ENTRY_2022);
	for (i = 0; i < COUNT(rows); i++) {
		const zinc_status st = open_at(&r, "meta/a.array.json", rows[i].document, rows[i].fallback, &a);

		assert_int_equal(st, rows[i].want ? ZINC_OK : ZINC_E_CORRUPT);
		if (!rows[i].want)
			continue;
		assert_int_equal(zinc_array_unsupported(a) != NULL, *rows[i].want == '\0');
		assert_int_equal(r.warnings, *rows[i].want != '\0'); /* never in silence (22-61+) */
		if (*rows[i].want)
			assert_non_null(strstr(zinc_array_dtype(a), rows[i].want));
		zinc_array_close(a);
	}
	rig_close(&r);
}

/* Promise 3. */
static void
test_fill_value_of_another_type(void **state)
{
	static const char document[] = DOCUMENT(ANGLE("\"<i4\""), "\"north\"", "");
	int32_t v[4];
	zinc_error err = ZINC_ERROR_INIT;
	zinc_array *a;
	rig r;

	(void)state;
	rig_open(&r);
	assert_int_equal(open_as(&r, document, "any", &a), ZINC_OK);
	assert_non_null(strstr(zinc_array_unsupported(a), "fill value"));
	assert_int_equal(zinc_array_read_text(a, NULL, ZINC_BUFFER(v, sizeof v), NULL, &err), ZINC_E_UNSUPPORTED);
	zinc_array_close(a);
	rig_close(&r);
}

/* Promise 4: the written fallbacks, and those of a caller. */
static void
test_writing(void **state)
{
	static const uint64_t shape[] = {4};
	static const struct {
		const char *dtype, *fallback, *want; /* NULL: refused */
	} rows[] = {
	    {"<M8[s]", NULL, "\"fallback\": \"<i8\""},
	    {"<M8[s]", "any", "\"fallback\": \"<i8\""},
	    {"<M8[s]", "r64", "\"fallback\": \"r64\""},
	    {"<M8[s]", "float64", "\"fallback\": \"<f8\""},
	    {"<M8[s]", "none", ""},
	    {"<M8[s]", "int64,r64", NULL},
	    {"<M8[s]", "int32", NULL},
	    {"<M8[s]", "nonsense", NULL},
	    {"<M8[s]", ",", NULL},
	    {"|S5", NULL, "\"fallback\": \"r40\""},
	    {"|S5", "r48", NULL},
	    {"int32", "r32", NULL},
	    {"int32", "none", ""},
	};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_blob text = ZINC_BLOB_INIT;
	zinc_hierarchy *h;
	zinc_array *a;
	rig r;
	size_t i;

	(void)state;
	rig_open(&r);
	for (i = 0; i < COUNT(rows); i++) {
		zinc_status st;

		h = hierarchy(&r, rows[i].fallback);
		a = NULL;
		st = zinc_array_create(
		    &a, h, "b", ZINC_ARRAY_OPTIONS(.ndim = 1, .shape = shape, .dtype = rows[i].dtype, .overwrite = 1),
		    &err);
		assert_int_equal(st, rows[i].want ? ZINC_OK : ZINC_E_INVALID);
		zinc_array_close(a);
		zinc_hierarchy_close(h);
		if (!rows[i].want)
			continue;
		assert_ok(zinc_store_get_all(r.s, "meta/root/b.array.json", &text, NULL, 0, NULL, &err));
		if (*rows[i].want)
			assert_non_null(strstr((const char *)text.data, rows[i].want));
		else
			assert_null(strstr((const char *)text.data, "fallback"));
		zinc_blob_fini(&text);
	}
	rig_close(&r);
}

/* In 2022 a list, whose last is a raw type (22-59+), unless the caller gives another (22-60+). */
static void
test_writing_lists(void **state)
{
	static const uint64_t shape[] = {4};
	static const char *const rows[][3] = {
	    {"<M8[s]", NULL, "\"fallback\": [\"int64\", \"r64\"]"},
	    {"<M8[s]", "uint64, r64", "\"fallback\": [\"uint64\", \"r64\"]"},
	    {"<M8[s]", "r64", "\"fallback\": \"r64\""},
	    {"<U2", NULL, "\"fallback\": \"r64\""},
	};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_blob text = ZINC_BLOB_INIT;
	zinc_hierarchy *h;
	zinc_array *a;
	rig r;
	size_t i;

	(void)state;
	rig_open(&r);
	put_text(r.s, "zarr.json", ENTRY_2022);
	for (i = 0; i < COUNT(rows); i++) {
		h = hierarchy(&r, rows[i][1]);
		assert_ok(zinc_array_create(&a, h, "b",
					    ZINC_ARRAY_OPTIONS(.ndim = 1, .shape = shape, .dtype = rows[i][0],
							       .codecs = "none", .overwrite = 1),
					    &err));
		zinc_array_close(a);
		zinc_hierarchy_close(h);
		assert_ok(zinc_store_get_all(r.s, "meta/b.array.json", &text, NULL, 0, NULL, &err));
		assert_non_null(strstr((const char *)text.data, rows[i][2]));
		zinc_blob_fini(&text);
	}
	rig_close(&r);
}

/* Other versions have no place for them. */
static void
test_other_formats(void **state)
{
	static const uint64_t shape[] = {4};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_array *a = NULL;

	(void)state;
	assert_int_equal(zinc_array_create_url(&a, "memory://",
					       ZINC_ARRAY_OPTIONS(.ndim = 1, .shape = shape, .dtype = "int8"),
					       ZINC_OPEN_OPTIONS(.fallback = "r8", .format = "v3"), &err),
			 ZINC_E_INVALID);
	assert_ok(zinc_array_create_url(&a, "memory://", ZINC_ARRAY_OPTIONS(.ndim = 1, .shape = shape, .dtype = "int8"),
					ZINC_OPEN_OPTIONS(.fallback = "any", .format = "v3"), &err));
	zinc_array_close(a);
}

/* ---- storage transformers ---- */

#define TRANSFORMERS(list) DOCUMENT("\"<i4\"", "0", ", \"storage_transformers\": [" list "]")
#define OTHER(version)                                                                                                 \
	"{\"extension\": \"https://example.com/storage-transformers/nothing/" version                                  \
	"\", \"type\": \"nothing\", \"configuration\": {\"at\": \"all\"}}"
#define SHARDING                                                                                                       \
	"{\"extension\": \"https://purl.org/zarr/spec/storage_transformers/sharding/1.0\", \"type\": \"indexed\", "    \
	"\"configuration\": {\"chunks_per_shard\": [2]}}"

static int opened;

static zinc_status
nothing_open(zinc_store **out, const char *configuration, const zinc_transformer_input *in, zinc_error *err)
{
	(void)err;
	assert_string_equal(configuration, "{\"at\":\"all\"}"); /* as the draft has it, and as version 3 would */
	assert_string_equal(in->prefix, "data/root/a/");
	opened++;
	*out = zinc_store_ref(in->next);
	return ZINC_OK;
}

static void
test_transformers(void **state)
{
	static const char *const uris[] = {"https://example.com/storage-transformers/nothing/1.0", NULL};
	static const zinc_transformer_def def = {sizeof def, "nothing", uris, "nothing at all", nothing_open};
	int32_t v[4] = {1, 2, 3, 4}, w[4] = {0};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_array *a;
	rig r;

	(void)state;
	rig_open(&r);
	assert_int_equal(open_as(&r, TRANSFORMERS(OTHER("1.0")), NULL, &a), ZINC_OK); /* not registered yet */
	assert_non_null(strstr(zinc_array_unsupported(a), "https://example.com/storage-transformers/nothing/1.0"));
	zinc_array_close(a);
	assert_ok(zinc_register_transformer(&def, &err));
	assert_int_equal(open_as(&r, TRANSFORMERS(OTHER("1.0")), NULL, &a), ZINC_OK);
	assert_null(zinc_array_unsupported(a));
	assert_int_equal(opened, 1);
	assert_int_equal(r.warnings, 0);
	zinc_array_close(a);
	assert_int_equal(open_as(&r, TRANSFORMERS(OTHER("1.4")), NULL, &a), ZINC_OK); /* another minor version */
	assert_null(zinc_array_unsupported(a));
	assert_int_equal(r.warnings, 1);
	zinc_array_close(a);
	assert_int_equal(open_as(&r, TRANSFORMERS(OTHER("2.0")), NULL, &a), ZINC_OK); /* another major one */
	assert_non_null(strstr(zinc_array_unsupported(a), "nothing/2.0"));
	zinc_array_close(a);
	/* Sharding below another is a layer; its chunks are the draft's, "c0". */
	assert_int_equal(open_as(&r, TRANSFORMERS(OTHER("1.0") ", " SHARDING), NULL, &a), ZINC_OK);
	assert_null(zinc_array_unsupported(a));
	assert_int_equal(zinc_array_shard_shape(a, (uint64_t[1]){0}), 0);
	assert_ok(zinc_array_write_text(a, NULL, ZINC_BUFFER(v, sizeof v), NULL, &err));
	assert_ok(zinc_array_read_text(a, NULL, ZINC_BUFFER(w, sizeof w), NULL, &err));
	assert_memory_equal(v, w, sizeof v);
	zinc_array_close(a);
	assert_missing(r.s, "data/root/a/c1");
	/* Nearest the array it is a codec, and both read the same bytes. */
	assert_int_equal(open_as(&r, TRANSFORMERS(SHARDING), NULL, &a), ZINC_OK);
	assert_int_equal(zinc_array_shard_shape(a, (uint64_t[1]){0}), 1);
	memset(w, 0, sizeof w);
	assert_ok(zinc_array_read_text(a, NULL, ZINC_BUFFER(w, sizeof w), NULL, &err));
	assert_memory_equal(v, w, sizeof v);
	zinc_array_close(a);
	rig_close(&r);
}

/* ---- memory ---- */

static zinc_status
use(void *arg, zinc_context *ctx, zinc_error *err)
{
	static const char document[] = DOCUMENT(ANGLE("\"<i4\""), "-7", "");
	zinc_store *s = NULL;
	zinc_hierarchy *h = NULL;
	zinc_array *a = NULL;
	zinc_status st;

	(void)arg;
	ZINC_TRY(zinc_store_open(&s, "memory://", ZINC_STORE_OPTIONS(.context = ctx), err));
	st = zinc_store_put(s, NULL, "zarr.json", ENTRY, sizeof ENTRY - 1, NULL, 0, NULL, NULL, err);
	if (st == ZINC_OK)
		st = zinc_store_put(s, NULL, "meta/root/a.array.json", document, sizeof document - 1, NULL, 0, NULL,
				    NULL, err);
	if (st == ZINC_OK)
		st = zinc_hierarchy_open(&h, s, "", ZINC_OPEN_OPTIONS(.fallback = "r32,int32"), err);
	if (st == ZINC_OK)
		st = zinc_array_open(&a, h, "a", NULL, err);
	zinc_array_close(a);
	zinc_hierarchy_close(h);
	zinc_store_close(s);
	return st;
}

static void
test_memory_runs_out(void **state)
{
	(void)state;
	sweep_alloc(use, NULL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_used_only_when_allowed),
	    cmocka_unit_test(test_wrong_ones),
	    cmocka_unit_test(test_lists),
	    cmocka_unit_test(test_writing_lists),
	    cmocka_unit_test(test_fill_value_of_another_type),
	    cmocka_unit_test(test_writing),
	    cmocka_unit_test(test_other_formats),
	    cmocka_unit_test(test_transformers),
	    cmocka_unit_test(test_memory_runs_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
