/* test_conventions.c - the calls of programs: properties, inherited values, levels, external schemas; reading is not
 * affected */
#include <stdio.h>
#include <string.h>

#include "nodes.h"
#include "convention/convention.h"
#include "support/sweep.h"
#include "test.h"

#define S                "https://example.com/my/v1/schema.json"
#define PROJ             "{\"uuid\": \"f17cb550-5864-4468-aeb7-f3180cfb622f\", \"name\": \"proj:\"}"
#define LIC              "{\"uuid\": \"b77365e5-2b0c-4141-b917-c03b7c68e935\", \"name\": \"license\"}"
#define MULT             "{\"uuid\": \"d35379db-88df-4056-af3a-620245f8e347\", \"name\": \"multiscales\"}"
#define NODE(attributes) "{\"zarr_format\": 3, \"node_type\": \"group\", \"attributes\": " attributes "}"

/* ---- properties ---- */

static const char *
properties(forest *f, const char *id)
{
	static char text[1000];
	zinc_blob json = ZINC_BLOB_INIT;
	const zinc_status st = zinc_conventions_properties(f->h, "/", id, &json, NULL, NULL);

	if (st != ZINC_OK)
		return zinc_status_name(st);
	snprintf(text, sizeof text, "%s", (const char *)json.data);
	zinc_blob_fini(&json);
	return text;
}

static void
test_properties(void **state)
{
	forest f;

	(void)state;
	forest_open(&f, "", ZINC_LENIENT);
	forest_put(
	    &f, "zarr.json",
	    NODE("{\"zarr_conventions\": [" PROJ ", {\"schema_url\": \"" S
		 "\", \"name\": \"my:\"}], \"proj:code\": \"EPSG:1\", \"my:a\": 1.0, \"my:b\": [2], \"other\": 3}"));
	assert_string_equal(properties(&f, "proj"), "{\"proj:code\":\"EPSG:1\"}");
	assert_string_equal(properties(&f, S), "{\"my:a\":1.0,\"my:b\":[2]}");
	assert_string_equal(properties(&f, "license"), "E_NOTFOUND");
	assert_string_equal(properties(&f, "my:"), "E_INVALID"); /* never by name */
	forest_put(
	    &f, "zarr.json",
	    NODE("{\"zarr_conventions_metadata\": {\"f17cb550-5864-4468-aeb7-f3180cfb622f\": {\"configuration\": "
		 "{\"code\": \"EPSG:1\"}}}}"));
	assert_string_equal(properties(&f, "proj"), "{\"code\":\"EPSG:1\"}");
	forest_close(&f);
}

/* ---- inheritance ---- */

static const char *
effective(forest *f, const char *path, const char *key)
{
	static char text[1000];
	zinc_blob json = ZINC_BLOB_INIT, from = ZINC_BLOB_INIT;
	const zinc_status st = zinc_conventions_effective(f->h, path, key, &json, &from, NULL, NULL);

	if (st != ZINC_OK)
		return zinc_status_name(st);
	snprintf(text, sizeof text, "%s from %s", (const char *)json.data, (const char *)from.data);
	zinc_blob_fini(&json);
	zinc_blob_fini(&from);
	return text;
}

