/*
 * codec_sharding.c - sharding_indexed: a chunk of chunks
 *
 * shard.c draws the bytes.  This file has the configuration (M85-M90, M95), and the shard as an ordinary array->bytes
 * codec, which encodes and decodes whole shards: nested within another codec, compressed as a whole, or written in one
 * piece.  The array reads single inner chunks of an open shard.
 *
 * Promises (tests/unit/test_shard.c names each by its number):
 *
 * (4) Inner chunks whose elements are all the fill value are not stored; each other one is encoded directly into the
 *     shard, in C order, without gaps.
 * (5) Whatever the index contains, decoding writes every element once and nothing else.
 */
#include "codec/codec_parts.h"

static const char *const locations[] = {"start", "end", NULL};
static const zinc_member members[] = {
    {.name = "chunk_shape"},
    {.name = "codecs"},
    {.name = "index_codecs"},
    {.name = "index_location", .type = ZINC_MEMBER_CHOICE, .choices = locations, .fallback = 1, .rule = "M90"},
    {.name = NULL},
};

/* ---- configuration ---- */

/* M85, M86; in the axes of the codec's input, which a transpose before it may have changed. */
static zinc_status
parse_chunk_shape(zinc_shard *sh, const zinc_json *configuration, const zinc_rep *in, zinc_report *r, zinc_error *err)
{
	zinc_status st = ZINC_OK;
	size_t mark;
	int i;

	ZINC_TRY(zinc_config_u64s(configuration, "chunk_shape", in->ndim, 1, "M85", sh->chunk_shape, r, err));
	mark = zinc_report_enter(r, "chunk_shape");
	for (i = 0; i < in->ndim && st == ZINC_OK; i++)
		if (in->shape[i] % sh->chunk_shape[i] != 0) {
			zinc_report_enter_item(r, (size_t)i);
			st =
			    zinc_report_error(r, "M86", err, "%llu does not divide the shard's %llu",
					      (unsigned long long)sh->chunk_shape[i], (unsigned long long)in->shape[i]);
		}
	zinc_report_leave(r, mark);
	return st;
}

/* In the spring of 2023 "codecs" was optional; without it, elements are little-endian and not compressed. */
static zinc_status
parse_no_codecs(zinc_shard *sh, const zinc_rep *rep, zinc_report *r, zinc_error *err)
{
	static const char plain[] = "[{\"name\": \"bytes\", \"configuration\": {\"endian\": \"little\"}}]";
	zinc_json_doc *doc = NULL;
	zinc_status st;

	ZINC_TRY(zinc_report_lenient(r, "M87", err, "\"codecs\" is missing: assuming the form of 2023"));
	ZINC_TRY(zinc_json_parse(&doc, sh->codec.ctx, plain, sizeof plain - 1, 0, err));
	st = zinc_chain_parse(&sh->inner, sh->codec.ctx, zinc_json_root(doc), rep, r, err);
	zinc_json_free(doc);
	return st;
}

/* Parse the chain of the inner chunks, with the fill value of this level. */
static zinc_status
parse_inner(zinc_shard *sh, const zinc_json *configuration, const zinc_rep *in, zinc_report *r, zinc_error *err)
{
	const zinc_json *codecs = zinc_json_member(configuration, "codecs");
	zinc_rep rep = *in;
	zinc_status st;
	size_t mark;

	memcpy(rep.shape, sh->chunk_shape, sizeof rep.shape);
	if (!codecs && !zinc_json_member(configuration, "index_codecs"))
		return parse_no_codecs(sh, &rep, r, err);
	if (!codecs)
		return zinc_report_error(r, "M87", err, "\"codecs\" is missing from the configuration");
	mark = zinc_report_enter(r, "codecs");
	st = zinc_chain_parse(&sh->inner, sh->codec.ctx, codecs, &rep, r, err);
	zinc_report_leave(r, mark);
	return st;
}

/* M89: the place and size of the index must be known before it is read. */
static zinc_status
check_fixed(const zinc_chain *index, zinc_report *r, zinc_error *err)
{
	const zinc_codec *odd = index->ab;
	int i;

	for (i = 0; i < index->nbb && odd->ops->fixed_size; i++)
		odd = index->bb[i];
	if (odd->ops->fixed_size)
		return ZINC_OK;
	return zinc_report_error(r, "M89", err, "codec \"%s\" has no fixed size; an index needs one", odd->ops->name);
}

