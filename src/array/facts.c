/*
 * facts.c - the data that a handle's accessors return pointers to: shape, names, fill value
 *
 * Accessors return pointers, and another thread may resize or refresh the same handle at any time.  A snapshot of the
 * metadata is freed with its last reader.  So the data belong to the handle, not to a snapshot.  Promises
 * (tests/unit/test_accessors.c names each by its number):
 *
 * (1) A pointer that was returned stays valid, with unchanged data, until the handle is closed.
 * (2) Facts that no accessor returned are freed with their snapshot, and unchanged facts are not copied again.  So a
 *     handle grows only by facts that were returned and then changed.
 */
#include "array/engine.h"

/* Texts and the fill value are in `bytes`. */
struct zinc_facts {
	struct zinc_facts *older;      /* also returned, or NULL */
	bool returned;                 /* an accessor has returned it; guarded by ctx->lock, like `older` */
	bool variable;                 /* the fill value is a zinc_vlen */
	uint64_t shape[ZINC_MAX_NDIM]; /* zeros after ndim: a refresh may find an array with more dimensions */
	size_t nbytes;
	/* offsets in `bytes`; SIZE_MAX: none */
	size_t dtype, unsupported, fill;
	size_t names[ZINC_MAX_NDIM];
	uint64_t bytes[]; /* aligned for every element */
};

static const void *
at(const zinc_facts *f, size_t place)
{
	return place != SIZE_MAX ? (const uint8_t *)f->bytes + place : NULL;
}

/* ---- construction ---- */

static zinc_status
add(zinc_buf *b, const void *bytes, size_t n, size_t *place, zinc_error *err)
{
	static const uint8_t zeros[sizeof(uint64_t)];

	ZINC_TRY(zinc_buf_add(b, zeros, (sizeof zeros - b->n % sizeof zeros) % sizeof zeros, err));
	*place = b->n;
	return zinc_buf_add(b, bytes, n, err);
}

static zinc_status
add_text(zinc_buf *b, const char *text, size_t *place, zinc_error *err)
{
	return text ? add(b, text, strlen(text) + 1, place, err) : ZINC_OK;
}

/* A data_type member as text; a bare string without its quotes. */
static zinc_status
add_json(zinc_buf *b, const zinc_json *v, size_t *place, zinc_error *err)
{
	if (zinc_json_is(v, ZINC_JSON_STRING) || !v)
		return add_text(b, v ? v->text : "", place, err);
	ZINC_TRY(add(b, "", 0, place, err));
	ZINC_TRY(zinc_json_print_line(v, b, err));
	return zinc_buf_add(b, "", 1, err);
}

/* A type with parameters is printed as version 3 spells it. */
static zinc_status
add_dtype(zinc_buf *b, zinc_context *ctx, const zinc_meta *m, size_t *place, zinc_error *err)
{
	zinc_json_doc *doc;
	zinc_json *v;
	zinc_status st;

	if (!m->dtype)
		return add_json(b, zinc_json_member(zinc_meta_v3(m), "data_type"), place, err);
	if (!m->dtype->row || !m->dtype->row->print)
		return add_text(b, m->dtype->name, place, err);
	ZINC_TRY(zinc_json_new(&doc, ctx, err));
	v = zinc_dtype_print(m->dtype, doc);
	st = v ? add_json(b, v, place, err) : zinc_fail_nomem(err);
	zinc_json_free(doc);
	return st;
}

/* An element of variable length is followed by its bytes; place_fill sets its pointer when the address is final. */
static zinc_status
add_fill(zinc_buf *b, const zinc_meta *m, size_t *place, zinc_error *err)
{
	const zinc_vlen *v = m->fill;

	if (!m->fill)
		return ZINC_OK;
	ZINC_TRY(add(b, m->fill, m->dtype->size, place, err));
	return m->dtype->variable ? zinc_buf_add(b, v->data, (size_t)v->nbytes, err) : ZINC_OK;
}

