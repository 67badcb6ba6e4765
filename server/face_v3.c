/*
 * face_v3.c - a hierarchy of any format as the keys of a clean Zarr version 3 hierarchy
 *
 *     zarr.json, a/zarr.json    documents, made here
 *     a/c/0/1                   a chunk: that of the source, or made here
 *
 * Promises (tests/unit/test_face_v3.c names each by its number):
 *
 * (1) Read-only.  All other keys are missing, also chunks with other spellings of their index ("c/00").
 * (2) Equal tags mean equal bytes: a tag is a hash of the text, or of the source's tag and all that is done with the
 *     source's bytes, or of the bytes where the source has no tags.
 * (3) Every request of a value gives the same answer as of a plain store: ranges, suffixes, sizes, conditions.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "face_v3.h"

/* Values of a source without tags are read whole, for their hash, up to this size; larger ones have no tag. */
#define HASH_MOST (64u << 20)

zinc_status
face_nomem(zinc_error *err)
{
	return zinc_error_set(err, ZINC_E_NOMEM, "out of memory");
}

zinc_status
face_fail(zinc_error *err, zinc_status st, const char *fmt, ...)
{
	char text[640];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	return zinc_error_set(err, st, text);
}

/* ---- keys ---- */

/* Numbers without needless zeros, "0/12/3"; their count, or -1. */
static int
parse_index(const char *s, uint64_t *out)
{
	int n = 0;

	for (;;) {
		uint64_t v = 0;

		if (n == ZINC_MAX_NDIM || *s < '0' || *s > '9' || (*s == '0' && s[1] >= '0' && s[1] <= '9'))
			return -1;
		for (; *s >= '0' && *s <= '9'; s++)
			if (__builtin_mul_overflow(v, (uint64_t)10, &v) ||
			    __builtin_add_overflow(v, (uint64_t)(*s - '0'), &v))
				return -1;
		out[n++] = v;
		if (!*s)
			return n;
		if (*s++ != '/')
			return -1;
	}
}

/* The node's path, and what follows it.  For chunks the last component "c" counts: behind it are numbers only. */
struct parsed {
	char *path;
	int n; /* of the index; -1: the document */
	uint64_t index[ZINC_MAX_NDIM];
};

static bool
ends_in_document(const char *key, size_t *path)
{
	static const char name[] = "zarr.json";
	const size_t n = strlen(key), m = sizeof name - 1;

	if (n < m || strcmp(key + n - m, name) != 0 || (n > m && key[n - m - 1] != '/'))
		return false;
	*path = n > m ? n - m - 1 : 0;
	return true;
}

static bool
ends_in_chunk(const char *key, size_t *path, struct parsed *out)
{
	size_t n = strlen(key);

	while (n > 0 && !(key[n - 1] == 'c' && (n == 1 || key[n - 2] == '/') && (key[n] == '/' || !key[n])))
		n--;
	if (n == 0)
		return false;
	out->n = key[n] ? parse_index(key + n + 1, out->index) : 0;
	*path = n > 1 ? n - 2 : 0;
	return out->n >= 0;
}

/* E_NOTFOUND: no key of a version 3 hierarchy. */
static zinc_status
parse_key(const char *key, struct parsed *out, zinc_error *err)
{
	size_t path;

	out->n = -1;
	if (!ends_in_document(key, &path) && !ends_in_chunk(key, &path, out))
		return face_fail(err, ZINC_E_NOTFOUND, "no such key");
	out->path = strndup(key, path);
	return out->path ? ZINC_OK : face_nomem(err);
}

/* ---- values ---- */

static zinc_status
find_chunk(struct face *f, struct node *node, size_t recipe, const struct parsed *k, bool make, struct place *out,
	   const zinc_wait *wait, zinc_error *err)
{
	const struct recipe *r;
	int d;

	if (node->kind != ZINC_NODE_ARRAY)
		return face_fail(err, ZINC_E_NOTFOUND, "a group has no chunks");
	r = &node->recipes.r[recipe];
	if (r->leaf.group || k->n != r->ndim)
		return face_fail(err, ZINC_E_NOTFOUND, "no such chunk");
	for (d = 0; d < k->n; d++)
		if (k->index[d] >= r->grid[d])
			return face_fail(err, ZINC_E_NOTFOUND, "no such chunk");
	return chunk_find(f, node, r, k->index, make, out, wait, err);
}

static zinc_status
find_parsed(struct face *f, const struct parsed *k, bool make, struct place *out, const zinc_wait *wait,
	    zinc_error *err)
{
	const zinc_call_options call = call_until(wait);
	struct node *node = NULL;
	size_t recipe = 0;
	zinc_status st = node_find(f, k->path, &node, &recipe, &call, err);

	if (st == ZINC_OK && k->n < 0)
		st = node_document(f, node, recipe, &out->blob, &call, err);
	else if (st == ZINC_OK)
		st = find_chunk(f, node, recipe, k, make, out, wait, err);
	node_unref(node);
	return st;
}

