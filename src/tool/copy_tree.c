/*
 * copy_tree.c - a node and everything below, to any store and any version of Zarr
 *
 * Promises:
 *
 * (1) Everything that can be refused is refused before the first byte is written: what the target cannot hold, what is
 *     there already, a target inside the source.
 * (2) The target appears complete or not at all: objects first, then documents, the deepest first, the node's own last.
 * (3) An interrupted copy can go on: its journal is put first and removed last.
 */
#include "tool/copy.h"

/* ---- may it begin? ---- */

/* Is the one place in the other?  "a/b/" in "a/". */
static zinc_status
contains(const zinc_hierarchy *h, const char *path, const zinc_hierarchy *other, const char *other_path, bool *in,
	 zinc_error *err)
{
	zinc_buf a, b;
	zinc_status s;

	*in = false;
	if (h->store != other->store && strcmp(zinc_store_url(h->store), zinc_store_url(other->store)) != 0)
		return ZINC_OK;
	zinc_buf_init(&a, h->ctx, SIZE_MAX);
	zinc_buf_init(&b, h->ctx, SIZE_MAX);
	s = zinc_buf_printf(&a, err, "%s%s%s", h->prefix, path + 1, path[1] ? "/" : "");
	if (s == ZINC_OK)
		s = zinc_buf_printf(&b, err, "%s%s%s", other->prefix, other_path + 1, other_path[1] ? "/" : "");
	*in = s == ZINC_OK && a.n <= b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
	zinc_buf_fini(&a);
	zinc_buf_fini(&b);
	return s;
}

/* The same document under another name, by a link? */
static zinc_status
is_same_node(zinc_cp *c, bool *same, zinc_error *err)
{
	const zinc_tag *tag = c->nodes[0].source ? &c->nodes[0].source->tag : NULL;
	zinc_meta *m = NULL;
	zinc_report r;
	zinc_status s;

	*same = false;
	if (!tag || c->from->format != c->to->format)
		return ZINC_OK;
	zinc_report_init_quiet(&r, c->ctx, false);
	s = c->to->format->read_node(c->to, c->to_path, &r, &m, NULL);
	if (s == ZINC_OK)
		*same = zinc_tag_equal(tag, &m->tag);
	zinc_meta_free(m);
	return s == ZINC_E_NOMEM ? zinc_fail_nomem(err) : ZINC_OK;
}

static zinc_status
check_places(zinc_cp *c, zinc_error *err)
{
	bool in, same = false;

	ZINC_TRY(contains(c->from, c->from_path, c->to, c->to_path, &in, err));
	if (in)
		return zinc_fail(err, ZINC_E_INVALID, "a node cannot be copied into itself");
	ZINC_TRY(contains(c->to, c->to_path, c->from, c->from_path, &in, err));
	if (c->o.overwrite && !in)
		ZINC_TRY(is_same_node(c, &same, err));
	if (c->o.overwrite && (in || same))
		return zinc_fail(err, ZINC_E_INVALID, "the source would be erased with the target");
	return c->o.dry_run ? ZINC_OK : zinc_hierarchy_writable(c->to, err);
}

static zinc_status
check_options(zinc_cp *c, zinc_error *err)
{
	const zinc_copy_options *o = &c->o;
	bool met = false;
	size_t i;

	if (o->select && (c->nnodes != 1 || c->nodes[0].kind != ZINC_NODE_ARRAY))
		return zinc_fail(err, ZINC_E_INVALID, "elements are selected of one array, not of a group");
	if ((o->chunks && o->auto_chunks) || (o->shards && o->auto_shards))
		return zinc_fail(err, ZINC_E_INVALID, "chunks or shards are given and to be chosen");
	for (i = 0; i < c->nnodes; i++)
		met =
		    met || (c->nodes[i].kind == ZINC_NODE_ARRAY && (o->select || c->nodes[i].source->ndim == o->ndim));
	if ((o->chunks || o->shards) && !met)
		return zinc_fail(err, ZINC_E_INVALID, "no array has %d dimensions, as chunks or shards have", o->ndim);
	return ZINC_OK;
}

/* ---- the work ---- */

