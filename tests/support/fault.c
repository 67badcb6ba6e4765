/*
 * fault.c - a store that fails on request, or shows old values; for tests
 *
 * Each request of a get and every other operation counts as one.  An operation that must fail is not executed.
 *
 * Eventual consistency: before every change the replaced value is added to a journal of the last `stale` changes;
 * reads and lists then show the state before the oldest of them:
 *
 *      changes      put a=1   put a=2   put b=1   del a          stale = 3
 *      journal                a was 1   b was -   a was 2        (oldest first)
 *      get a, b  ->  1, missing
 *
 * Conditions and update() use the store itself, as in services of that kind.  Use one thread if it matters which
 * operation fails.
 */
#include <stdlib.h>

#include "fault.h"
#include "store/store_inside.h"

/* The value of a key before a change; reference-counted under the store's lock. */
typedef struct past {
	struct past *newer;
	unsigned refs;
	bool existed;
	zinc_tag tag;
	zinc_blob value;
	char key[];
} past;

typedef struct faulty {
	zinc_store *next;
	pthread_mutex_t lock;
	zinc_fault plan;
	uint64_t count;
	past *oldest, *newest;
	unsigned npast;
} faulty;

/* ---- failing ---- */

/* Count an operation; its status if it must fail. */
static zinc_status
strike(faulty *f, zinc_error *err)
{
	zinc_status st = ZINC_OK;
	uint64_t n;

	pthread_mutex_lock(&f->lock);
	n = ++f->count;
	if (f->plan.at && (f->plan.forever ? n >= f->plan.at : n == f->plan.at))
		st = f->plan.status ? f->plan.status : ZINC_E_IO;
	pthread_mutex_unlock(&f->lock);
	return st == ZINC_OK ? st : zinc_fail(err, st, "operation %llu was made to fail", (unsigned long long)n);
}

/* ---- the journal ---- */

/* A reader may still be copying from one that has left the journal. */
static void
past_unref(faulty *f, past *p)
{
	unsigned left;

	pthread_mutex_lock(&f->lock);
	left = --p->refs;
	pthread_mutex_unlock(&f->lock);
	if (left)
		return;
	zinc_blob_fini(&p->value);
	zinc_free(f->next->ctx, p);
}

/* Read from the store below, not from the journal: the change replaces the current value. */
static zinc_status
past_new(past **out, faulty *f, const char *key, zinc_error *err)
{
	zinc_error e = ZINC_ERROR_INIT;
	size_t n = strlen(key);
	past *p = (past *)zinc_calloc(f->next->ctx, 1, sizeof *p + n + 1);
	zinc_status st;

	if (!p)
		return zinc_fail_nomem(err);
	p->refs = 1;
	memcpy(p->key, key, n + 1);
	st = zinc_store_get_all(f->next, key, &p->value, &p->tag, zinc_max_chunk(f->next->ctx), NULL, &e);
	p->existed = st == ZINC_OK;
	if (st != ZINC_OK && st != ZINC_E_NOTFOUND) {
		zinc_free(f->next->ctx, p);
		zinc_error_copy(err, &e);
		return st;
	}
	*out = p;
	return ZINC_OK;
}

/* Remove the oldest until at most `most` are left; returns the removed ones, linked by newer. */
static past *
shorten(faulty *f, unsigned most)
{
	past *first = f->oldest, *last = NULL;

	while (f->npast > most) {
		last = f->oldest;
		f->oldest = last->newer;
		f->npast--;
	}
	if (!f->oldest)
		f->newest = NULL;
	if (!last)
		return NULL;
	last->newer = NULL;
	return first;
}

static void
past_unref_all(faulty *f, past *p)
{
	past *newer;

	for (; p; p = newer) {
		newer = p->newer;
		past_unref(f, p);
	}
}

/* `key` is about to change. */
static zinc_status
remember(faulty *f, const char *key, zinc_error *err)
{
	past *p = NULL, *gone;

	if (f->plan.stale == 0)
		return ZINC_OK;
	ZINC_TRY(past_new(&p, f, key, err));
	pthread_mutex_lock(&f->lock);
	if (f->newest)
		f->newest->newer = p;
	else
		f->oldest = p;
	f->newest = p;
	f->npast++;
	gone = shorten(f, f->plan.stale);
	pthread_mutex_unlock(&f->lock);
	past_unref_all(f, gone);
	return ZINC_OK;
}

/* What a reader sees of the key: the oldest entry, with a reference, or NULL: the current value. */
static past *
recall(faulty *f, const char *key)
{
	past *p;

	pthread_mutex_lock(&f->lock);
	for (p = f->oldest; p && strcmp(p->key, key) != 0; p = p->newer)
		continue;
	if (p)
		p->refs++;
	pthread_mutex_unlock(&f->lock);
	return p;
}