/* The index is an array like any other, with one more dimension (M91), and has its own chain. */
static zinc_status
parse_index(zinc_shard *sh, const zinc_json *configuration, const zinc_rep *in, zinc_report *r, zinc_error *err)
{
	const zinc_json *codecs = zinc_json_member(configuration, "index_codecs");
	zinc_rep rep = {.dtype = zinc_dtype_of(ZINC_UINT64), .ndim = in->ndim + 1};
	zinc_status st;
	size_t mark;

	if (in->ndim == ZINC_MAX_NDIM)
		return zinc_report_unsupported(
		    r, "M91", err, "a shard of %d dimensions would need an index with too many dimensions", in->ndim);
	zinc_shard_count(sh, in->shape, rep.shape);
	rep.shape[in->ndim] = 2;
	if (!codecs && sh->index_at_start) /* the form of 2023 has it at the end */
		return zinc_report_error(r, "M88", err, "\"index_codecs\" is missing, but the index is at the start");
	if (!codecs)
		return zinc_report_lenient(r, "M88", err, "\"index_codecs\" is missing: assuming the form of 2023");
	mark = zinc_report_enter(r, "index_codecs");
	st = zinc_chain_parse(&sh->index, sh->codec.ctx, codecs, &rep, r, err);
	if (st == ZINC_OK)
		st = check_fixed(sh->index, r, err);
	if (st == ZINC_OK)
		st = zinc_chain_check_exact(sh->index, "M89", r, err);
	zinc_report_leave(r, mark);
	return st;
}

/* An index without codecs has the same limit as one with codecs: it must be decoded in one piece. */
static zinc_status
check_index_bytes(const zinc_shard *sh, const zinc_rep *in, zinc_error *err)
{
	size_t nbytes;

	if (zinc_shard_index_bytes(sh, in->shape, &nbytes) ||
	    nbytes > zinc_context_get(sh->codec.ctx)->limits.chunk_bytes)
		return zinc_fail(err, ZINC_E_LIMIT, "the shard has too many inner chunks");
	return ZINC_OK;
}

static zinc_status
parse_members(zinc_shard *sh, const zinc_json *configuration, const zinc_rep *in, zinc_report *r, zinc_error *err)
{
	int64_t location;
	zinc_status st;

	ZINC_TRY(zinc_members_parse(members, "M95", configuration, &location, r, err));
	sh->index_at_start = location == 0;
	ZINC_TRY(parse_chunk_shape(sh, configuration, in, r, err));
	st = parse_inner(sh, configuration, in, r, err);
	if (st != ZINC_OK && st != ZINC_E_UNSUPPORTED)
		return st;
	ZINC_TRY(parse_index(sh, configuration, in, r, err)); /* its errors precede unknown codecs there */
	ZINC_TRY(st);
	return check_index_bytes(sh, in, err);
}

static void
sharding_free(zinc_codec *c)
{
	zinc_shard *sh = (zinc_shard *)c;

	zinc_chain_free(sh->inner);
	zinc_chain_free(sh->index);
	zinc_free(c->ctx, sh);
}

static zinc_status
sharding_parse(zinc_codec **codec, const zinc_codec_ops *ops, zinc_context *ctx, const zinc_json *configuration,
	       const zinc_rep *in, zinc_rep *out, zinc_report *r, zinc_error *err)
{
	zinc_codec *c;
	zinc_status st;

	(void)out;
	ZINC_TRY(zinc_codec_new(&c, ops, ctx, sizeof(zinc_shard), err));
	((zinc_shard *)c)->ndim = in->ndim;
	st = parse_members((zinc_shard *)c, configuration, in, r, err);
	if (st != ZINC_OK) {
		sharding_free(c);
		return st;
	}
	*codec = c;
	return ZINC_OK;
}

static zinc_status
sharding_print(const zinc_codec *c, zinc_json_doc *doc, zinc_json **out, zinc_error *err)
{
	const zinc_shard *sh = (const zinc_shard *)c;
	zinc_json *o = zinc_json_make(doc, ZINC_JSON_OBJECT), *list;

	ZINC_TRY(zinc_json_set(doc, o, "chunk_shape", zinc_json_make_u64_list(doc, sh->chunk_shape, sh->ndim), err));
	ZINC_TRY(zinc_chain_print(sh->inner, doc, &list, err));
	ZINC_TRY(zinc_json_set(doc, o, "codecs", list, err));
	if (sh->index) {
		ZINC_TRY(zinc_chain_print(sh->index, doc, &list, err));
		ZINC_TRY(zinc_json_set(doc, o, "index_codecs", list, err));
	}
	*out = o;
	return zinc_json_set(doc, o, "index_location", zinc_json_make_string(doc, locations[!sh->index_at_start]), err);
}

