/*
 * afar.c - a store that is far away: it keeps many requests open and answers them out of order
 */
#include "support/afar.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "store/store.h"
#include "support/test.h"

/* One get. */
typedef struct call {
	afar *x;
	const zinc_get *gets;
	const zinc_sink *sink;
	size_t n, begun;
	size_t *open;
	unsigned nopen;
	bool waits; /* somebody heard "not now" */
} call;

static void
deliver(const call *c, size_t i, const zinc_blob *b, zinc_tag *tag, uint64_t offset, uint64_t nbytes, void *to)
{
	const zinc_get *g = &c->gets[i];
	const zinc_got got = {.size = sizeof got, .found = ZINC_FOUND, .nbytes = nbytes, .object_size = b->nbytes, .tag = tag};
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
	st = zinc_store_get_all(c->x->near, c->gets[i].key, &b, &tag, 0, NULL, &e);
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

/* Answer one of those that are open, which one by the number of answers so far. */
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
afar_get(void *self, const zinc_get *gets, size_t n, const zinc_sink *sink, const zinc_wait *wait, zinc_error *err)
{
	afar *x = self;
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

static void
afar_caps(void *self, zinc_caps *out)
{
	const afar *x = self;

	out->flags = ZINC_CAP_READ | ZINC_CAP_RANGE | ZINC_CAP_SUFFIX_RANGE | ZINC_CAP_LIST | ZINC_CAP_REMOTE;
	out->flags |= x->no_tags ? 0 : ZINC_CAP_TAGS;
	out->parallel = x->parallel;
	out->merge_gap = x->merge_gap;
}

static void
afar_close(void *self)
{
	(void)self;
}

static zinc_status
afar_list(void *self, const char *prefix, zinc_key_fn fn, void *arg, const zinc_wait *wait, zinc_error *err)
{
	return zinc_store_list(((afar *)self)->near, prefix, fn, arg, wait, err);
}

static zinc_status
afar_list_dir(void *self, const char *prefix, zinc_entry_fn fn, void *arg, const zinc_wait *wait, zinc_error *err)
{
	return zinc_store_list_dir(((afar *)self)->near, prefix, fn, arg, wait, err);
}

zinc_store *
afar_open(afar *x, zinc_context *ctx)
{
	static const zinc_store_ops ops = {.size = sizeof ops,
					   .name = "afar",
					   .get = afar_get,
					   .caps = afar_caps,
					   .close = afar_close,
					   .list = afar_list,
					   .list_dir = afar_list_dir};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *s = NULL;

	assert_ok(zinc_store_wrap(&s, ctx, &ops, x, "afar://", &err));
	return s;
}
