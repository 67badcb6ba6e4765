/*
 * fuzz_setting.c - any bytes as the query of a URL
 *
 * (1) A setting for the store matches one of its rows: a count has only digits, a text no control characters.
 * (2) The query for the server is a part of the original query, byte for byte.
 */
#include <stdlib.h>

#include "store/store_setting.h"
#include "fuzz.h"

static const zinc_setting_row rows[] = {{.name = "n", .type = ZINC_SETTING_COUNT},
					{.name = "s", .type = ZINC_SETTING_SECONDS, .preset = "1"},
					{.name = "y", .type = ZINC_SETTING_YES},
					{.name = "t"},
					{.name = "h.*", .secret = 1},
					{.name = NULL}};

static void
check(const zinc_settings *s)
{
	size_t i, k;

	for (i = 0; i < s->n; i++) {
		const char *value = s->all[i].value;

		if (s->all[i].name[0] == 'n')
			insist(value[0] && strspn(value, "0123456789") == strlen(value)); /* (1) */
		for (k = 0; value[k]; k++)
			insist((unsigned char)value[k] >= ' ');
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static zinc_store_ops ops = {.size = sizeof ops, .name = "f", .settings = rows};
	zinc_store_options o = ZINC_STORE_OPTIONS_INIT;
	zinc_error err = ZINC_ERROR_INIT;
	char *query = (char *)malloc(size + 1);
	zinc_settings s;
	zinc_buf rest;

	insist(query);
	memcpy(query, data, size);
	query[size] = '\0';
	o.context = zinc_context_get(NULL);
	for (ops.foreign_query = 0; ops.foreign_query < 2; ops.foreign_query++) {
		zinc_buf_init(&rest, o.context, size + 1);
		if (zinc_settings_gather(&s, &ops, &o, query, &rest, &err) == ZINC_OK)
			check(&s);
		insist(rest.n <= strlen(query) && (ops.foreign_query || rest.n == 0)); /* (2) */
		zinc_settings_fini(&s);
		zinc_buf_fini(&rest);
	}
	free(query);
	return 0;
}
