/*
 * cmd_info.c - zinc info: one node
 *
 * The JSON output is the description by the library.  The text output prints members of that description.
 */
#include <stdio.h>

#include "cli.h"

#define EDGES 200 /* bytes of a list of edges that are shown */

struct info {
	struct run *run;
	const char *url;
	zinc_hierarchy *h;
	int status;
};

/* Long values continue below their beginning. */
static void
row(struct info *i, const char *label, const char *value)
{
	const size_t width = screen_width();
	struct line l = {.colour = i->run->colour, .width = width, .left = width};
	char padded[16];

	snprintf(padded, sizeof padded, "%-13.12s", label);
	line_add(&l, DIM, padded);
	line_wrap(&l, value, 13, SIZE_MAX, "");
	line_end(&l, &i->run->out);
}

static void
row_text(struct info *i, const char *label, struct text *value)
{
	row(i, label, text_str(value));
	text_free(value);
}

/* ---- codecs: "transpose(order=[1,0]) + bytes(endian=little) + zstd(level=3)" ---- */

static int codec_text(void *arg, const char *key, const char *codec);

static int
parameter_text(void *arg, const char *key, const char *json)
{
	struct text *t = arg, inner = {NULL, 0, 0};

	text_printf(t, "%s%s=", t->p[t->n - 1] == '(' ? "" : ", ", key ? key : "");
	if (!strcmp(key ? key : "", "codecs") || !strcmp(key ? key : "", "index_codecs")) {
		json_parts(json, codec_text, &inner);
		text_puts(t, text_str(&inner));
	} else {
		text_unquoted(t, json);
	}
	text_free(&inner);
	return 0;
}

static int
codec_text(void *arg, const char *key, const char *codec)
{
	struct text *t = arg, member = {NULL, 0, 0};

	(void)key;
	text_puts(t, t->n ? " + " : "");
	if (!json_member(codec, "name", &member))
		text_puts(&member, codec);
	text_unquoted(t, text_str(&member));
	member.n = 0;
	if (json_member(codec, "configuration", &member) && strcmp(member.p, "{}")) {
		text_puts(t, "(");
		json_parts(member.p, parameter_text, t);
		text_puts(t, ")");
	}
	text_free(&member);
	return 0;
}

/* ---- rows ---- */

static int
attribute_row(void *arg, const char *key, const char *json)
{
	struct text t = {NULL, 0, 0};
	struct info *i = arg;

	text_printf(&t, "%s = %s", key ? key : "", json);
	row_text(i, "attribute", &t);
	return 0;
}

static void
shape_row(struct info *i, const char *label, const uint64_t *shape, int ndim)
{
	struct text t = {NULL, 0, 0};

	text_times(&t, shape, ndim);
	row_text(i, label, &t);
}

static void
names_row(struct info *i, const zinc_array_info *a)
{
	struct text t = {NULL, 0, 0};
	bool any = false;
	int d;

	for (d = 0; d < a->ndim; d++) {
		const char *name = a->dimension_names[d];

		any |= name != NULL;
		text_puts(&t, d ? ", " : "");
		text_name(&t, name ? name : "-");
	}
	if (any)
		row(i, "dimensions", text_str(&t));
	text_free(&t);
}

/* A member of the description, unchanged. */
static void
member_row(struct info *i, const char *label, const char *json, const char *member)
{
	struct text v = {NULL, 0, 0}, t = {NULL, 0, 0};

	if (json_member(json, member, &v) && strcmp(v.p, "null")) {
		text_unquoted(&t, v.p);
		row(i, label, text_str(&t));
	}
	text_free(&v);
	text_free(&t);
}

static void
codecs_row(struct info *i, const char *json)
{
	struct text v = {NULL, 0, 0}, t = {NULL, 0, 0};

	if (json_member(json, "codecs", &v))
		json_parts(v.p, codec_text, &t);
	row(i, "codecs", text_str(&t));
	text_free(&v);
	text_free(&t);
}

/* "2 x 3 x 4, 96 B each, 24 in all", "up to 20 x 4, 320 B, 12 in all" */
static void
chunks_row(struct info *i, const char *label, const zinc_array_info *a, const uint64_t *shape, uint64_t n, bool equal)
{
	struct text t = {NULL, 0, 0};
	uint64_t nbytes = shape_count(shape, a->ndim, a->element_size);

	if (!equal)
		text_puts(&t, "up to ");
	text_times(&t, shape, a->ndim);
	if (a->element_size && !a->variable && nbytes != UINT64_MAX) {
		text_puts(&t, ", ");
		text_size(&t, nbytes);
		text_puts(&t, equal ? " each" : "");
	}
	if (n != UINT64_MAX)
		text_printf(&t, ", %llu in all", (unsigned long long)n);
	row_text(i, label, &t);
}

/* The lists of a rectilinear grid, cut to a line. */
static void
edges_row(struct info *i, const char *json)
{
	struct text grid = {NULL, 0, 0}, configuration = {NULL, 0, 0}, edges = {NULL, 0, 0}, t = {NULL, 0, 0};

	if (json_member(json, "chunk_grid", &grid) && json_member(grid.p, "configuration", &configuration) &&
	    json_member(configuration.p, "chunk_shapes", &edges)) {
		text_printf(&t, "%.*s%s", EDGES, edges.p, edges.n > EDGES ? "..." : "");
		row_text(i, "edges", &t);
	}
	text_free(&grid);
	text_free(&configuration);
	text_free(&edges);
}

