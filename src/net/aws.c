/*
 * aws.c - credentials of AWS: kept, shared by threads, and renewed before they expire
 *
 *     take:   valid for more than 5 minutes   -> the keys at once
 *             valid for less                  -> one thread searches for new ones, the others take the old ones
 *             expired, refused, none yet      -> one thread searches, the others wait for it
 *
 * Promises (tests/unit/test_aws_renew.c names each by its number):
 *
 * (1) Many threads that need new keys make one search.  If it fails, all that waited for it get its error.
 * (2) While the old keys are valid, a failing search is no failure; the next one is tried a minute later.
 * (3) Keys that have expired, or that the server has refused, are never given out again.
 * (4) Keys stay valid in memory until the last lease of them is released, and are wiped then.
 * (5) A forked child goes on, even if another thread of its parent was searching.
 */
#include "net/aws.h"

#include <stdio.h>

#include "net/aws_inside.h"

#define EARLY      300 /* seconds before the expiry at which keys are renewed */
#define LATEST     10  /* seconds before the expiry at which they are not given out any more */
#define NEXT_TRY   60.0
#define YOUNG      10.0 /* seconds in which keys cannot be refused */
#define LEASE_POOL ((size_t)256 * 1024)

typedef struct lease {
	zinc_aws_lease shown;
	zinc_aws_keys keys; /* shown.keys points here */
	atomic_uint refs;
	zinc_secret *pool; /* holds this lease, too */
	int64_t expires;
	double found; /* when; monotonic */
	bool refused; /* guarded by the lock of its owner */
} lease;

struct zinc_aws {
	zinc_context *ctx;
	zinc_secret *pool; /* settings, region ...: never changed after new */
	zinc_aws_config config;
	const char *region, *endpoint, *ca_file;
	pthread_mutex_t lock; /* guards the following */
	pthread_cond_t ended; /* a search */
	zinc_fork_hook fork;
	bool searching;
	uint64_t searches; /* that have ended */
	double next_try;   /* the earliest search for others while keys are valid; monotonic */
	lease *now;        /* NULL: none yet */
	lease *before;     /* NULL, or the last but one: requests with it may still be under way */
	zinc_error failed; /* of the last search; code ZINC_OK: it did not fail */
	char advice[ZINC_AWS_ADVICE];
};

/* ---- leases ---- */

static void
lease_release(lease *l)
{
	if (l && atomic_fetch_sub(&l->refs, 1) == 1)
		zinc_secret_free(l->pool);
}

