/*
 * tools.c - checking, copying, comparing, statistics, and the cost of a read
 */
#include "every_call.h"

static zinc_array *
make(zinc_hierarchy *h)
{
	static const uint64_t shape[] = {8}, chunks[] = {2};
	zinc_array_options options = ZINC_ARRAY_OPTIONS_INIT;
	int16_t numbers[8] = {1, 2, 3, 4, 5, 6, 7, -8};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_array *a = NULL;

	options.ndim = 1;
	options.shape = shape;
	options.chunks = chunks;
	options.dtype = "int16";
	options.codecs = "crc32c";
	OK(zinc_array_create(&a, h, "/a", &options, &err));
	OK(zinc_array_write_text(a, NULL, ZINC_BUFFER(numbers, sizeof numbers), NULL, &err));
	return a;
}

static int
count_chunk(void *arg, const zinc_chunk *chunk)
{
	CHECK(chunk->ndim == 1 && chunk->present);
	++*(int *)arg;
	return 0;
}

static int
see_usage(void *arg, const zinc_usage *usage)
{
	CHECK(usage->bytes >= usage->chunk_bytes && usage->foreign == 0);
	*(uint64_t *)arg += usage->chunks;
	return 0;
}

static void
look(zinc_array *a)
{
	uint64_t counted = 0;
	zinc_stats_options options = ZINC_STATS_OPTIONS_INIT;
	zinc_explanation plan = ZINC_EXPLANATION_INIT;
	zinc_stored stored = ZINC_STORED_INIT;
	zinc_stats stats = ZINC_STATS_INIT;
	zinc_error err = ZINC_ERROR_INIT;
	zinc_selection *part = NULL;
	int chunks = 0;

	OK(zinc_array_stored(a, &stored, NULL, &err));
	CHECK(stored.objects == 4 && stored.objects_total == 4 && stored.bytes == 4 * 8 && stored.largest == 8);
	OK(zinc_node_usage(zinc_array_hierarchy(a), "/a", NULL, see_usage, &counted, &err));
	CHECK(counted == 4);
	OK(zinc_array_stats(a, NULL, &options, &stats, &err));
	CHECK(stats.of == ZINC_STATS_VALUES && stats.elements == 8 && stats.min.i == -8 && stats.max.i == 7);
	TEXT_IS(stats.sum, "20");
	OK(zinc_selection_parse(&part, a, "1:4", &err));
	OK(zinc_array_explain(a, part, NULL, count_chunk, &chunks, &plan, &err));
	CHECK(chunks == 2 && plan.chunks == 2 && plan.objects_present == 2 && plan.selected_bytes == 6);
	zinc_selection_free(part);
}

/* ---- decoding ---- */

static void
decode(zinc_hierarchy *h)
{
	static const uint64_t shape[] = {2};
	zinc_array_options options = ZINC_ARRAY_OPTIONS_INIT;
	zinc_cf_about about = ZINC_CF_ABOUT_INIT;
	zinc_error err = ZINC_ERROR_INIT;
	const int32_t days[2] = {0, 59};
	int64_t decoded[2] = {0, 0};
	zinc_array *a = NULL;
	zinc_cf *cf = NULL;
	char text[64];

	options.ndim = 1;
	options.shape = shape;
	options.dtype = "int32";
	options.attributes = "{\"units\": \"days since 2000-01-01\", \"calendar\": \"noleap\"}";
	OK(zinc_array_create(&a, h, "/time", &options, &err));
	OK(zinc_cf_open(&cf, a, &err));
	zinc_array_close(a);
	OK(zinc_cf_describe(cf, &about, &err));
	CHECK(about.kind == ZINC_CF_DATE && about.type == ZINC_INT64);
	TEXT_IS(about.calendar, "noleap");
	OK(zinc_cf_decode(cf, days, 2, decoded, &err));
	OK(zinc_cf_print(cf, &decoded[1], text, &err));
	TEXT_IS(text, "2000-03-01T00:00:00");
	zinc_cf_close(cf);
	OK(zinc_node_erase(h, "/time", NULL, &err));
}

/* ---- copying ---- */

/* Patterns, options of single arrays, and parts. */
static void
copy_some(const char *url)
{
	static const char *const include[] = {"a", "sa*"}, *const exclude[] = {"same"};
	static const zinc_copy_choice choices[] = {{"a", "codecs", "none"}};
	zinc_copy_options options = ZINC_COPY_OPTIONS_INIT;
	zinc_copy_counts counts = ZINC_COPY_COUNTS_INIT;
	zinc_error err = ZINC_ERROR_INIT;
	char to[4300];

	snprintf(to, sizeof to, "%s-some", url);
	options.include = include;
	options.ninclude = 2;
	options.exclude = exclude;
	options.nexclude = 1;
	options.choices = choices;
	options.nchoices = 1;
	options.nparts = 2;
	options.part = 3;
	GIVES(ZINC_E_INVALID, zinc_copy_url(url, to, &options, &counts, &err));
	for (options.part = 1; options.part <= 2; options.part++) {
		OK(zinc_copy_url(url, to, &options, &counts, &err));
		CHECK(counts.arrays == 1 && counts.parts_left == (uint64_t)(2 - options.part));
	}
}

