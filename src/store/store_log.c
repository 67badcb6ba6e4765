/*
 * store_log.c - a store that counts what passes through it, and tells whoever listens
 *
 * Every request of a get, and every other operation, is told once, when it is over, in the thread in which it ended.
 */
#include "store/store_inside.h"

typedef struct logged {
	zinc_store *next;
	zinc_log_fn fn;
	void *arg;
	atomic_uint_fast64_t get_calls, get_requests, get_bytes, put_calls, put_bytes, del_calls, list_calls,
	    update_calls;
} logged;

static zinc_status
tell(const logged *l, const char *operation, const char *key, uint64_t nbytes, zinc_status st)
{
	if (l->fn)
		l->fn(l->arg, operation, key, nbytes, st);
	return st;
}

static void
log_close(void *self)
{
	logged *l = (logged *)self;
	zinc_context *ctx = l->next->ctx;

	zinc_store_close(l->next);
	zinc_free(ctx, l);
}

static void
log_caps(void *self, zinc_caps *out)
{
	zinc_store_caps(((logged *)self)->next, out);
}

/* ---- get ---- */

typedef struct logged_sink {
	logged *log;
	const zinc_get *requests;
	const zinc_sink *sink;
} logged_sink;

static zinc_room
log_room(void *arg, size_t i, uint64_t nbytes, void **buf)
{
	const zinc_sink *k = ((const logged_sink *)arg)->sink;

	return k->room(k->arg, i, nbytes, buf);
}

/* Told before the caller hears of it, so that whoever waits for the answer finds it in the log. */
static void
log_done(void *arg, size_t i, const zinc_got *got)
{
	const logged_sink *s = (const logged_sink *)arg;
	zinc_status st = got->status;

	if (got->found == ZINC_MISSING)
		st = ZINC_E_NOTFOUND;
	else if (got->found == ZINC_CHANGED)
		st = ZINC_E_CONFLICT;
	atomic_fetch_add(&s->log->get_bytes, got->nbytes);
	tell(s->log, "get", s->requests[i].key, got->nbytes, st);
	s->sink->done(s->sink->arg, i, got);
}

static zinc_status
log_get(void *self, const zinc_get *requests, size_t n, const zinc_sink *sink, zinc_error *err)
{
	logged *l = (logged *)self;
	logged_sink s = {l, requests, sink};
	zinc_sink k = {log_room, log_done, &s, sink->cancel};

	atomic_fetch_add(&l->get_calls, 1);
	atomic_fetch_add(&l->get_requests, n);
	return zinc_store_get(l->next, requests, n, &k, err);
}

/* ---- changes ---- */

/* Counted when it is asked for: in a group the outcome comes with the commit. */
static zinc_status
log_put(void *self, zinc_put_group *group, const char *key, const struct iovec *iov, int niov,
	const zinc_condition *when, uint32_t flags, zinc_tag *tag, zinc_error *err)
{
	logged *l = (logged *)self;
	size_t n = 0;

	(void)zinc_iov_bytes(iov, niov, &n);
	atomic_fetch_add(&l->put_calls, 1);
	atomic_fetch_add(&l->put_bytes, n);
	return tell(l, "put", key, n, zinc_store_putv(l->next, group, key, iov, niov, when, flags, tag, err));
}

static zinc_status
log_del(void *self, zinc_put_group *group, const char *key, const zinc_condition *when, uint32_t flags, zinc_error *err)
{
	logged *l = (logged *)self;

	atomic_fetch_add(&l->del_calls, 1);
	return tell(l, "del", key, 0, zinc_store_del(l->next, group, key, when, flags, err));
}

static zinc_status
log_put_begin(void *self, zinc_put_group **group, uint32_t flags, zinc_error *err)
{
	return zinc_store_put_begin(((logged *)self)->next, group, flags, err);
}

static zinc_status
log_commit(void *self, zinc_put_group *group, zinc_committed_fn fn, void *arg, zinc_error *err)
{
	logged *l = (logged *)self;

	return tell(l, "commit", "", 0, zinc_store_commit(l->next, group, fn, arg, err));
}

static void
log_abort(void *self, zinc_put_group *group)
{
	zinc_store_abort(((logged *)self)->next, group);
}

