/*
 * format_v3_parse.c - zarr.json of the final version 3 -> zinc_meta
 *
 * Two tables list the members of a document, each after those that it needs.  One loop parses them.  Promises:
 *
 * (1) A report that collects receives the errors of every member.  Otherwise parsing ends at the first error.
 * (2) A valid member that this build does not know (M16-M21) never hides another: the node opens, and `unsupported`
 *     says why its elements cannot be accessed.
 * (3) Known mistakes of released writers (docs/rules.md: lenient) are warnings, and errors in strict mode.
 * (4) NaN tokens in attributes, which xarray and zarr-python write, stay in the document, also in consolidated copies;
 *     m->attributes has them as strings.  Anywhere else they are an error.
 */
#include "format/extensions.h"
#include "format/format_v3.h"

struct parse {
	zinc_context *ctx;
	zinc_report *r;
	zinc_meta *m;
	const zinc_json *root;
	bool shape_known;
	bool failed;     /* an error has been found; it is in err */
	zinc_error *err; /* the caller's */
	zinc_error e;    /* of the member under the parser */
};

struct member {
	const char *name;
	zinc_status (*parse)(struct parse *p, zinc_json *v); /* NULL: parsed before the loop */
	bool required;
};

static zinc_status
conclude(struct parse *p, zinc_status st)
{
	return zinc_report_conclude(p->r, st, &p->e, &p->m->unsupported, p->m->unsupported_rule, &p->failed, p->err);
}

/* ---- members that arrays and groups have ---- */

static zinc_status
parse_attributes(struct parse *p, zinc_json *v)
{
	if (zinc_json_is(v, ZINC_JSON_NULL))
		return zinc_report_lenient(p->r, "M7", &p->e, "attributes is null and should be left out");
	if (!zinc_json_is(v, ZINC_JSON_OBJECT))
		return zinc_report_error(p->r, "M7", &p->e, "attributes must be an object");
	p->m->attributes = zinc_json_has_nan(v) ? zinc_json_copy_plain(p->m->doc, v) : v;
	return p->m->attributes ? ZINC_OK : zinc_fail_nomem(&p->e);
}

/* A member that the specification does not define (v3 core, "Extensions").  Only an object can say that it may be
 * ignored, but a program may have registered it. */
static zinc_status
parse_unknown(struct parse *p, zinc_json *v)
{
	const unsigned extends = p->m->kind == ZINC_NODE_ARRAY ? ZINC_EXTENDS_ARRAY : ZINC_EXTENDS_GROUP;

	return zinc_extension_judge(p->ctx, extends, v->key, v, "M16", p->r, &p->e);
}

/* ---- arrays ---- */

/* Numbers are read from the text of their tokens, never from a double: 2^53+1 must stay exact (M6). */
static zinc_status
parse_shape(struct parse *p, zinc_json *v)
{
	zinc_json *item;
	int d = 0;

	if (!zinc_json_is(v, ZINC_JSON_ARRAY))
		return zinc_report_error(p->r, "M6", &p->e, "shape must be an array of integers");
	if (v->n > p->ctx->limits.rank || v->n > ZINC_MAX_NDIM)
		return zinc_fail(&p->e, ZINC_E_LIMIT, "%zu dimensions are more than the limit of %u", v->n,
				 (unsigned)zinc_min_u64(p->ctx->limits.rank, ZINC_MAX_NDIM));
	for (item = v->first; item; item = item->next, d++)
		if (!zinc_json_u64(item, &p->m->shape[d]))
			return zinc_report_error(p->r, "M6", &p->e,
						 "dimension %d of shape is not an integer from 0 to 2^64-1", d);
	p->m->ndim = d;
	p->shape_known = true;
	return ZINC_OK;
}

/* The room dtype checks M11, M15, M17 and M58. */
static zinc_status
parse_data_type(struct parse *p, zinc_json *v)
{
	return zinc_dtype_parse(&p->m->dtype, p->ctx, v, p->r, &p->e);
}

/* The room grid checks M18 and M38-M40.  The largest extents are kept for display and for estimates. */
static zinc_status
parse_chunk_grid(struct parse *p, zinc_json *v)
{
	zinc_meta *m = p->m;
	zinc_extension x;
	int d;

	if (!p->shape_known) /* then only its form can be checked */
		return zinc_extension_parse(&x, v, p->r, &p->e);
	ZINC_TRY(zinc_grid_parse(&m->grid, p->ctx, v, m->ndim, m->shape, p->r, &p->e));
	for (d = 0; d < m->ndim; d++)
		m->chunk_shape[d] = zinc_grid_widest(m->grid, d);
	return ZINC_OK;
}

