/*
 * declaration.c - the attribute `zarr_conventions`, in every shape it has had
 *
 *   CURRENT         [{"uuid", "schema_url", "spec_url", "name", "description"}]
 *   LIST_2025_11    [{"schema", "spec", "name", "description"}]
 *   OBJECT_2025_11  {"version", "<uuid>": {"version", "name", "schema", "spec", "description"}}
 *   OBJECT_2025_10  zarr_conventions_metadata {"<uuid>": {"version", "configuration", ...}}
 *
 * Rules C2 to C10 and those of the current text are checked here.  An entry's identifier is the first of uuid, schema URL
 * and specification URL that it has; the others, and its name, do not identify it.
 */
#include <stdio.h>

#include "convention/convention.h"

/* The members of an entry, by shape. */
struct words {
	const char *uuid, *schema, *spec;
	const char *const *others; /* that an entry may also have */
};

static const char *const plain[] = {"name", "description", NULL};
static const char *const older[] = {"name", "description", "version", NULL};
static const char *const oldest[] = {"name", "description", "version", "configuration", NULL};

static const struct words words_of[] = {
    [ZINC_SHAPE_CURRENT] = {"uuid", "schema_url", "spec_url", plain},
    [ZINC_SHAPE_LIST_2025_11] = {NULL, "schema", "spec", plain},
    [ZINC_SHAPE_OBJECT_2025_11] = {NULL, "schema", "spec", older},
    [ZINC_SHAPE_OBJECT_2025_10] = {NULL, "schema", "spec", oldest},
};

#define MOST    1000u /* entries of one declaration */
#define NOTHING "00000000-0000-0000-0000-000000000000"

/* ---- identifiers ---- */

/* ^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$ */
bool
zinc_is_uuid(const char *s)
{
	size_t i;

	for (i = 0; i < 36; i++) {
		const bool dash = i == 8 || i == 13 || i == 18 || i == 23;

		if (dash ? s[i] != '-' : !((s[i] >= '0' && s[i] <= '9') || (s[i] >= 'a' && s[i] <= 'f')))
			return false;
	}
	return s[36] == '\0';
}

bool
zinc_is_url(const char *s)
{
	const size_t n = strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-.");

	return n > 0 && (strncmp(s + n, "://", 3) == 0 || strncmp(s, "urn:", 4) == 0);
}

/* "v0.1" of ".../refs/tags/v0.1/schema.json": the last component that is a number, with or without "v". */
static void
find_version(char *out, size_t cap, const char *url)
{
	const char *s;
	size_t n;

	out[0] = '\0';
	for (s = strchr(url, '/'); s; s = strchr(s, '/')) {
		s++;
		n = strcspn(s, "/");
		if (n > 0 && n < cap && strspn(s + (*s == 'v'), "0123456789.") == n - (*s == 'v') &&
		    n > (size_t)(*s == 'v'))
			snprintf(out, cap, "%.*s", (int)n, s);
	}
}

/* ---- one entry ---- */

static bool
is_listed(const char *const *list, const char *s)
{
	for (; *list; list++)
		if (strcmp(*list, s) == 0)
			return true;
	return false;
}

/* The member names of this shape. */
static bool
is_known(const struct words *w, const char *key)
{
	return (w->uuid && strcmp(key, w->uuid) == 0) || strcmp(key, w->schema) == 0 || strcmp(key, w->spec) == 0 ||
	       is_listed(w->others, key);
}

/* C9: strings, and URLs where required. */
static void
check_value(const struct words *w, const zinc_json *m, zinc_report *r)
{
	const bool url = strcmp(m->key, w->schema) == 0 || strcmp(m->key, w->spec) == 0;

	if (strcmp(m->key, "configuration") == 0)
		return;
	if (m->type != ZINC_JSON_STRING)
		(void)zinc_report_error(r, "C9", NULL, "must be a string");
	else if (strlen(m->text) != m->n)
		(void)zinc_report_error(r, "C9", NULL, "contains a NUL character");
	else if (url && !zinc_is_url(m->text))
		(void)zinc_report_lenient(r, "C9", NULL, "\"%.100s\" is not a URL", m->text);
}

/* A name with a colon, or "configuration", is a misplaced property (C10); any other name is not allowed (C8). */
static void
check_member(const struct words *w, const zinc_json *m, zinc_report *r)
{
	if (is_known(w, m->key))
		check_value(w, m, r);
	else if (strchr(m->key, ':') || strcmp(m->key, "configuration") == 0)
		(void)zinc_report_error(r, "C10", NULL,
					"properties belong in the node's attributes, not in its declaration");
	else
		(void)zinc_report_error(r, "C8", NULL, "a declaration has no member \"%.60s\"", m->key);
}

/* A string of the item, or "". */
static const char *
text_of(const zinc_json *item, const char *key)
{
	const zinc_json *v = key ? zinc_json_member(item, key) : NULL;

	return zinc_json_is(v, ZINC_JSON_STRING) && strlen(v->text) == v->n ? v->text : "";
}

