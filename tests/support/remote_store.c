/*
 * remote_store.c - a remote store for tests: it keeps many requests open and answers them out of order
 */
#include "support/remote_store.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "store/store.h"
#include "support/test.h"

/* One get. */
typedef struct call {
	remote_store *x;
	const zinc_get *gets;
	const zinc_sink *sink;
	size_t n, begun;
	size_t *open;
	unsigned nopen;
	bool waits; /* a request got "not now" */
} call;

static void
deliver(const call *c, size_t i, const zinc_blob *b, zinc_tag *tag, uint64_t offset, uint64_t nbytes, void *to)
{
	const zinc_get *g = &c->gets[i];
	const zinc_got got = {
	    .size = sizeof got, .found = ZINC_FOUND, .nbytes = nbytes, .object_size = b->nbytes, .tag = tag};
	const struct iovec slot = {to, (size_t)nbytes};

	if (nbytes > 0)
		zinc_iov_scatter(g->iov ? g->iov : &slot, g->iov ? g->niov : 1, (const uint8_t *)b->data + offset,
				 (size_t)nbytes);
	c->sink->done(c->sink->arg, i, &got);
}

/* False: there is no room now. */
static bool
found(call *c, size_t i, const zinc_blob *b, zinc_tag *tag)
{
	static const zinc_got changed = {.size = sizeof changed, .found = ZINC_CHANGED};
	const zinc_get *g = &c->gets[i];
	uint64_t offset, nbytes;
	void *to = NULL;

	if (c->x->no_tags)
		tag->n = 0;
	zinc_get_select(g, b->nbytes, &offset, &nbytes);
	if (g->if_tag && !zinc_tag_equal(g->if_tag, tag)) {
		c->sink->done(c->sink->arg, i, &changed);
		return true;
	}
	if (!g->stat && !g->iov)
		switch (c->sink->room(c->sink->arg, i, nbytes, &to)) {
		case ZINC_ROOM_NOT_NOW:
			return false;
		case ZINC_ROOM_OK:
			break;
		case ZINC_ROOM_FAIL:
		default:
			zinc_sink_failed(c->sink, i, ZINC_E_NOMEM, NULL);
			return true;
		}
	deliver(c, i, b, tag, offset, g->stat ? 0 : nbytes, to);
	return true;
}

static bool
answer(call *c, size_t i)
{
	zinc_error e = ZINC_ERROR_INIT;
	zinc_blob b = ZINC_BLOB_INIT;
	zinc_tag tag = {0, {0}};
	zinc_status st;
	bool over = true;

	if (c->x->before)
		c->x->before(c->x->arg, c->x->answers, &c->gets[i]);
	if (c->x->torn > 0 && c->x->torn-- > 0)
		st = zinc_fail(&e, ZINC_E_CONFLICT, "replaced while it was read");
	else
		st = zinc_store_get_all(c->x->local, c->gets[i].key, &b, &tag, 0, NULL, &e);
	if (st == ZINC_OK)
		over = found(c, i, &b, &tag);
	else if (st == ZINC_E_NOTFOUND)
		zinc_sink_missing(c->sink, i);
	else
		zinc_sink_failed(c->sink, i, st, &e);
	zinc_blob_fini(&b);
	c->x->answers += over;
	return over;
}

/* Answer one of the open requests, selected by the number of answers so far. */
static void
answer_one(call *c)
{
	const struct timespec pause = {0, 100000};
	bool waits = false;
	unsigned k;

	for (k = 0; k < c->nopen; k++) {
		const unsigned at = (unsigned)((c->x->answers * 7 + k) % c->nopen);

		if (!answer(c, c->open[at])) {
			c->x->not_now++;
			c->waits = waits = true;
			continue;
		}
		c->open[at] = c->open[--c->nopen];
		c->waits = c->x->shy && (waits || (c->waits && c->nopen > 0));
		return;
	}
	nanosleep(&pause, NULL);
}

static zinc_status
remote_get(void *self, const zinc_get *gets, size_t n, const zinc_sink *sink, const zinc_wait *wait, zinc_error *err)
{
	remote_store *x = self;
	call c = {.x = x, .gets = gets, .sink = sink, .n = n};

	(void)err;
	c.open = malloc(x->parallel * sizeof *c.open);
	assert_non_null(c.open);
	x->calls++;
	x->requests += n;
	while (c.begun < n || c.nopen > 0) {
		while (!c.waits && c.begun < n && c.nopen < x->parallel)
			c.open[c.nopen++] = c.begun++;
		if (c.nopen > x->most_open)
			x->most_open = c.nopen;
		while (c.nopen > 0 && zinc_sink_cancelled(sink, c.open[c.nopen - 1], wait))
			c.nopen--;
		while (c.nopen == 0 && c.begun < n && zinc_sink_cancelled(sink, c.begun, wait))
			c.begun++;
		if (c.nopen > 0)
			answer_one(&c);
	}
	free(c.open);
	return ZINC_OK;
}

/* ---- changes ---- */

/* One put or del. */
typedef struct changes {
	remote_store *x;
	const zinc_put *puts; /* or */
	const zinc_del *dels;
	const zinc_done *done;
	uint32_t flags;
} changes;

