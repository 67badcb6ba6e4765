/*
 * keys_default.c - chunk keys "c/1/23/45" (v3 core, "Default chunk key encoding"; M43-M45, M48)
 *
 * With the separator ".": "c.1.23.45".  Without dimensions: "c".
 */
#include "grid/rows.h"

static zinc_status
default_parse(zinc_keys *k, const zinc_json *configuration, zinc_report *r, zinc_error *err)
{
	k->separator = '/';
	return zinc_keys_parse_separator(k, configuration, r, err);
}

static zinc_status
default_encode(const zinc_keys *k, const uint64_t *index, int ndim, zinc_buf *out, zinc_error *err)
{
	char text[ZINC_KEYS_MAX], *end = text;

	*end++ = 'c';
	if (ndim > 0)
		*end++ = k->separator;
	end = zinc_keys_join(k, index, ndim, end);
	return zinc_buf_add(out, text, (size_t)(end - text), err);
}

static bool
default_decode(const zinc_keys *k, const char *key, int ndim, uint64_t *index)
{
	if (key[0] != 'c')
		return false;
	if (ndim == 0)
		return key[1] == '\0';
	return key[1] == k->separator && zinc_keys_cut(k, key + 2, ndim, index);
}

const zinc_keys_ops zinc_keys_ops_default = {
    .name = "default",
    .purpose = "c/1/23/45, or c.1.23.45",
    .parse = default_parse,
    .print = zinc_keys_print_separator,
    .encode = default_encode,
    .decode = default_decode,
};
