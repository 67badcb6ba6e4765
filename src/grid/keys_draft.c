/*
 * keys_draft.c - chunk keys "c1/23/45" as the drafts of version 3 have them
 *
 * The drafts name no encoding, so this is no row of the table: documents of the final version cannot ask for it.
 * Behind the "c" stands what version 2 has, whose operations are `self`.  Without dimensions: "c".
 */
#include "grid/rows.h"

static zinc_status
draft_encode(const zinc_keys *k, const uint64_t *index, int ndim, zinc_buf *out, zinc_error *err)
{
	const zinc_keys_ops *v2 = k->self;

	ZINC_TRY(zinc_buf_puts(out, "c", err));
	return ndim > 0 ? v2->encode(k, index, ndim, out, err) : ZINC_OK;
}

static bool
draft_decode(const zinc_keys *k, const char *key, int ndim, uint64_t *index)
{
	const zinc_keys_ops *v2 = k->self;

	if (key[0] != 'c')
		return false;
	return ndim > 0 ? v2->decode(k, key + 1, ndim, index) : key[1] == '\0';
}

static zinc_json *
draft_print(const zinc_keys *k, zinc_json_doc *doc)
{
	const zinc_keys_ops *v2 = k->self;

	return v2->print(k, doc);
}

/* What is the default there is the default elsewhere, too, however it is spelled. */
const zinc_keys_ops zinc_keys_ops_draft = {
    .name = "default", .purpose = "c1/23/45", .print = draft_print, .encode = draft_encode, .decode = draft_decode};

zinc_status
zinc_keys_init_draft(zinc_keys *out, zinc_context *ctx, char separator, zinc_error *err)
{
	ZINC_TRY(zinc_keys_parse_text(out, ctx, "v2", err));
	out->separator = separator;
	out->self = (void *)(uintptr_t)out->ops;
	out->ops = &zinc_keys_ops_draft;
	return ZINC_OK;
}
