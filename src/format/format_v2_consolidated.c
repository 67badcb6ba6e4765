/*
 * format_v2_consolidated.c - .zmetadata, copies of all documents of a group and below
 *
 *   {"zarr_consolidated_format": 1,
 *    "metadata": {".zgroup": {...}, ".zattrs": {...}, "a/.zarray": {...}, "a/.zattrs": {...}}}
 *
 * Promises:
 *
 * (1) Only zinc_consolidate writes it, as consolidate.c promises.
 * (2) A damaged one counts as none.
 */
#include "format/consolidate.h"
#include "format/format_v2.h"

/* ---- looking ---- */

/* "a/b/.zarray" -> is it the document `which` of a node below?  Then the bytes of its path. */
static size_t
path_of(const zinc_json *copy, size_t which)
{
	const char *name = zinc_key_name(copy->key);

	if (strlen(copy->key) != copy->nkey || strcmp(name, zinc_format_v2.documents[which].name) != 0 || name == copy->key)
		return 0;
	return (size_t)(name - copy->key) - 1;
}

/* All copies of the document `which`, put into nodes by their paths. */
static zinc_status
take(zinc_json_doc *doc, zinc_json *nodes, const zinc_json *metadata, size_t which, zinc_error *err)
{
	zinc_context *ctx = zinc_json_context(doc);
	const zinc_json *v;
	zinc_status s;

	for (v = metadata->first; v; v = v->next) {
		const size_t n = path_of(v, which);
		char *path = n > 0 ? zinc_strndup(ctx, v->key, n) : NULL;
		zinc_json *node = path ? zinc_json_member(nodes, path) : NULL;

		if (n > 0 && !path)
			return zinc_fail_nomem(err);
		s = ZINC_OK;
		if (which == ZINC_V2_ATTRIBUTES && zinc_json_is(node, ZINC_JSON_OBJECT))
			s = zinc_json_set(doc, node, ZINC_V2_MEMBER, zinc_json_copy(doc, v), err);
		else if (n > 0 && which != ZINC_V2_ATTRIBUTES && !node)
			s = zinc_json_set(doc, nodes, path, zinc_json_copy(doc, v), err);
		zinc_free(ctx, path);
		ZINC_TRY(s);
	}
	return ZINC_OK;
}

/* Copies of documents -> copies of nodes, an array before a group of the same path. */
static zinc_status
gather_copies(zinc_json_doc **out, zinc_context *ctx, const zinc_json *metadata, zinc_error *err)
{
	zinc_json *nodes;
	zinc_status s;
	size_t i;

	ZINC_TRY(zinc_json_new(out, ctx, err));
	nodes = zinc_json_make(*out, ZINC_JSON_OBJECT);
	zinc_json_set_root(*out, nodes);
	s = nodes ? ZINC_OK : zinc_fail_nomem(err);
	for (i = 0; i <= ZINC_V2_ATTRIBUTES && s == ZINC_OK; i++)
		s = take(*out, nodes, metadata, i, err);
	if (s == ZINC_OK)
		return ZINC_OK;
	zinc_json_free(*out);
	*out = NULL;
	return s;
}

zinc_status
zinc_v2_find_copies(zinc_context *ctx, const zinc_fetched *docs, zinc_json_doc **doc, const zinc_json **metadata,
		    zinc_error *err)
{
	const zinc_fetched *text = &docs[ZINC_V2_COPIES];
	const zinc_json *copies;
	zinc_json_doc *stored;
	uint64_t version = 0;
	zinc_status s;

	*doc = NULL;
	if (text->found != ZINC_FOUND)
		return ZINC_OK;
	s = zinc_json_parse(&stored, ctx, text->text, text->n, ZINC_JSON_DUPLICATES | ZINC_JSON_NAN_TOKENS, NULL);
	if (s != ZINC_OK)
		return s == ZINC_E_NOMEM ? zinc_fail_nomem(err) : ZINC_OK;
	(void)zinc_json_u64(zinc_json_member(zinc_json_root(stored), "zarr_consolidated_format"), &version);
	copies = zinc_json_member(zinc_json_root(stored), "metadata");
	if (version == 1 && zinc_json_is(copies, ZINC_JSON_OBJECT))
		s = gather_copies(doc, ctx, copies, err);
	zinc_json_free(stored);
	if (*doc)
		*metadata = zinc_json_root(*doc);
	return s;
}

