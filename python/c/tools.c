/*
 * tools.c - copying, validating, comparing
 */
#include "core.h"

int
zpy_add_tools(PyObject *module)
{
	(void)module;
	return 0;
}
