/*
 * wishes.c - what the attributes of an array ask for, by the rules of xarray
 *
 * Promises (tests/unit/test_cf.c names each by its number):
 *
 * (4) An attribute of a wrong type is an error that names it, or has no effect where it has none in xarray.
 */
#include <math.h>
#include <stdlib.h>

#include "cf/decode.h"

const char *
zinc_cf_text(const zinc_meta *m, const char *name)
{
	const zinc_json *v = zinc_json_member(m->attributes, name);

	return zinc_json_is(v, ZINC_JSON_STRING) ? v->text : NULL;
}

static bool
is_real(const zinc_dtype *t)
{
	return t->type != ZINC_NATIVE &&
	       (t->kind == ZINC_KIND_INT || t->kind == ZINC_KIND_UINT || t->kind == ZINC_KIND_FLOAT);
}

/* ---- times ---- */

/* "timedelta64[ns]" to nanoseconds; coarser units become seconds, finer ones nanoseconds. */
static bool
parse_timedelta(const char *text, int64_t *unit_ns)
{
	static const struct {
		const char *code;
		int64_t ns;
	} units[] = {{"Y]", ZINC_SECOND_NS},
		     {"M]", ZINC_SECOND_NS},
		     {"W]", ZINC_SECOND_NS},
		     {"D]", ZINC_SECOND_NS},
		     {"h]", ZINC_SECOND_NS},
		     {"m]", ZINC_SECOND_NS},
		     {"s]", ZINC_SECOND_NS},
		     {"ms]", 1000000},
		     {"us]", 1000},
		     {"ns]", 1},
		     {"ps]", 1},
		     {"fs]", 1},
		     {"as]", 1}};
	size_t i;

	text += strlen("timedelta64");
	if (*text++ != '[')
		return false;
	text += strspn(text, "0123456789");
	for (i = 0; i < sizeof units / sizeof *units; i++)
		if (strcmp(text, units[i].code) == 0) {
			*unit_ns = units[i].ns;
			return true;
		}
	return false;
}

static zinc_status
wish_duration(zinc_cf_wishes *w, const char *dtype, zinc_error *err)
{
	int64_t ignored;

	if (!w->units || !dtype || strncmp(dtype, "timedelta64", 11) != 0 || !zinc_duration_unit(w->units, &ignored))
		return ZINC_OK;
	if (!parse_timedelta(dtype, &w->duration_ns))
		return zinc_fail(err, ZINC_E_INVALID, "attribute \"dtype\": no unit of time in \"%.40s\"", dtype);
	w->is_duration = true;
	return ZINC_OK;
}

/* Its own, even if it is no text, which is an error of times; null is as good as none. */
static zinc_status
wish_calendar(zinc_cf_wishes *w, const char *other, zinc_error *err)
{
	const zinc_json *own = zinc_json_member(w->meta->attributes, "calendar");

	if (!own || own->type == ZINC_JSON_NULL)
		w->calendar = other;
	else if (own->type == ZINC_JSON_STRING)
		w->calendar = own->text;
	else if (w->is_time)
		return zinc_fail(err, ZINC_E_INVALID, "attribute \"calendar\": no text");
	return ZINC_OK;
}

static bool
is_text(const char *text, const char *wanted)
{
	return text && strcmp(text, wanted) == 0;
}

zinc_status
zinc_cf_wish(zinc_cf_wishes *w, const zinc_meta *m, const char *units, const char *calendar, zinc_error *err)
{
	const char *dtype = zinc_cf_text(m, "dtype"), *is_unsigned = zinc_cf_text(m, "_Unsigned");

	*w = (zinc_cf_wishes){.meta = m, .dtype = m->dtype};
	w->units = zinc_json_member(m->attributes, "units") ? zinc_cf_text(m, "units") : units;
	if (!is_real(m->dtype))
		return ZINC_OK;
	w->is_time = w->units && zinc_units_are_time(w->units);
	ZINC_TRY(wish_calendar(w, calendar, err));
	if (!w->is_time)
		ZINC_TRY(wish_duration(w, dtype, err));
	w->is_bool = !w->is_time && is_text(dtype, "bool");
	w->is_unsigned = m->dtype->kind == ZINC_KIND_INT && is_text(is_unsigned, "true");
	w->is_signed = m->dtype->kind == ZINC_KIND_UINT && is_text(is_unsigned, "false");
	return ZINC_OK;
}

/* ---- missing values ---- */

/* What is known while missing values are gathered. */
struct masks {
	zinc_cf_packing *p;
	zinc_context *ctx;
	const zinc_cf_wishes *w;
	size_t room;
	bool kept; /* an attribute that masks nothing, NaN of floats, still has an effect on the type */
};

