/*
 * draft_parse.c - documents of the drafts -> zinc_meta
 *
 * A document is translated, member by member, into one of the final version.  The final version's parser makes the
 * grid, chain, type and fill value of it.  What it finds is reported with the draft's own rules and pointers.
 *
 *   chunk_grid               chunk_grid "regular"; its separator goes into the keys
 *   data_type                data_type, and `endian` of the codec bytes
 *   chunk_memory_layout "F"  a transpose of all axes, first
 *   compressor, codecs       codecs
 *   sharding transformer     the codec sharding_indexed around all of these
 *   extensions               members that are named by their URI
 *   _ARRAY_DIMENSIONS        dimension_names
 *
 * Promises:
 *
 * (1) A report that collects receives the errors of every member.  Otherwise parsing ends at the first error.
 * (2) An unknown extension never hides the rest: the node opens, and `unsupported` names its URI.
 */
#include "format/draft.h"

static zinc_status
conclude(zinc_draft_parse *p, zinc_status st)
{
	return zinc_report_conclude(p->r, st, &p->e, &p->unsupported, p->rule, &p->failed, p->err);
}

const char *
zinc_draft_rule_of(const zinc_draft_parse *p, zinc_draft_rule rule)
{
	return p->draft->rules[rule];
}

const char *
zinc_draft_rule_for(const zinc_format *f, const char *rule)
{
	static const struct {
		const char *final;
		zinc_draft_rule rule;
	} same[] = {
	    {"M1", ZINC_DRAFT_KEY},          {"foreign", ZINC_DRAFT_KEY},     {"case", ZINC_DRAFT_NAME_CASE},
	    {"M2", ZINC_DRAFT_JSON},         {"M26", ZINC_DRAFT_DATA},        {"orphan", ZINC_DRAFT_DATA},
	    {"M28", ZINC_DRAFT_BELOW},       {"M29", ZINC_DRAFT_NAME_EMPTY},  {"M31", ZINC_DRAFT_NAME_PERIODS},
	    {"M41", ZINC_DRAFT_OUTSIDE},     {"M43", ZINC_DRAFT_CHUNK_KEY},   {"M45", ZINC_DRAFT_SCALAR_KEY},
	    {"M46", ZINC_DRAFT_CHUNK_KEY},   {"M47", ZINC_DRAFT_SCALAR_KEY},  {"M48", ZINC_DRAFT_CHUNK_KEY},
	    {"M42", ZINC_DRAFT_CHUNK_SIZE},  {"M72", ZINC_DRAFT_CHUNK_SIZE},  {"M70", ZINC_DRAFT_CHUNK_BOOL},
	    {"M75", ZINC_DRAFT_CHUNK_GZIP},  {"M82", ZINC_DRAFT_CHUNK_BLOSC}, {"M84", ZINC_DRAFT_CHUNK},
	    {"M91", ZINC_DRAFT_SHARD_INDEX}, {"M93", ZINC_DRAFT_SHARD_INDEX}, {"M92", ZINC_DRAFT_SHARD_MISSING},
	    {"decode", ZINC_DRAFT_CHUNK},    {"two", ZINC_DRAFT_TWO},
	};
	size_t i;

	if (strcmp(rule, "M25") == 0) /* groups without a document are equally valid */
		return NULL;
	for (i = 0; i < sizeof same / sizeof *same; i++)
		if (strcmp(rule, same[i].final) == 0)
			return f->draft->rules[same[i].rule];
	return rule;
}

/* ---- pieces of the final version's document ---- */

zinc_status
zinc_draft_set(zinc_draft_parse *p, const char *key, zinc_json *v)
{
	return zinc_json_set(p->v3, p->out, key, v, &p->e);
}

zinc_json *
zinc_draft_extension(zinc_draft_parse *p, const char *name, const char *member, zinc_json *value)
{
	return zinc_v3_extension(p->v3, name, member, value);
}

/* zarr-python names types by words where no URI existed yet. */
static bool
is_known_type(const zinc_json *v)
{
	bool has;

	return zinc_json_is(v, ZINC_JSON_STRING) && zinc_draft_type_uri(v->text, '\0', &has) != ZINC_URI_OTHER;
}

