/*
 * chains.c - chains of codecs for tests
 */
#include <stdio.h>
#include <stdlib.h>

#include "support/chains.h"
#include "support/test.h"

static void
found(void *arg, zinc_severity severity, const char *rule, const char *pointer, const char *message)
{
	chain_case *t = (chain_case *)arg;

	t->found++;
	t->severity = severity;
	snprintf(t->rule, sizeof t->rule, "%s", rule);
	snprintf(t->pointer, sizeof t->pointer, "%s", pointer);
	snprintf(t->message, sizeof t->message, "%s", message);
}

zinc_status
chain_init(chain_case *t, zinc_context *ctx, const char *codecs, const char *dtype, const uint64_t *shape,
	   const void *fill, bool strict, zinc_error *err)
{
	zinc_rep rep = {.fill = fill};
	zinc_report r;
	bool big;

	memset(t, 0, sizeof *t);
	t->ctx = ctx = zinc_context_get(ctx);
	zinc_buf_init(&t->out, ctx, PTRDIFF_MAX);
	ZINC_TRY(zinc_json_parse(&t->doc, ctx, codecs, strlen(codecs), 0, err));
	ZINC_TRY(zinc_dtype_parse_text(&t->dtype, &big, ctx, dtype, err));
	rep.dtype = t->dtype;
	for (; shape[rep.ndim] != ENDED; rep.ndim++)
		rep.shape[rep.ndim] = shape[rep.ndim];
	zinc_report_init(&r, ctx, strict, "test");
	r.found = found;
	r.arg = t;
	ZINC_TRY(zinc_chain_parse(&t->chain, ctx, zinc_json_root(t->doc), &rep, &r, err));
	assert_string_equal(r.pointer, "");
	t->s = zinc_scratch_get(ctx);
	return t->s ? ZINC_OK : zinc_fail_nomem(err);
}

void
chain_fini(chain_case *t)
{
	zinc_scratch_put(t->s);
	zinc_chain_free(t->chain);
	zinc_dtype_free(t->dtype);
	zinc_json_free(t->doc);
	zinc_buf_fini(&t->out);
}

size_t
chain_nbytes(const chain_case *t)
{
	const zinc_rep *rep = &t->chain->rep;
	uint64_t n = 0;

	assert_int_equal(zinc_shape_bytes(rep->shape, rep->ndim, rep->dtype->size, PTRDIFF_MAX, &n), 0);
	return (size_t)n;
}

zinc_status
chain_encode(chain_case *t, const void *elements, zinc_error *err)
{
	const zinc_rep *rep = &t->chain->rep;
	zinc_view v = {.p = (uint8_t *)(uintptr_t)elements};

	zinc_strides_c(rep->shape, rep->ndim, rep->dtype->size, v.strides);
	t->out.n = 0;
	return zinc_chain_encode(t->chain, t->s, rep->shape, &v, &t->out, err);
}

zinc_status
chain_decode(chain_case *t, const void *bytes, size_t n, void *elements, zinc_error *err)
{
	const zinc_rep *rep = &t->chain->rep;
	zinc_copy_dim dims[ZINC_MAX_NDIM];
	int64_t strides[ZINC_MAX_NDIM];
	uint8_t *copy = (uint8_t *)malloc(n ? n : 1);
	zinc_status st;
	int i;

	assert_non_null(copy);
	if (n)
		memcpy(copy, bytes, n);
	st = zinc_chain_decode(t->chain, t->s, rep->shape, (zinc_bytes){copy, n}, NULL, 0, &t->view, err);
	zinc_strides_c(rep->shape, rep->ndim, rep->dtype->size, strides);
	for (i = 0; i < rep->ndim; i++)
		dims[i] =
		    (zinc_copy_dim){.n = rep->shape[i], .dst_stride = strides[i], .src_stride = t->view.strides[i]};
	if (st == ZINC_OK && chain_nbytes(t) > 0)
		zinc_copy_nd(elements, t->view.p, dims, rep->ndim, rep->dtype->size);
	free(copy);
	return st;
}

