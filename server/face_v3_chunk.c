/*
 * face_v3_chunk.c - chunks that are encoded again
 *
 *     explain       which objects of the source hold the elements; is any of them there?  Their tags
 *     read          the elements, in the type of the source
 *     convert       fields, times, texts
 *     encode        with an array in memory that has the document that is served
 *
 * Promises (tests/unit/test_face_v3.c names each by its number):
 *
 * (1) A chunk that is not stored is E_NOTFOUND; one that does not decode is the error of its decoding, never missing.
 * (2) A tag is given only to bytes that were made while the source had the tags it is made of, and the description by
 *     which they were decoded: another description of the source has other tags, although the same document is served.
 * (3) Chunks of more than FACE_CHUNK_BYTES, decoded, are E_LIMIT.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zinc/tool.h>

#include "face_v3.h"

#define SHORT_TEXTS ((uint64_t)4 << 20)

/* One chunk on its way. */
struct work {
	struct face *f;
	struct node *n;
	const struct recipe *r;
	const uint64_t *index;
	const zinc_wait *wait;
	zinc_call_options call;
	uint64_t start[ZINC_MAX_NDIM], count[ZINC_MAX_NDIM]; /* elements that are served */
	uint64_t elements;                                   /* of the source */
	uint64_t parts;                                      /* that are served */
	void *source, *target;
	uint64_t source_bytes, target_bytes;
	char *texts;        /* that variable-length elements point to */
	uint64_t most_text; /* bytes of texts of the source */
	zinc_arena *arena;
	bool stale; /* the array has another description by now */
};

zinc_call_options
call_until(const zinc_wait *wait)
{
	zinc_call_options call = ZINC_CALL_OPTIONS_INIT;
	const double left = wait ? zinc_wait_left(wait) : HUGE_VAL;

	if (wait)
		call.cancel = wait->cancel;
	if (left < 1e9)
		call.timeout = left > 1e-3 ? left : 1e-3;
	return call;
}

/* ---- tags ---- */

void
chunk_tag(const char *key, const zinc_tag *source, zinc_tag *out)
{
	memset(out, 0, sizeof *out);
	if (source->n == 0)
		return;
	out->n = HASH_BYTES;
	hash_add(out->b, "same", 4);
	hash_add(out->b, key, strlen(key));
	hash_add(out->b, source->b, source->n);
}

struct stat {
	zinc_found found;
	zinc_tag tag;
	zinc_status st;
	zinc_error *err;
};

static void
stat_done(void *arg, size_t i, const zinc_got *got)
{
	struct stat *s = arg;

	(void)i;
	s->found = got->found;
	if (got->found == ZINC_FOUND) {
		s->tag = *got->tag;
	} else if (got->found == ZINC_FAILED) {
		s->st = got->status ? got->status : ZINC_E_IO;
		if (got->error && s->err)
			*s->err = *got->error;
		else
			zinc_error_set(s->err, s->st, "the store failed");
	}
}

static zinc_status
stat_source(struct face *f, const char *key, zinc_found *found, zinc_tag *tag, const zinc_wait *wait, zinc_error *err)
{
	struct stat s = {ZINC_MISSING, {0, {0}}, ZINC_OK, err};
	const zinc_get request = {.key = key, .length = ZINC_TO_END, .stat = 1};
	const zinc_sink sink = {sizeof sink, NULL, stat_done, &s};
	zinc_status st = zinc_store_get(f->source, &request, 1, &sink, wait, err);

	*found = s.found;
	*tag = s.tag;
	return st != ZINC_OK ? st : s.st;
}

/* What the elements come from. */
struct sources {
	struct work *w;
	bool present, tagged;
	zinc_tag tag;
	char *last; /* the key that was added last: inner chunks of a shard share it */
	zinc_status st;
	zinc_error *err;
};

