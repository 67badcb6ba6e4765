/*
 * diff.c - compare two nodes and everything below them, node by node
 *
 * Both trees are listed and sorted in the same way, then walked side by side as in a merge sort.  Promises
 * (tests/unit/test_tool_diff.c names each by its number):
 *
 * (1) What a copy keeps is equal; anything else is a difference, whatever the formats.
 * (2) For a subtree that only one side has, or two nodes of different kinds, one difference is reported and nothing
 *     below.
 * (3) The result is the same for any number of threads.
 * (4) A document that is damaged, or could not be read, is a failure: it must not count as equal.
 * (5) What is hidden (its name, a link, the kind of file), node or stored object, is reported as a separate difference.
 */
#include <stdio.h>
#include <stdlib.h>

#include "tool/diff.h"

ZINC_OPTIONS_KIND(zinc_diff_options, ZINC_OPTION_COUNT(zinc_diff_options, threads),
		  ZINC_OPTION_YES_NO(zinc_diff_options, storage), ZINC_OPTION_REAL(zinc_diff_options, rtol),
		  ZINC_OPTION_REAL(zinc_diff_options, atol));

/* ---- listing ---- */

struct entry {
	char *path; /* below the base, "" or "/x" */
	zinc_node_kind kind;
};

struct listing {
	zinc_context *ctx;
	zinc_cmp *c;
	const char *base;
	struct entry *at;
	size_t n, room;
	zinc_status status;
	zinc_error *err;
};

static void
report_hidden(zinc_cmp *c, const char *path, const char *what, const char *why)
{
	const zinc_difference d = {.kind = ZINC_DIFFERS_HIDDEN, .path = path, .what = what, .a = why, .b = ""};

	zinc_cmp_found(c, &d);
}

static zinc_status
add_entry(struct listing *l, const zinc_found_node *node)
{
	const char *below = node->path + (l->base[1] ? strlen(l->base) : 0);
	struct entry *more;
	size_t nbytes;

	if (node->hidden) {
		report_hidden(l->c, below, "node", node->problem->text);
		return ZINC_OK;
	}
	if (node->problem && node->problem->code != ZINC_E_UNSUPPORTED)
		return zinc_error_by(l->err,
				     zinc_fail(l->err, node->problem->code, "%s: %s", node->path, node->problem->text),
				     node->problem);
	if (l->n == l->room) {
		const size_t room = l->room ? 2 * l->room : 64;

		if (zinc_size_mul(room, sizeof *more, &nbytes) || !(more = zinc_realloc(l->ctx, l->at, nbytes)))
			return zinc_fail_nomem(l->err);
		l->at = more;
		l->room = room;
	}
	l->at[l->n] = (struct entry){zinc_strdup(l->ctx, strcmp(below, "/") == 0 ? "" : below), node->kind};
	if (!l->at[l->n].path)
		return zinc_fail_nomem(l->err);
	l->n++;
	return ZINC_OK;
}

static int
list_node(void *arg, const zinc_found_node *node)
{
	struct listing *l = arg;

	l->status = add_entry(l, node);
	return l->status != ZINC_OK;
}

/* By bytes, with '/' before all others: what is below a node follows it directly. */
static int
order(const char *a, const char *b)
{
	while (*a && *a == *b)
		a++, b++;
	if (*a == *b)
		return 0;
	if (*a == '/' || *b == '/')
		return !*a || (*b && *a == '/') ? -1 : 1;
	return (unsigned char)*a < (unsigned char)*b ? -1 : 1;
}

static int
by_path(const void *a, const void *b)
{
	return order(((const struct entry *)a)->path, ((const struct entry *)b)->path);
}

/* With a selection only elements are compared, so not every key is listed. */
static zinc_status
list(zinc_cmp *c, int side, struct listing *l, zinc_error *err)
{
	zinc_hierarchy *h = c->h[side];
	zinc_report r;
	zinc_status st;

	*l = (struct listing){.ctx = c->ctx, .c = c, .base = c->base[side], .err = err};
	zinc_report_init(&r, h->ctx, h->strict, h->url);
	r.fallback = h->fallback;
	st = c->o.select ? zinc_walk(h, l->base, ZINC_WALK_ALL, &r, list_node, l, err)
			 : zinc_walk_thorough(h, l->base, &r, list_node, l, err);
	ZINC_TRY(zinc_error_in(err, st == ZINC_OK ? l->status : st, h));
	if (l->n == 0)
		return zinc_fail(err, ZINC_E_NOTFOUND, "there is no node at this path");
	qsort(l->at, l->n, sizeof *l->at, by_path);
	return ZINC_OK;
}

