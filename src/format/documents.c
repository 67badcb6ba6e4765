/*
 * documents.c - join the documents of one node to one in memory, and split it again, in every version of Zarr
 *
 * Promises:
 *
 * (1) An error in attributes that have a separate document is reported under the key of that document.
 * (2) A member of the node's document that would be mistaken for such attributes is dropped, with a finding.  Edits
 *     refuse such a document.
 * (3) NaN tokens are not JSON, but Python writes them.  They are accepted where the format's row says so.
 */
#include "format/documents.h"

#include "format/draft.h"

const char *
zinc_rule(const zinc_format *f, const char *rule)
{
	return f->rule ? f->rule(f, rule) : rule;
}

bool
zinc_documents_missing(const zinc_format *f, const zinc_fetched *docs)
{
	size_t i;

	for (i = 0; i < zinc_documents(f, ZINC_PART_NODE); i++)
		if (docs[i].found != ZINC_MISSING)
			return false;
	return true;
}

size_t
zinc_documents_maker(const zinc_format *f, const zinc_fetched *docs)
{
	const size_t n = zinc_documents(f, ZINC_PART_NODE);
	size_t i = 0;

	while (i + 1 < n && docs[i].found != ZINC_FOUND)
		i++;
	return i;
}

size_t
zinc_documents_attributes(const zinc_format *f)
{
	const size_t n = zinc_documents(f, ZINC_PART_ATTRIBUTES);

	return n > zinc_documents(f, ZINC_PART_NODE) ? n - 1 : 0;
}

zinc_status
zinc_documents_status(const zinc_format *f, const zinc_fetched *docs, char *const *keys, zinc_error *err)
{
	const size_t n = zinc_documents(f, ZINC_PART_ATTRIBUTES), maker = zinc_documents_maker(f, docs);
	size_t i;

	for (i = 0; i < n; i++)
		if (i <= maker || f->documents[i].part != ZINC_PART_NODE)
			ZINC_TRY(zinc_fetched_status(&docs[i], keys[i], err));
	return ZINC_OK;
}

/* ---- texts ---- */

/* Are there NaN tokens outside the attributes, in this document or in a copy in it? */
static bool
has_nan_elsewhere(const zinc_json *root)
{
	const zinc_json *v, *metadata, *copy;

	for (v = zinc_json_is(root, ZINC_JSON_OBJECT) ? root->first : NULL; v; v = v->next) {
		metadata = strcmp(v->key, "consolidated_metadata") == 0 ? zinc_json_member(v, "metadata") : NULL;
		if (strcmp(v->key, ZINC_ATTRIBUTES) == 0)
			continue;
		if (!zinc_json_is(metadata, ZINC_JSON_OBJECT)) {
			if (zinc_json_has_nan(v))
				return true;
			continue;
		}
		for (copy = metadata->first; copy; copy = copy->next)
			if (has_nan_elsewhere(copy))
				return true;
	}
	return !zinc_json_is(root, ZINC_JSON_OBJECT) && zinc_json_has_nan(root);
}

/* Promise (3).  `why` is the error of a parser that does not accept the tokens. */
static zinc_status
parse_tokens(zinc_json_doc **out, const zinc_format *f, zinc_context *ctx, zinc_bytes text, const char *rule,
	     const char *why, zinc_report *r, zinc_error *err)
{
	zinc_status st =
	    zinc_json_parse(out, ctx, (const char *)text.p, text.n, ZINC_JSON_DUPLICATES | ZINC_JSON_NAN_TOKENS, NULL);

	if (st != ZINC_OK)
		return st == ZINC_E_NOMEM ? zinc_fail_nomem(err) : zinc_report_error(r, rule, err, "%s", why);
	if (f->nan_in_attributes && has_nan_elsewhere(zinc_json_root(*out)))
		st = zinc_report_error(r, rule, err, "%s", why);
	else if (r->code != ZINC_E_INVALID) /* for a new document they were accepted before */
		st = zinc_report_lenient(r, rule, err, "NaN or Infinity, which JSON does not have%s",
					 f->nan_in_attributes ? ", among the attributes" : "");
	if (st != ZINC_OK) {
		zinc_json_free(*out);
		*out = NULL;
	}
	return st;
}

/* Duplicate members pass here and are checked with the rest, so that strict and lenient reading differ in one place
 * only. */
