/*
 * node.c - existence, kind and listing of nodes; erasing
 *
 * Promises:
 *
 * (1) A node that cannot be used or reached is shown with its problem, never left out.
 * (2) What a callback sees lives during the call only.
 * (3) Errors name keys from the hierarchy's root on, as those of arrays do, and its URL.
 */
#include "node/node.h"

ZINC_OPTIONS_KIND(zinc_erase_options, ZINC_OPTION_YES_NO(zinc_erase_options, force),
		  ZINC_OPTION_YES_NO(zinc_erase_options, replace), ZINC_OPTION_YES_NO(zinc_erase_options, dry_run));

/* ---- showing ---- */

/* Counted in names: children of the base are at depth 1. */
static int
depth_below(const char *path, const char *base)
{
	const char *p = path + (base[1] ? strlen(base) : 0);
	int depth = 0;

	for (; *p; p++)
		depth += *p == '/' && p[1] != '\0';
	return depth;
}

/* A node that this build does not understand has a problem, too, but its metadata can be used. */
static void
set_problem(zinc_node *node, const zinc_found_node *found)
{
	if (found->problem) {
		node->problem = found->problem->text;
		node->problem_code = found->problem->code;
	} else if (found->meta && found->meta->unsupported) {
		node->problem = found->meta->unsupported;
		node->problem_code = ZINC_E_UNSUPPORTED;
	}
}

/* As stored, on one line. */
static zinc_status
attributes_text(const zinc_meta *m, zinc_buf *out, zinc_error *err)
{
	if (m && m->attributes)
		ZINC_TRY(zinc_json_print_line(m->attributes, out, err));
	else
		ZINC_TRY(zinc_buf_puts(out, "{}", err));
	return zinc_buf_text(out) ? ZINC_OK : zinc_fail_nomem(err);
}

zinc_status
zinc_node_show(zinc_hierarchy *h, const zinc_found_node *found, const char *base, zinc_node_fn fn, void *arg, int *stop,
	       zinc_error *err)
{
	zinc_node node = {.size = sizeof node,
			  .kind = found->kind,
			  .path = found->path,
			  .name = strrchr(found->path, '/') + 1,
			  .metadata_key = found->key,
			  .implicit = found->implicit,
			  .hidden = found->hidden,
			  .depth = depth_below(found->path, base)};
	zinc_shown_array array = {.array = NULL, .copy = found->copy};
	zinc_buf attributes;
	zinc_status st;

	zinc_buf_init(&attributes, h->ctx, zinc_max_document(h->ctx));
	set_problem(&node, found);
	st = attributes_text(found->meta, &attributes, err);
	if (st == ZINC_OK && found->meta && found->kind == ZINC_NODE_ARRAY)
		st = zinc_shown_array_init(&array, h, found->path, found->meta, err);
	if (st == ZINC_OK) {
		node.array = array.array ? &array.told : NULL;
		node.attributes = zinc_buf_text(&attributes);
		*stop = fn(arg, &node);
	}
	zinc_shown_array_fini(&array);
	zinc_buf_fini(&attributes);
	return st;
}

/* ---- listing ---- */

struct listing {
	zinc_hierarchy *h;
	const char *base;
	zinc_node_fn fn;
	void *arg;
	zinc_status status;
	zinc_error *err;
};

/* An internal failure ends the listing as a non-zero callback would, and is returned afterwards. */
static int
list_node(void *arg, const zinc_found_node *found)
{
	struct listing *l = arg;
	int stop = 0;

	l->status = zinc_node_show(l->h, found, l->base, l->fn, l->arg, &stop, l->err);
	if (l->status == ZINC_OK)
		l->status = zinc_visit_progress(l->h, 1, 0, l->err);
	return stop != 0 || l->status != ZINC_OK;
}

/* `below` 0: the node alone; > 0: its children; < 0: everything, to `depth`. */
static zinc_status
list(zinc_hierarchy *h, const char *path, bool children, int depth, zinc_node_fn fn, void *arg, zinc_error *err)
{
	struct listing l = {.h = h, .fn = fn, .arg = arg, .err = err};
	zinc_report r;
	zinc_status st;
	char *node;

	ZINC_TRY(zinc_path_normalise(&node, h, path, err));
	l.base = node;
	zinc_report_init(&r, h->ctx, h->strict, h->url);
	r.fallback = h->fallback;
	st = children ? zinc_children(h, node, &r, list_node, &l, err)
		      : zinc_walk(h, node, depth, &r, list_node, &l, err);
	st = zinc_error_at_node(err, st == ZINC_OK ? l.status : st, h, node);
	zinc_free(h->ctx, node);
	return st;
}

