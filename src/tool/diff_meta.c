/*
 * diff_meta.c - compare two documents
 *
 * Both are compared in the final version's vocabulary, to which every format translates its own.  If a format has no
 * member for names of dimensions, they may be in an attribute, so that attribute is not compared separately.
 */
#include "tool/diff.h"

#define MISSING "_FillValue"

static bool
equal(const zinc_json *a, const zinc_json *b)
{
	return a && b ? zinc_json_equal(a, b) : a == b;
}

static const zinc_json *
root_of(const zinc_meta *m)
{
	return m ? zinc_meta_v3(m) : NULL;
}

/* ---- members ---- */

/* Compare types by their meaning, so that old names and bare strings do not matter; unknown ones by their JSON. */
static zinc_status
same_type(zinc_context *ctx, const zinc_meta *a, const zinc_meta *b, bool *out, zinc_error *err)
{
	if (!a->dtype || !b->dtype) {
		*out = equal(zinc_json_member(root_of(a), "data_type"), zinc_json_member(root_of(b), "data_type"));
		return ZINC_OK;
	}
	return zinc_dtype_same(a->dtype, b->dtype, ctx, out, err);
}

/* A fill value as a complex number; false: it is not a number. */
static bool
fill_number(const zinc_meta *m, double out[2])
{
	return m->dtype && m->fill && zinc_dtype_converts(ZINC_COMPLEX128, m->dtype->type) &&
	       zinc_dtype_convert(ZINC_COMPLEX128, m->dtype->type, out, m->fill, 1, 0) == 1;
}

/* Compare fill values of one type by their bytes, because JSON has many spellings; of different types by number, if
 * they are numbers. */
static bool
same_fill(const zinc_meta *a, const zinc_meta *b, bool types)
{
	double x[2], y[2];

	if (!types && fill_number(a, x) && fill_number(b, y))
		return (x[0] == y[0] || (x[0] != x[0] && y[0] != y[0])) &&
		       (x[1] == y[1] || (x[1] != x[1] && y[1] != y[1]));
	if (types && a->dtype && b->dtype && a->fill && b->fill && !a->dtype->variable)
		return memcmp(a->fill, b->fill, a->dtype->size) == 0;
	return equal(zinc_json_member(root_of(a), "fill_value"), zinc_json_member(root_of(b), "fill_value"));
}

/* Null is read as zero.  But a reader that masks by fill_value treats the two differently, if the array has names of
 * dimensions. */
static bool
same_null(const zinc_meta *a, const zinc_meta *b)
{
	return a->no_fill == b->no_fill || a->format->masks != ZINC_MASKS_FILL || b->format->masks != ZINC_MASKS_FILL ||
	       (!zinc_dimension_names_find(root_of(a)) && !zinc_dimension_names_find(root_of(b)));
}

static const zinc_json *
fill_of(const zinc_meta *m, zinc_json_doc *doc)
{
	return m->no_fill ? zinc_json_make(doc, ZINC_JSON_NULL) : zinc_json_member(root_of(m), "fill_value");
}

/* As in a document: the form in memory may have private names. */
static const zinc_json *
type_of(const zinc_meta *m, zinc_json_doc *doc)
{
	return m->dtype && m->dtype->mixed ? zinc_dtype_print(m->dtype, doc)
					   : zinc_json_member(root_of(m), "data_type");
}

static zinc_status
compare_members_of_arrays(zinc_cmp *c, const zinc_cmp_pair *p, bool *shapes, bool *types, zinc_json_doc *doc,
			  zinc_error *err)
{
	const zinc_meta *a = p->meta[0], *b = p->meta[1];
	const zinc_json *x = root_of(a), *y = root_of(b);
	const zinc_json *xnames = zinc_dimension_names_find(x), *ynames = zinc_dimension_names_find(y);
	const struct {
		const char *name;
		bool same;
		const zinc_json *x, *y;
	} rows[] = {
	    {"shape", *shapes, zinc_json_member(x, "shape"), zinc_json_member(y, "shape")},
	    {"data_type", *types, type_of(a, doc), type_of(b, doc)},
	    {"fill_value", same_fill(a, b, *types) && same_null(a, b), fill_of(a, doc), fill_of(b, doc)},
	    {"dimension_names", equal(xnames, ynames), xnames, ynames},
	};
	size_t i;

	for (i = 0; i < sizeof rows / sizeof *rows; i++)
		if (!rows[i].same)
			ZINC_TRY(
			    zinc_cmp_differ(c, ZINC_DIFFERS_META, p->path, rows[i].name, rows[i].x, rows[i].y, err));
	return ZINC_OK;
}

