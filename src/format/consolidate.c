/*
 * consolidate.c - write consolidated metadata that is never left stale, and remove it
 *
 * Promises:
 *
 * (1) Only zinc_consolidate writes consolidated metadata.  After the put it reads all documents again.  If one of them
 *     changed, it starts over, a bounded number of times.  After the last attempt it leaves no consolidated metadata.
 * (2) Consolidated metadata that readers would refuse because of its size is not written.  What was stored before
 *     stays.
 * (3) Where it is a member, removing it is an edit under the store's exclusion: no other member is lost.  The edit
 *     works on a document of any size, so that a document too large for readers can be made readable again.
 */
#include "format/consolidate.h"

#include "format/documents.h"
#include "format/draft.h"
#include "format/own.h"

/* How many times consolidation starts over before it gives up. */
#define TRIES 8
/* The entry point of a draft. */
#define ENTRY "zarr.json"

/* ---- what it holds ---- */

struct gather {
	zinc_hierarchy *h;
	zinc_json_doc *doc;
	zinc_json *metadata;
	size_t skip;  /* of a path: the group's own path and its '/' */
	size_t nbase; /* of a key: the prefix of the group's directory */
	uint64_t n;   /* number of nodes so far */
	zinc_buf key;
	zinc_status status;
	zinc_error *err;
};

/* Where it is a member: the whole node, under its path. */
static zinc_status
add_node(struct gather *g, const zinc_found_node *node)
{
	zinc_json *copy = zinc_json_copy(g->doc, zinc_json_root(node->meta->doc));

	if (copy && node->kind == ZINC_NODE_GROUP)
		(void)zinc_json_remove(copy, g->h->format->copies.member); /* else all is stored twice */
	return zinc_json_set(g->doc, g->metadata, node->path + g->skip, copy, g->err);
}

static zinc_status
add_document(struct gather *g, const char *path, size_t which, zinc_json *copy)
{
	zinc_buf_end(&g->key, 0);
	ZINC_TRY(zinc_document_key(g->h, path, which, &g->key, g->err));
	if (!zinc_buf_text(&g->key))
		return zinc_fail_nomem(g->err);
	return zinc_json_set(g->doc, g->metadata, zinc_buf_text(&g->key) + g->nbase, copy, g->err);
}

/* Where it is a document: each document of the node, under its key. */
static zinc_status
add_documents(struct gather *g, const zinc_found_node *node)
{
	const size_t which = zinc_documents_attributes(g->h->format);
	zinc_json *copy = zinc_json_copy(g->doc, zinc_json_root(node->meta->doc)), *attributes;

	attributes = which > 0 ? zinc_json_copy(g->doc, zinc_json_member(copy, ZINC_ATTRIBUTES)) : NULL;
	if (which > 0 && zinc_json_remove(copy, ZINC_ATTRIBUTES))
		ZINC_TRY(add_document(g, node->path, which, attributes));
	return add_document(g, node->path, zinc_document_of(g->h->format, node->kind), copy);
}

/* Documents are copied as stored, with members that this build does not know. */
static zinc_status
gather_one(struct gather *g, const zinc_found_node *node)
{
	const bool member = g->h->format->copies.member != NULL;

	if (member && strlen(node->path) <= g->skip)
		return ZINC_OK; /* the group itself: its own document holds the copies */
	if (node->problem)      /* a copy of an unreadable document would hide the damage */
		return zinc_error_at_key(g->err, zinc_error_copy(g->err, node->problem), node->path + 1);
	if (node->implicit)
		return ZINC_OK;
	return member ? add_node(g, node) : add_documents(g, node);
}

/* Progress is reported once per node, although the nodes are visited a second time to find changes. */
static zinc_status
count_node(struct gather *g)
{
	g->n++;
	return zinc_visit_progress(g->h, g->h->progress && g->n > g->h->progress->done, 0, g->err);
}

static int
gather_node(void *arg, const zinc_found_node *node)
{
	struct gather *g = arg;

	g->status = gather_one(g, node);
	if (g->status == ZINC_OK)
		g->status = count_node(g);
	return g->status != ZINC_OK;
}

