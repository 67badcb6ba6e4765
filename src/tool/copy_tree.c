/*
 * copy_tree.c - copy a node and everything below it, to any store and any version of Zarr
 *
 * Promises:
 *
 * (1) Everything that can be refused is refused before the first byte is written: what the target cannot hold, a target
 *     that exists, a target inside the source.
 * (2) The target appears complete or not at all: objects first, then documents, the deepest first, the node's own last.
 * (3) An interrupted copy can be resumed: its journal is put first and removed last.
 * (4) A copy that fails because an element does not fit the target's type leaves nothing in the target.
 * (5) An old target is erased only after the whole source has been checked (copy_trial.c): after a foreseeable failure
 *     it is unchanged.
 */
#include "tool/copy.h"

ZINC_OPTIONS_KIND(zinc_copy_options, ZINC_OPTION_YES_NO(zinc_copy_options, strict),
		  ZINC_OPTION_COUNT(zinc_copy_options, ndim), ZINC_OPTION_YES_NO(zinc_copy_options, auto_chunks),
		  ZINC_OPTION_YES_NO(zinc_copy_options, auto_shards), ZINC_OPTION_YES_NO(zinc_copy_options, resume),
		  ZINC_OPTION_YES_NO(zinc_copy_options, verify), ZINC_OPTION_YES_NO(zinc_copy_options, lossy),
		  ZINC_OPTION_RANGE(zinc_copy_options, overwrite, 0, ZINC_FORCE),
		  ZINC_OPTION_YES_NO(zinc_copy_options, dry_run), ZINC_OPTION_COUNT(zinc_copy_options, threads),
		  ZINC_OPTION_RANGE(zinc_copy_options, convert, 0, ZINC_CONVERT_FLAGS),
		  ZINC_OPTION_LINKS(zinc_copy_options), ZINC_OPTION_UNLESS(zinc_copy_options, climb),
		  ZINC_OPTION_COUNT(zinc_copy_options, part), ZINC_OPTION_COUNT(zinc_copy_options, nparts),
		  ZINC_OPTION_YES_NO(zinc_copy_options, for_xarray), ZINC_OPTION_YES_NO(zinc_copy_options, force));

/* ---- may it begin? ---- */

/* Is one place inside the other, if their stores have the same URL?  "a/b/" in "a/". */
static zinc_status
contains(const zinc_hierarchy *h, const char *path, const zinc_hierarchy *other, const char *other_path, bool *in,
	 zinc_error *err)
{
	zinc_buf a, b;
	zinc_status st;

	*in = false;
	if (h->store != other->store && strcmp(zinc_store_url(h->store), zinc_store_url(other->store)) != 0)
		return ZINC_OK;
	zinc_buf_init(&a, h->ctx, ZINC_MAX_KEY);
	zinc_buf_init(&b, h->ctx, ZINC_MAX_KEY);
	st = zinc_buf_printf(&a, err, "%s%s%s", h->prefix, path + 1, path[1] ? "/" : "");
	if (st == ZINC_OK)
		st = zinc_buf_printf(&b, err, "%s%s%s", other->prefix, other_path + 1, other_path[1] ? "/" : "");
	*in = st == ZINC_OK && a.n <= b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
	zinc_buf_fini(&a);
	zinc_buf_fini(&b);
	return st;
}

/* Was the question answered, even if the document does not exist or cannot be used? */
static bool
was_read(zinc_status st)
{
	return st == ZINC_OK || st == ZINC_E_NOTFOUND || st == ZINC_E_CORRUPT || st == ZINC_E_UNSUPPORTED ||
	       st == ZINC_E_LIMIT;
}

/* Get the tag of the node's document; n == 0: there is none. */
static zinc_status
tag_of(zinc_hierarchy *h, const char *path, zinc_tag *tag, zinc_error *err)
{
	zinc_error e = ZINC_ERROR_INIT;
	zinc_meta *m = NULL;
	zinc_report r;
	zinc_status st;

	tag->n = 0;
	if (!zinc_cp_has_tags(h))
		return ZINC_OK;
	zinc_report_init_quiet(&r, h->ctx, false);
	st = zinc_read_node(h, path, &r, &m, &e);
	if (st == ZINC_OK)
		*tag = m->tag;
	zinc_meta_free(m);
	return was_read(st) ? ZINC_OK : zinc_error_copy(err, &e);
}

