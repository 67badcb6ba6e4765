/*
 * test_draft_extend.c - extensions of every kind in the drafts: known, ignorable, required but unknown
 *
 * A made-up one of each row of the 2022 draft's table of extensions ("Extensions"), and of the key encodings.  The
 * same declarations in each draft, and their effect on data, listings and rewrites.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zinc/erase.h>
#include <zinc/extend.h>

#include "nodes.h"
#include "sweep.h"
#include "test.h"

/* ---- the extensions of the program ---- */

static zinc_status
xor_open(void **self, const char *configuration, const zinc_codec_input *input, zinc_error *err)
{
	static const unsigned char key = 0x5a;

	(void)input;
	*self = (void *)(uintptr_t)&key;
	if (!configuration || !strstr(configuration, "\"key\":90"))
		return zinc_error_set(err, ZINC_E_INVALID, "no key");
	return ZINC_OK;
}

static size_t
xor_bound(void *self, size_t nbytes)
{
	(void)self;
	return nbytes;
}

static zinc_status
xor_code(void *self, const uint64_t *shape, const void *in, size_t nin, void *out, size_t *nout, zinc_error *err)
{
	size_t i;

	(void)shape;
	if (nin > *nout) {
		*nout = nin;
		return zinc_error_set(err, ZINC_E_LIMIT, "more room");
	}
	for (i = 0; i < nin; i++)
		((unsigned char *)out)[i] = ((const unsigned char *)in)[i] ^ *(const unsigned char *)self;
	*nout = nin;
	return ZINC_OK;
}

/* A configuration may be wrong, or request too much. */
static zinc_status
pair_open(void **self, const char *configuration, size_t *element_size, size_t *unit, zinc_error *err)
{
	(void)self, (void)element_size, (void)unit;
	if (configuration && strstr(configuration, "bad"))
		return zinc_error_set(err, ZINC_E_INVALID, "no bad pairs");
	if (configuration && strstr(configuration, "large"))
		return zinc_error_set(err, ZINC_E_NOMEM, "no room for pairs");
	return ZINC_OK;
}

static zinc_status
pair_parse(void *self, const char *json, void *element, zinc_error *err)
{
	unsigned a, b;

	(void)self;
	if (sscanf(json, "[ %u , %u ]", &a, &b) != 2)
		return zinc_error_set(err, ZINC_E_INVALID, "not a pair");
	memcpy(element, (unsigned char[]){(unsigned char)a, (unsigned char)b}, 2);
	return ZINC_OK;
}

static size_t
pair_print(void *self, const void *element, char *out, size_t room)
{
	const unsigned char *p = element;

	(void)self;
	return (size_t)snprintf(out, room, "[%u,%u]", p[0], p[1]);
}

/* Chunks of 1, 3, 3, 3 ... elements. */
static zinc_status
grid_open(void **self, const char *configuration, int ndim, const uint64_t *shape, zinc_error *err)
{
	(void)self, (void)ndim, (void)shape;
	if (!configuration || !strstr(configuration, "\"step\":3"))
		return zinc_error_set(err, ZINC_E_INVALID, "no step");
	return ZINC_OK;
}

static uint64_t
grid_find(void *self, int dim, uint64_t i)
{
	(void)self, (void)dim;
	return (i + 2) / 3;
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
	*start = chunk ? 3 * chunk - 2 : 0;
	*extent = chunk ? 3 : 1;
}

static uint64_t
grid_widest(void *self, int dim)
{
	(void)self, (void)dim;
	return 3;
}

static size_t
keys_encode(void *self, const uint64_t *index, int ndim, char *out, size_t room)
{
	(void)self, (void)ndim;
	return (size_t)snprintf(out, room, "chunk-%llu", (unsigned long long)index[0]);
}

static int
keys_decode(void *self, const char *key, int ndim, uint64_t *index)
{
	unsigned long long i;
	char again[64];

	if (sscanf(key, "chunk-%llu", &i) != 1)
		return 0;
	*index = i;
	return keys_encode(self, index, ndim, again, sizeof again) == strlen(key) && strcmp(again, key) == 0;
}

static uint64_t
layout_place(void *self, int ndim, const uint64_t *shape, const uint64_t *index)
{
	(void)self, (void)ndim;
	return shape[0] - 1 - index[0]; /* backwards */
}

static zinc_status
turn(const void *in, size_t nin, void *out, size_t *nout, zinc_error *err)
{
	size_t i;

	if (nin > *nout) {
		*nout = nin;
		return zinc_error_set(err, ZINC_E_LIMIT, "more room");
	}
	for (i = 0; i < nin; i++)
		((unsigned char *)out)[i] = (unsigned char)~((const unsigned char *)in)[i];
	*nout = nin;
	return ZINC_OK;
}

