/*
 * test_declaration.c - rules C1 to C16 and the live text, positive and negative by number; every shape
 */
#include <stdio.h>
#include <string.h>

#include "nodes.h"
#include "convention/convention.h"
#include "test.h"

#define S "https://example.com/my/v0.1.0/schema.json"
#define P "https://example.com/my/v0.1.0/README.md"
#define U "12345678-1234-4234-8234-123456789abc"

/* Each convention as "id" and its findings as "rule!" or "rule?" (a warning), in order. */
struct seen {
	char ids[2000], found[2000];
	unsigned errors;
};

static int
see(void *arg, const zinc_verdict *v)
{
	struct seen *s = arg;
	size_t i, n;

	n = strlen(s->ids);
	if (v->convention)
		snprintf(s->ids + n, sizeof s->ids - n, "%s%s", n ? " " : "", v->convention->id);
	for (i = 0; i < v->nfindings; i++) {
		const bool error = v->findings[i]->level == ZINC_LEVEL_ERROR;

		n = strlen(s->found);
		if (strcmp(v->findings[i]->rule, "C15") != 0) /* no schema is available */
			snprintf(s->found + n, sizeof s->found - n, "%s%s%s", n ? " " : "", v->findings[i]->rule,
				 error ? "!" : "?");
		s->errors += error;
	}
	return 0;
}

/* Check a group with these attributes. */
static struct seen *
check(const char *attributes)
{
	static struct seen s;
	static char document[20000];
	zinc_error err = ZINC_ERROR_INIT;
	forest f;

	memset(&s, 0, sizeof s);
	snprintf(document, sizeof document, "{\"zarr_format\": 3, \"node_type\": \"group\", \"attributes\": %s}",
		 attributes);
	forest_open(&f, "", ZINC_LENIENT);
	forest_put(&f, "zarr.json", document);
	assert_ok(zinc_conventions_check(NULL, f.h, "/", see, &s, NULL, &err));
	forest_close(&f);
	return &s;
}

#define assert_check(attributes, ids_, found_)                                                                         \
	do {                                                                                                           \
		struct seen *s_ = check(attributes);                                                                   \
		assert_string_equal(s_->ids, ids_);                                                                    \
		assert_string_equal(s_->found, found_);                                                                \
	} while (0)
#define ITEM(members) "{\"zarr_conventions\": [{" members "}]}"

/* C1+ C1-: without the attribute nothing is declared. */
static void
test_c1(void **state)
{
	(void)state;
	assert_check(ITEM("\"schema\": \"" S "\", \"name\": \"my\""), S, "");
	assert_check("{\"other\": 1}", "", "");
}

/* C2+ C2-: a list; an empty one declares nothing. */
static void
test_c2(void **state)
{
	(void)state;
	assert_check("{\"zarr_conventions\": []}", "", "");
	assert_check("{\"zarr_conventions\": {}}", "", "C2!");
	assert_check("{\"zarr_conventions\": {\"schema\": \"" S "\"}}", "", "C2!");
	assert_check("{\"zarr_conventions\": \"" S "\"}", "", "C2!");
	assert_check("{\"zarr_conventions\": null}", "", "C2!");
	assert_check("{\"zarr_conventions\": 1}", "", "C2!");
}

/* C3+ C3-: of objects; a bad one does not hide the good. */
static void
test_c3(void **state)
{
	(void)state;
	assert_check("{\"zarr_conventions\": [\"" S "\", {\"schema\": \"" S "\", \"name\": \"a\"}, null, [], 1]}", S,
		     "C3! C3! C3! C3!");
}

/* C4+ C4-: with an identifier. */
static void
test_c4(void **state)
{
	(void)state;
	assert_check(ITEM("\"spec\": \"" P "\", \"name\": \"a\""), P, "");
	assert_check(ITEM(""), "", "C6? C4!");
	assert_check(ITEM("\"name\": \"proj:\""), "", "C4!");
	assert_check(ITEM("\"name\": \"a\", \"description\": \"b\""), "", "C4!");
}

