/*
 * format_n5_parse.c - documents of N5 in memory -> zinc_meta
 *
 * The document is translated into one of the final version, whose parser makes the type, the grid and the chain of it.
 * What it finds is reported with N5's rules and members.
 *
 *   shape ("dimensions" reversed)     shape
 *   blockSize (N5's order)            chunk_grid "regular", reversed; then cut at the border
 *   dataType                          data_type: the names are the same
 *   compression, compressionType      codecs: n5, with bytes (big-endian) and at most one compressor in it
 *   _ARRAY_DIMENSIONS                 dimension_names
 *
 * The fill value is 0, and keys are the indices reversed (keys_n5.c).
 *
 * Promises:
 *
 * (1) A report that collects receives the errors of every member.  Otherwise parsing ends at the first error.
 * (2) An unknown compression or type never hides the rest: the node opens, and `unsupported` says why its elements
 *     cannot be accessed.
 * (3) A new document whose attributes would be taken for members of N5 is E_INVALID.
 */
#include "format/format_n5.h"

struct parse {
	zinc_context *ctx;
	zinc_report *r;
	const zinc_json *root;
	bool array;
	zinc_json_doc *v3;
	zinc_json *out;         /* its root */
	const zinc_dtype *type; /* NULL: not known */
	char *unsupported;
	char rule[ZINC_RULE_BYTES]; /* of that */
	bool failed;                /* an error has been found; it is in err */
	zinc_error *err;            /* the caller's */
	zinc_error e;               /* of the member under the parser */
};

static zinc_status
conclude(struct parse *p, zinc_status st)
{
	return zinc_report_conclude(p->r, st, &p->e, &p->unsupported, p->rule, &p->failed, p->err);
}

static zinc_status
set(struct parse *p, const char *key, zinc_json *v)
{
	return zinc_json_set(p->v3, p->out, key, v, &p->e);
}

/* ---- members ---- */

/* "2.5.1": only the first number matters. */
static zinc_status
parse_version(struct parse *p, const zinc_json *v)
{
	const char *s = zinc_json_is(v, ZINC_JSON_STRING) ? v->text : "";
	unsigned major = 0;

	if (!v)
		return ZINC_OK;
	if (*s < '0' || *s > '9')
		return zinc_report_error(p->r, "N5-2", &p->e, "the version n5 must be a string like \"2.0.0\"");
	for (; *s >= '0' && *s <= '9' && major <= ZINC_N5_MAJOR; s++)
		major = major * 10 + (unsigned)(*s - '0');
	if (major > ZINC_N5_MAJOR)
		return zinc_report_unsupported(p->r, "N5-2", &p->e, "version %.40s of N5 is not known", v->text);
	return ZINC_OK;
}

/* The parser of the final version checks the items. */
static zinc_status
parse_shape(struct parse *p, const zinc_json *v)
{
	if (!v)
		return zinc_report_error(p->r, "N5-3", &p->e, "dimensions is missing");
	if (zinc_json_is(v, ZINC_JSON_ARRAY) && v->n == 0) /* zarr-python 2 writes it */
		ZINC_TRY(zinc_report_lenient(p->r, "N5-4", &p->e, "a dataset should have at least one dimension"));
	return set(p, "shape", zinc_json_copy_plain(p->v3, v));
}

static zinc_json *
reversed(struct parse *p, const zinc_json *v)
{
	zinc_json *out = zinc_json_make(p->v3, ZINC_JSON_ARRAY);
	size_t i;

	for (i = v->n; i-- > 0;)
		if (zinc_json_append(out, zinc_json_copy_plain(p->v3, zinc_json_item(v, i)), NULL) != ZINC_OK)
			return NULL;
	return out;
}

/* Without it a dataset is one block, as in N5 for Java. */
static zinc_status
parse_block_size(struct parse *p, const zinc_json *v)
{
	zinc_json *list;

	if (!v) {
		ZINC_TRY(zinc_report_lenient(p->r, "N5-3", &p->e, "blockSize is missing"));
		list = zinc_json_copy_plain(p->v3, zinc_json_member(p->root, "shape"));
	} else {
		if (!zinc_json_is(v, ZINC_JSON_ARRAY) || v->n > ZINC_MAX_NDIM)
			return zinc_report_error(p->r, "N5-5", &p->e, "blockSize must be a list of integers");
		list = reversed(p, v);
	}
	return set(p, "chunk_grid", zinc_v3_extension(p->v3, "regular", "chunk_shape", list));
}

