/*
 * test_elements.c - the promises of elements.c, by number: arrays of NumPy's types, through a store and back
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zinc/numpy.h>

#include "support/arrays.h"
#include "support/chains.h"
#include "support/sweep.h"
#include "support/test.h"

static zinc_array *
create(stage *s, const char *name, const char *dtype, uint64_t n, int big)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_array *a = NULL;

	assert_ok(zinc_array_create(
	    &a, s->h, name,
	    ZINC_ARRAY_OPTIONS(.ndim = 1, .shape = &n, .dtype = dtype, .codecs = "none", .big_endian = big), &err));
	return a;
}

static const char *
print(const zinc_array *a, const void *element, zinc_spelling how)
{
	static char text[400];
	zinc_error err = ZINC_ERROR_INIT;
	size_t n = 0;

	assert_ok(zinc_array_element_print(a, element, how, text, sizeof text, &n, &err));
	assert_int_equal(n, strlen(text));
	return text;
}

/* The bytes of NumPy's tobytes(), both byte orders, and the result. */
static const struct kind {
	const char *dtype; /* for create */
	const char *numpy, *little, *big_numpy, *big;
	const char *text, *repr, *json;
} kinds[] = {
    {"bool", "'|b1'", "01", "'|b1'", "01", "True", "True", "true"},
    {"int16", "'<i2'", "feff", "'>i2'", "fffe", "-2", "-2", "-2"},
    {"float32", "'<f4'", "0000c03f", "'>f4'", "3fc00000", "1.5", "1.5", "1.5"},
    {"complex64", "'<c8'", "0000c03f0000807f", "'>c8'", "3fc000007f800000", "(1.5+infj)", "(1.5+infj)",
     "[1.5,\"Infinity\"]"},
    {"r16", "'|V2'", "01ff", "'|V2'", "01ff", "b'\\x01\\xFF'", "b'\\x01\\xFF'", "\"Af8=\""},
    {"<M8[s]", "'<M8[s]'", "80510100 00000000", "'>M8[s]'", "00000000 00015180", "1970-01-02T00:00:00",
     "'1970-01-02T00:00:00'", "\"1970-01-02T00:00:00\""},
    {"m8[D]", "'<m8[D]'", "0000000000000080", "'>m8[D]'", "8000000000000000", "NaT", "'NaT'", "\"NaT\""},
    {"U2", "'<U2'", "e9000000 00000000", "'>U2'", "000000e9 00000000", "\xc3\xa9", "'\xc3\xa9'", "\"\xc3\xa9\""},
    {"S3", "'|S3'", "616200", "'|S3'", "616200", "ab", "b'ab'", "\"ab\""},
    {"[['id','<i4'],['flags','|u1'],['value','<f8']]", "[('id', '<i4'), ('flags', '|u1'), ('value', '<f8')]",
     "01000000 02 000000000000f03f", "[('id', '>i4'), ('flags', '|u1'), ('value', '>f8')]",
     "00000001 02 3ff0000000000000", "(1, 2, 1.0)", "(1, 2, 1.0)", "{\"id\":1,\"flags\":2,\"value\":1.0}"},
    {"[['a','<i2',[2]],['n',[['t','<M8[D]']]]]", "[('a', '<i2', (2,)), ('n', [('t', '<M8[D]')])]",
     "0100 0200 0000000000000000", "[('a', '>i2', (2,)), ('n', [('t', '>M8[D]')])]", "0001 0002 0000000000000000",
     "([1, 2], ('1970-01-01',))", "([1, 2], ('1970-01-01',))", "{\"a\":[1,2],\"n\":{\"t\":\"1970-01-01\"}}"},
};

