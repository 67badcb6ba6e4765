/*
 * store_fallback.c - operations of the specification built from simpler ones
 *
 * Promises (tests/unit/test_store_fallback.c names each by its number):
 *
 * (1) update never loses another writer's change: it runs under the store's own lock, or as a bounded loop of
 *     conditional puts, or is refused unless the caller says that it is the only writer.
 * (2) get_all allocates nothing before the size is known to be within its limit.
 * (3) put_partial changes each key once, and nothing at all when two ranges of a key overlap.
 * (4) del_many and del_prefix go on after a failure and report the first; so does del_list of a remote store.
 */
#include <stdlib.h>
#include <time.h>

#include "store/store_inside.h"

/* ---- get_all ---- */

typedef struct whole {
	zinc_context *ctx;
	uint8_t *bytes;
	size_t nbytes;
	zinc_tag *tag;
	zinc_status status;
	zinc_error *err;
} whole;

static zinc_room
whole_room(void *arg, size_t i, uint64_t nbytes, void **buf)
{
	whole *w = (whole *)arg;
	size_t total;

	(void)i;
	zinc_free(w->ctx, w->bytes); /* called again when the store starts over */
	w->bytes = NULL;
	if (nbytes > SIZE_MAX || zinc_size_add((size_t)nbytes, 1, &total))
		return ZINC_ROOM_FAIL;
	*buf = w->bytes = (uint8_t *)zinc_alloc(w->ctx, total);
	return w->bytes ? ZINC_ROOM_OK : ZINC_ROOM_FAIL;
}

/* For a store a missing key is a result; for the caller of get_all it is E_NOTFOUND. */
static void
whole_done(void *arg, size_t i, const zinc_got *got)
{
	whole *w = (whole *)arg;

	(void)i;
	if (got->found == ZINC_FOUND) {
		w->nbytes = (size_t)got->nbytes;
		if (w->tag)
			*w->tag = *got->tag;
	} else if (got->found == ZINC_MISSING) {
		w->status = zinc_fail(w->err, ZINC_E_NOTFOUND, "no such key");
	} else {
		w->status = got->status ? got->status : ZINC_E_IO;
		zinc_error_copy(w->err, got->error);
	}
}

/* An empty value gives a blob of 0 bytes whose data is not NULL. */
zinc_status
zinc_store_get_all(zinc_store *s, const char *key, zinc_blob *out, zinc_tag *tag, uint64_t limit, const zinc_wait *wait,
		   zinc_error *err)
{
	whole w = {NULL, NULL, 0, tag, ZINC_OK, err};
	const zinc_sink sink = {sizeof sink, whole_room, whole_done, &w};
	zinc_get r;
	zinc_status st;

	ZINC_TRY(ZINC_STORE_CALL(s, wait, err));
	ZINC_TRY(ZINC_NEED(out, err));
	w.ctx = s->ctx;
	memset(&r, 0, sizeof r);
	r.key = key;
	r.length = ZINC_TO_END;
	r.limit = limit;
	st = zinc_store_get(s, &r, 1, &sink, wait, err);
	if (st == ZINC_OK)
		st = w.status;
	if (st == ZINC_OK && !w.bytes && !(w.bytes = (uint8_t *)zinc_alloc(s->ctx, 1)))
		st = zinc_fail_nomem(err);
	if (st != ZINC_OK) {
		zinc_free(s->ctx, w.bytes);
		return zinc_store_at(s, key, st, err);
	}
	w.bytes[w.nbytes] = 0;
	out->data = w.bytes;
	out->nbytes = w.nbytes;
	out->context = s->ctx;
	return ZINC_OK;
}

/* ---- update ---- */

typedef struct updating {
	zinc_store *s;
	const char *key;
	zinc_update_fn fn;
	void *arg;
	uint64_t limit;
	uint32_t flags;
	const zinc_wait *wait;
	zinc_tag *seen; /* of the value that fn gets; NULL: not requested, like the new one's */
	zinc_tag *put;
} updating;

/* The value of the key, or an empty blob with data NULL when it is missing. */
static zinc_status
get_or_none(const updating *u, zinc_blob *old, zinc_tag *tag, zinc_error *err)
{
	zinc_error e = ZINC_ERROR_INIT;
	zinc_status st = zinc_store_get_all(u->s, u->key, old, tag, u->limit, u->wait, &e);

	if (st == ZINC_E_NOTFOUND)
		return ZINC_OK;
	if (st != ZINC_OK)
		zinc_error_copy(err, &e);
	return st;
}

