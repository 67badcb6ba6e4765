/*
 * convention_schemas.c - finding the schema of a declared convention
 *
 * In this order: the caller's directory, the built-in schemas, the cache, and (if requested) the network, through the
 * stores.  In a directory the key of a schema is its URL without the scheme; the cache is such a directory, too.  In the
 * caller's directory a file is also found by its $id, or by the schema_url or uuid of the declaration that it describes.
 *
 * Promises:
 *
 * (1) A schema that is not available is a warning, whatever the reason (C15).
 * (2) Nothing is fetched unless requested; at most 1 MiB; only JSON gets into the cache.
 * (3) A zinc_conventions reads each schema once.
 */
#include <stdio.h>

#include "convention/convention.h"

ZINC_OPTIONS_KIND(zinc_conventions_options, ZINC_OPTION_YES_NO(zinc_conventions_options, fetch));

#define SCHEMA_BYTES ZINC_MIB
#define FILES        1000u /* schemas read from the caller's directory */
#define KEYS         100000u

/* One schema that was looked up, by its identifier. */
struct zinc_shelved {
	struct zinc_shelved *next;
	zinc_schema *schema; /* NULL: not available */
	zinc_status why;
	char text[400]; /* why not */
	char id[];
};

/* ---- documents ---- */

/* "https://host/a/b.json#x" -> "host/a/b.json"; false when that is not a key. */
static bool
key_of(const char *url, char *key, size_t cap)
{
	const char *s = strstr(url, "://");
	const int n = s ? snprintf(key, cap, "%.*s", (int)strcspn(s + 3, "#"), s + 3) : -1;

	return n > 0 && (size_t)n < cap && zinc_key_check(key, NULL) == ZINC_OK;
}

/* ---- the caller's directory: who says to be what, read once ---- */

/* One name of one file: its $id, or an identifier of the declaration that it describes. */
struct zinc_schema_name {
	struct zinc_schema_name *next;
	size_t nid;  /* bytes of the name; the file's key follows */
	char text[]; /* both, each with its NUL */
};

static zinc_status
add_name(zinc_conventions *c, const char *id, size_t n, const char *key, zinc_error *err)
{
	const size_t nkey = strlen(key) + 1;
	struct zinc_schema_name *name = zinc_alloc(c->ctx, sizeof *name + n + 1 + nkey);

	if (!name)
		return zinc_fail_nomem(err);
	*name = (struct zinc_schema_name){.next = c->names, .nid = n};
	memcpy(name->text, id, n);
	name->text[n] = '\0';
	memcpy(name->text + n + 1, key, nkey);
	c->names = name;
	return ZINC_OK;
}

/* The identifiers in a schema: "$id", and the constants of "#/$defs/conventionMetadata". */
static zinc_status
add_names(zinc_conventions *c, const zinc_json *root, const char *key, zinc_error *err)
{
	static const char *const homes[] = {"$defs", "definitions"}, *const members[] = {"uuid", "schema_url",
											 "schema"};
	const zinc_json *v = zinc_json_member(root, "$id");
	size_t i, j;

	if (zinc_json_is(v, ZINC_JSON_STRING))
		ZINC_TRY(add_name(c, v->text, strcspn(v->text, "#"), key, err));
	for (i = 0; i < sizeof homes / sizeof *homes; i++)
		for (j = 0; j < sizeof members / sizeof *members; j++) {
			v = zinc_json_member(zinc_json_member(root, homes[i]), "conventionMetadata");
			v = zinc_json_member(zinc_json_member(zinc_json_member(v, "properties"), members[j]), "const");
			if (zinc_json_is(v, ZINC_JSON_STRING))
				ZINC_TRY(add_name(c, v->text, strlen(v->text), key, err));
		}
	return ZINC_OK;
}

struct survey {
	zinc_conventions *c;
	unsigned keys, files;
	zinc_status status;
	zinc_error *err;
};

