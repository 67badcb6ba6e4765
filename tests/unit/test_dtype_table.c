/*
 * test_dtype_table.c - the promises of dtype_table.c, by number: names, parsing, printing, registration
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zinc/extend.h>

#include "dtype/dtype.h"
#include "support/findings.h"
#include "support/sweep.h"
#include "support/test.h"

static void
rows_agree_with_the_header(void **state)
{
	static const struct {
		zinc_type type;
		const char *name, *v2;
		zinc_kind kind;
		uint32_t size, unit;
	} rows[] = {
	    {ZINC_BOOL, "bool", "b1", ZINC_KIND_BOOL, 1, 1},
	    {ZINC_INT8, "int8", "i1", ZINC_KIND_INT, 1, 1},
	    {ZINC_INT16, "int16", "i2", ZINC_KIND_INT, 2, 2},
	    {ZINC_INT32, "int32", "i4", ZINC_KIND_INT, 4, 4},
	    {ZINC_INT64, "int64", "i8", ZINC_KIND_INT, 8, 8},
	    {ZINC_UINT8, "uint8", "u1", ZINC_KIND_UINT, 1, 1},
	    {ZINC_UINT16, "uint16", "u2", ZINC_KIND_UINT, 2, 2},
	    {ZINC_UINT32, "uint32", "u4", ZINC_KIND_UINT, 4, 4},
	    {ZINC_UINT64, "uint64", "u8", ZINC_KIND_UINT, 8, 8},
	    {ZINC_FLOAT16, "float16", "f2", ZINC_KIND_FLOAT, 2, 2},
	    {ZINC_FLOAT32, "float32", "f4", ZINC_KIND_FLOAT, 4, 4},
	    {ZINC_FLOAT64, "float64", "f8", ZINC_KIND_FLOAT, 8, 8},
	    {ZINC_COMPLEX64, "complex64", "c8", ZINC_KIND_COMPLEX, 8, 4},
	    {ZINC_COMPLEX128, "complex128", "c16", ZINC_KIND_COMPLEX, 16, 8},
	};
	static const int none[] = {ZINC_NATIVE, ZINC_RAW, 43, 1000, -1};
	uint8_t element[17];
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		const zinc_dtype *t = zinc_dtype_of(rows[i].type);

		assert_int_equal(t->type, rows[i].type);
		assert_string_equal(t->name, rows[i].name);
		assert_string_equal(t->v2, rows[i].v2);
		assert_int_equal(t->kind, rows[i].kind);
		assert_int_equal(t->size, rows[i].size);
		assert_int_equal(t->bits, rows[i].size * 8);
		assert_int_equal(t->unit, rows[i].unit);
		assert_int_equal(zinc_type_size(rows[i].type), rows[i].size);
		assert_string_equal(zinc_type_name(rows[i].type), rows[i].name);
		memset(element, 0xee, sizeof element);
		zinc_dtype_zero(t, element);
		assert_memory_equal(element, (uint8_t[16]){0}, t->size);
		assert_int_equal(element[t->size], 0xee);
		zinc_dtype_free(t); /* rows may be freed */
	}
	for (i = 0; i < COUNT(none); i++) {
		assert_null(zinc_dtype_of((zinc_type)none[i]));
		assert_int_equal(zinc_type_size((zinc_type)none[i]), 0);
		assert_null(zinc_type_name((zinc_type)none[i]));
	}
	zinc_dtype_free(NULL);
}

static void
buffers(void **state)
{
	float t[3];
	const int16_t u[2] = {1, 2};
	const zinc_buffer a = *ZINC_BUFFER(t, sizeof t), c = *ZINC_BUFFER((void *)t, 1);
	const zinc_buffer b = *ZINC_BUFFER(u, sizeof u);

	(void)state;
	assert_int_equal(a.type, ZINC_FLOAT32);
	assert_ptr_equal(a.data, t);
	assert_int_equal(a.nbytes, 12);
	assert_null(a.shape);
	assert_null(a.strides);
	assert_int_equal(a.first, 0);
	assert_int_equal(b.type, ZINC_INT16);
	assert_ptr_equal(b.data, u);
	assert_int_equal(b.nbytes, 4);
	assert_int_equal(c.type, ZINC_NATIVE);
}