zinc_status
zinc_cp_progress(zinc_cp *c, uint64_t units, uint64_t bytes, zinc_error *err)
{
	c->n.objects += units;
	c->n.bytes += bytes;
	c->units_done += units;
	c->done++;
	ZINC_TRY(zinc_cp_journal_save(c, false, err));
	if (zinc_cancelled(c->o.cancel) ||
	    (c->o.progress && c->o.progress(c->o.progress_arg, c->units_done, c->units, c->n.bytes) != 0))
		return zinc_fail(err, ZINC_E_CANCELLED, "cancelled; resume goes on");
	return ZINC_OK;
}

/* Steps that are done already are passed over. */
static zinc_status
copy_array(zinc_cp *c, zinc_cp_node *n, uint64_t *at, zinc_error *err)
{
	zinc_cp_plan p = {.two_passes = false};
	uint64_t step;

	if (c->done >= *at + n->steps) {
		c->n.skipped += n->units;
		c->units_done += n->units;
		*at += n->steps;
		return ZINC_OK;
	}
	if (n->way == ZINC_CP_BOXES)
		ZINC_TRY(zinc_cp_boxes_plan(c, n, &p, err));
	for (step = c->done > *at ? c->done - *at : 0; step < n->steps; step++)
		ZINC_TRY(n->way == ZINC_CP_RAW ? zinc_cp_raw_step(c, n, step, err)
					       : zinc_cp_box_step(c, n, &p, step, err));
	*at += n->steps;
	if (!p.two_passes)
		return ZINC_OK;
	ZINC_TRY(zinc_cp_journal_save(c, true, err)); /* whoever goes on must not look for the temporary array */
	return zinc_cp_middle_erase(c, err);
}

static zinc_status
copy_data(zinc_cp *c, zinc_error *err)
{
	uint64_t at = 0;
	size_t i;

	if (c->done >= c->foreign_steps && c->foreign_steps > 0)
		c->n.skipped = c->units_done = c->nforeign;
	for (; at < c->foreign_steps; at++)
		if (c->done <= at)
			ZINC_TRY(zinc_cp_foreign_step(c, at, err));
	for (i = 0; i < c->nnodes; i++)
		if (c->nodes[i].steps > 0)
			ZINC_TRY(copy_array(c, &c->nodes[i], &at, err));
	return zinc_cp_journal_save(c, true, err);
}

static zinc_status
verify(zinc_cp *c, zinc_error *err)
{
	zinc_cp_plan p;
	size_t i;

	c->verifying = true;
	for (i = 0; i < c->nnodes && c->o.verify; i++) {
		zinc_cp_node *n = &c->nodes[i];

		if (n->kind != ZINC_NODE_ARRAY || n->left_out)
			continue;
		if (n->way == ZINC_CP_RAW) {
			ZINC_TRY(zinc_cp_raw_verify(c, n, err));
			continue;
		}
		ZINC_TRY(zinc_cp_boxes_plan(c, n, &p, err));
		ZINC_TRY(zinc_cp_boxes_find(c, n, &p, err));
		ZINC_TRY(zinc_cp_box_verify(c, n, &p, err));
	}
	return ZINC_OK;
}

/* What is at the target goes, in whatever format it is; afterwards nothing may be left. */
static zinc_status
clear_target(zinc_cp *c, zinc_error *err)
{
	zinc_error e = ZINC_ERROR_INIT;
	zinc_status s = ZINC_OK;
	bool vacant;

	if (c->o.overwrite && c->old)
		s = zinc_node_erase(c->old, zinc_hierarchy_path(c->old), &e);
	if (c->o.overwrite && (s == ZINC_OK || s == ZINC_E_NOTFOUND)) {
		s = c->to->format->erase(c->to, c->to_path, &e);
		if (s == ZINC_OK || s == ZINC_E_NOTFOUND)
			s = zinc_cp_middle_erase(c, &e);
		if (s == ZINC_OK)
			s = zinc_store_del(c->to->store, NULL, (const char *)c->journal_key.p, NULL, c->to->put_flags,
					   &e);
	}
	if (s != ZINC_OK && s != ZINC_E_NOTFOUND)
		return zinc_error_copy(err, &e);
	ZINC_TRY(zinc_hierarchy_vacant(c->to, c->to_path, &vacant, err));
	return vacant ? ZINC_OK : zinc_fail(err, ZINC_E_EXISTS, "%s is already there, or not empty", c->to_path);
}