static zinc_status
turn_json(const char *json, size_t njson, void *out, size_t *nout, zinc_error *err)
{
	return turn(json, njson, out, nout, err);
}

static zinc_status
turn_back(const void *in, size_t nin, char *out, size_t *nout, zinc_error *err)
{
	return turn(in, nin, out, nout, err);
}

static zinc_status
check(const char *configuration, zinc_error *err)
{
	return configuration && strstr(configuration, "bad") ? zinc_error_set(err, ZINC_E_INVALID, "no bad ones")
							     : ZINC_OK;
}

#define BASE "https://example.org/zarr/"

static const char *const xor_uris[] = {BASE "xor/1.0", NULL};
static const char *const pair_uris[] = {BASE "pair/1.0", NULL};
static const char *const steps_uris[] = {BASE "steps/1.0", NULL};
static const char *const keys_uris[] = {BASE "keys/1.0", NULL};
static const char *const backwards_uris[] = {BASE "backwards/1.0", NULL};
static const char *const turned_uris[] = {BASE "turned/1.0", NULL};
static const char *const mask_uris[] = {BASE "mask/1.0", NULL};
static const char *const family_uris[] = {BASE "family/1.0", NULL};
static const char *const whole_uris[] = {BASE "whole/1.0", NULL};

static int
setup(void **state)
{
	const zinc_codec_def codec = {.size = sizeof codec,
				      .name = "test.xor",
				      .uris = xor_uris,
				      .stage = ZINC_STAGE_BYTES_BYTES,
				      .fixed_size = 1,
				      .open = xor_open,
				      .bound = xor_bound,
				      .encode = xor_code,
				      .decode = xor_code};
	const zinc_dtype_def dtype = {.size = sizeof dtype,
				      .name = "test.pair",
				      .uris = pair_uris,
				      .element_size = 2,
				      .open = pair_open,
				      .parse_fill = pair_parse,
				      .print_fill = pair_print};
	const zinc_grid_def grid = {.size = sizeof grid,
				    .name = "test.steps",
				    .uris = steps_uris,
				    .open = grid_open,
				    .count = grid_count,
				    .find = grid_find,
				    .span = grid_span,
				    .widest = grid_widest};
	const zinc_key_encoding_def keys = {
	    .size = sizeof keys, .name = "test.keys", .uris = keys_uris, .encode = keys_encode, .decode = keys_decode};
	const zinc_memory_layout_def layout = {
	    .size = sizeof layout, .name = "test.backwards", .uris = backwards_uris, .place = layout_place};
	const zinc_metadata_encoding_def encoding = {.size = sizeof encoding,
						     .name = "turned",
						     .uris = turned_uris,
						     .suffix = ".turned",
						     .encode = turn_json,
						     .decode = turn_back};
	const zinc_extension_def extension = {.size = sizeof extension,
					      .name = "test.mask",
					      .uris = mask_uris,
					      .extends = ZINC_EXTENDS_ARRAY,
					      .check = check},
				 family = {.size = sizeof family,
					   .name = "test.family",
					   .uris = family_uris,
					   .extends = ZINC_EXTENDS_GROUP},
				 whole = {.size = sizeof whole,
					  .name = "test.whole",
					  .uris = whole_uris,
					  .extends = ZINC_EXTENDS_HIERARCHY,
					  .check = check};

	(void)state;
	return zinc_register_codec(&codec, NULL) || zinc_register_dtype(&dtype, NULL) ||
	       zinc_register_grid(&grid, NULL) || zinc_register_key_encoding(&keys, NULL) ||
	       zinc_register_memory_layout(&layout, NULL) || zinc_register_metadata_encoding(&encoding, NULL) ||
	       zinc_register_extension(&extension, NULL) || zinc_register_extension(&family, NULL) ||
	       zinc_register_extension(&whole, NULL);
}

/* ---- documents of each draft ---- */

#define EXTENSION(what, more) "{\"extension\": \"" BASE what "\"" more "}"
#define REGULAR               "{\"type\": \"regular\", \"chunk_shape\": [4], \"separator\": \"/\"}"

/* How one draft writes a hierarchy. */
typedef struct dialect {
	const char *core;
	const char *encoding, *other;         /* members for JSON, and for another encoding with its URI */
	const char *suffix, *other_suffix;    /* of keys, with either */
	const char *array_key, *data, *first; /* of the array /a, where its chunks are, and the first of them */
	const char *type;                     /* uint8 */
	const char *codec_open, *codec_close; /* before the URI of a codec, and after its configuration */
} dialect;

