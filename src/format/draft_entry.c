/*
 * draft_entry.c - zarr.json of a draft: the entry point of a hierarchy
 *
 *   2020   {"zarr_format": URI, "metadata_encoding": URI, "metadata_key_suffix": ".json", "extensions": []}
 *   2022   {"zarr_format": URI, "metadata_encoding": {"type": "json", "metadata_key_suffix": ".json"}, "extensions":
 * []}
 *
 * Promises:
 *
 * (1) Creating a hierarchy is one put.  If several programs create it at the same time, all succeed when their entry
 *     points agree.
 * (2) A hierarchy with an unknown extension that must be understood is not opened.
 * (3) An entry point is never rewritten: it keeps the URI of its version and the members that Zinc does not know.
 */
#include "format/draft.h"

#define DOCUMENT "zarr.json"

/* ---- extensions ---- */

/* {"extension": URI, "must_understand": bool, "configuration": anything} */
static zinc_status
check_extension(const char *const *rules, const zinc_json *v, zinc_report *r, zinc_error *err)
{
	const zinc_json *uri = zinc_json_member(v, "extension");
	bool must;

	if (!zinc_json_is(v, ZINC_JSON_OBJECT))
		return zinc_report_error(r, rules[ZINC_DRAFT_EXTENSIONS], err, "an extension must be an object");
	if (!zinc_draft_is_uri(uri))
		return zinc_report_error(r, rules[ZINC_DRAFT_EXTENSION_URI], err,
					 "an extension must have a URI as \"extension\"");
	if (!zinc_json_bool(zinc_json_member(v, "must_understand"), &must))
		return zinc_report_error(r, rules[ZINC_DRAFT_EXTENSION_FLAG], err,
					 "extension \"%.200s\" does not say whether it must be understood", uri->text);
	return ZINC_OK;
}

zinc_status
zinc_draft_extensions(zinc_context *ctx, const zinc_draft *d, const zinc_json *list, zinc_report *r,
		      zinc_status (*fn)(void *arg, const char *uri, const zinc_json *item, zinc_error *err), void *arg,
		      zinc_error *err)
{
	/* the rules for nodes follow those for the entry point, in the same order */
	const char *const *rules = d->rules + (fn ? ZINC_DRAFT_OWN_EXTENSIONS - ZINC_DRAFT_EXTENSIONS : 0);
	const zinc_json *v;
	size_t i = 0;

	if (!zinc_json_is(list, ZINC_JSON_ARRAY))
		return zinc_report_error(r, rules[ZINC_DRAFT_EXTENSIONS], err, "extensions must be a list");
	for (v = list->first; v; v = v->next) {
		const size_t mark = zinc_report_enter_item(r, i++);
		zinc_status st = check_extension(rules, v, r, err);

		if (st == ZINC_OK && fn)
			st = fn(arg, zinc_json_member(v, "extension")->text, v, err);
		else if (st == ZINC_OK)
			st = zinc_extension_judge(ctx, ZINC_EXTENDS_HIERARCHY, zinc_json_member(v, "extension")->text,
						  v, rules[ZINC_DRAFT_UNDERSTAND], r, err);
		zinc_report_leave(r, mark);
		ZINC_TRY(st);
	}
	return ZINC_OK;
}

/* ---- reading ---- */

static bool
is_of(const zinc_draft *d, const zinc_json *root)
{
	const zinc_json *uri = zinc_json_member(root, "zarr_format");

	return zinc_json_is(uri, ZINC_JSON_STRING) && strncmp(uri->text, d->core, strlen(d->core)) == 0;
}

bool
zinc_draft_claims(const zinc_format *f, const zinc_json *root, zinc_node_kind *kind)
{
	*kind = ZINC_NODE_NONE;
	return is_of(f->draft, root);
}

static zinc_status
parse_version(const zinc_draft *d, const zinc_json *root, zinc_report *r, zinc_error *err)
{
	const char *uri = zinc_json_member(root, "zarr_format")->text; /* checked when the draft was detected */

	return zinc_draft_check_version(uri, uri + strlen(d->core), "3.0", r, d->rules[ZINC_DRAFT_VERSION], err);
}

zinc_status
zinc_draft_parse_suffix(const zinc_json *v, const char **suffix, zinc_report *r, const zinc_draft *d, zinc_error *err)
{
	const char *rule = d->rules[ZINC_DRAFT_SUFFIX];

	if (!v)
		return zinc_report_lenient(r, rule, err, "metadata_key_suffix is missing");
	if (!zinc_json_is(v, ZINC_JSON_STRING) || strlen(v->text) != v->n)
		return zinc_report_error(r, rule, err, "metadata_key_suffix must be a string");
	*suffix = v->text;
	return ZINC_OK;
}