/* ---- get ---- */

/* Requests that are passed on, and their owners. */
typedef struct passed {
	zinc_get *requests;
	size_t *index;
	size_t n;
	const zinc_sink *sink;
} passed;

static zinc_room
passed_room(void *arg, size_t i, uint64_t nbytes, void **buf)
{
	const passed *p = (const passed *)arg;

	return p->sink->room(p->sink->arg, p->index[i], nbytes, buf);
}

static void
passed_done(void *arg, size_t i, const zinc_got *got)
{
	const passed *p = (const passed *)arg;

	p->sink->done(p->sink->arg, p->index[i], got);
}

static zinc_status
read_past(void *arg, uint64_t offset, uint64_t nbytes, const struct iovec *iov, int niov, zinc_error *err)
{
	const uint8_t *from = (const uint8_t *)((const past *)arg)->value.data;

	(void)err;
	zinc_iov_scatter(iov, niov, from + (size_t)offset, (size_t)nbytes);
	return ZINC_OK;
}

/* Answer the request here if it must fail or get an old value; false: pass it on. */
static bool
answer(faulty *f, size_t i, const zinc_get *r, const zinc_sink *sink, const zinc_wait *wait)
{
	zinc_error e = ZINC_ERROR_INIT;
	zinc_status st = strike(f, &e);
	past *p;

	if (st != ZINC_OK) {
		zinc_sink_failed(sink, i, st, &e);
		return true;
	}
	p = recall(f, r->key);
	if (!p)
		return false;
	if (!zinc_sink_cancelled(sink, i, wait)) {
		if (p->existed)
			zinc_sink_serve(sink, i, r, p->value.nbytes, &p->tag, read_past, p, wait);
		else
			zinc_sink_missing(sink, i);
	}
	past_unref(f, p);
	return true;
}

/* Some done() may have been called, so later failures are reported by done(). */
static void
pass_on(faulty *f, passed *p, const zinc_wait *wait)
{
	zinc_sink k = {sizeof k, p->sink->room ? passed_room : NULL, passed_done, p};
	zinc_error e = ZINC_ERROR_INIT;
	zinc_status st = zinc_store_get(f->next, p->requests, p->n, &k, wait, &e);
	size_t i;

	for (i = 0; st != ZINC_OK && i < p->n; i++)
		zinc_sink_failed(p->sink, p->index[i], st, &e);
}

/* Allocate first: after a done() this function may no longer fail. */
static zinc_status
fault_get(void *self, const zinc_get *requests, size_t n, const zinc_sink *sink, const zinc_wait *wait, zinc_error *err)
{
	faulty *f = (faulty *)self;
	zinc_context *ctx = f->next->ctx;
	passed p = {(zinc_get *)zinc_calloc(ctx, n, sizeof *p.requests), (size_t *)zinc_calloc(ctx, n, sizeof *p.index),
		    0, sink};
	zinc_status st = ZINC_OK;
	size_t i;

	if (!p.requests || !p.index)
		st = zinc_fail_nomem(err);
	for (i = 0; st == ZINC_OK && i < n; i++)
		if (!answer(f, i, &requests[i], sink, wait)) {
			p.requests[p.n] = requests[i];
			p.index[p.n++] = i;
		}
	if (p.n)
		pass_on(f, &p, wait);
	zinc_free(ctx, p.requests);
	zinc_free(ctx, p.index);
	return st;
}

/* ---- changes ---- */

static zinc_status
before_change(faulty *f, const char *key, zinc_error *err)
{
	ZINC_TRY(strike(f, err));
	return remember(f, key, err);
}

/* The current one of a batch. */
typedef struct turn {
	const zinc_done *done;
	size_t i;
} turn;

static void
turn_done(void *arg, size_t i, const zinc_outcome *o)
{
	const turn *t = (const turn *)arg;

	(void)i;
	t->done->done(t->done->arg, t->i, o);
}

/* One by one, so that each can fail and be recorded before the next begins. */
static zinc_status
fault_put(void *self, zinc_put_group *group, const zinc_put *puts, size_t n, const zinc_done *done, uint32_t flags,
	  const zinc_wait *wait, zinc_error *err)
{
	faulty *f = (faulty *)self;
	turn t = {done, 0};
	const zinc_done k = {.size = sizeof k, .done = turn_done, .arg = &t};

	(void)err;
	for (; t.i < n; t.i++) {
		zinc_error e = ZINC_ERROR_INIT;
		zinc_status st = before_change(f, puts[t.i].key, &e);

		if (st == ZINC_OK)
			st = zinc_store_put_many(f->next, group, &puts[t.i], 1, &k, flags, wait, &e);
		if (st != ZINC_OK)
			zinc_done_report(done, t.i, st, NULL, &e);
	}
	return ZINC_OK;
}