/* ---- inner chunks of a whole shard in memory ---- */

/* Iterates over the inner chunks in C order. */
typedef struct walk {
	const zinc_shard *sh;
	const zinc_rep *rep; /* the shard's */
	uint64_t n, per_axis[ZINC_MAX_NDIM], at[ZINC_MAX_NDIM];
	int64_t strides[ZINC_MAX_NDIM]; /* strides of the shard's elements */
	int64_t offset;                 /* of the inner chunk's first element, in bytes */
	bool contiguous;                /* each inner chunk is contiguous in the shard */
} walk;

static zinc_status
walk_init(walk *w, const zinc_shard *sh, const zinc_rep *rep, zinc_error *err)
{
	bool ones = true; /* inner chunks have length 1 along all axes so far */
	int i;

	*w = (walk){.sh = sh, .rep = rep, .contiguous = true};
	for (i = 0; i < sh->ndim; i++) {
		if (rep->shape[i] % sh->chunk_shape[i] != 0)
			return zinc_fail_rule(err, ZINC_E_CORRUPT, "M86", "inner chunks do not divide the shard");
		if (sh->chunk_shape[i] != rep->shape[i] && !ones)
			w->contiguous = false;
		ones = ones && sh->chunk_shape[i] == 1;
	}
	w->n = zinc_shard_count(sh, rep->shape, w->per_axis);
	zinc_strides_c(rep->shape, rep->ndim, rep->dtype->size, w->strides);
	return ZINC_OK;
}

/* The last axis changes fastest; `offset` is updated without a multiplication per axis. */
static void
walk_next(walk *w)
{
	int i;

	for (i = w->sh->ndim - 1; i >= 0; i--) {
		const int64_t step = w->strides[i] * (int64_t)w->sh->chunk_shape[i];

		if (++w->at[i] < w->per_axis[i]) {
			w->offset += step;
			return;
		}
		w->offset -= step * (int64_t)(w->per_axis[i] - 1);
		w->at[i] = 0;
	}
}

/* Dimensions of a copy of one inner chunk between the shard and memory with the strides `elsewhere`. */
static void
walk_dims(const walk *w, const int64_t *elsewhere, zinc_copy_dim *dims)
{
	int i;

	for (i = 0; i < w->sh->ndim; i++)
		dims[i] = (zinc_copy_dim){.n = w->sh->chunk_shape[i],
					  .dst_stride = w->strides[i],
					  .src_stride = elsewhere ? elsewhere[i] : 0};
}

/* ---- whole shards: encoding ---- */

/* Append all inner chunks and set their entries. */
static zinc_status
pack_chunks(walk *w, zinc_scratch *inner, const uint8_t *in, zinc_buf *out, size_t base, zinc_shard_entry *entries,
	    zinc_error *err)
{
	const zinc_rep *rep = w->rep;
	zinc_view view;
	uint64_t i;

	memcpy(view.strides, w->strides, sizeof view.strides);
	for (i = 0; i < w->n; i++, walk_next(w)) {
		const size_t from = out->n;

		view.p = (uint8_t *)(uintptr_t)(in + w->offset); /* never written through */
		entries[i] = (zinc_shard_entry){ZINC_SHARD_EMPTY, ZINC_SHARD_EMPTY};
		if (zinc_view_is_fill(&view, w->sh->chunk_shape, rep->ndim, rep->dtype, rep->fill))
			continue;
		ZINC_TRY(zinc_chain_encode(w->sh->inner, inner, w->sh->chunk_shape, &view, out, err));
		entries[i] = (zinc_shard_entry){from - base, out->n - from};
	}
	return ZINC_OK;
}

