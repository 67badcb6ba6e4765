/*
 * codec_squeeze.c - zarrs.squeeze: the same elements without the dimensions of one element
 *
 *     decoded shape [1, 2, 1, 3]  ->  encoded shape [2, 3]
 *     decoded shape [1, 1]        ->  encoded shape [1]
 *
 * The codec of zarrs for zfp, which takes at most four dimensions.  "reshape" is the registered one.
 */
#include "codec/codec_parts.h"

static zinc_status
squeeze_shape(const zinc_codec *c, const zinc_rep *in, zinc_rep *out, zinc_error *err)
{
	int i;

	(void)c, (void)err;
	out->ndim = 0;
	for (i = 0; i < in->ndim; i++)
		if (in->shape[i] != 1)
			out->shape[out->ndim++] = in->shape[i];
	if (out->ndim == 0)
		out->shape[out->ndim++] = 1;
	return ZINC_OK;
}

static const zinc_array_ops coder = {
    .reshape = squeeze_shape,
};

const zinc_codec_ops zinc_codec_squeeze = {
    .name = "zarrs.squeeze",
    .purpose = "without dimensions of one element, as zarrs does before zfp",
    .kind = ZINC_ARRAY_ARRAY,
    .fixed_size = true,
    .members = zinc_no_members,
    .rule = "zarrs.squeeze",
    .array = &coder,
};
