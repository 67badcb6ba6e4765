/*
 * transform_sharding.c - the storage transformer `indexed`: chunks joined into shards
 *
 *     chunks_per_shard [2, 2]:    c/0/0 c/0/1 | c/0/2 c/0/3        shard c/0/0 | shard c/0/1
 *                                 c/1/0 c/1/1 | c/1/2 c/1/3
 *
 * The key of a shard is the key of a chunk with the same index, so that such layers can be stacked.  The bytes are
 * those of the codec sharding_indexed with the index at the end (codec/shard.c draws them), but this layer gets
 * chunks that are already encoded.  Seed: draft of December 2022, "Sharding storage transformer".
 *
 * Promises (tests/unit/test_transform_sharding.c names each by its number):
 *
 * (1) A batch of reads makes two calls of the store below: one for all indexes, one for all ranges.
 * (2) The bytes of a chunk and the index that locates them are of one generation of the shard.
 * (3) A shard whose chunks are all put or erased in one group is written without being read.  For any other change the
 *     shard is read, changed and put while the store excludes other writers, so that no other chunk is lost.
 * (4) Order, gaps and foreign bytes before the index do not matter; the order of chunks is never stored.
 * (5) Listed keys are chunks that exist; a shard without chunks is erased.
 * (6) Parts of chunks that are set in one call are one update of each shard.
 */
#include <stdlib.h>

#include "transform/transform_inside.h"

ZINC_OPTIONS_KIND(zinc_sharded_options, ZINC_OPTION_COUNT(zinc_sharded_options, ndim),
		  ZINC_OPTION_RANGE(zinc_sharded_options, shard_order, 0, ZINC_SHARD_APPEND),
		  ZINC_OPTION_YES_NO(zinc_sharded_options, single_writer));

/* ---- keys ---- */

bool
zinc_sharded_locate(const zinc_sharded *s, const char *key, zinc_chunk_place *out)
{
	size_t at = 0;
	int d;

	if (strncmp(key, s->prefix, s->nprefix) != 0 || !s->in.decode_key(&s->in, key + s->nprefix, out->shard))
		return false;
	for (d = 0; d < s->in.ndim; d++) { /* positions are less than n, which fits in size_t */
		at = at * (size_t)s->layout.per_axis[d] + (size_t)(out->shard[d] % s->layout.per_axis[d]);
		out->shard[d] /= s->layout.per_axis[d];
	}
	out->position = at;
	return true;
}

zinc_status
zinc_sharded_key(const zinc_sharded *s, const uint64_t *index, zinc_buf *out, zinc_error *err)
{
	char text[256];
	size_t n = s->in.encode_key(&s->in, index, text, sizeof text);

	ZINC_TRY(zinc_buf_add(out, s->prefix, s->nprefix, err));
	if (n < sizeof text)
		return zinc_buf_add(out, text, n, err);
	ZINC_TRY(zinc_buf_reserve(out, n, err)); /* and one byte for the NUL, which every buffer has */
	if (s->in.encode_key(&s->in, index, (char *)out->p + out->n, n + 1) != n)
		return zinc_fail(err, ZINC_E_INVALID, "the key encoding returned two lengths for one key");
	zinc_buf_end(out, out->n + n);
	return ZINC_OK;
}

zinc_status
zinc_sharded_shard_key(const zinc_sharded *s, const zinc_chunk_place *at, zinc_buf *text, const char **key,
		       zinc_error *err)
{
	zinc_buf_init(text, s->ctx, ZINC_MAX_KEY);
	ZINC_TRY(zinc_sharded_key(s, at->shard, text, err));
	*key = zinc_buf_text(text);
	return *key ? ZINC_OK : zinc_fail_nomem(err);
}

/* In a shard with the largest indices, some positions are beyond 64 bits and have no key; nothing can be stored
 * there. */
zinc_status
zinc_sharded_chunk_key(const zinc_sharded *s, const uint64_t *shard, size_t position, zinc_buf *out, zinc_error *err)
{
	uint64_t index[ZINC_MAX_NDIM];
	int d;

	for (d = s->in.ndim - 1; d >= 0; d--) {
		const uint64_t inner = position % s->layout.per_axis[d];

		position /= (size_t)s->layout.per_axis[d];
		if (zinc_u64_mul(shard[d], s->layout.per_axis[d], &index[d]) ||
		    zinc_u64_add(index[d], inner, &index[d]))
			return zinc_fail(err, ZINC_E_CORRUPT,
					 "the shard holds a chunk whose index has more than 64 bits");
	}
	return zinc_sharded_key(s, index, out, err);
}

/* ---- slots that only forward ---- */

static void
sharded_free(zinc_sharded *s)
{
	zinc_shard_free(s->sh);
	if (s->keys.ops)
		zinc_keys_fini(&s->keys);
	zinc_free(s->ctx, s->sequence);
	zinc_free(s->ctx, s->prefix);
	zinc_free(s->ctx, s);
}