static void
test_inheritance(void **state)
{
	forest f;

	(void)state;
	forest_open(&f, "", ZINC_LENIENT);
	forest_put(&f, "zarr.json",
		   NODE("{\"zarr_conventions\": [" PROJ "," LIC
			"], \"proj:code\": \"EPSG:1\", \"license\": {\"spdx\": \"MIT\"}}"));
	forest_put(&f, "a/zarr.json", ARRAY);
	forest_put(&f, "own/zarr.json",
		   ARRAY_WITH(", \"attributes\": {\"zarr_conventions\": [" PROJ "], \"proj:wkt2\": \"x\"}"));
	forest_put(&f, "undeclared/zarr.json", ARRAY_WITH(", \"attributes\": {\"proj:code\": \"EPSG:9\"}"));
	forest_put(&f, "g/zarr.json", GROUP);
	forest_put(&f, "g/a/zarr.json", ARRAY);
	forest_put(&f, "h/zarr.json", NODE("{\"zarr_conventions\": [" LIC "], \"license\": {\"path\": \"../i\"}}"));
	forest_put(&f, "i/zarr.json", NODE("{\"license\": {\"path\": \"./../j\"}}"));
	forest_put(&f, "j/zarr.json", NODE("{\"license\": {\"url\": \"u\"}}"));
	forest_put(&f, "k/zarr.json", NODE("{\"zarr_conventions\": [" LIC "], \"license\": {\"path\": \"../k\"}}"));
	/* proj: to arrays right in the group, unless they have their own */
	assert_string_equal(effective(&f, "/", "proj:code"), "\"EPSG:1\" from /");
	assert_string_equal(effective(&f, "/a", "proj:code"), "\"EPSG:1\" from /");
	assert_string_equal(effective(&f, "/own", "proj:code"), "E_NOTFOUND");
	assert_string_equal(effective(&f, "/own", "proj:wkt2"), "\"x\" from /own");
	assert_string_equal(effective(&f, "/undeclared", "proj:code"), "\"EPSG:1\" from /");
	assert_string_equal(effective(&f, "/g", "proj:code"), "E_NOTFOUND");
	assert_string_equal(effective(&f, "/g/a", "proj:code"), "E_NOTFOUND");
	/* license: to everything below, along paths, not in circles */
	assert_string_equal(effective(&f, "/g/a", "license"), "{\"spdx\":\"MIT\"} from /");
	assert_string_equal(effective(&f, "/h", "license"), "{\"url\":\"u\"} from /j");
	assert_string_equal(effective(&f, "/k", "license"), "E_CORRUPT");
	/* through a group without document */
	forest_put(&f, "l/m/zarr.json", ARRAY);
	assert_string_equal(effective(&f, "/l/m", "license"), "{\"spdx\":\"MIT\"} from /");
	assert_string_equal(effective(&f, "/none", "license"), "E_NOTFOUND");
	/* anything else is the node's own */
	assert_string_equal(effective(&f, "/a", "none"), "E_NOTFOUND");
	forest_close(&f);
}

/* ---- levels ---- */

static int
see_level(void *arg, const zinc_scale_level *l)
{
	char *out = arg;
	size_t n = strlen(out);

	snprintf(out + n, 500 - n, "%d %s<%s %s %d:%llu %d:%g+%g;", l->index, l->path, l->derived_from, l->array,
		 l->ndim, l->ndim > 0 ? (unsigned long long)l->shape[0] : 0, l->nscale, l->nscale ? l->scale[0] : 0.0,
		 l->nscale ? l->translation[0] : 0.0);
	return 0;
}

static const char *
levels(forest *f, const char *path)
{
	static char out[500];
	zinc_status st;

	out[0] = '\0';
	st = zinc_multiscale_levels(f->h, path, see_level, out, NULL, NULL);
	return st == ZINC_OK ? out : zinc_status_name(st);
}

static void
test_levels(void **state)
{
	forest f;

	(void)state;
	forest_open(&f, "", ZINC_LENIENT);
	forest_put(
	    &f, "m/zarr.json",
	    NODE(
		"{\"zarr_conventions\": [" MULT "], \"multiscales\": {\"layout\": [{\"asset\": \"0\"}, {\"asset\": "
		"\"g\", \"derived_from\": \"0\", \"transform\": {\"scale\": [2], \"translation\": [0.5]}}, {\"asset\": "
		"\"none\"}]}}"));
	forest_put(&f, "m/0/zarr.json", ARRAY);
	forest_put(&f, "m/g/zarr.json", GROUP);
	forest_put(&f, "m/g/v/zarr.json", ARRAY);
	forest_put(
	    &f, "old/zarr.json",
	    NODE("{\"multiscales\": {\"layout\": [{\"group\": \"x\", \"from_group\": \"y\", \"scale\": [4]}]}}"));
	forest_put(
	    &f, "ome/zarr.json",
	    NODE("{\"ome\": {\"version\": \"0.5\", \"multiscales\": [{\"datasets\": [{\"path\": \"s0\", "
		 "\"coordinateTransformations\": [{\"type\": \"scale\", \"scale\": [0.5]}, {\"type\": \"translation\", "
		 "\"translation\": [3]}]}]}]}}"));
	forest_put(&f, "ome/s0/zarr.json", ARRAY);
	forest_put(&f, "ome4/zarr.json", NODE("{\"multiscales\": [{\"datasets\": [{\"path\": \"0\"}]}]}"));
	forest_put(&f, "bad/zarr.json", NODE("{\"multiscales\": {\"layout\": [{}]}}"));
	forest_put(&f, "plain/zarr.json", GROUP);
	assert_string_equal(levels(&f, "/m"),
			    "0 /m/0< /m/0 1:4 0:0+0;1 /m/g</m/0 /m/g/v 1:4 1:2+0.5;2 /m/none<  -1:0 0:0+0;");
	assert_string_equal(levels(&f, "/old"), "0 /old/x</old/y  -1:0 1:4+0;");
	assert_string_equal(levels(&f, "/ome"), "0 /ome/s0< /ome/s0 1:4 1:0.5+3;");
	assert_string_equal(levels(&f, "/ome4"), "0 /ome4/0<  -1:0 0:0+0;");
	assert_string_equal(levels(&f, "/bad"), "E_CORRUPT");
	assert_string_equal(levels(&f, "/plain"), "E_NOTFOUND");
	forest_close(&f);
}

