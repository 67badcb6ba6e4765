/*
 * face_v3_document.c - the text of zarr.json
 *
 * Promises (tests/unit/test_face_v3.c names each by its number):
 *
 * (1) Documents are strict JSON: NaN and infinities in attributes become strings.
 * (2) The consolidated metadata of a group has every node below it that can be served, as its stored document says where the
 *     source can be listed quickly; elsewhere that of the source is believed.  If it would be longer than
 *     FACE_DOCUMENT_BYTES, or the store cannot list, it is left out.  Other failures of the store are errors, never a group
 *     that seems to be empty; a document that nobody lets us read is as one that is damaged.
 * (3) Attributes by which readers of CF would decode other values than those served are renamed: "units" of an array of
 *     dates becomes "stored_units", and so on.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "face_v3.h"

/* ---- arrays ---- */

static bool
is_one_of(const char *name, const char *const *list)
{
	while (*list && strcmp(*list, name) != 0)
		list++;
	return *list != NULL;
}

/* Promise (3). */
static bool
misleads(const struct leaf *leaf, const char *name)
{
	static const char *const of_missing[] = {"_FillValue", "missing_value", NULL};
	static const char *const of_times[] = {"units",     "calendar",    "scale_factor", "add_offset", "valid_min",
					       "valid_max", "valid_range", "dtype",        "time_units", NULL};

	if (leaf->kind == LEAF_SAME)
		return false;
	return is_one_of(name, of_missing) ||
	       ((leaf->kind == LEAF_DATE || leaf->kind == LEAF_SPAN) && is_one_of(name, of_times));
}

static void
add_member(struct text *t, bool *any, const char *prefix, const char *name, const char *json)
{
	struct text key = TEXT_INIT(FACE_DOCUMENT_BYTES);
	char *whole;

	text_add(&key, prefix);
	text_add(&key, name);
	whole = text_take(&key);
	text_add(t, *any ? "," : "");
	text_quote(t, whole ? whole : name);
	t->no_memory = t->no_memory || !whole;
	text_add(t, ":");
	text_strict(t, json);
	*any = true;
	free(whole);
}

/* xarray takes integers with units for spans of time only if it is told so; it knows no units above seconds. */
static void
add_span_type(struct text *t, bool *any, const char *unit)
{
	static const struct {
		const char *unit, *type;
	} small[] = {{"milliseconds", "\"timedelta64[ms]\""}, {"microseconds", "\"timedelta64[us]\""},
		     {"nanoseconds", "\"timedelta64[ns]\""},  {"days", "\"timedelta64[s]\""},
		     {"hours", "\"timedelta64[s]\""},         {"minutes", "\"timedelta64[s]\""},
		     {"seconds", "\"timedelta64[s]\""}};
	size_t i;

	for (i = 0; i < sizeof small / sizeof *small; i++)
		if (!strcmp(small[i].unit, unit))
			add_member(t, any, "", "dtype", small[i].type);
}

/* Readers of CF fail at shorter units, or take them for plain numbers with rounding. */
static bool
is_of_cf(const char *unit)
{
	static const char *const shorter[] = {"picoseconds", "femtoseconds", "attoseconds", NULL};

	return !is_one_of(unit, shorter);
}

static void
add_times(struct text *t, bool *any, const struct leaf *leaf)
{
	struct text unit = TEXT_INIT(256);
	char *json;

	add_member(t, any, "", "_FillValue", "-9223372036854775808");
	if (!leaf->time.unit)
		return;
	text_add(&unit, "\"");
	text_add(&unit, leaf->time.unit);
	text_add(&unit, leaf->kind == LEAF_DATE ? " since 1970-01-01\"" : "\"");
	json = text_take(&unit);
	t->no_memory = t->no_memory || !json;
	add_member(t, any, "", is_of_cf(leaf->time.unit) ? "units" : "time_units", json ? json : "null");
	free(json);
	if (leaf->kind == LEAF_SPAN)
		add_span_type(t, any, leaf->time.unit);
	if (leaf->kind == LEAF_DATE)
		add_member(t, any, "", "calendar", "\"proleptic_gregorian\"");
}

/* "stored_", unless the source has an attribute of that name already. */
static const char *
prefix_of(const struct items *own, const char *name)
{
	size_t i;

	for (i = 0; i < own->n; i++)
		if (!strncmp(own->keys[i], "stored_", 7) && !strcmp(own->keys[i] + 7, name))
			return "source_";
	return "stored_";
}

/* The i-th attribute of the source; one that the face has itself is renamed, or only spelled anew. */
static void
add_own(struct text *t, bool *any, const struct recipe *r, const struct items *own, size_t i)
{
	const char *name = own->keys[i];
	const bool other = (r->missing || r->unsuited) && !strcmp(name, "_FillValue");

	if (!other || !r->replaces)
		add_member(t, any, other || misleads(&r->leaf, name) ? prefix_of(own, name) : "", name, own->values[i]);
}

