/*
 * keys_n5.c - keys of N5 blocks: the indices from the last axis to the first
 *
 *     chunk (0, 2, 5) of the array as Zinc shows it: "5/2/0"
 *
 * Without dimensions: "0", as zarr-python 2 has it.  N5 counts its dimensions the other way round, and so its indices.
 * The format n5 selects it; documents of the final version cannot.
 */
#include "grid/rows.h"

static void
reverse(const uint64_t *in, int n, uint64_t *out)
{
	int d;

	for (d = 0; d < n; d++)
		out[d] = in[n - 1 - d];
}

static size_t
n5_encode(void *self, const uint64_t *index, int ndim, char *out, size_t room)
{
	uint64_t reversed[ZINC_MAX_NDIM] = {0};
	char text[ZINC_KEYS_MAX];

	reverse(index, ndim, reversed);
	ndim += ndim == 0;
	return zinc_keys_copy_out(text, zinc_keys_join(zinc_keys_separator(self), reversed, ndim, text), out, room);
}

static int
n5_decode(void *self, const char *key, int ndim, uint64_t *index)
{
	uint64_t reversed[ZINC_MAX_NDIM];

	if (ndim == 0)
		return strcmp(key, "0") == 0;
	if (!zinc_keys_cut(zinc_keys_separator(self), key, ndim, reversed))
		return 0;
	reverse(reversed, ndim, index);
	return 1;
}

/* The name is "default", so that a copy turns these keys into the default of another format. */
static const zinc_keys_ops ops = {.name = "default",
				  .purpose = "5/2/0, the last axis first",
				  .print = zinc_keys_print_separator,
				  .encode = n5_encode,
				  .decode = n5_decode};

void
zinc_keys_init_n5(zinc_keys *out, zinc_context *ctx)
{
	*out = (zinc_keys){.ops = &ops, .ctx = ctx};
	zinc_keys_separate(out, '/');
}