/* The entry point of a draft is copied as stored. */
static zinc_status
gather_entry(struct gather *g)
{
	zinc_json_doc *entry = NULL;
	zinc_fetched doc;
	zinc_status st;
	char *text;

	zinc_buf_end(&g->key, 0);
	ZINC_TRY(zinc_buf_printf(&g->key, g->err, "%s" ENTRY, g->h->prefix));
	text = (char *)(uintptr_t)zinc_buf_text(&g->key);
	ZINC_TRY(text ? zinc_fetch(g->h->store, &text, 1, &doc, g->h->wait, g->err) : zinc_fail_nomem(g->err));
	st = zinc_fetched_status(&doc, ENTRY, g->err);
	if (st == ZINC_OK)
		st = zinc_json_parse(&entry, g->h->ctx, doc.text, doc.n, ZINC_JSON_DUPLICATES, g->err);
	zinc_fetched_fini(g->h->ctx, &doc, 1);
	if (st == ZINC_OK)
		st = zinc_json_set(g->doc, g->metadata, ENTRY, zinc_json_copy(g->doc, zinc_json_root(entry)), g->err);
	zinc_json_free(entry);
	return st;
}

/* The head of a separate document, with an object for the copies.  A member consists of the copies alone. */
static zinc_status
make_head(struct gather *g)
{
	zinc_json *root = zinc_json_make(g->doc, ZINC_JSON_OBJECT);

	zinc_json_set_root(g->doc, root);
	g->metadata = root;
	if (g->h->format->copies.member)
		return root ? ZINC_OK : zinc_fail_nomem(g->err);
	g->metadata = zinc_json_make(g->doc, ZINC_JSON_OBJECT);
	ZINC_TRY(zinc_json_set(g->doc, root, "zarr_consolidated_format", zinc_json_make_u64(g->doc, 1), g->err));
	return zinc_json_set(g->doc, root, "metadata", g->metadata, g->err);
}

static zinc_status
gather_all(struct gather *g, const char *path)
{
	zinc_report r;

	ZINC_TRY(make_head(g));
	if (path[1])
		ZINC_TRY(zinc_node_prefix(g->h, path, &g->key, g->err));
	g->nbase = path[1] ? g->key.n : strlen(g->h->prefix);
	if (g->h->entry)
		ZINC_TRY(gather_entry(g));
	zinc_report_init_quiet(&r, g->h->ctx, g->h->strict);
	ZINC_TRY(zinc_walk(g->h, path, ZINC_WALK_STORED, &r, gather_node, g, g->err));
	return g->status;
}

/* Copies of all documents as they are now. */
static zinc_status
gather(zinc_hierarchy *h, const char *path, zinc_json_doc **doc, zinc_error *err)
{
	struct gather g = {.h = h, .skip = path[1] ? strlen(path) + 1 : 1, .err = err};
	zinc_status st;

	ZINC_TRY(zinc_json_new(doc, h->ctx, err));
	g.doc = *doc;
	zinc_buf_init(&g.key, h->ctx, ZINC_MAX_KEY);
	st = gather_all(&g, path);
	zinc_buf_fini(&g.key);
	if (st != ZINC_OK) {
		zinc_json_free(*doc);
		*doc = NULL;
	}
	return st;
}

/* ---- putting and removing a member ---- */

struct change {
	const zinc_hierarchy *h;
	const zinc_json *metadata; /* to put; NULL: to remove */
	zinc_buf text;
};

/* M22 requires exactly these three members. */
static zinc_status
set_member(const struct change *x, zinc_json_doc *doc, zinc_error *err)
{
	zinc_json *c = zinc_json_make(doc, ZINC_JSON_OBJECT);

	ZINC_TRY(zinc_json_set(doc, c, "must_understand", zinc_json_make(doc, ZINC_JSON_FALSE), err));
	ZINC_TRY(zinc_json_set(doc, c, "kind", zinc_json_make_string(doc, "inline"), err));
	ZINC_TRY(zinc_json_set(doc, c, "metadata", zinc_json_copy(doc, x->metadata), err));
	return zinc_json_set(doc, zinc_json_root(doc), x->h->format->copies.member, c, err);
}

/* The member is replaced or removed in place.  All others keep their spelling. */
static zinc_status
change_doc(struct change *c, zinc_json_doc *doc, zinc_update *out, zinc_error *err)
{
	zinc_json *root = zinc_json_root(doc);

	if (c->h->format->kind(root) != ZINC_NODE_GROUP)
		return zinc_fail(err, ZINC_E_INVALID, "only a group can have consolidated metadata");
	if (c->metadata)
		ZINC_TRY(set_member(c, doc, err));
	else if (!zinc_json_remove(root, c->h->format->copies.member)) {
		out->keep = 1;
		return ZINC_OK;
	}
	zinc_buf_end(&c->text, 0);
	ZINC_TRY(zinc_json_print(root, &c->text, err));
	ZINC_TRY(zinc_buf_puts(&c->text, "\n", err));
	if (c->metadata)
		ZINC_TRY(zinc_document_fits(c->h->ctx, &c->text, err));
	out->bytes = c->text.p;
	out->nbytes = c->text.n;
	return ZINC_OK;
}

