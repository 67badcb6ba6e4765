/*
 * fuzz_pipeline.c - any text after the '|' of a URL, with an adapter "box" over the store below
 *
 * (1) An opened URL has a store, and a path that is a key or empty.
 * (2) The adapter receives only a key or a prefix.
 */
#include <stdlib.h>

#include "store/store_url.h"
#include "fuzz.h"

static zinc_status
box_adapt(void **self, zinc_store *next, const char *key, const zinc_store_options *options, zinc_error *err)
{
	(void)options, (void)err;
	insist(key[0] == '\0' || zinc_key_check(key, NULL) == ZINC_OK ||
	       zinc_prefix_check(key, NULL) == ZINC_OK); /* (2) */
	*self = zinc_store_ref(next);
	return ZINC_OK;
}

static void
box_close(void *self)
{
	zinc_store_close((zinc_store *)self);
}

static void
box_caps(void *self, zinc_caps *out)
{
	zinc_store_caps((zinc_store *)self, out);
}

static zinc_status
box_get(void *self, const zinc_get *requests, size_t n, const zinc_sink *sink, const zinc_wait *wait, zinc_error *err)
{
	return zinc_store_get((zinc_store *)self, requests, n, sink, wait, err);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const zinc_store_ops box = {.size = sizeof box,
					   .name = "box",
					   .purpose = "holds what is below it",
					   .adapters = "box",
					   .adapt = box_adapt,
					   .close = box_close,
					   .caps = box_caps,
					   .get = box_get};
	static const char base[] = "memory://fuzz/a.box|";
	static bool once;
	zinc_store_options o = ZINC_STORE_OPTIONS_INIT;
	char *url = (char *)malloc(sizeof base + size);
	zinc_place place;

	insist(url && (once || zinc_store_register(&box, NULL) == ZINC_OK));
	once = true;
	memcpy(url, base, sizeof base - 1);
	memcpy(url + sizeof base - 1, data, size);
	url[sizeof base - 1 + size] = '\0';
	if (zinc_place_open(&place, url, &o, NULL) == ZINC_OK) {
		insist(place.store);
		insist(place.path[0] == '\0' || zinc_key_check(place.path, NULL) == ZINC_OK); /* (1) */
		zinc_place_fini(&place);
	}
	free(url);
	return 0;
}
