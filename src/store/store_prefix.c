/*
 * store_prefix.c - the keys of a store below a prefix, under shorter names
 *
 * Promises (tests/unit/test_store_prefix.c names each by its number):
 *
 * (1) Nothing outside the prefix can be read, changed or listed.
 * (2) Keys are returned without the prefix in listings, in outcomes of a commit and in leftovers.  Errors keep the full
 *     key of the innermost store, so that it can be found.
 */
#include "store/store_inside.h"

typedef struct prefixed {
	zinc_store *next;
	size_t n;
	char prefix[];
} prefixed;

/* The key in the store below. */
static zinc_status
whole_key(zinc_buf *out, const prefixed *p, const char *key, zinc_error *err)
{
	zinc_buf_init(out, p->next->ctx, ZINC_MAX_KEY);
	ZINC_TRY(zinc_buf_add(out, p->prefix, p->n, err));
	ZINC_TRY(zinc_buf_puts(out, key, err));
	return ZINC_OK;
}

static void
prefix_close(void *self)
{
	prefixed *p = (prefixed *)self;
	zinc_context *ctx = p->next->ctx;

	zinc_store_close(p->next);
	zinc_free(ctx, p);
}

/* The prefix uses up part of a key's length. */
static void
prefix_caps(void *self, zinc_caps *out)
{
	const prefixed *p = (const prefixed *)self;

	zinc_store_caps(p->next, out);
	if (out->key_max)
		out->key_max = out->key_max > p->n ? out->key_max - (uint32_t)p->n : 1;
}

/* ---- get ---- */

/* Make the keys of a copied batch of n elements whole, in one buffer.  `nbytes` is the size of an element, and `at` the
 * offset of its key pointer. */
static zinc_status
whole_batch(const prefixed *p, void *batch, size_t n, size_t nbytes, size_t at, zinc_buf *keys, zinc_error *err)
{
	uint8_t *element = (uint8_t *)batch + at;
	const char *key;
	size_t i;

	for (i = 0; i < n; i++, element += nbytes) {
		memcpy(&key, element, sizeof key);
		ZINC_TRY(zinc_buf_add(keys, p->prefix, p->n, err));
		ZINC_TRY(zinc_buf_add(keys, key, strlen(key) + 1, err));
	}
	key = (const char *)keys->p; /* the buffer grows no more */
	element = (uint8_t *)batch + at;
	for (i = 0; i < n; i++, element += nbytes) {
		memcpy(element, &key, sizeof key);
		key += strlen(key) + 1;
	}
	return ZINC_OK;
}

/* A copy of the batch with whole keys; free it with free_batch, also after a failure. */
static zinc_status
copy_batch(const prefixed *p, void **out, const void *batch, size_t n, size_t nbytes, size_t at, zinc_buf *keys,
	   zinc_error *err)
{
	zinc_context *ctx = p->next->ctx;

	zinc_buf_init(keys, ctx, zinc_max_list(ctx));
	*out = zinc_calloc(ctx, n, nbytes);
	if (!*out)
		return zinc_fail_nomem(err);
	memcpy(*out, batch, n * nbytes);
	return whole_batch(p, *out, n, nbytes, at, keys, err);
}

static void
free_batch(const prefixed *p, void *batch, zinc_buf *keys)
{
	zinc_buf_fini(keys);
	zinc_free(p->next->ctx, batch);
}

/* Two allocations for the whole batch, whatever its length. */
static zinc_status
prefix_get(void *self, const zinc_get *requests, size_t n, const zinc_sink *sink, const zinc_wait *wait,
	   zinc_error *err)
{
	const prefixed *p = (const prefixed *)self;
	zinc_buf keys;
	void *whole;
	zinc_status st = copy_batch(p, &whole, requests, n, sizeof *requests, offsetof(zinc_get, key), &keys, err);

	if (st == ZINC_OK)
		st = zinc_store_get(p->next, (const zinc_get *)whole, n, sink, wait, err);
	free_batch(p, whole, &keys);
	return st;
}

static zinc_status
prefix_lend(void *self, const char *key, zinc_lent *out, const zinc_wait *wait, zinc_error *err)
{
	const prefixed *p = (const prefixed *)self;
	zinc_buf whole;
	zinc_status st = whole_key(&whole, p, key, err);

	if (st == ZINC_OK)
		st = zinc_store_lend(p->next, zinc_buf_text(&whole), out, wait, err);
	zinc_buf_fini(&whole);
	return st;
}

/* ---- changes ---- */

static zinc_status
prefix_put(void *self, zinc_put_group *group, const zinc_put *puts, size_t n, const zinc_done *done, uint32_t flags,
	   const zinc_wait *wait, zinc_error *err)
{
	const prefixed *p = (const prefixed *)self;
	zinc_buf keys;
	void *whole;
	zinc_status st = copy_batch(p, &whole, puts, n, sizeof *puts, offsetof(zinc_put, key), &keys, err);

	if (st == ZINC_OK)
		st = zinc_store_put_many(p->next, group, (const zinc_put *)whole, n, done, flags, wait, err);
	free_batch(p, whole, &keys);
	return st;
}

