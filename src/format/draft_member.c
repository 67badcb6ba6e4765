/*
 * draft_member.c - the members of an array's document that the drafts share
 */
#include <zinc/extend.h>

#include "format/draft.h"

/* ---- shapes ---- */

zinc_status
zinc_draft_parse_shape(zinc_draft_parse *p, const zinc_json *v)
{
	if (!zinc_json_is(v, ZINC_JSON_ARRAY)) /* the code below relies on a list */
		return zinc_report_error(p->r, zinc_draft_rule_of(p, ZINC_DRAFT_SHAPE), &p->e,
					 "shape must be a list of integers");
	return zinc_draft_set(p, "shape", zinc_json_copy(p->v3, v)); /* the rules are those of the final version */
}

/* In a dimension of length 0, chunks may have length 0.  The final version requires at least 1. */
static zinc_status
copy_chunk_shape(zinc_draft_parse *p, const zinc_json *v, zinc_json **out)
{
	const zinc_json *shape = zinc_json_member(p->root, "shape");
	const zinc_json *dim = zinc_json_is(shape, ZINC_JSON_ARRAY) ? shape->first : NULL;
	zinc_json *item;
	uint64_t chunk, extent;

	*out = zinc_json_copy(p->v3, v);
	for (item = *out ? (*out)->first : NULL; item; item = item->next, dim = dim ? dim->next : NULL) {
		if (!zinc_json_u64(item, &chunk) || chunk != 0 || !zinc_json_u64(dim, &extent))
			continue;
		if (extent != 0)
			return zinc_report_error(p->r, zinc_draft_rule_of(p, ZINC_DRAFT_GRID_ZERO), &p->e,
						 "chunk length 0 in a dimension that has elements");
		item->text = "1";
		item->n = 1;
	}
	return ZINC_OK;
}

/* One character between indices.  The text of 2022 defines only two. */
static zinc_status
parse_separator(zinc_draft_parse *p, const zinc_json *v)
{
	const char *rule = zinc_draft_rule_of(p, ZINC_DRAFT_SEPARATOR);

	if (!v)
		return p->draft->strict_members
			   ? zinc_report_lenient(p->r, zinc_draft_rule_of(p, ZINC_DRAFT_SEPARATOR_MISSING), &p->e,
						 "chunk_grid has no separator")
			   : ZINC_OK;
	if (!zinc_json_is(v, ZINC_JSON_STRING) || v->n == 0 ||
	    (p->draft->strict_members && !zinc_json_is_string(v, "/") && !zinc_json_is_string(v, ".")))
		return zinc_report_error(p->r, rule, &p->e, "separator must be \"/\" or \".\"");
	if (v->n > 1 || v->text[0] == '\0' || (v->text[0] >= '0' && v->text[0] <= '9'))
		return zinc_report_unsupported(p->r, rule, &p->e, "separator \"%.20s\" of chunk keys is not supported",
					       v->text);
	p->separator = v->text[0];
	return ZINC_OK;
}

/* A grid of an extension: a registered one, or one that the final version's parser will refuse. */
static zinc_status
parse_other_grid(zinc_draft_parse *p, const zinc_json *v)
{
	const zinc_grid_ops *ops;
	zinc_uri_match match;
	zinc_json *grid;

	ZINC_TRY(zinc_draft_foreign(p, v, ZINC_DRAFT_GRID_EXTENSION, &grid));
	ZINC_TRY(zinc_draft_set(p, "chunk_grid", grid));
	ops = zinc_grid_find_uri(zinc_json_member(v, "extension")->text, &match);
	if (ops) {
		ZINC_TRY(zinc_draft_registered(p, v, ops->name, ops->uris, ZINC_DRAFT_GRID_EXTENSION, &grid));
		ZINC_TRY(zinc_draft_set(p, "chunk_grid", grid));
	}
	return zinc_json_member(v, "separator") ? parse_separator(p, zinc_json_member(v, "separator")) : ZINC_OK;
}

