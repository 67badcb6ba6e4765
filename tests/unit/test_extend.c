/*
 * test_extend.c - extensions of programs: the promises of codec_user.c, by number, and the adapters of types, grids
 * and keys
 */
#include <stdio.h>
#include <stdlib.h>
#include <zinc/extend.h>

#include "support/chains.h"
#include "support/sweep.h"
#include "support/test.h"

static int opened; /* things open now; every test ends with none */

static zinc_status
open_any(void **self, const char *configuration, const zinc_codec_input *input, zinc_error *err)
{
	if (configuration && strstr(configuration, "bad"))
		return zinc_error_set(err, ZINC_E_INVALID, "no bad ones");
	if (configuration && strstr(configuration, "silent"))
		return ZINC_E_INVALID;
	if (configuration && strstr(configuration, "lacking"))
		return zinc_error_set(err, ZINC_E_UNSUPPORTED, "not on Sundays");
	assert_true(input->size == sizeof *input && input->element_size > 0 && input->dtype && input->shape);
	opened++;
	*self = &opened;
	return ZINC_OK;
}

static void
close_any(void *self)
{
	assert_ptr_equal(self, &opened);
	opened--;
}

/* ---- a codec of each kind ---- */

static size_t
same_bound(void *self, size_t nbytes)
{
	(void)self;
	return nbytes;
}

/* Bytes->bytes: each byte doubled, or a failure on request. */
static enum { WELL, TOO_MUCH, TOO_LITTLE, SILENT } manners;

static size_t
twice_bound(void *self, size_t nbytes)
{
	(void)self;
	return nbytes > SIZE_MAX / 2 ? SIZE_MAX : 2 * nbytes;
}

static zinc_status
twice_encode(void *self, const uint64_t *shape, const void *in, size_t nin, void *out, size_t *nout, zinc_error *err)
{
	size_t i;

	(void)self, (void)err;
	assert_null(shape);
	assert_int_equal(*nout, 2 * nin);
	if (manners == SILENT)
		return ZINC_E_IO;
	for (i = 0; i < nin; i++)
		((uint8_t *)out)[2 * i] = ((uint8_t *)out)[2 * i + 1] = ((const uint8_t *)in)[i];
	*nout = manners == TOO_MUCH ? 2 * nin + 1 : manners == TOO_LITTLE ? 2 * nin - 1 : 2 * nin;
	return ZINC_OK;
}

static zinc_status
twice_decode(void *self, const uint64_t *shape, const void *in, size_t nin, void *out, size_t *nout, zinc_error *err)
{
	const uint8_t *p = (const uint8_t *)in;
	size_t i, room = *nout;

	(void)self;
	assert_null(shape);
	*nout = manners == TOO_LITTLE ? nin / 2 - 1 : nin / 2;
	if (manners == SILENT)
		return ZINC_E_CORRUPT;
	if (*nout > room)
		return zinc_error_set(err, ZINC_E_LIMIT, "more room");
	for (i = 0; i < *nout; i++) {
		if (p[2 * i] != p[2 * i + 1])
			return zinc_error_set(err, ZINC_E_CORRUPT, "two bytes that differ");
		((uint8_t *)out)[i] = p[2 * i];
	}
	if (manners == TOO_MUCH)
		*nout = room + 1;
	return nin % 2 ? zinc_error_set(err, ZINC_E_CORRUPT, "an odd byte") : ZINC_OK;
}

/* Array->array: uint16 -> uint8 minus 100. */
static const char *
small_dtype(void *self)
{
	(void)self;
	return "uint8";
}

static zinc_status
small_encode(void *self, const uint64_t *shape, const void *in, size_t nin, void *out, size_t *nout, zinc_error *err)
{
	size_t i;
	uint16_t v;

	(void)self;
	assert_non_null(shape);
	assert_int_equal(*nout, nin / 2);
	for (i = 0; i < nin / 2; i++) {
		memcpy(&v, (const uint8_t *)in + 2 * i, 2);
		if (v < 100 || v > 355)
			return zinc_error_set(err, ZINC_E_RANGE, "not from 100 to 355");
		((uint8_t *)out)[i] = (uint8_t)(v - 100);
	}
	return ZINC_OK;
}

