/*
 * in_npy.c - the header of a NumPy file
 *
 *     \x93NUMPY  major minor  length (u16 in version 1, u32 in 2 and 3)  {'descr': '>f4', 'fortran_order': True, ...}\n
 *
 * Any byte order and both memory orders are read; records and objects are not.
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

/* '<f8' -> type, size, order; false when it is none of ours. */
static bool
parse_descr(struct npy *n, const char *s)
{
	static const struct {
		const char *name;
		zinc_type type;
	} types[] = {
	    {"b1", ZINC_BOOL},      {"i1", ZINC_INT8},        {"i2", ZINC_INT16},   {"i4", ZINC_INT32},
	    {"i8", ZINC_INT64},     {"u1", ZINC_UINT8},       {"u2", ZINC_UINT16},  {"u4", ZINC_UINT32},
	    {"u8", ZINC_UINT64},    {"f2", ZINC_FLOAT16},     {"f4", ZINC_FLOAT32}, {"f8", ZINC_FLOAT64},
	    {"c8", ZINC_COMPLEX64}, {"c16", ZINC_COMPLEX128},
	};
	char *end;
	size_t i;

	if (!*s || !strchr("<>|=", *s))
		return false;
	n->swap = *s == OTHER_ORDER;
	if (s[1] == 'V') {
		n->type = ZINC_RAW;
		n->element = strtoul(s + 2, &end, 10);
		return s[2] >= '0' && s[2] <= '9' && !*end;
	}
	for (i = 0; i < sizeof types / sizeof *types; i++)
		if (!strcmp(types[i].name, s + 1)) {
			n->type = types[i].type;
			n->element = zinc_type_size(n->type);
			return true;
		}
	return false;
}

/* The value behind "'key':"; NULL when there is none.  The header is a Python literal, but all writers spell it
 * alike: a search finds what a parser would. */
static char *
value_of(char *header, const char *key)
{
	char *p = strstr(header, key);

	if (!p)
		return NULL;
	p += strlen(key);
	p += strspn(p, " ");
	if (*p++ != ':')
		return NULL;
	return p + strspn(p, " ");
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
parse_header(struct npy *n, char *header, const char *name)
{
	char *descr = value_of(header, "'descr'");
	char *order = value_of(header, "'fortran_order'");
	char *shape = value_of(header, "'shape'");
	char *end;

	if (!descr || !order || !shape || (strncmp(order, "True", 4) && strncmp(order, "False", 5)))
		return complain(CORRUPT, name, "the header of the .npy file is damaged");
	n->fortran = *order == 'T';
	if (!parse_tuple(n, shape))
		return complain(CORRUPT, name, "the header of the .npy file has no shape that makes sense");
	if (*descr == '\'' && (end = strchr(descr + 1, '\'')) != NULL) {
		*end = '\0';
		if (parse_descr(n, descr + 1))
			return DONE;
		return complain(UNSUPPORTED, name, "elements of NumPy type %s cannot be put", descr + 1);
	}
	return complain(UNSUPPORTED, name, "elements that are records cannot be put");
}

int
npy_read_header(struct npy *n, int fd, const char *name)
{
	unsigned char b[6] = {0};
	size_t width, length = 0, i;
	char *header;
	int status;

	*n = (struct npy){.type = ZINC_NATIVE};
	if (read_full(fd, b, 2) != 2 || b[0] < 1 || b[0] > 3)
		return complain(UNSUPPORTED, name, "a .npy file of version %d.%d", b[0], b[1]);
	width = b[0] == 1 ? 2 : 4;
	if (read_full(fd, b, width) != (ptrdiff_t)width)
		return complain(CORRUPT, name, "the .npy file is cut short");
	for (i = width; i-- > 0;)
		length = length << 8 | b[i];
	if (length > HEADER_MAX)
		return complain(CORRUPT, name, "the .npy file has a header of %zu bytes", length);
	header = need(NULL, length + 1);
	if (read_full(fd, header, length) == (ptrdiff_t)length) {
		header[length] = '\0';
		status = parse_header(n, header, name);
	} else {
		status = complain(CORRUPT, name, "the .npy file is cut short");
	}
	free(header);
	return status;
}