zinc_status
zinc_draft_foreign(zinc_draft_parse *p, const zinc_json *v, zinc_draft_rule rule, zinc_json **out)
{
	const zinc_json *uri = zinc_json_member(v, "extension");
	zinc_json *configuration;

	if (!uri || !zinc_json_member(v, "type"))
		return zinc_report_error(p->r, zinc_draft_rule_of(p, rule), &p->e,
					 "an extension must be an object with \"extension\" and \"type\"");
	if (!zinc_draft_is_uri(uri) && (rule != ZINC_DRAFT_TYPE_OBJECT || !is_known_type(uri)))
		return zinc_report_error(p->r, zinc_draft_rule_of(p, (zinc_draft_rule)(rule + 1)), &p->e,
					 "\"extension\" must be a URI");
	configuration = zinc_json_copy(p->v3, v);
	(void)zinc_json_remove(configuration, "extension");
	*out = zinc_draft_extension(p, uri->text, NULL, NULL);
	return zinc_json_set(p->v3, *out, "configuration", configuration, &p->e);
}

/* ---- documents ---- */

/* Parse the members of an array or group, and check for missing and unknown ones. */
struct table {
	const zinc_draft_member *members;
	zinc_draft_rule required, expected, unknown;
};

/* The draft of 2022 requires only the fill value explicitly. */
static zinc_draft_rule
missing_rule(const zinc_draft_parse *p, const struct table *t, const zinc_draft_member *row)
{
	return p->draft->strict_members && row->parse == zinc_draft_parse_fill ? ZINC_DRAFT_FILL_NULL : t->required;
}

static zinc_status
parse_member(zinc_draft_parse *p, const struct table *t, const zinc_draft_member *row)
{
	const zinc_json *v = zinc_json_member(p->root, row->name);
	zinc_status st;
	size_t mark;

	if (!v && row->need == ZINC_DRAFT_REQUIRED)
		return zinc_report_error(p->r, zinc_draft_rule_of(p, missing_rule(p, t, row)), &p->e, "%s is missing",
					 row->name);
	if (!v && row->need == ZINC_DRAFT_EXPECTED)
		ZINC_TRY(
		    zinc_report_lenient(p->r, zinc_draft_rule_of(p, t->expected), &p->e, "%s is missing", row->name));
	mark = zinc_report_enter(p->r, row->name);
	st = row->parse(p, v);
	zinc_report_leave(p->r, mark);
	p->opaque = p->opaque || (st == ZINC_E_UNSUPPORTED && !zinc_meta_is_of_values(row->name));
	return st;
}

/* Other members belong to later versions. */
static zinc_status
parse_unknown(zinc_draft_parse *p, const struct table *t, const zinc_json *v)
{
	const zinc_draft_member *row;

	for (row = t->members; row->name; row++)
		if (strcmp(row->name, v->key) == 0)
			return ZINC_OK;
	if (p->draft->strict_members) {
		p->closed = true;
		return zinc_report_unsupported(p->r, zinc_draft_rule_of(p, t->unknown), &p->e,
					       "member \"%.60s\" is not known, so the %s must not be opened", v->key,
					       t->members == p->draft->members ? "array" : "group");
	}
	return zinc_report_lenient(p->r, zinc_draft_rule_of(p, t->unknown), &p->e, "member \"%.60s\" is not defined",
				   v->key);
}

static zinc_status
parse_members(zinc_draft_parse *p, const struct table *t)
{
	const zinc_draft_member *row;
	const zinc_json *v;

	for (row = t->members; row->name; row++)
		ZINC_TRY(conclude(p, parse_member(p, t, row)));
	for (v = p->root->first; v; v = v->next) {
		const zinc_status st = parse_unknown(p, t, v);

		p->opaque = p->opaque || st == ZINC_E_UNSUPPORTED;
		ZINC_TRY(conclude(p, st));
	}
	return ZINC_OK;
}

/* Column-major order is row-major order with reversed axes (v3 core, codec transpose). */
static zinc_status
add_layout(zinc_draft_parse *p, zinc_json *list)
{
	const zinc_json *shape = zinc_json_member(p->root, "shape");
	zinc_json *order;
	size_t i;

	if (p->layout)
		return zinc_json_append(list, p->layout, &p->e);
	if (!zinc_json_is_string(zinc_json_member(p->root, "chunk_memory_layout"), "F") || shape->n < 2 ||
	    shape->n > ZINC_MAX_NDIM)
		return ZINC_OK;
	order = zinc_json_make(p->v3, ZINC_JSON_ARRAY);
	for (i = shape->n; i-- > 0;)
		ZINC_TRY(zinc_json_append(order, zinc_json_make_u64(p->v3, i), &p->e));
	return zinc_json_append(list, zinc_draft_extension(p, "transpose", "order", order), &p->e);
}

