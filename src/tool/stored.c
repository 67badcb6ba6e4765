/*
 * stored.c - what an array has in its store, by listing alone
 *
 * No object is opened: a listing gives sizes, and the grid says what each decodes to.  Keys that are no object of the
 * grid (leftovers of a shrunk array, other people's files) are not counted.  Through storage transformers the objects
 * are the chunks that the array sees, with the sizes they have for it.
 */
#include "tool/tool.h"

struct sum {
	const zinc_meta *m;
	size_t skip; /* of keys: the prefix of the array's objects */
	zinc_stored *out;
};

/* What the object decodes to: its full extent, for chunks at the border are stored in full. */
static uint64_t
object_bytes(const zinc_meta *m, const uint64_t *index)
{
	uint64_t extent[ZINC_MAX_NDIM], start, n;
	int d;

	for (d = 0; d < m->ndim; d++)
		m->grid->ops->span(m->grid, d, index[d], &start, &extent[d]);
	return zinc_shape_bytes(extent, m->ndim, m->dtype ? m->dtype->size : 0, UINT64_MAX, &n) ? UINT64_MAX : n;
}

static int
add_key(void *arg, const char *key, uint64_t nbytes)
{
	struct sum *s = arg;
	uint64_t index[ZINC_MAX_NDIM];
	int d;

	if (!s->m->keys.ops->decode(&s->m->keys, key + s->skip, s->m->ndim, index))
		return 0;
	for (d = 0; d < s->m->ndim; d++)
		if (index[d] >= s->m->grid->ops->count(s->m->grid, d, s->m->shape[d]))
			return 0;
	s->out->smallest = s->out->objects == 0 ? nbytes : zinc_min_u64(s->out->smallest, nbytes);
	s->out->largest = zinc_max_u64(s->out->largest, nbytes);
	s->out->objects++;
	if (zinc_u64_add(s->out->bytes, nbytes, &s->out->bytes))
		s->out->bytes = UINT64_MAX;
	if (zinc_u64_add(s->out->decoded_bytes, object_bytes(s->m, index), &s->out->decoded_bytes))
		s->out->decoded_bytes = UINT64_MAX;
	return 0;
}

/* Objects that the grid has; a product of counts, so num.h multiplies it like a shape. */
static uint64_t
total(const zinc_meta *m)
{
	uint64_t counts[ZINC_MAX_NDIM], n;
	int d;

	for (d = 0; d < m->ndim; d++)
		counts[d] = m->grid->ops->count(m->grid, d, m->shape[d]);
	return zinc_shape_bytes(counts, m->ndim, 1, UINT64_MAX, &n) ? UINT64_MAX : n;
}

static zinc_status
add_up(const zinc_array *a, const zinc_stack *layers, zinc_stored *out, zinc_error *err)
{
	const zinc_meta *m = layers->meta;
	struct sum s = {.m = m, .out = out};
	zinc_store *store;
	zinc_status code;
	zinc_buf prefix;

	if (!m->grid || !m->keys.ops)
		return zinc_fail(err, ZINC_E_UNSUPPORTED, "%s", m->unsupported ? m->unsupported : "unknown grid");
	ZINC_TRY(zinc_stack_store(layers, &store, err));
	out->objects_total = total(m);
	zinc_buf_init(&prefix, a->ctx, SIZE_MAX);
	code = a->h->format->data_prefix(a->h, a->path, &prefix, err);
	s.skip = prefix.n;
	if (code == ZINC_OK)
		code = zinc_buf_text(&prefix) ? zinc_store_list(store, zinc_buf_text(&prefix), add_key, &s, err)
					      : zinc_fail_nomem(err);
	zinc_buf_fini(&prefix);
	return code;
}

zinc_status
zinc_array_stored(const zinc_array *a, zinc_stored *out, zinc_error *err)
{
	zinc_stack *layers;
	zinc_status s;

	if (!a || !out)
		return zinc_fail(err, ZINC_E_INVALID, "no array, or no place for the answer");
	layers = zinc_array_layers(a, NULL);
	*out = (zinc_stored){0};
	s = add_up(a, layers, out, err);
	zinc_stack_free(layers);
	return s == ZINC_OK ? s : zinc_error_at_url(err, s, a->h->url);
}
