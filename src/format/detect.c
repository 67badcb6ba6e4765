/*
 * detect.c - detect the version of Zarr at a prefix of a store
 *
 *   zarr.json     "zarr_format": 3                                        v3
 *                 "https://purl.org/zarr/spec/core/3.0"                   v3-2022
 *                 "https://purl.org/zarr/spec/protocol/core/3.0"          v3-2020
 *                 "http://purl.org/zarr/spec/protocol/core/3.0"           v3-2019
 *   .zarray, .zgroup                                                      v2
 *
 * Promises:
 *
 * (1) zarr.json is fetched once, although several formats have a document of that name.
 * (2) A document that is too long or is not JSON still counts as present.  Opening the node reports what is wrong.
 */
#include "format/format.h"

#define DOCUMENT "zarr.json"

/* ---- names of documents ---- */

bool
zinc_format_is_document(const char *name, size_t n)
{
	static const char *const names[] = {DOCUMENT, ".zarray", ".zgroup", ".zattrs", ".zmetadata"};
	size_t i;

	for (i = 0; i < sizeof names / sizeof *names; i++)
		if (strlen(names[i]) == n && memcmp(names[i], name, n) == 0)
			return true;
	return false;
}

zinc_status
zinc_path_check_new(const char *path, zinc_error *err)
{
	size_t n;

	for (path += *path == '/'; *path; path += n + (path[n] == '/')) {
		n = strcspn(path, "/");
		if (zinc_format_is_document(path, n))
			return zinc_fail(err, ZINC_E_INVALID, "a node's name is that of a document: \"%.*s\"", (int)n,
					 path);
	}
	return ZINC_OK;
}

/* ---- what is there ---- */

bool
zinc_format_is_draft(const zinc_json *root)
{
	const zinc_json *version = zinc_json_member(root, "zarr_format");

	return zinc_json_is(version, ZINC_JSON_STRING) && strstr(version->text, "zarr/spec") != NULL;
}

void
zinc_opened_fini(zinc_context *ctx, zinc_opened *node)
{
	zinc_free(ctx, node->text);
	zinc_json_free(node->doc);
	*node = (zinc_opened){.text = NULL};
}

/* Fetch zarr.json, if it is there. */
static zinc_status
get_document(zinc_store *store, const char *prefix, bool *found, zinc_blob *text, zinc_tag *tag, const zinc_wait *wait,
	     zinc_error *err)
{
	zinc_context *ctx = zinc_store_context(store);
	zinc_error e = ZINC_ERROR_INIT;
	zinc_status st;
	zinc_buf key;

	zinc_buf_init(&key, ctx, ZINC_MAX_KEY);
	st = zinc_buf_puts(&key, prefix, &e);
	if (st == ZINC_OK)
		st = zinc_buf_puts(&key, DOCUMENT, &e);
	if (st == ZINC_OK)
		st = zinc_buf_text(&key)
			 ? zinc_store_get_all(store, zinc_buf_text(&key), text, tag, ctx->limits.json_bytes, wait, &e)
			 : zinc_fail_nomem(&e);
	zinc_buf_fini(&key);
	*found = st == ZINC_OK || st == ZINC_E_LIMIT;
	if (st == ZINC_OK || st == ZINC_E_NOTFOUND || st == ZINC_E_LIMIT)
		return ZINC_OK;
	return zinc_error_copy(err, &e);
}

/* Which format does the document belong to?  NULL root: it is damaged. */
static const zinc_format *
claimant(const zinc_json *root, const zinc_format *only, zinc_node_kind *kind)
{
	const zinc_format *f;
	size_t i;

	for (i = 0; (f = zinc_format_row(i)); i++)
		if ((!only || f == only) && f->claims && f->claims(f, root, kind))
			return f;
	*kind = ZINC_NODE_NONE;
	return NULL;
}

/* The document for the call that opens the node; `doc` is taken. */
static zinc_status
keep(zinc_context *ctx, const zinc_blob *text, const zinc_tag *tag, zinc_json_doc *doc, zinc_opened *node,
     zinc_error *err)
{
	*node = (zinc_opened){.text = zinc_strndup(ctx, text->data, text->nbytes), .n = text->nbytes, .tag = *tag};
	if (node->text) {
		node->doc = doc;
		return ZINC_OK;
	}
	zinc_json_free(doc);
	return zinc_fail_nomem(err);
}