zinc_status
zinc_v2_copies(zinc_hierarchy *h, const char *path, const zinc_meta *group, bool *has, zinc_copy_fn fn, void *arg,
	       zinc_error *err)
{
	const zinc_json *metadata = NULL, *v;
	zinc_json_doc *doc = NULL;
	zinc_line line;
	zinc_status s;

	(void)group;
	*has = false;
	ZINC_TRY(zinc_line_get(&line, h, path, ZINC_LINE_SELF, ZINC_PART_COPIES, err));
	s = zinc_fetched_status(&line.docs[ZINC_V2_COPIES], line.keys[ZINC_V2_COPIES], err);
	if (s == ZINC_OK)
		s = zinc_v2_find_copies(h->ctx, line.docs, &doc, &metadata, err);
	*has = s == ZINC_OK && line.docs[ZINC_V2_COPIES].found == ZINC_FOUND;
	if (*has && !doc) { /* readers pass it over; whoever checks it wants to know */
		zinc_fail(err, ZINC_E_CORRUPT, "it is no object of \"zarr_consolidated_format\" 1 and \"metadata\"");
		s = zinc_error_at_key(err, ZINC_E_CORRUPT, line.keys[ZINC_V2_COPIES]);
	}
	zinc_line_fini(&line);
	for (v = doc ? metadata->first : NULL; v; v = v->next)
		if (fn(arg, v->key, v) != 0)
			break;
	zinc_json_free(doc);
	return s;
}

/* ---- consolidating ---- */

struct gather {
	zinc_json_doc *doc;
	zinc_json *metadata;
	size_t skip; /* of a path: the group's own, and its '/' */
	zinc_buf key;
	zinc_status status;
	zinc_error *err;
};

/* A copy under the path of its node and its own name. */
static zinc_status
put_copy(struct gather *g, const char *path, size_t which, zinc_json *copy)
{
	const char *below = strlen(path) > g->skip ? path + g->skip : "";

	zinc_buf_end(&g->key, 0);
	ZINC_TRY(zinc_buf_printf(&g->key, g->err, "%s%s%s", below, *below ? "/" : "", zinc_format_v2.documents[which].name));
	if (!zinc_buf_text(&g->key))
		return zinc_fail_nomem(g->err);
	return zinc_json_set(g->doc, g->metadata, zinc_buf_text(&g->key), copy, g->err);
}

/* Documents are taken as they stand, with members that this build does not know. */
static zinc_status
gather_one(struct gather *g, const zinc_found_node *node)
{
	zinc_json *copy, *attributes;

	if (node->problem) /* a copy of what nobody can read would hide that */
		return zinc_error_at_key(g->err, zinc_error_copy(g->err, node->problem), node->path + 1);
	if (node->implicit)
		return ZINC_OK;
	copy = zinc_json_copy(g->doc, zinc_json_root(node->meta->doc));
	attributes = zinc_json_copy(g->doc, zinc_json_member(copy, ZINC_V2_MEMBER));
	if (zinc_json_remove(copy, ZINC_V2_MEMBER))
		ZINC_TRY(put_copy(g, node->path, ZINC_V2_ATTRIBUTES, attributes));
	return put_copy(g, node->path, node->kind == ZINC_NODE_ARRAY ? ZINC_V2_ARRAY : ZINC_V2_GROUP, copy);
}

static int
gather_node(void *arg, const zinc_found_node *node)
{
	struct gather *g = arg;

	g->status = gather_one(g, node);
	return g->status != ZINC_OK;
}

/* The whole .zmetadata as the documents are now. */
static zinc_status
gather(zinc_hierarchy *h, const char *path, zinc_json_doc *doc, zinc_error *err)
{
	const zinc_listing all = {.self = true, .stored = true, .depth = -1};
	struct gather g = {.doc = doc, .skip = path[1] ? strlen(path) + 1 : 1, .err = err};
	zinc_report r;
	zinc_status s;

	zinc_buf_init(&g.key, h->ctx, ZINC_MAX_KEY);
	zinc_report_init_quiet(&r, h->ctx, h->strict);
	s = zinc_copies_head(doc, &g.metadata, err);
	if (s == ZINC_OK)
		s = zinc_layout_list(h, path, all, &r, gather_node, &g, err);
	zinc_buf_fini(&g.key);
	return s == ZINC_OK ? g.status : s;
}

static const zinc_copies_ops copies_ops = {gather, zinc_copies_put};

zinc_status
zinc_v2_consolidate(zinc_hierarchy *h, const char *path, bool remove, zinc_error *err)
{
	zinc_status s;
	zinc_buf key;

	ZINC_TRY(zinc_hierarchy_writable(h, err));
	zinc_buf_init(&key, h->ctx, ZINC_MAX_KEY);
	s = zinc_node_prefix(h, path, &key, err);
	if (s == ZINC_OK)
		s = zinc_buf_puts(&key, zinc_format_v2.documents[ZINC_V2_COPIES].name, err);
	if (s == ZINC_OK && !zinc_buf_text(&key))
		s = zinc_fail_nomem(err);
	if (s == ZINC_OK)
		s = remove ? zinc_copies_put(h, zinc_buf_text(&key), NULL, err)
			   : zinc_copies_write(h, path, zinc_buf_text(&key), &copies_ops, err);
	zinc_buf_fini(&key);
	return s == ZINC_OK ? s : zinc_error_at_url(err, s, h->url);
}
