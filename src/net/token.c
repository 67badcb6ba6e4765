/*
 * token.c - access tokens: kept, shared by threads, and renewed before their end
 *
 *     take:   valid for more than 5 minutes   -> the token at once
 *             valid for less                  -> one thread searches for a new one, the others take the old one
 *             ended, refused, none yet        -> one thread searches, the others wait for it
 *
 * Promises (tests/unit/test_token.c names each by its number):
 *
 * (1) Many threads that need a new token make one search.  If it fails, all that waited for it get its error.
 * (2) While the old token is valid, a failing search is no failure; the next one is tried a minute later.
 * (3) A token that has ended, or that the server has refused, is never given out again.
 * (4) A token stays valid in memory until it is released for the last time, and is wiped then, or after the next but one.
 * (5) A forked child goes on, even if another thread of its parent was searching.
 * (6) A new token that has already ended is an error that names the clock.
 * (7) Where there was a token once, a search that finds none is a failure: a source that is silent for a while does not
 *     make requests anonymous.
 * (8) "No token" is for ever only if a source has said so; otherwise it is searched for again after a minute.
 */
#include "net/token.h"

#include <stdio.h>
#include <time.h>

#define EARLY    300 /* seconds before the end at which it is renewed */
#define LATEST   10  /* seconds before the end at which it is not given out any more */
#define NEXT_TRY 60.0
#define YOUNG    10.0 /* seconds in which it cannot be refused */
#define MAX_POOL ((size_t)8 * ZINC_MIB)
#define MAX_HELD ((size_t)256 * 1024)

typedef struct held {
	zinc_token shown;
	atomic_uint refs;
	zinc_secret *pool; /* holds this structure, too */
	int64_t expires;
	double found; /* when; monotonic */
	bool refused; /* guarded by the lock of its owner */
} held;

struct zinc_tokens {
	zinc_context *ctx;
	const char *ca_file;
	zinc_token_fn find;
	void *arg;
	pthread_mutex_t lock; /* guards the following */
	pthread_cond_t ended; /* a search */
	zinc_fork_hook fork;
	bool searching;
	uint64_t searches; /* that have ended */
	double next_try;   /* the earliest search for another while one is valid; monotonic */
	held *now;         /* NULL: none yet */
	held *before;      /* NULL, or the last but one: requests with it may still be under way */
	bool had;          /* some search has found a token */
	zinc_error failed; /* of the last search; code ZINC_OK: it did not fail */
};

int64_t
zinc_token_clock(zinc_context *ctx)
{
	struct timespec now;

	return ctx->os->clock(ctx->os, CLOCK_REALTIME, &now) == 0 ? (int64_t)now.tv_sec : 0;
}

/* ---- tokens ---- */

static void
held_release(held *h)
{
	if (h && atomic_fetch_sub(&h->refs, 1) == 1)
		zinc_secret_free(h->pool);
}

void
zinc_token_release(zinc_token *shown)
{
	held_release((held *)(void *)shown);
}

/* NULL stays NULL; *ok turns false when there is no memory. */
static const char *
copy_text(zinc_secret *pool, const char *text, bool *ok)
{
	const char *copy = text ? zinc_secret_text(pool, text, strlen(text)) : NULL;

	*ok &= !text || copy;
	return copy;
}

static zinc_status
held_new(held **out, zinc_context *ctx, const zinc_token_found *found, zinc_error *err)
{
	zinc_secret *pool = NULL;
	bool ok = true;
	held *h;

	ZINC_TRY(zinc_secret_new(&pool, ctx, MAX_HELD, err));
	h = (held *)zinc_secret_alloc(pool, sizeof *h);
	if (h) {
		memset(h, 0, sizeof *h);
		h->shown.text = copy_text(pool, found->text, &ok);
		h->shown.source = copy_text(pool, found->source ? found->source : "no source", &ok);
	}
	if (!h || !ok) {
		zinc_secret_free(pool);
		return zinc_fail_nomem(err);
	}
	atomic_init(&h->refs, 1);
	h->pool = pool;
	h->expires = found->text     ? found->expires
		     : found->unsure ? zinc_token_clock(ctx) + EARLY /* so the next search is after NEXT_TRY */
				     : ZINC_TOKEN_NEVER;
	h->found = zinc_now(ctx);
	*out = h;
	return ZINC_OK;
}

/* Seconds for which it is still good; 0: not at all. */
static int64_t
held_left(const held *h, int64_t now)
{
	if (!h || h->refused || (h->expires != ZINC_TOKEN_NEVER && h->expires - LATEST <= now))
		return 0;
	return h->expires - now;
}

/* ---- one search ---- */

static zinc_status
search_in(zinc_tokens *t, const zinc_asker *asker, held **out, zinc_error *err)
{
	zinc_token_found found = {.expires = ZINC_TOKEN_NEVER};

	ZINC_TRY(t->find(t->arg, asker, &found, err));
	if (!found.text && t->had) /* which only searches change */
		return zinc_fail(err, ZINC_E_IO, "the source of the last token gives none now; try again later");
	if (found.text && found.expires != ZINC_TOKEN_NEVER && found.expires - LATEST <= zinc_token_clock(t->ctx))
		return zinc_fail(
		    err, ZINC_E_IO,
		    "the token from %s has already ended; if it is new, the clock of this machine is wrong",
		    found.source ? found.source : "its source");
	return held_new(out, t->ctx, &found, err);
}

