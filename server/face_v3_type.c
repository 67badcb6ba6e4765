/*
 * face_v3_type.c - data types as every reader knows them
 *
 *     record {a: int16, n: {x: complex64}}   ->  a group with the arrays a, and n/x with a trailing axis of 2
 *     bfloat16, small floats; int2, int4     ->  float32; int8
 *
 * The type of an element is taken apart into leaves: parts of one simple type each, at an offset, repeated along trailing
 * axes.  Fields lie one after the other without gaps.  Promises (tests/unit/test_face_v3.c names each by its number):
 *
 * (1) The sizes of all leaves add up to the size of the element, or the type is E_UNSUPPORTED: no field is read at a
 *     wrong place.
 * (2) Names of fields that cannot be names of nodes become "field_3"; the attribute field_name has the name itself.
 * (3) The parts of a missing element may differ, as in the complex fill value [1, 2], while a document has room for one
 *     fill value.  Then `same_fill` is false, and missing chunks are served as chunks.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "face_v3.h"

struct build {
	struct leaves *out;
	zinc_hierarchy *twins;
	zinc_error *err;
	bool record;
	int levels; /* of records in records */
};

/* The part of the element that is looked at: a leaf without a type yet. */
static zinc_status add_type(struct build *b, struct leaf at, const char *type, const char *fill, uint64_t *nbytes);

static void
leaf_fini(struct leaf *x)
{
	free(x->name);
	free(x->said);
	free(x->type);
	free(x->fill);
}

void
leaves_free(struct leaves *x)
{
	size_t i;

	for (i = 0; i < x->n; i++)
		leaf_fini(&x->leaf[i]);
	free(x->leaf);
	*x = (struct leaves){NULL, 0};
}

/* Add a leaf that has copies of all texts. */
static zinc_status
add_leaf(struct build *b, const struct leaf *at, const char *type, const char *fill)
{
	struct leaves *x = b->out;
	struct leaf *p, *leaf;

	if (x->n == FACE_MAX_FIELDS)
		return face_fail(b->err, ZINC_E_LIMIT, "records of more than %d fields are not served",
				 FACE_MAX_FIELDS);
	p = realloc(x->leaf, (x->n + 1) * sizeof *p);
	if (!p)
		return face_nomem(b->err);
	x->leaf = p;
	leaf = &p[x->n++];
	*leaf = *at;
	leaf->record = b->record;
	leaf->name = strdup(at->name);
	leaf->said = at->said ? strdup(at->said) : NULL;
	leaf->type = strdup(type);
	leaf->fill = strdup(fill);
	return leaf->name && leaf->type && leaf->fill && (leaf->said || !at->said) ? ZINC_OK : face_nomem(b->err);
}

/* ---- simple types ---- */

/* An array without axes, of which the library knows the element and can read the fill value. */
static zinc_status
open_scalar(zinc_array **out, struct build *b, const char *type, const char *fill)
{
	struct text t = TEXT_INIT(FACE_DOCUMENT_BYTES);
	char *document;
	zinc_status st;

	text_add(&t, "{\"zarr_format\":3,\"node_type\":\"array\",\"shape\":[],\"data_type\":");
	text_add(&t, type);
	text_add(&t, ",\"chunk_grid\":{\"name\":\"regular\",\"configuration\":{\"chunk_shape\":[]}},"
		     "\"chunk_key_encoding\":{\"name\":\"default\"},\"fill_value\":");
	text_add(&t, fill);
	text_add(&t, ",\"codecs\":[{\"name\":\"bytes\",\"configuration\":{\"endian\":\"little\"}}]}");
	document = text_take(&t);
	if (!document)
		return face_nomem(b->err);
	st = zinc_array_open_document(out, b->twins, "/size", document, b->err);
	free(document);
	return st;
}

