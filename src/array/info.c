/*
 * info.c - arrays in a listing: the contents of the document, without access to elements
 *
 * zinc_array_info is plain data for programs.  It is the first member of a zinc_shown_array, whose handle owns the data
 * that its pointers refer to.
 */
#include <zinc/numpy.h>

#include "array/engine.h"

static const zinc_array *
handle_of(const zinc_array_info *info)
{
	return ((const zinc_shown_array *)(const void *)info)->array;
}

const zinc_meta *
zinc_array_info_meta(const zinc_array_info *info)
{
	return handle_of(info)->meta;
}

/* As the document has it: inner chunks that cannot be decoded alone are shown too. */
static const uint64_t *
inner_shape(const zinc_meta *meta, const zinc_array *a, uint64_t *shape)
{
	const bool sharded = meta->grid && meta->chain && meta->chain->shard;
	const bool has = sharded ? zinc_chain_inner_shape(meta->chain, shape) : zinc_array_chunk_shape(a, shape) != 0;

	return has ? shape : NULL;
}

zinc_status
zinc_shown_array_init(zinc_shown_array *s, zinc_hierarchy *h, const char *path, zinc_meta *meta, zinc_error *err)
{
	zinc_array *a = NULL;
	int d;

	s->array = NULL;
	ZINC_TRY(zinc_array_make(&a, h, path, meta, err));
	s->array = a;
	for (d = 0; d < meta->ndim; d++)
		s->names[d] = zinc_array_dimension_name(a, d);
	s->told = (zinc_array_info){
	    .size = sizeof s->told,
	    .ndim = meta->ndim,
	    .shape = zinc_array_shape(a),
	    .type = zinc_array_type(a),
	    .dtype = zinc_array_dtype(a),
	    .element_size = zinc_array_element_size(a),
	    .variable = zinc_array_variable(a),
	    .dimension_names = s->names,
	    .chunk_shape = inner_shape(meta, a, s->chunk_shape),
	    .shard_shape = zinc_array_shard_shape(a, s->shard_shape) ? s->shard_shape : NULL,
	    .grid_shape = zinc_array_grid_shape(a, s->grid_shape) ? s->grid_shape : NULL,
	    .fill = zinc_array_fill(a),
	    .unsupported = zinc_array_unsupported(a),
	};
	return ZINC_OK;
}

void
zinc_shown_array_fini(zinc_shown_array *s)
{
	zinc_array_close(s->array);
}

zinc_status
zinc_array_info_open(zinc_array **out, const zinc_array_info *info, const zinc_call_options *call, zinc_error *err)
{
	const zinc_shown_array *s = (const zinc_shown_array *)(const void *)info;

	if (!out || !info)
		return zinc_fail(err, ZINC_E_INVALID, "zinc_array_info_open: out and info must not be NULL");
	if (s->copy)
		return zinc_array_open(out, s->array->h, s->array->path, call, err);
	return zinc_array_make(out, s->array->h, s->array->path, s->array->meta, err);
}

zinc_status
zinc_array_info_describe(const zinc_array_info *info, zinc_blob *json, zinc_error *err)
{
	if (!info || !json)
		return zinc_fail(err, ZINC_E_INVALID, "zinc_array_info_describe: info and json must not be NULL");
	return zinc_array_describe(handle_of(info), json, err);
}

size_t
zinc_array_info_numpy(const zinc_array_info *info, char *out, size_t room)
{
	return zinc_array_numpy(handle_of(info), out, room);
}
