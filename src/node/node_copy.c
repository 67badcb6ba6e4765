/*
 * node_copy.c - a node and everything below it, byte for byte
 *
 * Promises:
 *
 * (1) The target appears last: all data first, then the documents below, deepest first, then the node's
 *     own, which must not be there yet.
 * (2) Nothing is overwritten: any key below the target is E_EXISTS, because leftovers of another array would
 *     appear in place of missing chunks.
 * (3) A copy that fails erases what it has put.
 *
 * Callers must avoid two copies to one target at the same time: one of them fails, but their data are mixed.
 */
#include <stdlib.h>
#include <zinc/tool.h>

#include "node/node.h"

#define TAKE_BACK_SECONDS 10.0

struct pair {
	const char *from, *to; /* keys */
	size_t depth;
};

struct copy {
	zinc_hierarchy *from, *to;
	bool implicit;                       /* the node has no document of its own */
	zinc_buf from_key, to_key;           /* of the node's own document */
	zinc_buf from_prefixes, to_prefixes; /* each with its NUL */
	zinc_buf pool;                       /* keys of the pairs: from, NUL, to, NUL */
	zinc_buf place;                      /* of a key, not used */
	struct pair *pairs;                  /* data, then documents; without the node's own document */
	size_t n, ndata, done;
	const char *from_prefix, *to_prefix; /* under the listing */
	zinc_status status;
	zinc_error *err;
};

/* ---- which keys ---- */

static zinc_status
add_prefix(void *arg, const char *prefix, zinc_error *err)
{
	return zinc_buf_add(arg, prefix, strlen(prefix) + 1, err);
}

/* The same key below the other prefix. */
static zinc_status
add_pair(struct copy *c, const char *key)
{
	const char *rest = key + strlen(c->from_prefix);

	if (c->n == c->from->ctx->limits.children)
		return zinc_fail(c->err, ZINC_E_LIMIT, "more than %zu keys", c->n);
	c->n++;
	ZINC_TRY(zinc_buf_add(&c->pool, key, strlen(key) + 1, c->err));
	ZINC_TRY(zinc_buf_puts(&c->pool, c->to_prefix, c->err));
	return zinc_buf_add(&c->pool, rest, strlen(rest) + 1, c->err);
}

/* The node's own document is left for the very end. */
static int
collect_key(void *arg, const char *key, uint64_t nbytes)
{
	struct copy *c = arg;

	(void)nbytes;
	if (strcmp(key, (const char *)c->from_key.p) != 0)
		c->status = add_pair(c, key);
	return c->status != ZINC_OK;
}

/* An incomplete copy is refused, whoever the entry belongs to.  A plain directory belongs to no node. */
static int
refuse_non_key(void *arg, const zinc_non_key *non_key)
{
	struct copy *c = arg;

	if (non_key->kind == ZINC_NON_KEY_DIR ||
	    (non_key->kind == ZINC_NON_KEY_NAME && !zinc_non_key_may_hide_node(c->from, non_key)))
		return 0;
	c->status = zinc_fail(c->err, ZINC_E_IO, "cannot be copied: %s", non_key->why);
	zinc_error_at_key(c->err, c->status, non_key->key);
	return 1;
}

/* List below all prefixes of the source.  The target has as many, because it has the same format. */
static zinc_status
collect_keys(struct copy *c)
{
	const zinc_lister to = {.size = sizeof to, .key = collect_key, .non_key = refuse_non_key, .arg = c};
	const char *end = (const char *)c->from_prefixes.p + c->from_prefixes.n;

	c->from_prefix = (const char *)c->from_prefixes.p;
	c->to_prefix = (const char *)c->to_prefixes.p;
	while (c->from_prefix < end) {
		ZINC_TRY(zinc_store_walk(c->from->store, c->from_prefix, &to, c->from->wait, c->err));
		ZINC_TRY(c->status);
		c->from_prefix += strlen(c->from_prefix) + 1;
		c->to_prefix += strlen(c->to_prefix) + 1;
	}
	return ZINC_OK;
}

/* Data have depth SIZE_MAX, so they come first. */
static int
deepest_first(const void *a, const void *b)
{
	const size_t x = ((const struct pair *)a)->depth, y = ((const struct pair *)b)->depth;

	return (x < y) - (x > y);
}

