/*
 * store_cache_get.c - answers requests from the cache, or passes them on and keeps the answers
 *
 *     plan      each request: serve (the answer is fresh), check (ask the store for the tag) or fetch
 *     serve     the fresh ones
 *     ask       one call of the store below, with a stat for each check and a get for each fetch
 *     serve     the confirmed ones
 *     ask       one more call, if values were replaced, files have gone meanwhile, or a stat failed
 *
 * An answer is found by key and range as the request writes them, or if the whole value is kept.  Bytes that the store
 * delivers go straight into the caller's memory, with the caller's room(); they are copied into the cache before the
 * caller's done().
 *
 * Promises (tests/unit/test_store_cache*.c names each by its number):
 *
 * (1) Without `age`, what is read is what the store below has: each answer is confirmed by its tag in the same call.
 * (2) The bytes of an answer are all of one generation, that of its tag.
 * (3) Within `age` after the store was asked, it is not asked again, also not for keys that are missing.
 * (4) A change through the cache, by any process with the same directory, ends `age` for all earlier answers.
 * (5) Without tags, answers are kept for `age` only, and not at all without it.
 * (6) The requests of a call that the cache cannot answer go to the store below in one call; requests for one generation
 *     of one key that follow each other are confirmed by one stat.
 * (7) Each request is answered exactly once, and a failure of the store below is the caller's.
 * (8) Ranges of one value that follow each other read its file once; a stat reads only its head.
 */
#include "store/store_cache.h"

typedef enum step { ANSWERED = 0, SERVE, CHECK, FETCH, CONFIRMED, REPLACED, GONE } step;

/* The state of one request. */
typedef struct plan {
	step step;
	size_t leader; /* of a check: the request whose stat decides */
	cached_range range;
	zinc_tag tag; /* of a check: the generation that is kept */
	void *buf;    /* of a fetch without iov: what room() gave */
} plan;

/* The file that was last read: several ranges of one value read it once. */
typedef struct loaded {
	const char *key;
	cached_range range;
	cached_about about;
	uint8_t *bytes; /* NULL: none */
} loaded;

/* One call of get. */
typedef struct calling {
	cached *c;
	const zinc_get *requests;
	size_t n;
	const zinc_sink *sink;
	const zinc_wait *wait;
	plan *plans;
	loaded last;
	int64_t began;
	int64_t fresh_after; /* answers that were confirmed later are fresh */
} calling;

/* ---- ranges ---- */

static const cached_range whole = {CACHED_WHOLE, 0, 0};

/* The range of a request, as it is written. */
static cached_range
range_of(const zinc_get *r)
{
	if (r->suffix)
		return (cached_range){CACHED_SUFFIX, 0, r->length};
	if (r->length != ZINC_TO_END)
		return (cached_range){CACHED_PART, r->offset, r->length};
	return r->offset ? (cached_range){CACHED_FROM, r->offset, 0} : whole;
}

/* Does the kept answer have all bytes of the request? */
static bool
covers(const cached_about *a, const zinc_get *r)
{
	uint64_t offset, nbytes;

	if (a->missing || r->stat)
		return true;
	zinc_get_select(r, a->object_size, &offset, &nbytes);
	return offset >= a->offset && nbytes <= a->nbytes && offset - a->offset <= a->nbytes - nbytes;
}

/* ---- planning ---- */

static bool
is_fresh(const calling *k, const cached_about *a)
{
	return a->checked > k->fresh_after && a->checked <= k->began;
}

/* An answer without a tag is of no use when it is not fresh. */
static bool
is_useful(const calling *k, const zinc_get *r, const cached_about *a)
{
	return covers(a, r) && (a->tag.n || is_fresh(k, a));
}

/* Another process may have confirmed the file later than this one the memory. */
static bool
find_in(const calling *k, const zinc_get *r, const cached_range *range, cached_about *about)
{
	cached *c = k->c;
	cached_about file;

	if (!zinc_cached_memory_find(&c->memory, r->key, range, about, NULL))
		return zinc_cached_disk_find(&c->disk, r->key, range, about) && is_useful(k, r, about);
	if (c->age && !is_fresh(k, about) && zinc_cached_disk_find(&c->disk, r->key, range, &file) &&
	    is_fresh(k, &file))
		*about = file;
	return is_useful(k, r, about);
}

/* What to do with the kept answer, if there is one. */
static step
step_for(const calling *k, const zinc_get *r, const cached_about *a)
{
	if (r->if_tag && (a->missing || !zinc_tag_equal(r->if_tag, &a->tag)))
		return FETCH; /* the cache may be behind the caller */
	if (is_fresh(k, a))
		return SERVE;
	return r->stat ? FETCH : CHECK;
}

