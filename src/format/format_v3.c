/*
 * format_v3.c - the final version 3 of Zarr: its keys, its detection, its row in the table
 *
 *   node       document            stored objects of an array (default key encoding)
 *   /          zarr.json           c/0/0
 *   /foo/bar   foo/bar/zarr.json   foo/bar/c/0/0
 *
 * all below the root's prefix.  Promises:
 *
 * (1) A name that the specification forbids (M29-M33) makes no key.
 * (2) Reading a node is one get, of its own document.
 */
#include "format/format_v3.h"

/* ---- names and keys ---- */

/* v3 core, "Node names"; the last row was added in July 2026. */
const char *
zinc_v3_name_rule(const char *name, size_t n, const char **why)
{
	static const struct {
		const char *rule, *why;
	} rules[] = {
	    {"M29", "is empty"},
	    {"M30", "contains '/'"},
	    {"M31", "is all periods"},
	    {"M32", "begins with \"__\""},
	    {"M33", "is \"" ZINC_V3_DOCUMENT "\""},
	};
	const size_t ndocument = strlen(ZINC_V3_DOCUMENT);
	size_t dots = 0, broken;

	while (dots < n && name[dots] == '.')
		dots++;
	if (n == 0)
		broken = 0;
	else if (memchr(name, '/', n))
		broken = 1;
	else if (dots == n)
		broken = 2;
	else if (n >= 2 && name[0] == '_' && name[1] == '_')
		broken = 3;
	else if (ZINC_V3_JULY_2026 && n == ndocument && memcmp(name, ZINC_V3_DOCUMENT, n) == 0)
		broken = 4;
	else
		return NULL;
	*why = rules[broken].why;
	return rules[broken].rule;
}

zinc_status
zinc_v3_check_name(const char *name, size_t n, zinc_error *err)
{
	const char *why, *rule = zinc_v3_name_rule(name, n, &why);

	return rule ? zinc_fail(err, ZINC_E_INVALID, "a node's name %s (rule %s)", why, rule) : ZINC_OK;
}

zinc_status
zinc_v3_prefix(const zinc_hierarchy *h, const char *path, zinc_buf *out, zinc_error *err)
{
	ZINC_TRY(zinc_buf_puts(out, h->prefix, err));
	if (path[1] == '\0') /* the root adds nothing (M36) */
		return ZINC_OK;
	ZINC_TRY(zinc_buf_puts(out, path + 1, err));
	return zinc_buf_puts(out, "/", err);
}

zinc_status
zinc_v3_key(const zinc_hierarchy *h, const char *path, zinc_node_kind kind, zinc_buf *out, zinc_error *err)
{
	(void)kind; /* arrays and groups share one key: a path can be one of them only */
	ZINC_TRY(zinc_v3_prefix(h, path, out, err));
	return zinc_buf_puts(out, ZINC_V3_DOCUMENT, err);
}

/* An unknown key encoding leaves no way to find a chunk (M19). */
static zinc_status
v3_chunk_key(const zinc_hierarchy *h, const char *path, const zinc_meta *m, const uint64_t *index, zinc_buf *out,
	     zinc_error *err)
{
	if (!m->keys.ops)
		return zinc_fail(err, ZINC_E_UNSUPPORTED, "%s", m->unsupported);
	ZINC_TRY(zinc_v3_prefix(h, path, out, err));
	return m->keys.ops->encode(&m->keys, index, m->ndim, out, err);
}

/* One prefix holds all of a node: its document, its chunks and everything below it. */
static zinc_status
v3_prefixes(const zinc_hierarchy *h, const char *path,
	    zinc_status (*fn)(void *arg, const char *prefix, zinc_error *err), void *arg, zinc_error *err)
{
	zinc_status s;
	zinc_buf b;

	zinc_buf_init(&b, h->ctx, SIZE_MAX);
	s = zinc_v3_prefix(h, path, &b, err);
	if (s == ZINC_OK)
		s = zinc_buf_text(&b) ? fn(arg, zinc_buf_text(&b), err) : zinc_fail_nomem(err);
	zinc_buf_fini(&b);
	return s;
}

/* ---- reading ---- */

