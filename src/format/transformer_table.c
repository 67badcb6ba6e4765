/*
 * transformer_table.c - <zinc/extend.h>: the table of storage transformers
 *
 * The parsers of documents ask here whether a transformer is known.  A transformer has one name in version 3, which
 * is its `type` in the drafts, and there URIs as well; a document of version 3 may use either.
 */
#include <zinc/extend.h>

#include "format/format.h"

/* The specification, its own example, and zarr-python 2: all three are in documents. */
static const char *const indexed_uris[] = {"https://purl.org/zarr/spec/extensions/storage_transformers/sharding/1.0",
					   "https://purl.org/zarr/spec/extensions/storage-transformers/sharding/1.0",
					   "https://purl.org/zarr/spec/storage_transformers/sharding/1.0", NULL};

/* The room that makes layers has a built-in case for this one, so it needs no open() here. */
static const zinc_transformer_def indexed = {sizeof indexed, "indexed", indexed_uris,
					     "chunks joined to shards with an index at the end", NULL};
static const void *const builtin[] = {&indexed};

static zinc_names
names_of(const void *row)
{
	const zinc_transformer_def *def = row;

	return (zinc_names){
	    .name = def->name, .uris = def->uris, .purpose = def->purpose, .also = def->uris ? def->uris[0] : NULL};
}

static zinc_table transformers = {.what = "a storage transformer", ZINC_TABLE_ROWS(builtin), .names = names_of};

const zinc_transformer_def *
zinc_transformer_find_uri(const char *uri, zinc_uri_match *match)
{
	return zinc_table_find_uri(&transformers, uri, match);
}

const zinc_transformer_def *
zinc_transformer_find(const char *name)
{
	const zinc_transformer_def *def = zinc_table_find(&transformers, name);
	zinc_uri_match match;

	return def ? def : zinc_transformer_find_uri(name, &match);
}

void
zinc_list_transformers(zinc_row_fn fn, void *arg)
{
	(void)zinc_table_each(&transformers, fn, arg);
}

zinc_status
zinc_register_transformer(const zinc_transformer_def *def, zinc_error *err)
{
	zinc_transformer_def d;

	ZINC_TRY(ZINC_NEED(def, err));
	ZINC_TRY(zinc_options_take(&d, sizeof d, def, err));
	if (!d.open || !d.name || !*d.name)
		return zinc_fail(err, ZINC_E_INVALID, "a storage transformer needs a name and open()");
	return zinc_table_add_copy(&transformers, &d, sizeof d, err);
}
