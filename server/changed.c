/*
 * changed.c - what the server answers itself: what is served, and whether a selection has changed
 *
 * The tag of a selection is a hash of the node's document and of the tags of the stored objects that it touches, of
 * OBJECTS at most.  It differs when one of them was written, made or erased.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zinc/cf.h>
#include <zinc/tool.h>

#include "api.h"

#define OBJECTS 1024

/* ---- JSON ---- */

/* "s" as a JSON string; what is no UTF-8 cannot occur, as URLs and paths are checked. */
static void
put_string(FILE *f, const char *s)
{
	fputc('"', f);
	for (; *s; s++)
		if (*s == '"' || *s == '\\')
			fprintf(f, "\\%c", *s);
		else if ((unsigned char)*s < 0x20 || *s == 0x7f)
			fprintf(f, "\\u%04x", (unsigned)(unsigned char)*s);
		else
			fputc(*s, f);
	fputc('"', f);
}

/* Ends the document; an answer in any case. */
static void
give_json(struct answer *a, FILE *f, char **text, size_t *n)
{
	const bool failed = !f || ferror(f), closed = !f || fclose(f) == 0;

	if (failed || !closed || !*text) {
		free(*text);
		answer_text(a, 503, "out of memory\n");
		return;
	}
	a->status = 200;
	a->caching = "no-store";
	answer_bytes(a, "application/json", *text, *n, free, *text);
}

/* ---- about ---- */

void
answer_about(struct api *api, const struct request *q, struct answer *a)
{
	static const char *const kinds[] = {"none", "group", "array"};
	zinc_node_kind kind = ZINC_NODE_NONE;
	char url[8192] = "", *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);

	(void)q;
	if (api->url)
		zinc_url_show(url, sizeof url, api->url);
	if (zinc_node_exists(api->h, api->path, &kind, NULL, NULL) != ZINC_OK)
		kind = ZINC_NODE_NONE;
	if (f) {
		fputs("{\"version\":", f);
		put_string(f, zinc_version());
		fputs(",\"url\":", f);
		put_string(f, url);
		fputs(",\"path\":", f);
		put_string(f, api->path);
		fputs(",\"format\":", f);
		put_string(f, zinc_hierarchy_format(api->h));
		fprintf(f, ",\"kind\":\"%s\",\"remote\":%s,\"command\":%s}\n",
			kind == ZINC_NODE_ARRAY ? kinds[2] : kinds[kind == ZINC_NODE_GROUP],
			api->remote ? "true" : "false", api->command ? "true" : "false");
	}
	give_json(a, f, &text, &n);
}

/* ---- changed ---- */

struct objects {
	zinc_array *array;
	int ndim;
	const zinc_selection *selection;
	uint64_t grid[ZINC_MAX_NDIM];
	uint64_t index[ZINC_MAX_NDIM];
	zinc_blob key[OBJECTS];
	size_t n;
	unsigned char tag[OBJECTS][HASH_BYTES];
};

/* The object of item i of the selection along a dimension. */
static uint64_t
object_of(const struct objects *o, int d, uint64_t i)
{
	const zinc_select_dim *s = &o->selection->dims[d];

	const uint64_t at = s->list ? s->list[i] : s->start + i * (s->step ? s->step : 1);
	uint64_t object = 0;

	(void)zinc_array_chunk_find(o->array, d, at, &object); /* the array may have become shorter: then any will do */
	return object;
}

static zinc_status
note_key(struct objects *o, zinc_error *err)
{
	const zinc_status st = zinc_array_chunk_key(o->array, o->index, &o->key[o->n], err);

	o->n += st == ZINC_OK;
	return st;
}

static zinc_status note_keys(struct objects *o, int d, zinc_error *err);

/* All objects with these indices along the first dimensions, one of which is new along d. */
static zinc_status
note_at(struct objects *o, int d, uint64_t index, zinc_error *err)
{
	o->index[d] = index;
	return note_keys(o, d + 1, err);
}

/* Do whole objects count, not items of the selection? */
static bool
takes_all(const struct objects *o)
{
	return !o->selection->dims;
}

/* What there is to look at along a dimension: objects, or items. */
static uint64_t
length_of(const struct objects *o, int d)
{
	const zinc_select_dim *s = takes_all(o) ? NULL : &o->selection->dims[d];

	return !s ? o->grid[d] : s->list ? s->nlist : s->count;
}

/* The first item after i that may be in another object than `at`: many items share one. */
static uint64_t
next_item(const struct objects *o, int d, uint64_t i, uint64_t at)
{
	const zinc_select_dim *s = takes_all(o) ? NULL : &o->selection->dims[d];
	const uint64_t step = s && s->step ? s->step : 1;
	uint64_t start, extent, end;

	if (!s || s->list || !zinc_array_chunk_span(o->array, d, at, &start, &extent))
		return i + 1;
	if (__builtin_add_overflow(start, extent, &end))
		return UINT64_MAX; /* no item is behind that */
	return (end - s->start - 1) / step + 1;
}

/* The keys of the objects that the selection touches from dimension d on; no more than fit. */
static zinc_status
note_keys(struct objects *o, int d, zinc_error *err)
{
	uint64_t last = UINT64_MAX, n, i, at;
	zinc_status st = ZINC_OK;

	if (d == o->ndim)
		return note_key(o, err);
	n = length_of(o, d);
	for (i = 0; i < n && o->n < OBJECTS && st == ZINC_OK; i = next_item(o, d, i, at)) {
		at = takes_all(o) ? i : object_of(o, d, i);
		if (at != last)
			st = note_at(o, d, at, err);
		last = at;
	}
	return st;
}

