/*
 * in_npy.c - the header of a NumPy file
 *
 *     \x93NUMPY  major minor  length (u16 in version 1, u32 in 2 and 3)  {'descr': '>f4', 'fortran_order': True, ...}\n
 *
 * Any byte order and both memory orders are read, and any type except objects.  The library converts types that
 * have no zinc_type.
 */
#include <errno.h>
#include <unistd.h>

#include "cli.h"

#define HEADER_MAX ((size_t)1 << 20)

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define OTHER_ORDER '<'
#else
#define OTHER_ORDER '>'
#endif

ptrdiff_t
read_full(int fd, void *p, size_t n)
{
	size_t got = 0;

	while (got < n && !interrupted()) {
		ssize_t r = read(fd, (char *)p + got, n - got);

		if (r < 0 && errno == EINTR)
			continue;
		if (r < 0)
			return -1;
		if (r == 0)
			break;
		got += (size_t)r;
	}
	return (ptrdiff_t)got;
}

size_t
swap_unit(zinc_type type)
{
	size_t n = zinc_type_size(type);

	return is_complex(type) ? n / 2 : n ? n : 1;
}

void
swap_bytes(void *p, size_t nbytes, size_t unit)
{
	unsigned char *b = p, *end = b + nbytes;
	size_t i;

	for (; unit > 1 && b < end; b += unit)
		for (i = 0; i < unit / 2; i++) {
			unsigned char c = b[i];

			b[i] = b[unit - 1 - i];
			b[unit - 1 - i] = c;
		}
}

/* ---- the dictionary ---- */

/* The end of the value at p: a comma or bracket outside of it.  NULL: there is none. */
static char *
end_of(char *p)
{
	int depth = 0;

	for (; *p; p++) {
		if (*p == '\'' || *p == '"') {
			char quote = *p++;

			for (; *p && *p != quote; p++)
				p += *p == '\\' && p[1];
			if (!*p)
				return NULL;
		} else if (strchr("([{", *p)) {
			depth++;
		} else if (strchr(")]}", *p) && depth-- == 0) {
			return p;
		} else if (*p == ',' && depth == 0) {
			return p;
		}
	}
	return NULL;
}

/* The values of the three keys, each cut out of the header. */
static bool
split(char *header, char *value[3])
{
	static const char *const keys[3] = {"'descr'", "'fortran_order'", "'shape'"};
	char *p = header + strspn(header, " "), *end;
	bool more = *p++ == '{';
	size_t i;

	while (more && (p += strspn(p, " ,"), *p != '}')) {
		for (i = 0; i < 3 && strncmp(p, keys[i], strlen(keys[i])); i++)
			;
		if (i == 3)
			return false;
		p += strlen(keys[i]);
		p += strspn(p, " ");
		if (*p != ':' || !(end = end_of(p)))
			return false;
		value[i] = p + 1 + strspn(p + 1, " ");
		more = *end == ',';
		p = end + more;
		do
			*end = '\0';
		while (end > value[i] && *--end == ' ');
	}
	return value[0] && value[1] && value[2];
}

/* '<f8' -> type, size, order; false when there is no zinc_type for it. */
static bool
parse_number(struct npy *n, const char *s)
{
	static const struct {
		const char *name;
		zinc_type type;
	} types[] = {
	    {"b1'", ZINC_BOOL},      {"i1'", ZINC_INT8},        {"i2'", ZINC_INT16},   {"i4'", ZINC_INT32},
	    {"i8'", ZINC_INT64},     {"u1'", ZINC_UINT8},       {"u2'", ZINC_UINT16},  {"u4'", ZINC_UINT32},
	    {"u8'", ZINC_UINT64},    {"f2'", ZINC_FLOAT16},     {"f4'", ZINC_FLOAT32}, {"f8'", ZINC_FLOAT64},
	    {"c8'", ZINC_COMPLEX64}, {"c16'", ZINC_COMPLEX128},
	};
	char *end;
	size_t i;

	if (*s++ != '\'' || !*s || !strchr("<>|=", *s))
		return false;
	n->swap = *s == OTHER_ORDER;
	if (s[1] == 'V') {
		n->type = ZINC_RAW;
		n->element = strtoul(s + 2, &end, 10);
		return s[2] >= '0' && s[2] <= '9' && *end == '\'';
	}
	for (i = 0; i < sizeof types / sizeof *types; i++)
		if (!strcmp(types[i].name, s + 1)) {
			n->type = types[i].type;
			n->element = zinc_type_size(n->type);
			return true;
		}
	return false;
}