static void
check_uuid(const char *uuid, zinc_report *r)
{
	if (*uuid && !zinc_is_uuid(uuid))
		(void)zinc_report_error(r, "C9", NULL, "\"%.60s\" is not a uuid in lower case", uuid);
	else if (strcmp(uuid, NOTHING) == 0)
		(void)zinc_report_error(r, "C9", NULL, "the uuid is the placeholder of the template");
}

static void
check_item(const zinc_json *item, const struct words *w, zinc_report *r)
{
	const zinc_json *m;

	for (m = item->first; m; m = m->next) {
		const size_t mark = zinc_report_enter(r, m->key);

		check_member(w, m, r);
		zinc_report_leave(r, mark);
	}
	if (!zinc_json_member(item, "name"))
		(void)zinc_report_lenient(r, "C6", NULL, "a human-readable name is missing");
}

/* C5: the first identifier present. */
static void
identify(zinc_entry *e)
{
	zinc_convention *c = &e->c;

	c->id = *c->uuid ? c->uuid : *c->schema_url ? c->schema_url : c->spec_url;
	e->row = *c->id ? zinc_convention_find(c->id, false) : NULL;
	c->known = e->row ? e->row->name : "";
	c->title = *c->name ? c->name : c->id;
	if (!*c->version) {
		find_version(e->version, sizeof e->version, *c->schema_url ? c->schema_url : c->spec_url);
		c->version = e->version;
	}
}

/* `uuid` is the member's name in the object shapes. */
static void
fill_entry(zinc_entry *e, const zinc_json *item, zinc_convention_shape shape, const char *uuid, const char *pointer)
{
	const struct words *w = &words_of[shape];

	*e = (zinc_entry){.item = item};
	snprintf(e->pointer, sizeof e->pointer, "%.*s", (int)sizeof e->pointer - 1, pointer);
	e->c = (zinc_convention){.size = sizeof e->c,
				 .uuid = uuid ? uuid : text_of(item, w->uuid),
				 .schema_url = text_of(item, w->schema),
				 .spec_url = text_of(item, w->spec),
				 .name = text_of(item, "name"),
				 .description = text_of(item, "description"),
				 .version = shape >= ZINC_SHAPE_OBJECT_2025_11 ? text_of(item, "version") : "",
				 .pointer = e->pointer,
				 .shape = shape};
	identify(e);
}

/* ---- lists: live and seed ---- */

/* By its members: `schema` and `spec` belong to LIST_2025_11, unless a member of the current shape is present. */
static zinc_convention_shape
shape_of(const zinc_json *item)
{
	const bool seed = zinc_json_member(item, "schema") || zinc_json_member(item, "spec");

	if (zinc_json_member(item, "schema_url") || zinc_json_member(item, "spec_url"))
		return ZINC_SHAPE_CURRENT;
	return seed ? ZINC_SHAPE_LIST_2025_11 : ZINC_SHAPE_CURRENT;
}

static void
add_item(zinc_declared *d, const zinc_json *item, zinc_report *r)
{
	zinc_convention_shape shape;
	zinc_entry *e = &d->entries[d->n];

	if (item->type != ZINC_JSON_OBJECT) {
		(void)zinc_report_error(r, "C3", NULL, "a declaration must be an object");
		return;
	}
	shape = shape_of(item);
	check_item(item, &words_of[shape], r);
	fill_entry(e, item, shape, NULL, r->pointer);
	check_uuid(e->c.uuid, r);
	if (!*e->c.id) {
		(void)zinc_report_error(r, "C4", NULL,
					"a declaration needs an identifier: uuid, schema_url or spec_url");
		return;
	}
	d->n++;
}

/* Entries may differ in shape; a new one takes the shape of the first. */
static void
parse_list(zinc_declared *d, const zinc_json *list, zinc_report *r)
{
	const zinc_json *item;
	size_t i = 0;

	for (item = list->first; item && i < MOST; item = item->next) {
		const size_t mark = zinc_report_enter_item(r, i++);

		add_item(d, item, r);
		zinc_report_leave(r, mark);
	}
	d->shape = d->n > 0 ? d->entries[0].c.shape : ZINC_SHAPE_CURRENT;
}

/* ---- objects: November and October ---- */

/* The uuid is the member's name; a member `version` is that of the whole declaration. */
static void
parse_object(zinc_declared *d, const zinc_json *object, zinc_convention_shape shape, zinc_report *r)
{
	const zinc_json *m;
	size_t i = 0;

	for (m = object->first; m && i < MOST; m = m->next, i++) {
		const size_t mark = zinc_report_enter(r, m->key);

		if (m->type == ZINC_JSON_OBJECT && zinc_is_uuid(m->key)) {
			check_item(m, &words_of[shape], r);
			check_uuid(m->key, r);
			fill_entry(&d->entries[d->n++], m, shape, m->key, r->pointer);
		} else if (strcmp(m->key, "version") != 0) {
			(void)zinc_report_error(r, "C3", NULL, "is neither a convention's uuid nor its declaration");
		}
		zinc_report_leave(r, mark);
	}
	d->shape = shape;
}

