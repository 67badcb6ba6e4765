/*
 * meta.c - the common metadata of a node: creation, reference count, change of shape
 *
 * Promises:
 *
 * (1) Metadata never changes after a parser has returned it.  The holder of a reference may read it from any thread
 *     without a lock.
 * (2) zinc_meta_resized leaves every other member of the document unchanged, spelling included.
 */
#include "format/format_v3.h"

zinc_status
zinc_meta_new(zinc_meta **out, zinc_context *ctx, const zinc_format *format, zinc_json_doc *doc, zinc_error *err)
{
	zinc_meta *m = zinc_calloc(ctx, 1, sizeof *m);

	if (!m) {
		zinc_json_free(doc);
		return zinc_fail_nomem(err);
	}
	atomic_init(&m->refs, 1);
	m->ctx = ctx;
	m->format = format;
	m->doc = doc;
	*out = m;
	return ZINC_OK;
}

zinc_meta *
zinc_meta_ref(zinc_meta *m)
{
	atomic_fetch_add(&m->refs, 1);
	return m;
}

const zinc_json *
zinc_meta_v3(const zinc_meta *m)
{
	return zinc_json_root(m->v3 ? m->v3 : m->doc);
}

/* Codecs and data types affect bytes.  Any other unknown member may affect keys. */
bool
zinc_meta_is_of_values(const char *member)
{
	static const char *const members[] = {
	    "data_type",  "dtype",   "fill_value", "codecs",     "chunk_codecs",
	    "compressor", "filters", "order",      "attributes", "chunk_memory_layout"};
	size_t i;

	for (i = 0; i < sizeof members / sizeof *members; i++)
		if (strcmp(member, members[i]) == 0)
			return true;
	return false;
}

/* The last reference frees it. */
void
zinc_meta_free(zinc_meta *m)
{
	if (!m || atomic_fetch_sub(&m->refs, 1) != 1)
		return;
	/* Children before parents: the chain refers to the type, and dimension names belong to the document. */
	zinc_chain_free(m->chain);
	zinc_grid_free(m->grid);
	if (m->keys.ops)
		zinc_keys_fini(&m->keys);
	zinc_free(m->ctx, m->fill);
	zinc_dtype_free(m->dtype);
	zinc_free(m->ctx, m->dimension_names);
	zinc_free(m->ctx, m->unsupported);
	zinc_json_free(m->v3);
	zinc_json_free(m->doc);
	zinc_free(m->ctx, m);
}

/* Only the drafts can store fallback data types. */
static zinc_status
check_fallback(const zinc_hierarchy *h, const zinc_json_doc *v3, zinc_error *err)
{
	if (!h->fallback || h->format->draft || strcmp(h->fallback, "any") == 0 || strcmp(h->fallback, "none") == 0 ||
	    !zinc_json_is_string(zinc_json_member(zinc_json_root(v3), "node_type"), "array"))
		return ZINC_OK;
	return zinc_fail(err, ZINC_E_INVALID, "format %s has no fallback data types", h->format->id);
}

/* The caller keeps `v3`. */
static zinc_status
copy_doc(zinc_context *ctx, const zinc_json_doc *v3, zinc_json_doc **out, zinc_error *err)
{
	zinc_json *root;

	ZINC_TRY(zinc_json_new(out, ctx, err));
	root = zinc_json_copy(*out, zinc_json_root(v3));
	zinc_json_set_root(*out, root);
	if (root)
		return ZINC_OK;
	zinc_json_free(*out);
	*out = NULL;
	return zinc_fail_nomem(err);
}

/* The final version has one byte order for all fields of a struct. */
static zinc_status
drop_orders(zinc_json_doc *doc, zinc_error *err)
{
	const zinc_json *type = zinc_json_member(zinc_json_root(doc), "data_type");

	if (!zinc_json_is(type, ZINC_JSON_OBJECT))
		return ZINC_OK;
	return zinc_json_set(doc, zinc_json_root(doc), "data_type",
			     zinc_dtype_drop_orders(doc, zinc_json_copy(doc, type)), err);
}

/* Printed from parsed metadata: codecs are recognised by what they are, not by their spelling.  `doc` is taken. */
static zinc_status
print_doc(zinc_hierarchy *h, zinc_json_doc *doc, zinc_json_doc **out, zinc_error *err)
{
	zinc_meta *m = NULL;
	zinc_report r;
	zinc_status st;

	zinc_report_init_quiet(&r, h->ctx, false);
	r.code = ZINC_E_INVALID;
	ZINC_TRY(zinc_v3_parse_doc(h->ctx, doc, &r, &m, err));
	st = m->unsupported ? zinc_meta_refuse(m, err) : h->format->print(h, m, out, err);
	zinc_meta_free(m);
	return st;
}

zinc_status
zinc_document_from_v3(zinc_json_doc **out, zinc_hierarchy *h, const zinc_json_doc *v3, zinc_error *err)
{
	zinc_json_doc *doc;
	zinc_status st;

	*out = NULL;
	ZINC_TRY(copy_doc(h->ctx, v3, &doc, err));
	if (h->format->print)
		return print_doc(h, doc, out, err);
	st = drop_orders(doc, err);
	if (st == ZINC_OK)
		*out = doc;
	else
		zinc_json_free(doc);
	return st;
}

