/*
 * copy_documents.c - metadata, last
 *
 * Documents are assembled in a memory store by the target's own format, which knows their number and names.  Unchanged
 * documents are copied over them byte for byte.  Then they are put into the target, the deepest first, and the document
 * that makes a node after those that only describe it.  So a node is never visible before everything below it exists,
 * and the node of the copy itself appears last.  A root of N5 is found by a member of its document, which a group below
 * a root need not have: it is added.
 */
#include <stdio.h>
#include <stdlib.h>

#include "tool/copy.h"

struct document {
	const char *key;
	size_t depth;
	bool makes; /* the path of a node */
};

struct documents {
	zinc_cp *c;
	zinc_hierarchy *h; /* in memory */
	bool trial;        /* for a check: any entry point is fine */
	zinc_buf keys;     /* each with its NUL */
	zinc_buf prefixes; /* of the node in the target, the same */
	zinc_buf own;      /* key of its document */
	struct document *list;
	size_t n;
	zinc_status status;
	zinc_error *err;
};

/* ---- putting them together ---- */

/* Keys of documents depend on the entry point: the target keeps its own; a new hierarchy of the same format gets the
 * source's (`given`), as the plan has read it, with all its members.  E_NOTFOUND: it gets the format's default. */
static zinc_status
find_entry(zinc_cp *c, zinc_blob *text, bool *given, zinc_error *err)
{
	const zinc_status st =
	    c->old ? ZINC_E_NOTFOUND : zinc_entry_get(c->to, text, err); /* a target in another format will be erased */

	*given = st == ZINC_E_NOTFOUND && zinc_cp_same_entry(c);
	return *given ? zinc_entry_get(c->from, text, err) : st;
}

static zinc_status
take_entry(struct documents *d)
{
	zinc_cp *c = d->c;
	zinc_error e = ZINC_ERROR_INIT;
	zinc_blob text = ZINC_BLOB_INIT;
	zinc_json_doc *entry;
	zinc_report r;
	zinc_status st;
	zinc_buf key;
	bool given;

	if (!c->to->format->enter)
		return ZINC_OK;
	st = find_entry(c, &text, &given, &e);
	zinc_report_init_quiet(&r, c->ctx, false);
	if (st == ZINC_OK && given)
		st = zinc_json_parse(&entry, c->ctx, text.data, text.nbytes, ZINC_JSON_DUPLICATES, &e);
	if (st == ZINC_OK && given)
		st = c->to->format->enter(c->to, entry, &r, &e);
	zinc_buf_init(&key, c->ctx, ZINC_MAX_KEY);
	if (st == ZINC_OK)
		st = zinc_buf_printf(&key, &e, "%s" ZINC_CP_ENTRY, c->to->prefix);
	if (st == ZINC_OK)
		st = zinc_buf_text(&key) ? zinc_store_put(c->drafts, NULL, zinc_buf_text(&key), text.data, text.nbytes,
							  NULL, 0, NULL, NULL, &e)
					 : zinc_fail_nomem(&e);
	zinc_buf_fini(&key);
	zinc_blob_fini(&text);
	return st == ZINC_OK || st == ZINC_E_NOTFOUND ? ZINC_OK : zinc_error_copy(d->err, &e);
}

static zinc_status
open_memory(struct documents *d)
{
	zinc_cp *c = d->c;
	char *prefix = zinc_strdup(c->ctx, c->to->prefix);
	char name[64];
	zinc_status st;

	if (!prefix)
		return zinc_fail_nomem(d->err);
	if (*prefix)
		prefix[strlen(prefix) - 1] = '\0';
	snprintf(name, sizeof name, "memory://zinc-cp-%p", (void *)c);
	st = zinc_store_open(&c->drafts, name, ZINC_STORE_OPTIONS(.context = c->ctx), d->err);
	if (st == ZINC_OK && !d->trial)
		st = take_entry(d);
	if (st == ZINC_OK)
		st = zinc_hierarchy_open(&d->h, c->drafts, prefix,
					 ZINC_OPEN_OPTIONS(.context = c->ctx, .format = c->to->format->id, .create = 1),
					 d->err);
	zinc_free(c->ctx, prefix);
	return st;
}

/* Without a listing, the other documents of a node are not known. */
static bool
is_made(const zinc_cp *c, const zinc_cp_node *n)
{
	return n->changed || c->unlisted;
}

/* Write nodes by the format.  This also writes the ancestors of the first node and groups skipped here; otherwise
 * the group above a node was written before it. */