static int
add_source(void *arg, const zinc_chunk *chunk)
{
	struct sources *s = arg;
	zinc_found found;
	zinc_tag tag;

	s->present = s->present || chunk->present;
	if (s->last && !strcmp(s->last, chunk->key))
		return 0;
	free(s->last);
	s->last = strdup(chunk->key);
	s->st = s->last ? stat_source(s->w->f, chunk->key, &found, &tag, s->w->wait, s->err) : face_nomem(s->err);
	if (s->st != ZINC_OK)
		return 1;
	hash_add(s->tag.b, chunk->key, strlen(chunk->key));
	hash_add(s->tag.b, found == ZINC_FOUND ? "found" : "missing", found == ZINC_FOUND ? 5 : 7);
	hash_add(s->tag.b, tag.b, tag.n);
	s->tagged = s->tagged && (found != ZINC_FOUND || tag.n > 0);
	return 0;
}

/* Promise (1): the shard's index tells which inner chunks there are, and an index that is damaged is an error. */
static zinc_status
find_sources(struct work *w, const zinc_selection *box, bool *present, zinc_tag *tag, zinc_error *err)
{
	struct sources s = {w, false, true, {0, {0}}, NULL, ZINC_OK, err};
	zinc_explanation cost = ZINC_EXPLANATION_INIT;
	zinc_io_options io = ZINC_IO_OPTIONS_INIT;
	zinc_status st;

	io.call = &w->call;
	hash_add(s.tag.b, w->r->document, strlen(w->r->document));
	hash_add(s.tag.b, w->n->described, HASH_BYTES);
	hash_add(s.tag.b, w->r->leaf.name, strlen(w->r->leaf.name)); /* fields of one type have equal documents */
	hash_add(s.tag.b, w->index, (size_t)w->r->ndim * sizeof *w->index);
	st = zinc_array_explain(w->n->array, box, &io, add_source, &s, &cost, err);
	free(s.last);
	if (s.st != ZINC_OK)
		return s.st;
	if (st != ZINC_OK)
		return st;
	s.tag.n = s.tagged ? HASH_BYTES : 0;
	*present = s.present;
	*tag = s.tag;
	return ZINC_OK;
}

/* ---- reading ---- */

static bool
multiply(uint64_t *n, uint64_t by)
{
	return !__builtin_mul_overflow(*n, by, n) && *n <= FACE_CHUNK_BYTES;
}

/* Promise (3), for the elements that are read and for the whole chunk that is encoded. */
static zinc_status
measure(struct work *w, zinc_error *err)
{
	const struct recipe *r = w->r;
	uint64_t whole = 1;
	bool fits = true;
	int d;

	w->elements = w->parts = 1;
	for (d = 0; d < r->ndim; d++) {
		w->start[d] = w->index[d] * r->chunk[d];
		w->count[d] = r->shape[d] - w->start[d] < r->chunk[d] ? r->shape[d] - w->start[d] : r->chunk[d];
		fits = fits && multiply(&whole, r->chunk[d]) && multiply(&w->parts, w->count[d]);
		if (d < r->source_ndim)
			fits = fits && multiply(&w->elements, r->chunk[d]);
	}
	w->source_bytes = w->elements;
	w->target_bytes = whole;
	fits =
	    fits && multiply(&w->source_bytes, r->variable ? sizeof(zinc_vlen) : r->element_size) &&
	    multiply(&w->target_bytes, r->leaf.kind == LEAF_TEXT || r->variable ? sizeof(zinc_vlen) : r->leaf.nbytes);
	for (w->elements = 1, d = 0; d < r->source_ndim; d++)
		w->elements *= w->count[d];
	return fits ? ZINC_OK
		    : face_fail(err, ZINC_E_LIMIT, "the chunk has more than %llu MiB, too many to encode it again",
				(unsigned long long)(FACE_CHUNK_BYTES >> 20));
}