static const dialect dialects[] = {
    {.core = "http://purl.org/zarr/spec/protocol/core/3.0",
     .encoding = "\"metadata_encoding\": \"application/json\"",
     .other = "\"metadata_encoding\": \"%s\"",
     .suffix = "",
     .other_suffix = "",
     .array_key = "meta/root/a.array",
     .data = "data/a/",
     .first = "0",
     .type = "u1",
     .codec_open = "\"chunk_codecs\": [{\"codec\": \"",
     .codec_close = "}],"},
    {.core = "https://purl.org/zarr/spec/protocol/core/3.0",
     .encoding =
	 "\"metadata_encoding\": \"https://purl.org/zarr/spec/protocol/core/3.0\", \"metadata_key_suffix\": \".json\"",
     .other = "\"metadata_encoding\": \"%s\", \"metadata_key_suffix\": \".t\"",
     .suffix = ".json",
     .other_suffix = ".t",
     .array_key = "meta/root/a.array",
     .data = "data/root/a/",
     .first = "c0",
     .type = "u1",
     .codec_open = "\"compressor\": {\"codec\": \"",
     .codec_close = "},"},
    {.core = "https://purl.org/zarr/spec/core/3.0",
     .encoding = "\"metadata_encoding\": {\"type\": \"json\", \"metadata_key_suffix\": \".json\"}",
     .other = "\"metadata_encoding\": {\"extension\": \"%s\", \"type\": \"turned\", "
	      "\"metadata_key_suffix\": \".t\"}",
     .suffix = ".json",
     .other_suffix = ".t",
     .array_key = "meta/a.array",
     .data = "data/a/",
     .first = "c0",
     .type = "uint8",
     .codec_open = "\"codecs\": [{\"type\": \"",
     .codec_close = "}],"},
};

/* An array /a with parts of its document replaced; NULL: as usual. */
typedef struct parts {
	const char *type, *grid, *layout, *codec, *extensions, *fill;
} parts;

static void
plant_entry(forest *f, const dialect *d, const char *encoding, const char *extensions)
{
	char text[1024];

	snprintf(text, sizeof text, "{\"zarr_format\": \"%s\", %s, \"extensions\": [%s]}", d->core, encoding,
		 extensions);
	forest_put(f, "zarr.json", text);
}

static void
write_array(char *text, size_t room, const dialect *d, const parts *p)
{
	char codec[512] = "", type[64];

	snprintf(type, sizeof type, "\"%s\"", d->type);
	if (p->codec)
		snprintf(codec, sizeof codec, "%s%s%s", d->codec_open, p->codec, d->codec_close);
	snprintf(text, room,
		 "{\"shape\": [8], \"data_type\": %s, \"chunk_grid\": %s, \"chunk_memory_layout\": %s, %s "
		 "\"fill_value\": %s, \"extensions\": [%s], \"attributes\": {\"k\": 1}}",
		 p->type ? p->type : type, p->grid ? p->grid : REGULAR, p->layout ? p->layout : "\"C\"", codec,
		 p->fill ? p->fill : "7", p->extensions ? p->extensions : "");
}

/* The store with such a hierarchy, opened. */
static zinc_status
plant(forest *f, const dialect *d, const parts *p, zinc_error *err)
{
	char text[2048], key[64];

	forest_open(f, "", ZINC_LENIENT);
	zinc_hierarchy_close(f->h);
	f->h = NULL;
	plant_entry(f, d, d->encoding, "");
	write_array(text, sizeof text, d, p);
	snprintf(key, sizeof key, "%s%s", d->array_key, d->suffix);
	forest_put(f, key, text);
	return zinc_hierarchy_open(&f->h, f->log, "", ZINC_OPEN_OPTIONS(.context = f->ctx), err);
}

/* ---- known ---- */

/* Elements written and read back; the first chunk is stored under `key` and begins with `first`. */
static void
works(const dialect *d, const parts *p, const char *key, unsigned char first)
{
	zinc_error err = ZINC_ERROR_INIT;
	unsigned char in[16], out[16] = {0};
	size_t n;
	zinc_array *a;
	char where[64];
	forest f;

	assert_ok(plant(&f, d, p, &err));
	assert_ok(zinc_array_open(&a, f.h, "/a", NULL, &err));
	if (zinc_array_unsupported(a))
		fail_msg("%s", zinc_array_unsupported(a));
	for (n = 0; n < sizeof in; n++)
		in[n] = (unsigned char)(n + 1);
	n = p->type ? 16 : 8;
	assert_ok(zinc_array_write_text(a, NULL, ZINC_BUFFER_AS(ZINC_NATIVE, in, n), NULL, &err));
	assert_ok(zinc_array_read_text(a, NULL, ZINC_BUFFER_AS(ZINC_NATIVE, out, n), NULL, &err));
	assert_memory_equal(in, out, n);
	snprintf(where, sizeof where, "%s%s", d->data, key ? key : d->first);
	assert_non_null(forest_get(&f, where));
	assert_int_equal((unsigned char)forest_get(&f, where)[0], first);
	zinc_array_close(a);
	forest_close(&f);
}

