/*
 * cmd_chunks.c - zinc chunks and zinc explain: what a selection touches, and what reading it costs
 */
#include <stdio.h>

#include "cli.h"

#define LABEL 13 /* columns of a label */

struct touched {
	struct run *run;
	const char *url;
	const zinc_hierarchy *h;
	struct json json; /* chunks: what is not printed yet */
	struct table table;
	bool sharded;
};

/* ---- chunks ---- */

static void
chunk_json(struct touched *x, const zinc_chunk *c)
{
	struct json *j = &x->json;

	json_begin_object(j);
	json_string(json_key(j, "key"), key_below(x->h, c->key));
	json_shape(json_key(j, "index"), c->index, c->ndim);
	json_bool(json_key(j, "present"), c->present);
	json_uint(json_key(j, "bytes"), c->bytes);
	json_key(j, "offset");
	if (c->present && c->in_shard)
		json_uint(j, c->offset);
	else
		json_null(j);
	json_end_object(j);
	out_text(&x->run->out, &j->text);
}

static void
count_cell(struct table *t, bool is, uint64_t n)
{
	struct text s = {NULL, 0, 0};

	text_printf(&s, is ? "%llu" : "-", (unsigned long long)n);
	table_text(t, PLAIN, &s);
}

static void
begin_table(struct touched *x, bool sharded)
{
	x->sharded = sharded;
	table_init(&x->table, x->run);
	table_column(&x->table, "chunk", COLUMN_LEFT);
	table_column(&x->table, "bytes", COLUMN_RIGHT);
	if (sharded)
		table_column(&x->table, "offset", COLUMN_RIGHT);
	table_column(&x->table, "key", COLUMN_KEY);
}

