/*
 * test_dtype_struct.c - the promises of dtype_struct.c, by number; fields of a fixed shape
 *
 * The bytes are NumPy's tobytes() of the same records.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/chains.h"
#include "support/sweep.h"
#include "support/test.h"
#include "support/types.h"

#define STRUCT(fields)     "{\"name\":\"struct\",\"configuration\":{\"fields\":[" fields "]}}"
#define FIELD(name, type)  "{\"name\":\"" name "\",\"data_type\":" type "}"
#define STRUCTURED(fields) "{\"name\":\"structured\",\"configuration\":{\"fields\":[" fields "]}}"

static const char thirteen[] =
    STRUCT(FIELD("id", "\"int32\"") "," FIELD("flags", "\"uint8\"") "," FIELD("value", "\"float64\""));
static const char dogs[] =
    STRUCT(FIELD("name", "{\"name\":\"fixed_length_utf32\",\"configuration\":{\"length_bytes\":40}}") "," FIELD(
	"age", "\"int32\"") "," FIELD("weight", "\"float32\""));

/* Bytes as stored -> as in this machine's memory. */
static void
load(const zinc_dtype *t, bool big, const char *hex, void *element)
{
	uint8_t stored[256];

	assert_int_equal(unhex(hex, stored, sizeof stored), t->size);
	zinc_dtype_reorder(t, big != ZINC_HOST_BIG, element, stored, 1);
}

/* (1), (4): the vector of the registry */
static void
thirteen_bytes(void **state)
{
	const zinc_dtype *t;
	uint8_t a[13], b[13];
	const zinc_field *fields;
	size_t n;

	(void)state;
	assert_int_equal(type_parse(&t, thirteen, true), ZINC_OK);
	assert_int_equal(t->size, 13);
	assert_int_equal(t->bits, 104);
	assert_int_equal(t->unit, 8);
	assert_int_equal(t->kind, ZINC_KIND_STRUCT);
	assert_null(t->v2);
	assert_int_equal(t->type, ZINC_NATIVE);
	assert_string_equal(type_json(t), thirteen);
	assert_string_equal(type_v2(t, false), "[[\"id\",\"<i4\"],[\"flags\",\"|u1\"],[\"value\",\"<f8\"]]");
	fields = zinc_dtype_fields(t, &n);
	assert_int_equal(n, 3);
	assert_string_equal(fields[2].name, "value");
	assert_int_equal(fields[2].offset, 5);
	load(t, false, "01000000 02 000000000000f03f", a);
	load(t, true, "00000001 02 3ff0000000000000", b);
	assert_memory_equal(a, b, 13);
	assert_string_equal(element_text(t, a, ZINC_SPELL_TEXT), "(1, 2, 1.0)");
	assert_string_equal(element_text(t, a, ZINC_SPELL_JSON), "{\"id\":1,\"flags\":2,\"value\":1.0}");
	assert_string_equal(fill_json(t, a), "{\"id\":1,\"flags\":2,\"value\":1.0}");
	assert_string_equal(fill_v2(t, false, a), "\"AQAAAAIAAAAAAADwPw==\"");
	assert_string_equal(fill_v2(t, true, a), "\"AAAAAQI/8AAAAAAAAA==\"");
	zinc_dtype_free(t);
}

/* Seed of December 2022, "Struct data types": dogs of 48 bytes. */
static void
forty_eight_bytes(void **state)
{
	const zinc_dtype *t, *v2;
	uint8_t a[48];
	bool big;

	(void)state;
	assert_int_equal(type_parse(&t, dogs, true), ZINC_OK);
	assert_int_equal(t->size, 48);
	load(t, false,
	     "52000000650000007800000000000000000000000000000000000000000000000000000000000000090000000000a242", a);
	assert_string_equal(element_text(t, a, ZINC_SPELL_REPR), "('Rex', 9, 81.0)");
	assert_string_equal(element_text(t, a, ZINC_SPELL_JSON), "{\"name\":\"Rex\",\"age\":9,\"weight\":81.0}");
	assert_int_equal(type_parse_v2(&v2, &big, "[[\"name\",\"<U10\"],[\"age\",\"<i4\"],[\"weight\",\"<f4\"]]"),
			 ZINC_OK);
	assert_false(big);
	assert_string_equal(type_json(v2), dogs);
	zinc_dtype_free(v2);
	zinc_dtype_free(t);
}