/* The shape of a shard: the chunk shape times chunks_per_shard. */
static zinc_status
widen_grid(zinc_draft_parse *p, const zinc_json *per_shard, zinc_json **inner)
{
	zinc_json *grid = zinc_json_member(zinc_json_member(p->out, "chunk_grid"), "configuration");
	const zinc_json *chunk = zinc_json_member(grid, "chunk_shape"), *v, *per = per_shard->first;
	zinc_json *shape = zinc_json_make(p->v3, ZINC_JSON_ARRAY);

	*inner = zinc_json_copy(p->v3, chunk);
	if (!chunk || chunk->n != per_shard->n)
		return zinc_report_error(p->r, zinc_draft_rule_of(p, ZINC_DRAFT_SHARD_SHAPE), &p->e,
					 "chunks_per_shard must have one number for each dimension");
	for (v = chunk->first; v; v = v->next, per = per->next) {
		uint64_t a, b;

		if (!zinc_json_u64(v, &a) || !zinc_json_u64(per, &b) || b == 0 || zinc_u64_mul(a, b, &a))
			return zinc_report_error(
			    p->r, zinc_draft_rule_of(p, ZINC_DRAFT_SHARD_SHAPE), &p->e,
			    "chunks_per_shard must be positive, and the shard shape must fit 64 bits");
		ZINC_TRY(zinc_json_append(shape, zinc_json_make_u64(p->v3, a), &p->e));
	}
	return zinc_json_set(p->v3, grid, "chunk_shape", shape, &p->e);
}

/* The index of a draft's shard is at its end and has no checksum. */
static zinc_status
wrap_shards(zinc_draft_parse *p, const zinc_json *per_shard, zinc_json **list)
{
	zinc_json *index = zinc_json_make(p->v3, ZINC_JSON_ARRAY), *outer, *c, *inner;

	ZINC_TRY(widen_grid(p, per_shard, &inner));
	outer = zinc_draft_extension(p, "sharding_indexed", "chunk_shape", inner);
	c = zinc_json_member(outer, "configuration");
	ZINC_TRY(zinc_json_set(p->v3, c, "codecs", *list, &p->e));
	ZINC_TRY(zinc_json_append(
	    index, zinc_draft_extension(p, "bytes", "endian", zinc_json_make_string(p->v3, "little")), &p->e));
	ZINC_TRY(zinc_json_set(p->v3, c, "index_codecs", index, &p->e));
	ZINC_TRY(zinc_json_set(p->v3, c, "index_location", zinc_json_make_string(p->v3, "end"), &p->e));
	*list = zinc_json_make(p->v3, ZINC_JSON_ARRAY);
	return zinc_json_append(*list, outer, &p->e);
}

static zinc_status
bytes_only(zinc_draft_parse *p, zinc_json **list)
{
	*list = zinc_json_make(p->v3, ZINC_JSON_ARRAY);
	return zinc_json_append(
	    *list, zinc_draft_extension(p, "bytes", "endian", zinc_json_make_string(p->v3, "little")), &p->e);
}

/* Called when all its parts are valid. */
static zinc_status
make_codecs(zinc_draft_parse *p)
{
	zinc_json *list = zinc_json_make(p->v3, ZINC_JSON_ARRAY);
	zinc_status st;
	size_t i;

	ZINC_TRY(add_layout(p, list));
	st = p->draft->codecs(p, list);
	if (st == ZINC_E_UNSUPPORTED) /* the document needs a codec, although no element will be decoded */
		ZINC_TRY(bytes_only(p, &list));
	else if (st != ZINC_OK)
		return st;
	for (i = 0; i < p->nshards; i++)
		ZINC_TRY(wrap_shards(p, p->per_shard[i], &list));
	ZINC_TRY(zinc_draft_set(p, "codecs", list));
	return st;
}

