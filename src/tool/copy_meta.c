/*
 * copy_meta.c - what the target makes of a node's metadata, and what it loses
 *
 * Promises:
 *
 * (1) A document that nothing asks to change stays as it is, byte for byte, within a format.
 * (2) What the target's format refuses is tried again with one thing changed, until it takes the document.  Each change
 *     that helped is told: storage as replaced, content as lost.
 * (3) What comes out is read back and compared with what went in, so that nothing is lost in silence.
 */
#include <ctype.h>

#include "tool/copy.h"

#define DIMENSIONS "_ARRAY_DIMENSIONS"

struct translation {
	zinc_cp *c;
	zinc_cp_node *n;
	zinc_json_doc *wanted; /* the final version's vocabulary, all spelled out */
	zinc_json_doc *trial;
	zinc_meta *target;
	zinc_error *err;
};

/* ---- the document to translate ---- */

/* Members as the objects print them: aliases, bare names and old spellings are gone. */
static zinc_status
spell_out(zinc_json_doc *doc, const zinc_meta *m, zinc_error *err)
{
	zinc_json *root = zinc_json_root(doc), *codecs = NULL;

	ZINC_TRY(zinc_chain_print(m->chain, doc, &codecs, err));
	ZINC_TRY(zinc_json_set(doc, root, "data_type", zinc_dtype_print(m->dtype, doc), err));
	ZINC_TRY(zinc_json_set(doc, root, "chunk_grid", zinc_grid_print(m->grid, doc), err));
	ZINC_TRY(zinc_json_set(doc, root, "chunk_key_encoding", zinc_keys_print(&m->keys, doc), err));
	ZINC_TRY(zinc_json_set(doc, root, "fill_value", m->dtype->ops->print_fill(m->dtype, m->fill, doc), err));
	return zinc_json_set(doc, root, "codecs", codecs, err);
}

/* A format whose shards hardly a reader knows gets them where they are asked for, or were there before. */
static bool
keep_shards(const struct translation *t)
{
	const zinc_copy_options *o = &t->c->o;

	return !t->c->to->format->shards_when_asked || t->c->from->format == t->c->to->format || o->shards ||
	       o->auto_shards;
}

/* Consolidated metadata is made anew where it was. */
static zinc_status
make_wanted(struct translation *t)
{
	const zinc_meta *m = t->n->source;
	zinc_json *root;

	ZINC_TRY(zinc_json_new(&t->wanted, t->c->ctx, t->err));
	root = zinc_json_copy(t->wanted, zinc_meta_v3(m));
	zinc_json_set_root(t->wanted, root);
	if (!root)
		return zinc_fail_nomem(t->err);
	(void)zinc_json_remove(root, "consolidated_metadata");
	if (m->kind == ZINC_NODE_ARRAY)
		ZINC_TRY(spell_out(t->wanted, m, t->err));
	if (zinc_cp_asked(t->c, t->n))
		ZINC_TRY(zinc_cp_apply(t->c, t->n, t->wanted, t->err));
	return keep_shards(t) || !zinc_cp_unshard(t->wanted)
		   ? ZINC_OK
		   : zinc_cp_note(t->c, ZINC_COPY_REPLACED, t->n->from, t->err,
				  "shards become plain chunks of the inner shape");
}

/* ---- trying ---- */

/* The same complaint?  Numbers may differ: positions move when something is left out. */
static bool
same_complaint(const zinc_error *a, const zinc_error *b)
{
	const char *p = a->text, *q = b->text;

	for (;; p++, q++) {
		while (isdigit((unsigned char)*p))
			p++;
		while (isdigit((unsigned char)*q))
			q++;
		if (*p != *q)
			return false;
		if (!*p)
			return true;
	}
}

/* Is it the document that is not to the target's liking, rather than the machine? */
static bool
is_refusal(zinc_status s)
{
	return s == ZINC_E_INVALID || s == ZINC_E_UNSUPPORTED || s == ZINC_E_CORRUPT || s == ZINC_E_RANGE;
}

