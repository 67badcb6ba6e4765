/*
 * levels.c - the levels of a multiscale group, with their shapes and transforms
 *
 *   since v0.1   {"asset": "1", "derived_from": "0", "transform": {"scale": [2, 2], "translation": [0, 0]}}
 *   before       {"group": "1", "from_group": "0", "scale": [2, 2]}
 *   OME-Zarr     {"path": "1", "coordinateTransformations": [{"type": "scale", "scale": [2, 2]}, ...]}
 *
 * An asset is an array, or a group whose arrays are the level.  A position in the source is the position here times
 * scale plus translation, so the length of a level is that of its source divided by scale, rounded up or down.
 * OME-Zarr's scales are sizes of elements; they are returned unchanged.
 */
#include <math.h>
#include <stdio.h>

#include "convention/convention.h"

#define RULE "multiscales"

/* One item of the layout. */
struct item {
	const zinc_json *v;
	const char *asset, *source; /* as written; NULL: missing */
	const zinc_json *scale, *translation;
};

static const char *
text_of(const zinc_json *v, const char *key)
{
	const zinc_json *m = zinc_json_member(v, key);

	return zinc_json_is(m, ZINC_JSON_STRING) && strlen(m->text) == m->n ? m->text : NULL;
}

/* OME-Zarr has a list of transformations, each with a type. */
static void
read_ome_item(struct item *it, const zinc_json *v)
{
	const zinc_json *list = zinc_json_member(v, "coordinateTransformations"), *t;

	it->asset = text_of(v, "path");
	for (t = zinc_json_is(list, ZINC_JSON_ARRAY) ? list->first : NULL; t; t = t->next) {
		if (zinc_json_member(t, "scale"))
			it->scale = zinc_json_member(t, "scale");
		if (zinc_json_member(t, "translation"))
			it->translation = zinc_json_member(t, "translation");
	}
}

static void
read_item(struct item *it, const zinc_json *v, bool ome)
{
	const zinc_json *transform = zinc_json_member(v, "transform");

	*it = (struct item){.v = v};
	if (ome) {
		read_ome_item(it, v);
		return;
	}
	it->asset = text_of(v, "asset") ? text_of(v, "asset") : text_of(v, "group");
	it->source = text_of(v, "derived_from") ? text_of(v, "derived_from") : text_of(v, "from_group");
	if (!transform)
		transform = v;
	it->scale = zinc_json_member(transform, "scale");
	it->translation = zinc_json_member(transform, "translation");
}

const zinc_json *
zinc_ome_multiscales(const zinc_json *attributes)
{
	const zinc_json *v = zinc_json_member(zinc_json_member(attributes, "ome"), "multiscales");

	if (!v)
		v = zinc_json_member(attributes, "multiscales");
	return zinc_json_is(v, ZINC_JSON_ARRAY) ? v : NULL;
}

/* ---- arrays of an asset ---- */

/* The array that has a level's shape: the asset itself, or an array in it. */
struct shown {
	zinc_node_kind kind; /* of the asset; NONE: missing */
	int ndim;            /* -1: no array */
	uint64_t shape[ZINC_MAX_NDIM];
	zinc_buf path;
	zinc_status status;
};

static void
show(struct shown *s, const char *path, const zinc_meta *m)
{
	s->ndim = m->ndim;
	memcpy(s->shape, m->shape, sizeof s->shape);
	zinc_buf_end(&s->path, 0);
	s->status = zinc_buf_puts(&s->path, path, NULL);
}

/* The first array with dimensions, in order of names; an array with more than one dimension is preferred to coordinates. */
static int
show_child(void *arg, const zinc_node *node)
{
	struct shown *s = arg;

	if (node->array && node->array->ndim > s->ndim)
		show(s, node->path, zinc_array_info_meta(node->array));
	return s->status != ZINC_OK;
}

/* A group with children but without document is a group, too. */
static int
note_implicit(void *arg, const zinc_node *node)
{
	struct shown *s = arg;

	s->kind = node->kind;
	return 0;
}