/* Any other type of the library: its elements are converted before they are written. */
static int
parse_type(struct npy *n, zinc_context *ctx, const char *descr, const char *name)
{
	zinc_error err = ZINC_ERROR_INIT;

	if (parse_number(n, descr))
		return DONE;
	n->type = ZINC_NATIVE;
	n->swap = false;
	if (zinc_numpy_new(&n->numpy, ctx, descr, &err))
		return complain(err.code == ZINC_E_UNSUPPORTED ? UNSUPPORTED : CORRUPT, name,
				"elements of NumPy type %.200s: %s", descr, zinc_error_text(&err));
	n->element = zinc_numpy_size(n->numpy);
	return DONE;
}

static bool
parse_tuple(struct npy *n, char *p)
{
	char *end = strchr(p, ')');

	if (*p != '(' || !end)
		return false;
	*end = '\0';
	return parse_shape(p + 1, n->shape, &n->ndim);
}

static int
parse_header(struct npy *n, zinc_context *ctx, char *header, const char *name)
{
	char *value[3] = {NULL, NULL, NULL};

	if (!split(header, value) || (strncmp(value[1], "True", 4) && strncmp(value[1], "False", 5)))
		return complain(CORRUPT, name, "the header of the .npy file is damaged");
	n->fortran = *value[1] == 'T';
	if (!parse_tuple(n, value[2]))
		return complain(CORRUPT, name, "the header of the .npy file has an invalid shape");
	return parse_type(n, ctx, value[0], name);
}

/* Headers before version 3 are Latin-1, names of fields included. */
static char *
to_utf8(char *header, int version)
{
	struct text t = {NULL, 0, 0};
	const char *p;

	if (version >= 3)
		return header;
	for (p = header; *p; p++) {
		const unsigned char c = (unsigned char)*p;
		const char two[2] = {(char)(0xc0 | c >> 6), (char)(0x80 | (c & 0x3f))};

		text_add(&t, c < 0x80 ? p : two, c < 0x80 ? 1 : 2);
	}
	free(header);
	text_puts(&t, "");
	return t.p;
}

int
npy_read_header(struct npy *n, zinc_context *ctx, int fd, const char *name)
{
	unsigned char b[6] = {0};
	int version;
	size_t width, length = 0, i;
	char *header;
	int status;

	*n = (struct npy){.type = ZINC_NATIVE};
	if (read_full(fd, b, 2) != 2 || b[0] < 1 || b[0] > 3)
		return complain(UNSUPPORTED, name, "unsupported .npy version %d.%d", b[0], b[1]);
	version = b[0];
	width = version == 1 ? 2 : 4;
	if (read_full(fd, b, width) != (ptrdiff_t)width)
		return complain(CORRUPT, name, "the .npy file is truncated");
	for (i = width; i-- > 0;)
		length = length << 8 | b[i];
	if (length > HEADER_MAX)
		return complain(CORRUPT, name, "the .npy file has a header of %zu bytes", length);
	header = xrealloc(NULL, length + 1);
	if (read_full(fd, header, length) == (ptrdiff_t)length) {
		header[length] = '\0';
		header = to_utf8(header, version);
		status = parse_header(n, ctx, header, name);
	} else {
		status = complain(CORRUPT, name, "the .npy file is truncated");
	}
	free(header);
	return status;
}
