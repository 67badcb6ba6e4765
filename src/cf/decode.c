/*
 * decode.c - elements as xarray decodes them
 *
 * Promises (tests/unit/test_cf.c names each by its number):
 *
 * (9) What one element becomes depends on the array, never on the elements that are decoded with it.
 */
#include "cf/decode.h"

#include <stdio.h>

/* ---- opening ---- */

static const struct {
	int64_t ns;
	const char *name;
} units[] = {{ZINC_SECOND_NS, "s"}, {1000000, "ms"}, {1000, "us"}, {1, "ns"}};

static void
name_unit(zinc_cf *cf)
{
	const size_t last = sizeof units / sizeof *units - 1;
	size_t i = 0;

	while (i < last && units[i].ns != cf->times.unit_ns)
		i++;
	snprintf(cf->unit, sizeof cf->unit, "%s", units[i].name);
	cf->about.unit = cf->unit;
}

static void
describe_times(zinc_cf *cf)
{
	const bool duration = cf->times.kind == ZINC_CF_DURATION;

	name_unit(cf);
	cf->about.kind = cf->times.kind;
	cf->about.type = ZINC_INT64;
	if (!duration)
		cf->about.calendar = zinc_calendar_name(cf->times.from.calendar);
	if (cf->times.kind == ZINC_CF_DATE)
		snprintf(cf->numpy, sizeof cf->numpy, "<U32");
	else
		snprintf(cf->numpy, sizeof cf->numpy, "<%c8[%s]", duration ? 'm' : 'M', cf->unit);
	cf->about.numpy = cf->numpy;
}

static void
describe_numbers(zinc_cf *cf)
{
	const zinc_dtype *t = zinc_dtype_of(cf->packing.type);

	cf->about.kind = ZINC_CF_NUMBER;
	cf->about.type = cf->packing.type;
	snprintf(cf->numpy, sizeof cf->numpy, "%c%s", t->size > 1 ? '<' : '|', t->v2);
	cf->about.numpy = cf->numpy;
}

static zinc_status
open_times(zinc_cf *cf, zinc_array *a, const zinc_cf_wishes *w, zinc_error *err)
{
	zinc_cf_range range = {0};

	cf->times = (zinc_cf_times){.kind = ZINC_CF_TIME, .unit_ns = w->duration_ns, .single = cf->packing.single};
	if (w->is_duration) {
		cf->times.kind = ZINC_CF_DURATION;
		(void)zinc_duration_unit(w->units, &cf->times.from.unit_ns);
	} else {
		ZINC_TRY(zinc_time_units_parse(&cf->times.from, w->units, w->calendar, err));
	}
	if (!w->is_duration || !cf->packing.counts)
		ZINC_TRY(zinc_cf_sample(cf, a, &range, err));
	zinc_cf_times_choose(&cf->times, cf->packing.counts, &range);
	describe_times(cf);
	return ZINC_OK;
}

static zinc_status
copy_labels(zinc_cf *cf, const zinc_cf_wishes *w, zinc_error *err)
{
	const char *name = zinc_cf_text(w->meta, "long_name");

	name = name ? name : zinc_cf_text(w->meta, "standard_name");
	cf->units = zinc_strdup(cf->ctx, w->units ? w->units : "");
	cf->long_name = zinc_strdup(cf->ctx, name ? name : "");
	if (!cf->units || !cf->long_name)
		return zinc_fail_nomem(err);
	cf->about.units = cf->units;
	cf->about.long_name = cf->long_name;
	return ZINC_OK;
}

/* Truth values and all that is no number stays as it is. */
static bool
is_number(const zinc_dtype *t)
{
	return zinc_missing_has(t) && t->kind != ZINC_KIND_BOOL;
}

static zinc_status
open_with(zinc_cf *cf, zinc_array *a, const zinc_meta *m, const zinc_meta *of, zinc_error *err)
{
	zinc_cf_wishes w;

	ZINC_TRY(
	    zinc_cf_wish(&w, m, of ? zinc_cf_text(of, "units") : NULL, of ? zinc_cf_text(of, "calendar") : NULL, err));
	ZINC_TRY(copy_labels(cf, &w, err));
	if (!is_number(m->dtype))
		return ZINC_OK;
	ZINC_TRY(zinc_cf_packing_parse(&cf->packing, cf->ctx, &w, err));
	if (w.is_time || w.is_duration)
		return open_times(cf, a, &w, err);
	if (!zinc_cf_is_plain(&cf->packing, m->dtype->type))
		describe_numbers(cf);
	return ZINC_OK;
}

