/*
 * store_s3_put.c - putting values
 *
 * Promises (tests/unit/test_store_s3_put.c names each by its number):
 *
 * (1) ZINC_OK is returned only for a put that the server has answered with success.
 * (2) A conditional put carries a write id in its metadata.  If the condition fails after a try without an answer, the id
 *     that the value has now tells whether that try was executed.  Only if the value has another id, it is E_UNCERTAIN.
 * (3) Before the first conditional put the server is tested (store_s3_test.c).  One that ignores conditions is
 *     E_UNSUPPORTED, and caps then promise no CAS.
 * (4) With the setting conditions=no the value is checked first.  That excludes no other writer, and caps promise
 *     nothing.
 */
#include <stdio.h>

#include "store/store_s3.h"

#define PARTS_FROM 4 /* values of so many parts are uploaded in parts */

/* A put that needs several requests. */
typedef struct later {
	size_t i;
	s3_call *sent; /* its outcome is unknown; NULL: not sent yet */
} later;

/* One call of put. */
typedef struct puts_run {
	s3_store *store;
	const zinc_put *puts;
	const zinc_done *done;
	const zinc_wait *wait;
	s3_calls calls;
	later *later;
	size_t nlater;
	size_t taken; /* puts that were begun, or put off */
} puts_run;

/* ---- conditions ---- */

static const zinc_condition *
condition_of(const zinc_put *p)
{
	return p->when && p->when->when != ZINC_ANY ? p->when : NULL;
}

static zinc_status
compare(const zinc_condition *when, zinc_status found, const zinc_tag *tag, zinc_error *err)
{
	if (found != ZINC_OK && found != ZINC_E_NOTFOUND)
		return found;
	if (when->when == ZINC_ABSENT)
		return found == ZINC_OK ? zinc_fail(err, ZINC_E_EXISTS, "the key already exists") : ZINC_OK;
	if (found != ZINC_OK || !zinc_tag_equal(when->tag, tag))
		return zinc_fail(err, ZINC_E_CONFLICT, "the value was changed by someone else");
	return ZINC_OK;
}

zinc_status
zinc_s3_check_value(s3_store *s, const char *key, const zinc_condition *when, const zinc_wait *wait, zinc_error *err)
{
	zinc_error e = ZINC_ERROR_INIT;
	zinc_tag tag = {0, {0}};
	const zinc_status st = zinc_s3_stat(s, key, &tag, wait, &e);

	if (st != ZINC_OK && st != ZINC_E_NOTFOUND)
		return zinc_error_copy(err, &e);
	return compare(when, st, &tag, err);
}

/* Only a strong ETag can be sent as a condition. */
zinc_status
zinc_s3_check_condition(s3_store *s, const char *key, const zinc_condition *when, const zinc_wait *wait,
			zinc_error *err)
{
	if (when->when == ZINC_EQUALS && (!when->tag || when->tag->n < 2 || when->tag->b[0] != 'E'))
		return zinc_fail(err, ZINC_E_UNSUPPORTED, "the server sends no strong ETag, which a condition needs");
	return s->conditions ? zinc_s3_check_puts(s, key, wait, err) : zinc_s3_check_value(s, key, when, wait, err);
}

/* ---- unknown outcomes ---- */

/* Size and existence are not asked for here, only the write id and the tag. */
static zinc_status
read_write_id(s3_store *s, const char *key, s3_call *head, const zinc_wait *wait, zinc_error *err)
{
	*head = (s3_call){.method = "HEAD", .key = key};
	return zinc_s3_one(s, head, wait, err);
}

zinc_status
zinc_s3_stat(s3_store *s, const char *key, zinc_tag *tag, const zinc_wait *wait, zinc_error *err)
{
	s3_call head;
	const zinc_status st = read_write_id(s, key, &head, wait, err);

	*tag = head.tag;
	zinc_s3_call_fini(s, &head);
	return st;
}

zinc_status
zinc_s3_resolve(s3_store *s, s3_call *c, const zinc_wait *wait, zinc_error *err)
{
	zinc_status st;
	s3_call head;

	st = read_write_id(s, c->key, &head, wait, err);
	if (st == ZINC_OK && c->write && strcmp(head.found_write, c->write) == 0)
		c->tag = head.tag;
	else
		st = zinc_fail(err, ZINC_E_UNCERTAIN,
			       "a try without an answer may have made the change, and someone else changed it since");
	zinc_s3_call_fini(s, &head);
	return st;
}

/* ---- one put ---- */

static bool
in_parts(const s3_store *s, const zinc_put *p, size_t *nbytes)
{
	*nbytes = 0;
	(void)zinc_iov_bytes(p->iov, p->niov, nbytes); /* values in memory: the sum cannot overflow */
	return *nbytes >= PARTS_FROM * s->part_bytes;
}

