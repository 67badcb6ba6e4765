/*
 * group.c - creating groups
 */
#include "node/node.h"

/* The document is built and checked before anything is erased, so that bad attributes erase nothing. */
static zinc_status
create(zinc_hierarchy *h, const char *path, const char *attributes, int overwrite, zinc_error *err)
{
	static const zinc_condition absent = {ZINC_ABSENT, NULL};
	zinc_json_doc *doc;
	zinc_meta *m = NULL;
	zinc_status st;

	ZINC_TRY(zinc_path_check_new(path, err));
	ZINC_TRY(zinc_hierarchy_writable(h, err));
	ZINC_TRY(zinc_document_build_group(&doc, h->ctx, attributes, err));
	st = zinc_meta_from_v3(&m, h, doc, err);
	zinc_json_free(doc);
	ZINC_TRY(st);
	if (overwrite)
		st = zinc_erase_for(h, path, overwrite, false, err);
	if (st == ZINC_OK)
		st = zinc_hierarchy_init(h, err);
	if (st == ZINC_OK)
		st = zinc_write_node(h, path, m, &absent, NULL, err);
	zinc_meta_free(m);
	return st;
}

/* ---- groups that exist by their descendants ---- */

/* Put a document where there is none.  If another writer was faster, its group is as good. */
static zinc_status
make_explicit(zinc_hierarchy *h, const char *path, zinc_error *err)
{
	zinc_error e = ZINC_ERROR_INIT;
	zinc_meta *m = NULL;
	zinc_report r;
	zinc_status st;
	bool there;

	zinc_report_init_quiet(&r, h->ctx, h->strict);
	st = zinc_read_node(h, path, &r, &m, &e);
	there = st == ZINC_OK && !m->implicit;
	zinc_meta_free(m);
	if (there || (st != ZINC_OK && st != ZINC_E_NOTFOUND))
		return zinc_error_copy(err, &e);
	st = create(h, path, NULL, 0, &e);
	return st == ZINC_OK || st == ZINC_E_EXISTS ? ZINC_OK : zinc_error_copy(err, &e);
}

/* Each '/' but the first ends the path of an ancestor. */
static zinc_status
keep_parents(zinc_hierarchy *h, char *path, zinc_error *err)
{
	zinc_status st = path[1] ? make_explicit(h, "/", err) : ZINC_OK;
	char *p;

	for (p = path + 1; *path && *p && st == ZINC_OK; p++) {
		if (*p != '/')
			continue;
		*p = '\0';
		st = make_explicit(h, path, err);
		*p = '/';
	}
	return st;
}

zinc_status
zinc_node_keep_parents(zinc_hierarchy *h, const char *path, const zinc_call_options *call, zinc_error *err)
{
	zinc_visit v;
	zinc_node_kind kind;
	zinc_status st;
	char *node;

	ZINC_TRY(zinc_visit_begin(&v, &h, call, err));
	ZINC_TRY(zinc_node_exists(h, path, &kind, NULL, err));
	if (kind == ZINC_NODE_NONE)
		return zinc_fail(err, ZINC_E_NOTFOUND, "there is no node at this path");
	ZINC_TRY(zinc_path_normalise(&node, h, path, err));
	st = keep_parents(h, node, err);
	zinc_free(h->ctx, node);
	return st;
}

/* ---- making groups ---- */

zinc_status
zinc_group_create(zinc_hierarchy *h, const char *path, const char *attributes, int overwrite,
		  const zinc_call_options *call, zinc_error *err)
{
	zinc_visit v;
	zinc_status st;
	char *node;

	ZINC_TRY(zinc_overwrite_check(overwrite, err));
	ZINC_TRY(zinc_visit_begin(&v, &h, call, err));
	ZINC_TRY(zinc_path_normalise(&node, h, path, err));
	st = create(h, node, attributes, overwrite, err);
	zinc_error_at_node(err, st, h, node);
	zinc_free(h->ctx, node);
	return st;
}

/* A hierarchy of another format is at the place of the group: it is erased only if the group can be created. */
static zinc_status
make_way(zinc_hierarchy *old, zinc_hierarchy *h, const char *attributes, int overwrite, zinc_error *err)
{
	zinc_json_doc *doc;
	zinc_meta *m = NULL;
	zinc_status st;

	if (!overwrite)
		return zinc_error_in(err, zinc_fail(err, ZINC_E_EXISTS, "a node already exists at this path"), old);
	ZINC_TRY(zinc_hierarchy_writable(h, err));
	ZINC_TRY(zinc_document_build_group(&doc, h->ctx, attributes, err));
	st = zinc_meta_from_v3(&m, h, doc, err);
	zinc_json_free(doc);
	zinc_meta_free(m);
	return st == ZINC_OK ? zinc_erase_for(old, "/", overwrite, false, err) : st;
}

/* The search for the root decides which part of the URL is the hierarchy (root.c). */
zinc_status
zinc_group_create_url(const char *url, const char *attributes, int overwrite, const zinc_open_options *open,
		      zinc_error *err)
{
	zinc_hierarchy *h = NULL, *old = NULL, *within;
	zinc_visit v, v_old;
	zinc_status st;

	ZINC_TRY(ZINC_NEED(url, err));
	ZINC_TRY(zinc_overwrite_check(overwrite, err));
	ZINC_TRY(zinc_visit_open_new(&v, &h, &old, url, open, err));
	within = zinc_visit_within(&v, h, &v.wait);
	st = old ? make_way(zinc_visit_within(&v_old, old, &v.wait), within, attributes, overwrite, err) : ZINC_OK;
	if (st == ZINC_OK)
		st = zinc_group_create(within, zinc_hierarchy_path(h), attributes, overwrite, NULL, err);
	zinc_hierarchy_close(old);
	zinc_hierarchy_close(h);
	return st;
}
