/*
 * chain.c - parse a chain of codecs from its metadata, and print it
 *
 *     array -> [array->array]* -> array->bytes -> [bytes->bytes]* -> bytes        M60
 *
 * Promises (tests/unit/test_chain.c names each by its number):
 *
 * (1) A chain that parses can encode and decode every chunk of its representation.
 * (2) Every finding names its rule and the place in the document.
 * (3) An unknown codec is E_UNSUPPORTED, or is ignored with a warning if the document allows it.  Other errors are
 *     still found, and take precedence.
 * (4) What a chain prints parses into an equal chain, in 3.0 spelling (M24).
 */
#include <math.h>

#include "codec/codec_parts.h"

/* One item of the list and the codec found for it. */
typedef struct link {
	zinc_extension ext;
	const zinc_codec_ops *ops; /* NULL: unknown */
	size_t item;
} link;

typedef struct links {
	link *v;
	size_t n;
	bool complete; /* no unknown codec was skipped */
} links;

/*
 * Three passes: names, order, configurations.  So a validator reports every unknown and every misplaced codec before
 * the first wrong configuration ends the parse.
 */

/* ---- first pass: names ---- */

zinc_status
zinc_codec_look_up(zinc_extension *ext, const zinc_codec_ops **ops, const zinc_json *v, zinc_report *r, zinc_error *err)
{
	*ops = NULL;
	ZINC_TRY(zinc_extension_parse(ext, v, r, err));
	*ops = zinc_codec_find(ext->name);
	if (!*ops && ext->ignorable) { /* this is legal, so it is not an error in strict mode either */
		zinc_report_warn(r, "M20", "codec \"%.60s\" is not known and is ignored", ext->name);
		return ZINC_OK;
	}
	if (!*ops)
		return zinc_report_unsupported(r, "M20", err, "codec \"%.200s\" is not known", ext->name);
	if (ext->bare && (*ops)->needs_configuration)
		return zinc_report_error(r, "M14", err, "\"%s\" needs a configuration", (*ops)->name);
	if (strcmp((*ops)->name, ext->name) != 0)
		return zinc_report_lenient(r, "M20", err, "\"%.60s\" is an old name of codec \"%s\"", ext->name,
					   (*ops)->name);
	return ZINC_OK;
}

/* Look up all items, so that a validator reports each unknown codec.  The first other error ends the loop. */
static zinc_status
look_up_all(links *all, const zinc_json *codecs, zinc_report *r, zinc_error *err)
{
	zinc_status unsupported = ZINC_OK;
	const zinc_json *v;
	size_t item = 0;

	for (v = codecs->first; v; v = v->next, item++) {
		link *l = &all->v[all->n];
		const size_t mark = zinc_report_enter_item(r, item);
		const zinc_status st = zinc_codec_look_up(&l->ext, &l->ops, v, r, err);

		zinc_report_leave(r, mark);
		l->item = item;
		all->n += l->ops || !l->ext.ignorable;
		if (st == ZINC_E_UNSUPPORTED)
			unsupported = st;
		else
			ZINC_TRY(st);
	}
	all->complete = unsupported == ZINC_OK;
	return unsupported;
}

/* ---- second pass: order ---- */

/* Check the place of one codec; `packer` is the array->bytes codec before it (NULL: none yet).  An unknown codec
 * before it may be the array->bytes codec. */
static zinc_status
check_place(const zinc_codec_ops *ops, const zinc_codec_ops *packer, bool unknown, zinc_report *r, zinc_error *err)
{
	if (ops->kind == ZINC_ARRAY_ARRAY && packer)
		return zinc_report_error(r, "M64", err, "array->array codec \"%s\" is after array->bytes codec \"%s\"",
					 ops->name, packer->name);
	if (ops->kind == ZINC_ARRAY_BYTES && packer)
		return zinc_report_error(r, "M62", err, "\"%s\" is a second array->bytes codec, after \"%s\"",
					 ops->name, packer->name);
	if (ops->kind == ZINC_BYTES_BYTES && !packer && !unknown)
		return zinc_report_error(r, "M63", err, "bytes->bytes codec \"%s\" is before the array->bytes codec",
					 ops->name);
	return ZINC_OK;
}