/* Runs under the store's exclusion, perhaps several times, each time on the stored document. */
static zinc_status
change_update(void *arg, const void *old, size_t nold, zinc_update *out, zinc_error *err)
{
	struct change *c = arg;
	zinc_json_doc *doc;
	zinc_status st;

	if (!old && c->metadata)
		return zinc_fail(err, ZINC_E_NOTFOUND, "there is no node at this path");
	if (!old) { /* the group is gone, and with it its consolidated metadata */
		out->keep = 1;
		return ZINC_OK;
	}
	ZINC_TRY(zinc_json_parse(&doc, c->h->ctx, old, nold,
				 ZINC_JSON_NAN_TOKENS | (c->metadata ? 0 : ZINC_JSON_ANY_SIZE), err));
	st = change_doc(c, doc, out, err);
	zinc_json_free(doc);
	return st;
}

/* Put (metadata) or remove (NULL) the member in the document under `key`. */
static zinc_status
change_key(zinc_hierarchy *h, const char *key, const zinc_json *metadata, zinc_error *err)
{
	/* a document that is too large to be read can still be repaired by removing the member */
	const size_t most = metadata ? zinc_max_document(h->ctx) : zinc_max_text(h->ctx);
	struct change c = {.h = h, .metadata = metadata};
	zinc_status st;

	zinc_buf_init(&c.text, h->ctx, most);
	st = zinc_store_update(h->store, key, change_update, &c, 0, most, h->put_flags, h->wait, err);
	zinc_buf_fini(&c.text);
	return st == ZINC_OK ? st : zinc_error_at_key(err, st, key);
}

/* ---- putting and removing a document ---- */

static zinc_status
remove_key(zinc_hierarchy *h, const char *key, zinc_error *err)
{
	zinc_error e = ZINC_ERROR_INIT;
	const zinc_status st = zinc_store_del(h->store, NULL, key, NULL, h->put_flags, h->wait, &e);

	return st == ZINC_OK || st == ZINC_E_NOTFOUND ? ZINC_OK : zinc_error_copy(err, &e);
}

static zinc_status
put_document(zinc_hierarchy *h, const char *key, const zinc_json *copies, zinc_error *err)
{
	zinc_status st;
	zinc_buf text;

	if (!copies)
		return remove_key(h, key, err);
	zinc_buf_init(&text, h->ctx, zinc_max_document(h->ctx));
	st = zinc_json_print(copies, &text, err);
	if (st == ZINC_OK)
		st = zinc_buf_puts(&text, "\n", err);
	if (st == ZINC_OK)
		st = zinc_document_fits(h->ctx, &text, err);
	if (st == ZINC_OK)
		st = zinc_store_put(h->store, NULL, key, text.p, text.n, NULL, h->put_flags, NULL, h->wait, err);
	zinc_buf_fini(&text);
	return st;
}

/* ---- consolidating ---- */

/* Store the copies under `key`, or remove those that are there (NULL).  E_LIMIT when readers would refuse the document
 * because of its size; then nothing is stored. */
static zinc_status
put(zinc_hierarchy *h, const char *key, const zinc_json *copies, zinc_error *err)
{
	return h->format->copies.member ? change_key(h, key, copies, err) : put_document(h, key, copies, err);
}

/* Put the copies `now` and gather again, until both are equal.  `now` is taken. */
static zinc_status
put_until_unchanged(zinc_hierarchy *h, const char *path, const char *key, zinc_json_doc *now, zinc_error *err)
{
	zinc_status st = ZINC_OK;
	bool same = false, refused = false;
	int i;

	for (i = 0; i < TRIES && !same && st == ZINC_OK; i++) {
		zinc_json_doc *then = NULL;

		st = put(h, key, zinc_json_root(now), err);
		refused = st == ZINC_E_LIMIT && i == 0;
		if (st == ZINC_OK)
			st = gather(h, path, &then, err);
		if (st == ZINC_OK) {
			same = zinc_json_equal(zinc_json_root(now), zinc_json_root(then));
			zinc_json_free(now);
			now = then;
		}
	}
	zinc_json_free(now);
	if (st == ZINC_OK && !same)
		st = zinc_fail(err, ZINC_E_CONFLICT, "the hierarchy changed during each of %d attempts", TRIES);
	if (st != ZINC_OK && !refused)
		(void)!put(h, key, NULL, NULL); /* no consolidated metadata is better than stale metadata */
	return st;
}

