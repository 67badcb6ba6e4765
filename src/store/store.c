/*
 * store.c - an open store: every operation checks its keys and adds URL and key to its errors
 *
 * Promises (tests/unit/test_store.c names each by its number):
 *
 * (1) A store's own code never sees a key that fails zinc_key_check or is longer than its caps allow, and no listing
 *     returns such a key to a caller.
 * (2) Every error names the store's URL and, where there is one, the key.
 * (3) A slot that a store lacks, or that its structure is too short to have, is replaced by a fallback where the
 *     specification has one (store_fallback.c), else the call fails with one clear error.
 * (4) No listing returns more keys than zinc_limits.children.
 * (5) Each put and delete of a call that did not fail is reported to the caller exactly once, however often the store
 *     reports it (store_change.c).
 * (6) A request with a limit delivers no more bytes than that, whatever the store does.
 * (7) Each get of a call that did not fail is answered exactly once, too; with "changed" only if the request named a
 *     tag.
 */
#include <stddef.h>

#include "store/store_inside.h"

/* ---- the object ---- */

/* Slots past the end of an older, shorter structure stay NULL. */
static zinc_status
take_ops(zinc_store_ops *to, const zinc_store_ops *from, zinc_error *err)
{
	memset(to, 0, sizeof *to);
	if (from->size < offsetof(zinc_store_ops, put))
		return zinc_fail(err, ZINC_E_INVALID, "set zinc_store_ops.size");
	memcpy(to, from, from->size < sizeof *to ? from->size : sizeof *to);
	if (!to->get || !to->caps || !to->close)
		return zinc_fail(err, ZINC_E_INVALID, "store \"%s\" must have get, caps and close",
				 to->name ? to->name : "");
	return ZINC_OK;
}

/* Identifies a store in caches that outlive it, even when a later store has the same address. */
static uint64_t
next_serial(void)
{
	static atomic_uint_fast64_t last;

	return atomic_fetch_add_explicit(&last, 1, memory_order_relaxed) + 1;
}

/* The limits of keys are copied once: they never change. */
zinc_status
zinc_store_wrap(zinc_store **out, zinc_context *ctx, const zinc_store_ops *ops, void *self, const char *url,
		zinc_error *err)
{
	zinc_store_ops slots;
	zinc_caps caps = ZINC_CAPS_INIT;
	zinc_store *s;

	ZINC_TRY(ZINC_NEED(out && ops, err));
	ctx = zinc_context_get(ctx);
	if (!ctx)
		return zinc_fail_nomem(err);
	ZINC_TRY(take_ops(&slots, ops, err));
	s = (zinc_store *)zinc_calloc(ctx, 1, sizeof *s);
	if (!s)
		return zinc_fail_nomem(err);
	s->url = zinc_strdup(ctx, url ? url : "");
	if (!s->url) {
		zinc_free(ctx, s);
		return zinc_fail_nomem(err);
	}
	s->ops = slots;
	s->self = self;
	s->ctx = ctx;
	atomic_init(&s->refs, 1);
	s->serial = next_serial();
	zinc_store_caps(s, &caps);
	s->key_max = caps.key_max;
	s->component_max = caps.component_max;
	s->refused = caps.refused;
	s->reserved = caps.reserved;
	*out = s;
	return ZINC_OK;
}

zinc_store *
zinc_store_ref(zinc_store *store)
{
	atomic_fetch_add_explicit(&store->refs, 1, memory_order_relaxed);
	return store;
}

/* The last close must see the effects of all others, hence acquire and release. */
void
zinc_store_close(zinc_store *store)
{
	if (!store || atomic_fetch_sub_explicit(&store->refs, 1, memory_order_acq_rel) != 1)
		return;
	store->ops.close(store->self);
	zinc_free(store->ctx, store->url);
	zinc_free(store->ctx, store);
}

/* A store opened as relaxed is not durable, whatever its own caps say. */
void
zinc_store_caps(zinc_store *s, zinc_caps *out)
{
	zinc_caps caps = ZINC_CAPS_INIT;

	s->ops.caps(s->self, &caps);
	if (s->put_flags & ZINC_PUT_RELAXED)
		caps.flags &= ~ZINC_CAP_DURABLE;
	zinc_result_fill(out, &caps, sizeof caps);
}

const char *
zinc_store_url(const zinc_store *s)
{
	return s->url;
}

