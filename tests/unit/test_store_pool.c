/*
 * test_store_pool.c - the promises of store_pool.h, by number
 */
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store/store_pool.h"
#include "support/test.h"

typedef struct connection {
	zinc_conn base;
	bool closed, forked;
} connection;

static void
close_it(zinc_conn *c, bool forked)
{
	connection *x = (connection *)(void *)c;

	assert_false(x->closed);
	x->closed = true;
	x->forked = forked;
}

static void
the_last_is_taken_first(void **state) /* (1) */
{
	connection a = {.closed = false}, b = {.closed = false};
	zinc_conns l;

	(void)state;
	zinc_conns_init(&l, 2, close_it);
	assert_null(zinc_conns_take(&l));
	zinc_conns_give(&l, &a.base);
	zinc_conns_give(&l, &b.base);
	assert_ptr_equal(zinc_conns_take(&l), &b);
	assert_ptr_equal(zinc_conns_take(&l), &a);
	assert_null(zinc_conns_take(&l));
	assert_false(a.closed || b.closed);
	zinc_conns_give(&l, &a.base);
	zinc_conns_fini(&l);
	assert_true(a.closed && !a.forked && !b.closed);
}

static void
only_some_are_kept(void **state) /* (2) */
{
	connection c[3] = {{.closed = false}, {.closed = false}, {.closed = false}};
	zinc_conns l;

	(void)state;
	zinc_conns_init(&l, 2, close_it);
	zinc_conns_give(&l, &c[0].base);
	zinc_conns_give(&l, &c[1].base);
	zinc_conns_give(&l, &c[2].base);
	assert_true(c[2].closed && !c[1].closed && !c[0].closed);
	zinc_conns_drop(&l);
	assert_true(c[0].closed && c[1].closed);
	assert_null(zinc_conns_take(&l));
	zinc_conns_fini(&l);
}

static void
a_child_has_none(void **state) /* (3) */
{
	connection c = {.closed = false};
	zinc_conns l;
	int status = 0;
	pid_t pid;

	(void)state;
	zinc_conns_init(&l, 2, close_it);
	zinc_conns_give(&l, &c.base);
	pid = fork();
	if (pid == 0)
		_exit(c.closed && c.forked && !zinc_conns_take(&l) ? 0 : 1);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	assert_false(c.closed);
	assert_ptr_equal(zinc_conns_take(&l), &c);
	zinc_conns_fini(&l);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(the_last_is_taken_first),
	    cmocka_unit_test(only_some_are_kept),
	    cmocka_unit_test(a_child_has_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
