/*
 * sharding_list.c - list and erase chunks in shards
 *
 * The shards are listed in the store below, and their indexes are read.  The chunks that exist are listed by their own keys, in byte order: "c/10/0" before "c/2/0", whichever shards they are in.
 *
 *     requested prefix            listed in the store below
 *     "" or above the array's     the same
 *     the array's "a/"            "a/"
 *     "a/c/96/"                   "a/c/3/" for 32 chunks per shard (where the key encoding allows it), else "a/"
 *     any other                   the same, passed on
 */
#include <stdlib.h>

#include "transform/transform_inside.h"

/* One key of the answer. */
typedef struct found {
	size_t at; /* offset in `text`, while it grows */
	const char *key;
	uint64_t nbytes;
} found;

typedef struct listing {
	const zinc_sharded *s;
	const char *prefix;
	size_t nprefix;
	zinc_buf names;      /* keys of shards, each with its NUL */
	const char **shards; /* the same, as pointers */
	size_t nshards;
	zinc_buf chunks; /* found[]: the keys of the answer; their texts are in `text` */
	zinc_buf text;
	const zinc_wait *wait;
	zinc_status status;
	zinc_error *err;
} listing;

static void
listing_init(listing *l, const zinc_sharded *s, const char *prefix, const zinc_wait *wait, zinc_error *err)
{
	*l = (listing){.s = s, .prefix = prefix, .nprefix = strlen(prefix), .status = ZINC_OK, .err = err};
	l->wait = wait;
	zinc_buf_init(&l->names, s->ctx, zinc_max_list(s->ctx));
	zinc_buf_init(&l->chunks, s->ctx, zinc_max_list(s->ctx));
	zinc_buf_init(&l->text, s->ctx, zinc_max_list(s->ctx));
}

static void
listing_fini(listing *l)
{
	zinc_buf_fini(&l->names);
	zinc_free(l->s->ctx, l->shards);
	zinc_buf_fini(&l->chunks);
	zinc_buf_fini(&l->text);
}

static size_t
count(const listing *l)
{
	return l->chunks.n / sizeof(found);
}

static found *
items(const listing *l)
{
	return (found *)(void *)l->chunks.p;
}

/* Add the key at the end of `text`, which begins at `at`.  The limit of every listing is checked before memory is
 * allocated. */
static zinc_status
add(listing *l, size_t at, uint64_t nbytes, zinc_error *err)
{
	const found f = {.at = at, .nbytes = nbytes};

	if (count(l) >= l->s->ctx->limits.children)
		return zinc_fail(err, ZINC_E_LIMIT, "more than %llu keys below \"%s\"",
				 (unsigned long long)l->s->ctx->limits.children, l->prefix);
	return zinc_buf_add(&l->chunks, &f, sizeof f, err);
}

/* ---- the keys of the store below ---- */

static bool
begins(const char *s, const char *with, size_t n)
{
	return strncmp(s, with, n) == 0;
}

/* Keys that are not shards are added to the answer unchanged. */
static int
note_below(void *arg, const char *key, uint64_t nbytes)
{
	listing *l = (listing *)arg;
	const size_t n = strlen(key) + 1, at = l->text.n;
	zinc_chunk_place place;

	if (zinc_sharded_locate(l->s, key, &place)) {
		l->status = zinc_buf_add(&l->names, key, n, l->err);
		l->nshards++;
	} else if (begins(key, l->prefix, l->nprefix)) {
		l->status = zinc_buf_add(&l->text, key, n, l->err);
		if (l->status == ZINC_OK)
			l->status = add(l, at, nbytes, l->err);
	}
	return l->status != ZINC_OK;
}

/* Complete "a/c/5/" to the key of a chunk by adding the digit 0 or 1 for r more dimensions. */
static bool
complete(const listing *l, int r, char digit, zinc_buf *key, uint64_t *index)
{
	int d;

	zinc_buf_end(key, 0);
	if (zinc_buf_add(key, l->prefix + l->s->nprefix, l->nprefix - l->s->nprefix, NULL) != ZINC_OK)
		return false;
	for (d = 0; d < r; d++)
		if (zinc_buf_add(key, d ? "/" : "", d ? 1 : 0, NULL) != ZINC_OK ||
		    zinc_buf_add(key, &digit, 1, NULL) != ZINC_OK)
			return false;
	return zinc_buf_text(key) && l->s->in.decode_key(&l->s->in, zinc_buf_text(key), index);
}

