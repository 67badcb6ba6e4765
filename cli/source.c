/*
 * source.c - the input of put and append: a .npy file, or raw little-endian elements
 *
 * It is read piece by piece, so that it may be larger than memory and may be a pipe.  The header with its shape, or
 * the length of a raw file, is checked before anything is written.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"

/* ---- opening ---- */

/* Raw bytes of a type without a zinc_type: as in NumPy, little-endian.  NumPy has no name for records with fields like
 * int4: their bytes are the elements in memory, except on a big-endian machine. */
static int
look_at_plain(struct source *s, const zinc_array *a)
{
	struct text descr = {NULL, 0, 0};
	zinc_error err = ZINC_ERROR_INIT;
	size_t n = zinc_array_numpy(a, NULL, 0);
	int status = DONE;

	if (zinc_array_variable(a))
		return complain(USAGE, s->name, "elements of variable length can only be put from a .npy file");
	if (n == 0)
		return s->npy.swap ? complain(UNSUPPORTED, s->name, "NumPy has no type for %s", zinc_array_dtype(a))
				   : DONE;
	text_fill(&descr, ' ', n);
	zinc_array_numpy(a, descr.p, n + 1);
	if (zinc_numpy_new(&s->npy.numpy, s->run->ctx, descr.p, &err))
		status = fail(s->url, &err);
	text_free(&descr);
	return status;
}

/* What kind of file is it?  A pipe cannot be rewound, so the bytes read for this are kept for the first piece. */
static int
look(struct source *s, const struct region *g)
{
	ptrdiff_t n = read_full(s->fd, s->held, sizeof s->held);

	if (n < 0)
		return complain(TROUBLE, s->name, "%s", strerror(errno));
	s->is_npy = n == sizeof npy_magic && !memcmp(s->held, npy_magic, sizeof npy_magic);
	if (s->is_npy)
		return npy_read_header(&s->npy, s->run->ctx, s->fd, s->name);
	if (!g)
		return complain(USAGE, s->name, "not a .npy file, and raw bytes have no shape");
	s->nheld = (size_t)n;
	s->npy = (struct npy){.type = ZINC_NATIVE, .element = g->element, .ndim = g->out_ndim};
	memcpy(s->npy.shape, g->shape, sizeof s->npy.shape);
	s->npy.swap = *(const unsigned char *)&(const uint16_t){1} == 0; /* raw is little-endian */
	return zinc_array_type(g->array) == ZINC_NATIVE ? look_at_plain(s, g->array) : DONE;
}

int
source_open(struct source *s, struct run *r, const char *url, const struct region *g)
{
	const char *from = r->args->from;

	*s = (struct source){.run = r, .url = url, .fd = -1};
	if (!from)
		return complain(USAGE, url, "no input: give --from FILE, or --from - for standard input");
	s->name = strcmp(from, "-") ? from : "standard input";
	s->fd = strcmp(from, "-") ? open(from, O_RDONLY | O_CLOEXEC) : STDIN_FILENO;
	if (s->fd < 0)
		return complain(TROUBLE, s->name, "%s", strerror(errno));
	return look(s, g);
}

void
source_close(struct source *s)
{
	free(s->buffer);
	free(s->native);
	zinc_numpy_free(s->npy.numpy);
	zinc_arena_free(s->arena);
	if (s->fd > STDIN_FILENO)
		close(s->fd);
	*s = (struct source){.fd = -1};
}

/* ---- checks ---- */

/* Can these types be converted?  Elements of variable length also need an arena. */
static int
check_type(struct source *s, const zinc_array *a)
{
	zinc_error err = ZINC_ERROR_INIT;

	if (s->npy.type == ZINC_RAW && s->npy.element != zinc_array_element_size(a))
		return complain(USAGE, s->name, "its elements have %zu bytes, but those of the array have %zu",
				s->npy.element, zinc_array_element_size(a));
	if (!s->npy.numpy)
		return DONE;
	if (zinc_array_variable(a) && zinc_arena_new(&s->arena, s->run->ctx, 0, &err))
		return fail(s->url, &err);
	return zinc_array_from_numpy(a, s->npy.numpy, NULL, NULL, 0, 0, s->arena, &err) ? fail(s->name, &err) : DONE;
}

