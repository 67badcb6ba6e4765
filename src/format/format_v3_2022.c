/*
 * format_v3_2022.c - the draft of December 2022: what differs from the other drafts
 *
 *   zarr.json                {"zarr_format": "https://purl.org/zarr/spec/core/3.0", "metadata_encoding": {...}, ...}
 *   meta/foo/bar.array.json  {"shape", "data_type": "float64", "chunk_grid", "codecs": [{"type": URI, ...}], ...}
 *   data/foo/bar/c0/0
 *
 * From May to November 2022 the entry point and the keys were still those of 2020, and `compressor` was a member until
 * August.  In January 2023 a codec transpose replaced chunk_memory_layout.  All of these are read.
 */
#include "format/draft.h"

#define CORE "https://purl.org/zarr/spec/core/"

/* ---- the entry point ---- */

/* {"extension": URI, "type": ..., "metadata_key_suffix": ...} */
static zinc_status
parse_extension(zinc_draft_entry *e, const zinc_json *v, zinc_report *r, const zinc_draft *d, zinc_error *err)
{
	const zinc_json *uri = zinc_json_member(v, "extension"), *type = zinc_json_member(v, "type");
	const char *rule = d->rules[ZINC_DRAFT_ENCODING_EXTENSION];

	if (!zinc_draft_is_uri(uri))
		return zinc_report_error(r, d->rules[ZINC_DRAFT_ENCODING_URI], err,
					 "metadata_encoding must have a URI as \"extension\"");
	if (!zinc_json_is(type, ZINC_JSON_STRING) || !zinc_json_member(v, "metadata_key_suffix"))
		return zinc_report_error(r, rule, err,
					 "metadata_encoding must have \"type\" and \"metadata_key_suffix\"");
	if (!zinc_draft_encoding(e, uri->text, type->text, rule, r))
		return zinc_report_unsupported(r, rule, err, "metadata encoding \"%.200s\" is not known", uri->text);
	return ZINC_OK;
}

/* From May to November 2022, with the suffix at the top level. */
static zinc_status
parse_interim(zinc_draft_entry *e, const zinc_json *root, const char **suffix, zinc_report *r, const zinc_draft *d,
	      zinc_error *err)
{
	e->meta = "meta/root";
	e->data = "data/root";
	e->root_dot = true;
	ZINC_TRY(zinc_report_lenient(r, d->rules[ZINC_DRAFT_ENCODING], err,
				     "metadata_encoding has the form of May to November 2022"));
	return zinc_draft_parse_suffix(zinc_json_member(root, "metadata_key_suffix"), suffix, r, d, err);
}

static zinc_status
parse_encoding(zinc_draft_entry *e, const zinc_json *root, const char **suffix, zinc_report *r, const zinc_draft *d,
	       zinc_error *err)
{
	const zinc_json *v = zinc_json_member(root, "metadata_encoding");
	const char *rule = d->rules[ZINC_DRAFT_ENCODING];

	*suffix = ".json";
	if (!v)
		return zinc_report_lenient(r, d->rules[ZINC_DRAFT_ENTRY], err, "metadata_encoding is missing");
	if (zinc_json_is(v, ZINC_JSON_STRING))
		return parse_interim(e, root, suffix, r, d, err);
	if (!zinc_json_is(v, ZINC_JSON_OBJECT))
		return zinc_report_error(r, rule, err, "metadata_encoding must be an object");
	if (zinc_json_member(v, "extension"))
		ZINC_TRY(parse_extension(e, v, r, d, err));
	else if (!zinc_json_is_string(zinc_json_member(v, "type"), "json"))
		return zinc_report_error(r, rule, err, "the type of metadata_encoding must be \"json\"");
	ZINC_TRY(zinc_draft_parse_suffix(zinc_json_member(v, "metadata_key_suffix"), suffix, r, d, err));
	if (!e->encoding && strcmp(*suffix, ".json") != 0)
		return zinc_report_lenient(r, rule, err, "metadata_key_suffix of JSON should be \".json\"");
	return ZINC_OK;
}

/* ---- codecs ----
 *
 * Codecs come in any order, and what they are given is converted: elements become bytes in their default
 * representation, little-endian, and bytes become elements again.  So before anything is compressed `endian` reverses
 * each number ("big") or does nothing ("little"), wherever it stands, and a transpose may stand behind it; behind a
 * compressor only what does nothing can follow that is not for bytes.
 */

struct chain {
	zinc_draft_parse *p;
	zinc_json *list;
	bool big;        /* the byte order has been reversed */
	bool compressed; /* the data are not elements any more */
	bool made;       /* the codec bytes is in the list */
	bool bytes;      /* the next codec reads bytes */
};

