/*
 * show_node.c - print a node as text and as JSON
 *
 * An unsupported node is shown like any other, with the reason; only damage changes the exit status.
 */
#include <stdio.h>

#include "cli.h"

/* ---- codecs ---- */

/* Of a shard the inner codecs are named.  "bytes" is in every chain and left out. */
static int
name_codec(void *arg, const char *key, const char *codec)
{
	struct text *t = arg, name = {NULL, 0, 0}, member = {NULL, 0, 0}, inner = {NULL, 0, 0};

	(void)key;
	if (!json_member(codec, "name", &member))
		text_puts(&member, codec); /* a bare name */
	text_unquoted(&name, text_str(&member));
	member.n = 0;
	if (!strcmp(text_str(&name), "sharding_indexed") && json_member(codec, "configuration", &member) &&
	    json_member(member.p, "codecs", &inner))
		describe_codecs(t, inner.p);
	else if (strcmp(text_str(&name), "bytes"))
		text_printf(t, "%s%s", t->n ? "+" : "", text_str(&name));
	text_free(&name);
	text_free(&member);
	text_free(&inner);
	return 0;
}

void
describe_codecs(struct text *t, const char *codecs_json)
{
	json_parts(codecs_json, name_codec, t);
}

/* ---- one line ---- */

/* Types with parameters are printed as in NumPy, which is short: M8[ns], U4. */
void
describe_type(struct text *t, const zinc_array_info *a)
{
	char name[200];
	const size_t n = zinc_array_info_numpy(a, name, sizeof name);

	if (*a->dtype != '{' || n == 0 || n >= sizeof name)
		text_puts(t, a->dtype);
	else if (name[0] == '\'')
		text_add(t, name + 2, n - 3); /* without quotes and byte order */
	else
		text_puts(t, name);
}

bool
has_equal_chunks(const char *json)
{
	struct text grid = {NULL, 0, 0}, name = {NULL, 0, 0};
	const bool equal = json_member(json, "chunk_grid", &grid) && json_member(grid.p, "name", &name) &&
			   !strcmp(name.p, "\"regular\"");

	text_free(&grid);
	text_free(&name);
	return equal;
}

/* "chunks (2, 3) in shards (4, 6)  zstd+crc32c", "chunks up to (20, 4)" */
static void
describe_storage(struct text *t, const zinc_array_info *a, const char *json)
{
	struct text member = {NULL, 0, 0}, codecs = {NULL, 0, 0};

	const char *up_to = has_equal_chunks(json) ? "" : "up to ";

	if (a->chunk_shape) {
		text_printf(t, "chunks %s", a->shard_shape ? "" : up_to);
		text_tuple(t, a->chunk_shape, a->ndim);
	}
	if (a->shard_shape) {
		text_printf(t, "%sshards %s", a->chunk_shape ? " in " : "", up_to);
		text_tuple(t, a->shard_shape, a->ndim);
	}
	if (json_member(json, "codecs", &member))
		describe_codecs(&codecs, member.p);
	if (codecs.n)
		text_printf(t, "  %s", codecs.p);
	if (a->unsupported)
		text_printf(t, "  (unsupported: %s)", a->unsupported);
	text_free(&member);
	text_free(&codecs);
}

/* "float32 t2m(time, 721)": a dimension without a name is shown by its length. */
static void
describe_declaration(struct text *t, const zinc_array_info *a, const char *name)
{
	int d;

	text_printf(t, " %s(", name);
	for (d = 0; d < a->ndim; d++) {
		text_puts(t, d ? ", " : "");
		if (a->dimension_names[d])
			text_name(t, a->dimension_names[d]);
		else
			text_printf(t, "%llu", (unsigned long long)a->shape[d]);
	}
	text_puts(t, ")");
}

static void
line_of_array(struct text *t, const zinc_array_info *a, const char *json, const char *name)
{
	describe_type(t, a);
	if (name)
		describe_declaration(t, a, name);
	else {
		text_puts(t, " ");
		text_tuple(t, a->shape, a->ndim);
	}
	text_puts(t, "  ");
	describe_storage(t, a, json);
	while (t->p[t->n - 1] == ' ')
		t->p[--t->n] = '\0';
}

void
describe_line(struct text *t, const zinc_node *node, bool declare)
{
	zinc_blob json = ZINC_BLOB_INIT;

	if (node->array && zinc_array_info_describe(node->array, &json, NULL) == ZINC_OK)
		line_of_array(t, node->array, json.data, declare ? node->name : NULL);
	else if (node->problem)
		text_printf(t, "(%s%s)", node->problem_code == ZINC_E_UNSUPPORTED ? "unsupported: " : "",
			    node->problem);
	else if (node->implicit)
		text_puts(t, "(implicit)");
	zinc_blob_fini(&json);
}