zinc_status
zinc_draft_parse_grid(zinc_draft_parse *p, const zinc_json *v)
{
	const zinc_json *chunk = zinc_json_member(v, "chunk_shape");
	zinc_json *shape;
	size_t mark;
	zinc_status st;

	if (zinc_json_member(v, "extension"))
		return parse_other_grid(p, v);
	if (!zinc_json_member(v, "type") || !chunk)
		return zinc_report_error(p->r, zinc_draft_rule_of(p, ZINC_DRAFT_GRID), &p->e,
					 "chunk_grid must be an object with \"type\" and \"chunk_shape\", or an "
					 "extension");
	if (!zinc_json_is_string(zinc_json_member(v, "type"), "regular"))
		return zinc_report_error(p->r, zinc_draft_rule_of(p, ZINC_DRAFT_GRID_TYPE), &p->e,
					 "the type of chunk_grid must be \"regular\" or the type of an extension");
	if (!zinc_json_is(chunk, ZINC_JSON_ARRAY))
		return zinc_report_error(p->r, zinc_draft_rule_of(p, ZINC_DRAFT_GRID_SHAPE), &p->e,
					 "chunk_shape must be a list of integers");
	ZINC_TRY(copy_chunk_shape(p, chunk, &shape));
	ZINC_TRY(zinc_draft_set(p, "chunk_grid", zinc_draft_extension(p, "regular", "chunk_shape", shape)));
	mark = zinc_report_enter(p->r, "separator");
	st = parse_separator(p, zinc_json_member(v, "separator"));
	zinc_report_leave(p->r, mark);
	return st;
}

zinc_status
zinc_draft_parse_layout(zinc_draft_parse *p, const zinc_json *v)
{
	const char *rule = zinc_draft_rule_of(p, ZINC_DRAFT_LAYOUT);
	const zinc_codec_ops *ops;
	zinc_uri_match match;
	zinc_json *ignored;
	const char *uri;

	if (!v || zinc_json_is_string(v, "C") || zinc_json_is_string(v, "F"))
		return ZINC_OK;
	if (!zinc_json_is(v, ZINC_JSON_OBJECT))
		return zinc_report_error(p->r, rule, &p->e, "chunk_memory_layout must be \"C\", \"F\" or an extension");
	rule = zinc_draft_rule_of(p, ZINC_DRAFT_LAYOUT_EXTENSION);
	ZINC_TRY(zinc_draft_foreign(p, v, ZINC_DRAFT_LAYOUT_EXTENSION, &ignored));
	uri = zinc_json_member(v, "extension")->text;
	ops = zinc_codec_find_uri(uri, &match);
	if (ops && ops->layout)
		return zinc_draft_registered(p, v, ops->name, ops->uris, ZINC_DRAFT_LAYOUT_EXTENSION, &p->layout);
	return zinc_report_unsupported(p->r, rule, &p->e, "chunk memory layout \"%.200s\" is not known", uri);
}

/* ---- elements ---- */

zinc_status
zinc_draft_parse_type(zinc_draft_parse *p, const zinc_json *v)
{
	ZINC_TRY(zinc_draft_type_parse(p, v));
	return zinc_draft_set(p, "data_type", p->data_type);
}

zinc_status
zinc_draft_parse_fill(zinc_draft_parse *p, const zinc_json *v)
{
	zinc_json *fill = NULL;

	if (!p->data_type)
		return ZINC_OK; /* without a type the value cannot be checked */
	ZINC_TRY(p->fell_back ? zinc_draft_fallback_fill(p, v, &fill) : zinc_draft_fill_parse(p, v, &fill));
	return zinc_draft_set(p, "fill_value", fill);
}

/* ---- extensions ---- */

/* A registered key encoding: the only extension for which the final version has a member. */
static zinc_status
set_keys(zinc_draft_parse *p, const char *uri, const zinc_json *item, zinc_error *err)
{
	zinc_uri_match match;
	const zinc_keys_ops *ops = zinc_keys_find_uri(uri, &match);
	zinc_json *v = zinc_draft_extension(p, ops->name, NULL, NULL), *configuration;

	if (match == ZINC_URI_MINOR)
		zinc_draft_warn_minor(p, uri, ops->uris[0], ZINC_DRAFT_EXTENSIONS);
	ZINC_TRY(zinc_draft_configuration(&configuration, p->v3, item, err));
	if (configuration)
		ZINC_TRY(zinc_json_set(p->v3, v, "configuration", configuration, err));
	p->own_keys = true;
	return zinc_json_set(p->v3, p->out, "chunk_key_encoding", v, err);
}

