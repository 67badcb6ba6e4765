/*
 * copy_keys.c - every key of the source, and its role
 *
 * One listing finds everything: objects of arrays by their indices, documents, and foreign keys, which are neither and
 * are copied byte for byte within a format.  An object outside an array's grid remains from a resize; it is not copied,
 * because it might be mistaken for an object of the target.
 *
 * The listing also computes the fingerprint of the source: the sum over all keys of a hash of key, size and, if the
 * store has tags and is local, tag.  A sum does not depend on the order.
 *
 * An entry that is not a key, in the place of an array's object, is reported as hidden: a copy without it would have
 * the fill value there.
 *
 * A store that cannot list (a web server) gets a request for every object of a grid.
 */
#include <stdlib.h>

#include "tool/copy.h"

struct listing {
	zinc_cp *c;
	const char *from_prefix, *to_prefix;
	zinc_buf keys;  /* whose tags are requested: each with its NUL */
	zinc_buf place; /* of the current document: its node's path */
	size_t nkeys;
	bool tags;
	zinc_status status;
	zinc_error *err;
};

const char *
zinc_cp_next(const zinc_buf *keys, const char *key)
{
	const char *end = keys->n > 0 ? (const char *)keys->p + keys->n : NULL; /* NULL + 0 is not defined */

	key = key ? key + strlen(key) + 1 : (const char *)keys->p;
	return key && key < end ? key : NULL;
}

/* ---- the fingerprint ---- */

uint64_t
zinc_cp_hash(uint64_t before, const void *bytes, size_t n)
{
	const uint32_t a = n > 0 ? zinc_crc32c((uint32_t)(before >> 32), bytes, n) : (uint32_t)(before >> 32);
	const uint32_t b = n > 0 ? zinc_crc32((uint32_t)before, bytes, n) : (uint32_t)before;

	return ((uint64_t)a << 32) + b;
}

static uint64_t
hash(const char *key, const void *more, size_t n)
{
	return zinc_cp_hash(zinc_cp_hash(0, key, strlen(key)), more, n);
}

struct tags {
	zinc_cp *c;
	const zinc_get *requests;
	pthread_mutex_t lock;
	zinc_status status;
	zinc_error *err;
};

zinc_room
zinc_cp_no_room(void *arg, size_t i, uint64_t nbytes, void **buf)
{
	(void)arg, (void)i, (void)nbytes, (void)buf;
	return ZINC_ROOM_FAIL; /* no bytes are requested */
}

static void
add_tag(void *arg, size_t i, const zinc_got *got)
{
	struct tags *t = arg;

	pthread_mutex_lock(&t->lock);
	if (got->found == ZINC_FOUND) {
		t->c->state += hash(t->requests[i].key, got->tag->b, got->tag->n);
		if (t->status == ZINC_OK)
			t->status = zinc_cp_note_tag(t->c, got->tag, t->err);
	} else if (got->found == ZINC_FAILED && t->status == ZINC_OK)
		t->status = got->error ? zinc_error_copy(t->err, got->error)
				       : zinc_fail(t->err, got->status, "the store failed");
	pthread_mutex_unlock(&t->lock);
}

/* Get the tags of all kept keys in one call. */
static zinc_status
add_tags(struct listing *l)
{
	zinc_get *requests = zinc_calloc(l->c->ctx, l->nkeys + 1, sizeof *requests);
	struct tags t = {l->c, requests, PTHREAD_MUTEX_INITIALIZER, ZINC_OK, l->err};
	const zinc_sink sink = {sizeof sink, zinc_cp_no_room, add_tag, &t};
	const char *key = NULL;
	zinc_status st;
	size_t i;

	if (!requests)
		return zinc_fail_nomem(l->err);
	for (i = 0; i < l->nkeys; i++) {
		key = zinc_cp_next(&l->keys, key);
		requests[i] = (zinc_get){.key = key, .stat = 1};
	}
	st = zinc_store_get(l->c->from->store, requests, l->nkeys, &sink, &l->c->wait, l->err);
	zinc_free(l->c->ctx, requests);
	pthread_mutex_destroy(&t.lock);
	l->keys.n = l->nkeys = 0;
	return st == ZINC_OK ? t.status : st;
}

static zinc_status
add_fingerprint(struct listing *l, const char *key, uint64_t nbytes)
{
	l->c->state += hash(key, &nbytes, sizeof nbytes);
	if (!l->tags)
		return ZINC_OK;
	ZINC_TRY(zinc_buf_add(&l->keys, key, strlen(key) + 1, l->err));
	l->nkeys++;
	return l->nkeys < 4096 ? ZINC_OK : add_tags(l);
}