static zinc_status
parse_type(struct parse *p, const zinc_json *v)
{
	if (!v)
		return zinc_report_error(p->r, "N5-3", &p->e, "dataType is missing");
	if (!zinc_json_is(v, ZINC_JSON_STRING))
		return zinc_report_error(p->r, "N5-6", &p->e, "dataType must be a string");
	if (zinc_n5_has_type(v->text)) {
		ZINC_TRY(set(p, "data_type", zinc_json_copy(p->v3, v)));
		return zinc_dtype_parse(&p->type, p->ctx, v, p->r, &p->e);
	}
	ZINC_TRY(set(p, "data_type", zinc_v3_extension(p->v3, "n5.unknown", NULL, NULL)));
	return zinc_report_unsupported(p->r, "N5-6", &p->e, "data type \"%.60s\" of N5", v->text);
}

/* Needs the type. */
static zinc_status
parse_compression(struct parse *p, const zinc_json *v)
{
	zinc_json *codec = NULL, *list = zinc_json_make(p->v3, ZINC_JSON_ARRAY), *outer;
	const bool plain = !p->type || p->type->unit <= 1;
	zinc_status st;

	if (zinc_json_is(v, ZINC_JSON_STRING)) /* only compressionType is a name */
		ZINC_TRY(zinc_report_lenient(p->r, "N5-7", &p->e, "compression should be an object"));
	v = v ? v : zinc_json_member(p->root, "compressionType");
	if (!v)
		return zinc_report_error(p->r, "N5-3", &p->e, "compression is missing");
	st = zinc_n5_codec_parse(&codec, p->v3, v, p->type ? p->type->size : 1, p->r, &p->e);
	if (st != ZINC_OK && st != ZINC_E_UNSUPPORTED)
		return st;
	ZINC_TRY(zinc_json_append(
	    list, zinc_v3_extension(p->v3, "bytes", plain ? NULL : "endian", zinc_json_make_string(p->v3, "big")),
	    &p->e));
	if (codec)
		ZINC_TRY(zinc_json_append(list, codec, &p->e));
	outer = zinc_json_make(p->v3, ZINC_JSON_ARRAY);
	ZINC_TRY(zinc_json_append(outer, zinc_v3_extension(p->v3, "n5", "codecs", list), &p->e));
	ZINC_TRY(set(p, "codecs", outer));
	return st;
}

/* ---- attributes ---- */

/* Promise (3).  Stored documents are unpacked so that they have no such attributes. */
static zinc_status
check_names(struct parse *p, const zinc_json *attributes)
{
	const zinc_json *v;

	for (v = attributes->first; v; v = v->next)
		if (zinc_n5_reserved(p->array ? ZINC_NODE_ARRAY : ZINC_NODE_GROUP, attributes, v->key))
			return zinc_report_error(p->r, "N5-9", &p->e,
						 "N5 has a member of its own with the name of the attribute \"%.60s\"",
						 v->key);
	return ZINC_OK;
}

/* xarray's convention.  Any other value under this name is an ordinary attribute. */
static bool
are_names(const struct parse *p, const zinc_json *v)
{
	const zinc_json *shape = zinc_json_member(p->root, "shape");

	return p->array && zinc_dimension_names_all(v) && zinc_json_is(shape, ZINC_JSON_ARRAY) && v->n == shape->n;
}

static zinc_status
parse_attributes(struct parse *p, const zinc_json *v)
{
	zinc_json *names = zinc_json_member(v, ZINC_DIMENSIONS), *attributes;

	if (!v)
		return ZINC_OK;
	if (!zinc_json_is(v, ZINC_JSON_OBJECT))
		return zinc_report_error(p->r, "N5-9", &p->e, "attributes must be an object");
	ZINC_TRY(check_names(p, v));
	attributes = zinc_json_copy(p->v3, v);
	ZINC_TRY(set(p, "attributes", attributes));
	if (!are_names(p, names))
		return ZINC_OK;
	(void)zinc_json_remove(attributes, ZINC_DIMENSIONS);
	return set(p, "dimension_names", zinc_json_copy(p->v3, names));
}

/* ---- documents ---- */

static const struct row {
	const char *name, *stored;                                 /* in memory, and as it is stored */
	zinc_status (*parse)(struct parse *p, const zinc_json *v); /* v NULL: not there */
	bool of_arrays;
} rows[] = {
    {"n5", "n5", parse_version, false},
    {"shape", "dimensions", parse_shape, true},
    {"dataType", "dataType", parse_type, true},
    {"blockSize", "blockSize", parse_block_size, true},
    {"compression", "compression", parse_compression, true},
    {ZINC_ATTRIBUTES, "", parse_attributes, false},
};

/* What is the same in all documents. */
static zinc_status
set_rest(struct parse *p)
{
	ZINC_TRY(set(p, "zarr_format", zinc_json_make_u64(p->v3, 3)));
	ZINC_TRY(set(p, "node_type", zinc_json_make_string(p->v3, p->array ? "array" : "group")));
	if (!p->array)
		return ZINC_OK;
	ZINC_TRY(set(p, "fill_value", zinc_json_make_u64(p->v3, 0)));
	return set(p, "chunk_key_encoding",
		   zinc_v3_extension(p->v3, "default", "separator", zinc_json_make_string(p->v3, "/")));
}