/* Below this prefix, do all chunks have the same index in the first dimensions, and any index in the last r? */
static bool
is_regular(const listing *l, int r, zinc_buf *key, uint64_t *index)
{
	uint64_t ones[ZINC_MAX_NDIM];
	int d, ndim = l->s->in.ndim;

	if (!complete(l, r, '1', key, ones) || !complete(l, r, '0', key, index))
		return false;
	for (d = 0; d < ndim; d++)
		if (d < ndim - r ? index[d] != ones[d] : index[d] != 0 || ones[d] != 1)
			return false;
	return true;
}

/* The prefix of the shards that hold the chunks below l->prefix; if it cannot be determined, the array's prefix. */
static zinc_status
translate(const listing *l, zinc_buf *out, zinc_error *err)
{
	const zinc_sharded *s = l->s;
	uint64_t index[ZINC_MAX_NDIM];
	zinc_buf key;
	zinc_status st = ZINC_OK;
	int d, r;

	zinc_buf_init(&key, s->ctx, ZINC_MAX_KEY);
	for (r = 1; r <= s->in.ndim && !is_regular(l, r, &key, index); r++)
		;
	if (r <= s->in.ndim) {
		const size_t cut = 2 * (size_t)r - 1; /* "0/0" */

		for (d = 0; d < s->in.ndim; d++)
			index[d] /= s->layout.per_axis[d];
		st = zinc_sharded_key(s, index, out, err);
		if (st == ZINC_OK && (out->n <= cut || out->p[out->n - cut - 1] != '/'))
			zinc_buf_end(out, 0);
		else
			zinc_buf_end(out, out->n - (st == ZINC_OK ? cut : 0));
	}
	zinc_buf_fini(&key);
	if (st == ZINC_OK && out->n == 0)
		st = zinc_buf_add(out, s->prefix, s->nprefix, err);
	return st;
}

/* List all keys of the store below that may contribute to the answer. */
static zinc_status
list_below(listing *l, zinc_error *err)
{
	zinc_buf prefix;
	zinc_status st;

	zinc_buf_init(&prefix, l->s->ctx, ZINC_MAX_KEY);
	if (l->nprefix > l->s->nprefix)
		st = translate(l, &prefix, err);
	else
		st = zinc_buf_add(&prefix, l->prefix, l->nprefix, err);
	if (st == ZINC_OK)
		st = zinc_buf_text(&prefix)
			 ? zinc_store_list(l->s->next, zinc_buf_text(&prefix), note_below, l, l->wait, err)
			 : zinc_fail_nomem(err);
	zinc_buf_fini(&prefix);
	return l->status != ZINC_OK ? l->status : st;
}

/* ---- the indexes ---- */

/* Add the chunks of one shard that begin with the prefix. */
static zinc_status
add_chunks(void *arg, size_t shard, const zinc_shard_entry *entries, zinc_error *err)
{
	listing *l = (listing *)arg;
	uint64_t index[ZINC_MAX_NDIM];
	size_t i;

	if (!l->s->in.decode_key(&l->s->in, l->shards[shard] + l->s->nprefix, index))
		return ZINC_OK; /* cannot happen: it was a shard's key when it was listed */
	for (i = 0; i < l->s->n; i++) {
		const size_t at = l->text.n;

		if (zinc_shard_entry_empty(&entries[i]))
			continue;
		ZINC_TRY(zinc_sharded_chunk_key(l->s, index, i, &l->text, err));
		ZINC_TRY(zinc_buf_add(&l->text, "", 1, err));
		if (begins((const char *)l->text.p + at, l->prefix, l->nprefix))
			ZINC_TRY(add(l, at, entries[i].nbytes, err));
		else
			zinc_buf_end(&l->text, at);
	}
	return ZINC_OK;
}

static zinc_status
open_shards(listing *l, zinc_error *err)
{
	const zinc_sharded *s = l->s;
	const char *key = (const char *)l->names.p;
	size_t i;

	l->shards = (const char **)zinc_calloc(s->ctx, l->nshards, sizeof *l->shards);
	if (!l->shards)
		return zinc_fail_nomem(err);
	for (i = 0; i < l->nshards; i++, key += strlen(key) + 1)
		l->shards[i] = key;
	return zinc_shard_each(s->next, &s->layout, l->shards, l->nshards, add_chunks, l, l->wait, err);
}

static int
by_key(const void *a, const void *b)
{
	return strcmp(((const found *)a)->key, ((const found *)b)->key);
}