/* Grids 19-47+ 19-48+ 20-52+ 20-53+ 22-66+ 22-67+, layouts 19-50+ 19-51+ 20-55+ 20-56+ 22-69+ 22-70+. */
static void
known(void **state)
{
	static const parts cases[] = {
	    {.type = EXTENSION("pair/1.0", ", \"type\": \"test.pair\""), .fill = "[1, 2]"},
	    {.grid = EXTENSION("steps/1.0", ", \"type\": \"test.steps\", \"configuration\": {\"step\": 3}")},
	    {.grid = EXTENSION("steps/1.0", ", \"type\": \"test.steps\", \"step\": 3, \"separator\": \".\"")},
	    {.layout = EXTENSION("backwards/1.0", ", \"type\": \"test.backwards\"")},
	    {.codec = BASE "xor/1.0\", \"configuration\": {\"key\": 90}"},
	    {.extensions = EXTENSION("keys/1.0", ", \"must_understand\": true")},
	    {.extensions = EXTENSION("mask/1.0", ", \"must_understand\": true, \"configuration\": {\"of\": \"b\"}")},
	};
	static const struct {
		const char *key;
		unsigned char first;
	} stored[] = {{NULL, 1}, {NULL, 1}, {NULL, 1}, {NULL, 4}, {NULL, 1 ^ 0x5a}, {"chunk-0", 1}, {NULL, 1}};
	size_t i, k;

	(void)state;
	for (i = 0; i < COUNT(dialects); i++)
		for (k = 0; k < COUNT(cases); k++)
			works(&dialects[i], &cases[k], stored[k].key, stored[k].first);
}

/* Another minor version is read, with a warning that names it (2022 core, "Stability Policy"). */
static void
minor_versions(void **state)
{
	static const parts cases[] = {
	    {.type = EXTENSION("pair/1.4", ", \"type\": \"test.pair\""), .fill = "[1, 2]"},
	    {.grid = EXTENSION("steps/1.4", ", \"type\": \"test.steps\", \"step\": 3")},
	    {.layout = EXTENSION("backwards/1.4", ", \"type\": \"test.backwards\"")},
	    {.codec = BASE "xor/1.4\", \"configuration\": {\"key\": 90}"},
	    {.extensions = EXTENSION("keys/1.4", ", \"must_understand\": true")},
	    {.extensions = EXTENSION("mask/1.4", ", \"must_understand\": true")},
	};
	zinc_error err = ZINC_ERROR_INIT;
	size_t i, k;
	zinc_array *a;
	forest f;

	(void)state;
	for (i = 0; i < COUNT(dialects); i++)
		for (k = 0; k < COUNT(cases); k++) {
			assert_ok(plant(&f, &dialects[i], &cases[k], &err));
			assert_ok(zinc_array_open(&a, f.h, "/a", NULL, &err));
			assert_null(zinc_array_unsupported(a));
			assert_true(f.warnings > 0);
			assert_non_null(strstr(f.warning, "/1.4"));
			zinc_array_close(a);
			forest_close(&f);
		}
}

/* ---- unknown ---- */

/* The node opens and is listed, marked; its elements cannot be had; the error names `name`; a rewrite keeps it all. */
static void
is_unsupported(const dialect *d, const parts *p, const char *name)
{
	zinc_error err = ZINC_ERROR_INIT;
	unsigned char out[16];
	zinc_array *a;
	char key[64];
	forest f;

	assert_ok(plant(&f, d, p, &err));
	assert_ok(zinc_array_open(&a, f.h, "/a", NULL, &err));
	assert_non_null(zinc_array_unsupported(a));
	assert_non_null(strstr(zinc_array_unsupported(a), name));
	assert_int_equal(zinc_array_read_text(a, "0", ZINC_BUFFER_AS(ZINC_NATIVE, out, sizeof out), NULL, &err),
			 ZINC_E_UNSUPPORTED);
	assert_non_null(strstr(err.text, name));
	zinc_array_close(a);
	assert_string_equal(forest_list(&f, "/", -1), "g/ !/a:E_UNSUPPORTED");
	assert_ok(zinc_attributes_edit(f.h, "/a", &(zinc_attribute){"k", "2"}, 1, NULL, &err));
	snprintf(key, sizeof key, "%s%s", d->array_key, d->suffix);
	assert_non_null(strstr(forest_get(&f, key), name));
	assert_non_null(strstr(forest_get(&f, key), "\"more\": ["));
	assert_non_null(strstr(forest_get(&f, key), "\"x\": null"));
	assert_non_null(strstr(forest_get(&f, key), "\"k\": 2"));
	forest_close(&f);
}

