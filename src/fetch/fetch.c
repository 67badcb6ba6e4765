/*
 * fetch.c - items, and one round of an item: requests and answers
 *
 * A store may call done() from several threads at once, so the state that the requests of an item share has a lock.
 */
#include <stdlib.h>
#include <time.h>

#include "fetch/fetch_inside.h"

#define MAX_GAPS (16 * ZINC_MIB) /* bytes of gaps between the ranges of one item that are fetched, too */

zinc_status
zinc_got_fail(const zinc_got *got, zinc_error *err)
{
	if (got->error)
		return zinc_error_copy(err, got->error);
	return zinc_fail(err, got->status, "%s", zinc_status_text(got->status));
}

/* ---- items ---- */

void
zinc_fetch_item_init(zinc_fetch_item *it, zinc_context *ctx, zinc_buf *bytes, zinc_error *err)
{
	memset(it, 0, offsetof(zinc_fetch_item, lock));
	zinc_buf_init(&it->key, ctx, 64 * ZINC_KIB);
	zinc_buf_init(&it->memory, ctx, 64 * ZINC_MIB);
	zinc_buf_init(&it->own, ctx, zinc_max_chunk(ctx));
	it->bytes = bytes ? bytes : &it->own;
	it->err = err;
	it->held = it->records = 0;
	it->place = 0;
	it->live = false;
	it->next = it->all = NULL;
	pthread_mutex_init(&it->lock, NULL);
}

void
zinc_fetch_item_fini(zinc_fetch_item *it)
{
	zinc_buf_fini(&it->key);
	zinc_buf_fini(&it->memory);
	zinc_buf_fini(&it->own);
	pthread_mutex_destroy(&it->lock);
}

void
zinc_fetch_want(zinc_fetch_item *it, zinc_get get)
{
	it->one = get;
	it->one.key = (const char *)it->key.p;
	it->gets = &it->one;
	it->n = 1;
}

zinc_status
zinc_fetch_room(zinc_fetch_item *it, size_t n, size_t more, zinc_get **gets, zinc_error *err)
{
	size_t nbytes;

	if (zinc_size_mul(n, sizeof **gets + sizeof *it->places, &nbytes) || zinc_size_add(nbytes, more, &more))
		return zinc_fail_nomem(err);
	ZINC_TRY(zinc_buf_reset(&it->memory, more, err));
	*gets = (zinc_get *)(void *)it->memory.p;
	it->behind = it->memory.p + nbytes;
	it->places = (uint64_t *)(void *)(*gets + n);
	it->gets = *gets;
	it->n = n;
	return ZINC_OK;
}

/* ---- merging ---- */