/* (2) */
static void
through_a_store(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	size_t i, n, k;
	stage s;

	(void)state;
	stage_open(&s, 1, 0);
	for (i = 0; i < 2 * COUNT(kinds); i++) {
		const struct kind *x = &kinds[i / 2];
		const bool big = i % 2;
		uint8_t stored[64], native[64], back[64], other[64];
		zinc_numpy *same = NULL, *reverse = NULL;
		zinc_blob blob = ZINC_BLOB_INIT;
		char name[32], text[200];
		zinc_array *a;

		snprintf(name, sizeof name, "a%zu", i);
		a = create(&s, name, x->dtype, 1, big);
		n = unhex(x->little, stored, sizeof stored);
		assert_int_equal(zinc_array_element_size(a), n);
		assert_int_equal(zinc_array_numpy(a, text, sizeof text), strlen(x->numpy));
		assert_string_equal(text, x->numpy);
		assert_ok(zinc_numpy_new(&same, s.ctx, x->numpy, &err));
		assert_ok(zinc_numpy_new(&reverse, s.ctx, x->big_numpy, &err));
		assert_int_equal(zinc_numpy_size(same), n);
		/* from either order to this machine's ... */
		assert_ok(zinc_array_from_numpy(a, same, native, stored, 1, 0, NULL, &err));
		assert_int_equal(unhex(x->big, other, sizeof other), n);
		assert_ok(zinc_array_from_numpy(a, reverse, back, other, 1, 0, NULL, &err));
		assert_memory_equal(native, back, n);
		assert_string_equal(print(a, native, ZINC_SPELL_TEXT), x->text);
		assert_string_equal(print(a, native, ZINC_SPELL_REPR), x->repr);
		assert_string_equal(print(a, native, ZINC_SPELL_JSON), x->json);
		/* ... into the store, where they are in the array's ... */
		assert_ok(zinc_array_write(a, NULL, ZINC_BUFFER_AS(ZINC_NATIVE, native, n), NULL, &err));
		assert_ok(zinc_array_chunk_get(a, (uint64_t[]){0}, &blob, NULL, &err));
		assert_int_equal(blob.nbytes, n);
		assert_memory_equal(blob.data, big ? other : stored, n);
		zinc_blob_fini(&blob);
		/* ... and back */
		memset(back, 0xee, sizeof back);
		assert_ok(zinc_array_read(a, NULL, ZINC_BUFFER_AS(ZINC_NATIVE, back, n), NULL, &err));
		assert_memory_equal(back, native, n);
		assert_ok(zinc_array_to_numpy(a, same, back, native, 1, 0, &err));
		assert_memory_equal(back, stored, n);
		assert_ok(zinc_array_to_numpy(a, reverse, back, native, 1, 0, &err));
		assert_memory_equal(back, other, n);
		for (k = 0; k < COUNT(kinds); k++) { /* no other kind of type is accepted, except for numbers */
			zinc_numpy *t = NULL;
			zinc_status st;

			assert_ok(zinc_numpy_new(&t, s.ctx, kinds[k].numpy, &err));
			st = zinc_array_from_numpy(a, t, back, native, 0, 0, NULL, &err);
			if (k == i / 2)
				assert_int_equal(st, ZINC_OK);
			else if (k > 3 || i / 2 > 3)
				assert_int_equal(st, ZINC_E_INVALID);
			zinc_numpy_free(t);
		}
		zinc_numpy_free(same);
		zinc_numpy_free(reverse);
		zinc_array_close(a);
	}
	stage_close(&s);
}

/* (1) As snprintf, to the byte. */
static void
room(void **state)
{
	static const char want[] = "(1, 2, 1.0)";
	uint8_t element[13] = {1, 0, 0, 0, 2};
	zinc_error err = ZINC_ERROR_INIT;
	char text[20];
	zinc_array *a;
	size_t n, k;
	stage s;

	(void)state;
	memcpy(element, &(int32_t){1}, 4);
	memcpy(element + 5, &(double){1}, 8);
	stage_open(&s, 1, 0);
	a = create(&s, "a", kinds[9].dtype, 1, 0);
	for (k = 0; k < sizeof text; k++) {
		memset(text, '#', sizeof text);
		assert_ok(zinc_array_element_print(a, element, ZINC_SPELL_TEXT, text, k, &n, &err));
		assert_int_equal(n, strlen(want));
		assert_int_equal(text[k], '#');
		if (k > 0) {
			assert_memory_equal(text, want, k - 1 < n ? k - 1 : n);
			assert_int_equal(text[k - 1 < n ? k - 1 : n], '\0');
		}
		assert_int_equal(zinc_array_numpy(a, text, k), strlen(kinds[9].numpy));
		assert_int_equal(text[k], k == 0 ? '#' : text[k]);
	}
	assert_int_equal(zinc_array_numpy(a, NULL, 0), strlen(kinds[9].numpy));
	assert_ok(zinc_array_element_print(a, element, ZINC_SPELL_JSON, NULL, 0, &n, &err));
	assert_int_equal(n, strlen(kinds[9].json));
	assert_int_equal(zinc_array_element_print(NULL, element, ZINC_SPELL_TEXT, text, 1, &n, &err), ZINC_E_INVALID);
	assert_int_equal(zinc_array_element_print(a, NULL, ZINC_SPELL_TEXT, text, 1, &n, &err), ZINC_E_INVALID);
	assert_string_equal(
	    zinc_array_dtype(a),
	    "{\"name\":\"struct\",\"configuration\":{\"fields\":[{\"name\":\"id\",\"data_type\":\"int32\"},{"
	    "\"name\":\"flags\",\"data_type\":\"uint8\"},{\"name\":\"value\",\"data_type\":\"float64\"}]}}");
	zinc_array_close(a);
	stage_close(&s);
}

