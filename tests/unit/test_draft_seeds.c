/*
 * test_draft_seeds.c - every document, key and name that the drafts show; they are in tests/golden/seeds
 */
#include <stdio.h>
#include <string.h>
#include <zinc/tool.h>

#include "format/format.h"
#include "nodes.h"
#include "test.h"

#define SEEDS ZINC_TEST_SOURCE_DIR "/tests/golden/seeds/"

static const char *const drafts[] = {"v3-2019", "v3-2020", "v3-2022"};

/* An empty hierarchy of a draft. */
static void
open_draft(forest *f, const char *draft)
{
	zinc_error err = ZINC_ERROR_INIT;

	forest_open(f, "", ZINC_LENIENT);
	zinc_hierarchy_close(f->h);
	assert_ok(zinc_hierarchy_open(&f->h, f->log, "",
				      ZINC_OPEN_OPTIONS(.context = f->ctx, .create = 1, .format = draft), &err));
}

static char *
read_seed(const char *name)
{
	char path[512], *text = calloc(1, 65536);
	FILE *f;

	assert_non_null(text);
	snprintf(path, sizeof path, SEEDS "%s", name);
	f = fopen(path, "rb");
	if (!f)
		fail_msg("%s: cannot be read", path);
	assert_true(fread(text, 1, 65535, f) > 0);
	fclose(f);
	return text;
}

/* ---- documents ---- */

struct found {
	char text[512]; /* "W 22-15; E 22-74" */
};

static int
see(void *arg, const zinc_finding *finding)
{
	struct found *f = arg;
	const size_t n = strlen(f->text);

	snprintf(f->text + n, sizeof f->text - n, "%s%c %s", n ? "; " : "", "WEU"[finding->level], finding -> rule);
	return 0;
}

/* Put the example at its place in the draft, with only the entry point. */
static void
place(forest *f, const char *role, const char *text)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_buf key;

	assert_ok(zinc_group_create(f->h, "/x", NULL, 0, NULL, &err)); /* and the entry point */
	zinc_buf_init(&key, f->ctx, SIZE_MAX);
	if (strcmp(role, "entry") == 0)
		assert_ok(zinc_buf_puts(&key, "zarr.json", &err));
	else
		assert_ok(zinc_node_key(f->h, "/x", strcmp(role, "array") == 0 ? ZINC_NODE_ARRAY : ZINC_NODE_GROUP,
					&key, &err));
	if (strcmp(role, "array") == 0)
		assert_ok(zinc_node_erase(f->h, "/x", NULL, &err));
	forest_put(f, zinc_buf_text(&key), text);
	zinc_buf_fini(&key);
}

static void
check_document(const char *draft, const char *role, const char *expect, const char *rule, const char *name)
{
	zinc_validate_options o = ZINC_VALIDATE_OPTIONS_INIT;
	zinc_error err = ZINC_ERROR_INIT;
	char url[128], want[32] = "", *text = read_seed(name);
	struct found got = {""};
	forest f;

	open_draft(&f, draft);
	place(&f, role, text);
	free(text);
	o.context = f.ctx;
	snprintf(url, sizeof url, "%s/", zinc_store_url(f.memory));
	if (zinc_validate(url, &o, see, &got, NULL, &err) != ZINC_OK)
		fail_msg("%s: %s", name, err.text);
	if (strcmp(expect, "valid") != 0)
		snprintf(want, sizeof want, "%c %s", strcmp(expect, "error") == 0 ? 'E' : 'W', rule);
	if (want[0] ? !strstr(got.text, want) : got.text[0] != '\0')
		fail_msg("%s: found \"%s\", not \"%s\"", name, got.text, want);
	forest_close(&f);
}

static void
test_documents(void **state)
{
	char line[256], draft[16], role[8], expect[16], rule[8], name[64];
	FILE *index = fopen(SEEDS "index.txt", "r");
	unsigned n = 0;

	(void)state;
	assert_non_null(index);
	while (fgets(line, sizeof line, index)) {
		if (line[0] == '#')
			continue;
		assert_int_equal(sscanf(line, "%15s %7s %15s %7s %63s", draft, role, expect, rule, name), 5);
		check_document(draft, role, expect, rule, name);
		n++;
	}
	fclose(index);
	assert_true(n > 25);
}

/* ---- keys ---- */

/* A chunk's key in an array that has as many dimensions as there are indices. */
static void
chunk_key(forest *f, const char *path, const char *separator, const char *indices, zinc_buf *out)
{
	const uint64_t shape[3] = {100, 100, 100}, chunks[3] = {1, 1, 1};
	const char *keys = separator[0] == '/' ? "v2/" : NULL;
	zinc_error err = ZINC_ERROR_INIT;
	zinc_array_options o = ZINC_ARRAY_OPTIONS_INIT;
	uint64_t index[3] = {0};
	zinc_array *a = NULL;
	zinc_meta *m = NULL;
	zinc_report r;
	unsigned i[3];
	int d;

	if (indices[0] != '-')
		o.ndim = sscanf(indices, "%u,%u,%u", &i[0], &i[1], &i[2]);
	for (d = 0; d < o.ndim; d++)
		index[d] = i[d];
	o.shape = shape;
	o.chunks = chunks;
	o.dtype = "uint8";
	o.codecs = "none";
	o.key_encoding = keys;
	assert_ok(zinc_array_create(&a, f->h, path, &o, &err));
	zinc_array_close(a);
	zinc_report_init_quiet(&r, f->ctx, true);
	assert_ok(zinc_read_node(f->h, path, &r, &m, &err));
	assert_ok(zinc_chunk_key(f->h, path, m, index, out, &err));
	zinc_meta_free(m);
}