zinc_status
zinc_tag_needed(const zinc_tag *tag, zinc_error *err)
{
	return tag->n > 0
		   ? ZINC_OK
		   : zinc_fail(err, ZINC_E_UNSUPPORTED,
			       "the store has no tag for this value, so changes by other writers cannot be detected");
}

/* Erasing a missing key needs no call; ZINC_EQUALS would have no tag to name. */
static zinc_status
apply(const updating *u, const zinc_update *to, const zinc_blob *old, const zinc_condition *when, zinc_error *err)
{
	if (to->keep || (to->erase && !old->data))
		return ZINC_OK;
	if (when->when == ZINC_EQUALS)
		ZINC_TRY(zinc_tag_needed(when->tag, err));
	if (to->erase)
		return zinc_store_del(u->s, NULL, u->key, when, u->flags, u->wait, err);
	return zinc_store_put(u->s, NULL, u->key, to->bytes, to->nbytes, when, u->flags, u->put, u->wait, err);
}

static zinc_status
update_once(const updating *u, bool *lost, zinc_error *err)
{
	zinc_blob old = ZINC_BLOB_INIT;
	zinc_tag tag = {0, {0}};
	zinc_condition when = {ZINC_ANY, &tag};
	zinc_update to = {.size = sizeof to};
	zinc_status st = get_or_none(u, &old, &tag, err);

	if (lost) {
		*lost = st == ZINC_E_CONFLICT; /* the store gave up, because others replace the value all the time */
		when.when = old.data ? ZINC_EQUALS : ZINC_ABSENT;
	}
	if (u->seen)
		*u->seen = tag;
	if (st == ZINC_OK)
		st = u->fn(u->arg, old.data, old.nbytes, &to, err);
	if (st == ZINC_OK) {
		st = apply(u, &to, &old, &when, err);
		if (lost)
			*lost = st == ZINC_E_CONFLICT || st == ZINC_E_EXISTS;
	}
	zinc_blob_fini(&old);
	return st;
}

/* A random pause, up to 16 ms, so that the same writers do not collide again.  The clock's nanoseconds are random enough;
 * the address tells threads apart that lost in the same moment. */
void
zinc_store_back_off(int tries, const void *caller)
{
	struct timespec now, pause = {0, 0};
	uint64_t bits;

	clock_gettime(CLOCK_MONOTONIC, &now);
	bits = ((uint64_t)now.tv_nsec + (uintptr_t)caller) * 0x9e3779b97f4a7c15u;
	pause.tv_nsec = (long)(bits >> 44 & 0x3fff) << (tries < 10 ? tries : 10);
	nanosleep(&pause, NULL);
}

/* Only a get or put that lost a race is tried again.  An error of the caller's function is returned as it is, even
 * E_CONFLICT. */
static zinc_status
update_in_loop(const updating *u, zinc_error *err)
{
	zinc_error e = ZINC_ERROR_INIT;
	bool lost = false;
	zinc_status st;
	int tries;

	for (tries = 0; tries < ZINC_UPDATE_TRIES; tries++) {
		st = update_once(u, &lost, &e);
		if (!lost) {
			if (st != ZINC_OK)
				zinc_error_copy(err, &e);
			return st;
		}
		lost = false;
		ZINC_TRY(zinc_wait_check(u->wait, err));
		zinc_store_back_off(tries, &e);
	}
	return zinc_fail(err, ZINC_E_CONFLICT, "other writers changed the key %d times during the update; try again",
			 ZINC_UPDATE_TRIES);
}

zinc_status
zinc_store_update_tagged(zinc_store *s, const char *key, zinc_update_fn fn, void *arg, zinc_tag *seen, zinc_tag *tag,
			 uint64_t limit, uint32_t flags, const zinc_wait *wait, zinc_error *err)
{
	const updating u = {s, key, fn, arg, limit, flags, wait, seen, tag};

	return update_in_loop(&u, err);
}

/* Use the store's own lock, else conditional puts, else the caller's word that it is the only writer.  A wrapper has an
 * update slot even if the store below has none, so caps decide, not slots. */
