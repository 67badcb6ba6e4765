/*
 * face_v3_recipe.c - an array's description -> the arrays that are served for it
 *
 * Promises (tests/unit/test_face_v3.c names each by its number):
 *
 * (1) Chunks pass unchanged if type, grid and codecs allow it; else they are encoded again, with chunks of the same shape,
 *     or of the inner chunks' where sharded.
 * (2) An array that this build cannot read is E_UNSUPPORTED, with the reason.
 */
#include <stdlib.h>
#include <string.h>

#include "face_v3.h"

/* ---- one array ---- */

static uint64_t
at_least_one(uint64_t n)
{
	return n ? n : 1;
}

static bool
is_regular(const struct items *d)
{
	const char *grid = items_find(d, "chunk_grid");
	char *name = grid ? json_member(grid, "name") : NULL;
	const bool regular = name && !strcmp(name, "\"regular\"");

	free(name);
	return regular;
}

/* The shape of the array, or of the chunks, with the trailing axes behind it. */
static bool
read_shape(struct recipe *r, const char *json, uint64_t *out)
{
	const int n = json_numbers(json, out, ZINC_MAX_NDIM);
	int i;

	if (n < 0 || n + r->leaf.naxes > ZINC_MAX_NDIM)
		return false;
	for (i = 0; i < r->leaf.naxes; i++)
		out[n + i] = r->leaf.axis[i];
	r->source_ndim = n;
	r->ndim = n + r->leaf.naxes;
	return true;
}

/* The same bytes with another meaning at most. */
static bool
can_pass(const struct recipe *r, const struct items *d)
{
	const struct leaf *leaf = &r->leaf;

	if (leaf->record || leaf->kind == LEAF_TEXT || leaf->stored || !is_regular(d))
		return false;
	return (leaf->kind != LEAF_DATE && leaf->kind != LEAF_SPAN) || time_is_same(&leaf->time);
}

/* Codecs that are served, for free(); sets `pass` and the chunk shape. */
static char *
choose(struct recipe *r, const struct items *d)
{
	const char *shards = items_find(d, "shard_shape"), *chunks = items_find(d, "chunk_shape");
	bool sharded = false;
	char *codecs = can_pass(r, d)
			   ? codecs_pass(items_find(d, "codecs"), r->source_ndim, r->leaf.axis, r->leaf.naxes, &sharded)
			   : NULL;

	/* a shard cannot tell its reader that missing chunks are not fill value */
	if (codecs && sharded && !r->leaf.same_fill) {
		free(codecs);
		codecs = NULL;
	}
	r->pass = codecs != NULL;
	/* a shard behind a codec that changes the shape has no boxes of the array inside */
	if (!read_shape(r, (r->pass && sharded) || !chunks || !strcmp(chunks, "null") ? shards : chunks, r->chunk) ||
	    (sharded && !shards)) {
		free(codecs);
		return NULL;
	}
	return codecs ? codecs : strdup(codecs_plain(r->leaf.type));
}

static zinc_status
make_array(struct recipe *r, const struct items *d, const void *fill, zinc_error *err)
{
	char *codecs;
	int i;

	if (!read_shape(r, items_find(d, "shape"), r->shape))
		return face_fail(err, ZINC_E_LIMIT, "the array has too many dimensions");
	codecs = choose(r, d);
	if (!codecs)
		return face_fail(err, ZINC_E_UNSUPPORTED, "the array has no shape of chunks");
	for (i = 0; i < r->ndim; i++) {
		r->chunk[i] = at_least_one(r->chunk[i]);
		r->grid[i] = r->shape[i] / r->chunk[i] + (r->shape[i] % r->chunk[i] != 0);
	}
	r->missing = missing_of(&r->leaf, d, r->source_ndim, fill, &r->replaces, &r->unsuited);
	r->document = document_of_array(r, d, codecs);
	free(codecs);
	return r->document ? ZINC_OK : face_fail(err, ZINC_E_LIMIT, "the document is too long, or out of memory");
}

/* ---- all of one array ---- */

/* The attributes of the array stay at the group of its fields. */
static zinc_status
make_group(struct recipe *r, const struct items *d, zinc_error *err)
{
	struct text t = TEXT_INIT(FACE_DOCUMENT_BYTES);
	const char *attributes = items_find(d, "attributes");

	document_begin_group(&t, *r->leaf.name || !attributes ? "{}" : attributes);
	text_add(&t, "}");
	r->document = text_take(&t);
	return r->document ? ZINC_OK : face_nomem(err);
}

static zinc_status
make_all(struct recipes *out, struct leaves *leaves, const struct described *about, const struct items *d,
	 zinc_error *err)
{
	zinc_status st = ZINC_OK;
	size_t i;

	out->r = calloc(leaves->n, sizeof *out->r);
	if (!out->r)
		return face_nomem(err);
	for (i = 0; i < leaves->n && st == ZINC_OK; i++) {
		struct recipe *r = &out->r[out->n++];

		r->leaf = leaves->leaf[i];
		leaves->leaf[i] = (struct leaf){.name = NULL};
		r->element_size = about->element_size;
		r->variable = about->variable != 0;
		st = r->leaf.group ? make_group(r, d, err) : make_array(r, d, about->fill, err);
	}
	return st;
}

zinc_status
recipes_of(struct recipes *out, zinc_hierarchy *twins, const struct described *about, zinc_error *err)
{
	struct leaves leaves = {NULL, 0};
	struct items d;
	zinc_status st = ZINC_OK;

	*out = (struct recipes){NULL, 0};
	if (about->unsupported)
		return zinc_error_set(err, ZINC_E_UNSUPPORTED, about->unsupported);
	if (!json_split(about->json, &d) || !items_find(&d, "data_type") || !items_find(&d, "fill_value"))
		st = face_nomem(err);
	if (st == ZINC_OK)
		st = leaves_of(&leaves, twins, items_find(&d, "data_type"), items_find(&d, "fill_value"),
			       about->element_size, err);
	if (st == ZINC_OK)
		st = make_all(out, &leaves, about, &d, err);
	leaves_free(&leaves);
	items_free(&d);
	if (st != ZINC_OK)
		recipes_free(out);
	return st;
}

void
recipes_free(struct recipes *x)
{
	size_t i;

	for (i = 0; i < x->n; i++) {
		free(x->r[i].leaf.name);
		free(x->r[i].leaf.said);
		free(x->r[i].leaf.type);
		free(x->r[i].leaf.fill);
		free(x->r[i].missing);
		free(x->r[i].document);
	}
	free(x->r);
	*x = (struct recipes){NULL, 0};
}