/* An object with uuids as names is OBJECT_2025_11; any other is not a declaration (C2). */
static bool
is_november(const zinc_json *v)
{
	const zinc_json *m;

	for (m = zinc_json_is(v, ZINC_JSON_OBJECT) ? v->first : NULL; m; m = m->next)
		if (zinc_is_uuid(m->key))
			return true;
	return false;
}

/* ---- all of it ---- */

bool
zinc_declares(const zinc_json *attributes)
{
	return zinc_json_member(attributes, "zarr_conventions") ||
	       zinc_json_member(attributes, "zarr_conventions_metadata");
}

/* The same identifier twice has no defined meaning. */
static void
check_twins(const zinc_declared *d, zinc_report *r)
{
	size_t i, j;

	for (i = 0; i < d->n; i++)
		for (j = 0; j < i; j++)
			if (strcmp(d->entries[i].c.id, d->entries[j].c.id) == 0) {
				(void)zinc_report_lenient(r, "C5", NULL, "\"%.200s\" is declared twice",
							  d->entries[i].c.id);
				break;
			}
}

static zinc_status
parse_value(zinc_declared *d, const zinc_json *v, zinc_convention_shape object, zinc_report *r, zinc_error *err)
{
	const size_t n = v->type == ZINC_JSON_ARRAY || v->type == ZINC_JSON_OBJECT ? v->n : 0;

	if (n > MOST)
		(void)zinc_report_error(r, "C2", NULL, "%zu declarations: only %u are checked", n, MOST);
	d->entries = zinc_calloc(d->ctx, n < MOST ? n + 1 : MOST, sizeof *d->entries);
	if (!d->entries)
		return zinc_fail_nomem(err);
	if (v->type == ZINC_JSON_ARRAY && object == ZINC_SHAPE_OBJECT_2025_11) {
		parse_list(d, v, r);
	} else if (object == ZINC_SHAPE_OBJECT_2025_10 ? v->type == ZINC_JSON_OBJECT : is_november(v)) {
		(void)zinc_report_lenient(r, "C2", NULL, "is in the shape of %s 2025, which new readers do not support",
					  object == ZINC_SHAPE_OBJECT_2025_10 ? "October" : "November");
		parse_object(d, v, object, r);
	} else {
		(void)zinc_report_error(r, "C2", NULL, "must be a list of declarations");
	}
	check_twins(d, r);
	return ZINC_OK;
}

zinc_status
zinc_declared_parse(zinc_declared *d, zinc_context *ctx, const zinc_json *attributes, zinc_report *r, zinc_error *err)
{
	const zinc_json *v = zinc_json_member(attributes, "zarr_conventions");
	const char *key = v ? "zarr_conventions" : "zarr_conventions_metadata";
	size_t outer, mark;
	zinc_status st;

	*d = (zinc_declared){.ctx = ctx, .shape = ZINC_SHAPE_NONE};
	if (!v)
		v = zinc_json_member(attributes, key);
	if (!v)
		return ZINC_OK;
	outer = zinc_report_enter(r, "attributes");
	mark = zinc_report_enter(r, key);
	st = parse_value(d, v, strlen(key) > 16 ? ZINC_SHAPE_OBJECT_2025_10 : ZINC_SHAPE_OBJECT_2025_11, r, err);
	zinc_report_leave(r, mark);
	zinc_report_leave(r, outer);
	return st;
}

void
zinc_declared_fini(zinc_declared *d)
{
	zinc_free(d->ctx, d->entries);
	d->entries = NULL;
	d->n = 0;
}

/* ---- which entry is meant ---- */

/* Entries with the identifier `id`, or (`row` not NULL) with another identifier of the same built-in convention. */
static size_t
count_matches(const zinc_declared *d, const char *id, const zinc_convention_row *row, const zinc_entry **first)
{
	size_t i, n = 0;

	*first = NULL;
	for (i = 0; i < d->n; i++) {
		const zinc_entry *e = &d->entries[i];

		if (row ? e->row == row : strcmp(e->c.id, id) == 0)
			*first = n++ == 0 ? e : *first;
	}
	return n;
}

/* First by the identifier itself; then by any other identifier of the same built-in convention. */
zinc_status
zinc_declared_find(const zinc_declared *d, const char *id, const zinc_entry **out, zinc_error *err)
{
	const zinc_convention_row *row = zinc_convention_find(id, true);
	size_t n;

	if (!row && !zinc_is_uuid(id) && !zinc_is_url(id))
		return zinc_fail(err, ZINC_E_INVALID, "\"%.200s\" is not a URL, uuid or built-in convention", id);
	n = count_matches(d, id, NULL, out);
	if (n == 0 && row)
		n = count_matches(d, id, row, out);
	if (n > 1)
		return zinc_fail(err, ZINC_E_INVALID, "%zu entries match \"%.200s\"", n, id);
	if (n == 0)
		return zinc_fail(err, ZINC_E_NOTFOUND, "the node does not declare \"%.200s\"", id);
	return ZINC_OK;
}