/* The fill value of an array of a small type, as JSON of the type that is served. */
static zinc_status
wide_fill(zinc_array *a, char text[40], zinc_error *err)
{
	const zinc_type wide = zinc_type_widen(zinc_array_type(a));
	const zinc_io_options io = ZINC_IO_OPTIONS_INIT;
	float real = 0;
	int8_t whole = 0;
	zinc_status st;

	if (wide == ZINC_FLOAT32) {
		st = zinc_array_read(a, NULL, ZINC_BUFFER(&real, sizeof real), &io, err);
		if (isfinite(real))
			snprintf(text, 40, "%.9g", (double)real);
		else
			snprintf(text, 40, isnan(real) ? "\"NaN\"" : real > 0 ? "\"Infinity\"" : "\"-Infinity\"");
		return st;
	}
	st = zinc_array_read(a, NULL, ZINC_BUFFER_AS(wide, &whole, sizeof whole), &io, err);
	snprintf(text, 40, "%d", whole);
	return st;
}

/* A part of a simple type, which `at` has but for its size; the size is set. */
static zinc_status
add_simple(struct build *b, struct leaf *at, const char *type, const char *fill, bool is_text)
{
	zinc_array *a = NULL;
	char small[40];
	zinc_type own, wide;
	zinc_status st = open_scalar(&a, b, type, fill);

	if (st != ZINC_OK)
		return st;
	own = zinc_array_type(a);
	wide = zinc_type_widen(own);
	at->nbytes = zinc_array_element_size(a);
	if (own != wide) {
		at->stored = own;
		st = wide_fill(a, small, b->err);
		type = wide == ZINC_FLOAT32 ? "\"float32\"" : wide == ZINC_INT8 ? "\"int8\"" : "\"uint8\"";
		fill = small;
	}
	zinc_array_close(a);
	if (st == ZINC_OK && !at->nbytes)
		st = face_fail(b->err, ZINC_E_UNSUPPORTED, "a field of type %.200s", type);
	return st == ZINC_OK ? add_leaf(b, at, is_text ? "\"string\"" : type, fill) : st;
}

static zinc_status
add_axis(struct build *b, struct leaf *at, uint64_t count, uint64_t stride)
{
	if (at->naxes == ZINC_MAX_NDIM)
		return face_fail(b->err, ZINC_E_LIMIT, "the elements have too many axes");
	at->axis[at->naxes] = count;
	at->stride[at->naxes++] = stride;
	return ZINC_OK;
}

/* Real and imaginary part: a trailing axis of 2.  `part` is a name. */
static zinc_status
add_complex(struct build *b, struct leaf at, const char *part, uint64_t size, const char *fill, uint64_t *nbytes)
{
	struct items parts;
	char type[80];
	zinc_status st;

	at.kind = LEAF_COMPLEX;
	*nbytes = 2 * size;
	snprintf(type, sizeof type, "\"%.60s\"", part);
	st = add_axis(b, &at, 2, size);
	if (st != ZINC_OK)
		return st;
	if (!json_split(fill, &parts) || parts.n != 2) {
		items_free(&parts);
		return face_fail(b->err, ZINC_E_CORRUPT, "a complex fill value %.100s", fill);
	}
	at.same_fill = at.same_fill && !strcmp(parts.values[0], parts.values[1]);
	st = add_simple(b, &at, type, parts.values[0], false);
	items_free(&parts);
	return st;
}

/* "complex64" and "complex128", or the name of the parts behind "complex_". */
static const char *
part_of(const char *name, uint64_t *size)
{
	const char *part = strncmp(name, "complex_", 8) == 0 ? name + 8 : NULL;

	*size = 1;
	if (!strcmp(name, "complex64") || !strcmp(name, "complex_float32"))
		*size = 4;
	else if (!strcmp(name, "complex128") || !strcmp(name, "complex_float64"))
		*size = 8;
	else if (!strcmp(name, "complex_float16") || !strcmp(name, "complex_bfloat16"))
		*size = 2;
	return *size == 4 ? "float32" : *size == 8 ? "float64" : part;
}

