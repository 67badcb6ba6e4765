/*
 * copy_meta.c - translate a node's metadata for the target, and find what it loses
 *
 * Promises:
 *
 * (1) Within a format, a document stays the same byte for byte unless the options change it.
 * (2) What the target's format cannot hold is changed first.  Each change is reported: storage as replaced, content as
 *     lost.
 * (3) The result is read back and compared with the source, so that no loss goes unreported.
 * (4) Within a format, members that the options do not change keep their spelling, including unknown ones.  Only a
 *     chunk grid under an old name is printed again.
 */
#include "tool/copy.h"

enum { CHANGES = 4096 }; /* of one document */

/* ---- the document to translate ---- */

/* Members as the objects print them, without aliases, bare names and old spellings. */
zinc_status
zinc_cp_spell_out(zinc_json_doc *doc, const zinc_meta *m, zinc_error *err)
{
	zinc_json *root = zinc_json_root(doc), *codecs = NULL;

	ZINC_TRY(zinc_chain_print(m->chain, doc, &codecs, err));
	ZINC_TRY(zinc_json_set(doc, root, "data_type", zinc_dtype_print_orders(m->dtype, doc), err));
	ZINC_TRY(zinc_json_set(doc, root, "chunk_grid", zinc_grid_print(m->grid, doc), err));
	ZINC_TRY(zinc_json_set(doc, root, "chunk_key_encoding", zinc_keys_print(&m->keys, doc), err));
	ZINC_TRY(zinc_json_set(doc, root, "fill_value", m->dtype->ops->print_fill(m->dtype, m->fill, doc), err));
	return zinc_json_set(doc, root, "codecs", codecs, err);
}

/* The chain that is inside the blocks of N5, for other formats: the format n5 puts it into blocks again. */
zinc_status
zinc_cp_open_blocks(zinc_json_doc *doc, zinc_error *err)
{
	const zinc_json *codecs = zinc_json_member(zinc_json_root(doc), "codecs");
	const zinc_json *only = codecs && codecs->n == 1 ? codecs->first : NULL;
	const zinc_json *inner = zinc_json_member(zinc_json_member(only, "configuration"), "codecs");

	if (!zinc_json_is_string(zinc_json_member(only, "name"), "n5") || !inner)
		return ZINC_OK;
	return zinc_json_set(doc, zinc_json_root(doc), "codecs", zinc_json_copy(doc, inner), err);
}

/* Few readers support the shards of some formats: keep shards there only if requested, or within the format. */
static bool
keep_shards(const zinc_cp_translation *t)
{
	const zinc_cp_wish *w = &t->n->wish;

	return !t->c->to->format->shards_when_asked || t->c->from->format == t->c->to->format || w->shards ||
	       w->auto_shards;
}

/* The same for a checksum after a compressor: readers of version 2 did not know it for a long time, and many still
 * do not. */
static bool
keep_crc32c(const zinc_cp_translation *t)
{
	return !t->c->to->format->crc32c_when_asked || t->c->from->format == t->c->to->format || t->n->wish.codecs;
}

static zinc_status
copy_doc(zinc_cp_translation *t, const zinc_json *root, zinc_json_doc **out)
{
	ZINC_TRY(zinc_json_new(out, t->c->ctx, t->err));
	zinc_json_set_root(*out, zinc_json_copy(*out, root));
	return zinc_json_root(*out) ? ZINC_OK : zinc_fail_nomem(t->err);
}

/* Consolidated metadata is written again if it existed. */
static zinc_status
make_given(zinc_cp_translation *t)
{
	const zinc_meta *m = t->n->source;
	zinc_error e = ZINC_ERROR_INIT;
	zinc_status st;

	ZINC_TRY(copy_doc(t, zinc_meta_v3(m), &t->given));
	(void)zinc_json_remove(zinc_json_root(t->given), "consolidated_metadata");
	if (m->kind == ZINC_NODE_ARRAY)
		ZINC_TRY(zinc_cp_spell_out(t->given, m, t->err));
	if (!m->v3 && t->c->from->format != t->c->to->format)
		return ZINC_OK; /* t->given has all its members */
	st = m->v3 ? t->c->from->format->print(t->c->from, m, &t->own, &e)
		   : zinc_document_from_v3(&t->own, t->c->from, t->given, &e);
	if (st != ZINC_OK)
		t->own = NULL;
	return st == ZINC_E_NOMEM ? zinc_fail_nomem(t->err) : ZINC_OK;
}

