/*
 * store_embedded_sort.c - listings of hash databases, which have no order
 *
 * A run is the smallest keys from a place on, sorted.  To make one all keys of the database are looked at; a batch of a
 * listing that follows takes its keys from the same run, as long as the database stays as it is.
 *
 * Promise (tests/unit/test_store_embedded.c names it by its number):
 *
 * (11) Memory is bounded, whatever the number of keys and their length.
 */
#include <stdlib.h>

#include "store/store_embedded.h"

#define RUN_KEYS  32768
#define RUN_BYTES (16 * ZINC_MIB)

struct embedded_key {
	uint64_t nbytes; /* of the value */
	size_t n;
	char key[];
};

static size_t
weight(const embedded_key *k)
{
	return sizeof *k + k->n;
}

static int
compare(const char *a, size_t na, const char *b, size_t nb)
{
	const size_t both = na < nb ? na : nb;
	const int order = both ? memcmp(a, b, both) : 0;

	return order ? order : (na > nb) - (na < nb);
}

static int
compare_keys(const void *a, const void *b)
{
	const embedded_key *x = *(embedded_key *const *)a, *y = *(embedded_key *const *)b;

	return compare(x->key, x->n, y->key, y->n);
}

static void
run_empty(embedded_run *r)
{
	while (r->n > 0)
		zinc_free(r->ctx, r->keys[--r->n]);
	r->nbytes = 0;
	r->version = 0;
	r->cut = false;
}

void
zinc_embedded_run_init(embedded_run *r, zinc_context *ctx)
{
	*r = (embedded_run){.ctx = ctx};
	zinc_buf_init(&r->next, ctx, EMBEDDED_NAME_MAX + 1);
}

void
zinc_embedded_run_fini(embedded_run *r)
{
	run_empty(r);
	zinc_free(r->ctx, r->keys);
	zinc_buf_fini(&r->next);
}

/* Sort, and drop the largest if there are too many. */
static void
run_sort(embedded_run *r, size_t most_keys, size_t most_bytes)
{
	qsort(r->keys, r->n, sizeof r->keys[0], compare_keys);
	while (r->n > most_keys || (r->nbytes > most_bytes && r->n > 1)) {
		embedded_key *last = r->keys[--r->n];

		r->nbytes -= weight(last);
		r->cut = true;
		zinc_free(r->ctx, last);
	}
}

/* A key that is behind the last one of a run that was cut is in a later run. */
static bool
is_wanted(const embedded_run *r, const char *key, size_t n)
{
	const size_t nprefix = strlen(r->prefix);

	if (n < nprefix || memcmp(key, r->prefix, nprefix) != 0 ||
	    compare(key, n, (const char *)r->from.p, r->from.n) < 0)
		return false;
	return !r->cut || compare(key, n, r->keys[r->bound]->key, r->keys[r->bound]->n) < 0;
}

static int
take_key(void *arg, const char *key, size_t n, uint64_t nbytes)
{
	embedded_run *r = (embedded_run *)arg;
	embedded_key *k;

	if (++r->seen % EMBEDDED_LOOK_KEYS == 0)
		r->status = zinc_wait_check(r->wait, NULL);
	if (r->status != ZINC_OK)
		return 1;
	if (!is_wanted(r, key, n))
		return 0;
	k = (embedded_key *)zinc_alloc(r->ctx, sizeof *k + n);
	if (!k) {
		r->status = ZINC_E_NOMEM;
		return 1;
	}
	k->nbytes = nbytes;
	k->n = n;
	memcpy(k->key, key, n);
	r->keys[r->n++] = k;
	r->nbytes += weight(k);
	if (r->n == 2 * RUN_KEYS || r->nbytes > 2 * RUN_BYTES) {
		run_sort(r, RUN_KEYS, RUN_BYTES);
		r->bound = r->n - 1;
	}
	return 0;
}

static zinc_status
run_make(embedded_run *r, embedded_db *d, uint64_t version, zinc_error *err)
{
	run_empty(r);
	if (!r->keys)
		r->keys = (embedded_key **)zinc_calloc(r->ctx, 2 * (size_t)RUN_KEYS, sizeof(embedded_key *));
	if (!r->keys)
		return zinc_fail_nomem(err);
	r->status = ZINC_OK;
	ZINC_TRY(d->engine->scan(d->db, (zinc_bytes){NULL, 0}, true, take_key, r, err));
	if (r->status == ZINC_E_NOMEM)
		return zinc_fail_nomem(err);
	if (r->status != ZINC_OK) {
		ZINC_TRY(zinc_wait_check(r->wait, err));
		return zinc_fail(err, r->status, "the listing was ended");
	}
	run_sort(r, RUN_KEYS, RUN_BYTES);
	r->version = version;
	return ZINC_OK;
}

/* Does the run have all keys from `from` on, or the first of them? */
static bool
run_covers(const embedded_run *r, uint64_t version, zinc_bytes from)
{
	if (r->version != version)
		return false;
	return !r->cut ||
	       (r->n > 0 && compare((const char *)from.p, from.n, r->keys[r->n - 1]->key, r->keys[r->n - 1]->n) <= 0);
}

/* The place behind the last key of the run. */
static zinc_status
run_end(embedded_run *r, zinc_bytes *out, zinc_error *err)
{
	const embedded_key *last = r->keys[r->n - 1];

	zinc_buf_end(&r->next, 0);
	ZINC_TRY(zinc_buf_add(&r->next, last->key, last->n, err));
	ZINC_TRY(zinc_buf_add(&r->next, "", 1, err));
	*out = (zinc_bytes){r->next.p, r->next.n};
	return ZINC_OK;
}

static int
run_pass(const embedded_run *r, zinc_bytes from, zinc_ordered_row_fn fn, void *arg)
{
	size_t i;

	for (i = 0; i < r->n; i++) {
		const embedded_key *k = r->keys[i];

		if (compare(k->key, k->n, (const char *)from.p, from.n) >= 0 && fn(arg, k->key, k->n, k->nbytes) != 0)
			return 1;
	}
	return 0;
}

/* The batches of one listing go forward, so that a run that was made for an earlier place has what follows. */
zinc_status
zinc_embedded_sorted(embedded_run *r, embedded_db *d, const char *prefix, zinc_bytes from, zinc_ordered_row_fn fn,
		     void *arg, const zinc_wait *wait, zinc_error *err)
{
	const uint64_t version = zinc_embedded_version(d);

	for (;;) {
		ZINC_TRY(zinc_wait_check(wait, err));
		if (!run_covers(r, version, from)) {
			r->prefix = prefix;
			r->wait = wait;
			r->from = from;
			ZINC_TRY(run_make(r, d, version, err));
		}
		if (run_pass(r, from, fn, arg) != 0 || !r->cut)
			return ZINC_OK;
		ZINC_TRY(run_end(r, &from, err));
	}
}
