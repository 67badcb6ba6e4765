/*
 * store_az_del.c - deleting keys, many at once, each by one request
 *
 * Promises (tests/unit/test_store_az_list.c names each by its number):
 *
 * (1) ZINC_OK is returned only for a key that the server says it has deleted; a missing key counts as deleted.
 * (2) A condition is evaluated by the server together with the deletion.  A delete of an absent key is only a question,
 *     and never sent.
 */
#include "store/store_az.h"

#define BATCH 1000 /* deletes of one run */

static zinc_status
check_condition(zinc_web *w, const zinc_del *d, bool *only, const zinc_wait *wait, zinc_error *err)
{
	if (d->when->when == ZINC_EQUALS) {
		if (!d->when->tag || d->when->tag->n < 2 || d->when->tag->b[0] != 'E')
			return zinc_fail(err, ZINC_E_UNSUPPORTED,
					 "a condition needs the ETag of a value of this store");
		return ZINC_OK;
	}
	*only = true;
	return zinc_az_check_value((az_store *)w, d->key, d->when, wait, err);
}

zinc_status
zinc_az_del(void *self, zinc_put_group *group, const zinc_del *dels, size_t n, const zinc_done *done, uint32_t flags,
	    const zinc_wait *wait, zinc_error *err)
{
	static const zinc_web_del_ops ops = {.batch = BATCH, .check = check_condition};
	az_store *s = (az_store *)self;

	(void)group, (void)flags;
	return zinc_web_del(&s->web, &ops, &s->no_batches, dels, n, done, wait, err);
}
