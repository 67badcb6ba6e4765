/*
 * store_sink.c - how a store answers a request: tag, range, room, bytes, done
 *
 * Promises (tests/unit/test_store_sink.c names each by its number):
 *
 * (1) done() is called exactly once per request, as the last callback.
 * (2) room() is called once the size is known and before a byte is read, also for 0 bytes.  After "not now" no other
 *     request is started until room() gives another answer or the call is cancelled.
 * (3) A range is cut at the end of the value; offset and length are never added.
 * (4) If a value was changed in place, a request with a tag gets "changed", never a mixture.
 */
#include <time.h>

#include "store/store_inside.h"

/* ---- iovec lists ---- */

int
zinc_iov_bytes(const struct iovec *iov, int niov, size_t *out)
{
	size_t n = 0;
	int i;

	for (i = 0; i < niov; i++)
		if (zinc_size_add(n, iov[i].iov_len, &n))
			return 1;
	*out = n;
	return 0;
}

void
zinc_iov_scatter(const struct iovec *iov, int niov, const uint8_t *bytes, size_t n)
{
	size_t part;
	int i;

	for (i = 0; i < niov && n; i++, bytes += part, n -= part) {
		part = iov[i].iov_len < n ? iov[i].iov_len : n;
		if (part)
			memcpy(iov[i].iov_base, bytes, part);
	}
}

void
zinc_iov_gather(const struct iovec *iov, int niov, uint8_t *bytes, size_t n)
{
	size_t part;
	int i;

	for (i = 0; i < niov && n; i++, bytes += part, n -= part) {
		part = iov[i].iov_len < n ? iov[i].iov_len : n;
		if (part)
			memcpy(bytes, iov[i].iov_base, part);
	}
}

/* Empty entries are left out: a call with nothing else would look like the end of the file. */
int
zinc_iov_next(const zinc_iov_at *at, struct iovec *out, int max)
{
	size_t skip = at->skip;
	int i, n = 0;

	for (i = 0; i < at->n && n < max; i++) {
		out[n].iov_base = (uint8_t *)at->iov[i].iov_base + skip;
		out[n].iov_len = at->iov[i].iov_len - skip;
		skip = 0;
		n += out[n].iov_len != 0;
	}
	return n;
}

void
zinc_iov_advance(zinc_iov_at *at, size_t nbytes)
{
	while (at->n && nbytes >= at->iov->iov_len - at->skip) {
		nbytes -= at->iov->iov_len - at->skip;
		at->skip = 0;
		at->iov++;
		at->n--;
	}
	at->skip += nbytes;
}

/* ---- answers ---- */

void
zinc_sink_missing(const zinc_sink *k, size_t i)
{
	zinc_got got;

	memset(&got, 0, sizeof got);
	got.size = sizeof got;
	got.found = ZINC_MISSING;
	k->done(k->arg, i, &got);
}

void
zinc_sink_failed(const zinc_sink *k, size_t i, zinc_status st, const zinc_error *error)
{
	zinc_got got;

	memset(&got, 0, sizeof got);
	got.size = sizeof got;
	got.found = ZINC_FAILED;
	got.status = st;
	got.error = error;
	k->done(k->arg, i, &got);
}

bool
zinc_sink_cancelled(const zinc_sink *k, size_t i, const zinc_wait *wait)
{
	zinc_error e;

	zinc_error_clear(&e);
	if (zinc_wait_check(wait, &e) == ZINC_OK)
		return false;
	zinc_sink_failed(k, i, ZINC_E_CANCELLED, &e);
	return true;
}

void
zinc_done_report(const zinc_done *d, size_t i, zinc_status st, const zinc_tag *tag, const zinc_error *error)
{
	const zinc_outcome o = {sizeof o, st, tag, error};

	d->done(d->arg, i, &o);
}

/* ---- one request ---- */

void
zinc_get_select(const zinc_get *r, uint64_t size, uint64_t *offset, uint64_t *nbytes)
{
	if (r->suffix) {
		*nbytes = zinc_min_u64(r->length, size);
		*offset = size - *nbytes;
	} else {
		*offset = zinc_min_u64(r->offset, size);
		*nbytes = zinc_min_u64(r->length, size - *offset);
	}
}

/*
 * Stores that use this function handle one request at a time.  So room becomes free only by a done() of another call
 * that shares the budget.  Ask again, after ever longer pauses.
 */
static zinc_status
wait_for_room(const zinc_sink *k, size_t i, uint64_t nbytes, void **buf, const zinc_wait *wait, zinc_error *err)
{
	struct timespec pause = {0, 20000};

	for (;;) {
		switch (k->room(k->arg, i, nbytes, buf)) {
		case ZINC_ROOM_OK:
			return ZINC_OK;
		case ZINC_ROOM_NOT_NOW:
			break;
		case ZINC_ROOM_FAIL:
		default:
			return zinc_fail(err, ZINC_E_NOMEM, "no memory for %llu bytes", (unsigned long long)nbytes);
		}
		ZINC_TRY(zinc_wait_check(wait, err));
		nanosleep(&pause, NULL);
		if (pause.tv_nsec < 1000000)
			pause.tv_nsec *= 2;
	}
}

/* room() is called also for 0 bytes, but then nothing is read. */
static zinc_status
deliver(const zinc_sink *k, size_t i, const zinc_get *r, zinc_got *got, uint64_t size, zinc_read_fn read_value,
	void *arg, const zinc_wait *wait, zinc_error *err)
{
	const struct iovec *iov = r->iov;
	struct iovec slot;
	int niov = r->niov;
	uint64_t offset;

	zinc_get_select(r, size, &offset, &got->nbytes);
	if (got->nbytes > SIZE_MAX)
		return zinc_fail(err, ZINC_E_NOMEM, "%llu bytes do not fit in memory", (unsigned long long)got->nbytes);
	if (!iov) {
		slot.iov_base = NULL;
		slot.iov_len = (size_t)got->nbytes;
		ZINC_TRY(wait_for_room(k, i, got->nbytes, &slot.iov_base, wait, err));
		iov = &slot;
		niov = 1;
	}
	return got->nbytes ? read_value(arg, offset, got->nbytes, iov, niov, err) : ZINC_OK;
}

/* If the value was changed in place, a request with a tag gets "changed", any other one E_IO. */
static void
fail_request(const zinc_get *r, zinc_got *got, zinc_error *e)
{
	got->nbytes = 0;
	if (got->status == ZINC_E_CONFLICT && r->if_tag) {
		got->found = ZINC_CHANGED;
		got->status = ZINC_OK;
		return;
	}
	if (got->status == ZINC_E_CONFLICT)
		got->status = e->code = ZINC_E_IO;
	got->found = ZINC_FAILED;
	got->error = e;
}

void
zinc_sink_serve(const zinc_sink *k, size_t i, const zinc_get *r, uint64_t size, const zinc_tag *tag,
		zinc_read_fn read_value, void *arg, const zinc_wait *wait)
{
	zinc_error e;
	zinc_got got;

	zinc_error_clear(&e);
	memset(&got, 0, sizeof got);
	got.size = sizeof got;
	got.object_size = size;
	got.tag = tag;
	if (r->if_tag && !zinc_tag_equal(r->if_tag, tag))
		got.found = ZINC_CHANGED;
	else if (!r->stat)
		got.status = deliver(k, i, r, &got, size, read_value, arg, wait, &e);
	if (got.status != ZINC_OK)
		fail_request(r, &got, &e);
	k->done(k->arg, i, &got);
}
