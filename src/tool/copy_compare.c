/*
 * copy_compare.c - what a translation of metadata has lost or replaced
 *
 * Compares the document that was wanted with the one read from the target, both in the final version's vocabulary with
 * all members present.  Content that differs is lost, a storage choice that differs is replaced.  Names of dimensions
 * are the same whether they are a member or xarray's attribute.  A type that only Zinc can read is reported.
 */
#include "tool/copy.h"

/* ---- what is lost ---- */

static bool
both_equal(const zinc_json *a, const zinc_json *b)
{
	return a && b ? zinc_json_equal(a, b) : a == b;
}

/* Compare attributes except for the one with names of dimensions; *which is set to the first that differs. */
static bool
same_attributes(const zinc_json *a, const zinc_json *b, const char **which)
{
	const zinc_json *x = zinc_json_member(a, "attributes"), *y = zinc_json_member(b, "attributes"), *v;

	for (v = x ? x->first : NULL; v; v = v->next) {
		*which = v->key;
		if (strcmp(v->key, ZINC_DIMENSIONS) != 0 && !both_equal(v, zinc_json_member(y, v->key)))
			return false;
	}
	return true;
}

/* Is it a member that its own format would write, or that has no meaning? */
static bool
is_known(const zinc_cp_translation *t, const zinc_json *v)
{
	static const char *const known[] = {"zarr_format",           "node_type",       "attributes",
					    "storage_transformers",  "dimension_names", "dimension_separator",
					    "consolidated_metadata", "extensions",      NULL};
	const zinc_json *own = zinc_json_root(t->own);
	const char *const *k;

	for (k = known; *k && strcmp(*k, v->key) != 0; k++)
		;
	if (*k || v->type == ZINC_JSON_NULL || zinc_json_member(own, v->key))
		return true;
	if (!strcmp(v->key, "compressionType") && zinc_json_member(own, "compression")) /* the same in old N5 */
		return true;
	return (v->type == ZINC_JSON_OBJECT || v->type == ZINC_JSON_ARRAY) && v->n == 0;
}

/* Report unknown members: of the document as it is stored, and of its translation. */
static zinc_status
compare_members(zinc_cp_translation *t, const zinc_json *a, const zinc_json *b)
{
	static const char *const known[] = {
	    "zarr_format",          "node_type",       "shape",      "data_type",
	    "chunk_grid",           "fill_value",      "attributes", "chunk_key_encoding",
	    "storage_transformers", "dimension_names", "codecs",     NULL};
	const zinc_json *stored = zinc_json_root(t->target->doc), *v;
	const char *const *k;

	for (v = a->first; v; v = v->next) {
		for (k = known; *k && strcmp(*k, v->key) != 0; k++)
			;
		if (!*k && !both_equal(v, zinc_json_member(b, v->key)))
			ZINC_TRY(
			    zinc_cp_note(t->c, ZINC_COPY_LOST, t->n->from, t->err, "the member \"%.60s\"", v->key));
	}
	for (v = t->own ? zinc_json_root(t->n->source->doc)->first : NULL; v; v = v->next)
		if (!is_known(t, v) && !zinc_json_member(a, v->key) && !both_equal(v, zinc_json_member(stored, v->key)))
			ZINC_TRY(
			    zinc_cp_note(t->c, ZINC_COPY_LOST, t->n->from, t->err, "the member \"%.60s\"", v->key));
	return ZINC_OK;
}

/* Promise (3) of copy_meta.c: compare the wanted document with the one read from the target. */
static zinc_status
compare_content(zinc_cp_translation *t, const zinc_json *a, const zinc_json *b)
{
	static const char *const members[] = {"shape", "data_type", "fill_value"};
	zinc_cp *c = t->c;
	const char *which;
	size_t i;

	for (i = 0; t->n->kind == ZINC_NODE_ARRAY && i < sizeof members / sizeof *members; i++)
		if (!both_equal(zinc_json_member(a, members[i]), zinc_json_member(b, members[i])))
			ZINC_TRY(zinc_cp_note(c, ZINC_COPY_LOST, t->n->from, t->err, "the %s", members[i]));
	if (!both_equal(zinc_dimension_names_find(a), zinc_dimension_names_find(b)))
		ZINC_TRY(zinc_cp_note(c, ZINC_COPY_LOST, t->n->from, t->err, "dimension names"));
	if (!same_attributes(a, b, &which))
		ZINC_TRY(zinc_cp_note(c, ZINC_COPY_LOST, t->n->from, t->err, "the attribute \"%.60s\"", which));
	return compare_members(t, a, b);
}