zinc_status
zinc_node_stat(zinc_hierarchy *h, const char *path, zinc_node_fn fn, void *arg, const zinc_call_options *call,
	       zinc_error *err)
{
	zinc_visit v;

	ZINC_TRY(ZINC_NEED(fn, err));
	ZINC_TRY(zinc_visit_begin_counted(&v, &h, call, err));
	return list(h, path, false, 0, fn, arg, err);
}

zinc_status
zinc_node_children(zinc_hierarchy *h, const char *path, zinc_node_fn fn, void *arg, const zinc_call_options *call,
		   zinc_error *err)
{
	zinc_visit v;

	ZINC_TRY(ZINC_NEED(fn, err));
	ZINC_TRY(zinc_visit_begin_counted(&v, &h, call, err));
	return list(h, path, true, 1, fn, arg, err);
}

zinc_status
zinc_node_walk(zinc_hierarchy *h, const char *path, int depth, zinc_node_fn fn, void *arg,
	       const zinc_call_options *call, zinc_error *err)
{
	zinc_visit v;

	ZINC_TRY(ZINC_NEED(fn, err));
	ZINC_TRY(zinc_visit_begin_counted(&v, &h, call, err));
	if (depth < 0)
		depth = depth == ZINC_DEPTH_STORED ? ZINC_WALK_STORED : ZINC_WALK_ALL;
	return list(h, path, false, depth, fn, arg, err);
}

/* ---- one node ---- */

/* Metadata of the node at any spelling of its path. */
static zinc_status
read_node(zinc_hierarchy *h, const char *path, zinc_meta **out, zinc_error *err)
{
	zinc_report r;
	zinc_status st;
	char *node;

	ZINC_TRY(zinc_path_normalise(&node, h, path, err));
	zinc_report_init(&r, h->ctx, h->strict, h->url);
	r.fallback = h->fallback;
	st = zinc_error_at_node(err, zinc_read_node(h, node, &r, out, err), h, node);
	zinc_free(h->ctx, node);
	return st;
}

/* A missing node is a result, not a failure. */
zinc_status
zinc_node_exists(zinc_hierarchy *h, const char *path, zinc_node_kind *kind, const zinc_call_options *call,
		 zinc_error *err)
{
	zinc_visit v;
	zinc_meta *m = NULL;
	zinc_error e = ZINC_ERROR_INIT;
	zinc_status st;

	ZINC_TRY(zinc_visit_begin(&v, &h, call, err));
	st = read_node(h, path, &m, &e);
	if (kind)
		*kind = m ? m->kind : ZINC_NODE_NONE;
	zinc_meta_free(m);
	if (st == ZINC_OK || st == ZINC_E_NOTFOUND)
		return ZINC_OK;
	zinc_error_copy(err, &e);
	return st;
}

/* The document under the key that a node of this kind has; formats may have one key for each kind. */
static zinc_status
get_document(zinc_hierarchy *h, const char *path, zinc_node_kind kind, zinc_blob *out, zinc_error *err)
{
	zinc_status st;
	zinc_buf key;

	zinc_buf_init(&key, h->ctx, ZINC_MAX_KEY);
	st = zinc_node_key(h, path, kind, &key, err);
	if (st == ZINC_OK && !zinc_buf_text(&key))
		st = zinc_fail_nomem(err);
	if (st == ZINC_OK) {
		st = zinc_store_get_all(h->store, zinc_buf_text(&key), out, NULL, h->ctx->limits.json_bytes, h->wait,
					err);
		if (st != ZINC_OK)
			zinc_error_at_key(err, st, zinc_buf_text(&key));
	}
	zinc_buf_fini(&key);
	return zinc_error_at_node(err, st, h, path);
}

