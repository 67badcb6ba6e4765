/*
 * test_array_sweep.c - every allocation of every array and hierarchy operation fails in turn
 */
#include "support/array_sweep.h"

int
main(void)
{
	return array_sweep(false, 0, 1);
}
