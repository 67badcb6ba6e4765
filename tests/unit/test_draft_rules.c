/*
 * test_draft_rules.c - stores that keep or break one rule of a draft each, and what validate finds in them
 *
 * The stores are lines of tests/rules/index_v3_*.txt; tests/support/rules.h explains the words of a line.
 */
#include "rules.h"
#include "test.h"

static void
test_2019(void **state)
{
	(void)state;
	rules_validate("v3_2019", "v3-2019", false, 60);
}

static void
test_2020(void **state)
{
	(void)state;
	rules_validate("v3_2020", "v3-2020", false, 60);
}

static void
test_2022(void **state)
{
	(void)state;
	rules_validate("v3_2022", "v3-2022", false, 80);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_2019),
	    cmocka_unit_test(test_2020),
	    cmocka_unit_test(test_2022),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