static zinc_status
add_time(struct build *b, struct leaf at, const char *configuration, bool date, const char *fill, uint64_t *nbytes)
{
	char number[32];
	int64_t v = INT64_MIN;
	char *end = NULL;
	zinc_status st = time_rule_of(&at.time, configuration, date, b->err);

	if (st != ZINC_OK)
		return st;
	if (strcmp(fill, "\"NaT\"") != 0) {
		v = strtoll(fill, &end, 10);
		if (*end)
			return face_fail(b->err, ZINC_E_UNSUPPORTED, "a fill value %.100s of times", fill);
	}
	st = time_convert(&at.time, &v, 1, b->err);
	if (st != ZINC_OK)
		return st;
	snprintf(number, sizeof number, "%lld", (long long)v);
	at.kind = date ? LEAF_DATE : LEAF_SPAN;
	*nbytes = at.nbytes = 8;
	return add_leaf(b, &at, "\"int64\"", number);
}

/* "r24" with [1, 2, 3] is raw_bytes with "AQID", which more readers know. */
static zinc_status
add_raw(struct build *b, struct leaf at, uint64_t bits, const char *fill, uint64_t *nbytes)
{
	struct text type = TEXT_INIT(128), value = TEXT_INIT(FACE_DOCUMENT_BYTES);
	struct items x;
	uint64_t v = 0;
	unsigned char three[3];
	zinc_status st;
	size_t i;
	bool ok = json_split(fill, &x) && x.n == bits / 8;

	text_add(&value, "\"");
	for (i = 0; ok && i < x.n; i++) {
		ok = json_number(x.values[i], &v) && v < 256;
		three[i % 3] = (unsigned char)v;
		if (i % 3 == 2 || i + 1 == x.n)
			text_base64(&value, three, i % 3 + 1);
	}
	text_add(&value, "\"");
	items_free(&x);
	text_add(&type, "{\"name\":\"raw_bytes\",\"configuration\":{\"length_bytes\":");
	text_u64(&type, bits / 8);
	text_add(&type, "}}");
	at.nbytes = *nbytes = bits / 8;
	if (!ok)
		st = face_fail(b->err, ZINC_E_UNSUPPORTED, "a fill value %.100s of raw bytes", fill);
	else
		st = text_ok(&type) && text_ok(&value) ? add_leaf(b, &at, type.p, value.p) : face_nomem(b->err);
	text_free(&type);
	text_free(&value);
	return st;
}

/* ---- composed types ---- */

/* Items of nested lists, `depth` levels deep; false: they differ, or are none. */
static bool
same_items(const char *json, int depth, char **first)
{
	struct items x;
	bool same = json_split(json, &x) && x.n > 0;
	size_t i;

	for (i = 0; same && i < x.n; i++) {
		if (depth > 1)
			same = same_items(x.values[i], depth - 1, first);
		else if (!*first)
			same = (*first = strdup(x.values[i])) != NULL;
		else
			same = !strcmp(*first, x.values[i]);
	}
	items_free(&x);
	return same;
}

/* Axes of which the last is the fastest.  Their strides are known when the item has been added: they are set in its
 * leaves. */
static zinc_status
add_items(struct build *b, struct leaf at, const uint64_t *shape, int n, const char *type, const char *fill,
	  uint64_t *nbytes)
{
	const size_t before = b->out->n;
	const int first = at.naxes;
	zinc_status st = ZINC_OK;
	size_t k;
	int i;

	for (i = 0; i < n && st == ZINC_OK; i++)
		st = add_axis(b, &at, shape[i], 0);
	if (st == ZINC_OK)
		st = add_type(b, at, type, fill, nbytes);
	for (i = n; i-- > 0 && st == ZINC_OK;) {
		for (k = before; k < b->out->n; k++)
			b->out->leaf[k].stride[first + i] = *nbytes;
		if (__builtin_mul_overflow(*nbytes, shape[i], nbytes))
			st = face_fail(b->err, ZINC_E_LIMIT, "the elements are too large");
	}
	return st;
}

