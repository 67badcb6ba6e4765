/*
 * format_v2_parse.c - documents of Zarr version 2 -> zinc_meta
 *
 * The document is translated into one of the final version.  The final version's parser makes the grid, keys, chain,
 * type and fill value of it.  What it finds is reported with this version's rules and pointers.
 *
 *   shape, chunks            shape, chunk_grid "regular"
 *   dimension_separator      chunk_key_encoding "v2"
 *   dtype                    data_type, and `endian` of the codec bytes
 *   order "F"                a transpose of all axes, first
 *   filters                  array->array codecs, then bytes (or a filter in its place), then bytes->bytes codecs
 *   compressor               the last codec
 *   fill_value null          zeros, or NaT: the specification leaves them to the reader
 *   _ARRAY_DIMENSIONS        dimension_names
 *
 * Promises:
 *
 * (1) A report that collects receives the errors of every member.  Otherwise parsing ends at the first error.
 * (2) An unknown compressor, filter or type never hides the rest: the node opens, and `unsupported` says why its
 *     elements cannot be accessed.
 * (3) NaN tokens in .zattrs stay in the document. m->attributes has them as strings, as documents of the final version
 *     do, since all output of the library is JSON.
 */
#include "format/format_v2.h"

struct parse {
	zinc_context *ctx;
	zinc_report *r;
	const zinc_json *root;
	zinc_json_doc *v3;
	zinc_json *out; /* its root */
	zinc_v2_type type;
	bool compressed; /* the last codec is the compressor */
	char *unsupported;
	char rule[ZINC_RULE_BYTES]; /* of that */
	bool opaque;                /* as in zinc_meta */
	bool failed;                /* an error has been found; it is in err */
	zinc_error *err;            /* the caller's */
	zinc_error e;               /* of the member under the parser */
};

static zinc_status
conclude(struct parse *p, zinc_status st)
{
	return zinc_report_conclude(p->r, st, &p->e, &p->unsupported, p->rule, &p->failed, p->err);
}

/* ---- pieces of the final version's document ---- */

static zinc_status
set(struct parse *p, const char *key, zinc_json *v)
{
	return zinc_json_set(p->v3, p->out, key, v, &p->e);
}

static zinc_json *
member(const struct parse *p, const char *key)
{
	return zinc_json_member(p->root, key);
}

/* ---- members of arrays ---- */

static zinc_status
parse_shape(struct parse *p, const zinc_json *v)
{
	return set(p, "shape", zinc_json_copy_plain(p->v3, v)); /* the rules are those of the final version */
}

/* Older writers stored chunk length 0 for a dimension of length 0. */
static zinc_status
parse_chunks(struct parse *p, const zinc_json *v)
{
	zinc_json *list = zinc_json_copy(p->v3, v), *item;
	const zinc_json *dim = zinc_json_is(member(p, "shape"), ZINC_JSON_ARRAY) ? member(p, "shape")->first : NULL;
	uint64_t chunk, extent;

	if (!zinc_json_is(v, ZINC_JSON_ARRAY))
		return zinc_report_error(p->r, "V2-6", &p->e, "chunks must be a list of integers");
	for (item = list ? list->first : NULL; item; item = item->next, dim = dim ? dim->next : NULL) {
		if (!zinc_json_u64(item, &chunk) || chunk != 0 || !zinc_json_u64(dim, &extent) || extent != 0)
			continue;
		ZINC_TRY(zinc_report_lenient(p->r, "V2-6", &p->e, "chunk length 0 in a dimension without elements"));
		item->text = "1";
		item->n = 1;
	}
	return set(p, "chunk_grid", zinc_v3_extension(p->v3, "regular", "chunk_shape", list));
}

static zinc_status
parse_separator(struct parse *p, const zinc_json *v)
{
	if (v && !zinc_json_is_string(v, ".") && !zinc_json_is_string(v, "/"))
		return zinc_report_error(p->r, "V2-13", &p->e, "dimension_separator must be \".\" or \"/\"");
	return set(p, "chunk_key_encoding",
		   zinc_v3_extension(p->v3, "v2", "separator", zinc_json_make_string(p->v3, v ? v->text : ".")));
}

static zinc_status
parse_dtype(struct parse *p, const zinc_json *v)
{
	ZINC_TRY(zinc_v2_type_parse(&p->type, p->v3, v, zinc_v2_object_type(member(p, "filters")), p->r, &p->e));
	return set(p, "data_type", p->type.v3);
}