static zinc_status
small_decode(void *self, const uint64_t *shape, const void *in, size_t nin, void *out, size_t *nout, zinc_error *err)
{
	size_t i;
	uint16_t v;

	(void)self, (void)err, (void)shape;
	assert_int_equal(*nout, 2 * nin);
	for (i = 0; i < nin; i++) {
		v = (uint16_t)(((const uint8_t *)in)[i] + 100);
		memcpy((uint8_t *)out + 2 * i, &v, 2);
	}
	return ZINC_OK;
}

/* Array->bytes: the elements' bytes backwards. */
static zinc_status
back_code(void *self, const uint64_t *shape, const void *in, size_t nin, void *out, size_t *nout, zinc_error *err)
{
	size_t i;

	(void)self;
	assert_non_null(shape);
	if (nin != *nout)
		return zinc_error_set(err, ZINC_E_CORRUPT, "another length");
	for (i = 0; i < nin; i++)
		((uint8_t *)out)[i] = ((const uint8_t *)in)[nin - 1 - i];
	return ZINC_OK;
}

static const char *const twice_aliases[] = {"test.double", NULL};
static const zinc_codec_def twice = {.size = sizeof twice,
				     .name = "test.twice",
				     .aliases = twice_aliases,
				     .purpose = "every byte twice",
				     .stage = ZINC_STAGE_BYTES_BYTES,
				     .open = open_any,
				     .close = close_any,
				     .bound = twice_bound,
				     .encode = twice_encode,
				     .decode = twice_decode};
static const zinc_codec_def small = {.size = sizeof small,
				     .name = "test.small",
				     .stage = ZINC_STAGE_ARRAY_ARRAY,
				     .needs_configuration = 1,
				     .open = open_any,
				     .close = close_any,
				     .encoded_dtype = small_dtype,
				     .encode = small_encode,
				     .decode = small_decode};
static const zinc_codec_def back = {.size = sizeof back,
				    .name = "test.back",
				    .stage = ZINC_STAGE_ARRAY_BYTES,
				    .fixed_size = 1,
				    .open = open_any,
				    .close = close_any,
				    .bound = same_bound,
				    .encode = back_code,
				    .decode = back_code};

#define SMALL "{\"name\":\"test.small\",\"configuration\":{\"x\":1}}"
#define INDEX "\"index_codecs\":[{\"name\":\"bytes\",\"configuration\":{\"endian\":\"little\"}}]"

static const uint64_t s23[] = {2, 3, ENDED};

static int
register_all(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;

	(void)state;
	assert_ok(zinc_register_codec(&twice, &err));
	assert_ok(zinc_register_codec(&small, &err));
	assert_ok(zinc_register_codec(&back, &err));
	return 0;
}

static void
refused(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_codec_def d = twice;

	(void)state;
	assert_int_equal(zinc_register_codec(NULL, &err), ZINC_E_INVALID);
	assert_int_equal(zinc_register_codec(&twice, &err), ZINC_E_EXISTS);
	d.name = "gzip";
	assert_int_equal(zinc_register_codec(&d, &err), ZINC_E_EXISTS);
	d.name = "test.other"; /* its alias is taken */
	assert_int_equal(zinc_register_codec(&d, &err), ZINC_E_EXISTS);
	d.aliases = NULL;
	d.name = NULL;
	assert_int_equal(zinc_register_codec(&d, &err), ZINC_E_INVALID);
	d.name = "test.other";
	d.stage = (zinc_codec_stage)0;
	assert_int_equal(zinc_register_codec(&d, &err), ZINC_E_INVALID);
	d.stage = (zinc_codec_stage)4;
	assert_int_equal(zinc_register_codec(&d, &err), ZINC_E_INVALID);
	d = twice;
	d.bound = NULL;
	assert_int_equal(zinc_register_codec(&d, &err), ZINC_E_INVALID);
	d = twice;
	d.size = 0;
	assert_int_equal(zinc_register_codec(&d, &err), ZINC_E_INVALID);
	assert_null(zinc_codec_find("test.other"));
}