/* Members that the drafts do not have get the defaults of the final version. */
static zinc_status
parse_array(zinc_draft_parse *p)
{
	const struct table t = {p->draft->members, ZINC_DRAFT_MEMBERS, ZINC_DRAFT_ALL_MEMBERS, ZINC_DRAFT_UNKNOWN};

	ZINC_TRY(conclude(p, zinc_draft_set(p, "node_type", zinc_json_make_string(p->v3, "array"))));
	ZINC_TRY(conclude(p, zinc_draft_set(p, "chunk_key_encoding", zinc_json_make_string(p->v3, "default"))));
	ZINC_TRY(parse_members(p, &t));
	return p->failed ? ZINC_OK : conclude(p, make_codecs(p));
}

static zinc_status
parse_group(zinc_draft_parse *p)
{
	const struct table t = {p->draft->group_members, ZINC_DRAFT_GROUP, ZINC_DRAFT_GROUP, ZINC_DRAFT_GROUP_UNKNOWN};

	ZINC_TRY(conclude(p, zinc_draft_set(p, "node_type", zinc_json_make_string(p->v3, "group"))));
	return parse_members(p, &t);
}

/* ---- what the final version's parser finds ---- */

/* Which draft member each member of the final version comes from, and its rules: for an error, and for something that
 * this build does not know. */
static const struct {
	const char *v3, *own;
	zinc_draft_rule wrong, unknown;
} members[] = {
    {"/shape", "shape", ZINC_DRAFT_SHAPE, ZINC_DRAFT_SHAPE},
    {"/data_type", "data_type", ZINC_DRAFT_TYPE_NAME, ZINC_DRAFT_TYPE_UNKNOWN},
    {"/chunk_grid", "chunk_grid", ZINC_DRAFT_GRID_SHAPE, ZINC_DRAFT_GRID_EXTENSION},
    {"/chunk_key_encoding", "chunk_grid", ZINC_DRAFT_GRID, ZINC_DRAFT_GRID_EXTENSION},
    {"/fill_value", "fill_value", ZINC_DRAFT_FILL, ZINC_DRAFT_FILL},
    {"/codecs", "codecs", ZINC_DRAFT_PARAMETER, ZINC_DRAFT_CODEC_UNKNOWN},
    {"/attributes", "attributes", ZINC_DRAFT_ATTRIBUTES, ZINC_DRAFT_ATTRIBUTES},
    {"/dimension_names", "attributes", ZINC_DRAFT_ATTRIBUTES, ZINC_DRAFT_ATTRIBUTES},
    {"/storage_transformers", "storage_transformers", ZINC_DRAFT_TRANSFORMER, ZINC_DRAFT_TRANSFORMER},
};

/* Rules of the final version about codec parameters. */
static const struct {
	const char *final;
	zinc_draft_rule rule;
} parameters[] = {
    {"M68", ZINC_DRAFT_ENDIAN},      {"M75", ZINC_DRAFT_GZIP_LEVEL},    {"M76", ZINC_DRAFT_BLOSC_NAME},
    {"M77", ZINC_DRAFT_BLOSC_LEVEL}, {"M78", ZINC_DRAFT_BLOSC_SHUFFLE}, {"M80", ZINC_DRAFT_BLOSC_BLOCK},
};

/* Which member a finding is about (NULL: an extension, which is its own member), and its rule. */
static const char *
attribute(const zinc_draft_parse *p, zinc_severity severity, const char *final, const char *pointer,
	  zinc_draft_rule *rule)
{
	const bool unknown = severity == ZINC_SEVERITY_UNSUPPORTED;
	const char *own = NULL;
	size_t i;

	*rule = ZINC_DRAFT_OWN_UNDERSTAND;
	for (i = 0; i < sizeof members / sizeof *members; i++)
		if (strncmp(pointer, members[i].v3, strlen(members[i].v3)) == 0) {
			own = members[i].own;
			*rule = unknown ? members[i].unknown : members[i].wrong;
		}
	for (i = 0; i < sizeof parameters / sizeof *parameters && !unknown; i++)
		if (strcmp(final, parameters[i].final) == 0)
			*rule = parameters[i].rule;
	if (own && strcmp(own, "codecs") == 0 && zinc_json_member(p->root, "compressor"))
		own = "compressor";
	return own && strcmp(own, "codecs") == 0 && zinc_json_member(p->root, "chunk_codecs") ? "chunk_codecs" : own;
}