static zinc_status
collect(zinc_facts *f, zinc_buf *b, zinc_context *ctx, const zinc_meta *m, zinc_error *err)
{
	int d;

	memset(f, 0, sizeof *f);
	memcpy(f->shape, m->shape, (size_t)m->ndim * sizeof *f->shape);
	f->dtype = f->unsupported = f->fill = SIZE_MAX;
	for (d = 0; d < ZINC_MAX_NDIM; d++)
		f->names[d] = SIZE_MAX;
	ZINC_TRY(add_dtype(b, ctx, m, &f->dtype, err));
	ZINC_TRY(add_text(b, m->unsupported, &f->unsupported, err));
	ZINC_TRY(add_fill(b, m, &f->fill, err));
	for (d = 0; d < m->ndim && m->dimension_names; d++)
		ZINC_TRY(add_text(b, m->dimension_names[d], &f->names[d], err));
	f->variable = m->fill && m->dtype->variable;
	f->nbytes = b->n;
	return ZINC_OK;
}

static void
place_fill(zinc_facts *f)
{
	zinc_vlen *v = (zinc_vlen *)(uintptr_t)at(f, f->fill);

	if (f->variable)
		v->data = v + 1;
}

zinc_status
zinc_facts_make(zinc_facts **out, zinc_context *ctx, const zinc_meta *m, zinc_error *err)
{
	zinc_facts f;
	zinc_status st;
	zinc_buf b;

	zinc_buf_init(&b, ctx, zinc_max_text(ctx));
	st = collect(&f, &b, ctx, m, err);
	*out = st == ZINC_OK ? zinc_calloc(ctx, 1, sizeof f + b.n) : NULL;
	if (st == ZINC_OK && !*out)
		st = zinc_fail_nomem(err);
	if (st == ZINC_OK) {
		memcpy(*out, &f, sizeof f);
		memcpy((*out)->bytes, b.p, b.n);
		place_fill(*out);
	}
	zinc_buf_fini(&b);
	return st;
}

void
zinc_facts_free(zinc_context *ctx, zinc_facts *f)
{
	while (f) {
		zinc_facts *older = f->older;

		zinc_free(ctx, f);
		f = older;
	}
}

/* Ignore the pointer in a fill value of variable length: it points to the bytes that follow. */
static bool
same_bytes(const zinc_facts *a, const zinc_facts *b)
{
	const size_t end = a->variable ? a->fill : a->nbytes, next = a->variable ? a->fill + sizeof(void *) : a->nbytes;

	return memcmp(a->bytes, b->bytes, end) == 0 && memcmp(at(a, next), at(b, next), a->nbytes - next) == 0;
}

static bool
same(const zinc_facts *a, const zinc_facts *b)
{
	return a->nbytes == b->nbytes && a->variable == b->variable && a->dtype == b->dtype &&
	       a->unsupported == b->unsupported && a->fill == b->fill &&
	       memcmp(a->names, b->names, sizeof a->names) == 0 && memcmp(a->shape, b->shape, sizeof a->shape) == 0 &&
	       same_bytes(a, b);
}

zinc_facts *
zinc_facts_follow(zinc_facts *now, zinc_facts *next, zinc_facts **rid)
{
	if (same(now, next)) {
		*rid = next;
		return now;
	}
	*rid = now->returned ? NULL : now;
	next->older = now->returned ? now : now->older;
	now->older = now->returned ? now->older : NULL;
	return next;
}

/* ---- accessors ---- */

/* Marks them as returned. */
static const zinc_facts *
current_facts(const zinc_array *a)
{
	zinc_facts *f;

	pthread_mutex_lock(&a->ctx->lock);
	f = a->facts;
	f->returned = true;
	pthread_mutex_unlock(&a->ctx->lock);
	return f;
}

const uint64_t *
zinc_array_shape(const zinc_array *a)
{
	return current_facts(a)->shape;
}

const char *
zinc_array_dtype(const zinc_array *a)
{
	const zinc_facts *f = current_facts(a);

	return at(f, f->dtype);
}

const char *
zinc_array_dimension_name(const zinc_array *a, int dim)
{
	const zinc_facts *f = current_facts(a);

	return dim >= 0 && dim < ZINC_MAX_NDIM ? at(f, f->names[dim]) : NULL;
}

const char *
zinc_array_unsupported(const zinc_array *a)
{
	const zinc_facts *f = current_facts(a);

	return at(f, f->unsupported);
}

const void *
zinc_array_fill(const zinc_array *a)
{
	const zinc_facts *f = current_facts(a);

	return at(f, f->fill);
}