/* Every number type of C by its size and sign, const or not; what must not compile is in tests/scripts. */
static void
buffer_types(void **state)
{
#define EXPECT(ctype, number)                                                                                          \
	do {                                                                                                           \
		ctype *p_ = NULL;                                                                                      \
		const ctype *q_ = NULL;                                                                                \
		assert_int_equal(ZINC_BUFFER(p_, 0)->type, number);                                                    \
		assert_int_equal(ZINC_BUFFER(q_, 0)->type, number);                                                    \
		assert_int_equal(zinc_type_size(number), sizeof(ctype));                                               \
	} while (0)

	(void)state;
	EXPECT(_Bool, ZINC_BOOL);
	EXPECT(char, CHAR_MIN < 0 ? ZINC_INT8 : ZINC_UINT8);
	EXPECT(signed char, ZINC_INT8);
	EXPECT(unsigned char, ZINC_UINT8);
	EXPECT(short, ZINC_INT16);
	EXPECT(unsigned short, ZINC_UINT16);
	EXPECT(int, ZINC_INT32);
	EXPECT(unsigned, ZINC_UINT32);
	EXPECT(long, sizeof(long) == 8 ? ZINC_INT64 : ZINC_INT32);
	EXPECT(unsigned long, sizeof(long) == 8 ? ZINC_UINT64 : ZINC_UINT32);
	EXPECT(long long, ZINC_INT64);
	EXPECT(unsigned long long, ZINC_UINT64);
	EXPECT(float, ZINC_FLOAT32);
	EXPECT(double, ZINC_FLOAT64);
	EXPECT(float _Complex, ZINC_COMPLEX64);
	EXPECT(double _Complex, ZINC_COMPLEX128);
#undef EXPECT
}

/* ---- documents ---- */

static zinc_status
parse(const zinc_dtype **out, const char *json, bool strict, findings *s)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_json_doc *doc = json_of(json);
	zinc_report r;
	zinc_status st;

	*out = NULL;
	findings_begin(s, &r, strict);
	st = zinc_dtype_parse(out, NULL, zinc_json_root(doc), &r, &err);
	zinc_json_free(doc);
	assert_int_equal(err.code, st);
	return st;
}

static const char *
print(const zinc_dtype *t)
{
	zinc_json_doc *doc = json_new();

	return json_line(zinc_dtype_print(t, doc), doc);
}

static void
core_types_are_bare_strings(void **state)
{
	zinc_type type;
	const zinc_dtype *t;
	char json[64];
	findings s;

	(void)state;
	for (type = ZINC_BOOL; type <= ZINC_COMPLEX128; type++) {
		snprintf(json, sizeof json, "\"%s\"", zinc_type_name(type));
		assert_int_equal(parse(&t, json, true, &s), ZINC_OK);
		assert_ptr_equal(t, zinc_dtype_of(type));
		assert_string_equal(print(t), json);
	}
	/* (1) */
	assert_int_equal(parse(&t, "{\"name\": \"float64\"}", false, &s), ZINC_OK);
	assert_ptr_equal(t, zinc_dtype_of(ZINC_FLOAT64));
	assert_string_equal(s.rule, "M15");
	assert_int_equal(s.severity, ZINC_SEVERITY_WARNING);
	assert_int_equal(parse(&t, "{\"name\": \"float64\"}", true, &s), ZINC_E_CORRUPT);
	assert_int_equal(parse(&t, "{\"name\": \"r16\"}", true, &s), ZINC_E_CORRUPT);
	assert_string_equal(s.rule, "M15");
}

