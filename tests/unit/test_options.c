/*
 * test_options.c - numbers without a meaning are E_INVALID, in every options structure and by every call that takes one
 *
 * The tables are those of the rooms: ZINC_OPTIONS_KIND.
 */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <zinc/conventions.h>
#include <zinc/erase.h>
#include <zinc/extend.h>
#include <zinc/tool.h>

#include "base/base.h"
#include "convention/convention.h"
#include "support/arrays.h"
#include "support/test.h"
#include "tool/tool.h"
#include "transform/transform.h"

static stage s;
static zinc_array *a;
static uint16_t v[4];
static const uint64_t two[2] = {2, 2};

/* A call that is given the options, which are wrong. */
typedef zinc_status (*call_fn)(const void *options, zinc_error *err);
#define CALL(name) static zinc_status name(const void *o, zinc_error *err)

CALL(context_new)
{
	zinc_context *ctx = NULL;

	return zinc_context_new(&ctx, o, err);
}

CALL(open_array_for)
{
	zinc_array *out = NULL;

	return zinc_array_open(&out, s.h, "/a", o, err);
}

CALL(read_by)
{
	return zinc_array_read(a, NULL, ZINC_BUFFER(v, sizeof v), o, err);
}

CALL(read_for)
{
	return read_by(ZINC_IO_OPTIONS(.call = o), err);
}

CALL(write_by)
{
	return zinc_array_write(a, NULL, ZINC_BUFFER(v, sizeof v), o, err);
}

CALL(append_by)
{
	zinc_buffer b = ZINC_BUFFER_INIT(ZINC_NATIVE, v, sizeof v);

	b.ndim = 2;
	b.shape = two;
	return zinc_array_append(a, 0, &b, o, NULL, err);
}

CALL(writer_by)
{
	zinc_writer *w = NULL;

	return zinc_writer_new(&w, a, 0, o, err);
}

CALL(explain_by)
{
	zinc_explanation out = ZINC_EXPLANATION_INIT;

	return zinc_array_explain(a, NULL, o, NULL, NULL, &out, err);
}

CALL(open_store)
{
	zinc_store *out = NULL;

	return zinc_store_open(&out, "memory://options", o, err);
}

CALL(open_hierarchy)
{
	zinc_hierarchy *h = NULL;

	return zinc_hierarchy_open(&h, s.memory, "", o, err);
}

CALL(open_hierarchy_url)
{
	zinc_hierarchy *h = NULL;

	return zinc_hierarchy_open_url(&h, "memory://options", o, err);
}

CALL(open_array_url)
{
	zinc_array *out = NULL;

	return zinc_array_open_url(&out, "memory://options", o, err);
}

CALL(create_group_url)
{
	return zinc_group_create_url("memory://options", NULL, 0, o, err);
}

CALL(create_array)
{
	zinc_array *out = NULL;

	return zinc_array_create(&out, s.h, "/b", o, err);
}

CALL(erase)
{
	return zinc_node_erase_with(s.h, "/a", o, NULL, err);
}

CALL(validate)
{
	return zinc_validate("memory://options", o, NULL, NULL, NULL, err);
}

CALL(copy)
{
	return zinc_copy(s.h, "/a", s.h, "/b", o, NULL, err);
}

CALL(copy_url)
{
	return zinc_copy_url("memory://options", "memory://options-2", o, NULL, err);
}

CALL(move)
{
	return zinc_move(s.h, "/a", "/b", o, err);
}

CALL(stats)
{
	zinc_stats out = ZINC_STATS_INIT;

	return zinc_array_stats(a, NULL, o, &out, err);
}

CALL(diff)
{
	return zinc_diff(s.h, "/a", s.h, "/a", o, NULL, NULL, NULL, err);
}

CALL(conventions_new)
{
	zinc_conventions *c = NULL;

	return zinc_conventions_new(&c, o, err);
}

CALL(stack)
{
	return zinc_array_stack(a, o, err);
}

CALL(layer_cache)
{
	const zinc_transformer_input in = {.size = sizeof in, .next = s.memory, .prefix = ""};
	zinc_store *out = NULL;

	return zinc_layer_cache(&out, o, &in, err);
}

CALL(sharded)
{
	zinc_store *out = NULL;

	return zinc_store_sharded(&out, s.memory, o, err);
}

