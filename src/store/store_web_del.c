/*
 * store_web_del.c - deleting keys: many by one request where the server has that, others one by one, at once
 *
 * Promises (tests/unit/test_store_s3_list.c names each by its number, as those of store_s3_del.c):
 *
 * (1) ZINC_OK is returned only for a key that the server says it has deleted; a missing key counts as deleted.
 * (2) Each key of a batch has its own result.
 */
#include <stdlib.h>

#include "store/store_web.h"

void
zinc_web_report_del(const zinc_web_dels *r, size_t i, zinc_status st, const zinc_error *err)
{
	r->reported[i] = 1;
	zinc_done_report(r->done, i, st, NULL, st == ZINC_OK ? NULL : err);
}

/* ---- one by one ---- */

static void
on_ended(void *arg, zinc_web_call *c, const zinc_error *err)
{
	const zinc_web_dels *r = (const zinc_web_dels *)arg;
	const bool gone = c->result == ZINC_E_NOTFOUND && !c->when;

	zinc_web_report_del(r, c->i, gone ? ZINC_OK : c->result, err);
}

/* A call for those of i .. i+n-1 that are not reported yet, and whose condition does not decide it already. */
static void
make_calls(zinc_web_dels *r, zinc_web_calls *x, size_t i, size_t n)
{
	size_t k;

	for (k = i; k < i + n; k++) {
		const zinc_del *d = &r->dels[k];
		const zinc_condition *when = zinc_web_condition(d->when);
		zinc_error e = ZINC_ERROR_INIT;
		zinc_status st = ZINC_OK;
		bool only = false;

		if (r->reported[k])
			continue;
		if (when)
			st = r->ops->check(r->web, d, &only, r->wait, &e);
		if (st != ZINC_OK || only) {
			zinc_web_report_del(r, k, st, &e);
			continue;
		}
		x->all[x->n] = (zinc_web_call){.method = "DELETE", .key = d->key, .i = k};
		x->all[x->n++].when = r->ops->no_conditions ? NULL : when;
	}
}

static zinc_status
delete_each(zinc_web_dels *r, size_t i, size_t n, zinc_error *err)
{
	zinc_web_calls x = {.web = r->web, .ended = on_ended, .arg = r, .wait = r->wait};
	zinc_status st;
	size_t k;

	x.all = (zinc_web_call *)zinc_calloc(r->web->ctx, n, sizeof *x.all);
	if (!x.all)
		return zinc_fail_nomem(err);
	make_calls(r, &x, i, n);
	st = zinc_web_run(&x, err);
	for (k = 0; k < x.n; k++)
		zinc_web_call_fini(r->web, &x.all[k]);
	zinc_free(r->web->ctx, x.all);
	return st;
}

/* ---- batches ---- */

static int
compare_keys(const void *a, const void *b, void *arg)
{
	const zinc_del *dels = (const zinc_del *)arg;

	return strcmp(dels[*(const size_t *)a].key, dels[*(const size_t *)b].key);
}

/* Delete the keys i .. i+n-1 that have no condition by one request. */
static zinc_status
delete_many(zinc_web_dels *r, size_t i, size_t n, atomic_bool *no_batches, zinc_error *err)
{
	zinc_context *ctx = r->web->ctx;
	size_t *at = (size_t *)zinc_calloc(ctx, n, sizeof *at);
	size_t k, count = 0;

	if (!at)
		return zinc_fail_nomem(err);
	for (k = i; k < i + n; k++)
		if (!zinc_web_condition(r->dels[k].when))
			at[count++] = k;
	qsort_r(at, count, sizeof *at, compare_keys, (void *)(uintptr_t)r->dels);
	if (count && !r->ops->many(r, at, count))
		atomic_store(no_batches, true);
	zinc_free(ctx, at);
	return ZINC_OK;
}

static zinc_status
delete_range(zinc_web_dels *r, size_t i, size_t n, atomic_bool *no_batches, zinc_error *err)
{
	if (r->ops->many && n > r->ops->few && !atomic_load(no_batches))
		ZINC_TRY(delete_many(r, i, n, no_batches, err));
	return delete_each(r, i, n, err);
}

zinc_status
zinc_web_del(zinc_web *w, const zinc_web_del_ops *ops, atomic_bool *no_batches, const zinc_del *dels, size_t n,
	     const zinc_done *done, const zinc_wait *wait, zinc_error *err)
{
	const size_t room = done->more ? done->room : n;
	zinc_web_dels r = {.web = w, .ops = ops, .dels = dels, .done = done, .wait = wait};
	zinc_error e = ZINC_ERROR_INIT;
	size_t i = 0, k, part;
	zinc_status st;

	r.reported = (uint8_t *)zinc_calloc(w->ctx, room, 1);
	if (!r.reported)
		return zinc_fail_nomem(err);
	for (; i < n; i += part) {
		part = n - i < ops->batch ? n - i : ops->batch;
		st = delete_range(&r, i, part, no_batches, &e);
		for (k = i; k < i + part; k++)
			if (!r.reported[k])
				zinc_web_report_del(&r, k, st, &e);
		if (done->more && i + part == n)
			n = done->more(done->arg);
	}
	zinc_free(w->ctx, r.reported);
	return ZINC_OK;
}
