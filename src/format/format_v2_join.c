/*
 * format_v2_join.c - the two stored documents of a node as the one in memory, and rules by this version's numbers
 *
 * Promises:
 *
 * (1) What is wrong with .zattrs is told under its key.
 * (2) A member of .zarray that would be taken for the attributes is left out, with rule V2-4; edits refuse it.
 */
#include "format/format_v2.h"

/* The stored text of one document.  NaN tokens are no JSON, but Python writes them. */
static zinc_status
parse_text(zinc_json_doc **out, zinc_context *ctx, const zinc_fetched *text, const char *rule, zinc_report *r,
	   zinc_error *err)
{
	zinc_error e;
	zinc_status s = zinc_json_parse(out, ctx, text->text, text->n, ZINC_JSON_DUPLICATES, &e);

	if (s == ZINC_E_CORRUPT) {
		const zinc_status again =
		    zinc_json_parse(out, ctx, text->text, text->n, ZINC_JSON_DUPLICATES | ZINC_JSON_NAN_TOKENS, NULL);

		if (again == ZINC_OK) {
			s = zinc_report_lenient(r, rule, err, "NaN or Infinity, which JSON does not have");
			if (s != ZINC_OK) {
				zinc_json_free(*out);
				*out = NULL;
			}
			return s;
		}
		return again == ZINC_E_NOMEM ? zinc_fail_nomem(err) : zinc_report_error(r, rule, err, "%s", e.text);
	}
	return s == ZINC_OK ? s : zinc_error_copy(err, &e);
}

/* Put the attributes into the other document.  `attributes` is freed. */
static zinc_status
put_in(zinc_json_doc *doc, zinc_json_doc *attributes, zinc_report *r, zinc_error *err)
{
	const char *twice = zinc_json_duplicate(attributes);
	zinc_status s = ZINC_OK;

	if (!zinc_json_is(zinc_json_root(attributes), ZINC_JSON_OBJECT))
		s = zinc_report_error(r, "V2-15", err, "attributes must be an object");
	else if (twice)
		s = zinc_report_lenient(r, "V2-15", err, "attribute \"%.60s\" is there twice", twice);
	if (s == ZINC_OK && zinc_json_is(zinc_json_root(doc), ZINC_JSON_OBJECT))
		s = zinc_json_set(doc, zinc_json_root(doc), ZINC_V2_MEMBER,
				  zinc_json_copy(doc, zinc_json_root(attributes)), err);
	zinc_json_free(attributes);
	return s;
}

/* A member of that name in the first document itself is no attribute of the node, and would be taken for one. */
static zinc_status
drop_stranger(zinc_json_doc *doc, zinc_report *r, zinc_error *err)
{
	if (!zinc_json_is(zinc_json_root(doc), ZINC_JSON_OBJECT) ||
	    !zinc_json_remove(zinc_json_root(doc), ZINC_V2_MEMBER))
		return ZINC_OK;
	return zinc_report_lenient(r, "V2-4", err, "member \"" ZINC_V2_MEMBER "\" is not one of an array or group");
}

zinc_status
zinc_v2_join(zinc_json_doc **out, zinc_context *ctx, const zinc_fetched *node, const zinc_fetched *attributes,
	     char *const *keys, zinc_report *r, zinc_error *err)
{
	zinc_json_doc *more;
	zinc_status s;

	r->where = keys[0];
	ZINC_TRY(parse_text(out, ctx, node, "V2-2", r, err));
	s = drop_stranger(*out, r, err);
	if (s == ZINC_OK && attributes->found == ZINC_FOUND) {
		r->where = keys[1];
		s = parse_text(&more, ctx, attributes, "V2-15", r, err);
		if (s == ZINC_OK)
			s = put_in(*out, more, r, err);
		r->where = keys[0];
	}
	if (s != ZINC_OK) {
		zinc_json_free(*out);
		*out = NULL;
	}
	return s;
}

/* What validators find by the final version's numbers. */
const char *
zinc_v2_rule(const zinc_format *f, const char *rule)
{
	static const char *const same[][2] = {
	    {"M1", "V2-1"},   {"M2", "V2-2"},   {"M25", "V2-17"}, {"M26", "V2-1"},     {"M28", "V2-18"},
	    {"M29", "V2-19"}, {"M41", "V2-20"}, {"M42", "V2-21"}, {"M43", "V2-20"},    {"M45", "V2-20"},
	    {"M46", "V2-20"}, {"M47", "V2-20"}, {"M48", "V2-20"}, {"M70", "V2-21"},    {"M72", "V2-21"},
	    {"M75", "V2-21"}, {"M82", "V2-21"}, {"M84", "V2-21"}, {"decode", "V2-21"}, {"consolidated", "V2-22"},
	};
	size_t i;

	(void)f;
	for (i = 0; i < sizeof same / sizeof *same; i++)
		if (strcmp(rule, same[i][0]) == 0)
			return same[i][1];
	return rule;
}