zinc_status
zinc_meta_from_v3(zinc_meta **out, zinc_hierarchy *h, zinc_json_doc *v3, zinc_error *err)
{
	zinc_json_doc *doc;
	zinc_report r;

	ZINC_TRY(check_fallback(h, v3, err));
	ZINC_TRY(zinc_document_from_v3(&doc, h, v3, err));
	zinc_report_init(&r, h->ctx, true, h->url);
	r.code = ZINC_E_INVALID;
	return h->format->parse(h->format, h->ctx, doc, ZINC_NODE_NONE, &r, out, err);
}

zinc_status
zinc_meta_refuse(const zinc_meta *m, zinc_error *err)
{
	const char *why = m->unsupported ? m->unsupported : "something is not understood";

	return zinc_error_by_rule(err, zinc_fail(err, ZINC_E_UNSUPPORTED, "%s", why), m->unsupported_rule);
}

/* A copy of the document with another member `shape` (the name in every version of Zarr). */
static zinc_status
copy_with_shape(zinc_json_doc **out, const zinc_meta *m, const uint64_t *shape, zinc_error *err)
{
	zinc_json *root, *list;
	zinc_status st;
	int d;

	ZINC_TRY(zinc_json_new(out, m->ctx, err));
	root = zinc_json_copy(*out, zinc_json_root(m->doc));
	zinc_json_set_root(*out, root);
	list = zinc_json_make(*out, ZINC_JSON_ARRAY);
	for (d = 0, st = ZINC_OK; d < m->ndim && st == ZINC_OK; d++)
		st = zinc_json_append(list, zinc_json_make_u64(*out, shape[d]), err);
	if (st == ZINC_OK)
		st = zinc_json_set(*out, root, "shape", list, err);
	if (st != ZINC_OK) {
		zinc_json_free(*out);
		*out = NULL;
	}
	return st;
}

/* Discards every finding. */
static void
forgive(void *arg, zinc_severity severity, const char *rule, const char *pointer, const char *message)
{
	(void)arg, (void)severity, (void)rule, (void)pointer, (void)message;
}

/* Parses the text, since a reader has more than one limit. */
zinc_status
zinc_document_fits(zinc_context *ctx, const zinc_buf *text, zinc_error *err)
{
	zinc_json_doc *doc;

	ZINC_TRY(zinc_json_parse(&doc, ctx, (const char *)text->p, text->n, ZINC_JSON_DUPLICATES | ZINC_JSON_NAN_TOKENS,
				 err));
	zinc_json_free(doc);
	return ZINC_OK;
}

void
zinc_report_init_quiet(zinc_report *r, zinc_context *ctx, bool strict)
{
	zinc_report_init(r, ctx, strict, "");
	r->found = forgive;
}

/* Is the text the key of a chunk inside the grid? */
static bool
is_chunk_inside(const zinc_meta *m, const char *rest)
{
	uint64_t index[ZINC_MAX_NDIM];
	int d;

	if (!zinc_keys_decode(&m->keys, rest, m->ndim, index))
		return false;
	for (d = 0; d < m->ndim; d++)
		if (index[d] >= zinc_grid_count(m->grid, d, m->shape[d]))
			return false;
	return true;
}

/* An entry that may have keys below it is tried with the first chunk's indices appended: "c" of a matrix blocks
 * "c/0/0". */
bool
zinc_meta_reads(const zinc_meta *m, const char *rest, const zinc_non_key *non_key)
{
	const bool below = non_key->kind != ZINC_NON_KEY_DIR; /* the keys in a directory are listed themselves */
	char text[1024];
	size_t n = strlen(rest);
	int d;

	if (non_key->kind == ZINC_NON_KEY_NAME)
		return false; /* no encoding has such keys */
	if (!m->keys.ops || !m->grid || n + 2 * (size_t)m->ndim + 3 > sizeof text)
		return non_key->kind != ZINC_NON_KEY_DIR; /* not known */
	memcpy(text, rest, n + 1);
	for (d = 0; d <= m->ndim; d++, n += 2) { /* the last round also appends "/0" */
		if (is_chunk_inside(m, text))
			return true;
		if (!below)
			break;
		memcpy(text + n, "/0", 3);
	}
	return false;
}

bool
zinc_non_key_hides_prefix(const zinc_non_key *non_key, const char *prefix)
{
	const size_t n = strlen(non_key->key);

	return non_key->kind != ZINC_NON_KEY_NAME && non_key->kind != ZINC_NON_KEY_DIR &&
	       strncmp(prefix, non_key->key, n) == 0 && prefix[n] == '/';
}

zinc_status
zinc_meta_resized(zinc_meta **out, const zinc_meta *m, const uint64_t *shape, zinc_error *err)
{
	zinc_json_doc *doc;
	zinc_report r;

	if (m->kind != ZINC_NODE_ARRAY)
		return zinc_fail(err, ZINC_E_INVALID, "only an array has a shape");
	ZINC_TRY(copy_with_shape(&doc, m, shape, err));
	zinc_report_init_quiet(&r, m->ctx, false); /* it was checked when it was read */
	r.code = ZINC_E_INVALID;
	return m->format->parse(m->format, m->ctx, doc, m->kind, &r, out, err);
}