/* `doc` as metadata of the target; what it cannot decode later it does not take now. */
static zinc_status
try_doc(struct translation *t, zinc_json_doc *doc, zinc_meta **out, zinc_error *e)
{
	zinc_meta *m = NULL;

	ZINC_TRY(zinc_meta_from_v3(&m, t->c->to, doc, e));
	if (m->unsupported) {
		const zinc_status s = zinc_fail(e, ZINC_E_UNSUPPORTED, "%s", m->unsupported);

		zinc_meta_free(m);
		return s;
	}
	*out = m;
	return ZINC_OK;
}

/* A copy of the document with remedy i.  *changed false: it does not apply. */
static zinc_status
make_trial(struct translation *t, size_t i, bool *more, bool *changed, zinc_copy_kind *kind, char *what, size_t room)
{
	zinc_json *root;

	zinc_json_free(t->trial);
	t->trial = NULL;
	ZINC_TRY(zinc_json_new(&t->trial, t->c->ctx, t->err));
	root = zinc_json_copy(t->trial, zinc_json_root(t->wanted));
	zinc_json_set_root(t->trial, root);
	if (!root)
		return zinc_fail_nomem(t->err);
	*more = zinc_cp_remedy(t->trial, i, changed, kind, what, room);
	return ZINC_OK;
}

/* One thing changed, such that `e` is no complaint any more; *found false: nothing helps. */
static zinc_status
find_remedy(struct translation *t, const zinc_error *e, bool *found)
{
	bool more = true, changed;
	zinc_copy_kind kind;
	char what[160];
	size_t i;

	*found = false;
	for (i = 0; more && !*found; i++) {
		zinc_error again = ZINC_ERROR_INIT;
		zinc_meta *m = NULL;
		zinc_status s;

		ZINC_TRY(make_trial(t, i, &more, &changed, &kind, what, sizeof what));
		if (!changed)
			continue;
		s = try_doc(t, t->trial, &m, &again);
		zinc_meta_free(m);
		if (s != ZINC_OK && !is_refusal(s))
			return zinc_error_copy(t->err, &again);
		*found = s == ZINC_OK || !same_complaint(e, &again);
	}
	if (!*found)
		return ZINC_OK;
	zinc_json_free(t->wanted);
	t->wanted = t->trial;
	t->trial = NULL;
	return kind == ZINC_COPY_PLAN ? ZINC_OK : zinc_cp_note(t->c, kind, t->n->from, t->err, "%s", what);
}

/* Promise (2).  A node for which nothing helps is itself what the target cannot hold. */
static zinc_status
try_until_taken(struct translation *t)
{
	int round;

	for (round = 0; round < 64; round++) {
		zinc_error e = ZINC_ERROR_INIT;
		bool found;
		zinc_status s = try_doc(t, t->wanted, &t->target, &e);

		if (s == ZINC_OK)
			return ZINC_OK;
		if (!is_refusal(s))
			return zinc_error_copy(t->err, &e);
		ZINC_TRY(find_remedy(t, &e, &found));
		if (found)
			continue;
		t->n->left_out = true;
		return zinc_cp_note(t->c, ZINC_COPY_LOST, t->n->from, t->err, "the whole node: %s", e.text);
	}
	return zinc_fail(t->err, ZINC_E_UNSUPPORTED, "the metadata cannot be translated");
}

/* ---- what is lost ---- */

/* Names of dimensions, wherever they are; NULL: none. */
static const zinc_json *
names_of(const zinc_json *root)
{
	const zinc_json *v = zinc_json_member(root, "dimension_names"), *item;

	if (!zinc_json_is(v, ZINC_JSON_ARRAY))
		v = zinc_json_member(zinc_json_member(root, "attributes"), DIMENSIONS);
	for (item = zinc_json_is(v, ZINC_JSON_ARRAY) ? v->first : NULL; item; item = item->next)
		if (item->type == ZINC_JSON_STRING)
			return v;
	return NULL;
}