/* ---- objects ---- */

/* The array whose prefix the key begins with; NULL: none. */
static zinc_cp_node *
find_array(const zinc_cp *c, const char *key)
{
	size_t low = 0, high = c->narrays;

	while (low < high) {
		const size_t mid = low + (high - low) / 2;

		if (strcmp(c->nodes[c->arrays[mid]].data, key) <= 0)
			low = mid + 1;
		else
			high = mid;
	}
	if (low == 0)
		return NULL;
	low = c->arrays[low - 1];
	return strncmp(key, c->nodes[low].data, c->nodes[low].ndata) == 0 ? &c->nodes[low] : NULL;
}

static zinc_status
add_object(zinc_cp *c, zinc_cp_node *n, const uint64_t *index, uint64_t nbytes, zinc_error *err)
{
	const size_t ndim = (size_t)n->source->ndim;
	uint64_t *more;
	size_t size;

	if (n->nobjects == n->room) {
		const size_t room = n->room ? 2 * n->room : 16;

		if (zinc_size_mul(room, (ndim + 1) * sizeof *more, &size) ||
		    !(more = zinc_realloc(c->ctx, n->objects, size)))
			return zinc_fail_nomem(err);
		n->objects = more;
		n->room = room;
	}
	more = n->objects + n->nobjects++ * (ndim + 1);
	memcpy(more, index, ndim * sizeof *more);
	more[ndim] = nbytes;
	return ZINC_OK;
}

/* Is the rest of a key a chunk's, inside the grid or outside? */
static bool
is_chunk(const zinc_meta *m, const char *rest, uint64_t *index, bool *inside)
{
	int d;

	*inside = true;
	if (!m->keys.ops || !m->grid || !zinc_keys_decode(&m->keys, rest, m->ndim, index))
		return false;
	for (d = 0; d < m->ndim; d++)
		*inside = *inside && index[d] < zinc_grid_count(m->grid, d, m->shape[d]);
	return true;
}

/* *taken: the key is an object of an array, or would be one of the target. */
static zinc_status
take_object(struct listing *l, const char *key, uint64_t nbytes, bool *taken)
{
	zinc_cp_node *n = find_array(l->c, key);
	uint64_t index[ZINC_MAX_NDIM];
	bool inside;

	*taken = n && is_chunk(n->source, key + n->ndata, index, &inside);
	if (*taken && n->outside)
		return ZINC_OK;
	if (*taken && inside)
		return add_object(l->c, n, index, nbytes, l->err);
	if (n && n->target && n->changed && !*taken)
		*taken = is_chunk(n->target, key + n->ndata, index, &inside);
	return ZINC_OK;
}

/* ---- the listing ---- */

/* ---- nodes by their paths ---- */

/* In the order of nodes: '/' before all other bytes. */
static int
by_path(const void *a, const void *b)
{
	const unsigned char *x = a, *y = (const unsigned char *)((const zinc_cp_node *)b)->from;

	for (; *x && *x == *y; x++, y++)
		;
	if (*x == *y || !*x || !*y)
		return (*x > *y) - (*x < *y);
	if (*x == '/' || *y == '/')
		return *x == '/' ? -1 : 1;
	return *x < *y ? -1 : 1;
}

zinc_cp_node *
zinc_cp_find_node(const zinc_cp *c, const char *path)
{
	return bsearch(path, c->nodes, c->nnodes, sizeof *c->nodes, by_path);
}

/* For another format: attributes belong to a node, and consolidated metadata is written again; the rest belongs to
 * other programs. */
static zinc_status
place_part(const zinc_format *f, const char *key, zinc_key_role *role, zinc_buf *place, zinc_error *err)
{
	const char *name = zinc_key_name(key);
	zinc_key_role is = ZINC_KEY_OTHER;
	size_t i;

	if (f->draft)
		return ZINC_OK;
	for (i = 0; i < zinc_documents(f, ZINC_PART_COPIES); i++)
		if (strcmp(name, f->documents[i].name) == 0)
			is = f->documents[i].part == ZINC_PART_COPIES ? ZINC_KEY_PART : ZINC_KEY_NODE;
	*role = is;
	return is == ZINC_KEY_NODE ? zinc_buf_add(place, key, (size_t)(name - key), err) : ZINC_OK;
}