/* M60-M64, as far as they can be checked with unknown codecs. */
static zinc_status
check_order(const links *all, zinc_report *r, zinc_error *err)
{
	const zinc_codec_ops *packer = NULL;
	bool unknown = false;
	size_t i;

	for (i = 0; i < all->n; i++) {
		const zinc_codec_ops *ops = all->v[i].ops;
		size_t mark = zinc_report_enter_item(r, all->v[i].item);
		zinc_status st = ops ? check_place(ops, packer, unknown, r, err) : ZINC_OK;

		zinc_report_leave(r, mark);
		ZINC_TRY(st);
		unknown |= !ops;
		if (ops && ops->kind == ZINC_ARRAY_BYTES)
			packer = ops;
	}
	if (!packer && all->complete)
		return zinc_report_error(r, "M61", err, "there is no array->bytes codec");
	return ZINC_OK;
}

/* ---- third pass: configurations ---- */

bool
zinc_codec_needs_size(const zinc_codec *c)
{
	const zinc_bytes_ops *ops = c->ops->bytes;

	return ops && ops->needs_size && ops->needs_size(c);
}

/* (1) Is the size known that a codec must know to decode? */
static zinc_status
check_size(const zinc_chain *c, const zinc_codec *codec, zinc_report *r, zinc_error *err)
{
	const zinc_codec *before = c->ab;
	int i;

	if (!before || !zinc_codec_needs_size(codec))
		return ZINC_OK;
	for (i = 0; i < c->nbb && before->ops->fixed_size; i++)
		before = c->bb[i];
	if (before->ops->fixed_size)
		return ZINC_OK;
	return zinc_report_error(r, codec->ops->name, err,
				 "\"%s\" stores no size, and that of \"%s\" before it is not fixed", codec->ops->name,
				 before->ops->name);
}

/* Parse one codec.  `rep` is its decoded side, and is set to its encoded side. */
static zinc_status
parse_link(zinc_chain *c, const link *l, zinc_rep *rep, zinc_report *r, zinc_error *err)
{
	size_t mark = zinc_report_enter_item(r, l->item);
	zinc_codec *codec = NULL;
	zinc_rep next = *rep;
	zinc_status st;

	if (l->ext.configuration)
		zinc_report_enter(r, "configuration");
	st = zinc_codec_parse(&codec, l->ops, c->ctx, l->ext.configuration, rep, &next, r, err);
	if (st == ZINC_OK)
		st = check_size(c, codec, r, err);
	zinc_report_leave(r, mark);
	if (st != ZINC_OK) {
		zinc_codec_free(codec);
		return st;
	}
	if (l->ops->kind == ZINC_BYTES_BYTES) {
		c->bb[c->nbb++] = codec;
	} else if (l->ops->kind == ZINC_ARRAY_BYTES) {
		c->ab = codec;
	} else {
		c->aa_rep[c->naa] = *rep;
		c->aa[c->naa++] = codec;
		ZINC_TRY(zinc_codec_encoded_shape(codec, &next, err)); /* parse has checked that it is possible */
		*rep = next;
	}
	return ZINC_OK;
}

static zinc_status
parse_links(zinc_chain *c, const links *all, zinc_report *r, zinc_error *err)
{
	zinc_status st, unsupported = ZINC_OK;
	zinc_rep rep = c->rep;
	size_t i;

	for (i = 0; i < all->n; i++) {
		st = parse_link(c, &all->v[i], &rep, r, err);
		if (st == ZINC_E_UNSUPPORTED && all->v[i].ops->kind != ZINC_ARRAY_ARRAY)
			unsupported = st; /* the codecs after it do not depend on it */
		else
			ZINC_TRY(st);
	}
	c->ab_rep = rep;
	return unsupported;
}

