/*
 * keys_v2.c - chunk keys "1.23.45" as Zarr v2 has them (v3 core, "v2 chunk key encoding"; M46-M48)
 *
 * With the separator "/": "1/23/45".  Without dimensions: "0".
 */
#include "grid/rows.h"

static zinc_status
v2_parse(zinc_keys *k, const zinc_json *configuration, zinc_report *r, zinc_error *err)
{
	k->separator = '.';
	return zinc_keys_parse_separator(k, configuration, r, err);
}

static zinc_status
v2_encode(const zinc_keys *k, const uint64_t *index, int ndim, zinc_buf *out, zinc_error *err)
{
	static const uint64_t zero = 0;
	char text[ZINC_KEYS_MAX], *end;

	end = ndim > 0 ? zinc_keys_join(k, index, ndim, text) : zinc_keys_join(k, &zero, 1, text);
	return zinc_buf_add(out, text, (size_t)(end - text), err);
}

static bool
v2_decode(const zinc_keys *k, const char *key, int ndim, uint64_t *index)
{
	if (ndim == 0)
		return strcmp(key, "0") == 0;
	return zinc_keys_cut(k, key, ndim, index);
}

const zinc_keys_ops zinc_keys_ops_v2 = {
    .name = "v2",
    .purpose = "1.23.45, or 1/23/45; for arrays that come from Zarr v2",
    .parse = v2_parse,
    .print = zinc_keys_print_separator,
    .encode = v2_encode,
    .decode = v2_decode,
};