/* The path of a key that is not the document of a node; of a part that of its node. */
static zinc_status
name_place(const zinc_hierarchy *h, const char *key, const zinc_buf *place, zinc_key_role role, zinc_buf *path,
	   zinc_error *err)
{
	const char *rel = key + strlen(h->prefix);
	size_t n = strlen(rel);

	if (role == ZINC_KEY_OTHER && place->n > 0)
		return zinc_buf_printf(path, err, "/%.*s", (int)place->n, (const char *)place->p);
	if (role == ZINC_KEY_PART) {
		n = (size_t)(zinc_key_name(rel) - rel);
		n -= n > 0;
	}
	return zinc_buf_printf(path, err, "/%.*s", (int)n, rel);
}

/* Is the document, or foreign key, of the current place not wanted? */
static bool
is_outside(const struct listing *l, zinc_key_role role)
{
	const char *path = (const char *)l->place.p;
	const zinc_cp_node *n;

	if (l->c->o.ninclude + l->c->o.nexclude == 0)
		return false;
	if (role != ZINC_KEY_PART)
		return !zinc_cp_takes_key(l->c, path);
	n = zinc_cp_find_node(l->c, path);
	return (n && n->outside) || zinc_cp_excludes(l->c, path);
}

/* Find the role of the key: is it the document of a node that is copied?  A document of a hidden node is not. */
static zinc_status
find_role(struct listing *l, const char *key, zinc_key_role *role)
{
	const zinc_hierarchy *h = l->c->from;
	zinc_buf *path = &l->place;
	zinc_buf place;
	zinc_status st;

	zinc_buf_init(&place, h->ctx, ZINC_MAX_KEY);
	st = h->format->place(h, key + strlen(h->prefix), role, &place, l->err);
	if (st == ZINC_OK && *role == ZINC_KEY_PART && h->format != l->c->to->format)
		st = place_part(h->format, key + strlen(h->prefix), role, &place, l->err);
	zinc_buf_end(path, 0);
	if (st == ZINC_OK && *role == ZINC_KEY_NODE)
		st = zinc_buf_printf(path, l->err, "/%.*s", (int)(place.n - (place.n > 0)),
				     place.n ? (char *)place.p : "");
	else if (st == ZINC_OK)
		st = name_place(h, key, &place, *role, path, l->err);
	if (st == ZINC_OK && !zinc_buf_text(path))
		st = zinc_fail_nomem(l->err);
	if (st == ZINC_OK && *role == ZINC_KEY_NODE && !zinc_cp_find_node(l->c, zinc_buf_text(path)))
		*role = ZINC_KEY_OTHER;
	zinc_buf_fini(&place);
	return st;
}

/* Append both keys. */
static zinc_status
add_pair(struct listing *l, zinc_buf *to, const char *key)
{
	const char *rest = key + strlen(l->from_prefix);

	ZINC_TRY(zinc_buf_add(to, key, strlen(key) + 1, l->err));
	ZINC_TRY(zinc_buf_puts(to, l->to_prefix, l->err));
	return zinc_buf_add(to, rest, strlen(rest) + 1, l->err);
}

/* For another format, only objects are needed. */
static zinc_status
take_key(struct listing *l, const char *key, uint64_t nbytes)
{
	zinc_cp *c = l->c;
	zinc_key_role role;
	bool taken;

	if (zinc_cp_trace_of(key) != ZINC_CP_NO_TRACE)
		return ZINC_OK; /* belongs to another copy */
	ZINC_TRY(add_fingerprint(l, key, nbytes));
	ZINC_TRY(take_object(l, key, nbytes, &taken));
	if (taken)
		return ZINC_OK;
	ZINC_TRY(find_role(l, key, &role));
	if (role != ZINC_KEY_NODE && is_outside(l, role))
		return ZINC_OK;
	switch (role) {
	case ZINC_KEY_NODE: /* read with its node */
		return ZINC_OK;
	case ZINC_KEY_PART:
		return c->from->format == c->to->format ? add_pair(l, &c->documents, key) : ZINC_OK;
	case ZINC_KEY_OTHER:
	case ZINC_KEY_FOREIGN:
		break;
	}
	c->nforeign++;
	if (nbytes > c->foreign_largest) {
		c->foreign_largest = nbytes;
		c->foreign_largest_at = c->foreign.n;
	}
	return c->from->format == c->to->format ? add_pair(l, &c->foreign, key) : ZINC_OK;
}