static zinc_status
compare_array(zinc_cmp *c, const zinc_cmp_pair *p, bool *shapes, bool *types, zinc_error *err)
{
	zinc_json_doc *doc;
	zinc_status st;

	ZINC_TRY(zinc_json_new(&doc, c->ctx, err));
	st = compare_members_of_arrays(c, p, shapes, types, doc, err);
	zinc_json_free(doc);
	return st;
}

/* ---- objects, member by member ---- */

struct members {
	zinc_cmp *c;
	const zinc_cmp_pair *p;
	const char *before;        /* "attributes/", or nothing */
	const char *const *ignore; /* NULL-ended */
};

static bool
ignored(const struct members *m, const char *key)
{
	const char *const *k;

	for (k = m->ignore; *k; k++)
		if (strcmp(*k, key) == 0)
			return true;
	return false;
}

static zinc_status
differ_in_member(const struct members *m, const char *key, const zinc_json *a, const zinc_json *b, zinc_error *err)
{
	zinc_status st;
	zinc_buf what;

	zinc_buf_init(&what, m->c->ctx, zinc_max_text(m->c->ctx));
	st = zinc_buf_printf(&what, err, "%s%s", m->before, key);
	if (st == ZINC_OK)
		st = zinc_buf_text(&what)
			 ? zinc_cmp_differ(m->c, ZINC_DIFFERS_META, m->p->path, zinc_buf_text(&what), a, b, err)
			 : zinc_fail_nomem(err);
	zinc_buf_fini(&what);
	return st;
}

/* The members of a, in its order, then those that only b has. */
static zinc_status
compare_members(const struct members *m, const zinc_json *a, const zinc_json *b, zinc_error *err)
{
	const zinc_json *v;

	for (v = zinc_json_is(a, ZINC_JSON_OBJECT) ? a->first : NULL; v; v = v->next)
		if (!ignored(m, v->key) && !equal(v, zinc_json_member(b, v->key)))
			ZINC_TRY(differ_in_member(m, v->key, v, zinc_json_member(b, v->key), err));
	for (v = zinc_json_is(b, ZINC_JSON_OBJECT) ? b->first : NULL; v; v = v->next)
		if (!ignored(m, v->key) && !zinc_json_member(a, v->key))
			ZINC_TRY(differ_in_member(m, v->key, NULL, v, err));
	return ZINC_OK;
}

/* ---- what masks missing values ---- */

/* The attribute as an element; *has false: there is none. */
static void *
missing_of(const zinc_cmp *c, const zinc_meta *m, bool *has)
{
	const zinc_json *v = zinc_json_member(zinc_json_member(root_of(m), "attributes"), MISSING);
	void *element = zinc_dtype_fill_room(m->dtype, c->ctx, NULL);

	*has = v != NULL;
	if (element && v &&
	    !zinc_missing_parse(c->ctx, m->dtype, v, m->format->masks == ZINC_MASKS_ATTRIBUTE, element)) {
		zinc_free(c->ctx, element);
		return NULL;
	}
	return element;
}

/* No attribute, or null, which means the same where fill_value masks (copy_missing.c). */
static bool
masks_nothing(const zinc_meta *m)
{
	const zinc_json *v = zinc_json_member(zinc_json_member(root_of(m), "attributes"), MISSING);

	return !v || (m->format->masks == ZINC_MASKS_FILL && zinc_json_is(v, ZINC_JSON_NULL));
}

/* The attribute, or if there is none, what masks without it. */
static const void *
masking(const zinc_meta *m, bool has, const void *attribute)
{
	return has ? attribute : m->fill;
}

/* Is the attribute _FillValue the same in two formats that write it differently?  One of them may have none if there
 * fill_value masks.  False also for an invalid attribute. */
static bool
same_missing(const zinc_cmp *c, const zinc_meta *a, const zinc_meta *b)
{
	bool has[2], same = false;
	void *x, *y;

	if (masks_nothing(a) && masks_nothing(b))
		return true;
	if (a->format->masks == b->format->masks || !zinc_missing_has(a->dtype) || !zinc_missing_has(b->dtype) ||
	    a->dtype->type != b->dtype->type)
		return false;
	x = missing_of(c, a, &has[0]);
	y = missing_of(c, b, &has[1]);
	if (x && y)
		same = zinc_missing_same(a->dtype, masking(a, has[0], x), masking(b, has[1], y));
	zinc_free(c->ctx, x);
	zinc_free(c->ctx, y);
	return same && (has[0] || a->format->masks == ZINC_MASKS_FILL) &&
	       (has[1] || b->format->masks == ZINC_MASKS_FILL);
}

