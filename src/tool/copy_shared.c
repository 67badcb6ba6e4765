/*
 * copy_shared.c - would --overwrite erase something of the source?
 *
 * Through a link in the source, one of its keys may be a file of the old target:
 *
 *   o.zarr/a -> ../s.zarr/a        zinc cp --overwrite o.zarr s.zarr
 *
 * URLs do not show this, and the tags of the two top nodes may not.  So the tags of all keys of the source are compared
 * with those of the old target, on stores whose tags distinguish files of one machine.  A file that both have under two
 * names (a hard link) looks the same, and is also refused.
 */
#include <pthread.h>
#include <stdlib.h>

#include "tool/copy.h"

/* Keys per request. */
#define WINDOW 4096

bool
zinc_cp_has_tags(const zinc_hierarchy *h)
{
	zinc_caps caps = ZINC_CAPS_INIT;

	zinc_store_caps(h->store, &caps);
	return (caps.flags & ZINC_CAP_TAGS) && !(caps.flags & ZINC_CAP_REMOTE);
}

zinc_status
zinc_cp_note_tag(zinc_cp *c, const zinc_tag *tag, zinc_error *err)
{
	const uint64_t word = zinc_cp_hash(0, tag->b, tag->n);

	if (!c->o.overwrite || tag->n == 0 || !zinc_cp_has_tags(c->to))
		return ZINC_OK;
	return zinc_buf_add(&c->tags, &word, sizeof word, err);
}

static int
by_word(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

struct shared {
	zinc_cp *c;
	zinc_store *store;
	zinc_buf keys; /* of the window, each with its NUL */
	size_t n;
	zinc_get *requests;
	size_t found; /* number of a request, or SIZE_MAX */
	pthread_mutex_t lock;
	zinc_status status;
	zinc_error *err;
};

/* May be called by several threads.  Erasing reports keys that cannot be read. */
static void
compare_tag(void *arg, size_t i, const zinc_got *got)
{
	struct shared *x = arg;
	const zinc_buf *tags = &x->c->tags;
	uint64_t word;

	if (got->found != ZINC_FOUND || !got->tag || got->tag->n == 0)
		return;
	word = zinc_cp_hash(0, got->tag->b, got->tag->n);
	if (!bsearch(&word, tags->p, tags->n / sizeof word, sizeof word, by_word))
		return;
	pthread_mutex_lock(&x->lock);
	x->found = i < x->found ? i : x->found;
	pthread_mutex_unlock(&x->lock);
}

static zinc_status
compare_window(struct shared *x)
{
	const zinc_sink sink = {sizeof sink, zinc_cp_no_room, compare_tag, x};
	const char *key = NULL;
	size_t i;

	for (i = 0; i < x->n; i++) {
		key = zinc_cp_next(&x->keys, key);
		x->requests[i] = (zinc_get){.key = key, .stat = 1};
	}
	x->found = SIZE_MAX;
	ZINC_TRY(zinc_store_get(x->store, x->requests, x->n, &sink, &x->c->wait, x->err));
	if (x->found < x->n) {
		zinc_fail(x->err, ZINC_E_INVALID,
			  "the source would be erased with the target: a link leads from one to the other");
		return zinc_error_at_key(x->err, ZINC_E_INVALID, x->requests[x->found].key);
	}
	x->keys.n = x->n = 0;
	return ZINC_OK;
}

static int
add_key(void *arg, const char *key, uint64_t nbytes)
{
	struct shared *x = arg;

	(void)nbytes;
	x->status = zinc_buf_add(&x->keys, key, strlen(key) + 1, x->err);
	if (x->status == ZINC_OK && ++x->n == WINDOW)
		x->status = compare_window(x);
	return x->status != ZINC_OK;
}

/* Only what would be erased: a link itself, not its destination. */
static zinc_status
compare_prefix(void *arg, const char *prefix, zinc_error *err)
{
	struct shared *x = arg;
	const zinc_lister to = {.size = sizeof to, .key = add_key, .arg = x, .own = 1};

	ZINC_TRY(zinc_store_walk(x->store, prefix, &to, x->c->to->wait, err));
	return x->status;
}

/* List the old target, by the prefixes that erasing it would list. */
static zinc_status
compare_target(struct shared *x, const zinc_hierarchy *old, const char *path)
{
	return path[1] ? zinc_node_prefixes(old, path, compare_prefix, x, x->err)
		       : compare_prefix(x, old->prefix, x->err);
}

zinc_status
zinc_cp_check_shared(zinc_cp *c, zinc_error *err)
{
	const zinc_hierarchy *old = c->old ? c->old : c->to;
	struct shared x = {.c = c, .store = old->store, .lock = PTHREAD_MUTEX_INITIALIZER, .err = err};
	zinc_status st;

	if (c->tags.n == 0)
		return ZINC_OK;
	qsort(c->tags.p, c->tags.n / sizeof(uint64_t), sizeof(uint64_t), by_word);
	zinc_buf_init(&x.keys, c->ctx, zinc_max_list(c->ctx));
	x.requests = zinc_calloc(c->ctx, WINDOW, sizeof *x.requests);
	st = x.requests ? compare_target(&x, old, c->old ? c->old->path : c->to_path) : zinc_fail_nomem(err);
	if (st == ZINC_OK && x.n > 0)
		st = compare_window(&x);
	zinc_free(c->ctx, x.requests);
	zinc_buf_fini(&x.keys);
	pthread_mutex_destroy(&x.lock);
	return st;
}
