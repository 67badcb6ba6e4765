/*
 * draft_extend.c - what programs registered, in the vocabulary of the drafts
 *
 *   drafts   {"extension": URI, "type": name, "configuration": {...}}
 *   final    {"name": name, "configuration": {...}}
 *
 * This is the form of grids and memory layouts.  A codec has its URI as "codec" or "type".  A key encoding is an
 * extension of the array, since the drafts have no other place for it.
 *
 * (1) Members beside "configuration", or instead of it, are part of the configuration (2019).
 * (2) A `type` other than the registered name is unknown: E_UNSUPPORTED.
 */
#include "format/draft.h"

/* ---- reading ---- */

/* Members that every declaration may have. */
static bool
is_common(const char *key)
{
	static const char *const names[] = {"extension",     "type",      "codec",   "must_understand",
					    "configuration", "separator", "fallback"};
	size_t i;

	for (i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(key, names[i]) == 0)
			return true;
	return false;
}

zinc_status
zinc_draft_configuration(zinc_json **out, zinc_json_doc *doc, const zinc_json *v, zinc_error *err)
{
	const zinc_json *own = zinc_json_member(v, "configuration"), *m;

	*out = zinc_json_is(own, ZINC_JSON_OBJECT) ? zinc_json_copy(doc, own) : zinc_json_make(doc, ZINC_JSON_OBJECT);
	for (m = v->first; m; m = m->next)
		if (!is_common(m->key))
			ZINC_TRY(zinc_json_set(doc, *out, m->key, zinc_json_copy(doc, m), err));
	if (!*out)
		return zinc_fail_nomem(err);
	if ((*out)->n == 0)
		*out = NULL;
	return ZINC_OK;
}

void
zinc_draft_warn_minor(zinc_draft_parse *p, const char *uri, const char *known, zinc_draft_rule rule)
{
	zinc_report_warn(p->r, zinc_draft_rule_of(p, rule), "\"%.200s\" is read as \"%s\"", uri, known);
}

zinc_status
zinc_draft_registered(zinc_draft_parse *p, const zinc_json *v, const char *name, const char *const *uris,
		      zinc_draft_rule rule, zinc_json **out)
{
	const char *uri = zinc_json_member(v, "extension")->text;
	zinc_json *configuration;

	if (!zinc_json_is_string(zinc_json_member(v, "type"), name))
		return zinc_report_unsupported(p->r, zinc_draft_rule_of(p, rule), &p->e,
					       "extension \"%.200s\" has another type than \"%s\"", uri, name);
	if (zinc_uri_among(uris, uri) == ZINC_URI_MINOR)
		zinc_draft_warn_minor(p, uri, uris[0], rule);
	ZINC_TRY(zinc_draft_configuration(&configuration, p->v3, v, &p->e));
	*out = zinc_draft_extension(p, name, NULL, NULL);
	return configuration ? zinc_json_set(p->v3, *out, "configuration", configuration, &p->e) : ZINC_OK;
}

zinc_status
zinc_draft_codec(zinc_draft_parse *p, const char *uri, const zinc_json *configuration, zinc_json **out)
{
	zinc_uri_match match;
	const zinc_codec_ops *ops = zinc_codec_find_uri(uri, &match);
	zinc_json *c;

	if (match == ZINC_URI_MINOR)
		zinc_draft_warn_minor(p, uri, ops->uris[0], ZINC_DRAFT_CODEC_UNKNOWN);
	*out = zinc_draft_extension(p, ops ? ops->name : uri, NULL, NULL);
	if (!configuration && (!ops || zinc_codec_registered(ops)))
		return *out ? ZINC_OK : zinc_fail_nomem(&p->e);
	c = configuration ? zinc_json_copy(p->v3, configuration) : zinc_json_make(p->v3, ZINC_JSON_OBJECT);
	return zinc_json_set(p->v3, *out, "configuration", c, &p->e); /* in the drafts all parameters have defaults */
}

bool
zinc_draft_encoding(zinc_draft_entry *e, const char *uri, const char *type, const char *rule, zinc_report *r)
{
	zinc_uri_match match;

	e->encoding = zinc_metadata_encoding_find(uri, type, &match);
	if (match == ZINC_URI_MINOR)
		zinc_report_warn(r, rule, "\"%.200s\" is read as \"%s\"", uri, e->encoding->uris[0]);
	return e->encoding != NULL;
}

/* ---- writing ---- */

zinc_status
zinc_draft_declare(zinc_json **out, zinc_json_doc *doc, const char *const *uris, const char *name,
		   const zinc_json *configuration, zinc_error *err)
{
	zinc_json *v = zinc_json_make(doc, ZINC_JSON_OBJECT);

	ZINC_TRY(zinc_json_set(doc, v, "extension", zinc_json_make_string(doc, uris[0]), err));
	ZINC_TRY(zinc_json_set(doc, v, "type", zinc_json_make_string(doc, name), err));
	if (configuration && configuration->n > 0)
		ZINC_TRY(zinc_json_set(doc, v, "configuration", zinc_json_copy(doc, configuration), err));
	*out = v;
	return ZINC_OK;
}
