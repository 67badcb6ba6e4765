/*
 * convention_spatial.c - convention spatial: the position of elements in space
 *
 * Two dimensions, [Y, X]. The transform is [a, b, c, d, e, f] with x = a col + b row + c and y = d col + e row +
 * f. Beyond the schema: the dimensions are among the array's names, spatial:shape is their lengths, and bbox
 * agrees with transform and shape, to half an element.
 */
#include <math.h>

#include "convention/convention.h"

static const char schema[] =
    "{'type': 'object', '$defs': {"
    "  'shape': {'type': 'array', 'minItems': 2, 'maxItems': 2, 'items': {'type': 'integer', 'minimum': 1}},"
    "  'transform': {'type': 'array', 'minItems': 6, 'maxItems': 6, 'items': {'type': 'number'}}},"
    " 'properties': {"
    "  'spatial:dimensions': {'type': 'array', 'minItems': 2, 'maxItems': 2, 'items': {'type': 'string'}},"
    "  'spatial:bbox': {'type': 'array', 'minItems': 4, 'maxItems': 4, 'items': {'type': 'number'}},"
    "  'spatial:transform': {'$ref': '#/$defs/transform'},"
    "  'spatial:transform_type': {'type': 'string'},"
    "  'spatial:shape': {'$ref': '#/$defs/shape'},"
    "  'spatial:registration': {'enum': ['node', 'pixel']},"
    "  'multiscales': {'properties': {'layout': {'items': {'properties': {"
    "   'spatial:shape': {'$ref': '#/$defs/shape'}, 'spatial:transform': {'$ref': '#/$defs/transform'}}}}}}}}";

/* Index of the array's dimension of that name; -1: none. */
static int
find_dimension(const zinc_meta *m, const char *name)
{
	const char *is;
	int i;

	for (i = 0; i < m->ndim; i++) {
		is = zinc_dimension_name(m, i);
		if (is && strcmp(is, name) == 0)
			return i;
	}
	return -1;
}

/* The n-th number of a list that the schema has checked. */
static double
number_at(const zinc_json *list, size_t n)
{
	double d = 0;

	(void)zinc_json_double(zinc_json_item(list, n), &d);
	return d;
}

/* Each named dimension is one of the array's; lengths[0] and [1] get those of Y and X, 0 where unknown. */
static void
check_dimensions(const zinc_subject *s, const zinc_json *dimensions, uint64_t lengths[2], zinc_report *r)
{
	const size_t mark = zinc_report_enter(r, "spatial:dimensions");
	const zinc_json *v;
	int i = 0, at;

	for (v = dimensions->first; v; v = v->next, i++) {
		const size_t item = zinc_report_enter_item(r, (size_t)i);

		at = find_dimension(s->meta, v->text);
		if (at < 0)
			(void)zinc_report_error(r, "spatial", NULL, "the array has no dimension \"%.60s\"", v->text);
		else
			lengths[i] = s->meta->shape[at];
		zinc_report_leave(r, item);
	}
	zinc_report_leave(r, mark);
}

/* From here on the lengths are those of spatial:shape, also for groups, which have no shape. */
static void
check_shape(const zinc_json *shape, uint64_t lengths[2], zinc_report *r)
{
	const zinc_json *v;
	size_t i = 0;
	uint64_t n;

	for (v = shape->first; v; v = v->next, i++) {
		if (!zinc_json_u64(v, &n))
			n = (uint64_t)number_at(shape, i);
		if (lengths[i] && n != lengths[i])
			(void)zinc_report_error(r, "spatial", NULL, "spatial:shape says %llu where the array has %llu",
						(unsigned long long)n, (unsigned long long)lengths[i]);
		lengths[i] = n;
	}
}

/* The corners of the grid, through the transform, against the box. */
static void
check_box(const zinc_subject *s, const zinc_json *transform, const zinc_json *box, const uint64_t lengths[2],
	  zinc_report *r)
{
	const bool node = zinc_json_is_string(zinc_json_member(s->attributes, "spatial:registration"), "node");
	const double rows = (double)lengths[0] - node, columns = (double)lengths[1] - node;
	double low, high, step, corner;
	size_t axis, i;

	for (axis = 0; axis < 2; axis++) {
		const double a = number_at(transform, 3 * axis), b = number_at(transform, 3 * axis + 1),
			     c = number_at(transform, 3 * axis + 2);

		low = high = c;
		for (i = 1; i < 4; i++) {
			corner = c + (i & 1 ? a * columns : 0) + (i & 2 ? b * rows : 0);
			low = corner < low ? corner : low;
			high = corner > high ? corner : high;
		}
		step = 0.5 * (fabs(a) > fabs(b) ? fabs(a) : fabs(b));
		if (fabs(low - number_at(box, axis)) > step || fabs(high - number_at(box, axis + 2)) > step)
			(void)zinc_report_error(r, "spatial", NULL,
						"spatial:bbox has %g to %g along %c, transform and shape make %g to %g",
						number_at(box, axis), number_at(box, axis + 2), "xy"[axis], low, high);
	}
}

static zinc_status
check(const zinc_subject *s, zinc_report *r, zinc_error *err)
{
	const zinc_json *dimensions = zinc_json_member(s->attributes, "spatial:dimensions"),
			*transform = zinc_json_member(s->attributes, "spatial:transform"),
			*shape = zinc_json_member(s->attributes, "spatial:shape"),
			*box = zinc_json_member(s->attributes, "spatial:bbox"),
			*type = zinc_json_member(s->attributes, "spatial:transform_type");
	uint64_t lengths[2] = {0, 0};
	const bool affine = !type || zinc_json_is_string(type, "affine");

	(void)err;
	if (s->meta->kind == ZINC_NODE_ARRAY && !dimensions)
		(void)zinc_report_error(r, "spatial", NULL, "an array needs spatial:dimensions");
	if (s->meta->kind == ZINC_NODE_ARRAY && dimensions)
		check_dimensions(s, dimensions, lengths, r);
	if (shape)
		check_shape(shape, lengths, r);
	if (affine && !transform && !zinc_json_member(s->attributes, "multiscales"))
		(void)zinc_report_lenient(r, "spatial", NULL, "spatial:transform should be present");
	if (affine && transform && box && lengths[0] && lengths[1])
		check_box(s, transform, box, lengths, r);
	return ZINC_OK;
}

const zinc_convention_row zinc_convention_spatial = {
    .name = "spatial",
    .prefix = "spatial:",
    .uuid = "689b58e2-cf7b-45e0-9fff-9cfc0883d6b4",
    .description = "Spatial coordinate information",
    .groups = true,
    .arrays = true,
    .check = check,
    .schemas = ZINC_URLS(ZINC_RAW "zarr-conventions/spatial/refs/tags/v0.1/schema.json",
			 ZINC_RAW "zarr-conventions/spatial/refs/tags/v1/schema.json"),
    .specs = ZINC_URLS(ZINC_GITHUB "zarr-conventions/spatial/blob/v0.1/README.md",
		       ZINC_GITHUB "zarr-conventions/spatial/blob/v1/README.md"),
    .schema = schema,
};