zinc_context *
zinc_store_context(const zinc_store *s)
{
	return s->ctx;
}

bool
zinc_store_same(const zinc_store *a, const zinc_store *b)
{
	return a == b || (strcmp(a->url, b->url) == 0 && memcmp(a->place, b->place, sizeof a->place) == 0);
}

void
zinc_store_identify_as(zinc_store *s, const zinc_store *below, const char *prefix)
{
	s->identified = below->identified;
	memcpy(s->identity, below->identity, sizeof s->identity);
	memcpy(s->place, below->place, sizeof s->place);
	if (prefix[0])
		zinc_hash128(s->identity, s->identity, prefix, strlen(prefix));
}

/* ---- slots ---- */

/* The one place that resolves a NULL slot: follow the stores below as long as they forward. */
zinc_store *
zinc_store_owner(zinc_store *s, size_t slot)
{
	void (*fn)(void);

	for (;; s = s->ops.forwards(s->self)) {
		memcpy(&fn, (const char *)&s->ops + slot, sizeof fn);
		if (fn || !s->ops.forwards)
			return s;
	}
}

/* ---- checks and errors ---- */

zinc_status
zinc_store_call_check(const char *function, const zinc_store *s, const zinc_wait *wait, zinc_error *err)
{
	if (!s)
		return zinc_fail(err, ZINC_E_INVALID, "%s needs a store", function);
	if (wait && (wait->size < sizeof *wait || !(wait->until >= 0))) { /* also NaN */
		zinc_fail(err, ZINC_E_INVALID, "%s: set zinc_wait.size, and until to 0 or more", function);
		return zinc_store_at(s, NULL, ZINC_E_INVALID, err);
	}
	return ZINC_OK;
}

zinc_status
zinc_store_bool_check(const zinc_store *s, const char *name, int value, zinc_error *err)
{
	if (value == 0 || value == 1)
		return ZINC_OK;
	return zinc_store_at(s, NULL, zinc_fail(err, ZINC_E_INVALID, "%s cannot be %d", name, value), err);
}

/* URL and key that the store has already set stay.  A program's store may fail without filling the error. */
zinc_status
zinc_store_at(const zinc_store *s, const char *key, zinc_status st, zinc_error *err)
{
	if (st != ZINC_OK && err && err->code != st)
		zinc_fail(err, st, "%s", zinc_status_text(st));
	zinc_error_at_key(err, st, key);
	return zinc_error_at_url(err, st, s->url);
}

/* The same message for every change of a read-only store, and for every erasing by one that only adds keys. */
zinc_status
zinc_store_refuse(const zinc_store *s, const char *key, zinc_error *err)
{
	zinc_fail(err, ZINC_E_READONLY, "%s",
		  s->ops.put ? "keys of this store cannot be erased" : "this store cannot be written");
	return zinc_store_at(s, key, ZINC_E_READONLY, err);
}

static zinc_status
check_component(const zinc_store *s, const char *name, size_t n, zinc_error *err)
{
	const size_t ending = s->reserved ? strlen(s->reserved) : 0;

	if (s->component_max && n > s->component_max)
		return zinc_fail(err, ZINC_E_INVALID,
				 "a component of %zu bytes is too long: this store allows at most %u between slashes",
				 n, (unsigned)s->component_max);
	if (ending && n >= ending && memcmp(name + n - ending, s->reserved, ending) == 0)
		return zinc_fail(err, ZINC_E_INVALID,
				 "a component must not end in \"%s\": this store reserves such names", s->reserved);
	return ZINC_OK;
}

/* Limits are the store's, not the key checker's: s3 has others than a file system. */
static zinc_status
check_limits(const zinc_store *s, const char *key, zinc_error *err)
{
	size_t n = strlen(key), at, len;

	if (s->key_max && n > s->key_max)
		return zinc_fail(err, ZINC_E_INVALID, "a key of %zu bytes is too long: this store allows at most %u", n,
				 (unsigned)s->key_max);
	at = s->refused ? strcspn(key, s->refused) : n;
	if (at < n)
		return zinc_fail(err, ZINC_E_INVALID, "a key of this store must not contain '%c'", key[at]);
	for (at = 0; at < n; at += len + 1) {
		len = strcspn(key + at, "/");
		ZINC_TRY(check_component(s, key + at, len, err));
	}
	return ZINC_OK;
}

