/*
 * store_batch.c - put, del and groups of stores that change many keys in one transaction
 *
 * Promises (tests/unit/test_store_batch.c names each by its number):
 *
 * (1) done() is called once for each change, after the transaction that has it.  A condition that does not hold fails
 *     its own change only.
 * (2) A group copies small values, at most 4 MiB or 1024 of them, and writes them together, at the latest at its commit; a
 *     long value is written at once, with those before it.
 * (3) Only the commit of a group is durable; it covers everything that the group has written before.
 * (4) What could not be written is reported once: by done() if its own call fails, else by the commit.  Until then only
 *     its key is kept.
 */
#include "store/store_batch.h"

#include <stdlib.h>

#define GROUP_BYTES   (4 * ZINC_MIB)
#define GROUP_CHANGES 1024
#define FEW           16

/* A change with copies of everything, in one block. */
typedef struct pending {
	struct pending *next;
	zinc_change change;
	struct iovec iov;
	zinc_condition when;
	zinc_tag tag;
	bool failed; /* with its whole transaction */
	char key[];  /* then the value */
} pending;

typedef struct batch_group {
	zinc_batched *store;
	zinc_context *ctx;
	zinc_turn turn; /* several threads may use the group */
	bool relaxed, flushed;
	pending *first, **last;
	size_t n;
	uint64_t nbytes;
	pending *failed, **last_failed; /* for the report at commit */
	zinc_status status;             /* of a flush that failed */
	zinc_error error;
} batch_group;

/* ---- conditions and results ---- */

zinc_status
zinc_batch_check(const zinc_condition *when, const zinc_tag *tag)
{
	if (!when || when->when == ZINC_ANY)
		return ZINC_OK;
	if (when->when == ZINC_ABSENT)
		return tag ? ZINC_E_EXISTS : ZINC_OK;
	return tag && zinc_tag_equal(when->tag, tag) ? ZINC_OK : ZINC_E_CONFLICT;
}

zinc_use
zinc_batch_use(zinc_change *const *changes, size_t n)
{
	zinc_use use = ZINC_USE_CHANGE;
	size_t i;

	for (i = 0; i < n; i++) {
		changes[i]->status = zinc_batch_check(changes[i]->when, NULL);
		if (changes[i]->status == ZINC_OK && !changes[i]->erase)
			use = ZINC_USE_MAKE;
	}
	return use;
}

static zinc_status
fail_condition(zinc_status st, zinc_error *err)
{
	return zinc_fail(
	    err, st, st == ZINC_E_EXISTS ? "the key already exists" : "the value is no longer the one that was read");
}

void
zinc_batch_hash(const zinc_change *x, zinc_tag *out)
{
	zinc_hash h;
	int i;

	zinc_hash_begin(&h);
	for (i = 0; i < x->niov; i++)
		zinc_hash_add(&h, x->iov[i].iov_base, x->iov[i].iov_len);
	zinc_hash_end(&h, out);
}

const zinc_change *
zinc_batch_earlier(zinc_change *const *changes, size_t i)
{
	const zinc_change *x = changes[i]->before;

	while (x && x->status != ZINC_OK)
		x = x->before;
	return x;
}

typedef struct placed {
	zinc_change *change;
	size_t at;
} placed;

static int
compare_placed(const void *a, const void *b)
{
	const placed *x = (const placed *)a, *y = (const placed *)b;
	const int order = strcmp(x->change->key, y->change->key);

	return order ? order : (x->at > y->at) - (x->at < y->at);
}

static bool
has_conditions(zinc_change *const *changes, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (changes[i]->when && changes[i]->when->when != ZINC_ANY)
			return true;
	return false;
}

/* Find `before` of each: sorted once, because a search for each would take the square of their number. */
static zinc_status
link_keys(zinc_context *ctx, zinc_change *const *changes, size_t n, zinc_error *err)
{
	placed *all;
	size_t i;

	if (n < 2 || !has_conditions(changes, n))
		return ZINC_OK;
	all = (placed *)zinc_calloc(ctx, n, sizeof *all);
	if (!all)
		return zinc_fail_nomem(err);
	for (i = 0; i < n; i++)
		all[i] = (placed){changes[i], i};
	qsort(all, n, sizeof *all, compare_placed);
	for (i = 1; i < n; i++)
		if (strcmp(all[i - 1].change->key, all[i].change->key) == 0)
			all[i].change->before = all[i - 1].change;
	zinc_free(ctx, all);
	return ZINC_OK;
}