/* Requests for the same generation that follow each other are decided by one stat. */
static size_t
leader_of(const calling *k, size_t i)
{
	const plan *p = &k->plans[i];

	if (i > 0 && p[-1].step == CHECK && zinc_tag_equal(&p[-1].tag, &p->tag) &&
	    (zinc_get_same_key(k->requests, i) || strcmp(k->requests[i].key, k->requests[i - 1].key) == 0))
		return p[-1].leader;
	return i;
}

static void
plan_one(calling *k, size_t i)
{
	const zinc_get *r = &k->requests[i];
	plan *p = &k->plans[i];
	cached_about about;
	bool found;

	p->range = whole;
	found = find_in(k, r, &p->range, &about);
	if (!found && !r->stat) {
		p->range = range_of(r);
		found = p->range.form != CACHED_WHOLE && find_in(k, r, &p->range, &about);
	}
	p->step = found ? step_for(k, r, &about) : FETCH;
	if (p->step == FETCH)
		return;
	p->tag = about.tag;
	p->leader = leader_of(k, i);
}

/* ---- serving ---- */

typedef struct kept {
	const uint8_t *bytes;
	uint64_t offset; /* of the first of them in the value */
} kept;

static zinc_status
read_kept(void *arg, uint64_t offset, uint64_t nbytes, const struct iovec *iov, int niov, zinc_error *err)
{
	const kept *b = (const kept *)arg;

	(void)err;
	zinc_iov_scatter(iov, niov, b->bytes + (offset - b->offset), (size_t)nbytes);
	return ZINC_OK;
}

/* A file may have been replaced since the plan was made: only the generation of the plan is served. */
static bool
is_planned(const calling *k, size_t i, const cached_about *a)
{
	const plan *p = &k->plans[i];
	const bool same = a->tag.n == p->tag.n && memcmp(a->tag.b, p->tag.b, p->tag.n) == 0;

	if (!same || !covers(a, &k->requests[i]))
		return false;
	return p->step == CONFIRMED || is_fresh(k, a);
}

static void
answer(const calling *k, size_t i, const cached_about *a, const uint8_t *bytes)
{
	kept b = {bytes, a->offset};

	if (a->missing)
		zinc_sink_missing(k->sink, i);
	else if (a->tag.n)
		atomic_store(&k->c->tagged, true);
	if (!a->missing)
		zinc_sink_serve(k->sink, i, &k->requests[i], a->object_size, &a->tag, read_kept, &b, k->wait);
}

static bool
serve_from_memory(const calling *k, size_t i)
{
	cached_memory *m = &k->c->memory;
	const uint8_t *bytes = NULL;
	cached_about about;
	void *hold = zinc_cached_memory_find(m, k->requests[i].key, &k->plans[i].range, &about, &bytes);
	const bool ok = hold && is_planned(k, i, &about);

	if (ok)
		answer(k, i, &about, bytes);
	if (hold)
		zinc_cached_memory_release(m, hold);
	return ok;
}

/* A generation that is kept for the next range was confirmed for this one, too, or is not used (is_planned). */
static bool
load(calling *k, size_t i, const zinc_tag *confirmed)
{
	const cached_range *range = &k->plans[i].range;
	const char *key = k->requests[i].key;
	loaded *l = &k->last;

	if (l->bytes && strcmp(l->key, key) == 0 && l->range.form == range->form && l->range.offset == range->offset &&
	    l->range.length == range->length)
		return true;
	zinc_free(k->c->ctx, l->bytes);
	l->key = key;
	l->range = *range;
	l->bytes = zinc_cached_disk_load(&k->c->disk, key, range, &l->about, confirmed, k->began);
	return l->bytes;
}

/* Of a file only the head is needed to answer a stat, which is served only if it is fresh. */
static bool
serve_stat(const calling *k, size_t i)
{
	cached_about about;

	if (!zinc_cached_disk_find(&k->c->disk, k->requests[i].key, &k->plans[i].range, &about) ||
	    !is_planned(k, i, &about))
		return false;
	answer(k, i, &about, NULL);
	return true;
}

static bool
serve_from_disk(calling *k, size_t i)
{
	const plan *p = &k->plans[i];
	const zinc_tag *confirmed = p->step == CONFIRMED ? &p->tag : NULL;
	struct iovec iov;
	loaded *l = &k->last;

	if (k->requests[i].stat)
		return serve_stat(k, i);
	if (!load(k, i, confirmed) || !is_planned(k, i, &l->about))
		return false;
	iov = (struct iovec){l->bytes, (size_t)l->about.nbytes};
	if (confirmed && k->began > l->about.checked)
		l->about.checked = k->began;
	zinc_cached_memory_add(&k->c->memory, l->key, &p->range, &l->about, &iov, 1);
	answer(k, i, &l->about, l->bytes);
	return true;
}