static zinc_status
add_subarray(struct build *b, struct leaf at, const char *configuration, const char *fill, uint64_t *nbytes)
{
	uint64_t shape[ZINC_MAX_NDIM];
	char *list = json_member(configuration, "shape"), *type = json_member(configuration, "data_type"), *one = NULL;
	const int n = json_numbers(list, shape, ZINC_MAX_NDIM);
	zinc_status st;

	if (n < 1 || !type) {
		st = face_fail(b->err, ZINC_E_UNSUPPORTED, "a sub-array without shape or type");
	} else {
		at.same_fill = same_items(fill, n, &one) && at.same_fill;
		st = one ? add_items(b, at, shape, n, type, one, nbytes)
			 : face_fail(b->err, ZINC_E_UNSUPPORTED, "a sub-array without elements");
	}
	free(list);
	free(type);
	free(one);
	return st;
}

static bool
is_node_name(const char *s)
{
	size_t i;

	if (!*s || s[strspn(s, ".")] == '\0' || !strncmp(s, "__", 2) || !strcmp(s, "zarr.json") || strlen(s) > 200)
		return false;
	for (i = 0; s[i]; i++)
		if ((unsigned char)s[i] < 0x20 || s[i] == 0x7f || strchr("/\\", s[i]))
			return false;
	return true;
}

/* Promise (2).  Is the name that of field i, or taken by another? */
static bool
is_taken(const struct items *names, const char *name)
{
	size_t i;

	for (i = 0; i < names->n; i++)
		if (names->keys[i] && !strcmp(names->keys[i], name))
			return true;
	return false;
}

static void
choose_name(struct text *t, const struct items *names, size_t i)
{
	char name[64];
	int n;

	if (is_node_name(names->keys[i])) {
		text_add(t, names->keys[i]);
		return;
	}
	n = snprintf(name, sizeof name, "field_%zu", i);
	while (is_taken(names, name) && n < 60)
		n += snprintf(name + n, sizeof name - (size_t)n, "_");
	text_add(t, name);
}

/* Names -> types of a record. */
static bool
read_fields(const char *configuration, struct items *out)
{
	char *list = json_member(configuration, "fields");
	struct items fields;
	bool ok = list && json_split(list, &fields);
	size_t i;

	*out = (struct items){NULL, NULL, 0, false};
	if (!ok) {
		free(list);
		return false;
	}
	out->keys = calloc(fields.n + 1, sizeof *out->keys);
	out->values = calloc(fields.n + 1, sizeof *out->values);
	ok = out->keys && out->values;
	for (i = 0; ok && i < fields.n; i++) {
		char *name = json_member(fields.values[i], "name");

		out->keys[i] = json_string(name);
		out->values[i] = json_member(fields.values[i], "data_type");
		ok = out->keys[i] && out->values[i];
		out->n = i + 1;
		free(name);
	}
	items_free(&fields);
	free(list);
	return ok;
}

static zinc_status
add_field(struct build *b, const struct leaf *at, const struct items *fields, size_t i, const struct items *fill,
	  uint64_t *nbytes)
{
	struct text name = TEXT_INIT(4096);
	const char *value = items_find(fill, fields->keys[i]);
	struct leaf field = *at;
	zinc_status st;

	text_add(&name, at->name);
	text_add(&name, *at->name ? "/" : "");
	choose_name(&name, fields, i);
	field.name = text_take(&name);
	field.said = is_node_name(fields->keys[i]) ? NULL : fields->keys[i];
	if (!field.name)
		return face_fail(b->err, ZINC_E_LIMIT, "the name of a field is too long");
	field.offset = at->offset + *nbytes;
	st = value ? add_type(b, field, fields->values[i], value, nbytes)
		   : face_fail(b->err, ZINC_E_UNSUPPORTED, "the fill value has no field \"%.100s\"", fields->keys[i]);
	free(field.name);
	return st;
}

