/*
 * conventions.c - the conventions of a node: listing them, their properties, checking
 *
 * A check collects findings and reports them convention by convention, beginning with those about the declaration as a
 * whole.  Promises:
 *
 * (1) Whatever the attributes contain, the check ends with ZINC_OK.
 * (2) A broken SHOULD is a warning; what cannot be checked is a warning.
 */
#include <stdio.h>

#include "convention/convention.h"

/* ---- nodes ---- */

/* Lenient and without warnings: they were already given when the node was opened. */
zinc_status
zinc_node_read(zinc_hierarchy *h, const char *path, zinc_meta **out, zinc_error *err)
{
	zinc_report r;
	zinc_status st;
	char *node;

	*out = NULL;
	ZINC_TRY(zinc_path_normalise(&node, h, path, err));
	zinc_report_init_quiet(&r, h->ctx, false);
	st = zinc_read_node(h, node, &r, out, err);
	zinc_free(h->ctx, node);
	return st;
}

zinc_status
zinc_node_declares(zinc_context *ctx, const zinc_meta *m, const zinc_convention_row *row, bool *yes, zinc_error *err)
{
	zinc_declared d;
	zinc_report r;
	zinc_status st;
	size_t i;

	*yes = false;
	zinc_report_init_quiet(&r, ctx, false);
	st = zinc_declared_parse(&d, ctx, m->attributes, &r, err);
	for (i = 0; st == ZINC_OK && i < d.n; i++)
		*yes = *yes || d.entries[i].row == row;
	zinc_declared_fini(&d);
	return st;
}

/* v2 and xarray keep names in an attribute. */
const char *
zinc_dimension_name(const zinc_meta *m, int i)
{
	const zinc_json *v;

	if (m->dimension_names)
		return m->dimension_names[i];
	v = zinc_json_member(m->attributes, ZINC_DIMENSIONS);
	v = zinc_json_is(v, ZINC_JSON_ARRAY) ? zinc_json_item(v, (size_t)i) : NULL;
	return zinc_json_is(v, ZINC_JSON_STRING) ? v->text : NULL;
}

zinc_status
zinc_path_join(zinc_buf *out, const char *base, const char *relative, zinc_error *err)
{
	size_t n;

	ZINC_TRY(zinc_buf_puts(out, strcmp(base, "/") == 0 ? "" : base, err));
	for (; *relative; relative += n + (relative[n] == '/')) {
		n = strcspn(relative, "/");
		if (n == 0 || (n == 1 && relative[0] == '.'))
			continue;
		if (n == 2 && relative[0] == '.' && relative[1] == '.') {
			if (out->n == 0)
				return zinc_fail(err, ZINC_E_INVALID, "the path leaves the hierarchy");
			while (out->p[--out->n] != '/')
				;
			continue;
		}
		ZINC_TRY(zinc_buf_puts(out, "/", err));
		ZINC_TRY(zinc_buf_add(out, relative, n, err));
	}
	return out->n == 0 ? zinc_buf_puts(out, "/", err) : ZINC_OK;
}

/* ---- listing ---- */

/* Findings are reported by zinc_conventions_check only; here a malformed entry is left out. */
zinc_status
zinc_conventions_list(zinc_hierarchy *h, const char *path, zinc_convention_fn fn, void *arg,
		      const zinc_call_options *call, zinc_error *err)
{
	zinc_visit v;
	zinc_declared d = {.ctx = NULL};
	zinc_meta *m;
	zinc_report r;
	zinc_status st;
	size_t i;

	ZINC_TRY(ZINC_NEED(fn, err));
	ZINC_TRY(zinc_visit_begin(&v, &h, call, err));
	ZINC_TRY(zinc_node_read(h, path, &m, err));
	zinc_report_init_quiet(&r, h->ctx, false);
	st = zinc_declared_parse(&d, h->ctx, m->attributes, &r, err);
	for (i = 0; st == ZINC_OK && i < d.n; i++)
		if (fn(arg, &d.entries[i].c))
			break;
	zinc_declared_fini(&d);
	zinc_meta_free(m);
	return st;
}

/* ---- properties ---- */

/* For a convention that is not built in: attributes with its name as prefix ("x:"), or the one key ("x"). */
static bool
owns(const zinc_entry *e, const char *key)
{
	const size_t n = strlen(e->c.name);

	if (e->row)
		return zinc_convention_owns(e->row, key);
	if (n == 0)
		return false;
	return e->c.name[n - 1] == ':' ? strncmp(e->c.name, key, n) == 0 : strcmp(e->c.name, key) == 0;
}

