/*
 * detect.c - detect the version of Zarr at a prefix of a store
 *
 *   zarr.json     "zarr_format": 3                                        v3
 *                 "https://purl.org/zarr/spec/core/3.0"                   v3-2022
 *                 "https://purl.org/zarr/spec/protocol/core/3.0"          v3-2020
 *                 "http://purl.org/zarr/spec/protocol/core/3.0"           v3-2019
 *   .zarray, .zgroup                                                      v2
 *   attributes.json with "n5", or of a dataset                            n5
 *
 * Promises:
 *
 * (1) zarr.json is fetched once, although several formats have a document of that name.
 * (2) A document that is too long or is not JSON still counts as present.  Opening the node reports what is wrong.
 */
#include "format/known.h"

#define DOCUMENT "zarr.json"

/* ---- names of documents ---- */

bool
zinc_format_is_document(const char *name, size_t n)
{
	static const char *const names[] = {DOCUMENT, ".zarray", ".zgroup", ".zattrs", ".zmetadata", "attributes.json"};
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

/* Fetch zarr.json, if it is there and not known to be missing. */
static zinc_status
get_document(zinc_store *store, const char *key, zinc_known *known, bool *found, zinc_blob *text, zinc_tag *tag,
	     const zinc_wait *wait, zinc_error *err)
{
	const zinc_fetched none = {.found = ZINC_MISSING};
	zinc_error e = ZINC_ERROR_INIT;
	zinc_status st = ZINC_E_NOTFOUND;

	if (!zinc_known_missing(known, key))
		st = zinc_store_get_all(store, key, text, tag, zinc_store_context(store)->limits.json_bytes, wait, &e);
	*found = st == ZINC_OK || st == ZINC_E_LIMIT;
	if (st == ZINC_E_NOTFOUND)
		zinc_known_add(known, key, &none, NULL);
	if (st == ZINC_OK || st == ZINC_E_NOTFOUND || st == ZINC_E_LIMIT)
		return ZINC_OK;
	return zinc_error_copy(err, &e);
}

static zinc_status
document_key(zinc_buf *key, const char *prefix, zinc_error *err)
{
	ZINC_TRY(zinc_buf_printf(key, err, "%s" DOCUMENT, prefix));
	return zinc_buf_text(key) ? ZINC_OK : zinc_fail_nomem(err);
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

/* For the calls that follow: the parsed document goes to the caller if it is an entry point; `parsed` is taken. */
static void
keep(zinc_known *known, const char *key, zinc_blob *text, const zinc_tag *tag, zinc_json_doc *parsed,
     zinc_json_doc **entry)
{
	const zinc_fetched doc = {.found = ZINC_FOUND, .text = text->data, .n = text->nbytes, .tag = *tag};

	if (entry) {
		*entry = parsed;
		parsed = NULL;
	}
	zinc_known_add(known, key, &doc, parsed);
}

static zinc_status
detect_document(zinc_store *store, const char *key, zinc_blob *text, const zinc_tag *tag, const zinc_format *only,
		const zinc_format **format, zinc_node_kind *kind, zinc_json_doc **entry, zinc_known *known,
		zinc_error *err)
{
	zinc_json_doc *doc = NULL;
	const zinc_json *root;
	zinc_status st = ZINC_E_LIMIT;

	if (text->data)
		st = zinc_json_parse(&doc, zinc_store_context(store), text->data, text->nbytes,
				     ZINC_JSON_DUPLICATES | ZINC_JSON_NAN_TOKENS, NULL);
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
	if (st == ZINC_OK && root)
		keep(known, key, text, tag, doc, entry && *format && (*format)->enter ? entry : NULL);
	else
		zinc_json_free(doc);
	return st;
}

/* Formats whose documents have other names. */
static zinc_status
ask_others(zinc_store *store, const char *prefix, const zinc_format *only, const zinc_format **format,
	   zinc_node_kind *kind, zinc_known *known, const zinc_wait *wait, zinc_error *err)
{
	const zinc_format *f;
	bool found = false;
	size_t i;

	for (i = 0; (f = zinc_format_row(i)) && !found; i++) {
		if ((only && f != only) || !f->detect)
			continue;
		ZINC_TRY(f->detect(store, prefix, &found, kind, known, wait, err));
		*format = found ? f : NULL;
	}
	return ZINC_OK;
}

zinc_status
zinc_format_detect(zinc_store *store, const char *prefix, const zinc_format *only, const zinc_format **format,
		   zinc_node_kind *kind, zinc_json_doc **entry, zinc_known *known, const zinc_wait *wait,
		   zinc_error *err)
{
	zinc_blob text = ZINC_BLOB_INIT;
	bool found = false;
	zinc_status st;
	zinc_tag tag;
	zinc_buf key;

	*format = NULL;
	*kind = ZINC_NODE_NONE;
	if (entry)
		*entry = NULL;
	zinc_buf_init(&key, zinc_store_context(store), ZINC_MAX_KEY);
	st = document_key(&key, prefix, err);
	if (st == ZINC_OK && (!only || only->claims))
		st = get_document(store, zinc_buf_text(&key), known, &found, &text, &tag, wait, err);
	if (st == ZINC_OK)
		st = found ? detect_document(store, zinc_buf_text(&key), &text, &tag, only, format, kind, entry, known,
					     err)
			   : ask_others(store, prefix, only, format, kind, known, wait, err);
	zinc_buf_fini(&key);
	zinc_blob_fini(&text);
	return st;
}

/* Is zarr.json there?  Unless it is known to be missing, it is read. */
static bool
has_document(const zinc_hierarchy *h, zinc_known *known)
{
	zinc_blob text = ZINC_BLOB_INIT;
	bool found = false;
	zinc_buf key;

	zinc_buf_init(&key, h->ctx, ZINC_MAX_KEY);
	if (document_key(&key, h->prefix, NULL) == ZINC_OK)
		(void)!get_document(h->store, zinc_buf_text(&key), known, &found, &text, NULL, h->wait, NULL);
	zinc_buf_fini(&key);
	zinc_blob_fini(&text);
	return found;
}

/* This check is optional: its failures are ignored, and remote stores are not asked. */
void
zinc_hierarchy_warn_other_versions(zinc_hierarchy *h, zinc_known *known)
{
	const zinc_format *other = h->format == &zinc_format_v2 ? NULL : &zinc_format_v2;
	zinc_node_kind kind;
	bool found = false;
	zinc_caps caps = ZINC_CAPS_INIT;

	zinc_store_caps(h->store, &caps);
	if ((caps.flags & ZINC_CAP_REMOTE) || h->format == &zinc_format_n5)
		return;
	if (other)
		(void)!other->detect(h->store, h->prefix, &found, &kind, known, h->wait, NULL);
	else
		found = has_document(h, known);
	if (found)
		zinc_warn(h->ctx, h->url, "%s",
			  other ? "documents of Zarr version 2 are beside " DOCUMENT ", and not read"
				: DOCUMENT " is beside the documents of Zarr version 2, and not read");
}

static zinc_status
get_entry(zinc_hierarchy *h, char *key, zinc_blob *text, zinc_error *err)
{
	zinc_fetched doc;
	zinc_status st;

	ZINC_TRY(zinc_known_fetch(h->known, h->store, &key, 1, &doc, h->wait, err));
	st = zinc_fetched_status(&doc, key, err);
	if (st == ZINC_OK && doc.found == ZINC_MISSING)
		st = zinc_error_at_key(err, zinc_fail(err, ZINC_E_NOTFOUND, "no such key"), key);
	if (st == ZINC_OK) {
		*text = (zinc_blob){.data = doc.text, .nbytes = doc.n, .context = h->ctx};
		doc.text = NULL;
	}
	zinc_fetched_fini(h->ctx, &doc, 1);
	return st;
}

zinc_status
zinc_entry_get(zinc_hierarchy *h, zinc_blob *text, zinc_error *err)
{
	zinc_status st;
	zinc_buf key;

	zinc_buf_init(&key, h->ctx, ZINC_MAX_KEY);
	st = document_key(&key, h->prefix, err);
	if (st == ZINC_OK)
		st = get_entry(h, (char *)key.p, text, err);
	zinc_buf_fini(&key);
	return st;
}

/* A failure is already a finding.  The hierarchy goes on with the entry point it was opened with. */
zinc_status
zinc_hierarchy_check_entry(zinc_hierarchy *h, zinc_report *r, zinc_error *err)
{
	const zinc_format *format;
	zinc_json_doc *entry;
	zinc_node_kind kind;
	zinc_status st;

	if (!h->format->enter)
		return ZINC_OK;
	ZINC_TRY(zinc_format_detect(h->store, h->prefix, h->format, &format, &kind, &entry, NULL, h->wait, err));
	st = entry ? h->format->enter(h, entry, r, NULL) : ZINC_OK;
	return st == ZINC_E_NOMEM ? zinc_fail_nomem(err) : ZINC_OK;
}
