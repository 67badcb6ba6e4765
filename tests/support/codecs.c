/*
 * codecs.c - shared checks for the tests of single codecs
 */
#include <stdlib.h>

#include "support/codecs.h"
#include "support/sweep.h"
#include "support/test.h"

/* ---- bytes ---- */

void
codec_decodes(const char *codecs, const char *dtype, const uint64_t *shape, const char *hex, zinc_status st,
	      const void *elements)
{
	uint8_t *bytes = (uint8_t *)malloc(strlen(hex) + 1), *back;
	zinc_error err = ZINC_ERROR_INIT;
	chain_case t;
	size_t n;

	assert_non_null(bytes);
	n = unhex(hex, bytes, strlen(hex) + 1);
	assert_ok(chain_init(&t, NULL, codecs, dtype, shape, NULL, true, &err));
	back = (uint8_t *)malloc(chain_nbytes(&t) + 1);
	assert_non_null(back);
	if (chain_decode(&t, bytes, n, back, &err) != st)
		fail_msg("%s: %s is \"%s\"", codecs, hex, zinc_error_text(&err));
	if (st == ZINC_OK)
		assert_memory_equal(back, elements, chain_nbytes(&t));
	else if (!err.codec[0] || !strstr(codecs, err.codec))
		fail_msg("%s: the error names the codec \"%s\"", codecs, err.codec);
	chain_fini(&t);
	free(back);
	free(bytes);
}

void
codec_encodes(const char *codecs, const char *dtype, const uint64_t *shape, const void *elements, zinc_status st,
	      const char *hex)
{
	zinc_error err = ZINC_ERROR_INIT;
	uint8_t want[4096];
	chain_case t;

	assert_ok(chain_init(&t, NULL, codecs, dtype, shape, NULL, true, &err));
	if (chain_encode(&t, elements, &err) != st)
		fail_msg("%s: \"%s\"", codecs, zinc_error_text(&err));
	if (st == ZINC_OK) {
		assert_int_equal(t.out.n, unhex(hex, want, sizeof want));
		assert_memory_equal(t.out.p, want, t.out.n);
	} else {
		assert_int_equal(t.out.n, 0);
		assert_string_not_equal(err.codec, "");
	}
	chain_fini(&t);
}

void
codec_bomb(const char *codecs, const char *dtype, const uint64_t *shape, const void *bytes, size_t n, long most)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_context *ctx = NULL;
	sweep_memory m;
	zinc_view view;
	chain_case t;

	sweep_memory_init(&m);
	assert_ok(zinc_context_new(&ctx, ZINC_CONTEXT_OPTIONS(.allocator = &m.allocator), &err));
	assert_ok(chain_init(&t, ctx, codecs, dtype, shape, NULL, true, &err));
	assert_int_equal(
	    zinc_chain_decode(t.chain, t.s, shape, (zinc_bytes){(const uint8_t *)bytes, n}, NULL, 0, &view, &err),
	    ZINC_E_CORRUPT);
	if (m.peak > most)
		fail_msg("%s: took %ld bytes", codecs, (long)m.peak);
	chain_fini(&t);
	zinc_context_free(ctx);
	assert_int_equal(m.blocks, 0);
}

/* ---- configurations ---- */

static void
assert_json(const zinc_json *v, const char *want)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_json_doc *doc = NULL;
	zinc_buf line;

	assert_ok(zinc_json_parse(&doc, NULL, want, strlen(want), 0, &err));
	if (!zinc_json_equal(v, zinc_json_root(doc))) {
		zinc_buf_init(&line, NULL, PTRDIFF_MAX);
		assert_ok(zinc_json_print_line(v, &line, &err));
		fail_msg("%s instead of %s", zinc_buf_text(&line), want);
	}
	zinc_json_free(doc);
}

static void
assert_printed(const chain_case *t, const char *want)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_json_doc *doc = NULL;
	zinc_json *v = NULL;

	assert_ok(zinc_json_new(&doc, NULL, &err));
	assert_ok(zinc_chain_print(t->chain, doc, &v, &err));
	assert_json(v, want);
	zinc_json_free(doc);
}

static zinc_status
append_v2(const zinc_codec *c, zinc_json_doc *doc, zinc_json *list, zinc_error *err)
{
	zinc_json *v = NULL;

	if (strcmp(c->ops->name, "bytes") == 0)
		return ZINC_OK;
	ZINC_TRY(zinc_codec_print_v2(c, doc, &v, err));
	return v ? zinc_json_append(list, v, err) : ZINC_OK;
}