void
chain_roundtrip(const char *codecs, const char *dtype, const uint64_t *shape, const void *fill, const void *elements)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_context *ctx = NULL;
	size_t n, bound;
	chain_case t;
	uint8_t *back;

	assert_ok(zinc_context_new(&ctx, NULL, &err));
	assert_ok(chain_init(&t, ctx, codecs, dtype, shape, fill, true, &err));
	n = chain_nbytes(&t);
	back = (uint8_t *)malloc(n + 1);
	assert_non_null(back);
	assert_ok(chain_encode(&t, elements, &err));
	assert_int_equal(zinc_chain_bound(t.chain, t.chain->rep.shape, &bound), 0);
	assert_true(t.chain->fixed_size ? t.out.n == bound : t.out.n <= bound);
	assert_ok(chain_decode(&t, t.out.p, t.out.n, back, &err));
	assert_memory_equal(back, elements, n);
	free(back);
	chain_fini(&t);
	zinc_context_free(ctx);
}

static void
finds(const char *codecs, const char *dtype, const uint64_t *shape, bool strict, zinc_status status, const char *rule,
      const char *pointer, zinc_severity severity)
{
	zinc_error err = ZINC_ERROR_INIT;
	chain_case t;
	zinc_status st = chain_init(&t, NULL, codecs, dtype, shape, NULL, strict, &err);

	if (st != status || strcmp(t.rule, rule) != 0 || strcmp(t.pointer, pointer) != 0 || t.severity != severity)
		fail_msg("%s: wanted %s, %s at \"%s\", found %s (%s), %s at \"%s\"", codecs, zinc_status_name(status),
			 rule, pointer, zinc_status_name(st), zinc_error_text(&err), t.rule, t.pointer);
	assert_int_equal(zinc_error_status(&err), status);
	chain_fini(&t);
}

void
chain_finds(const char *codecs, const char *dtype, const uint64_t *shape, zinc_status st, const char *rule,
	    const char *pointer)
{
	const zinc_severity severity = st == ZINC_OK              ? ZINC_SEVERITY_WARNING
				       : st == ZINC_E_UNSUPPORTED ? ZINC_SEVERITY_UNSUPPORTED
								  : ZINC_SEVERITY_ERROR;

	finds(codecs, dtype, shape, false, st, rule, pointer, severity);
	if (st == ZINC_OK)
		finds(codecs, dtype, shape, true, ZINC_E_CORRUPT, rule, pointer, ZINC_SEVERITY_ERROR);
}

/* Decode damaged bytes; 1 if the damage was visible only in the elements. */
static size_t
decode_damaged(chain_case *t, const uint8_t *bytes, size_t n, const void *elements, uint8_t *back)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_status st = chain_decode(t, bytes, n, back, &err);

	if (st == ZINC_OK)
		return memcmp(back, elements, chain_nbytes(t)) != 0;
	assert_true(st == ZINC_E_CORRUPT || st == ZINC_E_CHECKSUM || st == ZINC_E_UNSUPPORTED);
	assert_int_equal(zinc_error_status(&err), st);
	assert_string_not_equal(err.codec, "");
	return 0;
}

size_t
chain_damage(chain_case *t, const void *bytes, size_t n, const void *elements)
{
	uint8_t *copy = (uint8_t *)malloc(n + 1), *back = (uint8_t *)malloc(chain_nbytes(t) + 1);
	size_t i, unnoticed = 0;

	assert_true(copy && back);
	memcpy(copy, bytes, n);
	for (i = 0; i < n; i++)
		unnoticed += decode_damaged(t, copy, i, elements, back);
	for (i = 0; i < 8 * n; i++) {
		copy[i / 8] ^= (uint8_t)(1 << i % 8);
		unnoticed += decode_damaged(t, copy, n, elements, back);
		copy[i / 8] ^= (uint8_t)(1 << i % 8);
	}
	copy[n] = 0; /* one byte too many */
	unnoticed += decode_damaged(t, copy, n + 1, elements, back);
	free(copy);
	free(back);
	return unnoticed;
}

void
assert_damage_noticed(const char *codecs)
{
	static const char text[] = "hello, zinc";
	zinc_error err = ZINC_ERROR_INIT;
	chain_case t;

	assert_ok(chain_init(&t, NULL, codecs, "uint8", (uint64_t[]){sizeof text - 1, ENDED}, NULL, true, &err));
	assert_ok(chain_encode(&t, text, &err));
	assert_int_equal(chain_damage(&t, t.out.p, t.out.n, text), 0);
	chain_fini(&t);
}

size_t
unhex(const char *hex, void *out, size_t cap)
{
	uint8_t *p = (uint8_t *)out;
	size_t n = 0;
	unsigned byte;

	for (; *hex; hex += 2) {
		while (*hex == ' ')
			hex++;
		if (!*hex)
			break;
		assert_int_equal(sscanf(hex, "%2x", &byte), 1);
		assert_true(n < cap);
		p[n++] = (uint8_t)byte;
	}
	return n;
}
