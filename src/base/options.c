/*
 * options.c - copying options of any version, checking their numbers, and filling answers of any version
 *
 * Promises (tests/unit/test_options.c checks every structure):
 *
 * (1) A member that a structure does not have yet is 0.
 * (2) An invalid number (an unknown flag or enum value, a boolean that is neither 0 nor 1, a time that is negative or
 *     NaN) is E_INVALID, never replaced: a later version may give it a meaning.
 * (3) No byte of an answer is written beyond the caller's size, and its size says what was written (test_answers.c).
 */
#include "base/base.h"

ZINC_OPTIONS_KIND(zinc_context_options, ZINC_OPTION_COUNT(zinc_context_options, threads));
ZINC_OPTIONS_KIND(zinc_call_options, ZINC_OPTION_REAL(zinc_call_options, timeout));

#define NO_SIZE "a structure without its size: use its macro, ZINC_..._OPTIONS, _INIT ..."

zinc_status
zinc_options_take(void *to, size_t nbytes, const void *from, zinc_error *err)
{
	const uint8_t *bytes = (const uint8_t *)from;
	size_t size = 0, i;

	memset(to, 0, nbytes);
	memcpy(to, &nbytes, sizeof nbytes);
	if (!from)
		return ZINC_OK;
	memcpy(&size, from, sizeof size);
	if (size < sizeof size)
		return zinc_fail(err, ZINC_E_INVALID, NO_SIZE);
	for (i = nbytes; i < size; i++)
		if (bytes[i])
			return zinc_fail(err, ZINC_E_INVALID,
					 "the options set members of a newer version of the library");
	memcpy(to, from, size < nbytes ? size : nbytes);
	memcpy(to, &nbytes, sizeof nbytes);
	return ZINC_OK;
}

static int
number_at(const void *member)
{
	int number;

	memcpy(&number, member, sizeof number);
	return number;
}

static bool
within(const zinc_option_range *r, const void *member)
{
	double real;

	if (r->real) {
		memcpy(&real, member, sizeof real);
		return real >= 0; /* false for NaN, too */
	}
	return number_at(member) >= r->least && number_at(member) <= r->most;
}

zinc_status
zinc_options_take_as(const zinc_options_kind *kind, void *to, const void *from, zinc_error *err)
{
	const zinc_option_range *r;

	ZINC_TRY(zinc_options_take(to, kind->nbytes, from, err));
	for (r = kind->ranges; r->name; r++)
		if (!within(r, (const char *)to + r->at))
			return r->real ? zinc_fail(err, ZINC_E_INVALID, "%s: %s must be a number that is not negative",
						   kind->name, r->name)
				       : zinc_fail(err, ZINC_E_INVALID, "%s: %s cannot be %d", kind->name, r->name,
						   number_at((const char *)to + r->at));
	return ZINC_OK;
}

zinc_status
zinc_call_options_take(zinc_call_options *to, const zinc_call_options *from, zinc_error *err)
{
	return zinc_options_take_as(&zinc_call_options_kind, to, from, err);
}

zinc_status
zinc_call_options_check(const zinc_call_options *call, zinc_error *err)
{
	zinc_call_options own;

	ZINC_TRY(zinc_call_options_take(&own, call, err));
	return zinc_cancel_is(own.cancel) ? zinc_fail(err, ZINC_E_CANCELLED, "cancelled by the caller") : ZINC_OK;
}

zinc_status
zinc_result_check(const void *out, zinc_error *err)
{
	size_t size = sizeof size;

	if (out)
		memcpy(&size, out, sizeof size);
	return size < sizeof size ? zinc_fail(err, ZINC_E_INVALID, NO_SIZE) : ZINC_OK;
}

void
zinc_result_fill(void *out, const void *from, size_t nbytes)
{
	size_t size;

	if (zinc_result_check(out, NULL) != ZINC_OK || !out)
		return;
	memcpy(&size, out, sizeof size);
	size = size < nbytes ? size : nbytes;
	memcpy(out, from, size);
	memcpy(out, &size, sizeof size);
}
