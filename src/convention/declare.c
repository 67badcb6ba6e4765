/*
 * declare.c - adding and removing the declaration of a convention
 *
 * Promises:
 *
 * (1) The edit is applied to the stored document under the store's lock or compare-and-swap: concurrent declarations lose
 *     nothing, and no other attribute changes.
 * (2) A new entry takes the requested shape; else that of the existing entries (zinc_conventions_add), or LIST_2025_11 for
 *     a URL and CURRENT for a registered convention (zinc_conventions_declare).
 * (3) A malformed declaration is not changed: E_CORRUPT.
 */
#include "convention/convention.h"

struct declare {
	zinc_context *ctx;
	const char *id;
	const zinc_convention_row *row; /* of `id`; NULL: not built in */
	zinc_convention_shape shape;
	bool fixed; /* `shape` was requested */
	bool joins; /* else the shape of existing entries comes before `shape` */
	zinc_declare_options o;
};

static const char *
first_of(const char *const *list)
{
	return list && *list ? *list : NULL;
}

static zinc_status
set_text(zinc_json_doc *doc, zinc_json *object, const char *key, const char *text, zinc_error *err)
{
	return text ? zinc_json_set(doc, object, key, zinc_json_make_string(doc, text), err) : ZINC_OK;
}

/* The URL of a convention that is not built in: of a schema, unless it looks like a document for people. */
static bool
names_spec(const char *url)
{
	const size_t n = strlen(url);

	return n > 3 && (strcmp(url + n - 3, ".md") == 0 || (n > 5 && strcmp(url + n - 5, ".html") == 0) ||
			 (n > 4 && strcmp(url + n - 4, ".rst") == 0));
}

/* Identifiers of the new entry; NULL where there is none. */
struct ids {
	const char *uuid, *schema, *spec;
};

/* A built-in convention gets all three, so that old and new readers find theirs. */
static struct ids
find_ids(const struct declare *d)
{
	struct ids ids = {NULL, NULL, NULL};

	if (d->row)
		ids = (struct ids){d->row->uuid, first_of(d->row->schemas), first_of(d->row->specs)};
	else if (zinc_is_uuid(d->id))
		ids.uuid = d->id;
	else if (d->o.schema || (!d->o.spec && names_spec(d->id)))
		ids.spec = d->id;
	else
		ids.schema = d->id;
	if (d->o.schema)
		ids.schema = d->o.schema;
	if (d->o.spec)
		ids.spec = d->o.spec;
	return ids;
}

static const char *
or_else(const char *a, const char *b)
{
	return a ? a : b;
}

/* The object shapes have the uuid as the name of the member. */
static zinc_status
fill_item(const struct declare *d, zinc_json_doc *doc, zinc_json *item, zinc_error *err)
{
	const bool live = d->shape == ZINC_SHAPE_CURRENT;
	const struct ids ids = find_ids(d);
	const char *name = d->row ? or_else(d->row->prefix, d->row->name) : NULL;

	if (d->shape == ZINC_SHAPE_LIST_2025_11 && !ids.schema && !ids.spec)
		return zinc_fail(err, ZINC_E_INVALID, "a declaration with \"schema\" and \"spec\" cannot have a uuid");
	ZINC_TRY(set_text(doc, item, "uuid", live ? ids.uuid : NULL, err));
	ZINC_TRY(set_text(doc, item, live ? "schema_url" : "schema", ids.schema, err));
	ZINC_TRY(set_text(doc, item, live ? "spec_url" : "spec", ids.spec, err));
	ZINC_TRY(set_text(doc, item, "name", or_else(d->o.name, name), err));
	return set_text(doc, item, "description", or_else(d->o.description, d->row ? d->row->description : NULL), err);
}