static void
copy(zinc_hierarchy *h, const char *url)
{
	zinc_copy_options options = ZINC_COPY_OPTIONS_INIT;
	zinc_copy_counts counts = ZINC_COPY_COUNTS_INIT;
	zinc_node_kind kind = ZINC_NODE_ARRAY;
	zinc_error err = ZINC_ERROR_INIT;
	char to[4300];

	OK(zinc_node_copy(h, "/a", h, "/same", NULL, &err));
	GIVES(ZINC_E_EXISTS, zinc_node_copy(h, "/a", h, "/same", NULL, &err));
	options.verify = 1;
	options.dtype = "int32";
	OK(zinc_copy(h, "/a", h, "/wide", &options, &counts, &err));
	CHECK(counts.arrays == 1 && counts.objects == 4 && counts.raw == 0);
	OK(zinc_move(h, "/wide", "/moved", NULL, &err));
	OK(zinc_node_exists(h, "/wide", &kind, NULL, &err));
	CHECK(kind == ZINC_NODE_NONE);
	snprintf(to, sizeof to, "%s-v2", url);
	options.dtype = NULL;
	options.format = "v2";
	OK(zinc_copy_url(url, to, &options, &counts, &err));
	CHECK(counts.arrays == 3 && counts.lost == 0);
	copy_some(url);
}

/* ---- comparing ---- */

static int
count_difference(void *arg, const zinc_difference *d)
{
	CHECK(d->kind == ZINC_DIFFERS_META);
	TEXT_IS(d->what, "data_type");
	++*(int *)arg;
	return 0;
}

static void
compare(zinc_hierarchy *h, const char *url)
{
	zinc_diff_options options = ZINC_DIFF_OPTIONS_INIT;
	zinc_diff_counts counts = ZINC_DIFF_COUNTS_INIT;
	zinc_error err = ZINC_ERROR_INIT;
	zinc_hierarchy *v2 = NULL;
	int differences = 0;
	char to[4300];

	snprintf(to, sizeof to, "%s-v2", url);
	OK(zinc_hierarchy_open_url(&v2, to, NULL, &err));
	OK(zinc_diff(h, "/", v2, "/", &options, count_difference, &differences, &counts, &err));
	CHECK(differences == 0 && counts.differences == 0 && counts.elements == 24 && counts.different == 0);
	OK(zinc_diff(h, "/a", h, "/moved", &options, count_difference, &differences, &counts, &err));
	CHECK(differences == 1 && counts.elements == 8);
	zinc_hierarchy_close(v2);
}

/* ---- validating ---- */

static int
count_finding(void *arg, const zinc_finding *finding)
{
	TEXT_IS(finding->rule, "M84"); /* the checksum */
	++*(int *)arg;
	return 0;
}

static void
validate(zinc_array *a, const char *url)
{
	static const uint64_t first[] = {0};
	zinc_validate_options options = ZINC_VALIDATE_OPTIONS_INIT;
	zinc_validate_counts counts = ZINC_VALIDATE_COUNTS_INIT;
	zinc_error err = ZINC_ERROR_INIT;
	int findings = 0;

	OK(zinc_validate(url, &options, count_finding, &findings, &counts, &err));
	CHECK(findings == 0 && counts.arrays == 3 && counts.objects == 12 && counts.unchecked == 0);
	OK(zinc_array_chunk_put(a, first, "garbage!", 8, NULL, &err));
	OK(zinc_validate(url, &options, count_finding, &findings, &counts, &err));
	CHECK(findings == 1 && counts.errors == 1);
}

void
call_tools(const char *url)
{
	zinc_open_options open = ZINC_OPEN_OPTIONS_INIT;
	zinc_error err = ZINC_ERROR_INIT;
	zinc_hierarchy *h = NULL;
	zinc_array *a;
	char at[4200];

	snprintf(at, sizeof at, "%s/tools.zarr", url);
	open.create = 1;
	OK(zinc_hierarchy_open_url(&h, at, &open, &err));
	decode(h);
	a = make(h);
	look(a);
	copy(h, at);
	compare(h, at);
	validate(a, at);
	zinc_array_close(a);
	zinc_hierarchy_close(h);
}