static void
listing_free(struct listing *l)
{
	while (l->n > 0)
		zinc_free(l->ctx, l->at[--l->n].path);
	zinc_free(l->ctx, l->at);
}

/* ---- reporting ---- */

void
zinc_cmp_found(zinc_cmp *c, const zinc_difference *difference)
{
	zinc_difference d = *difference;

	d.size = sizeof d;
	if (d.kind == ZINC_DIFFERS_UNKNOWN)
		c->n.unknown++;
	else
		c->n.differences++;
	if (c->fn && !c->stopped && c->fn(c->arg, &d))
		c->stopped = true;
}

zinc_status
zinc_cmp_differ(zinc_cmp *c, zinc_difference_kind kind, const char *path, const char *what, const zinc_json *a,
		const zinc_json *b, zinc_error *err)
{
	zinc_difference d = {.kind = kind, .path = path, .what = what};
	zinc_status st = ZINC_OK;
	zinc_buf text[2];

	zinc_buf_init(&text[0], c->ctx, zinc_max_text(c->ctx));
	zinc_buf_init(&text[1], c->ctx, zinc_max_text(c->ctx));
	if (a)
		st = zinc_json_print_line(a, &text[0], err);
	if (st == ZINC_OK && b)
		st = zinc_json_print_line(b, &text[1], err);
	d.a = zinc_buf_text(&text[0]);
	d.b = zinc_buf_text(&text[1]);
	if (st == ZINC_OK && !(d.a && d.b))
		st = zinc_fail_nomem(err);
	if (st == ZINC_OK)
		zinc_cmp_found(c, &d);
	zinc_buf_fini(&text[0]);
	zinc_buf_fini(&text[1]);
	return st;
}

static void
differ_in_kind(zinc_cmp *c, const char *path, zinc_node_kind a, zinc_node_kind b)
{
	static const char *const names[] = {"", "\"group\"", "\"array\""};
	zinc_difference d = {.kind = ZINC_DIFFERS_TREE, .path = *path ? path : "/", .what = "node"};

	d.a = names[a];
	d.b = names[b];
	zinc_cmp_found(c, &d);
}

/* ---- one pair ---- */

static zinc_status
load_side(zinc_cmp *c, zinc_cmp_pair *p, int side, zinc_error *err)
{
	const char *base = c->base[side][1] ? c->base[side] : "";
	zinc_error e = ZINC_ERROR_INIT;
	zinc_report r;
	zinc_status st;
	zinc_buf full;

	zinc_buf_init(&full, c->ctx, ZINC_MAX_KEY);
	st = zinc_buf_printf(&full, err, "%s%s", base, p->path[1] ? p->path : "");
	if (st == ZINC_OK && full.n == 0)
		st = zinc_buf_puts(&full, "/", err);
	if (st == ZINC_OK) {
		p->full[side] = zinc_buf_text(&full) ? zinc_strdup(c->ctx, zinc_buf_text(&full)) : NULL;
		st = p->full[side] ? ZINC_OK : zinc_fail_nomem(err);
	}
	zinc_buf_fini(&full);
	ZINC_TRY(st);
	zinc_report_init_quiet(&r, c->ctx, c->h[side]->strict);
	st = zinc_read_node(c->h[side], p->full[side], &r, &p->meta[side], &e);
	/* it was listed: a group that only has children */
	return st == ZINC_E_NOTFOUND ? ZINC_OK : zinc_error_copy(err, &e);
}

