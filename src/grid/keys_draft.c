/*
 * keys_draft.c - chunk keys "c1/23/45" as the drafts of version 3 have them
 *
 * The drafts do not name encodings, so this one is not in the table: documents of the final version cannot select it.
 * Without dimensions: "c".
 */
#include "grid/rows.h"

static size_t
draft_encode(void *self, const uint64_t *index, int ndim, char *out, size_t room)
{
	char text[ZINC_KEYS_MAX];

	text[0] = 'c';
	return zinc_keys_copy_out(text, zinc_keys_join(zinc_keys_separator(self), index, ndim, text + 1), out, room);
}

static int
draft_decode(void *self, const char *key, int ndim, uint64_t *index)
{
	return key[0] == 'c' && zinc_keys_cut(zinc_keys_separator(self), key + 1, ndim, index);
}

/* The name is "default", so that a copy turns the drafts' default into the default of another format, whose keys
 * differ. */
const zinc_keys_ops zinc_keys_ops_draft = {.name = "default",
					   .purpose = "c1/23/45",
					   .print = zinc_keys_print_separator,
					   .encode = draft_encode,
					   .decode = draft_decode};

void
zinc_keys_init_draft(zinc_keys *out, zinc_context *ctx, char separator)
{
	*out = (zinc_keys){.ops = &zinc_keys_ops_draft, .ctx = ctx};
	zinc_keys_separate(out, separator);
}