static zinc_status
find_kind(zinc_hierarchy *h, const char *path, struct shown *s, zinc_error *err)
{
	zinc_error e = ZINC_ERROR_INIT;
	zinc_meta *m;
	zinc_status st = zinc_node_read(h, path, &m, &e);

	s->kind = m ? m->kind : ZINC_NODE_NONE;
	if (m && m->kind == ZINC_NODE_ARRAY)
		show(s, path, m);
	zinc_meta_free(m);
	return st == ZINC_E_NOTFOUND ? zinc_node_stat(h, path, note_implicit, s, NULL, err) : zinc_error_copy(err, &e);
}

/* A missing node, or one that cannot be read, is a result and not a failure. */
static zinc_status
look_at(zinc_hierarchy *h, const char *path, struct shown *s, zinc_error *err)
{
	zinc_error e = ZINC_ERROR_INIT;
	zinc_status st;

	s->ndim = -1;
	zinc_buf_end(&s->path, 0);
	s->status = ZINC_OK;
	st = find_kind(h, path, s, &e);
	if (st == ZINC_OK && s->kind == ZINC_NODE_GROUP)
		st = zinc_node_children(h, path, show_child, s, NULL, &e);
	if (s->status != ZINC_OK)
		return zinc_fail_nomem(err);
	return st == ZINC_E_NOMEM || st == ZINC_E_IO ? zinc_error_copy(err, &e) : ZINC_OK;
}

/* The path of an asset below its group. */
static zinc_status
asset_path(zinc_buf *out, const char *group, const char *asset, zinc_error *err)
{
	zinc_buf_end(out, 0);
	ZINC_TRY(zinc_path_join(out, group, asset, err));
	return zinc_buf_text(out) ? ZINC_OK : zinc_fail_nomem(err);
}

/* ---- levels for programs ---- */

/* Lists that are too short are filled up: a scale of 1, a translation of 0. */
static int
read_numbers(const zinc_json *list, double *out, double otherwise, int n)
{
	const zinc_json *v = zinc_json_is(list, ZINC_JSON_ARRAY) ? list->first : NULL;
	int i;

	for (i = 0; i < n; i++) {
		out[i] = otherwise;
		if (v) {
			(void)zinc_json_double(v, &out[i]);
			v = v->next;
		}
	}
	return n;
}

struct levels {
	zinc_hierarchy *h;
	const char *path;
	bool ome;
	zinc_scale_level_fn fn;
	void *arg;
	zinc_buf asset, source;
	struct shown shown;
};

static int
count_scale(const struct item *it)
{
	const zinc_json *list = it->scale ? it->scale : it->translation;
	const size_t n = zinc_json_is(list, ZINC_JSON_ARRAY) ? list->n : 0;

	return n <= ZINC_MAX_NDIM ? (int)n : 0;
}

/* A missing child is listed, too, without an array: a viewer can then report it. */
static zinc_status
give_level(struct levels *l, int index, const struct item *it, bool *stop, zinc_error *err)
{
	double scale[ZINC_MAX_NDIM], translation[ZINC_MAX_NDIM];
	zinc_scale_level level = {.size = sizeof level, .index = index, .nscale = count_scale(it)};

	if (!it->asset)
		return zinc_fail(err, ZINC_E_CORRUPT, "level %d has no path", index);
	ZINC_TRY(asset_path(&l->asset, l->path, it->asset, err));
	zinc_buf_end(&l->source, 0);
	if (it->source)
		ZINC_TRY(asset_path(&l->source, l->path, it->source, err));
	ZINC_TRY(look_at(l->h, zinc_buf_text(&l->asset), &l->shown, err));
	read_numbers(it->scale, scale, 1, level.nscale);
	read_numbers(it->translation, translation, 0, level.nscale);
	level.path = zinc_buf_text(&l->asset);
	level.derived_from = zinc_buf_text(&l->source);
	level.array = zinc_buf_text(&l->shown.path);
	if (!level.derived_from || !level.array)
		return zinc_fail_nomem(err);
	level.ndim = l->shown.ndim;
	level.shape = l->shown.shape;
	level.scale = scale;
	level.translation = translation;
	*stop = l->fn(l->arg, &level) != 0;
	return ZINC_OK;
}

/* The list of levels in either kind of metadata; NULL: none. */
static const zinc_json *
find_layout(const zinc_json *attributes, bool *ome)
{
	const zinc_json *v = zinc_json_member(zinc_json_member(attributes, "multiscales"), "layout");

	*ome = false;
	if (!v) {
		v = zinc_ome_multiscales(attributes);
		v = v && v->first ? zinc_json_member(v->first, "datasets") : NULL;
		*ome = true;
	}
	return zinc_json_is(v, ZINC_JSON_ARRAY) ? v : NULL;
}

