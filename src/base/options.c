/*
 * options.c - taking over options of any age, what their numbers may be, and giving answers of any age
 *
 * Promises (tests/unit/test_options.c goes through every structure):
 *
 * (1) A member that a structure does not have yet is 0.
 * (2) A number that has no meaning (an unknown flag, an enum without that value, a yes-or-no that is neither, a time that
 *     is negative or no number) is E_INVALID, never taken for another: a later version may give it a meaning.
 * (3) Of an answer no byte is written that the caller has no room for, and its size says what was (test_answers.c).
 */
#include <limits.h>
#include <zinc/conventions.h>
#include <zinc/erase.h>
#include <zinc/extend.h>
#include <zinc/tool.h>

#include "base/base.h"

#define RANGE(type, member, least, most)                                                                               \
	{                                                                                                              \
#member, offsetof(type, member), false, least, most                                                    \
	}
#define YES_NO(type, member)   RANGE(type, member, 0, 1)
#define COUNT_OF(type, member) RANGE(type, member, 0, INT_MAX)
/* Unset, no, yes. */
#define UNLESS(type, member) RANGE(type, member, -1, 1)
#define REAL(type, member)                                                                                             \
	{                                                                                                              \
#member, offsetof(type, member), true, 0, 0                                                            \
	}
#define LINKS(type)      RANGE(type, links, 0, ZINC_LINKS_REFUSE)
#define FLAGS_OF_CONVERT (ZINC_CONVERT_CLAMP | ZINC_CONVERT_TRUNCATE | ZINC_CONVERT_WRAP | ZINC_CONVERT_ROUND)
#define KIND(type, ...)                                                                                                \
	const zinc_options_kind type##_kind = {#type, sizeof(type),                                                    \
					       (const zinc_option_range[]){__VA_ARGS__, {NULL, 0, false, 0, 0}}}

KIND(zinc_context_options, COUNT_OF(zinc_context_options, threads));
KIND(zinc_call_options, REAL(zinc_call_options, timeout));
KIND(zinc_io_options, COUNT_OF(zinc_io_options, threads), RANGE(zinc_io_options, convert, 0, FLAGS_OF_CONVERT),
     YES_NO(zinc_io_options, missing_is_error), YES_NO(zinc_io_options, store_fill), YES_NO(zinc_io_options, relaxed),
     YES_NO(zinc_io_options, single_writer), YES_NO(zinc_io_options, unverified),
     YES_NO(zinc_io_options, assume_unchanged));
KIND(zinc_store_options, YES_NO(zinc_store_options, read_only), UNLESS(zinc_store_options, create),
     YES_NO(zinc_store_options, relaxed), LINKS(zinc_store_options));
KIND(zinc_open_options, RANGE(zinc_open_options, strictness, 0, ZINC_STRICT), YES_NO(zinc_open_options, read_only),
     YES_NO(zinc_open_options, relaxed), LINKS(zinc_open_options), YES_NO(zinc_open_options, create),
     UNLESS(zinc_open_options, climb));
KIND(zinc_array_options, COUNT_OF(zinc_array_options, ndim), YES_NO(zinc_array_options, auto_shards),
     RANGE(zinc_array_options, overwrite, 0, ZINC_FORCE), YES_NO(zinc_array_options, big_endian),
     YES_NO(zinc_array_options, fortran));
KIND(zinc_erase_options, YES_NO(zinc_erase_options, force), YES_NO(zinc_erase_options, replace),
     YES_NO(zinc_erase_options, dry_run));
KIND(zinc_validate_options, YES_NO(zinc_validate_options, strict), YES_NO(zinc_validate_options, fast),
     YES_NO(zinc_validate_options, repair), YES_NO(zinc_validate_options, orphans),
     COUNT_OF(zinc_validate_options, threads), LINKS(zinc_validate_options), UNLESS(zinc_validate_options, climb),
     YES_NO(zinc_validate_options, fetch));
KIND(zinc_copy_options, YES_NO(zinc_copy_options, strict), COUNT_OF(zinc_copy_options, ndim),
     YES_NO(zinc_copy_options, auto_chunks), YES_NO(zinc_copy_options, auto_shards), YES_NO(zinc_copy_options, resume),
     YES_NO(zinc_copy_options, verify), YES_NO(zinc_copy_options, lossy),
     RANGE(zinc_copy_options, overwrite, 0, ZINC_FORCE), YES_NO(zinc_copy_options, dry_run),
     COUNT_OF(zinc_copy_options, threads), RANGE(zinc_copy_options, convert, 0, FLAGS_OF_CONVERT),
     LINKS(zinc_copy_options), UNLESS(zinc_copy_options, climb), YES_NO(zinc_copy_options, for_xarray),
     YES_NO(zinc_copy_options, force));
KIND(zinc_stats_options, COUNT_OF(zinc_stats_options, threads));
KIND(zinc_diff_options, COUNT_OF(zinc_diff_options, threads), YES_NO(zinc_diff_options, storage),
     REAL(zinc_diff_options, rtol), REAL(zinc_diff_options, atol));
KIND(zinc_conventions_options, YES_NO(zinc_conventions_options, fetch));
KIND(zinc_stack_options, RANGE(zinc_stack_options, shard_order, 0, ZINC_SHARD_APPEND),
     YES_NO(zinc_stack_options, single_writer));
KIND(zinc_sharded_options, COUNT_OF(zinc_sharded_options, ndim),
     RANGE(zinc_sharded_options, shard_order, 0, ZINC_SHARD_APPEND), YES_NO(zinc_sharded_options, single_writer));
KIND(zinc_layer_cache_options, YES_NO(zinc_layer_cache_options, trust));

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
			return zinc_fail(err, ZINC_E_INVALID, "options of a newer version of the library");
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
		return real >= 0; /* and no NaN */
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
zinc_answer_check(const void *out, zinc_error *err)
{
	size_t size = sizeof size;

	if (out)
		memcpy(&size, out, sizeof size);
	return size < sizeof size ? zinc_fail(err, ZINC_E_INVALID, NO_SIZE) : ZINC_OK;
}

void
zinc_answer_give(void *out, const void *from, size_t nbytes)
{
	size_t size;

	if (zinc_answer_check(out, NULL) != ZINC_OK || !out)
		return;
	memcpy(&size, out, sizeof size);
	size = size < nbytes ? size : nbytes;
	memcpy(out, from, size);
	memcpy(out, &size, sizeof size);
}