zinc_status
zinc_store_check_key(const zinc_store *s, const char *key, zinc_error *err)
{
	zinc_status st = zinc_key_check(key, err);

	if (st == ZINC_OK)
		st = check_limits(s, key, err);
	return zinc_store_at(s, key, st, err);
}

static zinc_status
check_prefix(const zinc_store *s, const char *prefix, zinc_error *err)
{
	zinc_status st = zinc_prefix_check(prefix, err);

	return zinc_store_at(s, prefix, st, err);
}

/* ---- get ---- */

/* A destination must be exactly as long as its request: a longer one would hide mistakes, a shorter one would
 * overflow. */
static zinc_status
check_request(const zinc_store *s, const zinc_get *requests, size_t i, const zinc_sink *sink, zinc_error *err)
{
	const zinc_get *r = &requests[i];
	size_t total;

	if ((unsigned)r->suffix > 1 || (unsigned)r->stat > 1 || r->untagged > 1 || (r->reserved[0] | r->reserved[1]))
		return zinc_store_at(s, r->key,
				     zinc_fail(err, ZINC_E_INVALID,
					       "suffix, stat and untagged of a request must be 0 or 1, and reserved 0"),
				     err);
	if (!zinc_get_same_key(requests, i))
		ZINC_TRY(zinc_store_check_key(s, r->key, err));
	if (r->stat)
		return ZINC_OK;
	if (!r->iov && !sink->room)
		return zinc_store_at(s, r->key,
				     zinc_fail(err, ZINC_E_INVALID, "a request needs iov, or a sink with room"), err);
	if (r->iov && (r->niov < 0 || zinc_iov_bytes(r->iov, r->niov, &total) || total != r->length))
		return zinc_store_at(
		    s, r->key, zinc_fail(err, ZINC_E_INVALID, "iov must have exactly the length of its request"), err);
	return ZINC_OK;
}

/* Placed before the caller's sink; adds URL and key to errors. */
typedef struct named_sink {
	const zinc_store *store;
	const zinc_get *requests;
	const zinc_sink *sink;
	uint8_t *marks; /* one byte for each request */
} named_sink;

#define OVER_LIMIT 1 /* it needed more bytes than its limit */
#define ANSWERED   2 /* done() was called */

static zinc_room
named_room(void *arg, size_t i, uint64_t nbytes, void **buf)
{
	const named_sink *n = (const named_sink *)arg;

	if (n->requests[i].limit && nbytes > n->requests[i].limit) {
		n->marks[i] |= OVER_LIMIT;
		return ZINC_ROOM_FAIL;
	}
	return n->sink->room(n->sink->arg, i, nbytes, buf);
}

/* The store's error may be shared between requests, so it is copied before it is changed.  If a program's store gives
 * no reason, the status is still an error: ZINC_OK would mean success. */
static void
named_failure(const named_sink *n, size_t i, const zinc_got *got)
{
	zinc_error e = ZINC_ERROR_INIT;
	const bool over = n->marks[i] & OVER_LIMIT;
	zinc_status st = got->status;

	if (over)
		st = zinc_fail(&e, ZINC_E_LIMIT, "the value is longer than the limit of %llu bytes",
			       (unsigned long long)n->requests[i].limit);
	else if (st == ZINC_OK && got->error)
		st = got->error->code;
	if (st == ZINC_OK)
		st = zinc_fail(&e, ZINC_E_IO, "the store failed without giving a reason");
	else if (!over && zinc_error_copy(&e, got->error) == ZINC_OK)
		zinc_fail(&e, st, "%s", zinc_status_text(st));
	zinc_store_at(n->store, n->requests[i].key, st, &e);
	zinc_sink_failed(n->sink, i, st, &e);
}

/* Does the answer hold what was requested?  Callers rely on it, and the store may be a program's. */
static bool
is_complete(const zinc_get *r, const zinc_got *got)
{
	uint64_t offset, nbytes;

	if (!got->tag)
		return false;
	zinc_get_select(r, got->object_size, &offset, &nbytes);
	return r->stat || got->nbytes == nbytes;
}

static void
named_fault(const named_sink *n, size_t i, const char *why)
{
	zinc_error e = ZINC_ERROR_INIT;
	const zinc_got got = {.found = ZINC_FAILED, .status = ZINC_E_IO, .error = &e};

	zinc_fail(&e, ZINC_E_IO, "%s", why);
	named_failure(n, i, &got);
}

