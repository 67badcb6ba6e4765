/*
 * keys_default.c - chunk keys "c/1/23/45" (v3 core, "Default chunk key encoding"; M43-M45, M48)
 *
 * With the separator ".": "c.1.23.45".  Without dimensions: "c".
 */
#include "grid/rows.h"

static zinc_status
default_parse(zinc_keys *k, const zinc_json *configuration, zinc_report *r, zinc_error *err)
{
	return zinc_keys_parse_separator(k, '/', configuration, r, err);
}

static size_t
default_encode(void *self, const uint64_t *index, int ndim, char *out, size_t room)
{
	char text[ZINC_KEYS_MAX], *end = text;

	*end++ = 'c';
	if (ndim > 0)
		*end++ = zinc_keys_separator(self);
	end = zinc_keys_join(zinc_keys_separator(self), index, ndim, end);
	return zinc_keys_copy_out(text, end, out, room);
}

static int
default_decode(void *self, const char *key, int ndim, uint64_t *index)
{
	const char separator = zinc_keys_separator(self);

	if (key[0] != 'c')
		return 0;
	if (ndim == 0)
		return key[1] == '\0';
	return key[1] == separator && zinc_keys_cut(separator, key + 2, ndim, index);
}

const zinc_keys_ops zinc_keys_ops_default = {
    .name = "default",
    .purpose = "c/1/23/45, or c.1.23.45",
    .parse = default_parse,
    .print = zinc_keys_print_separator,
    .encode = default_encode,
    .decode = default_decode,
};