static const struct row {
	const zinc_options_kind *kind;
	call_fn call;
} rows[] = {
    {&zinc_context_options_kind, context_new},
    {&zinc_call_options_kind, open_array_for},
    {&zinc_call_options_kind, read_for},
    {&zinc_io_options_kind, read_by},
    {&zinc_io_options_kind, write_by},
    {&zinc_io_options_kind, append_by},
    {&zinc_io_options_kind, writer_by},
    {&zinc_io_options_kind, explain_by},
    {&zinc_store_options_kind, open_store},
    {&zinc_open_options_kind, open_hierarchy},
    {&zinc_open_options_kind, open_hierarchy_url},
    {&zinc_open_options_kind, open_array_url},
    {&zinc_open_options_kind, create_group_url},
    {&zinc_array_options_kind, create_array},
    {&zinc_erase_options_kind, erase},
    {&zinc_validate_options_kind, validate},
    {&zinc_copy_options_kind, copy},
    {&zinc_copy_options_kind, copy_url},
    {&zinc_copy_options_kind, move},
    {&zinc_stats_options_kind, stats},
    {&zinc_diff_options_kind, diff},
    {&zinc_conventions_options_kind, conventions_new},
    {&zinc_stack_options_kind, stack},
    {&zinc_sharded_options_kind, sharded},
    {&zinc_layer_cache_options_kind, layer_cache},
};

/* The largest of them. */
typedef union any_options {
	size_t size;
	zinc_copy_options copy;
	zinc_validate_options validate;
	zinc_array_options array;
	char room[1024];
} any_options;

static void
refused(const struct row *r, const zinc_option_range *m, const void *value, size_t n)
{
	zinc_error err = ZINC_ERROR_INIT;
	any_options o;
	char says[96];

	memset(&o, 0, sizeof o);
	o.size = r->kind->nbytes;
	memcpy((char *)&o + m->at, value, n);
	snprintf(says, sizeof says, "%s: %s ", r->kind->name, m->name);
	assert_int_equal(r->call(&o, &err), ZINC_E_INVALID);
	assert_non_null(strstr(err.text, says));
}

static void
numbers_without_a_meaning_are_refused(void **unused)
{
	size_t i, k, seen = 0;

	(void)unused;
	for (i = 0; i < COUNT(rows); i++)
		for (const zinc_option_range *m = rows[i].kind->ranges; m->name; m++, seen++) {
			const double reals[] = {-1.0, -1e-300, (double)NAN};
			const int below = m->least - 1, above = m->most == INT_MAX ? INT_MIN : m->most + 1;

			for (k = 0; m->real && k < COUNT(reals); k++)
				refused(&rows[i], m, &reals[k], sizeof reals[k]);
			if (!m->real) {
				refused(&rows[i], m, &below, sizeof below);
				refused(&rows[i], m, &above, sizeof above);
			}
		}
	assert_true(seen > 100);
}

static void
numbers_with_a_meaning_are_taken(void **unused)
{
	zinc_error err = ZINC_ERROR_INIT;
	any_options o, taken;
	size_t i;

	(void)unused;
	for (i = 0; i < COUNT(rows); i++)
		for (const zinc_option_range *m = rows[i].kind->ranges; m->name; m++) {
			const double real = (double)INFINITY;

			memset(&o, 0, sizeof o);
			o.size = rows[i].kind->nbytes;
			if (m->real)
				memcpy((char *)&o + m->at, &real, sizeof real);
			else
				memcpy((char *)&o + m->at, &m->most, sizeof m->most);
			assert_ok(zinc_options_take_as(rows[i].kind, &taken, &o, &err));
			if (!m->real)
				memcpy((char *)&o + m->at, &m->least, sizeof m->least);
			assert_ok(zinc_options_take_as(rows[i].kind, &taken, &o, &err));
		}
}

/* An older program's structure ends before members that came later: they are 0, not the bytes after the structure. */
static void
members_that_are_not_there_are_zero(void **unused)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_io_options o = ZINC_IO_OPTIONS_INIT, taken;

	(void)unused;
	o.threads = 3;
	o.convert = 99;
	o.size = offsetof(zinc_io_options, convert);
	assert_ok(zinc_options_take_as(&zinc_io_options_kind, &taken, &o, &err));
	assert_int_equal(taken.threads, 3);
	assert_int_equal(taken.convert, 0);
	assert_ok(zinc_options_take_as(&zinc_io_options_kind, &taken, NULL, &err));
	o.size = 1;
	assert_int_equal(zinc_options_take_as(&zinc_io_options_kind, &taken, &o, &err), ZINC_E_INVALID);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(numbers_without_a_meaning_are_refused),
	    cmocka_unit_test(numbers_with_a_meaning_are_taken),
	    cmocka_unit_test(members_that_are_not_there_are_zero),
	};
	int failed;

	stage_open(&s, 1, 0);
	a = stage_array(&s, "a", 2, 2, 2, 2, 0, 0, "none");
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	zinc_array_close(a);
	stage_close(&s);
	return failed;
}
