/*
 * coordinate.c - the coordinate of a dimension: the array of its name beside the array, or in a group above
 *
 * (1) The nearest one-dimensional array of that name and of the dimension's length is the coordinate.
 * (2) Only "not there" lets the search go on: a coordinate that cannot be read is an error.
 */
#include "cf/find.h"

/* "/a/b" -> "/a" -> "" ; false at the root. */
static bool
climb(char *path)
{
	char *slash = strrchr(path, '/');

	if (!slash || path[1] == '\0')
		return false;
	*slash = '\0';
	return true;
}

static bool
may_be_a_name(const char *name)
{
	return name[0] != '\0' && !strchr(name, '/') && strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
}

/* Open group/name.  *out stays NULL when it is not there, or not a coordinate of so many elements. */
static zinc_status
try_open(zinc_array **out, const zinc_array *a, const char *path, uint64_t length, const zinc_wait *wait,
	 zinc_error *err)
{
	const zinc_call_options rest = zinc_wait_rest(wait);
	zinc_error e = ZINC_ERROR_INIT;
	zinc_array *found;
	const zinc_status st = zinc_array_open(&found, a->h, path, &rest, &e);

	*out = NULL;
	if (st == ZINC_E_NOTFOUND || st == ZINC_E_INVALID) /* a name that no node can have */
		return ZINC_OK;
	if (st != ZINC_OK)
		return zinc_error_copy(err, &e);
	if (zinc_array_ndim(found) == 1 && zinc_array_shape(found)[0] == length)
		*out = found;
	else
		zinc_array_close(found);
	return ZINC_OK;
}

/* `group` is shortened on the way up. */
static zinc_status
search(zinc_array **out, const zinc_array *a, char *group, const char *name, uint64_t length, const zinc_wait *wait,
       zinc_error *err)
{
	zinc_status st = ZINC_OK;
	zinc_buf path;

	*out = NULL;
	zinc_buf_init(&path, a->ctx, ZINC_MAX_KEY);
	while (st == ZINC_OK && !*out && climb(group)) {
		path.n = 0;
		st = zinc_buf_printf(&path, err, "%s/%s", group, name);
		if (st == ZINC_OK)
			st = zinc_buf_text(&path) ? try_open(out, a, zinc_buf_text(&path), length, wait, err)
						  : zinc_fail_nomem(err);
	}
	zinc_buf_fini(&path);
	return st;
}

static zinc_status
find(zinc_array **out, zinc_array *a, int dim, const zinc_wait *wait, zinc_error *err)
{
	const char *name = zinc_array_dimension_name(a, dim);
	char shown[100];
	zinc_status st = ZINC_OK;
	char *group;

	*out = NULL;
	if (!name)
		return zinc_fail(err, ZINC_E_NOTFOUND, "dimension %d has no name, and so no coordinate", dim);
	group = zinc_strdup(a->ctx, a->path);
	if (!group)
		return zinc_fail_nomem(err);
	if (may_be_a_name(name))
		st = search(out, a, group, name, zinc_array_shape(a)[dim], wait, err);
	zinc_free(a->ctx, group);
	if (st != ZINC_OK || *out)
		return st;
	zinc_show(shown, sizeof shown, name);
	return zinc_fail(err, ZINC_E_NOTFOUND, "dimension \"%s\" has no coordinate", shown);
}

zinc_status
zinc_cf_coordinate(zinc_array **out, zinc_array *a, int dim, const zinc_call_options *call, zinc_error *err)
{
	zinc_wait wait;

	ZINC_TRY(ZINC_NEED(out && a, err));
	if (dim < 0 || dim >= zinc_array_ndim(a))
		return zinc_fail(err, ZINC_E_INVALID, "the array has no dimension %d", dim);
	ZINC_TRY(zinc_wait_begin(&wait, call, err));
	return zinc_error_at_node(err, find(out, a, dim, &wait, err), a->h, a->path);
}