/* ---- what follows from the parts ---- */

/* Is each axis on the encoded side of an array->array codec one of the decoded side, with its length? */
static bool
maps_axes(const zinc_chain *c, int k)
{
	const zinc_rep *in = &c->aa_rep[k], *out = k + 1 < c->naa ? &c->aa_rep[k + 1] : &c->ab_rep;

	if (zinc_codec_reorders(c->aa[k]->ops))
		return true;
	return !zinc_codec_reshapes(c->aa[k]->ops) && in->ndim == out->ndim &&
	       memcmp(in->shape, out->shape, (size_t)in->ndim * sizeof *in->shape) == 0;
}

/* from_axis[i]: the axis of rep that is axis i of ab_rep. */
static void
fold_orders(zinc_chain *c)
{
	int i, k;

	c->reorders_only = c->maps_axes = true;
	c->reshapes_only = c->naa > 0;
	for (i = 0; i < ZINC_MAX_NDIM; i++)
		c->axis[i] = c->from_axis[i] = i;
	for (k = 0; k < c->naa; k++) {
		c->reorders_only = c->reorders_only && zinc_codec_reorders(c->aa[k]->ops);
		c->reshapes_only = c->reshapes_only && zinc_codec_reshapes(c->aa[k]->ops);
		c->maps_axes = c->maps_axes && maps_axes(c, k);
	}
	for (k = 0; k < c->naa && c->maps_axes; k++) {
		const int *order = zinc_codec_order(c->aa[k]);
		int old[ZINC_MAX_NDIM];

		memcpy(old, c->from_axis, sizeof old);
		for (i = 0; i < c->rep.ndim && order; i++)
			c->from_axis[i] = old[order[i]];
	}
	if (c->reorders_only)
		memcpy(c->axis, c->from_axis, sizeof c->axis);
}

/* Nothing is known of codecs that programs register. */
static bool
may_change(const zinc_codec *c)
{
	return zinc_codec_loses(c) || zinc_codec_registered(c->ops);
}

static void
find_refusals(zinc_chain *c)
{
	double most; /* magnitude to which numbers may be changed */
	int k;

	c->pack_changes = may_change(c->ab) || (c->shard && c->shard->inner->changes);
	c->changes = c->pack_changes;
	most = c->changes ? INFINITY : 0;
	for (k = c->naa; k-- > 0;) {
		const zinc_array_ops *ops = c->aa[k]->ops->array;

		c->reads_back |= ops->refuses && ops->refuses(c->aa[k], most);
		c->changes |= may_change(c->aa[k]);
		if (c->changes && !ops->order && !ops->reshape)
			most = ops->reach ? ops->reach(c->aa[k]) : INFINITY;
	}
}

/* A shard is open if its inner chunks are in the stored object as they are: no codec after it changes the bytes, and
 * no codec before it changes the elements.  Then the unit is the inner chunk's own unit, through all levels. */
static void
find_shard(zinc_chain *c)
{
	int i;

	memcpy(c->unit_shape, c->rep.shape, sizeof c->unit_shape);
	if (c->ab->ops != &zinc_codec_sharding)
		return;
	c->shard = (const zinc_shard *)c->ab;
	c->open_shard = c->reorders_only && c->nbb == 0;
	for (i = 0; c->open_shard && i < c->rep.ndim; i++)
		c->unit_shape[c->axis[i]] = c->shard->inner->unit_shape[i];
}

/* Data that must be decoded in one piece has a limit; so has the nesting of shards. */
static zinc_status
check_limits(const zinc_chain *c, zinc_error *err)
{
	const zinc_limits *limits = &zinc_context_get(c->ctx)->limits;
	const zinc_shard *shard;
	uint32_t depth = 0;
	size_t nbytes;

	for (shard = c->shard; shard; shard = shard->inner->shard)
		depth++;
	if (depth > limits->shard_depth)
		return zinc_fail(err, ZINC_E_LIMIT, "shards are nested %u deep; the limit is %u", (unsigned)depth,
				 (unsigned)limits->shard_depth);
	ZINC_TRY(zinc_rep_bytes(&c->rep, &nbytes, err));
	if (!c->open_shard && nbytes > limits->chunk_bytes)
		return zinc_fail(err, ZINC_E_LIMIT, "a chunk has %zu bytes; the limit is %llu", nbytes,
				 (unsigned long long)limits->chunk_bytes);
	return ZINC_OK;
}

