/*
 * test_sel_text.c - the promises of sel_text.c, by number; slices against Python's rules by brute force
 */
#include <stdio.h>
#include <string.h>

#include "grid/grid.h"
#include "support/sweep.h"
#include "support/test.h"

static const uint64_t shape[] = {10, 4, 7};

/* "start,count,step" of each dimension, "!" after dropped ones, "[...]" for lists, joined by " ". */
static const char *
describe(const zinc_selection *s)
{
	static char text[512];
	size_t n = 0, i;
	int d;

	text[0] = '\0';
	for (d = 0; d < s->ndim; d++) {
		const zinc_select_dim *m = &s->dims[d];

		n += (size_t)snprintf(text + n, sizeof text - n, "%s", d ? " " : "");
		if (!m->list) {
			n += (size_t)snprintf(text + n, sizeof text - n, "%llu,%llu,%llu%s",
					      (unsigned long long)m->start, (unsigned long long)m->count,
					      (unsigned long long)m->step, m->drop ? "!" : "");
			continue;
		}
		n += (size_t)snprintf(text + n, sizeof text - n, "[");
		for (i = 0; i < m->nlist; i++)
			n += (size_t)snprintf(text + n, sizeof text - n, "%s%llu", i ? "," : "",
					      (unsigned long long)m->list[i]);
		n += (size_t)snprintf(text + n, sizeof text - n, "]");
	}
	return text;
}

static void
texts_that_select(void **state)
{
	static const struct {
		const char *text;
		int ndim;
		const char *want;
	} rows[] = {
	    {"", 2, "0,10,1 0,4,1"},
	    {"  ", 2, "0,10,1 0,4,1"},
	    {"", 0, ""},
	    {"...", 0, ""},
	    {"...", 3, "0,10,1 0,4,1 0,7,1"},
	    {":", 2, "0,10,1 0,4,1"},
	    {"3", 2, "3,1,1! 0,4,1"},
	    {"-1", 1, "9,1,1!"},
	    {"-10", 1, "0,1,1!"},
	    {"-0", 1, "0,1,1!"},
	    {"- 3", 1, "7,1,1!"},
	    {"0:24, :, 3", 3, "0,10,1 0,4,1 3,1,1!"},
	    {"::2", 1, "0,5,2"},
	    {"1::2", 1, "1,5,2"},
	    {"::3", 1, "0,4,3"},
	    {"-5:", 1, "5,5,1"},
	    {":-3", 1, "0,7,1"},
	    {"-3:-1", 1, "7,2,1"},
	    {"-99:99", 1, "0,10,1"},
	    {"5:5", 1, "5,0,1"},
	    {"7:3", 1, "7,0,1"},
	    {"20:30", 1, "10,0,1"},
	    {"2:9:", 1, "2,7,1"},
	    {"-0:", 1, "0,10,1"},
	    {" 1 : 8 : 3 ", 1, "1,3,3"},
	    {"99999999999999999999999:", 1, "10,0,1"}, /* (2) */
	    {"-99999999999999999999999:", 1, "0,10,1"},
	    {"::99999999999999999999999", 1, "0,1,18446744073709551615"},
	    {"..., 2", 3, "0,10,1 0,4,1 2,1,1!"},
	    {"1, ...", 3, "1,1,1! 0,4,1 0,7,1"},
	    {"1, ..., 2", 3, "1,1,1! 0,4,1 2,1,1!"},
	    {"1,2,...,3", 3, "1,1,1! 2,1,1! 3,1,1!"},
	    {"1,2,3,...", 3, "1,1,1! 2,1,1! 3,1,1!"},
	    {"[1,5,9], :", 2, "[1,5,9] 0,4,1"},
	    {"[9, -1, 0]", 1, "[9,9,0]"},
	    {"[ ]", 1, "[]"},
	    {"[3],[-2],[6,6]", 3, "[3] [2] [6,6]"},
	    {"..., [0,1]", 2, "0,10,1 [0,1]"},
	    {"\t1\n", 1, "1,1,1!"},
	};
	zinc_error err = ZINC_ERROR_INIT;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		zinc_selection *s;
		zinc_sel sel;

		if (zinc_sel_parse_text(&s, NULL, rows[i].text, rows[i].ndim, shape, &err) != ZINC_OK)
			fail_msg("\"%s\": %s", rows[i].text, zinc_error_text(&err));
		assert_int_equal(s->kind, ZINC_SELECT_ORTHO);
		assert_int_equal(s->ndim, rows[i].ndim);
		if (strcmp(describe(s), rows[i].want) != 0)
			fail_msg("\"%s\" gives %s", rows[i].text, describe(s));
		assert_ok(zinc_sel_init(&sel, NULL, s, NULL, rows[i].ndim, shape, &err)); /* always inside */
		zinc_sel_fini(&sel);
		zinc_selection_free(s);
	}
	zinc_selection_free(NULL);
}