static void
change_one(const changes *c, size_t i)
{
	remote_store *x = c->x;
	const struct timespec pause = {0, (long)x->slow * 1000};
	const char *key = c->puts ? c->puts[i].key : c->dels[i].key;
	zinc_error e = ZINC_ERROR_INIT;
	zinc_tag tag = {0, {0}};
	zinc_status st = ZINC_OK;

	if (x->slow)
		nanosleep(&pause, NULL);
	if (x->before_put)
		st = x->before_put(x->arg, x->puts + x->dels, key);
	if (st != ZINC_OK)
		zinc_fail(&e, st, "the remote store was told to fail");
	else if (c->puts)
		st = zinc_store_putv(x->local, NULL, key, c->puts[i].iov, c->puts[i].niov, c->puts[i].when, c->flags,
				     &tag, NULL, &e);
	else if (x->no_conditional_dels && c->dels[i].when && c->dels[i].when->when != ZINC_ANY)
		st = zinc_fail(&e, ZINC_E_UNSUPPORTED, "the remote store has no conditional deletes");
	else
		st = zinc_store_del(x->local, NULL, key, c->dels[i].when, c->flags, NULL, &e);
	*(c->puts ? &x->puts : &x->dels) += 1;
	zinc_done_report(c->done, i, st, &tag, st == ZINC_OK ? NULL : &e);
}

/* Open requests are answered from the last to the first, then the next are opened. */
static void
change_all(const changes *c, size_t n, const zinc_wait *wait)
{
	size_t first, k, open;

	c->x->put_calls++;
	for (first = 0; first < n || (c->done->more && first < (n = c->done->more(c->done->arg))); first += open) {
		open = n - first < c->x->parallel ? n - first : c->x->parallel;
		if (open > c->x->most_puts)
			c->x->most_puts = (unsigned)open;
		for (k = open; k-- > 0;) {
			zinc_error e = ZINC_ERROR_INIT;
			const zinc_status st = zinc_wait_check(wait, &e);

			c->x->cancelled += st != ZINC_OK;
			if (st == ZINC_OK)
				change_one(c, first + k);
			else
				zinc_done_report(c->done, first + k, st, NULL, &e);
		}
	}
}

static zinc_status
remote_put(void *self, zinc_put_group *group, const zinc_put *puts, size_t n, const zinc_done *done, uint32_t flags,
	   const zinc_wait *wait, zinc_error *err)
{
	const changes c = {.x = self, .puts = puts, .done = done, .flags = flags};
	uint64_t total = 0;
	size_t i;

	(void)group;
	if (c.x->refuses && n > 1)
		return zinc_fail(err, ZINC_E_IO, "one at a time");
	for (i = 0; i < n; i++)
		total += puts[i].niov > 0 ? puts[i].iov[0].iov_len : 0;
	if (total > c.x->most_bytes)
		c.x->most_bytes = total;
	change_all(&c, n, wait);
	return ZINC_OK;
}

static zinc_status
remote_del(void *self, zinc_put_group *group, const zinc_del *dels, size_t n, const zinc_done *done, uint32_t flags,
	   const zinc_wait *wait, zinc_error *err)
{
	const changes c = {.x = self, .dels = dels, .done = done, .flags = flags};

	(void)group, (void)err;
	change_all(&c, n, wait);
	return ZINC_OK;
}

static void
remote_caps(void *self, zinc_caps *out)
{
	const remote_store *x = self;

	out->flags = ZINC_CAP_READ | ZINC_CAP_RANGE | ZINC_CAP_SUFFIX_RANGE | ZINC_CAP_LIST | ZINC_CAP_REMOTE;
	out->flags |= x->no_tags && !x->claims_tags ? 0 : ZINC_CAP_TAGS;
	out->flags |= x->writes ? ZINC_CAP_WRITE | ZINC_CAP_ERASE | ZINC_CAP_ATOMIC_PUT : 0;
	out->flags |= x->cas ? ZINC_CAP_CAS : 0;
	out->parallel = x->parallel;
	out->merge_gap = x->merge_gap;
}

static void
remote_close(void *self)
{
	(void)self;
}

static zinc_status
remote_list(void *self, const char *prefix, zinc_key_fn fn, void *arg, const zinc_wait *wait, zinc_error *err)
{
	return zinc_store_list(((remote_store *)self)->local, prefix, fn, arg, wait, err);
}

static zinc_status
remote_list_dir(void *self, const char *prefix, zinc_entry_fn fn, void *arg, const zinc_wait *wait, zinc_error *err)
{
	return zinc_store_list_dir(((remote_store *)self)->local, prefix, fn, arg, wait, err);
}

zinc_store *
remote_store_open(remote_store *x, zinc_context *ctx)
{
	zinc_store_ops ops = {.size = sizeof ops,
			      .name = "remote",
			      .get = remote_get,
			      .put = remote_put,
			      .del = remote_del,
			      .caps = remote_caps,
			      .close = remote_close,
			      .list = remote_list,
			      .list_dir = remote_list_dir};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s = NULL;

	ops.more = x->asks;
	if (!x->writes)
		ops.put = NULL, ops.del = NULL;
	assert_ok(zinc_store_wrap(&s, ctx, &ops, x, "remote://", &err));
	return s;
}