static zinc_status
apply_all(zinc_batched *s, zinc_change *const *changes, size_t n, bool relaxed, const zinc_wait *wait, zinc_error *err)
{
	ZINC_TRY(link_keys(s->ctx, changes, n, err));
	return s->ops->apply(s, changes, n, relaxed, wait, err);
}

/* Report each; `st` is the result of all. */
static void
report(const zinc_change *changes, size_t n, const zinc_done *done, uint32_t flags, zinc_status st, const zinc_error *e)
{
	zinc_error own;
	zinc_tag tag;
	size_t i;

	for (i = 0; i < n; i++) {
		const zinc_change *x = &changes[i];

		tag = x->tag;
		if (st == ZINC_OK && x->status != ZINC_OK) {
			zinc_error_clear(&own);
			fail_condition(x->status, &own);
			zinc_done_report(done, i, x->status, NULL, &own);
			continue;
		}
		if (st == ZINC_OK && (flags & ZINC_PUT_TAGS) && !x->erase && tag.n == 0)
			zinc_batch_hash(x, &tag);
		zinc_done_report(done, i, st, &tag, st == ZINC_OK ? NULL : e);
	}
}

/* ---- groups ---- */

static zinc_status
pending_new(const batch_group *g, const zinc_change *x, pending **out, zinc_error *err)
{
	const size_t nkey = strlen(x->key) + 1;
	size_t nvalue = 0, total;
	pending *p;

	if ((!x->erase && zinc_iov_bytes(x->iov, x->niov, &nvalue)) || zinc_size_add(sizeof *p + nkey, nvalue, &total))
		return zinc_fail_nomem(err);
	p = (pending *)zinc_alloc(g->ctx, total);
	if (!p)
		return zinc_fail_nomem(err);
	memset(p, 0, sizeof *p);
	memcpy(p->key, x->key, nkey);
	zinc_iov_gather(x->iov, x->niov, (uint8_t *)p->key + nkey, nvalue);
	p->iov = (struct iovec){p->key + nkey, nvalue};
	p->change = (zinc_change){p->key, &p->iov, x->erase ? 0 : 1, x->erase, NULL, ZINC_OK, {0, {0}}, NULL};
	if (x->when && x->when->when != ZINC_ANY) {
		p->when = *x->when;
		if (p->when.tag)
			p->tag = *p->when.tag;
		p->when.tag = &p->tag;
		p->change.when = &p->when;
	}
	*out = p;
	return ZINC_OK;
}

static void
free_list(const batch_group *g, pending *p)
{
	pending *next;

	for (; p; p = next) {
		next = p->next;
		zinc_free(g->ctx, p);
	}
}

/* Without its value. */
static pending *
only_key(const batch_group *g, pending *p)
{
	pending *q = (pending *)zinc_realloc(g->ctx, p, sizeof *p + strlen(p->key) + 1);

	p = q ? q : p;
	p->change.key = p->key;
	p->change.iov = NULL;
	p->change.niov = 0;
	return p;
}

/* After a flush: keep those that failed for the report, but for the last `ntold` if the caller is told about them. */
static void
sort_out(batch_group *g, size_t ntold, zinc_status st)
{
	pending *p = g->first, *next;
	size_t left = g->n;

	for (; p; p = next, left--) {
		next = p->next;
		p->next = NULL;
		p->failed = st != ZINC_OK;
		if (st == ZINC_OK ? p->change.status == ZINC_OK : left <= ntold) {
			zinc_free(g->ctx, p);
			continue;
		}
		p = only_key(g, p);
		*g->last_failed = p;
		g->last_failed = &p->next;
	}
	g->first = NULL;
	g->last = &g->first;
	g->n = 0;
	g->nbytes = 0;
}