zinc_status
zinc_store_update(zinc_store *s, const char *key, zinc_update_fn fn, void *arg, int single_writer, uint64_t limit,
		  uint32_t flags, const zinc_wait *wait, zinc_error *err)
{
	const uint32_t cas = ZINC_CAP_CAS | ZINC_CAP_TAGS;
	updating u = {NULL, key, fn, arg, limit, flags, wait, NULL, NULL};
	zinc_caps caps = ZINC_CAPS_INIT;
	zinc_status st;

	ZINC_TRY(ZINC_STORE_CALL(s, wait, err));
	ZINC_TRY(ZINC_NEED(fn, err));
	ZINC_TRY(zinc_store_bool_check(s, "single_writer", single_writer, err));
	s = u.s = ZINC_OWNER(s, update);
	ZINC_TRY(zinc_put_flags_check(s, flags, err));
	ZINC_TRY(zinc_store_check_key(s, key, err));
	if (!s->ops.put)
		return zinc_store_refuse(s, key, err);
	zinc_store_caps(s, &caps);
	if (s->ops.update && (caps.flags & ZINC_CAP_UPDATE))
		st = s->ops.update(s->self, key, fn, arg, limit, flags | s->put_flags, wait, err);
	else if ((caps.flags & cas) == cas)
		st = update_in_loop(&u, err);
	else if (single_writer)
		st = update_once(&u, NULL, err);
	else
		st = zinc_fail(err, ZINC_E_READONLY,
			       "this store has neither locks nor conditional puts, so a part of a value cannot be "
			       "changed safely; say that you are the only writer");
	return zinc_store_at(s, key, st, err);
}

/* ---- splice ---- */

static zinc_status
read_memory(void *arg, uint64_t offset, uint64_t nbytes, const struct iovec *iov, int niov, zinc_error *err)
{
	const zinc_bytes *old = (const zinc_bytes *)arg;

	if (offset > old->n || nbytes > old->n - offset)
		return zinc_fail(err, ZINC_E_CONFLICT, "the value is shorter");
	zinc_iov_scatter(iov, niov, old->p + offset, (size_t)nbytes);
	return ZINC_OK;
}

/* The new value has exactly the bytes of the parts. */
static zinc_status
joined_room(zinc_buf *joined, const zinc_splice *answer, zinc_error *err)
{
	size_t i;

	joined->max = 0;
	for (i = 0; i < answer->nparts; i++)
		if (zinc_size_add(joined->max, answer->parts[i].nbytes, &joined->max))
			return zinc_fail_nomem(err);
	return zinc_buf_reset(joined, joined->max, err);
}

zinc_status
zinc_splice_whole(zinc_splice_fn fn, void *arg, const zinc_bytes *old, zinc_buf *joined, zinc_update *out,
		  zinc_error *err)
{
	const zinc_old value = {sizeof value, old != NULL, old ? old->n : 0, read_memory, (void *)(uintptr_t)old};
	zinc_splice answer = {.size = sizeof answer};
	size_t i;

	ZINC_TRY(fn(arg, &value, &answer, err));
	ZINC_TRY(joined_room(joined, &answer, err));
	for (i = 0; i < answer.nparts; i++) {
		const zinc_part *part = &answer.parts[i];

		ZINC_TRY(
		    zinc_buf_add(joined, part->bytes || !old ? part->bytes : old->p + part->offset, part->nbytes, err));
	}
	out->bytes = joined->p;
	out->nbytes = joined->n;
	out->erase = answer.erase;
	out->keep = answer.keep;
	return ZINC_OK;
}

typedef struct whole_splice {
	zinc_splice_fn fn;
	void *arg;
	zinc_buf joined; /* the new value */
} whole_splice;

/* For a store without splice: old and new value are in memory. */
static zinc_status
splice_memory(void *arg, const void *old, size_t nold, zinc_update *out, zinc_error *err)
{
	whole_splice *w = (whole_splice *)arg;
	const zinc_bytes value = {(const uint8_t *)old, nold};

	return zinc_splice_whole(w->fn, w->arg, old ? &value : NULL, &w->joined, out, err);
}

/* Placed before the caller's function; checks the parts of its answer. */
typedef struct checked_splice {
	zinc_splice_fn fn;
	void *arg;
} checked_splice;

