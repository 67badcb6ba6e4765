/*
 * attributes.c - attributes of a node: get, set, remove
 *
 * Promises:
 *
 * (1) An edit is one put of the document under the store's lock or compare-and-swap: concurrent edits of
 *     different keys lose nothing.
 * (2) Keys that an edit does not name keep their values, their order and the spelling of their numbers.
 * (3) An edit that fails changes nothing.
 */
#include "node/node.h"

/* ---- getting ---- */

/* Printed, not converted: a number keeps its spelling. */
static zinc_status
print_attributes(const zinc_meta *m, const char *key, zinc_buf *out, zinc_error *err)
{
	const zinc_json *v = key ? zinc_json_member(m->attributes, key) : m->attributes;

	if (key && !v)
		return zinc_fail(err, ZINC_E_NOTFOUND, "no attribute \"%.100s\"", key);
	return v ? zinc_json_print_line(v, out, err) : zinc_buf_puts(out, "{}", err);
}

zinc_status
zinc_attributes_get(zinc_hierarchy *h, const char *path, const char *key, zinc_blob *json,
		    const zinc_call_options *call, zinc_error *err)
{
	zinc_visit v;
	zinc_meta *m = NULL;
	zinc_report r;
	zinc_buf text;
	zinc_status st;
	char *node;

	ZINC_TRY(ZINC_NEED(json, err));
	ZINC_TRY(zinc_visit_begin(&v, &h, call, err));
	ZINC_TRY(zinc_path_normalise(&node, h, path, err));
	zinc_buf_init(&text, h->ctx, zinc_max_text(h->ctx));
	zinc_report_init(&r, h->ctx, h->strict, h->url);
	st = zinc_read_node(h, node, &r, &m, err);
	if (st == ZINC_OK)
		st = print_attributes(m, key, &text, err);
	if (st == ZINC_OK)
		st = zinc_buf_to_blob(&text, json, err);
	zinc_buf_fini(&text);
	zinc_meta_free(m);
	zinc_error_at_node(err, st, h, node);
	zinc_free(h->ctx, node);
	return st;
}

/* ---- editing ---- */

struct edit {
	zinc_context *ctx;
	const zinc_attribute *changes;
	size_t n;
	unsigned flags; /* of the parser */
};

/* A caller's JSON text as a value of `doc`. */
static zinc_status
parse_value(zinc_json **out, const struct edit *edit, zinc_json_doc *doc, const zinc_attribute *a, zinc_error *err)
{
	zinc_json_doc *text;
	zinc_error e;
	const zinc_status st = zinc_json_parse(&text, edit->ctx, a->json, strlen(a->json), edit->flags, &e);

	if (st == ZINC_E_CORRUPT)
		return zinc_fail(err, ZINC_E_INVALID, "attribute \"%.100s\": %s", a->key, e.text);
	if (st != ZINC_OK) {
		zinc_error_copy(err, &e);
		return st;
	}
	*out = zinc_json_copy(doc, zinc_json_root(text));
	zinc_json_free(text);
	return *out ? ZINC_OK : zinc_fail_nomem(err);
}

/* Changes are applied in order; a key may come twice. */
static zinc_status
apply(const struct edit *e, zinc_json_doc *doc, zinc_json *attributes, const zinc_attribute *a, zinc_error *err)
{
	zinc_json *v;

	if (a->json) {
		ZINC_TRY(parse_value(&v, e, doc, a, err));
		return zinc_json_set(doc, attributes, a->key, v, err);
	}
	if (!zinc_json_remove(attributes, a->key))
		return zinc_fail(err, ZINC_E_NOTFOUND, "no attribute \"%.100s\"", a->key);
	return ZINC_OK;
}

static zinc_status
apply_all(void *arg, zinc_json_doc *doc, zinc_json *attributes, zinc_error *err)
{
	const struct edit *e = arg;
	size_t i;

	for (i = 0; i < e->n; i++)
		ZINC_TRY(apply(e, doc, attributes, &e->changes[i], err));
	return ZINC_OK;
}

struct change {
	zinc_attributes_fn fn;
	void *arg;
};

/* Every version keeps them in the member `attributes`, which may be missing. */
static zinc_status
edit_attributes(void *arg, const zinc_meta *stored, zinc_json_doc *doc, zinc_error *err)
{
	const struct change *c = arg;
	zinc_json *root = zinc_json_root(doc);
	zinc_json *attributes = zinc_json_member(root, "attributes");

	(void)stored;
	if (!zinc_json_is(attributes, ZINC_JSON_OBJECT)) {
		attributes = zinc_json_make(doc, ZINC_JSON_OBJECT);
		ZINC_TRY(zinc_json_set(doc, root, "attributes", attributes, err));
	}
	return c->fn(c->arg, doc, attributes, err);
}

zinc_status
zinc_attributes_change(zinc_hierarchy *h, const char *path, zinc_attributes_fn fn, void *arg, zinc_error *err)
{
	struct change c = {fn, arg};
	zinc_status st;
	char *node;

	ZINC_TRY(zinc_path_normalise(&node, h, path, err));
	st = zinc_edit_node(h, node, edit_attributes, &c, NULL, err);
	zinc_error_at_node(err, st, h, node);
	zinc_free(h->ctx, node);
	return st;
}

zinc_status
zinc_attributes_edit(zinc_hierarchy *h, const char *path, const zinc_attribute *changes, size_t nchanges,
		     const zinc_call_options *call, zinc_error *err)
{
	zinc_visit v;
	struct edit e = {NULL, changes, nchanges, 0};

	ZINC_TRY(ZINC_NEED(changes || nchanges == 0, err));
	ZINC_TRY(zinc_visit_begin(&v, &h, call, err));
	e.ctx = h->ctx;
	e.flags = h->strict ? 0 : ZINC_JSON_NAN_TOKENS;
	return zinc_attributes_change(h, path, apply_all, &e, err);
}