/* {key: URI, "configuration": {...}} */
static zinc_status
check_codec(zinc_draft_parse *p, const zinc_json *v, const char *key)
{
	const zinc_json *uri = zinc_json_member(v, key), *c = zinc_json_member(v, "configuration");

	if (!uri)
		return zinc_report_error(p->r, zinc_draft_rule_of(p, ZINC_DRAFT_CODEC), &p->e,
					 "a codec must be an object with a URI as \"%s\"", key);
	if (!zinc_draft_is_uri(uri))
		return zinc_report_error(p->r, zinc_draft_rule_of(p, ZINC_DRAFT_CODEC_URI), &p->e,
					 "\"%s\" must be a URI", key);
	if (c && !zinc_json_is(c, ZINC_JSON_OBJECT))
		return zinc_report_error(p->r, zinc_draft_rule_of(p, ZINC_DRAFT_CONFIGURATION), &p->e,
					 "configuration of a codec must be an object");
	return ZINC_OK;
}

static zinc_status
parse_codecs(zinc_draft_parse *p, const zinc_json *v)
{
	const zinc_json *c;
	size_t i = 0;

	if (!v)
		return ZINC_OK;
	if (!zinc_json_is(v, ZINC_JSON_ARRAY))
		return zinc_report_error(p->r, zinc_draft_rule_of(p, ZINC_DRAFT_CODECS), &p->e,
					 "codecs must be a list");
	for (c = v->first; c; c = c->next) {
		const size_t mark = zinc_report_enter_item(p->r, i++);
		const zinc_status st = check_codec(p, c, "type");

		zinc_report_leave(p->r, mark);
		ZINC_TRY(st);
	}
	return ZINC_OK;
}

/* Until August 2022. */
static zinc_status
parse_compressor(zinc_draft_parse *p, const zinc_json *v)
{
	if (!v)
		return ZINC_OK;
	ZINC_TRY(check_codec(p, v, "codec"));
	return zinc_report_lenient(p->r, zinc_draft_rule_of(p, ZINC_DRAFT_CODEC), &p->e,
				   "compressor is a member of drafts before August 2022");
}

static zinc_status
add_endian(struct chain *x, const zinc_json *v)
{
	zinc_draft_parse *p = x->p;
	const zinc_json *endian = zinc_json_member(zinc_json_member(v, "configuration"), "endian");
	const bool big = zinc_json_is_string(endian, "big");

	if (!big && !zinc_json_is_string(endian, "little"))
		return zinc_report_error(p->r, zinc_draft_rule_of(p, ZINC_DRAFT_ENDIAN), &p->e,
					 "endian must be \"big\" or \"little\"");
	if (big && x->compressed)
		return zinc_report_unsupported(p->r, zinc_draft_rule_of(p, ZINC_DRAFT_CODEC_URI), &p->e,
					       "codec endian after a compressor is not supported");
	x->big = x->bytes ? x->big != big : big;
	x->bytes = true;
	return ZINC_OK;
}

/* The codec that the final version needs between elements and bytes. */
static zinc_status
make_bytes(struct chain *x)
{
	zinc_draft_parse *p = x->p;
	const bool plain = !p->dtype || p->dtype->unit <= 1;
	zinc_json *endian = zinc_json_make_string(p->v3, x->big ? "big" : "little");

	if (x->made)
		return ZINC_OK;
	x->made = true;
	return zinc_json_append(x->list, zinc_draft_extension(p, "bytes", plain ? NULL : "endian", endian), &p->e);
}

/* Blosc takes the element size from its input and has no member for it; for bytes it is 1. */
static zinc_status
add_blosc(struct chain *x, const zinc_json *v)
{
	static const char *const names[] = {"noshuffle", "shuffle", "bitshuffle"};
	zinc_draft_parse *p = x->p;
	const zinc_json *configuration = zinc_json_member(v, "configuration");
	zinc_json *c = zinc_json_copy(p->v3, configuration), *item;
	const uint64_t size = x->bytes || x->compressed || !p->dtype ? 1 : p->dtype->size;
	int64_t shuffle;

	if (!zinc_json_i64(zinc_json_member(configuration, "shuffle"), &shuffle) || shuffle < -1 || shuffle > 2)
		return zinc_report_error(p->r, zinc_draft_rule_of(p, ZINC_DRAFT_BLOSC_SHUFFLE), &p->e,
					 "shuffle must be 0, 1, 2 or -1");
	if (shuffle == -1)
		shuffle = size == 1 ? 2 : 1;
	if (!zinc_json_member(c, "blocksize")) /* no text requires it */
		ZINC_TRY(zinc_json_set(p->v3, c, "blocksize", zinc_json_make_u64(p->v3, 0), &p->e));
	ZINC_TRY(zinc_json_set(p->v3, c, "shuffle", zinc_json_make_string(p->v3, names[shuffle]), &p->e));
	ZINC_TRY(zinc_json_set(p->v3, c, "typesize", zinc_json_make_u64(p->v3, size > 255 ? 1 : size), &p->e));
	item = zinc_draft_extension(p, "blosc", NULL, NULL);
	ZINC_TRY(zinc_json_set(p->v3, item, "configuration", c, &p->e));
	return zinc_json_append(x->list, item, &p->e);
}