static void
no_memory_where_it_fits(void **state)
{
	const uint64_t one = 1;
	uint8_t element[64] = {0};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_context *ctx = NULL;
	zinc_hierarchy *h = NULL;
	char text[200], name[20];
	sweep_memory m;
	size_t i, n;
	int how;

	(void)state;
	sweep_memory_init(&m);
	assert_ok(zinc_context_new(&ctx, ZINC_CONTEXT_OPTIONS(.allocator = &m.allocator), &err));
	assert_ok(zinc_hierarchy_open_url(&h, "memory://", ZINC_OPEN_OPTIONS(.context = ctx, .create = 1), &err));
	for (i = 0; i < COUNT(kinds); i++) {
		zinc_array *a = NULL;

		snprintf(name, sizeof name, "a%zu", i);
		assert_ok(zinc_array_create(
		    &a, h, name, ZINC_ARRAY_OPTIONS(.ndim = 1, .shape = &one, .dtype = kinds[i].dtype), &err));
		sweep_memory_fail(&m, 0, false);
		for (how = ZINC_SPELL_TEXT; how <= ZINC_SPELL_JSON; how++)
			assert_ok(
			    zinc_array_element_print(a, element, (zinc_spelling)how, text, sizeof text, &n, &err));
		assert_true(zinc_array_numpy(a, text, sizeof text) > 0);
		assert_int_equal(m.calls, 0);
		zinc_array_close(a);
	}
	zinc_hierarchy_close(h);
	zinc_context_free(ctx);
}

/* Texts of other lengths, and of variable length. */
static void
texts(void **state)
{
	static const uint32_t three[9] = {'a', 0, 0, 'b', 0xe9, 0, 0, 0, 0};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_numpy *u3 = NULL, *u2 = NULL, *u1 = NULL;
	zinc_arena *arena = NULL;
	zinc_vlen v[3];
	uint32_t out[9];
	zinc_array *a, *u;
	char text[8];
	stage s;

	(void)state;
	stage_open(&s, 1, 0);
	assert_ok(zinc_arena_new(&arena, s.ctx, 0, &err));
	assert_ok(zinc_numpy_new(&u3, s.ctx, ZINC_HOST_BIG ? ">U3" : "<U3", &err));
	assert_ok(zinc_numpy_new(&u2, s.ctx, ZINC_HOST_BIG ? ">U2" : "<U2", &err));
	assert_ok(zinc_numpy_new(&u1, s.ctx, "<U1", &err));
	a = create(&s, "a", "string", 3, 0);
	assert_int_equal(zinc_array_numpy(a, text, sizeof text), 0);
	assert_int_equal(zinc_array_from_numpy(a, u3, v, three, 3, 0, NULL, &err), ZINC_E_INVALID);
	assert_ok(zinc_array_from_numpy(a, u3, v, three, 3, 0, arena, &err));
	assert_string_equal(print(a, &v[1], ZINC_SPELL_REPR), "'b\xc3\xa9'");
	assert_int_equal(v[2].nbytes, 0);
	assert_ok(zinc_array_to_numpy(a, u3, out, v, 3, 0, &err));
	assert_memory_equal(out, three, sizeof three);
	assert_ok(zinc_array_to_numpy(a, u2, out, v, 3, 0, &err));
	assert_int_equal(out[3], 0xe9);
	assert_int_equal(zinc_array_to_numpy(a, u1, out, v, 3, 0, &err), ZINC_E_RANGE);
	assert_non_null(strstr(err.text, "element 1"));
	u = create(&s, "u", "U2", 3, 0);
	assert_ok(zinc_array_from_numpy(u, u3, out, three, 3, 0, NULL, &err));
	assert_int_equal(out[2], 'b');
	zinc_array_close(a);
	zinc_array_close(u);
	zinc_numpy_free(u3);
	zinc_numpy_free(u2);
	zinc_numpy_free(u1);
	zinc_numpy_free(NULL);
	zinc_arena_free(arena);
	stage_close(&s);
}

/* More elements than are converted at once; the first that does not fit is named. */
static void
many(void **state)
{
	enum { N = 20000 };
	static int64_t in[N], out[N];
	zinc_error err = ZINC_ERROR_INIT;
	zinc_numpy *t = NULL;
	zinc_array *a;
	size_t i;
	stage s;

	(void)state;
	stage_open(&s, 1, 0);
	a = create(&s, "a", "M8[ms]", N, 0);
	assert_ok(zinc_numpy_new(&t, s.ctx, ZINC_HOST_BIG ? ">M8[s]" : "<M8[s]", &err));
	for (i = 0; i < N; i++)
		in[i] = (int64_t)i;
	assert_ok(zinc_array_from_numpy(a, t, out, in, N, 0, NULL, &err));
	for (i = 0; i < N; i++)
		assert_int_equal(out[i], 1000 * (int64_t)i);
	out[N - 1]++;
	assert_int_equal(zinc_array_to_numpy(a, t, in, out, N, 0, &err), ZINC_E_RANGE);
	assert_non_null(strstr(err.text, "'1970-01-01T05:33:19.001'"));
	zinc_numpy_free(t);
	zinc_array_close(a);
	stage_close(&s);
}

