/*
 * validate_conventions.c - what nodes declare by Zarr conventions, as part of a validation
 *
 * Uses the caller's schemas and cache like zinc_conventions_check, so that both find the same.
 */
#include "node/node.h"
#include "tool/tool.h"

#include <zinc/conventions.h>

struct declared {
	zinc_check *c;
	const char *key; /* of the node's document */
};

static int
take_verdict(void *arg, const zinc_verdict *v)
{
	const struct declared *d = arg;
	zinc_finding f;
	size_t i;

	for (i = 0; i < v->nfindings && !d->c->stopped; i++) {
		f = *v->findings[i];
		f.key = d->key;
		zinc_check_found(d->c, &f);
	}
	return d->c->stopped;
}

/* An unusable document has already been reported. */
static zinc_status
check_node(zinc_check *c, zinc_conventions *conventions, const zinc_check_node *node, zinc_buf *path, zinc_buf *key,
	   zinc_error *err)
{
	struct declared d = {.c = c};
	zinc_error e = ZINC_ERROR_INIT;
	zinc_status st;

	zinc_buf_end(path, 0);
	zinc_buf_end(key, 0);
	ZINC_TRY(zinc_check_path(path, node->prefix, strlen(node->prefix), err));
	ZINC_TRY(zinc_node_key(c->h, zinc_buf_text(path), node->kind, key, err));
	if (!zinc_buf_text(key))
		return zinc_fail_nomem(err);
	d.key = zinc_check_key(c, zinc_buf_text(key));
	st = zinc_conventions_check(conventions, c->h, zinc_buf_text(path), take_verdict, &d, NULL, &e);
	if (st == ZINC_E_NOMEM || st == ZINC_E_IO)
		return zinc_error_copy(err, &e);
	return zinc_check_cancelled(c, err);
}

zinc_status
zinc_check_conventions(zinc_check *c, zinc_error *err)
{
	const zinc_call_options rest = zinc_wait_rest(&c->wait);
	const zinc_conventions_options o = {.size = sizeof o,
					    .context = c->ctx,
					    .schemas = c->o.schemas,
					    .cache = c->o.cache,
					    .fetch = c->o.fetch,
					    .call = &rest};
	zinc_conventions *conventions;
	zinc_status st = ZINC_OK;
	zinc_buf path, key;
	size_t i;

	ZINC_TRY(zinc_conventions_new(&conventions, &o, err));
	zinc_buf_init(&path, c->ctx, ZINC_MAX_KEY);
	zinc_buf_init(&key, c->ctx, ZINC_MAX_KEY);
	for (i = 0; i < c->nnodes && st == ZINC_OK && !c->stopped; i++)
		if (c->nodes[i].declares)
			st = check_node(c, conventions, &c->nodes[i], &path, &key, err);
	zinc_buf_fini(&path);
	zinc_buf_fini(&key);
	zinc_conventions_free(conventions);
	return st;
}
