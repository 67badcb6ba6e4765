/*
 * drive.c - operations for the exchange with other implementations that the command does not have
 *
 *    drive create URL          an array from a whole v3 document on stdin
 *    drive resize URL N,M      a new shape
 *    drive append URL AXIS     elements on stdin, in the array's own type and C order
 *    drive consolidate URL     consolidated metadata for a group
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zinc.h>

/* All of stdin, followed by a zero byte; the caller frees. */
static char *
slurp(size_t *nbytes)
{
	size_t room = 4096, n = 0, got;
	char *text = malloc(room + 1);

	while (text && (got = fread(text + n, 1, room - n, stdin)) > 0) {
		n += got;
		if (n == room) {
			char *more = realloc(text, (room *= 2) + 1);
			if (!more)
				free(text);
			text = more;
		}
	}
	if (text)
		text[n] = '\0';
	*nbytes = n;
	return text;
}

static zinc_status
create(const char *url, const char *argument, zinc_error *err)
{
	zinc_array *a = NULL;
	size_t nbytes;
	char *document = slurp(&nbytes);
	zinc_status status;

	(void)argument;
	status = zinc_array_create_url(&a, url, ZINC_ARRAY_OPTIONS(.document = document), NULL, err);
	zinc_array_close(a);
	free(document);
	return status;
}

/* "12,7" into shape; the array detects a wrong number of dimensions. */
static int
parse_shape(const char *text, uint64_t *shape)
{
	int ndim = 0;
	char *end;

	while (*text && ndim < ZINC_MAX_NDIM) {
		shape[ndim++] = strtoull(text, &end, 10);
		text = *end == ',' ? end + 1 : end;
	}
	return ndim;
}

static zinc_status
resize(const char *url, const char *argument, zinc_error *err)
{
	uint64_t shape[ZINC_MAX_NDIM];
	zinc_array *a = NULL;
	zinc_status status = zinc_array_open_url(&a, url, NULL, err);

	if (status == ZINC_OK)
		status = parse_shape(argument, shape) == zinc_array_ndim(a) ? zinc_array_resize(a, shape, NULL, err)
									    : ZINC_E_INVALID;
	zinc_array_close(a);
	return status;
}

/* The extent along `axis` of elements that fill `nbytes`. */
static uint64_t
extent(const zinc_array *a, int axis, size_t nbytes)
{
	uint64_t slice = zinc_array_element_size(a);

	for (int d = 0; d < zinc_array_ndim(a); d++)
		slice *= d == axis ? 1 : zinc_array_shape(a)[d];
	return slice ? nbytes / slice : 0;
}

static zinc_status
append(const char *url, const char *argument, zinc_error *err)
{
	uint64_t shape[ZINC_MAX_NDIM];
	int axis = (int)strtol(argument, NULL, 10);
	zinc_array *a = NULL;
	size_t nbytes;
	char *data = slurp(&nbytes);
	zinc_status status = zinc_array_open_url(&a, url, NULL, err);

	if (status == ZINC_OK) {
		zinc_buffer buffer = *ZINC_BUFFER_AS(ZINC_NATIVE, data, nbytes);
		memcpy(shape, zinc_array_shape(a), sizeof(uint64_t) * (size_t)zinc_array_ndim(a));
		shape[axis] = extent(a, axis, nbytes);
		buffer.ndim = zinc_array_ndim(a);
		buffer.shape = shape;
		status = zinc_array_append(a, axis, &buffer, NULL, NULL, err);
	}
	zinc_array_close(a);
	free(data);
	return status;
}

static zinc_status
consolidate(const char *url, const char *argument, zinc_error *err)
{
	zinc_hierarchy *h = NULL;
	zinc_status status = zinc_hierarchy_open_url(&h, url, NULL, err);

	(void)argument;
	if (status == ZINC_OK)
		status = zinc_consolidate(h, zinc_hierarchy_path(h), 0, NULL, err);
	zinc_hierarchy_close(h);
	return status;
}

static const struct {
	const char *name;
	int argc;
	zinc_status (*run)(const char *url, const char *argument, zinc_error *err);
} commands[] = {
    {"create", 3, create},
    {"resize", 4, resize},
    {"append", 4, append},
    {"consolidate", 3, consolidate},
};

int
main(int argc, char **argv)
{
	zinc_error err = ZINC_ERROR_INIT;
	zinc_status status;

	for (size_t i = 0; argc > 2 && i < sizeof commands / sizeof *commands; i++) {
		if (strcmp(argv[1], commands[i].name) != 0 || argc != commands[i].argc)
			continue;
		status = commands[i].run(argv[2], argc > 3 ? argv[3] : "", &err);
		if (status != ZINC_OK)
			fprintf(stderr, "drive: %s\n", err.code ? zinc_error_text(&err) : zinc_status_text(status));
		return (int)status;
	}
	fprintf(stderr, "usage: drive create|resize|append|consolidate URL [ARGUMENT]\n");
	return 2;
}
