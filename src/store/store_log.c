/*
 * store_log.c - a store that counts the operations that pass through it and reports them to a callback
 *
 * Every request of a get, and every other operation, is reported once, at its end, in the thread in which it ended.
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

/* Logged before the caller gets the answer, so that the log is complete when the call returns. */
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
log_get(void *self, const zinc_get *requests, size_t n, const zinc_sink *sink, const zinc_wait *wait, zinc_error *err)
{
	logged *l = (logged *)self;
	logged_sink s = {l, requests, sink};
	zinc_sink k = {sizeof k, sink->room ? log_room : NULL, log_done, &s};

	atomic_fetch_add(&l->get_calls, 1);
	atomic_fetch_add(&l->get_requests, n);
	return zinc_store_get(l->next, requests, n, &k, wait, err);
}

/* The caller may read all of the file, and nobody sees what it reads: counted as a get of the whole value.  A value that is
 * not lent is not counted, because a get follows. */
static zinc_status
log_lend(void *self, const char *key, zinc_lent *out, const zinc_wait *wait, zinc_error *err)
{
	logged *l = (logged *)self;
	zinc_status st = zinc_store_lend(l->next, key, out, wait, err);

	if (st == ZINC_E_UNSUPPORTED)
		return st;
	atomic_fetch_add(&l->get_calls, 1);
	atomic_fetch_add(&l->get_requests, 1);
	if (st == ZINC_OK)
		atomic_fetch_add(&l->get_bytes, out->nbytes);
	return tell(l, "lend", key, st == ZINC_OK ? out->nbytes : 0, st);
}

/* ---- changes ---- */

typedef struct logged_done {
	logged *log;
	const zinc_put *puts; /* NULL: deletes */
	const zinc_del *dels;
	const zinc_done *done;
} logged_done;

static void
log_outcome(void *arg, size_t i, const zinc_outcome *o)
{
	const logged_done *d = (const logged_done *)arg;
	size_t n = 0;

	if (d->puts)
		(void)zinc_iov_bytes(d->puts[i].iov, d->puts[i].niov, &n);
	tell(d->log, d->puts ? "put" : "del", d->puts ? d->puts[i].key : d->dels[i].key, n, o->status);
	d->done->done(d->done->arg, i, o);
}

/* Counted when it is called: in a group the outcome is known only at the commit. */
static zinc_status
log_put(void *self, zinc_put_group *group, const zinc_put *puts, size_t n, const zinc_done *done, uint32_t flags,
	const zinc_wait *wait, zinc_error *err)
{
	logged *l = (logged *)self;
	logged_done d = {l, puts, NULL, done};
	const zinc_done k = {.size = sizeof k, .done = log_outcome, .arg = &d};
	size_t i, nbytes;

	for (i = 0; i < n; i++) {
		if (zinc_iov_bytes(puts[i].iov, puts[i].niov, &nbytes) == 0)
			atomic_fetch_add(&l->put_bytes, nbytes);
	}
	atomic_fetch_add(&l->put_calls, n);
	return zinc_store_put_many(l->next, group, puts, n, &k, flags, wait, err);
}

static zinc_status
log_del(void *self, zinc_put_group *group, const zinc_del *dels, size_t n, const zinc_done *done, uint32_t flags,
	const zinc_wait *wait, zinc_error *err)
{
	logged *l = (logged *)self;
	logged_done d = {l, NULL, dels, done};
	const zinc_done k = {.size = sizeof k, .done = log_outcome, .arg = &d};

	atomic_fetch_add(&l->del_calls, n);
	return zinc_store_del_many(l->next, group, dels, n, &k, flags, wait, err);
}

static zinc_status
log_commit(void *self, zinc_put_group *group, zinc_committed_fn fn, void *arg, const zinc_wait *wait, zinc_error *err)
{
	logged *l = (logged *)self;

	return tell(l, "commit", "", 0, zinc_store_commit(l->next, group, fn, arg, wait, err));
}

/* Counts the bytes that the caller's function returns, each time it is called. */
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

/* Called only if caps have UPDATE; otherwise store.c uses gets and puts, which are logged one by one. */
static zinc_status
log_update(void *self, const char *key, zinc_update_fn fn, void *arg, uint64_t limit, uint32_t flags,
	   const zinc_wait *wait, zinc_error *err)
{
	logged *l = (logged *)self;
	logged_update u = {fn, arg, 0};
	zinc_status st = zinc_store_update(l->next, key, note_update, &u, 0, limit, flags, wait, err);

	atomic_fetch_add(&l->update_calls, 1);
	return tell(l, "update", key, u.nbytes, st);
}

typedef struct logged_splice {
	zinc_splice_fn fn;
	void *arg;
	size_t nbytes;
} logged_splice;

static zinc_status
note_splice(void *arg, const zinc_old *old, zinc_splice *out, zinc_error *err)
{
	logged_splice *u = (logged_splice *)arg;
	zinc_status st = u->fn(u->arg, old, out, err);
	size_t i;

	u->nbytes = 0;
	for (i = 0; i < out->nparts && !out->erase && !out->keep; i++)
		u->nbytes += out->parts[i].nbytes;
	return st;
}

