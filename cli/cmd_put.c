/*
 * cmd_put.c - zinc put: elements of a file into an array
 *
 * The input is read and written piece by piece.  Nothing is written before a header and its shape, or the length
 * of a plain file, have been found right.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"

struct source {
	struct run *run;
	const char *url, *name;
	int fd;
	bool is_npy;
	struct npy npy;
	unsigned char held[sizeof npy_magic]; /* raw: the bytes that might have been the magic string */
	size_t nheld;
	uint64_t left; /* bytes still to come */
	void *buffer;
	void *native;      /* elements of types without a number, as the array has them */
	zinc_arena *arena; /* what those of variable length point to */
};

/* ---- the input ---- */

/* Plain bytes of a type without a number: as NumPy has them in little-endian. */
static int
look_at_plain(struct source *s, const zinc_array *a)
{
	struct text descr = {NULL, 0, 0};
	zinc_error err = ZINC_ERROR_INIT;
	size_t n = zinc_array_numpy(a, NULL, 0);
	int status = DONE;

	if (zinc_array_variable(a))
		return complain(USAGE, s->name, "elements of variable length can only be put from a .npy file");
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
	s->nheld = (size_t)n;
	s->npy = (struct npy){.type = ZINC_NATIVE, .element = g->element, .ndim = g->out_ndim};
	memcpy(s->npy.shape, g->shape, sizeof s->npy.shape);
	s->npy.swap = *(const unsigned char *)&(const uint16_t){1} == 0; /* raw is little-endian */
	return zinc_array_type(g->array) == ZINC_NATIVE ? look_at_plain(s, g->array) : DONE;
}

static int
open_source(struct source *s, const struct region *g)
{
	const char *from = s->run->args->from;

	s->name = strcmp(from, "-") ? from : "standard input";
	s->fd = strcmp(from, "-") ? open(from, O_RDONLY | O_CLOEXEC) : STDIN_FILENO;
	if (s->fd < 0)
		return complain(TROUBLE, s->name, "%s", strerror(errno));
	return look(s, g);
}

static int
check_shape(const struct source *s, const struct region *g)
{
	struct text have = {NULL, 0, 0}, want = {NULL, 0, 0};
	int status = DONE;

	if (s->npy.ndim != g->out_ndim || memcmp(s->npy.shape, g->shape, (size_t)g->out_ndim * sizeof *g->shape)) {
		text_tuple(&have, s->npy.shape, s->npy.ndim);
		text_tuple(&want, g->shape, g->out_ndim);
		status = complain(USAGE, s->name, "its shape is %s, that of the selection %s", have.p, want.p);
	} else if (s->npy.type == ZINC_RAW && s->npy.element != g->element) {
		status = complain(USAGE, s->name, "its elements have %zu bytes, those of the array %zu", s->npy.element,
				  g->element);
	}
	text_free(&have);
	text_free(&want);
	return status;
}

/* Do elements of these types convert at all?  Those of variable length need a place to go, too. */
static int
check_type(struct source *s, const struct region *g)
{
	zinc_error err = ZINC_ERROR_INIT;

	if (!s->npy.numpy)
		return DONE;
	if (zinc_array_variable(g->array) && zinc_arena_new(&s->arena, s->run->ctx, 0, &err))
		return fail(s->url, &err);
	return zinc_array_from_numpy(g->array, s->npy.numpy, NULL, NULL, 0, s->arena, &err) ? fail(s->name, &err)
											    : DONE;
}