/* The entries are in s->index: the inner chunks use their own scratch, one level deeper. */
static zinc_status
sharding_pack(const zinc_codec *c, zinc_scratch *s, const zinc_rep *rep, const void *in, zinc_buf *out, zinc_error *err)
{
	const zinc_shard *sh = (const zinc_shard *)c;
	zinc_scratch *inner = zinc_scratch_inner(s);
	const size_t base = out->n;
	zinc_shard_entry *entries;
	size_t nbytes, end;
	walk w;

	if (!inner)
		return zinc_fail_nomem(err);
	ZINC_TRY(walk_init(&w, sh, rep, err));
	if (zinc_shard_index_bytes(sh, rep->shape, &nbytes))
		return zinc_fail(err, ZINC_E_LIMIT, "the index is larger than the address space");
	ZINC_TRY(zinc_buf_reset(&s->index, (size_t)w.n * sizeof *entries, err));
	entries = (zinc_shard_entry *)s->index.p;
	if (sh->index_at_start) { /* reserve its place, because its size is fixed */
		ZINC_TRY(zinc_buf_reserve(out, nbytes, err));
		out->n += nbytes;
	}
	ZINC_TRY(pack_chunks(&w, inner, (const uint8_t *)in, out, base, entries, err));
	end = out->n;
	ZINC_TRY(zinc_shard_index_encode(sh, s, rep->shape, entries, out, err));
	if (sh->index_at_start) {
		memcpy(out->p + base, out->p + end, nbytes);
		out->n = end;
	}
	return ZINC_OK;
}

/* Gaps are legal and unlimited; but a shard that is compressed as a whole is decompressed first, and needs a bound. */
static int
sharding_packed_bound(const zinc_codec *c, const zinc_rep *rep, size_t *encoded)
{
	const zinc_shard *sh = (const zinc_shard *)c;
	uint64_t per_axis[ZINC_MAX_NDIM], n = zinc_shard_count(sh, rep->shape, per_axis);
	size_t index, chunk;

	if (rep->dtype->variable) { /* like one chunk of all elements, with gaps */
		(void)zinc_vlen_packed_bound(c, rep, &chunk);
		*encoded = chunk < PTRDIFF_MAX / 2 ? 2 * chunk : PTRDIFF_MAX;
		return 0;
	}
	if (zinc_shard_index_bytes(sh, rep->shape, &index) || zinc_chain_bound(sh->inner, sh->chunk_shape, &chunk))
		return 1;
	return n > SIZE_MAX || zinc_size_mul(chunk, (size_t)n, &chunk) || zinc_size_add(chunk, index, &chunk) ||
	       zinc_size_mul(chunk, 2, encoded); /* an index at the start exists twice while it is made */
}

/* ---- whole shards: decoding ---- */

/* Fill an inner chunk that is not stored.  A codec before the shard may leave no fill value: the array's is not a number
 * of the type that numcodecs.astype stores, for instance. */
static zinc_status
fill_chunk(const walk *w, uint8_t *out, zinc_error *err)
{
	const zinc_rep *rep = w->rep;
	zinc_copy_dim dims[ZINC_MAX_NDIM];

	if (!rep->fill)
		return zinc_fail(err, ZINC_E_CORRUPT,
				 "an inner chunk is not stored, and type %s has no such fill value", rep->dtype->name);
	walk_dims(w, NULL, dims);
	zinc_fill_nd(out, rep->fill, dims, rep->ndim, rep->dtype->size);
	return ZINC_OK;
}

/* The bytes of elements of variable length are valid only until the next inner chunk is decoded: keep them until the
 * next shard.  `p` is the chunk's first element; the others follow in any order. */
static zinc_status
keep_chunk(const walk *w, zinc_scratch *s, uint8_t *p, zinc_error *err)
{
	zinc_vlen v;
	uint64_t n = 0;

	(void)zinc_shape_bytes(w->sh->chunk_shape, w->sh->ndim, 1, UINT64_MAX, &n); /* fits: zinc_rep_bytes did */
	for (; n > 0; n--, p += sizeof v) {
		memcpy(&v, p, sizeof v);
		ZINC_TRY(zinc_arena_add(s->kept, v.data, (size_t)v.nbytes, &v.data, err));
		memcpy(p, &v, sizeof v);
	}
	return ZINC_OK;
}

/* Decode one stored inner chunk to its place at `out`. */
static zinc_status
unpack_chunk(const walk *w, zinc_scratch *s, zinc_bytes in, uint8_t *out, zinc_error *err)
{
	const zinc_rep *rep = w->rep;
	zinc_copy_dim dims[ZINC_MAX_NDIM];
	zinc_view view;

	ZINC_TRY(zinc_chain_decode(w->sh->inner, s->inner, w->sh->chunk_shape, in, w->contiguous ? out : NULL, 0, &view,
				   err));
	if (rep->dtype->variable)
		ZINC_TRY(keep_chunk(w, s, view.p, err));
	if (view.p == out)
		return ZINC_OK;
	walk_dims(w, view.strides, dims);
	zinc_copy_nd(out, view.p, dims, rep->ndim, rep->dtype->size);
	return ZINC_OK;
}