/* C5+ C5-: schema, else spec; live: uuid first, and another uuid never matches. */
static void
test_c5(void **state)
{
	const zinc_convention_row *proj = &zinc_convention_proj;
	char text[2000];

	(void)state;
	assert_check(ITEM("\"spec\": \"" P "\", \"schema\": \"" S "\", \"name\": \"a\""), S, "");
	assert_check(ITEM("\"spec_url\": \"" P "\", \"schema_url\": \"" S "\", \"name\": \"a\""), S, "");
	assert_check(ITEM("\"spec_url\": \"" P "\", \"schema_url\": \"" S "\", \"uuid\": \"" U "\", \"name\": \"a\""),
		     U, "");
	/* proj by its URL; with another uuid it is another convention; with another schema the spec does not count */
	snprintf(text, sizeof text, ITEM("\"schema_url\": \"%s\", \"name\": \"a\""), proj->schemas[1]);
	assert_check(text, proj->schemas[1], "proj!");
	snprintf(text, sizeof text, ITEM("\"schema_url\": \"%s\", \"uuid\": \"" U "\", \"name\": \"a\""),
		 proj->schemas[1]);
	assert_check(text, U, "");
	snprintf(text, sizeof text, ITEM("\"spec_url\": \"%s\", \"schema_url\": \"" S "\", \"name\": \"a\""),
		 proj->specs[0]);
	assert_check(text, S, "");
	/* the same twice */
	assert_check("{\"zarr_conventions\": [{\"schema\": \"" S "\", \"name\": \"a\"}, {\"schema\": \"" S
		     "\", \"name\": \"b\"}]}",
		     S " " S, "C5?");
}

/* C6+ C6-: a name should be there; it identifies nothing, and names may repeat. */
static void
test_c6(void **state)
{
	(void)state;
	assert_check(ITEM("\"schema\": \"" S "\", \"name\": \"proj:\""), S, ""); /* not proj */
	assert_check(ITEM("\"schema\": \"" S "\""), S, "C6?");
	assert_check("{\"zarr_conventions\": [{\"schema\": \"" S "\", \"name\": \"a\"}, {\"spec\": \"" P
		     "\", \"name\": \"a\"}]}",
		     S " " P, "");
}

/* C7+: a description may be there. */
static void
test_c7(void **state)
{
	(void)state;
	assert_check(ITEM("\"schema\": \"" S "\", \"name\": \"a\", \"description\": \"b\""), S, "");
}

/* C8+ C8-: nothing else; a uuid is the live text's, not the seed's. */
static void
test_c8(void **state)
{
	(void)state;
	assert_check(ITEM("\"schema\": \"" S "\", \"name\": \"a\", \"version\": \"1\""), S, "C8!");
	assert_check(ITEM("\"schema\": \"" S "\", \"name\": \"a\", \"uuid\": \"" U "\""), S, "C8!");
	assert_check(ITEM("\"schema_url\": \"" S "\", \"name\": \"a\", \"schema\": \"" S "\""), S, "C8!");
	assert_check(ITEM("\"uuid\": \"" U "\", \"name\": \"a\""), U, "");
}

/* C9+ C9-: strings, URLs, a uuid in lower case. */
static void
test_c9(void **state)
{
	(void)state;
	assert_check(ITEM("\"schema\": 1, \"name\": \"a\""), "", "C9! C4!");
	assert_check(ITEM("\"schema\": \"" S "\", \"name\": []"), S, "C9!");
	assert_check(ITEM("\"schema\": \"" S "\", \"name\": \"a\", \"description\": null"), S, "C9!");
	assert_check(ITEM("\"schema\": \"my schema\", \"name\": \"a\""), "my schema", "C9?");
	assert_check(ITEM("\"uuid\": \"12345678-1234-4234-8234-123456789ABC\", \"name\": \"a\""),
		     "12345678-1234-4234-8234-123456789ABC", "C9!");
	assert_check(ITEM("\"uuid\": \"1f1b36d2-3185-6da8-91f6-9a0823af2d34\", \"name\": \"any version\""),
		     "1f1b36d2-3185-6da8-91f6-9a0823af2d34", "");
}

/* C10+ C10-: properties are at the root of the attributes. */
static void
test_c10(void **state)
{
	(void)state;
	assert_check(
	    "{\"zarr_conventions\": [{\"uuid\": \"f17cb550-5864-4468-aeb7-f3180cfb622f\", \"name\": \"proj:\"}], "
	    "\"proj:code\": \"EPSG:4326\"}",
	    "f17cb550-5864-4468-aeb7-f3180cfb622f", "");
	assert_check(ITEM("\"uuid\": \"f17cb550-5864-4468-aeb7-f3180cfb622f\", \"name\": \"proj:\", \"proj:code\": "
			  "\"EPSG:4326\""),
		     "f17cb550-5864-4468-aeb7-f3180cfb622f", "C10! proj!");
}