static zinc_status
read_elements(struct work *w, const zinc_selection *box, zinc_error *err)
{
	const struct recipe *r = w->r;
	const uint64_t nbytes = w->elements * (r->variable ? sizeof(zinc_vlen) : r->element_size);
	zinc_buffer to = ZINC_BUFFER_INIT(ZINC_NATIVE, NULL, (size_t)nbytes);
	zinc_io_options io = ZINC_IO_OPTIONS_INIT;
	zinc_status st;

	io.call = &w->call;
	w->source = malloc((size_t)nbytes + 1);
	if (!w->source)
		return face_nomem(err);
	to.data = w->source;
	if (r->variable) {
		st = zinc_arena_new(&w->arena, zinc_store_context(w->f->source), (size_t)w->most_text, err);
		if (st != ZINC_OK)
			return st;
		to.arena = w->arena;
	}
	return zinc_array_read(w->n->array, box, &to, &io, err);
}

/* ---- converting ---- */

/* The parts of one element, along the axes from `axis` on. */
static uint8_t *
gather(const struct leaf *leaf, const uint8_t *from, int axis, uint8_t *to)
{
	uint64_t i;

	if (axis == leaf->naxes) {
		memcpy(to, from, (size_t)leaf->nbytes);
		return to + leaf->nbytes;
	}
	for (i = 0; i < leaf->axis[axis]; i++)
		to = gather(leaf, from + i * leaf->stride[axis], axis + 1, to);
	return to;
}

/* The elements as they are, or the leaf of each. */
static zinc_status
take_leaf(struct work *w, zinc_error *err)
{
	const struct leaf *leaf = &w->r->leaf;
	const uint8_t *from = w->source;
	uint8_t *to;
	uint64_t i;

	if (!leaf->record) {
		w->target = w->source;
		w->source = NULL;
		return ZINC_OK;
	}
	to = w->target = malloc((size_t)(w->parts * leaf->nbytes) + 1);
	if (!to)
		return face_nomem(err);
	for (i = 0; i < w->elements; i++)
		to = gather(leaf, from + i * w->r->element_size + leaf->offset, 0, to);
	free(w->source);
	w->source = NULL;
	return ZINC_OK;
}