/* Make what the scratch needs besides its buffers. */
static zinc_status
prepare(zinc_scratch *s, const zinc_rep *rep, zinc_error *err)
{
	if (!zinc_scratch_inner(s))
		return zinc_fail_nomem(err);
	if (!rep->dtype->variable)
		return ZINC_OK;
	if (!s->kept)
		return zinc_arena_new(&s->kept, s->ctx, s->ctx->limits.chunk_bytes, err);
	zinc_arena_empty(s->kept);
	return ZINC_OK;
}

/* Memory for the index is allocated only if the shard is long enough to hold one. */
static zinc_status
sharding_unpack(const zinc_codec *c, zinc_scratch *s, const zinc_rep *rep, zinc_bytes in, void *out, zinc_error *err)
{
	const zinc_shard *sh = (const zinc_shard *)c;
	const zinc_shard_entry *entries;
	uint64_t i;
	walk w;

	ZINC_TRY(prepare(s, rep, err));
	ZINC_TRY(walk_init(&w, sh, rep, err));
	if (in.n / sizeof *entries < w.n)
		return zinc_fail_rule(err, ZINC_E_CORRUPT, "M91", "%zu bytes cannot hold an index", in.n);
	ZINC_TRY(zinc_buf_reset(&s->index, (size_t)w.n * sizeof *entries, err));
	ZINC_TRY(zinc_shard_index_decode(sh, s, rep->shape, in, in.n, (zinc_shard_entry *)s->index.p, err));
	entries = (const zinc_shard_entry *)s->index.p;
	for (i = 0; i < w.n; i++, walk_next(&w)) {
		uint8_t *p = (uint8_t *)out + w.offset;

		if (entries[i].offset == ZINC_SHARD_EMPTY)
			ZINC_TRY(fill_chunk(&w, p, err));
		else
			ZINC_TRY(unpack_chunk(&w, s, (zinc_bytes){in.p + entries[i].offset, (size_t)entries[i].nbytes},
					      p, err));
	}
	return ZINC_OK;
}

static const zinc_pack_ops coder = {
    .encode = sharding_pack,
    .decode = sharding_unpack,
    .bound = sharding_packed_bound,
};

const zinc_codec_ops zinc_codec_sharding = {
    .name = "sharding_indexed",
    .purpose = "many inner chunks in one stored object, with an index",
    .kind = ZINC_ARRAY_BYTES,
    .needs_configuration = true,
    .parse = sharding_parse,
    .print = sharding_print,
    .free = sharding_free,
    .pack = &coder,
};

/* ---- the shard of the drafts ---- */

zinc_status
zinc_shard_new_indexed(zinc_shard **out, zinc_context *ctx, int ndim, const uint64_t *chunks_per_shard, zinc_error *err)
{
	static const char plain[] =
	    "{\"index_codecs\": [{\"name\": \"bytes\", \"configuration\": {\"endian\": \"little\"}}]}";
	zinc_rep rep = {.dtype = zinc_dtype_of(ZINC_UINT64), .ndim = ndim};
	zinc_json_doc *doc = NULL;
	zinc_report r;
	zinc_codec *c;
	zinc_status st;
	int i;

	ZINC_TRY(zinc_codec_new(&c, &zinc_codec_sharding, ctx, sizeof(zinc_shard), err));
	((zinc_shard *)c)->ndim = ndim;
	for (i = 0; i < ndim; i++) {
		((zinc_shard *)c)->chunk_shape[i] = 1;
		rep.shape[i] = chunks_per_shard[i];
	}
	zinc_report_init(&r, ctx, true, "");
	st = zinc_json_parse(&doc, ctx, plain, sizeof plain - 1, 0, err);
	if (st == ZINC_OK)
		st = parse_index((zinc_shard *)c, zinc_json_root(doc), &rep, &r, err);
	if (st == ZINC_OK)
		st = check_index_bytes((zinc_shard *)c, &rep, err);
	zinc_json_free(doc);
	if (st == ZINC_OK)
		*out = (zinc_shard *)c;
	else
		sharding_free(c);
	return st;
}

void
zinc_shard_free(zinc_shard *sh)
{
	if (sh)
		sharding_free(&sh->codec);
}