/* A plain file must have the right length to begin with. */
static int
check_length(struct source *s, const struct region *g)
{
	struct stat st;
	off_t at = lseek(s->fd, 0, SEEK_CUR);
	uint64_t have;

	if (__builtin_mul_overflow(g->n, s->npy.element, &s->left))
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

/* ---- pieces ---- */

/* The next bytes.  With the last piece the input must be at its end: that is looked at before the piece is written. */
static int
read_piece(struct source *s, size_t nbytes)
{
	size_t held = s->nheld < nbytes ? s->nheld : nbytes;
	ptrdiff_t got;
	char extra;

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
		return complain(s->is_npy ? CORRUPT : USAGE, s->name, "the input goes on behind the last element");
	return DONE;
}

/* Fortran order: the first dimension is the fastest. */
static void
fortran_strides(const struct region *g, size_t element, int64_t *strides)
{
	int64_t step = (int64_t)element;
	int d;

	for (d = 0; d < g->out_ndim; d++) {
		strides[d] = step;
		step *= (int64_t)g->shape[d];
	}
}

/* Conversion to the array's type is the library's; it refuses what does not fit and then stores nothing of the piece.
 */
/* Elements as the array has them: the buffer itself, or what the library makes of it. */
static int
take_elements(struct source *s, const struct region *piece, zinc_buffer *b)
{
	const size_t n = (size_t)piece->n, nbytes = n * zinc_array_element_size(piece->array);
	zinc_error err = ZINC_ERROR_INIT;

	if (!s->npy.numpy) {
		if (s->npy.swap)
			swap_bytes(s->buffer, n * s->npy.element,
				   swap_unit(s->npy.type ? s->npy.type : zinc_array_type(piece->array)));
		*b = zinc_buffer_init(s->npy.type, s->buffer, n * s->npy.element);
		return DONE;
	}
	if (s->arena)
		zinc_arena_empty(s->arena);
	s->native = need(s->native, nbytes);
	if (zinc_array_from_numpy(piece->array, s->npy.numpy, s->native, s->buffer, n, s->arena, &err))
		return fail(s->name, &err);
	*b = zinc_buffer_init(ZINC_NATIVE, s->native, nbytes);
	return DONE;
}

static int
write_piece(void *arg, const struct region *piece)
{
	struct source *s = arg;
	size_t nbytes = (size_t)piece->n * s->npy.element;
	int64_t strides[ZINC_MAX_NDIM];
	zinc_selection sel = region_selection(piece);
	zinc_io_options io = io_options(s->run);
	zinc_error err = ZINC_ERROR_INIT;
	zinc_buffer b;
	int status;

	s->buffer = need(s->buffer, nbytes);
	status = read_piece(s, nbytes);
	if (status == DONE)
		status = take_elements(s, piece, &b);
	if (status != DONE)
		return status;
	if (s->npy.fortran) {
		fortran_strides(piece, b.nbytes / (size_t)piece->n, strides);
		b.ndim = piece->out_ndim;
		b.strides = strides;
	}
	return zinc_array_write(piece->array, &sel, b, &io, &err) ? fail(s->url, &err) : DONE;
}

static int
put(struct source *s, struct region *g)
{
	struct text t = {NULL, 0, 0};
	int status = open_source(s, g);

	if (status == DONE)
		status = check_shape(s, g);
	if (status == DONE)
		status = check_type(s, g);
	if (status == DONE)
		status = check_length(s, g);
	if (status != DONE)
		return status;
	if (s->run->args->dry_run) {
		text_printf(&t, "would write %llu elements, ", (unsigned long long)g->n);
		text_tuple(&t, g->shape, g->out_ndim);
		text_printf(&t, ", from %s into %s\n", s->name, s->url);
		out_text(&s->run->out, &t);
		return DONE;
	}
	g->element = s->npy.element; /* pieces are cut by the size of the input */
	return region_pieces(g, piece_budget(s->run), s->npy.fortran, write_piece, s);
}

int
cmd_put(struct run *r)
{
	struct source s = {.run = r, .url = r->args->words.at[0], .fd = -1};
	zinc_array *a = NULL;
	struct region g;
	int status;

	if (!r->args->from)
		return complain(USAGE, s.url, "what to write is missing: --from FILE, or --from - for standard input");
	status = open_array(r, s.url, !r->args->dry_run, &a);
	if (status != DONE)
		return status;
	status = region_init(&g, a, r->args->select, s.url);
	if (status == DONE)
		status = put(&s, &g);
	region_fini(&g);
	free(s.buffer);
	free(s.native);
	zinc_numpy_free(s.npy.numpy);
	zinc_arena_free(s.arena);
	if (s.fd > STDIN_FILENO)
		close(s.fd);
	zinc_array_close(a);
	return status;
}
