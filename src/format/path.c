/*
 * path.c - paths of nodes: what callers may pass, the keys that follow from them, what lies below
 *
 * Promises:
 *
 * (1) A caller's path is checked before it becomes a key.
 */
#include "format/root.h"

/* As zinc_store_list_dir's callback: any entry means that the prefix is not vacant. */
static int
stop_at_first(void *arg, const char *entry, int is_prefix)
{
	(void)entry, (void)is_prefix;
	*(bool *)arg = false;
	return 1;
}

char *
zinc_text_join(zinc_context *ctx, const char *a, const char *b, const char *c, size_t n, const char *d)
{
	zinc_buf text;
	char *out = NULL;

	zinc_buf_init(&text, ctx, ZINC_MAX_KEY);
	if (zinc_buf_puts(&text, a, NULL) == ZINC_OK && zinc_buf_puts(&text, b, NULL) == ZINC_OK &&
	    zinc_buf_add(&text, c, n, NULL) == ZINC_OK && zinc_buf_puts(&text, d, NULL) == ZINC_OK &&
	    zinc_buf_text(&text))
		out = zinc_strndup(ctx, zinc_buf_text(&text), text.n);
	zinc_buf_fini(&text);
	return out;
}

/* Drafts keep documents and data apart: a store may reserve a name in one of the trees only. */
static zinc_status
check_data(const zinc_hierarchy *h, const char *path, zinc_buf *key, zinc_error *err)
{
	zinc_buf_end(key, 0);
	ZINC_TRY(zinc_data_prefix(h, path, key, err));
	ZINC_TRY(zinc_buf_puts(key, "0", err));
	return zinc_buf_text(key) ? zinc_store_check_key(h->store, zinc_buf_text(key), err) : zinc_fail_nomem(err);
}

zinc_status
zinc_hierarchy_check_keys(const zinc_hierarchy *h, const char *path, zinc_error *err)
{
	static const zinc_node_kind kinds[] = {ZINC_NODE_ARRAY, ZINC_NODE_GROUP};
	zinc_status st = zinc_key_check(path + 1, err);
	zinc_buf key;
	size_t i;

	zinc_buf_init(&key, h->ctx, ZINC_MAX_KEY);
	for (i = 0; i < sizeof kinds / sizeof *kinds && st == ZINC_OK; i++) {
		zinc_buf_end(&key, 0);
		st = zinc_node_key(h, path, kinds[i], &key, err);
		if (st == ZINC_OK)
			st = zinc_buf_text(&key) ? zinc_store_check_key(h->store, zinc_buf_text(&key), err)
						 : zinc_fail_nomem(err);
	}
	if (st == ZINC_OK)
		st = check_data(h, path, &key, err);
	zinc_buf_fini(&key);
	return st;
}

/* Only a '/' at either end is removed. */
static zinc_status
normalise(char **out, const zinc_hierarchy *h, const char *path, zinc_error *err)
{
	const char *name;
	zinc_status st;
	size_t n;

	path += *path == '/';
	n = strlen(path);
	n -= n > 0 && path[n - 1] == '/';
	for (name = path; n > 0 && name <= path + n;) {
		const char *end = memchr(name, '/', (size_t)(path + n - name));

		end = end ? end : path + n;
		ZINC_TRY(h->format->check_name(h->format, name, (size_t)(end - name), err));
		name = end + 1;
	}
	*out = zinc_text_join(h->ctx, "/", "", path, n, "");
	if (!*out)
		return zinc_fail_nomem(err);
	st = n > 0 ? zinc_hierarchy_check_keys(h, *out, err) : ZINC_OK;
	if (st != ZINC_OK) {
		zinc_free(h->ctx, *out);
		*out = NULL;
	}
	return st;
}

/* Version 2, "Logical storage paths": '\' counts as '/', and several count as one. */
static char *
clean_path(zinc_context *ctx, const char *path)
{
	char *out = zinc_strdup(ctx, path), *to = out;
	const char *from;

	for (from = path; out && *from; from++) {
		const bool slash = *from == '/' || *from == '\\';

		if (!slash || to == out || to[-1] != '/')
			*to++ = slash ? '/' : *from;
	}
	if (out)
		*to = '\0';
	return out;
}

zinc_status
zinc_path_normalise(char **out, const zinc_hierarchy *h, const char *path, zinc_error *err)
{
	zinc_status st;
	char *clean;

	if (!path) /* never the root by mistake: it could be erased */
		return zinc_fail(err, ZINC_E_INVALID, "no path; that of the root is \"/\"");
	if (!h->format->lax_paths)
		return normalise(out, h, path, err);
	clean = clean_path(h->ctx, path);
	if (!clean)
		return zinc_fail_nomem(err);
	st = normalise(out, h, clean, err);
	zinc_free(h->ctx, clean);
	return st;
}

struct vacancy {
	zinc_store *store;
	const zinc_wait *wait;
	bool *vacant;
};

/* A node may have keys below several prefixes; one entry below any of them is enough. */
static zinc_status
look_below(void *arg, const char *prefix, zinc_error *err)
{
	const struct vacancy *look = arg;
	zinc_error e = ZINC_ERROR_INIT;
	zinc_status st = ZINC_OK;

	if (*look->vacant)
		st = zinc_store_list_dir(look->store, prefix, stop_at_first, look->vacant, look->wait, &e);
	return st == ZINC_E_UNSUPPORTED ? ZINC_OK : zinc_error_copy(err, &e); /* cannot list */
}

zinc_status
zinc_hierarchy_vacant(zinc_hierarchy *h, const char *path, bool *vacant, zinc_error *err)
{
	struct vacancy look = {h->store, h->wait, vacant};

	*vacant = true;
	return zinc_node_prefixes(h, path, look_below, &look, err);
}

zinc_status
zinc_key_role_of(const zinc_hierarchy *h, const char *key, zinc_key_role *role, zinc_error *err)
{
	const size_t n = strlen(h->prefix);
	zinc_status st;
	zinc_buf place;

	zinc_buf_init(&place, h->ctx, ZINC_MAX_KEY);
	st = h->format->place(h, strncmp(key, h->prefix, n) == 0 ? key + n : key, role, &place, err);
	zinc_buf_fini(&place);
	return st;
}