/* (2), (3) */
static void
other_names(void **state)
{
	static const struct {
		const char *json;
		zinc_status status;
		const char *rule;
	} rows[] = {
	    {"\"int3\"", ZINC_E_UNSUPPORTED, "M17"},
	    {"\"r\"", ZINC_E_UNSUPPORTED, "M13"}, /* also a name that is too short */
	    {"\"r24x\"", ZINC_E_UNSUPPORTED, "M17"},
	    {"\"float\"", ZINC_E_UNSUPPORTED, "M17"},
	    {"{\"name\": \"numpy.datetime64\", \"configuration\": {}}", ZINC_E_CORRUPT, "numpy.datetime64"},
	    {"\"numpy.datetime64\"", ZINC_E_CORRUPT, "M14"},
	    {"\"structured\"", ZINC_E_CORRUPT, "M14"},
	    {"\"zinc.subarray\"", ZINC_E_UNSUPPORTED, "M17"}, /* only within a struct */
	    {"{\"name\": \"int3\", \"must_understand\": false}", ZINC_E_UNSUPPORTED, "M17"},
	    {"\"r12\"", ZINC_E_CORRUPT, "M58"},
	    {"\"r0\"", ZINC_E_CORRUPT, "M58"},
	    {"\"r08\"", ZINC_E_CORRUPT, "M58"},
	    {"\"r1\"", ZINC_E_CORRUPT, "M58"},
	    {"\"r99999999999999999999999\"", ZINC_E_CORRUPT, "M58"}, /* read as 99..9 of at most 13 digits */
	    {"\"r99999999999999999999992\"", ZINC_E_CORRUPT, "M58"},
	    {"\"r80000000000000000000000\"", ZINC_E_LIMIT, ""},
	    {"\"r134217736\"", ZINC_E_LIMIT, ""},
	    {"\"r4294967296\"", ZINC_E_LIMIT, ""},
	    {"1", ZINC_E_CORRUPT, "M11"},
	    {"null", ZINC_E_CORRUPT, "M11"},
	};
	const zinc_dtype *t;
	size_t i;
	findings s;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		assert_int_equal(parse(&t, rows[i].json, false, &s), rows[i].status);
		if (strcmp(rows[i].rule, "M13") != 0)
			assert_string_equal(s.rule, rows[i].rule);
		assert_null(t);
	}
	assert_int_equal(parse(&t, "\"int3\"", false, &s), ZINC_E_UNSUPPORTED);
	assert_string_equal(s.message, "data type \"int3\" is not known");
	assert_int_equal(s.severity, ZINC_SEVERITY_UNSUPPORTED);
	assert_int_equal(parse(&t, "{\"name\": \"int8\", \"must_understand\": false}", true, &s), ZINC_E_CORRUPT);
	assert_string_equal(s.rule, "M17");
	assert_int_equal(parse(&t, "{\"name\": \"int8\", \"must_understand\": false}", false, &s), ZINC_OK);
	assert_int_equal(s.n, 2); /* and M15 */
}

static void
raw_types(void **state)
{
	static const struct {
		const char *json, *v2;
		uint32_t size;
	} rows[] = {{"\"r8\"", "V1", 1}, {"\"r24\"", "V3", 3}, {"\"r134217728\"", "V16777216", 16777216}};
	const zinc_dtype *t;
	size_t i;
	findings s;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		assert_int_equal(parse(&t, rows[i].json, true, &s), ZINC_OK);
		assert_int_equal(t->type, ZINC_RAW);
		assert_int_equal(t->kind, ZINC_KIND_RAW);
		assert_int_equal(t->size, rows[i].size);
		assert_int_equal(t->bits, rows[i].size * 8);
		assert_int_equal(t->unit, 1);
		assert_string_equal(t->v2, rows[i].v2);
		assert_string_equal(print(t), rows[i].json);
		zinc_dtype_free(t);
	}
}

/* ---- a caller's text ---- */

