/*
 * format_v3_2019.c - the drafts of 2019: what differs from the other drafts
 *
 *   zarr.json                {"zarr_format": "http://purl.org/zarr/spec/protocol/core/3.0", ...}
 *   meta/root/foo/bar.array  {"zarr_format", "shape", "data_type": "<f8", "chunk_grid", "chunk_codecs": [...], ...}
 *   meta/root/foo/baz.group  {"zarr_format", "extensions", "attributes"}
 *   data/foo/bar/0.0
 *
 * Written documents are those of the first draft, and keys are those of the design update of June.  Documents of both
 * forms are read:
 *
 *   first    "zarr_format" in each document; "chunk_codecs", a list, parameters beside "codec"
 *   June     "zarr_format" in zarr.json only; one "compressor", parameters in "configuration"
 *
 * Promises:
 *
 * (1) Names of siblings must not differ only in case: a second such name is not created, and a listing reports it.
 * (2) Groups can have extensions, too.  An unknown one that must be understood makes the group unsupported.
 * (3) Chunks below "data/root", where later drafts have them, are found.
 */
#include "format/draft.h"

#define CORE     "http://purl.org/zarr/spec/protocol/core/"
#define ENCODING "application/json"

/* ---- the entry point ---- */

/* Keys have no suffix, and no member names one. */
static zinc_status
parse_encoding(zinc_draft_entry *e, const zinc_json *root, const char **suffix, zinc_report *r, const zinc_draft *d,
	       zinc_error *err)
{
	const zinc_json *v = zinc_json_member(root, "metadata_encoding");

	*suffix = "";
	if (!v)
		return zinc_report_lenient(r, d->rules[ZINC_DRAFT_ENTRY], err, "metadata_encoding is missing");
	if (!zinc_json_is(v, ZINC_JSON_STRING))
		return zinc_report_error(r, d->rules[ZINC_DRAFT_ENCODING], err, "metadata_encoding must be a string");
	if (strcmp(v->text, ENCODING) != 0 && !zinc_draft_encoding(e, v->text, NULL, d->rules[ZINC_DRAFT_ENCODING], r))
		return zinc_report_unsupported(r, d->rules[ZINC_DRAFT_ENCODING], err,
					       "metadata encoding \"%.200s\" is not known", v->text);
	return ZINC_OK;
}

/* Is there an entry "root", and are there others?  One answer may be enough. */
struct entries {
	size_t nprefix;
	bool root, others;
	const bool *enough;
};

static int
note(void *arg, const char *entry, int is_prefix)
{
	struct entries *x = arg;
	const char *name = entry + x->nprefix;

	(void)is_prefix;
	if (strncmp(name, "root/", 5) == 0 || strncmp(name, "root.", 5) == 0) /* "root.array" */
		x->root = true;
	else
		x->others = true;
	return *x->enough;
}

static zinc_status
look_into(zinc_hierarchy *h, const char *tree, struct entries *x, zinc_error *err)
{
	zinc_error e = ZINC_ERROR_INIT;
	zinc_status st;
	zinc_buf prefix;

	zinc_buf_init(&prefix, h->ctx, ZINC_MAX_KEY);
	st = zinc_buf_printf(&prefix, &e, "%s%s", h->prefix, tree);
	x->nprefix = prefix.n;
	if (st == ZINC_OK)
		st = zinc_buf_text(&prefix)
			 ? zinc_store_list_dir(h->store, zinc_buf_text(&prefix), note, x, h->wait, &e)
			 : zinc_fail_nomem(&e);
	zinc_buf_fini(&prefix);
	return st == ZINC_OK || st == ZINC_E_UNSUPPORTED ? ZINC_OK : zinc_error_copy(err, &e); /* cannot list */
}

/* Promise (3).  A node /root would have its data there, too. */
static zinc_status
look(zinc_hierarchy *h, zinc_draft_entry *e, zinc_report *r, zinc_error *err)
{
	struct entries data = {.enough = &data.others}, meta = {.enough = &meta.root};

	ZINC_TRY(look_into(h, "data/", &data, err));
	if (!data.root || data.others)
		return ZINC_OK;
	ZINC_TRY(look_into(h, "meta/root/", &meta, err));
	if (meta.root)
		return ZINC_OK;
	e->data = "data/root";
	return zinc_report_lenient(r, h->format->draft->rules[ZINC_DRAFT_DATA], err,
				   "chunks are below data/root, as in later drafts");
}

/* ---- documents ---- */