/* Is it the key of a document that makes a node?  Everything else, attributes included, is put before it. */
static zinc_status
is_document(struct copy *c, const char *key, bool *yes)
{
	zinc_key_role role;

	zinc_buf_end(&c->place, 0);
	ZINC_TRY(c->from->format->place(c->from, key + strlen(c->from->prefix), &role, &c->place, c->err));
	*yes = role == ZINC_KEY_NODE;
	return ZINC_OK;
}

/* Parents after their children, so that no document appears before its data. */
static zinc_status
order_keys(struct copy *c)
{
	const char *key = (const char *)c->pool.p;
	const char *p;
	bool document;
	size_t i;

	c->pairs = zinc_calloc(c->from->ctx, c->n, sizeof *c->pairs);
	if (!c->pairs)
		return zinc_fail_nomem(c->err);
	for (i = 0; i < c->n; i++) {
		struct pair *pair = &c->pairs[i];

		pair->from = key;
		pair->to = key + strlen(key) + 1;
		key = pair->to + strlen(pair->to) + 1;
		ZINC_TRY(is_document(c, pair->from, &document));
		if (!document) {
			pair->depth = SIZE_MAX;
			c->ndata++;
			continue;
		}
		for (p = pair->from; *p; p++)
			pair->depth += *p == '/';
	}
	qsort(c->pairs, c->n, sizeof *c->pairs, deepest_first);
	return ZINC_OK;
}

/* ---- moving bytes ---- */

/* Values are moved as they are, never decoded. */
static zinc_status
copy_key(struct copy *c, zinc_put_group *group, const char *from, const char *to, const zinc_condition *when)
{
	zinc_blob value = ZINC_BLOB_INIT;
	zinc_status st =
	    zinc_store_get_all(c->from->store, from, &value, NULL, zinc_max_chunk(c->from->ctx), c->from->wait, c->err);

	if (st != ZINC_OK)
		return zinc_error_at_key(c->err, st, from);
	st = zinc_store_put(c->to->store, group, to, value.data, value.nbytes, when, c->to->put_flags, NULL,
			    c->to->wait, c->err);
	zinc_blob_fini(&value);
	return st == ZINC_OK ? st : zinc_error_at_key(c->err, st, to);
}

/* One durable commit for all of it, before the first document. */
static zinc_status
copy_data(struct copy *c)
{
	zinc_put_group *group;
	zinc_status st = ZINC_OK;

	ZINC_TRY(zinc_store_put_begin(c->to->store, &group, c->to->put_flags, c->to->wait, c->err));
	for (; c->done < c->ndata && st == ZINC_OK; c->done++)
		st = copy_key(c, group, c->pairs[c->done].from, c->pairs[c->done].to, NULL);
	if (st == ZINC_OK)
		return zinc_store_commit(c->to->store, group, NULL, NULL, c->to->wait, c->err);
	zinc_store_abort(c->to->store, group);
	return st;
}

/* As far as possible: the store may fail again.  It has its own deadline, because that of the copy may have passed. */
static void
take_back(struct copy *c)
{
	const zinc_wait wait = {sizeof wait, zinc_now(c->to->ctx) + TAKE_BACK_SECONDS, NULL};
	zinc_status ignored = ZINC_OK; /* the first failure is the one to report */

	while (c->done > 0)
		ignored =
		    zinc_store_del(c->to->store, NULL, c->pairs[--c->done].to, NULL, c->to->put_flags, &wait, NULL);
	(void)ignored;
}

/* If the last put is uncertain, the copy may be complete: then nothing is erased. */
static zinc_status
copy_all(struct copy *c)
{
	static const zinc_condition absent = {ZINC_ABSENT, NULL};
	zinc_status st = copy_data(c);

	for (; c->done < c->n && st == ZINC_OK; c->done++)
		st = copy_key(c, NULL, c->pairs[c->done].from, c->pairs[c->done].to, NULL);
	if (st == ZINC_OK && !c->implicit)
		st = copy_key(c, NULL, (const char *)c->from_key.p, (const char *)c->to_key.p, &absent);
	if (st != ZINC_OK && st != ZINC_E_UNCERTAIN)
		take_back(c);
	return st;
}

/* ---- the whole ---- */

/* Is the target inside the source? */
static bool
is_inside(const struct copy *c)
{
	const char *from = (const char *)c->from_prefixes.p, *to = (const char *)c->to_prefixes.p;

	return zinc_store_same(c->from->store, c->to->store) && strncmp(to, from, strlen(from)) == 0;
}