static void
codecs(void **state)
{
	const uint16_t in[] = {100, 101, 200, 300, 355, 100};

	(void)state;
	chain_roundtrip("[\"test.back\"]", "uint16", s23, NULL, in);
	chain_roundtrip("[\"test.back\",\"test.twice\"]", "uint16", s23, NULL, in);
	chain_roundtrip("[\"test.back\",\"test.twice\",\"test.twice\",\"crc32c\"]", "uint16", s23, NULL, in);
	chain_roundtrip("[" SMALL ",\"bytes\"]", "uint16", s23, NULL, in);
	chain_roundtrip("[{\"name\":\"transpose\",\"configuration\":{\"order\":[1,0]}}," SMALL
			",{\"name\":\"transpose\",\"configuration\":{\"order\":[1,0]}},\"bytes\",\"test.twice\"]",
			"uint16", s23, NULL, in);
	chain_roundtrip("[" SMALL ",\"bytes\",\"crc32c\"]", "uint16", s23, NULL, in);
	assert_int_equal(opened, 0);
}

/* (2) An inner chunk of fill value is left out, where the fill value has become another. */
static void
fill_follows(void **state)
{
	const uint16_t in[] = {107, 107, 107, 107, 107, 120}, fill = 107, too_small = 99;
	zinc_error err = ZINC_ERROR_INIT;
	uint16_t out[6];
	chain_case t;

	(void)state;
	assert_ok(chain_init(&t, NULL,
			     "[" SMALL
			     ",{\"name\":\"sharding_indexed\",\"configuration\":{\"chunk_shape\":[1,3],\"codecs\":["
			     "\"bytes\"]," INDEX "}}]",
			     "uint16", s23, &fill, true, &err));
	assert_int_equal(*(const uint8_t *)t.chain->ab_rep.fill, 7);
	assert_false(t.chain->open_shard);
	assert_ok(chain_encode(&t, in, &err));
	assert_int_equal(t.out.n, 3 + 32);
	assert_ok(chain_decode(&t, t.out.p, t.out.n, out, &err));
	assert_memory_equal(in, out, sizeof in);
	chain_fini(&t);
	/* one that cannot be encoded is found when the chain is opened */
	assert_int_equal(chain_init(&t, NULL, "[" SMALL ",\"bytes\"]", "uint16", s23, &too_small, true, &err),
			 ZINC_E_CORRUPT);
	assert_string_equal(t.rule, "test.small");
	chain_fini(&t);
	assert_int_equal(opened, 0);
}