/* All keys of the answer, in byte order. */
static zinc_status
collect(listing *l, zinc_error *err)
{
	size_t i;

	ZINC_TRY(list_below(l, err));
	ZINC_TRY(open_shards(l, err));
	for (i = 0; i < count(l); i++) /* the texts no longer move */
		items(l)[i].key = (const char *)l->text.p + items(l)[i].at;
	if (count(l) > 1)
		qsort(l->chunks.p, count(l), sizeof(found), by_key);
	return ZINC_OK;
}

/* ---- the slots ---- */

/* Can no chunk of the array be below this prefix? */
static bool
is_foreign(const zinc_sharded *s, const char *prefix)
{
	const size_t n = strlen(prefix);

	return !begins(prefix, s->prefix, n < s->nprefix ? n : s->nprefix);
}

zinc_status
zinc_sharded_list(void *self, const char *prefix, zinc_key_fn fn, void *arg, const zinc_wait *wait, zinc_error *err)
{
	const zinc_sharded *s = (const zinc_sharded *)self;
	zinc_status st;
	listing l;
	size_t i;

	if (is_foreign(s, prefix))
		return zinc_store_list(s->next, prefix, fn, arg, wait, err);
	listing_init(&l, s, prefix, wait, err);
	st = collect(&l, err);
	for (i = 0; st == ZINC_OK && i < count(&l); i++)
		if (fn(arg, items(&l)[i].key, items(&l)[i].nbytes))
			break;
	listing_fini(&l);
	return st;
}

/* Keys below one directory are adjacent, so a directory is reported with its first key. */
static zinc_status
list_entries(const listing *l, zinc_entry_fn fn, void *arg, zinc_error *err)
{
	zinc_buf name;
	zinc_status st = ZINC_OK;
	size_t i, n = 0;

	zinc_buf_init(&name, l->s->ctx, ZINC_MAX_KEY);
	for (i = 0; st == ZINC_OK && i < count(l); i++) {
		const char *key = items(l)[i].key, *slash = strchr(key + l->nprefix, '/');

		if (slash && n == (size_t)(slash - key) + 1 && name.n == n && memcmp(name.p, key, n) == 0)
			continue;
		n = slash ? (size_t)(slash - key) + 1 : strlen(key);
		st = zinc_buf_reset(&name, n, err);
		if (st == ZINC_OK)
			st = zinc_buf_add(&name, key, n, err);
		if (st == ZINC_OK && fn(arg, zinc_buf_text(&name), slash != NULL))
			break;
	}
	zinc_buf_fini(&name);
	return st;
}

/* Above the array's prefix, shards are not visible, and the store below can list. */
zinc_status
zinc_sharded_list_dir(void *self, const char *prefix, zinc_entry_fn fn, void *arg, const zinc_wait *wait,
		      zinc_error *err)
{
	const zinc_sharded *s = (const zinc_sharded *)self;
	zinc_status st;
	listing l;

	if (is_foreign(s, prefix) || strlen(prefix) < s->nprefix)
		return zinc_store_list_dir(s->next, prefix, fn, arg, wait, err);
	listing_init(&l, s, prefix, wait, err);
	st = collect(&l, err);
	if (st == ZINC_OK)
		st = list_entries(&l, fn, arg, err);
	listing_fini(&l);
	return st;
}

/* ---- erasing ---- */

static zinc_status
del_listed(const zinc_sharded *s, const listing *l, uint32_t flags, zinc_error *err)
{
	const size_t n = count(l);
	const char **keys = (const char **)zinc_calloc(s->ctx, n, sizeof *keys);
	zinc_status st;
	size_t i;

	if (!keys)
		return zinc_fail_nomem(err);
	for (i = 0; i < n; i++)
		keys[i] = items(l)[i].key;
	st = zinc_store_del_keys(s->me, keys, n, flags, l->wait, err);
	zinc_free(s->ctx, keys);
	return st;
}

/* A prefix that contains all shards, or none, is erased by the store below.  Other prefixes are erased chunk by chunk;
 * each shard is written once. */
zinc_status
zinc_sharded_del_prefix(void *self, const char *prefix, uint32_t flags, const zinc_wait *wait, zinc_error *err)
{
	const zinc_sharded *s = (const zinc_sharded *)self;
	zinc_status st;
	listing l;

	if (is_foreign(s, prefix) || strlen(prefix) <= s->nprefix)
		return zinc_store_del_prefix(s->next, prefix, flags, wait, err);
	listing_init(&l, s, prefix, wait, err);
	st = collect(&l, err);
	if (st == ZINC_OK)
		st = del_listed(s, &l, flags, err);
	listing_fini(&l);
	return st;
}