/* Logged as an update with the size of the new value. */
static zinc_status
log_splice(void *self, const char *key, zinc_splice_fn fn, void *arg, uint64_t limit, uint32_t flags,
	   const zinc_wait *wait, zinc_error *err)
{
	logged *l = (logged *)self;
	logged_splice u = {fn, arg, 0};
	zinc_status st = zinc_store_splice(l->next, key, note_splice, &u, 0, limit, flags, wait, err);

	atomic_fetch_add(&l->update_calls, 1);
	return tell(l, "update", key, u.nbytes, st);
}

/* Each key counts as one update, however the store below does it. */
static zinc_status
log_put_partial(void *self, const zinc_partial *const *parts, size_t n, int single_writer, uint32_t flags,
		const zinc_wait *wait, zinc_error *err)
{
	logged *l = (logged *)self;
	zinc_status st = zinc_store_put_parts(l->next, parts, n, single_writer, flags, wait, err);
	size_t at, i, many;

	for (at = 0; at < n; at += many) {
		size_t nbytes = 0;

		many = zinc_parts_same_key(parts + at, n - at);
		for (i = at; i < at + many; i++)
			nbytes += parts[i]->nbytes;
		atomic_fetch_add(&l->update_calls, 1);
		tell(l, "update", parts[at]->key, nbytes, st);
	}
	return st;
}

static zinc_status
log_del_prefix(void *self, const char *prefix, uint32_t flags, const zinc_wait *wait, zinc_error *err)
{
	logged *l = (logged *)self;

	atomic_fetch_add(&l->del_calls, 1);
	return tell(l, "del_prefix", prefix, 0, zinc_store_del_prefix(l->next, prefix, flags, wait, err));
}

static zinc_status
log_sync(void *self, const zinc_wait *wait, zinc_error *err)
{
	logged *l = (logged *)self;

	return tell(l, "sync", "", 0, zinc_store_sync(l->next, wait, err));
}

/* ---- listing ---- */

static zinc_status
log_walk(void *self, const char *prefix, const zinc_lister *to, const zinc_wait *wait, zinc_error *err)
{
	logged *l = (logged *)self;

	atomic_fetch_add(&l->list_calls, 1);
	return tell(l, to->key ? "list" : "list_dir", prefix, 0, zinc_store_walk(l->next, prefix, to, wait, err));
}

static zinc_status
log_scrub(void *self, const char *prefix, int remove, zinc_scrub_fn fn, void *arg, const zinc_wait *wait,
	  zinc_error *err)
{
	logged *l = (logged *)self;

	return tell(l, "scrub", prefix, 0, zinc_store_scrub(l->next, prefix, remove, fn, arg, wait, err));
}

/* ---- the object ---- */

/* Operations that are not counted are forwarded; groups are begun and aborted in the store below. */
static zinc_store *
log_forwards(void *self)
{
	return ((logged *)self)->next;
}

static const zinc_store_ops log_ops = {
    .size = sizeof(zinc_store_ops),
    .name = "log",
    .purpose = "another store, with its operations counted",
    .close = log_close,
    .caps = log_caps,
    .get = log_get,
    .lend = log_lend,
    .put = log_put,
    .del = log_del,
    .commit = log_commit,
    .update = log_update,
    .splice = log_splice,
    .del_prefix = log_del_prefix,
    .sync = log_sync,
    .scrub = log_scrub,
    .walk = log_walk,
    .put_partial = log_put_partial,
    .forwards = log_forwards,
};

zinc_status
zinc_store_log(zinc_store **out, zinc_store *next, zinc_log_fn fn, void *arg, zinc_error *err)
{
	zinc_status st;
	logged *l;

	ZINC_TRY(ZINC_NEED(out && next, err));
	l = (logged *)zinc_calloc(next->ctx, 1, sizeof *l);
	if (!l)
		return zinc_fail_nomem(err);
	l->next = next;
	l->fn = fn;
	l->arg = arg;
	st = zinc_store_wrap(out, next->ctx, &log_ops, l, next->url, err);
	if (st != ZINC_OK)
		zinc_free(next->ctx, l);
	else
		zinc_store_identify_as(*out, zinc_store_ref(next), "");
	return st;
}

/* Other stores have no counts. */
void
zinc_store_log_counts(zinc_store *log, zinc_store_counts *out)
{
	zinc_store_counts counts = ZINC_STORE_COUNTS_INIT;
	logged *l = (logged *)log->self;

	if (log->ops.get == log_get) {
		counts.get_calls = atomic_load(&l->get_calls);
		counts.get_requests = atomic_load(&l->get_requests);
		counts.get_bytes = atomic_load(&l->get_bytes);
		counts.put_calls = atomic_load(&l->put_calls);
		counts.put_bytes = atomic_load(&l->put_bytes);
		counts.del_calls = atomic_load(&l->del_calls);
		counts.list_calls = atomic_load(&l->list_calls);
		counts.update_calls = atomic_load(&l->update_calls);
	}
	zinc_result_fill(out, &counts, sizeof counts);
}