static void
configurations(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_json_doc *doc = NULL;
	zinc_json *list = NULL;
	zinc_buf text;
	chain_case t;

	(void)state;
	chain_finds("[\"test.small\",\"bytes\"]", "uint16", s23, ZINC_E_CORRUPT, "M14", "/0");
	chain_finds("[{\"name\":\"test.small\"},\"bytes\"]", "uint16", s23, ZINC_E_CORRUPT, "test.small", "/0");
	chain_finds("[{\"name\":\"test.back\",\"configuration\":{\"x\":\"bad\"}}]", "uint16", s23, ZINC_E_CORRUPT,
		    "test.back", "/0/configuration");
	chain_finds("[{\"name\":\"test.back\",\"configuration\":{\"x\":\"silent\"}}]", "uint16", s23, ZINC_E_CORRUPT,
		    "test.back", "/0/configuration");
	chain_finds("[{\"name\":\"test.back\",\"configuration\":{\"x\":\"lacking\"}}]", "uint16", s23,
		    ZINC_E_UNSUPPORTED, "test.back", "/0/configuration");
	chain_finds("[\"test.back\",\"test.double\"]", "uint16", s23, ZINC_OK, "M20", "/1");
	/* M89: its size is not fixed */
	chain_finds(
	    "[{\"name\":\"sharding_indexed\",\"configuration\":{\"chunk_shape\":[1,3],\"codecs\":[\"test.back\"],"
	    "\"index_codecs\":[\"test.back\",\"test.twice\"]}}]",
	    "uint16", s23, ZINC_E_CORRUPT, "M89", "/0/configuration/index_codecs");
	/* the configuration is printed unchanged */
	assert_ok(chain_init(&t, NULL, "[{\"name\":\"test.back\",\"configuration\":{\"b\":[1,2.50],\"a\":null}}]",
			     "uint16", s23, NULL, true, &err));
	assert_ok(zinc_json_new(&doc, NULL, &err));
	assert_ok(zinc_chain_print(t.chain, doc, &list, &err));
	zinc_buf_init(&text, NULL, SIZE_MAX);
	assert_ok(zinc_json_print_line(list, &text, &err));
	assert_string_equal(zinc_buf_text(&text),
			    "[{\"name\":\"test.back\",\"configuration\":{\"b\":[1,2.50],\"a\":null}}]");
	zinc_buf_fini(&text);
	zinc_json_free(doc);
	chain_fini(&t);
	assert_int_equal(opened, 0);
}

/* (1) (3) */
static void
bad_manners(void **state)
{
	const uint16_t in[] = {1, 2, 3, 4, 5, 6};
	zinc_error err = ZINC_ERROR_INIT;
	uint16_t out[6];
	uint8_t good[24];
	chain_case t;

	(void)state;
	assert_ok(chain_init(&t, NULL, "[\"test.back\",\"test.twice\"]", "uint16", s23, NULL, true, &err));
	assert_ok(chain_encode(&t, in, &err));
	memcpy(good, t.out.p, sizeof good);
	for (manners = TOO_MUCH; manners <= SILENT; manners++) {
		err = (zinc_error)ZINC_ERROR_INIT;
		if (manners != TOO_LITTLE) { /* shorter is legal for a codec without fixed size */
			assert_int_not_equal(chain_encode(&t, in, &err), ZINC_OK);
			assert_string_equal(err.codec, "test.twice");
		}
		err = (zinc_error)ZINC_ERROR_INIT;
		assert_int_not_equal(chain_decode(&t, good, sizeof good, out, &err), ZINC_OK);
		assert_string_equal(err.codec, "test.twice");
		assert_string_not_equal(err.text, "");
	}
	manners = WELL;
	assert_int_equal(chain_damage(&t, good, sizeof good, in), 0);
	chain_fini(&t);
	assert_int_equal(opened, 0);
}

static zinc_status
use_codecs(void *arg, zinc_context *ctx, zinc_error *err)
{
	const uint16_t in[] = {100, 101, 200, 300, 355, 100}, fill = 100;
	uint16_t out[6];
	chain_case t;
	zinc_status st = chain_init(&t, ctx, (const char *)arg, "uint16", s23, &fill, true, err);

	if (st == ZINC_OK)
		st = chain_encode(&t, in, err);
	if (st == ZINC_OK)
		st = chain_decode(&t, t.out.p, t.out.n, out, err);
	if (st == ZINC_OK)
		assert_memory_equal(in, out, sizeof in);
	chain_fini(&t);
	assert_int_equal(opened, 0);
	return st;
}

static void
out_of_memory(void **state)
{
	static char list[] = "[" SMALL ",\"test.back\",\"test.twice\",\"test.twice\"]";

	(void)state;
	assert_true(sweep_alloc(use_codecs, list) > 10);
}