void
zinc_aws_release(zinc_aws_lease *shown)
{
	lease_release((lease *)(void *)shown);
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
lease_new(lease **out, zinc_context *ctx, const zinc_aws_found *found, const char *source, zinc_error *err)
{
	zinc_secret *pool = NULL;
	bool ok = true;
	lease *l;

	ZINC_TRY(zinc_secret_new(&pool, ctx, LEASE_POOL, err));
	l = (lease *)zinc_secret_alloc(pool, sizeof *l);
	if (l) {
		memset(l, 0, sizeof *l);
		l->keys.id = copy_text(pool, found->keys.id, &ok);
		l->keys.secret = copy_text(pool, found->keys.secret, &ok);
		l->keys.token = copy_text(pool, found->keys.token, &ok);
		l->shown.keys = l->keys.id ? &l->keys : NULL;
		l->shown.source = copy_text(pool, source ? source : "no source: anonymous", &ok);
	}
	if (!l || !ok) {
		zinc_secret_free(pool);
		return zinc_fail_nomem(err);
	}
	atomic_init(&l->refs, 1);
	l->pool = pool;
	l->expires = found->expires;
	l->found = zinc_now(ctx);
	*out = l;
	return ZINC_OK;
}

/* Seconds for which a lease is still good; 0: not at all. */
static int64_t
lease_left(const lease *l, int64_t now)
{
	if (!l || l->refused || (l->expires != ZINC_AWS_NEVER && l->expires - LATEST <= now))
		return 0;
	return l->expires - now;
}

/* ---- one search ---- */

/* Keys that have already expired are of no use.  Most probably the clock is wrong. */
static zinc_status
check_expiry(const zinc_aws_search *s, const zinc_aws_found *found, zinc_error *err)
{
	if (found->expires == ZINC_AWS_NEVER || found->expires - LATEST > zinc_aws_clock(s->ctx))
		return ZINC_OK;
	return zinc_fail(
	    err, ZINC_E_IO,
	    "credentials from %s have already expired; if they are new, the clock of this machine is wrong", s->source);
}

static zinc_status
search_in(zinc_aws *a, zinc_aws_search *s, lease **out, zinc_error *err)
{
	zinc_aws_found found = {.expires = ZINC_AWS_NEVER};
	bool named;

	if (a->config.anonymous)
		return lease_new(out, a->ctx, &found, "the settings: anonymous", err);
	s->profile = zinc_aws_profile_name(&a->config, &named);
	ZINC_TRY(zinc_aws_profiles_read(&s->profiles, s->pool, err));
	ZINC_TRY(zinc_aws_find(s, &found, err));
	ZINC_TRY(check_expiry(s, &found, err));
	return lease_new(out, a->ctx, &found, s->source, err);
}

/* Without any lock held.  `tried` has ZINC_AWS_TRIED bytes. */
static zinc_status
search(zinc_aws *a, lease **out, char *tried, const zinc_wait *wait, zinc_error *err)
{
	zinc_aws_search s = {.ctx = a->ctx, .config = &a->config, .wait = wait, .tried = tried};
	zinc_status st;

	tried[0] = '\0';
	ZINC_TRY(zinc_secret_new(&s.pool, a->ctx, ZINC_AWS_MAX_POOL, err));
	st = search_in(a, &s, out, err);
	zinc_secret_free(s.pool);
	return st;
}

/* With the lock held: what a search has found.  Returns the lease that is to be released without the lock. */
static lease *
end_search(zinc_aws *a, lease *found, const char *tried, const zinc_error *e)
{
	lease *old = NULL;

	a->searching = false;
	a->searches++;
	zinc_error_clear(&a->failed);
	if (found) {
		old = a->before;
		a->before = a->now;
		a->now = found;
		a->advice[0] = '\0';
		if (!found->shown.keys && !a->config.anonymous)
			snprintf(a->advice, sizeof a->advice,
				 "no credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, a profile, or "
				 "?anonymous=1 (tried %s)",
				 tried);
	} else {
		a->failed = *e;
	}
	a->next_try = zinc_now(a->ctx) + NEXT_TRY; /* also for new keys that are valid for less than EARLY */
	pthread_cond_broadcast(&a->ended);
	return old;
}

/* Search, with the lock held before and after, but not meanwhile. */
static zinc_status
renew(zinc_aws *a, const zinc_wait *wait, zinc_error *e)
{
	char tried[ZINC_AWS_TRIED];
	lease *found = NULL, *old;
	zinc_status st;

	a->searching = true;
	pthread_mutex_unlock(&a->lock);
	st = search(a, &found, tried, wait, e);
	pthread_mutex_lock(&a->lock);
	old = end_search(a, found, tried, e);
	pthread_mutex_unlock(&a->lock); /* a lease must not be freed with the lock held: base/fork.c */
	lease_release(old);
	pthread_mutex_lock(&a->lock);
	return st;
}

/* Wait for the search of another thread.  Its failure is ours, unless only its own time was over. */
static zinc_status
await(zinc_aws *a, const zinc_wait *wait, zinc_error *err)
{
	const uint64_t before = a->searches;

	while (a->searching && a->searches == before)
		ZINC_TRY(zinc_wait_cond(wait, &a->ended, &a->lock, "credentials", err));
	if (a->searches != before && a->failed.code != ZINC_OK && a->failed.code != ZINC_E_CANCELLED)
		return zinc_error_copy(err, &a->failed);
	return ZINC_OK;
}

/* With the lock held. */
static zinc_status
take(zinc_aws *a, const zinc_wait *wait, zinc_error *err)
{
	zinc_error e = ZINC_ERROR_INIT;
	int64_t left;

	for (;;) {
		left = lease_left(a->now, zinc_aws_clock(a->ctx));
		if (left > EARLY || (left > 0 && (a->searching || zinc_now(a->ctx) < a->next_try)))
			return ZINC_OK;
		if (a->searching) {
			ZINC_TRY(await(a, wait, err));
			continue;
		}
		ZINC_TRY(zinc_wait_for(wait, "credentials", err));
		if (renew(a, wait, &e) != ZINC_OK && lease_left(a->now, zinc_aws_clock(a->ctx)) == 0)
			return zinc_error_copy(err, &e);
	}
}

zinc_status
zinc_aws_take(zinc_aws *a, zinc_aws_lease **out, const zinc_wait *wait, zinc_error *err)
{
	zinc_status st;

	*out = NULL;
	pthread_mutex_lock(&a->lock);
	st = take(a, wait, err);
	if (st == ZINC_OK) {
		atomic_fetch_add(&a->now->refs, 1);
		*out = &a->now->shown;
	}
	pthread_mutex_unlock(&a->lock);
	return st;
}

void
zinc_aws_refused(zinc_aws *a, zinc_aws_lease *shown)
{
	pthread_mutex_lock(&a->lock);
	if (a->now && (!shown || shown == &a->now->shown) && zinc_now(a->ctx) >= a->now->found + YOUNG)
		a->now->refused = true;
	pthread_mutex_unlock(&a->lock);
}

static bool
shows(const lease *l, zinc_bytes text)
{
	const zinc_aws_keys *keys = l ? l->shown.keys : NULL;

	return keys && (zinc_secret_shows(keys->secret, strlen(keys->secret), text) ||
			(keys->token && zinc_secret_shows(keys->token, strlen(keys->token), text)));
}

bool
zinc_aws_shows_secret(zinc_aws *a, zinc_bytes text)
{
	bool found;

	pthread_mutex_lock(&a->lock);
	found = shows(a->now, text) || shows(a->before, text);
	pthread_mutex_unlock(&a->lock);
	return found;
}

/* ---- new and free ---- */

static void
after_fork(void *object)
{
	zinc_aws *a = (zinc_aws *)object;

	a->searching = false; /* that thread is not here */
	zinc_wait_cond_init(&a->ended);
}

static const char *
first_of(const char *a, const char *b)
{
	return a ? a : b;
}

static zinc_status
copy_config(zinc_aws *a, const zinc_aws_config *c, zinc_error *err)
{
	bool ok = true;

	a->config = *c;
	a->config.id = copy_text(a->pool, c->id, &ok);
	a->config.secret = copy_text(a->pool, c->secret, &ok);
	a->config.token = copy_text(a->pool, c->token, &ok);
	a->config.profile = copy_text(a->pool, c->profile, &ok);
	a->config.region = copy_text(a->pool, c->region, &ok);
	a->config.ca_file = copy_text(a->pool, c->ca_file, &ok);
	return ok ? ZINC_OK : zinc_fail_nomem(err);
}

/* What the files say, apart from keys.  With anonymous requests the files are read for the endpoint and the region. */
static zinc_status
read_profile(zinc_aws *a, zinc_error *err)
{
	zinc_aws_profiles p = {NULL};
	const char *name, *region, *ca;
	bool named, ok = true;

	ZINC_TRY(zinc_aws_profiles_read(&p, a->pool, err));
	name = zinc_aws_profile_name(&a->config, &named);
	if (named && !zinc_aws_profiles_has(&p, ZINC_AWS_PROFILE, name))
		return zinc_fail(
		    err, ZINC_E_INVALID,
		    "there is no profile %.100s in the files of profiles (~/.aws/config, ~/.aws/credentials)", name);
	region = first_of(zinc_env("AWS_REGION"), zinc_env("AWS_DEFAULT_REGION"));
	if (!region)
		region = zinc_aws_profiles_get(&p, ZINC_AWS_PROFILE, name, "region");
	ca = first_of(zinc_env("AWS_CA_BUNDLE"), zinc_aws_profiles_get(&p, ZINC_AWS_PROFILE, name, "ca_bundle"));
	a->region = copy_text(a->pool, region, &ok);
	a->ca_file = copy_text(a->pool, ca, &ok);
	a->endpoint = copy_text(a->pool, zinc_aws_profiles_endpoint(&p, name, "s3"), &ok);
	if (!a->config.region)
		a->config.region = a->region;
	if (!a->config.ca_file)
		a->config.ca_file = a->ca_file;
	return ok ? ZINC_OK : zinc_fail_nomem(err);
}

static zinc_status
init(zinc_aws *a, const zinc_aws_config *config, zinc_error *err)
{
	ZINC_TRY(zinc_secret_new(&a->pool, a->ctx, ZINC_AWS_MAX_POOL, err));
	ZINC_TRY(copy_config(a, config, err));
	return read_profile(a, err);
}

zinc_status
zinc_aws_new(zinc_aws **out, zinc_context *ctx, const zinc_aws_config *config, zinc_error *err)
{
	zinc_aws *a;
	zinc_status st;

	ctx = zinc_context_get(ctx);
	a = (zinc_aws *)zinc_calloc(ctx, 1, sizeof *a);
	if (!a)
		return zinc_fail_nomem(err);
	a->ctx = ctx;
	pthread_mutex_init(&a->lock, NULL);
	zinc_wait_cond_init(&a->ended);
	st = init(a, config, err);
	if (st != ZINC_OK) {
		zinc_aws_free(a);
		return st;
	}
	a->fork = (zinc_fork_hook){.lock = &a->lock, .child = after_fork, .object = a};
	zinc_fork_add(&a->fork);
	*out = a;
	return ZINC_OK;
}

void
zinc_aws_free(zinc_aws *a)
{
	if (!a)
		return;
	zinc_fork_remove(&a->fork);
	lease_release(a->now);
	lease_release(a->before);
	zinc_secret_free(a->pool);
	pthread_cond_destroy(&a->ended);
	pthread_mutex_destroy(&a->lock);
	zinc_free(a->ctx, a);
}

/* ---- facts ---- */

const char *
zinc_aws_region(const zinc_aws *a)
{
	return a->region;
}

const char *
zinc_aws_endpoint(const zinc_aws *a)
{
	return a->endpoint;
}

const char *
zinc_aws_ca_file(const zinc_aws *a)
{
	return a->ca_file;
}

bool
zinc_aws_advice(zinc_aws *a, char *out, size_t cap)
{
	pthread_mutex_lock(&a->lock);
	snprintf(out, cap, "%s", a->advice);
	pthread_mutex_unlock(&a->lock);
	return out[0] != '\0';
}