static zinc_status
write_nodes(struct documents *d)
{
	zinc_cp *c = d->c;
	bool complete = false;
	size_t i;

	for (i = 0; i < c->nnodes; i++) {
		const zinc_cp_node *n = &c->nodes[i];
		const bool passed = !is_made(d->c, n) || n->left_out || n->implicit;

		if (!passed && complete)
			ZINC_TRY(zinc_put_node(d->h, n->to, n->target, d->err));
		else if (!passed)
			ZINC_TRY(zinc_write_node(d->h, n->to, n->target, NULL, NULL, d->err));
		if (i == 0 || (passed && n->kind != ZINC_NODE_ARRAY))
			complete = !passed;
	}
	return ZINC_OK;
}

/* Read the source's document again, after its objects were copied: one that has changed since the plan (`planned`; NULL:
 * any is fine) may describe other objects. */
static zinc_status
copy_over(struct documents *d, const char *from, const char *to, const zinc_tag *planned)
{
	zinc_blob value = ZINC_BLOB_INIT;
	zinc_tag tag = {.n = 0};
	zinc_status st = zinc_store_get_all(d->c->from->store, from, &value, &tag, d->c->ctx->limits.json_bytes,
					    d->c->from->wait, d->err);

	if (st == ZINC_OK && planned && zinc_cp_has_tags(d->c->from) && !zinc_tag_equal(planned, &tag)) {
		zinc_blob_fini(&value);
		st = zinc_fail(d->err, ZINC_E_CONFLICT, "it was changed during the copy; copy again with overwrite");
	}
	if (st != ZINC_OK)
		return zinc_error_at_key(d->err, st, from);
	st = zinc_store_put(d->c->drafts, NULL, to, value.data, value.nbytes, NULL, 0, NULL, NULL, d->err);
	zinc_blob_fini(&value);
	return st;
}

/* Copy the document of an unchanged node. */
static zinc_status
copy_over_node(struct documents *d, const zinc_cp_node *n)
{
	zinc_cp *c = d->c;
	zinc_buf from, to;
	zinc_status st;

	zinc_buf_init(&from, c->ctx, ZINC_MAX_KEY);
	zinc_buf_init(&to, c->ctx, ZINC_MAX_KEY);
	st = zinc_node_key(c->from, n->from, n->kind, &from, d->err);
	if (st == ZINC_OK)
		st = zinc_node_key(c->to, n->to, n->kind, &to, d->err);
	if (st == ZINC_OK)
		st = zinc_buf_text(&from) && zinc_buf_text(&to)
			 ? copy_over(d, zinc_buf_text(&from), zinc_buf_text(&to), &n->source->tag)
			 : zinc_fail_nomem(d->err);
	zinc_buf_fini(&from);
	zinc_buf_fini(&to);
	return st;
}

/* Copy other documents of the source, but not over documents that were written again. */
static zinc_status
copy_over_parts(struct documents *d)
{
	zinc_cp *c = d->c;
	const char *from, *to = NULL;

	while ((from = zinc_cp_next(&c->documents, to))) {
		zinc_blob there = ZINC_BLOB_INIT;
		zinc_status st;

		to = zinc_cp_next(&c->documents, from);
		st = zinc_store_get_all(c->drafts, to, &there, NULL, c->ctx->limits.json_bytes, NULL, NULL);
		zinc_blob_fini(&there);
		if (st == ZINC_E_NOTFOUND)
			st = copy_over(d, from, to, NULL);
		if (st != ZINC_OK)
			return st == ZINC_E_NOMEM ? zinc_fail_nomem(d->err) : st;
	}
	return ZINC_OK;
}