/* Other formats than version 3 name dimensions by an attribute. */
static bool
are_names(const struct items *d, const char *name, const char *json)
{
	const char *names = items_find(d, "dimension_names"), *format = items_find(d, "format");

	return !strcmp(name, "_ARRAY_DIMENSIONS") && names && !strcmp(names, json) && format &&
	       strcmp(format, "\"v3\"") != 0;
}

static void
add_attributes(struct text *t, const struct recipe *r, const struct items *d)
{
	const char *attributes = items_find(d, "attributes");
	const struct leaf *leaf = &r->leaf;
	struct text said = TEXT_INIT(FACE_DOCUMENT_BYTES);
	struct items x = {NULL, NULL, 0, false};
	bool any = false;
	size_t i;

	text_add(t, "{");
	if (!leaf->record && attributes && !json_split(attributes, &x))
		t->no_memory = true;
	for (i = 0; i < x.n; i++)
		if (!are_names(d, x.keys[i], x.values[i]))
			add_own(t, &any, r, &x, i);
	items_free(&x);
	if (leaf->said) {
		text_quote(&said, leaf->said);
		add_member(t, &any, "", "field_name", said.p ? said.p : "null");
		text_free(&said);
	}
	if (r->missing)
		add_member(t, &any, "", "_FillValue", r->missing);
	if (leaf->kind == LEAF_DATE || leaf->kind == LEAF_SPAN)
		add_times(t, &any, leaf);
	text_add(t, "}");
}

/* The name of a trailing axis: "complex", or of a sub-array "field_0". */
static void
add_axis_name(struct text *t, const struct leaf *leaf, int axis)
{
	struct text name = TEXT_INIT(8192);
	const char *last = strrchr(leaf->name, '/');
	char *whole;

	if (leaf->kind == LEAF_COMPLEX && axis == leaf->naxes - 1) {
		text_add(t, ",\"complex\"");
		return;
	}
	text_add(&name, last ? last + 1 : leaf->name);
	text_add(&name, "_");
	text_u64(&name, (uint64_t)axis);
	whole = text_take(&name);
	text_add(t, ",");
	text_quote(t, whole ? whole : "");
	free(whole);
}

/* Nothing if the array has no names. */
static void
add_names(struct text *t, const struct leaf *leaf, const char *names)
{
	const size_t n = names ? strlen(names) : 0;
	int i;

	if (n < 2 || names[0] != '[')
		return;
	text_add(t, ",\"dimension_names\":");
	text_bytes(t, names, n - 1);
	for (i = 0; i < leaf->naxes; i++) {
		struct text one = TEXT_INIT(16384);

		add_axis_name(&one, leaf, i);
		if (one.p)
			text_add(t, n == 2 && i == 0 ? one.p + 1 : one.p);
		text_free(&one);
	}
	text_add(t, "]");
}

char *
document_of_array(const struct recipe *r, const struct items *d, const char *codecs)
{
	struct text t = TEXT_INIT(FACE_DOCUMENT_BYTES);

	text_add(&t, "{\"zarr_format\":3,\"node_type\":\"array\",\"shape\":[");
	text_list(&t, r->shape, r->ndim);
	text_add(&t, "],\"data_type\":");
	text_add(&t, r->leaf.type);
	text_add(&t, ",\"chunk_grid\":{\"name\":\"regular\",\"configuration\":{\"chunk_shape\":[");
	text_list(&t, r->chunk, r->ndim);
	text_add(&t, "]}},\"chunk_key_encoding\":{\"name\":\"default\",\"configuration\":{\"separator\":\"/\"}},"
		     "\"fill_value\":");
	text_add(&t, r->leaf.fill);
	text_add(&t, ",\"codecs\":");
	text_add(&t, codecs);
	text_add(&t, ",\"attributes\":");
	add_attributes(&t, r, d);
	add_names(&t, &r->leaf, items_find(d, "dimension_names"));
	text_add(&t, "}");
	return text_take(&t);
}

/* ---- groups ---- */

void
document_begin_group(struct text *t, const char *attributes)
{
	text_add(t, "{\"zarr_format\":3,\"node_type\":\"group\",\"attributes\":");
	text_strict(t, attributes);
}

static void
begin_copies(struct text *t)
{
	text_add(t, ",\"consolidated_metadata\":{\"kind\":\"inline\",\"must_understand\":false,\"metadata\":{");
}

/* What is served for an array, except its first `skip` recipes, under `name`. */
static void
add_copies(struct text *t, bool *any, const char *name, const struct recipes *x, size_t skip)
{
	const size_t above = skip ? strlen(x->r[skip - 1].leaf.name) : 0;
	size_t i;

	for (i = skip; i < x->n; i++) {
		const char *field = x->r[i].leaf.name;
		struct text path = TEXT_INIT(1u << 20);
		char *whole;

		if (skip && above && (strncmp(field, x->r[skip - 1].leaf.name, above) != 0 || field[above] != '/'))
			break; /* fields of one record follow each other */
		if (skip && above)
			field += above + 1;
		text_add(&path, name);
		text_add(&path, *name && *field ? "/" : "");
		text_add(&path, field);
		whole = text_take(&path);
		text_add(t, *any ? "," : "");
		text_quote(t, whole ? whole : "");
		t->no_memory = t->no_memory || !whole;
		text_add(t, ":");
		text_add(t, x->r[i].document);
		*any = true;
		free(whole);
	}
}