/* Files that are not schemas are ignored. */
static int
look_at(void *arg, const char *key, uint64_t nbytes)
{
	struct survey *s = arg;
	const size_t n = strlen(key);
	zinc_blob text = ZINC_BLOB_INIT;
	zinc_json_doc *doc = NULL;

	if (++s->keys > KEYS)
		return 1;
	if (n < 5 || strcmp(key + n - 5, ".json") != 0 || nbytes > SCHEMA_BYTES)
		return 0;
	s->status = zinc_store_get_all(s->c->schemas, key, &text, NULL, SCHEMA_BYTES, s->c->wait, s->err);
	if (s->status == ZINC_OK) {
		s->status = zinc_json_parse(&doc, s->c->ctx, text.data, text.nbytes, 0, s->err);
		if (s->status == ZINC_OK)
			s->status = add_names(s->c, zinc_json_root(doc), key, s->err);
		else if (s->status != ZINC_E_NOMEM)
			s->status = ZINC_OK;
	}
	zinc_json_free(doc);
	zinc_blob_fini(&text);
	return s->status != ZINC_OK || ++s->files >= FILES;
}

static zinc_status
survey(zinc_conventions *c, zinc_error *err)
{
	struct survey s = {c, 0, 0, ZINC_OK, err};

	if (c->surveyed)
		return ZINC_OK;
	ZINC_TRY(zinc_store_list(c->schemas, "", look_at, &s, c->wait, err));
	c->surveyed = s.status == ZINC_OK;
	return s.status;
}

/* In the caller's directory: by its key, or by an identifier inside it. */
static zinc_status
search(zinc_conventions *c, const char *id, zinc_blob *out, zinc_error *err)
{
	const struct zinc_schema_name *name;
	zinc_error miss;
	char key[600];
	zinc_status st;

	if (key_of(id, key, sizeof key)) {
		st = zinc_store_get_all(c->schemas, key, out, NULL, SCHEMA_BYTES, c->wait, &miss);
		if (st != ZINC_E_NOTFOUND)
			return st == ZINC_OK ? st : zinc_error_copy(err, &miss);
	}
	ZINC_TRY(survey(c, err));
	for (name = c->names; name; name = name->next)
		if (strcmp(name->text, id) == 0)
			return zinc_store_get_all(c->schemas, name->text + name->nid + 1, out, NULL, SCHEMA_BYTES,
						  c->wait, err);
	return zinc_fail(err, ZINC_E_NOTFOUND, "no schema of \"%.200s\" was found", id);
}

/* ---- the network ---- */

/* The response must be JSON: an error page with status 200 must not get into the cache. */
static zinc_status
keep(zinc_conventions *c, const char *key, const zinc_blob *text, zinc_error *err)
{
	zinc_json_doc *doc;

	ZINC_TRY(zinc_json_parse(&doc, c->ctx, text->data, text->nbytes, 0, err));
	zinc_json_free(doc);
	if (c->cache && key &&
	    zinc_store_put(c->cache, NULL, key, text->data, text->nbytes, NULL, 0, NULL, c->wait, NULL) != ZINC_OK)
		zinc_warn(c->ctx, key, "the schema could not be put into the cache");
	return ZINC_OK;
}

static zinc_status
get_url(zinc_conventions *c, const char *url, zinc_blob *out, zinc_error *err)
{
	zinc_store_options o = ZINC_STORE_OPTIONS_INIT;
	zinc_place place;
	zinc_status st;

	o.context = c->ctx;
	o.read_only = 1;
	ZINC_TRY(zinc_place_open(&place, url, &o, err));
	st = zinc_store_get_all(place.store, place.path, out, NULL, SCHEMA_BYTES, c->wait, err);
	zinc_place_fini(&place);
	return st;
}

static zinc_status
fetch(zinc_conventions *c, const char *url, zinc_blob *out, zinc_error *err)
{
	char key[600];
	const bool has_key = key_of(url, key, sizeof key);
	zinc_error e = ZINC_ERROR_INIT;
	zinc_status st;

	if (c->cache && has_key && zinc_store_get_all(c->cache, key, out, NULL, SCHEMA_BYTES, c->wait, NULL) == ZINC_OK)
		return ZINC_OK;
	if (!c->fetch)
		return zinc_fail(err, ZINC_E_NOTFOUND,
				 "no schema is available; --fetch gets it, --schemas says where it is");
	if (strncmp(url, "https://", 8) != 0 && strncmp(url, "http://", 7) != 0)
		return zinc_fail(err, ZINC_E_NOTFOUND, "only http and https are fetched");
	st = get_url(c, url, out, &e);
	if (st == ZINC_OK)
		st = keep(c, has_key ? key : NULL, out, &e);
	if (st != ZINC_OK) {
		zinc_blob_fini(out);
		st = zinc_error_by(err, zinc_fail(err, st, "%.200s: %s", url, e.text), &e);
	}
	return st;
}