/* What the bytes under zarr.json are, without judging them. */
static zinc_status
look(zinc_context *ctx, const zinc_blob *text, zinc_node_kind *kind, zinc_error *err)
{
	const zinc_json *version;
	zinc_json_doc *doc;
	zinc_status s;

	s = zinc_json_parse(&doc, ctx, text->data, text->nbytes, ZINC_JSON_DUPLICATES, err);
	if (s == ZINC_E_CORRUPT || s == ZINC_E_LIMIT)
		return ZINC_OK; /* damaged, but there: the reader of the node will say how */
	ZINC_TRY(s);
	version = zinc_json_member(zinc_json_root(doc), "zarr_format");
	*kind = zinc_v3_kind(zinc_json_root(doc));
	if (zinc_json_is(version, ZINC_JSON_STRING) && strstr(version->text, "zarr/spec"))
		s = zinc_fail(err, ZINC_E_UNSUPPORTED,
			      "a hierarchy of a draft of 2019 to 2022 (zarr_format \"%.100s\"), which this build does "
			      "not read",
			      version->text);
	zinc_json_free(doc);
	return s;
}

/* A document that is too long is there all the same; whoever opens the node will hear of it. */
static zinc_status
v3_detect(zinc_store *store, const char *prefix, bool *found, zinc_node_kind *kind, zinc_error *err)
{
	zinc_context *ctx = zinc_store_context(store);
	zinc_blob text = ZINC_BLOB_INIT;
	zinc_error e = ZINC_ERROR_INIT;
	zinc_status s;
	zinc_buf key;

	*found = false;
	*kind = ZINC_NODE_NONE;
	zinc_buf_init(&key, ctx, SIZE_MAX);
	s = zinc_buf_puts(&key, prefix, &e);
	if (s == ZINC_OK)
		s = zinc_buf_puts(&key, ZINC_V3_DOCUMENT, &e);
	if (s == ZINC_OK)
		s = zinc_buf_text(&key)
			? zinc_store_get_all(store, zinc_buf_text(&key), &text, NULL, ctx->limits.json_bytes, &e)
			: zinc_fail_nomem(&e);
	*found = s == ZINC_OK || s == ZINC_E_LIMIT;
	if (s == ZINC_OK)
		s = look(ctx, &text, kind, err);
	else if (s == ZINC_E_NOTFOUND || s == ZINC_E_LIMIT)
		s = ZINC_OK;
	else
		zinc_error_copy(err, &e);
	zinc_blob_fini(&text);
	zinc_buf_fini(&key);
	return s;
}

/* The report names the key while the document is parsed, so that warnings say where they come from. */
static zinc_status
read_key(zinc_hierarchy *h, const char *key, zinc_report *r, zinc_meta **out, zinc_error *err)
{
	zinc_blob text = ZINC_BLOB_INIT;
	const char *where = r->where;
	zinc_tag tag = {.n = 0};
	zinc_status s;

	s = zinc_store_get_all(h->store, key, &text, &tag, h->ctx->limits.json_bytes, err);
	if (s == ZINC_E_NOTFOUND)
		return zinc_fail(err, s, "no node is there");
	ZINC_TRY(s);
	r->where = key;
	s = zinc_v3_parse(h->ctx, text.data, text.nbytes, r, out, err);
	r->where = where;
	zinc_blob_fini(&text);
	if (s == ZINC_OK)
		(*out)->tag = tag;
	return s;
}

static zinc_status
v3_read_node(zinc_hierarchy *h, const char *path, zinc_report *r, zinc_meta **out, zinc_error *err)
{
	zinc_status s;
	zinc_buf key;

	zinc_buf_init(&key, h->ctx, SIZE_MAX);
	s = zinc_v3_key(h, path, ZINC_NODE_NONE, &key, err);
	if (s == ZINC_OK && !zinc_buf_text(&key))
		s = zinc_fail_nomem(err);
	if (s == ZINC_OK) {
		s = read_key(h, zinc_buf_text(&key), r, out, err);
		if (s != ZINC_OK) {
			zinc_error_at_key(err, s, zinc_buf_text(&key));
			zinc_error_at_url(err, s, h->url);
		}
	}
	zinc_buf_fini(&key);
	return s;
}

/* Text files end with a newline, and people will open this one in an editor. */
static zinc_status
v3_print(const zinc_meta *m, zinc_buf *out, zinc_error *err)
{
	ZINC_TRY(zinc_json_print(zinc_json_root(m->doc), out, err));
	return zinc_buf_puts(out, "\n", err);
}

/* ---- the line from the root ---- */

/* The key of the document of the node whose path is the first n bytes of `path`. */
static char *
line_key(const zinc_hierarchy *h, const char *path, size_t n)
{
	char *key = NULL;
	zinc_buf b;

	zinc_buf_init(&b, h->ctx, SIZE_MAX);
	if (zinc_buf_puts(&b, h->prefix, NULL) == ZINC_OK && zinc_buf_add(&b, path + 1, n - 1, NULL) == ZINC_OK &&
	    zinc_buf_puts(&b, n > 1 ? "/" ZINC_V3_DOCUMENT : ZINC_V3_DOCUMENT, NULL) == ZINC_OK)
		key = zinc_strndup(h->ctx, (const char *)b.p, b.n);
	zinc_buf_fini(&b);
	return key;
}