static zinc_status
prefix_del(void *self, zinc_put_group *group, const zinc_del *dels, size_t n, const zinc_done *done, uint32_t flags,
	   const zinc_wait *wait, zinc_error *err)
{
	const prefixed *p = (const prefixed *)self;
	zinc_buf keys;
	void *whole;
	zinc_status st = copy_batch(p, &whole, dels, n, sizeof *dels, offsetof(zinc_del, key), &keys, err);

	if (st == ZINC_OK)
		st = zinc_store_del_many(p->next, group, (const zinc_del *)whole, n, done, flags, wait, err);
	free_batch(p, whole, &keys);
	return st;
}

/* A group is that of the store below. */
static zinc_status
prefix_put_begin(void *self, zinc_put_group **group, uint32_t flags, const zinc_wait *wait, zinc_error *err)
{
	return zinc_store_put_begin(((prefixed *)self)->next, group, flags, wait, err);
}

typedef struct named_commit {
	const prefixed *p;
	zinc_committed_fn fn;
	void *arg;
} named_commit;

static void
committed(void *arg, const char *key, zinc_status st, const zinc_error *error)
{
	const named_commit *c = (const named_commit *)arg;

	c->fn(c->arg, key + c->p->n, st, error);
}

static zinc_status
prefix_commit(void *self, zinc_put_group *group, zinc_committed_fn fn, void *arg, const zinc_wait *wait,
	      zinc_error *err)
{
	const prefixed *p = (const prefixed *)self;
	named_commit c = {p, fn, arg};

	return zinc_store_commit(p->next, group, fn ? committed : NULL, &c, wait, err);
}

static void
prefix_abort(void *self, zinc_put_group *group)
{
	zinc_store_abort(((prefixed *)self)->next, group);
}

/* Called only if caps have UPDATE, so single_writer is not needed. */
static zinc_status
prefix_update(void *self, const char *key, zinc_update_fn fn, void *arg, uint64_t limit, uint32_t flags,
	      const zinc_wait *wait, zinc_error *err)
{
	const prefixed *p = (const prefixed *)self;
	zinc_buf whole;
	zinc_status st = whole_key(&whole, p, key, err);

	if (st == ZINC_OK)
		st = zinc_store_update(p->next, zinc_buf_text(&whole), fn, arg, 0, limit, flags, wait, err);
	zinc_buf_fini(&whole);
	return st;
}

static zinc_status
prefix_splice(void *self, const char *key, zinc_splice_fn fn, void *arg, uint64_t limit, uint32_t flags,
	      const zinc_wait *wait, zinc_error *err)
{
	const prefixed *p = (const prefixed *)self;
	zinc_buf whole;
	zinc_status st = whole_key(&whole, p, key, err);

	if (st == ZINC_OK)
		st = zinc_store_splice(p->next, zinc_buf_text(&whole), fn, arg, 0, limit, flags, wait, err);
	zinc_buf_fini(&whole);
	return st;
}

zinc_status
zinc_prefix_del_prefix(void *self, const char *prefix, uint32_t flags, const zinc_wait *wait, zinc_error *err)
{
	const prefixed *p = (const prefixed *)self;
	zinc_buf whole;
	zinc_status st = whole_key(&whole, p, prefix, err);

	if (st == ZINC_OK)
		st = zinc_store_del_prefix(p->next, zinc_buf_text(&whole), flags, wait, err);
	zinc_buf_fini(&whole);
	return st;
}

zinc_store *
zinc_prefix_next(void *self)
{
	return ((const prefixed *)self)->next;
}

zinc_status
zinc_prefix_erase_begin(void *self, const char *prefix, zinc_put_group **group, uint32_t flags, const zinc_wait *wait,
			zinc_error *err)
{
	const prefixed *p = (const prefixed *)self;
	zinc_buf whole;
	zinc_status st = whole_key(&whole, p, prefix, err);

	if (st == ZINC_OK)
		st = zinc_store_erase_begin(p->next, zinc_buf_text(&whole), group, flags, wait, err);
	zinc_buf_fini(&whole);
	return st;
}

static zinc_status
prefix_sync(void *self, const zinc_wait *wait, zinc_error *err)
{
	return zinc_store_sync(((prefixed *)self)->next, wait, err);
}

/* ---- listing ---- */

typedef struct named_list {
	const prefixed *p;
	zinc_lister to;
	zinc_scrub_fn scrub_fn;
	void *arg;
} named_list;

static int
listed_key(void *arg, const char *key, uint64_t nbytes)
{
	const named_list *l = (const named_list *)arg;

	return l->to.key(l->to.arg, key + l->p->n, nbytes);
}