static void
texts(void **state)
{
	static const struct {
		const char *text;
		const char *name; /* NULL: fails */
		bool big;
		zinc_status status;
	} rows[] = {
	    {"float32", "float32", 0, ZINC_OK},
	    {"<f4", "float32", 0, ZINC_OK},
	    {">f4", "float32", 1, ZINC_OK},
	    {"=f4", "float32", ZINC_HOST_BIG, ZINC_OK},
	    {"f4", "float32", 0, ZINC_OK},
	    {"|b1", "bool", 0, ZINC_OK},
	    {">b1", "bool", 0, ZINC_OK},
	    {">i1", "int8", 0, ZINC_OK},
	    {"|u1", "uint8", 0, ZINC_OK},
	    {">c16", "complex128", 1, ZINC_OK},
	    {"<c8", "complex64", 0, ZINC_OK},
	    {"<u8", "uint64", 0, ZINC_OK},
	    {"|V5", "raw_bytes", 0, ZINC_OK},
	    {"V1", "raw_bytes", 0, ZINC_OK},
	    {"r16", "r16", 0, ZINC_OK},
	    {"\"int8\"", "int8", 0, ZINC_OK},
	    {"{\"name\": \"int8\"}", "int8", 0, ZINC_OK},
	    {"", NULL, 0, ZINC_E_INVALID},
	    {"<", NULL, 0, ZINC_E_INVALID},
	    {"flaot32", NULL, 0, ZINC_E_INVALID},
	    {"i3", NULL, 0, ZINC_E_INVALID},
	    {"<f4 ", NULL, 0, ZINC_E_UNSUPPORTED},
	    {"V0", NULL, 0, ZINC_E_INVALID},
	    {"V", NULL, 0, ZINC_E_INVALID},
	    {"V4x", NULL, 0, ZINC_E_INVALID},
	    {"r12", NULL, 0, ZINC_E_INVALID},
	    {"V99999999999999", NULL, 0, ZINC_E_LIMIT},
	    {"<U5", "fixed_length_utf32", 0, ZINC_OK},
	    {"|S3", "null_terminated_bytes", 0, ZINC_OK},
	    {"<M8[ns]", "numpy.datetime64", 0, ZINC_OK},
	    {">m8[7D]", "numpy.timedelta64", 1, ZINC_OK},
	    {"U5", "fixed_length_utf32", 0, ZINC_OK},
	    {"string", "string", 0, ZINC_OK},
	    {"variable_length_bytes", "bytes", 0, ZINC_OK},
	    {"[[\"a\", \">i2\"], [\"b\", \"|u1\"]]", "struct", 1, ZINC_OK},
	    {"[('a', '<i2')]", "struct", 0, ZINC_OK},
	    {"[('a', '<i2']", NULL, 0, ZINC_E_INVALID},
	    {"struct", NULL, 0, ZINC_E_INVALID},
	    {"numpy.datetime64", NULL, 0, ZINC_E_INVALID},
	    {"<M8[xs]", NULL, 0, ZINC_E_INVALID},
	    {"U0", NULL, 0, ZINC_E_INVALID},
	    {"|O", NULL, 0, ZINC_E_UNSUPPORTED},
	    {"<f16", NULL, 0, ZINC_E_UNSUPPORTED},
	    {"\"int3\"", NULL, 0, ZINC_E_UNSUPPORTED},
	    {"\"int3", NULL, 0, ZINC_E_INVALID},
	    {"{\"name\": 1}", NULL, 0, ZINC_E_INVALID},
	};
	const zinc_dtype *t;
	zinc_error err;
	bool big;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		memset(&err, 0, sizeof err);
		if (zinc_dtype_parse_text(&t, &big, NULL, rows[i].text, &err) != rows[i].status)
			fail_msg("\"%s\": %s", rows[i].text, zinc_error_text(&err));
		assert_int_equal(err.code, rows[i].status);
		if (!rows[i].name)
			continue;
		assert_string_equal(t->name, rows[i].name);
		assert_int_equal(big, rows[i].big);
		zinc_dtype_free(t);
	}
	assert_int_equal(zinc_dtype_parse_text(&t, NULL, NULL, ">i2", NULL), ZINC_OK); /* the order is not used */
	assert_int_equal(zinc_dtype_parse_text(&t, NULL, NULL, "\"x", NULL), ZINC_E_INVALID);
}

/* ---- a program's own ---- */

/* "test.fixed": {"scale": n}, an int32 that prints its scale */
typedef struct fixed {
	uint64_t scale;
} fixed;

static int alive;

static void
fixed_fini(zinc_dtype *t)
{
	zinc_free(t->ctx, t->self);
	alive--;
}

static zinc_status
fixed_parse(zinc_dtype *t, const zinc_json *configuration, zinc_report *r, zinc_error *err)
{
	fixed *f = zinc_calloc(t->ctx, 1, sizeof *f);

	if (!f)
		return zinc_fail_nomem(err);
	t->self = f;
	t->fini = fixed_fini;
	alive++;
	t->size = t->unit = 4;
	t->bits = 32;
	t->ops = zinc_dtype_of(ZINC_INT32)->ops;
	if (configuration && !zinc_json_u64(zinc_json_member(configuration, "scale"), &f->scale))
		return zinc_report_error(r, "M59", err, "scale must be an integer");
	return ZINC_OK;
}

static zinc_status
fixed_print(const zinc_dtype *t, zinc_json_doc *doc, zinc_json **out, zinc_error *err)
{
	const fixed *f = t->self;

	if (f->scale == 0)
		return ZINC_OK;
	*out = zinc_json_make(doc, ZINC_JSON_OBJECT);
	return zinc_json_set(doc, *out, "scale", zinc_json_make_u64(doc, f->scale), err);
}

static const zinc_dtype_row fixed_row = {
    .name = "test.fixed", .v2 = "fx", .purpose = "a number with a scale", .parse = fixed_parse, .print = fixed_print};

typedef struct listing {
	int n, stop_at;
	bool has_raw, has_fixed;
} listing;

