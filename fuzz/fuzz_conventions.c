/*
 * fuzz_conventions.c - any JSON object as the attributes of a node
 *
 * (1) The node opens, and a check of its conventions ends, with text in every finding.
 * (2) Listing gives the checked conventions in the same order; each can be found by its identifier, or is ambiguous.
 * (3) An added convention is listed, and removing it restores the attributes.
 */
#include <string.h>
#include <zinc/conventions.h>

#include "json/json.h"
#include "fuzz.h"

#define MINE "https://example.com/fuzz/schema.json"

static int
see(void *arg, const zinc_verdict *v)
{
	size_t i;

	*(size_t *)arg += v->convention && v->convention->shape != ZINC_SHAPE_NONE;
	for (i = 0; i < v->nfindings; i++)
		insist(v->findings[i]->rule[0] && v->findings[i]->message[0]); /* (1) */
	return 0;
}

static int
count(void *arg, const zinc_convention *c)
{
	insist(c->id[0] && c->title[0]);
	++*(size_t *)arg;
	return 0;
}

/* Of the node itself: a value inside another member does not count. */
static bool
has_list(const zinc_blob *attributes)
{
	zinc_json_doc *doc = NULL;
	bool has;

	insist(zinc_json_parse(&doc, NULL, attributes->data, attributes->nbytes,
			       ZINC_JSON_DUPLICATES | ZINC_JSON_NAN_TOKENS, NULL) == ZINC_OK);
	has = zinc_json_is(zinc_json_member(zinc_json_root(doc), "zarr_conventions"), ZINC_JSON_ARRAY);
	zinc_json_free(doc);
	return has;
}

/* (3) */
static void
add_and_remove(zinc_hierarchy *h)
{
	zinc_blob before = ZINC_BLOB_INIT, after = ZINC_BLOB_INIT;
	size_t n = 0, more = 0;

	insist(zinc_conventions_list(h, "/", count, &n, NULL, NULL) == ZINC_OK);
	insist(zinc_attributes_get(h, "/", NULL, &before, NULL, NULL) == ZINC_OK);
	if (n < 900 && zinc_conventions_add(h, "/", MINE, ZINC_SHAPE_CURRENT, NULL, NULL) == ZINC_OK) {
		insist(zinc_conventions_list(h, "/", count, &more, NULL, NULL) == ZINC_OK);
		insist(more == n + 1);
		insist(zinc_conventions_remove(h, "/", MINE, NULL, NULL) == ZINC_OK);
		insist(zinc_attributes_get(h, "/", NULL, &after, NULL, NULL) == ZINC_OK);
		if (has_list(&before))
			insist(strcmp(before.data, after.data) == 0);
	}
	zinc_blob_fini(&before);
	zinc_blob_fini(&after);
}

static int
ignore_level(void *arg, const zinc_scale_level *l)
{
	(void)arg, (void)l;
	return 0;
}

static void
use(zinc_store *store)
{
	zinc_blob json = ZINC_BLOB_INIT;
	size_t checked = 0, listed = 0;
	zinc_hierarchy *h = NULL;

	if (zinc_hierarchy_open(&h, store, "", NULL, NULL) != ZINC_OK)
		return;
	if (zinc_conventions_check(NULL, h, "/", see, &checked, NULL, NULL) == ZINC_OK) {
		insist(zinc_conventions_list(h, "/", count, &listed, NULL, NULL) == ZINC_OK);
		insist(listed == checked); /* (2) */
		(void)!zinc_multiscale_levels(h, "/", ignore_level, NULL, NULL, NULL);
		if (zinc_conventions_effective(h, "/", "license", &json, NULL, NULL, NULL) == ZINC_OK)
			zinc_blob_fini(&json);
		add_and_remove(h);
	}
	zinc_hierarchy_close(h);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char before[] = "{\"zarr_format\": 3, \"node_type\": \"group\", \"attributes\": ";
	zinc_store *store = NULL;
	zinc_buf text;

	zinc_buf_init(&text, NULL, SIZE_MAX);
	insist(zinc_buf_puts(&text, before, NULL) == ZINC_OK && zinc_buf_add(&text, data, size, NULL) == ZINC_OK &&
	       zinc_buf_puts(&text, "}", NULL) == ZINC_OK);
	insist(zinc_store_open(&store, "memory://fuzz-conventions", NULL, NULL) == ZINC_OK);
	if (zinc_store_put(store, NULL, "zarr.json", text.p, text.n, NULL, 0, NULL, NULL, NULL) == ZINC_OK)
		use(store);
	zinc_store_close(store);
	zinc_buf_fini(&text);
	return 0;
}
