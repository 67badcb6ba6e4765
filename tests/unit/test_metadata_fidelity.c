/*
 * test_metadata_fidelity.c - documents of other implementations are parsed and printed unchanged
 *
 * The documents are those of zarr-python's zarr-metadata package, which are outside this tree; without them the test
 * is skipped, with a message.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "format/format.h"
#include "test.h"

#define PLACE ZINC_TEST_SOURCE_DIR "/../shared/fixtures/metadata-documents/v3"

static unsigned checked, unsupported;

static zinc_json_doc *
read_json(const char *path)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_json_doc *doc = NULL;
	FILE *f = fopen(path, "rb");
	char text[16384];
	size_t n;

	assert_non_null(f);
	n = fread(text, 1, sizeof text, f);
	fclose(f);
	assert_ok(zinc_json_parse(&doc, zinc_context_get(NULL), text, n, 0, &err));
	return doc;
}

/* Parse strictly, print, compare.  `known`: this build must support it. */
static void
check(const char *name, const zinc_json *document, bool known)
{
	zinc_context *ctx = zinc_context_get(NULL);
	zinc_error err = ZINC_ERROR_INIT;
	zinc_json_doc *again = NULL;
	zinc_meta *m = NULL;
	zinc_report r;
	zinc_buf text;

	zinc_report_init(&r, ctx, true, name);
	zinc_buf_init(&text, ctx, SIZE_MAX);
	assert_ok(zinc_json_print_line(document, &text, &err));
	if (zinc_text_parse(&zinc_format_v3, ctx, (const char *)text.p, text.n, &r, &m, &err) != ZINC_OK)
		fail_msg("%s: %s", name, err.text);
	if (known && m->unsupported)
		fail_msg("%s: %s", name, m->unsupported);
	checked++;
	unsupported += m->unsupported != NULL;
	text.n = 0;
	assert_ok(zinc_meta_print(m, &text, &err));
	assert_int_equal(text.p[text.n - 1], '\n');
	assert_ok(zinc_json_parse(&again, ctx, (const char *)text.p, text.n, 0, &err));
	if (!zinc_json_equal(document, zinc_json_root(again)))
		fail_msg("%s: changed to %.*s", name, (int)text.n, (const char *)text.p);
	zinc_json_free(again);
	zinc_meta_free(m);
	zinc_buf_fini(&text);
}

/* The same for a document written as text. */
static void
check_text(const char *name, bool known, const char *text)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_json_doc *doc = NULL;

	assert_ok(zinc_json_parse(&doc, zinc_context_get(NULL), text, strlen(text), 0, &err));
	check(name, zinc_json_root(doc), known);
	zinc_json_free(doc);
}

static void
each_file(const char *dir, void (*fn)(const char *path, const char *name))
{
	char path[1024];
	struct dirent *e;
	DIR *d = opendir(dir);

	assert_non_null(d);
	while ((e = readdir(d))) {
		if (e->d_name[0] == '.')
			continue;
		snprintf(path, sizeof path, "%s/%s", dir, e->d_name);
		fn(path, e->d_name);
	}
	closedir(d);
}

static void
check_document(const char *path, const char *name)
{
	zinc_json_doc *doc = read_json(path);

	/* types for later versions of this library */
	check(name, zinc_json_root(doc), !strstr(name, "datatype_named"));
	zinc_json_free(doc);
}

static void
test_documents(void **state)
{
	(void)state;
	each_file(PLACE "/array", check_document);
	each_file(PLACE "/group", check_document);
	assert_true(checked >= 15);
}

static void
check_consolidated(const char *path, const char *name)
{
	zinc_json_doc *doc = read_json(path);
	zinc_error err = ZINC_ERROR_INIT;
	char text[8192];
	zinc_buf b;

	zinc_buf_init(&b, zinc_context_get(NULL), SIZE_MAX);
	assert_ok(zinc_json_print_line(zinc_json_root(doc), &b, &err));
	snprintf(text, sizeof text, "{\"zarr_format\": 3, \"node_type\": \"group\", \"consolidated_metadata\": %.*s}",
		 (int)b.n, (const char *)b.p);
	check_text(name, true, text);
	zinc_buf_fini(&b);
	zinc_json_free(doc);
}

static void
test_consolidated(void **state)
{
	(void)state;
	each_file(PLACE "/consolidated", check_consolidated);
}

/* ---- members, each case within a document made for it ---- */

struct array {
	const char *shape, *chunks, *dtype, *grid, *keys, *fill, *codecs;
};

static void
check_array(const char *name, bool known, const struct array *a)
{
	char grid[256], text[8192];

	snprintf(grid, sizeof grid, "{\"name\": \"regular\", \"configuration\": {\"chunk_shape\": %s}}",
		 a->chunks ? a->chunks : "[128]");
	snprintf(text, sizeof text,
		 "{\"zarr_format\": 3, \"node_type\": \"array\", \"shape\": %s, \"data_type\": %s, \"chunk_grid\": %s, "
		 "\"chunk_key_encoding\": %s, \"fill_value\": %s, \"codecs\": %s}",
		 a->shape ? a->shape : "[256]", a->dtype ? a->dtype : "\"uint8\"", a->grid ? a->grid : grid,
		 a->keys ? a->keys : "\"default\"", a->fill ? a->fill : "0", a->codecs ? a->codecs : "[\"bytes\"]");
	check_text(name, known, text);
}