static zinc_status
parse_text(zinc_json_doc **out, const zinc_format *f, zinc_context *ctx, zinc_bytes text, const char *rule,
	   zinc_report *r, zinc_error *err)
{
	zinc_error e;
	zinc_status st = zinc_json_parse(out, ctx, (const char *)text.p, text.n, ZINC_JSON_DUPLICATES, &e);

	if (st == ZINC_E_CORRUPT)
		return parse_tokens(out, f, ctx, text, rule, e.text, r, err);
	return st == ZINC_OK ? st : zinc_error_copy(err, &e);
}

zinc_status
zinc_text_parse(const zinc_format *f, zinc_context *ctx, const char *text, size_t n, zinc_report *r, zinc_meta **out,
		zinc_error *err)
{
	zinc_json_doc *doc;

	ZINC_TRY(parse_text(&doc, f, ctx, (zinc_bytes){(const unsigned char *)text, n}, zinc_rule(f, "M2"), r, err));
	return f->parse(f, ctx, doc, ZINC_NODE_NONE, r, out, err);
}

/* The JSON text of stored bytes.  `room` holds the text when the documents are encoded (metadata_encoding). */
static zinc_status
decode(const zinc_hierarchy *h, const zinc_fetched *doc, zinc_buf *room, zinc_bytes *text, zinc_error *err)
{
	*text = (zinc_bytes){(const unsigned char *)doc->text, doc->n};
	if (!h->entry || !h->entry->encoding)
		return ZINC_OK;
	ZINC_TRY(zinc_metadata_decode(h->entry->encoding, *text, room, err));
	*text = (zinc_bytes){room->p, room->n};
	return ZINC_OK;
}

/* The bytes to store for a JSON text. */
static zinc_status
encode(const zinc_hierarchy *h, zinc_buf *text, zinc_error *err)
{
	zinc_status st;
	zinc_buf stored;

	if (!h->entry || !h->entry->encoding)
		return ZINC_OK;
	zinc_buf_init(&stored, h->ctx, h->ctx->limits.json_bytes);
	st = zinc_metadata_encode(h->entry->encoding, (zinc_bytes){text->p, text->n}, &stored, err);
	if (st == ZINC_OK) {
		zinc_buf_fini(text);
		*text = stored;
		return ZINC_OK;
	}
	zinc_buf_fini(&stored);
	return st;
}

static zinc_status
parse_stored(zinc_json_doc **out, const zinc_hierarchy *h, const zinc_fetched *doc, const char *rule, zinc_report *r,
	     zinc_error *err)
{
	zinc_bytes text;
	zinc_status st;
	zinc_buf room;

	if (doc->parsed && *doc->parsed && !zinc_json_has_nan(zinc_json_root(*doc->parsed))) {
		*out = *doc->parsed;
		*doc->parsed = NULL;
		return ZINC_OK;
	}
	zinc_buf_init(&room, h->ctx, h->ctx->limits.json_bytes);
	st = decode(h, doc, &room, &text, err);
	if (st == ZINC_OK)
		st = parse_text(out, h->format, h->ctx, text, rule, r, err);
	zinc_buf_fini(&room);
	return st;
}

/* ---- reading ---- */

/* Add the attributes to the node's document.  `attributes` is freed. */
static zinc_status
put_in(zinc_json_doc *doc, zinc_json_doc *attributes, const char *rule, zinc_report *r, zinc_error *err)
{
	const char *twice = zinc_json_duplicate(attributes);
	zinc_status st = ZINC_OK;

	if (!zinc_json_is(zinc_json_root(attributes), ZINC_JSON_OBJECT))
		st = zinc_report_error(r, rule, err, "attributes must be an object");
	else if (twice)
		st = zinc_report_lenient(r, rule, err, "attribute \"%.60s\" appears twice", twice);
	if (st == ZINC_OK && zinc_json_is(zinc_json_root(doc), ZINC_JSON_OBJECT))
		st = zinc_json_set(doc, zinc_json_root(doc), ZINC_ATTRIBUTES,
				   zinc_json_copy(doc, zinc_json_root(attributes)), err);
	zinc_json_free(attributes);
	return st;
}