/* ---- nested, shaped, in both byte orders ---- */

static const char rich[] = "[[\"a\",\"<i2\",[2,3]],[\"b\",[[\"x\",\">u2\"],[\"y\",\"|S2\",[2]]]],[\"t\",\"<M8[ns]\"],["
			   "\"c\",\"<c8\"],[\"o\",\"|b1\"],"
			   "[\"v\",\"|V3\"]]";

static void
rich_records(void **state)
{
	static const char hex[] = "010002000300040005000600 0007 7000 7172 0500000000000000 0000803f00000040 01 616263";
	const zinc_dtype *t, *again;
	uint8_t a[38], stored[38];
	void *fill;
	bool big;

	(void)state;
	assert_int_equal(type_parse_v2(&t, &big, rich), ZINC_OK);
	assert_false(big);
	assert_int_equal(t->size, 38);
	assert_true(t->mixed);
	load(t, false, hex, a);
	assert_string_equal(
	    element_text(t, a, ZINC_SPELL_REPR),
	    "([[1, 2, 3], [4, 5, 6]], (7, [b'p', b'qr']), '1970-01-01T00:00:00.000000005', (1+2j), True, "
	    "b'\\x61\\x62\\x63')");
	assert_string_equal(element_text(t, a, ZINC_SPELL_JSON),
			    "{\"a\":[[1,2,3],[4,5,6]],\"b\":{\"x\":7,\"y\":[\"p\",\"qr\"]},\"t\":\"1970-01-01T00:00:00."
			    "000000005\",\"c\":[1.0,2.0],\"o\":true,\"v\":\"YWJj\"}");
	/* (4) back to the bytes they came from */
	unhex(hex, stored, sizeof stored);
	zinc_dtype_reorder(t, ZINC_HOST_BIG, a, a, 1);
	assert_memory_equal(a, stored, 38);
	zinc_dtype_reorder(t, ZINC_HOST_BIG, a, a, 1);
	assert_string_equal(type_v2(t, false), rich);
	assert_string_equal(fill_v2(t, false, a), "\"AQACAAMABAAFAAYAAAdwAHFyBQAAAAAAAAAAAIA/AAAAQAFhYmM=\"");
	fill = type_fill_v2(t, false, "\"AQACAAMABAAFAAYAAAdwAHFyBQAAAAAAAAAAAIA/AAAAQAFhYmM=\"");
	assert_memory_equal(fill, a, 38);
	free(fill);
	fill = type_fill(t, fill_json(t, a));
	assert_memory_equal(fill, a, 38);
	free(fill);
	/* Zinc's own names for a shape and the other byte order: version 3 has none */
	assert_non_null(strstr(type_json(t), "{\"name\":\"zinc.subarray\",\"configuration\":{\"data_type\":\"int16\","
					     "\"shape\":[2,3]}}"));
	assert_non_null(
	    strstr(type_orders(t), "{\"name\":\"zinc.swapped\",\"configuration\":{\"data_type\":{\"name\":\"struct\""));
	assert_null(strstr(type_json(t), "zinc.swapped"));
	assert_int_equal(type_parse(&again, type_json(t), true), ZINC_OK);
	assert_int_equal(again->size, 38);
	assert_false(again->mixed);
	zinc_dtype_free(again);
	assert_int_equal(type_parse(&again, type_orders(t), true), ZINC_OK);
	assert_int_equal(again->size, 38);
	assert_true(again->mixed);
	assert_string_equal(type_v2(again, false), rich);
	assert_string_equal(element_text(again, a, ZINC_SPELL_JSON),
			    "{\"a\":[[1,2,3],[4,5,6]],\"b\":{\"x\":7,\"y\":[\"p\",\"qr\"]},\"t\":\"1970-01-01T00:00:00."
			    "000000005\",\"c\":[1.0,2.0],\"o\":true,\"v\":\"YWJj\"}");
	zinc_dtype_free(again);
	zinc_dtype_free(t);
}