static void
sharded_close(void *self)
{
	zinc_sharded *s = (zinc_sharded *)self;

	zinc_store_close(s->next);
	sharded_free(s);
}

/* A shard is put whole, and the generation of a chunk is that of its shard, so the capabilities are those of the store
 * below. */
static void
sharded_caps(void *self, zinc_caps *out)
{
	zinc_store_caps(((zinc_sharded *)self)->next, out);
}

static zinc_status
sharded_sync(void *self, const zinc_wait *wait, zinc_error *err)
{
	return zinc_store_sync(((zinc_sharded *)self)->next, wait, err);
}

static zinc_status
sharded_scrub(void *self, const char *prefix, int remove, zinc_scrub_fn fn, void *arg, const zinc_wait *wait,
	      zinc_error *err)
{
	return zinc_store_scrub(((zinc_sharded *)self)->next, prefix, remove, fn, arg, wait, err);
}

static const zinc_store_ops sharded_ops = {
    .size = sizeof(zinc_store_ops),
    .name = "indexed",
    .purpose = "chunks of an array joined into shards",
    .close = sharded_close,
    .caps = sharded_caps,
    .get = zinc_sharded_get,
    .put = zinc_sharded_put,
    .del = zinc_sharded_del,
    .put_begin = zinc_sharded_put_begin,
    .commit = zinc_sharded_commit,
    .abort = zinc_sharded_abort,
    .update = zinc_sharded_update,
    .del_prefix = zinc_sharded_del_prefix,
    .list = zinc_sharded_list,
    .list_dir = zinc_sharded_list_dir,
    .sync = sharded_sync,
    .scrub = sharded_scrub,
    .put_partial = zinc_sharded_put_partial,
};

/* ---- Morton order ---- */

typedef struct ranked {
	uint64_t rank;
	uint64_t position;
} ranked;

static int
by_rank(const void *a, const void *b)
{
	const ranked *x = (const ranked *)a, *y = (const ranked *)b;

	return x->rank < y->rank ? -1 : x->rank > y->rank;
}

/* The bits of all coordinates interleaved, the last axis lowest.  If the index fits in memory, 64 bits are enough: an
 * axis of c chunks takes at most 2 log2(c) bits. */
static uint64_t
morton_rank(const zinc_sharded *s, uint64_t position)
{
	uint64_t at[ZINC_MAX_NDIM], rank = 0;
	int d, bit, to = 0;

	for (d = s->in.ndim - 1; d >= 0; d--) {
		at[d] = position % s->layout.per_axis[d];
		position /= s->layout.per_axis[d];
	}
	for (bit = 0; bit < 64; bit++)
		for (d = s->in.ndim - 1; d >= 0; d--)
			if ((s->layout.per_axis[d] - 1) >> bit != 0 && to < 64)
				rank |= (at[d] >> bit & 1) << to++;
	return rank;
}

static zinc_status
make_sequence(zinc_sharded *s, zinc_error *err)
{
	ranked *all = (ranked *)zinc_calloc(s->ctx, s->n, sizeof *all);
	size_t i;

	s->sequence = (uint64_t *)zinc_calloc(s->ctx, s->n, sizeof *s->sequence);
	if (!all || !s->sequence) {
		zinc_free(s->ctx, all);
		return zinc_fail_nomem(err);
	}
	for (i = 0; i < s->n; i++)
		all[i] = (ranked){morton_rank(s, i), i};
	qsort(all, s->n, sizeof *all, by_rank);
	for (i = 0; i < s->n; i++)
		s->sequence[i] = all[i].position;
	zinc_free(s->ctx, all);
	return ZINC_OK;
}

/* ---- opening ---- */

/* Everything but the keys. */
static zinc_status
sharded_make(zinc_sharded *s, const uint64_t *per_shard, const char *prefix, zinc_error *err)
{
	if (s->in.shard_order < ZINC_SHARD_ROWS || s->in.shard_order > ZINC_SHARD_APPEND)
		return zinc_fail(err, ZINC_E_INVALID, "unknown order of chunks: %d", s->in.shard_order);
	ZINC_TRY(zinc_shard_new_indexed(&s->sh, s->ctx, s->in.ndim, per_shard, err));
	ZINC_TRY(zinc_shard_layout_init(&s->layout, s->sh, per_shard, err));
	s->n = (size_t)s->layout.n;
	s->nprefix = strlen(prefix);
	s->prefix = zinc_strdup(s->ctx, prefix);
	if (!s->prefix)
		return zinc_fail_nomem(err);
	return s->in.shard_order == ZINC_SHARD_MORTON ? make_sequence(s, err) : ZINC_OK;
}

/* Takes ownership of `s`, also on failure. */
static zinc_status
sharded_wrap(zinc_store **out, zinc_sharded *s, const uint64_t *per_shard, const char *prefix, zinc_error *err)
{
	zinc_status st = sharded_make(s, per_shard, prefix, err);

	s->next = s->in.next;
	if (st == ZINC_OK)
		st = zinc_store_wrap(out, s->ctx, &sharded_ops, s, zinc_store_url(s->next), err);
	if (st != ZINC_OK) {
		sharded_free(s);
		return st;
	}
	s->me = *out;
	zinc_store_ref(s->next);
	return ZINC_OK;
}