/* The suffix must be valid in a key. */
static zinc_status
check_suffix(const zinc_draft *d, const char *suffix, zinc_report *r, zinc_error *err)
{
	if (strspn(suffix, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.") != strlen(suffix))
		return zinc_report_error(r, d->rules[ZINC_DRAFT_SUFFIX], err,
					 "metadata_key_suffix \"%.60s\" cannot be part of a key", suffix);
	return ZINC_OK;
}

/* A later minor version may have members that can be ignored.  A misspelled member is reported. */
static void
warn_unknown(const zinc_draft *d, const zinc_json *root, zinc_report *r)
{
	const char *const *known;
	const zinc_json *v;

	for (v = root->first; v; v = v->next) {
		for (known = d->entry_members; *known && strcmp(*known, v->key) != 0; known++)
			;
		if (!*known)
			zinc_report_warn(r, d->rules[ZINC_DRAFT_VERSION], "member \"%.60s\" is not defined", v->key);
	}
}

static zinc_status
parse_entry(zinc_draft_entry *e, zinc_context *ctx, const zinc_draft *d, const zinc_json *root, zinc_report *r,
	    zinc_error *err)
{
	const zinc_json *extensions = zinc_json_member(root, "extensions");
	const char *suffix = ".json";
	zinc_status st;
	size_t mark;

	ZINC_TRY(parse_version(d, root, r, err));
	warn_unknown(d, root, r);
	ZINC_TRY(d->parse_encoding(e, root, &suffix, r, d, err));
	ZINC_TRY(check_suffix(d, suffix, r, err));
	if (!extensions)
		ZINC_TRY(zinc_report_lenient(r, d->rules[ZINC_DRAFT_ENTRY], err, "extensions is missing"));
	mark = zinc_report_enter(r, "extensions");
	st = extensions ? zinc_draft_extensions(ctx, d, extensions, r, NULL, NULL, err) : ZINC_OK;
	zinc_report_leave(r, mark);
	ZINC_TRY(st);
	e->suffix = zinc_strdup(ctx, suffix);
	return e->suffix ? ZINC_OK : zinc_fail_nomem(err);
}

/* `doc` is taken, also on failure. */
static zinc_status
parse_doc(zinc_draft_entry *e, zinc_context *ctx, const zinc_draft *d, zinc_json_doc *doc, zinc_report *r,
	  zinc_error *err)
{
	const char *twice = zinc_json_duplicate(doc);
	zinc_status st = ZINC_OK;

	if (zinc_json_has_nan(zinc_json_root(doc)))
		st = zinc_report_error(r, d->rules[ZINC_DRAFT_JSON], err, "NaN or Infinity, which JSON does not have");
	else if (!is_of(d, zinc_json_root(doc)))
		st = zinc_report_error(r, d->rules[ZINC_DRAFT_URI], err, "zarr.json does not belong to %s", d->name);
	else if (twice)
		st = zinc_report_lenient(r, d->rules[ZINC_DRAFT_ENTRY], err, "member \"%.60s\" appears twice", twice);
	if (st == ZINC_OK)
		st = parse_entry(e, ctx, d, zinc_json_root(doc), r, err);
	if (st == ZINC_OK)
		e->doc = doc;
	else
		zinc_json_free(doc);
	return st;
}

const zinc_json *
zinc_draft_declared(const zinc_hierarchy *h)
{
	return h->entry ? zinc_json_member(zinc_json_root(h->entry->doc), "extensions") : NULL;
}

/* The report names the whole key of zarr.json, as it does for documents of nodes. */
static zinc_status
read_entry(zinc_hierarchy *h, zinc_draft_entry *e, zinc_json_doc *doc, zinc_report *r, zinc_error *err)
{
	const zinc_draft *d = h->format->draft;
	const char *where = r->where;
	const bool stored = doc != NULL;
	zinc_status st;
	zinc_buf key;

	if (!stored)
		ZINC_TRY(zinc_json_parse(&doc, h->ctx, d->entry, strlen(d->entry), 0, err));
	zinc_buf_init(&key, h->ctx, ZINC_MAX_KEY);
	st = zinc_buf_printf(&key, err, "%s" DOCUMENT, h->prefix);
	if (st == ZINC_OK && !zinc_buf_text(&key))
		st = zinc_fail_nomem(err);
	if (st == ZINC_OK) {
		r->where = zinc_buf_text(&key);
		st = parse_doc(e, h->ctx, d, doc, r, err);
	} else {
		zinc_json_free(doc);
	}
	if (st == ZINC_OK && stored && d->look)
		st = d->look(h, e, r, err);
	r->where = where;
	zinc_buf_fini(&key);
	return st;
}

zinc_status
zinc_draft_enter(zinc_hierarchy *h, zinc_json_doc *entry, zinc_report *r, zinc_error *err)
{
	const zinc_draft *d = h->format->draft;
	zinc_draft_entry *e = zinc_calloc(h->ctx, 1, sizeof *e);
	zinc_status st;

	if (!e) {
		zinc_json_free(entry);
		return zinc_fail_nomem(err);
	}
	e->meta = d->meta;
	e->data = d->data;
	e->root_dot = d->root_dot;
	atomic_init(&e->stored, entry);
	st = read_entry(h, e, entry, r, err);
	if (st == ZINC_OK) {
		zinc_hierarchy_leave(h);
		h->entry = e;
		if (h->of)
			h->of->entry = e; /* the old one was freed with the handle's entry */
		return ZINC_OK;
	}
	zinc_free(h->ctx, e->suffix);
	zinc_json_free(e->doc);
	zinc_free(h->ctx, e);
	zinc_error_at_key(err, st, DOCUMENT);
	return zinc_error_at_url(err, st, h->url);
}

void
zinc_hierarchy_leave(zinc_hierarchy *h)
{
	if (h->entry) {
		zinc_free(h->ctx, h->entry->suffix);
		zinc_json_free(h->entry->doc);
	}
	zinc_free(h->ctx, h->entry);
	h->entry = NULL;
}

/* ---- writing ---- */

/* Another program created the hierarchy first.  Its entry point must be understood, and must lead to the same keys. */
static zinc_status
join(zinc_hierarchy *h, const char *key, zinc_error *err)
{
	const zinc_draft *d = h->format->draft;
	zinc_draft_entry theirs = {.meta = d->meta, .data = d->data, .root_dot = d->root_dot};
	zinc_blob text = ZINC_BLOB_INIT;
	zinc_json_doc *doc;
	zinc_report r;
	zinc_status st;

	ZINC_TRY(zinc_store_get_all(h->store, key, &text, NULL, h->ctx->limits.json_bytes, h->wait, err));
	zinc_report_init_quiet(&r, h->ctx, h->strict);
	st = zinc_json_parse(&doc, h->ctx, text.data, text.nbytes, ZINC_JSON_DUPLICATES, err);
	if (st == ZINC_OK)
		st = parse_doc(&theirs, h->ctx, d, doc, &r, err);
	if (st == ZINC_OK && (strcmp(theirs.suffix, h->entry->suffix) != 0 ||
			      strcmp(theirs.meta, h->entry->meta) != 0 || theirs.encoding != h->entry->encoding))
		st = zinc_fail(err, ZINC_E_CONFLICT,
			       "another program has just created a hierarchy here, with other keys");
	zinc_free(h->ctx, theirs.suffix);
	zinc_json_free(theirs.doc);
	zinc_blob_fini(&text);
	return st;
}

zinc_status
zinc_hierarchy_init(zinc_hierarchy *h, zinc_error *err)
{
	static const zinc_condition absent = {ZINC_ABSENT, NULL};
	const char *text;
	zinc_error e = ZINC_ERROR_INIT;
	zinc_status st;
	zinc_buf key;

	if (!h->entry || atomic_load(&h->entry->stored))
		return ZINC_OK;
	text = h->format->draft->entry;
	ZINC_TRY(zinc_hierarchy_writable(h, err));
	zinc_buf_init(&key, h->ctx, ZINC_MAX_KEY);
	st = zinc_buf_printf(&key, err, "%s%s", h->prefix, DOCUMENT);
	if (st == ZINC_OK && !zinc_buf_text(&key))
		st = zinc_fail_nomem(err);
	if (st == ZINC_OK) {
		st = zinc_store_put(h->store, NULL, zinc_buf_text(&key), text, strlen(text), &absent, h->put_flags,
				    NULL, h->wait, &e);
		st = st == ZINC_E_EXISTS ? join(h, zinc_buf_text(&key), err) : zinc_error_copy(err, &e);
		if (st != ZINC_OK)
			zinc_error_at_key(err, st, zinc_buf_text(&key));
	}
	zinc_buf_fini(&key);
	if (st == ZINC_OK)
		atomic_store(&h->entry->stored, true);
	return st == ZINC_OK ? st : zinc_error_at_url(err, st, h->url);
}
