/*
 * declare.c - adding and removing the declaration of a convention
 *
 * Promises:
 *
 * (1) The edit is made from what is stored, under the store's exclusion: of declarations made at the same time none is
 *     lost, and no other attribute is touched.
 * (2) A new entry takes the shape of those that are there.
 * (3) What is malformed is not touched: E_CORRUPT.
 */
#include "node/convention.h"

struct declare {
	zinc_context *ctx;
	const char *id;
	const zinc_convention_row *row; /* of `id`; NULL: not built in */
	zinc_convention_shape shape;
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

/* A URL that is no built-in convention's: of a schema, unless it looks like a text for people. */
static bool
names_spec(const char *url)
{
	const size_t n = strlen(url);

	return n > 3 && (strcmp(url + n - 3, ".md") == 0 || (n > 5 && strcmp(url + n - 5, ".html") == 0) ||
			 (n > 4 && strcmp(url + n - 4, ".rst") == 0));
}

/* What identifies the new entry; NULL where there is no such thing. */
struct ids {
	const char *uuid, *schema, *spec;
};

/* A built-in convention gets all three, so that readers of either age find what they look for. */
static struct ids
find_ids(const struct declare *d)
{
	if (d->row)
		return (struct ids){d->row->uuid, first_of(d->row->schemas), first_of(d->row->specs)};
	if (zinc_is_uuid(d->id))
		return (struct ids){d->id, NULL, NULL};
	return names_spec(d->id) ? (struct ids){NULL, NULL, d->id} : (struct ids){NULL, d->id, NULL};
}

/* November and October have the uuid as the name of the member. */
static zinc_status
fill_item(const struct declare *d, zinc_json_doc *doc, zinc_json *item, zinc_error *err)
{
	const bool live = d->shape == ZINC_SHAPE_LIVE;
	const struct ids ids = find_ids(d);

	if (d->shape == ZINC_SHAPE_SEED && !ids.schema && !ids.spec)
		return zinc_fail(err, ZINC_E_INVALID,
				 "a declaration with \"schema\" and \"spec\" has no place for a uuid");
	ZINC_TRY(set_text(doc, item, "uuid", live ? ids.uuid : NULL, err));
	ZINC_TRY(set_text(doc, item, live ? "schema_url" : "schema", ids.schema, err));
	ZINC_TRY(set_text(doc, item, live ? "spec_url" : "spec", ids.spec, err));
	if (!d->row)
		return ZINC_OK;
	ZINC_TRY(set_text(doc, item, "name", d->row->prefix ? d->row->prefix : d->row->name, err));
	return set_text(doc, item, "description", d->row->description, err);
}

/* November and October go by uuid. */
static zinc_status
add_member(const struct declare *d, zinc_json_doc *doc, zinc_json *object, zinc_error *err)
{
	const char *uuid = d->row ? d->row->uuid : d->id;
	zinc_json *item = zinc_json_make(doc, ZINC_JSON_OBJECT);

	if (!zinc_is_uuid(uuid))
		return zinc_fail(err, ZINC_E_INVALID, "the declaration there goes by uuid, which \"%.200s\" is not",
				 d->id);
	ZINC_TRY(fill_item(d, doc, item, err));
	return zinc_json_set(doc, object, uuid, item, err);
}

/* Where the new entry goes: what is there, or a new list. */
static zinc_status
add_entry(struct declare *d, zinc_convention_shape there, zinc_json_doc *doc, zinc_json *attributes, zinc_error *err)
{
	const char *key = there == ZINC_SHAPE_OCTOBER ? "zarr_conventions_metadata" : "zarr_conventions";
	zinc_json *at = zinc_json_member(attributes, key), *item;

	if (there != ZINC_SHAPE_NONE && at->n > 0)
		d->shape = there;
	if (d->shape >= ZINC_SHAPE_NOVEMBER)
		return add_member(d, doc, at, err);
	if (!at) {
		at = zinc_json_make(doc, ZINC_JSON_ARRAY);
		ZINC_TRY(zinc_json_set(doc, attributes, key, at, err));
	}
	item = zinc_json_make(doc, ZINC_JSON_OBJECT);
	ZINC_TRY(zinc_json_append(at, item, err));
	return fill_item(d, doc, item, err);
}

/* What is there, or E_CORRUPT when that is no declaration. */
static zinc_status
read_declaration(zinc_declared *out, zinc_context *ctx, const zinc_json *attributes, zinc_error *err)
{
	zinc_report r;
	zinc_json *v = zinc_json_member(attributes, "zarr_conventions");

	zinc_report_init_quiet(&r, ctx, false);
	ZINC_TRY(zinc_declared_parse(out, ctx, attributes, &r, err));
	if (v && out->shape == ZINC_SHAPE_NONE)
		return zinc_fail(err, ZINC_E_CORRUPT,
				 "zarr_conventions is no list; zinc attrs can set it to [] (rule C2)");
	return ZINC_OK;
}

/* Found by any identifier that it has, so that a convention is not declared twice under two URLs. */
static zinc_status
add(void *arg, zinc_json_doc *doc, zinc_json *attributes, zinc_error *err)
{
	struct declare d = *(const struct declare *)arg; /* an edit may be made more than once */
	zinc_declared there;
	const zinc_entry *e;
	zinc_error miss;
	zinc_status s = read_declaration(&there, d.ctx, attributes, err);

	if (s == ZINC_OK) {
		s = zinc_declared_find(&there, d.id, &e, &miss);
		if (s == ZINC_E_NOTFOUND)
			s = add_entry(&d, there.shape, doc, attributes, err);
		else
			s = zinc_fail(err, ZINC_E_EXISTS, "the node declares \"%.200s\" already", d.id);
	}
	zinc_declared_fini(&there);
	return s;
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
	zinc_status s = read_declaration(&there, d->ctx, attributes, err);

	if (s == ZINC_OK)
		s = zinc_declared_find(&there, d->id, &e, err);
	if (s == ZINC_OK && e->c.shape <= ZINC_SHAPE_SEED)
		s = remove_item(doc, attributes, e->item, err);
	else if (s == ZINC_OK)
		(void)zinc_json_remove(e->item->parent, e->c.uuid);
	zinc_declared_fini(&there);
	return s;
}

static zinc_status
start(struct declare *d, zinc_hierarchy *h, const char *id, zinc_error *err)
{
	if (!id)
		return zinc_fail(err, ZINC_E_INVALID, "no identifier");
	d->ctx = h->ctx;
	d->id = id;
	d->row = zinc_convention_find(id, true);
	if (!d->row && !zinc_is_uuid(id) && !zinc_is_url(id))
		return zinc_fail(err, ZINC_E_INVALID, "\"%.200s\" is no URL, no uuid and no built-in convention", id);
	return ZINC_OK;
}

zinc_status
zinc_conventions_add(zinc_hierarchy *h, const char *path, const char *id, zinc_convention_shape shape, zinc_error *err)
{
	struct declare d = {.shape = shape};

	if (shape != ZINC_SHAPE_LIVE && shape != ZINC_SHAPE_SEED)
		return zinc_fail(err, ZINC_E_INVALID, "new declarations have the live shape or the seed's");
	ZINC_TRY(start(&d, h, id, err));
	return zinc_attributes_change(h, path, add, &d, err);
}

zinc_status
zinc_conventions_remove(zinc_hierarchy *h, const char *path, const char *id, zinc_error *err)
{
	struct declare d = {.shape = ZINC_SHAPE_LIVE};

	ZINC_TRY(start(&d, h, id, err));
	return zinc_attributes_change(h, path, take_away, &d, err);
}
