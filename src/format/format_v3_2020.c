/*
 * format_v3_2020.c - the draft of October 2020: what differs from the other drafts
 *
 *   zarr.json                     {"zarr_format": "https://purl.org/zarr/spec/protocol/core/3.0", ...}
 *   meta/root/foo/bar.array.json  {"shape", "data_type": "<f8", "chunk_grid", "compressor": {"codec": URI, ...}, ...}
 *   data/root/foo/bar/c0/0
 *
 * Written by zarrita, xtensor-zarr, zarr-python 2.12 to 2.18 and GDAL up to 3.7. zarr-python added filters, in an
 * attribute, and the sharding storage transformer of 2022.
 */
#include "format/draft.h"

#define CORE      "https://purl.org/zarr/spec/protocol/core/"
#define JSON_2019 "application/json"

/* ---- the entry point ---- */

/* Before October metadata_key_suffix did not exist, and keys had no suffix. */
static zinc_status
parse_encoding(zinc_draft_entry *e, const zinc_json *root, const char **suffix, zinc_report *r, const zinc_draft *d,
	       zinc_error *err)
{
	const zinc_json *v = zinc_json_member(root, "metadata_encoding");
	const char *rule = d->rules[ZINC_DRAFT_ENCODING];

	*suffix = "";
	if (v && !zinc_draft_is_uri(v) && !zinc_json_is_string(v, JSON_2019))
		return zinc_report_error(r, rule, err, "metadata_encoding must be a URI");
	if (!v) {
		ZINC_TRY(zinc_report_lenient(r, d->rules[ZINC_DRAFT_ENTRY], err,
					     "metadata_encoding is missing; JSON is assumed"));
	} else if (zinc_draft_encoding(e, v->text, NULL, rule, r)) {
		return zinc_draft_parse_suffix(zinc_json_member(root, "metadata_key_suffix"), suffix, r, d, err);
	} else if (strncmp(v->text, CORE, sizeof CORE - 1) == 0) {
		ZINC_TRY(zinc_draft_check_version(v->text, v->text + sizeof CORE - 1, "3.0", r, rule, err));
	} else if (strcmp(v->text, JSON_2019) == 0) {
		ZINC_TRY(zinc_report_lenient(r, rule, err, "metadata_encoding \"%s\" is that of 2019", v->text));
	} else {
		return zinc_report_unsupported(r, rule, err, "metadata encoding \"%.200s\" is not known", v->text);
	}
	return zinc_draft_parse_suffix(zinc_json_member(root, "metadata_key_suffix"), suffix, r, d, err);
}

struct guess {
	const char *ending;
	size_t nending;
	bool found;
};

/* Does the first key look like a document's with a suffix? */
static int
see_key(void *arg, const char *key, uint64_t nbytes)
{
	struct guess *g = arg;
	const size_t n = strlen(key);

	(void)nbytes;
	g->found = n > g->nending && strcmp(key + n - g->nending, g->ending) == 0;
	return 1;
}

/* If no member names the suffix, the existing documents show it: the text has ".json" as the default, older hierarchies
 * have none. */
static zinc_status
look_for_suffix(zinc_hierarchy *h, zinc_draft_entry *e, zinc_report *r, zinc_error *err)
{
	struct guess g = {".json", 5, false};
	zinc_error x = ZINC_ERROR_INIT;
	zinc_status st;
	zinc_buf prefix;
	char *suffix;

	(void)r;
	if (zinc_json_member(zinc_json_root(e->doc), "metadata_key_suffix"))
		return ZINC_OK;
	zinc_buf_init(&prefix, h->ctx, ZINC_MAX_KEY);
	st = zinc_buf_printf(&prefix, &x, "%smeta/", h->prefix);
	if (st == ZINC_OK)
		st = zinc_buf_text(&prefix)
			 ? zinc_store_list(h->store, zinc_buf_text(&prefix), see_key, &g, h->wait, &x)
			 : zinc_fail_nomem(&x);
	zinc_buf_fini(&prefix);
	if (st == ZINC_E_UNSUPPORTED) /* cannot list: the default */
		return ZINC_OK;
	if (st != ZINC_OK || !g.found)
		return zinc_error_copy(err, &x);
	suffix = zinc_strdup(h->ctx, g.ending);
	if (!suffix)
		return zinc_fail_nomem(err);
	zinc_free(h->ctx, e->suffix);
	e->suffix = suffix;
	return ZINC_OK;
}