/* C12+ C12-: without a declaration a convention does not apply, whatever the attributes. */
static void
test_c12(void **state)
{
	(void)state;
	assert_check("{\"proj:code\": 5}", "", "C12?");
	assert_check("{\"zarr_conventions\": [], \"spatial:shape\": \"no\"}", "", "C12?");
	assert_check("{\"multiscales\": 5, \"license\": 7}", "", "");
}

/* C14+ C14-: another URL is another convention. */
static void
test_c14(void **state)
{
	(void)state;
	assert_check(
	    "{\"zarr_conventions\": [{\"schema\": \"https://example.com/v1/s.json\", \"name\": \"a\"}, {\"schema\": "
	    "\"https://example.com/v2/s.json\", \"name\": \"a\"}]}",
	    "https://example.com/v1/s.json https://example.com/v2/s.json", "");
}

/* ---- older shapes ---- */

static void
test_older(void **state)
{
	(void)state;
	assert_check("{\"zarr_conventions\": {\"version\": \"0.1\", \"" U
		     "\": {\"version\": \"1.2.0\", \"name\": \"a\", "
		     "\"schema\": \"" S "\"}}}",
		     U, "C2?");
	assert_check("{\"zarr_conventions_version\": \"0.1.0\", \"zarr_conventions_metadata\": {\"" U
		     "\": {\"version\": \"1.2.0\", \"name\": \"a\", \"configuration\": {\"x\": 1}}}}",
		     U, "C2? C10?");
	assert_check("{\"zarr_conventions_metadata\": {\"no uuid\": {}}}", "", "C2? C3!");
	assert_check("{\"zarr_conventions_metadata\": []}", "", "C2!");
}

static int
see_version(void *arg, const zinc_convention *c)
{
	char *out = arg;

	snprintf(out + strlen(out), 200, "%s %s %d;", c->title, c->version, c->shape);
	return 0;
}

static void
test_list(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	char out[1000] = "";
	forest f;

	(void)state;
	forest_open(&f, "", ZINC_LENIENT);
	forest_put(&f, "zarr.json",
		   "{\"zarr_format\": 3, \"node_type\": \"group\", \"attributes\": {\"zarr_conventions\": [5, "
		   "{\"schema\": \"" S
		   "\", \"name\": \"n\"}, {\"spec_url\": \"https://example.com/blob/v2/README.md\"}, {\"uuid\": \"" U
		   "\"}]}}");
	assert_ok(zinc_conventions_list(f.h, "/", see_version, out, NULL, &err));
	assert_string_equal(out, "n v0.1.0 1;https://example.com/blob/v2/README.md v2 0;" U "  0;");
	assert_int_equal(zinc_conventions_list(f.h, "/none", see_version, out, NULL, NULL), ZINC_E_NOTFOUND);
	forest_close(&f);
}

/* ---- the four examples of the seed ---- */

static const char *const seed_examples[] = {
    "{\"zarr_conventions\": [{\"schema\": \"https://example.com/my-convention/v0.1.0/schema.json\"}]}",
    "{\"zarr_conventions\": [{\"spec\": \"https://example.com/my-convention/v0.1.0/README.md\"}]}",
    "{\"zarr_conventions\": [{\"schema\": "
    "\"https://raw.githubusercontent.com/zarr-experimental/geo-proj/refs/tags/v0.1.0/schema.json\", \"name\": "
    "\"proj:\", "
    "\"description\": \"Coordinate reference system information for geospatial data\", \"spec\": "
    "\"https://github.com/zarr-experimental/geo-proj/blob/v0.1.0/README.md\"}], \"proj:code\": \"EPSG:4326\", "
    "\"proj:transform\": [1.0, 0.0, 0.0, 0.0, -1.0, 90.0]}",
    "{\"zarr_conventions\": [{\"schema\": "
    "\"https://raw.githubusercontent.com/zarr-experimental/multiscales/refs/tags/v0.1.0/schema.json\", \"name\": "
    "\"multiscales\", \"description\": \"Multiscale layout of zarr datasets\", \"spec\": "
    "\"https://github.com/zarr-experimental/multiscales/blob/v0.1.0/README.md\"}, {\"schema\": "
    "\"https://raw.githubusercontent.com/zarr-experimental/geo-proj/refs/tags/v0.1.0/schema.json\", \"name\": "
    "\"proj:\", "
    "\"description\": \"Coordinate reference system information for geospatial data\", \"spec\": "
    "\"https://github.com/zarr-experimental/geo-proj/blob/v0.1.0/README.md\"}], \"multiscales\": {\"layout\": "
    "[{\"group\": "
    "\"r10m\", \"proj:shape\": [1200, 1200], \"proj:transform\": [10.0, 0.0, 500000.0, 0.0, -10.0, 5000000.0]}, "
    "{\"group\": \"r20m\", \"from_group\": \"r10m\", \"scale\": [2.0, 2.0], \"proj:shape\": [600, 600], "
    "\"proj:transform\": [20.0, 0.0, 500000.0, 0.0, -20.0, 5000000.0]}]}, \"proj:code\": \"EPSG:32633\", "
    "\"proj:bbox\": "
    "[500000.0, 4900000.0, 600000.0, 5000000.0]}",
};

