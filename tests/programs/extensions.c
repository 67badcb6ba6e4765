/*
 * extensions.c - one of everything that a program can add, all in one array
 */
#include <ctype.h>

#include "every_call.h"

/* ---- a codec: every bit inverted ---- */

static zinc_status
flip_open(void **self, const char *configuration, const zinc_codec_input *input, zinc_error *err)
{
	(void)configuration, (void)err;
	CHECK(input->element_size == 3 && input->ndim == 1);
	*self = NULL;
	return ZINC_OK;
}

static size_t
flip_bound(void *self, size_t nbytes)
{
	(void)self;
	return nbytes;
}

static zinc_status
flip(void *self, const uint64_t *shape, const void *in, size_t nin, void *out, size_t *nout, zinc_error *err)
{
	size_t i, room = *nout;

	(void)self, (void)shape;
	*nout = nin;
	if (nin > room)
		return zinc_error_set(err, ZINC_E_LIMIT, "more room");
	for (i = 0; i < nin; i++)
		((uint8_t *)out)[i] = (uint8_t) ~((const uint8_t *)in)[i];
	return ZINC_OK;
}

/* ---- a data type: colours of three bytes ---- */

static zinc_status
parse_colour(void *self, const char *json, void *element, zinc_error *err)
{
	unsigned r, g, b;
	uint8_t *p = (uint8_t *)element;

	(void)self;
	if (sscanf(json, "\"#%2x%2x%2x\"", &r, &g, &b) != 3)
		return zinc_error_set(err, ZINC_E_INVALID, "a colour is \"#rrggbb\"");
	p[0] = (uint8_t)r;
	p[1] = (uint8_t)g;
	p[2] = (uint8_t)b;
	return ZINC_OK;
}

static size_t
print_colour(void *self, const void *element, char *out, size_t room)
{
	const uint8_t *p = (const uint8_t *)element;

	(void)self;
	return (size_t)snprintf(out, room, "\"#%02x%02x%02x\"", p[0], p[1], p[2]);
}

/* ---- a grid: a chunk of one element, then chunks of four ---- */

static zinc_status
grid_open(void **self, const char *configuration, int ndim, const uint64_t *shape, zinc_error *err)
{
	(void)configuration, (void)ndim, (void)shape, (void)err;
	*self = NULL;
	return ZINC_OK;
}

static uint64_t
grid_find(void *self, int dim, uint64_t i)
{
	(void)self, (void)dim;
	return (i + 3) / 4;
}

static uint64_t
grid_count(void *self, int dim, uint64_t length)
{
	return length ? grid_find(self, dim, length - 1) + 1 : 0;
}

static void
grid_span(void *self, int dim, uint64_t chunk, uint64_t *start, uint64_t *extent)
{
	(void)self, (void)dim;
	*start = chunk ? 4 * chunk - 3 : 0;
	*extent = chunk ? 4 : 1;
}

static uint64_t
grid_widest(void *self, int dim)
{
	(void)self, (void)dim;
	return 4;
}

/* ---- keys: "piece2" ---- */

static size_t
key_encode(void *self, const uint64_t *index, int ndim, char *out, size_t room)
{
	(void)self, (void)ndim;
	return (size_t)snprintf(out, room, "piece%u", (unsigned)index[0]);
}

static int
key_decode(void *self, const char *key, int ndim, uint64_t *index)
{
	char again[32];

	index[0] = strncmp(key, "piece", 5) == 0 ? strtoull(key + 5, NULL, 10) : 0;
	return key_encode(self, index, ndim, again, sizeof again) < sizeof again && strcmp(again, key) == 0;
}

/* ---- a layout: last element first ---- */

static uint64_t
place_backwards(void *self, int ndim, const uint64_t *shape, const uint64_t *index)
{
	(void)self, (void)ndim;
	return shape[0] - 1 - index[0];
}

/* ---- an extension, a transformer, an encoding of documents ---- */

static zinc_status
check_mask(const char *configuration, zinc_error *err)
{
	return configuration && strstr(configuration, "of") ? ZINC_OK
							    : zinc_error_set(err, ZINC_E_INVALID, "\"of\" is missing");
}

static int layers;

static zinc_status
make_layer(zinc_store **out, const char *configuration, const zinc_transformer_input *in, zinc_error *err)
{
	(void)configuration;
	layers++;
	return zinc_store_log(out, in->next, NULL, NULL, err);
}