/* The room grid checks M19 and M43-M48. */
static zinc_status
parse_chunk_key_encoding(struct parse *p, zinc_json *v)
{
	const zinc_status st = zinc_keys_parse(&p->m->keys, p->ctx, v, p->r, &p->e);

	if (st != ZINC_OK)
		p->m->keys = (zinc_keys){.ops = NULL};
	return st;
}

/* The type checks M49-M58.  Without a type the value cannot be checked. */
static zinc_status
parse_fill_value(struct parse *p, zinc_json *v)
{
	const zinc_dtype *t = p->m->dtype;
	zinc_status st;
	void *fill;

	if (!t) /* the type checks its form (M59) */
		return ZINC_OK;
	fill = zinc_dtype_fill_room(t, p->ctx, v);
	if (!fill)
		return zinc_fail_nomem(&p->e);
	st = t->ops->parse_fill(t, v, fill, p->r, &p->e);
	if (st == ZINC_OK)
		p->m->fill = fill;
	else
		zinc_free(p->ctx, fill);
	return st;
}

/* Check only that these are extensions, for lists whose meaning depends on something unknown. */
static zinc_status
parse_forms(struct parse *p, zinc_json *list)
{
	zinc_extension x;
	zinc_json *item;
	size_t i = 0;

	for (item = list->first; item; item = item->next) {
		const size_t mark = zinc_report_enter_item(p->r, i++);
		const zinc_status st = zinc_extension_parse(&x, item, p->r, &p->e);

		zinc_report_leave(p->r, mark);
		ZINC_TRY(st);
	}
	return ZINC_OK;
}

/* The room codec has checked the largest shard (M86); a grid may have others. */
static zinc_status
check_shards(struct parse *p)
{
	const zinc_chain *c = p->m->chain;
	int d;

	for (d = 0; c->shard && c->maps_axes && d < p->m->ndim; d++)
		if (!zinc_grid_divides(p->m->grid, c->from_axis[d], c->shard->chunk_shape[d]))
			return zinc_report_error(
			    p->r, "M86", &p->e,
			    "inner chunks of %llu elements do not divide every shard along dimension %d",
			    (unsigned long long)c->shard->chunk_shape[d], c->from_axis[d]);
	return ZINC_OK;
}

/* The chain is planned for the largest chunk of the grid.  The room codec checks M60-M95. */
static zinc_status
parse_codecs(struct parse *p, zinc_json *v)
{
	zinc_meta *m = p->m;
	zinc_rep rep = {.dtype = m->dtype, .ndim = m->ndim, .fill = m->fill};
	int d;

	if (!zinc_json_is(v, ZINC_JSON_ARRAY) || v->n == 0)
		return zinc_report_error(p->r, "M9", &p->e, "codecs must be an array of at least one codec");
	if (!m->dtype || !m->grid)
		return parse_forms(p, v);
	for (d = 0; d < m->ndim; d++)
		rep.shape[d] = zinc_grid_widest(m->grid, d);
	ZINC_TRY(zinc_chain_parse(&m->chain, p->ctx, v, &rep, p->r, &p->e));
	return check_shards(p);
}

/* The specification defines none.  Known ones are those of the drafts and of programs.  The array creates them. */
static zinc_status
parse_storage_transformers(struct parse *p, zinc_json *v)
{
	zinc_extension x;
	zinc_json *item;
	size_t i = 0;

	if (!zinc_json_is(v, ZINC_JSON_ARRAY))
		return zinc_report_error(p->r, "M10", &p->e, "storage_transformers must be an array");
	for (item = v->first; item; item = item->next) {
		const size_t mark = zinc_report_enter_item(p->r, i++);
		zinc_status st = zinc_extension_parse(&x, item, p->r, &p->e);

		if (st == ZINC_OK && !x.ignorable && !zinc_transformer_find(x.name))
			st = zinc_report_unsupported(p->r, "M21", &p->e, "storage transformer \"%.200s\" is not known",
						     x.name);
		zinc_report_leave(p->r, mark);
		ZINC_TRY(st);
	}
	return ZINC_OK;
}