static zinc_status
open_meta(zinc_cf *cf, zinc_array *a, zinc_meta *m, zinc_error *err)
{
	zinc_array *of = NULL;
	zinc_meta *meta = NULL;
	zinc_status st;

	if (!m->dtype)
		return zinc_meta_refuse(m, err);
	st = is_number(m->dtype) ? zinc_cf_bounds_of(&of, a, m, err) : ZINC_OK;
	if (of)
		meta = zinc_array_snapshot(of);
	if (st == ZINC_OK)
		st = open_with(cf, a, m, meta, err);
	zinc_meta_free(meta);
	zinc_array_close(of);
	return st;
}

zinc_status
zinc_cf_open(zinc_cf **out, zinc_array *a, zinc_error *err)
{
	zinc_cf *cf;
	zinc_status st;
	zinc_meta *m;

	ZINC_TRY(ZINC_NEED(out && a, err));
	*out = NULL;
	cf = zinc_calloc(a->ctx, 1, sizeof *cf);
	if (!cf)
		return zinc_fail_nomem(err);
	cf->ctx = a->ctx;
	cf->element = zinc_array_element_size(a);
	cf->about = (zinc_cf_about)ZINC_CF_ABOUT_INIT;
	cf->about.unit = cf->about.calendar = "";
	m = zinc_array_snapshot(a);
	st = open_meta(cf, a, m, err);
	zinc_meta_free(m);
	if (st != ZINC_OK) {
		zinc_cf_close(cf);
		return zinc_error_at_node(err, st, a->h, a->path);
	}
	*out = cf;
	return ZINC_OK;
}

void
zinc_cf_close(zinc_cf *cf)
{
	if (!cf)
		return;
	zinc_free(cf->ctx, cf->units);
	zinc_free(cf->ctx, cf->long_name);
	zinc_free(cf->ctx, cf->packing.missing);
	zinc_free(cf->ctx, cf);
}

/* ---- use ---- */

zinc_status
zinc_cf_describe(const zinc_cf *cf, zinc_cf_about *about, zinc_error *err)
{
	ZINC_TRY(ZINC_NEED(cf && about, err));
	ZINC_TRY(zinc_result_check(about, err));
	zinc_result_fill(about, &cf->about, sizeof cf->about);
	return ZINC_OK;
}

zinc_status
zinc_cf_decode(const zinc_cf *cf, const void *elements, size_t n, void *decoded, zinc_error *err)
{
	size_t nbytes;

	ZINC_TRY(ZINC_NEED(cf && ((elements && decoded) || n == 0), err));
	if (n == 0)
		return ZINC_OK;
	if (zinc_size_mul(n, cf->element > 8 ? cf->element : 8, &nbytes))
		return zinc_fail(err, ZINC_E_LIMIT, "too many elements");
	if (cf->about.kind == ZINC_CF_PLAIN) {
		memcpy(decoded, elements, n * cf->element);
		return ZINC_OK;
	}
	ZINC_TRY(zinc_cf_unpack(&cf->packing, elements, n, decoded, err));
	if (cf->about.kind == ZINC_CF_NUMBER)
		return ZINC_OK;
	return zinc_cf_times_decode(&cf->times, cf->packing.counts, decoded, n, decoded, err);
}

bool
zinc_cf_calendar(const zinc_cf *cf, zinc_calendar *out)
{
	*out = cf->times.from.calendar;
	return cf->about.kind == ZINC_CF_TIME || cf->about.kind == ZINC_CF_DATE;
}

bool
zinc_cf_instant(const zinc_cf *cf, int64_t decoded, zinc_instant *out)
{
	if ((cf->about.kind != ZINC_CF_TIME && cf->about.kind != ZINC_CF_DATE) || decoded == INT64_MIN)
		return false;
	*out = zinc_instant_of_count(decoded, cf->times.unit_ns);
	return true;
}

zinc_status
zinc_cf_print(const zinc_cf *cf, const void *decoded, char text[64], zinc_error *err)
{
	zinc_instant at;
	int64_t v;

	ZINC_TRY(ZINC_NEED(cf && decoded && text, err));
	if (cf->about.kind < ZINC_CF_TIME)
		return zinc_fail(err, ZINC_E_INVALID, "not a time");
	memcpy(&v, decoded, sizeof v);
	if (v == INT64_MIN)
		snprintf(text, 64, "NaT");
	else if (zinc_cf_instant(cf, v, &at))
		zinc_date_print(cf->times.from.calendar, at, text);
	else
		zinc_cf_duration_print(&cf->times, v, text);
	return ZINC_OK;
}