/* ---- codecs ---- */

/* {"codec": URI, "configuration": {...}}, or the form of version 2. */
static zinc_status
parse_compressor(zinc_draft_parse *p, const zinc_json *v)
{
	const zinc_json *uri = zinc_json_member(v, "codec"), *c = zinc_json_member(v, "configuration");
	const char *rule = zinc_draft_rule_of(p, ZINC_DRAFT_COMPRESSOR);

	if (!v || zinc_json_is(v, ZINC_JSON_NULL))
		return v ? zinc_report_lenient(p->r, rule, &p->e, "compressor is null and should be left out")
			 : ZINC_OK;
	if (!uri && zinc_json_is(zinc_json_member(v, "id"), ZINC_JSON_STRING))
		return zinc_report_lenient(p->r, rule, &p->e, "compressor is spelled as in version 2");
	if (!uri)
		return zinc_report_error(p->r, rule, &p->e, "compressor must be an object with a URI as \"codec\"");
	if (!zinc_draft_is_uri(uri))
		return zinc_report_error(p->r, zinc_draft_rule_of(p, ZINC_DRAFT_CODEC_URI), &p->e,
					 "\"codec\" must be a URI");
	if (c && !zinc_json_is(c, ZINC_JSON_OBJECT))
		return zinc_report_error(p->r, rule, &p->e, "configuration of a codec must be an object");
	return ZINC_OK;
}

/* A codec known only by its URI is refused by the final version's parser. */
static zinc_status
add_compressor(zinc_draft_parse *p, zinc_v2_codecs *c, const zinc_json *v)
{
	const zinc_json *uri = zinc_json_member(v, "codec");
	zinc_json *item;

	if (!uri)
		return zinc_v2_add_codec(c, v);
	ZINC_TRY(zinc_draft_codec(p, uri->text, zinc_json_member(v, "configuration"), &item));
	return zinc_json_append(c->list, item, &p->e);
}

static zinc_status
add_codecs(zinc_draft_parse *p, zinc_json *list)
{
	const zinc_json *compressor = zinc_json_member(p->root, "compressor");
	zinc_v2_codecs c = {.doc = p->v3,
			    .list = list,
			    .dtype = p->dtype,
			    .big = p->big,
			    .r = p->r,
			    .rule = zinc_draft_rule_of(p, ZINC_DRAFT_CODEC),
			    .err = &p->e};
	zinc_status st;

	st = zinc_v2_add_filters(&c, p->filters);
	if (st != ZINC_OK && st != ZINC_E_UNSUPPORTED)
		return st;
	if (zinc_json_is(compressor, ZINC_JSON_OBJECT))
		ZINC_TRY(add_compressor(p, &c, compressor));
	return st;
}

/* ---- and back ---- */

static zinc_status
add_filter(zinc_draft_make *b, zinc_json *filters, const zinc_codec *c)
{
	zinc_json *v;

	ZINC_TRY(zinc_codec_print_v2(c, b->doc, &v, b->err));
	if (!v)
		return zinc_fail(b->err, ZINC_E_INVALID, "%s has no codec \"%.60s\"", b->draft->name, c->ops->name);
	return zinc_json_append(filters, v, b->err);
}

/* The last bytes->bytes codec is the compressor; those before it become zarr-python's filters. */
static zinc_status
make_codecs(zinc_draft_make *b)
{
	zinc_json *filters = zinc_json_make(b->doc, ZINC_JSON_ARRAY), *v;
	const zinc_chain *c = b->chain;
	int i;

	for (i = 0; i < c->naa; i++)
		if (!zinc_codec_reorders(c->aa[i]->ops) && c->aa[i] != b->layout)
			ZINC_TRY(add_filter(b, filters, c->aa[i]));
	if (strcmp(c->ab->ops->name, "bytes") != 0)
		ZINC_TRY(add_filter(b, filters, c->ab));
	for (i = 0; i + 1 < c->nbb; i++)
		ZINC_TRY(add_filter(b, filters, c->bb[i]));
	if (c->nbb > 0) {
		ZINC_TRY(zinc_draft_codec_print(b, c->bb[c->nbb - 1], "codec", &v));
		ZINC_TRY(zinc_json_set(b->doc, b->out, "compressor", v, b->err));
	}
	if (filters && filters->n == 0)
		return ZINC_OK;
	if (zinc_json_member(b->attributes, "filters"))
		return zinc_draft_refuse(b, "both filters and an attribute of that name");
	return zinc_json_set(b->doc, b->attributes, "filters", filters, b->err);
}

