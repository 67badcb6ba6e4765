/*
 * draft_names.c - the URIs by which the drafts identify codecs, data types and storage transformers
 *
 * The texts of that time and the programs spell them differently.  This file has all known spellings, but for data
 * types (dtype_uri.c).  "http" and "https" are the same, and the version at the end may be missing.
 */
#include <stdio.h>

#include "format/draft.h"

/* zarr-python's names where no URI existed yet: elements of variable length. */
#define OBJECTS                                                                                                        \
	"TO"                                                                                                           \
	"DO: object array protocol URL"

static const char *const codecs[] = {"purl.org/zarr/spec/codec/", "purl.org/zarr/spec/codecs/"};

static const char *const sharding[] = {
    "purl.org/zarr/spec/extensions/storage-transformers/sharding/",
    "purl.org/zarr/spec/extensions/storage_transformers/sharding/", /* the example in the same specification */
    "purl.org/zarr/spec/storage_transformers/sharding/",            /* zarr-python */
};

bool
zinc_draft_is_uri(const zinc_json *v)
{
	return zinc_json_is(v, ZINC_JSON_STRING) && strlen(v->text) == v->n && zinc_uri_is(v->text);
}

static const char *
skip_scheme(const char *uri)
{
	if (strncmp(uri, "https://", 8) == 0)
		return uri + 8;
	return strncmp(uri, "http://", 7) == 0 ? uri + 7 : uri;
}

/* The part after the stem.  A URI that ends where its version would begin has an empty one.  NULL: another URI. */
static const char *
behind(const char *uri, const char *stem)
{
	const size_t n = strlen(stem);

	uri = skip_scheme(uri);
	if (strncmp(uri, stem, n) == 0)
		return uri + n;
	return stem[n - 1] == '/' && strlen(uri) == n - 1 && memcmp(uri, stem, n - 1) == 0 ? "" : NULL;
}

bool
zinc_draft_codec_uri(const char *uri, char *name, size_t room, const char **version)
{
	const char *rest;
	size_t i, n;

	for (i = 0; i < sizeof codecs / sizeof *codecs; i++) {
		rest = behind(uri, codecs[i]);
		n = rest ? strcspn(rest, "/") : 0;
		if (n == 0 || n >= room)
			continue;
		memcpy(name, rest, n);
		name[n] = '\0';
		*version = rest + n + (rest[n] == '/');
		return true;
	}
	return false;
}

zinc_uri_match
zinc_draft_type_uri(const char *uri, char letter, bool *has)
{
	if (strcmp(uri, OBJECTS) != 0)
		return zinc_dtype_uri_match(uri, letter, has);
	*has = letter == 'O';
	return ZINC_URI_SAME;
}

/* In the spelling of each draft. */
const char *
zinc_draft_type_name(const zinc_draft *d, const zinc_dtype *t)
{
	const char *begins = !strstr(d->core, "/protocol/")      ? "https://purl.org/zarr/spec/extensions/"
			     : strncmp(d->core, "http:", 5) == 0 ? "http://"
								 : "https://purl.org/zarr/spec/protocol/";

	return zinc_uri_choose(zinc_dtype_uris(t), begins);
}

bool
zinc_draft_is_sharding(const char *uri, const char **version)
{
	size_t i;

	for (i = 0; i < sizeof sharding / sizeof *sharding; i++) {
		*version = behind(uri, sharding[i]);
		if (*version)
			return true;
	}
	return false;
}

const char *
zinc_draft_sharding_name(const zinc_draft *d)
{
	return strstr(d->core, "/protocol/")
		   ? "https://purl.org/zarr/spec/storage_transformers/sharding/1.0"
		   : "https://purl.org/zarr/spec/extensions/storage-transformers/sharding/1.0";
}

/* "3", "3.0", "3.7" and "3.0/dev" have major version 3. */
zinc_status
zinc_draft_check_version(const char *uri, const char *version, const char *known, zinc_report *r, const char *rule,
			 zinc_error *err)
{
	const size_t major = strspn(version, "0123456789");

	if (*version == '\0' || strcmp(version, known) == 0)
		return ZINC_OK;
	if (major != strcspn(known, ".") || strncmp(version, known, major) != 0 || !strchr("./", version[major]))
		return zinc_report_unsupported(r, rule, err, "\"%.200s\" has another version than %s", uri, known);
	return zinc_report_lenient(r, rule, err, "\"%.200s\" is read as version %s", uri, known);
}