/* Call fn with the text of each case in a file. */
static void
each_case(const char *path, void (*fn)(const char *name, const char *value))
{
	zinc_json_doc *doc = read_json(path);
	zinc_error err = ZINC_ERROR_INIT;
	const zinc_json *v;

	for (v = zinc_json_root(doc)->first; v; v = v->next) {
		zinc_buf b;

		zinc_buf_init(&b, zinc_context_get(NULL), SIZE_MAX);
		assert_ok(zinc_json_print_line(v, &b, &err));
		fn(v->key, zinc_buf_text(&b));
		zinc_buf_fini(&b);
	}
	zinc_json_free(doc);
}

static void
check_key_encoding(const char *name, const char *value)
{
	check_array(name, true, &(struct array){.keys = value});
}

static void
check_regular(const char *name, const char *value)
{
	check_array(name, true,
		    &(struct array){.shape = name[0] == '1'   ? "[20]"
					     : name[0] == '2' ? "[20, 20]"
							      : "[20, 20, 20]",
				    .grid = value});
}

static void
check_rectilinear(const char *name, const char *value)
{
	check_array(name, true, &(struct array){.shape = "[60, 30]", .grid = value});
}

static void
check_codec(const char *name, const char *value)
{
	const bool two = strstr(value, "[64,64]") != NULL;
	struct array a = {.shape = NULL};
	char codecs[2048];

	if (strstr(value, "+Infinity")) /* not how a fill value is written */
		return;
	if (strstr(value, "\"cast_value\"") || strstr(value, "\"scale_offset\"")) {
		snprintf(codecs, sizeof codecs,
			 "[%s, {\"name\": \"bytes\", \"configuration\": {\"endian\": \"little\"}}]", value);
		a.dtype = "\"float64\"";
	} else if (strstr(value, "\"transpose\"")) {
		snprintf(codecs, sizeof codecs, "[%s, \"bytes\"]", value);
		a.shape = "[4, 4, 4]", a.chunks = "[1, 2, 4]";
	} else if (strstr(value, "\"sharding_indexed\"")) {
		snprintf(codecs, sizeof codecs, "[%s]", value);
		a.shape = two ? "[256, 256]" : "[256]", a.chunks = two ? "[128, 128]" : "[128]";
	} else if (strncmp(value, "{\"name\":\"bytes\"", 15) == 0 || strcmp(value, "\"bytes\"") == 0) {
		snprintf(codecs, sizeof codecs, "[%s]", value);
	} else {
		snprintf(codecs, sizeof codecs, "[\"bytes\", %s]", value);
	}
	a.codecs = codecs;
	/* dates, and an offset that is NaN */
	check_array(name, !strstr(value, "datetime64") && !strstr(value, "\"offset\":\"NaN\""), &a);
}

static void
test_members(void **state)
{
	static const char *const codecs[] = {"bytes",  "transpose",  "gzip",         "blosc",           "zstd",
					     "crc32c", "cast_value", "scale_offset", "sharding_indexed"};
	char path[1024];
	size_t i;

	(void)state;
	each_case(PLACE "/chunk_key_encoding/default/cases.json", check_key_encoding);
	each_case(PLACE "/chunk_key_encoding/v2/cases.json", check_key_encoding);
	each_case(PLACE "/chunk_grid/regular/cases.json", check_regular);
	each_case(PLACE "/chunk_grid/rectilinear/cases.json", check_rectilinear);
	for (i = 0; i < COUNT(codecs); i++) {
		snprintf(path, sizeof path, PLACE "/codec/%s/cases.json", codecs[i]);
		each_case(path, check_codec);
	}
}

/* ---- fill values ---- */

static const char *fill_type;

static void
check_fill(const char *name, const char *value)
{
	const bool string = strcmp(fill_type, "\"string\"") == 0, bytes = strcmp(fill_type, "\"bytes\"") == 0;

	check_array(name, true,
		    &(struct array){.dtype = fill_type,
				    .fill = value,
				    .codecs = string  ? "[{\"name\": \"vlen-utf8\"}]"
					      : bytes ? "[{\"name\": \"vlen-bytes\"}]"
						      : "[{\"name\": \"bytes\", \"configuration\": {\"endian\": "
							"\"little\"}}]"});
}

static void
check_type(const char *path, const char *name)
{
	char file[1200], type[1024];
	zinc_json_doc *doc;
	zinc_error err = ZINC_ERROR_INIT;
	zinc_buf b;

	snprintf(type, sizeof type, "\"%s\"", strcmp(name, "raw") == 0 ? "r32" : name);
	snprintf(file, sizeof file, "%s/data_type.json", path);
	if (access(file, R_OK) == 0) {
		doc = read_json(file);
		zinc_buf_init(&b, zinc_context_get(NULL), SIZE_MAX);
		assert_ok(zinc_json_print_line(zinc_json_root(doc), &b, &err));
		snprintf(type, sizeof type, "%s", zinc_buf_text(&b));
		zinc_buf_fini(&b);
		zinc_json_free(doc);
	}
	fill_type = type;
	snprintf(file, sizeof file, "%s/fill_values.json", path);
	each_case(file, check_fill);
}

static void
test_fill_values(void **state)
{
	(void)state;
	each_file(PLACE "/data_type", check_type);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_documents),
	    cmocka_unit_test(test_consolidated),
	    cmocka_unit_test(test_members),
	    cmocka_unit_test(test_fill_values),
	};
	int failed;

	if (access(PLACE, R_OK) != 0) {
		printf("SKIPPED: no documents of other implementations in ../shared/fixtures/metadata-documents\n");
		return 77;
	}
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	printf("%u documents of others, %u of them with extensions that this build does not know\n", checked,
	       unsupported);
	return failed;
}