static void
wrong_types(void **state)
{
	static const struct {
		const char *descr;
		zinc_status status;
	} rows[] = {
	    {"'|O'", ZINC_E_UNSUPPORTED}, {"'<f16'", ZINC_E_UNSUPPORTED}, {"'<x4'", ZINC_E_INVALID},
	    {"", ZINC_E_INVALID},         {"[('a',)]", ZINC_E_INVALID},   {"'<U99999999999'", ZINC_E_LIMIT},
	};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_numpy *t;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++)
		assert_int_equal(zinc_numpy_new(&t, NULL, rows[i].descr, &err), rows[i].status);
	assert_int_equal(zinc_numpy_new(&t, NULL, NULL, &err), ZINC_E_INVALID);
}

/* A type unknown to this build. */
static void
unsupported(void **state)
{
	static const char document[] =
	    "{\"zarr_format\": 3, \"node_type\": \"array\", \"shape\": [4], \"data_type\": {\"name\": \"odd.type\", "
	    "\"configuration\": {\"a\": 1}}, \"chunk_grid\": {\"name\": \"regular\", \"configuration\": "
	    "{\"chunk_shape\": "
	    "[2]}}, \"chunk_key_encoding\": \"default\", \"fill_value\": 0, \"codecs\": [\"bytes\"]}";
	zinc_error err = ZINC_ERROR_INIT;
	zinc_array *a = NULL;
	char text[8];
	size_t n;
	stage s;

	(void)state;
	stage_open(&s, 1, 0);
	assert_ok(
	    zinc_store_put(s.memory, NULL, "a/zarr.json", document, sizeof document - 1, NULL, 0, NULL, NULL, &err));
	assert_ok(zinc_array_open(&a, s.h, "a", NULL, &err));
	assert_string_equal(zinc_array_dtype(a), "{\"name\":\"odd.type\",\"configuration\":{\"a\":1}}");
	assert_int_equal(zinc_array_numpy(a, text, sizeof text), 0);
	assert_int_equal(zinc_array_element_print(a, document, ZINC_SPELL_TEXT, text, sizeof text, &n, &err),
			 ZINC_E_UNSUPPORTED);
	zinc_array_close(a);
	stage_close(&s);
}

static zinc_status
use(void *arg, zinc_context *ctx, zinc_error *err)
{
	const uint64_t one = 1;
	uint32_t in[3] = {'a', 'b', 0};
	zinc_hierarchy *h = NULL;
	zinc_arena *arena = NULL;
	zinc_numpy *t = NULL;
	zinc_array *a = NULL;
	char text[2];
	zinc_vlen v;
	size_t n;
	zinc_status st = zinc_arena_new(&arena, ctx, 0, err);

	(void)arg;
	if (st == ZINC_OK)
		st = zinc_hierarchy_open_url(&h, "memory://", ZINC_OPEN_OPTIONS(.context = ctx, .create = 1), err);
	if (st == ZINC_OK)
		st =
		    zinc_array_create(&a, h, "a", ZINC_ARRAY_OPTIONS(.ndim = 1, .shape = &one, .dtype = "string"), err);
	if (st == ZINC_OK)
		st = zinc_numpy_new(&t, ctx, ZINC_HOST_BIG ? ">U3" : "<U3", err);
	if (st == ZINC_OK)
		st = zinc_array_from_numpy(a, t, &v, in, 1, 0, arena, err);
	if (st == ZINC_OK)
		st = zinc_array_element_print(a, &v, ZINC_SPELL_JSON, text, sizeof text, &n, err);
	if (st == ZINC_OK)
		st = zinc_array_to_numpy(a, t, in, &v, 1, 0, err);
	zinc_numpy_free(t);
	zinc_array_close(a);
	zinc_hierarchy_close(h);
	zinc_arena_free(arena);
	return st;
}

static void
memory_may_be_out(void **state)
{
	(void)state;
	assert_true(sweep_alloc(use, NULL) > 30);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(through_a_store),
	    cmocka_unit_test(room),
	    cmocka_unit_test(no_memory_where_it_fits),
	    cmocka_unit_test(texts),
	    cmocka_unit_test(many),
	    cmocka_unit_test(wrong_types),
	    cmocka_unit_test(unsupported),
	    cmocka_unit_test(memory_may_be_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
