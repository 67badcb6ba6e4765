/*
 * cmd_put.c - zinc put: elements of a file into an array
 *
 * The input is read and written piece by piece (source.c, region.c).
 */
#include "cli.h"

static int
check_shape(const struct source *s, const struct region *g)
{
	struct text have = {NULL, 0, 0}, want = {NULL, 0, 0};
	int status = DONE;

	if (s->npy.ndim != g->out_ndim || memcmp(s->npy.shape, g->shape, (size_t)g->out_ndim * sizeof *g->shape)) {
		text_tuple(&have, s->npy.shape, s->npy.ndim);
		text_tuple(&want, g->shape, g->out_ndim);
		status =
		    complain(USAGE, s->name, "its shape is %s, but the shape of the selection is %s", have.p, want.p);
	}
	text_free(&have);
	text_free(&want);
	return status;
}

static int
put(struct source *s, struct region *g)
{
	struct text t = {NULL, 0, 0};
	int status = check_shape(s, g);

	if (status == DONE)
		status = source_check(s, g->array, g->n);
	if (status == DONE && s->run->args->dry_run)
		status = may_write(s->url, zinc_array_hierarchy(g->array));
	if (status != DONE)
		return status;
	if (s->run->args->dry_run) {
		text_printf(&t, "would write %llu elements, ", (unsigned long long)g->n);
		text_tuple(&t, g->shape, g->out_ndim);
		text_printf(&t, ", from %s into %s\n", s->name, s->url);
		out_text(&s->run->out, &t);
		return DONE;
	}
	g->element = s->npy.element; /* the size of a piece is that of the input */
	return region_pieces(g, piece_budget(s->run), s->npy.fortran, source_write_piece, s);
}

int
cmd_put(struct run *r)
{
	const char *url = r->args->words.at[0];
	struct source s = {.fd = -1};
	zinc_array *a = NULL;
	struct region g;
	int status;

	if (!r->args->from)
		return source_open(&s, r, url, NULL);
	status = open_array(r, url, true, &a);
	if (status != DONE)
		return status;
	status = region_init(&g, a, r->args->select, url);
	if (status == DONE)
		status = source_open(&s, r, url, &g);
	if (status == DONE)
		status = put(&s, &g);
	region_fini(&g);
	source_close(&s);
	zinc_array_close(a);
	return status;
}