#define MORE ", \"more\": [1, {\"x\": null}]"

static void
unknown(void **state)
{
	static const struct {
		parts p;
		const char *name;
	} cases[] = {
	    {{.type = EXTENSION("none/1.0", ", \"type\": \"x\"" MORE)}, BASE "none/1.0"},
	    {{.type = EXTENSION("pair/2.0", ", \"type\": \"test.pair\"" MORE)}, BASE "pair/2.0"},
	    {{.type = EXTENSION("pair/1.0", ", \"type\": \"other\"" MORE)}, BASE "pair/1.0"},
	    {{.grid = EXTENSION("none/1.0", ", \"type\": \"x\"" MORE)}, BASE "none/1.0"},
	    {{.grid = EXTENSION("steps/2.0", ", \"type\": \"test.steps\"" MORE)}, BASE "steps/2.0"},
	    {{.grid = EXTENSION("steps/1.0", ", \"type\": \"other\"" MORE)}, BASE "steps/1.0"},
	    {{.layout = EXTENSION("none/1.0", ", \"type\": \"x\"" MORE)}, BASE "none/1.0"},
	    {{.layout = EXTENSION("backwards/2.0", ", \"type\": \"test.backwards\"" MORE)}, BASE "backwards/2.0"},
	    {{.layout = EXTENSION("backwards/1.0", ", \"type\": \"x\"" MORE)}, BASE "backwards/1.0"},
	    {{.codec = BASE "none/1.0\", \"configuration\": {\"key\": 90" MORE "}"}, BASE "none/1.0"},
	    {{.codec = BASE "xor/2.0\", \"configuration\": {\"key\": 90" MORE "}"}, BASE "xor/2.0"},
	    {{.extensions = EXTENSION("none/1.0", ", \"must_understand\": true" MORE)}, BASE "none/1.0"},
	    {{.extensions = EXTENSION("mask/2.0", ", \"must_understand\": true" MORE)}, BASE "mask/2.0"},
	};
	size_t i, k;

	(void)state;
	for (i = 0; i < COUNT(dialects); i++)
		for (k = 0; k < COUNT(cases); k++)
			is_unsupported(&dialects[i], &cases[k].p, cases[k].name);
}

/* An error of its own check is an error of the document. */
static void
refused(void **state)
{
	static const parts cases[] = {
	    {.grid = EXTENSION("steps/1.0", ", \"type\": \"test.steps\"")},
	    {.codec = BASE "xor/1.0\", \"configuration\": {\"key\": 1}"},
	    {.extensions = EXTENSION("mask/1.0", ", \"must_understand\": false, \"configuration\": {\"bad\": 1}")},
	    {.type = EXTENSION("pair/1.0", ", \"type\": \"test.pair\""), .fill = "\"no pair\""},
	};
	zinc_error err = ZINC_ERROR_INIT;
	size_t i, k;
	zinc_array *a;
	forest f;

	(void)state;
	for (i = 0; i < COUNT(dialects); i++)
		for (k = 0; k < COUNT(cases); k++) {
			assert_ok(plant(&f, &dialects[i], &cases[k], &err));
			assert_int_equal(zinc_array_open(&a, f.h, "/a", NULL, &err), ZINC_E_CORRUPT);
			forest_close(&f);
		}
}

/* A known type with a wrong configuration is not unknown: a fallback does not help.  A failed allocation is not an
 * error of the document. */
static void
refused_types(void **state)
{
	static const parts bad = {.type = EXTENSION(
				      "pair/1.0", ", \"type\": \"test.pair\", \"fallback\": \"u2\", \"configuration\": "
						  "{\"bad\": 1}"),
				  .fill = "[1, 2]"},
			   large = {.type = EXTENSION("pair/1.0",
						      ", \"type\": \"test.pair\", \"configuration\": {\"large\": 1}"),
				    .fill = "[1, 2]"};
	static const char *const rules[] = {"19-", "20-", "22-"};
	size_t i, k;
	zinc_array *a;
	forest f;

	(void)state;
	for (i = 0; i < COUNT(dialects); i++) {
		zinc_error err = ZINC_ERROR_INIT;
		int cited = 0;

		assert_ok(plant(&f, &dialects[i], &bad, &err));
		assert_int_equal(zinc_array_open(&a, f.h, "/a", NULL, &err), ZINC_E_CORRUPT);
		assert_non_null(strstr(err.text, "no bad pairs"));
		for (k = 0; k < COUNT(rules); k++)
			cited += strncmp(err.rule, rules[k], 3) == 0;
		assert_int_equal(cited, 1);
		forest_close(&f);
		assert_ok(plant(&f, &dialects[i], &large, &err));
		assert_int_equal(zinc_array_open(&a, f.h, "/a", NULL, &err), ZINC_E_NOMEM);
		forest_close(&f);
	}
}