static void
chunk_text(struct touched *x, const zinc_chunk *c)
{
	struct text t = {NULL, 0, 0};
	int d;

	if (!x->table.n)
		begin_table(x, c->in_shard);
	for (d = 0; d < c->ndim; d++)
		text_printf(&t, "%s%llu", d ? "," : "", (unsigned long long)c->index[d]);
	table_text(&x->table, PLAIN, &t);
	count_cell(&x->table, c->present, c->bytes);
	if (x->sharded)
		count_cell(&x->table, c->present && c->in_shard, c->offset);
	table_cell(&x->table, c->present ? PLAIN : DIM, key_below(x->h, c->key));
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
count_row(struct text *t, const struct touched *x, const char *label, uint64_t n, uint64_t present)
{
	text_label(t, x->run->colour, label);
	text_printf(t, "%llu", (unsigned long long)n);
	if (present < n)
		text_printf(t, ", %llu of them stored", (unsigned long long)present);
	text_puts(t, "\n");
}

static void
size_row(struct text *t, const struct touched *x, const char *label, uint64_t nbytes)
{
	text_label(t, x->run->colour, label);
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

/* A word that a shell takes as it is. */
static void
add_word(struct text *t, const char *s)
{
	if (s[strspn(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789%+,-./:=@_")] == '\0') {
		text_puts(t, s);
		return;
	}
	text_puts(t, "'");
	for (; *s; s++)
		text_printf(t, *s == '\'' ? "'\\''" : "%c", *s);
	text_puts(t, "'");
}

/* The command to copy, with a line end that shells skip where the terminal is too narrow for one line. */
static void
add_better(struct text *t, const struct touched *x, const zinc_explanation *e, int ndim)
{
	struct text from = {NULL, 0, 0}, to = {NULL, 0, 0};

	text_puts(&from, "zinc cp ");
	add_word(&from, x->url);
	text_puts(&to, "NEW --chunks ");
	add_shape(&to, e->chunk_shape, ndim);
	text_puts(&to, " --shards auto\n");
	text_fill(t, ' ', LABEL);
	text_puts(t, text_str(&from));
	text_puts(t, " ");
	if (LABEL + text_columns(&from) + text_columns(&to) > screen_width()) {
		text_puts(t, "\\\n");
		text_fill(t, ' ', LABEL + 4);
	}
	text_puts(t, text_str(&to));
	text_free(&from);
	text_free(&to);
}

static void
explain_text(struct text *t, const struct touched *x, const zinc_explanation *e, int ndim)
{
	count_row(t, x, "objects", e->objects, e->objects_present);
	count_row(t, x, "chunks", e->chunks, e->chunks_present);
	text_label(t, x->run->colour, "requests");
	text_printf(t, "%llu", (unsigned long long)e->requests);
	if (e->ranges)
		text_printf(t, ", %llu of them for parts of objects", (unsigned long long)e->ranges);
	text_puts(t, "\n");
	size_row(t, x, "read", e->bytes);
	size_row(t, x, "decoded", e->decoded_bytes);
	size_row(t, x, "selected", e->selected_bytes);
	text_label(t, x->run->colour, "wasted");
	text_printf(t, "%.0f%% of what is decoded\n", e->waste * 100);
	if (!e->better)
		return;
	text_label(t, x->run->colour, "better");
	text_puts(t, "chunks of ");
	text_times(t, e->chunk_shape, ndim);
	text_printf(t, " would waste %.0f%%:\n", e->better_waste * 100);
	add_better(t, x, e, ndim);
}

static void
explain_json(struct json *j, const struct touched *x, const zinc_explanation *e, int ndim)
{
	const struct {
		const char *name;
		uint64_t n;
	} counts[] = {
	    {"objects", e->objects},
	    {"objects_present", e->objects_present},
	    {"chunks", e->chunks},
	    {"chunks_present", e->chunks_present},
	    {"requests", e->requests},
	    {"ranges", e->ranges},
	    {"bytes_read", e->bytes},
	    {"bytes_stored", e->object_bytes},
	    {"bytes_decoded", e->decoded_bytes},
	    {"bytes_selected", e->selected_bytes},
	};
	size_t i;

	json_begin_object(j);
	json_string(json_key(j, "url"), x->url);
	json_string(json_key(j, "selection"), x->run->args->select ? x->run->args->select : "");
	for (i = 0; i < sizeof counts / sizeof *counts; i++)
		json_uint(json_key(j, counts[i].name), counts[i].n);
	json_fixed(json_key(j, "waste"), e->waste, 4);
	json_key(j, "suggestion");
	if (e->better) {
		json_begin_object(j);
		json_shape(json_key(j, "chunk_shape"), e->chunk_shape, ndim);
		json_fixed(json_key(j, "waste"), e->better_waste, 4);
		json_end_object(j);
	} else {
		json_null(j);
	}
	json_end_object(j);
}

/* ---- the commands ---- */

/* Both commands run the same analysis; `fn` gets each chunk. */
static int
analyse(struct touched *x, zinc_chunk_fn fn, zinc_explanation *e, int *ndim)
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
			json_begin_object(&x->json);
			json_string(json_key(&x->json, "url"), x->url);
			json_begin_array(json_key(&x->json, "chunks"));
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
	int ndim, status = analyse(&x, show_chunk, &e, &ndim);

	if (status == DONE && r->args->json) {
		json_end_array(&x.json);
		if (e.only_stored)
			json_bool(json_key(&x.json, "only_stored"), true);
		json_end_object(&x.json);
		out_document(&r->out, &x.json);
	}
	if (x.table.n)
		table_end(&x.table);
	if (status == DONE && e.only_stored)
		fprintf(stderr, "zinc: %s: too many chunks to list: only stored chunks are listed\n", x.url);
	json_free(&x.json);
	return status;
}

int
cmd_explain(struct run *r)
{
	struct touched x = {.run = r, .url = r->args->words.at[0]};
	struct text t = {NULL, 0, 0};
	struct json j = JSON_INIT;
	zinc_explanation e = ZINC_EXPLANATION_INIT;
	int ndim, status = analyse(&x, NULL, &e, &ndim);

	if (status != DONE)
		return status;
	if (r->args->json) {
		explain_json(&j, &x, &e, ndim);
		out_document(&r->out, &j);
	} else {
		explain_text(&t, &x, &e, ndim);
		out_text(&r->out, &t);
	}
	return DONE;
}