/* ---- counts ---- */

uint64_t
shape_count(const uint64_t *shape, int ndim, uint64_t size)
{
	bool huge = false;
	int d;

	for (d = 0; d < ndim; d++) {
		if (shape[d] == 0)
			return 0;
		huge = huge || __builtin_mul_overflow(size, shape[d], &size);
	}
	return huge ? UINT64_MAX : size;
}

uint64_t
object_count(const zinc_array_info *a)
{
	return a->grid_shape ? shape_count(a->grid_shape, a->ndim, 1) : UINT64_MAX;
}

/* Inner chunks of shards: those that hold elements of the array.  Each shard is a multiple of them.  UINT64_MAX: unknown. */
uint64_t
chunk_count(const zinc_array_info *a)
{
	uint64_t counts[ZINC_MAX_NDIM];
	int d;

	if (!a->shard_shape)
		return object_count(a);
	if (!a->chunk_shape)
		return UINT64_MAX;
	for (d = 0; d < a->ndim; d++)
		counts[d] =
		    a->chunk_shape[d] ? a->shape[d] / a->chunk_shape[d] + (a->shape[d] % a->chunk_shape[d] != 0) : 0;
	return shape_count(counts, a->ndim, 1);
}

static void
json_count(struct json *j, const char *name, uint64_t n)
{
	json_key(j, name);
	if (n == UINT64_MAX)
		json_null(j);
	else
		json_uint(j, n);
}

static void
json_counts(struct json *j, const zinc_array_info *a)
{
	struct text type = {NULL, 0, 0};
	const bool sized = a->chunk_shape && a->element_size && !a->variable;

	describe_type(&type, a);
	json_string(json_key(j, "type"), text_str(&type));
	json_count(j, "elements", shape_count(a->shape, a->ndim, 1));
	json_count(j, "chunk_bytes", sized ? shape_count(a->chunk_shape, a->ndim, a->element_size) : UINT64_MAX);
	json_count(j, "chunks", chunk_count(a));
	json_count(j, "shards", a->shard_shape ? object_count(a) : UINT64_MAX);
	text_free(&type);
}

/* ---- the whole node ---- */

static const char *const kinds[] = {"unknown", "group", "array"};

const char *
kind_name(const zinc_node *node)
{
	return kinds[node->kind];
}

/* A document that cannot be used: only path, type and problem. */
static void
json_problem(struct json *j, const zinc_node *node)
{
	json_begin_object(j);
	json_string(json_key(j, "path"), node->path);
	json_string(json_key(j, "node_type"), kind_name(node));
	json_string(json_key(j, "problem"), node->problem);
}

static void
json_group(struct json *j, const zinc_node *node, const zinc_hierarchy *h)
{
	json_begin_object(j);
	json_string(json_key(j, "path"), node->path);
	json_string(json_key(j, "node_type"), "group");
	json_string(json_key(j, "format"), zinc_hierarchy_format(h));
	json_compact(json_key(j, "attributes"), node->attributes);
	json_string(json_key(j, "metadata_key"), node->implicit ? NULL : key_below(h, node->metadata_key));
	json_bool(json_key(j, "implicit"), node->implicit);
	if (node->problem)
		json_string(json_key(j, "unsupported"), node->problem);
}

int
describe_json(struct json *j, const zinc_node *node, const zinc_hierarchy *h, const char *url)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_blob json = ZINC_BLOB_INIT;

	if (node->array) {
		if (zinc_array_info_describe(node->array, &json, &err))
			return fail(url, &err);
		json_compact(j, json.data);
		json_reopen_object(j);
		json_counts(j, node->array);
		zinc_blob_fini(&json);
	} else if (node->problem && node->problem_code != ZINC_E_UNSUPPORTED) {
		json_problem(j, node);
	} else {
		json_group(j, node, h);
	}
	return DONE;
}

int
problem_status(const zinc_node *node)
{
	if (node->hidden)
		return FOUND;
	return node->problem && node->problem_code != ZINC_E_UNSUPPORTED ? exit_status(node->problem_code) : DONE;
}

int
complain_of_node(const zinc_hierarchy *h, const char *url, const zinc_node *node)
{
	int status = problem_status(node);

	if (node->hidden)
		return complain(status, url, "%s: %s", node->path + 1, node->problem);
	return status == DONE ? DONE : complain(status, url, "%s: %s", key_below(h, node->metadata_key), node->problem);
}
