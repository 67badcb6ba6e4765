/* test_format_v3_consolidated.c - consolidated metadata, by the promises of consolidate.c */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "format/format.h"
#include "nodes.h"
#include "test.h"

static void
plant(forest *f)
{
	forest_put(f, "zarr.json", "{\"zarr_format\": 3, \"node_type\": \"group\", \"attributes\": {\"n\": 1.50}}");
	forest_put(f, "a/zarr.json", COPIES("\"x\": " GROUP));
	forest_put(f, "a/x/zarr.json", ARRAY);
	forest_put(f, "b/zarr.json", ARRAY_WITH(", \"new\": {\"must_understand\": false}"));
}

static void
test_consolidate(void **state)
{
	static const char expected[] = COPIES("\"a\": " GROUP ", \"a/x\": " ARRAY
					      ", \"b\": " ARRAY_WITH(", \"new\": {\"must_understand\": false}"));
	zinc_error err = ZINC_ERROR_INIT;
	zinc_json_doc *now = NULL, *then = NULL;
	const char *text;
	forest f;

	(void)state;
	forest_open(&f, "", ZINC_LENIENT);
	plant(&f);
	assert_ok(zinc_consolidate(f.h, "/", 0, NULL, &err));
	text = forest_get(&f, "zarr.json");
	assert_non_null(strstr(text, "\"n\": 1.50"));
	assert_ok(zinc_json_parse(&now, f.ctx, text, strlen(text), 0, &err));
	assert_ok(zinc_json_parse(&then, f.ctx, expected, sizeof expected - 1, 0, &err));
	assert_true(zinc_json_equal(zinc_json_member(zinc_json_root(now), "consolidated_metadata"),
				    zinc_json_member(zinc_json_root(then), "consolidated_metadata")));
	zinc_json_free(now);
	zinc_json_free(then);
	assert_string_equal(forest_list(&f, "/", -1), "G/ G/a A/a/x A/b");
	/* again is the same again; removing leaves the rest */
	assert_ok(zinc_consolidate(f.h, "", 0, NULL, &err));
	assert_ok(zinc_consolidate(f.h, "/", 1, NULL, &err));
	assert_null(strstr(forest_get(&f, "zarr.json"), "consolidated"));
	assert_non_null(strstr(forest_get(&f, "zarr.json"), "\"n\": 1.50"));
	assert_ok(zinc_consolidate(f.h, "/", 1, NULL, &err));
	/* a group below the root */
	assert_ok(zinc_consolidate(f.h, "/a", 0, NULL, &err));
	assert_non_null(strstr(forest_get(&f, "a/zarr.json"), "\"x\": {"));
	forest_close(&f);
}

/* Promise (2): metadata that readers would refuse is not written, and the old one stays; (3) a drop works for any
 * size. */
static void
test_too_long(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	char *before;
	forest f;
	int has;

	(void)state;
	forest_open(&f, "", ZINC_LENIENT);
	plant(&f);
	assert_ok(zinc_consolidated(f.h, "/", &has, NULL, &err));
	assert_int_equal(has, 0);
	assert_ok(zinc_consolidate(f.h, "/", 0, NULL, &err));
	assert_ok(zinc_consolidated(f.h, "/", &has, NULL, &err));
	assert_int_equal(has, 1);
	assert_ok(zinc_consolidated(f.h, "/b", &has, NULL, &err)); /* an array never has */
	assert_int_equal(has, 0);
	assert_int_equal(zinc_consolidated(f.h, "/none", &has, NULL, &err), ZINC_E_NOTFOUND);
	before = strdup(forest_get(&f, "zarr.json"));
	f.ctx->limits.json_bytes = strlen(before) - 1;
	forest_put(&f, "a/y/zarr.json", ARRAY);
	forest_put(&f, "zarr.json", GROUP);
	assert_int_equal(zinc_consolidate(f.h, "/", 0, NULL, &err), ZINC_E_LIMIT);
	assert_string_equal(forest_get(&f, "zarr.json"), GROUP);
	forest_put(&f, "zarr.json", before);
	assert_int_equal(zinc_consolidated(f.h, "/", &has, NULL, &err), ZINC_E_LIMIT);
	assert_ok(zinc_consolidate_group(f.h, "/", true, &err));
	assert_ok(zinc_consolidated(f.h, "/", &has, NULL, &err));
	assert_int_equal(has, 0);
	free(before);
	forest_close(&f);
}