static zinc_status
turn_case(const char *in, size_t nin, char *out, size_t *nout, zinc_error *err)
{
	size_t i, room = *nout;

	*nout = nin;
	if (nin > room)
		return zinc_error_set(err, ZINC_E_LIMIT, "more room");
	for (i = 0; i < nin; i++)
		out[i] = (char)(islower((unsigned char)in[i]) ? toupper((unsigned char)in[i])
							      : tolower((unsigned char)in[i]));
	return ZINC_OK;
}

static zinc_status
capitals_encode(const char *json, size_t njson, void *out, size_t *nout, zinc_error *err)
{
	return turn_case(json, njson, (char *)out, nout, err);
}

static zinc_status
capitals_decode(const void *in, size_t nin, char *out, size_t *nout, zinc_error *err)
{
	return turn_case((const char *)in, nin, out, nout, err);
}

/* ---- registered ---- */

static void
add_codec_and_type(void)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_codec_def codec;
	zinc_dtype_def dtype;

	memset(&codec, 0, sizeof codec);
	codec.size = sizeof codec;
	codec.name = "every.flip";
	codec.purpose = "bits flipped";
	codec.stage = ZINC_STAGE_BYTES_BYTES;
	codec.open = flip_open;
	codec.bound = flip_bound;
	codec.encode = codec.decode = flip;
	OK(zinc_register_codec(&codec, &err));
	GIVES(ZINC_E_EXISTS, zinc_register_codec(&codec, &err));
	memset(&dtype, 0, sizeof dtype);
	dtype.size = sizeof dtype;
	dtype.name = "every.colour";
	dtype.purpose = "three bytes";
	dtype.element_size = 3;
	dtype.parse_fill = parse_colour;
	dtype.print_fill = print_colour;
	OK(zinc_register_dtype(&dtype, &err));
	dtype.name = NULL;
	GIVES(ZINC_E_INVALID, zinc_register_dtype(&dtype, &err));
}

static void
add_grid_keys_layout(void)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_memory_layout_def layout;
	zinc_key_encoding_def keys;
	zinc_grid_def grid;

	memset(&grid, 0, sizeof grid);
	grid.size = sizeof grid;
	grid.name = "every.grid";
	grid.purpose = "one, and then four";
	grid.open = grid_open;
	grid.count = grid_count;
	grid.find = grid_find;
	grid.span = grid_span;
	grid.widest = grid_widest;
	OK(zinc_register_grid(&grid, &err));
	memset(&keys, 0, sizeof keys);
	keys.size = sizeof keys;
	keys.name = "every.keys";
	keys.purpose = "piece2";
	keys.encode = key_encode;
	keys.decode = key_decode;
	OK(zinc_register_key_encoding(&keys, &err));
	memset(&layout, 0, sizeof layout);
	layout.size = sizeof layout;
	layout.name = "every.backwards";
	layout.purpose = "last element first";
	layout.place = place_backwards;
	OK(zinc_register_memory_layout(&layout, &err));
}

static const char *const capitals_uris[] = {"https://example.org/every/capitals/1.0", NULL};

static void
add_the_rest(void)
{
	zinc_metadata_encoding_def encoding;
	zinc_error err = ZINC_ERROR_INIT;
	zinc_transformer_def layer;
	zinc_extension_def mask;

	memset(&mask, 0, sizeof mask);
	mask.size = sizeof mask;
	mask.name = "every.mask";
	mask.purpose = "elements that count";
	mask.extends = ZINC_EXTENDS_ARRAY;
	mask.check = check_mask;
	OK(zinc_register_extension(&mask, &err));
	memset(&layer, 0, sizeof layer);
	layer.size = sizeof layer;
	layer.name = "every.layer";
	layer.purpose = "nothing changes";
	layer.open = make_layer;
	OK(zinc_register_transformer(&layer, &err));
	memset(&encoding, 0, sizeof encoding);
	encoding.size = sizeof encoding;
	encoding.name = "every.capitals";
	encoding.uris = capitals_uris;
	encoding.purpose = "capitals";
	encoding.suffix = ".caps";
	encoding.encode = capitals_encode;
	encoding.decode = capitals_decode;
	OK(zinc_register_metadata_encoding(&encoding, &err));
}

/* ---- and used ---- */