zinc_status
zinc_consolidate_group(zinc_hierarchy *h, const char *path, bool remove, zinc_error *err)
{
	const zinc_format *f = h->format;
	zinc_json_doc *now;
	zinc_status st;
	zinc_buf key;

	if (!remove && f->copies.of == ZINC_COPIES_NONE)
		return zinc_fail(err, ZINC_E_INVALID, "%s has no consolidated metadata%s",
				 f->draft ? f->draft->name : f->id, f->draft ? ": one listing shows all nodes" : "");
	if (path[1] && f->copies.of < ZINC_COPIES_OF_GROUPS)
		return zinc_fail(err, ZINC_E_INVALID, "%s has consolidated metadata of whole hierarchies only",
				 f->draft ? f->draft->name : f->id);
	ZINC_TRY(zinc_hierarchy_writable(h, err));
	if (f->copies.of == ZINC_COPIES_NONE)
		return ZINC_OK;
	zinc_buf_init(&key, h->ctx, ZINC_MAX_KEY);
	st = zinc_copies_key(h, path, &key, err);
	if (st == ZINC_OK && remove)
		st = put(h, zinc_buf_text(&key), NULL, err);
	else if (st == ZINC_OK)
		st = gather(h, path, &now, err); /* a failure before the first put leaves the old one in place */
	if (st == ZINC_OK && !remove)
		st = put_until_unchanged(h, path, zinc_buf_text(&key), now, err);
	zinc_buf_fini(&key);
	return st == ZINC_OK ? st : zinc_error_at_url(err, st, h->url);
}

/* ---- dropping ---- */

static bool
can_erase(const zinc_hierarchy *h)
{
	zinc_caps caps = ZINC_CAPS_INIT;

	zinc_store_caps(h->store, &caps);
	return caps.flags & ZINC_CAP_ERASE;
}

/* A store that cannot erase (zip) gets a document of the present state instead: `key` is "a/b/.zmetadata". */
static zinc_status
refresh(zinc_hierarchy *h, const char *key, zinc_error *err)
{
	const char *slash = strrchr(key, '/');
	zinc_status st;
	zinc_buf path;

	zinc_buf_init(&path, h->ctx, ZINC_MAX_KEY);
	st = zinc_buf_printf(&path, err, "/%.*s", slash ? (int)(slash - key) : 0, key);
	if (st == ZINC_OK)
		st = zinc_consolidate_group(h, zinc_buf_text(&path), false, err);
	zinc_buf_fini(&path);
	return st;
}

zinc_status
zinc_copies_drop(zinc_hierarchy *h, const zinc_fetched *docs, char *const *keys, zinc_error *err)
{
	const bool member = h->format->copies.member != NULL;
	const size_t at = member ? 0 : zinc_documents(h->format, ZINC_PART_COPIES) - 1;
	const zinc_json *metadata;
	zinc_json_doc *doc = NULL;
	bool large;

	if (docs[at].found == ZINC_MISSING)
		return ZINC_OK;
	ZINC_TRY(zinc_fetched_status(&docs[at], keys[at], err));
	if (!member && !can_erase(h))
		return refresh(h, keys[at], err);
	if (!member)
		return zinc_store_del(h->store, NULL, keys[at], NULL, h->put_flags, h->wait, err);
	ZINC_TRY(zinc_copies_find(h, docs, &doc, &metadata, &large, err));
	zinc_json_free(doc);
	return doc || large ? change_key(h, keys[at], NULL, err) : ZINC_OK;
}

zinc_status
zinc_copies_drop_root(zinc_hierarchy *h, zinc_error *err)
{
	zinc_status st;
	zinc_buf key;

	if (h->format->copies.of != ZINC_COPIES_OF_ROOT)
		return ZINC_OK;
	zinc_buf_init(&key, h->ctx, ZINC_MAX_KEY);
	st = zinc_copies_key(h, "/", &key, err);
	if (st == ZINC_OK)
		st = zinc_hierarchy_drop(h, &key, err);
	zinc_buf_fini(&key);
	return st;
}