/* "/a/b" -> "/a" -> "/"; false at the end. */
static bool
to_parent(char *path)
{
	char *slash = strrchr(path, '/');

	if (path[1] == '\0')
		return false;
	slash[slash == path] = '\0';
	return true;
}

/* Is the node at `path`, or one above it, the one whose document has this tag?  Through a link it may have another
 * URL.  With `above` the node itself does not count. */
static zinc_status
matches_tag(zinc_hierarchy *h, const char *path, const zinc_tag *tag, bool above, bool *yes, zinc_error *err)
{
	char *up = zinc_strdup(h->ctx, path);
	zinc_status st = up ? ZINC_OK : zinc_fail_nomem(err);
	bool more = up && (!above || to_parent(up));
	zinc_tag one;

	*yes = false;
	while (st == ZINC_OK && more && !*yes && tag->n > 0) {
		st = tag_of(h, up, &one, err);
		*yes = st == ZINC_OK && one.n > 0 && zinc_tag_equal(tag, &one);
		more = to_parent(up);
	}
	zinc_free(h->ctx, up);
	return st;
}

/* Compare the two places by their URLs and by their tags.  Two servers, tables and the like with the same URL are two places;
 * but a server may have two names, so nothing is erased there. */
static zinc_status
check_places(zinc_cp *c, zinc_error *err)
{
	const bool same = zinc_store_same(c->from->store, c->to->store);
	zinc_tag from = {.n = 0}, to = {.n = 0};
	bool in, in_from, in_to;

	if (c->nodes[0].source && zinc_cp_has_tags(c->from))
		from = c->nodes[0].source->tag;
	ZINC_TRY(contains(c->from, c->from_path, c->to, c->to_path, &in, err));
	ZINC_TRY(matches_tag(c->to, c->to_path, &from, true, &in_from, err));
	if ((in && same) || in_from)
		return zinc_fail(err, ZINC_E_INVALID, "a node cannot be copied into itself");
	ZINC_TRY(contains(c->to, c->to_path, c->from, c->from_path, &in, err));
	ZINC_TRY(tag_of(c->to, c->to_path, &to, err));
	ZINC_TRY(matches_tag(c->from, c->from_path, &to, false, &in_to, err));
	if (c->o.overwrite && ((in && same) || in_to))
		return zinc_fail(err, ZINC_E_INVALID, "the source would be erased with the target");
	if (c->o.overwrite && in)
		return zinc_fail(err, ZINC_E_INVALID,
				 "the URLs differ only in settings, so the target may be the source; "
				 "if it is not, erase it first by zinc rm");
	ZINC_TRY(zinc_path_check_new(c->to_path, err));
	ZINC_TRY(zinc_check_above(c->to, c->to_path, err));
	return zinc_hierarchy_writable(c->to, err);
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
	if (zinc_wait_check(&c->wait, NULL) != ZINC_OK ||
	    (c->call.progress && c->call.progress(c->call.progress_arg, c->units_done, c->units, c->n.bytes) != 0))
		return zinc_fail(err, ZINC_E_CANCELLED, "cancelled; resume continues");
	return ZINC_OK;
}

/* Steps that are already done are skipped. */
static zinc_status
copy_array(zinc_cp *c, zinc_cp_node *n, zinc_error *err)
{
	zinc_cp_plan p = {.two_passes = false};
	uint64_t step;

	if (c->done >= zinc_cp_share(c, n->first_step + n->steps)) {
		c->n.skipped += zinc_cp_divided(c) ? 0 : n->units;
		c->units_done += zinc_cp_divided(c) ? 0 : n->units;
		return ZINC_OK;
	}
	if (n->way == ZINC_CP_BOXES)
		ZINC_TRY(zinc_cp_boxes_plan(c, n, &p, err));
	for (step = 0; step < n->steps; step++)
		if (zinc_cp_due(c, n->first_step + step))
			ZINC_TRY(n->way == ZINC_CP_RAW ? zinc_cp_raw_step(c, n, step, err)
						       : zinc_cp_box_step(c, n, &p, step, err));
	if (!p.two_passes)
		return ZINC_OK;
	ZINC_TRY(zinc_cp_journal_save(c, true, err)); /* a resumed copy must not use the temporary array again */
	return zinc_cp_temporary_erase(c, err);
}

