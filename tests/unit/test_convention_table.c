/*
 * test_convention_table.c - every built-in convention: nodes that follow it, nodes that do not
 *
 * The nodes are in tests/conventions/<name>.json, one file per convention: a case is a node with its attributes (the
 * declaration is added unless it has its own), optional children, and the expected result of a check.
 */
#include <stdio.h>
#include <string.h>

#include "convention/convention.h"
#include "nodes.h"
#include "test.h"

static const char *
read_file(const char *name)
{
	static char text[1 << 18];
	char path[500];
	size_t n;
	FILE *f;

	snprintf(path, sizeof path, "%s/tests/conventions/%s.json", ZINC_TEST_SOURCE_DIR, name);
	f = fopen(path, "rb");
	if (!f)
		fail_msg("no %s", path);
	n = fread(text, 1, sizeof text - 1, f);
	fclose(f);
	text[n] = '\0';
	return text;
}

/* ---- nodes from a case ---- */

static void
print_member(zinc_buf *b, const char *name, const zinc_json *v)
{
	if (!v)
		return;
	assert_int_equal(zinc_buf_printf(b, NULL, ", \"%s\": ", name), ZINC_OK);
	assert_int_equal(zinc_json_print_line(v, b, NULL), ZINC_OK);
}

static void
put_node(forest *f, const char *key, const zinc_json *v, const char *attributes)
{
	const zinc_json *shape = zinc_json_member(v, "shape");
	zinc_buf b;

	zinc_buf_init(&b, f->ctx, SIZE_MAX);
	assert_int_equal(zinc_buf_printf(&b, NULL, "{\"zarr_format\": 3, \"node_type\": \"%s\", \"attributes\": %s",
					 shape ? "array" : "group", attributes),
			 ZINC_OK);
	if (shape) {
		print_member(&b, "shape", shape);
		print_member(&b, "dimension_names", zinc_json_member(v, "dims"));
		assert_int_equal(
		    zinc_buf_puts(&b,
				  ", \"data_type\": \"int16\", \"fill_value\": 0, \"chunk_key_encoding\": "
				  "{\"name\": \"default\"}, \"codecs\": [{\"name\": \"bytes\", "
				  "\"configuration\": {\"endian\": \"little\"}}], \"chunk_grid\": {\"name\": "
				  "\"regular\", \"configuration\": {\"chunk_shape\": ",
				  NULL),
		    ZINC_OK);
		assert_int_equal(zinc_json_print_line(shape, &b, NULL), ZINC_OK);
		assert_int_equal(zinc_buf_puts(&b, "}}", NULL), ZINC_OK);
	}
	assert_int_equal(zinc_buf_puts(&b, "}", NULL), ZINC_OK);
	forest_put(f, key, zinc_buf_text(&b));
	zinc_buf_fini(&b);
}

static void
put_children(forest *f, const zinc_json *children)
{
	const zinc_json *v;
	char key[100];
	zinc_buf b;

	for (v = children ? children->first : NULL; v; v = v->next) {
		zinc_buf_init(&b, f->ctx, SIZE_MAX);
		if (zinc_json_member(v, "attributes"))
			assert_int_equal(zinc_json_print_line(zinc_json_member(v, "attributes"), &b, NULL), ZINC_OK);
		snprintf(key, sizeof key, "%s/zarr.json", v->key);
		put_node(f, key, v, b.n ? zinc_buf_text(&b) : "{}");
		zinc_buf_fini(&b);
	}
}

/* The case's attributes with its declaration, or the plain one. */
static void
put_case(forest *f, const zinc_convention_row *row, const zinc_json *c)
{
	const zinc_json *declaration = zinc_json_member(c, "declaration"), *m;
	zinc_buf b;

	zinc_buf_init(&b, f->ctx, SIZE_MAX);
	assert_int_equal(zinc_buf_puts(&b, "{\"zarr_conventions\": ", NULL), ZINC_OK);
	if (declaration)
		assert_int_equal(zinc_json_print_line(declaration, &b, NULL), ZINC_OK);
	else
		assert_int_equal(zinc_buf_printf(&b, NULL, "[{\"uuid\": \"%s\", \"name\": \"x\"}]", row->uuid),
				 ZINC_OK);
	for (m = zinc_json_member(c, "attributes")->first; m; m = m->next)
		print_member(&b, m->key, m);
	assert_int_equal(zinc_buf_puts(&b, "}", NULL), ZINC_OK);
	put_node(f, "zarr.json", c, zinc_buf_text(&b));
	zinc_buf_fini(&b);
	put_children(f, zinc_json_member(c, "children"));
}

