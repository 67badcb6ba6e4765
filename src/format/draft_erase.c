/*
 * draft_erase.c - erasing nodes of a draft
 *
 * Promises:
 *
 * (1) Documents go before data: whenever erasing stops, no array is left with some of its chunks.
 * (2) Erasing again finishes what was interrupted.
 * (3) A group's document goes even where the group seems to have none: a store may have made one of its own accord.
 * (4) Erasing the root erases the hierarchy, the entry point last: until then it can be erased again.
 */
#include "format/draft.h"

struct vacancy {
	zinc_store *store;
	bool vacant;
};

static int
stop_at_first(void *arg, const char *entry, int is_prefix)
{
	(void)entry, (void)is_prefix;
	*(bool *)arg = false;
	return 1;
}

static zinc_status
look_below(void *arg, const char *prefix, zinc_error *err)
{
	struct vacancy *look = arg;

	return look->vacant ? zinc_store_list_dir(look->store, prefix, stop_at_first, &look->vacant, err) : ZINC_OK;
}

zinc_status
zinc_draft_erase_key(zinc_hierarchy *h, zinc_buf *key, bool *was, zinc_error *err)
{
	zinc_status s = ZINC_OK;
	zinc_fetched doc;
	char *text;

	if (!zinc_buf_text(key))
		return zinc_fail_nomem(err);
	text = (char *)key->p;
	ZINC_TRY(zinc_fetch(h->store, &text, 1, &doc, err));
	if (doc.found != ZINC_MISSING) {
		*was = true;
		s = zinc_store_del(h->store, NULL, text, NULL, h->put_flags, err);
	}
	zinc_fetched_fini(h->ctx, &doc, 1);
	return s;
}

/* Erase a document; *was is set when it was there. */
static zinc_status
erase_document(zinc_hierarchy *h, const char *path, zinc_node_kind kind, bool *was, zinc_error *err)
{
	zinc_status s;
	zinc_buf key;

	zinc_buf_init(&key, h->ctx, SIZE_MAX);
	s = zinc_draft_key(h, path, kind, &key, err);
	if (s == ZINC_OK)
		s = zinc_draft_erase_key(h, &key, was, err);
	zinc_buf_fini(&key);
	return s;
}

static zinc_status
erase_prefix(void *arg, const char *prefix, zinc_error *err)
{
	zinc_hierarchy *h = arg;

	return zinc_store_del_prefix(h->store, prefix, h->put_flags, err);
}

/* Promise (4). */
static zinc_status
erase_entry(zinc_hierarchy *h, zinc_error *err)
{
	zinc_status s;
	zinc_buf key;

	zinc_buf_init(&key, h->ctx, SIZE_MAX);
	s = zinc_buf_printf(&key, err, "%szarr.json", h->prefix);
	if (s == ZINC_OK)
		s = zinc_buf_text(&key) ? zinc_store_del(h->store, NULL, zinc_buf_text(&key), NULL, h->put_flags, err)
					: zinc_fail_nomem(err);
	zinc_buf_fini(&key);
	if (s == ZINC_OK)
		atomic_store(&h->entry->stored, false);
	return s;
}

/* The prefixes come in the order that promise (1) needs: documents, data. */
static zinc_status
erase(zinc_hierarchy *h, const char *path, zinc_error *err)
{
	struct vacancy look = {h->store, true};
	bool was = path[1] == '\0' && atomic_load(&h->entry->stored);

	ZINC_TRY(zinc_draft_prepare(h, path, false, err));
	ZINC_TRY(erase_document(h, path, ZINC_NODE_ARRAY, &was, err));
	ZINC_TRY(erase_document(h, path, ZINC_NODE_GROUP, &was, err));
	if (!was)
		ZINC_TRY(zinc_draft_prefixes(h, path, look_below, &look, err));
	if (!was && look.vacant) {
		zinc_fail(err, ZINC_E_NOTFOUND, "no node is there");
		return zinc_error_at_key(err, ZINC_E_NOTFOUND, path[1] ? path + 1 : "");
	}
	ZINC_TRY(zinc_draft_prefixes(h, path, erase_prefix, h, err));
	return path[1] ? zinc_draft_settle(h, path, err) : erase_entry(h, err);
}

zinc_status
zinc_draft_erase(zinc_hierarchy *h, const char *path, zinc_error *err)
{
	const zinc_status s = erase(h, path, err);

	return s == ZINC_OK ? s : zinc_error_at_url(err, s, h->url);
}
