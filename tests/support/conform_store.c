/*
 * conform_store.c - runs the suite: conform_read.c, conform_write.c, conform_list.c
 */
#include <stdlib.h>

#include "support/conform_inside.h"

#define MOST_TESTS 64

typedef struct plan {
	conform_make_fn make;
	void *arg;
	conform_subject subject;
} plan;

zinc_store *
subject(void **state)
{
	return ((plan *)*state)->subject.store;
}

zinc_store *
filler(void **state)
{
	return ((plan *)*state)->subject.fill;
}

uint32_t
flags_of(zinc_store *s)
{
	zinc_caps caps = ZINC_CAPS_INIT;

	zinc_store_caps(s, &caps);
	return caps.flags;
}

bool
has_conditional_dels(void **state)
{
	return !((const plan *)*state)->subject.no_conditional_dels;
}

zinc_store *
able(void **state, uint32_t needs)
{
	zinc_store *s = subject(state);

	return (flags_of(s) & needs) == needs ? s : NULL;
}

static int
set_up(void **state)
{
	plan *p = (plan *)*state;

	p->make(p->arg, &p->subject);
	return p->subject.store ? 0 : -1;
}

static int
tear_down(void **state)
{
	plan *p = (plan *)*state;

	if (p->subject.fill != p->subject.store)
		zinc_store_close(p->subject.fill);
	zinc_store_close(p->subject.store);
	return 0;
}

zinc_status
apply_edit(void *arg, const void *old, size_t nold, zinc_update *out, zinc_error *err)
{
	edit *e = (edit *)arg;

	e->calls++;
	if (e->expect) {
		assert_non_null(old);
		assert_int_equal(nold, strlen(e->expect));
		assert_memory_equal(old, e->expect, nold);
	} else {
		assert_null(old);
		assert_int_equal(nold, 0);
	}
	*out = e->answer;
	return e->status == ZINC_OK ? ZINC_OK : zinc_fail(err, e->status, "the caller's own reason");
}

zinc_status
increment(void *arg, const void *old, size_t nold, zinc_update *out, zinc_error *err)
{
	int *n = (int *)arg;

	(void)err;
	*n = 0;
	if (old) {
		assert_int_equal(nold, sizeof *n);
		memcpy(n, old, sizeof *n);
	}
	++*n;
	out->bytes = n;
	out->nbytes = sizeof *n;
	return ZINC_OK;
}

static size_t
add_rows(struct CMUnitTest *tests, size_t n, const conform_row *rows, plan *p)
{
	for (; rows->name; rows++) {
		assert_true(n < MOST_TESTS);
		tests[n++] = (struct CMUnitTest){rows->name, rows->fn, set_up, tear_down, p};
	}
	return n;
}

int
conform_store_run(const char *name, conform_make_fn make, void *arg)
{
	struct CMUnitTest tests[MOST_TESTS];
	plan p = {.make = make, .arg = arg};
	size_t n = 0;

	n = add_rows(tests, n, conform_read, &p);
	n = add_rows(tests, n, conform_write, &p);
	n = add_rows(tests, n, conform_list, &p);
	return _cmocka_run_group_tests(name, tests, n, NULL, NULL);
}