/* Booleans are checked in every place. */
static void
bools(void **state)
{
	static const uint8_t good[] = {0, 1, 0, 1, 1, 0}, bad[] = {0, 1, 0, 1, 2, 0};
	const zinc_dtype *t = type_of("[[\"a\",\"|b1\",[2]],[\"b\",\"|b1\"]]"), *u = type_of("[[\"a\",\"|u1\"]]");

	(void)state;
	assert_null(u->ops->check);
	assert_int_equal(t->ops->check(t, good, 2), 2);
	assert_int_equal(t->ops->check(t, bad, 2), 1);
	zinc_dtype_free(t);
	zinc_dtype_free(u);
}

/* ---- (1) invalid structs ---- */

static void
configurations(void **state)
{
	static const struct {
		const char *json;
		zinc_status status;
		const char *rule, *pointer;
	} rows[] = {
	    {STRUCT(""), ZINC_E_CORRUPT, "struct", "/configuration"},
	    {"{\"name\":\"struct\",\"configuration\":{}}", ZINC_E_CORRUPT, "struct", "/configuration"},
	    {"{\"name\":\"struct\",\"configuration\":{\"fields\":{}}}", ZINC_E_CORRUPT, "struct", "/configuration"},
	    {"\"struct\"", ZINC_E_CORRUPT, "M14", ""},
	    {STRUCT("1"), ZINC_E_CORRUPT, "struct", "/configuration/fields/0"},
	    {STRUCT("{\"name\":\"a\"}"), ZINC_E_CORRUPT, "struct", "/configuration/fields/0"},
	    {STRUCT("{\"data_type\":\"int8\"}"), ZINC_E_CORRUPT, "struct", "/configuration/fields/0"},
	    {STRUCT("{\"name\":1,\"data_type\":\"int8\"}"), ZINC_E_CORRUPT, "struct", "/configuration/fields/0"},
	    {STRUCT(FIELD("", "\"int8\"")), ZINC_E_CORRUPT, "struct", "/configuration/fields/0"},
	    {STRUCT(FIELD("a\\u0000", "\"int8\"")), ZINC_E_CORRUPT, "struct", "/configuration/fields/0"},
	    {STRUCT("[\"a\",\"int8\"]"), ZINC_E_CORRUPT, "struct", "/configuration/fields/0"},
	    {STRUCT(FIELD("a", "\"int8\"") "," FIELD("a", "\"int8\"")), ZINC_E_CORRUPT, "struct", "/configuration"},
	    {STRUCT(FIELD("b", "\"int8\"") "," FIELD("a", "\"int8\"") "," FIELD("b", "\"int8\"")), ZINC_E_CORRUPT,
	     "struct", "/configuration"},
	    {STRUCT(FIELD("a", "\"string\"")), ZINC_E_CORRUPT, "struct", "/configuration/fields/0"},
	    {STRUCT(FIELD("a", "\"int8\"") "," FIELD("b", "\"bytes\"")), ZINC_E_CORRUPT, "struct",
	     "/configuration/fields/1"},
	    {STRUCT(FIELD("a", "\"float128\"")), ZINC_E_UNSUPPORTED, "M17", "/configuration/fields/0"},
	    {STRUCT(FIELD("a", "{\"name\":\"int8\"}")), ZINC_E_CORRUPT, "M15", "/configuration/fields/0"},
	    {STRUCT("{\"name\":\"a\",\"data_type\":\"int8\",\"offset\":0}"), ZINC_E_CORRUPT, "struct",
	     "/configuration/fields/0"},
	    {STRUCT(FIELD("a", "\"r134217728\"") "," FIELD("b", "\"int8\"")), ZINC_E_LIMIT, "", ""},
	    {STRUCT(FIELD("a", "{\"name\":\"zinc.subarray\",\"configuration\":{\"data_type\":\"int8\",\"shape\":[]}}")),
	     ZINC_E_CORRUPT, "struct", "/configuration/fields/0"},
	    {STRUCT(
		 FIELD("a", "{\"name\":\"zinc.subarray\",\"configuration\":{\"data_type\":\"int8\",\"shape\":[2,0]}}")),
	     ZINC_E_CORRUPT, "struct", "/configuration/fields/0"},
	    {STRUCT(FIELD("a", "{\"name\":\"zinc.subarray\",\"configuration\":{\"data_type\":\"int8\",\"shape\":3}}")),
	     ZINC_E_CORRUPT, "struct", "/configuration/fields/0"},
	    {STRUCT(
		 FIELD("a", "{\"name\":\"zinc.subarray\",\"configuration\":{\"data_type\":\"string\",\"shape\":[3]}}")),
	     ZINC_E_CORRUPT, "struct", "/configuration/fields/0"},
	    {STRUCT(FIELD("a", "{\"name\":\"zinc.subarray\",\"configuration\":{\"data_type\":\"int8\",\"shape\":"
			       "[4294967296,4294967296]}}")),
	     ZINC_E_LIMIT, "", ""},
	    {STRUCT(FIELD("a", "{\"name\":\"zinc.subarray\",\"configuration\":{}}")), ZINC_E_CORRUPT, "struct",
	     "/configuration/fields/0"},
	    {STRUCT(FIELD("a", "{\"name\":\"zinc.swapped\",\"configuration\":{}}")), ZINC_E_CORRUPT, "struct",
	     "/configuration/fields/0"},
	    {STRUCT(FIELD("a", "{\"name\":\"zinc.swapped\"}")), ZINC_E_CORRUPT, "struct", "/configuration/fields/0"},
	};
	const zinc_dtype *t;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		if (type_parse(&t, rows[i].json, true) != rows[i].status || strcmp(found.rule, rows[i].rule) != 0 ||
		    strncmp(found.pointer, rows[i].pointer, strlen(rows[i].pointer)) != 0)
			fail_msg("%s: %s at %s: %s", rows[i].json, found.rule, found.pointer, found.message);
	}
	/* nested structs have separate names */
	assert_int_equal(type_parse(&t, STRUCT(FIELD("a", STRUCT(FIELD("a", "\"int8\"")))), true), ZINC_OK);
	zinc_dtype_free(t);
}