static int
list(void *arg, const char *name, const char *also, const char *purpose)
{
	listing *l = arg;

	assert_true(*name && also && *purpose);
	l->has_raw |= strcmp(name, "r*") == 0;
	l->has_fixed |= strcmp(name, "test.fixed") == 0 && strcmp(also, "fx") == 0;
	return ++l->n == l->stop_at;
}

static void
registered_types(void **state)
{
	static const zinc_dtype_row core = {.name = "int8", .parse = fixed_parse},
				    raw = {.name = "r8", .parse = fixed_parse},
				    old = {.name = "structured", .parse = fixed_parse}, empty = {.name = "test.empty"};
	zinc_error err = ZINC_ERROR_INIT;
	const zinc_dtype *t;
	listing l = {0};
	findings s;
	int i;

	(void)state;
	assert_int_equal(parse(&t, "\"test.fixed\"", true, &s), ZINC_E_UNSUPPORTED);
	assert_ok(zinc_dtype_register(&fixed_row, &err));
	assert_int_equal(zinc_dtype_register(&fixed_row, &err), ZINC_E_EXISTS);
	assert_int_equal(zinc_dtype_register(&core, &err), ZINC_E_EXISTS);
	assert_int_equal(zinc_dtype_register(&raw, &err), ZINC_E_EXISTS);
	assert_int_equal(zinc_dtype_register(&old, &err), ZINC_E_EXISTS);
	assert_int_equal(zinc_dtype_register(&empty, &err), ZINC_E_INVALID);
	assert_int_equal(zinc_dtype_register(NULL, &err), ZINC_E_INVALID);

	assert_int_equal(parse(&t, "{\"name\":\"test.fixed\",\"configuration\":{\"scale\":3}}", true, &s), ZINC_OK);
	assert_int_equal(t->kind, ZINC_KIND_OTHER);
	assert_string_equal(t->name, "test.fixed");
	assert_string_equal(print(t), "{\"name\":\"test.fixed\",\"configuration\":{\"scale\":3}}");
	zinc_dtype_free(t);
	assert_int_equal(parse(&t, "\"test.fixed\"", true, &s), ZINC_OK);
	assert_string_equal(print(t), "\"test.fixed\"");
	zinc_dtype_free(t);
	assert_int_equal(parse(&t, "{\"name\":\"test.fixed\",\"configuration\":{}}", true, &s), ZINC_E_CORRUPT);
	assert_string_equal(s.rule, "M59");
	assert_ok(zinc_dtype_parse_text(&t, NULL, NULL, "test.fixed", &err));
	zinc_dtype_free(t);
	assert_int_equal(alive, 0);

	zinc_list_dtypes(list, &l);
	assert_int_equal(l.n, 24 + 29);
	assert_true(l.has_raw && l.has_fixed);
	for (i = 1; i <= 24 + 29; i++) {
		l = (listing){.stop_at = i};
		zinc_list_dtypes(list, &l);
		assert_int_equal(l.n, i);
	}
}

/* ---- memory that is out ---- */

static zinc_status
parse_and_print(void *arg, zinc_context *ctx, zinc_error *err)
{
	const zinc_dtype *t;
	zinc_json_doc *doc;
	zinc_status st;

	ZINC_TRY(zinc_dtype_parse_text(&t, NULL, ctx, arg, err));
	st = zinc_json_new(&doc, ctx, err);
	if (st == ZINC_OK) {
		if (!zinc_dtype_print(t, doc))
			st = zinc_fail_nomem(err);
		zinc_json_free(doc);
	}
	zinc_dtype_free(t);
	return st;
}

static void
every_allocation_may_fail(void **state)
{
	static char raw[] = "r24", json[] = "{\"name\":\"test.fixed\",\"configuration\":{\"scale\":3}}";

	(void)state;
	assert_true(sweep_alloc(parse_and_print, raw) >= 2);
	assert_true(sweep_alloc(parse_and_print, json) >= 4);
	assert_int_equal(alive, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(rows_agree_with_the_header),
	    cmocka_unit_test(buffers),
	    cmocka_unit_test(buffer_types),
	    cmocka_unit_test(core_types_are_bare_strings),
	    cmocka_unit_test(other_names),
	    cmocka_unit_test(raw_types),
	    cmocka_unit_test(texts),
	    cmocka_unit_test(registered_types),
	    cmocka_unit_test(every_allocation_may_fail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