/* Is the place free, or an interrupted copy's that may go on? */
static zinc_status
look_at_target(zinc_cp *c, bool found, zinc_error *err)
{
	bool vacant;

	c->resuming = found && c->o.resume;
	if (c->resuming && !zinc_cp_journal_fits(c))
		return zinc_fail(err, ZINC_E_CONFLICT,
				 "the interrupted copy that is there had another plan; overwrite it");
	if (c->resuming || c->o.overwrite)
		return ZINC_OK;
	if (found)
		return zinc_fail(err, ZINC_E_EXISTS,
				 "an interrupted copy is there; resume goes on, overwrite begins anew");
	ZINC_TRY(zinc_hierarchy_vacant(c->to, c->to_path, &vacant, err));
	return vacant ? ZINC_OK : zinc_fail(err, ZINC_E_EXISTS, "%s is already there, or not empty", c->to_path);
}

static zinc_status
write_target(zinc_cp *c, zinc_error *err)
{
	zinc_status s;

	if (!c->resuming) {
		ZINC_TRY(clear_target(c, err));
		ZINC_TRY(c->to->format->prepare(c->to, c->to_path, true, err));
		ZINC_TRY(zinc_cp_journal_begin(c, err));
	}
	s = copy_data(c, err);
	if (s != ZINC_OK) {
		(void)!zinc_cp_journal_save(c, true, NULL); /* what was done need not be done again */
		return s;
	}
	ZINC_TRY(verify(c, err));
	ZINC_TRY(zinc_cp_documents(c, err));
	return zinc_cp_journal_end(c, err);
}

static zinc_status
run(zinc_cp *c, zinc_error *err)
{
	bool found;

	ZINC_TRY(zinc_cp_find_nodes(c, err));
	ZINC_TRY(check_options(c, err));
	ZINC_TRY(check_places(c, err));
	ZINC_TRY(zinc_cp_translate_all(c, err));
	ZINC_TRY(zinc_cp_list(c, err));
	ZINC_TRY(zinc_cp_check_hidden(c, err));
	ZINC_TRY(zinc_cp_settle_missing(c, err));
	ZINC_TRY(zinc_cp_journal_init(c, err));
	ZINC_TRY(zinc_cp_journal_read(c, &found, err));
	c->memory = c->o.max_memory ? c->o.max_memory : 512 * ZINC_MIB;
	ZINC_TRY(zinc_cp_plan_all(c, err));
	ZINC_TRY(look_at_target(c, found, err));
	if (c->nodes[0].left_out)
		return zinc_fail(err, ZINC_E_INVALID, "nothing is left to copy: %s",
				 zinc_buf_text(&c->lost) ? zinc_buf_text(&c->lost) : "");
	if (c->o.dry_run) {
		c->n.objects = c->units;
		return ZINC_OK;
	}
	return write_target(c, err);
}

/* ---- the calls ---- */

static void
fini(zinc_cp *c)
{
	zinc_buf *bufs[] = {&c->foreign, &c->documents, &c->options, &c->journal_key, &c->middle, &c->lost};
	size_t i;

	zinc_cp_free_nodes(c);
	for (i = 0; i < sizeof bufs / sizeof *bufs; i++)
		zinc_buf_fini(bufs[i]);
	zinc_free(c->ctx, c->block[0]);
	zinc_free(c->ctx, c->block[1]);
	zinc_arena_free(c->arena);
	zinc_free(c->ctx, c->from_path);
	zinc_free(c->ctx, c->to_path);
}

static void
init(zinc_cp *c, zinc_hierarchy *from, zinc_hierarchy *to)
{
	zinc_buf *bufs[] = {&c->foreign, &c->documents, &c->options, &c->journal_key, &c->middle, &c->lost};
	size_t i;

	c->ctx = to->ctx;
	c->from = from;
	c->to = to;
	c->threads = c->o.threads > 0 ? c->o.threads : c->ctx->threads;
	for (i = 0; i < sizeof bufs / sizeof *bufs; i++)
		zinc_buf_init(bufs[i], c->ctx, SIZE_MAX);
}

