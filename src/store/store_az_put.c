/*
 * store_az_put.c - putting values: small ones by one request (Put Blob), large ones in blocks (store_az_blocks.c)
 *
 * Promises (tests/unit/test_store_az_put.c names each by its number):
 *
 * (1) ZINC_OK is returned only for a put that the server has answered with success.
 * (2) A conditional put carries a write id in its metadata.  If the condition fails after a try without an answer, the id
 *     that the value has now tells whether that try was executed.  Only if the value has another id, it is E_UNCERTAIN.
 * (3) A put whose condition does not hold changes nothing: E_EXISTS, E_CONFLICT.
 */
#include "store/store_az.h"

#define BLOCKS_FROM 4 /* values of so many blocks are put in blocks */

static const zinc_web_field blob_type = {"x-ms-blob-type", "BlockBlob"};

/* ---- conditions ---- */

static zinc_status
compare(const zinc_condition *when, zinc_status found, const zinc_tag *tag, zinc_error *err)
{
	if (when->when == ZINC_ABSENT)
		return found == ZINC_OK ? zinc_fail(err, ZINC_E_EXISTS, "the key already exists") : ZINC_OK;
	if (found != ZINC_OK || !zinc_tag_equal(when->tag, tag))
		return zinc_fail(err, ZINC_E_CONFLICT, "the value was changed by someone else");
	return ZINC_OK;
}

zinc_status
zinc_az_check_value(az_store *s, const char *key, const zinc_condition *when, const zinc_wait *wait, zinc_error *err)
{
	zinc_web_call head = {.method = "HEAD", .key = key};
	zinc_error e = ZINC_ERROR_INIT;
	zinc_status st = zinc_web_one(&s->web, &head, wait, &e);

	if (st == ZINC_OK || st == ZINC_E_NOTFOUND)
		st = compare(when, st, &head.tag, err);
	else
		zinc_error_copy(err, &e);
	zinc_web_call_fini(&s->web, &head);
	return st;
}

/* ---- unknown outcomes ---- */

zinc_status
zinc_az_resolve(zinc_web *w, zinc_web_call *c, const zinc_wait *wait, zinc_error *err)
{
	zinc_web_call head = {.method = "HEAD", .key = c->key};
	zinc_error e = ZINC_ERROR_INIT;
	zinc_status st = zinc_web_one(w, &head, wait, &e);

	if (st == ZINC_OK && c->write && strcmp(head.found_write, c->write) == 0)
		c->tag = head.tag;
	else
		st = zinc_web_unresolved(st, &e, err);
	zinc_web_call_fini(w, &head);
	return st;
}

/* ---- one put ---- */

static bool
in_blocks(const az_store *s, const zinc_put *p, size_t *nbytes)
{
	*nbytes = 0;
	(void)zinc_iov_bytes(p->iov, p->niov, nbytes); /* values in memory: the sum cannot overflow */
	return *nbytes >= BLOCKS_FROM * s->block_bytes;
}

static void
make_call(zinc_web_call *c, const zinc_put *p)
{
	*c = (zinc_web_call){.method = "PUT",
			     .key = p->key,
			     .body = p->iov,
			     .nbody = p->niov,
			     .sends = true,
			     .fields = &blob_type,
			     .nfields = 1,
			     .when = zinc_web_condition(p->when)};
	if (c->when) {
		zinc_web_write_id(c->own_write);
		c->write = c->own_write;
	}
}

/* Only a strong ETag can be sent as a condition. */
static bool
has_tag(const zinc_put *p)
{
	const zinc_condition *when = zinc_web_condition(p->when);

	return !when || when->when != ZINC_EQUALS || (when->tag && when->tag->n > 1 && when->tag->b[0] == 'E');
}

zinc_status
zinc_az_put_whole(az_store *s, const zinc_put *p, zinc_tag *tag, const zinc_wait *wait, zinc_error *err)
{
	zinc_error e = ZINC_ERROR_INIT;
	zinc_web_call c;
	zinc_status st;

	make_call(&c, p);
	st = zinc_web_one(&s->web, &c, wait, &e);
	if (st == ZINC_E_UNCERTAIN && c.write)
		st = zinc_az_resolve(&s->web, &c, wait, &e);
	*tag = c.tag;
	zinc_web_call_fini(&s->web, &c);
	if (st != ZINC_OK)
		zinc_error_copy(err, &e);
	return st;
}

static zinc_status
put_alone(zinc_web *w, const zinc_put *p, zinc_tag *tag, const zinc_wait *wait, zinc_error *err)
{
	az_store *s = (az_store *)w;
	size_t nbytes;

	if (!has_tag(p))
		return zinc_fail(err, ZINC_E_UNSUPPORTED, "a condition needs the ETag of a value of this store");
	if (in_blocks(s, p, &nbytes))
		return zinc_az_put_blocks(s, p, nbytes, tag, wait, err);
	return zinc_az_put_whole(s, p, tag, wait, err);
}

/* ---- many at once ---- */

static bool
begin_put(zinc_web *w, zinc_web_call *c, const zinc_put *p)
{
	size_t nbytes;

	if (!has_tag(p) || in_blocks((const az_store *)w, p, &nbytes))
		return false;
	make_call(c, p);
	return true;
}

zinc_status
zinc_az_put(void *self, zinc_put_group *group, const zinc_put *puts, size_t n, const zinc_done *done, uint32_t flags,
	    const zinc_wait *wait, zinc_error *err)
{
	static const zinc_web_put_ops ops = {.begin = begin_put, .alone = put_alone, .resolve = zinc_az_resolve};

	(void)group, (void)flags;
	return zinc_web_put(&((az_store *)self)->web, &ops, puts, n, done, wait, err);
}