/* The object shapes identify by uuid. */
static zinc_status
add_member(const struct declare *d, zinc_json_doc *doc, zinc_json *object, zinc_error *err)
{
	const char *uuid = d->row ? d->row->uuid : d->id;
	zinc_json *item = zinc_json_make(doc, ZINC_JSON_OBJECT);

	if (!zinc_is_uuid(uuid))
		return zinc_fail(err, ZINC_E_INVALID,
				 "the existing declaration is by uuid, and \"%.200s\" is not a uuid", d->id);
	ZINC_TRY(fill_item(d, doc, item, err));
	return zinc_json_set(doc, object, uuid, item, err);
}

/* The container of the new entry: the existing declaration, or a new list. */
static zinc_status
add_entry(struct declare *d, zinc_convention_shape there, zinc_json_doc *doc, zinc_json *attributes, zinc_error *err)
{
	const char *key = there == ZINC_SHAPE_OBJECT_2025_10 ? "zarr_conventions_metadata" : "zarr_conventions";
	zinc_json *at = zinc_json_member(attributes, key), *item;

	if (d->fixed && there >= ZINC_SHAPE_OBJECT_2025_11 && there != ZINC_SHAPE_NONE && at->n > 0)
		return zinc_fail(err, ZINC_E_INVALID,
				 "the existing declaration is by uuid, and cannot take an entry of another shape");
	if (there != ZINC_SHAPE_NONE && at->n > 0 && (d->joins || there >= ZINC_SHAPE_OBJECT_2025_11))
		d->shape = there;
	if (d->shape >= ZINC_SHAPE_OBJECT_2025_11)
		return add_member(d, doc, at, err);
	if (!at) {
		at = zinc_json_make(doc, ZINC_JSON_ARRAY);
		ZINC_TRY(zinc_json_set(doc, attributes, key, at, err));
	}
	item = zinc_json_make(doc, ZINC_JSON_OBJECT);
	ZINC_TRY(zinc_json_append(at, item, err));
	return fill_item(d, doc, item, err);
}

/* The existing declaration; E_CORRUPT when it is malformed. */
static zinc_status
read_declaration(zinc_declared *out, zinc_context *ctx, const zinc_json *attributes, zinc_error *err)
{
	zinc_report r;
	zinc_json *v = zinc_json_member(attributes, "zarr_conventions");

	zinc_report_init_quiet(&r, ctx, false);
	ZINC_TRY(zinc_declared_parse(out, ctx, attributes, &r, err));
	if (v && out->shape == ZINC_SHAPE_NONE)
		return zinc_fail_rule(err, ZINC_E_CORRUPT, "C2",
				      "zarr_conventions is no list; zinc attrs can set it to []");
	return ZINC_OK;
}

/* Compared by all identifiers, so that a convention is not declared twice under two URLs. */
static zinc_status
add(void *arg, zinc_json_doc *doc, zinc_json *attributes, zinc_error *err)
{
	struct declare d = *(const struct declare *)arg; /* an edit may run more than once */
	zinc_declared there;
	const zinc_entry *e;
	zinc_error miss;
	zinc_status st = read_declaration(&there, d.ctx, attributes, err);

	if (st == ZINC_OK) {
		st = zinc_declared_find(&there, d.id, &e, &miss);
		if (st == ZINC_E_NOTFOUND)
			st = add_entry(&d, there.shape, doc, attributes, err);
		else
			st = zinc_fail(err, ZINC_E_EXISTS, "the node already declares \"%.200s\"", d.id);
	}
	zinc_declared_fini(&there);
	return st;
}

/* Lists are rebuilt without the item: JSON documents have no other way. */
static zinc_status
remove_item(zinc_json_doc *doc, zinc_json *attributes, const zinc_json *item, zinc_error *err)
{
	const zinc_json *list = zinc_json_member(attributes, "zarr_conventions"), *v;
	zinc_json *rest = zinc_json_make(doc, ZINC_JSON_ARRAY);

	for (v = list->first; v; v = v->next)
		if (v != item)
			ZINC_TRY(zinc_json_append(rest, zinc_json_copy(doc, v), err));
	return zinc_json_set(doc, attributes, "zarr_conventions", rest, err);
}