/* Names may repeat and may be empty; only their number is fixed. */
static zinc_status
parse_dimension_names(struct parse *p, zinc_json *v)
{
	zinc_json *item;
	size_t i = 0;

	if (zinc_json_is(v, ZINC_JSON_NULL))
		return zinc_report_lenient(p->r, "M8", &p->e, "dimension_names is null and should be left out");
	if (!zinc_json_is(v, ZINC_JSON_ARRAY))
		return zinc_report_error(p->r, "M8", &p->e, "dimension_names must be an array");
	for (item = v->first; item; item = item->next)
		if (item->type != ZINC_JSON_STRING && item->type != ZINC_JSON_NULL)
			return zinc_report_error(p->r, "M8", &p->e, "a dimension's name must be a string or null");
	if (!p->shape_known)
		return ZINC_OK;
	if (v->n != (size_t)p->m->ndim)
		return zinc_report_error(p->r, "M8", &p->e, "%zu names for %d dimensions", v->n, p->m->ndim);
	p->m->dimension_names = zinc_calloc(p->ctx, v->n, sizeof *p->m->dimension_names);
	if (!p->m->dimension_names)
		return zinc_fail_nomem(&p->e);
	for (item = v->first; item; item = item->next)
		p->m->dimension_names[i++] = item->type == ZINC_JSON_STRING ? item->text : NULL;
	return ZINC_OK;
}

/* ---- groups ---- */

/* A path in consolidated metadata that no node can have; listings leave it out. */
static zinc_status
check_copy_path(struct parse *p, const zinc_json *copy)
{
	const char *name = copy->key + (copy->key[0] == '/'), *why, *rule; /* some writers store "/a" for "a" */
	size_t n;

	for (;; name += n + 1) {
		n = strcspn(name, "/");
		rule = zinc_v3_name_rule(name, n, &why);
		if (rule)
			return zinc_report_lenient(p->r, rule, &p->e, "a name in path \"%.60s\" %s", copy->key, why);
		if (name[n] == '\0')
			return ZINC_OK;
		if (name[n + 1] == '\0')
			return zinc_report_lenient(p->r, "M35", &p->e, "path \"%.60s\" ends in '/'", copy->key);
	}
}

/* Check its form.  The caller has accepted null, which released writers store for "none". */
static zinc_status
check_consolidated(struct parse *p, const zinc_json *v)
{
	bool must = true;

	if (!zinc_json_is(v, ZINC_JSON_OBJECT))
		return zinc_report_error(p->r, "M22", &p->e, "consolidated_metadata must be an object");
	if (!zinc_json_bool(zinc_json_member(v, "must_understand"), &must) || must)
		return zinc_report_error(p->r, "M22", &p->e, "its must_understand must be false");
	if (!zinc_json_is_string(zinc_json_member(v, "kind"), "inline"))
		return zinc_report_error(p->r, "M22", &p->e, "its kind must be \"inline\"");
	if (!zinc_json_is(zinc_json_member(v, "metadata"), ZINC_JSON_OBJECT))
		return zinc_report_error(p->r, "M22", &p->e, "its metadata must be an object");
	if (v->n != 3)
		return zinc_report_lenient(p->r, "M22", &p->e, "it has members besides the three that are required");
	return ZINC_OK;
}

/* The only member that is not an extension, "for historical reasons". */
static zinc_status
parse_consolidated_metadata(struct parse *p, zinc_json *v)
{
	const zinc_json *copy;

	if (zinc_json_is(v, ZINC_JSON_NULL))
		return zinc_report_lenient(p->r, "M22", &p->e, "consolidated_metadata is null and should be left out");
	if (!ZINC_V3_JULY_2026)
		return parse_unknown(p, v);
	ZINC_TRY(check_consolidated(p, v));
	for (copy = zinc_json_member(v, "metadata")->first; copy; copy = copy->next)
		ZINC_TRY(check_copy_path(p, copy));
	return ZINC_OK;
}

/* ---- documents ---- */

static const struct member array_members[] = {
    {"zarr_format", NULL, false},
    {"node_type", NULL, false},
    {"shape", parse_shape, true},
    {"data_type", parse_data_type, true},
    {"chunk_grid", parse_chunk_grid, true}, /* needs shape */
    {"chunk_key_encoding", parse_chunk_key_encoding, true},
    {"fill_value", parse_fill_value, true}, /* needs data_type */
    {"codecs", parse_codecs, true},         /* needs all of the above */
    {"attributes", parse_attributes, false},
    {"storage_transformers", parse_storage_transformers, false},
    {"dimension_names", parse_dimension_names, false}, /* needs shape */
    {NULL, NULL, false},
};

static const struct member group_members[] = {
    {"zarr_format", NULL, false},
    {"node_type", NULL, false},
    {"attributes", parse_attributes, false},
    {"consolidated_metadata", parse_consolidated_metadata, false},
    {NULL, NULL, false},
};