/* gzip levels are 0 to 9.  The codec of version 2, which reads the configuration, also allows -1. */
static zinc_status
check_level(zinc_draft_parse *p, const zinc_codec_ops *ops, const zinc_json *configuration)
{
	const zinc_json *v = zinc_json_member(configuration, "level");
	uint64_t level;

	if (!ops || !ops->v2 || strcmp(ops->v2, "gzip") != 0 || !v || (zinc_json_u64(v, &level) && level <= 9))
		return ZINC_OK;
	return zinc_report_error(p->r, zinc_draft_rule_of(p, ZINC_DRAFT_GZIP_LEVEL), &p->e,
				 "level must be an integer from 0 to 9");
}

static zinc_status
add_known(zinc_draft_parse *p, zinc_json *list, const zinc_codec_ops *ops, const zinc_json *v, const char *key)
{
	const zinc_json *configuration = zinc_json_member(v, "configuration");
	zinc_json *item;

	ZINC_TRY(check_level(p, ops, configuration));
	ZINC_TRY(zinc_draft_codec(p, zinc_json_member(v, key)->text, configuration, &item));
	return zinc_json_append(list, item, &p->e);
}

static zinc_status
add_one(struct chain *x, const zinc_json *v, const char *key)
{
	zinc_draft_parse *p = x->p;
	zinc_uri_match match;
	const zinc_codec_ops *ops = zinc_codec_find_uri(zinc_json_member(v, key)->text, &match);

	if (ops && strcmp(ops->name, "bytes") == 0)
		return add_endian(x, v);
	if (ops && ops->kind == ZINC_ARRAY_ARRAY) {
		if (x->compressed || (x->bytes && x->big && !zinc_codec_reorders(ops)))
			return zinc_report_unsupported(
			    p->r, zinc_draft_rule_of(p, ZINC_DRAFT_CODEC_URI), &p->e,
			    "codec \"%.200s\" after a codec that changes the bytes is not supported",
			    zinc_json_member(v, key)->text);
		x->bytes = false;
		return add_known(p, x->list, ops, v, key);
	}
	ZINC_TRY(make_bytes(x));
	ZINC_TRY(ops && ops->v2 && strcmp(ops->v2, "blosc") == 0 && match == ZINC_URI_SAME && strcmp(key, "type") == 0
		     ? add_blosc(x, v)
		     : add_known(p, x->list, ops, v, key));
	x->bytes = x->compressed = true;
	return ZINC_OK;
}

/* A byte order in the type's name counts unless a codec names another. */
static bool
has_endian(const zinc_json *codecs)
{
	const zinc_codec_ops *ops;
	const zinc_json *v;
	zinc_uri_match match;

	for (v = codecs ? codecs->first : NULL; v; v = v->next) {
		ops = zinc_codec_find_uri(zinc_json_member(v, "type")->text, &match);
		if (ops && strcmp(ops->name, "bytes") == 0)
			return true;
	}
	return false;
}

static zinc_status
add_codecs(zinc_draft_parse *p, zinc_json *list)
{
	const zinc_json *codecs = zinc_json_member(p->root, "codecs");
	const zinc_json *compressor = zinc_json_member(p->root, "compressor"), *v;
	struct chain x = {.p = p, .list = list, .big = p->big && !has_endian(codecs)};
	size_t i = 0;

	for (v = codecs ? codecs->first : NULL; v; v = v->next) {
		size_t mark = zinc_report_enter(p->r, "codecs");
		zinc_status st;

		(void)zinc_report_enter_item(p->r, i++);
		st = add_one(&x, v, "type");
		zinc_report_leave(p->r, mark);
		ZINC_TRY(st);
	}
	if (compressor)
		ZINC_TRY(add_one(&x, compressor, "codec"));
	return make_bytes(&x);
}

/* ---- and back ---- */

static zinc_status
add_big(zinc_draft_make *b, zinc_json *list)
{
	zinc_json *v = zinc_json_make(b->doc, ZINC_JSON_OBJECT), *c = zinc_json_make(b->doc, ZINC_JSON_OBJECT);

	if (!b->big)
		return ZINC_OK;
	ZINC_TRY(zinc_json_set(b->doc, c, "endian", zinc_json_make_string(b->doc, "big"), b->err));
	ZINC_TRY(zinc_json_set(b->doc, v, "type",
			       zinc_json_make_string(b->doc, "https://purl.org/zarr/spec/codecs/endian/1.0"), b->err));
	ZINC_TRY(zinc_json_set(b->doc, v, "configuration", c, b->err));
	return zinc_json_append(list, v, b->err);
}