/* (2) */
static void
fills(void **state)
{
	static const char *const wrong[] = {
	    "{\"id\": 1, \"flags\": 2}",
	    "{\"id\": 1, \"flags\": 2, \"value\": 1.0, \"more\": 0}",
	    "{\"id\": 1, \"flags\": 2, \"valu\": 1.0}",
	    "[1, 2, 1.0]",
	    "\"AQAAAAIAAAAAAADwPw==\"",
	    "0",
	};
	const zinc_dtype *t;
	uint8_t want[13];
	void *v;
	size_t i;

	(void)state;
	assert_int_equal(type_parse(&t, thirteen, true), ZINC_OK);
	load(t, false, "01000000 02 000000000000f03f", want);
	v = type_fill(t, "{\"value\": 1, \"flags\": 2, \"id\": 1}");
	assert_memory_equal(v, want, 13);
	free(v);
	for (i = 0; i < COUNT(wrong); i++) {
		assert_null(type_fill(t, wrong[i]));
		assert_string_equal(found.rule, "M59");
	}
	assert_null(type_fill(t, "{\"id\": 1, \"flags\": 256, \"value\": 1.0}"));
	assert_string_equal(found.rule, "M51"); /* a field's own rule, and its place */
	assert_string_equal(found.pointer, "/flags");
	zinc_dtype_free(t);
	assert_int_equal(type_parse_v2(&t, &(bool){0}, "[[\"a\",\"<i2\",[2,2]]]"), ZINC_OK);
	assert_null(type_fill(t, "{\"a\": [[1, 2], [3]]}"));
	assert_string_equal(found.pointer, "/a/1");
	assert_null(type_fill(t, "{\"a\": [1, 2]}"));
	zinc_dtype_free(t);
}