/* Promise (2); then add the attributes, if there are any. */
static zinc_status
add_attributes(zinc_json_doc *doc, const zinc_hierarchy *h, const zinc_fetched *attributes, const char *key,
	       zinc_report *r, zinc_error *err)
{
	zinc_json *root = zinc_json_root(doc);
	const char *rule = zinc_rule(h->format, "attributes"), *where = r->where;
	zinc_json_doc *more;
	zinc_status st;

	if (zinc_json_is(root, ZINC_JSON_OBJECT) && zinc_json_remove(root, ZINC_ATTRIBUTES))
		ZINC_TRY(zinc_report_lenient(r, zinc_rule(h->format, "member"), err,
					     "member \"" ZINC_ATTRIBUTES "\" is not one of an array or group"));
	if (attributes->found != ZINC_FOUND)
		return ZINC_OK;
	r->where = key;
	st = parse_stored(&more, h, attributes, rule, r, err);
	if (st == ZINC_OK)
		st = put_in(doc, more, rule, r, err);
	r->where = where;
	return st;
}

static zinc_status
read_documents(zinc_json_doc **out, const zinc_hierarchy *h, const zinc_fetched *docs, char *const *keys, size_t maker,
	       zinc_report *r, zinc_error *err)
{
	const size_t attributes = zinc_documents_attributes(h->format);
	zinc_status st = ZINC_OK;

	ZINC_TRY(parse_stored(out, h, &docs[maker], zinc_rule(h->format, "M2"), r, err));
	if (h->format->unpack)
		st = h->format->unpack(*out, err);
	if (st == ZINC_OK && attributes > 0)
		st = add_attributes(*out, h, &docs[attributes], keys[attributes], r, err);
	if (st != ZINC_OK) {
		zinc_json_free(*out);
		*out = NULL;
	}
	return st;
}

/* The kind of node that an unusable document claims to be. */
static zinc_node_kind
peek(const zinc_hierarchy *h, const zinc_fetched *text)
{
	zinc_node_kind kind;
	zinc_json_doc *doc;

	if (zinc_json_parse(&doc, h->ctx, text->text, text->n, ZINC_JSON_DUPLICATES | ZINC_JSON_NAN_TOKENS, NULL) !=
	    ZINC_OK)
		return ZINC_NODE_NONE;
	kind = h->format->kind(zinc_json_root(doc));
	zinc_json_free(doc);
	return kind;
}

zinc_status
zinc_documents_parse(const zinc_hierarchy *h, const zinc_fetched *docs, char *const *keys, zinc_report *r,
		     zinc_meta **out, zinc_node_kind *kind, zinc_error *err)
{
	const size_t maker = zinc_documents_maker(h->format, docs), n = zinc_documents(h->format, ZINC_PART_NODE);
	zinc_json_doc *doc = NULL;
	zinc_status st = ZINC_OK;

	*kind = h->format->documents[maker].makes;
	r->where = keys[maker];
	if (maker + 1 < n && docs[maker + 1].found == ZINC_FOUND)
		st = zinc_report_lenient(r, zinc_rule(h->format, "two"), err,
					 "a group is at the same path and is ignored: the array counts");
	if (st == ZINC_OK)
		st = read_documents(&doc, h, docs, keys, maker, r, err);
	if (st == ZINC_OK)
		st = h->format->parse(h->format, h->ctx, doc, *kind, r, out, err);
	if (st == ZINC_OK)
		(*out)->tag = docs[maker].tag;
	if (*kind == ZINC_NODE_NONE)
		*kind = st == ZINC_OK ? (*out)->kind : peek(h, &docs[maker]);
	return st;
}

/* ---- changing ---- */

/* Parse one document.  Duplicate members are an error, since a rewrite would lose one of them. */
static zinc_status
parse_one(zinc_json_doc **out, const zinc_hierarchy *h, const zinc_fetched *doc, zinc_error *err)
{
	zinc_bytes text;
	zinc_status st;
	zinc_buf room;

	zinc_buf_init(&room, h->ctx, h->ctx->limits.json_bytes);
	st = decode(h, doc, &room, &text, err);
	if (st == ZINC_OK)
		st = zinc_json_parse(out, h->ctx, (const char *)text.p, text.n, ZINC_JSON_NAN_TOKENS, err);
	zinc_buf_fini(&room);
	if (st != ZINC_OK || zinc_json_is(zinc_json_root(*out), ZINC_JSON_OBJECT))
		return st;
	zinc_json_free(*out);
	*out = NULL;
	return zinc_fail_rule(err, ZINC_E_CORRUPT, zinc_rule(h->format, "M2"), "the document must be a JSON object");
}