static int
by_offset(const void *a, const void *b)
{
	const zinc_fetch_range *x = a, *y = b;

	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* Each gap is cheaper than a request, but all gaps together use memory. */
size_t
zinc_fetch_merge(zinc_fetch_range *ranges, size_t n, uint64_t gap, const char *key, const zinc_tag *tag, zinc_get *gets)
{
	uint64_t end = 0, total = 0, gaps = 0;
	size_t i, k = 0;

	qsort(ranges, n, sizeof *ranges, by_offset);
	for (i = 0; i < n; i++) {
		const uint64_t far = ranges[i].offset + ranges[i].nbytes;
		const uint64_t hole = ranges[i].offset > end ? ranges[i].offset - end : 0;

		if (k > 0 && hole <= gap && hole <= MAX_GAPS - gaps) {
			const uint64_t more = far > end ? far - end : 0;

			gets[k - 1].length += more;
			total += more;
			end += more;
			gaps += hole;
		} else {
			gets[k++] = (zinc_get){
			    .key = key, .offset = ranges[i].offset, .length = ranges[i].nbytes, .if_tag = tag};
			total += ranges[i].nbytes;
			end = far;
		}
		ranges[i].at = total - (end - ranges[i].offset);
	}
	return k;
}

/* ---- one round ---- */

void
zinc_fetch_round_init(zinc_fetch_item *it)
{
	it->n = it->nsent = it->nfound = it->nmissing = it->ndone = 0;
	it->changed = it->failed = it->roomed = it->real = false;
	it->bound = UINT64_MAX;
	it->found = ZINC_FOUND;
}

/* If requests are only counted, the first round asks for the size of the object instead. */
void
zinc_fetch_round_send(const zinc_fetch *f, zinc_fetch_item *it, const zinc_get **gets, size_t *n)
{
	size_t k;

	*gets = it->gets;
	*n = it->n;
	it->total = 0;
	for (k = 0; it->n > 1 && k < it->n; k++) {
		it->places[k] = it->total;
		it->total += !it->gets[k].iov ? it->gets[k].length : 0;
	}
	if (f->count && !it->real && it->n > 0) {
		if (it->gets != &it->one)
			it->one = (zinc_get){.key = (const char *)it->key.p};
		it->one.stat = 1;
		*gets = &it->one;
		*n = 1;
	}
	if (*gets == &it->one && !it->one.iov && it->bound < UINT64_MAX && (f->caps->flags & ZINC_CAP_REMOTE))
		it->one.limit =
		    it->bound; /* a server may not announce the length of its answer; local stores pass it to room() */
	it->nsent = *n;
}

static void
note_found(zinc_fetch_item *it, const zinc_got *got)
{
	if (it->nfound++ == 0) {
		it->tag = *got->tag;
		it->size = got->object_size;
		if (it->roomed)
			it->bytes->n = (size_t)(it->n == 1 ? got->nbytes : it->total);
	} else if (!zinc_tag_equal(&it->tag, got->tag) || it->size != got->object_size) {
		it->changed = true; /* also if there are no tags */
	}
}

static void
note_failure(const zinc_fetch *f, zinc_fetch_item *it, const zinc_got *got)
{
	zinc_error e = ZINC_ERROR_INIT;
	const zinc_status st = zinc_got_fail(got, &e);

	/* the store has detected it first, and may know no more than that */
	if (st == ZINC_E_LIMIT && it->gets == &it->one && it->one.limit > 0)
		(void)zinc_fetch_round_too_long(f, it, zinc_max_u64(got->object_size, it->bound + 1));
	else
		zinc_fetch_round_fail(f, it, st, &e);
}

bool
zinc_fetch_round_done(const zinc_fetch *f, zinc_fetch_item *it, const zinc_got *got)
{
	bool last;

	pthread_mutex_lock(&it->lock);
	if (got->found == ZINC_FOUND)
		note_found(it, got);
	else if (got->found == ZINC_MISSING)
		it->nmissing++;
	else if (got->found == ZINC_CHANGED)
		it->changed = true;
	else if (!it->failed)
		note_failure(f, it, got);
	last = ++it->ndone == it->nsent;
	pthread_mutex_unlock(&it->lock);
	return last;
}

/* Count what the requests of the plan would have transferred. */
static void
count_round(const zinc_fetch *f, zinc_fetch_item *it)
{
	uint64_t ranges = 0, total = 0, offset, nbytes;
	size_t k;

	if (!it->real)
		it->one.stat = 0; /* the planner may use it */
	for (k = 0; k < it->n; k++) {
		const zinc_get *g = &it->gets[k];

		zinc_get_select(g, it->found == ZINC_FOUND ? it->size : 0, &offset, &nbytes);
		ranges += g->suffix || g->offset > 0 || (it->found == ZINC_FOUND && nbytes < it->size);
		total += nbytes;
	}
	f->count(f->arg, it->n, ranges, total);
}

void
zinc_fetch_round_end(const zinc_fetch *f, zinc_fetch_item *it)
{
	if (it->changed || (it->nfound > 0 && it->nmissing > 0))
		it->found = ZINC_CHANGED;
	else if (it->nmissing > 0)
		it->found = ZINC_MISSING;
	if (f->count && it->n > 0)
		count_round(f, it);
}

uint64_t
zinc_fetch_round_bytes(const zinc_fetch_item *it, uint64_t nbytes)
{
	return it->n == 1 ? nbytes : it->total;
}

void *
zinc_fetch_round_place(const zinc_fetch_item *it, size_t k)
{
	return it->bytes->p + (size_t)(it->n == 1 ? 0 : it->places[k]);
}

bool
zinc_fetch_round_too_long(const zinc_fetch *f, zinc_fetch_item *it, uint64_t nbytes)
{
	zinc_error e;

	if (nbytes <= it->bound)
		return false;
	zinc_error_clear(&e);
	zinc_fetch_round_fail(f, it, f->too_long(f->arg, it, nbytes, &e), &e);
	return true;
}

void
zinc_fetch_round_fail(const zinc_fetch *f, zinc_fetch_item *it, zinc_status st, zinc_error *err)
{
	it->failed = true;
	f->fail(f->arg, it, st, err);
}

/* ---- threads ---- */

bool
zinc_fetch_cond_wait(pthread_cond_t *cond, pthread_mutex_t *lock)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += ZINC_FETCH_POLL_MS * 1000000L;
	until.tv_sec += until.tv_nsec / 1000000000L;
	until.tv_nsec %= 1000000000L;
	return pthread_cond_timedwait(cond, lock, &until) == 0;
}