static void
texts_that_do_not(void **state)
{
	static const struct {
		const char *text;
		int ndim;
		zinc_status status;
	} rows[] = {
	    {"10", 1, ZINC_E_RANGE},
	    {"-11", 1, ZINC_E_RANGE},
	    {"18446744073709551615", 1, ZINC_E_RANGE},
	    {"18446744073709551616", 1, ZINC_E_RANGE},
	    {"-18446744073709551616", 1, ZINC_E_RANGE},
	    {"[0,10]", 1, ZINC_E_RANGE},
	    {"[0,-11]", 1, ZINC_E_RANGE},
	    {"0, 4", 2, ZINC_E_RANGE},
	    {"1,2", 1, ZINC_E_INVALID},
	    {"1", 0, ZINC_E_INVALID},
	    {":", 0, ZINC_E_INVALID},
	    {"...,1", 0, ZINC_E_INVALID},
	    {",", 0, ZINC_E_INVALID},
	    {",,,,", 1, ZINC_E_INVALID},
	    {"1,", 2, ZINC_E_INVALID},
	    {",1", 2, ZINC_E_INVALID},
	    {"1,,2", 3, ZINC_E_INVALID},
	    {"-", 1, ZINC_E_INVALID},
	    {"-:", 1, ZINC_E_INVALID},
	    {":-", 1, ZINC_E_INVALID},
	    {"::-", 1, ZINC_E_INVALID},
	    {"--1", 1, ZINC_E_INVALID},
	    {"+1", 1, ZINC_E_INVALID},
	    {"::0", 1, ZINC_E_INVALID},
	    {"::-1", 1, ZINC_E_INVALID},
	    {":::", 1, ZINC_E_INVALID},
	    {"1:2:3:4", 1, ZINC_E_INVALID},
	    {"1 2", 1, ZINC_E_INVALID},
	    {"1.5", 1, ZINC_E_INVALID},
	    {"1e1", 1, ZINC_E_INVALID},
	    {"0x1", 1, ZINC_E_INVALID},
	    {"a", 1, ZINC_E_INVALID},
	    {"..", 1, ZINC_E_INVALID},
	    {"....", 1, ZINC_E_INVALID},
	    {"...,...", 3, ZINC_E_INVALID},
	    {"...1", 2, ZINC_E_INVALID},
	    {"...,1,2,3", 2, ZINC_E_INVALID},
	    {"1...", 2, ZINC_E_INVALID},
	    {"[", 1, ZINC_E_INVALID},
	    {"[1", 1, ZINC_E_INVALID},
	    {"[1,", 1, ZINC_E_INVALID},
	    {"[1,]", 1, ZINC_E_INVALID},
	    {"[,1]", 1, ZINC_E_INVALID},
	    {"[,]", 1, ZINC_E_INVALID},
	    {"[1:2]", 1, ZINC_E_INVALID},
	    {"[[1]]", 1, ZINC_E_INVALID},
	    {"[1]]", 1, ZINC_E_INVALID},
	    {"]", 1, ZINC_E_INVALID},
	    {"[1][2]", 2, ZINC_E_INVALID},
	    {"[1],[2],[3],[4]", 3, ZINC_E_INVALID},
	    {"[...]", 1, ZINC_E_INVALID},
	    {"None", 1, ZINC_E_INVALID},
	};
	static const uint64_t empty[] = {0};
	zinc_selection *s;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		zinc_error err = ZINC_ERROR_INIT;

		if (zinc_sel_parse_text(&s, NULL, rows[i].text, rows[i].ndim, shape, &err) != rows[i].status)
			fail_msg("\"%s\" in %d dimensions: %s", rows[i].text, rows[i].ndim, zinc_error_text(&err));
		assert_int_equal(err.code, rows[i].status);
		assert_true(err.text[0] != '\0');
	}
	assert_int_equal(zinc_sel_parse_text(&s, NULL, "-0", 1, empty, NULL), ZINC_E_RANGE);
	assert_int_equal(zinc_sel_parse_text(&s, NULL, "0", 1, empty, NULL), ZINC_E_RANGE);
	assert_int_equal(zinc_sel_parse_text(&s, NULL, NULL, 1, empty, NULL), ZINC_OK); /* NULL is "" */
	zinc_selection_free(s);
}