static int
list_key(void *arg, const char *key, uint64_t nbytes)
{
	struct listing *l = arg;

	l->status = take_key(l, key, nbytes);
	return l->status != ZINC_OK;
}

static zinc_status
note_non_key(const struct listing *l, const zinc_cp_node *n, const zinc_non_key *non_key)
{
	return zinc_cp_note(l->c, ZINC_COPY_HIDDEN, n->from, l->err, "%s: %s",
			    non_key->key + strlen(l->c->from->prefix), non_key->why);
}

/* The first array whose prefix is not before "key/". */
static size_t
first_below(const zinc_cp *c, const char *key)
{
	const size_t n = strlen(key);
	size_t low = 0, high = c->narrays;

	while (low < high) {
		const size_t mid = low + (high - low) / 2;
		const char *data = c->nodes[c->arrays[mid]].data;
		const int order = strncmp(data, key, n);

		if (order < 0 || (order == 0 && (unsigned char)data[n] < '/'))
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* The walk over the tree has reported hidden nodes. */
static int
list_non_key(void *arg, const zinc_non_key *non_key)
{
	struct listing *l = arg;
	const zinc_cp_node *n = find_array(l->c, non_key->key);
	size_t i;

	if (n && !n->outside && zinc_meta_reads(n->source, non_key->key + n->ndata, non_key))
		l->status = note_non_key(l, n, non_key);
	for (i = first_below(l->c, non_key->key); l->status == ZINC_OK && i < l->c->narrays; i++) {
		n = &l->c->nodes[l->c->arrays[i]];
		if (!zinc_non_key_hides_prefix(non_key, n->data))
			break;
		if (n->outside)
			continue;
		l->status = note_non_key(l, n, non_key);
	}
	return l->status != ZINC_OK;
}

static zinc_status
add_prefix(void *arg, const char *prefix, zinc_error *err)
{
	return zinc_buf_add(arg, prefix, strlen(prefix) + 1, err);
}

int
zinc_cp_by_index(const void *a, const void *b, void *count)
{
	const uint64_t *x = a, *y = b;
	int i;

	for (i = 0; i < *(const int *)count - 1 && x[i] == y[i]; i++)
		;
	return (x[i] > y[i]) - (x[i] < y[i]);
}

/* List below each prefix of the source; a target of the same format has as many prefixes. */
static zinc_status
list_prefixes(struct listing *l, const zinc_buf *from, const zinc_buf *to)
{
	const zinc_lister lister = {.size = sizeof lister, .key = list_key, .non_key = list_non_key, .arg = l};
	const char *end = (const char *)from->p + from->n, *next = (const char *)to->p;

	for (l->from_prefix = (const char *)from->p; l->from_prefix < end;
	     l->from_prefix += strlen(l->from_prefix) + 1) {
		l->to_prefix = l->c->from->format == l->c->to->format ? next : "";
		ZINC_TRY(zinc_store_walk(l->c->from->store, l->from_prefix, &lister, l->c->from->wait, l->err));
		ZINC_TRY(l->status);
		next += l->c->from->format == l->c->to->format ? strlen(next) + 1 : 0;
	}
	return l->nkeys > 0 ? add_tags(l) : ZINC_OK;
}

static zinc_status
list_source(struct listing *l)
{
	zinc_cp *c = l->c;
	zinc_buf from, to;
	zinc_status st;

	zinc_buf_init(&from, c->ctx, ZINC_MAX_KEY);
	zinc_buf_init(&to, c->ctx, ZINC_MAX_KEY);
	st = zinc_node_prefixes(c->from, c->from_path, add_prefix, &from, l->err);
	if (st == ZINC_OK)
		st = zinc_node_prefixes(c->to, c->to_path, add_prefix, &to, l->err);
	if (st == ZINC_OK)
		st = list_prefixes(l, &from, &to);
	zinc_buf_fini(&from);
	zinc_buf_fini(&to);
	return st;
}

/* ---- arrays by the prefix of their objects ---- */

static int
by_data(const void *a, const void *b, void *nodes)
{
	const zinc_cp_node *n = nodes;

	return strcmp(n[*(const size_t *)a].data, n[*(const size_t *)b].data);
}

static zinc_status
name_data(zinc_cp *c, zinc_cp_node *n, zinc_error *err)
{
	zinc_status st;
	zinc_buf b;

	zinc_buf_init(&b, c->ctx, ZINC_MAX_KEY);
	st = zinc_data_prefix(c->from, n->from, &b, err);
	n->ndata = b.n;
	if (st == ZINC_OK && !(n->data = zinc_strndup(c->ctx, b.n ? (const char *)b.p : "", b.n)))
		st = zinc_fail_nomem(err);
	zinc_buf_fini(&b);
	return st;
}

static zinc_status
sort_arrays(zinc_cp *c, zinc_error *err)
{
	size_t i, k = 0;

	c->arrays = zinc_calloc(c->ctx, c->narrays + 1, sizeof *c->arrays);
	if (!c->arrays)
		return zinc_fail_nomem(err);
	for (i = 0; i < c->nnodes; i++) {
		if (c->nodes[i].kind != ZINC_NODE_ARRAY)
			continue;
		ZINC_TRY(name_data(c, &c->nodes[i], err));
		c->arrays[k++] = i;
	}
	qsort_r(c->arrays, k, sizeof *c->arrays, by_data, c->nodes); /* never NULL: there is room for one more */
	return ZINC_OK;
}

/* Documents are part of the fingerprint, wherever they are, and so is the server: another can have values of the same
 * sizes. */
static zinc_status
add_documents(zinc_cp *c, bool tags, zinc_error *err)
{
	size_t i;

	c->state += hash("", c->from->store->place, sizeof c->from->store->place);
	for (i = 0; i < c->nnodes; i++) {
		const zinc_meta *m = c->nodes[i].source;

		if (!m)
			continue;
		c->state += hash(c->nodes[i].from, m->tag.b, m->tag.n);
		if (tags)
			ZINC_TRY(zinc_cp_note_tag(c, &m->tag, err));
	}
	return ZINC_OK;
}

/* Add every index of a grid: only a get shows which of them exist. */
static zinc_status
guess_objects(zinc_cp *c, zinc_cp_node *n, zinc_error *err)
{
	const zinc_meta *m = n->source;
	uint64_t counts[ZINC_MAX_NDIM], index[ZINC_MAX_NDIM] = {0}, total, i;
	int d;

	if (!m->grid || !m->keys.ops)
		return zinc_meta_refuse(m, err);
	for (d = 0; d < m->ndim; d++)
		counts[d] = zinc_grid_count(m->grid, d, m->shape[d]);
	if (zinc_shape_bytes(counts, m->ndim, 1, c->ctx->limits.children, &total))
		return zinc_fail(err, ZINC_E_LIMIT, "%s has too many chunks for a store that cannot list", n->from);
	for (i = 0; i < total; i++) {
		ZINC_TRY(add_object(c, n, index, 0, err));
		for (d = m->ndim - 1; d >= 0 && ++index[d] == counts[d]; d--)
			index[d] = 0;
	}
	return ZINC_OK;
}

static zinc_status
guess_all(zinc_cp *c, zinc_error *err)
{
	size_t k;

	for (k = 0; k < c->narrays; k++)
		if (!c->nodes[c->arrays[k]].left_out)
			ZINC_TRY(guess_objects(c, &c->nodes[c->arrays[k]], err));
	return ZINC_OK;
}

zinc_status
zinc_cp_list(zinc_cp *c, zinc_error *err)
{
	struct listing l = {.c = c, .err = err};
	zinc_caps caps = ZINC_CAPS_INIT;
	zinc_status st;
	size_t i;

	zinc_store_caps(c->from->store, &caps);
	l.tags = zinc_cp_has_tags(c->from);
	c->unlisted = !(caps.flags & ZINC_CAP_LIST);
	ZINC_TRY(sort_arrays(c, err));
	ZINC_TRY(add_documents(c, l.tags, err));
	if (c->unlisted) {
		st = guess_all(c, err);
		return st == ZINC_OK ? st : zinc_error_at_url(err, st, c->from->url);
	}
	zinc_buf_init(&l.keys, c->ctx, zinc_max_list(c->ctx));
	zinc_buf_init(&l.place, c->ctx, ZINC_MAX_KEY);
	st = list_source(&l);
	zinc_buf_fini(&l.place);
	zinc_buf_fini(&l.keys);
	for (i = 0; i < c->narrays && st == ZINC_OK; i++) {
		zinc_cp_node *n = &c->nodes[c->arrays[i]];
		int words = n->source->ndim + 1;

		if (n->nobjects > 0)
			qsort_r(n->objects, n->nobjects, (size_t)words * sizeof *n->objects, zinc_cp_by_index, &words);
	}
	return st == ZINC_OK ? st : zinc_error_at_url(err, st, c->from->url);
}