/* ---- a data type: points of two int16, written "x/y" ---- */

static zinc_status
point_parse(void *self, const char *json, void *element, zinc_error *err)
{
	int16_t v[2];

	(void)self;
	if (sscanf(json, "\"%hd/%hd\"", &v[0], &v[1]) != 2)
		return zinc_error_set(err, ZINC_E_INVALID, "want \"x/y\"");
	memcpy(element, v, sizeof v);
	return ZINC_OK;
}

static size_t
point_print(void *self, const void *element, char *out, size_t room)
{
	int16_t v[2];

	(void)self;
	memcpy(v, element, sizeof v);
	return (size_t)snprintf(out, room, "\"%d/%d\"", v[0], v[1]);
}

/* Long enough not to fit the first guess at a length. */
static size_t
point_text(void *self, const void *element, char *out, size_t room)
{
	(void)self, (void)element;
	return (size_t)snprintf(out, room, "%0200d", 7);
}

static void
dtypes(void **state)
{
	static const zinc_dtype_def point = {.size = sizeof point,
					     .name = "test.point",
					     .purpose = "two numbers",
					     .element_size = 4,
					     .unit = 2,
					     .parse_fill = point_parse,
					     .print_fill = point_print,
					     .print_text = point_text};
	zinc_context *ctx = zinc_context_get(NULL);
	zinc_error err = ZINC_ERROR_INIT;
	zinc_json_doc *doc = NULL;
	const zinc_dtype *t = NULL;
	const int16_t in[] = {1, -2, 3, 4};
	int16_t element[2];
	zinc_dtype_def d = point;
	zinc_report r;
	zinc_buf b;
	bool big;

	(void)state;
	assert_ok(zinc_register_dtype(&point, &err));
	assert_int_equal(zinc_register_dtype(&point, &err), ZINC_E_EXISTS);
	d.name = "int8";
	assert_int_equal(zinc_register_dtype(&d, &err), ZINC_E_EXISTS);
	d.element_size = 0;
	assert_int_equal(zinc_register_dtype(&d, &err), ZINC_E_INVALID);
	assert_int_equal(zinc_register_dtype(NULL, &err), ZINC_E_INVALID);
	assert_ok(zinc_dtype_parse_text(&t, &big, ctx, "test.point", &err));
	assert_int_equal(t->size, 4);
	assert_int_equal(t->unit, 2);
	assert_ok(zinc_json_parse(&doc, ctx, "\"-5/6\"", 6, 0, &err));
	zinc_report_init(&r, ctx, true, "test");
	assert_ok(t->ops->parse_fill(t, zinc_json_root(doc), element, &r, &err));
	assert_int_equal(element[0], -5);
	assert_int_equal(element[1], 6);
	assert_true(zinc_json_is_string(t->ops->print_fill(t, element, doc), "-5/6"));
	assert_int_equal(t->ops->parse_fill(t, zinc_json_make(doc, ZINC_JSON_TRUE), element, &r, &err), ZINC_E_CORRUPT);
	assert_non_null(strstr(err.text, "M59"));
	zinc_buf_init(&b, ctx, SIZE_MAX);
	assert_ok(t->ops->print(t, element, ZINC_SPELL_TEXT, &b, &err));
	assert_int_equal(b.n, 200);
	zinc_buf_fini(&b);
	zinc_json_free(doc);
	zinc_dtype_free(t);
	chain_roundtrip("[{\"name\":\"bytes\",\"configuration\":{\"endian\":\"big\"}}]", "test.point",
			(const uint64_t[]){2, ENDED}, NULL, in);
}

/* ---- a grid: chunks of 1, 2, 4, 8 ... elements ---- */

static zinc_status
grid_open(void **self, const char *configuration, int ndim, const uint64_t *shape, zinc_error *err)
{
	if (configuration && strstr(configuration, "bad"))
		return zinc_error_set(err, ZINC_E_INVALID, "no bad ones");
	assert_true(ndim == 0 || shape);
	opened++;
	*self = &opened;
	return ZINC_OK;
}

