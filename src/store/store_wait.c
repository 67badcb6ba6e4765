/*
 * store_wait.c - how long an operation may wait
 */
#include <math.h>

#include "store/store_inside.h"

double
zinc_wait_left(const zinc_wait *wait)
{
	double left;

	if (!wait || wait->until <= 0)
		return HUGE_VAL;
	left = wait->until - zinc_now(NULL);
	return left > 0 ? left : 0;
}

zinc_status
zinc_wait_check(const zinc_wait *wait, zinc_error *err)
{
	if (!wait)
		return ZINC_OK;
	if (zinc_cancel_is(wait->cancel))
		return zinc_fail(err, ZINC_E_CANCELLED, "cancelled");
	if (zinc_wait_left(wait) <= 0)
		return zinc_fail(err, ZINC_E_CANCELLED, "the deadline passed");
	return ZINC_OK;
}