/* Documents that schemas refer to are found like the schemas themselves. */
static zinc_status
find_document(void *arg, const char *uri, zinc_blob *text, zinc_error *err)
{
	zinc_conventions *c = arg;

	const zinc_status st = c->schemas ? search(c, uri, text, NULL) : ZINC_E_NOTFOUND;

	if (st == ZINC_E_NOMEM)
		return zinc_fail_nomem(err);
	return st == ZINC_OK ? st : fetch(c, uri, text, err);
}

/* ---- built in ---- */

/* Schemas in the source are written with ' for ", which reads better in C. */
static zinc_status
take_builtin(zinc_context *ctx, const char *text, zinc_blob *out, zinc_error *err)
{
	zinc_buf b;
	size_t i;

	zinc_buf_init(&b, ctx, zinc_max_text(ctx));
	ZINC_TRY(zinc_buf_puts(&b, text, err));
	for (i = 0; i < b.n; i++)
		if (b.p[i] == '\'')
			b.p[i] = '"';
	return zinc_buf_to_blob(&b, out, err);
}

/* A built-in convention has its own schema; that of a directory is also checked, because it may be newer. */
static zinc_status
find_text(zinc_conventions *c, const zinc_entry *e, zinc_blob *out, zinc_error *err)
{
	zinc_status st = ZINC_E_NOTFOUND;

	if (c->schemas)
		st = search(c, *e->c.schema_url ? e->c.schema_url : e->c.id, out, NULL);
	if (st != ZINC_OK && st != ZINC_E_NOMEM && c->schemas && *e->c.uuid)
		st = search(c, e->c.uuid, out, NULL);
	if (st == ZINC_OK || st == ZINC_E_NOMEM)
		return st == ZINC_OK ? st : zinc_fail_nomem(err);
	if (e->row)
		return zinc_fail(err, ZINC_E_NOTFOUND, "only the built-in schema is available");
	if (*e->c.schema_url)
		return fetch(c, e->c.schema_url, out, err);
	return zinc_fail(err, ZINC_E_NOTFOUND, "the declaration names no schema");
}

/* ---- the shelf ---- */

static struct zinc_shelved *
shelved(zinc_conventions *c, const char *id)
{
	struct zinc_shelved *s;

	for (s = c->shelf; s; s = s->next)
		if (strcmp(s->id, id) == 0)
			return s;
	return NULL;
}

static zinc_status
compile(zinc_conventions *c, const zinc_entry *e, bool builtin, struct zinc_shelved *s, zinc_error *err)
{
	const zinc_schema_options o = {.uri = builtin ? NULL : e->c.schema_url, .find = find_document, .arg = c};
	zinc_blob text = ZINC_BLOB_INIT;
	zinc_error why = ZINC_ERROR_INIT;

	s->why = builtin ? take_builtin(c->ctx, e->row->schema, &text, &why) : find_text(c, e, &text, &why);
	if (s->why == ZINC_OK)
		s->why = zinc_schema_new(&s->schema, c->ctx, text.data, text.nbytes, &o, &why);
	zinc_blob_fini(&text);
	snprintf(s->text, sizeof s->text, "%.*s", (int)sizeof s->text - 1, why.text);
	if (s->why != ZINC_OK)
		ZINC_TRY(zinc_wait_check(c->wait, err));
	return s->why == ZINC_E_NOMEM ? zinc_fail_nomem(err) : ZINC_OK;
}

/* Cached by identifier and URL of the schema.  A lookup that was cancelled is repeated next time. */
static zinc_status
shelve(zinc_conventions *c, const zinc_entry *e, bool builtin, struct zinc_shelved **out, zinc_error *err)
{
	zinc_status st;
	zinc_buf id;

	zinc_buf_init(&id, c->ctx, ZINC_MAX_KEY);
	st = builtin ? zinc_buf_puts(&id, e->row->name, err)
		     : zinc_buf_printf(&id, err, "%s %s", e->c.id, e->c.schema_url);
	if (st == ZINC_OK && !zinc_buf_text(&id))
		st = zinc_fail_nomem(err);
	*out = st == ZINC_OK ? shelved(c, zinc_buf_text(&id)) : NULL;
	if (st == ZINC_OK && !*out) {
		*out = zinc_calloc(c->ctx, 1, sizeof **out + id.n + 1);
		if (!*out) {
			st = zinc_fail_nomem(err);
		} else {
			memcpy((*out)->id, id.p, id.n + 1);
			(*out)->next = c->shelf;
			c->shelf = *out;
			st = compile(c, e, builtin, *out, err);
		}
		if (st == ZINC_E_CANCELLED) {
			c->shelf = (*out)->next;
			zinc_schema_free((*out)->schema);
			zinc_free(c->ctx, *out);
			*out = NULL;
		}
	}
	zinc_buf_fini(&id);
	return st;
}

