/*
 * erase.c - erasing nodes that have a directory each
 *
 * Promises:
 *
 * (1) Documents go before data: whenever erasing stops, no array is left with some of its chunks.
 * (2) Erasing again finishes what was interrupted.
 * (3) Links to nodes are erased, never what they lead to.
 */
#include "format/layout.h"

struct documents {
	const zinc_layout *layout;
	zinc_buf keys; /* each with its NUL */
	uint64_t n, max;
	zinc_status status;
	zinc_error *err;
};

/* Any depth below, and below damaged nodes too: what matters is the name alone. */
static int
collect_document(void *arg, const char *key, uint64_t nbytes)
{
	struct documents *d = arg;

	(void)nbytes;
	if (!zinc_layout_makes(d->layout, zinc_key_name(key)))
		return 0;
	if (d->n++ == d->max)
		d->status = zinc_fail(d->err, ZINC_E_LIMIT, "more than %llu nodes", (unsigned long long)d->max);
	else
		d->status = zinc_buf_add(&d->keys, key, strlen(key) + 1, d->err);
	return d->status != ZINC_OK;
}

/* All under one commit: one wait for the disk, not one for each. */
static zinc_status
erase_keys(zinc_hierarchy *h, const zinc_buf *keys, zinc_error *err)
{
	zinc_put_group *group;
	zinc_status s = ZINC_OK;
	const char *key;
	size_t at;

	if (keys->n == 0)
		return ZINC_OK;
	ZINC_TRY(zinc_store_put_begin(h->store, &group, h->put_flags, err));
	for (at = 0; at < keys->n && s == ZINC_OK; at += strlen(key) + 1) {
		key = (const char *)keys->p + at;
		s = zinc_store_del(h->store, group, key, NULL, h->put_flags, err);
	}
	if (s == ZINC_OK)
		return zinc_store_commit(h->store, group, NULL, NULL, err);
	zinc_store_abort(h->store, group);
	return s;
}

/* The documents of all nodes below, before any of their data. */
static zinc_status
erase_documents(zinc_hierarchy *h, const zinc_layout *l, const char *prefix, zinc_error *err)
{
	struct documents d = {.layout = l, .max = h->ctx->limits.children, .err = err};
	const zinc_lister to = {.key = collect_document, .arg = &d, .own = 1};
	zinc_status s;

	zinc_buf_init(&d.keys, h->ctx, SIZE_MAX);
	s = zinc_store_walk(h->store, prefix, &to, err);
	if (s == ZINC_OK)
		s = d.status;
	if (s == ZINC_OK)
		s = erase_keys(h, &d.keys, err);
	zinc_buf_fini(&d.keys);
	return s;
}

static int
stop_at_first(void *arg, const char *entry, int is_prefix)
{
	(void)entry, (void)is_prefix;
	*(bool *)arg = true;
	return 1;
}

/* A node behind a link has nothing that would be its own. */
static zinc_status
has_own(zinc_hierarchy *h, const char *prefix, bool *own, zinc_error *err)
{
	const zinc_lister to = {.entry = stop_at_first, .arg = own, .own = 1};

	*own = false;
	return zinc_store_walk(h->store, prefix, &to, err);
}

/* What the documents say is there; none, or damaged ones, are NONE. */
static zinc_status
kind_of(zinc_context *ctx, const zinc_layout *l, const zinc_line *line, zinc_node_kind *kind, zinc_error *err)
{
	zinc_meta *m = NULL;
	zinc_error e = ZINC_ERROR_INIT;
	zinc_report r;
	zinc_status s;
	size_t i;

	*kind = ZINC_NODE_NONE;
	if (zinc_layout_missing(l, line->docs))
		return ZINC_OK;
	for (i = 0; i < l->makers; i++)
		ZINC_TRY(zinc_fetched_status(&line->docs[i], line->keys[i], err));
	zinc_report_init_quiet(&r, ctx, false);
	s = l->parse(ctx, line->docs, line->keys, &r, &m, kind, &e);
	zinc_meta_free(m);
	return s == ZINC_E_NOMEM ? zinc_fail_nomem(err) : ZINC_OK;
}

/* The order is promise (1): this document, those below, the data. */
static zinc_status
erase_node(zinc_hierarchy *h, const zinc_layout *l, const char *path, const zinc_line *line, const char *prefix,
	   zinc_error *err)
{
	zinc_node_kind kind;
	bool vacant, own;
	size_t i;

	ZINC_TRY(kind_of(h->ctx, l, line, &kind, err));
	ZINC_TRY(has_own(h, prefix, &own, err));
	for (i = 0; i < l->makers; i++)
		if (own && line->docs[i].found != ZINC_MISSING)
			ZINC_TRY(zinc_store_del(h->store, NULL, line->keys[i], NULL, h->put_flags, err));
	if (zinc_layout_missing(l, line->docs)) {
		ZINC_TRY(zinc_hierarchy_vacant(h, path, &vacant, err));
		if (vacant)
			return zinc_fail(err, ZINC_E_NOTFOUND, "no node is there");
	}
	if (kind != ZINC_NODE_ARRAY) /* an array has none below, but perhaps a million chunks to list */
		ZINC_TRY(erase_documents(h, l, prefix, err));
	return zinc_store_del_prefix(h->store, prefix, h->put_flags, err);
}

static zinc_status
erase_at(zinc_hierarchy *h, const zinc_layout *l, const char *path, const char *prefix, zinc_error *err)
{
	zinc_line line;
	zinc_status s;

	ZINC_TRY(zinc_line_get(&line, h, l, path, ZINC_LINE_SELF, err));
	s = erase_node(h, l, path, &line, prefix, err);
	if (s != ZINC_OK)
		zinc_error_at_key(err, s, line.keys[0]);
	zinc_line_fini(&line);
	return s;
}

zinc_status
zinc_layout_erase(zinc_hierarchy *h, const zinc_layout *l, const char *path, zinc_error *err)
{
	zinc_status s;
	zinc_buf prefix;

	zinc_buf_init(&prefix, h->ctx, SIZE_MAX);
	s = zinc_layout_prefix(h, path, &prefix, err);
	if (s == ZINC_OK && !zinc_buf_text(&prefix))
		s = zinc_fail_nomem(err);
	if (s == ZINC_OK)
		s = h->format->prepare(h, path, false, err);
	if (s == ZINC_OK)
		s = erase_at(h, l, path, zinc_buf_text(&prefix), err);
	if (s == ZINC_OK)
		s = h->format->settle(h, path, err);
	zinc_buf_fini(&prefix);
	return s == ZINC_OK ? s : zinc_error_at_url(err, s, h->url);
}