/* What is wrong with an answer; NULL: nothing. */
static const char *
answer_error(const zinc_get *r, const zinc_got *got)
{
	if (got->found == ZINC_FOUND && !is_complete(r, got))
		return "the store's answer does not match the request: wrong number of bytes, or no tag";
	if (got->found == ZINC_CHANGED && !r->if_tag)
		return "the store answers \"changed\" to a request without a tag";
	return NULL;
}

/* An older store fills only part of the answer, but never less than the fields up to the tag. */
static void
named_done(void *arg, size_t i, const zinc_got *answer)
{
	const named_sink *n = (const named_sink *)arg;
	const zinc_get *r = &n->requests[i];
	zinc_got got = {.size = sizeof got};
	const char *why;

	if (__atomic_fetch_or(&n->marks[i], ANSWERED, __ATOMIC_RELAXED) & ANSWERED)
		return; /* only the first answer counts */
	if (answer->size < offsetof(zinc_got, status)) {
		named_fault(n, i, "the store's answer has no size");
		return;
	}
	memcpy(&got, answer, answer->size < sizeof got ? answer->size : sizeof got);
	got.size = sizeof got;
	if (got.found == ZINC_FOUND && r->limit && !r->stat && got.nbytes > r->limit)
		n->marks[i] |= OVER_LIMIT;
	why = answer_error(r, &got);
	if (n->marks[i] & OVER_LIMIT)
		named_failure(n, i, &got);
	else if (why)
		named_fault(n, i, why);
	else if ((unsigned)got.found >= ZINC_FAILED) /* also values outside the enumeration */
		named_failure(n, i, &got);
	else
		n->sink->done(n->sink->arg, i, &got);
}

static zinc_status
check_sink(const zinc_store *s, const zinc_sink *sink, zinc_error *err)
{
	if (sink->size >= offsetof(zinc_sink, arg) + sizeof sink->arg && sink->done)
		return ZINC_OK;
	zinc_fail(err, ZINC_E_INVALID, "set size and done of the zinc_sink");
	return zinc_store_at(s, NULL, ZINC_E_INVALID, err);
}

uint8_t *
zinc_marks_new(const zinc_store *s, uint8_t few[ZINC_FEW_MARKS], size_t n)
{
	if (n > ZINC_FEW_MARKS)
		return (uint8_t *)zinc_calloc(s->ctx, n, 1);
	memset(few, 0, ZINC_FEW_MARKS);
	return few;
}

void
zinc_marks_free(const zinc_store *s, const uint8_t *few, uint8_t *marks)
{
	if (marks != few)
		zinc_free(s->ctx, marks);
}

/* A store whose get fails should have answered no request.  If it answered some, the others get its error here. */
static zinc_status
answer_rest(const named_sink *named, size_t n, zinc_status st, const zinc_error *e, zinc_error *err)
{
	const zinc_got failed = {.found = ZINC_FAILED, .status = st, .error = e};
	bool any = st == ZINC_OK;
	size_t i;

	for (i = 0; i < n && !any; i++)
		any = named->marks[i] & ANSWERED;
	for (i = 0; i < n && any; i++) {
		if (named->marks[i] & ANSWERED)
			continue;
		if (st == ZINC_OK)
			named_fault(named, i, "the store did not answer the request");
		else
			named_failure(named, i, &failed);
	}
	if (!any && e->code == st)
		zinc_error_copy(err, e);
	return any ? ZINC_OK : st;
}

/* All requests are checked before the first is served: get fails as a whole, or answers every request. */
zinc_status
zinc_store_get(zinc_store *s, const zinc_get *requests, size_t n, const zinc_sink *sink, const zinc_wait *wait,
	       zinc_error *err)
{
	uint8_t few[ZINC_FEW_MARKS];
	named_sink named = {s, requests, sink, NULL};
	zinc_sink k = {sizeof k, NULL, named_done, &named};
	zinc_error e;
	zinc_status st;
	size_t i;

	ZINC_TRY(ZINC_STORE_CALL(s, wait, err));
	ZINC_TRY(ZINC_NEED(sink && (requests || n == 0), err));
	ZINC_TRY(check_sink(s, sink, err));
	k.room = sink->room ? named_room : NULL;
	for (i = 0; i < n; i++)
		ZINC_TRY(check_request(s, requests, i, sink, err));
	if (n == 0)
		return ZINC_OK;
	named.marks = zinc_marks_new(s, few, n);
	if (!named.marks)
		return zinc_store_at(s, NULL, zinc_fail_nomem(err), err);
	zinc_error_clear(&e);
	st = s->ops.get(s->self, requests, n, &k, wait, &e);
	st = answer_rest(&named, n, st, &e, err);
	zinc_marks_free(s, few, named.marks);
	return zinc_store_at(s, NULL, st, err);
}