static void
test_seed_examples(void **state)
{
	static const char *const found[] = {"C6?", "C6?", "", ""};
	zinc_error err = ZINC_ERROR_INIT;
	char document[3000];
	struct seen s;
	forest f;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(seed_examples); i++) {
		memset(&s, 0, sizeof s);
		forest_open(&f, "", ZINC_LENIENT);
		forest_put(&f, "r10m/zarr.json", GROUP);
		forest_put(&f, "r20m/zarr.json", GROUP);
		if (i < 3)
			snprintf(document, sizeof document, ARRAY_WITH(", \"attributes\": %s"), seed_examples[i]);
		else
			snprintf(document, sizeof document,
				 "{\"zarr_format\": 3, \"node_type\": \"group\", \"attributes\": %s}",
				 seed_examples[i]);
		forest_put(&f, i < 3 ? "a/zarr.json" : "zarr.json", document);
		assert_ok(zinc_conventions_check(NULL, f.h, i < 3 ? "/a" : "/", see, &s, NULL, &err));
		assert_string_equal(s.found, found[i]);
		forest_close(&f);
	}
}

/* ---- many faults ---- */

static void
test_many(void **state)
{
	static char text[20000];
	struct seen *s;
	size_t n = 0;
	int i;

	(void)state;
	n += (size_t)snprintf(text + n, sizeof text - n,
			      "{\"zarr_conventions\": [{\"uuid\": \"" U "\", \"name\": \"a\"");
	for (i = 0; i < 500; i++)
		n += (size_t)snprintf(text + n, sizeof text - n, ", \"m%d\": 1", i);
	snprintf(text + n, sizeof text - n, "}]}");
	s = check(text);
	assert_int_equal(s->errors, 200);
	assert_string_equal(s->ids, U);
}

/* ---- a huge declaration ---- */

static void
test_huge(void **state)
{
	const size_t room = 12u << 20;
	char *document = malloc(room);
	zinc_error err = ZINC_ERROR_INIT;
	struct seen s = {.errors = 0};
	size_t n = 0;
	forest f;

	(void)state;
	assert_non_null(document);
	n +=
	    (size_t)snprintf(document + n, room - n,
			     "{\"zarr_format\": 3, \"node_type\": \"group\", \"attributes\": {\"zarr_conventions\": [");
	while (n < 10u << 20)
		n += (size_t)snprintf(document + n, room - n, "{\"schema\": \"" S "?%zu\", \"name\": \"a\"}, ", n);
	snprintf(document + n, room - n, "{}]}}");
	forest_open(&f, "", ZINC_LENIENT);
	forest_put(&f, "zarr.json", document);
	assert_ok(zinc_conventions_check(NULL, f.h, "/", see, &s, NULL, &err));
	assert_true(s.errors >= 1);
	assert_memory_equal(s.found, "C2!", 3);
	forest_close(&f);
	free(document);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_c1),    cmocka_unit_test(test_c2),   cmocka_unit_test(test_c3),
	    cmocka_unit_test(test_c4),    cmocka_unit_test(test_c5),   cmocka_unit_test(test_c6),
	    cmocka_unit_test(test_c7),    cmocka_unit_test(test_c8),   cmocka_unit_test(test_c9),
	    cmocka_unit_test(test_c10),   cmocka_unit_test(test_c12),  cmocka_unit_test(test_c14),
	    cmocka_unit_test(test_older), cmocka_unit_test(test_list), cmocka_unit_test(test_seed_examples),
	    cmocka_unit_test(test_many),  cmocka_unit_test(test_huge),
	};

	if (!ZINC_WITH_PCRE2) /* schemas have patterns */
		return 77;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
