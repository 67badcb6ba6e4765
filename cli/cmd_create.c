/* cmd_create.c - zinc create: an array or a group */
#include <stdio.h>

#include "cli.h"

struct create {
	struct run *run;
	const char *url;
	zinc_array_options options;
	uint64_t shape[ZINC_MAX_NDIM], chunks[ZINC_MAX_NDIM], shards[ZINC_MAX_NDIM];
	const char *names[ZINC_MAX_NDIM];
	char *dims;
	struct text fill;
};

/* ---- the command line -> options ---- */

static int
take_shape(const struct create *c, const char *option, const char *text, uint64_t *shape)
{
	int ndim;

	if (!parse_shape(text, shape, &ndim))
		return complain(USAGE, option, "\"%s\" is not a list of lengths like 10,20", text);
	if (ndim != c->options.ndim)
		return complain(USAGE, option, "\"%s\" has %d dimensions, the shape has %d", text, ndim,
				c->options.ndim);
	return DONE;
}

static int
take_shapes(struct create *c)
{
	const struct args *a = c->run->args;
	zinc_array_options *o = &c->options;
	int status = DONE;

	if (!a->shape || !a->dtype)
		return complain(USAGE, c->url, "an array needs --shape and --dtype; a group needs --group");
	if (!parse_shape(a->shape, c->shape, &o->ndim))
		return complain(USAGE, "--shape", "\"%s\" is not a list of lengths like 10,20", a->shape);
	o->shape = c->shape;
	o->dtype = a->dtype;
	if (a->chunks && *a->chunks == '[') {
		o->chunk_edges = a->chunks;
	} else if (a->chunks && strcmp(a->chunks, "auto")) {
		status = take_shape(c, "--chunks", a->chunks, c->chunks);
		o->chunks = c->chunks;
	}
	o->auto_shards = a->shards && !strcmp(a->shards, "auto");
	if (a->shards && *a->shards == '[') {
		o->shard_edges = a->shards;
	} else if (status == DONE && a->shards && !o->auto_shards) {
		status = take_shape(c, "--shards", a->shards, c->shards);
		o->shards = c->shards;
	}
	return status;
}

/* "time,,x" -> names; an empty name means none. */
static int
take_dims(struct create *c)
{
	const char *text = c->run->args->dims;
	int n = 0;
	char *p;

	if (!text)
		return DONE;
	p = c->dims = memcpy(xrealloc(NULL, strlen(text) + 1), text, strlen(text) + 1);
	for (; p && n <= c->options.ndim; n++) {
		char *name = p;

		p = strchr(p, ',');
		if (p)
			*p++ = '\0';
		if (n < c->options.ndim)
			c->names[n] = *name ? name : NULL;
	}
	if (n != c->options.ndim && !(c->options.ndim == 0 && !*text))
		return complain(USAGE, "--dims", "\"%s\" does not name the %d dimensions of the shape", text,
				c->options.ndim);
	c->options.dimension_names = c->names;
	return DONE;
}

/* NaN and infinities are JSON strings; they may be given without quotes. */
static void
take_fill(struct create *c)
{
	const char *text = c->run->args->fill;

	if (!text)
		return;
	if (!strcmp(text, "NaN") || !strcmp(text, "Infinity") || !strcmp(text, "-Infinity") || !strncmp(text, "0x", 2))
		text_json(&c->fill, text);
	else
		text_puts(&c->fill, text);
	c->options.fill = text_str(&c->fill);
}

static int
overwrite(const struct args *a)
{
	return a->overwrite ? (a->force ? ZINC_FORCE : 1) : 0;
}

static int
take_options(struct create *c)
{
	const struct args *a = c->run->args;
	zinc_array_options *o = &c->options;
	int status = take_shapes(c);

	if (status == DONE)
		status = take_dims(c);
	take_fill(c);
	o->codecs = a->codecs;
	o->attributes = a->attrs;
	o->key_encoding = a->key_encoding;
	o->overwrite = overwrite(a);
	o->fortran = a->order && *a->order == 'F';
	o->big_endian = a->endian && *a->endian == 'b';
	return status;
}

static int
check_group(const struct args *a, const char *url)
{
	if (a->shape || a->dtype || a->chunks || a->shards || a->codecs || a->fill || a->dims || a->order ||
	    a->endian || a->key_encoding)
		return complain(USAGE, url, "a group has no array options: with --group give only --attrs");
	return DONE;
}

/* ---- creating ---- */