/* ---- lend ---- */

zinc_status
zinc_store_lend(zinc_store *s, const char *key, zinc_lent *out, const zinc_wait *wait, zinc_error *err)
{
	zinc_lent lent = ZINC_LENT_INIT;

	ZINC_TRY(ZINC_STORE_CALL(s, wait, err));
	ZINC_TRY(ZINC_NEED(out && out->size == sizeof *out, err));
	ZINC_TRY(zinc_store_check_key(s, key, err));
	s = ZINC_OWNER(s, lend);
	if (!s->ops.lend)
		return zinc_store_at(
		    s, key, zinc_fail(err, ZINC_E_UNSUPPORTED, "this store does not have its values in files"), err);
	ZINC_TRY(zinc_store_at(s, key, s->ops.lend(s->self, key, &lent, wait, err), err));
	*out = lent;
	return ZINC_OK;
}

/* ---- groups ---- */

zinc_status
zinc_put_flags_check(const zinc_store *s, uint32_t flags, zinc_error *err)
{
	if (!(flags & ~(ZINC_PUT_RELAXED | ZINC_PUT_TAGS)))
		return ZINC_OK;
	return zinc_store_at(s, NULL, zinc_fail(err, ZINC_E_INVALID, "unknown flags of a put: %#x", flags), err);
}

/* The token is one byte: an address to tell groups apart, and to free. */
zinc_status
zinc_store_put_begin(zinc_store *s, zinc_put_group **group, uint32_t flags, const zinc_wait *wait, zinc_error *err)
{
	zinc_status st = ZINC_OK;

	ZINC_TRY(ZINC_STORE_CALL(s, wait, err));
	ZINC_TRY(ZINC_NEED(group, err));
	ZINC_TRY(zinc_put_flags_check(s, flags, err));
	s = ZINC_OWNER(s, put_begin);
	if (!s->ops.put && !s->ops.del)
		return zinc_store_refuse(s, NULL, err);
	if (s->ops.put_begin) {
		st = s->ops.put_begin(s->self, group, flags | s->put_flags, wait, err);
	} else {
		*group = (zinc_put_group *)zinc_alloc(s->ctx, 1);
		if (!*group)
			st = zinc_fail_nomem(err);
	}
	return zinc_store_at(s, NULL, st, err);
}

/* Without groups every change has already been made and reported. */
zinc_status
zinc_store_commit(zinc_store *s, zinc_put_group *group, zinc_committed_fn fn, void *arg, const zinc_wait *wait,
		  zinc_error *err)
{
	zinc_status st = ZINC_STORE_CALL(s, wait, err);

	if (s && st != ZINC_OK)
		zinc_store_abort(s, group); /* the caller must not use it again */
	if (st == ZINC_OK)
		st = ZINC_NEED(group, err);
	ZINC_TRY(st);
	s = ZINC_OWNER(s, commit);
	if (s->ops.put_begin || s->ops.forwards)
		return zinc_store_at(s, NULL, s->ops.commit(s->self, group, fn, arg, wait, err), err);
	zinc_free(s->ctx, group);
	return ZINC_OK;
}

void
zinc_store_abort(zinc_store *s, zinc_put_group *group)
{
	if (!group)
		return;
	s = ZINC_OWNER(s, abort);
	if (s->ops.put_begin || s->ops.forwards)
		s->ops.abort(s->self, group);
	else
		zinc_free(s->ctx, group);
}

/* A store without `sync` has nothing to flush. */
zinc_status
zinc_store_sync(zinc_store *s, const zinc_wait *wait, zinc_error *err)
{
	ZINC_TRY(ZINC_STORE_CALL(s, wait, err));
	s = ZINC_OWNER(s, sync);
	return s->ops.sync ? zinc_store_at(s, NULL, s->ops.sync(s->self, wait, err), err) : ZINC_OK;
}