static zinc_status
fault_del(void *self, zinc_put_group *group, const zinc_del *dels, size_t n, const zinc_done *done, uint32_t flags,
	  const zinc_wait *wait, zinc_error *err)
{
	faulty *f = (faulty *)self;
	turn t = {done, 0};
	const zinc_done k = {.size = sizeof k, .done = turn_done, .arg = &t};

	(void)err;
	for (; t.i < n; t.i++) {
		zinc_error e = ZINC_ERROR_INIT;
		zinc_status st = before_change(f, dels[t.i].key, &e);

		if (st == ZINC_OK)
			st = zinc_store_del_many(f->next, group, &dels[t.i], 1, &k, flags, wait, &e);
		if (st != ZINC_OK)
			zinc_done_report(done, t.i, st, NULL, &e);
	}
	return ZINC_OK;
}

static zinc_status
fault_put_begin(void *self, zinc_put_group **group, uint32_t flags, const zinc_wait *wait, zinc_error *err)
{
	faulty *f = (faulty *)self;

	ZINC_TRY(strike(f, err));
	return zinc_store_put_begin(f->next, group, flags, wait, err);
}

/* A commit that fails also frees its group. */
static zinc_status
fault_commit(void *self, zinc_put_group *group, zinc_committed_fn fn, void *arg, const zinc_wait *wait, zinc_error *err)
{
	faulty *f = (faulty *)self;
	zinc_status st = strike(f, err);

	if (st == ZINC_OK)
		return zinc_store_commit(f->next, group, fn, arg, wait, err);
	zinc_store_abort(f->next, group);
	return st;
}

static void
fault_abort(void *self, zinc_put_group *group)
{
	zinc_store_abort(((faulty *)self)->next, group);
}

static zinc_status
fault_update(void *self, const char *key, zinc_update_fn fn, void *arg, uint64_t limit, uint32_t flags,
	     const zinc_wait *wait, zinc_error *err)
{
	faulty *f = (faulty *)self;

	ZINC_TRY(before_change(f, key, err));
	return zinc_store_update(f->next, key, fn, arg, 0, limit, flags, wait, err);
}

static zinc_status
fault_sync(void *self, const zinc_wait *wait, zinc_error *err)
{
	faulty *f = (faulty *)self;

	ZINC_TRY(strike(f, err));
	return zinc_store_sync(f->next, wait, err);
}

/* ---- listing ---- */

/* Keys with sizes, finally as a reader sees them. */
typedef struct seen {
	char *key;
	uint64_t nbytes;
} seen;

typedef struct view {
	zinc_context *ctx;
	zinc_buf list; /* of seen */
	zinc_status status;
	zinc_error *err;
} view;

static seen *
view_at(const view *v, size_t i)
{
	return (seen *)(void *)v->list.p + i;
}

static size_t
view_count(const view *v)
{
	return v->list.n / sizeof(seen);
}

static int
view_add(void *arg, const char *key, uint64_t nbytes)
{
	view *v = (view *)arg;
	seen s = {zinc_strdup(v->ctx, key), nbytes};

	v->status = s.key ? zinc_buf_add(&v->list, &s, sizeof s, v->err) : zinc_fail_nomem(v->err);
	if (v->status != ZINC_OK)
		zinc_free(v->ctx, s.key);
	return v->status != ZINC_OK;
}

/* Sorted at the end. */
static void
view_remove(view *v, const char *key)
{
	size_t i, n = view_count(v);

	for (i = 0; i < n; i++)
		if (strcmp(view_at(v, i)->key, key) == 0) {
			zinc_free(v->ctx, view_at(v, i)->key);
			*view_at(v, i) = *view_at(v, n - 1);
			v->list.n -= sizeof(seen);
			return;
		}
}

static int
compare_seen(const void *a, const void *b)
{
	return strcmp(((const seen *)a)->key, ((const seen *)b)->key);
}

/* Restore every journalled key below the prefix; the first entry of a key is used. */
static void
rewind_view(faulty *f, view *v, const char *prefix)
{
	size_t n = strlen(prefix);
	past *p, *q;

	pthread_mutex_lock(&f->lock);
	for (p = f->oldest; p && v->status == ZINC_OK; p = p->newer) {
		for (q = f->oldest; q != p && strcmp(q->key, p->key) != 0; q = q->newer)
			continue;
		if (q != p || strncmp(p->key, prefix, n) != 0)
			continue;
		view_remove(v, p->key);
		if (p->existed)
			view_add(v, p->key, p->value.nbytes);
	}
	pthread_mutex_unlock(&f->lock);
	if (view_count(v))
		qsort(v->list.p, view_count(v), sizeof(seen), compare_seen);
}