/* (3) */
static void
structured(void **state)
{
	static const char old[] = STRUCTURED("[\"id\",\"int32\"],[\"flags\",\"uint8\"],[\"value\",\"float64\"]");
	static const char *const spellings[] = {"\"AQAAAAIAAAAAAADwPw==\"", "{\"id\": 1, \"flags\": 2, \"value\": 1.0}",
						"[1, 2, 1.0]"};
	const zinc_dtype *t;
	uint8_t want[13];
	void *v;
	size_t i;

	(void)state;
	assert_int_equal(type_parse(&t, old, true), ZINC_E_CORRUPT);
	assert_string_equal(found.rule, "M17");
	assert_int_equal(type_parse(&t, old, false), ZINC_OK);
	assert_int_equal(found.severity, ZINC_SEVERITY_WARNING);
	assert_true(t->legacy);
	assert_string_equal(type_json(t), thirteen);
	load(t, false, "01000000 02 000000000000f03f", want);
	for (i = 0; i < COUNT(spellings); i++) {
		v = type_fill(t, spellings[i]);
		assert_memory_equal(v, want, 13);
		free(v);
	}
	assert_null(type_fill(t, "\"AQAAAAIAAAAAAADw\""));
	assert_null(type_fill(t, "[1, 2]"));
	zinc_dtype_free(t);
	assert_int_equal(type_parse(&t, STRUCTURED("[\"n\"," STRUCTURED("[\"a\",\"uint8\"]") "]"), false), ZINC_OK);
	assert_string_equal(type_json(t), STRUCT(FIELD("n", STRUCT(FIELD("a", "\"uint8\"")))));
	zinc_dtype_free(t);
	assert_int_equal(type_parse(&t, STRUCTURED("[\"a\",\"uint8\",[2]]"), false), ZINC_E_CORRUPT);
}

/* Many fields cost no square of time: this would take minutes. */
static void
many_fields(void **state)
{
	const size_t n = 20000;
	char *json = malloc(n * 20 + 2), *p = json;
	const zinc_dtype *t;
	size_t i, count;
	bool big;

	(void)state;
	assert_non_null(json);
	*p++ = '[';
	for (i = 0; i < n; i++)
		p += snprintf(p, 20, "[\"f%zu\",\"|u1\"],", i);
	p[-1] = ']';
	*p = '\0';
	assert_int_equal(type_parse_v2(&t, &big, json), ZINC_OK);
	(void)zinc_dtype_fields(t, &count);
	assert_int_equal(count, n);
	assert_int_equal(t->size, n);
	zinc_dtype_free(t);
	free(json);
}

/* ---- memory that is out ---- */

static zinc_status
use(void *arg, zinc_context *ctx, zinc_error *err)
{
	zinc_json_doc *doc = NULL;
	const zinc_dtype *t;
	uint8_t element[64] = {0};
	zinc_status st;

	ZINC_TRY(zinc_dtype_parse_text(&t, NULL, ctx, arg, err));
	st = zinc_json_new(&doc, ctx, err);
	if (st == ZINC_OK && (!zinc_dtype_print(t, doc) || !t->ops->print_fill(t, element, doc) ||
			      !zinc_dtype_print_v2(t, true, doc) || !zinc_dtype_print_fill_v2(t, true, element, doc)))
		st = zinc_fail_nomem(err);
	zinc_json_free(doc);
	zinc_dtype_free(t);
	return st;
}

static void
memory_may_be_out(void **state)
{
	static char v3[sizeof thirteen], v2[sizeof rich];

	(void)state;
	memcpy(v3, thirteen, sizeof v3);
	memcpy(v2, rich, sizeof v2);
	assert_true(sweep_alloc(use, v3) >= 8);
	assert_true(sweep_alloc(use, v2) >= 12);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(thirteen_bytes), cmocka_unit_test(forty_eight_bytes), cmocka_unit_test(rich_records),
	    cmocka_unit_test(bools),          cmocka_unit_test(configurations),    cmocka_unit_test(fills),
	    cmocka_unit_test(structured),     cmocka_unit_test(many_fields),       cmocka_unit_test(memory_may_be_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