static zinc_status
splice_checked(void *arg, const zinc_old *old, zinc_splice *out, zinc_error *err)
{
	const checked_splice *c = (const checked_splice *)arg;
	size_t i;

	ZINC_TRY(c->fn(c->arg, old, out, err));
	for (i = 0; i < out->nparts; i++)
		if (out->parts[i].reserved)
			return zinc_fail(err, ZINC_E_INVALID, "reserved must be 0");
	return ZINC_OK;
}

/* As in update, caps decide, not slots. */
zinc_status
zinc_store_splice(zinc_store *s, const char *key, zinc_splice_fn fn, void *arg, int single_writer, uint64_t limit,
		  uint32_t flags, const zinc_wait *wait, zinc_error *err)
{
	checked_splice checked = {fn, arg};
	whole_splice w = {.fn = splice_checked, .arg = &checked};
	zinc_caps caps = ZINC_CAPS_INIT;
	zinc_status st;

	ZINC_TRY(ZINC_STORE_CALL(s, wait, err));
	ZINC_TRY(ZINC_NEED(fn, err));
	ZINC_TRY(zinc_store_bool_check(s, "single_writer", single_writer, err));
	s = ZINC_OWNER(s, splice);
	ZINC_TRY(zinc_put_flags_check(s, flags, err));
	zinc_store_caps(s, &caps);
	if (s->ops.splice && (caps.flags & ZINC_CAP_UPDATE)) {
		ZINC_TRY(zinc_store_check_key(s, key, err));
		st = s->ops.splice(s->self, key, splice_checked, &checked, limit, flags | s->put_flags, wait, err);
		return zinc_store_at(s, key, st, err);
	}
	zinc_buf_init(&w.joined, s->ctx, 0);
	st = zinc_store_update(s, key, splice_memory, &w, single_writer, limit, flags, wait, err);
	zinc_buf_fini(&w.joined);
	return st;
}

/* ---- put_partial ---- */

typedef struct partial_update {
	zinc_context *ctx;
	const zinc_partial *const *parts; /* of one key, in order of offset */
	size_t n;
	uint8_t *bytes;
} partial_update;