zinc_status
zinc_conventions_schema(zinc_conventions *c, const zinc_entry *e, bool builtin, zinc_schema **out, zinc_report *r,
			zinc_error *err)
{
	struct zinc_shelved *s;

	ZINC_TRY(shelve(c, e, builtin, &s, err));
	*out = s->schema;
	if (s->why == ZINC_E_UNSUPPORTED || s->why == ZINC_E_CORRUPT || s->why == ZINC_E_LIMIT)
		(void)zinc_report_lenient(r, "schema", NULL, "the schema cannot be used: %s", s->text);
	else if (s->why != ZINC_OK && !e->row)
		(void)zinc_report_lenient(r, "C15", NULL, "not checked: %s", s->text);
	return ZINC_OK;
}

/* ---- the public handle ---- */

static int
stop_at_first(void *arg, const char *key, uint64_t nbytes)
{
	(void)key, (void)nbytes;
	*(bool *)arg = true;
	return 1;
}

/* An empty directory is most likely misspelled. */
static zinc_status
open_schemas(zinc_conventions *c, const char *url, const zinc_store_options *so, zinc_error *err)
{
	bool any = false;

	ZINC_TRY(zinc_store_open(&c->schemas, url, so, err));
	ZINC_TRY(zinc_store_list(c->schemas, "", stop_at_first, &any, c->wait, err));
	return any ? ZINC_OK : zinc_fail(err, ZINC_E_NOTFOUND, "there are no schemas in %s", url);
}

/* The cache is created by the first put; if it cannot be opened there is no cache. */
static zinc_status
open_places(zinc_conventions *c, const zinc_conventions_options *o, zinc_error *err)
{
	zinc_store_options so = ZINC_STORE_OPTIONS_INIT;

	so.context = c->ctx;
	so.relaxed = 1;
	if (o->cache && zinc_store_open(&c->cache, o->cache, &so, NULL) == ZINC_E_NOMEM)
		return zinc_fail_nomem(err);
	so.read_only = 1;
	return o->schemas ? open_schemas(c, o->schemas, &so, err) : ZINC_OK;
}

zinc_status
zinc_conventions_new(zinc_conventions **out, const zinc_conventions_options *options, zinc_error *err)
{
	zinc_conventions_options o;
	zinc_conventions *c;
	zinc_wait wait;
	zinc_status st;

	ZINC_TRY(ZINC_NEED(out, err));
	ZINC_TRY(zinc_options_take_as(&zinc_conventions_options_kind, &o, options, err));
	ZINC_TRY(zinc_wait_begin(&wait, o.call, err));
	o.context = zinc_context_get(o.context);
	c = zinc_calloc(o.context, 1, sizeof *c);
	if (!c)
		return zinc_fail_nomem(err);
	c->ctx = o.context;
	c->fetch = o.fetch != 0;
	c->wait = &wait;
	st = open_places(c, &o, err);
	c->wait = NULL;
	if (st != ZINC_OK) {
		zinc_conventions_free(c);
		return st;
	}
	*out = c;
	return ZINC_OK;
}

void
zinc_conventions_free(zinc_conventions *c)
{
	if (!c)
		return;
	while (c->shelf) {
		struct zinc_shelved *s = c->shelf;

		c->shelf = s->next;
		zinc_schema_free(s->schema);
		zinc_free(c->ctx, s);
	}
	while (c->names) {
		struct zinc_schema_name *name = c->names;

		c->names = name->next;
		zinc_free(c->ctx, name);
	}
	zinc_store_close(c->schemas);
	zinc_store_close(c->cache);
	zinc_free(c->ctx, c);
}