zinc_status
zinc_node_document(zinc_hierarchy *h, const char *path, zinc_blob *json, const zinc_call_options *call, zinc_error *err)
{
	zinc_visit v;
	zinc_error e = ZINC_ERROR_INIT;
	zinc_status st;
	char *node;

	ZINC_TRY(ZINC_NEED(json, err));
	ZINC_TRY(zinc_visit_begin(&v, &h, call, err));
	ZINC_TRY(zinc_path_normalise(&node, h, path, err));
	st = get_document(h, node, ZINC_NODE_ARRAY, json, &e);
	st = st == ZINC_E_NOTFOUND ? get_document(h, node, ZINC_NODE_GROUP, json, err) : zinc_error_copy(err, &e);
	zinc_free(h->ctx, node);
	return st;
}

zinc_status
zinc_node_erase_with(zinc_hierarchy *h, const char *path, const zinc_erase_options *options, zinc_erase_counts *counts,
		     zinc_error *err)
{
	zinc_erase_counts n = ZINC_ERASE_COUNTS_INIT;
	zinc_erase_options o;
	zinc_visit v;
	zinc_status st;
	char *node;

	ZINC_TRY(zinc_result_check(counts, err));
	ZINC_TRY(zinc_options_take_as(&zinc_erase_options_kind, &o, options, err));
	ZINC_TRY(zinc_visit_begin_counted(&v, &h, o.call, err));
	ZINC_TRY(zinc_path_normalise(&node, h, path, err));
	st = zinc_error_at_node(err, zinc_erase(h, node, &o, &n, err), h, node);
	zinc_result_fill(counts, &n, sizeof n);
	zinc_free(h->ctx, node);
	return st;
}

zinc_status
zinc_node_erase(zinc_hierarchy *h, const char *path, const zinc_call_options *call, zinc_error *err)
{
	return zinc_node_erase_with(h, path, ZINC_ERASE_OPTIONS(.call = call), NULL, err);
}

zinc_status
zinc_consolidate(zinc_hierarchy *h, const char *path, int remove, const zinc_call_options *call, zinc_error *err)
{
	zinc_visit v;
	zinc_node_kind kind;
	zinc_status st;
	char *node;

	if (remove != 0 && remove != 1)
		return zinc_fail(err, ZINC_E_INVALID, "remove cannot be %d", remove);
	ZINC_TRY(zinc_visit_begin_counted(&v, &h, call, err));
	ZINC_TRY(zinc_node_exists(h, path, &kind, NULL, err));
	ZINC_TRY(zinc_path_normalise(&node, h, path, err));
	if (kind == ZINC_NODE_NONE)
		st = zinc_fail(err, ZINC_E_NOTFOUND, "there is no node at this path");
	else if (kind != ZINC_NODE_GROUP)
		st = zinc_fail(err, ZINC_E_INVALID, "only a group can have consolidated metadata");
	else
		st = zinc_consolidate_group(h, node, remove != 0, err);
	zinc_error_at_node(err, st, h, node);
	zinc_free(h->ctx, node);
	return st;
}

static int
pass_over(void *arg, const char *below, const zinc_json *copy)
{
	(void)arg, (void)below, (void)copy;
	return 1;
}

/* Damaged consolidated metadata counts as present. */
static zinc_status
look_for_copies(zinc_hierarchy *h, const char *node, const zinc_meta *m, bool *there, zinc_error *err)
{
	zinc_error e = ZINC_ERROR_INIT;
	const zinc_status st = zinc_copies_each(h, node, m, there, pass_over, NULL, &e);

	return st == ZINC_OK || st == ZINC_E_CORRUPT ? ZINC_OK : zinc_error_copy(err, &e);
}

zinc_status
zinc_consolidated(zinc_hierarchy *h, const char *path, int *has, const zinc_call_options *call, zinc_error *err)
{
	zinc_visit v;
	zinc_meta *m = NULL;
	bool there = false;
	zinc_status st;
	char *node;

	ZINC_TRY(ZINC_NEED(has, err));
	ZINC_TRY(zinc_visit_begin(&v, &h, call, err));
	*has = 0;
	ZINC_TRY(zinc_path_normalise(&node, h, path, err));
	st = read_node(h, node, &m, err);
	if (st == ZINC_OK && m->kind == ZINC_NODE_GROUP)
		st = look_for_copies(h, node, m, &there, err);
	*has = there;
	zinc_meta_free(m);
	zinc_error_at_node(err, st, h, node);
	zinc_free(h->ctx, node);
	return st;
}