struct walk {
	struct text *t;
	zinc_hierarchy *twins;
	size_t above; /* bytes of the group's path and the '/' behind it */
	bool any;
	char *damaged; /* path of the last node that has a problem: readers cannot open what is below it */
};

/* Will it be the same next time?  What is no file, or is not for us; others may be read later. */
static bool
is_lasting(const zinc_error *err)
{
	static const int reasons[] = {EACCES, EPERM, ELOOP, EXDEV, EISDIR, ENOTDIR, ENXIO};
	size_t i;

	if (!err->shown)
		return false;
	for (i = 0; i < sizeof reasons / sizeof *reasons; i++)
		if (err->os_error == reasons[i])
			return true;
	return false;
}

static void
copy_array(struct walk *w, const char *name, const zinc_node *node)
{
	zinc_blob json = ZINC_BLOB_INIT;
	struct described d = {NULL, node->array->element_size, node->array->variable, node->array->unsupported,
			      node->array->fill};
	struct recipes x;

	if (zinc_array_info_describe(node->array, &json, NULL) != ZINC_OK)
		return;
	d.json = json.data;
	if (recipes_of(&x, w->twins, &d, NULL) == ZINC_OK) { /* others are not served */
		add_copies(w->t, &w->any, name, &x, 0);
		recipes_free(&x);
	}
	zinc_blob_fini(&json);
}

static bool
is_below(const char *path, const char *above)
{
	const size_t n = above ? strlen(above) : 0;

	return n && !strncmp(path, above, n) && path[n] == '/';
}

static int
copy_node(void *arg, const zinc_node *node)
{
	struct walk *w = arg;
	const char *name;

	if (node->depth == 0 || node->hidden || strlen(node->path) <= w->above || is_below(node->path, w->damaged))
		return 0;
	if (node->problem) {
		free(w->damaged);
		w->damaged = strdup(node->path);
		return 0;
	}
	name = node->path + w->above;
	if (node->kind == ZINC_NODE_ARRAY && node->array) {
		copy_array(w, name, node);
	} else if (node->kind == ZINC_NODE_GROUP) {
		text_add(w->t, w->any ? "," : "");
		text_quote(w->t, name);
		text_add(w->t, ":");
		document_begin_group(w->t, node->attributes);
		text_add(w->t, "}");
		w->any = true;
	}
	return !text_ok(w->t);
}

static zinc_status
finish(struct blob **out, struct text *t, zinc_error *err)
{
	text_add(t, "}");
	*out = text_ok(t) ? blob_of_text(text_take(t)) : NULL;
	text_free(t);
	return *out ? ZINC_OK : face_nomem(err);
}

/* ZINC_OK: `t` has the copies; E_LIMIT: it has none, for a reason that lasts. */
static zinc_status
walk_group(struct text *t, const struct face *f, const char *path, const zinc_call_options *call, zinc_error *err)
{
	struct walk w = {.t = t, .twins = f->twins, .above = strlen(path) + (path[1] != '\0')};
	zinc_error why = ZINC_ERROR_INIT;
	zinc_status st = zinc_node_walk(f->h, path, f->lists ? ZINC_DEPTH_STORED : -1, copy_node, &w, call, &why);

	free(w.damaged);
	if (st == ZINC_E_UNSUPPORTED || st == ZINC_E_LIMIT || t->too_long)
		return ZINC_E_LIMIT;
	if (st != ZINC_OK && !is_lasting(&why)) {
		if (err)
			*err = why;
		return st;
	}
	return t->no_memory ? face_nomem(err) : ZINC_OK;
}

zinc_status
document_of_group(struct blob **out, const struct face *f, const char *path, const char *attributes,
		  const zinc_call_options *call, zinc_error *err)
{
	struct text t = TEXT_INIT(FACE_DOCUMENT_BYTES);
	zinc_status st;

	document_begin_group(&t, attributes);
	begin_copies(&t);
	st = walk_group(&t, f, path, call, err);
	text_add(&t, "}}");
	if (st == ZINC_E_LIMIT || t.too_long) {
		text_free(&t);
		document_begin_group(&t, attributes);
	} else if (st != ZINC_OK) {
		text_free(&t);
		return st;
	}
	return finish(out, &t, err);
}

zinc_status
document_of_record(struct blob **out, const struct recipes *x, size_t i, zinc_error *err)
{
	struct text t = TEXT_INIT(FACE_DOCUMENT_BYTES);
	bool any = false;

	text_bytes(&t, x->r[i].document, strlen(x->r[i].document) - 1);
	begin_copies(&t);
	add_copies(&t, &any, "", x, i + 1);
	text_add(&t, "}}");
	if (t.too_long) {
		text_free(&t);
		text_bytes(&t, x->r[i].document, strlen(x->r[i].document) - 1);
	}
	return finish(out, &t, err);
}
