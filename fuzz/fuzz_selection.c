/*
 * fuzz_selection.c - texts of selections, checked and cut at chunk boundaries
 *
 * Dimensions have the names a, b, "c d" ...; values are resolved by a function here.
 *
 * Input: one byte for the rank, per dimension one byte each for length and chunk, then the text.  An
 * accepted selection must be inside the array, and its segments must cover it exactly.
 */
#include <stdlib.h>
#include <string.h>

#include "grid/grid.h"

#define MUST(condition)                                                                                                \
	do {                                                                                                           \
		if (!(condition))                                                                                      \
			abort();                                                                                       \
	} while (0)

enum { MOST_DIMS = 5 };

/* A value selects the element that its length says, or a list. */
static zinc_status
value_of(void *arg, int dim, const char *text, bool quoted, zinc_select_dim *out, zinc_error *err)
{
	const uint64_t length = ((const uint64_t *)arg)[dim], n = strlen(text);
	uint64_t *list;

	if (n >= length)
		return zinc_fail(err, ZINC_E_RANGE, "no such value");
	*out = (zinc_select_dim){.start = n, .count = 1, .step = 1, .drop = 1};
	if (quoted && (list = zinc_alloc(NULL, sizeof *list))) {
		*list = n;
		*out = (zinc_select_dim){.step = 1, .list = list, .nlist = 1};
	}
	return ZINC_OK;
}

/* A byte as a length: small values unchanged, then powers of two up to the maximum. */
static uint64_t
widen(uint8_t b)
{
	return b < 192 ? b : b == 255 ? UINT64_MAX : (uint64_t)1 << (b - 191);
}

static void
check_segment(const zinc_segment *s, const zinc_sel_dim *sel, uint64_t i)
{
	const uint64_t in = s->in_list ? s->in_list[i] : s->first + i * s->step;
	const uint64_t out = s->out_list ? s->out_list[i] : s->out + i;

	MUST(in < s->extent);
	MUST(out < sel->count);
	MUST(s->start + in == (sel->list ? sel->list[out] : sel->start + out * sel->step));
}

static void
check_split(const zinc_grid *g, int dim, const zinc_sel_dim *sel)
{
	const uint64_t per_chunk = zinc_max_u64(1, g->step[dim] / zinc_max_u64(1, sel->step));
	uint64_t n = 0;
	zinc_split s;
	size_t i;

	if (!sel->list && sel->count / per_chunk > 100000)
		return; /* as many segments: slow, without new coverage */
	if (zinc_split_init(&s, NULL, g, dim, sel, NULL) != ZINC_OK)
		return;
	for (i = 0; i < s.n; i++) {
		MUST(s.segments[i].count > 0);
		MUST(i == 0 || s.segments[i].chunk > s.segments[i - 1].chunk);
		check_segment(&s.segments[i], sel, 0);
		check_segment(&s.segments[i], sel, s.segments[i].count / 2);
		check_segment(&s.segments[i], sel, s.segments[i].count - 1);
		n += s.segments[i].count;
	}
	MUST(n == sel->count);
	zinc_split_fini(&s);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const names[MOST_DIMS] = {"a", "b", "c d", NULL, "a"};
	uint64_t shape[MOST_DIMS], chunk[MOST_DIMS], used;
	zinc_sel_axes axes;
	zinc_error err = ZINC_ERROR_INIT;
	zinc_selection *selection;
	zinc_grid g;
	zinc_sel sel;
	char *text;
	int ndim, d;

	if (size == 0)
		return 0;
	ndim = data[0] % (MOST_DIMS + 1);
	if (size < 1 + 2 * (size_t)ndim)
		return 0;
	for (d = 0; d < ndim; d++) {
		shape[d] = widen(data[1 + 2 * d]);
		chunk[d] = widen(data[2 + 2 * d]);
		chunk[d] = chunk[d] ? chunk[d] : 1;
	}
	data += 1 + 2 * ndim;
	size -= 1 + 2 * (size_t)ndim;
	text = malloc(size + 1);
	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	zinc_grid_regular_init(&g, ndim, chunk);
	axes = (zinc_sel_axes){
	    .ndim = ndim, .shape = shape, .names = names, .lenient = size % 2 != 0, .used = &used, .value = value_of};
	axes.arg = shape;
	if (zinc_sel_parse_axes(&selection, NULL, text, &axes, &err) == ZINC_OK) {
		const zinc_status st = zinc_sel_init(&sel, NULL, selection, &g, ndim, shape, &err);

		MUST(st == ZINC_OK || (st == ZINC_E_LIMIT && strstr(err.text, "2^64")));
		for (d = 0; d < ndim && st == ZINC_OK; d++)
			check_split(&g, d, &sel.dim[d]);
		zinc_sel_fini(&sel);
		zinc_selection_free(selection);
	} else {
		MUST(err.code == ZINC_E_INVALID || err.code == ZINC_E_RANGE);
	}
	free(text);
	return 0;
}