/* Requests with this step; what is not there any more is fetched. */
static void
serve_all(calling *k, step which)
{
	plan *p;
	size_t i;

	for (i = 0; i < k->n; i++) {
		p = &k->plans[i];
		if (p->step != which)
			continue;
		if (zinc_sink_cancelled(k->sink, i, k->wait) || serve_from_memory(k, i) || serve_from_disk(k, i))
			p->step = ANSWERED;
		else
			p->step = FETCH;
	}
	zinc_free(k->c->ctx, k->last.bytes);
	k->last.bytes = NULL;
}

/* ---- asking the store below ---- */

/* A remote store may learn this from its first answer. */
static bool
has_tags(const cached *c)
{
	zinc_caps caps = ZINC_CAPS_INIT;

	zinc_store_caps(c->next, &caps);
	return caps.flags & ZINC_CAP_TAGS;
}

/* One call of the store below. */
typedef struct asking {
	calling *k;
	zinc_get *gets;
	size_t *from; /* which request each is for */
	size_t n;
} asking;

static zinc_room
ask_room(void *arg, size_t j, uint64_t nbytes, void **buf)
{
	const asking *a = (const asking *)arg;
	const zinc_sink *s = a->k->sink;
	zinc_room r = s->room(s->arg, a->from[j], nbytes, buf);

	if (r == ZINC_ROOM_OK)
		a->k->plans[a->from[j]].buf = *buf;
	return r;
}

/* Keep what was fetched.  Bytes without a tag are kept only for `age`. */
static void
keep(const calling *k, size_t i, const zinc_got *got)
{
	const zinc_get *r = &k->requests[i];
	const struct iovec slot = {k->plans[i].buf, (size_t)got->nbytes};
	cached_about a = {.missing = got->found == ZINC_MISSING, .checked = k->began};
	cached_range range = range_of(r);
	uint64_t offset, nbytes;

	if (got->found == ZINC_FOUND) {
		zinc_get_select(r, got->object_size, &offset, &nbytes);
		a.object_size = got->object_size;
		a.offset = offset;
		a.nbytes = nbytes;
		if (got->tag->n <= sizeof got->tag->b && has_tags(k->c))
			a.tag = *got->tag;
	}
	if (a.nbytes == a.object_size)
		range = whole;
	if ((a.tag.n == 0 && k->c->age == 0) || (a.nbytes == 0 && a.object_size != 0))
		return;
	zinc_cached_memory_add(&k->c->memory, r->key, &range, &a, r->iov ? r->iov : &slot, r->iov ? r->niov : 1);
	zinc_cached_disk_add(&k->c->disk, r->key, &range, &a, r->iov ? r->iov : &slot, r->iov ? r->niov : 1);
}

/* The answer to a stat.  The request itself is answered when the call has ended.  If the stat failed, the value is
 * fetched: some servers refuse a HEAD of what they let read, and an error of the get says more. */
static void
take_check(const calling *k, size_t i, const zinc_got *got)
{
	plan *p = &k->plans[i];

	if (got->found == ZINC_FAILED)
		p->step = FETCH;
	else if (got->found == ZINC_MISSING)
		p->step = GONE;
	else if (got->found == ZINC_FOUND && zinc_tag_equal(got->tag, &p->tag) && has_tags(k->c))
		p->step = CONFIRMED;
	else
		p->step = REPLACED;
}

static void
ask_done(void *arg, size_t j, const zinc_got *got)
{
	const asking *a = (const asking *)arg;
	const size_t i = a->from[j];
	const calling *k = a->k;

	if (got->found == ZINC_FOUND)
		atomic_store(&k->c->asked, true);
	if (k->plans[i].step == CHECK) {
		take_check(k, i, got);
		return;
	}
	k->plans[i].step = ANSWERED;
	if ((got->found == ZINC_FOUND && !k->requests[i].stat) || got->found == ZINC_MISSING)
		keep(k, i, got);
	k->sink->done(k->sink->arg, i, got);
}

/* A check is a stat with the tag that is kept. */
static void
add_ask(asking *a, size_t i)
{
	const calling *k = a->k;
	const plan *p = &k->plans[i];

	a->gets[a->n] = k->requests[i];
	a->gets[a->n].untagged = 0;
	if (p->step != FETCH)
		a->gets[a->n] = (zinc_get){.key = k->requests[i].key, .stat = 1, .if_tag = &p->tag};
	a->from[a->n++] = i;
}

/* If the call as a whole fails, its requests do. */
static void
fail_asked(const asking *a, zinc_status st, const zinc_error *e)
{
	size_t j;

	for (j = 0; j < a->n; j++) {
		plan *p = &a->k->plans[a->from[j]];

		if (p->step == FETCH || p->step == CHECK) {
			p->step = ANSWERED;
			zinc_sink_failed(a->k->sink, a->from[j], st, e);
		}
	}
}