/* The URI of the entry point, or another version of it. */
static zinc_status
parse_version(zinc_draft_parse *p, const zinc_json *v)
{
	if (!v)
		return ZINC_OK;
	if (!zinc_json_is(v, ZINC_JSON_STRING) || strncmp(v->text, CORE, sizeof CORE - 1) != 0)
		return zinc_report_error(p->r, zinc_draft_rule_of(p, ZINC_DRAFT_URI), &p->e,
					 "zarr_format must be \"" CORE "3.0\"");
	return zinc_draft_check_version(v->text, v->text + sizeof CORE - 1, "3.0", p->r,
					zinc_draft_rule_of(p, ZINC_DRAFT_VERSION), &p->e);
}

/* ---- codecs ---- */

/* {"codec": URI, ...}: `object` and `string` are the rules for its form. */
static zinc_status
check_codec(zinc_draft_parse *p, const zinc_json *v, zinc_draft_rule object)
{
	const zinc_json *uri = zinc_json_member(v, "codec"), *c = zinc_json_member(v, "configuration");

	if (!uri)
		return zinc_report_error(p->r, zinc_draft_rule_of(p, object), &p->e,
					 "a codec must be an object with a URI as \"codec\"");
	if (!zinc_draft_is_uri(uri))
		return zinc_report_error(p->r, zinc_draft_rule_of(p, ZINC_DRAFT_CODEC_URI), &p->e,
					 "\"codec\" must be a URI");
	if (c && !zinc_json_is(c, ZINC_JSON_OBJECT))
		return zinc_report_error(p->r, zinc_draft_rule_of(p, ZINC_DRAFT_CONFIGURATION), &p->e,
					 "configuration of a codec must be an object");
	return ZINC_OK;
}

static zinc_status
parse_codecs(zinc_draft_parse *p, const zinc_json *v)
{
	const zinc_json *item;
	size_t i = 0;

	if (!v)
		return ZINC_OK; /* June */
	if (!zinc_json_is(v, ZINC_JSON_ARRAY))
		return zinc_report_error(p->r, zinc_draft_rule_of(p, ZINC_DRAFT_CODECS), &p->e,
					 "chunk_codecs must be a list");
	for (item = v->first; item; item = item->next) {
		const size_t mark = zinc_report_enter_item(p->r, i++);
		const zinc_status st =
		    check_codec(p, item, zinc_json_is(item, ZINC_JSON_OBJECT) ? ZINC_DRAFT_CODEC : ZINC_DRAFT_CODECS);

		zinc_report_leave(p->r, mark);
		ZINC_TRY(st);
	}
	return ZINC_OK;
}

static zinc_status
parse_compressor(zinc_draft_parse *p, const zinc_json *v)
{
	return v ? check_codec(p, v, ZINC_DRAFT_COMPRESSOR) : ZINC_OK;
}

/* Parameters beside the URI or in a configuration -> a configuration.  NULL: no memory. */
static zinc_json *
parameters(zinc_draft_parse *p, const zinc_json *v)
{
	const zinc_json *c = zinc_json_member(v, "configuration");
	zinc_json *copy = zinc_json_copy(p->v3, c ? c : v);

	if (!c)
		(void)zinc_json_remove(copy, "codec");
	return copy;
}

static zinc_status
add_codec(zinc_draft_parse *p, zinc_v2_codecs *c, const zinc_json *v)
{
	zinc_json *configuration = parameters(p, v), *item;

	if (!configuration)
		return zinc_fail_nomem(&p->e);
	ZINC_TRY(zinc_draft_codec(p, zinc_json_member(v, "codec")->text, configuration, &item));
	return zinc_json_append(c->list, item, &p->e);
}

/* All codecs work on bytes, so `bytes` comes first. */
static zinc_status
add_codecs(zinc_draft_parse *p, zinc_json *list)
{
	const zinc_json *codecs = zinc_json_member(p->root, "chunk_codecs");
	const zinc_json *compressor = zinc_json_member(p->root, "compressor"), *v;
	zinc_v2_codecs c = {.doc = p->v3,
			    .list = list,
			    .dtype = p->dtype,
			    .big = p->big,
			    .r = p->r,
			    .rule = zinc_draft_rule_of(p, ZINC_DRAFT_CODEC),
			    .err = &p->e};

	ZINC_TRY(zinc_v2_add_filters(&c, NULL));
	for (v = codecs ? codecs->first : NULL; v; v = v->next)
		ZINC_TRY(add_codec(p, &c, v));
	return compressor ? add_codec(p, &c, compressor) : ZINC_OK;
}

/* ---- and back ---- */

/* {"codec": URI, "configuration": {"level": 1}} -> {"codec": URI, "level": 1} */
static zinc_status
print_codec(zinc_draft_make *b, const zinc_codec *c, zinc_json *list)
{
	const zinc_json *configuration, *parameter;
	zinc_json *v;

	ZINC_TRY(zinc_draft_codec_print(b, c, "codec", &v));
	configuration = zinc_json_member(v, "configuration");
	for (parameter = configuration ? configuration->first : NULL; parameter; parameter = parameter->next)
		ZINC_TRY(zinc_json_set(b->doc, v, parameter->key, zinc_json_copy(b->doc, parameter), b->err));
	(void)zinc_json_remove(v, "configuration");
	return zinc_json_append(list, v, b->err);
}

