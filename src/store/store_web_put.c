/*
 * store_web_put.c - many puts at once, each by one request; those that need several follow
 *
 * Promises (tests/unit/test_store_s3_put.c names each by its number, as those of store_s3_put.c):
 *
 * (1) ZINC_OK is returned only for a put that the server has answered with success.
 * (2) A conditional put whose outcome is unknown is resolved by its write id.
 */
#include "store/store_web.h"

/* A put that needs several requests. */
typedef struct later {
	size_t i;
	zinc_web_call *sent; /* its outcome is unknown; NULL: not sent yet */
} later;

/* One call of put. */
typedef struct puts_run {
	zinc_web *web;
	const zinc_web_put_ops *ops;
	const zinc_put *puts;
	const zinc_done *done;
	const zinc_wait *wait;
	zinc_web_calls calls;
	later *later;
	size_t nlater;
	size_t taken; /* puts that were begun, or put off */
} puts_run;

const zinc_condition *
zinc_web_condition(const zinc_condition *when)
{
	return when && when->when != ZINC_ANY ? when : NULL;
}

zinc_status
zinc_web_slice(zinc_context *ctx, const zinc_put *put, uint64_t offset, uint64_t nbytes, struct iovec **out, int *nout,
	       zinc_error *err)
{
	struct iovec *v = (struct iovec *)zinc_calloc(ctx, (size_t)put->niov, sizeof *v);
	int k;

	*out = v;
	*nout = 0;
	if (!v)
		return zinc_fail_nomem(err);
	for (k = 0; k < put->niov && nbytes; k++) {
		const uint64_t n = put->iov[k].iov_len, skip = zinc_min_u64(offset, n),
			       take = zinc_min_u64(n - skip, nbytes);

		offset -= skip;
		nbytes -= take;
		if (take)
			v[(*nout)++] = (struct iovec){(uint8_t *)put->iov[k].iov_base + skip, (size_t)take};
	}
	return ZINC_OK;
}

static void
on_ended(void *arg, zinc_web_call *c, const zinc_error *err)
{
	puts_run *r = (puts_run *)arg;

	if (c->result == ZINC_E_UNCERTAIN && c->write)
		r->later[r->nlater++] = (later){c->i, c};
	else
		zinc_done_report(r->done, c->i, c->result, &c->tag, c->result == ZINC_OK ? NULL : err);
}

/* Puts of one request join the run.  The others follow it, and so do those whose condition is not checked yet. */
static void
begin_puts(puts_run *r, size_t n)
{
	for (; r->taken < n; r->taken++) {
		zinc_web_call *c = &r->calls.all[r->calls.n];

		if (r->ops->begin(r->web, c, &r->puts[r->taken])) {
			c->i = r->taken;
			r->calls.n++;
		} else {
			r->later[r->nlater++] = (later){r->taken, NULL};
		}
	}
}

static size_t
on_more(void *arg)
{
	puts_run *r = (puts_run *)arg;
	size_t i = r->calls.n;

	begin_puts(r, r->done->more(r->done->arg));
	for (; i < r->calls.n; i++)
		zinc_web_call_init(r->web, &r->calls.all[i]);
	return r->calls.n;
}

static void
finish_later(puts_run *r)
{
	size_t k;

	for (k = 0; k < r->nlater; k++) {
		const later *l = &r->later[k];
		zinc_error e = ZINC_ERROR_INIT;
		zinc_tag tag = {0, {0}};
		zinc_status st;

		if (l->sent) {
			st = r->ops->resolve(r->web, l->sent, r->wait, &e);
			tag = l->sent->tag;
		} else {
			st = r->ops->alone(r->web, &r->puts[l->i], &tag, r->wait, &e);
		}
		zinc_done_report(r->done, l->i, st, &tag, st == ZINC_OK ? NULL : &e);
	}
}

static void
run_puts(puts_run *r, size_t n)
{
	zinc_error e = ZINC_ERROR_INIT;
	zinc_status st;
	size_t i;

	begin_puts(r, n);
	st = zinc_web_run(&r->calls, &e);
	for (i = 0; st != ZINC_OK && i < r->calls.n; i++)
		zinc_done_report(r->done, r->calls.all[i].i, st, NULL, &e);
	finish_later(r);
	for (i = 0; i < r->calls.n; i++)
		zinc_web_call_fini(r->web, &r->calls.all[i]);
}

zinc_status
zinc_web_put(zinc_web *w, const zinc_web_put_ops *ops, const zinc_put *puts, size_t n, const zinc_done *done,
	     const zinc_wait *wait, zinc_error *err)
{
	const size_t room = done->more ? done->room : n;
	puts_run r = {.web = w, .ops = ops, .puts = puts, .done = done, .wait = wait};

	r.calls = (zinc_web_calls){.web = w, .ended = on_ended, .arg = &r, .wait = wait};
	r.calls.more = done->more ? on_more : NULL;
	r.calls.all = (zinc_web_call *)zinc_calloc(w->ctx, room, sizeof *r.calls.all);
	r.later = (later *)zinc_calloc(w->ctx, room, sizeof *r.later);
	if (r.calls.all && r.later)
		run_puts(&r, n);
	else
		zinc_fail_nomem(err);
	zinc_free(w->ctx, r.later);
	zinc_free(w->ctx, r.calls.all);
	return r.calls.all && r.later ? ZINC_OK : ZINC_E_NOMEM;
}
