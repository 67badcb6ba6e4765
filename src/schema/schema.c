/*
 * schema.c - the documents of a schema, and the targets of references in them
 *
 * A document is walked once, along the keywords that contain schemas, and every $id, $anchor and $dynamicAnchor is entered
 * into a table.  An "$id" inside an enum or an unknown keyword is not an identifier.  The resource of a schema is found by
 * following its parents.
 */
#include <stdio.h>
#include <stdlib.h>

#include "schema/schema_impl.h"

#define DEFAULT_STEPS 4000000u
#define DOCUMENTS     64u /* that one schema may refer to */
#define PATTERNS      4096u

/* Room for one more item of `size` bytes in a growing table. */
static zinc_status
grow(zinc_context *ctx, void *table, size_t *room, size_t n, size_t size, zinc_error *err)
{
	void *old, *grown;
	size_t more, nbytes;

	if (n < *room)
		return ZINC_OK;
	memcpy(&old, table, sizeof old);
	more = *room ? *room * 2 : 8;
	if (zinc_size_mul(more, size, &nbytes))
		return zinc_fail_nomem(err);
	grown = zinc_realloc(ctx, old, nbytes);
	if (!grown)
		return zinc_fail_nomem(err);
	memcpy(table, &grown, sizeof grown);
	*room = more;
	return ZINC_OK;
}

/* ---- resources ---- */

/* A document has two entries where its $id differs from the place it came from; the $id counts, and comes later. */
size_t
zinc_schema_resource_of(const zinc_schema *s, const zinc_json *schema)
{
	const zinc_json *v;
	size_t i;

	for (v = schema; v; v = v->parent)
		for (i = s->nresources; i-- > 0;)
			if (s->resources[i].root == v)
				return i;
	return 0;
}

/* The URI is copied, because it may lie in a buffer of the caller.  Numbers of resources are stable, their addresses are
 * not. */
static zinc_status
add_resource(zinc_schema *s, const char *uri, const zinc_json *root, zinc_dialect dialect, zinc_error *err)
{
	char *copy;

	ZINC_TRY(grow(s->ctx, &s->resources, &s->resources_room, s->nresources, sizeof *s->resources, err));
	copy = zinc_strdup(s->ctx, uri);
	if (!copy)
		return zinc_fail_nomem(err);
	s->resources[s->nresources++] = (zinc_resource){copy, root, dialect};
	return ZINC_OK;
}

/* Names live in a document, which lives as long as the schema. */
static zinc_status
add_anchor(zinc_schema *s, const zinc_json *schema, const char *name, bool dynamic, zinc_error *err)
{
	ZINC_TRY(grow(s->ctx, &s->anchors, &s->anchors_room, s->nanchors, sizeof *s->anchors, err));
	s->anchors[s->nanchors++] = (zinc_anchor){zinc_schema_resource_of(s, schema), name, schema, dynamic};
	return ZINC_OK;
}

/* By the root, not by the number: a document may have two numbers, see above. */
const zinc_anchor *
zinc_schema_anchor(const zinc_schema *s, size_t resource, const char *name)
{
	size_t i;

	for (i = 0; i < s->nanchors; i++)
		if (s->resources[s->anchors[i].resource].root == s->resources[resource].root &&
		    strcmp(s->anchors[i].name, name) == 0)
			return &s->anchors[i];
	return NULL;
}

/* Of draft 07: "#name" is an anchor. */
static zinc_status
add_id(zinc_schema *s, const zinc_json *schema, const char *id, zinc_error *err)
{
	const size_t base = zinc_schema_resource_of(s, schema);
	zinc_dialect dialect = s->resources[base].dialect;
	const zinc_json *says = zinc_json_member(schema, "$schema");
	zinc_status st;
	zinc_buf uri;

	if (id[0] == '#')
		return id[1] ? add_anchor(s, schema, id + 1, false, err) : ZINC_OK;
	if (zinc_json_is(says, ZINC_JSON_STRING) && !zinc_dialect_of(says->text, &dialect))
		return zinc_fail(err, ZINC_E_UNSUPPORTED, "schemas of \"%.200s\" are not known", says->text);
	zinc_buf_init(&uri, s->ctx, ZINC_MAX_KEY);
	st = zinc_uri_resolve(&uri, s->resources[base].uri, id, err);
	if (st == ZINC_OK && !zinc_buf_text(&uri))
		st = zinc_fail_nomem(err);
	if (st == ZINC_OK)
		st = add_resource(s, zinc_buf_text(&uri), schema, dialect, err);
	zinc_buf_fini(&uri);
	return st;
}