/* Nothing is selected along a dimension: then looking along the others would find no key, however long it takes. */
static bool
is_empty(const struct objects *o)
{
	int d;

	for (d = 0; d < o->ndim; d++)
		if (length_of(o, d) == 0)
			return true;
	return false;
}

/* Called in any order, by any thread; each for its own place. */
static void
note_tag(void *arg, size_t i, const zinc_got *got)
{
	struct objects *o = arg;
	const unsigned char found = (unsigned char)got->found;

	hash_add(o->tag[i], &found, 1);
	if (got->found == ZINC_FOUND) {
		hash_add(o->tag[i], &got->object_size, sizeof got->object_size);
		hash_add(o->tag[i], got->tag->b, got->tag->n);
	}
}

static zinc_status
ask_tags(struct objects *o, zinc_store *store, const zinc_wait *wait, zinc_error *err)
{
	const zinc_sink sink = {sizeof sink, NULL, note_tag, o};
	zinc_get *gets = calloc(o->n ? o->n : 1, sizeof *gets);
	zinc_status st = ZINC_OK;
	size_t i;

	if (!gets)
		return zinc_error_set(err, ZINC_E_NOMEM, "out of memory");
	for (i = 0; i < o->n; i++)
		gets[i] = (zinc_get){.key = (const char *)o->key[i].data, .stat = 1};
	if (o->n > 0)
		st = zinc_store_get(store, gets, o->n, &sink, wait, err);
	free(gets);
	return st;
}

/* Add the objects of an array to the hash. */
static zinc_status
hash_objects(zinc_array *array, zinc_store *store, const char *select, unsigned char *hash, const zinc_wait *wait,
	     zinc_error *err)
{
	const zinc_call_options call = call_until(wait);
	struct objects *o = calloc(1, sizeof *o);
	zinc_selection *selection = NULL;
	zinc_status st;

	if (!o)
		return zinc_error_set(err, ZINC_E_NOMEM, "out of memory");
	o->array = array;
	o->ndim = zinc_array_ndim(array);
	st = zinc_selection_find(&selection, array, select, ZINC_FIND_OPTIONS(.call = &call), err);
	if (st == ZINC_OK) {
		o->selection = selection;
		if (!zinc_array_grid_shape(array, o->grid))
			memset(o->grid, 0, sizeof o->grid);
		st = is_empty(o) ? ZINC_OK : note_keys(o, 0, err);
	}
	if (st == ZINC_OK)
		st = ask_tags(o, store, wait, err);
	hash_add(hash, o->tag, o->n * HASH_BYTES);
	while (o->n > 0)
		zinc_blob_fini(&o->key[--o->n]);
	zinc_selection_free(selection);
	free(o);
	return st;
}

/* What is stored now: a handle of its own, as the server's may keep documents. */
static zinc_status
hash_node(zinc_hierarchy *h, const char *path, const char *select, unsigned char *hash, const zinc_wait *wait,
	  zinc_error *err)
{
	const zinc_call_options call = call_until(wait);
	zinc_blob document = ZINC_BLOB_INIT;
	zinc_array *array = NULL;
	zinc_node_kind kind = ZINC_NODE_NONE;
	zinc_status st = zinc_node_exists(h, path, &kind, &call, err);

	if (st == ZINC_OK && kind == ZINC_NODE_NONE)
		return zinc_error_set(err, ZINC_E_NOTFOUND, "there is no such node");
	if (st == ZINC_OK)
		st = zinc_node_document(h, path, &document, &call, err);
	if (st == ZINC_E_NOTFOUND) /* a group that exists only by its descendants */
		st = ZINC_OK;
	if (st == ZINC_OK)
		hash_add(hash, document.data, document.nbytes);
	zinc_blob_fini(&document);
	if (st != ZINC_OK || kind != ZINC_NODE_ARRAY)
		return st;
	st = zinc_array_open(&array, h, path, &call, err);
	if (st == ZINC_OK && !zinc_array_unsupported(array))
		st = hash_objects(array, zinc_hierarchy_store(h), select, hash, wait, err);
	zinc_array_close(array);
	return st;
}

static void
give_tag(struct answer *a, const unsigned char *hash)
{
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);
	int i;

	if (f) {
		fputs("{\"tag\":\"", f);
		for (i = 0; i < HASH_BYTES; i++)
			fprintf(f, "%02x", hash[i]);
		fputs("\"}\n", f);
	}
	give_json(a, f, &text, &n);
}

void
answer_changed(struct api *api, const struct request *q, struct answer *a)
{
	char *relative = query_value(q->query, "path"), *select = query_value(q->query, "s");
	char *path = api_node(api, relative ? relative : "");
	unsigned char hash[HASH_BYTES] = {0};
	zinc_open_options o = ZINC_OPEN_OPTIONS_INIT;
	zinc_error err = ZINC_ERROR_INIT;
	zinc_wait wait = ZINC_WAIT_INIT;
	zinc_hierarchy *h = NULL;
	zinc_status st = ZINC_E_NOMEM;

	wait.cancel = q->cancel;
	wait.until = q->until;
	o.format = zinc_hierarchy_format(api->h);
	o.read_only = 1;
	if (path)
		st = zinc_hierarchy_open(&h, zinc_hierarchy_store(api->h), zinc_hierarchy_prefix(api->h), &o, &err);
	else
		st = zinc_error_set(&err, ZINC_E_NOMEM, "out of memory");
	if (st == ZINC_OK)
		st = hash_node(h, path, select ? select : "", hash, &wait, &err);
	if (st == ZINC_OK)
		give_tag(a, hash);
	else
		answer_error(a, &err);
	zinc_hierarchy_close(h);
	free(path);
	free(select);
	free(relative);
}
