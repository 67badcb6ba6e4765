/*
 * select.c - selections by name and by coordinate value
 */
#include "cf/cf.h"

zinc_status
zinc_selection_find(zinc_selection **out, zinc_array *a, const char *text, const zinc_find_options *options,
		    zinc_error *err)
{
	(void)options;
	return zinc_selection_parse(out, a, text, err);
}

zinc_status
zinc_cf_coordinate(zinc_array **out, zinc_array *a, int dim, const zinc_call_options *call, zinc_error *err)
{
	(void)out, (void)a, (void)dim, (void)call;
	return zinc_fail(err, ZINC_E_NOTFOUND, "no coordinate");
}
