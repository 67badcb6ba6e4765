/*
 * copy_plan.c - decide how each node is copied, and report it before the copy begins
 *
 * Objects whose encoding does not change are copied as they are; the others are decoded and encoded, box by box.
 */
#include "tool/copy.h"

/* ---- metadata ---- */

/* A node below one that is left out cannot be copied either. */
static bool
is_below_left_out(const zinc_cp *c, size_t i)
{
	const char *path = c->nodes[i].from;
	size_t k;

	for (k = 0; k < i; k++) {
		const size_t n = strlen(c->nodes[k].from);

		if (c->nodes[k].left_out && !c->nodes[k].outside && strncmp(path, c->nodes[k].from, n) == 0 &&
		    path[n] == '/')
			return true;
	}
	return false;
}

/* Translate one node, and open handles of arrays for later. */
static zinc_status
translate_node(zinc_cp *c, size_t i, bool any_left_out, zinc_error *err)
{
	zinc_cp_node *n = &c->nodes[i];
	const bool array = n->kind == ZINC_NODE_ARRAY;

	if (n->outside) {
		n->left_out = c->any_changed = true;
		return ZINC_OK;
	}
	if (array && !n->in)
		ZINC_TRY(zinc_array_make(&n->in, c->from, n->from, n->source, err));
	if (any_left_out && is_below_left_out(c, i))
		n->left_out = true;
	else
		ZINC_TRY(zinc_cp_translate(c, n, err));
	c->any_changed = c->any_changed || n->changed || n->left_out;
	if (n->left_out)
		return ZINC_OK;
	c->n.groups += !array;
	c->n.arrays += array;
	return array ? zinc_array_make(&n->out, c->to, n->to, n->target, err) : ZINC_OK;
}

bool
zinc_cp_same_entry(const zinc_cp *c)
{
	return c->from->format == c->to->format && c->from_path[1] == '\0' && c->to_path[1] == '\0';
}

/* Extensions that a draft's entry point declares belong to the whole hierarchy; other formats cannot hold them. */
static zinc_status
note_entry(zinc_cp *c, const zinc_blob *text, zinc_error *err)
{
	zinc_json_doc *doc;
	const zinc_json *v, *uri;
	zinc_status st;

	ZINC_TRY(zinc_json_parse(&doc, c->ctx, text->data, text->nbytes, ZINC_JSON_DUPLICATES, err));
	v = zinc_json_member(zinc_json_root(doc), "extensions");
	for (v = zinc_json_is(v, ZINC_JSON_ARRAY) ? v->first : NULL, st = ZINC_OK; v && st == ZINC_OK; v = v->next) {
		uri = zinc_json_member(v, "extension");
		st = zinc_cp_note(c, ZINC_COPY_LOST, c->from_path, err, "the hierarchy's extension \"%.200s\"",
				  zinc_json_is(uri, ZINC_JSON_STRING) ? uri->text : "?");
	}
	zinc_json_free(doc);
	return st;
}

static zinc_status
translate_entry(zinc_cp *c, zinc_error *err)
{
	zinc_blob text = ZINC_BLOB_INIT;
	zinc_status st;

	if (!c->from->format->enter || c->from_path[1] != '\0' || zinc_cp_same_entry(c))
		return ZINC_OK;
	ZINC_TRY(zinc_entry_get(c->from, &text, err));
	st = note_entry(c, &text, err);
	zinc_blob_fini(&text);
	return st;
}

zinc_status
zinc_cp_translate_all(zinc_cp *c, zinc_error *err)
{
	bool any_left_out = false;
	size_t i;

	ZINC_TRY(translate_entry(c, err));
	for (i = 0; i < c->nnodes; i++) {
		ZINC_TRY(translate_node(c, i, any_left_out, err));
		any_left_out = any_left_out || (c->nodes[i].left_out && !c->nodes[i].outside);
	}
	if (c->n.lost == 0 || c->o.lossy)
		return ZINC_OK;
	if (!zinc_buf_text(&c->lost))
		return zinc_fail_nomem(err);
	return zinc_fail(err, ZINC_E_INVALID, "the format %s cannot hold this: %s%s", c->to->format->id,
			 zinc_buf_text(&c->lost), c->lost.n > 400 ? " and more" : "");
}

/* ---- work ---- */

static uint64_t
count_objects(const zinc_grid *g, int ndim, const uint64_t *shape)
{
	uint64_t n[ZINC_MAX_NDIM], out;
	int d;

	for (d = 0; d < ndim; d++)
		n[d] = zinc_grid_count(g, d, shape[d]);
	return zinc_shape_bytes(n, ndim, 1, UINT64_MAX, &out) ? UINT64_MAX : out;
}

static zinc_status
put_shape(zinc_buf *b, const uint64_t *shape, int ndim, zinc_error *err)
{
	int d;

	for (d = 0; d < ndim; d++)
		ZINC_TRY(zinc_buf_printf(b, err, "%s%llu", d ? " x " : "", (unsigned long long)shape[d]));
	return ndim ? ZINC_OK : zinc_buf_puts(b, "scalar", err);
}

/* The number of target objects in the boxes that are copied. */
static uint64_t
count_found(const zinc_cp_node *n, const zinc_boxes *b)
{
	uint64_t at[ZINC_MAX_NDIM], start[ZINC_MAX_NDIM], count[ZINC_MAX_NDIM], all = 0;
	size_t i;

	for (i = 0; i < n->nboxes; i++) {
		zinc_cp_box(n, b, i, at);
		all += zinc_boxes_get(b, at, start, count);
	}
	return all;
}