static zinc_status
add_missing(struct masks *k, zinc_cf_missing v, zinc_error *err)
{
	zinc_cf_packing *p = k->p;
	zinc_cf_missing *more;

	if (isnan(v.re) || isnan(v.im)) {
		k->kept |= k->w->dtype->kind > ZINC_KIND_UINT;
		return ZINC_OK;
	}
	if (p->nmissing == ZINC_CF_MISSING_MAX)
		return zinc_fail(err, ZINC_E_LIMIT, "attribute \"missing_value\": more than %d values",
				 ZINC_CF_MISSING_MAX);
	if (p->nmissing == k->room) {
		k->room = k->room ? 2 * k->room : 4;
		more = zinc_realloc(k->ctx, p->missing, k->room * sizeof *more);
		if (!more)
			return zinc_fail_nomem(err);
		p->missing = more;
	}
	p->missing[p->nmissing++] = v;
	return ZINC_OK;
}

/* A number, NaN as people spell it, or a text that equals nothing. */
static bool
plain_value(const zinc_json *v, zinc_cf_missing *out)
{
	*out = (zinc_cf_missing){0};
	if (zinc_json_is(v, ZINC_JSON_TRUE) || zinc_json_is(v, ZINC_JSON_FALSE)) {
		out->whole = true;
		out->re = (double)(out->i = v->type == ZINC_JSON_TRUE);
		return true;
	}
	if (zinc_json_is(v, ZINC_JSON_STRING)) {
		out->never = true;
		return true;
	}
	if (!zinc_json_double(v, &out->re))
		return false;
	out->whole = zinc_json_is_integer(v);
	out->never = out->whole && !zinc_json_i64(v, &out->i);
	if (out->never) { /* uint64 */
		uint64_t u;

		out->never = !zinc_json_u64(v, &u);
		out->whole = false;
	}
	return true;
}

/* Lists may be nested: all of their items count. */
static zinc_status
add_plain(struct masks *k, const char *name, const zinc_json *v, zinc_error *err)
{
	const zinc_json *at = v;
	zinc_cf_missing value;

	while (at) {
		if (at->type == ZINC_JSON_ARRAY && at->first) {
			at = at->first;
			continue;
		}
		if (at->type == ZINC_JSON_OBJECT ||
		    (!zinc_json_is(at, ZINC_JSON_NULL) && at->type != ZINC_JSON_ARRAY && !plain_value(at, &value)))
			return zinc_fail(err, ZINC_E_INVALID, "attribute \"%s\": no number", name);
		if (at->type == ZINC_JSON_NULL || at->type == ZINC_JSON_ARRAY)
			k->kept |= k->w->dtype->kind > ZINC_KIND_UINT;
		else
			ZINC_TRY(add_missing(k, value, err));
		while (at != v && !at->next)
			at = at->parent;
		at = at == v ? NULL : at->next;
	}
	return ZINC_OK;
}

/* One element of the array's type. */
static zinc_status
add_element(struct masks *k, const void *element, zinc_error *err)
{
	const zinc_type type = k->p->stored;
	zinc_cf_missing v = {0};
	double parts[2] = {0};

	if (k->w->dtype->kind == ZINC_KIND_COMPLEX) {
		(void)zinc_dtype_convert(ZINC_COMPLEX128, type, parts, element, 1, 0);
		v.re = parts[0];
		v.im = parts[1];
		return add_missing(k, v, err);
	}
	(void)zinc_dtype_convert(ZINC_FLOAT64, type, &v.re, element, 1, ZINC_CONVERT_ROUND);
	v.whole =
	    k->w->dtype->kind != ZINC_KIND_FLOAT && zinc_dtype_convert(ZINC_INT64, type, &v.i, element, 1, 0) == 1;
	return add_missing(k, v, err);
}

/* Where the attribute masks: floats are base64, but plain numbers are unmistakable too. */
static zinc_status
add_encoded(struct masks *k, const zinc_json *v, zinc_error *err)
{
	uint64_t element[2] = {0};

	if (zinc_missing_parse(k->ctx, k->w->dtype, v, true, element) ||
	    zinc_missing_parse(k->ctx, k->w->dtype, v, false, element))
		return add_element(k, element, err);
	if (zinc_json_is(v, ZINC_JSON_NUMBER)) /* of another type: a fraction for integers */
		return add_plain(k, "_FillValue", v, err);
	if (zinc_json_is(v, ZINC_JSON_NULL))
		return ZINC_OK;
	return zinc_fail(err, ZINC_E_INVALID, "attribute \"_FillValue\": no value of type %s", k->w->dtype->name);
}

static zinc_status
add_fill(struct masks *k, zinc_error *err)
{
	const zinc_meta *m = k->w->meta;
	const zinc_json *v = zinc_json_member(m->attributes, "_FillValue");

	if (m->format->masks == ZINC_MASKS_FILL && !m->no_fill)
		return add_element(k, m->fill, err);
	if (!v)
		return ZINC_OK;
	if (m->format->masks == ZINC_MASKS_FILL && k->w->dtype->kind > ZINC_KIND_UINT)
		return add_plain(k, "_FillValue", v, err);
	return add_encoded(k, v, err);
}

