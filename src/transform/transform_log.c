/*
 * transform_log.c - the run-time layer that tells what the array asks for
 */
#include "transform/transform_inside.h"

zinc_status
zinc_layer_log(zinc_store **out, const void *log_options, const zinc_transformer_input *in, zinc_error *err)
{
	const zinc_layer_log_options *o = (const zinc_layer_log_options *)log_options;

	return zinc_store_log(out, in->next, o ? o->fn : NULL, o ? o->arg : NULL, err);
}
