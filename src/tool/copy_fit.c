/*
 * copy_fit.c - change a document so that the target can hold it
 *
 * The target's format describes as data what it can hold (zinc_holds).  One pass over the document changes everything
 * else: storage to the nearest equivalent, content only if there is no other way.  No change touches a value.
 *
 *   shards      plain chunks of the inner shape
 *   grids       chunks of several lengths become chunks of one, the largest
 *   codecs      compressors become gzip, which every version of Zarr has; array->bytes codecs become `bytes`;
 *               others are removed
 *   chunk keys  those of the format
 *   content     unknown members, the bits of a NaN, names of dimensions: lost
 *
 * The format itself refuses what no change can fix, such as a data type, when it prints the document.
 */
#include <stdarg.h>
#include <stdio.h>

#include "tool/copy.h"

#define SHARD "sharding_indexed"

struct fit {
	zinc_cp_translation *t;
	const zinc_format *format;
	const zinc_holds *holds;
	zinc_json_doc *doc;
	zinc_json *root;
	zinc_json *holder; /* of the chain of one chunk: the root, or the configuration of a shard */
	zinc_json *codecs; /* the chain */
	bool of_elements;  /* a codec of elements is left out */
	zinc_error *err;
};

static zinc_status report(struct fit *f, zinc_copy_kind kind, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

static zinc_status
report(struct fit *f, zinc_copy_kind kind, const char *fmt, ...)
{
	zinc_cp_change change = {.kind = kind};
	va_list args;

	va_start(args, fmt);
	vsnprintf(change.what, sizeof change.what, fmt, args);
	va_end(args);
	return zinc_buf_add(&f->t->changes, &change, sizeof change, f->err);
}

static const char *
name_of(const zinc_json *extension)
{
	const zinc_json *name =
	    zinc_json_is(extension, ZINC_JSON_STRING) ? extension : zinc_json_member(extension, "name");

	return zinc_json_is(name, ZINC_JSON_STRING) ? name->text : "?";
}

static const zinc_json *
configuration_of(const zinc_json *extension)
{
	return zinc_json_member(extension, "configuration");
}

/* Make an extension from its JSON text. */
static zinc_status
make(struct fit *f, const char *text, zinc_json **out)
{
	zinc_json_doc *doc;

	ZINC_TRY(zinc_json_parse(&doc, zinc_json_context(f->doc), text, strlen(text), 0, f->err));
	*out = zinc_json_copy(f->doc, zinc_json_root(doc));
	zinc_json_free(doc);
	return *out ? ZINC_OK : zinc_fail_nomem(f->err);
}

/* ---- members ---- */

static zinc_status
fit_members(struct fit *f)
{
	zinc_json *v, *next;

	for (v = f->root->first; v; v = next) {
		next = v->next;
		if (zinc_holds_member(f->format, f->t->n->kind, v))
			continue;
		ZINC_TRY(report(f, ZINC_COPY_LOST, "the member \"%.60s\"", v->key));
		(void)zinc_json_remove(f->root, v->key);
		f->t->nmembers++;
	}
	return ZINC_OK;
}

/* Attributes whose names have another meaning in the format. */
static zinc_status
fit_attributes(struct fit *f)
{
	zinc_json *attributes = zinc_json_member(f->root, "attributes"), *v, *next;

	if (!f->holds->reserved || !zinc_json_is(attributes, ZINC_JSON_OBJECT))
		return ZINC_OK;
	for (v = attributes->first; v; v = next) {
		next = v->next;
		if (!f->holds->reserved(f->t->n->kind, attributes, v->key))
			continue;
		ZINC_TRY(report(f, ZINC_COPY_LOST, "the attribute \"%.60s\", whose name has another meaning in %s",
				v->key, f->format->id));
		(void)zinc_json_remove(attributes, v->key);
	}
	return ZINC_OK;
}

/* ---- shards ---- */

static zinc_json *
find_shard(const zinc_json *codecs)
{
	zinc_json *v;

	for (v = codecs ? codecs->first : NULL; v && strcmp(name_of(v), SHARD) != 0; v = v->next)
		;
	return v;
}

/* Descend to the chain of one chunk; *plain: no other codecs are around a shard. */
static zinc_json *
find_chain(struct fit *f, bool *plain)
{
	zinc_json *shard;

	f->holder = f->root;
	f->codecs = zinc_json_member(f->root, "codecs");
	for (*plain = true; (shard = find_shard(f->codecs));) {
		*plain = *plain && f->codecs->n == 1;
		f->holder = zinc_json_member(shard, "configuration");
		f->codecs = zinc_json_member(f->holder, "codecs");
	}
	return f->codecs;
}

static zinc_status
fit_shards(struct fit *f)
{
	bool plain, changed = false;

	(void)find_chain(f, &plain);
	while (f->holder != f->root && (f->holds->no_shards || (f->holds->plain_shards && !plain))) {
		if (!zinc_cp_drop_shards(f->doc))
			return zinc_fail_nomem(f->err);
		changed = true;
		(void)find_chain(f, &plain);
	}
	return changed ? report(f, ZINC_COPY_REPLACED, "shards become plain chunks of the inner shape") : ZINC_OK;
}

/* ---- grids ---- */

static zinc_status
make_regular(struct fit *f, const zinc_grid *g)
{
	zinc_json *v = zinc_json_make(f->doc, ZINC_JSON_OBJECT), *c = zinc_json_make(f->doc, ZINC_JSON_OBJECT);
	uint64_t widest[ZINC_MAX_NDIM];
	char text[160] = "";
	size_t n = 0;
	int d;

	for (d = 0; d < g->ndim; d++) {
		widest[d] = zinc_grid_widest(g, d);
		if (n < sizeof text - 32)
			n += (size_t)snprintf(text + n, sizeof text - n, d ? " x %llu" : "%llu",
					      (unsigned long long)widest[d]);
	}
	ZINC_TRY(zinc_json_set(f->doc, c, "chunk_shape", zinc_json_make_u64_list(f->doc, widest, g->ndim), f->err));
	ZINC_TRY(zinc_json_set(f->doc, v, "name", zinc_json_make_string(f->doc, "regular"), f->err));
	ZINC_TRY(zinc_json_set(f->doc, v, "configuration", c, f->err));
	ZINC_TRY(zinc_json_set(f->doc, f->root, "chunk_grid", v, f->err));
	return report(f, ZINC_COPY_REPLACED, "%s of several lengths become %s of %s",
		      f->holder == f->root ? "chunks" : "shards", f->holder == f->root ? "chunks" : "shards", text);
}

/* A built-in grid becomes a regular one of its largest chunk.  The format judges those of programs. */
static zinc_status
fit_grid(struct fit *f)
{
	const zinc_json *v = zinc_json_member(f->root, "chunk_grid"), *list = zinc_json_member(f->root, "shape"), *item;
	uint64_t shape[ZINC_MAX_NDIM];
	zinc_report quiet;
	zinc_grid *g;
	zinc_status st;
	int ndim = 0;

	if (!f->holds->regular_grid)
		return ZINC_OK;
	for (item = list ? list->first : NULL; item && ndim < ZINC_MAX_NDIM; item = item->next)
		if (!zinc_json_u64(item, &shape[ndim++]))
			return ZINC_OK;
	zinc_report_init_quiet(&quiet, f->t->c->ctx, false);
	st = zinc_grid_parse(&g, f->t->c->ctx, v, ndim, shape, &quiet, f->err);
	if (st != ZINC_OK)
		return st == ZINC_E_NOMEM ? st : ZINC_OK;
	if (g->ops->parse && !zinc_grid_is_regular(g))
		st = make_regular(f, g);
	zinc_grid_free(g);
	return st;
}

/* ---- codecs ---- */

static const zinc_codec_ops *
ops_of(const zinc_json *codec)
{
	return zinc_codec_find(name_of(codec));
}

static bool
is_of_elements(const zinc_json *codec)
{
	const zinc_codec_ops *ops = ops_of(codec);

	return ops && ops->kind == ZINC_ARRAY_ARRAY;
}

static bool
is_transpose(const zinc_json *codec)
{
	return is_of_elements(codec) && zinc_codec_reorders(ops_of(codec)) &&
	       zinc_json_is(zinc_json_member(configuration_of(codec), "order"), ZINC_JSON_ARRAY);
}

/* The same chain with one codec replaced or removed. */
static zinc_status
put_codec(struct fit *f, const zinc_json *codec, zinc_json *instead)
{
	zinc_json *out = zinc_json_make(f->doc, ZINC_JSON_ARRAY);
	const zinc_json *v;

	for (v = f->codecs->first; v; v = v->next) {
		zinc_json *item = v == codec ? instead : zinc_json_copy(f->doc, v);

		if (item || v != codec)
			ZINC_TRY(zinc_json_append(out, item, f->err));
	}
	ZINC_TRY(zinc_json_set(f->doc, f->holder, "codecs", out, f->err));
	f->codecs = out;
	return ZINC_OK;
}

static zinc_status
remove_codec(struct fit *f, const zinc_json *codec)
{
	ZINC_TRY(report(f, ZINC_COPY_REPLACED, "codec %.60s is left out", name_of(codec)));
	f->of_elements = f->of_elements || is_of_elements(codec);
	return put_codec(f, codec, NULL);
}

/* With the codec's level, or 5. */
static zinc_status
replace_by_gzip(struct fit *f, const zinc_json *codec)
{
	uint64_t level = 5;
	zinc_json *gzip;
	char text[80];

	if (!zinc_json_u64(zinc_json_member(configuration_of(codec), "level"), &level) || level < 1 || level > 9)
		level = 5;
	snprintf(text, sizeof text, "{\"name\": \"gzip\", \"configuration\": {\"level\": %u}}", (unsigned)level);
	ZINC_TRY(make(f, text, &gzip));
	ZINC_TRY(report(f, ZINC_COPY_REPLACED, "codec %.60s becomes gzip", name_of(codec)));
	return put_codec(f, codec, gzip);
}

/* Some already have `bytes` after them. */
static zinc_status
replace_by_bytes(struct fit *f, const zinc_json *codec)
{
	zinc_json *bytes = NULL;

	if (!codec->next || strcmp(name_of(codec->next), "bytes") != 0)
		ZINC_TRY(make(f, "{\"name\": \"bytes\", \"configuration\": {\"endian\": \"little\"}}", &bytes));
	ZINC_TRY(report(f, ZINC_COPY_REPLACED, "codec %.60s becomes bytes", name_of(codec)));
	return put_codec(f, codec, bytes);
}

/* Are the axes all in order, or all reversed? */
static bool
is_plain_order(const zinc_json *codec)
{
	const zinc_json *order = zinc_json_member(configuration_of(codec), "order"), *v;
	bool forwards = true, backwards = true;
	uint64_t axis, i = 0;

	for (v = order->first; v; v = v->next, i++) {
		axis = 0;
		(void)zinc_json_u64(v, &axis);
		forwards = forwards && axis == i;
		backwards = backwards && axis == order->n - 1 - i;
	}
	return forwards || backwards;
}

/* A transpose must be the first codec: if one codec is before it, that one is removed, otherwise the transpose.  After a
 * codec that changes the shape, the axes are others: then it is the transpose, too. */
static zinc_status
fit_orders(struct fit *f)
{
	const zinc_json *v = f->codecs->first;
	size_t i = 0;

	while ((f->holds->plain_orders || f->holds->no_orders) && v && is_of_elements(v)) {
		if (f->holds->no_orders && is_transpose(v)) {
			ZINC_TRY(remove_codec(f, v));
			v = f->codecs->first;
			continue;
		}
		if (f->holds->no_orders || !is_transpose(v) || (i == 0 && is_plain_order(v))) {
			v = v->next;
			i++;
			continue;
		}
		ZINC_TRY(
		    remove_codec(f, i == 1 && !zinc_codec_reshapes(ops_of(f->codecs->first)) ? f->codecs->first : v));
		v = f->codecs->first;
		i = 0;
	}
	return ZINC_OK;
}

/* Set the place of a codec; false: it is a layout, or a byte order, instead. */
static bool
place_of(const struct fit *f, const zinc_json *codec, zinc_codec_place *place)
{
	const zinc_codec_ops *ops = ops_of(codec);

	*place = codec->next ? ZINC_OF_BYTES : ZINC_LAST;
	if (!ops || ops->kind == ZINC_BYTES_BYTES)
		return true;
	*place = ops->kind == ZINC_ARRAY_ARRAY ? ZINC_OF_ELEMENTS : ZINC_TO_BYTES;
	if (ops->kind == ZINC_ARRAY_BYTES)
		return strcmp(ops->name, "bytes") != 0;
	return !is_transpose(codec) && !(f->format->draft && codec == f->codecs->first && ops->layout && ops->uris);
}

/* Elements of variable length need their own codecs. */
static bool
has_own_codec(const struct fit *f)
{
	const zinc_json *type = zinc_json_member(f->root, "data_type");

	return zinc_json_is_string(type, "string") || zinc_json_is_string(type, "bytes");
}

/* Use the nearest equivalent; *changed false: nothing is changed. */
static zinc_status
substitute(struct fit *f, const zinc_json *codec, zinc_codec_place place, bool *changed)
{
	const zinc_codec_ops *ops = ops_of(codec);

	*changed = ops && (place != ZINC_TO_BYTES || !has_own_codec(f));
	if (!*changed) /* the parser reports a codec that is not known */
		return ZINC_OK;
	if (place == ZINC_TO_BYTES)
		return replace_by_bytes(f, codec);
	if (place == ZINC_OF_BYTES && f->holds->places[place] == ZINC_HOLDS_NO_CODEC &&
	    zinc_holds_codec(f->format, ops, ZINC_LAST)) /* of two codecs only one can stay: the compressor */
		return remove_codec(f, codec->next);
	if (place == ZINC_OF_ELEMENTS || ops->fixed_size || strcmp(ops->name, "gzip") == 0)
		return remove_codec(f, codec);
	return replace_by_gzip(f, codec);
}

/* Start over after every change: another codec may now be the last one. */
static zinc_status
fit_codecs(struct fit *f)
{
	const zinc_json *v = f->codecs->first;
	zinc_codec_place place;
	bool changed;

	while (v) {
		const zinc_codec_ops *ops = ops_of(v);

		changed = place_of(f, v, &place) && !(ops && zinc_holds_codec(f->format, ops, place));
		if (changed)
			ZINC_TRY(substitute(f, v, place, &changed));
		v = changed ? f->codecs->first : v->next;
	}
	return ZINC_OK;
}

/* Some formats keep filters in an attribute.  If the user has an attribute of that name, no filter can stay. */
static zinc_status
fit_filters(struct fit *f)
{
	const zinc_json *attributes = zinc_json_member(f->root, "attributes"), *v;
	zinc_codec_place place;
	bool changed;

	if (!f->holds->filters_in || !zinc_json_member(attributes, f->holds->filters_in))
		return ZINC_OK;
	for (v = f->codecs->first; v; v = changed ? f->codecs->first : v->next) {
		changed = place_of(f, v, &place) && place != ZINC_LAST;
		if (changed && place == ZINC_OF_BYTES)
			ZINC_TRY(remove_codec(f, v));
		else if (changed)
			ZINC_TRY(substitute(f, v, place, &changed));
	}
	return ZINC_OK;
}

/* ---- byte orders ---- */

/* A codec that made numbers of one byte may be gone; those of the array have a byte order. */
static zinc_status
fit_endian(struct fit *f)
{
	zinc_json *bytes = f->codecs->first, *c;
	zinc_context *ctx = zinc_json_context(f->doc);
	const zinc_dtype *t = NULL;
	zinc_report quiet;
	bool ordered;

	while (bytes && (strcmp(name_of(bytes), "bytes") != 0 || zinc_json_member(configuration_of(bytes), "endian")))
		bytes = bytes->next;
	if (!f->of_elements || !bytes)
		return ZINC_OK;
	zinc_report_init_quiet(&quiet, ctx, false);
	ZINC_TRY(zinc_dtype_parse(&t, ctx, zinc_json_member(f->root, "data_type"), &quiet, f->err));
	ordered = t->unit > 1;
	zinc_dtype_free(t);
	if (!ordered)
		return ZINC_OK;
	c = zinc_json_make(f->doc, ZINC_JSON_OBJECT);
	ZINC_TRY(zinc_json_set(f->doc, c, "endian", zinc_json_make_string(f->doc, "little"), f->err));
	return zinc_json_set(f->doc, bytes, "configuration", c, f->err);
}

/* The first filter that interprets elements in the other byte order; NULL: none. */
static const zinc_json *
find_other_order(const struct fit *f, bool big)
{
	const zinc_json *v;
	char in, out;

	for (v = f->codecs->first; v && is_of_elements(v); v = v->next) {
		if (!ops_of(v)->v2)
			continue;
		zinc_v2_filter_orders(ops_of(v)->v2, configuration_of(v), &in, &out);
		if (in && (in == '>') != big)
			return v;
		if (out || in)
			big = (out ? out : in) == '>';
	}
	return NULL;
}

static zinc_status
fit_byte_orders(struct fit *f)
{
	zinc_json *bytes = f->codecs->first, *c;
	const zinc_json *v;
	bool big;

	while (bytes && strcmp(name_of(bytes), "bytes") != 0)
		bytes = bytes->next;
	c = zinc_json_member(bytes, "configuration");
	big = zinc_json_is_string(zinc_json_member(c, "endian"), "big");
	if (f->holds->filters && big && find_other_order(f, true) && !find_other_order(f, false)) {
		ZINC_TRY(report(f, ZINC_COPY_REPLACED, "big-endian elements become little-endian"));
		return zinc_json_set(f->doc, c, "endian", zinc_json_make_string(f->doc, "little"), f->err);
	}
	while (f->holds->filters && (v = find_other_order(f, big)))
		ZINC_TRY(remove_codec(f, v));
	return ZINC_OK;
}

/* ---- keys, fill value, names ---- */

static zinc_status
fit_keys(struct fit *f)
{
	const char *name = name_of(zinc_json_member(f->root, "chunk_key_encoding"));
	zinc_json *keys;

	if (zinc_holds_keys(f->format, zinc_keys_find(name)))
		return ZINC_OK;
	ZINC_TRY(report(f, ZINC_COPY_REPLACED, "chunk keys \"%.60s\" become those of the format", name));
	ZINC_TRY(make(f, "{\"name\": \"default\", \"configuration\": {\"separator\": \"/\"}}", &keys));
	return zinc_json_set(f->doc, f->root, "chunk_key_encoding", keys, f->err);
}

static bool
is_hex(const zinc_json *v)
{
	return zinc_json_is(v, ZINC_JSON_STRING) && strncmp(v->text, "0x", 2) == 0;
}

/* Bits that only hexadecimal digits can express, alone or in a complex number. */
static bool
has_bits(const zinc_json *v)
{
	const zinc_json *item = zinc_json_is(v, ZINC_JSON_ARRAY) ? v->first : NULL;

	while (item && !is_hex(item))
		item = item->next;
	return is_hex(v) || item;
}

/* A NaN with other bits becomes the standard one, any other value 0. */
static zinc_status
drop_bits(struct fit *f, const zinc_dtype *t, void *element)
{
	const zinc_json *fill = zinc_json_member(f->root, "fill_value");
	zinc_report quiet;

	zinc_report_init_quiet(&quiet, zinc_json_context(f->doc), false);
	ZINC_TRY(t->ops->parse_fill(t, fill, element, &quiet, f->err));
	if (!has_bits(t->ops->print_fill(t, element, f->doc)))
		return ZINC_OK;
	if (is_hex(fill)) {
		ZINC_TRY(report(f, ZINC_COPY_LOST, "the bits of the fill value %.40s", fill->text));
		return zinc_json_set(f->doc, f->root, "fill_value", zinc_json_make_string(f->doc, "NaN"), f->err);
	}
	ZINC_TRY(report(f, ZINC_COPY_LOST, "the fill value"));
	zinc_dtype_zero(t, element);
	return zinc_json_set(f->doc, f->root, "fill_value", t->ops->print_fill(t, element, f->doc), f->err);
}

static bool
has_minus(const zinc_json *v)
{
	return zinc_json_is(v, ZINC_JSON_NUMBER) && v->text[0] == '-';
}

/* Elements that the source does not store are stored then, so that no element changes. */
static zinc_status
set_zero(struct fit *f, const zinc_dtype *t, void *element)
{
	const zinc_json *fill = zinc_json_member(f->root, "fill_value");
	zinc_json *zero;

	zinc_dtype_zero(t, element);
	zero = t->ops->print_fill(t, element, f->doc);
	if (zero && zinc_json_equal(fill, zero) && !has_minus(fill)) /* JSON takes -0.0 for 0.0 */
		return ZINC_OK;
	ZINC_TRY(
	    report(f, ZINC_COPY_LOST, "the fill value %.40s, which becomes 0",
		   zinc_json_is(fill, ZINC_JSON_STRING) || zinc_json_is(fill, ZINC_JSON_NUMBER) ? fill->text : ""));
	return zinc_json_set(f->doc, f->root, "fill_value", zero, f->err);
}

/* Types that the format does not have are refused by its printer. */
static zinc_status
fit_zero(struct fit *f)
{
	zinc_context *ctx = zinc_json_context(f->doc);
	const zinc_dtype *t = NULL;
	zinc_status st = ZINC_OK;
	zinc_report quiet;
	void *element;

	zinc_report_init_quiet(&quiet, ctx, false);
	ZINC_TRY(zinc_dtype_parse(&t, ctx, zinc_json_member(f->root, "data_type"), &quiet, f->err));
	if (t->kind == ZINC_KIND_FLOAT || t->kind == ZINC_KIND_INT || t->kind == ZINC_KIND_UINT) {
		element = zinc_dtype_fill_room(t, ctx, NULL);
		st = element ? set_zero(f, t, element) : zinc_fail_nomem(f->err);
		zinc_free(ctx, element);
	}
	zinc_dtype_free(t);
	return st;
}

static zinc_status
fit_fill(struct fit *f)
{
	zinc_context *ctx = zinc_json_context(f->doc);
	const zinc_json *fill = zinc_json_member(f->root, "fill_value");
	const zinc_dtype *t = NULL;
	zinc_status st = ZINC_OK;
	zinc_report quiet;
	void *element;

	if (f->holds->zero_fill)
		return fit_zero(f);
	if (!f->holds->plain_nan || !has_bits(fill))
		return ZINC_OK;
	zinc_report_init_quiet(&quiet, ctx, false);
	ZINC_TRY(zinc_dtype_parse(&t, ctx, zinc_json_member(f->root, "data_type"), &quiet, f->err));
	if (t->kind == ZINC_KIND_FLOAT || t->kind == ZINC_KIND_COMPLEX) {
		element = zinc_dtype_fill_room(t, ctx, NULL);
		st = element ? drop_bits(f, t, element) : zinc_fail_nomem(f->err);
		zinc_free(ctx, element);
	}
	zinc_dtype_free(t);
	return st;
}

static zinc_status
fit_names(struct fit *f)
{
	const zinc_json *names;

	if (!f->holds->whole_names ||
	    !zinc_dimension_names_fit(f->root, zinc_json_member(f->root, "attributes"), &names))
		return ZINC_OK;
	(void)zinc_json_remove(f->root, "dimension_names");
	return report(f, ZINC_COPY_LOST, "dimension names");
}

zinc_status
zinc_cp_fit(zinc_cp_translation *t)
{
	static zinc_status (*const steps[])(struct fit * f) = {fit_shards,  fit_grid,       fit_orders, fit_codecs,
							       fit_filters, fit_endian,     fit_fill,   fit_keys,
							       fit_names,   fit_byte_orders};
	const zinc_format *to = t->c->to->format;
	struct fit f = {.t = t,
			.format = to,
			.holds = &to->holds,
			.doc = t->wanted,
			.root = zinc_json_root(t->wanted),
			.err = t->err};
	size_t i;

	ZINC_TRY(fit_members(&f));
	ZINC_TRY(fit_attributes(&f));
	for (i = 0; t->n->kind == ZINC_NODE_ARRAY && i < sizeof steps / sizeof *steps; i++)
		ZINC_TRY(steps[i](&f));
	return ZINC_OK;
}
