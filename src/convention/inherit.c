/*
 * inherit.c - values of attributes by inheritance
 *
 * Only nodes that declare the convention count (C12).
 */
#include "convention/convention.h"

/* The convention that an attribute belongs to. */
static const zinc_convention_row *
owner(const char *key)
{
	const zinc_convention_row *row;
	size_t i;

	for (i = 0; (row = zinc_convention_row_at(i)); i++)
		if (zinc_convention_owns(row, key))
			return row;
	return NULL;
}

static bool
has_any(const zinc_meta *m, const zinc_convention_row *row)
{
	const zinc_json *v;

	for (v = m->attributes ? m->attributes->first : NULL; v; v = v->next)
		if (zinc_convention_owns(row, v->key))
			return true;
	return false;
}

/* Does this node have its own value?  It does if it declares the convention and has any property of it. */
static zinc_status
speaks(zinc_context *ctx, const zinc_meta *m, const zinc_convention_row *row, bool *yes, zinc_error *err)
{
	*yes = false;
	return has_any(m, row) ? zinc_node_declares(ctx, m, row, yes, err) : ZINC_OK;
}

/* "/a/b" -> "/a" -> "/"; false at the root. */
static bool
climb(char *path)
{
	char *slash = strrchr(path, '/');

	if (!slash || path[1] == '\0')
		return false;
	slash[slash == path] = '\0';
	return true;
}

/* Does the node at `path` have its own value?  Then it is *out.  An implicit group (drafts) has none. */
static zinc_status
ask(zinc_hierarchy *h, const char *path, const zinc_convention_row *row, bool first, zinc_meta **out, bool *array,
    zinc_error *err)
{
	zinc_error e = ZINC_ERROR_INIT;
	zinc_meta *m;
	bool yes;
	zinc_status st = zinc_node_read(h, path, &m, &e);

	*out = NULL;
	*array = false;
	if (st != ZINC_OK)
		return st == ZINC_E_NOTFOUND && !first ? ZINC_OK : zinc_error_copy(err, &e);
	*array = m->kind == ZINC_NODE_ARRAY;
	st = speaks(h->ctx, m, row, &yes, err);
	if (st == ZINC_OK && yes)
		*out = m;
	else
		zinc_meta_free(m);
	return st;
}

/* The node whose value applies to `path`; `path` is shortened to it on the way up. */
static zinc_status
find_speaker(zinc_hierarchy *h, char *path, const zinc_convention_row *row, zinc_meta **out, zinc_error *err)
{
	bool array, up;

	ZINC_TRY(ask(h, path, row, true, out, &array, err));
	up = row->inherit == ZINC_INHERIT_ANCESTOR || (row->inherit == ZINC_INHERIT_PARENT && array);
	while (!*out && up && climb(path)) {
		ZINC_TRY(ask(h, path, row, false, out, &array, err));
		up = row->inherit == ZINC_INHERIT_ANCESTOR;
	}
	return *out ? ZINC_OK : zinc_fail(err, ZINC_E_NOTFOUND, "no node has it by the convention %s", row->name);
}

static zinc_status
print_value(zinc_context *ctx, const zinc_json *v, zinc_blob *out, zinc_error *err)
{
	zinc_buf text;
	zinc_status st;

	zinc_buf_init(&text, ctx, zinc_max_text(ctx));
	st = zinc_json_print_line(v, &text, err);
	if (st == ZINC_OK)
		st = zinc_buf_to_blob(&text, out, err);
	zinc_buf_fini(&text);
	return st;
}

/* A license that only has a `path` is followed. */
static zinc_status
take_license(zinc_hierarchy *h, const char *path, const zinc_json *v, zinc_blob *json, zinc_buf *at, zinc_error *err)
{
	zinc_meta *holder = NULL;
	const zinc_json *out;
	zinc_status st = zinc_license_follow(h, path, v, at, &holder, &out, err);

	if (st == ZINC_OK)
		st = print_value(h->ctx, out, json, err);
	zinc_meta_free(holder);
	return st;
}

/* The node may lack this key: then there is no value. */
static zinc_status
take(zinc_hierarchy *h, const char *path, const zinc_meta *m, const char *key, zinc_blob *json, zinc_blob *from,
     zinc_error *err)
{
	const zinc_json *v = zinc_json_member(m->attributes, key);
	zinc_status st;
	zinc_buf at;

	if (!v)
		return zinc_fail(err, ZINC_E_NOTFOUND, "\"%.200s\" has no \"%.60s\"", path, key);
	zinc_buf_init(&at, h->ctx, ZINC_MAX_KEY);
	if (strcmp(key, "license") == 0 && v->type == ZINC_JSON_OBJECT) {
		st = take_license(h, path, v, json, &at, err);
	} else {
		st = print_value(h->ctx, v, json, err);
		if (st == ZINC_OK)
			st = zinc_buf_puts(&at, path, err);
	}
	if (st == ZINC_OK && from)
		st = zinc_buf_to_blob(&at, from, err);
	if (st != ZINC_OK)
		zinc_blob_fini(json);
	zinc_buf_fini(&at);
	return st;
}

zinc_status
zinc_conventions_effective(zinc_hierarchy *h, const char *path, const char *key, zinc_blob *json, zinc_blob *from,
			   const zinc_call_options *call, zinc_error *err)
{
	zinc_visit v;
	const zinc_convention_row *row = key ? owner(key) : NULL;
	zinc_meta *m = NULL;
	zinc_status st;
	char *node;

	ZINC_TRY(ZINC_NEED(key && json, err));
	ZINC_TRY(zinc_visit_begin(&v, &h, call, err));
	ZINC_TRY(zinc_path_normalise(&node, h, path, err));
	st = row ? find_speaker(h, node, row, &m, err) : zinc_node_read(h, node, &m, err);
	if (st == ZINC_OK)
		st = take(h, node, m, key, json, from, err);
	zinc_meta_free(m);
	zinc_free(h->ctx, node);
	return st;
}