/* The identifiers of this schema object.  In draft 07 a $ref hides all its siblings. */
static zinc_status
note_names(void *arg, const zinc_json *schema, zinc_error *err)
{
	zinc_schema *s = arg;
	const zinc_json *id = zinc_json_member(schema, "$id"), *v;
	const bool old = s->resources[zinc_schema_resource_of(s, schema)].dialect == ZINC_DRAFT_07;

	if (old && zinc_json_member(schema, "$ref"))
		return ZINC_OK;
	if (id)
		ZINC_TRY(add_id(s, schema, id->text, err));
	v = zinc_json_member(schema, "$anchor");
	if (v && !old)
		ZINC_TRY(add_anchor(s, schema, v->text, false, err));
	v = zinc_json_member(schema, "$dynamicAnchor");
	if (v && !old)
		ZINC_TRY(add_anchor(s, schema, v->text, true, err));
	return ZINC_OK;
}

/* ---- documents ---- */

/* `what` names the document in an error; `fallback` is the dialect of a document without $schema. */
static zinc_status
note_document(zinc_schema *s, const zinc_json *root, const char *uri, zinc_dialect fallback, zinc_error *err)
{
	const zinc_json *says = zinc_json_member(root, "$schema");
	zinc_report r;

	if (zinc_json_is(says, ZINC_JSON_STRING) && !zinc_dialect_of(says->text, &fallback))
		return zinc_fail(err, ZINC_E_UNSUPPORTED, "schemas of \"%.200s\" are not known", says->text);
	ZINC_TRY(add_resource(s, uri, root, fallback, err));
	zinc_report_init(&r, s->ctx, false, uri);
	return zinc_schema_form(root, fallback, note_names, s, &r, err);
}

static zinc_status
add_document(zinc_schema *s, const char *uri, const char *text, size_t n, zinc_dialect fallback, const zinc_json **root,
	     zinc_error *err)
{
	zinc_json_doc *doc;

	if (s->ndocs >= DOCUMENTS)
		return zinc_fail(err, ZINC_E_LIMIT, "more than %u documents that a schema refers to", DOCUMENTS);
	ZINC_TRY(grow(s->ctx, &s->docs, &s->docs_room, s->ndocs, sizeof(zinc_json_doc *), err));
	ZINC_TRY(zinc_json_parse(&doc, s->ctx, text, n, 0, err));
	s->docs[s->ndocs++] = doc;
	*root = zinc_json_root(doc);
	return note_document(s, *root, uri, fallback, err);
}

/* The document that `uri` means, from the caller. */
static zinc_status
find_document(zinc_schema *s, const char *uri, size_t *resource, zinc_error *err)
{
	zinc_blob text = ZINC_BLOB_INIT;
	const size_t n = s->nresources;
	const zinc_json *root;
	zinc_status st;

	if (!s->o.find)
		return zinc_fail(err, ZINC_E_NOTFOUND, "the schema refers to \"%.300s\", which is not available", uri);
	st = s->o.find(s->o.arg, uri, &text, err);
	if (st == ZINC_OK)
		st = add_document(s, uri, text.data, text.nbytes, s->o.dialect, &root, err);
	zinc_blob_fini(&text);
	if (st != ZINC_OK)
		return st;
	*resource = n;
	return ZINC_OK;
}

/*
 * Most references are "#/..." and stay in the document.  Others are looked up by their absolute URI: among the known
 * resources, among JSON Schema's own documents, then by the caller's function.
 */
static zinc_status
find_resource(zinc_schema *s, size_t base, const char *ref, size_t *out, zinc_dialect *metaschema, zinc_error *err)
{
	zinc_status st;
	zinc_buf uri;
	size_t i;

	*metaschema = ZINC_DRAFT_2020;
	if (ref[0] == '#') {
		*out = base;
		return ZINC_OK;
	}
	zinc_buf_init(&uri, s->ctx, ZINC_MAX_KEY);
	st = zinc_uri_resolve(&uri, s->resources[base].uri, ref, err);
	if (st == ZINC_OK && !zinc_buf_text(&uri))
		st = zinc_fail_nomem(err);
	for (i = 0; st == ZINC_OK && i < s->nresources; i++)
		if (strcmp(s->resources[i].uri, zinc_buf_text(&uri)) == 0)
			break;
	*out = i;
	if (st == ZINC_OK && i == s->nresources && !zinc_dialect_of(zinc_buf_text(&uri), metaschema))
		st = find_document(s, zinc_buf_text(&uri), out, err);
	zinc_buf_fini(&uri);
	return st;
}

/* ---- references ---- */

/* One step of a JSON pointer: "~1" is '/', "~0" is '~'. */
static const zinc_json *
step_into(const zinc_json *v, char *name)
{
	char *to = name, *from;
	size_t i;

	if (zinc_json_is(v, ZINC_JSON_ARRAY)) {
		i = strspn(name, "0123456789");
		return i == 0 || i > 9 || name[i] ? NULL : zinc_json_item(v, (size_t)strtoul(name, NULL, 10));
	}
	for (from = name; *from; from++, to++) {
		*to = *from;
		if (*from == '~' && (from[1] == '0' || from[1] == '1'))
			*to = *++from == '0' ? '~' : '/';
	}
	*to = '\0';
	return zinc_json_member(v, name);
}

