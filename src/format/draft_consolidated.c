/*
 * draft_consolidated.c - zarr-python's copy of all documents of a hierarchy of October 2020
 *
 *   meta/root/consolidated/.zmetadata
 *   {"zarr_consolidated_format": 1,
 *    "metadata": {"zarr.json": {...}, "meta/root/a.array.json": {...}, "meta/root/g.group.json": {...}}}
 *
 * The draft does not know it, and nothing here reads by it: one listing shows all nodes.  But zarr-python 2.12 to 2.18
 * opens by it, so whoever has it keeps it.  The other drafts have none (zinc_draft.copies is NULL).
 *
 * Promises:
 *
 * (1) Only zinc_consolidate writes it, as consolidate.c promises, and only for the whole hierarchy.
 * (2) A damaged one is there, and told of as such.
 */
#include "format/consolidate.h"
#include "format/draft.h"
#include "format/own.h"

#define ENTRY "zarr.json"

static zinc_status
copies_key(const zinc_hierarchy *h, zinc_buf *key, zinc_error *err)
{
	ZINC_TRY(zinc_buf_printf(key, err, "%s%s/%s", h->prefix, h->entry->meta, h->format->draft->copies));
	return zinc_buf_text(key) ? ZINC_OK : zinc_fail_nomem(err);
}

zinc_status
zinc_draft_drop_copies(zinc_hierarchy *h, zinc_error *err)
{
	zinc_status s;
	zinc_buf key;

	if (!h->format->draft->copies)
		return ZINC_OK;
	zinc_buf_init(&key, h->ctx, ZINC_MAX_KEY);
	s = copies_key(h, &key, err);
	if (s == ZINC_OK)
		s = zinc_hierarchy_drop(h, &key, err);
	zinc_buf_fini(&key);
	return s;
}

/* ---- consolidating ---- */

struct gather {
	const zinc_hierarchy *h;
	zinc_json_doc *doc;
	zinc_json *metadata;
	zinc_status status;
	zinc_error *err;
};

static zinc_status
gather_one(struct gather *g, const zinc_found_node *node)
{
	const char *key = node->key + strlen(g->h->prefix);

	if (node->problem) /* a copy of what nobody can read would hide that */
		return zinc_error_at_key(g->err, zinc_error_copy(g->err, node->problem), node->path + 1);
	if (node->implicit || node->hidden)
		return ZINC_OK;
	return zinc_json_set(g->doc, g->metadata, key, zinc_json_copy(g->doc, zinc_json_root(node->meta->doc)), g->err);
}

static int
gather_node(void *arg, const zinc_found_node *node)
{
	struct gather *g = arg;

	g->status = gather_one(g, node);
	return g->status != ZINC_OK;
}

/* The entry point is copied as it stands. */
static zinc_status
gather_entry(struct gather *g)
{
	zinc_json_doc *entry = NULL;
	zinc_fetched doc;
	zinc_status s;
	zinc_buf key;
	char *text;

	zinc_buf_init(&key, g->h->ctx, ZINC_MAX_KEY);
	s = zinc_buf_printf(&key, g->err, "%s" ENTRY, g->h->prefix);
	text = s == ZINC_OK ? (char *)(uintptr_t)zinc_buf_text(&key) : NULL;
	if (s == ZINC_OK)
		s = text ? zinc_fetch(g->h->store, &text, 1, &doc, g->h->wait, g->err) : zinc_fail_nomem(g->err);
	if (s == ZINC_OK) {
		s = zinc_fetched_status(&doc, ENTRY, g->err);
		if (s == ZINC_OK)
			s = zinc_json_parse(&entry, g->h->ctx, doc.text, doc.n, ZINC_JSON_DUPLICATES, g->err);
		zinc_fetched_fini(g->h->ctx, &doc, 1);
	}
	if (s == ZINC_OK)
		s = zinc_json_set(g->doc, g->metadata, ENTRY, zinc_json_copy(g->doc, zinc_json_root(entry)), g->err);
	zinc_json_free(entry);
	zinc_buf_fini(&key);
	return s;
}

static zinc_status
gather(zinc_hierarchy *h, const char *path, zinc_json_doc *doc, zinc_error *err)
{
	struct gather g = {.h = h, .doc = doc, .err = err};
	zinc_report r;

	zinc_report_init_quiet(&r, h->ctx, h->strict);
	ZINC_TRY(zinc_copies_head(doc, &g.metadata, err));
	ZINC_TRY(gather_entry(&g));
	ZINC_TRY(zinc_draft_walk(h, path, -1, &r, gather_node, &g, err));
	return g.status;
}