static zinc_status
give_levels(struct levels *l, const zinc_json *layout, zinc_error *err)
{
	const zinc_json *v;
	zinc_status st = ZINC_OK;
	bool stop = false;
	struct item it;
	int i = 0;

	for (v = layout->first; v && st == ZINC_OK && !stop; v = v->next) {
		read_item(&it, v, l->ome);
		st = give_level(l, i++, &it, &stop, err);
	}
	return st;
}

zinc_status
zinc_multiscale_levels(zinc_hierarchy *h, const char *path, zinc_scale_level_fn fn, void *arg,
		       const zinc_call_options *call, zinc_error *err)
{
	zinc_visit v;
	struct levels l = {.h = h, .fn = fn, .arg = arg};
	const zinc_json *layout = NULL;
	zinc_meta *m = NULL;
	zinc_status st;
	char *node;

	ZINC_TRY(ZINC_NEED(fn, err));
	ZINC_TRY(zinc_visit_begin(&v, &h, call, err));
	ZINC_TRY(zinc_path_normalise(&node, h, path, err));
	l.path = node;
	zinc_buf_init(&l.asset, h->ctx, ZINC_MAX_KEY);
	zinc_buf_init(&l.source, h->ctx, ZINC_MAX_KEY);
	zinc_buf_init(&l.shown.path, h->ctx, ZINC_MAX_KEY);
	st = zinc_node_read(h, node, &m, err);
	if (st == ZINC_OK) {
		layout = find_layout(m->attributes, &l.ome);
		st = layout ? give_levels(&l, layout, err)
			    : zinc_fail(err, ZINC_E_NOTFOUND, "the node is not a multiscale group");
	}
	zinc_meta_free(m);
	zinc_buf_fini(&l.asset);
	zinc_buf_fini(&l.source);
	zinc_buf_fini(&l.shown.path);
	zinc_free(h->ctx, node);
	return st;
}

/* ---- rules ---- */

struct check {
	const zinc_subject *s;
	bool ome;
	zinc_report *r;
	zinc_buf path;
	struct shown here, source;
};

/* n of the source divided by scale, rounded up or down, with a small tolerance because scales are decimal fractions. */
static bool
follows(uint64_t n, uint64_t source, double scale)
{
	const double exact = (double)source / scale;

	return (double)n >= floor(exact - 1e-6) && (double)n <= ceil(exact + 1e-6);
}

/* Only where both levels have arrays of the same rank: otherwise there is nothing to compare. */
static void
check_shape(struct check *k, const struct item *it)
{
	const int n = count_scale(it);
	double scale[ZINC_MAX_NDIM];
	int i;

	if (k->here.ndim < 0 || k->source.ndim != k->here.ndim || !it->scale)
		return;
	if (n != k->here.ndim) {
		(void)zinc_report_lenient(k->r, RULE, NULL, "%d scales for arrays of %d dimensions", n, k->here.ndim);
		return;
	}
	read_numbers(it->scale, scale, 1, n);
	for (i = 0; i < n; i++)
		if (!(scale[i] > 0))
			(void)zinc_report_error(k->r, RULE, NULL, "a scale must be above 0");
		else if (!follows(k->here.shape[i], k->source.shape[i], scale[i]))
			(void)zinc_report_error(
			    k->r, RULE, NULL,
			    "dimension %d has %llu elements, which is not its source's %llu divided by %g", i,
			    (unsigned long long)k->here.shape[i], (unsigned long long)k->source.shape[i], scale[i]);
}

/* The child must exist. */
static zinc_status
find_asset(struct check *k, const char *asset, struct shown *out, zinc_error *err)
{
	zinc_error e = ZINC_ERROR_INIT;
	zinc_status st = asset_path(&k->path, k->s->path, asset, &e);

	out->kind = ZINC_NODE_NONE;
	out->ndim = -1;
	if (st == ZINC_E_NOMEM)
		return zinc_fail_nomem(err);
	if (st == ZINC_OK)
		ZINC_TRY(look_at(k->s->h, zinc_buf_text(&k->path), out, err));
	if (out->kind == ZINC_NODE_NONE && k->ome)
		(void)zinc_report_lenient(k->r, "ome", NULL, "the dataset \"%.100s\" is missing", asset);
	else if (out->kind == ZINC_NODE_NONE)
		(void)zinc_report_error(k->r, RULE, NULL, "\"%.100s\" does not exist", asset);
	return ZINC_OK;
}