static zinc_status
make_wanted(zinc_cp_translation *t)
{
	ZINC_TRY(make_given(t));
	ZINC_TRY(copy_doc(t, zinc_json_root(t->given), &t->wanted));
	ZINC_TRY(zinc_cp_open_blocks(t->wanted, t->err));
	if (zinc_cp_options_change(t->c, t->n))
		ZINC_TRY(zinc_cp_apply(t->c, t->n, t->wanted, t->err));
	ZINC_TRY(zinc_cp_missing(t));
	if (!keep_crc32c(t) && zinc_cp_drop_crc32c(t->wanted))
		ZINC_TRY(zinc_cp_note(t->c, ZINC_COPY_REPLACED, t->n->from, t->err, "codec crc32c is left out"));
	return keep_shards(t) || !zinc_cp_drop_shards(t->wanted)
		   ? ZINC_OK
		   : zinc_cp_note(t->c, ZINC_COPY_REPLACED, t->n->from, t->err,
				  "shards become plain chunks of the inner shape");
}

/* ---- the target's document ---- */

/* Does the target refuse the document, as opposed to a failure of the machine? */
static bool
is_refusal(zinc_status st)
{
	return st == ZINC_E_INVALID || st == ZINC_E_UNSUPPORTED || st == ZINC_E_CORRUPT || st == ZINC_E_RANGE;
}

/* Parse `doc` as metadata of the target; refuse now what it could not decode later. */
static zinc_status
try_doc(zinc_cp_translation *t, zinc_json_doc *doc, zinc_meta **out, zinc_error *e)
{
	zinc_meta *m = NULL;

	ZINC_TRY(zinc_meta_from_v3(&m, t->c->to, doc, e));
	if (m->unsupported) {
		const zinc_status st = zinc_meta_refuse(m, e);

		zinc_meta_free(m);
		return st;
	}
	*out = m;
	return ZINC_OK;
}

/* For a node that is lost, replaced storage is not reported. */
static zinc_status
report_changes(zinc_cp_translation *t)
{
	const zinc_cp_change *changes = (const zinc_cp_change *)(const void *)t->changes.p;
	const size_t n = t->n->left_out ? t->nmembers : t->changes.n / sizeof *changes;
	size_t i;

	for (i = 0; i < n; i++)
		ZINC_TRY(zinc_cp_note(t->c, changes[i].kind, t->n->from, t->err, "%s", changes[i].what));
	return ZINC_OK;
}

/* Promise (2).  If the format still refuses the document, the target cannot hold the node. */
static zinc_status
make_target(zinc_cp_translation *t)
{
	zinc_error e = ZINC_ERROR_INIT;
	zinc_status st;

	ZINC_TRY(zinc_cp_fit(t));
	st = try_doc(t, t->wanted, &t->target, &e);
	if (st != ZINC_OK && (!is_refusal(st) || (st == ZINC_E_UNSUPPORTED && t->n->wish.codecs)))
		return zinc_error_copy(t->err, &e); /* a codec that was asked for and is not known: no format has it */
	t->n->left_out = st != ZINC_OK;
	ZINC_TRY(report_changes(t));
	return st == ZINC_OK ? st
			     : zinc_cp_note(t->c, ZINC_COPY_LOST, t->n->from, t->err, "the whole node: %s", e.text);
}

/* ---- within a format ---- */

/* Must a member that is the same in both be printed again? */
static bool
must_print(const zinc_meta *source, const zinc_json *v)
{
	return strcmp(v->key, "chunk_grid") == 0 && source->grid &&
	       zinc_grid_is_renamed(source->grid, zinc_json_member(zinc_json_root(source->doc), v->key));
}

