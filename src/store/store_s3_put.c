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

/* ---- conditions ---- */

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
read_write_id(s3_store *s, const char *key, zinc_web_call *head, const zinc_wait *wait, zinc_error *err)
{
	*head = (zinc_web_call){.method = "HEAD", .key = key};
	return zinc_web_one(&s->web, head, wait, err);
}

zinc_status
zinc_s3_stat(s3_store *s, const char *key, zinc_tag *tag, const zinc_wait *wait, zinc_error *err)
{
	zinc_web_call head;
	const zinc_status st = read_write_id(s, key, &head, wait, err);

	*tag = head.tag;
	zinc_web_call_fini(&s->web, &head);
	return st;
}

zinc_status
zinc_s3_resolve(s3_store *s, zinc_web_call *c, const zinc_wait *wait, zinc_error *err)
{
	zinc_status st;
	zinc_web_call head;

	st = read_write_id(s, c->key, &head, wait, err);
	if (st == ZINC_OK && c->write && strcmp(head.found_write, c->write) == 0)
		c->tag = head.tag;
	else
		st = zinc_fail(err, ZINC_E_UNCERTAIN,
			       "a try without an answer may have made the change, and someone else changed it since");
	zinc_web_call_fini(&s->web, &head);
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
make_call(const s3_store *s, zinc_web_call *c, const zinc_put *p)
{
	*c = (zinc_web_call){.method = "PUT", .key = p->key, .body = p->iov, .nbody = p->niov, .sends = true};
	if (zinc_web_condition(p->when) && s->conditions) {
		c->when = zinc_web_condition(p->when);
		zinc_web_write_id(c->own_write);
		c->write = c->own_write;
	}
}

/* All of a put, step by step. */
static zinc_status
put_alone(zinc_web *w, const zinc_put *p, zinc_tag *tag, const zinc_wait *wait, zinc_error *err)
{
	s3_store *s = (s3_store *)w;
	zinc_error e = ZINC_ERROR_INIT;
	size_t nbytes;
	zinc_status st;
	zinc_web_call c;

	if (zinc_web_condition(p->when))
		ZINC_TRY(zinc_s3_check_condition(s, p->key, p->when, wait, err));
	if (in_parts(s, p, &nbytes) && zinc_s3_may_use_parts(s, p, wait))
		return zinc_s3_put_parts(s, p, nbytes, tag, wait, err);
	make_call(s, &c, p);
	st = zinc_web_one(&s->web, &c, wait, &e);
	if (st == ZINC_E_UNCERTAIN && c.write)
		st = zinc_s3_resolve(s, &c, wait, &e);
	*tag = c.tag;
	zinc_web_call_fini(&s->web, &c);
	if (st != ZINC_OK)
		zinc_error_copy(err, &e);
	return st;
}

/* ---- many at once ---- */

/* The first conditional put tests the server; the others of the batch can then run at once. */
static bool
begin_put(zinc_web *w, zinc_web_call *c, const zinc_put *p)
{
	const s3_store *s = (const s3_store *)w;
	size_t nbytes;

	if (zinc_web_condition(p->when) && (!s->conditions || !zinc_s3_is_tested(s)))
		return false;
	if (in_parts(s, p, &nbytes))
		return false;
	make_call(s, c, p);
	return true;
}

static zinc_status
resolve_put(zinc_web *w, zinc_web_call *c, const zinc_wait *wait, zinc_error *err)
{
	return zinc_s3_resolve((s3_store *)w, c, wait, err);
}

/* Test the server before a batch with conditions, so that they can be sent together. */
static void
test_first(s3_store *s, const zinc_put *puts, size_t n, const zinc_wait *wait)
{
	size_t i;

	for (i = 0; i < n && s->conditions; i++)
		if (zinc_web_condition(puts[i].when)) {
			(void)zinc_s3_check_puts(s, puts[i].key, wait, NULL); /* put_alone reports a failure */
			return;
		}
}

zinc_status
zinc_s3_put(void *self, zinc_put_group *group, const zinc_put *puts, size_t n, const zinc_done *done, uint32_t flags,
	    const zinc_wait *wait, zinc_error *err)
{
	static const zinc_web_put_ops ops = {.begin = begin_put, .alone = put_alone, .resolve = resolve_put};
	s3_store *s = (s3_store *)self;

	(void)group, (void)flags;
	test_first(s, puts, n, wait);
	return zinc_web_put(&s->web, &ops, puts, n, done, wait, err);
}
