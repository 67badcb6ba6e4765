/*
 * keys_v2.c - chunk keys "1.23.45" as Zarr v2 has them (v3 core, "v2 chunk key encoding"; M46-M48)
 *
 * With the separator "/": "1/23/45".  Without dimensions: "0".
 */
#include "grid/rows.h"

static zinc_status
v2_parse(zinc_keys *k, const zinc_json *configuration, zinc_report *r, zinc_error *err)
{
	return zinc_keys_parse_separator(k, '.', configuration, r, err);
}

static size_t
v2_encode(void *self, const uint64_t *index, int ndim, char *out, size_t room)
{
	static const uint64_t zero = 0;
	const char separator = zinc_keys_separator(self);
	char text[ZINC_KEYS_MAX], *end;

	end = ndim > 0 ? zinc_keys_join(separator, index, ndim, text) : zinc_keys_join(separator, &zero, 1, text);
	return zinc_keys_copy_out(text, end, out, room);
}

static int
v2_decode(void *self, const char *key, int ndim, uint64_t *index)
{
	if (ndim == 0)
		return strcmp(key, "0") == 0;
	return zinc_keys_cut(zinc_keys_separator(self), key, ndim, index);
}

const zinc_keys_ops zinc_keys_ops_v2 = {
    .name = "v2",
    .purpose = "1.23.45, or 1/23/45; for arrays that come from Zarr v2",
    .parse = v2_parse,
    .print = zinc_keys_print_separator,
    .encode = v2_encode,
    .decode = v2_decode,
};
