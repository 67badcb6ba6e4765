/*
 * test.h - what every unit test includes: cmocka, which does not include what it needs itself
 */
#ifndef TEST_H
#define TEST_H

/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* An expression that must succeed, given the variable `err`. */
#define assert_ok(expr)                                                                                                \
	do {                                                                                                           \
		if ((expr) != ZINC_OK)                                                                                 \
			fail_msg("%s: %s", #expr, zinc_error_text(&err));                                              \
	} while (0)

#endif