/* ---- verdicts ---- */

struct seen {
	const zinc_convention_row *row;
	unsigned errors, verdicts;
	const char *rule; /* wanted */
	bool rule_met;
	char text[2000];
};

static int
see(void *arg, const zinc_verdict *v)
{
	struct seen *s = arg;
	size_t i, n;

	if (v->convention) {
		s->verdicts++;
		assert_string_equal(v->convention->known, s->row->name);
	}
	for (i = 0; i < v->nfindings; i++) {
		const zinc_finding *f = v->findings[i];

		n = strlen(s->text);
		snprintf(s->text + n, sizeof s->text - n, "%d %s %s %s; ", f->level, f->rule, f->pointer, f->message);
		s->errors += f->level == ZINC_LEVEL_ERROR;
		s->rule_met = s->rule_met || (f->level == ZINC_LEVEL_ERROR && s->rule && !strcmp(s->rule, f->rule));
		if (f->level == ZINC_LEVEL_ERROR)
			assert_int_equal(strncmp(f->pointer, "/attributes", 11), 0);
	}
	return 0;
}

static bool
run_case(const zinc_convention_row *row, const zinc_json *c)
{
	const bool valid = zinc_json_member(c, "valid")->type == ZINC_JSON_TRUE;
	struct seen s = {.row = row};
	zinc_error err = ZINC_ERROR_INIT;
	forest f;

	s.rule = valid ? NULL : zinc_json_member(c, "rule")->text;
	forest_open(&f, "", ZINC_LENIENT);
	put_case(&f, row, c);
	assert_ok(zinc_conventions_check(NULL, f.h, "/", see, &s, NULL, &err));
	forest_close(&f);
	assert_int_equal(s.verdicts, 1);
	if (valid ? s.errors != 0 : !s.rule_met)
		fail_msg("%s: %s: wanted %s, found: %s", row->name, zinc_json_member(c, "name")->text,
			 valid ? "valid" : s.rule, s.text);
	return valid;
}

static void
test_rows(void **state)
{
	const zinc_convention_row *row;
	size_t i, cases = 0;

	(void)state;
	for (i = 0; (row = zinc_convention_row_at(i)); i++) {
		const char *text = read_file(row->name);
		zinc_error err = ZINC_ERROR_INIT;
		unsigned good = 0, bad = 0;
		zinc_json_doc *doc;
		const zinc_json *c;

		assert_ok(zinc_json_parse(&doc, zinc_context_get(NULL), text, strlen(text), 0, &err));
		for (c = zinc_json_member(zinc_json_root(doc), "cases")->first; c; c = c->next, cases++)
			++*(run_case(row, c) ? &good : &bad);
		zinc_json_free(doc);
		assert_true(bad >= 3);
		assert_true(good >= 1 || strcmp(row->name, "template") == 0);
	}
	printf("%zu conventions, %zu nodes\n", i, cases);
}

/* Identifiers are correct, and no two rows share one. */
static void
test_identifiers(void **state)
{
	const zinc_convention_row *row;
	size_t i, j;

	(void)state;
	for (i = 0; (row = zinc_convention_row_at(i)); i++) {
		assert_true(zinc_is_uuid(row->uuid));
		assert_ptr_equal(zinc_convention_find(row->uuid, false), row);
		assert_ptr_equal(zinc_convention_find(row->name, true), row);
		assert_null(zinc_convention_find(row->name, false)); /* C6-: a name identifies nothing */
		for (j = 0; row->schemas && row->schemas[j]; j++)
			assert_ptr_equal(zinc_convention_find(row->schemas[j], false), row);
		for (j = 0; row->specs && row->specs[j]; j++)
			assert_ptr_equal(zinc_convention_find(row->specs[j], false), row);
		assert_true(row->groups || row->arrays);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_rows),
	    cmocka_unit_test(test_identifiers),
	};

	if (!ZINC_WITH_PCRE2) /* schemas have patterns */
		return 77;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