static zinc_status
apply_list(const batch_group *g, zinc_change *more, size_t nmore, bool relaxed, const zinc_wait *wait, zinc_error *err)
{
	zinc_change **all = (zinc_change **)zinc_calloc(g->ctx, g->n + nmore + 1, sizeof *all);
	zinc_status st;
	pending *p;
	size_t i, n = 0;

	if (!all)
		return zinc_fail_nomem(err);
	for (p = g->first; p; p = p->next)
		all[n++] = &p->change;
	for (i = 0; i < nmore; i++)
		all[n++] = &more[i];
	st = apply_all(g->store, all, n, relaxed, wait, err);
	zinc_free(g->ctx, all);
	return st;
}

/* Write what is pending, and `more` after it, in one transaction.  ntold: see sort_out. */
static zinc_status
flush(batch_group *g, zinc_change *more, size_t nmore, size_t ntold, bool relaxed, const zinc_wait *wait,
      zinc_error *err)
{
	const zinc_status st = apply_list(g, more, nmore, relaxed, wait, err);

	if (st == ZINC_OK) {
		g->flushed = true;
	} else if (g->status == ZINC_OK) {
		g->status = st;
		zinc_error_copy(&g->error, err);
	}
	sort_out(g, ntold, st);
	return st;
}

/* All of them or none. */
static zinc_status
copy_all(batch_group *g, const zinc_change *changes, size_t n, zinc_error *err)
{
	pending *first = NULL, **last = &first, *p;
	uint64_t nbytes = 0;
	zinc_status st = ZINC_OK;
	size_t i;

	for (i = 0; i < n && st == ZINC_OK; i++) {
		st = pending_new(g, &changes[i], last, err);
		if (st == ZINC_OK) {
			nbytes += (*last)->iov.iov_len;
			last = &(*last)->next;
		}
	}
	if (st != ZINC_OK) {
		free_list(g, first);
		return st;
	}
	*g->last = first;
	for (p = first; p; p = p->next)
		g->last = &p->next;
	g->n += n;
	g->nbytes += nbytes;
	return ZINC_OK;
}

static bool
is_long(const zinc_change *changes, size_t n)
{
	uint64_t total = 0;
	size_t i, each;

	for (i = 0; i < n; i++)
		if (zinc_iov_bytes(changes[i].iov, changes[i].niov, &each) || zinc_u64_add(total, each, &total) ||
		    total > GROUP_BYTES / 4)
			return true;
	return false;
}

/* With tags the result must be known, and visible, at once. */
static zinc_status
group_add(zinc_put_group *group, zinc_change *changes, size_t n, uint32_t flags, const zinc_wait *wait, zinc_error *err)
{
	batch_group *g = (batch_group *)(void *)group;
	zinc_status st;

	ZINC_TRY(zinc_turn_acquire(&g->turn, wait, err));
	st = zinc_wait_check(wait, err);
	if (st == ZINC_OK && ((flags & ZINC_PUT_TAGS) || is_long(changes, n)))
		st = flush(g, changes, n, 0, true, wait, err);
	else if (st == ZINC_OK)
		st = copy_all(g, changes, n, err);
	if (st == ZINC_OK && (g->n >= GROUP_CHANGES || g->nbytes >= GROUP_BYTES))
		st = flush(g, NULL, 0, n, true, wait, err);
	zinc_turn_release(&g->turn);
	return st;
}

zinc_status
zinc_batch_begin(void *self, zinc_put_group **group, uint32_t flags, const zinc_wait *wait, zinc_error *err)
{
	zinc_batched *s = (zinc_batched *)self;
	batch_group *g;

	ZINC_TRY(zinc_wait_check(wait, err));
	g = (batch_group *)zinc_calloc(s->ctx, 1, sizeof *g);
	if (!g)
		return zinc_fail_nomem(err);
	g->store = s;
	g->ctx = s->ctx;
	g->relaxed = flags & ZINC_PUT_RELAXED;
	g->last = &g->first;
	g->last_failed = &g->failed;
	zinc_turn_init(&g->turn);
	*group = (zinc_put_group *)(void *)g;
	return ZINC_OK;
}

void
zinc_batch_abort(void *self, zinc_put_group *group)
{
	batch_group *g = (batch_group *)(void *)group;

	(void)self;
	if (!g)
		return;
	free_list(g, g->first);
	free_list(g, g->failed);
	zinc_turn_fini(&g->turn);
	zinc_free(g->ctx, g);
}