static void
elements_row(struct info *i, const zinc_array_info *a)
{
	const uint64_t n = shape_count(a->shape, a->ndim, 1);
	struct text t = {NULL, 0, 0};

	if (n == UINT64_MAX)
		text_puts(&t, "more than 2^64");
	else
		text_printf(&t, "%llu", (unsigned long long)n);
	row_text(i, "elements", &t);
}

static void
array_rows(struct info *i, const zinc_array_info *a, const char *json)
{
	struct text type = {NULL, 0, 0};

	shape_row(i, "shape", a->shape, a->ndim);
	names_row(i, a);
	elements_row(i, a);
	describe_type(&type, a);
	row_text(i, "data type", &type);
	if (a->chunk_shape)
		chunks_row(i, "chunks", a, a->chunk_shape, chunk_count(a), a->shard_shape || has_equal_chunks(json));
	if (a->shard_shape)
		chunks_row(i, "shards", a, a->shard_shape, object_count(a), has_equal_chunks(json));
	edges_row(i, json);
	codecs_row(i, json);
	member_row(i, "fill value", json, "fill_value");
	if (a->unsupported)
		row(i, "unsupported", a->unsupported);
}

/* A listing has metadata only; the stored objects are counted by an open array. */
static int
ask_stored(struct info *i, const char *path, zinc_stored *s)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_array *a = NULL;
	zinc_status st = zinc_array_open(&a, i->h, path, &until_stopped, &err);

	if (st == ZINC_OK)
		st = zinc_array_stored(a, s, &until_stopped, &err);
	zinc_array_close(a);
	return st ? fail(i->url, &err) : DONE;
}

static int
stored_row(struct info *i, const char *path)
{
	struct text t = {NULL, 0, 0};
	zinc_stored s = ZINC_STORED_INIT;
	const int status = ask_stored(i, path, &s);

	if (status != DONE)
		return status;
	text_printf(&t, "%llu of %llu objects, ", (unsigned long long)s.objects, (unsigned long long)s.objects_total);
	text_size(&t, s.bytes);
	text_puts(&t, " for ");
	text_size(&t, s.decoded_bytes);
	if (s.bytes)
		text_printf(&t, " (ratio %.2f)", (double)s.decoded_bytes / (double)s.bytes);
	row_text(i, "stored", &t);
	return DONE;
}

static int
show_text(struct info *i, const zinc_node *node)
{
	const size_t width = screen_width();
	struct line l = {.colour = i->run->colour, .width = width, .left = width};
	struct text t = {NULL, 0, 0};
	zinc_blob json = ZINC_BLOB_INIT;
	zinc_error err = ZINC_ERROR_INIT;
	int status = DONE;

	text_printf(&t, "  %s, %s%s", kind_name(node), zinc_hierarchy_format(i->h),
		    node->implicit ? ", implicit (it has no document of its own)" : "");
	line_add(&l, BOLD, node->path);
	line_wrap(&l, t.p, 4, SIZE_MAX, "");
	line_end(&l, &i->run->out);
	text_free(&t);
	if (node->array) {
		if (zinc_array_info_describe(node->array, &json, &err))
			return fail(i->url, &err);
		array_rows(i, node->array, json.data);
		zinc_blob_fini(&json);
	} else if (node->problem) {
		row(i, "unsupported", node->problem);
	}
	json_parts(node->attributes, attribute_row, i);
	if (i->run->args->stored && node->array)
		status = stored_row(i, node->path);
	return status;
}

static int
add_stored(struct info *i, const char *path, struct json *j)
{
	zinc_stored s = ZINC_STORED_INIT;
	const int status = ask_stored(i, path, &s);

	if (status != DONE)
		return status;
	json_begin_object(json_key(j, "stored"));
	json_uint(json_key(j, "objects"), s.objects);
	json_uint(json_key(j, "objects_total"), s.objects_total);
	json_uint(json_key(j, "bytes"), s.bytes);
	json_uint(json_key(j, "decoded_bytes"), s.decoded_bytes);
	json_key(j, "ratio");
	if (s.bytes)
		json_fixed(j, (double)s.decoded_bytes / (double)s.bytes, 4);
	else
		json_null(j);
	json_end_object(j);
	return DONE;
}

static int
show_json(struct info *i, const zinc_node *node)
{
	struct json j = JSON_INIT;
	int status = describe_json(&j, node, i->h, i->url);

	if (status == DONE && i->run->args->stored && node->array)
		status = add_stored(i, node->path, &j);
	json_end_object(&j);
	if (status == DONE)
		out_document(&i->run->out, &j);
	json_free(&j);
	return status;
}

static int
show(void *arg, const zinc_node *node)
{
	struct info *i = arg;

	i->status = complain_of_node(i->h, i->url, node);
	if (i->status == DONE)
		i->status = i->run->args->json ? show_json(i, node) : show_text(i, node);
	return i->status;
}

int
cmd_info(struct run *r)
{
	struct info i = {.run = r, .url = r->args->words.at[0]};
	zinc_error err = ZINC_ERROR_INIT;
	int status = open_node(r, i.url, false, &i.h);

	if (status == DONE && zinc_node_stat(i.h, zinc_hierarchy_path(i.h), show, &i, &until_stopped, &err))
		status = fail(i.url, &err);
	zinc_hierarchy_close(i.h);
	return status == DONE ? i.status : status;
}
