/*
 * fuzz_copy_journal.c - any bytes as the journal of an interrupted copy
 *
 * A copy that continues with it either refuses it and writes nothing, or completes the target.
 */
#include <string.h>
#include <zinc/tool.h>

#include "fuzz.h"

#define GROUP "{\"zarr_format\": 3, \"node_type\": \"group\"}"

static void
put(zinc_store *s, const char *key, const void *bytes, size_t n)
{
	insist(zinc_store_put(s, NULL, key, bytes, n, NULL, 0, NULL, NULL, NULL) == ZINC_OK);
}

static zinc_status
look(zinc_store *s, const char *key)
{
	zinc_blob text = ZINC_BLOB_INIT;
	zinc_status st = zinc_store_get_all(s, key, &text, NULL, 0, NULL, NULL);

	zinc_blob_fini(&text);
	return st;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	zinc_store *store = NULL;
	zinc_hierarchy *from = NULL, *to = NULL;
	zinc_status st;

	if (zinc_store_open(&store, "memory://journal", NULL, NULL) != ZINC_OK)
		return 0;
	put(store, "a/zarr.json", GROUP, sizeof GROUP - 1);
	put(store, "a/note", "text", 4);
	put(store, "b/__zinc_cp.json", data, size);
	insist(zinc_hierarchy_open(&from, store, "a", NULL, NULL) == ZINC_OK &&
	       zinc_hierarchy_open(&to, store, "b", ZINC_OPEN_OPTIONS(.create = 1), NULL) == ZINC_OK);
	st = zinc_copy(from, "/", to, "/", ZINC_COPY_OPTIONS(.resume = 1), NULL, NULL);
	insist((st == ZINC_OK) == (look(store, "b/zarr.json") == ZINC_OK));
	insist(st != ZINC_OK || look(store, "b/__zinc_cp.json") == ZINC_E_NOTFOUND);
	zinc_hierarchy_close(to);
	zinc_hierarchy_close(from);
	zinc_store_close(store);
	return 0;
}
