/*
 * test_array_sweep_os_rest.c - every OS call of the operations that test_array_sweep_os leaves out
 */
#include "support/array_sweep.h"

int
main(void)
{
	return array_sweep(true, 1, 2);
}