static zinc_status
copy(zinc_hierarchy *from, const char *from_path, zinc_hierarchy *to, const char *to_path, zinc_hierarchy *old,
     const zinc_copy_options *options, zinc_copy_counts *counts, zinc_error *err)
{
	zinc_cp c = {.old = old};
	zinc_status s;

	if (!from || !to)
		return zinc_fail(err, ZINC_E_INVALID, "a copy needs two hierarchies");
	ZINC_TRY(zinc_options_take(&c.o, sizeof c.o, options, err));
	init(&c, from, to);
	s = zinc_path_normalise(&c.from_path, from, from_path, err);
	if (s == ZINC_OK)
		s = zinc_path_normalise(&c.to_path, to, to_path, err);
	if (s == ZINC_OK)
		s = run(&c, err);
	if (counts)
		*counts = c.n;
	fini(&c);
	return s == ZINC_OK ? s : zinc_error_at_url(err, s, to->url);
}

zinc_status
zinc_copy(zinc_hierarchy *from, const char *from_path, zinc_hierarchy *to, const char *to_path,
	  const zinc_copy_options *options, zinc_copy_counts *counts, zinc_error *err)
{
	return copy(from, from_path, to, to_path, NULL, options, counts, err);
}

/* A target within a hierarchy has its format, a new one the source's. */
static zinc_status
open_target(zinc_hierarchy **to, zinc_hierarchy **old, const char *url, const zinc_hierarchy *from,
	    const zinc_copy_options *o, zinc_error *err)
{
	zinc_open_options open = ZINC_OPEN_OPTIONS_INIT;

	open.context = o->context;
	open.strictness = o->strict ? ZINC_STRICT : ZINC_LENIENT;
	open.links = o->links;
	open.create = 1;
	open.fallback = o->fallback;
	open.read_only = o->dry_run;
	open.climb = o->climb;
	open.format = o->format;
	return zinc_hierarchy_open_new(to, old, url, from->format->id, &open, err);
}

zinc_status
zinc_copy_url(const char *from, const char *to, const zinc_copy_options *options, zinc_copy_counts *counts,
	      zinc_error *err)
{
	zinc_open_options open = ZINC_OPEN_OPTIONS_INIT;
	zinc_hierarchy *source = NULL, *target = NULL, *old = NULL;
	zinc_copy_options o;
	zinc_status s;

	if (!from || !to)
		return zinc_fail(err, ZINC_E_INVALID, "a copy needs two URLs");
	ZINC_TRY(zinc_options_take(&o, sizeof o, options, err));
	o.size = sizeof o;
	open.context = o.context;
	open.strictness = o.strict ? ZINC_STRICT : ZINC_LENIENT;
	open.links = o.links;
	open.read_only = 1;
	open.climb = o.climb;
	s = zinc_hierarchy_open_url(&source, from, &open, err);
	if (s == ZINC_OK)
		s = open_target(&target, &old, to, source, &o, err);
	if (s == ZINC_OK && old && !o.overwrite)
		s = zinc_error_at_url(
		    err, zinc_fail(err, ZINC_E_EXISTS, "a hierarchy of format %s is already there", old->format->id), to);
	if (s == ZINC_OK)
		s = copy(source, zinc_hierarchy_path(source), target, zinc_hierarchy_path(target),
			 old, &o, counts, err);
	zinc_hierarchy_close(old);
	zinc_hierarchy_close(target);
	zinc_hierarchy_close(source);
	return s;
}

zinc_status
zinc_move(zinc_hierarchy *h, const char *from_path, const char *to_path, const zinc_copy_options *options,
	  zinc_error *err)
{
	zinc_copy_options given, o = ZINC_COPY_OPTIONS_INIT;

	ZINC_TRY(zinc_options_take(&given, sizeof given, options, err));
	o.threads = given.threads;
	o.max_memory = given.max_memory;
	o.cancel = given.cancel;
	o.progress = given.progress;
	o.progress_arg = given.progress_arg;
	o.overwrite = given.overwrite;
	o.resume = given.resume;
	o.dry_run = given.dry_run;
	o.note = given.note;
	o.note_arg = given.note_arg;
	o.verify = 1;
	ZINC_TRY(zinc_copy(h, from_path, h, to_path, &o, NULL, err));
	return o.dry_run ? ZINC_OK : zinc_node_erase(h, from_path, err);
}
