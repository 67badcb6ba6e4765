/*
 * fuzz_dtype.c - any text as a data type, any bytes as its elements
 *
 *     input: [0 v3, 1 v2, 2 NumPy][the type][NUL][a fill value][NUL][bytes of elements]
 *
 * (1) The printed form of a type parses into a type that prints the same, in every vocabulary that has it.
 * (2) An accepted fill value, printed and parsed again, has the same bits.
 * (3) Any bytes, without bits that the type ignores, can be byte-swapped and back, and printed or refused; printed JSON
 *     is valid.
 */
#include <stdlib.h>

#include "dtype/dtype.h"
#include "fuzz.h"

static zinc_context *ctx;

static zinc_status
parse(const zinc_dtype **out, bool *big, int how, const char *text, size_t n)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_json_doc *doc = NULL;
	zinc_report r;
	zinc_status st;

	zinc_report_init(&r, ctx, false, "fuzz");
	*big = false;
	if (how == 2)
		return zinc_dtype_parse_numpy(out, big, ctx, text, &err);
	st = zinc_json_parse(&doc, ctx, text, n, 0, NULL);
	if (st != ZINC_OK)
		return st;
	st = how == 0 ? zinc_dtype_parse(out, ctx, zinc_json_root(doc), &r, &err)
		      : zinc_dtype_parse_v2(out, big, ctx, zinc_json_root(doc), &r, &err);
	insist(st == err.code);
	zinc_json_free(doc);
	return st;
}

/* The type in one of the vocabularies; false: it has no form there. */
static bool
print(const zinc_dtype *t, bool big, int how, zinc_buf *out)
{
	zinc_json_doc *doc = NULL;
	zinc_json *v;

	if (how > 0 && (!zinc_dtype_has_v2(t) || t->variable))
		return false;
	if (how == 2) {
		insist(zinc_dtype_print_numpy(t, big, out, NULL) == ZINC_OK);
	} else {
		insist(zinc_json_new(&doc, ctx, NULL) == ZINC_OK);
		v = how == 0 ? zinc_dtype_print_orders(t, doc) : zinc_dtype_print_v2(t, big, doc);
		insist(zinc_json_print_line(v, out, NULL) == ZINC_OK);
		zinc_json_free(doc);
	}
	return zinc_buf_text(out) != NULL;
}

/* (1) */
static void
check_names(const zinc_dtype *t, bool big)
{
	int how;

	for (how = 0; how < 3; how++) {
		const zinc_dtype *again = NULL;
		zinc_buf a, b;
		bool order;

		zinc_buf_init(&a, ctx, PTRDIFF_MAX);
		zinc_buf_init(&b, ctx, PTRDIFF_MAX);
		if (print(t, big, how, &a)) {
			insist(parse(&again, &order, how, (const char *)a.p, a.n) == ZINC_OK);
			insist(again->size == t->size && again->mixed == (how < 2 && t->mixed));
			insist(print(again, how == 0 ? big : order, how, &b));
			insist(a.n == b.n && memcmp(a.p, b.p, a.n) == 0);
		}
		zinc_buf_fini(&a);
		zinc_buf_fini(&b);
		zinc_dtype_free(again);
	}
}