static int
count_mask(void *arg, const zinc_declaration *d)
{
	*(int *)arg += d->known && strcmp(d->name, "every.mask") == 0;
	return 0;
}

static int
count_name(void *arg, const char *name, const char *also, const char *purpose)
{
	(void)also, (void)purpose;
	*(int *)arg += strcmp(name, "every.mask") == 0;
	return 0;
}

static const char document[] =
    "{\"zarr_format\": 3, \"node_type\": \"array\", \"shape\": [6], \"data_type\": \"every.colour\","
    " \"chunk_grid\": {\"name\": \"every.grid\"}, \"chunk_key_encoding\": {\"name\": \"every.keys\"},"
    " \"fill_value\": \"#010203\", \"codecs\": [\"every.backwards\", \"bytes\", \"every.flip\"],"
    " \"storage_transformers\": [{\"name\": \"every.layer\"}],"
    " \"every.mask\": {\"must_understand\": true, \"of\": \"/b\"}}";

static void
use_all(void)
{
	static const uint64_t second[] = {1};
	zinc_array_options options = ZINC_ARRAY_OPTIONS_INIT;
	uint8_t red[3] = {255, 0, 0}, all[6][3], stored[12];
	zinc_error err = ZINC_ERROR_INIT;
	zinc_blob b = ZINC_BLOB_INIT;
	int known = 0, listed = 0;
	zinc_array *a = NULL;

	options.document = document;
	OK(zinc_array_create_url(&a, "memory://extended/a", &options, NULL, &err));
	CHECK(!zinc_array_unsupported(a) && layers > 0);
	OK(zinc_array_write_text(a, "1", ZINC_BUFFER((void *)red, sizeof red), NULL, &err));
	OK(zinc_array_read_text(a, NULL, ZINC_BUFFER((void *)all, sizeof all), NULL, &err));
	CHECK(memcmp(all[0], "\1\2\3", 3) == 0 && memcmp(all[1], red, 3) == 0 && memcmp(all[5], "\1\2\3", 3) == 0);
	OK(zinc_array_chunk_key(a, second, &b, &err));
	HAS(b.data, "piece1");
	zinc_blob_fini(&b);
	OK(zinc_array_chunk_get(a, second, &b, NULL, &err)); /* the first of four is stored last, and flipped */
	CHECK(b.nbytes == sizeof stored);
	memcpy(stored, b.data, sizeof stored);
	CHECK(stored[9] == 0 && stored[10] == 255 && stored[11] == 255 && stored[0] == 254);
	zinc_blob_fini(&b);
	OK(zinc_extensions(zinc_array_hierarchy(a), zinc_array_path(a), count_mask, &known, NULL, &err));
	zinc_list_extensions(count_name, &listed);
	CHECK(known == 1 && listed == 1);
	zinc_array_close(a);
}

/* Documents in capitals, as named in a draft's entry point. */
static void
use_encoding(void)
{
	static const char entry[] = "{\"zarr_format\": \"https://purl.org/zarr/spec/protocol/core/3.0\","
				    " \"metadata_encoding\": \"https://example.org/every/capitals/1.0\","
				    " \"metadata_key_suffix\": \".caps\", \"extensions\": []}";
	zinc_error err = ZINC_ERROR_INIT;
	zinc_blob b = ZINC_BLOB_INIT;
	zinc_hierarchy *h = NULL;
	zinc_store *s = NULL;

	OK(zinc_store_open(&s, "memory://capitals", NULL, &err));
	OK(zinc_store_put(s, NULL, "zarr.json", entry, sizeof entry - 1, NULL, 0, NULL, NULL, &err));
	OK(zinc_hierarchy_open(&h, s, "", NULL, &err));
	OK(zinc_group_create(h, "/g", "{\"a\": 1}", 0, NULL, &err));
	OK(zinc_store_get_all(s, "meta/root/g.group.caps", &b, NULL, 0, NULL, &err));
	HAS(b.data, "\"ATTRIBUTES\"");
	zinc_blob_fini(&b);
	OK(zinc_node_keep_parents(h, "/g", NULL, &err));
	zinc_hierarchy_close(h);
	zinc_store_close(s);
}

void
call_extensions(void)
{
	add_codec_and_type();
	add_grid_keys_layout();
	add_the_rest();
	use_all();
	use_encoding();
}