/* Without any lock held. */
static zinc_status
search(zinc_tokens *t, held **out, const zinc_wait *wait, zinc_error *err)
{
	zinc_asker asker = {t->ctx, NULL, wait, t->ca_file};
	zinc_status st;

	ZINC_TRY(zinc_secret_new(&asker.pool, t->ctx, MAX_POOL, err));
	st = search_in(t, &asker, out, err);
	zinc_secret_free(asker.pool);
	return st;
}

/* With the lock held: what a search has found.  Returns the token that is to be released without the lock. */
static held *
end_search(zinc_tokens *t, held *found, const zinc_error *e)
{
	held *old = NULL;

	t->searching = false;
	t->searches++;
	zinc_error_clear(&t->failed);
	if (found) {
		old = t->before;
		t->before = t->now;
		t->now = found;
		t->had |= found->shown.text != NULL;
	} else {
		t->failed = *e;
	}
	t->next_try = zinc_now(t->ctx) + NEXT_TRY; /* also for a new one that is valid for less than EARLY */
	pthread_cond_broadcast(&t->ended);
	return old;
}

/* Search, with the lock held before and after, but not meanwhile. */
static zinc_status
renew(zinc_tokens *t, const zinc_wait *wait, zinc_error *e)
{
	held *found = NULL, *old;
	zinc_status st;

	t->searching = true;
	pthread_mutex_unlock(&t->lock);
	st = search(t, &found, wait, e);
	pthread_mutex_lock(&t->lock);
	old = end_search(t, found, e);
	pthread_mutex_unlock(&t->lock); /* memory must not be freed with the lock held: base/fork.c */
	held_release(old);
	pthread_mutex_lock(&t->lock);
	return st;
}

/* Wait for the search of another thread.  Its failure is ours, unless only its own time was over. */
static zinc_status
await(zinc_tokens *t, const zinc_wait *wait, zinc_error *err)
{
	const uint64_t before = t->searches;

	while (t->searching && t->searches == before)
		ZINC_TRY(zinc_wait_cond(wait, &t->ended, &t->lock, "credentials", err));
	if (t->searches != before && t->failed.code != ZINC_OK && t->failed.code != ZINC_E_CANCELLED)
		return zinc_error_copy(err, &t->failed);
	return ZINC_OK;
}

/* With the lock held. */
static zinc_status
take(zinc_tokens *t, const zinc_wait *wait, zinc_error *err)
{
	zinc_error e = ZINC_ERROR_INIT;
	int64_t left;

	for (;;) {
		left = held_left(t->now, zinc_token_clock(t->ctx));
		if (left > EARLY || (left > 0 && (t->searching || zinc_now(t->ctx) < t->next_try)))
			return ZINC_OK;
		if (t->searching) {
			ZINC_TRY(await(t, wait, err));
			continue;
		}
		ZINC_TRY(zinc_wait_for(wait, "credentials", err));
		if (renew(t, wait, &e) != ZINC_OK && held_left(t->now, zinc_token_clock(t->ctx)) == 0)
			return zinc_error_copy(err, &e);
	}
}

zinc_status
zinc_tokens_take(zinc_tokens *t, zinc_token **out, const zinc_wait *wait, zinc_error *err)
{
	zinc_status st;

	*out = NULL;
	pthread_mutex_lock(&t->lock);
	st = take(t, wait, err);
	if (st == ZINC_OK) {
		atomic_fetch_add(&t->now->refs, 1);
		*out = &t->now->shown;
	}
	pthread_mutex_unlock(&t->lock);
	return st;
}

bool
zinc_tokens_refused(zinc_tokens *t)
{
	bool again;

	pthread_mutex_lock(&t->lock);
	again = t->now && t->now->shown.text && (t->now->refused || zinc_now(t->ctx) >= t->now->found + YOUNG);
	if (again)
		t->now->refused = true;
	pthread_mutex_unlock(&t->lock);
	return again;
}

static bool
shows(const held *h, zinc_bytes text)
{
	return h && h->shown.text && zinc_secret_shows(h->shown.text, strlen(h->shown.text), text);
}

bool
zinc_tokens_show(zinc_tokens *t, zinc_bytes text)
{
	bool found;

	pthread_mutex_lock(&t->lock);
	found = shows(t->now, text) || shows(t->before, text);
	pthread_mutex_unlock(&t->lock);
	return found;
}

/* ---- new and free ---- */

static void
after_fork(void *object)
{
	zinc_tokens *t = (zinc_tokens *)object;

	t->searching = false; /* that thread is not here */
	zinc_wait_cond_init(&t->ended);
}

zinc_status
zinc_tokens_new(zinc_tokens **out, zinc_context *ctx, const char *ca_file, zinc_token_fn find, void *arg,
		zinc_error *err)
{
	zinc_tokens *t;

	ctx = zinc_context_get(ctx);
	t = (zinc_tokens *)zinc_calloc(ctx, 1, sizeof *t);
	if (!t)
		return zinc_fail_nomem(err);
	t->ctx = ctx;
	t->ca_file = ca_file;
	t->find = find;
	t->arg = arg;
	pthread_mutex_init(&t->lock, NULL);
	zinc_wait_cond_init(&t->ended);
	t->fork = (zinc_fork_hook){.lock = &t->lock, .child = after_fork, .object = t};
	zinc_fork_add(&t->fork);
	*out = t;
	return ZINC_OK;
}

void
zinc_tokens_free(zinc_tokens *t)
{
	if (!t)
		return;
	zinc_fork_remove(&t->fork);
	held_release(t->now);
	held_release(t->before);
	pthread_cond_destroy(&t->ended);
	pthread_mutex_destroy(&t->lock);
	zinc_free(t->ctx, t);
}
