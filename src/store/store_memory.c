/*
 * store_memory.c - keys and bytes in the memory of this process; the reference implementation of a store
 *
 * Promises (tests/unit/test_store_memory.c names each by its number):
 *
 * (1) A value is never modified.  Readers hold a reference to the value they found, so they see the old bytes or the
 *     new bytes, and nothing is copied while the lock is held.
 * (2) No two values of this process ever have the same tag.
 * (3) While the caller's function runs, update excludes other updates of its key but holds no lock; if the key is put
 *     meanwhile, the function is called again.
 * (4) Finding, putting and deleting one of n keys takes O(log n) steps (a skip list).
 * (5) "memory://name" is one store for all who have it open, and is freed by the last close; "memory://" without a name
 *     is a new store each time.
 * (6) The store works in a forked child, whatever other threads were doing.
 *
 * Named stores use the process's default context: the context of the first opener may be freed before the others close
 * the store.
 */
#include "store/store_inside.h"

/* Enough for 4^16 keys: each level holds a quarter of the one below. */
#define LEVELS 16

/* list passes on this many keys between two locks. */
#define LIST_BATCH 256

#define MEMORY_CAPS                                                                                                    \
	(ZINC_CAP_READ | ZINC_CAP_RANGE | ZINC_CAP_SUFFIX_RANGE | ZINC_CAP_LIST | ZINC_CAP_WRITE | ZINC_CAP_ERASE |    \
	 ZINC_CAP_ATOMIC_PUT | ZINC_CAP_CAS | ZINC_CAP_READ_AFTER_WRITE | ZINC_CAP_LIST_AFTER_WRITE |                  \
	 ZINC_CAP_UPDATE | ZINC_CAP_TAGS)

typedef struct value {
	atomic_uint refs;
	zinc_context *ctx;
	zinc_tag tag;
	size_t nbytes;
	uint8_t bytes[];
} value;

typedef struct node {
	value *value;
	char *key; /* stored after `next` */
	int level;
	struct node *next[];
} node;

/* A key under update; on the stack of the updating thread. */
typedef struct updating {
	const char *key;
	struct updating *next;
} updating;

typedef struct memory {
	zinc_context *ctx;
	char *name; /* "" for a private store */
	unsigned opened;
	struct memory *next; /* in the list of named stores */

	pthread_mutex_t lock;
	pthread_cond_t updated;
	zinc_fork_hook fork;
	updating *updates;
	node *head[LEVELS];
	uint64_t random;
} memory;

/* Named stores. */
static struct {
	pthread_mutex_t lock;
	pthread_once_t once;
	zinc_fork_hook fork;
	memory *first;
} named = {.lock = PTHREAD_MUTEX_INITIALIZER, .once = PTHREAD_ONCE_INIT, .fork = {.lock = &named.lock}};

static atomic_uint_fast64_t generation; /* of the newest value */

/* ---- values ---- */

static void
value_unref(value *v)
{
	if (v && atomic_fetch_sub_explicit(&v->refs, 1, memory_order_acq_rel) == 1)
		zinc_free(v->ctx, v);
}

static value *
value_ref(value *v)
{
	if (v)
		atomic_fetch_add_explicit(&v->refs, 1, memory_order_relaxed);
	return v;
}

/* The tag is taken before the value is stored; unused numbers do no harm. */
static zinc_status
value_new(value **out, zinc_context *ctx, const struct iovec *iov, int niov, zinc_error *err)
{
	uint64_t number = atomic_fetch_add(&generation, 1) + 1;
	size_t n, total;
	value *v;

	if (zinc_iov_bytes(iov, niov, &n) || zinc_size_add(n, sizeof *v, &total))
		return zinc_fail_nomem(err);
	v = (value *)zinc_alloc(ctx, total);
	if (!v)
		return zinc_fail_nomem(err);
	atomic_init(&v->refs, 1);
	v->ctx = ctx;
	v->nbytes = n;
	v->tag.n = sizeof number;
	memcpy(v->tag.b, &number, sizeof number);
	zinc_iov_gather(iov, niov, v->bytes, n);
	*out = v;
	return ZINC_OK;
}

/* ---- the skip list; the functions below need the lock ---- */

/* The first node whose key is not less than `key`, or NULL; before[l] is the link that precedes it on level l. */
static node *
seek(memory *m, const char *key, node **before[LEVELS])
{
	node **links = m->head;
	int l;

	for (l = LEVELS - 1; l >= 0; l--) {
		while (links[l] && strcmp(links[l]->key, key) < 0)
			links = links[l]->next;
		if (before)
			before[l] = &links[l];
	}
	return links[0];
}

