/*
 * register_codec.c - a codec of your own: bytes XORed with a key from the metadata
 *
 * The array's document then contains {"name": "example.xor", "configuration": {"key": 90}}, and any program that
 * registers the same codec can read it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zinc.h>
#include <zinc/extend.h>

/* The configuration is JSON text; a real program would use its JSON library. */
static zinc_status
xor_open(void **self, const char *configuration, const zinc_codec_input *input, zinc_error *err)
{
	unsigned char *key = malloc(1);
	unsigned value;

	(void)input;
	if (!key)
		return zinc_error_set(err, ZINC_E_NOMEM, "out of memory");
	if (!configuration || sscanf(configuration, "{ \"key\" : %u }", &value) != 1 || value > 255) {
		free(key);
		return zinc_error_set(err, ZINC_E_INVALID, "\"key\" must be a number from 0 to 255");
	}
	*key = (unsigned char)value;
	*self = key;
	return ZINC_OK;
}

static size_t
xor_bound(void *self, size_t nbytes)
{
	(void)self;
	return nbytes;
}

/* Encoding and decoding are the same here.  *nout is the room, then the bytes written. */
static zinc_status
xor_code(void *self, const uint64_t *shape, const void *in, size_t nin, void *out, size_t *nout, zinc_error *err)
{
	const unsigned char *from = in;
	unsigned char *to = out;
	size_t i;

	(void)shape;
	if (nin > *nout) { /* report the needed size; Zinc decides whether that is possible */
		*nout = nin;
		return zinc_error_set(err, ZINC_E_LIMIT, "more room is needed");
	}
	for (i = 0; i < nin; i++)
		to[i] = from[i] ^ *(const unsigned char *)self;
	*nout = nin;
	return ZINC_OK;
}

/* Its names in the drafts of version 3, and in Zarr v2. */
static const char *const xor_uris[] = {"https://example.org/zarr/codecs/xor/1.0", NULL};

static const zinc_codec_def xor_codec = {
    .size = sizeof xor_codec,
    .name = "example.xor",
    .uris = xor_uris,
    .v2 = "xor",
    .purpose = "bytes XORed with a key",
    .stage = ZINC_STAGE_BYTES_BYTES,
    .fixed_size = 1,
    .needs_configuration = 1,
    .open = xor_open,
    .close = free,
    .bound = xor_bound,
    .encode = xor_code,
    .decode = xor_code,
};

int
main(void)
{
	static const uint64_t shape[] = {4, 6}, chunks[] = {2, 3}, first[] = {0, 0};
	int32_t in[4][6], out[4][6] = {{0}};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_blob chunk = ZINC_BLOB_INIT;
	zinc_array *a = NULL;
	int i;

	for (i = 0; i < 24; i++)
		in[i / 6][i % 6] = i * i + 1;
	if (zinc_register_codec(&xor_codec, &err) ||
	    zinc_array_create_url(
		&a, "memory://example/xored",
		ZINC_ARRAY_OPTIONS(.ndim = 2, .shape = shape, .chunks = chunks, .dtype = "int32",
				   .codecs = "[{\"name\": \"bytes\", \"configuration\": {\"endian\": \"little\"}},"
					     " {\"name\": \"example.xor\", \"configuration\": {\"key\": 90}}]"),
		NULL, &err) ||
	    zinc_array_write_text(a, NULL, ZINC_BUFFER(&in[0][0], sizeof in), NULL, &err) ||
	    zinc_array_read_text(a, NULL, ZINC_BUFFER(&out[0][0], sizeof out), NULL, &err) ||
	    zinc_array_chunk_get(a, first, &chunk, NULL, &err))
		fprintf(stderr, "%s\n", zinc_error_text(&err));
	else if (memcmp(in, out, sizeof in) != 0 || ((unsigned char *)chunk.data)[0] != (1 ^ 90))
		fprintf(stderr, "the elements are not what was written\n");
	else
		printf("24 elements written and read through example.xor\n");
	i = !chunk.data || memcmp(in, out, sizeof in) != 0;
	zinc_blob_fini(&chunk);
	zinc_array_close(a);
	return i || zinc_error_status(&err) != ZINC_OK;
}