/* The source's document with the members that differ between `before` and `after`. */
static zinc_status
change_members(zinc_cp_translation *t, const zinc_json *before, const zinc_json *after, zinc_json_doc **out)
{
	const zinc_json *v, *was;
	zinc_json *root;

	ZINC_TRY(copy_doc(t, zinc_json_root(t->n->source->doc), out));
	root = zinc_json_root(*out);
	(void)zinc_json_remove(root, "consolidated_metadata");
	for (v = after->first; v; v = v->next) {
		was = zinc_json_member(before, v->key);
		if (!was || !zinc_json_equal(was, v) || must_print(t->n->source, v))
			ZINC_TRY(zinc_json_set(*out, root, v->key, zinc_json_copy(*out, v), t->err));
	}
	for (v = before->first; v; v = v->next)
		if (!zinc_json_member(after, v->key))
			(void)zinc_json_remove(root, v->key);
	return ZINC_OK;
}

/* Promise (4).  A document that is not valid, and was only tolerated before, stays as the format prints it. */
static zinc_status
keep_spelling(zinc_cp_translation *t)
{
	const zinc_format *f = t->c->to->format;
	zinc_json_doc *doc = NULL;
	zinc_meta *m = NULL;
	zinc_report r;
	zinc_status st;

	if (!t->own || f != t->c->from->format)
		return ZINC_OK;
	st = change_members(t, zinc_json_root(t->own), zinc_json_root(t->target->doc), &doc);
	if (st != ZINC_OK) {
		zinc_json_free(doc);
		return st;
	}
	zinc_report_init_quiet(&r, t->c->ctx, false);
	st = f->parse(f, t->c->ctx, doc, t->n->kind, &r, &m, NULL);
	if (st != ZINC_OK)
		return st == ZINC_E_NOMEM ? zinc_fail_nomem(t->err) : ZINC_OK;
	if (!m->unsupported && m->kind == t->n->kind) {
		zinc_meta_free(t->target);
		t->target = m;
	} else
		zinc_meta_free(m);
	return ZINC_OK;
}

/* ---- the whole ---- */

/* A node that cannot or must not be translated. */
static zinc_status
leave_out(zinc_cp_translation *t)
{
	zinc_cp_node *n = t->n;

	n->left_out = true;
	return t->c->o.lossy
		   ? zinc_cp_note(t->c, ZINC_COPY_LOST, n->from, t->err, "the whole node: %s", n->source->unsupported)
		   : zinc_error_at_url(t->err, zinc_meta_refuse(n->source, t->err), t->c->from->url);
}

static zinc_status
translate(zinc_cp_translation *t)
{
	zinc_cp_node *n = t->n;

	if (n->source->unsupported)
		return leave_out(t);
	ZINC_TRY(make_wanted(t));
	ZINC_TRY(make_target(t));
	if (n->left_out)
		return ZINC_OK;
	ZINC_TRY(keep_spelling(t));
	return zinc_cp_compare(t);
}

/* A name that the target's format does not allow, or that is not a valid key. */
static zinc_status
check_name(zinc_cp_translation *t)
{
	zinc_error e = ZINC_ERROR_INIT;
	char *path = NULL;
	zinc_status st = zinc_path_normalise(&path, t->c->to, t->n->to, &e);

	zinc_free(t->c->ctx, path);
	if (st == ZINC_OK)
		st = zinc_path_check_new(t->n->to, &e);
	if (st == ZINC_OK || st != ZINC_E_INVALID)
		return st == ZINC_OK ? st : zinc_error_copy(t->err, &e);
	t->n->left_out = true;
	return zinc_cp_note(t->c, ZINC_COPY_LOST, t->n->from, t->err, "the whole node: %s", e.text);
}

zinc_status
zinc_cp_translate(zinc_cp *c, zinc_cp_node *n, zinc_error *err)
{
	zinc_cp_translation t = {.c = c, .n = n, .err = err};
	zinc_status st;

	ZINC_TRY(check_name(&t));
	if (n->implicit || n->left_out)
		return ZINC_OK;
	n->changed = c->from->format != c->to->format || zinc_cp_options_change(c, n);
	if (!n->changed && !n->source->closed) {
		n->target = zinc_meta_ref(n->source);
		return ZINC_OK;
	}
	zinc_buf_init(&t.changes, c->ctx, CHANGES * sizeof(zinc_cp_change));
	st = translate(&t);
	n->target = t.target;
	zinc_buf_fini(&t.changes);
	zinc_json_free(t.wanted);
	zinc_json_free(t.own);
	zinc_json_free(t.given);
	return st == ZINC_OK ? st : zinc_error_at_key(err, st, n->from);
}