static node *
find(memory *m, const char *key)
{
	node *at = seek(m, key, NULL);

	return at && strcmp(at->key, key) == 0 ? at : NULL;
}

/* xorshift64: one more level with probability 1/4. */
static int
random_level(memory *m)
{
	int level = 1;

	m->random ^= m->random << 13;
	m->random ^= m->random >> 7;
	m->random ^= m->random << 17;
	while (level < LEVELS && (m->random >> (2 * level) & 3) == 0)
		level++;
	return level;
}

/* One block holds links and key, so a key costs one allocation. */
static zinc_status
insert(memory *m, const char *key, value *v, zinc_error *err)
{
	node **before[LEVELS];
	size_t links, nkey = strlen(key) + 1, total;
	int level = random_level(m), l;
	node *n;

	if (zinc_size_mul((size_t)level, sizeof n->next[0], &links) || zinc_size_add(sizeof *n, links, &links) ||
	    zinc_size_add(links, nkey, &total))
		return zinc_fail_nomem(err);
	n = (node *)zinc_alloc(m->ctx, total);
	if (!n)
		return zinc_fail_nomem(err);
	n->value = v;
	n->level = level;
	n->key = (char *)n + links;
	memcpy(n->key, key, nkey);
	seek(m, key, before);
	for (l = 0; l < level; l++) {
		n->next[l] = *before[l];
		*before[l] = n;
	}
	return ZINC_OK;
}

/* The links to the node are searched again, because nodes do not store them. */
static void
remove_node(memory *m, node *n)
{
	node **before[LEVELS];
	int l;

	seek(m, n->key, before);
	for (l = 0; l < n->level; l++)
		*before[l] = n->next[l];
	value_unref(n->value);
	zinc_free(m->ctx, n);
}

static zinc_status
check_condition(const node *n, const zinc_condition *when, zinc_error *err)
{
	if (!when)
		return ZINC_OK;
	if (when->when == ZINC_ABSENT && n)
		return zinc_fail(err, ZINC_E_EXISTS, "the key already exists");
	if (when->when == ZINC_EQUALS && (!n || !zinc_tag_equal(when->tag, &n->value->tag)))
		return zinc_fail(err, ZINC_E_CONFLICT, "the value is no longer the one that was read");
	return ZINC_OK;
}

/* Replace or insert; takes over the reference to `v` on success. */
static zinc_status
set(memory *m, const char *key, value *v, const zinc_condition *when, value **old, zinc_error *err)
{
	node *n = find(m, key);

	ZINC_TRY(check_condition(n, when, err));
	if (!n)
		return insert(m, key, v, err);
	*old = n->value;
	n->value = v;
	return ZINC_OK;
}

static zinc_status
erase(memory *m, const char *key, const zinc_condition *when, zinc_error *err)
{
	node *n = find(m, key);

	ZINC_TRY(check_condition(n, when, err));
	if (n)
		remove_node(m, n);
	return ZINC_OK;
}

/* ---- operations ---- */

static zinc_status
read_value(void *arg, uint64_t offset, uint64_t nbytes, const struct iovec *iov, int niov, zinc_error *err)
{
	(void)err;
	zinc_iov_scatter(iov, niov, ((const value *)arg)->bytes + (size_t)offset, (size_t)nbytes);
	return ZINC_OK;
}

static value *
take_value(memory *m, const char *key)
{
	value *v;
	node *n;

	pthread_mutex_lock(&m->lock);
	n = find(m, key);
	v = n ? value_ref(n->value) : NULL;
	pthread_mutex_unlock(&m->lock);
	return v;
}

/* The lock is held only for the lookup; copying and callbacks run without it. */
static zinc_status
memory_get(void *self, const zinc_get *requests, size_t n, const zinc_sink *sink, const zinc_wait *wait,
	   zinc_error *err)
{
	value *v;
	size_t i;

	(void)err;
	for (i = 0; i < n; i++) {
		if (zinc_sink_cancelled(sink, i, wait))
			continue;
		v = take_value((memory *)self, requests[i].key);
		if (v)
			zinc_sink_serve(sink, i, &requests[i], v->nbytes, &v->tag, read_value, v, wait);
		else
			zinc_sink_missing(sink, i);
		value_unref(v);
	}
	return ZINC_OK;
}