/* Counts the bytes that the caller's function puts, each time it is asked. */
typedef struct logged_update {
	zinc_update_fn fn;
	void *arg;
	size_t nbytes;
} logged_update;

static zinc_status
note_update(void *arg, const void *old, size_t nold, zinc_update *out, zinc_error *err)
{
	logged_update *u = (logged_update *)arg;
	zinc_status st = u->fn(u->arg, old, nold, out, err);

	u->nbytes = out->erase || out->keep ? 0 : out->nbytes;
	return st;
}

/* Called only where caps say UPDATE; else store.c makes it of gets and puts, which pass here one by one. */
static zinc_status
log_update(void *self, const char *key, zinc_update_fn fn, void *arg, uint32_t flags, zinc_error *err)
{
	logged *l = (logged *)self;
	logged_update u = {fn, arg, 0};
	zinc_status st = zinc_store_update(l->next, key, note_update, &u, 0, flags, err);

	atomic_fetch_add(&l->update_calls, 1);
	return tell(l, "update", key, u.nbytes, st);
}

static zinc_status
log_del_prefix(void *self, const char *prefix, uint32_t flags, zinc_error *err)
{
	logged *l = (logged *)self;

	atomic_fetch_add(&l->del_calls, 1);
	return tell(l, "del_prefix", prefix, 0, zinc_store_del_prefix(l->next, prefix, flags, err));
}

static zinc_status
log_sync(void *self, zinc_error *err)
{
	logged *l = (logged *)self;

	return tell(l, "sync", "", 0, zinc_store_sync(l->next, err));
}

/* ---- listing ---- */

static zinc_status
log_walk(void *self, const char *prefix, const zinc_lister *to, zinc_error *err)
{
	logged *l = (logged *)self;

	atomic_fetch_add(&l->list_calls, 1);
	return tell(l, to->key ? "list" : "list_dir", prefix, 0, zinc_store_walk(l->next, prefix, to, err));
}

static zinc_status
log_scrub(void *self, const char *prefix, int remove, zinc_scrub_fn fn, void *arg, zinc_error *err)
{
	logged *l = (logged *)self;

	return tell(l, "scrub", prefix, 0, zinc_store_scrub(l->next, prefix, remove, fn, arg, err));
}

/* ---- the object ---- */

static const zinc_store_ops log_ops = {
    .size = sizeof(zinc_store_ops),
    .name = "log",
    .purpose = "another store, with its operations counted",
    .close = log_close,
    .caps = log_caps,
    .get = log_get,
    .put = log_put,
    .del = log_del,
    .put_begin = log_put_begin,
    .commit = log_commit,
    .abort = log_abort,
    .update = log_update,
    .del_prefix = log_del_prefix,
    .sync = log_sync,
    .scrub = log_scrub,
    .walk = log_walk,
};

zinc_status
zinc_store_log(zinc_store **out, zinc_store *next, zinc_log_fn fn, void *arg, zinc_error *err)
{
	logged *l = (logged *)zinc_calloc(next->ctx, 1, sizeof *l);
	zinc_status st;

	if (!l)
		return zinc_fail_nomem(err);
	l->next = next;
	l->fn = fn;
	l->arg = arg;
	st = zinc_store_wrap(out, next->ctx, &log_ops, l, next->url, err);
	if (st != ZINC_OK)
		zinc_free(next->ctx, l);
	else
		zinc_store_ref(next);
	return st;
}

/* Of any other store nothing is known. */
void
zinc_store_log_counts(zinc_store *log, zinc_store_counts *out)
{
	logged *l = (logged *)log->self;

	memset(out, 0, sizeof *out);
	if (log->ops.get != log_get)
		return;
	out->get_calls = atomic_load(&l->get_calls);
	out->get_requests = atomic_load(&l->get_requests);
	out->get_bytes = atomic_load(&l->get_bytes);
	out->put_calls = atomic_load(&l->put_calls);
	out->put_bytes = atomic_load(&l->put_bytes);
	out->del_calls = atomic_load(&l->del_calls);
	out->list_calls = atomic_load(&l->list_calls);
	out->update_calls = atomic_load(&l->update_calls);
}