static zinc_status
make_codecs(zinc_draft_make *b)
{
	zinc_json *list = zinc_json_make(b->doc, ZINC_JSON_ARRAY), *v;
	const zinc_chain *c = b->chain;
	int i;

	for (i = 0; i < c->naa; i++) {
		if (zinc_codec_reorders(c->aa[i]->ops) || c->aa[i] == b->layout)
			continue; /* the memory layout */
		ZINC_TRY(zinc_draft_codec_print(b, c->aa[i], "type", &v));
		ZINC_TRY(zinc_json_append(list, v, b->err));
	}
	if (strcmp(c->ab->ops->name, "bytes") != 0)
		return zinc_fail(b->err, ZINC_E_INVALID, "%s has no codec \"%.60s\"", b->draft->name, c->ab->ops->name);
	ZINC_TRY(add_big(b, list));
	for (i = 0; i < c->nbb; i++) {
		ZINC_TRY(zinc_draft_codec_print(b, c->bb[i], "type", &v));
		ZINC_TRY(zinc_json_append(list, v, b->err));
	}
	return zinc_json_set(b->doc, b->out, "codecs", list, b->err);
}

/* ---- the row ---- */

static const zinc_draft_member members[] = {
    {"attributes", zinc_draft_parse_attributes, ZINC_DRAFT_EXPECTED},
    {"shape", zinc_draft_parse_shape, ZINC_DRAFT_REQUIRED},
    {"data_type", zinc_draft_parse_type, ZINC_DRAFT_REQUIRED},
    {"chunk_grid", zinc_draft_parse_grid, ZINC_DRAFT_REQUIRED},
    {"chunk_memory_layout", zinc_draft_parse_layout, ZINC_DRAFT_EXPECTED},
    {"fill_value", zinc_draft_parse_fill, ZINC_DRAFT_REQUIRED}, /* needs data_type */
    {"codecs", parse_codecs, ZINC_DRAFT_OPTIONAL},
    {"compressor", parse_compressor, ZINC_DRAFT_OPTIONAL},
    {"storage_transformers", zinc_draft_parse_transformers, ZINC_DRAFT_OPTIONAL},
    {"extensions", zinc_draft_parse_extensions, ZINC_DRAFT_EXPECTED},
    {NULL, NULL, ZINC_DRAFT_OPTIONAL},
};

static const zinc_draft_member group_members[] = {
    {"attributes", zinc_draft_parse_attributes, ZINC_DRAFT_EXPECTED},
    {NULL, NULL, ZINC_DRAFT_OPTIONAL},
};

/* From May to November 2022 the suffix was beside the encoding. */
static const char *const entry_members[] = {"zarr_format", "metadata_encoding", "metadata_key_suffix", "extensions",
					    NULL};

static const char *const codec_ids[] = {"gzip", "blosc", NULL};

static const zinc_draft draft = {
    .format = &zinc_format_v3_2022,
    .name = "the draft of 2022",
    .core = CORE,
    .entry = "{\n"
	     "  \"zarr_format\": \"" CORE "3.0\",\n"
	     "  \"metadata_encoding\": {\n"
	     "    \"type\": \"json\",\n"
	     "    \"metadata_key_suffix\": \".json\"\n"
	     "  },\n"
	     "  \"extensions\": []\n"
	     "}\n",
    .meta = "meta",
    .data = "data",
    .chunk = "c",
    .separator = '/',
    .codec = "https://purl.org/zarr/spec/codecs/%s/1.0",
    .codec_ids = codec_ids,
    .names = true,
    .strict_members = true,
    .rules = zinc_draft_rules_2022,
    .members = members,
    .group_members = group_members,
    .entry_members = entry_members,
    .parse_encoding = parse_encoding,
    .codecs = add_codecs,
    .print_codecs = make_codecs,
};

const zinc_format zinc_format_v3_2022 = {
    .id = "v3-2022",
    .purpose = "the draft of December 2022, with chains of codecs and storage transformers",
    .codecs = "zstd",
    .holds = {.regular_grid = true,
	      .plain_shards = true,
	      .plain_orders = true,
	      .whole_names = true,
	      .places = {ZINC_HOLDS_URI, ZINC_HOLDS_NO_CODEC, ZINC_HOLDS_URI, ZINC_HOLDS_URI},
	      .codecs = codec_ids,
	      .extensions = ZINC_HOLDS_URIS},
    .group = "{\"attributes\": {}}",
    .masks = ZINC_MASKS_ATTRIBUTE,
    .draft = &draft,
    ZINC_DRAFT_SLOTS,
};