static zinc_status
print_properties(zinc_context *ctx, const zinc_json *attributes, const zinc_entry *e, zinc_blob *out, zinc_error *err)
{
	zinc_json_doc *doc;
	zinc_status st = ZINC_OK;
	zinc_json *object;
	const zinc_json *m;
	zinc_buf text;

	ZINC_TRY(zinc_json_new(&doc, ctx, err));
	zinc_buf_init(&text, ctx, zinc_max_text(ctx));
	object = zinc_json_make(doc, ZINC_JSON_OBJECT);
	if (e->c.shape == ZINC_SHAPE_OBJECT_2025_10)
		attributes = zinc_json_member(e->item, "configuration");
	for (m = attributes ? attributes->first : NULL; m && st == ZINC_OK; m = m->next)
		if (e->c.shape == ZINC_SHAPE_OBJECT_2025_10 || owns(e, m->key))
			st = zinc_json_set(doc, object, m->key, zinc_json_copy(doc, m), err);
	if (st == ZINC_OK)
		st = object ? zinc_json_print_line(object, &text, err) : zinc_fail_nomem(err);
	if (st == ZINC_OK)
		st = zinc_buf_to_blob(&text, out, err);
	zinc_buf_fini(&text);
	zinc_json_free(doc);
	return st;
}

zinc_status
zinc_conventions_properties(zinc_hierarchy *h, const char *path, const char *id, zinc_blob *json,
			    const zinc_call_options *call, zinc_error *err)
{
	zinc_visit v;
	zinc_declared d = {.ctx = NULL};
	const zinc_entry *e;
	zinc_meta *m;
	zinc_report r;
	zinc_status st;

	ZINC_TRY(ZINC_NEED(id && json, err));
	ZINC_TRY(zinc_visit_begin(&v, &h, call, err));
	ZINC_TRY(zinc_node_read(h, path, &m, err));
	zinc_report_init_quiet(&r, h->ctx, false);
	st = zinc_declared_parse(&d, h->ctx, m->attributes, &r, err);
	if (st == ZINC_OK)
		st = zinc_declared_find(&d, id, &e, err);
	if (st == ZINC_OK)
		st = print_properties(h->ctx, m->attributes, e, json, err);
	zinc_declared_fini(&d);
	zinc_meta_free(m);
	return st;
}

/* ---- checking ---- */

struct checking {
	zinc_conventions *c;
	zinc_hierarchy *h;
	const char *path;
	const zinc_meta *m;
	zinc_verdict_fn fn;
	void *arg;
	zinc_report r;
	zinc_findings f;        /* of the current convention */
	zinc_findings declared; /* about declarations, until they are reported */
	unsigned before;        /* errors of its declaration */
	bool stopped;
};

/* Report what was found since the last time; a valid declaration is not reported. */
static zinc_status
hand_over(struct checking *k, const zinc_convention *convention, zinc_validity validity, zinc_error *err)
{
	zinc_verdict v = {sizeof v, convention, validity, NULL, 0};

	zinc_findings_close(&k->f);
	v.findings = zinc_findings_list(&k->f);
	v.nfindings = k->f.n;
	if (k->f.lost)
		return zinc_fail_nomem(err);
	if (k->f.errors > 0)
		v.validity = ZINC_INVALID;
	if (!k->stopped && (convention || v.nfindings > 0))
		k->stopped = k->fn(k->arg, &v) != 0;
	zinc_findings_empty(&k->f);
	return ZINC_OK;
}

/*
 * Most schemas of conventions describe the node's whole document, some only its attributes.  The former mention a member
 * `attributes`.
 */
static bool
wants_document(const zinc_json *schema)
{
	const zinc_json *all = zinc_json_member(schema, "allOf"), *v;

	if (zinc_json_member(zinc_json_member(schema, "properties"), "attributes"))
		return true;
	for (v = zinc_json_is(all, ZINC_JSON_ARRAY) ? all->first : NULL; v; v = v->next)
		if (zinc_json_member(zinc_json_member(v, "properties"), "attributes"))
			return true;
	return false;
}

/* The document as v3, with the attributes unchanged. */
static zinc_status
check_document(struct checking *k, zinc_schema *schema, zinc_error *err)
{
	zinc_json_doc *doc;
	zinc_json *root;
	zinc_status st;

	ZINC_TRY(zinc_json_new(&doc, k->h->ctx, err));
	root = zinc_json_copy(doc, zinc_meta_v3(k->m));
	st = root ? zinc_json_set(doc, root, "attributes", zinc_json_copy(doc, k->m->attributes), err)
		  : zinc_fail_nomem(err);
	if (st == ZINC_OK)
		st = zinc_schema_check(schema, root, &k->r, err);
	zinc_json_free(doc);
	return st;
}

/* A schema that is too costly, or refers to documents that are not available, is not an error of the node: it is a
 * warning.  Only a limit that was reached is an error, because it needs attention. */