/* Extensions become members of the final version's document, whose parser checks them. */
static zinc_status
add_extension(void *arg, const char *uri, const zinc_json *item, zinc_error *err)
{
	zinc_draft_parse *p = arg;
	zinc_json *v = zinc_json_copy(p->v3, item);
	zinc_uri_match match;

	if (zinc_keys_find_uri(uri, &match))
		return set_keys(p, uri, item, err);
	(void)zinc_json_remove(v, "extension");
	return zinc_json_set(p->v3, p->out, uri, v, err);
}

zinc_status
zinc_draft_parse_extensions(zinc_draft_parse *p, const zinc_json *v)
{
	return v ? zinc_draft_extensions(p->ctx, p->draft, v, p->r, add_extension, p, &p->e) : ZINC_OK;
}

/* Parameters that control how shards are written are not part of a document. */
static zinc_status
check_strategy(zinc_draft_parse *p, const zinc_json *configuration)
{
	const zinc_json *v;

	for (v = configuration->first; v; v = v->next)
		if (strcmp(v->key, "chunks_per_shard") != 0)
			ZINC_TRY(zinc_report_lenient(p->r, zinc_draft_rule_of(p, ZINC_DRAFT_SHARD_STRATEGY), &p->e,
						     "sharding parameter \"%.60s\" is not defined", v->key));
	return ZINC_OK;
}

/* {"extension": URI, "type": "indexed", "configuration": {"chunks_per_shard": [...]}} */
static zinc_status
parse_sharding(zinc_draft_parse *p, const zinc_json *v, const char *version)
{
	const zinc_json *configuration = zinc_json_member(v, "configuration");
	const zinc_json *per = zinc_json_member(configuration, "chunks_per_shard");

	ZINC_TRY(zinc_draft_check_version(zinc_json_member(v, "extension")->text, version, "1.0", p->r,
					  zinc_draft_rule_of(p, ZINC_DRAFT_TRANSFORMER), &p->e));
	if (!zinc_json_is_string(zinc_json_member(v, "type"), "indexed"))
		return zinc_report_unsupported(p->r, zinc_draft_rule_of(p, ZINC_DRAFT_SHARD_TYPE), &p->e,
					       "sharding of another type than \"indexed\" is not supported");
	if (!zinc_json_is(per, ZINC_JSON_ARRAY))
		return zinc_report_error(p->r, zinc_draft_rule_of(p, ZINC_DRAFT_SHARD_SHAPE), &p->e,
					 "chunks_per_shard must be a list of integers");
	ZINC_TRY(check_strategy(p, configuration));
	p->per_shard[p->nshards++] = per;
	return ZINC_OK;
}

/* A registered transformer: {"name": ..., "configuration": ...}.  *out is unchanged for any other. */
static zinc_status
known_transformer(zinc_draft_parse *p, const zinc_json *v, zinc_json **out)
{
	const char *uri = zinc_json_member(v, "extension")->text;
	const zinc_json *configuration = zinc_json_member(v, "configuration");
	const zinc_transformer_def *def;
	zinc_uri_match match;
	zinc_json *item;

	def = zinc_transformer_find_uri(uri, &match);
	if (!def || !zinc_json_is_string(zinc_json_member(v, "type"), def->name))
		return ZINC_OK;
	item = zinc_draft_extension(p, def->name, NULL, NULL);
	if (configuration)
		ZINC_TRY(zinc_json_set(p->v3, item, "configuration", zinc_json_copy(p->v3, configuration), &p->e));
	*out = item;
	if (match == ZINC_URI_MINOR)
		zinc_draft_warn_minor(p, uri, def->uris[0], ZINC_DRAFT_TRANSFORMER);
	return item ? ZINC_OK : zinc_fail_nomem(&p->e);
}

/* Sharding next to the array becomes a codec.  Sharding below other transformers, and unknown transformers, stay
 * transformers. */