static bool
both_equal(const zinc_json *a, const zinc_json *b)
{
	return a && b ? zinc_json_equal(a, b) : a == b;
}

/* Attributes but for the one that holds names of dimensions; *which names the first that differs. */
static bool
same_attributes(const zinc_json *a, const zinc_json *b, const char **which)
{
	const zinc_json *x = zinc_json_member(a, "attributes"), *y = zinc_json_member(b, "attributes"), *v;

	for (v = x ? x->first : NULL; v; v = v->next) {
		*which = v->key;
		if (strcmp(v->key, DIMENSIONS) != 0 && !both_equal(v, zinc_json_member(y, v->key)))
			return false;
	}
	return true;
}

/* Members that nobody defined. */
static zinc_status
compare_members(struct translation *t, const zinc_json *a, const zinc_json *b)
{
	static const char *const known[] = {
	    "zarr_format",          "node_type",       "shape",      "data_type",
	    "chunk_grid",           "fill_value",      "attributes", "chunk_key_encoding",
	    "storage_transformers", "dimension_names", "codecs",     NULL};
	const char *const *k;
	const zinc_json *v;

	for (v = a->first; v; v = v->next) {
		for (k = known; *k && strcmp(*k, v->key) != 0; k++)
			;
		if (!*k && !both_equal(v, zinc_json_member(b, v->key)))
			ZINC_TRY(
			    zinc_cp_note(t->c, ZINC_COPY_LOST, t->n->from, t->err, "the member \"%.60s\"", v->key));
	}
	return ZINC_OK;
}

/* Promise (3): the document that was wanted against the one that is read from the target. */
static zinc_status
compare_content(struct translation *t, const zinc_json *a, const zinc_json *b)
{
	static const char *const members[] = {"shape", "data_type", "fill_value"};
	zinc_cp *c = t->c;
	const char *which;
	size_t i;

	for (i = 0; t->n->kind == ZINC_NODE_ARRAY && i < sizeof members / sizeof *members; i++)
		if (!both_equal(zinc_json_member(a, members[i]), zinc_json_member(b, members[i])))
			ZINC_TRY(zinc_cp_note(c, ZINC_COPY_LOST, t->n->from, t->err, "the %s", members[i]));
	if (!both_equal(names_of(a), names_of(b)))
		ZINC_TRY(zinc_cp_note(c, ZINC_COPY_LOST, t->n->from, t->err, "names of dimensions"));
	if (!same_attributes(a, b, &which))
		ZINC_TRY(zinc_cp_note(c, ZINC_COPY_LOST, t->n->from, t->err, "the attribute \"%.60s\"", which));
	return compare_members(t, a, b);
}