/* The value is created before the lock is taken, and the old one is freed after. */
static zinc_status
put_one(memory *m, const zinc_put *put, zinc_tag *tag, zinc_error *err)
{
	value *v = NULL, *old = NULL;
	zinc_status st;

	ZINC_TRY(value_new(&v, m->ctx, put->iov, put->niov, err));
	*tag = v->tag;
	pthread_mutex_lock(&m->lock);
	st = set(m, put->key, v, put->when, &old, err);
	pthread_mutex_unlock(&m->lock);
	value_unref(st == ZINC_OK ? old : v);
	return st;
}

static zinc_status
memory_put(void *self, zinc_put_group *group, const zinc_put *puts, size_t n, const zinc_done *done, uint32_t flags,
	   const zinc_wait *wait, zinc_error *err)
{
	zinc_tag tag = {0, {0}};
	size_t i;

	(void)group, (void)flags, (void)err;
	for (i = 0; i < n; i++) {
		zinc_error e = ZINC_ERROR_INIT;
		zinc_status st = zinc_wait_check(wait, &e);

		if (st == ZINC_OK)
			st = put_one((memory *)self, &puts[i], &tag, &e);
		zinc_done_report(done, i, st, &tag, &e);
	}
	return ZINC_OK;
}

static zinc_status
del_one(memory *m, const char *key, const zinc_condition *when, zinc_error *err)
{
	zinc_status st;

	pthread_mutex_lock(&m->lock);
	st = erase(m, key, when, err);
	pthread_mutex_unlock(&m->lock);
	return st;
}

static zinc_status
memory_del(void *self, zinc_put_group *group, const zinc_del *dels, size_t n, const zinc_done *done, uint32_t flags,
	   const zinc_wait *wait, zinc_error *err)
{
	size_t i;

	(void)group, (void)flags, (void)err;
	for (i = 0; i < n; i++) {
		zinc_error e = ZINC_ERROR_INIT;
		zinc_status st = zinc_wait_check(wait, &e);

		if (st == ZINC_OK)
			st = del_one((memory *)self, dels[i].key, dels[i].when, &e);
		zinc_done_report(done, i, st, NULL, &e);
	}
	return ZINC_OK;
}

/* In one locked step: no reader sees half of it. */
static zinc_status
memory_del_prefix(void *self, const char *prefix, uint32_t flags, const zinc_wait *wait, zinc_error *err)
{
	memory *m = (memory *)self;
	size_t n = strlen(prefix);
	node *at, *next;

	(void)flags, (void)wait, (void)err;
	pthread_mutex_lock(&m->lock);
	for (at = seek(m, prefix, NULL); at && strncmp(at->key, prefix, n) == 0; at = next) {
		next = at->next[0];
		remove_node(m, at);
	}
	pthread_mutex_unlock(&m->lock);
	return ZINC_OK;
}

/* ---- update ---- */

/* There is one entry per updating thread, so a list is enough. */
static bool
is_updating(const memory *m, const char *key)
{
	const updating *u;

	for (u = m->updates; u; u = u->next)
		if (strcmp(u->key, key) == 0)
			return true;
	return false;
}

/* The order is not fair, but there is always progress. */
static zinc_status
begin_update(memory *m, updating *u, const zinc_wait *wait, zinc_error *err)
{
	zinc_status st = ZINC_OK;

	pthread_mutex_lock(&m->lock);
	while (st == ZINC_OK && is_updating(m, u->key))
		st = zinc_wait_cond(wait, &m->updated, &m->lock, "another thread's update of the value", err);
	if (st == ZINC_OK) {
		u->next = m->updates;
		m->updates = u;
	}
	pthread_mutex_unlock(&m->lock);
	return st;
}

/* fork() empties the list, so the entry may not be in it. */
static void
end_update(memory *m, const updating *u)
{
	updating **link;

	pthread_mutex_lock(&m->lock);
	for (link = &m->updates; *link && *link != u; link = &(*link)->next)
		continue;
	if (*link)
		*link = u->next;
	pthread_cond_broadcast(&m->updated);
	pthread_mutex_unlock(&m->lock);
}

/* Apply what fn returned for the value that it got. */
static zinc_status
apply(memory *m, const char *key, const zinc_update *u, const zinc_condition *when, zinc_error *err)
{
	const struct iovec iov = {(void *)(uintptr_t)u->bytes, u->nbytes};
	const zinc_put put = {.key = key, .iov = &iov, .niov = 1, .when = when};
	zinc_tag tag;

	return u->erase ? del_one(m, key, when, err) : put_one(m, &put, &tag, err);
}