/* Does the value of --codecs name the codec zstd, and not only zstd as the compressor of blosc? */
static bool
names_zstd(const char *codecs)
{
	const char *p, *q;

	for (p = codecs; (p = strstr(p, "zstd")); p += 4) {
		if (*codecs != '[') {
			if ((p == codecs || p[-1] == '+') && strchr(":+", p[4]) != NULL) /* also at the end */
				return true;
			continue;
		}
		for (q = p; q > codecs && strchr("\" :\t\n", q[-1]);)
			q--;
		if (q - codecs >= 5 && strncmp(q - 5, "\"name", 5) == 0)
			return true;
	}
	return false;
}

/* Formats without zstd use blosc with zstd: print a note if zstd was asked for. */
static void
tell_replaced(const struct create *c, const zinc_array *a)
{
	zinc_blob json = ZINC_BLOB_INIT;

	if (!c->options.codecs || !names_zstd(c->options.codecs))
		return;
	if (zinc_array_describe(a, &json, NULL) == ZINC_OK && !strstr(json.data, "{\"name\":\"zstd\"") &&
	    strstr(json.data, "\"cname\":\"zstd\""))
		fprintf(stderr, "zinc: replaced: %s: codec zstd becomes blosc with zstd\n", c->url);
	zinc_blob_fini(&json);
}

/* Fields with a shape: Zarr v3 has no data type for them. */
static void
tell_private(const struct create *c, const zinc_array *a)
{
	zinc_blob json = ZINC_BLOB_INIT;

	if (zinc_array_describe(a, &json, NULL) == ZINC_OK && strstr(json.data, "\"format\":\"v3\"") &&
	    strstr(json.data, "\"data_type\":{\"name\":\"zinc.subarray\""))
		fprintf(stderr, "zinc: notice: %s: only Zinc reads the type zinc.subarray\n", c->url);
	zinc_blob_fini(&json);
}

static int
create(struct create *c, const char *shown, const zinc_open_options *open)
{
	const char *url = typed_url(c->run->args, shown);
	const struct args *a = c->run->args;
	zinc_error err = ZINC_ERROR_INIT;
	zinc_array *array = NULL;
	zinc_status st;

	if (a->group)
		st = zinc_group_create_url(url, a->attrs, overwrite(a), open, &err);
	else
		st = zinc_array_create_url(&array, url, &c->options, open, &err);
	if (array) {
		tell_replaced(c, array);
		tell_private(c, array);
	}
	zinc_array_close(array);
	return st ? fail(c->url, &err) : DONE;
}

/* --dry-run: create the node in a store in memory, in the format of the target, and print its document.  It refuses
 * what a real run would refuse. */
static int
rehearse(struct create *c)
{
	static const char place[] = "memory://dry-run/node";
	zinc_open_options open = open_options(c->run, true);
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *keep = NULL; /* a store in memory exists while it is open */
	zinc_store_options so = ZINC_STORE_OPTIONS_INIT;
	zinc_hierarchy *h = NULL;
	zinc_blob json = ZINC_BLOB_INIT;
	const struct args *a = c->run->args;
	int status = DONE;

	open.create = 1;
	so.context = c->run->ctx;
	if (zinc_node_check_place(typed_url(a, c->url), a->group ? ZINC_NODE_GROUP : ZINC_NODE_ARRAY, overwrite(a),
				  &open, &open.format, &err))
		status = fail(c->url, &err);
	if (status == DONE && zinc_store_open(&keep, "memory://dry-run", &so, &err))
		status = fail(c->url, &err);
	if (status == DONE)
		status = create(c, place, &open);
	if (status == DONE && (zinc_hierarchy_open_url(&h, place, &open, &err) ||
			       zinc_node_document(h, zinc_hierarchy_path(h), &json, &until_stopped, &err)))
		status = fail(c->url, &err);
	if (status == DONE) {
		out_printf(&c->run->out, "would create %s:\n", c->url);
		out_add(&c->run->out, json.data, json.nbytes);
		if (json.nbytes && ((const char *)json.data)[json.nbytes - 1] != '\n')
			out_puts(&c->run->out, "\n");
	}
	zinc_blob_fini(&json);
	zinc_hierarchy_close(h);
	zinc_store_close(keep);
	return status;
}

int
cmd_create(struct run *r)
{
	struct create c = {.run = r, .url = r->args->words.at[0], .options = ZINC_ARRAY_OPTIONS_INIT};
	zinc_open_options open = open_options(r, true);
	int status = r->args->group ? check_group(r->args, c.url) : take_options(&c);

	if (status == DONE && r->args->force && !r->args->overwrite)
		status = complain(USAGE, "--force", "works only with --overwrite");
	open.create = 1;
	if (status == DONE)
		status = r->args->dry_run ? rehearse(&c) : create(&c, c.url, &open);
	free(c.dims);
	text_free(&c.fill);
	return status;
}