/* ---- schemas from elsewhere ---- */

struct seen {
	char found[1000]; /* "rule!" or "rule?" */
	int validity;     /* of the last convention */
};

static int
see(void *arg, const zinc_verdict *v)
{
	struct seen *s = arg;
	size_t i, n;

	for (i = 0; i < v->nfindings; i++) {
		n = strlen(s->found);
		snprintf(s->found + n, sizeof s->found - n, "%s%s%s", n ? " " : "", v->findings[i]->rule,
			 v->findings[i]->level == ZINC_LEVEL_ERROR ? "!" : "?");
	}
	if (v->convention)
		s->validity = v->validity;
	return 0;
}

/* The result of a check of the root, with one schema in a directory under `key`; key NULL: none. */
static struct seen *
check_with(const char *key, const char *schema, const char *attributes)
{
	static struct seen s;
	zinc_error err = ZINC_ERROR_INIT;
	zinc_conventions *c = NULL;
	zinc_store *dir = NULL;
	char document[2000];
	forest f;

	memset(&s, 0, sizeof s);
	forest_open(&f, "", ZINC_LENIENT);
	snprintf(document, sizeof document, NODE("%s"), attributes);
	forest_put(&f, "zarr.json", document);
	assert_ok(zinc_store_open(&dir, "memory://schemas", ZINC_STORE_OPTIONS(.context = f.ctx), &err));
	if (!key) {
		assert_int_equal(
		    zinc_conventions_new(&c, ZINC_CONVENTIONS_OPTIONS(.context = f.ctx, .schemas = "memory://schemas"),
					 NULL),
		    ZINC_E_NOTFOUND);
		assert_ok(zinc_store_put(dir, NULL, "other.json", "{}", 2, NULL, 0, NULL, NULL, &err));
	} else {
		assert_ok(zinc_store_put(dir, NULL, key, schema, strlen(schema), NULL, 0, NULL, NULL, &err));
	}
	assert_ok(
	    zinc_conventions_new(&c, ZINC_CONVENTIONS_OPTIONS(.context = f.ctx, .schemas = "memory://schemas"), &err));
	assert_ok(zinc_conventions_check(c, f.h, "/", see, &s, NULL, &err));
	assert_ok(
	    zinc_conventions_check(c, f.h, "/", see, &(struct seen){.validity = 0}, NULL, &err)); /* from the shelf */
	zinc_conventions_free(c);
	zinc_store_close(dir);
	forest_close(&f);
	return &s;
}

#define MY "{\"zarr_conventions\": [{\"schema_url\": \"" S "\", \"name\": \"my:\"}], \"my:a\": 1}"