static zinc_status
sharded_new(zinc_sharded **out, const zinc_transformer_input *in, zinc_error *err)
{
	zinc_context *ctx = zinc_store_context(in->next);

	*out = (zinc_sharded *)zinc_calloc(ctx, 1, sizeof **out);
	if (!*out)
		return zinc_fail_nomem(err);
	(*out)->ctx = ctx;
	(*out)->in = *in;
	return ZINC_OK;
}

/* "chunks_per_shard": one number per dimension, each at least 1.  Writers must not store how shards are written;
 * readers ignore other members. */
static zinc_status
parse_configuration(const zinc_json *configuration, int ndim, uint64_t *per_shard, zinc_error *err)
{
	const zinc_json *v, *list = zinc_json_member(configuration, "chunks_per_shard");
	int d = 0;

	if (!zinc_json_is(list, ZINC_JSON_ARRAY) || list->n != (size_t)ndim)
		return zinc_fail(err, ZINC_E_INVALID, "chunks_per_shard must be a list of %d numbers", ndim);
	for (v = list->first; v; v = v->next, d++)
		if (!zinc_json_u64(v, &per_shard[d]) || per_shard[d] == 0)
			return zinc_fail(err, ZINC_E_INVALID, "chunks_per_shard must be integers of at least 1");
	return ZINC_OK;
}

zinc_status
zinc_sharding_open(zinc_store **out, const char *configuration, const zinc_transformer_input *in, zinc_error *err)
{
	uint64_t per_shard[ZINC_MAX_NDIM];
	const char *text = configuration ? configuration : "{}";
	zinc_json_doc *doc;
	zinc_sharded *s;
	zinc_status st;

	ZINC_TRY(zinc_json_parse(&doc, in->context, text, strlen(text), 0, err));
	st = parse_configuration(zinc_json_root(doc), in->ndim, per_shard, err);
	if (st == ZINC_OK && zinc_json_root(doc)->n > 1)
		zinc_warn(in->context, in->prefix,
			  "storage transformer \"indexed\": members other than chunks_per_shard are ignored");
	zinc_json_free(doc);
	ZINC_TRY(st);
	ZINC_TRY(sharded_new(&s, in, err));
	return sharded_wrap(out, s, per_shard, in->prefix, err);
}

/* ---- over a store, without an array ---- */

static zinc_status
check_sharded(const zinc_sharded_options *o, zinc_error *err)
{
	int d;

	if (o->ndim < 0 || o->ndim >= ZINC_MAX_NDIM || (o->ndim > 0 && !o->chunks_per_shard))
		return zinc_fail(err, ZINC_E_INVALID,
				 "zinc_store_sharded: ndim %d is not allowed, or chunks_per_shard is NULL", o->ndim);
	for (d = 0; d < o->ndim; d++)
		if (o->chunks_per_shard[d] == 0)
			return zinc_fail(err, ZINC_E_INVALID, "chunks_per_shard must be at least 1");
	return o->prefix ? zinc_prefix_check(o->prefix, err) : ZINC_OK;
}

/* Below "data/root/" the default key encoding is that of the drafts. */
static zinc_status
parse_keys(zinc_keys *out, zinc_context *ctx, const zinc_sharded_options *o, zinc_error *err)
{
	static const char drafts[] = "data/root/";
	const char *name = o->key_encoding;

	if (!name)
		name = o->prefix && strncmp(o->prefix, drafts, sizeof drafts - 1) == 0 ? "draft" : "default";
	if (strcmp(name, "draft") != 0 && strcmp(name, "draft.") != 0)
		return zinc_keys_parse_text(out, ctx, name, err);
	zinc_keys_init_draft(out, ctx, name[5] ? '.' : '/');
	return ZINC_OK;
}

zinc_status
zinc_store_sharded(zinc_store **out, zinc_store *next, const zinc_sharded_options *options, zinc_error *err)
{
	zinc_transformer_input in = {.size = sizeof in, .next = next};
	zinc_sharded_options o;
	zinc_sharded *s;
	zinc_status st;

	ZINC_TRY(ZINC_NEED(out && next && options, err));
	ZINC_TRY(zinc_options_take_as(&zinc_sharded_options_kind, &o, options, err));
	ZINC_TRY(check_sharded(&o, err));
	in.ndim = o.ndim;
	in.shard_order = o.shard_order;
	in.single_writer = o.single_writer;
	ZINC_TRY(sharded_new(&s, &in, err));
	st = parse_keys(&s->keys, s->ctx, &o, err);
	if (st != ZINC_OK) {
		s->keys.ops = NULL;
		sharded_free(s);
		return st;
	}
	zinc_transformer_keys(&s->in, &s->keys);
	return sharded_wrap(out, s, o.chunks_per_shard, o.prefix ? o.prefix : "", err);
}