static uint64_t
grid_find(void *self, int dim, uint64_t i)
{
	uint64_t chunk = 0;

	(void)self, (void)dim;
	for (i++; i > 1; i /= 2)
		chunk++;
	return chunk;
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
	*extent = (uint64_t)1 << chunk;
	*start = *extent - 1;
}

static uint64_t
grid_widest(void *self, int dim)
{
	(void)self, (void)dim;
	return 64;
}

static void
grids(void **state)
{
	static const zinc_grid_def def = {.size = sizeof def,
					  .name = "test.powers",
					  .open = grid_open,
					  .close = close_any,
					  .count = grid_count,
					  .find = grid_find,
					  .span = grid_span,
					  .widest = grid_widest};
	static const char text[] = "{\"name\":\"test.powers\",\"configuration\":{\"x\":1}}";
	static const char bad[] = "{\"name\":\"test.powers\",\"configuration\":{\"x\":\"bad\"}}";
	zinc_context *ctx = zinc_context_get(NULL);
	zinc_error err = ZINC_ERROR_INIT;
	const uint64_t shape[] = {100};
	uint64_t start, extent;
	zinc_grid_def d = def;
	zinc_json_doc *doc = NULL;
	zinc_grid *g = NULL;
	zinc_report r;

	(void)state;
	assert_ok(zinc_register_grid(&def, &err));
	assert_int_equal(zinc_register_grid(&def, &err), ZINC_E_EXISTS);
	d.find = NULL;
	assert_int_equal(zinc_register_grid(&d, &err), ZINC_E_INVALID);
	assert_int_equal(zinc_register_grid(NULL, &err), ZINC_E_INVALID);
	zinc_report_init(&r, ctx, true, "test");
	assert_ok(zinc_json_parse(&doc, ctx, text, sizeof text - 1, 0, &err));
	assert_ok(zinc_grid_parse(&g, ctx, zinc_json_root(doc), 1, shape, &r, &err));
	assert_int_equal(zinc_grid_count(g, 0, 100), 7);
	assert_int_equal(zinc_grid_chunk_of(g, 0, 3), 2);
	zinc_grid_span(g, 0, 3, &start, &extent);
	assert_int_equal(start, 7);
	assert_int_equal(extent, 8);
	assert_int_equal(zinc_grid_widest(g, 0), 64);
	assert_true(zinc_json_equal(zinc_grid_print(g, doc), zinc_json_root(doc)));
	zinc_grid_free(g);
	zinc_json_free(doc);
	assert_ok(zinc_json_parse(&doc, ctx, bad, sizeof bad - 1, 0, &err));
	assert_int_equal(zinc_grid_parse(&g, ctx, zinc_json_root(doc), 1, shape, &r, &err), ZINC_E_CORRUPT);
	zinc_json_free(doc);
	assert_int_equal(opened, 0);
}

/* ---- a key encoding: "chunk-3-1" ---- */

static size_t
key_encode(void *self, const uint64_t *index, int ndim, char *out, size_t room)
{
	size_t n = (size_t)snprintf(out, room, "chunk");
	int i;

	(void)self;
	for (i = 0; i < ndim; i++)
		n += (size_t)snprintf(n < room ? out + n : NULL, n < room ? room - n : 0, "-%llu",
				      (unsigned long long)index[i]);
	return n;
}

static int
key_decode(void *self, const char *key, int ndim, uint64_t *index)
{
	char again[2000];
	int i;

	if (strncmp(key, "chunk", 5) != 0)
		return 0;
	key += 5;
	for (i = 0; i < ndim; i++) {
		char *end;

		if (*key != '-')
			return 0;
		index[i] = strtoull(key + 1, &end, 10);
		key = end;
	}
	return *key == '\0' && key_encode(self, index, ndim, again, sizeof again) > 0;
}

