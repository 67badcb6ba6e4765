/*
 * test_detect.c - no format accepts a hierarchy of another format
 *
 * Numbers in brackets are the promises of detect.c.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "format/known.h"
#include "nodes.h"
#include "test.h"

static const struct {
	const char *place, *format;
} hierarchies[] = {
    {"tests/golden/v3-2019/tree", "v3-2019"},
    {"tests/golden/v3-2019/root", "v3-2019"},
    {"tests/golden/v3-2020/tree", "v3-2020"},
    {"tests/golden/v3-2020/root", "v3-2020"},
    {"tests/golden/v3-2022/tree", "v3-2022"},
    {"tests/golden/v3-2022/root", "v3-2022"},
    {"../shared/fixtures/draft2020-zarrita.zr3", "v3-2020"},
    {"../shared/fixtures/draft2020-gdal-3.6.zarr", "v3-2020"},
    {"../shared/fixtures/draft2020-zarr-python-2.13.zr3", "v3-2020"},
    {"../shared/fixtures/zarrita-v2.zarr", "v2"},
};

/* Each hierarchy, by every format and by none. */
static void
test_all_by_all(void **state)
{
	const zinc_format *row;
	zinc_hierarchy *h;
	char url[512];
	size_t i, f, seen = 0;

	(void)state;
	for (i = 0; i < COUNT(hierarchies); i++) {
		snprintf(url, sizeof url, ZINC_TEST_SOURCE_DIR "/%s", hierarchies[i].place);
		if (access(url, F_OK) != 0) {
			print_message("skipped: %s is not there\n", hierarchies[i].place);
			continue;
		}
		seen++;
		h = NULL;
		assert_int_equal(zinc_hierarchy_open_url(&h, url, NULL, NULL), ZINC_OK);
		assert_string_equal(zinc_hierarchy_format(h), hierarchies[i].format);
		zinc_hierarchy_close(h);
		for (f = 0; (row = zinc_format_row(f)); f++) {
			const bool own = strcmp(row->id, hierarchies[i].format) == 0;
			const zinc_status s =
			    zinc_hierarchy_open_url(&h, url, ZINC_OPEN_OPTIONS(.format = row->id), NULL);

			if ((s == ZINC_OK) != own)
				fail_msg("%s as %s: %s", url, row->id, zinc_status_name(s));
			if (s == ZINC_OK)
				zinc_hierarchy_close(h);
		}
	}
	assert_true(seen >= 6);
}

/* (1): one get of zarr.json, for all formats that use it. */
static void
test_gets(void **state)
{
	static const char *const entries[] = {GROUP,
					      "{\"zarr_format\": \"https://purl.org/zarr/spec/protocol/core/3.0\"}",
					      "{\"zarr_format\": \"https://purl.org/zarr/spec/core/3.0\"}",
					      "{\"zarr_format\": \"http://purl.org/zarr/spec/protocol/core/3.0\"}"};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_node_kind kind;
	size_t i;
	forest f;

	(void)state;
	forest_open(&f, "", ZINC_LENIENT);
	for (i = 0; i < COUNT(entries); i++) {
		zinc_known *known = zinc_known_new(f.h->ctx);
		const zinc_format *format = NULL;
		zinc_json_doc *entry = NULL;
		char *key = (char *)"x/zarr.json";
		zinc_fetched doc;

		forest_put(&f, key, entries[i]);
		forest_counts(&f);
		assert_ok(zinc_format_detect(f.h->store, "x/", NULL, &format, &kind, &entry, known, NULL, &err));
		assert_non_null(format);
		assert_int_equal(entry != NULL, format->enter != NULL);
		assert_ok(zinc_known_fetch(known, f.h->store, &key, 1, &doc, NULL, &err));
		assert_int_equal(forest_counts(&f).get_requests, 1);
		assert_string_equal(doc.text, entries[i]);
		assert_int_equal(doc.parsed != NULL, format->enter == NULL); /* an entry point went to the caller */
		zinc_fetched_fini(f.h->ctx, &doc, 1);
		zinc_json_free(entry);
		zinc_known_free(known);
	}
	forest_close(&f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_all_by_all), cmocka_unit_test(test_gets)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
