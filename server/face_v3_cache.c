/*
 * face_v3_cache.c - recoded chunks, kept by their tags, and memory for work in progress
 *
 * A tag names bytes: it is a hash of the source's tag and of the way from there.  So nothing here is ever out of date.
 * Promises (tests/unit/test_face_v3.c names each by its number):
 *
 * (1) Kept chunks take at most `memory` bytes.  A chunk that is larger is not kept.
 * (2) One chunk is made by one thread at a time; others wait for it.
 * (3) Work in progress takes at most `memory` bytes, or is that of one chunk.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "face_v3.h"

#define BUCKETS 4096

struct kept {
	struct blob *blob;
	struct kept *chain;         /* of its bucket */
	struct kept *newer, *older; /* by last use */
};

/* A chunk that is being made. */
struct flight {
	zinc_tag tag;
	struct flight *next;
};

struct cache {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	uint64_t memory, used, working;
	struct kept *bucket[BUCKETS], *newest, *oldest;
	struct flight *flights;
};

/* ---- blobs ---- */

static struct blob *
blob_new(void)
{
	struct blob *b = calloc(1, sizeof *b);

	if (b)
		b->refs = 1;
	return b;
}

struct blob *
blob_of_text(char *text)
{
	struct blob *b = text ? blob_new() : NULL;

	if (!b) {
		free(text);
		return NULL;
	}
	b->bytes = b->text = text;
	b->nbytes = strlen(text);
	b->tag.n = HASH_BYTES;
	hash_add(b->tag.b, b->bytes, (size_t)b->nbytes);
	return b;
}

struct blob *
blob_of_bytes(zinc_blob *bytes, const zinc_tag *tag)
{
	struct blob *b = blob_new();

	if (!b) {
		zinc_blob_fini(bytes);
		return NULL;
	}
	b->held = *bytes;
	*bytes = (zinc_blob)ZINC_BLOB_INIT;
	b->bytes = b->held.data;
	b->nbytes = b->held.nbytes;
	if (tag) {
		b->tag = *tag;
	} else {
		b->tag.n = HASH_BYTES;
		hash_add(b->tag.b, b->bytes, (size_t)b->nbytes);
	}
	return b;
}

struct blob *
blob_ref(struct blob *b)
{
	__atomic_add_fetch(&b->refs, 1, __ATOMIC_RELAXED);
	return b;
}

void
blob_unref(struct blob *b)
{
	if (!b || __atomic_sub_fetch(&b->refs, 1, __ATOMIC_ACQ_REL) > 0)
		return;
	zinc_blob_fini(&b->held);
	free(b->text);
	free(b);
}

/* ---- the table ---- */

static bool
same_tag(const zinc_tag *a, const zinc_tag *b)
{
	return a->n == b->n && !memcmp(a->b, b->b, a->n);
}

static struct kept **
bucket_of(struct cache *c, const zinc_tag *tag)
{
	return &c->bucket[(tag->b[0] | (unsigned)tag->b[1] << 8) % BUCKETS];
}

static uint64_t
cost(const struct blob *b)
{
	return b->nbytes + sizeof *b + sizeof(struct kept);
}

static void
unlink_use(struct cache *c, struct kept *k)
{
	*(k->newer ? &k->newer->older : &c->newest) = k->older;
	*(k->older ? &k->older->newer : &c->oldest) = k->newer;
}

static void
link_newest(struct cache *c, struct kept *k)
{
	k->newer = NULL;
	k->older = c->newest;
	*(c->newest ? &c->newest->newer : &c->oldest) = k;
	c->newest = k;
}

static void
drop(struct cache *c, struct kept *k)
{
	struct kept **p = bucket_of(c, &k->blob->tag);

	while (*p != k)
		p = &(*p)->chain;
	*p = k->chain;
	unlink_use(c, k);
	c->used -= cost(k->blob);
	blob_unref(k->blob);
	free(k);
}

static struct blob *
lookup(struct cache *c, const zinc_tag *tag)
{
	struct kept *k = *bucket_of(c, tag);

	while (k && !same_tag(&k->blob->tag, tag))
		k = k->chain;
	if (!k)
		return NULL;
	unlink_use(c, k);
	link_newest(c, k);
	return blob_ref(k->blob);
}