/* Where the value of a key is; a key of the source may still be missing there.  Without `make`: E_UNSUPPORTED for what is
 * made here.  An array that was written anew meanwhile is looked at again. */
static zinc_status
find(struct face *f, const char *key, bool make, struct place *out, const zinc_wait *wait, zinc_error *err)
{
	struct parsed k = {NULL, -1, {0}};
	zinc_status st = parse_key(key, &k, err);
	int tries;

	*out = (struct place){NULL, NULL};
	if (st == ZINC_OK && k.n < 0 && !make)
		st = face_fail(err, ZINC_E_UNSUPPORTED, "this value is in no file");
	for (tries = 0; st == ZINC_OK && tries < 3; tries++) {
		st = find_parsed(f, &k, make, out, wait, err);
		if (st != ZINC_E_CONFLICT)
			break;
		st = tries < 2 ? ZINC_OK : st;
	}
	free(k.path);
	return st;
}

static void
place_fini(struct place *p)
{
	blob_unref(p->blob);
	free(p->key);
}

/* ---- answers ---- */

static void
answer(const zinc_sink *sink, size_t i, zinc_found found, zinc_status st, const zinc_error *err)
{
	static const zinc_tag none = {0, {0}};
	const zinc_got got = {.size = sizeof got, .found = found, .tag = &none, .status = st, .error = err};

	sink->done(sink->arg, i, &got);
}

/* What is asked of the source is a document or a chunk: a directory there is damage.  Of a key that somebody asks for it
 * means that there is no such key. */
static const zinc_error *
without_directory(const zinc_error *err, zinc_error *room)
{
	if (!err || err->os_error != EISDIR)
		return err;
	*room = *err;
	room->os_error = 0;
	return room;
}

static void
answer_failure(const zinc_sink *sink, size_t i, zinc_status st, const zinc_error *err)
{
	zinc_error room;

	err = without_directory(err, &room);
	answer(sink, i, st == ZINC_E_NOTFOUND ? ZINC_MISSING : ZINC_FAILED, st == ZINC_E_NOTFOUND ? ZINC_OK : st, err);
}

static bool
same_tag(const zinc_tag *a, const zinc_tag *b)
{
	return a->n == b->n && !memcmp(a->b, b->b, a->n);
}

static uint64_t
smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Room for the bytes: it becomes free when other calls end, so ask again. */
static zinc_status
ask_room(const zinc_sink *sink, size_t i, uint64_t nbytes, void **buf, const zinc_wait *wait, zinc_error *err)
{
	const struct timespec pause = {0, 1000000};
	zinc_room room;
	zinc_status st;

	while ((room = sink->room(sink->arg, i, nbytes, buf)) == ZINC_ROOM_NOT_NOW) {
		st = zinc_wait_check(wait, err);
		if (st != ZINC_OK)
			return st;
		nanosleep(&pause, NULL);
	}
	return room == ZINC_ROOM_OK ? ZINC_OK : face_nomem(err);
}

static void
scatter(const struct iovec *iov, int niov, const char *from, uint64_t nbytes)
{
	int i;

	for (i = 0; i < niov && nbytes > 0; i++) {
		const size_t n = (size_t)smaller(iov[i].iov_len, nbytes);

		memcpy(iov[i].iov_base, from, n);
		from += n;
		nbytes -= n;
	}
}

static zinc_status
deliver(const zinc_get *q, const struct blob *b, const zinc_sink *sink, size_t i, zinc_got *got, const zinc_wait *wait,
	zinc_error *err)
{
	const uint64_t offset = q->suffix ? b->nbytes - smaller(q->length, b->nbytes) : smaller(q->offset, b->nbytes);
	void *to = NULL;
	zinc_status st;

	got->nbytes = smaller(q->length, b->nbytes - offset);
	if (q->limit && got->nbytes > q->limit)
		return face_fail(err, ZINC_E_LIMIT, "the value has more bytes than are accepted");
	if (q->iov) {
		scatter(q->iov, q->niov, (const char *)b->bytes + offset, got->nbytes);
		return ZINC_OK;
	}
	st = ask_room(sink, i, got->nbytes, &to, wait, err);
	if (st == ZINC_OK && got->nbytes)
		memcpy(to, (const char *)b->bytes + offset, (size_t)got->nbytes);
	return st;
}