/* RFC 6901; `pointer` begins with '/' and is cut up on the way. */
static const zinc_json *
follow_pointer(const zinc_json *v, char *pointer)
{
	char *name = pointer + 1, *slash;

	for (; v && name; name = slash) {
		slash = strchr(name, '/');
		if (slash)
			*slash++ = '\0';
		v = step_into(v, name);
	}
	return v;
}

/* The fragment within a resource: nothing, a pointer, or a name. */
static zinc_status
find_part(zinc_schema *s, size_t resource, const char *ref, const zinc_json **out, const zinc_anchor **anchor,
	  zinc_error *err)
{
	zinc_buf fragment;
	zinc_status st;
	char *name;

	zinc_buf_init(&fragment, s->ctx, ZINC_MAX_KEY);
	st = zinc_uri_fragment(&fragment, ref, err);
	if (st == ZINC_OK && !zinc_buf_text(&fragment))
		st = zinc_fail_nomem(err);
	if (st == ZINC_OK) {
		name = (char *)fragment.p;
		*out = s->resources[resource].root;
		if (name[0] == '/')
			*out = follow_pointer(*out, name);
		else if (name[0]) {
			*anchor = zinc_schema_anchor(s, resource, name);
			*out = *anchor ? (*anchor)->at : NULL;
		}
		if (!*out)
			st = zinc_fail(err, ZINC_E_CORRUPT, "the schema refers to \"%.300s\", which does not exist",
				       ref);
	}
	zinc_buf_fini(&fragment);
	return st;
}

zinc_status
zinc_schema_resolve(zinc_schema *s, size_t base, const char *ref, const zinc_json **out, const zinc_anchor **anchor,
		    zinc_dialect *metaschema, zinc_error *err)
{
	size_t resource = 0;

	*out = NULL;
	*anchor = NULL;
	ZINC_TRY(find_resource(s, base, ref, &resource, metaschema, err));
	return resource == s->nresources ? ZINC_OK : find_part(s, resource, ref, out, anchor, err);
}

/* ---- patterns ---- */

/* Each pattern is compiled once: an array of a thousand strings needs the same one a thousand times. */
zinc_status
zinc_schema_pattern(zinc_schema *s, const char *text, size_t n, zinc_regex **out, zinc_error *err)
{
	zinc_error e;
	zinc_status st;
	size_t i;

	for (i = 0; i < s->npatterns; i++)
		if (s->patterns[i].n == n && memcmp(s->patterns[i].text, text, n) == 0) {
			*out = s->patterns[i].regex;
			return ZINC_OK;
		}
	if (s->npatterns >= PATTERNS)
		return zinc_fail(err, ZINC_E_LIMIT, "more than %u patterns in a schema", PATTERNS);
	ZINC_TRY(grow(s->ctx, &s->patterns, &s->patterns_room, s->npatterns, sizeof *s->patterns, err));
	st = zinc_regex_new(out, s->ctx, text, n, &e);
	if (st == ZINC_E_INVALID)
		return zinc_fail(err, ZINC_E_CORRUPT, "the schema's pattern \"%.100s\" is %s", text, e.text);
	if (st != ZINC_OK)
		return zinc_error_copy(err, &e);
	s->patterns[s->npatterns++] = (zinc_pattern){text, n, *out};
	return ZINC_OK;
}

/* ---- a schema ---- */

zinc_status
zinc_schema_new(zinc_schema **out, zinc_context *ctx, const char *text, size_t n, const zinc_schema_options *o,
		zinc_error *err)
{
	zinc_schema *s = zinc_calloc(ctx, 1, sizeof *s);
	zinc_status st;

	if (!s)
		return zinc_fail_nomem(err);
	s->ctx = ctx;
	if (o)
		s->o = *o;
	if (s->o.steps == 0)
		s->o.steps = DEFAULT_STEPS;
	st = add_document(s, s->o.uri ? s->o.uri : "", text, n, s->o.dialect, &s->root, err);
	s->o.uri = NULL; /* the caller's, and no longer needed */
	if (st != ZINC_OK) {
		zinc_schema_free(s);
		return st;
	}
	*out = s;
	return ZINC_OK;
}

void
zinc_schema_free(zinc_schema *s)
{
	if (!s)
		return;
	while (s->npatterns > 0)
		zinc_regex_free(s->patterns[--s->npatterns].regex);
	while (s->nresources > 0)
		zinc_free(s->ctx, s->resources[--s->nresources].uri);
	while (s->ndocs > 0)
		zinc_json_free(s->docs[--s->ndocs]);
	zinc_free(s->ctx, s->patterns);
	zinc_free(s->ctx, s->anchors);
	zinc_free(s->ctx, s->resources);
	zinc_free(s->ctx, s->docs);
	zinc_free(s->ctx, s);
}

const zinc_json *
zinc_schema_root(const zinc_schema *s)
{
	return s->root;
}