static zinc_status
take_away(void *arg, zinc_json_doc *doc, zinc_json *attributes, zinc_error *err)
{
	const struct declare *d = arg;
	zinc_declared there;
	const zinc_entry *e;
	zinc_status st = read_declaration(&there, d->ctx, attributes, err);

	if (st == ZINC_OK)
		st = zinc_declared_find(&there, d->id, &e, err);
	if (st == ZINC_OK && e->c.shape <= ZINC_SHAPE_LIST_2025_11)
		st = remove_item(doc, attributes, e->item, err);
	else if (st == ZINC_OK)
		(void)zinc_json_remove(e->item->parent, e->c.uuid);
	zinc_declared_fini(&there);
	return st;
}

static zinc_status
start(struct declare *d, zinc_hierarchy *h, const char *id, zinc_error *err)
{
	d->ctx = h->ctx;
	d->id = id;
	d->row = zinc_convention_find(id, true);
	if (!d->row && !zinc_is_uuid(id) && !zinc_is_url(id))
		return zinc_fail(err, ZINC_E_INVALID, "\"%.200s\" is not a URL, uuid or built-in convention", id);
	return ZINC_OK;
}

zinc_status
zinc_conventions_add(zinc_hierarchy *h, const char *path, const char *id, zinc_convention_shape shape,
		     const zinc_call_options *call, zinc_error *err)
{
	zinc_visit v;
	struct declare d = {.shape = shape, .joins = true};

	ZINC_TRY(ZINC_NEED(id, err));
	ZINC_TRY(zinc_visit_begin(&v, &h, call, err));
	if (shape != ZINC_SHAPE_CURRENT && shape != ZINC_SHAPE_LIST_2025_11)
		return zinc_fail(err, ZINC_E_INVALID, "new declarations have the shape CURRENT or LIST_2025_11");
	ZINC_TRY(start(&d, h, id, err));
	return zinc_attributes_change(h, path, add, &d, err);
}

/* The options, with defaults for those not given. */
static zinc_status
take_options(struct declare *d, zinc_error *err)
{
	const zinc_declare_options *o = &d->o;

	d->fixed = o->shape != NULL;
	d->shape = zinc_is_url(d->id) ? ZINC_SHAPE_LIST_2025_11 : ZINC_SHAPE_CURRENT;
	if (o->shape && strcmp(o->shape, "live") != 0 && strcmp(o->shape, "seed") != 0)
		return zinc_fail(err, ZINC_E_INVALID, "new declarations have the shape \"live\" or \"seed\"");
	if (o->shape)
		d->shape = strcmp(o->shape, "seed") == 0 ? ZINC_SHAPE_LIST_2025_11 : ZINC_SHAPE_CURRENT;
	if ((o->schema && !zinc_is_url(o->schema)) || (o->spec && !zinc_is_url(o->spec)))
		return zinc_fail(err, ZINC_E_INVALID, "schema and specification must be URLs");
	return ZINC_OK;
}

zinc_status
zinc_conventions_declare(zinc_hierarchy *h, const char *path, const char *id, const zinc_declare_options *options,
			 zinc_error *err)
{
	struct declare d = {.shape = ZINC_SHAPE_CURRENT};
	zinc_visit v;

	ZINC_TRY(ZINC_NEED(id, err));
	ZINC_TRY(zinc_options_take(&d.o, sizeof d.o, options, err));
	ZINC_TRY(zinc_visit_begin(&v, &h, d.o.call, err));
	ZINC_TRY(start(&d, h, id, err));
	ZINC_TRY(take_options(&d, err));
	return zinc_attributes_change(h, path, add, &d, err);
}

zinc_status
zinc_conventions_remove(zinc_hierarchy *h, const char *path, const char *id, const zinc_call_options *call,
			zinc_error *err)
{
	zinc_visit v;
	struct declare d = {.shape = ZINC_SHAPE_CURRENT};

	ZINC_TRY(ZINC_NEED(id, err));
	ZINC_TRY(zinc_visit_begin(&v, &h, call, err));
	ZINC_TRY(start(&d, h, id, err));
	return zinc_attributes_change(h, path, take_away, &d, err);
}