/* ---- scale and offset ---- */

/* What the type depends on. */
struct factor {
	bool present; /* the attribute, perhaps null */
	bool given;
	bool whole;
	double v;
	int64_t i;
};

static zinc_status
parse_factor(struct factor *f, const zinc_cf_wishes *w, const char *name, zinc_error *err)
{
	const zinc_json *v = zinc_json_member(w->meta->attributes, name);

	*f = (struct factor){.present = v != NULL};
	if (zinc_json_is(v, ZINC_JSON_ARRAY) && v->n == 1)
		v = v->first;
	if (!v || v->type == ZINC_JSON_NULL)
		return ZINC_OK;
	if (!zinc_json_double(v, &f->v))
		return zinc_fail(err, ZINC_E_INVALID, "attribute \"%s\": no number", name);
	if (w->dtype->kind == ZINC_KIND_COMPLEX)
		return zinc_fail(err, ZINC_E_INVALID, "attribute \"%s\": of complex numbers", name);
	f->given = true;
	f->whole = zinc_json_i64(v, &f->i);
	return ZINC_OK;
}

/* The type that holds what a scale and an offset make of numbers (xarray's _choose_float_dtype). */
static zinc_type
packed_type(zinc_type type, const struct factor *scale, const struct factor *offset)
{
	if (scale->given && !offset->given && scale->whole && zinc_dtype_of(type)->kind <= ZINC_KIND_UINT)
		return ZINC_INT64; /* xarray cuts floats, too */
	if (scale->given || offset->given)
		return ZINC_FLOAT64;
	return zinc_type_size(type) <= 2 || type == ZINC_FLOAT32 ? ZINC_FLOAT32 : ZINC_FLOAT64;
}

/* The type that holds a number and NaN (xarray's maybe_promote).  Not all small floats have NaN. */
static zinc_type
promoted(zinc_type type, zinc_kind kind)
{
	if (kind > ZINC_KIND_UINT)
		return zinc_type_widen(type);
	return zinc_type_size(type) <= 2 ? ZINC_FLOAT32 : ZINC_FLOAT64;
}

static zinc_type
other_sign(zinc_type type, bool to_unsigned)
{
	const int step = type > ZINC_RAW ? ZINC_UINT4 - ZINC_INT4 : ZINC_UINT8 - ZINC_INT8;

	return (zinc_type)((int)type + (to_unsigned ? step : -step));
}

/* The array's own type, unless an attribute says that integers have the other sign. */
static zinc_type
unscaled(const struct masks *k)
{
	return k->p->stored == k->w->dtype->type ? k->p->stored : zinc_type_widen(k->p->stored);
}

static zinc_type
number_type(const struct masks *k, const struct factor *scale, const struct factor *offset)
{
	const zinc_cf_packing *p = k->p;
	const bool packed = scale->present || offset->present;
	zinc_type type;

	if (p->nmissing == 0)
		return !packed || (k->kept && !k->w->is_time) ? unscaled(k) : packed_type(p->stored, scale, offset);
	if (!packed)
		return promoted(p->stored, k->w->dtype->kind);
	type = packed_type(p->stored, scale, offset);
	return type == ZINC_INT64 ? ZINC_FLOAT64 : type; /* NaN needs a float */
}

/* Times are computed from int64 or float64. */
static void
settle_time(struct masks *k)
{
	zinc_cf_packing *p = k->p;

	p->counts = p->scales || p->shifts ? p->type == ZINC_INT64 : k->w->dtype->kind != ZINC_KIND_FLOAT;
	p->single = !p->scales && !p->shifts && p->type == ZINC_FLOAT32;
	p->type = p->counts ? ZINC_INT64 : ZINC_FLOAT64;
}

zinc_status
zinc_cf_packing_parse(zinc_cf_packing *p, zinc_context *ctx, const zinc_cf_wishes *w, zinc_error *err)
{
	struct masks k = {.p = p, .ctx = ctx, .w = w};
	struct factor scale, offset;

	p->stored = w->dtype->type;
	if (w->is_unsigned || w->is_signed)
		p->stored = other_sign(p->stored, w->is_unsigned);
	ZINC_TRY(add_fill(&k, err));
	ZINC_TRY(add_plain(&k, "missing_value", zinc_json_member(w->meta->attributes, "missing_value"), err));
	ZINC_TRY(parse_factor(&scale, w, "scale_factor", err));
	ZINC_TRY(parse_factor(&offset, w, "add_offset", err));
	p->scales = scale.given;
	p->shifts = offset.given;
	p->scale = scale.v;
	p->offset = offset.v;
	p->factor = scale.i;
	p->type = number_type(&k, &scale, &offset);
	if (w->is_time || w->is_duration)
		settle_time(&k);
	else if (w->is_bool)
		p->type = ZINC_BOOL;
	return ZINC_OK;
}
