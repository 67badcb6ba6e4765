/*
 * nodes.c - small hierarchies in memory with a counting store, for tests of the rooms format and node
 */
#include "nodes.h"

#include <stdio.h>
#include <string.h>

#include "test.h"

static void
keep_warning(void *arg, const char *where, const char *text)
{
	forest *f = arg;

	f->warnings++;
	snprintf(f->warning, sizeof f->warning, "%s: %s", where, text);
}

void
forest_open(forest *f, const char *prefix, int strictness)
{
	static unsigned serial;
	zinc_error err = ZINC_ERROR_INIT;
	char url[64];

	memset(f, 0, sizeof *f);
	snprintf(url, sizeof url, "memory://forest-%u", ++serial);
	assert_ok(zinc_context_new(&f->ctx, ZINC_CONTEXT_OPTIONS(.warn = keep_warning, .warn_arg = f), &err));
	assert_ok(zinc_store_open(&f->memory, url, ZINC_STORE_OPTIONS(.context = f->ctx), &err));
	assert_ok(zinc_store_log(&f->log, f->memory, NULL, NULL, &err));
	assert_ok(zinc_hierarchy_open(
	    &f->h, f->log, prefix, ZINC_OPEN_OPTIONS(.context = f->ctx, .strictness = strictness, .create = 1), &err));
	forest_counts(f);
}

void
forest_open_format(forest *f, const char *id)
{
	zinc_error err = ZINC_ERROR_INIT;

	forest_open(f, "", ZINC_LENIENT);
	zinc_hierarchy_close(f->h);
	assert_ok(zinc_hierarchy_open(&f->h, f->log, "",
				      ZINC_OPEN_OPTIONS(.context = f->ctx, .create = 1, .format = id), &err));
}

void
forest_close(forest *f)
{
	zinc_hierarchy_close(f->h);
	zinc_store_close(f->log);
	zinc_store_close(f->memory);
	zinc_context_free(f->ctx);
}

zinc_store_counts
forest_counts(forest *f)
{
	zinc_store_counts now = ZINC_STORE_COUNTS_INIT, since = ZINC_STORE_COUNTS_INIT;

	zinc_store_log_counts(f->log, &now);
	since.get_calls = now.get_calls - f->last.get_calls;
	since.get_requests = now.get_requests - f->last.get_requests;
	since.get_bytes = now.get_bytes - f->last.get_bytes;
	since.put_calls = now.put_calls - f->last.put_calls;
	since.put_bytes = now.put_bytes - f->last.put_bytes;
	since.del_calls = now.del_calls - f->last.del_calls;
	since.list_calls = now.list_calls - f->last.list_calls;
	since.update_calls = now.update_calls - f->last.update_calls;
	f->last = now;
	return since;
}

void
forest_put(forest *f, const char *key, const char *text)
{
	zinc_error err = ZINC_ERROR_INIT;

	assert_ok(zinc_store_put(f->memory, NULL, key, text, strlen(text), NULL, 0, NULL, NULL, &err));
}

const char *
forest_get(forest *f, const char *key)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_blob text = ZINC_BLOB_INIT;
	const zinc_status st = zinc_store_get_all(f->memory, key, &text, NULL, 0, NULL, &err);

	if (st == ZINC_E_NOTFOUND)
		return NULL;
	assert_ok(st);
	assert_true(text.nbytes < sizeof f->text);
	memcpy(f->text, text.data, text.nbytes);
	f->text[text.nbytes] = '\0';
	zinc_blob_fini(&text);
	return f->text;
}

static void
add(forest *f, const char *word)
{
	const size_t n = strlen(f->text);

	snprintf(f->text + n, sizeof f->text - n, "%s%s", n ? " " : "", word);
}

static int
add_key(void *arg, const char *key, uint64_t nbytes)
{
	(void)nbytes;
	add(arg, key);
	return 0;
}

const char *
forest_keys(forest *f)
{
	zinc_error err = ZINC_ERROR_INIT;

	f->text[0] = '\0';
	assert_ok(zinc_store_list(f->memory, "", add_key, f, NULL, &err));
	return f->text;
}

