/*
 * draft_above.c - where a draft's new node may not be
 *
 * The drafts let nobody look (20-86), and so others leave such hierarchies behind; Zinc makes none.  Promises:
 *
 * (1) Nothing is made below an array: arrays have no children.
 * (2) No array is made where a group has its document, and no group where an array has.
 * (3) Nothing is made below a group that must not be opened, where a draft has such, and nothing is taken out of it.
 */
#include "format/draft.h"
#include "format/fetch_documents.h"

struct ancestors {
	size_t n;       /* of them */
	size_t narrays; /* keys of arrays, if they are looked for: n */
	size_t nkeys;   /* and where groups may be closed n of groups */
	char **keys;
	zinc_fetched *docs;
};

/* The keys that nodes of this kind would have at the root and at each name of the path but the last. */
static zinc_status
name_keys(const struct ancestors *a, zinc_hierarchy *h, const char *path, zinc_node_kind kind, char **keys, zinc_error *err)
{
	const char *end = path;
	zinc_status s = ZINC_OK;
	zinc_buf above, key;
	size_t i;

	zinc_buf_init(&above, h->ctx, ZINC_MAX_KEY);
	zinc_buf_init(&key, h->ctx, ZINC_MAX_KEY);
	for (i = 0; i < a->n && s == ZINC_OK; i++) {
		zinc_buf_end(&above, 0);
		zinc_buf_end(&key, 0);
		end = i == 0 ? path + 1 : end + (i > 1) + strcspn(end + (i > 1), "/");
		s = zinc_buf_add(&above, path, (size_t)(end - path), err);
		if (s == ZINC_OK)
			s = zinc_buf_text(&above)
				? zinc_node_key(h, zinc_buf_text(&above), kind, &key, err)
				: zinc_fail_nomem(err);
		keys[i] = s == ZINC_OK ? zinc_strndup(h->ctx, (const char *)key.p, key.n) : NULL;
		if (s == ZINC_OK && !keys[i])
			s = zinc_fail_nomem(err);
	}
	zinc_buf_fini(&key);
	zinc_buf_fini(&above);
	return s;
}

/* Promise (3).  What else is wrong with the document is nothing to what is below. */
static zinc_status
check_open(zinc_hierarchy *h, const zinc_fetched *doc, zinc_error *err)
{
	zinc_error e = ZINC_ERROR_INIT;
	zinc_meta *m = NULL;
	zinc_report r;
	zinc_status s;

	zinc_report_init_quiet(&r, h->ctx, false);
	s = zinc_draft_parse_stored(h, doc->text, doc->n, ZINC_NODE_GROUP, &r, &m, &e);
	if (s == ZINC_E_NOMEM)
		return zinc_error_copy(err, &e);
	s = m && m->closed ? zinc_meta_refuse(m, err) : ZINC_OK;
	zinc_meta_free(m);
	return s;
}

static zinc_status
look(const struct ancestors *a, zinc_hierarchy *h, zinc_error *err)
{
	zinc_status s;
	size_t i;

	ZINC_TRY(zinc_fetch(h->store, a->keys, a->nkeys, a->docs, err));
	for (i = 0, s = ZINC_OK; i < a->nkeys && s == ZINC_OK; i++) {
		s = zinc_fetched_status(&a->docs[i], a->keys[i], err);
		if (s != ZINC_OK || a->docs[i].found != ZINC_FOUND)
			continue;
		if (i >= a->narrays)
			s = check_open(h, &a->docs[i], err);
		else
			s = zinc_fail_rule(err, ZINC_E_INVALID, h->format->draft->rules[ZINC_DRAFT_BELOW],
					   "an array is there, and arrays have no children");
		s = zinc_error_at_key(err, s, a->keys[i]);
	}
	zinc_fetched_fini(h->ctx, a->docs, a->nkeys);
	return s;
}

/* Promises (3) and, with `arrays`, (1).  One batched get, whatever the depth. */
static zinc_status
check_nodes(zinc_hierarchy *h, const char *path, bool arrays, zinc_error *err)
{
	const bool groups = h->format->draft->strict_members;
	struct ancestors a = {.n = 0};
	zinc_status s = ZINC_OK;
	const char *p;
	size_t i;

	for (p = path; path[1] && *p; p++)
		a.n += *p == '/';
	a.narrays = arrays ? a.n : 0;
	a.nkeys = a.narrays + (groups ? a.n : 0);
	if (a.nkeys == 0)
		return ZINC_OK;
	a.keys = zinc_calloc(h->ctx, a.nkeys, sizeof *a.keys);
	a.docs = zinc_calloc(h->ctx, a.nkeys, sizeof *a.docs);
	if (!a.keys || !a.docs)
		s = zinc_fail_nomem(err);
	if (s == ZINC_OK && arrays)
		s = name_keys(&a, h, path, ZINC_NODE_ARRAY, a.keys, err);
	if (s == ZINC_OK && groups)
		s = name_keys(&a, h, path, ZINC_NODE_GROUP, a.keys + a.narrays, err);
	if (s == ZINC_OK)
		s = look(&a, h, err);
	for (i = 0; a.keys && i < a.nkeys; i++)
		zinc_free(h->ctx, a.keys[i]);
	zinc_free(h->ctx, a.keys);
	zinc_free(h->ctx, a.docs);
	return s;
}

zinc_status
zinc_draft_check_above(zinc_hierarchy *h, const char *path, zinc_error *err)
{
	zinc_status s = check_nodes(h, path, true, err);

	if (s == ZINC_OK && h->format->fold_case)
		s = zinc_draft_check_case(h, path, err);
	return s == ZINC_OK ? s : zinc_error_at_url(err, s, h->url);
}

zinc_status
zinc_draft_check_open(zinc_hierarchy *h, const char *path, zinc_error *err)
{
	const zinc_status s = check_nodes(h, path, false, err);

	return s == ZINC_OK ? s : zinc_error_at_url(err, s, h->url);
}

/* Promise (2). */
zinc_status
zinc_draft_check_beside(zinc_hierarchy *h, const char *path, zinc_node_kind kind, zinc_error *err)
{
	const zinc_node_kind other = kind == ZINC_NODE_ARRAY ? ZINC_NODE_GROUP : ZINC_NODE_ARRAY;
	zinc_fetched doc;
	char *keys[1];
	zinc_status s;
	zinc_buf key;

	zinc_buf_init(&key, h->ctx, ZINC_MAX_KEY);
	s = zinc_node_key(h, path, other, &key, err);
	keys[0] = s == ZINC_OK ? (char *)(uintptr_t)zinc_buf_text(&key) : NULL;
	if (s == ZINC_OK)
		s = keys[0] ? zinc_fetch(h->store, keys, 1, &doc, err) : zinc_fail_nomem(err);
	if (s == ZINC_OK) {
		s = zinc_fetched_status(&doc, keys[0], err);
		if (s == ZINC_OK && doc.found == ZINC_FOUND)
			s = zinc_error_at_key(err, zinc_fail(err, ZINC_E_EXISTS, "a node is already there"), keys[0]);
		zinc_fetched_fini(h->ctx, &doc, 1);
	}
	zinc_buf_fini(&key);
	return s;
}
