/*
 * batch.c - the batches of chunks that zarr-python asks its codec pipeline for, as one selection
 */
#include "core.h"

int
zpy_add_batch(PyObject *module)
{
	(void)module;
	return 0;
}
