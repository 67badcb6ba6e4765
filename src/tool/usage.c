/*
 * usage.c - what each node of a hierarchy has in its store
 *
 * First the nodes are walked as readers see them, then all keys are listed, and each is counted for the node whose
 * directory it is in:
 *
 *   a/zarr.json   a document of /a
 *   a/c/0/1       a chunk of /a
 *   a/c/99/99     foreign: outside the grid
 *   a/note.txt    foreign: no chunk of /a has such a key
 *   README        foreign, and counted for the group /
 *
 * Promises (tests/unit/test_usage.c, tests/cli/du.sh):
 *
 * (1) Every key below the node is counted exactly once, as an object or as foreign.
 * (2) The numbers of a group are those of its own documents and of all nodes below.
 * (3) The keys are listed once, whatever the number of arrays.
 * (4) Memory grows with the number of nodes, not of chunks.
 */
#include <stdlib.h>

#include "tool/tool.h"

/* A node; its prefix is the path without the first '/', and with one at the end: "", "a/b/". */
struct entry {
	char *path, *prefix;
	zinc_meta *meta; /* NULL: its document cannot be used */
	char *problem;   /* NULL: none */
	bool listed;     /* one of its documents was listed */
	bool opaque;     /* which keys it has, or what they hold, is not known: all below it are its chunks */
	char *key;       /* of its document; "" when implicit */
	zinc_usage sum;
};

struct usage {
	zinc_hierarchy *h;
	zinc_context *ctx;
	const char *base; /* the path of the node */
	zinc_usage_options o;
	zinc_usage_fn fn;
	void *arg;
	zinc_call_options call;
	struct entry *at; /* sorted by the bytes of their prefixes, so everything below a node directly follows it */
	size_t n, room;
	struct entry *last; /* the array of the previous key */
	uint64_t keys, bytes;
	zinc_buf place;
	bool stopped;
	zinc_status status;
	zinc_error *err;
};

/* ---- the nodes ---- */

static zinc_status
make_room(struct usage *u, zinc_error *err)
{
	const size_t room = u->room ? 2 * u->room : 64;
	struct entry *more;
	size_t nbytes;

	if (u->n < u->room)
		return ZINC_OK;
	if (u->n >= u->ctx->limits.children)
		return zinc_fail(err, ZINC_E_LIMIT, "more than %zu nodes", u->n);
	if (zinc_size_mul(room, sizeof *more, &nbytes) || !(more = zinc_realloc(u->ctx, u->at, nbytes)))
		return zinc_fail_nomem(err);
	u->at = more;
	u->room = room;
	return ZINC_OK;
}

/* With storage transformers the keys of the store are theirs. */
static bool
has_transformers(const zinc_meta *m)
{
	const zinc_json *list = zinc_json_member(zinc_meta_v3(m), "storage_transformers");

	return list && list->first != NULL;
}

static bool
is_opaque(const zinc_found_node *node)
{
	const zinc_meta *m = node->meta;

	if (!m)
		return node->kind != ZINC_NODE_GROUP;
	return m->kind == ZINC_NODE_ARRAY &&
	       (!m->grid || !m->keys.ops || !m->dtype || m->opaque || has_transformers(m));
}

static const char *
problem_of(const zinc_found_node *node, zinc_status *code)
{
	const char *text = node->problem ? node->problem->text : node->meta ? node->meta->unsupported : NULL;

	*code = node->problem ? node->problem->code : text ? ZINC_E_UNSUPPORTED : ZINC_OK;
	return text;
}

static int
depth_of(const char *prefix)
{
	int depth = 0;

	for (; *prefix; prefix++)
		depth += *prefix == '/';
	return depth;
}

static zinc_status
fill_entry(struct usage *u, struct entry *e, const zinc_found_node *node, zinc_error *err)
{
	const size_t n = strlen(node->path);
	const char *problem = problem_of(node, &e->sum.problem_code);

	e->path = zinc_strdup(u->ctx, node->path);
	e->key = zinc_strdup(u->ctx, node->key);
	e->prefix = zinc_alloc(u->ctx, n + 1);
	e->problem = problem ? zinc_strdup(u->ctx, problem) : NULL;
	if (!e->path || !e->key || !e->prefix || (problem && !e->problem))
		return zinc_fail_nomem(err);
	memcpy(e->prefix, node->path + 1, n);
	if (n > 1)
		memcpy(e->prefix + n - 1, "/", 2);
	e->meta = node->meta ? zinc_meta_ref(node->meta) : NULL;
	e->opaque = is_opaque(node);
	e->sum.kind = node->kind;
	e->sum.implicit = node->implicit;
	return ZINC_OK;
}