/* One try; *lost: the key was put or deleted while fn ran. */
static zinc_status
try_update(memory *m, const char *key, zinc_update_fn fn, void *arg, uint64_t limit, bool *lost, zinc_error *err)
{
	value *old = take_value(m, key);
	const zinc_condition when = {old ? ZINC_EQUALS : ZINC_ABSENT, old ? &old->tag : NULL};
	zinc_update u = {.size = sizeof u};
	zinc_status st;

	if (old && limit && old->nbytes > limit)
		st = zinc_fail(err, ZINC_E_LIMIT, "the value is longer than the limit of %llu bytes",
			       (unsigned long long)limit);
	else
		st = fn(arg, old ? old->bytes : NULL, old ? old->nbytes : 0, &u, err);
	if (st == ZINC_OK && !u.keep && (!u.erase || old)) {
		st = apply(m, key, &u, &when, err);
		*lost = st == ZINC_E_EXISTS || st == ZINC_E_CONFLICT;
	}
	value_unref(old);
	return st;
}

/* A lost try means that another put succeeded, so there is always progress. */
static zinc_status
memory_update(void *self, const char *key, zinc_update_fn fn, void *arg, uint64_t limit, uint32_t flags,
	      const zinc_wait *wait, zinc_error *err)
{
	memory *m = (memory *)self;
	zinc_error e = ZINC_ERROR_INIT;
	updating u = {key, NULL};
	zinc_status st;
	bool lost;

	(void)flags;
	ZINC_TRY(begin_update(m, &u, wait, err));
	do {
		lost = false;
		st = zinc_wait_check(wait, &e);
		if (st == ZINC_OK)
			st = try_update(m, key, fn, arg, limit, &lost, &e);
	} while (lost);
	end_update(m, &u);
	if (st != ZINC_OK)
		zinc_error_copy(err, &e);
	return st;
}

/* ---- listing ---- */

/* Keys with their NULs, and their sizes. */
typedef struct batch {
	zinc_buf keys;
	uint64_t sizes[LIST_BATCH];
	int n;
} batch;

/* Up to LIST_BATCH keys below `prefix`, from `from` on (without `from` itself if `after`). */
static zinc_status
fill_batch(memory *m, batch *b, const char *prefix, const char *from, bool after, zinc_error *err)
{
	size_t nprefix = strlen(prefix);
	zinc_status st = ZINC_OK;
	node *at;

	b->n = 0;
	zinc_buf_end(&b->keys, 0);
	pthread_mutex_lock(&m->lock);
	at = seek(m, from, NULL);
	if (at && after && strcmp(at->key, from) == 0)
		at = at->next[0];
	for (; at && b->n < LIST_BATCH && strncmp(at->key, prefix, nprefix) == 0; at = at->next[0]) {
		st = zinc_buf_add(&b->keys, at->key, strlen(at->key) + 1, err);
		if (st != ZINC_OK)
			break;
		b->sizes[b->n++] = at->value->nbytes;
	}
	pthread_mutex_unlock(&m->lock);
	return st;
}

/* Pass a batch on; returns its last key, or NULL when the callback stopped. */
static const char *
pass_batch(const batch *b, zinc_key_fn fn, void *arg)
{
	const char *key = (const char *)b->keys.p, *last = NULL;
	int i;

	for (i = 0; i < b->n; i++, key += strlen(key) + 1) {
		if (fn(arg, key, b->sizes[i]) != 0)
			return NULL;
		last = key;
	}
	return last;
}

static zinc_status
memory_list(void *self, const char *prefix, zinc_key_fn fn, void *arg, const zinc_wait *wait, zinc_error *err)
{
	memory *m = (memory *)self;
	const char *last = prefix;
	zinc_buf from;
	zinc_status st;
	batch b;

	zinc_buf_init(&b.keys, m->ctx, zinc_max_list(m->ctx));
	zinc_buf_init(&from, m->ctx, ZINC_MAX_KEY);
	do {
		zinc_buf_end(&from, 0);
		st = zinc_wait_check(wait, err);
		if (st == ZINC_OK)
			st = zinc_buf_puts(&from, last, err); /* `last` points into the batch, which is reused */
		if (st == ZINC_OK)
			st = fill_batch(m, &b, prefix, zinc_buf_text(&from), last != prefix, err);
		last = st == ZINC_OK ? pass_batch(&b, fn, arg) : NULL;
	} while (last && b.n == LIST_BATCH);
	zinc_buf_fini(&b.keys);
	zinc_buf_fini(&from);
	return st;
}