static zinc_status
parse_fill_value(struct parse *p, const zinc_json *v)
{
	zinc_json *fill = NULL;

	if (!p->type.v3)
		return ZINC_OK; /* without a type the value cannot be checked */
	ZINC_TRY(zinc_v2_fill_parse(&fill, p->v3, &p->type, v, p->r, &p->e));
	return set(p, "fill_value", fill);
}

/* ---- codecs ---- */

/* Check that the codec is an object with an id. */
static zinc_status
check_codec(struct parse *p, const zinc_json *v, const char *rule)
{
	const zinc_json *id = zinc_json_member(v, "id");

	if (!zinc_json_is(id, ZINC_JSON_STRING) || id->n == 0 || strlen(id->text) != id->n)
		return zinc_report_error(p->r, rule, &p->e, "a codec must be an object with a string \"id\"");
	return ZINC_OK;
}

/* Column-major order is row-major order with reversed axes (v3 core, codec transpose). */
static zinc_status
add_order(struct parse *p, zinc_json *list)
{
	const zinc_json *shape = member(p, "shape");
	zinc_json *order;
	size_t i;

	if (!zinc_json_is_string(member(p, "order"), "F") || !zinc_json_is(shape, ZINC_JSON_ARRAY) || shape->n < 2)
		return ZINC_OK;
	if (shape->n > ZINC_MAX_NDIM)
		return ZINC_OK; /* the parser of shapes reports that */
	order = zinc_json_make(p->v3, ZINC_JSON_ARRAY);
	for (i = shape->n; i-- > 0;)
		ZINC_TRY(zinc_json_append(order, zinc_json_make_u64(p->v3, i), &p->e));
	return zinc_json_append(list, zinc_v3_extension(p->v3, "transpose", "order", order), &p->e);
}

static zinc_status
parse_order(struct parse *p, const zinc_json *v)
{
	if (v && !zinc_json_is_string(v, "C") && !zinc_json_is_string(v, "F"))
		return zinc_report_error(p->r, "V2-9", &p->e, "order must be \"C\" or \"F\"");
	return ZINC_OK;
}

static zinc_status
parse_filters(struct parse *p, const zinc_json *v)
{
	const zinc_json *f;

	if (!v || zinc_json_is(v, ZINC_JSON_NULL))
		return ZINC_OK;
	if (!zinc_json_is(v, ZINC_JSON_ARRAY))
		return zinc_report_error(p->r, "V2-11", &p->e, "filters must be a list or null");
	for (f = v->first; f; f = f->next)
		ZINC_TRY(check_codec(p, f, "V2-11"));
	return ZINC_OK;
}

static zinc_status
parse_compressor(struct parse *p, const zinc_json *v)
{
	p->compressed = v && !zinc_json_is(v, ZINC_JSON_NULL);
	return p->compressed ? check_codec(p, v, "V2-10") : ZINC_OK;
}

/* Called when order, filters and compressor are valid. */
static zinc_status
make_codecs(struct parse *p)
{
	zinc_v2_codecs c = {.doc = p->v3,
			    .list = zinc_json_make(p->v3, ZINC_JSON_ARRAY),
			    .dtype = p->type.dtype,
			    .big = p->type.big,
			    .r = p->r,
			    .rule = "V2-12",
			    .err = &p->e};
	zinc_status st;

	c.packed = p->compressed && zinc_v2_packs(member(p, "compressor"));
	ZINC_TRY(add_order(p, c.list));
	st = zinc_v2_add_filters(&c, member(p, "filters"));
	if (st != ZINC_OK && st != ZINC_E_UNSUPPORTED)
		return st;
	if (c.packed && st == ZINC_OK)
		st = zinc_v2_add_packer(&c, member(p, "compressor"));
	else if (p->compressed)
		ZINC_TRY(zinc_v2_add_codec(&c, member(p, "compressor")));
	if (st != ZINC_OK && st != ZINC_E_UNSUPPORTED)
		return st;
	ZINC_TRY(set(p, "codecs", c.list));
	return st;
}

/* ---- attributes ---- */

/* xarray's convention.  Any other value under this name is an ordinary attribute. */
static bool
are_names(const struct parse *p, const zinc_json *v)
{
	const zinc_json *shape = member(p, "shape");

	return zinc_dimension_names_all(v) && zinc_json_is(shape, ZINC_JSON_ARRAY) && v->n == shape->n;
}