static zinc_status
finish(zinc_chain *c, zinc_error *err)
{
	int i;

	fold_orders(c);
	find_shard(c);
	find_refusals(c);
	c->fixed_size = c->ab->ops->fixed_size;
	for (i = 0; i < c->nbb; i++)
		c->fixed_size = c->fixed_size && c->bb[i]->ops->fixed_size;
	return check_limits(c, err);
}

/* ---- the chain ---- */

/* Make an empty chain with room for n codecs of any kind, and its own copy of the fill value. */
static zinc_status
make(zinc_chain **out, zinc_context *ctx, size_t n, const zinc_rep *rep, zinc_error *err)
{
	zinc_chain *c = (zinc_chain *)zinc_calloc(ctx, 1, sizeof *c);

	*out = c;
	if (!c)
		return zinc_fail_nomem(err);
	c->ctx = ctx;
	c->rep = *rep;
	c->rep.fill = NULL;
	c->aa = (zinc_codec **)zinc_calloc(ctx, n, 2 * sizeof(zinc_codec *)); /* c->bb is the second half */
	c->aa_rep = (zinc_rep *)zinc_calloc(ctx, n, sizeof *c->aa_rep);
	if (!c->aa || !c->aa_rep)
		return zinc_fail_nomem(err);
	c->bb = c->aa + n;
	if (!rep->fill)
		return ZINC_OK;
	c->fill = zinc_alloc(ctx, rep->dtype->size);
	if (!c->fill)
		return zinc_fail_nomem(err);
	memcpy(c->fill, rep->fill, rep->dtype->size);
	c->rep.fill = c->fill;
	return ZINC_OK;
}

/* M9, before anything is allocated for the items. */
static zinc_status
check_list(zinc_context *ctx, const zinc_json *codecs, zinc_report *r, zinc_error *err)
{
	const uint32_t most = zinc_context_get(ctx)->limits.codecs;

	if (!zinc_json_is(codecs, ZINC_JSON_ARRAY))
		return zinc_report_error(r, "M9", err, "must be an array of codecs");
	if (codecs->n == 0)
		return zinc_report_error(r, "M9", err, "must name at least one codec");
	if (codecs->n > most)
		return zinc_fail(err, ZINC_E_LIMIT, "%zu codecs; the limit is %u", codecs->n, (unsigned)most);
	return ZINC_OK;
}

/* Other writers put "bytes" after a codec with bytes_behind.  One codec does the work of both here. */
static void
drop_bytes(links *all)
{
	size_t i, n = 0;

	for (i = 0; i < all->n; i++) {
		const bool behind = i > 0 && all->v[i - 1].ops && all->v[i - 1].ops->bytes_behind;

		if (!behind || all->v[i].ops != &zinc_codec_bytes)
			all->v[n++] = all->v[i];
	}
	all->n = n;
}

/* Parse into an empty chain.  The order is checked even if a codec is unknown, so that errors are reported before
 * it. */
static zinc_status
parse_all(zinc_chain *c, links *all, const zinc_json *codecs, zinc_report *r, zinc_error *err)
{
	zinc_status st = look_up_all(all, codecs, r, err);

	drop_bytes(all);
	if (st == ZINC_OK || st == ZINC_E_UNSUPPORTED)
		ZINC_TRY(check_order(all, r, err));
	ZINC_TRY(st);
	ZINC_TRY(parse_links(c, all, r, err));
	return finish(c, err);
}

