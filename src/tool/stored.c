/*
 * stored.c - what an array has in its store, by listing alone
 *
 * No object is opened: a listing gives sizes, and the grid gives the decoded size of each.  Keys that are not objects
 * of the grid (left from a resize, files of other programs) are not counted.  With storage transformers, the objects
 * are the chunks of the array, with the sizes that the transformers report.
 */
#include "tool/tool.h"

struct listing {
	const zinc_meta *m;
	size_t skip; /* length of the prefix of the array's objects */
	zinc_stored_fn fn;
	void *arg;
	zinc_status status; /* for hidden entries */
	zinc_error *err;
};

/* The decoded size of the object: its full extent, because chunks at the border are stored in full. */
uint64_t
zinc_stored_decoded(const zinc_meta *m, const uint64_t *index)
{
	uint64_t extent[ZINC_MAX_NDIM], start, n;
	int d;

	for (d = 0; d < m->ndim; d++)
		zinc_grid_span(m->grid, d, index[d], &start, &extent[d]);
	return zinc_shape_bytes(extent, m->ndim, m->dtype ? m->dtype->size : 0, UINT64_MAX, &n) ? UINT64_MAX : n;
}

static int
each_key(void *arg, const char *key, uint64_t nbytes)
{
	const struct listing *l = arg;
	const zinc_meta *m = l->m;
	uint64_t index[ZINC_MAX_NDIM];
	int d;

	if (!zinc_keys_decode(&m->keys, key + l->skip, m->ndim, index))
		return 0;
	for (d = 0; d < m->ndim; d++)
		if (index[d] >= zinc_grid_count(m->grid, d, m->shape[d]))
			return 0;
	return l->fn(l->arg, m, index, nbytes);
}

/* An unreadable entry in the place of an object is not the fill value, so a read of that object must fail: it is
 * listed.  An entry that hides several objects fails immediately. */
static int
each_non_key(void *arg, const zinc_non_key *non_key)
{
	struct listing *l = arg;
	const char *rest = non_key->key + l->skip;
	uint64_t index[ZINC_MAX_NDIM];

	if (!zinc_meta_reads(l->m, rest, non_key))
		return 0;
	if (zinc_keys_decode(&l->m->keys, rest, l->m->ndim, index))
		return each_key(arg, non_key->key, 0);
	l->status = zinc_error_at_key(l->err, zinc_fail(l->err, ZINC_E_IO, "%s", non_key->why), non_key->key);
	return 1;
}

/* `hidden`: also report objects that cannot be read; otherwise only count what is listed. */
static zinc_status
list_objects(const zinc_array *a, const zinc_stack *layers, bool hidden, zinc_stored_fn fn, void *arg,
	     const zinc_wait *wait, zinc_error *err)
{
	const zinc_meta *m = layers->meta;
	struct listing l = {.m = m, .fn = fn, .arg = arg, .err = err};
	const zinc_lister to = {.size = sizeof to, .key = each_key, .non_key = hidden ? each_non_key : NULL, .arg = &l};
	zinc_store *store;
	zinc_status st;
	zinc_buf prefix;

	if (!m->grid || !m->keys.ops)
		return zinc_meta_refuse(m, err);
	ZINC_TRY(zinc_stack_store(layers, &store, err));
	zinc_buf_init(&prefix, a->ctx, ZINC_MAX_KEY);
	st = zinc_data_prefix(a->h, a->path, &prefix, err);
	l.skip = prefix.n;
	if (st == ZINC_OK)
		st = zinc_buf_text(&prefix) ? zinc_store_walk(store, zinc_buf_text(&prefix), &to, wait, err)
					    : zinc_fail_nomem(err);
	zinc_buf_fini(&prefix);
	return st == ZINC_OK ? l.status : st;
}

zinc_status
zinc_stored_each(const zinc_array *a, zinc_stored_fn fn, void *arg, const zinc_wait *wait, zinc_error *err)
{
	zinc_stack *layers = zinc_array_layers(a, NULL);
	const zinc_status st = list_objects(a, layers, true, fn, arg, wait, err);

	zinc_stack_free(layers);
	return st;
}

/* ---- sums ---- */

static int
add_object(void *arg, const zinc_meta *m, const uint64_t *index, uint64_t nbytes)
{
	zinc_stored *out = arg;

	out->smallest = out->objects == 0 ? nbytes : zinc_min_u64(out->smallest, nbytes);
	out->largest = zinc_max_u64(out->largest, nbytes);
	out->objects++;
	if (zinc_u64_add(out->bytes, nbytes, &out->bytes))
		out->bytes = UINT64_MAX;
	if (zinc_u64_add(out->decoded_bytes, zinc_stored_decoded(m, index), &out->decoded_bytes))
		out->decoded_bytes = UINT64_MAX;
	return 0;
}

/* The number of objects in the grid; a product of counts, so num.h multiplies it like a shape. */
static uint64_t
total(const zinc_meta *m)
{
	uint64_t counts[ZINC_MAX_NDIM], n;
	int d;

	for (d = 0; d < m->ndim; d++)
		counts[d] = zinc_grid_count(m->grid, d, m->shape[d]);
	return zinc_shape_bytes(counts, m->ndim, 1, UINT64_MAX, &n) ? UINT64_MAX : n;
}

zinc_status
zinc_array_stored(const zinc_array *a, zinc_stored *out, const zinc_call_options *call, zinc_error *err)
{
	zinc_stored sum = ZINC_STORED_INIT;
	zinc_stack *layers;
	zinc_wait wait;
	zinc_status st;

	ZINC_TRY(zinc_wait_begin(&wait, call, err));
	ZINC_TRY(ZINC_NEED(a && out, err));
	ZINC_TRY(zinc_result_check(out, err));
	layers = zinc_array_layers(a, NULL);
	st = list_objects(a, layers, false, add_object, &sum, &wait, err);
	if (st == ZINC_OK)
		sum.objects_total = total(layers->meta);
	zinc_result_fill(out, &sum, sizeof sum);
	zinc_stack_free(layers);
	return st == ZINC_OK ? st : zinc_error_at_node(err, st, a->h, a->path);
}
