/*
 * validate_nodes.c - check every document by the format's own rules, and the tree that they form
 *
 * Documents are fetched and parsed in parallel, in windows; their findings are kept per document and reported in order.
 *
 * A node is identified by its prefix, with the '/' at its end:
 *
 *   ""        zarr.json
 *   "a-b/"    a-b/zarr.json
 *   "a/"      a/zarr.json
 *   "a/b/"    a/b/zarr.json
 *
 * Sorted by these bytes, everything below a node follows it directly.  So only the previous node matters for questions
 * about ancestors, and binary search finds the owner of any key.
 */
#include <stdio.h>
#include <stdlib.h>

#include "tool/copy.h"

#define WINDOW 256

/* ---- which documents there are ---- */

static int
compare_nodes(const void *a, const void *b)
{
	return strcmp(((const zinc_check_node *)a)->prefix, ((const zinc_check_node *)b)->prefix);
}

/* Binary search: the key ends at n bytes, so strcmp cannot compare it; a prefix that continues after them is
 * greater. */
const zinc_check_node *
zinc_check_find(const zinc_check *c, const char *key, size_t n)
{
	size_t low = 0, high = c->nnodes;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		const char *prefix = c->nodes[middle].prefix;
		int order = strncmp(prefix, key, n);

		if (order == 0)
			order = prefix[n] != '\0';
		if (order == 0)
			return &c->nodes[middle];
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

/* The node whose directory contains the key: the longest prefix that has a document.  Never a node above the
 * validated one. */
const zinc_check_node *
zinc_check_owner(const zinc_check *c, const char *key)
{
	size_t n = strlen(key);

	for (;;) {
		const zinc_check_node *node;

		while (n > 0 && key[n - 1] != '/')
			n--;
		node = zinc_check_find(c, key, n);
		if (node || n <= c->base.n)
			return node;
		n--;
	}
}

size_t
zinc_check_below(const zinc_check *c, const char *path)
{
	const size_t n = strlen(path);
	size_t low = 0, high = c->nnodes;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		const char *prefix = c->nodes[middle].prefix;
		const int order = strncmp(prefix, path, n);

		if (order < 0 || (order == 0 && (unsigned char)prefix[n] < '/'))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct gather {
	zinc_check *c;
	zinc_status status;
	zinc_error *err;
};

/* Only the prefix of every document is kept; its content is read again when it is needed. */
static zinc_status
add_node(zinc_check *c, const char *prefix, size_t n, zinc_error *err)
{
	zinc_check_node *nodes;
	size_t room, nbytes;

	if (c->nnodes >= c->ctx->limits.children)
		return zinc_fail(err, ZINC_E_LIMIT, "more than %llu nodes",
				 (unsigned long long)c->ctx->limits.children);
	if (c->nnodes == c->room) {
		room = c->room ? c->room * 2 : 64;
		if (zinc_size_mul(room, sizeof *nodes, &nbytes))
			return zinc_fail_nomem(err);
		nodes = zinc_realloc(c->ctx, c->nodes, nbytes);
		if (!nodes)
			return zinc_fail_nomem(err);
		c->nodes = nodes;
		c->room = room;
	}
	c->nodes[c->nnodes] = (zinc_check_node){.prefix = zinc_strndup(c->ctx, prefix, n)};
	if (!c->nodes[c->nnodes].prefix)
		return zinc_fail_nomem(err);
	c->nnodes++;
	return ZINC_OK;
}

/* validate_objects.c reports them. */
static int
ignore_non_key(void *arg, const zinc_non_key *non_key)
{
	(void)arg, (void)non_key;
	return 0;
}

/* The place of a journal is that of the future node, followed by its name. */
static zinc_status
add_journal(zinc_check *c, zinc_error *err)
{
	const char *place = (const char *)c->place.p, *name = zinc_key_name(place);

	ZINC_TRY(zinc_buf_add(&c->copies, place, (size_t)(name - place), err));
	return zinc_buf_add(&c->copies, "", 1, err);
}

const char *
zinc_check_copied(const zinc_check *c, const char *place)
{
	const char *prefix = NULL;

	while ((prefix = zinc_cp_next(&c->copies, prefix))) {
		const size_t n = strlen(prefix);

		if (n > 0 && strncmp(place, prefix, n) == 0 && !zinc_check_find(c, prefix, n))
			return prefix;
	}
	return NULL;
}

/* The first listing of all keys: documents are kept, the others are counted, so that progress has a total. */
static int
gather_key(void *arg, const char *key, uint64_t nbytes)
{
	struct gather *g = arg;
	zinc_check *c = g->c;
	zinc_key_role role = ZINC_KEY_OTHER;

	(void)nbytes;
	g->status = zinc_check_place(c, key, &role, g->err);
	if (g->status == ZINC_OK && role == ZINC_KEY_NODE)
		g->status = add_node(c, (const char *)c->place.p, c->place.n, g->err);
	if (g->status == ZINC_OK && zinc_cp_trace_of(key) == ZINC_CP_UNFINISHED && c->place.n > 0)
		g->status = add_journal(c, g->err);
	c->keys += role == ZINC_KEY_OTHER || role == ZINC_KEY_FOREIGN;
	if (g->status == ZINC_OK)
		g->status = zinc_check_cancelled(c, g->err);
	return g->status != ZINC_OK;
}

/* The document of the validated node may be outside its prefix. */
static zinc_status
add_self(zinc_check *c, zinc_error *err)
{
	zinc_meta *m = NULL;
	zinc_report r;
	zinc_status st;
	size_t i;

	for (i = 0; i < c->nnodes; i++)
		if (strcmp(c->nodes[i].prefix, (const char *)c->base.p) == 0)
			return ZINC_OK;
	zinc_report_init_quiet(&r, c->ctx, false);
	st = zinc_read_node(c->h, c->h->path, &r, &m, NULL);
	if (st == ZINC_E_NOTFOUND || (m && m->implicit))
		st = ZINC_OK;
	else
		st = add_node(c, (const char *)c->base.p, c->base.n, err);
	zinc_meta_free(m);
	return st;
}

/* Sort the nodes, and keep a node with two documents only once. */
static void
sort_nodes(zinc_check *c)
{
	size_t i, n = 0;

	if (c->nnodes == 0)
		return;
	qsort(c->nodes, c->nnodes, sizeof *c->nodes, compare_nodes);
	for (i = 1; i < c->nnodes; i++)
		if (strcmp(c->nodes[i].prefix, c->nodes[n].prefix) == 0)
			zinc_free(c->ctx, c->nodes[i].prefix);
		else
			c->nodes[++n] = c->nodes[i];
	c->nnodes = n + 1;
}

/* ---- one document ---- */

struct document {
	zinc_check_node *node;
	zinc_kept_list found;
	uint64_t objects; /* of an array's grid */
	bool unchecked;   /* an array without a checksum */
	zinc_status status;
};

/* Receives the findings of a parser. */
struct collector {
	const zinc_check *c;
	zinc_kept_list *list;
	const char *path;
	const zinc_report *r; /* names the key of the document being parsed */
};

static void
collect(void *arg, zinc_severity severity, const char *rule, const char *pointer, const char *message)
{
	const struct collector *to = arg;
	zinc_finding f = {.rule = rule, .path = to->path, .pointer = pointer, .message = message};

	f.key = zinc_check_key(to->c, to->r->where);
	f.level = severity == ZINC_SEVERITY_ERROR     ? ZINC_LEVEL_ERROR
		  : severity == ZINC_SEVERITY_WARNING ? ZINC_LEVEL_WARNING
						      : ZINC_LEVEL_UNSUPPORTED;
	zinc_kept_add(to->list, &f);
}

static int
ignore_copy(void *arg, const char *below, const zinc_json *copy)
{
	(void)arg, (void)below, (void)copy;
	return 1;
}

/* The number of objects in the grid; missing ones are the fill value, which is legal. */
static uint64_t
count_objects(const zinc_meta *m)
{
	uint64_t n = 1;
	int d;

	for (d = 0; m->grid && d < m->ndim; d++) {
		const uint64_t count = zinc_grid_count(m->grid, d, m->shape[d]);

		if (count == 0)
			return 0;
		if (zinc_u64_mul(n, count, &n))
			return UINT64_MAX;
	}
	return m->grid ? n : 0;
}

/* Record the content of a valid document; a group's copies are compared later. */
static void
note(zinc_check *c, struct document *d, const char *path, const zinc_meta *m)
{
	d->node->kind = m->kind;
	d->node->declares = zinc_declares(m->attributes);
	d->unchecked = m->kind == ZINC_NODE_ARRAY && m->chain && !zinc_chain_verifies(m->chain);
	if (m->kind == ZINC_NODE_ARRAY)
		d->objects = count_objects(m);
	else if (zinc_copies_each(c->h, path, m, &d->node->copies, ignore_copy, NULL, NULL) == ZINC_E_NOMEM)
		d->status = ZINC_E_NOMEM;
}

/* If a document is too long for readers because of its consolidated metadata, remove that so that they can read it. */
static zinc_status
read_shortened(zinc_check *c, struct document *d, const char *path, zinc_report *r, zinc_meta **m, zinc_error *err)
{
	zinc_finding f = {.level = ZINC_LEVEL_ERROR, .rule = "consolidated", .path = path, .repaired = 1};

	if (!c->o.repair || zinc_consolidate_group(c->h, path, true, NULL) != ZINC_OK)
		return ZINC_E_LIMIT;
	ZINC_TRY(zinc_read_node(c->h, path, r, m, err));
	f.message = "the document was longer than the limit of readers; its consolidated metadata was removed";
	zinc_kept_add(&d->found, &f);
	return ZINC_OK;
}

/* Readers see no node here either. */
static void
old_listing(struct document *d, const char *path, const char *key)
{
	zinc_finding f = {.level = ZINC_LEVEL_WARNING,
			  .rule = "listing",
			  .path = path,
			  .key = key,
			  .message =
			      "the store lists a document here, but does not have it: the listing is old, or the "
			      "node was just erased",
			  .fix = "validate again"};

	zinc_kept_add(&d->found, &f);
}

/*
 * Read the node; errors become findings.  The report collects all errors, while opening a node for use would stop at
 * the first.  An error that is not in the report is from the store or from the JSON parser.
 */
static void
read_document(zinc_check *c, struct document *d, const char *path, const char *key)
{
	zinc_error e = ZINC_ERROR_INIT;
	zinc_meta *m = NULL;
	zinc_report r;
	struct collector to = {c, &d->found, path, &r};

	zinc_report_init(&r, c->ctx, c->o.strict, key);
	r.found = collect;
	r.arg = &to;
	d->status = zinc_read_node(c->h, path, &r, &m, &e);
	if (d->status == ZINC_E_LIMIT)
		d->status = read_shortened(c, d, path, &r, &m, &e);
	if (d->status == ZINC_E_NOMEM)
		return;
	if (d->status == ZINC_E_NOTFOUND && r.errors == 0 && r.unsupported == 0)
		old_listing(d, path, zinc_check_key(c, key));
	else if (d->status != ZINC_OK && r.errors == 0 && r.unsupported == 0) {
		const bool bad = d->status == ZINC_E_CORRUPT || d->status == ZINC_E_UNSUPPORTED;

		zinc_kept_error(&d->found, c, &e, bad ? "M2" : "read", path, key);
	}
	d->status = ZINC_OK;
	if (m)
		note(c, d, path, m);
	zinc_meta_free(m);
}

/* The key of the node's document. */
static zinc_status
document_key(const zinc_check *c, const char *path, zinc_node_kind kind, zinc_buf *key, zinc_error *err)
{
	zinc_buf_end(key, 0);
	ZINC_TRY(zinc_node_key(c->h, path, kind, key, err));
	return zinc_buf_text(key) ? ZINC_OK : zinc_fail_nomem(err);
}

struct window {
	zinc_check *c;
	struct document *docs;
};

/* Runs in a worker: only lack of memory is a status, because it must end the whole call. */
static void
check_document(void *arg, size_t i, int worker)
{
	const struct window *w = arg;
	struct document *d = &w->docs[i];
	const char *prefix = d->node->prefix;
	zinc_buf path, key;

	(void)worker;
	zinc_buf_init(&path, w->c->ctx, ZINC_MAX_KEY);
	zinc_buf_init(&key, w->c->ctx, ZINC_MAX_KEY);
	d->status = zinc_check_path(&path, prefix, strlen(prefix), NULL);
	if (d->status == ZINC_OK)
		d->status = document_key(w->c, zinc_buf_text(&path), ZINC_NODE_NONE, &key, NULL);
	if (d->status == ZINC_OK)
		read_document(w->c, d, zinc_buf_text(&path), zinc_buf_text(&key));
	zinc_buf_fini(&path);
	zinc_buf_fini(&key);
}

/* ---- the tree ----
 *
 * What a single document cannot show: that its ancestors are groups with documents (M25, M28), and that the names on
 * its path are allowed (M29 to M33).
 */

struct place {
	const char *path, *key;
};

/* Check the names that no earlier node has: from byte `from` of the prefix on. */
static void
check_names(zinc_check *c, const char *prefix, size_t from, const struct place *at)
{
	zinc_finding f = {.level = ZINC_LEVEL_ERROR, .path = at->path, .key = at->key}; /* no listing shows it */
	const char *name;
	size_t n;

	for (name = prefix + from; *name; name += n + 1) {
		zinc_error e = ZINC_ERROR_INIT;
		char text[sizeof e.text];

		n = strcspn(name, "/");
		if (c->h->format->check_name(c->h->format, name, n, &e) == ZINC_OK)
			continue;
		f.rule = e.rule[0] ? e.rule : "M29";
		f.message = zinc_check_message(text, &e);
		zinc_check_found(c, &f);
	}
}

/* A group on the path that has no document (M25): readers accept it, writers must not make it. */
static zinc_status
missing_group(zinc_check *c, const char *prefix, size_t n, zinc_error *err)
{
	zinc_finding f = {.rule = "M25", .message = "a group without a document"};
	zinc_status st;
	zinc_buf path;
	bool late = true;

	if (!c->h->format->bare_groups)
		ZINC_TRY(zinc_check_late(c, prefix, n, &late, err));
	if (late)
		return ZINC_OK;
	zinc_buf_init(&path, c->ctx, ZINC_MAX_KEY);
	st = zinc_check_path(&path, prefix, n, err);
	if (st == ZINC_OK) {
		f.level = c->o.strict ? ZINC_LEVEL_ERROR : ZINC_LEVEL_WARNING;
		f.path = zinc_buf_text(&path);
		f.fix = "zinc create --group writes one";
		zinc_check_found(c, &f);
	}
	zinc_buf_fini(&path);
	return st;
}

/* How many bytes of two prefixes are the same directories? */
static size_t
common(const char *a, const char *b)
{
	size_t i, n = 0;

	for (i = 0; a[i] && a[i] == b[i]; i++)
		if (a[i] == '/')
			n = i + 1;
	return n;
}

/* A node of a draft whose document fits the store, but not its data. */
static zinc_status
check_keys(zinc_check *c, const struct place *at, zinc_error *err)
{
	zinc_error e = ZINC_ERROR_INIT;

	if (!c->h->format->draft || !at->path[1] || zinc_hierarchy_check_keys(c->h, at->path, &e) == ZINC_OK)
		return ZINC_OK;
	if (e.code == ZINC_E_NOMEM)
		return zinc_fail_nomem(err);
	zinc_check_found(
	    c, &(zinc_finding){
		   .level = ZINC_LEVEL_ERROR, .rule = "hidden", .path = at->path, .key = at->key, .message = e.text});
	return ZINC_OK;
}

/* Check that all ancestors of node i are groups.  Ancestors shared with earlier nodes were checked there.  Below an
 * array a missing group is not a second finding: nothing may be there at all. */
static zinc_status
check_ancestors(zinc_check *c, size_t i, const struct place *at, zinc_error *err)
{
	const char *prefix = c->nodes[i].prefix;
	const size_t known = i > 0 ? common(c->nodes[i - 1].prefix, prefix) : 0;
	size_t n = c->base.n;
	bool array = false;

	while (prefix[n]) {
		const zinc_check_node *up = zinc_check_find(c, prefix, n);

		array = array || (up && up->kind == ZINC_NODE_ARRAY);
		if (up && up->kind == ZINC_NODE_ARRAY)
			zinc_check_found(
			    c, &(zinc_finding){.level = ZINC_LEVEL_ERROR,
					       .rule = "M28",
					       .path = at->path,
					       .key = at->key,
					       .message = "a node below an array, which can have no children"});
		if (!up && !array && (i == 0 || n > known))
			ZINC_TRY(missing_group(c, prefix, n, err));
		n += strcspn(prefix + n, "/") + 1;
	}
	check_names(c, prefix, known > c->base.n ? known : c->base.n, at);
	ZINC_TRY(check_keys(c, at, err));
	return ZINC_OK;
}

static void
count_document(zinc_check *c, const struct document *d)
{
	c->n.groups += d->node->kind == ZINC_NODE_GROUP;
	c->n.arrays += d->node->kind == ZINC_NODE_ARRAY;
	c->n.unchecked += d->unchecked;
	if (zinc_u64_add(c->n.missing, d->objects, &c->n.missing))
		c->n.missing = UINT64_MAX;
}

/* Reported in order of paths, like the findings. */
static zinc_status
report_unchecked(zinc_check *c, const struct document *d, zinc_error *err)
{
	const char *prefix = d->node->prefix;
	zinc_status st;
	zinc_buf path;

	if (!d->unchecked || !c->o.unchecked || c->stopped)
		return ZINC_OK;
	zinc_buf_init(&path, c->ctx, ZINC_MAX_KEY);
	st = zinc_check_path(&path, prefix, strlen(prefix), err);
	if (st == ZINC_OK)
		c->stopped = c->o.unchecked(c->arg, zinc_buf_text(&path)) != 0;
	zinc_buf_fini(&path);
	return st;
}

/* ---- all documents ---- */

static zinc_status
finish_document(zinc_check *c, struct document *d, zinc_error *err)
{
	count_document(c, d);
	if (d->status != ZINC_OK)
		return zinc_fail_nomem(err);
	ZINC_TRY(zinc_check_report_kept(c, &d->found, err));
	return report_unchecked(c, d, err);
}

/* A window limits how many documents' findings are in memory. */
static zinc_status
check_window(zinc_check *c, struct document *docs, size_t at, size_t n, zinc_error *err)
{
	struct window w = {c, docs};
	zinc_status st = ZINC_OK;
	size_t i;

	for (i = 0; i < n; i++)
		docs[i] = (struct document){.node = &c->nodes[at + i], .found = {.ctx = c->ctx}};
	zinc_pool_run(c->ctx, c->threads, n, check_document, &w);
	for (i = 0; i < n; i++) {
		if (st == ZINC_OK)
			st = finish_document(c, &docs[i], err);
		zinc_kept_free(&docs[i].found);
	}
	return st == ZINC_OK ? zinc_check_cancelled(c, err) : st;
}

static zinc_status
check_tree(zinc_check *c, zinc_error *err)
{
	zinc_status st = ZINC_OK;
	zinc_buf path, key;
	size_t i;

	zinc_buf_init(&path, c->ctx, ZINC_MAX_KEY);
	zinc_buf_init(&key, c->ctx, ZINC_MAX_KEY);
	for (i = 0; i < c->nnodes && st == ZINC_OK && !c->stopped; i++) {
		const char *prefix = c->nodes[i].prefix;
		const size_t before = c->nnodes;

		st = zinc_check_path(&path, prefix, strlen(prefix), err);
		if (st == ZINC_OK)
			st = document_key(c, zinc_buf_text(&path), c->nodes[i].kind, &key, err);
		if (st == ZINC_OK) {
			const struct place at = {zinc_buf_text(&path), zinc_check_key(c, zinc_buf_text(&key))};

			st = check_ancestors(c, i, &at, err);
			i += c->nnodes - before; /* ancestors that no listing showed precede it */
		}
	}
	zinc_buf_fini(&path);
	zinc_buf_fini(&key);
	return st;
}

zinc_status
zinc_check_nodes(zinc_check *c, zinc_error *err)
{
	struct gather g = {.c = c, .err = err};
	zinc_status st = ZINC_OK;
	struct document *docs;
	size_t at;

	ZINC_TRY(zinc_check_list(c, gather_key, ignore_non_key, &g, err));
	ZINC_TRY(g.status);
	ZINC_TRY(add_self(c, err));
	sort_nodes(c);
	docs = zinc_calloc(c->ctx, WINDOW, sizeof *docs);
	if (!docs)
		return zinc_fail_nomem(err);
	for (at = 0; at < c->nnodes && st == ZINC_OK && !c->stopped; at += WINDOW)
		st = check_window(c, docs, at, c->nnodes - at < WINDOW ? c->nnodes - at : WINDOW, err);
	zinc_free(c->ctx, docs);
	return st == ZINC_OK && !c->stopped ? check_tree(c, err) : st;
}

/* ---- what the listing did not show ---- */

static zinc_status
add_late(zinc_check *c, const char *key, size_t n, zinc_error *err)
{
	struct document doc;

	ZINC_TRY(add_node(c, key, n, err));
	sort_nodes(c);
	return check_window(c, &doc, (size_t)(zinc_check_find(c, key, n) - c->nodes), 1, err);
}

zinc_status
zinc_check_late(zinc_check *c, const char *key, size_t n, bool *found, zinc_error *err)
{
	zinc_error e = ZINC_ERROR_INIT;
	zinc_meta *m = NULL;
	zinc_report r;
	zinc_status st;
	zinc_buf path;

	*found = false;
	zinc_report_init_quiet(&r, c->ctx, false);
	zinc_buf_init(&path, c->ctx, ZINC_MAX_KEY);
	st = zinc_check_path(&path, key, n, err);
	if (st == ZINC_OK) {
		st = zinc_read_node(c->h, zinc_buf_text(&path), &r, &m, &e);
		*found = st != ZINC_E_NOTFOUND && !(m && m->implicit);
		st = st == ZINC_E_NOMEM || st == ZINC_E_CANCELLED ? zinc_error_copy(err, &e) : ZINC_OK;
	}
	zinc_meta_free(m);
	zinc_buf_fini(&path);
	return st == ZINC_OK && *found ? add_late(c, key, n, err) : st;
}
