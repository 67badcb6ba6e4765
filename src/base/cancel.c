/*
 * cancel.c - a flag that one thread sets and others check
 *
 * Atomic without <stdatomic.h> in the public header, which C++ does not have.  A single store or load, so that signal
 * handlers may call it.
 */
#include "base/base.h"

void
zinc_cancel_set(zinc_cancel *cancel)
{
	__atomic_store_n(&cancel->raised, 1, __ATOMIC_RELAXED);
}

void
zinc_cancel_reset(zinc_cancel *cancel)
{
	__atomic_store_n(&cancel->raised, 0, __ATOMIC_RELAXED);
}

int
zinc_cancel_is(const zinc_cancel *cancel)
{
	return cancel && __atomic_load_n(&cancel->raised, __ATOMIC_RELAXED) != 0;
}
