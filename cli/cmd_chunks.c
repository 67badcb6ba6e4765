/*
 * cmd_chunks.c - zinc chunks and zinc explain: what a selection touches, and what reading it costs
 */
#include <stdio.h>

#include "cli.h"

struct touched {
	struct run *run;
	const char *url;
	const zinc_hierarchy *h;
	struct text json;
	uint64_t n;
};

/* ---- chunks ---- */

static void
chunk_json(struct touched *x, const zinc_chunk *c)
{
	struct text *t = &x->json;
	int d;

	text_printf(t, "%s{\"key\":", x->n++ ? "," : "");
	text_json(t, key_below(x->h, c->key));
	text_puts(t, ",\"index\":[");
	for (d = 0; d < c->ndim; d++)
		text_printf(t, "%s%llu", d ? "," : "", (unsigned long long)c->index[d]);
	text_printf(t, "],\"present\":%s,\"bytes\":%llu,\"offset\":", c->present ? "true" : "false",
		    (unsigned long long)c->bytes);
	if (c->present && c->in_shard)
		text_printf(t, "%llu}", (unsigned long long)c->offset);
	else
		text_puts(t, "null}");
	out_text(&x->run->out, t);
}

static void
chunk_text(struct touched *x, const zinc_chunk *c)
{
	struct text t = {NULL, 0, 0};
	int d;

	for (d = 0; d < c->ndim; d++)
		text_printf(&t, "%s%llu", d ? "," : "", (unsigned long long)c->index[d]);
	text_fill(&t, ' ', t.n < 14 ? 14 - t.n : 1);
	if (c->present)
		text_printf(&t, "%10llu  ", (unsigned long long)c->bytes);
	else
		text_printf(&t, "%10s  ", "-");
	if (c->present && c->in_shard)
		text_printf(&t, "%10llu  ", (unsigned long long)c->offset);
	else if (c->in_shard)
		text_printf(&t, "%10s  ", "-");
	text_paint(&t, x->run->colour, c->present ? PLAIN : DIM, key_below(x->h, c->key));
	text_puts(&t, "\n");
	out_text(&x->run->out, &t);
}

static int
show_chunk(void *arg, const zinc_chunk *c)
{
	struct touched *x = arg;

	if (x->run->args->json)
		chunk_json(x, c);
	else
		chunk_text(x, c);
	return interrupted();
}

/* ---- explain ---- */

static void
row(struct text *t, const struct touched *x, const char *label)
{
	struct text padded = {NULL, 0, 0};

	text_printf(&padded, "%-13s", label);
	text_paint(t, x->run->colour, DIM, padded.p);
	text_free(&padded);
}

static void
count_row(struct text *t, const struct touched *x, const char *label, uint64_t n, uint64_t present)
{
	row(t, x, label);
	text_printf(t, "%llu", (unsigned long long)n);
	if (present < n)
		text_printf(t, ", %llu of them stored", (unsigned long long)present);
	text_puts(t, "\n");
}

static void
size_row(struct text *t, const struct touched *x, const char *label, uint64_t nbytes)
{
	row(t, x, label);
	text_size(t, nbytes);
	text_puts(t, "\n");
}

static void
add_shape(struct text *t, const uint64_t *shape, int ndim)
{
	int d;

	for (d = 0; d < ndim; d++)
		text_printf(t, "%s%llu", d ? "," : "", (unsigned long long)shape[d]);
}

static void
explain_text(struct text *t, const struct touched *x, const zinc_explanation *e, int ndim)
{
	count_row(t, x, "objects", e->objects, e->objects_present);
	count_row(t, x, "chunks", e->chunks, e->chunks_present);
	row(t, x, "requests");
	text_printf(t, "%llu", (unsigned long long)e->requests);
	if (e->ranges)
		text_printf(t, ", %llu of them for parts of objects", (unsigned long long)e->ranges);
	text_puts(t, "\n");
	size_row(t, x, "read", e->bytes);
	size_row(t, x, "decoded", e->decoded_bytes);
	size_row(t, x, "selected", e->selected_bytes);
	row(t, x, "wasted");
	text_printf(t, "%.0f%% of what is decoded\n", e->waste * 100);
	if (!e->better)
		return;
	row(t, x, "better");
	text_puts(t, "chunks of ");
	text_times(t, e->chunk_shape, ndim);
	text_printf(t, " would waste %.0f%%: zinc cp %s NEW --chunks ", e->better_waste * 100, x->url);
	add_shape(t, e->chunk_shape, ndim);
	text_puts(t, " --shards auto\n");
}