static zinc_status
parse_attributes(struct parse *p, const zinc_json *v)
{
	zinc_json *names = zinc_json_member(v, ZINC_DIMENSIONS), *attributes;

	if (!zinc_json_is(v, ZINC_JSON_OBJECT))
		return v ? zinc_report_error(p->r, "V2-15", &p->e, "attributes must be an object") : ZINC_OK;
	attributes = zinc_json_copy(p->v3, v);
	ZINC_TRY(set(p, "attributes", attributes));
	if (!are_names(p, names))
		return ZINC_OK;
	(void)zinc_json_remove(attributes, ZINC_DIMENSIONS);
	return set(p, "dimension_names", zinc_json_copy(p->v3, names));
}

/* ---- documents ---- */

static const struct row {
	const char *name;
	zinc_status (*parse)(struct parse *p, const zinc_json *v); /* v NULL: not there */
	bool required;                                             /* otherwise: some released writers leave it out */
	bool optional;
} rows[] = {
    {"shape", parse_shape, true, false},
    {"dtype", parse_dtype, true, false},
    {"chunks", parse_chunks, true, false},
    {"dimension_separator", parse_separator, false, true},
    {"fill_value", parse_fill_value, false, false}, /* needs dtype */
    {"order", parse_order, false, false},
    {"filters", parse_filters, false, false},
    {"compressor", parse_compressor, false, false},
    {ZINC_V2_MEMBER, parse_attributes, false, true}, /* needs shape */
};

static zinc_status
parse_row(struct parse *p, const struct row *row)
{
	const zinc_json *v = member(p, row->name);
	size_t mark;
	zinc_status st;

	if (!v && row->required)
		return zinc_report_error(p->r, "V2-4", &p->e, "%s is missing", row->name);
	if (!v && !row->optional)
		ZINC_TRY(zinc_report_lenient(p->r, "V2-4", &p->e, "%s is missing", row->name));
	mark = zinc_report_enter(p->r, row->name);
	st = row->parse(p, v);
	zinc_report_leave(p->r, mark);
	p->opaque = p->opaque || (st == ZINC_E_UNSUPPORTED && !zinc_meta_is_of_values(row->name));
	return st;
}

/* Members that the specification does not define are ignored. */
static zinc_status
parse_array(struct parse *p)
{
	size_t i;

	ZINC_TRY(set(p, "node_type", zinc_json_make_string(p->v3, "array")));
	for (i = 0; i < sizeof rows / sizeof *rows; i++)
		ZINC_TRY(conclude(p, parse_row(p, &rows[i])));
	return p->failed ? ZINC_OK : conclude(p, make_codecs(p));
}

static zinc_status
parse_group(struct parse *p)
{
	const zinc_json *v;

	ZINC_TRY(set(p, "node_type", zinc_json_make_string(p->v3, "group")));
	for (v = p->root->first; v; v = v->next)
		if (strcmp(v->key, "zarr_format") != 0 && strcmp(v->key, ZINC_V2_MEMBER) != 0)
			ZINC_TRY(
			    conclude(p, zinc_report_lenient(p->r, "V2-14", &p->e,
							    "member \"%.60s\" is not defined for a group", v->key)));
	return conclude(p, parse_attributes(p, member(p, ZINC_V2_MEMBER)));
}

/* Which document is it?  An error here makes the rest unreadable. */
static zinc_status
parse_head(struct parse *p, const zinc_json_doc *doc)
{
	const char *twice = zinc_json_duplicate(doc);
	const zinc_json *version = member(p, "zarr_format");
	uint64_t number = 0;

	if (!zinc_json_is(p->root, ZINC_JSON_OBJECT))
		return zinc_report_error(p->r, "V2-2", &p->e, "the document must be a JSON object");
	if (twice)
		ZINC_TRY(zinc_report_lenient(p->r, "V2-2", &p->e, "member \"%.60s\" appears twice", twice));
	if (!version)
		return zinc_report_error(p->r, "V2-3", &p->e, "zarr_format is missing");
	if (!zinc_json_u64(version, &number) || number != 2)
		return zinc_report_error(p->r, "V2-3", &p->e, "zarr_format must be the integer 2");
	return ZINC_OK;
}

/* ---- what the final version's parser finds ---- */

/* Which member each member of the final version comes from, and its rules. */
static const struct {
	const char *v3, *v2, *rule;
} members[] = {
    {"/shape", "shape", "V2-5"},
    {"/data_type", "dtype", "V2-7"},
    {"/chunk_grid", "chunks", "V2-6"},
    {"/chunk_key_encoding", "dimension_separator", "V2-13"},
    {"/fill_value", "fill_value", "V2-8"},
    {"/codecs", "filters", "V2-11"},
    {"/attributes", ZINC_V2_MEMBER, "V2-15"},
    {"/dimension_names", ZINC_V2_MEMBER, "V2-15"},
};

