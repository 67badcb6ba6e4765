/*
 * test_codec_layout.c - the promises of codec_layout.c, by number
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zinc/extend.h>

#include "support/chains.h"
#include "support/sweep.h"
#include "support/test.h"

static int opened; /* layouts open now; every test ends with none */

static zinc_status
open_layout(void **self, const char *configuration, const zinc_codec_input *input, zinc_error *err)
{
	assert_true(input->size == sizeof *input && input->element_size == 2 && input->ndim == 2);
	if (configuration && strstr(configuration, "bad"))
		return zinc_error_set(err, ZINC_E_INVALID, "no bad ones");
	opened++;
	*self = &opened;
	return ZINC_OK;
}

static void
close_layout(void *self)
{
	assert_ptr_equal(self, &opened);
	opened--;
}

/* Rows in turn from left to right and back: 0 1 2 / 5 4 3. */
static uint64_t
place_snake(void *self, int ndim, const uint64_t *shape, const uint64_t *index)
{
	assert_ptr_equal(self, &opened);
	assert_int_equal(ndim, 2);
	return index[0] * shape[1] + (index[0] % 2 ? shape[1] - 1 - index[1] : index[1]);
}

static uint64_t wrong_place; /* of the last element */

static uint64_t
place_wrong(void *self, int ndim, const uint64_t *shape, const uint64_t *index)
{
	const uint64_t i = index[0] * shape[1] + index[1];

	(void)self, (void)ndim;
	return i + 1 == shape[0] * shape[1] ? wrong_place : i;
}

static const char *const snake_uris[] = {"https://example.org/layouts/snake/1.0", NULL};
static const zinc_memory_layout_def snake = {.size = sizeof snake,
					     .name = "test.snake",
					     .uris = snake_uris,
					     .v2 = "snake",
					     .purpose = "rows in turn from left to right and back",
					     .open = open_layout,
					     .close = close_layout,
					     .place = place_snake},
				    wrong = {.size = sizeof wrong, .name = "test.wrong", .place = place_wrong};

static const uint64_t shape[] = {2, 3, ENDED};
static const int16_t elements[] = {1, 2, 3, 4, 5, 6};

#define LITTLE "{\"name\": \"bytes\", \"configuration\": {\"endian\": \"little\"}}"
#define SNAKE  "[\"test.snake\", " LITTLE "]"
#define WRONG  "[\"test.wrong\", " LITTLE "]"

static void
elements_are_laid_out(void **state)
{
	static const uint8_t laid[] = {1, 0, 2, 0, 3, 0, 6, 0, 5, 0, 4, 0};
	zinc_error err = ZINC_ERROR_INIT;
	int16_t back[6];
	chain_case t;

	(void)state;
	assert_ok(chain_init(&t, NULL, SNAKE, "int16", shape, NULL, true, &err));
	assert_ok(chain_encode(&t, elements, &err));
	assert_int_equal(t.out.n, sizeof laid);
	assert_memory_equal(t.out.p, laid, sizeof laid);
	assert_ok(chain_decode(&t, laid, sizeof laid, back, &err));
	assert_memory_equal(back, elements, sizeof back);
	chain_fini(&t);
	chain_roundtrip("[\"test.snake\", {\"name\": \"transpose\", \"configuration\": {\"order\": [1, 0]}}, " LITTLE
			"]",
			"int16", shape, &elements[0], elements);
	assert_int_equal(opened, 0);
}

/* (1) */
static void
wrong_places(void **state)
{
	static const uint64_t places[] = {0, 6, UINT64_MAX};
	const uint8_t bytes[12] = {0};
	zinc_error err = ZINC_ERROR_INIT;
	int16_t back[6];
	chain_case t;
	size_t i;

	(void)state;
	assert_ok(chain_init(&t, NULL, WRONG, "int16", shape, NULL, true, &err));
	for (i = 0; i < COUNT(places); i++) {
		wrong_place = places[i];
		assert_int_equal(chain_encode(&t, elements, &err), ZINC_E_INVALID);
		assert_non_null(strstr(err.text, i ? "which is outside" : "which is taken"));
		assert_int_equal(chain_decode(&t, bytes, sizeof bytes, back, &err), ZINC_E_INVALID);
	}
	wrong_place = 5;
	assert_int_equal(chain_encode(&t, elements, &err), ZINC_OK);
	chain_fini(&t);
}

static void
findings(void **state)
{
	(void)state;
	chain_finds("[{\"name\": \"test.snake\", \"configuration\": {\"bad\": 1}}, " LITTLE "]", "int16", shape,
		    ZINC_E_CORRUPT, "test.snake", "/0/configuration");
	chain_finds("[\"test.snake\", \"vlen-utf8\"]", "string", shape, ZINC_E_CORRUPT, "M65", "/0");
	assert_int_equal(opened, 0);
}

/* (2), and a failing allocation leaves nothing allocated */
static zinc_status
code_twice(void *arg, zinc_context *ctx, zinc_error *err)
{
	chain_case t;
	zinc_status st = chain_init(&t, ctx, SNAKE, "int16", shape, NULL, true, err);
	sweep_memory *m = arg;
	unsigned long before;

	if (st == ZINC_OK)
		st = chain_encode(&t, elements, err);
	if (st == ZINC_OK && m) {
		before = m->calls;
		st = chain_encode(&t, elements, err);
		assert_int_equal(m->calls, before);
	}
	chain_fini(&t);
	return st;
}

static void
memory(void **state)
{
	zinc_context_options o = ZINC_CONTEXT_OPTIONS_INIT;
	zinc_error err = ZINC_ERROR_INIT;
	zinc_context *ctx;
	sweep_memory m;

	(void)state;
	sweep_memory_init(&m);
	o.allocator = &m.allocator;
	assert_ok(zinc_context_new(&ctx, &o, &err));
	assert_ok(code_twice(&m, ctx, &err));
	zinc_context_free(ctx);
	assert_int_equal(m.blocks, 0);
	assert_true(sweep_alloc(code_twice, NULL) > 5);
	assert_int_equal(opened, 0);
}

static void
registration(void **state)
{
	zinc_memory_layout_def d = snake;
	zinc_error err = ZINC_ERROR_INIT;
	zinc_uri_match match;

	(void)state;
	assert_int_equal(zinc_register_memory_layout(NULL, &err), ZINC_E_INVALID);
	assert_int_equal(zinc_register_memory_layout(&d, &err), ZINC_E_EXISTS);
	d.name = "test.other";
	assert_int_equal(zinc_register_memory_layout(&d, &err), ZINC_E_EXISTS); /* its URI */
	d.uris = NULL;
	d.place = NULL;
	assert_int_equal(zinc_register_memory_layout(&d, &err), ZINC_E_INVALID);
	assert_true(zinc_codec_find_uri(snake_uris[0], &match)->layout);
	assert_string_equal(zinc_codec_find_v2("snake")->name, "test.snake");
	assert_false(zinc_codec_find("transpose")->layout);
}

static int
setup(void **state)
{
	(void)state;
	return zinc_register_memory_layout(&snake, NULL) || zinc_register_memory_layout(&wrong, NULL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(elements_are_laid_out),
	    cmocka_unit_test(wrong_places),
	    cmocka_unit_test(findings),
	    cmocka_unit_test(memory),
	    cmocka_unit_test(registration),
	};

	return cmocka_run_group_tests(tests, setup, NULL);
}