static void
keys(void **state)
{
	static const zinc_key_encoding_def def = {
	    .size = sizeof def, .name = "test.chunk", .encode = key_encode, .decode = key_decode};
	static const char text[] = "\"test.chunk\"";
	zinc_context *ctx = zinc_context_get(NULL);
	zinc_error err = ZINC_ERROR_INIT;
	const uint64_t index[] = {3, 1};
	uint64_t many[ZINC_MAX_NDIM], got[ZINC_MAX_NDIM];
	zinc_key_encoding_def d = def;
	zinc_json_doc *doc = NULL;
	zinc_report r;
	zinc_keys k;
	zinc_buf b;
	int i;

	(void)state;
	assert_ok(zinc_register_key_encoding(&def, &err));
	assert_int_equal(zinc_register_key_encoding(&def, &err), ZINC_E_EXISTS);
	d.decode = NULL;
	assert_int_equal(zinc_register_key_encoding(&d, &err), ZINC_E_INVALID);
	assert_int_equal(zinc_register_key_encoding(NULL, &err), ZINC_E_INVALID);
	zinc_report_init(&r, ctx, true, "test");
	assert_ok(zinc_json_parse(&doc, ctx, text, sizeof text - 1, 0, &err));
	assert_ok(zinc_keys_parse(&k, ctx, zinc_json_root(doc), &r, &err));
	zinc_buf_init(&b, ctx, SIZE_MAX);
	assert_ok(zinc_buf_puts(&b, "a/", &err));
	assert_ok(zinc_keys_encode(&k, index, 2, &b, &err));
	assert_string_equal(zinc_buf_text(&b), "a/chunk-3-1");
	assert_true(zinc_keys_decode(&k, "chunk-3-1", 2, got));
	assert_int_equal(got[0], 3);
	assert_int_equal(got[1], 1);
	assert_false(zinc_keys_decode(&k, "chunk-3", 2, got));
	/* a key longer than the first guess */
	for (i = 0; i < ZINC_MAX_NDIM; i++)
		many[i] = UINT64_MAX - 2;
	b.n = 0;
	assert_ok(zinc_keys_encode(&k, many, ZINC_MAX_NDIM, &b, &err));
	assert_int_equal(b.n, 5 + 21 * ZINC_MAX_NDIM);
	assert_true(zinc_keys_decode(&k, zinc_buf_text(&b), ZINC_MAX_NDIM, got));
	assert_memory_equal(many, got, sizeof many);
	assert_non_null(zinc_keys_print(&k, doc));
	zinc_buf_fini(&b);
	zinc_keys_fini(&k);
	zinc_json_free(doc);
}

/* ---- lists ---- */

static int
look_for(void *arg, const char *name, const char *also, const char *purpose)
{
	assert_true(name && also && purpose);
	return strcmp(name, *(const char **)arg) == 0 ? (*(const char **)arg = "", 1) : 0;
}

static void
lists(void **state)
{
	const char *name;

	(void)state;
	zinc_list_codecs(look_for, (name = "test.twice", &name));
	assert_string_equal(name, "");
	zinc_list_dtypes(look_for, (name = "test.point", &name));
	assert_string_equal(name, "");
	zinc_list_grids(look_for, (name = "test.powers", &name));
	assert_string_equal(name, "");
	zinc_list_key_encodings(look_for, (name = "test.chunk", &name));
	assert_string_equal(name, "");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(refused),        cmocka_unit_test(codecs),      cmocka_unit_test(fill_follows),
	    cmocka_unit_test(configurations), cmocka_unit_test(bad_manners), cmocka_unit_test(out_of_memory),
	    cmocka_unit_test(dtypes),         cmocka_unit_test(grids),       cmocka_unit_test(keys),
	    cmocka_unit_test(lists),
	};

	return cmocka_run_group_tests(tests, register_all, NULL);
}