/* A group has no elements, but if this build does not understand it, its meaning is unknown. */
static void
report_unknown_group(zinc_cmp *c, const zinc_cmp_pair *p)
{
	zinc_difference unknown = {.kind = ZINC_DIFFERS_UNKNOWN, .path = p->path, .what = "group", .b = ""};
	int side;

	for (side = 0; side < 2 && !unknown.a; side++)
		unknown.a = p->meta[side] ? p->meta[side]->unsupported : NULL;
	if (unknown.a)
		zinc_cmp_found(c, &unknown);
}

struct search {
	zinc_cmp *c;
	const zinc_cmp_pair *p;
	int side;
	size_t nprefix;
	bool found;
};

static int
ignore_key(void *arg, const char *key, uint64_t nbytes)
{
	(void)arg, (void)key, (void)nbytes;
	return 0;
}

static int
report_non_key(void *arg, const zinc_non_key *non_key)
{
	struct search *h = arg;
	char what[512], shown[400];

	if (!zinc_meta_reads(h->p->meta[h->side], non_key->key + h->nprefix, non_key))
		return 0;
	h->found = true;
	zinc_show(shown, sizeof shown, non_key->key + strlen(h->c->h[h->side]->prefix));
	snprintf(what, sizeof what, "object %s", shown);
	report_hidden(h->c, h->p->path, what, non_key->why);
	return h->c->stopped;
}

/* A read failed: is something hidden among the objects of either array?  Listed only now, because it is rare. */
static zinc_status
find_hidden(zinc_cmp *c, const zinc_cmp_pair *p, bool *found, zinc_error *err)
{
	struct search h = {.c = c, .p = p};
	const zinc_lister to = {.size = sizeof to, .key = ignore_key, .non_key = report_non_key, .arg = &h};
	zinc_status st = ZINC_OK;
	zinc_buf prefix;
	zinc_caps caps = ZINC_CAPS_INIT;

	for (; h.side < 2 && st == ZINC_OK; h.side++) {
		zinc_store_caps(c->h[h.side]->store, &caps);
		if (!(caps.flags & ZINC_CAP_LIST) || (caps.flags & ZINC_CAP_REMOTE))
			continue;
		zinc_buf_init(&prefix, c->ctx, ZINC_MAX_KEY);
		st = zinc_data_prefix(c->h[h.side], p->full[h.side], &prefix, err);
		h.nprefix = prefix.n;
		if (st == ZINC_OK)
			st = zinc_buf_text(&prefix) ? zinc_store_walk(c->h[h.side]->store, zinc_buf_text(&prefix), &to,
								      c->h[h.side]->wait, err)
						    : zinc_fail_nomem(err);
		zinc_buf_fini(&prefix);
	}
	*found = h.found;
	return st;
}

static zinc_status
compare_values(zinc_cmp *c, const zinc_cmp_pair *p, bool same_type, zinc_error *err)
{
	zinc_error e = ZINC_ERROR_INIT;
	zinc_status st = zinc_cmp_values(c, p, same_type, &e);
	bool found = false;

	if (st == ZINC_E_IO)
		ZINC_TRY(find_hidden(c, p, &found, err));
	return st == ZINC_OK || found ? ZINC_OK : zinc_error_copy(err, &e);
}

static zinc_status
compare_loaded(zinc_cmp *c, const zinc_cmp_pair *p, zinc_node_kind kind, zinc_error *err)
{
	bool same_shape = false, same_type = false;

	ZINC_TRY(zinc_cmp_meta(c, p, &same_shape, &same_type, err));
	if (kind == ZINC_NODE_GROUP)
		report_unknown_group(c, p);
	if (kind != ZINC_NODE_ARRAY || !p->meta[0] || !p->meta[1])
		return ZINC_OK;
	if (c->o.storage)
		ZINC_TRY(zinc_cmp_storage(c, p, err));
	return same_shape && !c->stopped ? compare_values(c, p, same_type, err) : ZINC_OK;
}

static zinc_status
compare_pair(zinc_cmp *c, const char *path, zinc_node_kind kind, zinc_error *err)
{
	zinc_cmp_pair p = {.path = *path ? path : "/"};
	zinc_status st = ZINC_OK;
	int side;

	c->n.nodes++;
	for (side = 0; side < 2 && st == ZINC_OK; side++)
		st = load_side(c, &p, side, err);
	if (st == ZINC_OK)
		st = compare_loaded(c, &p, kind, err);
	for (side = 0; side < 2; side++) {
		zinc_free(c->ctx, p.full[side]);
		zinc_meta_free(p.meta[side]);
	}
	return st;
}