/* Report a finding of the final version's parser about this document. */
static void
forward_finding(void *arg, zinc_severity severity, const char *final, const char *pointer, const char *message)
{
	zinc_draft_parse *p = arg;
	zinc_error *e = p->failed ? NULL : &p->e;
	zinc_draft_rule number;
	const char *at = attribute(p, severity, final, pointer, &number), *rule = zinc_draft_rule_of(p, number);
	const size_t mark = at ? zinc_report_enter(p->r, at) : p->r->npointer;
	zinc_status st;

	st = zinc_report_again(p->r, severity, rule, e, message);
	zinc_report_leave(p->r, mark);
	(void)conclude(p, st); /* if memory is out, later steps report it */
}

/* Chunk keys use the draft's encoding, or a registered one. */
static zinc_status
take_keys(zinc_draft_parse *p, zinc_meta *m)
{
	if (m->kind != ZINC_NODE_ARRAY || p->own_keys)
		return ZINC_OK;
	if (m->keys.ops)
		zinc_keys_fini(&m->keys);
	return zinc_draft_keys_init(&m->keys, p->ctx, p->draft, p->separator, p->err);
}

/* Let the final version's parser make the objects, then restore the draft's own document. */
static zinc_status
make_meta(zinc_draft_parse *p, zinc_json_doc *doc, zinc_meta **out)
{
	zinc_json_doc *v3 = p->v3;
	zinc_meta *m;
	zinc_status st;

	p->v3 = NULL; /* taken */
	ZINC_TRY(zinc_v3_parse_translated(v3, p->r, forward_finding, p, &p->failed, &m, p->err));
	st = take_keys(p, m);
	if (st != ZINC_OK) {
		zinc_meta_free(m);
		return st;
	}
	m->closed = p->closed;
	m->opaque = m->opaque || p->opaque;
	zinc_v3_restore_own_document(m, p->draft->format, doc, &p->unsupported, p->rule);
	*out = m;
	return ZINC_OK;
}

/* ---- the whole ---- */

static zinc_status
parse_head(zinc_draft_parse *p, const zinc_json_doc *doc)
{
	const char *twice = zinc_json_duplicate(doc);
	const char *rule = zinc_draft_rule_of(p, ZINC_DRAFT_OBJECT);

	if (!zinc_json_is(p->root, ZINC_JSON_OBJECT))
		return zinc_report_error(p->r, rule, &p->e, "the document must be a JSON object");
	return twice ? zinc_report_lenient(p->r, rule, &p->e, "member \"%.60s\" appears twice", twice) : ZINC_OK;
}

static zinc_status
translate(zinc_draft_parse *p, zinc_node_kind kind)
{
	ZINC_TRY(zinc_json_new(&p->v3, p->ctx, p->err));
	p->out = zinc_json_make(p->v3, ZINC_JSON_OBJECT);
	zinc_json_set_root(p->v3, p->out);
	if (zinc_draft_set(p, "zarr_format", zinc_json_make_u64(p->v3, 3)) != ZINC_OK)
		return zinc_fail_nomem(p->err);
	ZINC_TRY(kind == ZINC_NODE_ARRAY ? parse_array(p) : parse_group(p));
	return p->failed ? p->r->code : ZINC_OK;
}

zinc_node_kind
zinc_draft_kind(const zinc_json *root)
{
	return zinc_json_member(root, "shape") || zinc_json_member(root, "data_type") ||
		       zinc_json_member(root, "chunk_grid")
		   ? ZINC_NODE_ARRAY
		   : ZINC_NODE_GROUP;
}

zinc_status
zinc_draft_parse_doc(const zinc_format *f, zinc_context *ctx, zinc_json_doc *doc, zinc_node_kind kind, zinc_report *r,
		     zinc_meta **out, zinc_error *err)
{
	const zinc_draft *d = f->draft;
	zinc_draft_parse p = {
	    .ctx = ctx, .r = r, .draft = d, .root = zinc_json_root(doc), .separator = d->separator, .err = err};
	zinc_meta *m = NULL;
	zinc_status st = parse_head(&p, doc);

	if (st != ZINC_OK)
		zinc_error_copy(err, &p.e);
	if (st == ZINC_OK)
		st = translate(&p, kind == ZINC_NODE_NONE ? zinc_draft_kind(p.root) : kind);
	if (st == ZINC_OK)
		st = make_meta(&p, doc, &m);
	zinc_json_free(p.v3);
	zinc_dtype_free(p.dtype);
	zinc_free(ctx, p.unsupported);
	return zinc_v3_parse_end(st, m, doc, out, err);
}
