/*
 * extend_transformer.c - <zinc/extend.h>: the table of storage transformers, by all their names
 *
 * The parsers of documents ask here whether a transformer is known; the room `transform`, which lies
 * beside them, makes the layers.  A transformer has one name in version 3, which is its `type` in the drafts,
 * and there URIs as well; a document of version 3 may use either.
 */
#include <zinc/extend.h>

#include "codec/codec_parts.h"

/* The specification, its own example, and zarr-python 2: all three are in documents. */
static const char *const indexed_uris[] = {"https://purl.org/zarr/spec/extensions/storage_transformers/sharding/1.0",
					   "https://purl.org/zarr/spec/extensions/storage-transformers/sharding/1.0",
					   "https://purl.org/zarr/spec/storage_transformers/sharding/1.0", NULL};

/* Made by the room `transform`, so that it has no open() here. */
static const zinc_transformer_def builtin[] = {
    {sizeof(zinc_transformer_def), "indexed", indexed_uris, "chunks joined to shards with an index at the end", NULL},
};

/* What a program adds: its name comes first, as registries want it. */
typedef struct row {
	const char *name;
	zinc_transformer_def def;
} row;

static zinc_registry added;

/* ---- the table ---- */

/* By number, built-in ones first; NULL: no more. */
static const zinc_transformer_def *
item(size_t i)
{
	const size_t n = sizeof builtin / sizeof *builtin;
	const row *r;

	if (i < n)
		return &builtin[i];
	r = (const row *)zinc_registry_item(&added, i - n);
	return r ? &r->def : NULL;
}

const zinc_transformer_def *
zinc_transformer_find_uri(const char *uri, zinc_uri_match *match)
{
	const zinc_transformer_def *def, *found = NULL;
	zinc_uri_match one;
	size_t i;

	*match = ZINC_URI_OTHER;
	for (i = 0; (def = item(i)); i++) {
		one = zinc_uri_among(def->uris, uri);
		if (one > *match) {
			found = def;
			*match = one;
		}
	}
	return *match >= ZINC_URI_MINOR ? found : NULL;
}

const zinc_transformer_def *
zinc_transformer_find(const char *name)
{
	const zinc_transformer_def *def;
	zinc_uri_match match;
	size_t i;

	for (i = 0; (def = item(i)); i++)
		if (strcmp(def->name, name) == 0)
			return def;
	return zinc_transformer_find_uri(name, &match);
}

void
zinc_list_transformers(zinc_row_fn fn, void *arg)
{
	const zinc_transformer_def *def;
	size_t i;

	for (i = 0; (def = item(i)); i++)
		if (fn(arg, def->name, def->uris && def->uris[0] ? def->uris[0] : "", def->purpose ? def->purpose : ""))
			return;
}

/* Is one of its names another's? */
static zinc_status
check_free(const zinc_transformer_def *d, zinc_error *err)
{
	const char *const *uri;

	if (zinc_transformer_find(d->name))
		return zinc_fail(err, ZINC_E_EXISTS, "\"%s\" is registered already", d->name);
	for (uri = d->uris; uri && *uri; uri++)
		if (zinc_transformer_find(*uri))
			return zinc_fail(err, ZINC_E_EXISTS, "\"%s\" is registered already", *uri);
	return ZINC_OK;
}

zinc_status
zinc_register_transformer(const zinc_transformer_def *def, zinc_error *err)
{
	zinc_transformer_def d;
	zinc_status st;
	row *r;

	ZINC_TRY(ZINC_NEED(def, err));
	ZINC_TRY(zinc_options_take(&d, sizeof d, def, err));
	if (!d.open || !d.name || !*d.name)
		return zinc_fail(err, ZINC_E_INVALID, "a storage transformer needs a name and open()");
	ZINC_TRY(check_free(&d, err));
	r = (row *)zinc_calloc(NULL, 1, sizeof *r);
	if (!r)
		return zinc_fail_nomem(err);
	r->name = d.name;
	r->def = d;
	st = zinc_registry_add(&added, r, err);
	if (st != ZINC_OK)
		zinc_free(NULL, r);
	return st; /* the row stays for ever */
}