/* ---- ignorable, and queried ---- */

static int
note(void *arg, const zinc_declaration *d)
{
	char *text = arg;
	const size_t n = strlen(text);

	snprintf(text + n, 512 - n, "%s%s%s %s;", strrchr(d->name, 'z') ? d->name + strlen(BASE) : d->name,
		 d->must_understand ? "!" : "", d->known ? "" : "?", d->configuration ? d->configuration : "-");
	return 0;
}

static void
ignorable(void **state)
{
	static const parts p = {.extensions =
				    EXTENSION("none/1.0", ", \"must_understand\": false, \"more\": 2") "," EXTENSION(
					"mask/1.0", ", \"must_understand\": true, \"configuration\": {\"of\": 3}")};
	static const uint64_t shape[] = {9};
	zinc_error err = ZINC_ERROR_INIT;
	char text[512], key[64];
	zinc_array *a;
	size_t i;
	forest f;

	(void)state;
	for (i = 0; i < COUNT(dialects); i++) {
		works(&dialects[i], &p, NULL, 1);
		assert_ok(plant(&f, &dialects[i], &p, &err));
		text[0] = '\0';
		assert_ok(zinc_extensions(f.h, "/a", note, text, NULL, &err));
		assert_string_equal(text, "none/1.0? {\"more\":2};mask/1.0! {\"of\":3};");
		assert_ok(zinc_array_open(&a, f.h, "/a", NULL, &err));
		assert_ok(zinc_array_resize(a, shape, NULL, &err));
		zinc_array_close(a);
		snprintf(key, sizeof key, "%s%s", dialects[i].array_key, dialects[i].suffix);
		assert_non_null(strstr(forest_get(&f, key), BASE "none/1.0"));
		assert_non_null(strstr(forest_get(&f, key), "\"more\": 2"));
		assert_non_null(strstr(forest_get(&f, key), "\"of\": 3"));
		forest_close(&f);
	}
}

/* ---- whole hierarchies ---- */

static zinc_status
open_with(forest *f, const dialect *d, const char *encoding, const char *extensions, zinc_error *err)
{
	static const parts usual = {.type = NULL};

	assert_int_equal(plant(f, d, &usual, err), ZINC_OK);
	zinc_hierarchy_close(f->h);
	f->h = NULL;
	plant_entry(f, d, encoding, extensions);
	return zinc_hierarchy_open(&f->h, f->log, "", ZINC_OPEN_OPTIONS(.context = f->ctx), err);
}

static void
hierarchies(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	char text[512];
	size_t i;
	forest f;

	(void)state;
	for (i = 0; i < COUNT(dialects); i++) {
		const dialect *d = &dialects[i];

		assert_ok(open_with(
		    &f, d, d->encoding,
		    EXTENSION("whole/1.0", ", \"must_understand\": true, \"configuration\": {\"a\": 1}") "," EXTENSION(
			"none/1.0", ", \"must_understand\": false"),
		    &err));
		text[0] = '\0';
		assert_ok(zinc_extensions(f.h, NULL, note, text, NULL, &err));
		assert_string_equal(text, "whole/1.0! {\"a\":1};none/1.0? -;");
		assert_string_equal(forest_list(&f, "/", -1), "g/ A/a");
		forest_close(&f);
		assert_int_equal(
		    open_with(&f, d, d->encoding, EXTENSION("none/1.0", ", \"must_understand\": true"), &err),
		    ZINC_E_UNSUPPORTED);
		assert_non_null(strstr(err.text, BASE "none/1.0"));
		forest_close(&f);
		/* what extends arrays does not extend hierarchies; and its check may refuse */
		assert_int_equal(
		    open_with(&f, d, d->encoding, EXTENSION("mask/1.0", ", \"must_understand\": true"), &err),
		    ZINC_E_UNSUPPORTED);
		forest_close(&f);
		assert_int_equal(open_with(&f, d, d->encoding,
					   EXTENSION("whole/1.0", ", \"must_understand\": true, \"bad\": 1"), &err),
				 ZINC_E_CORRUPT);
		forest_close(&f);
	}
}