/* Not durable; merging ranges gains nothing. */
static void
memory_caps(void *self, zinc_caps *out)
{
	(void)self;
	out->flags = MEMORY_CAPS;
	out->parallel = 1;
}

/* ---- open and close ---- */

/* The threads that updated or waited do not exist in the child. */
static void
child_after_fork(void *object)
{
	memory *m = (memory *)object;

	m->updates = NULL;
	zinc_wait_cond_init(&m->updated);
}

static zinc_status
memory_new(memory **out, zinc_context *ctx, const char *name, zinc_error *err)
{
	memory *m = (memory *)zinc_calloc(ctx, 1, sizeof *m);

	if (!m)
		return zinc_fail_nomem(err);
	m->ctx = ctx;
	m->opened = 1;
	m->random = 0x9E3779B97F4A7C15u;
	m->name = zinc_strdup(ctx, name);
	if (!m->name || pthread_mutex_init(&m->lock, NULL) != 0) {
		zinc_free(ctx, m->name);
		zinc_free(ctx, m);
		return zinc_fail_nomem(err);
	}
	zinc_wait_cond_init(&m->updated);
	m->fork = (zinc_fork_hook){.lock = &m->lock, .child = child_after_fork, .object = m};
	zinc_fork_add(&m->fork);
	*out = m;
	return ZINC_OK;
}

static void
memory_free(memory *m)
{
	zinc_fork_remove(&m->fork);
	memory_del_prefix(m, "", 0, NULL, NULL);
	pthread_cond_destroy(&m->updated);
	pthread_mutex_destroy(&m->lock);
	zinc_free(m->ctx, m->name);
	zinc_free(m->ctx, m);
}

/* The hook is static, so it is never removed. */
static void
hook_names(void)
{
	zinc_fork_add(&named.fork);
}

static void
lock_names(void)
{
	pthread_once(&named.once, hook_names);
	pthread_mutex_lock(&named.lock);
}

static void
unlock_names(void)
{
	pthread_mutex_unlock(&named.lock);
}

/* Find an open store by name and count one more opening; the names are locked. */
static memory *
find_named(const char *name)
{
	memory *m;

	for (m = named.first; m; m = m->next)
		if (strcmp(m->name, name) == 0) {
			m->opened++;
			return m;
		}
	return NULL;
}

static zinc_status
open_named(memory **out, const char *name, zinc_error *err)
{
	memory *m = NULL, *there;

	/* Created before the lock is taken: fork hooks must not be added under a lock that has one. */
	ZINC_TRY(memory_new(&m, zinc_context_get(NULL), name, err));
	lock_names();
	there = find_named(name);
	if (!there) {
		m->next = named.first;
		named.first = m;
	}
	unlock_names();
	if (there)
		memory_free(m);
	*out = there ? there : m;
	return ZINC_OK;
}

static zinc_status
memory_open(void **self, const char *rest, const zinc_store_options *options, zinc_error *err)
{
	memory *m = NULL;

	if (rest[0])
		ZINC_TRY(open_named(&m, rest, err));
	else
		ZINC_TRY(memory_new(&m, options->context, rest, err));
	*self = m;
	return ZINC_OK;
}

/* The path begins at the first '/': "name/path". */
static zinc_status
memory_split(const char *rest, zinc_context *ctx, size_t *nbytes, zinc_error *err)
{
	(void)ctx, (void)err;
	*nbytes = strcspn(rest, "/");
	return ZINC_OK;
}

/* The last close frees the store, outside of the lock, because fork hooks must not be removed under it. */
static void
memory_close(void *self)
{
	memory *m = (memory *)self, **link;
	bool last;

	lock_names();
	last = --m->opened == 0;
	for (link = &named.first; last && *link; link = &(*link)->next)
		if (*link == m) {
			*link = m->next;
			break;
		}
	unlock_names();
	if (last)
		memory_free(m);
}

const zinc_store_ops zinc_store_ops_memory = {
    .size = sizeof(zinc_store_ops),
    .name = "memory",
    .purpose = "keys in the memory of this process, shared by name",
    .schemes = "memory",
    .split = memory_split,
    .open = memory_open,
    .close = memory_close,
    .caps = memory_caps,
    .get = memory_get,
    .put = memory_put,
    .del = memory_del,
    .update = memory_update,
    .del_prefix = memory_del_prefix,
    .list = memory_list,
    .flags = MEMORY_CAPS,
};