static const zinc_copies_ops copies_ops = {gather, zinc_copies_put};

zinc_status
zinc_draft_consolidate(zinc_hierarchy *h, const char *path, bool remove, zinc_error *err)
{
	zinc_status s;
	zinc_buf key;

	if (!remove && !h->format->draft->copies)
		return zinc_fail(err, ZINC_E_INVALID, "%s has no consolidated metadata: one listing shows all nodes",
				 h->format->draft->name);
	if (path[1])
		return zinc_fail(err, ZINC_E_INVALID, "%s has consolidated metadata of whole hierarchies only",
				 h->format->draft->name);
	ZINC_TRY(zinc_hierarchy_writable(h, err));
	if (remove)
		return zinc_settle(h, path, err);
	zinc_buf_init(&key, h->ctx, ZINC_MAX_KEY);
	s = copies_key(h, &key, err);
	if (s == ZINC_OK)
		s = zinc_copies_write(h, path, zinc_buf_text(&key), &copies_ops, err);
	zinc_buf_fini(&key);
	return s == ZINC_OK ? s : zinc_error_at_url(err, s, h->url);
}

/* ---- looking ---- */

/* "meta/root/a/b.array.json" -> fn(..., "a/b", ...); what is no node's is passed over. */
static zinc_status
tell_copies(zinc_hierarchy *h, const zinc_json *metadata, zinc_copy_fn fn, void *arg, zinc_error *err)
{
	zinc_status s = ZINC_OK;
	const zinc_json *v;
	zinc_key_role role;
	bool stop = false;
	zinc_buf place;

	zinc_buf_init(&place, h->ctx, ZINC_MAX_KEY);
	for (v = metadata->first; v && s == ZINC_OK && !stop; v = v->next) {
		s = zinc_draft_place(h, v->key, &role, &place, err);
		if (s != ZINC_OK || role != ZINC_KEY_NODE || place.n == 0)
			continue;
		place.n--; /* the '/' */
		s = zinc_buf_text(&place) ? ZINC_OK : zinc_fail_nomem(err);
		stop = s == ZINC_OK && fn(arg, zinc_buf_text(&place), v) != 0;
	}
	zinc_buf_fini(&place);
	return s;
}

static zinc_status
read_copies(zinc_hierarchy *h, const zinc_fetched *doc, zinc_copy_fn fn, void *arg, zinc_error *err)
{
	zinc_json_doc *stored = NULL;
	const zinc_json *metadata;
	uint64_t version = 0;
	zinc_status s =
	    zinc_json_parse(&stored, h->ctx, doc->text, doc->n, ZINC_JSON_DUPLICATES | ZINC_JSON_NAN_TOKENS, NULL);

	if (s == ZINC_E_NOMEM)
		return zinc_fail_nomem(err);
	metadata = stored ? zinc_json_member(zinc_json_root(stored), "metadata") : NULL;
	if (stored)
		(void)zinc_json_u64(zinc_json_member(zinc_json_root(stored), "zarr_consolidated_format"), &version);
	if (version == 1 && zinc_json_is(metadata, ZINC_JSON_OBJECT))
		s = tell_copies(h, metadata, fn, arg, err);
	else
		s = zinc_fail(err, ZINC_E_CORRUPT,
			      "it is no object of \"zarr_consolidated_format\" 1 and \"metadata\"");
	zinc_json_free(stored);
	return s;
}

zinc_status
zinc_draft_copies(zinc_hierarchy *h, const char *path, const zinc_meta *group, bool *has, zinc_copy_fn fn, void *arg,
		  zinc_error *err)
{
	zinc_fetched doc;
	zinc_status s;
	zinc_buf key;
	char *text;

	(void)group;
	*has = false;
	if (path[1] || !h->format->draft->copies)
		return ZINC_OK;
	zinc_buf_init(&key, h->ctx, ZINC_MAX_KEY);
	s = copies_key(h, &key, err);
	text = (char *)key.p;
	if (s == ZINC_OK)
		s = zinc_fetch(h->store, &text, 1, &doc, h->wait, err);
	if (s == ZINC_OK) {
		s = zinc_fetched_status(&doc, text, err);
		*has = s == ZINC_OK && doc.found == ZINC_FOUND;
		if (*has)
			s = read_copies(h, &doc, fn, arg, err);
		if (s == ZINC_E_CORRUPT)
			s = zinc_error_at_key(err, s, text);
		zinc_fetched_fini(h->ctx, &doc, 1);
	}
	zinc_buf_fini(&key);
	return s;
}
