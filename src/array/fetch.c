/*
 * fetch.c - a stored object, or the beginning of it, into a thread's scratch; ranges of it to their places
 *
 * A store may call done() from any thread, several at once, so what the requests of a batch share is under a lock.
 */
#include "array/engine.h"

zinc_status
zinc_got_fail(const zinc_got *got, zinc_error *err)
{
	if (got->error != NULL)
		return zinc_error_copy(err, got->error);
	return zinc_fail(err, got->status, "%s", zinc_status_text(got->status));
}

zinc_status
zinc_wrong_size(uint64_t size, uint64_t expected, zinc_error *err)
{
	return zinc_fail(err, ZINC_E_CORRUPT, "the object has %llu bytes instead of %llu", (unsigned long long)size,
			 (unsigned long long)expected);
}

typedef struct fetch {
	zinc_buf *into;
	uint64_t limit;
	zinc_fetched *out;
	zinc_status code;
	zinc_error *err;
} fetch;

static zinc_status
check_size(uint64_t nbytes, uint64_t limit, zinc_error *err)
{
	if (nbytes <= limit)
		return ZINC_OK;
	return zinc_fail(err, ZINC_E_CORRUPT,
			 "the object has %llu bytes; no encoding of a chunk of this array has more than %llu",
			 (unsigned long long)nbytes, (unsigned long long)limit);
}

static zinc_room
fetch_room(void *arg, size_t i, uint64_t nbytes, void **buf)
{
	fetch *f = arg;

	(void)i;
	f->code = check_size(nbytes, f->limit, f->err);
	if (f->code != ZINC_OK)
		return ZINC_ROOM_FAIL;
	f->into->max = (size_t)nbytes;
	f->code = zinc_buf_reset(f->into, (size_t)nbytes, f->err);
	*buf = f->into->p;
	return f->code == ZINC_OK ? ZINC_ROOM_OK : ZINC_ROOM_FAIL;
}

static void
fetch_done(void *arg, size_t i, const zinc_got *got)
{
	fetch *f = arg;

	(void)i;
	f->out->found = got->found == ZINC_FOUND;
	if (f->out->found) {
		f->into->n = (size_t)got->nbytes;
		f->out->size = got->object_size;
		f->out->tag = *got->tag;
		f->code = check_size(got->object_size, f->limit, f->err);
		return;
	}
	f->into->n = 0;
	if (got->found == ZINC_MISSING || f->code != ZINC_OK)
		return;
	f->code = zinc_got_fail(got, f->err);
}

zinc_status
zinc_fetch_object(zinc_call *c, zinc_worker *w, const char *key, uint64_t length, uint64_t limit, zinc_fetched *out,
		  zinc_error *err)
{
	zinc_get request = {.key = key, .length = length};
	fetch f = {.into = &w->s->fetch, .limit = limit, .out = out, .code = ZINC_OK, .err = err};
	zinc_sink sink = {.room = fetch_room, .done = fetch_done, .arg = &f, .cancel = c->o.cancel};

	memset(out, 0, sizeof *out);
	ZINC_TRY(zinc_store_get(c->store, &request, 1, &sink, err));
	return f.code;
}

/* ---- ranges of one object ---- */

typedef struct ranges {
	pthread_mutex_t lock;
	size_t nfound, nmissing;
	zinc_tag tag;  /* of the first that was found */
	uint64_t size; /* its object's */
	bool changed;
	zinc_status code;
	zinc_error *err;
} ranges;

static void
range_found(ranges *r, const zinc_got *got)
{
	if (r->nfound++ == 0) {
		r->tag = *got->tag;
		r->size = got->object_size;
	} else if (!zinc_tag_equal(&r->tag, got->tag) || r->size != got->object_size) {
		r->changed = true; /* also where there are no tags */
	}
}

static void
range_done(void *arg, size_t i, const zinc_got *got)
{
	ranges *r = arg;

	(void)i;
	pthread_mutex_lock(&r->lock);
	if (got->found == ZINC_FOUND)
		range_found(r, got);
	else if (got->found == ZINC_MISSING)
		r->nmissing++;
	else if (got->found == ZINC_CHANGED)
		r->changed = true;
	else if (r->code == ZINC_OK)
		r->code = zinc_got_fail(got, r->err);
	pthread_mutex_unlock(&r->lock);
}

zinc_status
zinc_fetch_ranges(zinc_call *c, const zinc_get *requests, size_t n, zinc_ranges *out, zinc_error *err)
{
	ranges r = {.code = ZINC_OK, .err = err};
	zinc_sink sink = {.done = range_done, .arg = &r, .cancel = c->o.cancel};
	zinc_status code;

	pthread_mutex_init(&r.lock, NULL);
	code = zinc_store_get(c->store, requests, n, &sink, err);
	pthread_mutex_destroy(&r.lock);
	ZINC_TRY(code);
	ZINC_TRY(r.code);
	out->size = r.size;
	out->found = r.nmissing > 0 ? ZINC_MISSING : ZINC_FOUND;
	if (r.changed || (r.nfound > 0 && r.nmissing > 0))
		out->found = ZINC_CHANGED;
	return ZINC_OK;
}

bool
zinc_may_split(const zinc_call *c, uint64_t n)
{
	return n <= 1 || (c->caps.flags & ZINC_CAP_TAGS);
}