/* Put the document at `key`, of which there may be none, with the members that the format's own group has. */
static zinc_status
add_members(struct documents *d, const char *key, const zinc_json *members)
{
	zinc_context *ctx = d->c->ctx;
	const zinc_json *v;
	zinc_blob old = ZINC_BLOB_INIT;
	zinc_json_doc *doc = NULL;
	zinc_error e = ZINC_ERROR_INIT;
	zinc_status st;
	zinc_buf text;

	zinc_buf_init(&text, ctx, zinc_max_document(ctx));
	st = zinc_store_get_all(d->c->drafts, key, &old, NULL, ctx->limits.json_bytes, NULL, &e);
	if (st == ZINC_OK || st == ZINC_E_NOTFOUND)
		st = zinc_json_parse(&doc, ctx, st == ZINC_OK ? old.data : "{}", st == ZINC_OK ? old.nbytes : 2,
				     ZINC_JSON_DUPLICATES | ZINC_JSON_NAN_TOKENS, &e);
	for (v = members->first; v && st == ZINC_OK; v = v->next)
		if (!zinc_json_member(zinc_json_root(doc), v->key))
			st = zinc_json_set(doc, zinc_json_root(doc), v->key, zinc_json_copy(doc, v), &e);
	if (st == ZINC_OK)
		st = zinc_json_print(zinc_json_root(doc), &text, &e);
	if (st == ZINC_OK)
		st = zinc_buf_puts(&text, "\n", &e);
	if (st == ZINC_OK)
		st = zinc_store_put(d->c->drafts, NULL, key, text.p, text.n, NULL, 0, NULL, NULL, &e);
	zinc_json_free(doc);
	zinc_blob_fini(&old);
	zinc_buf_fini(&text);
	return st == ZINC_OK ? st : zinc_error_copy(d->err, &e);
}

/* Would the root of the copy be found?  Where groups need no document, it may have none, or one without the mark. */
static zinc_status
mark_root(struct documents *d)
{
	const zinc_cp *c = d->c;
	const zinc_format *f = c->to->format, *found;
	zinc_json_doc *group = NULL;
	zinc_node_kind kind;
	zinc_status st;
	zinc_buf key;

	if (!f->bare_groups || c->to_path[1] != '\0')
		return ZINC_OK;
	ZINC_TRY(zinc_format_detect(c->drafts, c->to->prefix, f, &found, &kind, NULL, NULL, NULL, d->err));
	if (found)
		return ZINC_OK;
	zinc_buf_init(&key, c->ctx, ZINC_MAX_KEY);
	st = zinc_node_key(c->to, "/", ZINC_NODE_GROUP, &key, d->err);
	if (st == ZINC_OK)
		st = zinc_json_parse(&group, c->ctx, f->group, strlen(f->group), 0, d->err);
	if (st == ZINC_OK)
		st = zinc_buf_text(&key) ? add_members(d, zinc_buf_text(&key), zinc_json_root(group))
					 : zinc_fail_nomem(d->err);
	zinc_json_free(group);
	zinc_buf_fini(&key);
	return st;
}

static zinc_status
assemble(struct documents *d)
{
	size_t i;

	ZINC_TRY(zinc_hierarchy_init(d->h, d->err));
	if (!d->c->made)
		ZINC_TRY(write_nodes(d));
	ZINC_TRY(copy_over_parts(d));
	for (i = 0; i < d->c->nnodes; i++) {
		const zinc_cp_node *n = &d->c->nodes[i];

		if (!is_made(d->c, n) && !n->left_out && !n->implicit)
			ZINC_TRY(copy_over_node(d, n));
	}
	return mark_root(d);
}

/* ---- putting them ---- */

static int
collect(void *arg, const char *key, uint64_t nbytes)
{
	struct documents *d = arg;

	(void)nbytes;
	d->status = zinc_buf_add(&d->keys, key, strlen(key) + 1, d->err);
	d->n++;
	return d->status != ZINC_OK;
}

static int
deepest_first(const void *a, const void *b)
{
	const struct document *x = a, *y = b;

	if (x->depth != y->depth)
		return x->depth < y->depth ? 1 : -1;
	return (int)x->makes - (int)y->makes;
}

static zinc_status
sort(struct documents *d)
{
	const char *key = NULL, *p;
	zinc_key_role role;
	size_t i;

	ZINC_TRY(zinc_store_list(d->c->drafts, "", collect, d, NULL, d->err));
	ZINC_TRY(d->status);
	d->list = zinc_calloc(d->c->ctx, d->n + 1, sizeof *d->list);
	if (!d->list)
		return zinc_fail_nomem(d->err);
	for (i = 0; i < d->n; i++) {
		d->list[i].key = key = zinc_cp_next(&d->keys, key);
		for (p = key; *p; p++)
			d->list[i].depth += *p == '/';
		ZINC_TRY(zinc_key_role_of(d->h, key, &role, d->err));
		d->list[i].makes = role == ZINC_KEY_NODE;
	}
	qsort(d->list, d->n, sizeof *d->list, deepest_first);
	return ZINC_OK;
}

static zinc_status
add_prefix(void *arg, const char *prefix, zinc_error *err)
{
	return zinc_buf_add(arg, prefix, strlen(prefix) + 1, err);
}