static void
make_call(const s3_store *s, s3_call *c, const zinc_put *p, size_t i)
{
	*c = (s3_call){.method = "PUT", .key = p->key, .body = p->iov, .nbody = p->niov, .sends = true, .i = i};
	if (condition_of(p) && s->conditions) {
		c->when = condition_of(p);
		zinc_s3_write_id(c->own_write);
		c->write = c->own_write;
	}
}

/* All of a put, step by step. */
static zinc_status
put_alone(s3_store *s, const zinc_put *p, zinc_tag *tag, const zinc_wait *wait, zinc_error *err)
{
	zinc_error e = ZINC_ERROR_INIT;
	size_t nbytes;
	zinc_status st;
	s3_call c;

	if (condition_of(p))
		ZINC_TRY(zinc_s3_check_condition(s, p->key, p->when, wait, err));
	if (in_parts(s, p, &nbytes) && zinc_s3_may_use_parts(s, p, wait))
		return zinc_s3_put_parts(s, p, nbytes, tag, wait, err);
	make_call(s, &c, p, 0);
	st = zinc_s3_one(s, &c, wait, &e);
	if (st == ZINC_E_UNCERTAIN && c.write)
		st = zinc_s3_resolve(s, &c, wait, &e);
	*tag = c.tag;
	zinc_s3_call_fini(s, &c);
	if (st != ZINC_OK)
		zinc_error_copy(err, &e);
	return st;
}

/* ---- many at once ---- */

static void
on_ended(void *arg, s3_call *c, const zinc_error *err)
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
	size_t nbytes;

	for (; r->taken < n; r->taken++) {
		const zinc_put *p = &r->puts[r->taken];
		const bool first = condition_of(p) && (!r->store->conditions || !zinc_s3_is_tested(r->store));

		if (first || in_parts(r->store, p, &nbytes))
			r->later[r->nlater++] = (later){r->taken, NULL};
		else
			make_call(r->store, &r->calls.all[r->calls.n++], p, r->taken);
	}
}

static size_t
on_more(void *arg)
{
	puts_run *r = (puts_run *)arg;
	size_t i = r->calls.n;

	begin_puts(r, r->done->more(r->done->arg));
	for (; i < r->calls.n; i++)
		zinc_s3_call_init(r->store, &r->calls.all[i]);
	return r->calls.n;
}

/* The first conditional put tests the server; the others of the batch can then run at once. */
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
			st = zinc_s3_resolve(r->store, l->sent, r->wait, &e);
			tag = l->sent->tag;
		} else {
			st = put_alone(r->store, &r->puts[l->i], &tag, r->wait, &e);
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
	st = zinc_s3_run(&r->calls, &e);
	for (i = 0; st != ZINC_OK && i < r->calls.n; i++)
		zinc_done_report(r->done, r->calls.all[i].i, st, NULL, &e);
	finish_later(r);
	for (i = 0; i < r->calls.n; i++)
		zinc_s3_call_fini(r->store, &r->calls.all[i]);
}

/* Test the server before a batch with conditions, so that they can be sent together. */
static void
test_first(s3_store *s, const zinc_put *puts, size_t n, const zinc_wait *wait)
{
	size_t i;

	for (i = 0; i < n && s->conditions; i++)
		if (condition_of(&puts[i])) {
			(void)zinc_s3_check_puts(s, puts[i].key, wait, NULL); /* put_alone reports a failure */
			return;
		}
}

zinc_status
zinc_s3_put(void *self, zinc_put_group *group, const zinc_put *puts, size_t n, const zinc_done *done, uint32_t flags,
	    const zinc_wait *wait, zinc_error *err)
{
	s3_store *s = (s3_store *)self;
	const size_t room = done->more ? done->room : n;
	puts_run r = {.store = s, .puts = puts, .done = done, .wait = wait};

	(void)group, (void)flags;
	r.calls = (s3_calls){.store = s, .ended = on_ended, .arg = &r, .wait = wait};
	r.calls.more = done->more ? on_more : NULL;
	r.calls.all = (s3_call *)zinc_calloc(s->web.ctx, room, sizeof *r.calls.all);
	r.later = (later *)zinc_calloc(s->web.ctx, room, sizeof *r.later);
	if (r.calls.all && r.later) {
		test_first(s, puts, n, wait);
		run_puts(&r, n);
	} else {
		zinc_fail_nomem(err);
	}
	zinc_free(s->web.ctx, r.later);
	zinc_free(s->web.ctx, r.calls.all);
	return r.calls.all && r.later ? ZINC_OK : ZINC_E_NOMEM;
}
