/*
 * store_gs_list.c - listing a bucket, page by page
 *
 *     {"kind": "storage#objects", "items": [{"name": "a/b", "size": "3"}], "prefixes": ["a/"], "nextPageToken": "..."}
 *
 * Promises (tests/unit/test_store_gs_list.c names each by its number):
 *
 * (1) All keys below the prefix are listed, each once, in byte order.  A server that lists them in another order, or one
 *     that lists the same page again, is an error.
 * (2) An answer that is cut or is no listing is an error, never the end of the listing.
 * (3) Names that are no keys, as those of directories that web consoles make, are reported as such, or skipped.
 * (7) A page is at most 8 MiB of text with 256 Ki values of JSON: a hostile one cannot take all memory.
 */
#include "json/json.h"
#include "store/store_gs.h"

#define KIND       "storage#objects"
#define MAX_TEXT   (8 * ZINC_MIB)       /* of a page: 1000 names of 1024 bytes, each byte escaped */
#define MAX_VALUES ((size_t)256 * 1024) /* of JSON, in a page */

/* ---- parsing ---- */

static bool
is_text(const zinc_json *v)
{
	return v && v->type == ZINC_JSON_STRING;
}

static zinc_status
take_size(const zinc_json *v, uint64_t *out, zinc_error *err)
{
	size_t i;

	*out = 0;
	if (!v)
		return ZINC_OK;
	if ((v->type != ZINC_JSON_STRING && v->type != ZINC_JSON_NUMBER) || v->n == 0 || v->n > 19)
		return zinc_fail(err, ZINC_E_CORRUPT, "a listed size is no number");
	for (i = 0; i < v->n; i++) {
		if (v->text[i] < '0' || v->text[i] > '9')
			return zinc_fail(err, ZINC_E_CORRUPT, "a listed size is no number");
		*out = *out * 10 + (uint64_t)(v->text[i] - '0');
	}
	return ZINC_OK;
}

static zinc_status
add_entry(zinc_web_page *out, const zinc_json *name, const zinc_json *size, bool is_prefix, zinc_error *err)
{
	zinc_web_entry e = {.begun = -1, .is_prefix = is_prefix};

	if (!is_text(name))
		return zinc_fail(err, ZINC_E_CORRUPT, "a listed entry has no name");
	ZINC_TRY(take_size(size, &e.nbytes, err));
	ZINC_TRY(zinc_web_page_name(out, name->text, name->n, &e.name, err));
	return zinc_buf_add(&out->entries, &e, sizeof e, err);
}

static zinc_status
take_items(zinc_web_page *out, const zinc_json *items, bool are_prefixes, zinc_error *err)
{
	const zinc_json *v;

	if (!items)
		return ZINC_OK;
	if (items->type != ZINC_JSON_ARRAY)
		return zinc_fail(err, ZINC_E_CORRUPT, "the server's answer is no listing");
	for (v = items->first; v; v = v->next) {
		if (!are_prefixes && v->type != ZINC_JSON_OBJECT)
			return zinc_fail(err, ZINC_E_CORRUPT, "a listed entry has no name");
		ZINC_TRY(add_entry(out, are_prefixes ? v : zinc_json_member(v, "name"),
				   are_prefixes ? NULL : zinc_json_member(v, "size"), are_prefixes, err));
	}
	return ZINC_OK;
}

static zinc_status
take_page(zinc_web_page *out, const zinc_json *root, zinc_error *err)
{
	const zinc_json *kind = root && root->type == ZINC_JSON_OBJECT ? zinc_json_member(root, "kind") : NULL;
	const zinc_json *next;

	if (!is_text(kind) || strcmp(kind->text, KIND) != 0)
		return zinc_fail(err, ZINC_E_CORRUPT, "the server's answer is no listing");
	ZINC_TRY(take_items(out, zinc_json_member(root, "items"), false, err));
	ZINC_TRY(take_items(out, zinc_json_member(root, "prefixes"), true, err));
	next = zinc_json_member(root, "nextPageToken");
	if (!next || (is_text(next) && next->n == 0))
		return ZINC_OK;
	if (!is_text(next) || strlen(next->text) != next->n)
		return zinc_fail(err, ZINC_E_CORRUPT, "a token of the server is no text");
	out->truncated = true;
	ZINC_TRY(zinc_buf_add(&out->next, next->text, next->n, err));
	return zinc_buf_text(&out->next) ? ZINC_OK : zinc_fail_nomem(err);
}