/* Check the length of a raw file before reading. */
static int
check_length(struct source *s, uint64_t n)
{
	struct stat st;
	off_t at = lseek(s->fd, 0, SEEK_CUR);
	uint64_t have;

	if (__builtin_mul_overflow(n, s->npy.element, &s->left))
		return complain(USAGE, s->name, "the selection is larger than any file");
	if (fstat(s->fd, &st) || !S_ISREG(st.st_mode) || at < 0)
		return DONE;
	have = (uint64_t)(st.st_size - at) + s->nheld;
	if (have != s->left)
		return complain(s->is_npy ? CORRUPT : USAGE, s->name,
				"%llu bytes of elements, but the selection needs %llu", (unsigned long long)have,
				(unsigned long long)s->left);
	return DONE;
}

int
source_check(struct source *s, const zinc_array *a, uint64_t n)
{
	int status = check_type(s, a);

	return status == DONE ? check_length(s, n) : status;
}

/* ---- elements ---- */

/* The next bytes.  After the last piece the input must end; this is checked before the piece is written. */
static int
read_bytes(struct source *s, size_t nbytes)
{
	size_t held = s->nheld < nbytes ? s->nheld : nbytes;
	ptrdiff_t got;
	char extra;

	s->buffer = xrealloc(s->buffer, nbytes);
	memcpy(s->buffer, s->held, held);
	memmove(s->held, s->held + held, s->nheld - held);
	s->nheld -= held;
	got = read_full(s->fd, (char *)s->buffer + held, nbytes - held);
	if (got < 0)
		return complain(TROUBLE, s->name, "%s", strerror(errno));
	if (interrupted())
		return CANCELLED;
	if ((size_t)got < nbytes - held)
		return complain(s->is_npy ? CORRUPT : USAGE, s->name, "the input ends %llu bytes too early",
				(unsigned long long)(s->left - held - (uint64_t)got));
	s->left -= nbytes;
	if (s->left == 0 && (s->nheld || read_full(s->fd, &extra, 1) > 0))
		return complain(s->is_npy ? CORRUPT : USAGE, s->name, "the input continues after the last element");
	return DONE;
}

/* n elements of the type of the array: the buffer itself, or converted by the library.  Numbers are converted while
 * they are written; the library refuses values that do not fit, and then stores nothing of the piece. */
static int
convert(struct source *s, const zinc_array *a, size_t n, zinc_buffer *b)
{
	const size_t nbytes = n * zinc_array_element_size(a);
	zinc_error err = ZINC_ERROR_INIT;

	if (!s->npy.numpy) {
		if (s->npy.swap)
			swap_bytes(s->buffer, n * s->npy.element,
				   swap_unit(s->npy.type ? s->npy.type : zinc_array_type(a)));
		*b = *ZINC_BUFFER_AS(s->npy.type, s->buffer, n * s->npy.element);
		return DONE;
	}
	if (s->arena)
		zinc_arena_empty(s->arena);
	s->native = xrealloc(s->native, nbytes);
	if (zinc_array_from_numpy(a, s->npy.numpy, s->native, s->buffer, n, convert_flags(s->run), s->arena, &err))
		return fail(s->name, &err);
	*b = *ZINC_BUFFER_AS(ZINC_NATIVE, s->native, nbytes);
	return DONE;
}

/* Fortran order: the first dimension is the fastest. */
static void
fortran_strides(const uint64_t *shape, int ndim, size_t element, int64_t *strides)
{
	int64_t step = (int64_t)element;
	int d;

	for (d = 0; d < ndim; d++) {
		strides[d] = step;
		step *= (int64_t)shape[d];
	}
}

int
source_next(struct source *s, const zinc_array *a, const uint64_t *shape, int ndim, zinc_buffer *b, int64_t *strides)
{
	size_t n = 1;
	int d, status;

	for (d = 0; d < ndim; d++)
		n *= (size_t)shape[d]; /* at most what the caller's budget allows */
	status = read_bytes(s, n * s->npy.element);
	if (status == DONE)
		status = convert(s, a, n, b);
	if (status != DONE)
		return status;
	b->ndim = ndim;
	if (s->npy.fortran && n) {
		fortran_strides(shape, ndim, b->nbytes / n, strides);
		b->strides = strides;
	}
	return DONE;
}

int
source_write_piece(void *source, const struct region *piece)
{
	struct source *s = source;
	int64_t strides[ZINC_MAX_NDIM];
	zinc_selection sel = region_selection(piece);
	zinc_io_options io = io_options(s->run);
	zinc_error err = ZINC_ERROR_INIT;
	zinc_buffer b;
	int status = source_next(s, piece->array, piece->shape, piece->out_ndim, &b, strides);

	if (status != DONE)
		return status;
	return zinc_array_write(piece->array, &sel, &b, &io, &err) ? fail(s->url, &err) : DONE;
}