/* Print a codec, grid or key encoding without the quotes and braces of JSON: "default(separator=/)". */
static zinc_status
show(const zinc_json *v, zinc_buf *out, zinc_error *err)
{
	const zinc_json *name = zinc_json_is(v, ZINC_JSON_STRING) ? v : zinc_json_member(v, "name");
	const zinc_json *c = zinc_json_member(v, "configuration");

	if (v->type == ZINC_JSON_ARRAY) {
		for (v = v->first; v; v = v->next) {
			ZINC_TRY(show(v, out, err));
			ZINC_TRY(zinc_buf_puts(out, v->next ? " + " : "", err));
		}
		return ZINC_OK;
	}
	ZINC_TRY(zinc_buf_puts(out, zinc_json_is(name, ZINC_JSON_STRING) ? name->text : "?", err));
	for (v = c ? c->first : NULL; v; v = v->next) {
		ZINC_TRY(zinc_buf_printf(out, err, "%s%s=", v == c->first ? "(" : ", ", v->key));
		ZINC_TRY(zinc_json_print_line(v, out, err));
		ZINC_TRY(zinc_buf_puts(out, v->next ? "" : ")", err));
	}
	return ZINC_OK;
}

/* Two spellings of the same are not reported. */
static zinc_status
note_replaced(zinc_cp_translation *t, const char *what, const zinc_json *from, const zinc_json *to)
{
	zinc_status st;
	zinc_buf before, after;

	zinc_buf_init(&before, t->c->ctx, zinc_max_text(t->c->ctx));
	zinc_buf_init(&after, t->c->ctx, zinc_max_text(t->c->ctx));
	st = show(from, &before, t->err);
	if (st == ZINC_OK)
		st = show(to, &after, t->err);
	if (st == ZINC_OK && (!zinc_buf_text(&before) || !zinc_buf_text(&after)))
		st = zinc_fail_nomem(t->err);
	if (st == ZINC_OK && strcmp((const char *)before.p, (const char *)after.p) != 0)
		st = zinc_cp_note(t->c, ZINC_COPY_REPLACED, t->n->from, t->err, "%s %s become %s", what,
				  zinc_buf_text(&before), zinc_buf_text(&after));
	zinc_buf_fini(&before);
	zinc_buf_fini(&after);
	return st;
}

/* Report storage choices that differ although the format accepted them. */
static zinc_status
compare_storage(zinc_cp_translation *t, const zinc_json *a, const zinc_json *b)
{
	static const struct {
		const char *member, *says;
	} rows[] = {{"chunk_grid", "chunks"}, {"codecs", "codecs"}, {"chunk_key_encoding", "chunk keys"}};
	size_t i;

	for (i = 0; i < sizeof rows / sizeof *rows; i++) {
		const zinc_json *x = zinc_json_member(a, rows[i].member), *y = zinc_json_member(b, rows[i].member);

		if (x && y && !zinc_json_equal(x, y))
			ZINC_TRY(note_replaced(t, rows[i].says, x, y));
	}
	return ZINC_OK;
}

static zinc_status
drop_orders(zinc_json_doc *doc, const zinc_json *type, zinc_error *err)
{
	return zinc_json_set(doc, zinc_json_root(doc), "data_type",
			     zinc_dtype_drop_orders(doc, zinc_json_copy(doc, type)), err);
}

