/*
 * transform_log.c - the run-time layer that logs the array's requests
 */
#include "transform/transform_inside.h"

zinc_status
zinc_layer_log(zinc_store **out, const void *log_options, const zinc_transformer_input *in, zinc_error *err)
{
	zinc_layer_log_options o;

	ZINC_TRY(ZINC_NEED(out && in && in->next, err));
	ZINC_TRY(zinc_options_take(&o, sizeof o, log_options, err));
	return zinc_store_log(out, in->next, o.fn, o.arg, err);
}