/* Most stores leave nothing to clean up. */
zinc_status
zinc_store_scrub(zinc_store *s, const char *prefix, int remove, zinc_scrub_fn fn, void *arg, const zinc_wait *wait,
		 zinc_error *err)
{
	ZINC_TRY(ZINC_STORE_CALL(s, wait, err));
	ZINC_TRY(zinc_store_bool_check(s, "remove", remove, err));
	ZINC_TRY(check_prefix(s, prefix, err));
	s = ZINC_OWNER(s, scrub);
	if (!s->ops.scrub)
		return ZINC_OK;
	return zinc_store_at(s, NULL, s->ops.scrub(s->self, prefix, remove, fn, arg, wait, err), err);
}

/* ---- listing ---- */

/* Placed before the caller's functions; checks the names that a listing returns. */
typedef struct checked_list {
	const zinc_store *store;
	const char *prefix;
	size_t nprefix;
	zinc_lister to;
	const zinc_wait *wait;
	uint64_t count;
	zinc_status status;
	zinc_error *err;
} checked_list;

static zinc_status
count_listed(checked_list *c)
{
	ZINC_TRY(zinc_wait_check(c->wait, c->err));
	if (c->count++ >= c->store->ctx->limits.children)
		return zinc_fail(c->err, ZINC_E_LIMIT, "more than %llu keys below \"%s\"",
				 (unsigned long long)c->store->ctx->limits.children, c->prefix);
	return ZINC_OK;
}

/* Listed names are foreign data (names in an archive, in XML), so the error is E_CORRUPT, never E_INVALID. */
static zinc_status
check_listed(checked_list *c, const char *name, int is_prefix)
{
	zinc_error e = ZINC_ERROR_INIT;
	zinc_status st = is_prefix ? zinc_prefix_check(name, &e) : zinc_key_check(name, &e);

	if (st == ZINC_OK && (strncmp(name, c->prefix, c->nprefix) != 0 || name[c->nprefix] == '\0'))
		st = zinc_fail(&e, ZINC_E_CORRUPT, "it is not below \"%s\"", c->prefix);
	if (st != ZINC_OK) {
		zinc_fail(c->err, ZINC_E_CORRUPT, "the store lists a name that cannot be a key: %s", e.text);
		return zinc_error_at_key(c->err, ZINC_E_CORRUPT, name);
	}
	return count_listed(c);
}

static int
checked_key(void *arg, const char *key, uint64_t nbytes)
{
	checked_list *c = (checked_list *)arg;

	c->status = check_listed(c, key, 0);
	return c->status != ZINC_OK || c->to.key(c->to.arg, key, nbytes) != 0;
}

static int
checked_entry(void *arg, const char *name, int is_prefix)
{
	checked_list *c = (checked_list *)arg;

	c->status = check_listed(c, name, is_prefix);
	return c->status != ZINC_OK || c->to.entry(c->to.arg, name, is_prefix) != 0;
}

static int
checked_non_key(void *arg, const zinc_non_key *non_key)
{
	checked_list *c = (checked_list *)arg;

	c->status = count_listed(c);
	return c->status != ZINC_OK || c->to.non_key(c->to.arg, non_key) != 0;
}

static zinc_status
cannot_list(const zinc_store *s, zinc_error *err)
{
	const zinc_status cannot =
	    zinc_fail(err, ZINC_E_UNSUPPORTED,
		      "this store cannot list its keys; nodes can be opened by their paths, and are "
		      "listed where the metadata are consolidated");

	return zinc_store_at(s, NULL, cannot, err);
}

/* One level, made from a listing of all keys.  Keys come in order, so those of one prefix are adjacent. */
typedef struct grouped_list {
	checked_list *out;
	zinc_buf last; /* the last prefix passed on */
	zinc_status status;
	zinc_error *err;
} grouped_list;

/* The first key of a prefix passes the prefix on; the others are skipped. */
static int
group_key(void *arg, const char *key, uint64_t nbytes)
{
	grouped_list *g = (grouped_list *)arg;
	checked_list *c = g->out;
	const char *slash;
	size_t n;

	(void)nbytes;
	c->status = check_listed(c, key, 0);
	if (c->status != ZINC_OK)
		return 1;
	slash = strchr(key + c->nprefix, '/');
	if (!slash)
		return c->to.entry(c->to.arg, key, 0);
	n = (size_t)(slash - key) + 1;
	if (g->last.n == n && memcmp(g->last.p, key, n) == 0)
		return 0;
	g->status = zinc_buf_reset(&g->last, n, g->err);
	if (g->status == ZINC_OK)
		g->status = zinc_buf_add(&g->last, key, n, g->err);
	return g->status != ZINC_OK || c->to.entry(c->to.arg, zinc_buf_text(&g->last), 1) != 0;
}