static zinc_status
make_codecs(zinc_draft_make *b)
{
	zinc_json *list = zinc_json_make(b->doc, ZINC_JSON_ARRAY);
	const zinc_chain *c = b->chain;
	int i;

	for (i = 0; i < c->naa; i++)
		if (!zinc_codec_reorders(c->aa[i]->ops) && c->aa[i] != b->layout)
			return zinc_draft_refuse(b, "codecs that work on elements");
	if (c != b->m->chain)
		return zinc_draft_refuse(b, "shards");
	if (strcmp(c->ab->ops->name, "bytes") != 0)
		return zinc_draft_refuse(b, "elements of variable length");
	for (i = 0; i < c->nbb; i++)
		ZINC_TRY(print_codec(b, c->bb[i], list));
	return zinc_json_set(b->doc, b->out, "chunk_codecs", list, b->err);
}

/* ---- the row ---- */

static const zinc_draft_member members[] = {
    {"zarr_format", parse_version, ZINC_DRAFT_OPTIONAL},
    {"attributes", zinc_draft_parse_attributes, ZINC_DRAFT_EXPECTED},
    {"shape", zinc_draft_parse_shape, ZINC_DRAFT_REQUIRED},
    {"data_type", zinc_draft_parse_type, ZINC_DRAFT_REQUIRED},
    {"chunk_grid", zinc_draft_parse_grid, ZINC_DRAFT_REQUIRED},
    {"chunk_memory_layout", zinc_draft_parse_layout, ZINC_DRAFT_REQUIRED},
    {"fill_value", zinc_draft_parse_fill, ZINC_DRAFT_REQUIRED}, /* needs data_type */
    {"chunk_codecs", parse_codecs, ZINC_DRAFT_OPTIONAL},
    {"compressor", parse_compressor, ZINC_DRAFT_OPTIONAL},
    {"extensions", zinc_draft_parse_extensions, ZINC_DRAFT_EXPECTED},
    {NULL, NULL, ZINC_DRAFT_OPTIONAL},
};

static const zinc_draft_member group_members[] = {
    {"zarr_format", parse_version, ZINC_DRAFT_OPTIONAL},
    {"attributes", zinc_draft_parse_attributes, ZINC_DRAFT_EXPECTED},
    {"extensions", zinc_draft_parse_extensions, ZINC_DRAFT_EXPECTED},
    {NULL, NULL, ZINC_DRAFT_OPTIONAL},
};

static const char *const entry_members[] = {"zarr_format", "metadata_encoding", "extensions", NULL};

static const char *const codec_ids[] = {"gzip",  "blosc",   "zlib",   "bz2",        "lz4",     "lzma",
					"crc32", "adler32", "crc32c", "fletcher32", "shuffle", NULL};

static const zinc_draft draft = {
    .format = &zinc_format_v3_2019,
    .name = "the draft of 2019",
    .core = CORE,
    .entry = "{\n"
	     "  \"zarr_format\": \"" CORE "3.0\",\n"
	     "  \"metadata_encoding\": \"" ENCODING "\",\n"
	     "  \"extensions\": []\n"
	     "}\n",
    .version = CORE "3.0",
    .meta = "meta/root",
    .data = "data",
    .root_dot = true,
    .chunk = "",
    .separator = '.',
    .codec = "http://purl.org/zarr/spec/codec/%s",
    .codec_ids = codec_ids,
    .name_max = 255,
    .complex = true,
    .rules = zinc_draft_rules_2019,
    .members = members,
    .group_members = group_members,
    .entry_members = entry_members,
    .parse_encoding = parse_encoding,
    .look = look,
    .codecs = add_codecs,
    .print_codecs = make_codecs,
};

const zinc_format zinc_format_v3_2019 = {
    .id = "v3-2019",
    .purpose = "the drafts of 2019: documents of the first, keys of June",
    .codecs = "zstd",
    .crc32c_when_asked = true,
    .holds = {.regular_grid = true,
	      .no_shards = true,
	      .plain_orders = true,
	      .whole_names = true,
	      .places = {ZINC_HOLDS_NO_CODEC, ZINC_HOLDS_NO_CODEC, ZINC_HOLDS_URI, ZINC_HOLDS_URI},
	      .codecs = codec_ids,
	      .extensions = ZINC_HOLDS_URIS},
    .group = "{\"zarr_format\": \"" CORE "3.0\", \"extensions\": [], \"attributes\": {}}",
    .masks = ZINC_MASKS_FILL,
    .keys = "v2",
    .draft = &draft,
    .fold_case = true,
    ZINC_DRAFT_SLOTS,
};