/* Groups declare extensions in 2019 only. */
static void
groups(void **state)
{
	static const struct {
		const char *extensions, *list;
	} cases[] = {
	    {EXTENSION("none/1.0", ", \"must_understand\": true"), "g/ A/a !/g:E_UNSUPPORTED"},
	    {EXTENSION("mask/1.0", ", \"must_understand\": true"), "g/ A/a !/g:E_UNSUPPORTED"},
	    {EXTENSION("family/1.0", ", \"must_understand\": true"), "g/ A/a G/g"},
	    {EXTENSION("none/1.0", ", \"must_understand\": false"), "g/ A/a G/g"},
	};
	static const parts usual = {.type = NULL};
	zinc_error err = ZINC_ERROR_INIT;
	char text[512];
	size_t i;
	forest f;

	(void)state;
	for (i = 0; i < COUNT(cases); i++) {
		assert_ok(plant(&f, &dialects[0], &usual, &err));
		snprintf(text, sizeof text, "{\"extensions\": [%s], \"attributes\": {}}", cases[i].extensions);
		forest_put(&f, "meta/root/g.group", text);
		assert_string_equal(forest_list(&f, "/", -1), cases[i].list);
		assert_ok(zinc_attributes_edit(f.h, "/g", &(zinc_attribute){"k", "2"}, 1, NULL, &err));
		assert_non_null(strstr(forest_get(&f, "meta/root/g.group"), "\"must_understand\""));
		text[0] = '\0';
		assert_ok(zinc_extensions(f.h, "/g", note, text, NULL, &err));
		assert_true(strlen(text) > 8);
		forest_close(&f);
	}
}

/* Documents that are not JSON: made, listed, edited, read.  22-43+ 22-44+ */
static void
encodings(void **state)
{
	static const uint64_t shape[] = {4};
	zinc_error err = ZINC_ERROR_INIT;
	char encoding[256], key[64];
	zinc_blob json = ZINC_BLOB_INIT;
	zinc_array *a;
	size_t i;
	forest f;

	(void)state;
	for (i = 0; i < COUNT(dialects); i++) {
		const dialect *d = &dialects[i];

		snprintf(encoding, sizeof encoding, d->other, BASE "turned/1.0");
		assert_ok(open_with(&f, d, encoding, "", &err));
		/* plain JSON is not a document here */
		assert_int_not_equal(zinc_node_erase(f.h, "/", NULL, &err), ZINC_OK);
		assert_ok(zinc_node_erase_with(f.h, "/", ZINC_ERASE_OPTIONS(.force = 1), NULL, &err));
		assert_ok(zinc_array_create(&a, f.h, "/g/b",
					    ZINC_ARRAY_OPTIONS(.ndim = 1, .shape = shape, .dtype = "int16"), &err));
		zinc_array_close(a);
		assert_ok(zinc_attributes_edit(f.h, "/g/b", &(zinc_attribute){"k", "[1, 2]"}, 1, NULL, &err));
		assert_ok(
		    zinc_attributes_edit(f.h, "/g", &(zinc_attribute){"k", "3"}, 1, NULL, &err)); /* made explicit */
		assert_string_equal(forest_list(&f, "/", -1), "g/ G/g A/g/b");
		assert_ok(zinc_attributes_get(f.h, "/g/b", "k", &json, NULL, &err));
		assert_string_equal(json.data, "[1,2]");
		zinc_blob_fini(&json);
		snprintf(key, sizeof key, "%.*sg/b.array%s", (int)strlen(d->array_key) - 7, d->array_key,
			 d->other_suffix);
		assert_non_null(forest_get(&f, key));
		assert_int_equal((unsigned char)forest_get(&f, key)[0], (unsigned char)~'{');
		forest_put(&f, key, "{\"plain\": \"JSON\"}");
		assert_int_equal(zinc_array_open(&a, f.h, "/g/b", NULL, &err), ZINC_E_CORRUPT);
		forest_close(&f);
		snprintf(encoding, sizeof encoding, d->other, BASE "none/1.0");
		assert_int_equal(open_with(&f, d, encoding, "", &err), ZINC_E_UNSUPPORTED);
		assert_non_null(strstr(err.text, BASE "none/1.0"));
		forest_close(&f);
	}
}

/* ---- writing ---- */

static const char v3_codecs[] =
    "[\"test.backwards\", \"bytes\", {\"name\": \"test.xor\", \"configuration\": {\"key\": 90}}]";