static int
listed_entry(void *arg, const char *name, int is_prefix)
{
	const named_list *l = (const named_list *)arg;

	return l->to.entry(l->to.arg, name + l->p->n, is_prefix);
}

/* `holds` takes the entry of the inner store, so only the copy is renamed. */
static int
listed_non_key(void *arg, const zinc_non_key *non_key)
{
	const named_list *l = (const named_list *)arg;
	zinc_non_key named = *non_key;

	named.key += l->p->n;
	return l->to.non_key(l->to.arg, &named);
}

/* The prefix itself may be an empty directory; it is not below the prefix. */
static int
listed_leftover(void *arg, const char *name, const char *key, const char *what)
{
	const named_list *l = (const named_list *)arg;

	if (strncmp(name, l->p->prefix, l->p->n) != 0)
		return l->scrub_fn(l->arg, name, key, what); /* beside an archive */
	return strlen(name) > l->p->n ? l->scrub_fn(l->arg, name + l->p->n, key ? key + l->p->n : NULL, what)
				      : ZINC_SCRUB_KEEP;
}

static zinc_status
prefix_walk(void *self, const char *prefix, const zinc_lister *to, const zinc_wait *wait, zinc_error *err)
{
	const prefixed *p = (const prefixed *)self;
	named_list l = {p, *to, NULL, NULL};
	zinc_lister whole_names = {
	    .size = sizeof whole_names, .arg = &l, .own = to->own, .locks = to->locks, .likely = to->likely};
	zinc_buf whole;
	zinc_status st = whole_key(&whole, p, prefix, err);

	whole_names.key = to->key ? listed_key : NULL;
	whole_names.entry = to->entry ? listed_entry : NULL;
	whole_names.non_key = to->non_key ? listed_non_key : NULL;
	if (st == ZINC_OK)
		st = zinc_store_walk(p->next, zinc_buf_text(&whole), &whole_names, wait, err);
	zinc_buf_fini(&whole);
	return st;
}

static zinc_status
prefix_scrub(void *self, const char *prefix, int remove, zinc_scrub_fn fn, void *arg, const zinc_wait *wait,
	     zinc_error *err)
{
	const prefixed *p = (const prefixed *)self;
	named_list l = {p, {.key = NULL}, fn, arg};
	zinc_buf whole;
	zinc_status st = whole_key(&whole, p, prefix, err);

	if (st == ZINC_OK)
		st = zinc_store_scrub(p->next, zinc_buf_text(&whole), remove, listed_leftover, &l, wait, err);
	zinc_buf_fini(&whole);
	return st;
}

/* ---- the object ---- */

static const zinc_store_ops prefix_ops = {
    .size = sizeof(zinc_store_ops),
    .name = "prefix",
    .purpose = "the keys of another store below a prefix",
    .close = prefix_close,
    .caps = prefix_caps,
    .get = prefix_get,
    .put = prefix_put,
    .del = prefix_del,
    .put_begin = prefix_put_begin,
    .commit = prefix_commit,
    .abort = prefix_abort,
    .update = prefix_update,
    .splice = prefix_splice,
    .del_prefix = zinc_prefix_del_prefix,
    .sync = prefix_sync,
    .scrub = prefix_scrub,
    .walk = prefix_walk,
    .lend = prefix_lend,
};

static zinc_status
prefix_url(zinc_buf *out, const zinc_store *next, const char *prefix, zinc_error *err)
{
	size_t n = strlen(next->url);
	const char *slash = n && next->url[n - 1] == '/' ? "" : "/";

	zinc_buf_init(out, next->ctx, ZINC_MAX_KEY);
	return zinc_buf_printf(out, err, "%s%s%s", next->url, slash, prefix);
}

/* The reference is taken last, so that a failure has nothing to undo. */
zinc_status
zinc_store_prefix(zinc_store **out, zinc_store *next, const char *prefix, zinc_error *err)
{
	prefixed *p;
	zinc_buf url;
	zinc_status st;
	size_t n, total;

	ZINC_TRY(ZINC_NEED(out && next && prefix, err));
	ZINC_TRY(zinc_prefix_check(prefix, err));
	n = strlen(prefix);
	p = zinc_size_add(n, sizeof *p + 1, &total) ? NULL : (prefixed *)zinc_alloc(next->ctx, total);
	if (!p)
		return zinc_fail_nomem(err);
	p->next = next;
	p->n = n;
	memcpy(p->prefix, prefix, n + 1);
	st = prefix_url(&url, next, prefix, err);
	if (st == ZINC_OK)
		st = zinc_store_wrap(out, next->ctx, &prefix_ops, p, zinc_buf_text(&url), err);
	zinc_buf_fini(&url);
	if (st != ZINC_OK)
		zinc_free(next->ctx, p);
	else
		zinc_store_identify_as(*out, zinc_store_ref(next), prefix);
	return st;
}