/* ---- the row ---- */

static const zinc_draft_member members[] = {
    {"attributes", zinc_draft_parse_attributes, ZINC_DRAFT_EXPECTED}, /* it may contain the filters */
    {"shape", zinc_draft_parse_shape, ZINC_DRAFT_REQUIRED},
    {"data_type", zinc_draft_parse_type, ZINC_DRAFT_REQUIRED},
    {"chunk_grid", zinc_draft_parse_grid, ZINC_DRAFT_REQUIRED},
    {"chunk_memory_layout", zinc_draft_parse_layout, ZINC_DRAFT_EXPECTED},
    {"fill_value", zinc_draft_parse_fill, ZINC_DRAFT_EXPECTED}, /* needs data_type */
    {"compressor", parse_compressor, ZINC_DRAFT_OPTIONAL},
    {"storage_transformers", zinc_draft_parse_transformers, ZINC_DRAFT_OPTIONAL},
    {"dimension_separator", zinc_draft_parse_nothing, ZINC_DRAFT_OPTIONAL}, /* zarr-python repeats it */
    {"extensions", zinc_draft_parse_extensions, ZINC_DRAFT_EXPECTED},
    {NULL, NULL, ZINC_DRAFT_OPTIONAL},
};

/* zarrita also wrote extensions, as an empty list. */
static const zinc_draft_member group_members[] = {
    {"attributes", zinc_draft_parse_attributes, ZINC_DRAFT_EXPECTED},
    {NULL, NULL, ZINC_DRAFT_OPTIONAL},
};

static const char *const entry_members[] = {"zarr_format", "metadata_encoding", "metadata_key_suffix", "extensions",
					    NULL};

static const char *const codec_ids[] = {"gzip", "blosc", "zlib", "bz2", "lz4", "lzma", NULL};

static const zinc_draft draft = {
    .format = &zinc_format_v3_2020,
    .name = "the draft of 2020",
    .core = CORE,
    .entry = "{\n"
	     "  \"zarr_format\": \"" CORE "3.0\",\n"
	     "  \"metadata_encoding\": \"" CORE "3.0\",\n"
	     "  \"metadata_key_suffix\": \".json\",\n"
	     "  \"extensions\": []\n"
	     "}\n",
    .meta = "meta/root",
    .data = "data/root",
    .root_dot = true,
    .chunk = "c",
    .scalar_c0 = true,
    .separator = '/',
    .codec = "https://purl.org/zarr/spec/codec/%s/1.0",
    .codec_ids = codec_ids,
    .name_max = 255,
    .rules = zinc_draft_rules_2020,
    .members = members,
    .group_members = group_members,
    .entry_members = entry_members,
    .parse_encoding = parse_encoding,
    .look = look_for_suffix,
    .codecs = add_codecs,
    .print_codecs = make_codecs,
};

const zinc_format zinc_format_v3_2020 = {
    .id = "v3-2020",
    .purpose = "the draft of October 2020, as zarr-python 2.12 to 2.18, GDAL and zarrita wrote it",
    .codecs = "zstd",
    .shards_when_asked = true,
    .holds = {.regular_grid = true,
	      .plain_shards = true,
	      .plain_orders = true,
	      .whole_names = true,
	      .filters = true,
	      .filters_in = "filters",
	      .places = {ZINC_HOLDS_ID, ZINC_HOLDS_ID, ZINC_HOLDS_ID, ZINC_HOLDS_URI},
	      .codecs = codec_ids,
	      .extensions = ZINC_HOLDS_URIS},
    .group = "{\"attributes\": {}}",
    .masks = ZINC_MASKS_FILL,
    .draft = &draft,
    .copies = {ZINC_COPIES_OF_ROOT, .document = "consolidated/.zmetadata"},
    ZINC_DRAFT_SLOTS,
};