/* At least as many as there are values, without any memory. */
static size_t
count_values(const char *text, size_t n)
{
	bool quoted = false;
	size_t i, count = 1;

	for (i = 0; i < n; i++) {
		if (text[i] == '"')
			quoted = !quoted;
		else if (quoted)
			i += text[i] == '\\';
		else
			count += text[i] == ',' || text[i] == '[' || text[i] == '{' || text[i] == ':';
	}
	return count;
}

/* One page has at most some thousand names; the limits of documents are others. */
zinc_status
zinc_gs_parse_page(zinc_web_page *out, zinc_context *ctx, const char *text, size_t n, zinc_error *err)
{
	zinc_error e = ZINC_ERROR_INIT;
	zinc_json_doc *doc = NULL;
	zinc_status st;

	out->names.n = out->entries.n = out->next.n = out->next_id.n = 0;
	out->truncated = false;
	if (n > MAX_TEXT || count_values(text, n) > MAX_VALUES)
		return zinc_fail(err, ZINC_E_LIMIT, "a page of the server's listing is too long");
	st = zinc_json_parse(&doc, ctx, text, n, ZINC_JSON_ANY_SIZE, &e);
	if (st == ZINC_E_NOMEM)
		return zinc_fail_nomem(err);
	if (st != ZINC_OK)
		return zinc_fail(err, ZINC_E_CORRUPT, "the server's listing is no complete JSON document");
	st = take_page(out, zinc_json_root(doc), err);
	zinc_json_free(doc);
	return st;
}

/* ---- listing ---- */

static zinc_status
add_query(zinc_buf *q, const zinc_web_listing *l, const zinc_buf *token, zinc_error *err)
{
	ZINC_TRY(zinc_buf_puts(q, "fields=kind,nextPageToken,prefixes,items(name,size)&maxResults=1000", err));
	if (!l->to->key)
		ZINC_TRY(zinc_buf_puts(q, "&delimiter=%2F", err));
	if (token) {
		ZINC_TRY(zinc_buf_puts(q, "&pageToken=", err));
		ZINC_TRY(zinc_form_escape(q, (const char *)token->p, err));
	}
	ZINC_TRY(zinc_buf_puts(q, "&prefix=", err));
	ZINC_TRY(zinc_form_escape(q, l->base, err));
	ZINC_TRY(zinc_form_escape(q, l->prefix, err));
	return zinc_buf_text(q) ? ZINC_OK : zinc_fail_nomem(err);
}

static zinc_status
get_page(zinc_web_listing *l, const zinc_buf *token, zinc_web_page *out, zinc_error *err)
{
	zinc_web_call c = {.method = "GET", .kind = GS_LIST, .reads = true, .most = MAX_TEXT};
	zinc_status st;
	zinc_buf q;

	zinc_buf_init(&q, l->web->ctx, ZINC_MAX_KEY);
	st = add_query(&q, l, token, err);
	c.query = (const char *)q.p;
	if (st == ZINC_OK)
		st = zinc_web_one(l->web, &c, l->wait, err);
	if (st == ZINC_OK)
		st = zinc_gs_parse_page(out, l->web->ctx, (const char *)c.text.p, c.text.n, err);
	zinc_web_call_fini(l->web, &c);
	zinc_buf_fini(&q);
	return st;
}

zinc_status
zinc_gs_walk(void *self, const char *prefix, const zinc_lister *to, const zinc_wait *wait, zinc_error *err)
{
	gs_store *s = (gs_store *)self;
	zinc_web_listing l = {.web = &s->web,
			      .base = s->prefix,
			      .prefix = prefix,
			      .to = to,
			      .wait = wait,
			      .get = get_page,
			      .disorder = ""};

	return zinc_web_walk(&l, err);
}