/* Find where the documents of the node and of all nodes below it are. */
static zinc_status
find_place(struct documents *d)
{
	const zinc_cp *c = d->c;

	ZINC_TRY(zinc_node_prefixes(c->to, c->to_path, add_prefix, &d->prefixes, d->err));
	ZINC_TRY(zinc_node_key(c->to, c->to_path, c->nodes[0].kind, &d->own, d->err));
	return zinc_buf_text(&d->own) ? ZINC_OK : zinc_fail_nomem(d->err);
}

/* Other documents belong to ancestors or to the whole hierarchy and do not change. */
static bool
is_ours(const struct documents *d, const char *key)
{
	const char *prefix = NULL;

	while ((prefix = zinc_cp_next(&d->prefixes, prefix)))
		if (strncmp(key, prefix, strlen(prefix)) == 0)
			return true;
	return strcmp(key, (const char *)d->own.p) == 0;
}

static zinc_status
put(struct documents *d, const char *key)
{
	static const zinc_condition absent = {ZINC_ABSENT, NULL};
	zinc_cp *c = d->c;
	const bool ours = is_ours(d, key), fresh = ours && !c->resuming;
	zinc_blob value = ZINC_BLOB_INIT;
	zinc_error e = ZINC_ERROR_INIT;
	zinc_status st;

	ZINC_TRY(zinc_store_get_all(c->drafts, key, &value, NULL, c->ctx->limits.json_bytes, NULL, d->err));
	st = zinc_store_put(c->to->store, NULL, key, value.data, value.nbytes, fresh || !ours ? &absent : NULL,
			    c->to->put_flags, NULL, c->to->wait, &e);
	zinc_blob_fini(&value);
	if (st == ZINC_E_EXISTS && !ours)
		return ZINC_OK;
	return zinc_error_at_key(d->err, zinc_error_copy(d->err, &e), key);
}

static bool
can_list(zinc_store *s)
{
	zinc_caps caps = ZINC_CAPS_INIT;

	zinc_store_caps(s, &caps);
	return caps.flags & ZINC_CAP_LIST;
}

/* The group that was copied, into a store that cannot list: without consolidated metadata nobody would find its nodes. */
static bool
is_unseen(const zinc_cp *c, const zinc_cp_node *n)
{
	return n->kind == ZINC_NODE_GROUP && !n->implicit && strcmp(n->to, c->to_path) == 0 && !can_list(c->to->store);
}

/* Does the group need consolidated metadata: is it missing, or does it describe other documents?  zinc_change_end also
 * drops the group's own in version 2. */
static zinc_status
needs_copies(const zinc_cp *c, const zinc_cp_node *n, bool *wants, zinc_error *err)
{
	zinc_meta *m = NULL;
	zinc_report r;
	zinc_status st;
	bool has;

	*wants = (n->copies || is_unseen(c, n)) && !n->left_out &&
		 c->to->format->copies.of >= (n->to[1] ? ZINC_COPIES_OF_GROUPS : ZINC_COPIES_OF_ROOT);
	if (!*wants || c->any_changed || c->unlisted)
		return ZINC_OK;
	zinc_report_init_quiet(&r, c->ctx, false);
	ZINC_TRY(zinc_read_node(c->to, n->to, &r, &m, err));
	st = zinc_cp_has_copies(c->to, n->to, m, &has, err);
	zinc_meta_free(m);
	*wants = !has;
	return st;
}

/* Does the target lack what zinc_consolidate_group needs: a listing, and changes that exclude other writers? */
static bool
is_limited(zinc_store *s)
{
	zinc_caps caps = ZINC_CAPS_INIT;

	zinc_store_caps(s, &caps);
	return !can_list(s) || !(caps.flags & (ZINC_CAP_CAS | ZINC_CAP_UPDATE));
}

/* A target that cannot list needs it most: it is made in memory, of the documents that were put. */
static zinc_status
consolidate_in_memory(struct documents *d, const zinc_cp_node *n)
{
	const zinc_cp *c = d->c;
	zinc_blob value = ZINC_BLOB_INIT;
	zinc_status st;
	zinc_buf key;

	zinc_buf_init(&key, c->ctx, ZINC_MAX_KEY);
	st = zinc_consolidate_group(d->h, n->to, false, d->err);
	if (st == ZINC_OK)
		st = zinc_copies_key(d->h, n->to, &key, d->err);
	if (st == ZINC_OK)
		st = zinc_store_get_all(c->drafts, zinc_buf_text(&key), &value, NULL, c->ctx->limits.json_bytes, NULL,
					d->err);
	if (st == ZINC_OK)
		st = zinc_store_put(c->to->store, NULL, zinc_buf_text(&key), value.data, value.nbytes, NULL,
				    c->to->put_flags, NULL, c->to->wait, d->err);
	zinc_blob_fini(&value);
	zinc_buf_fini(&key);
	return st;
}

