/*
 * decode.c - elements as xarray decodes them
 */
#include "cf/cf.h"

struct zinc_cf {
	zinc_context *ctx;
	size_t element;
};

zinc_status
zinc_cf_open(zinc_cf **out, zinc_array *a, zinc_error *err)
{
	zinc_cf *cf = zinc_alloc(a->ctx, sizeof *cf);

	if (!cf)
		return zinc_fail_nomem(err);
	*cf = (zinc_cf){.ctx = a->ctx, .element = zinc_array_element_size(a)};
	*out = cf;
	return ZINC_OK;
}

void
zinc_cf_close(zinc_cf *cf)
{
	if (cf)
		zinc_free(cf->ctx, cf);
}

zinc_status
zinc_cf_describe(const zinc_cf *cf, zinc_cf_about *about, zinc_error *err)
{
	(void)cf, (void)err;
	*about = (zinc_cf_about)ZINC_CF_ABOUT_INIT;
	about->unit = about->calendar = about->units = about->long_name = "";
	return ZINC_OK;
}

zinc_status
zinc_cf_decode(const zinc_cf *cf, const void *elements, size_t n, void *decoded, zinc_error *err)
{
	(void)err;
	memcpy(decoded, elements, n * cf->element);
	return ZINC_OK;
}

zinc_status
zinc_cf_print(const zinc_cf *cf, const void *decoded, char text[64], zinc_error *err)
{
	(void)cf, (void)decoded, (void)text;
	return zinc_fail(err, ZINC_E_INVALID, "not a time");
}

bool
zinc_cf_calendar(const zinc_cf *cf, zinc_calendar *out)
{
	(void)cf, (void)out;
	return false;
}

bool
zinc_cf_instant(const zinc_cf *cf, int64_t decoded, zinc_instant *out)
{
	(void)cf, (void)decoded, (void)out;
	return false;
}