/* (2) */
static void
check_fill(const zinc_dtype *t, bool big, bool v2, const char *text, size_t n)
{
	zinc_json_doc *doc = NULL;
	const zinc_json *v;
	zinc_json *printed;
	void *a, *b;
	zinc_report r;
	zinc_status st;

	if (zinc_json_parse(&doc, ctx, text, n, ZINC_JSON_NAN_TOKENS, NULL) != ZINC_OK)
		return;
	v = zinc_json_root(doc);
	zinc_report_init(&r, ctx, false, "fuzz");
	a = zinc_dtype_fill_room(t, ctx, v);
	insist(a != NULL);
	st = v2 ? zinc_dtype_parse_fill_v2(t, big, v, a, &r, NULL) : t->ops->parse_fill(t, v, a, &r, NULL);
	insist(st == ZINC_OK || st == ZINC_E_CORRUPT);
	if (st == ZINC_OK) {
		printed = v2 ? zinc_dtype_print_fill_v2(t, big, a, doc) : t->ops->print_fill(t, a, doc);
		insist(printed != NULL);
		b = zinc_dtype_fill_room(t, ctx, printed);
		insist(b != NULL);
		insist((v2 ? zinc_dtype_parse_fill_v2(t, big, printed, b, &r, NULL)
			   : t->ops->parse_fill(t, printed, b, &r, NULL)) == ZINC_OK);
		if (!t->variable && !v2) /* v2 has one NaN */
			insist(memcmp(a, b, t->size) == 0);
		zinc_free(ctx, b);
	}
	zinc_free(ctx, a);
	zinc_json_free(doc);
}

/* (3) */
static void
check_element(const zinc_dtype *t, const uint8_t *stored)
{
	uint8_t *a = (uint8_t *)malloc(t->size), *b = (uint8_t *)malloc(t->size);
	uint8_t *bytes = (uint8_t *)malloc(t->size); /* without bits that the type ignores */
	zinc_json_doc *doc;
	zinc_status st;
	zinc_buf out;
	int how;

	insist(a && b && bytes);
	zinc_dtype_reorder(t, false, bytes, stored, 1);
	zinc_dtype_reorder(t, false, bytes, bytes, 1);
	insist(t->narrow || memcmp(bytes, stored, t->size) == 0);
	zinc_dtype_reorder(t, false, a, bytes, 1);
	zinc_dtype_reorder(t, false, a, a, 1);
	insist(memcmp(a, bytes, t->size) == 0);
	zinc_dtype_swap(t, a, bytes, 1);
	zinc_dtype_swap(t, b, a, 1);
	insist(memcmp(b, bytes, t->size) == 0);
	for (how = ZINC_SPELL_TEXT; how <= ZINC_SPELL_JSON; how++) {
		zinc_buf_init(&out, ctx, PTRDIFF_MAX);
		st = t->ops->print(t, bytes, (zinc_spelling)how, &out, NULL);
		insist(st == ZINC_OK || st == ZINC_E_CORRUPT);
		doc = NULL;
		/* Python's escapes for bytes that are not UTF-8 are lone surrogates, which our own reader refuses */
		if (st == ZINC_OK && how == ZINC_SPELL_JSON && !memmem(out.p, out.n, "\\udc", 4))
			insist(zinc_json_parse(&doc, ctx, (const char *)out.p, out.n, 0, NULL) == ZINC_OK);
		zinc_json_free(doc);
		zinc_buf_fini(&out);
	}
	free(a);
	free(b);
	free(bytes);
}

static void
run(const uint8_t *data, size_t size)
{
	const char *type = (const char *)data + 1, *fill, *end;
	const zinc_dtype *t = NULL;
	size_t left;
	bool big;

	end = memchr(type, 0, size - 1);
	if (!end || parse(&t, &big, data[0] % 3, type, (size_t)(end - type)) != ZINC_OK)
		return;
	check_names(t, big);
	fill = end + 1;
	left = size - (size_t)(fill - (const char *)data);
	end = left ? memchr(fill, 0, left) : NULL;
	if (end) {
		check_fill(t, big, data[0] % 3 == 1, fill, (size_t)(end - fill));
		left -= (size_t)(end + 1 - fill);
		if (!t->variable && left >= t->size)
			check_element(t, (const uint8_t *)end + 1);
	}
	zinc_dtype_free(t);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const zinc_limits limits = {.size = sizeof limits, .json_bytes = 65536, .chunk_bytes = 1 << 16};

	if (size < 2 || zinc_context_new(&ctx, ZINC_CONTEXT_OPTIONS(.threads = 1, .limits = &limits), NULL) != ZINC_OK)
		return 0;
	run(data, size);
	zinc_context_free(ctx);
	return 0;
}
