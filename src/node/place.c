/*
 * place.c - check whether a node could be created
 *
 * Promises:
 *
 * (1) It refuses a place exactly when zinc_array_create_url or zinc_group_create_url would, with the same status.
 *     Nothing is written, erased or created.
 */
#include "node/node.h"

/* A document that cannot be used blocks the place, too; an implicit group does not. */
static zinc_status
check_absent(zinc_hierarchy *h, const char *path, zinc_error *err)
{
	zinc_error e = ZINC_ERROR_INIT;
	zinc_meta *m = NULL;
	zinc_report r;
	zinc_status st;
	bool implicit;

	zinc_report_init_quiet(&r, h->ctx, h->strict);
	st = zinc_read_node(h, path, &r, &m, &e);
	implicit = m && m->implicit;
	zinc_meta_free(m);
	if (st == ZINC_E_NOTFOUND || implicit)
		return ZINC_OK;
	if (st == ZINC_OK || st == ZINC_E_CORRUPT || st == ZINC_E_UNSUPPORTED || st == ZINC_E_LIMIT)
		return zinc_fail(err, ZINC_E_EXISTS, "a node already exists at this path");
	return zinc_error_copy(err, &e);
}

/* In the same order as creating does, so that it returns the same status if there are several reasons. */
static zinc_status
check(zinc_hierarchy *h, const char *path, zinc_node_kind kind, int overwrite, zinc_error *err)
{
	bool vacant = true;

	ZINC_TRY(zinc_path_check_new(path, err));
	if (overwrite)
		return zinc_erase_for(h, path, overwrite, true, err);
	if (kind == ZINC_NODE_ARRAY)
		ZINC_TRY(zinc_hierarchy_vacant(h, path, &vacant, err));
	if (!vacant)
		return zinc_fail(err, ZINC_E_EXISTS, "%s is not empty; overwrite it, or choose another path", path);
	ZINC_TRY(zinc_check_above(h, path, err));
	return check_absent(h, path, err);
}

/* `old` is a hierarchy of another format that would be erased. */
static zinc_status
check_either(zinc_hierarchy *h, zinc_hierarchy *old, zinc_node_kind kind, int overwrite, zinc_error *err)
{
	zinc_status st;
	char *path;

	if (old && !overwrite)
		return zinc_error_in(err, zinc_fail(err, ZINC_E_EXISTS, "a node already exists at this path"), old);
	if (old)
		return zinc_erase_for(old, "/", overwrite, true, err);
	ZINC_TRY(zinc_path_normalise(&path, h, zinc_hierarchy_path(h), err));
	st = check(h, path, kind, overwrite, err);
	zinc_free(h->ctx, path);
	return zinc_error_in(err, st, h);
}

zinc_status
zinc_node_check_place(const char *url, zinc_node_kind kind, int overwrite, const zinc_open_options *open,
		      const char **format, zinc_error *err)
{
	zinc_hierarchy *h = NULL, *old = NULL;
	zinc_visit v, v_old;
	zinc_status st;

	ZINC_TRY(ZINC_NEED(url, err));
	ZINC_TRY(zinc_overwrite_check(overwrite, err));
	if (kind != ZINC_NODE_GROUP && kind != ZINC_NODE_ARRAY)
		return zinc_fail(err, ZINC_E_INVALID, "a node is a group or an array");
	ZINC_TRY(zinc_visit_open_new(&v, &h, &old, url, open, err));
	st = zinc_hierarchy_writable(h, err);
	if (st == ZINC_OK)
		st = check_either(zinc_visit_within(&v, h, &v.wait), zinc_visit_within(&v_old, old, &v.wait), kind,
				  overwrite, err);
	if (st == ZINC_OK && format)
		*format = h->format->id;
	zinc_hierarchy_close(old);
	zinc_hierarchy_close(h);
	return st;
}