/* Fields in both byte orders are a storage choice of Zarr v2 and the drafts; the type is otherwise the same. */
static zinc_status
compare_orders(zinc_cp_translation *t, zinc_json_doc *back)
{
	const zinc_json *a = zinc_json_member(zinc_json_root(t->wanted), "data_type");
	const zinc_json *b = zinc_json_member(zinc_json_root(back), "data_type");

	if (!zinc_json_is(a, ZINC_JSON_OBJECT) || !zinc_json_is(b, ZINC_JSON_OBJECT) || zinc_json_equal(a, b))
		return ZINC_OK;
	ZINC_TRY(drop_orders(t->wanted, a, t->err));
	ZINC_TRY(drop_orders(back, b, t->err));
	a = zinc_json_member(zinc_json_root(t->wanted), "data_type");
	b = zinc_json_member(zinc_json_root(back), "data_type");
	if (!zinc_json_equal(a, b))
		return ZINC_OK;
	return zinc_cp_note(t->c, ZINC_COPY_REPLACED, t->n->from, t->err,
			    "fields of different byte orders become fields of one");
}

/* Does the target have the wanted fill value, of type w?  Compares bytes: the types are the same. */
static zinc_status
same_fill(zinc_cp_translation *t, const zinc_dtype *w, bool *out)
{
	const zinc_json *v = zinc_json_member(zinc_json_root(t->wanted), "fill_value");
	void *element = zinc_dtype_fill_room(w, t->c->ctx, v);
	zinc_report quiet;

	if (!element)
		return zinc_fail_nomem(t->err);
	zinc_report_init_quiet(&quiet, t->c->ctx, false);
	*out = v && w->ops->parse_fill(w, v, element, &quiet, NULL) == ZINC_OK &&
	       memcmp(element, t->target->fill, w->size) == 0;
	zinc_free(t->c->ctx, element);
	return ZINC_OK;
}

/* Use the target's spelling of a member that has the same meaning. */
static zinc_status
take_spelling(zinc_cp_translation *t, const zinc_json_doc *back, const char *member)
{
	return zinc_json_set(t->wanted, zinc_json_root(t->wanted), member,
			     zinc_json_copy(t->wanted, zinc_json_member(zinc_json_root(back), member)), t->err);
}

/* A type under another name (r24, raw_bytes) is the same, and so is its fill value in that type's form. */
static zinc_status
compare_names(zinc_cp_translation *t, zinc_json_doc *back)
{
	const zinc_json *a = zinc_json_member(zinc_json_root(t->wanted), "data_type");
	bool types = false, fills = false;
	const zinc_dtype *w;
	zinc_report quiet;
	zinc_status st;

	if (!t->target->dtype || !t->target->fill || t->target->dtype->variable ||
	    both_equal(a, zinc_json_member(zinc_json_root(back), "data_type")))
		return ZINC_OK;
	zinc_report_init_quiet(&quiet, t->c->ctx, false);
	st = zinc_dtype_parse(&w, t->c->ctx, a, &quiet, NULL);
	if (st != ZINC_OK)
		return st == ZINC_E_NOMEM ? zinc_fail_nomem(t->err) : ZINC_OK;
	st = zinc_dtype_same(w, t->target->dtype, t->c->ctx, &types, t->err);
	if (st == ZINC_OK && types)
		st = same_fill(t, w, &fills);
	if (st == ZINC_OK && types)
		st = take_spelling(t, back, "data_type");
	if (st == ZINC_OK && fills)
		st = take_spelling(t, back, "fill_value");
	zinc_dtype_free(w);
	return st;
}

/* ---- what only Zinc reads ---- */

/* The first field whose type has a name that only Zinc uses; NULL: none. */
static const zinc_json *
private_field(const zinc_json *v)
{
	const zinc_json *type = zinc_json_member(v, "data_type"), *item, *found = NULL;
	const zinc_json *name = zinc_json_member(type, "name");

	if (zinc_json_is(name, ZINC_JSON_STRING) && strncmp(name->text, "zinc.", 5) == 0)
		return v;
	if (!zinc_json_is(v, ZINC_JSON_OBJECT) && !zinc_json_is(v, ZINC_JSON_ARRAY))
		return NULL;
	for (item = v->first; item && !found; item = item->next)
		found = private_field(item);
	return found;
}