static zinc_status
print_v2(const zinc_chain *c, zinc_json_doc *doc, zinc_json **out, zinc_error *err)
{
	int i;

	*out = zinc_json_make(doc, ZINC_JSON_ARRAY);
	for (i = 0; i < c->naa; i++)
		ZINC_TRY(append_v2(c->aa[i], doc, *out, err));
	ZINC_TRY(append_v2(c->ab, doc, *out, err));
	for (i = 0; i < c->nbb; i++)
		ZINC_TRY(append_v2(c->bb[i], doc, *out, err));
	return ZINC_OK;
}

void
codec_prints(const char *codecs, const char *dtype, const char *printed, const char *v2)
{
	const uint64_t shape[] = {4, ENDED};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_json_doc *doc = NULL;
	zinc_json *v = NULL;
	chain_case t;

	assert_ok(chain_init(&t, NULL, codecs, dtype, shape, NULL, true, &err));
	assert_printed(&t, printed);
	assert_ok(zinc_json_new(&doc, NULL, &err));
	assert_ok(print_v2(t.chain, doc, &v, &err));
	assert_json(v, v2);
	zinc_json_free(doc);
	chain_fini(&t);
	assert_ok(chain_init(&t, NULL, printed, dtype, shape, NULL, true, &err));
	assert_printed(&t, printed);
	chain_fini(&t);
}

void
codec_words(const char *text, const char *dtype, const char *codecs)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_json_doc *doc = NULL;
	zinc_rep rep = {.ndim = 1, .shape = {4}};
	zinc_json *v = NULL;
	zinc_status st;

	assert_ok(zinc_dtype_parse_text(&rep.dtype, NULL, NULL, dtype, &err));
	assert_ok(zinc_json_new(&doc, NULL, &err));
	st = zinc_chain_parse_text(&v, doc, text, &rep, false, false, &err);
	assert_int_equal(st, codecs ? ZINC_OK : ZINC_E_INVALID);
	if (codecs)
		assert_json(v, codecs);
	zinc_json_free(doc);
	zinc_dtype_free(rep.dtype);
}

/* ---- memory ---- */

typedef struct work {
	const char *codecs, *dtype;
	const uint64_t *shape;
	const void *elements;
} work;

static zinc_status
there_and_back(chain_case *t, const work *w, zinc_error *err)
{
	zinc_json_doc *doc = NULL;
	zinc_json *v = NULL;
	zinc_view view;
	zinc_status st;

	ZINC_TRY(zinc_json_new(&doc, t->ctx, err));
	st = zinc_chain_print(t->chain, doc, &v, err);
	if (st == ZINC_OK)
		st = print_v2(t->chain, doc, &v, err);
	zinc_json_free(doc);
	ZINC_TRY(st);
	ZINC_TRY(chain_encode(t, w->elements, err));
	return zinc_chain_decode(t->chain, t->s, w->shape, (zinc_bytes){t->out.p, t->out.n}, NULL, 0, &view, err);
}

static zinc_status
everything(void *arg, zinc_context *ctx, zinc_error *err)
{
	const work *w = (const work *)arg;
	chain_case t;
	zinc_status st = chain_init(&t, ctx, w->codecs, w->dtype, w->shape, NULL, true, err);

	if (st == ZINC_OK)
		st = there_and_back(&t, w, err);
	chain_fini(&t);
	return st;
}

void
codec_sweep(const char *codecs, const char *dtype, const uint64_t *shape, const void *elements)
{
	work w = {codecs, dtype, shape, elements};

	assert_true(sweep_alloc(everything, &w) > 5);
}

void
codec_warm(const char *codecs, const char *dtype, const uint64_t *shape, const void *elements)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_context *ctx = NULL;
	sweep_memory m;
	zinc_view view;
	chain_case t;
	int i;

	sweep_memory_init(&m);
	assert_ok(zinc_context_new(&ctx, ZINC_CONTEXT_OPTIONS(.allocator = &m.allocator), &err));
	assert_ok(chain_init(&t, ctx, codecs, dtype, shape, NULL, true, &err));
	for (i = 0; i < 6; i++) {
		if (i == 2)
			sweep_memory_fail(&m, 0, false);
		assert_ok(chain_encode(&t, elements, &err));
		assert_ok(zinc_chain_decode(t.chain, t.s, shape, (zinc_bytes){t.out.p, t.out.n}, NULL, 0, &view, &err));
	}
	assert_int_equal(m.calls, 0);
	chain_fini(&t);
	zinc_context_free(ctx);
}