/* Does the pointer lead to the last codec? */
static bool
at_last_codec(const struct parse *p, const char *pointer)
{
	const zinc_json *codecs = zinc_json_member(p->out, "codecs");
	uint64_t i = 0;

	pointer += strlen("/codecs");
	if (!codecs || *pointer++ != '/')
		return false;
	for (; *pointer >= '0' && *pointer <= '9' && i < codecs->n; pointer++)
		i = i * 10 + (uint64_t)(*pointer - '0');
	return i + 1 == codecs->n;
}

/* Report a finding of the final version's parser about this document. */
static void
forward_finding(void *arg, zinc_severity severity, const char *rule, const char *pointer, const char *message)
{
	struct parse *p = arg;
	zinc_error *e = p->failed ? NULL : &p->e;
	const char *at = "";
	zinc_status st;
	size_t mark, i;

	for (i = 0; i < sizeof members / sizeof *members; i++)
		if (strncmp(pointer, members[i].v3, strlen(members[i].v3)) == 0) {
			at = members[i].v2;
			rule = members[i].rule;
		}
	if (strcmp(at, "filters") == 0 && p->compressed && at_last_codec(p, pointer)) {
		at = "compressor";
		rule = "V2-10";
	}
	mark = *at ? zinc_report_enter(p->r, at) : p->r->npointer;
	if (severity == ZINC_SEVERITY_UNSUPPORTED && strncmp(pointer, "/codecs", 7) == 0)
		rule = "V2-12";
	st = zinc_report_again(p->r, severity, rule, e, message);
	zinc_report_leave(p->r, mark);
	(void)conclude(p, st); /* if memory is out, later steps report it */
}

/* Let the final version's parser make the objects, then restore the document's own form. */
static zinc_status
make_meta(struct parse *p, zinc_json_doc *doc, zinc_meta **out)
{
	zinc_json_doc *v3 = p->v3;

	p->v3 = NULL; /* taken */
	ZINC_TRY(zinc_v3_parse_translated(v3, p->r, forward_finding, p, &p->failed, out, p->err));
	(*out)->opaque = (*out)->opaque || p->opaque;
	zinc_v3_restore_own_document(*out, &zinc_format_v2, doc, &p->unsupported, p->rule);
	return ZINC_OK;
}

/* Translate member by member. */
static zinc_status
translate(struct parse *p, zinc_node_kind kind)
{
	ZINC_TRY(zinc_json_new(&p->v3, p->ctx, p->err));
	p->out = zinc_json_make(p->v3, ZINC_JSON_OBJECT);
	zinc_json_set_root(p->v3, p->out);
	ZINC_TRY(set(p, "zarr_format", zinc_json_make_u64(p->v3, 3)) == ZINC_OK ? ZINC_OK : zinc_fail_nomem(p->err));
	ZINC_TRY(kind == ZINC_NODE_ARRAY ? parse_array(p) : parse_group(p));
	return p->failed ? p->r->code : ZINC_OK;
}

zinc_node_kind
zinc_v2_kind(const zinc_json *root)
{
	size_t i;

	for (i = 0; i < sizeof rows / sizeof *rows; i++)
		if (strcmp(rows[i].name, ZINC_V2_MEMBER) != 0 && zinc_json_member(root, rows[i].name))
			return ZINC_NODE_ARRAY;
	return ZINC_NODE_GROUP;
}

zinc_status
zinc_v2_parse(const zinc_format *f, zinc_context *ctx, zinc_json_doc *doc, zinc_node_kind kind, zinc_report *r,
	      zinc_meta **out, zinc_error *err)
{
	struct parse p = {.ctx = ctx, .r = r, .root = zinc_json_root(doc), .err = err};
	zinc_meta *m = NULL;
	zinc_status st = parse_head(&p, doc);

	(void)f;
	if (st != ZINC_OK)
		zinc_error_copy(err, &p.e);
	if (st == ZINC_OK)
		st = translate(&p, kind == ZINC_NODE_NONE ? zinc_v2_kind(p.root) : kind);
	if (st == ZINC_OK)
		st = make_meta(&p, doc, &m);
	zinc_json_free(p.v3);
	zinc_v2_type_fini(&p.type);
	zinc_free(ctx, p.unsupported);
	return zinc_v3_parse_end(st, m, doc, out, err);
}
