/*
 * register_transformer.c - a storage transformer of your own
 *
 * A storage transformer is a store between one array and its store.  This one, "example.veil", changes every byte of
 * a chunk: without it the stored bytes cannot be read.  Its name and configuration are in the array's document, and
 * any program that registers it can read the array.
 *
 *     "storage_transformers": [{"name": "example.veil", "configuration": {"with": 42}}]
 *
 * Zinc supplies operations that a layer does not have (update, groups, listing of directories).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zinc/extend.h>

struct veil {
	zinc_store *next;
	size_t nprefix;
	char *prefix; /* of the array's chunks; other keys are passed on */
	unsigned char with;
};

static int
is_chunk(const struct veil *v, const char *key)
{
	return strncmp(key, v->prefix, v->nprefix) == 0 && strcmp(key + v->nprefix, "zarr.json") != 0;
}

static void
change(void *bytes, size_t n, unsigned char with)
{
	unsigned char *p = bytes;

	while (n-- > 0)
		*p++ ^= with;
}

/* ---- reading: the bytes are stored in the caller's memory, and changed there before done() ---- */

struct call {
	const struct veil *v;
	const zinc_get *requests;
	const zinc_sink *sink;
	void **where; /* result of room() */
};

static zinc_room
veil_room(void *arg, size_t i, uint64_t nbytes, void **buf)
{
	struct call *c = arg;
	zinc_room answer = c->sink->room(c->sink->arg, i, nbytes, buf);

	c->where[i] = *buf;
	return answer;
}

static void
veil_done(void *arg, size_t i, const zinc_got *got)
{
	struct call *c = arg;
	const zinc_get *r = &c->requests[i];
	size_t left = (size_t)got->nbytes, part;
	int k;

	if (got->found == ZINC_FOUND && !r->stat && is_chunk(c->v, r->key)) {
		if (!r->iov)
			change(c->where[i], left, c->v->with);
		for (k = 0; r->iov && k < r->niov; k++, left -= part) {
			part = r->iov[k].iov_len < left ? r->iov[k].iov_len : left;
			change(r->iov[k].iov_base, part, c->v->with);
		}
	}
	c->sink->done(c->sink->arg, i, got);
}

static zinc_status
veil_get(void *self, const zinc_get *requests, size_t n, const zinc_sink *sink, const zinc_wait *wait, zinc_error *err)
{
	struct call c = {self, requests, sink, calloc(n, sizeof *c.where)};
	zinc_sink mine = {sizeof mine, veil_room, veil_done, &c};
	zinc_status st;

	if (!c.where)
		return zinc_error_set(err, ZINC_E_NOMEM, "out of memory");
	st = zinc_store_get(c.v->next, requests, n, &mine, wait, err);
	free(c.where);
	return st;
}

/* ---- changes ---- */

/* One value, changed in a copy. */
static zinc_status
put_one(const struct veil *v, const zinc_put *put, uint32_t flags, zinc_tag *tag, const zinc_wait *wait,
	zinc_error *err)
{
	unsigned char *copy;
	size_t n = 0, at = 0;
	zinc_status st;
	int i;

	for (i = 0; i < put->niov; i++)
		n += put->iov[i].iov_len;
	copy = malloc(n + 1);
	if (!copy)
		return zinc_error_set(err, ZINC_E_NOMEM, "out of memory");
	for (i = 0; i < put->niov; at += put->iov[i++].iov_len)
		memcpy(copy + at, put->iov[i].iov_base, put->iov[i].iov_len);
	if (is_chunk(v, put->key))
		change(copy, n, v->with);
	st = zinc_store_put(v->next, NULL, put->key, copy, n, put->when, flags, tag, wait, err);
	free(copy);
	return st;
}

static zinc_status
veil_put(void *self, zinc_put_group *group, const zinc_put *puts, size_t n, const zinc_done *done, uint32_t flags,
	 const zinc_wait *wait, zinc_error *err)
{
	size_t i;

	(void)group, (void)err; /* there is no put_begin, so that there are no groups */
	for (i = 0; i < n; i++) {
		zinc_error why = ZINC_ERROR_INIT;
		zinc_tag tag = {0, {0}};
		zinc_outcome outcome = {sizeof outcome, ZINC_OK, &tag, &why};

		outcome.status = put_one(self, &puts[i], flags, &tag, wait, &why);
		done->done(done->arg, i, &outcome);
	}
	return ZINC_OK;
}