static zinc_status
parse_transformer(zinc_draft_parse *p, const zinc_json *v, zinc_json *list)
{
	const zinc_json *configuration = zinc_json_member(v, "configuration");
	const char *version;
	zinc_json *item;

	ZINC_TRY(zinc_draft_foreign(p, v, ZINC_DRAFT_TRANSFORMER, &item));
	if (configuration && !zinc_json_is(configuration, ZINC_JSON_OBJECT))
		return zinc_report_error(p->r, zinc_draft_rule_of(p, ZINC_DRAFT_TRANSFORMER_CONFIG), &p->e,
					 "configuration of a storage transformer must be an object");
	if (list->n == 0 && p->nshards < ZINC_DRAFT_SHARDS &&
	    zinc_draft_is_sharding(zinc_json_member(v, "extension")->text, &version))
		return parse_sharding(p, v, version);
	ZINC_TRY(known_transformer(p, v, &item));
	return zinc_json_append(list, item, &p->e);
}

zinc_status
zinc_draft_parse_transformers(zinc_draft_parse *p, const zinc_json *v)
{
	zinc_json *list = zinc_json_make(p->v3, ZINC_JSON_ARRAY);
	const zinc_json *item;
	size_t i = 0;

	if (!v)
		return ZINC_OK;
	if (!zinc_json_is(v, ZINC_JSON_ARRAY))
		return zinc_report_error(p->r, zinc_draft_rule_of(p, ZINC_DRAFT_TRANSFORMER), &p->e,
					 "storage_transformers must be a list");
	if (!list)
		return zinc_fail_nomem(&p->e);
	for (item = v->first; item; item = item->next) {
		const size_t mark = zinc_report_enter_item(p->r, i++);
		const zinc_status st = parse_transformer(p, item, list);

		zinc_report_leave(p->r, mark);
		ZINC_TRY(st);
	}
	return list->n > 0 ? zinc_draft_set(p, "storage_transformers", list) : ZINC_OK;
}

/* ---- attributes ---- */

/* xarray's convention.  Any other value under this name is an ordinary attribute. */
static bool
are_names(const zinc_draft_parse *p, const zinc_json *v)
{
	const zinc_json *shape = zinc_json_member(p->root, "shape");

	return zinc_dimension_names_all(v) && zinc_json_is(shape, ZINC_JSON_ARRAY) && v->n == shape->n;
}

/* Where zarr-python stores filters: a list of objects with an id. */
static bool
are_filters(const zinc_json *v)
{
	const zinc_json *item;

	if (!zinc_json_is(v, ZINC_JSON_ARRAY) || v->n == 0)
		return false;
	for (item = v->first; item; item = item->next) {
		const zinc_json *id = zinc_json_member(item, "id");

		if (!zinc_json_is(id, ZINC_JSON_STRING) || id->n == 0 || strlen(id->text) != id->n)
			return false;
	}
	return true;
}

/* Remove members that are not attributes of the array from the copy. */
static zinc_status
sort_out(zinc_draft_parse *p, const zinc_json *v, zinc_json *copy)
{
	const zinc_json *names = zinc_json_member(v, ZINC_DIMENSIONS);

	if (p->filters)
		(void)zinc_json_remove(copy, "filters");
	if (!are_names(p, names))
		return ZINC_OK;
	(void)zinc_json_remove(copy, ZINC_DIMENSIONS);
	return zinc_draft_set(p, "dimension_names", zinc_json_copy(p->v3, names));
}

zinc_status
zinc_draft_parse_attributes(zinc_draft_parse *p, const zinc_json *v)
{
	const char *rule = zinc_draft_rule_of(p, ZINC_DRAFT_ATTRIBUTES);
	const bool array = zinc_json_is_string(zinc_json_member(p->out, "node_type"), "array");
	zinc_json *copy;

	if (!v)
		return ZINC_OK;
	if (zinc_json_is(v, ZINC_JSON_NULL)) /* zarrita writes null for groups */
		return zinc_report_lenient(p->r, rule, &p->e, "attributes is null and should be an empty object");
	if (!zinc_json_is(v, ZINC_JSON_OBJECT))
		return zinc_report_error(p->r, rule, &p->e, "attributes must be an object");
	copy = zinc_json_copy(p->v3, v);
	if (array && !p->draft->strict_members && are_filters(zinc_json_member(v, "filters")))
		p->filters = zinc_json_member(v, "filters");
	if (array)
		ZINC_TRY(sort_out(p, v, copy));
	return zinc_draft_set(p, "attributes", copy);
}

zinc_status
zinc_draft_parse_nothing(zinc_draft_parse *p, const zinc_json *v)
{
	(void)p, (void)v;
	return ZINC_OK;
}