static int
add_node(void *arg, const zinc_node *node)
{
	char word[600];

	assert_string_equal(strrchr(node->path, '/') + 1, node->name);
	assert_int_equal(node->array != NULL, node->kind == ZINC_NODE_ARRAY && node->problem_code != ZINC_E_CORRUPT);
	assert_int_equal(node->implicit || node->hidden, node->metadata_key[0] == '\0');
	if (node->hidden) {
		assert_int_equal(node->kind, ZINC_NODE_NONE);
		snprintf(word, sizeof word, "?%s", node->path);
	} else if (node->problem)
		snprintf(word, sizeof word, "!%s:%s", node->path, zinc_status_name(node->problem_code));
	else
		snprintf(word, sizeof word, "%c%s",
			 node->kind == ZINC_NODE_ARRAY ? 'A'
			 : node->implicit              ? 'g'
						       : 'G',
			 node->path);
	add(arg, word);
	return 0;
}

const char *
forest_list(forest *f, const char *path, int depth)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_status st;

	f->text[0] = '\0';
	st = depth == CHILDREN ? zinc_node_children(f->h, path, add_node, f, NULL, &err)
			       : zinc_node_walk(f->h, path, depth, add_node, f, NULL, &err);
	return st == ZINC_OK ? f->text : zinc_status_name(st);
}

zinc_status
in_new_hierarchy(zinc_context *ctx, const char *format, zinc_status (*work)(zinc_hierarchy *h, zinc_error *err),
		 bool again, zinc_error *err)
{
	static unsigned serial;
	zinc_hierarchy *h = NULL;
	zinc_store *store = NULL;
	zinc_status st;
	char url[64];

	snprintf(url, sizeof url, "memory://new-hierarchy-%u", ++serial);
	st = zinc_store_open(&store, url, ZINC_STORE_OPTIONS(.context = ctx), err);
	if (st == ZINC_OK)
		st = zinc_hierarchy_open(&h, store, "",
					 ZINC_OPEN_OPTIONS(.context = ctx, .create = 1, .format = format), err);
	if (st == ZINC_OK)
		st = work(h, err);
	zinc_hierarchy_close(h);
	h = NULL;
	if (st == ZINC_OK && again)
		st = zinc_hierarchy_open(&h, store, "", ZINC_OPEN_OPTIONS(.context = ctx), err);
	zinc_hierarchy_close(h);
	zinc_store_close(store);
	return st;
}

/* ---- a store that cannot list ---- */

static void
unlisted_caps(void *self, zinc_caps *out)
{
	zinc_store_caps(self, out);
	out->flags &= ~(uint32_t)ZINC_CAP_LIST;
}

static zinc_status
unlisted_get(void *self, const zinc_get *requests, size_t n, const zinc_sink *sink, const zinc_wait *wait,
	     zinc_error *err)
{
	return zinc_store_get(self, requests, n, sink, wait, err);
}

static zinc_store *
unlisted_forwards(void *self)
{
	return self;
}

static zinc_status
unlisted_walk(void *self, const char *prefix, const zinc_lister *to, const zinc_wait *wait, zinc_error *err)
{
	(void)self, (void)prefix, (void)to, (void)wait;
	err->code = ZINC_E_UNSUPPORTED;
	snprintf(err->text, sizeof err->text, "this store cannot list its keys");
	return ZINC_E_UNSUPPORTED;
}

static void
unlisted_close(void *self)
{
	(void)self;
}

zinc_store *
unlisted_store(zinc_context *ctx, zinc_store *next)
{
	static const zinc_store_ops ops = {.size = sizeof ops,
					   .name = "unlisted",
					   .caps = unlisted_caps,
					   .get = unlisted_get,
					   .walk = unlisted_walk,
					   .forwards = unlisted_forwards,
					   .close = unlisted_close};
	zinc_error err = ZINC_ERROR_INIT;
	zinc_store *store = NULL;

	assert_ok(zinc_store_wrap(&store, ctx, &ops, next, "unlisted://", &err));
	return store;
}