/* Made by a program through the common options: each in the draft's own place, and read back. */
static void
creating(void **state)
{
	static const uint64_t shape[] = {8}, chunks[] = {4};
	zinc_error err = ZINC_ERROR_INIT;
	unsigned char in[16], out[16];
	const char *text;
	zinc_array *a;
	char key[64];
	size_t i;
	forest f;

	(void)state;
	for (i = 0; i < sizeof in; i++)
		in[i] = (unsigned char)(3 * i);
	for (i = 0; i < COUNT(dialects); i++) {
		assert_ok(open_with(&f, &dialects[i], dialects[i].encoding, "", &err));
		assert_ok(zinc_node_erase(f.h, "/a", NULL, &err));
		assert_ok(zinc_array_create(&a, f.h, "/a",
					    ZINC_ARRAY_OPTIONS(.ndim = 1, .shape = shape, .chunks = chunks,
							       .dtype = "test.pair", .fill = "[1, 2]",
							       .codecs = v3_codecs, .key_encoding = "test.keys"),
					    &err));
		assert_ok(zinc_array_write_text(a, NULL, ZINC_BUFFER_AS(ZINC_NATIVE, in, 16), NULL, &err));
		zinc_array_close(a);
		snprintf(key, sizeof key, "%s%s", dialects[i].array_key, dialects[i].suffix);
		text = forest_get(&f, key);
		assert_non_null(strstr(text, BASE "pair/1.0"));
		assert_non_null(strstr(text, "\"fallback\": \"r16\""));
		assert_non_null(strstr(text, BASE "backwards/1.0"));
		assert_non_null(strstr(text, BASE "xor/1.0"));
		assert_non_null(strstr(text, BASE "keys/1.0"));
		snprintf(key, sizeof key, "%schunk-1", dialects[i].data);
		assert_non_null(forest_get(&f, key));
		assert_ok(zinc_array_open(&a, f.h, "/a", NULL, &err));
		assert_ok(zinc_array_read_text(a, NULL, ZINC_BUFFER_AS(ZINC_NATIVE, out, 16), NULL, &err));
		assert_memory_equal(in, out, 16);
		zinc_array_close(a);
		forest_close(&f);
	}
}

/* ---- failing allocations ---- */

static zinc_status
scenario(void *arg, zinc_context *ctx, zinc_error *err)
{
	static const parts p = {
	    .type = EXTENSION("pair/1.0", ", \"type\": \"test.pair\""),
	    .fill = "[1, 2]",
	    .layout = EXTENSION("backwards/1.4", ", \"type\": \"test.backwards\""),
	    .codec = BASE "xor/1.0\", \"configuration\": {\"key\": 90}",
	    .extensions = EXTENSION("keys/1.0", ", \"must_understand\": true") "," EXTENSION(
		"mask/1.0", ", \"must_understand\": true, \"of\": 1"),
	};
	const dialect *d = arg;
	char text[2048], entry[1024], encoding[256], key[64];
	zinc_hierarchy *h = NULL;
	zinc_array *a = NULL;
	zinc_store *s = NULL;
	zinc_status st = zinc_store_open(&s, "memory://draft-extend", ZINC_STORE_OPTIONS(.context = ctx), err);
	size_t i, n;

	snprintf(encoding, sizeof encoding, d->other, BASE "turned/1.2");
	snprintf(entry, sizeof entry, "{\"zarr_format\": \"%s\", %s, \"extensions\": []}", d->core, encoding);
	write_array(text, sizeof text, d, &p);
	n = strlen(text);
	for (i = 0; i < n; i++)
		text[i] = (char)~text[i];
	snprintf(key, sizeof key, "%s%s", d->array_key, d->other_suffix);
	if (st == ZINC_OK)
		st = zinc_store_put(s, NULL, "zarr.json", entry, strlen(entry), NULL, 0, NULL, NULL, err);
	if (st == ZINC_OK)
		st = zinc_store_put(s, NULL, key, text, n, NULL, 0, NULL, NULL, err);
	if (st == ZINC_OK)
		st = zinc_hierarchy_open(&h, s, "", ZINC_OPEN_OPTIONS(.context = ctx), err);
	if (st == ZINC_OK)
		st = zinc_array_open(&a, h, "/a", NULL, err);
	if (st == ZINC_OK)
		st = zinc_attributes_edit(h, "/a", &(zinc_attribute){"k", "[1, 2]"}, 1, NULL, err);
	zinc_array_close(a);
	zinc_hierarchy_close(h);
	zinc_store_close(s);
	return st;
}

static void
memory(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(dialects); i++)
		assert_true(sweep_alloc(scenario, (void *)(uintptr_t)&dialects[i]) > 50);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(known),       cmocka_unit_test(minor_versions), cmocka_unit_test(unknown),
	    cmocka_unit_test(refused),     cmocka_unit_test(refused_types),  cmocka_unit_test(ignorable),
	    cmocka_unit_test(hierarchies), cmocka_unit_test(groups),         cmocka_unit_test(encodings),
	    cmocka_unit_test(creating),    cmocka_unit_test(memory),
	};

	return cmocka_run_group_tests(tests, setup, NULL);
}