/* Promise (1) again: each document has few values, but all of them together have too many. */
static void
test_too_many_values(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	forest f;

	(void)state;
	forest_open(&f, "", ZINC_LENIENT);
	plant(&f);
	f.ctx->limits.json_values = 40;
	assert_int_equal(zinc_consolidate(f.h, "/", 0, NULL, &err), ZINC_E_LIMIT);
	assert_null(strstr(forest_get(&f, "zarr.json"), "consolidated_metadata"));
	forest_close(&f);
}

/* Promise (3) again: an edit drops stale metadata, also from a document that readers refuse. */
static void
test_drop_large(void **state)
{
	static const zinc_attribute units = {"units", "\"K\""};
	static const char format[] =
	    "{\"zarr_format\": 3, \"node_type\": \"group\", \"attributes\": {\"n\": \"%03000d\"}, "
	    "\"consolidated_metadata\": {\"must_understand\": false, \"kind\": \"inline\", "
	    "\"metadata\": {\"b\": " ARRAY ", \"c\": " ARRAY "}}}";
	char text[3000 + sizeof format];
	zinc_error err = ZINC_ERROR_INIT;
	forest f;
	int bytes;

	(void)state;
	snprintf(text, sizeof text, format, 0);
	for (bytes = 0; bytes <= 1; bytes++) {
		forest_open(&f, "", ZINC_LENIENT);
		plant(&f);
		forest_put(&f, "zarr.json", text);
		if (bytes) /* the member begins after the part of the document that is read */
			f.ctx->limits.json_bytes = 2000;
		else
			f.ctx->limits.json_values = 40;
		assert_ok(zinc_attributes_edit(f.h, "/b", &units, 1, NULL, &err));
		assert_null(strstr(forest_get(&f, "zarr.json"), "consolidated"));
		assert_non_null(strstr(forest_get(&f, "zarr.json"), "\"attributes\""));
		forest_close(&f);
	}
}

static void
test_refused(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	forest f;

	(void)state;
	forest_open(&f, "", ZINC_LENIENT);
	plant(&f);
	assert_int_equal(zinc_consolidate(f.h, "/b", 0, NULL, &err), ZINC_E_INVALID);
	assert_int_equal(zinc_consolidate(f.h, "/b", 1, NULL, &err), ZINC_E_INVALID);
	assert_int_equal(zinc_consolidate(f.h, "/c", 0, NULL, &err), ZINC_E_NOTFOUND);
	/* a copy of a damaged document would hide the damage */
	forest_put(&f, "c/zarr.json", "{");
	assert_int_equal(zinc_consolidate(f.h, "/", 0, NULL, &err), ZINC_E_CORRUPT);
	assert_string_equal(err.key, "c/zarr.json");
	assert_null(strstr(forest_get(&f, "zarr.json"), "consolidated"));
	forest_close(&f);
}

static int
keep_copy(void *arg, const char *below, const zinc_json *copy)
{
	assert_true(zinc_json_is(copy, ZINC_JSON_OBJECT));
	snprintf(arg, 32, "%s", below);
	return 1;
}

/* What validators get: the copies, by their paths below the group. */
static void
test_copies(void **state)
{
	static const char with[] = COPIES("\"/a/b\": " GROUP ", \"c\": " GROUP), without[] = GROUP;
	zinc_hierarchy h = {.format = &zinc_format_v3};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_meta *m = NULL;
	char path[32] = "";
	bool has;
	zinc_report r;

	(void)state;
	zinc_report_init(&r, zinc_context_get(NULL), true, "");
	assert_ok(zinc_text_parse(&zinc_format_v3, r.ctx, with, sizeof with - 1, &r, &m, &err));
	assert_int_equal(zinc_copies_each(&h, "/", m, &has, keep_copy, path, NULL), ZINC_OK);
	assert_true(has);
	assert_string_equal(path, "a/b");
	zinc_meta_free(m);
	assert_ok(zinc_text_parse(&zinc_format_v3, r.ctx, without, sizeof without - 1, &r, &m, &err));
	assert_int_equal(zinc_copies_each(&h, "/", m, &has, keep_copy, path, NULL), ZINC_OK);
	assert_false(has);
	zinc_meta_free(m);
}

/* ---- (1) something moves meanwhile ---- */

struct meddler {
	forest *f;
	int times, n;
};