/* What the caller's function gets of "b@value": it selects element 2, or two in a list. */
static zinc_status
value_of(void *arg, int dim, const char *text, bool quoted, zinc_select_dim *out, zinc_error *err)
{
	(void)err;
	assert_int_equal(dim, 1);
	assert_string_equal(text, arg);
	*out = (zinc_select_dim){.start = 2, .count = 1, .step = 1, .drop = !quoted};
	if (quoted) {
		uint64_t *list = zinc_alloc(NULL, 2 * sizeof *list);

		assert_non_null(list);
		list[0] = 3;
		list[1] = 0;
		*out = (zinc_select_dim){.step = 1, .list = list, .nlist = 2};
	}
	return ZINC_OK;
}

/* (3) */
static void
names_select(void **state)
{
	static const char *const names[] = {"a", "b", "c, d"};
	static const struct {
		const char *text, *want; /* or the beginning of the message */
		uint64_t used;
		bool lenient;
	} rows[] = {
	    {"a=3", "3,1,1! 0,4,1 0,7,1", 1, false},
	    {"b=1:3, a=-1", "9,1,1! 1,2,1 0,7,1", 3, false},
	    {" b = [1, 0] , a = ::2 ", "0,5,2 [1,0] 0,7,1", 3, false},
	    {"\"c, d\"=6, \"a\"=0", "0,1,1! 0,4,1 6,1,1!", 3, false},
	    {"\"\\a\"=4", "4,1,1! 0,4,1 0,7,1", 1, false},
	    {"b@x y , a=1", "1,1,1! 2,1,1! 0,7,1", 3, false},
	    {"b@\"x y\"", "0,10,1 [3,0] 0,7,1", 1, false},
	    {"z=3, b=0, y@\"1,2\", w=[1,2]", "0,10,1 0,1,1! 0,7,1", 2, true},
	    {"z=3", "0,10,1 0,4,1 0,7,1", 0, true},
	    {"3, 1:2", "3,1,1! 1,1,1 0,7,1", 3, true},
	    {"z=3", "there is no dimension \"z\"; there are a, b, c, d", 0, false},
	    {"a=1, a=2", "the text selects twice from the dimension \"a\"", 1, false},
	    {"a=1, 2", "selection", 1, false},
	    {"2, a=1", "selection", 0, false},
	    {"a=1, ...", "selection", 1, false},
	    {"=1", "selection", 0, false},
	    {"a=", "selection", 1, false},
	    {"a", "selection", 0, false},
	    {"a=1 2", "selection", 1, false},
	    {"\"a=1", "selection", 0, false},
	    {"b@\"x y\" z", "selection", 1, false},
	    {"a=1,", "selection", 1, false},
	    {"a=10", "index 10 is out of bounds", 1, false},
	};
	char given[] = "x y";
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(rows); i++) {
		uint64_t used = 99;
		const zinc_sel_axes axes = {.ndim = 3,
					    .shape = shape,
					    .names = names,
					    .lenient = rows[i].lenient,
					    .used = &used,
					    .value = value_of,
					    .arg = given};
		zinc_error err = ZINC_ERROR_INIT;
		zinc_selection *s = NULL;
		const zinc_status st = zinc_sel_parse_axes(&s, NULL, rows[i].text, &axes, &err);
		const char *got = st == ZINC_OK ? describe(s) : zinc_error_text(&err);

		if (st == ZINC_OK ? strcmp(got, rows[i].want) != 0 : !strstr(got, rows[i].want))
			fail_msg("\"%s\" gives %s", rows[i].text, got);
		assert_int_equal(used, rows[i].used);
		zinc_selection_free(s);
	}
}