/* "40 chunks of 100 x 1 by 5 boxes; ..." */
static zinc_status
describe_boxes(const zinc_cp_node *n, const zinc_cp_plan *p, zinc_buf *b, zinc_error *err)
{
	const int ndim = n->target->ndim;

	ZINC_TRY(
	    zinc_buf_printf(b, err, "decode and encode %llu chunks into %llu objects of ",
			    (unsigned long long)(n->sparse ? n->nmet : p->read_units),
			    (unsigned long long)(n->sparse ? count_found(n, &p->boxes)
							   : count_objects(n->target->grid, ndim, n->target->shape))));
	ZINC_TRY(put_shape(b, n->target->chunk_shape, ndim, err));
	if (p->two_passes) {
		ZINC_TRY(zinc_buf_printf(b, err, " in two passes of %llu and %llu boxes, by %llu temporary chunks of ",
					 (unsigned long long)p->first.n, (unsigned long long)p->boxes.n,
					 (unsigned long long)count_objects(&p->middle_grid, ndim, n->target->shape)));
		ZINC_TRY(put_shape(b, p->middle, ndim, err));
		ZINC_TRY(zinc_buf_printf(b, err, ", each read %.1f times", p->middle_reads));
	} else
		ZINC_TRY(zinc_buf_printf(b, err, " in %llu boxes",
					 (unsigned long long)(n->sparse ? n->nboxes : p->boxes.n)));
	return zinc_buf_printf(b, err, "; each chunk is read %.1f times, each object written once, within %llu MiB",
			       p->reads, (unsigned long long)(p->memory / ZINC_MIB));
}

/* Add everything that determines which elements a step copies. */
static void
fingerprint(zinc_cp *c, const zinc_cp_plan *p)
{
	const size_t n = (size_t)p->boxes.ndim;

	c->plan = zinc_cp_hash(c->plan, p->boxes.per, n * sizeof *p->boxes.per);
	if (!p->two_passes)
		return;
	c->plan = zinc_cp_hash(c->plan, p->first.per, n * sizeof *p->first.per);
	c->plan = zinc_cp_hash(c->plan, p->middle, n * sizeof *p->middle);
}

static zinc_status
plan_boxes(zinc_cp *c, zinc_cp_node *n, zinc_error *err)
{
	zinc_cp_plan p;
	zinc_status st;
	zinc_buf text;

	ZINC_TRY(zinc_cp_sparse_ask(c, n, err));
	if (c->o.verify) { /* a lack of memory must be found before verification begins */
		c->verifying = true;
		ZINC_TRY(zinc_cp_boxes_plan(c, n, &p, err));
		c->verifying = false;
	}
	ZINC_TRY(zinc_cp_boxes_plan(c, n, &p, err));
	ZINC_TRY(zinc_cp_boxes_find(c, n, &p, err));
	fingerprint(c, &p);
	n->steps = n->sparse ? n->nboxes : p.boxes.n + (p.two_passes ? p.first.n : 0);
	n->units =
	    n->sparse ? count_found(n, &p.boxes) : count_objects(n->target->grid, n->target->ndim, n->target->shape);
	if (p.two_passes)
		n->units += count_objects(&p.middle_grid, n->target->ndim, n->target->shape);
	zinc_buf_init(&text, c->ctx, zinc_max_text(c->ctx));
	st = describe_boxes(n, &p, &text, err);
	if (st == ZINC_OK)
		st = zinc_buf_text(&text) ? zinc_cp_note(c, ZINC_COPY_PLAN, n->from, err, "%s", zinc_buf_text(&text))
					  : zinc_fail_nomem(err);
	zinc_buf_fini(&text);
	return st;
}

static zinc_status
plan_array(zinc_cp *c, zinc_cp_node *n, zinc_error *err)
{
	uint64_t nbytes = 0;
	size_t i;

	/* null does not stand for a value, so elements that the source does not store must be stored. */
	n->way = zinc_cp_same_objects(n->source, n->target) && !n->select && n->null_fill != ZINC_CP_NULL
		     ? ZINC_CP_RAW
		     : ZINC_CP_BOXES;
	if (n->way == ZINC_CP_BOXES)
		return plan_boxes(c, n, err);
	for (i = 0; i < n->nobjects; i++)
		nbytes += zinc_cp_object_bytes(n, i);
	return zinc_cp_note(c, ZINC_COPY_PLAN, n->from, err, "copy %zu objects of %llu bytes as they are", n->nobjects,
			    (unsigned long long)nbytes);
}

zinc_status
zinc_cp_plan_all(zinc_cp *c, zinc_error *err)
{
	size_t i;

	for (i = 0; i < c->nnodes; i++)
		if (c->nodes[i].kind == ZINC_NODE_ARRAY && !c->nodes[i].left_out)
			ZINC_TRY(plan_array(c, &c->nodes[i], err));
	ZINC_TRY(zinc_cp_raw_plan(c, err));
	c->steps = c->foreign_steps;
	c->units = c->foreign.n > 0 ? c->nforeign : 0;
	c->plan = zinc_cp_hash(c->plan, c->foreign.p, c->foreign.n);
	for (i = 0; i < c->nnodes; i++) {
		c->plan = zinc_cp_hash(c->plan, &c->nodes[i].steps, sizeof c->nodes[i].steps);
		zinc_cp_select_hash(c, &c->nodes[i]);
		c->nodes[i].first_step = c->steps;
		c->steps += c->nodes[i].steps;
		c->units += c->nodes[i].units;
	}
	if (zinc_cp_divided(c)) /* steps differ in size: an estimate, for progress */
		c->units = (uint64_t)((double)c->units / (double)c->nparts);
	if (c->nforeign > 0 && c->from->format != c->to->format)
		return zinc_cp_note(c, ZINC_COPY_REPLACED, c->from_path, err,
				    "%zu keys that belong to no node are not copied to another format", c->nforeign);
	return ZINC_OK;
}