/* Promise (1). */
static void
keep(struct cache *c, struct blob *b)
{
	struct kept *k = cost(b) <= c->memory ? calloc(1, sizeof *k) : NULL;

	if (!k)
		return;
	while (c->used + cost(b) > c->memory)
		drop(c, c->oldest);
	k->blob = blob_ref(b);
	k->chain = *bucket_of(c, &b->tag);
	*bucket_of(c, &b->tag) = k;
	link_newest(c, k);
	c->used += cost(b);
}

/* ---- waiting ---- */

/* Sleep until something changes, and look at the deadline ten times a second. */
static zinc_status
sleep_locked(struct cache *c, const zinc_wait *wait, zinc_error *err)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += 100000000;
	if (until.tv_nsec >= 1000000000) {
		until.tv_nsec -= 1000000000;
		until.tv_sec++;
	}
	pthread_cond_timedwait(&c->changed, &c->lock, &until);
	return zinc_wait_check(wait, err);
}

static bool
is_flying(const struct cache *c, const zinc_tag *tag)
{
	const struct flight *x = c->flights;

	while (x && !same_tag(&x->tag, tag))
		x = x->next;
	return x != NULL;
}

static zinc_status
take_off(struct cache *c, const zinc_tag *tag, zinc_error *err)
{
	struct flight *x = malloc(sizeof *x);

	if (!x)
		return face_nomem(err);
	*x = (struct flight){*tag, c->flights};
	c->flights = x;
	return ZINC_OK;
}

zinc_status
cache_find(struct cache *c, const zinc_tag *tag, struct blob **out, const zinc_wait *wait, zinc_error *err)
{
	zinc_status st = ZINC_OK;

	*out = NULL;
	pthread_mutex_lock(&c->lock);
	while (st == ZINC_OK && !(*out = lookup(c, tag)) && is_flying(c, tag))
		st = sleep_locked(c, wait, err);
	if (st == ZINC_OK && !*out)
		st = take_off(c, tag, err);
	pthread_mutex_unlock(&c->lock);
	return st;
}

void
cache_done(struct cache *c, const zinc_tag *tag, struct blob *b)
{
	struct flight **p = &c->flights, *gone;

	pthread_mutex_lock(&c->lock);
	while (*p && !same_tag(&(*p)->tag, tag))
		p = &(*p)->next;
	gone = *p;
	if (gone)
		*p = gone->next;
	if (b && b->tag.n)
		keep(c, b);
	pthread_cond_broadcast(&c->changed);
	pthread_mutex_unlock(&c->lock);
	free(gone);
}

zinc_status
cache_reserve(struct cache *c, uint64_t nbytes, const zinc_wait *wait, zinc_error *err)
{
	zinc_status st = ZINC_OK;

	pthread_mutex_lock(&c->lock);
	while (st == ZINC_OK && c->working > 0 && c->working + nbytes > c->memory)
		st = sleep_locked(c, wait, err);
	if (st == ZINC_OK)
		c->working += nbytes;
	pthread_mutex_unlock(&c->lock);
	return st;
}

void
cache_release(struct cache *c, uint64_t nbytes)
{
	pthread_mutex_lock(&c->lock);
	c->working -= nbytes;
	pthread_cond_broadcast(&c->changed);
	pthread_mutex_unlock(&c->lock);
}

uint64_t
cache_bytes(struct cache *c)
{
	uint64_t used;

	pthread_mutex_lock(&c->lock);
	used = c->used;
	pthread_mutex_unlock(&c->lock);
	return used;
}

struct cache *
cache_new(uint64_t memory)
{
	struct cache *c = calloc(1, sizeof *c);

	if (!c)
		return NULL;
	c->memory = memory;
	pthread_mutex_init(&c->lock, NULL);
	pthread_cond_init(&c->changed, NULL);
	return c;
}

void
cache_free(struct cache *c)
{
	if (!c)
		return;
	while (c->oldest)
		drop(c, c->oldest);
	pthread_mutex_destroy(&c->lock);
	pthread_cond_destroy(&c->changed);
	free(c);
}