/* The pointer of a finding is the member, or something below it. */
static zinc_status
parse_one(struct parse *p, const struct member *row, zinc_json *v)
{
	const size_t mark = zinc_report_enter(p->r, v->key);
	const zinc_status st = row->parse(p, v);

	zinc_report_leave(p->r, mark);
	p->m->opaque = p->m->opaque || (st == ZINC_E_UNSUPPORTED && !zinc_meta_is_of_values(row->name));
	return conclude(p, st);
}

static const struct member *
find_member(const struct member *table, const char *name)
{
	while (table->name && strcmp(table->name, name) != 0)
		table++;
	return table->name ? table : NULL;
}

bool
zinc_v3_is_member(zinc_node_kind kind, const char *name)
{
	return find_member(kind == ZINC_NODE_ARRAY ? array_members : group_members, name);
}

/* Parse known members in the order of the table, then all others. */
static zinc_status
parse_members(struct parse *p, const struct member *table)
{
	static const struct member unknown = {"", parse_unknown, false};
	const struct member *row;
	zinc_json *v;

	for (row = table; row->name; row++) {
		v = zinc_json_member(p->root, row->name);
		if (v && row->parse)
			ZINC_TRY(parse_one(p, row, v));
		else if (!v && row->required)
			ZINC_TRY(conclude(p, zinc_report_error(p->r, "M5", &p->e, "%s is missing", row->name)));
	}
	for (v = p->root->first; v; v = v->next)
		if (!find_member(table, v->key))
			ZINC_TRY(parse_one(p, &unknown, v));
	return ZINC_OK;
}

/* Only the final version is read here; the message names the version that it may be. */
static zinc_status
parse_zarr_format(struct parse *p)
{
	const zinc_json *v = zinc_json_member(p->root, "zarr_format");
	uint64_t version = 0;
	double number = 0;

	if (!v)
		return zinc_report_error(p->r, "M3", &p->e, "zarr_format is missing");
	if (zinc_json_u64(v, &version) && version == 3)
		return ZINC_OK;
	if (version == 2)
		return zinc_report_error(p->r, "M3", &p->e,
					 "zarr_format is 2: that version keeps its documents in .zarray and .zgroup");
	if (!zinc_json_is_integer(v) && zinc_json_double(v, &number) && number == 3)
		return zinc_report_lenient(p->r, "M3", &p->e, "zarr_format must be the integer 3, not %.20s", v->text);
	if (zinc_json_is(v, ZINC_JSON_STRING) && strstr(v->text, "zarr/spec"))
		return zinc_report_error(p->r, "M3", &p->e,
					 "zarr_format is \"%.100s\": a draft of 2019 to 2022, not the final version 3",
					 v->text);
	return zinc_report_error(p->r, "M3", &p->e, "zarr_format must be the integer 3");
}

/* Reads only node_type: listings need it even when the rest of the document is broken. */
zinc_node_kind
zinc_v3_kind(const zinc_json *root)
{
	const zinc_json *v = zinc_json_member(root, "node_type");

	if (zinc_json_is_string(v, "array"))
		return ZINC_NODE_ARRAY;
	return zinc_json_is_string(v, "group") ? ZINC_NODE_GROUP : ZINC_NODE_NONE;
}

/* Which document is it?  An error here makes the rest unreadable. */
static zinc_status
parse_head(struct parse *p)
{
	const char *twice = zinc_json_duplicate(p->m->doc);

	if (!zinc_json_is(p->root, ZINC_JSON_OBJECT))
		return zinc_report_error(p->r, "M2", &p->e, "the document must be a JSON object");
	if (twice)
		ZINC_TRY(conclude(p, zinc_report_lenient(p->r, "M2", &p->e, "member \"%.60s\" appears twice", twice)));
	ZINC_TRY(parse_zarr_format(p));
	p->m->kind = zinc_v3_kind(p->root);
	if (p->m->kind == ZINC_NODE_NONE)
		return zinc_report_error(p->r, "M4", &p->e, "node_type must be \"array\" or \"group\"");
	return ZINC_OK;
}

/* From here on the metadata owns the document, so that every exit frees both. */
zinc_status
zinc_v3_parse_doc(zinc_context *ctx, zinc_json_doc *doc, zinc_report *r, zinc_meta **out, zinc_error *err)
{
	struct parse p = {.ctx = ctx, .r = r, .root = zinc_json_root(doc), .err = err};
	zinc_status st, head;

	ZINC_TRY(zinc_meta_new(&p.m, ctx, &zinc_format_v3, doc, err));
	head = parse_head(&p);
	st = conclude(&p, head);
	if (st == ZINC_OK && head == ZINC_OK)
		st = parse_members(&p, p.m->kind == ZINC_NODE_ARRAY ? array_members : group_members);
	if (st == ZINC_OK && p.failed)
		st = r->code;
	if (st == ZINC_OK)
		*out = p.m;
	else
		zinc_meta_free(p.m);
	return st;
}

