/*
 * error_node.c - name the node that a call was for in errors, not the root of a store
 */
#include <stdio.h>

#include "format/format.h"

static bool
names_url(const zinc_error *err, const char *url)
{
	char shown[sizeof err->url];

	zinc_url_show(shown, sizeof shown, url);
	return strcmp(err->url, shown) == 0;
}

zinc_status
zinc_error_in(zinc_error *err, zinc_status st, const zinc_hierarchy *h)
{
	size_t n = strlen(h->prefix);

	if (st == ZINC_OK || !err)
		return st;
	if (n > 0 && strncmp(err->key, h->prefix, n) == 0) {
		memmove(err->key, err->key + n, strlen(err->key + n) + 1);
		err->url[0] = '\0'; /* the store's URL, to which the key is no longer relative */
	} else if (err->key[0] == '\0' && names_url(err, zinc_store_url(h->store))) {
		err->url[0] = '\0'; /* the store's URL does not locate the failure */
	}
	return zinc_error_at_url(err, st, h->url);
}

/* Only for errors that name the hierarchy: errors elsewhere (in another store) keep their own name. */
zinc_status
zinc_error_at_node(zinc_error *err, zinc_status st, const zinc_hierarchy *h, const char *path)
{
	const size_t n = strlen(h->url);
	char url[2 * sizeof err->url];

	if (zinc_error_in(err, st, h) == ZINC_OK || !err || !path || strcmp(path, "/") == 0 || !names_url(err, h->url))
		return st;
	snprintf(url, sizeof url, "%s%s", h->url, path + (n > 0 && strchr("/|:", h->url[n - 1]) != NULL));
	zinc_url_show(err->url, sizeof err->url, url);
	return st;
}