/* Write consolidated metadata again if the source had it, or nobody could list the copy. */
static zinc_status
consolidate(struct documents *d)
{
	const zinc_cp *c = d->c;
	bool wants;
	size_t i;

	for (i = c->nnodes; i-- > 0;) {
		zinc_error e = ZINC_ERROR_INIT;
		zinc_status st;

		ZINC_TRY(needs_copies(c, &c->nodes[i], &wants, d->err));
		if (!wants)
			continue;
		st = zinc_consolidate_group(c->to, c->nodes[i].to, false, &e);
		if (st != ZINC_OK && is_limited(c->to->store))
			ZINC_TRY(consolidate_in_memory(d, &c->nodes[i]));
		else if (st != ZINC_OK && st != ZINC_E_UNSUPPORTED)
			return zinc_error_copy(d->err, &e);
	}
	return ZINC_OK;
}

static void
close_memory(struct documents *d)
{
	zinc_hierarchy_close(d->h);
	zinc_store_close(d->c->drafts);
	d->c->drafts = NULL;
	d->c->made = d->h = NULL;
}

/* Documents made for the check are kept, unless the entry point differs from that of a new hierarchy, because keys
 * depend on it. */
static zinc_status
check_made(struct documents *d)
{
	zinc_cp *c = d->c;
	zinc_blob text = ZINC_BLOB_INIT, fresh = ZINC_BLOB_INIT;
	zinc_error e = ZINC_ERROR_INIT;
	zinc_status st;
	bool given;

	if (!c->made || !c->to->format->enter)
		return ZINC_OK;
	st = find_entry(c, &text, &given, &e);
	if (st == ZINC_OK) {
		st = zinc_hierarchy_init(d->h, &e);
		if (st == ZINC_OK)
			st = zinc_entry_get(d->h, &fresh, &e);
		if (st == ZINC_OK && (text.nbytes != fresh.nbytes || memcmp(text.data, fresh.data, text.nbytes) != 0))
			close_memory(d);
	}
	zinc_blob_fini(&text);
	zinc_blob_fini(&fresh);
	return st == ZINC_OK || st == ZINC_E_NOTFOUND ? ZINC_OK : zinc_error_copy(d->err, &e);
}

static zinc_status
run(struct documents *d)
{
	zinc_cp *c = d->c;
	size_t i;

	ZINC_TRY(check_made(d));
	if (!c->made)
		ZINC_TRY(open_memory(d));
	ZINC_TRY(assemble(d));
	ZINC_TRY(sort(d));
	ZINC_TRY(find_place(d));
	for (i = 0; i < d->n; i++)
		ZINC_TRY(put(d, d->list[i].key));
	ZINC_TRY(zinc_change_end(c->to, c->to_path, d->err));
	return consolidate(d);
}

void
zinc_cp_documents_fini(zinc_cp *c)
{
	struct documents d = {.c = c, .h = c->made};

	close_memory(&d);
}

zinc_status
zinc_cp_documents(zinc_cp *c, zinc_error *err)
{
	struct documents d = {.c = c, .h = c->made, .err = err};
	zinc_status st;

	zinc_buf_init(&d.keys, c->ctx, zinc_max_list(c->ctx));
	zinc_buf_init(&d.prefixes, c->ctx, zinc_max_list(c->ctx));
	zinc_buf_init(&d.own, c->ctx, zinc_max_list(c->ctx));
	st = run(&d);
	zinc_free(c->ctx, d.list);
	zinc_buf_fini(&d.keys);
	zinc_buf_fini(&d.prefixes);
	zinc_buf_fini(&d.own);
	close_memory(&d);
	return st;
}

/* Names that were valid in the source may conflict with each other in the target. */
zinc_status
zinc_cp_documents_check(zinc_cp *c, zinc_error *err)
{
	zinc_error e = ZINC_ERROR_INIT;
	struct documents d = {.c = c, .trial = true, .err = &e};
	zinc_status st = open_memory(&d);

	if (st == ZINC_OK)
		st = write_nodes(&d);
	if (st == ZINC_OK)
		c->made = d.h;
	else
		close_memory(&d);
	e.url[0] = '\0'; /* of the memory store */
	return st == ZINC_OK ? st : zinc_error_copy(err, &e);
}