/* Everything that can be refused is refused before the first byte is copied. */
static zinc_status
check_target(struct copy *c, const char *to_path)
{
	bool vacant;

	if (c->from->format != c->to->format)
		return zinc_fail(c->err, ZINC_E_INVALID,
				 "a copy byte for byte needs two hierarchies of the same format");
	if (is_inside(c))
		return zinc_fail(c->err, ZINC_E_INVALID, "a node cannot be copied into itself");
	ZINC_TRY(zinc_path_check_new(to_path, c->err));
	ZINC_TRY(zinc_hierarchy_writable(c->to, c->err));
	ZINC_TRY(zinc_hierarchy_vacant(c->to, to_path, &vacant, c->err));
	return vacant ? ZINC_OK : zinc_fail(c->err, ZINC_E_EXISTS, "%s already exists, or is not empty", to_path);
}

/* Reading the source first shows whether it exists, and which of the format's keys has its document. */
static zinc_status
name_keys(struct copy *c, const char *from_path, const char *to_path)
{
	zinc_meta *m;
	zinc_report r;
	zinc_status st;

	zinc_report_init(&r, c->from->ctx, c->from->strict, c->from->url);
	ZINC_TRY(zinc_read_node(c->from, from_path, &r, &m, c->err));
	st = zinc_node_key(c->from, from_path, m->kind, &c->from_key, c->err);
	if (st == ZINC_OK)
		st = zinc_node_key(c->to, to_path, m->kind, &c->to_key, c->err);
	c->implicit = m->implicit;
	zinc_meta_free(m);
	ZINC_TRY(st);
	if (!zinc_buf_text(&c->from_key) || !zinc_buf_text(&c->to_key))
		return zinc_fail_nomem(c->err);
	ZINC_TRY(zinc_node_prefixes(c->from, from_path, add_prefix, &c->from_prefixes, c->err));
	return zinc_node_prefixes(c->to, to_path, add_prefix, &c->to_prefixes, c->err);
}

static zinc_status
copy_node(struct copy *c, const char *from_path, const char *to_path)
{
	ZINC_TRY(name_keys(c, from_path, to_path));
	ZINC_TRY(check_target(c, to_path));
	ZINC_TRY(collect_keys(c));
	ZINC_TRY(order_keys(c));
	ZINC_TRY(zinc_hierarchy_init(c->to, c->err));
	ZINC_TRY(zinc_change_begin(c->to, to_path, true, c->err));
	ZINC_TRY(copy_all(c));
	return zinc_change_end(c->to, to_path, c->err);
}

static zinc_status
start(zinc_hierarchy *from, const char *from_path, zinc_hierarchy *to, const char *to_path, zinc_error *err)
{
	struct copy c = {.from = from, .to = to, .err = err};
	zinc_buf *bufs[] = {&c.from_key, &c.to_key, &c.from_prefixes, &c.to_prefixes, &c.pool, &c.place};
	zinc_status st;
	size_t i;

	for (i = 0; i < sizeof bufs / sizeof *bufs; i++)
		zinc_buf_init(bufs[i], from->ctx, zinc_max_list(from->ctx));
	st = copy_node(&c, from_path, to_path);
	zinc_free(from->ctx, c.pairs);
	for (i = 0; i < sizeof bufs / sizeof *bufs; i++)
		zinc_buf_fini(bufs[i]);
	return zinc_error_in(err, st, to);
}

zinc_status
zinc_node_copy(zinc_hierarchy *from, const char *from_path, zinc_hierarchy *to, const char *to_path,
	       const zinc_call_options *call, zinc_error *err)
{
	zinc_visit v, v_to;
	char *a, *b;
	zinc_status st;

	ZINC_TRY(ZINC_NEED(to, err));
	ZINC_TRY(zinc_visit_begin(&v, &from, call, err));
	to = zinc_visit_within(&v_to, to, from->wait);
	ZINC_TRY(zinc_path_normalise(&a, from, from_path, err));
	st = zinc_path_normalise(&b, to, to_path, err);
	if (st == ZINC_OK) {
		st = start(from, a, to, b, err);
		zinc_free(to->ctx, b);
	}
	zinc_free(from->ctx, a);
	return st;
}
