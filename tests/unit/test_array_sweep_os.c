/*
 * test_array_sweep_os.c - every OS call of every second array and hierarchy operation fails in turn
 */
#include "support/array_sweep.h"

int
main(void)
{
	return array_sweep(true, 0, 2);
}