static zinc_status
join_attributes(zinc_json_doc *doc, const zinc_hierarchy *h, const zinc_fetched *attributes, zinc_error *err)
{
	zinc_json_doc *more;
	zinc_status st;

	if (zinc_json_member(zinc_json_root(doc), ZINC_ATTRIBUTES))
		return zinc_fail(err, ZINC_E_UNSUPPORTED,
				 "the document has a member \"" ZINC_ATTRIBUTES
				 "\" of its own, which a rewrite would lose");
	if (attributes->found != ZINC_FOUND)
		return ZINC_OK;
	ZINC_TRY(parse_one(&more, h, attributes, err));
	st = zinc_json_set(doc, zinc_json_root(doc), ZINC_ATTRIBUTES, zinc_json_copy(doc, zinc_json_root(more)), err);
	zinc_json_free(more);
	return st;
}

zinc_status
zinc_documents_join(zinc_json_doc **out, const zinc_hierarchy *h, const zinc_fetched *docs, size_t maker,
		    zinc_error *err)
{
	const size_t attributes = zinc_documents_attributes(h->format);
	zinc_status st;

	if (docs[maker].found != ZINC_FOUND) /* a group that needs no document */
		return zinc_json_parse(out, h->ctx, h->format->group, strlen(h->format->group), 0, err);
	ZINC_TRY(parse_one(out, h, &docs[maker], err));
	st = h->format->unpack ? h->format->unpack(*out, err) : ZINC_OK;
	if (st == ZINC_OK)
		st = attributes > 0 ? join_attributes(*out, h, &docs[attributes], err) : ZINC_OK;
	if (st != ZINC_OK) {
		zinc_json_free(*out);
		*out = NULL;
	}
	return st;
}

/* Text files end with a newline; people open these in editors. */
static zinc_status
print_text(const zinc_json *v, zinc_buf *out, zinc_error *err)
{
	ZINC_TRY(zinc_json_print(v, out, err));
	return zinc_buf_puts(out, "\n", err);
}

zinc_status
zinc_meta_print(const zinc_meta *m, zinc_buf *out, zinc_error *err)
{
	return print_text(zinc_json_root(m->doc), out, err);
}

/* All members but the attributes, which have a separate document. */
static zinc_status
print_rest(const zinc_json *root, zinc_buf *out, zinc_error *err)
{
	zinc_json_doc *doc;
	zinc_json *copy;
	zinc_status st;

	ZINC_TRY(zinc_json_new(&doc, out->ctx, err));
	copy = zinc_json_copy(doc, root);
	(void)zinc_json_remove(copy, ZINC_ATTRIBUTES);
	st = copy ? print_text(copy, out, err) : zinc_fail_nomem(err);
	zinc_json_free(doc);
	return st;
}

/* In the form in which it is stored. */
static zinc_status
print_packed(const zinc_format *f, const zinc_json *root, zinc_buf *out, zinc_error *err)
{
	zinc_json_doc *doc;
	zinc_json *copy;
	zinc_status st;

	ZINC_TRY(zinc_json_new(&doc, out->ctx, err));
	copy = zinc_json_copy(doc, root);
	zinc_json_set_root(doc, copy);
	st = copy ? f->pack(doc, err) : zinc_fail_nomem(err);
	if (st == ZINC_OK)
		st = print_text(zinc_json_root(doc), out, err);
	zinc_json_free(doc);
	return st;
}

zinc_status
zinc_document_print(const zinc_hierarchy *h, const zinc_json *root, size_t which, zinc_buf *out, zinc_error *err)
{
	const zinc_json *v = zinc_json_member(root, ZINC_ATTRIBUTES);

	if (h->format->documents[which].part == ZINC_PART_ATTRIBUTES)
		return v ? print_text(v, out, err) : ZINC_OK;
	if (h->format->pack)
		return print_packed(h->format, root, out, err);
	ZINC_TRY(zinc_documents_attributes(h->format) > 0 ? print_rest(root, out, err) : print_text(root, out, err));
	return encode(h, out, err);
}