static zinc_status
add_record(struct build *b, struct leaf at, const char *configuration, const char *fill, uint64_t *nbytes)
{
	struct items fields = {NULL, NULL, 0, false}, values = {NULL, NULL, 0, false};
	uint64_t size = 0, one;
	zinc_status st;
	size_t i;

	b->record = true;
	if (b->levels == FACE_MAX_LEVELS)
		return face_fail(b->err, ZINC_E_LIMIT, "records in records, more than %d deep", FACE_MAX_LEVELS);
	if (!read_fields(configuration, &fields) || !json_split(fill, &values)) {
		items_free(&fields);
		items_free(&values);
		return face_fail(b->err, ZINC_E_UNSUPPORTED, "a record without fields");
	}
	b->levels++;
	at.group = true;
	st = add_leaf(b, &at, "null", "null");
	at.group = false;
	for (i = 0; i < fields.n && st == ZINC_OK; i++) {
		one = size;
		st = add_field(b, &at, &fields, i, &values, &one);
		if (st == ZINC_OK && __builtin_add_overflow(size, one, &size))
			st = face_fail(b->err, ZINC_E_LIMIT, "the elements are too large");
	}
	b->levels--;
	items_free(&fields);
	items_free(&values);
	*nbytes = size;
	return st;
}

/* ---- any type ---- */

static zinc_status
add_named(struct build *b, struct leaf at, const char *name, const char *type, const char *configuration,
	  const char *fill, uint64_t *nbytes)
{
	uint64_t bits = 0, size;
	const char *part = part_of(name, &size);
	zinc_status st;

	if (name[0] == 'r' && json_number(name + 1, &bits) && bits && bits % 8 == 0)
		return add_raw(b, at, bits, fill, nbytes);
	if (!strcmp(name, "struct"))
		return add_record(b, at, configuration, fill, nbytes);
	if (!strcmp(name, "zinc.subarray"))
		return add_subarray(b, at, configuration, fill, nbytes);
	if (part)
		return add_complex(b, at, part, size, fill, nbytes);
	if (!strcmp(name, "numpy.datetime64"))
		return add_time(b, at, configuration, true, fill, nbytes);
	if (!strcmp(name, "numpy.timedelta64"))
		return add_time(b, at, configuration, false, fill, nbytes);
	if (!strcmp(name, "fixed_length_utf32"))
		at.kind = LEAF_TEXT;
	st = add_simple(b, &at, type, fill, at.kind == LEAF_TEXT);
	*nbytes = at.nbytes;
	return st;
}

static zinc_status
add_type(struct build *b, struct leaf at, const char *type, const char *fill, uint64_t *nbytes)
{
	char *json = type[0] == '{' ? json_member(type, "name") : NULL, *name = json_string(json ? json : type),
	     *configuration = type[0] == '{' ? json_member(type, "configuration") : NULL;
	zinc_status st = name ? add_named(b, at, name, type, configuration ? configuration : "{}", fill, nbytes)
			      : face_fail(b->err, ZINC_E_UNSUPPORTED, "data type %.200s", type);

	free(json);
	free(name);
	free(configuration);
	return st;
}

zinc_status
leaves_of(struct leaves *out, zinc_hierarchy *twins, const char *type, const char *fill, size_t element_size,
	  zinc_error *err)
{
	struct build b = {out, twins, err, false, 0};
	struct leaf whole = {.name = (char[]){""}, .same_fill = true};
	uint64_t nbytes = 0;
	zinc_status st;

	*out = (struct leaves){NULL, 0};
	if (!strcmp(type, "\"string\"") || !strcmp(type, "\"bytes\"") || !strcmp(type, "\"variable_length_bytes\""))
		return add_leaf(&b, &whole, type, fill);
	st = add_type(&b, whole, type, fill, &nbytes);
	if (st == ZINC_OK && nbytes != element_size)
		st = face_fail(err, ZINC_E_UNSUPPORTED, "elements of %zu bytes with fields of %llu", element_size,
			       (unsigned long long)nbytes);
	return st;
}
