/*
 * register_key_encoding.c - keys of your own: "x0003_y0001" instead of "c/3/1"
 */
#include <stdio.h>
#include <string.h>
#include <zinc.h>
#include <zinc/extend.h>

/* As snprintf: writes at most `room` bytes, and returns the full length. */
static size_t
padded_encode(void *self, const uint64_t *index, int ndim, char *out, size_t room)
{
	size_t n = 0;
	int i;

	(void)self;
	if (ndim == 0)
		return (size_t)snprintf(out, room, "chunk");
	for (i = 0; i < ndim; i++)
		n += (size_t)snprintf(n < room ? out + n : NULL, n < room ? room - n : 0, "%s%c%04llu", i ? "_" : "",
				      'a' + i % 26, (unsigned long long)index[i]);
	return n;
}

/* Only the output of padded_encode is a chunk key: decode, encode again, compare. */
static int
padded_decode(void *self, const char *key, int ndim, uint64_t *index)
{
	char again[2048];
	const char *at = key;
	unsigned long long v;
	int i, used;

	for (i = 0; i < ndim; i++) {
		used = 0;
		if (sscanf(at, i ? "_%*c%llu%n" : "%*c%llu%n", &v, &used) != 1 || used == 0)
			return 0;
		index[i] = v;
		at += used;
	}
	return padded_encode(self, index, ndim, again, sizeof again) < sizeof again && strcmp(again, key) == 0;
}

static const char *const padded_uris[] = {"https://example.org/zarr/keys/padded/1.0", NULL};

static const zinc_key_encoding_def padded = {
    .size = sizeof padded,
    .name = "example.padded",
    .uris = padded_uris,
    .purpose = "a0003_b0001",
    .encode = padded_encode,
    .decode = padded_decode,
};

static const char document[] =
    "{\"zarr_format\": 3, \"node_type\": \"array\", \"shape\": [4, 4], \"data_type\": \"uint8\","
    " \"chunk_grid\": {\"name\": \"regular\", \"configuration\": {\"chunk_shape\": [1, 2]}},"
    " \"chunk_key_encoding\": {\"name\": \"example.padded\"}, \"fill_value\": 0,"
    " \"codecs\": [{\"name\": \"bytes\"}]}";

int
main(void)
{
	static const uint64_t last[] = {3, 1};
	uint8_t in[4][4], out[4][4] = {{0}};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_blob key = ZINC_BLOB_INIT;
	zinc_array *a = NULL;
	int i, right = 0;

	for (i = 0; i < 16; i++)
		in[i / 4][i % 4] = (uint8_t)(i + 1);
	if (zinc_register_key_encoding(&padded, &err) ||
	    zinc_array_create_url(&a, "memory://example/padded", ZINC_ARRAY_OPTIONS(.document = document), NULL,
				  &err) ||
	    zinc_array_write_text(a, NULL, ZINC_BUFFER(&in[0][0], sizeof in), NULL, &err) ||
	    zinc_array_read_text(a, NULL, ZINC_BUFFER(&out[0][0], sizeof out), NULL, &err) ||
	    zinc_array_chunk_key(a, last, &key, &err))
		fprintf(stderr, "%s\n", zinc_error_text(&err));
	else
		right = memcmp(in, out, sizeof in) == 0 && strstr(key.data, "a0003_b0001") != NULL;
	printf(right ? "the last chunk is %s\n" : "something is wrong with %s\n",
	       key.data ? (char *)key.data : "the keys");
	zinc_blob_fini(&key);
	zinc_array_close(a);
	return !right;
}
