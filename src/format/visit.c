/*
 * visit.c - one call on a hierarchy: its deadline and its progress function
 *
 * Many threads share a handle, and each call has its own deadline.  Every function below the public ones takes the
 * handle, which does not change once it is open.  So a call works on a copy of the handle that has the call's
 * zinc_wait, and no function needs another parameter.
 */
#include "format/format.h"

/* Copy everything but the count: references are always counted in the handle itself. */
zinc_hierarchy *
zinc_visit_within(zinc_visit *v, zinc_hierarchy *h, const zinc_wait *wait)
{
	const size_t behind = offsetof(zinc_hierarchy, ctx);

	if (!h || !wait)
		return h;
	memcpy((char *)&v->h + behind, (const char *)h + behind, sizeof *h - behind);
	v->h.of = h->of ? h->of : h;
	v->h.wait = wait;
	return &v->h;
}

zinc_status
zinc_visit_begin_of(const char *function, zinc_visit *v, zinc_hierarchy **h, const zinc_call_options *call,
		    zinc_error *err)
{
	if (!*h)
		return zinc_fail(err, ZINC_E_INVALID, "%s needs a hierarchy", function);
	if (!call)
		return ZINC_OK;
	ZINC_TRY(zinc_wait_begin(&v->wait, call, err));
	*h = zinc_visit_within(v, *h, &v->wait);
	return ZINC_OK;
}

zinc_status
zinc_visit_begin_counted_of(const char *function, zinc_visit *v, zinc_hierarchy **h, const zinc_call_options *call,
			    zinc_error *err)
{
	zinc_call_options o;

	ZINC_TRY(zinc_call_options_take(&o, call, err));
	ZINC_TRY(zinc_visit_begin_of(function, v, h, call, err));
	if (o.progress) { /* so it is the copy of a call */
		v->progress = (zinc_node_progress){o.progress, o.progress_arg, 0};
		v->h.progress = &v->progress;
	}
	return ZINC_OK;
}

zinc_status
zinc_visit_progress(const zinc_hierarchy *h, uint64_t more, uint64_t total, zinc_error *err)
{
	zinc_node_progress *t = h->progress;

	if (!t)
		return ZINC_OK;
	t->done += more;
	if (t->fn(t->arg, t->done, zinc_max_u64(t->done, total), 0) != 0)
		return zinc_fail(err, ZINC_E_CANCELLED, "cancelled by the progress callback");
	return ZINC_OK;
}

zinc_status
zinc_visit_open_new(zinc_visit *v, zinc_hierarchy **h, zinc_hierarchy **old, const char *url,
		    const zinc_open_options *options, zinc_error *err)
{
	zinc_call_options rest;
	zinc_open_options o;

	ZINC_TRY(zinc_options_take_as(&zinc_open_options_kind, &o, options, err));
	o.size = sizeof o;
	ZINC_TRY(zinc_wait_begin(&v->wait, o.call, err));
	rest = zinc_wait_rest(&v->wait);
	o.call = &rest;
	return zinc_hierarchy_open_new(h, old, url, NULL, &o, err);
}