/* One character in UTF-8; NULL: there is none. */
static char *
put_utf8(char *to, uint32_t c)
{
	if (c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
		return NULL;
	if (c < 0x80) {
		*to++ = (char)c;
		return to;
	}
	if (c >= 0x10000) {
		*to++ = (char)(0xf0 | c >> 18);
		*to++ = (char)(0x80 | (c >> 12 & 0x3f));
		*to++ = (char)(0x80 | (c >> 6 & 0x3f));
	} else if (c >= 0x800) {
		*to++ = (char)(0xe0 | c >> 12);
		*to++ = (char)(0x80 | (c >> 6 & 0x3f));
	} else {
		*to++ = (char)(0xc0 | c >> 6);
	}
	*to++ = (char)(0x80 | (c & 0x3f));
	return to;
}

/* Characters without the zeros behind them, as NumPy shows them; NULL: one of them is none. */
static char *
put_text(char *to, const uint8_t *from, uint64_t nbytes)
{
	uint64_t n = nbytes / 4, i;
	uint32_t c;

	for (; n > 0; n--) {
		memcpy(&c, from + 4 * (n - 1), 4);
		if (c)
			break;
	}
	for (i = 0; to && i < n; i++) {
		memcpy(&c, from + 4 * i, 4);
		to = put_utf8(to, c);
	}
	return to;
}

/* No character has more bytes in UTF-8 than in UTF-32. */
static zinc_status
make_texts(struct work *w, zinc_error *err)
{
	const uint64_t nbytes = w->r->leaf.nbytes;
	zinc_vlen *texts = calloc((size_t)w->parts, sizeof *texts);
	char *to = w->texts = malloc((size_t)(w->parts * nbytes) + 1), *end;
	uint64_t i;

	for (i = 0; texts && to && i < w->parts; i++, to = end) {
		end = put_text(to, (const uint8_t *)w->target + i * nbytes, nbytes);
		if (!end) {
			free(texts);
			return face_fail(err, ZINC_E_UNSUPPORTED,
					 "a text has a number that is no character of Unicode");
		}
		texts[i] = (zinc_vlen){to, (uint64_t)(end - to)};
	}
	if (!texts || !w->texts) {
		free(texts);
		return face_nomem(err);
	}
	free(w->target);
	w->target = texts;
	return ZINC_OK;
}

static zinc_status
convert(struct work *w, zinc_error *err)
{
	const struct leaf *leaf = &w->r->leaf;
	zinc_status st = take_leaf(w, err);

	if (st == ZINC_OK && leaf->kind == LEAF_TEXT)
		st = make_texts(w, err);
	if (st == ZINC_OK && (leaf->kind == LEAF_DATE || leaf->kind == LEAF_SPAN))
		st = time_convert(&leaf->time, w->target, w->parts, err);
	return st;
}

/* ---- encoding ---- */

/* The array in memory has the document that is served, and so its codecs; the chunk at the edge is filled up. */
static zinc_status
encode(struct work *w, zinc_blob *out, zinc_error *err)
{
	const struct recipe *r = w->r;
	const bool vlen = r->variable || r->leaf.kind == LEAF_TEXT;
	const zinc_buffer from = ZINC_BUFFER_INIT(r->leaf.stored, w->target,
						  (size_t)(w->parts * (vlen ? sizeof(zinc_vlen) : r->leaf.nbytes)));
	const zinc_selection *box = ZINC_SELECTION(.kind = r->ndim ? ZINC_SELECT_BOX : ZINC_SELECT_ALL, .ndim = r->ndim,
						   .start = w->start, .count = w->count);
	zinc_io_options io = ZINC_IO_OPTIONS_INIT;
	zinc_array *twin = NULL;
	char path[32];
	zinc_status st;

	snprintf(path, sizeof path, "/t%llu",
		 (unsigned long long)__atomic_add_fetch(&w->f->counter, 1, __ATOMIC_RELAXED));
	st = zinc_array_open_document(&twin, w->f->twins, path, r->document, err);
	if (st != ZINC_OK)
		return st;
	io.store_fill = io.relaxed = io.single_writer = 1;
	io.threads = 1;
	io.call = &w->call;
	st = zinc_array_write(twin, box, &from, &io, err);
	if (st == ZINC_OK)
		st = zinc_array_chunk_get(twin, w->index, out, &w->call, err);
	if (zinc_array_chunk_put(twin, w->index, NULL, 0, NULL, NULL) != ZINC_OK && st == ZINC_OK)
		st = face_nomem(err);
	zinc_array_close(twin);
	return st;
}

static void
work_fini(struct work *w)
{
	free(w->source);
	free(w->target);
	free(w->texts);
	zinc_arena_free(w->arena);
	w->source = w->target = w->texts = NULL;
	w->arena = NULL;
}

static zinc_status
make(struct work *w, const zinc_selection *box, const zinc_tag *tag, struct blob **out, zinc_error *err)
{
	const uint64_t need = 2 * (w->source_bytes + w->target_bytes + w->most_text);
	zinc_blob bytes = ZINC_BLOB_INIT;
	zinc_status checked, st = cache_reserve(w->f->cache, need, w->wait, err);

	if (st != ZINC_OK)
		return st;
	st = read_elements(w, box, err);
	if (st == ZINC_OK)
		st = convert(w, err);
	if (st == ZINC_OK)
		st = encode(w, &bytes, err);
	work_fini(w);
	cache_release(w->f->cache, need);
	checked = node_check(w->f, w->n, &w->call, st == ZINC_OK ? err : NULL);
	w->stale = checked == ZINC_E_CONFLICT;
	st = st == ZINC_OK || w->stale ? checked : st;
	if (st != ZINC_OK) {
		zinc_blob_fini(&bytes);
		return st;
	}
	*out = blob_of_bytes(&bytes, tag->n ? tag : NULL);
	return *out ? ZINC_OK : face_nomem(err);
}

/* The bytes of texts are not known before they are read: so that chunks of short ones need not wait for each other,
 * little memory is tried first. */
static zinc_status
make_any(struct work *w, const zinc_selection *box, const zinc_tag *tag, struct blob **out, zinc_error *err)
{
	zinc_error first = ZINC_ERROR_INIT;
	zinc_status st;

	w->most_text = w->r->variable ? SHORT_TEXTS : 0;
	st = make(w, box, tag, out, &first);
	if (st == ZINC_E_LIMIT && w->r->variable) {
		w->most_text = FACE_CHUNK_BYTES;
		return make(w, box, tag, out, err);
	}
	if (st != ZINC_OK && err)
		*err = first;
	return st;
}

/* Promise (2). */
static zinc_status
make_confirmed(struct work *w, const zinc_selection *box, const zinc_tag *tag, struct blob **out, zinc_error *err)
{
	zinc_tag after;
	bool present;
	zinc_status st = make_any(w, box, tag, out, err);

	if (st != ZINC_OK || !tag->n)
		return st;
	st = find_sources(w, box, &present, &after, err);
	if (st == ZINC_OK && (after.n != tag->n || memcmp(after.b, tag->b, tag->n) != 0))
		st = face_fail(err, ZINC_E_CONFLICT, "the chunk changes while it is read");
	if (st != ZINC_OK) {
		blob_unref(*out);
		*out = NULL;
	}
	return st;
}

static zinc_status
recode_once(struct work *w, struct blob **out, zinc_error *err)
{
	const zinc_selection *box = ZINC_SELECTION(.kind = w->r->source_ndim ? ZINC_SELECT_BOX : ZINC_SELECT_ALL,
						   .ndim = w->r->source_ndim, .start = w->start, .count = w->count);
	bool present = false;
	zinc_tag tag;
	zinc_status st = find_sources(w, box, &present, &tag, err);

	*out = NULL;
	if (st != ZINC_OK)
		return st;
	if (!present && w->r->leaf.same_fill)
		return face_fail(err, ZINC_E_NOTFOUND, "no such chunk");
	if (!tag.n)
		return make_any(w, box, &tag, out, err);
	st = cache_find(w->f->cache, &tag, out, w->wait, err);
	if (st != ZINC_OK || *out)
		return st;
	st = make_confirmed(w, box, &tag, out, err);
	cache_done(w->f->cache, &tag, *out);
	return st;
}

static zinc_status
recode(struct work *w, struct blob **out, zinc_error *err)
{
	zinc_status st = measure(w, err);
	int tries;

	if (st != ZINC_OK)
		return st;
	for (tries = 0; tries < 3; tries++) {
		st = recode_once(w, out, err);
		if (st != ZINC_E_CONFLICT || w->stale)
			break;
	}
	return st;
}

/* ---- chunks ---- */

/* The source has it under its own key; false: as it is not stored, it must be made. */
static zinc_status
pass_on(struct work *w, char **key, bool *made, zinc_error *err)
{
	zinc_blob text = ZINC_BLOB_INIT;
	zinc_found found = ZINC_FOUND;
	zinc_tag tag;
	zinc_status st = zinc_array_chunk_key(w->n->array, w->index, &text, err);

	if (st == ZINC_OK && !w->r->leaf.same_fill)
		st = stat_source(w->f, text.data, &found, &tag, w->wait, err);
	*made = found == ZINC_MISSING;
	if (st == ZINC_OK && !*made && !(*key = strdup(text.data)))
		st = face_nomem(err);
	zinc_blob_fini(&text);
	return st;
}

zinc_status
chunk_find(struct face *f, struct node *n, const struct recipe *r, const uint64_t *index, bool make, struct place *out,
	   const zinc_wait *wait, zinc_error *err)
{
	struct work w = {.f = f, .n = n, .r = r, .index = index, .wait = wait, .call = call_until(wait)};
	bool made = true;
	zinc_status st = ZINC_OK;

	if (r->pass)
		st = pass_on(&w, &out->key, &made, err);
	if (st != ZINC_OK || !made)
		return st;
	if (!make)
		return face_fail(err, ZINC_E_UNSUPPORTED, "this value is in no file");
	st = recode(&w, &out->blob, err);
	if (w.stale)
		node_forget(f, n);
	return st;
}