/* A hidden node is not one of the tree: its keys are foreign. */
static int
add_node(void *arg, const zinc_found_node *node)
{
	struct usage *u = arg;

	if (node->hidden)
		return 0;
	u->status = make_room(u, u->err);
	if (u->status == ZINC_OK) {
		u->at[u->n] = (struct entry){.sum = ZINC_USAGE_INIT};
		u->status = fill_entry(u, &u->at[u->n++], node, u->err);
	}
	return u->status != ZINC_OK;
}

static int
by_prefix(const void *a, const void *b)
{
	return strcmp(((const struct entry *)a)->prefix, ((const struct entry *)b)->prefix);
}

static zinc_status
walk_nodes(struct usage *u, zinc_error *err)
{
	zinc_report r;
	zinc_status st;

	zinc_report_init_quiet(&r, u->ctx, u->h->strict);
	r.fallback = u->h->fallback;
	u->err = err;
	st = zinc_walk(u->h, u->base, ZINC_WALK_ALL, &r, add_node, u, err);
	ZINC_TRY(st == ZINC_OK ? u->status : st);
	if (u->n == 0)
		return zinc_fail(err, ZINC_E_NOTFOUND, "there is no node at this path");
	qsort(u->at, u->n, sizeof *u->at, by_prefix);
	return ZINC_OK;
}

/* ---- owners ---- */

