/*
 * dtype_uri.c - data types by the URIs of the drafts
 *
 *     {"extension": "https://purl.org/zarr/spec/extensions/data-types/datetime/1.0", "type": "<M8[ns]"}
 *
 * A URI names a family of types.  In built-in families `type` is NumPy's spelling; in those of programs it is the name
 * of the type.
 *
 * (1) An unknown type is E_UNSUPPORTED, whether its URI is known or not: then a fallback can be used.
 */
#include "dtype/element.h"

#define DATA_TYPES  "https://purl.org/zarr/spec/extensions/data-types/"
#define PROTOCOL    "purl.org/zarr/spec/protocol/extensions/"
#define READTHEDOCS "https://zarr-specs.readthedocs.io/en/"
#define ZARR_PYTHON                                                                                                    \
	"TO"                                                                                                           \
	"DO: " /* sic: written where the drafts had no URI yet */
#define OF_2019(uri) "http://" PROTOCOL uri
#define OF_2020(uri) "https://" PROTOCOL uri

/* The spellings of the drafts, the newest first, then those of zarr-python 2.12 to 2.18. */
static const char *const datetime[] = {DATA_TYPES "datetime/1.0", OF_2020("datetime-dtypes/1.0"),
				       OF_2019("datetime-dtypes/1.0"),
				       READTHEDOCS "latest/extensions/data-types/datetime/v1.0.html", NULL};
static const char *const complex_number[] = {
    DATA_TYPES "complex/1.0", OF_2020("complex-dtypes/1.0"), OF_2019("complex-dtypes/1.0"),
    READTHEDOCS "core-protocol-v3.0-dev/protocol/extensions/complex-dtypes/v1.0.html", NULL};
static const char *const chars[] = {DATA_TYPES "string/1.0",
				    OF_2020("string-dtypes/1.0"),
				    OF_2019("string-dtypes/1.0"),
				    ZARR_PYTHON "bytestring array protocol URL",
				    ZARR_PYTHON "unicode array protocol URL",
				    NULL};
static const char *const structure[] = {DATA_TYPES "struct/1.0", OF_2020("struct-dtypes/1.0"),
					OF_2019("struct-dtypes/1.0"), ZARR_PYTHON "structured array protocol URL",
					NULL};

/* By kind; the letter is NumPy's, "[" for a list of fields. */
static const struct {
	const char *const *uris;
	char letter;
} families[] = {
    [ZINC_KIND_COMPLEX] = {complex_number, 'c'},
    [ZINC_KIND_DATETIME] = {datetime, 'M'},
    [ZINC_KIND_TIMEDELTA] = {datetime, 'm'},
    [ZINC_KIND_UTF32] = {chars, 'U'},
    [ZINC_KIND_CHARS] = {chars, 'S'},
    [ZINC_KIND_STRUCT] = {structure, '['},
};
#define NFAMILIES (sizeof families / sizeof families[0])

const char *const *
zinc_dtype_uris(const zinc_dtype *t)
{
	if (t->row && t->row->uris)
		return t->row->uris;
	return (size_t)t->kind < NFAMILIES ? families[t->kind].uris : NULL;
}

/* ---- reading ---- */

zinc_uri_match
zinc_dtype_uri_match(const char *uri, char letter, bool *has)
{
	zinc_uri_match best = ZINC_URI_OTHER, one;
	size_t i;

	*has = false;
	for (i = 0; i < NFAMILIES; i++) {
		one = zinc_uri_among(families[i].uris, uri);
		best = one > best ? one : best;
		*has = *has || (one >= ZINC_URI_MINOR && families[i].letter == letter);
	}
	return best;
}

static zinc_uri_match
match_built_in(const char *uri)
{
	bool any;

	return zinc_dtype_uri_match(uri, '\0', &any);
}

/* "<M8[ns]", as in reports. */
static const char *
type_text(const zinc_json *type)
{
	return zinc_json_is(type, ZINC_JSON_STRING) ? type->text : "which is no string";
}

/* A word that NumPy does not have may belong to a later version; a list of fields is checked as usual. */
static zinc_status
parse_built_in(const zinc_dtype **out, bool *big, zinc_context *ctx, const char *uri, const zinc_json *type,
	       zinc_report *r, zinc_error *err)
{
	zinc_error why = ZINC_ERROR_INIT;
	zinc_report quiet;
	zinc_status st;

	if (zinc_json_is(type, ZINC_JSON_ARRAY))
		return zinc_dtype_parse_v2(out, big, ctx, type, r, err);
	zinc_report_init(&quiet, ctx, true, uri);
	st = zinc_dtype_parse_v2(out, big, ctx, type, &quiet, &why);
	if (st == ZINC_E_CORRUPT || st == ZINC_E_UNSUPPORTED)
		return zinc_report_unsupported(r, "M17", err, "data type \"%.60s\" of \"%.120s\" is not known",
					       type_text(type), uri);
	return st == ZINC_OK ? st : (zinc_error_copy(err, &why), st);
}

/* The registered row with this URI and this name; several types may share a URI. */
static const zinc_dtype_row *
find_row(const char *uri, const zinc_json *type, zinc_uri_match *match)
{
	const zinc_dtype_row *row, *found = NULL;
	zinc_uri_match one;
	size_t i;

	for (i = 0; (row = zinc_dtype_row_at(i)); i++) {
		one = zinc_uri_among(row->uris, uri);
		if (one > *match)
			*match = one;
		if (one >= ZINC_URI_MINOR && (!type || zinc_json_is_string(type, row->name)))
			found = row;
	}
	return found;
}

zinc_status
zinc_dtype_parse_uri(const zinc_dtype **out, bool *big, zinc_context *ctx, const char *uri, const zinc_json *type,
		     zinc_json *configuration, zinc_uri_match *match, zinc_report *r, zinc_error *err)
{
	const zinc_dtype_row *row;

	*big = false;
	*match = match_built_in(uri);
	if (*match >= ZINC_URI_MINOR)
		return parse_built_in(out, big, ctx, uri, type, r, err);
	row = find_row(uri, type, match);
	if (!row)
		return zinc_report_unsupported(r, "M17", err, "data type \"%.60s\" of \"%.120s\" is not known%s",
					       type_text(type), uri,
					       *match == ZINC_URI_MAJOR ? "; another major version of it is" : "");
	return zinc_dtype_parse_row(out, ctx, row, &(zinc_extension){.name = row->name, .configuration = configuration},
				    r, err);
}

bool
zinc_dtype_uri_taken(const zinc_dtype_row *row)
{
	const char *const *uri;

	for (uri = row->uris; uri && *uri; uri++)
		if (match_built_in(*uri) >= ZINC_URI_MINOR)
			return true;
	return false;
}