static void
explain_json(struct text *t, const struct touched *x, const zinc_explanation *e, int ndim)
{
	text_puts(t, "{\"url\":");
	text_json(t, x->url);
	text_puts(t, ",\"selection\":");
	text_json(t, x->run->args->select ? x->run->args->select : "");
	text_printf(
	    t,
	    ",\"objects\":%llu,\"objects_present\":%llu,\"chunks\":%llu,\"chunks_present\":%llu,\"requests\":%llu,"
	    "\"ranges\":%llu,\"bytes_read\":%llu,\"bytes_stored\":%llu,\"bytes_decoded\":%llu,"
	    "\"bytes_selected\":%llu,\"waste\":%.4f,\"suggestion\":",
	    (unsigned long long)e->objects, (unsigned long long)e->objects_present, (unsigned long long)e->chunks,
	    (unsigned long long)e->chunks_present, (unsigned long long)e->requests, (unsigned long long)e->ranges,
	    (unsigned long long)e->bytes, (unsigned long long)e->object_bytes, (unsigned long long)e->decoded_bytes,
	    (unsigned long long)e->selected_bytes, e->waste);
	if (e->better) {
		text_puts(t, "{\"chunk_shape\":[");
		add_shape(t, e->chunk_shape, ndim);
		text_printf(t, "],\"waste\":%.4f}", e->better_waste);
	} else {
		text_puts(t, "null");
	}
	text_puts(t, "}\n");
}

/* ---- the commands ---- */

/* Both ask the same; with `fn` each chunk is told. */
static int
ask(struct touched *x, zinc_chunk_fn fn, zinc_explanation *e, int *ndim)
{
	zinc_io_options io = io_options(x->run);
	zinc_error err = ZINC_ERROR_INIT;
	zinc_array *a = NULL;
	zinc_selection sel;
	struct region g;
	int status = open_array(x->run, x->url, false, &a);

	if (status != DONE)
		return status;
	x->h = zinc_array_hierarchy(a);
	*ndim = zinc_array_ndim(a);
	status = region_init(&g, a, x->run->args->select, x->url);
	if (status == DONE) {
		sel = region_selection(&g);
		if (fn && x->run->args->json) {
			text_puts(&x->json, "{\"url\":");
			text_json(&x->json, x->url);
			text_puts(&x->json, ",\"chunks\":[");
		}
		if (zinc_array_explain(a, &sel, &io, fn, x, e, &err))
			status = fail(x->url, &err);
	}
	region_fini(&g);
	zinc_array_close(a);
	return status == DONE && interrupted() ? CANCELLED : status;
}

int
cmd_chunks(struct run *r)
{
	struct touched x = {.run = r, .url = r->args->words.at[0]};
	zinc_explanation e = ZINC_EXPLANATION_INIT;
	int ndim, status = ask(&x, show_chunk, &e, &ndim);

	if (status == DONE && r->args->json) {
		text_printf(&x.json, "]%s}\n", e.only_stored ? ",\"only_stored\":true" : "");
		out_text(&r->out, &x.json);
	}
	if (status == DONE && e.only_stored)
		fprintf(stderr, "zinc: %s: too many chunks to list all: only those that are stored are listed\n",
			x.url);
	text_free(&x.json);
	return status;
}

int
cmd_explain(struct run *r)
{
	struct touched x = {.run = r, .url = r->args->words.at[0]};
	struct text t = {NULL, 0, 0};
	zinc_explanation e = ZINC_EXPLANATION_INIT;
	int ndim, status = ask(&x, NULL, &e, &ndim);

	if (status == DONE && r->args->json)
		explain_json(&t, &x, &e, ndim);
	else if (status == DONE)
		explain_text(&t, &x, &e, ndim);
	out_text(&r->out, &t);
	return status;
}