static void
test_schemas(void **state)
{
	struct seen *s;

	(void)state;
	/* by place, by $id, by the declaration in it; of the attributes or of the document */
	s = check_with("example.com/my/v1/schema.json", "{\"required\": [\"my:a\"]}", MY);
	assert_string_equal(s->found, "");
	assert_int_equal(s->validity, ZINC_VALID);
	s = check_with("any.json", "{\"$id\": \"" S "\", \"required\": [\"my:b\"]}", MY);
	assert_string_equal(s->found, "schema!");
	assert_int_equal(s->validity, ZINC_INVALID);
	s = check_with("deep/any.json",
		       "{\"$defs\": {\"conventionMetadata\": {\"properties\": {\"schema_url\": {\"const\": \"" S
		       "\"}}}}, \"properties\": {\"node_type\": {\"const\": \"array\"}, \"attributes\": {}}}",
		       MY);
	assert_string_equal(s->found, "schema!");
	/* C11+ C11-: properties should have a prefix or one key */
	s = check_with("a.json", "{\"$id\": \"" S "\", \"properties\": {\"my:a\": {}, \"my:b\": {}}}", MY);
	assert_string_equal(s->found, "");
	s = check_with("a.json", "{\"$id\": \"" S "\", \"properties\": {\"a\": {}, \"b\": {}}}", MY);
	assert_string_equal(s->found, "C11?");
	/* C13+ C13-: what a schema does not forbid is allowed; what it forbids is not */
	s = check_with("a.json", "{\"$id\": \"" S "\", \"properties\": {\"my:b\": {}}}", MY);
	assert_string_equal(s->found, "");
	s = check_with("a.json",
		       "{\"$id\": \"" S "\", \"properties\": {\"my:b\": {}}, \"additionalProperties\": false}", MY);
	assert_string_equal(s->found, "schema! schema!");
	/* C15+ C15-: a missing or invalid schema is a warning, and the node does not change */
	s = check_with(NULL, NULL, MY);
	assert_string_equal(s->found, "C15?");
	assert_int_equal(s->validity, ZINC_UNCHECKED);
	s = check_with("a.json", "{\"$id\": \"" S "\", \"type\": 5}", MY);
	assert_string_equal(s->found, "schema?");
	s = check_with("a.json", "{\"$id\": \"" S "\", \"$ref\": \"https://example.com/none.json\"}", MY);
	assert_string_equal(s->found, "C15?");
	s = check_with("example.com/my/v1/schema.json", "no JSON", MY);
	assert_string_equal(s->found, "schema?");
	/* too costly */
	s = check_with("a.json", "{\"$id\": \"" S "\", \"allOf\": [{\"$ref\": \"#\"}, {\"$ref\": \"#\"}]}", MY);
	assert_string_equal(s->found, "schema!");
	/* a newer schema of a built-in convention counts as well */
	s = check_with("a.json", "{\"$id\": \"f17cb550-5864-4468-aeb7-f3180cfb622f\", \"required\": [\"proj:new\"]}",
		       "{\"zarr_conventions\": [" PROJ "], \"proj:code\": \"EPSG:1\"}");
	assert_string_equal(s->found, "schema!");
}

/* ---- reading ---- */

/* C16+ C16-: an array reads the same whatever its declaration: there, malformed, unknown, or absent. */
static void
test_reading(void **state)
{
	static const char *const declarations[] = {
	    "",
	    ", \"attributes\": {\"zarr_conventions\": [" PROJ "], \"proj:code\": \"EPSG:1\"}",
	    ", \"attributes\": {\"zarr_conventions\": [" PROJ "], \"proj:code\": 5}",
	    ", \"attributes\": {\"zarr_conventions\": [{\"schema\": \"" S "\"}]}",
	    ", \"attributes\": {\"zarr_conventions\": 5}",
	    ", \"attributes\": {\"zarr_conventions\": [5, null, {}, {\"uuid\": 7}]}",
	    ", \"attributes\": {\"zarr_conventions\": {\"version\": 1}}",
	};
	static const int16_t elements[4] = {1, -2, 7, 7}; /* the second chunk is missing */
	zinc_error err = ZINC_ERROR_INIT;
	char document[1000];
	int16_t got[4];
	forest f;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(declarations); i++) {
		zinc_array *a = NULL;

		forest_open(&f, "", ZINC_LENIENT);
		snprintf(document, sizeof document, ARRAY_WITH("%s"), declarations[i]);
		forest_put(&f, "a/zarr.json", document);
		assert_ok(zinc_store_put(f.memory, NULL, "a/c/0", "\x01\x00\xfe\xff", 4, NULL, 0, NULL, NULL, &err));
		assert_ok(zinc_array_open(&a, f.h, "/a", NULL, &err));
		assert_ok(zinc_array_read_text(a, NULL, ZINC_BUFFER(got, sizeof got), NULL, &err));
		assert_memory_equal(got, elements, sizeof got);
		assert_int_equal(f.warnings, 0);
		zinc_array_close(a);
		forest_close(&f);
	}
}