/* A type that has no name in the target's version keeps all values, but other readers will refuse the array. */
static zinc_status
report_private(zinc_cp_translation *t)
{
	const zinc_json *field = private_field(zinc_json_member(zinc_json_root(t->target->doc), "data_type")), *name;

	if (!field || private_field(zinc_json_member(zinc_json_root(t->n->source->doc), "data_type")))
		return ZINC_OK;
	name = zinc_json_member(field, "name");
	return zinc_cp_note(t->c, ZINC_COPY_NOTICE, t->n->from, t->err,
			    "only Zinc reads the type %.60s of the field \"%.60s\" in %s",
			    zinc_json_member(zinc_json_member(field, "data_type"), "name")->text,
			    zinc_json_is(name, ZINC_JSON_STRING) ? name->text : "", t->c->to->format->id);
}

zinc_status
zinc_cp_compare(zinc_cp_translation *t)
{
	zinc_json_doc *back;
	zinc_json *root;
	zinc_status st;

	ZINC_TRY(zinc_json_new(&back, t->c->ctx, t->err));
	root = zinc_json_copy(back, zinc_meta_v3(t->target));
	zinc_json_set_root(back, root);
	st = root ? ZINC_OK : zinc_fail_nomem(t->err);
	if (st == ZINC_OK && t->n->kind == ZINC_NODE_ARRAY)
		st = zinc_cp_spell_out(back, t->target, t->err);
	if (st == ZINC_OK)
		st = zinc_cp_open_blocks(back, t->err);
	if (st == ZINC_OK && t->n->kind == ZINC_NODE_ARRAY)
		st = compare_orders(t, back);
	if (st == ZINC_OK && t->n->kind == ZINC_NODE_ARRAY)
		st = compare_names(t, back);
	if (st == ZINC_OK)
		st = compare_content(t, zinc_json_root(t->wanted), root);
	if (st == ZINC_OK && t->n->kind == ZINC_NODE_ARRAY)
		st = compare_storage(t, zinc_json_root(t->wanted), root);
	if (st == ZINC_OK && t->n->kind == ZINC_NODE_ARRAY)
		st = report_private(t);
	zinc_json_free(back);
	return st;
}

/* ---- may objects be copied as they are? ---- */

/* Compared as text, because objects of two kinds of metadata have nothing else in common. */
static bool
prints_equal(const zinc_meta *a, const zinc_meta *b)
{
	static const char *const members[] = {"data_type", "chunk_grid", "fill_value", "codecs"};
	zinc_json_doc *x = NULL, *y = NULL;
	bool same = zinc_json_new(&x, a->ctx, NULL) == ZINC_OK && zinc_json_new(&y, a->ctx, NULL) == ZINC_OK;
	size_t i;

	if (same) {
		zinc_json_set_root(x, zinc_json_make(x, ZINC_JSON_OBJECT));
		zinc_json_set_root(y, zinc_json_make(y, ZINC_JSON_OBJECT));
		same = zinc_cp_spell_out(x, a, NULL) == ZINC_OK && zinc_cp_spell_out(y, b, NULL) == ZINC_OK;
	}
	for (i = 0; i < sizeof members / sizeof *members && same; i++)
		same = both_equal(zinc_json_member(zinc_json_root(x), members[i]),
				  zinc_json_member(zinc_json_root(y), members[i]));
	zinc_json_free(y);
	zinc_json_free(x);
	return same;
}

/* Storage transformers define the objects in the store; the objects of the arrays are different ones. */
static bool
has_layers(const zinc_meta *m)
{
	const zinc_json *list = zinc_json_member(zinc_meta_v3(m), "storage_transformers");

	return list && list->n > 0;
}

bool
zinc_cp_same_objects(const zinc_meta *a, const zinc_meta *b)
{
	if (a == b)
		return true;
	if (has_layers(a) || has_layers(b))
		return false;
	if (a->unsupported || b->unsupported || a->ndim != b->ndim)
		return false;
	return memcmp(a->shape, b->shape, (size_t)a->ndim * sizeof *a->shape) == 0 && prints_equal(a, b);
}