zinc_status
zinc_cmp_meta(zinc_cmp *c, const zinc_cmp_pair *p, bool *shapes, bool *types, zinc_error *err)
{
	static const char *const names[] = {ZINC_DIMENSIONS, MISSING, NULL}, *const dimensions[] = {ZINC_DIMENSIONS,
												    NULL};
	static const char *const known[] = {"zarr_format", "node_type",
					    "shape",       "data_type",
					    "chunk_grid",  "chunk_key_encoding",
					    "fill_value",  "dimension_names",
					    "codecs",      "storage_transformers",
					    "attributes",  "consolidated_metadata",
					    NULL};
	const zinc_meta *a = p->meta[0], *b = p->meta[1];
	struct members attributes = {c, p, "attributes/", dimensions};
	const struct members others = {c, p, "", known};

	if (a && b && a->kind == ZINC_NODE_ARRAY && b->kind == ZINC_NODE_ARRAY) {
		*shapes = a->ndim == b->ndim && memcmp(a->shape, b->shape, (size_t)a->ndim * sizeof *a->shape) == 0;
		ZINC_TRY(same_type(c->ctx, a, b, types, err));
		ZINC_TRY(compare_array(c, p, shapes, types, err));
		if (same_missing(c, a, b))
			attributes.ignore = names;
	}
	ZINC_TRY(compare_members(&attributes, zinc_json_member(root_of(a), "attributes"),
				 zinc_json_member(root_of(b), "attributes"), err));
	return compare_members(&others, root_of(a), root_of(b), err);
}

/* ---- storage ---- */

/* "default/": the spelling of chunk keys. */
static zinc_json *
keys_of(const zinc_meta *m, zinc_json_doc *doc)
{
	char text[64];
	size_t n;

	if (!m->keys.ops)
		return zinc_json_make(doc, ZINC_JSON_NULL);
	n = strlen(m->keys.ops->name);
	n = n < sizeof text - 2 ? n : sizeof text - 2;
	memcpy(text, m->keys.ops->name, n);
	text[n] = m->keys.separator;
	text[n + 1] = '\0';
	return zinc_json_make_string(doc, text);
}

/* Compare what `info` shows of a node, which is the same for all formats, and the rest of its storage. */
static zinc_status
describe(zinc_cmp *c, const zinc_cmp_pair *p, int side, zinc_json_doc **out, zinc_error *err)
{
	const zinc_meta *m = p->meta[side];
	zinc_status st;
	zinc_buf text;

	zinc_buf_init(&text, c->ctx, zinc_max_text(c->ctx));
	st = zinc_meta_describe(c->h[side], p->full[side], m, &text, err);
	if (st == ZINC_OK)
		st = zinc_json_parse(out, c->ctx, (const char *)text.p, text.n, 0, err);
	zinc_buf_fini(&text);
	ZINC_TRY(st);
	st = zinc_json_set(*out, zinc_json_root(*out), "chunk_key_encoding", keys_of(m, *out), err);
	if (st != ZINC_OK) {
		zinc_json_free(*out);
		*out = NULL;
	}
	return st;
}

zinc_status
zinc_cmp_storage(zinc_cmp *c, const zinc_cmp_pair *p, zinc_error *err)
{
	static const char *const rows[] = {"format", "chunk_shape", "shard_shape",        "codecs",
					   "order",  "byte_order",  "chunk_key_encoding", "chunk_grid"};
	zinc_json_doc *a, *b;
	zinc_status st;
	size_t i;

	ZINC_TRY(describe(c, p, 0, &a, err));
	st = describe(c, p, 1, &b, err);
	for (i = 0; st == ZINC_OK && i < sizeof rows / sizeof *rows; i++) {
		const zinc_json *x = zinc_json_member(zinc_json_root(a), rows[i]),
				*y = zinc_json_member(zinc_json_root(b), rows[i]);

		if (!equal(x, y))
			st = zinc_cmp_differ(c, ZINC_DIFFERS_STORAGE, p->path, rows[i], x, y, err);
	}
	if (i > 0)
		zinc_json_free(b);
	zinc_json_free(a);
	return st;
}