/* A codec, grid or key encoding without the quotes and braces of JSON: "default(separator=/)". */
static zinc_status
show(const zinc_json *v, zinc_buf *out, zinc_error *err)
{
	const zinc_json *name = zinc_json_member(v, "name"), *c = zinc_json_member(v, "configuration");

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

static zinc_status
note_replaced(struct translation *t, const char *what, const zinc_json *from, const zinc_json *to)
{
	zinc_status s;
	zinc_buf b;

	zinc_buf_init(&b, t->c->ctx, SIZE_MAX);
	s = zinc_buf_printf(&b, t->err, "%s ", what);
	if (s == ZINC_OK)
		s = show(from, &b, t->err);
	if (s == ZINC_OK)
		s = zinc_buf_puts(&b, " become ", t->err);
	if (s == ZINC_OK)
		s = show(to, &b, t->err);
	if (s == ZINC_OK)
		s = zinc_buf_text(&b)
			? zinc_cp_note(t->c, ZINC_COPY_REPLACED, t->n->from, t->err, "%s", zinc_buf_text(&b))
			: zinc_fail_nomem(t->err);
	zinc_buf_fini(&b);
	return s;
}

/* A choice of storage that came out differently although nobody refused it. */
static zinc_status
compare_storage(struct translation *t, const zinc_json *a, const zinc_json *b)
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
compare(struct translation *t)
{
	zinc_json_doc *back;
	zinc_json *root;
	zinc_status s;

	ZINC_TRY(zinc_json_new(&back, t->c->ctx, t->err));
	root = zinc_json_copy(back, zinc_meta_v3(t->target));
	zinc_json_set_root(back, root);
	s = root ? ZINC_OK : zinc_fail_nomem(t->err);
	if (s == ZINC_OK && t->n->kind == ZINC_NODE_ARRAY)
		s = spell_out(back, t->target, t->err);
	if (s == ZINC_OK)
		s = compare_content(t, zinc_json_root(t->wanted), root);
	if (s == ZINC_OK && t->n->kind == ZINC_NODE_ARRAY)
		s = compare_storage(t, zinc_json_root(t->wanted), root);
	zinc_json_free(back);
	return s;
}

/* ---- the whole ---- */

static zinc_status
translate(struct translation *t)
{
	zinc_cp_node *n = t->n;

	if (n->source->unsupported) {
		n->left_out = true;
		return t->c->o.lossy ? zinc_cp_note(t->c, ZINC_COPY_LOST, n->from, t->err, "the whole node: %s",
						    n->source->unsupported)
				     : zinc_fail(t->err, ZINC_E_UNSUPPORTED, "%s", n->source->unsupported);
	}
	ZINC_TRY(make_wanted(t));
	ZINC_TRY(try_until_taken(t));
	return n->left_out ? ZINC_OK : compare(t);
}

/* A name that the target's format does not allow, or that makes no key. */
static zinc_status
check_name(struct translation *t)
{
	zinc_error e = ZINC_ERROR_INIT;
	char *path = NULL;
	zinc_status s = zinc_path_normalise(&path, t->c->to, t->n->to, &e);

	zinc_free(t->c->ctx, path);
	if (s == ZINC_OK || s != ZINC_E_INVALID)
		return s == ZINC_OK ? s : zinc_error_copy(t->err, &e);
	t->n->left_out = true;
	return zinc_cp_note(t->c, ZINC_COPY_LOST, t->n->from, t->err, "the whole node: %s", e.text);
}

zinc_status
zinc_cp_translate(zinc_cp *c, zinc_cp_node *n, zinc_error *err)
{
	struct translation t = {.c = c, .n = n, .err = err};
	zinc_status s;

	ZINC_TRY(check_name(&t));
	if (n->implicit || n->left_out)
		return ZINC_OK;
	n->changed = c->from->format != c->to->format || zinc_cp_asked(c, n);
	if (!n->changed) {
		n->target = zinc_meta_ref(n->source);
		return ZINC_OK;
	}
	s = translate(&t);
	n->target = t.target;
	zinc_json_free(t.trial);
	zinc_json_free(t.wanted);
	return s == ZINC_OK ? s : zinc_error_at_key(err, s, n->from);
}

/* ---- may objects be copied as they are? ---- */

/* Printed, for objects of two kinds of metadata have nothing else in common. */
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
		same = spell_out(x, a, NULL) == ZINC_OK && spell_out(y, b, NULL) == ZINC_OK;
	}
	for (i = 0; i < sizeof members / sizeof *members && same; i++)
		same = both_equal(zinc_json_member(zinc_json_root(x), members[i]),
				  zinc_json_member(zinc_json_root(y), members[i]));
	zinc_json_free(y);
	zinc_json_free(x);
	return same;
}

/* Storage transformers say what lies in the store; what the arrays see through them is another thing. */
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
	if (a->unsupported || b->unsupported || a->ndim != b->ndim || a->dtype->mixed != b->dtype->mixed)
		return false;
	return memcmp(a->shape, b->shape, (size_t)a->ndim * sizeof *a->shape) == 0 && prints_equal(a, b);
}
