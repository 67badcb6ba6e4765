/*
 * test.h - included by every unit test: cmocka and the headers that it needs
 */
#ifndef TEST_H
#define TEST_H

/* clang-format off */
#include <float.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
/* clang-format on */
#include <zinc.h>

/* How often to repeat a random test: n times with ZINC_LONG, a fifth of it otherwise, and a hundredth with
 * ZINC_QUICK, under emulators and similar. */
#define MANY(times) ((times) / (getenv("ZINC_QUICK") ? 100 : getenv("ZINC_LONG") ? 1 : 5))

/* The case of a sweep after case `at`: the next one; but if another suite runs them all (ZINC_SAMPLE=sweep), only
 * every seventh after the first hundred. */
#define SWEEP_NEXT(at)                                                                                                 \
	((at) + ((at) >= 100 && getenv("ZINC_SAMPLE") && strcmp(getenv("ZINC_SAMPLE"), "sweep") == 0 ? 7u : 1u))

/* Seconds after which a test counts as hanging, for alarm(): far above the time on a busy machine, because no test
 * may fail only for being slow. */
#define HANGS 1800

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* An expression that must succeed, given the variable `err`, which a success must not write to. */
#define assert_ok(expr)                                                                                                \
	do {                                                                                                           \
		const uint32_t ready = error_ready(&err);                                                              \
		if ((expr) != ZINC_OK)                                                                                 \
			fail_msg("%s: %s", #expr, zinc_error_text(&err));                                              \
		error_untouched(&err, ready, #expr);                                                                   \
	} while (0)

/* Fill an empty error with bytes that no call writes; pass the result to error_untouched. */
uint32_t error_ready(zinc_error *err);
/* Fails the test, naming `what`, if the error was written to since; clears what error_ready filled. */
void error_untouched(zinc_error *err, uint32_t ready, const char *what);

/* valgrind computes long doubles, and floats from 64-bit integers, with the precision of a double; then they cannot
 * be compared. */
static inline bool
long_doubles_are_long(void)
{
	volatile long double one = 1, small = 0x1p-63L;

	return LDBL_MANT_DIG < 64 || one + small > one;
}

#endif