/* The node whose prefix is the first n bytes of `place`; NULL: none. */
static struct entry *
find(const struct usage *u, const char *place, size_t n)
{
	size_t low = 0, high = u->n;

	while (low < high) {
		const size_t mid = low + (high - low) / 2;
		int order = strncmp(u->at[mid].prefix, place, n);

		if (order == 0)
			order = u->at[mid].prefix[n] != '\0';
		if (order == 0)
			return &u->at[mid];
		if (order < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return NULL;
}

/* The nearest node above the first n bytes of `place`; the node that was asked for if there is none. */
static struct entry *
owner_of(const struct usage *u, const char *place, size_t n)
{
	for (;;) {
		struct entry *e;

		while (n > 0 && place[n - 1] != '/')
			n--;
		e = find(u, place, n);
		if (e || n == 0)
			return e ? e : &u->at[0];
		n--;
	}
}

/* ---- one key ---- */

static void
add_to(uint64_t *sum, uint64_t more)
{
	if (zinc_u64_add(*sum, more, sum))
		*sum = UINT64_MAX;
}

static void
add_object(struct entry *e, uint64_t nbytes)
{
	add_to(&e->sum.objects, 1);
	add_to(&e->sum.bytes, nbytes);
}

static void
add_chunk(struct entry *e, uint64_t nbytes)
{
	add_object(e, nbytes);
	add_to(&e->sum.chunks, 1);
	add_to(&e->sum.chunk_bytes, nbytes);
}

static int
add_foreign(struct usage *u, struct entry *e, const char *key, uint64_t nbytes, const char *why, bool hidden)
{
	const zinc_foreign f = {sizeof f, key, nbytes, why, hidden};

	add_to(&e->sum.foreign, 1);
	add_to(&e->sum.foreign_bytes, nbytes);
	if (u->o.foreign && u->o.foreign(u->arg, &f))
		u->stopped = true;
	return u->stopped;
}

/* NULL: it is a chunk in the grid, and counted. */
static const char *
take_chunk(struct entry *e, const char *below, uint64_t nbytes)
{
	const zinc_meta *m = e->meta;
	uint64_t index[ZINC_MAX_NDIM];
	int d;

	if (e->opaque) {
		add_chunk(e, nbytes);
		add_to(&e->sum.unknown, 1);
		add_to(&e->sum.unknown_bytes, nbytes);
		return NULL;
	}
	if (!zinc_keys_decode(&m->keys, below, m->ndim, index))
		return "not a key of a chunk";
	for (d = 0; d < m->ndim; d++)
		if (index[d] >= zinc_grid_count(m->grid, d, m->shape[d]))
			return "a chunk outside the shape";
	add_chunk(e, nbytes);
	add_to(&e->sum.decoded_bytes, zinc_stored_decoded(m, index));
	return NULL;
}

/* A key of data.  Most belong to the array of the one before. */
static zinc_status
take_object(struct usage *u, const char *key, uint64_t nbytes)
{
	const char *place = (const char *)u->place.p, *why;
	struct entry *e = u->last;
	bool hidden = false;
	size_t n;

	if (!e || strncmp(place, e->prefix, strlen(e->prefix)) != 0)
		e = owner_of(u, place, strlen(place));
	n = strlen(e->prefix);
	u->last = e->sum.kind == ZINC_NODE_ARRAY ? e : NULL;
	if (strncmp(place, e->prefix, n) == 0 && strchr(place + n, '/'))
		ZINC_TRY(zinc_key_is_node(u->h, key, &hidden, u->err));
	if (hidden)
		add_foreign(u, e, key, nbytes, "the document of a node that no listing shows", true);
	else if (e->sum.kind == ZINC_NODE_GROUP || strncmp(place, e->prefix, n) != 0)
		add_foreign(u, e, key, nbytes, "belongs to no node", false);
	else if ((why = take_chunk(e, place + n, nbytes)))
		add_foreign(u, e, key, nbytes, why, false);
	return ZINC_OK;
}

/* A document makes a node, which may have been hidden or created since. */
static int
take_document(struct usage *u, const char *key, uint64_t nbytes)
{
	const char *place = (const char *)u->place.p;
	struct entry *e = find(u, place, strlen(place));

	if (!e) {
		e = owner_of(u, place, strlen(place));
		return add_foreign(u, e, key, nbytes, "the document of a node that no listing shows", true);
	}
	e->listed = true;
	add_object(e, nbytes);
	return 0;
}

static zinc_status
take_key(struct usage *u, const char *key, uint64_t nbytes)
{
	const char *rel = key + strlen(u->h->prefix);
	zinc_key_role role;

	zinc_buf_end(&u->place, 0);
	ZINC_TRY(u->h->format->place(u->h, rel, &role, &u->place, u->err));
	if (!zinc_buf_text(&u->place))
		return zinc_fail_nomem(u->err);
	if (role == ZINC_KEY_NODE)
		take_document(u, key, nbytes);
	else if (role == ZINC_KEY_OTHER)
		ZINC_TRY(take_object(u, key, nbytes));
	else if (role == ZINC_KEY_PART)
		add_object(owner_of(u, rel, strlen(rel)), nbytes);
	else
		add_foreign(u, &u->at[0], key, nbytes, "in a place that this version of Zarr does not use", false);
	u->keys++;
	add_to(&u->bytes, nbytes);
	if (u->call.progress && u->call.progress(u->call.progress_arg, u->keys, 0, u->bytes))
		return zinc_fail(u->err, ZINC_E_CANCELLED, "cancelled");
	return ZINC_OK;
}

static int
list_key(void *arg, const char *key, uint64_t nbytes)
{
	struct usage *u = arg;

	u->status = take_key(u, key, nbytes);
	return u->status != ZINC_OK || u->stopped;
}

/* Would a reader look for a node or a chunk there? */
static bool
hides(const struct usage *u, const struct entry *e, const char *rel, const zinc_non_key *non_key)
{
	const size_t n = strlen(e->prefix);

	if (zinc_non_key_may_hide_node(u->h, non_key))
		return true;
	return e->sum.kind == ZINC_NODE_ARRAY && !e->opaque && strncmp(rel, e->prefix, n) == 0 &&
	       zinc_meta_reads(e->meta, rel + n, non_key);
}

/* Keys below a directory are listed themselves. */
static int
list_non_key(void *arg, const zinc_non_key *non_key)
{
	struct usage *u = arg;
	const size_t skip = strlen(u->h->prefix);
	const char *rel = strlen(non_key->key) < skip ? "" : non_key->key + skip;
	struct entry *e = owner_of(u, rel, strlen(rel));

	if (non_key->kind == ZINC_NON_KEY_DIR)
		return 0;
	return add_foreign(u, e, non_key->key, 0, non_key->why, hides(u, e, rel, non_key));
}

/* ---- the listing ---- */

static zinc_status
list_prefix(void *arg, const char *prefix, zinc_error *err)
{
	struct usage *u = arg;
	const zinc_lister to = {.size = sizeof to, .key = list_key, .non_key = list_non_key, .arg = u};

	u->err = err;
	ZINC_TRY(u->stopped ? ZINC_OK : zinc_store_walk(u->h->store, prefix, &to, u->h->wait, err));
	return u->status;
}

/* The document of a node of a draft is not among the keys below it. */
static zinc_status
add_own_document(struct usage *u, zinc_error *err)
{
	zinc_blob text = ZINC_BLOB_INIT;
	struct entry *e = &u->at[0];
	zinc_status st;

	if (e->listed || !e->key[0])
		return ZINC_OK;
	st = zinc_store_get_all(u->h->store, e->key, &text, NULL, u->ctx->limits.json_bytes, u->h->wait, err);
	if (st == ZINC_OK)
		add_object(e, text.nbytes);
	zinc_blob_fini(&text);
	return st == ZINC_E_NOTFOUND ? ZINC_OK : st;
}

/* At the root all keys are listed, also those beside the trees of a draft. */
static zinc_status
list_keys(struct usage *u, zinc_error *err)
{
	zinc_caps caps = ZINC_CAPS_INIT;

	zinc_store_caps(u->h->store, &caps);
	if (!(caps.flags & ZINC_CAP_LIST))
		return zinc_fail(err, ZINC_E_UNSUPPORTED, "this store cannot list its keys, so sizes are not known");
	if (u->base[1])
		ZINC_TRY(zinc_node_prefixes(u->h, u->base, list_prefix, u, err));
	else
		ZINC_TRY(list_prefix(u, u->h->prefix, err));
	return u->stopped ? ZINC_OK : add_own_document(u, err);
}

/* ---- sums ---- */

static void
add_sums(zinc_usage *to, const zinc_usage *from)
{
	add_to(&to->objects, from->objects);
	add_to(&to->bytes, from->bytes);
	add_to(&to->chunks, from->chunks);
	add_to(&to->chunk_bytes, from->chunk_bytes);
	add_to(&to->decoded_bytes, from->decoded_bytes);
	add_to(&to->unknown, from->unknown);
	add_to(&to->unknown_bytes, from->unknown_bytes);
	add_to(&to->foreign, from->foreign);
	add_to(&to->foreign_bytes, from->foreign_bytes);
}

/* Children come after their parents, so from the end on each sum is complete when it is added. */
static void
sum_up(struct usage *u)
{
	size_t i;

	for (i = u->n; i-- > 1;) {
		const char *prefix = u->at[i].prefix;

		add_sums(&owner_of(u, prefix, strlen(prefix) - 1)->sum, &u->at[i].sum);
	}
}

static void
report(struct usage *u)
{
	const int above = depth_of(u->at[0].prefix);
	size_t i;

	for (i = 0; i < u->n && !u->stopped; i++) {
		struct entry *e = &u->at[i];

		e->sum.path = e->path;
		e->sum.depth = depth_of(e->prefix) - above;
		e->sum.problem = e->problem;
		u->stopped = u->fn(u->arg, &e->sum) != 0;
	}
}

static zinc_status
run(struct usage *u, zinc_error *err)
{
	ZINC_TRY(walk_nodes(u, err));
	ZINC_TRY(list_keys(u, err));
	sum_up(u);
	report(u);
	return ZINC_OK;
}

static void
usage_free(struct usage *u)
{
	while (u->n > 0) {
		struct entry *e = &u->at[--u->n];

		zinc_free(u->ctx, e->path);
		zinc_free(u->ctx, e->prefix);
		zinc_free(u->ctx, e->key);
		zinc_free(u->ctx, e->problem);
		zinc_meta_free(e->meta);
	}
	zinc_free(u->ctx, u->at);
	zinc_buf_fini(&u->place);
}

zinc_status
zinc_node_usage(zinc_hierarchy *h, const char *path, const zinc_usage_options *options, zinc_usage_fn fn, void *arg,
		zinc_error *err)
{
	struct usage u = {.fn = fn, .arg = arg};
	zinc_visit v;
	zinc_status st;
	char *base;

	ZINC_TRY(ZINC_NEED(h && path && fn, err));
	ZINC_TRY(zinc_options_take(&u.o, sizeof u.o, options, err));
	ZINC_TRY(zinc_call_options_take(&u.call, u.o.call, err));
	ZINC_TRY(zinc_visit_begin(&v, &h, u.o.call, err));
	ZINC_TRY(zinc_path_normalise(&base, h, path, err));
	u.h = h;
	u.ctx = h->ctx;
	u.base = base;
	zinc_buf_init(&u.place, h->ctx, ZINC_MAX_KEY);
	st = zinc_error_at_node(err, run(&u, err), h, base);
	usage_free(&u);
	zinc_free(h->ctx, base);
	return st;
}