/* The nodes on the way: "/", "/a" and "/a/b" for "/a/b".  The first `skip` of them are left out. */
static zinc_status
line_keys(zinc_v3_line *line, const zinc_hierarchy *h, const char *path, size_t skip, zinc_error *err)
{
	size_t npath = 1, i;

	for (i = 0; i < skip + line->n; i++) {
		if (i > 0)
			npath += (i > 1) + strcspn(path + npath + (i > 1), "/");
		if (i < skip)
			continue;
		line->npath[i - skip] = npath;
		line->keys[i - skip] = line_key(h, path, npath);
		if (!line->keys[i - skip])
			return zinc_fail_nomem(err);
	}
	return ZINC_OK;
}

/* One batched get whatever the depth, so that a deep node costs no more round trips than a shallow one. */
zinc_status
zinc_v3_line_get(zinc_v3_line *out, zinc_hierarchy *h, const char *path, unsigned parts, zinc_error *err)
{
	size_t above = 0, skip;
	const char *p;
	zinc_status s;

	*out = (zinc_v3_line){.ctx = h->ctx};
	for (p = path; path[1] && *p; p++) /* each '/' begins a name, and has an ancestor before it */
		above += *p == '/';
	skip = parts & ZINC_LINE_ABOVE ? 0 : above;
	out->n = above - skip + ((parts & ZINC_LINE_SELF) != 0);
	out->keys = zinc_calloc(h->ctx, out->n, sizeof *out->keys);
	out->npath = zinc_calloc(h->ctx, out->n, sizeof *out->npath);
	out->docs = zinc_calloc(h->ctx, out->n, sizeof *out->docs);
	s = out->keys && out->npath && out->docs ? line_keys(out, h, path, skip, err) : zinc_fail_nomem(err);
	if (s == ZINC_OK && out->n > 0)
		s = zinc_fetch(h->store, out->keys, out->n, out->docs, err);
	if (s != ZINC_OK)
		zinc_v3_line_fini(out);
	return s;
}

void
zinc_v3_line_fini(zinc_v3_line *line)
{
	size_t i;

	if (line->docs)
		zinc_fetched_fini(line->ctx, line->docs, line->n);
	for (i = 0; line->keys && i < line->n; i++)
		zinc_free(line->ctx, line->keys[i]);
	zinc_free(line->ctx, line->docs);
	zinc_free(line->ctx, line->npath);
	zinc_free(line->ctx, line->keys);
	*line = (zinc_v3_line){.ctx = line->ctx};
}

/* ---- the row ---- */

static zinc_status
v3_init(zinc_hierarchy *h, zinc_error *err)
{
	(void)h, (void)err; /* the first node makes its ancestors; there is no entry point */
	return ZINC_OK;
}

/* Nothing to translate; a copy, because the caller keeps his own. */
static zinc_status
v3_from_v3(zinc_hierarchy *h, zinc_json_doc *v3, zinc_json_doc **out, zinc_error *err)
{
	zinc_json *root;

	ZINC_TRY(zinc_json_new(out, h->ctx, err));
	root = zinc_json_copy(*out, zinc_json_root(v3));
	zinc_json_set_root(*out, root);
	if (root)
		return ZINC_OK;
	zinc_json_free(*out);
	return zinc_fail_nomem(err);
}

const zinc_format zinc_format_v3 = {
    .id = "v3",
    .purpose = "Zarr version 3, the final specification (core 3.1)",
    .detect = v3_detect,
    .init = v3_init,
    .check_name = zinc_v3_check_name,
    .metadata_key = zinc_v3_key,
    .chunk_key = v3_chunk_key,
    .data_prefix = zinc_v3_prefix,
    .read_node = v3_read_node,
    .parse = zinc_v3_parse,
    .print = v3_print,
    .prepare = zinc_v3_prepare,
    .settle = zinc_v3_settle,
    .write_node = zinc_v3_write_node,
    .edit_node = zinc_v3_edit_node,
    .from_v3 = v3_from_v3,
    .children = zinc_v3_children,
    .walk = zinc_v3_walk,
    .erase = zinc_v3_erase,
    .prefixes = v3_prefixes,
    .consolidate = zinc_v3_consolidate,
    .copies = zinc_v3_copies,
};
