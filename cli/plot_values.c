/*
 * plot_values.c - elements of any type as numbers that can be drawn
 *
 * Promises (tests/cli/plot.sh):
 *
 * (1) Integers, floats and truth values are themselves, complex numbers their magnitude, times their distance from
 *     1970 in the unit of the type.  Elements of other types are refused.
 * (2) Missing elements (NaN, NaT, what --cf calls missing) are NaN.
 */
#include <math.h>

#include "plot.h"

#define WIDEN(name, type)                                                                                              \
	static void name(const void *from, size_t n, double *to)                                                       \
	{                                                                                                              \
		const type *v = from;                                                                                  \
		size_t i;                                                                                              \
                                                                                                                       \
		for (i = 0; i < n; i++)                                                                                \
			to[i] = (double)v[i];                                                                          \
	}

WIDEN(widen_i1, int8_t)
WIDEN(widen_i2, int16_t)
WIDEN(widen_i4, int32_t)
WIDEN(widen_i8, int64_t)
WIDEN(widen_u1, uint8_t)
WIDEN(widen_u2, uint16_t)
WIDEN(widen_u4, uint32_t)
WIDEN(widen_u8, uint64_t)
WIDEN(widen_f4, float)
WIDEN(widen_f8, double)

static void
widen_bool(const void *from, size_t n, double *to)
{
	const uint8_t *v = from;
	size_t i;

	for (i = 0; i < n; i++)
		to[i] = v[i] ? 1 : 0;
}

static void
widen_f2(const void *from, size_t n, double *to)
{
	const uint16_t *v = from;
	size_t i;

	for (i = 0; i < n; i++)
		to[i] = half_value(v[i]);
}

static void
widen_c8(const void *from, size_t n, double *to)
{
	const float *v = from;
	size_t i;

	for (i = 0; i < n; i++)
		to[i] = hypot((double)v[2 * i], (double)v[2 * i + 1]);
}

static void
widen_c16(const void *from, size_t n, double *to)
{
	const double *v = from;
	size_t i;

	for (i = 0; i < n; i++)
		to[i] = hypot(v[2 * i], v[2 * i + 1]);
}

static void
widen_time(const void *from, size_t n, double *to)
{
	const int64_t *v = from;
	size_t i;

	for (i = 0; i < n; i++)
		to[i] = v[i] == INT64_MIN ? (double)NAN : (double)v[i]; /* NaT */
}

static void (*const widen_table[])(const void *from, size_t n, double *to) = {
    [ZINC_BOOL] = widen_bool,    [ZINC_INT8] = widen_i1,        [ZINC_INT16] = widen_i2,   [ZINC_INT32] = widen_i4,
    [ZINC_INT64] = widen_i8,     [ZINC_UINT8] = widen_u1,       [ZINC_UINT16] = widen_u2,  [ZINC_UINT32] = widen_u4,
    [ZINC_UINT64] = widen_u8,    [ZINC_FLOAT16] = widen_f2,     [ZINC_FLOAT32] = widen_f4, [ZINC_FLOAT64] = widen_f8,
    [ZINC_COMPLEX64] = widen_c8, [ZINC_COMPLEX128] = widen_c16, [ZINC_RAW] = NULL,
};

/* Are elements NumPy's datetime64 or timedelta64?  They are int64. */
static bool
is_time(const zinc_array *a)
{
	char numpy[32];
	const size_t n = zinc_array_numpy(a, numpy, sizeof numpy);
	const char *p = numpy + (*numpy == '\'');

	return n && n < sizeof numpy && (!strncmp(p, "<M8", 3) || !strncmp(p, "<m8", 3));
}

static void
choose_widen(struct plot_values *v)
{
	const zinc_type own = zinc_array_type(v->array), type = v->decode ? v->about.type : zinc_type_widen(own);

	v->time = v->decode ? v->about.kind >= ZINC_CF_TIME : type == ZINC_NATIVE && is_time(v->array);
	v->whole = type >= ZINC_BOOL && type <= ZINC_UINT64 && !v->time;
	if (!v->decode && type != own) {
		v->read = type;
		v->element = zinc_type_size(type);
	}
	v->decoded = v->decode ? zinc_type_size(type) : v->element;
	if (v->time)
		v->widen = widen_time;
	else if ((size_t)type < sizeof widen_table / sizeof *widen_table)
		v->widen = widen_table[type];
}

int
plot_values_open(struct plot_values *v, zinc_array *a, bool decode, zinc_error *err)
{
	*v = (struct plot_values){.array = a, .about = ZINC_CF_ABOUT_INIT, .element = zinc_array_element_size(a)};
	if (zinc_array_variable(a))
		return USAGE;
	if (zinc_cf_open(&v->cf, a, err) || zinc_cf_describe(v->cf, &v->about, err)) {
		if (decode)
			return -1;
		zinc_cf_close(v->cf); /* only labels are lost */
		v->cf = NULL;
		v->about = (zinc_cf_about)ZINC_CF_ABOUT_INIT;
	}
	v->decode = decode && v->about.kind != ZINC_CF_PLAIN;
	choose_widen(v);
	if (!v->widen)
		return USAGE;
	if (v->decode)
		v->room = xrealloc(NULL, PLOT_STRIP * v->decoded);
	return DONE;
}

void
plot_values_close(struct plot_values *v)
{
	zinc_cf_close(v->cf);
	free(v->room);
	*v = (struct plot_values){.array = NULL};
}

zinc_status
plot_values_widen(struct plot_values *v, const void *elements, size_t n, double *to, zinc_error *err)
{
	zinc_status st;

	if (v->decode) {
		st = zinc_cf_decode(v->cf, elements, n, v->room, err);
		if (st)
			return st;
		elements = v->room;
	}
	v->widen(elements, n, to);
	return ZINC_OK;
}

/* "2020-01-03T00:00:00.500000000" -> without zeros at the end of the fraction. */
static void
trim_fraction(char *s)
{
	char *point = strchr(s, '.');
	size_t n = strlen(s);

	if (!point)
		return;
	while (s[n - 1] == '0')
		s[--n] = '\0';
	if (s[n - 1] == '.')
		s[n - 1] = '\0';
}

static bool
print_time(const struct plot_values *v, double value, char *s, size_t room)
{
	int64_t i;
	size_t n = 0;

	if (!(fabs(value) < 0x1p63))
		return false;
	i = llround(value);
	if (v->decode)
		return zinc_cf_print(v->cf, &i, s, NULL) == ZINC_OK;
	return zinc_array_element_print(v->array, &i, ZINC_SPELL_TEXT, s, room, &n, NULL) == ZINC_OK && n < room;
}

void
plot_values_label(const struct plot_values *v, struct text *t, double value, int digits)
{
	char s[64];

	if (v && v->time && print_time(v, value, s, sizeof s)) {
		trim_fraction(s);
		text_puts(t, s);
	} else {
		text_printf(t, "%.*g", digits, value == 0 ? 0.0 : value); /* no "-0" */
	}
}