/* All requests that must be fetched or checked.  E_NOMEM, and nothing was asked. */
static zinc_status
ask(calling *k, zinc_error *err)
{
	asking a = {.k = k};
	zinc_sink s = {sizeof s, k->sink->room ? ask_room : NULL, ask_done, &a};
	zinc_error e = ZINC_ERROR_INIT;
	size_t i, n = 0;
	zinc_status st;

	for (i = 0; i < k->n; i++)
		n += k->plans[i].step == FETCH || (k->plans[i].step == CHECK && k->plans[i].leader == i);
	if (n == 0)
		return ZINC_OK;
	a.gets = (zinc_get *)zinc_calloc(k->c->ctx, n, sizeof *a.gets + sizeof *a.from);
	if (!a.gets)
		return zinc_fail_nomem(err);
	a.from = (size_t *)(void *)(a.gets + n);
	for (i = 0; i < k->n; i++)
		if (k->plans[i].step == FETCH || (k->plans[i].step == CHECK && k->plans[i].leader == i))
			add_ask(&a, i);
	st = zinc_store_get(k->c->next, a.gets, n, &s, k->wait, &e);
	if (st != ZINC_OK)
		fail_asked(&a, st, &e);
	zinc_free(k->c->ctx, a.gets);
	return ZINC_OK;
}

/* ---- after the checks ---- */

static void
forget(const calling *k, size_t i)
{
	zinc_cached_memory_drop(&k->c->memory, k->requests[i].key, &k->plans[i].range);
	zinc_cached_disk_drop(&k->c->disk, k->requests[i].key, &k->plans[i].range);
}

/* The caller's if_tag is the tag that was checked (step_for). */
static void
answer_replaced(const calling *k, size_t i)
{
	const zinc_got changed = {.size = sizeof changed, .found = ZINC_CHANGED, .tag = k->requests[i].if_tag};

	k->sink->done(k->sink->arg, i, &changed);
}

static void
decide(const calling *k, size_t i)
{
	const zinc_get *r = &k->requests[i];
	plan *p = &k->plans[i];
	const zinc_got gone = {.size = sizeof gone, .found = ZINC_MISSING};

	switch (p->step) {
	case CONFIRMED:
		zinc_cached_memory_confirm(&k->c->memory, r->key, &p->range, &p->tag, k->began);
		break;
	case REPLACED:
		forget(k, i);
		p->step = r->if_tag ? ANSWERED : FETCH;
		if (r->if_tag)
			answer_replaced(k, i);
		break;
	case GONE:
		forget(k, i);
		keep(k, i, &gone);
		p->step = ANSWERED;
		zinc_sink_missing(k->sink, i);
		break;
	default:
		break;
	}
}

/* Requests that follow a leader take its result; if its stat failed, they ask for themselves. */
static void
decide_all(const calling *k)
{
	size_t i;

	for (i = k->n; i-- > 0;) {
		plan *p = &k->plans[i];

		if (p->step == CHECK && p->leader != i)
			p->step = k->plans[p->leader].step == ANSWERED ? FETCH : k->plans[p->leader].step;
	}
	for (i = 0; i < k->n; i++)
		decide(k, i);
}

/* ---- the slot ---- */

static void
begin(calling *k)
{
	const int64_t age = k->c->age, here = (int64_t)atomic_load(&k->c->change);
	const int64_t there = age ? zinc_cached_disk_changed(&k->c->disk) : 0;
	size_t i;

	k->began = zinc_cached_now(k->c->ctx);
	k->fresh_after = here > there ? here : there;
	if (k->began - age > k->fresh_after)
		k->fresh_after = k->began - age;
	for (i = 0; i < k->n; i++)
		plan_one(k, i);
}

/* If the second call cannot be made, some requests are answered already; store.c gives the others its error. */
zinc_status
zinc_cached_get(void *self, const zinc_get *requests, size_t n, const zinc_sink *sink, const zinc_wait *wait,
		zinc_error *err)
{
	calling k = {.c = (cached *)self, .requests = requests, .n = n, .sink = sink, .wait = wait};
	zinc_status st;

	k.plans = (plan *)zinc_calloc(k.c->ctx, n, sizeof *k.plans);
	if (!k.plans)
		return zinc_fail_nomem(err);
	begin(&k);
	serve_all(&k, SERVE);
	st = ask(&k, err);
	if (st == ZINC_OK) {
		decide_all(&k);
		serve_all(&k, CONFIRMED);
		st = ask(&k, err);
	}
	zinc_free(k.c->ctx, k.plans);
	zinc_cached_disk_sweep(&k.c->disk, wait);
	return st;
}