/* ---- for other versions ---- */

/* NULL when memory is out; the next zinc_json_set reports that. */
zinc_json *
zinc_v3_extension(zinc_json_doc *doc, const char *name, const char *member, zinc_json *value)
{
	zinc_json *v = zinc_json_make(doc, ZINC_JSON_OBJECT), *c = zinc_json_make(doc, ZINC_JSON_OBJECT);

	if (zinc_json_set(doc, v, "name", zinc_json_make_string(doc, name), NULL) != ZINC_OK)
		return NULL;
	if (member && (zinc_json_set(doc, c, member, value, NULL) != ZINC_OK ||
		       zinc_json_set(doc, v, "configuration", c, NULL) != ZINC_OK))
		return NULL;
	return v;
}

/* Only in the final version do programs write lists of lengths into a regular grid.  Each becomes a 1, so that it is
 * reported once. */
static void
check_lengths(zinc_json_doc *v3, zinc_report *r)
{
	const zinc_json *grid = zinc_json_member(zinc_json_root(v3), "chunk_grid");
	zinc_json *list = zinc_json_member(zinc_json_member(grid, "configuration"), "chunk_shape"), *v;
	size_t mark;

	for (v = zinc_json_is(list, ZINC_JSON_ARRAY) ? list->first : NULL; v; v = v->next) {
		if (v->type != ZINC_JSON_ARRAY)
			continue;
		mark = zinc_report_enter(r, "chunk_grid");
		(void)zinc_report_error(r, "M40", NULL, "a chunk length must be an integer, not a list");
		zinc_report_leave(r, mark);
		v->type = ZINC_JSON_NUMBER;
		v->text = "1";
		v->n = 1;
		v->first = v->last = NULL;
	}
}

zinc_status
zinc_v3_parse_translated(zinc_json_doc *v3, const zinc_report *r, zinc_report_fn forward_finding, void *arg,
			 const bool *failed, zinc_meta **out, zinc_error *err)
{
	zinc_report bridge;
	zinc_error e = ZINC_ERROR_INIT;
	zinc_status st;

	zinc_report_init(&bridge, r->ctx, false, r->where);
	bridge.code = r->code;
	bridge.found = forward_finding;
	bridge.arg = arg;
	check_lengths(v3, &bridge);
	st = zinc_v3_parse_doc(r->ctx, v3, &bridge, out, &e);
	if (st != ZINC_OK && !*failed)
		return zinc_error_copy(err, &e);
	if (st == ZINC_OK && !*failed)
		return ZINC_OK;
	if (st == ZINC_OK)
		zinc_meta_free(*out);
	*out = NULL;
	return st == ZINC_E_NOMEM ? zinc_fail_nomem(err) : r->code;
}

void
zinc_v3_restore_own_document(zinc_meta *m, const zinc_format *f, zinc_json_doc *doc, char **unsupported,
			     const char *rule)
{
	m->no_fill = zinc_json_is(zinc_json_member(zinc_json_root(doc), "fill_value"), ZINC_JSON_NULL);
	m->v3 = m->doc;
	m->doc = doc;
	m->format = f;
	if (!*unsupported)
		return;
	zinc_free(m->ctx, m->unsupported);
	m->unsupported = *unsupported;
	*unsupported = NULL;
	memcpy(m->unsupported_rule, rule, sizeof m->unsupported_rule);
}

/* Callers see all attributes, with dimension names and zarr-python's filters still in them. */
static zinc_status
show_attributes(zinc_meta *m, zinc_error *err)
{
	const zinc_json *v = zinc_json_member(zinc_json_root(m->doc), "attributes");

	if (!zinc_json_is(v, ZINC_JSON_OBJECT))
		return ZINC_OK;
	m->attributes = zinc_json_copy_plain(m->v3, v);
	return m->attributes ? ZINC_OK : zinc_fail_nomem(err);
}

zinc_status
zinc_v3_parse_end(zinc_status st, zinc_meta *m, zinc_json_doc *doc, zinc_meta **out, zinc_error *err)
{
	if (!m) {
		zinc_json_free(doc);
		return st;
	}
	st = show_attributes(m, err);
	if (st == ZINC_OK)
		*out = m;
	else
		zinc_meta_free(m);
	return st;
}