static void
serve_blob(const zinc_get *q, const struct blob *b, const zinc_sink *sink, size_t i, const zinc_wait *wait)
{
	zinc_got got = {.size = sizeof got, .found = ZINC_FOUND, .object_size = b->nbytes, .tag = &b->tag};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_status st;

	if (q->if_tag && !same_tag(q->if_tag, &b->tag)) {
		answer(sink, i, ZINC_CHANGED, ZINC_OK, NULL);
		return;
	}
	st = q->stat ? ZINC_OK : deliver(q, b, sink, i, &got, wait, &err);
	if (st == ZINC_OK)
		sink->done(sink->arg, i, &got);
	else
		answer_failure(sink, i, st, &err);
}

/* ---- values of the source ---- */

struct relay {
	const zinc_sink *to;
	size_t i;
	const char *key;
	bool answered;
	zinc_found found; /* of a request for the tag alone */
	zinc_tag tag;
};

static zinc_room
relay_room(void *arg, size_t i, uint64_t nbytes, void **buf)
{
	const struct relay *r = arg;

	(void)i;
	return r->to->room(r->to->arg, r->i, nbytes, buf);
}

static void
relay_done(void *arg, size_t i, const zinc_got *got)
{
	struct relay *r = arg;
	zinc_got mine = *got;
	zinc_tag tag = {0, {0}};
	zinc_error room;

	(void)i;
	mine.error = without_directory(got->error, &room);
	if (got->found == ZINC_FOUND && got->tag)
		chunk_tag(r->key, got->tag, &tag);
	mine.tag = &tag;
	r->to->done(r->to->arg, r->i, &mine);
}

static void
tag_done(void *arg, size_t i, const zinc_got *got)
{
	struct relay *r = arg;

	(void)i;
	r->found = got->found;
	if (got->found == ZINC_FOUND)
		r->tag = *got->tag;
	else if (got->found == ZINC_FAILED)
		relay_done(arg, i, got);
}

/* The caller's condition is about the tag that is served: find out which tag of the source that is. */
static zinc_status
translate_condition(struct face *f, struct relay *r, const zinc_get *q, zinc_get *out, const zinc_wait *wait,
		    zinc_error *err)
{
	const zinc_get stat = {.key = r->key, .length = ZINC_TO_END, .stat = 1};
	const zinc_sink sink = {sizeof sink, NULL, tag_done, r};
	zinc_tag mine;
	zinc_status st = zinc_store_get(f->source, &stat, 1, &sink, wait, err);

	if (st != ZINC_OK)
		return st;
	r->answered = r->found == ZINC_FAILED;
	chunk_tag(r->key, &r->tag, &mine);
	if (r->found == ZINC_MISSING || (r->found == ZINC_FOUND && !same_tag(&mine, q->if_tag))) {
		answer(r->to, r->i, r->found == ZINC_MISSING ? ZINC_MISSING : ZINC_CHANGED, ZINC_OK, NULL);
		r->answered = true;
	}
	out->if_tag = &r->tag;
	return ZINC_OK;
}

static void
serve_source(struct face *f, const zinc_get *q, const char *key, const zinc_sink *sink, size_t i, const zinc_wait *wait)
{
	struct relay r = {.to = sink, .i = i, .key = key};
	const zinc_sink mine = {sizeof mine, relay_room, relay_done, &r};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_get request = *q;
	zinc_status st = ZINC_OK;

	request.key = key;
	if (q->if_tag)
		st = translate_condition(f, &r, q, &request, wait, &err);
	if (st == ZINC_OK && !r.answered)
		st = zinc_store_get(f->source, &request, 1, &mine, wait, &err);
	if (st != ZINC_OK)
		answer_failure(sink, i, st, &err);
}

/* A source without tags: the hash of the bytes. */
static void
serve_hashed(struct face *f, const zinc_get *q, const char *key, const zinc_sink *sink, size_t i, const zinc_wait *wait)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_blob bytes = ZINC_BLOB_INIT;
	struct blob *b;
	zinc_status st = zinc_store_get_all(f->source, key, &bytes, NULL, HASH_MOST, wait, &err);

	if (st == ZINC_E_LIMIT && !q->if_tag) {
		serve_source(f, q, key, sink, i, wait);
		return;
	}
	if (st != ZINC_OK) {
		answer_failure(sink, i, st, &err);
		return;
	}
	b = blob_of_bytes(&bytes, NULL);
	if (b)
		serve_blob(q, b, sink, i, wait);
	else
		answer_failure(sink, i, face_nomem(&err), &err);
	blob_unref(b);
}

/* ---- the slots ---- */

static void
get_one(struct face *f, const zinc_get *q, const zinc_sink *sink, size_t i, const zinc_wait *wait)
{
	zinc_error err = ZINC_ERROR_INIT;
	struct place p;
	const zinc_status st = find(f, q->key, true, &p, wait, &err);

	if (st != ZINC_OK)
		answer_failure(sink, i, st, &err);
	else if (p.blob)
		serve_blob(q, p.blob, sink, i, wait);
	else if (f->tags || (q->untagged && !q->if_tag))
		serve_source(f, q, p.key, sink, i, wait);
	else
		serve_hashed(f, q, p.key, sink, i, wait);
	place_fini(&p);
}