/* After each change of the root's document another process adds a node. */
static void
meddle(void *arg, const char *operation, const char *key, uint64_t nbytes, zinc_status st)
{
	struct meddler *m = arg;
	char name[32];

	(void)nbytes, (void)st;
	if (m->times == 0 || strcmp(operation, "get") == 0 || strcmp(key, "zarr.json") != 0)
		return;
	m->times--;
	snprintf(name, sizeof name, "n%d/zarr.json", m->n++);
	forest_put(m->f, name, GROUP);
}

static void
test_moving(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_hierarchy *h = NULL;
	zinc_store *log = NULL;
	struct meddler m;
	forest f;

	(void)state;
	forest_open(&f, "", ZINC_LENIENT);
	plant(&f);
	m = (struct meddler){.f = &f};
	assert_ok(zinc_store_log(&log, f.memory, meddle, &m, &err));
	assert_ok(zinc_hierarchy_open(&h, log, "", NULL, &err));
	m.times = 1; /* once: the second attempt has it */
	assert_ok(zinc_consolidate(h, "/", 0, NULL, &err));
	assert_int_equal(m.times, 0);
	assert_non_null(strstr(forest_get(&f, "zarr.json"), "\"n0\""));
	m.times = 1000; /* always: none is left, rather than a stale one */
	assert_int_equal(zinc_consolidate(h, "/", 0, NULL, &err), ZINC_E_CONFLICT);
	assert_null(strstr(forest_get(&f, "zarr.json"), "consolidated"));
	zinc_hierarchy_close(h);
	zinc_store_close(log);
	forest_close(&f);
}

/* ---- writers and consolidators of several processes ---- */

enum { WRITERS = 4, NODES = 15 };

static void
in_child(void (*fn)(zinc_hierarchy *h, int who), const char *url, int who, pid_t *pid)
{
	zinc_hierarchy *h = NULL;

	*pid = fork();
	assert_true(*pid >= 0);
	if (*pid > 0)
		return;
	if (zinc_hierarchy_open_url(&h, url, ZINC_OPEN_OPTIONS(.relaxed = 1), NULL) != ZINC_OK)
		_exit(1);
	fn(h, who);
	zinc_hierarchy_close(h);
	_exit(0);
}

static void
write_nodes(zinc_hierarchy *h, int who)
{
	char path[32];
	int i;

	for (i = 0; i < NODES; i++) {
		snprintf(path, sizeof path, "/w%d-%d", who, i);
		if (zinc_group_create(h, path, NULL, 0, NULL, NULL) != ZINC_OK)
			_exit(2);
		if (i % 3 == 0 && zinc_node_erase(h, path, NULL, NULL) != ZINC_OK)
			_exit(3);
	}
}

static void
consolidate_often(zinc_hierarchy *h, int who)
{
	int i;

	(void)who;
	for (i = 0; i < NODES; i++) {
		const zinc_status st = zinc_consolidate(h, "/", 0, NULL, NULL);

		if (st != ZINC_OK && st != ZINC_E_CONFLICT)
			_exit(4);
	}
}

static int
add_path(void *arg, const zinc_node *node)
{
	char *text = arg;
	const size_t n = strlen(text);

	snprintf(text + n, 8192 - n, "%s ", node->path);
	return 0;
}

/* Remaining consolidated metadata is always current. */
static void
test_processes(void **state)
{
	static char before[8192], after[8192];
	zinc_error err = ZINC_ERROR_INIT;
	zinc_hierarchy *h = NULL;
	pid_t pids[WRITERS + 2];
	int i, status;

	(void)state;
	assert_ok(zinc_group_create_url("stress.zarr", NULL, 0, NULL, &err));
	for (i = 0; i < WRITERS + 2; i++)
		in_child(i < WRITERS ? write_nodes : consolidate_often, "stress.zarr", i, &pids[i]);
	for (i = 0; i < WRITERS + 2; i++) {
		assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
		assert_int_equal(status, 0);
	}
	assert_ok(zinc_hierarchy_open_url(&h, "stress.zarr", NULL, &err));
	assert_ok(zinc_node_walk(h, "/", -1, add_path, before, NULL, &err));
	assert_ok(zinc_consolidate(h, "/", 1, NULL, &err));
	assert_ok(zinc_node_walk(h, "/", -1, add_path, after, NULL, &err));
	assert_string_equal(before, after);
	zinc_hierarchy_close(h);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_consolidate),     cmocka_unit_test(test_too_long),
	    cmocka_unit_test(test_too_many_values), cmocka_unit_test(test_drop_large),
	    cmocka_unit_test(test_refused),         cmocka_unit_test(test_copies),
	    cmocka_unit_test(test_moving),          cmocka_unit_test(test_processes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