static zinc_status
check_schema(struct checking *k, zinc_schema *schema, zinc_validity *validity, zinc_error *err)
{
	zinc_error e = ZINC_ERROR_INIT;
	zinc_status st;
	size_t mark;

	if (wants_document(zinc_schema_root(schema))) {
		st = check_document(k, schema, &e);
	} else {
		mark = zinc_report_enter(&k->r, "attributes");
		st = zinc_schema_check(schema, k->m->attributes, &k->r, &e);
		zinc_report_leave(&k->r, mark);
	}
	if (st == ZINC_E_NOMEM)
		return zinc_fail_nomem(err);
	*validity = st == ZINC_OK ? ZINC_VALID : ZINC_UNCHECKED;
	if (st == ZINC_E_LIMIT)
		(void)zinc_report_error(&k->r, "schema", NULL, "%s", e.text);
	else if (st != ZINC_OK)
		(void)zinc_report_lenient(&k->r, st == ZINC_E_NOTFOUND ? "C15" : "schema", NULL, "not checked: %s",
					  e.text);
	return ZINC_OK;
}

/* Rules beyond the schema rely on it, so they run only if it holds. */
static zinc_status
check_rules(struct checking *k, const zinc_entry *e, zinc_error *err)
{
	const zinc_subject s = {k->h, k->path,
				k->m, k->m->attributes,
				e,    e->c.shape != ZINC_SHAPE_CURRENT || strstr(e->c.schema_url, "/v0.1.0/")};
	const bool allowed = k->m->kind == ZINC_NODE_ARRAY ? e->row->arrays : e->row->groups;
	const size_t mark = zinc_report_enter(&k->r, "attributes");
	zinc_status st = ZINC_OK;

	if (!allowed)
		(void)zinc_report_error(&k->r, e->row->name, NULL, "%s cannot have this convention",
					k->m->kind == ZINC_NODE_ARRAY ? "an array" : "a group");
	else if (e->row->check && k->f.errors == k->before) /* rules may rely on the schema */
		st = e->row->check(&s, &k->r, err);
	zinc_report_leave(&k->r, mark);
	return st;
}

/* C11: the properties of a convention should have a common prefix or key. */
static void
check_prefixes(struct checking *k, const zinc_entry *e, const zinc_json *schema)
{
	const zinc_json *properties = zinc_json_member(schema, "properties"), *m;
	unsigned bare = 0;

	if (e->row || wants_document(schema) || !zinc_json_is(properties, ZINC_JSON_OBJECT))
		return;
	for (m = properties->first; m; m = m->next)
		bare += !strchr(m->key, ':') && strcmp(m->key, "zarr_conventions") != 0;
	if (bare > 1)
		(void)zinc_report_lenient(&k->r, "C11", NULL,
					  "the convention's %u properties should have a prefix, or one key above them",
					  bare);
}

/* Check against one schema, if there is one; *validity never gets worse. */
static zinc_status
check_against(struct checking *k, const zinc_entry *e, bool builtin, zinc_validity *validity, zinc_error *err)
{
	zinc_schema *schema;

	ZINC_TRY(zinc_conventions_schema(k->c, e, builtin, &schema, &k->r, err));
	if (!schema)
		return ZINC_OK;
	check_prefixes(k, e, zinc_schema_root(schema));
	return check_schema(k, schema, validity, err);
}

static zinc_status
check_entry(struct checking *k, const zinc_entry *e, zinc_error *err)
{
	zinc_validity validity = ZINC_UNCHECKED, other = ZINC_UNCHECKED;

	zinc_findings_move(&k->f, &k->declared, e->c.pointer);
	k->before = k->f.errors;
	if (e->c.shape == ZINC_SHAPE_OBJECT_2025_10) { /* no current schema describes these */
		(void)zinc_report_lenient(&k->r, "C10", NULL, "not checked: its properties are in the declaration");
		return hand_over(k, &e->c, ZINC_UNCHECKED, err);
	}
	if (e->row) {
		if (e->row->schema)
			ZINC_TRY(check_against(k, e, true, &validity, err));
		if (validity == ZINC_VALID || !e->row->schema)
			ZINC_TRY(check_rules(k, e, err));
	}
	ZINC_TRY(check_against(k, e, false, &other, err));
	return hand_over(k, &e->c, e->row ? validity : other, err);
}

/* C12: attributes with the prefix of a built-in convention do not count without a declaration. */
static void
check_implicit(struct checking *k, const zinc_declared *d)
{
	const zinc_convention_row *row;
	const zinc_json *m;
	size_t i, j;

	for (i = 0; (row = zinc_convention_row_at(i)); i++) {
		if (!row->prefix || row->prefix[strlen(row->prefix) - 1] != ':')
			continue;
		for (j = 0; j < d->n && d->entries[j].row != row; j++)
			;
		for (m = j == d->n ? k->m->attributes->first : NULL; m; m = m->next)
			if (zinc_convention_owns(row, m->key)) {
				(void)zinc_report_lenient(&k->r, "C12", NULL,
							  "\"%.60s\" is present, but the convention %s is not declared",
							  m->key, row->name);
				break;
			}
	}
}