static zinc_status
parse_rows(struct parse *p)
{
	size_t i, mark;
	zinc_status st;

	for (i = 0; i < sizeof rows / sizeof *rows; i++) {
		if (rows[i].of_arrays && !p->array)
			continue;
		mark = *rows[i].stored ? zinc_report_enter(p->r, rows[i].stored) : p->r->npointer;
		st = rows[i].parse(p, zinc_json_member(p->root, rows[i].name));
		zinc_report_leave(p->r, mark);
		ZINC_TRY(conclude(p, st));
	}
	return conclude(p, set_rest(p));
}

static zinc_status
parse_head(struct parse *p, const zinc_json_doc *doc)
{
	const char *twice = zinc_json_duplicate(doc);

	if (!zinc_json_is(p->root, ZINC_JSON_OBJECT))
		return zinc_report_error(p->r, "N5-1", &p->e, "the document must be a JSON object");
	return twice ? zinc_report_lenient(p->r, "N5-1", &p->e, "member \"%.60s\" appears twice", twice) : ZINC_OK;
}

/* ---- what the final version's parser finds ---- */

static const struct {
	const char *v3, *n5, *rule;
} members[] = {
    {"/shape", "dimensions", "N5-4"},    {"/data_type", "dataType", "N5-6"}, {"/chunk_grid", "blockSize", "N5-5"},
    {"/fill_value", "dataType", "N5-6"}, {"/codecs", "compression", "N5-7"}, {"/attributes", "", "N5-9"},
    {"/dimension_names", "", "N5-9"},
};

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
			at = members[i].n5;
			rule = members[i].rule;
		}
	if (severity == ZINC_SEVERITY_UNSUPPORTED && strcmp(at, "compression") == 0)
		rule = "N5-8";
	if (severity == ZINC_SEVERITY_UNSUPPORTED && strcmp(at, "dataType") == 0)
		return; /* reported when it was translated */
	mark = *at ? zinc_report_enter(p->r, at) : p->r->npointer;
	st = zinc_report_again(p->r, severity, rule, e, message);
	zinc_report_leave(p->r, mark);
	(void)conclude(p, st); /* if memory is out, later steps report it */
}

/* Keys and borders are not those of the final version. */
static zinc_status
finish(zinc_meta *m, zinc_error *err)
{
	if (m->kind != ZINC_NODE_ARRAY || !m->keys.ops)
		return ZINC_OK;
	zinc_keys_fini(&m->keys);
	zinc_keys_init_n5(&m->keys, m->ctx);
	return m->grid ? zinc_grid_cut(m->grid, m->shape, err) : ZINC_OK;
}

/* Let the final version's parser make the objects, then restore the document's own form. */
static zinc_status
make_meta(struct parse *p, zinc_json_doc *doc, zinc_meta **out)
{
	zinc_json_doc *v3 = p->v3;
	zinc_meta *m = NULL;
	zinc_status st;

	p->v3 = NULL; /* taken */
	ZINC_TRY(zinc_v3_parse_translated(v3, p->r, forward_finding, p, &p->failed, &m, p->err));
	st = finish(m, p->err);
	if (st != ZINC_OK) {
		zinc_meta_free(m);
		return st;
	}
	zinc_v3_restore_own_document(m, &zinc_format_n5, doc, &p->unsupported, p->rule);
	*out = m;
	return ZINC_OK;
}

/* Translate member by member. */
static zinc_status
translate(struct parse *p)
{
	ZINC_TRY(zinc_json_new(&p->v3, p->ctx, p->err));
	p->out = zinc_json_make(p->v3, ZINC_JSON_OBJECT);
	zinc_json_set_root(p->v3, p->out);
	ZINC_TRY(parse_rows(p));
	return p->failed ? p->r->code : ZINC_OK;
}

zinc_status
zinc_n5_parse(const zinc_format *f, zinc_context *ctx, zinc_json_doc *doc, zinc_node_kind kind, zinc_report *r,
	      zinc_meta **out, zinc_error *err)
{
	struct parse p = {.ctx = ctx, .r = r, .root = zinc_json_root(doc), .err = err};
	zinc_meta *m = NULL;
	zinc_status st = parse_head(&p, doc);

	(void)f, (void)kind; /* it says so itself */
	p.array = zinc_n5_is_array(p.root, "shape");
	if (st != ZINC_OK)
		zinc_error_copy(err, &p.e);
	if (st == ZINC_OK)
		st = translate(&p);
	if (st == ZINC_OK)
		st = make_meta(&p, doc, &m);
	zinc_json_free(p.v3);
	zinc_dtype_free(p.type);
	zinc_free(ctx, p.unsupported);
	return zinc_v3_parse_end(st, m, doc, out, err);
}