/* ---- memory ---- */

static int
ignore(void *arg, const zinc_verdict *v)
{
	(void)arg, (void)v;
	return 0;
}

static int
ignore_level(void *arg, const zinc_scale_level *l)
{
	(void)arg, (void)l;
	return 0;
}

static zinc_status
use(zinc_context *ctx, zinc_store *s, zinc_error *err)
{
	zinc_blob json = ZINC_BLOB_INIT, from = ZINC_BLOB_INIT;
	zinc_conventions *c = NULL;
	zinc_hierarchy *h = NULL;
	zinc_status st;

	st = zinc_hierarchy_open(&h, s, "", ZINC_OPEN_OPTIONS(.context = ctx), err);
	if (st == ZINC_OK)
		st = zinc_conventions_new(
		    &c, ZINC_CONVENTIONS_OPTIONS(.context = ctx, .schemas = "memory://sweep-schemas"), err);
	if (st == ZINC_OK)
		st = zinc_conventions_check(c, h, "/", ignore, NULL, NULL, err);
	if (st == ZINC_OK)
		st = zinc_conventions_effective(h, "/0", "license", &json, &from, NULL, err);
	zinc_blob_fini(&json);
	zinc_blob_fini(&from);
	if (st == ZINC_OK)
		st = zinc_multiscale_levels(h, "/", ignore_level, NULL, NULL, err);
	if (st == ZINC_OK)
		st = zinc_conventions_properties(h, "/", "license", &json, NULL, err);
	zinc_blob_fini(&json);
	zinc_conventions_free(c);
	zinc_hierarchy_close(h);
	return st;
}

static zinc_status
scenario(void *arg, zinc_context *ctx, zinc_error *err)
{
	static const char root[] =
	    NODE("{\"zarr_conventions\": [" MULT "," LIC ", {\"schema_url\": \"" S
		 "\"}], \"license\": {\"path\": \"0\"}, \"multiscales\": {\"layout\": [{\"asset\": \"0\"}]}}");
	static const char leaf[] = ARRAY_WITH(", \"attributes\": {\"license\": {\"spdx\": \"MIT\"}}");
	static const char schema[] = "{\"$id\": \"" S "\", \"required\": [\"none\"]}";
	zinc_store *s = NULL, *dir = NULL;
	zinc_status st;

	(void)arg;
	st = zinc_store_open(&s, "memory://sweep-conventions", ZINC_STORE_OPTIONS(.context = ctx), err);
	if (st == ZINC_OK)
		st = zinc_store_open(&dir, "memory://sweep-schemas", ZINC_STORE_OPTIONS(.context = ctx), err);
	if (st == ZINC_OK)
		st = zinc_store_put(s, NULL, "zarr.json", root, strlen(root), NULL, 0, NULL, NULL, err);
	if (st == ZINC_OK)
		st = zinc_store_put(s, NULL, "0/zarr.json", leaf, strlen(leaf), NULL, 0, NULL, NULL, err);
	if (st == ZINC_OK)
		st = zinc_store_put(dir, NULL, "a.json", schema, strlen(schema), NULL, 0, NULL, NULL, err);
	if (st == ZINC_OK)
		st = use(ctx, s, err);
	zinc_store_close(dir);
	zinc_store_close(s);
	return st;
}

static void
test_memory(void **state)
{
	(void)state;
	assert_true(sweep_alloc(scenario, NULL) > 100);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_properties), cmocka_unit_test(test_inheritance), cmocka_unit_test(test_levels),
	    cmocka_unit_test(test_schemas),    cmocka_unit_test(test_reading),     cmocka_unit_test(test_memory),
	};

	if (!ZINC_WITH_PCRE2) /* schemas have patterns */
		return 77;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