/* The required members of an item depend on the version of its declaration. */
static void
check_words(struct check *k, const struct item *it)
{
	const bool old = k->s->old;
	const zinc_json *v = it->v;

	if (!zinc_json_member(v, old ? "group" : "asset") && !(old && zinc_json_member(v, "asset")))
		(void)zinc_report_error(k->r, RULE, NULL, "\"%s\" is missing", old ? "group" : "asset");
	if (!it->source)
		return;
	if (!old && !zinc_json_member(v, "transform"))
		(void)zinc_report_error(k->r, RULE, NULL, "\"transform\" is missing, which \"derived_from\" needs");
	else if (!it->scale && !it->translation)
		(void)zinc_report_lenient(k->r, RULE, NULL, "a derived level should have a scale");
}

static zinc_status
check_item(struct check *k, const struct item *it, zinc_error *err)
{
	check_words(k, it);
	k->source.ndim = -1;
	if (it->asset)
		ZINC_TRY(find_asset(k, it->asset, &k->here, err));
	if (it->asset && it->source) {
		ZINC_TRY(find_asset(k, it->source, &k->source, err));
		check_shape(k, it);
	}
	return ZINC_OK;
}

/* All items of a list; an OME-Zarr dataset must only exist. */
static zinc_status
check_items(struct check *k, const zinc_json *layout, zinc_error *err)
{
	const zinc_json *v;
	zinc_status st = ZINC_OK;
	struct item it;
	size_t i = 0;

	for (v = layout->first; v && st == ZINC_OK; v = v->next, i++) {
		const size_t mark = zinc_report_enter_item(k->r, i);

		read_item(&it, v, k->ome);
		if (!k->ome)
			st = check_item(k, &it, err);
		else if (it.asset)
			st = find_asset(k, it.asset, &k->here, err);
		zinc_report_leave(k->r, mark);
	}
	return st;
}

static zinc_status
check_layout(const zinc_subject *s, const zinc_json *layout, bool ome, zinc_report *r, zinc_error *err)
{
	struct check k = {.s = s, .ome = ome, .r = r};
	zinc_status st;

	zinc_buf_init(&k.path, s->h->ctx, ZINC_MAX_KEY);
	zinc_buf_init(&k.here.path, s->h->ctx, ZINC_MAX_KEY);
	zinc_buf_init(&k.source.path, s->h->ctx, ZINC_MAX_KEY);
	st = check_items(&k, layout, err);
	zinc_buf_fini(&k.path);
	zinc_buf_fini(&k.here.path);
	zinc_buf_fini(&k.source.path);
	return st;
}

zinc_status
zinc_levels_check(const zinc_subject *s, zinc_report *r, zinc_error *err)
{
	const zinc_json *layout = zinc_json_member(zinc_json_member(s->attributes, "multiscales"), "layout");
	const size_t outer = zinc_report_enter(r, "multiscales"), mark = zinc_report_enter(r, "layout");
	const zinc_status st = check_layout(s, layout, false, r, err);

	if (!s->old && !*s->entry->c.uuid && strcmp(s->entry->c.schema_url, s->entry->row->schemas[0]) == 0)
		(void)zinc_report_error(r, RULE, NULL, "v0.1 needs the uuid in its declaration");
	zinc_report_leave(r, mark);
	zinc_report_leave(r, outer);
	return st;
}

/* OME-Zarr is not declared as a convention, so a missing dataset is a warning. */
zinc_status
zinc_ome_check(const zinc_subject *s, zinc_report *r, zinc_error *err)
{
	const zinc_json *image = zinc_ome_multiscales(s->attributes), *datasets;
	zinc_status st = ZINC_OK;

	for (image = image ? image->first : NULL; image && st == ZINC_OK; image = image->next) {
		datasets = zinc_json_member(image, "datasets");
		if (zinc_json_is(datasets, ZINC_JSON_ARRAY))
			st = check_layout(s, datasets, true, r, err);
	}
	return st;
}