static zinc_status
veil_del(void *self, zinc_put_group *group, const zinc_del *dels, size_t n, const zinc_done *done, uint32_t flags,
	 const zinc_wait *wait, zinc_error *err)
{
	(void)group;
	return zinc_store_del_many(((struct veil *)self)->next, NULL, dels, n, done, flags, wait, err);
}

static zinc_status
veil_list(void *self, const char *prefix, zinc_key_fn fn, void *arg, const zinc_wait *wait, zinc_error *err)
{
	return zinc_store_list(((struct veil *)self)->next, prefix, fn, arg, wait, err);
}

/* ---- the layer ---- */

/* The capabilities of the store below, except locking. */
static void
veil_caps(void *self, zinc_caps *out)
{
	zinc_store_caps(((struct veil *)self)->next, out);
	out->flags &= ~ZINC_CAP_UPDATE;
}

static void
veil_close(void *self)
{
	struct veil *v = self;

	zinc_store_close(v->next);
	free(v->prefix);
	free(v);
}

static const zinc_store_ops veil_ops = {
    .size = sizeof veil_ops,
    .name = "veil",
    .close = veil_close,
    .caps = veil_caps,
    .get = veil_get,
    .put = veil_put,
    .del = veil_del,
    .list = veil_list,
};

/* The configuration is JSON; this one has a single number. */
static zinc_status
veil_open(zinc_store **out, const char *configuration, const zinc_transformer_input *in, zinc_error *err)
{
	struct veil *v = calloc(1, sizeof *v);
	unsigned with;

	if (v)
		v->prefix = malloc(strlen(in->prefix) + 1);
	if (!v || !v->prefix) {
		free(v);
		return zinc_error_set(err, ZINC_E_NOMEM, "out of memory");
	}
	v->nprefix = strlen(in->prefix);
	memcpy(v->prefix, in->prefix, v->nprefix + 1);
	v->next = zinc_store_ref(in->next);
	if (!configuration || sscanf(configuration, "{\"with\":%u}", &with) != 1 || with > 255) {
		veil_close(v);
		return zinc_error_set(err, ZINC_E_INVALID, "\"with\" must be a number up to 255");
	}
	v->with = (unsigned char)with;
	if (zinc_store_wrap(out, in->context, &veil_ops, v, zinc_store_url(in->next), err)) {
		veil_close(v);
		return ZINC_E_NOMEM;
	}
	return ZINC_OK;
}

static const char *const veil_uris[] = {"https://example.com/zarr/storage-transformers/veil/1.0", NULL};
static const zinc_transformer_def veil = {.size = sizeof veil,
					  .name = "example.veil",
					  .uris = veil_uris,
					  .purpose = "bytes that are not what they seem",
					  .open = veil_open};

static const char document[] =
    "{\"zarr_format\": 3, \"node_type\": \"array\", \"shape\": [6], \"data_type\": \"uint8\", \"fill_value\": 0,"
    " \"chunk_grid\": {\"name\": \"regular\", \"configuration\": {\"chunk_shape\": [4]}},"
    " \"chunk_key_encoding\": {\"name\": \"default\"}, \"codecs\": [{\"name\": \"bytes\"}],"
    " \"storage_transformers\": [{\"name\": \"example.veil\", \"configuration\": {\"with\": 42}}]}";

int
main(void)
{
	unsigned char in[6] = {1, 2, 3, 4, 5, 6}, out[6] = {0};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_blob stored = ZINC_BLOB_INIT;
	zinc_array *a = NULL;
	int right = 0;

	if (zinc_register_transformer(&veil, &err) ||
	    zinc_array_create_url(&a, "memory://veiled", ZINC_ARRAY_OPTIONS(.document = document), NULL, &err) ||
	    zinc_array_write_text(a, NULL, ZINC_BUFFER(in, sizeof in), NULL, &err) ||
	    zinc_array_read_text(a, NULL, ZINC_BUFFER(out, sizeof out), NULL, &err) ||
	    zinc_store_get_all(zinc_hierarchy_store(zinc_array_hierarchy(a)), "c/0", &stored, NULL, 0, NULL, &err))
		fprintf(stderr, "%s\n", zinc_error_text(&err));
	else
		right = memcmp(in, out, sizeof in) == 0 && ((unsigned char *)stored.data)[0] == (1 ^ 42);
	zinc_blob_fini(&stored);
	zinc_array_close(a);
	printf(right ? "6 elements behind a veil\n" : "the elements are not what was written\n");
	return !right;
}