/* Frees each entry, also after the caller stops. */
static void
view_give(view *v, zinc_key_fn fn, void *arg)
{
	size_t i;
	bool stop = v->status != ZINC_OK;

	for (i = 0; i < view_count(v); i++) {
		if (!stop)
			stop = fn(arg, view_at(v, i)->key, view_at(v, i)->nbytes) != 0;
		zinc_free(v->ctx, view_at(v, i)->key);
	}
	zinc_buf_fini(&v->list);
}

static zinc_status
fault_list(void *self, const char *prefix, zinc_key_fn fn, void *arg, const zinc_wait *wait, zinc_error *err)
{
	faulty *f = (faulty *)self;
	view v = {f->next->ctx, {0}, ZINC_OK, err};
	zinc_status st;

	ZINC_TRY(strike(f, err));
	if (f->plan.stale == 0)
		return zinc_store_list(f->next, prefix, fn, arg, wait, err);
	zinc_buf_init(&v.list, v.ctx, zinc_max_list(v.ctx));
	st = zinc_store_list(f->next, prefix, view_add, &v, wait, err);
	if (v.status == ZINC_OK)
		v.status = st;
	if (v.status == ZINC_OK)
		rewind_view(f, &v, prefix);
	view_give(&v, fn, arg);
	return v.status;
}

static zinc_status
fault_scrub(void *self, const char *prefix, int remove, zinc_scrub_fn fn, void *arg, const zinc_wait *wait,
	    zinc_error *err)
{
	faulty *f = (faulty *)self;

	ZINC_TRY(strike(f, err));
	return zinc_store_scrub(f->next, prefix, remove, fn, arg, wait, err);
}

/* ---- the object ---- */

static void
fault_close(void *self)
{
	faulty *f = (faulty *)self;
	zinc_context *ctx = f->next->ctx;

	past_unref_all(f, shorten(f, 0));
	pthread_mutex_destroy(&f->lock);
	zinc_store_close(f->next);
	zinc_free(ctx, f);
}

/* A store that shows old values must not promise to show new ones. */
static void
fault_caps(void *self, zinc_caps *out)
{
	const faulty *f = (const faulty *)self;

	zinc_store_caps(f->next, out);
	if (f->plan.stale)
		out->flags &= ~(ZINC_CAP_READ_AFTER_WRITE | ZINC_CAP_LIST_AFTER_WRITE);
}

/* Without del_prefix and list_dir: store.c makes them from del and list, so that each key is counted and recorded. */
static const zinc_store_ops fault_ops = {
    .size = sizeof(zinc_store_ops),
    .name = "fault",
    .purpose = "another store that fails on request",
    .close = fault_close,
    .caps = fault_caps,
    .get = fault_get,
    .put = fault_put,
    .del = fault_del,
    .put_begin = fault_put_begin,
    .commit = fault_commit,
    .abort = fault_abort,
    .update = fault_update,
    .list = fault_list,
    .sync = fault_sync,
    .scrub = fault_scrub,
};

zinc_status
zinc_store_fault(zinc_store **out, zinc_store *next, zinc_error *err)
{
	faulty *f = (faulty *)zinc_calloc(next->ctx, 1, sizeof *f);
	zinc_status st;

	if (!f)
		return zinc_fail_nomem(err);
	f->next = next;
	pthread_mutex_init(&f->lock, NULL);
	st = zinc_store_wrap(out, next->ctx, &fault_ops, f, next->url, err);
	if (st == ZINC_OK) {
		zinc_store_ref(next);
		return ZINC_OK;
	}
	pthread_mutex_destroy(&f->lock);
	zinc_free(next->ctx, f);
	return st;
}

/* A shorter journal forgets the oldest changes: they become visible. */
uint64_t
zinc_store_fault_set(zinc_store *fault, const zinc_fault *plan)
{
	faulty *f = (faulty *)fault->self;
	uint64_t count;
	past *gone;

	if (fault->ops.get != fault_get)
		return 0;
	pthread_mutex_lock(&f->lock);
	count = f->count;
	f->count = 0;
	memset(&f->plan, 0, sizeof f->plan);
	if (plan)
		f->plan = *plan;
	gone = shorten(f, f->plan.stale);
	pthread_mutex_unlock(&f->lock);
	past_unref_all(f, gone);
	return count;
}