static zinc_status
copy_data(zinc_cp *c, zinc_error *err)
{
	uint64_t at;
	size_t i;

	if (c->done >= c->foreign_steps && c->foreign_steps > 0 && !zinc_cp_divided(c))
		c->n.skipped = c->units_done = c->nforeign;
	for (at = 0; at < c->foreign_steps; at++)
		if (zinc_cp_due(c, at))
			ZINC_TRY(zinc_cp_foreign_step(c, at, err));
	for (i = 0; i < c->nnodes; i++)
		if (c->nodes[i].steps > 0)
			ZINC_TRY(copy_array(c, &c->nodes[i], err));
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

/* Erase the target, in whatever format, if it is a node.  A dry run refuses the same cases, and counts. */
static zinc_status
erase_old(zinc_cp *c, bool dry_run, zinc_erase_counts *counts, zinc_error *err)
{
	const zinc_erase_options o = {
	    .size = sizeof o, .force = c->o.overwrite == ZINC_FORCE, .replace = !c->old, .dry_run = dry_run};

	return c->old ? zinc_node_erase_with(c->old, zinc_hierarchy_path(c->old), &o, counts, err)
		      : zinc_erase(c->to, c->to_path, &o, counts, err);
}

/* Promise (5).  Afterwards the target must be vacant. */
static zinc_status
clear_target(zinc_cp *c, zinc_error *err)
{
	zinc_erase_counts old = ZINC_ERASE_COUNTS_INIT;
	bool vacant;

	if (c->o.overwrite)
		ZINC_TRY(erase_old(c, true, &old, err));
	if (old.nodes > 0 || old.keys > 0) {
		ZINC_TRY(zinc_cp_check_shared(c, err));
		ZINC_TRY(zinc_cp_trial(c, err));
		ZINC_TRY(erase_old(c, false, NULL, err));
	}
	ZINC_TRY(zinc_hierarchy_vacant(c->to, c->to_path, &vacant, err));
	return vacant ? ZINC_OK : zinc_fail(err, ZINC_E_EXISTS, "%s already exists, or is not empty", c->to_path);
}

/* No journal was found: the place is free, or another part has just begun the copy. */
static zinc_status
look_again(zinc_cp *c, bool *found, zinc_error *err)
{
	bool vacant;

	ZINC_TRY(zinc_hierarchy_vacant(c->to, c->to_path, &vacant, err));
	if (vacant)
		return ZINC_OK;
	ZINC_TRY(zinc_cp_journal_read(c, found, err));
	return *found ? ZINC_OK : zinc_fail(err, ZINC_E_EXISTS, "%s already exists, or is not empty", c->to_path);
}

/* A part joins a copy of the same plan; otherwise it begins one.  Another part may begin it at the same time. */
static zinc_status
check_parts(zinc_cp *c, bool found, zinc_error *err)
{
	if (found && !zinc_cp_journal_fits(c) && zinc_cp_part_erases(c))
		found = false;
	if (!found && c->o.overwrite && c->part > 0)
		return zinc_fail(err, ZINC_E_EXISTS, "part 1 must begin this copy, because it may erase the target");
	if (!found && c->o.overwrite && c->o.dry_run)
		ZINC_TRY(erase_old(c, true, NULL, err));
	if (!found && !c->o.overwrite)
		ZINC_TRY(look_again(c, &found, err));
	c->joining = found;
	if (found && !zinc_cp_journal_fits(c))
		return zinc_fail(err, ZINC_E_CONFLICT,
				 "the target has a copy in parts with another plan; part 1 can overwrite it");
	return ZINC_OK;
}

/* Is the place free, or does it have an interrupted copy that can be resumed? */
static zinc_status
check_target(zinc_cp *c, bool found, zinc_error *err)
{
	bool vacant;

	if (zinc_cp_divided(c))
		return check_parts(c, found, err);
	c->resuming = found && c->o.resume;
	if (c->resuming && !zinc_cp_journal_fits(c))
		return zinc_fail(err, ZINC_E_CONFLICT,
				 "the target has an interrupted copy with another plan; overwrite it");
	if (c->resuming)
		return ZINC_OK;
	if (c->o.overwrite && c->o.dry_run)
		ZINC_TRY(erase_old(c, true, NULL, err));
	if (c->o.overwrite)
		return c->o.dry_run ? zinc_cp_check_shared(c, err) : ZINC_OK;
	if (found)
		return zinc_fail(err, ZINC_E_EXISTS,
				 "the target has an interrupted copy; resume continues it, overwrite starts again");
	ZINC_TRY(zinc_hierarchy_vacant(c->to, c->to_path, &vacant, err));
	return vacant ? ZINC_OK : zinc_fail(err, ZINC_E_EXISTS, "%s already exists, or is not empty", c->to_path);
}

/* Find the deepest existing group above the target: c->above is its path; "" if there is none. */
static zinc_status
find_above(zinc_cp *c, zinc_error *err)
{
	zinc_error e = ZINC_ERROR_INIT;
	zinc_meta *m = NULL;
	zinc_report r;
	bool there = false;

	c->above = zinc_strdup(c->ctx, c->to_path);
	if (!c->above)
		return zinc_fail_nomem(err);
	zinc_report_init_quiet(&r, c->ctx, false);
	while (!there && to_parent(c->above)) {
		const zinc_status st = zinc_read_node(c->to, c->above, &r, &m, &e);

		zinc_meta_free(m);
		m = NULL;
		if (!was_read(st))
			return zinc_error_copy(err, &e);
		there = st != ZINC_E_NOTFOUND;
	}
	if (!there)
		c->above[0] = '\0';
	return ZINC_OK;
}

/* Remove a copy that can never be finished: its objects, and the groups that it made above, unless another program
 * has put something into them. */
static void
remove_partial(zinc_cp *c)
{
	zinc_erase_options o = ZINC_ERASE_OPTIONS_INIT;
	zinc_erase_counts n = ZINC_ERASE_COUNTS_INIT;
	char *up = zinc_strdup(c->ctx, c->to_path);

	(void)!zinc_erase_for(c->to, c->to_path, 1, false, NULL);
	while (up && c->above && to_parent(up) && strcmp(up, c->above) != 0) {
		o.dry_run = 1;
		if (zinc_erase(c->to, up, &o, &n, NULL) != ZINC_OK || n.nodes != 1)
			break;
		o.dry_run = 0;
		(void)!zinc_erase(c->to, up, &o, NULL, NULL);
	}
	zinc_free(c->ctx, up);
}

/* Begin the copy, unless another part has. */
static zinc_status
begin_parts(zinc_cp *c, zinc_error *err)
{
	zinc_error e = ZINC_ERROR_INIT;
	zinc_status st;

	if (c->joining)
		return ZINC_OK;
	if (c->o.overwrite)
		ZINC_TRY(clear_target(c, err));
	ZINC_TRY(zinc_change_begin(c->to, c->to_path, true, err));
	st = zinc_cp_journal_begin(c, &e);
	return st == ZINC_OK || st == ZINC_E_EXISTS ? ZINC_OK : zinc_error_copy(err, &e);
}

static zinc_status
write_part(zinc_cp *c, zinc_error *err)
{
	zinc_status st = ZINC_OK;

	ZINC_TRY(begin_parts(c, err));
	ZINC_TRY(zinc_cp_part_begin(c, err));
	if (!c->ending && !c->complete) {
		st = copy_data(c, err);
		if (st != ZINC_OK)
			(void)!zinc_cp_journal_save(c, true, NULL);
		ZINC_TRY(st);
		ZINC_TRY(verify(c, err));
	}
	return zinc_cp_part_end(c, err);
}

static zinc_status
write_to(zinc_cp *c, zinc_error *err)
{
	zinc_status st;

	if (zinc_cp_divided(c))
		return write_part(c, err);
	if (!c->resuming) {
		ZINC_TRY(clear_target(c, err));
		ZINC_TRY(find_above(c, err));
		ZINC_TRY(zinc_change_begin(c->to, c->to_path, true, err));
		ZINC_TRY(zinc_cp_journal_begin(c, err));
	}
	st = copy_data(c, err);
	if (st == ZINC_E_RANGE) /* an element does not fit, and will not fit next time */
		remove_partial(c);
	else if (st != ZINC_OK)
		(void)!zinc_cp_journal_save(c, true, NULL); /* so that finished steps are not repeated */
	ZINC_TRY(st);
	ZINC_TRY(verify(c, err));
	ZINC_TRY(zinc_cp_documents(c, err));
	return zinc_cp_journal_end(c, err);
}

/* An archive is written once, not at each of the copy's commits; if the copy fails, it stays as it was. */
static zinc_status
write_target(zinc_cp *c, zinc_error *err)
{
	zinc_status st, released;

	ZINC_TRY(zinc_store_hold(c->to->store, c->to->wait, err));
	st = write_to(c, err);
	released =
	    zinc_store_release(c->to->store, st == ZINC_OK, c->to->put_flags, c->to->wait, st == ZINC_OK ? err : NULL);
	return st == ZINC_OK ? released : st;
}

/* Errors before the target is checked are about the source. */
static zinc_status
take_source(zinc_cp *c, zinc_error *err)
{
	zinc_status st = zinc_cp_patterns_init(c, err);

	if (st == ZINC_OK)
		st = zinc_cp_find_nodes(c, err);
	if (st == ZINC_OK)
		st = zinc_cp_choose_nodes(c, err);
	if (st == ZINC_OK)
		st = zinc_cp_select_all(c, err);
	if (st == ZINC_OK)
		st = zinc_cp_choose_options(c, err);
	return st == ZINC_OK ? st : zinc_error_at_url(err, st, c->from->url);
}

static zinc_status
run(zinc_cp *c, zinc_error *err)
{
	bool found;

	ZINC_TRY(zinc_cp_parts_check(c, err));
	ZINC_TRY(take_source(c, err));
	ZINC_TRY(check_places(c, err));
	ZINC_TRY(zinc_cp_translate_all(c, err));
	ZINC_TRY(zinc_cp_list(c, err));
	ZINC_TRY(zinc_cp_check_hidden(c, err));
	ZINC_TRY(zinc_cp_decide_missing(c, err));
	ZINC_TRY(zinc_cp_documents_check(c, err));
	ZINC_TRY(zinc_cp_journal_init(c, err));
	ZINC_TRY(zinc_cp_journal_read(c, &found, err));
	c->memory = c->o.max_memory ? c->o.max_memory : 512 * ZINC_MIB;
	ZINC_TRY(zinc_cp_plan_all(c, err));
	ZINC_TRY(check_target(c, found, err));
	if (c->nodes[0].left_out)
		return zinc_fail(err, ZINC_E_INVALID, "nothing is left to copy: %s",
				 zinc_buf_text(&c->lost) ? zinc_buf_text(&c->lost) : "");
	if (c->o.dry_run) {
		c->n.objects = c->units;
		return zinc_cp_divided(c) ? zinc_cp_part_note(c, err) : ZINC_OK;
	}
	return write_target(c, err);
}

/* ---- the calls ---- */

static void
fini(zinc_cp *c)
{
	zinc_buf *bufs[] = {&c->foreign, &c->documents, &c->options, &c->journal_key,
			    &c->middle,  &c->lost,      &c->tags,    &c->part_key};
	size_t i;

	zinc_cp_documents_fini(c);
	zinc_cp_free_nodes(c);
	for (i = 0; i < sizeof bufs / sizeof *bufs; i++)
		zinc_buf_fini(bufs[i]);
	zinc_free(c->ctx, c->block[0]);
	zinc_free(c->ctx, c->block[1]);
	zinc_arena_free(c->arena);
	zinc_free(c->ctx, c->hits);
	zinc_free(c->ctx, c->choices);
	zinc_free(c->ctx, c->from_path);
	zinc_free(c->ctx, c->to_path);
	zinc_free(c->ctx, c->above);
}

static void
init(zinc_cp *c, zinc_hierarchy *from, zinc_hierarchy *to)
{
	zinc_buf *bufs[] = {&c->foreign, &c->documents, &c->options, &c->journal_key,
			    &c->middle,  &c->lost,      &c->tags,    &c->part_key};
	size_t i;

	c->ctx = to->ctx;
	c->from = from;
	c->to = to;
	c->threads = c->o.threads > 0 ? c->o.threads : c->ctx->threads;
	for (i = 0; i < sizeof bufs / sizeof *bufs; i++)
		zinc_buf_init(bufs[i], c->ctx, zinc_max_list(c->ctx));
}

static zinc_status
copy(zinc_hierarchy *from, const char *from_path, zinc_hierarchy *to, const char *to_path, zinc_hierarchy *old,
     const zinc_copy_options *options, zinc_copy_counts *counts, zinc_error *err)
{
	struct zinc_known *known = NULL;
	zinc_visit v[3];
	zinc_cp c = {.old = NULL};
	zinc_status st;

	ZINC_TRY(zinc_result_check(counts, err));
	ZINC_TRY(zinc_options_take_as(&zinc_copy_options_kind, &c.o, options, err));
	ZINC_TRY(zinc_call_options_take(&c.call, c.o.call, err));
	ZINC_TRY(zinc_wait_begin(&c.wait, c.o.call, err));
	if (!c.o.call && from->wait)
		c.wait = *from->wait;
	from = zinc_visit_within(&v[0], from, &c.wait);
	if (!from->known) /* one plan, made from one version of each document */
		from->known = known = zinc_known_new(from->ctx);
	to = zinc_visit_within(&v[1], to, &c.wait);
	c.old = zinc_visit_within(&v[2], old, &c.wait);
	init(&c, from, to);
	st = zinc_path_normalise(&c.from_path, from, from_path, err);
	if (st == ZINC_OK)
		st = zinc_path_normalise(&c.to_path, to, to_path, err);
	if (st == ZINC_OK)
		st = run(&c, err);
	zinc_result_fill(counts, &c.n, sizeof c.n);
	fini(&c);
	zinc_known_free(known);
	return st == ZINC_OK ? st : zinc_error_at_url(err, st, to->url);
}

zinc_status
zinc_copy(zinc_hierarchy *from, const char *from_path, zinc_hierarchy *to, const char *to_path,
	  const zinc_copy_options *options, zinc_copy_counts *counts, zinc_error *err)
{
	ZINC_TRY(ZINC_NEED(from && to, err));
	return copy(from, from_path, to, to_path, NULL, options, counts, err);
}

/* A target inside a hierarchy has that hierarchy's format; a new one has the source's. */
static zinc_status
open_target(zinc_hierarchy **to, zinc_hierarchy **old, const char *url, const zinc_hierarchy *from,
	    const zinc_copy_options *o, const zinc_wait *wait, zinc_error *err)
{
	const zinc_call_options rest = zinc_wait_rest(wait);
	zinc_open_options open = ZINC_OPEN_OPTIONS_INIT;

	open.context = o->context;
	open.strictness = o->strict ? ZINC_STRICT : ZINC_LENIENT;
	open.links = o->links;
	open.create = 1;
	open.call = &rest;
	open.fallback = o->fallback;
	open.climb = o->climb;
	open.format = o->format;
	open.settings = o->settings;
	open.nsettings = o->nsettings;
	return zinc_hierarchy_open_new(to, old, url, from->format->id, &open, err);
}

zinc_status
zinc_copy_url(const char *from, const char *to, const zinc_copy_options *options, zinc_copy_counts *counts,
	      zinc_error *err)
{
	zinc_open_options open = ZINC_OPEN_OPTIONS_INIT;
	zinc_hierarchy *source = NULL, *target = NULL, *old = NULL;
	zinc_call_options rest[2];
	zinc_copy_options o;
	zinc_wait wait;
	zinc_status st;

	ZINC_TRY(ZINC_NEED(from && to, err));
	ZINC_TRY(zinc_result_check(counts, err));
	ZINC_TRY(zinc_options_take_as(&zinc_copy_options_kind, &o, options, err));
	o.size = sizeof o;
	ZINC_TRY(zinc_wait_begin(&wait, o.call, err));
	rest[0] = zinc_wait_rest(&wait);
	open.call = &rest[0];
	open.context = o.context;
	open.strictness = o.strict ? ZINC_STRICT : ZINC_LENIENT;
	open.links = o.links;
	open.read_only = 1;
	open.keep_documents = 1;
	open.climb = o.climb;
	open.settings = o.settings;
	open.nsettings = o.nsettings;
	st = zinc_hierarchy_open_url(&source, from, &open, err);
	if (st == ZINC_OK)
		st = open_target(&target, &old, to, source, &o, &wait, err);
	if (st == ZINC_OK && old && !o.overwrite)
		st = zinc_error_at_url(
		    err,
		    zinc_fail(err, ZINC_E_EXISTS, "a hierarchy of format %s already exists there", old->format->id),
		    to);
	rest[1] = zinc_wait_rest(&wait);
	if (o.call) {
		rest[1].progress = o.call->progress;
		rest[1].progress_arg = o.call->progress_arg;
	}
	o.call = &rest[1];
	if (st == ZINC_OK)
		st = copy(source, zinc_hierarchy_path(source), target, zinc_hierarchy_path(target), old, &o, counts,
			  err);
	zinc_hierarchy_close(old);
	zinc_hierarchy_close(target);
	zinc_hierarchy_close(source);
	return st;
}

/* Refuse to move what could not be erased afterwards.  If the copy itself would be refused, its error is more
 * specific. */
static zinc_status
may_move(zinc_hierarchy *h, const char *from_path, const char *to_path, const zinc_copy_options *options,
	 zinc_error *err)
{
	const zinc_erase_options erase = {.size = sizeof erase, .force = options->force, .dry_run = 1};
	zinc_copy_options o = *options;
	zinc_caps caps = ZINC_CAPS_INIT;
	zinc_error e = ZINC_ERROR_INIT;

	zinc_store_caps(h->store, &caps);
	if ((caps.flags & (ZINC_CAP_WRITE | ZINC_CAP_ERASE)) == ZINC_CAP_WRITE)
		return zinc_fail(err, ZINC_E_READONLY, "keys of this store cannot be erased, so nothing can be moved");
	if (zinc_node_erase_with(h, from_path, &erase, NULL, &e) == ZINC_OK)
		return ZINC_OK;
	o.dry_run = 1;
	if (e.code == ZINC_E_EXISTS)
		ZINC_TRY(zinc_copy(h, from_path, h, to_path, &o, NULL, err));
	return zinc_error_copy(err, &e);
}

zinc_status
zinc_move(zinc_hierarchy *h, const char *from_path, const char *to_path, const zinc_copy_options *options,
	  zinc_error *err)
{
	zinc_copy_options given, o = ZINC_COPY_OPTIONS_INIT;
	zinc_erase_options erase = ZINC_ERASE_OPTIONS_INIT;
	zinc_call_options rest;
	zinc_visit v;

	ZINC_TRY(zinc_options_take_as(&zinc_copy_options_kind, &given, options, err));
	erase.force = o.force = given.force;
	o.threads = given.threads;
	o.max_memory = given.max_memory;
	o.overwrite = given.overwrite;
	o.resume = given.resume;
	o.dry_run = given.dry_run;
	o.note = given.note;
	o.note_arg = given.note_arg;
	o.verify = 1;
	ZINC_TRY(zinc_visit_begin(&v, &h, given.call, err));
	ZINC_TRY(may_move(h, from_path, to_path, &o, err));
	rest = zinc_wait_rest(h->wait);
	if (given.call) {
		rest.progress = given.call->progress;
		rest.progress_arg = given.call->progress_arg;
	}
	o.call = &rest;
	ZINC_TRY(zinc_copy(h, from_path, h, to_path, &o, NULL, err));
	return o.dry_run ? ZINC_OK : zinc_node_erase_with(h, from_path, &erase, NULL, err);
}
