/*
 * format_v3_consolidated.c - copies of all documents below a group, in the group's own
 *
 *   "consolidated_metadata": {
 *     "must_understand": false, "kind": "inline",
 *     "metadata": {"a": {...}, "a/b": {...}}        paths relative to the group
 *   }
 *
 * Promises:
 *
 * (1) Only zinc_consolidate writes it, as consolidate.c promises.
 * (2) Dropping it is an edit under the store's exclusion: no other member is lost.  It works on a document of any size,
 *     so that one which readers refuse can be made one that they take.
 */
#include "format/consolidate.h"
#include "format/format_v3.h"

#define MEMBER "consolidated_metadata"

/* Null for "none" is in the wild, and a kind other than "inline" is not defined: both count as none. */
const zinc_json *
zinc_v3_consolidated(const zinc_json *root)
{
	const zinc_json *c = zinc_json_member(root, MEMBER);
	const zinc_json *metadata = zinc_json_member(c, "metadata");

	if (zinc_v3_kind(root) != ZINC_NODE_GROUP || !zinc_json_is_string(zinc_json_member(c, "kind"), "inline"))
		return NULL;
	return zinc_json_is(metadata, ZINC_JSON_OBJECT) ? metadata : NULL;
}

/* ---- changing one document ---- */

struct change {
	zinc_context *ctx;
	const zinc_json *metadata; /* to put; NULL: to remove */
	zinc_buf text;
};

/* M22 wants exactly these three members. */
static zinc_status
set_member(zinc_json_doc *doc, const zinc_json *metadata, zinc_error *err)
{
	zinc_json *c = zinc_json_make(doc, ZINC_JSON_OBJECT);

	ZINC_TRY(zinc_json_set(doc, c, "must_understand", zinc_json_make(doc, ZINC_JSON_FALSE), err));
	ZINC_TRY(zinc_json_set(doc, c, "kind", zinc_json_make_string(doc, "inline"), err));
	ZINC_TRY(zinc_json_set(doc, c, "metadata", zinc_json_copy(doc, metadata), err));
	return zinc_json_set(doc, zinc_json_root(doc), MEMBER, c, err);
}

/* The member is replaced or removed in its place; all others stay as they were spelled. */
static zinc_status
change_doc(struct change *c, zinc_json_doc *doc, zinc_update *out, zinc_error *err)
{
	zinc_json *root = zinc_json_root(doc);

	if (zinc_v3_kind(root) != ZINC_NODE_GROUP)
		return zinc_fail(err, ZINC_E_INVALID, "only a group can have consolidated metadata");
	if (c->metadata)
		ZINC_TRY(set_member(doc, c->metadata, err));
	else if (!zinc_json_remove(root, MEMBER)) {
		out->keep = 1;
		return ZINC_OK;
	}
	zinc_buf_end(&c->text, 0);
	ZINC_TRY(zinc_json_print(root, &c->text, err));
	ZINC_TRY(zinc_buf_puts(&c->text, "\n", err));
	if (c->metadata)
		ZINC_TRY(zinc_document_fits(c->ctx, &c->text, err));
	out->bytes = c->text.p;
	out->nbytes = c->text.n;
	return ZINC_OK;
}

/* Runs under the store's exclusion, perhaps several times; each time from what is stored now. */
static zinc_status
change_update(void *arg, const void *old, size_t nold, zinc_update *out, zinc_error *err)
{
	struct change *c = arg;
	zinc_json_doc *doc;
	zinc_status s;

	if (!old && c->metadata)
		return zinc_fail(err, ZINC_E_NOTFOUND, "no node is there");
	if (!old) { /* the group is gone, and its consolidated metadata with it */
		out->keep = 1;
		return ZINC_OK;
	}
	ZINC_TRY(zinc_json_parse(&doc, c->ctx, old, nold, ZINC_JSON_NAN_TOKENS | (c->metadata ? 0 : ZINC_JSON_ANY_SIZE),
				 err));
	s = change_doc(c, doc, out, err);
	zinc_json_free(doc);
	return s;
}

/* Put (metadata) or remove (NULL) the member in the document under `key`. */
static zinc_status
change_key(zinc_hierarchy *h, const char *key, const zinc_json *metadata, zinc_error *err)
{
	/* to remove what is too large to be read is the way out of it */
	const size_t most = metadata ? zinc_max_document(h->ctx) : zinc_max_text(h->ctx);
	struct change c = {.ctx = h->ctx, .metadata = metadata};
	zinc_status s;

	zinc_buf_init(&c.text, h->ctx, most);
	s = zinc_store_update(h->store, key, change_update, &c, 0, most, h->put_flags, h->wait, err);
	zinc_buf_fini(&c.text);
	return s == ZINC_OK ? s : zinc_error_at_key(err, s, key);
}