static zinc_status
list_dir_of_list(const zinc_store *s, checked_list *c, zinc_error *err)
{
	grouped_list g;
	zinc_status st;

	memset(&g, 0, sizeof g);
	g.out = c;
	g.err = err;
	zinc_buf_init(&g.last, s->ctx, ZINC_MAX_KEY);
	st = s->ops.list(s->self, c->prefix, group_key, &g, c->wait, err);
	zinc_buf_fini(&g.last);
	return g.status != ZINC_OK ? g.status : st;
}

/* Use the best slot that the store has. */
static zinc_status
list_checked(const zinc_store *s, checked_list *c, zinc_error *err)
{
	zinc_lister checked = {
	    .size = sizeof checked, .arg = c, .own = c->to.own, .locks = c->to.locks, .likely = c->to.likely};

	checked.key = c->to.key ? checked_key : NULL;
	checked.entry = c->to.key ? NULL : checked_entry;
	checked.non_key = c->to.non_key ? checked_non_key : NULL;
	if (s->ops.walk)
		return s->ops.walk(s->self, c->prefix, &checked, c->wait, err);
	if (c->to.key)
		return s->ops.list(s->self, c->prefix, checked_key, c, c->wait, err);
	return s->ops.list_dir ? s->ops.list_dir(s->self, c->prefix, checked_entry, c, c->wait, err)
			       : list_dir_of_list(s, c, err);
}

/* Any listing slot will do; a wrapper that has none of them forwards. */
static zinc_store *
lister_owner(zinc_store *s)
{
	while (!s->ops.walk && !s->ops.list && !s->ops.list_dir && s->ops.forwards)
		s = s->ops.forwards(s->self);
	return s;
}

/* A callback that stops the listing is no failure; an invalid key stops it and is one. */
zinc_status
zinc_store_walk(zinc_store *s, const char *prefix, const zinc_lister *to, const zinc_wait *wait, zinc_error *err)
{
	checked_list c = {s, prefix, 0, {.size = sizeof c.to}, wait, 0, ZINC_OK, err};
	zinc_status st;

	ZINC_TRY(ZINC_STORE_CALL(s, wait, err));
	ZINC_TRY(ZINC_NEED(to, err));
	ZINC_TRY(check_prefix(s, prefix, err));
	ZINC_TRY(zinc_store_at(s, NULL, zinc_options_take(&c.to, sizeof c.to, to, err), err));
	ZINC_TRY(ZINC_NEED(c.to.key || c.to.entry, err));
	ZINC_TRY(zinc_store_bool_check(s, "own", c.to.own, err));
	ZINC_TRY(zinc_store_bool_check(s, "locks", c.to.locks, err));
	s = lister_owner(s);
	if (!s->ops.walk && !s->ops.list && (c.to.key || !s->ops.list_dir))
		return cannot_list(s, err);
	c.nprefix = strlen(prefix);
	st = list_checked(s, &c, err);
	return zinc_store_at(s, NULL, c.status != ZINC_OK ? c.status : st, err);
}

zinc_status
zinc_store_list(zinc_store *s, const char *prefix, zinc_key_fn fn, void *arg, const zinc_wait *wait, zinc_error *err)
{
	const zinc_lister to = {.size = sizeof to, .key = fn, .arg = arg};

	ZINC_TRY(ZINC_STORE_CALL(s, wait, err));
	ZINC_TRY(ZINC_NEED(fn, err));
	return zinc_store_walk(s, prefix, &to, wait, err);
}

zinc_status
zinc_store_list_dir(zinc_store *s, const char *prefix, zinc_entry_fn fn, void *arg, const zinc_wait *wait,
		    zinc_error *err)
{
	const zinc_lister to = {.size = sizeof to, .entry = fn, .arg = arg};

	ZINC_TRY(ZINC_STORE_CALL(s, wait, err));
	ZINC_TRY(ZINC_NEED(fn, err));
	return zinc_store_walk(s, prefix, &to, wait, err);
}