static zinc_status
detect_document(zinc_context *ctx, const zinc_blob *text, const zinc_tag *tag, const zinc_format *only,
		const zinc_format **format, zinc_node_kind *kind, zinc_opened *node, zinc_error *err)
{
	zinc_json_doc *doc = NULL;
	const zinc_json *root;
	zinc_status st = ZINC_E_LIMIT;

	if (text->data)
		st = zinc_json_parse(&doc, ctx, text->data, text->nbytes, ZINC_JSON_DUPLICATES | ZINC_JSON_NAN_TOKENS,
				     NULL);
	if (st == ZINC_E_NOMEM)
		return zinc_fail_nomem(err);
	root = st == ZINC_OK ? zinc_json_root(doc) : NULL;
	*format = claimant(root, only, kind);
	st = ZINC_OK;
	if (!*format && !only)
		st = zinc_fail(err, ZINC_E_UNSUPPORTED, "a hierarchy of a draft (zarr_format \"%.100s\"), %s",
			       zinc_json_member(root, "zarr_format")->text,
			       zinc_format_has_drafts ? "which this build does not read"
						      : "unsupported (built without drafts)");
	if (node && st == ZINC_OK && root)
		return keep(ctx, text, tag, doc, node, err);
	zinc_json_free(doc);
	return st;
}

/* Formats whose documents have other names. */
static zinc_status
ask_others(zinc_store *store, const char *prefix, const zinc_format *only, const zinc_format **format,
	   zinc_node_kind *kind, const zinc_wait *wait, zinc_error *err)
{
	const zinc_format *f;
	bool found = false;
	size_t i;

	for (i = 0; (f = zinc_format_row(i)) && !found; i++) {
		if ((only && f != only) || !f->detect)
			continue;
		ZINC_TRY(f->detect(store, prefix, &found, kind, wait, err));
		*format = found ? f : NULL;
	}
	return ZINC_OK;
}

zinc_status
zinc_format_detect(zinc_store *store, const char *prefix, const zinc_format *only, const zinc_format **format,
		   zinc_node_kind *kind, zinc_opened *node, const zinc_wait *wait, zinc_error *err)
{
	zinc_blob text = ZINC_BLOB_INIT;
	bool found = false;
	zinc_status st;
	zinc_tag tag;

	*format = NULL;
	*kind = ZINC_NODE_NONE;
	if (node)
		*node = (zinc_opened){.text = NULL};
	if (!only || only->claims)
		ZINC_TRY(get_document(store, prefix, &found, &text, &tag, wait, err));
	st = found ? detect_document(zinc_store_context(store), &text, &tag, only, format, kind, node, err)
		   : ask_others(store, prefix, only, format, kind, wait, err);
	zinc_blob_fini(&text);
	return st;
}

/* This check is optional: its failures are ignored, and remote stores are not asked. */
void
zinc_hierarchy_warn_other_versions(zinc_hierarchy *h)
{
	const zinc_format *other = h->format == &zinc_format_v2 ? NULL : &zinc_format_v2;
	zinc_blob text = ZINC_BLOB_INIT;
	zinc_node_kind kind;
	bool found = false;
	zinc_caps caps = ZINC_CAPS_INIT;

	zinc_store_caps(h->store, &caps);
	if (caps.flags & ZINC_CAP_REMOTE)
		return;
	if (other)
		(void)!other->detect(h->store, h->prefix, &found, &kind, h->wait, NULL);
	else
		(void)!get_document(h->store, h->prefix, &found, &text, NULL, h->wait, NULL);
	zinc_blob_fini(&text);
	if (found)
		zinc_warn(h->ctx, h->url, "%s",
			  other ? "documents of Zarr version 2 are beside " DOCUMENT ", and not read"
				: DOCUMENT " is beside the documents of Zarr version 2, and not read");
}

/* A failure is already a finding.  The hierarchy goes on with the entry point it was opened with. */
zinc_status
zinc_hierarchy_check_entry(zinc_hierarchy *h, zinc_report *r, zinc_error *err)
{
	const zinc_format *format;
	zinc_opened node;
	zinc_node_kind kind;
	zinc_status st;

	if (!h->format->enter)
		return ZINC_OK;
	ZINC_TRY(zinc_format_detect(h->store, h->prefix, h->format, &format, &kind, &node, h->wait, err));
	st = node.doc ? h->format->enter(h, node.doc, r, NULL) : ZINC_OK;
	node.doc = NULL;
	zinc_opened_fini(h->ctx, &node);
	return st == ZINC_E_NOMEM ? zinc_fail_nomem(err) : ZINC_OK;
}