zinc_status
zinc_v3_consolidated_drop(zinc_hierarchy *h, const char *key, zinc_error *err)
{
	return change_key(h, key, NULL, err);
}

/* ---- looking ---- */

zinc_status
zinc_v3_find_copies(zinc_context *ctx, const zinc_fetched *docs, zinc_json_doc **doc, const zinc_json **metadata,
		    zinc_error *err)
{
	zinc_status s;

	*doc = NULL;
	if (docs->found != ZINC_FOUND)
		return ZINC_OK;
	s = zinc_json_parse(doc, ctx, docs->text, docs->n, ZINC_V3_JSON, NULL);
	if (s != ZINC_OK) {
		*doc = NULL;
		return s == ZINC_E_NOMEM ? zinc_fail_nomem(err) : ZINC_OK; /* a damaged one has none that can be used */
	}
	*metadata = zinc_v3_consolidated(zinc_json_root(*doc));
	if (!*metadata) {
		zinc_json_free(*doc);
		*doc = NULL;
	}
	return ZINC_OK;
}

zinc_status
zinc_v3_copies(zinc_hierarchy *h, const char *path, const zinc_meta *group, bool *has, zinc_copy_fn fn, void *arg,
	       zinc_error *err)
{
	const zinc_json *metadata = zinc_v3_consolidated(zinc_json_root(group->doc)), *v;

	(void)h, (void)path, (void)err; /* they are in the group's own document */
	*has = metadata != NULL;
	for (v = metadata ? metadata->first : NULL; v; v = v->next)
		if (fn(arg, v->key + (v->key[0] == '/'), v) != 0)
			break;
	return ZINC_OK;
}

/* ---- consolidating ---- */

struct gather {
	zinc_json_doc *doc;
	zinc_json *metadata;
	size_t skip; /* of a path: the group's own, and its '/' */
	zinc_status status;
	zinc_error *err;
};

/* Documents are taken as they stand, with members that this build does not know. */
static zinc_status
gather_one(struct gather *g, const zinc_found_node *node)
{
	zinc_json *copy;

	if (node->problem) /* a copy of what nobody can read would hide that */
		return zinc_error_at_key(g->err, zinc_error_copy(g->err, node->problem), node->path + 1);
	if (node->implicit)
		return ZINC_OK;
	copy = zinc_json_copy(g->doc, zinc_json_root(node->meta->doc));
	if (copy && node->kind == ZINC_NODE_GROUP)
		(void)zinc_json_remove(copy, MEMBER); /* its own would hold everything twice */
	return zinc_json_set(g->doc, g->metadata, node->path + g->skip, copy, g->err);
}

/* The walk shows the group itself first, which its own copies do not contain. */
static int
gather_node(void *arg, const zinc_found_node *node)
{
	struct gather *g = arg;

	if (strlen(node->path) > g->skip) /* not the group itself */
		g->status = gather_one(g, node);
	return g->status != ZINC_OK;
}

/* The `metadata` object as the documents are now. */
static zinc_status
gather(zinc_hierarchy *h, const char *path, zinc_json_doc *doc, zinc_error *err)
{
	const zinc_listing all = {.self = true, .stored = true, .depth = -1};
	struct gather g = {.doc = doc, .skip = path[1] ? strlen(path) + 1 : 1, .err = err};
	zinc_report r;

	g.metadata = zinc_json_make(doc, ZINC_JSON_OBJECT);
	if (!g.metadata)
		return zinc_fail_nomem(err);
	zinc_json_set_root(doc, g.metadata);
	zinc_report_init_quiet(&r, h->ctx, h->strict);
	ZINC_TRY(zinc_layout_list(h, path, all, &r, gather_node, &g, err));
	return g.status;
}

static const zinc_copies_ops copies_ops = {gather, change_key};

/* An ancestor's copy of this group's document has no consolidated metadata either way, so nothing above is stale. */
zinc_status
zinc_v3_consolidate(zinc_hierarchy *h, const char *path, bool remove, zinc_error *err)
{
	zinc_status s;
	zinc_buf key;

	ZINC_TRY(zinc_hierarchy_writable(h, err));
	zinc_buf_init(&key, h->ctx, ZINC_MAX_KEY);
	s = zinc_node_key(h, path, ZINC_NODE_GROUP, &key, err);
	if (s == ZINC_OK && !zinc_buf_text(&key))
		s = zinc_fail_nomem(err);
	if (s == ZINC_OK)
		s = remove ? change_key(h, zinc_buf_text(&key), NULL, err)
			   : zinc_copies_write(h, path, zinc_buf_text(&key), &copies_ops, err);
	zinc_buf_fini(&key);
	return s == ZINC_OK ? s : zinc_error_at_url(err, s, h->url);
}