static zinc_status
face_get(void *self, const zinc_get *requests, size_t n, const zinc_sink *sink, const zinc_wait *wait, zinc_error *err)
{
	size_t i;

	(void)err;
	for (i = 0; i < n; i++)
		get_one(self, &requests[i], sink, i, wait);
	return ZINC_OK;
}

static zinc_status
face_lend(void *self, const char *key, zinc_lent *out, const zinc_wait *wait, zinc_error *err)
{
	struct face *f = self;
	zinc_error why = ZINC_ERROR_INIT; /* may be written although all succeeds in the end */
	struct place p;
	zinc_tag tag;
	zinc_status st = find(f, key, false, &p, wait, &why); /* quick: no walks, no recoding */

	if (st == ZINC_OK && (!p.key || !f->tags))
		st = face_fail(&why, ZINC_E_UNSUPPORTED, "this value is in no file");
	if (st == ZINC_OK)
		st = zinc_store_lend(f->source, p.key, out, wait, &why);
	if (st == ZINC_OK) {
		chunk_tag(p.key, &out->tag, &tag);
		out->tag = tag;
	} else if (err) {
		*err = why;
	}
	place_fini(&p);
	return st;
}

static void
face_caps(void *self, zinc_caps *out)
{
	struct face *f = self;
	zinc_caps source = ZINC_CAPS_INIT;

	zinc_store_caps(f->source, &source);
	out->flags =
	    source.flags & (ZINC_CAP_READ | ZINC_CAP_RANGE | ZINC_CAP_SUFFIX_RANGE | ZINC_CAP_REMOTE | ZINC_CAP_TAGS);
	out->parallel = source.parallel;
	out->merge_gap = source.merge_gap;
}

static void
face_close(void *self)
{
	struct face *f = self;

	nodes_free(f->nodes);
	cache_free(f->cache);
	zinc_hierarchy_close(f->twins);
	zinc_store_close(f->memory);
	zinc_store_close(f->source);
	free(f->root);
	free(f);
}

static const zinc_store_ops ops = {
    .size = sizeof ops,
    .name = "v3",
    .purpose = "a hierarchy of any format as Zarr version 3",
    .close = face_close,
    .caps = face_caps,
    .get = face_get,
    .lend = face_lend,
};

/* ---- opening ---- */

/* "/" and "a/b/" are "" and "/a/b". */
static char *
plain_path(const char *path)
{
	struct text t = TEXT_INIT(1u << 20);
	size_t n;

	while (*path == '/')
		path++;
	for (n = strlen(path); n > 0 && path[n - 1] == '/';)
		n--;
	text_add(&t, n ? "/" : "");
	text_bytes(&t, path, n);
	return text_take(&t);
}

static zinc_status
open_twins(struct face *f, zinc_context *ctx, zinc_error *err)
{
	const zinc_store_options *in_memory = ZINC_STORE_OPTIONS(.context = ctx);
	const zinc_open_options *how = ZINC_OPEN_OPTIONS(.context = ctx, .format = "v3", .create = 1);
	zinc_status st = zinc_store_open(&f->memory, "memory://", in_memory, err);

	return st == ZINC_OK ? zinc_hierarchy_open(&f->twins, f->memory, "", how, err) : st;
}

/* `h` outlives the store. */
zinc_status
face_v3_open(zinc_store **out, zinc_hierarchy *h, const char *path, uint64_t memory, zinc_error *err)
{
	zinc_store *source = zinc_hierarchy_store(h);
	zinc_caps caps = ZINC_CAPS_INIT;
	struct face *f = calloc(1, sizeof *f);
	zinc_status st;

	if (!f)
		return face_nomem(err);
	zinc_store_caps(source, &caps);
	f->h = h;
	f->source = zinc_store_ref(source);
	f->tags = (caps.flags & ZINC_CAP_TAGS) != 0;
	f->lists = (caps.flags & (ZINC_CAP_LIST | ZINC_CAP_REMOTE)) == ZINC_CAP_LIST;
	f->root = plain_path(path ? path : zinc_hierarchy_path(h));
	f->nodes = nodes_new(caps.flags & ZINC_CAP_REMOTE ? 10.0 : 2.0);
	f->cache = cache_new(memory);
	st = f->root && f->nodes && f->cache ? open_twins(f, zinc_store_context(source), err) : face_nomem(err);
	if (st == ZINC_OK)
		st = zinc_store_wrap(out, zinc_store_context(source), &ops, f, zinc_store_url(source), err);
	if (st != ZINC_OK)
		face_close(f);
	return st;
}