/* ---- the trees ---- */

/* The number of entries from `at` on that are the first one or below it. */
static size_t
subtree(const struct listing *l, size_t at)
{
	const size_t n = strlen(l->at[at].path);
	size_t i = at + 1;

	while (i < l->n && strncmp(l->at[i].path, l->at[at].path, n) == 0 && l->at[i].path[n] == '/')
		i++;
	return i - at;
}

static zinc_status
walk(zinc_cmp *c, const struct listing *a, const struct listing *b, zinc_error *err)
{
	size_t i = 0, k = 0;

	while ((i < a->n || k < b->n) && !c->stopped) {
		const int which = i == a->n ? 1 : k == b->n ? -1 : order(a->at[i].path, b->at[k].path);

		ZINC_TRY(zinc_wait_check(&c->wait, err));
		if (which < 0) {
			differ_in_kind(c, a->at[i].path, a->at[i].kind, ZINC_NODE_NONE);
			i += subtree(a, i);
		} else if (which > 0) {
			differ_in_kind(c, b->at[k].path, ZINC_NODE_NONE, b->at[k].kind);
			k += subtree(b, k);
		} else if (a->at[i].kind != b->at[k].kind) {
			differ_in_kind(c, a->at[i].path, a->at[i].kind, b->at[k].kind);
			i += subtree(a, i);
			k += subtree(b, k);
		} else {
			ZINC_TRY(compare_pair(c, a->at[i].path, a->at[i].kind, err));
			i++, k++;
		}
	}
	return ZINC_OK;
}

static zinc_status
run(zinc_cmp *c, zinc_error *err)
{
	struct listing l[2] = {{.ctx = c->ctx}, {.ctx = c->ctx}};
	zinc_status st = list(c, 0, &l[0], err);

	if (st == ZINC_OK)
		st = list(c, 1, &l[1], err);
	if (st == ZINC_OK && c->o.select && (l[0].at[0].kind != ZINC_NODE_ARRAY || l[1].at[0].kind != ZINC_NODE_ARRAY))
		st = zinc_fail(err, ZINC_E_INVALID, "a selection needs two arrays, not groups");
	if (st == ZINC_OK)
		st = walk(c, &l[0], &l[1], err);
	listing_free(&l[0]);
	listing_free(&l[1]);
	return st;
}

zinc_status
zinc_diff(zinc_hierarchy *a, const char *path_a, zinc_hierarchy *b, const char *path_b,
	  const zinc_diff_options *options, zinc_difference_fn fn, void *arg, zinc_diff_counts *counts, zinc_error *err)
{
	zinc_cmp c = {.fn = fn, .arg = arg};
	zinc_visit v[2];
	zinc_status st;

	ZINC_TRY(ZINC_NEED(a && b, err));
	ZINC_TRY(zinc_result_check(counts, err));
	ZINC_TRY(zinc_options_take_as(&zinc_diff_options_kind, &c.o, options, err));
	ZINC_TRY(zinc_call_options_take(&c.call, c.o.call, err));
	ZINC_TRY(zinc_wait_begin(&c.wait, c.o.call, err));
	c.h[0] = a = zinc_visit_within(&v[0], a, &c.wait);
	c.h[1] = b = zinc_visit_within(&v[1], b, &c.wait);
	c.ctx = a->ctx;
	c.threads = c.o.threads > 0 && c.o.threads < c.ctx->threads ? c.o.threads : c.ctx->threads;
	st = zinc_path_normalise(&c.base[0], a, path_a ? path_a : "/", err);
	if (st == ZINC_OK)
		st = zinc_path_normalise(&c.base[1], b, path_b ? path_b : "/", err);
	if (st == ZINC_OK)
		st = run(&c, err);
	zinc_result_fill(counts, &c.n, sizeof c.n);
	zinc_free(a->ctx, c.base[0]);
	zinc_free(b->ctx, c.base[1]);
	return st;
}