/* Returns the status of the first. */
static zinc_status
report_failed(const batch_group *g, zinc_committed_fn fn, void *arg, zinc_error *err)
{
	zinc_status first = ZINC_OK, st;
	const pending *p;
	zinc_error e;

	for (p = g->failed; p; p = p->next) {
		zinc_error_clear(&e);
		st = p->failed ? g->status : fail_condition(p->change.status, &e);
		if (p->failed)
			zinc_error_copy(&e, &g->error);
		if (fn)
			fn(arg, p->key, st, &e);
		if (first == ZINC_OK) {
			first = st;
			zinc_error_copy(err, &e);
		}
	}
	return first;
}

/* A failure that is no key's: a flush of long values was durable only by the sync that failed. */
zinc_status
zinc_batch_commit(void *self, zinc_put_group *group, zinc_committed_fn fn, void *arg, const zinc_wait *wait,
		  zinc_error *err)
{
	batch_group *g = (batch_group *)(void *)group;
	const bool earlier = g->flushed && !g->relaxed;
	zinc_status st, last = ZINC_OK;
	zinc_error e;

	zinc_error_clear(&e);
	if (g->first)
		last = flush(g, NULL, 0, 0, g->relaxed, wait, &e);
	if (last == ZINC_OK && earlier) /* the last transaction syncs nothing if it changes nothing */
		last = g->store->ops->sync(g->store, wait, &e);
	st = report_failed(g, fn, arg, err);
	if (st == ZINC_OK && last != ZINC_OK) {
		zinc_error_copy(err, &e);
		st = last;
	}
	zinc_batch_abort(self, group);
	return st;
}

/* ---- put and del ---- */

/* With a group, conditions that fail later are reported by its commit. */
static void
run(zinc_batched *s, zinc_put_group *group, zinc_change *changes, zinc_change **all, size_t n, const zinc_done *done,
    uint32_t flags, const zinc_wait *wait)
{
	zinc_status st;
	zinc_error e;

	zinc_error_clear(&e);
	st = group ? group_add(group, changes, n, flags, wait, &e)
		   : apply_all(s, all, n, flags & ZINC_PUT_RELAXED, wait, &e);
	report(changes, n, done, flags, st, &e);
}

/* Puts or deletes; the other is NULL. */
static zinc_status
change_many(zinc_batched *s, zinc_put_group *group, const zinc_put *puts, const zinc_del *dels, size_t n,
	    const zinc_done *done, uint32_t flags, const zinc_wait *wait, zinc_error *err)
{
	zinc_change few[FEW], *changes = few, *few_pointers[FEW], **all = few_pointers;
	size_t i;

	if (n > FEW) {
		changes = (zinc_change *)zinc_calloc(s->ctx, n, sizeof *changes);
		all = (zinc_change **)zinc_calloc(s->ctx, n, sizeof *all);
	}
	for (i = 0; changes && all && i < n; i++) {
		changes[i] = puts ? (zinc_change){puts[i].key,  puts[i].iov, puts[i].niov, false,
						  puts[i].when, ZINC_OK,     {0, {0}},     NULL}
				  : (zinc_change){dels[i].key, NULL, 0, true, dels[i].when, ZINC_OK, {0, {0}}, NULL};
		all[i] = &changes[i];
	}
	if (changes && all)
		run(s, group, changes, all, n, done, flags, wait);
	else
		zinc_fail_nomem(err);
	if (n > FEW) {
		zinc_free(s->ctx, changes);
		zinc_free(s->ctx, all);
	}
	return changes && all ? ZINC_OK : ZINC_E_NOMEM;
}

zinc_status
zinc_batch_put(void *self, zinc_put_group *group, const zinc_put *puts, size_t n, const zinc_done *done, uint32_t flags,
	       const zinc_wait *wait, zinc_error *err)
{
	return n ? change_many((zinc_batched *)self, group, puts, NULL, n, done, flags, wait, err) : ZINC_OK;
}

zinc_status
zinc_batch_del(void *self, zinc_put_group *group, const zinc_del *dels, size_t n, const zinc_done *done, uint32_t flags,
	       const zinc_wait *wait, zinc_error *err)
{
	return n ? change_many((zinc_batched *)self, group, NULL, dels, n, done, flags, wait, err) : ZINC_OK;
}