zinc_status
zinc_chain_parse(zinc_chain **out, zinc_context *ctx, const zinc_json *codecs, const zinc_rep *rep, zinc_report *r,
		 zinc_error *err)
{
	zinc_chain *c = NULL;
	links all = {NULL, 0, true};
	zinc_status st;

	ZINC_TRY(check_list(ctx, codecs, r, err));
	st = make(&c, ctx, codecs->n, rep, err);
	if (st == ZINC_OK) {
		all.v = (link *)zinc_calloc(ctx, codecs->n, sizeof *all.v);
		st = all.v ? parse_all(c, &all, codecs, r, err) : zinc_fail_nomem(err);
	}
	zinc_free(ctx, all.v);
	if (st != ZINC_OK) {
		zinc_chain_free(c);
		return st;
	}
	*out = c;
	return ZINC_OK;
}

void
zinc_chain_free(zinc_chain *c)
{
	int i;

	if (!c)
		return;
	for (i = c->nbb; i-- > 0;)
		zinc_codec_free(c->bb[i]);
	zinc_codec_free(c->ab);
	for (i = c->naa; i-- > 0;) /* later ones may use types of earlier ones */
		zinc_codec_free(c->aa[i]);
	zinc_free(c->ctx, c->aa);
	zinc_free(c->ctx, c->aa_rep);
	zinc_free(c->ctx, c->fill);
	zinc_free(c->ctx, c);
}

bool
zinc_chain_inner_shape(const zinc_chain *c, uint64_t *shape)
{
	int i;

	if (!c->shard || !c->maps_axes)
		return false;
	for (i = 0; i < c->rep.ndim; i++)
		shape[c->from_axis[i]] = c->shard->chunk_shape[i];
	return true;
}

zinc_status
zinc_chain_check_exact(const zinc_chain *c, const char *rule, zinc_report *r, zinc_error *err)
{
	const zinc_codec *lossy = zinc_codec_loses(c->ab) ? c->ab : NULL;
	int k;

	for (k = 0; k < c->naa && !lossy; k++)
		lossy = zinc_codec_loses(c->aa[k]) ? c->aa[k] : NULL;
	if (!lossy)
		return ZINC_OK;
	return zinc_report_error(r, rule, err, "codec \"%s\" may change what must stay exact", lossy->ops->name);
}

/* Always the object form, without must_understand (M24). */
zinc_status
zinc_codec_append(zinc_json_doc *doc, zinc_json *list, const char *name, zinc_json *configuration, zinc_error *err)
{
	zinc_json *o = zinc_json_make(doc, ZINC_JSON_OBJECT);

	ZINC_TRY(zinc_json_set(doc, o, "name", zinc_json_make_string(doc, name), err));
	if (configuration)
		ZINC_TRY(zinc_json_set(doc, o, "configuration", configuration, err));
	return zinc_json_append(list, o, err);
}

static zinc_status
print_codec(const zinc_codec *codec, zinc_json_doc *doc, zinc_json *list, zinc_error *err)
{
	zinc_json *configuration = NULL;

	ZINC_TRY(zinc_codec_print(codec, doc, &configuration, err));
	ZINC_TRY(zinc_codec_append(doc, list, codec->ops->name, configuration, err));
	return codec->ops->bytes_behind ? zinc_codec_append(doc, list, zinc_codec_bytes.name, NULL, err) : ZINC_OK;
}

zinc_status
zinc_chain_print(const zinc_chain *c, zinc_json_doc *doc, zinc_json **out, zinc_error *err)
{
	zinc_json *list = zinc_json_make(doc, ZINC_JSON_ARRAY);
	int i;

	for (i = 0; i < c->naa; i++)
		ZINC_TRY(print_codec(c->aa[i], doc, list, err));
	ZINC_TRY(print_codec(c->ab, doc, list, err));
	for (i = 0; i < c->nbb; i++)
		ZINC_TRY(print_codec(c->bb[i], doc, list, err));
	*out = list;
	return ZINC_OK;
}
