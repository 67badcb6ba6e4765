/*
 * register_metadata_encoding.c - documents that are not JSON: here in capitals
 *
 * Only the drafts of version 3 have this.  Their entry point zarr.json, which is always JSON, names by a URI the
 * encoding of all other documents; Zinc itself uses only JSON.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <zinc.h>
#include <zinc/extend.h>

/* Letters change their case, which can be reversed.  *nout is the room, then the bytes written. */
static zinc_status
turn_letters(const char *in, size_t nin, char *out, size_t *nout, zinc_error *err)
{
	size_t i;

	if (nin > *nout) { /* report the needed size; Zinc calls again */
		*nout = nin;
		return zinc_error_set(err, ZINC_E_LIMIT, "more room is needed");
	}
	for (i = 0; i < nin; i++) {
		const unsigned char c = (unsigned char)in[i];

		out[i] = (char)(islower(c) ? toupper(c) : tolower(c));
	}
	*nout = nin;
	return ZINC_OK;
}

static zinc_status
telegram_encode(const char *json, size_t njson, void *out, size_t *nout, zinc_error *err)
{
	return turn_letters(json, njson, out, nout, err);
}

static zinc_status
telegram_decode(const void *in, size_t nin, char *out, size_t *nout, zinc_error *err)
{
	return turn_letters(in, nin, out, nout, err);
}

static const char *const telegram_uris[] = {"https://example.org/zarr/encodings/telegram/1.0", NULL};

static const zinc_metadata_encoding_def telegram = {
    .size = sizeof telegram,
    .name = "telegram",
    .uris = telegram_uris,
    .purpose = "JSON in capitals",
    .suffix = ".telegram",
    .encode = telegram_encode,
    .decode = telegram_decode,
};

static const char entry[] = "{\"zarr_format\": \"https://purl.org/zarr/spec/protocol/core/3.0\","
			    " \"metadata_encoding\": \"https://example.org/zarr/encodings/telegram/1.0\","
			    " \"metadata_key_suffix\": \".telegram\", \"extensions\": []}";

int
main(void)
{
	static const uint64_t shape[] = {3};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_blob text = ZINC_BLOB_INIT;
	zinc_hierarchy *h = NULL;
	zinc_store *s = NULL;
	zinc_array *a = NULL;
	int good = 0;

	if (zinc_register_metadata_encoding(&telegram, &err) ||
	    zinc_store_open(&s, "memory://example-telegram", NULL, &err) ||
	    zinc_store_put(s, NULL, "zarr.json", entry, sizeof entry - 1, NULL, 0, NULL, NULL, &err) ||
	    zinc_hierarchy_open(&h, s, "", NULL, &err) ||
	    zinc_array_create(&a, h, "/a", ZINC_ARRAY_OPTIONS(.ndim = 1, .shape = shape, .dtype = "int8"), &err) ||
	    zinc_store_get_all(s, "meta/root/a.array.telegram", &text, NULL, 0, NULL, &err))
		fprintf(stderr, "%s\n", zinc_error_text(&err));
	else
		good = strstr(text.data, "\"SHAPE\": [3]") != NULL;
	zinc_array_close(a);
	a = NULL;
	if (good && zinc_array_open(&a, h, "/a", NULL, &err) == ZINC_OK)
		printf("an array of %d dimension, described in capitals\n", zinc_array_ndim(a));
	good = good && a && zinc_array_ndim(a) == 1;
	zinc_blob_fini(&text);
	zinc_array_close(a);
	zinc_hierarchy_close(h);
	zinc_store_close(s);
	return !good;
}