/* The member with the version: "ome", or before 0.5 the first image of "multiscales".  NULL: it is not OME-Zarr. */
static const zinc_json *
find_ome(const zinc_json *attributes)
{
	const zinc_json *v = zinc_json_member(attributes, "ome");

	if (zinc_json_is(v, ZINC_JSON_OBJECT))
		return v;
	v = zinc_ome_multiscales(attributes);
	v = v ? v->first : NULL;
	return zinc_json_is(zinc_json_member(v, "datasets"), ZINC_JSON_ARRAY) ? v : NULL;
}

/* OME-Zarr is listed beside declared conventions, because users expect it there; it is never an error. */
static zinc_status
check_ome(struct checking *k, zinc_error *err)
{
	const zinc_json *ome = find_ome(k->m->attributes), *version = zinc_json_member(ome, "version");
	bool old = ome && strcmp(ome->key ? ome->key : "", "ome") != 0;
	zinc_convention c = {.size = sizeof c,
			     .id = "ome",
			     .uuid = "",
			     .schema_url = "",
			     .spec_url = "",
			     .name = "OME-Zarr",
			     .description = "",
			     .known = "ome",
			     .title = "OME-Zarr",
			     .version = zinc_json_is(version, ZINC_JSON_STRING) ? version->text : "",
			     .pointer = old ? "/attributes/multiscales" : "/attributes/ome",
			     .shape = ZINC_SHAPE_NONE};
	const zinc_subject s = {k->h, k->path, k->m, k->m->attributes, NULL, false};
	size_t mark;

	if (!ome)
		return ZINC_OK;
	mark = zinc_report_enter(&k->r, "attributes");
	ZINC_TRY(zinc_ome_check(&s, &k->r, err));
	zinc_report_leave(&k->r, mark);
	return hand_over(k, &c, ZINC_VALID, err);
}

/* Findings about an entry are reported with it; the others are about the declaration as a whole and come first. */
static zinc_status
hand_over_rest(struct checking *k, const zinc_declared *d, zinc_error *err)
{
	zinc_findings mine = {.ctx = k->f.ctx};
	size_t i;

	for (i = 0; i < d->n; i++)
		zinc_findings_move(&mine, &k->f, d->entries[i].c.pointer);
	k->declared = mine;
	return hand_over(k, NULL, ZINC_VALID, err);
}

static zinc_status
check_node(struct checking *k, zinc_error *err)
{
	zinc_declared d;
	zinc_status st;
	size_t i;

	st = zinc_declared_parse(&d, k->h->ctx, k->m->attributes, &k->r, err);
	if (st == ZINC_OK) {
		check_implicit(k, &d);
		st = hand_over_rest(k, &d, err);
	}
	for (i = 0; i < d.n && st == ZINC_OK && !k->stopped; i++)
		st = check_entry(k, &d.entries[i], err);
	if (st == ZINC_OK && !k->stopped)
		st = check_ome(k, err);
	zinc_declared_fini(&d);
	return st;
}

zinc_status
zinc_conventions_check(zinc_conventions *c, zinc_hierarchy *h, const char *path, zinc_verdict_fn fn, void *arg,
		       const zinc_call_options *call, zinc_error *err)
{
	zinc_visit v;
	zinc_conventions_options o = ZINC_CONVENTIONS_OPTIONS_INIT;
	zinc_conventions *mine = NULL;
	struct checking k = {.c = c, .h = h, .fn = fn, .arg = arg};
	zinc_meta *m = NULL;
	zinc_status st;
	char *node;

	ZINC_TRY(ZINC_NEED(fn, err));
	ZINC_TRY(zinc_visit_begin(&v, &h, call, err));
	ZINC_TRY(zinc_path_normalise(&node, h, path, err));
	st = zinc_node_read(h, node, &m, err);
	if (st == ZINC_OK && m->attributes && !c) {
		o.context = h->ctx;
		st = zinc_conventions_new(&mine, &o, err);
		k.c = mine;
	}
	if (st == ZINC_OK && m->attributes) {
		k.m = m;
		k.path = k.f.path = node;
		k.f.ctx = k.declared.ctx = h->ctx;
		zinc_report_init(&k.r, h->ctx, false, h->url);
		k.r.found = zinc_findings_add;
		k.r.arg = &k.f;
		k.c->wait = h->wait;
		st = check_node(&k, err);
		k.c->wait = NULL;
		zinc_findings_fini(&k.declared);
		zinc_findings_fini(&k.f);
	}
	zinc_conventions_free(mine);
	zinc_meta_free(m);
	zinc_free(h->ctx, node);
	return st;
}