/* 19-3+ 20-3+ 22-4+ 19-13+ 20-15+ 22-19+ 19-15+ 20-17+ 22-21+ 20-19+ 22-23+ 19-76+ 19-77+ 20-81+ 20-82+ 20-83+ 20-85+
 * 22-107+ 22-108+ 22-109+ 22-111+ */
static void
check_key(const char *draft, const char *what, const char *path, const char *separator, const char *indices,
	  const char *want)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_buf key;
	forest f;

	open_draft(&f, draft);
	zinc_buf_init(&key, f.ctx, SIZE_MAX);
	if (strcmp(what, "chunk") == 0)
		chunk_key(&f, path, separator, indices, &key);
	else
		assert_ok(zinc_node_key(f.h, path, strcmp(what, "array") == 0 ? ZINC_NODE_ARRAY : ZINC_NODE_GROUP, &key,
					&err));
	assert_string_equal(zinc_buf_text(&key), want);
	zinc_buf_fini(&key);
	forest_close(&f);
}

static void
test_keys(void **state)
{
	char line[256], draft[16], what[8], path[32], separator[4], indices[16], key[64];
	FILE *index = fopen(SEEDS "keys.txt", "r");
	unsigned n = 0;

	(void)state;
	assert_non_null(index);
	while (fgets(line, sizeof line, index)) {
		if (line[0] == '#')
			continue;
		assert_int_equal(
		    sscanf(line, "%15s %7s %31s %3s %15s %63s", draft, what, path, separator, indices, key), 6);
		check_key(draft, what, path, separator, indices, key);
		n++;
	}
	fclose(index);
	assert_true(n > 25);
}

/* ---- names ---- */

/* The number of the rule that the name breaks. */
static const char *
broken_rule(const char *draft, const char *name, size_t n)
{
	static const char *const rules[][3] = {
	    {"19-6", "20-6", "22-11"}, {"19-8", "20-8", "22-13"}, {"19-9", "20-9", "none"}, {"19-7", "20-7", "22-12"}};
	const size_t periods = strspn(name, ".");
	size_t d = 0;

	while (strcmp(drafts[d], draft) != 0)
		d++;
	return rules[n == 0 ? 0 : periods >= n ? 1 : n > 255 ? 2 : 3][d];
}

/* Creating a node of that name gives the same error. */
static void
create_named(const char *draft, const char *name, size_t n, zinc_status want)
{
	zinc_error err = ZINC_ERROR_INIT;
	char path[310] = "/g/";
	forest f;

	if (n == 0)
		return; /* "/g/" is "/g" */
	memcpy(path + 3, name, n);
	path[3 + n] = '\0';
	open_draft(&f, draft);
	assert_int_equal(zinc_group_create(f.h, path, NULL, 0, NULL, &err), want);
	forest_close(&f);
}

/* 19-5+ 19-5- 19-6+ 19-6- 19-7- 19-8+ 19-8- 19-9+ 19-9- 20-5+ 20-5- 20-6+ 20-6- 20-7- 20-8+ 20-8- 20-9+ 20-9- 22-10+
 * 22-10- 22-11+ 22-11- 22-12- 22-13+ 22-13- 22-14+ 20-10+ */
static void
check_name(const char *draft, const char *name, const char *allowed)
{
	const zinc_format *format = zinc_format_find(draft);
	zinc_error err = ZINC_ERROR_INIT;
	char text[300];
	size_t n = strlen(name);
	zinc_status s;

	memset(text, 'n', sizeof text);
	if (name[0] == '@')
		n = (size_t)strtoul(name + 1, NULL, 10);
	else
		memcpy(text, name, n);
	s = format->check_name(format, text, n, &err);
	if (s != (strcmp(allowed, "yes") == 0 ? ZINC_OK : ZINC_E_INVALID))
		fail_msg("%s: \"%s\": %s", draft, name, zinc_status_name(s));
	if (s != ZINC_OK && strcmp(err.rule, broken_rule(draft, text, n)) != 0)
		fail_msg("%s: \"%s\": %s", draft, name, err.text);
	create_named(draft, text, n, s);
}

static void
test_names(void **state)
{
	char line[256], name[32], allowed[3][8];
	FILE *index = fopen(SEEDS "names.txt", "r");
	size_t i;

	(void)state;
	assert_non_null(index);
	while (fgets(line, sizeof line, index)) {
		if (line[0] == '#')
			continue;
		assert_int_equal(sscanf(line, "%31s %7s %7s %7s", name, allowed[0], allowed[1], allowed[2]), 4);
		for (i = 0; i < COUNT(drafts); i++)
			check_name(drafts[i], name, allowed[i]);
	}
	fclose(index);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_documents),
	    cmocka_unit_test(test_keys),
	    cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