static void
names_that_do_not_help(void **state)
{
	static const char *const twice[] = {"x", "x", NULL};
	const zinc_sel_axes doubled = {.ndim = 3, .shape = shape, .names = twice}, none = {.ndim = 3, .shape = shape};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_selection *s;
	char many[65 * 4 + 1] = "";
	size_t i;

	(void)state;
	assert_int_equal(zinc_sel_parse_axes(&s, NULL, "x=1", &doubled, &err), ZINC_E_INVALID);
	assert_non_null(strstr(zinc_error_text(&err), "more than one dimension"));
	assert_int_equal(zinc_sel_parse_axes(&s, NULL, "x=1", &none, &err), ZINC_E_INVALID);
	assert_non_null(strstr(zinc_error_text(&err), "no names of dimensions"));
	assert_int_equal(
	    zinc_sel_parse_axes(&s, NULL, "y=1, x@3",
				&(zinc_sel_axes){.ndim = 3, .shape = shape, .names = twice, .lenient = true}, &err),
	    ZINC_E_INVALID);
	for (i = 0; i < 65; i++)
		memcpy(many + 4 * i, i < 64 ? "y=1," : "y=1", i < 64 ? 5 : 4);
	assert_int_equal(
	    zinc_sel_parse_axes(&s, NULL, many, &(zinc_sel_axes){.ndim = 3, .shape = shape, .lenient = true}, &err),
	    ZINC_E_INVALID);
	many[64 * 4 - 1] = '\0';
	assert_ok(
	    zinc_sel_parse_axes(&s, NULL, many, &(zinc_sel_axes){.ndim = 3, .shape = shape, .lenient = true}, &err));
	zinc_selection_free(s);
}

/* (1): every start, stop and step around a length, as Python's slice.indices() has them */
static void
slices_clip_like_python(void **state)
{
	zinc_error err = ZINC_ERROR_INIT;
	int length, start, stop, step;
	char text[64];

	(void)state;
	for (length = 0; length <= 5; length++)
		for (start = -8; start <= 8; start++) /* 8: absent */
			for (stop = -8; stop <= 8; stop++)
				for (step = 1; step <= 4; step++) {
					const uint64_t n = (uint64_t)length;
					const int from = start == 8 ? 0 : start < 0 ? start + length : start;
					const int to = stop == 8 ? length : stop < 0 ? stop + length : stop;
					const zinc_select_dim *d;
					zinc_selection *s;
					uint64_t count = 0;
					int i;

					snprintf(text, sizeof text, "%.*d:%.*d:%d", start == 8 ? 0 : 1,
						 start == 8 ? 0 : start, stop == 8 ? 0 : 1, stop == 8 ? 0 : stop, step);
					assert_ok(zinc_sel_parse_text(&s, NULL, text, 1, &n, &err));
					d = &s->dims[0];
					for (i = from < 0 ? 0 : from; i < to && i < length; i += step, count++)
						assert_true(d->start + count * d->step == (uint64_t)i);
					assert_true(d->count == count);
					zinc_selection_free(s);
				}
}

static zinc_status
parse(void *arg, zinc_context *ctx, zinc_error *err)
{
	zinc_selection *s;

	ZINC_TRY(zinc_sel_parse_text(&s, ctx, arg, 3, shape, err));
	zinc_selection_free(s);
	return ZINC_OK;
}

static zinc_status
parse_badly(void *arg, zinc_context *ctx, zinc_error *err)
{
	zinc_error e = ZINC_ERROR_INIT;
	const zinc_status st = parse(arg, ctx, &e);

	return st == ZINC_E_INVALID ? ZINC_OK : zinc_error_copy(err, &e); /* as expected; no memory may be left */
}

static void
every_allocation_may_fail(void **state)
{
	static char good[] = "[1,2],...,3", bad[] = "[1,2],...,x";

	(void)state;
	assert_int_equal(sweep_alloc(parse, good), 2); /* one allocation: once, and permanently */
	sweep_alloc(parse_badly, bad);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(texts_that_select),
	    cmocka_unit_test(texts_that_do_not),
	    cmocka_unit_test(names_select),
	    cmocka_unit_test(names_that_do_not_help),
	    cmocka_unit_test(slices_clip_like_python),
	    cmocka_unit_test(every_allocation_may_fail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