/* By key, then by offset, so that parts of one key and overlapping parts are adjacent. */
static int
compare_parts(const void *a, const void *b)
{
	const zinc_partial *x = *(const zinc_partial *const *)a, *y = *(const zinc_partial *const *)b;
	int by_key = strcmp(x->key, y->key);

	if (by_key)
		return by_key;
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* The value grows to the end of its last part; gaps are filled with zeros. */
zinc_status
zinc_parts_apply(const zinc_partial *const *parts, size_t n, const void *old, size_t nold, zinc_context *ctx,
		 uint8_t **bytes, size_t *nbytes, zinc_error *err)
{
	const zinc_partial *last = parts[n - 1];
	const uint64_t end = zinc_max_u64(nold, last->offset + last->nbytes);
	uint8_t *p = end <= SIZE_MAX ? (uint8_t *)zinc_realloc(ctx, *bytes, (size_t)end) : NULL;
	size_t i;

	if (!p)
		return zinc_fail_nomem(err);
	*bytes = p;
	if (nold)
		memcpy(p, old, nold);
	memset(p + nold, 0, (size_t)end - nold);
	for (i = 0; i < n; i++)
		memcpy(p + (size_t)parts[i]->offset, parts[i]->bytes, parts[i]->nbytes);
	*nbytes = (size_t)end;
	return ZINC_OK;
}

static zinc_status
apply_parts(void *arg, const void *old, size_t nold, zinc_update *out, zinc_error *err)
{
	partial_update *u = (partial_update *)arg;

	ZINC_TRY(zinc_parts_apply(u->parts, u->n, old, nold, u->ctx, &u->bytes, &out->nbytes, err));
	out->bytes = u->bytes;
	return ZINC_OK;
}

/* A part whose end overflows is refused. */
static zinc_status
check_part(const zinc_store *s, const zinc_partial *part, zinc_error *err)
{
	const char *why = NULL;
	uint64_t end;

	ZINC_TRY(zinc_store_check_key(s, part->key, err));
	if (zinc_u64_add(part->offset, part->nbytes, &end))
		why = "offset and length of a part overflow";
	else if (!part->bytes && part->nbytes > 0)
		why = "a part has no bytes";
	else if (part->reserved)
		why = "reserved must be 0";
	return why ? zinc_store_at(s, part->key, zinc_fail(err, ZINC_E_INVALID, "%s", why), err) : ZINC_OK;
}

/* Check the parts and sort pointers to those that are not empty. */
static zinc_status
sort_parts(const zinc_store *s, const zinc_partial *parts, size_t n, const zinc_partial **out, size_t *nout,
	   zinc_error *err)
{
	size_t i, m = 0;

	for (i = 0; i < n; i++) {
		ZINC_TRY(check_part(s, &parts[i], err));
		if (parts[i].nbytes)
			out[m++] = &parts[i];
	}
	qsort(out, m, sizeof *out, compare_parts);
	for (i = 1; i < m; i++)
		if (strcmp(out[i - 1]->key, out[i]->key) == 0 &&
		    out[i]->offset - out[i - 1]->offset < out[i - 1]->nbytes)
			return zinc_store_at(s, out[i]->key, zinc_fail(err, ZINC_E_INVALID, "two parts overlap"), err);
	*nout = m;
	return ZINC_OK;
}

size_t
zinc_parts_same_key(const zinc_partial *const *parts, size_t n)
{
	size_t m = 1;

	while (m < n && strcmp(parts[0]->key, parts[m]->key) == 0)
		m++;
	return m;
}

/* By the store's put_partial if it has one, else by one update per key. */
zinc_status
zinc_store_put_parts(zinc_store *s, const zinc_partial *const *parts, size_t n, int single_writer, uint32_t flags,
		     const zinc_wait *wait, zinc_error *err)
{
	partial_update u = {s->ctx, NULL, 0, NULL};
	zinc_status st = ZINC_OK;
	size_t at;

	if (n == 0)
		return ZINC_OK;
	s = ZINC_OWNER(s, put_partial);
	ZINC_TRY(zinc_put_flags_check(s, flags, err));
	if (s->ops.put_partial)
		return zinc_store_at(s, NULL, s->ops.put_partial(s->self, parts, n, single_writer, flags, wait, err),
				     err);
	for (at = 0; st == ZINC_OK && at < n; at += u.n) {
		u.parts = parts + at;
		u.n = zinc_parts_same_key(parts + at, n - at);
		st = zinc_store_update(s, parts[at]->key, apply_parts, &u, single_writer, zinc_max_chunk(s->ctx), flags,
				       wait, err);
	}
	zinc_free(s->ctx, u.bytes);
	return st;
}

/* Everything is checked before the first key is changed. */
zinc_status
zinc_store_put_partial(zinc_store *s, const zinc_partial *parts, size_t n, int single_writer, uint32_t flags,
		       const zinc_wait *wait, zinc_error *err)
{
	const zinc_partial **sorted;
	zinc_status st;
	size_t m = 0;

	ZINC_TRY(ZINC_STORE_CALL(s, wait, err));
	ZINC_TRY(ZINC_NEED(parts || n == 0, err));
	ZINC_TRY(zinc_store_bool_check(s, "single_writer", single_writer, err));
	sorted = (const zinc_partial **)zinc_calloc(s->ctx, n, sizeof *sorted);
	if (!sorted)
		return zinc_fail_nomem(err);
	st = sort_parts(s, parts, n, sorted, &m, err);
	if (st == ZINC_OK)
		st = zinc_store_put_parts(s, sorted, m, single_writer, flags, wait, err);
	zinc_free(s->ctx, sorted);
	return st;
}

/* ---- erasing many ---- */

/* The error of the first key that failed, or of the commit when no key failed. */
typedef struct first_failure {
	pthread_mutex_t lock;
	size_t at;
	zinc_status status;
	zinc_error *err;
} first_failure;

static void
note_failure(first_failure *f, size_t at, zinc_status st, const zinc_error *e)
{
	if (st == ZINC_OK)
		return;
	pthread_mutex_lock(&f->lock);
	if (f->status == ZINC_OK || at < f->at) {
		f->at = at;
		f->status = st;
		zinc_error_copy(f->err, e);
	}
	pthread_mutex_unlock(&f->lock);
}

static void
deleted(void *arg, size_t i, const zinc_outcome *o)
{
	note_failure((first_failure *)arg, i, o->status, o->error);
}

static zinc_status
del_singly(zinc_store *s, zinc_put_group *group, const char *keys, size_t nbytes, uint32_t flags, const zinc_wait *wait,
	   zinc_error *err)
{
	size_t at;

	for (at = 0; at < nbytes; at += strlen(keys + at) + 1)
		ZINC_TRY(zinc_store_del(s, group, keys + at, NULL, flags, wait, err));
	return ZINC_OK;
}

/* A local store deletes one after the other and stops at the first failure. */
zinc_status
zinc_store_del_list(zinc_store *s, zinc_put_group *group, const char *keys, size_t nbytes, uint32_t flags,
		    const zinc_wait *wait, zinc_error *err)
{
	first_failure first = {PTHREAD_MUTEX_INITIALIZER, 0, ZINC_OK, err};
	const zinc_done done = {.size = sizeof done, .done = deleted, .arg = &first};
	zinc_caps caps = ZINC_CAPS_INIT;
	size_t at, n = 0, i = 0;
	zinc_del *dels;
	zinc_status st;

	zinc_store_caps(s, &caps);
	if (!(caps.flags & ZINC_CAP_REMOTE))
		return del_singly(s, group, keys, nbytes, flags, wait, err);
	for (at = 0; at < nbytes; at += strlen(keys + at) + 1)
		n++;
	dels = (zinc_del *)zinc_calloc(s->ctx, n, sizeof *dels);
	if (!dels)
		return zinc_fail_nomem(err);
	for (at = 0; at < nbytes; at += strlen(keys + at) + 1)
		dels[i++].key = keys + at;
	st = zinc_store_del_many(s, group, dels, n, &done, flags, wait, err);
	zinc_free(s->ctx, dels);
	pthread_mutex_destroy(&first.lock);
	return st == ZINC_OK ? first.status : st;
}

/* In one group, so that a durable store syncs each directory once. */
static zinc_status
del_grouped(zinc_store *s, const zinc_del *dels, size_t n, uint32_t flags, const zinc_wait *wait, zinc_error *err)
{
	first_failure first = {PTHREAD_MUTEX_INITIALIZER, 0, ZINC_OK, err};
	const zinc_done done = {.size = sizeof done, .done = deleted, .arg = &first};
	zinc_error e = ZINC_ERROR_INIT;
	zinc_put_group *group = NULL;

	ZINC_TRY(zinc_store_put_begin(s, &group, flags, wait, err));
	note_failure(&first, 0, zinc_store_del_many(s, group, dels, n, &done, flags, wait, &e), &e);
	note_failure(&first, n, zinc_store_commit(s, group, NULL, NULL, wait, &e), &e);
	pthread_mutex_destroy(&first.lock);
	return first.status;
}

zinc_status
zinc_store_del_keys(zinc_store *s, const char *const *keys, size_t n, uint32_t flags, const zinc_wait *wait,
		    zinc_error *err)
{
	zinc_del *dels;
	zinc_status st;
	size_t i;

	ZINC_TRY(ZINC_STORE_CALL(s, wait, err));
	ZINC_TRY(ZINC_NEED(keys || n == 0, err));
	for (i = 0; i < n; i++)
		ZINC_TRY(zinc_store_check_key(s, keys[i], err));
	if (!ZINC_OWNER(s, del)->ops.del)
		return zinc_store_refuse(s, NULL, err);
	dels = (zinc_del *)zinc_calloc(s->ctx, n, sizeof *dels);
	if (!dels)
		return zinc_fail_nomem(err);
	for (i = 0; i < n; i++)
		dels[i].key = keys[i];
	st = del_grouped(s, dels, n, flags, wait, err);
	zinc_free(s->ctx, dels);
	return st;
}

/* Keys one after another, each with its NUL. */
typedef struct key_list {
	zinc_buf keys;
	size_t n;
	zinc_status status;
	zinc_error *err;
} key_list;

/* No limit of its own: zinc_store_list stops at zinc_limits.children. */
static int
collect_key(void *arg, const char *key, uint64_t nbytes)
{
	key_list *l = (key_list *)arg;

	(void)nbytes;
	l->status = zinc_buf_add(&l->keys, key, strlen(key) + 1, l->err);
	l->n++;
	return l->status != ZINC_OK;
}

/* The keys point into the buffer, which grows no more. */
static zinc_status
del_collected(zinc_store *s, const key_list *l, uint32_t flags, const zinc_wait *wait, zinc_error *err)
{
	const char **keys = (const char **)zinc_calloc(s->ctx, l->n, sizeof *keys);
	const char *p = (const char *)l->keys.p;
	zinc_status st;
	size_t i;

	if (!keys)
		return zinc_fail_nomem(err);
	for (i = 0; i < l->n; i++) {
		keys[i] = p;
		p += strlen(p) + 1;
	}
	st = zinc_store_del_keys(s, keys, l->n, flags, wait, err);
	zinc_free(s->ctx, keys);
	return st;
}

/* Only a file system has symbolic links. */
zinc_status
zinc_store_erase_begin(zinc_store *s, const char *prefix, zinc_put_group **group, uint32_t flags, const zinc_wait *wait,
		       zinc_error *err)
{
	zinc_status st = zinc_prefix_check(prefix, err);

	if (st != ZINC_OK)
		return zinc_store_at(s, NULL, st, err);
	s = ZINC_OWNER(s, put_begin);
	if (s->ops.del_prefix == zinc_fs_del_prefix)
		st = zinc_fs_erase_begin(s->self, prefix, group, flags | s->put_flags, wait, err);
	else if (s->ops.del_prefix == zinc_prefix_del_prefix)
		st = zinc_prefix_erase_begin(s->self, prefix, group, flags | s->put_flags, wait, err);
	else
		return zinc_store_put_begin(s, group, flags, wait, err);
	return zinc_store_at(s, prefix, st, err);
}

/* The archive that a store writes to; NULL: it is none. */
static zinc_store *
find_archive(zinc_store *s)
{
	s = ZINC_OWNER(s, put_begin);
	while (s->ops.del_prefix == zinc_prefix_del_prefix)
		s = ZINC_OWNER(zinc_prefix_next(s->self), put_begin);
	return s->ops.name == zinc_store_ops_zip.name && s->ops.put ? s : NULL;
}

zinc_status
zinc_store_hold(zinc_store *s, const zinc_wait *wait, zinc_error *err)
{
	zinc_store *archive = find_archive(s);

	return archive ? zinc_store_at(s, NULL, zinc_zip_hold(archive->self, wait, err), err) : ZINC_OK;
}

zinc_status
zinc_store_release(zinc_store *s, bool keep, uint32_t flags, const zinc_wait *wait, zinc_error *err)
{
	zinc_store *archive = find_archive(s);
	zinc_status st;

	if (!archive)
		return ZINC_OK;
	st = zinc_zip_release(archive->self, keep, flags, wait, err);
	zinc_cached_released(s);
	return zinc_store_at(s, NULL, st, err);
}

/* All keys are listed before the first is erased: a store may still list keys that were just erased. */
zinc_status
zinc_store_del_prefix(zinc_store *s, const char *prefix, uint32_t flags, const zinc_wait *wait, zinc_error *err)
{
	key_list l;
	zinc_status st;

	ZINC_TRY(ZINC_STORE_CALL(s, wait, err));
	st = zinc_prefix_check(prefix, err);
	if (st != ZINC_OK)
		return zinc_store_at(s, NULL, st, err);
	s = ZINC_OWNER(s, del_prefix);
	ZINC_TRY(zinc_put_flags_check(s, flags, err));
	if (!s->ops.del)
		return zinc_store_refuse(s, prefix, err);
	if (s->ops.del_prefix)
		return zinc_store_at(s, prefix, s->ops.del_prefix(s->self, prefix, flags | s->put_flags, wait, err),
				     err);
	memset(&l, 0, sizeof l);
	l.err = err;
	zinc_buf_init(&l.keys, s->ctx, zinc_max_list(s->ctx));
	st = zinc_store_list(s, prefix, collect_key, &l, wait, err);
	if (st == ZINC_OK)
		st = l.status;
	if (st == ZINC_OK)
		st = del_collected(s, &l, flags, wait, err);
	zinc_buf_fini(&l.keys);
	return zinc_store_at(s, prefix, st, err);
}
