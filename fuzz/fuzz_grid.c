/*
 * fuzz_grid.c - the member `chunk_grid` of a document, and where its chunks are
 *
 * Input: one byte for the rank, per dimension one byte each for its length, its length after a resize and what new chunks
 * are multiples of, then the JSON text.  What is printed must parse without a finding and print the same.  Chunks must be
 * found where they are, one after the other, also after a resize.
 */
#include <string.h>

#include "fuzz.h"
#include "grid/grid.h"

enum { MOST_DIMS = 5 };

/* A byte as a length: small values unchanged, then powers of two up to the maximum. */
static uint64_t
widen(uint8_t b)
{
	return b < 192 ? b : b == 255 ? UINT64_MAX : (uint64_t)1 << (b - 191);
}

/* Element i is in the chunk that is found, and the chunk's ends are, too. */
static void
check_element(const zinc_grid *g, int d, uint64_t i, uint64_t length)
{
	const uint64_t chunk = zinc_grid_chunk_of(g, d, i), count = zinc_grid_count(g, d, length);
	uint64_t start, extent, next, after;

	insist(chunk < count);
	zinc_grid_span(g, d, chunk, &start, &extent);
	insist(extent > 0 && start <= i && i - start < extent);
	insist(extent <= zinc_grid_widest(g, d));
	insist(zinc_grid_chunk_of(g, d, start) == chunk);
	if (chunk + 1 == count)
		return;
	zinc_grid_span(g, d, chunk + 1, &next, &after);
	insist(next == start + extent);
	insist(zinc_grid_chunk_of(g, d, next) == chunk + 1);
	insist(zinc_grid_count(g, d, next) == chunk + 1);
}

static void
check_chunks(const zinc_grid *g, const uint64_t *shape)
{
	uint64_t start, extent;
	int d, k;

	for (d = 0; d < g->ndim; d++) {
		insist(zinc_grid_widest(g, d) > 0);
		insist(zinc_grid_divides(g, d, 1));
		insist(zinc_grid_count(g, d, 0) == 0);
		insist((zinc_grid_count(g, d, shape[d]) == 0) == (shape[d] == 0));
		if (shape[d] == 0)
			continue;
		zinc_grid_span(g, d, 0, &start, &extent);
		insist(start == 0);
		for (k = 0; k < 64; k++) {
			check_element(g, d, (shape[d] - 1) >> k, shape[d]);
			check_element(g, d, shape[d] - 1 - ((shape[d] - 1) >> k), shape[d]);
		}
	}
}

static zinc_status
parse(zinc_grid **out, const zinc_json *v, int ndim, const uint64_t *shape, bool strict)
{
	zinc_report r;

	zinc_report_init(&r, NULL, strict, "");
	return zinc_grid_parse(out, NULL, v, ndim, shape, &r, NULL);
}

/* Printed, parsed again and printed again. */
static void
check_print(const zinc_grid *g, const uint64_t *shape)
{
	zinc_json_doc *doc = NULL;
	zinc_grid *again = NULL;
	zinc_json *v;

	if (zinc_json_new(&doc, NULL, NULL) != ZINC_OK)
		return;
	v = zinc_grid_print(g, doc);
	insist(v != NULL);
	insist(parse(&again, v, g->ndim, shape, true) == ZINC_OK);
	insist(zinc_json_equal(v, zinc_grid_print(again, doc)));
	zinc_grid_free(again);
	zinc_json_free(doc);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t shape[MOST_DIMS], after[MOST_DIMS], unit[MOST_DIMS];
	zinc_json_doc *doc;
	zinc_grid *g;
	bool changed;
	int ndim, d;

	if (size == 0)
		return 0;
	ndim = data[0] % (MOST_DIMS + 1);
	if (size < 1 + 3 * (size_t)ndim)
		return 0;
	for (d = 0; d < ndim; d++) {
		shape[d] = widen(data[1 + 3 * d]);
		after[d] = widen(data[2 + 3 * d]);
		unit[d] = zinc_max_u64(1, widen(data[3 + 3 * d]));
	}
	data += 1 + 3 * ndim;
	size -= 1 + 3 * (size_t)ndim;
	if (zinc_json_parse(&doc, NULL, (const char *)data, size, ZINC_JSON_DUPLICATES, NULL) != ZINC_OK)
		return 0;
	if (parse(&g, zinc_json_root(doc), ndim, shape, false) == ZINC_OK) {
		check_chunks(g, shape);
		check_print(g, shape);
		if (zinc_grid_fit(g, shape, after, unit, &changed, NULL) == ZINC_OK && changed)
			check_print(g, after);
		zinc_grid_free(g);
	}
	zinc_json_free(doc);
	return 0;
}
